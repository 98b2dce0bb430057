//! Numbers as nvdisasm prints them, and back.

use crate::model::FloatFormat;
use half::{bf16, f16};
use std::fmt::Write;

/// Appends `value` in hexadecimal with its sign, or its 64 bits if it is unsigned.
pub(crate) fn write_hex(out: &mut String, value: i64, unsigned: bool) {
    let mut magnitude = value as u64;
    if !unsigned && value < 0 {
        out.push('-');
        magnitude = value.unsigned_abs();
    }
    out.push_str("0x");
    let digits = (u64::BITS - magnitude.leading_zeros()).div_ceil(4).max(1);
    for digit in (0..digits).rev() {
        out.push(char::from(
            b"0123456789abcdef"[(magnitude >> (4 * digit) & 15) as usize],
        ));
    }
}

/// Appends `value` in decimal; register numbers have at most three digits.
pub(crate) fn write_decimal(out: &mut String, value: u64) {
    if value >= 10 {
        write_decimal(out, value / 10);
    }
    out.push(char::from(b'0' + (value % 10) as u8));
}

/// Appends a float immediate: up to 20 significant digits, exponent form from 1e9, `+INF`, `+QNAN`, `-SNAN`.
///
/// Source: observed, nvdisasm 13.5.
pub(crate) fn write_float(out: &mut String, format: FloatFormat, bits: u64) {
    let (value, quiet) = match format {
        FloatFormat::F16 => (f16::from_bits(bits as u16).to_f64(), bits & 1 << 9 != 0),
        FloatFormat::Bf16 => (bf16::from_bits(bits as u16).to_f64(), bits & 1 << 6 != 0),
        FloatFormat::F32 => (f64::from(f32::from_bits(bits as u32)), bits & 1 << 22 != 0),
        FloatFormat::F64High => (f64::from_bits(bits << 32), bits & 1 << 19 != 0),
    };
    let width = match format {
        FloatFormat::F16 | FloatFormat::Bf16 => 16,
        FloatFormat::F32 | FloatFormat::F64High => 32,
    };
    let negative = bits >> (width - 1) & 1 != 0;
    let sign = if negative { '-' } else { '+' };
    if value.is_nan() {
        let _ = write!(out, "{sign}{} ", if quiet { "QNAN" } else { "SNAN" });
    } else if value.is_infinite() {
        let _ = write!(out, "{sign}INF ");
    } else if value == 0.0 {
        out.push_str(if negative { "-0.0 " } else { "0" });
    } else if value.abs() >= 1e9 {
        write_exponent(out, &format!("{value:.20e}"), false);
    } else {
        write_general(out, value);
    }
}

/// C's `%.20g`.
fn write_general(out: &mut String, value: f64) {
    let text = format!("{value:.19e}");
    let exponent: i32 = text.rsplit_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if exponent < -4 {
        write_exponent(out, &text, true);
    } else {
        let digits = usize::try_from(19 - exponent).unwrap_or(0);
        let fixed = format!("{value:.digits$}");
        let trimmed = if fixed.contains('.') {
            fixed.trim_end_matches('0').trim_end_matches('.')
        } else {
            &fixed
        };
        out.push_str(trimmed);
    }
}

/// Rust's `1.5e-7` to C's `1.5e-07`.
fn write_exponent(out: &mut String, text: &str, trim: bool) {
    let (digits, exponent) = text.rsplit_once('e').unwrap_or((text, "0"));
    let digits = if trim {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    let _ = write!(out, "{digits}e{sign}{exponent:0>2}");
}

/// Reads an integer: decimal or `0x`, with sign. Values up to 64 bits unsigned wrap into the result.
pub(crate) fn read_integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative {
        (magnitude as i64).wrapping_neg()
    } else {
        magnitude as i64
    })
}

/// Reads a float immediate into the bits of `format`; `+QNAN` is the canonical quiet NaN of CUDA (all mantissa bits set).
pub(crate) fn read_float(text: &str, format: FloatFormat) -> Option<u64> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (infinity, quiet, signalling, sign) = match format {
        FloatFormat::F16 => (0x7c00, 0x7fff, 0x7c01, 0x8000),
        FloatFormat::Bf16 => (0x7f80, 0x7fff, 0x7f81, 0x8000),
        FloatFormat::F32 => (0x7f80_0000, 0x7fff_ffff, 0x7f80_0001, 0x8000_0000),
        FloatFormat::F64High => (0x7ff0_0000, 0x7fff_ffff, 0x7ff0_0001, 0x8000_0000),
    };
    let magnitude = match body {
        "INF" => infinity,
        "QNAN" => quiet,
        "SNAN" => signalling,
        digits => {
            if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                return None;
            }
            match format {
                FloatFormat::F16 => u64::from(f16::from_f64(digits.parse().ok()?).to_bits()),
                FloatFormat::Bf16 => u64::from(bf16::from_f64(digits.parse().ok()?).to_bits()),
                FloatFormat::F32 => u64::from(digits.parse::<f32>().ok()?.to_bits()),
                FloatFormat::F64High => {
                    let bits = digits.parse::<f64>().ok()?.to_bits();
                    // The text has 20 digits, the format 20 mantissa bits: round to the nearest.
                    (bits + 0x8000_0000) >> 32
                }
            }
        }
    };
    Some(magnitude | if negative { sign } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: FloatFormat, bits: u64) -> String {
        let mut out = String::new();
        write_float(&mut out, format, bits);
        assert_eq!(read_float(out.trim_end(), format), Some(bits), "{out}");
        out
    }

    #[test]
    fn floats_print_as_nvdisasm_prints_them() {
        assert_eq!(text(FloatFormat::F32, 0x3f80_0000), "1");
        assert_eq!(text(FloatFormat::F32, 0x3dcc_cccd), "0.10000000149011611938");
        assert_eq!(text(FloatFormat::F32, 1), "1.4012984643248170709e-45");
        assert_eq!(text(FloatFormat::F32, 0x8000_0000), "-0.0 ");
        assert_eq!(text(FloatFormat::F32, 0x7f80_0000), "+INF ");
        assert_eq!(text(FloatFormat::F32, 0xffff_ffff), "-QNAN ");
        assert_eq!(text(FloatFormat::Bf16, 0x58df), "1.96152874395238400000e+15");
        assert_eq!(text(FloatFormat::F64High, 0x4000_0000), "2");
    }
}
