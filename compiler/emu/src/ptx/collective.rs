//! Operations that the lanes of a warp do together.

use warpsmith_numerics::{float, format};

use super::{
    FaultKind,
    arithmetic::{self, Function},
    bulk::Asynchronous,
    code::{Collective, LANES, Lanes, Source, Space},
    machine::{Machine, Site, Trouble},
    warp::{Wait, Warp, lanes_of},
};

impl Machine<'_> {
    /// Executes the operation if all lanes that its mask names are here, else lets the group wait for the others. The group stands at the
    /// operation and has exactly the active lanes.
    pub(crate) fn collective(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        collective: Collective,
        members: Source,
        active: u32,
    ) -> Result<(), Trouble> {
        let masks = *warp.read(site.code, members);
        let first = active.trailing_zeros() as usize % LANES;
        let mask = masks[first] as u32;
        // Lanes with another mask take part in another operation.
        let alike = lanes_of(active)
            .filter(|lane| masks[*lane] as u32 == mask)
            .fold(0, |all, lane| all | 1 << lane);
        if alike != active {
            warp.split(site.group, active & !alike, site.pc);
        }
        if let Some(lane) = lanes_of(alike).find(|lane| mask >> lane & 1 == 0) {
            let message = format!("lane {lane} is not in the member mask {mask:#010x} that it gives");
            return Err(Trouble::new(FaultKind::Operand, message).at(lane));
        }
        let barrier = collective == Collective::Barrier;
        if mask & warp.live & !alike != 0 {
            warp.groups[site.group].wait = Wait::Warp { members: mask, barrier };
            if barrier {
                self.release_warp_barrier(warp, mask);
            }
            return Ok(());
        }
        warp.groups[site.group].pc = site.pc + 1;
        self.perform(site, warp, collective, alike)
    }

    /// Ends a `bar.warp.sync` that all lanes of a mask have reached, wherever each of them stands.
    pub(crate) fn release_warp_barrier(&mut self, warp: &mut Warp, mask: u32) {
        let waits = Wait::Warp {
            members: mask,
            barrier: true,
        };
        let arrived = warp
            .groups
            .iter()
            .filter(|group| group.wait == waits)
            .fold(0, |all, group| all | group.mask);
        if mask & warp.live & !arrived == 0 {
            for group in warp.groups.iter_mut().filter(|group| group.wait == waits) {
                group.wait = Wait::Nothing;
                group.pc += 1;
            }
        }
    }

    fn perform(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        collective: Collective,
        active: u32,
    ) -> Result<(), Trouble> {
        let code = site.code;
        match collective {
            Collective::Barrier => {}
            Collective::TensorMemory { index } => {
                if let Some(Asynchronous::Tcgen05(instruction)) = code.asynchronous.get(index as usize)
                    && !self.tensor_of_warp(site, warp, instruction, active)?
                {
                    // No columns are free: the warp tries again.
                    warp.groups[site.group].pc = site.pc;
                }
            }
            Collective::Shuffle { mode, d, p, a, b, c } => {
                let (a, b, c) = (*warp.read(code, a), warp.read(code, b), warp.read(code, c));
                let mut out = [0; LANES];
                let mut in_range = 0;
                for lane in lanes_of(active) {
                    let (source, valid) = mode.source(lane as u32, b[lane] as u32, c[lane] as u32);
                    in_range |= u32::from(valid) << lane;
                    // What a lane that takes no part gives is undefined; its register is as good as anything.
                    out[lane] = a[source as usize % LANES];
                }
                warp.write(d, active, &out);
                warp.set_predicate(p, active, in_range);
            }
            Collective::VoteAll { p, a } => {
                let all = warp.test(a) & active == active;
                warp.set_predicate(p, active, if all { active } else { 0 });
            }
            Collective::VoteAny { p, a } => {
                let any = warp.test(a) & active != 0;
                warp.set_predicate(p, active, if any { active } else { 0 });
            }
            Collective::VoteUniform { p, a } => {
                let votes = warp.test(a) & active;
                let uniform = votes == 0 || votes == active;
                warp.set_predicate(p, active, if uniform { active } else { 0 });
            }
            Collective::Ballot { d, a } => {
                let votes = warp.test(a) & active;
                warp.write(d, active, &[u64::from(votes); LANES]);
            }
            Collective::MatchAny { d, a } => {
                let values = *warp.read(code, a);
                let same = |lane: usize| {
                    lanes_of(active)
                        .filter(|other| values[*other] == values[lane])
                        .fold(0, |all, other| all | 1_u64 << other)
                };
                let out: Lanes = std::array::from_fn(same);
                warp.write(d, active, &out);
            }
            Collective::MatchAll { d, p, a } => {
                let values = *warp.read(code, a);
                let first = active.trailing_zeros() as usize % LANES;
                let all = lanes_of(active).all(|lane| values[lane] == values[first]);
                warp.write(d, active, &[if all { u64::from(active) } else { 0 }; LANES]);
                warp.set_predicate(p, active, if all { active } else { 0 });
            }
            Collective::Reduce {
                function,
                d,
                a,
                absolute,
            } => {
                let mut values = *warp.read(code, a);
                if absolute {
                    values = values.map(|value| float::abs(format::F32, false, value));
                }
                let total = lanes_of(active)
                    .map(|lane| values[lane])
                    .reduce(|a, b| arithmetic::evaluate_one(function, a, b));
                let mut total = total.unwrap_or(0);
                if let (Function::Extreme { .. }, 1) = (function, active.count_ones()) {
                    // A single value is canonicalised as the others are.
                    total = arithmetic::evaluate_one(function, total, total);
                }
                warp.write(d, active, &[total; LANES]);
            }
            Collective::Elect { d, p } => {
                let leader = active.trailing_zeros();
                warp.write(d, active, &[u64::from(leader); LANES]);
                warp.set_predicate(p, active, 1 << leader);
            }
            Collective::TransposeMatrix { d, a } => {
                let values = *warp.read(code, a);
                let element = |row: usize, column: usize| values[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
                let out: Lanes = std::array::from_fn(|lane| {
                    let (row, column) = (lane / 4, lane % 4 * 2);
                    element(column, row) | element(column + 1, row) << 16
                });
                warp.write(d, active, &out);
            }
            Collective::LoadMatrix {
                list,
                count,
                transpose,
                address,
                offset,
                space,
            } => {
                let starts = *warp.read(code, address);
                for matrix in 0..usize::from(count) {
                    let mut rows = [[0_u8; 16]; 8];
                    for (row, bytes) in rows.iter_mut().enumerate() {
                        let lane = matrix * 8 + row;
                        let start = starts[lane].wrapping_add_signed(offset);
                        aligned(start, lane)?;
                        bytes.copy_from_slice(&self.read_bytes(site, warp, lane, space, start, 16)?);
                    }
                    let element = |row: usize, column: usize| {
                        let (row, column) = if transpose { (column, row) } else { (row, column) };
                        u64::from(u16::from_le_bytes([rows[row][2 * column], rows[row][2 * column + 1]]))
                    };
                    let out: Lanes = std::array::from_fn(|lane| {
                        element(lane / 4, lane % 4 * 2) | element(lane / 4, lane % 4 * 2 + 1) << 16
                    });
                    warp.write(code.lists[list as usize + matrix], active, &out);
                }
            }
            Collective::StoreMatrix {
                list,
                count,
                transpose,
                address,
                offset,
                space,
            } => {
                self.store_matrix(site, warp, (list, count), transpose, (address, offset, space))?;
            }
            Collective::Matrix { matrix } => {
                if let Some(matrix) = code.matrices.get(matrix as usize) {
                    self.matrix(site, warp, matrix, active)?;
                }
            }
        }
        Ok(())
    }

    fn store_matrix(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        (list, count): (u32, u8),
        transpose: bool,
        (address, offset, space): (Source, i64, Space),
    ) -> Result<(), Trouble> {
        let code = site.code;
        let starts = *warp.read(code, address);
        for matrix in 0..usize::from(count) {
            let values = *warp.read(code, Source(code.lists[list as usize + matrix]));
            for row in 0..8 {
                let mut bytes = [0; 16];
                for column in 0..8 {
                    let (r, c) = if transpose { (column, row) } else { (row, column) };
                    let element = (values[r * 4 + c / 2] >> (16 * (c % 2))) as u16;
                    bytes[2 * column..2 * column + 2].copy_from_slice(&element.to_le_bytes());
                }
                let lane = matrix * 8 + row;
                let start = starts[lane].wrapping_add_signed(offset);
                aligned(start, lane)?;
                self.write_bytes(site, warp, lane, space, start, &bytes)?;
            }
        }
        Ok(())
    }
}

/// Rows of matrices lie at multiples of 16 bytes.
fn aligned(start: u64, lane: usize) -> Result<(), Trouble> {
    if start.is_multiple_of(16) {
        return Ok(());
    }
    let message = format!("a matrix row at address {start:#x}, which is not a multiple of 16");
    Err(Trouble::new(FaultKind::Misaligned, message).at(lane))
}
