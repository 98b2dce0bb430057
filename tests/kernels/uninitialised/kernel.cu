// A sum over a buffer that nobody filled.
extern "C" __global__ void sum(const int *in, int *out) { *out = in[0] + in[1]; }
