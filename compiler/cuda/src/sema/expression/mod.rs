//! Expressions ([expr]): syntax to typed expressions.
//!
//! [`Sema::expression`] is the entry. In between an expression is an [`Operand`]: overloaded names and initialiser lists have no type until something says what
//! is wanted. Everything else is a typed expression at once.

mod assign;
mod binary;
mod build;
mod call;
mod cast;
mod class_template;
mod compare;
mod conditional;
mod constant;
mod fold;
mod function_call;
mod launch;
mod literal;
mod member;
mod memory;
mod name;
mod overloaded;
mod size;
mod type_information;
mod type_trait;
mod unary;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Sema;
use super::context::Evaluation;
use super::conversion::arithmetic::{promoted, promoted_bit_field};
use super::conversion::implicit::Permit;
use super::entity::Candidate;
use super::template::GivenArguments;
use super::template::pack::Pattern;
use crate::hir::{ExpressionId, ExpressionKind, QualifiedType, Types, ValueCategory, VariableId};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// What the expression side remembers between expressions.
#[derive(Debug, Default)]
pub struct ExpressionState<'a> {
    /// Integer literals of value zero: null pointer constants ([conv.ptr]/1).
    pub(crate) null_constants: FxHashSet<ExpressionId>,
    /// The lambda expressions that are being elaborated.
    pub(crate) lambdas: super::lambda::Lambdas<'a>,
    /// An operand that was elaborated to deduce a type from, to be taken by the initialisation that follows; with the scope it was read in.
    pub(crate) deduced_from: Option<(ast::Id<ast::Expression>, super::ScopeId, Operand<'a>)>,
    /// The operand of the `decltype` being read.
    decltype_operand: Option<ast::Id<ast::Expression>>,
    /// The expression being read is that operand: what it calls may give an incomplete class, which is not completed for it ([dcl.type.decltype]/2).
    pub(crate) is_decltype_operand: bool,
    /// The `std::type_info` objects that `typeid` has named, by type.
    type_information: FxHashMap<QualifiedType, VariableId>,
    /// How deep expressions are nested now.
    depth: usize,
}

