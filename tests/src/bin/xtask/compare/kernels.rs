//! Compares what two compilers made of one CUDA source, kernel by kernel, on inputs made up from the parameters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use warpsmith_target::Sm;
use warpsmith_tests::kernel_agreement::{Agreement, agreements, read};

use crate::common::{self, Outcome};

/// Compare two compilers' PTX of one source, kernel by kernel, on inputs made up from the parameters
///
/// Both run in the interpreter. A line for each kernel says `equal`, `close` (rounded differently), `unknown` (no input makes
/// theirs run to its end), `different` or `fault`; the last line counts.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Compile ours by the back end for this target and run it in the emulator, in checked mode
    #[arg(long, value_name = "SM", value_parser = common::sm)]
    sm: Option<Sm>,
    /// Pairs of files: OURS.ptx THEIRS.ptx
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    if !arguments.files.len().is_multiple_of(2) {
        return Err("pairs of files are wanted: OURS.ptx THEIRS.ptx".into());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in arguments.files.chunks(2) {
        let place = pair[0].display();
        let said = |name: &str, agreement: Agreement| {
            let (kind, text) = shown(&agreement);
            println!("{place}: {name}: {kind} {text}");
            *counts.entry(kind).or_default() += 1;
        };
        if let Err(text) = one(&pair[0], &pair[1], arguments.sm, said) {
            println!("{place}: not compared: {text}");
            *counts.entry("not compared").or_default() += 1;
        }
    }
    println!("{counts:?}");
    let wrong = counts.contains_key("different") || counts.contains_key("fault");
    Ok(Outcome::good_if(!wrong))
}

fn one(mine: &Path, theirs: &Path, sm: Option<Sm>, said: impl FnMut(&str, Agreement)) -> Result<(), String> {
    let (mine, theirs) = (common::read_text(mine)?, common::read_text(theirs)?);
    let (of_mine, of_theirs) = (read(&mine)?, read(&theirs)?);
    agreements((&mine, &of_mine), (&theirs, &of_theirs), sm, said)
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
