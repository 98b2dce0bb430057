//! What a texel's bits stand for.

use warpsmith_numerics::{
    convert::{Modifiers, float_to_float},
    exact::{product, quotient},
    format::{F16, F32},
    round::{Exact, Overflow, Rounding, Unpacked, round, round_to_integer, unpack},
};

use super::srgb::LINEAR;
use crate::{Fault, FaultKind};

/// How the bits of a channel are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// An integer without sign; fetches extend it with zeros.
    Unsigned,
    /// An integer with sign; fetches extend the sign.
    Signed,
    /// An integer n without sign of b bits that stands for n / (2^b - 1).
    UnsignedNormalised,
    /// An integer n with sign of b bits that stands for n / (2^(b-1) - 1), but at least -1.
    SignedNormalised,
    /// `f16` or `f32`.
    Float,
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// How each channel is read.
    pub kind: ChannelKind,
    /// Bits of a channel: 8, 16 or 32; floating point has 16 or 32, normalised integers 8 or 16.
    pub bits: u32,
    /// Channels: 1 (R), 2 (RG) or 4 (RGBA).
    pub channels: u32,
}

/// The value of a channel before filtering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer, extended to 32 bits.
    Integer(u32),
    /// The bits of an `f32`.
    Float(u32),
    /// A normalised integer: numerator and denominator.
    Ratio(i32, i32),
}

/// The bits of 1.0.
pub(super) const ONE: u32 = 0x3f80_0000;
/// The NaN that operations give.
pub(super) const NAN: u32 = 0x7fff_ffff;

/// Rounds to the nearest `f32`.
pub(super) fn nearest(value: Exact) -> u32 {
    round(F32, Rounding::NearestEven, Overflow::Infinity, value) as u32
}

/// The `f32` nearest to `numerator` / (`denominator` · 2^`shift`).
pub(super) fn nearest_ratio(numerator: i128, denominator: i32, shift: u32) -> u32 {
    if numerator == 0 || denominator == 0 {
        return 0;
    }
    let magnitude = numerator.unsigned_abs();
    let numerator = Exact::integer(numerator < 0, magnitude);
    let denominator = Exact::integer(false, u128::from(denominator.unsigned_abs()));
    let value = quotient(numerator, denominator, F32.mantissa_bits);
    nearest(Exact {
        exponent: value.exponent - shift as i32,
        ..value
    })
}

