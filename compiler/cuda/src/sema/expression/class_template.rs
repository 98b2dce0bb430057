//! Class template argument deduction in expressions ([over.match.class.deduct]).

use crate::hir::{ExpressionId, QualifiedType};
use crate::sema::Sema;
use crate::sema::conversion::implicit::Permit;
use crate::sema::overload::{Call, Callee, Resolution};
use crate::sema::template::{TemplateId, TemplateKind};
use crate::source::Span;
use crate::syntax::ast;

use super::Operand;

impl<'a> Sema<'a> {
    /// Whether a template makes classes, so that its arguments may be deduced.
    pub(super) fn is_class_template(&self, template: TemplateId) -> bool {
        self.template(template).kind == TemplateKind::Class
    }

    /// The class that a template's guides and constructors deduce from operands; `None` after a message.
    pub fn deduce_class(
        &mut self,
        template: TemplateId,
        operands: &[Operand<'a>],
        permit_explicit: bool,
        span: Span,
    ) -> Option<QualifiedType> {
        if operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return None;
        }
        let guides = self.class_template_guides(template);
        let call = Call {
            object: None,
            operands,
            arguments: None,
            user: true,
            skip_explicit: !permit_explicit,
            is_operator: false,
            span,
        };
        let what = format!(
            "the deduction guides of `{}`",
            self.context.text(self.template(template).name)
        );
        match self.resolve(&guides, &call, Vec::new()) {
            Resolution::Best(best) => {
                let Callee::Function(function) = best.callee else {
                    return None;
                };
                Some(self.result_type(function, span))
            }
            Resolution::Ambiguous(functions) => {
                self.report_ambiguous(span, &what, &functions);
                None
            }
            Resolution::None(rejected) => {
                self.report_no_match(span, &what, operands, &rejected);
                None
            }
        }
    }

    /// The same from an initialiser: of a declared variable.
    pub fn deduce_class_from_initialiser(
        &mut self,
        template: TemplateId,
        initializer: Option<&'a ast::Initializer>,
        span: Span,
    ) -> Option<QualifiedType> {
        match initializer {
            None => self.deduce_class(template, &[], true, span),
            Some(ast::Initializer::Parenthesized(arguments)) => {
                let operands = self.operands(arguments)?;
                self.deduce_class(template, &operands, true, span)
            }
            Some(&ast::Initializer::Equal(value)) => {
                let operand = self.operand(value);
                self.deduce_class_operand(template, &operand, false, span)
            }
            Some(&ast::Initializer::Braced(value)) => {
                let operand = self.operand(value);
                self.deduce_class_operand(template, &operand, true, span)
            }
        }
    }

    /// From a list its clauses are the operands; a list as a whole where that alone fits.
    fn deduce_class_operand(
        &mut self,
        template: TemplateId,
        operand: &Operand<'a>,
        permit_explicit: bool,
        span: Span,
    ) -> Option<QualifiedType> {
        match operand {
            Operand::List(list) => {
                let whole = std::slice::from_ref(operand);
                let operands: Vec<Operand<'a>> = list.clauses.iter().map(|clause| clause.value.clone()).collect();
                if let Ok(found) = self.trying(|sema| sema.deduce_class(template, &operands, permit_explicit, span)) {
                    return found;
                }
                if let Ok(found) = self.trying(|sema| sema.deduce_class(template, whole, permit_explicit, span)) {
                    return found;
                }
                self.deduce_class(template, &operands, permit_explicit, span)
            }
            operand => self.deduce_class(template, std::slice::from_ref(operand), permit_explicit, span),
        }
    }

    /// `Template(operands)`.
    pub(super) fn construct_deduced(
        &mut self,
        template: TemplateId,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        match self.deduce_class(template, operands, true, span) {
            Some(ty) => self.construct_type(ty, operands, span),
            None => self.poison(span),
        }
    }

    /// `Template{…}`.
    pub(super) fn construct_deduced_list(
        &mut self,
        template: TemplateId,
        operand: &Operand<'a>,
        span: Span,
    ) -> ExpressionId {
        match self.deduce_class_operand(template, operand, true, span) {
            Some(ty) => self.convert_permitted(operand, ty, Permit::DIRECT, "this value"),
            None => self.poison(span),
        }
    }
}
