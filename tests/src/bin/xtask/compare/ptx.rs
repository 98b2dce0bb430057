//! How far our PTX checker agrees with ptxas.

use std::{error::Error, fs, io::Write, path::PathBuf};

use warpsmith_tests::Random;
use warpsmith_tests::ptx_agreement::{
    Line, Report, inputs, mutate::Mutator, ours, ptxas::Ptxas, seeds::SEEDS, statement::statements,
};

use crate::common::{self, Outcome};

/// Compare what our PTX checker accepts with what ptxas accepts
///
/// ptxas is asked for the verdict of its front end. Where it is not installed, this says so and ends.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The vendor's ptxas; without it, the one on PATH
    #[arg(long, value_name = "PATH", global = true)]
    ptxas: Option<PathBuf>,
    /// Take verdicts from the input where it has them; then no ptxas is needed
    #[arg(long, global = true)]
    recorded: bool,
    /// Compile every line on its own that the front end accepts, whatever we say of it, and count that verdict: a few lines are
    /// refused only by the code generator of ptxas (tens of milliseconds each)
    #[arg(long, global = true)]
    whole: bool,
    /// How many examples of each difference are shown
    #[arg(long, value_name = "N", default_value_t = 3, global = true)]
    examples: usize,
    #[command(subcommand)]
    input: Input,
}

