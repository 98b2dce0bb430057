# 1176 is the sum of 1 to 48: each value is given back once, the last by the second kernel.
assert sum(range(1, 49)) == 1176 and sum(range(48)) == 1128
