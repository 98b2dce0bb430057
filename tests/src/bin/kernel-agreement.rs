//! Compares what two compilers made of one CUDA source, kernel by kernel, on inputs made up from the parameters:
//!
//! ```text
//! kernel-agreement [--sm NN] OURS.ptx THEIRS.ptx [OURS.ptx THEIRS.ptx …]
//! ```
//!
//! Both run in the interpreter; with `--sm`, ours is compiled by the back end for that target and runs in the emulator, in checked mode. A line for each
//! kernel says `equal`, `close` (rounded differently), `unknown` (no input makes theirs run to its end), `different` or `fault`; the last line counts.

use std::collections::BTreeMap;
use std::process::ExitCode;

use warpsmith_target::Sm;
use warpsmith_tests::kernel_agreement::{Agreement, agreements, read};

fn main() -> ExitCode {
    let mut sm: Option<Sm> = None;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--sm" {
            sm = arguments.next().and_then(|number| format!("sm_{number}").parse().ok());
        } else {
            files.push(argument);
        }
    }
    if files.is_empty() || !files.len().is_multiple_of(2) {
        eprintln!("kernel-agreement: pairs of files are wanted: OURS.ptx THEIRS.ptx");
        return ExitCode::from(2);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in files.chunks(2) {
        let found = match one(&pair[0], &pair[1], sm) {
            Ok(found) => found,
            Err(text) => {
                println!("{}: not compared: {text}", pair[0]);
                *counts.entry("not compared").or_default() += 1;
                continue;
            }
        };
        for (name, agreement) in found {
            let (kind, text) = shown(&agreement);
            println!("{}: {name}: {kind} {text}", pair[0]);
            *counts.entry(kind).or_default() += 1;
        }
    }
    println!("{counts:?}");
    match counts.contains_key("different") || counts.contains_key("fault") {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

fn one(mine: &str, theirs: &str, sm: Option<Sm>) -> Result<Vec<(String, Agreement)>, String> {
    let text = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let (mine, theirs) = (text(mine)?, text(theirs)?);
    let (of_mine, of_theirs) = (read(&mine)?, read(&theirs)?);
    agreements((&mine, &of_mine), (&theirs, &of_theirs), sm)
}

fn shown(agreement: &Agreement) -> (&'static str, String) {
    match agreement {
        Agreement::Equal(count) => ("equal", format!("with {count} inputs")),
        Agreement::Close(count) => ("close", format!("with {count} inputs")),
        Agreement::Unknown(why) => ("unknown", why.clone()),
        Agreement::Different(text) => ("different", text.clone()),
        Agreement::Fault(text) => ("fault", text.clone()),
    }
}
