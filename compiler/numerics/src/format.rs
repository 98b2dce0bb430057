//! The floating-point formats of PTX, described by their widths and conventions.
//!
//! A value is its bits, zero-extended to `u64`. Every operation takes the [`Format`] as an argument; with a constant format the compiler folds
//! the description away.

/// What the encodings of the largest exponent field stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specials {
    /// As in IEEE 754: mantissa zero is infinity, every other mantissa a NaN.
    InfinityAndNan,
    /// Only the encoding of all ones is a NaN; the others are finite; there is no infinity.
    Nan,
    /// Every encoding is finite.
    None,
}

/// A binary floating-point format of at most 64 bits.
///
/// ```
/// use warpsmith_numerics::format::{E4M3, F16, TF32};
/// assert_eq!(F16.largest_finite(), 0x7bff); // 65504
/// assert_eq!(E4M3.largest_finite(), 0x7e); // 448
/// assert_eq!(TF32.width(), 32); // the ten mantissa bits stand above thirteen zeros
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// The name in PTX, as in `f16` or `e4m3`.
    pub name: &'static str,
    /// Width of the exponent field.
    pub exponent_bits: u32,
    /// Width of the mantissa field, without the hidden bit.
    pub mantissa_bits: u32,
    /// What is subtracted from the exponent field of a normal value.
    pub bias: i32,
    /// Whether there is a sign bit.
    pub signed: bool,
    /// Whether the smallest exponent field holds zero and subnormal values; without, it is one more normal exponent and there is no zero.
    pub has_zero: bool,
    /// Infinities and NaNs.
    pub specials: Specials,
    /// Bits below the mantissa in the stored form that are written as zero and ignored when read.
    pub padding: u32,
}

const fn ieee(name: &'static str, exponent_bits: u32, mantissa_bits: u32) -> Format {
    Format {
        name,
        exponent_bits,
        mantissa_bits,
        bias: (1 << (exponent_bits - 1)) - 1,
        signed: true,
        has_zero: true,
        specials: Specials::InfinityAndNan,
        padding: 0,
    }
}

/// IEEE half precision.
pub const F16: Format = ieee("f16", 5, 10);
/// The upper half of single precision.
pub const BF16: Format = ieee("bf16", 8, 7);
/// Single precision with ten mantissa bits, kept in the upper 19 bits of a 32-bit register.
pub const TF32: Format = Format {
    padding: 13,
    ..ieee("tf32", 8, 10)
};
/// IEEE single precision.
pub const F32: Format = ieee("f32", 8, 23);
/// IEEE double precision.
pub const F64: Format = ieee("f64", 11, 52);
/// Eight bits, four of exponent: no infinity, NaN is all ones below the sign.
pub const E4M3: Format = Format {
    specials: Specials::Nan,
    ..ieee("e4m3", 4, 3)
};
/// Eight bits, five of exponent, with IEEE infinities and NaNs.
pub const E5M2: Format = ieee("e5m2", 5, 2);
/// Six bits, three of exponent; every encoding is finite.
pub const E3M2: Format = Format {
    specials: Specials::None,
    ..ieee("e3m2", 3, 2)
};
/// Six bits, two of exponent; every encoding is finite.
pub const E2M3: Format = Format {
    specials: Specials::None,
    ..ieee("e2m3", 2, 3)
};
/// Four bits, two of exponent; every encoding is finite.
pub const E2M1: Format = Format {
    specials: Specials::None,
    ..ieee("e2m1", 2, 1)
};
/// A power of two from 2^-127 to 2^127 in eight bits; 0xff is NaN; no zero and no sign.
pub const UE8M0: Format = Format {
    signed: false,
    has_zero: false,
    specials: Specials::Nan,
    ..ieee("ue8m0", 8, 0)
};
/// E4M3 without its sign: seven bits in a byte, NaN is 0x7f.
pub const UE4M3: Format = Format {
    signed: false,
    specials: Specials::Nan,
    ..ieee("ue4m3", 4, 3)
};

/// All formats of this module.
pub const ALL: [Format; 12] = [F16, BF16, TF32, F32, F64, E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0, UE4M3];

impl Format {
    /// Bits from the lowest padding bit to the sign.
    #[inline]
    pub const fn width(self) -> u32 {
        self.sign_position() + self.signed as u32
    }

    /// All bits of an encoding set.
    #[inline]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }

