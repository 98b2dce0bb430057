// What the device runtime gives cooperative groups of a grid. Its blocks wait for each other if the launch was a cooperative one: the driver then gives them a
// workspace, whose address is in two special registers and whose second word is a barrier. Every arrival adds 1, that of the first block as much more as turns the
// top bit when all have arrived; the others wait for that.

#pragma once
#include "common.cuh"

// The handle of the grid (scope 1) is the address of the workspace; 0: there is none.
FUNCTION unsigned long long cudaCGGetIntrinsicHandle(int scope) {
    unsigned low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    return scope == 1 ? (unsigned long long)high << 32 | low : 0;
}
FUNCTION int cudaCGSynchronize(unsigned long long handle, unsigned) {
    if (handle == 0) __trap();
    unsigned *barrier = (unsigned *)handle + 1;
    __syncthreads();
    if ((__nvvm_read_ptx_sreg_tid_x() | __nvvm_read_ptx_sreg_tid_y() | __nvvm_read_ptx_sreg_tid_z()) == 0) {
        unsigned blocks = __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_nctaid_z();
        bool is_first = (__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() | __nvvm_read_ptx_sreg_ctaid_z()) == 0;
        unsigned more = is_first ? 0x80000000u - (blocks - 1) : 1;
        unsigned before, now;
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(barrier), "r"(more) : "memory");
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
        } while ((int)(now ^ before) >= 0);
    }
    __syncthreads();
    return 0;
}
