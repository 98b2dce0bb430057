//! C libraries in the shapes of NVIDIA's compiler libraries: programs that load these use Warpsmith, unchanged.
//!
//! **What enters**: calls of C functions, with a program's text, options and buffers. **What leaves**: the vendor's result codes, logs in the vendor's
//! form, PTX and cubins in the caller's buffers.
//!
//! | module | library | file |
//! |---|---|---|
//! | [`nvrtc`] | NVRTC | `libnvrtc.so.13` |
//! | [`nvvm`] | libNVVM | `libnvvm.so.4` |
//! | [`nvjitlink`] | nvJitLink | `libnvJitLink.so.13` |
//! | [`ptx_compiler`] | nvPTXCompiler | `libnvptxcompiler_static.a`, `libnvptxcompiler.so.13` |
//!
//! `cargo build` makes one archive of all functions; `compiler/capi/link.sh` links the shared libraries from it, each with its soname and symbol versions
//! (`compiler/capi/exports`), since one package can have one shared library only, and Rust gives its symbols no versions. The headers in
//! `compiler/capi/include` are our own; a program that was compiled with the vendor's runs as well.
//!
//! **Invariants**
//! * `unsafe` is in `border`, which says what is relied on; the modules `exports` have the names of the C functions beside it.
//! * No panic crosses the border: it is the library's code for an error of its own, and a line of the log.
//! * A handle is a number that is never used again, and is looked up in a table of those that live: null, freed or made up, it is the vendor's code for
//!   a wrong handle, never a crash.
//! * Calls on one handle wait for each other; calls on several do not.
//! * No thread outlives a call, so that a process may fork between calls.
//!
//! **Where to start**: `exports` of a library, which is its header in Rust; then the module above it, which is what the library does, without `unsafe`.

mod border;
mod handles;
mod lto;
pub mod nvjitlink;
pub mod nvrtc;
pub mod nvvm;
pub mod ptx_compiler;
