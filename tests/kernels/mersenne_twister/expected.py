mt = [5489]
for i in range(1, 624):
    mt.append((1812433253 * (mt[-1] ^ mt[-1] >> 30) + i) & U32)
out = []
for n in range(1248):
    i = n % 624
    y = mt[i] & 0x80000000 | mt[(i + 1) % 624] & 0x7FFFFFFF
    mt[i] = mt[(i + 397) % 624] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0)
    y = mt[i]
    y ^= y >> 11
    y ^= y << 7 & 0x9D2C5680
    y ^= y << 15 & 0xEFC60000
    out.append(y ^ y >> 18)
assert out[0] == 3499211612  # as std::mt19937 gives it
save("out", "u32", out)
