//! Sums of numbers and labels.

use std::borrow::Cow;
use std::collections::HashMap;

use super::lexer::{Fault, Lexer, Result};

/// Where labels stand: section, and offset in it.
pub(super) type Labels<'a> = HashMap<Cow<'a, str>, (u32, u64)>;

/// What a sum comes to.
pub(super) enum Value {
    /// This number.
    Known(i128),
    /// A label is not there (yet); its part of the source.
    Missing(std::ops::Range<usize>),
}

/// Reads a sum: numbers and labels with `+` and `-`. The labels must stand in `section`, where one is given.
pub(super) fn read(line: &mut Lexer<'_>, labels: &Labels<'_>, section: Option<u32>) -> Result<Value> {
    let mut sum = 0i128;
    let mut missing = None;
    let mut negative = line.take('-');
    loop {
        line.skip_blanks();
        let start = line.position();
        let value = match line.optional_name()? {
            None => i128::try_from(line.number(64)?).unwrap_or_default(),
            Some(name) => match labels.get(&name) {
                Some(&(home, _)) if section.is_some_and(|section| section != home) => {
                    let message = format!("label `{name}` is in another section");
                    return Err(Fault::new(start..line.position(), message));
                }
                Some(&(_, offset)) => i128::from(offset),
                None => {
                    missing.get_or_insert(start..line.position());
                    0
                }
            },
        };
        // Each term is below 2^64, and a line has fewer than 2^60 of them.
        sum += if negative { -value } else { value };
        let mut ahead = line.clone();
        ahead.skip_blanks();
        negative = ahead.take('-');
        if !negative && !ahead.take('+') {
            break;
        }
        *line = ahead;
    }
    Ok(match missing {
        Some(bytes) => Value::Missing(bytes),
        None => Value::Known(sum),
    })
}

/// The low `bits` bits of a value that fits in them, signed or not.
pub(super) fn fit(value: i128, bits: u32) -> Option<u64> {
    let range = -(1i128 << (bits - 1))..1i128 << bits;
    range.contains(&value).then_some(value as u64)
}
