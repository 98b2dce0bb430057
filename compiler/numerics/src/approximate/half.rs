//! The half-precision forms, within the documented bounds.

use super::tangent::tangent;
use crate::format::{BF16, F16, F32, Format};
use crate::round::{Overflow, Rounding, Unpacked, round, unpack};

/// A value of one format rounded to another.
fn convert(from: Format, to: Format, bits: u64) -> u64 {
    match unpack(from, bits) {
        Unpacked::Nan => to.nan().unwrap_or(0),
        Unpacked::Infinite { negative } => to.infinity().unwrap_or(0) | if negative { to.sign_bit() } else { 0 },
        Unpacked::Finite(value) => round(to, Rounding::NearestEven, Overflow::Infinity, value),
    }
}

/// `ex2.approx.f16`: the single-precision value rounded. The relative error is at most 2^-9.9; subnormal values count.
///
/// ```
/// use warpsmith_numerics::approximate::exponential_f16;
/// assert_eq!(exponential_f16(0x3800), 0x3da8); // √2
/// assert_eq!(exponential_f16(0xce00), 0x0001); // 2^-24
/// ```
pub fn exponential_f16(x: u16) -> u16 {
    let single = super::exponential(convert(F16, F32, u64::from(x)) as u32, false);
    convert(F32, F16, u64::from(single)) as u16
}

/// `ex2.approx.ftz.bf16`: the single-precision value rounded. The relative error is at most 2^-7; subnormal values become zeros.
pub fn exponential_bf16(x: u16) -> u16 {
    let single = super::exponential(u32::from(x) << 16, true);
    convert(F32, BF16, u64::from(single)) as u16
}

/// `tanh.approx.f16`. The absolute error is at most 2^-10.987.
pub fn tangent_f16(x: u16) -> u16 {
    tangent(&F16, u64::from(x)) as u16
}

/// `tanh.approx.bf16`. The absolute error is at most 2^-8.
pub fn tangent_bf16(x: u16) -> u16 {
    tangent(&BF16, u64::from(x)) as u16
}

/// A function of one half applied to both of a pair: the forms on `.f16x2` and `.bf16x2`.
///
/// ```
/// use warpsmith_numerics::approximate::{both, exponential_f16};
/// assert_eq!(both(exponential_f16, 0x3c00_0000), 0x4000_3c00); // 2^1 and 2^0
/// ```
pub fn both(function: impl Fn(u16) -> u16, pair: u32) -> u32 {
    u32::from(function((pair >> 16) as u16)) << 16 | u32::from(function(pair as u16))
}

#[cfg(test)]
mod tests {
    use super::{exponential_bf16, exponential_f16};

    #[test]
    fn special_values() {
        let f16 = [0xfc00, 0x8001, 0x8000, 0, 0x0001, 0x7c00, 0xfe00].map(exponential_f16);
        assert_eq!(f16, [0, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x7c00, 0x7fff]);
        let bf16 = [0xff80, 0x8001, 0x8000, 0, 0x0001, 0x7f80, 0xffc0].map(exponential_bf16);
        assert_eq!(bf16, [0, 0x3f80, 0x3f80, 0x3f80, 0x3f80, 0x7f80, 0x7fff]);
        assert_eq!(exponential_bf16(0xc2fd), 0, "2^-126.5 is subnormal");
    }
}
