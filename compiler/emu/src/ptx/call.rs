//! Calls, returns, indexed branches and the end of threads.

use std::rc::Rc;

use super::{
    FaultKind,
    access::extend_stack,
    arithmetic::truncated,
    barrier,
    code::{Callee, Code, FRAME_SLOT, FUNCTION_BASE, LANES, Lanes, Passed, Received, Source, Space},
    machine::{Machine, Site, Trouble},
    warp::{Frame, Wait, Warp, lanes_of},
    watch::Place,
};

/// The deepest nesting of calls.
const DEPTH_LIMIT: u32 = 20_000;

impl Machine<'_> {
    /// `brx.idx`: lanes with different indices part.
    pub(crate) fn branch_indexed(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        index: Source,
        list: u32,
        count: u32,
        active: u32,
    ) -> Result<(), Trouble> {
        let indices = *warp.read(site.code, index);
        self.counts.branches += 1;
        let mut left = active;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let chosen = indices[first];
            if chosen >= u64::from(count) {
                let message = format!("index {chosen} into a table of {count} branch targets");
                return Err(Trouble::new(FaultKind::Operand, message).at(first));
            }
            let same = lanes_of(left)
                .filter(|lane| indices[*lane] == chosen)
                .fold(0, |all, lane| all | 1 << lane);
            let target = site.code.lists[list as usize + chosen as usize];
            left &= !same;
            self.counts.divergent += u64::from(left != 0 && left | same == active);
            warp.split(site.group, same, target);
        }
        Ok(())
    }

    /// `call`. The group has exactly the active lanes.
    pub(crate) fn call(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        number: u32,
        active: u32,
    ) -> Result<(), Trouble> {
        let code = site.code;
        let call = &code.calls[number as usize];
        let (target, together) = match call.callee {
            Callee::Function(index) => (index, active),
            Callee::System(system) => {
                self.system(site, warp, system, call, active)?;
                warp.groups[site.group].pc = site.pc + 1;
                return Ok(());
            }
            Callee::Indirect(source) => {
                let addresses = *warp.read(code, source);
                warp.guarded(code, active)?;
                let first = active.trailing_zeros() as usize % LANES;
                let address = addresses[first];
                let same = lanes_of(active)
                    .filter(|lane| addresses[*lane] == address)
                    .fold(0, |all, lane| all | 1 << lane);
                let index = address.wrapping_sub(FUNCTION_BASE);
                if !index.is_multiple_of(16) || index / 16 >= self.program.functions.len() as u64 {
                    let message = format!("a call of address {address:#x}, where no function is");
                    return Err(Trouble::new(FaultKind::Call, message).at(first));
                }
                ((index / 16) as u32, same)
            }
        };
        if together != active {
            // The others call their functions afterwards.
            warp.split(site.group, active & !together, site.pc);
        }
        let callee: &Code = &self.program.functions[target as usize];
        if !callee.defined {
            return Err(Trouble::new(
                FaultKind::Call,
                format!("the function '{}' has no body", callee.name),
            ));
        }
        if call.arguments.len() > callee.parameters.len() || call.results.len() > callee.results.len() {
            let message = format!("'{}' does not take these arguments or results", callee.name);
            return Err(Trouble::new(FaultKind::Call, message));
        }
        let mut carried = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            let bytes = self.take(site, warp, code, *argument, together)?;
            carried.push((bytes, warp.unwritten()));
        }
        let group = &mut warp.groups[site.group];
        let depth = group.stack.as_ref().map_or(0, |frame| frame.depth) + 1;
        if depth > DEPTH_LIMIT {
            return Err(Trouble::new(
                FaultKind::Stack,
                format!("more than {DEPTH_LIMIT} nested calls"),
            ));
        }
        let caller = group.function;
        let frame = Frame {
            function: caller,
            pc: site.pc,
            base: group.base,
            predicates: group.predicates,
            depth,
            caller: group.stack.take(),
        };
        let (base, predicates) = (frame.base + code.slots, frame.predicates + code.predicates);
        group.stack = Some(Rc::new(frame));
        group.function = target;
        group.pc = 0;
        group.base = base;
        group.predicates = predicates;
        warp.reserve(callee, base, predicates);
        if let Some(watch) = &mut warp.watch {
            for slot in base..base + callee.slots {
                watch.forget(Place::Slot(slot as usize), together);
            }
            for predicate in predicates..predicates + callee.predicates {
                watch.forget(Place::Predicate(predicate as usize), together);
            }
        }
        warp.base = base as usize;
        warp.predicate_base = predicates as usize;
        let mut entered = enter(warp, callee, together, self.options.check_uninitialised);
        for ((bytes, unwritten), parameter) in carried.iter().zip(&callee.parameters) {
            if entered.is_ok() {
                entered = self.give(site, warp, callee, *parameter, bytes, together);
                warp.pass_unwritten(*parameter, unwritten & together);
            }
        }
        if entered.is_err() {
            // The fault is the call's, in the caller.
            warp.groups[site.group].function = caller;
        }
        entered
    }

    /// The bytes of an argument in each lane.
    fn take(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        code: &Code,
        passed: Passed,
        active: u32,
    ) -> Result<Vec<Vec<u8>>, Trouble> {
        let mut all = vec![Vec::new(); LANES];
        for lane in lanes_of(active) {
            all[lane] = match passed {
                Passed::Frame { offset, bytes } => {
                    let start = warp.read(code, Source::slot(FRAME_SLOT))[lane] + u64::from(offset);
                    let kept = self.options.check_uninitialised;
                    // Padding of structures is passed without having been written.
                    if kept {
                        warp.local[lane].mark(start as usize, bytes as usize, true);
                    }
                    self.read_bytes(site, warp, lane, Space::Local, start, bytes as usize)?
                }
                Passed::Value { source, bytes } => {
                    let mut value = warp.read(code, source)[lane].to_le_bytes().to_vec();
                    if bytes > 8 {
                        let high = match source.place() {
                            Ok(slot) => warp.read(code, Source::slot(slot as u32 + 1))[lane],
                            Err(_) => 0,
                        };
                        value.extend(high.to_le_bytes());
                    }
                    value.truncate(bytes as usize);
                    value
                }
                Passed::Predicate(test) => vec![(warp.test(test) >> lane & 1) as u8],
                Passed::Nothing => Vec::new(),
            };
        }
        Ok(all)
    }

    /// Puts bytes where a function expects them.
    fn give(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        code: &Code,
        received: Received,
        values: &[Vec<u8>],
        active: u32,
    ) -> Result<(), Trouble> {
        let word = |lane: usize, from: usize| {
            let mut bytes = [0; 8];
            for (target, value) in bytes.iter_mut().zip(values[lane].iter().skip(from)) {
                *target = *value;
            }
            u64::from_le_bytes(bytes)
        };
        match received {
            Received::Frame { offset, bytes } => {
                for lane in lanes_of(active) {
                    let start = warp.read(code, Source::slot(FRAME_SLOT))[lane] + u64::from(offset);
                    let mut value = values[lane].clone();
                    value.truncate(bytes as usize);
                    self.write_bytes(site, warp, lane, Space::Local, start, &value)?;
                }
            }
            Received::Slot { slot, bytes } => {
                let width = 8 * bytes.min(8);
                let low: Lanes = std::array::from_fn(|lane| truncated(word(lane, 0), width));
                warp.write(slot, active, &low);
                if bytes > 8 {
                    let high: Lanes = std::array::from_fn(|lane| word(lane, 8));
                    warp.write(slot + 1, active, &high);
                }
            }
            Received::Predicate(predicate) => {
                let value = lanes_of(active).fold(0, |all, lane| all | u32::from(word(lane, 0) & 1 != 0) << lane);
                warp.set_predicate(predicate, active, value);
            }
        }
        Ok(())
    }

    /// `ret`: of a kernel, the end of the threads.
    pub(crate) fn return_(&mut self, site: &mut Site<'_>, warp: &mut Warp, active: u32) -> Result<(), Trouble> {
        let Some(frame) = warp.groups[site.group].stack.clone() else {
            self.exit(site, warp, active);
            return Ok(());
        };
        let callee = site.code;
        let caller: &Code = &self.program.functions[frame.function as usize];
        let super::code::Op::Call { call } = caller.steps[frame.pc as usize].op else {
            return Err(Trouble::new(FaultKind::Call, "a return to what is no call"));
        };
        let call = &caller.calls[call as usize];
        let mut results = Vec::with_capacity(callee.results.len());
        for result in &callee.results {
            let passed = match *result {
                Received::Frame { offset, bytes } => Passed::Frame { offset, bytes },
                Received::Slot { slot, bytes } => Passed::Value {
                    source: Source::slot(slot),
                    bytes,
                },
                Received::Predicate(predicate) => Passed::Predicate(super::code::Test {
                    predicate,
                    negated: false,
                }),
            };
            let bytes = self.take(site, warp, callee, passed, active)?;
            results.push((bytes, warp.unwritten()));
        }
        let start = *warp.read(callee, Source::slot(FRAME_SLOT));
        for lane in lanes_of(active) {
            warp.top[lane] = start[lane];
        }
        let group = &mut warp.groups[site.group];
        let returns_from = std::mem::replace(&mut group.function, frame.function);
        group.pc = frame.pc + 1;
        group.base = frame.base;
        group.predicates = frame.predicates;
        group.stack = frame.caller.clone();
        warp.base = frame.base as usize;
        warp.predicate_base = frame.predicates as usize;
        for ((bytes, unwritten), result) in results.iter().zip(&call.results) {
            let target = match *result {
                Passed::Frame { offset, bytes } => Received::Frame { offset, bytes },
                Passed::Value { source, bytes } => match source.place() {
                    Ok(slot) => Received::Slot {
                        slot: slot as u32,
                        bytes,
                    },
                    Err(_) => continue,
                },
                Passed::Predicate(test) => Received::Predicate(test.predicate),
                Passed::Nothing => continue,
            };
            if let Err(trouble) = self.give(site, warp, caller, target, bytes, active) {
                // The fault is the return's, in the function that is called.
                warp.groups[site.group].function = returns_from;
                return Err(trouble);
            }
            warp.pass_unwritten(target, unwritten & active);
        }
        Ok(())
    }

    /// `exit`
    pub(crate) fn exit(&mut self, site: &mut Site<'_>, warp: &mut Warp, active: u32) {
        warp.live &= !active;
        warp.groups[site.group].mask &= !active;
        site.cta().live -= active.count_ones();
        // Who waited for these threads may wait for nobody now.
        for group in &mut warp.groups {
            if let Wait::Warp { .. } = group.wait {
                group.wait = Wait::Nothing;
            }
        }
        barrier::exit(site.cluster, site.rank, warp, active);
    }
}

/// Makes room for the frame of a function in local memory.
pub(crate) fn enter(warp: &mut Warp, code: &Code, active: u32, record: bool) -> Result<(), Trouble> {
    let mut starts = warp.top;
    for lane in lanes_of(active) {
        starts[lane] = if code.frame_bytes > 0 {
            let align = u64::from(code.frame_align.max(16));
            extend_stack(warp, lane, u64::from(code.frame_bytes), align, record)?
        } else {
            warp.top[lane]
        };
    }
    warp.write(FRAME_SLOT, active, &starts);
    Ok(())
}
