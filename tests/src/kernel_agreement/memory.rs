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

/// Compares buffers of the same sizes.
pub fn compare(found: &[Vec<u8>], expected: &[Vec<u8>]) -> Difference {
    let mut result = Difference::None;
    for (buffer, (found, expected)) in found.iter().zip(expected).enumerate() {
        if found == expected {
            continue;
        }
        let close = close_as::<4>(found, expected, |bytes| f64::from(f32::from_le_bytes(bytes)))
            || close_as::<8>(found, expected, f64::from_le_bytes)
            || close_as::<2>(found, expected, half)
            || close_as::<2>(found, expected, bfloat);
        if !close {
            return Difference::Large(first(buffer, found, expected));
        }
        result = Difference::Small;
    }
    result
}

/// Whether all elements are close, as numbers of one type.
fn close_as<const N: usize>(found: &[u8], expected: &[u8], number: impl Fn([u8; N]) -> f64) -> bool {
    let pairs = found.as_chunks::<N>().0.iter().zip(expected.as_chunks::<N>().0);
    pairs.filter(|(a, b)| a != b).all(|(a, b)| {
        let (a, b) = (number(*a), number(*b));
        // The numbers of 16 bits have fewer digits.
        let tolerance = if N == 2 { 10.0 * TOLERANCE } else { TOLERANCE };
        (a.is_nan() && b.is_nan())
            || (a - b).abs() <= SMALL + tolerance * a.abs().max(b.abs())
            // Small integers and bytes look like tiny numbers, which are all close to each other.
            && (a == 0.0 || a.abs() > 1e-30) && (b == 0.0 || b.abs() > 1e-30)
    })
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
        assert_eq!(compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.0])), Difference::None);
        assert_eq!(
            compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.000_001])),
            Difference::Small
        );
        assert!(matches!(
            compare(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.1])),
            Difference::Large(_)
        ));
        let integers = |value: u32| vec![value.to_le_bytes().to_vec()];
        assert!(matches!(compare(&integers(3), &integers(4)), Difference::Large(_)));
    }
}
