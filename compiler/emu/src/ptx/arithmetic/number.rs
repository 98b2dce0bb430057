//! Rust's integers as values of registers.

/// An integer that registers hold, zero-extended to 64 bits.
pub(crate) trait Number: Copy {
    /// From the low bits of a register.
    fn of(bits: u64) -> Self;
    /// As a register holds it.
    fn bits(self) -> u64;
    /// The upper half of the product.
    fn high(a: Self, b: Self) -> Self;
    /// The whole product, in a register of twice the width (at most 64 bits).
    fn wide(a: Self, b: Self) -> u64;
    /// A sum at twice the width.
    fn wide_sum(a: u64, b: u64) -> u64;
    /// All bits set.
    fn ones() -> Self;
    /// The absolute value; the smallest number stays.
    fn magnitude(self) -> Self;
}

macro_rules! number {
    ($type:ty, $unsigned:ty, $double:ty, $wide:ty, $magnitude:expr) => {
        impl Number for $type {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $type
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
            #[inline(always)]
            fn high(a: Self, b: Self) -> Self {
                ((a as $double * b as $double) >> <$type>::BITS) as $type
            }
            #[inline(always)]
            fn wide(a: Self, b: Self) -> u64 {
                (a as $double).wrapping_mul(b as $double) as $wide as u64
            }
            #[inline(always)]
            fn wide_sum(a: u64, b: u64) -> u64 {
                (a as $wide).wrapping_add(b as $wide) as u64
            }
            #[inline(always)]
            fn ones() -> Self {
                !0
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                let magnitude: fn($type) -> $type = $magnitude;
                magnitude(self)
            }
        }
    };
}

number!(u16, u16, u32, u32, |value| value);
number!(u32, u32, u64, u64, |value| value);
number!(u64, u64, u128, u64, |value| value);
number!(i16, u16, i32, u32, i16::wrapping_abs);
number!(i32, u32, i64, u64, i32::wrapping_abs);
number!(i64, u64, i128, u64, i64::wrapping_abs);
