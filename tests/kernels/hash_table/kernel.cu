// A hash table with open addressing: insertions by compare-and-swap, counts of equal keys, look-ups.
extern "C" __global__ void insert(const unsigned *keys, int count, unsigned *table, unsigned *counts, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned key = keys[i] + 1, slot = key * 2654435769u >> 16 & mask;
    for (;;) {
        unsigned old = atomicCAS(&table[slot], 0, key);
        if (old == 0 || old == key) break;
        slot = slot + 1 & mask;
    }
    atomicAdd(&counts[slot], 1);
}
extern "C" __global__ void look_up(const unsigned *table, const unsigned *counts, unsigned mask, unsigned *found) {
    unsigned key = threadIdx.x + 1, slot = key * 2654435769u >> 16 & mask;
    while (table[slot] != 0 && table[slot] != key) slot = slot + 1 & mask;
    found[threadIdx.x] = table[slot] == key ? counts[slot] : 0;
}
