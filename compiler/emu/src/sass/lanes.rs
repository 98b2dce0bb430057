//! What computes a word from words, lane by lane, with nothing else read or written.

use warpsmith_numerics::{
    dot,
    integer::{self, Direction, Permutation, Range},
};

use super::code::{LANES, Lanes};

/// Computes the result of all lanes from three words and a parameter that was fixed when the instruction was decoded.
pub(crate) type LanesFunction = fn(&mut Lanes, &Lanes, &Lanes, &Lanes, u32);

macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident, $c:ident, $p:ident| $value:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, $p: u32) {
            for lane in 0..LANES {
                let ($a, $b, $c) = (a[lane], b[lane], c[lane]);
                let _ = ($a, $b, $c);
                out[lane] = $value;
            }
        }
    };
}
pub(crate) use lanes;

lanes!(
    /// `MOV`: the first source.
    copy, |a, _b, _c, _p| a
);
lanes!(
    /// `IADD3`, and sums of two with a third that is zero.
    add, |a, b, c, _p| a.wrapping_add(b).wrapping_add(c)
);
lanes!(
    /// `IMAD`
    multiply_add, |a, b, c, _p| a.wrapping_mul(b).wrapping_add(c)
);
lanes!(minimum, |a, b, _c, _p| a.min(b));
lanes!(maximum, |a, b, _c, _p| a.max(b));
lanes!(minimum_signed, |a, b, _c, _p| (a as i32).min(b as i32) as u32);
lanes!(maximum_signed, |a, b, _c, _p| (a as i32).max(b as i32) as u32);
lanes!(
    /// `IABS`
    absolute, |a, _b, _c, _p| (a as i32).wrapping_abs() as u32
);
lanes!(
    /// `LEA`: the first shifted left by the parameter, and the second.
    shift_add, |a, b, _c, p| (a << (p & 31)).wrapping_add(b)
);
lanes!(
    /// `LEA.HI`: the high word of third:first shifted left by the parameter (1 to 31), and the second.
    shift_high_add, |a, b, c, p| (c << (p & 31) | a >> ((32 - p) & 31)).wrapping_add(b)
);
lanes!(
    /// `LEA.HI.SX32`: the same with the sign of the first in place of the third; the parameter is 1 to 31.
    shift_sign_add, |a, b, _c, p| ((a as i32 >> ((32 - p) & 31)) as u32).wrapping_add(b)
);
lanes!(ones, |a, _b, _c, _p| a.count_ones());
lanes!(reverse, |a, _b, _c, _p| a.reverse_bits());
lanes!(find, |a, _b, _c, _p| integer::find_bit(
    integer::U32,
    u64::from(a),
    false
));
lanes!(find_signed, |a, _b, _c, _p| integer::find_bit(
    integer::S32,
    u64::from(a),
    false
));
lanes!(find_shift, |a, _b, _c, _p| integer::find_bit(
    integer::U32,
    u64::from(a),
    true
));
lanes!(find_shift_signed, |a, _b, _c, _p| integer::find_bit(
    integer::S32,
    u64::from(a),
    true
));
lanes!(bit_mask, |a, b, _c, _p| integer::bit_mask(a, b, Range::Clamp));
lanes!(bit_mask_wrap, |a, b, _c, _p| integer::bit_mask(a, b, Range::Wrap));
lanes!(extend, |a, b, _c, _p| integer::extend(integer::U32, a, b, Range::Clamp));
lanes!(extend_wrap, |a, b, _c, _p| integer::extend(
    integer::U32,
    a,
    b,
    Range::Wrap
));
lanes!(extend_signed, |a, b, _c, _p| integer::extend(
    integer::S32,
    a,
    b,
    Range::Clamp
));
lanes!(extend_signed_wrap, |a, b, _c, _p| integer::extend(
    integer::S32,
    a,
    b,
    Range::Wrap
));
lanes!(
    /// `VABSDIFF.U32`
    difference_add, |a, b, c, _p| a.abs_diff(b).wrapping_add(c)
);
lanes!(
    /// `VABSDIFF`
    difference_add_signed, |a, b, c, _p| (a as i32).abs_diff(b as i32).wrapping_add(c)
);
lanes!(
    /// `IDP.4A`: bit 0 of the parameter says that the first is signed, bit 1 that the second is.
    dot4, |a, b, c, p| dot::dp4a(a, b, c, p & 1 != 0, p & 2 != 0)
);
lanes!(
    /// `IDP.2A`: as [`dot4`]; bit 2 takes the high bytes of the second.
    dot2, |a, b, c, p| dot::dp2a(a, b, c, p & 1 != 0, p & 2 != 0, p & 4 != 0)
);

