//! What the special function unit computes: the machine instruction MUFU, one function of one 32-bit register.
//!
//! Subnormal operands count as zeros of their sign, subnormal results become zeros, and every NaN is 0x7fffffff. Sine and cosine take their
//! argument in revolutions, as machines from sm_70 on do.

use super::tables;
use super::unit::Interpolator;

/// The canonical NaN.
pub(super) const NAN: u32 = 0x7fff_ffff;
/// Positive infinity.
pub(super) const INFINITY: u32 = 0x7f80_0000;
/// One.
pub(super) const ONE: u32 = 0x3f80_0000;
/// The sign bit.
pub(super) const SIGN: u32 = 0x8000_0000;

/// A function of the special function unit on single precision.
///
/// Results are those of the silicon bit for bit, as far as a public model tells that was compared with it on all arguments (sm_50 to sm_75;
/// later machines are taken to have the same tables). Those of √x and tanh x are within the documented bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// 1/x.
    Reciprocal,
    /// 1/√x.
    ReciprocalSquareRoot,
    /// √x.
    SquareRoot,
    /// sin 2πx.
    Sine,
    /// cos 2πx.
    Cosine,
    /// 2^x.
    Exponential,
    /// log2 x.
    Logarithm,
    /// tanh x.
    Tangent,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 8] = [
        Self::Reciprocal,
        Self::ReciprocalSquareRoot,
        Self::SquareRoot,
        Self::Sine,
        Self::Cosine,
        Self::Exponential,
        Self::Logarithm,
        Self::Tangent,
    ];

    /// The function's value.
    ///
    /// ```
    /// use warpsmith_numerics::approximate::Function;
    /// assert_eq!(Function::Reciprocal.evaluate(0x4040_0000), 0x3eaa_aaab); // 1/3
    /// assert_eq!(Function::Logarithm.evaluate(0x4100_0000), 0x4040_0000); // log2 8 = 3
    /// assert_eq!(Function::SquareRoot.evaluate(0xbf80_0000), 0x7fff_ffff); // √-1
    /// ```
    pub fn evaluate(self, x: u32) -> u32 {
        match self {
            Self::Reciprocal => reciprocal(x),
            Self::ReciprocalSquareRoot => reciprocal_square_root(x),
            Self::SquareRoot => square_root(x),
            Self::Sine => sine(x),
            Self::Cosine => cosine(x),
            Self::Exponential => exponential(x),
            Self::Logarithm => logarithm(x),
            Self::Tangent => super::tangent::tangent(&crate::format::F32, u64::from(x)) as u32,
        }
    }
}

static RECIPROCAL: Interpolator = Interpolator {
    table: &tables::RECIPROCAL,
    index_bits: 7,
    alignment: [30, 17, 0],
    subtract: [true, false],
    weight: 56,
    rounding: 0x67e7 << 48,
    doubled_square: true,
};
static RECIPROCAL_SQUARE_ROOT: Interpolator = Interpolator {
    table: &tables::RECIPROCAL_SQUARE_ROOT,
    index_bits: 6,
    alignment: [31, 17, 0],
    subtract: [true, false],
    weight: 57,
    rounding: 0x7fff_8000 << 32,
    doubled_square: false,
};
static SQUARE_ROOT: Interpolator = Interpolator {
    table: &tables::SQUARE_ROOT,
    index_bits: 6,
    alignment: [33, 18, 0],
    subtract: [false, true],
    weight: 58,
    rounding: 0x7fff_8000 << 32,
    doubled_square: false,
};
static SINE: Interpolator = Interpolator {
    table: &tables::SINE,
    index_bits: 6,
    alignment: [31, 19, 0],
    subtract: [false, true],
    weight: 56,
    rounding: 0,
    doubled_square: false,
};
static EXPONENTIAL: Interpolator = Interpolator {
    table: &tables::EXPONENTIAL,
    index_bits: 6,
    alignment: [32, 19, 0],
    subtract: [false, false],
    weight: 57,
    rounding: 0x6fc4 << 48,
    doubled_square: false,
};
static LOGARITHM: Interpolator = Interpolator {
    table: &tables::LOGARITHM,
    index_bits: 6,
    alignment: [30, 18, 0],
    subtract: [false, true],
    weight: 56,
    rounding: 0x868b << 48,
    doubled_square: false,
};

