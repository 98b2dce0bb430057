//! Instruction combining: instructions are replaced by simpler ones that compute the same, until nothing more applies.
//!
//! What is a matter of a few operations is a rule of `rules.tbl`, and tried by the tests on all values of small types. What is not (addresses, memory, calls, parts of
//! aggregates, phis) is code here. A list of instructions to look at keeps the work near what changes.

mod calls;
mod conditions;
#[cfg(test)]
mod language;
mod matching;
mod memory;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use warpsmith_ir::{
    BinaryOp, Constant, Entity, Flags, Function, Instruction, InstructionId, IntPredicate, Type, Value,
};

use crate::{
    analysis::{bits::Bits, effects, flow::Flow, known},
    edit, fold,
    pipeline::Unit,
};

/// Visits for each instruction before what they make is looked at first. In a long sum each term hands a constant on to the next; if all wait for their turn,
/// the constants follow each other down the whole sum one step at a time and never meet.
const PATIENCE: usize = 4;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let flow = Flow::new(function);
    let mut combiner = Combiner {
        queued: vec![false; function.instruction_limit()],
        work: VecDeque::new(),
        function,
        unit,
        depth_first: false,
        changed: false,
        memory: known::Memory::default(),
    };
    for block in flow.order() {
        let ids: Vec<InstructionId> = combiner.function.instructions(block).collect();
        for id in ids {
            combiner.enqueue(id);
        }
    }
    combiner.all();
    combiner.changed
}

struct Combiner<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
    work: VecDeque<InstructionId>,
    queued: Vec<bool>,
    /// Whether what was made on the way is looked at before all else.
    depth_first: bool,
    changed: bool,
    memory: known::Memory,
}

/// What an instruction becomes.
enum Outcome {
    Value(Value),
    Remove,
    Changed,
}

impl Combiner<'_, '_> {
    fn enqueue(&mut self, id: InstructionId) {
        if self.mark(id) {
            self.work.push_back(id);
        }
    }

    fn enqueue_first(&mut self, id: InstructionId) {
        if self.mark(id) {
            self.work.push_front(id);
        }
    }

    /// Notes that an instruction is in the list; whether it was not.
    fn mark(&mut self, id: InstructionId) -> bool {
        if self.queued.len() <= id.index() {
            self.queued.resize(id.index() + 1, false);
        }
        !std::mem::replace(&mut self.queued[id.index()], true)
    }

    fn all(&mut self) {
        let instructions = self.function.instruction_limit();
        // Rules make code simpler in one order and so come to an end; the limit is against a mistake in them.
        for visits in 0..64 * instructions + 4096 {
            let Some(id) = self.work.pop_front() else { return };
            self.queued[id.index()] = false;
            self.depth_first = visits > PATIENCE * instructions + 1024;
            if self.function.block_of(id).is_some() {
                self.visit(id);
            }
        }
    }

    fn visit(&mut self, id: InstructionId) {
        let own = Value::Instruction(id);
        if self.function.is_unused(own) && effects::is_removable(self.unit.symbols, self.function, id) {
            if self.unit.fuel.take() {
                self.remove(id);
            }
            return;
        }
        let before = self.function.instruction_limit();
        let outcome = self.simplify(id);
        // What was made on the way is looked at in its turn, or at once.
        let made = before..self.function.instruction_limit();
        match self.depth_first {
            false => made.for_each(|index| self.enqueue(Entity::from_index(index))),
            true => made
                .rev()
                .for_each(|index| self.enqueue_first(Entity::from_index(index))),
        }
        match outcome {
            None => {}
            Some(Outcome::Value(value)) if value == own => {}
            Some(Outcome::Value(value)) => {
                self.changed = true;
                self.enqueue_users(id);
                if let Value::Instruction(new) = value {
                    self.enqueue(new);
                    self.hand_on_name(id, value);
                }
                self.function.replace_all_uses(own, value);
                self.remove(id);
            }
            Some(Outcome::Remove) => self.remove(id),
            Some(Outcome::Changed) => {
                self.changed = true;
                self.enqueue(id);
                self.enqueue_users(id);
            }
        }
    }

    fn hand_on_name(&mut self, from: InstructionId, to: Value) {
        if self.function.name(to).is_none()
            && let Some(name) = self.function.name(Value::Instruction(from))
        {
            let name = name.to_owned();
            self.function.set_name(to, &name);
        }
    }

    fn enqueue_users(&mut self, id: InstructionId) {
        for user in self.function.users(Value::Instruction(id)) {
            self.enqueue(user);
        }
    }

