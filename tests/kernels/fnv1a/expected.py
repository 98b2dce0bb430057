text, out = b"The quick brown fox jumps over the lazy dog"[:33], []
hash = 0xCBF29CE484222325
for byte in text:
    hash = (hash ^ byte) * 0x100000001B3 & U64
    out.append(hash)
save("out", "u64", out)
