//! How the binary is linked, and what it knows of where it comes from.

use std::{env, fs, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    take_table("explanations.toml");
    println!("cargo:rustc-env=WARPSMITH_COMMIT={}", commit());
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

/// Puts a table where the source of this crate includes it from.
fn take_table(name: &str) {
    let table = Path::new(warpsmith_ir_defs::FOLDER).join(name);
    println!("cargo:rerun-if-changed={}", table.display());
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::copy(&table, Path::new(&out).join(name)).expect("the table is there");
}

/// Whether the linker finds the unwinder as a library to be linked in.
fn has_unwinder() -> bool {
    let is_native = env::var("HOST").ok() == env::var("TARGET").ok();
    let asked = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    // What it does not find it gives back as it is.
    is_native && asked.is_ok_and(|output| output.stdout.starts_with(b"/"))
}

/// The commit that is built: of the environment, where a release is made from an archive, or of the repository; empty where neither says it.
fn commit() -> String {
    println!("cargo:rerun-if-env-changed=WARPSMITH_COMMIT");
    if let Ok(commit) = env::var("WARPSMITH_COMMIT") {
        return commit;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A release that lies within another project's repository is not of its commits.
    let is_ours = git(&["ls-files", "--error-unmatch", "build.rs"]).is_some();
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| is_ours) {
        println!("cargo:rerun-if-changed={log}");
    }
    is_ours
        .then(|| git(&["log", "-1", "--format=%h %cs", "--abbrev=12"]))
        .flatten()
        .unwrap_or_default()
}
