//! Operands that are copies, constants or zero take the place of the registers that hold them.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Opcode as O, RegisterClass, zero_number};
use warpsmith_target::Isa;

use super::rewriter::Rewriter;
use crate::{
    ir::Instruction,
    select::{Request, Source, Value, Word, widths},
};

/// What an instruction copies to its one destination: a register, a constant or zero.
pub(super) fn copied(instruction: &Instruction) -> Option<Value> {
    if instruction.guard.is_some() {
        return None;
    }
    match instruction.base.opcode() {
        O::Mov => moved(instruction),
        O::Ldc
            if instruction.base.form().name == "R_C"
                && crate::select::printed(&instruction.base, F::Size).is_empty() =>
        {
            let (bank, offset) = (instruction.base.field(F::Bank)?, instruction.base.field(F::Offset)?);
            Some(Value::Constant(u8::try_from(bank).ok()?, u32::try_from(offset).ok()?))
        }
        _ => None,
    }
}

/// The constant that a `MOV` copies, under whatever guard.
pub(super) fn constant_moved(instruction: &Instruction) -> Option<u32> {
    if instruction.base.opcode() != O::Mov {
        return None;
    }
    match moved(instruction)? {
        Value::Zero => Some(0),
        Value::Immediate(value) => Some(value),
        Value::Register(_) | Value::Constant(..) => None,
    }
}

/// What a `MOV` copies.
fn moved(instruction: &Instruction) -> Option<Value> {
    let base = &instruction.base;
    if instruction.reference.is_some() || instruction.effects.is_some() {
        return None;
    }
    // What a field holds: a virtual register, or the zero register; a physical one is no value.
    let held = |field: F, zero: u64| {
        let operand = instruction.operands.iter().find(|operand| operand.field == field);
        match operand {
            Some(operand) => Some(Value::Register(operand.register.word(operand.word))),
            None => (base.field(field) == Some(zero)).then_some(Value::Zero),
        }
    };
    let zero = |class| zero_number(class, base.isa()).unwrap_or(u64::MAX);
    held(F::Rd, zero(RegisterClass::Gpr))?;
    match base.form().name {
        "R_R" => held(F::Rb, zero(RegisterClass::Gpr)),
        "R_UR" => held(F::URb, zero(RegisterClass::UniformGpr)),
        "R_I" => match u32::try_from(base.field(F::Imm)?).ok()? {
            0 => Some(Value::Zero),
            value => Some(Value::Immediate(value)),
        },
        "R_C" => match Request::of(instruction)?.sources() {
            [source] => Some(source.value),
            _ => None,
        },
        _ => None,
    }
}

/// What a word is a copy of.
pub(super) fn origin(rewriter: &Rewriter<'_>, word: Word) -> Option<Value> {
    let definer = rewriter.definer(word).filter(|definer| rewriter.may_copy(*definer))?;
    let value = copied(rewriter.instruction(definer))?;
    match value {
        Value::Register(from) => (rewriter.is_value(from) && from != word).then_some(value),
        Value::Zero | Value::Immediate(_) | Value::Constant(..) => Some(value),
    }
}

/// Reads of copies become reads of what was copied, in the same field.
pub(super) fn copies(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    // Most operands come from elsewhere: look before what is touched is worked out.
    let candidates = instruction.operands.iter().any(|operand| {
        rewriter
            .definer(operand.register.word(operand.word))
            .is_some_and(|definer| rewriter.may_copy(definer))
    });
    if !candidates {
        return false;
    }
    let mut found: SmallVec<[(F, Word); 4]> = SmallVec::new();
    for touch in instruction
        .touches()
        .filter(|touch| touch.access == Access::Read && touch.words > 0)
    {
        let Some(field) = touch.field else { continue };
        let class = rewriter.class(touch.register);
        if !matches!(class, RegisterClass::Gpr | RegisterClass::UniformGpr) {
            continue;
        }
        let Some(Value::Register(first)) = origin(rewriter, touch.register.word(touch.word)) else {
            continue;
        };
        let follows = (1..touch.words).all(|part| {
            let next = first.register.word(first.word + part);
            origin(rewriter, touch.register.word(touch.word + part)) == Some(Value::Register(next))
        });
        if follows && first.word % touch.alignment.max(1) == 0 && rewriter.class(first.register) == class {
            found.push((field, first));
        }
    }
    if found.is_empty() || !rewriter.context.fuel.take() {
        return false;
    }
    let mut changed = rewriter.instruction(number).clone();
    for (field, word) in found {
        for operand in changed.operands.iter_mut().filter(|operand| operand.field == field) {
            (operand.register, operand.word) = (word.register, word.word);
        }
    }
    rewriter.replace(number, changed);
    true
}

