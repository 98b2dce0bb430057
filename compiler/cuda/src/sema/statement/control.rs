//! Selection and iteration ([stmt.select], [stmt.iter]).

use crate::hir::{
    ExpressionId, ExpressionKind, LoopHints, StatementId, StatementKind, SwitchCase, Types, Unroll, ValueCategory,
};
use crate::sema::Sema;
use crate::sema::context::SwitchContext;
use crate::source::{Report, Span};
use crate::syntax::ast::{self, Condition};

/// A condition, with the statement that declares its variable.
pub(super) struct Tested {
    pub(super) declaration: Option<StatementId>,
    pub(super) value: ExpressionId,
}

impl<'a> Sema<'a> {
    /// Elaborates a condition in the current scope; as a number for `switch`.
    fn tested(&mut self, condition: &Condition, for_switch: bool) -> Tested {
        match *condition {
            Condition::Expression(expression) => Tested {
                declaration: None,
                value: match for_switch {
                    true => self.switch_condition(expression),
                    false => self.condition(expression),
                },
            },
            Condition::Declaration(declaration) => {
                let span = self.ast[declaration].span;
                let statement = self.declare_local(declaration);
                let variable = match self.program.statement(statement).kind {
                    StatementKind::Declare(variable) => Some(variable),
                    _ => None,
                };
                let value = match variable {
                    Some(variable) => {
                        let ty = self.program.variable(variable).ty;
                        let ty = self.program.types.strip_reference(ty);
                        match ty.id == Types::ERROR {
                            true => self.program.add_value(ExpressionKind::Error, Types::ERROR, span),
                            false => {
                                self.program
                                    .add(ExpressionKind::Variable(variable), ty, ValueCategory::LValue, span)
                            }
                        }
                    }
                    None => self.program.add_value(ExpressionKind::Error, Types::ERROR, span),
                };
                let value = match for_switch {
                    true => self.convert_switch_condition(value),
                    false => self.convert_condition(value),
                };
                Tested {
                    declaration: Some(statement),
                    value,
                }
            }
        }
    }
    /// A statement with those that have to stand before it, in a block.
    fn with_before(
        &mut self,
        before: impl IntoIterator<Item = Option<StatementId>>,
        statement: StatementId,
        span: Span,
    ) -> StatementId {
        let mut list: Vec<StatementId> = before.into_iter().flatten().collect();
        if list.is_empty() {
            return statement;
        }
        list.push(statement);
        self.add_statement(StatementKind::Block(list), span)
    }
    pub(super) fn if_statement(
        &mut self,
        is_constexpr: bool,
        init: Option<ast::Id<ast::Statement>>,
        condition: &Condition,
        then: ast::Id<ast::Statement>,
        otherwise: Option<ast::Id<ast::Statement>>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let init = init.map(|init| sema.statement(init));
            if is_constexpr {
                let statement = sema.constexpr_if(condition, then, otherwise, span);
                return sema.with_before([init], statement, span);
            }
            let tested = sema.tested(condition, false);
            let then = sema.substatement(then);
            let otherwise = otherwise.map(|otherwise| sema.substatement(otherwise));
            let kind = StatementKind::If {
                condition: tested.value,
                then,
                otherwise,
            };
            let statement = sema.add_statement(kind, span);
            sema.with_before([init, tested.declaration], statement, span)
        })
    }
    /// `if constexpr`: the branch not taken is discarded; in templates it is not even elaborated ([stmt.if]/2).
    fn constexpr_if(
        &mut self,
        condition: &Condition,
        then: ast::Id<ast::Statement>,
        otherwise: Option<ast::Id<ast::Statement>>,
        span: Span,
    ) -> StatementId {
        let (declaration, value) = match *condition {
            Condition::Expression(expression) => (None, self.constant_bool(expression)),
            Condition::Declaration(_) => {
                let tested = self.tested(condition, false);
                let value = self.evaluate(tested.value, span);
                let value = value.and_then(|value| value.as_integer()).map(|value| value != 0);
                (tested.declaration, value)
            }
        };
        let Some(value) = value else {
            return self.add_statement(StatementKind::Error, span);
        };
        let (taken, dropped) = match value {
            true => (Some(then), otherwise),
            false => (otherwise, Some(then)),
        };
        if !self.in_template_instance()
            && let Some(dropped) = dropped
        {
            let evaluation = crate::sema::Evaluation {
                unevaluated: true,
                ..self.function.evaluation
            };
            let result = self.function.result;
            self.with_evaluation(evaluation, |sema| sema.substatement(dropped));
            self.function.result = result;
        }
        let statement = match taken {
            Some(taken) => self.substatement(taken),
            None => self.add_statement(StatementKind::Null, span),
        };
        self.with_before([declaration], statement, span)
    }
    pub(super) fn switch_statement(
        &mut self,
        init: Option<ast::Id<ast::Statement>>,
        condition: &Condition,
        body: ast::Id<ast::Statement>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let init = init.map(|init| sema.statement(init));
            let tested = sema.tested(condition, true);
            let ty = sema.program.type_of(tested.value).id;
            sema.function.switches.push(SwitchContext {
                ty,
                cases: Vec::new(),
                default: None,
                initialised: sema.function.initialised.len(),
            });
            sema.function.breakables += 1;
            let body = sema.substatement(body);
            sema.function.breakables -= 1;
            let context = sema.function.switches.pop();
            let (cases, default) = match context {
                Some(context) => (context.cases, context.default),
                None => (Vec::new(), None),
            };
            let kind = StatementKind::Switch {
                value: tested.value,
                cases: cases.into_iter().map(|(case, _)| case).collect(),
                default: default.map(|(label, _)| label),
                body,
            };
            let statement = sema.add_statement(kind, span);
            sema.with_before([init, tested.declaration], statement, span)
        })
    }
    /// What a label in a `switch` must not pass.
    fn check_switch_bypass(&mut self, span: Span) {
        let Some(switch) = self.function.switches.last() else {
            return;
        };
        if let Some(&number) = self.function.initialised.get(switch.initialised) {
            self.report_bypass(span, number, "the jump to this label passes");
            // Once for each switch.
            let count = self.function.initialised.len();
            if let Some(switch) = self.function.switches.last_mut() {
                switch.initialised = count;
            }
        }
    }
    pub(super) fn case_statement(
        &mut self,
        low: ast::Id<ast::Expression>,
        high: Option<ast::Id<ast::Expression>>,
        body: ast::Id<ast::Statement>,
        span: Span,
    ) -> StatementId {
        let place = self.ast[low].span;
        let Some(ty) = self.function.switches.last().map(|switch| switch.ty) else {
            self.error(Span::of(span.first), "`case` has to be in a `switch`");
            return self.statement(body);
        };
        self.check_switch_bypass(place);
        let to = if ty == Types::ERROR { Types::INT } else { ty };
        let low = self
            .constant_expression(low, to.unqualified())
            .and_then(|value| value.as_integer());
        let high = match high {
            None => low,
            Some(high) => self
                .constant_expression(high, to.unqualified())
                .and_then(|value| value.as_integer()),
        };
        let label = self.program.add_label(crate::hir::Label {
            name: None,
            address_taken: false,
        });
        if let (Some(low), Some(high)) = (low, high) {
            self.add_case(SwitchCase { low, high, label }, place);
        }
        let body = self.statement(body);
        self.add_statement(StatementKind::Label(label, body), span)
    }
    fn add_case(&mut self, case: SwitchCase, place: Span) {
        if case.low > case.high {
            self.emit(Report::warning(place, "this range is empty"));
            return;
        }
        let Some(switch) = self.function.switches.last_mut() else {
            return;
        };
        let clash = switch
            .cases
            .iter()
            .find(|(known, _)| known.low <= case.high && case.low <= known.high)
            .map(|&(known, span)| (known, span));
        match clash {
            Some((known, before)) => {
                let value = case.low.max(known.low);
                let report = Report::error(place, format!("the value {value} has a `case` already"));
                self.emit(report.note_at(before, "it is here"));
            }
            None => switch.cases.push((case, place)),
        }
    }
    pub(super) fn default_statement(&mut self, body: ast::Id<ast::Statement>, span: Span) -> StatementId {
        let place = Span::of(span.first);
        let label = self.program.add_label(crate::hir::Label {
            name: None,
            address_taken: false,
        });
        match self.function.switches.last_mut() {
            None => {
                self.error(place, "`default` has to be in a `switch`");
            }
            Some(switch) => match switch.default {
                Some((_, before)) => {
                    let report = Report::error(place, "this `switch` has a `default` already");
                    self.emit(report.note_at(before, "it is here"));
                }
                None => {
                    switch.default = Some((label, place));
                    self.check_switch_bypass(place);
                }
            },
        }
        let body = self.statement(body);
        self.add_statement(StatementKind::Label(label, body), span)
    }
    /// What a pragma before a loop says.
    pub(super) fn loop_hints(&mut self, unroll: Option<ast::Unroll>) -> LoopHints {
        let unroll = match unroll {
            None => Unroll::Unspecified,
            Some(ast::Unroll::Full) => Unroll::Full,
            Some(ast::Unroll::Disable) => Unroll::Never,
            Some(ast::Unroll::Count(count)) => match self.constant_int(count) {
                None | Some(0 | 1) => Unroll::Never,
                Some(number) => match u32::try_from(number) {
                    Ok(number) => Unroll::Count(number),
                    Err(_) => {
                        let span = self.ast[count].span;
                        self.emit(Report::warning(span, "a loop cannot be unrolled so many times"));
                        Unroll::Unspecified
                    }
                },
            },
        };
        LoopHints { unroll }
    }
    /// Elaborates the body of a loop.
    pub(super) fn loop_body(&mut self, body: ast::Id<ast::Statement>) -> StatementId {
        self.function.loops += 1;
        self.function.breakables += 1;
        let body = self.substatement(body);
        self.function.loops -= 1;
        self.function.breakables -= 1;
        body
    }
    pub(super) fn while_statement(
        &mut self,
        condition: &Condition,
        body: ast::Id<ast::Statement>,
        unroll: Option<ast::Unroll>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let hints = sema.loop_hints(unroll);
            let tested = sema.tested(condition, false);
            let body = sema.loop_body(body);
            let kind = StatementKind::While {
                declaration: tested.declaration,
                condition: tested.value,
                body,
                hints,
            };
            sema.add_statement(kind, span)
        })
    }
    pub(super) fn do_statement(
        &mut self,
        body: ast::Id<ast::Statement>,
        condition: ast::Id<ast::Expression>,
        unroll: Option<ast::Unroll>,
        span: Span,
    ) -> StatementId {
        let hints = self.loop_hints(unroll);
        let body = self.loop_body(body);
        let condition = self.condition(condition);
        self.add_statement(StatementKind::DoWhile { body, condition, hints }, span)
    }
    pub(super) fn for_statement(
        &mut self,
        init: Option<ast::Id<ast::Statement>>,
        condition: Option<&Condition>,
        increment: Option<ast::Id<ast::Expression>>,
        body: ast::Id<ast::Statement>,
        unroll: Option<ast::Unroll>,
        span: Span,
    ) -> StatementId {
        self.in_statement_block(|sema| {
            let hints = sema.loop_hints(unroll);
            let initial = init.map(|init| sema.statement(init));
            let tested = condition.map(|condition| sema.tested(condition, false));
            let step = increment.map(|increment| sema.discarded(increment));
            let body = sema.loop_body(body);
            let kind = StatementKind::For {
                initial,
                declaration: tested.as_ref().and_then(|tested| tested.declaration),
                condition: tested.map(|tested| tested.value),
                step,
                body,
                hints,
            };
            sema.add_statement(kind, span)
        })
    }
}
