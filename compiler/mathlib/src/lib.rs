//! The device mathematics functions (`__nv_expf`, `__nv_sin` …), written in CUDA C++ and found by name.
//!
//! **What enters**: the names that a program calls and does not define. **What leaves**: the text of the source files that define them, to be compiled by
//! the front end as a unit of its own and linked with the program. The files are in `src/device`, one a family; they include one another by name.
//!
//! **Invariants**
//! * Results are within the bounds that the CUDA C++ programming guide gives for the functions of the same names (appendix on mathematical functions),
//!   in units in the last place against the correctly rounded result; the tests hold references from arithmetic of higher precision.
//! * The sources mean every rounding they write: they are compiled without contraction of products and sums.
//! * Polynomials are near-minimax fits made for this library; their coefficients are exact hexadecimal literals.
//!
//! **Where to start**: [`file_of`], then `device/common.cuh`, then a family.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// A source file of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// The name by which the files include one another.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(File { name: $name, text: include_str!(concat!("device/", $name)) }),*]
    };
}

/// All files, those included by others first.
pub static FILES: [File; 18] = files![
    "common.cuh",
    "rounding.cuh",
    "norm.cuh",
    "intrinsics.cuh",
    "exponential.cuh",
    "logarithm.cuh",
    "power.cuh",
    "trigonometry.cuh",
    "hyperbolic.cuh",
    "error.cuh",
    "gamma.cuh",
    "bessel.cuh",
    "runtime.cuh",
    "device_runtime.cuh",
    "simd.cuh",
    "strings.cuh",
    "toolkit.cuh",
    "cooperative.cuh",
];

/// The names that a file defines: the word before the parenthesis on lines that start with `FUNCTION`.
fn definitions(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter_map(|line| {
        let before = line.strip_prefix("FUNCTION ")?.split('(').next()?;
        before.rsplit([' ', '*']).next()
    })
}

/// The file that defines a function, or `None` if the library has no function of that name.
///
/// ```
/// assert_eq!(warpsmith_mathlib::file_of("__nv_powf").unwrap().name, "power.cuh");
/// assert_eq!(warpsmith_mathlib::file_of("__nv_frobnicate"), None);
/// ```
pub fn file_of(function: &str) -> Option<&'static File> {
    static INDEX: OnceLock<FxHashMap<&'static str, &'static File>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        FILES
            .iter()
            .flat_map(|file| definitions(file.text).map(move |name| (name, file)))
            .collect()
    });
    index.get(function).copied()
}

/// All functions of the library, in the order of their files.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FILES.iter().flat_map(|file| definitions(file.text))
}

/// The text of a unit that defines the functions given, by including their files; `None` if the library has none of them.
///
/// The files include one another once only (`#pragma once`), so their order does not matter.
pub fn unit_for<'a>(functions: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut wanted: Vec<&'static str> = functions.filter_map(file_of).map(|file| file.name).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return None;
    }
    Some(wanted.iter().map(|name| format!("#include \"{name}\"\n")).collect())
}
