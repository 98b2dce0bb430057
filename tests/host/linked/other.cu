#include <cooperative_groups.h>
__device__ int other(int value) { return cooperative_groups::this_thread_block().num_threads() == 256 ? value : -1; }
