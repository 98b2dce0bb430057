//! The CTAs of a grid: which are resident, and whose warp runs next.
//!
//! CTAs become resident in order, a few at a time, and stay until all their threads have exited. The warps of resident CTAs take turns of
//! random length, drawn from the seed. When for long no CTA has ended while threads poll memory, more become resident, so that a CTA that
//! waits for a later one sees it run in the end.

use std::collections::BTreeMap;

use super::{
    abi,
    code::{Constant, Kernel, LANES, Lanes, Program},
    constant::read_constant,
    hazard::footprints,
    machine::{Barrier, Cluster, Counts, Cta, Machine},
    warp::{Wait, Warp},
};
use crate::{Device, Fault, FaultKind, Launch, Options, Report, device::Block, random::Random};

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
    pub(crate) kernel: &'p Kernel,
    pub(crate) launch: &'p Launch,
    pub(crate) cluster: [u32; 3],
    pub(crate) parameters: Vec<u8>,
}

impl Plan<'_> {
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
                    ctas.push(self.start_cta(index, options));
                }
            }
        }
        Ok(Cluster {
            ctas,
            arrived: 0,
            generation: 0,
        })
    }

    fn start_cta(&self, index: [u32; 3], options: &Options) -> Cta {
        let threads: u32 = self.launch.block.iter().product();
        let shared = self.kernel.shared_bytes + u64::from(self.launch.dynamic_shared);
        let warps = (0..threads.div_ceil(LANES as u32)).map(|number| {
            let lanes = (threads - number * LANES as u32).min(LANES as u32);
            let mut warp = Warp::new(number, u32::MAX >> (32 - lanes), self.kernel.entry);
            for local in &mut warp.local {
                local.grow(self.kernel.stack_bytes as usize);
            }
            if options.check_hazards {
                warp.in_flight = Some(Box::default());
            }
            Some(warp)
        });
        let [width, height, _] = self.launch.grid.map(u64::from);
        Cta {
            index,
            number: u64::from(index[0]) + width * (u64::from(index[1]) + height * u64::from(index[2])),
            warps: warps.collect(),
            shared: Block::new(shared as usize, options.check_uninitialised),
            barriers: [Barrier::default(); 16],
            live: threads,
        }
    }

    /// The constant banks of the launch.
    fn banks(&self) -> Vec<Vec<u8>> {
        let mut banks = vec![Vec::new(); 32];
        let kernel = self.kernel;
        let setting = abi::Setting {
            launch: self.launch,
            cluster: self.cluster,
            explicit_cluster: self.launch.cluster != [1; 3] || kernel.bounds.required_cluster.is_some(),
            stack_bytes: kernel.stack_bytes,
            constant_address: kernel.constant_address,
            shared_bytes: kernel.shared_bytes + u64::from(self.launch.dynamic_shared),
        };
        banks[0] = abi::bank_zero(self.program.isa, setting, kernel.parameter_base, &self.parameters);
        for (number, bytes) in &kernel.banks {
            if let Some(bank) = banks.get_mut(usize::from(*number)) {
                *bank = bytes.clone();
            }
        }
        banks
    }

    /// Runs the whole grid.
    pub(crate) fn run(&self, device: &mut Device, options: &Options) -> Result<Report, Fault> {
        let banks = self.banks();
        // A word that lies outside its bank is read by no instruction that is executed, or the code is wrong; it is zero.
        let constant = |constant: &Constant| -> Lanes {
            [match *constant {
                Constant::Value(value) => value,
                Constant::Bank { bank, offset } => read_constant(&banks, bank, offset, 4).unwrap_or(0),
            }; LANES]
        };
        let constants = self.program.constants.iter().map(constant).collect();
        device.record(options.check_uninitialised);
        let mut machine = Machine {
            device,
            program: self.program,
            launch: self.launch,
            options,
            constants,
            banks,
            counts: Counts {
                steps: vec![0; self.program.steps.len()],
                ..Counts::default()
            },
            printed: String::new(),
            footprints: if options.check_hazards {
                footprints(self.program)
            } else {
                Vec::new()
            },
            hint: 0,
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
        let mut opcodes: BTreeMap<&str, u64> = BTreeMap::new();
        for (instruction, count) in self.program.instructions.iter().zip(&counts.steps) {
            if let (Some(instruction), true) = (instruction, *count > 0) {
                *opcodes.entry(instruction.mnemonic()).or_default() += count;
            }
        }
        Report {
            instructions: counts.instructions,
            thread_instructions: counts.thread_instructions,
            opcodes: opcodes
                .into_iter()
                .map(|(name, count)| (name.to_string(), count))
                .collect(),
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
                let function = program.function(group.pc);
                let (name, start) = function.map_or(("no function", 0), |f| (f.name.as_str(), f.start));
                let instruction = match program.instructions.get(group.pc as usize) {
                    Some(Some(instruction)) => instruction.to_string(),
                    Some(None) | None => "no instruction".to_string(),
                };
                let wait = match group.wait {
                    Wait::Nothing => "runs".to_string(),
                    Wait::Converge { barrier } => format!("waits at convergence barrier B{barrier}"),
                    Wait::Lanes { members } | Wait::Collective { members } => {
                        format!("waits for lanes {members:#010x}")
                    }
                    Wait::Barrier { number, .. } => {
                        let barrier = cta.barriers[usize::from(number) % 16];
                        let expected = barrier.expected.unwrap_or(cta.live);
                        format!(
                            "waits at barrier {number}, where {} of {expected} threads are",
                            barrier.arrived
                        )
                    }
                    Wait::Cluster { .. } => "waits for the cluster".to_string(),
                };
                let offset = u64::from(group.pc - start) * 16;
                let [x, y, z] = cta.index;
                text.push_str(&format!(
                    "\n    CTA ({x}, {y}, {z}) warp {} lanes {:#010x}: {wait}, at {offset:#06x} of {name}: {instruction}",
                    warp.index, group.mask
                ));
            }
        }
    }
    if shown > SHOWN {
        text.push_str(&format!("\n    and {} more", shown - SHOWN));
    }
    text
}
