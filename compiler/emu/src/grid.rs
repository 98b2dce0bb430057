//! The CTAs of a grid: which are resident, and whose warp runs next.
//!
//! CTAs become resident in order, a few at a time, and stay until all their threads have exited. The warps of resident CTAs take turns of
//! random length, drawn from the seed. When for long no CTA has ended while threads poll memory, more become resident, so that a CTA that
//! waits for a later one sees it run in the end.
//!
//! With several host threads, each takes clusters from a common queue and runs them in this way by itself. A cluster stays on its thread.
//!
//! What a turn executes is not known here: the interpreter of PTX and the emulator of machine code are a [`Grid`] each.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use rustc_hash::FxHashSet;

use warpsmith_base::Random;

use crate::{
    Device, Failure, Fault, FaultKind, Launch, MemoryStatistics, Options, Report, Standing,
    device::{Memory, Shared},
};

/// Threads that are resident at first.
const RESIDENT_THREADS: u32 = 4096;
/// Threads that are resident at most, as on a large GPU; beyond, one cluster at a time.
const MOST_THREADS: u32 = 1 << 18;
/// Rounds without the end of a CTA after which more become resident, if threads poll memory.
const PATIENCE: u32 = 32;
/// The longest turn of a warp.
const TURN: u64 = 256;

/// A launch that was found to fit its kernel.
pub(crate) trait Grid: Sync {
    /// The CTAs of a cluster in execution.
    type Cluster: Resident;
    /// What one host thread runs clusters with.
    type Machine<'r>: Machine<Cluster = Self::Cluster>
    where
        Self: 'r;

    fn launch(&self) -> &Launch;

    /// CTAs of a cluster in x, y and z.
    fn cluster(&self) -> [u32; 3];

    /// The cluster with this number, of the CTAs with these indices, ready to start.
    fn start(&self, number: u64, ctas: &[[u32; 3]], options: &Options) -> Result<Self::Cluster, Box<Fault>>;

    fn machine<'r>(&'r self, memory: Memory<'r>, queue: &'r Queue, options: &'r Options) -> Self::Machine<'r>;

    fn report(&self, counts: Counts, printed: String) -> Report;

    /// Where the threads of resident CTAs stand; the first few, and how many more groups of threads there are.
    fn standing(&self, resident: &[Self::Cluster]) -> (Vec<Standing>, usize);
}

/// A cluster in execution.
pub(crate) trait Resident {
    type Warp;

    fn size(&self) -> usize;

    /// The warps of one of its CTAs. A warp is absent while it runs, and when it has ended.
    fn warps(&mut self, rank: usize) -> &mut [Option<Self::Warp>];

    /// Threads that have not exited.
    fn live(&self) -> u32;

    fn is_live(warp: &Self::Warp) -> bool;
}

/// What one host thread executes instructions with.
pub(crate) trait Machine {
    type Cluster: Resident;

    /// Runs a warp for some instructions, or until nothing of it can run.
    fn slice(
        &mut self,
        cluster: &mut Self::Cluster,
        rank: usize,
        warp: &mut <Self::Cluster as Resident>::Warp,
        quantum: u64,
    ) -> Result<(), Box<Fault>>;

    /// All threads of the cluster have exited.
    fn end(&mut self, cluster: &mut Self::Cluster) -> Result<(), Box<Fault>>;

    fn counts(&self) -> &Counts;

    fn finish(self) -> Done;
}

/// Counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) instructions: u64,
    pub(crate) thread_instructions: u64,
    /// Turns of groups that executed only steps that are no instructions of their own: they are progress, too.
    pub(crate) silent: u64,
    /// For each kind of instruction, how often it was executed; which kinds there are, the machine says.
    pub(crate) kinds: Vec<u64>,
    pub(crate) divergent: u64,
    pub(crate) branches: u64,
    pub(crate) barriers: u64,
    /// Strong loads and atomic operations, by which threads may wait for others.
    pub(crate) polls: u64,
    pub(crate) memory: MemoryStatistics,
}

