// A vector load from an address that is no multiple of 16.
extern "C" __global__ void load(const uint4 *in, uint4 *out) { out[threadIdx.x] = in[threadIdx.x]; }
