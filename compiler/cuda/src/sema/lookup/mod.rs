//! Look-up of names ([basic.lookup]).

use super::entity::{Candidate, Lookup};
use super::scope::ScopeId;
use super::{Found, Sema};
use crate::hir::{ClassId, QualifiedType};
use crate::source::Symbol;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Looks a name up as written, with its qualifiers and template arguments: in expressions, where functions and types are wanted alike. Gives a message only
    /// where a qualifier or template argument is wrong or what is found is ambiguous ([`Found::Error`]); [`Found::Nothing`] is for the caller to report.
    pub fn lookup(&mut self, name: ast::Id<ast::QualifiedName>) -> Lookup<'a> {
        let span = self.ast[name].span;
        self.not_supported(span, "look-up of names");
        Lookup::new(Found::Error)
    }
    /// Looks a simple name up from the current scope outwards ([basic.lookup.unqual]).
    pub fn lookup_unqualified(&mut self, name: Symbol) -> Lookup<'a> {
        let _ = name;
        Lookup::new(Found::Nothing)
    }
    /// Looks a name up in a namespace, class or enumeration ([basic.lookup.qual]).
    pub fn lookup_qualified(&mut self, scope: ScopeId, name: Symbol) -> Lookup<'a> {
        let _ = (scope, name);
        Lookup::new(Found::Nothing)
    }
    /// Looks a member up in a class and its bases ([class.member.lookup]). The class is completed first. Ambiguity is reported.
    pub fn lookup_member(&mut self, class: ClassId, name: Symbol) -> Lookup<'a> {
        let _ = (class, name);
        Lookup::new(Found::Nothing)
    }
    /// Looks up the member that stands after `.` or `->` ([basic.lookup.classref]): maybe qualified, maybe with template arguments.
    pub fn lookup_member_name(&mut self, class: ClassId, name: ast::Id<ast::QualifiedName>) -> Lookup<'a> {
        let _ = class;
        let span = self.ast[name].span;
        self.not_supported(span, "look-up of members");
        Lookup::new(Found::Error)
    }
    /// The functions that argument-dependent look-up adds ([basic.lookup.argdep]), hidden friends among them.
    pub fn lookup_argument_dependent(&mut self, name: Symbol, arguments: &[QualifiedType]) -> Vec<Candidate> {
        let _ = (name, arguments);
        Vec::new()
    }
    /// A name that can be seen from here and is spelled like one that cannot: for "did you mean".
    pub fn similar_name(&self, name: Symbol) -> Option<Symbol> {
        let _ = name;
        None
    }
    /// The same among the members of a class.
    pub fn similar_member(&self, class: ClassId, name: Symbol) -> Option<Symbol> {
        let _ = (class, name);
        None
    }
    /// Reports a use of a member that access does not allow here ([class.access]): true if allowed.
    pub fn check_access(&mut self, lookup: &Lookup<'a>, span: crate::source::Span) -> bool {
        let _ = (lookup, span);
        true
    }
    /// The same of a candidate that overload resolution has chosen.
    pub fn check_candidate_access(&mut self, candidate: &Candidate, span: crate::source::Span) -> bool {
        let _ = (candidate, span);
        true
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
}
