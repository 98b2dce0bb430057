//! Members of objects ([expr.ref]).

use std::rc::Rc;

use crate::hir::{CastKind, ClassId, ExpressionId, ExpressionKind, QualifiedType, Type};
use crate::sema::Sema;
use crate::sema::entity::Found;
use crate::source::{Report, Span};
use crate::syntax::ast;

use super::{Operand, Overloads};

/// More `operator->` in a row are taken for an endless chain.
const ARROW_LIMIT: usize = 64;

impl<'a> Sema<'a> {
    /// `object.name`, `pointer->name`.
    pub(super) fn member_operand(
        &mut self,
        object: ast::Id<ast::Expression>,
        is_arrow: bool,
        name: ast::Id<ast::QualifiedName>,
        span: Span,
    ) -> Operand<'a> {
        let object = self.expression(object);
        let object = self.object_of_member(object, is_arrow, span);
        if self.is_poisoned(object) {
            return Operand::Expression(object);
        }
        self.member_of_object(object, name, span)
    }

    /// The object whose member is named: what a pointer or `operator->` leads to; a temporary for a prvalue.
    pub(super) fn object_of_member(&mut self, object: ExpressionId, is_arrow: bool, span: Span) -> ExpressionId {
        if self.is_poisoned(object) {
            return object;
        }
        if !is_arrow {
            return self.materialised_object(object);
        }
        let mut object = object;
        for _ in 0..ARROW_LIMIT {
            if self.program.types.as_class(self.type_of(object).id).is_none() {
                return self.arrow_target(object, span);
            }
            match self.arrow_operator(object, span) {
                Some(next) => object = next,
                None => {
                    let message = format!(
                        "{} is no pointer and has no `operator->`",
                        self.quote(self.type_of(object))
                    );
                    return self.fail(span, message);
                }
            }
            if self.is_poisoned(object) {
                return object;
            }
        }
        self.fail(span, "`operator->` leads from object to object without end")
    }

    fn materialised_object(&mut self, object: ExpressionId) -> ExpressionId {
        if self.program.types.as_class(self.type_of(object).id).is_some() {
            self.materialised(object)
        } else {
            object
        }
    }

    fn arrow_target(&mut self, pointer: ExpressionId, span: Span) -> ExpressionId {
        let pointer = self.decay(pointer);
        let ty = self.type_of(pointer);
        match *self.program.types.get(ty.id) {
            Type::Pointer(_) => self.dereference(pointer, span),
            Type::Error => pointer,
            _ => {
                let message = format!("`->` needs a pointer, but this is {}", self.quote(ty));
                self.fail(span, message)
            }
        }
    }

    /// A member of an object, by name.
    fn member_of_object(&mut self, object: ExpressionId, name: ast::Id<ast::QualifiedName>, span: Span) -> Operand<'a> {
        let ty = self.type_of(object);
        let Some(class) = self.program.types.as_class(ty.id) else {
            if let Some(element) = self.vector_component(object, name, span) {
                return Operand::Expression(element);
            }
            let to = self.program.types.pointee(ty.id);
            if to.is_some_and(|to| self.program.types.as_class(to.id).is_some()) {
                let message = format!("{} is a pointer: its members are named with `->`", self.quote(ty));
                return Operand::Expression(self.fail_with(Report::error(span, message)));
            }
            let text = self.written(name);
            let message = format!("{} is no class: it has no member `{text}`", self.quote(ty));
            return Operand::Expression(self.fail(span, message));
        };
        if !self.require_complete(ty.id, span, "member access into") {
            return Operand::Expression(self.poison(span));
        }
        if let ast::UnqualifiedName::Operator {
            operator: ast::OperatorName::Assign,
            ..
        } = self.ast[name].last
        {
            self.declare_assignments(class);
        }
        let lookup = self.lookup_member_name(class, name);
        if !matches!(lookup.found, Found::Functions(_) | Found::Nothing | Found::Error)
            && !self.check_access(&lookup, span)
        {
            return Operand::Expression(self.poison(span));
        }
        let expression = match &lookup.found {
            Found::Functions(candidates) => {
                let name = self.symbol_of(name);
                return Operand::Overloads(Rc::new(Overloads {
                    name,
                    candidates: candidates.clone(),
                    arguments: lookup.arguments.clone(),
                    object: Some(object),
                    qualified: lookup.qualified,
                    adl: false,
                    address: false,
                    span,
                }));
            }
            Found::Field(owner, path) => {
                let (owner, path) = (*owner, path.clone());
                let to = QualifiedType {
                    id: self.program.types.class(owner),
                    qualifiers: ty.qualifiers,
                };
                let object = self.base_object_of_member(object, to);
                self.fields(object, &path, span)
            }
            &Found::Variable(variable) => {
                let member = self.variable_expression(variable, span);
                self.after_effects(object, member, span)
            }
            &Found::Enumerator(enumeration, place) => self.enumerator(enumeration, place, span),
            &Found::Alias(expression) => expression,
            Found::Nothing => self.no_member(class, name),
            Found::Error | Found::Parameter => self.poison(span),
            Found::Type(_) | Found::Template(_) | Found::Namespace(_) | Found::Value(_) | Found::Pack(_) => {
                let text = self.written(name);
                self.fail(
                    span,
                    format!("`{text}` is a type or template: it is no member of an object"),
                )
            }
        };
        Operand::Expression(expression)
    }

    /// The message that a class has no such member.
    fn no_member(&mut self, class: ClassId, name: ast::Id<ast::QualifiedName>) -> ExpressionId {
        let (span, symbol) = (self.ast[name].last_span, self.symbol_of(name));
        let ty = self.program.types.class(class);
        let similar = self.similar_member(class, symbol);
        let path = format!("{}::{}", self.class_name(class), self.context.text(symbol));
        if self.context.map.is_system(self.program.class(class).span.first)
            && self.is_left_out_of_runtime(&path, similar.is_some())
        {
            return self.left_out_of_runtime(path, span);
        }
        let mut report = Report::error(
            span,
            format!("{} has no member `{}`", self.quote(ty), self.context.text(symbol)),
        );
        if let Some(similar) = similar {
            report = report.note(format!("did you mean `{}`?", self.context.text(similar)));
        }
        self.fail_with(report)
    }

    /// A static member of an object that is evaluated for its effects, if it may have any ([expr.ref]/5).
    fn after_effects(&mut self, object: ExpressionId, member: ExpressionId, span: Span) -> ExpressionId {
        let plain = matches!(
            self.program.expression(object).kind,
            ExpressionKind::Variable(_)
                | ExpressionKind::Dereference(_)
                | ExpressionKind::Member { .. }
                | ExpressionKind::Cast(CastKind::NoOperation, _)
        );
        if plain || self.is_poisoned(member) {
            return member;
        }
        let (ty, category) = (self.type_of(member), self.category_of(member));
        self.program
            .add(ExpressionKind::Comma(object, member), ty, category, span)
    }

    /// `v.x` to `v.w` of a vector type.
    fn vector_component(
        &mut self,
        vector: ExpressionId,
        name: ast::Id<ast::QualifiedName>,
        span: Span,
    ) -> Option<ExpressionId> {
        let &Type::Vector(element, count) = self.program.types.get(self.type_of(vector).id) else {
            return None;
        };
        let text = self.written(name);
        let index = ["x", "y", "z", "w"].iter().position(|&component| component == text)? as u32;
        if index >= count {
            return None;
        }
        let category = self.category_of(vector);
        let index = self.integer(i128::from(index), crate::hir::Types::UNSIGNED_INT, span);
        let qualifiers = if category.is_glvalue() {
            self.type_of(vector).qualifiers
        } else {
            crate::hir::Qualifiers::NONE
        };
        let ty = QualifiedType {
            id: element,
            qualifiers,
        };
        Some(
            self.program
                .add(ExpressionKind::VectorElement { vector, index }, ty, category, span),
        )
    }
}
