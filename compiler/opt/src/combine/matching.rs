//! Trying rules on an instruction and making their replacements.

use warpsmith_ir::{
    BinaryOp, CastOp, ConstantId, Flags, FloatPredicate, Function, Instruction, InstructionId, IntPredicate, Intrinsic,
    Type, Value,
};

use super::rules::{Change, ConstantFunction, KnownCall, Operation, Part, Predicate, Rule, Shape, Sight, rules_of};
use crate::{analysis::known::Memory, edit, fold, intrinsics, pipeline::Unit};

/// An integer constant that a letter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) id: ConstantId,
    pub(super) value: u128,
    pub(super) bits: u32,
}

/// The predicate that `P` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matched {
    Int(IntPredicate),
    Float(FloatPredicate),
}

/// What the letters of a rule stand for.
///
/// What has been bound is a bit each, so that bindings are forgotten without a look at what they were: many rules are tried on every instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bindings {
    bound: u16,
    values: [Option<Value>; 4],
    constants: [Option<Number>; 4],
    floats: [Option<(ConstantId, u64)>; 2],
    types: [Option<Type>; 3],
    predicate: Option<Matched>,
}

impl Bindings {
    const CONSTANTS: u8 = 4;
    const FLOATS: u8 = Bindings::CONSTANTS + 4;
    const TYPES: u8 = Bindings::FLOATS + 2;
    const PREDICATE: u8 = Bindings::TYPES + 3;

    fn has(&self, bit: u8) -> bool {
        self.bound >> bit & 1 != 0
    }

    /// The value of a letter.
    pub(super) fn value(&self, slot: u8) -> Option<Value> {
        self.values[usize::from(slot)].filter(|_| self.has(slot))
    }

    /// The integer of a letter.
    pub(super) fn constant(&self, slot: u8) -> Option<Number> {
        self.constants[usize::from(slot)].filter(|_| self.has(Bindings::CONSTANTS + slot))
    }

    /// The floating-point constant of a letter, with its bits.
    pub(super) fn float(&self, slot: u8) -> Option<(ConstantId, u64)> {
        self.floats[usize::from(slot)].filter(|_| self.has(Bindings::FLOATS + slot))
    }

    /// The type of a letter.
    pub(super) fn ty(&self, slot: u8) -> Option<Type> {
        self.types[usize::from(slot)].filter(|_| self.has(Bindings::TYPES + slot))
    }

    /// The predicate that `P` stands for.
    pub(super) fn predicate(&self) -> Option<Matched> {
        self.predicate.filter(|_| self.has(Bindings::PREDICATE))
    }
}

/// Lets a letter stand for something; false if it stands for something else.
fn bind<T: PartialEq>(bound: &mut u16, bit: u8, place: &mut Option<T>, found: T) -> bool {
    if *bound >> bit & 1 != 0 {
        return place.as_ref() == Some(&found);
    }
    *bound |= 1 << bit;
    *place = Some(found);
    true
}

/// What an instruction does, for rules.
pub(super) fn operation_of(instruction: &Instruction) -> Option<Operation> {
    Some(match instruction {
        Instruction::Binary { op, .. } => Operation::Binary(*op),
        Instruction::Cast { op, .. } => Operation::Cast(*op),
        Instruction::ICmp { .. } => Operation::CompareInt,
        Instruction::FCmp { .. } => Operation::CompareFloat,
        Instruction::Select { .. } => Operation::Select,
        Instruction::FNeg { .. } => Operation::Negate,
        Instruction::Call(call) => Operation::Known(match call.intrinsic()? {
            Intrinsic::Smin => KnownCall::SignedMinimum,
            Intrinsic::Smax => KnownCall::SignedMaximum,
            Intrinsic::Umin => KnownCall::UnsignedMinimum,
            Intrinsic::Umax => KnownCall::UnsignedMaximum,
            Intrinsic::Abs => KnownCall::Absolute,
            _ => return None,
        }),
        _ => return None,
    })
}

/// Tries the rules for an instruction. The value to put in its place.
pub(super) fn rewrite(function: &mut Function, unit: &Unit<'_>, memory: &Memory, id: InstructionId) -> Option<Value> {
    let operation = operation_of(function.instruction(id))?;
    let group = rules_of(operation);
    if group.rules.is_empty() {
        return None;
    }
    let mut looks = [Sight::OTHER; 3];
    let operands = operands(function.instruction(id));
    for (look, operand) in looks.iter_mut().zip(operands.as_slice()) {
        *look = at_first_sight(function, *operand);
    }
    let two = operands.as_slice().len() == 2;
    let mut bindings = Bindings::default();
    for (sights, rule) in group.sights.iter().zip(group.rules) {
        if !may_match(*sights, looks, two) {
            continue;
        }
        if let Some(value) = try_rule(function, unit, memory, id, rule, &mut bindings) {
            return Some(value);
        }
    }
    None
}

