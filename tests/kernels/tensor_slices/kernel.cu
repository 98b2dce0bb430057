// Tensors whose channels are interleaved in slices of 16 or 32 bytes (NC/8HWC8, NC/16HWC16), copied slice by slice: to a tensor with the channels of a pixel side by side, and, each
// number doubled, to another of the same kind. Of what is beyond the edges there are zeros, and nothing is written there. Last the pixels under an element of a filter.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// A CTA takes the boxes of 4 by 2 pixels that start at (-1, 0), (3, 0), (-1, 2) … of a slice (y) of an image (z). SLICE: 16 or 32 bytes.
template <int SLICE> __device__ void slices(const Map &from, const Map &to, unsigned short *flat, int width, int height) {
    __shared__ __align__(256) char tile[8 * SLICE];
    __shared__ uint64_t barrier;
    const int channels = SLICE / 2;
    int thread = threadIdx.x, slice = blockIdx.y, image = blockIdx.z, parity = 0;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int top = 0; top < height; top += 2)
        for (int left = -1; left < width; left += 4) {
            if (thread == 0) {
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&barrier)), "r"(8 * SLICE) : "memory");
                asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(place(tile)), "l"(&from), "r"(left),
                    "r"(top), "r"(slice), "r"(image), "r"(place(&barrier)) : "memory");
            }
            asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(&barrier)), "r"(parity) : "memory");
            parity ^= 1;
            int pixel = thread / channels, channel = thread % channels, x = left + pixel % 4, y = top + pixel / 4;
            unsigned at = thread * 2;
            // Slices of 32 bytes have their halves exchanged in every other 128 bytes.
            if (SLICE == 32) at ^= (at >> 7 & 1) << 4;
            unsigned short *here = (unsigned short *)(tile + at);
            if (x >= 0 && x < width && y < height) flat[((image * height + y) * width + x) * (gridDim.y * channels) + slice * channels + channel] = *here;
            *here *= 2;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            if (thread == 0 && left >= 0) {
                asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&to), "r"(left), "r"(top), "r"(slice), "r"(image),
                    "r"(place(tile)) : "memory");
                asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
            }
            __syncthreads();
        }
}
extern "C" __global__ void slices_16(const __grid_constant__ Map from, const __grid_constant__ Map to, unsigned short *flat, int width, int height) {
    slices<16>(from, to, flat, width, height);
}
extern "C" __global__ void slices_32(const __grid_constant__ Map from, const __grid_constant__ Map to, unsigned short *flat, int width, int height) {
    slices<32>(from, to, flat, width, height);
}

// 24 pixels of slice 1, from (1, 0) of the first image on, each at the element (1, 2) of a filter.
extern "C" __global__ void filtered(const __grid_constant__ Map from, unsigned short *out) {
    __shared__ __align__(128) unsigned short tile[24 * 8];
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&barrier)), "r"(24 * 16) : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {1, 0, 1, 0}], [%2], {%3, %4};" ::"r"(place(tile)), "l"(&from),
            "r"(place(&barrier)), "h"((short)1), "h"((short)2) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(place(&barrier)) : "memory");
    out[thread] = tile[thread];
}
