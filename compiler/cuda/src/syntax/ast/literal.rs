//! Literals (\[lex.literal\]): escapes decoded, adjacent strings joined, values computed.

use super::{List, Name};

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// An integer literal; its type follows from value, suffix and radix (\[lex.icon\]).
    Integer {
        /// The value; a literal beyond 128 bits is an error.
        value: u128,
        /// The suffix.
        suffix: IntegerSuffix,
        /// Whether it is written in decimal (then only signed types are tried unless `u` is there).
        decimal: bool,
    },
    /// A floating-point literal.
    Float {
        /// Its spelling without the suffix and without digit separators, `0x` included if it is hexadecimal.
        spelling: Box<str>,
        /// The suffix.
        suffix: FloatSuffix,
    },
    /// A character literal with one character: its value as a code unit of the encoding.
    Character {
        /// The value; an ordinary multi-character literal has the value `int`-wise as GCC gives it.
        value: u32,
        /// The prefix.
        encoding: Encoding,
        /// Whether it has several characters (then its type is `int`).
        multiple: bool,
    },
    /// A string literal, all adjacent pieces joined, without the terminating zero.
    String {
        /// The code units in the encoding.
        units: List<u32>,
        /// The prefix.
        encoding: Encoding,
    },
    /// `true` or `false`.
    Bool(bool),
    /// `nullptr`.
    Nullptr,
    /// A literal with a user-defined suffix (\[lex.ext\]).
    UserDefined {
        /// The literal without the suffix.
        literal: Box<Literal>,
        /// The suffix, with its underscore.
        suffix: Name,
        /// The spelling without the suffix, for raw literal operators of numbers.
        spelling: Box<str>,
    },
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntegerSuffix {
    /// `u`.
    pub unsigned: bool,
    /// `l` is 1, `ll` is 2.
    pub longs: u8,
    /// `z` of C++23.
    pub size: bool,
}

/// The suffix of a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// None: `double`.
    None,
    /// `f`.
    Float,
    /// `l`.
    LongDouble,
    /// `f16` or `F16`: `_Float16`.
    Float16,
    /// `f32`: `float`.
    Float32,
    /// `f64`: `double`.
    Float64,
    /// `q` or `f128`: `__float128`.
    Float128,
    /// `bf16`.
    BFloat16,
}

/// The encoding prefix of a character or string literal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: `char`, bytes of UTF-8.
    #[default]
    Ordinary,
    /// `u8`: `char` before C++20, `char8_t` from it on.
    Utf8,
    /// `u`: `char16_t`.
    Utf16,
    /// `U`: `char32_t`.
    Utf32,
    /// `L`: `wchar_t`, 32 bits.
    Wide,
}
