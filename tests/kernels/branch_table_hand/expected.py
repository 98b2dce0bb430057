save("out", "u32", [[t + 1000, t * t, ~t & U32, t * t][t % 4] for t in range(48)])
