//! Deduction of template arguments ([temp.deduct]).

use std::cmp::Ordering;

use super::{DeductionFailure, DeductionOperand, GivenArguments, TemplateId};
use crate::hir::{FunctionId, QualifiedType, TypeId};
use crate::sema::Sema;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Deduces the arguments of a function template for a call, and gives the instance's declaration (its body is not elaborated). Operands are those of the call
    /// without the object; for conversion function templates use [`Sema::deduce_conversion`].
    pub fn deduce_call(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
        operands: &[DeductionOperand<'a>],
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let _ = (template, explicit, operands, span);
        Err(DeductionFailure::new("templates are not supported"))
    }
    /// The same for a conversion function template and the type converted to ([temp.deduct.conv]).
    pub fn deduce_conversion(
        &mut self,
        template: TemplateId,
        to: QualifiedType,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let _ = (template, to, span);
        Err(DeductionFailure::new("templates are not supported"))
    }
    /// The same for the function type that an address is taken for ([temp.deduct.funcaddr]).
    pub fn deduce_for_target(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
        target: TypeId,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let _ = (template, explicit, target, span);
        Err(DeductionFailure::new("templates are not supported"))
    }
    /// The instance of a function template when explicit arguments (and defaults) say all.
    pub fn instantiate_explicit(
        &mut self,
        template: TemplateId,
        explicit: &GivenArguments<'a>,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let _ = (template, explicit, span);
        Err(DeductionFailure::new("templates are not supported"))
    }
    /// Which of two function templates is more specialised for a call with so many arguments ([temp.func.order]): `Less` is the first.
    pub fn more_specialised(&mut self, first: TemplateId, second: TemplateId, arguments: usize) -> Ordering {
        let _ = (first, second, arguments);
        Ordering::Equal
    }
    /// The constructors' and guides' candidates for class template argument deduction ([over.match.class.deduct]): functions whose results are instances of the
    /// template. The winner's result type is the type deduced.
    pub fn class_template_guides(&mut self, template: TemplateId) -> Vec<crate::sema::Candidate> {
        let _ = template;
        Vec::new()
    }
}
