//! Many random programs in many ways.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use warpsmith_opt::PASSES;
use warpsmith_target::Sm;

use super::{Compiled, Way, host::Host};
use crate::{
    Random,
    differential::{Verdict, campaign::TARGETS, compare},
    generate_cuda::{Features, source},
    progress::Progress,
};

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first seed.
    pub first: u64,
    /// How many seeds.
    pub count: u64,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Host threads.
    pub jobs: usize,
    /// Targets, one for each program.
    pub targets: Vec<Sm>,
    /// What programs may have.
    pub features: Features,
    /// A compiler for the host, and that one of so many programs is compared with it.
    pub host: Option<(Host, u64)>,
    /// Where failing programs are written.
    pub keep: Option<PathBuf>,
    /// How often a line says how far it is; `None`: never.
    pub progress: Option<Duration>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            first: 0,
            count: 100,
            time: None,
            jobs: 1,
            targets: TARGETS.iter().filter_map(|name| name.parse().ok()).collect(),
            features: Features::default(),
            host: None,
            keep: None,
            progress: None,
        }
    }
}

/// A program that failed.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// The target.
    pub sm: Sm,
    /// How it was compiled, in words.
    pub way: String,
    /// What happened.
    pub verdict: Verdict,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { seed, sm, way, verdict } = self;
        write!(f, "seed {seed} {sm} {way}: {verdict}")
    }
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Report {
    /// Programs that were made.
    pub programs: u64,
    /// Programs that a host ran, too.
    pub on_host: u64,
    /// Runs by kind of verdict.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Refusals of the back end by reason, with the seed of one.
    pub refusals: BTreeMap<String, (u64, u64)>,
    /// Mistakes.
    pub findings: Vec<Finding>,
    /// How long it took.
    pub time: Duration,
}

/// Runs a plan.
pub fn run(plan: &Plan) -> Report {
    let start = Instant::now();
    let next = AtomicU64::new(plan.first);
    let all = Mutex::new((Report::default(), Progress::new(plan.progress)));
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(|| {
                // Programs are small: the threads of one would wait for each other more than they work.
                let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
                loop {
                    let seed = next.fetch_add(1, Relaxed);
                    let late = plan.time.is_some_and(|time| start.elapsed() > time);
                    if seed >= plan.first.saturating_add(plan.count) || late {
                        return;
                    }
                    let mut report = Report::default();
                    match &alone {
                        Some(pool) => pool.install(|| one(plan, seed, &mut report)),
                        None => one(plan, seed, &mut report),
                    }
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    let (whole, progress) = &mut *all;
                    if plan.progress.is_some() {
                        report.findings.iter().for_each(|finding| println!("MISTAKE {finding}"));
                    }
                    whole.add(report);
                    progress.say(|| whole.line(next.load(Relaxed)));
                }
            });
        }
    });
    let (mut report, _) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.findings.sort_by_key(|finding| finding.seed);
    report.time = start.elapsed();
    report
}

/// The passes of the optimiser that correct code does not need.
pub fn optional_passes() -> Vec<&'static str> {
    let optional = PASSES.iter().filter(|pass| !pass.required);
    optional.map(|pass| pass.name).collect()
}

/// Of so many programs, one has the IR checked after every pass.
const VERIFIED: u64 = 4;

