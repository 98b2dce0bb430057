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

/// A byte of a word that is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    /// One of the word that was loaded.
    Loaded(u8),
    /// The sign of one, eight times.
    Sign(u8),
    Zero,
}

/// Zeros or signs above what was loaded with them already.
pub(super) fn extension_of_load(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [a, selector, b] = *request.sources() else {
        return None;
    };
    let selector = known(&selector)?;
    if known(&b) != Some(0) || !plain(&a) || request.loud().next().is_some() {
        return None;
    }
    let (_, load) = rewriter.made(&a)?;
    let is_load = matches!(load.opcode(), O::Ldg | O::Lds | O::Ldl | O::Ld | O::Ldc);
    if !is_load || load.destination().map(Value::Register) != Some(a.value) {
        return None;
    }
    let (wide, signed) = match load.says(F::Size) {
        "U8" => (1, false),
        "S8" => (1, true),
        "U16" => (2, false),
        "S16" => (2, true),
        _ => return None,
    };
    let held: [Byte; 4] = std::array::from_fn(|byte| match (byte < wide, signed) {
        (true, _) => Byte::Loaded(byte as u8),
        (false, true) => Byte::Sign(wide as u8 - 1),
        (false, false) => Byte::Zero,
    });
    let taken = |digit: u32| {
        let byte = match digit & 7 {
            index @ 0..4 => held[index as usize],
            _ => Byte::Zero,
        };
        match (byte, digit & 8 != 0) {
            (Byte::Loaded(index), true) => Byte::Sign(index),
            (byte, _) => byte,
        }
    };
    let same = (0..4).all(|byte| taken(selector >> (4 * byte) & 15) == held[byte as usize]);
    let to = request.destination().filter(|_| same)?;
    Some(Request::new(O::Mov).to(to).from(a).guard_like(request))
}
