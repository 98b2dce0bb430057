//! Statements ([stmt.stmt]) and function bodies.

mod asm;
mod body;
mod control;
mod range;
mod returns;
mod typed;

use super::Sema;
use super::context::LabelInfo;
use crate::hir::{self, StatementId, StatementKind};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

/// Deepest nesting of statements; each `else if` of a chain is one level, so that this is more than the parser's limit.
const STATEMENT_DEPTH: usize = 1 << 14;

impl<'a> Sema<'a> {
    /// Adds a statement to the typed program.
    pub(crate) fn add_statement(&mut self, kind: StatementKind, span: Span) -> StatementId {
        self.program.add_statement(kind, span)
    }
    /// Elaborates a statement in the current scope.
    pub fn statement(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        let span = self.ast[id].span;
        if self.statement_depth > STATEMENT_DEPTH {
            let message = format!("statements are nested more than {STATEMENT_DEPTH} deep");
            self.error(span, message);
            return self.add_statement(StatementKind::Error, span);
        }
        self.statement_depth += 1;
        let statement = self.statement_inner(id);
        self.statement_depth -= 1;
        statement
    }
    fn statement_inner(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        use ast::StatementKind as S;
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            S::Null => self.add_statement(StatementKind::Null, span),
            S::Compound(statements) => self.in_statement_block(|sema| sema.block(statements, span)),
            S::Expression(expression) => {
                let value = self.discarded(*expression);
                self.check_discarded(value);
                self.add_statement(StatementKind::Expression(value), span)
            }
            S::Declaration(declaration) => self.declare_local(*declaration),
            S::If {
                is_constexpr,
                init,
                condition,
                then,
                otherwise,
            } => self.if_statement(*is_constexpr, *init, condition, *then, *otherwise, span),
            S::IfConsteval {
                negated,
                then,
                otherwise,
            } => {
                // Device code is generated for what runs: never in constant evaluation.
                let taken = if *negated { Some(*then) } else { *otherwise };
                match taken {
                    Some(taken) => self.statement(taken),
                    None => self.add_statement(StatementKind::Null, span),
                }
            }
            S::Switch { init, condition, body } => self.switch_statement(*init, condition, *body, span),
            S::Case { low, high, body } => self.case_statement(*low, *high, *body, span),
            S::Default { body } => self.default_statement(*body, span),
            S::Label { name, body } => self.label_statement(*name, *body, span),
            S::While {
                condition,
                body,
                unroll,
            } => self.while_statement(condition, *body, *unroll, span),
            S::DoWhile {
                body,
                condition,
                unroll,
            } => self.do_statement(*body, *condition, *unroll, span),
            S::For {
                init,
                condition,
                increment,
                body,
                unroll,
            } => self.for_statement(*init, condition.as_ref(), *increment, *body, *unroll, span),
            S::RangeFor {
                init,
                declaration,
                range,
                body,
                unroll,
            } => self.range_for(*init, *declaration, *range, *body, *unroll, span),
            S::Goto { name } => self.goto_statement(*name, span),
            S::IndirectGoto(expression) => {
                let target = self.expression(*expression);
                self.add_statement(StatementKind::IndirectGoto(target), span)
            }
            S::Break => {
                if self.function.breakables == 0 {
                    self.error(span, "`break` has to be in a loop or `switch`");
                    return self.add_statement(StatementKind::Error, span);
                }
                self.add_statement(StatementKind::Break, span)
            }
            S::Continue => {
                if self.function.loops == 0 {
                    self.error(span, "`continue` has to be in a loop");
                    return self.add_statement(StatementKind::Error, span);
                }
                self.add_statement(StatementKind::Continue, span)
            }
            S::Return(value) => self.return_statement(*value, span),
            S::Try { body, handlers } => {
                self.check_exceptions(Span::of(span.first));
                let body = self.statement(*body);
                self.handlers(handlers);
                body
            }
            S::Asm(statement) => self.asm_statement(*statement, span),
            S::Error => self.add_statement(StatementKind::Error, span),
        }
    }
    /// Exceptions are the host's. A function for both sides may have them as long as it is the host that reaches it.
    pub(super) fn check_exceptions(&mut self, span: Span) {
        if self.in_device_code() && self.function.function.is_some() {
            self.error(span, "exceptions are not allowed in device code");
        }
    }
    /// Elaborates the handlers of a `try` block: host code, so that nothing is kept of them.
    pub(super) fn handlers(&mut self, handlers: &'a [ast::Handler]) {
        let ast = self.ast;
        for handler in handlers {
            self.in_block(|sema| {
                if let Some(parameter) = &handler.parameter {
                    for part in sema.declare_parameter_list(std::slice::from_ref(parameter)) {
                        let ty = sema.program.variable(part.variable).ty;
                        let ty = sema.program.types.strip_reference(ty);
                        sema.require_complete(ty.id, ast[*parameter].span, "handler of");
                    }
                }
                sema.compound_body(handler.body)
            });
        }
    }
    /// Elaborates the statements of a compound statement in the current scope, without a scope of their own: bodies of functions and lambdas.
    pub fn compound_body(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            ast::StatementKind::Compound(statements) => self.block(statements, span),
            _ => self.statement(id),
        }
    }
    fn block(&mut self, statements: &'a [ast::Id<ast::Statement>], span: Span) -> StatementId {
        let mut list = Vec::with_capacity(statements.len());
        for &statement in statements {
            list.push(self.statement(statement));
        }
        self.add_statement(StatementKind::Block(list), span)
    }
    /// Does something in a block scope; declarations in it go out of force at its end.
    pub(crate) fn in_statement_block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let count = self.function.initialised.len();
        let result = self.in_block(work);
        self.function.initialised.truncate(count);
        result
    }
    /// A statement that is a scope of its own even if it is no block ([stmt.select]/2).
    pub(crate) fn substatement(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        match &self.ast[id].kind {
            ast::StatementKind::Compound(_) => self.statement(id),
            _ => self.in_statement_block(|sema| {
                let statement = sema.statement(id);
                match sema.program.statement(statement).kind {
                    StatementKind::Declare(_) | StatementKind::Group(_) => {
                        let span = sema.program.statement(statement).span;
                        sema.add_statement(StatementKind::Block(vec![statement]), span)
                    }
                    _ => statement,
                }
            }),
        }
    }
    fn label_of(&mut self, name: Symbol) -> &mut LabelInfo {
        let shared = self.shared(name);
        let (program, order) = (&mut self.program, &mut self.function.label_order);
        self.function.labels.entry(name).or_insert_with(|| {
            order.push(name);
            let label = program.add_label(hir::Label {
                name: Some(shared),
                address_taken: false,
            });
            LabelInfo {
                label,
                defined: None,
                used: None,
                scope_path: Vec::new(),
                jumps: Vec::new(),
            }
        })
    }
    /// The label of a name, for `&&label`.
    pub fn label_address(&mut self, name: Symbol, span: Span) -> hir::LabelId {
        let info = self.label_of(name);
        info.used.get_or_insert(span);
        let label = info.label;
        self.program.label_mut(label).address_taken = true;
        label
    }
    fn label_statement(&mut self, name: Symbol, body: ast::Id<ast::Statement>, span: Span) -> StatementId {
        let path = self.function.initialised.clone();
        let place = Span::of(span.first);
        let info = self.label_of(name);
        let label = info.label;
        match info.defined {
            Some(before) => {
                let message = format!("the label `{}` is there already", self.text(name));
                self.emit(Report::error(place, message).note_at(before, "declared here"));
            }
            None => {
                info.defined = Some(place);
                info.scope_path = path;
            }
        }
        let body = self.statement(body);
        self.add_statement(StatementKind::Label(label, body), span)
    }
    fn goto_statement(&mut self, name: Symbol, span: Span) -> StatementId {
        let path = self.function.initialised.clone();
        let info = self.label_of(name);
        info.used.get_or_insert(span);
        info.jumps.push((span, path));
        let label = info.label;
        self.add_statement(StatementKind::Goto(label), span)
    }
    /// At the end of a function: labels that are not there, jumps into the scope of initialised variables ([stmt.dcl]/3).
    pub(crate) fn check_labels(&mut self) {
        for name in std::mem::take(&mut self.function.label_order) {
            let Some(info) = self.function.labels.get(&name).cloned() else {
                continue;
            };
            if info.defined.is_none() {
                if let Some(used) = info.used {
                    let message = format!("there is no label `{}` in this function", self.text(name));
                    self.error(used, message);
                }
                continue;
            }
            for (span, path) in &info.jumps {
                if let Some(&number) = info.scope_path.iter().find(|number| !path.contains(number)) {
                    self.report_bypass(*span, number, "this jump passes");
                    break;
                }
            }
        }
    }
    pub(crate) fn report_bypass(&mut self, span: Span, number: u32, what: &str) {
        let (declared, name) = self
            .function
            .initialised_spans
            .get(number as usize)
            .copied()
            .unwrap_or((Span::NONE, None));
        let variable = name.map_or(String::new(), |name| format!(" of `{}`", self.text(name)));
        let report = Report::error(span, format!("{what} the initialisation{variable}"));
        self.emit(report.note_at(declared, "initialised here"));
    }
}
