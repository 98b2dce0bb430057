//! Constant folding and identities of single instructions.

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    commute::{number, permuted_table, table},
    rewriter::Rewriter,
};
use crate::select::{Request, Source, Test, Value, Word};

/// The integer that a source is, with what is done to it done.
pub(super) fn known(source: &Source) -> Option<u32> {
    if source.absolute {
        return None;
    }
    let value = match source.value {
        Value::Zero => 0,
        Value::Immediate(value) => value,
        Value::Register(_) | Value::Constant(..) => return None,
    };
    Some(match (source.negated, source.inverted) {
        (false, false) => value,
        (true, false) => value.wrapping_neg(),
        (false, true) => !value,
        (true, true) => return None,
    })
}

/// Whether a source is a plain register, with nothing done to it.
pub(super) fn plain(source: &Source) -> bool {
    !source.negated && !source.absolute && !source.inverted
}

/// `MOV` of a value to where a request goes, under its guard.
fn moved(request: &Request, to: Word, source: impl Into<Source>) -> Request {
    Request::new(O::Mov).to(to).from(source).guard_like(request)
}

pub(super) fn simplify(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let opcode = rewriter.instruction(at).base.opcode();
    let rule: fn(&Request, Word) -> Option<Request> = match opcode {
        O::Iadd3 => sum,
        O::Imad => product,
        O::Lop3 => logic,
        O::Shf => shift,
        O::Prmt => permute,
        O::Sel => select,
        O::Lea => lea,
        O::Sgxt => extension,
        O::Iabs | O::Brev | O::Popc => unary,
        O::Imnmx | O::Vimnmx => extreme,
        O::Isetp => return compare(rewriter, at),
        _ => return false,
    };
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let Some(to) = request.destination() else {
        return false;
    };
    match rule(&request, to) {
        Some(new) => rewriter.rewrite(at, &new),
        None => {
            of_selection(rewriter, at, &request, to, rule)
                || seen_through(rewriter, &request)
                    .is_some_and(|constant| rule(&constant, to).is_some_and(|new| rewriter.rewrite(at, &new)))
        }
    }
}

/// The request with constants for the registers that hold constants; no form need take them there.
fn seen_through(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let mut found: Option<Request> = None;
    for (index, source) in request.sources().iter().enumerate() {
        if let Value::Register(word) = source.value
            && !source.absolute
            && let Some(value @ (Value::Zero | Value::Immediate(_))) = super::operands::origin(rewriter, word)
        {
            found.get_or_insert_with(|| request.clone()).sources_mut()[index].value = value;
        }
    }
    found
}

/// The two constants that a source is, by a predicate: what `SEL` makes.
fn selection(rewriter: &Rewriter<'_>, source: &Source) -> Option<(u32, u32, Test)> {
    let (_, made) = rewriter.made_by(source, O::Sel, "")?;
    let [a, b] = *made.sources() else { return None };
    let test = made.test(F::Pp)?;
    rewriter
        .is_value(test.register?.into())
        .then_some((known(&a)?, known(&b)?, test))
}

/// A function of one of two constants is one of two constants.
fn of_selection(
    rewriter: &mut Rewriter<'_>,
    at: u32,
    request: &Request,
    to: Word,
    rule: fn(&Request, Word) -> Option<Request>,
) -> bool {
    let mut unknown = request
        .sources()
        .iter()
        .enumerate()
        .filter(|(_, source)| known(source).is_none());
    let (Some((index, source)), None) = (unknown.next(), unknown.next()) else {
        return false;
    };
    if !plain(source) {
        return false;
    }
    let Some((a, b, test)) = selection(rewriter, source) else {
        return false;
    };
    let fold = |value: u32| {
        let mut constant = request.clone();
        constant.sources_mut()[index] = number(value);
        let found = rule(&constant, to).filter(|found| found.opcode() == O::Mov)?;
        known(found.sources().first()?)
    };
    let (Some(a), Some(b)) = (fold(a), fold(b)) else {
        return false;
    };
    let new = if a == b {
        moved(request, to, number(a))
    } else if b == 0 {
        Request::new(O::Sel)
            .to(to)
            .from(number(b))
            .from(number(a))
            .when(F::Pp, test.opposite())
            .guard_like(request)
    } else {
        Request::new(O::Sel)
            .to(to)
            .from(number(a))
            .from(number(b))
            .when(F::Pp, test)
            .guard_like(request)
    };
    rewriter.rewrite(at, &new)
}

