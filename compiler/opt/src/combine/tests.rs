//! Every rule is tried on random instances of its pattern: with small types, constants and operands of known bits. Where it fires, the value before and
//! after must be the same for all operands (or for many), unless the value before is poison.

use warpsmith_base::Random;
use warpsmith_ir::{
    BinaryOp, Builder, CastOp, Declaration, Flags, FloatPredicate, Function, Instruction, IntPredicate, Intrinsic,
    Module, Type, Value,
};

use super::{
    matching,
    rules::{self, Argument, Condition, KnownCall, Operation, Part, Predicate, Rule, Shape},
};
use crate::{
    Fuel, Options, Unit,
    analysis::{
        bits::{mask, signed},
        known::Memory,
    },
    fold,
};

/// Numbers for instances of rules.
#[derive(Clone)]
struct Numbers(Random);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below_u32(limit)
    }

    fn number(&mut self, bits: u32) -> u128 {
        let wide = u128::from(self.below(1 << 30)) << 60
            | u128::from(self.below(1 << 30)) << 30
            | u128::from(self.below(1 << 30));
        let number = match self.below(6) {
            0 => 0,
            1 => u128::MAX,
            2 => 1 << self.below(bits),
            3 => u128::from(self.below(8)),
            4 => (1u128 << self.below(bits)) - 1,
            _ => wide,
        };
        number & mask(bits)
    }
}

const FLOATS: [u64; 12] = [
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff, 0xc500,
];

/// An instance of a pattern in a function whose arguments are the letters.
struct Instance<'r> {
    random: &'r mut Numbers,
    rule: &'r Rule,
    /// Argument of each letter, and the type.
    letters: [Option<(Value, Type)>; 4],
    constants: [Option<u128>; 4],
    types: [Option<Type>; 3],
    arguments: u32,
    wanted: Vec<Type>,
    predicate: Option<u32>,
}

