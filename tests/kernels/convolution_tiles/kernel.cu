// A convolution of bytes as a product of matrices: pixels in rows, the 3 by 3 by 16 values around each in columns, gathered while they are multiplied.
constexpr int CHANNELS = 16, FILTERS = 16;

extern "C" __global__ void convolve(const signed char *image, const signed char *filter, int *out, int height, int width) {
    __shared__ __align__(16) signed char weights[FILTERS][160];
    int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
    for (int i = threadIdx.x; i < FILTERS * 160; i += blockDim.x) weights[i / 160][i % 160] = i % 160 < 144 ? filter[i / 160 * 144 + i % 160] : 0;
    __syncthreads();
    int first = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    int sum[FILTERS / 8][4] = {};
    for (int step = 0; step < 160; step += 32) {
        unsigned a[4];
        for (int i = 0; i < 4; i++) {
            int pixel = first + group + (i & 1) * 8, depth = step + (i >> 1) * 16 + member * 4;
            int tap = depth / CHANNELS, y = pixel / width + tap / 3 - 1, x = pixel % width + tap % 3 - 1;
            bool inside = tap < 9 && y >= 0 && y < height && x >= 0 && x < width;
            a[i] = inside ? *(const unsigned *)(image + (y * width + x) * CHANNELS + depth % CHANNELS) : 0;
        }
        for (int part = 0; part < FILTERS / 8; part++) {
            const unsigned *b = (const unsigned *)&weights[part * 8 + group][step + member * 4];
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+r"(sum[part][0]), "+r"(sum[part][1]), "+r"(sum[part][2]), "+r"(sum[part][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[4]));
        }
    }
    for (int part = 0; part < FILTERS / 8; part++)
        for (int i = 0; i < 4; i++) {
            int pixel = first + group + (i >> 1) * 8;
            if (pixel < height * width) out[pixel * FILTERS + part * 8 + member * 2 + (i & 1)] = sum[part][i];
        }
}
