//! A run in progress: what all its threads share, and the execution of one instruction after the other.

use std::collections::BTreeMap;

use super::{
    Accessed, Fault, FaultKind, Launch, Options,
    arithmetic::{self, Work},
    code::{CarryIn, Code, LANES, Lanes, Op, Program, Source, Special, Step},
    race::{Races, Shadow},
    warp::{Frame, Group, Wait, Warp, lanes_of},
    watch::watched,
};
use crate::{
    barrier::{Barrier, ClusterBarrier},
    device::{Block, Memory},
    grid::{Counts, FaultKey, Queue},
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
    /// What was accessed.
    pub(crate) accessed: Option<Accessed>,
    /// Of a race: the access before.
    pub(crate) other: Option<Box<Fault>>,
}

impl Trouble {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Trouble {
        Trouble {
            kind,
            message: message.into(),
            lane: None,
            done: 0,
            accessed: None,
            other: None,
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
    pub(crate) shadow: Option<Shadow>,
    pub(crate) tensor: super::tensor_memory::Own,
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
    pub(crate) transfers: super::transfer::Transfers,
}

impl Cluster {
    pub(crate) fn live(&self) -> u32 {
        self.ctas.iter().map(|cta| cta.live).sum()
    }
}

/// An instruction of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    pub(crate) cta: [u32; 3],
    /// Number of the thread in its CTA.
    pub(crate) thread: u32,
    pub(crate) function: u32,
    pub(crate) pc: u32,
}

/// What the threads of a run share that one host thread runs.
pub(crate) struct Machine<'r> {
    pub(crate) memory: Memory<'r>,
    pub(crate) program: &'r Program,
    pub(crate) launch: &'r Launch,
    pub(crate) options: &'r Options,
    pub(crate) cluster: [u32; 3],
    pub(crate) parameters: Block,
    pub(crate) counts: Counts,
    /// By the number of the CTA.
    pub(crate) printed: BTreeMap<u64, String>,
    /// Blocks of what threads have launched, by the number of the CTA.
    pub(crate) launched: BTreeMap<u64, Vec<u64>>,
    pub(crate) dynamic_shared: u64,
    /// Faults after which the run went on.
    pub(crate) faults: Vec<(FaultKey, Fault)>,
    /// What is known of accesses, if races are looked for.
    pub(crate) races: Option<Box<Races>>,
    /// The instruction is executed again, and has been counted already.
    pub(crate) retry: bool,
    /// The instruction is executed again after a fault of reading what nobody wrote or of a race, which are not looked for now.
    pub(crate) lenient: bool,
    /// The clusters that have not started.
    pub(crate) queue: &'r Queue,
}

/// What follows an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next step.
    Next,
    /// This step.
    Jump(u32),
    /// The groups have changed.
    Choose,
    /// Other warps should run first.
    Yield,
}

/// Where an instruction is executed.
pub(crate) struct Site<'s> {
    pub(crate) cluster: &'s mut Cluster,
    /// Index of the CTA in the cluster.
    pub(crate) rank: usize,
    pub(crate) group: usize,
    pub(crate) code: &'s Code,
    pub(crate) pc: u32,
}

impl Site<'_> {
    pub(crate) fn cta(&mut self) -> &mut Cta {
        &mut self.cluster.ctas[self.rank]
    }
}

fn is_ready(group: &Group, cluster: &Cluster, rank: usize, warp: u32) -> bool {
    match group.wait {
        Wait::Nothing => true,
        Wait::Warp { .. } => false,
        Wait::Barrier { number, generation } => cluster.ctas[rank].barriers[number as usize].generation != generation,
        Wait::Cluster { generation } => cluster.barrier.generation != generation,
        Wait::Products(awaited) => awaited.is_done(warp, |index| cluster.ctas[rank].products(index)),
    }
}

