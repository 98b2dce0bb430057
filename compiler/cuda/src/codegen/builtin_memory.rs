//! Compiler builtins whose operands or results are in memory: matrix fragments, packed numbers, atomics of any size and order.

use warpsmith_ir as ir;

use super::builtin::scope_of;
use super::function::FunctionGenerator;
use crate::hir::{Constant, ExpressionId, Type, TypeId};
use crate::sema::builtins::{AtomicObject, AtomicScope, Fragments, Ordered, OrderedOperation, Update};

impl FunctionGenerator<'_, '_> {
    /// The integer that an argument is, if it is a constant.
    fn constant_argument(&self, argument: ExpressionId) -> Option<i128> {
        match crate::hir::evaluate(self.program, argument, &crate::hir::Limits::default()) {
            Ok(Constant::Integer(value)) => Some(value),
            _ => None,
        }
    }

    /// The name of an intrinsic with the alternatives that arguments choose; `chosen` gets the numbers of those.
    fn intrinsic_name(
        &mut self,
        template: &str,
        arguments: &[ExpressionId],
        chosen: &mut Vec<usize>,
    ) -> Result<String, String> {
        let mut name = String::new();
        let mut rest = template;
        while let Some((before, hole)) = rest.split_once('{') {
            let (hole, after) = hole.split_once('}').unwrap_or((hole, ""));
            let (parameter, texts) = hole.split_once(':').unwrap_or((hole, ""));
            let number: usize = parameter.parse().unwrap_or(0);
            let texts: Vec<&str> = texts.split('|').collect();
            let value = arguments
                .get(number)
                .and_then(|&argument| self.constant_argument(argument));
            let text = match texts.len() {
                1 => texts.first(),
                _ => value.and_then(|value| texts.get(usize::try_from(value).ok()?)),
            };
            let Some(text) = text else {
                let most = texts.len() - 1;
                return Err(format!("argument {} must be a constant from 0 to {most}", number + 1));
            };
            chosen.push(number);
            name.push_str(before);
            name.push_str(text);
            rest = after;
        }
        name.push_str(rest);
        Ok(name)
    }

    /// A call of an intrinsic with what pointers point to.
    pub(super) fn fragments(
        &mut self,
        fragments: Fragments,
        name: &str,
        arguments: &[ExpressionId],
        ty: TypeId,
    ) -> ir::Value {
        let mut chosen = Vec::new();
        let intrinsic = match self.intrinsic_name(fragments.intrinsic, arguments, &mut chosen) {
            Ok(intrinsic) => intrinsic,
            Err(wrong) => {
                self.refuse(format!("`{name}`: {wrong}"));
                return self.undefined(ty);
            }
        };
        let skipped = usize::from(fragments.results > 0);
        let mut values = Vec::new();
        for (&count, (number, &argument)) in fragments
            .operands
            .iter()
            .zip(arguments.iter().enumerate().skip(skipped))
        {
            let value = self.value(argument);
            match count {
                0 if chosen.contains(&number) => {}
                0 => values.push(value),
                _ => {
                    let element = self.element_of(argument);
                    values.extend(self.load_elements(value, element, count));
                }
            }
        }
        if fragments.results == 0 {
            self.intrinsic_call(&intrinsic, ir::Type::Void, &values);
            return self.undefined(ty);
        }
        let element = self.element_of(arguments[0]);
        let to = self.value(arguments[0]);
        let count = u32::from(fragments.results);
        if count == 1 {
            let result = self.intrinsic_call(&intrinsic, element, &values);
            self.build().store(result, to);
            return self.undefined(ty);
        }
        let structure = self.generator.context.structure(&vec![element; count as usize], false);
        let result = self.intrinsic_call(&intrinsic, structure, &values);
        for index in 0..count {
            let mut build = self.build();
            let value = build.extract_value(result, &[index]);
            let place = build.i64(i64::from(index));
            let place = build.gep(element, to, &[place]);
            build.store(value, place);
        }
        self.undefined(ty)
    }

    /// The type of the elements that a pointer points to; behind `void *` are words of 64 bits.
    fn element_of(&mut self, pointer: ExpressionId) -> ir::Type {
        let pointee = self.program.types.pointee(self.program.type_of(pointer).id);
        match pointee.map(|pointee| (pointee.id, self.program.types.get(pointee.id))) {
            None | Some((_, Type::Void)) => ir::Type::I64,
            Some((id, _)) => self.generator.memory_type(id),
        }
    }

    fn load_elements(&mut self, pointer: ir::Value, element: ir::Type, count: u8) -> Vec<ir::Value> {
        let mut build = self.build();
        let mut load = |index| {
            let place = build.i64(i64::from(index));
            let place = build.gep(element, pointer, &[place]);
            build.load(element, place)
        };
        (0..count).map(&mut load).collect()
    }

