//! Expressions: values of scalars, places of objects, conditions.

use warpsmith_ir as ir;

use super::conversion::program_is_signed;
use super::function::{Bound, FunctionGenerator, GREATEST_DEPTH};
use super::place::Place;
use crate::hir::{BinaryOperator, BindingId, ExpressionId, ExpressionKind, Type, TypeId, Types, UnaryOperator};

impl FunctionGenerator<'_, '_> {
    /// A full expression for its effects; its temporaries die.
    pub(super) fn full_effects(&mut self, id: ExpressionId) {
        let depth = self.cleanups.len();
        self.effects(id);
        self.pop_cleanups(depth);
    }

    /// A full expression that is a scalar.
    pub(super) fn full_value(&mut self, id: ExpressionId) -> ir::Value {
        let depth = self.cleanups.len();
        let value = self.value(id);
        self.pop_cleanups(depth);
        value
    }

    /// An expression for its effects.
    pub(super) fn effects(&mut self, id: ExpressionId) {
        let program = self.program;
        let expression = program.expression(id);
        if expression.category.is_glvalue() {
            // A volatile object is not read by being named ([expr.context]/2 asks for that of some expressions; they are converted already).
            if !matches!(
                expression.kind,
                ExpressionKind::Variable(_) | ExpressionKind::Function(_) | ExpressionKind::String(_)
            ) {
                self.place(id);
            }
            return;
        }
        if matches!(program.types.get(expression.ty.id), Type::Void) || self.generator.is_scalar(expression.ty.id) {
            self.value(id);
            return;
        }
        let place = self.allocate(expression.ty.id, "ignored");
        self.initialise(id, place);
    }

    /// A `bool`.
    pub(super) fn truth(&mut self, id: ExpressionId) -> ir::Value {
        self.value(id)
    }

    /// Goes to one of two blocks.
    pub(super) fn condition(&mut self, id: ExpressionId, yes: ir::BlockId, no: ir::BlockId) {
        match self.program.expression(id).kind {
            ExpressionKind::LogicalAnd(left, right) => {
                let (before, middle) = (self.block, self.new_block("and"));
                self.condition(left, middle, no);
                self.enter(middle);
                self.conditionally(before, |generator| generator.condition(right, yes, no));
            }
            ExpressionKind::LogicalOr(left, right) => {
                let (before, middle) = (self.block, self.new_block("or"));
                self.condition(left, yes, middle);
                self.enter(middle);
                self.conditionally(before, |generator| generator.condition(right, yes, no));
            }
            ExpressionKind::Unary(UnaryOperator::Not, operand) => self.condition(operand, no, yes),
            _ => {
                let value = self.truth(id);
                if !self.is_terminated() {
                    self.build().conditional_branch(value, yes, no);
                }
            }
        }
    }

    /// A full expression that is a condition.
    pub(super) fn full_condition(&mut self, id: ExpressionId, yes: ir::BlockId, no: ir::BlockId) {
        if self.may_leave_temporaries(id) {
            let value = self.full_value(id);
            if !self.is_terminated() {
                self.build().conditional_branch(value, yes, no);
            }
            return;
        }
        self.condition(id, yes, no);
    }

    /// Whether the operands of `&&`, `||` and `!` at the top of a condition can have temporaries with destructors. Errs to yes.
    pub(super) fn may_leave_temporaries(&self, id: ExpressionId) -> bool {
        match self.program.expression(id).kind {
            ExpressionKind::LogicalAnd(left, right) | ExpressionKind::LogicalOr(left, right) => {
                self.may_leave_temporaries(left) || self.may_leave_temporaries(right)
            }
            ExpressionKind::Unary(_, operand) | ExpressionKind::Cast(_, operand) => self.may_leave_temporaries(operand),
            ExpressionKind::Compare(_, left, right) | ExpressionKind::Binary(_, left, right) => {
                self.may_leave_temporaries(left) || self.may_leave_temporaries(right)
            }
            ExpressionKind::Constant(_) | ExpressionKind::Variable(_) | ExpressionKind::This => false,
            ExpressionKind::Member { object, .. } => self.may_leave_temporaries(object),
            ExpressionKind::Dereference(pointer) => self.may_leave_temporaries(pointer),
            ExpressionKind::PointerAdd { pointer, index, .. } => {
                self.may_leave_temporaries(pointer) || self.may_leave_temporaries(index)
            }
            _ => true,
        }
    }

    /// Makes something that runs only under a condition, which has just been branched on. The condition's computation started in the block `before`,
    /// through which every way to the end of the full expression leads: there the flags of temporaries start as false.
    pub(super) fn conditionally<R>(&mut self, before: ir::BlockId, make: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.conditional;
        self.conditional = outer.or(Some(before));
        let result = make(self);
        self.conditional = outer;
        result
    }

