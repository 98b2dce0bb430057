// Reductions of a warp in one instruction, over all threads and over some.
extern "C" __global__ void redux(const unsigned *data, unsigned *out) {
    unsigned value = data[threadIdx.x];
    unsigned lane = threadIdx.x;
    unsigned *to = out + lane * 8;
    to[0] = __reduce_add_sync(0xffffffff, value);
    to[1] = __reduce_min_sync(0xffffffff, value);
    to[2] = __reduce_max_sync(0xffffffff, value);
    to[3] = __reduce_and_sync(0xffffffff, value | 0xf0000000);
    to[4] = __reduce_or_sync(0xffffffff, value & 0x00ff00ff);
    to[5] = __reduce_xor_sync(0xffffffff, value);
    to[6] = __reduce_min_sync(0xffffffff, (int)value);
    to[7] = 0;
    if (lane % 3 == 0) to[7] = __reduce_max_sync(0x49249249, (int)value);
}
