//! The parser: recursive descent, with precedence climbing for binary operators.
//!
//! C++ cannot be parsed without knowing what names are. [`scope`] keeps that much of look-up. Where the grammar itself is ambiguous, the rules are the
//! standard's: what may be a declaration is one (\[stmt.ambig\]), what may be a type-id is one (\[dcl.ambig.res\]), and `<` after the name of a template opens
//! its arguments (\[temp.names\]). Where the name's kind is not known, the parser looks which reading the tokens allow.
//!
//! A parsing function gives `Err(Failed)` after it has reported an error; statements and declarations recover from it. In an [`Parser::attempt`] errors are
//! counted but not reported, and the position is set back. Template argument lists, the only part that attempts read again at length, are remembered by position, so
//! that time stays linear.

mod ambiguity;
mod asm;
mod attribute;
mod brackets;
mod class;
mod concept;
mod declaration;
mod declarator;
mod expression;
mod function;
mod initializer;
mod lambda;
mod name;
mod parameter;
mod primary;
mod scope;
mod specifier;
mod statement;
mod suggestion;
mod template;
mod unary;
mod words;

use rustc_hash::FxHashMap;

use crate::deep::on_deep_stack;
use crate::source::{Context, Keyword, PragmaKind, Punctuator, Report, Span, Symbol, Token, TokenKind, Tokens};
use crate::syntax::ast::{Ast, List, QualifiedName, Specifiers, TemplateArgument, UnqualifiedName};

use brackets::Brackets;
use scope::{ScopeId, Scopes};
use words::Words;

/// How deep the input may nest.
const NESTING_LIMIT: u32 = 8192;

/// An error has been reported (or, in an attempt, counted).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a translation unit. Errors go to the context's diagnostics; the tree has what could be read.
pub fn parse(context: &mut Context, tokens: &Tokens) -> Ast {
    let parsed = on_deep_stack(|| {
        let mut parser = Parser::new(context, tokens);
        for token in &tokens.list {
            if let TokenKind::Identifier(name) = token.kind {
                parser.ast.mention(name);
            }
        }
        parser.translation_unit();
        parser.ast
    });
    parsed.unwrap_or_else(|message| {
        context.diagnostics.error(Span::NONE, message);
        Ast::default()
    })
}

/// The state of the parser.
struct Parser<'a> {
    context: &'a mut Context,
    source: &'a Tokens,
    /// The tokens: those of the source, but pragmas only where a statement or declaration may begin.
    tokens: Vec<Token>,
    brackets: Brackets,
    position: usize,
    ast: Ast,
    scopes: Scopes,
    words: Words,
    depth: u32,
    /// How many attempts are under way: errors are then only counted.
    attempts: u32,
    /// Errors counted in attempts.
    suppressed: u32,
    /// Whether a name that is not known is taken for a type without saying so: while looking ahead.
    tolerates_unknown: bool,
    /// Where the last error was reported: one token gives one error.
    last_error: Option<usize>,
    /// Whether a limit was hit: nothing is read or reported after it.
    stopped: bool,
    /// In a template argument list, outside of inner brackets: `>` ends it.
    in_angles: bool,
    /// Argument lists already read, by the position of their `<`: the arguments and the position behind `>`, or that they cannot be read.
    template_lists: FxHashMap<usize, Option<(List<TemplateArgument>, usize)>>,
    /// The scope that a name denotes, by the index of the name.
    name_scopes: Vec<Option<ScopeId>>,
    /// The scope of the class that specifiers name, by their index.
    specifier_scopes: Vec<Option<ScopeId>>,
    /// Names of member templates of any class: what may be followed by arguments after `.` and `->`.
    member_templates: rustc_hash::FxHashSet<Symbol>,
    /// Names of data members of any class, which a member template of another class may share: `first` of `std::pair`.
    data_members: rustc_hash::FxHashSet<Symbol>,
    /// The classes that are open, innermost last.
    classes: Vec<class::OpenClass>,
    /// Bodies of member functions to be read when the outermost class is complete.
    delayed: Vec<class::Delayed>,
    /// The alignment in force by `#pragma pack`, and those pushed.
    packing: Packing,
    /// How many launches and names of kernels have been read.
    launches: u32,
    /// The names of the kernels that have been declared.
    kernels: rustc_hash::FxHashSet<Symbol>,
    /// Tokens of names that a header would declare, which errors have told of.
    missing_names: rustc_hash::FxHashSet<usize>,
}

