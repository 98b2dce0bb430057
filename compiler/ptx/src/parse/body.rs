//! Bodies of functions: statements, scopes, labels, instructions.

use smallvec::SmallVec;

use super::{Parse, Parser, Stop, declaration::FAMILY_LIMIT};
use crate::{
    Context, Problem, Span,
    instruction::{MnemonicId, VariantId},
    lexer::Token,
    module::{FunctionId, Guard, Instruction, LabelId, LabelKind, Linkage, Operand, Register, Statement},
    scope::Meaning,
    table::Type,
};

/// How deep scopes may nest.
const DEPTH_LIMIT: u32 = 1_000;

/// How many warnings are kept.
const WARNING_LIMIT: usize = 10_000;

/// What an instruction has until it is checked.
const UNCHECKED: VariantId = VariantId(u32::MAX);

/// An instruction with a name that is a label, or nothing: it is checked when the labels are known.
#[derive(Debug)]
pub(super) struct Deferred {
    statement: u32,
    mnemonic: MnemonicId,
    mnemonic_span: Span,
    operand_spans: Vec<Span>,
    labels: SmallVec<[LabelId; 2]>,
}

/// Directives that begin a statement, so that they are no part of a mnemonic before them.
fn begins_statement(directive: &str) -> bool {
    matches!(
        directive,
        ".loc"
            | ".reg"
            | ".pragma"
            | ".file"
            | ".section"
            | ".align"
            | ".branchtargets"
            | ".calltargets"
            | ".callprototype"
            | ".visible"
            | ".extern"
            | ".weak"
            | ".entry"
            | ".func"
            | ".version"
    )
}

impl<'t> Parser<'t> {
    /// Everything from `{` to its `}`.
    pub(super) fn body(&mut self) -> Parse<()> {
        self.tokens.advance();
        let base = self.scopes.depth();
        let mut deferred = Vec::new();
        loop {
            let start = self.tokens.span;
            let result = match self.tokens.kind {
                Token::Dotted => self.instruction(None, start, &mut deferred),
                Token::Identifier => self.label_or_instruction(&mut deferred),
                Token::At => self.guarded(&mut deferred),
                Token::Directive => self.body_directive(),
                Token::BraceOpen => self.open_scope(base),
                Token::BraceClose => {
                    if self.scopes.depth() == base {
                        self.body.end = start;
                        self.tokens.advance();
                        break;
                    }
                    self.close_scope();
                    Ok(())
                }
                Token::End => {
                    let stop = self.unexpected("an instruction or '}'");
                    self.finish_body(deferred);
                    return Err(stop);
                }
                _ => Err(self.unexpected("an instruction")),
            };
            if result.is_err() {
                self.skip_statement(start);
            }
        }
        self.finish_body(deferred);
        Ok(())
    }

    /// Settles labels, and checks what waited for them.
    fn finish_body(&mut self, deferred: Vec<Deferred>) {
        for instruction in deferred {
            if instruction.labels.iter().all(|&label| self.is_defined(label)) {
                self.check_deferred(&instruction);
            }
        }
        self.report_open_labels();
    }

    /// Goes on after a syntax error: after the next `;`, or at the `}` that ends the scope. Braces of a vector in between do not count.
    fn skip_statement(&mut self, start: Span) {
        let mut depth = self.open_braces(start);
        loop {
            match self.tokens.kind {
                Token::End => return,
                Token::Semicolon => return self.tokens.advance(),
                Token::BraceClose if depth == 0 => return,
                Token::BraceClose => depth -= 1,
                Token::BraceOpen => depth += 1,
                _ => {}
            }
            self.tokens.advance();
        }
    }

    fn open_scope(&mut self, base: u32) -> Parse<()> {
        if self.scopes.depth() - base >= DEPTH_LIMIT {
            let problem = Problem::fatal(
                self.tokens.span,
                format!("scopes nest deeper than {DEPTH_LIMIT} levels"),
            );
            self.report(problem.vendor("Parsing error near '{': memory exhausted"));
            self.skip_block();
            return Ok(());
        }
        self.tokens.advance();
        self.scopes.open();
        self.body.statements.push(Statement::ScopeStart);
        Ok(())
    }

