//! Loads, stores and atomic operations in every state space.

use warpsmith_numerics::float::Modifiers;

use super::{
    FaultKind,
    arithmetic::{self, FormatName, Function, Real, truncated},
    code::{
        Access, LANES, LOCAL_WINDOW, LOCAL_WINDOW_BYTES, Lanes, PARAMETER_WINDOW, PARAMETER_WINDOW_BYTES,
        SHARED_RANK_SHIFT, SHARED_WINDOW, SHARED_WINDOW_BYTES, Slot, Source, Space, Test, Update,
    },
    machine::{Flow, Machine, Site, Trouble},
    race::Touch,
    warp::{Warp, lanes_of},
};
use crate::device::{Block, Miss};

/// The most local memory of a thread.
const LOCAL_LIMIT: u64 = 1 << 20;

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
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

fn target(space: Space, address: u64) -> Target {
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

impl Machine<'_> {
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
    fn miss(&self, miss: Miss, target: Target, bytes: usize, what: &str) -> Trouble {
        let (space, address, more) = match target {
            Target::Global(address) => ("global", address, self.device.describe(address)),
            Target::Shared(None, offset) => ("shared", offset, String::new()),
            Target::Shared(Some(rank), offset) => ("shared", offset, format!("in CTA {rank} of the cluster")),
            Target::Local(offset) => ("local", offset, String::new()),
            Target::Parameter(offset) => ("parameter", offset, String::new()),
        };
        let more = if more.is_empty() { more } else { format!("; {more}") };
        match miss {
            Miss::OutOfBounds => Trouble::new(
                FaultKind::OutOfBounds,
                format!("{what} of {bytes} bytes at {space} address {address:#x}{more}"),
            ),
            Miss::Uninitialised => Trouble::new(
                FaultKind::Uninitialised,
                format!("{what} of {bytes} bytes at {space} address {address:#x}, which was never written"),
            ),
        }
    }

    /// The block and the offset that a target is in.
    fn block<'b>(
        &'b mut self,
        site: &'b mut Site<'_>,
        warp: &'b mut Warp,
        lane: usize,
        target: Target,
    ) -> Result<(&'b mut Block, u64), Miss> {
        match target {
            Target::Global(address) => match self.device.find(address, &mut self.hint) {
                Some((index, offset)) => Ok((self.device.block_mut(index), offset)),
                None => Err(Miss::OutOfBounds),
            },
            Target::Shared(None, offset) => Ok((&mut site.cluster.ctas[site.rank].shared, offset)),
            Target::Shared(Some(rank), offset) => match site.cluster.ctas.get_mut(rank) {
                Some(cta) => Ok((&mut cta.shared, offset)),
                None => Err(Miss::OutOfBounds),
            },
            Target::Local(offset) => Ok((&mut warp.local[lane], offset)),
            Target::Parameter(offset) => Ok((&mut self.parameters, offset)),
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
        let check = self.options.check_uninitialised;
        let target = target(space, address);
        let found = self
            .block(site, warp, lane, target)
            .and_then(|(block, offset)| block.slice(offset, length, check).map(<[u8]>::to_vec));
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
        let found = self.block(site, warp, lane, target).and_then(|(block, offset)| {
            block
                .slice_mut(offset, bytes.len())
                .map(|slice| slice.copy_from_slice(bytes))
        });
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
        let check = self.options.check_uninitialised;
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

    /// Checks alignment and races, and counts what the access costs.
    fn survey(
        &mut self,
        site: &mut Site<'_>,
        warp: &Warp,
        access: Access,
        addresses: &Lanes,
        active: u32,
        touch: Touch,
    ) -> Result<(), Trouble> {
        let bytes = u64::from(access.bytes) * u64::from(access.count);
        // Vectors are aligned as a whole.
        let low = bytes.next_power_of_two() - 1;
        let all = lanes_of(active).fold(0, |all, lane| all | addresses[lane]);
        if all & low != 0 {
            let lane = lanes_of(active).find(|lane| addresses[*lane] & low != 0).unwrap_or(0);
            let message = format!("access of {bytes} bytes at address {:#x}", addresses[lane]);
            return Err(Trouble::new(FaultKind::Misaligned, message).at(lane));
        }
        if access.space == Space::Local || access.space == Space::Parameter {
            self.counts.memory.local_accesses += u64::from(access.space == Space::Local);
            return Ok(());
        }
        let first = addresses[(active.trailing_zeros() as usize).min(LANES - 1)];
        match target(access.space, first) {
            Target::Global(_) => self.counts.memory.count_global(addresses, active, bytes),
            Target::Shared(..) => {
                self.counts.memory.count_shared(addresses, active, bytes);
                if site.cta().shadow.is_some() {
                    self.check_race(site, warp, access, addresses, active, bytes, touch)?;
                }
            }
            Target::Local(_) => self.counts.memory.local_accesses += 1,
            Target::Parameter(_) => {}
        }
        Ok(())
    }

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
        for lane in lanes_of(active) {
            let Target::Shared(None, offset) = target(access.space, addresses[lane]) else {
                continue;
            };
            // Polling a flag is synchronisation, not a race.
            let touch = if access.strong { Touch::Atomic } else { touch };
            let Some(shadow) = &mut site.cta().shadow else {
                return Ok(());
            };
            if let Some(what) = shadow.touch(offset, bytes, warp.index, touch) {
                let message = format!(
                    "warp {} {what}, at shared address {offset:#x}, with no barrier between",
                    warp.index
                );
                return Err(Trouble::new(FaultKind::Race, message).at(lane));
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
        self.survey(site, warp, access, &addresses, active, Touch::Read)?;
        let words = usize::from(access.count) * usize::from(access.bytes).div_ceil(8);
        let bytes = usize::from(access.bytes).min(8);
        if words == 1
            && let Some(out) = self.load_together(site, access, &addresses, active)
        {
            warp.write(site.code.lists[list as usize], active, &out);
            return Ok(self.after_load(site, warp, access));
        }
        let mut out: [Lanes; 8] = [[0; LANES]; 8];
        let check = self.options.check_uninitialised;
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
        let code = site.code;
        for (word, out) in out.iter().enumerate().take(words) {
            warp.write(code.lists[list as usize + word], active, out);
        }
        Ok(self.after_load(site, warp, access))
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

    /// The block that all lanes' addresses most likely lie in, and its start.
    #[inline]
    fn common_block<'b>(
        &'b mut self,
        site: &'b mut Site<'_>,
        access: Access,
        addresses: &Lanes,
        active: u32,
    ) -> Option<(&'b mut Block, u64)> {
        let first = addresses[active.trailing_zeros() as usize % LANES];
        match target(access.space, first) {
            Target::Global(address) => {
                let (index, offset) = self.device.find(address, &mut self.hint)?;
                Some((self.device.block_mut(index), address - offset))
            }
            Target::Shared(None, offset) => Some((&mut site.cluster.ctas[site.rank].shared, first - offset)),
            Target::Shared(..) | Target::Local(_) | Target::Parameter(_) => None,
        }
    }

    /// A load of one word in each lane, all from one block and unchecked; `None`: it is not so simple.
    fn load_together(&mut self, site: &mut Site<'_>, access: Access, addresses: &Lanes, active: u32) -> Option<Lanes> {
        if self.options.check_uninitialised {
            return None;
        }
        let (block, start) = self.common_block(site, access, addresses, active)?;
        let mut out = [0; LANES];
        for lane in lanes_of(active) {
            let value = block.load(addresses[lane].wrapping_sub(start), access.bytes.into(), false);
            out[lane] = extended(value.ok()?, access);
        }
        Some(out)
    }

    /// A store of one word in each lane, all to one block; false: it is not so simple, and has to be done again.
    fn store_together(
        &mut self,
        site: &mut Site<'_>,
        access: Access,
        addresses: &Lanes,
        values: &Lanes,
        active: u32,
    ) -> bool {
        let Some((block, start)) = self.common_block(site, access, addresses, active) else {
            return false;
        };
        let mut lanes = lanes_of(active);
        lanes.all(|lane| {
            let offset = addresses[lane].wrapping_sub(start);
            block.store(offset, access.bytes.into(), values[lane]).is_ok()
        })
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
        self.survey(site, warp, access, &addresses, active, Touch::Write)?;
        if access.space == Space::Constant || access.space == Space::Parameter {
            return Err(Trouble::new(
                FaultKind::AddressSpace,
                "a store to memory that is only read",
            ));
        }
        let words = usize::from(access.count) * usize::from(access.bytes).div_ceil(8);
        let bytes = usize::from(access.bytes).min(8);
        let code = site.code;
        if words == 1 {
            let values = warp.read(code, Source(code.lists[list as usize]));
            if self.store_together(site, access, &addresses, values, active) {
                return Ok(Flow::Next);
            }
        }
        let mut values: [Lanes; 8] = [[0; LANES]; 8];
        for (word, values) in values.iter_mut().enumerate().take(words) {
            *values = *warp.read(code, Source(code.lists[list as usize + word]));
        }
        for lane in lanes_of(active) {
            let target = target(access.space, addresses[lane]);
            if matches!(target, Target::Parameter(_)) {
                let message = "a store to the kernel's parameters";
                return Err(Trouble::new(FaultKind::AddressSpace, message).at(lane));
            }
            let found = self.block(site, warp, lane, target).and_then(|(block, offset)| {
                for (word, values) in values.iter().enumerate().take(words) {
                    block.store(offset + (word * bytes) as u64, bytes, values[lane])?;
                }
                Ok(())
            });
            found.map_err(|miss| self.miss(miss, target, words * bytes, "write").at(lane))?;
        }
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
        let swaps = update == Update::CompareAndSwap;
        let mut operands = Vec::with_capacity(words);
        for word in 0..words {
            let operand = *warp.read(code, Source(entries[words + word]));
            let swap = if swaps {
                *warp.read(code, Source(entries[2 * words + word]))
            } else {
                operand
            };
            operands.push((operand, swap));
        }
        let mut out = vec![[0; LANES]; words];
        for lane in lanes_of(active) {
            let mut old = [0; 8];
            for (word, old) in old.iter_mut().enumerate().take(words) {
                let address = addresses[lane] + (word * bytes) as u64;
                *old = self.read_one(site, warp, lane, access.space, address, bytes)?;
                out[word][lane] = *old;
            }
            // A 128-bit value is compared as a whole.
            let equal = (0..words).all(|word| old[word] == truncated(operands[word].0[lane], 8 * bytes as u32));
            let update = at_target(update, target(access.space, addresses[lane]));
            for word in 0..words {
                let (operand, swap) = (operands[word].0[lane], operands[word].1[lane]);
                let new = match update {
                    Update::Function(function) => arithmetic::evaluate_one(function, old[word], operand),
                    Update::Exchange => operand,
                    Update::CompareAndSwap if equal => swap,
                    Update::CompareAndSwap => old[word],
                    Update::Increment if old[word] >= truncated(operand, 32) => 0,
                    Update::Increment => old[word] + 1,
                    Update::Decrement if old[word] == 0 || old[word] > truncated(operand, 32) => operand,
                    Update::Decrement => old[word] - 1,
                };
                let address = addresses[lane] + (word * bytes) as u64;
                self.write_one(site, warp, lane, access.space, address, bytes, new)?;
            }
        }
        for (word, out) in out.iter().enumerate() {
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
            let mut bytes = self.read_bytes(site, warp, lane, Space::Global, sources[lane], wanted)?;
            bytes.resize(whole, 0);
            self.write_bytes(site, warp, lane, Space::Shared, targets[lane], &bytes)?;
        }
        Ok(())
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
