//! Templates: their tables, and what elaborating one for a set of arguments takes.
//!
//! A template keeps its syntax. An instance is made by opening a scope of kind [`ScopeKind::Template`](super::ScopeKind::Template) in the scope where the
//! template was declared, binding its parameters there to the arguments, and reading the declaration anew in it.

mod argument;
mod class;
pub(crate) mod concept;
mod declare;
pub mod deduce;
mod dependent;
mod explicit;
mod friend;
mod function;
mod guide;
mod identity;
mod known;
mod nondependent;
mod order;
mod outside;
pub mod pack;
mod pattern;
mod pretty;
mod substitute;
mod unify;
pub(crate) mod walk;

pub(crate) use identity::{Identities, IdentityId, OverloadSet};
pub(crate) use order::UniqueType;
pub use pattern::UnboundKind;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::entity::{Candidate, Entity};
use super::scope::{Access, ScopeId};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{ClassId, QualifiedType, TemplateArgument, ValueCategory};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// A template in [`Sema::templates`](super::Sema::templates).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateId(pub(crate) u32);

/// A parameter while a template's header or signature is read, before it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnboundParameter {
    /// The level of its template, or of the list of parameters that a function's parameter is in.
    pub depth: u32,
    /// The place in its list.
    pub index: u32,
    /// What it is.
    pub kind: UnboundKind,
    /// Whether it is a pack.
    pub pack: bool,
}

/// What a template makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TemplateKind {
    Class,
    Function,
    Alias,
    Variable,
    Concept,
}

/// A parameter of a template, over all its declarations.
#[derive(Clone, Debug)]
pub struct TemplateParameter<'a> {
    /// The name in the first declaration that gives one.
    pub name: Option<Symbol>,
    /// Its syntax; `None` of the invented parameter of an `auto` function parameter.
    pub syntax: Option<&'a ast::TemplateParameter>,
    /// The declaration of it that has its default argument.
    pub default: Option<&'a ast::TemplateParameter>,
    /// How the declaration with the default argument names all parameters, if others than the names here: the default is read with these.
    pub default_names: Option<Rc<[Option<Symbol>]>>,
    /// The concept before it.
    pub constraint: Option<ast::Id<ast::QualifiedName>>,
    /// Whether it is a pack.
    pub pack: bool,
}

impl TemplateParameter<'_> {
    /// The parameter under another name.
    fn renamed(&self, name: Option<Symbol>) -> Self {
        Self { name, ..self.clone() }
    }

    /// Whether it takes types; else it takes values or templates.
    fn is_type(&self) -> bool {
        self.syntax
            .is_none_or(|syntax| matches!(syntax.kind, ast::TemplateParameterKind::Type { .. }))
    }
}

/// Gives parameters the default arguments that only another declaration of the template has ([temp.param]/10).
fn take_defaults<'a>(to: &mut [TemplateParameter<'a>], from: &[TemplateParameter<'a>]) {
    let differ = to.iter().zip(from).any(|(one, other)| one.name != other.name);
    let names = differ.then(|| from.iter().map(|parameter| parameter.name).collect::<Rc<[_]>>());
    for (to, from) in to.iter_mut().zip(from) {
        if to.default.is_none() && from.default.is_some() {
            to.default = from.default;
            to.default_names = from.default_names.clone().or_else(|| names.clone());
        }
    }
}

/// A partial specialisation.
#[derive(Clone, Debug)]
pub struct Partial<'a> {
    /// Its own parameters.
    pub parameters: Rc<[TemplateParameter<'a>]>,
    /// The arguments after the name.
    pub arguments: &'a [ast::TemplateArgument],
    /// What is declared.
    pub declaration: ast::Id<ast::Declaration>,
    /// Where.
    pub span: Span,
    /// When.
    pub order: u32,
    /// Definitions of its members outside of it.
    pub outside_members: Vec<OutsideMember<'a>>,
    /// The requires-clause behind its parameters.
    pub requires: Option<ast::Id<ast::Expression>>,
    /// Its arguments with its parameters in them.
    pub pattern: Rc<[ArgumentPattern]>,
    /// The constraints of its parameters and its requires-clause.
    pub constraints: Vec<ExpressionPattern>,
    /// Its definition, if it is a class.
    pub class: Option<ast::Id<ast::Class>>,
    /// The scope that it is read in, if that is not the template's: of a member of a class template that is defined outside.
    pub scope: Option<ScopeId>,
}

/// The definition of a member of a class template outside of the class.
#[derive(Clone, Debug)]
pub struct OutsideMember<'a> {
    /// Template headers from the outermost: the first is the class template's.
    pub headers: Vec<Rc<[TemplateParameter<'a>]>>,
    /// Classes in the class template that the member is in, from the outside.
    pub path: Vec<Symbol>,
    /// The symbol of the member.
    pub name: Symbol,
    /// The declaration inside of all headers.
    pub declaration: ast::Id<ast::Declaration>,
    /// The scope around the definition.
    pub scope: ScopeId,
    /// The requires-clause behind its last header.
    pub requires: Option<ast::Id<ast::Expression>>,
    /// When.
    pub order: u32,
}