/// An operand as the unit sees it.
enum Operand {
    Nan,
    Infinity,
    Zero,
    /// 1.`fraction` · 2^`exponent`.
    Normal {
        exponent: i32,
        fraction: u32,
    },
}

fn classify(x: u32) -> Operand {
    let fraction = x & 0x7f_ffff;
    match x >> 23 & 0xff {
        0xff if fraction != 0 => Operand::Nan,
        0xff => Operand::Infinity,
        0 => Operand::Zero,
        field => Operand::Normal {
            exponent: field as i32 - 127,
            fraction,
        },
    }
}

/// A normal result, an infinity where the exponent is too large, a zero where it is too small.
fn pack(sign: u32, exponent: i32, fraction: u32) -> u32 {
    match exponent {
        ..=-127 => sign,
        -126..=127 => sign | ((exponent + 127) as u32) << 23 | fraction,
        128.. => sign | INFINITY,
    }
}

/// The mantissa of 1/x for an x from 1 to 2, and the exponent of the result.
pub(super) fn reciprocal_mantissa(fraction: u32) -> (i32, u32) {
    let sum = RECIPROCAL.evaluate(0, fraction);
    if sum >> RECIPROCAL.weight == 0 {
        (-1, RECIPROCAL.fraction(sum << 1))
    } else {
        (0, RECIPROCAL.fraction(sum))
    }
}

fn reciprocal(x: u32) -> u32 {
    let sign = x & SIGN;
    match classify(x) {
        Operand::Nan => NAN,
        Operand::Infinity => sign,
        Operand::Zero => sign | INFINITY,
        Operand::Normal { exponent, fraction } => {
            let (result, mantissa) = reciprocal_mantissa(fraction);
            pack(sign, result - exponent, mantissa)
        }
    }
}

/// The mantissa of 1/√x for 1.`fraction`, or twice that where `odd`, and the exponent of the result.
pub(super) fn reciprocal_square_root_mantissa(odd: bool, fraction: u32) -> (i32, u32) {
    if !odd && fraction == 0 {
        return (0, 0);
    }
    let sum = RECIPROCAL_SQUARE_ROOT.evaluate(u32::from(odd), fraction);
    (-1, RECIPROCAL_SQUARE_ROOT.fraction(sum << 1))
}

fn reciprocal_square_root(x: u32) -> u32 {
    match classify(x) {
        Operand::Nan => NAN,
        Operand::Zero => x & SIGN | INFINITY,
        _ if x & SIGN != 0 => NAN,
        Operand::Infinity => 0,
        Operand::Normal { exponent, fraction } => {
            let (result, mantissa) = reciprocal_square_root_mantissa(exponent & 1 != 0, fraction);
            pack(0, result - (exponent >> 1), mantissa)
        }
    }
}

fn square_root(x: u32) -> u32 {
    match classify(x) {
        Operand::Nan => NAN,
        Operand::Zero => x & SIGN,
        _ if x & SIGN != 0 => NAN,
        Operand::Infinity => INFINITY,
        Operand::Normal { exponent, fraction } => {
            let sum = SQUARE_ROOT.evaluate((exponent & 1) as u32, fraction);
            // Just below 4 the sum may round up to 2.
            let carry = (sum >> (SQUARE_ROOT.weight + 1)) as i32;
            pack(0, (exponent >> 1) + carry, SQUARE_ROOT.fraction(sum))
        }
    }
}

