//! CUDA's headers for both sides, where there is no toolkit: text of our own, for the host's compiler and for the device's side alike.
//!
//! What runs on the device is declared by the front end's built-in headers, which are passed on; the headers of `compiler/host/headers` declare the runtime and
//! what the host's libraries have on both sides.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use warpsmith_cuda::source::headers;

use crate::half;

/// Declares the table of own headers; each is a file in `headers/`.
macro_rules! own {
    ($($name:literal),* $(,)?) => {
        /// Names and texts.
        const OWN: &[(&str, &str)] = &[$(($name, include_str!(concat!("../headers/", $name)))),*];
    };
}

#[rustfmt::skip]
own! {
    "builtin_types.h", "channel_descriptor.h", "cuda.h", "cudaGL.h", "cudaProfiler.h", "cuda_gl_interop.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_atomic_functions.h", "device_functions.h",
    "device_launch_parameters.h", "driver_functions.h", "driver_types.h", "host_defines.h", "math_functions.h", "nvtx3/nvToolsExt.h", "sm_30_intrinsics.h", "surface_types.h", "texture_types.h",
    "vector_functions.h", "vector_types.h", "warpsmith/driver_api_types.h", "warpsmith/driver_graph_types.h", "warpsmith/driver_system_types.h", "warpsmith/host_half.h", "warpsmith/host_library.h", "warpsmith/host_math.h",
    "warpsmith/runtime_graph_types.h", "warpsmith/runtime_system_types.h",
}

/// The built-in headers that are read beside the host's.
#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "cooperative_groups.h", "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
    "cuda/barrier", "cuda/pipeline", "cuda/std/algorithm", "cuda/std/array", "cuda/std/bit", "cuda/std/cassert", "cuda/std/cfloat", "cuda/std/climits",
    "cuda/std/cmath", "cuda/std/cstddef", "cuda/std/cstdint", "cuda/std/cstdlib", "cuda/std/cstring", "cuda/std/functional", "cuda/std/initializer_list",
    "cuda/std/iterator", "cuda/std/limits", "cuda/std/tuple", "cuda/std/type_traits", "cuda/std/utility", "cuda_bf16.h", "cuda_fp16.h",
    "cuda_fp8.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h", "curand_kernel.h", "math_constants.h", "mma.h", "warpsmith/atomic.h", "warpsmith/attributes.h",
    "warpsmith/convert.h", "warpsmith/integer.h", "warpsmith/memory.h", "warpsmith/simd.h", "warpsmith/simd_extremes.h", "warpsmith/texture.h",
    "warpsmith/vector.h", "warpsmith/warp.h",
];

/// The header of the library that compiles at run time, which is that library's own.
const NVRTC: (&str, &str) = ("nvrtc.h", include_str!("../../capi/include/nvrtc.h"));

/// Numbers, names in the driver's API, names in the runtime's, words.
const ERRORS: &str = include_str!(concat!(env!("OUT_DIR"), "/errors.tbl"));

/// The attributes of devices: `attribute`, number, name and more.
const DEVICE: &str = include_str!(concat!(env!("OUT_DIR"), "/device.tbl"));

/// The functions: API, name, state, and what programs of this version mean by it.
const FUNCTIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/functions.tbl"));

/// The headers: the name of each in an include folder, and its text.
pub fn host_headers() -> Vec<(&'static str, String)> {
    let built_in = BUILT_IN
        .iter()
        .filter_map(|name| Some((*name, for_both(name, headers::find(name)?))));
    let own = OWN
        .iter()
        .chain([&NVRTC])
        .map(|(name, text)| (*name, with_tables(text)));
    own.chain(built_in).collect()
}