/// Reads of constants become immediates, constants of a bank, zero, or uniform registers, where a form takes them.
pub(super) fn constants(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    if !instruction.base.memory().is_empty() {
        return stored_zero(rewriter, number);
    }
    // Most operands come from elsewhere: look before the request is made.
    let candidates = instruction.operands.iter().any(|operand| {
        rewriter
            .definer(operand.register.word(operand.word))
            .is_some_and(|definer| rewriter.may_copy(definer))
    });
    if !candidates || copied(instruction).is_some_and(|value| !matches!(value, Value::Register(_))) {
        return false;
    }
    let widths = widths(instruction);
    let Some(request) = rewriter.view(number) else {
        return false;
    };
    for (index, width) in widths.iter().enumerate() {
        let Some(Value::Register(word)) = request.sources().get(index).map(|source| source.value) else {
            continue;
        };
        let value = match width {
            1 => origin(rewriter, word),
            2 => pair(rewriter, &request, index, word),
            _ => None,
        };
        let Some(value) = value else { continue };
        let source = request.sources()[index];
        if matches!(value, Value::Immediate(_)) && source.absolute {
            continue;
        }
        // From sm_90 on instructions take no constants.
        if matches!(value, Value::Constant(..)) && rewriter.function.isa().index() >= Isa::Sm90.index() {
            continue;
        }
        if request.opcode() == O::Mov && matches!(value, Value::Register(_)) {
            continue;
        }
        let mut changed = Request::clone(&request);
        changed.sources_mut()[index] = Source { value, ..source };
        if rewriter.rewrite(number, &changed) {
            return true;
        }
        for other in super::commute::variants(&changed) {
            if rewriter.rewrite(number, &other) {
                return true;
            }
        }
    }
    false
}

/// Both words of a pair as one operand.
fn pair(rewriter: &Rewriter<'_>, request: &Request, index: usize, word: Word) -> Option<Value> {
    let low = origin(rewriter, word)?;
    let high = origin(rewriter, word.register.word(word.word + 1))?;
    let double = matches!(request.opcode(), O::Dadd | O::Dmul | O::Dfma | O::Dsetp);
    let wide = request.opcode() == O::Imad && ["WIDE", "HI"].contains(&request.literals()) && index == 2;
    if !double && !wide {
        return None;
    }
    match (low, high) {
        (Value::Zero, Value::Zero) => Some(Value::Zero),
        (Value::Zero, Value::Immediate(high)) if double => Some(Value::Immediate(high)),
        (Value::Constant(bank, offset), Value::Constant(other, next))
            if bank == other && next == offset + 4 && offset % 8 == 0 =>
        {
            Some(Value::Constant(bank, offset))
        }
        _ => None,
    }
}

/// A constant in a uniform register needs no general register on its way there.
pub(super) fn uniform_constants(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    if instruction.base.opcode() != O::R2ur || instruction.base.form().name != "UR_R" || instruction.guard.is_some() {
        return false;
    }
    let operand = |field: F| instruction.operands.iter().find(|operand| operand.field == field);
    let (Some(to), None) = (operand(F::URd), operand(F::Pu)) else {
        return false;
    };
    let value = match operand(F::Ra) {
        Some(from) => origin(rewriter, from.register.word(from.word)),
        None => Some(Value::Zero),
    };
    let Some(value @ (Value::Zero | Value::Immediate(_))) = value else {
        return false;
    };
    let copy = Request::new(O::Umov).to(to.register.word(to.word)).from(value);
    rewriter.rewrite(number, &copy)
}

