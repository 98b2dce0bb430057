//! What is known of bits: low bits of a value that are zero, how large it may be, and sums that never carry. Second results that nobody reads.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    algebra::{known, plain},
    commute::table,
    rewriter::Rewriter,
};
use crate::select::{Request, Source, Test, Value};

/// How many definitions are followed.
const DEPTH: u32 = 6;

/// The truth table of "and" of the first two operands.
const AND: u8 = 0xf0 & 0xcc;

pub(super) fn simplify(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    match rewriter.instruction(at).base.opcode() {
        O::Lop3 => masked(rewriter, at),
        O::Iadd3 => unread_carry(rewriter, at) || no_carry(rewriter, at),
        O::Elect | O::Syncs => unread_result(rewriter, at),
        _ => false,
    }
}

/// How many low bits of a value are known to be zero.
fn low_zeros(rewriter: &Rewriter<'_>, source: &Source, depth: u32) -> u32 {
    if let Some(value) = known(source) {
        return value.trailing_zeros();
    }
    let Value::Register(word) = source.value else {
        return 0;
    };
    // The negative of a multiple is one.
    if source.inverted || source.absolute || depth == 0 {
        return 0;
    }
    let Some((_, made)) = rewriter.made(&Source::from(word)) else {
        return 0;
    };
    if made.destination() != Some(word) {
        return 0;
    }
    let each = |index: usize| {
        let operand = made.sources().get(index);
        operand.map_or(0, |operand| low_zeros(rewriter, operand, depth - 1))
    };
    match (made.opcode(), made.literals(), made.sources().len()) {
        (O::Mov, "", 1) if made.loud().next().is_none() => each(0),
        (O::Sel, "", 2) => each(0).min(each(1)),
        (O::Iadd3, "", 3) => each(0).min(each(1)).min(each(2)),
        (O::Imad, "", 3) => (each(0) + each(1)).min(each(2)),
        (O::Shf, "", 3) if made.says(F::Direction) == "L" && !made.has_flag(F::High) && !made.has_flag(F::Wrap) => {
            let amount = made.sources().get(1).and_then(known).unwrap_or(0);
            each(0).saturating_add(amount).min(32)
        }
        (O::Lop3, "LUT", 4) => match made.sources().get(3).and_then(table) {
            Some(AND) => each(0).max(each(1)),
            _ => each(0).min(each(1)).min(each(2)).min(zero_keeps(&made)),
        },
        _ => 0,
    }
}

/// The largest that a value may be, as far as it is known.
fn most(rewriter: &Rewriter<'_>, source: &Source, depth: u32) -> u32 {
    const UNKNOWN: u32 = u32::MAX;
    if let Some(value) = known(source) {
        return value;
    }
    let Value::Register(word) = source.value else {
        return UNKNOWN;
    };
    if !plain(source) || depth == 0 {
        return UNKNOWN;
    }
    let Some((_, made)) = rewriter.made(&Source::from(word)) else {
        return UNKNOWN;
    };
    if made.destination() != Some(word) {
        return UNKNOWN;
    }
    let each = |index: usize| {
        let operand = made.sources().get(index);
        operand.map_or(UNKNOWN, |operand| most(rewriter, operand, depth - 1))
    };
    let constant = |index: usize| made.sources().get(index).and_then(known).filter(|amount| *amount < 32);
    match (made.opcode(), made.literals(), made.sources().len()) {
        (O::Mov, "", 1) if made.loud().next().is_none() => each(0),
        (O::Sel, "", 2) => each(0).max(each(1)),
        (O::Iadd3, "", 3) => {
            let sum = each(0).checked_add(each(1)).and_then(|sum| sum.checked_add(each(2)));
            sum.unwrap_or(UNKNOWN)
        }
        (O::Sgxt, "", 2) if made.has_flag(F::U32) => constant(1).map_or(UNKNOWN, |width| (1 << width) - 1),
        (O::Shf, "", 3) if !made.has_flag(F::Wrap) => match (made.says(F::Direction), constant(1)) {
            ("L", Some(amount)) if !made.has_flag(F::High) => each(0).checked_mul(1 << amount).unwrap_or(UNKNOWN),
            ("R", Some(amount)) => {
                let logical = made.has_flag(F::High) && made.says(F::Type) == "U32" && constant(0) == Some(0);
                if logical { each(2) >> amount } else { UNKNOWN }
            }
            _ => UNKNOWN,
        },
        (O::Lop3, "LUT", 4) => {
            let Some(table) = made.sources().get(3).and_then(table) else {
                return UNKNOWN;
            };
            // Of each operand the bits that may be one, and those that may be zero.
            let bits = |index: usize| {
                let may = |largest: u32| u32::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
                let constant = made.sources().get(index).and_then(known);
                constant.map_or((may(each(index)), u32::MAX), |value| (value, !value))
            };
            let (a, b, c) = (bits(0), bits(1), bits(2));
            let side = |row: u8, bit: u8, (one, zero): (u32, u32)| if row >> bit & 1 != 0 { one } else { zero };
            let rows = (0..8).filter(|row| table >> row & 1 != 0);
            rows.fold(0, |all, row| all | side(row, 2, a) & side(row, 1, b) & side(row, 0, c))
        }
        _ => UNKNOWN,
    }
}

