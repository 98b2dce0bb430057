//! What each instruction does.

use super::arithmetic::{self, compare_floats, compare_integers, format};
use super::memory::Region;
use super::thread::{Effect, Thread};
use super::value::{Datum, lanes};
use super::{LOCAL_WINDOW, Machine, Stop};
use crate::context::Context;
use crate::function::InstructionId;
use crate::instruction::{Instruction, Value};
use crate::integer::Integer;
use crate::opcode::{AtomicOp, BinaryOp, IntPredicate};
use crate::types::{AddressSpace, Type};

impl<'m> Thread<'m> {
    /// Executes one instruction.
    pub(super) fn step(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        id: InstructionId,
    ) -> Result<Effect, Stop> {
        let body = self.frame()?.body;
        let context: &'m Context = machine.module.context();
        let result = body.result_type(id);
        let instruction = body.instruction(id);
        let value = match instruction {
            Instruction::Binary { op, flags, left, right } => {
                let ty = context.scalar(result);
                let (left, right) = (self.value(machine, *left)?, self.value(machine, *right)?);
                lanes(&[&left, &right], &mut |scalars| {
                    arithmetic::binary(*op, *flags, ty, scalars[0], scalars[1])
                })?
            }
            Instruction::FNeg { operand, .. } => {
                let operand = self.value(machine, *operand)?;
                lanes(&[&operand], &mut |scalars| Ok(negated(scalars[0])))?
            }
            Instruction::ICmp {
                predicate, left, right, ..
            } => {
                let (left, right) = (self.value(machine, *left)?, self.value(machine, *right)?);
                lanes(&[&left, &right], &mut |scalars| {
                    Ok(both(scalars).map_or(Datum::Poison, |(a, b)| Datum::bool(compare_integers(*predicate, a, b))))
                })?
            }
            Instruction::FCmp {
                predicate, left, right, ..
            } => {
                let format = format(context.scalar(body.type_of(*left)))
                    .ok_or_else(|| Stop::undefined("a comparison of no floats"))?;
                let (left, right) = (self.value(machine, *left)?, self.value(machine, *right)?);
                lanes(&[&left, &right], &mut |scalars| {
                    Ok(both(scalars).map_or(Datum::Poison, |(a, b)| {
                        Datum::bool(compare_floats(*predicate, format, a.low_u64(), b.low_u64()))
                    }))
                })?
            }
            Instruction::Cast { op, flags, operand } => {
                let value = self.value(machine, *operand)?;
                machine.cast(*op, *flags, body.type_of(*operand), result, &value)?
            }
            Instruction::Select {
                condition,
                on_true,
                on_false,
                ..
            } => self.select(machine, *condition, *on_true, *on_false)?,
            Instruction::Freeze { operand } => frozen(context, result, &self.value(machine, *operand)?),
            // Phis are done when their block is entered.
            Instruction::Phi { .. } => return Err(Stop::undefined("a phi in the entry block")),
            Instruction::Gep {
                source, base, indices, ..
            } => {
                let base = self.value(machine, *base)?;
                let mut values = Vec::with_capacity(indices.len());
                for &index in indices {
                    values.push(self.value(machine, index)?);
                }
                machine.offset(*source, &base, &values, result)?
            }
            Instruction::ExtractElement { .. }
            | Instruction::InsertElement { .. }
            | Instruction::ShuffleVector { .. } => self.vector(machine, instruction)?,
            Instruction::ExtractValue { aggregate, indices } => {
                let aggregate = self.value(machine, *aggregate)?;
                indices.iter().fold(aggregate, |value, &index| match value {
                    Datum::Composite(mut elements) if (index as usize) < elements.len() => {
                        elements.swap_remove(index as usize)
                    }
                    _ => Datum::Poison,
                })
            }
            Instruction::InsertValue {
                aggregate,
                element,
                indices,
            } => {
                let mut aggregate = self.value(machine, *aggregate)?;
                let element = self.value(machine, *element)?;
                let slot = indices.iter().try_fold(&mut aggregate, |value, &index| match value {
                    Datum::Composite(elements) => elements.get_mut(index as usize),
                    Datum::Bits(_) | Datum::Poison => None,
                });
                if let Some(slot) = slot {
                    *slot = element;
                }
                aggregate
            }
            Instruction::Alloca { ty, count, align } => {
                let Some(count) = self.value(machine, *count)?.low() else {
                    return Err(Stop::undefined("an alloca of poison"));
                };
                let address = self.reserve(context.size(*ty).saturating_mul(count), *align)?;
                let window = if result == Type::Pointer(AddressSpace::LOCAL) {
                    0
                } else {
                    LOCAL_WINDOW
                };
                Datum::int(64, window + address)
            }
            Instruction::Load { pointer, .. } => {
                let (space, address) = self.address(machine, *pointer)?;
                self.view(machine, shared).load(context, space, address, result)?
            }
            Instruction::Store { pointer, value, .. } => {
                let (space, address) = self.address(machine, *pointer)?;
                let ty = body.type_of(*value);
                let value = self.value(machine, *value)?;
                self.view(machine, shared).store(context, space, address, ty, &value)?;
                Datum::void()
            }
            Instruction::AtomicRmw { op, pointer, value, .. } => {
                let (space, address) = self.address(machine, *pointer)?;
                let operand = self.value(machine, *value)?;
                self.atomic(machine, shared, *op, space, address, result, &operand)?
            }
            Instruction::CompareExchange {
                pointer, expected, new, ..
            } => {
                let (space, address) = self.address(machine, *pointer)?;
                let ty = body.type_of(*new);
                let (expected, new) = (self.value(machine, *expected)?, self.value(machine, *new)?);
                self.exchange(machine, shared, space, address, ty, &expected, &new)?
            }
            Instruction::Fence(_) => Datum::void(),
            Instruction::Call(call) => return self.call(machine, shared, id, call),
            Instruction::Branch { .. }
            | Instruction::ConditionalBranch { .. }
            | Instruction::Switch { .. }
            | Instruction::IndirectBranch { .. }
            | Instruction::Return { .. }
            | Instruction::Unreachable => return self.terminator(machine, instruction),
        };
        Ok(Effect::Value(value))
    }

