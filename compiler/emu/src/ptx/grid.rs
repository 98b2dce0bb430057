//! The CTAs of a grid: which are resident, and whose warp runs next.
//!
//! CTAs become resident in order, a few at a time, and stay until all their threads have exited. The warps of resident CTAs take turns of
//! random length, drawn from the seed. When for long no CTA has ended while threads poll memory, more become resident, so that a CTA that
//! waits for a later one sees it run in the end.
//!
//! With several host threads, each takes clusters from a common queue and runs them in this way by itself. A cluster stays on its thread.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use rustc_hash::FxHashSet;

use super::{
    Failure, Fault, FaultKind, Launch, Options, Report,
    call::enter,
    code::{Code, LANES, Program},
    machine::{Barrier, Cluster, Counts, Cta, FaultKey, Machine},
    race::Shadow,
    transfer::Transfers,
    warp::{Wait, Warp},
};
use crate::{
    device::{Block, Device, Shared},
    random::Random,
};

/// Threads that are resident at first.
const RESIDENT_THREADS: u32 = 4096;
/// Threads that are resident at most, as on a large GPU; beyond, one cluster at a time.
const MOST_THREADS: u32 = 1 << 18;
/// Rounds without the end of a CTA after which more become resident, if threads poll memory.
const PATIENCE: u32 = 32;
/// The longest turn of a warp.
const TURN: u64 = 256;

/// A launch that was found to fit.
pub(crate) struct Plan<'p> {
    pub(crate) program: &'p Program,
    pub(crate) function: u32,
    pub(crate) launch: &'p Launch,
    pub(crate) cluster: [u32; 3],
    pub(crate) parameters: Vec<u8>,
}

