//! The same instruction with its operands in another order.

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Opcode as O};

use crate::select::{Request, Source, Value};

/// The orders of three operands, but for the given one.
const ORDERS: [[usize; 3]; 5] = [[1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];

/// The truth table that an order of the operands needs: operand `i` of the new instruction is operand `order[i]` of the old.
pub(super) fn permuted_table(table: u8, order: [usize; 3]) -> u8 {
    let mut found = 0;
    for row in 0..8_u8 {
        // Bit 2 of a row is the first operand.
        let mut old = 0;
        for (new, from) in order.iter().enumerate() {
            old |= (row >> (2 - new) & 1) << (2 - from);
        }
        found |= (table >> old & 1) << row;
    }
    found
}

/// A comparison with its operands swapped.
pub(crate) fn mirrored(cmp: &'static str) -> Option<&'static str> {
    Some(match cmp {
        "LT" => "GT",
        "LE" => "GE",
        "GT" => "LT",
        "GE" => "LE",
        "LTU" => "GTU",
        "LEU" => "GEU",
        "GTU" => "LTU",
        "GEU" => "LEU",
        "EQ" | "NE" | "EQU" | "NEU" | "NUM" | "NAN" => cmp,
        _ => return None,
    })
}

/// Requests that mean the same.
pub(super) fn variants(request: &Request) -> SmallVec<[Request; 5]> {
    let mut found = SmallVec::new();
    let sources = request.sources();
    let swapped = || {
        let mut other = request.clone();
        other.sources_mut().swap(0, 1);
        other
    };
    match request.opcode() {
        O::Iadd3 if sources.len() == 3 => {
            for order in ORDERS {
                found.push(request.clone().with_sources(&order.map(|index| sources[index])));
            }
        }
        O::Lop3 if sources.len() == 4 => {
            let Some(table) = table(&sources[3]) else {
                return found;
            };
            for order in ORDERS {
                let [a, b, c] = order.map(|index| sources[index]);
                let table = number(u32::from(permuted_table(table, order)));
                found.push(request.clone().with_sources(&[a, b, c, table]));
            }
        }
        O::Fadd2 | O::Fmul2 | O::Ffma2 => found.extend(swapped_lanes(request)),
        O::Imad | O::Ffma | O::Dfma if sources.len() == 3 => found.push(swapped()),
        O::Fadd | O::Fmul | O::Dadd | O::Dmul if sources.len() == 2 => found.push(swapped()),
        O::Imnmx | O::Vimnmx if sources.len() == 2 => found.push(swapped()),
        O::Isetp | O::Fsetp
            if sources.len() == 2 && !request.has_flag(F::Extended) && request.literals().is_empty() =>
        {
            if let Some(cmp) = mirrored(request.says(F::Cmp)) {
                found.push(swapped().text(F::Cmp, cmp));
            }
        }
        O::Sel | O::Fsel if sources.len() == 2 => {
            let mut other = swapped();
            for (_, test) in other.tests_mut() {
                *test = test.opposite();
            }
            found.push(other);
        }
        O::Prmt if sources.len() == 3 && request.loud().next().is_none() => {
            if let Value::Immediate(selector) = sources[1].value {
                let other = request.clone();
                found.push(other.with_sources(&[sources[2], number(selector ^ 0x4444), sources[0]]));
            }
        }
        _ => {}
    }
    found
}

/// A packed operation with its first two sources swapped, and what its lanes take of each.
fn swapped_lanes(request: &Request) -> Option<Request> {
    let [a, b, ..] = *super::lanes::fields(request.opcode())? else {
        return None;
    };
    let mut other = request.clone().saying(a, request.says(b)).saying(b, request.says(a));
    other.sources_mut().swap(0, 1);
    Some(other)
}

/// The truth table of a `LOP3`.
pub(super) fn table(source: &Source) -> Option<u8> {
    match source.value {
        Value::Zero => Some(0),
        Value::Immediate(table) => u8::try_from(table).ok(),
        Value::Register(_) | Value::Constant(..) => None,
    }
}

/// An immediate, or zero.
pub(super) fn number(value: u32) -> Source {
    if value == 0 {
        Value::Zero.into()
    } else {
        Value::Immediate(value).into()
    }
}
