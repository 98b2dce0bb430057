// Locks and waits: in each kernel threads of one warp wait for what others of them do. All end with out[0] as `tests/progress.rs` says, whatever a thread that waits does meanwhile.
__device__ int word[2];
__device__ unsigned long long wide;
__device__ int next, now;
__device__ volatile int mail[32];

__device__ void add(int *out) {
    __threadfence();
    volatile int *shared = out;
    shared[0] = shared[0] + 1;
    __threadfence();
}

#define KERNEL(name) extern "C" __global__ void name(int *out, int one)

KERNEL(compare_and_swap) { while (atomicCAS(&word[0], 0, 1) != 0); add(out); atomicExch(&word[0], 0); }
KERNEL(exchange) { while (atomicExch(&word[0], 1) != 0); add(out); atomicExch(&word[0], 0); }
KERNEL(test_and_set) { while (atomicOr(&word[0], 1) & 1); add(out); atomicAnd(&word[0], ~1); }
KERNEL(look_then_set) {
    for (;;) {
        while (*(volatile int *)&word[0]);
        if (atomicCAS(&word[0], 0, 1) == 0) break;
    }
    add(out);
    atomicExch(&word[0], 0);
}
KERNEL(tickets) { int own = atomicAdd(&next, 1); while (*(volatile int *)&now != own); add(out); atomicAdd(&now, 1); }
KERNEL(tickets_by_atomics) { int own = atomicAdd(&next, 1); while (atomicAdd(&now, 0) != own); add(out); atomicAdd(&now, 1); }
KERNEL(done_flag) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&word[0], 0, 1) == 0) { add(out); atomicExch(&word[0], 0); done = true; }
    }
}
KERNEL(flag) {
    if (threadIdx.x == one * 3) { add(out); *(volatile int *)&word[0] = 1; }
    else { while (*(volatile int *)&word[0] == 0); atomicAdd(out, 1); }
}
KERNEL(flag_in_shared_memory) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == one * 3) { add(out); ready = 1; } else { while (ready == 0); atomicAdd(out, 1); }
}
KERNEL(acquire) {
    if (threadIdx.x == one * 3) {
        add(out);
        asm volatile("st.release.gpu.u32 [%0], 1;" :: "l"(&word[0]) : "memory");
    } else {
        int seen;
        do { asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&word[0]) : "memory"); } while (!seen);
        atomicAdd(out, 1);
    }
}
KERNEL(lock_in_shared_memory) {
    __shared__ int lock;
    if (threadIdx.x == 0) lock = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0);
    add(out);
    atomicExch(&lock, 0);
}
KERNEL(two_locks) {
    while (atomicCAS(&word[0], 0, 1) != 0);
    while (atomicCAS(&word[1], 0, 1) != 0);
    add(out);
    atomicExch(&word[1], 0);
    atomicExch(&word[0], 0);
}
KERNEL(scopes) {
    while (atomicCAS_system(&word[0], 0, 1) != 0);
    while (atomicCAS_block(&word[1], 0, 1) != 0);
    add(out);
    atomicExch_block(&word[1], 0);
    atomicExch_system(&word[0], 0);
}
KERNEL(wide_lock) { while (atomicCAS(&wide, 0ull, 1ull) != 0); add(out); atomicExch(&wide, 0ull); }
KERNEL(sleeping) { while (atomicCAS(&word[0], 0, 1) != 0) __nanosleep(20); add(out); atomicExch(&word[0], 0); }
KERNEL(lock_by_pointer) {
    int *locks[2] = {&word[0], &word[1]};
    int **lock = locks + (one & 1);
    while (atomicCAS(*lock, 0, 1) != 0);
    add(out);
    atomicExch(*lock, 0);
}
KERNEL(result_in_an_array) {
    int results[2];
    int at = one & 1;
    do { results[at] = atomicCAS(&word[0], 0, 1); } while (results[at] != 0);
    add(out);
    atomicExch(&word[0], 0);
}
KERNEL(mailboxes) {
    int me = threadIdx.x;
    if (me < 4) {
        for (int i = 0; i < 2; i++) { while (mail[me] != 0); mail[me] = i + 1; }
    } else if (me < 8) {
        for (int i = 0; i < 2; i++) { while (mail[me - 4] == 0); atomicAdd(out, mail[me - 4]); mail[me - 4] = 0; }
    }
}

__device__ __noinline__ bool try_lock(int *lock) { return atomicCAS(lock, 0, 1) == 0; }
__device__ __noinline__ bool try_if(int *lock, int enabled) { return enabled ? atomicCAS(lock, 0, 1) == 0 : true; }
__device__ __noinline__ void try_into(int *lock, int *result) { *result = atomicCAS(lock, 0, 1); }
__device__ __noinline__ int look(volatile int *flag) { return *flag; }
__device__ __noinline__ int steps(int *lock, int depth) { return depth ? steps(lock, depth - 1) : atomicCAS(lock, 0, 1); }
__device__ __noinline__ void wait_for(int *lock) { while (!try_lock(lock)); }
__device__ __noinline__ void give(int *lock) { __threadfence(); atomicExch(lock, 0); }
__device__ __noinline__ int other(int *lock) { return atomicExch(lock, 1); }
__device__ __noinline__ int plain(int *lock) { return atomicCAS(lock, 0, 1); }
template <class Test> __device__ __noinline__ void until(Test test) { while (!test()); }
struct Lock {
    int *lock;
    __device__ virtual int take() { return 1; }
};
struct Taken : Lock {
    __device__ int take() override { return atomicCAS(lock, 0, 1); }
};

KERNEL(in_a_function) { while (!try_lock(&word[0])); add(out); atomicExch(&word[0], 0); }
KERNEL(in_a_function_at_times) { while (!try_if(&word[0], one)); add(out); atomicExch(&word[0], 0); }
KERNEL(result_by_pointer) { int result; do try_into(&word[0], &result); while (result != 0); add(out); atomicExch(&word[0], 0); }
KERNEL(flag_in_a_function) {
    if (threadIdx.x == one * 3) { add(out); *(volatile int *)&word[0] = 1; }
    else { while (look(&word[0]) == 0); atomicAdd(out, 1); }
}
KERNEL(recursive) { while (steps(&word[0], one + 1) != 0); add(out); atomicExch(&word[0], 0); }
KERNEL(loop_in_a_function) { wait_for(&word[0]); add(out); give(&word[0]); }
KERNEL(lambda) { until([] { return atomicCAS(&word[0], 0, 1) == 0; }); add(out); atomicExch(&word[0], 0); }
KERNEL(by_address) {
    int (*take)(int *) = one ? plain : other;
    while (take(&word[0]) != 0);
    add(out);
    atomicExch(&word[0], 0);
}
KERNEL(virtual_function) {
    Lock none;
    Taken some;
    none.lock = some.lock = &word[0];
    Lock *lock = one ? (Lock *)&some : &none;
    while (lock->take() != 0);
    add(out);
    atomicExch(&word[0], 0);
}
