//! Addresses: sums of 64 bits that become multiplications with a sum, and constants that move into the offset of an access.

use warpsmith_sass::{Access, FieldKind, FieldName as F, Opcode as O};

use super::{
    algebra::{known, plain},
    commute::number,
    operands::origin,
    rewriter::Rewriter,
};
use crate::{
    ir::Instruction,
    select::{Request, Source, Test, Value, Word},
};

pub(super) fn simplify(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    match rewriter.instruction(at).base.opcode() {
        O::Iadd3 => wide_sum(rewriter, at) || shifted_sum(rewriter, at) || extended_sum(rewriter, at),
        O::Shf => wide_shift(rewriter, at),
        O::Ldg
        | O::Stg
        | O::Ld
        | O::St
        | O::Lds
        | O::Sts
        | O::Ldl
        | O::Stl
        | O::Red
        | O::Redg
        | O::Atomg
        | O::Atoms => offset(rewriter, at, F::Ra, F::Offset) || absolute(rewriter, at) || scaled(rewriter, at),
        O::Syncs | O::Ldsm | O::Stsm => offset(rewriter, at, F::Ra, F::Offset),
        O::Ldc => indexed_constant(rewriter, at),
        O::Ldtm => brought_offset(rewriter, at, F::URb),
        O::Sttm => brought_offset(rewriter, at, F::URc),
        O::Utccp | O::Utcshift => brought_offset(rewriter, at, F::URa),
        O::Ldgsts => offset(rewriter, at, F::Ra, F::Offset) || offset(rewriter, at, F::Rd, F::SharedOffset),
        _ => false,
    }
}

/// A sum of 64 bits: its halves and where they are made.
struct WideSum {
    /// The instruction of the low half.
    low: u32,
    /// Where the sum goes: the first word.
    to: Word,
    /// The summands: low and high half each.
    a: [Source; 2],
    b: [Source; 2],
}

/// Two of the three sources that are not zero.
fn two(request: &Request) -> Option<[Source; 2]> {
    let mut found = request
        .sources()
        .iter()
        .filter(|source| known(source) != Some(0))
        .copied();
    let pair = [
        found.next().unwrap_or(Value::Zero.into()),
        found.next().unwrap_or(Value::Zero.into()),
    ];
    found.next().is_none().then_some(pair)
}

/// The sum whose high half an instruction makes.
fn sum_at(rewriter: &Rewriter<'_>, at: u32) -> Option<WideSum> {
    let high = rewriter.view(at)?;
    if high.opcode() != O::Iadd3
        || high.literals() != "X"
        || high.is_guarded()
        || !high.written_predicates().is_empty()
        || high.test(F::Pq) != Some(Test::NEVER)
    {
        return None;
    }
    let to = high.destination()?;
    let carry = high.test(F::Pp).filter(|test| !test.negated)?.register?;
    let low = rewriter.definer(carry.into())?;
    let request = rewriter.view(low)?;
    let first = request.destination()?;
    let is_low = request.opcode() == O::Iadd3
        && request.literals().is_empty()
        && !request.is_guarded()
        && request.written_predicates() == [(F::Pu, carry)]
        && rewriter.is_single(carry.into())
        && first.register == to.register
        && first.word + 1 == to.word
        && first.word % 2 == 0;
    if !is_low || !rewriter.is_value(to) || !rewriter.is_value(first) {
        return None;
    }
    let (a, b) = (two(&request)?, two(&high)?);
    if a.iter().chain(&b).any(|source| !plain(source)) {
        return None;
    }
    // Which halves go together: words of one register, or what is left.
    let together = |low: &Source, high: &Source| match (low.value, high.value) {
        (Value::Register(low), Value::Register(high)) => low.register == high.register && low.word + 1 == high.word,
        (Value::Constant(bank, offset), Value::Constant(other, next)) => bank == other && offset + 4 == next,
        _ => false,
    };
    let crossed = together(&a[0], &b[1]) || together(&a[1], &b[0]);
    let (a, b) = if crossed {
        ([a[0], b[1]], [a[1], b[0]])
    } else {
        ([a[0], b[0]], [a[1], b[1]])
    };
    Some(WideSum { low, to: first, a, b })
}

