//! Text with gaps for names that are not yet known.

use std::fmt;

/// A name that is filled in later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Of a value of the function, by its number.
    Value(u32),
    /// Of a block of the function.
    Block(u32),
    /// Of a block of any function, whose address is taken.
    BlockOf { function: u32, block: u32 },
}

/// Text with gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    gaps: Vec<(usize, Gap)>,
}

impl Draft {
    /// Leaves a gap.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gaps.push((self.text.len(), gap));
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The gaps in order.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        self.gaps.iter().map(|(_, gap)| *gap)
    }

    /// Appends this to another draft, with the gaps filled that there are names for.
    pub(crate) fn fill<'n>(&self, to: &mut Draft, name: impl Fn(Gap) -> Option<&'n str>) {
        let mut from = 0;
        for &(at, gap) in &self.gaps {
            to.text.push_str(self.text.get(from..at).unwrap_or(""));
            from = at;
            match name(gap) {
                Some(name) => {
                    to.text.push('%');
                    to.text.push_str(name);
                }
                None => to.gap(gap),
            }
        }
        to.text.push_str(self.text.get(from..).unwrap_or(""));
    }
}

impl fmt::Write for Draft {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}
