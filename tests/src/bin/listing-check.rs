//! Checks that listings in Warpsmith's style assemble back to the same file: `listing-check FILE-OR-FOLDER…`. Prints the files that
//! do not, and counts. `listing-check -p FILE` prints the listing, `listing-check -a FILE` assembles one to standard output.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use warpsmith_cubin::Cubin;
use warpsmith_listing::{ListingOptions, native};

/// What was measured.
#[derive(Default)]
struct Totals {
    files: usize,
    good: usize,
    instructions: usize,
    code_words: usize,
    residues: usize,
    text: usize,
    disassemble: Duration,
    assemble: Duration,
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("-p") => {
            let bytes = std::fs::read(&args[1]).expect("a readable file");
            print(&listing(&Cubin::read(&bytes).unwrap_or_else(|error| panic!("{error}"))));
        }
        Some("-a") => {
            let source = std::fs::read_to_string(&args[1]).expect("a readable text");
            match native::assemble(&source, &args[1]) {
                Ok(bytes) => std::io::stdout().write_all(&bytes).expect("an open output"),
                Err(diagnostics) => {
                    for diagnostic in diagnostics {
                        eprintln!("{diagnostic}");
                    }
                    std::process::exit(1);
                }
            }
        }
        _ => check(args.drain(..).flat_map(files)),
    }
}

fn print(text: &[u8]) {
    // A closed pipe is no error of ours.
    let _ = std::io::stdout().write_all(text);
}

fn listing(cubin: &Cubin) -> Vec<u8> {
    let mut text = Vec::new();
    native::disassemble(cubin, &ListingOptions::default(), &mut text).unwrap_or_else(|error| panic!("{error}"));
    text
}

/// The files in a folder and those below it, in order; a file is itself.
fn files(path: impl AsRef<Path>) -> Vec<PathBuf> {
    let path = path.as_ref();
    let Ok(entries) = std::fs::read_dir(path) else {
        return vec![path.to_path_buf()];
    };
    let mut inside: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    inside.sort();
    inside
        .into_iter()
        .flat_map(files)
        .filter(|path| path.extension().is_some_and(|end| end == "cubin"))
        .collect()
}

fn check(paths: impl Iterator<Item = PathBuf>) {
    let mut totals = Totals::default();
    for path in paths {
        totals.files += 1;
        let bytes = std::fs::read(&path).expect("a readable file");
        match round_trip(&bytes, &mut totals) {
            Ok(()) => totals.good += 1,
            Err(reason) => println!("{}: {reason}", path.display()),
        }
    }
    let Totals {
        files,
        good,
        instructions,
        code_words,
        residues,
        text,
        disassemble,
        assemble,
    } = totals;
    println!("{good} of {files} files come back byte for byte");
    println!("{instructions} instructions; as words: {code_words}; with bits that the text does not say: {residues}");
    println!("{text} bytes of listing; disassembling {disassemble:.1?}, assembling {assemble:.1?}");
}

fn round_trip(bytes: &[u8], totals: &mut Totals) -> Result<(), String> {
    let cubin = Cubin::read(bytes).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let text = listing(&cubin);
    totals.disassemble += start.elapsed();
    totals.text += text.len();
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    for line in text.lines().filter(|line| line.starts_with("    /*")) {
        totals.instructions += 1;
        totals.code_words += usize::from(line.contains(" .word128 "));
        totals.residues += usize::from(line.contains(" ^0x"));
    }
    let start = Instant::now();
    let again = native::assemble(&text, "listing");
    totals.assemble += start.elapsed();
    let again = again.map_err(|diagnostics| format!("{} errors, the first: {}", diagnostics.len(), diagnostics[0]))?;
    if again == bytes {
        return Ok(());
    }
    let common = again.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    Err(format!(
        "differs from offset {common:#x} on; {} bytes became {}",
        bytes.len(),
        again.len()
    ))
}
