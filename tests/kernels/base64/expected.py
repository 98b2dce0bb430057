import base64
save("out", "u8", base64.b64encode(bytes(random("u8", 181, 47))))
