//! Random PTX programs through the interpreter and through the back end's code in the emulator.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use warpsmith_ori::phase::PHASES;
use warpsmith_target::Sm;
use warpsmith_tests::{
    differential::{
        Judged, Maker, Place, Program, Settings, Verdict,
        campaign::{Plan, run as run_plan},
    },
    emulator_agreement::ptxas::Ptxas,
    generate,
};

use crate::common::{self, Outcome};

/// Random PTX programs, in the interpreter and as machine code of the back end in the emulator
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<Run>),
    /// Print the program of a seed
    Print {
        /// The seed
        seed: u64,
        #[command(flatten)]
        features: Features,
    },
    /// Run programs with a line `// launch: …`, as `print` and `--keep` write them
    Check {
        /// The programs
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Targets; without it, some of each kind
        #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm)]
        sms: Vec<Sm>,
        /// Say also what becomes of the code of this ptxas
        #[arg(long, value_name = "PATH")]
        ptxas: Option<PathBuf>,
        #[command(flatten)]
        compiling: Compiling,
    },
    /// Find the phase, and the number of the rewrite, that makes a failing program fail
    Bisect {
        /// The program
        file: PathBuf,
        /// The target
        #[arg(long, value_parser = common::sm)]
        sm: Sm,
        #[command(flatten)]
        compiling: Compiling,
    },
}

/// Compare many programs
#[derive(Debug, clap::Args)]
struct Run {
    /// The first seed
    #[arg(long, value_name = "SEED")]
    from: Option<u64>,
    /// How many programs
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Go on for this time
    #[arg(long, value_name = "N", conflicts_with = "count")]
    seconds: Option<u64>,
    /// Threads; without it, as many as the machine has
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Targets; with --gpu, the GPU's
    #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm)]
    sms: Vec<Sm>,
    /// How many of the targets each program runs on
    #[arg(long, value_name = "N")]
    each: Option<usize>,
    /// Levels, in turn
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(..4))]
    levels: Vec<u8>,
    /// Run each program also at other levels, with phases off, with fewer registers and with less fuel
    #[arg(long)]
    variants: bool,
    /// Say how far it is so often; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    progress: u64,
    /// Write failing programs to this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Compile with this ptxas in place of the back end
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// Run machine code on the first GPU, not in the emulator
    #[arg(long)]
    gpu: bool,
    #[command(flatten)]
    features: Features,
}

/// What programs may have.
#[derive(Debug, clap::Args)]
struct Features {
    /// About how many instructions a program has
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// Write no calls
    #[arg(long)]
    no_calls: bool,
    /// Write no floating-point instructions
    #[arg(long)]
    no_floats: bool,
}

impl Features {
    fn of(&self) -> generate::Features {
        let mut features = Plan::default().features;
        features.size = self.size.unwrap_or(features.size);
        features.calls &= !self.no_calls;
        features.floats &= !self.no_floats;
        features
    }
}

/// How a program is compiled.
#[derive(Debug, clap::Args)]
struct Compiling {
    /// How it is compiled, in words as behind `// options:`: -O0 to -O3, registers=N, off=PHASE, fuel=N, threads=N
    #[arg(
        long,
        value_name = "WORDS",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    options: String,
    /// Run machine code on the first GPU, not in the emulator
    #[arg(long)]
    gpu: bool,
}

impl Compiling {
    fn settings(&self, sm: Sm) -> Result<Settings, String> {
        let mut settings = Settings::of(sm);
        match self.options.split_whitespace().find(|word| !settings.take(word)) {
            Some(unknown) => Err(format!(
                "--options: `{unknown}` is none of -O0 to -O3, registers=N, off=PHASE, fuel=N, threads=N"
            )),
            None => Ok(settings),
        }
    }

