from itertools import accumulate
save("out", "s32", accumulate(random("s32", 200, 2, -50, 50)))