    fn terminator(&mut self, machine: &Machine<'m>, instruction: &Instruction) -> Result<Effect, Stop> {
        match instruction {
            Instruction::Branch { target } => Ok(Effect::Jump(*target)),
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => match self.value(machine, *condition)?.low() {
                Some(condition) => Ok(Effect::Jump(if condition & 1 == 1 { *on_true } else { *on_false })),
                None => Err(Stop::undefined("a branch on poison")),
            },
            Instruction::Switch { value, default, cases } => {
                let value = self.value(machine, *value)?;
                let Some(bits) = value.bits() else {
                    return Err(Stop::undefined("a switch on poison"));
                };
                let case = cases.iter().find(|case| case.value == *bits);
                Ok(Effect::Jump(case.map_or(*default, |case| case.target)))
            }
            Instruction::IndirectBranch { address, targets } => {
                let Some(address) = self.value(machine, *address)?.low() else {
                    return Err(Stop::undefined("a branch to poison"));
                };
                let function = self.frame()?.body.id();
                let block = machine
                    .block_at(function, address)
                    .filter(|block| targets.contains(block));
                block
                    .map(Effect::Jump)
                    .ok_or_else(|| Stop::undefined("a branch to an address that is not among its targets"))
            }
            Instruction::Return { value } => Ok(Effect::Return(match value {
                Some(value) => self.value(machine, *value)?,
                None => Datum::void(),
            })),
            _ => Err(Stop::undefined("executing what is unreachable")),
        }
    }

