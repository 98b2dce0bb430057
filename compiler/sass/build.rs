//! Generates the instruction and timing tables from `isa-tables/`.

use codegen_gen::{TableError, isa, timing};
use std::path::Path;

fn main() {
    let folder = Path::new(warpsmith_isa_tables::FOLDER);
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let tables = isa::generate(folder).and_then(|text| Ok((text, timing_tables(folder)?)));
    match tables {
        Ok((instructions, timing)) => {
            for (file, text) in [("tables.rs", instructions), ("timing.rs", timing)] {
                std::fs::write(Path::new(&out).join(file), text).expect("OUT_DIR is writable");
            }
        }
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            std::process::exit(1);
        }
    }
}

fn timing_tables(folder: &Path) -> Result<String, Vec<TableError>> {
    let name = "timing.tbl";
    let text = std::fs::read_to_string(folder.join(name)).map_err(|e| vec![TableError::new(name, 0, e.to_string())])?;
    timing::generate(name, &text, &isa::read(folder).map_err(|e| vec![e])?)
}
