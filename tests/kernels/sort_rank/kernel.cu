// Each element counts those before it; equal ones keep their order.
extern "C" __global__ void rank_sort(const double *in, double *out, int *places, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    double value = in[i];
    int rank = 0;
    for (int j = 0; j < count; j++) rank += in[j] < value || (in[j] == value && j < i);
    out[rank] = value;
    places[rank] = i;
}
