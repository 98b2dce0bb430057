//! Enumerations ([dcl.enum]).

use crate::hir::{self, EnumId, IntegerKind, QualifiedType, Type, Types};
use crate::sema::lookup::Qualification;
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Elaborates a definition or opaque declaration of an enumeration: its type.
    pub(crate) fn define_enum(&mut self, id: ast::Id<ast::Enum>) -> QualifiedType {
        let ast = self.ast;
        let node = &ast[id];
        let fixed = match node.underlying {
            Some(type_id) => {
                let ty = self.type_of_type_id(type_id);
                if !self.program.types.is_integral(ty.id) {
                    if ty.id != Types::ERROR {
                        let message = format!(
                            "the underlying type of an enumeration is an integer type, not `{}`",
                            self.show(ty)
                        );
                        self.error(ast[type_id].span, message);
                    }
                    Some(Types::INT)
                } else {
                    Some(ty.id)
                }
            }
            None if node.is_scoped => Some(Types::INT),
            None => None,
        };
        let Some(enumeration) = self.find_or_add_enum(node, fixed) else {
            return Types::ERROR.unqualified();
        };
        let ty = self.program.types.enumeration(enumeration).unqualified();
        let Some(enumerators) = &node.enumerators else {
            if fixed.is_none() {
                self.error(
                    node.span,
                    "a declaration of an enumeration without enumerators needs an underlying type",
                );
            }
            return ty;
        };
        if self.program.enumeration(enumeration).complete {
            let earlier = self.program.enumeration(enumeration).span;
            let message = format!("`{}` is defined already", self.show(ty));
            self.emit(Report::error(node.span, message).note_at(earlier, "defined here"));
            return ty;
        }
        self.define_enumerators(enumeration, enumerators, fixed);
        ty
    }
    fn find_or_add_enum(&mut self, node: &'a ast::Enum, fixed: Option<hir::TypeId>) -> Option<EnumId> {
        let ast = self.ast;
        let (name, scope, span) = match node.name {
            None => (None, self.scope, node.span),
            Some(id) => {
                let name = &ast[id];
                let ast::UnqualifiedName::Identifier(symbol) = name.last else {
                    self.error(name.span, "this is no name of an enumeration");
                    return None;
                };
                let scope = match self.resolve_declared(name)? {
                    Qualification::Scope(scope) => scope,
                    Qualification::None | Qualification::Dependent => self.scope,
                };
                (Some(symbol), scope, name.last_span)
            }
        };
        if let Some(symbol) = name
            && let Some(declared) = self
                .scopes
                .get(scope)
                .get(symbol)
                .iter()
                .find(|declared| declared.entity.is_type())
                .copied()
        {
            match declared.entity {
                Entity::Enum(known) => return Some(known),
                _ => {
                    let message = format!("`{}` is declared already, as something else", self.text(symbol));
                    self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
                    return None;
                }
            }
        }
        let enumeration = hir::Enum {
            name: name.map(|name| self.shared(name)),
            typedef_name: None,
            scope: self.hir_scope(scope),
            scoped: node.is_scoped,
            underlying: fixed.unwrap_or(Types::INT),
            fixed: fixed.is_some(),
            fits_int: true,
            enumerators: Vec::new(),
            discriminator: self.next_unnamed(name),
            complete: false,
            span,
        };
        let id = self.program.add_enum(enumeration);
        let enum_scope = self.scopes.add(ScopeKind::Enum(id), Some(scope));
        self.enum_scopes.push(enum_scope);
        if let Some(symbol) = name {
            self.in_scope(scope, |sema| sema.declare_member(symbol, Entity::Enum(id), span));
        }
        Some(id)
    }
    fn define_enumerators(&mut self, id: EnumId, enumerators: &'a [ast::Enumerator], fixed: Option<hir::TypeId>) {
        let enum_scope = self.enum_scopes[id.index()];
        let scoped = self.program.enumeration(id).scoped;
        let mut next: Option<i128> = Some(0);
        let (mut least, mut greatest) = (0i128, 0i128);
        for enumerator in enumerators {
            let value = match enumerator.value {
                Some(expression) => self.enumerator_value(expression, fixed, enum_scope),
                None => next,
            };
            let value = match (value, fixed) {
                (Some(value), Some(fixed)) if !self.fits(value, fixed) => {
                    let message = format!(
                        "the value {value} of `{}` is not in the range of `{}`",
                        self.text(enumerator.name),
                        self.show(fixed)
                    );
                    self.error(enumerator.span, message);
                    0
                }
                (Some(value), _) => value,
                (None, _) => 0,
            };
            (least, greatest) = (least.min(value), greatest.max(value));
            next = value.checked_add(1);
            let index = self.program.enumeration(id).enumerators.len() as u32;
            let name = self.shared(enumerator.name);
            self.program
                .enumeration_mut(id)
                .enumerators
                .push(hir::Enumerator { name, value });
            self.declare_enumerator(
                enumerator.name,
                Entity::Enumerator(id, index),
                enumerator.span,
                enum_scope,
                scoped,
            );
        }
        let enumeration = self.program.enumeration_mut(id);
        if fixed.is_none() {
            enumeration.underlying = smallest_type(least, greatest);
            enumeration.fits_int = IntegerKind::Int.wrap(least) == least && IntegerKind::Int.wrap(greatest) == greatest;
        }
        enumeration.complete = true;
    }
    fn enumerator_value(
        &mut self,
        expression: ast::Id<ast::Expression>,
        fixed: Option<hir::TypeId>,
        scope: crate::sema::ScopeId,
    ) -> Option<i128> {
        self.in_scope(scope, |sema| match fixed {
            Some(fixed) => sema
                .constant_expression(expression, fixed.unqualified())
                .and_then(|value| value.as_integer()),
            None => {
                let value = sema.expression(expression);
                let span = sema.ast[expression].span;
                let ty = sema.program.type_of(value);
                if ty.id == Types::ERROR {
                    return None;
                }
                if !sema.program.types.is_integral(ty.id) && sema.program.types.as_enum(ty.id).is_none() {
                    let to = Types::LONG_LONG.unqualified();
                    return sema
                        .constant_expression(expression, to)
                        .and_then(|value| value.as_integer());
                }
                sema.evaluate_value(value, span).and_then(|value| value.as_integer())
            }
        })
    }
    /// Whether a value can be one of an integer type.
    pub(crate) fn fits(&self, value: i128, ty: hir::TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Bool => (0..=1).contains(&value),
            Type::Integer(kind) => kind.wrap(value) == value,
            _ => true,
        }
    }
    fn declare_enumerator(
        &mut self,
        name: Symbol,
        entity: Entity,
        span: Span,
        enum_scope: crate::sema::ScopeId,
        scoped: bool,
    ) {
        let around = self.scopes.get(enum_scope).parent.unwrap_or(self.scope);
        let clash = match scoped {
            true => self.scopes.get(enum_scope).get(name).first(),
            false => self
                .scopes
                .get(around)
                .get(name)
                .iter()
                .find(|declared| !declared.entity.is_tag()),
        };
        if let Some(declared) = clash.copied() {
            let message = format!("`{}` is declared already", self.text(name));
            self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
            return;
        }
        self.in_scope(enum_scope, |sema| sema.declare(name, entity, span));
        if !scoped {
            self.in_scope(around, |sema| sema.declare_member(name, entity, span));
        }
    }
    /// Numbers unnamed types, and local ones of the same name.
    pub(crate) fn next_unnamed(&mut self, name: Option<Symbol>) -> u32 {
        let local = self.function.function.is_some();
        if name.is_some() && !local {
            return 0;
        }
        let key = (self.hir_scope(self.scope), name);
        let count = self.unnamed_types.entry(key).or_insert(0);
        *count += 1;
        *count - 1
    }
}

/// The underlying type of an enumeration that names none: the first of these that has room for all values.
fn smallest_type(least: i128, greatest: i128) -> hir::TypeId {
    let candidates = [
        (IntegerKind::UnsignedInt, Types::UNSIGNED_INT),
        (IntegerKind::Int, Types::INT),
        (IntegerKind::UnsignedLong, Types::UNSIGNED_LONG),
        (IntegerKind::Long, Types::LONG),
    ];
    candidates
        .into_iter()
        .find(|(kind, _)| {
            kind.wrap(least) == least && kind.wrap(greatest) == greatest && (least < 0 || !kind.is_signed())
        })
        .map_or(Types::LONG, |(_, ty)| ty)
}
