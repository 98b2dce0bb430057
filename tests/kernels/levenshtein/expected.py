from functools import lru_cache
import sys
a, b = "an open compiler from CUDA C++ and PTX to cubins"[:47], "a closed interpreter of CUDA and PTX, web"[:41]
row = list(range(42))
for i in range(1, 48):
    new = [i]
    for j in range(1, 42):
        new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])))
    row = new
save("out", "s32", [row[41]])
