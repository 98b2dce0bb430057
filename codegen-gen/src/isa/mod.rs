//! SASS instruction tables: `isa-tables/*.isa` to the Rust data that `warpsmith-sass` is made of.

pub mod access;
pub mod check;
pub mod emit;
pub mod model;
pub mod parse;
pub mod seen;
pub mod template;

use crate::TableError;
use std::path::Path;

/// Reads every `*.isa` file of `folder` (in name order), checks the whole, and returns the Rust source of the tables.
///
/// # Errors
/// The first line that does not parse, or everything the checks found, with file and line; the file system's error without one.
pub fn generate(folder: &Path) -> Result<String, Vec<TableError>> {
    let tables = read(folder).map_err(|e| vec![e])?;
    let errors = check::check(&tables);
    if !errors.is_empty() {
        return Err(errors);
    }
    let path = folder.join("seen.tbl");
    let text = std::fs::read_to_string(&path).map_err(|e| vec![TableError::new("seen.tbl", 0, e.to_string())])?;
    let seen = seen::parse("seen.tbl", &text, &tables).map_err(|e| vec![e])?;
    Ok(emit::emit(&tables, &seen))
}

/// Reads and resolves the tables of `folder` without checking their encodings.
///
/// # Errors
/// The first line that does not parse, or the file system's error without a line.
pub fn read(folder: &Path) -> Result<model::Tables, TableError> {
    let name = folder.display().to_string();
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .map_err(|e| TableError::new(&name, 0, e.to_string()))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "isa"))
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)
            .map_err(|e| TableError::new(&path.display().to_string(), 0, e.to_string()))?;
        let file = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        files.push((file, text));
    }
    parse::parse(&files)
}
