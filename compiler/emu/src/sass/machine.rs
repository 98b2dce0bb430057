//! A run in progress: what all its threads share, and the execution of one instruction after the other.

use std::collections::BTreeMap;

use super::{
    code::{LANES, Lanes, Modify, Op, Pc, Program, Source, Step},
    lanes::LanesFunction,
    warp::{Wait, Warp},
};
use crate::{
    Accessed, Fault, FaultKind, Launch, MemorySpace, Options,
    barrier::{Barrier, ClusterBarrier},
    device::{Block, Memory},
    grid::{Counts, FaultKey},
    warpgroup::Products,
};

/// A fault at a lane of the instruction being executed.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    pub(crate) lane: Option<usize>,
    /// Lanes that have executed the instruction already.
    pub(crate) done: u32,
    /// The memory of an access that was out of bounds.
    pub(crate) space: Option<MemorySpace>,
    /// What was accessed.
    pub(crate) accessed: Option<Accessed>,
}

impl Trouble {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Trouble {
        Trouble {
            kind,
            message: message.into(),
            lane: None,
            done: 0,
            space: None,
            accessed: None,
        }
    }

    pub(crate) fn of_space(self, space: MemorySpace) -> Trouble {
        Trouble {
            space: Some(space),
            ..self
        }
    }

    /// With what was accessed.
    pub(crate) fn about(self, accessed: Accessed) -> Trouble {
        Trouble {
            accessed: Some(accessed),
            ..self
        }
    }

    pub(crate) fn at(self, lane: usize) -> Trouble {
        Trouble {
            lane: self.lane.or(Some(lane)),
            ..self
        }
    }
}

/// A CTA in execution.
#[derive(Debug)]
pub(crate) struct Cta {
    pub(crate) index: [u32; 3],
    pub(crate) number: u64,
    /// A warp is absent while it runs.
    pub(crate) warps: Vec<Option<Warp>>,
    pub(crate) shared: Block,
    pub(crate) barriers: [Barrier; 16],
    pub(crate) live: u32,
    pub(crate) tensor: crate::tensor_memory::TensorMemory,
}

impl Cta {
    /// The products of a warp that neither runs nor has exited.
    pub(crate) fn products(&self, warp: usize) -> Option<&Products> {
        let warp = self.warps.get(warp)?.as_ref()?;
        (warp.live != 0).then_some(&warp.products)
    }
}

/// The CTAs of a cluster.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) ctas: Vec<Cta>,
    pub(crate) barrier: ClusterBarrier,
}

impl Cluster {
    pub(crate) fn live(&self) -> u32 {
        self.ctas.iter().map(|cta| cta.live).sum()
    }
}

/// What the threads of a run share that one host thread runs.
pub(crate) struct Machine<'r> {
    pub(crate) memory: Memory<'r>,
    pub(crate) program: &'r Program,
    pub(crate) launch: &'r Launch,
    pub(crate) options: &'r Options,
    /// The rows of [`Program::constants`] for this launch.
    pub(crate) constants: Vec<Lanes>,
    /// The clusters that have not started.
    pub(crate) queue: &'r crate::grid::Queue,
    /// CTAs of a cluster.
    pub(crate) cluster: [u32; 3],
    /// Constant banks by number.
    pub(crate) banks: Vec<Vec<u8>>,
    /// Of kinds of instructions, each step is one: how many runs of steps begin there, less those that end before it.
    pub(crate) counts: Counts,
    /// By the number of the CTA.
    pub(crate) printed: BTreeMap<u64, String>,
    /// Blocks of what threads have launched, by the number of the CTA.
    pub(crate) launched: BTreeMap<u64, Vec<u64>>,
    /// What each instruction reads and writes, in checked mode.
    pub(crate) footprints: Vec<warpsmith_sass::hazard::Footprint>,
    /// Faults after which the run went on.
    pub(crate) faults: Vec<(FaultKey, Fault)>,
    /// The instruction is executed again, and has been counted already.
    pub(crate) retry: bool,
    /// The instruction is executed again after a fault of reading what nobody wrote, which is not looked for now.
    pub(crate) lenient: bool,
    /// Room for a result.
    pub(crate) spare: Lanes,
}