impl<'r> Machine<'r> {
    /// Runs a warp for some instructions, or until nothing of it can run. Gives the number executed.
    pub(crate) fn slice(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        quantum: u64,
    ) -> Result<u64, Box<Fault>> {
        let program = self.program;
        let mut executed = 0;
        self.settle_between(cluster, false)?;
        while executed < quantum {
            let number = warp.index;
            let Some(index) = warp.choose(program, |group| is_ready(group, cluster, rank, number)) else {
                break;
            };
            if warp.groups[index].wait != Wait::Nothing {
                self.wake(cluster, rank, warp, index);
            }
            let (ran, flow) = self.run_group(cluster, rank, warp, index, quantum - executed)?;
            executed += ran;
            if flow == Flow::Yield {
                break;
            }
        }
        Ok(executed)
    }

    /// Runs a group until the groups change, it reaches a step where another should run, or the quantum ends.
    fn run_group(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        index: usize,
        quantum: u64,
    ) -> Result<(u64, Flow), Box<Fault>> {
        let program: &'r Program = self.program;
        let group = &warp.groups[index];
        let (function, mask) = (group.function, group.mask);
        let code: &'r Code = &program.functions[function as usize];
        let mut pc = group.pc;
        warp.base = group.base as usize;
        warp.predicate_base = group.predicates as usize;
        let alone = warp.groups.len() == 1;
        let mut executed = 0;
        let flow = loop {
            let step = &code.steps[pc as usize];
            let active = mask & warp.test(step.guard);
            if step.counted {
                executed += 1;
                self.counts.instructions += 1;
                self.counts.thread_instructions += u64::from(active.count_ones());
                self.counts.kinds[code.origins[pc as usize].variant.0 as usize] += 1;
            }
            warp.executed += 1;
            let mut site = Site {
                cluster: &mut *cluster,
                rank,
                group: index,
                code,
                pc,
            };
            let may_execute = warp
                .guarded(code, mask)
                .and_then(|()| self.check_division(warp, code, step, active));
            let mut executed_step = match may_execute {
                Ok(()) => self.execute(&mut site, warp, step, mask, active),
                Err(trouble) => Err(trouble),
            };
            if warp.watch.is_some() {
                executed_step = watched(&site, warp, step, active, executed_step);
            }
            let outcome = match executed_step {
                Err(trouble) => self.recover(trouble, &mut site, warp, step, mask, active),
                Ok(flow) => Ok(flow),
            };
            match outcome {
                Ok(Flow::Next) => pc += 1,
                Ok(Flow::Jump(target)) => pc = target,
                // The operation has moved the group itself.
                Ok(flow) => {
                    if let Some(group) = warp.groups.get_mut(index) {
                        group.last = group.last.max(warp.executed);
                    }
                    self.counts.silent += u64::from(executed == 0);
                    return Ok((executed.max(1), flow));
                }
                Err(fault) => return Err(fault),
            }
            if executed >= quantum {
                break Flow::Choose;
            }
            if !alone && self.is_overtaken(warp, index, code, pc) {
                break Flow::Choose;
            }
        };
        warp.groups[index].pc = pc;
        warp.groups[index].last = warp.executed;
        self.counts.silent += u64::from(executed == 0);
        Ok((executed.max(1), flow))
    }

    /// Fails where a lane divides an integer by zero, in runs that check it.
    fn check_division(&self, warp: &Warp, code: &Code, step: &Step, active: u32) -> Result<(), Trouble> {
        let Op::Compute { function, b, .. } = step.op else {
            return Ok(());
        };
        if !self.options.check_division || !function.divides_integers() {
            return Ok(());
        }
        let divisors = warp.read(code, b);
        match lanes_of(active).find(|&lane| function.is_zero(divisors[lane])) {
            None => Ok(()),
            Some(lane) => Err(Trouble::new(FaultKind::Operand, "integer division by zero").at(lane)),
        }
    }

    /// Whether another group should run before this one's step, or meets it there.
    fn is_overtaken(&self, warp: &Warp, index: usize, code: &Code, pc: u32) -> bool {
        let rank = code.ranks[pc as usize];
        let own = &warp.groups[index];
        if own.gave_way {
            return true;
        }
        warp.groups.iter().enumerate().any(|(other, group)| {
            if other == index || group.function != own.function || group.base != own.base {
                return other != index && warp.executed.is_multiple_of(64);
            }
            let group_rank = code.ranks[group.pc as usize];
            match group.wait {
                Wait::Nothing => !group.gave_way && group_rank <= rank || warp.executed.is_multiple_of(64),
                Wait::Warp { .. } => group_rank == rank,
                Wait::Barrier { .. } | Wait::Cluster { .. } | Wait::Products(_) => warp.executed.is_multiple_of(64),
            }
        })
    }

