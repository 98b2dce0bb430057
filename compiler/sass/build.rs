//! Generates the instruction tables from `isa-tables/`.

use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../isa-tables");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out =
        Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("tables.rs");
    match codegen_gen::isa::generate(&folder) {
        Ok(text) => std::fs::write(out, text).expect("OUT_DIR is writable"),
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            std::process::exit(1);
        }
    }
}
