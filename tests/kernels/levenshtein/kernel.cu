// Edit distance by diagonals in shared memory.
extern "C" __global__ void levenshtein(const char *a, int n, const char *b, int m, int *out) {
    __shared__ int rows[3][65];
    int t = threadIdx.x;
    for (int d = 0; d <= n + m; d++) {
        int i = t, j = d - t;
        if (i <= n && j >= 0 && j <= m) {
            int *now = rows[d % 3], *last = rows[(d + 2) % 3], *before = rows[(d + 1) % 3];
            if (i == 0 || j == 0)
                now[i] = i + j;
            else
                now[i] = min(min(last[i] + 1, last[i - 1] + 1), before[i - 1] + (a[i - 1] != b[j - 1]));
            if (i == n && j == m) *out = now[i];
        }
        __syncthreads();
    }
}