// Permutations of bytes: the selector stands second in the text.
lanes!(permute, |a, b, c, _p| integer::permute(a, c, b, Permutation::Generic));
lanes!(permute_forward, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::ForwardExtract
));
lanes!(permute_backward, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::BackwardExtract
));
lanes!(permute_byte, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::ReplicateByte
));
lanes!(permute_left, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::EdgeClampLeft
));
lanes!(permute_right, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::EdgeClampRight
));
lanes!(permute_half, |a, b, c, _p| integer::permute(
    a,
    c,
    b,
    Permutation::ReplicateHalf
));

// Shifts of third:first by the parameter, 1 to 31.
lanes!(left_low, |a, _b, _c, p| a << (p & 31));
lanes!(left_high, |a, _b, c, p| c << (p & 31) | a >> ((32 - p) & 31));
lanes!(right_low, |a, _b, c, p| a >> (p & 31) | c << ((32 - p) & 31));
lanes!(right_high, |_a, _b, c, p| c >> (p & 31));
lanes!(right_high_signed, |_a, _b, c, p| (c as i32 >> (p & 31)) as u32);
// Funnel shifts by the second, which PTX has too.
lanes!(funnel_left_wrap, |a, b, c, _p| integer::funnel_shift(
    a,
    c,
    b,
    Direction::Left,
    Range::Wrap
));
lanes!(funnel_right_wrap, |a, b, c, _p| integer::funnel_shift(
    a,
    c,
    b,
    Direction::Right,
    Range::Wrap
));

/// How `SHF` shifts the 64 bits of third:first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) right: bool,
    /// Right shifts fill with the sign.
    pub(crate) signed: bool,
    /// The amount is at most 64, or taken modulo 64; else 32.
    pub(crate) wide: bool,
    /// The amount is taken modulo the width.
    pub(crate) wrap: bool,
    /// The high word is kept.
    pub(crate) high: bool,
}

impl Shift {
    /// As a parameter.
    pub(crate) fn bits(self) -> u32 {
        [self.right, self.signed, self.wide, self.wrap, self.high]
            .iter()
            .enumerate()
            .fold(0, |bits, (index, set)| bits | u32::from(*set) << index)
    }
}

/// `SHF` in general: the amount is the second word, the parameter [`Shift::bits`].
pub(crate) fn shift(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, parameter: u32) {
    let [right, signed, wide, wrap, high] = std::array::from_fn(|index| parameter >> index & 1 != 0);
    let width = if wide { 64 } else { 32 };
    for lane in 0..LANES {
        let amount = if wrap {
            b[lane] & (width - 1)
        } else {
            b[lane].min(width)
        };
        // Twice by half, since the amount may be the whole width.
        let (first, second) = (amount / 2, amount - amount / 2);
        let both = u64::from(c[lane]) << 32 | u64::from(a[lane]);
        let shifted = match (right, signed) {
            (false, _) => both << first << second,
            (true, false) => both >> first >> second,
            (true, true) => (both as i64 >> first >> second) as u64,
        };
        out[lane] = if high { (shifted >> 32) as u32 } else { shifted as u32 };
    }
}

/// `LOP3` in general: bit by bit, the bit of the truth table that the three bits select.
fn logic(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, table: u32) {
    let chosen: [u32; 8] = std::array::from_fn(|row| if table >> row & 1 != 0 { u32::MAX } else { 0 });
    for lane in 0..LANES {
        let (a, b, c) = (a[lane], b[lane], c[lane]);
        // A choice by c, of choices by b, of choices by a.
        let by_a = |low: usize| a & chosen[low + 4] | !a & chosen[low];
        let by_b = |low: usize| b & by_a(low + 2) | !b & by_a(low);
        out[lane] = c & by_b(1) | !c & by_b(0);
    }
}

