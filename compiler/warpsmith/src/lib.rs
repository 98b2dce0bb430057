//! Warpsmith as a library: CUDA C++, LLVM IR and PTX to machine code for NVIDIA GPUs, and the tools around it.
//!
//! **What enters**: a [`Source`], from memory or from a file, and [`Options`]: one struct, in which each idea has one name. **What leaves**: an
//! [`Artifact`] with PTX, a cubin, what each kernel takes, and what was said of the source; or a [`Failure`] that says by its type whether the source
//! is wrong, something in it is not supported, or Warpsmith itself has made a mistake.
//!
//! **Invariants**
//! * The same source, options and files give the same bytes, on any number of threads and whatever was compiled before. A session holds no state of
//!   what it compiled, and there is none beside it but tables that never change and a pool of threads.
//! * Everything is [`Send`] and [`Sync`]; results are buffers of their own.
//! * Nothing is made in part: there is an artifact, or there is a failure. What is not supported is never left out.
//! * No source panics, hangs or exhausts memory; a panic would be a mistake, and [`Session::compile`] gives it as [`Failure::Internal`].
//! * With files from memory ([`Session::with_files`]) nothing is read from the disk, and nothing is ever written to it.
//! * Functions of the maths library are linked in where a program calls them.
//!
//! **Where to start**: [`Session::compile`]; then [`Options`]; then the steps of [`Session`], which are the whole of a compile:
//!
//! ```text
//! Source ──front──▶ Unit ──link_library, optimise──▶ Unit ──select──▶ Ptx ──assemble──▶ Output (a cubin, and what functions take)
//!        ──read_ptx────────────────────────────────────────────────▶
//! ```
//!
//! [`vendors`] says which function of NVIDIA's compiler libraries is served by what of this crate.
//!
//! # Ten uses
//!
//! **CUDA C++ from memory to PTX.**
//!
//! ```
//! use warpsmith::{Emit, Options, Session, Sm, Source};
//!
//! let mut options = Options::new(Sm::Sm90);
//! options.emit = Emit::Ptx;
//! let source = Source::cuda("twice.cu", "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n");
//! let artifact = Session::new(options).compile(&source)?;
//! assert!(artifact.ptx.unwrap().contains(".visible .entry _Z5twicePf("));
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **To machine code**, with a function of the maths library.
//!
//! ```
//! use warpsmith::{Options, Session, Sm, Source};
//!
//! let source = Source::cuda("s.cu", "__global__ void s(float *x) { *x = exp2f(*x); }\n");
//! let cubin = Session::new(Options::new(Sm::Sm90)).compile(&source)?.cubin.unwrap();
//! assert!(cubin.starts_with(b"\x7fELF"));
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **A header from memory.** (An include callback: [`Callback`].)
//!
//! ```
//! use warpsmith::{Emit, Memory, Options, Session, Sm, Source};
//!
//! let mut options = Options::new(Sm::Sm90);
//! options.emit = Emit::Ptx;
//! let headers = Memory::new().with("scale.h", "constexpr float scale = 0.5f;\n");
//! let session = Session::new(options).with_files(headers);
//! let source = Source::cuda("h.cu", "#include \"scale.h\"\n__global__ void h(float *x) { *x *= scale; }\n");
//! let artifact = session.compile(&source)?;
//! assert_eq!(artifact.dependencies, ["h.cu", "scale.h"]);
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **PTX to machine code.**
//!
//! ```
//! use warpsmith::{Options, Session, Sm, Source};
//!
//! let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n";
//! let artifact = Session::new(Options::new(Sm::Sm80)).compile(&Source::ptx("nothing.ptx", text))?;
//! assert_eq!(artifact.kernel("nothing").unwrap().instructions, 1);
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **LLVM IR to PTX.**
//!
//! ```
//! use warpsmith::{Emit, Options, Session, Sm, Source};
//!
//! let mut options = Options::new(Sm::Sm90);
//! options.emit = Emit::Ptx;
//! let text = "define ptx_kernel void @answer(ptr addrspace(1) %out) {\n  store i32 42, ptr addrspace(1) %out\n  ret void\n}\n";
//! let ptx = Session::new(options).compile(&Source::ir("answer.ll", text))?.ptx.unwrap();
//! assert!(ptx.contains("st.global.u32"));
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **What is wrong with a source**: for programs by fields, for people as text.
//!
//! ```
//! use warpsmith::{Failure, Options, Session, Sm, Source};
//!
//! let source = Source::cuda("bad.cu", "__global__ void k(int *x) {\n    *x = y;\n}\n");
//! let Err(Failure::Rejected(messages)) = Session::new(Options::new(Sm::Sm90)).compile(&source) else {
//!     panic!("it is wrong");
//! };
//! assert_eq!(messages[0].to_string(), "error: bad.cu:2:10: `y` is not declared");
//! assert_eq!(messages[0].diagnostic.file.as_deref(), Some("bad.cu"));
//! assert!(messages[0].rendered.contains("2 |     *x = y;\n  |          ^"));
//! ```
//!
//! **What a kernel takes.**
//!
//! ```
//! use warpsmith::{Options, Session, Sm, Source};
//!
//! let source = Source::cuda("t.cu", "extern \"C\" __global__ void t(int *x) { __shared__ int s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }\n");
//! let artifact = Session::new(Options::new(Sm::Sm90)).compile(&source)?;
//! let kernel = artifact.kernel("t").unwrap();
//! assert_eq!((kernel.shared_bytes, kernel.barriers, kernel.spill_store_bytes), (256, 1, 0));
//! # Ok::<(), warpsmith::Failure>(())
//! ```
//!
//! **Disassemble, and assemble**: [`listing`] shows both.
//!
//! **Run saxpy with no GPU**: [`emulator`] shows it.
//!
//! **Cancel** from another thread.
//!
//! ```
//! use warpsmith::{Cancel, Failure, Options, Session, Sm, Source};
//!
//! let cancel = Cancel::new();
//! let session = Session::new(Options::new(Sm::Sm90)).with_cancel(cancel.clone());
//! cancel.cancel(); // Another thread would do this while the next line is at work.
//! let result = session.compile(&Source::cuda("k.cu", "__global__ void k() {}\n"));
//! assert_eq!(result.unwrap_err(), Failure::Cancelled);
//! ```

