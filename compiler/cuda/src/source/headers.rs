//! Headers that are part of the compiler.

use super::options::Mode;

/// The header with CUDA's own declarations, included first.
pub const PRELUDE: &str = "warpsmith/prelude.h";

/// What nvcc's units have of the C and C++ libraries without an include.
pub(crate) const HOSTED: &str = "warpsmith/hosted.h";

/// Feature-test macros by edition.
pub(crate) const PREDEFINED_FEATURES: &str = include_str!("../../headers/predefined/features.tbl");
/// The same where there is no host's compiler.
pub(crate) const PREDEFINED_RUN_TIME_FEATURES: &str = include_str!("../../headers/predefined/run_time_features.tbl");

/// Macros of units of device code alone.
pub(crate) const PREDEFINED_RUN_TIME: &str = include_str!("../../headers/predefined/run_time.h");

/// The macros of `<nv/target>` for such units.
pub(crate) const PREDEFINED_TARGET_MACROS: &str = include_str!("../../headers/predefined/target_macros.h");

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
    "algorithm", "array", "assert.h", "bit", "builtin_types.h", "cassert", "cfloat", "cinttypes", "climits",
    "cmath", "compare", "concepts", "cooperative_groups.h", "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h", "cstdarg", "cstdbool", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring",
    "ctime", "cuda.h", "cuda/barrier", "cuda/pipeline", "cuda/std/algorithm", "cuda/std/array", "cuda/std/bit", "cuda/std/cassert",
    "cuda/std/cfloat", "cuda/std/climits", "cuda/std/cmath", "cuda/std/cstddef", "cuda/std/cstdint",
    "cuda/std/cstdlib", "cuda/std/cstring", "cuda/std/functional", "cuda/std/initializer_list",
    "cuda/std/iterator", "cuda/std/limits", "cuda/std/tuple", "cuda/std/type_traits", "cuda/std/utility",
    "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cuda_runtime.h",
    "cuda_runtime_api.h", "curand_kernel.h", "device_atomic_functions.h", "device_functions.h", "device_launch_parameters.h",
    "driver_types.h", "float.h", "functional", "host_defines.h", "initializer_list", "inttypes.h", "iterator",
    "limits", "limits.h", "math.h", "math_constants.h", "mma.h", "new", "sm_30_intrinsics.h", "stdarg.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h", "tuple", "type_traits", "utility",
    "vector_functions.h", "vector_types.h", "warpsmith/atomic.h", "warpsmith/convert.h", "warpsmith/gnu_atomic.h", "warpsmith/hosted.h", "warpsmith/library_macros.h", "warpsmith/initializer_list.h", "warpsmith/integer.h",
    "warpsmith/macros.h", "warpsmith/math.h", "warpsmith/memory.h", "warpsmith/move_forward.h", "warpsmith/prelude.h", "warpsmith/runtime.h", "warpsmith/simd.h", "warpsmith/simd_extremes.h", "warpsmith/texture.h",
    "warpsmith/attributes.h", "warpsmith/types.h", "warpsmith/vector.h", "warpsmith/warp.h",
}

/// The text of a header by its name, as in `#include <name>`.
pub fn find(name: &str) -> Option<&'static str> {
    HEADERS
        .iter()
        .find(|(header, _)| *header == name)
        .map(|&(_, text)| text)
}

/// Headers of the toolkit, by their include guards, that name functions of NVIDIA's compiler without a declaration, and ours that serve in their place.
const REPLACED: [(&str, &str); 3] = [
    ("#if !defined(__CUDA_MMA_H__)", "mma.h"),
    ("#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__", "warpsmith/texture.h"),
    ("#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__", "warpsmith/texture.h"),
];

/// The same of headers that leave definitions to NVIDIA's compiler where `__CUDACC_RTC__` is defined.
const REPLACED_AT_RUN_TIME: [(&str, &str); 3] = [
    ("#ifndef __CUDA_FP16_H__", "cuda_fp16.h"),
    ("#ifndef __CUDA_BF16_H__", "cuda_bf16.h"),
    ("#ifndef __CUDA_FP8_H__", "cuda_fp8.h"),
];

/// The built-in header that stands for one of the toolkit's, whose last part of the name and text these are.
pub(crate) fn replacement(name: &str, text: &str, mode: Mode) -> Option<&'static str> {
    const NAMES: [&str; 3] = ["mma.h", "texture_indirect_functions.h", "surface_indirect_functions.h"];
    let last = name.rsplit('/').next().unwrap_or(name);
    let found = if NAMES.contains(&last) {
        REPLACED.iter().find(|(guard, _)| text.contains(guard))
    } else if mode == Mode::DeviceOnly {
        let mut rows = REPLACED_AT_RUN_TIME.iter();
        rows.find(|(guard, ours)| *ours == last && text.contains(guard))
    } else {
        None
    };
    found.map(|&(_, ours)| ours)
}

/// The names of all headers.
pub fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|&(name, _)| name)
}