    /// Steps over `{…}` with everything in it.
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.tokens.kind {
                Token::End => return,
                Token::BraceOpen => depth += 1,
                Token::BraceClose => depth -= 1,
                _ => {}
            }
            self.tokens.advance();
            if depth == 0 {
                return;
            }
        }
    }

    fn close_scope(&mut self) {
        self.tokens.advance();
        self.labels.close(self.scopes.depth());
        self.scopes.close();
        self.body.statements.push(Statement::ScopeEnd);
    }

    fn body_directive(&mut self) -> Parse<()> {
        match self.tokens.slice() {
            ".loc" => self.location(),
            ".pragma" => {
                let start = self.tokens.span;
                let names = self.pragma()?;
                let span = self.since(start);
                self.body
                    .statements
                    .push(Statement::Pragma(names.into_boxed_slice(), span));
                Ok(())
            }
            _ => self.variables(Linkage::Internal),
        }
    }

    /// `NAME:`, or an instruction whose mnemonic has no dot.
    fn label_or_instruction(&mut self, deferred: &mut Vec<Deferred>) -> Parse<()> {
        let (text, span) = (self.tokens.slice(), self.tokens.span);
        self.tokens.advance();
        if !self.eat(Token::Colon) {
            return self.instruction_after(text, None, span, span, deferred);
        }
        let table = self.at(Token::Directive)
            && matches!(
                self.tokens.slice(),
                ".branchtargets" | ".calltargets" | ".callprototype"
            );
        if table {
            return self.table(text, span);
        }
        let place = LabelKind::Place(self.body.statements.len() as u32);
        if let Some(label) = self.define_label(text, place, span) {
            self.body.statements.push(Statement::Label(label));
        }
        Ok(())
    }

    /// `NAME: .branchtargets …;` and its like; the colon is read already.
    fn table(&mut self, text: &str, span: Span) -> Parse<()> {
        let label = self.define_label(text, LabelKind::BranchTargets(Vec::new()), span);
        let kind = match self.tokens.slice() {
            ".branchtargets" => LabelKind::BranchTargets(self.branch_targets()?),
            ".calltargets" => LabelKind::CallTargets(self.call_targets()?),
            _ => LabelKind::Prototype(Box::new(self.prototype()?)),
        };
        if let Some(label) = label {
            self.body.labels[label.0 as usize].kind = kind;
            self.body.statements.push(Statement::Label(label));
        }
        Ok(())
    }

    fn branch_targets(&mut self) -> Parse<Vec<LabelId>> {
        let mut targets = Vec::new();
        loop {
            self.tokens.advance();
            let (text, span) = self.identifier("a label")?;
            match self.family()? {
                None => targets.extend(self.branch_target(text, span)),
                Some(count) => {
                    for number in 0..count.min(FAMILY_LIMIT) {
                        targets.extend(self.branch_target(&format!("{text}{number}"), span));
                    }
                }
            }
            if !self.at(Token::Comma) {
                self.expect(Token::Semicolon, "',' or ';'")?;
                return Ok(targets);
            }
        }
    }

    fn branch_target(&mut self, text: &str, span: Span) -> Option<LabelId> {
        match self.scopes.look_up(&self.module.names, text) {
            Some(Meaning::Label(label)) => Some(label),
            None => Some(self.use_label(text, span)),
            Some(_) => {
                let problem = Problem::error(span, format!("'{text}' is no label"));
                self.report(problem.vendor("Illegal branch target, label expected"));
                None
            }
        }
    }

    fn call_targets(&mut self) -> Parse<Vec<FunctionId>> {
        let mut targets = Vec::new();
        loop {
            self.tokens.advance();
            let (text, span) = self.identifier("a function")?;
            match self.scopes.look_up(&self.module.names, text) {
                Some(Meaning::Function(function)) => targets.push(function),
                None => self.unknown(text, span),
                Some(_) => {
                    let problem = Problem::error(span, format!("'{text}' is no function"));
                    self.report(problem.vendor("Illegal call target, device function expected"));
                }
            }
            if !self.at(Token::Comma) {
                self.expect(Token::Semicolon, "',' or ';'")?;
                return Ok(targets);
            }
        }
    }

    /// `@p` or `@!p` and its instruction.
    fn guarded(&mut self, deferred: &mut Vec<Deferred>) -> Parse<()> {
        let start = self.tokens.span;
        self.tokens.advance();
        let negated = self.eat(Token::Exclamation);
        let (text, span) = self.identifier("a predicate")?;
        let guard = match self.scopes.look_up(&self.module.names, text) {
            Some(Meaning::Register(number)) => Some(Guard {
                register: Register(number),
                negated,
            }),
            None => {
                self.unknown(text, span);
                None
            }
            Some(_) => {
                self.not_a_predicate(text, span);
                None
            }
        };
        if let Some(guard) = guard {
            let (element, vector) = self.context().register_type(guard.register);
            if element != Type::Pred || vector != 1 {
                self.not_a_predicate(text, span);
            }
        }
        if !matches!(self.tokens.kind, Token::Dotted | Token::Identifier) {
            return Err(self.unexpected("an instruction"));
        }
        self.instruction(guard, start, deferred)
    }

    fn not_a_predicate(&mut self, text: &str, span: Span) {
        let problem = Problem::error(
            span,
            format!("'{text}' is no predicate register, so it cannot guard an instruction"),
        );
        self.report(problem.vendor("Predicate expression expected"));
    }

    /// An instruction from its mnemonic on.
    #[inline]
    fn instruction(&mut self, guard: Option<Guard>, start: Span, deferred: &mut Vec<Deferred>) -> Parse<()> {
        let (text, span) = (self.tokens.slice(), self.tokens.span);
        self.tokens.advance();
        self.instruction_after(text, guard, start, span, deferred)
    }

    /// An instruction after the first token of its mnemonic.
    fn instruction_after(
        &mut self,
        text: &'t str,
        guard: Option<Guard>,
        start: Span,
        span: Span,
        deferred: &mut Vec<Deferred>,
    ) -> Parse<()> {
        let (mnemonic, span, call) = if self.at(Token::Directive) {
            self.spaced_mnemonic(text, span)
        } else {
            (self.set.mnemonic(text.as_bytes()), span, is_call(text))
        };
        self.operands(call)?;
        if !self.at(Token::Semicolon) {
            return Err(self.unexpected("',' or ';'"));
        }
        self.tokens.advance();
        self.finish_instruction(
            mnemonic,
            guard,
            Span::new(start.start, self.tokens.previous_end),
            span,
            deferred,
        );
        Ok(())
    }

    /// A mnemonic written with blanks before its dots.
    fn spaced_mnemonic(&mut self, first: &str, span: Span) -> (MnemonicId, Span, bool) {
        let mut text = first.to_owned();
        let mut whole = span;
        while self.at(Token::Directive) && !begins_statement(self.tokens.slice()) {
            text.push_str(self.tokens.slice());
            whole = whole.to(self.tokens.span);
            self.tokens.advance();
        }
        (self.set.mnemonic(text.as_bytes()), whole, is_call(&text))
    }

    fn finish_instruction(
        &mut self,
        mnemonic: MnemonicId,
        guard: Option<Guard>,
        span: Span,
        mnemonic_span: Span,
        deferred: &mut Vec<Deferred>,
    ) {
        let (first_operand, operand_count) = self.place_operands();
        if self.scratch.poisoned {
            return;
        }
        let mut variant = UNCHECKED;
        let waits = self.scratch.has_open_label && !self.set.takes_labels(mnemonic);
        if self.checking && !waits {
            let context = Context {
                registers: &self.body.registers,
                variables: &self.module.variables,
                functions: &self.module.functions,
                labels: &self.body.labels,
                kernel: self.kernel,
                address_size: self.module.address_size,
            };
            let operands = &self.body.operands[first_operand as usize..][..usize::from(operand_count)];
            let (all, spans) = (&self.body.operands, &self.scratch.spans);
            match self.set.check(
                mnemonic,
                operands,
                all,
                &context,
                mnemonic_span,
                spans,
                &mut self.warnings,
            ) {
                Ok(found) => variant = found,
                Err(problem) => {
                    self.report(problem);
                    return;
                }
            }
        }
        self.warnings.truncate(WARNING_LIMIT);
        if waits {
            self.defer(mnemonic, mnemonic_span, deferred);
        }
        let instruction = Instruction {
            variant,
            guard,
            first_operand,
            operand_count,
            span,
        };
        self.body.statements.push(Statement::Instruction(instruction));
    }

    #[cold]
    fn defer(&mut self, mnemonic: MnemonicId, mnemonic_span: Span, deferred: &mut Vec<Deferred>) {
        let labels = self.scratch.top.iter().filter_map(|operand| match operand {
            Operand::Label(label) => Some(*label),
            _ => None,
        });
        deferred.push(Deferred {
            statement: self.body.statements.len() as u32,
            mnemonic,
            mnemonic_span,
            operand_spans: self.scratch.spans.clone(),
            labels: labels.collect(),
        });
    }

    fn check_deferred(&mut self, deferred: &Deferred) {
        let Statement::Instruction(instruction) = &self.body.statements[deferred.statement as usize] else {
            return;
        };
        if !self.checking {
            return;
        }
        let operands = instruction.first_operand as usize..;
        let operands = &self.body.operands[operands][..usize::from(instruction.operand_count)];
        let context = Context {
            registers: &self.body.registers,
            variables: &self.module.variables,
            functions: &self.module.functions,
            labels: &self.body.labels,
            kernel: self.kernel,
            address_size: self.module.address_size,
        };
        let (all, spans) = (&self.body.operands, &deferred.operand_spans);
        match self.set.check(
            deferred.mnemonic,
            operands,
            all,
            &context,
            deferred.mnemonic_span,
            spans,
            &mut self.warnings,
        ) {
            Ok(found) => {
                if let Statement::Instruction(instruction) = &mut self.body.statements[deferred.statement as usize] {
                    instruction.variant = found;
                }
            }
            Err(problem) => self.report(problem),
        }
    }

    /// What operands refer to.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            registers: &self.body.registers,
            variables: &self.module.variables,
            functions: &self.module.functions,
            labels: &self.body.labels,
            kernel: self.kernel,
            address_size: self.module.address_size,
        }
    }

    /// Reports a problem in an operand; the instruction is not checked further.
    pub(super) fn poison(&mut self, problem: Problem) {
        self.scratch.poisoned = true;
        self.report(problem);
    }

    /// A syntax error with its own words.
    pub(super) fn refuse(&mut self, problem: Problem) -> Stop {
        self.report(problem);
        Stop
    }
}

/// Whether parentheses are lists of arguments here.
fn is_call(mnemonic: &str) -> bool {
    mnemonic == "call" || mnemonic.starts_with("call.")
}
