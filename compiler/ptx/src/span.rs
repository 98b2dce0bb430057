//! Places in PTX text.

use std::ops::Range;

/// A range of bytes in the text of one module file. Texts of 4 GiB and more are refused before lexing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of this one to the end of `last`.
    pub const fn to(self, last: Span) -> Span {
        Span::new(self.start, last.end)
    }

    /// As a range of indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
