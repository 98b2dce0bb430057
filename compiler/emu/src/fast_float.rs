//! Single-precision arithmetic on the host, where it gives what [`warpsmith_numerics`] gives: rounding to nearest, with or without `.ftz`.
//!
//! The host rounds sums and products as IEEE 754 says, so only NaN results (one here, several there) and, with `.ftz`, results near the
//! subnormal range need a second look. [`tests`] compares every function with `numerics`.
//!
//! [`Narrow`] are the formats of 16 bits, which f64 computes; those who use it compare with `numerics`.

use warpsmith_numerics::{
    float::{self, Modifiers},
    format,
};

/// What `.ftz` does.
const FLUSHING: Modifiers = Modifiers {
    rounding: warpsmith_numerics::round::Rounding::NearestEven,
    ftz: true,
    clamp: float::Clamp::None,
    oob: false,
};

#[inline(always)]
fn canonical(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// A subnormal value becomes the zero of its sign.
#[inline(always)]
pub(crate) fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    }
}

/// Whether a rounded result may have been rounded in the subnormal range: it is not zero and at most the smallest normal magnitude.
#[inline(always)]
fn is_near_subnormal(value: f32) -> bool {
    value.abs() <= f32::MIN_POSITIVE && value != 0.0
}

/// `add.rn.f32`
#[inline(always)]
pub(crate) fn add(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) + f32::from_bits(b))
}

/// `add.rn.ftz.f32`: sums in the subnormal range are exact.
#[inline(always)]
pub(crate) fn add_flushing(a: u32, b: u32) -> u32 {
    flush(add(flush(a), flush(b)))
}

/// `mul.rn.f32`
#[inline(always)]
pub(crate) fn multiply(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) * f32::from_bits(b))
}

/// `mul.rn.ftz.f32`
#[inline(always)]
pub(crate) fn multiply_flushing(a: u32, b: u32) -> u32 {
    let product = f32::from_bits(flush(a)) * f32::from_bits(flush(b));
    if is_near_subnormal(product) {
        return float::mul(format::F32, FLUSHING, u64::from(a), u64::from(b)) as u32;
    }
    canonical(product)
}

/// A fused product and sum by way of f64, where the product is exact and the sum is rounded once more. That second rounding changes the
/// result only if the first gave a value in the middle between two f32, or if the result is subnormal: `None` then.
#[inline(always)]
fn fused(a: u32, b: u32, c: u32) -> Option<f32> {
    let f = |bits: u32| f64::from(f32::from_bits(bits));
    let sum = f(a) * f(b) + f(c);
    let in_the_middle = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let small = sum.abs() <= f64::from(f32::MIN_POSITIVE) && sum != 0.0;
    (!in_the_middle && !small).then_some(sum as f32)
}

/// `fma.rn.f32`
#[inline(always)]
pub(crate) fn multiply_add(a: u32, b: u32, c: u32) -> u32 {
    match fused(a, b, c) {
        Some(value) => canonical(value),
        None => float::fma(
            format::F32,
            Modifiers::default(),
            u64::from(a),
            u64::from(b),
            u64::from(c),
        ) as u32,
    }
}

/// `fma.rn.ftz.f32`
#[inline(always)]
pub(crate) fn multiply_add_flushing(a: u32, b: u32, c: u32) -> u32 {
    match fused(flush(a), flush(b), flush(c)) {
        Some(value) => canonical(value),
        None => float::fma(format::F32, FLUSHING, u64::from(a), u64::from(b), u64::from(c)) as u32,
    }
}

/// Where a value stands in the order with −0 before +0; not for NaN.
#[inline(always)]
fn place(bits: u32) -> i32 {
    (bits ^ ((bits as i32 >> 31) as u32 >> 1)) as i32
}

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

/// `min.f32` and, with `largest`, `max.f32`.
#[inline(always)]
pub(crate) fn extreme(largest: bool, a: u32, b: u32) -> u32 {
    match (is_nan(a), is_nan(b)) {
        (true, true) => 0x7fff_ffff,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            if (place(a) < place(b)) != largest {
                a
            } else {
                b
            }
        }
    }
}

/// A format of 16 bits, whose numbers are computed with in f64: products, and sums of f16, are exact there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow {
    mantissa_bits: u32,
    bias: u64,
}

/// f16
pub(crate) const HALF: Narrow = Narrow {
    mantissa_bits: 10,
    bias: 15,
};
/// bf16
pub(crate) const BRAIN: Narrow = Narrow {
    mantissa_bits: 7,
    bias: 127,
};

