//! Operands, constant expressions, initialisers: anything between commas.
//!
//! One loop with a stack of its own reads them, since nesting is up to the text.

use super::{
    SyntaxKind,
    parse::{DEPTH_LIMIT, Parser},
};

/// What may come next in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A name, number or group, perhaps after signs.
    Operand,
    /// An operator, index or the end.
    Operator,
    /// After `(.s64)`: either.
    Either,
}

/// An open bracket and the expression in it.
struct Level {
    /// What closes it; `None` for the expression itself.
    close: Option<SyntaxKind>,
    /// Whether an [`SyntaxKind::Expression`] node is open in it.
    open: bool,
    next: Next,
    /// Whether a comma came before.
    comma: bool,
    /// `?` without their `:`.
    conditions: usize,
    /// Whether all there is so far is one dotted word.
    cast: bool,
}

impl Level {
    fn new(close: Option<SyntaxKind>) -> Level {
        Level {
            close,
            open: false,
            next: Next::Operand,
            comma: false,
            conditions: 0,
            cast: false,
        }
    }
}

impl Parser<'_> {
    /// Expressions with commas between, in a node. In a `section`, a dotted word may be an operand and does not continue one.
    pub(super) fn operands(&mut self, section: bool) {
        self.start(SyntaxKind::Operands);
        self.expression(section);
        while self.eat(SyntaxKind::Comma) {
            self.expression(section);
        }
        self.finish();
    }

    /// `[…]` or `(…)` outside expressions, as a node of this kind.
    pub(super) fn group(&mut self, kind: SyntaxKind) {
        let close = if self.is(SyntaxKind::LeftBracket) {
            SyntaxKind::RightBracket
        } else {
            SyntaxKind::RightParenthesis
        };
        self.start(kind);
        self.bump();
        self.levels(vec![Level::new(Some(close))], false);
        self.finish();
    }

    /// One expression, up to a comma, semicolon or whatever cannot continue it.
    pub(super) fn expression(&mut self, section: bool) {
        self.levels(vec![Level::new(None)], section);
    }

    /// Reads until the last level closes. All nodes it opens are closed after it, but for the node around the first level.
    fn levels(&mut self, mut levels: Vec<Level>, section: bool) {
        while let Some(level) = levels.last_mut() {
            let Some(step) = self.step(level, section) else {
                break;
            };
            match step {
                Step::Stay => (),
                Step::Open(close) => {
                    if levels.len() >= DEPTH_LIMIT {
                        self.expected("no more than 200 nested brackets");
                        // The group's node has begun, and no level stands for it.
                        self.finish();
                        break;
                    }
                    levels.push(Level::new(Some(close)));
                }
                Step::Close => {
                    let cast = level.cast;
                    levels.pop();
                    if let Some(outer) = levels.last_mut() {
                        self.finish();
                        outer.next = if cast { Next::Either } else { Next::Operator };
                    }
                }
            }
        }
        // After an error or the end of the text: close what is open. The outermost group's node belongs to the caller.
        for (index, level) in levels.iter().enumerate().rev() {
            if level.open {
                self.finish();
            }
            if index > 0 {
                self.finish();
            }
        }
    }

    /// Takes a token or ends a level. `None`: a problem, or the end of the outermost expression.
    fn step(&mut self, level: &mut Level, section: bool) -> Option<Step> {
        use SyntaxKind::*;
        let wants_operand = level.next != Next::Operator;
        let wants_operator = level.next != Next::Operand;
        let kind = self.current();
        match kind {
            Some(RightParenthesis | RightBracket | RightBrace) if kind == level.close => return self.close(level),
            Some(Comma) if level.close.is_some() && wants_operator => {
                self.end_expression(level);
                self.bump();
                (level.next, level.comma, level.cast) = (Next::Operand, true, false);
            }
            Some(LeftParenthesis | LeftBracket) if wants_operator && !section => return Some(self.open(level, kind)),
            Some(LeftParenthesis | LeftBracket | LeftBrace) if wants_operand => return Some(self.open(level, kind)),
            Some(Word | Number | String) if wants_operand => self.take(level, Next::Operator),
            Some(DotWord) if level.next == Next::Operand && (section || level.close == Some(RightParenthesis)) => {
                let first = !level.open && !level.comma;
                self.take(level, Next::Operator);
                level.cast = first;
            }
            Some(DotWord) if wants_operator && !section => self.take(level, Next::Operator),
            Some(Prefix | Sign) if wants_operand => self.take(level, Next::Operand),
            Some(Sign | Less | Greater | Infix | Equals) if wants_operator => self.take(level, Next::Operand),
            Some(Question) if wants_operator => {
                level.conditions += 1;
                self.take(level, Next::Operand);
            }
            Some(Colon) if wants_operator && level.conditions > 0 => {
                level.conditions -= 1;
                self.take(level, Next::Operand);
            }
            _ => {
                self.stop(level);
                return None;
            }
        }
        Some(Step::Stay)
    }

    /// Moves a token into the expression of this level.
    fn take(&mut self, level: &mut Level, next: Next) {
        self.begin_expression(level);
        self.bump();
        (level.next, level.cast) = (next, false);
    }

    fn begin_expression(&mut self, level: &mut Level) {
        if !level.open {
            self.start(SyntaxKind::Expression);
            level.open = true;
        }
    }

    fn end_expression(&mut self, level: &mut Level) {
        if level.open {
            self.finish();
            level.open = false;
        }
    }

    fn open(&mut self, level: &mut Level, kind: Option<SyntaxKind>) -> Step {
        self.begin_expression(level);
        level.cast = false;
        let (node, close) = match kind {
            Some(SyntaxKind::LeftBracket) => (SyntaxKind::Address, SyntaxKind::RightBracket),
            Some(SyntaxKind::LeftBrace) => (SyntaxKind::Vector, SyntaxKind::RightBrace),
            _ => (SyntaxKind::List, SyntaxKind::RightParenthesis),
        };
        self.start(node);
        self.bump();
        Step::Open(close)
    }

    fn close(&mut self, level: &mut Level) -> Option<Step> {
        if level.next == Next::Operand && (level.open || level.comma) {
            self.expected("an operand");
            return None;
        }
        self.end_expression(level);
        self.bump();
        Some(Step::Close)
    }

    /// The next token does not continue this level: fine between operands of the outermost one, else a problem.
    fn stop(&mut self, level: &Level) {
        match level.close {
            _ if level.next == Next::Operand => self.expected("an operand"),
            Some(SyntaxKind::RightParenthesis) => self.expected("`,` or `)`"),
            Some(SyntaxKind::RightBracket) => self.expected("`,` or `]`"),
            Some(_) => self.expected("`,` or `}`"),
            None => (),
        }
    }
}

/// What a token did to the levels.
enum Step {
    /// Nothing.
    Stay,
    /// A group began, which this closes.
    Open(SyntaxKind),
    /// The innermost group ended.
    Close,
}
