//! Listings of cubins, and the way back.
//!
//! ```
//! use warpsmith::listing::{Style, assemble, disassemble};
//! use warpsmith::{Options, Session, Sm, Source};
//!
//! let source = Source::cuda("k.cu", "extern \"C\" __global__ void k(int *out) { *out = 42; }\n");
//! let cubin = Session::new(Options::new(Sm::Sm90)).compile(&source)?.cubin.unwrap();
//!
//! // What nvdisasm prints of it.
//! let text = disassemble(&cubin, Style::Nvdisasm)?;
//! assert!(text.contains("MOV R2, 0x2a"));
//!
//! // The listing of Warpsmith's own style says everything: it assembles to the same bytes, and can be edited before.
//! let text = disassemble(&cubin, Style::Warpsmith)?;
//! assert_eq!(assemble("k.sass", &text)?, cubin);
//! # Ok::<(), warpsmith::Failure>(())
//! ```

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cubin::{Cubin, CubinError};
use warpsmith_listing::{ListingError, ListingOptions};

pub use warpsmith_listing::Style;

use crate::{Failure, Message};

/// Reads the bytes of a cubin.
pub(crate) fn read(cubin: &[u8]) -> Result<Cubin, Failure> {
    Cubin::read(cubin).map_err(|error| {
        let CubinError {
            offset,
            construct,
            reason,
        } = error;
        Failure::rejected(Diagnostic::error(reason).at_offset(offset).about(construct))
    })
}

/// The listing of a cubin.
///
/// # Errors
/// Bytes that are no cubin, or a part of it that cannot be shown.
pub fn disassemble(cubin: &[u8], style: Style) -> Result<String, Failure> {
    let cubin = read(cubin)?;
    let options = ListingOptions {
        style,
        ..ListingOptions::default()
    };
    let mut out = Vec::new();
    warpsmith_listing::disassemble(&cubin, &options, &mut out).map_err(|error| match error {
        ListingError::Content {
            section,
            offset,
            reason,
        } => Failure::rejected(Diagnostic::error(reason).about(format!("section {section}, offset {offset:#x}"))),
        ListingError::File(reason) => Failure::rejected(Diagnostic::error(reason)),
        ListingError::Write(error) => Failure::internal([error.to_string()], None),
    })?;
    String::from_utf8(out).map_err(|error| Failure::internal([error.to_string()], None))
}

/// The bytes of the cubin that a listing in Warpsmith's style describes.
///
/// # Errors
/// All that is wrong with the listing, with its lines, and what the machine cannot run: registers beyond those that a function has, branches to nowhere.
pub fn assemble(name: &str, listing: &str) -> Result<Vec<u8>, Failure> {
    let assembled = warpsmith_listing::assemble_to_run(listing, name, false);
    assembled.map(|assembled| assembled.cubin).map_err(|errors| {
        let source = SourceText::new(name, listing);
        let messages = errors.into_iter().map(|error| Message::about(error, &source));
        Failure::Rejected(messages.collect())
    })
}
