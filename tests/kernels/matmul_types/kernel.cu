// Products of matrices of several tiles by mma.sync: bf16, tf32 and s8 have their fragments in the same words. Two stages are copied in turn by cp.async.
struct Bf16 {
    using Sum = float;
    static __device__ void step(float (&s)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct Tf32 {
    using Sum = float;
    static __device__ void step(float (&s)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct S8 {
    using Sum = int;
    static __device__ void step(int (&s)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
// A of rows of so many words, B of columns of so many; a CTA has 16 rows and 32 columns of D, each of its four warps 8 of the columns.
template <class Type> __device__ void product(const unsigned *a, const unsigned *b, typename Type::Sum *d, int words, int columns) {
    __shared__ __align__(16) unsigned left[2][16][20], right[2][32][20];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 32;
    auto copy = [](unsigned *to, const unsigned *from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
    };
    auto load = [&](int round) {
        int line = threadIdx.x / 4, part = threadIdx.x % 4 * 4, at = round * 16 + part;
        if (line < 16) copy(&left[round % 2][line][part], a + (row + line) * words + at);
        copy(&right[round % 2][line][part], b + (column + line) * words + at);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    typename Type::Sum sum[4] = {};
    int rounds = words / 16;
    load(0);
    for (int round = 0; round < rounds; round++) {
        if (round + 1 < rounds) {
            load(round + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        for (int step = 0; step < 2; step++) {
            unsigned x[4], y[2];
            for (int i = 0; i < 4; i++) x[i] = left[round % 2][group + i % 2 * 8][step * 8 + i / 2 * 4 + member];
            for (int i = 0; i < 2; i++) y[i] = right[round % 2][warp * 8 + group][step * 8 + i * 4 + member];
            Type::step(sum, x, y);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) d[(row + group + i / 2 * 8) * columns + column + warp * 8 + member * 2 + i % 2] = sum[i];
}
extern "C" __global__ void bf16(const unsigned *a, const unsigned *b, float *d, int words, int columns) { product<Bf16>(a, b, d, words, columns); }
extern "C" __global__ void tf32(const unsigned *a, const unsigned *b, float *d, int words, int columns) { product<Tf32>(a, b, d, words, columns); }
extern "C" __global__ void s8(const unsigned *a, const unsigned *b, int *d, int words, int columns) { product<S8>(a, b, d, words, columns); }
