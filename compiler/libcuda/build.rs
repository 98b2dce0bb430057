//! Generates the tables of what programs meet of a driver from `ir-defs/client/`.

use std::path::Path;

use codegen_gen::{TableError, client};

/// Makes the code of a table from its file's name and text.
type Generate = fn(&str, &str) -> Result<String, TableError>;

fn main() {
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let tables: [(&str, Generate); 3] = [
        ("functions", client::functions),
        ("errors", client::errors),
        ("device", client::device),
    ];
    for (name, generate) in tables {
        let file = format!("ir-defs/client/{name}.tbl");
        let path = Path::new(warpsmith_ir_defs::FOLDER).join(format!("client/{name}.tbl"));
        println!("cargo::rerun-if-changed={}", path.display());
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => fail(&format!("{file}: {error}")),
        };
        match generate(&file, &text) {
            Ok(code) => std::fs::write(Path::new(&out).join(format!("{name}.rs")), code).expect("OUT_DIR is writable"),
            Err(error) => fail(&error.to_string()),
        }
    }
}

/// Stops the build with `message`.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1);
}