    /// Removes an instruction; its operands may now be unused, or have one use.
    fn remove(&mut self, id: InstructionId) {
        self.changed = true;
        let operands = self.function.instruction(id).operands();
        self.function.remove_instruction(id);
        for operand in operands {
            if let Value::Instruction(operand) = operand {
                self.enqueue(operand);
                if let Some(user) = self.function.single_user(Value::Instruction(operand)) {
                    self.enqueue(user);
                }
            }
        }
    }

    fn simplify(&mut self, id: InstructionId) -> Option<Outcome> {
        if let Some(value) = self.fold(id) {
            return self.unit.fuel.take().then_some(Outcome::Value(value));
        }
        if self.canonical_order(id) {
            return Some(Outcome::Changed);
        }
        let symbols = self.unit.symbols;
        let special = match self.function.instruction(id) {
            Instruction::Gep { .. } => memory::gep(self.function, id),
            Instruction::Load { .. } => memory::load(self.function, symbols, id),
            Instruction::ExtractValue { .. } => memory::extract_value(self.function, id),
            Instruction::ExtractElement { .. } => memory::extract_element(self.function, id),
            Instruction::Cast { .. } => memory::cast(self.function, id),
            Instruction::Phi { .. } => self.phi(id),
            Instruction::Select { .. } => self.select(id),
            Instruction::ICmp { .. } => self.compare(id),
            Instruction::Freeze { operand } => self.freeze(*operand),
            Instruction::Call(_) => {
                if let Some(outcome) = calls::simplify(self.function, self.unit, id) {
                    return Some(match outcome {
                        calls::Outcome::Value(value) => Outcome::Value(value),
                        calls::Outcome::Remove => Outcome::Remove,
                    });
                }
                None
            }
            _ => None,
        };
        let simpler = special
            .or_else(|| self.known(id))
            .or_else(|| matching::rewrite(self.function, self.unit, &self.memory, id));
        match simpler {
            Some(value) => Some(Outcome::Value(value)),
            None => self.promise(id).then_some(Outcome::Changed),
        }
    }