/// A value of 64 bits as one operand: an aligned pair, an aligned constant of a bank, or zero. It is read at `before`; `at`, its high half was.
fn whole(rewriter: &Rewriter<'_>, halves: [Source; 2], before: u32, at: u32) -> Option<Source> {
    let [low, high] = halves;
    match (low.value, high.value) {
        (Value::Zero, Value::Zero) => Some(low),
        (Value::Constant(bank, offset), Value::Constant(other, next))
            if bank == other && offset + 4 == next && offset % 8 == 0 =>
        {
            Some(low)
        }
        (Value::Register(first), Value::Register(second))
            if first.register == second.register && first.word + 1 == second.word && first.word % 2 == 0 =>
        {
            let there = |word: Word| match rewriter.is_value(word) {
                true => {
                    let definer = rewriter.definer(word);
                    definer.is_some_and(|definer| rewriter.values.comes_before(definer, before))
                }
                false => before <= at && stays(rewriter, &word.into(), before, at),
            };
            (there(first) && there(second)).then_some(low)
        }
        _ => None,
    }
}

/// `IADD3` and `IADD3.X` of a product: `IMAD.WIDE` adds.
fn wide_sum(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(sum) = sum_at(rewriter, at) else {
        return false;
    };
    for (product, other) in [(sum.a, sum.b), (sum.b, sum.a)] {
        let [Value::Register(low), Value::Register(high)] = product.map(|half| half.value) else {
            continue;
        };
        if low.register != high.register || low.word + 1 != high.word {
            continue;
        }
        if !rewriter.is_value(low) || !rewriter.is_value(high) {
            continue;
        }
        let Some((maker, inner)) = rewriter.made_by(&product[0], O::Imad, "WIDE") else {
            continue;
        };
        let [x, y, added] = *inner.sources() else { continue };
        let ready = known(&added) == Some(0)
            && inner.written_predicates().is_empty()
            && stays(rewriter, &x, maker, at)
            && stays(rewriter, &y, maker, at);
        let Some(other) = whole(rewriter, other, sum.low, at).filter(|_| ready) else {
            continue;
        };
        let new = Request::clone(&inner).to(sum.to).with_sources(&[x, y, other]);
        if rewriter.rewrite(sum.low, &new) {
            rewriter.remove(at);
            return true;
        }
        if with_register(rewriter, at, &sum, &inner, other) {
            return true;
        }
    }
    false
}

/// How far apart two instructions may be that are looked at together.
const NEAR: u32 = 64;

/// Whether a source is at one instruction still what it was at an earlier one: a value, or, in one block, a variable that nothing writes between.
fn stays(rewriter: &Rewriter<'_>, source: &Source, from: u32, to: u32) -> bool {
    let Value::Register(word) = source.value else {
        return true;
    };
    if rewriter.is_value(word) {
        return true;
    }
    let together = rewriter.values.block_of(from) == rewriter.values.block_of(to);
    if !together || !(from..from.saturating_add(NEAR)).contains(&to) {
        return false;
    }
    (from..to).filter(|number| !rewriter.is_removed(*number)).all(|number| {
        let mut touches = rewriter.instruction(number).touches();
        !touches.any(|touch| touch.register == word.register && touch.access != Access::Read)
    })
}

/// A product with a constant plus a constant of a bank: no form takes both, so that the factor goes to a register, which others may share.
fn with_register(rewriter: &mut Rewriter<'_>, at: u32, sum: &WideSum, inner: &Request, other: Source) -> bool {
    let [x, y, _] = *inner.sources() else {
        return false;
    };
    let (Value::Register(_), Value::Immediate(_), Value::Constant(..)) = (x.value, y.value, other.value) else {
        return false;
    };
    if !super::backward::is_untouched(rewriter, sum.to, sum.low, at) {
        return false;
    }
    let Some(factor) = rewriter.fresh() else {
        return false;
    };
    let copy = Request::new(O::Mov).to(factor).from(y);
    let product = Request::clone(inner)
        .to(sum.to)
        .with_sources(&[x, factor.into(), other]);
    let (Some(copy), Some(product)) = (rewriter.built(sum.low, &copy), rewriter.built(at, &product)) else {
        return false;
    };
    if !rewriter.put(sum.low, copy) {
        return false;
    }
    rewriter.replace(at, product);
    true
}

