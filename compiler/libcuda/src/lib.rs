//! The CUDA driver API on the emulator, as a library that stands in for `libcuda.so.1`, and what programs compiled by nvcc with `-cudart shared`
//! need of the runtime API, for `libcudart.so.13`.
//!
//! **What enters**: calls by a program that has no GPU: cubins, fatbins or PTX (compiled by Warpsmith), memory, launches, tensor maps.
//! **What leaves**: memory as the kernels left it, or an error code; what a kernel did wrong is printed on standard error, with the instruction,
//! its line, and the thread.
//!
//! A program finds it under the names that it looks for:
//!
//! ```text
//! cargo build --release -p warpsmith-libcuda
//! ln -s target/release/libwarpsmith_libcuda.so libcuda.so.1
//! ln -s target/release/libwarpsmith_libcuda.so libcudart.so.13
//! LD_LIBRARY_PATH=. warpsmith run launch.toml --on gpu
//! ```
//!
//! # Settings
//!
//! | variable | what | without it |
//! |---|---|---|
//! | `WARPSMITH_GPU` | the target that the one device is, such as `sm_100a` | `sm_90a` |
//! | `WARPSMITH_GPU_SMS` | its multiprocessors, which persistent kernels ask for | 8 |
//! | `WARPSMITH_GPU_CHECK` | what is looked for, a list of `hazards`, `registers`, `uninitialised` | nothing |
//! | `WARPSMITH_GPU_SEED` | chooses how warps and CTAs interleave | 0 |
//! | `WARPSMITH_GPU_THREADS` | host threads that run CTAs; 0: all cores | 0 |
//! | `WARPSMITH_GPU_STEPS` | instructions of warps after which a launch ends, and tells where each warp is | 10,000,000,000 |
//! | `CUDA_FORCE_PTX_JIT` | `1`: of fatbins PTX alone is taken, as by the real driver | |
//! | `WARPSMITH_GPU_TRACE` | `1`: each launch is shown on standard error | |
//!
//! # Differences from a GPU
//!
//! * Everything is done when its call returns: streams and events are there, and have nothing to wait for. Events measure no time.
//! * A fault is told by the launch, not by a later call, and the context goes on.
//! * Memory of the host that is registered ([`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/)) is at the same address for
//!   kernels, and is copied around each launch: what the host changes during one is not seen.
//! * Functions that are not there are found missing by `cuGetProcAddress` and the linker. Textures, graphs, memory pools, managed memory
//!   and several devices are among them.
//!
//! **Invariants**: no image and no launch panics; a panic of the emulator would be `CUDA_ERROR_UNKNOWN`, as no unwinding crosses the C interface.
//!
//! **Where to start**: `state`, the device as safe code; `driver` and `runtime` have the exported functions, `interface` what reads and writes their
//! arguments.

mod driver;
mod image;
mod interface;
mod runtime;
mod state;
