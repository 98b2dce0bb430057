//! Elaborated type specifiers: `struct X` ([dcl.type.elab]).

use super::definition::class_kind;
use crate::hir::{ClassKind, QualifiedType, Types};
use crate::sema::lookup::Wanted;
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, Found, Sema};
use crate::source::Report;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `struct X`: looks the class up, and declares it if it is alone or not there yet.
    pub(crate) fn elaborated_class(
        &mut self,
        key: ast::ClassKey,
        name: ast::Id<ast::QualifiedName>,
        attributes: &'a [ast::Attribute],
        alone: bool,
        is_friend: bool,
    ) -> QualifiedType {
        let ast = self.ast;
        let node = &ast[name];
        let _ = attributes;
        if alone
            && !is_friend
            && let Some(symbol) = node.as_identifier()
        {
            // A declaration of its own: it declares in this scope whatever is around.
            let Some(known) = self.declared_class(self.scope, symbol, node.last_span) else {
                return Types::ERROR.unqualified();
            };
            let class = match known {
                Some(class) => class,
                None => self.new_class(Some(symbol), key, self.scope, node.last_span),
            };
            return self.class_type(class).unqualified();
        }
        let lookup = self.lookup_wanted(name, Wanted::Type);
        match lookup.found {
            Found::Type(ty) => {
                let Some(class) = self.program.types.as_class(ty.id) else {
                    let message = format!("`{}` is no class", self.show(ty));
                    self.emit(Report::error(node.span, message).note_at(lookup.declared, "declared here"));
                    return Types::ERROR.unqualified();
                };
                let is_union = self.program.class(class).kind == ClassKind::Union;
                if is_union != (class_kind(key) == ClassKind::Union) {
                    let word = if is_union { "union" } else { "class" };
                    let message = format!("`{}` is a {word}", self.show(ty));
                    self.emit(Report::error(node.span, message).note_at(lookup.declared, "declared here"));
                }
                ty
            }
            Found::Template(template) if is_friend => {
                let _ = template;
                Types::ERROR.unqualified()
            }
            Found::Template(template) => self.placeholder_of(template).unqualified(),
            Found::Nothing => match node.as_identifier() {
                // Declared in the innermost namespace or block ([basic.scope.pdecl]/7).
                Some(symbol) => {
                    let scope = self
                        .scopes
                        .outwards(self.scope)
                        .find(|&scope| {
                            let kind = self.scopes.kind(scope);
                            matches!(kind, ScopeKind::Namespace { .. } | ScopeKind::Block) && !is_friend
                                || matches!(kind, ScopeKind::Namespace { .. })
                        })
                        .unwrap_or(crate::sema::ScopeId::GLOBAL);
                    // A friend declaration before this one has declared it, without making it visible; or this stands in a template, and what it declares has
                    // been declared again since.
                    let known = self.scopes.get(scope).get(symbol).iter().find_map(|declared| {
                        let in_template = self.in_template_instance() && !declared.hidden;
                        match declared.entity {
                            Entity::Class(class) if declared.hidden && is_friend || in_template => Some(class),
                            _ => None,
                        }
                    });
                    if let Some(class) = known {
                        return self.class_type(class).unqualified();
                    }
                    let class = self.new_class(Some(symbol), key, scope, node.last_span);
                    if is_friend && let Some(list) = self.scopes.get_mut(scope).get_mut(symbol) {
                        for declared in list
                            .iter_mut()
                            .filter(|declared| declared.entity == Entity::Class(class))
                        {
                            declared.hidden = true;
                        }
                    }
                    self.class_type(class).unqualified()
                }
                None => {
                    self.report_undeclared(name, "class");
                    Types::ERROR.unqualified()
                }
            },
            Found::Error => Types::ERROR.unqualified(),
            _ => {
                let text = self.name_text(name);
                self.emit(
                    Report::error(node.span, format!("`{text}` is no class")).note_at(lookup.declared, "declared here"),
                );
                Types::ERROR.unqualified()
            }
        }
    }
}