/// `IADD3` and `IADD3.X` of a pair shifted left: `LEA` and `LEA.HI.X`.
fn shifted_sum(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(sum) = sum_at(rewriter, at) else {
        return false;
    };
    for (shifted, other) in [(sum.a, sum.b), (sum.b, sum.a)] {
        let halves = shifted.map(|half| match half.value {
            Value::Register(word) if rewriter.is_single(word) => rewriter.made_by(&half, O::Shf, ""),
            _ => None,
        });
        let [Some((_, low)), Some((_, high))] = halves else {
            continue;
        };
        let left = |request: &Request| request.says(F::Direction) == "L" && request.sources().iter().all(plain);
        let [x, amount, _] = *low.sources() else { continue };
        let [same, same_amount, upper] = *high.sources() else {
            continue;
        };
        let fits = left(&low)
            && left(&high)
            && !low.has_flag(F::High)
            && high.has_flag(F::High)
            && matches!(high.says(F::Type), "U32" | "U64" | "S64")
            && matches!(low.says(F::Type), "U32" | "S32")
            && x == same
            && amount == same_amount
            && [x, upper].iter().all(|source| rewriter.is_steady(source));
        let Some(amount) = known(&amount).filter(|amount| fits && (1..32).contains(amount)) else {
            continue;
        };
        if known(&x).is_some() || known(&other[0]).is_some() {
            continue;
        }
        let (Some(first), Some(second)) = (rewriter.view(sum.low), rewriter.view(at)) else {
            continue;
        };
        let Some(carry) = second.test(F::Pp).and_then(|test| test.register) else {
            continue;
        };
        let (Some(to), Some(next)) = (first.destination(), second.destination()) else {
            continue;
        };
        let low = Request::new(O::Lea)
            .to(to)
            .sets(F::Pu, carry)
            .from(x)
            .from(other[0])
            .from(number(amount));
        let high = Request::new(O::Lea)
            .literal("HI.X")
            .to(next)
            .from(x)
            .from(other[1])
            .from(upper)
            .from(number(amount))
            .when(F::Pp, carry);
        let (Some(low), Some(high)) = (rewriter.built(sum.low, &low), rewriter.built(at, &high)) else {
            continue;
        };
        if rewriter.put(sum.low, low) {
            rewriter.replace(at, high);
            return true;
        }
    }
    false
}

/// A sum with a word whose sign is its high half: `LEA.HI.X.SX32` extends it itself.
fn extended_sum(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(sum) = sum_at(rewriter, at) else {
        return false;
    };
    for (extended, other) in [(sum.a, sum.b), (sum.b, sum.a)] {
        let Some((extension, sign)) = rewriter.made_by(&extended[1], O::Shf, "") else {
            continue;
        };
        let [zero, amount, x] = *sign.sources() else { continue };
        let copied = match extended[0].value {
            Value::Register(word) => origin(rewriter, word),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => None,
        };
        let extends = sign.says(F::Direction) == "R"
            && sign.says(F::Type) == "S32"
            && sign.has_flag(F::High)
            && known(&zero) == Some(0)
            && known(&amount) == Some(31)
            && plain(&x)
            && (extended[0].value == x.value || copied == Some(x.value));
        let low = extended[0];
        if !extends || !matches!(low.value, Value::Register(_)) || known(&other[1]).is_some() {
            continue;
        }
        let Some(old) = rewriter.view(at) else { continue };
        let (Some(to), Some(carry)) = (old.destination(), old.test(F::Pp).and_then(|test| test.register)) else {
            continue;
        };
        let new = Request::new(O::Lea)
            .literal("HI.X.SX32")
            .to(to)
            .from(low)
            .from(other[1])
            .from(number(1))
            .when(F::Pp, carry);
        // The sign is that of what is added, and of what the word is here.
        let same = stays(rewriter, &x, extension, at) && stays(rewriter, &low, sum.low, at);
        if same && rewriter.rewrite(at, &new) {
            return true;
        }
    }
    false
}

