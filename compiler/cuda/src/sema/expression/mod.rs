//! Expressions ([expr]): syntax to typed expressions.
//!
//! [`Sema::expression`] is the entry. In between an expression is an [`Operand`]: overloaded names and initialiser lists have no type until something says what
//! is wanted. Everything else is a typed expression at once.

mod build;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::Sema;
use super::entity::Candidate;
use super::template::GivenArguments;
use crate::hir::{Constant, ExpressionId, QualifiedType};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// What the expression side remembers between expressions.
#[derive(Debug, Default)]
pub struct ExpressionState<'a> {
    /// Integer literals of value zero: null pointer constants ([conv.ptr]/1).
    pub(crate) null_constants: FxHashSet<ExpressionId>,
    /// Keeps the lifetime of syntax that lists point to.
    pub(crate) syntax: std::marker::PhantomData<&'a ast::Expression>,
}

/// An expression that may still lack a type.
#[derive(Clone, Debug)]
pub enum Operand<'a> {
    /// A typed expression.
    Expression(ExpressionId),
    /// A name of functions or function templates.
    Overloads(Rc<Overloads<'a>>),
    /// An initialiser list.
    List(Rc<ListOperand<'a>>),
}

/// A name of functions or function templates, as it stands in an expression.
#[derive(Clone, Debug)]
pub struct Overloads<'a> {
    /// The name.
    pub name: Symbol,
    /// What it may mean.
    pub candidates: Vec<Candidate>,
    /// Template arguments written after it.
    pub arguments: Option<GivenArguments<'a>>,
    /// The object that members are called on: a glvalue.
    pub object: Option<ExpressionId>,
    /// It was qualified: a virtual function is called as it is.
    pub qualified: bool,
    /// Argument-dependent look-up adds to it in a call.
    pub adl: bool,
    /// `&` stands before it.
    pub address: bool,
    /// Where.
    pub span: Span,
}

/// An initialiser list whose clauses are elaborated.
#[derive(Clone, Debug)]
pub struct ListOperand<'a> {
    /// The clauses, packs expanded.
    pub clauses: Vec<ListClause<'a>>,
    /// Where.
    pub span: Span,
}

/// A clause of an initialiser list.
#[derive(Clone, Debug)]
pub struct ListClause<'a> {
    /// What is written before `=`.
    pub designators: &'a [ast::Designator],
    /// The value.
    pub value: Operand<'a>,
    /// Where.
    pub span: Span,
}

impl<'a> ListOperand<'a> {
    /// The only clause, if there is one without designators.
    pub fn single(&self) -> Option<&Operand<'a>> {
        match &self.clauses[..] {
            [clause] if clause.designators.is_empty() => Some(&clause.value),
            _ => None,
        }
    }
}

impl<'a> Sema<'a> {
    /// The typed expression of an expression's syntax: a glvalue or prvalue; an error expression after a message.
    pub fn expression(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        let span = self.ast[id].span;
        self.fail(span, "this expression is not supported")
    }
    /// An expression whose value is dropped ([expr.context]/2).
    pub fn discarded(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        self.expression(id)
    }
    /// An expression contextually converted to `bool` ([conv]/4).
    pub fn condition(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        let expression = self.expression(id);
        self.convert_condition(expression)
    }
    /// The same of an expression that is typed already: of a declared variable.
    pub fn convert_condition(&mut self, expression: ExpressionId) -> ExpressionId {
        expression
    }
    /// The condition of a `switch`: an integer, promoted, or a scoped enumeration ([stmt.switch]/2).
    pub fn switch_condition(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        self.expression(id)
    }
    /// The same of an expression that is typed already.
    pub fn convert_switch_condition(&mut self, expression: ExpressionId) -> ExpressionId {
        expression
    }
    /// The value of a converted constant expression ([expr.const]/8); `None` after a message.
    pub fn constant_expression(&mut self, id: ast::Id<ast::Expression>, to: QualifiedType) -> Option<Constant> {
        let _ = to;
        self.expression(id);
        None
    }
    /// The value of a contextually converted constant expression of type `bool`; `None` after a message.
    pub fn constant_bool(&mut self, id: ast::Id<ast::Expression>) -> Option<bool> {
        self.expression(id);
        None
    }
    /// The value of a typed expression, which must be constant: `None` after a message.
    pub fn evaluate(&mut self, expression: ExpressionId, span: Span) -> Option<Constant> {
        let _ = (expression, span);
        None
    }
    /// The value of a typed expression, if it is constant; no message if not.
    pub fn try_evaluate(&mut self, expression: ExpressionId) -> Option<Constant> {
        let _ = expression;
        None
    }
    /// Initialises a variable, member or base of a type as its initialiser says ([dcl.init]); none is default-initialisation. A prvalue of the type, or a glvalue
    /// for a reference. The type of `T a[] = …` is the expression's type. `what` is named in messages: ``variable `x` ``.
    pub fn initialise(
        &mut self,
        target: QualifiedType,
        initializer: Option<&'a ast::Initializer>,
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let _ = (target, initializer, what);
        self.fail(span, "this initialisation is not supported")
    }
    /// Copy-initialisation from an expression's syntax, maybe a list: `return`, default arguments ([dcl.init]/14).
    pub fn copy_initialise(
        &mut self,
        target: QualifiedType,
        value: ast::Id<ast::Expression>,
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let _ = (target, value, what);
        self.fail(span, "this initialisation is not supported")
    }
    /// Copy-initialisation from a typed expression: memberwise copies, range-based `for`.
    pub fn initialise_from(
        &mut self,
        target: QualifiedType,
        value: ExpressionId,
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let _ = (target, value, what);
        self.fail(span, "this initialisation is not supported")
    }
    /// The type of a variable declared with a placeholder, from its initialiser ([dcl.spec.auto]); `None` after a message.
    pub fn auto_from_initialiser(
        &mut self,
        pattern: QualifiedType,
        initializer: &'a ast::Initializer,
        span: Span,
    ) -> Option<QualifiedType> {
        let _ = (pattern, initializer);
        self.fail(span, "this type cannot be deduced");
        None
    }
    /// The type of `decltype(expression)` ([dcl.type.simple]/4).
    pub fn type_of_expression_for_decltype(&mut self, id: ast::Id<ast::Expression>) -> QualifiedType {
        let expression = self.expression(id);
        self.type_of(expression)
    }
    /// The closure that a lambda expression makes ([expr.prim.lambda]).
    pub fn lambda(&mut self, id: ast::Id<ast::Lambda>) -> ExpressionId {
        let span = self.ast[id].span;
        self.fail(span, "lambda expressions are not supported")
    }
}
