//! Straight-line strength reduction: an address that is a constant further than one that was computed before is taken from there, and so is a product whose factor is
//! one more: of `a[x + i]` and `a[x + i + 1]` the second is the first and 4 bytes, of `i * n + c` and `(i + 1) * n + c` the second is the first and `n`.
//!
//! Loops themselves are left alone: a machine makes an address of a base, an index and its size in one instruction, as many as it takes to count an address up.
//!
//! What is known of an address may rest on sums that do not wrap. It is taken from another only where that one is accessed for sure, so that its sums do not.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, BlockId, CastOp, Flags, Function, GepFlags, Instruction, InstructionId, Type, Value};

use super::loops::Nest;
use crate::{
    address::{Step, Steps, constant_int},
    analysis::{effects::of_call, flow::node, known},
    edit,
    pipeline::Unit,
};

/// How deep in an index sums are looked for.
const DEPTH: u32 = 6;
/// Geps that an address is a chain of, and parts of a sum.
const MOST_PARTS: usize = 8;
/// Earlier addresses that one is compared with.
const MOST_TRIED: usize = 8;
/// Machines add constants of 24 bits to addresses.
const FARTHEST: i128 = 1 << 23;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let addresses = addresses(function, unit, &nest);
    let products = products(function, unit, &nest);
    addresses || products
}

/// How a value is made as wide as the sum that it is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Extension {
    None,
    Sign,
    Zero,
}

/// A part of a sum: a value, how it is extended, and what it is multiplied by.
type Part = (Value, Extension, i128);

/// A sum of multiples of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    parts: SmallVec<[Part; 4]>,
    constant: i128,
}

impl Sum {
    fn add(&mut self, value: Value, extension: Extension, factor: i128) -> Option<()> {
        let same = |part: &&mut Part| (part.0, part.1) == (value, extension);
        match self.parts.iter_mut().find(same) {
            Some(part) => part.2 = part.2.checked_add(factor)?,
            None => self.parts.push((value, extension, factor)),
        }
        (self.parts.len() <= MOST_PARTS).then_some(())
    }

    /// Adds a multiple of a value, taken apart as far as its extension allows.
    fn add_value(
        &mut self,
        function: &Function,
        unit: &Unit<'_>,
        value: Value,
        extension: Extension,
        factor: i128,
        depth: u32,
    ) -> Option<()> {
        if let Some(constant) = constant_int(function, value) {
            let constant = match (extension, function.type_of(value).int_bits()) {
                (Extension::Zero, Some(bits)) if bits < 127 => constant & ((1 << bits) - 1),
                _ => constant,
            };
            self.constant = self.constant.checked_add(constant.checked_mul(factor)?)?;
            return Some(());
        }
        let atom = |sum: &mut Sum| sum.add(value, extension, factor);
        if depth == 0 {
            return atom(self);
        }
        match function.definition(value) {
            Some(&Instruction::Binary { op, flags, left, right }) => {
                let keeps = wraps_not(flags, extension);
                let scale = constant_int(function, right).and_then(|right| match op {
                    BinaryOp::Mul => Some(right),
                    BinaryOp::Shl if (0..32).contains(&right) => Some(1 << right),
                    _ => None,
                });
                let is_or = || known::no_common_bits(unit.symbols, function, left, right);
                match op {
                    BinaryOp::Add | BinaryOp::Sub if keeps => {
                        self.add_value(function, unit, left, extension, factor, depth - 1)?;
                        let factor = if op == BinaryOp::Sub {
                            factor.checked_neg()?
                        } else {
                            factor
                        };
                        self.add_value(function, unit, right, extension, factor, depth - 1)
                    }
                    BinaryOp::Or if is_or() => {
                        self.add_value(function, unit, left, extension, factor, depth - 1)?;
                        self.add_value(function, unit, right, extension, factor, depth - 1)
                    }
                    BinaryOp::Mul | BinaryOp::Shl if keeps && scale.is_some_and(|scale| scale > 0) => {
                        let factor = factor.checked_mul(scale?)?;
                        self.add_value(function, unit, left, extension, factor, depth - 1)
                    }
                    _ => atom(self),
                }
            }
            Some(&Instruction::Cast {
                op: CastOp::SExt,
                operand,
                ..
            }) if extension != Extension::Zero => {
                self.add_value(function, unit, operand, Extension::Sign, factor, depth - 1)
            }
            Some(&Instruction::Cast {
                op: CastOp::ZExt,
                operand,
                flags,
            }) => {
                // Of a number that is not negative both extensions are the same.
                let is_positive = flags.contains(Flags::NON_NEGATIVE) && extension != Extension::Zero;
                let inner = if is_positive { Extension::Sign } else { Extension::Zero };
                self.add_value(function, unit, operand, inner, factor, depth - 1)
            }
            _ => atom(self),
        }
    }