impl Plan<'_> {
    fn code(&self) -> &Code {
        &self.program.functions[self.function as usize]
    }

    /// The clusters of the grid.
    fn clusters(&self) -> u64 {
        (0..3)
            .map(|axis| u64::from(self.launch.grid[axis] / self.cluster[axis]))
            .product()
    }

    /// The CTAs of a cluster, ready to start.
    fn start(&self, number: u64, options: &Options) -> Result<Cluster, Box<Fault>> {
        let counts: [u64; 3] = std::array::from_fn(|axis| u64::from(self.launch.grid[axis] / self.cluster[axis]));
        let place = [
            number % counts[0],
            number / counts[0] % counts[1],
            number / counts[0] / counts[1],
        ];
        let [width, height, depth] = self.cluster;
        let mut ctas = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let inner = [x, y, z];
                    let index = std::array::from_fn(|axis| place[axis] as u32 * self.cluster[axis] + inner[axis]);
                    ctas.push(self.start_cta(index, options)?);
                }
            }
        }
        Ok(Cluster {
            ctas,
            arrived: 0,
            generation: 0,
            transfers: Transfers::new(options.delay_copies.then_some(Random(options.seed ^ number))),
        })
    }

    fn start_cta(&self, index: [u32; 3], options: &Options) -> Result<Cta, Box<Fault>> {
        let threads: u32 = self.launch.block.iter().product();
        let shared = self.program.shared_bytes + u64::from(self.launch.dynamic_shared);
        let mut warps = Vec::new();
        for number in 0..threads.div_ceil(LANES as u32) {
            let lanes = (threads - number * LANES as u32).min(LANES as u32);
            let mask = u32::MAX >> (32 - lanes);
            let mut warp = Warp::new(number, mask, self.function, self.code(), options.check_uninitialised);
            warp.watch = options.check_registers.then(Box::default);
            enter(&mut warp, self.code(), mask, options.check_uninitialised)
                .map_err(|trouble| Box::new(Fault::new(trouble.kind, trouble.message)))?;
            warps.push(Some(warp));
        }
        let [width, height, _] = self.launch.grid.map(u64::from);
        Ok(Cta {
            index,
            number: u64::from(index[0]) + width * (u64::from(index[1]) + height * u64::from(index[2])),
            warps,
            shared: Block::new(shared as usize, options.check_uninitialised),
            barriers: [Barrier::default(); 16],
            live: threads,
            shadow: options.check_races.then(Shadow::default),
            tensor: super::tensor_memory::TensorMemory::default(),
        })
    }

    /// Runs the whole grid.
    pub(crate) fn run(&self, device: &mut Device, options: &Options) -> Result<Report, Failure> {
        let clusters = self.clusters();
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
        let mut done: Vec<Done> = if threads > 1 {
            std::thread::scope(|scope| {
                let work = |number| {
                    let (shared, queue) = (&shared, &queue);
                    scope.spawn(move || self.work(shared, queue, number, options))
                };
                let workers: Vec<_> = (0..threads as u64).map(work).collect();
                // A worker cannot panic; if it did, what it has done is missing.
                workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
            })
        } else {
            vec![self.work(&shared, &queue, 0, options)]
        };
        *device = shared.finish();
        let mut counts = Counts::new(self.program.mnemonics.len());
        let mut printed = BTreeMap::new();
        let mut faults = Vec::new();
        for done in &mut done {
            counts.add(&done.counts);
            printed.append(&mut done.printed);
            faults.append(&mut done.faults);
        }
        let report = self.report(counts, printed.into_values().collect());
        // In order of CTAs: those without a place come last.
        faults.sort_by_key(|(_, fault)| fault.cta.map_or([u32::MAX; 3], |[x, y, z]| [z, y, x]));
        let mut known = FxHashSet::default();
        faults.retain(|(key, _)| known.insert(*key));
        let named = |(_, fault): (FaultKey, Fault)| Fault {
            kernel: Some(self.launch.kernel.clone()),
            ..fault
        };
        let mut faults = faults.into_iter().map(named).take(options.faults.max(1));
        match faults.next() {
            None => Ok(report),
            Some(fault) => Err(Failure {
                fault,
                more: faults.collect(),
                report,
            }),
        }
    }

    /// What one host thread does: it runs clusters of the queue until there are none, or a fault ends the run.
    fn work(&self, shared: &Shared, queue: &Queue, number: u64, options: &Options) -> Done {
        let parameters = Block::new(self.parameters.len(), false);
        // The block has this size.
        let _ = parameters.write(0, &self.parameters);
        let mut machine = Machine {
            memory: shared.view(),
            program: self.program,
            launch: self.launch,
            options,
            cluster: self.cluster,
            parameters,
            counts: Counts::new(self.program.mnemonics.len()),
            printed: BTreeMap::new(),
            dynamic_shared: u64::from(self.launch.dynamic_shared),
            faults: Vec::new(),
            races: options.check_races.then(Box::default),
            retry: false,
            lenient: false,
            queue,
        };
        if let Err(fault) = self.schedule(&mut machine, queue, number, options) {
            machine.faults.push((FaultKey::of(&fault), *fault));
            queue.stop.store(true, Relaxed);
        }
        Done {
            counts: machine.counts,
            printed: machine.printed,
            faults: machine.faults,
        }
    }

    fn schedule(
        &self,
        machine: &mut Machine<'_>,
        queue: &Queue,
        number: u64,
        options: &Options,
    ) -> Result<(), Box<Fault>> {
        let threads: u32 = self.launch.block.iter().chain(&self.cluster).product();
        let mut limit = queue.share((RESIDENT_THREADS / threads.max(1)).max(1) as usize);
        let mut random = Random(options.seed ^ number << 32);
        let mut resident: Vec<Cluster> = Vec::new();
        let most = (MOST_THREADS / threads.max(1)).max(1) as usize;
        let (mut rounds, mut polls) = (0, 0);
        loop {
            while resident.len() < limit {
                let Some(next) = queue.take() else { break };
                resident.push(self.start(next, options)?);
            }
            if resident.is_empty() || queue.stop.load(Relaxed) {
                return Ok(());
            }
            let before = machine.counts.instructions;
            let ended = self.round(machine, queue, &mut resident, &mut random, options)?;
            if ended {
                rounds = 0;
                continue;
            }
            rounds += 1;
            let stuck = machine.counts.instructions == before;
            let more = queue.next.load(Relaxed) < queue.clusters;
            if (stuck || rounds >= PATIENCE) && more {
                if stuck || machine.counts.polls > polls {
                    limit = (2 * resident.len()).min(most).max(resident.len() + 1);
                }
                polls = machine.counts.polls;
                rounds = 0;
            } else if stuck && !queue.stop.load(Relaxed) {
                let message = format!("no thread can go on{}", standing(self.program, &resident));
                return Err(Box::new(Fault::new(FaultKind::BarrierDivergence, message)));
            }
        }
    }

    /// Gives each resident warp a turn, in an order that starts anywhere. Whether a cluster has ended.
    fn round(
        &self,
        machine: &mut Machine<'_>,
        queue: &Queue,
        resident: &mut Vec<Cluster>,
        random: &mut Random,
        options: &Options,
    ) -> Result<bool, Box<Fault>> {
        let count = resident.len();
        let offset = random.next() as usize % count;
        for turn in 0..count {
            let cluster = &mut resident[(turn + offset) % count];
            for rank in 0..cluster.ctas.len() {
                let warps = cluster.ctas[rank].warps.len();
                let first = random.next() as usize % warps;
                for turn in 0..warps {
                    let index = (turn + first) % warps;
                    let Some(mut warp) = cluster.ctas[rank].warps[index].take() else {
                        continue;
                    };
                    let quantum = 1 + random.next() % TURN;
                    let before = machine.counts.instructions;
                    let outcome = machine.slice(cluster, rank, &mut warp, quantum);
                    if warp.live != 0 || outcome.is_err() {
                        cluster.ctas[rank].warps[index] = Some(warp);
                    }
                    outcome?;
                    let executed = machine.counts.instructions - before;
                    if queue.spent.fetch_add(executed, Relaxed) + executed > options.step_budget {
                        let message = format!(
                            "more than {} warp instructions{}",
                            options.step_budget,
                            standing(self.program, resident)
                        );
                        return Err(Box::new(Fault::new(FaultKind::Budget, message)));
                    }
                    if queue.stop.load(Relaxed) {
                        return Ok(false);
                    }
                }
            }
        }
        for cluster in resident.iter_mut().filter(|cluster| cluster.live() == 0) {
            machine.settle_between(cluster, true)?;
        }
        resident.retain(|cluster| cluster.live() > 0);
        Ok(resident.len() < count)
    }

    fn report(&self, counts: Counts, printed: String) -> Report {
        let mut opcodes: Vec<(String, u64)> = Vec::new();
        for (mnemonic, count) in self.program.mnemonics.iter().zip(&counts.variants) {
            if *count > 0 {
                opcodes.push((mnemonic.clone(), *count));
            }
        }
        opcodes.sort();
        opcodes.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        Report {
            instructions: counts.instructions,
            thread_instructions: counts.thread_instructions,
            opcodes,
            divergent_branches: counts.divergent,
            branches: counts.branches,
            barriers: counts.barriers,
            memory: counts.memory,
            printed,
        }
    }
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

