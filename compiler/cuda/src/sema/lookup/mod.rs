//! Look-up of names ([basic.lookup]).
//!
//! All look-up ends in [`Hits`]: the declarations found and, for members, the way to them. [`Sema::finish_lookup`] turns hits into a [`Lookup`].

mod access;
mod argument;
mod member;
mod name;
mod similar;

mod unqualified;

pub(crate) use name::Qualification;

use super::entity::{Callable, Candidate, Lookup};
use super::scope::{Declared, ScopeId, ScopeKind};
use super::template::TemplateKind;
use super::{Entity, Found, Sema};
use crate::hir::{ClassId, QualifiedType};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

/// What a search found, before it is known what is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    /// The declarations.
    pub(crate) list: Vec<Declared>,
    /// Of members: the way to them.
    pub(crate) member: Option<MemberHit>,
    /// The scope they were found in, for argument-dependent look-up.
    pub(crate) local: bool,
    /// Two base classes have different members of the name.
    pub(crate) ambiguous: Option<(ClassId, ClassId)>,
}

/// The way to a member.
#[derive(Clone, Debug)]
pub(crate) struct MemberHit {
    /// The class searched.
    pub(crate) naming: ClassId,
    /// The class that has it.
    pub(crate) class: ClassId,
    /// Direct bases from the one to the other.
    pub(crate) path: Vec<ClassId>,
    /// The same base class is there more than once, and the member is not static.
    pub(crate) repeated: bool,
}

/// What kinds of entities count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All; a class or enumeration is hidden by anything else of its scope.
    Anything,
    /// Types, namespaces and templates: before `::` ([basic.lookup.qual]/1).
    Qualifier,
    /// Namespaces alone ([basic.lookup.udir]).
    Namespace,
    /// Types and class templates: elaborated type specifiers, bases.
    Type,
}

impl Wanted {
    fn accepts(self, sema: &Sema<'_>, entity: Entity) -> bool {
        let type_template = |template| {
            let kind = sema.template(template).kind;
            matches!(kind, TemplateKind::Class | TemplateKind::Alias)
        };
        match self {
            Wanted::Anything => true,
            Wanted::Namespace => matches!(entity, Entity::Namespace(_) | Entity::Error),
            Wanted::Type | Wanted::Qualifier => match entity {
                Entity::Class(_) | Entity::Enum(_) | Entity::Typedef(_) | Entity::Error => true,
                Entity::Parameter(parameter) => parameter.kind != super::template::UnboundKind::FunctionParameter,
                Entity::Namespace(_) => self == Wanted::Qualifier,
                Entity::Template(template) => type_template(template),
                // A pack's elements tell; an empty pack says nothing.
                Entity::Pack(pack) => sema.pack(pack).first().is_none_or(|&first| self.accepts(sema, first)),
                Entity::Function(_)
                | Entity::Variable(_)
                | Entity::Field(..)
                | Entity::IndirectField(_)
                | Entity::Enumerator(..)
                | Entity::Value(_)
                | Entity::Alias(_)
                | Entity::Builtin(_) => false,
            },
        }
    }
}

