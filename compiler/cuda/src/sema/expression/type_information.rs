//! `typeid` ([expr.typeid]): an lvalue of `const std::type_info`.
//!
//! Of a type, and of an expression whose type is no polymorphic class, it is an object that the host's C++ library or compiler provides: its address is a constant,
//! as in `static constexpr const std::type_info *types[] = {&typeid(int)};`. Of a polymorphic object it is known when the program runs. Device code has neither.

use crate::hir::{
    self, ExpressionId, ExpressionKind, Linkage, QualifiedType, Qualifiers, Scope, StorageDuration, ValueCategory,
    VariableId,
};
use crate::sema::context::Evaluation;
use crate::sema::{Found, ScopeId, Sema};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `typeid(T)`.
    pub(super) fn typeid_of_type(&mut self, type_id: ast::Id<ast::TypeId>, span: Span) -> ExpressionId {
        let ty = self.type_of_type_id(type_id);
        match self.type_info_class(span) {
            Some(class) => self.type_information(ty, class, span),
            None => self.poison(span),
        }
    }

    /// `typeid(e)`.
    pub(super) fn typeid_of_expression(&mut self, operand: ast::Id<ast::Expression>, span: Span) -> ExpressionId {
        let unevaluated = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        let operand = self.with_evaluation(unevaluated, |sema| sema.expression(operand));
        let Some(class) = self.type_info_class(span) else {
            return self.poison(span);
        };
        let node = self.program.expression(operand);
        let (ty, glvalue) = (node.ty, node.category != ValueCategory::PrValue);
        let dynamic = glvalue
            && self
                .program
                .types
                .as_class(ty.id)
                .is_some_and(|of| self.program.is_polymorphic(of));
        match dynamic {
            true => {
                let kind = ExpressionKind::Unsupported("`typeid`".into());
                self.program.add(kind, class, ValueCategory::LValue, span)
            }
            false => self.type_information(ty, class, span),
        }
    }

    /// `const std::type_info`; nothing after a message.
    fn type_info_class(&mut self, span: Span) -> Option<QualifiedType> {
        // What runs on both sides is refused where code is generated from it.
        if self.in_device_code() && !self.function.space.host {
            self.fail(span, "`typeid` is not supported in device code");
            return None;
        }
        let name = self.context.interner.intern("type_info");
        let std = self.context.interner.intern("std");
        if let Found::Namespace(scope) = self.lookup_qualified(ScopeId::GLOBAL, std).found
            && let Found::Type(ty) = self.lookup_qualified(scope, name).found
        {
            return Some(self.program.types.qualify(ty, Qualifiers::CONST));
        }
        self.fail(span, "`typeid` needs `std::type_info`: include <typeinfo>");
        None
    }

    /// The object for a type; references and outermost qualifiers do not count.
    fn type_information(&mut self, ty: QualifiedType, class: QualifiedType, span: Span) -> ExpressionId {
        let ty = self.program.types.strip_reference(ty).unqualified();
        let known = self.expressions.type_information.get(&ty).copied();
        let variable = known.unwrap_or_else(|| self.type_information_object(ty, class));
        self.variable_lvalue(variable, span)
    }

    fn type_information_object(&mut self, ty: QualifiedType, class: QualifiedType) -> VariableId {
        let global = Scope::Namespace(hir::Program::GLOBAL);
        let name = format!("typeid({})", self.show(ty));
        let mut node = hir::Variable::new(Some(name.into()), global, class, StorageDuration::Static, Span::NONE);
        node.is_extern = true;
        node.linkage = Linkage::External;
        node.label = Some(format!("_ZTI{}", hir::mangle_type(&self.program, ty)).into());
        let variable = self.add_variable(node, None);
        self.expressions.type_information.insert(ty, variable);
        variable
    }
}
