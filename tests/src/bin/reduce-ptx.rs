//! Makes a program that shows a mistake of the back end small:
//!
//! ```text
//! reduce-ptx FILE --sm NN [OPTION…] [--ptxas PATH] [--compile-only] [--seconds N] [-o FILE]
//! ```
//!
//! FILE is PTX with a line `// launch: …`, as `random-ptx` writes it; what the program does wrong is found out first, and stays the same kind of
//! mistake: wrong memory, a hazard, a fault, or an error of the compiler with the same message. With `--compile-only` nothing runs, and any PTX
//! will do. `--ptxas` looks at the code of that compiler instead. OPTION is as for `random-ptx`.

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use warpsmith_ptx::Severity;
use warpsmith_target::Sm;
use warpsmith_tests::{
    differential::{Judged, Maker, Place, Program, Settings, Verdict, ours},
    emulator_agreement::ptxas::Ptxas,
    reduce::{Language, reduce},
};

const USAGE: &str = "usage: reduce-ptx FILE --sm NN [OPTION…] [--ptxas PATH] [--compile-only] [--seconds N] [-o FILE]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("reduce-ptx: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut given = std::env::args().skip(1);
    let (mut file, mut output, mut sm, mut tool) = (None, None, None, None);
    let (mut words, mut compile_only, mut seconds) = (Vec::new(), false, 120);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--sm" => sm = given.next(),
            "-o" => output = given.next().map(PathBuf::from),
            "--ptxas" => tool = given.next().map(PathBuf::from),
            "--compile-only" => compile_only = true,
            "--seconds" => seconds = given.next().and_then(|value| value.parse().ok()).ok_or(USAGE)?,
            _ if file.is_none() && !argument.starts_with('-') => file = Some(PathBuf::from(argument)),
            _ => words.push(argument),
        }
    }
    let (file, sm) = (file.ok_or(USAGE)?, sm.ok_or(USAGE)?);
    let sm: Sm = format!("sm_{}", sm.trim_start_matches("sm_"))
        .parse()
        .map_err(|_| format!("there is no {sm}"))?;
    let mut settings = Settings::of(sm);
    if let Some(word) = words.iter().find(|word| !settings.take(word)) {
        return Err(format!("{word}? {USAGE}"));
    }
    let maker = match tool {
        Some(path) => Maker::Tool(Box::new(Ptxas::new(&path, None)?)),
        None => Maker::Ours,
    };
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let program = match (Program::read(&text), compile_only) {
        (Ok(program), _) => program,
        (Err(_), true) => Program::read(&format!("// launch: grid 1\n{text}"))?,
        (Err(message), false) => return Err(message),
    };
    let verdict_of = |program: &Program| match compile_only {
        true => compiled(program, &settings),
        false => Judged::new(program.clone())
            .ok()
            .map(|judged| judged.check(&maker, &settings, Place::Emulator)),
    };
    let wanted = match (verdict_of(&program), compile_only) {
        (None, true) => return Err("the text has errors".to_owned()),
        (None, false) => return Err(Judged::new(program).err().unwrap_or_default()),
        (Some(Verdict::Equal), _) => return Err(format!("nothing is wrong on {sm}")),
        (Some(verdict), _) => verdict,
    };
    eprintln!("{sm}: {wanted}");
    let class = wanted.class();
    let test = |program: &Program| verdict_of(program).is_some_and(|verdict| verdict.class() == class);
    let (small, tries) = reduce(Language::Ptx, &program, Duration::from_secs(seconds), &test);
    let verdict = verdict_of(&small).unwrap_or(wanted);
    let line = verdict.to_string();
    let line = line.lines().next().unwrap_or_default();
    let said = settings.in_words();
    let said = if said.is_empty() { said } else { format!(" {said}") };
    let text = format!("// {sm}{said}: {line}\n{}", small.text);
    eprintln!(
        "{} lines of {} are left after {tries} tries",
        small.text.lines().count(),
        program.text.lines().count()
    );
    match output {
        Some(path) => fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display())),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// What the compiler says of a text; `None`: the text has errors.
fn compiled(program: &Program, settings: &Settings) -> Option<Verdict> {
    let parsed = warpsmith_ptx::parse(program.text.as_bytes());
    let wrong = parsed
        .problems
        .iter()
        .any(|problem| problem.severity != Severity::Warning);
    (!wrong).then(|| ours(&parsed.module, settings).err().unwrap_or(Verdict::Equal))
}
