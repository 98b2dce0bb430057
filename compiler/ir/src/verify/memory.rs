//! Instructions that make or use addresses.

use super::{Checker, is_sized};
use crate::constant::Constant;
use crate::function::InstructionId;
use crate::instruction::{Access, Atomic, Instruction, Value};
use crate::opcode::{AtomicOp, Ordering};
use crate::types::{AddressSpace, Type};

impl Checker<'_> {
    pub(super) fn memory(&mut self, id: InstructionId, instruction: &Instruction, result: Type) {
        match instruction {
            Instruction::Alloca { ty, count, align } => {
                self.rule(id, is_sized(*ty), "an alloca is of a type that has a size");
                self.rule(id, self.ty(*count).is_int(), "the count of an alloca is an integer");
                self.aligned(id, *align);
                let spaces = [Type::POINTER, Type::Pointer(AddressSpace::LOCAL)];
                self.rule(
                    id,
                    spaces.contains(&result),
                    "memory of the frame is in the generic or local address space",
                );
            }
            Instruction::Load { pointer, access } => {
                self.rule(id, is_sized(result), "a load is of a type that has a size");
                self.access(id, *pointer, access, result);
                let order = access.atomic.map(|atomic| atomic.ordering);
                self.rule(
                    id,
                    !matches!(order, Some(Ordering::Release | Ordering::AcquireRelease)),
                    "a load does not release",
                );
            }
            Instruction::Store { pointer, value, access } => {
                self.rule(id, is_sized(self.ty(*value)), "a store is of a type that has a size");
                self.access(id, *pointer, access, self.ty(*value));
                let order = access.atomic.map(|atomic| atomic.ordering);
                self.rule(
                    id,
                    !matches!(order, Some(Ordering::Acquire | Ordering::AcquireRelease)),
                    "a store does not acquire",
                );
            }
            Instruction::Gep {
                source, base, indices, ..
            } => self.gep(id, *source, *base, indices, result),
            Instruction::AtomicRmw {
                op,
                pointer,
                value,
                atomic,
                align,
                ..
            } => self.atomic_rmw(id, *op, *pointer, *value, *atomic, *align, result),
            Instruction::CompareExchange {
                pointer,
                expected,
                new,
                atomic,
                failure,
                align,
                ..
            } => {
                let ty = self.ty(*new);
                self.rule(id, self.ty(*pointer).is_pointer(), "an access takes an address");
                self.rule(
                    id,
                    (ty.is_int() || ty.is_pointer()) && self.whole(ty),
                    "cmpxchg is on an integer of whole bytes or a pointer",
                );
                self.rule(
                    id,
                    self.ty(*expected) == ty,
                    "the expected and the new value have one type",
                );
                let expected = self.function.context().structure(&[ty, Type::BOOL], false);
                self.rule(
                    id,
                    result == expected,
                    "cmpxchg gives the old value and whether it was replaced",
                );
                let orders = *failure != Ordering::Unordered && atomic.ordering != Ordering::Unordered;
                let weak = !matches!(failure, Ordering::Release | Ordering::AcquireRelease);
                self.rule(
                    id,
                    orders && weak,
                    "cmpxchg is at least monotonic, and does not release where it fails",
                );
                self.aligned(id, *align);
            }
            Instruction::Fence(atomic) => {
                let orders = !matches!(atomic.ordering, Ordering::Unordered | Ordering::Monotonic);
                self.rule(id, orders, "a fence acquires, releases or both");
            }
            _ => {}
        }
    }

    fn aligned(&mut self, id: InstructionId, align: u32) {
        self.rule(id, align.is_power_of_two(), "an alignment is a power of two");
    }

    /// Whether a type is of 8, 16, 32 … bits.
    fn whole(&self, ty: Type) -> bool {
        let bits = self.function.context().bit_size(ty);
        bits >= 8 && bits.is_power_of_two()
    }

    fn access(&mut self, id: InstructionId, pointer: Value, access: &Access, ty: Type) {
        self.rule(id, self.ty(pointer).is_pointer(), "an access takes an address");
        self.aligned(id, access.align);
        if access.atomic.is_some() {
            let context = self.function.context();
            let scalar = context.scalar(ty);
            let fits = (scalar.is_int() || scalar.is_float() || scalar.is_pointer()) && self.whole(ty);
            self.rule(
                id,
                fits,
                "an atomic access is of an integer of whole bytes, a float or a pointer",
            );
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic_rmw(
        &mut self,
        id: InstructionId,
        op: AtomicOp,
        pointer: Value,
        value: Value,
        atomic: Atomic,
        align: u32,
        result: Type,
    ) {
        use AtomicOp as A;
        let ty = self.ty(value);
        let scalar = self.function.context().scalar(ty);
        self.rule(id, self.ty(pointer).is_pointer(), "an access takes an address");
        self.rule(id, ty == result, "atomicrmw gives a value of the type of its operand");
        let fits = match op {
            A::Exchange => scalar.is_int() || scalar.is_float() || scalar.is_pointer(),
            A::FAdd | A::FSub | A::FMax | A::FMin | A::FMaximum | A::FMinimum => scalar.is_float(),
            _ => ty.is_int(),
        };
        self.rule(
            id,
            fits && self.whole(ty),
            &format!("atomicrmw {op} is on a type that it computes with, of whole bytes"),
        );
        self.rule(
            id,
            atomic.ordering != Ordering::Unordered,
            "atomicrmw is at least monotonic",
        );
        self.aligned(id, align);
    }

    fn gep(&mut self, id: InstructionId, source: Type, base: Value, indices: &[Value], result: Type) {
        let context = self.function.context();
        self.rule(
            id,
            self.scalar(base).is_pointer(),
            "an address is computed from an address",
        );
        self.rule(
            id,
            is_sized(source),
            "an address is computed over a type that has a size",
        );
        self.rule(id, !indices.is_empty(), "an address computation has an index");
        self.rule(
            id,
            context.scalar(result) == self.scalar(base),
            "the result is an address in the space of the base",
        );
        let shapes = indices
            .iter()
            .copied()
            .chain([base])
            .filter_map(|value| context.lanes(self.ty(value)));
        let lanes: Vec<u64> = shapes.collect();
        let agree = lanes.iter().all(|&one| context.lanes(result) == Some(one))
            && lanes.is_empty() == context.lanes(result).is_none();
        self.rule(
            id,
            agree,
            "vectors of addresses and indices have as many lanes as the result",
        );
        self.rule(
            id,
            indices.iter().all(|&index| self.scalar(index).is_int()),
            "indices are integers",
        );
        let mut ty = source;
        for &index in indices.iter().skip(1) {
            let next = match ty {
                Type::Array(array) => Some(context.array_parts(array).element),
                Type::Vector(vector) => Some(context.vector_parts(vector).element),
                Type::Struct(_) => self.constant_index(index).and_then(|index| context.element(ty, index)),
                _ => None,
            };
            let Some(next) = next else {
                return self.wrong(
                    id,
                    "an index leads into an array or vector, or is the constant number of a field",
                );
            };
            ty = next;
        }
    }

    /// The number that an index is, also if it is so in all lanes.
    fn constant_index(&self, index: Value) -> Option<u64> {
        let context = self.function.context();
        let id = index.as_constant()?;
        let id = if self.ty(index).is_vector() {
            context.constant_element(id, 0)?
        } else {
            id
        };
        match context.constant(id) {
            // Fields are numbered by integers of 32 bits.
            Constant::Int(value) if value.bits() == 32 => value.to_u64(),
            _ => None,
        }
    }
}
