// Four 8x8 matrices loaded by ldmatrix, straight and transposed.
extern "C" __global__ void load(const unsigned short *in, unsigned *straight, unsigned *transposed) {
    __shared__ __align__(16) unsigned short tile[32 * 8];
    for (int i = 0; i < 8; i++) tile[threadIdx.x * 8 + i] = in[threadIdx.x * 8 + i];
    __syncwarp();
    unsigned address = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 8);
    unsigned r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    for (int i = 0; i < 4; i++) straight[threadIdx.x * 4 + i] = r[i];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    for (int i = 0; i < 4; i++) transposed[threadIdx.x * 4 + i] = r[i];
}
