//! The CTAs of a grid: which are resident, and whose warp runs next.
//!
//! CTAs become resident in order, a few at a time, and stay until all their threads have exited. The warps of resident CTAs take turns of
//! random length, drawn from the seed. When for long no CTA has ended while threads poll memory, more become resident, so that a CTA that
//! waits for a later one sees it run in the end.

use super::{
    Fault, FaultKind, Launch, Options, Report,
    call::enter,
    code::{Code, LANES, Program},
    machine::{Barrier, Cluster, Counts, Cta, Machine},
    race::Shadow,
    warp::{Wait, Warp},
};
use crate::{
    device::{Block, Device},
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
    fn start(&self, number: u64, options: &Options) -> Result<Cluster, Fault> {
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
        })
    }

    fn start_cta(&self, index: [u32; 3], options: &Options) -> Result<Cta, Fault> {
        let threads: u32 = self.launch.block.iter().product();
        let shared = self.program.shared_bytes + u64::from(self.launch.dynamic_shared);
        let mut warps = Vec::new();
        for number in 0..threads.div_ceil(LANES as u32) {
            let lanes = (threads - number * LANES as u32).min(LANES as u32);
            let mask = u32::MAX >> (32 - lanes);
            let mut warp = Warp::new(number, mask, self.function, self.code(), options.check_uninitialised);
            enter(&mut warp, self.code(), mask, options.check_uninitialised)
                .map_err(|trouble| Fault::new(trouble.kind, trouble.message))?;
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
        })
    }

    /// Runs the whole grid.
    pub(crate) fn run(&self, device: &mut Device, options: &Options) -> Result<Report, Fault> {
        let mut parameters = Block::new(self.parameters.len(), false);
        if let Ok(slice) = parameters.slice_mut(0, self.parameters.len()) {
            slice.copy_from_slice(&self.parameters);
        }
        device.record(options.check_uninitialised);
        let mut machine = Machine {
            device,
            program: self.program,
            launch: self.launch,
            options,
            cluster: self.cluster,
            parameters,
            counts: Counts {
                variants: vec![0; self.program.mnemonics.len()],
                ..Counts::default()
            },
            printed: String::new(),
            hint: 0,
            dynamic_shared: u64::from(self.launch.dynamic_shared),
            heap: Vec::new(),
        };
        let outcome = self.schedule(&mut machine, options);
        let Machine { counts, printed, .. } = machine;
        outcome.map(|()| self.report(counts, printed)).map_err(|fault| Fault {
            kernel: Some(self.launch.kernel.clone()),
            ..fault
        })
    }

    fn schedule(&self, machine: &mut Machine<'_>, options: &Options) -> Result<(), Fault> {
        let threads: u32 = self.launch.block.iter().chain(&self.cluster).product();
        let mut limit = (RESIDENT_THREADS / threads.max(1)).max(1) as usize;
        let clusters = self.clusters();
        let mut random = Random(options.seed);
        let mut resident: Vec<Cluster> = Vec::new();
        let most = (MOST_THREADS / threads.max(1)).max(1) as usize;
        let (mut next, mut rounds, mut polls) = (0, 0, 0);
        loop {
            while resident.len() < limit && next < clusters {
                resident.push(self.start(next, options)?);
                next += 1;
            }
            if resident.is_empty() {
                return Ok(());
            }
            let before = machine.counts.instructions;
            let ended = self.round(machine, &mut resident, &mut random, options)?;
            if ended {
                rounds = 0;
                continue;
            }
            rounds += 1;
            let stuck = machine.counts.instructions == before;
            if (stuck || rounds >= PATIENCE) && next < clusters {
                if stuck || machine.counts.polls > polls {
                    limit = (2 * resident.len()).min(most).max(resident.len() + 1);
                }
                polls = machine.counts.polls;
                rounds = 0;
            } else if stuck {
                let message = format!("no thread can go on{}", standing(self.program, &resident));
                return Err(Fault::new(FaultKind::BarrierDivergence, message));
            }
        }
    }

    /// Gives each resident warp a turn, in an order that starts anywhere. Whether a cluster has ended.
    fn round(
        &self,
        machine: &mut Machine<'_>,
        resident: &mut Vec<Cluster>,
        random: &mut Random,
        options: &Options,
    ) -> Result<bool, Fault> {
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
                    let outcome = machine.slice(cluster, rank, &mut warp, quantum);
                    if warp.live != 0 || outcome.is_err() {
                        cluster.ctas[rank].warps[index] = Some(warp);
                    }
                    outcome?;
                    if machine.counts.instructions > options.step_budget {
                        let message = format!(
                            "more than {} warp instructions{}",
                            options.step_budget,
                            standing(self.program, resident)
                        );
                        return Err(Fault::new(FaultKind::Budget, message));
                    }
                }
            }
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
