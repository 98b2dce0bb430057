// One thread of a warp elected, for all and for some.
extern "C" __global__ void elect(unsigned *out) {
    unsigned chosen, leader;
    asm volatile("{.reg .pred p;\n\telect.sync %0|p, 0xffffffff;\n\tselp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(chosen));
    out[threadIdx.x] = chosen ? 100 + leader : leader + 1;
    // Which thread is elected is not said, only that it is one of the members.
    unsigned count = __popc(__ballot_sync(~0u, chosen));
    if (threadIdx.x == 0) out[32] = count;
}
