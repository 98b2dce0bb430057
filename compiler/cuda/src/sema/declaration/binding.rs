//! Structured bindings ([dcl.struct.bind]) and anonymous unions that are variables ([class.union.anon]).

use crate::hir::{
    self, ClassId, Constant, ExpressionId, ExpressionKind, FieldIndex, QualifiedType, StatementKind, StorageDuration,
    Type, Types, ValueCategory, VariableId,
};
use crate::sema::{Entity, Sema};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `auto [a, b] = e;`.
    pub(super) fn structured_binding(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        reference: ast::ReferenceQualifier,
        names: &'a [(Symbol, Span)],
        initializer: Option<&'a ast::Initializer>,
        span: Span,
    ) {
        let Some(initializer) = initializer else {
            self.error(span, "a structured binding needs an initialiser");
            return self.bind_errors(names);
        };
        if reference == ast::ReferenceQualifier::None
            && let Some(array) = self.bound_array(initializer)
        {
            return self.array_binding(specifiers, array, names, span);
        }
        let pattern = self.binding_pattern(specifiers, reference);
        let Some(ty) = self.auto_from_initialiser(pattern, initializer, span) else {
            return self.bind_errors(names);
        };
        let variable = self.binding_variable(ty, span);
        let value = self.initialise(ty, Some(initializer), span, "structured binding");
        self.finish_binding(variable, value, names, span);
    }
    /// The array that an initialiser names, which is copied as a whole ([dcl.struct.bind]/1).
    fn bound_array(&mut self, initializer: &'a ast::Initializer) -> Option<ExpressionId> {
        let value = match initializer {
            ast::Initializer::Equal(value) => *value,
            ast::Initializer::Parenthesized(values) if values.len() == 1 => values[0],
            ast::Initializer::Parenthesized(_) | ast::Initializer::Braced(_) => return None,
        };
        let mut inner = value;
        while let ast::ExpressionKind::Parenthesized(next) = self.ast[inner].kind {
            inner = next;
        }
        let names_object = matches!(
            self.ast[inner].kind,
            ast::ExpressionKind::Name(_) | ast::ExpressionKind::Member { .. } | ast::ExpressionKind::Subscript { .. }
        );
        if !names_object {
            return None;
        }
        let expression = self.trying(|sema| sema.expression(value)).ok()?;
        let ty = self.program.type_of(expression);
        matches!(self.program.types.get(ty.id), Type::Array(_, Some(_))).then_some(expression)
    }
    fn array_binding(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        array: ExpressionId,
        names: &'a [(Symbol, Span)],
        span: Span,
    ) {
        let base = self.specifiers_type(specifiers, false);
        let ty = self.program.type_of(array).unqualified();
        let ty = self.program.types.qualify(ty, base.qualifiers);
        let variable = self.binding_variable(ty, span);
        let value = self.copy_object(array, ty, span);
        self.finish_binding(variable, value, names, span);
    }
    /// The type with `auto` that a structured binding's own variable has.
    pub(crate) fn binding_pattern(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        reference: ast::ReferenceQualifier,
    ) -> QualifiedType {
        let base = self.specifiers_type(specifiers, false);
        match reference {
            ast::ReferenceQualifier::None => base,
            ast::ReferenceQualifier::Lvalue => self.program.types.lvalue_reference(base).unqualified(),
            ast::ReferenceQualifier::Rvalue => self.program.types.rvalue_reference(base).unqualified(),
        }
    }
    /// The variable without a name that a structured binding binds to.
    pub(crate) fn binding_variable(&mut self, ty: QualifiedType, span: Span) -> VariableId {
        let storage = match self.function.function {
            Some(_) => StorageDuration::Automatic,
            None => StorageDuration::Static,
        };
        let variable = hir::Variable::new(None, self.hir_scope(self.scope), ty, storage, span);
        self.add_variable(variable, None)
    }
    pub(crate) fn bind_errors(&mut self, names: &[(Symbol, Span)]) {
        for &(name, span) in names {
            self.declare_member(name, Entity::Error, span);
        }
    }
    /// Sets the value of a structured binding's variable, and declares the names.
    pub(crate) fn finish_binding(
        &mut self,
        variable: VariableId,
        value: ExpressionId,
        names: &'a [(Symbol, Span)],
        span: Span,
    ) {
        let ty = self.program.variable(variable).ty;
        self.program.variable_mut(variable).initialiser = hir::VariableInitialiser::Dynamic(value);
        if self.program.type_of(value).id == Types::ERROR {
            return self.bind_errors(names);
        }
        if !self.program.types.is_reference(ty.id) {
            let destructor = self.destructor_of(ty, span);
            self.program.variable_mut(variable).destructor = destructor;
        }
        if self.function.function.is_some() {
            let statement = self.program.add_statement(StatementKind::Declare(variable), span);
            self.function.pending.push(statement);
        }
        let object = self.program.types.strip_reference(ty);
        let base = self
            .program
            .add(ExpressionKind::Variable(variable), object, ValueCategory::LValue, span);
        match *self.program.types.get(object.id) {
            Type::Array(element, Some(count)) => self.bind_elements(base, element, count, names, span),
            Type::Class(class) => {
                if !self.require_complete(object.id, span, "structured binding of") {
                    return self.bind_errors(names);
                }
                if self.bind_tuple(variable, base, object, names, span) {
                    return;
                }
                self.bind_fields(base, object, class, names, span);
            }
            _ => {
                let message = format!("`{}` has no parts that names could be bound to", self.show(object));
                self.error(span, message);
                self.bind_errors(names);
            }
        }
    }
    fn wrong_binding_count(&mut self, object: &str, count: usize, names: &[(Symbol, Span)], span: Span) {
        let message = format!("{object} has {count} parts, but there are {} names", names.len());
        self.error(span, message);
        self.bind_errors(names);
    }
    fn bind_elements(
        &mut self,
        base: ExpressionId,
        element: QualifiedType,
        count: u64,
        names: &[(Symbol, Span)],
        span: Span,
    ) {
        if count != names.len() as u64 {
            return self.wrong_binding_count("the array", count as usize, names, span);
        }
        for (index, &(name, name_span)) in names.iter().enumerate() {
            let pointer_type = self.program.types.pointer(element);
            let first = self.program.add_value(
                ExpressionKind::Cast(hir::CastKind::ArrayToPointer, base),
                pointer_type,
                name_span,
            );
            let number = ExpressionKind::Constant(Constant::Integer(index as i128));
            let number = self.program.add_value(number, Types::LONG, name_span);
            let place = ExpressionKind::PointerAdd {
                pointer: first,
                index: number,
                subtract: false,
            };
            let place = self.program.add_value(place, pointer_type, name_span);
            let part = self.program.add(
                ExpressionKind::Dereference(place),
                element,
                ValueCategory::LValue,
                name_span,
            );
            self.declare_member(name, Entity::Alias(part), name_span);
        }
    }
    fn bind_fields(
        &mut self,
        base: ExpressionId,
        object: QualifiedType,
        class: ClassId,
        names: &[(Symbol, Span)],
        span: Span,
    ) {
        // All fields are members of one class: this one or a base.
        let mut path = Vec::new();
        let mut holder = class;
        while self.program.class(holder).fields.is_empty() {
            let with_fields: Vec<ClassId> = self.program.class(holder).bases.iter().map(|base| base.class).collect();
            let next = with_fields.into_iter().find(|&base| self.has_fields(base));
            let Some(next) = next else { break };
            path.push(next);
            holder = next;
        }
        let mut base = base;
        if !path.is_empty() {
            let ty = QualifiedType {
                id: self.class_type(holder),
                qualifiers: object.qualifiers,
            };
            let cast = ExpressionKind::Cast(hir::CastKind::DerivedToBase(path), base);
            base = self.program.add(cast, ty, ValueCategory::LValue, span);
        }
        let fields: Vec<(usize, hir::Field)> = self
            .program
            .class(holder)
            .fields
            .iter()
            .cloned()
            .enumerate()
            .filter(|(_, field)| field.name.is_some() || field.bit_width.is_none())
            .collect();
        if fields.len() != names.len() {
            let object = format!("`{}`", self.show(object));
            return self.wrong_binding_count(&object, fields.len(), names, span);
        }
        for ((index, field), &(name, name_span)) in fields.into_iter().zip(names) {
            let part = self.field_expression(base, FieldIndex(index as u32), &field, object.qualifiers, name_span);
            self.declare_member(name, Entity::Alias(part), name_span);
        }
    }
    fn has_fields(&self, class: ClassId) -> bool {
        let class = self.program.class(class);
        !class.fields.is_empty() || class.bases.iter().any(|base| self.has_fields(base.class))
    }
    /// A field of an lvalue.
    pub(crate) fn field_expression(
        &mut self,
        object: ExpressionId,
        index: FieldIndex,
        field: &hir::Field,
        qualifiers: hir::Qualifiers,
        span: Span,
    ) -> ExpressionId {
        let ty = match self.program.types.is_reference(field.ty.id) {
            true => self.program.types.strip_reference(field.ty),
            false if field.mutable => {
                let qualifiers = qualifiers.without(hir::Qualifiers::CONST);
                self.program.types.qualify(field.ty, qualifiers)
            }
            false => self.program.types.qualify(field.ty, qualifiers),
        };
        let kind = ExpressionKind::Member { object, field: index };
        self.program.add(kind, ty, ValueCategory::LValue, span)
    }
    /// An anonymous union at namespace or block scope: its members are names of the scope.
    pub(super) fn anonymous_union_variable(&mut self, specifiers: &'a ast::Specifiers, ty: QualifiedType, span: Span) {
        let Some(class) = self.program.types.as_class(ty.id) else {
            return;
        };
        if self.program.class(class).kind != hir::ClassKind::Union {
            self.emit(crate::source::Report::warning(
                span,
                "this declaration declares nothing",
            ));
            return;
        }
        if self.function.function.is_none()
            && specifiers.storage != ast::StorageClass::Static
            && !self.in_unnamed_namespace(self.scope)
        {
            self.error(span, "an anonymous union in a namespace has to be `static`");
        }
        let variable = self.binding_variable(ty, span);
        if self.function.function.is_some() {
            let statement = self.program.add_statement(StatementKind::Declare(variable), span);
            self.function.pending.push(statement);
        }
        let base = self
            .program
            .add(ExpressionKind::Variable(variable), ty, ValueCategory::LValue, span);
        for index in 0..self.program.class(class).fields.len() {
            let field = self.program.class(class).fields[index].clone();
            let Some(name) = self.classes[class.index()].fields[index].name else {
                continue;
            };
            let part = self.field_expression(
                base,
                FieldIndex(index as u32),
                &field,
                hir::Qualifiers::NONE,
                field.span,
            );
            self.declare_member(name, Entity::Alias(part), field.span);
        }
    }
}
