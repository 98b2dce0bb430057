d = random("s32", 576, 49, 1, 1000)
# The diagonal starts above zero: a way from a node to itself is the shortest cycle.
for k in range(24):
    for i in range(24):
        for j in range(24):
            d[i * 24 + j] = min(d[i * 24 + j], d[i * 24 + k] + d[k * 24 + j])
save("distance", "s32", d)
