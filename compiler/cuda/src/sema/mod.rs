//! Syntax tree → typed program.
//!
//! [`analyse`] goes through the declarations of a unit in order and leaves a [`hir::Program`] and diagnostics. [`Sema`] is the state of that walk: everything here
//! and in the modules below is a method of it.
//!
//! # Who does what
//! * Declarations: [`scope`] (tables of names), [`lookup`], [`declaration`] (specifiers and declarators to types, variables, functions, enumerations, namespaces),
//!   [`class`] (classes, special members, access), [`template`] (parameters, arguments, instances, deduction, ordering), [`statement`] (bodies).
//! * Expressions: `expression`, `conversion`, `overload`, `initialise`, `lambda`, `builtins`.
//!
//! # What crosses from one to the other
//! Names: [`Sema::lookup`] (a name as written, to a [`Lookup`]), [`Sema::lookup_member`], [`Sema::lookup_argument_dependent`], [`Sema::similar_name`].
//! Types: [`Sema::type_of_type_id`], [`Sema::complete_type`] (instantiates on demand), [`Sema::require_complete`], [`Sema::class_info`].
//! Functions: [`Sema::use_function`] (odr-use: its body will be elaborated), [`Sema::define_now`] (constexpr functions that evaluation needs),
//! [`Sema::default_argument`], [`Sema::deduce_result`] (placeholder results), [`Sema::constructors`], [`Sema::conversion_functions`], [`Sema::destructor_of`].
//! Templates: [`Sema::deduce_call`], [`Sema::deduce_for_target`], [`Sema::instantiate_explicit`], [`Sema::more_specialised`], [`Sema::deduce_class_template`].
//! Packs: [`Sema::expand`], [`Sema::pack_length`].
//! Statements: [`Sema::statement`], [`Sema::compound_body`], [`Sema::declare_local`].
//! Context: [`Sema::function`] (what is known of the function around), [`Sema::scope`] (the current scope), [`Sema::trying`] (messages held back).
//!
//! # Errors
//! A mistake gives one message; what it spoils becomes [`hir::Types::ERROR`], [`hir::ExpressionKind::Error`], [`Found::Error`], [`Entity::Error`], and those
//! never cause another message.

pub mod builtins;
pub mod class;
pub mod context;
mod conversion;
pub mod declaration;
pub mod entity;
mod exception;
pub mod execution_space;
pub mod expression;
mod host;
mod initialise;
mod lambda;
pub mod lookup;
mod named;
mod names;
mod overload;
pub mod report;
pub mod scope;
pub mod statement;
pub mod template;
#[cfg(test)]
mod tests;
mod unit;
mod warning;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

pub use context::{Evaluation, FunctionContext, ResultType};
pub use entity::{
    BaseInfo, BoundValue, Callable, Candidate, ClassInfo, ClassState, DefaultArgument, Definition, Entity, FieldInfo,
    Found, Friend, FunctionInfo, IndirectField, IndirectFieldId, Instance, Lookup, PackId, SpecialMember, ValueId,
    VariableInfo,
};
pub use exception::ExceptionSource;
pub use scope::{Access, Declared, Scope, ScopeId, ScopeKind, Scopes};
pub use template::{
    DeductionFailure, DeductionOperand, DeductionReason, GivenArgument, GivenArguments, Template, TemplateId,
    TemplateKind,
};

use warpsmith_base::fault;

use crate::deep::on_deep_stack;
use crate::hir::{self, ClassId, FunctionId, VariableId};
use crate::source::{Context, Report, Span, Symbol};
use crate::syntax::ast::{self, Ast};

/// Deepest nesting of instantiations.
const DEPTH_LIMIT: usize = 512;

/// Most instantiations in a unit.
const INSTANTIATION_LIMIT: usize = 1_000_000;

