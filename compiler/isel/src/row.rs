//! Rows of `intrinsics.tbl`: finding the one of an intrinsic, and its right side in pieces. The table's head has the grammar.

use smallvec::SmallVec;

use crate::register::Class;

include!(concat!(env!("OUT_DIR"), "/lines.rs"));

/// One line of the table.
struct Line {
    /// The text before the first `{` or `*`.
    prefix: &'static str,
    /// The rest of the name pattern.
    pattern: &'static str,
    /// The least target.
    target: u16,
    /// The right side.
    instructions: &'static str,
}

/// An intrinsic's row, with what the alternatives of its name stand for.
pub(crate) struct Row {
    /// The right side.
    pub(crate) instructions: &'static str,
    /// The texts of `<1>`, `<2>` …
    pub(crate) captures: Captures,
}

type Captures = SmallVec<[&'static str; 6]>;

/// The row of the intrinsic `name` for target `sm_NN`.
pub(crate) fn find(name: &str, target: u16) -> Option<Row> {
    LINES.iter().filter(|line| line.target <= target).find_map(|line| {
        let rest = name.strip_prefix(line.prefix)?;
        let mut captures = Captures::new();
        matches(line.pattern, rest, &mut captures).then_some(Row {
            instructions: line.instructions,
            captures,
        })
    })
}

/// Whether `name` fits `pattern`; fills in the captures if it does.
fn matches(pattern: &'static str, name: &str, captures: &mut Captures) -> bool {
    if pattern.is_empty() {
        return name.is_empty();
    }
    if pattern.starts_with('*') {
        return true;
    }
    if let Some(rest) = pattern.strip_prefix('{') {
        let Some((group, after)) = rest.split_once('}') else {
            return false;
        };
        for alternative in group.split('|') {
            let (text, capture) = alternative.split_once('=').unwrap_or((alternative, alternative));
            // `*` at the end of an alternative: whatever follows.
            if let Some(start) = text.strip_suffix('*') {
                if name.starts_with(start) {
                    captures.push(capture);
                    return true;
                }
                continue;
            }
            if let Some(name) = name.strip_prefix(text) {
                let depth = captures.len();
                captures.push(capture);
                if matches(after, name, captures) {
                    return true;
                }
                captures.truncate(depth);
            }
        }
        return false;
    }
    let split = pattern.find(['{', '*']).unwrap_or(pattern.len());
    let (literal, after) = pattern.split_at(split);
    name.strip_prefix(literal)
        .is_some_and(|name| matches(after, name, captures))
}

/// A piece of a right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Text as it stands.
    Text(&'t str),
    /// `<N>`, from 0.
    Capture(usize),
    /// `<ftz>`
    Ftz,
    /// `<sqrt>`
    Sqrt,
    /// `$d` or `$dN`
    Result(usize),
    /// `$d*`
    Results,
    /// `$N`
    Argument(usize),
    /// `$N..M`
    Arguments(usize, usize),
    /// `$N*`
    ArgumentsFrom(usize),
    /// `#N`
    Constant(usize),
    /// `@N`
    Address(usize),
    /// `?N(` or `!N(`: the text up to `)` only if the argument is not zero, is zero.
    If(usize, bool, &'t str),
    /// `?N{…}`: one of the texts between the bars, by the argument's value.
    Choice(usize, &'t str),
    /// `$tp0` …
    Temporary(Class, usize),
}

/// Splits an instruction of a right side into pieces.
pub(crate) fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let Some(at) = text.find(['<', '$', '#', '@', '?', '!']) else {
            pieces.push(Piece::Text(text));
            break;
        };
        if at > 0 {
            pieces.push(Piece::Text(&text[..at]));
        }
        let (piece, rest) = piece(&text[at..]);
        pieces.push(piece);
        text = rest;
    }
    pieces
}

/// Reads the piece that starts with a sign; text that is none stays text.
fn piece(text: &str) -> (Piece<'_>, &str) {
    let (sign, rest) = text.split_at(1);
    let plain = (Piece::Text(sign), rest);
    match sign {
        "<" => {
            let Some((inner, rest)) = rest.split_once('>') else {
                return plain;
            };
            let piece = match inner {
                "ftz" => Piece::Ftz,
                "sqrt" => Piece::Sqrt,
                _ => match inner.parse::<usize>() {
                    Ok(number) if number > 0 => Piece::Capture(number - 1),
                    _ => return plain,
                },
            };
            (piece, rest)
        }
        "#" => number(rest).map_or(plain, |(number, rest)| (Piece::Constant(number), rest)),
        "@" => number(rest).map_or(plain, |(number, rest)| (Piece::Address(number), rest)),
        "?" | "!" => {
            let Some((number, rest)) = number(rest) else {
                return plain;
            };
            if let Some((texts, rest)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                return (Piece::Choice(number, texts), rest);
            }
            let Some((inner, rest)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
                return plain;
            };
            (Piece::If(number, sign == "?", inner), rest)
        }
        _ => operand(rest).unwrap_or(plain),
    }
}

/// What follows a `$`.
fn operand(rest: &str) -> Option<(Piece<'_>, &str)> {
    if let Some(rest) = rest.strip_prefix('d') {
        return Some(match rest.strip_prefix('*') {
            Some(rest) => (Piece::Results, rest),
            None => number(rest).map_or((Piece::Result(0), rest), |(number, rest)| (Piece::Result(number), rest)),
        });
    }
    if let Some(rest) = rest.strip_prefix('t') {
        let class = match rest.as_bytes().first()? {
            b'p' => Class::Predicate,
            b'h' => Class::B16,
            b'r' => Class::B32,
            b'l' => Class::B64,
            b'f' => Class::F32,
            b'd' => Class::F64,
            b'q' => Class::B128,
            _ => return None,
        };
        let (number, rest) = number(&rest[1..])?;
        return Some((Piece::Temporary(class, number), rest));
    }
    let (first, rest) = number(rest)?;
    if let Some(rest) = rest.strip_prefix('*') {
        return Some((Piece::ArgumentsFrom(first), rest));
    }
    if let Some((last, rest)) = rest.strip_prefix("..").and_then(number) {
        return Some((Piece::Arguments(first, last), rest));
    }
    Some((Piece::Argument(first), rest))
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::{LINES, Piece, find, pieces};
    use crate::register::Class;

    fn filled(name: &str) -> String {
        let row = find(name, 90).unwrap();
        pieces(row.instructions)
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => (*text).to_owned(),
                Piece::Capture(number) => row.captures[*number].to_owned(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn alternatives_of_the_name_are_filled_in() {
        assert_eq!(filled("llvm.nvvm.read.ptx.sreg.tid.x"), "mov.u32 Result(0), %tid.x");
        assert_eq!(
            filled("llvm.nvvm.add.rn.ftz.f"),
            "add.rn.ftz.f32 Result(0), Argument(0), Argument(1)"
        );
        assert_eq!(filled("llvm.nvvm.barrier0"), "bar.sync 0");
    }

    #[test]
    fn the_first_row_that_fits_is_taken() {
        assert!(find("llvm.fma.bf16", 75).is_none());
        assert!(find("llvm.fma.bf16", 80).is_some());
        assert!(find("llvm.nvvm.no.such", 90).is_none());
    }

    #[test]
    fn pieces_of_a_right_side() {
        assert_eq!(
            pieces("x?7(.y) {$d*}, [@0], $1..3, $2*, #4, $tp0, $tr1"),
            [
                Piece::Text("x"),
                Piece::If(7, true, ".y"),
                Piece::Text(" {"),
                Piece::Results,
                Piece::Text("}, ["),
                Piece::Address(0),
                Piece::Text("], "),
                Piece::Arguments(1, 3),
                Piece::Text(", "),
                Piece::ArgumentsFrom(2),
                Piece::Text(", "),
                Piece::Constant(4),
                Piece::Text(", "),
                Piece::Temporary(Class::Predicate, 0),
                Piece::Text(", "),
                Piece::Temporary(Class::B32, 1),
            ]
        );
    }

    #[test]
    fn every_line_is_a_row_whose_captures_exist() {
        for row in LINES {
            let groups = row.pattern.matches('{').count();
            for piece in pieces(row.instructions) {
                assert!(
                    !matches!(piece, Piece::Capture(number) if number >= groups),
                    "{}",
                    row.instructions
                );
            }
        }
    }
}
