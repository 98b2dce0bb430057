// A barrier object in shared memory: half of the threads produce, half consume.
extern "C" __global__ void stages(const int *in, int *out, int rounds) {
    __shared__ unsigned long long full, empty;
    __shared__ int slot[32];
    unsigned f = (unsigned)__cvta_generic_to_shared(&full), e = (unsigned)__cvta_generic_to_shared(&empty);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(f) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(e) : "memory");
    }
    __syncthreads();
    auto arrive = [](unsigned barrier) {
        asm volatile("{.reg .b64 s;\n\tmbarrier.arrive.shared.b64 s, [%0];}" ::"r"(barrier) : "memory");
    };
    auto wait = [](unsigned barrier, unsigned long long parity) {
        unsigned done;
        do {
            asm volatile("{.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(barrier), "r"((unsigned)parity)
                         : "memory");
        } while (!done);
    };
    int t = threadIdx.x % 32;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x < 32) {
            if (i) wait(e, (i - 1) & 1);
            slot[t] = in[i * 32 + t] * 2;
            arrive(f);
        } else {
            wait(f, i & 1);
            out[i * 32 + t] = slot[31 - t] + i;
            arrive(e);
        }
    }
}
