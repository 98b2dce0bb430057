text = bytes(random("u8", 90, 156, 97, 100))
save("order", "s32", sorted(range(90), key=lambda i: text[i:]))
