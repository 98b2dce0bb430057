import math

length, size, scale = 64, 32, 0.25
q, k, v = ([(w % 65 - 32) / 16 for w in random("u32", length * size, seed)] for seed in (221, 222, 223))
save("q", "f16", q)
save("k", "f16", k)
save("v", "f16", v)
out, logs = [], []
for i in range(length):
    # Powers of two, of the queries' own and earlier keys.
    scores = [scale * sum(q[i * size + d] * k[j * size + d] for d in range(size)) for j in range(i + 1)]
    weights = [2.0 ** (score - max(scores)) for score in scores]
    total = sum(weights)
    out += [sum(w * v[j * size + d] for j, w in enumerate(weights)) / total for d in range(size)]
    logs.append(max(scores) + math.log2(total))
save("out", "f32", out)
save("logs", "f32", logs)
