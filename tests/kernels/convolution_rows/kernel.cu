// A convolution along the rows of images with a filter of three elements: copies along W bring 128 pixels of a row of several images, one of zeros before and after each, and the two
// that follow, which the filter reaches: after them all (im2col::w), or after each 32 (im2col::w::128), where those of the four parts stand side by side. Last the pixels to the right,
// by the copy's offset.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};

// Pixels of 32 channels of 16 bits, swizzled by 64 bytes.
extern "C" __global__ void rows(const __grid_constant__ Map images, const short *filter, int *out, int row) {
    __shared__ __align__(1024) char pixels[3][136 * 64];
    __shared__ uint64_t barrier;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    unsigned thread = threadIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&barrier)), "r"((130 + 136 + 128) * 64) : "memory");
        // From the third pixel of image 1 on.
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {0, 2, %2, 1}], [%3], {%4, %5};" ::"r"(place(pixels[0])),
            "l"(&images), "r"(row), "r"(place(&barrier)), "h"((short)2), "h"((short)0) : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes [%0], [%1, {0, 2, %2, 1}], [%3], {%4, %5};" ::"r"(place(pixels[1])),
            "l"(&images), "r"(row), "r"(place(&barrier)), "h"((short)2), "h"((short)0) : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {0, 2, %2, 1}], [%3], {%4, %5};" ::"r"(place(pixels[2])),
            "l"(&images), "r"(row), "r"(place(&barrier)), "h"((short)0), "h"((short)1) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(place(&barrier)) : "memory");
    auto channel = [&](int buffer, unsigned pixel, unsigned index) {
        unsigned at = pixel * 64 + index * 2;
        return *(const short *)&pixels[buffer][at ^ (at >> 7 & 3) << 4];
    };
    int sums[3] = {};
    for (unsigned element = 0; element < 3; element++) {
        unsigned next = thread + element, group = thread / 32;
        // Beyond the 32 of the group stand the first of all groups, then the second.
        unsigned apart = next / 32 == group ? next : 128 + next % 32 * 4 + group;
        for (unsigned index = 0; index < 32; index++) {
            int factor = filter[element * 32 + index];
            sums[0] += channel(0, next, index) * factor;
            sums[1] += channel(1, apart, index) * factor;
        }
    }
    for (unsigned index = 0; index < 32; index++) sums[2] += channel(2, thread, index) * filter[index];
    for (int i = 0; i < 3; i++) out[i * 128 + thread] = sums[i];
}
