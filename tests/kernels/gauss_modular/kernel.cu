// Determinants modulo a prime by Gaussian elimination in local arrays, one matrix for each thread.
__device__ unsigned power(unsigned base, unsigned exponent, unsigned prime) {
    unsigned long long result = 1, square = base;
    for (; exponent; exponent >>= 1, square = square * square % prime)
        if (exponent & 1) result = result * square % prime;
    return (unsigned)result;
}

extern "C" __global__ void determinant(const unsigned *matrices, unsigned *out, unsigned prime) {
    unsigned m[6][6];
    for (int i = 0; i < 36; i++) m[i / 6][i % 6] = matrices[threadIdx.x * 36 + i] % prime;
    unsigned long long det = 1;
    for (int column = 0; column < 6; column++) {
        int pivot = column;
        while (pivot < 6 && m[pivot][column] == 0) pivot++;
        if (pivot == 6) {
            det = 0;
            break;
        }
        if (pivot != column) {
            for (int i = 0; i < 6; i++) {
                unsigned t = m[pivot][i];
                m[pivot][i] = m[column][i];
                m[column][i] = t;
            }
            det = prime - det;
        }
        det = det * m[column][column] % prime;
        unsigned long long inverse = power(m[column][column], prime - 2, prime);
        for (int row = column + 1; row < 6; row++) {
            unsigned long long factor = m[row][column] * inverse % prime;
            for (int i = column; i < 6; i++) m[row][i] = (unsigned)((m[row][i] + (prime - factor) * m[column][i]) % prime);
        }
    }
    out[threadIdx.x] = (unsigned)(det % prime);
}