/// What is compared.
#[derive(Debug, clap::Subcommand)]
enum Input {
    /// Compare whole files and folders of them: the verdict, and the line of the first error
    Files {
        /// PTX files, or folders of them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Compare lines `body TAB target TAB version [TAB verdict]`
    Lines {
        /// Files of such lines
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Compare lines `accepted targets TAB message TAB body`, with the verdicts of the file
    Snippets {
        /// The file of such lines
        file: PathBuf,
    },
    /// Compare mutated lines
    Mutate {
        /// How many
        count: usize,
        /// The seed
        seed: u64,
        /// A file with more lines to mutate
        #[arg(long, value_name = "FILE")]
        seeds: Option<PathBuf>,
    },
    /// Compare files with one mutated line each
    Damage {
        /// How many times
        count: usize,
        /// The seed
        seed: u64,
        /// PTX files, or folders of them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Compare lines that the instruction tables give
    Table {
        /// Take every STEPth line
        #[arg(default_value_t = 1)]
        step: usize,
    },
    /// Compare lines that the tables give as legal somewhere, for other versions and targets
    Gates {
        /// Take every STEPth line
        #[arg(default_value_t = 1)]
        step: usize,
    },
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match report(arguments)? {
        // A reader that has seen enough closes the pipe.
        Some(report) => drop(writeln!(std::io::stdout(), "{report}")),
        None => println!("ptxas was not found: nothing compared"),
    }
    Ok(Outcome::Good)
}

/// Compares; `None` if that needs ptxas and there is none.
fn report(arguments: &Arguments) -> Result<Option<Report>, Box<dyn Error>> {
    let ptxas = Ptxas::find(arguments.ptxas.as_deref());
    let mut report = Report::default();
    report.examples = arguments.examples;
    let without_verdict = |lines: Vec<Line>| lines.into_iter().map(|line| (line, None)).collect();
    let lines = match &arguments.input {
        Input::Files { paths } => {
            let Some(ptxas) = &ptxas else { return Ok(None) };
            compare_files(ptxas, &inputs::files(paths)?, &mut report)?;
            return Ok(Some(report));
        }
        Input::Damage { count, seed, paths } => {
            let Some(ptxas) = &ptxas else { return Ok(None) };
            compare_damaged(ptxas, *count, *seed, &inputs::files(paths)?, &mut report)?;
            return Ok(Some(report));
        }
        Input::Snippets { file } => {
            // The verdicts of the file are those of whole runs.
            return compare_lines(ptxas.as_ref(), Asked::Recorded, inputs::snippets(file)?, report);
        }
        Input::Lines { files } => {
            let read: Result<Vec<_>, _> = files.iter().map(|path| inputs::lines(path)).collect();
            read?.concat()
        }
        Input::Mutate { count, seed, seeds } => {
            let mut bodies: Vec<String> = SEEDS.iter().map(|&s| s.to_owned()).collect();
            if let Some(path) = seeds {
                bodies.extend(inputs::lines(path)?.into_iter().map(|(line, _)| line.body));
            }
            without_verdict(Mutator::new(bodies, *seed).lines(*count))
        }
        Input::Table { step } => without_verdict(ours::table_lines(*step)),
        Input::Gates { step } => without_verdict(ours::gate_lines(*step)),
    };
    let asked = match (arguments.recorded, arguments.whole) {
        (true, false) => Asked::Recorded,
        (false, false) => Asked::FrontEnd,
        (false, true) => Asked::Whole,
        (true, true) => Asked::RecordedThenWhole,
    };
    compare_lines(ptxas.as_ref(), asked, lines, report)
}

/// Whose verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// That of the front end of ptxas.
    FrontEnd,
    /// That of the whole of ptxas.
    Whole,
    /// The one in the input; that of the front end, where there is none.
    Recorded,
    /// The one in the input, and then that of the whole of ptxas for what is accepted.
    RecordedThenWhole,
}

fn compare_lines(
    ptxas: Option<&Ptxas>,
    asked_for: Asked,
    input: Vec<inputs::Recorded>,
    mut report: Report,
) -> Result<Option<Report>, Box<dyn Error>> {
    let is_recorded = matches!(asked_for, Asked::Recorded | Asked::RecordedThenWhole);
    let is_whole = matches!(asked_for, Asked::Whole | Asked::RecordedThenWhole);
    let (known, asked): (Vec<_>, Vec<_>) = input
        .into_iter()
        .partition(|(_, verdict)| is_recorded && verdict.is_some());
    let asked: Vec<Line> = asked.into_iter().map(|(line, _)| line).collect();
    let answers = match ptxas {
        Some(ptxas) => ptxas.lines(&asked)?,
        None if asked.is_empty() => Vec::new(),
        None => return Ok(None),
    };
    let known = known.into_iter().filter_map(|(line, verdict)| Some((line, verdict?)));
    for (line, mut theirs) in known.chain(asked.into_iter().zip(answers)) {
        let ours = ours::line(&line);
        // Some verdicts of ptxas depend on the lines before; what counts is a line alone.
        if let (Some(ptxas), true, false) = (ptxas, ours.is_accepted(), theirs.is_accepted())
            && !is_recorded
        {
            theirs = ptxas.lines(std::slice::from_ref(&line))?.remove(0);
        }
        if let (Some(ptxas), true, true) = (ptxas, is_whole, theirs.is_accepted()) {
            theirs = ptxas.whole(&line)?;
        }
        report.line(&line, &ours, &theirs);
    }
    Ok(Some(report))
}

fn compare_files(ptxas: &Ptxas, paths: &[PathBuf], report: &mut Report) -> Result<(), Box<dyn Error>> {
    for path in paths {
        let text = fs::read(path)?;
        let theirs = ptxas.file(&text, &inputs::target_of(path, &text))?;
        let origin = path
            .parent()
            .and_then(|p| p.file_name())
            .unwrap_or_default()
            .to_string_lossy();
        report.file(&path.to_string_lossy(), &origin, &ours::file(&text), &theirs);
    }
    Ok(())
}

fn compare_damaged(
    ptxas: &Ptxas,
    count: usize,
    seed: u64,
    paths: &[PathBuf],
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(seed);
    let mut mutator = Mutator::new(SEEDS.iter().map(|&s| s.to_owned()).collect(), seed);
    let mut done = 0;
    while done < count && !paths.is_empty() {
        let path = &paths[random.below(paths.len() as u64) as usize];
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let Some(damaged) = damage_a_line(&text, &mut random, &mut mutator) else {
            continue;
        };
        done += 1;
        let theirs = ptxas.file(damaged.0.as_bytes(), &inputs::target_of(path, text.as_bytes()))?;
        let ours = ours::file(damaged.0.as_bytes());
        let opcode = statements(&damaged.1)
            .first()
            .map_or_else(String::new, |(_, s)| s.parts[0].clone());
        report.file(
            &format!("{}\t{}", path.display(), damaged.1.trim()),
            &opcode,
            &ours,
            &theirs,
        );
    }
    Ok(())
}

/// `text` with one of its instruction lines mutated, and that line; `None` if the line drawn has no instruction.
fn damage_a_line(text: &str, random: &mut Random, mutator: &mut Mutator) -> Option<(String, String)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let at = random.below(lines.len() as u64) as usize;
    if statements(lines[at]).is_empty() {
        return None;
    }
    let new = mutator.mutant(lines[at]).filter(|new| new != lines[at])?;
    let damaged = lines
        .iter()
        .enumerate()
        .map(|(n, line)| if n == at { new.as_str() } else { line });
    Some((damaged.collect::<Vec<_>>().join("\n"), new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_tests::ptx_agreement::{Verdict, frame::Frame};

    #[test]
    fn a_statement_is_taken_apart_and_put_together() {
        let body = "{.reg .b32 t; M: @!%p1 st.global.v2.u32 [%rd1+4], {%r1,%r2};}";
        let found = statements(body);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1.parts, ["st", "global", "v2", "u32"]);
        assert_eq!(found[0].1.operands, ["[%rd1+4]", "{%r1,%r2}"]);
        assert_eq!(found[0].1.text(), "@!%p1 st.global.v2.u32 [%rd1+4], {%r1,%r2};");
        assert_eq!(&body[found[0].0.clone()], "@!%p1 st.global.v2.u32 [%rd1+4], {%r1,%r2};");
    }

    #[test]
    fn the_same_seed_gives_the_same_mutants() {
        let seeds = || SEEDS.iter().map(|&s| s.to_owned()).collect();
        let lines = Mutator::new(seeds(), 7).lines(200);
        assert_eq!(lines, Mutator::new(seeds(), 7).lines(200));
        assert_ne!(lines, Mutator::new(seeds(), 8).lines(200));
    }

    #[test]
    fn differences_are_counted_by_instruction_and_message() {
        let line = Line {
            frame: Frame::Lines,
            body: "add.s32 %r1,%r2;".into(),
            target: "sm_75".into(),
            version: "9.0".into(),
        };
        let mut report = Report::default();
        report.line(
            &line,
            &Verdict::Accepted,
            &Verdict::refused("Arguments mismatch for instruction 'add'"),
        );
        report.line(&line, &Verdict::Accepted, &Verdict::Accepted);
        let text = report.to_string();
        assert!(
            text.starts_with("2 compared: the same verdict on 1 (50.000 %)"),
            "{text}"
        );
        assert!(
            text.contains("1 × only ours accepts where ptxas says: Arguments mismatch for instruction '…'"),
            "{text}"
        );
    }
}
