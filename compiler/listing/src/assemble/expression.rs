//! Sums of numbers, labels and symbol indices.

use std::collections::HashMap;

use super::cursor::{Fault, SymbolReference};

/// A sum.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    /// The terms; `true`: subtracted.
    pub terms: Vec<(bool, Term)>,
    /// Where it starts in its line.
    pub at: usize,
}

/// A part of a sum.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Number(i128),
    /// The offset of a label in its section.
    Place(String),
    /// The number of a symbol.
    Index(SymbolReference),
}

/// What names mean.
#[derive(Default)]
pub(super) struct Names {
    /// Labels: section, offset.
    pub labels: HashMap<String, (u32, u64)>,
    /// Symbols of the main symbol table: name to number, first come first.
    pub symbols: HashMap<String, u32>,
    /// How many symbols there are.
    pub symbol_count: u32,
}

impl Expression {
    /// The value; labels must be in `section` where one is given.
    pub(super) fn value(&self, names: &Names, section: Option<u32>) -> Result<i128, Fault> {
        let mut sum: i128 = 0;
        for (negative, term) in &self.terms {
            let value = match term {
                Term::Number(number) => *number,
                Term::Place(name) => {
                    let Some(&(of, offset)) = names.labels.get(name) else {
                        return Err(Fault::new(self.at, format!("there is no label `{name}`")));
                    };
                    if section.is_some_and(|section| section != of) {
                        return Err(Fault::new(self.at, format!("label `{name}` is in another section")));
                    }
                    i128::from(offset)
                }
                Term::Index(symbol) => i128::from(names.symbol(symbol, self.at)?),
            };
            let value = if *negative { value.checked_neg() } else { Some(value) };
            sum = value
                .and_then(|value| sum.checked_add(value))
                .ok_or_else(|| Fault::new(self.at, "this sum is too large"))?;
        }
        Ok(sum)
    }

    /// The value in `bits` bits, signed or unsigned.
    pub(super) fn value_in(&self, names: &Names, section: Option<u32>, bits: u32) -> Result<u64, Fault> {
        let value = self.value(names, section)?;
        let range = -(1i128 << (bits - 1))..(1i128 << bits);
        if !range.contains(&value) {
            return Err(Fault::new(self.at, format!("{value:#x} does not fit in {bits} bits")));
        }
        Ok(value as u64)
    }
}

impl Names {
    /// The number of a symbol.
    pub(super) fn symbol(&self, symbol: &SymbolReference, at: usize) -> Result<u32, Fault> {
        match symbol {
            SymbolReference::Number(number) if *number < self.symbol_count.max(1) => Ok(*number),
            SymbolReference::Number(number) => Err(Fault::new(at, format!("there is no symbol {number}"))),
            SymbolReference::Name(name) => match self.symbols.get(name) {
                Some(&number) => Ok(number),
                None => Err(Fault::new(at, format!("there is no symbol `{name}`"))),
            },
        }
    }
}
