import zlib
save("out", "u32", [zlib.adler32(bytes(random("u8", 2000, 44)))])
