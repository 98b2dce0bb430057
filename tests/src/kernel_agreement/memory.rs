//! Whether two states of memory are the same but for the rounding of floating-point numbers.

/// How much two states of memory differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Not at all.
    None,
    /// As numbers that were rounded at other places do.
    Small,
    /// More: where first.
    Large(String),
}

/// Relative difference that contraction, and another order of a sum, can make.
const TOLERANCE: f64 = 2e-3;
/// What is smaller may have been made by cancellation.
const SMALL: f64 = 1e-4;

/// What is smaller may be no number.
const TINY: f64 = 1e-30;
/// What is smaller is none: integers below 2^23 look so.
const SMALLEST: f64 = 1.2e-38;
/// Relative difference of the last digits of a single.
const LAST_DIGITS: f64 = 1e-5;

/// Compares buffers of the same sizes; `halves`: they may hold numbers of 16 bits, as which integers look close to each other.
pub fn compare(found: &[Vec<u8>], expected: &[Vec<u8>], halves: bool) -> Difference {
    let mut result = Difference::None;
    for (buffer, (found, expected)) in found.iter().zip(expected).enumerate() {
        if found == expected {
            continue;
        }
        let close = close_as::<4>(found, expected, |bytes| f64::from(f32::from_le_bytes(bytes)))
            || close_as::<8>(found, expected, f64::from_le_bytes)
            || halves && (close_as::<2>(found, expected, half) || close_as::<2>(found, expected, bfloat));
        if !close {
            return Difference::Large(first(buffer, found, expected));
        }
        result = Difference::Small;
    }
    result
}

/// Whether all elements are close, as numbers of one type.
fn close_as<const N: usize>(found: &[u8], expected: &[u8], number: impl Fn([u8; N]) -> f64) -> bool {
    let ((found, rest), (expected, other)) = (found.as_chunks::<N>(), expected.as_chunks::<N>());
    let mut different = found.iter().zip(expected).filter(|(a, b)| a != b);
    rest == other
        && different.all(|(a, b)| {
            let both_nan = is_usual_nan(a) && is_usual_nan(b);
            let (a, b) = (number(*a), number(*b));
            // The numbers of 16 bits have fewer digits.
            let tolerance = if N == 2 { 10.0 * TOLERANCE } else { TOLERANCE };
            let (difference, size) = ((a - b).abs(), a.abs().max(b.abs()));
            // Small integers and bytes look like tiny numbers, which are all close to each other: of those only the last digits may differ.
            let tiny = |x: f64| x != 0.0 && x.abs() < TINY;
            match tiny(a) || tiny(b) {
                true => difference <= LAST_DIGITS * size && a.abs().min(b.abs()) > SMALLEST,
                false => both_nan || difference <= SMALL + tolerance * size,
            }
        })
}

/// Whether the bytes are a NaN as arithmetic makes it; small negative integers are others.
fn is_usual_nan(bytes: &[u8]) -> bool {
    const USUAL: [&[u8]; 11] = [
        &0x7fff_ffff_u32.to_le_bytes(),
        &0x7fc0_0000_u32.to_le_bytes(),
        &0xffc0_0000_u32.to_le_bytes(),
        &0x7fff_ffff_ffff_ffff_u64.to_le_bytes(),
        &0x7ff8_0000_0000_0000_u64.to_le_bytes(),
        &0xfff8_0000_0000_0000_u64.to_le_bytes(),
        &0x7fff_u16.to_le_bytes(),
        &0x7e00_u16.to_le_bytes(),
        &0xfe00_u16.to_le_bytes(),
        &0x7fc0_u16.to_le_bytes(),
        &0xffc0_u16.to_le_bytes(),
    ];
    USUAL.contains(&bytes)
}

fn half(bytes: [u8; 2]) -> f64 {
    let bits = u16::from_le_bytes(bytes);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

fn bfloat(bytes: [u8; 2]) -> f64 {
    f64::from(f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16))
}

/// The first word that differs, in words.
fn first(buffer: usize, found: &[u8], expected: &[u8]) -> String {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect()
    };
    let (found, expected) = (words(found), words(expected));
    let mut different = (0..found.len()).filter(|&index| found[index] != expected[index]);
    let Some(index) = different.next() else {
        return format!("buffer {buffer}");
    };
    let (a, b) = (found[index], expected[index]);
    format!(
        "buffer {buffer}, word {index}: {a:#010x} ({}), expected {b:#010x} ({}); {} words differ",
        f32::from_bits(a),
        f32::from_bits(b),
        1 + different.count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[f32]) -> Vec<Vec<u8>> {
        vec![words.iter().flat_map(|word| word.to_le_bytes()).collect()]
    }

    #[test]
    fn rounding_is_small_and_integers_are_exact() {
        assert_eq!(
            compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.0]), false),
            Difference::None
        );
        assert_eq!(
            compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.000_001]), false),
            Difference::Small
        );
        assert!(matches!(
            compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.1]), false),
            Difference::Large(_)
        ));
        assert!(matches!(
            compare(&[vec![0xff; 4]], &[vec![0xfe, 0xff, 0xff, 0xff]], false),
            Difference::Large(_)
        ));
        let integers = |value: u32| vec![value.to_le_bytes().to_vec()];
        assert!(matches!(
            compare(&integers(3), &integers(4), false),
            Difference::Large(_)
        ));
    }
}
