// Knuth-Morris-Pratt: a table of failures in shared memory, a piece of the text for each thread.
extern "C" __global__ void kmp(const unsigned char *text, int length, const unsigned char *pattern, int size, unsigned *matches) {
    __shared__ int failure[64];
    if (threadIdx.x == 0) {
        failure[0] = 0;
        for (int i = 1, k = 0; i < size; i++) {
            while (k > 0 && pattern[i] != pattern[k]) k = failure[k - 1];
            if (pattern[i] == pattern[k]) k++;
            failure[i] = k;
        }
    }
    __syncthreads();
    int piece = (length + blockDim.x - 1) / blockDim.x;
    int start = threadIdx.x * piece, end = min(start + piece + size - 1, length);
    for (int i = start, k = 0; i < end; i++) {
        while (k > 0 && text[i] != pattern[k]) k = failure[k - 1];
        if (text[i] == pattern[k]) k++;
        if (k == size) {
            int at = i - size + 1;
            atomicOr(&matches[at / 32], 1u << at % 32);
            k = failure[k - 1];
        }
    }
}
