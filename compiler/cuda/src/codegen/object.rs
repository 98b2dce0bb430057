//! Expressions that say where an object is: variables, members, temporaries, assignments.

use warpsmith_ir as ir;

use super::function::{Bound, FunctionGenerator};
use super::place::Place;
use crate::hir::{
    CastKind, ClassId, ExpressionId, ExpressionKind, FieldIndex, Lifetime, StorageDuration, Type, TypeId, Types,
    VariableId, evaluate,
};

impl FunctionGenerator<'_, '_> {
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

    pub(super) fn object(&mut self, id: ExpressionId) -> Place {
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
            ExpressionKind::Error => {
                self.refuse_unknown();
                self.no_place()
            }
            // A prvalue where an object is wanted gets one.
            _ => {
                let place = self.allocate(expression.ty.id, "temporary");
                self.initialise(id, place);
                place
            }
        }
    }

    pub(super) fn no_place(&mut self) -> Place {
        let pointer = self.undefined(Types::NULL_POINTER);
        Place::new(pointer, 1)
    }

    pub(super) fn materialise(
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

    pub(super) fn variable_place(&mut self, id: VariableId) -> Place {
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
    pub(super) fn member(&mut self, object: Place, class: ClassId, field: FieldIndex) -> Place {
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

    pub(super) fn assign(&mut self, place: ExpressionId, value: ExpressionId) -> Place {
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
}
