//! Names as written: qualifiers, the last part, template arguments.

use super::{Hits, Wanted};
use crate::hir::{ClassId, FunctionName, QualifiedType, Type};
use crate::sema::entity::{Callable, Candidate, Lookup};
use crate::sema::scope::ScopeId;
use crate::sema::template::pack::Pattern;
use crate::sema::template::{GivenArgument, GivenArguments, TemplateKind};
use crate::sema::{Found, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, QualifierPart, UnqualifiedName};

/// What stands before the last `::`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Qualification {
    /// Nothing.
    None,
    /// This namespace, class or enumeration.
    Scope(ScopeId),
    /// Something with a template parameter that is not bound.
    Dependent,
}

impl<'a> Sema<'a> {
    /// Looks a name up as written, with its qualifiers and template arguments: in expressions, where functions and types are wanted alike. Gives a message only
    /// where a qualifier or template argument is wrong or what is found is ambiguous ([`Found::Error`]); [`Found::Nothing`] is for the caller to report.
    pub fn lookup(&mut self, name: ast::Id<ast::QualifiedName>) -> Lookup<'a> {
        self.lookup_wanted(name, Wanted::Anything)
    }
    /// The same for some kinds of entities only.
    pub(crate) fn lookup_wanted(&mut self, name: ast::Id<ast::QualifiedName>, wanted: Wanted) -> Lookup<'a> {
        let ast = self.ast;
        let node = &ast[name];
        let Some(qualification) = self.resolve_qualifiers(node.global, &node.qualifiers) else {
            return Lookup::new(Found::Error);
        };
        if qualification == Qualification::Dependent {
            return Lookup::new(Found::Parameter);
        }
        if let UnqualifiedName::Conversion(type_id) = node.last {
            return self.lookup_conversion(qualification, type_id);
        }
        let Some((symbol, arguments)) = self.name_parts(&node.last) else {
            return Lookup::new(Found::Nothing);
        };
        let (hits, qualified) = match qualification {
            Qualification::Scope(scope) => {
                let hits = self.search_qualified(scope, symbol, wanted);
                (self.or_constructors(scope, symbol, node, hits), true)
            }
            Qualification::None | Qualification::Dependent => (self.search_outwards(symbol, wanted), false),
        };
        let result = self.finish_lookup(hits, symbol, node.last_span, qualified);
        self.apply_arguments(result, arguments, node.span)
    }
    /// Looks up the member that stands after `.` or `->` ([basic.lookup.classref]): maybe qualified, maybe with template arguments.
    pub fn lookup_member_name(&mut self, class: ClassId, name: ast::Id<ast::QualifiedName>) -> Lookup<'a> {
        let ast = self.ast;
        let node = &ast[name];
        if !node.is_unqualified() {
            // The qualifier is looked up in the class first, then outwards.
            let scope = self.classes[class.index()].scope;
            self.complete_class(class);
            let first = match node.qualifiers.first().map(|qualifier| &qualifier.part) {
                Some(QualifierPart::Name(first) | QualifierPart::Template { name: first, .. }) if !node.global => {
                    !self.search_class(class, *first, Wanted::Qualifier).list.is_empty()
                }
                _ => false,
            };
            let mut result = match first {
                true => self.lookup_in_class_context(scope, name),
                false => self.lookup(name),
            };
            if let Some(found_in) = result.naming
                && let Some(mut path) = self.base_path(class, found_in)
            {
                path.append(&mut result.path);
                result.path = path;
            }
            return result;
        }
        if let UnqualifiedName::Conversion(type_id) = node.last {
            let scope = self.classes[class.index()].scope;
            return self.lookup_conversion(Qualification::Scope(scope), type_id);
        }
        let Some((symbol, arguments)) = self.name_parts(&node.last) else {
            return Lookup::new(Found::Nothing);
        };
        let result = self.lookup_member_at(class, symbol, node.last_span);
        self.apply_arguments(result, arguments, node.span)
    }
    fn lookup_in_class_context(&mut self, scope: ScopeId, name: ast::Id<ast::QualifiedName>) -> Lookup<'a> {
        let ast = self.ast;
        let node = &ast[name];
        let Some(Qualification::Scope(target)) =
            self.in_scope(scope, |sema| sema.resolve_qualifiers(false, &node.qualifiers))
        else {
            return Lookup::new(Found::Error);
        };
        let Some((symbol, arguments)) = self.name_parts(&node.last) else {
            return Lookup::new(Found::Nothing);
        };
        let hits = self.search_qualified(target, symbol, Wanted::Anything);
        let result = self.finish_lookup(hits, symbol, node.last_span, true);
        self.apply_arguments(result, arguments, node.span)
    }
    /// `X::X` names the constructors in using declarations and definitions ([class.qual]/2). Here it finds the injected class name; callers ask what they need.
    fn or_constructors(&mut self, _scope: ScopeId, _symbol: Symbol, _node: &ast::QualifiedName, hits: Hits) -> Hits {
        hits
    }
    /// The symbol of a name's last part, and the template arguments after it. `None` of destructors.
    pub(crate) fn name_parts(
        &mut self,
        name: &'a UnqualifiedName,
    ) -> Option<(Symbol, Option<&'a [ast::TemplateArgument]>)> {
        Some(match name {
            UnqualifiedName::Identifier(name) => (*name, None),
            UnqualifiedName::Template { name, arguments } => (*name, Some(arguments)),
            UnqualifiedName::Operator { operator, arguments } => {
                (self.operator_symbol(*operator), arguments.as_deref())
            }
            UnqualifiedName::LiteralOperator { suffix, arguments } => {
                (self.literal_operator_symbol(*suffix), arguments.as_deref())
            }
            UnqualifiedName::Conversion(_) => (self.conversion_symbol(), None),
            UnqualifiedName::Destructor { .. } | UnqualifiedName::DestructorDecltype(_) => return None,
        })
    }
    /// Conversion functions to just this type.
    fn lookup_conversion(&mut self, qualification: Qualification, type_id: ast::Id<ast::TypeId>) -> Lookup<'a> {
        let to = self.type_of_type_id(type_id);
        let class = match qualification {
            Qualification::Scope(scope) => self.scopes.class_around(scope),
            Qualification::None | Qualification::Dependent => self.scopes.class_around(self.scope),
        };
        let Some(class) = class else {
            return Lookup::new(Found::Nothing);
        };
        let all = self.conversion_functions(class);
        let same = |sema: &Self, candidate: &Candidate| match candidate.callable {
            Callable::Function(function) => sema.program.function(function).name == FunctionName::Conversion(to),
            Callable::Template(_) => false,
        };
        let chosen: Vec<Candidate> = all.into_iter().filter(|candidate| same(self, candidate)).collect();
        if chosen.is_empty() {
            return Lookup::new(Found::Nothing);
        }
        let mut lookup = Lookup::new(Found::Functions(chosen));
        lookup.naming = Some(class);
        lookup.member_of = Some(class);
        lookup
    }
    /// Puts template arguments to what was found.
    fn apply_arguments(
        &mut self,
        mut result: Lookup<'a>,
        arguments: Option<&'a [ast::TemplateArgument]>,
        span: Span,
    ) -> Lookup<'a> {
        let Some(arguments) = arguments else {
            // A variable template's or class template's own name inside of it is the instance: the injected name does that.
            return result;
        };
        let given = self.given_arguments(arguments, span);
        match result.found {
            Found::Template(template) => {
                result.found = match self.template(template).kind {
                    TemplateKind::Variable => match self.instantiate_variable(template, &given) {
                        Some(variable) => Found::Variable(variable),
                        None => Found::Error,
                    },
                    TemplateKind::Concept => match self.concept_value(template, &given) {
                        Some(value) => {
                            let value = crate::hir::TemplateArgument::Value(
                                crate::hir::Types::BOOL.unqualified(),
                                crate::hir::Constant::Integer(i128::from(value)),
                            );
                            match self.argument_entity(&value) {
                                crate::sema::Entity::Value(value) => Found::Value(value),
                                _ => Found::Error,
                            }
                        }
                        None => Found::Error,
                    },
                    TemplateKind::Class | TemplateKind::Alias | TemplateKind::Function => {
                        match self.specialise_type(template, &given) {
                            Some(ty) => Found::Type(ty),
                            None => Found::Error,
                        }
                    }
                };
            }
            Found::Type(ty) => {
                // The injected name of a template's instance is also the template's name ([temp.local]/1).
                let template = match *self.program.types.get(ty.id) {
                    Type::Class(class) => self.classes[class.index()]
                        .instance
                        .as_ref()
                        .map(|instance| instance.template),
                    _ => None,
                };
                result.found = match template.and_then(|template| self.specialise_type(template, &given)) {
                    Some(ty) => Found::Type(ty),
                    None => {
                        if template.is_none() {
                            let message = format!("`{}` is no template", self.show(ty));
                            self.error(span, message);
                        }
                        Found::Error
                    }
                };
            }
            Found::Functions(_) => result.arguments = Some(given),
            Found::Nothing | Found::Error | Found::Parameter => {}
            Found::Namespace(_)
            | Found::Variable(_)
            | Found::Field(..)
            | Found::Enumerator(..)
            | Found::Value(_)
            | Found::Pack(_)
            | Found::Alias(_) => {
                self.emit(Report::error(span, "this is no template").note_at(result.declared, "declared here"));
                result.found = Found::Error;
            }
        }
        result
    }
    /// Template arguments as written, with packs expanded.
    pub(crate) fn given_arguments(&mut self, arguments: &'a [ast::TemplateArgument], span: Span) -> GivenArguments<'a> {
        let mut list = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if argument.pack_expansion && self.add_integer_pack(argument, &mut list) {
                continue;
            }
            if argument.pack_expansion {
                let scopes = self.expand(Pattern::Argument(argument), argument.span, |sema| sema.scope);
                list.extend(
                    scopes
                        .into_iter()
                        .flatten()
                        .map(|scope| GivenArgument::Syntax(argument, scope)),
                );
            } else {
                list.push(GivenArgument::Syntax(argument, self.scope));
            }
        }
        GivenArguments {
            list: list.into(),
            span,
        }
    }
    /// `__integer_pack(n)...`: the numbers from 0 up. False if the argument is another.
    fn add_integer_pack(&mut self, argument: &'a ast::TemplateArgument, list: &mut Vec<GivenArgument<'a>>) -> bool {
        let ast = self.ast;
        let expression = match argument.kind {
            ast::TemplateArgumentKind::Expression(expression)
            | ast::TemplateArgumentKind::Ambiguous { expression, .. } => expression,
            ast::TemplateArgumentKind::Type(_) => return false,
        };
        let ast::ExpressionKind::Call { callee, arguments } = &ast[expression].kind else {
            return false;
        };
        let ast::ExpressionKind::Name(name) = ast[*callee].kind else {
            return false;
        };
        let [count] = **arguments else { return false };
        let named = ast[name]
            .as_identifier()
            .is_some_and(|name| self.text(name) == "__integer_pack");
        if !named {
            return false;
        }
        let long = crate::hir::Types::UNSIGNED_LONG.unqualified();
        let count = self.constant_size(count).unwrap_or(0).min(1 << 20);
        list.extend((0..count).map(|value| {
            let value = crate::hir::Constant::Integer(i128::from(value));
            GivenArgument::Known(crate::hir::TemplateArgument::Value(long, value))
        }));
        true
    }
    /// The same of a name that is declared: access is checked as from the member that it is ([class.access]/6).
    pub(crate) fn resolve_declared(&mut self, name: &'a ast::QualifiedName) -> Option<Qualification> {
        let saved = std::mem::replace(&mut self.function.unchecked_access, true);
        let result = self.resolve_qualifiers(name.global, &name.qualifiers);
        self.function.unchecked_access = saved;
        result
    }
    /// What stands before the last `::`; `None` after a message.
    pub(crate) fn resolve_qualifiers(
        &mut self,
        global: bool,
        qualifiers: &'a [ast::Qualifier],
    ) -> Option<Qualification> {
        let mut current = match global {
            true => Qualification::Scope(ScopeId::GLOBAL),
            false => Qualification::None,
        };
        for qualifier in qualifiers {
            current = self.resolve_qualifier(current, qualifier)?;
            if current == Qualification::Dependent {
                return Some(current);
            }
        }
        Some(current)
    }
    fn resolve_qualifier(&mut self, current: Qualification, qualifier: &'a ast::Qualifier) -> Option<Qualification> {
        let (name, arguments) = match &qualifier.part {
            QualifierPart::Name(name) => (*name, None),
            QualifierPart::Template { name, arguments } => (*name, Some(&**arguments)),
            QualifierPart::Decltype(expression) => {
                let ty = self.decltype(*expression);
                return self.scope_of_type(ty, qualifier.span).map(Qualification::Scope);
            }
        };
        let hits = match current {
            Qualification::None | Qualification::Dependent => self.search_outwards(name, Wanted::Qualifier),
            Qualification::Scope(scope) => self.search_qualified(scope, name, Wanted::Qualifier),
        };
        if hits.list.is_empty() {
            self.report_bad_qualifier(current, name, qualifier.span);
            return None;
        }
        let result = self.finish_lookup(hits, name, qualifier.span, current != Qualification::None);
        let result = self.apply_arguments(result, arguments, qualifier.span);
        self.check_access(&result, qualifier.span);
        match result.found {
            Found::Namespace(scope) => Some(Qualification::Scope(scope)),
            Found::Type(ty) => self.scope_of_type(ty, qualifier.span).map(Qualification::Scope),
            Found::Parameter => Some(Qualification::Dependent),
            Found::Template(template) => {
                let message = format!("`{}` is a template: it takes arguments before `::`", self.text(name));
                let declared = self.template(template).span;
                self.emit(Report::error(qualifier.span, message).note_at(declared, "declared here"));
                None
            }
            Found::Pack(_) => {
                let message = format!("the parameter pack `{}` is not expanded", self.text(name));
                self.error(qualifier.span, message);
                None
            }
            Found::Error => None,
            Found::Nothing
            | Found::Functions(_)
            | Found::Variable(_)
            | Found::Field(..)
            | Found::Enumerator(..)
            | Found::Value(_)
            | Found::Alias(_) => {
                self.report_bad_qualifier(current, name, qualifier.span);
                None
            }
        }
    }
    /// The scope of a type's members.
    pub(crate) fn scope_of_type(&mut self, ty: QualifiedType, span: Span) -> Option<ScopeId> {
        match *self.program.types.get(ty.id) {
            Type::Class(class) => {
                self.complete_class(class);
                let info = &self.classes[class.index()];
                if info.state == super::super::ClassState::Declared && !self.incomplete_qualifiers {
                    let message = format!("`{}` is incomplete here", self.show(ty));
                    let declared = self.program.class(class).span;
                    self.emit(Report::error(span, message).note_at(declared, "declared here"));
                    return None;
                }
                Some(info.scope)
            }
            Type::Enum(enumeration) => Some(self.enum_scopes[enumeration.index()]),
            Type::Error => None,
            _ => {
                let message = format!(
                    "`{}` is no class, namespace or enumeration: it has no members",
                    self.show(ty)
                );
                self.error(span, message);
                None
            }
        }
    }
    fn report_bad_qualifier(&mut self, current: Qualification, name: Symbol, span: Span) {
        let text = self.text(name).to_string();
        let note = match current {
            Qualification::Scope(scope) => self.note_of_header(Some(scope), name),
            Qualification::None | Qualification::Dependent => self.note_of_header(None, name),
        };
        let (found, place, similar) = match current {
            Qualification::Scope(scope) => {
                let found = !self.search_qualified(scope, name, Wanted::Anything).list.is_empty();
                (
                    found,
                    format!(" in {}", self.scope_description(scope)),
                    self.similar_in(scope, name),
                )
            }
            Qualification::None | Qualification::Dependent => {
                let found = !self.search_outwards(name, Wanted::Anything).list.is_empty();
                (found, String::new(), self.similar_name(name))
            }
        };
        let message = match found {
            true => format!("`{text}` is no class, namespace or enumeration"),
            false => format!("`{text}` is not declared{place}"),
        };
        let mut report = Report::error(span, message);
        if let Some(note) = note.filter(|_| !found) {
            report = report.note(note);
        } else if let Some(similar) = similar.filter(|_| !found) {
            report = report.note(format!("did you mean `{}`?", self.text(similar)));
        }
        self.emit(report);
    }
    /// A scope for messages: "namespace `N`".
    pub fn scope_description(&self, scope: ScopeId) -> String {
        use crate::sema::ScopeKind;
        match self.scopes.kind(scope) {
            ScopeKind::Namespace { namespace: None, .. } => "the global namespace".to_string(),
            ScopeKind::Namespace {
                namespace: Some(id), ..
            } => match &self.program.namespace(id).name {
                Some(name) => format!("namespace `{name}`"),
                None => "the unnamed namespace".to_string(),
            },
            ScopeKind::Class(class) => format!("`{}`", self.class_name(class)),
            ScopeKind::Enum(id) => match &self.program.enumeration(id).name {
                Some(name) => format!("`{name}`"),
                None => "the unnamed enumeration".to_string(),
            },
            ScopeKind::Template(_) | ScopeKind::Function(_) | ScopeKind::Block | ScopeKind::PackExpansion => {
                "this scope".to_string()
            }
        }
    }
    /// Reports that a name means nothing here, with what may have been meant.
    pub fn report_undeclared(&mut self, name: ast::Id<ast::QualifiedName>, what: &str) {
        let ast = self.ast;
        let node = &ast[name];
        let Some((symbol, _)) = self.name_parts(&node.last) else {
            return;
        };
        let text = self.text(symbol).to_string();
        let trapped = self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers));
        let note = match trapped {
            Ok(Some(Qualification::Scope(scope))) => self.note_of_header(Some(scope), symbol),
            _ => self.note_of_header(None, symbol),
        };
        let (place, similar) = match trapped {
            Ok(Some(Qualification::Scope(scope))) => (
                format!(" in {}", self.scope_description(scope)),
                self.similar_in(scope, symbol),
            ),
            _ => (String::new(), self.similar_name(symbol)),
        };
        let mut report = Report::error(node.last_span, format!("{what} `{text}` is not declared{place}"));
        if let Some(note) = note {
            report = report.note(note);
        } else if let Some(similar) = similar {
            report = report.note(format!("did you mean `{}`?", self.text(similar)));
        }
        self.emit(report);
    }
    /// What to say of a name that is not declared in a scope, or anywhere, if a header declares it that is not included.
    pub(crate) fn note_of_header(&self, scope: Option<ScopeId>, name: Symbol) -> Option<String> {
        use crate::sema::ScopeKind;
        let mut path = String::new();
        match scope.map(|scope| self.scopes.kind(scope)) {
            Some(ScopeKind::Namespace { namespace, .. }) => {
                let mut around = Vec::new();
                let mut at = namespace;
                while let Some(id) = at {
                    let namespace = self.program.namespace(id);
                    if let Some(name) = namespace.name.as_ref().filter(|_| !namespace.inline) {
                        around.push(name.to_string());
                    }
                    at = namespace.parent;
                }
                for name in around.iter().rev() {
                    path.push_str(name);
                    path.push_str("::");
                }
            }
            Some(_) => return None,
            None => {}
        }
        path.push_str(self.text(name));
        self.context.note_of_header(&path)
    }
}
