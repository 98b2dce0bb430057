//! Functions of templates: signatures, statements, and the local names that depend on nothing.

use crate::hir::{self, StorageDuration, Type};
use crate::sema::Sema;
use crate::source::{Span, Symbol};
use crate::syntax::ast::{
    self, Condition, ConstexprKind, DeclarationKind, DeclaratorChunk, FunctionBody, StatementKind, TypeSpecifier,
};

impl<'a> Sema<'a> {
    /// A function with its body.
    pub(super) fn check_function_template(&mut self, id: ast::Id<ast::FunctionDefinition>) {
        let ast = self.ast;
        let function = &ast[id];
        self.in_dependent_scope(|sema| {
            if let Some(signature) = ast[function.declarator].function() {
                sema.check_signature(signature);
            }
            for initializer in &function.initializers {
                sema.check_initializer(&initializer.initializer);
            }
            match &function.body {
                FunctionBody::Compound(body) => sema.check_statement_parts(*body),
                FunctionBody::Try { body, handlers } => {
                    sema.check_statement_parts(*body);
                    sema.check_handlers(handlers);
                }
                FunctionBody::Default | FunctionBody::Delete | FunctionBody::Skipped => {}
            }
        });
    }
    /// Parameters, which stay declared, and what else of a signature has expressions.
    pub(super) fn check_signature(&mut self, signature: &ast::FunctionDeclarator) {
        for &parameter in &signature.parameters {
            let node = &self.ast[parameter];
            if let Some(default) = node.default {
                self.check_expression(default);
            }
            self.declare_local_name(node.specifiers, node.declarator, true);
        }
        if let ast::ExceptionSpecification::NoexceptIf(condition) = signature.exception {
            self.check_expression(condition);
        }
    }
    /// A name of a declarator: a variable of its type if that depends on nothing.
    fn declare_local_name(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        is_parameter: bool,
    ) {
        let ast = self.ast;
        let Some(name) = ast[declarator].name.and_then(|name| ast[name].as_identifier()) else {
            return;
        };
        let span = ast[declarator].span;
        match self.independent_type(specifiers, declarator, is_parameter) {
            Some(ty) => self.declare_independent(name, ty, span),
            None => self.declare_dependent(name, span),
        }
    }
    /// The type of a variable that depends on nothing, not even for its value.
    fn independent_type(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        is_parameter: bool,
    ) -> Option<hir::QualifiedType> {
        let ast = self.ast;
        let node = &ast[specifiers];
        let written = &ast[declarator];
        let named = !node.is_typedef
            && matches!(
                node.type_specifier,
                TypeSpecifier::Builtin(_) | TypeSpecifier::Name { .. }
            );
        let has_value = node.qualifiers.is_const || node.constexpr != ConstexprKind::None;
        let plain = written.chunks.iter().all(|chunk| {
            matches!(
                chunk,
                DeclaratorChunk::Pointer { .. }
                    | DeclaratorChunk::LvalueReference { .. }
                    | DeclaratorChunk::RvalueReference { .. }
            )
        });
        if !named || !plain || written.pack || has_value && !is_parameter || !node.attributes.is_empty() {
            return None;
        }
        if self.mentions_parameters(|walk| walk.specifiers(specifiers)) {
            return None;
        }
        let mut found = None;
        let reports = self.isolated(|sema| {
            let base = sema.specifiers_type(specifiers, false);
            let ty = sema.declarator_type(base, declarator).ty;
            found = Some(ty);
        });
        let ty = found.filter(|ty| ty.id != hir::Types::ERROR && reports.is_empty())?;
        (!self.contains_placeholder(ty)).then_some(ty)
    }
    fn declare_independent(&mut self, name: Symbol, ty: hir::QualifiedType, span: Span) {
        if matches!(self.program.types.get(ty.id), Type::Void) {
            return self.declare_dependent(name, span);
        }
        let text: hir::Name = self.context.text(name).into();
        let scope = hir::Scope::Namespace(hir::Program::GLOBAL);
        let variable = hir::Variable::new(Some(text), scope, ty, StorageDuration::Automatic, span);
        let id = self.add_variable(variable, Some(name));
        self.declare(name, crate::sema::Entity::Variable(id), span);
    }
    fn check_handlers(&mut self, handlers: &[ast::Handler]) {
        for handler in handlers {
            self.in_dependent_scope(|sema| {
                if let Some(parameter) = handler.parameter {
                    let node = &sema.ast[parameter];
                    sema.declare_local_name(node.specifiers, node.declarator, true);
                }
                sema.check_statement_parts(handler.body);
            });
        }
    }
    fn check_condition_parts(&mut self, condition: &Condition) {
        match *condition {
            Condition::Expression(expression) => self.check_expression(expression),
            Condition::Declaration(declaration) => self.check_local_declaration(declaration),
        }
    }
    fn check_optional(&mut self, statement: Option<ast::Id<ast::Statement>>) {
        if let Some(statement) = statement {
            self.check_statement_parts(statement);
        }
    }
    /// A statement; what it declares stays declared in the scope around.
    pub(super) fn check_statement_parts(&mut self, id: ast::Id<ast::Statement>) {
        let ast = self.ast;
        match &ast[id].kind {
            StatementKind::Null
            | StatementKind::Goto { .. }
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(None)
            | StatementKind::Error => {}
            StatementKind::Compound(statements) => self.in_dependent_scope(|sema| {
                for &statement in statements {
                    sema.check_statement_parts(statement);
                }
            }),
            StatementKind::Expression(expression)
            | StatementKind::IndirectGoto(expression)
            | StatementKind::Return(Some(expression)) => self.check_expression(*expression),
            StatementKind::Declaration(declaration) => self.check_local_declaration(*declaration),
            StatementKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => self.in_dependent_scope(|sema| {
                sema.check_optional(*init);
                sema.check_condition_parts(condition);
                sema.check_statement_parts(*then);
                sema.check_optional(*otherwise);
            }),
            StatementKind::IfConsteval { then, otherwise, .. } => self.in_dependent_scope(|sema| {
                sema.check_statement_parts(*then);
                sema.check_optional(*otherwise);
            }),
            StatementKind::Switch { init, condition, body } => self.in_dependent_scope(|sema| {
                sema.check_optional(*init);
                sema.check_condition_parts(condition);
                sema.check_statement_parts(*body);
            }),
            StatementKind::Case { low, high, body } => {
                self.check_expression(*low);
                self.check_expressions(high.as_slice());
                self.check_statement_parts(*body);
            }
            StatementKind::Default { body } | StatementKind::Label { body, .. } => self.check_statement_parts(*body),
            StatementKind::While { condition, body, .. } => self.in_dependent_scope(|sema| {
                sema.check_condition_parts(condition);
                sema.check_statement_parts(*body);
            }),
            StatementKind::DoWhile { body, condition, .. } => {
                self.in_dependent_scope(|sema| sema.check_statement_parts(*body));
                self.check_expression(*condition);
            }
            StatementKind::For {
                init,
                condition,
                increment,
                body,
                ..
            } => self.in_dependent_scope(|sema| {
                sema.check_optional(*init);
                if let Some(condition) = condition {
                    sema.check_condition_parts(condition);
                }
                sema.check_expressions(increment.as_slice());
                sema.check_statement_parts(*body);
            }),
            StatementKind::RangeFor {
                init,
                declaration,
                range,
                body,
                ..
            } => self.in_dependent_scope(|sema| {
                sema.check_optional(*init);
                sema.check_expression(*range);
                sema.check_local_declaration(*declaration);
                sema.check_statement_parts(*body);
            }),
            StatementKind::Try { body, handlers } => {
                self.check_statement_parts(*body);
                self.check_handlers(handlers);
            }
            StatementKind::Asm(statement) => {
                let statement = &ast[*statement];
                for operand in statement.outputs.iter().chain(&statement.inputs) {
                    self.check_expression(operand.expression);
                }
            }
        }
    }
    /// A declaration in a function.
    fn check_local_declaration(&mut self, id: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                for name in self.names_of_type(*specifiers) {
                    self.declare_dependent(name, span);
                }
                for declarator in declarators {
                    self.declare_local_name(*specifiers, declarator.declarator, false);
                    self.check_declarator(declarator);
                }
            }
            DeclarationKind::StructuredBinding { names, initializer, .. } => {
                if let Some(initializer) = initializer {
                    self.check_initializer(initializer);
                }
                for &(name, span) in names {
                    self.declare_dependent(name, span);
                }
            }
            DeclarationKind::StaticAssert { condition, .. } => self.check_expression(*condition),
            DeclarationKind::UsingDirective { namespace } => {
                let named = self.mentions_parameters(|walk| walk.name(*namespace));
                if !named {
                    self.elaborate_apart(|sema| sema.using_directive(*namespace));
                }
            }
            DeclarationKind::UsingEnum { name } => {
                for enumerator in self.enumerators_of(*name) {
                    self.declare_dependent(enumerator, span);
                }
            }
            _ => {
                for name in self.declared_names(id) {
                    self.declare_dependent(name, span);
                }
            }
        }
    }
    /// The expressions of a declarator and its initialiser.
    pub(super) fn check_declarator(&mut self, declarator: &ast::InitDeclarator) {
        let ast = self.ast;
        for chunk in &ast[declarator.declarator].chunks {
            match chunk {
                DeclaratorChunk::Array { size, .. } => self.check_expressions(size.as_slice()),
                DeclaratorChunk::Function(signature) => self.in_dependent_scope(|sema| sema.check_signature(signature)),
                DeclaratorChunk::Pointer { .. }
                | DeclaratorChunk::LvalueReference { .. }
                | DeclaratorChunk::RvalueReference { .. }
                | DeclaratorChunk::MemberPointer { .. } => {}
            }
        }
        self.check_expressions(declarator.bit_width.as_slice());
        if let Some(initializer) = &declarator.initializer {
            self.check_initializer(initializer);
        }
    }
}
