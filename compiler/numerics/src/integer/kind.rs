//! Integer types and how bits stand for numbers.

/// An integer type. Values are bits zero-extended to `u64`; bits above the width are ignored in operands and zero in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    /// Bits, from 1 to 64.
    pub width: u32,
    /// Whether the bits are two's complement.
    pub signed: bool,
}

/// Unsigned byte.
pub const U8: Integer = Integer::unsigned(8);
/// Signed byte.
pub const S8: Integer = Integer::signed(8);
/// `.u16`, and `.b16` where the sign does not matter.
pub const U16: Integer = Integer::unsigned(16);
/// `.s16`.
pub const S16: Integer = Integer::signed(16);
/// `.u32`, and `.b32`.
pub const U32: Integer = Integer::unsigned(32);
/// `.s32`.
pub const S32: Integer = Integer::signed(32);
/// `.u64`, and `.b64`.
pub const U64: Integer = Integer::unsigned(64);
/// `.s64`.
pub const S64: Integer = Integer::signed(64);

impl Integer {
    /// The unsigned type of a width.
    #[inline]
    pub const fn unsigned(width: u32) -> Self {
        Self { width, signed: false }
    }

    /// The signed type of a width.
    #[inline]
    pub const fn signed(width: u32) -> Self {
        Self { width, signed: true }
    }

    /// The type of twice the width, at most 64 bits.
    #[inline]
    pub const fn wide(self) -> Self {
        let width = if self.width > 32 { 64 } else { 2 * self.width };
        Self { width, ..self }
    }

    /// All bits of the type set.
    #[inline]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The number that bits stand for.
    ///
    /// ```
    /// use warpsmith_numerics::integer::{S8, U8};
    /// assert_eq!((S8.value(0x80), U8.value(0x180)), (-128, 128));
    /// ```
    #[inline]
    pub const fn value(self, bits: u64) -> i128 {
        let bits = bits & self.mask();
        if self.signed {
            let unused = 64 - self.width;
            ((bits << unused) as i64 >> unused) as i128
        } else {
            bits as i128
        }
    }

    /// The bits of a number modulo two to the power of the width.
    #[inline]
    pub const fn wrap(self, number: i128) -> u64 {
        number as u64 & self.mask()
    }

    /// The smallest number of the type.
    #[inline]
    pub const fn least(self) -> i128 {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    /// The largest number of the type.
    #[inline]
    pub const fn greatest(self) -> i128 {
        (1 << (self.width - self.signed as u32)) - 1
    }

    /// The bits of the nearest number of the type: what `.sat` does.
    ///
    /// ```
    /// use warpsmith_numerics::integer::{S16, U16};
    /// assert_eq!((S16.saturate(40_000), U16.saturate(-3)), (0x7fff, 0));
    /// ```
    #[inline]
    pub fn saturate(self, number: i128) -> u64 {
        self.wrap(number.clamp(self.least(), self.greatest()))
    }

    /// The bits of a number, brought into range by saturation or by dropping the bits above.
    #[inline]
    pub fn fit(self, number: i128, saturate: bool) -> u64 {
        if saturate {
            self.saturate(number)
        } else {
            self.wrap(number)
        }
    }
}
