//! Loads, stores and atomic operations in every state space.

use std::sync::MutexGuard;

use warpsmith_numerics::float::Modifiers;

use super::{
    Accessed, Fault, FaultKind,
    arithmetic::{self, FormatName, Function, Real, truncated},
    code::{
        Access, LANES, LOCAL_WINDOW, LOCAL_WINDOW_BYTES, Lanes, PARAMETER_WINDOW, PARAMETER_WINDOW_BYTES,
        SHARED_RANK_SHIFT, SHARED_WINDOW, SHARED_WINDOW_BYTES, Slot, Source, Space, Test, Update,
    },
    machine::{Flow, Machine, Site, Spot, Trouble},
    race::{self, Shadow, Touch},
    transfer::{self, Locus, Origin, Piece, Tracking, Transfer},
    warp::{Warp, lanes_of},
};
use crate::{
    device::{Block, Miss},
    lanes::Shape,
};

/// The most local memory of a thread.
const LOCAL_LIMIT: u64 = 1 << 20;

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Global(u64),
    /// CTA of the cluster and offset; `None`: the own CTA.
    Shared(Option<usize>, u64),
    Local(u64),
    Parameter(u64),
}

fn shared_target(address: u64) -> Target {
    let offset = address & ((1 << SHARED_RANK_SHIFT) - 1);
    match address >> SHARED_RANK_SHIFT {
        0 => Target::Shared(None, offset),
        rank => Target::Shared(Some(rank as usize - 1), offset),
    }
}

pub(super) fn target(space: Space, address: u64) -> Target {
    match space {
        Space::Global | Space::Constant => Target::Global(address),
        Space::Shared => shared_target(address),
        Space::Local => Target::Local(address),
        Space::Parameter => Target::Parameter(address),
        Space::Generic => {
            if address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_BYTES {
                shared_target(address - SHARED_WINDOW)
            } else if address.wrapping_sub(LOCAL_WINDOW) < LOCAL_WINDOW_BYTES {
                Target::Local(address - LOCAL_WINDOW)
            } else if address.wrapping_sub(PARAMETER_WINDOW) < PARAMETER_WINDOW_BYTES {
                Target::Parameter(address - PARAMETER_WINDOW)
            } else {
                Target::Global(address)
            }
        }
    }
}

/// The addresses of an access.
fn addresses(warp: &Warp, site: &Site<'_>, access: Access) -> Lanes {
    let base = warp.read(site.code, access.address);
    if access.narrow {
        base.map(|base| base.wrapping_add_signed(access.offset) & 0xffff_ffff)
    } else {
        base.map(|base| base.wrapping_add_signed(access.offset))
    }
}

/// The sum of two f32 in global memory flushes subnormals, elsewhere it keeps them (the PTX manual).
fn at_target(update: Update, target: Target) -> Update {
    match (update, target) {
        (
            Update::Function(Function::Real {
                operation: Real::Add,
                format: FormatName::F32,
                modifiers,
            }),
            Target::Global(_),
        ) => Update::Function(Function::Real {
            operation: Real::Add,
            format: FormatName::F32,
            modifiers: Modifiers { ftz: true, ..modifiers },
        }),
        _ => update,
    }
}

/// Sign-extends an element to the width of its register.
#[inline(always)]
fn extended(value: u64, access: Access) -> u64 {
    if access.signed && access.bytes < 8 {
        let unused = 64 - 8 * u32::from(access.bytes);
        truncated((((value << unused) as i64) >> unused) as u64, u32::from(access.width))
    } else {
        value
    }
}

/// What an atomic operation leaves where `old` was.
fn updated(update: Update, old: u64, operand: u64, swap: u64) -> u64 {
    match update {
        Update::Function(function) => arithmetic::evaluate_one(function, old, operand),
        Update::Exchange => operand,
        Update::CompareAndSwap if old == operand => swap,
        Update::CompareAndSwap => old,
        Update::Increment if old >= operand => 0,
        Update::Increment => old + 1,
        Update::Decrement if old == 0 || old > operand => operand,
        Update::Decrement => old - 1,
    }
}

