//! Loads from constant banks.

use super::{
    code::{LANES, Lanes, Row},
    machine::{Context, Flow, Trouble},
};
use crate::{FaultKind, lanes::lanes_of};

/// `LDC`, `ULDC` and `LDCU`: `d` from the bank at `index` + `offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantLoad {
    pub(crate) d: Row,
    pub(crate) bank: u8,
    pub(crate) index: Row,
    pub(crate) offset: i32,
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
}

impl ConstantLoad {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let index = *context.warp.row(&context.machine.constants, self.index);
        let words = usize::from(self.bytes).div_ceil(4);
        if self.load_one(context, &index, words).is_some() {
            return Ok(Flow::Next);
        }
        let mut rows = [[0; LANES]; 4];
        for lane in lanes_of(context.active) {
            let address = index[lane].wrapping_add_signed(self.offset);
            for (word, row) in rows.iter_mut().enumerate().take(words) {
                let bytes = self.bytes.min(4);
                let at = address.wrapping_add(4 * word as u32);
                row[lane] = read_constant(&context.machine.banks, self.bank, at, bytes)
                    .ok_or_else(|| self.outside(context, address).at(lane))?;
            }
            if self.signed {
                let shift = 32 - 8 * u32::from(self.bytes.min(4));
                rows[0][lane] = ((rows[0][lane] << shift) as i32 >> shift) as u32;
            }
        }
        for (word, row) in rows.iter().enumerate().take(words) {
            context.put(self.d.after(word as u32), row);
        }
        Ok(Flow::Next)
    }

    /// A load of all lanes from one place; `None`: they differ, or a fault.
    fn load_one(&self, context: &mut Context<'_, '_>, index: &Lanes, words: usize) -> Option<()> {
        let first = index[context.active.trailing_zeros() as usize % LANES];
        if !lanes_of(context.active).all(|lane| index[lane] == first) {
            return None;
        }
        let address = first.wrapping_add_signed(self.offset);
        let mut values = [0; 4];
        for (word, value) in values.iter_mut().enumerate().take(words) {
            let at = address.wrapping_add(4 * word as u32);
            *value = read_constant(&context.machine.banks, self.bank, at, self.bytes.min(4))?;
        }
        if self.signed {
            let shift = 32 - 8 * u32::from(self.bytes.min(4));
            values[0] = ((values[0] << shift) as i32 >> shift) as u32;
        }
        for (word, value) in values.iter().enumerate().take(words) {
            context.put(self.d.after(word as u32), &[*value; LANES]);
        }
        Some(())
    }

    fn outside(&self, context: &Context<'_, '_>, address: u32) -> Trouble {
        let size = context.machine.banks.get(usize::from(self.bank)).map_or(0, Vec::len);
        Trouble::new(
            FaultKind::OutOfBounds,
            format!(
                "{} bytes at {address:#x} of constant bank {}, which has {size} bytes",
                self.bytes, self.bank
            ),
        )
    }
}

/// Some bytes of a constant bank, zero-extended.
pub(crate) fn read_constant(banks: &[Vec<u8>], bank: u8, address: u32, bytes: u8) -> Option<u32> {
    let start = address as usize;
    let content = banks
        .get(usize::from(bank))?
        .get(start..start.checked_add(usize::from(bytes))?)?;
    Some(
        content
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u32::from(*byte)),
    )
}
