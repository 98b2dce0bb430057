//! Functions that are not done: they are there, so that programs link, and say their name when they are called.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

/// Declares functions that refuse. What a program hands over is not looked at.
macro_rules! refused {
    ($($name:ident)*) => {$(
        // SAFETY of the name: it is that of the library in whose place this one is linked.
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int {
            crate::finish(Err(refusal(stringify!($name))))
        }
    )*};
}

/// Says once that a function is not there. Gives the code for it.
pub(crate) fn refusal(name: &str) -> c_int {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(name.to_owned()) {
        eprintln!("warpsmith: {name} is not supported");
    }
    crate::code::NOT_SUPPORTED
}

include!(concat!(env!("OUT_DIR"), "/refused.rs"));
