//! Arrays as NumPy keeps them in files: `.npy`, format versions 1.0 to 3.0.
//!
//! A file is the magic, two version bytes, the length of the header (two bytes, from 2.0 on four), the header (a Python dictionary with the
//! element type, the order and the shape), and the elements. Read are little-endian integers and floating-point numbers in C order.

use super::array::{Array, Element};

/// What every file starts with.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads an array from the bytes of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Array, String> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("not an .npy file: the magic is missing")?;
    let (version, rest) = rest.split_at_checked(2).ok_or("the header is cut short")?;
    let (length, rest) = match version[0] {
        1 => rest
            .split_first_chunk()
            .map(|(length, rest)| (usize::from(u16::from_le_bytes(*length)), rest)),
        2 | 3 => rest
            .split_first_chunk()
            .map(|(length, rest)| (u32::from_le_bytes(*length) as usize, rest)),
        other => return Err(format!("format version {other}.{} is not known", version[1])),
    }
    .ok_or("the header is cut short")?;
    let (header, data) = rest.split_at_checked(length).ok_or("the header is cut short")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let Header {
        element,
        fortran,
        shape,
    } = Header::parse(header)?;
    if fortran && shape.len() > 1 {
        return Err("Fortran order is not supported; save with numpy.ascontiguousarray".to_owned());
    }
    let size = shape
        .iter()
        .try_fold(element.size() as u64, |size, &dimension| size.checked_mul(dimension))
        .ok_or("the shape is too large")?;
    if size != data.len() as u64 {
        return Err(format!(
            "shape and type need {size} bytes, but the file has {}",
            data.len()
        ));
    }
    Ok(Array {
        element,
        shape,
        bytes: data.to_vec(),
    })
}

/// The bytes of a file, in format version 1.0. bf16, which NumPy has not, is written as its bits, `<u2`.
pub(crate) fn write(array: &Array) -> Vec<u8> {
    let shape: String = match array.shape.as_slice() {
        [one] => format!("({one},)"),
        more => {
            let dimensions: Vec<String> = more.iter().map(u64::to_string).collect();
            format!("({})", dimensions.join(", "))
        }
    };
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}",
        descriptor(array.element)
    );
    // Magic, version, length, header and a line feed end on a multiple of 64, so that the elements are aligned.
    let before = MAGIC.len() + 4;
    let padding = (before + header.len() + 1).next_multiple_of(64) - (before + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    // A shape of ours has a handful of dimensions.
    out.extend(u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(&array.bytes);
    out
}

/// How a header names an element type.
fn descriptor(element: Element) -> &'static str {
    match element {
        Element::U8 => "|u1",
        Element::S8 => "|i1",
        Element::U16 | Element::Bf16 => "<u2",
        Element::S16 => "<i2",
        Element::U32 => "<u4",
        Element::S32 => "<i4",
        Element::U64 => "<u8",
        Element::S64 => "<i8",
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
    }
}

/// The element type of a descriptor such as `<f4`.
fn element(descriptor: &str) -> Result<Element, String> {
    // One byte has no order; `=` is that of the writing machine, which nobody knows.
    Ok(match descriptor {
        "|u1" | "<u1" | "|b1" => Element::U8,
        "|i1" | "<i1" => Element::S8,
        "<u2" => Element::U16,
        "<i2" => Element::S16,
        "<u4" => Element::U32,
        "<i4" => Element::S32,
        "<u8" => Element::U64,
        "<i8" => Element::S64,
        "<f2" => Element::F16,
        "<f4" => Element::F32,
        "<f8" => Element::F64,
        other => {
            return Err(format!(
                "elements of type `{other}` are not supported; there are integers and floats, little-endian"
            ));
        }
    })
}

