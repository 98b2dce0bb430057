// One pass of a merge sort: each element finds its place by binary search in the other run.
extern "C" __global__ void merge_pass(const unsigned long long *in, unsigned long long *out, int run) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = i / (2 * run) * (2 * run), own = i - pair;
    bool second = own >= run;
    const unsigned long long *other = in + pair + (second ? 0 : run);
    unsigned long long value = in[i];
    int low = 0, high = run;
    while (low < high) {
        int middle = (low + high) / 2;
        if (second ? other[middle] <= value : other[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    out[pair + low + (second ? own - run : own)] = value;
}