/// What follows an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next step.
    Next,
    /// This step.
    Jump(Pc),
    /// The groups have changed.
    Choose,
    /// Other groups or warps should run first; the group goes on at the next step.
    Yield,
}

/// Where an instruction is executed, and all that it may touch.
pub(crate) struct Context<'c, 'r> {
    pub(crate) machine: &'c mut Machine<'r>,
    pub(crate) cluster: &'c mut Cluster,
    /// Index of the CTA in the cluster.
    pub(crate) rank: usize,
    pub(crate) warp: &'c mut Warp,
    pub(crate) group: usize,
    /// The lanes of the group.
    pub(crate) mask: u32,
    /// Those whose guard holds; all 32 for an instruction that runs once for the warp.
    pub(crate) active: u32,
    pub(crate) pc: Pc,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::new(fault.kind, fault.message)
    }
}

impl<'r> Context<'_, 'r> {
    pub(crate) fn cta(&mut self) -> &mut Cta {
        &mut self.cluster.ctas[self.rank]
    }

    /// A value in every lane.
    pub(crate) fn get(&self, source: super::code::Source) -> Lanes {
        self.warp.get(&self.machine.constants, source)
    }

    /// Writes the active lanes of a row.
    pub(crate) fn put(&mut self, row: super::code::Row, values: &Lanes) {
        self.warp.write(row, self.active, values);
    }
}

fn is_ready(wait: Wait, cluster: &Cluster, rank: usize, warp: u32) -> bool {
    match wait {
        Wait::Nothing => true,
        Wait::Converge { .. } | Wait::Lanes { .. } | Wait::Collective { .. } => false,
        Wait::Barrier { number, generation } => {
            let barrier = cluster.ctas[rank].barriers.get(usize::from(number));
            barrier.is_none_or(|barrier| barrier.generation != generation)
        }
        Wait::Cluster { generation } => cluster.barrier.generation != generation,
        Wait::Products(awaited) => awaited.is_done(warp, |index| cluster.ctas[rank].products(index)),
    }
}

/// Slices that threads of a warp run for before others of the warp that have not run may go first. They part at `YIELD` as a rule (observed, ptxas
/// 13.0.88: loops that wait have one, and recompute their uniform registers after it).
const TURNS: u32 = 256;

impl<'r> Machine<'r> {
    /// Runs a warp for some instructions, or until nothing of it can run. Gives the number executed.
    pub(crate) fn slice(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        quantum: u64,
    ) -> Result<u64, Box<Fault>> {
        let mut executed = 0;
        while executed < quantum && warp.live != 0 {
            let ready = |group: &super::warp::Group| is_ready(group.wait, cluster, rank, warp.index);
            let choice = (0..warp.groups.len())
                .filter(|&index| ready(&warp.groups[index]))
                .min_by_key(|&index| (warp.groups[index].helped.is_none(), warp.groups[index].gave_way));
            let Some(index) = choice else { break };
            if warp.groups[index].gave_way {
                // All that can run have given way: they start again.
                warp.groups.iter_mut().for_each(|group| group.gave_way = false);
            }
            if warp.groups[index].wait != Wait::Nothing {
                super::barrier::wake(self, cluster, rank, warp, index);
            }
            executed += self.run_group(cluster, rank, warp, index, quantum - executed)?;
        }
        Ok(executed)
    }

