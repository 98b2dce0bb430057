//! The values of literals.

use super::intern::Symbol;

/// A decoded literal [lex.literal].
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `1`, `0x1fULL`, `0b101`, `1'000`.
    Integer(IntegerLiteral),
    /// `1.0`, `1e3f`, `0x1p-3`.
    Float(FloatLiteral),
    /// `'a'`, `u8'a'`, `'ab'`.
    Character(CharacterLiteral),
    /// `"a" "b"`, `LR"(…)"`.
    String(StringLiteral),
}

impl Literal {
    /// The suffix of a user-defined literal [lex.ext], if there is one.
    pub fn user_suffix(&self) -> Option<Symbol> {
        match self {
            Literal::Integer(literal) => literal.user_suffix,
            Literal::Float(literal) => literal.user_suffix,
            Literal::Character(literal) => literal.user_suffix,
            Literal::String(literal) => literal.user_suffix,
        }
    }
}

/// An integer literal [lex.icon]. Its type follows from value, base and suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegerLiteral {
    /// The value; larger ones have been refused.
    pub value: u128,
    /// 2, 8, 10 or 16: literals that are not decimal may have unsigned types without saying so.
    pub base: u8,
    /// Has the suffix `u`.
    pub unsigned: bool,
    /// The suffix `l`, `ll` or `z`.
    pub size: IntegerSize,
    /// The suffix of a user-defined literal.
    pub user_suffix: Option<Symbol>,
    /// The text without the user's suffix, for literal operators that take it raw; empty unless there is such a suffix.
    pub spelling: String,
}

/// What an integer's suffix says about its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerSize {
    /// No suffix: from `int` up.
    Int,
    /// `l`: from `long` up.
    Long,
    /// `ll`.
    LongLong,
    /// `z`: the size of `size_t`.
    Size,
}

/// A floating literal [lex.fcon].
#[derive(Clone, Debug, PartialEq)]
pub struct FloatLiteral {
    /// The value rounded to double, as bits.
    pub double: u64,
    /// The value rounded to float (from the text at once, not from the double), as bits.
    pub float: u32,
    /// What the suffix says.
    pub suffix: FloatSuffix,
    /// The suffix of a user-defined literal.
    pub user_suffix: Option<Symbol>,
    /// The text without the user's suffix, for literal operators that take it raw; empty unless there is such a suffix.
    pub spelling: String,
}

/// The suffix of a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// `double`.
    None,
    /// `f`: `float`.
    Float,
    /// `l`: `long double`, which is `double` on the device.
    Long,
    /// `f16`.
    Float16,
    /// `q` or `f128`: `__float128`.
    Float128,
}

/// The prefix of characters and strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: `char`, in UTF-8.
    Ordinary,
    /// `u8`: `char` in C++17, in UTF-8.
    Utf8,
    /// `u`: `char16_t`.
    Utf16,
    /// `U`: `char32_t`.
    Utf32,
    /// `L`: `wchar_t`, four bytes.
    Wide,
}

impl Encoding {
    /// Bytes of a code unit.
    pub const fn unit_size(self) -> u32 {
        match self {
            Encoding::Ordinary | Encoding::Utf8 => 1,
            Encoding::Utf16 => 2,
            Encoding::Utf32 | Encoding::Wide => 4,
        }
    }
}

/// A character literal [lex.ccon].
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterLiteral {
    /// The prefix.
    pub encoding: Encoding,
    /// The code unit (an ordinary one is 0 to 255: convert to the signedness of `char`), or of `'ab'` the value as `int`: earlier characters are higher bytes.
    pub value: u32,
    /// Has more than one character and so the type `int`.
    pub multiple: bool,
    /// The suffix of a user-defined literal.
    pub user_suffix: Option<Symbol>,
}

/// String literals that stand together, joined [lex.string].
#[derive(Clone, Debug, PartialEq)]
pub struct StringLiteral {
    /// The prefix.
    pub encoding: Encoding,
    /// Code units in the encoding, without the terminating zero.
    pub units: Vec<u32>,
    /// The suffix of a user-defined literal.
    pub user_suffix: Option<Symbol>,
}

impl StringLiteral {
    /// The bytes in memory, least significant first, with the terminating zero.
    pub fn bytes(&self) -> Vec<u8> {
        let size = self.encoding.unit_size() as usize;
        let units = self.units.iter().copied().chain(std::iter::once(0));
        units
            .flat_map(|unit| unit.to_le_bytes().into_iter().take(size))
            .collect()
    }

    /// The text of an ordinary or UTF-8 string; bytes that are no UTF-8 are replaced. For asm templates, section names, messages.
    pub fn to_text(&self) -> String {
        match self.encoding {
            Encoding::Ordinary | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|&unit| unit as u8).collect();
                String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
            Encoding::Utf16 => {
                let units: Vec<u16> = self.units.iter().map(|&unit| unit as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Utf32 | Encoding::Wide => {
                let character = |&unit: &u32| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                self.units.iter().map(character).collect()
            }
        }
    }
}
