//! Agreement of our PTX checker with ptxas: both judge the same lines and files, and every difference is counted and shown.
//!
//! What enters: PTX lines for a target and version, or whole files. What leaves: a [`Report`]. A line is judged inside a kernel that declares
//! registers of every type and a variable of every space ([`frame`]).

pub mod frame;
pub mod fuzz;
pub mod inputs;
pub mod mutate;
pub mod ours;
pub mod ptxas;
pub mod report;
pub mod seeds;
pub mod statement;

pub use report::Report;

/// Instructions, as the body of a kernel, for one target and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What stands around it.
    pub frame: frame::Frame,
    /// One or more statements.
    pub body: String,
    /// The target, such as `sm_90a`.
    pub target: String,
    /// The PTX version, such as `9.0`.
    pub version: String,
}

/// What a checker says of a line or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
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
    pub fn refused(message: impl Into<String>) -> Verdict {
        Verdict::Refused {
            line: None,
            message: message.into(),
        }
    }

    /// Whether there was no error.
    pub fn is_accepted(&self) -> bool {
        *self == Verdict::Accepted
    }

    /// The message of a refusal, else `OK`.
    pub fn text(&self) -> &str {
        match self {
            Verdict::Accepted => "OK",
            Verdict::Refused { message, .. } => message,
        }
    }
}