mod artifact;
mod configuration;
pub mod emulator;
mod failure;
mod library;
mod lines;
pub mod listing;
mod options;
mod ptx;
mod session;
mod source;

#[doc = include_str!("vendors.md")]
pub mod vendors {}

pub use artifact::Artifact;
pub use failure::{Failure, Message};
pub use lines::{at_place, of_problem, readable};
pub use options::{Emit, FrontEnd, Options};
pub use ptx::{Ptx, Unit};
pub use session::{Session, fits, remarks};
pub use source::{Callback, Language, Source, first_word};
pub use warpsmith_base::{Arithmetic, Cancel, Diagnostic, Position, Severity, SourceText};
pub use warpsmith_cuda::source::{
    Definition, Disk, FileSystem, Memory, Mode, Prelude, Standard, Warning, WarningOptions,
};
pub use warpsmith_cuda::{HostEntity, HostKind, Linkage};
pub use warpsmith_ori::{Output, Resources};
pub use warpsmith_target::{PtxVersion, Sm};

/// All that crosses a thread may do so.
const _: fn() = || {
    fn crosses_threads<T: Send + Sync + 'static>() {}
    crosses_threads::<Options>();
    crosses_threads::<Session>();
    crosses_threads::<Source>();
    crosses_threads::<Unit>();
    crosses_threads::<Ptx>();
    crosses_threads::<Output>();
    crosses_threads::<Artifact>();
    crosses_threads::<Failure>();
    crosses_threads::<Cancel>();
};
