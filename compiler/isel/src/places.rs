//! Which place of the source each stretch of the PTX was made from. It is kept beside the text, whether or not the text says it in `.loc` directives: what
//! later stages refuse is told at the lines of the user.

use std::sync::Arc;

use warpsmith_ir::{Context, LocationId};

/// A stretch of text from an offset on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) offset: usize,
    /// `None`: of no place that is known.
    pub(crate) location: Option<LocationId>,
    /// Whether the text stands in the source as it is here, so that columns go on with it.
    pub(crate) verbatim: bool,
}

/// The rows of a text that was put in behind other text.
pub(crate) fn moved(rows: Vec<Row>, by: usize) -> impl Iterator<Item = Row> {
    rows.into_iter().map(move |row| Row {
        offset: row.offset + by,
        ..row
    })
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// The path of the file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if not known.
    pub column: u32,
    /// The function that the line is in, as linkers know it; empty if not known.
    pub function: String,
}

/// The places of a module's PTX.
#[derive(Clone, Debug)]
pub struct Places {
    context: Arc<Context>,
    rows: Vec<Row>,
}

impl Places {
    /// `rows` in order of their offsets.
    pub(crate) fn new(context: Arc<Context>, rows: Vec<Row>) -> Places {
        Places { context, rows }
    }

    /// The place that the text at an offset was made from, and those of the calls that it was copied to, the innermost first. Empty where nothing is known.
    pub fn at(&self, offset: usize) -> Vec<SourcePlace> {
        let after = self.rows.partition_point(|row| row.offset <= offset);
        let row = after.checked_sub(1).and_then(|index| self.rows.get(index));
        let Some((row, location)) = row.and_then(|row| Some((row, row.location?))) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        let mut next = Some(location);
        while let Some(location) = next {
            let data = self.context.location_data(location);
            let into = match row.verbatim && places.is_empty() {
                true => (offset - row.offset) as u32,
                false => 0,
            };
            places.push(SourcePlace {
                file: self.context.text(data.file).to_owned(),
                line: data.line,
                column: data.column + into,
                function: self.context.text(data.function).to_owned(),
            });
            next = data.inlined_at;
        }
        places
    }
}
