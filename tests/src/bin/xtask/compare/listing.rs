//! Checks that listings in Warpsmith's style assemble back to the same file.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use warpsmith_cubin::Cubin;
use warpsmith_listing::{ListingOptions, native};

use crate::common::{self, Outcome};

/// Check that listings in Warpsmith's style assemble back to the same cubin
///
/// Printed are the files that do not, and counts.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print the listing of the one cubin
    #[arg(short = 'p', long)]
    print: bool,
    /// Assemble the one listing to standard output
    #[arg(short = 'a', long, conflicts_with = "print")]
    assemble: bool,
    /// Cubins, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

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

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    if !arguments.print && !arguments.assemble {
        return check(&arguments.paths);
    }
    let [path] = &arguments.paths[..] else {
        return Err("--print and --assemble take one file".into());
    };
    let bytes = if arguments.print {
        let cubin = Cubin::read(&common::read(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        listing(&cubin)?
    } else {
        let source = common::read_text(path)?;
        match native::assemble(&source, &path.to_string_lossy()) {
            Ok(bytes) => bytes,
            Err(diagnostics) => {
                for diagnostic in diagnostics {
                    eprintln!("{diagnostic}");
                }
                return Ok(Outcome::Wrong);
            }
        }
    };
    // A closed pipe is no error of ours.
    let _ = std::io::stdout().write_all(&bytes);
    Ok(Outcome::Good)
}

fn listing(cubin: &Cubin) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    native::disassemble(cubin, &ListingOptions::default(), &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn check(paths: &[PathBuf]) -> common::Result {
    let mut totals = Totals::default();
    for path in paths {
        for file in common::files(path, "cubin")? {
            totals.files += 1;
            match round_trip(&common::read(&file)?, &mut totals) {
                Ok(()) => totals.good += 1,
                Err(reason) => println!("{}: {reason}", file.display()),
            }
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
    Ok(Outcome::good_if(good == files))
}

fn round_trip(bytes: &[u8], totals: &mut Totals) -> Result<(), String> {
    let cubin = Cubin::read(bytes).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let text = listing(&cubin)?;
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
