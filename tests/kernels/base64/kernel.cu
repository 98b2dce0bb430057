// Base64: three bytes become four letters.
__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
extern "C" __global__ void base64(const unsigned char *in, int count, char4 *out) {
    int i = threadIdx.x, at = 3 * i;
    if (at >= count) return;
    unsigned bits = in[at] << 16 | (at + 1 < count ? in[at + 1] << 8 : 0) | (at + 2 < count ? in[at + 2] : 0);
    out[i] = make_char4(letters[bits >> 18], letters[bits >> 12 & 63], at + 1 < count ? letters[bits >> 6 & 63] : '=',
                        at + 2 < count ? letters[bits & 63] : '=');
}
