//! Messages that are about several places, in one or more texts.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{LONGEST_LINE, OneLine};
use crate::{Severity, SourceText};

/// One message with the lines it is about.
#[derive(Clone, Debug)]
pub struct Excerpt<'s> {
    /// How bad it is; the parts after the first of a message are usually notes.
    pub severity: Severity,
    /// What is wrong, without a full stop.
    pub message: &'s str,
    /// What is underlined; the file and line of the first one head the excerpt.
    pub marks: Vec<Mark<'s>>,
    /// Reasons and fixes without a place, one sentence each.
    pub notes: Vec<&'s str>,
}

/// Underlined bytes of a text.
#[derive(Clone, Debug)]
pub struct Mark<'s> {
    /// The text.
    pub source: &'s SourceText,
    /// The file name to show, which may not be the text's own name.
    pub file: &'s str,
    /// The number to show for the line that `bytes` starts in, which may not be its number in the text.
    pub line: usize,
    /// What is meant. Only the first line of it is underlined.
    pub bytes: Range<usize>,
    /// A word or two beside the line; may be empty.
    pub label: &'s str,
    /// Underlined with `^`, the others with `-`.
    pub primary: bool,
}

/// Lines of one file that are shown together.
struct Stretch<'m, 's> {
    marks: Vec<&'m Mark<'s>>,
    /// First and last line in the text.
    lines: (usize, usize),
    /// Shown number less the number in the text, as the marks have it.
    shift: isize,
}

/// More lines than these between two marks are shown as two stretches.
const FARTHEST: usize = 200;

impl<'s> Excerpt<'s> {
    /// All parts of a message, one below the other; ends with a line break.
    pub fn render(parts: &[Excerpt<'s>]) -> String {
        let groups: Vec<Group<'_>> = parts.iter().map(Excerpt::group).collect();
        Renderer::plain().render(&groups) + "\n"
    }

    fn group(&self) -> Group<'_> {
        let level = match self.severity {
            Severity::Note => Level::NOTE,
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let mut group = level
            .primary_title(OneLine(self.message).to_string())
            .elements(self.stretches().iter().filter_map(Stretch::snippet));
        for note in &self.notes {
            group = group.element(Level::NOTE.message(OneLine(note).to_string()));
        }
        group
    }

    fn stretches(&self) -> Vec<Stretch<'_, 's>> {
        let mut stretches: Vec<Stretch<'_, 's>> = Vec::new();
        for mark in &self.marks {
            let line = mark.source.line_column(mark.bytes.start).line;
            let shift = mark.line as isize - line as isize;
            let near = stretches.iter_mut().find(|stretch| {
                let first = stretch.marks[0];
                std::ptr::eq(first.source, mark.source)
                    && first.file == mark.file
                    && stretch.shift == shift
                    && line + FARTHEST > stretch.lines.0
                    && line < stretch.lines.1 + FARTHEST
            });
            match near {
                Some(stretch) => {
                    stretch.marks.push(mark);
                    stretch.lines = (stretch.lines.0.min(line), stretch.lines.1.max(line));
                }
                None => stretches.push(Stretch {
                    marks: vec![mark],
                    lines: (line, line),
                    shift,
                }),
            }
        }
        stretches
    }
}

impl<'m, 's: 'm> Stretch<'m, 's> {
    /// The lines with their annotations; `None` where they are too long to show.
    fn snippet(&self) -> Option<Snippet<'m, annotate_snippets::Annotation<'m>>> {
        let first = self.marks[0];
        let source = first.source;
        let (from, to) = (source.line_range(self.lines.0), source.line_range(self.lines.1));
        let shown = from.start..to.end.max(from.start);
        if shown.len() > LONGEST_LINE * 8 || from.len() > LONGEST_LINE {
            return None;
        }
        let number = self.lines.0.checked_add_signed(self.shift).unwrap_or(1);
        let mut snippet = Snippet::source(&source.text()[shown.clone()])
            .line_start(number)
            .path(OneLine(first.file).to_string());
        for mark in &self.marks {
            let line = source.line_range(source.line_column(mark.bytes.start).line);
            let start = source.on_boundary(mark.bytes.start).clamp(line.start, line.end);
            let end = source.on_boundary(mark.bytes.end).clamp(start, line.end);
            let kind = match mark.primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            let mut annotation = kind.span(start - shown.start..end - shown.start);
            if !mark.label.is_empty() {
                annotation = annotation.label(OneLine(mark.label).to_string());
            }
            snippet = snippet.annotation(annotation);
        }
        Some(snippet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_places_and_a_note_elsewhere() {
        let source = SourceText::new("a.cu", "int f(int);\nint x = f(\"s\");\n");
        let mark = |bytes: Range<usize>, line, label, primary| Mark {
            source: &source,
            file: "a.cu",
            line,
            bytes,
            label,
            primary,
        };
        let parts = [
            Excerpt {
                severity: Severity::Error,
                message: "no function `f` takes these arguments",
                marks: vec![mark(20..21, 2, "", true), mark(22..25, 2, "a pointer", false)],
                notes: vec!["one was tried"],
            },
            Excerpt {
                severity: Severity::Note,
                message: "candidate",
                marks: vec![mark(4..5, 1, "", true)],
                notes: vec![],
            },
        ];
        assert_eq!(
            Excerpt::render(&parts),
            "\
error: no function `f` takes these arguments
 --> a.cu:2:9
  |
2 | int x = f(\"s\");
  |         ^ --- a pointer
  |
  = note: one was tried
note: candidate
 --> a.cu:1:5
  |
1 | int f(int);
  |     ^
"
        );
    }

    #[test]
    fn any_range_is_shown_or_left_out() {
        let source = SourceText::new("k", "añb\nc\n");
        for bytes in [0..999, 2..2, 999..1000, 3..5, 5..6, 6..6] {
            let line = source.line_column(bytes.start).line;
            let mark = Mark {
                source: &source,
                file: "k",
                line,
                bytes,
                label: "",
                primary: true,
            };
            let part = Excerpt {
                severity: Severity::Error,
                message: "x",
                marks: vec![mark],
                notes: vec![],
            };
            assert!(Excerpt::render(&[part]).contains(&format!("--> k:{line}")));
        }
    }
}