/// What an operand is at first sight.
fn at_first_sight(function: &Function, value: Value) -> Sight {
    match value {
        Value::Constant(_) => Sight::CONSTANT,
        Value::Argument(_) => Sight::OTHER,
        Value::Instruction(id) => operation_of(function.instruction(id)).map_or(Sight::OTHER, Sight::of),
    }
}

/// Whether a pattern can match operands that look so, if there are two in either order: most rules are out without a closer look.
#[inline]
fn may_match(pattern: [Sight; 3], looks: [Sight; 3], two: bool) -> bool {
    let [first, second, third] = looks;
    pattern[0].takes(first) && pattern[1].takes(second) && pattern[2].takes(third)
        || two && pattern[0].takes(second) && pattern[1].takes(first)
}

/// Tries one rule.
pub(super) fn try_rule(
    function: &mut Function,
    unit: &Unit<'_>,
    memory: &Memory,
    id: InstructionId,
    rule: &Rule,
    bindings: &mut Bindings,
) -> Option<Value> {
    bindings.bound = 0;
    let mut matcher = Matcher { function, bindings };
    if !matcher.shape(rule.pattern, id, true) {
        return None;
    }
    let bindings = &*bindings;
    let holds = |(condition, arguments): &(_, &[_])| {
        super::conditions::holds(function, unit, memory, bindings, *condition, arguments)
    };
    if !rule.conditions.iter().all(holds) || !unit.fuel.take() {
        return None;
    }
    let ty = function.result_type(id);
    let mut maker = Maker {
        function,
        at: id,
        bindings,
        root_flags: Flags::NONE,
    };
    maker.root_flags = maker.function.instruction(id).flags();
    maker.part(&rule.replacement, Some(ty))
}

struct Matcher<'f, 'b> {
    function: &'f Function,
    bindings: &'b mut Bindings,
}

impl Matcher<'_, '_> {
    fn shape(&mut self, shape: &Shape, id: InstructionId, is_root: bool) -> bool {
        let instruction = self.function.instruction(id);
        if operation_of(instruction) != Some(shape.operation) || !instruction.flags().contains(shape.flags) {
            return false;
        }
        if !is_root && shape.one_use && self.function.use_count(Value::Instruction(id)) != 1 {
            return false;
        }
        if let Some(slot) = shape.ty
            && !self.ty(slot, self.function.result_type(id))
        {
            return false;
        }
        let operands = operands(instruction);
        let operands = operands.as_slice();
        if operands.len() < shape.operands.len() {
            return false;
        }
        let (predicate, swapped) = match instruction {
            Instruction::ICmp { predicate, .. } => {
                (Some(Matched::Int(*predicate)), Some(Matched::Int(predicate.swapped())))
            }
            Instruction::FCmp { predicate, .. } => (
                Some(Matched::Float(*predicate)),
                Some(Matched::Float(predicate.swapped())),
            ),
            _ => (None, None),
        };
        let commutes = match shape.operation {
            Operation::Binary(op) => op.is_commutative(),
            Operation::CompareInt | Operation::CompareFloat => true,
            Operation::Known(call) => call != KnownCall::Absolute,
            _ => false,
        };
        let before = self.bindings.bound;
        if self.predicate(shape.predicate, predicate) && self.operands(shape, operands) {
            return true;
        }
        self.bindings.bound = before;
        if !commutes || operands.len() < 2 {
            return false;
        }
        let turned = [operands[1], operands[0]];
        self.predicate(shape.predicate, swapped) && self.operands(shape, &turned) || {
            self.bindings.bound = before;
            false
        }
    }

    fn operands(&mut self, shape: &Shape, operands: &[Value]) -> bool {
        shape
            .operands
            .iter()
            .zip(operands)
            .all(|(part, &value)| self.part(part, value))
    }