/// The zero register as what a store writes.
fn stored_zero(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    if !matches!(instruction.base.opcode(), O::Stg | O::Sts | O::Stl | O::St | O::Sttm) {
        return false;
    }
    let data = instruction
        .touches()
        .find(|touch| touch.field == Some(F::Rb) && touch.access == Access::Read);
    let Some(data) = data.filter(|touch| rewriter.class(touch.register) == RegisterClass::Gpr) else {
        return false;
    };
    let zero =
        (data.word..data.word + data.words).all(|word| origin(rewriter, data.register.word(word)) == Some(Value::Zero));
    if !zero {
        return false;
    }
    match without(instruction, F::Rb, RegisterClass::Gpr) {
        Some(changed) => rewriter.put(number, changed),
        None => false,
    }
}

/// The instruction with the zero register in a field.
fn without(instruction: &Instruction, field: F, class: RegisterClass) -> Option<Instruction> {
    let zero = zero_number(class, instruction.base.isa())?;
    let base = instruction.base.with_field(field, zero)?;
    let decoded = warpsmith_sass::Instruction::decode(base.isa(), base.word()).ok()?;
    std::ptr::eq(decoded.form(), base.form()).then(|| {
        let mut changed = instruction.clone();
        changed.base = decoded;
        changed.operands.retain(|operand| operand.field != field);
        changed
    })
}

/// A product in tensor memory that masks no lane needs no mask. (Observed, ptxas 13.0.88: vectors of zeros leave no trace in its code.)
pub(super) fn no_lane_masks(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    let is_product = matches!(instruction.base.opcode(), O::Utchmma | O::Utcimma | O::Utcqmma);
    // With `.ws` the two words there choose columns.
    if !is_product || instruction.base.field(F::WeightStationary) != Some(0) {
        return false;
    }
    let mut masks = instruction.touches().filter(|touch| touch.field == Some(F::URf));
    let Some(masks) = masks.next().filter(|touch| matches!(touch.words, 4 | 8)) else {
        return false;
    };
    let is_zero = |word: u8| {
        let definer = rewriter.definer(masks.register.word(word));
        definer.is_some_and(|definer| is_uniform_zero(rewriter.instruction(definer)))
    };
    if !(masks.word..masks.word + masks.words).all(is_zero) {
        return false;
    }
    match without(instruction, F::URf, RegisterClass::UniformGpr) {
        Some(changed) => rewriter.put(number, changed),
        None => false,
    }
}

/// Whether an instruction writes zero to a uniform register.
fn is_uniform_zero(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    let zero = match base.form().name {
        "UR_UR" => base.field(F::URb) == zero_number(RegisterClass::UniformGpr, base.isa()),
        "UR_I" => base.field(F::Imm) == Some(0),
        _ => false,
    };
    let reads = instruction.operands.iter().any(|operand| operand.field == F::URb);
    base.opcode() == O::Umov && zero && !reads && instruction.guard.is_none() && instruction.reference.is_none()
}

/// `WARPSYNC` of a mask of all lanes in a register: the form that names them all.
pub(super) fn all_lanes(rewriter: &mut Rewriter<'_>, number: u32) -> bool {
    let instruction = rewriter.instruction(number);
    if instruction.base.opcode() != O::Warpsync || instruction.base.form().name != "R" {
        return false;
    }
    let [mask] = instruction.operands[..] else {
        return false;
    };
    if origin(rewriter, mask.register.word(mask.word)) != Some(Value::Immediate(u32::MAX)) {
        return false;
    }
    let Some(guard) = rewriter.view(number) else {
        return false;
    };
    let request = Request::new(O::Warpsync).guard_like(&guard);
    let request = if rewriter.function.isa().index() < Isa::Sm90.index() {
        request.form("I").number(F::Imm, u64::from(u32::MAX))
    } else {
        request.form("ALL.none")
    };
    rewriter.rewrite(number, &request)
}