    /// Runs a group until the groups change, it gives way, or the quantum ends.
    fn run_group(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        index: usize,
        quantum: u64,
    ) -> Result<u64, Box<Fault>> {
        let program: &'r Program = self.program;
        let mask = warp.groups[index].mask;
        let mut pc = warp.groups[index].pc;
        let mut executed = 0;
        // The run of steps one after the other that is being executed: its first step, and what has been counted of it.
        let (mut first, mut counted) = (pc, 0);
        let mut threads = 0;
        loop {
            let Some(step) = program.steps.get(pc as usize) else {
                self.count_run(warp, first, pc, executed - counted);
                let trouble = Trouble::new(FaultKind::Call, "the code ends here");
                return Err(Box::new(self.place(trouble, cluster, rank, warp, pc, mask)));
            };
            let guard = warp.test(step.guard);
            let active = if step.uniform { guard } else { mask & guard };
            executed += 1;
            threads += u64::from((active & mask).count_ones());
            let flow = if let (Op::Lanes { .. }, false) = (&step.op, warp.in_flight.is_some()) {
                self.compute(warp, &step.op, active);
                pc += 1;
                if executed < quantum {
                    continue;
                }
                self.count_run(warp, first, pc, executed - counted);
                self.counts.thread_instructions += threads;
                break;
            } else {
                // Clocks look at what has been executed, and faults at where.
                self.count_run(warp, first, pc + 1, executed - counted);
                self.counts.thread_instructions += threads;
                (first, counted, threads) = (pc + 1, executed, 0);
                // A product that the warp has come to already has been checked.
                if warp.in_flight.is_some() && !warp.products.has_arrived() {
                    super::hazard::check(self, warp, pc, mask, active)
                        .map_err(|t| Box::new(self.place(t, cluster, rank, warp, pc, mask)))?;
                }
                match self.execute(cluster, rank, warp, index, step, mask, active, pc) {
                    Ok(flow) => flow,
                    Err(trouble) => self.recover(trouble, cluster, rank, warp, index, step, mask, active, pc)?,
                }
            };
            match flow {
                Flow::Next => pc += 1,
                Flow::Jump(target) => {
                    pc = target;
                    first = target;
                }
                // The operation has moved the group itself.
                Flow::Choose => return Ok(executed),
                Flow::Yield => {
                    warp.groups[index].pc = pc + 1;
                    warp.groups[index].gave_way = true;
                    return Ok(executed.max(quantum));
                }
            }
            if executed >= quantum {
                break;
            }
        }
        let group = &mut warp.groups[index];
        group.pc = pc;
        group.turns += 1;
        if group.turns >= TURNS {
            group.turns = 0;
            group.gave_way = true;
        }
        // It goes on next time: uniform registers are the warp's, and code that threads part in relies on parting only where it says so.
        warp.groups[..=index].rotate_right(1);
        Ok(executed)
    }

    /// Counts the execution of the steps from `first` to before `end`.
    #[inline(always)]
    fn count_run(&mut self, warp: &mut Warp, first: Pc, end: Pc, count: u64) {
        warp.executed += count;
        self.counts.instructions += count;
        let kinds = &mut self.counts.kinds;
        if let Some(entered) = kinds.get_mut(first as usize) {
            *entered = entered.wrapping_add(1);
        }
        if let Some(left) = kinds.get_mut(end as usize) {
            *left = left.wrapping_sub(1);
        }
    }

    /// Executes an [`Op::Lanes`].
    #[inline(always)]
    fn compute(&mut self, warp: &mut Warp, op: &Op, active: u32) {
        let Op::Lanes {
            function,
            d,
            a,
            b,
            c,
            parameter,
        } = op
        else {
            return;
        };
        let plain = |source: &Source| source.modify == Modify::Nothing;
        if plain(a) && plain(b) && plain(c) {
            let constants = &self.constants;
            function(
                &mut self.spare,
                warp.row(constants, a.row),
                warp.row(constants, b.row),
                warp.row(constants, c.row),
                *parameter,
            );
        } else {
            self.compute_modified(warp, *function, [*a, *b, *c], *parameter);
        }
        warp.write(*d, active, &self.spare);
    }

    /// The same where something is done to a source.
    fn compute_modified(&mut self, warp: &Warp, function: LanesFunction, [a, b, c]: [Source; 3], parameter: u32) {
        let (mut x, mut y, mut z) = ([0; LANES], [0; LANES], [0; LANES]);
        let constants = &self.constants;
        function(
            &mut self.spare,
            warp.source(constants, a, &mut x),
            warp.source(constants, b, &mut y),
            warp.source(constants, c, &mut z),
            parameter,
        );
    }