/// A pair shifted left by a constant whose high half is the sign of the low one, or zero: a product of 64 bits.
fn wide_shift(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some(high) = rewriter.view(at) else {
        return false;
    };
    let [low, amount, upper] = *high.sources() else {
        return false;
    };
    let is_high = high.says(F::Direction) == "L" && high.has_flag(F::High) && !high.is_guarded();
    let Some(amount) = known(&amount).filter(|amount| is_high && (1..31).contains(amount)) else {
        return false;
    };
    if !matches!(high.says(F::Type), "U32" | "U64" | "S64") || !plain(&low) || !plain(&upper) {
        return false;
    }
    let signed = match upper.value {
        Value::Zero => false,
        _ => match rewriter.made_by(&upper, O::Shf, "") {
            Some((_, sign))
                if sign.says(F::Direction) == "R"
                    && sign.says(F::Type) == "S32"
                    && sign.has_flag(F::High)
                    && known(&sign.sources()[1]) == Some(31)
                    && sign.sources()[2] == low =>
            {
                true
            }
            _ => return false,
        },
    };
    let Some(to) = high.destination().filter(|to| to.word % 2 == 1) else {
        return false;
    };
    let first = to.register.word(to.word - 1);
    let Some(definer) = rewriter.definer(first) else {
        return false;
    };
    let Some(request) = rewriter.view(definer) else {
        return false;
    };
    let matches = request.opcode() == O::Shf
        && !request.is_guarded()
        && request.says(F::Direction) == "L"
        && !request.has_flag(F::High)
        && request.destination() == Some(first)
        && request.sources()[0] == low
        && known(&request.sources()[1]) == Some(amount)
        && rewriter.is_value(to)
        && rewriter.is_value(first)
        && rewriter.is_steady(&low);
    let (place, other) = if rewriter.values.comes_before(definer, at) {
        (definer, at)
    } else {
        (at, definer)
    };
    if !matches || !rewriter.values.comes_before(place, other) {
        return false;
    }
    let new = Request::new(O::Imad)
        .literal("WIDE")
        .to(first)
        .from(low)
        .from(number(1 << amount))
        .from(Value::Zero)
        .flag(F::U32, !signed);
    if rewriter.rewrite(place, &new) {
        rewriter.remove(other);
        return true;
    }
    false
}

/// A constant added to the address goes into the offset of the access. `base` and `place` are the fields of the two.
fn offset(rewriter: &mut Rewriter<'_>, at: u32, base: F, place: F) -> bool {
    let instruction = rewriter.instruction(at);
    let Some(touch) = instruction
        .touches()
        .find(|touch| touch.field == Some(base) && touch.access == Access::Read)
    else {
        return false;
    };
    let operand = base;
    let base = touch.register.word(touch.word);
    let Some(field) = instruction.base.form().field(place) else {
        return false;
    };
    let length = field.bits.length();
    let Some(raw) = instruction.base.field(place) else {
        return false;
    };
    let old = (raw << (64 - length)) as i64 >> (64 - length);
    let found = match touch.words {
        1 => narrow_offset(rewriter, base),
        2 => wide_offset(rewriter, base),
        _ => None,
    };
    let Some((from, added)) = found else {
        return false;
    };
    // A scaled base scales what is added to it.
    let scale = match instruction.base.field(F::Scale).unwrap_or(0) {
        0 => 0,
        scale => scale + 1,
    };
    // Accesses of 32 bytes count in these.
    let unit = match field.kind {
        FieldKind::Unsigned { scale, .. } | FieldKind::Signed { scale, .. } => i64::from(scale.max(1)),
        _ => return false,
    };
    let added = added << scale;
    let Some(new) = old.checked_add(added / unit).filter(|_| added % unit == 0) else {
        return false;
    };
    if !(-(1_i64 << (length - 1))..1 << (length - 1)).contains(&new) || from.word % touch.alignment.max(1) != 0 {
        return false;
    }
    let Some(word) = instruction.base.with_field(place, new as u64 & ((1 << length) - 1)) else {
        return false;
    };
    let mut changed = instruction.clone();
    changed.base = word;
    for field in changed.operands.iter_mut().filter(|field| field.field == operand) {
        (field.register, field.word) = (from.register, from.word);
    }
    rewriter.put(at, changed)
}