/// What the elaboration of a unit may be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Elaborate and check the bodies of all functions that are no templates, host functions too.
    pub check_all_bodies: bool,
    /// Functions and variables of which nothing is said are the device's (NVRTC's `--device-as-default-execution-space`).
    pub device_by_default: bool,
    /// Memory is not given back: the process ends after the compilation.
    pub keeps_memory: bool,
    /// The language is C++20: parameters declared with `auto` make templates.
    pub cpp20: bool,
    /// Warn of what looks like a mistake, as nvcc does.
    pub warnings: bool,
    /// How the names are written that end the unit: see [`crate::names`].
    pub names: Vec<String>,
    /// The built-in headers stand for the toolkit's: of the functions and structures for the host they declare few.
    pub built_in_runtime: bool,
}

/// The state of semantic analysis.
pub struct Sema<'a> {
    /// The syntax tree. Copy the reference out (`let ast = self.ast;`) to hold nodes while `self` changes.
    pub ast: &'a Ast,
    /// Names, places, diagnostics.
    pub context: &'a mut Context,
    /// What is being made.
    pub program: hir::Program,
    /// What was asked for.
    pub options: Options,
    /// All scopes.
    pub scopes: Scopes,
    /// The scope in which names are looked up now.
    pub scope: ScopeId,
    /// The function around, if any.
    pub function: FunctionContext,
    /// Beside [`hir::Program`]'s classes.
    pub(crate) classes: Vec<ClassInfo<'a>>,
    /// Beside [`hir::Program`]'s functions.
    pub(crate) functions: Vec<FunctionInfo>,
    /// Beside [`hir::Program`]'s variables.
    pub(crate) variables: Vec<VariableInfo<'a>>,
    /// The templates.
    pub(crate) templates: Vec<Template<'a>>,
    /// Values bound to template parameters.
    pub(crate) values: Vec<BoundValue>,
    /// What packs stand for.
    pub(crate) packs: Vec<Vec<Entity>>,
    /// Members of anonymous unions.
    pub(crate) indirect_fields: Vec<IndirectField>,
    /// Class templates by their names as template arguments.
    pub(crate) template_names: FxHashMap<hir::TemplateName, TemplateId>,
    /// The scopes of enumerations.
    pub(crate) enum_scopes: Vec<ScopeId>,
    /// What the expression side remembers.
    pub(crate) expressions: expression::ExpressionState<'a>,
    /// Bodies to elaborate.
    queue: VecDeque<FunctionId>,
    /// Counts declarations: see [`Sema::now`].
    clock: u32,
    /// Instantiations under way.
    instantiation_depth: usize,
    /// Instantiations so far.
    instantiation_count: usize,
    /// Depth of traps; errors inside instantiations pass through them.
    traps: usize,
    /// Depth of traps in whose immediate context work is.
    immediate_traps: usize,
    /// What a list that narrows is.
    narrowing: initialise::NarrowingPolicy,
    /// Errors inside instantiations that happened under a trap: errors of the program whatever becomes of the trapped attempt.
    hard_errors: Vec<Report>,
    /// The access in force in a class's body.
    pub(crate) access: Access,
    /// The types of the classes.
    class_types: Vec<hir::TypeId>,
    /// Types that stand for a class template without arguments, to be deduced.
    pub(crate) placeholders: FxHashMap<hir::TypeId, TemplateId>,
    /// The same by template.
    placeholder_types: FxHashMap<TemplateId, hir::TypeId>,
    /// The objects that template parameters of class type are.
    template_objects: FxHashMap<(hir::TypeId, hir::Constant), hir::VariableId>,
    /// Alias templates that were arguments, and the templates that they are.
    aliased_templates: FxHashMap<TemplateId, TemplateId>,
    /// Types that stand for template parameters in comparisons, by what they stand for.
    unique_types: FxHashMap<template::UniqueType, hir::TypeId>,
    /// Those of them that stand for a specialisation of a template template parameter: of which parameter, with which arguments.
    unique_specialisations: FxHashMap<hir::TypeId, (u32, std::rc::Rc<[hir::TemplateArgument]>)>,
    /// The parameters of the template at hand, while patterns are matched.
    current_parameters: std::rc::Rc<[template::TemplateParameter<'a>]>,
    /// How many lists of parameters are open around what a pattern is made of.
    prototype_depth: u32,
    /// The parameters of functions whose signatures are read and whose types are known, by the depth of their list and their place in it.
    signature_variables: FxHashMap<VariableId, (u32, u32)>,
    /// Patterns are made of what is written, with the parameters of templates around that are bound by place.
    as_written: bool,
    /// The names of the parameters that a scope binds, in order.
    bound_places: FxHashMap<ScopeId, Vec<Symbol>>,
    /// What tells function templates apart, each once.
    identities: template::Identities,
    /// The function templates of each scope and name that has more than one.
    overload_sets: FxHashMap<(ScopeId, Symbol), template::OverloadSet>,
    /// The member types of the class template whose constructor is read as a guide.
    guide_members: FxHashMap<Symbol, (ast::Id<ast::Specifiers>, ast::Id<ast::Declarator>)>,
    /// That class template and how many parameters it has.
    guide_class: Option<(TemplateId, u32)>,
    guide_depth: usize,
    /// Arguments with which the signature of a template cannot be made.
    failed_instances: rustc_hash::FxHashSet<(TemplateId, std::rc::Rc<[hir::TemplateArgument]>)>,
    /// Concepts with arguments that meet them.
    satisfied: rustc_hash::FxHashSet<(TemplateId, std::rc::Rc<[hir::TemplateArgument]>)>,
    concept_depth: usize,
    /// The requires-clause of the template that is being declared.
    requires_clause: Option<crate::syntax::ast::Id<crate::syntax::ast::Expression>>,
    /// The types of tuple-like structured bindings, which `decltype` gives.
    pub(crate) binding_types: FxHashMap<VariableId, hir::QualifiedType>,
    /// What is remembered of host code.
    host: host::HostCode,
    /// The class whose base clause is being read.
    base_clause: Option<ClassId>,
    /// The kernel launch that is being elaborated as a call.
    pub(crate) launching: Option<Span>,
    /// The arguments being matched are a function's parameters.
    in_parameter_list: bool,
    /// Classes before `::` may be incomplete: of pointers to members.
    incomplete_qualifiers: bool,
    /// Of those the ones that stand for expansions of packs.
    expansion_types: rustc_hash::FxHashSet<hir::TypeId>,
    /// What typedefs say of the alignment of what is declared by their name, by their place and type.
    aligned_typedefs: FxHashMap<(Span, hir::QualifiedType), u64>,
    /// Types that stand for template parameters where templates are compared.
    parameter_types: rustc_hash::FxHashSet<hir::TypeId>,
    /// The expansion whose element is being made there: its parameters are types of its own.
    expanded_pattern: Option<std::rc::Rc<hir::pattern::TypePattern>>,
    /// Partial specialisations are being compared.
    ordering_partials: bool,
    /// How many bodies led to the one being elaborated, one from another.
    body_depth: usize,
    /// A limit on instantiations has been reported.
    limit_reported: bool,
    /// Functions with definitions, in order.
    definitions: Vec<FunctionId>,
    /// Device variables with definitions, in order.
    root_variables: Vec<VariableId>,
    /// The declarations of functions and variables that only this unit can use.
    internal: Vec<warning::InternalDeclaration>,
    /// A conversion under way is one that a cast asks for.
    casting: bool,
    /// Kernels that were instantiated, in order.
    root_functions: Vec<FunctionId>,
    /// How many unnamed types, or local ones of a name, a scope has.
    unnamed_types: FxHashMap<(hir::Scope, Option<Symbol>), u32>,
    /// The class whose non-static member is being declared: what `this` points to after its parameters.
    declarator_class: Option<ClassId>,
    /// Inside `extern "C"`.
    linkage_c: bool,
    /// Directly in `extern "C"` without braces.
    linkage_extern: bool,
    type_depth: usize,
    declaration_depth: usize,
    statement_depth: usize,
    /// The default member initialisers that are being elaborated.
    initialisers: Vec<(hir::ClassId, hir::FieldIndex)>,
}