    /// Says of arithmetic that it does not wrap, where the bits of its operands show that.
    fn promise(&mut self, id: InstructionId) -> bool {
        let Instruction::Binary { op, flags, left, right } = *self.function.instruction(id) else {
            return false;
        };
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl)
            || !self.function.result_type(id).is_int()
        {
            return false;
        }
        let missing = Flags::NO_SIGNED_WRAP.with(Flags::NO_UNSIGNED_WRAP).without(flags);
        if missing.is_empty() {
            return false;
        }
        let of = |value| known::remembered_bits(&self.memory, self.unit.symbols, self.function, value);
        let (Some(a), Some(b)) = (of(left), of(right)) else {
            return false;
        };
        let found = wraps_never(op, a, b).intersection(missing);
        if found.is_empty() || !self.unit.fuel.take() {
            return false;
        }
        self.function.update(id, |instruction| {
            if let Some(flags) = instruction.flags_mut() {
                *flags = flags.with(found);
            }
        });
        true
    }

    /// Operations on constants.
    fn fold(&self, id: InstructionId) -> Option<Value> {
        let context = self.function.context();
        let ftz = self.unit.options.arithmetic.flush_denormals;
        let constant = |value: &Value| value.as_constant();
        let folded = match self.function.instruction(id) {
            Instruction::Binary { op, left, right, .. } => {
                fold::binary(context, *op, constant(left)?, constant(right)?, ftz)
            }
            Instruction::FNeg { operand, .. } => fold::negate(context, constant(operand)?),
            Instruction::ICmp {
                predicate, left, right, ..
            } => fold::compare_int(context, *predicate, constant(left)?, constant(right)?),
            Instruction::FCmp {
                predicate, left, right, ..
            } => fold::compare_float(context, *predicate, constant(left)?, constant(right)?, ftz),
            Instruction::Cast { op, operand, .. } => {
                fold::cast(context, *op, constant(operand)?, self.function.result_type(id))
            }
            Instruction::Select {
                condition,
                on_true,
                on_false,
                ..
            } => {
                let choice = fold::choice(context, constant(condition)?)?;
                return Some(if choice { *on_true } else { *on_false });
            }
            _ => None,
        };
        folded.map(Value::Constant)
    }

    /// Constants stand on the right.
    fn canonical_order(&mut self, id: InstructionId) -> bool {
        let turn = |left: &Value, right: &Value| left.as_constant().is_some() && right.as_constant().is_none();
        let wanted = match self.function.instruction(id) {
            Instruction::Binary { op, left, right, .. } => op.is_commutative() && turn(left, right),
            Instruction::ICmp { left, right, .. } | Instruction::FCmp { left, right, .. } => turn(left, right),
            Instruction::Call(call) => {
                let commutes = matches!(matching::operation_of(self.function.instruction(id)), Some(rules::Operation::Known(kind)) if kind != rules::KnownCall::Absolute);
                commutes && turn(&call.arguments[0], &call.arguments[1])
            }
            _ => false,
        };
        if wanted {
            self.function.update(id, |instruction| match instruction {
                Instruction::Binary { left, right, .. } => std::mem::swap(left, right),
                Instruction::ICmp {
                    predicate, left, right, ..
                } => {
                    std::mem::swap(left, right);
                    *predicate = predicate.swapped();
                }
                Instruction::FCmp {
                    predicate, left, right, ..
                } => {
                    std::mem::swap(left, right);
                    *predicate = predicate.swapped();
                }
                Instruction::Call(call) => call.arguments.swap(0, 1),
                _ => {}
            });
        }
        wanted
    }

    /// Integers all of whose bits are known.
    fn known(&self, id: InstructionId) -> Option<Value> {
        let ty = self.function.result_type(id);
        let worthwhile = match self.function.instruction(id) {
            Instruction::Binary { op, .. } => !matches!(op, BinaryOp::Sub) && !op.is_float(),
            Instruction::Cast { .. } | Instruction::Select { .. } => true,
            _ => false,
        };
        if !worthwhile || !matches!(ty, Type::Int(_)) {
            return None;
        }
        let value =
            known::remembered_bits(&self.memory, self.unit.symbols, self.function, Value::Instruction(id))?.value()?;
        self.unit
            .fuel
            .take()
            .then(|| Value::Constant(fold::int_constant(self.function.context(), ty, value)))
    }

    /// Phis of one value.
    fn phi(&self, id: InstructionId) -> Option<Value> {
        let Instruction::Phi { incoming, .. } = self.function.instruction(id) else {
            return None;
        };
        let own = Value::Instruction(id);
        let mut others = incoming.iter().map(|(_, value)| *value).filter(|value| *value != own);
        let first = others.next()?;
        others.all(|value| value == first).then_some(first)
    }

    fn freeze(&self, operand: Value) -> Option<Value> {
        match operand {
            Value::Constant(id) => {
                let context = self.function.context();
                match context.constant(id) {
                    Constant::Undef(ty) | Constant::Poison(ty) => Some(Value::Constant(context.zero(*ty))),
                    Constant::Int(_) | Constant::Float { .. } | Constant::Null(_) | Constant::Global { .. } => {
                        Some(operand)
                    }
                    _ => None,
                }
            }
            Value::Instruction(id) if matches!(self.function.instruction(id), Instruction::Freeze { .. }) => {
                Some(operand)
            }
            _ => None,
        }
    }

    /// Choices between truth values and between 1 and 0.
    fn select(&mut self, id: InstructionId) -> Option<Value> {
        let Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } = *self.function.instruction(id)
        else {
            return None;
        };
        let context = self.function.context().clone();
        let undefined = |value: Value| value.as_constant().is_some_and(|id| fold::is_undefined(&context, id));
        if undefined(on_true) {
            return Some(on_false);
        }
        if undefined(on_false) {
            return Some(on_true);
        }
        let ty = self.function.result_type(id);
        if self.function.type_of(condition) != Type::BOOL {
            return None;
        }
        let number = |value: Value| fold::int_value(&context, value.as_constant()?);
        match (ty, number(on_true), number(on_false)) {
            (Type::BOOL, Some(1), Some(0)) => Some(condition),
            (Type::BOOL, Some(0), Some(1)) => Some(edit::not(self.function, id, condition)),
            (Type::Int(_), Some(1), Some(0)) => Some(edit::resize(self.function, id, condition, ty, false)),
            (Type::Int(bits), Some(ones), Some(0)) if ones == crate::analysis::bits::mask(bits) => {
                Some(edit::resize(self.function, id, condition, ty, true))
            }
            (Type::Int(_), Some(0), Some(1)) => {
                let not = edit::not(self.function, id, condition);
                Some(edit::resize(self.function, id, not, ty, false))
            }
            _ => None,
        }
    }

    /// Comparisons that known bits decide, and of addresses of objects with null.
    fn compare(&self, id: InstructionId) -> Option<Value> {
        let Instruction::ICmp {
            predicate, left, right, ..
        } = *self.function.instruction(id)
        else {
            return None;
        };
        let bool = |value: bool| Value::Constant(self.function.context().bool(value));
        if self.function.type_of(left).is_pointer() {
            let is_null = |value: Value| {
                value
                    .as_constant()
                    .is_some_and(|id| matches!(self.function.context().constant(id), Constant::Null(_)))
            };
            if predicate.is_equality() && is_null(right) && self.is_object(left) {
                return Some(bool(predicate == IntPredicate::Ne));
            }
            return None;
        }
        if !self.function.type_of(left).is_int() {
            return None;
        }
        let of = |value| known::remembered_bits(&self.memory, self.unit.symbols, self.function, value);
        decide(predicate, of(left)?, of(right)?).map(bool)
    }

    /// Whether an address is that of an object, which is not null in its space.
    fn is_object(&self, value: Value) -> bool {
        use warpsmith_ir::AddressSpace;
        let base = crate::address::decompose(self.function, value).base;
        let space = |value| self.function.type_of(value);
        let never_null = matches!(
            space(value),
            Type::Pointer(AddressSpace::GENERIC | AddressSpace::GLOBAL)
        );
        never_null
            && match base {
                Value::Instruction(id) => matches!(self.function.instruction(id), Instruction::Alloca { .. }),
                Value::Constant(id) => {
                    matches!(
                        self.function.context().constant(id),
                        Constant::Global { .. } | Constant::Function(_)
                    )
                }
                Value::Argument(number) => {
                    let parameters = &self.unit.symbols.functions[self.function.id()].parameters;
                    base == value
                        && parameters
                            .get(number as usize)
                            .is_some_and(|attributes| attributes.nonnull || attributes.dereferenceable > 0)
                }
            }
    }
}