    /// In an order that does not depend on how it was written.
    fn sorted(mut self) -> Sum {
        self.parts.retain(|(.., factor)| *factor != 0);
        self.parts
            .sort_by_key(|(value, extension, factor)| (order(*value), *extension, *factor));
        self
    }
}

/// Numbers of constants depend on threads: among them the order is that in which they are met.
fn order(value: Value) -> (u8, usize) {
    match value {
        Value::Argument(number) => (0, number as usize),
        Value::Instruction(id) => (1, id.index()),
        Value::Constant(_) => (2, 0),
    }
}

/// Whether an operation gives the same at the full width, modulo two to which everything is.
fn wraps_not(flags: Flags, extension: Extension) -> bool {
    match extension {
        Extension::None => true,
        Extension::Sign => flags.contains(Flags::NO_SIGNED_WRAP),
        Extension::Zero => flags.contains(Flags::NO_UNSIGNED_WRAP),
    }
}

/// The base of an address, and the sum that is added to it.
fn address(function: &Function, unit: &Unit<'_>, id: InstructionId) -> Option<(Value, Sum)> {
    let mut sum = Sum::default();
    let mut base = Value::Instruction(id);
    for _ in 0..MOST_PARTS {
        let Some(Instruction::Gep {
            source,
            base: start,
            indices,
            ..
        }) = function.definition(base)
        else {
            break;
        };
        let mut steps = Steps::new(function.context(), *source);
        for &index in indices {
            if let Some(index) = constant_int(function, index) {
                sum.constant = sum.constant.checked_add(i128::from(steps.constant(index)?))?;
                continue;
            }
            let Step::Scale(scale) = steps.step() else { return None };
            if function.type_of(index).is_vector() {
                return None;
            }
            sum.add_value(function, unit, index, Extension::None, i128::from(scale), DEPTH)?;
            steps.advance(None);
        }
        base = *start;
    }
    Some((base, sum.sorted()))
}

type Parts = SmallVec<[Part; 4]>;

fn addresses(function: &mut Function, unit: &Unit<'_>, nest: &Nest) -> bool {
    let mut known: FxHashMap<(Value, Parts), Vec<(InstructionId, i128)>> = FxHashMap::default();
    let mut changed = false;
    for &at in nest.dominators.preorder() {
        let Some(block) = nest.flow.block(at) else { continue };
        let exits = exits_before(function, unit, block);
        for id in function.instructions(block).collect::<Vec<_>>() {
            let is_gep = matches!(function.instruction(id), Instruction::Gep { .. });
            if !is_gep || function.result_type(id).is_vector() {
                continue;
            }
            let Some((base, sum)) = address(function, unit, id).filter(|(_, sum)| !sum.parts.is_empty()) else {
                continue;
            };
            let family = known.entry((base, sum.parts)).or_default();
            let near = family.iter().rev().take(MOST_TRIED).find(|&&(basis, constant)| {
                (sum.constant - constant).abs() < FARTHEST && is_basis(function, nest, basis, (block, id), &exits)
            });
            match near.copied() {
                Some((basis, constant)) if is_worthwhile(function, id, basis) => {
                    if unit.fuel.take() {
                        take_from(function, id, basis, sum.constant - constant);
                        changed = true;
                    }
                }
                _ => family.push((id, sum.constant)),
            }
        }
    }
    changed
}

/// Of each instruction of a block how many before it may not come back: calls of what may end the thread.
fn exits_before(function: &Function, unit: &Unit<'_>, block: BlockId) -> FxHashMap<InstructionId, u32> {
    let mut exits = 0;
    let count = |id: InstructionId| {
        let before = exits;
        let call = function.instruction(id).as_call();
        exits += u32::from(call.is_some_and(|call| !of_call(unit.symbols, call).returns));
        (id, before)
    };
    function.instructions(block).map(count).collect()
}