impl<'a> Sema<'a> {
    /// The state before the first declaration.
    pub fn new(ast: &'a Ast, context: &'a mut Context, options: Options) -> Sema<'a> {
        Sema {
            ast,
            context,
            program: hir::Program::new(),
            options,
            scopes: Scopes::new(),
            scope: ScopeId::GLOBAL,
            function: FunctionContext::new(),
            classes: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            templates: Vec::new(),
            values: Vec::new(),
            packs: Vec::new(),
            indirect_fields: Vec::new(),
            template_names: FxHashMap::default(),
            enum_scopes: Vec::new(),
            expressions: expression::ExpressionState::default(),
            queue: VecDeque::new(),
            clock: 1,
            instantiation_depth: 0,
            instantiation_count: 0,
            traps: 0,
            immediate_traps: 0,
            narrowing: initialise::NarrowingPolicy::default(),
            hard_errors: Vec::new(),
            access: Access::Public,
            class_types: Vec::new(),
            placeholders: FxHashMap::default(),
            placeholder_types: FxHashMap::default(),
            aliased_templates: FxHashMap::default(),
            template_objects: FxHashMap::default(),
            unique_types: FxHashMap::default(),
            unique_specialisations: FxHashMap::default(),
            current_parameters: std::rc::Rc::from([]),
            prototype_depth: 0,
            signature_variables: FxHashMap::default(),
            as_written: false,
            bound_places: FxHashMap::default(),
            identities: Default::default(),
            overload_sets: FxHashMap::default(),
            guide_members: FxHashMap::default(),
            guide_class: None,
            guide_depth: 0,
            failed_instances: Default::default(),
            satisfied: Default::default(),
            concept_depth: 0,
            requires_clause: None,
            binding_types: FxHashMap::default(),
            host: host::HostCode::default(),
            base_clause: None,
            launching: None,
            in_parameter_list: false,
            incomplete_qualifiers: false,
            expansion_types: Default::default(),
            aligned_typedefs: Default::default(),
            parameter_types: Default::default(),
            expanded_pattern: None,
            ordering_partials: false,
            body_depth: 0,
            limit_reported: false,
            definitions: Vec::new(),
            root_variables: Vec::new(),
            internal: Vec::new(),
            casting: false,
            root_functions: Vec::new(),
            unnamed_types: FxHashMap::default(),
            declarator_class: None,
            linkage_c: false,
            linkage_extern: false,
            type_depth: 0,
            declaration_depth: 0,
            statement_depth: 0,
            initialisers: Vec::new(),
        }
    }
    /// The time: a number that each declaration of a namespace's name makes greater.
    pub fn now(&self) -> u32 {
        self.clock
    }
    /// What is known of a function.
    pub fn function_info(&self, function: FunctionId) -> &FunctionInfo {
        &self.functions[function.index()]
    }
    /// What is known of a variable.
    pub fn variable_info(&self, variable: VariableId) -> &VariableInfo<'a> {
        &self.variables[variable.index()]
    }
    /// What is known of a template.
    pub fn template(&self, template: TemplateId) -> &Template<'a> {
        &self.templates[template.0 as usize]
    }
    /// A value bound to a template parameter.
    pub fn bound_value(&self, value: ValueId) -> &BoundValue {
        &self.values[value.0 as usize]
    }
    /// What a pack stands for.
    pub fn pack(&self, pack: PackId) -> &[Entity] {
        &self.packs[pack.0 as usize]
    }
    /// Does something in another scope.
    pub fn in_scope<T>(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.scope, scope);
        let result = work(self);
        self.scope = saved;
        result
    }
    /// Does something in a new block scope.
    pub fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.scopes.add_block(self.scope);
        let live = self.function.live.len();
        let result = self.in_scope(scope, work);
        self.function.live.truncate(live);
        result
    }
    /// Does something with expressions meant in another way.
    pub fn with_evaluation<T>(&mut self, evaluation: Evaluation, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.function.evaluation, evaluation);
        let result = work(self);
        self.function.evaluation = saved;
        result
    }
    /// Declares a name in the current scope.
    pub fn declare(&mut self, name: Symbol, entity: Entity, span: Span) {
        let declared = Declared {
            entity,
            order: self.clock,
            span,
            access: Access::Public,
            hidden: false,
            from_using: false,
        };
        self.scopes.declare(self.scope, name, declared);
    }
    /// Adds a variable with what is known of it; the name is not declared.
    pub fn add_variable(&mut self, variable: hir::Variable, name: Option<Symbol>) -> VariableId {
        let id = self.program.add_variable(variable);
        self.variables.push(VariableInfo {
            name,
            class: None,
            pending: None,
            usable_in_constants: false,
            defined: true,
            order: self.clock,
            function: self.function.function,
            references: 0,
            sets: 0,
            maybe_unused: false,
        });
        id
    }
    /// Adds a class with what is known of it; the name is not declared.
    pub fn add_class(&mut self, class: hir::Class, name: Option<Symbol>) -> ClassId {
        let id = self.program.add_class(class);
        let scope = self.scopes.add(ScopeKind::Class(id), Some(self.scope));
        self.classes.push(ClassInfo {
            name,
            scope,
            state: ClassState::Declared,
            syntax: None,
            instance: None,
            bases: Vec::new(),
            base_depth: 0,
            fields: Vec::new(),
            constructors: Vec::new(),
            inherited_constructors: Vec::new(),
            destructor: None,
            conversions: Vec::new(),
            friends: Vec::new(),
            has_declared_constructor: false,
            polymorphic: false,
            abstract_because: None,
            anonymous: false,
            local_to: self.function.function,
            partial: None,
            pending: None,
            hidden_friends: Vec::new(),
            befriended_by: Vec::new(),
            specials: Default::default(),
            implicit_declared: false,
        });
        let ty = self.program.types.class(id);
        self.class_types.push(ty);
        id
    }
    /// Adds a function with what is known of it; the name is not declared.
    pub fn add_function(&mut self, function: hir::Function, name: Symbol) -> FunctionId {
        let count = self
            .program
            .types
            .as_function(function.ty)
            .map_or(0, |ty| ty.parameters.len());
        let id = self.program.add_function(function);
        self.functions.push(FunctionInfo {
            name,
            scope: self.scope,
            class: None,
            access: Access::Public,
            defaults: vec![DefaultArgument::None; count],
            parameter_names: vec![None; count],
            definition: Definition::None,
            derived_space: execution_space::DerivedSpace::default(),
            queued: false,
            special: None,
            user_provided: true,
            instance: None,
            outside_definition: None,
            exceptions: ExceptionSource::Type,
            constraint: None,
            nodiscard: false,
            deprecated: false,
            inherits: None,
            order: self.clock,
            body_order: self.clock,
            friend_of: None,
            is_consteval: false,
            body_scope: None,
            declared_result: None,
            is_override: false,
            is_final: false,
            depth: 0,
            explicitly_specialised: false,
            defaulted_outside: false,
        });
        id
    }
    /// The typed program's scope of what is declared in a scope.
    pub fn hir_scope(&self, scope: ScopeId) -> hir::Scope {
        for id in self.scopes.outwards(scope) {
            match self.scopes.kind(id) {
                ScopeKind::Namespace { namespace, .. } => {
                    return hir::Scope::Namespace(namespace.unwrap_or(hir::Program::GLOBAL));
                }
                ScopeKind::Class(class) => return hir::Scope::Class(class),
                ScopeKind::Function(Some(function)) => return hir::Scope::Function(function),
                ScopeKind::Enum(_)
                | ScopeKind::Template(_)
                | ScopeKind::Function(None)
                | ScopeKind::Block
                | ScopeKind::PackExpansion => {}
            }
        }
        hir::Scope::Namespace(hir::Program::GLOBAL)
    }
}

/// Elaborates a unit: the typed program; what is wrong is in the context's diagnostics. Runs on a thread of its own, whose stack is deep enough for the limits on
/// nesting and instantiation.
pub fn analyse(ast: &Ast, context: &mut Context, options: Options) -> hir::Program {
    let elaborated = on_deep_stack(|| {
        let _at = fault::enter("elaborate", "");
        let mut sema = Sema::new(ast, context, options);
        sema.unit();
        sema.spell_instantiations();
        sema.context.diagnostics.drop_repeated_warnings();
        let program = std::mem::take(&mut sema.program);
        if sema.options.keeps_memory {
            std::mem::forget(sema);
        }
        program
    });
    elaborated.unwrap_or_else(|message| {
        context.diagnostics.error(Span::NONE, message);
        hir::Program::new()
    })
}
