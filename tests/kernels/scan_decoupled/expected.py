from itertools import accumulate
save("out", "u32", [v & U32 for v in accumulate(random("u32", 512, 110))])
