//! What is said of a source, and why nothing was made of it.

use std::fmt;

use warpsmith_base::{Cause, Diagnostic, Severity, SourceText, fault};

/// Something that is said of a source: an error, a warning, or a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is, what it says, and where: for programs.
    pub diagnostic: Diagnostic,
    /// The number that nvcc gives such a warning, by which it can be switched off.
    pub number: Option<u32>,
    /// The same for people: with the line of the source, a caret and notes; ends with a line break.
    pub rendered: String,
}

impl Message {
    /// A message about a text that is at hand.
    pub(crate) fn about(diagnostic: Diagnostic, source: &SourceText) -> Message {
        Message {
            rendered: diagnostic.render(source),
            diagnostic,
            number: None,
        }
    }

    /// A message without a line of the source.
    pub(crate) fn plain(diagnostic: Diagnostic) -> Message {
        Message {
            rendered: diagnostic.plain_with_notes(),
            diagnostic,
            number: None,
        }
    }

    /// The header that is not there, where that is what the message says.
    pub fn missing_header(&self) -> Option<&str> {
        warpsmith_cuda::source::missing_header(&self.diagnostic.message)
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.diagnostic.severity
    }
}

/// One line: `error: FILE:LINE:COLUMN: MESSAGE`.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic.fmt(f)
    }
}

/// Why nothing was made. The messages hold all that was said, warnings included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The source is wrong: it breaks a rule of its language, or asks for more than the target has.
    Rejected(Vec<Message>),
    /// Something in the source is not supported. Nothing else is known to be wrong with it.
    Unsupported(Vec<Message>),
    /// A mistake of Warpsmith's own.
    Internal(Vec<Message>),
    /// The session's [`Cancel`](crate::Cancel) was set.
    Cancelled,
}

impl Failure {
    /// The failure of a cause.
    pub(crate) fn of(cause: Cause, messages: Vec<Message>) -> Failure {
        match cause {
            Cause::Input => Failure::Rejected(messages),
            Cause::Unsupported => Failure::Unsupported(messages),
            Cause::Internal => Failure::Internal(messages),
        }
    }

    /// A source that is wrong in one way.
    pub(crate) fn rejected(diagnostic: Diagnostic) -> Failure {
        Failure::Rejected(vec![Message::plain(diagnostic)])
    }

    /// Mistakes of Warpsmith's own, put into words by [`fault::internal`].
    pub(crate) fn internal(texts: impl IntoIterator<Item = String>, file: Option<&str>) -> Failure {
        let messages = texts.into_iter().map(|text| {
            let diagnostic = Diagnostic::error(fault::internal(text));
            Message::plain(match file {
                Some(file) => diagnostic.in_file(file),
                None => diagnostic,
            })
        });
        Failure::Internal(messages.collect())
    }

    /// All that was said; nothing where the compile was cancelled.
    pub fn messages(&self) -> &[Message] {
        match self {
            Failure::Rejected(messages) | Failure::Unsupported(messages) | Failure::Internal(messages) => messages,
            Failure::Cancelled => &[],
        }
    }

    /// The same, for keeping.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Failure::Rejected(messages) | Failure::Unsupported(messages) | Failure::Internal(messages) => messages,
            Failure::Cancelled => Vec::new(),
        }
    }

    /// What was said before, and then this.
    pub(crate) fn after(self, mut before: Vec<Message>) -> Failure {
        match self {
            Failure::Rejected(messages) => {
                before.extend(messages);
                Failure::Rejected(before)
            }
            Failure::Unsupported(messages) => {
                before.extend(messages);
                Failure::Unsupported(before)
            }
            Failure::Internal(messages) => {
                before.extend(messages);
                Failure::Internal(before)
            }
            Failure::Cancelled => Failure::Cancelled,
        }
    }
}

/// All messages as people read them.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Cancelled => f.write_str("the compile was cancelled"),
            Failure::Rejected(messages) | Failure::Unsupported(messages) | Failure::Internal(messages) => {
                messages.iter().try_for_each(|message| f.write_str(&message.rendered))
            }
        }
    }
}

impl std::error::Error for Failure {}
