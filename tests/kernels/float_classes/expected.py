values = [0.0, -0.0, 1.0, -1.5, 3.25, 1e-40, -1e-45, 1.1754943508222875e-38, 3.4028234663852886e38, -3.4028234663852886e38, math.inf, -math.inf,
          0.1, -1e10, 65536.0, 1e-20]
values = [f32(v) for v in values]
save("in", "f32", values)
out = []
for x in values:
    finite, b = not math.isinf(x), bits32(x)
    # testp takes zeros for normal numbers.
    normal = finite and (x == 0 or abs(x) >= 2.0 ** -126)
    out.append(int(math.isinf(x)) << 1 | int(finite) << 2 | (b >> 31) << 3 | 16 * normal)
    out.append(bits32(math.copysign(3.0, x)))
    out.append(b if x == math.inf else 1 if x == 0 else b - 1 if b >> 31 else b + 1)
    m, e = math.frexp(x) if finite else (x, 0)
    out += [bits32(m), e & U32, bits32(f32(x * 8)) if abs(x) < 1e30 else 0]
save("out", "u32", out)
