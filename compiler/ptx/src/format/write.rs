//! From tokens with gaps to text.

use super::{
    LINE_WIDTH,
    layout::{Comment, Gap, Piece},
};
use crate::tree::SyntaxKind;

/// The text of the pieces.
pub(super) fn write(pieces: &[Piece]) -> String {
    let mut writer = Writer {
        output: String::new(),
        column: 0,
        broken_until: None,
    };
    for (index, piece) in pieces.iter().enumerate() {
        let gap = writer.resolve(pieces, index);
        let after_opening = index.checked_sub(1).is_none_or(|previous| pieces[previous].opens());
        writer.gap(piece, gap, after_opening);
        writer.text(piece.text());
        if let Some(end) = piece.group_end {
            let comments = pieces[index + 1..=end].iter().any(|piece| !piece.comments.is_empty());
            if comments || writer.column + width(&pieces[index + 1..=end]) > LINE_WIDTH {
                writer.broken_until = Some(end);
            }
        }
    }
    writer.output
}

struct Writer {
    output: String,
    column: usize,
    /// The last piece of the broken group we are in.
    broken_until: Option<usize>,
}

/// The characters of pieces on one line.
fn width(pieces: &[Piece]) -> usize {
    let gap = |gap| match gap {
        Gap::None | Gap::Edge(_) => 0,
        Gap::Space | Gap::Element(_) | Gap::Fill(_) | Gap::Line(_) => 1,
        Gap::Tab => 8,
    };
    pieces
        .iter()
        .map(|piece| gap(piece.gap) + piece.text().chars().count())
        .sum()
}

impl Writer {
    /// What the gap of a piece is, now that it is known which groups are broken.
    fn resolve(&self, pieces: &[Piece], index: usize) -> Gap {
        let broken = self.broken_until.is_some_and(|end| index <= end);
        match pieces[index].gap {
            Gap::Edge(depth) | Gap::Element(depth) if broken => Gap::Line(depth),
            Gap::Edge(_) => Gap::None,
            Gap::Element(_) => Gap::Space,
            Gap::Fill(depth) if broken => {
                let rest = &pieces[index + 1..];
                let length = rest
                    .iter()
                    .take_while(|piece| matches!(piece.gap, Gap::None | Gap::Space))
                    .count();
                if self.column + width(&pieces[index..=index + length]) > LINE_WIDTH {
                    Gap::Line(depth)
                } else {
                    Gap::Space
                }
            }
            Gap::Fill(_) => Gap::Space,
            gap @ (Gap::None | Gap::Space | Gap::Tab | Gap::Line(_)) => gap,
        }
    }

    /// Writes comments and white space before a piece.
    fn gap(&mut self, piece: &Piece, gap: Gap, after_opening: bool) {
        let fill = match piece.gap {
            Gap::Fill(depth) => depth,
            _ => piece.continuation,
        };
        let (depth, is_line) = match gap {
            Gap::Line(depth) => (depth, true),
            _ => (fill, false),
        };
        for (index, comment) in piece.comments.iter().enumerate() {
            let blank = is_line && comment.lines > 1 && !(after_opening && index == 0);
            self.comment(comment, depth + u32::from(is_line && piece.closes()), blank);
        }
        let end = piece.token.is_none();
        let blank = piece.lines > 1 && !piece.closes() && !end;
        match piece.comments.last() {
            _ if end => self.end(),
            None if is_line => self.line(depth, blank && !after_opening),
            None => self.blanks(gap),
            // A block comment at the start of a line, and the token after it on the same line.
            Some(comment)
                if comment.kind == SyntaxKind::BlockComment
                    && piece.lines == 0
                    && (!is_line || self.begins_line(comment)) =>
            {
                self.text(" ")
            }
            Some(_) => self.line(depth, blank && is_line),
        }
    }

    /// Whether a comment, the last thing written, began its line.
    fn begins_line(&self, comment: &Comment) -> bool {
        let before = &self.output[..self.output.len() - comment.text.len()];
        before.trim_end_matches('\t').is_empty() || before.trim_end_matches('\t').ends_with('\n')
    }

    fn comment(&mut self, comment: &Comment, depth: u32, blank: bool) {
        let marker = comment.kind == SyntaxKind::LineMarker;
        if comment.lines > 0 || self.output.is_empty() || marker {
            self.line(if marker { 0 } else { depth }, blank);
        } else {
            self.text(" ");
        }
        self.text(&comment.text);
    }

    /// A new line, after an empty one if `blank`. At the start of the output, only the indentation.
    fn line(&mut self, depth: u32, blank: bool) {
        if !self.output.is_empty() {
            self.output.push_str(if blank { "\n\n" } else { "\n" });
        }
        self.column = 0;
        for _ in 0..depth {
            self.text("\t");
        }
    }

    fn blanks(&mut self, gap: Gap) {
        match gap {
            Gap::Space => self.text(" "),
            Gap::Tab => self.text(" \t"),
            Gap::None | Gap::Line(_) | Gap::Edge(_) | Gap::Element(_) | Gap::Fill(_) => (),
        }
    }

    fn end(&mut self) {
        if !self.output.is_empty() {
            self.output.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            self.column = match character {
                '\n' => 0,
                '\t' => self.column / 8 * 8 + 8,
                _ => self.column + 1,
            };
        }
        self.output.push_str(text);
    }
}
