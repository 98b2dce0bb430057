//! The clusters of a launch, its constants, and what is reported of it.

use std::collections::BTreeMap;

use super::{
    abi,
    code::{Constant, Kernel, LANES, Lanes, Program},
    constant::read_constant,
    hazard::footprints,
    images::Bound,
    machine::{Cluster, Cta, Machine},
    tensor_memory,
    warp::{Wait, Warp},
};
use crate::{
    Fault, Launch, Options, Report, Standing,
    barrier::{Barrier, ClusterBarrier},
    device::{Block, Memory},
    grid::{Counts, Done, Grid, Queue, Resident},
    tensor_memory::TensorMemory,
};

/// A launch that was found to fit.
pub(crate) struct Plan<'p> {
    pub(crate) program: &'p Program,
    pub(crate) kernel: &'p Kernel,
    pub(crate) launch: &'p Launch,
    pub(crate) cluster: [u32; 3],
    pub(crate) parameters: Vec<u8>,
    /// Their generic address.
    pub(crate) parameter_address: u64,
    /// Where CTAs of a cooperative launch meet; 0 in others.
    pub(crate) workspace: u64,
    /// What is bound to the textures that the module names.
    pub(crate) bound: &'p Bound,
}

/// The most bytes of a constant bank.
const LARGEST_BANK: usize = 1 << 16;

impl Plan<'_> {
    fn start_cta(&self, rank: usize, index: [u32; 3], options: &Options) -> Cta {
        let threads: u32 = self.launch.block.iter().product();
        let shared = (self.kernel.shared_bytes + u64::from(self.launch.dynamic_shared)) as usize;
        let unit = match options.padded_shared {
            true => self.program.sm.info().shared.allocation_unit.max(1) as usize,
            false => 1,
        };
        let warps = (0..threads.div_ceil(LANES as u32)).map(|number| {
            let lanes = (threads - number * LANES as u32).min(LANES as u32);
            let mut warp = Warp::new(number, u32::MAX >> (32 - lanes), self.kernel.entry);
            for local in &mut warp.local {
                local.grow(self.kernel.stack_bytes as usize);
            }
            if options.check_hazards {
                warp.in_flight = Some(Box::default());
                warp.views = Some(Box::default());
            }
            Some(warp)
        });
        let [width, height, _] = self.launch.grid.map(u64::from);
        let shared =
            Block::padded(shared, shared.next_multiple_of(unit), options.check_uninitialised).unwrap_or_default();
        if self.kernel.allocates_tensor_memory {
            // The system's part is always large enough.
            let _ = shared.write(tensor_memory::PARTITION, &tensor_memory::partition(rank));
        }
        Cta {
            index,
            number: u64::from(index[0]) + width * (u64::from(index[1]) + height * u64::from(index[2])),
            warps: warps.collect(),
            shared,
            barriers: [Barrier::default(); 16],
            live: threads,
            tensor: TensorMemory::default(),
        }
    }

    /// The constant banks of the launch.
    fn banks(&self, options: &Options) -> Vec<Vec<u8>> {
        let mut banks = vec![Vec::new(); 32];
        let kernel = self.kernel;
        let setting = abi::Setting {
            launch: self.launch,
            cluster: self.cluster,
            explicit_cluster: self.launch.cluster != [1; 3] || kernel.bounds.required_cluster.is_some(),
            stack_bytes: kernel.stack_bytes,
            constant_address: kernel.constant_address,
            parameter_address: self.parameter_address,
            shared_bytes: kernel.shared_bytes + u64::from(self.launch.dynamic_shared),
            image_tables: self.bound.tables,
            workspace: self.workspace,
            multiprocessors: options.multiprocessors,
        };
        banks[0] = abi::bank_zero(self.program.sm, setting, kernel.parameter_base, &self.parameters);
        for (offset, word) in &self.bound.words {
            let (start, end) = (*offset as usize, *offset as usize + 4);
            if end <= LARGEST_BANK {
                let length = banks[0].len().max(end);
                banks[0].resize(length, 0);
                banks[0][start..end].copy_from_slice(&word.to_le_bytes());
            }
        }
        for (number, bytes) in &kernel.banks {
            if let Some(bank) = banks.get_mut(usize::from(*number)) {
                *bank = bytes.clone();
            }
        }
        banks
    }
}

