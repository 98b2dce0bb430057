//! Results compared with what is expected.

use super::array::{Array, Element, Kind};
use super::plan::{Expectation, Values};

/// So many differences are shown, the others counted.
const MOST_SHOWN: usize = 5;

/// Compares; an error says what differs, one line each. Bytes are compared in the expected type.
pub(crate) fn compare(actual: &Array, expected: &Expectation) -> Result<(), Vec<String>> {
    let retyped = match &expected.values {
        Values::Array(wanted) if actual.element == Element::U8 && wanted.bytes.len() == actual.bytes.len() => {
            Some(Array::from_bytes(wanted.element, actual.bytes.clone()))
        }
        Values::Array(_) | Values::Numbers(_) => None,
    };
    let actual = retyped.as_ref().unwrap_or(actual);
    let wanted = match &expected.values {
        Values::Array(array) => typed_as(array, actual)?,
        Values::Numbers(numbers) => {
            let bits: Result<Vec<u64>, String> = numbers.iter().map(|text| actual.element.parse(text)).collect();
            Array::from_bits(actual.element, bits.map_err(|reason| vec![reason])?)
        }
    };
    if wanted.len() != actual.len() {
        return Err(vec![format!(
            "{} elements are expected, but there are {}",
            wanted.len(),
            actual.len()
        )]);
    }
    let element = actual.element;
    let different: Vec<(usize, u64, u64)> = (0..)
        .zip(actual.bits().zip(wanted.bits()))
        .map(|(index, (actual, wanted))| (index, actual, wanted))
        .filter(|&(_, bits, wanted)| {
            bits != wanted && !near(element.value(bits), element.value(wanted), expected.tolerance)
        })
        .collect();
    if different.is_empty() {
        return Ok(());
    }
    let shown = different.iter().take(MOST_SHOWN).map(|&(index, bits, wanted)| {
        let exact = match element.kind() {
            Kind::Float => format!(" (bits {bits:#x}, expected {wanted:#x})"),
            Kind::Signed | Kind::Unsigned => String::new(),
        };
        format!(
            "element {index} is {}, expected {}{exact}",
            element.show(bits),
            element.show(wanted)
        )
    });
    let count = format!("{} of {} elements differ", different.len(), actual.len());
    Err(std::iter::once(count).chain(shown).collect())
}

/// Whether `actual` is within the tolerance; nothing is within 0, which compares bits.
fn near(actual: f64, wanted: f64, tolerance: f64) -> bool {
    tolerance > 0.0
        && ((actual.is_nan() && wanted.is_nan())
            || actual == wanted
            || (actual - wanted).abs() <= tolerance * wanted.abs().max(1.0))
}

/// The expected array in the type of the actual one: the same type, or its bits as an integer of the same width.
fn typed_as(wanted: &Array, actual: &Array) -> Result<Array, Vec<String>> {
    let (own, other) = (actual.element, wanted.element);
    if own == other || (own.size() == other.size() && other.kind() == Kind::Unsigned) {
        return Ok(Array {
            element: own,
            ..wanted.clone()
        });
    }
    Err(vec![format!("{other} is expected, but the buffer is of {own}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[&str], tolerance: f64) -> Expectation {
        Expectation {
            values: Values::Numbers(values.iter().map(|&value| value.to_owned()).collect()),
            tolerance,
        }
    }

    #[test]
    fn exact_and_near() {
        let array = Array::from_bits(Element::F32, [0x3f80_0000, 0x3f80_0001]);
        assert_eq!(compare(&array, &numbers(&["1", "1"], 1e-6)), Ok(()));
        assert_eq!(
            compare(&array, &numbers(&["1", "1"], 0.0)),
            Err(vec![
                "1 of 2 elements differ".to_owned(),
                "element 1 is 1.0000001, expected 1.0 (bits 0x3f800001, expected 0x3f800000)".to_owned()
            ])
        );
    }

    #[test]
    fn zeros_and_nans_are_compared_by_their_bits() {
        let zero = Array::from_bits(Element::F32, [0x8000_0000]);
        assert!(compare(&zero, &numbers(&["0"], 0.0)).is_err());
        assert_eq!(compare(&zero, &numbers(&["-0"], 0.0)), Ok(()));
        assert_eq!(compare(&zero, &numbers(&["0"], 1e-9)), Ok(()));
        let nan = Array::from_bits(Element::F32, [0x7fff_ffff]);
        assert!(compare(&nan, &numbers(&["0f7FC00000"], 0.0)).is_err());
        assert_eq!(compare(&nan, &numbers(&["nan"], 1e-9)), Ok(()));
        assert!(compare(&nan, &numbers(&["1"], 1e9)).is_err());
    }

    #[test]
    fn types_and_lengths() {
        let array = Array::from_bits(Element::Bf16, [0x3f80]);
        let bytes = Array::from_bits(Element::U8, [0x80, 0x3f]);
        let bits = |element| Expectation {
            values: Values::Array(Array::from_bits(element, [0x3f80])),
            tolerance: 0.0,
        };
        assert_eq!(compare(&array, &bits(Element::U16)), Ok(()));
        assert_eq!(compare(&bytes, &bits(Element::Bf16)), Ok(()));
        assert_eq!(
            compare(&array, &bits(Element::U32)),
            Err(vec!["u32 is expected, but the buffer is of bf16".to_owned()])
        );
        assert_eq!(
            compare(&array, &numbers(&[], 0.0)),
            Err(vec!["0 elements are expected, but there are 1".to_owned()])
        );
    }
}
