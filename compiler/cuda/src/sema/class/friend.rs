//! Friends of a class: other classes, and functions that are declared elsewhere ([class.friend]).

use crate::hir::{ClassId, FunctionId, FunctionName, Types};
use crate::sema::declaration::FunctionDeclaration;
use crate::sema::lookup::Wanted;
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, Friend, ScopeId, Sema};
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
    /// `friend R n::f(A);`, `friend R f<>(A);`: the function or the instance of a template that a qualified name or template arguments say is there already
    /// ([temp.friend]/1). What is declared is read in the class, except that names in a member of another class are first those of that class
    /// ([basic.lookup.unqual]/10).
    pub(crate) fn friend_elsewhere(
        &mut self,
        befriending: ClassId,
        declaration: &FunctionDeclaration,
        target: Option<ScopeId>,
    ) -> Option<FunctionId> {
        let ast = self.ast;
        let (declarator, specifiers) = (&ast[declaration.declarator], &ast[declaration.specifiers]);
        let node = &ast[declarator.name?];
        if let Some(definition) = declaration.definition {
            let name = ast[definition].declarator;
            self.error(ast[name].span, "a friend that is defined here has a name of its own");
            return None;
        }
        let class = target.and_then(|scope| match self.scopes.kind(scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        });
        let around = target.unwrap_or(self.scope);
        let name = self.in_scope(around, |sema| sema.function_name(declarator, specifiers, class))?;
        let base = match name.name {
            FunctionName::Conversion(to) => to,
            FunctionName::Constructor | FunctionName::Destructor => Types::VOID.unqualified(),
            FunctionName::Identifier(_) | FunctionName::Operator(_) | FunctionName::Literal(_) => declaration.base,
        };
        let in_member = class.and_then(|_| {
            let read = |sema: &mut Self| sema.declarator_type(base, declaration.declarator).ty;
            self.trying(|sema| sema.in_scope(around, read)).ok()
        });
        let ty = in_member.unwrap_or_else(|| self.declarator_type(base, declaration.declarator).ty);
        let function = self.instance_of_type(node, &name, target, ty.id, true)?;
        self.classes[befriending.index()]
            .friends
            .push(Friend::Function(function));
        Some(function)
    }
}