/// `IADD3` without carries: constants are added up, a sum of one is a copy.
fn sum(request: &Request, to: Word) -> Option<Request> {
    if !request.literals().is_empty() || !request.written_predicates().is_empty() || request.sources().len() != 3 {
        return carried_sum(request);
    }
    let mut total = 0_u32;
    let mut constants = 0;
    let mut others: SmallVec<[Source; 3]> = SmallVec::new();
    for source in request.sources() {
        match known(source) {
            Some(value) => {
                total = total.wrapping_add(value);
                constants += usize::from(source.value != Value::Zero || !plain(source));
            }
            None => others.push(*source),
        }
    }
    // x - x
    if let [a, b, ..] = others[..]
        && a.value == b.value
        && a.negated != b.negated
        && matches!(a.value, Value::Register(_))
    {
        others.drain(..2);
        constants += 2;
    }
    match (&others[..], total) {
        ([], total) => Some(moved(request, to, number(total))),
        ([one], 0) if plain(one) => Some(moved(request, to, *one)),
        (_, total) if constants > usize::from(total != 0) => {
            let mut sources: SmallVec<[Source; 3]> = others;
            if total != 0 {
                sources.insert(1.min(sources.len()), number(total));
            }
            while sources.len() < 3 {
                sources.push(Value::Zero.into());
            }
            Some(request.clone().with_sources(&sources))
        }
        _ => None,
    }
}

/// `IADD3` whose carries are known: one that is never there is not added, and one that always is is a constant.
fn carried_sum(request: &Request) -> Option<Request> {
    if request.literals() != "X" || !request.written_predicates().is_empty() {
        return None;
    }
    let mut total = 0_u32;
    for test in [F::Pp, F::Pq].iter().filter_map(|field| request.test(*field)) {
        match test {
            Test::NEVER => {}
            Test::ALWAYS => total += 1,
            _ => return None,
        }
    }
    let mut sources: SmallVec<[Source; 3]> = SmallVec::new();
    for source in request.sources() {
        match known(source) {
            Some(value) => total = total.wrapping_add(value),
            None if source.inverted => return None,
            None => sources.push(*source),
        }
    }
    let to = request.destination()?;
    if sources.is_empty() {
        return Some(moved(request, to, number(total)));
    }
    if sources.len() < 3 {
        sources.insert(1.min(sources.len()), number(total));
        sources.resize(3, Value::Zero.into());
    } else if total != 0 {
        return None;
    }
    Some(Request::new(O::Iadd3).to(to).guard_like(request).with_sources(&sources))
}

/// `IMAD`: products with 0 and 1, of constants, and nothing added.
fn product(request: &Request, to: Word) -> Option<Request> {
    let [a, b, c] = *request.sources() else {
        return None;
    };
    if !request.literals().is_empty() || request.tests().iter().any(|(_, test)| *test != Test::ALWAYS) {
        return None;
    }
    let (a, b) = if known(&a).is_some() { (b, a) } else { (a, b) };
    match (known(&a), known(&b), known(&c)) {
        (Some(a), Some(b), Some(c)) => Some(moved(request, to, number(a.wrapping_mul(b).wrapping_add(c)))),
        (Some(a), Some(b), None) => Some(added(request, to, number(a.wrapping_mul(b)), c)),
        (None, Some(0), _) => Some(added(request, to, Value::Zero.into(), c)),
        (None, Some(1), _) if plain(&a) => Some(added(request, to, a, c)),
        (None, Some(u32::MAX), _) if plain(&a) => Some(added(request, to, Source { negated: true, ..a }, c)),
        _ => None,
    }
}

fn added(request: &Request, to: Word, a: Source, c: Source) -> Request {
    Request::new(O::Iadd3)
        .to(to)
        .from(a)
        .from(c)
        .from(Value::Zero)
        .guard_like(request)
}

/// The table when an operand is a constant bit in every place: the other rows do not count.
fn cofactor(table: u8, operand: usize, ones: bool) -> u8 {
    let mask = [0xf0_u8, 0xcc, 0xaa][operand];
    let shift = 4 >> operand;
    if ones {
        let part = table & mask;
        part | part >> shift
    } else {
        let part = table & !mask;
        part | part << shift
    }
}

