//! Statements (\[stmt.stmt\]).

use crate::source::{Keyword, PragmaKind, Punctuator, Token, TokenKind};
use crate::syntax::ast::{
    Attribute, Condition, Declaration, DeclarationKind, Handler, Id, InitDeclarator, List, Statement, StatementKind,
    Unroll,
};

use super::ambiguity::begins_only_declaration;
use super::declarator::Form;
use super::scope::ScopeKind;
use super::specifier::{Where, is_type_word};
use super::template::TemplateHead;
use super::{Parsed, Parser};

/// One `case`, `default` or label in front of a statement.
enum Label {
    Case(
        Id<crate::syntax::ast::Expression>,
        Option<Id<crate::syntax::ast::Expression>>,
    ),
    Default,
    Name(crate::source::Symbol),
}

impl Parser<'_> {
    pub(super) fn add_statement(&mut self, kind: StatementKind, start: usize) -> Id<Statement> {
        let span = self.span_from(start);
        self.ast.add(Statement {
            kind,
            attributes: Box::default(),
            span,
        })
    }

    /// `{ … }`, in a scope of its own.
    pub(super) fn compound_statement(&mut self) -> Parsed<Id<Statement>> {
        self.nested(|parser| {
            let start = parser.position;
            parser.expect(Punctuator::LeftBrace, "to open a block")?;
            let depth = parser.scopes.depth();
            parser.scopes.enter(ScopeKind::Block);
            let statements = parser.outside_angles(|parser| Ok(parser.statements()));
            parser.scopes.truncate(depth);
            let statements = statements?.into_boxed_slice();
            if !parser.eat(Punctuator::RightBrace) {
                return Err(parser.expected("`}` to close the block"));
            }
            Ok(parser.add_statement(StatementKind::Compound(statements), start))
        })
    }

    /// The statements of a block. Labels in front of a statement that stands here get an empty statement each, which means the same and nests less.
    fn statements(&mut self) -> Vec<Id<Statement>> {
        let mut list = Vec::new();
        let depth = self.scopes.depth();
        while !self.is(Punctuator::RightBrace) && !self.is_end() {
            let start = self.position;
            let result = match self.label() {
                Ok(Some(label)) => Ok(self.labelled_null(label, start)),
                Ok(None) => self.statement(),
                Err(failed) => Err(failed),
            };
            let statement = match result {
                Ok(statement) => statement,
                Err(_) => self.recovered_statement(start),
            };
            self.scopes.truncate(depth);
            list.push(statement);
        }
        list
    }

    fn labelled_null(&mut self, label: Label, start: usize) -> Id<Statement> {
        let body = self.add_statement(StatementKind::Null, self.position.saturating_sub(1));
        self.add_label(label, body, start)
    }

    fn add_label(&mut self, label: Label, body: Id<Statement>, start: usize) -> Id<Statement> {
        let kind = match label {
            Label::Case(low, high) => StatementKind::Case { low, high, body },
            Label::Default => StatementKind::Default { body },
            Label::Name(name) => StatementKind::Label { name, body },
        };
        self.add_statement(kind, start)
    }

    /// Goes to the end of a statement with an error, and makes a node of it.
    fn recovered_statement(&mut self, start: usize) -> Id<Statement> {
        self.leave_brackets(start);
        while !self.is_end() {
            let started = self.position > start && self.token().line_start;
            match self.kind() {
                TokenKind::Punctuator(Punctuator::Semicolon) => {
                    self.advance();
                    break;
                }
                TokenKind::Punctuator(Punctuator::RightBrace) => break,
                TokenKind::Punctuator(Punctuator::LeftBrace) => {
                    self.position = self.closer();
                    self.advance();
                    break;
                }
                TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBracket) => {
                    self.position = self.closer();
                    self.advance();
                }
                TokenKind::Keyword(keyword) if started && begins_statement(keyword) => break,
                _ => self.advance(),
            }
        }
        if self.position == start && !self.is(Punctuator::RightBrace) {
            self.advance();
        }
        self.add_statement(StatementKind::Error, start)
    }

    /// `case x:`, `case x ... y:`, `default:`, `name:`, if one stands here.
    fn label(&mut self) -> Parsed<Option<Label>> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Case) => {
                self.advance();
                let low = self.constant_expression()?;
                let high = if self.eat(Punctuator::Ellipsis) {
                    Some(self.constant_expression()?)
                } else {
                    None
                };
                self.expect(Punctuator::Colon, "after `case`")?;
                Ok(Some(Label::Case(low, high)))
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.advance();
                self.expect(Punctuator::Colon, "after `default`")?;
                Ok(Some(Label::Default))
            }
            TokenKind::Identifier(name) if self.ahead(1).is(Punctuator::Colon) => {
                self.advance();
                self.advance();
                // `label: __attribute__((unused));`
                if self.is_keyword(Keyword::Attribute) {
                    self.attribute_list()?;
                }
                Ok(Some(Label::Name(name)))
            }
            _ => Ok(None),
        }
    }

    /// A statement, with the labels and attributes in front of it.
    pub(super) fn statement(&mut self) -> Parsed<Id<Statement>> {
        self.nested(|parser| {
            let start = parser.position;
            let mut labels = Vec::new();
            loop {
                let label_start = parser.position;
                match parser.label()? {
                    Some(label) => labels.push((label, label_start)),
                    None => break,
                }
            }
            // A label right before `}` is one of an empty statement (C++23).
            let mut statement = if !labels.is_empty() && parser.is(Punctuator::RightBrace) {
                parser.add_statement(StatementKind::Null, start)
            } else {
                parser.unlabelled_statement()?
            };
            for (label, label_start) in labels.into_iter().rev() {
                statement = parser.add_label(label, statement, label_start);
            }
            Ok(statement)
        })
    }

    fn unlabelled_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        let unroll = self.loop_pragmas()?;
        let attributes = self.statement_attributes()?;
        if !attributes.is_empty()
            && let Ok(Some(label)) = self.label()
        {
            let body = self.statement()?;
            let statement = self.add_label(label, body, start);
            self.ast[statement].attributes = attributes;
            return Ok(statement);
        }
        let statement = match self.kind() {
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword, unroll)?,
            TokenKind::Punctuator(Punctuator::LeftBrace) => self.compound_statement()?,
            TokenKind::Punctuator(Punctuator::Semicolon) => {
                self.advance();
                self.add_statement(StatementKind::Null, start)
            }
            _ => self.expression_or_declaration()?,
        };
        if !attributes.is_empty() {
            self.ast[statement].attributes = attributes;
        }
        Ok(statement)
    }

    /// `[[likely]]` and the like: not those of a declaration, which reads its own.
    fn statement_attributes(&mut self) -> Parsed<List<Attribute>> {
        if !self.is(Punctuator::LeftBracket) || !self.at_attribute() {
            return Ok(Box::default());
        }
        let start = self.position;
        let attributes = self.attribute_list()?;
        if !self.is(Punctuator::Semicolon) && self.is_declaration() {
            self.position = start;
            return Ok(Box::default());
        }
        Ok(attributes)
    }

    /// `#pragma unroll` in front of a loop.
    fn loop_pragmas(&mut self) -> Parsed<Option<Unroll>> {
        let mut unroll = None;
        while let TokenKind::Pragma(id) = self.kind() {
            let source = self.source;
            let pragma = source.pragma(id);
            match pragma.kind {
                PragmaKind::Unroll if pragma.tokens.first().is_none_or(|token| token.kind == TokenKind::End) => {
                    unroll = Some(Unroll::Full);
                }
                PragmaKind::Unroll => unroll = Some(self.unroll_count(&pragma.tokens)?),
                PragmaKind::NoUnroll => unroll = Some(Unroll::Disable),
                PragmaKind::Pack => {
                    self.pack_pragma(&pragma.tokens);
                }
            }
            self.advance();
        }
        Ok(unroll)
    }

    fn unroll_count(&mut self, tokens: &[Token]) -> Parsed<Unroll> {
        let mut tokens = tokens.to_vec();
        if tokens.last().is_none_or(|token| token.kind != TokenKind::End) {
            tokens.push(Token {
                kind: TokenKind::End,
                ..self.token()
            });
        }
        let count = self.with_tokens(tokens, |parser| parser.constant_expression())?;
        Ok(Unroll::Count(count))
    }

    fn keyword_statement(&mut self, keyword: Keyword, unroll: Option<Unroll>) -> Parsed<Id<Statement>> {
        let start = self.position;
        match keyword {
            Keyword::If => self.if_statement(),
            Keyword::Switch => self.switch_statement(),
            Keyword::While => self.while_statement(unroll),
            Keyword::Do => self.do_statement(unroll),
            Keyword::For => self.for_statement(unroll),
            Keyword::Break => self.jump(StatementKind::Break, start),
            Keyword::Continue => self.jump(StatementKind::Continue, start),
            Keyword::Goto => self.goto_statement(),
            Keyword::Return => self.return_statement(),
            Keyword::Try => self.try_statement(),
            Keyword::Asm => {
                let asm = self.asm_statement()?;
                Ok(self.add_statement(StatementKind::Asm(asm), start))
            }
            Keyword::CoReturn | Keyword::CoAwait | Keyword::CoYield => {
                Err(self.error(self.here(), "coroutines are not supported"))
            }
            Keyword::Label => {
                // GNU's local labels: the labels themselves say all that is needed.
                while !self.is(Punctuator::Semicolon) && !self.is_end() {
                    self.advance();
                }
                self.advance();
                Ok(self.add_statement(StatementKind::Null, start))
            }
            Keyword::Else => Err(self.error(self.here(), "`else` without an `if` before it")),
            Keyword::Catch => Err(self.error(self.here(), "`catch` without a `try` before it")),
            _ => self.expression_or_declaration(),
        }
    }

    fn jump(&mut self, kind: StatementKind, start: usize) -> Parsed<Id<Statement>> {
        self.advance();
        self.expect_semicolon("after this statement")?;
        Ok(self.add_statement(kind, start))
    }

    fn goto_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        let kind = if self.eat(Punctuator::Star) {
            StatementKind::IndirectGoto(self.expression()?)
        } else {
            let (name, _) = self.expect_identifier("a label after `goto`")?;
            StatementKind::Goto { name }
        };
        self.expect_semicolon("after `goto`")?;
        Ok(self.add_statement(kind, start))
    }

    fn return_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        let ends = self.is(Punctuator::Semicolon) || self.is(Punctuator::RightBrace);
        let value = if ends {
            None
        } else if self.is(Punctuator::LeftBrace) {
            Some(self.initializer_list()?)
        } else {
            Some(self.expression()?)
        };
        self.expect_semicolon("after the `return` statement")?;
        Ok(self.add_statement(StatementKind::Return(value), start))
    }

    fn try_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        let body = self.compound_statement()?;
        let handlers = self.handlers()?;
        Ok(self.add_statement(StatementKind::Try { body, handlers }, start))
    }

    /// `catch (…) { … }`, one or more.
    pub(super) fn handlers(&mut self) -> Parsed<List<Handler>> {
        let mut handlers = Vec::new();
        while self.is_keyword(Keyword::Catch) {
            let start = self.position;
            self.advance();
            let depth = self.scopes.depth();
            self.scopes.enter(ScopeKind::Parameters);
            let parameter = self.parenthesized("after `catch`", |parser| {
                if parser.eat(Punctuator::Ellipsis) {
                    Ok(None)
                } else {
                    parser.parameter(Where::Parameter).map(Some)
                }
            });
            let body = parameter.and_then(|parameter| Ok((parameter, self.compound_statement()?)));
            self.scopes.truncate(depth);
            let (parameter, body) = body?;
            let span = self.span_from(start);
            handlers.push(Handler { parameter, body, span });
        }
        if handlers.is_empty() {
            return Err(self.expected("`catch` after a `try` block"));
        }
        Ok(handlers.into_boxed_slice())
    }

    // Selection and iteration: the condition's names live until the end of the statement.

    fn in_block<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let depth = self.scopes.depth();
        self.scopes.enter(ScopeKind::Block);
        let result = read(self);
        self.scopes.truncate(depth);
        result
    }

    /// `if`, with the chain of `else if` read in a loop: it may be long.
    fn if_statement(&mut self) -> Parsed<Id<Statement>> {
        let depth = self.scopes.depth();
        let result = self.if_chain();
        self.scopes.truncate(depth);
        result
    }

    fn if_chain(&mut self) -> Parsed<Id<Statement>> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.position;
            self.advance();
            let depth = self.scopes.depth();
            let scope = self.scopes.enter(ScopeKind::Block);
            let head = self.if_head()?;
            // In a long chain look-up would go through the scopes of all the conditions above, which rarely declare anything.
            if self.scopes.is_bare(scope) {
                self.scopes.truncate(depth);
            }
            let then = self.substatement()?;
            links.push((start, head, then));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.is_keyword(Keyword::If) {
                otherwise = Some(self.substatement()?);
                break;
            }
        }
        for (start, head, then) in links.into_iter().rev() {
            let kind = match head {
                IfHead::Condition {
                    is_constexpr,
                    init,
                    condition,
                } => StatementKind::If {
                    is_constexpr,
                    init,
                    condition,
                    then,
                    otherwise,
                },
                IfHead::Consteval { negated } => StatementKind::IfConsteval {
                    negated,
                    then,
                    otherwise,
                },
            };
            otherwise = Some(self.add_statement(kind, start));
        }
        otherwise.ok_or(super::Failed)
    }

    fn if_head(&mut self) -> Parsed<IfHead> {
        let negated = self.is(Punctuator::Exclamation) && self.ahead(1).is_keyword(Keyword::Consteval);
        if negated {
            self.advance();
        }
        if self.eat_keyword(Keyword::Consteval) {
            return Ok(IfHead::Consteval { negated });
        }
        let is_constexpr = self.eat_keyword(Keyword::Constexpr);
        let (init, condition) = self.parenthesized("after `if`", |parser| parser.init_and_condition())?;
        Ok(IfHead::Condition {
            is_constexpr,
            init,
            condition,
        })
    }

    /// A statement in a scope of its own.
    fn substatement(&mut self) -> Parsed<Id<Statement>> {
        self.in_block(|parser| parser.statement())
    }

    fn switch_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        self.in_block(|parser| {
            let (init, condition) = parser.parenthesized("after `switch`", |parser| parser.init_and_condition())?;
            let body = parser.substatement()?;
            Ok(parser.add_statement(StatementKind::Switch { init, condition, body }, start))
        })
    }

    fn while_statement(&mut self, unroll: Option<Unroll>) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        self.in_block(|parser| {
            let condition = parser.parenthesized("after `while`", |parser| parser.condition())?;
            let body = parser.substatement()?;
            Ok(parser.add_statement(
                StatementKind::While {
                    condition,
                    body,
                    unroll,
                },
                start,
            ))
        })
    }

    fn do_statement(&mut self, unroll: Option<Unroll>) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        let body = self.substatement()?;
        if !self.eat_keyword(Keyword::While) {
            return Err(self.expected("`while` after the body of `do`"));
        }
        let condition = self.parenthesized("after `while`", |parser| parser.expression())?;
        self.expect_semicolon("after the `do` statement")?;
        Ok(self.add_statement(
            StatementKind::DoWhile {
                body,
                condition,
                unroll,
            },
            start,
        ))
    }

    /// An init-statement, if there is a `;` before the closing parenthesis, and a condition.
    fn init_and_condition(&mut self) -> Parsed<(Option<Id<Statement>>, Condition)> {
        let init = if self.semicolon_ahead() {
            Some(self.init_statement()?)
        } else {
            None
        };
        Ok((init, self.condition()?))
    }

    /// Whether a semicolon stands between here and the bracket that closes around, outside of inner brackets.
    fn semicolon_ahead(&self) -> bool {
        self.find_ahead(|token| token.is(Punctuator::Semicolon)).is_some()
    }

    /// The first token up to the bracket that closes around which fulfils the condition, outside of inner brackets.
    fn find_ahead(&self, mut matches: impl FnMut(Token) -> bool) -> Option<usize> {
        let mut index = self.position;
        loop {
            let token = self.token_at(index);
            match token.kind {
                TokenKind::End
                | TokenKind::Punctuator(
                    Punctuator::RightParenthesis | Punctuator::RightBrace | Punctuator::RightBracket,
                ) => {
                    return None;
                }
                _ if matches(token) => return Some(index),
                TokenKind::Punctuator(
                    Punctuator::LeftParenthesis | Punctuator::LeftBrace | Punctuator::LeftBracket,
                ) => {
                    index = self.brackets.partner(index)?;
                }
                _ => {}
            }
            index += 1;
        }
    }

    /// `expression;`, a declaration, or `;`.
    fn init_statement(&mut self) -> Parsed<Id<Statement>> {
        let start = self.position;
        if self.eat(Punctuator::Semicolon) {
            return Ok(self.add_statement(StatementKind::Null, start));
        }
        self.expression_or_declaration()
    }

    /// An expression, or the declaration of a variable (\[stmt.select\]).
    fn condition(&mut self) -> Parsed<Condition> {
        if !self.is_declaration() {
            return Ok(Condition::Expression(self.expression()?));
        }
        let start = self.position;
        let specifiers = self.specifiers(Where::Block, TemplateHead::None)?;
        if self.at_structured_binding(specifiers) {
            return Ok(Condition::Declaration(self.structured_binding(specifiers, start)?));
        }
        let own_start = self.position;
        let declarator = self.declarator(Form::Named { member: false })?.id;
        self.declare(specifiers, declarator, Where::Block, TemplateHead::None);
        let initializer = self.optional_initializer()?;
        if initializer.is_none() {
            return Err(self.expected("an initialiser of the variable in a condition"));
        }
        let span = self.span_from(own_start);
        let declarator = InitDeclarator {
            declarator,
            bit_width: None,
            initializer,
            is_pure: false,
            span,
        };
        let kind = DeclarationKind::Simple {
            specifiers,
            declarators: Box::new([declarator]),
        };
        Ok(Condition::Declaration(self.add_declaration(kind, start)))
    }

    fn for_statement(&mut self, unroll: Option<Unroll>) -> Parsed<Id<Statement>> {
        let start = self.position;
        self.advance();
        self.in_block(|parser| {
            let head = parser.parenthesized("after `for`", |parser| parser.for_head())?;
            let body = parser.substatement()?;
            let kind = match head {
                ForHead::Range {
                    init,
                    declaration,
                    range,
                } => StatementKind::RangeFor {
                    init,
                    declaration,
                    range,
                    body,
                    unroll,
                },
                ForHead::Plain {
                    init,
                    condition,
                    increment,
                } => StatementKind::For {
                    init,
                    condition,
                    increment,
                    body,
                    unroll,
                },
            };
            Ok(parser.add_statement(kind, start))
        })
    }

    fn for_head(&mut self) -> Parsed<ForHead> {
        if self.is_range_for() {
            let init = if self.semicolon_ahead() {
                Some(self.init_statement()?)
            } else {
                None
            };
            let declaration = self.range_declaration()?;
            self.expect(Punctuator::Colon, "in a range-based `for`")?;
            let range = if self.is(Punctuator::LeftBrace) {
                self.initializer_list()?
            } else {
                self.expression()?
            };
            return Ok(ForHead::Range {
                init,
                declaration,
                range,
            });
        }
        let init = Some(self.init_statement()?);
        let condition = if self.is(Punctuator::Semicolon) {
            None
        } else {
            Some(self.condition()?)
        };
        if !self.eat(Punctuator::Semicolon) {
            return Err(self.expected("`;` after the condition of `for`"));
        }
        let increment = if self.is(Punctuator::RightParenthesis) {
            None
        } else {
            Some(self.expression()?)
        };
        Ok(ForHead::Plain {
            init,
            condition,
            increment,
        })
    }

    /// Whether a `:` that belongs to no `?` stands in the head of a `for`, after at most one `;`.
    fn is_range_for(&self) -> bool {
        let mut questions = 0usize;
        let mut semicolons = 0usize;
        let colon = self.find_ahead(|token| match token.kind {
            TokenKind::Punctuator(Punctuator::Question) => {
                questions += 1;
                false
            }
            TokenKind::Punctuator(Punctuator::Semicolon) => {
                semicolons += 1;
                false
            }
            TokenKind::Punctuator(Punctuator::Colon) if questions > 0 => {
                questions -= 1;
                false
            }
            TokenKind::Punctuator(Punctuator::Colon) => true,
            _ => false,
        });
        colon.is_some() && semicolons <= 1
    }

    /// The declaration in the head of a range-based `for`.
    fn range_declaration(&mut self) -> Parsed<Id<Declaration>> {
        let start = self.position;
        let specifiers = self.specifiers(Where::Block, TemplateHead::None)?;
        if self.at_structured_binding(specifiers) {
            return self.structured_binding(specifiers, start);
        }
        let own_start = self.position;
        let declarator = self.declarator(Form::Named { member: false })?.id;
        self.declare(specifiers, declarator, Where::Block, TemplateHead::None);
        let span = self.span_from(own_start);
        let declarator = InitDeclarator {
            declarator,
            bit_width: None,
            initializer: None,
            is_pure: false,
            span,
        };
        let kind = DeclarationKind::Simple {
            specifiers,
            declarators: Box::new([declarator]),
        };
        Ok(self.add_declaration(kind, start))
    }
}

enum IfHead {
    Condition {
        is_constexpr: bool,
        init: Option<Id<Statement>>,
        condition: Condition,
    },
    Consteval {
        negated: bool,
    },
}

enum ForHead {
    Range {
        init: Option<Id<Statement>>,
        declaration: Id<Declaration>,
        range: Id<crate::syntax::ast::Expression>,
    },
    Plain {
        init: Option<Id<Statement>>,
        condition: Option<Condition>,
        increment: Option<Id<crate::syntax::ast::Expression>>,
    },
}

/// Keywords at the start of a line from which on reading goes on after an error.
fn begins_statement(keyword: Keyword) -> bool {
    is_type_word(keyword)
        || begins_only_declaration(keyword)
        || matches!(
            keyword,
            Keyword::If
                | Keyword::Else
                | Keyword::For
                | Keyword::While
                | Keyword::Do
                | Keyword::Switch
                | Keyword::Case
                | Keyword::Default
                | Keyword::Return
                | Keyword::Break
                | Keyword::Continue
                | Keyword::Goto
                | Keyword::Asm
        )
}
