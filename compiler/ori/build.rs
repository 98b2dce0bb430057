//! Generates the pipeline from `ir-defs/phases.tbl`.

use std::path::Path;

fn main() {
    let table = &Path::new(warpsmith_ir_defs::FOLDER).join("phases.tbl");
    println!("cargo::rerun-if-changed={}", table.display());
    let out = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("phases.rs");
    let text = match std::fs::read_to_string(table) {
        Ok(text) => text,
        Err(error) => fail(&format!("{}: {error}", table.display())),
    };
    match codegen_gen::phases::generate("ir-defs/phases.tbl", &text) {
        Ok(code) => std::fs::write(out, code).expect("OUT_DIR is writable"),
        Err(error) => fail(&error.to_string()),
    }
}

/// Stops the build with `message`.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1);
}