/// A built-in header for both sides. Types of the device whose values programs make on the host have functions for both; of those that the machine alone has an
/// instruction for, the host's compiler says so where they are called.
fn for_both(name: &str, text: &str) -> String {
    if !["cuda_fp16.h", "cuda_bf16.h"].contains(&name) {
        return text.to_owned();
    }
    let text = text
        .replace("__WARPSMITH_DEVICE ", "__WARPSMITH_BOTH ")
        .replace("    __device__ ", "    __host__ __device__ ")
        .replace("\n__device__ inline ", "\n__host__ __device__ inline ")
        .replacen("#pragma once\n", "", 1);
    // bfloat16 has its own words for targets without its instructions, which are the host's, too.
    let text = match name {
        "cuda_fp16.h" => half::for_both(&text),
        _ => half::with_hosts_functions(&text),
    };
    format!("#pragma once\n#include <warpsmith/host_half.h>\n{text}")
}

/// A header with the tables where its text names them.
fn with_tables(text: &str) -> String {
    type Table = fn() -> String;
    let tables: [(&str, Table); 4] = [
        ("@errors@\n", || errors(2)),
        ("@driver errors@\n", || errors(1)),
        ("@device attributes@\n", device_attributes),
        ("@driver names@\n", driver_names),
    ];
    let mut text = text.to_owned();
    for (place, table) in tables {
        if text.contains(place) {
            text = text.replace(place, &table());
        }
    }
    text
}

/// The enumerators of the results of an API, whose names are in a column of the table.
fn errors(column: usize) -> String {
    let mut text = String::new();
    for row in ERRORS.lines().filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = row.split_whitespace().collect();
        if let (Some(number), Some(name)) = (words.first(), words.get(column).filter(|name| **name != "-")) {
            let _ = writeln!(text, "    {name} = {number},");
        }
    }
    text
}

/// The enumerators of `CUdevice_attribute`.
fn device_attributes() -> String {
    let mut text = String::new();
    for row in DEVICE.lines() {
        let mut words = row.split_whitespace();
        if let (Some("attribute"), Some(number), Some(name)) = (words.next(), words.next(), words.next()) {
            let _ = writeln!(text, "    CU_DEVICE_ATTRIBUTE_{name} = {number},");
        }
    }
    text
}

/// Macros that give the names of the driver's functions the meaning of this version, and of functions of per-thread streams where the program wants those.
fn driver_names() -> String {
    let rows = FUNCTIONS.lines().filter_map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        match words[..] {
            ["driver", name, _, .., "newest", newest] => Some((name, newest)),
            ["driver", name, _, ..] => Some((name, name)),
            _ => None,
        }
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let known: BTreeSet<&str> = rows.iter().map(|(name, _)| *name).collect();
    let meant: BTreeSet<&str> = rows
        .iter()
        .filter(|(name, newest)| name != newest)
        .map(|(_, newest)| *newest)
        .collect();
    let (mut usual, mut per_thread) = (String::new(), String::new());
    for (name, newest) in rows {
        usual.push_str(&macro_of(name, newest));
        let twins = ["_ptds", "_ptsz"].map(|end| format!("{newest}{end}"));
        // What a macro gives is not to become something else again.
        let twin = twins
            .iter()
            .find(|twin| known.contains(twin.as_str()) && !meant.contains(name));
        per_thread.push_str(&macro_of(name, twin.map_or(newest, String::as_str)));
    }
    format!(
        "#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)\n{per_thread}#else\n{usual}#endif\n"
    )
}

/// The macro of a name, if it means another.
fn macro_of(name: &str, newest: &str) -> String {
    if name == newest {
        String::new()
    } else {
        format!("#define {name} {newest}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_are_those_of_the_table() {
        let text = errors(2);
        assert!(
            text.starts_with("    cudaSuccess = 0,\n    cudaErrorInvalidValue = 1,\n"),
            "{text}"
        );
        assert!(text.contains("    cudaErrorIllegalAddress = 700,\n"));
    }

    #[test]
    fn each_header_is_there_once() {
        let headers = host_headers();
        assert_eq!(headers.len(), OWN.len() + 1 + BUILT_IN.len());
    }
}
