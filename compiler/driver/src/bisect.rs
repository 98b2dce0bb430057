//! `warpsmith bisect`: which rewrite of which pass makes a program wrong.
//!
//! Passes and phases ask for fuel before each rewrite that correct code does not need. With as little fuel as the test passes with, and one
//! more, there are two compiles that differ in one rewrite: it is found by halving, and shown.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use warpsmith::{Language, Options, Ptx, Session, Sm, Source};
use warpsmith_base::Diagnostic;
use warpsmith_ir::Dialect;
use warpsmith_opt::Subject;

use crate::code_options::CodeOptions;
use crate::compile::{LanguageName, source, target};
use crate::{Console, files, translate};

/// Find the rewrite that makes a program wrong
///
/// The test is a command that ends with 0 for a good cubin and with anything else for a bad one. It is run again and again, with the cubin's path in the
/// place of `{}`, or behind its words. The rewrites of the optimiser and of the back end are then halved until one is left.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The source: .cu, .ll, .bc, .ptx
    pub file: PathBuf,
    /// What the source is written in [default: what its name ends in, or its first lines look like]
    #[arg(short = 'x', long, value_name = "LANGUAGE", value_enum)]
    language: Option<LanguageName>,
    /// Where cubins are written for the test [default: a new file beside the input, which is removed]
    #[arg(short, long, value_name = "CUBIN")]
    output: Option<PathBuf>,
    #[command(flatten)]
    code: CodeOptions,
    /// The test and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "TEST")]
    test: Vec<OsString>,
}

/// Which rewrites are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Those of the SSA optimiser; the back end makes none.
    Passes,
    /// Those of the back end; the optimiser makes all.
    Phases,
}

/// How many rewrites may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fuel {
    passes: Option<u64>,
    phases: Option<u64>,
}

impl Side {
    fn fuel(self, count: u64) -> Fuel {
        match self {
            Side::Passes => Fuel {
                passes: Some(count),
                phases: Some(0),
            },
            Side::Phases => Fuel {
                passes: None,
                phases: Some(count),
            },
        }
    }
}

/// What ran on what, and the text of that afterwards. Texts of all steps would fill the memory: of those before the wanted one there is only a digest.
struct Step {
    pass: &'static str,
    subject: String,
    digest: u64,
}

/// What is taken down of the steps of a compile.
struct Log {
    steps: Vec<Step>,
    /// The step whose text is kept.
    wanted: Option<usize>,
    text: String,
}

impl Log {
    const fn new(wanted: Option<usize>) -> Log {
        Log {
            steps: Vec::new(),
            wanted,
            text: String::new(),
        }
    }

    fn note(&mut self, pass: &'static str, subject: String, text: String) {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        if self.wanted == Some(self.steps.len()) {
            self.text = text;
        }
        self.steps.push(Step {
            pass,
            subject,
            digest: hasher.finish(),
        });
    }
}

fn error(text: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error(text)]
}

/// Finds the rewrite.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let search = Search {
        source: source(&arguments.file, arguments.language)?,
        output: arguments.output.clone().unwrap_or_else(|| {
            arguments
                .file
                .with_extension(format!("bisect-{}.cubin", std::process::id()))
        }),
        arguments,
        tries: RefCell::new(0),
    };
    let found = search.find(console);
    if arguments.output.is_none() {
        let _ = std::fs::remove_file(&search.output);
    }
    files::write_output(None, found?.as_bytes(), console)
}

struct Search<'a> {
    arguments: &'a Arguments,
    source: Source,
    output: PathBuf,
    tries: RefCell<u64>,
}