    /// The values of special registers, to one pointer each.
    pub(super) fn registers_to_memory(
        &mut self,
        registers: [&str; 3],
        arguments: &[ExpressionId],
        ty: TypeId,
    ) -> ir::Value {
        let pointers = self.argument_values(arguments);
        for (register, pointer) in registers.into_iter().zip(pointers) {
            let value = self.intrinsic_call(register, ir::Type::I32, &[]);
            self.build().store(value, pointer);
        }
        self.undefined(ty)
    }

    /// An atomic operation on an object that is no scalar: the pointer, pointers to the operands, and one to where the old value goes.
    pub(super) fn atomic_object(
        &mut self,
        operation: AtomicObject,
        scope: AtomicScope,
        arguments: &[ExpressionId],
        ty: TypeId,
    ) -> ir::Value {
        let values = self.argument_values(arguments);
        let atomic = ir::Atomic {
            ordering: ir::Ordering::Monotonic,
            scope: scope_of(scope),
        };
        let context = &self.generator.context;
        let object = match operation {
            AtomicObject::AddFloats(count) => context.vector(ir::Type::Float, u64::from(count)),
            AtomicObject::Exchange | AtomicObject::CompareExchange => ir::Type::I128,
        };
        let mut build = self.build();
        let (old, to) = match (operation, &values[..]) {
            (AtomicObject::AddFloats(_), &[pointer, operand, to]) => {
                // No other memory has this operation.
                let pointer = build.address_space_cast(pointer, ir::AddressSpace::GLOBAL);
                let operand = build.load_with(object, operand, ir::Access::aligned(4));
                (build.atomic_rmw(ir::AtomicOp::FAdd, pointer, operand, atomic), to)
            }
            (AtomicObject::Exchange, &[pointer, operand, to]) => {
                let operand = build.load(object, operand);
                (build.atomic_rmw(ir::AtomicOp::Exchange, pointer, operand, atomic), to)
            }
            (AtomicObject::CompareExchange, &[pointer, expected, desired, to]) => {
                let expected = build.load(object, expected);
                let desired = build.load(object, desired);
                let both = build.compare_exchange(pointer, expected, desired, atomic, ir::Ordering::Monotonic);
                (build.extract_value(both, &[0]), to)
            }
            _ => return self.undefined(ty),
        };
        let access = match operation {
            AtomicObject::AddFloats(_) => ir::Access::aligned(4),
            AtomicObject::Exchange | AtomicObject::CompareExchange => ir::Access::aligned(16),
        };
        build.store_with(old, to, access);
        self.undefined(ty)
    }

    /// An atomic operation with memory orders and a scope, which are its last arguments: constants, as sema has seen to.
    pub(super) fn ordered_atomic(&mut self, ordered: Ordered, arguments: &[ExpressionId], ty: TypeId) -> ir::Value {
        let constants: Vec<i128> = arguments
            .iter()
            .map(|&argument| self.constant_argument(argument).unwrap_or_default())
            .collect();
        let (success, failure, scope, given) = match (ordered.operation, &constants[..]) {
            (OrderedOperation::CompareExchange, &[.., success, failure, scope]) => {
                (success, failure, scope, arguments.len() - 3)
            }
            (_, &[.., order, scope]) => (order, order, scope, arguments.len() - 2),
            _ => return self.undefined(ty),
        };
        let atomic = ir::Atomic {
            ordering: ordering(success),
            scope: thread_scope(scope),
        };
        let arguments = &arguments[..given];
        let values = self.argument_values(arguments);
        if ordered.operation == OrderedOperation::Fence {
            let ordering = match atomic.ordering {
                ir::Ordering::AcquireRelease => ir::Ordering::AcquireRelease,
                // nvcc makes no weaker one of the others.
                _ => ir::Ordering::SequentiallyConsistent,
            };
            self.build().fence(ir::Atomic { ordering, ..atomic });
            return self.undefined(ty);
        }
        let object = self.ordered_object(ordered, arguments, ty);
        let size = self.program.size_of(object);
        let bits = ir::Type::Int(size as u32 * 8);
        let plain = ir::Access::aligned(self.program.align_of(object) as u32);
        let access = ir::Access {
            atomic: Some(atomic),
            ..ir::Access::aligned(size as u32)
        };
        match (ordered.operation, &values[..]) {
            (OrderedOperation::Load, &[pointer, ref to @ ..]) => {
                let value = self.build().load_with(bits, pointer, access);
                self.ordered_result(value, to.first().copied(), plain, ty)
            }
            (OrderedOperation::Store, &[pointer, operand]) => {
                let value = self.ordered_operand(ordered, operand, bits, plain);
                self.build().store_with(value, pointer, access);
                self.undefined(ty)
            }
            (OrderedOperation::Exchange, &[pointer, operand, ref to @ ..]) => {
                let value = self.ordered_operand(ordered, operand, bits, plain);
                let old = self.exchange(pointer, value, atomic);
                self.ordered_result(old, to.first().copied(), plain, ty)
            }
            (OrderedOperation::CompareExchange, &[pointer, expected, desired, _]) => {
                let desired = self.ordered_operand(ordered, desired, bits, plain);
                let mut build = self.build();
                let wanted = build.load_with(bits, expected, plain);
                let both = build.compare_exchange(pointer, wanted, desired, atomic, after_failure(failure));
                let old = build.extract_value(both, &[0]);
                // What was found, where it is what was expected, too.
                build.store_with(old, expected, plain);
                build.extract_value(both, &[1])
            }
            (OrderedOperation::Update(update), &[pointer, operand]) => {
                let operation = self.update_operation(update, object);
                self.build().atomic_rmw(operation, pointer, operand, atomic)
            }
            _ => self.undefined(ty),
        }
    }

