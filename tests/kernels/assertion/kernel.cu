// An assertion that fails for one thread.
#include <cassert>
extern "C" __global__ void check(const int *in) {
    assert(in[threadIdx.x] != 20);
}
