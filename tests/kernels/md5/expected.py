import hashlib
text = bytes(random("u8", 64, 42))
save("sines", "u32", [int(abs(math.sin(i + 1)) * 2 ** 32) for i in range(64)])
save("out", "u32", [w for n in range(56) for w in struct.unpack("<4I", hashlib.md5(text[:n]).digest())])