    /// Ends the run with a fault, or notes it and executes the instruction again without the lane at fault, as long as faults are collected.
    #[cold]
    fn recover(
        &mut self,
        mut trouble: Trouble,
        site: &mut Site<'_>,
        warp: &mut Warp,
        step: &Step,
        mask: u32,
        active: u32,
    ) -> Result<Flow, Box<Fault>> {
        let mut left = active;
        let outcome = loop {
            let (kind, done) = (trouble.kind, trouble.done);
            let lane = trouble.lane.unwrap_or(left.trailing_zeros() as usize % LANES);
            let fault = self.place(trouble, site, warp, lane);
            let is_memory = matches!(step.op, Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. });
            match kind {
                _ if self.options.faults <= 1 || !is_memory => break Err(Box::new(fault)),
                // What was read or written is no worse for it.
                FaultKind::Uninitialised | FaultKind::Race => self.lenient = true,
                FaultKind::OutOfBounds | FaultKind::Misaligned | FaultKind::AddressSpace => left &= !(1 << lane),
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
            match self.execute(site, warp, step, mask, left) {
                Ok(flow) => break Ok(flow),
                Err(next) => trouble = next,
            }
        };
        self.retry = false;
        self.lenient = false;
        outcome
    }

    /// A fault with its place.
    fn place(&self, trouble: Trouble, site: &mut Site<'_>, warp: &Warp, lane: usize) -> Fault {
        let at = Spot {
            cta: site.cta().index,
            thread: warp.index * LANES as u32 + lane as u32,
            function: warp.groups.get(site.group).map_or(0, |group| group.function),
            pc: site.pc,
        };
        let stack = warp.groups.get(site.group).and_then(|group| group.stack.as_deref());
        Fault {
            kind: trouble.kind,
            message: trouble.message,
            accessed: trouble.accessed,
            other: trouble.other,
            ..self.placed(at, stack)
        }
    }

    /// A fault of no kind yet at this instruction of a thread.
    pub(crate) fn at(&self, spot: Spot) -> Fault {
        self.placed(spot, None)
    }

    /// The same, with the calls that have led there.
    fn placed(&self, spot: Spot, stack: Option<&Frame>) -> Fault {
        Fault {
            kernel: Some(self.launch.kernel.clone()),
            cta: Some(spot.cta),
            thread: Some(self.thread_index(spot.thread)),
            ..self.program.placed(spot.function, spot.pc, stack)
        }
    }

    /// The index of the thread with this number in its CTA.
    pub(crate) fn thread_index(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        [number % x, number / x % y, number / x / y]
    }

