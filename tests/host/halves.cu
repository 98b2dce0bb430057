// Half precision on both sides: what the host makes of values is what the device makes of them.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

static const int VALUES = 4096;

template <class T> __host__ __device__ unsigned bits(T value) {
    unsigned long long word = 0;
    memcpy(&word, &value, sizeof value);
    return (unsigned)(word ^ word >> 32);
}
__host__ __device__ __half half_of(unsigned word) { return __half(__half_raw{(unsigned short)word}); }

// Results of a value and two others.
template <class Put> __host__ __device__ void all(unsigned i, Put put) {
    unsigned next = i * 2654435761u, other = next * 2654435761u;
    __half a = half_of(i * 16 + i % 16), b = half_of(next >> 16), c = half_of(other >> 16);
    put(bits(__half2short_rn(a)));
    put(bits(__half2short_rd(a)));
    put(bits(__half2ushort_ru(a)));
    put(bits(__half2int_rn(a)));
    put(bits(__half2int_rz(a)));
    put(bits(__half2uint_rd(a)));
    put(bits(__half2ll_ru(a)));
    put(bits(__half2ull_rz(a)));
    put(bits(__short2half_rn((short)next)));
    put(bits(__ushort2half_rz((unsigned short)next)));
    put(bits(__int2half_rn((int)next >> next % 32)));
    put(bits(__int2half_rd((int)next >> next % 32)));
    put(bits(__uint2half_ru(next >> next % 32)));
    put(bits(__ll2half_rz((long long)next << 20 >> other % 52)));
    put(bits(__ull2half_rn((unsigned long long)next << 32 >> other % 64)));
    float x = __half2float(a) * 1.0009f;
    put(bits(__float2half_rn(x)));
    put(bits(__float2half_rz(x)));
    put(bits(__float2half_rd(x)));
    put(bits(__float2half_ru(x)));
    put(bits(__double2half(1.0 + next * 0x1p-40)));
    put(bits(__hadd(a, b)));
    put(bits(__hsub(a, c)));
    put(bits(__hmul(a, b)));
    put(bits(__hadd_sat(b, c)));
    put(bits(__hfma(a, b, c)));
    put(bits(__hfma_sat(a, c, b)));
    put(bits(__hadd2(__half2(a, b), __half2(c, a))));
    put(bits(__hfma2(__half2(a, b), __half2(c, a), __half2(b, c))));
    put(__hisnan(a) ? 0 : bits(__hneg(a)) ^ bits(__habs(a)) << 16);
    put(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, c) << 3 | __hgt(a, c) << 4 | __hge(a, b) << 5);
    put(__hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 | __hleu(a, c) << 3 | __hgtu(a, c) << 4 | __hgeu(a, b) << 5);
    put(bits(__heq2(__half2(a, b), __half2(a, c))) ^ __hlt2_mask(__half2(a, b), __half2(c, c)));
    put(bits(a + b) ^ bits(a * c) << 16);
    put(bits(hfloor(a)) ^ bits(hrint(b)) << 16);
    put(bits(__half((int)next >> next % 32)) ^ bits(__half((unsigned short)other)) << 16);
    put(bits(__half(next * 0x1p-33)) ^ bits(__half((long long)next << 8)) << 16);
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
