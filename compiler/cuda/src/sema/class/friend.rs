//! Friends that are classes ([class.friend]).

use crate::hir::{ClassId, Types};
use crate::sema::lookup::Wanted;
use crate::sema::{Entity, Friend, Sema};
use crate::source::Span;
use crate::syntax::ast::{self, TypeSpecifier};

impl<'a> Sema<'a> {
    /// `friend class X;`, `friend X;`.
    pub(super) fn friend_type(&mut self, class: ClassId, specifiers: ast::Id<ast::Specifiers>, span: Span) {
        let ast = self.ast;
        let name = match ast[specifiers].type_specifier {
            TypeSpecifier::ElaboratedClass { name, .. } | TypeSpecifier::Name { name, .. } => Some(name),
            _ => None,
        };
        // A template's own name without arguments inside of it, or another template.
        if let Some(name) = name
            && let Some(symbol) = ast[name].as_identifier()
            && let Some(declared) = self.search_outwards(symbol, Wanted::Type).list.first()
            && let Entity::Template(template) = declared.entity
        {
            self.classes[class.index()].friends.push(Friend::Template(template));
            return;
        }
        let ty = self.specifiers_type(specifiers, true);
        match self.program.types.as_class(ty.id) {
            Some(friend) => {
                self.classes[class.index()].friends.push(Friend::Class(friend));
                self.classes[friend.index()].befriended_by.push(class);
            }
            None if ty.id == Types::ERROR => {}
            // A type that is no class says nothing ([class.friend]/3).
            None => {
                let _ = span;
            }
        }
    }
}
