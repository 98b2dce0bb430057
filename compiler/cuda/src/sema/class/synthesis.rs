//! Bodies of implicit and defaulted functions, made member by member.

use crate::hir::{
    self, CastKind, ClassId, ClassKind, Constant, ExpressionId, ExpressionKind, FieldIndex, FunctionBody, FunctionId,
    MemberInitialiser, MemberTarget, QualifiedType, StatementKind, StorageDuration, Type, Types, ValueCategory,
    VariableId,
};
use crate::sema::Sema;
use crate::sema::entity::SpecialMember;
use crate::sema::scope::ScopeKind;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Makes the body of a defaulted function.
    pub(crate) fn synthesise(&mut self, function: FunctionId) {
        let span = self.program.function(function).span;
        let Some(class) = self.functions[function.index()].class else {
            if !self.synthesise_comparison(function) {
                self.not_supported(span, "this defaulted function");
            }
            return;
        };
        let special = self.functions[function.index()].special;
        let context = self.context_for(function);
        let saved = std::mem::replace(&mut self.function, context);
        let scope = self.scopes.add(
            ScopeKind::Function(Some(function)),
            Some(self.classes[class.index()].scope),
        );
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let parameters = self.implicit_parameters(function, span);
        let inherits = self.functions[function.index()].inherits;
        let (initialisers, statements) = match (inherits, special) {
            (Some(inherited), _) => {
                let values = self.forwarded(&parameters, span);
                (self.inherited_initialisers(function, inherited, &values), Vec::new())
            }
            (None, Some(SpecialMember::DefaultConstructor)) => {
                (self.constructor_initialisers(function, &[]), Vec::new())
            }
            (None, Some(SpecialMember::CopyConstructor | SpecialMember::MoveConstructor)) => {
                let moves = special == Some(SpecialMember::MoveConstructor);
                (
                    self.memberwise_construction(class, &parameters, moves, span),
                    Vec::new(),
                )
            }
            (None, Some(SpecialMember::CopyAssignment | SpecialMember::MoveAssignment)) => {
                let moves = special == Some(SpecialMember::MoveAssignment);
                (Vec::new(), self.memberwise_assignment(class, &parameters, moves, span))
            }
            (None, Some(SpecialMember::Destructor)) => {
                self.use_part_destructors(class, span);
                (Vec::new(), Vec::new())
            }
            (None, None) => {
                if !self.synthesise_comparison(function) {
                    self.not_supported(span, "this defaulted function");
                }
                self.scope = saved_scope;
                self.function = saved;
                return;
            }
        };
        self.scope = saved_scope;
        self.function = saved;
        let statement = self.program.add_statement(StatementKind::Block(statements), span);
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers,
            statement,
        });
    }
    /// Destructors of parts run after a destructor's body without being named: they are used all the same.
    pub(crate) fn use_part_destructors(&mut self, class: ClassId, span: Span) {
        // What an anonymous union holds is not destroyed ([class.dtor]/14).
        let is_destroyed = |field: &&hir::Field| {
            let inner = self.program.types.as_class(field.ty.id);
            field.name.is_some() || inner.is_none_or(|inner| self.program.class(inner).kind != ClassKind::Union)
        };
        let fields = &self.program.class(class).fields;
        let mut types: Vec<QualifiedType> = fields.iter().filter(is_destroyed).map(|field| field.ty).collect();
        types.extend(
            self.program
                .class(class)
                .bases
                .iter()
                .map(|base| base.class)
                .collect::<Vec<_>>()
                .into_iter()
                .map(|base| self.class_type(base).unqualified()),
        );
        if self.program.class(class).kind == ClassKind::Union {
            return;
        }
        for ty in types {
            if !self.program.types.is_reference(ty.id) {
                self.destructor_of(ty, span);
            }
        }
    }
    pub(super) fn implicit_parameters(&mut self, function: FunctionId, span: Span) -> Vec<VariableId> {
        let known = self.program.function(function).parameters.clone();
        let types = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map(|ty| ty.parameters.clone())
            .unwrap_or_default();
        if known.len() == types.len() {
            return known;
        }
        let parameters: Vec<VariableId> = types
            .into_iter()
            .map(|ty| {
                let variable = hir::Variable::new(
                    None,
                    hir::Scope::Function(function),
                    ty,
                    StorageDuration::Parameter,
                    span,
                );
                self.add_variable(variable, None)
            })
            .collect();
        self.program.function_mut(function).parameters = parameters.clone();
        parameters
    }
    /// Parameters handed on as they came.
    pub(crate) fn forwarded(&mut self, parameters: &[VariableId], span: Span) -> Vec<ExpressionId> {
        parameters
            .iter()
            .map(|&parameter| {
                let ty = self.program.variable(parameter).ty;
                let lvalue = self.variable_lvalue(parameter, span);
                match *self.program.types.get(ty.id) {
                    Type::LValueReference(_) => lvalue,
                    Type::RValueReference(to) => self.as_xvalue(lvalue, to, span),
                    _ => {
                        let moved = self.as_xvalue(lvalue, ty, span);
                        self.initialise_from(ty, moved, span, "parameter")
                    }
                }
            })
            .collect()
    }
    fn as_xvalue(&mut self, lvalue: ExpressionId, ty: QualifiedType, span: Span) -> ExpressionId {
        let kind = ExpressionKind::Cast(CastKind::NoOperation, lvalue);
        self.program.add(kind, ty, ValueCategory::XValue, span)
    }
    /// The object copied or moved from.
    fn other_object(&mut self, parameters: &[VariableId], span: Span) -> Option<ExpressionId> {
        let &parameter = parameters.first()?;
        Some(self.variable_lvalue(parameter, span))
    }
    pub(super) fn base_of(&mut self, object: ExpressionId, base: ClassId, span: Span) -> ExpressionId {
        let node = self.program.expression(object);
        let (qualifiers, category) = (node.ty.qualifiers, node.category);
        let ty = self.class_type(base).unqualified().with(qualifiers);
        let kind = ExpressionKind::Cast(CastKind::DerivedToBase(vec![base]), object);
        self.program.add(kind, ty, category, span)
    }
    fn field_of(
        &mut self,
        object: ExpressionId,
        class: ClassId,
        index: usize,
        moves: bool,
        span: Span,
    ) -> ExpressionId {
        let field = self.program.class(class).fields[index].clone();
        let qualifiers = self.program.type_of(object).qualifiers;
        let part = self.field_expression(object, FieldIndex(index as u32), &field, qualifiers, span);
        let ty = self.program.type_of(part);
        match moves && !matches!(self.program.types.get(field.ty.id), Type::LValueReference(_)) {
            true => self.as_xvalue(part, ty, span),
            false => part,
        }
    }
    fn memberwise_construction(
        &mut self,
        class: ClassId,
        parameters: &[VariableId],
        moves: bool,
        span: Span,
    ) -> Vec<MemberInitialiser> {
        let mut result = Vec::new();
        let Some(other) = self.other_object(parameters, span) else {
            return result;
        };
        let mut bases = self.program.virtual_bases(class);
        bases.extend(
            self.program
                .class(class)
                .bases
                .iter()
                .filter(|base| !base.is_virtual)
                .map(|base| base.class),
        );
        for base in bases {
            let part = self.base_of(other, base, span);
            let ty = self.program.type_of(part);
            let part = if moves { self.as_xvalue(part, ty, span) } else { part };
            let target = self.class_type(base).unqualified();
            let value = self.initialise_from(target, part, span, "base");
            result.push(MemberInitialiser {
                target: MemberTarget::Base(base),
                value,
            });
        }
        if self.program.class(class).kind == ClassKind::Union {
            // The whole memory is copied; where that will not do the constructor is deleted ([class.copy.ctor]/10.1).
            let target = self.class_type(class).unqualified();
            let value = self.cast(hir::CastKind::LValueToRValue, other, target);
            result.push(MemberInitialiser {
                target: MemberTarget::Whole,
                value,
            });
            return result;
        }
        for index in 0..self.program.class(class).fields.len() {
            let field = &self.program.class(class).fields[index];
            let ty = field.ty;
            if field.bit_width.is_some() && field.name.is_none() {
                continue;
            }
            let part = self.field_of(other, class, index, moves, span);
            let value = self.copy_part(ty, part, span);
            result.push(MemberInitialiser {
                target: MemberTarget::Field(FieldIndex(index as u32)),
                value,
            });
        }
        result
    }
    /// Initialises a part from another object's: arrays element by element.
    pub(crate) fn copy_part(&mut self, ty: QualifiedType, from: ExpressionId, span: Span) -> ExpressionId {
        let Type::Array(element, Some(_)) = *self.program.types.get(ty.id) else {
            return self.initialise_from(ty, from, span, "member");
        };
        // The outer index is bound, as an inner loop has one of its own.
        let binding = self.program.add_binding();
        let index = self
            .program
            .add_value(ExpressionKind::ArrayIndex, Types::UNSIGNED_LONG, span);
        let bound = self
            .program
            .add_value(ExpressionKind::Bound(binding), Types::UNSIGNED_LONG, span);
        let place = self.element_at(from, bound, span);
        let value = self.copy_part(element, place, span);
        let category = self.program.expression(value).category;
        let body = ExpressionKind::Let {
            binding,
            value: index,
            body: value,
        };
        let element_value = self.program.add(body, element, category, span);
        let kind = ExpressionKind::ArrayLoop { element: element_value };
        self.program.add_value(kind, ty, span)
    }
    pub(super) fn element_at(&mut self, array: ExpressionId, index: ExpressionId, span: Span) -> ExpressionId {
        let node = self.program.expression(array);
        let category = node.category;
        let Some(element) = self.program.types.element(node.ty.id) else {
            return array;
        };
        let pointer_type = self.program.types.pointer(element);
        let pointer = self.program.add_value(
            ExpressionKind::Cast(CastKind::ArrayToPointer, array),
            pointer_type,
            span,
        );
        let kind = ExpressionKind::PointerAdd {
            pointer,
            index,
            subtract: false,
        };
        let place = self.program.add_value(kind, pointer_type, span);
        let place = self
            .program
            .add(ExpressionKind::Dereference(place), element, ValueCategory::LValue, span);
        match category {
            ValueCategory::XValue => self.as_xvalue(place, element, span),
            ValueCategory::LValue | ValueCategory::PrValue => place,
        }
    }
    fn memberwise_assignment(
        &mut self,
        class: ClassId,
        parameters: &[VariableId],
        moves: bool,
        span: Span,
    ) -> Vec<hir::StatementId> {
        let mut statements = Vec::new();
        let Some(other) = self.other_object(parameters, span) else {
            return statements;
        };
        let this = self.implicit_this(class, span);
        let bases: Vec<ClassId> = self.program.class(class).bases.iter().map(|base| base.class).collect();
        for base in bases {
            let from = self.base_of(other, base, span);
            let ty = self.program.type_of(from);
            let from = if moves { self.as_xvalue(from, ty, span) } else { from };
            let to = self.base_of(this, base, span);
            let value = self.operator_assign(to, from, span);
            statements.push(self.add_statement(StatementKind::Expression(value), span));
        }
        for index in 0..self.program.class(class).fields.len() {
            let field = &self.program.class(class).fields[index];
            if field.bit_width.is_some() && field.name.is_none() {
                continue;
            }
            let from = self.field_of(other, class, index, moves, span);
            let to = self.field_of(this, class, index, false, span);
            self.assign_part(to, from, span, &mut statements);
        }
        let result = self.add_statement(StatementKind::Return(Some(this)), span);
        statements.push(result);
        statements
    }
    fn assign_part(
        &mut self,
        to: ExpressionId,
        from: ExpressionId,
        span: Span,
        statements: &mut Vec<hir::StatementId>,
    ) {
        let ty = self.program.type_of(to);
        let Type::Array(_, Some(count)) = *self.program.types.get(ty.id) else {
            let value = self.operator_assign(to, from, span);
            statements.push(self.add_statement(StatementKind::Expression(value), span));
            return;
        };
        // for (unsigned long i = 0; i < count; ++i) to[i] = from[i];
        let scope = self.hir_scope(self.scope);
        let mut index = hir::Variable::new(
            None,
            scope,
            Types::UNSIGNED_LONG.unqualified(),
            StorageDuration::Automatic,
            span,
        );
        let zero = self.program.add_value(
            ExpressionKind::Constant(Constant::Integer(0)),
            Types::UNSIGNED_LONG,
            span,
        );
        index.initialiser = hir::VariableInitialiser::Dynamic(zero);
        let index = self.add_variable(index, None);
        let declare = self.add_statement(StatementKind::Declare(index), span);
        let read = |sema: &mut Self| {
            let lvalue = sema.variable_lvalue(index, span);
            sema.load(lvalue)
        };
        let current = read(self);
        let end = ExpressionKind::Constant(Constant::Integer(i128::from(count)));
        let end = self.program.add_value(end, Types::UNSIGNED_LONG, span);
        let condition = ExpressionKind::Compare(hir::Comparison::Less, current, end);
        let condition = self.program.add_value(condition, Types::BOOL, span);
        let place = self.variable_lvalue(index, span);
        let step = ExpressionKind::Increment {
            place,
            decrement: false,
            prefix: true,
        };
        let step = self
            .program
            .add(step, Types::UNSIGNED_LONG.unqualified(), ValueCategory::LValue, span);
        let (first, second) = (read(self), read(self));
        let to = self.element_at(to, first, span);
        let from = self.element_at(from, second, span);
        let mut body = Vec::new();
        self.assign_part(to, from, span, &mut body);
        let body = self.add_statement(StatementKind::Block(body), span);
        let kind = StatementKind::For {
            initial: Some(declare),
            declaration: None,
            condition: Some(condition),
            step: Some(step),
            body,
            hints: hir::LoopHints::default(),
        };
        statements.push(self.add_statement(kind, span));
    }
    /// `*this`.
    pub(super) fn implicit_this(&mut self, class: ClassId, span: Span) -> ExpressionId {
        let ty = self.class_type(class).unqualified();
        let pointer_type = self.program.types.pointer(ty);
        let pointer = self.program.add_value(ExpressionKind::This, pointer_type, span);
        self.program
            .add(ExpressionKind::Dereference(pointer), ty, ValueCategory::LValue, span)
    }
}
