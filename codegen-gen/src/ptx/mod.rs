//! The PTX instruction tables: text to Rust.
//!
//! [`read`] collects the files of `ir-defs/ptx`, [`parse`] makes the [`model`] of them, [`generate`] the Rust text. Operand patterns are
//! read by `pattern`, kinds and conditions by `kind`.

mod emit;
mod header;
mod kind;
mod lines;
pub mod model;
pub mod parse;
mod pattern;
mod special;
#[cfg(test)]
mod tests;

use crate::TableError;
use std::path::Path;

/// The table files of a folder as (name, text), in order of their names.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn read(folder: &Path) -> Result<Vec<(String, String)>, TableError> {
    let fail = |e: std::io::Error| TableError::new(&folder.display().to_string(), 0, e.to_string());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "tbl") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path).map_err(fail)?));
        }
    }
    files.sort();
    Ok(files)
}

/// Rust text from the tables of a folder.
///
/// # Errors
/// Everything that is wrong in the tables.
pub fn generate(folder: &Path) -> Result<String, Vec<TableError>> {
    let tables = parse::parse(&read(folder).map_err(|error| vec![error])?)?;
    emit::emit(&tables).map_err(|message| vec![TableError::new("ir-defs/ptx", 0, message)])
}