impl Search<'_> {
    fn find(&self, console: &mut Console) -> Result<String, Vec<Diagnostic>> {
        let all = Fuel {
            passes: None,
            phases: None,
        };
        if self.is_good(all, console)? {
            return Err(error(
                "the test passes with all rewrites: nothing is wrong with this program, or the test does not show it",
            ));
        }
        if !self.is_good(Side::Passes.fuel(0), console)? {
            let problem = Diagnostic::error("the test fails without a single rewrite, too");
            return Err(vec![problem.note(
                "the program itself may be wrong, or the test, or a step that every compile takes: compare with `warpsmith run`",
            )]);
        }
        let side = match self.source.language() {
            Language::Ptx => Side::Phases,
            Language::Cuda | Language::Ir => match self.is_good(Side::Phases.fuel(0), console)? {
                true => Side::Phases,
                false => Side::Passes,
            },
        };
        let (mut good, mut bad) = (0, 1);
        while self.is_good(side.fuel(bad), console)? {
            good = bad;
            bad = bad
                .checked_mul(2)
                .filter(|bad| *bad < 1 << 40)
                .ok_or_else(|| error("the test fails with all rewrites, and passes with as many as there are: it does not always end alike"))?;
        }
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.is_good(side.fuel(middle), console)? {
                true => good = middle,
                false => bad = middle,
            }
        }
        self.report(side, good, bad, console)
    }

    /// What the first rewrite that makes the program wrong does.
    fn report(&self, side: Side, good: u64, bad: u64, console: &mut Console) -> Result<String, Vec<Diagnostic>> {
        let tries = *self.tries.borrow();
        let [before, after] = [
            self.steps(side.fuel(good), side, None, console)?.steps,
            self.steps(side.fuel(bad), side, None, console)?.steps,
        ];
        let first = (before.iter().zip(&after)).position(|(before, after)| before.digest != after.digest);
        let (what, option) = match side {
            Side::Passes => ("pass", "--pass-fuel"),
            Side::Phases => ("phase", "--phase-fuel"),
        };
        let mut text = format!(
            "{} compiles: rewrite {bad} makes the program wrong ({option} {good} is right, {option} {bad} is not",
            tries
        );
        text.push_str(match side {
            Side::Passes => ", with --phase-fuel 0)\n",
            Side::Phases => ")\n",
        });
        let Some(first) = first else {
            text.push_str("It changes no text between passes: look at the listings of both.\n");
            return Ok(text);
        };
        let _ = writeln!(text, "{what} {} of {}:", after[first].pass, after[first].subject);
        let before = self.steps(side.fuel(good), side, Some(first), console)?.text;
        let after = self.steps(side.fuel(bad), side, Some(first), console)?.text;
        text.push_str(&difference(&before, &after));
        Ok(text)
    }

    fn options(&self, sm: Sm, fuel: Fuel) -> Result<Options, Vec<Diagnostic>> {
        let mut options = self.arguments.code.options(sm)?;
        options.pass_fuel = fuel.passes.or(options.pass_fuel);
        options.phase_fuel = fuel.phases.or(options.phase_fuel);
        Ok(options)
    }

    /// The PTX; `log` takes down what each pass made.
    fn ptx(
        &self,
        fuel: Fuel,
        log: Option<&Mutex<Log>>,
        console: &mut Console,
    ) -> Result<(Session, Ptx), Vec<Diagnostic>> {
        let path = &self.arguments.file;
        let asked = self.arguments.code.arch;
        let session = translate::session(self.options(asked.unwrap_or(Sm::Sm75), fuel)?);
        if self.source.language() == Language::Ptx {
            let ptx = session.read_ptx(&self.source);
            let ptx = ptx.map_err(|failure| translate::not_read(path, &failure, console))?;
            let session = translate::session(self.options(target(asked, &ptx)?, fuel)?);
            return Ok((session, ptx));
        }
        let unit = session.front(&self.source);
        let mut unit = unit.map_err(|failure| translate::refused(path, &failure, console))?;
        session.link_library(&mut unit).map_err(translate::diagnostics)?;
        let note = |event: &warpsmith_opt::Event<'_>| {
            let Some(log) = log else { return };
            let (subject, text) = match event.subject {
                Subject::Function(symbols, function) => (
                    symbols.functions[function.id()].name.to_string(),
                    function.display(Some(symbols)).to_string(),
                ),
                Subject::Module(module) => ("the module".to_owned(), module.to_text(Dialect::Modern)),
            };
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.note(event.pass.name, subject, text);
        };
        let optimised = session.optimise_observed(&mut unit, &note);
        optimised.map_err(translate::diagnostics)?;
        let ptx = session.select(&unit);
        let ptx = ptx.map_err(|failure| translate::refused(path, &failure, console))?;
        Ok((session, ptx))
    }

    /// What each pass or phase made.
    fn steps(
        &self,
        fuel: Fuel,
        side: Side,
        wanted: Option<usize>,
        console: &mut Console,
    ) -> Result<Log, Vec<Diagnostic>> {
        let log = Mutex::new(Log::new(wanted));
        let (session, ptx) = self.ptx(fuel, Some(&log).filter(|_| side == Side::Passes), console)?;
        let mut log = log.into_inner().unwrap_or_else(PoisonError::into_inner);
        if side == Side::Phases {
            let output = session.assemble_observed(&ptx, &mut |event| {
                let phase = event.phase.map_or("lower", |phase| phase.name);
                log.note(phase, event.function.name.clone(), event.function.to_string());
            });
            output.map_err(|failure| translate::refused(&self.arguments.file, &failure, console))?;
        }
        Ok(log)
    }

    /// Whether the test passes with so many rewrites.
    fn is_good(&self, fuel: Fuel, console: &mut Console) -> Result<bool, Vec<Diagnostic>> {
        *self.tries.borrow_mut() += 1;
        let (session, ptx) = self.ptx(fuel, None, console)?;
        let output = session.assemble(&ptx);
        let output = output.map_err(|failure| translate::refused(&self.arguments.file, &failure, console))?;
        files::write_output(Some(&self.output), &output.cubin.write(), console)?;
        passes(&self.arguments.test, &self.output)
    }
}

