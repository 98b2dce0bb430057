//! Names of the device library: the functions that a toolkit's headers declare without a body (`sqrtf`, `__popc`, `__sinf`) are the library's `__nv_sqrtf`,
//! `__nv_popc`, `__nv_fast_sinf`.

/// The approximations, whose names lack the word.
const FAST: [&str; 11] = [
    "__cosf",
    "__exp10f",
    "__expf",
    "__fdividef",
    "__log10f",
    "__log2f",
    "__logf",
    "__powf",
    "__sincosf",
    "__sinf",
    "__tanf",
];

/// Names that say otherwise what they are.
const RENAMED: [(&str, &str); 11] = [
    ("__finite", "__nv_isfinited"),
    ("__finitel", "__nv_isfinited"),
    ("__isfinite", "__nv_isfinited"),
    ("__isfinitef", "__nv_finitef"),
    ("__isinf", "__nv_isinfd"),
    ("__isinfl", "__nv_isinfd"),
    ("__isnan", "__nv_isnand"),
    ("__isnanl", "__nv_isnand"),
    ("__signbit", "__nv_signbitd"),
    ("__signbitl", "__nv_signbitd"),
    ("fdividef", "__nv_fast_fdividef"),
];

/// The functions in whose place `-use_fast_math` puts an approximation. Observed, nvcc 13.0 and NVRTC 13.0.
const APPROXIMATED: [(&str, &str); 11] = [
    ("__nv_cosf", "__nv_fast_cosf"),
    ("__nv_exp10f", "__nv_fast_exp10f"),
    ("__nv_expf", "__nv_fast_expf"),
    ("__nv_log10f", "__nv_fast_log10f"),
    ("__nv_log2f", "__nv_fast_log2f"),
    ("__nv_logf", "__nv_fast_logf"),
    ("__nv_powf", "__nv_fast_powf"),
    ("__nv_sincosf", "__nv_fast_sincosf"),
    ("__nv_sinf", "__nv_fast_sinf"),
    ("__nv_tanf", "__nv_fast_tanf"),
    ("__nv_tanhf", "__nv_fast_tanhf"),
];

/// What is no function of the library: the runtime's own, known to whatever loads the code.
const RUNTIME: [&str; 5] = ["__assertfail", "free", "malloc", "printf", "vprintf"];

/// Functions of the CUDA runtime that device code calls, without `cuda` (or `__cudaCDP2`, as a toolkit's headers call them).
const DEVICE_RUNTIME: [&str; 16] = [
    "EventCreateWithFlags",
    "EventDestroy",
    "EventRecord",
    "Free",
    "GetDevice",
    "GetDeviceCount",
    "GetLastError",
    "GraphSetConditional",
    "Malloc",
    "MemcpyAsync",
    "MemsetAsync",
    "PeekAtLastError",
    "RuntimeGetVersion",
    "StreamCreateWithFlags",
    "StreamDestroy",
    "StreamWaitEvent",
];

/// The library's name of a function that a toolkit's header declares; `None` for those of the runtime, and those that are called what they are.
pub(super) fn library_name(name: &str) -> Option<String> {
    let of_runtime = name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda"));
    // Where the default stream is each thread's, the host's names end so.
    let of_runtime = of_runtime.map(|rest| rest.trim_end_matches("_ptsz"));
    if let Some(rest) = of_runtime.filter(|rest| DEVICE_RUNTIME.contains(rest)) {
        return Some(format!("__nv_cuda{rest}"));
    }
    if RUNTIME.contains(&name) || name.starts_with("cuda") || name.starts_with("__nv") || name.starts_with("_Z") {
        return None;
    }
    if let Some((_, library)) = RENAMED.iter().find(|(known, _)| *known == name) {
        return Some((*library).to_string());
    }
    let plain = name.trim_start_matches('_');
    Some(match FAST.contains(&name) {
        true => format!("__nv_fast_{plain}"),
        false => format!("__nv_{plain}"),
    })
}

/// The function of the library that is called in place of another of it.
pub(super) fn called(library: &str, fast: bool) -> &str {
    let mut rows = APPROXIMATED.iter().filter(|_| fast);
    rows.find(|(exact, _)| *exact == library)
        .map_or(library, |&(_, approximate)| approximate)
}

#[cfg(test)]
mod tests {
    use super::library_name;

    #[test]
    fn names_of_headers_are_names_of_the_library() {
        let cases = [
            ("sqrtf", Some("__nv_sqrtf")),
            ("__popc", Some("__nv_popc")),
            ("__sinf", Some("__nv_fast_sinf")),
            ("__isnan", Some("__nv_isnand")),
            ("vprintf", None),
            ("cudaMalloc", Some("__nv_cudaMalloc")),
            ("__cudaCDP2Free", Some("__nv_cudaFree")),
            ("cudaMemcpy", None),
        ];
        for (name, expected) in cases {
            assert_eq!(library_name(name).as_deref(), expected, "{name}");
        }
    }
}