/// The quadrant, modulo 4, and the 23-bit position in it of an angle in revolutions. `None` for NaN and infinity.
fn quadrant(x: u32) -> Option<(u32, u32)> {
    match classify(x) {
        Operand::Nan | Operand::Infinity => None,
        Operand::Zero => Some((0, 0)),
        Operand::Normal { exponent, fraction } => {
            let significand = u64::from(fraction | 0x80_0000);
            // In units of 2^-23 of a quarter of a revolution; what lies below is lost.
            let position = match exponent + 2 {
                shift @ 0..=24 => significand << shift,
                25.. => 0,
                shift => significand.checked_shr(shift.unsigned_abs()).unwrap_or(0),
            };
            Some(((position >> 23) as u32 & 3, position as u32 & 0x7f_ffff))
        }
    }
}

/// sin(π/2 · `position` · 2^-23) with a sign.
fn quarter_sine(sign: u32, position: u32) -> u32 {
    let sum = SINE.evaluate(0, position & 0x7f_ffff);
    if sum == 0 {
        return sign;
    }
    let leading = 63 - sum.leading_zeros();
    pack(
        sign,
        leading as i32 - SINE.weight as i32,
        SINE.fraction(sum << (SINE.weight - leading)),
    )
}

fn sine(x: u32) -> u32 {
    let Some((quadrant, position)) = quadrant(x) else {
        return NAN;
    };
    let sign = x & SIGN ^ (quadrant & 2) << 30;
    // The second half of each half wave runs backwards: from the complement, one unit short.
    quarter_sine(sign, if quadrant & 1 != 0 { !position } else { position })
}

fn cosine(x: u32) -> u32 {
    let Some((quadrant, position)) = quadrant(x) else {
        return NAN;
    };
    let sign = ((quadrant + 1) & 2) << 30;
    quarter_sine(sign, if quadrant & 1 == 0 { !position } else { position })
}

fn exponential(x: u32) -> u32 {
    let negative = x & SIGN != 0;
    let (exponent, fraction) = match classify(x) {
        Operand::Nan => return NAN,
        Operand::Infinity => return if negative { 0 } else { INFINITY },
        Operand::Zero => return ONE,
        Operand::Normal { exponent, fraction } => (exponent, fraction | 0x80_0000),
    };
    // The magnitude with 23 bits after the point; what lies below is lost.
    let magnitude = match exponent {
        0..=6 => fraction << exponent,
        7.. => return if negative { 0 } else { INFINITY },
        _ => fraction.checked_shr(exponent.unsigned_abs()).unwrap_or(0),
    };
    let (mut integer, mut position) = ((magnitude >> 23) as i32, magnitude & 0x7f_ffff);
    if negative {
        integer = -integer;
        if position != 0 {
            // The complement stands for the two's complement: the argument is one unit too small.
            position = !position & 0x7f_ffff;
            integer -= 1;
        }
    }
    pack(0, integer, EXPONENTIAL.fraction(EXPONENTIAL.evaluate(0, position)))
}

/// Bits at the end of the logarithm's sum that are not kept.
const LOGARITHM_TRUNCATION: u32 = 20;

fn logarithm(x: u32) -> u32 {
    let (exponent, fraction) = match classify(x) {
        Operand::Nan => return NAN,
        Operand::Zero => return SIGN | INFINITY,
        _ if x & SIGN != 0 => return NAN,
        Operand::Infinity => return INFINITY,
        Operand::Normal { exponent, fraction } => (exponent, fraction),
    };
    if (exponent, fraction) == (0, 0) {
        return 0;
    }
    let sum = i128::from(LOGARITHM.evaluate(0, fraction)) + (i128::from(exponent) << LOGARITHM.weight);
    let magnitude = sum.unsigned_abs() as u64 >> LOGARITHM_TRUNCATION << LOGARITHM_TRUNCATION;
    let sign = if exponent < 0 { SIGN } else { 0 };
    if magnitude == 0 {
        return sign;
    }
    let up = magnitude.leading_zeros() as i32 - (63 - LOGARITHM.weight as i32);
    let aligned = if up >= 0 {
        magnitude << up
    } else {
        magnitude >> up.unsigned_abs()
    };
    pack(sign, -up, LOGARITHM.fraction(aligned))
}

