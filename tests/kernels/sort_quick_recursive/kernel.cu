// Quicksort by recursion, one array per thread.
__device__ __noinline__ void quick(int *data, int low, int high) {
    if (low >= high) return;
    int pivot = data[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) i++;
        while (data[j] > pivot) j--;
        if (i <= j) {
            int t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    quick(data, low, j);
    quick(data, i, high);
}

extern "C" __global__ void sort(int *data, int length) { quick(data + threadIdx.x * length, 0, length - 1); }
