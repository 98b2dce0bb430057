//! How far the interpreter of PTX and the emulator of machine code agree on what ptxas compiles:
//!
//! ```text
//! emulator-agreement [--ptxas PATH] [--keep FOLDER] [--sm 75,80,…] [-O0] [-O3] COMMAND
//!   kernels [NAME…]     the kernel suite: passed and total by SM and level, and why others fail
//!   listings [NAME…]    writes tests/kernels/NAME/sm_NN.sass, each kernel for one SM
//!   snippets [PART…]    every instruction of the tables (that contains one of the parts) with many operand values
//!   corpus PATH…        cubins: instructions that the emulator does not implement
//!   distances PATH…     cubins: distances between dependent instructions that are never so small as the table of timings allows
//!   encodings PATH…     cubins: bits of words that their text does not tell, and that the assembler sets otherwise
//!   hazards PATH…       cubins: registers that straight-line code touches too early
//!   habits OURS THEIRS  two folders of cubins: what code in the first does, and in the second never: distances, waits, orders
//! ```
//!
//! `--keep` keeps cubins, so that another run needs no ptxas for what has not changed. For `snippets`, `--more FILE` adds lines
//! (`accepted targets TAB message TAB body`), `--details FILE` writes each instruction that is not equal, `--seed N` takes other values,
//! `--hazards` looks for registers that are touched too early, `--gpu` runs the machine code on the first GPU, not in the emulator, and
//! `--share I/N` compares the Ith (from 0) of N parts.
//! For `corpus` and `hazards`, `--step N` takes every Nth file. `habits` of one folder tells all that is seen; `--often N`: only what the
//! second folder, or the one, has or should have N times; `--fine`: instructions are told apart by all their modifiers, and by operands.

use std::{error::Error, path::PathBuf, process::ExitCode};

use warpsmith_tests::{
    emulator_agreement::{corpus, distances, encodings, habits, hazards, kernels, ptxas::Ptxas, snippets},
    gpu,
};

/// The command line.
#[derive(Debug, Default)]
struct Arguments {
    ptxas: Option<PathBuf>,
    keep: Option<PathBuf>,
    more: Option<PathBuf>,
    details: Option<PathBuf>,
    sms: Vec<String>,
    levels: Vec<String>,
    seed: u64,
    hazards: bool,
    gpu: bool,
    fine: bool,
    often: usize,
    share: Option<(usize, usize)>,
    step: usize,
    rest: Vec<String>,
}

const USAGE: &str = "usage: emulator-agreement [--ptxas PATH] [--keep FOLDER] [--sm LIST] [-O0] [-O3] kernels|listings|snippets|corpus|distances|encodings|hazards|habits …";

fn main() -> ExitCode {
    if std::env::args().skip(1).eq([gpu::SERVER]) {
        return gpu::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("emulator-agreement: {error}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Option<Arguments> {
    let mut result = Arguments {
        step: 1,
        ..Arguments::default()
    };
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--ptxas" => result.ptxas = Some(given.next()?.into()),
            "--keep" => result.keep = Some(given.next()?.into()),
            "--more" => result.more = Some(given.next()?.into()),
            "--details" => result.details = Some(given.next()?.into()),
            "--hazards" => result.hazards = true,
            "--gpu" => result.gpu = true,
            "--fine" => result.fine = true,
            "--often" => result.often = given.next()?.parse().ok()?,
            "--share" => {
                let (own, all) = given
                    .next()?
                    .split_once('/')
                    .map(|(own, all)| (own.parse().ok(), all.parse().ok()))?;
                result.share = own.zip(all);
            }
            "--seed" => result.seed = given.next()?.parse().ok()?,
            "--step" => result.step = given.next()?.parse().ok()?,
            "--sm" => {
                result.sms = given
                    .next()?
                    .split(',')
                    .map(|sm| format!("sm_{}", sm.trim_start_matches("sm_")))
                    .collect()
            }
            "-O0" | "-O1" | "-O2" | "-O3" => result.levels.push(argument),
            _ => result.rest.push(argument),
        }
    }
    (!result.rest.is_empty()).then_some(result)
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let (command, rest) = arguments.rest.split_first().ok_or(USAGE)?;
    let tool = || {
        let path = arguments.ptxas.as_ref().ok_or("--ptxas PATH is needed")?;
        Ptxas::new(path, arguments.keep.as_deref())
    };
    let sms = |default: &[&str]| match arguments.sms.is_empty() {
        true => default.iter().map(|&sm| sm.to_owned()).collect(),
        false => arguments.sms.clone(),
    };
    match command.as_str() {
        "kernels" => {
            let levels = match arguments.levels.is_empty() {
                true => vec!["-O0".to_owned(), "-O3".to_owned()],
                false => arguments.levels.clone(),
            };
            print!(
                "{}",
                kernels::compare(&tool()?, &sms(&kernels::LISTED), &levels, &kernels::suite(rest)?)?
            );
        }
        "listings" => {
            for left_out in kernels::write_listings(&tool()?, &kernels::suite(rest)?)? {
                println!("none for {left_out}");
            }
        }
        "snippets" => {
            let inputs = snippets::Inputs {
                only: rest.to_vec(),
                more: arguments.more.as_deref().map_or(Ok(Vec::new()), snippets::read)?,
                seed: arguments.seed,
                hazards: arguments.hazards,
                gpu: arguments.gpu,
                share: arguments.share.unwrap_or((0, 1)),
                details: arguments.details.clone(),
                level: arguments.levels.first().map_or("-O3", String::as_str).to_owned(),
            };
            let targets = sms(&["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]);
            let report = snippets::compare(&tool()?, &targets, &inputs)?;
            print!("{report}");
        }
        "corpus" => {
            let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            print!("{}", corpus::count(&paths, arguments.step)?);
        }
        "distances" => {
            let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            print!("{}", distances::count(&paths)?);
        }
        "encodings" => {
            let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            print!("{}", encodings::count(&paths)?);
        }
        "habits" => {
            let folders: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            print!("{}", habits::compare(&folders, arguments.fine, arguments.often)?);
        }
        "hazards" => {
            let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            print!("{}", hazards::count(&paths, arguments.step)?);
        }
        _ => return Err(format!("there is no command {command}").into()),
    }
    Ok(())
}
