//! The tables of what programs meet of a driver, for the headers that declare it.

use std::{env, fs, path::Path};

fn main() {
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    for name in ["errors", "device", "functions"] {
        let table = Path::new(warpsmith_ir_defs::FOLDER).join(format!("client/{name}.tbl"));
        println!("cargo::rerun-if-changed={}", table.display());
        fs::copy(&table, Path::new(&folder).join(format!("{name}.tbl"))).expect("the table is there");
    }
}
