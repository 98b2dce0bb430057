//! Sums, products, quotients and what is made of them.

use super::kind::{Integer, S32, U32};

/// Which part of a product a multiplication keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The low half, `.lo`.
    Low,
    /// The high half, `.hi`.
    High,
    /// All of it, `.wide`: the result and an addend have twice the width.
    Wide,
}

/// `add`; with `saturate`, `add.sat`.
///
/// ```
/// use warpsmith_numerics::integer::{add, S32};
/// assert_eq!(add(S32, 0x7fff_ffff, 1, false), 0x8000_0000);
/// assert_eq!(add(S32, 0x7fff_ffff, 1, true), 0x7fff_ffff);
/// ```
#[inline]
pub fn add(kind: Integer, a: u64, b: u64, saturate: bool) -> u64 {
    kind.fit(kind.value(a) + kind.value(b), saturate)
}

/// `sub`; with `saturate`, `sub.sat`.
#[inline]
pub fn subtract(kind: Integer, a: u64, b: u64, saturate: bool) -> u64 {
    kind.fit(kind.value(a) - kind.value(b), saturate)
}

/// The product of two values of one type as 128 bits of two's complement or, for unsigned types, of magnitude.
fn product(kind: Integer, a: u64, b: u64) -> u128 {
    kind.value(a).wrapping_mul(kind.value(b)) as u128
}

/// The part of a product as bits, of the type or, for [`Part::Wide`], of [`Integer::wide`].
fn part_of(kind: Integer, part: Part, product: u128) -> u64 {
    match part {
        Part::Low => product as u64 & kind.mask(),
        Part::High => (product >> kind.width) as u64 & kind.mask(),
        Part::Wide => product as u64 & kind.wide().mask(),
    }
}

/// `mul.lo`, `mul.hi`, `mul.wide`.
///
/// ```
/// use warpsmith_numerics::integer::{multiply, Part, S16, U32};
/// assert_eq!(multiply(U32, Part::High, 0xffff_ffff, 0xffff_ffff), 0xffff_fffe);
/// assert_eq!(multiply(S16, Part::Wide, 0xffff, 2), 0xffff_fffe);
/// ```
#[inline]
pub fn multiply(kind: Integer, part: Part, a: u64, b: u64) -> u64 {
    part_of(kind, part, product(kind, a, b))
}

/// The type of a multiplication's result and addend.
#[inline]
pub(super) const fn result_kind(kind: Integer, part: Part) -> Integer {
    match part {
        Part::Low | Part::High => kind,
        Part::Wide => kind.wide(),
    }
}

/// `mad.lo`, `mad.hi`, `mad.wide`; with `saturate`, `mad.hi.sat`, which clamps the sum of the high half and c.
///
/// ```
/// use warpsmith_numerics::integer::{multiply_add, Part, S32};
/// assert_eq!(multiply_add(S32, Part::High, 0x4000_0000, 8, 0x7fff_ffff, true), 0x7fff_ffff);
/// ```
#[inline]
pub fn multiply_add(kind: Integer, part: Part, a: u64, b: u64, c: u64, saturate: bool) -> u64 {
    add(result_kind(kind, part), multiply(kind, part, a, b), c, saturate)
}

/// The 48-bit product of the low 24 bits of two values.
fn product24(kind: Integer, a: u64, b: u64) -> i128 {
    let low = Integer { width: 24, ..kind };
    low.value(a) * low.value(b)
}

/// `mul24.lo` and `mul24.hi`: the low or the high 32 of 48 bits; [`Part::Wide`] counts as low. Bits of the operands above 24 are ignored, as
/// the machine instructions of the time did; the manual leaves them open.
///
/// ```
/// use warpsmith_numerics::integer::{multiply24, Part, U32};
/// assert_eq!(multiply24(U32, Part::High, 0xff_ffff, 0xff_ffff), 0xffff_fe00);
/// ```
#[inline]
pub fn multiply24(kind: Integer, part: Part, a: u64, b: u64) -> u64 {
    let product = product24(kind, a, b);
    kind.wrap(match part {
        Part::Low | Part::Wide => product,
        Part::High => product >> 16,
    })
}

/// `mad24.lo` and `mad24.hi`; with `saturate`, `mad24.hi.sat`.
#[inline]
pub fn multiply_add24(kind: Integer, part: Part, a: u64, b: u64, c: u64, saturate: bool) -> u64 {
    add(kind, multiply24(kind, part, a, b), c, saturate)
}

/// `sad`: c plus the absolute difference of a and b, modulo the width.
///
/// ```
/// use warpsmith_numerics::integer::{sum_of_absolute_difference, S32};
/// assert_eq!(sum_of_absolute_difference(S32, 0x8000_0000, 0x7fff_ffff, 2), 1);
/// ```
#[inline]
pub fn sum_of_absolute_difference(kind: Integer, a: u64, b: u64, c: u64) -> u64 {
    kind.wrap((kind.value(a) - kind.value(b)).abs() + kind.value(c))
}

/// `div`, toward zero.
///
/// The manual leaves a zero divisor open. The code that ptxas makes, inline or called, gives all ones for every width and sign, and so does its
/// constant folding. The smallest number divided by -1 is itself.
///
/// ```
/// use warpsmith_numerics::integer::{divide, S32, U16};
/// assert_eq!(divide(S32, 0xffff_fff9, 2), 0xffff_fffd); // -7 / 2
/// assert_eq!(divide(U16, 7, 0), 0xffff);
/// assert_eq!(divide(S32, 0x8000_0000, 0xffff_ffff), 0x8000_0000);
/// ```
#[inline]
pub fn divide(kind: Integer, a: u64, b: u64) -> u64 {
    let (dividend, divisor) = (kind.value(a), kind.value(b));
    match (divisor, kind.signed) {
        (0, _) => kind.mask(),
        (_, true) => (dividend as i64).wrapping_div(divisor as i64) as u64 & kind.mask(),
        (_, false) => dividend as u64 / divisor as u64,
    }
}