/// 32 if a truth table gives zero of zeros.
fn zero_keeps(request: &Request) -> u32 {
    match request.sources().get(3).and_then(table) {
        Some(table) if table & 1 == 0 => 32,
        _ => 0,
    }
}

/// "And" with a mask of bits that are zero.
fn masked(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let [a, b, _, lut] = *request.sources() else {
        return false;
    };
    let simple = request.written_predicates().is_empty()
        && request.loud().next().is_none()
        && request.literals() == "LUT"
        && table(&lut) == Some(AND);
    let Some(to) = request.destination().filter(|_| simple) else {
        return false;
    };
    let (mask, other) = match (known(&a), known(&b)) {
        (Some(mask), None) => (mask, b),
        (None, Some(mask)) => (mask, a),
        _ => return false,
    };
    let width = u32::BITS - mask.leading_zeros();
    if width > low_zeros(rewriter, &other, DEPTH) {
        return false;
    }
    let new = Request::new(O::Mov).to(to).from(Value::Zero).guard_like(&request);
    rewriter.rewrite(at, &new)
}

/// The carry of a sum of one value, and of values that are too small, is never there, that of a sum of constants known.
fn no_carry(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(request) = rewriter.view(at).filter(|request| request.literals() == "X") else {
        return false;
    };
    for field in [F::Pp, F::Pq] {
        let Some(carry) = request.test(field).and_then(|test| test.register) else {
            continue;
        };
        let Some(low) = rewriter
            .definer(carry.into())
            .and_then(|definer| rewriter.view(definer))
        else {
            continue;
        };
        let is_sum = low.opcode() == O::Iadd3 && low.literals().is_empty() && !low.is_guarded();
        let is_plain = low.sources().iter().all(plain);
        let mut summands = low.sources().iter().filter(|source| source.value != Value::Zero);
        let carries = match (is_sum && is_plain, summands.next(), summands.next(), summands.next()) {
            (true, _, None, None) => false,
            (true, Some(a), Some(b), None) if low.written_predicates() == [(F::Pu, carry)] => {
                let largest = most(rewriter, a, DEPTH).checked_add(most(rewriter, b, DEPTH));
                match (constant_of(rewriter, a), constant_of(rewriter, b)) {
                    _ if largest.is_some() => false,
                    (Some(a), Some(b)) => a.checked_add(b).is_none(),
                    _ => continue,
                }
            }
            _ => continue,
        };
        let negated = request.test(field).is_some_and(|test| test.negated);
        let constant = if negated == carries { Test::NEVER } else { Test::ALWAYS };
        let new = Request::clone(&request).when_only(field, constant);
        if rewriter.rewrite(at, &new) {
            return true;
        }
    }
    false
}

/// The value of an operand that is a constant, itself or in a register.
fn constant_of(rewriter: &Rewriter<'_>, source: &Source) -> Option<u32> {
    let made = || rewriter.made_by(source, O::Mov, "");
    known(source).or_else(|| match made()?.1.sources() {
        [constant] => known(constant),
        _ => None,
    })
}

/// The number of the elected lane and the state of a barrier object are not written where nobody reads them: they would come late, and keep their
/// registers from others until then.
fn unread_result(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let is_read_elsewhere = request.opcode() == O::Syncs && request.says(F::Action) != "ARRIVE";
    let Some(result) = request.destination().filter(|_| !is_read_elsewhere) else {
        return false;
    };
    let info = rewriter.function.info(result.register);
    let is_read = (0..info.words).any(|word| rewriter.uses(result.register.word(word)) > 0);
    if info.fixed.is_some() || is_read {
        return false;
    }
    rewriter.rewrite(at, &Request::clone(&request).without_destination())
}

/// A carry that nobody reads is not written.
fn unread_carry(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(request) = rewriter.view(at).filter(|request| request.literals().is_empty()) else {
        return false;
    };
    let [(_, carry)] = *request.written_predicates() else {
        return false;
    };
    if !rewriter.is_value(carry.into()) || rewriter.uses(carry.into()) > 0 {
        return false;
    }
    rewriter.rewrite(at, &Request::clone(&request).sets_none())
}