impl Counts {
    /// None, of this many kinds.
    pub(crate) fn new(kinds: usize) -> Counts {
        Counts {
            kinds: vec![0; kinds],
            ..Counts::default()
        }
    }

    /// A number that is another one after anything has been executed.
    fn progress(&self) -> u64 {
        self.instructions + self.silent
    }

    /// Adds the counts of another host thread.
    fn add(&mut self, other: &Counts) {
        self.instructions += other.instructions;
        self.thread_instructions += other.thread_instructions;
        self.silent += other.silent;
        self.kinds.resize(self.kinds.len().max(other.kinds.len()), 0);
        for (own, other) in self.kinds.iter_mut().zip(&other.kinds) {
            *own += other;
        }
        self.divergent += other.divergent;
        self.branches += other.branches;
        self.barriers += other.barriers;
        self.polls += other.polls;
        self.memory.add(&other.memory);
    }

    /// The report, with the executed instructions by mnemonic.
    pub(crate) fn report<'m>(self, mnemonics: impl Iterator<Item = (&'m str, u64)>, printed: String) -> Report {
        let mut opcodes: BTreeMap<&str, u64> = BTreeMap::new();
        for (mnemonic, count) in mnemonics.filter(|(_, count)| *count > 0) {
            *opcodes.entry(mnemonic).or_default() += count;
        }
        Report {
            instructions: self.instructions,
            thread_instructions: self.thread_instructions,
            opcodes: opcodes
                .into_iter()
                .map(|(name, count)| (name.to_string(), count))
                .collect(),
            divergent_branches: self.divergent,
            branches: self.branches,
            barriers: self.barriers,
            memory: self.memory,
            printed,
        }
    }
}

/// What makes faults distinct: their class and instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FaultKey {
    kind: FaultKind,
    /// Where it starts in the PTX text.
    start: Option<u32>,
    /// Function and text of an instruction that is not in a PTX text.
    instruction: Option<(Option<String>, String)>,
}

impl FaultKey {
    pub(crate) fn of(fault: &Fault) -> FaultKey {
        let instruction = match (fault.span, &fault.instruction) {
            (None, Some(text)) => Some((fault.function.clone(), text.clone())),
            (Some(_), _) | (None, None) => None,
        };
        FaultKey {
            kind: fault.kind,
            start: fault.span.map(|span| span.start),
            instruction,
        }
    }
}

/// What a host thread has done.
pub(crate) struct Done {
    pub(crate) counts: Counts,
    /// By the number of the CTA.
    pub(crate) printed: BTreeMap<u64, String>,
    /// What its threads have launched, by the number of the CTA.
    pub(crate) launched: BTreeMap<u64, Vec<u64>>,
    pub(crate) faults: Vec<(FaultKey, Fault)>,
}

/// The clusters that no host thread has taken yet, and what all host threads together have done.
#[derive(Debug)]
pub(crate) struct Queue {
    next: AtomicU64,
    clusters: u64,
    /// Warp instructions executed.
    spent: AtomicU64,
    /// The run is to end.
    stop: AtomicBool,
    workers: u64,
}

impl Queue {
    /// The number of the next cluster.
    pub(crate) fn take(&self) -> Option<u64> {
        let next = self.next.fetch_add(1, Relaxed);
        (next < self.clusters).then_some(next)
    }

    /// How many clusters a host thread takes at a time, so that each has some of a small grid.
    fn share(&self, limit: usize) -> usize {
        match self.workers {
            0 | 1 => limit,
            workers => limit.min(usize::try_from(self.clusters / (2 * workers)).unwrap_or(limit).max(1)),
        }
    }
}

/// Clusters of a launch in x, y and z.
fn extents<G: Grid>(grid: &G) -> [u64; 3] {
    let (launch, cluster) = (grid.launch(), grid.cluster());
    std::array::from_fn(|axis| u64::from(launch.grid[axis] / cluster[axis].max(1)))
}

