//! The weighted mean of texels.

use warpsmith_numerics::{
    format::F32,
    round::{Unpacked, unpack},
};

use super::{
    accumulate::Accumulator,
    format::{NAN, Value, nearest, nearest_ratio},
};

/// Texels with their weights, which together are 2^`shift`.
#[derive(Debug, Default)]
pub(super) struct Taps {
    pub(super) texels: Vec<(u64, [Value; 4])>,
    pub(super) shift: u32,
}

impl Value {
    /// The 32 bits that a fetch gives of it.
    pub(super) fn bits(self) -> u32 {
        match self {
            Value::Integer(bits) | Value::Float(bits) => bits,
            Value::Ratio(numerator, denominator) => nearest_ratio(numerator.into(), denominator, 0),
        }
    }
}

impl Taps {
    /// The mean of each channel.
    pub(super) fn blend(&self) -> [u32; 4] {
        std::array::from_fn(|channel| {
            let texels = self.texels.iter().filter(|(weight, _)| *weight != 0);
            let texels: Vec<(u64, Value)> = texels.map(|(weight, values)| (*weight, values[channel])).collect();
            mean(&texels, self.shift)
        })
    }
}

/// The mean of values, all of the same kind, with weights other than zero.
fn mean(texels: &[(u64, Value)], shift: u32) -> u32 {
    if let [(_, one)] = texels {
        return one.bits();
    }
    let mut sum = Accumulator::default();
    let (mut ratio, mut denominator) = (0, 1);
    let mut infinite = None;
    for &(weight, value) in texels {
        match value {
            // Integers are not filtered; textures that would are refused.
            Value::Integer(bits) => return bits,
            Value::Ratio(n, d) => {
                ratio += i128::from(n) * i128::from(weight);
                denominator = d;
            }
            Value::Float(bits) => match unpack(F32, bits.into()) {
                Unpacked::Nan => return NAN,
                Unpacked::Infinite { negative } if infinite == Some(!negative) => return NAN,
                Unpacked::Infinite { negative } => infinite = Some(negative),
                Unpacked::Finite(value) => sum.add(value, weight),
            },
        }
    }
    match (infinite, ratio) {
        (Some(negative), _) => {
            if negative {
                0xff80_0000
            } else {
                0x7f80_0000
            }
        }
        (None, 0) => nearest(sum.total(shift)),
        (None, ratio) => nearest_ratio(ratio, denominator, shift),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(u64, f32)], shift: u32) -> f32 {
        let texels: Vec<(u64, Value)> = values
            .iter()
            .map(|(weight, number)| (*weight, Value::Float(number.to_bits())))
            .collect();
        f32::from_bits(mean(&texels, shift))
    }

    #[test]
    fn means() {
        assert_eq!(of(&[(64, 1.0), (192, 2.0)], 8), 1.75);
        assert_eq!(of(&[(128, f32::INFINITY), (128, 1.0)], 8), f32::INFINITY);
        assert_eq!(of(&[(128, 1.0), (128, f32::NEG_INFINITY)], 8), f32::NEG_INFINITY);
        assert!(of(&[(128, f32::INFINITY), (128, f32::NEG_INFINITY)], 8).is_nan());
        assert!(of(&[(128, 1.0), (128, f32::NAN)], 8).is_nan());
        // (1 · 255 + 1 · 0) / 2 of 255ths.
        assert_eq!(
            mean(&[(128, Value::Ratio(255, 255)), (128, Value::Ratio(0, 255))], 8),
            0.5f32.to_bits()
        );
        assert_eq!(mean(&[(128, Value::Ratio(7, 127)), (128, Value::Ratio(-7, 127))], 8), 0);
    }
}
