//! Calls of `__nv_atomic_…`: the types of operands from what the first points to, memory orders and the scope as constants.

use crate::hir::{BuiltinId, Constant, ExpressionId, ExpressionKind, QualifiedType, TypeId, Types};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{integer_kind, is_arithmetic_or_unscoped};
use crate::sema::expression::Operand;
use crate::source::Span;

use super::{Ordered, OrderedOperation, Update, row};

/// What is given behind the pointer to the atomic object.
#[derive(Clone, Copy)]
enum Given {
    /// A pointer to another such object.
    Pointer,
    /// A value of its type.
    Value,
    /// Whether a compare-and-swap may fail without reason.
    Weak,
}

impl Ordered {
    /// What is given besides the object, the orders and the scope.
    fn given(self) -> &'static [Given] {
        match (self.operation, self.by_pointer) {
            (OrderedOperation::Fence, _) | (OrderedOperation::Load, false) => &[],
            (OrderedOperation::Load | OrderedOperation::Store, true) => &[Given::Pointer],
            (OrderedOperation::Exchange, true) => &[Given::Pointer, Given::Pointer],
            (OrderedOperation::Store | OrderedOperation::Exchange | OrderedOperation::Update(_), _) => &[Given::Value],
            (OrderedOperation::CompareExchange, true) => &[Given::Pointer, Given::Pointer, Given::Weak],
            (OrderedOperation::CompareExchange, false) => &[Given::Pointer, Given::Value, Given::Weak],
        }
    }

    /// How many memory orders there are: of a compare-and-swap one for either outcome.
    fn orders(self) -> usize {
        match self.operation {
            OrderedOperation::CompareExchange => 2,
            _ => 1,
        }
    }

    /// What of it has an order that cannot be.
    fn refused_order(self, order: i128) -> Option<&'static str> {
        // Relaxed, consume, acquire, release, both, and one order for all.
        match (self.operation, order) {
            (OrderedOperation::Load, 3 | 4) => Some("a load cannot release"),
            (OrderedOperation::Store, 1 | 2 | 4) => Some("a store cannot acquire"),
            (_, 0..=5) => None,
            _ => Some("a memory order is one of `__NV_ATOMIC_RELAXED` to `__NV_ATOMIC_SEQ_CST`"),
        }
    }
}

impl<'a> Sema<'a> {
    /// A call of an atomic function of any type.
    pub(super) fn call_ordered(
        &mut self,
        builtin: BuiltinId,
        ordered: Ordered,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        let given = ordered.given();
        let before = given.len() + usize::from(ordered.operation != OrderedOperation::Fence);
        let least = before + ordered.orders();
        if operands.len() != least && operands.len() != least + 1 {
            return self.wrong_count(builtin, least + 1, operands.len(), span);
        }
        let values: Vec<ExpressionId> = operands.iter().map(|operand| self.settle(operand)).collect();
        if values.iter().any(|&value| self.is_poisoned(value)) {
            return self.poison(span);
        }
        let mut arguments = Vec::with_capacity(least + 1);
        let mut result = Types::VOID.unqualified();
        if before > 0 {
            let pointer = self.decay(values[0]);
            let Some(object) = self.atomic_object(builtin, ordered, pointer, span) else {
                return self.poison(span);
            };
            arguments.push(pointer);
            for (&given, &value) in given.iter().zip(&values[1..]) {
                let to: TypeId = match given {
                    Given::Pointer => self.program.types.pointer(object.unqualified()),
                    Given::Value => object.id,
                    Given::Weak => Types::BOOL,
                };
                arguments.push(self.convert_expression(value, to, "an operand of an atomic function"));
            }
            result = match ordered.operation {
                OrderedOperation::CompareExchange => Types::BOOL.unqualified(),
                OrderedOperation::Store | OrderedOperation::Fence => result,
                _ if ordered.by_pointer => result,
                _ => object.unqualified(),
            };
        }
        arguments.extend(&values[before..]);
        self.finish_ordered(builtin, ordered, arguments, result, span)
    }

    /// The call with its orders and its scope as constants; without a scope it is the whole system's.
    pub(super) fn finish_ordered(
        &mut self,
        builtin: BuiltinId,
        ordered: Ordered,
        mut arguments: Vec<ExpressionId>,
        result: QualifiedType,
        span: Span,
    ) -> ExpressionId {
        const SYSTEM: i128 = 4;
        let first = ordered.given().len() + usize::from(ordered.operation != OrderedOperation::Fence);
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) {
            return self.poison(span);
        }
        for (place, argument) in arguments.iter_mut().enumerate().skip(first) {
            let value = self.decay(*argument);
            let Some(Constant::Integer(value)) = self.try_evaluate(value) else {
                let message = format!("`{}` takes memory orders and scope as constants", row(builtin).name);
                return self.fail(span, message);
            };
            let wrong = match place - first < ordered.orders() {
                true => ordered.refused_order(value),
                false if (0..=SYSTEM).contains(&value) => None,
                false => Some("a scope is one of `__NV_THREAD_SCOPE_THREAD` to `__NV_THREAD_SCOPE_SYSTEM`"),
            };
            if let Some(wrong) = wrong {
                return self.fail(span, format!("`{}`: {wrong}", row(builtin).name));
            }
            *argument = self.integer(value, Types::INT, span);
        }
        if arguments.len() == first + ordered.orders() {
            arguments.push(self.integer(SYSTEM, Types::INT, span));
        }
        self.value(ExpressionKind::Builtin { builtin, arguments }, result, span)
    }

    /// The type of the atomic object that a pointer points to, if the operation can be done on such.
    fn atomic_object(
        &mut self,
        builtin: BuiltinId,
        ordered: Ordered,
        pointer: ExpressionId,
        span: Span,
    ) -> Option<QualifiedType> {
        let name = row(builtin).name;
        let Some(object) = self.program.types.pointee(self.type_of(pointer).id) else {
            self.fail(span, format!("`{name}` takes a pointer to the atomic object first"));
            return None;
        };
        if !self.require_complete(object.id, span, "an atomic object") {
            return None;
        }
        let size = self.program.size_of(object.id);
        let is_number = match ordered.operation {
            OrderedOperation::Update(Update::And | Update::Or | Update::Xor) => {
                integer_kind(&self.program, object.id).is_some()
            }
            OrderedOperation::Update(_) => is_arithmetic_or_unscoped(&self.program, object.id),
            _ => ordered.by_pointer || self.program.types.is_scalar(object.id),
        };
        let sizes: &[u64] = match ordered.operation {
            OrderedOperation::Update(_) => &[1, 2, 4, 8],
            _ => &[1, 2, 4, 8, 16],
        };
        let writes = ordered.operation != OrderedOperation::Load;
        let wrong = match () {
            () if writes && object.is_const() => "cannot change a constant object",
            () if !is_number => "is not for an object of this type",
            () if !sizes.contains(&size) => "is not for an object of this size",
            () => return Some(object),
        };
        let shown = self.quote(object.id);
        self.fail(span, format!("`{name}` {wrong}: {shown}"));
        None
    }
}
