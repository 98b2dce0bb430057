// Nested loops with trip counts, breaks and continues that differ between the threads of a warp.
extern "C" __global__ void loops(const unsigned *in, unsigned *out) {
    unsigned v = in[threadIdx.x], sum = 0;
    for (unsigned i = 0; i < v % 13; i++) {
        if ((i ^ v) % 5 == 3) continue;
        for (unsigned j = i;; j += 2) {
            sum = sum * 31 + j;
            if (j > v % 17) break;
            if (sum % 11 == 0) goto out_of_both;
        }
    }
out_of_both:
    if (v & 1)
        sum ^= 0xffff;
    else if (v & 2)
        sum *= 3;
    out[threadIdx.x] = sum;
}
