values = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, -0.9, 126.5, 127.5, -128.5, 254.5, 255.9, 256.0, 2147483646.5, 2147483647.5, -2147483648.5,
          4294967295.5, 4294967296.0, 9.2e18, -9.3e18, 1.85e19, 1e30, -1e30, 65504.0, 65519.0, 65520.0, 1e-5, 5.9e-8, 2.9e-8, 1e-40, 1e-46,
          16777217.0, 33554435.0, 3.5e38, -math.inf, math.inf]
values += [v * 10 ** (i - 3) for i, v in enumerate(random("f64", 48 - len(values), 91, -1.0, 1.0))]


def rounded(value, mode):
    if mode == "rn":
        return round(value)
    return {"rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](value)


def integer(value, kind, mode):
    """The nearest number of the type: out of range becomes its end."""
    bits = int(kind[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    if math.isinf(value):
        return low if value < 0 else high
    return min(max(rounded(Fraction(value), mode), low), high)


def single(value, mode):
    near = f32(value)
    if mode == "rn" or near == value or math.isinf(value):
        return bits32(near)
    b = bits32(near)
    if mode == "ru" and near < value:
        return b - 1 if b >> 31 else b + 1
    if mode == "rz" and abs(near) > abs(value):
        return b - 1
    if mode == "ru" and value < 0 and near == 0:
        return 0x80000000
    return b


def upward(value):
    """Rounded up where the nearest single is infinite."""
    if value < 0 and math.isinf(f32(value)) and not math.isinf(value):
        return bits32(-3.4028234663852886e38)
    return single(value, "ru")


out = []
for d in values:
    f = f32(d)
    half = as_type("f16", f)
    whole = integer(d, "s64", "rn")
    out += [integer(d, "s32", m) for m in ("rn", "rz", "ru", "rd")]
    out += [integer(d, "u32", "rz"), whole, as_type("s64", integer(d, "u64", "rz")), integer(f, "s32", "rn"), integer(f, "u32", "ru")]
    out += [bits32(f), upward(d), struct.unpack("<H", struct.pack("<e", half))[0], as_type("s64", bits64(half))]
    out += [integer(f, "s8", "rn"), integer(f, "u8", "rz")]
    # Cut, not rounded: the 24 highest bits.
    size, sign = abs(whole), 0x80000000 if whole < 0 else 0
    spare = max(size.bit_length() - 24, 0)
    out.append(sign | bits32(float(size >> spare << spare)))
    out.append(bits32(f if math.isinf(f) else math.copysign(float(round(Fraction(f))), f)))
    out.append(as_type("s64", bits64(d if math.isinf(d) else math.copysign(float(math.trunc(Fraction(d))), d))))
save("in", "f64", values)
save("out", "s64", out)
