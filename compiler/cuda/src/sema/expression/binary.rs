//! Binary operators ([expr.mptr.oper] to [expr.log.or], [expr.comma]).

use crate::hir::{
    BinaryOperator as HirOperator, CastKind, ClassId, Comparison, ExpressionId, ExpressionKind, QualifiedType,
    Qualifiers, Type, TypeId, Types,
};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{is_integral_or_unscoped, promoted, promoted_bit_field, usual_arithmetic};
use crate::sema::conversion::standard::{is_similar, significant, standard_conversion};
use crate::source::{Report, Span};
use crate::syntax::ast::{self, BinaryOperator, OperatorName};

use super::Operand;
use super::overloaded::{Fallback, Overloaded};

/// The operator's name as a function.
pub(super) fn operator_name(operator: BinaryOperator) -> Option<OperatorName> {
    Some(match operator {
        BinaryOperator::DotStar => return None,
        BinaryOperator::ArrowStar => OperatorName::ArrowStar,
        BinaryOperator::Multiply => OperatorName::Multiply,
        BinaryOperator::Divide => OperatorName::Divide,
        BinaryOperator::Remainder => OperatorName::Remainder,
        BinaryOperator::Add => OperatorName::Add,
        BinaryOperator::Subtract => OperatorName::Subtract,
        BinaryOperator::ShiftLeft => OperatorName::ShiftLeft,
        BinaryOperator::ShiftRight => OperatorName::ShiftRight,
        BinaryOperator::ThreeWay => OperatorName::ThreeWay,
        BinaryOperator::Less => OperatorName::Less,
        BinaryOperator::Greater => OperatorName::Greater,
        BinaryOperator::LessEqual => OperatorName::LessEqual,
        BinaryOperator::GreaterEqual => OperatorName::GreaterEqual,
        BinaryOperator::Equal => OperatorName::Equal,
        BinaryOperator::NotEqual => OperatorName::NotEqual,
        BinaryOperator::BitAnd => OperatorName::BitAnd,
        BinaryOperator::BitXor => OperatorName::BitXor,
        BinaryOperator::BitOr => OperatorName::BitOr,
        BinaryOperator::LogicalAnd => OperatorName::LogicalAnd,
        BinaryOperator::LogicalOr => OperatorName::LogicalOr,
        BinaryOperator::Comma => OperatorName::Comma,
    })
}

/// The arithmetic of an operator.
pub(super) fn arithmetic_operator(operator: BinaryOperator) -> Option<HirOperator> {
    Some(match operator {
        BinaryOperator::Multiply => HirOperator::Multiply,
        BinaryOperator::Divide => HirOperator::Divide,
        BinaryOperator::Remainder => HirOperator::Remainder,
        BinaryOperator::Add => HirOperator::Add,
        BinaryOperator::Subtract => HirOperator::Subtract,
        BinaryOperator::ShiftLeft => HirOperator::ShiftLeft,
        BinaryOperator::ShiftRight => HirOperator::ShiftRight,
        BinaryOperator::BitAnd => HirOperator::And,
        BinaryOperator::BitXor => HirOperator::Xor,
        BinaryOperator::BitOr => HirOperator::Or,
        BinaryOperator::DotStar
        | BinaryOperator::ArrowStar
        | BinaryOperator::ThreeWay
        | BinaryOperator::Less
        | BinaryOperator::Greater
        | BinaryOperator::LessEqual
        | BinaryOperator::GreaterEqual
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr
        | BinaryOperator::Comma => return None,
    })
}

fn comparison(operator: BinaryOperator) -> Option<Comparison> {
    Some(match operator {
        BinaryOperator::Less => Comparison::Less,
        BinaryOperator::Greater => Comparison::Greater,
        BinaryOperator::LessEqual => Comparison::LessEqual,
        BinaryOperator::GreaterEqual => Comparison::GreaterEqual,
        BinaryOperator::Equal => Comparison::Equal,
        BinaryOperator::NotEqual => Comparison::NotEqual,
        _ => return None,
    })
}

