//! Functions: declarations, redeclarations, definitions ([dcl.fct], [dcl.fct.def]).

use super::attribute::attributes_of;
use super::types::{DeclaredType, FunctionParts};
use crate::hir::{self, ClassId, FunctionId, FunctionName, LanguageLinkage, Linkage, QualifiedType, Type, Types};
use crate::sema::entity::{Callable, Candidate, DefaultArgument, Definition, Instance, SpecialMember};
use crate::sema::lookup::Qualification;
use crate::sema::scope::{Access, Declared, ScopeId, ScopeKind};
use crate::sema::{Entity, ExceptionSource, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, UnqualifiedName};

/// A function declaration to be elaborated.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDeclaration {
    /// The specifiers.
    pub(crate) specifiers: ast::Id<ast::Specifiers>,
    /// The type that they name.
    pub(crate) base: QualifiedType,
    /// The declarator.
    pub(crate) declarator: ast::Id<ast::Declarator>,
    /// The definition that the declarator is part of.
    pub(crate) definition: Option<ast::Id<ast::FunctionDefinition>>,
    /// `= 0`.
    pub(crate) is_pure: bool,
    /// The instance that is being made: no name is declared.
    pub(crate) instance: Option<Instance>,
}

/// A function's name with what it means for the kind of function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionNameParts {
    /// The symbol it is declared by.
    pub(crate) symbol: Symbol,
    /// As the typed program has it.
    pub(crate) name: FunctionName,
}