/// `#pragma pack`.
#[derive(Debug, Default)]
struct Packing {
    current: Option<u32>,
    pushed: Vec<Option<u32>>,
}

impl<'a> Parser<'a> {
    fn new(context: &'a mut Context, source: &'a Tokens) -> Parser<'a> {
        let tokens = prepared(source);
        let brackets = Brackets::pair(&tokens, context);
        let words = Words::new(&mut context.interner);
        let mut scopes = Scopes::new();
        words.declare_builtins(&mut scopes);
        Parser {
            context,
            source,
            tokens,
            brackets,
            position: 0,
            ast: Ast::new(),
            scopes,
            words,
            depth: 0,
            attempts: 0,
            suppressed: 0,
            tolerates_unknown: false,
            last_error: None,
            stopped: false,
            in_angles: false,
            template_lists: FxHashMap::default(),
            name_scopes: Vec::new(),
            specifier_scopes: Vec::new(),
            member_templates: rustc_hash::FxHashSet::default(),
            data_members: rustc_hash::FxHashSet::default(),
            classes: Vec::new(),
            delayed: Vec::new(),
            packing: Packing::default(),
            launches: 0,
            kernels: rustc_hash::FxHashSet::default(),
            missing_names: rustc_hash::FxHashSet::default(),
        }
    }

    // Tokens.

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The token some places ahead; past the end it is the end.
    fn ahead(&self, places: usize) -> Token {
        self.token_at(self.position + places)
    }

    fn token_at(&self, index: usize) -> Token {
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    fn is(&self, punctuator: Punctuator) -> bool {
        self.token().is(punctuator)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token().is_keyword(keyword)
    }

    fn is_end(&self) -> bool {
        self.kind() == TokenKind::End
    }

    fn identifier(&self) -> Option<Symbol> {
        self.token().identifier()
    }

    /// Moves to the next token; the end is never passed.
    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    fn eat(&mut self, punctuator: Punctuator) -> bool {
        let found = self.is(punctuator);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// The closing bracket that belongs to the opener here; without one, the end.
    fn closer(&self) -> usize {
        self.brackets.partner(self.position).unwrap_or(self.tokens.len() - 1)
    }

    // Spans.

    fn here(&self) -> Span {
        self.token().span()
    }

    fn previous(&self) -> Span {
        self.token_at(self.position.saturating_sub(1)).span()
    }

    /// From the token at `start` to the last one read; if none was, the one here.
    fn span_from(&self, start: usize) -> Span {
        let last = self.position.max(start + 1) - 1;
        self.token_at(start).span().to(self.token_at(last).span())
    }

    // Errors.

    /// Reports an error unless one was reported at this token.
    fn report(&mut self, report: Report) -> Failed {
        if self.attempts > 0 {
            self.suppressed += 1;
            return Failed;
        }
        let broken = self.brackets.is_broken(self.position);
        if !self.stopped && !broken && self.last_error != Some(self.position) {
            match self.error_of_header().filter(|_| report.notes.is_empty()) {
                Some((at, report)) => {
                    // What else is wrong there comes of the name.
                    if self.missing_names.insert(at) {
                        self.context.diagnostics.emit(report);
                    }
                }
                None => self.context.diagnostics.emit(report),
            }
        }
        self.last_error = Some(self.position);
        Failed
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        if self.attempts > 0 {
            self.suppressed += 1;
            return Failed;
        }
        self.report(Report::error(span, message))
    }

    /// An error at the current token: what was expected, and what is there.
    fn expected(&mut self, what: &str) -> Failed {
        if self.attempts > 0 {
            self.suppressed += 1;
            return Failed;
        }
        let found = self.describe(self.token());
        let mut report = Report::error(self.here(), format!("expected {what}, found {found}"));
        if let Some(name) = self.identifier()
            && let Some(keyword) = suggestion::misspelt_keyword(self.context.text(name))
        {
            report = report.note(format!("did you mean `{keyword}`?"));
        }
        self.report(report)
    }

    /// A token in words.
    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Identifier(name) => format!("`{}`", self.context.text(name)),
            TokenKind::Keyword(keyword) => format!("`{}`", keyword.text()),
            TokenKind::Punctuator(punctuator) => format!("`{}`", punctuator.text()),
            TokenKind::Literal(_) => "a literal".to_string(),
            TokenKind::Pragma(_) => "a pragma".to_string(),
            TokenKind::Unknown(character) => format!("the character `{}`", character.escape_default()),
            TokenKind::End => "the end of the file".to_string(),
        }
    }

    fn expect(&mut self, punctuator: Punctuator, place: &str) -> Parsed<()> {
        if self.eat(punctuator) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}` {place}", punctuator.text())))
    }

    /// A semicolon. A missing one is reported behind the token before it, and taken as if it were there where the next token can begin something new.
    fn expect_semicolon(&mut self, place: &str) -> Parsed<()> {
        if self.eat(Punctuator::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let begins = next.line_start || next.is(Punctuator::RightBrace) || self.is_end();
        if !begins {
            return Err(self.expected(&format!("`;` {place}")));
        }
        let report = Report::error(self.previous(), format!("expected `;` {place}")).here("add `;` after this");
        self.report(report);
        Ok(())
    }

    fn expect_identifier(&mut self, what: &str) -> Parsed<(Symbol, Span)> {
        let span = self.here();
        match self.identifier() {
            Some(name) => {
                self.advance();
                Ok((name, span))
            }
            None => Err(self.expected(what)),
        }
    }

    // Attempts and nesting.

    /// Reads tentatively: if there is an error of any kind, everything is as before.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (position, scopes, in_angles, depth) = (self.position, self.scopes.depth(), self.in_angles, self.depth);
        let (suppressed, classes, delayed) = (self.suppressed, self.classes.len(), self.delayed.len());
        self.attempts += 1;
        let result = read(self);
        self.attempts -= 1;
        match result {
            Ok(value) if self.suppressed == suppressed => Some(value),
            _ => {
                self.position = if self.stopped { self.tokens.len() - 1 } else { position };
                self.suppressed = suppressed;
                self.scopes.truncate(scopes);
                (self.in_angles, self.depth) = (in_angles, depth);
                self.classes.truncate(classes);
                self.delayed.truncate(delayed);
                None
            }
        }
    }

    /// Looks ahead: whatever `read` reads, the position stays.
    fn look<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (position, scopes) = (self.position, self.scopes.depth());
        let result = self.attempt(read);
        if !self.stopped {
            self.position = position;
        }
        self.scopes.truncate(scopes);
        result
    }

    /// One level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.stopped || self.depth >= NESTING_LIMIT {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Ends reading, also in an attempt: the input nests too deeply whichever way it is read.
    #[cold]
    fn too_deep(&mut self) -> Failed {
        if !self.stopped {
            let message = format!("nesting is deeper than {NESTING_LIMIT} levels");
            self.context.diagnostics.error(self.here(), message);
            self.stopped = true;
        }
        self.suppressed += 1;
        self.position = self.tokens.len() - 1;
        Failed
    }

    /// Reads with `>` as an operator again: inside brackets.
    fn outside_angles<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let saved = std::mem::replace(&mut self.in_angles, false);
        let result = read(self);
        self.in_angles = saved;
        result
    }

    /// `(` what `read` reads `)`.
    fn parenthesized<T>(&mut self, place: &str, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect(Punctuator::LeftParenthesis, place)?;
        let value = self.outside_angles(read)?;
        self.expect(Punctuator::RightParenthesis, "here")?;
        Ok(value)
    }

    // Nodes with side tables.

    fn add_name(&mut self, name: QualifiedName, scope: Option<ScopeId>) -> crate::syntax::ast::Id<QualifiedName> {
        self.name_scopes.push(scope);
        if let UnqualifiedName::Identifier(symbol) | UnqualifiedName::Template { name: symbol, .. } = name.last
            && self.kernels.contains(&symbol)
        {
            self.launches += 1;
        }
        self.ast.add(name)
    }

    fn add_specifiers(&mut self, specifiers: Specifiers, scope: Option<ScopeId>) -> crate::syntax::ast::Id<Specifiers> {
        self.specifier_scopes.push(scope);
        self.ast.add(specifiers)
    }

    // Pragmas.

    /// Passes over pragmas that mean nothing here, `pack` being worked off.
    fn skip_pragmas(&mut self) {
        while let TokenKind::Pragma(id) = self.kind() {
            let pragma = self.source.pragma(id);
            if pragma.kind == PragmaKind::Pack {
                let tokens: Vec<Token> = pragma.tokens.clone();
                self.pack_pragma(&tokens);
            }
            self.advance();
        }
    }

    /// `#pragma pack(push, 4)` and its other forms. What is not understood changes nothing.
    fn pack_pragma(&mut self, tokens: &[Token]) {
        let mut size = None;
        let (mut push, mut pop, mut empty) = (false, false, true);
        for token in tokens {
            match token.kind {
                TokenKind::Identifier(name) => {
                    push |= self.context.text(name) == "push";
                    pop |= self.context.text(name) == "pop";
                    empty = false;
                }
                TokenKind::Literal(id) => {
                    if let crate::source::Literal::Integer(literal) = self.source.literal(id) {
                        size = u32::try_from(literal.value).ok();
                    }
                    empty = false;
                }
                _ => {}
            }
        }
        if push {
            self.packing.pushed.push(self.packing.current);
        }
        if pop {
            self.packing.current = self.packing.pushed.pop().unwrap_or(None);
        }
        if size.is_some() {
            // `pack(0)` is the default.
            self.packing.current = size.filter(|&size| size != 0);
        } else if empty {
            self.packing.current = None;
        }
    }

    /// Reads other tokens in the place of those of the unit: the content of a pragma.
    fn with_tokens<T>(&mut self, tokens: Vec<Token>, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let brackets = Brackets::pair(&tokens, self.context);
        let saved_tokens = std::mem::replace(&mut self.tokens, tokens);
        let saved_brackets = std::mem::replace(&mut self.brackets, brackets);
        let saved_lists = std::mem::take(&mut self.template_lists);
        let saved_position = std::mem::replace(&mut self.position, 0);
        let saved_error = self.last_error.take();
        let result = read(self);
        self.tokens = saved_tokens;
        self.brackets = saved_brackets;
        self.template_lists = saved_lists;
        self.position = saved_position;
        self.last_error = saved_error;
        result
    }
}

