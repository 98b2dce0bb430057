//! What is live in one physical register, in order, so that much of it can change: values move between the registers of a large function one by one.
//!
//! The list is cut into chunks, and a change moves what is in one chunk alone. Functions of usual size have one.

/// A bundle live in a physical register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) bundle: u32,
}

/// Entries of a chunk at most.
const CHUNK: usize = 256;

/// What is live in a register: stretches of positions that do not overlap, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// None is empty.
    chunks: Vec<Vec<Held>>,
}

/// A place in a row: an entry, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    chunk: usize,
    at: usize,
}

impl Row {
    /// The first entry of which this is not so; it must be so of a first part of the row.
    #[inline]
    fn partition_point(&self, is_before: impl Fn(&Held) -> bool) -> Cursor {
        // Most rows have one chunk.
        let chunk = match self.chunks.as_slice() {
            [] | [_] => 0,
            chunks => chunks.partition_point(|chunk| chunk.last().is_some_and(&is_before)),
        };
        match self.chunks.get(chunk) {
            Some(entries) => self.normal(Cursor {
                chunk,
                at: entries.partition_point(is_before),
            }),
            None => Cursor { chunk, at: 0 },
        }
    }

    /// The same place, at the start of the next chunk rather than at the end of one.
    #[inline]
    fn normal(&self, cursor: Cursor) -> Cursor {
        match self.chunks.get(cursor.chunk) {
            Some(entries) if cursor.at == entries.len() => Cursor {
                chunk: cursor.chunk + 1,
                at: 0,
            },
            Some(_) | None => cursor,
        }
    }

    /// The first entry that ends after a position.
    #[inline]
    pub(super) fn ending_after(&self, position: u32) -> Cursor {
        self.partition_point(|held| held.end <= position)
    }

    /// The first entry that starts at a position or after it.
    #[inline]
    pub(super) fn starting_from(&self, position: u32) -> Cursor {
        self.partition_point(|held| held.start < position)
    }

    /// The entry at a place.
    #[inline]
    pub(super) fn get(&self, cursor: Cursor) -> Option<&Held> {
        self.chunks.get(cursor.chunk)?.get(cursor.at)
    }

    /// The place behind an entry.
    #[inline]
    pub(super) fn after(&self, cursor: Cursor) -> Cursor {
        self.normal(Cursor {
            at: cursor.at + 1,
            ..cursor
        })
    }

    /// The entry before a place.
    pub(super) fn before(&self, cursor: Cursor) -> Option<&Held> {
        match cursor.at.checked_sub(1) {
            Some(at) => self.chunks.get(cursor.chunk)?.get(at),
            None => self.chunks.get(cursor.chunk.checked_sub(1)?)?.last(),
        }
    }

    /// The entries from a place on.
    pub(super) fn from(&self, cursor: Cursor) -> impl Iterator<Item = &Held> {
        let (first, rest) = match self.chunks.get(cursor.chunk..) {
            Some([first, rest @ ..]) => (first.get(cursor.at..).unwrap_or_default(), rest),
            Some([]) | None => (&[][..], &[][..]),
        };
        first.iter().chain(rest.iter().flatten())
    }

    /// All entries.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Held> {
        self.chunks.iter().flatten()
    }

    /// Adds an entry before those that start where it does.
    pub(super) fn insert(&mut self, new: Held) {
        let is_last = (self.chunks.last().and_then(|chunk| chunk.last())).is_none_or(|last| last.start <= new.start);
        let Cursor { chunk, at } = match (is_last, self.chunks.last()) {
            (_, None) => {
                self.chunks.push(vec![new]);
                return;
            }
            (true, Some(chunk)) => Cursor {
                chunk: self.chunks.len() - 1,
                at: chunk.len(),
            },
            (false, Some(_)) => self.starting_from(new.start),
        };
        let entries = &mut self.chunks[chunk];
        entries.insert(at, new);
        if entries.len() > CHUNK {
            // What is filled from front to back stays full.
            let cut = if is_last { CHUNK } else { CHUNK / 2 };
            let rest = entries.split_off(cut);
            self.chunks.insert(chunk + 1, rest);
        }
    }

    /// Removes the entry at a place.
    pub(super) fn remove(&mut self, cursor: Cursor) {
        let Some(entries) = self.chunks.get_mut(cursor.chunk) else {
            return;
        };
        entries.remove(cursor.at);
        if entries.is_empty() {
            self.chunks.remove(cursor.chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of two positions, the first at 0 and four apart, in an order that comes back to every part of the row.
    fn row(count: u32) -> Row {
        let mut row = Row::default();
        for step in 0..count {
            let at = step * 7919 % count;
            row.insert(Held {
                start: 4 * at,
                end: 4 * at + 2,
                bundle: at,
            });
        }
        row
    }

    #[test]
    fn entries_stay_in_order_over_chunks() {
        let row = row(2000);
        assert!(row.chunks.len() > 4 && row.chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= CHUNK));
        assert!(row.iter().map(|held| held.bundle).eq(0..2000));
        for at in 0..2000 {
            let cursor = row.ending_after(4 * at + 1);
            assert_eq!(row.get(cursor).map(|held| held.bundle), Some(at));
            assert_eq!(row.starting_from(4 * at), cursor);
            assert_eq!(row.before(cursor).map(|held| held.bundle), at.checked_sub(1));
            assert_eq!(
                row.get(row.after(cursor)).map(|held| held.bundle),
                Some(at + 1).filter(|next| *next < 2000)
            );
            assert_eq!(row.from(cursor).next().map(|held| held.bundle), Some(at));
        }
        assert_eq!(row.get(row.ending_after(8000)), None);
        assert_eq!(row.before(row.ending_after(8000)).map(|held| held.bundle), Some(1999));
    }

    #[test]
    fn chunks_that_become_empty_go() {
        let mut row = row(1000);
        for at in (0..1000).filter(|at| at % 100 != 3) {
            row.remove(row.starting_from(4 * at));
        }
        assert!(
            row.iter()
                .map(|held| held.bundle)
                .eq((0..10).map(|hundred| 100 * hundred + 3))
        );
        assert!(row.chunks.iter().all(|chunk| !chunk.is_empty()));
        assert_eq!(Row::default().get(Row::default().ending_after(0)), None);
    }
}
