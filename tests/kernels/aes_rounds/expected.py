# FIPS 197, appendix C.1, three times.
save("plain", "u8", [0x11 * (i % 16) for i in range(48)])
save("cipher", "u8", bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a") * 3)
