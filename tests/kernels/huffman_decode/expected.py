symbols = [min((w & -w).bit_length() - 1, 4) if w else 4 for w in random("u32", 400, 143)]
stream, starts = "", []
for i, symbol in enumerate(symbols):
    if i % 16 == 0:
        starts.append(len(stream))
    stream += ["0", "10", "110", "1110", "1111"][symbol]
stream += "0" * (-len(stream) % 32)
save("bits", "u32", [int(stream[i:i + 32][::-1], 2) for i in range(0, len(stream), 32)])
save("starts", "s32", starts)
save("out", "u8", symbols)
