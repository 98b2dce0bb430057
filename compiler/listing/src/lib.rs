//! Listings of cubins, and the way back.
//!
//! **What enters**: a [`Cubin`], bare instruction words, or the text of a listing. **What leaves**: text
//! ([`disassemble`], [`disassemble_raw`], [`dump_functions`]), control flow graphs ([`control_flow_graph`]), or the bytes of a
//! cubin ([`assemble`]).
//!
//! **Invariants**
//! - In [`Style::Nvdisasm`] the text equals that of nvdisasm 13.5 for the same file and options.
//! - In [`Style::Warpsmith`] nothing is lost: assembling the listing of a cubin (all of it, not
//!   [`code_only`](ListingOptions::code_only)) gives the same bytes, whatever the cubin holds.
//! - No input panics. What cannot be shown is an error that names section, offset and reason; the assembler
//!   reports all errors of a file in one run.
//!
//! **Where to start reading**: `nvdisasm` (the compatible form; its two passes are in `nvdisasm/mod.rs`),
//! [`native`] (Warpsmith's own form, its grammar and its assembler). `labels` names places in code,
//! `relocation` is the table of what relocations change, `view` indexes a cubin.

mod code;
mod error;
mod graph;
mod labels;
mod lines;
pub mod native;
mod nvdisasm;
mod options;
mod raw;
mod relocation;
mod view;

use std::io::Write;

use warpsmith_cubin::Cubin;

pub use error::ListingError;
pub use graph::control_flow_graph;
pub use native::{Assembled, assemble, assemble_to_run};
pub use options::{LineInfo, ListingOptions, Style};
pub use raw::{disassemble_raw, dump_functions};

/// Writes the listing of a cubin.
///
/// # Errors
/// Where a part of the file cannot be shown, or the output cannot be written.
pub fn disassemble(cubin: &Cubin, options: &ListingOptions, out: &mut dyn Write) -> Result<(), ListingError> {
    match options.style {
        Style::Nvdisasm => nvdisasm::disassemble(cubin, options, out),
        Style::Warpsmith => native::disassemble(cubin, options, out),
    }
}
