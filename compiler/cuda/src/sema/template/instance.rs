//! Instances of templates.

use super::{GivenArguments, TemplateId};
use crate::hir::{ClassId, FunctionId, QualifiedType, TypeId, VariableId};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    pub(crate) fn template_declaration(
        &mut self,
        parameters: &'a [ast::Id<ast::TemplateParameter>],
        declaration: ast::Id<ast::Declaration>,
    ) {
        let _ = parameters;
        let span = self.ast[declaration].span;
        self.not_supported(span, "template");
    }
    pub(crate) fn explicit_specialisation(&mut self, declaration: ast::Id<ast::Declaration>) {
        let span = self.ast[declaration].span;
        self.not_supported(span, "template");
    }
    pub(crate) fn explicit_instantiation(&mut self, is_extern: bool, declaration: ast::Id<ast::Declaration>) {
        let _ = is_extern;
        let span = self.ast[declaration].span;
        self.not_supported(span, "template");
    }
    pub(crate) fn deduction_guide(&mut self, declaration: ast::Id<ast::Declaration>, parameters: Option<()>) {
        let _ = parameters;
        let span = self.ast[declaration].span;
        self.not_supported(span, "template");
    }
    pub(crate) fn placeholder_of(&mut self, template: TemplateId) -> TypeId {
        let _ = template;
        crate::hir::Types::ERROR
    }
    pub(crate) fn specialise_type(
        &mut self,
        template: TemplateId,
        given: &GivenArguments<'a>,
    ) -> Option<QualifiedType> {
        let _ = template;
        self.not_supported(given.span, "template");
        None
    }
    pub(crate) fn instantiate_variable(
        &mut self,
        template: TemplateId,
        given: &GivenArguments<'a>,
    ) -> Option<VariableId> {
        let _ = template;
        self.not_supported(given.span, "template");
        None
    }
    pub(crate) fn instantiate_class(&mut self, class: ClassId) {
        let _ = class;
    }
    pub(crate) fn in_instantiation<T>(
        &mut self,
        span: Span,
        note: Option<String>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let _ = (span, note);
        Some(work(self))
    }
    pub(crate) fn find_outside_definition(&mut self, function: FunctionId) {
        let _ = function;
    }
    pub(crate) fn deduce_class_by_default(&mut self, template: TemplateId, span: Span) -> Option<QualifiedType> {
        let _ = (template, span);
        None
    }
    pub(crate) fn inherit_constructor_template(&mut self, class: ClassId, template: TemplateId) -> TemplateId {
        let _ = class;
        template
    }
    pub(crate) fn bind_tuple(
        &mut self,
        variable: VariableId,
        base: crate::hir::ExpressionId,
        object: QualifiedType,
        names: &[(crate::source::Symbol, Span)],
        span: Span,
    ) -> bool {
        let _ = (variable, base, object, names, span);
        false
    }
}