    fn select(&self, machine: &Machine<'m>, condition: Value, on_true: Value, on_false: Value) -> Result<Datum, Stop> {
        let condition = self.value(machine, condition)?;
        let (on_true, on_false) = (self.value(machine, on_true)?, self.value(machine, on_false)?);
        match &condition {
            Datum::Bits(bits) => Ok(if bits.is_zero() { on_false } else { on_true }),
            Datum::Poison => poisoned(&on_true),
            Datum::Composite(_) => lanes(&[&condition, &on_true, &on_false], &mut |scalars| {
                Ok(match scalars[0].bits() {
                    Some(bits) => scalars[if bits.is_zero() { 2 } else { 1 }].clone(),
                    None => Datum::Poison,
                })
            }),
        }
    }

    fn vector(&self, machine: &Machine<'m>, instruction: &Instruction) -> Result<Datum, Stop> {
        let elements = |value: Datum| match value {
            Datum::Composite(lanes) => lanes,
            Datum::Bits(_) | Datum::Poison => Vec::new(),
        };
        let lane = |index: &Datum| index.low().and_then(|index| usize::try_from(index).ok());
        match instruction {
            Instruction::ExtractElement { vector, index } => {
                let (vector, index) = (elements(self.value(machine, *vector)?), self.value(machine, *index)?);
                Ok(lane(&index)
                    .and_then(|lane| vector.get(lane).cloned())
                    .unwrap_or(Datum::Poison))
            }
            Instruction::InsertElement { vector, element, index } => {
                let (mut vector, index) = (elements(self.value(machine, *vector)?), self.value(machine, *index)?);
                let element = self.value(machine, *element)?;
                match lane(&index).and_then(|lane| vector.get_mut(lane)) {
                    Some(slot) => *slot = element,
                    None => vector.fill(Datum::Poison),
                }
                Ok(Datum::Composite(vector))
            }
            Instruction::ShuffleVector { left, right, mask } => {
                let mut all = elements(self.value(machine, *left)?);
                all.extend(elements(self.value(machine, *right)?));
                let pick = |&lane: &i32| {
                    usize::try_from(lane)
                        .ok()
                        .and_then(|lane| all.get(lane).cloned())
                        .unwrap_or(Datum::Poison)
                };
                Ok(Datum::Composite(mask.iter().map(pick).collect()))
            }
            _ => Ok(Datum::Poison),
        }
    }