impl<'a> Sema<'a> {
    /// `left operator right`. Chains of one operator are walked without recursion.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: ast::Id<ast::Expression>,
        right: ast::Id<ast::Expression>,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        let ast = self.ast;
        let mut chain = vec![(operator, right, span, operator_span)];
        let mut first = left;
        while let ast::ExpressionKind::Binary {
            operator,
            left,
            right,
            operator_span,
        } = ast[first].kind
        {
            chain.push((operator, right, ast[first].span, operator_span));
            first = left;
        }
        let mut value = self.operand(first);
        for (operator, right, span, operator_span) in chain.into_iter().rev() {
            let right = self.operand(right);
            value = Operand::Expression(self.binary_operands(operator, &value, &right, span, operator_span));
        }
        self.settle(&value)
    }

    /// An operator on operands.
    pub(crate) fn binary_operands(
        &mut self,
        operator: BinaryOperator,
        left: &Operand<'a>,
        right: &Operand<'a>,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        if self.operand_is_poisoned(left) || self.operand_is_poisoned(right) {
            return self.poison(span);
        }
        if (self.may_overload(left) || self.may_overload(right))
            && let Some(name) = operator_name(operator)
        {
            let fallback = if matches!(operator, BinaryOperator::Comma | BinaryOperator::ArrowStar) {
                Fallback::None
            } else {
                Fallback::BuiltIn
            };
            let operands = [self.settled_operand(left), right.clone()];
            if self.options.cpp20
                && let Some(rewritten) = self.rewritten_operator(operator, &operands[0], &operands[1], span)
            {
                return rewritten;
            }
            match self.overloaded_operator(name, &operands, fallback, span) {
                Overloaded::Done(expression) => return expression,
                Overloaded::BuiltIn(converted) => {
                    if let [left, right] = converted[..] {
                        return self.built_in_binary(operator, left, right, span, operator_span);
                    }
                }
            }
        }
        let (left, right) = self.settle_pair(left, right);
        self.built_in_binary(operator, left, right, span, operator_span)
    }

    /// Operands of which one may be an overloaded name that the other's type chooses for: `f == &g`.
    fn settle_pair(&mut self, left: &Operand<'a>, right: &Operand<'a>) -> (ExpressionId, ExpressionId) {
        match (left, right) {
            (&Operand::Expression(known), Operand::Overloads(_)) => {
                let ty = self.type_of(known).unqualified();
                let chosen = self.implicit_sequence(right, ty, crate::sema::conversion::implicit::Permit::STANDARD);
                let right = if chosen.is_some() {
                    self.convert(right, ty, "an operand")
                } else {
                    self.settle(right)
                };
                (known, right)
            }
            (Operand::Overloads(_), &Operand::Expression(known)) => {
                let (right, left) = self.settle_pair(&Operand::Expression(known), left);
                (left, right)
            }
            _ => (self.settle(left), self.settle(right)),
        }
    }

    /// An operand with a type; lists stay.
    fn settled_operand(&mut self, operand: &Operand<'a>) -> Operand<'a> {
        match operand {
            Operand::Overloads(_) => Operand::Expression(self.settle(operand)),
            other => other.clone(),
        }
    }

    /// The built-in operator.
    pub(crate) fn built_in_binary(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        if self.is_poisoned(left) || self.is_poisoned(right) {
            return self.poison(span);
        }
        match operator {
            BinaryOperator::Comma => {
                let left = self.drop_value(left);
                let (ty, category) = (self.type_of(right), self.category_of(right));
                self.program.add(ExpressionKind::Comma(left, right), ty, category, span)
            }
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                let left = self.convert_condition(left);
                let right = self.convert_condition(right);
                if self.is_poisoned(left) || self.is_poisoned(right) {
                    return self.poison(span);
                }
                let kind = if operator == BinaryOperator::LogicalAnd {
                    ExpressionKind::LogicalAnd(left, right)
                } else {
                    ExpressionKind::LogicalOr(left, right)
                };
                self.value(kind, Types::BOOL, span)
            }
            BinaryOperator::DotStar | BinaryOperator::ArrowStar => {
                self.member_pointer_access(operator, left, right, span)
            }
            BinaryOperator::ThreeWay => {
                let errors = self.context.diagnostics.error_count();
                match self.built_in_three_way(left, right, span) {
                    Some(expression) => expression,
                    None if self.context.diagnostics.error_count() > errors => self.poison(span),
                    None => self.invalid_operands(operator, left, right, operator_span),
                }
            }
            _ => {
                let built = match comparison(operator) {
                    Some(comparison) => self.built_in_comparison(comparison, left, right, span),
                    None => self.built_in_arithmetic(operator, left, right, span),
                };
                match built {
                    Some(expression) => expression,
                    None => self.invalid_operands(operator, left, right, operator_span),
                }
            }
        }
    }

    /// The message that an operator has no meaning for its operands.
    fn invalid_operands(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        operator_span: Span,
    ) -> ExpressionId {
        let (a, b) = (self.quote(self.type_of(left)), self.quote(self.type_of(right)));
        let message = format!(
            "the operator `{}` cannot be applied to {a} and {b}",
            operator.spelling()
        );
        let (at_left, at_right) = (self.span_of(left), self.span_of(right));
        self.fail_with(
            Report::error(operator_span, message)
                .label(at_left, a)
                .label(at_right, b),
        )
    }

    /// Arithmetic, on vectors and pointers too; `None` if it has no meaning for the operands.
    fn built_in_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Option<ExpressionId> {
        let arithmetic = arithmetic_operator(operator)?;
        let widths = (self.source(left).bit_field, self.source(right).bit_field);
        let (left, right) = (self.decay(left), self.decay(right));
        let (a, b) = (self.type_of(left).id, self.type_of(right).id);
        match arithmetic {
            HirOperator::ShiftLeft | HirOperator::ShiftRight => {
                if self.is_vector_pair(a, b) {
                    return Some(self.value(ExpressionKind::Binary(arithmetic, left, right), a, span));
                }
                if !is_integral_or_unscoped(&self.program, a) || !is_integral_or_unscoped(&self.program, b) {
                    return None;
                }
                let left = self.promote(left, widths.0);
                let right = self.promote(right, widths.1);
                self.check_arithmetic(arithmetic, left, right, span);
                let ty = self.type_of(left).id;
                return Some(self.value(ExpressionKind::Binary(arithmetic, left, right), ty, span));
            }
            HirOperator::Remainder | HirOperator::And | HirOperator::Or | HirOperator::Xor => {
                let integral = |id| is_integral_or_unscoped(&self.program, id);
                if !((integral(a) && integral(b)) || self.is_vector_pair(a, b)) {
                    return None;
                }
            }
            HirOperator::Add | HirOperator::Subtract => {
                if let Some(pointer) = self.pointer_arithmetic(arithmetic == HirOperator::Subtract, left, right, span) {
                    return Some(pointer);
                }
            }
            HirOperator::Multiply | HirOperator::Divide => {}
        }
        if let Some((left, right)) = self.vector_operands(left, right) {
            let ty = self.type_of(left);
            return Some(self.value(ExpressionKind::Binary(arithmetic, left, right), ty, span));
        }
        let (left, right) = (self.promote_width(left, widths.0), self.promote_width(right, widths.1));
        let common = usual_arithmetic(&self.program, self.type_of(left).id, self.type_of(right).id)?;
        let left = self.convert_constant(left, common);
        let right = self.convert_constant(right, common);
        self.check_arithmetic(arithmetic, left, right, span);
        Some(self.value(ExpressionKind::Binary(arithmetic, left, right), common, span))
    }

    fn is_vector_pair(&self, a: TypeId, b: TypeId) -> bool {
        a == b && matches!(self.program.types.get(a), Type::Vector(..))
    }

    /// Operands of vector type: two of one type, or one with a scalar for all its elements.
    fn vector_operands(&mut self, left: ExpressionId, right: ExpressionId) -> Option<(ExpressionId, ExpressionId)> {
        let (a, b) = (self.type_of(left).id, self.type_of(right).id);
        match (self.program.types.get(a), self.program.types.get(b)) {
            (Type::Vector(..), Type::Vector(..)) => (a == b).then_some((left, right)),
            (&Type::Vector(element, _), _) if self.program.types.is_arithmetic(b) => {
                let scalar = self.convert_arithmetic(right, element);
                Some((left, self.cast(CastKind::Splat, scalar, a)))
            }
            (_, &Type::Vector(element, _)) if self.program.types.is_arithmetic(a) => {
                let scalar = self.convert_arithmetic(left, element);
                Some((self.cast(CastKind::Splat, scalar, b), right))
            }
            _ => None,
        }
    }

    /// A bit field's value as the type it promotes to, so that the usual conversions start there.
    fn promote_width(&mut self, value: ExpressionId, width: Option<u32>) -> ExpressionId {
        match width {
            Some(_) => self.promote(value, width),
            None => value,
        }
    }

    /// The integral promotion of a prvalue.
    pub(super) fn promote(&mut self, value: ExpressionId, width: Option<u32>) -> ExpressionId {
        let ty = self.type_of(value).id;
        let to = match width {
            Some(width) => promoted_bit_field(&self.program, ty, width),
            None => promoted(&self.program, ty),
        };
        self.convert_arithmetic(value, to)
    }

    /// Pointer plus or minus integer, pointer minus pointer ([expr.add]/2 to 5).
    fn pointer_arithmetic(
        &mut self,
        subtract: bool,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Option<ExpressionId> {
        let (a, b) = (self.type_of(left).id, self.type_of(right).id);
        let (pa, pb) = (self.program.types.pointee(a), self.program.types.pointee(b));
        match (pa, pb) {
            (Some(to), None) if is_integral_or_unscoped(&self.program, b) => {
                self.pointer_add(left, right, to, subtract, span)
            }
            (None, Some(to)) if !subtract && is_integral_or_unscoped(&self.program, a) => {
                self.pointer_add(right, left, to, false, span)
            }
            (Some(x), Some(y)) if subtract && is_similar(&self.program.types, x.id, y.id) => {
                if !self.require_complete(x.id, span, "pointer arithmetic on") || !self.is_object_type(x.id) {
                    return Some(self.poison_arithmetic(x, span));
                }
                Some(self.value(ExpressionKind::PointerDifference(left, right), Types::LONG, span))
            }
            _ => None,
        }
    }

    fn is_object_type(&self, id: TypeId) -> bool {
        !matches!(self.program.types.get(id), Type::Void | Type::Function(_))
    }

    fn poison_arithmetic(&mut self, to: QualifiedType, span: Span) -> ExpressionId {
        if self.is_object_type(to.id) {
            return self.poison(span);
        }
        let message = format!(
            "arithmetic on pointers to {} has no meaning: its size is unknown",
            self.quote(to)
        );
        self.fail(span, message)
    }

    fn pointer_add(
        &mut self,
        pointer: ExpressionId,
        index: ExpressionId,
        to: QualifiedType,
        subtract: bool,
        span: Span,
    ) -> Option<ExpressionId> {
        let counts_bytes = to.id == Types::VOID;
        if counts_bytes || !self.is_object_type(to.id) {
            return Some(self.poison_arithmetic(to, span));
        }
        if !self.require_complete(to.id, span, "pointer arithmetic on") {
            return Some(self.poison(span));
        }
        let index = self.promote(index, None);
        let ty = self.type_of(pointer);
        Some(self.value(
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            },
            ty,
            span,
        ))
    }

    /// A comparison ([expr.rel], [expr.eq]).
    pub(super) fn built_in_comparison(
        &mut self,
        comparison: Comparison,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Option<ExpressionId> {
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let widths = (self.source(left).bit_field, self.source(right).bit_field);
        let nulls = (self.source(left).is_null_constant, self.source(right).is_null_constant);
        let (left, right) = (self.decay(left), self.decay(right));
        let (a, b) = (self.type_of(left).id, self.type_of(right).id);
        let (left, right) = match (self.program.types.get(a), self.program.types.get(b)) {
            (Type::Enum(x), Type::Enum(y)) if x == y => (left, right),
            (Type::Vector(..), Type::Vector(..)) => return None,
            (Type::NullPointer, Type::NullPointer) if equality => (left, right),
            _ if self.is_pointer_like(a) || self.is_pointer_like(b) => {
                let is_member = matches!(self.program.types.get(a), Type::MemberPointer { .. })
                    || matches!(self.program.types.get(b), Type::MemberPointer { .. });
                if is_member && !equality {
                    return None;
                }
                let common = self.composite_pointer((left, nulls.0), (right, nulls.1))?;
                (
                    self.as_composite(left, nulls.0, common),
                    self.as_composite(right, nulls.1, common),
                )
            }
            _ => {
                let (left, right) = (self.promote_width(left, widths.0), self.promote_width(right, widths.1));
                let common = usual_arithmetic(&self.program, self.type_of(left).id, self.type_of(right).id)?;
                (
                    self.convert_constant(left, common),
                    self.convert_constant(right, common),
                )
            }
        };
        self.check_comparison(comparison, left, right, span);
        Some(self.value(ExpressionKind::Compare(comparison, left, right), Types::BOOL, span))
    }

    fn is_pointer_like(&self, id: TypeId) -> bool {
        matches!(
            self.program.types.get(id),
            Type::Pointer(_) | Type::MemberPointer { .. } | Type::NullPointer
        )
    }

    /// The composite pointer type of two prvalues ([expr.type]/4), each with whether it is a null pointer constant.
    pub(super) fn composite_pointer(
        &mut self,
        left: (ExpressionId, bool),
        right: (ExpressionId, bool),
    ) -> Option<TypeId> {
        let (a, b) = (self.type_of(left.0).id, self.type_of(right.0).id);
        if a == b {
            return Some(a);
        }
        let null = |sema: &Self, (expression, constant): (ExpressionId, bool)| {
            constant || sema.type_of(expression).id == Types::NULL_POINTER
        };
        if null(self, left) {
            return self.is_pointer_like(b).then_some(b);
        }
        if null(self, right) {
            return self.is_pointer_like(a).then_some(a);
        }
        match (self.program.types.get(a).clone(), self.program.types.get(b).clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let qualifiers = significant(&self.program.types, x).with(significant(&self.program.types, y));
                if x.id == Types::VOID || y.id == Types::VOID {
                    let void = QualifiedType {
                        id: Types::VOID,
                        qualifiers,
                    };
                    let object = if x.id == Types::VOID { y } else { x };
                    return self
                        .program
                        .types
                        .as_function(object.id)
                        .is_none()
                        .then(|| self.program.types.pointer(void));
                }
                if let Some(merged) = self.merge_similar(x, y, true) {
                    return Some(self.program.types.pointer(merged));
                }
                self.complete_type(x.id);
                self.complete_type(y.id);
                let (cx, cy) = (self.program.types.as_class(x.id)?, self.program.types.as_class(y.id)?);
                let base = if self.is_derived_from(cx, cy) {
                    y
                } else if self.is_derived_from(cy, cx) {
                    x
                } else {
                    return None;
                };
                Some(self.program.types.pointer(QualifiedType {
                    id: base.id,
                    qualifiers,
                }))
            }
            (Type::MemberPointer { class: c, pointee: x }, Type::MemberPointer { class: d, pointee: y }) => {
                let merged = self.merge_similar(x, y, true)?;
                let class = if c == d || self.is_derived_from(c, d) {
                    c
                } else if self.is_derived_from(d, c) {
                    d
                } else {
                    return None;
                };
                Some(self.program.types.member_pointer(class, merged))
            }
            _ => None,
        }
    }

    /// The type with the qualifiers of both of two similar types on each level, `const` on all levels above one that differs ([conv.qual]).
    fn merge_similar(&mut self, x: QualifiedType, y: QualifiedType, outermost: bool) -> Option<QualifiedType> {
        let mut qualifiers = x.qualifiers.with(y.qualifiers).without(Qualifiers::RESTRICT);
        let id = if x.id == y.id {
            x.id
        } else {
            if crate::sema::conversion::standard::drops_noexcept(&self.program.types, x.id, y.id) {
                return Some(y);
            }
            if crate::sema::conversion::standard::drops_noexcept(&self.program.types, y.id, x.id) {
                return Some(x);
            }
            match (
                self.program.types.get(x.id).clone(),
                self.program.types.get(y.id).clone(),
            ) {
                (Type::Pointer(a), Type::Pointer(b)) => {
                    let inner = self.merge_similar(a, b, false)?;
                    if inner != a || inner != b {
                        qualifiers = qualifiers.with(Qualifiers::CONST);
                    }
                    self.program.types.pointer(inner)
                }
                (Type::Array(a, m), Type::Array(b, n)) if m == n => {
                    let inner = self.merge_similar(a, b, false)?;
                    self.program.types.array(inner, m)
                }
                _ => return None,
            }
        };
        let _ = outermost;
        Some(QualifiedType { id, qualifiers })
    }

    /// A prvalue as the composite pointer type.
    pub(super) fn as_composite(&mut self, value: ExpressionId, is_null: bool, to: TypeId) -> ExpressionId {
        let mut source = self.source(value);
        source.is_null_constant |= is_null;
        match standard_conversion(&mut self.program, &source, to.into()) {
            Some(standard) => self.apply_standard(value, &standard),
            None => self.cast(CastKind::Pointer, value, to),
        }
    }

    /// `object.*pointer` and `pointer->*pointer` of a data member.
    pub(super) fn member_pointer_access(
        &mut self,
        operator: BinaryOperator,
        object: ExpressionId,
        pointer: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let pointer = self.decay(pointer);
        let &Type::MemberPointer { class, pointee } = self.program.types.get(self.type_of(pointer).id) else {
            if self.is_poisoned(pointer) {
                return pointer;
            }
            let message = format!(
                "`{}` needs a pointer to a member on its right, but this is {}",
                operator.spelling(),
                self.quote(self.type_of(pointer))
            );
            return self.fail(span, message);
        };
        if self.program.types.as_function(pointee.id).is_some() {
            return self.fail(
                span,
                "a pointer to a member function can only be called: `(object.*pointer)(arguments)`",
            );
        }
        let Some(object) = self.member_pointer_object(operator, object, class, span) else {
            return self.poison(span);
        };
        let (qualifiers, category) = (self.type_of(object).qualifiers, self.category_of(object));
        let ty = self
            .program
            .types
            .qualify(pointee, qualifiers.without(Qualifiers::RESTRICT));
        self.program.add(
            ExpressionKind::MemberPointerAccess { object, pointer },
            ty,
            category,
            span,
        )
    }

    /// The object of `.*` or `->*` as a glvalue of the pointer's class.
    pub(super) fn member_pointer_object(
        &mut self,
        operator: BinaryOperator,
        object: ExpressionId,
        class: ClassId,
        span: Span,
    ) -> Option<ExpressionId> {
        let object = if operator == BinaryOperator::ArrowStar {
            let pointer = self.decay(object);
            if self.program.types.pointee(self.type_of(pointer).id).is_none() && !self.is_poisoned(pointer) {
                let message = format!(
                    "`->*` needs a pointer on its left, but this is {}",
                    self.quote(self.type_of(pointer))
                );
                self.context.error(span, message);
                return None;
            }
            self.dereference(pointer, span)
        } else {
            self.materialised(object)
        };
        if self.is_poisoned(object) {
            return None;
        }
        let ty = self.type_of(object);
        self.complete_type(ty.id);
        let to = QualifiedType {
            id: self.program.types.class(class),
            qualifiers: ty.qualifiers,
        };
        if self.program.types.as_class(ty.id).is_none() {
            let message = format!(
                "the object is {}, but the pointer is to a member of {}",
                self.quote(ty),
                self.quote(to.id)
            );
            self.context.error(span, message);
            return None;
        }
        let object = self.upcast_to(object, to);
        (!self.is_poisoned(object)).then_some(object)
    }
}