/// The ways of a seed: two, which take turns. One is `-O3` or, of eight programs once, any pair of levels; three of eight become machine code. The other way
/// is a lower level, or `-O3` that stops somewhere or lacks passes.
pub fn ways(seed: u64) -> Vec<Way> {
    let mut random = Random::new(seed.wrapping_mul(31).wrapping_add(5));
    let mut below = |bound: usize| random.below(bound as u64) as usize;
    let turn = seed / 8;
    let first = match seed % 8 {
        0 | 5 => Way {
            machine: Some(3),
            ..Way::level(3)
        },
        2 => Way {
            machine: Some((turn / 4 % 4) as u8),
            ..Way::level((turn % 4) as u8)
        },
        _ => Way::level(3),
    };
    let second = match seed / 2 % 4 {
        0 => Way::level(1),
        1 => Way::level(2),
        2 => {
            let digits = 1 + below(11);
            Way {
                fuel: Some(below(1 << digits) as u64),
                ..Way::level(3)
            }
        }
        _ => {
            let optional = optional_passes();
            let count = 1 + below(3);
            Way {
                off: (0..count).map(|_| optional[below(optional.len())].to_owned()).collect(),
                ..Way::level(3)
            }
        }
    };
    vec![first, second]
}

fn one(plan: &Plan, seed: u64, report: &mut Report) {
    report.programs = 1;
    let made = source(seed, plan.features);
    // Not in turn: the ways take turns.
    let sm = plan.targets[Random::new(seed).below(plan.targets.len() as u64) as usize];
    let mut record = |way: &str, verdict: Verdict| {
        *report.kinds.entry(verdict.kind()).or_default() += 1;
        if let Verdict::Refused(_) = verdict {
            report.refusals.entry(verdict.class()).or_insert((0, seed)).0 += 1;
        } else if verdict != Verdict::Equal {
            let finding = Finding {
                seed,
                sm,
                way: way.to_owned(),
                verdict,
            };
            keep(plan, &finding, &made.program.text);
            report.findings.push(finding);
        }
    };
    let compiled = match Compiled::new(made.program.clone(), sm) {
        Ok(compiled) => Compiled {
            verify_each: (seed + seed / 8) % VERIFIED == 1,
            ..compiled
        },
        Err(message) => return record("front end", Verdict::Internal(message)),
    };
    let expected = match compiled.expected() {
        Ok(expected) => expected,
        Err(verdict) => return record("-O0", verdict),
    };
    for way in ways(seed) {
        record(&way.in_words(), compiled.check(&way, &expected));
    }
    if let Some((host, each)) = &plan.host
        && made.separate
        && seed.is_multiple_of(*each)
    {
        let verdict = match host.run(&made.program) {
            Ok(memory) => compare(&expected.0, &memory.0),
            Err(message) => Verdict::Fault(message),
        };
        record("host", verdict);
        report.on_host += 1;
    }
}

fn keep(plan: &Plan, finding: &Finding, text: &str) {
    if let Some(folder) = &plan.keep {
        let name = format!("{}.{}.{}.cu", finding.seed, finding.sm, finding.way.replace(' ', ""));
        let first = finding.verdict.to_string();
        let text = format!(
            "// options: {}\n// {}\n{text}",
            finding.way,
            first.lines().next().unwrap_or_default()
        );
        let _ = fs::create_dir_all(folder);
        let _ = fs::write(folder.join(name), text);
    }
}

impl Report {
    /// How far a campaign is, in a line.
    fn line(&self, next: u64) -> String {
        let (runs, refused): (u64, u64) = (self.kinds.values().sum(), self.refusals.values().map(|r| r.0).sum());
        let (programs, mistakes) = (self.programs, self.findings.len());
        format!("{programs} programs, {runs} runs, {refused} refused, {mistakes} mistakes; next seed {next}")
    }

    fn add(&mut self, other: Report) {
        self.programs += other.programs;
        self.on_host += other.on_host;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        for (reason, (count, seed)) in other.refusals {
            self.refusals.entry(reason).or_insert((0, seed)).0 += count;
        }
        self.findings.extend(other.findings);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        writeln!(
            f,
            "{} programs in {seconds:.1} s, {} of them on the host, too",
            self.programs, self.on_host
        )?;
        for (kind, count) in &self.kinds {
            writeln!(f, "{count:8} {kind}")?;
        }
        for (reason, (count, seed)) in &self.refusals {
            writeln!(f, "{count:8} times, seed {seed}: {reason}")?;
        }
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        Ok(())
    }
}
