//! Tokens as the parser sees them.

use super::intern::Symbol;
use super::literal::Literal;
use super::map::{Origin, Span};

/// The tokens of a translation unit after preprocessing.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// In order; the last one is [`TokenKind::End`].
    pub list: Vec<Token>,
    /// What [`TokenKind::Literal`] refers to.
    pub literals: Vec<Literal>,
    /// What [`TokenKind::Pragma`] refers to.
    pub pragmas: Vec<Pragma>,
}

impl Tokens {
    /// The value of a literal token.
    pub fn literal(&self, id: LiteralId) -> &Literal {
        &self.literals[id.0 as usize]
    }

    /// The content of a pragma token.
    pub fn pragma(&self, id: PragmaId) -> &Pragma {
        &self.pragmas[id.0 as usize]
    }
}

/// Index of a literal in [`Tokens::literals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LiteralId(pub u32);

/// Index of a pragma in [`Tokens::pragmas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PragmaId(pub u32);

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it starts, through all macro expansions.
    pub origin: Origin,
    /// White space, a comment or a line break stands before it.
    pub space_before: bool,
    /// It is the first of its line.
    pub line_start: bool,
    /// The next token follows without anything between, and both were one preprocessing token or were written together: `>` of `>>`, `>>=` and `>>>`.
    pub joined: bool,
}

impl Token {
    /// The token as a stretch.
    pub fn span(self) -> Span {
        Span::of(self.origin)
    }

    /// Whether it is this punctuator.
    pub fn is(self, punctuator: Punctuator) -> bool {
        self.kind == TokenKind::Punctuator(punctuator)
    }

    /// Whether it is this keyword.
    pub fn is_keyword(self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    /// The name, if it is an identifier.
    pub fn identifier(self) -> Option<Symbol> {
        match self.kind {
            TokenKind::Identifier(name) => Some(name),
            TokenKind::Keyword(_)
            | TokenKind::Punctuator(_)
            | TokenKind::Literal(_)
            | TokenKind::Pragma(_)
            | TokenKind::Unknown(_)
            | TokenKind::End => None,
        }
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name that is no keyword.
    Identifier(Symbol),
    /// A keyword.
    Keyword(Keyword),
    /// An operator or separator; the words `and`, `not` … and digraphs come as what they stand for.
    Punctuator(Punctuator),
    /// A number, character or string (adjacent ones are one).
    Literal(LiteralId),
    /// A pragma that the parser has to place, such as `#pragma unroll` before a loop.
    Pragma(PragmaId),
    /// A character that begins no token, such as `` ` `` or `@`. Nothing has been said about it yet.
    Unknown(char),
    /// The end of the unit.
    End,
}

/// A pragma for the parser.
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// Which.
    pub kind: PragmaKind,
    /// What stands after the name, with macros expanded, ended by a token [`TokenKind::End`]: for `unroll 4` and `unroll (N + 1)` the expression.
    pub tokens: Vec<Token>,
}

/// Which pragmas reach the parser; all others are worked off or passed over before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PragmaKind {
    /// `#pragma unroll`, with or without a count.
    Unroll,
    /// `#pragma nounroll`.
    NoUnroll,
    /// `#pragma pack(…)`: the tokens are the parenthesised part.
    Pack,
}

/// Declares the keywords: each variant with its spellings.
macro_rules! keywords {
    ($($(#[$doc:meta])* $variant:ident = $($text:literal)|+),* $(,)?) => {
        /// The keywords of C++17 [lex.key], GNU's and CUDA's. Spellings such as `__inline__` count as the keyword they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Keyword {
            $($(#[$doc])* $variant),*
        }

        impl Keyword {
            /// All spellings, in the order of their symbols.
            pub const SPELLINGS: &'static [(&'static str, Keyword)] = &[$($(($text, Keyword::$variant)),+),*];

            /// The first spelling.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Keyword::$variant => first(&[$($text),+])),*
                }
            }
        }
    };
}