/// What a header says.
struct Header {
    element: Element,
    fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the dictionary: three keys in any order, with a quoted text, a truth value and a tuple of integers.
    fn parse(text: &str) -> Result<Header, String> {
        let body = text
            .trim()
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .ok_or("the header is no dictionary")?;
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        let mut rest = body.trim_start();
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let after = after
                .trim_start()
                .strip_prefix(':')
                .ok_or("a key of the header has no value")?
                .trim_start();
            rest = match key {
                "descr" => {
                    let (value, after) = quoted(after)?;
                    descr = Some(element(value)?);
                    after
                }
                "fortran_order" => {
                    let (value, after) = truth(after)?;
                    fortran = Some(value);
                    after
                }
                "shape" => {
                    let (value, after) = tuple(after)?;
                    shape = Some(value);
                    after
                }
                other => return Err(format!("the header has an unknown key `{other}`")),
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Ok(Header {
            element: descr.ok_or("the header has no `descr`")?,
            fortran: fortran.ok_or("the header has no `fortran_order`")?,
            shape: shape.ok_or("the header has no `shape`")?,
        })
    }
}

/// A text in single or double quotes, and what follows it.
fn quoted(text: &str) -> Result<(&str, &str), String> {
    let wrong = "the header has no quoted text where one belongs (structured types are not supported)";
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'))
        .ok_or(wrong)?;
    Ok(text[1..].split_once(quote).ok_or(wrong)?)
}

fn truth(text: &str) -> Result<(bool, &str), String> {
    match (text.strip_prefix("True"), text.strip_prefix("False")) {
        (Some(rest), _) => Ok((true, rest)),
        (None, Some(rest)) => Ok((false, rest)),
        (None, None) => Err("`fortran_order` is neither True nor False".to_owned()),
    }
}

fn tuple(text: &str) -> Result<(Vec<u64>, &str), String> {
    let (inside, rest) = text
        .strip_prefix('(')
        .and_then(|text| text.split_once(')'))
        .ok_or("`shape` is no tuple")?;
    let dimensions = inside
        .split(',')
        .map(str::trim)
        .filter(|dimension| !dimension.is_empty())
        .map(|dimension| dimension.parse().map_err(|_| format!("`{dimension}` is no dimension")))
        .collect::<Result<_, String>>()?;
    Ok((dimensions, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1.0 with the given header and elements.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_file_byte_for_byte() {
        let array = Array::from_bits(Element::U16, [1, 2]);
        let header = format!(
            "{{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }}{}\n",
            " ".repeat(60)
        );
        assert_eq!(header.len(), 118);
        assert_eq!(write(&array), file(&header, &[1, 0, 2, 0]));
    }

    #[test]
    fn every_element_type_comes_back() {
        for element in [
            Element::U8,
            Element::S8,
            Element::U16,
            Element::S16,
            Element::U32,
            Element::S32,
            Element::U64,
            Element::S64,
            Element::F16,
            Element::F32,
            Element::F64,
        ] {
            let array = Array {
                shape: vec![2, 3],
                ..Array::from_bits(element, 1..=6)
            };
            let bytes = write(&array);
            assert_eq!((bytes.len() - array.bytes.len()) % 64, 0);
            assert_eq!(read(&bytes), Ok(array));
        }
    }

    #[test]
    fn versions_and_layouts_of_other_writers() {
        let header = "{\"shape\": (), 'fortran_order': True, 'descr': '|i1'}";
        let scalar = Array {
            element: Element::S8,
            shape: vec![],
            bytes: vec![7],
        };
        assert_eq!(read(&file(header, &[7])), Ok(scalar.clone()));
        let mut long = b"\x93NUMPY\x03\x00".to_vec();
        long.extend((header.len() as u32).to_le_bytes());
        long.extend(header.as_bytes());
        long.push(7);
        assert_eq!(read(&long), Ok(scalar));
    }

    #[test]
    fn what_is_refused() {
        let header = |descr: &str, fortran: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}")
        };
        let message = |header: String, data: &[u8]| read(&file(&header, data)).expect_err("is refused");
        assert_eq!(read(b"PK"), Err("not an .npy file: the magic is missing".to_owned()));
        assert_eq!(
            read(b"\x93NUMPY\x01\x00\xff"),
            Err("the header is cut short".to_owned())
        );
        assert_eq!(
            read(b"\x93NUMPY\x07\x01"),
            Err("format version 7.1 is not known".to_owned())
        );
        assert_eq!(
            message(header("'>f4'", "False", "(1,)"), &[0; 4]),
            "elements of type `>f4` are not supported; there are integers and floats, little-endian"
        );
        assert_eq!(
            message(header("'<f4'", "True", "(1, 1)"), &[0; 4]),
            "Fortran order is not supported; save with numpy.ascontiguousarray"
        );
        assert_eq!(
            message(header("'<f4'", "False", "(2,)"), &[0; 4]),
            "shape and type need 8 bytes, but the file has 4"
        );
        assert_eq!(
            message(header("'<f4'", "False", "(4294967296, 4294967296)"), &[]),
            "the shape is too large"
        );
        assert_eq!(message(header("'<f4'", "False", "(-1,)"), &[]), "`-1` is no dimension");
        assert_eq!(
            message("{'descr': '<f4'}".to_owned(), &[]),
            "the header has no `fortran_order`"
        );
        assert_eq!(message("[]".to_owned(), &[]), "the header is no dictionary");
        assert_eq!(message("{'a': 1}".to_owned(), &[]), "the header has an unknown key `a`");
    }
}
