//! Functions of both APIs that are not done. They are there, so that programs start that are linked at once, and say their name when they are called.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;

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
