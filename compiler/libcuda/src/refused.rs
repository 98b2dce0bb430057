//! Functions of both APIs that are not done. They are there, so that programs start that are linked at once, and say their name when they are called.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_void};

use crate::interface::{Scope, code, refuse};

/// Declares functions that refuse. What a program hands over is not looked at.
macro_rules! refused {
    ($($name:ident)*) => {
        $(
            // SAFETY of the name: it is that of the library that this one is there to stand in for.
            #[unsafe(no_mangle)]
            extern "system" fn $name() -> c_int {
                refusal(stringify!($name))
            }
        )*

        /// The function of a name, which is there to say that it is not done.
        pub(crate) fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => None,
            }
        }

        /// The names.
        #[cfg(test)]
        pub(crate) static REFUSED: &[&str] = &[$(stringify!($name)),*];
    };
}

fn refusal(name: &'static str) -> c_int {
    let result = code(Scope::Anywhere, || Err(refuse(name)));
    if name.starts_with("cuda") {
        crate::runtime::note(result);
    }
    result
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// What programs of a version of CUDA mean by a plain name: the function that had it then.
///
/// # Errors
/// There was none of this name yet.
pub(crate) fn meant(name: &str, version: c_int) -> Result<&str, TooOld> {
    match variants(name) {
        [] => Ok(name),
        of_name => {
            let found = of_name.iter().rev().find(|(since, _)| *since <= version);
            found.map(|(_, function)| *function).ok_or(TooOld)
        }
    }
}

/// A name had no meaning in the version of CUDA that a program was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooOld;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every function of the table is there, once, and none that the table does not have.
    #[test]
    fn the_table_and_the_functions_agree() {
        let done: BTreeSet<&str> = crate::driver::names().chain(crate::runtime::names()).collect();
        let told: BTreeSet<&str> = DONE.iter().copied().collect();
        assert_eq!(done.difference(&told).collect::<Vec<_>>(), [&""; 0], "not in the table");
        assert_eq!(told.difference(&done).collect::<Vec<_>>(), [&""; 0], "not in the code");
        assert!(REFUSED.iter().all(|name| !done.contains(name)));
    }

    /// A program that was made for CUDA 12.2 calls with the parameters of then.
    #[test]
    fn a_plain_name_means_what_it_did_then() {
        let of_version = |version| meant("cuStreamGetCaptureInfo", version);
        assert_eq!(of_version(13_000), Ok("cuStreamGetCaptureInfo_v3"));
        assert_eq!(of_version(12_020), Ok("cuStreamGetCaptureInfo_v2"));
        assert_eq!(of_version(11_000), Ok("cuStreamGetCaptureInfo"));
        assert_eq!(of_version(10_000), Err(TooOld));
        assert_eq!(meant("cuInit", 2000), Ok("cuInit"));
    }

    #[test]
    fn what_is_not_done_says_so() {
        assert_eq!(cuGreenCtxCreate(), 801);
        assert!(
            refuse("cuTexRefCreate")
                .reason
                .starts_with("cuTexRefCreate is not supported")
        );
        assert_eq!(refuse("cuTexRefCreate").reason, "", "once");
    }
}
