//! Functions and variables that only their unit could use, and does not.

use crate::hir::{self, Linkage, VariableId, VariableInitialiser};
use crate::sema::Sema;
use crate::source::{Span, Symbol, Warning};
use crate::syntax::ast;

/// A declaration of a function or variable with internal linkage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InternalDeclaration {
    name: Symbol,
    span: Span,
    kind: InternalKind,
}

#[derive(Clone, Copy, Debug)]
enum InternalKind {
    Function,
    Variable,
    /// Nothing is to be said of it, but its name stands in the unit.
    Passed,
}

/// Functions that parts of the language call without their names.
const CALLED_BY_THE_LANGUAGE: [&str; 3] = ["begin", "end", "get"];

impl<'a> Sema<'a> {
    /// A function of a namespace is declared.
    pub(crate) fn note_internal_function(
        &mut self,
        function: &hir::Function,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
        name: Symbol,
        span: Span,
    ) {
        let plain = matches!(function.name, hir::FunctionName::Identifier(_));
        if self.options.warnings && function.linkage == Linkage::Internal && plain {
            let passed = function.is_deleted || self.is_kept(attributes);
            let kind = if passed {
                InternalKind::Passed
            } else {
                InternalKind::Function
            };
            self.internal.push(InternalDeclaration { name, span, kind });
        }
    }
    /// A variable of a namespace is declared.
    pub(crate) fn note_internal_variable(
        &mut self,
        id: VariableId,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
        initialiser: Option<&'a ast::Initializer>,
        name: Symbol,
    ) {
        let node = self.program.variable(id);
        if !self.options.warnings || node.linkage != Linkage::Internal || node.is_extern {
            return;
        }
        let (span, ty, destroyed) = (node.span, node.ty, node.destructor.is_some());
        // What makes the value may do something else, too, and is there for that.
        let still = match node.initialiser {
            VariableInitialiser::Constant(_) => initialiser.is_none_or(|initialiser| self.calls_nothing(initialiser)),
            VariableInitialiser::Dynamic(_) => false,
            VariableInitialiser::None => initialiser.is_none() && self.has_no_start(ty),
        };
        let volatile = self.program.types.qualifiers_of(ty).is_volatile();
        let silent = destroyed || volatile || self.program.types.is_reference(ty.id) || !still;
        let passed = silent || self.is_kept(attributes);
        let kind = if passed {
            InternalKind::Passed
        } else {
            InternalKind::Variable
        };
        self.internal.push(InternalDeclaration { name, span, kind });
    }
    /// Whether an initialiser is written without a call: what one gives may be a constant, and still the call is seen as a use.
    fn calls_nothing(&self, initialiser: &ast::Initializer) -> bool {
        match initialiser {
            &ast::Initializer::Equal(value) | &ast::Initializer::Braced(value) => self.is_without_call(value),
            ast::Initializer::Parenthesized(values) => values.iter().all(|&value| self.is_without_call(value)),
        }
    }
    fn is_without_call(&self, value: ast::Id<ast::Expression>) -> bool {
        use ast::ExpressionKind as E;
        match &self.ast[value].kind {
            E::Literal(_) | E::Name(_) | E::Lambda(_) | E::SizeofType(_) | E::AlignofType(_) => true,
            E::Parenthesized(inner) | E::Unary { operand: inner, .. } | E::Cast { operand: inner, .. } => {
                self.is_without_call(*inner)
            }
            E::Binary { left, right, .. } => self.is_without_call(*right) && self.is_without_call(*left),
            E::InitializerList(_) => true,
            _ => false,
        }
    }
    fn has_no_start(&mut self, ty: hir::QualifiedType) -> bool {
        let element = self.element_of_arrays(ty);
        match self.program.types.as_class(element.id) {
            Some(class) => self.has_trivial_default_constructor(class),
            None => element.id != hir::Types::ERROR,
        }
    }
    /// Attributes that say that something is used in a way that no one sees here.
    fn is_kept(&self, mut attributes: impl Iterator<Item = &'a ast::Attribute>) -> bool {
        attributes.any(|attribute| match attribute.kind {
            ast::AttributeKind::MaybeUnused | ast::AttributeKind::Used => true,
            ast::AttributeKind::Other(name) => {
                matches!(
                    self.text(name).trim_matches('_'),
                    "constructor" | "destructor" | "alias" | "ifunc"
                )
            }
            _ => false,
        })
    }
    /// At the end of the unit: the declarations of its main file whose names stand nowhere else in it. A name that stands elsewhere may be a use, in code that
    /// is never elaborated, too.
    pub(crate) fn check_internal(&mut self) {
        let declarations = std::mem::take(&mut self.internal);
        let mut counts: rustc_hash::FxHashMap<Symbol, u32> = rustc_hash::FxHashMap::default();
        for declaration in &declarations {
            *counts.entry(declaration.name).or_default() += 1;
        }
        for declaration in declarations {
            let InternalDeclaration { name, span, kind } = declaration;
            let text = self.text(name);
            if self.ast.mentions(name) != counts[&name]
                || CALLED_BY_THE_LANGUAGE.contains(&text)
                || !self.context.map.inclusions(span.first).is_empty()
            {
                continue;
            }
            let what = match kind {
                InternalKind::Function => "function",
                InternalKind::Variable => "variable",
                InternalKind::Passed => continue,
            };
            self.warn_at(
                Warning::Unreferenced,
                span,
                format!("the {what} `{text}` is never used"),
            );
        }
    }
}
