//! Preprocessed text with line markers, as `-E` prints it.

use std::fmt::Write as _;

use super::lexer::{self, Flags, RawKind, RawToken};
use super::map::Place;
use super::preprocess::{Move, Preprocessor, RawPragmaKind};
use super::token::Punctuator;

/// More empty lines than these are told by a line marker.
const MOST_EMPTY_LINES: u32 = 8;

/// Where printing is.
struct Printer {
    out: String,
    /// Name of the file and number of the line that is being printed.
    file: std::sync::Arc<str>,
    line: u32,
    /// Nothing has been printed on the line.
    at_start: bool,
    /// The last token of the line.
    last: Option<RawToken>,
}

/// Prints all tokens of a unit.
pub(crate) fn print(preprocessor: &mut Preprocessor<'_>) -> String {
    let mut printer = Printer {
        out: String::new(),
        file: "".into(),
        line: 0,
        at_start: true,
        last: None,
    };
    loop {
        let token = preprocessor.next();
        if token.kind == RawKind::End {
            break;
        }
        let moves = preprocessor.moves.as_mut().map(std::mem::take).unwrap_or_default();
        if let Some(place) = preprocessor.context.map.place(token.origin) {
            let system = preprocessor.context.map.is_system(token.origin);
            printer.go_to(&place, &token, &moves, system);
        }
        printer.token(&token, preprocessor);
    }
    printer.break_line();
    printer.out
}

impl Printer {
    fn break_line(&mut self) {
        if !self.at_start {
            self.out.push('\n');
            self.line += 1;
        }
        self.at_start = true;
        self.last = None;
    }

    /// Goes to the line of a token.
    fn go_to(&mut self, place: &Place, token: &RawToken, moves: &[Move], system: bool) {
        let same_file = *self.file == *place.file && !moves.contains(&Move::Enter);
        // Tokens of one call of a macro stay on its line, and what follows it on its last line too.
        if same_file && !token.flags.has(Flags::LINE_START) {
            return;
        }
        self.break_line();
        let gap = place.line.wrapping_sub(self.line);
        if same_file && gap <= MOST_EMPTY_LINES {
            for _ in 0..gap {
                self.out.push('\n');
            }
        } else {
            let flag = match moves.last() {
                _ if *self.file == *place.file || self.file.is_empty() => "",
                Some(Move::Enter) => " 1",
                Some(Move::Leave) => " 2",
                None => "",
            };
            let name = place.file.replace('\\', "\\\\").replace('"', "\\\"");
            let system = if system { " 3" } else { "" };
            let _ = writeln!(self.out, "# {} \"{name}\"{flag}{system}", place.line);
        }
        self.file = place.file.clone();
        self.line = place.line;
        for _ in 1..place.column.min(40) {
            self.out.push(' ');
        }
    }

    fn token(&mut self, token: &RawToken, preprocessor: &Preprocessor<'_>) {
        if let RawKind::Pragma(number) = token.kind {
            return self.pragma(number, preprocessor);
        }
        if let Some(last) = &self.last
            && (token.flags.has(Flags::SPACE) || would_join(last, token, preprocessor))
        {
            self.out.push(' ');
        }
        lexer::spelling(preprocessor.context, token, &mut self.out);
        self.at_start = false;
        self.last = Some(*token);
    }

    fn pragma(&mut self, number: u32, preprocessor: &Preprocessor<'_>) {
        self.break_line();
        let pragma = &preprocessor.pragmas[number as usize];
        self.out.push_str("#pragma");
        self.out.push_str(match pragma.kind {
            RawPragmaKind::Unroll => " unroll",
            RawPragmaKind::NoUnroll => " nounroll",
            RawPragmaKind::Pack => " pack",
            RawPragmaKind::Section(_) | RawPragmaKind::Other => "",
        });
        for (index, token) in pragma.tokens.iter().enumerate() {
            if index == 0 || token.flags.has(Flags::SPACE) {
                self.out.push(' ');
            }
            lexer::spelling(preprocessor.context, token, &mut self.out);
        }
        self.at_start = false;
        self.break_line();
    }
}

/// Whether two tokens printed side by side would be read as others.
fn would_join(left: &RawToken, right: &RawToken, preprocessor: &Preprocessor<'_>) -> bool {
    let word = |kind: RawKind| matches!(kind, RawKind::Identifier(_) | RawKind::Number(_));
    match (left.kind, right.kind) {
        (a, RawKind::Identifier(_) | RawKind::Number(_)) if word(a) => true,
        (RawKind::String(_) | RawKind::Character(_), RawKind::Identifier(_)) => true,
        (RawKind::Identifier(name), RawKind::String(_) | RawKind::Character(_)) => {
            matches!(
                preprocessor.context.text(name),
                "u8" | "u" | "U" | "L" | "R" | "u8R" | "uR" | "UR" | "LR"
            )
        }
        (RawKind::Number(_), RawKind::Punctuator(Punctuator::Dot | Punctuator::DotStar | Punctuator::Ellipsis)) => true,
        (RawKind::Number(number), RawKind::Punctuator(right)) => {
            preprocessor.context.text(number).ends_with(['e', 'E', 'p', 'P']) && right.text().starts_with(['+', '-'])
        }
        (RawKind::Punctuator(Punctuator::Dot), RawKind::Number(_)) => true,
        (RawKind::Punctuator(left), RawKind::Punctuator(right)) => punctuators_join(left, right),
        (RawKind::Other('\\'), _) => true,
        _ => false,
    }
}

fn punctuators_join(left: Punctuator, right: Punctuator) -> bool {
    let Some(first) = right.text().bytes().next() else {
        return false;
    };
    match left.text() {
        "+" | "-" | "&" | "|" | "=" | "<" | ">" | "<<" | ">>" | "*" | "/" | "%" | "^" | "!" | ":" | "#" | "."
        | "->" | "<=" | "<<<" | ">>>" => {
            let last = left.text().bytes().last().unwrap_or(0);
            first == b'='
                || first == last
                || matches!(
                    (last, first),
                    (b'-', b'>')
                        | (b'>', b'*')
                        | (b'.', b'*')
                        | (b'/', b'*')
                        | (b'<', b':' | b'%')
                        | (b'%', b':' | b'>')
                        | (b':', b'>')
                        | (b'=', b'>')
                )
        }
        _ => false,
    }
}
