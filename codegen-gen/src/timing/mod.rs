//! Timing tables: `isa-tables/timing.tbl` to the data behind the timing queries of `warpsmith-sass`.
//!
//! The grammar stands at the top of the table. The order of work: [`read`] (text to [`model`]), [`check`] (names, generations
//! and coverage against the instruction tables), [`emit`] (model to Rust; what the conditions of classes come to for each form).

pub mod check;
mod condition;
pub mod emit;
pub mod model;
pub mod read;

use crate::TableError;
use crate::isa::model::Tables;

/// Reads the timing table `text` of the file called `name` and returns its Rust source.
///
/// # Errors
/// Every line that does not parse; if all do, everything that the checks against `isa` found.
pub fn generate(name: &str, text: &str, isa: &Tables) -> Result<String, Vec<TableError>> {
    let timing = read::read(name, text)?;
    let errors = check::check(name, &timing, isa);
    if errors.is_empty() {
        Ok(emit::emit(&timing, isa))
    } else {
        Err(errors)
    }
}

#[cfg(test)]
mod tests;