    fn predicate(&mut self, wanted: Option<Predicate>, found: Option<Matched>) -> bool {
        match (wanted, found) {
            (Some(Predicate::Int(wanted)), Some(Matched::Int(found))) => wanted == found,
            (Some(Predicate::Float(wanted)), Some(Matched::Float(found))) => wanted == found,
            (Some(Predicate::Any(_)), Some(found)) => {
                let Bindings { bound, predicate, .. } = &mut *self.bindings;
                bind(bound, Bindings::PREDICATE, predicate, found)
            }
            (None, None) => true,
            _ => false,
        }
    }

    fn ty(&mut self, slot: u8, ty: Type) -> bool {
        let Bindings { bound, types, .. } = &mut *self.bindings;
        bind(bound, Bindings::TYPES + slot, &mut types[usize::from(slot)], ty)
    }

    fn part(&mut self, part: &Part, value: Value) -> bool {
        let context = self.function.context();
        match part {
            Part::Value { slot, ty } => {
                let Bindings { bound, values, .. } = &mut *self.bindings;
                bind(bound, *slot, &mut values[usize::from(*slot)], value)
                    && ty.is_none_or(|ty| self.ty(ty, self.function.type_of(value)))
            }
            Part::Constant { slot, ty } => {
                let Some(id) = value.as_constant() else { return false };
                let (Some(number), Type::Int(bits)) =
                    (fold::int_value(context, id), context.scalar(context.constant_type(id)))
                else {
                    return false;
                };
                let number = Number {
                    id,
                    value: number,
                    bits,
                };
                let Bindings { bound, constants, .. } = &mut *self.bindings;
                let place = &mut constants[usize::from(*slot)];
                bind(bound, Bindings::CONSTANTS + *slot, place, number)
                    && ty.is_none_or(|ty| self.ty(ty, self.function.type_of(value)))
            }
            Part::Float { slot } => {
                let Some(id) = value.as_constant() else { return false };
                let Some(bits) = fold::float_value(context, id) else {
                    return false;
                };
                let Bindings { bound, floats, .. } = &mut *self.bindings;
                let place = &mut floats[usize::from(*slot)];
                bind(bound, Bindings::FLOATS + *slot, place, (id, bits))
            }
            Part::Number(number) => is_number(self.function, value, *number),
            Part::NegativeZero => value
                .as_constant()
                .and_then(|id| {
                    Some((
                        fold::float_value(context, id)?,
                        fold::format_of(context.scalar(context.constant_type(id)))?,
                    ))
                })
                .is_some_and(|(bits, format)| bits == format.sign_bit()),
            Part::Node(shape) => match value {
                Value::Instruction(id) => self.shape(shape, id, false),
                _ => false,
            },
        }
    }
}

/// The operands that rules see: of calls the arguments. Nothing that a rule speaks of has more than three.
fn operands(instruction: &Instruction) -> Operands {
    let none = Value::Argument(0);
    let (all, count) = match instruction {
        Instruction::Binary { left, right, .. }
        | Instruction::ICmp { left, right, .. }
        | Instruction::FCmp { left, right, .. } => ([*left, *right, none], 2),
        Instruction::Cast { operand, .. } | Instruction::FNeg { operand, .. } => ([*operand, none, none], 1),
        Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } => ([*condition, *on_true, *on_false], 3),
        Instruction::Call(call) => {
            let at = |index: usize| call.arguments.get(index).copied().unwrap_or(none);
            ([at(0), at(1), at(2)], call.arguments.len().min(3))
        }
        _ => ([none; 3], 0),
    };
    Operands { all, count }
}

/// Operands of an instruction.
struct Operands {
    all: [Value; 3],
    count: usize,
}

impl Operands {
    fn as_slice(&self) -> &[Value] {
        &self.all[..self.count]
    }
}

fn is_number(function: &Function, value: Value, number: i128) -> bool {
    let context = function.context();
    let Some(id) = value.as_constant() else { return false };
    match context.scalar(context.constant_type(id)) {
        Type::Int(bits @ 1..=128) => {
            fold::int_value(context, id) == Some(number as u128 & crate::analysis::bits::mask(bits))
        }
        ty => match (float_bits(ty, number), fold::float_value(context, id)) {
            (Some(wanted), Some(bits)) => wanted == bits,
            _ => false,
        },
    }
}

/// The bits of a small integer as a float.
fn float_bits(ty: Type, number: i128) -> Option<u64> {
    let format = fold::format_of(ty)?;
    let from = warpsmith_numerics::convert::S64;
    let modifiers = warpsmith_numerics::convert::Modifiers::default();
    Some(warpsmith_numerics::convert::integer_to_float(
        from,
        format,
        modifiers,
        number as u64,
    ))
}

