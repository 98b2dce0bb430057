//! Literals (\[lex.literal\]): the lexer's, with those that are keywords.

use crate::source;

/// A literal. The suffix of a user-defined literal is in the lexer's literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An integer; its type follows from value, suffix and base (\[lex.icon\]).
    Integer(source::IntegerLiteral),
    /// A floating-point number.
    Float(source::FloatLiteral),
    /// One character, or several.
    Character(source::CharacterLiteral),
    /// A string, adjacent pieces joined.
    String(source::StringLiteral),
    /// `true` or `false`.
    Bool(bool),
    /// `nullptr`.
    Nullptr,
    /// GNU's `__null`: a null pointer constant of an integer type as wide as a pointer.
    GnuNull,
}