/// The tokens as the parser wants them: pragmas only where a statement or declaration may begin, and `operator<<<` split into `operator<<` and `<`.
fn prepared(source: &Tokens) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(source.list.len() + 1);
    for &token in &source.list {
        let previous = tokens.last().map(|token| token.kind);
        match token.kind {
            TokenKind::Pragma(_) if !may_begin(previous) => {}
            TokenKind::Punctuator(Punctuator::TripleLess)
                if previous == Some(TokenKind::Keyword(Keyword::Operator)) =>
            {
                let kind = TokenKind::Punctuator(Punctuator::DoubleLess);
                tokens.push(Token { kind, ..token });
                let kind = TokenKind::Punctuator(Punctuator::Less);
                tokens.push(Token { kind, ..token });
            }
            // `<< <`, as formatters leave it, opens a launch as `<<<` does; nothing else has these two side by side.
            TokenKind::Punctuator(Punctuator::Less)
                if previous == Some(TokenKind::Punctuator(Punctuator::DoubleLess))
                    && !follows_operator(&tokens[..tokens.len() - 1]) =>
            {
                if let Some(last) = tokens.last_mut() {
                    last.kind = TokenKind::Punctuator(Punctuator::TripleLess);
                }
            }
            TokenKind::End => break,
            _ => tokens.push(token),
        }
    }
    let last = source.list.last().copied();
    let end = last.unwrap_or(Token {
        kind: TokenKind::End,
        origin: crate::source::Origin::NONE,
        space_before: true,
        line_start: true,
        joined: false,
    });
    tokens.push(Token {
        kind: TokenKind::End,
        ..end
    });
    tokens
}

/// Whether what comes after these tokens names an operator function.
fn follows_operator(tokens: &[Token]) -> bool {
    tokens.last().map(|token| token.kind) == Some(TokenKind::Keyword(Keyword::Operator))
}

/// Whether a statement or a declaration may begin after this token.
fn may_begin(previous: Option<TokenKind>) -> bool {
    matches!(
        previous,
        None | Some(
            TokenKind::Pragma(_)
                | TokenKind::Keyword(Keyword::Else | Keyword::Do)
                | TokenKind::Punctuator(
                    Punctuator::Semicolon
                        | Punctuator::LeftBrace
                        | Punctuator::RightBrace
                        | Punctuator::RightParenthesis
                        | Punctuator::Colon
                )
        )
    )
}
