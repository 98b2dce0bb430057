//! Integer instructions that either of two pipes can execute.
//!
//! The pipe of integer additions, shifts and moves takes an instruction every second cycle, and so does the one that multiplies integers: two of a kind in
//! a row leave every second cycle unused. A copy, a sum and a shift to the left are a product with an addend, too, so that they can go where there is room. (ptxas 13.0.88
//! writes a third to two thirds of its copies and sums so, up to sm_110; on sm_120, where copies and sums go to either pipe by themselves, shifts alone.)

use warpsmith_sass::{FieldName as F, Opcode as O, Pipe, RegisterClass};
use warpsmith_target::Isa;

use crate::{
    ir::{Function, Instruction},
    select::{Request, Selector, Source, Test, Value},
};

/// Whether an instruction may have a twin: to be asked before it is built.
pub(super) fn is_likely(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    let moves = base.isa() != Isa::Sm120 && matches!(base.opcode(), O::Mov | O::Iadd3);
    base.timing().pipe == Pipe::Alu && (moves || base.opcode() == O::Shf)
}

/// The instruction of the multiplier that does the same.
pub(super) fn twin(function: &Function, instruction: &Instruction, selector: &Selector) -> Option<Instruction> {
    let old = Request::of(instruction)?;
    if !old.written_predicates().is_empty() {
        return None;
    }
    let to = old.destination()?;
    let product = |a: Source, b: Value, c: Source| Request::new(O::Imad).to(to).from(a).from(b).from(c);
    let request = match (old.opcode(), old.sources()) {
        (O::Mov, [from]) => {
            let whole = instruction.base.field(F::LaneMask).is_none_or(|mask| mask == 0xf);
            let zero = Value::Zero;
            whole.then(|| product(zero.into(), zero, *from).flag(F::U32, true))?
        }
        (O::Iadd3, [a, b, c]) if old.literals().is_empty() => sum(function, &old, [*a, *b, *c], selector)?,
        (O::Iadd3, [a, b, c]) if old.literals() == "X" => carried(function, &old, [*a, *b, *c])?,
        (O::Shf, [low, amount, high]) if is_shift_to_the_left(&old) && high.value == Value::Zero => {
            let Value::Immediate(amount @ 1..=31) = amount.value else {
                return None;
            };
            product(*low, Value::Immediate(1 << amount), Value::Zero.into()).flag(F::U32, true)
        }
        _ => return None,
    };
    selector.replacement(function, instruction, &request.guard_like(&old))
}

/// Whether a value adds nothing: zero, but not with all bits inverted.
fn is_nothing(source: &Source) -> bool {
    source.value == Value::Zero && !source.inverted
}

/// Whether nothing is done to a value as it is read.
fn is_plain(source: &Source) -> bool {
    !source.negated && !source.absolute && !source.inverted
}

/// Whether a value is in a register of a file.
fn is_in(function: &Function, source: &Source, class: RegisterClass) -> bool {
    match source.value {
        Value::Register(word) => function.info(word.register).class == class,
        Value::Zero | Value::Immediate(_) | Value::Constant(..) => false,
    }
}

/// Two values added up: by the multiplier as `a * 1 + b`, with an immediate or a uniform register by `VIADD`, where there is one.
fn sum(function: &Function, old: &Request, values: [Source; 3], selector: &Selector) -> Option<Request> {
    let to = old.destination()?;
    let mut values: Vec<Source> = values.into_iter().filter(|source| !is_nothing(source)).collect();
    let general = |source: &Source| is_in(function, source, RegisterClass::Gpr);
    // What can be negated and what is no general register comes last.
    values.sort_by_key(|source| (!general(source), !is_plain(source)));
    let [a, b] = values[..] else { return None };
    if !general(&a) || !is_plain(&a) {
        return None;
    }
    let by_itself = matches!(b.value, Value::Immediate(_)) || is_in(function, &b, RegisterClass::UniformGpr);
    if general(&b) && !b.inverted && !b.absolute {
        Some(Request::new(O::Imad).to(to).from(a).from(Value::Immediate(1)).from(b))
    } else if by_itself && is_plain(&b) && selector.has(O::Viadd) {
        Some(Request::new(O::Viadd).to(to).from(a).from(b))
    } else {
        None
    }
}

/// Two values, or one, and what is carried from the words below.
fn carried(function: &Function, old: &Request, values: [Source; 3]) -> Option<Request> {
    if old.test(F::Pq) != Some(Test::NEVER) {
        return None;
    }
    let is_general = |source: &Source| is_plain(source) && is_in(function, source, RegisterClass::Gpr);
    let values: Vec<Source> = values.into_iter().filter(|source| !is_nothing(source)).collect();
    let product = Request::new(O::Imad).literal("X").to(old.destination()?);
    let product = match values[..] {
        [a] if is_general(&a) => product.from(Value::Zero).from(Value::Zero).from(a),
        [a, b] if is_general(&a) && is_general(&b) => product.from(a).from(Value::Immediate(1)).from(b),
        _ => return None,
    };
    Some(product.when(F::Pp, old.test(F::Pp)?))
}

/// Whether a funnel shift takes the lower word to the left.
fn is_shift_to_the_left(request: &Request) -> bool {
    request.says(F::Direction) == "L" && !request.has_flag(F::High) && request.says(F::Type) == "U32"
}
