//! The host's side of a CUDA C++ unit, as text for the host's own C++ compiler.
//!
//! **What enters**: the unit as the host's compiler preprocesses it (`g++ -E` with nvcc's macros, without `__CUDA_ARCH__`), and what the device's side defines
//! ([`HostEntity`](warpsmith_cuda::HostEntity), a fat binary). **What leaves**: the same text with edits, for the same compiler, and the code behind it that
//! registers kernels and variables with the CUDA runtime.
//!
//! # How the host's side is seen
//!
//! The host's compiler is the judge of host code: it preprocesses the unit and compiles the result, so its macros, built-in functions, headers and messages are
//! those that the code would have without CUDA. Between the two, the text is read by the front end's preprocessor (which only follows line marks) and parser,
//! and by no semantic analysis: kernels, launches, device functions and device variables are seen from their syntax. What needs semantics, the instances of kernel
//! templates, comes from the device's side, where host bodies are elaborated for that purpose, and is named behind the unit in words of C++.
//!
//! | source | becomes |
//! |---|---|
//! | a kernel's body | the stub: the addresses of the parameters, and a call of `__warpsmith_launch` with the address of the stub itself |
//! | `k<<<g, b, s, q>>>(a)` | `(__cudaPushCallConfiguration(g, b, s, q) ? (void)0 : k(a))` |
//! | the body of a function for the device alone | `{ __builtin_trap(); }`; those that are `constexpr` or whose result is deduced keep theirs |
//! | a `__device__` or `__constant__` variable | its shadow: the same declaration, static where another unit may have one of the name |
//! | a `__managed__` variable | a shadow of another name, and a reference of its name to the memory that both sides share |
//! | a `__device__` lambda | a lambda with the same body, so that it captures the same, which nothing calls |
//! | CUDA's attributes | nothing; of kernels, hidden visibility |
//! | `#pragma unroll` and the like | nothing |
//!
//! All else is left as it is, byte for byte, and lines stay where they were, so that messages, debuggers and coverage show the user's lines.
//!
//! # Where to start
//!
//! [`split`] for the text of the unit, [`registration`] for what comes behind it.
//!
//! **Invariants**: what is not supported is an error with a place and its name, never left out; the output depends on nothing but the input.

mod attribute;
mod edit;
mod function;
mod half;
mod headers;
mod launch;
mod registration;
mod unit;
mod variable;

pub use headers::host_headers;
pub use registration::{Registration, WRAPPER, device_link, registration};
pub use unit::{Sharing, Standard, split};
