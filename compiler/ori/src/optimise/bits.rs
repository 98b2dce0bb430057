//! Operands of which only some bits were made: signs that logic clears or turns are the operand's own to clear and turn, and whether bits are zero is seen
//! where they stand.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    algebra::{known, plain},
    commute::table,
    rewriter::Rewriter,
};
use crate::select::{Request, Source, Value};

/// The sign of a float.
const SIGN: u32 = 1 << 31;

/// Truth tables of two inputs, the first and the second of `LOP3`.
const AND: u8 = 0xf0 & 0xcc;
const XOR: u8 = 0xf0 ^ 0xcc;

/// Logic of a value and a constant: the value, the constant, the table.
fn masked(rewriter: &Rewriter<'_>, source: &Source) -> Option<(Source, u32, u8)> {
    let (_, inner) = rewriter.made_by(source, O::Lop3, "LUT")?;
    let [x, mask, other, lut] = *inner.sources() else {
        return None;
    };
    let simple = inner.written_predicates().is_empty()
        && inner.loud().next().is_none()
        && known(&other) == Some(0)
        && plain(&x)
        && matches!(x.value, Value::Register(_))
        && rewriter.is_steady(&x);
    simple.then_some((x, known(&mask)?, table(&lut)?))
}

/// A float whose sign logic cleared (`x & 0x7fffffff`) or turned (`x ^ 0x80000000`).
pub(super) fn signs(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    for (index, source) in request.sources().iter().enumerate() {
        if !matches!(source.value, Value::Register(_)) || source.inverted {
            continue;
        }
        let Some((x, mask, table)) = masked(rewriter, &Source::from(source.value)) else {
            continue;
        };
        let changed = match (mask, table) {
            (mask, AND) if mask == !SIGN => Source {
                absolute: true,
                negated: source.negated,
                ..x
            },
            (SIGN, XOR) => Source {
                absolute: source.absolute,
                negated: source.negated == source.absolute,
                ..x
            },
            _ => continue,
        };
        let mut new = request.clone();
        new.sources_mut()[index] = changed;
        return Some(new);
    }
    None
}

/// `(x & mask) >> n` is zero where `x & mask` is, if the mask has none of the bits that go.
pub(super) fn shifted_mask(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [a, b] = *request.sources() else { return None };
    let compares = request.literals().is_empty()
        && !request.has_flag(F::Extended)
        && request.says(F::Type).is_empty()
        && matches!(request.says(F::Cmp), "EQ" | "NE")
        && known(&b) == Some(0)
        && plain(&a);
    if !compares {
        return None;
    }
    let (_, shift) = rewriter.made_by(&a, O::Shf, "")?;
    let [low, amount, x] = *shift.sources() else {
        return None;
    };
    let amount = known(&amount).filter(|amount| *amount < 32)?;
    let is_right = shift.says(F::Direction) == "R"
        && matches!(shift.says(F::Type), "U32" | "S32")
        && shift.has_flag(F::High)
        && known(&low) == Some(0)
        && plain(&x);
    let (_, mask, AND) = masked(rewriter, &x)? else {
        return None;
    };
    let keeps_all = mask & ((1 << amount) - 1) == 0;
    (is_right && keeps_all && rewriter.is_steady(&x)).then(|| request.clone().with_sources(&[x, b]))
}
