//! How the binary is linked.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The tables of instructions are full of references. In a binary that may be put at any address each is corrected at every start, which takes
    // longer than compiling a small kernel; at a fixed address only the pages that are read are ever loaded.
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
