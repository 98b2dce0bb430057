//! Double-precision operations, on register pairs.

use warpsmith_numerics::{
    float::{self, Modifiers},
    format::F64,
};

use super::{
    code::LANES,
    float::{Doublewords, modifiers, wide},
};

/// The host's result to nearest, unless it is a NaN: of those the machine hands on payloads in its own way.
#[inline(always)]
fn plain(value: f64, exact: impl Fn(Modifiers) -> u64) -> u64 {
    if value.is_nan() {
        exact(Modifiers::default())
    } else {
        value.to_bits()
    }
}

wide!(
    /// `DADD` to nearest.
    add, |a, b, _c, _p| plain(f64::from_bits(a) + f64::from_bits(b), |m| float::add(F64, m, a, b))
);
wide!(
    /// `DMUL` to nearest.
    multiply, |a, b, _c, _p| plain(f64::from_bits(a) * f64::from_bits(b), |m| float::mul(F64, m, a, b))
);
wide!(
    /// `DFMA` to nearest.
    multiply_add, |a, b, c, _p| plain(
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)),
        |m| float::fma(F64, m, a, b, c)
    )
);
wide!(
    /// `DADD` with any rounding.
    add_general, |a, b, _c, p| float::add(F64, modifiers(p), a, b)
);
wide!(
    /// `DMUL` with any rounding.
    multiply_general, |a, b, _c, p| float::mul(F64, modifiers(p), a, b)
);
wide!(
    /// `DFMA` with any rounding.
    multiply_add_general, |a, b, c, p| float::fma(F64, modifiers(p), a, b, c)
);

/// `DSETP.MIN` and, with `largest`, `DSETP.MAX`: the lanes in which the first operand is the minimum or maximum, and those in which both are
/// NaN.
///
/// From the sequence that ptxas 13.0 emits for `min.f64` and `max.f64` on every target: it selects by the first predicate, and where the
/// second holds it makes the upper word the second operand's with the quiet bit. One NaN operand must lose (the PTX manual), so the second
/// predicate means two.
pub(crate) fn extreme(largest: bool, a: &Doublewords, b: &Doublewords) -> [u32; 2] {
    let place = |bits: u64| (bits ^ ((bits as i64 >> 63) as u64 >> 1)) as i64;
    let mut result = [0; 2];
    for lane in 0..LANES {
        let (a, b) = (a[lane], b[lane]);
        let first = match (F64.is_nan(a), F64.is_nan(b)) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => (place(a) < place(b)) != largest && place(a) != place(b),
        };
        result[0] |= u32::from(first) << lane;
        result[1] |= u32::from(F64.is_nan(a) && F64.is_nan(b)) << lane;
    }
    result
}
