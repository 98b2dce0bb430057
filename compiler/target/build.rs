//! Generates the target descriptions from `ir-defs/targets.tbl`.

use std::path::Path;

fn main() {
    let table = &Path::new(warpsmith_ir_defs::FOLDER).join("targets.tbl");
    println!("cargo::rerun-if-changed={}", table.display());
    let out = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("targets.rs");
    let text = match std::fs::read_to_string(table) {
        Ok(text) => text,
        Err(error) => fail(&format!("{}: {error}", table.display())),
    };
    match codegen_gen::targets::generate("ir-defs/targets.tbl", &text) {
        Ok(code) => std::fs::write(out, code).expect("OUT_DIR is writable"),
        Err(error) => fail(&error.to_string()),
    }
}

/// Stops the build with `message`.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1);
}
