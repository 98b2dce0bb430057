//! Tensor memory and the tensor cores of the fifth generation, as PTX's `tcgen05` has them: what both the interpreter and the emulator do with them.
//!
//! Each CTA has 128 lanes of 512 columns of 32 bits. What is asynchronous on the device is done at once. Two CTAs whose ranks in the cluster differ in the
//! lowest bit are a pair, whose tensor cores may multiply together: [`Tensors`] gives the memories of both, the one with the even rank first.

mod columns;
pub(crate) mod copy;
pub(crate) mod description;
pub(crate) mod multiply;
pub(crate) mod scale;
pub(crate) mod shape;
pub(crate) mod shift;

use crate::{
    FaultKind,
    matrix::descriptor::{Misdescribed, UNIT as BYTES},
};

/// Lanes.
pub(crate) const ROWS: usize = 128;
/// Columns of 32 bits.
pub(crate) const COLUMNS: usize = 512;
/// Columns are allocated in units of this many.
pub(crate) const UNIT: usize = 32;
/// Units.
pub(crate) const UNITS: usize = COLUMNS / UNIT;

/// The tensor memory of a CTA.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorMemory {
    /// None before the first allocation.
    words: Vec<u32>,
    /// For each unit of columns a bit: whether it is allocated.
    pub(crate) allocated: u32,
    /// No more is allocated.
    pub(crate) relinquished: bool,
}

/// What is wrong with the operands, or not implemented.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
}

/// Operands that do not go together.
pub(crate) fn wrong(message: impl Into<String>) -> Wrong {
    Wrong {
        kind: FaultKind::Operand,
        message: message.into(),
    }
}

impl From<Misdescribed> for Wrong {
    fn from(Misdescribed(message): Misdescribed) -> Wrong {
        wrong(message)
    }
}

/// The memories that an instruction works on: of one CTA (member 0), or of a pair.
pub(crate) trait Tensors {
    /// What stops a run.
    type Error: From<Wrong> + From<Misdescribed>;

    /// 16 bytes of a member's shared memory.
    fn unit(&mut self, member: usize, address: u64) -> Result<[u8; BYTES as usize], Self::Error>;

    /// A member's tensor memory.
    fn memory(&mut self, member: usize) -> Result<&mut TensorMemory, Self::Error>;
}

/// Row and column of an address.
pub(crate) fn split(address: u64) -> (usize, usize) {
    ((address >> 16 & 0xffff) as usize, (address & 0xffff) as usize)
}

/// The units of a number of columns from a column on, as a mask; `None`: these are no whole units.
pub(crate) fn units(start: usize, columns: usize) -> Option<u32> {
    let fits = start.is_multiple_of(UNIT) && columns.is_multiple_of(UNIT) && start + columns <= COLUMNS;
    fits.then(|| ((1_u32 << (columns / UNIT)) - 1) << (start / UNIT))
}

impl TensorMemory {
    /// The index of a word, which must be allocated.
    fn index(&self, row: usize, column: usize) -> Result<usize, Wrong> {
        if row >= ROWS || column >= COLUMNS || self.allocated >> (column / UNIT) & 1 == 0 {
            let message = format!("lane {row}, column {column} of tensor memory is not allocated");
            return Err(Wrong {
                kind: FaultKind::OutOfBounds,
                message,
            });
        }
        Ok(row * COLUMNS + column)
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> Result<u32, Wrong> {
        let index = self.index(row, column)?;
        Ok(self.words.get(index).copied().unwrap_or(0))
    }

    pub(crate) fn set(&mut self, row: usize, column: usize, value: u32) -> Result<(), Wrong> {
        let index = self.index(row, column)?;
        self.words.resize(ROWS * COLUMNS, 0);
        self.words[index] = value;
        Ok(())
    }

    /// The first of so many units at a multiple of their number that are free in these masks.
    pub(crate) fn find(allocated: u32, units: usize) -> Option<usize> {
        if units == 0 || units > UNITS {
            return None;
        }
        let mask = (1_u32 << units) - 1;
        (0..UNITS)
            .step_by(units)
            .find(|start| start + units <= UNITS && allocated & mask << start == 0)
    }

    /// The number of columns as an allocation may have it.
    pub(crate) fn allocation(columns: usize) -> Result<usize, Wrong> {
        if (UNIT..=COLUMNS).contains(&columns) && columns.is_power_of_two() {
            return Ok(columns / UNIT);
        }
        Err(wrong(format!(
            "{columns} columns of tensor memory: a power of two from 32 to 512 is wanted"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::{TensorMemory, units};

    #[test]
    fn units_are_found_at_multiples() {
        assert_eq!(TensorMemory::find(0b0000_0001, 2), Some(2));
        assert_eq!(TensorMemory::find(0xffff, 1), None);
        assert_eq!(TensorMemory::find(0, 16), Some(0));
        assert_eq!(TensorMemory::find(0x8000, 8), Some(0));
        assert_eq!(units(64, 64), Some(0b1100));
        assert_eq!(units(16, 64), None);
        assert_eq!(units(512, 32), None);
    }
}
