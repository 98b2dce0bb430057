// PCG-XSH-RR with jumps ahead in logarithmic time.
extern "C" __global__ void pcg(unsigned *out, unsigned long long seed, unsigned long long stream) {
    unsigned long long increment = 2 * stream + 1, multiplier = 6364136223846793005ull;
    unsigned long long state = increment;
    state = (state + seed) * multiplier + increment;
    unsigned long long jump = threadIdx.x, factor = 1, term = 0, m = multiplier, p = increment;
    for (; jump; jump >>= 1) {
        if (jump & 1) {
            factor *= m;
            term = term * m + p;
        }
        p *= m + 1;
        m *= m;
    }
    state = state * factor + term;
    unsigned shifted = (unsigned)((state >> 18 ^ state) >> 27);
    out[threadIdx.x] = __funnelshift_r(shifted, shifted, (unsigned)(state >> 59));
}
