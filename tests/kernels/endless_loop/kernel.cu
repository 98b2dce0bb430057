// A loop that never ends is stopped by the budget.
extern "C" __global__ void wait(volatile int *flag) {
    while (*flag == 0) {}
}