#[cfg(test)]
mod tests {
    use super::Function::{
        Cosine, Exponential, Logarithm, Reciprocal, ReciprocalSquareRoot, Sine, SquareRoot, Tangent,
    };

    const SPECIALS: [u32; 7] = [
        0xff80_0000, // -Inf
        0x8000_0001, // a negative subnormal
        0x8000_0000, // -0
        0x0000_0000, // +0
        0x007f_ffff, // a positive subnormal
        0x7f80_0000, // +Inf
        0xffc0_0001, // NaN
    ];

    #[test]
    fn special_values() {
        const N: u32 = 0x7fff_ffff;
        const INF: u32 = 0x7f80_0000;
        const MINF: u32 = 0xff80_0000;
        const ONE: u32 = 0x3f80_0000;
        const M0: u32 = 0x8000_0000;
        let at = |f: super::Function| SPECIALS.map(|x| f.evaluate(x));
        assert_eq!(at(Reciprocal), [M0, MINF, MINF, INF, INF, 0, N]);
        assert_eq!(at(ReciprocalSquareRoot), [N, MINF, MINF, INF, INF, 0, N]);
        assert_eq!(at(SquareRoot), [N, M0, M0, 0, 0, INF, N]);
        assert_eq!(at(Sine), [N, M0, M0, 0, 0, N, N]);
        assert_eq!(at(Cosine), [N, ONE, ONE, ONE, ONE, N, N]);
        assert_eq!(at(Exponential), [0, ONE, ONE, ONE, ONE, INF, N]);
        assert_eq!(at(Logarithm), [N, MINF, MINF, MINF, MINF, INF, N]);
        assert_eq!(
            at(Tangent),
            [0xbf80_0000, 0x8000_0001, M0, 0, 0x007f_ffff, 0x3f80_0000, N]
        );
    }

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in -126..=126i32 {
            let power = |e: i32| ((e + 127) as u32) << 23;
            assert_eq!(Reciprocal.evaluate(power(exponent)), power(-exponent));
            let even = exponent & !1;
            assert_eq!(SquareRoot.evaluate(power(even)), power(even / 2));
            assert_eq!(ReciprocalSquareRoot.evaluate(power(even)), power(-even / 2));
        }
    }

    #[test]
    fn reciprocal_flushes_what_is_below_the_normal_range() {
        assert_eq!(Reciprocal.evaluate(0x7e80_0000), 0x0080_0000); // 2^126
        assert_eq!(Reciprocal.evaluate(0x7e80_0001), 0);
        assert_eq!(Reciprocal.evaluate(0xff7f_ffff), 0x8000_0000);
    }

    #[test]
    fn exponential_leaves_the_range() {
        assert_eq!(Exponential.evaluate(0x42ff_ffff), 0x7f7f_ffa8); // just below 128
        assert_eq!(Exponential.evaluate(0x4300_0000), 0x7f80_0000);
        assert_eq!(Exponential.evaluate(0xc2fc_0000), 0x0080_0000); // -126
        assert_eq!(Exponential.evaluate(0xc2fc_0001), 0);
    }

    #[test]
    fn whole_and_far_revolutions() {
        assert_eq!(Sine.evaluate(0x3e80_0000), 0x3f80_0000); // a quarter
        assert_eq!(Sine.evaluate(0xbe80_0000), 0xbf80_0000);
        assert_eq!(Cosine.evaluate(0x3f00_0000), 0xbf80_0000); // a half
        assert_eq!(Cosine.evaluate(0x5000_0000), 0x3f80_0000); // 2^33
        assert_eq!(
            Sine.evaluate(0x3200_0000),
            0,
            "2^-27 revolutions are below the reduction's last bit"
        );
    }
}
