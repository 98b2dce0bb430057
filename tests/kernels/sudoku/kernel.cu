// A puzzle of 4x4 cells solved by backtracking, another first guess for each thread.
extern "C" __global__ void sudoku(const unsigned char *puzzle, unsigned *solutions, unsigned char *first) {
    unsigned char cell[16], given[16];
    for (int i = 0; i < 16; i++) cell[i] = given[i] = puzzle[blockIdx.x * 16 + i];
    int start = 0;
    while (given[start]) start++;
    cell[start] = given[start] = threadIdx.x + 1;
    auto fits = [&](int at) {
        for (int i = 0; i < 16; i++)
            if (i != at && cell[i] == cell[at] && (i / 4 == at / 4 || i % 4 == at % 4 || (i / 8 == at / 8 && i % 4 / 2 == at % 4 / 2))) return false;
        return true;
    };
    unsigned count = 0;
    for (int at = fits(start) ? 0 : -1, way = 1; at >= 0; at += way) {
        if (at == 16) {
            if (count++ == 0)
                for (int i = 0; i < 16; i++) first[(blockIdx.x * 4 + threadIdx.x) * 16 + i] = cell[i];
            way = -1;
            continue;
        }
        if (given[at]) continue;
        way = -1;
        while (++cell[at] <= 4)
            if (fits(at)) {
                way = 1;
                break;
            }
        if (way < 0) cell[at] = 0;
    }
    solutions[blockIdx.x * 4 + threadIdx.x] = count;
}
