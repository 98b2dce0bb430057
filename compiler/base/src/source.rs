//! A text with a name, and the way from byte offsets to lines and columns.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// A source text and where its lines start.
#[derive(Clone, Debug)]
pub struct SourceText {
    name: String,
    text: String,
    /// Byte offset of the start of each line; the first is 0. Found when a line is asked for first.
    line_starts: OnceLock<Vec<usize>>,
    /// Whether every character is one byte, so that columns need not be counted.
    is_ascii: OnceLock<bool>,
}

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line; lines end with a line feed.
    pub line: usize,
    /// The column, in characters (Unicode scalar values).
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl SourceText {
    /// Takes `text` in; `name` is the file name that diagnostics show.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceText {
        SourceText {
            name: name.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            is_ascii: OnceLock::new(),
        }
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.bytes().zip(1..);
            let after_breaks = bytes.filter(|&(byte, _)| byte == b'\n').map(|(_, after)| after);
            std::iter::once(0).chain(after_breaks).collect()
        })
    }

    /// The name that diagnostics show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are: one more than line feeds.
    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// Line and column of a byte offset, in time logarithmic in the number of lines.
    ///
    /// An offset inside a character stands for the character, one past the end for the end.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let offset = self.on_boundary(offset);
        let line = self.line_starts().partition_point(|&start| start <= offset);
        let start = self.line_starts()[line - 1];
        LineColumn {
            line,
            column: match *self.is_ascii.get_or_init(|| self.text.is_ascii()) {
                true => offset - start + 1,
                false => self.text[start..offset].chars().count() + 1,
            },
        }
    }

    /// The bytes of a line (counted from 1) without its line break; empty for a line that does not exist.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.line_starts().get(index)) else {
            return self.text.len()..self.text.len();
        };
        let end = self.line_starts().get(line).map_or(self.text.len(), |&next| next - 1);
        let content = self.text[start..end].trim_end_matches('\r');
        start..start + content.len()
    }

    /// The text of a line (counted from 1) without its line break.
    pub fn line(&self, line: usize) -> &str {
        &self.text[self.line_range(line)]
    }

    /// The nearest offset at or before `offset` that starts a character or ends the text.
    pub(crate) fn on_boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_to_lines() {
        let source = SourceText::new("a.ptx", "ab\n\ncdé\r\nx");
        let place = |offset| source.line_column(offset).to_string();
        assert_eq!(place(0), "1:1");
        assert_eq!(place(2), "1:3"); // the line feed belongs to its line
        assert_eq!(place(3), "2:1");
        assert_eq!(place(6), "3:3");
        assert_eq!(place(7), "3:3"); // the second byte of é
        assert_eq!(place(8), "3:4");
        assert_eq!(place(10), "4:1");
        assert_eq!(place(1000), "4:2");
    }

    #[test]
    fn lines_without_their_breaks() {
        let source = SourceText::new("a.ptx", "ab\n\ncdé\r\nx\n");
        let lines: Vec<_> = (0..=6).map(|line| source.line(line)).collect();
        assert_eq!(lines, ["", "ab", "", "cdé", "x", "", ""]);
        assert_eq!(source.line_count(), 5);
        assert_eq!(
            SourceText::new("empty", "").line_column(3),
            LineColumn { line: 1, column: 1 }
        );
    }
}
