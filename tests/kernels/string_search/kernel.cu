// Every place where a pattern starts; the number of places is counted with an atomic.
extern "C" __global__ void search(const char *text, int length, const char *pattern, int size, unsigned char *found, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + size > length) return;
    int j = 0;
    while (j < size && text[i + j] == pattern[j]) j++;
    if (j == size) {
        found[i] = 1;
        atomicAdd(count, 1);
    }
}