impl Instance<'_> {
    /// Builds a part of a type (or of any, where the pattern does not say).
    fn part(&mut self, build: &mut Builder<'_>, part: &Part, ty: Type) -> Option<Value> {
        match part {
            Part::Value { slot, .. } => self.letter(build, usize::from(*slot), ty),
            Part::Constant { slot, .. } => {
                let bits = ty.int_bits()?;
                let fresh = self.random.number(bits);
                let value = *self.constants[usize::from(*slot)].get_or_insert(fresh) & mask(bits);
                Some(build.int(bits, value as i128))
            }
            Part::Float { .. } => Some(build.float(ty, FLOATS[self.random.below(12) as usize])),
            Part::Number(number) if ty.is_int() => Some(build.int(ty.int_bits()?, *number)),
            Part::Number(number) => {
                let bits = [(0, 0), (1, 0x3c00), (-1, 0xbc00), (2, 0x4000)];
                let (_, bits) = bits.iter().find(|(value, _)| value == number)?;
                Some(build.float(ty, *bits))
            }
            Part::NegativeZero => Some(build.float(ty, 0x8000)),
            Part::Node(shape) => self.shape(build, shape, ty),
        }
    }

    fn letter(&mut self, build: &mut Builder<'_>, slot: usize, ty: Type) -> Option<Value> {
        if let Some((value, of_letter)) = self.letters[slot] {
            return (of_letter == ty).then_some(value);
        }
        let is = |condition: Condition| {
            let conditions = self.rule.conditions.iter();
            conditions
                .into_iter()
                .any(|(other, arguments)| *other == condition && arguments.contains(&Argument::Value(slot as u8)))
        };
        let wants_constant = is(Condition::IsConstant);
        let argument = Value::Argument(self.arguments);
        let value = match ty {
            Type::Int(bits) if wants_constant || self.random.below(8) == 0 && !is(Condition::IsNotConstant) => {
                build.int(bits, self.random.number(bits) as i128)
            }
            Type::Int(bits) => match self.random.below(4) {
                0 => {
                    let one = build.int(bits, 1.min(i128::from(bits) - 1));
                    build.lshr(argument, one)
                }
                1 => {
                    let number = self.random.number(bits);
                    let mask = build.int(bits, number as i128);
                    build.and(argument, mask)
                }
                _ => argument,
            },
            _ => argument,
        };
        self.wanted[self.arguments as usize] = ty;
        self.arguments += 1;
        self.letters[slot] = Some((value, ty));
        Some(value)
    }

    fn ty(&mut self, slot: Option<u8>) -> Type {
        const WIDTHS: [u32; 10] = [1, 2, 3, 4, 4, 5, 8, 16, 32, 64];
        let fresh = Type::Int(WIDTHS[self.random.below(10) as usize]);
        match slot {
            Some(slot) => *self.types[usize::from(slot)].get_or_insert(fresh),
            None => fresh,
        }
    }

    /// The type that a part says itself.
    fn own_type(&mut self, part: &Part) -> Option<Type> {
        match part {
            Part::Value { ty: Some(slot), .. } | Part::Constant { ty: Some(slot), .. } => Some(self.ty(Some(*slot))),
            Part::Value { slot, .. } => self.letters[usize::from(*slot)].map(|(_, ty)| ty),
            Part::Node(shape) => match shape.operation {
                Operation::Cast(_) => Some(self.ty(shape.ty)),
                Operation::CompareInt | Operation::CompareFloat => Some(Type::BOOL),
                Operation::Select => shape.operands[1..].iter().find_map(|part| self.own_type(part)),
                _ => shape.operands.iter().find_map(|part| self.own_type(part)),
            },
            _ => None,
        }
    }

    fn operand_type(&mut self, shape: &Shape, otherwise: Type) -> Type {
        for part in shape.operands {
            if let Some(ty) = self.own_type(part) {
                return ty;
            }
        }
        otherwise
    }

    fn shape(&mut self, build: &mut Builder<'_>, shape: &Shape, ty: Type) -> Option<Value> {
        match shape.operation {
            Operation::Binary(op) => {
                let ty = self.operand_type(shape, ty);
                let left = self.part(build, &shape.operands[0], ty)?;
                let right = self.part(build, &shape.operands[1], ty)?;
                Some(build.binary_with(op, shape.flags, left, right))
            }
            Operation::Cast(op) => {
                let to = match (shape.ty, is_float_result(op)) {
                    (_, true) => Type::Half,
                    (Some(_), false) => self.ty(shape.ty),
                    (None, false) => ty,
                };
                let from = match self.own_type(&shape.operands[0]) {
                    Some(from) => from,
                    None => self.ty(None),
                };
                let (a, b) = (from.int_bits()?, to.int_bits()?);
                let fits = if op == CastOp::Trunc { a > b } else { a < b };
                if !fits {
                    return None;
                }
                let operand = self.part(build, &shape.operands[0], from)?;
                let cast = Instruction::Cast {
                    op,
                    flags: shape.flags,
                    operand,
                };
                Some(Value::Instruction(build.insert(cast, to)))
            }
            Operation::CompareInt => {
                let otherwise = self.ty(None);
                let ty = self.operand_type(shape, otherwise);
                let left = self.part(build, &shape.operands[0], ty)?;
                let right = self.part(build, &shape.operands[1], ty)?;
                let predicate = match shape.predicate? {
                    Predicate::Int(predicate) => predicate,
                    _ => {
                        let fresh = self.random.below(10);
                        IntPredicate::ALL[*self.predicate.get_or_insert(fresh) as usize % 10]
                    }
                };
                Some(build.icmp(predicate, left, right))
            }
            Operation::CompareFloat => {
                let left = self.part(build, &shape.operands[0], Type::Half)?;
                let right = self.part(build, &shape.operands[1], Type::Half)?;
                let predicate = match shape.predicate? {
                    Predicate::Float(predicate) => predicate,
                    _ => {
                        let fresh = self.random.below(16);
                        FloatPredicate::ALL[*self.predicate.get_or_insert(fresh) as usize % 16]
                    }
                };
                Some(build.fcmp(predicate, left, right))
            }
            Operation::Select => {
                let chosen = Shape {
                    operands: &shape.operands[1..],
                    ..shape.clone()
                };
                let ty = self.operand_type(&chosen, ty);
                let condition = self.part(build, &shape.operands[0], Type::BOOL)?;
                let on_true = self.part(build, &shape.operands[1], ty)?;
                let on_false = self.part(build, &shape.operands[2], ty)?;
                Some(build.select(condition, on_true, on_false))
            }
            Operation::Negate => {
                let operand = self.part(build, &shape.operands[0], Type::Half)?;
                Some(build.fneg(operand))
            }
            Operation::Known(call) => {
                let ty = self.operand_type(shape, ty);
                let mut arguments = Vec::new();
                for part in shape.operands {
                    arguments.push(self.part(build, part, ty)?);
                }
                let intrinsic = match call {
                    KnownCall::SignedMinimum => Intrinsic::Smin,
                    KnownCall::SignedMaximum => Intrinsic::Smax,
                    KnownCall::UnsignedMinimum => Intrinsic::Umin,
                    KnownCall::UnsignedMaximum => Intrinsic::Umax,
                    KnownCall::Absolute => {
                        arguments.push(build.bool(false));
                        Intrinsic::Abs
                    }
                };
                Some(build.intrinsic(intrinsic, &[ty], &arguments))
            }
            Operation::Function(_) => None,
        }
    }
}

