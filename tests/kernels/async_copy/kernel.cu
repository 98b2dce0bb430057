// Tiles copied asynchronously, two in flight.
extern "C" __global__ void copy(const uint4 *in, uint4 *out, int tiles) {
    __shared__ uint4 tile[2][32];
    auto fetch = [&](int i) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&tile[i & 1][threadIdx.x]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i * 32 + threadIdx.x) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) {
            fetch(i + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else
            asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        uint4 v = tile[i & 1][31 - threadIdx.x];
        out[i * 32 + threadIdx.x] = make_uint4(v.w, v.z, v.y, v.x);
        __syncthreads();
    }
}
