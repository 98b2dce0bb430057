//! Reads files of LLVM's assembly and says of each whether it is read, verified, and the same after writing and reading; then how many by reason.
//!
//! `ll-corpus [--write DIRECTORY] [--llvm7] FILE…`: with `--write`, the modules are written there, for other tools to read.

use std::collections::BTreeMap;

use warpsmith_base::SourceText;
use warpsmith_ir::{Dialect, Module};

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut directory = None;
    let mut dialect = Dialect::Modern;
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut good, mut total) = (0, 0);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--write" => directory = arguments.next(),
            "--llvm7" => dialect = Dialect::Llvm7,
            _ => {
                total += 1;
                match check(&argument, dialect, directory.as_deref()) {
                    Ok(()) => good += 1,
                    Err((reason, detail)) => reasons.entry(reason).or_default().push(format!("{argument}: {detail}")),
                }
            }
        }
    }
    for (reason, files) in &reasons {
        println!("{} {reason}", files.len());
        files.iter().for_each(|file| println!("    {file}"));
    }
    println!("{good} of {total} files are read, verified and the same after writing");
}

fn check(path: &str, dialect: Dialect, directory: Option<&str>) -> Result<(), (String, String)> {
    let bytes = std::fs::read(path).map_err(|error| ("not a file".to_owned(), error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let read = |name: &str, text: String| Module::from_text(&SourceText::new(name, text));
    let module =
        read(path, text).map_err(|errors| ("not read".to_owned(), errors[0].plain_with_notes().trim().to_owned()))?;
    module
        .verify()
        .map_err(|errors| ("not verified".to_owned(), errors[0].to_string()))?;
    let first = module.to_text(dialect);
    if let Some(directory) = directory {
        let name = path.rsplit('/').next().unwrap_or(path);
        std::fs::write(format!("{directory}/{name}"), &first)
            .map_err(|error| ("not written".to_owned(), error.to_string()))?;
    }
    let again = read("written", first.clone());
    let again = again.map_err(|errors| {
        (
            "not read again".to_owned(),
            errors[0].plain_with_notes().trim().to_owned(),
        )
    })?;
    let second = again.to_text(dialect);
    if dialect == Dialect::Modern && first != second {
        let difference = first.lines().zip(second.lines()).find(|(one, other)| one != other);
        return Err(("not the same after writing".to_owned(), format!("{difference:?}")));
    }
    Ok(())
}
