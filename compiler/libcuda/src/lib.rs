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
//! | `WARPSMITH_GPU_STRICT` | `1`: reading behind an allocation or shared memory is a fault from the first byte on | a GPU's units: 512 bytes of an allocation, 128 or 256 of shared memory, may be read; writing is a fault always |
//! | `WARPSMITH_GPU_CHECK` | what is looked for, a list of `hazards`, `registers`, `uninitialised` | nothing |
//! | `WARPSMITH_GPU_SEED` | chooses how warps and CTAs interleave | 0 |
//! | `WARPSMITH_GPU_THREADS` | host threads that run CTAs; 0: all cores | 0 |
//! | `WARPSMITH_GPU_STEPS` | instructions of warps after which a launch ends, and tells where each warp is | 10,000,000,000 |
//! | `CUDA_FORCE_PTX_JIT` | `1`: of fatbins PTX alone is taken, as by the real driver | |
//! | `WARPSMITH_GPU_TRACE` | `1`: each launch is shown on standard error | |
//! | `CUDA_LAUNCH_BLOCKING` | `1`: a launch gives the fault of its kernel itself | the calls behind it give it |
//!
//! # Faults
//!
//! What a kernel does wrong is on standard error at once, and every later call of its context gives CUDA's code for it: 700 an address, 716 an
//! alignment, 717 an address space, 719 shared memory, `trap` and what [`WARPSMITH_GPU_CHECK`](#settings) finds, 710 `assert`, 714 the stack, 715 an
//! instruction, 718 the end of the code, 702 a spent number of instructions or a deadlock. `cudaDeviceReset` and a new context begin again.
//!
//! # Differences from a GPU
//!
//! * Everything is done when its call returns: streams and events are there, and have nothing to wait for. Events measure the host's time.
//! * Memory of the host that kernels share (`cudaMallocHost`, `cudaMallocManaged`, `cudaHostRegister`, `__managed__`) is one memory for both, at one
//!   address, at any time.
//! * Device attributes are those of a product of the target (`ir-defs/client/device.tbl`), but for the multiprocessors; what is not done is not announced.
//! * Every function of `libcuda.so.1` and `libcudart.so.13` is there (`ir-defs/client/functions.tbl`). Those that are not done give 801, say their name
//!   once, and are not found by `cuGetProcAddress`. Texture references, linking of cubins and several devices are
//!   among them, and `cuGetExportTable`, which programs with a static runtime (nvcc's default) ask first: link with `-cudart shared`.
//! * Textures and surfaces do what `emu::texture` says. A view shows all of an array; anisotropy and cubes without seams are not there.
//! * Graphs run node by node in an order that their edges allow. Memory of allocation nodes is there from when the node is made until the context ends, whoever
//!   frees it.
//!
//! **Invariants**: no image and no launch panics, or takes memory by what an image claims; a panic of the emulator would be `CUDA_ERROR_UNKNOWN`, as no
//! unwinding crosses the C interface.
//!
//! **Where to start**: `state`, the device as safe code; `driver` and `runtime` have the exported functions, `interface` what reads and writes their
//! arguments, `memory` what copies do.

mod device;
mod driver;
mod exports;
mod image;
mod interface;
mod library;
mod memory;
mod refused;
mod result;
mod runtime;
mod state;
