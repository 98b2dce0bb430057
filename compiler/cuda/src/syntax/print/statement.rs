//! Statements.

use crate::syntax::ast::{AsmOperand, AsmStatement, Condition, Handler, Id, Statement, StatementKind, Unroll};

use super::Printer;

impl Printer<'_> {
    pub(super) fn statement(&mut self, id: Id<Statement>) {
        self.deeper(|printer| {
            let ast = printer.ast;
            for attribute in &ast[id].attributes {
                printer.attribute(attribute);
                printer.space();
            }
            printer.statement_kind(id);
        });
    }

    fn statement_kind(&mut self, id: Id<Statement>) {
        let ast = self.ast;
        match &ast[id].kind {
            StatementKind::Null => self.text("(null)"),
            StatementKind::Compound(list) => {
                self.text("(block");
                self.each(list, |printer, statement| printer.statement(*statement));
                self.text(")");
            }
            StatementKind::Expression(expression) => self.expression(*expression),
            StatementKind::Declaration(declaration) => self.declaration(*declaration),
            StatementKind::If {
                is_constexpr,
                init,
                condition,
                then,
                otherwise,
            } => {
                self.text(if *is_constexpr { "(if-constexpr " } else { "(if " });
                self.init(*init);
                self.condition(*condition);
                self.space();
                self.statement(*then);
                self.otherwise(*otherwise);
            }
            StatementKind::IfConsteval {
                negated,
                then,
                otherwise,
            } => {
                self.text(if *negated {
                    "(if-not-consteval "
                } else {
                    "(if-consteval "
                });
                self.statement(*then);
                self.otherwise(*otherwise);
            }
            StatementKind::Switch { init, condition, body } => {
                self.text("(switch ");
                self.init(*init);
                self.condition(*condition);
                self.space();
                self.statement(*body);
                self.text(")");
            }
            StatementKind::Case { low, high, body } => {
                self.text("(case ");
                self.expression(*low);
                if let Some(high) = high {
                    self.text(" ... ");
                    self.expression(*high);
                }
                self.labelled(*body);
            }
            StatementKind::Default { body } => {
                self.text("(default");
                self.labelled(*body);
            }
            StatementKind::Label { name, body } => {
                self.text("(label ");
                self.symbol(*name);
                self.labelled(*body);
            }
            StatementKind::While {
                condition,
                body,
                unroll,
            } => {
                self.text("(while ");
                self.unroll(*unroll);
                self.condition(*condition);
                self.space();
                self.statement(*body);
                self.text(")");
            }
            StatementKind::DoWhile {
                body,
                condition,
                unroll,
            } => {
                self.text("(do ");
                self.unroll(*unroll);
                self.statement(*body);
                self.space();
                self.expression(*condition);
                self.text(")");
            }
            StatementKind::For {
                init,
                condition,
                increment,
                body,
                unroll,
            } => {
                self.text("(for ");
                self.unroll(*unroll);
                match init {
                    Some(init) => self.statement(*init),
                    None => self.text("-"),
                }
                self.space();
                match condition {
                    Some(condition) => self.condition(*condition),
                    None => self.text("-"),
                }
                self.space();
                match increment {
                    Some(increment) => self.expression(*increment),
                    None => self.text("-"),
                }
                self.space();
                self.statement(*body);
                self.text(")");
            }
            StatementKind::RangeFor {
                init,
                declaration,
                range,
                body,
                unroll,
            } => {
                self.text("(for-range ");
                self.unroll(*unroll);
                self.init(*init);
                self.declaration(*declaration);
                self.space();
                self.expression(*range);
                self.space();
                self.statement(*body);
                self.text(")");
            }
            StatementKind::Goto { name } => {
                self.text("(goto ");
                self.symbol(*name);
                self.text(")");
            }
            StatementKind::IndirectGoto(target) => {
                self.text("(goto * ");
                self.expression(*target);
                self.text(")");
            }
            StatementKind::Break => self.text("(break)"),
            StatementKind::Continue => self.text("(continue)"),
            StatementKind::Return(None) => self.text("(return)"),
            StatementKind::Return(Some(value)) => {
                self.text("(return ");
                self.expression(*value);
                self.text(")");
            }
            StatementKind::Try { body, handlers } => {
                self.text("(try ");
                self.statement(*body);
                self.handlers(handlers);
                self.text(")");
            }
            StatementKind::Asm(asm) => self.asm(*asm),
            StatementKind::Error => self.text("<error>"),
        }
    }

    fn labelled(&mut self, body: Id<Statement>) {
        if !matches!(self.ast[body].kind, StatementKind::Null) {
            self.space();
            self.statement(body);
        }
        self.text(")");
    }

    fn init(&mut self, init: Option<Id<Statement>>) {
        if let Some(init) = init {
            self.statement(init);
            self.text("; ");
        }
    }

    fn otherwise(&mut self, otherwise: Option<Id<Statement>>) {
        if let Some(otherwise) = otherwise {
            self.space();
            self.statement(otherwise);
        }
        self.text(")");
    }

    fn condition(&mut self, condition: Condition) {
        match condition {
            Condition::Expression(expression) => self.expression(expression),
            Condition::Declaration(declaration) => self.declaration(declaration),
        }
    }

    fn unroll(&mut self, unroll: Option<Unroll>) {
        match unroll {
            None => {}
            Some(Unroll::Full) => self.word("unroll"),
            Some(Unroll::Disable) => self.word("nounroll"),
            Some(Unroll::Count(count)) => {
                self.text("unroll:");
                self.expression(count);
                self.space();
            }
        }
    }

    pub(super) fn handlers(&mut self, handlers: &[Handler]) {
        for handler in handlers {
            self.text(" (catch ");
            match handler.parameter {
                Some(parameter) => self.parameter(parameter),
                None => self.text("..."),
            }
            self.space();
            self.statement(handler.body);
            self.text(")");
        }
    }

    pub(super) fn asm(&mut self, id: Id<AsmStatement>) {
        let ast = self.ast;
        let AsmStatement {
            is_volatile,
            template,
            outputs,
            inputs,
            clobbers,
            ..
        } = &ast[id];
        self.text(if *is_volatile { "(asm-volatile " } else { "(asm " });
        self.text(&format!("{template:?}"));
        self.operands(" out", outputs);
        self.operands(" in", inputs);
        for clobber in clobbers {
            self.text(&format!(" clobber {clobber:?}"));
        }
        self.text(")");
    }

    fn operands(&mut self, word: &str, operands: &[AsmOperand]) {
        for operand in operands {
            self.word(word);
            if let Some(name) = operand.name {
                self.text("[");
                self.symbol(name);
                self.text("] ");
            }
            self.text(&format!("{:?} ", operand.constraint));
            self.expression(operand.expression);
        }
    }
}