/// Whether a command ends with 0. `{}` in its words is the path; without it the path is the last word.
///
/// # Errors
/// That it cannot be started.
pub(crate) fn passes(test: &[OsString], path: &Path) -> Result<bool, Vec<Diagnostic>> {
    let shown = path.to_string_lossy();
    let mut words: Vec<OsString> = test
        .iter()
        .map(|word| match word.to_str().filter(|word| word.contains("{}")) {
            Some(word) => word.replace("{}", &shown).into(),
            None => word.clone(),
        })
        .collect();
    if words == test {
        words.push(path.into());
    }
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(status) => Ok(status.success()),
        Err(problem) => Err(error(format!(
            "{}: cannot be run: {problem}",
            words[0].to_string_lossy()
        ))),
    }
}

/// Lines shown around what differs, and of each of two texts at most.
const AROUND: usize = 2;
const MOST_LINES: usize = 24;

/// What differs between two texts, without the lines that both begin and end with.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = (old.iter().rev().zip(new.iter().rev()).take(rest))
        .take_while(|(old, new)| old == new)
        .count();
    let mut text = String::new();
    let mut show = |sign: char, lines: &[&str]| {
        for line in lines.iter().take(MOST_LINES) {
            let _ = writeln!(text, "{sign} {line}");
        }
        if lines.len() > MOST_LINES {
            let _ = writeln!(text, "{sign} … and {} lines more", lines.len() - MOST_LINES);
        }
    };
    show(' ', &old[head.saturating_sub(AROUND)..head]);
    show('-', &old[head..old.len() - tail]);
    show('+', &new[head..new.len() - tail]);
    show(' ', &old[old.len() - tail..(old.len() - tail + AROUND).min(old.len())]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs() {
        assert_eq!(
            difference("a\nb\nc\nd\ne\n", "a\nb\nx\ny\nd\ne\n"),
            "  a\n  b\n- c\n+ x\n+ y\n  d\n  e\n"
        );
        assert_eq!(difference("a\n", "a\nb\n"), "  a\n+ b\n");
        assert_eq!(difference("a\na\n", "a\n"), "  a\n- a\n");
    }
}
