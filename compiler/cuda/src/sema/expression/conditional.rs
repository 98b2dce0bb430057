//! The conditional operator ([expr.cond]).

use crate::hir::{ExpressionId, ExpressionKind, QualifiedType, Qualifiers, Type, Types, ValueCategory};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{promoted_bit_field, usual_arithmetic};
use crate::sema::conversion::implicit::{Permit, Sequence, SequenceKind};
use crate::sema::conversion::standard::{is_derived_from, is_similar};
use crate::source::{Report, Span};
use crate::syntax::ast;

use super::Operand;

impl<'a> Sema<'a> {
    /// `condition ? then : otherwise`; without `then`, GNU's `condition ?: otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: ast::Id<ast::Expression>,
        then: Option<ast::Id<ast::Expression>>,
        otherwise: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let Some(then) = then else {
            return self.conditional_without_middle(condition, otherwise, span);
        };
        let condition = self.condition(condition);
        let yes = self.operand(then);
        let no = self.operand(otherwise);
        self.conditional_operands(condition, &yes, &no, span)
    }

    /// `a ?: b`: `a` is evaluated once.
    fn conditional_without_middle(
        &mut self,
        condition: ast::Id<ast::Expression>,
        otherwise: ast::Id<ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        let value = self.expression(condition);
        let value = if self.program.types.as_class(self.type_of(value).id).is_some() {
            self.materialised(value)
        } else {
            self.decay(value)
        };
        if self.is_poisoned(value) {
            self.operand(otherwise);
            return value;
        }
        let binding = self.program.add_binding();
        let (ty, category) = (self.type_of(value), self.category_of(value));
        let bound = |sema: &mut Self| sema.program.add(ExpressionKind::Bound(binding), ty, category, span);
        let first = bound(self);
        let test = self.convert_condition(first);
        let yes = bound(self);
        let no = self.operand(otherwise);
        let body = self.conditional_operands(test, &Operand::Expression(yes), &no, span);
        if self.is_poisoned(body) {
            return body;
        }
        let (ty, category) = (self.type_of(body), self.category_of(body));
        self.program
            .add(ExpressionKind::Let { binding, value, body }, ty, category, span)
    }

    fn conditional_operands(
        &mut self,
        condition: ExpressionId,
        yes: &Operand<'a>,
        no: &Operand<'a>,
        span: Span,
    ) -> ExpressionId {
        let (yes, no) = self.settle_branches(yes, no);
        if self.is_poisoned(condition) || self.is_poisoned(yes) || self.is_poisoned(no) {
            return self.poison(span);
        }
        match self.unify(yes, no) {
            Some((yes, no)) => {
                if self.is_poisoned(yes) || self.is_poisoned(no) {
                    return self.poison(span);
                }
                let (ty, category) = (self.type_of(yes), self.category_of(yes));
                self.program
                    .add(ExpressionKind::Conditional { condition, yes, no }, ty, category, span)
            }
            None => {
                let (a, b) = (self.quote(self.type_of(yes)), self.quote(self.type_of(no)));
                let report = Report::error(span, format!("the results of `?:` have no common type: {a} and {b}"));
                let (at_yes, at_no) = (self.span_of(yes), self.span_of(no));
                self.fail_with(report.label(at_yes, a).label(at_no, b))
            }
        }
    }

    /// Overloaded names take the other result's type.
    fn settle_branches(&mut self, yes: &Operand<'a>, no: &Operand<'a>) -> (ExpressionId, ExpressionId) {
        match (yes, no) {
            (&Operand::Expression(known), Operand::Overloads(_)) => {
                let known_type = self.type_of(known);
                let ty: QualifiedType = if self.program.types.as_function(known_type.id).is_some() {
                    self.program.types.pointer(known_type).into()
                } else {
                    known_type
                };
                let no = match self.implicit_sequence(no, ty.unqualified(), Permit::STANDARD) {
                    Some(_) => self.convert(no, ty.unqualified(), "an operand"),
                    None => self.settle(no),
                };
                (known, no)
            }
            (Operand::Overloads(_), Operand::Expression(_)) => {
                let (no, yes) = self.settle_branches(no, yes);
                (yes, no)
            }
            _ => (self.settle(yes), self.settle(no)),
        }
    }

    /// Both results as one type and category.
    fn unify(&mut self, yes: ExpressionId, no: ExpressionId) -> Option<(ExpressionId, ExpressionId)> {
        let (a, b) = (self.type_of(yes), self.type_of(no));
        let is_throw = |sema: &Self, id| matches!(sema.program.expression(id).kind, ExpressionKind::Unsupported(_));
        if a.id == Types::VOID || b.id == Types::VOID {
            return self.unify_void(yes, no, (is_throw(self, yes), is_throw(self, no)));
        }
        let (mut yes, mut no) = (yes, no);
        let same_category = self.category_of(yes) == self.category_of(no);
        let classes = self.program.types.as_class(a.id).is_some() || self.program.types.as_class(b.id).is_some();
        let similar = is_similar(&self.program.types, a.id, b.id);
        if a != b && (classes || (same_category && self.category_of(yes).is_glvalue() && similar)) {
            let forward = self.conversion_to_other(yes, no);
            let backward = self.conversion_to_other(no, yes);
            match (forward, backward) {
                (Some((sequence, to)), None) => {
                    yes = self.apply(&Operand::Expression(yes), &sequence, to, "an operand")
                }
                (None, Some((sequence, to))) => no = self.apply(&Operand::Expression(no), &sequence, to, "an operand"),
                (Some(_), Some(_)) if classes && a.id != b.id => return None,
                (Some((sequence, to)), Some(_)) => {
                    if b.qualifiers.contains(a.qualifiers) {
                        yes = self.apply(&Operand::Expression(yes), &sequence, to, "an operand");
                    } else {
                        let (sequence, to) = self.conversion_to_other(no, yes)?;
                        no = self.apply(&Operand::Expression(no), &sequence, to, "an operand");
                    }
                }
                (None, None) => {}
            }
        }
        let (a, b) = (self.type_of(yes), self.type_of(no));
        if a == b && self.category_of(yes) == self.category_of(no) && self.category_of(yes).is_glvalue() {
            let bits = self.is_bit_field(yes) || self.is_bit_field(no);
            if !bits {
                return Some((yes, no));
            }
        }
        self.unify_values(yes, no)
    }

    fn unify_void(
        &mut self,
        yes: ExpressionId,
        no: ExpressionId,
        throws: (bool, bool),
    ) -> Option<(ExpressionId, ExpressionId)> {
        let void = |sema: &Self, id| sema.type_of(id).id == Types::VOID;
        match (void(self, yes), void(self, no), throws) {
            (true, true, _) => Some((yes, no)),
            (true, false, (true, _)) => {
                let ty = self.type_of(no);
                self.program.expression_mut(yes).ty = ty;
                self.program.expression_mut(yes).category = self.category_of(no);
                Some((yes, no))
            }
            (false, true, (_, true)) => {
                let (no, yes) = self.unify_void(no, yes, (throws.1, throws.0))?;
                Some((yes, no))
            }
            _ => None,
        }
    }

    /// The implicit conversion of one result to match the other ([expr.cond]/4).
    fn conversion_to_other(&mut self, from: ExpressionId, to: ExpressionId) -> Option<(Sequence, QualifiedType)> {
        let (a, b) = (self.type_of(from), self.type_of(to));
        let operand = Operand::Expression(from);
        let bindable = !self.is_bit_field(to);
        let reference = match self.category_of(to) {
            ValueCategory::LValue if bindable => Some(self.program.types.lvalue_reference(b)),
            ValueCategory::XValue if bindable => Some(self.program.types.rvalue_reference(b)),
            _ => None,
        };
        if let Some(reference) = reference
            && let Some(sequence) = self.implicit_sequence(&operand, reference.into(), Permit::IMPLICIT)
            && binds_directly(&sequence)
        {
            return Some((sequence, reference.into()));
        }
        let (ca, cb) = (self.program.types.as_class(a.id), self.program.types.as_class(b.id));
        if let (Some(x), Some(y)) = (ca, cb) {
            let related = x == y || is_derived_from(&self.program, x, y) || is_derived_from(&self.program, y, x);
            if related {
                let up = x == y || is_derived_from(&self.program, x, y);
                let more = b.qualifiers.contains(a.qualifiers.without(Qualifiers::RESTRICT));
                if !(up && more) {
                    return None;
                }
            }
        }
        let target = if cb.is_some() { b } else { self.decayed_value_type(b) };
        let sequence = self.implicit_sequence(&operand, target, Permit::IMPLICIT)?;
        Some((sequence, target))
    }

    /// The type after the lvalue, array and function conversions.
    pub(crate) fn decayed_value_type(&mut self, ty: QualifiedType) -> QualifiedType {
        match *self.program.types.get(ty.id) {
            Type::Array(element, _) => self.program.types.pointer(element).into(),
            Type::Function(_) => self.program.types.pointer(ty).into(),
            _ => ty.unqualified(),
        }
    }

    /// Both results as prvalues of one type ([expr.cond]/7).
    fn unify_values(&mut self, yes: ExpressionId, no: ExpressionId) -> Option<(ExpressionId, ExpressionId)> {
        let nulls = (self.source(yes).is_null_constant, self.source(no).is_null_constant);
        let (a, b) = (self.type_of(yes), self.type_of(no));
        if let (Some(x), Some(y)) = (self.program.types.as_class(a.id), self.program.types.as_class(b.id)) {
            if x != y {
                return None;
            }
            let ty = QualifiedType {
                id: a.id,
                qualifiers: a.qualifiers.with(b.qualifiers),
            };
            return Some((self.class_value(yes, x, ty), self.class_value(no, x, ty)));
        }
        let widths = (self.source(yes).bit_field, self.source(no).bit_field);
        let (yes, no) = (self.decay(yes), self.decay(no));
        let (a, b) = (self.type_of(yes).id, self.type_of(no).id);
        if a == b {
            return Some((yes, no));
        }
        let promoted = |sema: &Self, ty, width: Option<u32>| match width {
            Some(width) => promoted_bit_field(&sema.program, ty, width),
            None => ty,
        };
        let (x, y) = (promoted(self, a, widths.0), promoted(self, b, widths.1));
        if let Some(common) = usual_arithmetic(&self.program, x, y) {
            return Some((self.convert_constant(yes, common), self.convert_constant(no, common)));
        }
        let common = self.composite_pointer((yes, nulls.0), (no, nulls.1))?;
        Some((
            self.as_composite(yes, nulls.0, common),
            self.as_composite(no, nulls.1, common),
        ))
    }
}

/// Whether a sequence binds a reference without a temporary.
fn binds_directly(sequence: &Sequence) -> bool {
    match &sequence.kind {
        SequenceKind::Standard(standard) => standard.binding.is_some_and(|binding| binding.direct),
        SequenceKind::User(user) => user.after.binding.is_some_and(|binding| binding.direct),
        SequenceKind::Ambiguous(_) | SequenceKind::Ellipsis => false,
    }
}
