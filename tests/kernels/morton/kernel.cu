// Space-filling curves: Morton codes there and back, and the Hilbert curve.
extern "C" __global__ void curves(unsigned *morton, unsigned *back, unsigned *hilbert) {
    unsigned x = threadIdx.x, y = threadIdx.y, at = y * blockDim.x + x;
    auto spread = [](unsigned v) {
        v = (v | v << 8) & 0x00ff00ff;
        v = (v | v << 4) & 0x0f0f0f0f;
        v = (v | v << 2) & 0x33333333;
        return (v | v << 1) & 0x55555555;
    };
    auto gather = [](unsigned v) {
        v &= 0x55555555;
        v = (v | v >> 1) & 0x33333333;
        v = (v | v >> 2) & 0x0f0f0f0f;
        v = (v | v >> 4) & 0x00ff00ff;
        return (v | v >> 8) & 0xffff;
    };
    unsigned code = spread(x * 2047) | spread(y * 1023) << 1;
    morton[at] = code;
    back[at] = gather(code) ^ gather(code >> 1) << 16;
    unsigned d = 0, u = x, v = y;
    for (unsigned s = 8; s; s /= 2) {
        unsigned rx = (u & s) > 0, ry = (v & s) > 0;
        d += s * s * (3 * rx ^ ry);
        if (!ry) {
            if (rx) {
                u = 15 - u;
                v = 15 - v;
            }
            unsigned t = u;
            u = v;
            v = t;
        }
    }
    hilbert[d] = at;
}
