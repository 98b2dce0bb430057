//! Typed arrays in host memory: what buffers start as, end as, and are compared with.

use std::fmt;

use warpsmith_numerics::convert::{Modifiers, float_to_float};
use warpsmith_numerics::format::{BF16, F16, F32, F64};

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element {
    /// 8 bits without sign.
    U8,
    /// 8 bits with sign.
    S8,
    /// 16 bits without sign.
    U16,
    /// 16 bits with sign.
    S16,
    /// 32 bits without sign.
    U32,
    /// 32 bits with sign.
    S32,
    /// 64 bits without sign.
    U64,
    /// 64 bits with sign.
    S64,
    /// Half precision.
    F16,
    /// The upper half of a single.
    Bf16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// How an element's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer without sign.
    Unsigned,
    /// An integer with sign.
    Signed,
    /// A floating-point number.
    Float,
}

/// Every element type with its name.
const NAMES: [(&str, Element); 12] = [
    ("u8", Element::U8),
    ("s8", Element::S8),
    ("u16", Element::U16),
    ("s16", Element::S16),
    ("u32", Element::U32),
    ("s32", Element::S32),
    ("u64", Element::U64),
    ("s64", Element::S64),
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

impl Element {
    /// The element type of a name such as `u32`, as PTX spells it; `.bN` is read as `.uN`.
    pub(crate) fn from_name(name: &str) -> Option<Element> {
        let name = match name {
            "b8" => "u8",
            "b16" => "u16",
            "b32" => "u32",
            "b64" => "u64",
            other => other,
        };
        NAMES.iter().find(|(own, _)| *own == name).map(|&(_, element)| element)
    }

    /// Its name, such as `u32`.
    pub(crate) fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|&&(_, element)| element == self)
            .map_or("", |&(name, _)| name)
    }

    /// All names, for messages.
    pub(crate) fn all_names() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// Bytes of one element.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::U8 | Element::S8 => 1,
            Element::U16 | Element::S16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::F32 => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }

    /// How its bits are read.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => Kind::Unsigned,
            Element::S8 | Element::S16 | Element::S32 | Element::S64 => Kind::Signed,
            Element::F16 | Element::Bf16 | Element::F32 | Element::F64 => Kind::Float,
        }
    }

    /// The bits of a number given as text: decimal or `0x` for integers; for floating point also `inf`, `nan`, and for the 32-bit and 64-bit
    /// formats the bits as PTX writes them, `0f3F800000` and `0d3FF0000000000000`.
    pub(crate) fn parse(self, text: &str) -> Result<u64, String> {
        match self.kind() {
            Kind::Float => self
                .parse_float(text)
                .ok_or_else(|| format!("`{text}` is no {} number", self.name())),
            Kind::Unsigned | Kind::Signed => self.parse_integer(text),
        }
    }

    fn parse_integer(self, text: &str) -> Result<u64, String> {
        let wrong = || format!("`{text}` is no integer");
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let digits = digits.replace('_', "");
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse::<u64>().map(i128::from),
        };
        let magnitude = magnitude.map_err(|_| wrong())?;
        // A sign after the prefix is no digit.
        if magnitude < 0 || !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(wrong());
        }
        let value = if negative { -magnitude } else { magnitude };
        let bits = 8 * self.size() as u32;
        // Bit patterns are welcome in signed types, negative numbers in unsigned ones.
        if value < -(1i128 << (bits - 1)) || value >= 1i128 << bits {
            return Err(format!("{text} does not fit {}", self.name()));
        }
        Ok(self.truncate(value as u64))
    }

    fn parse_float(self, text: &str) -> Option<u64> {
        let bits = |prefix: [&str; 2], digits: usize| {
            let rest = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
            let hexadecimal = rest.len() == digits && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
            hexadecimal.then(|| u64::from_str_radix(rest, 16).ok()).flatten()
        };
        match self {
            Element::F32 => match bits(["0f", "0F"], 8) {
                Some(bits) => Some(bits),
                None => text.parse().ok().map(|value: f32| u64::from(value.to_bits())),
            },
            Element::F64 => match bits(["0d", "0D"], 16) {
                Some(bits) => Some(bits),
                None => text.parse().ok().map(f64::to_bits),
            },
            _ => text.parse().ok().map(|value: f64| self.float(value)),
        }
    }

    /// The bits of the number of this format nearest to `value`; of an integer type the integer part.
    pub(crate) fn float(self, value: f64) -> u64 {
        let to = |format| float_to_float(F64, format, Modifiers::default(), value.to_bits());
        match self {
            Element::F16 => to(F16),
            Element::Bf16 => to(BF16),
            Element::F32 => to(F32),
            Element::F64 => value.to_bits(),
            _ => self.truncate(value as i128 as u64),
        }
    }

    /// The bits of an integer: the lowest ones, or the nearest number of a floating-point format.
    pub(crate) fn integer(self, value: i128) -> u64 {
        match self.kind() {
            Kind::Float => self.float(value as f64),
            Kind::Unsigned | Kind::Signed => self.truncate(value as u64),
        }
    }

    /// The value as a double, exact for all but large 64-bit integers.
    pub(crate) fn value(self, bits: u64) -> f64 {
        let from = |format| f64::from_bits(float_to_float(format, F64, Modifiers::default(), bits));
        match self {
            Element::F16 => from(F16),
            Element::Bf16 => from(BF16),
            Element::F32 => from(F32),
            Element::F64 => f64::from_bits(bits),
            _ => match self.kind() {
                Kind::Signed => self.signed(bits) as f64,
                Kind::Unsigned | Kind::Float => bits as f64,
            },
        }
    }

    /// The bits as a number for people.
    pub(crate) fn show(self, bits: u64) -> String {
        match self {
            Element::F16 | Element::Bf16 => format!("{:?}", self.value(bits)),
            Element::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Element::F64 => format!("{:?}", f64::from_bits(bits)),
            _ => match self.kind() {
                Kind::Signed => self.signed(bits).to_string(),
                Kind::Unsigned | Kind::Float => bits.to_string(),
            },
        }
    }

    fn signed(self, bits: u64) -> i64 {
        let unused = 64 - 8 * self.size() as u32;
        ((bits << unused) as i64) >> unused
    }

    fn truncate(self, bits: u64) -> u64 {
        bits & (u64::MAX >> (64 - 8 * self.size() as u32))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An array in C order, its elements little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    /// Type of the elements.
    pub element: Element,
    /// Dimensions, outermost first; their product is the number of elements.
    pub shape: Vec<u64>,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl Array {
    /// An array of one dimension from the bits of its elements.
    pub(crate) fn from_bits(element: Element, bits: impl IntoIterator<Item = u64>) -> Array {
        let bytes: Vec<u8> = bits
            .into_iter()
            .flat_map(|bits| bits.to_le_bytes().into_iter().take(element.size()))
            .collect();
        Array::from_bytes(element, bytes)
    }

    /// An array of one dimension; bytes short of an element at the end are left out of its length.
    pub(crate) fn from_bytes(element: Element, bytes: Vec<u8>) -> Array {
        let length = (bytes.len() / element.size()) as u64;
        Array {
            element,
            shape: vec![length],
            bytes,
        }
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// The bits of each element.
    pub(crate) fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.chunks_exact(self.element.size()).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
    }

    /// The first `most` elements for people, and how many more there are.
    pub(crate) fn show(&self, most: usize) -> String {
        let mut shown: Vec<String> = self.bits().take(most).map(|bits| self.element.show(bits)).collect();
        if self.len() > most {
            shown.push(format!("… {} more", self.len() - most));
        }
        format!("{}[{}] {}", self.element, self.len(), shown.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_kind() {
        assert_eq!(Element::U32.parse("7"), Ok(7));
        assert_eq!(Element::U32.parse("0xFFFF_FFFF"), Ok(0xffff_ffff));
        assert_eq!(Element::U32.parse("-1"), Ok(0xffff_ffff));
        assert_eq!(Element::S8.parse("-128"), Ok(0x80));
        assert_eq!(Element::F32.parse("1.5"), Ok(0x3fc0_0000));
        assert_eq!(Element::F32.parse("0f3F800000"), Ok(0x3f80_0000));
        assert_eq!(Element::F64.parse("-inf"), Ok(0xfff0_0000_0000_0000));
        assert_eq!(Element::F16.parse("1.5"), Ok(0x3e00));
        assert_eq!(Element::Bf16.parse("-2"), Ok(0xc000));
    }

    #[test]
    fn numbers_that_do_not_fit() {
        assert_eq!(Element::U8.parse("256"), Err("256 does not fit u8".to_owned()));
        assert_eq!(Element::S8.parse("-129"), Err("-129 does not fit s8".to_owned()));
        for wrong in ["", "-", "0x", "--1", "0x-1", "+1", "1.5", "x", "_"] {
            assert_eq!(
                Element::U64.parse(wrong),
                Err(format!("`{wrong}` is no integer")),
                "{wrong}"
            );
        }
        assert_eq!(Element::F16.parse("x"), Err("`x` is no f16 number".to_owned()));
        assert_eq!(
            Element::U64.parse("0x10000000000000000"),
            Err("0x10000000000000000 does not fit u64".to_owned())
        );
    }

    #[test]
    fn elements_for_people() {
        let array = Array::from_bits(Element::S16, [1, 0xffff, 3]);
        assert_eq!(array.bytes, [1, 0, 0xff, 0xff, 3, 0]);
        assert_eq!(array.show(2), "s16[3] 1 -1 … 1 more");
        assert_eq!(
            Array::from_bits(Element::F16, [0x3c00, 0x8000]).show(9),
            "f16[2] 1.0 -0.0"
        );
    }
}