    pub(super) fn too_deep(&mut self) -> bool {
        if self.depth < GREATEST_DEPTH {
            return false;
        }
        self.refuse("expressions are nested too deeply");
        true
    }

    /// The value of a prvalue of scalar type; of `void`, nothing that may be used.
    pub(super) fn value(&mut self, id: ExpressionId) -> ir::Value {
        self.depth += 1;
        let outer = self.location;
        let value = if self.too_deep() {
            let ty = self.program.type_of(id).id;
            self.undefined(ty)
        } else {
            let expression = self.program.expression(id);
            self.set_span(expression.span);
            if expression.ty.id == Types::FLOAT128 {
                self.refuse("values of `__float128` in device code are not supported");
            }
            self.scalar(id)
        };
        self.location = outer;
        self.depth -= 1;
        value
    }

    pub(super) fn undefined(&mut self, ty: TypeId) -> ir::Value {
        let ty = match self.generator.value_type(ty) {
            ir::Type::Void => ir::Type::I8,
            other => other,
        };
        self.build().undef(ty)
    }

    pub(super) fn scalar(&mut self, id: ExpressionId) -> ir::Value {
        let program = self.program;
        let expression = program.expression(id);
        let ty = expression.ty.id;
        if expression.category.is_glvalue() {
            let place = self.place(id);
            return self.load(place, ty);
        }
        match &expression.kind {
            ExpressionKind::Constant(constant) => self.generator.value_constant(constant, ty).into(),
            ExpressionKind::This => match self.this {
                Some(this) => this,
                None => self.undefined(ty),
            },
            ExpressionKind::InitialisedObject(class) => {
                match self.aggregates.iter().rev().find(|(known, _)| known == class) {
                    Some((_, object)) => object.pointer,
                    None => self.undefined(ty),
                }
            }
            ExpressionKind::AddressOf(place) => self.place(*place).pointer,
            ExpressionKind::MemberPointerField(class, path) => {
                let offset = self.field_path_offset(*class, path);
                self.build().i64(offset as i64)
            }
            ExpressionKind::MemberPointerFunction(function) => {
                self.generator.member_function_constant(Some((*function, 0))).into()
            }
            ExpressionKind::Unary(operator, operand) => {
                let operand = self.value(*operand);
                let mut build = self.build();
                match operator {
                    UnaryOperator::Negate if build.context().scalar(build.type_of(operand)).is_float() => {
                        build.fneg(operand)
                    }
                    UnaryOperator::Negate if program_is_signed(program, ty) => {
                        let zero = build.zero(build.type_of(operand));
                        build.binary_with(ir::BinaryOp::Sub, ir::Flags::NO_SIGNED_WRAP, zero, operand)
                    }
                    UnaryOperator::Negate => build.neg(operand),
                    UnaryOperator::BitNot | UnaryOperator::Not => build.not(operand),
                }
            }
            ExpressionKind::Binary(..) => self.binary_chain(id),
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            } => {
                let pointer_type = program.type_of(*pointer).id;
                let signed = self.generator.is_signed(program.type_of(*index).id);
                let (pointer, index) = (self.value(*pointer), self.value(*index));
                self.pointer_add(pointer, pointer_type, index, signed, *subtract)
            }
            ExpressionKind::PointerDifference(left, right) => {
                let element = program
                    .types
                    .pointee(program.type_of(*left).id)
                    .map_or(1, |to| program.size_of(to.id))
                    .max(1);
                let (left, right) = (self.value(*left), self.value(*right));
                let mut build = self.build();
                let left = build.cast(ir::CastOp::PtrToInt, left, ir::Type::I64);
                let right = build.cast(ir::CastOp::PtrToInt, right, ir::Type::I64);
                let distance = build.sub(left, right);
                if element == 1 {
                    return distance;
                }
                let size = build.i64(element as i64);
                build.binary_with(ir::BinaryOp::SDiv, ir::Flags::EXACT, distance, size)
            }
            ExpressionKind::Compare(comparison, left, right) => {
                let operand_type = program.type_of(*left).id;
                let (left, right) = (self.value(*left), self.value(*right));
                self.set_span(expression.span);
                self.compare(*comparison, left, right, operand_type)
            }
            ExpressionKind::LogicalAnd(..) | ExpressionKind::LogicalOr(..) => self.short_circuit(id),
            ExpressionKind::Increment {
                place,
                decrement,
                prefix: false,
            } => self.increment(*place, *decrement).1,
            ExpressionKind::Cast(kind, operand) => self.cast(kind, *operand, expression.ty),
            ExpressionKind::Call { callee, arguments } => self.call(callee, arguments, id, None),
            ExpressionKind::Builtin { builtin, arguments } => self.builtin(*builtin, arguments, ty),
            ExpressionKind::Comma(first, second) => {
                self.effects(*first);
                self.value(*second)
            }
            ExpressionKind::Conditional { condition, yes, no } => self.conditional_value(*condition, *yes, *no, ty),
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value);
                self.value(*body)
            }
            ExpressionKind::Bound(binding) => match self.bindings.get(binding) {
                Some(Bound::Value(value)) => *value,
                Some(Bound::Place(place)) => {
                    let place = *place;
                    self.load(place, ty)
                }
                None => self.undefined(ty),
            },
            ExpressionKind::ArrayIndex => match self.array_indices.last() {
                Some(&index) => index,
                None => self.build().i64(0),
            },
            ExpressionKind::Zero => self.zero_value(ty),
            ExpressionKind::Uninitialised => self.undefined(ty),
            ExpressionKind::Error => {
                self.refuse_unknown();
                self.undefined(ty)
            }
            ExpressionKind::StatementExpression { body, value } => {
                let depth = self.enter_block(*body);
                let result = match value {
                    Some(value) if !matches!(program.types.get(ty), Type::Void) => Some(self.full_value(*value)),
                    Some(value) => {
                        self.full_effects(*value);
                        None
                    }
                    None => None,
                };
                self.leave_block(depth);
                match result {
                    Some(result) => result,
                    None => self.undefined(ty),
                }
            }
            ExpressionKind::VectorElement { vector, index } => {
                let (vector, index) = (self.value(*vector), self.value(*index));
                self.build().extract_element(vector, index)
            }
            ExpressionKind::Array { elements, filler } => self.vector_value(elements, *filler, ty),
            ExpressionKind::New { .. } => self.new_expression(id),
            ExpressionKind::Delete { .. } => {
                self.delete_expression(id);
                self.undefined(ty)
            }
            ExpressionKind::Destroy {
                object,
                destructor,
                is_virtual,
            } => {
                let object_type = program.type_of(*object).id;
                let place = self.place(*object);
                match destructor {
                    Some(destructor) if *is_virtual => self.call_virtual_destructor(place.pointer, *destructor, false),
                    Some(destructor) => self.destroy(place.pointer, object_type, *destructor),
                    None => {}
                }
                self.undefined(ty)
            }
            ExpressionKind::IsConstantEvaluated => self.build().bool(false),
            ExpressionKind::Launch { call, configuration } => {
                self.launch(*call, configuration);
                self.undefined(ty)
            }
            ExpressionKind::Unsupported(what) => {
                self.refuse(format!("{what} is not supported in device code"));
                self.undefined(ty)
            }
            ExpressionKind::VariableArgument(list) => {
                let place = self.next_argument(*list, ty);
                self.load(place, ty)
            }
            ExpressionKind::String(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Function(_)
            | ExpressionKind::Member { .. }
            | ExpressionKind::MemberPointerAccess { .. }
            | ExpressionKind::Dereference(_)
            | ExpressionKind::Assign { .. }
            | ExpressionKind::CompoundAssign { .. }
            | ExpressionKind::Increment { .. }
            | ExpressionKind::Materialise { .. } => {
                let place = self.place(id);
                self.load(place, ty)
            }
            ExpressionKind::Construct { .. }
            | ExpressionKind::Aggregate { .. }
            | ExpressionKind::ArrayLoop { .. }
            | ExpressionKind::StringArray(_) => {
                let place = self.allocate(ty, "object");
                self.initialise(id, place);
                place.pointer
            }
        }
    }

    /// Operators whose left operands are operators: long sums nest deeply, so that they are gone through in a loop.
    pub(super) fn binary_chain(&mut self, id: ExpressionId) -> ir::Value {
        let program = self.program;
        let mut chain = Vec::new();
        let mut first = id;
        while let ExpressionKind::Binary(operator, left, right) = program.expression(first).kind {
            chain.push((operator, right, first));
            first = left;
        }
        let mut value = self.value(first);
        for (operator, right, whole) in chain.into_iter().rev() {
            let right = self.value(right);
            let expression = program.expression(whole);
            self.set_span(expression.span);
            value = self.arithmetic(operator, value, right, expression.ty.id);
        }
        value
    }

    pub(super) fn vector_value(
        &mut self,
        elements: &[ExpressionId],
        filler: Option<ExpressionId>,
        ty: TypeId,
    ) -> ir::Value {
        let vector = self.generator.value_type(ty);
        let count = self.generator.context.element_count(vector).unwrap_or(0);
        let mut whole = self.build().undef(vector);
        for place in 0..count {
            let Some(element) = elements.get(place as usize).copied().or(filler) else {
                break;
            };
            let value = self.value(element);
            let mut build = self.build();
            let index = build.i32(place as i32);
            whole = build.insert_element(whole, value, index);
        }
        whole
    }

    pub(super) fn bind(&mut self, binding: BindingId, value: ExpressionId) {
        let bound = match self.program.expression(value).category.is_glvalue() {
            true => Bound::Place(self.place(value)),
            false => Bound::Value(self.value(value)),
        };
        self.bindings.insert(binding, bound);
    }

    pub(super) fn short_circuit(&mut self, id: ExpressionId) -> ir::Value {
        let (yes, no, after) = (
            self.new_block("true"),
            self.new_block("false"),
            self.new_block("logical"),
        );
        self.condition(id, yes, no);
        self.enter(yes);
        self.branch(after);
        self.enter(no);
        self.branch(after);
        self.enter(after);
        let mut build = self.build();
        let (truth, lie) = (build.bool(true), build.bool(false));
        build.phi(ir::Type::BOOL, &[(yes, truth), (no, lie)])
    }

    pub(super) fn conditional_value(
        &mut self,
        condition: ExpressionId,
        yes: ExpressionId,
        no: ExpressionId,
        ty: TypeId,
    ) -> ir::Value {
        let (on_yes, on_no, after) = (self.new_block("yes"), self.new_block("no"), self.new_block("chosen"));
        let before = self.block;
        self.condition(condition, on_yes, on_no);
        let is_void = matches!(self.program.types.get(ty), Type::Void);
        let mut incoming = Vec::new();
        for (block, operand) in [(on_yes, yes), (on_no, no)] {
            self.enter(block);
            let value = self.conditionally(before, |generator| {
                if is_void {
                    generator.effects(operand);
                    None
                } else {
                    Some(generator.value(operand))
                }
            });
            if !self.is_terminated() {
                if let Some(value) = value {
                    incoming.push((self.block, value));
                }
                self.branch(after);
            }
        }
        self.enter(after);
        if is_void || incoming.is_empty() {
            return self.undefined(ty);
        }
        let value_type = self.body.type_of(incoming[0].1);
        self.build().phi(value_type, &incoming)
    }

    pub(super) fn compound_assign(
        &mut self,
        operator: BinaryOperator,
        place: ExpressionId,
        value: ExpressionId,
        computation: TypeId,
    ) -> Place {
        let program = self.program;
        let ty = program.type_of(place).id;
        let value_type = program.type_of(value).id;
        let right = self.value(value);
        let to = self.place(place);
        let old = self.load(to, ty);
        let new = if matches!(program.types.get(ty), Type::Pointer(_)) {
            let signed = self.generator.is_signed(value_type);
            self.pointer_add(old, ty, right, signed, operator == BinaryOperator::Subtract)
        } else {
            let left = self.convert(old, ty, computation);
            let result = self.arithmetic(operator, left, right, computation);
            self.convert(result, computation, ty)
        };
        self.store(to, new, ty);
        to
    }

    pub(super) fn increment(&mut self, place: ExpressionId, decrement: bool) -> (Place, ir::Value) {
        let program = self.program;
        let ty = program.type_of(place).id;
        let to = self.place(place);
        let old = self.load(to, ty);
        let value_type = self.generator.value_type(ty);
        let signed = self.generator.is_signed(ty);
        let new = if matches!(program.types.get(ty), Type::Pointer(_)) {
            let one = self.build().i64(1);
            self.pointer_add(old, ty, one, true, decrement)
        } else if value_type == ir::Type::BOOL {
            self.build().bool(!decrement)
        } else if value_type.is_float() {
            let bits = crate::hir::convert_scalar(program, &crate::hir::Constant::Integer(1), Types::INT, ty);
            let one = match bits {
                Some(crate::hir::Constant::Float(bits)) => self.build().float(value_type, bits),
                _ => self.undefined(ty),
            };
            let mut build = self.build();
            if decrement {
                build.fsub(old, one)
            } else {
                build.fadd(old, one)
            }
        } else {
            let mut build = self.build();
            let one = build.int(value_type.int_bits().unwrap_or(32), 1);
            let op = if decrement {
                ir::BinaryOp::Sub
            } else {
                ir::BinaryOp::Add
            };
            // Narrow types are computed in 'int', where nothing overflows, and cut.
            let flags = match signed && value_type.int_bits() >= Some(32) {
                true => ir::Flags::NO_SIGNED_WRAP,
                false => ir::Flags::NONE,
            };
            build.binary_with(op, flags, old, one)
        };
        self.store(to, new, ty);
        (to, old)
    }
}