const fn first(texts: &[&'static str]) -> &'static str {
    texts[0]
}

#[rustfmt::skip]
keywords! {
    Alignas = "alignas" | "_Alignas",
    Alignof = "alignof" | "__alignof__" | "__alignof" | "_Alignof",
    Asm = "asm" | "__asm__" | "__asm",
    Auto = "auto",
    Bool = "bool" | "_Bool",
    Break = "break",
    Case = "case",
    Catch = "catch",
    Char = "char",
    Char8 = "char8_t",
    Char16 = "char16_t",
    Char32 = "char32_t",
    Class = "class",
    Const = "const" | "__const__" | "__const",
    Consteval = "consteval",
    Constexpr = "constexpr",
    Constinit = "constinit",
    ConstCast = "const_cast",
    Continue = "continue",
    Concept = "concept",
    CoAwait = "co_await",
    CoReturn = "co_return",
    CoYield = "co_yield",
    Decltype = "decltype" | "__decltype",
    Default = "default",
    Delete = "delete",
    Do = "do",
    Double = "double",
    DynamicCast = "dynamic_cast",
    Else = "else",
    Enum = "enum",
    Explicit = "explicit",
    Export = "export",
    Extern = "extern",
    False = "false",
    Float = "float",
    For = "for",
    Friend = "friend",
    Goto = "goto",
    If = "if",
    Inline = "inline" | "__inline__" | "__inline",
    Int = "int",
    Long = "long",
    Mutable = "mutable",
    Namespace = "namespace",
    New = "new",
    Noexcept = "noexcept",
    Nullptr = "nullptr" | "__nullptr",
    Operator = "operator",
    Private = "private",
    Protected = "protected",
    Public = "public",
    Register = "register",
    ReinterpretCast = "reinterpret_cast",
    Requires = "requires",
    Return = "return",
    Short = "short",
    Signed = "signed" | "__signed__" | "__signed",
    Sizeof = "sizeof",
    Static = "static",
    StaticAssert = "static_assert" | "_Static_assert",
    StaticCast = "static_cast",
    Struct = "struct",
    Switch = "switch",
    Template = "template",
    This = "this",
    ThreadLocal = "thread_local" | "__thread" | "_Thread_local",
    Throw = "throw",
    True = "true",
    Try = "try",
    Typedef = "typedef",
    Typeid = "typeid",
    Typename = "typename",
    Typeof = "__typeof__" | "__typeof",
    Union = "union",
    Unsigned = "unsigned",
    Using = "using",
    Virtual = "virtual",
    Void = "void",
    Volatile = "volatile" | "__volatile__" | "__volatile",
    WcharT = "wchar_t",
    While = "while",
    // GNU and other compilers.
    Attribute = "__attribute__" | "__attribute",
    Declspec = "__declspec",
    Extension = "__extension__",
    Restrict = "__restrict__" | "__restrict",
    Complex = "_Complex" | "__complex__" | "__complex",
    Int128 = "__int128",
    Float128 = "__float128",
    Null = "__null",
    Label = "__label__",
    RealPart = "__real__" | "__real",
    ImaginaryPart = "__imag__" | "__imag",
    UnderlyingType = "__underlying_type",
    BuiltinVaArg = "__builtin_va_arg",
    BuiltinOffsetof = "__builtin_offsetof" | "__offsetof__",
    BuiltinBitCast = "__builtin_bit_cast",
    BuiltinTypesCompatible = "__builtin_types_compatible_p",
    // CUDA. A toolkit's headers may define the same words as macros; then those win.
    CudaGlobal = "__global__",
    CudaDevice = "__device__",
    CudaHost = "__host__",
    CudaShared = "__shared__",
    CudaConstant = "__constant__",
    CudaManaged = "__managed__",
    CudaGridConstant = "__grid_constant__",
    CudaLaunchBounds = "__launch_bounds__",
    CudaMaxRegisters = "__maxnreg__",
    CudaClusterDims = "__cluster_dims__",
    CudaBlockSize = "__block_size__",
    CudaNoInline = "__noinline__",
    CudaForceInline = "__forceinline__",
    CudaInlineHint = "__inline_hint__",
    CudaNvPure = "__nv_pure__",
    CudaTile = "__tile_global__",
}

/// Declares the punctuators with their spellings.
macro_rules! punctuators {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// Operators and separators [lex.operators].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Punctuator {
            $(#[doc = concat!("`", $text, "`")] $variant),*
        }

        impl Punctuator {
            /// How it is spelled.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Punctuator::$variant => $text),*
                }
            }
        }
    };
}

punctuators! {
    LeftParenthesis = "(",
    RightParenthesis = ")",
    LeftBracket = "[",
    RightBracket = "]",
    LeftBrace = "{",
    RightBrace = "}",
    Semicolon = ";",
    Comma = ",",
    Colon = ":",
    DoubleColon = "::",
    Question = "?",
    Ellipsis = "...",
    Dot = ".",
    DotStar = ".*",
    Arrow = "->",
    ArrowStar = "->*",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Percent = "%",
    Caret = "^",
    Ampersand = "&",
    Pipe = "|",
    Tilde = "~",
    Exclamation = "!",
    Equal = "=",
    Less = "<",
    Greater = ">",
    PlusEqual = "+=",
    MinusEqual = "-=",
    StarEqual = "*=",
    SlashEqual = "/=",
    PercentEqual = "%=",
    CaretEqual = "^=",
    AmpersandEqual = "&=",
    PipeEqual = "|=",
    DoubleLess = "<<",
    TripleLess = "<<<",
    DoubleLessEqual = "<<=",
    // The four that begin with `>>` never reach the parser.
    DoubleGreater = ">>",
    TripleGreater = ">>>",
    DoubleGreaterEqual = ">>=",
    DoubleEqual = "==",
    ExclamationEqual = "!=",
    LessEqual = "<=",
    GreaterEqual = ">=",
    Spaceship = "<=>",
    DoubleAmpersand = "&&",
    DoublePipe = "||",
    PlusPlus = "++",
    MinusMinus = "--",
    Hash = "#",
    DoubleHash = "##",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_small() {
        assert_eq!(size_of::<Token>(), 16);
    }

    #[test]
    fn spellings() {
        assert_eq!(Keyword::Inline.text(), "inline");
        assert_eq!(Punctuator::TripleLess.text(), "<<<");
    }
}
