//! Lambda expressions ([expr.prim.lambda]).
//!
//! The closure type is a class whose fields are the captures. The body of a lambda that is not generic is elaborated with the expression: captures that nobody
//! wrote are found on the way, as names of variables of functions around it. A generic lambda captures what its body mentions by name, and its call operator is
//! elaborated for each list of argument types.
//!
//! | module | idea |
//! |---|---|
//! | this one | the expression, the closure class |
//! | [`capture`] | captures: written, found, and what a name means inside |
//! | [`operator`] | the call operator, also of generic lambdas |
//! | [`pointer`] | the conversion to a pointer to function |

mod capture;
mod operator;
mod pointer;

use rustc_hash::FxHashMap;

use crate::hir::{self, CallOperator, ClassId, ClassKind, ExecutionSpace, ExpressionId, ExpressionKind, QualifiedType};
use crate::sema::{ClassState, ScopeId, Sema};
use crate::source::Span;
use crate::syntax::ast;

pub(crate) use capture::Capture;

/// The lambda expressions of a unit.
#[derive(Debug, Default)]
pub(crate) struct Lambdas<'a> {
    all: Vec<Lambda<'a>>,
    /// How many there are with the same parameters in each scope of the typed program, for the closures' names.
    counts: FxHashMap<(hir::Scope, String), u32>,
}

/// A lambda expression that has been met.
#[derive(Debug)]
pub(crate) struct Lambda<'a> {
    syntax: &'a ast::Lambda,
    class: ClassId,
    /// Where names of its parameters and body are looked up next: holds the names of init-captures.
    scope: ScopeId,
    /// The captures so far.
    captures: Vec<Capture>,
    /// No more captures can be added: the closure class is complete.
    closed: bool,
    /// What `this` is around it.
    this: Option<QualifiedType>,
    /// The lambdas around, and itself.
    chain: Vec<u32>,
    /// Where the call operator runs.
    space: ExecutionSpace,
    /// Whether it is in a function of the host: where it is annotated, it is an extended lambda.
    of_host: bool,
}

impl<'a> Sema<'a> {
    /// The closure that a lambda expression makes ([expr.prim.lambda]).
    pub fn lambda(&mut self, id: ast::Id<ast::Lambda>) -> ExpressionId {
        let syntax = &self.ast[id];
        let span = syntax.span;
        let index = self.open_closure(syntax, span);
        let class = self.expressions.lambdas.all[index as usize].class;
        if !self.written_captures(index) {
            self.close_closure(index);
            return self.poison(span);
        }
        let generic = self.is_generic(syntax);
        if generic {
            self.mentioned_captures(index);
            self.generic_operator(index);
        } else if !self.plain_operator(index) {
            self.close_closure(index);
            return self.poison(span);
        }
        let fields = self.capture_values(index);
        self.close_closure(index);
        if !generic && fields.is_empty() && matches!(syntax.default, ast::CaptureDefault::None) {
            self.add_pointer_conversion(class);
        }
        if fields.iter().any(|&(_, value)| self.is_poisoned(value)) {
            return self.poison(span);
        }
        let ty = self.program.types.class(class);
        self.value(
            ExpressionKind::Aggregate {
                bases: Vec::new(),
                fields,
            },
            ty,
            span,
        )
    }

    /// Makes the closure class and the scope of its init-captures.
    fn open_closure(&mut self, syntax: &'a ast::Lambda, span: Span) -> u32 {
        let around = self.hir_scope(self.scope);
        let mut node = hir::Class::new(None, around, ClassKind::Class, span);
        node.aggregate = false;
        let class = self.add_class(node, None);
        let info = &mut self.classes[class.index()];
        info.anonymous = true;
        info.state = ClassState::InProgress;
        let scope = self.scopes.add(crate::sema::ScopeKind::Block, Some(self.scope));
        let index = self.expressions.lambdas.all.len() as u32;
        let mut chain = self.function.lambdas.clone();
        chain.push(index);
        let space = self.lambda_space(syntax);
        self.expressions.lambdas.all.push(Lambda {
            syntax,
            class,
            scope,
            captures: Vec::new(),
            closed: false,
            this: self.function.this,
            chain,
            space,
            of_host: self.function.function.is_some() && self.function.space.host,
        });
        index
    }

    /// Where the closures of an extended lambda say that they run ([CUDA programming guide] extended lambda type traits), and whether its result type is
    /// written; `None` of any other class.
    pub(crate) fn extended_lambda(&self, class: ClassId) -> Option<(ExecutionSpace, bool)> {
        self.program.class(class).lambda.as_ref()?;
        let lambda = self
            .expressions
            .lambdas
            .all
            .iter()
            .find(|lambda| lambda.class == class)?;
        let written = || {
            lambda
                .syntax
                .attributes
                .iter()
                .chain(&lambda.syntax.function.attributes)
        };
        let has = |wanted: fn(&ast::AttributeKind) -> bool| written().any(|attribute| wanted(&attribute.kind));
        let space = ExecutionSpace {
            host: has(|kind| matches!(kind, ast::AttributeKind::Host)),
            device: has(|kind| matches!(kind, ast::AttributeKind::Device)),
            global: false,
        };
        let extended = lambda.of_host && space.device;
        extended.then_some((space, lambda.syntax.function.trailing_return.is_some()))
    }

    /// Gives the closure class its call operator, and a number among those of its scope whose call operators have the same parameters.
    fn name_closure(&mut self, index: u32, operator: CallOperator) {
        let class = self.expressions.lambdas.all[index as usize].class;
        let parameters = hir::mangle_closure_parameters(&self.program, &operator);
        let node = self.program.class_mut(class);
        let count = self
            .expressions
            .lambdas
            .counts
            .entry((node.scope, parameters))
            .or_insert(0);
        node.discriminator = *count;
        node.lambda = Some(operator);
        *count += 1;
    }

    /// Where a lambda runs: as its attributes say, else where the function around it does.
    fn lambda_space(&self, syntax: &ast::Lambda) -> ExecutionSpace {
        let mut space = ExecutionSpace::default();
        for attribute in syntax.attributes.iter().chain(&syntax.function.attributes) {
            match attribute.kind {
                ast::AttributeKind::Device => space.device = true,
                ast::AttributeKind::Host => space.host = true,
                _ => {}
            }
        }
        if space.device || space.host {
            return space;
        }
        let around = self.function.space;
        if self.function.function.is_none() {
            return ExecutionSpace {
                host: true,
                device: true,
                global: false,
            };
        }
        ExecutionSpace {
            host: around.host,
            device: around.device || around.global,
            global: false,
        }
    }

    /// Completes the closure class; no captures can be added from now on.
    fn close_closure(&mut self, index: u32) {
        let lambda = &mut self.expressions.lambdas.all[index as usize];
        lambda.closed = true;
        let (class, span) = (lambda.class, lambda.syntax.span);
        self.program.class_mut(class).complete = true;
        self.finish_class(class, span);
    }
}