impl<'a> Sema<'a> {
    /// A definition in a namespace (or, as an error, in a block).
    pub(super) fn function_definition(&mut self, id: ast::Id<ast::FunctionDefinition>) {
        let ast = self.ast;
        let definition = &ast[id];
        if self.function.function.is_some() && self.is_local_scope(self.scope) {
            self.error(definition.span, "a function cannot be defined in a function");
            return;
        }
        let base = self.declared_specifiers(definition.specifiers, definition.declarator);
        self.declare_function(FunctionDeclaration {
            specifiers: definition.specifiers,
            base,
            declarator: definition.declarator,
            definition: Some(id),
            is_pure: false,
            instance: None,
        });
    }
    /// What a declarator's name makes the function, in the scope of which it is a member.
    pub(crate) fn function_name(
        &mut self,
        declarator: &'a ast::Declarator,
        specifiers: &'a ast::Specifiers,
        class: Option<ClassId>,
    ) -> Option<FunctionNameParts> {
        let ast = self.ast;
        let node = &ast[declarator.name?];
        let no_type = matches!(specifiers.type_specifier, ast::TypeSpecifier::None);
        let class_symbol = class.and_then(|class| self.classes[class.index()].name);
        let parts = |symbol: Symbol, name: FunctionName| Some(FunctionNameParts { symbol, name });
        match &node.last {
            UnqualifiedName::Identifier(name) | UnqualifiedName::Template { name, .. } => {
                if class.is_some() && Some(*name) == class_symbol && no_type {
                    return parts(*name, FunctionName::Constructor);
                }
                let shared = self.shared(*name);
                parts(*name, FunctionName::Identifier(shared))
            }
            UnqualifiedName::Operator { operator, .. } => {
                let symbol = self.operator_symbol(*operator);
                parts(symbol, FunctionName::Operator(operator_name(*operator)))
            }
            UnqualifiedName::Conversion(type_id) => {
                let to = self.type_of_type_id(*type_id);
                let symbol = self.conversion_symbol();
                parts(symbol, FunctionName::Conversion(to))
            }
            UnqualifiedName::LiteralOperator { suffix, .. } => {
                let symbol = self.literal_operator_symbol(*suffix);
                let shared = self.shared(*suffix);
                parts(symbol, FunctionName::Literal(shared))
            }
            UnqualifiedName::Destructor { .. } | UnqualifiedName::DestructorDecltype(_) => {
                let Some(symbol) = class_symbol.filter(|_| class.is_some()) else {
                    self.error(node.span, "a destructor is a member of its class");
                    return None;
                };
                parts(symbol, FunctionName::Destructor)
            }
        }
    }
    /// Elaborates a declaration or definition of a function. `None` after a message.
    pub(crate) fn declare_function(&mut self, declaration: FunctionDeclaration) -> Option<FunctionId> {
        let ast = self.ast;
        let declarator = &ast[declaration.declarator];
        let specifiers = &ast[declaration.specifiers];
        let Some(name) = declarator.name else {
            self.error(declarator.span, "a function declaration needs a name");
            return None;
        };
        let node = &ast[name];
        let target = match self.resolve_declared(node)? {
            Qualification::None => None,
            Qualification::Scope(scope) => Some(scope),
            Qualification::Dependent => return None,
        };
        let befriending = match specifiers.is_friend {
            true => self.scopes.class_around(self.scope),
            false => None,
        };
        let has_arguments = self.name_parts(&node.last).is_some_and(|(_, given)| given.is_some());
        if let Some(class) = befriending
            && declaration.instance.is_none()
            && (target.is_some() || has_arguments)
        {
            return self.friend_elsewhere(class, &declaration, target);
        }
        match target {
            // What follows the name is read in the scope that the name is a member of.
            Some(scope) => self.in_scope(scope, |sema| {
                sema.declare_function_here(declaration, declarator, specifiers, true, befriending)
            }),
            None => self.declare_function_here(declaration, declarator, specifiers, false, befriending),
        }
    }
    fn declare_function_here(
        &mut self,
        declaration: FunctionDeclaration,
        declarator: &'a ast::Declarator,
        specifiers: &'a ast::Specifiers,
        qualified: bool,
        befriending: Option<ClassId>,
    ) -> Option<FunctionId> {
        let is_friend = specifiers.is_friend;
        let lexical_class = match self.scopes.kind(self.scope) {
            ScopeKind::Class(class) => Some(class),
            // Instances of member templates are read in a scope of bindings in the class.
            ScopeKind::Template(_) => {
                self.scopes
                    .get(self.scope)
                    .parent
                    .and_then(|parent| match self.scopes.kind(parent) {
                        ScopeKind::Class(class) => Some(class),
                        _ => None,
                    })
            }
            _ => None,
        };
        let class = lexical_class.filter(|_| !is_friend || qualified);
        let name = self.function_name(declarator, specifiers, class)?;
        let is_static = specifiers.storage == ast::StorageClass::Static && class.is_some()
            || class.is_some()
                && matches!(
                    name.name,
                    FunctionName::Operator(
                        hir::OperatorName::New
                            | hir::OperatorName::NewArray
                            | hir::OperatorName::Delete
                            | hir::OperatorName::DeleteArray
                    )
                );
        let base = match name.name {
            FunctionName::Conversion(to) => to,
            FunctionName::Constructor | FunctionName::Destructor => Types::VOID.unqualified(),
            FunctionName::Identifier(_) | FunctionName::Operator(_) | FunctionName::Literal(_) => declaration.base,
        };
        if matches!(specifiers.type_specifier, ast::TypeSpecifier::None)
            && matches!(
                name.name,
                FunctionName::Identifier(_) | FunctionName::Operator(_) | FunctionName::Literal(_)
            )
        {
            let message = format!("the declaration of `{}` has no type", self.text(name.symbol));
            self.error(declarator.span, message);
            return None;
        }
        let saved = std::mem::replace(&mut self.declarator_class, class.filter(|_| !is_static));
        let declared = self.declarator_type(base, declaration.declarator);
        self.declarator_class = saved;
        let Type::Function(ty) = self.program.types.get(declared.ty.id).clone() else {
            return None;
        };
        let context = FunctionShape {
            name,
            ty,
            class,
            lexical_class,
            is_static,
            is_friend,
            befriending,
            qualified,
        };
        let span = declarator.name.map_or(declarator.span, |name| self.ast[name].last_span);
        let function = self.make_function(&declaration, declarator, specifiers, &declared, &context, span);
        self.enter_function(function, &declaration, declared, &context, span)
    }
    /// The function that a declaration describes, not yet entered anywhere.
    fn make_function(
        &mut self,
        declaration: &FunctionDeclaration,
        declarator: &'a ast::Declarator,
        specifiers: &'a ast::Specifiers,
        declared: &DeclaredType<'a>,
        shape: &FunctionShape,
        span: Span,
    ) -> hir::Function {
        let attributes = attributes_of(specifiers, declarator);
        let scope = match shape.class {
            Some(class) => hir::Scope::Class(class),
            None => self.hir_scope(self.scopes.namespace_around(self.scope)),
        };
        let ty = self.program.types.function(hir::FunctionType {
            noexcept: shape.ty.noexcept
                || shape.name.name == FunctionName::Destructor && !has_noexcept_condition(declared),
            ..shape.ty.clone()
        });
        let mut function = hir::Function::new(shape.name.name.clone(), scope, ty, span);
        function.space = self.execution_space(attributes.clone());
        function.kernel = self.kernel_attributes(attributes.clone(), function.space.global);
        function.inline = self.inline_hint(specifiers, attributes.clone());
        function.is_constexpr = matches!(
            specifiers.constexpr,
            ast::ConstexprKind::Constexpr | ast::ConstexprKind::Consteval
        );
        function.has_this = shape.class.is_some() && !shape.is_static;
        function.is_virtual = specifiers.is_virtual;
        function.is_pure = declaration.is_pure;
        function.is_explicit = match specifiers.explicit {
            ast::ExplicitSpecifier::None => false,
            ast::ExplicitSpecifier::Always => true,
            ast::ExplicitSpecifier::If(condition) => self.constant_bool(condition).unwrap_or(false),
        };
        function.no_return = attributes
            .clone()
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::NoReturn));
        function.label = declarator.asm_label.as_deref().map(hir::Name::from);
        // `main` has no types in its name: a lambda in it is `Z4mainEUlvE_`.
        let is_main = matches!(&function.name, FunctionName::Identifier(name) if &**name == "main")
            && function.scope == hir::Scope::Namespace(hir::Program::GLOBAL);
        function.language = match (self.linkage_c || is_main) && shape.class.is_none() {
            true => LanguageLinkage::C,
            false => LanguageLinkage::Cxx,
        };
        let in_class_definition = shape.lexical_class.is_some() && !shape.qualified && declaration.definition.is_some();
        let weak = attributes
            .clone()
            .any(|attribute| matches!(attribute.kind, ast::AttributeKind::Weak));
        let is_inline = specifiers.is_inline
            || attributes
                .clone()
                .any(|attribute| matches!(attribute.kind, ast::AttributeKind::ForceInline));
        function.linkage = if shape.class.is_none() && specifiers.storage == ast::StorageClass::Static
            || self.in_unnamed_namespace(self.scope)
        {
            Linkage::Internal
        } else if weak {
            Linkage::Weak
        } else if is_inline || function.is_constexpr || in_class_definition || declaration.instance.is_some() {
            Linkage::OnceOnly
        } else {
            Linkage::External
        };
        if in_class_definition && function.inline == hir::InlineHint::None {
            function.inline = hir::InlineHint::Inline;
        }
        if let Some(body) = declaration.definition.map(|definition| &self.ast[definition].body) {
            function.is_deleted = matches!(body, ast::FunctionBody::Delete);
            function.is_defaulted = matches!(body, ast::FunctionBody::Default);
            if function.is_defaulted {
                // What is defaulted in its class is `constexpr` where it can be ([dcl.fct.def.default]/3, [class.compare.default]/4).
                let comparison = matches!(
                    function.name,
                    FunctionName::Operator(name) if name != hir::OperatorName::Equal
                );
                function.is_constexpr |= in_class_definition || comparison;
            }
            // Whoever calls what is defaulted in its class makes it run there; after that, it is a definition like others.
            if function.is_defaulted && !shape.qualified {
                function.space = hir::ExecutionSpace {
                    host: true,
                    device: true,
                    global: false,
                };
            }
        }
        if let Some(parts) = &declared.function {
            function.parameters = parts.parameters.iter().map(|parameter| parameter.variable).collect();
        }
        function
    }
    /// Enters a function: as a redeclaration of one that is there, or new.
    fn enter_function(
        &mut self,
        function: hir::Function,
        declaration: &FunctionDeclaration,
        declared: DeclaredType<'a>,
        shape: &FunctionShape,
        span: Span,
    ) -> Option<FunctionId> {
        self.check_function(&function, declaration, &declared, shape, span);
        if declaration.instance.is_none() {
            if shape.class.is_none() && !shape.is_friend {
                let attributes = attributes_of(&self.ast[declaration.specifiers], &self.ast[declaration.declarator]);
                self.note_internal_function(&function, attributes, shape.name.symbol, span);
            }
            let scope = match (shape.is_friend && !shape.qualified, shape.class) {
                (true, _) => self.scopes.namespace_around(self.scope),
                (false, Some(class)) => self.classes[class.index()].scope,
                (false, None) => self.declaring_scope(),
            };
            let requires = declared
                .function
                .as_ref()
                .and_then(|parts| Some((parts.chunk.requires?, parts.scope)));
            if let (Some(_), Some(parts)) = (requires, &declared.function) {
                // The condition may name the parameters: by their places.
                for (index, parameter) in parts.parameters.iter().enumerate() {
                    self.signature_variables.insert(parameter.variable, (1, index as u32));
                }
            }
            match self.find_redeclared(&function, shape, scope, requires) {
                Redeclared::Function(known) => {
                    return self.redeclare(known, function, declaration, declared, shape, span);
                }
                Redeclared::Conflict => return None,
                Redeclared::No if shape.qualified => {
                    self.report_no_member(shape, scope, span);
                    return None;
                }
                Redeclared::No => {}
            }
        }
        let id = self.add_function(function, shape.name.symbol);
        self.fill_function_info(id, declaration, declared, shape);
        if declaration.instance.is_none() {
            self.declare_function_name(id, shape, span);
        }
        Some(id)
    }
    /// The scope in which an unqualified declaration at the current place declares: of function declarations in blocks the block.
    fn declaring_scope(&self) -> ScopeId {
        self.scope
    }
    /// Fills in what is known of a new function.
    fn fill_function_info(
        &mut self,
        id: FunctionId,
        declaration: &FunctionDeclaration,
        declared: DeclaredType<'a>,
        shape: &FunctionShape,
    ) {
        let around = self.scope;
        let is_consteval = self.ast[declaration.specifiers].constexpr == ast::ConstexprKind::Consteval;
        let special = self.special_kind(id, shape);
        let has = |kind: &dyn Fn(&ast::AttributeKind) -> bool| {
            attributes_of(&self.ast[declaration.specifiers], &self.ast[declaration.declarator])
                .any(|attribute| kind(&attribute.kind))
        };
        let nodiscard = has(&|kind| matches!(kind, ast::AttributeKind::NoDiscard));
        let deprecated = has(&|kind| matches!(kind, ast::AttributeKind::Deprecated));
        let access = self.access;
        let now = self.clock + 1;
        let info = &mut self.functions[id.index()];
        info.class = shape.class;
        info.access = if shape.class.is_some() { access } else { Access::Public };
        info.scope = around;
        info.instance = declaration.instance.clone();
        info.is_consteval = is_consteval;
        info.nodiscard = nodiscard;
        info.deprecated = deprecated;
        info.special = special;
        info.body_order = now;
        info.friend_of = shape.befriending;
        if let Some(parts) = declared.function {
            self.scopes.get_mut(parts.scope).kind = ScopeKind::Function(Some(id));
            for parameter in &parts.parameters {
                self.program.variable_mut(parameter.variable).scope = hir::Scope::Function(id);
                self.variables[parameter.variable.index()].function = Some(id);
            }
            self.take_parameters(id, &parts, None);
            let is_defaulted = declaration
                .definition
                .is_some_and(|definition| matches!(self.ast[definition].body, ast::FunctionBody::Default));
            self.note_exceptions(id, &parts, is_defaulted);
            self.note_constraint(id, &parts);
            if let Some(definition) = declaration.definition {
                self.attach_definition(id, definition, around, Some(parts.scope));
            }
        }
    }
    /// Remembers an exception specification that has to be worked out.
    pub(super) fn note_exceptions(&mut self, id: FunctionId, parts: &FunctionParts<'a>, is_defaulted: bool) {
        let is_destructor = self.program.function(id).name == FunctionName::Destructor;
        self.functions[id.index()].exceptions = match parts.chunk.exception {
            ast::ExceptionSpecification::NoexceptIf(condition) => ExceptionSource::Condition(condition, parts.scope),
            ast::ExceptionSpecification::None if is_defaulted || is_destructor => ExceptionSource::Parts,
            ast::ExceptionSpecification::None
            | ast::ExceptionSpecification::Noexcept
            | ast::ExceptionSpecification::Dynamic => ExceptionSource::Type,
        };
    }
    /// Remembers a trailing requires-clause; of templates it is the template's.
    fn note_constraint(&mut self, id: FunctionId, parts: &FunctionParts<'a>) {
        if self.functions[id.index()].instance.is_none() {
            self.functions[id.index()].constraint = parts.chunk.requires.map(|condition| (condition, parts.scope));
        }
    }
    /// Notes that a function has this definition, elaborated later.
    pub(crate) fn attach_definition(
        &mut self,
        id: FunctionId,
        definition: ast::Id<ast::FunctionDefinition>,
        around: ScopeId,
        body_scope: Option<ScopeId>,
    ) {
        let body = &self.ast[definition].body;
        let now = self.clock + 1;
        let info = &mut self.functions[id.index()];
        info.body_order = now;
        info.body_scope = body_scope;
        match body {
            ast::FunctionBody::Compound(_) | ast::FunctionBody::Try { .. } | ast::FunctionBody::Skipped => {
                info.definition = Definition::Syntax {
                    definition,
                    scope: around,
                };
            }
            ast::FunctionBody::Default => {
                info.definition = Definition::Implicit;
                self.program.function_mut(id).is_defaulted = true;
            }
            ast::FunctionBody::Delete => self.program.function_mut(id).is_deleted = true,
        }
        self.definitions.push(id);
    }
    /// Takes names and default arguments of parameters over. Default arguments may be there once ([dcl.fct.default]/4).
    pub(super) fn take_parameters(&mut self, id: FunctionId, parts: &FunctionParts<'a>, earlier: Option<Span>) {
        for (index, parameter) in parts.parameters.iter().enumerate() {
            if let Some(slot) = self.functions[id.index()].parameter_names.get_mut(index)
                && (slot.is_none() || parameter.name.is_some())
            {
                *slot = parameter.name;
            }
            let Some(default) = parameter.default else {
                continue;
            };
            let Some(known) = self.functions[id.index()].defaults.get(index).copied() else {
                continue;
            };
            if !matches!(known, DefaultArgument::None) {
                let span = self.ast[default].span;
                let mut report = Report::error(span, "this parameter has a default argument already");
                if let Some(earlier) = earlier {
                    report = report.note_at(earlier, "declared here");
                }
                self.emit(report);
                continue;
            }
            self.functions[id.index()].defaults[index] = DefaultArgument::Syntax(default, parameter.scope);
        }
        let defaults = &self.functions[id.index()].defaults;
        let first = defaults
            .iter()
            .position(|default| !matches!(default, DefaultArgument::None));
        if let Some(first) = first
            && let Some(gap) = defaults[first..]
                .iter()
                .position(|default| matches!(default, DefaultArgument::None))
            && let Some(parameter) = parts.parameters.get(first + gap)
            && self.functions[id.index()].instance.is_none()
        {
            let span = self.program.variable(parameter.variable).span;
            self.error(
                span,
                "this parameter needs a default argument, as one before it has one",
            );
        }
    }
    /// Declares a new function's name.
    fn declare_function_name(&mut self, id: FunctionId, shape: &FunctionShape, span: Span) {
        let candidate = Candidate {
            callable: Callable::Function(id),
            access: self.functions[id.index()].access,
            naming: shape.class,
            through_using: None,
        };
        self.declare_callable(
            candidate,
            &shape.name,
            shape.class,
            shape.lexical_class,
            shape.is_friend,
            span,
        );
    }
    /// Declares a function or function template under its name: constructors and conversions have lists of their own in their class.
    pub(crate) fn declare_callable(
        &mut self,
        candidate: Candidate,
        name: &FunctionNameParts,
        class: Option<ClassId>,
        lexical_class: Option<ClassId>,
        is_friend: bool,
        span: Span,
    ) {
        let entity = match candidate.callable {
            Callable::Function(function) => Entity::Function(function),
            Callable::Template(template) => Entity::Template(template),
        };
        if let Some(class) = class {
            match (&name.name, candidate.callable) {
                (FunctionName::Constructor, _) => {
                    let info = &mut self.classes[class.index()];
                    info.constructors.push(candidate);
                    info.has_declared_constructor = true;
                    return;
                }
                (FunctionName::Destructor, Callable::Function(function)) => {
                    self.classes[class.index()].destructor = Some(function);
                    return;
                }
                (FunctionName::Conversion(_), _) => self.classes[class.index()].conversions.push(candidate),
                _ => {}
            }
        }
        let hidden = is_friend && class.is_none();
        if hidden && let Some(lexical) = lexical_class {
            self.classes[lexical.index()]
                .hidden_friends
                .push((name.symbol, candidate.callable));
            if let Callable::Function(function) = candidate.callable {
                self.classes[lexical.index()]
                    .friends
                    .push(crate::sema::Friend::Function(function));
            }
        }
        let scope = match hidden {
            true => self.scopes.namespace_around(self.scope),
            false => self.scope,
        };
        let declared = Declared {
            entity,
            order: self.clock,
            span,
            access: candidate.access,
            hidden,
            from_using: false,
        };
        self.clock += 1;
        // A class template's instances each bring friends of their own, which only their arguments find; one without parameters is the same for all.
        let has_parameters = match candidate.callable {
            Callable::Function(function) => {
                let ty = self.program.types.as_function(self.program.function(function).ty);
                ty.is_none_or(|ty| !ty.parameters.is_empty())
            }
            Callable::Template(_) => true,
        };
        let of_instance = hidden
            && has_parameters
            && lexical_class.is_some_and(|class| self.classes[class.index()].instance.is_some());
        if !of_instance {
            self.scopes.declare(scope, name.symbol, declared);
        }
    }
    /// Which special member a function is ([special]).
    fn special_kind(&mut self, id: FunctionId, shape: &FunctionShape) -> Option<SpecialMember> {
        let class = shape.class?;
        let class_type = self.class_type(class);
        let parameters = &shape.ty.parameters;
        let all_default = |sema: &Self, from: usize| {
            let _ = sema;
            parameters.len() <= from
        };
        let of_class = |sema: &Self, ty: QualifiedType| match *sema.program.types.get(ty.id) {
            Type::LValueReference(to) if to.id == class_type => Some(false),
            Type::RValueReference(to) if to.id == class_type => Some(true),
            _ => None,
        };
        let _ = id;
        match &shape.name.name {
            FunctionName::Destructor => Some(SpecialMember::Destructor),
            FunctionName::Constructor => match parameters.first() {
                None => Some(SpecialMember::DefaultConstructor),
                Some(&first) => match of_class(self, first) {
                    Some(false) if all_default(self, 1) => Some(SpecialMember::CopyConstructor),
                    Some(true) if all_default(self, 1) => Some(SpecialMember::MoveConstructor),
                    _ => None,
                },
            },
            FunctionName::Operator(hir::OperatorName::Equal) if parameters.len() == 1 => {
                match of_class(self, parameters[0]) {
                    Some(false) => Some(SpecialMember::CopyAssignment),
                    Some(true) => Some(SpecialMember::MoveAssignment),
                    None if parameters[0].id == class_type => Some(SpecialMember::CopyAssignment),
                    None => None,
                }
            }
            _ => None,
        }
    }
    /// Whether a scope lies in an unnamed namespace.
    pub(crate) fn in_unnamed_namespace(&self, scope: ScopeId) -> bool {
        self.scopes.outwards(scope).any(|id| match self.scopes.kind(id) {
            ScopeKind::Namespace {
                namespace: Some(namespace),
                ..
            } => self.program.namespace(namespace).name.is_none(),
            _ => false,
        })
    }
}

