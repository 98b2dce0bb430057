from itertools import accumulate
save("data", "s32", accumulate(random("s32", 2048, 8, -1000, 1000)))
