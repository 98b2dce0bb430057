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
    "warpsmith/prelude.h", "warpsmith/types.h", "warpsmith/vector.h", "warpsmith/integer.h", "warpsmith/convert.h", "warpsmith/math.h",
    "warpsmith/memory.h", "warpsmith/warp.h", "warpsmith/atomic.h", "warpsmith/simd.h",
    "stdint.h",
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
