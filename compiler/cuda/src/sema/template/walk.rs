//! The names that a piece of syntax mentions: which packs an expansion expands, and whether a type depends on template parameters.

use crate::source::Symbol;
use crate::syntax::ast::{
    self, Ast, CaptureKind, DeclarationKind, ExpressionKind, Initializer, StatementKind, TypeSpecifier,
};

/// Collects names.
pub(crate) struct Walk<'a, F: FnMut(Symbol)> {
    /// The tree.
    pub(crate) ast: &'a Ast,
    /// Whether to look into expansions inside: they expand their own packs.
    pub(crate) through_expansions: bool,
    /// Whether `this` has been seen.
    pub(crate) mentions_this: bool,
    /// Takes each name.
    pub(crate) visit: F,
}

impl<'a, F: FnMut(Symbol)> Walk<'a, F> {
    fn list(&mut self, expressions: &[ast::Id<ast::Expression>]) {
        for &expression in expressions {
            self.expression(expression);
        }
    }
    /// An expression.
    pub(crate) fn expression(&mut self, id: ast::Id<ast::Expression>) {
        let ast = self.ast;
        match &ast[id].kind {
            ExpressionKind::Literal(_)
            | ExpressionKind::FunctionName { .. }
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::Throw(None)
            | ExpressionKind::Error => {}
            ExpressionKind::This => self.mentions_this = true,
            ExpressionKind::SizeofPack(name) => {
                if self.through_expansions {
                    (self.visit)(*name);
                }
            }
            ExpressionKind::Name(name) => self.name(*name),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary { operand: inner, .. }
            | ExpressionKind::SizeofExpression(inner)
            | ExpressionKind::AlignofExpression(inner)
            | ExpressionKind::Noexcept(inner)
            | ExpressionKind::TypeidExpression(inner)
            | ExpressionKind::Delete { operand: inner, .. }
            | ExpressionKind::Throw(Some(inner)) => self.expression(*inner),
            ExpressionKind::Binary { left, right, .. } => self.list(&[*left, *right]),
            ExpressionKind::Assign { target, value, .. } => self.list(&[*target, *value]),
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.expression(*condition);
                self.list(then.as_slice());
                self.expression(*otherwise);
            }
            ExpressionKind::Call { callee, arguments } => {
                self.expression(*callee);
                self.list(arguments);
            }
            ExpressionKind::KernelLaunch {
                callee,
                configuration,
                arguments,
            } => {
                self.expression(*callee);
                self.list(configuration);
                self.list(arguments);
            }
            ExpressionKind::Subscript { base, indices } => {
                self.expression(*base);
                self.list(indices);
            }
            ExpressionKind::Member { object, name, .. } => {
                self.expression(*object);
                // The member's own name is looked up in the object; its arguments are not.
                let node = &ast[*name];
                for qualifier in &node.qualifiers {
                    self.qualifier(qualifier);
                }
                self.last_arguments(&node.last);
            }
            ExpressionKind::FunctionalCast { type_id, initializer } => {
                self.type_id(*type_id);
                self.initializer(initializer);
            }
            ExpressionKind::Cast { type_id, operand, .. } | ExpressionKind::BitCast { type_id, operand } => {
                self.type_id(*type_id);
                self.expression(*operand);
            }
            ExpressionKind::CompoundLiteral { type_id, initializer } => {
                self.type_id(*type_id);
                self.expression(*initializer);
            }
            ExpressionKind::SizeofType(type_id)
            | ExpressionKind::AlignofType(type_id)
            | ExpressionKind::TypeidType(type_id) => {
                self.type_id(*type_id);
            }
            ExpressionKind::New(new) => {
                self.list(&new.placement);
                self.type_id(new.type_id);
                if let Some(initializer) = &new.initializer {
                    self.initializer(initializer);
                }
            }
            ExpressionKind::Fold { left, right, .. } => {
                if self.through_expansions || (left.is_some() && right.is_some()) {
                    self.list(left.as_slice());
                    self.list(right.as_slice());
                }
            }
            ExpressionKind::PackExpansion(inner) => {
                if self.through_expansions {
                    self.expression(*inner);
                }
            }
            ExpressionKind::Requires(requires) => self.requires(requires),
            ExpressionKind::Lambda(lambda) => self.lambda(*lambda),
            ExpressionKind::InitializerList(clauses) => {
                for clause in clauses {
                    self.expression(clause.value);
                }
            }
            ExpressionKind::StatementExpression(body) => self.statement(*body),
            ExpressionKind::TypeTrait { arguments, .. } => {
                for argument in arguments {
                    if !argument.pack_expansion || self.through_expansions {
                        self.type_id(argument.type_id);
                    }
                }
            }
            ExpressionKind::OffsetOf { type_id, path } => {
                self.type_id(*type_id);
                for step in path {
                    if let ast::OffsetDesignator::Index(index) = step {
                        self.expression(*index);
                    }
                }
            }
            ExpressionKind::VaArg { list, type_id } => {
                self.expression(*list);
                self.type_id(*type_id);
            }
        }
    }
    fn requires(&mut self, requires: &ast::RequiresExpression) {
        for &parameter in &requires.parameters {
            self.parameter(parameter);
        }
        for requirement in &requires.requirements {
            match requirement.kind {
                ast::RequirementKind::Expression { value, constraint, .. } => {
                    self.expression(value);
                    if let Some(constraint) = constraint {
                        self.name(constraint);
                    }
                }
                ast::RequirementKind::Type(type_id) => self.type_id(type_id),
                ast::RequirementKind::Nested(condition) => self.expression(condition),
            }
        }
    }
    fn lambda(&mut self, id: ast::Id<ast::Lambda>) {
        let ast = self.ast;
        let lambda = &ast[id];
        for capture in &lambda.captures {
            if capture.pack && !self.through_expansions {
                continue;
            }
            match &capture.kind {
                CaptureKind::This | CaptureKind::StarThis => self.mentions_this = true,
                CaptureKind::Copy(name) | CaptureKind::Reference(name) => (self.visit)(*name),
                CaptureKind::CopyInit(_, initializer) | CaptureKind::ReferenceInit(_, initializer) => {
                    self.initializer(initializer)
                }
            }
        }
        self.function(&lambda.function);
        self.statement(lambda.body);
    }
    /// An initialiser.
    pub(crate) fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Equal(value) | Initializer::Braced(value) => self.expression(*value),
            Initializer::Parenthesized(values) => self.list(values),
        }
    }
    /// A name.
    pub(crate) fn name(&mut self, id: ast::Id<ast::QualifiedName>) {
        let ast = self.ast;
        let node = &ast[id];
        for qualifier in &node.qualifiers {
            self.qualifier(qualifier);
        }
        if node.is_unqualified() {
            match &node.last {
                ast::UnqualifiedName::Identifier(name)
                | ast::UnqualifiedName::Template { name, .. }
                | ast::UnqualifiedName::Destructor { name, .. } => (self.visit)(*name),
                _ => {}
            }
        }
        self.last_arguments(&node.last);
    }
    fn last_arguments(&mut self, last: &ast::UnqualifiedName) {
        match last {
            ast::UnqualifiedName::Identifier(_) => {}
            ast::UnqualifiedName::Template { arguments, .. } => self.arguments(arguments),
            ast::UnqualifiedName::Operator { arguments, .. }
            | ast::UnqualifiedName::LiteralOperator { arguments, .. }
            | ast::UnqualifiedName::Destructor { arguments, .. } => {
                self.arguments(arguments.as_deref().unwrap_or_default())
            }
            ast::UnqualifiedName::Conversion(type_id) => self.type_id(*type_id),
            ast::UnqualifiedName::DestructorDecltype(expression) => self.expression(*expression),
        }
    }
    pub(crate) fn qualifier(&mut self, qualifier: &ast::Qualifier) {
        match &qualifier.part {
            ast::QualifierPart::Name(name) => (self.visit)(*name),
            ast::QualifierPart::Template { name, arguments } => {
                (self.visit)(*name);
                self.arguments(arguments);
            }
            ast::QualifierPart::Decltype(expression) => self.expression(*expression),
        }
    }
    /// Template arguments.
    pub(crate) fn arguments(&mut self, arguments: &[ast::TemplateArgument]) {
        for argument in arguments {
            if !argument.pack_expansion || self.through_expansions {
                self.argument(argument);
            }
        }
    }
    /// A template argument without its `...`.
    pub(crate) fn argument(&mut self, argument: &ast::TemplateArgument) {
        match argument.kind {
            ast::TemplateArgumentKind::Type(type_id) => self.type_id(type_id),
            ast::TemplateArgumentKind::Expression(expression) => self.expression(expression),
            ast::TemplateArgumentKind::Ambiguous { type_id, .. } => self.type_id(type_id),
        }
    }
    /// A type-id.
    pub(crate) fn type_id(&mut self, id: ast::Id<ast::TypeId>) {
        let ast = self.ast;
        self.specifiers(ast[id].specifiers);
        self.declarator(ast[id].declarator);
    }
    /// Specifiers.
    pub(crate) fn specifiers(&mut self, id: ast::Id<ast::Specifiers>) {
        let ast = self.ast;
        if let Some(constraint) = ast[id].constraint {
            self.name(constraint);
        }
        match &ast[id].type_specifier {
            TypeSpecifier::None
            | TypeSpecifier::Builtin(_)
            | TypeSpecifier::Auto
            | TypeSpecifier::DecltypeAuto
            | TypeSpecifier::Complex(_)
            | TypeSpecifier::Error => {}
            TypeSpecifier::Name { name, .. }
            | TypeSpecifier::ElaboratedClass { name, .. }
            | TypeSpecifier::ElaboratedEnum { name } => self.name(*name),
            TypeSpecifier::Class(class) => {
                for base in &ast[*class].bases {
                    self.type_id(base.type_id);
                }
                for member in &ast[*class].members {
                    self.declaration(member.declaration);
                }
            }
            TypeSpecifier::Enum(enumeration) => {
                for enumerator in ast[*enumeration].enumerators.iter().flatten() {
                    self.list(enumerator.value.as_slice());
                }
            }
            TypeSpecifier::Decltype(expression) | TypeSpecifier::TypeofExpression(expression) => {
                self.expression(*expression)
            }
            TypeSpecifier::TypeofType(type_id) => self.type_id(*type_id),
            TypeSpecifier::Transform { operand, .. } => self.type_id(*operand),
        }
        for attribute in &ast[id].attributes {
            match attribute.kind {
                ast::AttributeKind::Align(ast::AlignArgument::Expression(expression)) => self.expression(expression),
                ast::AttributeKind::Align(ast::AlignArgument::Type(type_id)) => self.type_id(type_id),
                _ => {}
            }
        }
    }
    /// A declarator, without its own name.
    pub(crate) fn declarator(&mut self, id: ast::Id<ast::Declarator>) {
        let ast = self.ast;
        for chunk in &ast[id].chunks {
            match chunk {
                ast::DeclaratorChunk::Pointer { .. }
                | ast::DeclaratorChunk::LvalueReference { .. }
                | ast::DeclaratorChunk::RvalueReference { .. } => {}
                ast::DeclaratorChunk::MemberPointer { class, .. } => {
                    for qualifier in class {
                        self.qualifier(qualifier);
                    }
                }
                ast::DeclaratorChunk::Array { size, .. } => self.list(size.as_slice()),
                ast::DeclaratorChunk::Function(function) => self.function(function),
            }
        }
    }
    fn function(&mut self, function: &ast::FunctionDeclarator) {
        for &parameter in &function.parameters {
            let pack = self.ast[self.ast[parameter].declarator].pack;
            if !pack || self.through_expansions {
                self.parameter(parameter);
            }
        }
        if let Some(result) = function.trailing_return {
            self.type_id(result);
        }
        if let ast::ExceptionSpecification::NoexceptIf(condition) = function.exception {
            self.expression(condition);
        }
    }
    /// A parameter.
    pub(crate) fn parameter(&mut self, id: ast::Id<ast::Parameter>) {
        let parameter = &self.ast[id];
        self.specifiers(parameter.specifiers);
        self.declarator(parameter.declarator);
    }
    fn declaration(&mut self, id: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        match &ast[id].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                self.specifiers(*specifiers);
                for declarator in declarators {
                    self.declarator(declarator.declarator);
                    if let Some(initializer) = &declarator.initializer {
                        self.initializer(initializer);
                    }
                }
            }
            DeclarationKind::Function(function) => {
                let function = &ast[*function];
                self.specifiers(function.specifiers);
                self.declarator(function.declarator);
                if let ast::FunctionBody::Compound(body) = function.body {
                    self.statement(body);
                }
            }
            DeclarationKind::StructuredBinding {
                specifiers,
                initializer,
                ..
            } => {
                self.specifiers(*specifiers);
                if let Some(initializer) = initializer {
                    self.initializer(initializer);
                }
            }
            DeclarationKind::Alias { type_id, .. } => self.type_id(*type_id),
            DeclarationKind::StaticAssert { condition, .. } | DeclarationKind::Concept { condition, .. } => {
                self.expression(*condition)
            }
            DeclarationKind::UsingDeclaration { names } => {
                for &(_, name, _) in names {
                    self.name(name);
                }
            }
            DeclarationKind::Template { declaration, .. } | DeclarationKind::ExplicitSpecialization { declaration } => {
                self.declaration(*declaration)
            }
            DeclarationKind::Empty
            | DeclarationKind::Namespace { .. }
            | DeclarationKind::NamespaceAlias { .. }
            | DeclarationKind::UsingDirective { .. }
            | DeclarationKind::UsingEnum { .. }
            | DeclarationKind::Linkage { .. }
            | DeclarationKind::ExplicitInstantiation { .. }
            | DeclarationKind::DeductionGuide { .. }
            | DeclarationKind::Asm(_)
            | DeclarationKind::Attributes(_)
            | DeclarationKind::Error => {}
        }
    }
    fn condition(&mut self, condition: &ast::Condition) {
        match *condition {
            ast::Condition::Expression(expression) => self.expression(expression),
            ast::Condition::Declaration(declaration) => self.declaration(declaration),
        }
    }
    /// A statement.
    pub(crate) fn statement(&mut self, id: ast::Id<ast::Statement>) {
        let ast = self.ast;
        let optional = |walk: &mut Self, statement: &Option<ast::Id<ast::Statement>>| {
            if let Some(statement) = *statement {
                walk.statement(statement);
            }
        };
        match &ast[id].kind {
            StatementKind::Null
            | StatementKind::Goto { .. }
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(None)
            | StatementKind::Error => {}
            StatementKind::Compound(statements) => {
                for &statement in statements {
                    self.statement(statement);
                }
            }
            StatementKind::Expression(expression)
            | StatementKind::IndirectGoto(expression)
            | StatementKind::Return(Some(expression)) => {
                self.expression(*expression);
            }
            StatementKind::Declaration(declaration) => self.declaration(*declaration),
            StatementKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => {
                optional(self, init);
                self.condition(condition);
                self.statement(*then);
                optional(self, otherwise);
            }
            StatementKind::IfConsteval { then, otherwise, .. } => {
                self.statement(*then);
                optional(self, otherwise);
            }
            StatementKind::Switch { init, condition, body } => {
                optional(self, init);
                self.condition(condition);
                self.statement(*body);
            }
            StatementKind::Case { low, high, body } => {
                self.expression(*low);
                self.list(high.as_slice());
                self.statement(*body);
            }
            StatementKind::Default { body } | StatementKind::Label { body, .. } => self.statement(*body),
            StatementKind::While { condition, body, .. } => {
                self.condition(condition);
                self.statement(*body);
            }
            StatementKind::DoWhile { body, condition, .. } => {
                self.statement(*body);
                self.expression(*condition);
            }
            StatementKind::For {
                init,
                condition,
                increment,
                body,
                ..
            } => {
                optional(self, init);
                if let Some(condition) = condition {
                    self.condition(condition);
                }
                self.list(increment.as_slice());
                self.statement(*body);
            }
            StatementKind::RangeFor {
                init,
                declaration,
                range,
                body,
                ..
            } => {
                optional(self, init);
                self.declaration(*declaration);
                self.expression(*range);
                self.statement(*body);
            }
            StatementKind::Try { body, handlers } => {
                self.statement(*body);
                for handler in handlers {
                    self.statement(handler.body);
                }
            }
            StatementKind::Asm(statement) => {
                let statement = &ast[*statement];
                for operand in statement.outputs.iter().chain(&statement.inputs) {
                    self.expression(operand.expression);
                }
            }
        }
    }
}
