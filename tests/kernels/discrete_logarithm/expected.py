logs, value = {}, 1
for e in range(10006):
    logs.setdefault(value, e)
    value = value * 5 % 10007
save("out", "u32", [logs[v] for v in random("u32", 128, 163, 1, 10007)])
