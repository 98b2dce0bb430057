// Every atomic operation on 32 and 64 bits in global memory, and on shared memory.
extern "C" __global__ void atomics(unsigned *a, unsigned long long *b, int *signed_ones, unsigned *shared_out) {
    __shared__ unsigned s[4];
    unsigned i = threadIdx.x;
    if (i < 4) s[i] = i == 1 ? 0xffffffff : 0;
    __syncthreads();
    atomicAdd(&a[0], i);
    atomicSub(&a[1], i);
    atomicMin(&a[2], i * 7919 % 1000);
    atomicMax(&a[3], i * 7919 % 1000);
    atomicInc(&a[4], 10);
    atomicDec(&a[5], 10);
    atomicAnd(&a[6], ~(1u << i % 31));
    atomicOr(&a[7], 1u << i % 7);
    atomicXor(&a[8], i * 0x9e3779b9u);
    unsigned old = a[9], seen;
    do {
        seen = old;
        old = atomicCAS(&a[9], seen, seen + 3);
    } while (old != seen);
    atomicAdd(&b[0], (unsigned long long)i << 33);
    atomicMin(&b[1], 0x100000000ull - i);
    atomicMax(&b[2], (unsigned long long)i << 40);
    atomicAnd(&b[3], ~(1ull << i % 64));
    atomicOr(&b[4], 1ull << i % 61);
    atomicXor(&b[5], 0x123456789abcdefull * i);
    atomicMin(&signed_ones[0], 50 - (int)i);
    atomicMax(&signed_ones[1], (int)i - 200);
    atomicAdd(&s[0], 1);
    atomicAnd(&s[1], ~(1u << i % 3));
    atomicMax(&s[2], i);
    atomicExch(&s[3], 77);
    __syncthreads();
    if (i < 4) shared_out[i] = s[i];
}