macro_rules! tables {
    ($($table:literal => |$a:ident, $b:ident, $c:ident| $value:expr),* $(,)?) => {
        /// The function with this truth table; those that compilers use often are their own.
        pub(crate) fn logic_function(table: u8) -> LanesFunction {
            match table {
                $($table => {
                    lanes!(function, |$a, $b, $c, _p| $value);
                    function
                })*
                _ => logic,
            }
        }

        #[cfg(test)]
        const TABLES: &[u8] = &[$($table),*];
    };
}

tables! {
    0xc0 => |a, b, c| a & b,
    0xa0 => |a, b, c| a & c,
    0x88 => |a, b, c| b & c,
    0xfc => |a, b, c| a | b,
    0xfa => |a, b, c| a | c,
    0xee => |a, b, c| b | c,
    0x3c => |a, b, c| a ^ b,
    0x5a => |a, b, c| a ^ c,
    0x66 => |a, b, c| b ^ c,
    0x0f => |a, b, c| !a,
    0x33 => |a, b, c| !b,
    0x55 => |a, b, c| !c,
    0xf0 => |a, b, c| a,
    0xcc => |a, b, c| b,
    0xaa => |a, b, c| c,
    0x30 => |a, b, c| a & !b,
    0x0c => |a, b, c| b & !a,
    0x80 => |a, b, c| a & b & c,
    0xfe => |a, b, c| a | b | c,
    0x96 => |a, b, c| a ^ b ^ c,
    0xf8 => |a, b, c| a | b & c,
    0xea => |a, b, c| c | a & b,
    0xec => |a, b, c| b | a & c,
    0xe0 => |a, b, c| a & (b | c),
    0xa8 => |a, b, c| c & (a | b),
    0xc8 => |a, b, c| b & (a | c),
    0x78 => |a, b, c| a ^ b & c,
    0x6a => |a, b, c| c ^ a & b,
    0x48 => |a, b, c| b & (a ^ c),
    0xe8 => |a, b, c| a & b | a & c | b & c,
    0xca => |a, b, c| a & b | !a & c,
    0xac => |a, b, c| a & c | !a & b,
    0xe2 => |a, b, c| b & a | !b & c,
    0xb8 => |a, b, c| b & c | !b & a,
    0xe4 => |a, b, c| c & a | !c & b,
    0xd8 => |a, b, c| c & b | !c & a,
    0xb4 => |a, b, c| a ^ (b & !c),
    0x06 => |a, b, c| !a & (b ^ c),
    0x90 => |a, b, c| a & !(b ^ c),
}

/// The elements of a packed word, or the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// Bits of an element.
    pub(crate) width: u32,
    pub(crate) signed: bool,
}

/// `VIADD` of packed or saturating numbers: bits of the parameter as [`packed_add_parameter`] sets them.
pub(crate) fn packed_add(out: &mut Lanes, a: &Lanes, b: &Lanes, _c: &Lanes, parameter: u32) {
    let kind = integer::Integer {
        width: (parameter & 0xff).clamp(8, 32),
        signed: parameter >> 8 & 1 != 0,
    };
    let [saturate, negate_a, negate_b] = std::array::from_fn(|index| parameter >> (9 + index) & 1 != 0);
    let sign = |negate: bool| if negate { -1_i128 } else { 1 };
    for lane in 0..LANES {
        out[lane] = (0..32).step_by(kind.width as usize).fold(0, |word, shift| {
            let element = |value: u32| kind.value(u64::from(value) >> shift);
            let sum = sign(negate_a) * element(a[lane]) + sign(negate_b) * element(b[lane]);
            word | (kind.fit(sum, saturate) as u32) << shift
        });
    }
}

/// The parameter of [`packed_add`].
pub(crate) fn packed_add_parameter(elements: Elements, saturate: bool, negate: [bool; 2]) -> u32 {
    elements.width
        | u32::from(elements.signed) << 8
        | u32::from(saturate) << 9
        | u32::from(negate[0]) << 10
        | u32::from(negate[1]) << 11
}

