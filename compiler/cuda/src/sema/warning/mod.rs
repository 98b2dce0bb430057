//! Warnings about programs that are right but look like a mistake. They are given for code that is written, not for what templates make of it.

mod constant;
mod format;
mod unreferenced;

use crate::hir::{
    Callee, Constant, ExpressionId, ExpressionKind, FunctionId, StatementId, StatementKind, StorageDuration, Type,
    Types, VariableId,
};
use crate::sema::Sema;
use crate::sema::context::ResultType;
use crate::source::{Report, Span, Warning};
use crate::syntax::ast;

pub(crate) use unreferenced::InternalDeclaration;

impl<'a> Sema<'a> {
    /// Gives a warning, unless it is about a header of the system or an instance of a template.
    pub(crate) fn warn(&mut self, warning: Warning, report: Report) {
        if self.options.warnings && !self.in_template_instance() && !self.context.map.is_system(report.span.first) {
            self.emit(report.numbered(warning));
        }
    }
    /// A warning without more to say.
    pub(crate) fn warn_at(&mut self, warning: Warning, span: Span, message: impl Into<String>) {
        if self.options.warnings {
            self.warn(warning, Report::warning(span, message));
        }
    }
    /// An expression whose value is dropped by a statement.
    pub(crate) fn check_discarded(&mut self, expression: ExpressionId) {
        if !self.options.warnings {
            return;
        }
        let node = self.program.expression(expression);
        let span = node.span;
        match node.kind {
            // Only written: these are no uses.
            ExpressionKind::Assign { place, .. }
            | ExpressionKind::CompoundAssign { place, .. }
            | ExpressionKind::Increment { place, .. } => self.note_set(place),
            ExpressionKind::Binary(..)
            | ExpressionKind::Compare(..)
            | ExpressionKind::Unary(..)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Constant(_)
            | ExpressionKind::Member { .. }
                if self.has_no_effect(expression) =>
            {
                self.warn_at(Warning::NoEffect, span, "this statement has no effect");
            }
            ExpressionKind::Call {
                callee: Callee::Direct(function) | Callee::Virtual(function),
                ..
            } if self.function_info(function).nodiscard => {
                let what = self.describe_function(function);
                let declared = self.program.function(function).span;
                let report = Report::warning(
                    span,
                    format!("the result of {what}, which is `[[nodiscard]]`, is dropped"),
                );
                self.warn(Warning::DiscardedResult, report.note_at(declared, "declared here"));
            }
            _ => {}
        }
    }
    fn has_no_effect(&self, expression: ExpressionId) -> bool {
        let node = self.program.expression(expression);
        let volatile = self.program.types.qualifiers_of(node.ty).is_volatile();
        !volatile
            && node.ty.id != Types::VOID
            && match node.kind {
                ExpressionKind::Constant(_) => true,
                ExpressionKind::Variable(variable) => !self
                    .program
                    .types
                    .qualifiers_of(self.program.variable(variable).ty)
                    .is_volatile(),
                ExpressionKind::Binary(_, left, right) | ExpressionKind::Compare(_, left, right) => {
                    self.has_no_effect(left) && self.has_no_effect(right)
                }
                ExpressionKind::Unary(_, operand) | ExpressionKind::Cast(_, operand) => self.has_no_effect(operand),
                ExpressionKind::Member { object, .. } => self.has_no_effect(object),
                ExpressionKind::Dereference(pointer) => self.has_no_effect(pointer),
                ExpressionKind::PointerAdd { pointer, index, .. } => {
                    self.has_no_effect(pointer) && self.has_no_effect(index)
                }
                _ => false,
            }
    }
    /// A variable that is named as the place that a statement writes.
    fn note_set(&mut self, place: ExpressionId) {
        if let ExpressionKind::Variable(variable) = self.program.expression(place).kind {
            let info = &mut self.variables[variable.index()];
            info.references = info.references.saturating_sub(1);
            info.sets += 1;
        }
    }
    /// A condition as written: `=` with a constant, which was meant as `==`.
    pub(crate) fn check_condition(&mut self, condition: ast::Id<ast::Expression>) {
        if !self.options.warnings {
            return;
        }
        let ast = self.ast;
        if let ast::ExpressionKind::Assign {
            operator: None,
            value,
            operator_span,
            ..
        } = ast[condition].kind
            && matches!(ast[value].kind, ast::ExpressionKind::Literal(_))
        {
            let report = Report::warning(operator_span, "`=` assigns: this condition is the value assigned");
            self.warn(
                Warning::AssignInCondition,
                report.note("did you mean `==`? parentheses around the assignment say that it is meant"),
            );
        }
    }
    /// A constant operand that makes an operator wrong: division by zero, shifts of all bits.
    pub(crate) fn check_arithmetic(
        &mut self,
        operator: crate::hir::BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) {
        use crate::hir::BinaryOperator as B;
        if !self.options.warnings || self.function.evaluation.unevaluated {
            return;
        }
        let Some(value) = self.constant_under(right) else {
            return;
        };
        if let (Type::Integer(kind), Some(first)) =
            (self.program.types.get(self.type_of(left).id), self.constant_under(left))
            && kind.is_signed()
            && !is_in_range(operator, *kind, first, value)
        {
            let message = format!(
                "the result of this does not fit {}: it wraps",
                self.quote(self.type_of(left))
            );
            self.warn_at(Warning::OutOfRange, span, message);
        }
        match operator {
            B::Divide | B::Remainder if value == 0 && self.program.types.is_integral(self.type_of(left).id) => {
                self.warn_at(Warning::DivisionByZero, span, "this divides by zero");
            }
            B::ShiftLeft | B::ShiftRight => {
                let ty = self.type_of(left);
                let bits = self.program.size_of(ty.id) * 8;
                if value < 0 || value as u64 >= bits {
                    let message = format!("a shift by {value} bits of {}, which has {bits}", self.quote(ty));
                    self.warn_at(Warning::ShiftTooLarge, span, message);
                }
            }
            _ => {}
        }
    }
    /// The number that a converted constant is.
    fn constant_under(&self, expression: ExpressionId) -> Option<i128> {
        let node = self.program.expression(expression);
        match node.kind {
            ExpressionKind::Constant(Constant::Integer(value)) => Some(value),
            ExpressionKind::Cast(_, inner) => self.constant_under(inner),
            ExpressionKind::Unary(crate::hir::UnaryOperator::Negate, inner) => {
                let number = matches!(self.program.expression(inner).kind, ExpressionKind::Constant(_));
                self.constant_under(inner).filter(|_| number)?.checked_neg()
            }
            ExpressionKind::Binary(operator, left, right) => {
                use crate::hir::BinaryOperator as B;
                let number = |id| match self.program.expression(id).kind {
                    ExpressionKind::Constant(Constant::Integer(value)) => Some(value),
                    ExpressionKind::Unary(..) => self.constant_under(id),
                    _ => None,
                };
                let (left, right) = (number(left)?, number(right)?);
                let value = match operator {
                    B::Add => left.checked_add(right)?,
                    B::Subtract => left.checked_sub(right)?,
                    B::Multiply => left.checked_mul(right)?,
                    B::Divide | B::Remainder | B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRight => return None,
                };
                match self.program.types.get(node.ty.id) {
                    Type::Integer(kind) => Some(kind.wrap(value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
    /// `u < 0`, `u >= 0` of an unsigned `u`.
    pub(crate) fn check_comparison(
        &mut self,
        comparison: crate::hir::Comparison,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) {
        use crate::hir::Comparison as C;
        if !self.options.warnings || !matches!(comparison, C::Less | C::GreaterEqual) {
            return;
        }
        let ty = self.type_of(left).id;
        let unsigned = matches!(self.program.types.get(ty), Type::Integer(kind) if !kind.is_signed());
        let constant = matches!(self.program.expression(left).kind, ExpressionKind::Constant(_));
        if unsigned && !constant && self.constant_under(right) == Some(0) {
            let always = if comparison == C::Less { "never" } else { "always" };
            let message = format!("an unsigned number is {always} so: this comparison with zero has one outcome");
            self.warn_at(Warning::PointlessComparison, span, message);
        }
    }
    /// At the end of a body: variables that nothing uses, labels without jumps, an end that should not be reached.
    pub(crate) fn check_body(&mut self, function: FunctionId, statement: StatementId) {
        let locals = std::mem::take(&mut self.function.locals);
        if !self.options.warnings {
            return;
        }
        for variable in locals {
            self.check_unused(variable);
        }
        for name in self.function.label_order.clone() {
            let Some(label) = self.function.labels.get(&name) else {
                continue;
            };
            if let (Some(defined), None) = (label.defined, label.used) {
                let message = format!("the label `{}` is never used", self.text(name));
                self.warn_at(Warning::Unreferenced, defined, message);
            }
        }
        let returns = match self.function.result {
            ResultType::Known(ty) => ty.id != Types::VOID && ty.id != Types::ERROR,
            ResultType::None | ResultType::Deduced { .. } => false,
        };
        let node = self.program.function(function);
        let special = matches!(
            node.name,
            crate::hir::FunctionName::Constructor | crate::hir::FunctionName::Destructor
        );
        if returns && !special && !node.no_return && self.can_end(statement) {
            let message = format!(
                "the end of {} can be reached without a `return`",
                self.describe_function(function)
            );
            let span = self.program.function(function).span;
            self.warn_at(Warning::MissingReturn, span, message);
        }
    }
    fn check_unused(&mut self, variable: VariableId) {
        let info = self.variables[variable.index()];
        let node = self.program.variable(variable);
        let (span, ty) = (node.span, node.ty);
        let Some(name) = info.name else { return };
        let element = self.element_of_arrays(ty);
        let plain = self.program.types.is_scalar(element.id)
            || self
                .program
                .types
                .as_class(element.id)
                .is_some_and(|class| self.program.class(class).lambda.is_some());
        let named = match node.storage {
            StorageDuration::Automatic => true,
            StorageDuration::Static => node.memory != crate::hir::MemorySpace::Shared,
            StorageDuration::Parameter => false,
        };
        if info.references > 0 || info.maybe_unused || !plain || !named || node.destructor.is_some() || node.is_extern {
            return;
        }
        let text = self.text(name).to_string();
        match info.sets {
            0 => self.warn_at(
                Warning::Unreferenced,
                span,
                format!("the variable `{text}` is never used"),
            ),
            _ => {
                let message = format!("the variable `{text}` is set, but its value is never used");
                self.warn_at(Warning::SetNotUsed, span, message);
            }
        }
    }
    /// Whether control can come out at the end of a statement, as far as its form tells; in doubt not.
    fn can_end(&self, id: StatementId) -> bool {
        match &self.program.statement(id).kind {
            StatementKind::Null | StatementKind::Declare(_) => true,
            StatementKind::Expression(expression) => !self.never_returns(*expression),
            StatementKind::Block(list) | StatementKind::Group(list) => {
                // A label may be jumped to from anywhere.
                let from = list
                    .iter()
                    .rposition(|&statement| matches!(self.program.statement(statement).kind, StatementKind::Label(..)))
                    .unwrap_or(0);
                list[from..].iter().all(|&statement| self.can_end(statement))
            }
            &StatementKind::If {
                condition,
                then,
                otherwise,
            } => match self.program.expression(condition).kind {
                ExpressionKind::Constant(Constant::Integer(1)) => self.can_end(then),
                _ => self.can_end(then) || otherwise.is_none_or(|otherwise| self.can_end(otherwise)),
            },
            &StatementKind::While { condition, .. } => !self.is_true(condition),
            &StatementKind::For { condition, .. } => condition.is_some_and(|condition| !self.is_true(condition)),
            &StatementKind::DoWhile { condition, body, .. } => !self.is_true(condition) && self.can_end(body),
            StatementKind::Label(_, statement) => self.can_end(*statement),
            StatementKind::Switch { .. }
            | StatementKind::Goto(_)
            | StatementKind::IndirectGoto(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(_)
            | StatementKind::Asm(_)
            | StatementKind::Error
            | StatementKind::Unsupported(_) => false,
        }
    }
    fn is_true(&self, condition: ExpressionId) -> bool {
        matches!(
            self.program.expression(condition).kind,
            ExpressionKind::Constant(Constant::Integer(value)) if value != 0
        ) || matches!(
            self.program.expression(condition).kind,
            ExpressionKind::Cast(_, inner) if self.is_true(inner)
        )
    }
    fn never_returns(&self, expression: ExpressionId) -> bool {
        match &self.program.expression(expression).kind {
            ExpressionKind::Call {
                callee: Callee::Direct(function) | Callee::Virtual(function),
                ..
            } => self.program.function(*function).no_return,
            // `__trap()` and its like are built-in functions: in doubt they do not return.
            ExpressionKind::Builtin { .. } | ExpressionKind::Unsupported(_) => true,
            _ => false,
        }
    }
}

/// Whether arithmetic on two numbers of a signed type is a number of the type.
fn is_in_range(operator: crate::hir::BinaryOperator, kind: crate::hir::IntegerKind, left: i128, right: i128) -> bool {
    use crate::hir::BinaryOperator as B;
    let result = match operator {
        B::Add => left.checked_add(right),
        B::Subtract => left.checked_sub(right),
        B::Multiply => left.checked_mul(right),
        B::Divide if right == -1 => left.checked_neg(),
        B::Divide | B::Remainder | B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRight => return true,
    };
    result.is_some_and(|result| kind.wrap(result) == result)
}