impl Grid for Plan<'_> {
    type Cluster = Cluster;
    type Machine<'r>
        = Machine<'r>
    where
        Self: 'r;

    fn launch(&self) -> &Launch {
        self.launch
    }

    fn cluster(&self) -> [u32; 3] {
        self.cluster
    }

    fn start(&self, _: u64, ctas: &[[u32; 3]], options: &Options) -> Result<Cluster, Box<Fault>> {
        Ok(Cluster {
            ctas: { ctas.iter().enumerate() }
                .map(|(rank, index)| self.start_cta(rank, *index, options))
                .collect(),
            barrier: ClusterBarrier::default(),
        })
    }

    fn machine<'r>(&'r self, memory: Memory<'r>, queue: &'r Queue, options: &'r Options) -> Machine<'r> {
        let banks = self.banks(options);
        // A word that lies outside its bank is read by no instruction that is executed, or the code is wrong; it is zero.
        let constant = |constant: &Constant| -> Lanes {
            [match *constant {
                Constant::Value(value) => value,
                Constant::Bank { bank, offset } => read_constant(&banks, bank, offset, 4).unwrap_or(0),
            }; LANES]
        };
        let constants = self.program.constants.iter().map(constant).collect();
        Machine {
            memory,
            program: self.program,
            launch: self.launch,
            options,
            constants,
            queue,
            cluster: self.cluster,
            banks,
            counts: Counts::new(self.program.steps.len() + 1),
            printed: BTreeMap::new(),
            launched: BTreeMap::new(),
            footprints: if options.check_hazards {
                footprints(self.program)
            } else {
                Vec::new()
            },
            faults: Vec::new(),
            retry: false,
            lenient: false,
            spare: [0; LANES],
        }
    }

    fn report(&self, mut counts: Counts, printed: String) -> Report {
        let kinds = std::mem::take(&mut counts.kinds);
        let instructions = self.program.instructions.iter().zip(kinds);
        let known = instructions.filter_map(|(instruction, count)| Some((instruction.as_ref()?.mnemonic(), count)));
        counts.report(known, printed)
    }

    fn standing(&self, resident: &[Cluster]) -> (Vec<Standing>, usize) {
        standing(self.program, resident)
    }
}

impl Resident for Cluster {
    type Warp = Warp;

    fn size(&self) -> usize {
        self.ctas.len()
    }

    fn warps(&mut self, rank: usize) -> &mut [Option<Warp>] {
        &mut self.ctas[rank].warps
    }

    fn live(&self) -> u32 {
        // Its own function of this name.
        self.live()
    }

    fn is_live(warp: &Warp) -> bool {
        warp.live != 0
    }
}

impl crate::grid::Machine for Machine<'_> {
    type Cluster = Cluster;

    fn slice(&mut self, cluster: &mut Cluster, rank: usize, warp: &mut Warp, quantum: u64) -> Result<(), Box<Fault>> {
        self.slice(cluster, rank, warp, quantum).map(|_| ())
    }

    fn end(&mut self, _: &mut Cluster) -> Result<(), Box<Fault>> {
        Ok(())
    }

    fn counts(&self) -> &Counts {
        &self.counts
    }

    fn finish(mut self) -> Done {
        // What is counted for a step is how many runs of steps begin there less how many end before it.
        let mut running = 0_u64;
        for count in &mut self.counts.kinds {
            running = running.wrapping_add(*count);
            *count = running;
        }
        Done {
            counts: self.counts,
            printed: self.printed,
            launched: self.launched,
            faults: self.faults,
        }
    }
}

/// Where the threads of resident CTAs stand; the first few, and how many more groups of threads there are.
fn standing(program: &Program, resident: &[Cluster]) -> (Vec<Standing>, usize) {
    const SHOWN: usize = 16;
    let mut found = Vec::new();
    let mut shown = 0;
    for cta in resident.iter().flat_map(|cluster| &cluster.ctas) {
        for warp in cta.warps.iter().flatten() {
            for group in warp.groups.iter().filter(|group| group.mask != 0) {
                shown += 1;
                if shown > SHOWN {
                    continue;
                }
                let wait = match group.wait {
                    Wait::Nothing => "runs".to_string(),
                    Wait::Converge { barrier } => format!("waits at convergence barrier B{barrier}"),
                    Wait::Lanes { members } | Wait::Collective { members } => {
                        format!("waits for lanes {members:#010x}")
                    }
                    Wait::Barrier { number, .. } => {
                        let (arrived, expected) = cta.barriers[usize::from(number) % 16].standing(cta.live);
                        format!("waits at barrier {number}, where {arrived} of {expected} threads are")
                    }
                    Wait::Cluster { .. } => "waits for the cluster".to_string(),
                    Wait::Products(_) => "waits for products of its warp group".to_string(),
                };
                let [x, y, z] = cta.index;
                let (number, mask) = (warp.index, group.mask);
                found.push(Standing {
                    what: format!("CTA ({x}, {y}, {z}) warp {number} lanes {mask:#010x}: {wait}"),
                    at: program.placed(group.pc),
                });
            }
        }
    }
    (found, shown.saturating_sub(SHOWN))
}
