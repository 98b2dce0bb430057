odd = [v for v in random("u32", 256, 11) if v & 1]
save("out", "u32", odd + [0] * (256 - len(odd)))
save("kept", "u32", [len(odd)])
