//! Comparisons (`set`, `setp`, `slct`), their combination with a predicate, and `testp`.

use crate::format::{F32, Format};

/// A floating-point comparison. The unordered ones, written with a final `u`, hold if an operand is NaN, the ordered ones do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`
    Equal,
    /// `ne`: ordered, so false with a NaN.
    NotEqual,
    /// `lt`
    Less,
    /// `le`
    LessOrEqual,
    /// `gt`
    Greater,
    /// `ge`
    GreaterOrEqual,
    /// `equ`
    EqualOrUnordered,
    /// `neu`
    NotEqualOrUnordered,
    /// `ltu`
    LessOrUnordered,
    /// `leu`
    LessEqualOrUnordered,
    /// `gtu`
    GreaterOrUnordered,
    /// `geu`
    GreaterEqualOrUnordered,
    /// `num`: neither operand is NaN.
    Numbers,
    /// `nan`: an operand is NaN.
    Unordered,
}

/// Whether a comparison holds. Zeros of both signs are equal; with `ftz`, so are all subnormals and zero.
///
/// ```
/// use warpsmith_numerics::{float::{compare, Comparison}, format::F32};
/// assert!(compare(F32, Comparison::Equal, false, 0x8000_0000, 0));
/// assert!(!compare(F32, Comparison::NotEqual, false, 0x7fc0_0000, 0));
/// assert!(compare(F32, Comparison::NotEqualOrUnordered, false, 0x7fc0_0000, 0));
/// ```
#[inline]
pub fn compare(format: Format, comparison: Comparison, ftz: bool, a: u64, b: u64) -> bool {
    let ordered = !format.is_nan(a) && !format.is_nan(b);
    let [a, b] = [a, b].map(|bits| place(format, if ftz { format.flush(bits) } else { bits }));
    match comparison {
        Comparison::Equal => ordered && a == b,
        Comparison::NotEqual => ordered && a != b,
        Comparison::Less => ordered && a < b,
        Comparison::LessOrEqual => ordered && a <= b,
        Comparison::Greater => ordered && a > b,
        Comparison::GreaterOrEqual => ordered && a >= b,
        Comparison::EqualOrUnordered => !ordered || a == b,
        Comparison::NotEqualOrUnordered => !ordered || a != b,
        Comparison::LessOrUnordered => !ordered || a < b,
        Comparison::LessEqualOrUnordered => !ordered || a <= b,
        Comparison::GreaterOrUnordered => !ordered || a > b,
        Comparison::GreaterEqualOrUnordered => !ordered || a >= b,
        Comparison::Numbers => ordered,
        Comparison::Unordered => !ordered,
    }
}

/// Where a value other than NaN stands in the order; zeros of both signs have one place.
#[inline]
fn place(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & format.magnitude_mask()) as i64;
    if format.is_negative(bits) {
        -magnitude
    } else {
        magnitude
    }
}

/// How `set` and `setp` combine a comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
}

/// A comparison's outcome combined with a predicate.
#[inline]
pub const fn combine(operation: Combine, outcome: bool, predicate: bool) -> bool {
    match operation {
        Combine::And => outcome & predicate,
        Combine::Or => outcome | predicate,
        Combine::Xor => outcome ^ predicate,
    }
}

/// The two results of `setp`: the outcome and its complement, each combined with the predicate if there is one.
///
/// ```
/// use warpsmith_numerics::float::{setp, Combine};
/// assert_eq!(setp(true, None), (true, false));
/// assert_eq!(setp(true, Some((Combine::And, false))), (false, false));
/// ```
#[inline]
pub fn setp(outcome: bool, predicate: Option<(Combine, bool)>) -> (bool, bool) {
    match predicate {
        None => (outcome, !outcome),
        Some((operation, predicate)) => (
            combine(operation, outcome, predicate),
            combine(operation, !outcome, predicate),
        ),
    }
}

/// What `set` writes to an integer of `bits` bits: all ones for true.
#[inline]
pub const fn truth_integer(bits: u32, outcome: bool) -> u64 {
    if outcome { u64::MAX >> (64 - bits) } else { 0 }
}

/// What `set` writes to a floating-point destination: 1 for true.
#[inline]
pub const fn truth_float(format: Format, outcome: bool) -> u64 {
    if outcome { format.one() } else { 0 }
}

