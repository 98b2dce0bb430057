// A ticket lock with acquire and release, held by each thread in turn, without a warp's help.
__device__ unsigned next_ticket, serving;
extern "C" __global__ void tickets(unsigned *order, unsigned *count) {
    unsigned own = atomicAdd(&next_ticket, 1), now;
    do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&serving) : "memory");
    } while (now != own);
    unsigned at = *count;
    order[at] = own;
    *count = at + 1;
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&serving), "r"(own + 1) : "memory");
}
