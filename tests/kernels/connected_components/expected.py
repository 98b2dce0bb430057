label = list(range(150))
pairs = list(zip(random("s32", 110, 53, 0, 150), random("s32", 110, 54, 0, 150)))
for _ in range(150):
    for a, b in pairs:
        label[a] = label[b] = min(label[a], label[b])
save("parent", "s32", label)
