//! The clusters of a launch, and what is reported of it.

use super::{
    Fault, Launch, Options, Report,
    call::enter,
    code::{Code, LANES, Program},
    machine::{Cluster, Cta, Machine},
    race::Shadow,
    transfer::Transfers,
    warp::{Wait, Warp},
};
use warpsmith_base::Random;

use crate::{
    Standing,
    barrier::{Barrier, ClusterBarrier},
    device::{Block, Memory},
    grid::{Counts, Done, Grid, Queue, Resident},
};

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

    fn start_cta(&self, index: [u32; 3], options: &Options) -> Result<Cta, Box<Fault>> {
        let threads: u32 = self.launch.block.iter().product();
        let shared = self.program.shared_bytes(self.function) + u64::from(self.launch.dynamic_shared);
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
            tensor: super::tensor_memory::Own::default(),
        })
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

    fn start(&self, number: u64, ctas: &[[u32; 3]], options: &Options) -> Result<Cluster, Box<Fault>> {
        let ctas = ctas.iter().map(|index| self.start_cta(*index, options));
        Ok(Cluster {
            ctas: ctas.collect::<Result<_, _>>()?,
            barrier: ClusterBarrier::default(),
            transfers: Transfers::new(options.delay_copies.then_some(Random::new(options.seed ^ number))),
        })
    }

    fn machine<'r>(&'r self, memory: Memory<'r>, queue: &'r Queue, options: &'r Options) -> Machine<'r> {
        let parameters = Block::new(self.parameters.len(), false);
        // The block has this size.
        let _ = parameters.write(0, &self.parameters);
        Machine {
            memory,
            program: self.program,
            launch: self.launch,
            options,
            cluster: self.cluster,
            parameters,
            counts: Counts::new(self.program.mnemonics.len()),
            printed: std::collections::BTreeMap::new(),
            launched: std::collections::BTreeMap::new(),
            dynamic_shared: u64::from(self.launch.dynamic_shared),
            faults: Vec::new(),
            races: options.check_races.then(Box::default),
            retry: false,
            lenient: false,
            queue,
        }
    }

    fn report(&self, mut counts: Counts, printed: String) -> Report {
        let kinds = std::mem::take(&mut counts.kinds);
        let mnemonics = self.program.mnemonics.iter().map(String::as_str);
        counts.report(mnemonics.zip(kinds), printed)
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

    fn end(&mut self, cluster: &mut Cluster) -> Result<(), Box<Fault>> {
        self.settle_between(cluster, true)
    }

    fn counts(&self) -> &Counts {
        &self.counts
    }

    fn finish(self) -> Done {
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
                    Wait::Warp { members, .. } => format!("waits for lanes {members:#010x}"),
                    Wait::Barrier { number, .. } => {
                        let (arrived, expected) = cta.barriers[number as usize].standing(cta.live);
                        format!("waits at barrier {number}, where {arrived} of {expected} threads are")
                    }
                    Wait::Cluster { .. } => "waits for the cluster".to_string(),
                    Wait::Products(_) => "waits for products of its warp group".to_string(),
                };
                let [x, y, z] = cta.index;
                let (number, mask) = (warp.index, group.mask);
                found.push(Standing {
                    what: format!("CTA ({x}, {y}, {z}) warp {number} lanes {mask:#010x}: {wait}"),
                    at: program.placed(group.function, group.pc, group.stack.as_deref()),
                });
            }
        }
    }
    (found, shown.saturating_sub(SHOWN))
}
