//! Listings of cubins.

mod assemble;
mod code;
mod error;
mod labels;
mod lines;
mod native;
mod nvdisasm;
mod options;
mod relocation;
mod view;

use std::io::Write;

use warpsmith_cubin::Cubin;

pub use assemble::assemble;
pub use error::ListingError;
pub use options::{LineInfo, ListingOptions, Style};

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
