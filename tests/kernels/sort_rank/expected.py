data = random("f64", 150, 17, -4.0, 4.0)
places = sorted(range(150), key=lambda i: (data[i], i))
save("out", "f64", [data[i] for i in places])
save("places", "s32", places)
