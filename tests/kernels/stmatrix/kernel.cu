// Matrices stored by stmatrix, straight and transposed.
extern "C" __global__ void store(unsigned short *out) {
    __shared__ alignas(16) unsigned short tile[2][4][64];
    unsigned lane = threadIdx.x, r[4];
    for (int i = 0; i < 4; i++) r[i] = (lane * 2 + 64 * i) | (lane * 2 + 1 + 64 * i) << 16;
    unsigned a = (unsigned)__cvta_generic_to_shared(&tile[0][lane / 8][lane % 8 * 8]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a + 512), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
    __syncwarp();
    for (int i = lane; i < 512; i += 32) out[i] = ((unsigned short *)tile)[i];
}