/// Whether an address is computed before another, which is in a block, in the same loop, and accessed for sure if that one is come to: before it, or behind it
/// with nothing between that may not come back.
fn is_basis(
    function: &Function,
    nest: &Nest,
    basis: InstructionId,
    (block, id): (BlockId, InstructionId),
    exits: &FxHashMap<InstructionId, u32>,
) -> bool {
    let loop_of = |block: BlockId| nest.loops.innermost(node(block));
    let is_before = |at: BlockId| nest.dominators.dominates(node(at), node(block));
    let is_sure = |user: InstructionId| match function.block_of(user) {
        Some(at) if at == block => exits.get(&user) <= exits.get(&id),
        Some(at) => is_before(at),
        None => false,
    };
    let is_access = |user: &InstructionId| match function.instruction(*user) {
        Instruction::Load { pointer, .. } | Instruction::Store { pointer, .. } => *pointer == Value::Instruction(basis),
        _ => false,
    };
    (function.block_of(basis)).is_some_and(|at| is_before(at) && loop_of(at) == loop_of(block))
        && (function.users(Value::Instruction(basis)).iter())
            .filter(|user| is_access(user))
            .any(|&user| is_sure(user))
}

/// Whether a gep computes anything that taking it from another saves: not a constant that is added to that one already.
fn is_worthwhile(function: &Function, id: InstructionId, basis: InstructionId) -> bool {
    let Instruction::Gep { base, indices, .. } = function.instruction(id) else {
        return false;
    };
    let is_constant = indices.iter().all(|&index| constant_int(function, index).is_some());
    !(is_constant && *base == Value::Instruction(basis))
}

fn take_from(function: &mut Function, id: InstructionId, basis: InstructionId, bytes: i128) {
    let ty = function.result_type(id);
    let before: SmallVec<[Value; 4]> = function.instruction(id).operands().into_iter().collect();
    if bytes == 0 && function.result_type(basis) == ty {
        function.replace_all_uses(Value::Instruction(id), Value::Instruction(basis));
        return;
    }
    let index = Value::Constant(function.context().int(64, bytes));
    let gep = Instruction::Gep {
        flags: GepFlags::NONE,
        source: Type::I8,
        base: Value::Instruction(basis),
        indices: [index].into_iter().collect(),
    };
    function.replace_instruction(id, gep, ty);
    remove_unused(function, before);
}

/// Removes what only computed operands that nobody uses any more.
fn remove_unused(function: &mut Function, values: impl IntoIterator<Item = Value>) {
    for value in values {
        if let Value::Instruction(id) = value {
            edit::remove_with_operands(function, id, |function, id| {
                matches!(
                    function.instruction(id),
                    Instruction::Binary { .. } | Instruction::Cast { .. } | Instruction::Gep { .. }
                )
            });
        }
    }
}

/// `(value + constant) · factor + more`, modulo two to its width.
#[derive(Clone, Copy, Debug)]
struct Product {
    /// The whole.
    id: InstructionId,
    /// The multiplication.
    product: InstructionId,
    /// What is multiplied, the constant with it.
    multiplied: Value,
    value: Value,
    constant: i128,
    factor: Value,
    more: Option<Value>,
}

/// A value less a constant that is added to it; nothing is taken for granted of the sum.
fn less_constant(function: &Function, unit: &Unit<'_>, value: Value) -> (Value, i128) {
    let (mut at, mut constant) = (value, 0i128);
    for _ in 0..DEPTH {
        let Some(&Instruction::Binary { op, left, right, .. }) = function.definition(at) else {
            break;
        };
        let Some(more) = constant_int(function, right) else {
            break;
        };
        let is_sum = match op {
            BinaryOp::Add => true,
            BinaryOp::Or => known::no_common_bits(unit.symbols, function, left, right),
            _ => false,
        };
        let Some(sum) = constant.checked_add(more).filter(|_| is_sum) else {
            break;
        };
        (at, constant) = (left, sum);
    }
    (at, constant)
}

