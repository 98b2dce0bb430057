//! Structured sparse A: which k each stored element has (PTX ISA 9.7.14.6.1 and 9.7.14.6.2, 9.7.15.6.1).
//!
//! A row has four bits of metadata for each chunk: of four elements, two stored; of eight elements of four bits, two stored pairs; of two elements
//! of 32 bits, one stored. They are two indices of two bits each, the first in the lower bits, of an element, of a pair, of a half of an element.
//!
//! The manual shows in figures which lane holds which bits. For elements of 16 and 32 bits a register has sixteen bits of row `g` below sixteen bits
//! of row `g + 8`, and lanes that follow have the next columns. For narrower elements a register has 32 bits of one row: lanes with an even place
//! of row `g`, with an odd one of row `g + 8`, and pairs of lanes that follow have the next columns. The selector says which lane or pair of lanes of
//! a group of four is asked where not all are.

use super::{Element, Register};

/// The k of every stored element, by rows.
pub(crate) type Positions = Vec<Vec<usize>>;

/// Elements of a chunk, stored and in all, and elements that an index stands for.
fn chunk(element: Element) -> (usize, usize, usize) {
    match element {
        Element::Tf32 => (1, 2, 1),
        Element::E2m1 | Element::S4 | Element::U4 => (4, 8, 2),
        Element::F16
        | Element::Bf16
        | Element::F64
        | Element::E4m3
        | Element::E5m2
        | Element::E3m2
        | Element::E2m3
        | Element::E2m1InByte
        | Element::S8
        | Element::U8
        | Element::Bits => (2, 4, 1),
    }
}

/// The k of the stored elements of a row whose chunks have these metadata, four bits each from the lowest on.
pub(crate) fn positions_of_row(element: Element, metadata: u64, stored: usize) -> Vec<usize> {
    let (kept, width, together) = chunk(element);
    (0..stored)
        .map(|index| {
            let bits = metadata.checked_shr((index / kept * 4) as u32).unwrap_or(0);
            let selected = (bits >> (index % kept / together * 2) & 3) as usize;
            // An index of a half of an element of 32 bits.
            let selected = if element == Element::Tf32 {
                selected / 2
            } else {
                selected
            };
            index / kept * width + selected * together + index % together
        })
        .collect()
}

/// The k of the stored elements of 16 rows, `stored` in each.
pub(crate) fn positions(element: Element, metadata: &Register, selector: u32, stored: usize) -> Positions {
    let (kept, _, _) = chunk(element);
    let bits = stored / kept.max(1) * 4;
    let word = |group: usize, place: usize| u64::from(metadata[(group * 4 + place) % metadata.len()]);
    let selector = selector as usize;
    (0..16)
        .map(|row| {
            let (group, half) = (row % 8, row / 8);
            let row_bits = if element.bits() >= 16 {
                let lanes = bits.div_ceil(16);
                (0..lanes).fold(0, |all, part| {
                    all | (word(group, selector * lanes + part) >> (16 * half) & 0xffff) << (16 * part)
                })
            } else {
                let pairs = bits.div_ceil(32);
                (0..pairs).fold(0, |all, part| {
                    all | word(group, (selector * pairs + part) * 2 + half) << (32 * part)
                })
            };
            positions_of_row(element, row_bits, stored)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{positions, positions_of_row};
    use crate::matrix::Element;

    #[test]
    fn indices_within_chunks() {
        // Elements 1 and 3 of the first chunk, 0 and 2 of the second.
        assert_eq!(positions_of_row(Element::F16, 0b1000_1101, 4), [1, 3, 4, 6]);
        // Pairs 0 and 2 of eight.
        assert_eq!(positions_of_row(Element::U4, 0b1000, 4), [0, 1, 4, 5]);
        // The manual's two values for 32 bits: 0b0100 the first, 0b1110 the second.
        assert_eq!(positions_of_row(Element::Tf32, 0b1110_0100, 2), [0, 3]);
    }

    #[test]
    fn one_lane_of_four_has_both_rows() {
        // m16n8k16 of f16, selector 2: lane 4 g + 2. Row 3 takes elements 2, 3 of its second chunk, row 11 elements 1, 2 of its first.
        let mut metadata = [0x4444_4444; 32];
        metadata[3 * 4 + 2] = 0x4449_44e4;
        let found = positions(Element::F16, &metadata, 2, 8);
        assert_eq!(found[3], [0, 1, 6, 7, 8, 9, 12, 13]);
        assert_eq!(found[11], [1, 2, 4, 5, 8, 9, 12, 13]);
    }

    #[test]
    fn two_lanes_of_four_share_columns() {
        // m16n8k32 of f16, selector 1: lanes 2 and 3 have columns 0–15 and 16–31.
        let mut metadata = [0x4444_4444; 32];
        metadata[5 * 4 + 3] = 0x444e_4444;
        let found = positions(Element::Bf16, &metadata, 1, 16);
        assert_eq!(found[13][8..10], [18, 19]);
        assert_eq!(found[5][8..10], [16, 17]);
    }

    #[test]
    fn bytes_have_a_row_in_a_lane() {
        // m16n8k64 of s8: lane 4 g + 3 has columns 32–63 of row g + 8.
        let mut metadata = [0x4444_4444; 32];
        metadata[4 * 4 + 3] = 0x4444_444e;
        metadata[4 * 4] = 0x4444_4449;
        let found = positions(Element::S8, &metadata, 0, 32);
        assert_eq!(found[12][16..18], [34, 35]);
        assert_eq!(found[4][..2], [1, 2]);
        // m16n8k32, selector 1: lanes 2 and 3.
        assert_eq!(positions(Element::S8, &metadata, 1, 16)[12][..2], [2, 3]);
    }
}
