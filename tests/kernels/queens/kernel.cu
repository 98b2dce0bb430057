// Ways to place queens: backtracking with bit masks and an own stack; each thread starts with another first row.
extern "C" __global__ void queens(int n, unsigned *ways) {
    unsigned columns[12], left[12], right[12], open[12], all = (1u << n) - 1, count = 0;
    int row = 1;
    unsigned first = 1u << threadIdx.x;
    columns[1] = first;
    left[1] = first << 1;
    right[1] = first >> 1;
    open[1] = all & ~(columns[1] | left[1] | right[1]);
    while (row > 0) {
        if (open[row] == 0) {
            row--;
            continue;
        }
        unsigned bit = open[row] & -open[row];
        open[row] ^= bit;
        if (row == n - 1) {
            count++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    ways[threadIdx.x] = count;
    atomicAdd(&ways[n], count);
}
