def times(a, b):
    product = 0
    for i in range(8):
        product ^= a << i if b >> i & 1 else 0
    for i in range(14, 7, -1):
        product ^= 0x11D << i - 8 if product >> i & 1 else 0
    return product


generator = [1]
for root in (1, 2, 4, 8):
    generator = [a ^ times(b, root) for a, b in zip(generator + [0], [0] + generator)]
data, parity = random("u8", 960, 159), []
for t in range(32):
    word = data[30 * t:30 * t + 30] + [0] * 4
    for i in range(30):
        factor = word[i]
        for j, g in enumerate(generator):
            word[i + j] ^= times(factor, g)
    parity += word[30:]
save("parity", "u8", parity)
