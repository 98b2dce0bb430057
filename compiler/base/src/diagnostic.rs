//! What is wrong, where, and why.

use std::fmt::{self, Write as _};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::{LineColumn, SourceText};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information; changes nothing.
    Note,
    /// The input is accepted, but may not be what was meant.
    Warning,
    /// The input is refused.
    Error,
}

impl Severity {
    /// The word that diagnostics start with.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Where in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// The file as a whole, or no file.
    Whole,
    /// A place in a text, and the bytes meant where they are known.
    Text {
        /// Line and column of the first character.
        place: LineColumn,
        /// Byte range in the text, for the caret; `None` where only the place is known.
        bytes: Option<Range<usize>>,
    },
    /// A byte offset in a binary file.
    Offset(u64),
}

/// One message about an input.
///
/// Shown with `{}` it is one line, `error: FILE:LINE:COLUMN: CONSTRUCT: MESSAGE`, or `error: FILE: offset 0xNN: …` for binary
/// files; [`Diagnostic::render`] adds the source line and the notes.
///
/// ```
/// use warpsmith_base::{Diagnostic, SourceText};
///
/// let source = SourceText::new("k.sass", "MOV R1, R2 ;\nMOV R1, R300 ;\n");
/// let diagnostic = Diagnostic::error("there is no register R300").at(&source, 21..25);
/// assert_eq!(diagnostic.to_string(), "error: k.sass:2:9: there is no register R300");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, without a full stop.
    pub message: String,
    /// The file's name, if there is a file.
    pub file: Option<String>,
    /// Where in it.
    pub position: Position,
    /// The construct at fault, such as `section header 5`.
    pub construct: Option<String>,
    /// Reasons, fixes and other places, one sentence each.
    pub notes: Vec<String>,
    /// The word by which `warpsmith explain` knows its kind; most have none.
    pub code: Option<&'static str>,
}

impl Diagnostic {
    /// A message of any severity, not yet about any place.
    pub fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            file: None,
            position: Position::Whole,
            construct: None,
            notes: Vec::new(),
            code: None,
        }
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    /// Sets the file, about which as a whole the message is unless a position follows.
    pub fn in_file(mut self, file: impl Into<String>) -> Diagnostic {
        self.file = Some(file.into());
        self
    }

    /// Sets file and place from a byte range in a text.
    pub fn at(mut self, source: &SourceText, bytes: Range<usize>) -> Diagnostic {
        let place = source.line_column(bytes.start);
        self.position = Position::Text {
            place,
            bytes: Some(bytes),
        };
        self.in_file(source.name())
    }

    /// Sets the place in a text of which only line and column are known.
    pub fn at_line(mut self, line: usize, column: usize) -> Diagnostic {
        self.position = Position::Text {
            place: LineColumn { line, column },
            bytes: None,
        };
        self
    }

    /// Sets the byte offset in a binary file.
    pub fn at_offset(mut self, offset: u64) -> Diagnostic {
        self.position = Position::Offset(offset);
        self
    }

    /// Names the construct at fault.
    pub fn about(mut self, construct: impl Into<String>) -> Diagnostic {
        self.construct = Some(construct.into());
        self
    }

    /// Says which kind of diagnostic it is.
    pub fn coded(mut self, code: &'static str) -> Diagnostic {
        self.code = Some(code);
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// The diagnostic with its source line, a caret under the bytes meant, and its notes; ends with a line break.
    ///
    /// `source` is the text that the position is in. Without it, or without a byte range, the line and the notes alone.
    pub fn render(&self, source: &SourceText) -> String {
        match &self.position {
            Position::Text { bytes: Some(bytes), .. } => {
                self.annotated(source, bytes).unwrap_or_else(|| self.plain_with_notes())
            }
            Position::Whole | Position::Text { bytes: None, .. } | Position::Offset(_) => self.plain_with_notes(),
        }
    }

    /// The one line, then one line per note.
    pub fn plain_with_notes(&self) -> String {
        let mut out = format!("{self}\n");
        for note in &self.notes {
            let _ = writeln!(out, "  note: {}", OneLine(note));
        }
        out
    }

    /// The source line with a caret; `None` for a line too long to show.
    fn annotated(&self, source: &SourceText, bytes: &Range<usize>) -> Option<String> {
        let line = source.line_column(bytes.start).line;
        let shown = source.line_range(line);
        if shown.len() > LONGEST_LINE {
            return None;
        }
        // Only the first line is shown; a range that goes on ends with it.
        let start = source.on_boundary(bytes.start).clamp(shown.start, shown.end);
        let end = source.on_boundary(bytes.end).clamp(start, shown.end);
        let snippet = Snippet::source(&source.text()[shown.clone()])
            .line_start(line)
            .path(OneLine(source.name()).to_string())
            .annotation(AnnotationKind::Primary.span(start - shown.start..end - shown.start));
        let level = match self.severity {
            Severity::Note => Level::NOTE,
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let title = match &self.construct {
            Some(construct) => format!("{}: {}", OneLine(construct), OneLine(&self.message)),
            None => OneLine(&self.message).to_string(),
        };
        let mut group = level.primary_title(title).element(snippet);
        for note in &self.notes {
            group = group.element(Level::NOTE.message(OneLine(note).to_string()));
        }
        Some(Renderer::plain().render(&[group]) + "\n")
    }
}

/// Longer source lines, in bytes, are not shown.
pub(crate) const LONGEST_LINE: usize = 4096;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity.word())?;
        if let Some(file) = &self.file {
            write!(f, "{}:", OneLine(file))?;
            match &self.position {
                Position::Text { place, .. } => write!(f, "{place}: ")?,
                Position::Whole | Position::Offset(_) => f.write_str(" ")?,
            }
        } else if let Position::Text { place, .. } = &self.position {
            write!(f, "{place}: ")?;
        }
        if let Position::Offset(offset) = self.position {
            write!(f, "offset {offset:#x}: ")?;
        }
        if let Some(construct) = &self.construct {
            write!(f, "{}: ", OneLine(construct))?;
        }
        write!(f, "{}", OneLine(&self.message))
    }
}

