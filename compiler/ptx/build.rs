//! Generates the instruction tables from `ir-defs/ptx/`.

use std::path::Path;

fn main() {
    // Cargo runs build scripts in the folder of their package, wherever the checkout is now.
    let folder = Path::new("../../ir-defs/ptx");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    match codegen_gen::ptx::generate(folder) {
        Ok(text) => std::fs::write(Path::new(&out).join("tables.rs"), text).expect("OUT_DIR is writable"),
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            std::process::exit(1);
        }
    }
}
