//! Scales of blocks, and metadata of a sparse A, in tensor memory.
//!
//! The manual shows both in figures alone; the places are those that CUTLASS gives (`tmem_sf_frg`, `tmem_e_frg`). The scales of a row or column are bytes
//! of one word: of row `r` in lane `r % 32` of each of the four parts of 32 lanes, column `r / 32`. For a pair of CTAs with 128 rows, parts 0 and 1 have those
//! of the first half of the columns of B, parts 2 and 3 those of the second.

use super::{TensorMemory, Wrong, split, wrong};
use crate::matrix::{Element, sparse::positions_of_row};

/// Lanes of a part of tensor memory.
const PART: usize = 32;

/// The bytes of a word from one on.
fn bytes_of(word: u32, first: usize, count: usize) -> Vec<u64> {
    let bytes = word.to_le_bytes();
    (first..first + count)
        .map(|index| bytes.get(index).copied().unwrap_or(0).into())
        .collect()
}

/// The scales of rows of A or of columns of B, `count` each from this byte on. With `halves`, the second half of them stands in parts 2 and 3.
pub(crate) fn scales(
    memory: &TensorMemory,
    address: u64,
    lines: usize,
    (first, count): (usize, usize),
    halves: bool,
) -> Result<Vec<Vec<u64>>, Wrong> {
    let (row, column) = split(address);
    if row != 0 {
        return Err(wrong(format!("scales at lane {row} of tensor memory")));
    }
    if first + count > 4 {
        return Err(wrong(format!("{count} scales from byte {first} of a word on")));
    }
    let width = if halves { lines / 2 } else { lines };
    (0..lines)
        .map(|line| {
            let (half, within) = (line / width.max(1), line % width.max(1));
            let parts: &[usize] = match (halves, half) {
                (false, _) => &[0, 1, 2, 3],
                (true, 0) => &[0, 1],
                (true, _) => &[2, 3],
            };
            let mut found = None;
            for part in parts {
                let word = memory.get(PART * part + within % PART, column + within / PART)?;
                let bytes = bytes_of(word, first, count);
                match &found {
                    None => found = Some(bytes),
                    Some(known) if *known == bytes => {}
                    Some(_) => return Err(wrong("scales differ between the parts of 32 lanes of tensor memory")),
                }
            }
            Ok(found.unwrap_or_default())
        })
        .collect()
}

/// The k of the stored elements of the rows of a sparse A whose lanes are these. Elements of 16 and 32 bits have 32 bits of metadata for a row: two
/// halves of k, 16 bits each, in lanes 8 apart; rows 8 apart share words, and the selector says which of two columns. Narrower ones have the 64 bits in
/// two words of the row's lane.
///
/// That the metadata of 64 rows, which D has in half of the lanes, stand with the rows' own lanes, and the selector: observed on a B200, by NumSim as
/// `multiply` says.
pub(crate) fn positions(
    memory: &TensorMemory,
    address: u64,
    (element, stored): (Element, usize),
    lanes: &[usize],
    selector: usize,
) -> Result<Vec<Vec<usize>>, Wrong> {
    let (start, column) = split(address);
    let is_shared = element.bits() >= 16;
    if selector > usize::from(is_shared) {
        return Err(wrong(format!(
            "there is no sparsity selector {selector} of such elements"
        )));
    }
    lanes
        .iter()
        .map(|lane| {
            let bits = if is_shared {
                let part = |half: usize| -> Result<u64, Wrong> {
                    let word = memory.get(start + 16 * (lane / 16) + 8 * half + lane % 8, column + selector)?;
                    Ok(u64::from(word) >> (16 * (lane / 8 % 2)) & 0xffff)
                };
                part(0)? | part(1)? << 16
            } else {
                let (low, high) = (memory.get(start + lane, column)?, memory.get(start + lane, column + 1)?);
                u64::from(low) | u64::from(high) << 32
            };
            Ok(positions_of_row(element, bits, stored))
        })
        .collect()
}
