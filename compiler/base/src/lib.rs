//! What every room needs to talk to the outside: source text, diagnostics, output files that are whole or absent, what it was doing when it failed, and
//! what all steps of a compile are told under one name: [`Arithmetic`] and [`Cancel`].
//!
//! What enters: texts, byte ranges in them, and messages. What leaves: one-line or annotated diagnostics, and files.
//!
//! Invariants:
//! * A diagnostic's plain form is exactly one line, whatever characters its parts hold.
//! * No offset, however wrong, panics: it is moved to the nearest place that exists.
//! * An output file is replaced in one step, but where others hold it by more than its name; a failed write leaves the old file and nothing else.
//!
//! Start reading at [`Diagnostic`].

mod arithmetic;
mod cancel;
mod cause;
mod diagnostic;
mod excerpt;
pub mod fault;
mod random;
mod source;
pub mod suggest;
mod write;

pub use arithmetic::Arithmetic;
pub use cancel::{CANCELLED, Cancel};
pub use cause::Cause;
pub use diagnostic::{Diagnostic, Position, Severity};
pub use excerpt::{Excerpt, Mark};
pub use random::Random;
pub use source::{LineColumn, SourceText};
pub use write::{WriteError, write_atomically};