fn is_float_result(op: CastOp) -> bool {
    matches!(op, CastOp::FPTrunc | CastOp::FPExt | CastOp::UIToFP | CastOp::SIToFP)
}

/// A value, or poison.
type Evaluated = Option<u128>;

fn evaluate(function: &Function, value: Value, arguments: &[u128]) -> Evaluated {
    let context = function.context();
    let id = match value {
        Value::Argument(number) => {
            let bits = context.bit_size(function.type_of(value)) as u32;
            return Some(arguments[number as usize] & mask(bits));
        }
        Value::Constant(id) => {
            assert!(!fold::is_undefined(context, id));
            return fold::int_value(context, id).or(fold::float_value(context, id).map(u128::from));
        }
        Value::Instruction(id) => id,
    };
    let of = |value: Value| evaluate(function, value, arguments);
    let constant = |value: Value| {
        let ty = function.type_of(value);
        Some(match ty {
            Type::Int(_) => fold::int_constant(context, ty, of(value)?),
            _ => fold::float_constant(context, ty, of(value)? as u64),
        })
    };
    let result = function.result_type(id);
    let folded = match function.instruction(id) {
        Instruction::Binary { op, flags, left, right } if !op.is_float() => {
            return binary(*op, *flags, result.int_bits()?, of(*left)?, of(*right)?);
        }
        Instruction::Binary { op, left, right, .. } => {
            fold::binary(context, *op, constant(*left)?, constant(*right)?, false)
        }
        Instruction::FNeg { operand, .. } => fold::negate(context, constant(*operand)?),
        Instruction::ICmp {
            predicate, left, right, ..
        } => {
            let bits = function.type_of(*left).int_bits()?;
            return Some(u128::from(fold::int_compare(*predicate, bits, of(*left)?, of(*right)?)));
        }
        Instruction::FCmp {
            predicate, left, right, ..
        } => fold::compare_float(context, *predicate, constant(*left)?, constant(*right)?, false),
        Instruction::Cast { op, operand, flags } => {
            let (value, from, to) = (
                of(*operand)?,
                function.type_of(*operand).int_bits()?,
                result.int_bits()?,
            );
            let lost = op == &CastOp::Trunc
                && (flags.contains(Flags::NO_UNSIGNED_WRAP) && value > mask(to)
                    || flags.contains(Flags::NO_SIGNED_WRAP) && signed(to, value & mask(to)) != signed(from, value));
            return (!lost).then_some(match op {
                CastOp::SExt => signed(from, value) as u128 & mask(to),
                _ => value & mask(to),
            });
        }
        Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } => {
            return if of(*condition)? == 1 {
                of(*on_true)
            } else {
                of(*on_false)
            };
        }
        Instruction::Call(call) => {
            let arguments: Option<Vec<Value>> = call
                .arguments
                .iter()
                .map(|&argument| constant(argument).map(Value::Constant))
                .collect();
            super::calls::fold_constants(function, call.intrinsic()?, &arguments?)
        }
        other => panic!("{other:?}"),
    };
    let folded = folded?;
    fold::int_value(context, folded).or(fold::float_value(context, folded).map(u128::from))
}