/// Makes the replacement.
struct Maker<'f, 'b> {
    function: &'f mut Function,
    at: InstructionId,
    bindings: &'b Bindings,
    root_flags: Flags,
}

impl Maker<'_, '_> {
    /// The value of a part; `ty`: its type, where the surroundings say it.
    fn part(&mut self, part: &Part, ty: Option<Type>) -> Option<Value> {
        match part {
            Part::Value { slot, .. } => self.bindings.value(*slot),
            Part::Constant { slot, .. } => Some(Value::Constant(self.bindings.constant(*slot)?.id)),
            Part::Float { slot } => Some(Value::Constant(self.bindings.float(*slot)?.0)),
            Part::Number(number) => self.number(*number, ty?),
            Part::NegativeZero => {
                let ty = ty?;
                let bits = fold::format_of(self.function.context().scalar(ty))?.sign_bit();
                Some(Value::Constant(fold::float_constant(self.function.context(), ty, bits)))
            }
            Part::Node(shape) => self.shape(shape, ty),
        }
    }

    fn number(&mut self, number: i128, ty: Type) -> Option<Value> {
        let context = self.function.context();
        Some(Value::Constant(match context.scalar(ty) {
            Type::Int(_) => fold::int_constant(context, ty, number as u128),
            scalar => fold::float_constant(context, ty, float_bits(scalar, number)?),
        }))
    }

    /// The type that a part has of itself.
    fn type_of(&self, part: &Part) -> Option<Type> {
        match part {
            Part::Value { slot, .. } => Some(self.function.type_of(self.bindings.value(*slot)?)),
            Part::Constant { slot, .. } => {
                let id = self.bindings.constant(*slot)?.id;
                Some(self.function.context().constant_type(id))
            }
            Part::Float { slot } => {
                let (id, _) = self.bindings.float(*slot)?;
                Some(self.function.context().constant_type(id))
            }
            Part::Number(_) | Part::NegativeZero => None,
            Part::Node(shape) => self.type_of_shape(shape),
        }
    }

    fn type_of_shape(&self, shape: &Shape) -> Option<Type> {
        match shape.operation {
            Operation::Cast(_) => self.bindings.ty(shape.ty?),
            Operation::CompareInt | Operation::CompareFloat => {
                let operand = shape.operands.iter().find_map(|part| self.type_of(part))?;
                Some(self.function.context().like(operand, Type::BOOL))
            }
            Operation::Select => shape.operands[1..].iter().find_map(|part| self.type_of(part)),
            _ => shape.operands.iter().find_map(|part| self.type_of(part)),
        }
    }

    fn shape(&mut self, shape: &Shape, ty: Option<Type>) -> Option<Value> {
        let flags = if shape.same_flags { self.root_flags } else { shape.flags };
        let same = |maker: &Self| shape.operands.iter().find_map(|part| maker.type_of(part));
        match shape.operation {
            Operation::Binary(op) => {
                let ty = same(self).or(ty);
                let left = self.part(shape.operands.first()?, ty)?;
                let right = self.part(shape.operands.get(1)?, ty)?;
                self.binary(op, flags, left, right)
            }
            Operation::Cast(op) => {
                let to = match shape.ty {
                    Some(slot) => self.bindings.ty(slot),
                    None => ty,
                }?;
                let operand = self.part(shape.operands.first()?, None)?;
                Some(self.cast(op, operand, to))
            }
            Operation::CompareInt | Operation::CompareFloat => {
                let operand_type = same(self);
                let left = self.part(shape.operands.first()?, operand_type)?;
                let right = self.part(shape.operands.get(1)?, operand_type)?;
                self.compare(shape.predicate?, flags, left, right)
            }
            Operation::Select => {
                let ty = self.type_of_shape(shape).or(ty);
                let condition = self.part(shape.operands.first()?, Some(Type::BOOL))?;
                let on_true = self.part(shape.operands.get(1)?, ty)?;
                let on_false = self.part(shape.operands.get(2)?, ty)?;
                Some(edit::select(self.function, self.at, condition, on_true, on_false))
            }
            Operation::Negate => {
                let operand = self.part(shape.operands.first()?, ty)?;
                if let Value::Constant(id) = operand {
                    return fold::negate(self.function.context(), id).map(Value::Constant);
                }
                let ty = self.function.type_of(operand);
                Some(edit::insert(
                    self.function,
                    self.at,
                    Instruction::FNeg { flags, operand },
                    ty,
                ))
            }
            Operation::Known(call) => self.call(call, shape, same(self).or(ty)?),
            Operation::Function(function) => self.constant(function, shape, ty),
        }
    }

