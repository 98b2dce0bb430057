NAN, INF = 0x7FFFFFFF, 0x7F800000


def finite(bits):
    """The value as a fraction; None for infinities and NaN."""
    exponent, mantissa = bits >> 23 & 255, bits & 0x7FFFFF
    if exponent == 255:
        return None
    size = Fraction(mantissa | (0x800000 if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - 150)
    return -size if bits >> 31 else size


def is_nan(bits):
    return bits & 0x7FFFFFFF > INF


def floor_power(size):
    """The greatest e with 2^e <= size."""
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def rounded(value, mode, zero_sign=0, root=False):
    """The bits of a fraction rounded; with root, of its square root."""
    if value == 0:
        return zero_sign << 31
    sign, size = int(value < 0), abs(value)
    e = floor_power(size) // 2 if root else floor_power(size)
    unit = Fraction(2) ** (max(e, -126) - 23)
    scaled = size / (unit * unit if root else unit)
    if root:
        low = math.isqrt(scaled.numerator // scaled.denominator)
        exact, half = Fraction(low * low) == scaled, (Fraction(2 * low + 1, 2) ** 2 < scaled) - (Fraction(2 * low + 1, 2) ** 2 > scaled)
    else:
        low = scaled.numerator // scaled.denominator
        exact, half = low == scaled, (scaled - low > Fraction(1, 2)) - (scaled - low < Fraction(1, 2))
    up = not exact and {"rn": half > 0 or (half == 0 and low & 1), "rz": False, "ru": not sign, "rd": bool(sign)}[mode]
    size = (low + up) * unit
    if size >= Fraction(2) ** 128:
        away = mode == "rn" or (mode == "ru" and not sign) or (mode == "rd" and sign)
        return sign << 31 | (INF if away else 0x7F7FFFFF)
    return sign << 31 | bits32(float(size))


def add(a, b, mode):
    if is_nan(a) or is_nan(b):
        return NAN
    x, y = finite(a), finite(b)
    if x is None or y is None:
        return NAN if x is None and y is None and a != b else a if x is None else b
    zero = (a >> 31) if a >> 31 == b >> 31 else int(mode == "rd")
    # An exact zero from numbers that are not both zero is negative only when rounding down.
    return rounded(x + y, mode, zero if x == 0 and y == 0 else int(mode == "rd"))


def multiply(a, b, mode):
    if is_nan(a) or is_nan(b):
        return NAN
    x, y, sign = finite(a), finite(b), (a ^ b) >> 31
    if x is None or y is None:
        return NAN if x == 0 or y == 0 else sign << 31 | INF
    return rounded(x * y, mode, sign)


def fused(a, b, c, mode):
    if is_nan(a) or is_nan(b) or is_nan(c):
        return NAN
    x, y, z, sign = finite(a), finite(b), finite(c), (a ^ b) >> 31
    if x is None or y is None:
        return NAN if x == 0 or y == 0 or (z is None and c >> 31 != sign) else sign << 31 | INF
    if z is None:
        return c
    zero = sign if x * y == 0 and z == 0 and sign == c >> 31 else int(mode == "rd")
    return rounded(x * y + z, mode, zero)


def divide(a, b, mode):
    if is_nan(a) or is_nan(b):
        return NAN
    x, y, sign = finite(a), finite(b), (a ^ b) >> 31
    if x is None:
        return NAN if y is None else sign << 31 | INF
    if y is None:
        return sign << 31
    if y == 0:
        return NAN if x == 0 else sign << 31 | INF
    return rounded(x / y, mode, sign)


def square_root(a, mode):
    if is_nan(a) or (a >> 31 and finite(a) != 0):
        return NAN
    return a if finite(a) in (None, 0) else rounded(finite(a), mode, 0, True)


def least(a, b, greatest):
    if is_nan(a) or is_nan(b):
        return NAN if is_nan(a) and is_nan(b) else b if is_nan(a) else a
    key = lambda v: (-1 if v >> 31 else 1) * ((v & 0x7FFFFFFF) + 1)
    return max(a, b, key=key) if greatest else min(a, b, key=key)


def flush(a):
    return a & 0x80000000 if a >> 23 & 255 == 0 else a


def flushed_product(a, b):
    """What is too small after rounding to 24 bits without a bound of the exponent is flushed, also where a subnormal would round up."""
    x, y = finite(a), finite(b)
    if x and y:
        unit = Fraction(2) ** (floor_power(abs(x * y)) - 23)
        if round(abs(x * y) / unit) * unit < Fraction(2) ** -126:
            return (a ^ b) & 0x80000000
    return multiply(a, b, "rn")


def saturate(a):
    return 0 if is_nan(a) or a >> 31 else min(a, 0x3F800000)


special = [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x3F800001, 0x7F7FFFFF, 0xFF7FFFFF, INF, INF | 1 << 31,
           0x7FC00000, 0x33800000, 0x3F7FFFFF]
noise, rows = random("u32", 384, 90), []
for i in range(128):
    row = noise[3 * i:3 * i + 3]
    if i < 96:
        row = [special[row[0] % 16], special[row[1] % 16] if i % 3 else row[1], special[row[2] % 16] if i % 2 else row[2]]
    elif i < 112:
        row[1] = row[0] ^ row[1] & 0x80FFFFFF
    rows.append(row)
save("in", "u32", [v for row in rows for v in row])
out, modes = [], ("rn", "rz", "ru", "rd")
for a, b, c in rows:
    out += [add(a, b, m) for m in modes] + [multiply(a, b, m) for m in modes] + [fused(a, b, c, m) for m in modes]
    out += [divide(a, b, "rn"), divide(a, b, "rz"), square_root(a, "rn"), square_root(a, "ru"), least(a, b, False), least(a, b, True)]
    out += [flush(add(flush(a), flush(b), "rn")), saturate(flushed_product(flush(a), flush(b)))]
save("out", "u32", out)
