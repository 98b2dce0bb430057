# t * t modulo 3 is 0 for multiples of 3, whose shape is the disc, and 1 for all others: the rectangle.
save("areas", "s32", [3 * t * t if t % 3 == 0 else t * (t + 1) for t in range(30)])
save("edges", "s32", [0 if t % 3 == 0 else 4 for t in range(30)])