/// An atomic operation on 16 bytes, which are compared and replaced as a whole; the old ones. No other thread may be at it.
fn update_wide(
    block: &Block,
    offset: u64,
    update: Update,
    operand: [u64; 2],
    swap: [u64; 2],
    check: bool,
) -> Result<[u64; 2], Miss> {
    let old = [block.load(offset, 8, check)?, block.load(offset + 8, 8, check)?];
    let new = match update {
        Update::CompareAndSwap if old == operand => swap,
        Update::CompareAndSwap => old,
        _ => [0, 1].map(|word| updated(update, old[word], operand[word], swap[word])),
    };
    block.store(offset, 8, new[0])?;
    block.store(offset + 8, 8, new[1])?;
    Ok(old)
}

impl<'r> Machine<'r> {
    pub(crate) fn is_in_space(&self, address: u64, space: Space) -> bool {
        let is_constant = |address: u64| {
            let mut ranges = self.program.constant_ranges.iter();
            ranges.any(|(start, end)| (*start..*end).contains(&address))
        };
        match (space, target(Space::Generic, address)) {
            (Space::Global, Target::Global(address)) => !is_constant(address),
            (Space::Constant, Target::Global(address)) => is_constant(address),
            (Space::Shared, Target::Shared(..)) => true,
            (Space::Local, Target::Local(_)) => true,
            (Space::Parameter, Target::Parameter(_)) => true,
            _ => false,
        }
    }

    /// What went wrong with an access.
    pub(super) fn miss(&self, miss: Miss, target: Target, bytes: usize, what: &str) -> Trouble {
        let (space, address, more) = match target {
            Target::Global(address) => ("global", address, self.memory.describe(address)),
            Target::Shared(None, offset) => ("shared", offset, String::new()),
            Target::Shared(Some(rank), offset) => ("shared", offset, format!("in CTA {rank} of the cluster")),
            Target::Local(offset) => ("local", offset, String::new()),
            Target::Parameter(offset) => ("parameter", offset, String::new()),
        };
        let more = if more.is_empty() { more } else { format!("; {more}") };
        let trouble = match miss {
            Miss::OutOfBounds => Trouble::new(
                FaultKind::OutOfBounds,
                format!("{what} of {bytes} bytes at {space} address {address:#x}{more}"),
            ),
            Miss::Uninitialised => Trouble::new(
                FaultKind::Uninitialised,
                format!("{what} of {bytes} bytes at {space} address {address:#x}, which was never written"),
            ),
        };
        match target {
            Target::Global(address) => trouble.about(Accessed::Global(address)),
            Target::Shared(None, offset) => trouble.about(Accessed::Shared(offset)),
            Target::Shared(Some(_), _) | Target::Local(_) | Target::Parameter(_) => trouble,
        }
    }

