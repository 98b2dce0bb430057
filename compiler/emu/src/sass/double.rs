//! Double-precision operations, on register pairs.

use warpsmith_numerics::{
    float::{self, Modifiers},
    format::F64,
};

use super::{
    code::LANES,
    float::{Doublewords, modifiers, wide},
};

/// The host's results to nearest, unless they are NaN: of those the machine hands on payloads in its own way.
#[inline(always)]
fn plain(
    out: &mut Doublewords,
    [a, b, c]: [&Doublewords; 3],
    operation: impl Fn(f64, f64, f64) -> f64,
    exact: impl Fn(u64, u64, u64) -> u64,
) {
    let mut is_nan = false;
    for lane in 0..LANES {
        let [a, b, c] = [a[lane], b[lane], c[lane]].map(f64::from_bits);
        let value = operation(a, b, c);
        out[lane] = value.to_bits();
        is_nan |= value.is_nan();
    }
    if is_nan {
        for lane in 0..LANES {
            if f64::from_bits(out[lane]).is_nan() {
                out[lane] = exact(a[lane], b[lane], c[lane]);
            }
        }
    }
}

/// `DADD` to nearest.
pub(crate) fn add(out: &mut Doublewords, sources: [&Doublewords; 3], _: u32) {
    let exact = |a, b, _| float::add(F64, Modifiers::default(), a, b);
    plain(out, sources, |a, b, _| a + b, exact);
}

/// `DMUL` to nearest.
pub(crate) fn multiply(out: &mut Doublewords, sources: [&Doublewords; 3], _: u32) {
    let exact = |a, b, _| float::mul(F64, Modifiers::default(), a, b);
    plain(out, sources, |a, b, _| a * b, exact);
}

/// `DFMA` to nearest.
pub(crate) fn multiply_add(out: &mut Doublewords, sources: [&Doublewords; 3], _: u32) {
    let exact = |a, b, c| float::fma(F64, Modifiers::default(), a, b, c);
    plain(out, sources, f64::mul_add, exact);
}

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
