// Asynchronous copies from global to shared memory, from sm_80.
#pragma once

__WARPSMITH_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
#if __CUDA_ARCH__ >= 800
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    int read = (int)(size - zeros);
    if (size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(shared), "l"(from), "r"(read) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(shared), "l"(from), "r"(read) : "memory");
    else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(shared), "l"(from), "r"(read) : "memory");
#else
    for (size_t i = 0; i < size; ++i) ((char *)to)[i] = i < size - zeros ? ((const char *)from)[i] : 0;
#endif
}
__WARPSMITH_DEVICE void __pipeline_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
// The operand of the instruction is a number in the code: more groups than eight are as eight.
__WARPSMITH_DEVICE void __pipeline_wait_prior(size_t groups) {
#if __CUDA_ARCH__ >= 800
    switch (groups) {
    case 0: asm volatile("cp.async.wait_group 0;" : : : "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" : : : "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" : : : "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" : : : "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" : : : "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" : : : "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" : : : "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" : : : "memory"); break;
    default: asm volatile("cp.async.wait_group 8;" : : : "memory"); break;
    }
#endif
}
