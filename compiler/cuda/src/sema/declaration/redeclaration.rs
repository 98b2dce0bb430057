//! Functions that are declared again ([basic.link], [over.dcl]).

use super::FunctionDeclaration;
use super::function::{FunctionShape, Redeclared, Sameness};
use super::types::DeclaredType;
use crate::hir::{self, FunctionId, FunctionName, Linkage, Types};
use crate::sema::entity::{Callable, Definition};
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Finds the function that a declaration declares again.
    pub(super) fn find_redeclared(
        &mut self,
        function: &hir::Function,
        shape: &FunctionShape,
        scope: ScopeId,
        requires: Option<(ast::Id<ast::Expression>, ScopeId)>,
    ) -> Redeclared {
        let mut known: Vec<(FunctionId, Span)> = Vec::new();
        let in_class = shape.class.filter(|_| !shape.is_friend);
        match (&shape.name.name, in_class) {
            (FunctionName::Constructor, Some(class)) => {
                let list = &self.classes[class.index()].constructors;
                known.extend(list.iter().filter_map(|candidate| match candidate.callable {
                    Callable::Function(function) => Some((function, Span::NONE)),
                    Callable::Template(_) => None,
                }));
            }
            (FunctionName::Destructor, Some(class)) => {
                known.extend(
                    self.classes[class.index()]
                        .destructor
                        .map(|function| (function, Span::NONE)),
                );
            }
            _ => {
                let declared = self.scopes.get(scope).get(shape.name.symbol).to_vec();
                let mut inner = Vec::new();
                if matches!(self.scopes.kind(scope), ScopeKind::Namespace { .. })
                    && (shape.qualified || shape.is_friend)
                {
                    for &child in &self.scopes.get(scope).inline_children.clone() {
                        inner.extend_from_slice(self.scopes.get(child).get(shape.name.symbol));
                    }
                }
                let own = declared.into_iter().map(|declared| (declared, false));
                for (declared, is_inner) in own.chain(inner.into_iter().map(|declared| (declared, true))) {
                    match declared.entity {
                        Entity::Function(function) if !declared.from_using => known.push((function, declared.span)),
                        Entity::Function(_)
                        | Entity::Template(_)
                        | Entity::Class(_)
                        | Entity::Enum(_)
                        | Entity::Error => {}
                        Entity::Pack(_)
                        | Entity::Namespace(_)
                        | Entity::Typedef(_)
                        | Entity::Variable(_)
                        | Entity::Field(..)
                        | Entity::IndirectField(_)
                        | Entity::Enumerator(..)
                        | Entity::Value(_)
                        | Entity::Alias(_)
                        | Entity::Parameter(..)
                        | Entity::Builtin(_) => {
                            // What an inline namespace in this one has is only declared again, never in the way.
                            if is_inner || self.is_local_scope(scope) || shape.qualified {
                                continue;
                            }
                            let message = format!(
                                "`{}` is declared already, as something else",
                                self.text(shape.name.symbol)
                            );
                            self.emit(Report::error(function.span, message).note_at(declared.span, "declared here"));
                            return Redeclared::Conflict;
                        }
                    }
                }
            }
        }
        for (id, _) in known {
            if !self.has_constraint(id, requires) {
                continue;
            }
            match self.same_function(id, function) {
                Sameness::Same => return Redeclared::Function(id),
                Sameness::OnlyResultDiffers => {
                    if self.is_library_builtin(function) {
                        return Redeclared::Function(id);
                    }
                    let message = format!(
                        "`{}` differs from an earlier declaration only in what it returns",
                        self.text(shape.name.symbol)
                    );
                    let declared = self.program.function(id).span;
                    self.emit(Report::error(function.span, message).note_at(declared, "declared here"));
                    return Redeclared::Conflict;
                }
                Sameness::Different => {}
            }
        }
        Redeclared::No
    }
    /// Whether a function is declared with this requires-clause, which is read in the current scope ([temp.over.link]/5 as to what is the same).
    pub(crate) fn has_constraint(
        &mut self,
        known: FunctionId,
        requires: Option<(ast::Id<ast::Expression>, ScopeId)>,
    ) -> bool {
        let known = self.functions[known.index()].constraint;
        match (known, requires) {
            (None, None) => true,
            (Some((one, one_scope)), Some((other, other_scope))) => {
                let one = self.in_scope(one_scope, |sema| sema.condition_pattern(one));
                let other = self.in_scope(other_scope, |sema| sema.condition_pattern(other));
                one == other
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
    /// Declarations of the C library's functions may differ in trifles.
    pub(super) fn is_library_builtin(&self, function: &hir::Function) -> bool {
        self.context.map.is_system(function.span.first)
    }
    pub(super) fn same_function(&self, known: FunctionId, function: &hir::Function) -> Sameness {
        let earlier = self.program.function(known);
        if self.functions[known.index()].instance.is_some()
            || earlier.name != function.name && !matches!(earlier.name, FunctionName::Constructor)
        {
            return Sameness::Different;
        }
        let (Some(one), Some(other)) = (
            self.program.types.as_function(earlier.ty),
            self.program.types.as_function(function.ty),
        ) else {
            return Sameness::Different;
        };
        let spoilt = one.parameters.iter().any(|parameter| parameter.id == Types::ERROR);
        let same_parameters = one.parameters == other.parameters && one.variadic == other.variadic && !spoilt;
        if !same_parameters || one.qualifiers != other.qualifiers || one.reference != other.reference {
            return Sameness::Different;
        }
        if one.result == other.result || self.functions[known.index()].declared_result == Some(other.result) {
            return Sameness::Same;
        }
        if self.contains_placeholder(other.result) || one.result.id == Types::ERROR || other.result.id == Types::ERROR {
            return Sameness::Same;
        }
        Sameness::OnlyResultDiffers
    }
    /// Merges a declaration with the function that it declares again.
    pub(super) fn redeclare(
        &mut self,
        known: FunctionId,
        function: hir::Function,
        declaration: &FunctionDeclaration,
        declared: DeclaredType<'a>,
        shape: &FunctionShape,
        span: Span,
    ) -> Option<FunctionId> {
        let earlier_span = self.program.function(known).span;
        if shape.class.is_some() && !shape.qualified && !shape.is_friend {
            let message = format!("`{}` is declared twice in its class", self.text(shape.name.symbol));
            self.emit(Report::error(span, message).note_at(earlier_span, "declared here"));
            return None;
        }
        if shape.is_friend {
            if let Some(befriending) = shape.befriending {
                let info = &mut self.classes[befriending.index()];
                info.friends.push(crate::sema::Friend::Function(known));
                if !shape.qualified {
                    info.hidden_friends.push((shape.name.symbol, Callable::Function(known)));
                }
            }
        } else if shape.class.is_none() {
            self.unhide(shape.name.symbol, known);
        }
        let is_definition = declaration.definition.is_some();
        if is_definition && !matches!(self.functions[known.index()].definition, Definition::None) {
            let message = format!("`{}` is defined already", self.show_function(known));
            self.emit(Report::error(span, message).note_at(earlier_span, "defined here"));
            return None;
        }
        self.merge_attributes(known, &function, is_definition, shape);
        if let Some(parts) = declared.function {
            self.take_parameters(known, &parts, Some(earlier_span));
            if is_definition {
                self.scopes.get_mut(parts.scope).kind = ScopeKind::Function(Some(known));
                for parameter in &parts.parameters {
                    self.program.variable_mut(parameter.variable).scope = hir::Scope::Function(known);
                    self.variables[parameter.variable.index()].function = Some(known);
                }
                let function = self.program.function_mut(known);
                function.parameters = parts.parameters.iter().map(|parameter| parameter.variable).collect();
                function.span = span;
            }
            if let Some(definition) = declaration.definition {
                let around = self.scope;
                self.attach_definition(known, definition, around, Some(parts.scope));
                if shape.qualified && self.program.function(known).is_defaulted {
                    self.functions[known.index()].defaulted_outside = true;
                }
                self.clock += 1;
            }
        }
        Some(known)
    }
    pub(super) fn merge_attributes(
        &mut self,
        known: FunctionId,
        function: &hir::Function,
        is_definition: bool,
        shape: &FunctionShape,
    ) {
        let earlier = self.program.function_mut(known);
        if shape.qualified && !function.space.device && !function.space.global {
            // A definition outside of the class need not repeat the execution space.
        } else {
            earlier.space.device |= function.space.device;
            earlier.space.global |= function.space.global;
            earlier.space.host |= function.space.host && !earlier.space.global && !earlier.space.device;
        }
        if function.kernel != hir::KernelAttributes::default() {
            earlier.kernel = function.kernel;
        }
        if function.inline != hir::InlineHint::None {
            earlier.inline = function.inline;
        }
        earlier.is_constexpr |= function.is_constexpr;
        earlier.no_return |= function.no_return;
        if earlier.label.is_none() {
            earlier.label = function.label.clone();
        }
        match (earlier.linkage, function.linkage) {
            (Linkage::External, other) => earlier.linkage = other,
            (Linkage::Internal | Linkage::OnceOnly | Linkage::Weak, _) => {}
        }
        if is_definition {
            earlier.is_deleted |= function.is_deleted;
        }
    }
    /// A function that only a friend declaration had declared becomes visible.
    pub(super) fn unhide(&mut self, name: Symbol, function: FunctionId) {
        if let Some(list) = self.scopes.get_mut(self.scope).get_mut(name) {
            for declared in list {
                if declared.entity == Entity::Function(function) {
                    declared.hidden = false;
                }
            }
        }
    }
    pub(super) fn report_no_member(&mut self, shape: &FunctionShape, scope: ScopeId, span: Span) {
        let place = self.scope_description(scope);
        let message = format!(
            "{place} has no member `{}` with this type",
            self.text(shape.name.symbol)
        );
        let mut report = Report::error(span, message);
        let mut candidates: Vec<FunctionId> = self
            .scopes
            .get(scope)
            .get(shape.name.symbol)
            .iter()
            .filter_map(|declared| match declared.entity {
                Entity::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        if let Some(class) = shape.class
            && shape.name.name == FunctionName::Constructor
        {
            candidates.extend(self.classes[class.index()].constructors.iter().filter_map(|candidate| {
                match candidate.callable {
                    Callable::Function(function) => Some(function),
                    Callable::Template(_) => None,
                }
            }));
        }
        for &candidate in candidates.iter().take(4) {
            let declared = self.program.function(candidate).span;
            report = report.note_at(declared, format!("candidate: `{}`", self.show_function(candidate)));
        }
        if candidates.is_empty()
            && let Some(similar) = self.similar_in(scope, shape.name.symbol)
        {
            report = report.note(format!("did you mean `{}`?", self.text(similar)));
        }
        self.emit(report);
    }
}
