//! Declarations ([dcl.dcl]).

pub(super) mod attribute;
mod binding;
mod complex;
mod empty_constructor;
mod enumeration;
mod function;
mod memory;
mod namespace;
mod redeclaration;
mod rules;
mod tuple;
pub(crate) mod types;
mod variable;

use super::Sema;
use super::scope::ScopeKind;
use crate::hir::{StatementId, StatementKind};
use crate::source::{Report, Span};
use crate::syntax::ast::{self, DeclarationKind};

pub(crate) use attribute::attributes_of;
pub(crate) use function::{FunctionDeclaration, FunctionNameParts, operator_name};
pub(crate) use variable::VariableDeclaration;

/// Deepest nesting of declarations.
const DECLARATION_DEPTH: usize = 10_000;

impl<'a> Sema<'a> {
    /// Elaborates declarations of a namespace, one after another.
    pub(crate) fn declare_all(&mut self, declarations: &'a [ast::Id<ast::Declaration>]) {
        for &declaration in declarations {
            if self.context.diagnostics.is_full() {
                return;
            }
            self.declaration(declaration);
        }
    }
    /// Elaborates a declaration in a namespace (or, of what may stand there, in a block; then the statements that it makes are in `function.pending`).
    pub(crate) fn declaration(&mut self, id: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let span = ast[id].span;
        if self.declaration_depth > DECLARATION_DEPTH {
            self.error(span, "declarations are nested too deeply");
            return;
        }
        self.declaration_depth += 1;
        match &ast[id].kind {
            DeclarationKind::Empty | DeclarationKind::Attributes(_) | DeclarationKind::Error => {}
            DeclarationKind::Function(_) | DeclarationKind::Simple { .. } if self.is_abbreviated_template(id) => {
                self.abbreviated_template(id)
            }
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => self.simple_declaration(*specifiers, declarators, span),
            DeclarationKind::Function(definition) => self.function_definition(*definition),
            DeclarationKind::StructuredBinding {
                specifiers,
                reference,
                names,
                initializer,
            } => self.structured_binding(*specifiers, *reference, names, initializer.as_ref(), span),
            DeclarationKind::Namespace {
                is_inline,
                name,
                declarations,
                ..
            } => self.namespace(*is_inline, *name, declarations, span),
            DeclarationKind::NamespaceAlias { name, target } => self.namespace_alias(*name, *target, span),
            DeclarationKind::UsingDirective { namespace } => self.using_directive(*namespace),
            DeclarationKind::UsingDeclaration { names } => self.using_declaration(names),
            DeclarationKind::UsingEnum { name } => self.using_enum(*name),
            DeclarationKind::Alias {
                name,
                name_span,
                type_id,
                ..
            } => {
                let ty = self.type_of_type_id(*type_id);
                self.declare_typedef(*name, ty, *name_span);
            }
            DeclarationKind::Linkage {
                is_c,
                braced,
                declarations,
            } => {
                let saved = (self.linkage_c, self.linkage_extern);
                self.linkage_c = *is_c;
                self.linkage_extern = !*braced;
                self.declare_all(declarations);
                (self.linkage_c, self.linkage_extern) = saved;
            }
            DeclarationKind::StaticAssert { condition, message } => self.static_assert(*condition, *message, span),
            DeclarationKind::Template {
                parameters,
                requires,
                declaration,
            } => self.template_declaration(parameters, *requires, *declaration),
            DeclarationKind::ExplicitSpecialization { declaration } => self.explicit_specialisation(*declaration),
            DeclarationKind::ExplicitInstantiation { is_extern, declaration } => {
                self.explicit_instantiation(*is_extern, *declaration)
            }
            DeclarationKind::DeductionGuide { .. } => self.deduction_guide(id, None),
            DeclarationKind::Concept { name_span, .. } => self.error(*name_span, "a concept is a template"),
            DeclarationKind::Asm(_) => self.not_supported(span, "`asm` outside of functions"),
        }
        self.declaration_depth -= 1;
    }
    /// Specifiers with declarators.
    fn simple_declaration(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarators: &'a [ast::InitDeclarator],
        span: Span,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        let base = match declarators {
            [declarator] => self.declared_specifiers(specifiers, declarator.declarator),
            _ => self.specifiers_type(specifiers, declarators.is_empty()),
        };
        if declarators.is_empty() {
            self.declaration_without_declarators(node, base, span);
            return;
        }
        for declarator in declarators {
            self.init_declarator(specifiers, base, declarator);
        }
    }
    /// The type of specifiers before a declarator: of a member that is declared outside of its class, they are accessed as from it ([class.access]/6).
    fn declared_specifiers(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
    ) -> crate::hir::QualifiedType {
        let qualified = self.ast[declarator]
            .name
            .is_some_and(|name| !self.ast[name].qualifiers.is_empty());
        let saved = self.function.unchecked_access;
        self.function.unchecked_access |= qualified;
        let base = self.specifiers_type(specifiers, false);
        self.function.unchecked_access = saved;
        base
    }
    fn declaration_without_declarators(
        &mut self,
        specifiers: &'a ast::Specifiers,
        base: crate::hir::QualifiedType,
        span: Span,
    ) {
        match &specifiers.type_specifier {
            ast::TypeSpecifier::Class(class) if self.ast[*class].name.is_none() => {
                self.anonymous_union_variable(specifiers, base, span)
            }
            ast::TypeSpecifier::Class(_)
            | ast::TypeSpecifier::ElaboratedClass { .. }
            | ast::TypeSpecifier::ElaboratedEnum { .. }
            | ast::TypeSpecifier::Enum(_)
            | ast::TypeSpecifier::Error => {}
            _ if base.id == crate::hir::Types::ERROR => {}
            _ => self.emit(Report::warning(span, "this declaration declares nothing")),
        }
    }
    /// One declarator with its initialiser: a typedef, a function or a variable.
    fn init_declarator(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        base: crate::hir::QualifiedType,
        declarator: &'a ast::InitDeclarator,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        let written = &ast[declarator.declarator];
        if node.is_typedef {
            let ty = self.declarator_type(base, declarator.declarator).ty;
            let Some(name) = written.name.and_then(|name| ast[name].as_identifier()) else {
                self.error(declarator.span, "a typedef declares a plain name");
                return;
            };
            self.name_unnamed(ty, name);
            let span = written.name.map_or(written.span, |name| ast[name].span);
            self.declare_typedef(name, ty, span);
            self.note_typedef_alignment(specifiers, declarator.declarator, span, ty);
            return;
        }
        if self.declares_function(base, written) {
            let declaration = FunctionDeclaration {
                specifiers,
                base,
                declarator: declarator.declarator,
                definition: None,
                is_pure: declarator.is_pure,
                instance: None,
            };
            if let Some(initializer) = &declarator.initializer
                && !declarator.is_pure
            {
                let _ = initializer;
                self.error(declarator.span, "a function has no initialiser");
            }
            self.declare_function(declaration);
            return;
        }
        self.declare_variable(VariableDeclaration {
            specifiers,
            base,
            declarator,
            instance: None,
        });
    }
    /// Whether a declarator declares a function: its first chunk is one, or the type is a function type that a typedef names.
    pub(crate) fn declares_function(&self, base: crate::hir::QualifiedType, declarator: &ast::Declarator) -> bool {
        match declarator.chunks.first() {
            Some(ast::DeclaratorChunk::Function(_)) => true,
            Some(_) => false,
            None => self.program.types.as_function(base.id).is_some() && declarator.name.is_some(),
        }
    }
    /// Elaborates a declaration in a block, and gives the statement that it is.
    pub fn declare_local(&mut self, id: ast::Id<ast::Declaration>) -> StatementId {
        let span = self.ast[id].span;
        let saved = std::mem::take(&mut self.function.pending);
        self.declaration(id);
        let mut statements = std::mem::replace(&mut self.function.pending, saved);
        if statements.len() == 1
            && let Some(only) = statements.pop()
        {
            return only;
        }
        let kind = match statements.is_empty() {
            true => StatementKind::Null,
            false => StatementKind::Group(statements),
        };
        self.program.add_statement(kind, span)
    }
    /// `static_assert` ([dcl.dcl]/6).
    pub(crate) fn static_assert(
        &mut self,
        condition: ast::Id<ast::Expression>,
        message: Option<ast::Id<ast::Expression>>,
        span: Span,
    ) {
        let ast = self.ast;
        if self.constant_bool(condition) != Some(false) {
            return;
        }
        let text = match message.map(|message| &ast[message].kind) {
            Some(ast::ExpressionKind::Literal(ast::Literal::String(text))) => format!(": {}", text.to_text()),
            _ => String::new(),
        };
        let mut report = Report::error(ast[condition].span, format!("static assertion failed{text}"));
        if let Some(note) = self.explain_comparison(condition) {
            report = report.note(note);
        }
        let _ = span;
        self.emit(report);
    }
    /// What the two sides of a comparison are, when an assertion of it fails.
    fn explain_comparison(&mut self, condition: ast::Id<ast::Expression>) -> Option<String> {
        use ast::BinaryOperator as B;
        let ast = self.ast;
        let ast::ExpressionKind::Binary {
            operator, left, right, ..
        } = &ast[condition].kind
        else {
            return None;
        };
        if !matches!(
            operator,
            B::Equal | B::NotEqual | B::Less | B::Greater | B::LessEqual | B::GreaterEqual
        ) {
            return None;
        }
        let values = self.trying(|sema| {
            let sides = [sema.expression(*left), sema.expression(*right)];
            sides.map(|side| {
                let ty = sema.program.type_of(side);
                let value = sema.try_evaluate_value(side)?;
                value.as_integer()?;
                Some(sema.program.show_constant(ty, &value))
            })
        });
        match values {
            Ok([Some(left), Some(right)]) => Some(format!("the left side is {left}, the right side is {right}")),
            _ => None,
        }
    }
    /// A typedef or alias in the current scope. The same again is allowed ([dcl.typedef]/3).
    pub(crate) fn declare_typedef(&mut self, name: crate::source::Symbol, ty: crate::hir::QualifiedType, span: Span) {
        use super::Entity;
        if self.contains_placeholder(ty) && ty.id != crate::hir::Types::ERROR {
            self.error(span, "a typedef cannot have a type that is to be deduced");
            return;
        }
        let existing = self.scopes.get(self.scope).get(name).to_vec();
        let in_class = matches!(self.scopes.kind(self.scope), ScopeKind::Class(_));
        if let Some(declared) = existing.into_iter().next() {
            if declared.entity == Entity::Error {
                return;
            }
            match self.entity_type(declared.entity) {
                Some(known) if known == ty && (!in_class || declared.entity.is_tag()) => return,
                Some(known) if known.id == crate::hir::Types::ERROR || ty.id == crate::hir::Types::ERROR => return,
                // Programs for compilers without headers declare `uint64_t` and the like, as they think fit; theirs stands from there on.
                Some(_) if self.overrides_a_header(&declared, span) => {
                    if let Some(list) = self.scopes.get_mut(self.scope).get_mut(name) {
                        list.retain(|other| other.order != declared.order);
                    }
                }
                _ => {
                    let message = format!("`{}` is declared already, as something else", self.text(name));
                    self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
                    return;
                }
            }
        }
        self.declare_member(name, Entity::Typedef(ty), span);
    }
    /// Whether a typedef of the program has the name of one of a header.
    fn overrides_a_header(&self, declared: &super::Declared, span: Span) -> bool {
        let map = &self.context.map;
        matches!(declared.entity, super::Entity::Typedef(_))
            && map.is_system(declared.span.first)
            && !map.is_system(span.first)
    }
    /// Declares a name in the current scope with the access in force; in a namespace, time goes on.
    pub(crate) fn declare_member(&mut self, name: crate::source::Symbol, entity: super::Entity, span: Span) {
        let declared = super::Declared {
            entity,
            order: self.clock,
            span,
            access: match self.scopes.kind(self.scope) {
                ScopeKind::Class(_) => self.access,
                _ => super::Access::Public,
            },
            hidden: false,
            from_using: false,
        };
        self.clock += 1;
        self.scopes.declare(self.scope, name, declared);
    }
}