impl Format {
    /// A format; what no texture has is refused.
    ///
    /// # Errors
    /// Channels other than 1, 2 or 4, or bits that the kind does not have.
    pub fn new(kind: ChannelKind, bits: u32, channels: u32) -> Result<Format, Fault> {
        let widths: &[u32] = match kind {
            ChannelKind::Unsigned | ChannelKind::Signed => &[8, 16, 32],
            ChannelKind::UnsignedNormalised | ChannelKind::SignedNormalised => &[8, 16],
            ChannelKind::Float => &[16, 32],
        };
        if !widths.contains(&bits) || ![1, 2, 4].contains(&channels) {
            return Err(Fault::new(
                FaultKind::Launch,
                format!("there is no texel format of {channels} channels of {bits} bits of this kind"),
            ));
        }
        Ok(Format { kind, bits, channels })
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> u64 {
        u64::from(self.bits / 8 * self.channels)
    }

    /// Whether fetches give integers: these cannot be filtered.
    pub fn is_integer(self) -> bool {
        matches!(self.kind, ChannelKind::Unsigned | ChannelKind::Signed)
    }

    /// The largest magnitude of a normalised integer.
    fn full_scale(self) -> i32 {
        match self.kind {
            ChannelKind::SignedNormalised => (1 << (self.bits - 1)) - 1,
            _ => (1 << self.bits) - 1,
        }
    }

    /// What a channel that the format lacks reads as: the fourth is one, the others zero.
    fn absent(self, channel: usize) -> Value {
        let one = channel == 3;
        match self.kind {
            ChannelKind::Unsigned | ChannelKind::Signed => Value::Integer(u32::from(one)),
            _ => Value::Float(if one { ONE } else { 0 }),
        }
    }

    /// The channels of a texel, R G B A.
    pub(super) fn decode(self, texel: &[u8], srgb: bool) -> [Value; 4] {
        let width = (self.bits / 8) as usize;
        std::array::from_fn(|channel| {
            if channel >= self.channels as usize {
                return self.absent(channel);
            }
            let bytes = texel.iter().skip(channel * width).take(width);
            let bits = bytes
                .enumerate()
                .fold(0, |bits, (place, byte)| bits | u32::from(*byte) << (8 * place));
            self.channel(bits, srgb && channel < 3)
        })
    }

    fn channel(self, bits: u32, srgb: bool) -> Value {
        let unused = 32 - self.bits;
        let signed = (bits << unused) as i32 >> unused;
        match self.kind {
            ChannelKind::Unsigned => Value::Integer(bits),
            ChannelKind::Signed => Value::Integer(signed as u32),
            ChannelKind::UnsignedNormalised if srgb && self.bits == 8 => Value::Float(LINEAR[(bits & 0xff) as usize]),
            ChannelKind::UnsignedNormalised => Value::Ratio(bits as i32, self.full_scale()),
            ChannelKind::SignedNormalised => Value::Ratio(signed.max(-self.full_scale()), self.full_scale()),
            ChannelKind::Float if self.bits == 16 => {
                Value::Float(float_to_float(F16, F32, Modifiers::default(), u64::from(bits)) as u32)
            }
            ChannelKind::Float => Value::Float(bits),
        }
    }

    /// The bytes of a texel of these values: bits of `f32`, `u32` or `s32` as the format's kind wants. What the format cannot hold becomes the
    /// nearest that it can; not-a-number becomes zero in a normalised integer.
    pub(super) fn encode(self, values: [u32; 4]) -> Vec<u8> {
        let width = (self.bits / 8) as usize;
        let channels = values.iter().take(self.channels as usize);
        channels
            .flat_map(|value| self.packed(*value).to_le_bytes().into_iter().take(width))
            .collect()
    }

    fn packed(self, value: u32) -> u32 {
        let low = -(1i64 << (self.bits - 1));
        match self.kind {
            ChannelKind::Unsigned => u64::from(value).min((1 << self.bits) - 1) as u32,
            ChannelKind::Signed => i64::from(value as i32).clamp(low, -low - 1) as u32,
            ChannelKind::UnsignedNormalised => self.normalised(value, 0) as u32,
            ChannelKind::SignedNormalised => self.normalised(value, -self.full_scale()) as u32,
            ChannelKind::Float if self.bits == 16 => {
                float_to_float(F32, F16, Modifiers::default(), u64::from(value)) as u32
            }
            ChannelKind::Float => value,
        }
    }

    /// The number times the full scale, rounded to nearest even, not below `low`.
    fn normalised(self, value: u32, low: i32) -> i32 {
        let scale = self.full_scale();
        let limit = |negative: bool| if negative { low } else { scale };
        match unpack(F32, u64::from(value)) {
            Unpacked::Nan => 0,
            Unpacked::Infinite { negative } => limit(negative),
            Unpacked::Finite(number) if number.leading() >= 1 => limit(number.negative),
            Unpacked::Finite(number) => {
                let scaled = product(number, Exact::integer(false, scale.unsigned_abs().into()));
                let magnitude = round_to_integer(Rounding::NearestEven, scaled).unwrap_or(0) as i64;
                let signed = if number.negative { -magnitude } else { magnitude };
                signed.clamp(low.into(), scale.into()) as i32
            }
        }
    }

    /// The number that `txq.channel_data_type` and `suq.channel_data_type` give: those of OpenCL (PTX ISA, "Channel data type and channel
    /// order fields").
    pub(super) fn data_type(self) -> u32 {
        match (self.kind, self.bits) {
            (ChannelKind::SignedNormalised, 8) => 0x10d0,
            (ChannelKind::SignedNormalised, _) => 0x10d1,
            (ChannelKind::UnsignedNormalised, 8) => 0x10d2,
            (ChannelKind::UnsignedNormalised, _) => 0x10d3,
            (ChannelKind::Signed, 8) => 0x10d7,
            (ChannelKind::Signed, 16) => 0x10d8,
            (ChannelKind::Signed, _) => 0x10d9,
            (ChannelKind::Unsigned, 8) => 0x10da,
            (ChannelKind::Unsigned, 16) => 0x10db,
            (ChannelKind::Unsigned, _) => 0x10dc,
            (ChannelKind::Float, 16) => 0x10dd,
            (ChannelKind::Float, _) => 0x10de,
        }
    }

    /// The number that queries of the channel order give: R, RG or RGBA.
    pub(super) fn order(self) -> u32 {
        match self.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(kind: ChannelKind, bits: u32) -> Format {
        Format::new(kind, bits, 1).expect("a format")
    }

    #[test]
    fn channels_and_back() {
        let unorm = format(ChannelKind::UnsignedNormalised, 8);
        assert_eq!(unorm.decode(&[51], false)[0], Value::Ratio(51, 255));
        assert_eq!(nearest_ratio(51, 255, 0), 0.2f32.to_bits());
        // 0.5 of 255 is 127.5, a tie: to even.
        let halves = [0.5f32, 2.0, -1.0, f32::NAN].map(|number| unorm.encode([number.to_bits(); 4])[0]);
        assert_eq!(halves, [128, 255, 0, 0]);
        let snorm = format(ChannelKind::SignedNormalised, 8);
        assert_eq!(snorm.decode(&[0x80], false)[0], Value::Ratio(-127, 127));
        assert_eq!(snorm.encode([(-1.0f32).to_bits(); 4]), [0x81]);
        let half = format(ChannelKind::Float, 16);
        assert_eq!(
            half.decode(&[0, 0x3e], false),
            [0x3fc0_0000, 0, 0, ONE].map(Value::Float)
        );
        let signed = format(ChannelKind::Signed, 8);
        assert_eq!(signed.decode(&[0xfe], false)[0], Value::Integer(0xffff_fffe));
        assert_eq!(signed.encode([200; 4]), [127]);
    }

    #[test]
    fn srgb_leaves_alpha_alone() {
        let format = Format::new(ChannelKind::UnsignedNormalised, 8, 4).expect("a format");
        let [r, _, b, a] = format.decode(&[255, 0, 10, 10], true);
        assert_eq!((r, a), (Value::Float(ONE), Value::Ratio(10, 255)));
        // Ten is on the straight part of the curve: 10 / 255 / 12.92.
        assert_eq!(b, Value::Float(((10.0f64 / 255.0 / 12.92) as f32).to_bits()));
    }
}
