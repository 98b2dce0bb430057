//! Random CUDA C++ programs at all levels, in the interpreter and as machine code in the emulator:
//!
//! ```text
//! random-cuda run [--from SEED] [--count N] [--seconds N] [--jobs N] [--sm 75,90,…] [--size N] [--no-floats] [--no-exchange] [--keep FOLDER]
//!                 [--host COMPILER] [--host-each N] [--sanitise] [--progress SECONDS]
//! random-cuda print SEED [--size N] …           the program of a seed
//! random-cuda check FILE --sm NN [OPTION…]      a program as `print` writes it, in one way or in those of its seed
//! random-cuda bisect FILE --sm NN OPTION…       the rewrite of the optimiser that makes a program fail
//! random-cuda reduce FILE --sm NN OPTION… [--seconds N] [-o FILE]
//! ```
//!
//! The expected result is that of the interpreter without optimisation. `--host` also compares it with what a C++ compiler of the host makes of one in
//! `--host-each` programs; `--sanitise` has that compiler look for undefined behaviour. OPTION is `-O0` to `-O3`, `off=PASS`, `fuel=N`, or `machine=LEVEL`:
//! machine code of this level of the back end in place of the interpreter. `reduce` with `--host` keeps only programs that the host runs to the same end.

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use warpsmith_target::Sm;
use warpsmith_tests::{
    cuda_differential::{
        Compiled, Way,
        campaign::{Plan, run, ways},
        host::Host,
    },
    differential::{Memory, Program, Verdict},
    generate_cuda,
    reduce::{Language, reduce},
};

const USAGE: &str = "usage: random-cuda run|print|check|bisect|reduce … (see the top of tests/src/bin/random-cuda.rs)";

/// The command line.
#[derive(Debug, Default)]
struct Arguments {
    plan: Plan,
    way: Option<Way>,
    output: Option<PathBuf>,
    rest: Vec<String>,
}

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)).and_then(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("random-cuda: {message}");
            ExitCode::from(2)
        }
    }
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut result = Arguments::default();
    let plan = &mut result.plan;
    plan.progress = Some(Duration::from_secs(10));
    plan.jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut host, mut each, mut sanitise) = (None, 1, false);
    while let Some(argument) = given.next() {
        let mut number = || -> Result<u64, String> {
            let value = given.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("a number is wanted after {argument}"))
        };
        match argument.as_str() {
            "--from" => plan.first = number()?,
            "--count" => plan.count = number()?,
            "--seconds" => (plan.time, plan.count) = (Some(Duration::from_secs(number()?)), u64::MAX),
            "--jobs" => plan.jobs = number()? as usize,
            "--size" => plan.features.size = number()? as u32,
            "--progress" => plan.progress = Some(Duration::from_secs(number()?)).filter(|each| !each.is_zero()),
            "--host-each" => each = number()?.max(1),
            "--no-floats" => plan.features.floats = false,
            "--no-exchange" => plan.features.exchange = false,
            "--keep" => plan.keep = given.next().map(PathBuf::from),
            "--host" => host = given.next(),
            "--sanitise" => sanitise = true,
            "-o" => result.output = given.next().map(PathBuf::from),
            "--sm" => plan.targets = targets(&given.next().unwrap_or_default())?,
            _ => {
                let mut way = result.way.clone().unwrap_or(Way::level(3));
                match way.take(&argument) {
                    true => result.way = Some(way),
                    false => result.rest.push(argument),
                }
            }
        }
    }
    if plan.targets.is_empty() {
        return Err(USAGE.to_owned());
    }
    plan.host = host.map(|compiler| {
        let folder = std::env::temp_dir().join("random-cuda");
        let host = Host {
            compiler,
            folder,
            sanitise,
        };
        (host, each)
    });
    Ok(result)
}

fn targets(list: &str) -> Result<Vec<Sm>, String> {
    let names = list
        .split(',')
        .map(|name| format!("sm_{}", name.trim_start_matches("sm_")));
    names
        .map(|name| name.parse().map_err(|_| format!("there is no {name}")))
        .collect()
}