    fn place(&self) -> Place {
        if self.gpu { Place::Gpu } else { Place::Emulator }
    }
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Run(arguments) => {
            let report = run_plan(&plan(arguments)?);
            print!("{report}");
            Ok(Outcome::good_if(report.findings.is_empty()))
        }
        Command::Print { seed, features } => {
            print!("{}", generate::program(*seed, features.of()).text);
            Ok(Outcome::Good)
        }
        Command::Check {
            files,
            sms,
            ptxas,
            compiling,
        } => {
            let tool = tool(ptxas.as_deref())?;
            let sms = if sms.is_empty() {
                Plan::default().targets
            } else {
                sms.clone()
            };
            let mut good = true;
            for path in files {
                good &= check(path, &sms, compiling, tool.as_ref())?;
            }
            Ok(Outcome::good_if(good))
        }
        Command::Bisect { file, sm, compiling } => {
            bisect(file, &compiling.settings(*sm)?, compiling.place())?;
            Ok(Outcome::Good)
        }
    }
}

fn plan(arguments: &Run) -> Result<Plan, String> {
    let mut plan = Plan::default();
    plan.first = arguments.from.unwrap_or(plan.first);
    plan.count = arguments.count.unwrap_or(plan.count);
    if let Some(seconds) = arguments.seconds {
        (plan.time, plan.count) = (Some(Duration::from_secs(seconds)), u64::MAX);
    }
    let threads = || std::thread::available_parallelism().map_or(1, usize::from);
    plan.jobs = arguments.jobs.unwrap_or_else(threads);
    if !arguments.sms.is_empty() {
        plan.targets.clone_from(&arguments.sms);
    }
    plan.each = arguments.each.unwrap_or(plan.each);
    if !arguments.levels.is_empty() {
        plan.levels.clone_from(&arguments.levels);
    }
    plan.features = arguments.features.of();
    plan.variants = arguments.variants;
    plan.keep.clone_from(&arguments.keep);
    if let Some(tool) = tool(arguments.ptxas.as_deref())? {
        plan.maker = tool;
    }
    plan.place = if arguments.gpu { Place::Gpu } else { plan.place };
    plan.progress = Some(Duration::from_secs(arguments.progress)).filter(|each| !each.is_zero());
    Ok(plan)
}

fn tool(ptxas: Option<&Path>) -> Result<Option<Maker>, String> {
    ptxas
        .map(|path| Ok(Maker::Tool(Box::new(Ptxas::new(path, None)?))))
        .transpose()
}

fn read(path: &Path) -> Result<Judged, String> {
    let place = path.display();
    Judged::new(Program::read(&common::read_text(path)?)?).map_err(|message| format!("{place}: {message}"))
}

fn check(path: &Path, sms: &[Sm], compiling: &Compiling, tool: Option<&Maker>) -> Result<bool, String> {
    let judged = match read(path) {
        Ok(judged) => judged,
        Err(message) => {
            println!("no program: {message}");
            return Ok(false);
        }
    };
    let place = path.display();
    let own = judged.module.target.to_string().parse::<Sm>().ok();
    let mut good = true;
    for &sm in sms {
        if !own.is_some_and(|own| sm.accepts_ptx_target(own)) {
            continue;
        }
        let settings = compiling.settings(sm)?;
        let verdict = judged.check(&Maker::Ours, &settings, compiling.place());
        println!("{place} {sm}: {verdict}");
        good &= verdict == Verdict::Equal;
        if let Some(tool) = tool {
            println!(
                "{place} {sm} ptxas: {}",
                judged.check(tool, &settings, compiling.place())
            );
        }
    }
    Ok(good)
}

/// Finds the rewrite and the phases without which a program does not fail.
fn bisect(path: &Path, usual: &Settings, place: Place) -> Result<(), String> {
    let judged = read(path)?;
    let sm = usual.sm;
    let verdict = judged.check(&Maker::Ours, usual, place);
    println!("{sm}: {verdict}");
    if !verdict.is_mistake() {
        return Err(format!("nothing fails on {sm}"));
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
