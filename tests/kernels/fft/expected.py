import cmath
data = random("f64", 256, 30, -1.0, 1.0)
values = [complex(data[2 * i], data[2 * i + 1]) for i in range(128)]
roots = [cmath.exp(-2j * cmath.pi * k / 128) for k in range(128)]
save("roots", "f64", [part for v in roots[:64] for part in (v.real, v.imag)])
out = [sum(v * roots[i * k % 128] for i, v in enumerate(values)) for k in range(128)]
save("out", "f64", [part for v in out for part in (v.real, v.imag)])