/// The CTAs of a cluster, ready to start.
fn start<G: Grid>(grid: &G, number: u64, options: &Options) -> Result<G::Cluster, Box<Fault>> {
    let counts = extents(grid);
    let place = [
        number % counts[0],
        number / counts[0] % counts[1],
        number / counts[0] / counts[1],
    ];
    let cluster = grid.cluster();
    let [width, height, depth] = cluster;
    let mut ctas = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                let inner = [x, y, z];
                ctas.push(std::array::from_fn(|axis| {
                    place[axis] as u32 * cluster[axis] + inner[axis]
                }));
            }
        }
    }
    grid.start(number, &ctas, options)
}

/// Runs the whole grid; gives what its threads have launched, too.
pub(crate) fn run<G: Grid>(grid: &G, device: &mut Device, options: &Options) -> Result<(Report, Vec<u64>), Failure> {
    let clusters = extents(grid).into_iter().product();
    let threads = options
        .host_threads()
        .min(usize::try_from(clusters).unwrap_or(usize::MAX));
    let shared = Shared::start(device, options.check_uninitialised, threads);
    let queue = Queue {
        next: AtomicU64::new(0),
        clusters,
        spent: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        workers: threads as u64,
    };
    let done: Vec<Done> = if threads > 1 {
        std::thread::scope(|scope| {
            let worker = |number| {
                let (shared, queue) = (&shared, &queue);
                let builder = std::thread::Builder::new();
                // Where no more threads can be had, those that there are do the work.
                builder
                    .spawn_scoped(scope, move || work(grid, shared, queue, number, options))
                    .ok()
            };
            let workers: Vec<_> = (1..threads as u64).map_while(worker).collect();
            let mut done = vec![work(grid, &shared, &queue, 0, options)];
            for worker in workers {
                done.push(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        })
    } else {
        vec![work(grid, &shared, &queue, 0, options)]
    };
    *device = shared.finish();
    outcome(grid, done, options)
}

/// What all host threads have done.
fn outcome<G: Grid>(grid: &G, done: Vec<Done>, options: &Options) -> Result<(Report, Vec<u64>), Failure> {
    let mut counts = Counts::default();
    let mut printed = BTreeMap::new();
    let mut launched = BTreeMap::new();
    let mut faults = Vec::new();
    for mut done in done {
        counts.add(&done.counts);
        printed.append(&mut done.printed);
        launched.append(&mut done.launched);
        faults.append(&mut done.faults);
    }
    let report = grid.report(counts, printed.into_values().collect());
    // In order of CTAs: those without a place come last.
    faults.sort_by_key(|(_, fault)| fault.cta.map_or([u32::MAX; 3], |[x, y, z]| [z, y, x]));
    let mut known = FxHashSet::default();
    faults.retain(|(key, _)| known.insert(key.clone()));
    let named = |(_, fault): (FaultKey, Fault)| Fault {
        kernel: Some(grid.launch().kernel.clone()),
        ..fault
    };
    let mut faults = faults.into_iter().map(named).take(options.faults.max(1));
    match faults.next() {
        None => Ok((report, launched.into_values().flatten().collect())),
        Some(fault) => Err(Failure {
            fault,
            more: faults.collect(),
            report,
        }),
    }
}

/// What one host thread does: it runs clusters of the queue until there are none, or a fault ends the run.
fn work<G: Grid>(grid: &G, shared: &Shared, queue: &Queue, number: u64, options: &Options) -> Done {
    let mut machine = grid.machine(shared.view(), queue, options);
    let fault = schedule(grid, &mut machine, queue, number, options).err();
    let mut done = machine.finish();
    if let Some(fault) = fault {
        done.faults.push((FaultKey::of(&fault), *fault));
        queue.stop.store(true, Relaxed);
    }
    done
}

fn schedule<'r, G: Grid + 'r>(
    grid: &'r G,
    machine: &mut G::Machine<'r>,
    queue: &Queue,
    number: u64,
    options: &Options,
) -> Result<(), Box<Fault>> {
    let threads: u32 = grid.launch().block.iter().chain(&grid.cluster()).product();
    let mut limit = match grid.launch().cooperative {
        // All are resident at once, the host threads having a share each.
        true => usize::try_from(queue.clusters.div_ceil(queue.workers.max(1))).unwrap_or(usize::MAX),
        false => queue.share((RESIDENT_THREADS / threads.max(1)).max(1) as usize),
    };
    let mut random = Random::new(options.seed ^ number << 32);
    let mut resident: Vec<G::Cluster> = Vec::new();
    let most = (MOST_THREADS / threads.max(1)).max(1) as usize;
    let (mut rounds, mut polls) = (0, 0);
    loop {
        while resident.len() < limit {
            let Some(next) = queue.take() else { break };
            resident.push(start(grid, next, options)?);
        }
        if resident.is_empty() || queue.stop.load(Relaxed) {
            return Ok(());
        }
        let before = machine.counts().progress();
        let ended = round(grid, machine, queue, &mut resident, &mut random, options)?;
        if ended {
            rounds = 0;
            continue;
        }
        rounds += 1;
        let stuck = machine.counts().progress() == before;
        let more = queue.next.load(Relaxed) < queue.clusters;
        if (stuck || rounds >= PATIENCE) && more {
            if stuck || machine.counts().polls > polls {
                limit = (2 * resident.len()).min(most).max(resident.len() + 1);
            }
            polls = machine.counts().polls;
            rounds = 0;
        } else if stuck && !queue.stop.load(Relaxed) {
            let fault = Fault::new(FaultKind::BarrierDivergence, "no thread can go on");
            return Err(Box::new(fault.standing(grid.standing(&resident))));
        }
    }
}

/// Gives each resident warp a turn, in an order that starts anywhere. Whether a cluster has ended.
fn round<'r, G: Grid + 'r>(
    grid: &'r G,
    machine: &mut G::Machine<'r>,
    queue: &Queue,
    resident: &mut Vec<G::Cluster>,
    random: &mut Random,
    options: &Options,
) -> Result<bool, Box<Fault>> {
    let count = resident.len();
    let offset = random.next_u64() as usize % count;
    for turn in 0..count {
        let cluster = &mut resident[(turn + offset) % count];
        for rank in 0..cluster.size() {
            let warps = cluster.warps(rank).len();
            let first = random.next_u64() as usize % warps;
            for turn in 0..warps {
                let index = (turn + first) % warps;
                let Some(mut warp) = cluster.warps(rank)[index].take() else {
                    continue;
                };
                let quantum = 1 + random.next_u64() % TURN;
                let before = machine.counts().instructions;
                let outcome = machine.slice(cluster, rank, &mut warp, quantum);
                if G::Cluster::is_live(&warp) || outcome.is_err() {
                    cluster.warps(rank)[index] = Some(warp);
                }
                outcome?;
                let executed = machine.counts().instructions - before;
                if queue.spent.fetch_add(executed, Relaxed) + executed > options.step_budget {
                    let message = format!("more than {} warp instructions", options.step_budget);
                    let fault = Fault::new(FaultKind::Budget, message);
                    return Err(Box::new(fault.standing(grid.standing(resident))));
                }
                if options.cancel.is_cancelled() {
                    let fault = Fault::new(FaultKind::Budget, "the run was cancelled");
                    return Err(Box::new(fault.standing(grid.standing(resident))));
                }
                if queue.stop.load(Relaxed) {
                    return Ok(false);
                }
            }
        }
    }
    for cluster in resident.iter_mut().filter(|cluster| cluster.live() == 0) {
        machine.end(cluster)?;
    }
    resident.retain(|cluster| cluster.live() > 0);
    Ok(resident.len() < count)
}