/// A template.
#[derive(Clone, Debug)]
pub struct Template<'a> {
    /// What it makes.
    pub kind: TemplateKind,
    /// Its symbol, as that of a function.
    pub name: Symbol,
    /// The scope where it is a member and in which its header is read.
    pub scope: ScopeId,
    /// The class it is a member of.
    pub class: Option<ClassId>,
    /// Its access.
    pub access: Access,
    /// The parameters.
    pub parameters: Rc<[TemplateParameter<'a>]>,
    /// The requires-clause behind its parameters.
    pub requires: Option<ast::Id<ast::Expression>>,
    /// Of the call operator of a generic lambda: its declarator, and the lambda's number.
    pub lambda: Option<(u32, &'a ast::FunctionDeclarator)>,
    /// What its first declaration declares.
    pub declaration: ast::Id<ast::Declaration>,
    /// What its definition declares, with the parameters as named there and the scope in which it is read.
    pub definition: Option<(ast::Id<ast::Declaration>, Rc<[TemplateParameter<'a>]>, ScopeId)>,
    /// The instances by arguments.
    pub instances: FxHashMap<Rc<[TemplateArgument]>, Entity>,
    /// Partial specialisations of class and variable templates.
    pub partials: Vec<Partial<'a>>,
    /// Members defined outside.
    pub outside_members: Vec<OutsideMember<'a>>,
    /// Of a member of a class template's instance: the definitions outside that it has taken.
    pub taken: Vec<ast::Id<ast::Declaration>>,
    /// Deduction guides: function templates and functions whose result is an instance.
    pub guides: Vec<Candidate>,
    /// Declared as a friend in a class: found by argument-dependent look-up, with the bindings of that class.
    pub friend_of: Option<ClassId>,
    /// When it was declared.
    pub order: u32,
    /// A member template that is specialised for the instance of a class template whose member it is: the body in its class is not its own.
    pub specialised: bool,
    /// Its signature with parameters in it, once it has been asked for.
    pub signature: Option<Rc<FunctionPattern>>,
    /// What tells it from other function templates of its name, once it has been asked for.
    pub(crate) identity: Option<IdentityId>,
    /// A candidate of class template argument deduction.
    pub guide: Option<Guide>,
    /// The implicit guides are among [`Template::guides`].
    pub guides_made: bool,
    /// An inherited constructor template: that of the base.
    pub inherits: Option<TemplateId>,
    /// When its definition stood.
    pub body_order: u32,
    /// The declared name.
    pub span: Span,
}

/// The signature of a function template with parameters in it.
#[derive(Clone, Debug)]
pub struct FunctionPattern {
    /// The parameters; a pack is an expansion.
    pub parameters: Vec<TypePattern>,
    /// Which parameters have default arguments.
    pub defaults: Vec<bool>,
    /// The result.
    pub result: TypePattern,
    /// `...`.
    pub variadic: bool,
}

/// Where a candidate of class template argument deduction comes from ([over.match.class.deduct]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide {
    /// The condition of the requires-clause behind the constructor's own template parameters.
    pub requires: Option<ast::Id<ast::Expression>>,
    /// The class template.
    pub class_template: TemplateId,
    /// From what.
    pub source: GuideSource,
    /// How many parameters are the class template's.
    pub class_parameters: usize,
    /// `explicit`.
    pub explicit: bool,
}

/// What a guide was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuideSource {
    /// A constructor's declarator.
    Constructor(ast::Id<ast::Declarator>),
    /// The copy deduction candidate.
    Copy,
    /// A deduction guide as written.
    Written,
    /// No constructor at all: the default constructor.
    Default,
}

/// A template argument as given, to be matched with a parameter.
#[derive(Clone, Debug)]
pub enum GivenArgument<'a> {
    /// Written, to be read in a scope (elements of an expanded pack have a scope each).
    Syntax(&'a ast::TemplateArgument, ScopeId),
    /// Known already.
    Known(TemplateArgument),
}

/// The template arguments written after a name; expansions of packs are expanded already.
#[derive(Clone, Debug)]
pub struct GivenArguments<'a> {
    /// In order.
    pub list: Rc<[GivenArgument<'a>]>,
    /// The tokens of the name with them.
    pub span: Span,
}

/// An operand of a call as deduction sees it ([temp.deduct.call]).
#[derive(Clone, Debug)]
pub enum DeductionOperand<'a> {
    /// An expression.
    Typed(QualifiedType, ValueCategory),
    /// An initialiser list: deduces `std::initializer_list<P>` and `P [N]`, else nothing.
    List(Vec<DeductionOperand<'a>>),
    /// An overload set.
    Overloads(Vec<Candidate>, Option<GivenArguments<'a>>),
    /// In error: fits everything, deduces nothing.
    Error,
}

/// Why a template takes no part in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeductionFailure {
    /// The reason; [`Sema::deduction_reason`](super::Sema::deduction_reason) puts it in words. Most are never told, and names of types can be long.
    pub reason: DeductionReason,
    /// Where, or [`Span::NONE`].
    pub span: Span,
}

/// Why the arguments of a template cannot be deduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeductionReason {
    /// A sentence without a full stop: a note to the candidate.
    Text(String),
    /// No arguments make a parameter fit a type.
    Unfit(QualifiedType),
}

impl DeductionFailure {
    /// A failure with a reason.
    pub fn new(reason: impl Into<String>) -> DeductionFailure {
        DeductionFailure {
            reason: DeductionReason::Text(reason.into()),
            span: Span::NONE,
        }
    }

    /// That no arguments make a parameter fit a type.
    fn unfit(ty: QualifiedType) -> DeductionFailure {
        DeductionFailure {
            reason: DeductionReason::Unfit(ty),
            span: Span::NONE,
        }
    }
}