/// A constant that was added to an address of tensor memory before it was brought to its uniform register moves into the offset of the access.
fn brought_offset(rewriter: &mut Rewriter<'_>, at: u32, field: F) -> bool {
    let instruction = rewriter.instruction(at);
    let operand = |instruction: &Instruction, field: F| {
        let mut operands = instruction.operands.iter();
        let found = operands.find(|operand| operand.field == field);
        found.map(|operand| operand.register.word(operand.word))
    };
    let Some(base) = operand(instruction, field).filter(|base| rewriter.is_single(*base)) else {
        return false;
    };
    let Some(brings) = rewriter.definer(base) else {
        return false;
    };
    let brought = rewriter.instruction(brings);
    let is_plain =
        brought.base.opcode() == O::R2ur && brought.base.form().name == "UR_R" && brought.operands.len() == 2;
    let Some(from) = operand(brought, F::Ra).filter(|_| is_plain && brought.guard.is_none()) else {
        return false;
    };
    let Some((from, added)) = narrow_offset(rewriter, from) else {
        return false;
    };
    let old = instruction.base.field(F::Offset).unwrap_or(0) as u32;
    let sum = u64::from(old.wrapping_add(added as u32));
    let Some(word) = instruction.base.with_field(F::Offset, sum) else {
        return false;
    };
    let mut access = instruction.clone();
    access.base = word;
    let mut moved = brought.clone();
    for operand in moved.operands.iter_mut().filter(|operand| operand.field == F::Ra) {
        (operand.register, operand.word) = (from.register, from.word);
    }
    if !rewriter.put(at, access) {
        return false;
    }
    rewriter.replace(brings, moved);
    true
}

/// The register that a base of one word is a constant away from.
fn narrow_offset(rewriter: &Rewriter<'_>, base: Word) -> Option<(Word, i64)> {
    let definer = rewriter.definer(base)?;
    if rewriter.instruction(definer).base.opcode() != O::Iadd3 {
        return None;
    }
    let request = rewriter.view(definer)?;
    if !request.literals().is_empty() || !request.written_predicates().is_empty() || request.is_guarded() {
        return None;
    }
    let [a, b] = two(&request)?;
    let (register, constant) = if known(&a).is_some() { (b, a) } else { (a, b) };
    let Value::Register(word) = register.value else {
        return None;
    };
    let same_file = rewriter.class(word.register) == rewriter.class(base.register);
    (plain(&register) && same_file && rewriter.is_value(word)).then_some((word, i64::from(known(&constant)? as i32)))
}

/// The pair that a base of two words is a constant away from.
fn wide_offset(rewriter: &Rewriter<'_>, base: Word) -> Option<(Word, i64)> {
    let definer = rewriter.definer(base.register.word(base.word + 1))?;
    if rewriter.instruction(definer).base.opcode() != O::Iadd3 {
        return None;
    }
    let sum = sum_at(rewriter, definer)?;
    if sum.to != base {
        return None;
    }
    for (pair, constant) in [(sum.a, sum.b), (sum.b, sum.a)] {
        let (Some(low), Some(high)) = (known(&constant[0]), known(&constant[1])) else {
            continue;
        };
        let [Value::Register(first), Value::Register(second)] = pair.map(|half| half.value) else {
            continue;
        };
        let is_pair = first.register == second.register && first.word + 1 == second.word && first.word % 2 == 0;
        if is_pair && rewriter.is_value(first) && rewriter.is_value(second) {
            return Some((first, (u64::from(high) << 32 | u64::from(low)) as i64));
        }
    }
    None
}