    /// Executes one step for the active lanes of a group.
    #[inline]
    fn execute(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        step: &Step,
        mask: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let code = site.code;
        match step.op {
            Op::Compute { function, d, a, b, c } => {
                let mut out = [0; LANES];
                arithmetic::evaluate(
                    function,
                    &mut Work {
                        mask: active,
                        a: warp.read(code, a),
                        b: warp.read(code, b),
                        c: warp.read(code, c),
                        out: &mut out,
                    },
                );
                warp.write(d, active, &out);
            }
            Op::Compare {
                compare,
                p,
                q,
                a,
                b,
                combine,
            } => {
                let holds = arithmetic::compare(compare, active, warp.read(code, a), warp.read(code, b));
                let (yes, no) = match combine {
                    None => (holds, !holds),
                    Some((combine, test)) => {
                        let test = warp.test(test);
                        (
                            arithmetic::combined(combine, holds, test),
                            arithmetic::combined(combine, !holds, test),
                        )
                    }
                };
                warp.set_predicate(q, active, no);
                warp.set_predicate(p, active, yes);
            }
            Op::Branch { target } => {
                self.counts.branches += 1;
                if active == mask {
                    return Ok(Flow::Jump(target));
                }
                if active != 0 {
                    self.counts.divergent += 1;
                    warp.groups[site.group].pc = site.pc + 1;
                    warp.split(site.group, active, target);
                    return Ok(Flow::Choose);
                }
            }
            Op::Move { d, a } => {
                let values = *warp.read(code, a);
                warp.write(d, active, &values);
            }
            Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } if active == 0 => {}
            Op::Load { access, list } => return self.load(site, warp, access, list, active),
            Op::Store { access, list } => return self.store(site, warp, access, list, active),
            Op::Atomic { access, update, list } => return self.atomic(site, warp, access, update, list, active),
            _ => return self.execute_rare(site, warp, step, mask, active),
        }
        Ok(Flow::Next)
    }

    /// The steps that touch registers and predicates alone and are less frequent.
    fn execute_rare(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        step: &Step,
        mask: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let code = site.code;
        match step.op {
            Op::Carry {
                function,
                input,
                writes,
                d,
                a,
                b,
                c,
            } => {
                let carry = match input {
                    CarryIn::Clear => 0,
                    CarryIn::Set => u32::MAX,
                    CarryIn::Flag => warp.carry,
                };
                let mut out = [0; LANES];
                let mut work = Work {
                    mask: active,
                    a: warp.read(code, a),
                    b: warp.read(code, b),
                    c: warp.read(code, c),
                    out: &mut out,
                };
                let flags = arithmetic::carried(function, &mut work, carry);
                warp.write(d, active, &out);
                if writes {
                    warp.carry = (warp.carry & !active) | (flags & active);
                }
            }
            Op::Special { d, special } => {
                let values = self.special(site, warp, special);
                warp.write(d, active, &values);
            }
            Op::FrameAddress { d, offset } => {
                let frame = *warp.read(code, Source::slot(super::code::FRAME_SLOT));
                warp.write(d, active, &frame.map(|start| start + u64::from(offset)));
            }
            Op::ComparePacked {
                compare,
                p,
                q,
                a,
                b,
                combine,
            } => {
                let (a, b) = (*warp.read(code, a), *warp.read(code, b));
                let test = combine.map(|(combine, test)| (combine, warp.test(test)));
                for (target, shift) in [(q, 16), (p, 0)] {
                    let holds = arithmetic::compare(
                        compare,
                        active,
                        &a.map(|a| a >> shift & 0xffff),
                        &b.map(|b| b >> shift & 0xffff),
                    );
                    let holds = test.map_or(holds, |(combine, test)| arithmetic::combined(combine, holds, test));
                    warp.set_predicate(target, active, holds);
                }
            }
            Op::Set {
                compare,
                d,
                truth,
                lanes,
                a,
                b,
                combine,
            } => {
                let (a, b) = (*warp.read(code, a), *warp.read(code, b));
                let test = combine.map(|(combine, test)| (combine, warp.test(test)));
                let mut out = [0; LANES];
                for part in 0..u32::from(lanes) {
                    let take = |value: u64| {
                        if lanes == 1 {
                            value
                        } else {
                            value >> (16 * part) & 0xffff
                        }
                    };
                    let holds = arithmetic::compare(compare, active, &a.map(take), &b.map(take));
                    let holds = test.map_or(holds, |(combine, test)| arithmetic::combined(combine, holds, test));
                    for lane in lanes_of(holds & active) {
                        out[lane] |= truth << (16 * part);
                    }
                }
                warp.write(d, active, &out);
            }
            Op::TestProperty { format, property, p, a } => {
                let holds = arithmetic::property(format, property, warp.read(code, a));
                warp.set_predicate(p, active, holds);
            }
            Op::Logic { combine, p, a, b } => {
                let value = arithmetic::combined(combine, warp.test(a), warp.test(b));
                warp.set_predicate(p, active, value);
            }
            Op::IsSpace { p, a, space } => {
                let addresses = *warp.read(code, a);
                let mut holds = 0;
                for lane in lanes_of(active) {
                    holds |= u32::from(self.is_in_space(addresses[lane], space)) << lane;
                }
                warp.set_predicate(p, active, holds);
            }
            Op::NonZero { p, a, combine, q } => {
                let values = warp.read(code, a);
                let holds = (0..LANES).fold(0, |mask, lane| mask | u32::from(values[lane] != 0) << lane);
                let value = arithmetic::combined(combine, holds, warp.test(q));
                warp.set_predicate(p, active, value);
            }
            Op::Select { d, a, b, c } => {
                let test = warp.test(c);
                let (a, b) = (warp.read(code, a), warp.read(code, b));
                let values: Lanes = std::array::from_fn(|lane| if test >> lane & 1 != 0 { a[lane] } else { b[lane] });
                warp.write(d, active, &values);
            }
            Op::Extract { d, a, shift, bits } => {
                let values = warp
                    .read(code, a)
                    .map(|value| arithmetic::truncated(value >> shift, u32::from(bits)));
                warp.write(d, active, &values);
            }
            Op::Insert { d, a, shift, bits } => {
                let field = arithmetic::truncated(u64::MAX, u32::from(bits)) << shift;
                let (values, old) = (warp.read(code, a), warp.read(code, Source::slot(d)));
                let values: Lanes = std::array::from_fn(|lane| (old[lane] & !field) | (values[lane] << shift & field));
                warp.write(d, active, &values);
            }
            Op::ActiveMask { d } => warp.write(d, active, &[u64::from(active); LANES]),
            Op::MapAddress { d, a, rank, generic } => {
                let values = self.map_address(site, warp, a, rank, generic, active)?;
                warp.write(d, active, &values);
            }
            Op::CtaRank { d, a, generic } => {
                let own = site.rank as u64;
                let window = if generic { super::code::SHARED_WINDOW } else { 0 };
                let values = warp.read(code, a).map(|address| {
                    match address.wrapping_sub(window) >> super::code::SHARED_RANK_SHIFT {
                        0 => own,
                        rank => rank - 1,
                    }
                });
                warp.write(d, active, &values);
            }
            Op::Texture { .. } if active == 0 => {}
            Op::Texture { number } => self.texture(site, warp, number, active)?,
            Op::Nothing => {}
            Op::Unsupported if active == 0 => {}
            Op::Unsupported => {
                return Err(Trouble::new(
                    FaultKind::Unsupported,
                    "the interpreter does not implement this instruction",
                ));
            }
            Op::Trap if active != 0 => return Err(Trouble::new(FaultKind::Trap, "the kernel executed a trap")),
            Op::Breakpoint if active != 0 => {
                return Err(Trouble::new(FaultKind::Trap, "the kernel executed a breakpoint"));
            }
            Op::Trap | Op::Breakpoint => {}
            _ => return self.execute_control(site, warp, step, mask, active),
        }
        Ok(Flow::Next)
    }

    /// The steps by which threads part, wait, call or end, and the rest of those that touch memory.
    fn execute_control(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        step: &Step,
        mask: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        if active == 0 {
            return Ok(Flow::Next);
        }
        match step.op {
            Op::CopyAsync {
                from,
                to,
                to_offset,
                size,
                ignore,
            } => {
                self.copy_async(site, warp, from, (to, to_offset), size, ignore, active)?;
                return Ok(Flow::Next);
            }
            Op::Mbarrier {
                operation,
                address,
                offset,
                space,
            } => {
                return self.mbarrier(site, warp, operation, (address, offset, space), active);
            }
            Op::Asynchronous { index } => return self.asynchronous(site, warp, index, active),
            Op::Allocate { d, size, align } => {
                self.allocate_local(site.code, warp, d, size, align, active)?;
                return Ok(Flow::Next);
            }
            Op::StackSave { d } => {
                let top = warp.top;
                warp.write(d, active, &top);
                return Ok(Flow::Next);
            }
            Op::StackRestore { a } => {
                let values = *warp.read(site.code, a);
                for lane in lanes_of(active) {
                    warp.top[lane] = values[lane];
                }
                return Ok(Flow::Next);
            }
            Op::StoreBulk {
                address,
                offset,
                space,
                size,
            } => {
                self.store_bulk(site, warp, (address, offset, space), size, active)?;
                return Ok(Flow::Next);
            }
            _ => {}
        }
        // What follows moves the group: lanes whose guard fails go on by themselves.
        warp.groups[site.group].pc = site.pc;
        if active != mask {
            warp.split(site.group, mask & !active, site.pc + 1);
        }
        match step.op {
            Op::BranchIndexed { index, list, count } => self.branch_indexed(site, warp, index, list, count, active)?,
            Op::Call { call } => self.call(site, warp, call, active)?,
            Op::Return => self.return_(site, warp, active)?,
            Op::Exit => self.exit(site, warp, active),
            Op::Yield => {
                warp.groups[site.group].pc = site.pc + 1;
                warp.poll(site.group);
                return Ok(Flow::Yield);
            }
            Op::Collective { collective, members } => self.collective(site, warp, collective, members, active)?,
            Op::Barrier {
                action,
                number,
                threads,
            } => self.barrier(site, warp, action, number, threads, active)?,
            Op::ClusterArrive => self.cluster_arrive(site, warp, active),
            Op::ClusterWait => self.cluster_wait(site, warp),
            Op::ProductJoin => self.product_join(site, warp),
            Op::ProductsCommit => {
                warp.products.commit();
                return Ok(Flow::Next);
            }
            Op::ProductsWait { pending } => self.products_wait(site, warp, pending),
            _ => {
                return Err(Trouble::new(
                    FaultKind::Unsupported,
                    "the interpreter does not implement this instruction",
                ));
            }
        }
        Ok(Flow::Choose)
    }

    fn special(&self, site: &mut Site<'_>, warp: &Warp, special: Special) -> Lanes {
        let block = self.launch.block;
        let cluster = self.cluster;
        let cta = site.cta();
        let (index, number) = (cta.index, cta.number);
        let first = warp.index * LANES as u32;
        let part = |values: [u32; 3], part: u8| u64::from(values.get(part as usize).copied().unwrap_or(0));
        let counts = |values: [u32; 3], part: u8| u64::from(values.get(part as usize).copied().unwrap_or(1));
        let lanes = |f: &dyn Fn(u32) -> u64| -> Lanes { std::array::from_fn(|lane| f(lane as u32)) };
        let all = |value: u64| [value; LANES];
        let divided =
            |f: fn(u32, u32) -> u32| -> [u32; 3] { std::array::from_fn(|axis| f(index[axis], cluster[axis])) };
        let clusters: [u32; 3] = std::array::from_fn(|axis| self.launch.grid[axis] / cluster[axis]);
        match special {
            Special::ThreadIndex(axis) => lanes(&|lane| part(self.thread_index(first + lane), axis)),
            Special::ThreadCount(axis) => all(counts(block, axis)),
            Special::CtaIndex(axis) => all(part(index, axis)),
            Special::CtaCount(axis) => all(counts(self.launch.grid, axis)),
            Special::ClusterIndex(axis) => all(part(divided(|a, b| a / b), axis)),
            Special::ClusterCount(axis) => all(counts(clusters, axis)),
            Special::CtaInCluster(axis) => all(part(divided(|a, b| a % b), axis)),
            Special::CtasOfCluster(axis) => all(counts(cluster, axis)),
            Special::CtaRank => all(site.rank as u64),
            Special::CtaRanks => all(cluster.iter().map(|n| u64::from(*n)).product()),
            Special::Lane => lanes(&u64::from),
            Special::Warp => all(u64::from(warp.index)),
            Special::WarpCount => all(64),
            Special::Multiprocessor => all(number % 132),
            Special::MultiprocessorCount => all(132),
            Special::Grid => all(1),
            Special::LaneMaskEqual => lanes(&|lane| 1 << lane),
            Special::LaneMaskLessOrEqual => lanes(&|lane| (2 << lane) - 1),
            Special::LaneMaskLess => lanes(&|lane| (1 << lane) - 1),
            Special::LaneMaskGreaterOrEqual => lanes(&|lane| 0xffff_ffff & !((1 << lane) - 1)),
            Special::LaneMaskGreater => lanes(&|lane| 0xffff_ffff & !((2 << lane) - 1)),
            Special::Clock => all(self.counts.instructions & 0xffff_ffff),
            Special::ClockHigh | Special::TimerHigh => all(self.counts.instructions >> 32),
            Special::Clock64 | Special::Timer => all(self.counts.instructions),
            Special::SharedSize => all(site.cta().shared.len()),
            Special::DynamicSharedSize => all(self.dynamic_shared),
            Special::Zero => all(0),
        }
    }
}