/// Runs a command; whether all is well.
fn command(arguments: Arguments) -> Result<bool, String> {
    let (command, rest) = arguments.rest.split_first().ok_or(USAGE)?;
    match (command.as_str(), rest) {
        ("run", []) => {
            let report = run(&arguments.plan);
            print!("{report}");
            Ok(report.findings.is_empty())
        }
        ("print", [seed]) => {
            let seed = seed.parse().map_err(|_| USAGE)?;
            print!("{}", generate_cuda::source(seed, arguments.plan.features).program.text);
            Ok(true)
        }
        ("check", [path]) => {
            let (compiled, expected) = read(path, &arguments)?;
            if let Some((host, _)) = &arguments.plan.host {
                let same = host.run(&compiled.program).map(|memory| memory == expected);
                println!("host: {same:?}");
            }
            let ways = arguments
                .way
                .map_or_else(|| ways(compiled.program.seed), |way| vec![way]);
            let mut good = true;
            for way in ways {
                let verdict = compiled.check(&way, &expected);
                println!("{}: {verdict}", way.in_words());
                good &= verdict == Verdict::Equal;
            }
            Ok(good)
        }
        ("bisect", [path]) => bisect(path, &arguments).map(|()| true),
        ("reduce", [path]) => smaller(path, &arguments).map(|()| true),
        _ => Err(USAGE.to_owned()),
    }
}

/// A program, and what it leaves.
fn read(path: &str, arguments: &Arguments) -> Result<(Compiled, Memory), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let compiled = Compiled::new(Program::read(&text)?, arguments.plan.targets[0])?;
    let expected = compiled.expected().map_err(|verdict| verdict.to_string())?;
    Ok((compiled, expected))
}

fn bisect(path: &str, arguments: &Arguments) -> Result<(), String> {
    let (compiled, expected) = read(path, arguments)?;
    let way = arguments.way.clone().ok_or(USAGE)?;
    let fails = |fuel: u64| {
        let way = Way {
            fuel: Some(fuel),
            ..way.clone()
        };
        compiled.check(&way, &expected) != Verdict::Equal
    };
    let (mut good, mut bad) = (0_u64, 1 << 20);
    if fails(good) || !fails(bad) {
        return Err("rewrites of the optimiser make no difference".to_owned());
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fails(middle) {
            true => bad = middle,
            false => good = middle,
        }
    }
    println!("rewrite {bad} makes it fail");
    for pass in warpsmith_tests::cuda_differential::campaign::optional_passes() {
        let mut off = way.clone();
        off.off.push(pass.to_owned());
        if compiled.check(&off, &expected) == Verdict::Equal {
            println!("without {pass} it does not fail");
        }
    }
    Ok(())
}

fn smaller(path: &str, arguments: &Arguments) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let program = Program::read(&text)?;
    let sm = arguments.plan.targets[0];
    let way = arguments.way.clone().ok_or(USAGE)?;
    let verdict_of = |program: &Program| {
        let compiled = Compiled::new(program.clone(), sm).ok()?;
        let expected = compiled.expected().ok()?;
        let verdict = compiled.check(&way, &expected);
        let host = arguments.plan.host.as_ref().filter(|_| verdict != Verdict::Equal);
        match host {
            Some((host, _)) if host.run(program).as_ref() != Ok(&expected) => None,
            _ => Some(verdict),
        }
    };
    let wanted = verdict_of(&program).filter(|verdict| *verdict != Verdict::Equal);
    let wanted = wanted.ok_or("nothing is wrong with it in this way")?;
    eprintln!("{wanted}");
    let class = wanted.class();
    let test = |program: &Program| verdict_of(program).is_some_and(|verdict| verdict.class() == class);
    let time = arguments.plan.time.unwrap_or(Duration::from_secs(300));
    let (small, tries) = reduce(Language::Cuda, &program, time, &test);
    eprintln!("{} lines after {tries} tries", small.text.lines().count());
    let text = format!("// options: {}\n{}", way.in_words(), small.text);
    match &arguments.output {
        Some(path) => fs::write(path, text).map_err(|error| error.to_string()),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}