    /// The address that a pointer is, and its space.
    pub(super) fn address(&mut self, machine: &Machine<'m>, pointer: Value) -> Result<(AddressSpace, u64), Stop> {
        let space = self.frame()?.body.type_of(pointer).address_space().unwrap_or_default();
        match self.value(machine, pointer)?.low() {
            Some(address) => Ok((space, address)),
            None => Err(Stop::undefined("an access at poison")),
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn atomic(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        op: AtomicOp,
        space: AddressSpace,
        address: u64,
        ty: Type,
        operand: &Datum,
    ) -> Result<Datum, Stop> {
        let context: &'m Context = machine.module.context();
        let scalar = context.scalar(ty);
        let mut view = self.view(machine, shared);
        let old = view.load(context, space, address, ty)?;
        let new = lanes(&[&old, operand], &mut |scalars| {
            atomic_result(op, scalar, scalars[0], scalars[1])
        })?;
        view.store(context, space, address, ty, &new)?;
        Ok(old)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn exchange(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        space: AddressSpace,
        address: u64,
        ty: Type,
        expected: &Datum,
        new: &Datum,
    ) -> Result<Datum, Stop> {
        let context: &'m Context = machine.module.context();
        let mut view = self.view(machine, shared);
        let old = view.load(context, space, address, ty)?;
        if old.has_poison() || expected.has_poison() {
            return Err(Stop::undefined("comparing poison to decide about a store"));
        }
        let equal = old == *expected;
        if equal {
            view.store(context, space, address, ty, new)?;
        }
        Ok(Datum::Composite(vec![old, Datum::bool(equal)]))
    }
}

fn both<'d>(scalars: &[&'d Datum]) -> Option<(&'d Integer, &'d Integer)> {
    Some((scalars.first()?.bits()?, scalars.get(1)?.bits()?))
}

/// The sign bit changed, of NaN too.
fn negated(value: &Datum) -> Datum {
    match value.bits() {
        Some(bits) => Datum::Bits(bits.xor(&Integer::new(bits.bits(), 1).shift_left(bits.bits() - 1))),
        None => Datum::Poison,
    }
}

/// Poison in the shape of a value.
fn poisoned(shape: &Datum) -> Result<Datum, Stop> {
    lanes(&[shape], &mut |_| Ok(Datum::Poison))
}

fn frozen(context: &Context, ty: Type, value: &Datum) -> Datum {
    match value {
        Datum::Bits(_) => value.clone(),
        Datum::Poison => Datum::zero(context, ty),
        Datum::Composite(elements) => {
            let element = |(index, element): (usize, &Datum)| {
                frozen(context, context.element(ty, index as u64).unwrap_or(ty), element)
            };
            Datum::Composite(elements.iter().enumerate().map(element).collect())
        }
    }
}

/// What an atomic operation writes.
fn atomic_result(op: AtomicOp, ty: Type, old: &Datum, operand: &Datum) -> Result<Datum, Stop> {
    if op == AtomicOp::Exchange {
        return Ok(operand.clone());
    }
    let Some((a, b)) = both(&[old, operand]) else {
        return Ok(Datum::Poison);
    };
    let choose = |predicate| {
        Datum::Bits(if compare_integers(predicate, a, b) {
            a.clone()
        } else {
            b.clone()
        })
    };
    let plain = |op| arithmetic::binary(op, crate::opcode::Flags::NONE, ty, old, operand);
    let one = || Integer::new(a.bits(), 1);
    Ok(match op {
        AtomicOp::Exchange => operand.clone(),
        AtomicOp::Add => return plain(BinaryOp::Add),
        AtomicOp::Sub => return plain(BinaryOp::Sub),
        AtomicOp::And => return plain(BinaryOp::And),
        AtomicOp::Or => return plain(BinaryOp::Or),
        AtomicOp::Xor => return plain(BinaryOp::Xor),
        AtomicOp::FAdd => return plain(BinaryOp::FAdd),
        AtomicOp::FSub => return plain(BinaryOp::FSub),
        AtomicOp::Nand => Datum::Bits(a.and(b).inverted()),
        AtomicOp::Max => choose(IntPredicate::Sge),
        AtomicOp::Min => choose(IntPredicate::Sle),
        AtomicOp::UMax => choose(IntPredicate::Uge),
        AtomicOp::UMin => choose(IntPredicate::Ule),
        AtomicOp::FMax | AtomicOp::FMin | AtomicOp::FMaximum | AtomicOp::FMinimum => {
            let nan = matches!(op, AtomicOp::FMaximum | AtomicOp::FMinimum);
            let largest = matches!(op, AtomicOp::FMax | AtomicOp::FMaximum);
            super::intrinsics::extreme(ty, largest, nan, a, b)
        }
        AtomicOp::UIncWrap => Datum::Bits(if compare_integers(IntPredicate::Uge, a, b) {
            Integer::zero(a.bits())
        } else {
            a.add(&one())
        }),
        AtomicOp::UDecWrap => {
            let wraps = a.is_zero() || compare_integers(IntPredicate::Ugt, a, b);
            Datum::Bits(if wraps { b.clone() } else { a.sub(&one()) })
        }
        AtomicOp::USubCond => Datum::Bits(if compare_integers(IntPredicate::Uge, a, b) {
            a.sub(b)
        } else {
            a.clone()
        }),
        AtomicOp::USubSat => Datum::Bits(if compare_integers(IntPredicate::Uge, a, b) {
            a.sub(b)
        } else {
            Integer::zero(a.bits())
        }),
    })
}
