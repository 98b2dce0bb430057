//! What is wrong with a PTX text.

use crate::Span;

/// How bad a problem is, in the words of the vendor's tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Accepted, but likely not what was meant.
    Warning,
    /// The module is refused; reading went on.
    Error,
    /// The module is refused and the vendor's tool would have stopped here (syntax errors); our parser goes on at the next statement.
    Fatal,
}

/// One finding, with a place and a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The bytes at fault; the vendor's form shows the line of the first.
    pub span: Span,
    /// The bytes that people look for, where the vendor's tool finds the problem only later, such as at a closing brace.
    pub cause: Option<Span>,
    /// What is wrong and why, for people; no full stop.
    pub message: String,
    /// The text of the vendor's one-line form, such as `Arguments mismatch for instruction 'add'`, which tools parse; empty: `message`.
    pub vendor: String,
    /// The vendor's tool finds this when the whole file is read, and names no line.
    pub lineless: bool,
    /// Reasons, the manual's section, the version or target that would allow it, near names: one sentence each.
    pub notes: Vec<String>,
}

impl Problem {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            span,
            cause: None,
            message: message.into(),
            vendor: String::new(),
            lineless: false,
            notes: Vec::new(),
        }
    }

    /// A syntax error at `span`.
    pub fn fatal(span: Span, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Fatal,
            ..Problem::error(span, message)
        }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            ..Problem::error(span, message)
        }
    }

    /// Sets the text of the vendor's one-line form.
    pub fn vendor(mut self, text: impl Into<String>) -> Problem {
        self.vendor = text.into();
        self
    }

    /// Says that the vendor's tool names no line.
    pub fn without_line(mut self) -> Problem {
        self.lineless = true;
        self
    }

    /// Says where people look for it.
    pub fn caused_by(mut self, cause: Span) -> Problem {
        self.cause = Some(cause);
        self
    }

    /// The bytes to show to people.
    pub fn shown(&self) -> Span {
        self.cause.unwrap_or(self.span)
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Problem {
        self.notes.push(text.into());
        self
    }

    /// The text of the vendor's one-line form.
    pub fn vendor_text(&self) -> &str {
        if self.vendor.is_empty() {
            &self.message
        } else {
            &self.vendor
        }
    }
}
