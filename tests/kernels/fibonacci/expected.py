numbers = [0, 1]
while len(numbers) < 2000:
    numbers.append((numbers[-1] + numbers[-2]) % 1000000007)
save("out", "u64", [numbers[n] for n in random("u32", 32, 66, 0, 2000)])
