//! Many random programs on several targets and with several options.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use warpsmith_ori::{Options, phase::PHASES};
use warpsmith_target::Sm;

use super::{Judged, Maker, Place, Settings, Verdict, ours, without_numbers};
use crate::{
    generate::{Features, program},
    progress::Progress,
};

/// A target of every encoding generation.
pub const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// What is run.
#[derive(Debug)]
pub struct Plan {
    /// The first seed.
    pub first: u64,
    /// How many seeds.
    pub count: u64,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Host threads.
    pub jobs: usize,
    /// Targets; programs for a later one are left out on the earlier.
    pub targets: Vec<Sm>,
    /// How many of them each program runs on, in turn.
    pub each: usize,
    /// Levels, in turn.
    pub levels: Vec<u8>,
    /// What programs may have.
    pub features: Features,
    /// Also with other options, which must not change results: levels, phases off, register limits, threads.
    pub variants: bool,
    /// Where failing programs are written.
    pub keep: Option<PathBuf>,
    /// The compiler.
    pub maker: Maker,
    /// Where the machine code runs.
    pub place: Place,
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
            each: 2,
            levels: vec![3],
            features: Features::default(),
            variants: false,
            keep: None,
            maker: Maker::Ours,
            place: Place::default(),
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
    /// Options that are not the usual ones, in words.
    pub options: String,
    /// What happened.
    pub verdict: Verdict,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.verdict.to_string();
        let line = text.lines().next().unwrap_or_default();
        write!(f, "seed {} {} {}: {line}", self.seed, self.sm, self.options)
    }
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Report {
    /// Programs that were made.
    pub programs: u64,
    /// Programs that the interpreter refuses: mistakes of the generator or of the interpreter.
    pub undefined: BTreeMap<String, Vec<u64>>,
    /// Runs by kind of verdict.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Refusals by reason, with the seed of one.
    pub refusals: BTreeMap<String, (u64, u64)>,
    /// Mistakes.
    pub findings: Vec<Finding>,
    /// How long it took.
    pub time: Duration,
}

impl Report {
    /// How far a campaign is, in a line.
    fn line(&self, next: u64) -> String {
        let count = |kind: &str| self.kinds.get(kind).copied().unwrap_or(0);
        let (runs, refused): (u64, u64) = (self.kinds.values().sum(), count("refused"));
        let undefined: usize = self.undefined.values().map(Vec::len).sum();
        let programs = self.programs;
        let mistakes = self.findings.len();
        format!(
            "{programs} programs, {runs} runs, {refused} refused, {undefined} undefined, {mistakes} mistakes; next seed {next}"
        )
    }

    fn add(&mut self, other: Report) {
        self.programs += other.programs;
        for (reason, seeds) in other.undefined {
            self.undefined.entry(reason).or_default().extend(seeds);
        }
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        for (reason, (count, seed)) in other.refusals {
            self.refusals.entry(reason).or_insert((0, seed)).0 += count;
        }
        self.findings.extend(other.findings);
    }
}

/// Runs a plan.
pub fn run(plan: &Plan) -> Report {
    let start = Instant::now();
    let next = AtomicU64::new(plan.first);
    let stop = AtomicBool::new(false);
    let all = Mutex::new((Report::default(), Progress::new(plan.progress)));
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Relaxed);
                    let late = plan.time.is_some_and(|time| start.elapsed() > time);
                    if seed >= plan.first.saturating_add(plan.count) || late || stop.load(Relaxed) {
                        return;
                    }
                    let report = one(plan, seed);
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

/// Runs the program of a seed.
fn one(plan: &Plan, seed: u64) -> Report {
    let mut report = Report {
        programs: 1,
        ..Report::default()
    };
    let judged = match Judged::new(program(seed, plan.features)) {
        Ok(judged) => judged,
        Err(message) => {
            let reason = without_numbers(message.lines().next().unwrap_or_default());
            report.undefined.insert(reason, vec![seed]);
            return report;
        }
    };
    let own = judged.module.target.to_string().parse::<Sm>().ok();
    let fitting: Vec<Sm> = plan
        .targets
        .iter()
        .copied()
        .filter(|sm| own.is_some_and(|own| sm.accepts_ptx_target(own)))
        .collect();
    for turn in 0..plan.each.min(fitting.len()) {
        let sm = fitting[(seed as usize + turn) % fitting.len()];
        let level = plan.levels[(seed as usize / 7 + turn) % plan.levels.len().max(1)];
        let mut settings = Settings::of(sm);
        settings.options.level = level;
        let usual = made(plan, &judged, &settings);
        record(plan, &judged, seed, &settings, &usual, &mut report);
        if plan.variants && turn == 0 {
            for settings in variants(&settings, seed) {
                let outcome = match plan.maker.cubin(&judged.program, &judged.module, &settings) {
                    // What came of it is known.
                    Ok(bytes) if usual.1.as_ref() == Some(&bytes) => (usual.0.clone(), None),
                    Ok(bytes) => (judged.check_cubin(&bytes, plan.place), None),
                    Err(verdict) => (verdict, None),
                };
                record(plan, &judged, seed, &settings, &outcome, &mut report);
            }
            if let (Maker::Ours, Some(bytes)) = (&plan.maker, &usual.1) {
                same_bytes(&judged, seed, &settings, bytes, &mut report);
            }
        }
    }
    report
}

