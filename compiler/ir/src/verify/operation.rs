//! Types of operands and results.

use rustc_hash::FxHashSet;

use super::{Checker, constant_fits};
use crate::context::Context;
use crate::function::InstructionId;
use crate::instruction::{Instruction, Value};
use crate::opcode::{BinaryOp, CastOp, Flags};
use crate::types::Type;

impl Checker<'_> {
    /// The rules of one instruction.
    pub(super) fn operation(&mut self, id: InstructionId) {
        let function = self.function;
        let instruction = function.instruction(id);
        let result = function.result_type(id);
        let mut constants = true;
        instruction.for_each_operand(|value| {
            if let Value::Constant(constant) = value {
                constants &= constant_fits(self.symbols, constant, 0);
            }
        });
        self.rule(
            id,
            constants,
            "a constant names only what the module has, and converts between types that can be converted",
        );
        self.flags(id, instruction);
        match instruction {
            Instruction::Binary { op, left, right, .. } => self.binary(id, *op, *left, *right),
            Instruction::FNeg { operand, .. } => {
                self.rule(id, self.scalar(*operand).is_float(), "fneg takes a float");
                self.rule(
                    id,
                    self.ty(*operand) == result,
                    "the result has the type of the operand",
                );
            }
            Instruction::ICmp { left, right, .. } => {
                let scalar = self.scalar(*left);
                self.rule(
                    id,
                    scalar.is_int() || scalar.is_pointer(),
                    "icmp compares integers or pointers",
                );
                self.comparison(id, *left, *right);
            }
            Instruction::FCmp { left, right, .. } => {
                self.rule(id, self.scalar(*left).is_float(), "fcmp compares floats");
                self.comparison(id, *left, *right);
            }
            Instruction::Cast { op, operand, .. } => {
                let fits = cast_fits(function.context(), *op, self.ty(*operand), result);
                self.rule(id, fits, &format!("{op} converts between types that it can convert"));
            }
            Instruction::Select {
                condition,
                on_true,
                on_false,
                ..
            } => self.select(id, *condition, *on_true, *on_false),
            Instruction::Freeze { operand } => self.rule(
                id,
                self.ty(*operand) == result,
                "the result has the type of the operand",
            ),
            Instruction::Phi { incoming, .. } => {
                let types = incoming.iter().all(|(_, value)| self.ty(*value) == result);
                self.rule(id, types, "the values of a phi have its type");
            }
            Instruction::ExtractElement { .. }
            | Instruction::InsertElement { .. }
            | Instruction::ShuffleVector { .. } => self.vector(id, instruction),
            Instruction::ExtractValue { aggregate, indices } => {
                let reached = self.path(*aggregate, indices);
                self.rule(
                    id,
                    reached == Some(result),
                    "the indices lead to an element of the aggregate, whose type is that of the result",
                );
            }
            Instruction::InsertValue {
                aggregate,
                element,
                indices,
            } => {
                let reached = self.path(*aggregate, indices);
                self.rule(
                    id,
                    reached == Some(self.ty(*element)),
                    "the indices lead to an element of the aggregate, of the type of the inserted value",
                );
                self.rule(
                    id,
                    self.ty(*aggregate) == result,
                    "the result has the type of the aggregate",
                );
            }
            Instruction::Call(call) => self.call(id, call, result),
            Instruction::Alloca { .. }
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Gep { .. }
            | Instruction::AtomicRmw { .. }
            | Instruction::CompareExchange { .. }
            | Instruction::Fence(_) => self.memory(id, instruction, result),
            Instruction::Branch { .. } | Instruction::Unreachable => {}
            Instruction::ConditionalBranch { condition, .. } => {
                self.rule(
                    id,
                    self.ty(*condition) == Type::BOOL,
                    "the condition of a branch is an i1",
                );
            }
            Instruction::Switch { value, cases, .. } => {
                let ty = self.ty(*value);
                self.rule(id, ty.is_int(), "a switch is on an integer");
                self.rule(
                    id,
                    cases.iter().all(|case| Type::Int(case.value.bits()) == ty),
                    "cases have the type of the switch's value",
                );
                let mut seen = FxHashSet::default();
                self.rule(
                    id,
                    cases.iter().all(|case| seen.insert(&case.value)),
                    "no value has two cases",
                );
            }
            Instruction::IndirectBranch { address, .. } => {
                self.rule(id, self.ty(*address).is_pointer(), "indirectbr takes an address")
            }
            Instruction::Return { value } => {
                let ty = value.map_or(Type::Void, |value| self.ty(value));
                self.rule(
                    id,
                    ty == function.return_type(),
                    "a function returns a value of its result type",
                );
            }
        }
        let terminates =
            instruction.is_terminator() || matches!(instruction, Instruction::Store { .. } | Instruction::Fence(_));
        self.rule(
            id,
            !terminates || result == Type::Void,
            "this instruction has no result",
        );
    }

    fn flags(&mut self, id: InstructionId, instruction: &Instruction) {
        use BinaryOp as B;
        let wrap = Flags::NO_SIGNED_WRAP | Flags::NO_UNSIGNED_WRAP;
        let allowed = match instruction {
            Instruction::Binary { op, .. } => match op {
                B::Add | B::Sub | B::Mul | B::Shl => wrap,
                B::UDiv | B::SDiv | B::LShr | B::AShr => Flags::EXACT,
                B::Or => Flags::DISJOINT,
                B::URem | B::SRem | B::And | B::Xor => Flags::NONE,
                B::FAdd | B::FSub | B::FMul | B::FDiv | B::FRem => Flags::FAST_MATH,
            },
            Instruction::FNeg { .. } | Instruction::FCmp { .. } => Flags::FAST_MATH,
            Instruction::ICmp { .. } => Flags::SAME_SIGN,
            Instruction::Cast { op, .. } => match op {
                CastOp::Trunc => wrap,
                CastOp::ZExt | CastOp::UIToFP => Flags::NON_NEGATIVE,
                CastOp::FPTrunc | CastOp::FPExt => Flags::FAST_MATH,
                _ => Flags::NONE,
            },
            Instruction::Select { .. } | Instruction::Phi { .. } | Instruction::Call(_) => {
                self.result_flags(self.function.result_type(id))
            }
            _ => return,
        };
        self.rule(
            id,
            instruction.flags().without(allowed).is_empty(),
            "only flags that the operation has are set",
        );
    }

    fn result_flags(&self, ty: Type) -> Flags {
        let context = self.function.context();
        let element = match ty {
            Type::Array(array) => context.array_parts(array).element,
            Type::Struct(structure) => context
                .struct_data(structure)
                .fields
                .first()
                .copied()
                .unwrap_or(Type::Void),
            other => other,
        };
        if context.scalar(element).is_float() {
            Flags::FAST_MATH
        } else {
            Flags::NONE
        }
    }

    fn binary(&mut self, id: InstructionId, op: BinaryOp, left: Value, right: Value) {
        let scalar = self.scalar(left);
        let fits = if op.is_float() {
            scalar.is_float()
        } else {
            scalar.is_int()
        };
        self.rule(
            id,
            fits,
            if op.is_float() {
                "arithmetic on floats takes floats"
            } else {
                "arithmetic on integers takes integers"
            },
        );
        let equal = self.ty(left) == self.ty(right) && self.ty(left) == self.function.result_type(id);
        self.rule(id, equal, "both operands and the result have one type");
    }

    fn comparison(&mut self, id: InstructionId, left: Value, right: Value) {
        self.rule(
            id,
            self.ty(left) == self.ty(right),
            "the operands of a comparison have one type",
        );
        let expected = self.function.context().like(self.ty(left), Type::BOOL);
        self.rule(
            id,
            self.function.result_type(id) == expected,
            "a comparison gives an i1 for each lane",
        );
    }

    fn select(&mut self, id: InstructionId, condition: Value, on_true: Value, on_false: Value) {
        let context = self.function.context();
        let (condition, ty) = (self.ty(condition), self.ty(on_true));
        let lanes = condition == Type::BOOL
            || (context.scalar(condition) == Type::BOOL && context.lanes(condition) == context.lanes(ty));
        self.rule(id, lanes, "the condition of a select is an i1, or one for each lane");
        let equal = ty == self.ty(on_false) && ty == self.function.result_type(id);
        self.rule(id, equal, "both values and the result of a select have one type");
    }

    fn vector(&mut self, id: InstructionId, instruction: &Instruction) {
        let context = self.function.context();
        let result = self.function.result_type(id);
        let (vector, fits) = match instruction {
            Instruction::ExtractElement { vector, index } => {
                (*vector, self.ty(*index).is_int() && self.scalar(*vector) == result)
            }
            Instruction::InsertElement { vector, element, index } => {
                let types = self.scalar(*vector) == self.ty(*element) && self.ty(*vector) == result;
                (*vector, self.ty(*index).is_int() && types)
            }
            Instruction::ShuffleVector { left, right, mask } => {
                let lanes = context.lanes(self.ty(*left)).unwrap_or(0);
                let inside = mask
                    .iter()
                    .all(|&lane| lane == -1 || u64::try_from(lane).is_ok_and(|lane| lane < 2 * lanes));
                let types = self.ty(*left) == self.ty(*right)
                    && result == context.vector(self.scalar(*left), mask.len() as u64);
                (*left, inside && types)
            }
            _ => return,
        };
        self.rule(id, self.ty(vector).is_vector(), "the operand is a vector");
        self.rule(id, fits, "elements, lanes and the result fit the vector's type");
    }

    fn path(&self, aggregate: Value, indices: &[u32]) -> Option<Type> {
        let start = (!indices.is_empty()).then(|| self.ty(aggregate));
        indices.iter().fold(start, |ty, &index| {
            let ty = ty.filter(|ty| ty.is_aggregate())?;
            self.function.context().element(ty, u64::from(index))
        })
    }
}

