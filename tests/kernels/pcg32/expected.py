increment, out = 54 * 2 + 1, []
state = ((increment + 42) * 6364136223846793005 + increment) & U64
for _ in range(64):
    shifted, turn = (state >> 18 ^ state) >> 27 & U32, state >> 59
    out.append((shifted >> turn | shifted << (32 - turn)) & U32)
    state = (state * 6364136223846793005 + increment) & U64
assert out[:6] == [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]  # its author's demonstration
save("out", "u32", out)
