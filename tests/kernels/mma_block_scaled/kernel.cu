// Four-bit matrices with a scale of eight bits for every 16 elements: 16x8 of depth 128.
extern "C" __global__ void multiply(const unsigned *a, const unsigned *b, const unsigned *scale_a, const unsigned *scale_b, float *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    float r[4] = {};
    // Rows of A and columns of B have 128 elements, 16 words; their scales are 8 bytes, two words.
    for (int k = 0; k < 2; k++) {
        unsigned left[4], right[2];
        for (int i = 0; i < 4; i++) left[i] = a[(group + i % 2 * 8) * 16 + k * 8 + i / 2 * 4 + member];
        for (int i = 0; i < 2; i++) right[i] = b[group * 16 + k * 8 + i * 4 + member];
        unsigned sa = scale_a[(group + member % 2 * 8) * 2 + k], sb = scale_b[group * 2 + k];
        asm("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0, 0}, {%11}, {0, 0};"
            : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]), "r"(sa), "r"(sb));
    }
    float *out = d + group * 8 + member * 2;
    out[0] = r[0];
    out[1] = r[1];
    out[64] = r[2];
    out[65] = r[3];
}
