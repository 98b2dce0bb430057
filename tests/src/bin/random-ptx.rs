//! Random PTX programs through the interpreter and through the back end's code in the emulator:
//!
//! ```text
//! random-ptx run [--from SEED] [--count N] [--seconds N] [--jobs N] [--sm 75,90,…] [--each N] [--size N] [--no-calls] [--no-floats]
//!                [--levels 0,3] [--variants] [--progress SECONDS] [--keep FOLDER] [--ptxas PATH] [--gpu]
//! random-ptx print SEED [--size N] …          the program of a seed
//! random-ptx check FILE… [--sm LIST] [OPTION…] programs with a line `// launch: …`, as `print` and `--keep` write them
//! random-ptx bisect FILE --sm NN [OPTION…]    the phase, and the number of the rewrite, that makes a failing program fail
//! ```
//!
//! `--each` is the number of targets for each program, `--variants` runs it also at other levels, with phases off, with fewer registers and with less
//! fuel. A line each ten seconds, or so often as `--progress` says, tells how far it is; 0: none. With `--ptxas`, `run` compiles with that in place of the back end, and `check` says also what becomes of its code.
//! With `--gpu` machine code runs on the first GPU, not in the emulator: `--sm` then names the GPU's target. OPTION is `-O0` to `-O3`,
//! `registers=N`, `off=PHASE`, `fuel=N` or `threads=N`.

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use warpsmith_ori::phase::PHASES;
use warpsmith_target::Sm;
use warpsmith_tests::{
    differential::{
        Judged, Maker, Place, Program, Settings, Verdict,
        campaign::{Plan, TARGETS, run},
    },
    emulator_agreement::ptxas::Ptxas,
    generate, gpu,
};

const USAGE: &str = "usage: random-ptx run|print|check|bisect … (see the top of tests/src/bin/random-ptx.rs)";

/// The command line.
#[derive(Debug, Default)]
struct Arguments {
    plan: Plan,
    ptxas: Option<PathBuf>,
    options: Vec<String>,
    rest: Vec<String>,
}

fn main() -> ExitCode {
    if std::env::args().skip(1).eq([gpu::SERVER]) {
        return gpu::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    match arguments(std::env::args().skip(1)).and_then(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("random-ptx: {message}");
            ExitCode::from(2)
        }
    }
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut result = Arguments::default();
    let plan = &mut result.plan;
    plan.progress = Some(Duration::from_secs(10));
    plan.jobs = std::thread::available_parallelism().map_or(1, usize::from);
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
            "--each" => plan.each = number()? as usize,
            "--progress" => plan.progress = Some(Duration::from_secs(number()?)).filter(|each| !each.is_zero()),
            "--size" => plan.features.size = number()? as u32,
            "--no-calls" => plan.features.calls = false,
            "--no-floats" => plan.features.floats = false,
            "--variants" => plan.variants = true,
            "--gpu" => plan.place = Place::Gpu,
            "--keep" => plan.keep = given.next().map(PathBuf::from),
            "--ptxas" => result.ptxas = given.next().map(PathBuf::from),
            "--levels" => {
                let list = given.next().unwrap_or_default();
                plan.levels = list.split(',').filter_map(|level| level.parse().ok()).collect();
            }
            "--sm" => plan.targets = targets(&given.next().unwrap_or_default())?,
            _ => match Settings::of(plan.targets[0]).take(&argument) {
                true => result.options.push(argument),
                false => result.rest.push(argument),
            },
        }
    }
    if plan.levels.is_empty() || plan.targets.is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(result)
}

fn targets(list: &str) -> Result<Vec<Sm>, String> {
    let names = list
        .split(',')
        .map(|name| format!("sm_{}", name.trim_start_matches("sm_")));
    names
        .map(|name| {
            name.parse()
                .map_err(|_| format!("there is no {name}; some are {}", TARGETS.join(", ")))
        })
        .collect()
}

