// The cosine transform of 8x8 blocks, with a table in constant memory that the module itself fills.
__constant__ float basis[8] = {0.5f, 0.490392640f, 0.461939766f, 0.415734806f, 0.353553391f, 0.277785117f, 0.191341716f, 0.0975451610f};
__device__ float cosine(int k, int i) {
    // cos((2i + 1) k pi / 16) / 2
    int angle = (2 * i + 1) * k % 32;
    if (angle > 16) angle = 32 - angle;
    return angle == 8 ? 0.0f : angle > 8 ? -basis[16 - angle] : basis[angle];
}
extern "C" __global__ void dct(const float *in, float *out) {
    __shared__ float block[8][8], rows[8][8];
    int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * 64;
    block[y][x] = in[base + y * 8 + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += block[y][i] * cosine(x, i);
    rows[y][x] = x ? sum : sum * 0.707106781f;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += rows[i][x] * cosine(y, i);
    out[base + y * 8 + x] = y ? sum : sum * 0.707106781f;
}
