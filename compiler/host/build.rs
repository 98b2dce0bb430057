//! The table of errors, for the header that declares them.

use std::{env, fs, path::Path};

fn main() {
    let table = Path::new(warpsmith_ir_defs::FOLDER).join("client/errors.tbl");
    println!("cargo::rerun-if-changed={}", table.display());
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    fs::copy(&table, Path::new(&folder).join("errors.tbl")).expect("the table is there");
}