/// `rem`, with the sign of the dividend.
///
/// With a zero divisor it is all ones, on the same evidence as [`divide`].
///
/// ```
/// use warpsmith_numerics::integer::{remainder, S32};
/// assert_eq!(remainder(S32, 0xffff_fff9, 2), 0xffff_ffff); // -7 % 2
/// assert_eq!(remainder(S32, 7, 0), 0xffff_ffff);
/// ```
#[inline]
pub fn remainder(kind: Integer, a: u64, b: u64) -> u64 {
    let (dividend, divisor) = (kind.value(a), kind.value(b));
    match (divisor, kind.signed) {
        (0, _) => kind.mask(),
        (_, true) => (dividend as i64).wrapping_rem(divisor as i64) as u64 & kind.mask(),
        (_, false) => dividend as u64 % divisor as u64,
    }
}

/// `abs`: the smallest number is its own absolute value.
///
/// ```
/// use warpsmith_numerics::integer::{absolute, S16};
/// assert_eq!((absolute(S16, 0xffff), absolute(S16, 0x8000)), (1, 0x8000));
/// ```
#[inline]
pub fn absolute(kind: Integer, a: u64) -> u64 {
    kind.wrap(kind.value(a).abs())
}

/// `neg`: the smallest number is its own negation.
#[inline]
pub fn negate(kind: Integer, a: u64) -> u64 {
    kind.wrap(-kind.value(a))
}

/// `min`; with `relu`, negative results become 0.
///
/// ```
/// use warpsmith_numerics::integer::{minimum, S32, U32};
/// assert_eq!((minimum(U32, 1, 0xffff_ffff, false), minimum(S32, 1, 0xffff_ffff, false)), (1, 0xffff_ffff));
/// assert_eq!(minimum(S32, 1, 0xffff_ffff, true), 0);
/// ```
#[inline]
pub fn minimum(kind: Integer, a: u64, b: u64, relu: bool) -> u64 {
    clamp_negative(kind, kind.value(a).min(kind.value(b)), relu)
}

/// `max`; with `relu`, negative results become 0.
#[inline]
pub fn maximum(kind: Integer, a: u64, b: u64, relu: bool) -> u64 {
    clamp_negative(kind, kind.value(a).max(kind.value(b)), relu)
}

fn clamp_negative(kind: Integer, number: i128, relu: bool) -> u64 {
    kind.wrap(if relu { number.max(0) } else { number })
}

/// An operation of two halves applied to both of a pair: the forms on `.u16x2` and `.s16x2`.
///
/// ```
/// use warpsmith_numerics::integer::{add, minimum, pairwise, S16, U16};
/// assert_eq!(pairwise(|a, b| add(U16, a, b, false), 0x0001_ffff, 0x0001_0001), 0x0002_0000);
/// assert_eq!(pairwise(|a, b| minimum(S16, a, b, true), 0x0005_ffff, 0x0003_0007), 0x0003_0000);
/// ```
#[inline]
pub fn pairwise(operation: impl Fn(u64, u64) -> u64, a: u32, b: u32) -> u32 {
    let half = |shift: u32| operation(u64::from(a) >> shift & 0xffff, u64::from(b) >> shift & 0xffff) as u32 & 0xffff;
    half(16) << 16 | half(0)
}

/// An operation of two bytes applied to all four of a word: the forms on `.u8x4` and `.s8x4`.
///
/// ```
/// use warpsmith_numerics::integer::{add, bytewise, U8};
/// assert_eq!(bytewise(|a, b| add(U8, a, b, false), 0xff01_80fe, 0x0101_8001), 0x0002_00ff);
/// assert_eq!(bytewise(|a, b| add(U8, a, b, true), 0xff01_80fe, 0x0101_8001), 0xff02_ffff);
/// ```
#[inline]
pub fn bytewise(operation: impl Fn(u64, u64) -> u64, a: u32, b: u32) -> u32 {
    let byte = |shift: u32| operation(u64::from(a) >> shift & 0xff, u64::from(b) >> shift & 0xff) as u32 & 0xff;
    byte(24) << 24 | byte(16) << 16 | byte(8) << 8 | byte(0)
}

/// `clmad`: the low or the high half of the product of polynomials over the field of two elements, with a third value added;
/// [`Part::Wide`] counts as low.
///
/// ```
/// use warpsmith_numerics::integer::{carryless_multiply_add, Part};
/// assert_eq!(carryless_multiply_add(Part::Low, 0b101, 0b11, 1), 0b1110);
/// assert_eq!(carryless_multiply_add(Part::High, 1 << 63, 0b110, 0), 0b11);
/// ```
#[inline]
pub fn carryless_multiply_add(part: Part, a: u64, b: u64, c: u64) -> u64 {
    let ones = (0..64).filter(|bit| a >> bit & 1 == 1);
    let product = ones.fold(0, |sum, bit| sum ^ u128::from(b) << bit);
    let half = match part {
        Part::Low | Part::Wide => product,
        Part::High => product >> 64,
    };
    half as u64 ^ c
}

/// `.u32` if both are unsigned, else `.s32`: the type of a sum of products.
#[inline]
pub(crate) const fn common(a: Integer, b: Integer) -> Integer {
    if a.signed || b.signed { S32 } else { U32 }
}