/// A multiplication, or the sum of one that only it uses, as products; either factor may be the one that counts.
fn products_of(function: &Function, unit: &Unit<'_>, id: InstructionId) -> SmallVec<[Product; 2]> {
    let mut found = SmallVec::new();
    let multiplication = |value: Value| match function.definition(value) {
        Some(&Instruction::Binary {
            op: BinaryOp::Mul,
            left,
            right,
            ..
        }) if right.as_constant().is_none() => Some((value.as_instruction()?, left, right)),
        _ => None,
    };
    let Instruction::Binary { op, left, right, .. } = *function.instruction(id) else {
        return found;
    };
    let is_single = |value: Value| function.use_count(value) == 1;
    let whole = match op {
        BinaryOp::Mul => multiplication(Value::Instruction(id)).map(|parts| (parts, None)),
        BinaryOp::Add => [(left, right), (right, left)].into_iter().find_map(|(product, more)| {
            let parts = multiplication(product).filter(|_| is_single(product))?;
            Some((parts, Some(more)))
        }),
        _ => None,
    };
    if let Some(((product, left, right), more)) = whole {
        for (multiplied, factor) in [(left, right), (right, left)] {
            let (value, constant) = less_constant(function, unit, multiplied);
            found.push(Product {
                id,
                product,
                multiplied,
                value,
                constant,
                factor,
                more,
            });
        }
    }
    found
}

fn products(function: &mut Function, unit: &Unit<'_>, nest: &Nest) -> bool {
    let mut changed = false;
    let mut known: FxHashMap<(Value, Value, Option<Value>), Vec<Product>> = FxHashMap::default();
    for block in nest.flow.order() {
        known.clear();
        for id in function.instructions(block).collect::<Vec<_>>() {
            if function.block_of(id) != Some(block)
                || !matches!(function.result_type(id), Type::Int(32 | 64))
                || is_summed(function, id)
            {
                continue;
            }
            let found = products_of(function, unit, id);
            let near = found.iter().find_map(|product| {
                let family = known.get(&(product.value, product.factor, product.more))?;
                let is_near = |basis: &&Product| (product.constant - basis.constant).unsigned_abs() == 1;
                let pays = function.use_count(product.multiplied) == 1 || function.result_type(id) == Type::I64;
                family
                    .iter()
                    .rev()
                    .find(is_near)
                    .filter(|_| pays)
                    .map(|basis| (*product, *basis))
            });
            if let Some((product, basis)) = near
                && unit.fuel.take()
            {
                count_up(function, &product, &basis);
                changed = true;
            }
            for product in found {
                known
                    .entry((product.value, product.factor, product.more))
                    .or_default()
                    .push(product);
            }
        }
    }
    changed
}

/// Whether a multiplication is looked at with the sum that alone uses it.
fn is_summed(function: &Function, id: InstructionId) -> bool {
    let own = Value::Instruction(id);
    matches!(function.instruction(id), Instruction::Binary { op: BinaryOp::Mul, .. })
        && function.single_user(own).is_some_and(|user| {
            matches!(
                function.instruction(user),
                Instruction::Binary { op: BinaryOp::Add, .. }
            )
        })
}

/// Computes a product from one whose factor is one more or less. That one may wrap where this one is used, so that it promises nothing any more.
fn count_up(function: &mut Function, product: &Product, basis: &Product) {
    let mut promising: SmallVec<[InstructionId; 4]> = [basis.id, basis.product].into_iter().collect();
    let mut at = basis.multiplied;
    while let (Some(id), true) = (at.as_instruction(), at != basis.value) {
        promising.push(id);
        let Instruction::Binary { left, .. } = *function.instruction(id) else {
            break;
        };
        at = left;
    }
    for id in promising {
        function.update(id, |instruction| {
            if let Instruction::Binary {
                op: BinaryOp::Add | BinaryOp::Mul,
                flags,
                ..
            } = instruction
            {
                *flags = Flags::NONE;
            }
        });
    }
    let op = match product.constant > basis.constant {
        true => BinaryOp::Add,
        false => BinaryOp::Sub,
    };
    let ty = function.result_type(product.id);
    let before: SmallVec<[Value; 4]> = function.instruction(product.id).operands().into_iter().collect();
    let sum = Instruction::Binary {
        op,
        flags: Flags::NONE,
        left: Value::Instruction(basis.id),
        right: product.factor,
    };
    function.replace_instruction(product.id, sum, ty);
    remove_unused(function, before);
}