/// `LOP3` without a predicate: operands that do not matter go, equal operands become one, and what is left may be a copy.
fn logic(request: &Request, to: Word) -> Option<Request> {
    let [a, b, c, lut] = *request.sources() else {
        return None;
    };
    if !request.written_predicates().is_empty() || request.loud().next().is_some() {
        return None;
    }
    let mut table = table(&lut)?;
    let old = table;
    let mut inputs = [a, b, c];
    for index in 0..3 {
        match known(&inputs[index]) {
            Some(0) => table = cofactor(table, index, false),
            Some(u32::MAX) => table = cofactor(table, index, true),
            _ => {}
        }
        for other in index + 1..3 {
            if inputs[index] == inputs[other] && known(&inputs[index]).is_none() {
                // Rows where they differ do not count: the second operand follows the first.
                let mut found = 0;
                for row in 0..8_u8 {
                    let bit = row >> (2 - index) & 1;
                    let from = row & !(1 << (2 - other)) | bit << (2 - other);
                    found |= (table >> from & 1) << row;
                }
                table = found;
            }
        }
        if cofactor(table, index, false) == cofactor(table, index, true) {
            inputs[index] = Value::Zero.into();
        }
    }
    // The value if every operand is a constant.
    if let (Some(a), Some(b), Some(c)) = (known(&inputs[0]), known(&inputs[1]), known(&inputs[2])) {
        return Some(moved(request, to, number(evaluate(table, a, b, c))));
    }
    for (index, copy) in [(0, 0xf0), (1, 0xcc), (2, 0xaa)] {
        if table == copy {
            return Some(moved(request, to, inputs[index]));
        }
    }
    let changed = table != old || inputs != [a, b, c];
    // The one operand that counts stands first: this is how ptxas writes it.
    if !changed {
        return None;
    }
    let sources = arranged(inputs, table);
    Some(request.clone().with_sources(&sources))
}

/// The operands of a `LOP3` in the order that the forms take: a register, then what is no register, then the rest.
pub(super) fn arranged(inputs: [Source; 3], table: u8) -> [Source; 4] {
    let rank = |index: &usize| match inputs[*index].value {
        Value::Register(_) => 0,
        Value::Immediate(_) | Value::Constant(..) => 1,
        Value::Zero => 2,
    };
    let mut order = [0, 1, 2];
    order.sort_by_key(rank);
    if rank(&order[2]) == 1 {
        order.swap(1, 2);
    }
    let table = permuted_table(table, order);
    let [a, b, c] = order.map(|index| inputs[index]);
    [a, b, c, number(u32::from(table))]
}