/// What a host thread has done.
struct Done {
    counts: Counts,
    printed: BTreeMap<u64, String>,
    faults: Vec<(FaultKey, Fault)>,
}

/// Where the threads of resident CTAs stand, in words; the first few.
fn standing(program: &Program, resident: &[Cluster]) -> String {
    const SHOWN: usize = 16;
    let mut text = String::new();
    let mut shown = 0;
    for cta in resident.iter().flat_map(|cluster| &cluster.ctas) {
        for warp in cta.warps.iter().flatten() {
            for group in warp.groups.iter().filter(|group| group.mask != 0) {
                shown += 1;
                if shown > SHOWN {
                    continue;
                }
                let code = &program.functions[group.function as usize];
                let origin = code.origins[group.pc as usize];
                let mnemonic = program
                    .mnemonics
                    .get(origin.variant.0 as usize)
                    .map_or("the end", String::as_str);
                let wait = match group.wait {
                    Wait::Nothing => "runs".to_string(),
                    Wait::Warp { members, .. } => format!("waits for lanes {members:#010x}"),
                    Wait::Barrier { number, .. } => {
                        let barrier = cta.barriers[number as usize];
                        let expected = barrier.expected.unwrap_or(cta.live);
                        format!(
                            "waits at barrier {number}, where {} of {expected} threads are",
                            barrier.arrived
                        )
                    }
                    Wait::Cluster { .. } => "waits for the cluster".to_string(),
                };
                let [x, y, z] = cta.index;
                text.push_str(&format!(
                    "\n    CTA ({x}, {y}, {z}) warp {} lanes {:#010x}: {wait}, at {mnemonic} in {}, PTX byte {}",
                    warp.index, group.mask, code.name, origin.span.start
                ));
            }
        }
    }
    if shown > SHOWN {
        text.push_str(&format!("\n    and {} more", shown - SHOWN));
    }
    text
}
