//! How far our PTX checker agrees with ptxas, which must be installed (else this says so and ends):
//!
//! ```text
//! ptx-agreement [--ptxas PATH] [--recorded] [--whole] [--examples N] [--seeds FILE] COMMAND
//!   files PATH…          whole files and folders of them: the verdict, and the line of the first error
//!   lines FILE…          `body TAB target TAB version [TAB verdict]`
//!   snippets FILE        `accepted targets TAB message TAB body`, with the verdicts of the file
//!   mutate N SEED        N mutated lines
//!   damage N SEED PATH…  N times a file with one mutated line
//!   table [STEP]         every STEPth line that the instruction tables give
//!   gates [STEP]         every STEPth line that they give as legal somewhere, for other versions and targets
//! ```
//!
//! ptxas is asked for the verdict of its front end. A few lines are refused only later, by its code generator: with `--whole` every line that the front
//! end accepts, whatever we say of it, is compiled on its own and that verdict counts (tens of milliseconds each).
//! `--recorded` takes verdicts from the input where it has them; then no ptxas is needed. `--seeds` adds lines to mutate.

use std::{error::Error, fs, io::Write, path::PathBuf, process::ExitCode};
use warpsmith_tests::Random;
use warpsmith_tests::ptx_agreement::{
    Line, Report, inputs, mutate::Mutator, ours, ptxas::Ptxas, seeds::SEEDS, statement::statements,
};

/// The command line.
#[derive(Debug, Default)]
struct Arguments {
    ptxas: Option<PathBuf>,
    recorded: bool,
    whole: bool,
    examples: usize,
    seeds: Option<PathBuf>,
    rest: Vec<String>,
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!(
            "usage: ptx-agreement [--ptxas PATH] [--recorded] [--whole] [--examples N] [--seeds FILE] files|lines|snippets|mutate|damage|table|gates …"
        );
        return ExitCode::from(2);
    };
    match run(&arguments) {
        // A reader that has seen enough closes the pipe.
        Ok(Some(report)) => drop(writeln!(std::io::stdout(), "{report}")),
        Ok(None) => println!("ptxas was not found: nothing compared"),
        Err(error) => {
            eprintln!("ptx-agreement: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn arguments() -> Option<Arguments> {
    let mut result = Arguments {
        examples: 3,
        ..Arguments::default()
    };
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--ptxas" => result.ptxas = Some(given.next()?.into()),
            "--recorded" => result.recorded = true,
            "--whole" => result.whole = true,
            "--examples" => result.examples = given.next()?.parse().ok()?,
            "--seeds" => result.seeds = Some(given.next()?.into()),
            _ => result.rest.push(argument),
        }
    }
    (!result.rest.is_empty()).then_some(result)
}

/// Runs the command; `None` if it needs ptxas and there is none.
fn run(arguments: &Arguments) -> Result<Option<Report>, Box<dyn Error>> {
    let ptxas = Ptxas::find(arguments.ptxas.as_deref());
    let (command, rest) = arguments.rest.split_first().expect("there is a command");
    let paths: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
    let mut report = Report::default();
    report.examples = arguments.examples;
    match (command.as_str(), rest) {
        ("files", _) => match &ptxas {
            Some(ptxas) => compare_files(ptxas, &inputs::files(&paths)?, &mut report)?,
            None => return Ok(None),
        },
        ("damage", [count, seed, ..]) => match &ptxas {
            Some(ptxas) => compare_damaged(
                ptxas,
                count.parse()?,
                seed.parse()?,
                &inputs::files(&paths[2..])?,
                &mut report,
            )?,
            None => return Ok(None),
        },
        ("lines", _) => {
            let read: Result<Vec<_>, _> = paths.iter().map(|path| inputs::lines(path)).collect();
            return compare_lines(ptxas.as_ref(), arguments, read?.concat(), report);
        }
        ("snippets", [_]) => {
            // The verdicts of the file are those of whole runs.
            let arguments = Arguments {
                recorded: true,
                ..Arguments::default()
            };
            return compare_lines(ptxas.as_ref(), &arguments, inputs::snippets(&paths[0])?, report);
        }
        ("mutate", [count, seed]) => {
            let mut seeds: Vec<String> = SEEDS.iter().map(|&s| s.to_owned()).collect();
            if let Some(path) = &arguments.seeds {
                seeds.extend(inputs::lines(path)?.into_iter().map(|(line, _)| line.body));
            }
            let lines = Mutator::new(seeds, seed.parse()?).lines(count.parse()?);
            return compare_lines(
                ptxas.as_ref(),
                arguments,
                lines.into_iter().map(|line| (line, None)).collect(),
                report,
            );
        }
        ("table" | "gates", [] | [_]) => {
            let step = rest.first().map_or(Ok(1), |step| step.parse())?;
            let lines = match command.as_str() {
                "table" => ours::table_lines(step),
                _ => ours::gate_lines(step),
            };
            let lines = lines.into_iter().map(|line| (line, None)).collect();
            return compare_lines(ptxas.as_ref(), arguments, lines, report);
        }
        _ => return Err(format!("unknown command or wrong number of arguments: {command}").into()),
    }
    Ok(Some(report))
}

fn compare_lines(
    ptxas: Option<&Ptxas>,
    arguments: &Arguments,
    input: Vec<inputs::Recorded>,
    mut report: Report,
) -> Result<Option<Report>, Box<dyn Error>> {
    let (known, asked): (Vec<_>, Vec<_>) = input
        .into_iter()
        .partition(|(_, verdict)| arguments.recorded && verdict.is_some());
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
            && !arguments.recorded
        {
            theirs = ptxas.lines(std::slice::from_ref(&line))?.remove(0);
        }
        if let (Some(ptxas), true, true) = (ptxas, arguments.whole, theirs.is_accepted()) {
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
