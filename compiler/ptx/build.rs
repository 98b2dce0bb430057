//! Generates the instruction tables from `ir-defs/ptx/`.

use std::path::Path;

fn main() {
    let folder = &Path::new(warpsmith_ir_defs::FOLDER).join("ptx");
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
