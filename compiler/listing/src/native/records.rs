//! The fields of a sized `.nv.info` record, one after the other, for writing and reading alike.

use warpsmith_cubin::eiattr::{Field, Payload};

/// Walks over the fields of a payload. Where the attribute's shape says no more, words follow.
pub(super) struct Fields {
    payload: Payload,
    position: usize,
    /// Code offsets that follow a count.
    counted: u64,
}

/// An element of [`Payload::IndirectBranchTargets`], up to its count.
const BRANCH: &[Field] = &[Field::CodeOffset, Field::Half, Field::Half, Field::Word];

impl Fields {
    /// The fields of this payload.
    pub(super) fn new(payload: Payload) -> Fields {
        Fields {
            payload,
            position: 0,
            counted: 0,
        }
    }

    /// The field in turn.
    pub(super) fn field(&self) -> Field {
        let at = self.position;
        match self.payload {
            Payload::Opaque => Field::Word,
            Payload::Record(fields) => fields.get(at).copied().unwrap_or(Field::Word),
            Payload::List(fields) | Payload::PairList(fields) => cycle(fields, at),
            Payload::HeadedList(head, list) => match head.get(at) {
                Some(&field) => field,
                None => cycle(list, at - head.len()),
            },
            Payload::IndirectBranchTargets if self.counted > 0 => Field::CodeOffset,
            Payload::IndirectBranchTargets => BRANCH[at],
        }
    }

    /// Goes on to the next field, after one with this value.
    pub(super) fn advance(&mut self, value: u64) {
        match self.payload {
            Payload::IndirectBranchTargets if self.counted > 0 => self.counted -= 1,
            Payload::IndirectBranchTargets if self.position + 1 == BRANCH.len() => {
                (self.position, self.counted) = (0, value);
            }
            Payload::IndirectBranchTargets
            | Payload::Opaque
            | Payload::Record(_)
            | Payload::List(_)
            | Payload::PairList(_)
            | Payload::HeadedList(..) => self.position += 1,
        }
    }
}

fn cycle(fields: &[Field], at: usize) -> Field {
    if fields.is_empty() {
        Field::Word
    } else {
        fields[at % fields.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_targets() {
        let mut fields = Fields::new(Payload::IndirectBranchTargets);
        let mut seen = Vec::new();
        for value in [0x10, 0, 0, 2, 0x20, 0x30, 0x40, 0] {
            seen.push(fields.field());
            fields.advance(value);
        }
        use Field::{CodeOffset, Half, Word};
        assert_eq!(
            seen,
            [CodeOffset, Half, Half, Word, CodeOffset, CodeOffset, CodeOffset, Half]
        );
    }
}