/// A constant at an index that is known.
fn indexed_constant(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let instruction = rewriter.instruction(at);
    let whole = instruction.base.form().name == "R_CR" && crate::select::printed(&instruction.base, F::Size).is_empty();
    let index = instruction.operands.iter().find(|operand| operand.field == F::Ra);
    let (Some(index), true) = (index, whole) else {
        return false;
    };
    let base = match super::operands::origin(rewriter, index.register.word(index.word)) {
        Some(Value::Immediate(value)) => value as i32,
        Some(Value::Zero) => 0,
        Some(Value::Register(_) | Value::Constant(..)) | None => return false,
    };
    let (Some(bank), Some(offset)) = (instruction.base.field(F::Bank), instruction.base.field(F::Offset)) else {
        return false;
    };
    let place = i64::from(base) + i64::from(offset as u16 as i16);
    let (Some(request), Ok(bank), Ok(place)) = (rewriter.view(at), u8::try_from(bank), u32::try_from(place)) else {
        return false;
    };
    let Some(to) = request.destination().filter(|_| place % 4 == 0 && place < 0xff00) else {
        return false;
    };
    let copy = Request::new(O::Mov).to(to).from(Value::Constant(bank, place));
    // From sm_90 on no move reads constants.
    let load = Request::new(O::Ldc)
        .form("R_C")
        .to(to)
        .number(F::Bank, bank.into())
        .number(F::Offset, place.into());
    [copy, load]
        .into_iter()
        .any(|new| rewriter.rewrite(at, &new.guard_like(&request)))
}

/// Shared memory at a constant address: the form without a register.
fn absolute(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let instruction = rewriter.instruction(at);
    let form = match (instruction.base.opcode(), instruction.base.form().name) {
        (O::Lds, "R_A") => "R_ABS",
        (O::Sts, "A_R") => "ABS_R",
        _ => return false,
    };
    let Some(base) = instruction.operands.iter().find(|operand| operand.field == F::Ra) else {
        return false;
    };
    let Some(Value::Zero | Value::Immediate(_)) = super::operands::origin(rewriter, base.register.word(base.word))
    else {
        return false;
    };
    let value = match super::operands::origin(rewriter, base.register.word(base.word)) {
        Some(Value::Immediate(value)) => value,
        _ => 0,
    };
    let address = u64::from(value) + instruction.base.field(F::Offset).unwrap_or(0);
    if !crate::select::printed(&instruction.base, F::Scale).is_empty() || address >= 1 << 23 {
        return false;
    }
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    let request = Request::clone(&request)
        .without_register(F::Ra)
        .form(form)
        .number(F::Address, address);
    rewriter.rewrite(at, &request)
}

/// Shared memory at a shifted index: the access shifts.
fn scaled(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let instruction = rewriter.instruction(at);
    if !matches!(
        (instruction.base.opcode(), instruction.base.form().name),
        (O::Lds, "R_A") | (O::Sts, "A_R")
    ) {
        return false;
    }
    let Some(base) = instruction.operands.iter().find(|operand| operand.field == F::Ra) else {
        return false;
    };
    let source = Source::from(base.register.word(base.word));
    let Some((_, shift)) = rewriter.made_by(&source, O::Shf, "") else {
        return false;
    };
    let [x, amount, _] = *shift.sources() else {
        return false;
    };
    let scale = match known(&amount) {
        Some(2) => 1,
        Some(3) => 2,
        Some(4) => 3,
        _ => return false,
    };
    let left =
        shift.says(F::Direction) == "L" && !shift.has_flag(F::High) && matches!(shift.says(F::Type), "U32" | "S32");
    let Value::Register(word) = x.value else {
        return false;
    };
    if !left || !plain(&x) || !rewriter.is_value(word) || instruction.base.field(F::Scale) != Some(0) {
        return false;
    }
    let Some(base) = instruction
        .base
        .with_field(F::Scale, scale)
        .filter(|base| base.is_seen())
    else {
        return false;
    };
    let mut changed = instruction.clone();
    changed.base = base;
    for operand in changed.operands.iter_mut().filter(|operand| operand.field == F::Ra) {
        (operand.register, operand.word) = (word.register, word.word);
    }
    rewriter.put(at, changed)
}
