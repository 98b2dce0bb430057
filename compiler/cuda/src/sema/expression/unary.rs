//! Unary operators ([expr.unary.op], [expr.pre.incr], [expr.post.incr]) and subscripts ([expr.sub]).

use std::rc::Rc;

use crate::hir::{ExpressionId, ExpressionKind, FieldIndex, Type, Types, UnaryOperator as HirOperator};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{is_arithmetic_or_unscoped, is_integral_or_unscoped};
use crate::sema::entity::Found;
use crate::source::Span;
use crate::syntax::ast::{self, OperatorName, UnaryOperator};

use super::overloaded::{Fallback, Overloaded};
use super::{Operand, Overloads};

impl<'a> Sema<'a> {
    /// `operator operand`.
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: ast::Id<ast::Expression>,
        span: Span,
    ) -> Operand<'a> {
        if operator == UnaryOperator::Extension {
            return self.operand(operand);
        }
        if operator == UnaryOperator::AddressOf
            && let Some(pointer) = self.address_of_member(operand, span)
        {
            return Operand::Expression(pointer);
        }
        let operand = self.operand(operand);
        if operator == UnaryOperator::AddressOf
            && let Operand::Overloads(overloads) = &operand
        {
            return Operand::Overloads(Rc::new(Overloads {
                address: true,
                span,
                ..(**overloads).clone()
            }));
        }
        Operand::Expression(self.unary_operand(operator, &operand, span))
    }

    /// An operator on an operand.
    pub(crate) fn unary_operand(&mut self, operator: UnaryOperator, operand: &Operand<'a>, span: Span) -> ExpressionId {
        if self.operand_is_poisoned(operand) {
            return self.poison(span);
        }
        let settled = self.settle(operand);
        match operator {
            UnaryOperator::Real => return self.complex_part(settled, 0, span),
            UnaryOperator::Imaginary => return self.complex_part(settled, 1, span),
            _ => {}
        }
        let operand = Operand::Expression(settled);
        if self.may_overload(&operand) {
            let (name, fallback) = match operator {
                UnaryOperator::Plus => (OperatorName::Add, Fallback::BuiltIn),
                UnaryOperator::Minus => (OperatorName::Subtract, Fallback::BuiltIn),
                UnaryOperator::Complement => (OperatorName::Complement, Fallback::BuiltIn),
                UnaryOperator::Not => (OperatorName::Not, Fallback::BuiltIn),
                UnaryOperator::Dereference => (OperatorName::Multiply, Fallback::BuiltIn),
                UnaryOperator::AddressOf => (OperatorName::BitAnd, Fallback::None),
                UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => (OperatorName::Increment, Fallback::None),
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => (OperatorName::Decrement, Fallback::None),
                UnaryOperator::Real | UnaryOperator::Imaginary | UnaryOperator::Extension => {
                    (OperatorName::Comma, Fallback::None)
                }
            };
            let mut operands = vec![operand.clone()];
            if operator.is_postfix() {
                let dummy = self.integer(0, Types::INT, span);
                operands.push(Operand::Expression(dummy));
            }
            match self.overloaded_operator(name, &operands, fallback, span) {
                Overloaded::Done(expression) => return expression,
                Overloaded::BuiltIn(converted) => {
                    if let Some(&operand) = converted.first() {
                        return self.built_in_unary(operator, operand, span);
                    }
                }
            }
        }
        let operand = self.settle(&operand);
        self.built_in_unary(operator, operand, span)
    }

    fn built_in_unary(&mut self, operator: UnaryOperator, operand: ExpressionId, span: Span) -> ExpressionId {
        if self.is_poisoned(operand) {
            return operand;
        }
        match operator {
            UnaryOperator::Extension => operand,
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                self.sign(operator, operand, span)
            }
            UnaryOperator::Not => {
                let value = self.convert_condition(operand);
                if self.is_poisoned(value) {
                    return value;
                }
                self.value(ExpressionKind::Unary(HirOperator::Not, value), Types::BOOL, span)
            }
            UnaryOperator::Dereference => {
                let pointer = self.decay(operand);
                let ty = self.type_of(pointer);
                match self.program.types.pointee(ty.id) {
                    Some(to) if to.id == Types::VOID => self.fail(span, "a pointer to `void` cannot be dereferenced"),
                    Some(_) => self.dereference(pointer, span),
                    None => {
                        let message = format!("`*` needs a pointer, but this is {}", self.quote(ty));
                        self.fail(span, message)
                    }
                }
            }
            UnaryOperator::AddressOf => self.take_address(operand, span),
            UnaryOperator::PreIncrement
            | UnaryOperator::PostIncrement
            | UnaryOperator::PreDecrement
            | UnaryOperator::PostDecrement => self.increment(operator, operand, span),
            UnaryOperator::Real => self.complex_part(operand, 0, span),
            UnaryOperator::Imaginary => self.complex_part(operand, 1, span),
        }
    }

    /// `+`, `-`, `~`.
    fn sign(&mut self, operator: UnaryOperator, operand: ExpressionId, span: Span) -> ExpressionId {
        let width = self.source(operand).bit_field;
        let value = self.decay(operand);
        let ty = self.type_of(value).id;
        let is_pointer = self.program.types.pointee(ty).is_some();
        let is_vector = matches!(self.program.types.get(ty), Type::Vector(..));
        let fits = match operator {
            UnaryOperator::Complement => is_integral_or_unscoped(&self.program, ty) || is_vector,
            UnaryOperator::Plus => is_arithmetic_or_unscoped(&self.program, ty) || is_pointer || is_vector,
            _ => is_arithmetic_or_unscoped(&self.program, ty) || is_vector,
        };
        if !fits {
            let message = format!(
                "the operator `{}` cannot be applied to {}",
                operator.spelling(),
                self.quote(ty)
            );
            return self.fail(span, message);
        }
        let value = if is_pointer || is_vector {
            value
        } else {
            self.promote(value, width)
        };
        let ty = self.type_of(value).id;
        match operator {
            UnaryOperator::Minus => self.value(ExpressionKind::Unary(HirOperator::Negate, value), ty, span),
            UnaryOperator::Complement => self.value(ExpressionKind::Unary(HirOperator::BitNot, value), ty, span),
            _ => {
                let kind = ExpressionKind::Cast(crate::hir::CastKind::NoOperation, value);
                self.value(kind, ty, span)
            }
        }
    }

    /// `&` of an lvalue.
    fn take_address(&mut self, operand: ExpressionId, span: Span) -> ExpressionId {
        if !self.is_lvalue(operand) {
            let message = "the address of a value that is no object cannot be taken: `&` needs an lvalue";
            return self.fail(span, message);
        }
        if self.is_bit_field(operand) {
            return self.fail(span, "the address of a bit field cannot be taken");
        }
        self.address_of(operand, span)
    }

    /// `&C::m`: a pointer to a member that is not static ([expr.unary.op]/3). `None` if the operand is something else.
    fn address_of_member(&mut self, operand: ast::Id<ast::Expression>, span: Span) -> Option<ExpressionId> {
        let ast::ExpressionKind::Name(name) = self.ast[operand].kind else {
            return None;
        };
        if self.ast[name].is_unqualified() {
            return None;
        }
        let lookup = self.lookup(name);
        match &lookup.found {
            Found::Field(class, path) => {
                let (class, path) = (*class, path.clone());
                self.check_access(&lookup, span);
                Some(self.member_pointer_to_field(class, path, span))
            }
            _ => None,
        }
    }

    fn member_pointer_to_field(
        &mut self,
        class: crate::hir::ClassId,
        path: Vec<FieldIndex>,
        span: Span,
    ) -> ExpressionId {
        let mut owner = class;
        let mut ty = Types::ERROR.into();
        for field in &path {
            let Some(declared) = self.program.class(owner).fields.get(field.index()) else {
                return self.poison(span);
            };
            if declared.bit_width.is_some() {
                return self.fail(span, "there are no pointers to bit fields");
            }
            ty = declared.ty;
            if let Some(next) = self.program.types.as_class(ty.id) {
                owner = next;
            }
        }
        if self.program.types.is_reference(ty.id) {
            return self.fail(span, "there are no pointers to members that are references");
        }
        let pointer = self.program.types.member_pointer(class, ty);
        self.value(ExpressionKind::MemberPointerField(class, path), pointer, span)
    }

    /// `++` and `--` on arithmetic types and pointers.
    fn increment(&mut self, operator: UnaryOperator, operand: ExpressionId, span: Span) -> ExpressionId {
        let ty = self.type_of(operand);
        let what = format!("`{}`", operator.spelling());
        if !self.check_modifiable(operand, &what, span) {
            return self.poison(span);
        }
        let decrement = matches!(operator, UnaryOperator::PreDecrement | UnaryOperator::PostDecrement);
        let fits = match *self.program.types.get(ty.id) {
            Type::Bool => return self.fail(span, format!("{what} cannot be applied to `bool` since C++17")),
            Type::Integer(_) | Type::Float(_) => true,
            Type::Pointer(to) => {
                if matches!(self.program.types.get(to.id), Type::Void | Type::Function(_)) {
                    let message = format!(
                        "arithmetic on pointers to {} has no meaning: its size is unknown",
                        self.quote(to)
                    );
                    return self.fail(span, message);
                }
                if !self.require_complete(to.id, span, "pointer arithmetic on") {
                    return self.poison(span);
                }
                true
            }
            _ => false,
        };
        if !fits {
            let message = format!("{what} cannot be applied to {}", self.quote(ty));
            return self.fail(span, message);
        }
        let prefix = !operator.is_postfix();
        let kind = ExpressionKind::Increment {
            place: operand,
            decrement,
            prefix,
        };
        if prefix {
            self.lvalue(kind, ty, span)
        } else {
            self.value(kind, ty.unqualified(), span)
        }
    }

    /// `base[index]`: `operator[]`, a vector's element, or `*(base + index)`.
    pub(super) fn subscript(
        &mut self,
        base: ast::Id<ast::Expression>,
        indices: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let base = self.expression(base);
        let Some(operands) = self.operands(indices) else {
            return self.poison(span);
        };
        if self.is_poisoned(base) || operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
            return self.poison(span);
        }
        if self.program.types.as_class(self.type_of(base).id).is_some() {
            let mut all = vec![Operand::Expression(base)];
            all.extend(operands.iter().cloned());
            return match self.overloaded_operator(OperatorName::Subscript, &all, Fallback::BuiltIn, span) {
                Overloaded::Done(expression) => expression,
                Overloaded::BuiltIn(converted) => match converted[..] {
                    [base, index] => self.built_in_subscript(base, index, span),
                    _ => self.poison(span),
                },
            };
        }
        let [index] = &operands[..] else {
            return self.fail(span, "a built-in subscript takes one index");
        };
        if let (Operand::Expression(index), true) = (index, self.may_overload(index)) {
            let all = [Operand::Expression(base), Operand::Expression(*index)];
            if self.program.types.as_class(self.type_of(*index).id).is_some() {
                return match self.overloaded_operator(OperatorName::Subscript, &all, Fallback::BuiltIn, span) {
                    Overloaded::Done(expression) => expression,
                    Overloaded::BuiltIn(converted) => match converted[..] {
                        [base, index] => self.built_in_subscript(base, index, span),
                        _ => self.poison(span),
                    },
                };
            }
        }
        let index = self.settle(index);
        self.built_in_subscript(base, index, span)
    }

    fn built_in_subscript(&mut self, base: ExpressionId, index: ExpressionId, span: Span) -> ExpressionId {
        if self.is_poisoned(base) || self.is_poisoned(index) {
            return self.poison(span);
        }
        if let &Type::Vector(element, _) = self.program.types.get(self.type_of(base).id) {
            let category = self.category_of(base);
            let index = self.decay(index);
            let ty = crate::hir::QualifiedType {
                id: element,
                qualifiers: self.type_of(base).qualifiers,
            };
            return self.program.add(
                ExpressionKind::VectorElement { vector: base, index },
                ty,
                category,
                span,
            );
        }
        let (a, b) = (self.type_of(base), self.type_of(index));
        let is_xvalue = !self.is_lvalue(base) && matches!(self.program.types.get(a.id), Type::Array(..));
        let (base, index) = (self.decay(base), self.decay(index));
        let pointer = |sema: &Self, expression| sema.program.types.pointee(sema.type_of(expression).id);
        let (pointer, index) = match (pointer(self, base), pointer(self, index)) {
            (Some(_), None) => (base, index),
            (None, Some(_)) => (index, base),
            _ => {
                let message = format!(
                    "a subscript needs a pointer or an array and an integer, but these are {} and {}",
                    self.quote(a),
                    self.quote(b)
                );
                return self.fail(span, message);
            }
        };
        if !is_integral_or_unscoped(&self.program, self.type_of(index).id) {
            let message = format!(
                "the index of a subscript must be an integer, but it is {}",
                self.quote(self.type_of(index))
            );
            return self.fail(self.span_of(index), message);
        }
        let sum = self.built_in_binary(ast::BinaryOperator::Add, pointer, index, span, span);
        if self.is_poisoned(sum) {
            return sum;
        }
        let element = self.dereference(sum, span);
        if is_xvalue {
            self.program.expression_mut(element).category = crate::hir::ValueCategory::XValue;
        }
        element
    }
}