    /// The block and the offset that a target is in.
    fn block<'b>(
        &'b mut self,
        site: &'b Site<'_>,
        warp: &'b Warp,
        lane: usize,
        target: Target,
    ) -> Result<(&'b Block, u64), Miss> {
        match target {
            Target::Global(address) => self.memory.find(address).ok_or(Miss::OutOfBounds),
            Target::Shared(None, offset) => Ok((&site.cluster.ctas[site.rank].shared, offset)),
            Target::Shared(Some(rank), offset) => match site.cluster.ctas.get(rank) {
                Some(cta) => Ok((&cta.shared, offset)),
                None => Err(Miss::OutOfBounds),
            },
            Target::Local(offset) => Ok((&warp.local[lane], offset)),
            Target::Parameter(offset) => Ok((&self.parameters, offset)),
        }
    }

    /// The bytes at an address, copied.
    pub(crate) fn read_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        space: Space,
        address: u64,
        length: usize,
    ) -> Result<Vec<u8>, Trouble> {
        let check = self.checks_uninitialised();
        let target = target(space, address);
        let found = self
            .block(site, warp, lane, target)
            .and_then(|(block, offset)| block.read(offset, length, check));
        found.map_err(|miss| self.miss(miss, target, length, "read").at(lane))
    }

    /// Writes bytes at an address.
    pub(crate) fn write_bytes(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        space: Space,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), Trouble> {
        let target = target(space, address);
        let found = self
            .block(site, warp, lane, target)
            .and_then(|(block, offset)| block.write(offset, bytes));
        found.map_err(|miss| self.miss(miss, target, bytes.len(), "write").at(lane))
    }

    /// A whole number of 1, 2, 4 or 8 bytes.
    pub(crate) fn read_one(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        space: Space,
        address: u64,
        bytes: usize,
    ) -> Result<u64, Trouble> {
        let check = self.checks_uninitialised();
        let target = target(space, address);
        let found = self
            .block(site, warp, lane, target)
            .and_then(|(block, offset)| block.load(offset, bytes, check));
        found.map_err(|miss| self.miss(miss, target, bytes, "read").at(lane))
    }

    /// Writes the low bytes of a number.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn write_one(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        lane: usize,
        space: Space,
        address: u64,
        bytes: usize,
        value: u64,
    ) -> Result<(), Trouble> {
        let target = target(space, address);
        let found = self
            .block(site, warp, lane, target)
            .and_then(|(block, offset)| block.store(offset, bytes, value));
        found.map_err(|miss| self.miss(miss, target, bytes, "write").at(lane))
    }

    /// Checks alignment and races, and counts what the access costs. Gives the shape of the addresses.
    fn survey(
        &mut self,
        site: &mut Site<'_>,
        warp: &Warp,
        access: Access,
        addresses: &Lanes,
        active: u32,
        touch: Touch,
    ) -> Result<Shape, Trouble> {
        let bytes = u64::from(access.bytes) * u64::from(access.count);
        let shape = Shape::of(addresses, active, bytes);
        // Vectors are aligned as a whole.
        let low = bytes.next_power_of_two() - 1;
        let is_odd = |lane: &usize| addresses[*lane] & low != 0;
        let first = addresses[active.trailing_zeros() as usize % LANES];
        let odd = match shape {
            Shape::Same | Shape::Consecutive => first & low != 0,
            Shape::Any => lanes_of(active).any(|lane| is_odd(&lane)),
        };
        if odd {
            let lane = lanes_of(active).find(is_odd).unwrap_or(0);
            let message = format!("access of {bytes} bytes at address {:#x}", addresses[lane]);
            let trouble = Trouble::new(FaultKind::Misaligned, message).at(lane);
            return Err(match target(access.space, addresses[lane]) {
                Target::Global(address) => trouble.about(Accessed::Global(address)),
                Target::Shared(None, offset) => trouble.about(Accessed::Shared(offset)),
                Target::Shared(Some(_), _) | Target::Local(_) | Target::Parameter(_) => trouble,
            });
        }
        if self.retry {
            return Ok(shape);
        }
        if access.space == Space::Local || access.space == Space::Parameter {
            self.counts.memory.local_accesses += u64::from(access.space == Space::Local);
            return Ok(shape);
        }
        let target = target(access.space, first);
        match target {
            _ if !self.options.memory_statistics => {}
            Target::Global(_) => self.counts.memory.count_global_of(shape, addresses, active, bytes),
            Target::Shared(..) => self.counts.memory.count_shared_of(shape, addresses, active, bytes),
            Target::Local(_) => self.counts.memory.local_accesses += 1,
            Target::Parameter(_) => {}
        }
        if self.races.is_some() && access.space != Space::Constant {
            self.check_race(site, warp, access, addresses, active, bytes, touch)?;
        }
        Ok(shape)
    }

    /// Looks for races of an access to shared or global memory.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn check_race(
        &mut self,
        site: &mut Site<'_>,
        warp: &Warp,
        access: Access,
        addresses: &Lanes,
        active: u32,
        bytes: u64,
        touch: Touch,
    ) -> Result<(), Trouble> {
        let (cta, function) = (site.cta().number, warp.groups[site.group].function);
        let epoch = site.cta().shadow.as_ref().map_or(0, Shadow::epoch);
        let Some(races) = &mut self.races else { return Ok(()) };
        // Polling a flag is synchronisation, not a race.
        let touch = match touch {
            Touch::Read if access.strong => Touch::StrongRead,
            Touch::Write if access.strong => Touch::Atomic,
            Touch::Read | Touch::Write | Touch::StrongRead | Touch::Atomic => touch,
        };
        let time = self.counts.instructions;
        if matches!(touch, Touch::StrongRead | Touch::Atomic) {
            races.order.synchronise(cta, time);
        }
        for lane in lanes_of(active) {
            let now = race::Access {
                cta,
                time,
                thread: warp.index * LANES as u32 + lane as u32,
                function,
                pc: site.pc,
                epoch,
                touch,
            };
            let (race, space, accessed) = match target(access.space, addresses[lane]) {
                Target::Global(address) => (races.touch(address, bytes, now), "global", Accessed::Global(address)),
                Target::Shared(None, offset) => {
                    let shadow = site.cluster.ctas[site.rank].shadow.as_mut();
                    let race = shadow.and_then(|shadow| shadow.touch(offset, bytes, now, &races.order));
                    (race, "shared", Accessed::Shared(offset))
                }
                Target::Shared(Some(_), _) | Target::Local(_) | Target::Parameter(_) => continue,
            };
            if let Some(race) = race {
                let (Accessed::Global(at) | Accessed::Shared(at)) = accessed;
                let message = format!(
                    "warp {} {}, at {space} address {at:#x}, with nothing that orders the two",
                    warp.index, race.what
                );
                let before = race.before;
                let [width, height, _] = self.launch.grid.map(u64::from);
                let spot = Spot {
                    cta: [
                        before.cta % width,
                        before.cta / width % height,
                        before.cta / width / height,
                    ]
                    .map(|index| index as u32),
                    thread: before.thread,
                    function: before.function,
                    pc: before.pc,
                };
                let other = Fault {
                    message: before.touch.name().to_string(),
                    ..self.at(spot)
                };
                return Err(Trouble {
                    other: Some(Box::new(other)),
                    ..Trouble::new(FaultKind::Race, message).at(lane).about(accessed)
                });
            }
        }
        Ok(())
    }

    /// `ld`
    pub(crate) fn load(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        access: Access,
        list: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let addresses = addresses(warp, site, access);
        let shape = self.survey(site, warp, access, &addresses, active, Touch::Read)?;
        let words = usize::from(access.count) * usize::from(access.bytes).div_ceil(8);
        let bytes = usize::from(access.bytes).min(8);
        let whole = self.whole(access);
        if let Some(out) = self.load_together(site, access, shape, &addresses, active, words) {
            for (word, out) in out.iter().enumerate().take(words) {
                warp.write(site.code.lists[list as usize + word], active, out);
            }
            return Ok(self.after_load(site, warp, access));
        }
        let mut out: [Lanes; 8] = [[0; LANES]; 8];
        let check = self.checks_uninitialised();
        for lane in lanes_of(active) {
            let target = target(access.space, addresses[lane]);
            let found = self.block(site, warp, lane, target).and_then(|(block, offset)| {
                for (word, out) in out.iter_mut().enumerate().take(words) {
                    out[lane] = extended(block.load(offset + (word * bytes) as u64, bytes, check)?, access);
                }
                Ok(())
            });
            found.map_err(|miss| self.miss(miss, target, words * bytes, "read").at(lane))?;
        }
        drop(whole);
        let code = site.code;
        for (word, out) in out.iter().enumerate().take(words) {
            warp.write(code.lists[list as usize + word], active, out);
        }
        Ok(self.after_load(site, warp, access))
    }

    pub(super) fn checks_uninitialised(&self) -> bool {
        self.options.check_uninitialised && !self.lenient
    }

    /// Held for accesses whose elements no single move handles, where threads may see them in parts.
    fn whole(&self, access: Access) -> Option<MutexGuard<'r, ()>> {
        (access.strong && access.bytes > 8)
            .then(|| self.memory.whole())
            .flatten()
    }

    /// A load that polls may make the group give way.
    fn after_load(&mut self, site: &Site<'_>, warp: &mut Warp, access: Access) -> Flow {
        self.counts.polls += u64::from(access.strong);
        if access.strong && warp.poll(site.group) {
            warp.groups[site.group].pc = site.pc + 1;
            return Flow::Choose;
        }
        Flow::Next
    }

    /// The block that all lanes' addresses most likely lie in, and the address of its start.
    #[inline]
    fn common_block<'b>(&'b mut self, site: &'b Site<'_>, access: Access, first: u64) -> Option<(&'b Block, u64)> {
        match target(access.space, first) {
            Target::Global(address) => {
                let (block, offset) = self.memory.find(address)?;
                Some((block, address - offset))
            }
            Target::Shared(None, offset) => Some((&site.cluster.ctas[site.rank].shared, first - offset)),
            Target::Parameter(offset) => Some((&self.parameters, first - offset)),
            Target::Shared(..) | Target::Local(_) => None,
        }
    }

    /// A load of some words in each lane, all from one block; `None`: it is not so simple, or a fault.
    #[inline]
    fn load_together(
        &mut self,
        site: &Site<'_>,
        access: Access,
        shape: Shape,
        addresses: &Lanes,
        active: u32,
        words: usize,
    ) -> Option<[Lanes; 4]> {
        let bytes = usize::from(access.bytes).min(8);
        let check = self.checks_uninitialised();
        let first = addresses[active.trailing_zeros() as usize % LANES];
        let (block, start) = self.common_block(site, access, first)?;
        let mut out = [[0; LANES]; 4];
        match words {
            1 => [out[0]] = block.gather(shape, start, addresses, active, bytes, check)?,
            2 => [out[0], out[1]] = block.gather(shape, start, addresses, active, bytes, check)?,
            4 => out = block.gather(shape, start, addresses, active, bytes, check)?,
            _ => return None,
        }
        if access.signed {
            out = out.map(|lanes| lanes.map(|value| extended(value, access)));
        }
        Some(out)
    }

    /// A store of some words in each lane, all to one block; false: it is not so simple, and has to be done again.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn store_together(
        &mut self,
        site: &Site<'_>,
        warp: &Warp,
        access: Access,
        shape: Shape,
        addresses: &Lanes,
        active: u32,
        sources: &[u32],
    ) -> bool {
        let bytes = usize::from(access.bytes).min(8);
        let first = addresses[active.trailing_zeros() as usize % LANES];
        let Some((block, start)) = self.common_block(site, access, first) else {
            return false;
        };
        let read = |source: u32| warp.read(site.code, Source(source));
        match *sources {
            [a] => block.scatter(shape, start, addresses, active, bytes, [read(a)]),
            [a, b] => block.scatter(shape, start, addresses, active, bytes, [a, b].map(read)),
            [a, b, c, d] => block.scatter(shape, start, addresses, active, bytes, [a, b, c, d].map(read)),
            _ => false,
        }
    }

    /// `st`
    pub(crate) fn store(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        access: Access,
        list: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let addresses = addresses(warp, site, access);
        let shape = self.survey(site, warp, access, &addresses, active, Touch::Write)?;
        let first = addresses[active.trailing_zeros() as usize % LANES];
        if access.space == Space::Constant || matches!(target(access.space, first), Target::Parameter(_)) {
            return Err(Trouble::new(
                FaultKind::AddressSpace,
                "a store to memory that is only read",
            ));
        }
        let words = usize::from(access.count) * usize::from(access.bytes).div_ceil(8);
        let bytes = usize::from(access.bytes).min(8);
        let sources = site.code.lists.get(list as usize..list as usize + words).unwrap_or(&[]);
        let whole = self.whole(access);
        if self.store_together(site, warp, access, shape, &addresses, active, sources) {
            return Ok(Flow::Next);
        }
        for lane in lanes_of(active) {
            let target = target(access.space, addresses[lane]);
            if matches!(target, Target::Parameter(_)) {
                let message = "a store to the kernel's parameters";
                return Err(Trouble::new(FaultKind::AddressSpace, message).at(lane));
            }
            let found = self.block(site, warp, lane, target).and_then(|(block, offset)| {
                for (word, source) in sources.iter().enumerate() {
                    let value = warp.read(site.code, Source(*source))[lane];
                    block.store(offset + (word * bytes) as u64, bytes, value)?;
                }
                Ok(())
            });
            found.map_err(|miss| self.miss(miss, target, words * bytes, "write").at(lane))?;
        }
        drop(whole);
        Ok(Flow::Next)
    }

    /// `atom` and `red`: lane after lane.
    pub(crate) fn atomic(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        access: Access,
        update: Update,
        list: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let addresses = addresses(warp, site, access);
        self.survey(site, warp, access, &addresses, active, Touch::Atomic)?;
        self.counts.memory.atomics += u64::from(active.count_ones());
        let words = usize::from(access.count) * usize::from(access.bytes).div_ceil(8);
        let bytes = usize::from(access.bytes).min(8);
        let code = site.code;
        let entries = &code.lists[list as usize..];
        let mut out: [Lanes; 8] = [[0; LANES]; 8];
        let whole = if access.bytes > 8 { self.memory.whole() } else { None };
        for lane in lanes_of(active) {
            let operand = |word: usize| warp.read(code, Source(entries[words + word]))[lane];
            let swap = |word: usize| match update {
                Update::CompareAndSwap => warp.read(code, Source(entries[2 * words + word]))[lane],
                _ => 0,
            };
            let target = target(access.space, addresses[lane]);
            let update = at_target(update, target);
            let check = self.checks_uninitialised();
            let found = self.block(site, warp, lane, target).and_then(|(block, offset)| {
                if access.bytes > 8 {
                    let old = update_wide(
                        block,
                        offset,
                        update,
                        [operand(0), operand(1)],
                        [swap(0), swap(1)],
                        check,
                    )?;
                    (out[0][lane], out[1][lane]) = (old[0], old[1]);
                    return Ok(());
                }
                // The elements of a vector are updated one by one.
                for (word, out) in out.iter_mut().enumerate().take(words) {
                    let (operand, swap) = (truncated(operand(word), 8 * bytes as u32), swap(word));
                    let at = offset + (word * bytes) as u64;
                    out[lane] = block.update(at, bytes, check, |old| updated(update, old, operand, swap))?;
                }
                Ok(())
            });
            found.map_err(|miss| Trouble {
                done: active & ((1 << lane) - 1),
                ..self.miss(miss, target, words * bytes, "update").at(lane)
            })?;
        }
        drop(whole);
        for (word, out) in out.iter().enumerate().take(words) {
            warp.write(entries[word], active, out);
        }
        self.counts.polls += 1;
        if warp.poll(site.group) {
            warp.groups[site.group].pc = site.pc + 1;
            return Ok(Flow::Choose);
        }
        Ok(Flow::Next)
    }

    /// `cp.async`: the copy is made at once.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn copy_async(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        from: Access,
        (to, to_offset): (Source, i64),
        size: Option<Source>,
        ignore: Test,
        active: u32,
    ) -> Result<(), Trouble> {
        let sources = addresses(warp, site, from);
        let to_access = Access {
            space: Space::Shared,
            address: to,
            offset: to_offset,
            narrow: false,
            ..from
        };
        let targets = addresses(warp, site, to_access);
        let sizes = size.map(|size| *warp.read(site.code, size));
        let ignored = warp.test(ignore);
        self.survey(site, warp, from, &sources, active, Touch::Read)?;
        self.survey(site, warp, to_access, &targets, active, Touch::Write)?;
        for lane in lanes_of(active) {
            let whole = usize::from(from.bytes);
            let wanted = if ignored >> lane & 1 != 0 {
                0
            } else {
                sizes.map_or(whole, |sizes| (sizes[lane] as usize).min(whole))
            };
            if self.options.delay_copies {
                self.delay_copy(site, warp, lane, (sources[lane], targets[lane]), (wanted, whole))?;
                continue;
            }
            let mut bytes = self.read_bytes(site, warp, lane, Space::Global, sources[lane], wanted)?;
            bytes.resize(whole, 0);
            self.write_bytes(site, warp, lane, Space::Shared, targets[lane], &bytes)?;
        }
        Ok(())
    }

    /// `cp.async` of a lane that completes later: so many bytes, then zeros up to the whole.
    fn delay_copy(
        &mut self,
        site: &mut Site<'_>,
        warp: &Warp,
        lane: usize,
        (from, to): (u64, u64),
        (wanted, whole): (usize, usize),
    ) -> Result<(), Trouble> {
        let to = transfer::locus(Space::Shared, to, site.rank).map_err(|trouble| trouble.at(lane))?;
        let pieces = [
            (Origin::Memory(Locus::Global(from)), to, wanted),
            (Origin::Fill([0; 2]), to.plus(wanted as u64), whole - wanted),
        ];
        let pieces = pieces.into_iter().filter(|(_, _, bytes)| *bytes > 0);
        let pieces = pieces.map(|(from, to, bytes)| Piece {
            from,
            to,
            bytes: bytes as u32,
        });
        let tracking = Tracking::Group { bulk: false };
        let transfer = Transfer::new((site.rank, warp.index, lane), tracking, pieces.collect());
        self.issue(site.cluster, transfer).map_err(|trouble| trouble.at(lane))
    }

    pub(crate) fn store_bulk(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        (address, offset, space): (Source, i64, Space),
        size: Source,
        active: u32,
    ) -> Result<(), Trouble> {
        let (starts, sizes) = (*warp.read(site.code, address), *warp.read(site.code, size));
        for lane in lanes_of(active) {
            let start = starts[lane].wrapping_add_signed(offset);
            if sizes[lane] > 1 << 24 {
                return Err(Trouble::new(FaultKind::Operand, "more than 16 MiB to set").at(lane));
            }
            self.write_bytes(site, warp, lane, space, start, &vec![0; sizes[lane] as usize])?;
        }
        Ok(())
    }

    /// `alloca`
    pub(crate) fn allocate_local(
        &mut self,
        code: &super::code::Code,
        warp: &mut Warp,
        d: Slot,
        size: Source,
        align: u64,
        active: u32,
    ) -> Result<(), Trouble> {
        let sizes = *warp.read(code, size);
        let mut starts = [0; LANES];
        for lane in lanes_of(active) {
            starts[lane] = extend_stack(warp, lane, sizes[lane], align, self.options.check_uninitialised)?;
        }
        warp.write(d, active, &starts);
        Ok(())
    }

    /// `mapa`
    pub(crate) fn map_address(
        &mut self,
        site: &mut Site<'_>,
        warp: &Warp,
        a: Source,
        rank: Source,
        generic: bool,
        active: u32,
    ) -> Result<Lanes, Trouble> {
        let window = if generic { SHARED_WINDOW } else { 0 };
        let (addresses, ranks) = (warp.read(site.code, a), warp.read(site.code, rank));
        let mut out = [0; LANES];
        for lane in lanes_of(active) {
            if ranks[lane] as usize >= site.cluster.ctas.len() {
                let message = format!("the cluster has no CTA {}", ranks[lane]);
                return Err(Trouble::new(FaultKind::Operand, message).at(lane));
            }
            let offset = addresses[lane].wrapping_sub(window) & ((1 << SHARED_RANK_SHIFT) - 1);
            out[lane] = window + ((ranks[lane] + 1) << SHARED_RANK_SHIFT) + offset;
        }
        Ok(out)
    }
}

/// Takes bytes from the stack of a lane's local memory; their start.
pub(crate) fn extend_stack(warp: &mut Warp, lane: usize, size: u64, align: u64, record: bool) -> Result<u64, Trouble> {
    let start = warp.top[lane].next_multiple_of(align.clamp(1, 1 << 23));
    let end = start.saturating_add(size);
    if end > LOCAL_LIMIT {
        let message = format!("the thread uses {end} bytes of local memory, more than {LOCAL_LIMIT}");
        return Err(Trouble::new(FaultKind::Stack, message).at(lane));
    }
    warp.top[lane] = end.next_multiple_of(16);
    let wanted = warp.top[lane] as usize;
    let block = &mut warp.local[lane];
    if (block.len() as usize) < wanted {
        if block.len() == 0 {
            *block = Block::new(wanted.max(64), record);
        } else {
            block.grow(wanted.max(2 * block.len() as usize));
        }
    }
    block.mark(start as usize, size as usize, false);
    Ok(start)
}
