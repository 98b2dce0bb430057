//! The statements of a body, taken apart as text.

use std::ops::Range;

/// An instruction: guard, mnemonic with modifiers, operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// `@%p1 ` and the like, else empty.
    pub guard: String,
    /// The mnemonic at its dots: `add`, `s32`.
    pub parts: Vec<String>,
    /// The operands as written.
    pub operands: Vec<String>,
}

impl Statement {
    /// The instruction in `text`, without its semicolon; `None` for directives and nothing.
    fn parse(text: &str) -> Option<Statement> {
        let (guard, rest) = match text.strip_prefix('@') {
            Some(_) => text.split_at(text.find(char::is_whitespace)? + 1),
            None => ("", text),
        };
        let rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (mnemonic, operands) = rest.split_at(end);
        if !mnemonic.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        Some(Statement {
            guard: guard.to_owned(),
            parts: mnemonic.split('.').map(str::to_owned).collect(),
            operands: split_operands(operands),
        })
    }

    /// The instruction as text, with its semicolon.
    pub fn text(&self) -> String {
        let space = if self.operands.is_empty() { "" } else { " " };
        format!(
            "{}{}{space}{};",
            self.guard,
            self.parts.join("."),
            self.operands.join(", ")
        )
    }
}

/// The instructions of a body and where they stand, semicolons included.
pub fn statements(body: &str) -> Vec<(Range<usize>, Statement)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (end, _) in body.match_indices(';') {
        let mut text = &body[start..end];
        loop {
            text = text.trim_start();
            let label = text.find(':').filter(|&n| {
                text[..n]
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_$%".contains(&b))
            });
            text = match (text.strip_prefix(['{', '}']), label) {
                (Some(rest), _) => rest,
                (None, Some(colon)) if !text[colon..].starts_with("::") => &text[colon + 1..],
                _ => break,
            };
        }
        let place = end - text.len()..end + 1;
        found.extend(Statement::parse(text).map(|statement| (place, statement)));
        start = end + 1;
    }
    found
}

/// Operands at their commas, those inside brackets left alone.
pub fn split_operands(text: &str) -> Vec<String> {
    let mut operands = Vec::new();
    let mut depth = 0i32;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth -= 1,
            b',' if depth == 0 => {
                operands.push(text[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !operands.is_empty() {
        operands.push(last.to_owned());
    }
    operands
}