    /// The sign bit alone, 0 if there is none.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        (self.signed as u64) << self.sign_position()
    }

    /// Exponent and mantissa fields set, sign and padding clear.
    #[inline]
    pub const fn magnitude_mask(self) -> u64 {
        ((1 << (self.exponent_bits + self.mantissa_bits)) - 1) << self.padding
    }

    /// The exponent of the smallest normal value.
    #[inline]
    pub const fn smallest_exponent(self) -> i32 {
        self.has_zero as i32 - self.bias
    }

    /// The encoding of the largest finite value.
    #[inline]
    pub const fn largest_finite(self) -> u64 {
        let all_ones = self.magnitude_mask() >> self.padding;
        let code = match self.specials {
            Specials::InfinityAndNan => all_ones - (1 << self.mantissa_bits),
            Specials::Nan => all_ones - 1,
            Specials::None => all_ones,
        };
        code << self.padding
    }

    /// The encoding of positive infinity, if the format has one.
    #[inline]
    pub const fn infinity(self) -> Option<u64> {
        match self.specials {
            Specials::InfinityAndNan => Some(((1 << self.exponent_bits) - 1) << (self.mantissa_bits + self.padding)),
            Specials::Nan | Specials::None => None,
        }
    }

    /// The positive NaN with every mantissa bit set, if the format has NaNs: 0x7fffffff for f32. It is the canonical NaN of every format but
    /// f64, whose operations make their own choice.
    #[inline]
    pub const fn nan(self) -> Option<u64> {
        match self.specials {
            Specials::InfinityAndNan | Specials::Nan => Some(self.magnitude_mask()),
            Specials::None => None,
        }
    }

    /// The encoding of 1.
    #[inline]
    pub const fn one(self) -> u64 {
        (self.bias as u64) << (self.mantissa_bits + self.padding)
    }

    /// Whether the bits are a NaN.
    #[inline]
    pub const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & self.magnitude_mask();
        match self.specials {
            Specials::InfinityAndNan => magnitude > self.largest_finite() + (1 << self.padding),
            Specials::Nan => magnitude == self.magnitude_mask(),
            Specials::None => false,
        }
    }

    /// Whether the bits are an infinity.
    #[inline]
    pub const fn is_infinite(self, bits: u64) -> bool {
        match self.infinity() {
            Some(infinity) => bits & self.magnitude_mask() == infinity,
            None => false,
        }
    }

    /// Whether the bits are a zero of either sign.
    #[inline]
    pub const fn is_zero(self, bits: u64) -> bool {
        self.has_zero && bits & self.magnitude_mask() == 0
    }

    /// Whether the bits are a value other than zero below the normal range.
    #[inline]
    pub const fn is_subnormal(self, bits: u64) -> bool {
        let code = (bits & self.magnitude_mask()) >> self.padding;
        self.has_zero && code != 0 && code >> self.mantissa_bits == 0
    }

    /// Whether the sign bit is set.
    #[inline]
    pub const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign_bit() != 0
    }

    /// A subnormal value replaced by the zero of its sign, everything else as it is: what `.ftz` does to operands.
    #[inline]
    pub const fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) {
            bits & self.sign_bit()
        } else {
            bits
        }
    }

    const fn sign_position(self) -> u32 {
        self.exponent_bits + self.mantissa_bits + self.padding
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, TF32, UE4M3, UE8M0};

    #[test]
    fn encodings_of_every_format() {
        let facts = ALL.map(|f| (f.name, f.width(), f.largest_finite(), f.infinity(), f.nan(), f.one()));
        assert_eq!(
            facts,
            [
                ("f16", 16, 0x7bff, Some(0x7c00), Some(0x7fff), 0x3c00),
                ("bf16", 16, 0x7f7f, Some(0x7f80), Some(0x7fff), 0x3f80),
                (
                    "tf32",
                    32,
                    0x7f7f_e000,
                    Some(0x7f80_0000),
                    Some(0x7fff_e000),
                    0x3f80_0000
                ),
                (
                    "f32",
                    32,
                    0x7f7f_ffff,
                    Some(0x7f80_0000),
                    Some(0x7fff_ffff),
                    0x3f80_0000
                ),
                (
                    "f64",
                    64,
                    0x7fef_ffff_ffff_ffff,
                    Some(0x7ff0_0000_0000_0000),
                    Some(0x7fff_ffff_ffff_ffff),
                    0x3ff0_0000_0000_0000
                ),
                ("e4m3", 8, 0x7e, None, Some(0x7f), 0x38),
                ("e5m2", 8, 0x7b, Some(0x7c), Some(0x7f), 0x3c),
                ("e3m2", 6, 0x1f, None, None, 0x0c),
                ("e2m3", 6, 0x1f, None, None, 0x08),
                ("e2m1", 4, 0x7, None, None, 0x2),
                ("ue8m0", 8, 0xfe, None, Some(0xff), 0x7f),
                ("ue4m3", 7, 0x7e, None, Some(0x7f), 0x38),
            ]
        );
    }

    #[test]
    fn classes_at_the_edges() {
        assert!(F16.is_nan(0x7c01) && !F16.is_nan(0x7c00) && F16.is_infinite(0xfc00));
        assert!(BF16.is_nan(0xffff) && F32.is_nan(0x7f80_0001) && F64.is_nan(0xfff8_0000_0000_0000));
        assert!(E4M3.is_nan(0xff) && !E4M3.is_nan(0x7e) && E5M2.is_nan(0x7d));
        assert!(!E3M2.is_nan(0x3f) && !E2M3.is_nan(0x3f) && !E2M1.is_nan(0xf));
        assert!(UE8M0.is_nan(0xff) && !UE8M0.is_zero(0) && !UE8M0.is_subnormal(0) && UE4M3.is_nan(0x7f));
        assert!(F32.is_subnormal(0x007f_ffff) && !F32.is_subnormal(0x0080_0000) && !F32.is_subnormal(0x8000_0000));
        assert!(TF32.is_zero(0x8000_1fff), "padding is ignored");
        assert!(!TF32.is_nan(0x7f80_1fff), "padding is ignored");
    }

    #[test]
    fn flushing_keeps_the_sign() {
        assert_eq!(F32.flush(0x8000_0001), 0x8000_0000);
        assert_eq!(F32.flush(0x8080_0000), 0x8080_0000);
    }
}