/// The promises that hold of an operation on all values that the known bits allow.
fn wraps_never(op: BinaryOp, a: Bits, b: Bits) -> Flags {
    let all = crate::analysis::bits::mask(a.width);
    let (least, most) = {
        let sign = 1u128 << (a.width - 1);
        (crate::analysis::bits::signed(a.width, sign), (sign - 1) as i128)
    };
    // The extreme results; `None` where they do not even fit the numbers here.
    let corners = |op: fn(i128, i128) -> Option<i128>| {
        let mut range: Option<(i128, i128)> = None;
        for x in [a.signed_least(), a.signed_greatest()] {
            for y in [b.signed_least(), b.signed_greatest()] {
                let value = op(x, y)?;
                range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            }
        }
        range
    };
    let fits_signed = |range: Option<(i128, i128)>| range.is_some_and(|(low, high)| least <= low && high <= most);
    let (no_signed, no_unsigned) = match op {
        BinaryOp::Add => (
            fits_signed(corners(i128::checked_add)),
            a.greatest().checked_add(b.greatest()).is_some_and(|sum| sum <= all),
        ),
        BinaryOp::Sub => (fits_signed(corners(i128::checked_sub)), a.least() >= b.greatest()),
        BinaryOp::Mul => (
            fits_signed(corners(i128::checked_mul)),
            a.greatest()
                .checked_mul(b.greatest())
                .is_some_and(|product| product <= all),
        ),
        _ => match b
            .value()
            .and_then(|count| u32::try_from(count).ok())
            .filter(|&count| count < a.width)
        {
            Some(count) => (a.sign_bits() > count, a.leading_zeros() >= count),
            None => (false, false),
        },
    };
    let mut flags = Flags::NONE;
    if no_signed {
        flags = flags.with(Flags::NO_SIGNED_WRAP);
    }
    if no_unsigned {
        flags = flags.with(Flags::NO_UNSIGNED_WRAP);
    }
    flags
}

/// What a comparison gives for all values that the known bits allow.
fn decide(predicate: IntPredicate, a: Bits, b: Bits) -> Option<bool> {
    let unsigned = |always: bool, never: bool| match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match predicate {
        IntPredicate::Eq | IntPredicate::Ne => {
            let differ = (a.zero & b.one | a.one & b.zero) != 0;
            let disjoint = a.greatest() < b.least() || b.greatest() < a.least();
            let same = a.value().is_some() && a.value() == b.value();
            let equal = unsigned(same, differ || disjoint)?;
            Some(equal == (predicate == IntPredicate::Eq))
        }
        IntPredicate::Ult => unsigned(a.greatest() < b.least(), a.least() >= b.greatest()),
        IntPredicate::Ule => unsigned(a.greatest() <= b.least(), a.least() > b.greatest()),
        IntPredicate::Ugt => unsigned(a.least() > b.greatest(), a.greatest() <= b.least()),
        IntPredicate::Uge => unsigned(a.least() >= b.greatest(), a.greatest() < b.least()),
        IntPredicate::Slt => unsigned(
            a.signed_greatest() < b.signed_least(),
            a.signed_least() >= b.signed_greatest(),
        ),
        IntPredicate::Sle => unsigned(
            a.signed_greatest() <= b.signed_least(),
            a.signed_least() > b.signed_greatest(),
        ),
        IntPredicate::Sgt => unsigned(
            a.signed_least() > b.signed_greatest(),
            a.signed_greatest() <= b.signed_least(),
        ),
        IntPredicate::Sge => unsigned(
            a.signed_least() >= b.signed_greatest(),
            a.signed_greatest() < b.signed_least(),
        ),
    }
}
