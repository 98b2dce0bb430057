text, coded, starts = bytes(random("u8", 400, 157, 97, 105)), [], []
for t in range(10):
    own = text[40 * t:40 * t + 40]
    rotations = sorted(range(40), key=lambda i: own[i:] + own[:i])
    starts.append(rotations.index(0))
    alphabet = list(range(97, 105))
    for i in rotations:
        letter = own[i - 1]
        coded.append(alphabet.index(letter))
        alphabet.remove(letter)
        alphabet.insert(0, letter)
save("coded", "u8", coded)
save("starts", "s32", starts)