/// What [`extreme`] does with its three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// The extreme of two.
    Two,
    /// The extreme of three.
    Three,
    /// The extreme of the sum of the first two, modulo the width, and the third.
    Sum,
}

/// The parameter of [`extreme`].
pub(crate) fn extreme_parameter(elements: Elements, operands: Operands, maximum: bool, relu: bool) -> u32 {
    elements.width
        | u32::from(elements.signed) << 8
        | u32::from(maximum) << 9
        | u32::from(relu) << 10
        | u32::from(operands == Operands::Three) << 11
        | u32::from(operands == Operands::Sum) << 12
}

/// `VIMNMX`, `VIMNMX3`, `VIADDMNMX` in general: bits of the parameter as [`extreme_parameter`] sets them.
pub(crate) fn extreme(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, parameter: u32) {
    let kind = integer::Integer {
        width: (parameter & 0xff).clamp(8, 32),
        signed: parameter >> 8 & 1 != 0,
    };
    let [maximum, relu, three, sum] = std::array::from_fn(|index| parameter >> (9 + index) & 1 != 0);
    let choose = |a: u64, b: u64| {
        if maximum {
            integer::maximum(kind, a, b, relu)
        } else {
            integer::minimum(kind, a, b, relu)
        }
    };
    for lane in 0..LANES {
        out[lane] = (0..32).step_by(kind.width as usize).fold(0, |word, shift| {
            let element = |value: u32| u64::from(value) >> shift & kind.mask();
            let (a, b, c) = (element(a[lane]), element(b[lane]), element(c[lane]));
            let chosen = match (sum, three) {
                (true, _) => choose(integer::add(kind, a, b, false), c),
                (false, true) => choose(choose(a, b), c),
                (false, false) => choose(a, b),
            };
            word | (chosen as u32) << shift
        });
    }
}

/// `VABSDIFF4`: differences of bytes; bit 0 of the parameter: signed, bit 1 (`.ACC`): their sum and the third word.
pub(crate) fn byte_differences(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, parameter: u32) {
    let kind = if parameter & 1 != 0 { integer::S8 } else { integer::U8 };
    for lane in 0..LANES {
        let difference = |shift: u32| {
            let element = |value: u32| kind.value(u64::from(value) >> shift);
            (element(a[lane]) - element(b[lane])).unsigned_abs() as u32
        };
        let all = [0, 8, 16, 24].map(|shift| (shift, difference(shift)));
        out[lane] = if parameter & 2 != 0 {
            all.iter()
                .fold(c[lane], |sum, (_, difference)| sum.wrapping_add(*difference))
        } else {
            all.iter()
                .fold(0, |word, (shift, difference)| word | difference << shift)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logic_functions_have_their_tables() {
        let (a, b, c) = ([0xf0; LANES], [0xcc; LANES], [0xaa; LANES]);
        for table in 0..=u8::MAX {
            let mut out = [0; LANES];
            logic_function(table)(&mut out, &a, &b, &c, u32::from(table));
            assert_eq!(out[0] & 0xff, u32::from(table), "{table:#04x}");
        }
        assert!(TABLES.len() > 30);
    }

    #[test]
    fn constant_shifts_agree_with_the_general_one() {
        let (a, c) = ([0x8765_4321; LANES], [0xfedc_ba98; LANES]);
        let cases: [(LanesFunction, Shift); 5] = [
            (left_low, Shift::default()),
            (
                left_high,
                Shift {
                    high: true,
                    ..Shift::default()
                },
            ),
            (
                right_low,
                Shift {
                    right: true,
                    ..Shift::default()
                },
            ),
            (
                right_high,
                Shift {
                    right: true,
                    high: true,
                    ..Shift::default()
                },
            ),
            (
                right_high_signed,
                Shift {
                    right: true,
                    high: true,
                    signed: true,
                    ..Shift::default()
                },
            ),
        ];
        for (function, general) in cases {
            for amount in 1..32 {
                let (mut fast, mut slow) = ([0; LANES], [0; LANES]);
                function(&mut fast, &a, &[0; LANES], &c, amount);
                shift(&mut slow, &a, &[amount; LANES], &c, general.bits());
                assert_eq!(fast, slow, "{general:?} by {amount}");
            }
        }
    }
}
