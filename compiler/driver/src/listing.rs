//! The calls into the listing crate, with its errors as diagnostics.

use std::path::Path;

use warpsmith_base::Diagnostic;
use warpsmith_cubin::Cubin;
use warpsmith_listing::{ListingError, ListingOptions};
use warpsmith_target::Sm;

use crate::files;

/// Bytes of an instruction word.
pub(crate) const WORD: usize = 16;

/// The listing of a cubin.
pub(crate) fn of_cubin(cubin: &Cubin, options: &ListingOptions) -> Result<Vec<u8>, ListingError> {
    let mut out = Vec::new();
    warpsmith_listing::disassemble(cubin, options, &mut out)?;
    Ok(out)
}

/// The listing of bare instruction words, the first of which is at address `base`.
pub(crate) fn of_words(code: &[u8], sm: Sm, base: u64, options: &ListingOptions) -> Result<Vec<u8>, ListingError> {
    let mut out = Vec::new();
    warpsmith_listing::disassemble_raw(sm, code, base, options, &mut out)?;
    Ok(out)
}

/// The control-flow graph of a cubin's functions, in the DOT language.
pub(crate) fn graph(cubin: &Cubin, options: &ListingOptions) -> Result<Vec<u8>, ListingError> {
    let mut out = Vec::new();
    warpsmith_listing::control_flow_graph(cubin, options, &mut out)?;
    Ok(out)
}

/// An error about a file as diagnostics.
pub(crate) fn diagnostics(path: &Path, error: ListingError) -> Vec<Diagnostic> {
    let diagnostics = match error {
        ListingError::Content {
            section,
            offset,
            reason,
        } => {
            let place = format!("section {section}, offset {offset:#x}");
            vec![Diagnostic::error(reason).about(place)]
        }
        ListingError::File(reasons) => reasons.lines().map(Diagnostic::error).collect(),
        ListingError::Write(error) => vec![Diagnostic::error(format!("cannot write: {error}"))],
    };
    let name = files::shown(path);
    let named = diagnostics.into_iter().map(|one| one.in_file(&name));
    named.collect()
}
