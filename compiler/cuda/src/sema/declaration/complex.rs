//! The complex numbers of C, which the host's C++ library is made of: `_Complex double` is laid out as a structure of two numbers. Their parts can be named;
//! arithmetic with them is not supported.

use crate::hir::{self, ClassId, ExpressionId, FieldIndex, QualifiedType, Types};
use crate::sema::{Access, Entity, FieldInfo, ScopeId, Sema};
use crate::source::Span;
use crate::syntax::ast::{self, BuiltinType};

/// How the names of these classes begin.
const PREFIX: &str = "_Complex ";

impl<'a> Sema<'a> {
    /// `_Complex T`.
    pub(super) fn complex_type(&mut self, element: BuiltinType, span: Span) -> QualifiedType {
        // Who writes it would calculate with it.
        if !self.context.map.is_system(span.first) {
            let report = crate::source::Report::error(span, "`_Complex` is not supported");
            self.emit(report.note("a structure of two numbers, as those of `<cuComplex.h>` are, takes its place"));
            return Types::ERROR.unqualified();
        }
        let part = self.builtin_type(element);
        let text = format!("{PREFIX}{}", self.show(part));
        let name = self.context.interner.intern(&text);
        let known = self.scopes.get(ScopeId::GLOBAL).get(name).first().copied();
        if let Some(Entity::Class(class)) = known.map(|declared| declared.entity) {
            return self.class_type(class).unqualified();
        }
        let class = self.new_class(Some(name), ast::ClassKey::Struct, ScopeId::GLOBAL, span);
        for part_name in ["real", "imaginary"] {
            self.program.class_mut(class).fields.push(hir::Field {
                name: Some(part_name.into()),
                ty: part,
                bit_width: None,
                alignment: None,
                mutable: false,
                packed: false,
                no_unique_address: false,
                span,
            });
            self.classes[class.index()].fields.push(FieldInfo {
                name: None,
                access: Access::Public,
                initialiser: None,
            });
        }
        self.finish_class(class, span);
        self.class_type(class).unqualified()
    }
    /// The class that stands for a complex type.
    pub(crate) fn complex_class(&self, ty: QualifiedType) -> Option<ClassId> {
        let class = self.program.types.as_class(ty.id)?;
        let name = self.program.class(class).name.as_deref()?;
        name.starts_with(PREFIX).then_some(class)
    }
    /// `__real__ x`, `__imag__ x`.
    pub(crate) fn complex_part(&mut self, operand: ExpressionId, part: u32, span: Span) -> ExpressionId {
        if self.is_poisoned(operand) {
            return self.poison(span);
        }
        if self.complex_class(self.type_of(operand)).is_none() {
            return self.fail(span, "complex numbers of C are not supported");
        }
        let object = self.materialised(operand);
        self.field_access(object, FieldIndex(part), span)
    }
    /// What is not supported, and in host code of no importance: nothing is known of the value.
    pub(crate) fn complex_arithmetic(&mut self, span: Span) -> ExpressionId {
        match self.in_host_code() {
            true => self.poison(span),
            false => self.fail(span, "arithmetic with complex numbers of C is not supported"),
        }
    }
}
