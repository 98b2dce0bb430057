//! Where the templates of inline assembly stand in the source: what is wrong in them is told there.

use warpsmith_ir as ir;

use super::assembly::Template;
use super::function::FunctionGenerator;
use crate::hir::AsmStatement;

impl FunctionGenerator<'_, '_> {
    /// Takes note of where a template stands. One that comes out of a macro stands where the macro is called, as the whole statement does.
    pub(super) fn note_template(&mut self, statement: &AsmStatement, template: &Template) {
        let Some(location) = self.location else { return };
        let first = statement.template_at.first;
        let Some(map) = self.generator.map.filter(|_| !first.is_expanded()) else {
            return;
        };
        let Some((source, range)) = map.bytes(statement.template_at) else {
            return;
        };
        let Some(file) = map.file(first) else { return };
        let strings = joined(source.text(), range.start);
        if !strings.text.starts_with(statement.template.as_ref()) && !statement.template.starts_with(&strings.text) {
            return;
        }
        let mut rows: Vec<(u32, ir::LocationId)> = Vec::new();
        for (index, &(start, own)) in template.marks.iter().enumerate() {
            let end = template.marks.get(index + 1).map_or(usize::MAX, |(_, own)| *own);
            let after = strings.rows.partition_point(|(decoded, _)| *decoded <= own);
            let Some(first) = after.checked_sub(1) else { continue };
            for &(decoded, offset) in strings.rows[first..]
                .iter()
                .take_while(|(decoded, _)| *decoded < end.max(own + 1))
            {
                let (at, into) = (decoded.max(own) - own, own.saturating_sub(decoded));
                let origin = map.origin(file, offset + into);
                rows.extend(self.location_of(origin).map(|place| ((start + at) as u32, place)));
            }
        }
        let known = self.generator.module.templates.entry(location).or_default();
        if !known.iter().any(|known| known.template == template.text) {
            known.push(ir::TemplatePlaces {
                template: template.text.clone(),
                rows,
            });
        }
    }
}

/// Strings that stand beside each other in a text, joined.
#[derive(Default)]
struct Joined {
    text: String,
    /// Offsets in it, and in the source, from which both go on alike.
    rows: Vec<(usize, usize)>,
}

/// Reads the strings from an offset on, up to anything that is none.
fn joined(source: &str, start: usize) -> Joined {
    let mut joined = Joined::default();
    let mut at = start;
    while let Some(rest) = source.get(at..) {
        let blank = blank_length(rest);
        let literal = &rest[blank..];
        let read = if let Some(plain) = literal.strip_prefix('"') {
            joined.plain(plain, at + blank + 1)
        } else if let Some(raw) = literal.strip_prefix("R\"") {
            joined.raw(raw, at + blank + 2)
        } else {
            None
        };
        match read {
            Some(end) => at = end,
            None => break,
        }
    }
    joined
}

/// Bytes of white space, comments and joined lines that a text starts with.
fn blank_length(text: &str) -> usize {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let next = if let Some(comment) = trimmed.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else if trimmed.starts_with("//") {
            trimmed.find('\n').map(|end| &trimmed[end..])
        } else if trimmed.starts_with("\\\n") || trimmed.starts_with("\\\r\n") {
            Some(&trimmed[1..])
        } else {
            None
        };
        match next {
            Some(next) => rest = next,
            None => return text.len() - trimmed.len(),
        }
    }
}

impl Joined {
    fn mark(&mut self, offset: usize) {
        self.rows.push((self.text.len(), offset));
    }

    /// A string without its first quotation mark; the offset behind it.
    fn plain(&mut self, text: &str, offset: usize) -> Option<usize> {
        self.mark(offset);
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => return Some(offset + at + 1),
                '\n' => return None,
                '\\' => {
                    self.mark(offset + at);
                    let (_, escaped) = characters.next()?;
                    match escaped {
                        '\n' => {}
                        'n' => self.text.push('\n'),
                        't' => self.text.push('\t'),
                        'r' => self.text.push('\r'),
                        '\\' | '"' | '\'' | '?' => self.text.push(escaped),
                        // Numbers of characters are rare here; what follows has no place of its own.
                        _ => return None,
                    }
                    self.mark(offset + at + 1 + escaped.len_utf8());
                }
                other => self.text.push(other),
            }
        }
        None
    }

    /// A raw string from its delimiter on; the offset behind it.
    fn raw(&mut self, text: &str, offset: usize) -> Option<usize> {
        let (delimiter, body) = text.split_once('(')?;
        let end = format!("){delimiter}\"");
        let length = body.find(&end)?;
        let start = offset + delimiter.len() + 1;
        let mut at = 0;
        for line in body[..length].split_inclusive('\n') {
            self.mark(start + at);
            self.text.push_str(line);
            at += line.len();
        }
        Some(start + length + end.len())
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn strings_beside_each_other() {
        let source = "asm(\"ab\\n\" /* \"no\" */\n  R\"x(c\nd)x\" \"e\" : \"=r\"(x));";
        let joined = joined(source, 4);
        assert_eq!(joined.text, "ab\nc\nde");
        let places: Vec<&str> = (joined.rows.iter().map(|(_, offset)| &source[*offset..*offset + 1])).collect();
        assert_eq!(places, ["a", "\\", "\"", "c", "d", "e"]);
        assert_eq!(
            joined.rows.iter().map(|row| row.0).collect::<Vec<_>>(),
            [0, 2, 3, 3, 5, 6]
        );
    }
}