    fn binary(&mut self, op: BinaryOp, flags: Flags, left: Value, right: Value) -> Option<Value> {
        if let (Value::Constant(left), Value::Constant(right)) = (left, right)
            && let Some(value) = fold::binary(self.function.context(), op, left, right, false)
        {
            return Some(Value::Constant(value));
        }
        Some(edit::binary_with(self.function, self.at, op, flags, left, right))
    }

    fn cast(&mut self, op: CastOp, operand: Value, to: Type) -> Value {
        edit::cast(self.function, self.at, op, operand, to)
    }

    fn compare(&mut self, predicate: Predicate, flags: Flags, left: Value, right: Value) -> Option<Value> {
        let matched = match predicate {
            Predicate::Int(predicate) => Matched::Int(predicate),
            Predicate::Float(predicate) => Matched::Float(predicate),
            Predicate::Any(change) => changed(self.bindings.predicate()?, change),
        };
        match matched {
            Matched::Int(predicate) => Some(edit::compare(self.function, self.at, predicate, left, right)),
            Matched::Float(predicate) => {
                let ty = self.function.context().like(self.function.type_of(left), Type::BOOL);
                let instruction = Instruction::FCmp {
                    predicate,
                    flags,
                    left,
                    right,
                };
                Some(edit::insert(self.function, self.at, instruction, ty))
            }
        }
    }

    fn call(&mut self, call: KnownCall, shape: &Shape, ty: Type) -> Option<Value> {
        let mut arguments = Vec::new();
        for part in shape.operands {
            arguments.push(self.part(part, Some(ty))?);
        }
        let intrinsic = match call {
            KnownCall::SignedMinimum => Intrinsic::Smin,
            KnownCall::SignedMaximum => Intrinsic::Smax,
            KnownCall::UnsignedMinimum => Intrinsic::Umin,
            KnownCall::UnsignedMaximum => Intrinsic::Umax,
            KnownCall::Absolute => {
                arguments.push(Value::Constant(self.function.context().bool(false)));
                Intrinsic::Abs
            }
        };
        if let Some(value) = super::calls::fold_constants(self.function, intrinsic, &arguments) {
            return Some(Value::Constant(value));
        }
        intrinsics::insert_call(self.function, self.at, intrinsic, &[ty], &arguments)
    }

    fn constant(&mut self, which: ConstantFunction, shape: &Shape, ty: Option<Type>) -> Option<Value> {
        let context = self.function.context().clone();
        if which == ConstantFunction::LowMask {
            let Type::Int(bits) = context.scalar(self.bindings.ty(shape.ty?)?) else {
                return None;
            };
            return Some(Value::Constant(fold::int_constant(
                &context,
                ty?,
                crate::analysis::bits::mask(bits),
            )));
        }
        let operand = self.part(shape.operands.first()?, ty)?.as_constant()?;
        let ty = context.constant_type(operand);
        Some(Value::Constant(match which {
            ConstantFunction::Log2 => {
                let value = fold::int_value(&context, operand)?;
                fold::int_constant(&context, ty, u128::from(value.trailing_zeros()))
            }
            ConstantFunction::Reciprocal => {
                let scalar = context.scalar(ty);
                let bits = fold::float_value(&context, operand)?;
                fold::float_constant(&context, ty, super::conditions::exact_reciprocal(scalar, bits)?)
            }
            ConstantFunction::LowMask => return None,
        }))
    }
}

fn changed(matched: Matched, change: Change) -> Matched {
    match (matched, change) {
        (matched, Change::Same) => matched,
        (Matched::Int(predicate), Change::Swap) => Matched::Int(predicate.swapped()),
        (Matched::Int(predicate), Change::Not) => Matched::Int(predicate.inverse()),
        (Matched::Int(predicate), Change::Unsigned) => Matched::Int(unsigned(predicate)),
        (Matched::Float(predicate), Change::Swap) => Matched::Float(predicate.swapped()),
        (Matched::Float(predicate), Change::Not) => Matched::Float(predicate.inverse()),
        (matched @ Matched::Float(_), Change::Unsigned) => matched,
    }
}

fn unsigned(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Slt => IntPredicate::Ult,
        IntPredicate::Sle => IntPredicate::Ule,
        IntPredicate::Sgt => IntPredicate::Ugt,
        IntPredicate::Sge => IntPredicate::Uge,
        other => other,
    }
}
