//! Loads and stores: which lane and column each register of each thread is.

use warpsmith_numerics::{
    float::{self, MinMax},
    format::F32,
};

use super::{TensorMemory, Wrong, wrong};

/// `.shape` of loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `.32x32b`
    Rows32,
    /// `.16x64b`
    Rows16Bits64,
    /// `.16x128b`
    Rows16Bits128,
    /// `.16x256b`
    Rows16Bits256,
    /// `.16x32bx2`: the second half starts so many columns further.
    Halves(i32),
}

impl Shape {
    /// Registers for each repetition.
    fn registers(self) -> usize {
        match self {
            Shape::Rows32 | Shape::Rows16Bits64 | Shape::Halves(_) => 1,
            Shape::Rows16Bits128 => 2,
            Shape::Rows16Bits256 => 4,
        }
    }

    /// The row and column, from the start on, of a register of a lane (PTX manual, "Memory Layout"; where it has figures alone, the
    /// copy layouts that CUTLASS gives for these instructions). Columns are those of elements: with halves, two to a register.
    fn place(self, lane: usize, register: usize) -> (usize, usize) {
        let (repetition, register) = (register / self.registers(), register % self.registers());
        match self {
            Shape::Rows32 => (lane, repetition),
            Shape::Rows16Bits64 => (lane / 4 + 8 * (lane % 2), 2 * repetition + lane / 2 % 2),
            Shape::Rows16Bits128 => (lane / 4 + 8 * register, 4 * repetition + lane % 4),
            Shape::Rows16Bits256 => (
                lane / 4 + 8 * (register / 2),
                8 * repetition + 2 * (lane % 4) + register % 2,
            ),
            Shape::Halves(_) => (lane % 16, repetition),
        }
    }

    /// How many columns further the lane's part starts.
    fn split(self, lane: usize) -> i32 {
        match self {
            Shape::Halves(offset) if lane >= 16 => offset,
            _ => 0,
        }
    }

    /// The lane of tensor memory where a warp starts that names this one: one of its own, or, counted from its first one, one of the first 32. (DeepGEMM's
    /// kernels for sm_100 name lane 0 in each warp.)
    ///
    /// # Errors
    /// The lane is one of another warp, or no start.
    pub(crate) fn start(self, warp: u32, row: usize) -> Result<usize, Wrong> {
        let first = warp as usize % 4 * 32;
        let own = if row < 32 { first + row } else { row };
        let fits = match self {
            Shape::Rows32 => own == first,
            Shape::Rows16Bits64 | Shape::Rows16Bits128 | Shape::Rows16Bits256 | Shape::Halves(_) => {
                own == first || own == first + 16
            }
        };
        if fits {
            return Ok(own);
        }
        Err(wrong(format!(
            "warp {warp} has lanes {first} to {} of tensor memory, and this starts at lane {row}",
            first + 31
        )))
    }

    /// The words of a register of a lane: with `halves` the low one and the high one.
    fn words(self, (row, column): (usize, usize), lane: usize, register: usize, halves: bool) -> (usize, usize) {
        let (down, right) = self.place(lane, register);
        let right = if halves { 2 * right } else { right };
        let column = (column + right) as i64 + i64::from(self.split(lane));
        (row + down, usize::try_from(column).unwrap_or(usize::MAX))
    }

    /// A register of a load: a word, or the lower halves of two columns.
    pub(crate) fn load(
        self,
        memory: &TensorMemory,
        start: (usize, usize),
        (lane, register): (usize, usize),
        halves: bool,
    ) -> Result<u32, Wrong> {
        let (row, column) = self.words(start, lane, register, halves);
        let low = memory.get(row, column)?;
        if !halves {
            return Ok(low);
        }
        Ok(low & 0xffff | memory.get(row, column + 1)? << 16)
    }

    /// The reverse of [`Shape::load`].
    pub(crate) fn store(
        self,
        memory: &mut TensorMemory,
        start: (usize, usize),
        (lane, register): (usize, usize),
        halves: bool,
        value: u32,
    ) -> Result<(), Wrong> {
        let (row, column) = self.words(start, lane, register, halves);
        if !halves {
            return memory.set(row, column, value);
        }
        memory.set(row, column, value & 0xffff)?;
        memory.set(row, column + 1, value >> 16)
    }
}

/// What `tcgen05.ld.red` makes of the registers that a thread loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    /// The smallest, not the largest.
    pub(crate) least: bool,
    /// Of magnitudes.
    pub(crate) absolute: bool,
    pub(crate) of: Reduced,
}

/// The type of what is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduced {
    U32,
    S32,
    /// With NaNs as result where one is among the operands, or without.
    F32 {
        nan: bool,
    },
}

impl Reduction {
    /// Of a thread's registers.
    pub(crate) fn of(self, values: impl Iterator<Item = u32>) -> u32 {
        let magnitude = |value: u32| if self.absolute { value & !(1 << 31) } else { value };
        let step = |a: u32, b: u32| match (self.of, self.least) {
            (Reduced::U32, true) => a.min(b),
            (Reduced::U32, false) => a.max(b),
            (Reduced::S32, true) => (a as i32).min(b as i32) as u32,
            (Reduced::S32, false) => (a as i32).max(b as i32) as u32,
            (Reduced::F32 { nan }, least) => {
                let modifiers = MinMax {
                    nan,
                    ..MinMax::default()
                };
                let extreme = if least { float::min } else { float::max };
                extreme(F32, modifiers, a.into(), b.into()) as u32
            }
        };
        values.map(magnitude).reduce(step).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn a_warp_starts_in_its_own_lanes() {
        let start = |warp, row| Shape::Rows32.start(warp, row).ok();
        assert_eq!([start(1, 32), start(5, 32), start(1, 0)], [Some(32); 3]);
        assert_eq!([start(1, 64), start(1, 16), start(0, 32)], [None; 3]);
        assert_eq!(Shape::Rows16Bits64.start(3, 16).ok(), Some(112));
    }
}
