//! Classes of templates: their members' names, which may all depend, and their members.

use rustc_hash::FxHashSet;

use crate::hir::ClassId;
use crate::sema::Sema;
use crate::sema::scope::ScopeId;
use crate::sema::template::OutsideMember;
use crate::source::Symbol;
use crate::syntax::ast::{self, DeclarationKind, TypeSpecifier};

impl<'a> Sema<'a> {
    /// The members of a class, with its names declared.
    pub(super) fn check_class(&mut self, id: ast::Id<ast::Class>) {
        self.in_dependent_scope(|sema| {
            if sema.declare_members(id) {
                sema.check_members(id);
            }
        });
    }
    /// Declares the names that a class's members are looked up among; whether all of them are known.
    fn declare_members(&mut self, id: ast::Id<ast::Class>) -> bool {
        let ast = self.ast;
        let class = &ast[id];
        let mut names = Vec::new();
        if let Some(name) = class.name {
            names.extend(self.identifier_of(name));
        }
        for member in &class.members {
            names.extend(self.declared_names(member.declaration));
            if let DeclarationKind::UsingEnum { name } = ast[member.declaration].kind {
                names.extend(self.enumerators_of(name));
            }
        }
        for base in &class.bases {
            if self.mentions_parameters(|walk| walk.type_id(base.type_id)) {
                // Names of bases that depend are not found without `this->` ([temp.dep]/3).
                continue;
            }
            match self.trying(|sema| sema.type_of_type_id(base.type_id)) {
                Ok(ty) => match self.program.types.as_class(ty.id) {
                    Some(base) => self.names_of_class(base, &mut FxHashSet::default(), &mut names),
                    None => return false,
                },
                Err(_) => return false,
            }
        }
        for name in names {
            self.declare_dependent(name, class.span);
        }
        true
    }
    /// The names of a class that is no template, and of its bases.
    fn names_of_class(&mut self, class: ClassId, seen: &mut FxHashSet<ClassId>, names: &mut Vec<Symbol>) {
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            if !seen.insert(class) {
                continue;
            }
            self.complete_class(class);
            let info = &self.classes[class.index()];
            names.extend(self.scopes.get(info.scope).all_names().map(|(name, _)| name));
            names.extend(info.name);
            open.extend(info.bases.iter().map(|base| base.class));
        }
    }
    fn check_members(&mut self, id: ast::Id<ast::Class>) {
        let ast = self.ast;
        for member in &ast[id].members {
            self.check_member(member.declaration);
        }
    }
    fn check_member(&mut self, id: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        match &ast[id].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                if let TypeSpecifier::Class(class) = ast[*specifiers].type_specifier {
                    self.check_class(class);
                }
                for declarator in declarators {
                    if ast[*specifiers].storage == ast::StorageClass::Static {
                        self.check_memory_in_template(*specifiers, declarator.declarator, true);
                    }
                    self.check_declarator(declarator);
                }
            }
            DeclarationKind::Function(function) => self.check_function_template(*function),
            DeclarationKind::StaticAssert { condition, .. } => self.check_expression(*condition),
            DeclarationKind::Template {
                parameters,
                declaration,
                ..
            } => self.in_dependent_scope(|sema| {
                sema.declare_parameters_of_template(parameters);
                sema.check_member(*declaration);
            }),
            _ => {}
        }
    }
    /// The definition of a member outside of the class template that a declaration declares.
    pub(super) fn check_outside_member(
        &mut self,
        class: ast::Id<ast::Declaration>,
        around: ScopeId,
        member: &OutsideMember<'a>,
    ) {
        let (Some(mut class), false) = (
            self.defined_class(class),
            self.context.map.is_system(self.ast[member.declaration].span.first),
        ) else {
            return;
        };
        let Some((first, rest)) = member.headers.split_first() else {
            return;
        };
        let own = self.unbound_scope(first, around, 0);
        self.scopes.get_mut(own).limit = Some(member.order);
        self.checking(own, None, |sema| {
            let inner = sema.scopes.add(crate::sema::ScopeKind::Template(None), Some(own));
            sema.in_scope(inner, |sema| {
                // The names of the class and of those in it that lead to the member; its own parameters hide none of them.
                let mut known = sema.declare_members(class);
                for &step in &member.path {
                    match sema.nested_class(class, step) {
                        Some(nested) => class = nested,
                        None => return,
                    }
                    known &= sema.declare_members(class);
                }
                if !known {
                    return;
                }
                let mut scope = sema.scope;
                for header in rest {
                    scope = sema.unbound_scope(header, scope, 0);
                }
                sema.in_scope(scope, |sema| sema.check_templated(member.declaration));
            });
        });
    }
    /// The class of a name that is defined among a class's members.
    fn nested_class(&self, class: ast::Id<ast::Class>, name: Symbol) -> Option<ast::Id<ast::Class>> {
        let ast = self.ast;
        ast[class].members.iter().find_map(|member| {
            let mut declaration = member.declaration;
            if let DeclarationKind::Template { declaration: inner, .. } = ast[declaration].kind {
                declaration = inner;
            }
            let nested = self.defined_class(declaration)?;
            (ast[nested].name.and_then(|of| self.identifier_of(of)) == Some(name)).then_some(nested)
        })
    }
    fn identifier_of(&self, name: ast::Id<ast::QualifiedName>) -> Option<Symbol> {
        match self.ast[name].last {
            ast::UnqualifiedName::Identifier(name) | ast::UnqualifiedName::Template { name, .. } => Some(name),
            _ => None,
        }
    }
    /// The enumerators of all enumerations of a name: which one is meant may depend.
    pub(super) fn enumerators_of(&self, name: ast::Id<ast::QualifiedName>) -> Vec<Symbol> {
        let wanted = self.identifier_of(name);
        let named = |of: &&ast::Enum| of.name.and_then(|name| self.identifier_of(name)) == wanted;
        let enumerators = self.ast.enumerations().iter().filter(named);
        let enumerators = enumerators.flat_map(|of| of.enumerators.iter().flatten());
        enumerators.map(|enumerator| enumerator.name).collect()
    }
    /// The names that a class or an enumeration in specifiers declares around it.
    pub(super) fn names_of_type(&self, specifiers: ast::Id<ast::Specifiers>) -> Vec<Symbol> {
        let ast = self.ast;
        let mut names = Vec::new();
        match ast[specifiers].type_specifier {
            TypeSpecifier::Class(class) => match ast[class].name {
                Some(name) => names.extend(self.identifier_of(name)),
                // Members of what has no name are members of what is around.
                None => {
                    for member in &ast[class].members {
                        names.extend(self.declared_names(member.declaration));
                    }
                }
            },
            TypeSpecifier::ElaboratedClass { name, .. } | TypeSpecifier::ElaboratedEnum { name } => {
                names.extend(self.identifier_of(name));
            }
            TypeSpecifier::Enum(enumeration) => {
                let node = &ast[enumeration];
                names.extend(node.name.and_then(|name| self.identifier_of(name)));
                names.extend(node.enumerators.iter().flatten().map(|enumerator| enumerator.name));
            }
            _ => {}
        }
        names
    }
    /// The names that a declaration declares.
    pub(super) fn declared_names(&self, id: ast::Id<ast::Declaration>) -> Vec<Symbol> {
        let ast = self.ast;
        match &ast[id].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                let mut names = self.names_of_type(*specifiers);
                for declarator in declarators {
                    names.extend(
                        ast[declarator.declarator]
                            .name
                            .and_then(|name| self.identifier_of(name)),
                    );
                }
                names
            }
            DeclarationKind::Function(function) => {
                let name = ast[ast[*function].declarator].name;
                name.and_then(|name| self.identifier_of(name)).into_iter().collect()
            }
            DeclarationKind::Alias { name, .. }
            | DeclarationKind::NamespaceAlias { name, .. }
            | DeclarationKind::Concept { name, .. } => vec![*name],
            DeclarationKind::UsingDeclaration { names } => names
                .iter()
                .filter_map(|&(_, name, _)| self.identifier_of(name))
                .collect(),
            DeclarationKind::Template { declaration, .. } | DeclarationKind::ExplicitSpecialization { declaration } => {
                self.declared_names(*declaration)
            }
            DeclarationKind::StructuredBinding { names, .. } => names.iter().map(|&(name, _)| name).collect(),
            _ => Vec::new(),
        }
    }
}
