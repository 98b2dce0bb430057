//! Headers that are part of the compiler.

/// The header with CUDA's own declarations, included first.
pub const PRELUDE: &str = "warpsmith/prelude.h";

/// Macros about the target.
pub(crate) const PREDEFINED_TARGET: &str = include_str!("../../headers/predefined/target.h");

/// Macros about gcc, for its headers.
pub(crate) const PREDEFINED_GCC: &str = include_str!("../../headers/predefined/gcc.h");

/// Declares the table of headers; each is a file in `headers/`.
macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// Names and texts.
        const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../headers/", $name)))),*];
    };
}

#[rustfmt::skip]
headers! {
    "assert.h", "builtin_types.h", "cassert", "cfloat", "cinttypes", "climits", "cmath", "cstdarg", "cstdbool",
    "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "cuda.h", "cuda_bf16.h", "cuda_fp16.h",
    "cuda_runtime.h", "cuda_runtime_api.h", "device_atomic_functions.h", "device_functions.h",
    "device_launch_parameters.h", "driver_types.h", "float.h", "host_defines.h", "inttypes.h", "limits.h",
    "math.h", "math_constants.h", "sm_30_intrinsics.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "string.h", "time.h", "vector_functions.h", "vector_types.h", "warpsmith/atomic.h",
    "warpsmith/convert.h", "warpsmith/integer.h", "warpsmith/math.h", "warpsmith/memory.h", "warpsmith/prelude.h",
    "warpsmith/runtime.h", "warpsmith/simd.h", "warpsmith/types.h", "warpsmith/vector.h", "warpsmith/warp.h",
}

/// The text of a header by its name, as in `#include <name>`.
pub fn find(name: &str) -> Option<&'static str> {
    HEADERS
        .iter()
        .find(|(header, _)| *header == name)
        .map(|&(_, text)| text)
}

/// The names of all headers.
pub fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|&(name, _)| name)
}