/// Whether a conversion takes and gives these types.
pub(crate) fn cast_fits(context: &Context, op: CastOp, from: Type, to: Type) -> bool {
    let (source, target) = (context.scalar(from), context.scalar(to));
    let (narrow, wide) = (context.bit_size(source), context.bit_size(target));
    let fits = match op {
        CastOp::Trunc => source.is_int() && target.is_int() && narrow > wide,
        CastOp::ZExt | CastOp::SExt => source.is_int() && target.is_int() && narrow < wide,
        CastOp::FPTrunc => source.is_float() && target.is_float() && narrow > wide,
        CastOp::FPExt => source.is_float() && target.is_float() && narrow < wide,
        CastOp::FPToUI | CastOp::FPToSI => source.is_float() && target.is_int(),
        CastOp::UIToFP | CastOp::SIToFP => source.is_int() && target.is_float(),
        CastOp::PtrToInt => source.is_pointer() && target.is_int(),
        CastOp::IntToPtr => source.is_int() && target.is_pointer(),
        CastOp::AddrSpaceCast => source.is_pointer() && target.is_pointer() && source != target,
        CastOp::BitCast => {
            // Lanes may differ as long as all bits are there; addresses stay addresses of their space.
            let value = |ty: Type| ty.is_int() || ty.is_float() || ty.is_vector();
            let same_pointers = source.is_pointer() && source == target && context.lanes(from) == context.lanes(to);
            let bits = value(from) && value(to) && !source.is_pointer() && !target.is_pointer();
            return same_pointers || bits && context.bit_size(from) == context.bit_size(to);
        }
    };
    fits && context.lanes(from) == context.lanes(to)
}
