//! Expressions: values of scalars, places of objects, conditions.

use warpsmith_ir as ir;

use super::function::{Bound, FunctionGenerator, GREATEST_DEPTH};
use super::place::Place;
use crate::hir::{
    BinaryOperator, BindingId, CastKind, ClassId, Comparison, ExpressionId, ExpressionKind, FieldIndex, Lifetime,
    QualifiedType, StorageDuration, Type, TypeId, Types, UnaryOperator, VariableId, evaluate,
};

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
                let middle = self.new_block("and");
                self.condition(left, middle, no);
                self.enter(middle);
                self.conditionally(|generator| generator.condition(right, yes, no));
            }
            ExpressionKind::LogicalOr(left, right) => {
                let middle = self.new_block("or");
                self.condition(left, yes, middle);
                self.enter(middle);
                self.conditionally(|generator| generator.condition(right, yes, no));
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
    fn may_leave_temporaries(&self, id: ExpressionId) -> bool {
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

    /// Makes something that runs only under a condition, which has just been branched on.
    pub(super) fn conditionally<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.conditional;
        if outer.is_none() {
            // The block that ended with the branch: where the flags of temporaries start as false.
            self.conditional = self
                .body
                .previous_block(self.block)
                .filter(|&block| self.body.terminator(block).is_some());
        }
        let result = make(self);
        self.conditional = outer;
        result
    }

    fn too_deep(&mut self) -> bool {
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
            self.set_span(self.program.expression(id).span);
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

    fn scalar(&mut self, id: ExpressionId) -> ir::Value {
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
            ExpressionKind::Uninitialised | ExpressionKind::Error => self.undefined(ty),
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
    fn binary_chain(&mut self, id: ExpressionId) -> ir::Value {
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

    fn vector_value(&mut self, elements: &[ExpressionId], filler: Option<ExpressionId>, ty: TypeId) -> ir::Value {
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

    fn short_circuit(&mut self, id: ExpressionId) -> ir::Value {
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

    fn conditional_value(
        &mut self,
        condition: ExpressionId,
        yes: ExpressionId,
        no: ExpressionId,
        ty: TypeId,
    ) -> ir::Value {
        let (on_yes, on_no, after) = (self.new_block("yes"), self.new_block("no"), self.new_block("chosen"));
        self.condition(condition, on_yes, on_no);
        let is_void = matches!(self.program.types.get(ty), Type::Void);
        let mut incoming = Vec::new();
        for (block, operand) in [(on_yes, yes), (on_no, no)] {
            self.enter(block);
            let value = self.conditionally(|generator| {
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

    /// What a glvalue refers to.
    pub(super) fn place(&mut self, id: ExpressionId) -> Place {
        self.depth += 1;
        let outer = self.location;
        let place = if self.too_deep() {
            let pointer = self.undefined(Types::NULL_POINTER);
            Place::new(pointer, 1)
        } else {
            let expression = self.program.expression(id);
            self.set_span(expression.span);
            self.object(id).volatile(expression.ty.is_volatile())
        };
        self.location = outer;
        self.depth -= 1;
        place
    }

    fn object(&mut self, id: ExpressionId) -> Place {
        let program = self.program;
        let expression = program.expression(id);
        match &expression.kind {
            ExpressionKind::Variable(variable) => self.variable_place(*variable),
            ExpressionKind::String(string) => {
                let global = self.generator.string(*string);
                let address = self.generator.generic_address(global);
                Place::new(address.into(), program.size_of(program.string(*string).element) as u32)
            }
            ExpressionKind::Function(function) => Place::new(self.generator.function_address(*function).into(), 1),
            ExpressionKind::Member { object, field } => {
                let Some(class) = program.types.as_class(program.type_of(*object).id) else {
                    return self.no_place();
                };
                let object = self.place(*object);
                self.member(object, class, *field)
            }
            ExpressionKind::MemberPointerAccess { object, pointer } => {
                let place = self.place(*object);
                let offset = self.value(*pointer);
                let alignment = program.align_of(expression.ty.id) as u32;
                let pointer = self.build().byte_offset(place.pointer, offset);
                Place::new(pointer, alignment).volatile(place.is_volatile)
            }
            ExpressionKind::Dereference(pointer) => {
                let pointer = self.value(*pointer);
                Place::new(pointer, program.align_of(expression.ty.id) as u32)
            }
            ExpressionKind::Assign { place, value } => self.assign(*place, *value),
            ExpressionKind::CompoundAssign {
                operator,
                place,
                value,
                computation,
            } => self.compound_assign(*operator, *place, *value, *computation),
            ExpressionKind::Increment { place, decrement, .. } => self.increment(*place, *decrement).0,
            ExpressionKind::Cast(kind, operand) => self.cast_place(kind, *operand, expression.ty),
            ExpressionKind::Comma(first, second) => {
                self.effects(*first);
                self.place(*second)
            }
            ExpressionKind::Conditional { condition, yes, no } => self.conditional_place(*condition, *yes, *no),
            ExpressionKind::Let { binding, value, body } => {
                self.bind(*binding, *value);
                self.place(*body)
            }
            ExpressionKind::Bound(binding) => match self.bindings.get(binding) {
                Some(Bound::Place(place)) => *place,
                Some(Bound::Value(_)) | None => self.no_place(),
            },
            ExpressionKind::Call { callee, arguments } => {
                let pointer = self.call(callee, arguments, id, None);
                Place::new(pointer, program.align_of(expression.ty.id) as u32)
            }
            ExpressionKind::Builtin { builtin, arguments } => {
                let pointer = self.builtin(*builtin, arguments, expression.ty.id);
                Place::new(pointer, program.align_of(expression.ty.id) as u32)
            }
            ExpressionKind::Materialise {
                value,
                lifetime,
                destructor,
            } => self.materialise(*value, *lifetime, *destructor),
            ExpressionKind::VectorElement { vector, index } => {
                let vector_type = program.type_of(*vector).id;
                let place = self.place(*vector);
                let index = self.value(*index);
                let element = self.generator.value_type(vector_type);
                Place {
                    element: Some((index, element)),
                    ..place
                }
            }
            ExpressionKind::StatementExpression { body, value } => {
                let depth = self.enter_block(*body);
                let place = match value {
                    Some(value) => self.place(*value),
                    None => self.no_place(),
                };
                self.leave_block(depth);
                place
            }
            ExpressionKind::Unsupported(what) => {
                self.refuse(format!("{what} is not supported in device code"));
                self.no_place()
            }
            ExpressionKind::VariableArgument(list) => self.next_argument(*list, expression.ty.id),
            ExpressionKind::Error => self.no_place(),
            // A prvalue where an object is wanted gets one.
            _ => {
                let place = self.allocate(expression.ty.id, "temporary");
                self.initialise(id, place);
                place
            }
        }
    }

    fn no_place(&mut self) -> Place {
        let pointer = self.undefined(Types::NULL_POINTER);
        Place::new(pointer, 1)
    }

    fn materialise(
        &mut self,
        value: ExpressionId,
        lifetime: Lifetime,
        destructor: Option<crate::hir::FunctionId>,
    ) -> Place {
        let ty = self.program.type_of(value).id;
        let place = self.allocate(ty, "temporary");
        self.initialise(value, place);
        if let (Some(destructor), Lifetime::FullExpression) = (destructor, lifetime) {
            self.push_cleanup(place.pointer, ty, destructor);
        } else if let Some(destructor) = destructor {
            self.extended.push((place.pointer, ty, destructor));
        }
        place
    }

    fn variable_place(&mut self, id: VariableId) -> Place {
        if let Some(&place) = self.locals.get(&id) {
            return place;
        }
        let program = self.program;
        let variable = program.variable(id);
        let to = program.types.strip_reference(variable.ty);
        let alignment = program.align_of(to.id).max(variable.alignment.unwrap_or(1)) as u32;
        if variable.storage != StorageDuration::Static {
            // A constant of a function around (used in a closure without a capture), or a local whose declaration was jumped over.
            if let crate::hir::VariableInitialiser::Constant(constant) = &variable.initialiser {
                let global = self.generator.constant_object(constant, variable.ty.id);
                return Place::new(self.generator.generic_address(global).into(), alignment);
            }
            if let crate::hir::VariableInitialiser::Dynamic(value) = &variable.initialiser
                && variable.is_constexpr
                && let Ok(constant) = evaluate(program, *value, &crate::hir::Limits::default())
            {
                let global = self.generator.constant_object(&constant, variable.ty.id);
                return Place::new(self.generator.generic_address(global).into(), alignment);
            }
            let place = self.allocate(variable.ty.id, variable.name.as_deref().unwrap_or_default());
            self.locals.insert(id, place);
            return place;
        }
        if let Some(place) = self.special_register_object(id) {
            return place;
        }
        let global = self.generator.variable(id);
        let address: ir::Value = self.generator.generic_address(global).into();
        let place = Place::new(address, alignment).volatile(to.is_volatile());
        if program.types.is_reference(variable.ty.id) {
            let pointer = self.build().load(ir::Type::POINTER, address);
            return Place { pointer, ..place };
        }
        place
    }

    /// A member of an object; of a reference, what it refers to.
    fn member(&mut self, object: Place, class: ClassId, field: FieldIndex) -> Place {
        let program = self.program;
        let data = &program.class(class).fields[field.index()];
        let place = self.field_place(object, class, field);
        match *program.types.get(data.ty.id) {
            Type::LValueReference(to) | Type::RValueReference(to) => {
                let pointer = self.build().load(ir::Type::POINTER, place.pointer);
                Place::new(pointer, program.align_of(to.id) as u32).volatile(to.is_volatile())
            }
            _ => place,
        }
    }

    pub(super) fn field_path_offset(&self, class: ClassId, path: &[FieldIndex]) -> u64 {
        let program = self.program;
        let mut class = class;
        let mut offset = 0;
        for field in path {
            let data = program.class(class);
            offset += data.layout.field_offsets[field.index()];
            match program.types.as_class(data.fields[field.index()].ty.id) {
                Some(next) => class = next,
                None => break,
            }
        }
        offset
    }

    fn assign(&mut self, place: ExpressionId, value: ExpressionId) -> Place {
        let ty = self.program.type_of(place).id;
        if self.generator.is_scalar(ty) {
            let value = self.value(value);
            let to = self.place(place);
            self.store(to, value, ty);
            return to;
        }
        // The value may be read from the object that is written: trivially copied objects are the same or apart ([basic.lval]).
        if let ExpressionKind::Cast(CastKind::LValueToRValue, from) = self.program.expression(value).kind {
            let from = self.place(from);
            let to = self.place(place);
            let bytes = self.copied_size(ty);
            self.copy_memory(to, from, bytes, false);
            return to;
        }
        let temporary = self.allocate(ty, "assigned");
        self.initialise(value, temporary);
        let to = self.place(place);
        let bytes = self.copied_size(ty);
        self.copy_memory(to, temporary, bytes, false);
        to
    }

    /// How many bytes a copy of an object writes: empty classes may share their byte with others.
    pub(super) fn copied_size(&self, ty: TypeId) -> u64 {
        match self.program.types.as_class(ty) {
            Some(class) if self.program.class(class).layout.empty => 0,
            Some(class) => self.program.class(class).layout.data_size,
            None => self.program.size_of(ty),
        }
    }

    fn compound_assign(
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

    fn increment(&mut self, place: ExpressionId, decrement: bool) -> (Place, ir::Value) {
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

    pub(super) fn pointer_add(
        &mut self,
        pointer: ir::Value,
        pointer_type: TypeId,
        index: ir::Value,
        signed: bool,
        subtract: bool,
    ) -> ir::Value {
        let program = self.program;
        let element = program.types.pointee(pointer_type);
        let size = element.map_or(1, |to| program.size_of(to.id)).max(1);
        let scalar = element
            .filter(|to| self.generator.is_scalar(to.id))
            .map(|to| self.generator.memory_type(to.id));
        let mut build = self.build();
        let mut index = build.resize_int(index, ir::Type::I64, signed);
        if subtract {
            index = build.neg(index);
        }
        match scalar {
            Some(ty) if build.context().size(ty) == size => build.element_address(ty, pointer, index),
            _ => {
                let bytes = build.i64(size as i64);
                let distance = match size {
                    1 => index,
                    _ => build.binary_with(ir::BinaryOp::Mul, ir::Flags::NO_SIGNED_WRAP, index, bytes),
                };
                build.byte_offset(pointer, distance)
            }
        }
    }

    /// An operator on two values of a type.
    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: ir::Value,
        right: ir::Value,
        ty: TypeId,
    ) -> ir::Value {
        use BinaryOperator as B;
        use ir::BinaryOp as I;
        let element = match self.program.types.get(ty) {
            Type::Vector(element, _) => *element,
            _ => ty,
        };
        let signed = self.generator.is_signed(element);
        let precise = self.generator.options.precise_division;
        let mut build = self.build();
        let operand_type = build.type_of(left);
        let scalar = build.context().scalar(operand_type);
        if scalar.is_float() {
            return match operator {
                B::Add => build.fadd(left, right),
                B::Subtract => build.fsub(left, right),
                B::Multiply => build.fmul(left, right),
                B::Divide if scalar == ir::Type::Float && !precise => {
                    let flags = build.fast_math | ir::Flags::RECIPROCAL | ir::Flags::APPROXIMATE;
                    build.binary_with(I::FDiv, flags, left, right)
                }
                B::Divide => build.fdiv(left, right),
                B::Remainder => build.binary(I::FRem, left, right),
                B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRight => left,
            };
        }
        let no_wrap = if signed && scalar != ir::Type::BOOL {
            ir::Flags::NO_SIGNED_WRAP
        } else {
            ir::Flags::NONE
        };
        match operator {
            B::Add => build.binary_with(I::Add, no_wrap, left, right),
            B::Subtract => build.binary_with(I::Sub, no_wrap, left, right),
            B::Multiply => build.binary_with(I::Mul, no_wrap, left, right),
            B::Divide => build.binary(if signed { I::SDiv } else { I::UDiv }, left, right),
            B::Remainder => build.binary(if signed { I::SRem } else { I::URem }, left, right),
            B::And => build.and(left, right),
            B::Or => build.or(left, right),
            B::Xor => build.xor(left, right),
            B::ShiftLeft | B::ShiftRight => {
                let count = build.resize_int(right, operand_type, false);
                match operator {
                    B::ShiftLeft => build.shl(left, count),
                    _ if signed => build.ashr(left, count),
                    _ => build.lshr(left, count),
                }
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        left: ir::Value,
        right: ir::Value,
        ty: TypeId,
    ) -> ir::Value {
        let signed = self.generator.is_signed(match self.program.types.get(ty) {
            Type::Vector(element, _) => *element,
            _ => ty,
        });
        let member_function = self.generator.member_function_type();
        let mut build = self.build();
        let operand_type = build.type_of(left);
        if operand_type == member_function {
            return self.compare_member_functions(comparison, left, right);
        }
        if build.context().scalar(operand_type).is_float() {
            use ir::FloatPredicate as P;
            let predicate = match comparison {
                Comparison::Equal => P::Oeq,
                Comparison::NotEqual => P::Une,
                Comparison::Less => P::Olt,
                Comparison::LessEqual => P::Ole,
                Comparison::Greater => P::Ogt,
                Comparison::GreaterEqual => P::Oge,
            };
            return build.fcmp(predicate, left, right);
        }
        use ir::IntPredicate as P;
        let predicate = match (comparison, signed) {
            (Comparison::Equal, _) => P::Eq,
            (Comparison::NotEqual, _) => P::Ne,
            (Comparison::Less, true) => P::Slt,
            (Comparison::Less, false) => P::Ult,
            (Comparison::LessEqual, true) => P::Sle,
            (Comparison::LessEqual, false) => P::Ule,
            (Comparison::Greater, true) => P::Sgt,
            (Comparison::Greater, false) => P::Ugt,
            (Comparison::GreaterEqual, true) => P::Sge,
            (Comparison::GreaterEqual, false) => P::Uge,
        };
        build.icmp(predicate, left, right)
    }

    /// Equal if the targets are, and the adjustments too unless both are null (Itanium C++ ABI 2.3).
    fn compare_member_functions(&mut self, comparison: Comparison, left: ir::Value, right: ir::Value) -> ir::Value {
        let mut build = self.build();
        let (left_target, right_target) = (build.extract_value(left, &[0]), build.extract_value(right, &[0]));
        let (left_by, right_by) = (build.extract_value(left, &[1]), build.extract_value(right, &[1]));
        let same_target = build.icmp(ir::IntPredicate::Eq, left_target, right_target);
        let same_by = build.icmp(ir::IntPredicate::Eq, left_by, right_by);
        let zero = build.i64(0);
        let null = build.icmp(ir::IntPredicate::Eq, left_target, zero);
        let either = build.or(same_by, null);
        let equal = build.and(same_target, either);
        match comparison {
            Comparison::NotEqual => build.not(equal),
            _ => equal,
        }
    }

    /// A conversion between arithmetic types and enumerations.
    pub(super) fn convert(&mut self, value: ir::Value, from: TypeId, to: TypeId) -> ir::Value {
        let target = self.generator.value_type(to);
        let (from_signed, to_signed) = (self.generator.is_signed(from), self.generator.is_signed(to));
        let to_bool = target == ir::Type::BOOL;
        let mut build = self.build();
        let source = build.type_of(value);
        if to_bool {
            return self.truth_of(value, from);
        }
        match (source.is_float(), target.is_float()) {
            (true, true) => {
                let width = |ty: ir::Type| build.context().bit_size(ty);
                match (width(source), width(target)) {
                    (a, b) if a < b => build.cast(ir::CastOp::FPExt, value, target),
                    (a, b) if a > b => build.cast(ir::CastOp::FPTrunc, value, target),
                    _ if source == target => value,
                    _ => {
                        let wide = build.cast(ir::CastOp::FPExt, value, ir::Type::Float);
                        build.cast(ir::CastOp::FPTrunc, wide, target)
                    }
                }
            }
            (true, false) if target.is_int() => {
                let op = if to_signed {
                    ir::CastOp::FPToSI
                } else {
                    ir::CastOp::FPToUI
                };
                build.cast(op, value, target)
            }
            (false, true) => {
                let op = if from_signed {
                    ir::CastOp::SIToFP
                } else {
                    ir::CastOp::UIToFP
                };
                build.cast(op, value, target)
            }
            _ => build.resize_int(value, target, from_signed),
        }
    }

    fn truth_of(&mut self, value: ir::Value, from: TypeId) -> ir::Value {
        let member_function = self.generator.member_function_type();
        let is_member = matches!(self.program.types.get(from), Type::MemberPointer { .. });
        let mut build = self.build();
        let source = build.type_of(value);
        if source == ir::Type::BOOL {
            return value;
        }
        if source == member_function {
            let target = build.extract_value(value, &[0]);
            let zero = build.i64(0);
            return build.icmp(ir::IntPredicate::Ne, target, zero);
        }
        if is_member {
            let null = build.i64(-1);
            return build.icmp(ir::IntPredicate::Ne, value, null);
        }
        let zero = build.zero(source);
        if source.is_float() {
            return build.fcmp(ir::FloatPredicate::Une, value, zero);
        }
        build.icmp(ir::IntPredicate::Ne, value, zero)
    }

    fn cast(&mut self, kind: &CastKind, operand: ExpressionId, to: QualifiedType) -> ir::Value {
        let program = self.program;
        let from = program.type_of(operand);
        match kind {
            CastKind::LValueToRValue => self.read(operand, to.id),
            CastKind::Integral | CastKind::Floating | CastKind::IntegralToFloating | CastKind::FloatingToIntegral => {
                let value = self.value(operand);
                self.convert(value, from.id, to.id)
            }
            CastKind::ToBool => {
                let value = self.value(operand);
                self.truth_of(value, from.id)
            }
            CastKind::Pointer | CastKind::MemberPointer | CastKind::NoOperation | CastKind::Reinterpret => {
                if program.expression(operand).category.is_glvalue() && !program.types.is_scalar(to.id) {
                    return self.place(operand).pointer;
                }
                self.value(operand)
            }
            CastKind::PointerToIntegral => {
                let value = self.value(operand);
                let target = self.generator.value_type(to.id);
                let mut build = self.build();
                let address = build.cast(ir::CastOp::PtrToInt, value, ir::Type::I64);
                build.resize_int(address, target, false)
            }
            CastKind::IntegralToPointer => {
                let value = self.value(operand);
                let signed = self.generator.is_signed(from.id);
                let mut build = self.build();
                let address = build.resize_int(value, ir::Type::I64, signed);
                build.cast(ir::CastOp::IntToPtr, address, ir::Type::POINTER)
            }
            CastKind::NullPointer => {
                self.effects(operand);
                self.zero_value(to.id)
            }
            CastKind::DerivedToBase(path) => {
                let class = program
                    .types
                    .pointee(from.id)
                    .and_then(|to| program.types.as_class(to.id));
                let value = self.value(operand);
                self.adjust_pointer(value, class, path, false)
            }
            CastKind::BaseToDerived(path) => {
                let class = program
                    .types
                    .pointee(to.id)
                    .and_then(|to| program.types.as_class(to.id));
                let value = self.value(operand);
                self.adjust_pointer(value, class, path, true)
            }
            CastKind::ArrayToPointer | CastKind::FunctionToPointer => self.place(operand).pointer,
            CastKind::Bit => {
                let value = self.value(operand);
                let target = self.generator.value_type(to.id);
                self.bits_as(value, target)
            }
            CastKind::MemberPointerToDerived(path) | CastKind::MemberPointerToBase(path) => {
                let back = matches!(kind, CastKind::MemberPointerToBase(_));
                let class = match program.types.get(if back { from.id } else { to.id }) {
                    Type::MemberPointer { class, .. } => *class,
                    _ => return self.value(operand),
                };
                let offset = program.base_path_offset(class, path) as i64;
                let value = self.value(operand);
                self.adjust_member_pointer(value, if back { -offset } else { offset })
            }
            CastKind::ToVoid => {
                self.effects(operand);
                self.undefined(Types::VOID)
            }
            CastKind::Splat => {
                let value = self.value(operand);
                let vector = self.generator.value_type(to.id);
                let mut build = self.build();
                let count = build.context().element_count(vector).unwrap_or(0);
                let mut whole = build.undef(vector);
                for place in 0..count {
                    let index = build.i32(place as i32);
                    whole = build.insert_element(whole, value, index);
                }
                whole
            }
        }
    }

    /// Reads a glvalue of scalar type.
    fn read(&mut self, operand: ExpressionId, ty: TypeId) -> ir::Value {
        let program = self.program;
        if matches!(program.types.get(ty), Type::NullPointer) {
            self.effects(operand);
            return self.zero_value(ty);
        }
        // Components of special registers need no object.
        if let ExpressionKind::Member { object, field } = program.expression(operand).kind
            && let ExpressionKind::Variable(variable) = program.expression(object).kind
            && let Some(value) = self.special_register(variable, field.0)
        {
            return value;
        }
        // Constants are used as such, without a variable in memory.
        if let ExpressionKind::Variable(variable) = program.expression(operand).kind
            && !self.locals.contains_key(&variable)
            && let Some(value) = self.constant_variable(variable, ty)
        {
            return value;
        }
        let place = self.place(operand);
        self.load(place, ty)
    }

    /// The value of a scalar variable that is constant.
    fn constant_variable(&mut self, id: VariableId, ty: TypeId) -> Option<ir::Value> {
        let variable = self.program.variable(id);
        let constant = variable.is_constexpr || variable.ty.is_const();
        if !constant || variable.ty.is_volatile() || variable.ty.id != ty || !self.generator.is_scalar(ty) {
            return None;
        }
        match &variable.initialiser {
            // What the host can write is read from memory.
            crate::hir::VariableInitialiser::Constant(constant)
                if variable.memory != crate::hir::MemorySpace::Constant =>
            {
                Some(self.generator.value_constant(constant, ty).into())
            }
            _ => None,
        }
    }

    /// A value of the same bits.
    pub(super) fn bits_as(&mut self, value: ir::Value, target: ir::Type) -> ir::Value {
        let mut build = self.build();
        match (build.type_of(value), target) {
            (source, target) if source == target => value,
            (ir::Type::Pointer(_), ir::Type::Int(_)) => build.cast(ir::CastOp::PtrToInt, value, target),
            (ir::Type::Int(_), ir::Type::Pointer(_)) => build.cast(ir::CastOp::IntToPtr, value, target),
            (ir::Type::BOOL, ir::Type::Int(_)) => build.cast(ir::CastOp::ZExt, value, target),
            (ir::Type::Int(_), ir::Type::BOOL) => build.cast(ir::CastOp::Trunc, value, target),
            _ => build.bitcast(value, target),
        }
    }

    fn adjust_member_pointer(&mut self, value: ir::Value, by: i64) -> ir::Value {
        if by == 0 {
            return value;
        }
        let member_function = self.generator.member_function_type();
        let mut build = self.build();
        let offset = build.i64(by);
        if build.type_of(value) == member_function {
            let old = build.extract_value(value, &[1]);
            let new = build.add(old, offset);
            return build.insert_value(value, new, &[1]);
        }
        let null = build.i64(-1);
        let is_null = build.icmp(ir::IntPredicate::Eq, value, null);
        let moved = build.add(value, offset);
        build.select(is_null, null, moved)
    }

    /// Moves a pointer to a base, or back; null stays null.
    fn adjust_pointer(
        &mut self,
        pointer: ir::Value,
        class: Option<ClassId>,
        path: &[ClassId],
        back: bool,
    ) -> ir::Value {
        let Some(class) = class else { return pointer };
        let offset = self.path_offset(class, path);
        if offset == 0 {
            return pointer;
        }
        let mut build = self.build();
        let bytes = build.i64(if back { -offset } else { offset });
        let moved = build.byte_offset(pointer, bytes);
        // `this` is never null.
        if matches!(pointer, ir::Value::Argument(_)) && Some(pointer) == self.this {
            return moved;
        }
        let mut build = self.build();
        let null = build.zero(ir::Type::POINTER);
        let is_null = build.icmp(ir::IntPredicate::Eq, pointer, null);
        build.select(is_null, null, moved)
    }

    fn path_offset(&mut self, class: ClassId, path: &[ClassId]) -> i64 {
        let mut current = class;
        for step in path {
            let data = self.program.class(current);
            if data.bases.iter().any(|base| base.class == *step && base.is_virtual) {
                self.refuse("virtual base classes are not supported in device code");
            }
            current = *step;
        }
        self.program.base_path_offset(class, path) as i64
    }

    fn cast_place(&mut self, kind: &CastKind, operand: ExpressionId, to: QualifiedType) -> Place {
        let program = self.program;
        let from = program.type_of(operand).id;
        let place = self.place(operand);
        match kind {
            CastKind::DerivedToBase(path) => {
                let Some(class) = program.types.as_class(from) else {
                    return place;
                };
                let offset = self.path_offset(class, path);
                self.offset(place, offset as u64)
            }
            CastKind::BaseToDerived(path) => {
                let Some(class) = program.types.as_class(to.id) else {
                    return place;
                };
                let offset = self.path_offset(class, path);
                let mut build = self.build();
                let bytes = build.i64(-offset);
                let pointer = match offset {
                    0 => place.pointer,
                    _ => build.byte_offset(place.pointer, bytes),
                };
                Place::new(pointer, program.align_of(to.id) as u32).volatile(place.is_volatile)
            }
            CastKind::Reinterpret => Place {
                alignment: program.align_of(to.id) as u32,
                ..place
            },
            _ => place,
        }
    }

    fn conditional_place(&mut self, condition: ExpressionId, yes: ExpressionId, no: ExpressionId) -> Place {
        let (on_yes, on_no, after) = (self.new_block("yes"), self.new_block("no"), self.new_block("chosen"));
        self.condition(condition, on_yes, on_no);
        let mut incoming = Vec::new();
        let mut chosen: Option<Place> = None;
        for (block, operand) in [(on_yes, yes), (on_no, no)] {
            self.enter(block);
            let place = self.conditionally(|generator| generator.place(operand));
            if !self.is_terminated() {
                incoming.push((self.block, place.pointer));
                self.branch(after);
            }
            chosen = Some(match chosen {
                Some(other) => Place {
                    alignment: other.alignment.min(place.alignment),
                    is_volatile: other.is_volatile || place.is_volatile,
                    ..place
                },
                None => place,
            });
        }
        self.enter(after);
        if incoming.is_empty() {
            return self.no_place();
        }
        let pointer = self.build().phi(ir::Type::POINTER, &incoming);
        match chosen {
            Some(place) => Place { pointer, ..place },
            None => Place::new(pointer, 1),
        }
    }
}

fn program_is_signed(program: &crate::hir::Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Integer(kind) if kind.is_signed())
}
