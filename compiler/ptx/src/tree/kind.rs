//! The kinds of tokens and nodes.

/// What a token or node of the lossless tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum SyntaxKind {
    /// Blanks and line ends.
    Whitespace,
    /// `// …`, without the line end.
    LineComment,
    /// `/* … */`
    BlockComment,
    /// `# 3 "file"` or `#line 3`, alone on its line.
    LineMarker,
    /// A name, opcode or number word: `add`, `%r1`, `$L__BB0_1`, `_`.
    Word,
    /// A word with its dot: `.reg`, `.shared::cta`, `.x`.
    DotWord,
    /// An integer or floating constant.
    Number,
    /// `"…"`
    String,
    /// `(`
    LeftParenthesis,
    /// `)`
    RightParenthesis,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `@`
    At,
    /// `=`
    Equals,
    /// `?`
    Question,
    /// `!` or `~`: only before an operand.
    Prefix,
    /// `+` or `-`: before or between operands.
    Sign,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// Any other operator between operands: `*`, `/`, `%`, `<<`, `>>`, `&`, `&&`, `|`, `||`, `^`, `==`, `!=`, `<=`, `>=`.
    Infix,
    /// Bytes that begin no token: unterminated comments and strings, control and non-ASCII characters.
    Unknown,

    /// The whole text.
    Module,
    /// A directive without braces or semicolon: `.version 9.0`, `.target sm_90`, `.address_size 64`, `.file 1 "a.cu"`.
    Directive,
    /// `.loc 1 2 3`
    Location,
    /// `.pragma "…";`
    Pragma,
    /// `.alias a, b;`
    Alias,
    /// `.section .debug_str { … }`
    Section,
    /// The braces of a section and what is between.
    SectionBody,
    /// `.b8 1, 2, 3`
    SectionLine,
    /// A variable or register declaration with its semicolon.
    Declaration,
    /// One name of a declaration with its count, dimensions and initialiser: `%r<4>`, `a[2] = {1, 2}`.
    Declarator,
    /// The brackets after a declared name or `.const`.
    Dimension,
    /// `<4>` of `%r<4>`
    Count,
    /// A function or kernel, declared or defined.
    Function,
    /// `(…)` of a function, kernel or prototype.
    ParameterList,
    /// One parameter.
    Parameter,
    /// `.maxntid 128, 1, 1` and the like, after the parameters.
    FunctionDirective,
    /// The braces of a function and what is between.
    Body,
    /// A nested scope `{ … }`.
    Block,
    /// `NAME:`
    Label,
    /// `.branchtargets …;`, `.calltargets …;` or `.callprototype …;`
    Table,
    /// An instruction from its guard or opcode to the semicolon.
    Instruction,
    /// `@p` or `@!p`
    Guard,
    /// `ld.global.f32`
    Mnemonic,
    /// All operands of an instruction, or all values of a table or section line.
    Operands,
    /// One operand or constant expression.
    Expression,
    /// `[…]` in an expression.
    Address,
    /// `{…}` in an expression: a vector or an initialiser.
    Vector,
    /// `(…)` in an expression: argument list, cast or grouping.
    List,
    /// Tokens that fit nowhere.
    Error,
}

use SyntaxKind::*;

/// All kinds, in order of their numbers.
const ALL: [SyntaxKind; Error as usize + 1] = [
    Whitespace,
    LineComment,
    BlockComment,
    LineMarker,
    Word,
    DotWord,
    Number,
    String,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Colon,
    At,
    Equals,
    Question,
    Prefix,
    Sign,
    Less,
    Greater,
    Infix,
    Unknown,
    Module,
    Directive,
    Location,
    Pragma,
    Alias,
    Section,
    SectionBody,
    SectionLine,
    Declaration,
    Declarator,
    Dimension,
    Count,
    Function,
    ParameterList,
    Parameter,
    FunctionDirective,
    Body,
    Block,
    Label,
    Table,
    Instruction,
    Guard,
    Mnemonic,
    Operands,
    Expression,
    Address,
    Vector,
    List,
    Error,
];

impl SyntaxKind {
    /// Whether the token says nothing to the assembler's grammar: white space, comments and line markers.
    pub fn is_trivia(self) -> bool {
        matches!(self, Whitespace | LineComment | BlockComment | LineMarker)
    }
}

/// The language of PTX trees, for rowan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PtxLanguage {}

impl rowan::Language for PtxLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        ALL[raw.0 as usize]
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn kinds_are_listed_by_their_numbers() {
        for (number, kind) in ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }
}
