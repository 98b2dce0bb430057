//! Logic functions, shifts and the byte permutation.

use super::bits::Range;
use super::kind::Integer;

/// `cnot`: 1 for zero, else 0.
#[inline]
pub fn logical_not(kind: Integer, a: u64) -> u64 {
    u64::from(a & kind.mask() == 0)
}

/// `lop3`: the function of three bits with the truth table `table`, whose bit 4a + 2b + c is its value.
///
/// ```
/// use warpsmith_numerics::integer::lop3;
/// assert_eq!(lop3(0xff00, 0xf0f0, 0xcccc, 0xf0 & 0xcc | 0xaa), 0xff00 & 0xf0f0 | 0xcccc);
/// ```
#[inline]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let literal = |x: u32, positive: bool| if positive { x } else { !x };
    (0..8)
        .filter(|row| table >> row & 1 != 0)
        .map(|row| literal(a, row & 4 != 0) & literal(b, row & 2 != 0) & literal(c, row & 1 != 0))
        .fold(0, |terms, term| terms | term)
}

/// `shl`: amounts of the width and more give 0.
#[inline]
pub fn shift_left(kind: Integer, a: u64, amount: u32) -> u64 {
    a.checked_shl(amount).unwrap_or(0) & kind.mask()
}

/// `shr`: filled with the sign for signed types, else with zeros; amounts of the width and more leave only the fill.
///
/// ```
/// use warpsmith_numerics::integer::{shift_right, S16, U16};
/// assert_eq!((shift_right(S16, 0x8000, 15), shift_right(S16, 0x8000, 99), shift_right(U16, 0x8000, 99)), (0xffff, 0xffff, 0));
/// ```
#[inline]
pub fn shift_right(kind: Integer, a: u64, amount: u32) -> u64 {
    kind.wrap(kind.value(a) >> amount.min(kind.width))
}

/// The way a funnel shift goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `shf.l`: the high half of the result is kept.
    Left,
    /// `shf.r`: the low half is kept.
    Right,
}

/// `shf`: the 64 bits of `high` and `low` shifted by at most 32, or by the amount modulo 32.
///
/// ```
/// use warpsmith_numerics::integer::{funnel_shift, Direction, Range};
/// let (low, high) = (0x8765_4321, 0xfedc_ba98);
/// assert_eq!(funnel_shift(low, high, 8, Direction::Left, Range::Wrap), 0xdcba_9887);
/// assert_eq!(funnel_shift(low, high, 40, Direction::Right, Range::Clamp), high);
/// ```
#[inline]
pub fn funnel_shift(low: u32, high: u32, amount: u32, direction: Direction, range: Range) -> u32 {
    let amount = match range {
        Range::Clamp => amount.min(32),
        Range::Wrap => amount & 31,
    };
    let both = u64::from(high) << 32 | u64::from(low);
    match direction {
        Direction::Left => (both << amount >> 32) as u32,
        Direction::Right => (both >> amount) as u32,
    }
}

/// How `prmt` chooses bytes. The modes but the first use the low two bits of the control alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permutation {
    /// No mode: four bits of control for each byte, the highest of which replicates the sign of the byte chosen by the others.
    Generic,
    /// `.f4e`: four bytes upwards from the chosen one.
    ForwardExtract,
    /// `.b4e`: four bytes downwards from the chosen one, byte 7 below byte 0.
    BackwardExtract,
    /// `.rc8`: the chosen byte four times.
    ReplicateByte,
    /// `.ecl`: bytes 0 to 3, those below the chosen one replaced by it.
    EdgeClampLeft,
    /// `.ecr`: bytes 0 to 3, those above the chosen one replaced by it.
    EdgeClampRight,
    /// `.rc16`: the chosen half (by the lowest bit) twice.
    ReplicateHalf,
}

/// `prmt`: four of the eight bytes of b and a, where a has the bytes 0 to 3.
///
/// ```
/// use warpsmith_numerics::integer::{permute, Permutation};
/// let (a, b) = (0x8322_1100, 0x7766_5544);
/// assert_eq!(permute(a, b, 0x7b04, Permutation::Generic), 0x77ff_0044);
/// assert_eq!(permute(a, b, 2, Permutation::ForwardExtract), 0x5544_8322);
/// assert_eq!(permute(a, b, 1, Permutation::BackwardExtract), 0x6677_0011);
/// ```
#[inline]
pub fn permute(a: u32, b: u32, control: u32, mode: Permutation) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let chosen = control & 3;
    let select = |position: u32| -> u8 {
        let index = match mode {
            Permutation::Generic => {
                let nibble = control >> (4 * position);
                let byte = bytes[(nibble & 7) as usize];
                return if nibble & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 };
            }
            Permutation::ForwardExtract => chosen + position,
            Permutation::BackwardExtract => (chosen + 8 - position) & 7,
            Permutation::ReplicateByte => chosen,
            Permutation::EdgeClampLeft => position.max(chosen),
            Permutation::EdgeClampRight => position.min(chosen),
            Permutation::ReplicateHalf => (chosen & 1) * 2 + (position & 1),
        };
        bytes[index as usize]
    };
    u32::from_le_bytes([select(0), select(1), select(2), select(3)])
}