/// Whether `slct` with this f32 takes its first operand: if it is at least zero. −0 is, a NaN is not.
///
/// ```
/// use warpsmith_numerics::float::slct;
/// assert_eq!([0, 0x8000_0000, 0x8000_0001, 0x7fc0_0000].map(|c| slct(false, c)), [true, true, false, false]);
/// assert!(slct(true, 0x8000_0001));
/// ```
#[inline]
pub fn slct(ftz: bool, c: u64) -> bool {
    compare(F32, Comparison::GreaterOrEqual, ftz, c, 0)
}

/// A property that `testp` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `.finite`: neither infinite nor NaN.
    Finite,
    /// `.infinite`
    Infinite,
    /// `.number`: not NaN.
    Number,
    /// `.notanumber`
    NotANumber,
    /// `.normal`: finite and not subnormal; zeros count as normal.
    Normal,
    /// `.subnormal`
    Subnormal,
}

/// `testp`: whether a value has a property.
#[inline]
pub const fn test(format: Format, property: Property, bits: u64) -> bool {
    let (nan, infinite) = (format.is_nan(bits), format.is_infinite(bits));
    match property {
        Property::Finite => !nan && !infinite,
        Property::Infinite => infinite,
        Property::Number => !nan,
        Property::NotANumber => nan,
        Property::Normal => !nan && !infinite && !format.is_subnormal(bits),
        Property::Subnormal => format.is_subnormal(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::{Combine, Comparison, Property, compare, setp, test, truth_float, truth_integer};
    use crate::format::{BF16, F16, F32, F64};

    const ALL: [Comparison; 14] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::EqualOrUnordered,
        Comparison::NotEqualOrUnordered,
        Comparison::LessOrUnordered,
        Comparison::LessEqualOrUnordered,
        Comparison::GreaterOrUnordered,
        Comparison::GreaterEqualOrUnordered,
        Comparison::Numbers,
        Comparison::Unordered,
    ];

    /// The outcomes of all comparisons in the order above, one letter each.
    fn outcomes(a: u64, b: u64) -> String {
        ALL.iter()
            .map(|&c| if compare(F32, c, false, a, b) { 'T' } else { '-' })
            .collect()
    }

    #[test]
    fn truth_table() {
        let (minus_one, one, nan) = (0xbf80_0000, 0x3f80_0000, 0xffc0_0001);
        //                                eq ne lt le gt ge equ neu ltu leu gtu geu num nan
        assert_eq!(outcomes(minus_one, one), "-TTT---TTT--T-");
        assert_eq!(outcomes(one, minus_one), "-T--TT-T--TTT-");
        assert_eq!(outcomes(one, one), "T--T-TT--T-TT-");
        assert_eq!(outcomes(0, 0x8000_0000), "T--T-TT--T-TT-");
        assert_eq!(outcomes(nan, one), "------TTTTTT-T");
        assert_eq!(outcomes(nan, nan), "------TTTTTT-T");
    }

    #[test]
    fn infinities_and_subnormals() {
        assert!(compare(
            F64,
            Comparison::Less,
            false,
            0xfff0_0000_0000_0000,
            0xffef_ffff_ffff_ffff
        ));
        assert!(compare(F16, Comparison::Greater, false, 0x0001, 0x8001));
        assert!(compare(F16, Comparison::Equal, true, 0x0001, 0x8001));
    }

    #[test]
    fn second_predicate_is_combined_too() {
        assert_eq!(setp(false, Some((Combine::And, true))), (false, true));
        assert_eq!(setp(false, Some((Combine::Or, true))), (true, true));
        assert_eq!(setp(false, Some((Combine::Xor, true))), (true, false));
    }

    #[test]
    fn values_of_true() {
        assert_eq!(
            [
                truth_integer(16, true),
                truth_integer(32, true),
                truth_integer(32, false)
            ],
            [0xffff, 0xffff_ffff, 0]
        );
        assert_eq!(
            [truth_float(F32, true), truth_float(BF16, true), truth_float(F16, false)],
            [0x3f80_0000, 0x3f80, 0]
        );
    }

    #[test]
    fn properties() {
        let table = [0, 0x8000_0001, 0x3f80_0000, 0xff80_0000, 0x7f80_0001].map(|bits| {
            [
                Property::Finite,
                Property::Infinite,
                Property::Number,
                Property::NotANumber,
                Property::Normal,
                Property::Subnormal,
            ]
            .map(|property| u8::from(test(F32, property, bits)))
        });
        assert_eq!(
            table,
            [
                [1, 0, 1, 0, 1, 0],
                [1, 0, 1, 0, 0, 1],
                [1, 0, 1, 0, 1, 0],
                [0, 1, 1, 0, 0, 0],
                [0, 0, 0, 1, 0, 0]
            ]
        );
    }
}
