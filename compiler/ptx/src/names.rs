//! Interned names.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::module::{Name, Names};

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

impl Names {
    /// The text of a name.
    #[inline]
    pub fn get(&self, name: Name) -> &str {
        slice(&self.text, &self.ends, name.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name with this text, where there is one already.
    #[inline]
    pub fn find(&self, text: &str) -> Option<Name> {
        let found = self
            .table
            .find(hash(text), |&index| slice(&self.text, &self.ends, index) == text);
        found.map(|&index| Name(index))
    }

    /// The name with this text, new or not.
    pub fn intern(&mut self, text: &str) -> Name {
        let Names { text: all, ends, table } = self;
        let hashed = hash(text);
        let index = ends.len() as u32;
        let entry = table.entry(
            hashed,
            |&index| slice(all, ends, index) == text,
            |&index| hash(slice(all, ends, index)),
        );
        let entry = match entry {
            hashbrown::hash_table::Entry::Occupied(found) => return Name(*found.get()),
            hashbrown::hash_table::Entry::Vacant(vacant) => vacant,
        };
        entry.insert(index);
        all.push_str(text);
        ends.push(all.len() as u32);
        Name(index)
    }
}

#[inline]
fn slice<'n>(text: &'n str, ends: &[u32], index: u32) -> &'n str {
    let start = if index == 0 { 0 } else { ends[index as usize - 1] };
    &text[start as usize..ends[index as usize] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name() {
        let mut names = Names::default();
        let first = names.intern("%r");
        let empty = names.intern("");
        assert_eq!(names.intern("%r"), first);
        assert_eq!(names.find("%rd"), None);
        assert_eq!((names.get(first), names.get(empty), names.len()), ("%r", "", 2));
    }
}
