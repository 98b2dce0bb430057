//! How the binary is linked.

use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The tables of instructions are full of references. In a binary that may be put at any address each is corrected at every start, which takes
    // longer than compiling a small kernel; at a fixed address only the pages that are read are ever loaded.
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        // To load libgcc_s, of which only the unwinder is needed, takes a tenth of the time of compiling a small kernel: it is linked in.
        if has_unwinder() {
            println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Whether the linker finds the unwinder as a library to be linked in.
fn has_unwinder() -> bool {
    let is_native = env::var("HOST").ok() == env::var("TARGET").ok();
    let asked = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    // What it does not find it gives back as it is.
    is_native && asked.is_ok_and(|output| output.stdout.starts_with(b"/"))
}
