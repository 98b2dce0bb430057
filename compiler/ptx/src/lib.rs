//! PTX, the virtual instruction set of NVIDIA GPUs: text ⇄ a typed module, checked.
//!
//! **What enters**: the text of a PTX file, and the instruction tables of `ir-defs/ptx`, of which the generator makes [`table`].
//! **What leaves**: a typed [`module::Module`] with all names resolved and every instruction matched to a form of the tables, and a list of
//! [`Problem`]s; text again from the module ([`print`](mod@print)); formatted text ([`mod@format`]) and a lossless [`tree`] for editors; figures ([`stats`]);
//! example lines of every form ([`examples`]).
//!
//! **Invariants**
//! * No input panics, hangs or recurses without bound; reading goes on after an error, and all errors of a file come in one run.
//! * The parser knows no instruction: what a mnemonic is, what operands it takes, and which version and target have it, comes from the tables.
//! * A module without errors prints to a text that parses to the same module.
//! * One pass over the text, no allocation for an instruction; a distinct mnemonic is worked out once.
//!
//! **Where to start**: [`parse`], then [`module`] (what a text means), then [`instruction`] (how an instruction is matched), then a table in
//! `ir-defs/ptx`, whose README gives the grammar.

pub mod check;
mod constant;
mod context;
pub mod examples;
pub mod format;
pub mod history;
pub mod instruction;
mod lexer;
pub mod link;
pub mod locations;
pub mod module;
mod named;
mod names;
mod parse;
pub mod print;
mod problem;
pub mod reference;
mod scope;
mod span;
pub mod special;
pub mod stats;
pub(crate) use warpsmith_base::suggest;
pub mod table;
mod target;
pub mod tree;
mod version;

pub use context::Context;
pub use lexer::LineMarker;
pub use named::NamedRegisters;
pub use parse::{Parsed, parse};
pub use problem::{Problem, Severity};
pub use span::Span;
pub use target::compiles_for;
pub use version::{newest_version, versions, written_version};