/// Options that must not change results: all levels, and some limits and phases, in turn.
fn variants(usual: &Settings, seed: u64) -> Vec<Settings> {
    const LIMITS: [u32; 8] = [16, 20, 24, 32, 40, 64, 128, 255];
    let with = |change: &dyn Fn(&mut Options)| {
        let mut settings = usual.clone();
        change(&mut settings.options);
        settings
    };
    let mut all: Vec<Settings> = (0..3).map(|level| with(&|options| options.level = level)).collect();
    for turn in 0..2 {
        let limit = LIMITS[(seed as usize * 2 + turn) % LIMITS.len()];
        all.push(with(&|options| options.maximum_registers = Some(limit)));
    }
    let optional: Vec<&str> = PHASES
        .iter()
        .filter(|phase| phase.work.is_some() && !phase.required)
        .map(|phase| phase.name)
        .collect();
    for turn in 0..2 {
        if let Some(name) = optional.get((seed as usize * 2 + turn) % optional.len().max(1)) {
            all.push(with(&|options| options.off = vec![(*name).to_owned()]));
        }
    }
    all.push(with(&|options| options.fuel = Some(seed % 97)));
    all
}

/// What comes of a program, and its cubin.
type Outcome = (Verdict, Option<Vec<u8>>);

/// Compiles a program, and runs what comes of it.
fn made(plan: &Plan, judged: &Judged, settings: &Settings) -> Outcome {
    match plan.maker.cubin(&judged.program, &judged.module, settings) {
        Ok(bytes) => (judged.check_cubin(&bytes, plan.place), Some(bytes)),
        Err(verdict) => (verdict, None),
    }
}

/// A second time, and with any number of threads, the bytes are the same.
fn same_bytes(judged: &Judged, seed: u64, usual: &Settings, first: &[u8], report: &mut Report) {
    let mut settings = usual.clone();
    settings.options.threads = 2 + seed as usize % 7;
    if ours(&judged.module, &settings).is_ok_and(|bytes| bytes != first) {
        let text = format!("other bytes with {} threads", settings.options.threads);
        report.findings.push(Finding {
            seed,
            sm: usual.sm,
            options: String::new(),
            verdict: Verdict::Internal(text),
        });
    }
}

fn record(plan: &Plan, judged: &Judged, seed: u64, settings: &Settings, outcome: &Outcome, report: &mut Report) {
    let verdict = outcome.0.clone();
    *report.kinds.entry(verdict.kind()).or_default() += 1;
    if let Verdict::Refused(_) = verdict {
        report.refusals.entry(verdict.class()).or_insert((0, seed)).0 += 1;
    }
    if !verdict.is_mistake() {
        return;
    }
    let options = settings.in_words();
    if let Some(folder) = &plan.keep {
        let name = format!("{seed}.{}{}.ptx", settings.sm, options.replace(' ', ""));
        let said = verdict.to_string();
        let line = said.lines().next().unwrap_or_default();
        let text = format!("// {} {options}: {line}\n{}", settings.sm, judged.program.text);
        // A finding that cannot be kept is still reported.
        drop(fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(name), text)));
    }
    report.findings.push(Finding {
        seed,
        sm: settings.sm,
        options,
        verdict,
    });
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: u64 = self.kinds.values().sum();
        let seconds = self.time.as_secs_f64().max(0.001);
        writeln!(
            f,
            "{} programs, {runs} runs in {seconds:.1} s ({:.0} a minute)",
            self.programs,
            runs as f64 * 60.0 / seconds
        )?;
        for (kind, count) in &self.kinds {
            writeln!(f, "{count:>8} {kind}")?;
        }
        for (reason, seeds) in &self.undefined {
            writeln!(f, "{:>8} no program: {reason} (seed {})", seeds.len(), seeds[0])?;
        }
        let mut refusals: Vec<_> = self.refusals.iter().collect();
        refusals.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, seed)) in refusals {
            writeln!(f, "{count:>8} {reason} (seed {seed})")?;
        }
        let mut classes: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
        for finding in &self.findings {
            let class = format!("{} {}", finding.verdict.class(), without_numbers(&finding.options));
            classes.entry(class).or_default().push(finding);
        }
        for (class, findings) in classes {
            writeln!(f, "MISTAKE {} × {class}", findings.len())?;
            for finding in findings.iter().take(4) {
                let text = finding.verdict.to_string();
                let line = text.lines().next().unwrap_or_default();
                writeln!(f, "    seed {} {}: {line}", finding.seed, finding.sm)?;
            }
        }
        Ok(())
    }
}
