//! `tcgen05.shift`, and what `.ashift` does to A: rows of 32 bytes move to the lane before theirs.
//!
//! The manual has rows move "down by one row" but the last, and leaves open which way and how many rows there are. Observed on a B200, in public
//! records of two open projects (a disassembler's notes and the simulator NumSim), the same in both: the four parts of 32 lanes move for themselves,
//! lane `l` receives what lane `l + 1` held, and the last lane of a part keeps its row.

use super::{ROWS, TensorMemory, Tensors, Wrong, split, wrong};

/// Lanes of a part.
const PART: usize = 32;
/// Words of a row that move.
const WORDS: usize = 8;

/// Moves the rows of a matrix at an address.
pub(crate) fn down(memory: &mut TensorMemory, address: u64) -> Result<(), Wrong> {
    let (lane, column) = split(address);
    if lane != 0 {
        // The manual has multiples of 32; what is seen of the hardware begins at lane 0.
        return Err(wrong(format!(
            "rows are shifted from lane {lane} of tensor memory on, not from 0"
        )));
    }
    for row in (0..ROWS).filter(|row| row % PART != PART - 1) {
        for word in column..column + WORDS {
            let next = memory.get(row + 1, word)?;
            memory.set(row, word, next)?;
        }
    }
    Ok(())
}

/// `tcgen05.shift`: in the memory of the CTA, or of both CTAs of a pair.
pub(crate) fn execute<T: Tensors>(tensors: &mut T, address: u64, pair: bool) -> Result<(), T::Error> {
    for member in 0..if pair { 2 } else { 1 } {
        down(tensors.memory(member)?, address)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::TensorMemory, down};

    #[test]
    fn rows_move_within_their_part() {
        let mut memory = TensorMemory {
            allocated: 1,
            ..TensorMemory::default()
        };
        for row in 0..128 {
            for column in 0..16 {
                memory.set(row, column, (row * 16 + column) as u32).unwrap();
            }
        }
        down(&mut memory, 4).unwrap();
        for row in 0..128 {
            for column in 0..16 {
                let moves = (4..12).contains(&column) && row % 32 != 31;
                let expected = (row + usize::from(moves)) * 16 + column;
                assert_eq!(memory.get(row, column).unwrap() as usize, expected);
            }
        }
        assert!(down(&mut memory, 32 << 16).is_err());
    }
}
