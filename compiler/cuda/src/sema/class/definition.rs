//! Class definitions: from the head to the end ([class.name], [class.mem]).

use crate::hir::{self, ClassId, ClassKind};
use crate::sema::entity::{BaseInfo, ClassState};
use crate::sema::lookup::Qualification;
use crate::sema::scope::{Access, Declared, ScopeId, ScopeKind};
use crate::sema::template::pack::Pattern;
use crate::sema::{Entity, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, DeclarationKind, TypeSpecifier};

/// The typed program's kind of class.
pub(crate) fn class_kind(key: ast::ClassKey) -> ClassKind {
    match key {
        ast::ClassKey::Class => ClassKind::Class,
        ast::ClassKey::Struct => ClassKind::Struct,
        ast::ClassKey::Union => ClassKind::Union,
    }
}

/// The scope's idea of access.
pub(crate) fn access_of(access: ast::Access) -> Access {
    match access {
        ast::Access::Public => Access::Public,
        ast::Access::Protected => Access::Protected,
        ast::Access::Private => Access::Private,
    }
}

impl<'a> Sema<'a> {
    /// Elaborates a class definition in the current scope; `None` after a message.
    pub(crate) fn define_class(&mut self, id: ast::Id<ast::Class>, specifiers: &'a ast::Specifiers) -> Option<ClassId> {
        let ast = self.ast;
        let node = &ast[id];
        let _ = specifiers;
        let Some(name) = node.name else {
            let class = self.new_class(None, node.key, self.scope, Span::of(node.span.first));
            self.classes[class.index()].anonymous = true;
            self.complete_definition(class, id);
            return Some(class);
        };
        let name_node = &ast[name];
        let ast::UnqualifiedName::Identifier(symbol) = name_node.last else {
            self.error(
                name_node.span,
                "a class with template arguments is a specialisation: `template <>` is missing",
            );
            return None;
        };
        let scope = match self.resolve_declared(name_node)? {
            Qualification::None => self.scope,
            Qualification::Scope(scope) => scope,
            Qualification::Dependent => return None,
        };
        let known = self.declared_class(scope, symbol, name_node.last_span)?;
        let class = match known {
            Some(class) => class,
            None if !name_node.is_unqualified() => {
                self.report_undeclared(name, "class");
                return None;
            }
            None => self.new_class(Some(symbol), node.key, scope, name_node.last_span),
        };
        if self.classes[class.index()].state != ClassState::Declared {
            let earlier = self.program.class(class).span;
            let message = format!("`{}` is defined already", self.class_name(class));
            self.emit(Report::error(name_node.last_span, message).note_at(earlier, "defined here"));
            return Some(class);
        }
        self.program.class_mut(class).span = name_node.last_span;
        self.program.class_mut(class).kind = class_kind(node.key);
        // Member classes of a class template's instance are instantiated when they are needed ([temp.inst]/2).
        if matches!(self.scopes.kind(self.scope), ScopeKind::Class(_))
            && self.in_template_instance()
            && self.function.function.is_none()
        {
            self.classes[class.index()].pending = Some(id);
            return Some(class);
        }
        self.complete_definition(class, id);
        Some(class)
    }
    /// The class that a scope has under a name; `None` after a message if the name is something else there.
    pub(crate) fn declared_class(&mut self, scope: ScopeId, symbol: Symbol, span: Span) -> Option<Option<ClassId>> {
        for declared in self.scopes.get(scope).get(symbol).to_vec() {
            match declared.entity {
                Entity::Class(class) => {
                    // The injected name is the class around.
                    if self.scopes.kind(scope) == ScopeKind::Class(class) {
                        continue;
                    }
                    if declared.hidden
                        && let Some(list) = self.scopes.get_mut(scope).get_mut(symbol)
                    {
                        for declared in list {
                            declared.hidden = false;
                        }
                    }
                    return Some(Some(class));
                }
                Entity::Enum(_) | Entity::Typedef(_) | Entity::Template(_) | Entity::Namespace(_) => {
                    if declared.from_using {
                        continue;
                    }
                    let message = format!("`{}` is declared already, and as no class", self.text(symbol));
                    self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
                    return None;
                }
                Entity::Error => return None,
                _ => {}
            }
        }
        Some(None)
    }
    /// A new class, declared in a scope if it has a name.
    pub(crate) fn new_class(
        &mut self,
        name: Option<Symbol>,
        key: ast::ClassKey,
        scope: ScopeId,
        span: Span,
    ) -> ClassId {
        let mut class = hir::Class::new(
            name.map(|name| self.shared(name)),
            self.hir_scope(scope),
            class_kind(key),
            span,
        );
        class.discriminator = self.next_unnamed(name);
        let id = self.in_scope(scope, |sema| sema.add_class(class, name));
        if let Some(name) = name {
            self.in_scope(scope, |sema| sema.declare_member(name, Entity::Class(id), span));
        }
        id
    }
    /// Reads the body of a class.
    pub(crate) fn complete_definition(&mut self, class: ClassId, id: ast::Id<ast::Class>) {
        let ast = self.ast;
        let node = &ast[id];
        let scope = self.classes[class.index()].scope;
        self.classes[class.index()].state = ClassState::InProgress;
        self.classes[class.index()].syntax = Some(id);
        let saved_access = std::mem::replace(&mut self.access, Access::Public);
        let saved_this = self.function.this.take();
        let saved_extern = std::mem::take(&mut self.linkage_extern);
        let saved_c = std::mem::take(&mut self.linkage_c);
        if let Some(name) = self.classes[class.index()].name {
            let declared = Declared {
                entity: Entity::Class(class),
                order: 0,
                span: self.program.class(class).span,
                access: Access::Public,
                hidden: false,
                from_using: false,
            };
            self.scopes.declare(scope, name, declared);
        }
        let alignment = self.alignment(node.attributes.iter());
        let packed = node
            .attributes
            .iter()
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::Packed));
        let entry = self.program.class_mut(class);
        entry.alignment = alignment;
        entry.packed_by_attribute = packed;
        entry.pragma_packing = node.packing.map(u64::from);
        entry.is_final = node.is_final;
        // `struct space::derived : base`: names of bases are looked up where the class is a member ([basic.lookup.unqual]/7).
        let around = self.scopes.get(scope).parent.unwrap_or(self.scope);
        self.in_scope(around, |sema| sema.read_bases(class, node));
        self.in_scope(scope, |sema| {
            for member in &node.members {
                sema.access = access_of(member.access);
                sema.member_declaration(class, member.declaration);
            }
        });
        if self.options.cpp20 {
            self.declare_implicit_equality(class);
        }
        self.access = saved_access;
        self.function.this = saved_this;
        self.linkage_extern = saved_extern;
        self.linkage_c = saved_c;
        self.finish_class(class, node.span);
    }
    fn read_bases(&mut self, class: ClassId, node: &'a ast::Class) {
        for base in &node.bases {
            if base.pack_expansion {
                self.expand(Pattern::Type(base.type_id), base.span, |sema| {
                    sema.read_base(class, node, base)
                });
            } else {
                self.read_base(class, node, base);
            }
        }
    }
    fn read_base(&mut self, class: ClassId, node: &'a ast::Class, base: &'a ast::BaseSpecifier) {
        let around = self.base_clause.replace(class);
        let ty = self.type_of_type_id(base.type_id);
        self.base_clause = around;
        if ty.id == hir::Types::ERROR {
            return;
        }
        let Some(base_class) = self.program.types.as_class(ty.id) else {
            let message = format!("`{}` is no class and cannot be a base", self.show(ty));
            self.error(base.span, message);
            return;
        };
        if node.key == ast::ClassKey::Union || self.program.class(base_class).kind == ClassKind::Union {
            self.error(base.span, "unions have no bases and are none");
            return;
        }
        if !self.require_complete(ty.id, base.span, "base class") {
            return;
        }
        if self.program.class(base_class).is_final {
            let declared = self.program.class(base_class).span;
            let message = format!("`{}` is `final` and cannot be a base", self.show(ty));
            self.emit(Report::error(base.span, message).note_at(declared, "declared here"));
            return;
        }
        if self.classes[class.index()]
            .bases
            .iter()
            .any(|known| known.class == base_class)
        {
            let message = format!("`{}` is a direct base twice", self.show(ty));
            self.error(base.span, message);
            return;
        }
        let default = match node.key {
            ast::ClassKey::Class => Access::Private,
            ast::ClassKey::Struct | ast::ClassKey::Union => Access::Public,
        };
        let depth = self.classes[base_class.index()].base_depth + 1;
        if depth > super::BASE_DEPTH {
            let message = format!(
                "classes with more than {} bases above each other are not supported",
                super::BASE_DEPTH
            );
            self.error(base.span, message);
            return;
        }
        let is_dependent = self.is_within_instance(class) && self.mentions_bound_parameters(base.type_id);
        let info = &mut self.classes[class.index()];
        info.base_depth = info.base_depth.max(depth);
        info.bases.push(BaseInfo {
            class: base_class,
            access: base.access.map_or(default, access_of),
            is_virtual: base.is_virtual,
            is_dependent,
            span: base.span,
        });
        self.program.class_mut(class).bases.push(hir::Base {
            class: base_class,
            is_virtual: base.is_virtual,
        });
    }
    /// One member declaration ([class.mem]).
    fn member_declaration(&mut self, class: ClassId, id: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            DeclarationKind::Function(_) | DeclarationKind::Simple { .. } if self.is_abbreviated_template(id) => {
                self.abbreviated_template(id)
            }
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => self.simple_member(class, *specifiers, declarators, span),
            DeclarationKind::Function(definition) => {
                let node = &ast[*definition];
                let base = self.specifiers_type(node.specifiers, false);
                let function = self.declare_function(crate::sema::declaration::FunctionDeclaration {
                    specifiers: node.specifiers,
                    base,
                    declarator: node.declarator,
                    definition: Some(*definition),
                    is_pure: false,
                    instance: None,
                });
                if let Some(function) = function {
                    self.note_method(class, function, node.declarator);
                }
            }
            DeclarationKind::Template {
                parameters,
                requires,
                declaration,
            } => self.template_declaration(parameters, *requires, *declaration),
            DeclarationKind::DeductionGuide { .. } => self.deduction_guide(id, None),
            DeclarationKind::Empty
            | DeclarationKind::StructuredBinding { .. }
            | DeclarationKind::Namespace { .. }
            | DeclarationKind::NamespaceAlias { .. }
            | DeclarationKind::UsingDirective { .. }
            | DeclarationKind::UsingDeclaration { .. }
            | DeclarationKind::UsingEnum { .. }
            | DeclarationKind::Alias { .. }
            | DeclarationKind::Linkage { .. }
            | DeclarationKind::StaticAssert { .. }
            | DeclarationKind::Concept { .. }
            | DeclarationKind::ExplicitSpecialization { .. }
            | DeclarationKind::ExplicitInstantiation { .. }
            | DeclarationKind::Asm(_)
            | DeclarationKind::Attributes(_)
            | DeclarationKind::Error => self.declaration(id),
        }
    }
    fn simple_member(
        &mut self,
        class: ClassId,
        specifiers: ast::Id<ast::Specifiers>,
        declarators: &'a [ast::InitDeclarator],
        span: Span,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        if declarators.is_empty() && node.is_friend {
            self.friend_type(class, specifiers, span);
            return;
        }
        let base = self.specifiers_type(specifiers, declarators.is_empty());
        if declarators.is_empty() {
            if let TypeSpecifier::Class(definition) = node.type_specifier
                && ast[definition].name.is_none()
            {
                self.anonymous_member(class, base, span);
            }
            return;
        }
        for declarator in declarators {
            self.member_declarator(class, specifiers, base, declarator);
        }
    }
    fn member_declarator(
        &mut self,
        class: ClassId,
        specifiers: ast::Id<ast::Specifiers>,
        base: hir::QualifiedType,
        declarator: &'a ast::InitDeclarator,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        let written = &ast[declarator.declarator];
        if node.is_typedef {
            let ty = self.declarator_type(base, declarator.declarator).ty;
            if let Some(name) = written.name.and_then(|name| ast[name].as_identifier()) {
                self.name_unnamed(ty, name);
                self.declare_typedef(name, ty, written.span);
                self.note_typedef_alignment(specifiers, declarator.declarator, written.span, ty);
            }
            return;
        }
        if self.declares_function(base, written) {
            let function = self.declare_function(crate::sema::declaration::FunctionDeclaration {
                specifiers,
                base,
                declarator: declarator.declarator,
                definition: None,
                is_pure: declarator.is_pure,
                instance: None,
            });
            if let Some(function) = function
                && !node.is_friend
            {
                self.note_method(class, function, declarator.declarator);
            }
            return;
        }
        if node.is_friend {
            self.error(declarator.span, "only functions and classes are friends");
            return;
        }
        if node.storage == ast::StorageClass::Static {
            self.declare_variable(crate::sema::declaration::VariableDeclaration {
                specifiers,
                base,
                declarator,
                instance: None,
            });
            return;
        }
        self.declare_field(class, specifiers, base, declarator);
    }
    /// What a class is once all members are there.
    pub(crate) fn finish_class(&mut self, class: ClassId, span: Span) {
        self.classes[class.index()].state = ClassState::Complete;
        self.classes[class.index()].polymorphic = self.program.is_polymorphic(class);
        self.compute_special_members(class);
        if let Err(error) = self.program.complete_class(class) {
            let place = error
                .field
                .and_then(|field| {
                    self.program
                        .class(class)
                        .fields
                        .get(field.index())
                        .map(|field| field.span)
                })
                .unwrap_or(span);
            self.error(place, error.reason);
            self.classes[class.index()].state = ClassState::Failed;
        }
        self.check_virtual_functions(class);
    }
}
