//! Operators and separators.

use super::super::token::Punctuator;
use super::cursor::Cursor;

/// The punctuator that starts with `first`, which the cursor is at, and whether it is spelled as digraph.
pub(super) fn punctuator(cursor: &mut Cursor<'_>, first: u8, spaceship: bool) -> Option<(Punctuator, bool)> {
    use Punctuator as P;
    let simple = |cursor: &mut Cursor<'_>, punctuator| {
        cursor.bump();
        Some((punctuator, false))
    };
    match first {
        b'(' => return simple(cursor, P::LeftParenthesis),
        b')' => return simple(cursor, P::RightParenthesis),
        b'[' => return simple(cursor, P::LeftBracket),
        b']' => return simple(cursor, P::RightBracket),
        b'{' => return simple(cursor, P::LeftBrace),
        b'}' => return simple(cursor, P::RightBrace),
        b';' => return simple(cursor, P::Semicolon),
        b',' => return simple(cursor, P::Comma),
        b'?' => return simple(cursor, P::Question),
        b'~' => return simple(cursor, P::Tilde),
        b':' | b'.' | b'-' | b'+' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|' | b'!' | b'=' | b'<' | b'>' | b'#' => {}
        _ => return None,
    }
    cursor.bump();
    // `with(a, x, b)`: `x` after this makes `a`, else it is `b`.
    let pair = |cursor: &mut Cursor<'_>, byte, two, one| if cursor.take(byte) { two } else { one };
    let mut digraph = false;
    let punctuator = match first {
        b':' if cursor.peek() == b'>' => {
            cursor.bump();
            digraph = true;
            P::RightBracket
        }
        b':' => pair(cursor, b':', P::DoubleColon, P::Colon),
        b'.' if cursor.peek() == b'.' && cursor.peek_second() == b'.' => {
            cursor.bump();
            cursor.peek();
            cursor.bump();
            P::Ellipsis
        }
        b'.' => pair(cursor, b'*', P::DotStar, P::Dot),
        b'-' if cursor.take(b'>') => pair(cursor, b'*', P::ArrowStar, P::Arrow),
        b'-' if cursor.take(b'-') => P::MinusMinus,
        b'-' => pair(cursor, b'=', P::MinusEqual, P::Minus),
        b'+' if cursor.take(b'+') => P::PlusPlus,
        b'+' => pair(cursor, b'=', P::PlusEqual, P::Plus),
        b'*' => pair(cursor, b'=', P::StarEqual, P::Star),
        b'/' => pair(cursor, b'=', P::SlashEqual, P::Slash),
        b'%' if cursor.take(b'=') => P::PercentEqual,
        b'%' if cursor.take(b'>') => {
            digraph = true;
            P::RightBrace
        }
        b'%' if cursor.take(b':') => {
            digraph = true;
            if cursor.peek() == b'%' && cursor.peek_second() == b':' {
                cursor.bump();
                cursor.peek();
                cursor.bump();
                P::DoubleHash
            } else {
                P::Hash
            }
        }
        b'%' => P::Percent,
        b'^' => pair(cursor, b'=', P::CaretEqual, P::Caret),
        b'&' if cursor.take(b'&') => P::DoubleAmpersand,
        b'&' => pair(cursor, b'=', P::AmpersandEqual, P::Ampersand),
        b'|' if cursor.take(b'|') => P::DoublePipe,
        b'|' => pair(cursor, b'=', P::PipeEqual, P::Pipe),
        b'!' => pair(cursor, b'=', P::ExclamationEqual, P::Exclamation),
        b'=' => pair(cursor, b'=', P::DoubleEqual, P::Equal),
        b'#' => pair(cursor, b'#', P::DoubleHash, P::Hash),
        b'<' => less(cursor, spaceship, &mut digraph),
        _ => greater(cursor),
    };
    Some((punctuator, digraph))
}

/// What starts with `<`, which has been passed over.
fn less(cursor: &mut Cursor<'_>, spaceship: bool, digraph: &mut bool) -> Punctuator {
    use Punctuator as P;
    match cursor.peek() {
        b'<' => {
            cursor.bump();
            match cursor.peek() {
                b'<' => {
                    cursor.bump();
                    P::TripleLess
                }
                b'=' => {
                    cursor.bump();
                    P::DoubleLessEqual
                }
                _ => P::DoubleLess,
            }
        }
        b'=' => {
            cursor.bump();
            if spaceship && cursor.take(b'>') {
                P::Spaceship
            } else {
                P::LessEqual
            }
        }
        b':' => {
            // `<::` is `<` and `::`, unless `:` or `>` follows [lex.pptoken].
            let at = cursor.at;
            cursor.bump();
            if cursor.peek() == b':' && !matches!(cursor.peek_second(), b':' | b'>') {
                cursor.at = at;
                return P::Less;
            }
            *digraph = true;
            P::LeftBracket
        }
        b'%' => {
            cursor.bump();
            *digraph = true;
            P::LeftBrace
        }
        _ => P::Less,
    }
}

/// What starts with `>`, which has been passed over.
fn greater(cursor: &mut Cursor<'_>) -> Punctuator {
    use Punctuator as P;
    match cursor.peek() {
        b'>' => {
            cursor.bump();
            match cursor.peek() {
                b'>' => {
                    cursor.bump();
                    P::TripleGreater
                }
                b'=' => {
                    cursor.bump();
                    P::DoubleGreaterEqual
                }
                _ => P::DoubleGreater,
            }
        }
        b'=' => {
            cursor.bump();
            P::GreaterEqual
        }
        _ => P::Greater,
    }
}

/// How a punctuator is spelled as digraph.
pub(crate) fn digraph_text(punctuator: Punctuator) -> &'static str {
    match punctuator {
        Punctuator::LeftBracket => "<:",
        Punctuator::RightBracket => ":>",
        Punctuator::LeftBrace => "<%",
        Punctuator::RightBrace => "%>",
        Punctuator::Hash => "%:",
        Punctuator::DoubleHash => "%:%:",
        other => other.text(),
    }
}

/// What the words that stand for operators mean [lex.digraph].
pub(crate) fn operator_word(text: &str) -> Option<Punctuator> {
    Some(match text {
        "and" => Punctuator::DoubleAmpersand,
        "and_eq" => Punctuator::AmpersandEqual,
        "bitand" => Punctuator::Ampersand,
        "bitor" => Punctuator::Pipe,
        "compl" => Punctuator::Tilde,
        "not" => Punctuator::Exclamation,
        "not_eq" => Punctuator::ExclamationEqual,
        "or" => Punctuator::DoublePipe,
        "or_eq" => Punctuator::PipeEqual,
        "xor" => Punctuator::Caret,
        "xor_eq" => Punctuator::CaretEqual,
        _ => return None,
    })
}
