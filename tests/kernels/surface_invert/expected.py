picture = random("u8", 836, 12)
picture = [value if index % 4 == 3 else 255 - value for index, value in enumerate(picture)]
save("picture", "u8", picture)
rows = [picture[start:start + 76] for start in range(0, 836, 76)]
save("flipped", "u8", sum(reversed(rows), []))
