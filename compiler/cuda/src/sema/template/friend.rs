//! Templates that are friends ([temp.friend]).

use super::{TemplateKind, TemplateParameter};
use crate::sema::lookup::Qualification;
use crate::sema::{Entity, Friend, ScopeId, Sema};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `template <…> friend class name;`.
    pub(super) fn friend_class_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        name: ast::Id<ast::QualifiedName>,
        declaration: ast::Id<ast::Declaration>,
    ) {
        let ast = self.ast;
        let Some(class) = self.scopes.class_around(self.scope) else {
            self.error(ast[name].span, "only classes have friends");
            return;
        };
        let Some((symbol, _)) = self.name_parts(&ast[name].last) else {
            return;
        };
        let Some(template) = self.named_class_template(&ast[name], symbol) else {
            return;
        };
        // The friend may be declared after the template whose instance this is.
        let namespace = self.scopes.namespace_around(self.scope);
        let template = template.or_else(|| {
            let known = self.scopes.get(namespace).get(symbol);
            known.iter().find_map(|declared| match declared.entity {
                Entity::Template(template) if self.template(template).kind == TemplateKind::Class => Some(template),
                _ => None,
            })
        });
        let template = match template {
            Some(template) => template,
            None => {
                let scope = self.scopes.namespace_around(self.scope);
                self.in_scope(scope, |sema| {
                    let template = sema.add_template(
                        TemplateKind::Class,
                        symbol,
                        scope,
                        own,
                        declaration,
                        ast[name].last_span,
                    );
                    sema.template_name(template);
                    sema.declare_member(symbol, Entity::Template(template), ast[name].last_span);
                    template
                })
            }
        };
        self.classes[class.index()].friends.push(Friend::Template(template));
    }
    /// The scope of a function template that is a friend by its qualified name. A member of all instances of a class template is noted at once ([temp.friend]/5).
    pub(super) fn befriended_scope(
        &mut self,
        own: &[TemplateParameter<'a>],
        name: &'a ast::QualifiedName,
    ) -> Option<ScopeId> {
        if !self.names_outside_member(name) {
            return match self.resolve_declared(name) {
                Some(Qualification::Scope(scope)) => Some(scope),
                Some(Qualification::None | Qualification::Dependent) | None => None,
            };
        }
        let template = self.resolve_outside(&own.to_vec().into(), name)?.template;
        let (member, _) = self.name_parts(&name.last)?;
        let class = self.scopes.class_around(self.scope)?;
        self.classes[class.index()]
            .friends
            .push(Friend::Member { template, member });
        None
    }
}
