// bfloat16 on both sides: what the host makes of values is what the device makes of them.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>

static const int VALUES = 4096;

template <class T> __host__ __device__ unsigned bits(T value) {
    unsigned long long word = 0;
    memcpy(&word, &value, sizeof value);
    return (unsigned)(word ^ word >> 32);
}
__host__ __device__ __nv_bfloat16 bfloat_of(unsigned word) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)word}); }

// Results of a value and two others.
template <class Put> __host__ __device__ void all(unsigned i, Put put) {
    unsigned next = i * 2654435761u, other = next * 2654435761u;
    __nv_bfloat16 a = bfloat_of(i * 16 + i % 16), b = bfloat_of(next >> 16), c = bfloat_of(other >> 16);
    put(bits(__bfloat162short_rn(a)));
    put(bits(__bfloat162short_rd(a)));
    put(bits(__bfloat162ushort_ru(a)));
    put(bits(__bfloat162int_rn(a)));
    put(bits(__bfloat162int_rz(a)));
    put(bits(__bfloat162uint_rd(a)));
    put(bits(__bfloat162ll_ru(a)));
    put(bits(__bfloat162ull_rz(a)));
    put(bits(__short2bfloat16_rn((short)next)));
    put(bits(__ushort2bfloat16_rz((unsigned short)next)));
    put(bits(__int2bfloat16_rn((int)next >> next % 32)));
    put(bits(__int2bfloat16_rd((int)next >> next % 32)));
    put(bits(__uint2bfloat16_ru(next >> next % 32)));
    put(bits(__ll2bfloat16_rz((long long)next << 20 >> other % 52)));
    put(bits(__ull2bfloat16_rn((unsigned long long)next << 32 >> other % 64)));
    float x = __bfloat162float(a) * 1.0009f;
    put(bits(__float2bfloat16_rn(x)));
    put(bits(__float2bfloat16_rz(x)));
    put(bits(__float2bfloat16_rd(x)));
    put(bits(__float2bfloat16_ru(x)));
    put(bits(__double2bfloat16(1.0 + next * 0x1p-40)));
    put(bits(__hadd(a, b)));
    put(bits(__hsub(a, c)));
    put(bits(__hmul(a, b)));
    put(bits(__hadd_sat(b, c)));
    put(bits(__hfma(a, b, c)));
    put(bits(__hfma_sat(a, c, b)));
    put(bits(__hadd2(__nv_bfloat162(a, b), __nv_bfloat162(c, a))));
    put(bits(__hfma2(__nv_bfloat162(a, b), __nv_bfloat162(c, a), __nv_bfloat162(b, c))));
    put(__hisnan(a) ? 0 : bits(__hneg(a)) ^ bits(__habs(a)) << 16);
    put(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, c) << 3 | __hgt(a, c) << 4 | __hge(a, b) << 5);
    put(__hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 | __hleu(a, c) << 3 | __hgtu(a, c) << 4 | __hgeu(a, b) << 5);
    put(bits(__heq2(__nv_bfloat162(a, b), __nv_bfloat162(a, c))) ^ __hlt2_mask(__nv_bfloat162(a, b), __nv_bfloat162(c, c)));
    put(bits(a + b) ^ bits(a * c) << 16);
    put(bits(hfloor(a)) ^ bits(hrint(b)) << 16);
    put(bits(__nv_bfloat16((int)next >> next % 32)) ^ bits(__nv_bfloat16((unsigned short)other)) << 16);
    put(bits(__nv_bfloat16(next * 0x1p-33)) ^ bits(__nv_bfloat16((long long)next << 8)) << 16);
    put(bits((int)a) ^ bits((unsigned short)b) << 16);
}
static const int RESULTS = 37;

__global__ void on_device(unsigned *results) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, *at = results + i * RESULTS;
    all(i, [&](unsigned result) { *at++ = result; });
}

int main() {
    unsigned *results;
    cudaMallocManaged(&results, VALUES * RESULTS * sizeof(unsigned));
    on_device<<<VALUES / 256, 256>>>(results);
    int error = cudaDeviceSynchronize(), differ[RESULTS] = {}, total = 0;
    for (int i = 0; i < VALUES; ++i) {
        int number = 0;
        all(i, [&](unsigned result) {
            differ[number] += result != results[i * RESULTS + number];
            ++number;
        });
    }
    for (int i = 0; i < RESULTS; ++i) {
        if (differ[i]) std::printf("result %d differs %d times\n", i, differ[i]);
        total += differ[i];
    }
    std::printf("%d %d\n", error, total);
}
