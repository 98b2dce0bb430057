//! Agreement of our PTX checker with ptxas: both judge the same lines and files, and every difference is counted and shown.
//!
//! What enters: PTX lines for a target and version, or whole files. What leaves: a [`Report`]. A line is judged inside a kernel that declares
//! registers of every type and a variable of every space ([`frame`]).

pub(crate) mod frame;
pub(crate) mod inputs;
pub(crate) mod mutate;
pub(crate) mod ours;
pub(crate) mod ptxas;
pub(crate) mod report;
pub(crate) mod seeds;
pub(crate) mod statement;

pub(crate) use report::Report;

/// Instructions, as the body of a kernel, for one target and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// What stands around it.
    pub(crate) frame: frame::Frame,
    /// One or more statements.
    pub(crate) body: String,
    /// The target, such as `sm_90a`.
    pub(crate) target: String,
    /// The PTX version, such as `9.0`.
    pub(crate) version: String,
}

/// What a checker says of a line or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No error.
    Accepted,
    /// At least one error; this is the first.
    Refused {
        /// Line in the file, from 1; `None` where the checker gave no place.
        line: Option<u32>,
        /// In the words of that checker.
        message: String,
    },
}

impl Verdict {
    /// A refusal without a place.
    pub(crate) fn refused(message: impl Into<String>) -> Verdict {
        Verdict::Refused {
            line: None,
            message: message.into(),
        }
    }

    /// Whether there was no error.
    pub(crate) fn is_accepted(&self) -> bool {
        *self == Verdict::Accepted
    }

    /// The message of a refusal, else `OK`.
    pub(crate) fn text(&self) -> &str {
        match self {
            Verdict::Accepted => "OK",
            Verdict::Refused { message, .. } => message,
        }
    }
}