impl Narrow {
    /// Whether it is f16.
    pub(crate) fn is_half(self) -> bool {
        self.bias == HALF.bias
    }

    /// The value of a number; infinities and NaN are out of their place.
    #[inline(always)]
    pub(crate) fn value(self, bits: u64) -> f64 {
        let magnitude = f64::from_bits((bits & 0x7fff) << (52 - self.mantissa_bits));
        let scaled = magnitude * f64::from_bits((2046 - self.bias) << 52);
        f64::from_bits(scaled.to_bits() | (bits & 0x8000) << 48)
    }

    /// Whether [`Narrow::value`] is not what an instruction sees.
    #[inline(always)]
    pub(crate) fn is_special(self, ftz: bool, bits: u64) -> bool {
        let ones = 0x7fff >> self.mantissa_bits;
        let exponent = bits >> self.mantissa_bits & ones;
        exponent == ones || ftz && exponent == 0
    }

    /// A value rounded to nearest, and whether that may be wrong. `exact`: the value has not been rounded before.
    #[inline(always)]
    pub(crate) fn round(self, value: f64, exact: bool) -> (u64, bool) {
        let shift = 52 - self.mantissa_bits;
        let bits = value.to_bits();
        let magnitude = bits & !(1 << 63);
        let half = 1_u64 << (shift - 1);
        let in_the_middle = magnitude & (2 * half - 1) == half;
        let rounded = (magnitude + (half - 1) + (magnitude >> shift & 1)) >> shift;
        let start = (1023 - self.bias) << self.mantissa_bits;
        let result = rounded.wrapping_sub(start);
        // Normal before rounding, and finite after it.
        let smallest = (1024 - self.bias) << 52;
        let infinity = 0x7fff >> self.mantissa_bits << self.mantissa_bits;
        let is_normal = magnitude >= smallest && result < infinity;
        let sign = bits >> 48 & 0x8000;
        let result = if magnitude == 0 { 0 } else { result & 0x7fff };
        (sign | result, !is_normal && magnitude != 0 || !exact && in_the_middle)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        FLUSHING, add, add_flushing, extreme, multiply, multiply_add, multiply_add_flushing, multiply_flushing,
    };
    use warpsmith_numerics::{
        float::{self, MinMax, Modifiers},
        format::F32,
    };

    /// Bits that are near every special case often.
    fn sample(state: &mut u64) -> u32 {
        *state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let bits = *state >> 7 ^ *state << 31;
        let mantissa = bits as u32 & if bits & 0x0300_0000 == 0 { 3 } else { 0x7f_ffff };
        let exponent = match bits >> 60 {
            0..6 => [0, 1, 127, 254, 255][(bits >> 40) as usize % 5],
            6..9 => 127 + (bits >> 40) as u32 % 64 - 32,
            // Products of these lie around the smallest normal value.
            9..12 => 64 + (bits >> 40) as u32 % 4 - 2,
            _ => (bits >> 40) as u32 & 0xff,
        };
        ((bits >> 59 & 1) as u32 * 0x8000_0000) | (exponent << 23) | mantissa
    }

    #[test]
    fn the_host_gives_what_numerics_gives() {
        let mut state = 1;
        for _ in 0..200_000 {
            let [a, b, c] = [(); 3].map(|()| sample(&mut state));
            let [x, y, z] = [a, b, c].map(u64::from);
            for (modifiers, found) in [
                (Modifiers::default(), [add(a, b), multiply(a, b), multiply_add(a, b, c)]),
                (
                    FLUSHING,
                    [
                        add_flushing(a, b),
                        multiply_flushing(a, b),
                        multiply_add_flushing(a, b, c),
                    ],
                ),
            ] {
                let exact = [
                    float::add(F32, modifiers, x, y),
                    float::mul(F32, modifiers, x, y),
                    float::fma(F32, modifiers, x, y, z),
                ];
                assert_eq!(found.map(u64::from), exact, "{a:x} {b:x} {c:x} {modifiers:?}");
            }
            let plain = MinMax::default();
            let exact = [float::min(F32, plain, x, y), float::max(F32, plain, x, y)];
            assert_eq!(
                [extreme(false, a, b), extreme(true, a, b)].map(u64::from),
                exact,
                "{a:x} {b:x}"
            );
        }
    }
}