impl<'a> Sema<'a> {
    /// Looks a simple name up from the current scope outwards ([basic.lookup.unqual]).
    pub fn lookup_unqualified(&mut self, name: Symbol) -> Lookup<'a> {
        let hits = self.search_outwards(name, Wanted::Anything);
        self.finish_lookup(hits, name, Span::NONE, false)
    }
    /// Looks a name up in a namespace, class or enumeration ([basic.lookup.qual]).
    pub fn lookup_qualified(&mut self, scope: ScopeId, name: Symbol) -> Lookup<'a> {
        let hits = self.search_qualified(scope, name, Wanted::Anything);
        self.finish_lookup(hits, name, Span::NONE, true)
    }
    /// Looks a member up in a class and its bases ([class.member.lookup]). The class is completed first. Ambiguity is reported.
    pub fn lookup_member(&mut self, class: ClassId, name: Symbol) -> Lookup<'a> {
        self.lookup_member_at(class, name, Span::NONE)
    }
    /// The same, with a place for messages.
    pub fn lookup_member_at(&mut self, class: ClassId, name: Symbol, span: Span) -> Lookup<'a> {
        self.complete_class(class);
        let hits = self.search_class(class, name, Wanted::Anything);
        self.finish_lookup(hits, name, span, false)
    }
    /// Hits as a result: what kind of thing they are together.
    pub(crate) fn finish_lookup(&mut self, hits: Hits, name: Symbol, span: Span, qualified: bool) -> Lookup<'a> {
        let Some(&first) = hits.list.first() else {
            return Lookup::new(Found::Nothing);
        };
        if hits.ambiguous.is_some()
            && let Some(template) = self.common_template(&hits)
        {
            // Injected names of instances of one template, to be given arguments ([temp.local]/4).
            return Lookup::new(Found::Template(template));
        }
        if let Some((one, other)) = hits.ambiguous {
            let message = format!(
                "`{}` is ambiguous: more than one base class has a member of that name",
                self.text(name)
            );
            let class_name = |sema: &Self, class: ClassId| {
                let ty = sema.program.class(class).span;
                (ty, format!("member of `{}`", sema.class_name(class)))
            };
            let (first_span, first_note) = class_name(self, one);
            let (second_span, second_note) = class_name(self, other);
            self.emit(
                Report::error(span, message)
                    .note_at(first_span, first_note)
                    .note_at(second_span, second_note),
            );
            return Lookup::new(Found::Error);
        }
        let mut result = Lookup::new(self.classify(&hits, name, span));
        result.qualified = qualified;
        result.declared = first.span;
        result.access = first.access;
        result.adl = !qualified && hits.member.is_none() && !hits.local && matches!(result.found, Found::Functions(_));
        if let Some(member) = hits.member {
            if member.repeated && matches!(result.found, Found::Field(..)) {
                let message = format!(
                    "`{}` is ambiguous: `{}` has its base `{}` more than once",
                    self.text(name),
                    self.class_name(member.naming),
                    self.class_name(member.class)
                );
                self.error(span, message);
                return Lookup::new(Found::Error);
            }
            result.naming = Some(member.naming);
            result.member_of = Some(member.class);
            result.path = member.path;
        }
        result
    }
    /// The template that all of these are instances of.
    fn common_template(&self, hits: &Hits) -> Option<crate::sema::TemplateId> {
        let mut templates = hits.list.iter().map(|declared| match declared.entity {
            Entity::Class(class) => self.classes[class.index()]
                .instance
                .as_ref()
                .map(|instance| instance.template),
            _ => None,
        });
        let first = templates.next()??;
        templates.all(|template| template == Some(first)).then_some(first)
    }
    /// What kind of thing declarations of one name are together.
    fn classify(&mut self, hits: &Hits, name: Symbol, span: Span) -> Found {
        let mut functions: Vec<(Candidate, bool)> = Vec::new();
        let mut seen: rustc_hash::FxHashSet<Callable> = Default::default();
        let mut other: Option<Entity> = None;
        let mut tag: Option<Entity> = None;
        for declared in &hits.list {
            let callable = match declared.entity {
                Entity::Function(function) => Some(Callable::Function(function)),
                Entity::Template(template) if self.template(template).kind == TemplateKind::Function => {
                    Some(Callable::Template(template))
                }
                _ => None,
            };
            if let Some(callable) = callable {
                let candidate = Candidate {
                    callable,
                    access: declared.access,
                    naming: hits.member.as_ref().map(|member| member.naming),
                    through_using: hits
                        .member
                        .as_ref()
                        .map(|member| member.class)
                        .filter(|_| declared.from_using),
                };
                if seen.insert(callable) {
                    functions.push((candidate, declared.from_using));
                }
                continue;
            }
            let entity = self.canonical(declared.entity);
            let slot = if entity.is_tag() { &mut tag } else { &mut other };
            match *slot {
                None => *slot = Some(entity),
                Some(known) if known == entity => {}
                Some(Entity::Error) => {}
                Some(_) if entity == Entity::Error => {}
                Some(_) => return self.ambiguous_name(hits, name, span),
            }
        }
        // A class or enumeration of the same name is hidden; a typedef of it is the same.
        if let (Some(Entity::Typedef(ty)), Some(known)) = (other, tag)
            && self.entity_type(known) == Some(ty)
        {
            other = None;
        }
        if !functions.is_empty() {
            if other.is_some() {
                return self.ambiguous_name(hits, name, span);
            }
            return Found::Functions(self.without_hidden(functions));
        }
        match other.or(tag) {
            Some(entity) => self.entity_found(entity),
            None => Found::Nothing,
        }
    }
    /// Members that a using declaration brought in give way to the class's own with the same parameters ([namespace.udecl]/14).
    fn without_hidden(&self, functions: Vec<(Candidate, bool)>) -> Vec<Candidate> {
        if functions.iter().all(|&(_, from_using)| !from_using) {
            return functions.into_iter().map(|(candidate, _)| candidate).collect();
        }
        let own: Vec<_> = functions
            .iter()
            .filter(|&&(_, from_using)| !from_using)
            .map(|(candidate, _)| candidate.callable)
            .collect();
        let hides = |one: Callable, other: Callable| match (one, other) {
            (Callable::Function(one), Callable::Function(other)) => self.same_parameters(one, other),
            _ => false,
        };
        functions
            .iter()
            .filter(|(candidate, from_using)| !from_using || !own.iter().any(|&own| hides(own, candidate.callable)))
            .map(|&(candidate, _)| candidate)
            .collect()
    }
    /// Whether two functions have the same parameters, and as members the same qualifiers.
    pub(crate) fn same_parameters(&self, one: crate::hir::FunctionId, other: crate::hir::FunctionId) -> bool {
        let (one, other) = (self.program.function(one), self.program.function(other));
        match (
            self.program.types.as_function(one.ty),
            self.program.types.as_function(other.ty),
        ) {
            (Some(one), Some(other)) => {
                one.parameters == other.parameters
                    && one.variadic == other.variadic
                    && one.qualifiers == other.qualifiers
                    && one.reference == other.reference
            }
            _ => false,
        }
    }
    /// Entities that are the same by two names are equal after this.
    fn canonical(&self, entity: Entity) -> Entity {
        match entity {
            Entity::Typedef(ty) if ty.qualifiers.is_empty() => match *self.program.types.get(ty.id) {
                crate::hir::Type::Class(class) => Entity::Class(class),
                crate::hir::Type::Enum(enumeration) => Entity::Enum(enumeration),
                _ => entity,
            },
            _ => entity,
        }
    }
    /// The type that an entity names.
    pub(crate) fn entity_type(&mut self, entity: Entity) -> Option<QualifiedType> {
        match entity {
            Entity::Class(class) => Some(self.program.types.class(class).unqualified()),
            Entity::Enum(enumeration) => Some(self.program.types.enumeration(enumeration).unqualified()),
            Entity::Typedef(ty) => Some(ty),
            _ => None,
        }
    }
    /// One entity as a result.
    pub(crate) fn entity_found(&mut self, entity: Entity) -> Found {
        match entity {
            Entity::Namespace(scope) => Found::Namespace(scope),
            Entity::Class(_) | Entity::Enum(_) | Entity::Typedef(_) => match self.entity_type(entity) {
                Some(ty) => Found::Type(ty),
                None => Found::Error,
            },
            Entity::Function(function) => Found::Functions(vec![Candidate::new(Callable::Function(function))]),
            Entity::Template(template) if self.template(template).kind == TemplateKind::Function => {
                Found::Functions(vec![Candidate::new(Callable::Template(template))])
            }
            Entity::Template(template) => Found::Template(template),
            Entity::Variable(variable) => Found::Variable(variable),
            Entity::Field(class, field) => Found::Field(class, vec![field]),
            Entity::IndirectField(id) => {
                let indirect = &self.indirect_fields[id.0 as usize];
                Found::Field(indirect.class, indirect.path.clone())
            }
            Entity::Enumerator(enumeration, index) => Found::Enumerator(enumeration, index),
            Entity::Value(value) => Found::Value(value),
            Entity::Pack(pack) => Found::Pack(pack),
            Entity::Alias(expression) => Found::Alias(expression),
            Entity::Parameter(_) => Found::Parameter,
            // Builtins are found by name on the expression side, never declared.
            Entity::Builtin(_) => Found::Nothing,
            Entity::Error => Found::Error,
        }
    }
    fn ambiguous_name(&mut self, hits: &Hits, name: Symbol, span: Span) -> Found {
        let mut report = Report::error(span, format!("`{}` is ambiguous", self.text(name)));
        for declared in &hits.list {
            report = report.note_at(declared.span, "it may be this");
        }
        self.emit(report);
        Found::Error
    }
    /// The symbol by which an operator function is declared: `operator+`.
    pub fn operator_symbol(&mut self, operator: ast::OperatorName) -> Symbol {
        let text = operator.spelling();
        let space = if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
            " "
        } else {
            ""
        };
        self.context.interner.intern(&format!("operator{space}{text}"))
    }
    /// The symbol by which a literal operator is declared.
    pub fn literal_operator_symbol(&mut self, suffix: Symbol) -> Symbol {
        let text = format!("operator\"\"{}", self.text(suffix));
        self.context.interner.intern(&text)
    }
    /// The symbol by which conversion functions are declared, whatever they convert to.
    pub(crate) fn conversion_symbol(&mut self) -> Symbol {
        self.context.interner.intern("operator type")
    }
    /// A class's name as users write it.
    pub fn class_name(&self, class: ClassId) -> String {
        match self.program.class(class).lambda {
            Some(_) => "lambda".to_string(),
            None => self.show(QualifiedType::from(self.class_type(class))),
        }
    }
    /// The type of a class; classes always have one.
    pub(crate) fn class_type(&self, class: ClassId) -> crate::hir::TypeId {
        self.class_types
            .get(class.index())
            .copied()
            .unwrap_or(crate::hir::Types::ERROR)
    }
    /// Whether a scope is in a block of a function.
    pub(crate) fn is_local_scope(&self, scope: ScopeId) -> bool {
        matches!(
            self.scopes.kind(scope),
            ScopeKind::Block | ScopeKind::Function(_) | ScopeKind::PackExpansion
        )
    }
}
