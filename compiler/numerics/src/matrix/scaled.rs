//! Dot products of four-bit operands with scales: `.kind::mxf4` and `.kind::mxf4nvf4`.

use super::block::{Term, Value, cut_to_f32, sum};
use crate::format::{E2M1, F32, Format, UE4M3, UE8M0};

/// Products whose sum is taken before anything is aligned.
const GROUP: usize = 16;
/// Fraction bits of the aligned terms.
const FRACTION_BITS: u32 = 35;
/// Fraction bits of a product of two four-bit values, both taken as multiples of a half.
const PRODUCT_FRACTION_BITS: u32 = 2;

/// How Blackwell computes a dot product of e2m1 operands with a scale per 16 or 32 of them.
///
/// Sixteen products are summed exactly; the sum is multiplied by the scales exactly and aligned by the scales' exponents alone. 64 products at
/// most are one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScaledDot {
    /// The format of the scales: ue8m0 or ue4m3.
    pub scale: Format,
    /// How many operands share a scale: 16 or 32.
    pub block: usize,
}

impl ScaledDot {
    /// `.kind::mxf4`.
    pub const MXF4: Self = Self {
        scale: UE8M0,
        block: 32,
    };
    /// `.kind::mxf4nvf4` with ue4m3 scales.
    pub const NVF4: Self = Self {
        scale: UE4M3,
        block: 16,
    };

    /// c plus the products, in the order of k. `scales` gives those of a and b for the block of operands with the given index.
    ///
    /// ```
    /// use warpsmith_numerics::matrix::ScaledDot;
    /// // 6 · 6 · 2 · 1 for each of 64 products
    /// let products = [(0x7, 0x7); 64].into_iter();
    /// let result = ScaledDot::MXF4.accumulate(products, |_| (0x80, 0x7f), 0x3f80_0000);
    /// assert_eq!(result, 0x4590_0800); // 4609
    /// ```
    pub fn accumulate(
        &self,
        products: impl Iterator<Item = (u64, u64)> + Clone,
        scales: impl Fn(usize) -> (u64, u64) + Clone,
        c: u64,
    ) -> u64 {
        let mut accumulator = c;
        let mut start = 0;
        let count = products.clone().count();
        while start < count || start == 0 {
            let groups = (start..count.min(start + 4 * GROUP)).step_by(GROUP).map(|first| {
                let (a, b) = scales(first / self.block.max(1));
                let group = products.clone().skip(first).take(GROUP);
                group_sum(group).times(Value::of(self.scale, a).times(Value::of(self.scale, b)))
            });
            let terms = groups.chain(core::iter::once(Value::of(F32, accumulator)));
            accumulator = sum(terms, FRACTION_BITS, |value| cut_to_f32(value, 23), F32);
            start += 4 * GROUP;
        }
        accumulator
    }
}

/// Twice the value of a four-bit operand.
fn twice(bits: u64) -> i64 {
    match Value::of(E2M1, bits) {
        Value::Finite(term) => {
            let magnitude = (term.significand << term.exponent.max(0)) as i64;
            if term.negative { -magnitude } else { magnitude }
        }
        Value::Nan | Value::Infinite { .. } => 0,
    }
}

/// The exact sum of products, with exponent 0.
fn group_sum(products: impl Iterator<Item = (u64, u64)>) -> Value {
    let total: i64 = products.map(|(a, b)| twice(a) * twice(b)).sum();
    Value::Finite(Term {
        negative: total < 0,
        significand: total.unsigned_abs(),
        fraction_bits: PRODUCT_FRACTION_BITS,
        exponent: 0,
    })
}
