//! Random CUDA C++ programs at all levels, in the interpreter and as machine code in the emulator.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use warpsmith_target::Sm;
use warpsmith_tests::{
    cuda_differential::{
        Compiled, Way,
        campaign::{Plan, run as run_plan, ways},
        host::Host,
    },
    differential::{Memory, Program, Verdict},
    generate_cuda,
    reduce::{Language, reduce},
};

use crate::common::{self, Outcome};

/// Random CUDA C++ programs, in the interpreter and as machine code at all levels
///
/// The expected result is that of the interpreter without optimisation.
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
    /// Run a program, as `print` writes it, in one way or in those of its seed
    Check {
        #[command(flatten)]
        one: One,
        #[command(flatten)]
        host: HostArguments,
    },
    /// Find the rewrite of the optimiser that makes a program fail
    Bisect {
        #[command(flatten)]
        one: One,
    },
    /// Make a program small that fails
    Reduce {
        #[command(flatten)]
        one: One,
        /// Keep only programs that the host runs to the same end
        #[command(flatten)]
        host: HostArguments,
        /// Stop after this time
        #[arg(long, value_name = "N", default_value_t = 300)]
        seconds: u64,
        /// Where the small program is written; without it, to standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
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
    /// Targets, one for each program in turn
    #[arg(long = "sm", value_name = "LIST", value_delimiter = ',', value_parser = common::sm)]
    sms: Vec<Sm>,
    /// Say how far it is so often; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    progress: u64,
    /// Write failing programs to this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Compare one in N programs with the host
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), requires = "host")]
    host_each: u64,
    #[command(flatten)]
    host: HostArguments,
    #[command(flatten)]
    features: Features,
}

/// What programs may have.
#[derive(Debug, clap::Args)]
struct Features {
    /// About how many statements a program has
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// Write no floating-point operations
    #[arg(long)]
    no_floats: bool,
    /// Let threads exchange no values
    #[arg(long)]
    no_exchange: bool,
}

impl Features {
    fn of(&self) -> generate_cuda::Features {
        let mut features = Plan::default().features;
        features.size = self.size.unwrap_or(features.size);
        features.floats &= !self.no_floats;
        features.exchange &= !self.no_exchange;
        features
    }
}

/// A compiler of the host.
#[derive(Debug, clap::Args)]
struct HostArguments {
    /// Compare also with what this C++ compiler of the host makes of a program
    #[arg(long, value_name = "COMPILER")]
    host: Option<String>,
    /// Have that compiler look for undefined behaviour
    #[arg(long, requires = "host")]
    sanitise: bool,
}

impl HostArguments {
    fn of(&self) -> Option<Host> {
        Some(Host {
            compiler: self.host.clone()?,
            folder: std::env::temp_dir().join("random-cuda"),
            sanitise: self.sanitise,
        })
    }
}

/// A program and a way to compile it.
#[derive(Debug, clap::Args)]
struct One {
    /// The program
    file: PathBuf,
    /// The target
    #[arg(long, value_parser = common::sm)]
    sm: Sm,
    /// The way, in words as behind `// options:`: -O0 to -O3, off=PASS, fuel=N, or machine=LEVEL for machine code of this level
    /// of the back end in place of the interpreter
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    options: Option<String>,
}

impl One {
    fn way(&self) -> Result<Option<Way>, String> {
        let Some(options) = &self.options else { return Ok(None) };
        let mut way = Way::level(3);
        match options.split_whitespace().find(|word| !way.take(word)) {
            Some(unknown) => Err(format!(
                "--options: `{unknown}` is none of -O0 to -O3, off=PASS, fuel=N, machine=LEVEL"
            )),
            None => Ok(Some(way)),
        }
    }

    fn given_way(&self) -> Result<Way, String> {
        self.way()?.ok_or_else(|| "--options say which way fails".to_owned())
    }

    /// The program, and what it leaves.
    fn read(&self) -> Result<(Compiled, Memory), String> {
        let text = common::read_text(&self.file)?;
        let compiled = Compiled::new(Program::read(&text)?, self.sm)?;
        let expected = compiled.expected().map_err(|verdict| verdict.to_string())?;
        Ok((compiled, expected))
    }
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    match &arguments.command {
        Command::Run(arguments) => {
            let report = run_plan(&plan(arguments));
            print!("{report}");
            Ok(Outcome::good_if(report.findings.is_empty()))
        }
        Command::Print { seed, features } => {
            print!("{}", generate_cuda::source(*seed, features.of()).program.text);
            Ok(Outcome::Good)
        }
        Command::Check { one, host } => check(one, host.of().as_ref()),
        Command::Bisect { one } => {
            bisect(one)?;
            Ok(Outcome::Good)
        }
        Command::Reduce {
            one,
            host,
            seconds,
            output,
        } => {
            smaller(
                one,
                host.of().as_ref(),
                Duration::from_secs(*seconds),
                output.as_deref(),
            )?;
            Ok(Outcome::Good)
        }
    }
}

fn plan(arguments: &Run) -> Plan {
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
    plan.features = arguments.features.of();
    plan.host = arguments.host.of().map(|host| (host, arguments.host_each));
    plan.keep.clone_from(&arguments.keep);
    plan.progress = Some(Duration::from_secs(arguments.progress)).filter(|each| !each.is_zero());
    plan
}

fn check(one: &One, host: Option<&Host>) -> common::Result {
    let (compiled, expected) = one.read()?;
    if let Some(host) = host {
        let same = host.run(&compiled.program).map(|memory| memory == expected);
        println!("host: {same:?}");
    }
    let ways = one.way()?.map_or_else(|| ways(compiled.program.seed), |way| vec![way]);
    let mut good = true;
    for way in ways {
        let verdict = compiled.check(&way, &expected);
        println!("{}: {verdict}", way.in_words());
        good &= verdict == Verdict::Equal;
    }
    Ok(Outcome::good_if(good))
}

fn bisect(one: &One) -> Result<(), String> {
    let (compiled, expected) = one.read()?;
    let way = one.given_way()?;
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

fn smaller(one: &One, host: Option<&Host>, time: Duration, output: Option<&Path>) -> Result<(), String> {
    let program = Program::read(&common::read_text(&one.file)?)?;
    let way = one.given_way()?;
    let verdict_of = |program: &Program| {
        let compiled = Compiled::new(program.clone(), one.sm).ok()?;
        let expected = compiled.expected().ok()?;
        let verdict = compiled.check(&way, &expected);
        match host.filter(|_| verdict != Verdict::Equal) {
            Some(host) if host.run(program).as_ref() != Ok(&expected) => None,
            _ => Some(verdict),
        }
    };
    let wanted = verdict_of(&program).filter(|verdict| *verdict != Verdict::Equal);
    let wanted = wanted.ok_or("nothing is wrong with it in this way")?;
    eprintln!("{wanted}");
    let class = wanted.class();
    let test = |program: &Program| verdict_of(program).is_some_and(|verdict| verdict.class() == class);
    let (small, tries) = reduce(Language::Cuda, &program, time, &test);
    eprintln!("{} lines after {tries} tries", small.text.lines().count());
    let text = format!("// options: {}\n{}", way.in_words(), small.text);
    match output {
        Some(path) => fs::write(path, text).map_err(|error| error.to_string()),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}
