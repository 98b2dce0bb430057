prime = lambda n: n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
save("bits", "u32", [sum(1 << b for b in range(32) if prime(32 * w + b)) for w in range(128)])