fn binary(op: BinaryOp, flags: Flags, bits: u32, left: u128, right: u128) -> Evaluated {
    let value = fold::int_binary(op, bits, left, right)?;
    let (a, b) = (signed(bits, left), signed(bits, right));
    let exact = match op {
        BinaryOp::Add => Some((a.checked_add(b), left.checked_add(right))),
        BinaryOp::Sub => Some((a.checked_sub(b), left.checked_sub(right))),
        BinaryOp::Mul => Some((a.checked_mul(b), left.checked_mul(right))),
        BinaryOp::Shl if right < u128::from(bits) && bits <= 64 => Some((Some(a << right), Some(left << right))),
        _ => None,
    };
    if let Some((of_signed, of_unsigned)) = exact {
        let wraps_signed = of_signed.is_none_or(|exact| exact != signed(bits, value));
        let wraps_unsigned = of_unsigned != Some(value);
        if flags.contains(Flags::NO_SIGNED_WRAP) && wraps_signed
            || flags.contains(Flags::NO_UNSIGNED_WRAP) && wraps_unsigned
        {
            return None;
        }
    }
    if op.is_shift() && right >= u128::from(bits) {
        return None;
    }
    let lost = match op {
        BinaryOp::UDiv => !left.is_multiple_of(right),
        BinaryOp::SDiv => a % b != 0,
        BinaryOp::LShr | BinaryOp::AShr => left & ((1 << right) - 1) != 0,
        _ => false,
    };
    let overlapping = op == BinaryOp::Or && flags.contains(Flags::DISJOINT) && left & right != 0;
    // The least number divided by -1 has no result.
    let too_large = matches!(op, BinaryOp::SDiv | BinaryOp::SRem) && a == signed(bits, 1 << (bits - 1)) && b == -1;
    (!(flags.contains(Flags::EXACT) && lost || overlapping || too_large)).then_some(value)
}

