//! Random programs mean the same before and after: all passes together at each level, and each pass alone.
//!
//! `WARPSMITH_RANDOM=FROM..TO` tries these seeds in place of a few; `WARPSMITH_RANDOM_FOLDER` is where programs that differ are written.

mod generate;

use generate::ELEMENTS;
use warpsmith_base::Random;
use warpsmith_ir::interpret::{Datum, Machine, Stop};
use warpsmith_ir::{FunctionId, Module};
use warpsmith_opt::{Options, PASSES, optimize};

/// What a program did: its result, and the memory that it got.
type Outcome = Result<(Datum, Vec<Option<u8>>), Stop>;

fn run(module: &Module, function: FunctionId, inputs: u64) -> Outcome {
    let mut random = Random::new(inputs);
    let bytes: Vec<u8> = (0..ELEMENTS * 4).map(|_| random.below_u32(256) as u8).collect();
    let mut machine = Machine::new(module);
    machine.steps_left = 200_000;
    let memory = machine.allocate(&bytes);
    let x = u64::from(random.below_u32(20));
    let y = u64::from(random.below_u32(u32::MAX));
    let result = machine.call(
        function,
        &[Datum::int(64, memory), Datum::int(32, x), Datum::int(32, y)],
    )?;
    let after = machine
        .region(memory)
        .map_or(Vec::new(), |region| region.bytes().to_vec());
    Ok((result, after))
}

/// Why an outcome is not one that the program before may have had.
fn differs(before: &Outcome, after: &Outcome) -> Option<String> {
    let (expected, found) = match (before, after) {
        // What is not defined may become anything; what takes too long may be cut elsewhere.
        (Err(_), _) => return None,
        (Ok(expected), Ok(found)) => (expected, found),
        (Ok(_), Err(stop)) => return Some(stop.to_string()),
    };
    if !found.0.refines(&expected.0) {
        return Some(format!("{:?} in place of {:?}", found.0, expected.0));
    }
    let memory = expected
        .1
        .iter()
        .zip(&found.1)
        .position(|(expected, found)| expected.is_some() && expected != found);
    memory.map(|at| format!("byte {at}: {:?} in place of {:?}", found.1[at], expected.1[at]))
}

fn check(seed: u64, options: &Options) -> Result<(), String> {
    let (module, function) = generate::module(seed);
    if let Err(problems) = module.verify() {
        return Err(format!("the generator: {}", problems[0]));
    }
    let mut optimised = module.clone();
    optimize(&mut optimised, options).map_err(|failure| format!("seed {seed}: {failure}"))?;
    for inputs in 0..3 {
        let (before, after) = (run(&module, function, inputs), run(&optimised, function, inputs));
        if let Some(what) = differs(&before, &after) {
            return Err(format!("seed {seed}, input {inputs}, {options:?}: {what}"));
        }
    }
    Ok(())
}

/// The pass and the number of rewrites after which a program first differs.
fn locate(seed: u64, options: &Options) -> String {
    let with = |fuel: u64| {
        let options = Options {
            fuel: Some(fuel),
            ..options.clone()
        };
        check(seed, &options).is_err()
    };
    let (mut good, mut bad) = (0, 1_000_000);
    if !with(bad) {
        return "not with fuel".into();
    }
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        if with(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    format!("rewrite {bad}")
}

fn seeds(few: u64) -> std::ops::Range<u64> {
    let given = std::env::var("WARPSMITH_RANDOM").ok();
    let parts = given.as_deref().and_then(|text| text.split_once(".."));
    match parts.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?)) {
        Some(range) => range,
        None => 0..few,
    }
}

fn all(few: u64, options: &[Options]) {
    let mut failures = Vec::new();
    for seed in seeds(few) {
        for options in options {
            if let Err(what) = check(seed, options) {
                if let Ok(folder) = std::env::var("WARPSMITH_RANDOM_FOLDER") {
                    let (module, _) = generate::module(seed);
                    std::fs::write(format!("{folder}/{seed}.ll"), module.to_string()).unwrap();
                }
                failures.push(format!("{what} ({})", locate(seed, options)));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn levels() {
    let level = |level| Options {
        level,
        verify: true,
        ..Options::default()
    };
    all(10, &[level(1), level(3)]);
}

#[test]
fn each_pass_alone() {
    let after = |before: &[&str], pass: &str| Options {
        passes: Some(before.iter().copied().chain([pass]).map(str::to_owned).collect()),
        verify: true,
        ..Options::default()
    };
    let mut options = Vec::new();
    for pass in PASSES {
        options.push(after(&[], pass.name));
        options.push(after(&["sroa"], pass.name));
    }
    all(1, &options);
}