/// Deepest nesting of expressions: the parser's limit, and what templates add that are instantiated in expressions.
const DEPTH_LIMIT: usize = 10_000;

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
        let operand = self.operand(id);
        self.settle(&operand)
    }

    /// An expression that may still lack a type.
    pub(crate) fn operand(&mut self, id: ast::Id<ast::Expression>) -> Operand<'a> {
        if let Some((known, scope, operand)) = self.expressions.deduced_from.take() {
            if known == id && scope == self.scope {
                return operand;
            }
            self.expressions.deduced_from = Some((known, scope, operand));
        }
        let span = self.ast[id].span;
        if self.expressions.depth >= DEPTH_LIMIT {
            return Operand::Expression(
                self.fail(span, format!("expressions are nested more than {DEPTH_LIMIT} deep")),
            );
        }
        self.expressions.depth += 1;
        let is_decltype_operand = self.expressions.decltype_operand == Some(id);
        let outer = std::mem::replace(&mut self.expressions.is_decltype_operand, is_decltype_operand);
        let operand = self.operand_of_kind(id, span);
        self.expressions.is_decltype_operand = outer;
        self.expressions.depth -= 1;
        operand
    }

    fn operand_of_kind(&mut self, id: ast::Id<ast::Expression>, span: Span) -> Operand<'a> {
        let ast = self.ast;
        match &ast[id].kind {
            &ast::ExpressionKind::Name(name) => return self.name_operand(name),
            &ast::ExpressionKind::Parenthesized(inner) => return self.parenthesized(inner),
            &ast::ExpressionKind::Member { object, is_arrow, name } => {
                return self.member_operand(object, is_arrow, name, span);
            }
            ast::ExpressionKind::InitializerList(clauses) => return self.list_operand(clauses, span),
            &ast::ExpressionKind::Unary { operator, operand } => return self.unary(operator, operand, span),
            &ast::ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                return Operand::Expression(self.conditional(condition, then, otherwise, span));
            }
            _ => {}
        }
        Operand::Expression(self.typed(id, span))
    }

    /// The forms that always have a type.
    fn typed(&mut self, id: ast::Id<ast::Expression>, span: Span) -> ExpressionId {
        let ast = self.ast;
        match &ast[id].kind {
            ast::ExpressionKind::Literal(literal) => self.literal(literal, span),
            &ast::ExpressionKind::FunctionName { pretty } => self.function_name_literal(pretty, span),
            ast::ExpressionKind::This => self.this_pointer(span),
            &ast::ExpressionKind::Binary {
                operator,
                left,
                right,
                operator_span,
            } => self.binary(operator, left, right, span, operator_span),
            &ast::ExpressionKind::Assign {
                operator,
                target,
                value,
                operator_span,
            } => self.assign(operator, target, value, span, operator_span),
            ast::ExpressionKind::Call { callee, arguments } => self.call(*callee, arguments, span),
            ast::ExpressionKind::KernelLaunch {
                callee,
                configuration,
                arguments,
            } => self.kernel_launch(*callee, configuration, arguments, span),
            ast::ExpressionKind::Subscript { base, indices } => self.subscript(*base, indices, span),
            ast::ExpressionKind::FunctionalCast { type_id, initializer } => {
                self.functional_cast(*type_id, initializer, span)
            }
            &ast::ExpressionKind::Cast { kind, type_id, operand } => self.cast_expression(kind, type_id, operand, span),
            &ast::ExpressionKind::CompoundLiteral { type_id, initializer } => {
                self.compound_literal(type_id, initializer, span)
            }
            &ast::ExpressionKind::SizeofExpression(operand) => self.sizeof_expression(operand, span),
            &ast::ExpressionKind::SizeofType(type_id) => self.sizeof_type(type_id, span),
            &ast::ExpressionKind::SizeofPack(name) => self.sizeof_pack(name, span),
            &ast::ExpressionKind::AlignofType(type_id) => self.alignof_type(type_id, span),
            &ast::ExpressionKind::AlignofExpression(operand) => self.alignof_expression(operand, span),
            &ast::ExpressionKind::Noexcept(operand) => self.noexcept_operator(operand, span),
            &ast::ExpressionKind::TypeidExpression(operand) => self.typeid_of_expression(operand, span),
            &ast::ExpressionKind::TypeidType(type_id) => self.typeid_of_type(type_id, span),
            ast::ExpressionKind::New(new) => self.new_expression(new, span),
            &ast::ExpressionKind::Delete {
                global,
                is_array,
                operand,
            } => self.delete_expression(global, is_array, operand, span),
            &ast::ExpressionKind::Throw(operand) => self.throw_expression(operand, span),
            &ast::ExpressionKind::Fold {
                left,
                operator,
                assigns,
                right,
            } => self.fold(left, operator, assigns, right, span),
            ast::ExpressionKind::PackExpansion(_) => self.fail(span, "a pack cannot be expanded here"),
            ast::ExpressionKind::Requires(requires) => {
                let value = self.requirements(requires).is_ok();
                self.boolean(value, span)
            }
            &ast::ExpressionKind::Lambda(lambda) => self.lambda(lambda),
            &ast::ExpressionKind::StatementExpression(statement) => self.statement_expression(statement, span),
            ast::ExpressionKind::TypeTrait { trait_kind, arguments } => self.type_trait(*trait_kind, arguments, span),
            ast::ExpressionKind::OffsetOf { type_id, path } => self.offset_of(*type_id, path, span),
            &ast::ExpressionKind::VaArg { list, type_id } => self.va_arg(list, type_id, span),
            &ast::ExpressionKind::BitCast { type_id, operand } => self.bit_cast(type_id, operand, span),
            ast::ExpressionKind::LabelAddress(_) => self.fail(span, "addresses of labels are not supported"),
            ast::ExpressionKind::Error
            | ast::ExpressionKind::Name(_)
            | ast::ExpressionKind::Parenthesized(_)
            | ast::ExpressionKind::Member { .. }
            | ast::ExpressionKind::InitializerList(_)
            | ast::ExpressionKind::Unary { .. }
            | ast::ExpressionKind::Conditional { .. } => self.poison(span),
        }
    }

    /// `(expression)`: the same; of overloaded names without argument-dependent look-up ([basic.lookup.argdep]/1).
    fn parenthesized(&mut self, inner: ast::Id<ast::Expression>) -> Operand<'a> {
        match self.operand(inner) {
            Operand::Overloads(overloads) => {
                let mut overloads = (*overloads).clone();
                overloads.adl = false;
                Operand::Overloads(Rc::new(overloads))
            }
            operand => operand,
        }
    }

    /// The operands of a list of arguments, packs expanded; `None` after a message about a pack.
    pub(crate) fn operands(&mut self, list: &'a [ast::Id<ast::Expression>]) -> Option<Vec<Operand<'a>>> {
        let ast = self.ast;
        let mut operands = Vec::with_capacity(list.len());
        for &id in list {
            match ast[id].kind {
                ast::ExpressionKind::PackExpansion(pattern) => {
                    let span = ast[id].span;
                    operands.extend(self.expand(Pattern::Expression(pattern), span, |sema| sema.operand(pattern))?);
                }
                _ => operands.push(self.operand(id)),
            }
        }
        Some(operands)
    }

    /// A braced list with its clauses elaborated.
    fn list_operand(&mut self, list: &'a [ast::InitializerClause], span: Span) -> Operand<'a> {
        let ast = self.ast;
        let mut clauses = Vec::with_capacity(list.len());
        for clause in list {
            match ast[clause.value].kind {
                ast::ExpressionKind::PackExpansion(pattern) => {
                    let Some(values) =
                        self.expand(Pattern::Expression(pattern), clause.span, |sema| sema.operand(pattern))
                    else {
                        return Operand::Expression(self.poison(span));
                    };
                    clauses.extend(values.into_iter().map(|value| ListClause {
                        designators: &[],
                        value,
                        span: clause.span,
                    }));
                }
                _ => {
                    let value = self.operand(clause.value);
                    clauses.push(ListClause {
                        designators: &clause.designators,
                        value,
                        span: clause.span,
                    });
                }
            }
        }
        Operand::List(Rc::new(ListOperand { clauses, span }))
    }

    /// An expression whose value is dropped ([expr.context]/2): a class prvalue becomes a temporary, so that it is destroyed.
    pub fn discarded(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        let expression = self.expression(id);
        self.drop_value(expression)
    }

    /// What is evaluated where a value is dropped.
    pub(crate) fn drop_value(&mut self, expression: ExpressionId) -> ExpressionId {
        let ty = self.type_of(expression);
        if !self.category_of(expression).is_glvalue() && self.program.types.as_class(ty.id).is_some() {
            return self.materialised(expression);
        }
        expression
    }

    /// An expression contextually converted to `bool` ([conv]/4).
    pub fn condition(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        self.check_condition(id);
        let operand = self.operand(id);
        self.condition_operand(&operand)
    }

    /// The same of an expression that is typed already: of a declared variable.
    pub fn convert_condition(&mut self, expression: ExpressionId) -> ExpressionId {
        self.condition_operand(&Operand::Expression(expression))
    }

    /// The same of an operand.
    pub(crate) fn condition_operand(&mut self, operand: &Operand<'a>) -> ExpressionId {
        let span = self.operand_span(operand);
        if self.operand_is_poisoned(operand) {
            return self.poison(span);
        }
        match self.implicit_sequence(operand, Types::BOOL.into(), Permit::DIRECT) {
            Some(sequence) if !matches!(operand, Operand::List(_)) => {
                self.apply(operand, &sequence, Types::BOOL.into(), "a condition")
            }
            _ => {
                let message = format!(
                    "{} cannot be used as a condition: it does not convert to `bool`",
                    self.describe_operand(operand)
                );
                self.fail(span, message)
            }
        }
    }

    /// The condition of a `switch`: an integer, promoted, or a scoped enumeration ([stmt.switch]/2).
    pub fn switch_condition(&mut self, id: ast::Id<ast::Expression>) -> ExpressionId {
        let expression = self.expression(id);
        self.convert_switch_condition(expression)
    }

    /// The same of an expression that is typed already.
    pub fn convert_switch_condition(&mut self, expression: ExpressionId) -> ExpressionId {
        let span = self.span_of(expression);
        let mut value = expression;
        if self.program.types.as_class(self.type_of(value).id).is_some() {
            value = self.convert_to_class_of_types(value, "the condition of a `switch`", |sema, ty| {
                sema.program.types.is_integral(ty) || sema.program.types.as_enum(ty).is_some()
            });
        }
        if self.is_poisoned(value) {
            return value;
        }
        let width = self.source(value).bit_field;
        let value = self.decay(value);
        let ty = self.type_of(value).id;
        if self.program.types.is_integral(ty) || self.program.types.as_enum(ty).is_some() {
            let promoted = width.map_or_else(
                || promoted(&self.program, ty),
                |width| promoted_bit_field(&self.program, ty, width),
            );
            return self.convert_arithmetic(value, promoted);
        }
        let message = format!(
            "the condition of a `switch` must be an integer or an enumeration, not {}",
            self.quote(ty)
        );
        self.fail(span, message)
    }

    /// The type of `decltype(expression)` ([dcl.type.simple]/4).
    pub fn type_of_expression_for_decltype(&mut self, id: ast::Id<ast::Expression>) -> QualifiedType {
        let unevaluated = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        let ast = self.ast;
        let is_entity = matches!(
            ast[id].kind,
            ast::ExpressionKind::Name(_) | ast::ExpressionKind::Member { .. }
        );
        let operand = self.innermost_operand(id);
        let outer = self.expressions.decltype_operand.replace(operand);
        let ty = self.with_evaluation(unevaluated, |sema| {
            let expression = sema.expression(id);
            sema.decltype_of(expression, is_entity)
        });
        self.expressions.decltype_operand = outer;
        ty
    }

    /// The expression that gives the value of one in parentheses or with a comma.
    fn innermost_operand(&self, id: ast::Id<ast::Expression>) -> ast::Id<ast::Expression> {
        match self.ast[id].kind {
            ast::ExpressionKind::Parenthesized(inner) => self.innermost_operand(inner),
            ast::ExpressionKind::Binary {
                operator: ast::BinaryOperator::Comma,
                right,
                ..
            } => self.innermost_operand(right),
            _ => id,
        }
    }

    /// The type that `decltype` gives for a typed expression; of an entity's name its declared type.
    pub(crate) fn decltype_of(&mut self, expression: ExpressionId, is_entity: bool) -> QualifiedType {
        let node = self.program.expression(expression);
        let (ty, category) = (node.ty, node.category);
        if is_entity {
            match node.kind {
                ExpressionKind::Variable(variable) => {
                    let declared = self.program.variable(variable).ty;
                    return self.binding_types.get(&variable).copied().unwrap_or(declared);
                }
                ExpressionKind::Member { object, field } => {
                    let class = self.program.types.as_class(self.program.type_of(object).id);
                    if let Some(field) = class.and_then(|class| self.program.class(class).fields.get(field.index())) {
                        return field.ty;
                    }
                }
                _ => {}
            }
        }
        match category {
            _ if ty.id == Types::ERROR => ty,
            ValueCategory::LValue if is_entity && self.program.types.as_function(ty.id).is_some() => ty,
            ValueCategory::LValue => self.program.types.lvalue_reference(ty).into(),
            ValueCategory::XValue => self.program.types.rvalue_reference(ty).into(),
            ValueCategory::PrValue => ty,
        }
    }
}