/// Runs a command; whether all is well.
fn command(mut arguments: Arguments) -> Result<bool, String> {
    let (command, rest) = arguments.rest.split_first().ok_or(USAGE)?;
    let tool = match &arguments.ptxas {
        Some(path) => Some(Maker::Tool(Box::new(Ptxas::new(path, None)?))),
        None => None,
    };
    match command.as_str() {
        "run" => {
            if let Some(surplus) = rest.first() {
                return Err(format!("there is no option {surplus}"));
            }
            if let Some(tool) = tool {
                arguments.plan.maker = tool;
            }
            let report = run(&arguments.plan);
            print!("{report}");
            Ok(report.findings.is_empty())
        }
        "print" => {
            let seed = rest.first().and_then(|seed| seed.parse().ok()).ok_or(USAGE)?;
            print!("{}", generate::program(seed, arguments.plan.features).text);
            Ok(true)
        }
        "check" => {
            let mut good = true;
            for path in rest {
                good &= check(path, &arguments, tool.as_ref())?;
            }
            Ok(good)
        }
        "bisect" => {
            let path = rest.first().ok_or(USAGE)?;
            bisect(path, &arguments)?;
            Ok(true)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn read(path: &str) -> Result<Judged, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Judged::new(Program::read(&text)?).map_err(|message| format!("{path}: {message}"))
}

fn settings(sm: Sm, arguments: &Arguments) -> Settings {
    let mut settings = Settings::of(sm);
    for word in &arguments.options {
        let _ = settings.take(word);
    }
    settings
}

fn check(path: &str, arguments: &Arguments, tool: Option<&Maker>) -> Result<bool, String> {
    let judged = match read(path) {
        Ok(judged) => judged,
        Err(message) => {
            println!("no program: {message}");
            return Ok(false);
        }
    };
    let own = judged.module.target.to_string().parse::<Sm>().ok();
    let mut good = true;
    for &sm in &arguments.plan.targets {
        if !own.is_some_and(|own| sm.accepts_ptx_target(own)) {
            continue;
        }
        let settings = settings(sm, arguments);
        let verdict = judged.check(&Maker::Ours, &settings, arguments.plan.place);
        println!("{path} {sm}: {verdict}");
        good &= verdict == Verdict::Equal;
        if let Some(tool) = tool {
            println!(
                "{path} {sm} ptxas: {}",
                judged.check(tool, &settings, arguments.plan.place)
            );
        }
    }
    Ok(good)
}

/// Finds the rewrite and the phases without which a program does not fail.
fn bisect(path: &str, arguments: &Arguments) -> Result<(), String> {
    let judged = read(path)?;
    let usual = settings(arguments.plan.targets[0], arguments);
    let sm = usual.sm;
    let place = arguments.plan.place;
    let verdict = judged.check(&Maker::Ours, &usual, place);
    println!("{sm}: {verdict}");
    if !verdict.is_mistake() {
        return Err("nothing fails; name the target with --sm".to_owned());
    }
    let fails = |change: &dyn Fn(&mut Settings)| {
        let mut settings = usual.clone();
        change(&mut settings);
        let found = judged.check(&Maker::Ours, &settings, place);
        found.kind() == verdict.kind()
    };
    for level in 0..3 {
        let still = fails(&|settings| settings.options.level = level);
        println!("-O{level}: {}", if still { "fails too" } else { "does not fail" });
    }
    for phase in PHASES.iter().filter(|phase| phase.work.is_some() && !phase.required) {
        if !fails(&|settings| settings.options.off.push(phase.name.to_owned())) {
            println!("without {}: does not fail", phase.name);
        }
    }
    if fails(&|settings| settings.options.fuel = Some(0)) {
        println!("without any optional rewrite it fails too");
        return Ok(());
    }
    // The least fuel with which it fails.
    let (mut good, mut bad) = (0_u64, 1_u64);
    while !fails(&|settings| settings.options.fuel = Some(bad)) {
        good = bad;
        bad *= 2;
        if bad > 1 << 40 {
            return Err("it fails only without a limit of rewrites".to_owned());
        }
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fails(&|settings| settings.options.fuel = Some(middle)) {
            true => bad = middle,
            false => good = middle,
        }
    }
    println!("rewrite {bad} makes it fail: compare the machine IR with fuel={good} and fuel={bad}");
    // The phase of that rewrite: with all phases from it on left out, the rewrite is never reached.
    let guilty = PHASES
        .iter()
        .filter(|phase| phase.work.is_some() && !phase.required)
        .find(|phase| {
            !fails(&|settings| {
                settings.options.fuel = Some(bad);
                settings.options.off.push(phase.name.to_owned());
            }) && {
                // Without the phases after it, it fails still.
                let later: Vec<String> = PHASES
                    .iter()
                    .skip_while(|other| other.name != phase.name)
                    .skip(1)
                    .filter(|other| other.work.is_some() && !other.required)
                    .map(|other| other.name.to_owned())
                    .collect();
                fails(&|settings| {
                    settings.options.fuel = Some(bad);
                    settings.options.off.extend(later.clone());
                })
            }
        });
    match guilty {
        Some(phase) => println!("it happens in {}", phase.name),
        None => println!("no single phase is guilty"),
    }
    Ok(())
}