    /// The type of the atomic object.
    fn ordered_object(&self, ordered: Ordered, arguments: &[ExpressionId], ty: TypeId) -> TypeId {
        let type_of = |place: usize| arguments.get(place).map(|&argument| self.program.type_of(argument).id);
        let behind = type_of(0).and_then(|pointer| self.program.types.pointee(pointer));
        let object = match ordered.operation {
            _ if ordered.by_pointer => behind.map(|object| object.id),
            OrderedOperation::CompareExchange => type_of(2),
            OrderedOperation::Load | OrderedOperation::Fence => None,
            OrderedOperation::Store | OrderedOperation::Exchange | OrderedOperation::Update(_) => type_of(1),
        };
        object.unwrap_or(ty)
    }

    /// The bits of an operand, which may be behind a pointer.
    fn ordered_operand(
        &mut self,
        ordered: Ordered,
        operand: ir::Value,
        bits: ir::Type,
        access: ir::Access,
    ) -> ir::Value {
        match ordered.by_pointer {
            true => self.build().load_with(bits, operand, access),
            false => self.bits_as(operand, bits),
        }
    }

    /// A result of some bits, stored if there is a pointer for it.
    fn ordered_result(&mut self, value: ir::Value, to: Option<ir::Value>, access: ir::Access, ty: TypeId) -> ir::Value {
        match to {
            Some(to) => {
                self.build().store_with(value, to, access);
                self.undefined(ty)
            }
            None => {
                let result = self.generator.value_type(ty);
                self.bits_as(value, result)
            }
        }
    }

    fn exchange(&mut self, pointer: ir::Value, value: ir::Value, atomic: ir::Atomic) -> ir::Value {
        self.build().atomic_rmw(ir::AtomicOp::Exchange, pointer, value, atomic)
    }

    fn update_operation(&self, update: Update, object: TypeId) -> ir::AtomicOp {
        let ty = self.program.types.get(object);
        let (float, signed) = match ty {
            Type::Float(_) => (true, true),
            Type::Integer(kind) => (false, kind.is_signed()),
            _ => (false, false),
        };
        match update {
            Update::Add if float => ir::AtomicOp::FAdd,
            Update::Add => ir::AtomicOp::Add,
            Update::Subtract if float => ir::AtomicOp::FSub,
            Update::Subtract => ir::AtomicOp::Sub,
            Update::And => ir::AtomicOp::And,
            Update::Or => ir::AtomicOp::Or,
            Update::Xor => ir::AtomicOp::Xor,
            Update::Minimum if float => ir::AtomicOp::FMin,
            Update::Minimum if signed => ir::AtomicOp::Min,
            Update::Minimum => ir::AtomicOp::UMin,
            Update::Maximum if float => ir::AtomicOp::FMax,
            Update::Maximum if signed => ir::AtomicOp::Max,
            Update::Maximum => ir::AtomicOp::UMax,
        }
    }
}

/// The order of a memory order's number; to consume is to acquire.
fn ordering(order: i128) -> ir::Ordering {
    match order {
        0 => ir::Ordering::Monotonic,
        1 | 2 => ir::Ordering::Acquire,
        3 => ir::Ordering::Release,
        4 => ir::Ordering::AcquireRelease,
        _ => ir::Ordering::SequentiallyConsistent,
    }
}

/// The order of a compare-and-swap that has failed, and so stores nothing.
fn after_failure(order: i128) -> ir::Ordering {
    match ordering(order) {
        ir::Ordering::Release => ir::Ordering::Monotonic,
        ir::Ordering::AcquireRelease => ir::Ordering::Acquire,
        other => other,
    }
}

/// The scope of a thread scope's number; a thread's own is its block's, as PTX has none narrower.
fn thread_scope(scope: i128) -> ir::Scope {
    match scope {
        0 | 1 => ir::Scope::Block,
        2 => ir::Scope::Cluster,
        3 => ir::Scope::Device,
        _ => ir::Scope::System,
    }
}