/// What a declaration's name and specifiers make the function.
#[derive(Clone, Debug)]
pub(super) struct FunctionShape {
    pub(super) name: FunctionNameParts,
    pub(super) ty: hir::FunctionType,
    /// The class it is a member of.
    pub(super) class: Option<ClassId>,
    /// The class in which the declaration stands.
    pub(super) lexical_class: Option<ClassId>,
    pub(super) is_static: bool,
    pub(super) is_friend: bool,
    /// The class that it is a friend of.
    pub(super) befriending: Option<ClassId>,
    pub(super) qualified: bool,
}

pub(super) enum Redeclared {
    No,
    Function(FunctionId),
    Conflict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    Different,
    Same,
    OnlyResultDiffers,
}

fn has_noexcept_condition(declared: &DeclaredType<'_>) -> bool {
    declared
        .function
        .as_ref()
        .is_some_and(|parts| matches!(parts.chunk.exception, ast::ExceptionSpecification::NoexceptIf(_)))
}

/// The typed program's name of an operator.
#[rustfmt::skip]
pub(crate) fn operator_name(operator: ast::OperatorName) -> hir::OperatorName {
    use ast::OperatorName as A;
    use hir::OperatorName as H;
    match operator {
        A::New => H::New, A::NewArray => H::NewArray, A::Delete => H::Delete, A::DeleteArray => H::DeleteArray,
        A::Add => H::Plus, A::Subtract => H::Minus, A::Multiply => H::Star, A::Divide => H::Slash, A::Remainder => H::Percent,
        A::BitXor => H::Caret, A::BitAnd => H::Ampersand, A::BitOr => H::Pipe, A::Complement => H::Tilde, A::Not => H::Exclaim,
        A::Assign => H::Equal, A::Less => H::Less, A::Greater => H::Greater,
        A::AddAssign => H::PlusEqual, A::SubtractAssign => H::MinusEqual, A::MultiplyAssign => H::StarEqual, A::DivideAssign => H::SlashEqual,
        A::RemainderAssign => H::PercentEqual, A::BitXorAssign => H::CaretEqual, A::BitAndAssign => H::AmpersandEqual, A::BitOrAssign => H::PipeEqual,
        A::ShiftLeft => H::ShiftLeft, A::ShiftRight => H::ShiftRight, A::ShiftLeftAssign => H::ShiftLeftEqual, A::ShiftRightAssign => H::ShiftRightEqual,
        A::Equal => H::EqualEqual, A::NotEqual => H::ExclaimEqual, A::LessEqual => H::LessEqual, A::GreaterEqual => H::GreaterEqual, A::ThreeWay => H::Spaceship,
        A::LogicalAnd => H::AmpersandAmpersand, A::LogicalOr => H::PipePipe, A::Increment => H::PlusPlus, A::Decrement => H::MinusMinus,
        A::Comma => H::Comma, A::ArrowStar => H::ArrowStar, A::Arrow => H::Arrow, A::Call => H::Call, A::Subscript => H::Subscript,
    }
}
