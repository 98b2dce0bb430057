//! Initialisation of every kind ([dcl.init]).
//!
//! | module | idea |
//! |---|---|
//! | this one | default, value, copy and direct initialisation |
//! | [`list`] | lists ([dcl.init.list]), narrowing |
//! | [`aggregate`] | aggregates: brace elision, designators, arrays, strings |
//! | [`placeholder`] | `auto` from its initialiser |
//! | [`lifetime`] | temporaries that live as long as the reference bound to them |

mod aggregate;
mod lifetime;
mod list;
mod placeholder;

pub(in crate::sema) use list::same_bits;

use crate::hir::{ClassId, ExpressionId, ExpressionKind, FunctionId, QualifiedType, Type, Types};
use crate::sema::Sema;
use crate::sema::conversion::implicit::Permit;
use crate::sema::expression::Operand;
use crate::sema::overload::{Callee, Resolution};
use crate::source::Span;
use crate::syntax::ast;

/// What is made of a list that narrows ([dcl.init.list]/7), as CUDA's compiler has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum NarrowingPolicy {
    /// An error: arguments, assignments, `new`, elements of an `initializer_list`, aggregates made in expressions.
    #[default]
    Reject,
    /// A warning: variables, members, results of class type.
    Warn,
    /// A warning if the value is not constant: scalars made in expressions.
    WarnUnlessConstant,
    /// Nothing: whether there is a conversion does not depend on it.
    Ignore,
}

