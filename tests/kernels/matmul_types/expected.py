# A of 32 rows and B of 64 columns, 48 words each: 96 bfloat16, 48 tf32 or 192 s8. All are whole and small, so that sums are exact.
def product(name, kind, depth, a, b):
    line = lambda m, i: m[i * depth:(i + 1) * depth]
    save(name, kind, [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(32) for c in range(64)])


def whole(count, seed, most):
    return [w % (2 * most + 1) - most for w in random("u32", count, seed)]


bf16 = whole(32 * 96, 301, 20), whole(64 * 96, 302, 20)
tf32 = whole(32 * 48, 303, 500), whole(64 * 48, 304, 500)
s8 = random("s8", 32 * 192, 305), random("s8", 64 * 192, 306)
for name, matrix in zip(("bf16_a", "bf16_b"), bf16):
    save(name, "u16", [bits32(float(value)) >> 16 for value in matrix])
for name, matrix in zip(("tf32_a", "tf32_b"), tf32):
    save(name, "f32", matrix)
product("bf16_d", "f32", 96, *bf16)
product("tf32_d", "f32", 48, *tf32)
product("s8_d", "s32", 192, *s8)
