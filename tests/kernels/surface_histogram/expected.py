values = random("s32", 198, 44, -1000, 1000)
columns = [values[column::6] for column in range(6)]
counts = [sum((value & U32) % 7 == bin for value in column) for column in columns for bin in range(7)]
save("counts", "u32", counts)
# Both start as zero.
save("extremes", "s32", [bound for column in columns[:4] for bound in (min(0, *column), max(0, *column))])
shares = [as_type("f16", f32(count / 33)) for count in counts]
save("out", "f16", [share for share in shares for _ in range(2)])