/// The bits of a truth table's function.
pub(super) fn evaluate(table: u8, a: u32, b: u32, c: u32) -> u32 {
    (0..8_u32).filter(|row| table >> row & 1 != 0).fold(0, |found, row| {
        let pick = |value: u32, bit: u32| if row >> bit & 1 != 0 { value } else { !value };
        found | pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// `SHF` of constants, and by 0.
fn shift(request: &Request, to: Word) -> Option<Request> {
    let [low, amount, high] = *request.sources() else {
        return None;
    };
    let amount = known(&amount)?;
    let (kind, left, upper, wrap) = (
        request.says(F::Type),
        request.says(F::Direction) == "L",
        request.has_flag(F::High),
        request.has_flag(F::Wrap),
    );
    if matches!(kind, "U64" | "S64") {
        return long_shift(request, to, amount);
    }
    if !matches!(kind, "U32" | "S32") || !plain(&low) || !plain(&high) {
        return None;
    }
    let amount = if wrap { amount & 31 } else { amount.min(32) };
    if amount == 0 {
        // Left, the low word; or the high word of the pair.
        return match (left, upper) {
            (true, false) | (false, false) => Some(moved(request, to, low)),
            (_, true) => Some(moved(request, to, high)),
        };
    }
    if amount == 32 {
        // All bits of a word leave it.
        match (left, upper, kind) {
            (true, false, _) | (false, true, "U32") => return Some(moved(request, to, number(0))),
            (true, true, _) => return Some(moved(request, to, low)),
            _ => {}
        }
    }
    let (low, high) = (known(&low)?, known(&high)?);
    let pair = u64::from(high) << 32 | u64::from(low);
    let value = match (left, upper, kind) {
        (true, false, _) => (u64::from(low) << amount) as u32,
        (true, true, _) => (pair << amount >> 32) as u32,
        (false, false, _) if amount < 32 => (pair >> amount) as u32,
        (false, true, "U32") => (u64::from(high) >> amount) as u32,
        (false, true, "S32") => (i64::from(high as i32) >> amount) as u32,
        _ => return None,
    };
    Some(moved(request, to, number(value)))
}

/// `SGXT` of a constant, or from a bit above all.
fn extension(request: &Request, to: Word) -> Option<Request> {
    let [a, width] = *request.sources() else {
        return None;
    };
    let width = known(&width).filter(|width| *width <= 32 && !request.has_flag(F::Wrap))?;
    if width == 32 && plain(&a) {
        return Some(moved(request, to, a));
    }
    let value = known(&a)?;
    let value = match (width, request.has_flag(F::U32)) {
        (32, _) => value,
        (0, _) => 0,
        (width, true) => value << (32 - width) >> (32 - width),
        (width, false) => ((value << (32 - width)) as i32 >> (32 - width)) as u32,
    };
    Some(moved(request, to, number(value)))
}

/// Funnel shifts of 64 bits by 32 or more: a word moves as a whole.
fn long_shift(request: &Request, to: Word, amount: u32) -> Option<Request> {
    let [low, _, high] = *request.sources() else {
        return None;
    };
    if !(32..64).contains(&amount) || request.has_flag(F::Wrap) || !plain(&low) || !plain(&high) {
        return None;
    }
    let (left, upper, signed) = (
        request.says(F::Direction) == "L",
        request.has_flag(F::High),
        request.says(F::Type) == "S64",
    );
    // The word that all bits of the result come from, and what comes in beside it.
    let from = match (left, upper) {
        (true, true) => low,
        (false, false) => high,
        (true, false) => return Some(moved(request, to, Value::Zero)),
        (false, true) => return None,
    };
    if amount == 32 {
        return Some(moved(request, to, from));
    }
    let shift = Request::new(O::Shf).to(to).guard_like(request);
    let shift = if left {
        shift.from(from).from(number(amount - 32)).from(Value::Zero)
    } else {
        shift.from(Value::Zero).from(number(amount - 32)).from(from)
    };
    let (direction, kind) = match (left, signed) {
        (true, _) => ("L", "U32"),
        (false, true) => ("R", "S32"),
        (false, false) => ("R", "U32"),
    };
    Some(
        shift
            .text(F::Direction, direction)
            .text(F::Type, kind)
            .flag(F::High, !left),
    )
}

/// `PRMT` that copies a whole word, or permutes constants.
fn permute(request: &Request, to: Word) -> Option<Request> {
    let [a, selector, b] = *request.sources() else {
        return None;
    };
    if request.loud().next().is_some() || !plain(&a) || !plain(&b) {
        return None;
    }
    let selector = known(&selector)? & 0xffff;
    match selector {
        0x3210 => return Some(moved(request, to, a)),
        0x7654 => return Some(moved(request, to, b)),
        _ => {}
    }
    let reads = |upper: bool| (0..4).any(|digit| (selector >> (4 * digit) & 4 != 0) == upper);
    let (a_known, b_known) = (known(&a), known(&b));
    if (a_known.is_some() || !reads(false)) && (b_known.is_some() || !reads(true)) {
        return Some(moved(
            request,
            to,
            number(permuted(a_known.unwrap_or(0), selector, b_known.unwrap_or(0))),
        ));
    }
    // A source that no digit names.
    if !reads(false) && a.value != Value::Zero {
        let sources = [b, number(selector ^ 0x4444), Value::Zero.into()];
        return Some(request.clone().with_sources(&sources));
    }
    if !reads(true) && b.value != Value::Zero {
        return Some(request.clone().with_sources(&[a, number(selector), Value::Zero.into()]));
    }
    None
}

/// The bytes that a selector takes.
pub(super) fn permuted(a: u32, selector: u32, b: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |found, digit| {
        let code = selector >> (4 * digit) & 15;
        let byte = (bytes >> (8 * (code & 7)) & 0xff) as u32;
        let byte = match (code & 8 != 0, byte & 0x80 != 0) {
            (false, _) => byte,
            (true, true) => 0xff,
            (true, false) => 0,
        };
        found | byte << (8 * digit)
    })
}

/// `SEL` of one value, or by a constant.
fn select(request: &Request, to: Word) -> Option<Request> {
    let [a, b] = *request.sources() else {
        return None;
    };
    if !request.literals().is_empty() || !plain(&a) || !plain(&b) {
        return None;
    }
    match request.test(F::Pp)? {
        test if test == Test::ALWAYS || a == b => Some(moved(request, to, a)),
        Test::NEVER => Some(moved(request, to, b)),
        _ => None,
    }
}

/// `LEA` of constants, or shifting by 0.
fn lea(request: &Request, to: Word) -> Option<Request> {
    let [a, b, amount] = *request.sources() else {
        return None;
    };
    if !request.literals().is_empty() || !request.written_predicates().is_empty() || request.loud().next().is_some() {
        return None;
    }
    let amount = known(&amount)?;
    match known(&a) {
        Some(a) => Some(added(request, to, number(a << (amount & 31)), b)),
        None if amount == 0 => Some(added(request, to, a, b)),
        None => None,
    }
}

/// Functions of one constant.
fn unary(request: &Request, to: Word) -> Option<Request> {
    let [a] = *request.sources() else {
        return None;
    };
    let value = known(&a)?;
    let value = match request.opcode() {
        O::Iabs => (value as i32).unsigned_abs(),
        O::Brev => value.reverse_bits(),
        O::Popc => value.count_ones(),
        _ => return None,
    };
    Some(moved(request, to, number(value)))
}

/// Minimum or maximum of constants, or of a value and itself.
fn extreme(request: &Request, to: Word) -> Option<Request> {
    let [a, b] = *request.sources() else {
        return None;
    };
    if a == b && plain(&a) && request.loud().all(|field| field == F::Type) && !request.says(F::Type).contains("16") {
        return Some(moved(request, to, a));
    }
    None
}

/// `ISETP` of constants: the predicate is known.
fn compare(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let request = seen_through(rewriter, &request).unwrap_or_else(|| Request::clone(&request));
    let [a, b] = *request.sources() else {
        return false;
    };
    if request.has_flag(F::Extended)
        || !request.literals().is_empty()
        || !request.says(F::Type).is_empty()
        || request.is_guarded()
    {
        return false;
    }
    let holds = |a: u32, b: u32| {
        let order = if request.has_flag(F::U32) {
            a.cmp(&b)
        } else {
            (a as i32).cmp(&(b as i32))
        };
        Some(match request.says(F::Cmp) {
            "LT" => order.is_lt(),
            "LE" => order.is_le(),
            "GT" => order.is_gt(),
            "GE" => order.is_ge(),
            "EQ" => order.is_eq(),
            "NE" => order.is_ne(),
            _ => return None,
        })
    };
    // What the comparison is: a constant, or the predicate that chose an operand.
    let same = a == b && plain(&a);
    let found = match (known(&a), known(&b)) {
        (Some(a), Some(b)) => holds(a, b).map(|holds| if holds { Test::ALWAYS } else { Test::NEVER }),
        _ if same => holds(0, 0).map(|holds| if holds { Test::ALWAYS } else { Test::NEVER }),
        (None, Some(b)) if plain(&a) => selection(rewriter, &a).and_then(|(yes, no, test)| {
            Some(match (holds(yes, b)?, holds(no, b)?) {
                (true, true) => Test::ALWAYS,
                (false, false) => Test::NEVER,
                (true, false) => test,
                (false, true) => test.opposite(),
            })
        }),
        _ => None,
    };
    let Some(found) = found else {
        return false;
    };
    let [(F::Pu, result)] = *request.written_predicates() else {
        return false;
    };
    let Some(with) = request.test(F::Pp) else {
        return false;
    };
    // The comparison is the second input, what it is combined with the first.
    let table = match request.says(F::Combine) {
        "AND" => 0xf0 & 0xcc,
        "OR" => 0xf0 | 0xcc,
        "XOR" => 0xf0 ^ 0xcc,
        _ => return false,
    };
    let new = Request::new(O::Plop3)
        .form("LUT.P_P_P_P_P_I_I")
        .when(F::Pp, with)
        .when(F::Pq, found)
        .when(F::Pr, Test::ALWAYS)
        .number(F::Imm, table)
        .sets(F::Pu, result);
    rewriter.rewrite(at, &new)
}
