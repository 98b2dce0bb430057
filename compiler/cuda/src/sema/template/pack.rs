//! Packs and their expansion ([temp.variadic]).

use crate::sema::Sema;
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// What is expanded.
#[derive(Clone, Copy, Debug)]
pub enum Pattern<'a> {
    /// An expression.
    Expression(ast::Id<ast::Expression>),
    /// A type.
    Type(ast::Id<ast::TypeId>),
    /// A template argument.
    Argument(&'a ast::TemplateArgument),
    /// A name.
    Name(ast::Id<ast::QualifiedName>),
    /// A parameter.
    Parameter(ast::Id<ast::Parameter>),
    /// An initialiser.
    Initializer(&'a ast::Initializer),
    /// A base or member initialiser.
    ConstructorInitializer(&'a ast::ConstructorInitializer),
    /// These packs.
    Names(&'a [Symbol]),
}

impl<'a> Sema<'a> {
    /// Expands a pattern: calls `element` once for each element, in a scope in which the packs' names stand for their elements. `None` after a message, if there is
    /// no pack in the pattern or their lengths differ.
    pub fn expand<T>(
        &mut self,
        pattern: Pattern<'a>,
        span: Span,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Option<Vec<T>> {
        let _ = (pattern, &mut element);
        self.not_supported(span, "expansion of packs");
        None
    }
    /// How many elements the pack of this name has, for `sizeof...`. `None` after a message.
    pub fn pack_length(&mut self, name: Symbol, span: Span) -> Option<usize> {
        let _ = name;
        self.not_supported(span, "`sizeof...`");
        None
    }
}