/// Tries an instance; whether the rule fired.
fn try_instance(rule: &Rule, random: &mut Numbers) -> bool {
    let is_float = speaks_of_floats(&Part::Node(rule.pattern));
    let mut module = Module::new("test");
    let context = module.context().clone();
    let mut instance = Instance {
        random,
        rule,
        letters: [None; 4],
        constants: [None; 4],
        types: [None; 3],
        arguments: 0,
        wanted: Vec::new(),
        predicate: None,
    };
    // Types of arguments are found by building, so that a first build says what the function is.
    let ty = if is_float { Type::Half } else { instance.ty(None) };
    let seed = instance.random.clone();
    let mut parameters: Vec<Type> = vec![ty; 4];
    for _ in 0..3 {
        let declaration = Declaration::new(&context, "f", context.function_type(Type::Void, &parameters, false));
        let id = module.add_function(declaration);
        let mut body = module.new_body(id);
        let entry = body.append_block();
        let mut build = Builder::at_end(&mut body, entry);
        *instance.random = seed.clone();
        instance.letters = [None; 4];
        instance.constants = [None; 4];
        instance.types = [None; 3];
        instance.arguments = 0;
        instance.predicate = None;
        instance.wanted = parameters.clone();
        let Some(root) = instance.shape(&mut build, rule.pattern, ty) else {
            return false;
        };
        if instance.wanted != parameters {
            parameters = instance.wanted.clone();
            continue;
        }
        let Value::Instruction(root) = root else { return false };
        build.ret(None);
        let options = Options::default();
        let fuel = Fuel::new(None);
        let unit = Unit {
            symbols: &module.symbols,
            options: &options,
            fuel: &fuel,
        };
        let before = body.clone();
        let Some(after) = matching::try_rule(
            &mut body,
            &unit,
            &Memory::default(),
            root,
            rule,
            &mut matching::Bindings::default(),
        ) else {
            return false;
        };
        assert_eq!(
            body.type_of(after),
            before.result_type(root),
            "line {}: the type differs",
            rule.line
        );
        for sample in 0..32u32 {
            let arguments: Vec<u128> = parameters
                .iter()
                .map(|ty| match ty {
                    Type::Int(bits) if *bits <= 3 && sample < 26 => u128::from(instance.random.below(8)) & mask(*bits),
                    Type::Int(bits) => instance.random.number(*bits),
                    _ => u128::from(FLOATS[instance.random.below(12) as usize]),
                })
                .collect();
            let Some(expected) = evaluate(&before, Value::Instruction(root), &arguments) else {
                continue;
            };
            let found = evaluate(&body, after, &arguments);
            let is_nan = |bits: Option<u128>| {
                parameters[0] == Type::Half
                    && bits.is_some_and(|bits| warpsmith_numerics::format::F16.is_nan(bits as u64))
            };
            let no_sign = rule.pattern.flags.contains(Flags::NO_SIGNED_ZERO)
                && [Some(expected), found]
                    .iter()
                    .all(|bits| matches!(bits, Some(0 | 0x8000)));
            assert!(
                found == Some(expected) || is_nan(Some(expected)) && is_nan(found) || no_sign,
                "line {}: {expected:#x} becomes {found:x?} for {arguments:x?}\n{}",
                rule.line,
                before.display(None),
            );
        }
        return true;
    }
    false
}

fn speaks_of_floats(part: &Part) -> bool {
    match part {
        Part::Float { .. } | Part::NegativeZero => true,
        Part::Node(shape) => match shape.operation {
            Operation::Binary(op) => op.is_float(),
            Operation::CompareFloat | Operation::Negate => true,
            Operation::Cast(op) => is_float_result(op) || matches!(op, CastOp::FPToSI | CastOp::FPToUI),
            _ => shape.operands.iter().any(speaks_of_floats),
        },
        _ => false,
    }
}

fn converts_floats(part: &Part) -> bool {
    match part {
        Part::Node(shape) => {
            let converts = match shape.operation {
                Operation::Cast(op) => {
                    is_float_result(op)
                        || matches!(op, CastOp::FPToSI | CastOp::FPToUI | CastOp::FPTrunc | CastOp::FPExt)
                }
                _ => false,
            };
            converts || shape.operands.iter().any(converts_floats)
        }
        _ => false,
    }
}

#[test]
fn every_rule_keeps_the_value() {
    let mut random = Numbers(Random::new(7));
    let mut silent = Vec::new();
    for rule in rules::all() {
        // The evaluation here has one float format.
        if converts_floats(&Part::Node(rule.pattern)) {
            continue;
        }
        let mut fired = 0;
        for _ in 0..4000 {
            fired += u32::from(try_instance(rule, &mut random));
            if fired == 4 {
                break;
            }
        }
        if fired == 0 {
            silent.push(rule.line);
        }
    }
    assert!(silent.is_empty(), "rules that never fired: {silent:?}");
}