impl<'a> Sema<'a> {
    /// Does work in which lists that narrow are treated so.
    pub(crate) fn with_narrowing<T>(&mut self, policy: NarrowingPolicy, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.narrowing, policy);
        let result = work(self);
        self.narrowing = saved;
        result
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
        if target.id == Types::ERROR {
            self.read_initializer(initializer);
            return self.poison(span);
        }
        match initializer {
            None => self.default_initialise(target, span, what),
            Some(&ast::Initializer::Equal(value)) => {
                let operand = self.operand(value);
                self.with_narrowing(NarrowingPolicy::Warn, |sema| {
                    sema.initialise_operand(target, &operand, Permit::IMPLICIT, what)
                })
            }
            Some(ast::Initializer::Parenthesized(arguments)) => {
                let Some(operands) = self.operands(arguments) else {
                    return self.poison(span);
                };
                self.direct_initialise(target, &operands, span, what)
            }
            Some(&ast::Initializer::Braced(value)) => {
                let operand = self.operand(value);
                self.with_narrowing(NarrowingPolicy::Warn, |sema| {
                    sema.convert_permitted(&operand, target, Permit::DIRECT, what)
                })
            }
        }
    }

    /// Elaborates the expressions of an initialiser whose target is in error, for their own mistakes.
    fn read_initializer(&mut self, initializer: Option<&'a ast::Initializer>) {
        match initializer {
            None => {}
            Some(&ast::Initializer::Equal(value) | &ast::Initializer::Braced(value)) => {
                self.operand(value);
            }
            Some(ast::Initializer::Parenthesized(arguments)) => {
                self.operands(arguments);
            }
        }
    }

    /// Copy-initialisation from an expression's syntax, maybe a list: `return`, default arguments ([dcl.init]/14).
    pub fn copy_initialise(
        &mut self,
        target: QualifiedType,
        value: ast::Id<ast::Expression>,
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let operand = self.operand(value);
        let _ = span;
        self.initialise_operand(target, &operand, Permit::IMPLICIT, what)
    }

    /// Copy-initialisation from a typed expression: memberwise copies, range-based `for`.
    pub fn initialise_from(
        &mut self,
        target: QualifiedType,
        value: ExpressionId,
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let _ = span;
        self.initialise_operand(target, &Operand::Expression(value), Permit::IMPLICIT, what)
    }

    /// Initialises an object from one operand; strings initialise arrays of characters.
    pub(crate) fn initialise_operand(
        &mut self,
        target: QualifiedType,
        operand: &Operand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        if let (Type::Array(..), &Operand::Expression(expression)) = (self.program.types.get(target.id), operand) {
            return self.initialise_array(target, expression, what);
        }
        self.convert_permitted(operand, target, permit, what)
    }

    /// An array from an expression that is no list: a string, or an array prvalue ([dcl.init]/17.5).
    fn initialise_array(&mut self, target: QualifiedType, expression: ExpressionId, what: &str) -> ExpressionId {
        let span = self.span_of(expression);
        if self.is_poisoned(expression) {
            return expression;
        }
        if let Some(string) = self.string_for_array(target, expression, what) {
            return string;
        }
        if !self.category_of(expression).is_glvalue() && self.type_of(expression).id == target.id {
            return expression;
        }
        let message = format!(
            "cannot initialize {what}: an array of type {} takes an initializer list",
            self.quote(target)
        );
        self.fail(span, message)
    }

    /// Default-initialisation ([dcl.init]/7).
    pub(crate) fn default_initialise(&mut self, target: QualifiedType, span: Span, what: &str) -> ExpressionId {
        match *self.program.types.get(target.id) {
            Type::LValueReference(_) | Type::RValueReference(_) => {
                let message = format!("{what} is a reference and must be initialized");
                self.fail(span, message)
            }
            Type::Class(class) => {
                if !self.require_complete(target.id, span, "object of") {
                    return self.poison(span);
                }
                let value = self.construct_from(class, &[], Permit::DIRECT, span);
                self.retyped(value, target)
            }
            Type::Array(element, _) => {
                let filler = self.default_initialise(element, span, what);
                if self.is_poisoned(filler) {
                    return filler;
                }
                match self.program.expression(filler).kind {
                    ExpressionKind::Uninitialised => self.value(ExpressionKind::Uninitialised, target, span),
                    _ => self.value(
                        ExpressionKind::Array {
                            elements: Vec::new(),
                            filler: Some(filler),
                        },
                        target,
                        span,
                    ),
                }
            }
            Type::Error => self.poison(span),
            _ if target.is_const() => {
                let message = format!("{what} is `const` and must be initialized");
                self.fail(span, message)
            }
            _ => self.value(ExpressionKind::Uninitialised, target.unqualified(), span),
        }
    }

    /// A prvalue of a class with the qualifiers of the object it makes.
    pub(crate) fn retyped(&mut self, value: ExpressionId, target: QualifiedType) -> ExpressionId {
        if !self.is_poisoned(value) && self.type_of(value).id == target.id {
            self.program.expression_mut(value).ty = target;
        }
        value
    }

    /// Value-initialisation ([dcl.init]/8).
    pub(crate) fn value_initialise(&mut self, target: QualifiedType, span: Span, what: &str) -> ExpressionId {
        match *self.program.types.get(target.id) {
            Type::LValueReference(_) | Type::RValueReference(_) => {
                let message = format!("{what} is a reference and must be initialized");
                self.fail(span, message)
            }
            Type::Class(class) => self.value_initialise_class(class, target, span),
            Type::Array(element, _) => {
                let filler = self.value_initialise(element, span, what);
                match self.program.expression(filler).kind {
                    ExpressionKind::Error => filler,
                    ExpressionKind::Zero => self.value(ExpressionKind::Zero, target, span),
                    _ => self.value(
                        ExpressionKind::Array {
                            elements: Vec::new(),
                            filler: Some(filler),
                        },
                        target,
                        span,
                    ),
                }
            }
            Type::Error => self.poison(span),
            Type::Void => self.value(ExpressionKind::Zero, Types::VOID, span),
            _ => self.value(ExpressionKind::Zero, target.unqualified(), span),
        }
    }

    fn value_initialise_class(&mut self, class: ClassId, target: QualifiedType, span: Span) -> ExpressionId {
        if !self.require_complete(target.id, span, "object of") {
            return self.poison(span);
        }
        let candidates = self.constructor_candidates(class);
        let chosen = match self.resolve_constructors(&candidates, &[], Permit::DIRECT, span) {
            Resolution::Best(best) => match best.callee {
                Callee::Function(function) => Some(function),
                Callee::BuiltIn(_) => None,
            },
            Resolution::Ambiguous(_) | Resolution::None(_) => None,
        };
        let zeroed = chosen.is_some_and(|function| !self.function_info(function).user_provided);
        if chosen.is_some_and(|function| self.is_trivial_default(function)) {
            return self.value(ExpressionKind::Zero, target, span);
        }
        let value = self.construct_from(class, &[], Permit::DIRECT, span);
        if let ExpressionKind::Construct { zero_first, .. } = &mut self.program.expression_mut(value).kind {
            *zero_first = zeroed;
        }
        self.retyped(value, target)
    }

    fn is_trivial_default(&self, function: FunctionId) -> bool {
        let node = self.program.function(function);
        node.is_trivial && !node.is_deleted
    }

    /// Direct-initialisation from arguments in parentheses ([dcl.init]/17); none is value-initialisation.
    pub(crate) fn direct_initialise(
        &mut self,
        target: QualifiedType,
        operands: &[Operand<'a>],
        span: Span,
        what: &str,
    ) -> ExpressionId {
        let [operand] = operands else {
            if operands.is_empty() {
                return self.value_initialise(target, span, what);
            }
            return match *self.program.types.get(target.id) {
                Type::Class(class) => self.direct_class(class, target, operands, span),
                Type::Error => self.poison(span),
                _ => {
                    let message = format!(
                        "cannot initialize {what}: {} takes one value, but {} are given",
                        self.quote(target),
                        operands.len()
                    );
                    self.fail(span, message)
                }
            };
        };
        match (self.program.types.get(target.id), operand) {
            (&Type::Class(class), _) => self.direct_class(class, target, operands, span),
            (Type::Array(..), &Operand::Expression(expression)) => self.initialise_array(target, expression, what),
            _ => self.convert_permitted(operand, target, Permit::DIRECT, what),
        }
    }

    fn direct_class(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        if !self.require_complete(target.id, span, "object of") {
            return self.poison(span);
        }
        if let &[Operand::Expression(expression)] = operands {
            let same = self.program.types.as_class(self.type_of(expression).id) == Some(class);
            if same && !self.category_of(expression).is_glvalue() {
                return self.retyped(expression, target);
            }
        }
        if self.options.cpp20
            && !operands.is_empty()
            && let Some(value) = self.parenthesised_aggregate(class, target, operands, span)
        {
            return value;
        }
        let value = self.construct_from(class, operands, Permit::DIRECT, span);
        self.retyped(value, target)
    }

    /// The type of a variable declared with a placeholder, from its initialiser ([dcl.spec.auto]); `None` after a message. The initialisation that follows takes
    /// the operand elaborated here, so that a lambda expression in it makes one closure.
    pub fn auto_from_initialiser(
        &mut self,
        pattern: QualifiedType,
        initializer: &'a ast::Initializer,
        span: Span,
    ) -> Option<QualifiedType> {
        if let Some(&template) = self.placeholders.get(&pattern.id) {
            let class = self.deduce_class_from_initialiser(template, Some(initializer), span)?;
            return Some(class.with(pattern.qualifiers));
        }
        let (id, direct_list) = match initializer {
            &ast::Initializer::Equal(value) => (value, false),
            ast::Initializer::Parenthesized(arguments) => match arguments[..] {
                [argument] if !matches!(self.ast[argument].kind, ast::ExpressionKind::PackExpansion(_)) => {
                    (argument, false)
                }
                _ => {
                    let operands = self.operands(arguments)?;
                    let [operand] = &operands[..] else {
                        self.context
                            .error(span, "a placeholder type needs exactly one initializer");
                        return None;
                    };
                    return self.auto_from_operand(pattern, operand, span);
                }
            },
            &ast::Initializer::Braced(value) => (value, true),
        };
        let operand = self.operand(id);
        let deduced = match &operand {
            Operand::List(list) if direct_list => match list.single() {
                Some(single) => self.auto_from_operand(pattern, single, span),
                None => {
                    self.context.error(
                        span,
                        "a placeholder type cannot be deduced from a braced list of other than one value",
                    );
                    None
                }
            },
            operand => self.auto_from_operand(pattern, operand, span),
        };
        self.expressions.deduced_from = Some((id, self.scope, operand));
        deduced
    }

    /// The same for an operand that is elaborated.
    pub(crate) fn auto_from_operand(
        &mut self,
        pattern: QualifiedType,
        operand: &Operand<'a>,
        span: Span,
    ) -> Option<QualifiedType> {
        if self.operand_is_poisoned(operand) {
            return None;
        }
        if let Type::DecltypeAuto = self.program.types.get(pattern.id) {
            let expression = self.settle(operand);
            return Some(self.decltype_of(expression, false));
        }
        let operand = match operand {
            Operand::Overloads(_) => &Operand::Expression(self.settle(operand)),
            other => other,
        };
        if self.operand_is_poisoned(operand) {
            return None;
        }
        let seen = self.deduction_operand(operand);
        let deduced = self.deduce_auto(pattern, &seen);
        if deduced.is_none() {
            let message = format!(
                "{} cannot be deduced from {}",
                self.quote(pattern),
                self.describe_operand(operand)
            );
            self.context.error(span, message);
        }
        deduced
    }
}