    /// Ends the run with a fault, or notes it and executes the instruction again without the lane at fault, as long as faults are collected.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn recover(
        &mut self,
        mut trouble: Trouble,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        group: usize,
        step: &Step,
        mask: u32,
        active: u32,
        pc: Pc,
    ) -> Result<Flow, Box<Fault>> {
        let mut left = active;
        let outcome = loop {
            let (kind, done, lane) = (trouble.kind, trouble.done, trouble.lane);
            let fault = self.place(trouble, cluster, rank, warp, pc, left);
            let is_memory = matches!(step.op, Op::Memory(_) | Op::Atomic(_));
            match (kind, lane) {
                _ if self.options.faults <= 1 || !is_memory => break Err(Box::new(fault)),
                (FaultKind::Uninitialised, _) => self.lenient = true,
                (FaultKind::OutOfBounds | FaultKind::Misaligned, Some(lane)) => left &= !(1 << lane),
                _ => break Err(Box::new(fault)),
            }
            left &= !done;
            let key = FaultKey::of(&fault);
            if !self.faults.iter().any(|(known, _)| *known == key) {
                if self.faults.len() + 1 >= self.options.faults {
                    break Err(Box::new(fault));
                }
                self.faults.push((key, fault));
            }
            self.retry = true;
            match self.execute(cluster, rank, warp, group, step, mask, left, pc) {
                Ok(flow) => break Ok(flow),
                Err(next) => trouble = next,
            }
        };
        self.retry = false;
        self.lenient = false;
        outcome
    }

    /// Executes one step.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn execute(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        group: usize,
        step: &Step,
        mask: u32,
        active: u32,
        pc: Pc,
    ) -> Result<Flow, Trouble> {
        let mut context = Context {
            machine: self,
            cluster,
            rank,
            warp,
            group,
            mask,
            active,
            pc,
        };
        match step.op {
            Op::Nothing => Ok(Flow::Next),
            Op::Lanes { .. } => {
                context.machine.compute(context.warp, &step.op, active);
                Ok(Flow::Next)
            }
            Op::Control(control) => control.execute(&mut context),
            _ if active == 0 => Ok(Flow::Next),
            Op::Predicate(predicate) => predicate.execute(&mut context),
            Op::Float(float) => float.execute(&mut context),
            Op::Pair(pair) => pair.execute(&mut context),
            Op::Special { d, special, wide } => special.execute(&mut context, d, wide),
            Op::Constant(load) => load.execute(&mut context),
            Op::Memory(access) => access.execute(&mut context),
            Op::Multimem(load) => load.execute(&mut context),
            Op::Atomic(atomic) => atomic.execute(&mut context),
            Op::Asynchronous(operation) => operation.execute(&mut context),
            Op::Bulk(bulk) => bulk.execute(&mut context),
            Op::Matrix(matrix) => matrix.execute(&mut context),
            Op::Product(product) => product.execute(&mut context),
            Op::Tensor(tensor) => tensor.execute(&mut context),
            Op::Texture(texture) => texture.execute(&mut context),
            Op::Surface(surface) => surface.execute(&mut context),
            Op::Query(query) => query.execute(&mut context),
            Op::Barrier(barrier) => barrier.execute(&mut context),
            Op::Collective(collective) => collective.execute(&mut context),
            Op::Unsupported => {
                let what = match self.program.instructions.get(pc as usize) {
                    Some(Some(instruction)) => format!(
                        "the emulator does not implement {} ({})",
                        instruction,
                        instruction.form().name
                    ),
                    Some(None) | None => "this word is no instruction".to_string(),
                };
                Err(Trouble::new(FaultKind::Unsupported, what))
            }
        }
    }

    pub(crate) fn checks_uninitialised(&self) -> bool {
        self.options.check_uninitialised && !self.lenient
    }

    /// A fault with its place.
    pub(crate) fn place(
        &self,
        trouble: Trouble,
        cluster: &Cluster,
        rank: usize,
        warp: &Warp,
        pc: Pc,
        active: u32,
    ) -> Fault {
        let lane = trouble
            .lane
            .unwrap_or((active.trailing_zeros() as usize).min(LANES - 1));
        Fault {
            kind: trouble.kind,
            message: trouble.message,
            kernel: Some(self.launch.kernel.clone()),
            cta: Some(cluster.ctas[rank].index),
            thread: Some(self.thread_index(warp.index * LANES as u32 + lane as u32)),
            space: trouble.space,
            accessed: trouble.accessed,
            ..self.program.placed(pc)
        }
    }

    /// The index of the thread with this number in its CTA.
    pub(crate) fn thread_index(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        [number % x, number / x % y, number / x / y]
    }
}
