//! Sums of weighted floating-point numbers, exact whatever their magnitudes.

use warpsmith_numerics::round::Exact;

/// Words of a sum: 2^-149 to 2^128, 32 bits of weight and the carries of 2^16 terms.
const WORDS: usize = 6;

/// A magnitude in units of 2^-149.
type Magnitude = [u64; WORDS];

/// The sum of the positive and of the negative terms.
#[derive(Debug, Default)]
pub(super) struct Accumulator {
    positive: Magnitude,
    negative: Magnitude,
}

impl Accumulator {
    /// Adds a finite `f32` as `warpsmith_numerics::round::unpack` gives it, times a weight of at most 33 bits.
    pub(super) fn add(&mut self, value: Exact, weight: u64) {
        let target = if value.negative {
            &mut self.negative
        } else {
            &mut self.positive
        };
        let product = value.significand as u64 * weight;
        let place = (value.exponent + 149).max(0) as usize;
        let (word, shift) = (place / 64, place % 64);
        let mut carry = u128::from(product) << shift;
        for word in target.iter_mut().skip(word) {
            carry += u128::from(*word);
            *word = carry as u64;
            carry >>= 64;
        }
    }

    /// The sum divided by 2^`shift`. A sum of zero is positive.
    pub(super) fn total(&self, shift: u32) -> Exact {
        let negative = self.positive.iter().rev().lt(self.negative.iter().rev());
        let (large, small) = if negative {
            (&self.negative, &self.positive)
        } else {
            (&self.positive, &self.negative)
        };
        let mut difference = [0; WORDS];
        let mut borrow = false;
        for ((out, a), b) in difference.iter_mut().zip(large).zip(small) {
            let (part, first) = a.overflowing_sub(*b);
            let (part, second) = part.overflowing_sub(u64::from(borrow));
            *out = part;
            borrow = first || second;
        }
        // The two highest words that matter hold at least 65 bits; what is below only says that there is more.
        let top = difference.iter().rposition(|word| *word != 0).unwrap_or(0).max(1);
        let low = top - 1;
        let pair = difference.get(low..=top).map_or(0, |pair| match *pair {
            [low, high] => u128::from(high) << 64 | u128::from(low),
            _ => 0,
        });
        Exact {
            negative: negative && pair != 0,
            significand: pair,
            exponent: 64 * low as i32 - 149 - shift as i32,
            inexact: difference.iter().take(low).any(|word| *word != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Accumulator;
    use crate::texture::format::nearest;
    use warpsmith_numerics::{
        format::F32,
        round::{Unpacked, unpack},
    };

    fn sum(terms: &[(f32, u64)], shift: u32) -> f32 {
        let mut accumulator = Accumulator::default();
        for (number, weight) in terms {
            if let Unpacked::Finite(value) = unpack(F32, number.to_bits().into()) {
                accumulator.add(value, *weight);
            }
        }
        f32::from_bits(nearest(accumulator.total(shift)))
    }

    #[test]
    fn nothing_is_lost_between_far_terms() {
        assert_eq!(sum(&[(1.0, 1), (3.0, 3)], 2), 2.5);
        assert_eq!(
            sum(&[(f32::MAX, 1), (f32::from_bits(1), 1), (-f32::MAX, 1)], 0),
            f32::from_bits(1)
        );
        assert_eq!(sum(&[(-f32::MAX, 1 << 32)], 32), -f32::MAX);
        assert_eq!(sum(&[(1.0, 1), (-1.0, 1)], 0).to_bits(), 0);
        // Half a unit above one, and a little more: up.
        let tie = f32::from_bits(0x3380_0000);
        assert_eq!(sum(&[(1.0, 1), (tie, 1)], 0), 1.0);
        assert_eq!(
            sum(&[(1.0, 1), (tie, 1), (f32::from_bits(1), 1)], 0),
            1.0 + f32::EPSILON
        );
    }
}