impl std::error::Error for Diagnostic {}

/// Shows a text with its control characters escaped, so that it stays on one line and does nothing to a terminal.
pub(crate) struct OneLine<'t>(pub(crate) &'t str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character.is_control() {
                true => write!(f, "{}", character.escape_default())?,
                false => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line() {
        assert_eq!(Diagnostic::error("no input").to_string(), "error: no input");
        assert_eq!(
            Diagnostic::warning("empty file").in_file("a.cubin").to_string(),
            "warning: a.cubin: empty file"
        );
        assert_eq!(
            Diagnostic::error("size 12 is no multiple of 24")
                .in_file("a.cubin")
                .at_offset(0x40)
                .about(".symtab")
                .to_string(),
            "error: a.cubin: offset 0x40: .symtab: size 12 is no multiple of 24"
        );
        assert_eq!(
            Diagnostic::error("odd").in_file("a.tbl").at_line(7, 3).to_string(),
            "error: a.tbl:7:3: odd"
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        let diagnostic = Diagnostic::error("a\nb\u{1b}[31m").in_file("x\ty");
        assert_eq!(diagnostic.to_string(), "error: x\\ty: a\\nb\\u{1b}[31m");
    }

    #[test]
    fn caret_under_the_bytes() {
        let source = SourceText::new("k.sass", "EXIT ;\nMOV R1, R300 ;\n");
        let diagnostic = Diagnostic::error("there is no register R300")
            .at(&source, 15..19)
            .about("MOV")
            .note("registers are R0 to R254 and RZ");
        assert_eq!(
            diagnostic.render(&source),
            "\
error: MOV: there is no register R300
 --> k.sass:2:9
  |
2 | MOV R1, R300 ;
  |         ^^^^
  |
  = note: registers are R0 to R254 and RZ
"
        );
    }

    #[test]
    fn ranges_that_do_not_fit() {
        let source = SourceText::new("k", "añb\nc\n");
        for bytes in [0..999, 2..2, 999..1000, 3..5, 5..6, 6..6] {
            let start = source.line_column(bytes.start);
            let text = Diagnostic::error("x").at(&source, bytes).render(&source);
            assert!(text.contains(&format!("--> k:{}", start.line)), "{text}");
        }
        let source = SourceText::new("long", "x".repeat(LONGEST_LINE + 1));
        let text = Diagnostic::error("x").at(&source, 7..8).note("n").render(&source);
        assert_eq!(text, "error: long:1:8: x\n  note: n\n");
    }
}
