//! Names for places in code: symbols where there are some, numbered labels elsewhere.
//!
//! Labels are numbered in the order in which they are first needed, over the whole file; that order is
//! nvdisasm's (observed: 13.5): operands of all code sections in file order, then the references of the
//! other sections in file order, then the ends of functions in symbol order. References from `.nv.info`
//! and function ends use up a number even where the place has a name already.

use std::fmt::Write;

use crate::view::{View, is_code};

/// Bytes per instruction.
pub(crate) const INSTRUCTION: u64 = 16;
/// No label here.
const NONE: u32 = u32::MAX;

/// A named place in a code section, and the distance from it to the place that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub name: PlaceName,
    /// Bytes from the named place; 0 for an instruction's address in the section.
    pub rest: i64,
}

/// How a place is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceName {
    Symbol(u32),
    Label(u32),
}

/// The labels of all code sections.
pub(crate) struct CodeLabels {
    /// For each section, for each instruction and the end: the label's number.
    sections: Vec<Vec<u32>>,
    next: u32,
}

impl CodeLabels {
    /// No labels yet, with room for those of the sections that `wanted` selects.
    pub(crate) fn new(view: &View, wanted: impl Fn(u32) -> bool) -> Self {
        let sections = view
            .cubin
            .sections
            .iter()
            .enumerate()
            .map(|(index, section)| {
                if is_code(section) && wanted(index as u32) {
                    vec![NONE; (section.size() / INSTRUCTION) as usize + 1]
                } else {
                    Vec::new()
                }
            })
            .collect();
        CodeLabels { sections, next: 0 }
    }

    /// Whether the section is code that is listed.
    pub(crate) fn covers(&self, section: u32) -> bool {
        self.sections
            .get(section as usize)
            .is_some_and(|labels| !labels.is_empty())
    }

    /// The label at an instruction, if it has one.
    pub(crate) fn at(&self, section: u32, address: u64) -> Option<u32> {
        let labels = self.sections.get(section as usize)?;
        labels
            .get((address / INSTRUCTION) as usize)
            .copied()
            .filter(|&label| label != NONE)
    }

    /// Makes sure that the place has a name.
    pub(crate) fn need(&mut self, view: &View, section: u32, address: u64) {
        self.need_place(view, section, address, false);
    }

    /// Like [`need`](Self::need), using up a number even where the place has a name already.
    pub(crate) fn need_counted(&mut self, view: &View, section: u32, address: u64) {
        self.need_place(view, section, address, true);
    }

    /// Uses up a number.
    pub(crate) fn skip(&mut self) {
        self.next += 1;
    }

    fn need_place(&mut self, view: &View, section: u32, address: u64, counted: bool) {
        if !self.covers(section) {
            return;
        }
        let base = self.base(section, address);
        let named = view.symbol_at(section, base).is_some() || self.at(section, base).is_some();
        if !named {
            self.sections[section as usize][(base / INSTRUCTION) as usize] = self.next;
        }
        if !named || counted {
            self.next += 1;
        }
    }

    /// The instruction's address at or after `address`, at most the section's end.
    fn base(&self, section: u32, address: u64) -> u64 {
        let last = (self.sections[section as usize].len() as u64 - 1) * INSTRUCTION;
        address.min(last).next_multiple_of(INSTRUCTION)
    }

    /// The name of a place, if it has one.
    pub(crate) fn place(&self, view: &View, section: u32, address: u64) -> Option<Place> {
        if !self.covers(section) {
            return None;
        }
        let base = self.base(section, address);
        let rest = address.wrapping_sub(base) as i64;
        let name = match view.symbol_at(section, base) {
            Some(symbol) => PlaceName::Symbol(symbol),
            None => PlaceName::Label(self.at(section, base)?),
        };
        Some(Place { name, rest })
    }
}

impl PlaceName {
    /// Writes the name.
    pub(crate) fn write(self, view: &View, out: &mut String) {
        match self {
            PlaceName::Symbol(symbol) => out.push_str(view.symbol_name(symbol)),
            PlaceName::Label(label) => {
                let _ = write!(out, ".L_x_{label}");
            }
        }
    }
}

/// Writes a symbol plus an addend, naming places in code: `(k + .L_x_3@srel)`, `(table + 0x8)`.
pub(crate) fn write_address(view: &View, labels: &CodeLabels, symbol: u32, addend: i64, out: &mut String) {
    let name = view.symbol_name(symbol);
    if addend == 0 {
        out.push_str(name);
        return;
    }
    if let Some(place) = code_place(view, labels, symbol, addend) {
        if place.rest != 0 {
            out.push('(');
        }
        out.push('(');
        out.push_str(name);
        out.push_str(" + ");
        place.name.write(view, out);
        out.push_str("@srel)");
        if place.rest != 0 {
            let _ = write!(out, " + {:#x})", place.rest);
        }
        return;
    }
    let _ = write!(out, "({name} + {addend:#x})");
}

/// Writes a symbol plus an addend as an offset: negative addends keep their sign.
pub(crate) fn write_signed_address(view: &View, symbol: u32, addend: i64, out: &mut String) {
    let name = view.symbol_name(symbol);
    let sign = if addend < 0 { "-" } else { "" };
    let _ = match addend {
        0 => write!(out, "{name}"),
        _ => write!(out, "({name} + {sign}{:#x})", addend.unsigned_abs()),
    };
}

fn code_place(view: &View, labels: &CodeLabels, symbol: u32, addend: i64) -> Option<Place> {
    let section = code_reference(view, symbol)?;
    labels.place(view, section, addend as u64)
}

/// The code section in which addends to this symbol are places: it is a function.
pub(crate) fn code_reference(view: &View, symbol: u32) -> Option<u32> {
    let entry = view.symbols.get(symbol as usize)?;
    let section = view.section_of(symbol)?;
    let function = entry.symbol_type == warpsmith_cubin::SymbolType::FUNC;
    (function && is_code(&view.cubin.sections[section as usize])).then_some(section)
}
