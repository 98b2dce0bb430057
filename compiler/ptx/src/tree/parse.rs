//! The parser's core and the module level.
//!
//! Nodes begin at their first token and end after their last one; blanks and comments between belong to the node around. Nesting deeper than
//! [`DEPTH_LIMIT`] is a problem and stays flat, so that no tree is deep enough to overflow a stack.

use rowan::{GreenNodeBuilder, Language};

use super::{
    PtxLanguage, SyntaxKind, Tree,
    lex::{Token, lex},
};
use crate::{Problem, Span};

/// How many braces, brackets and parentheses may be open at once.
pub(super) const DEPTH_LIMIT: usize = 200;

/// No more problems than this are kept; a text with so many is no PTX.
const PROBLEM_LIMIT: usize = 1000;

/// Directives that stand at module level only: a body that has not ended ends before them.
const MODULE_ONLY: [&str; 6] = [".version", ".target", ".address_size", ".entry", ".func", ".visible"];

/// Reads any text shorter than 4 GiB; of a longer one, the tree holds nothing but a problem.
pub fn parse(text: &str) -> Tree {
    let fits = u32::try_from(text.len()).is_ok();
    let mut parser = Parser::new(if fits { text } else { "" });
    parser.module();
    if !fits {
        parser
            .problems
            .push(Problem::fatal(Span::default(), "text of 4 GiB or more"));
    }
    Tree {
        green: parser.builder.finish(),
        problems: parser.problems,
    }
}

/// A place in the token list, and the tree under construction.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The next token that is no trivia.
    at: usize,
    /// The first token not yet in the tree: trivia before `at`, or `at` itself.
    pending: usize,
    builder: GreenNodeBuilder<'static>,
    problems: Vec<Problem>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        let mut parser = Parser {
            text,
            tokens: lex(text),
            at: 0,
            pending: 0,
            builder: GreenNodeBuilder::new(),
            problems: Vec::new(),
        };
        parser.skip_trivia();
        parser
    }

    fn skip_trivia(&mut self) {
        while self.tokens.get(self.at).is_some_and(|token| token.kind.is_trivia()) {
            self.at += 1;
        }
    }

    fn token_text(&self, index: usize) -> &'t str {
        match self.tokens.get(index) {
            Some(token) => {
                &self.text[token.start as usize
                    ..self
                        .tokens
                        .get(index + 1)
                        .map_or(self.text.len(), |next| next.start as usize)]
            }
            None => "",
        }
    }

    /// The kind of the next token that is no trivia; `None` at the end.
    pub(super) fn current(&self) -> Option<SyntaxKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    /// The text of the next token that is no trivia; empty at the end.
    pub(super) fn current_text(&self) -> &'t str {
        self.token_text(self.at)
    }

    /// The kind of the token after the next one.
    pub(super) fn following(&self) -> Option<SyntaxKind> {
        self.tokens
            .get(self.at + 1..)?
            .iter()
            .map(|token| token.kind)
            .find(|kind| !kind.is_trivia())
    }

    pub(super) fn is(&self, kind: SyntaxKind) -> bool {
        self.current() == Some(kind)
    }

    /// Whether the next token is `.reg` or whatever `word` says.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.current_text() == word
    }

    /// Whether the next token is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        (self.pending..self.at).any(|index| self.token_text(index).contains('\n'))
    }

    /// Moves the trivia before the next token into the tree.
    fn flush(&mut self) {
        while self.pending < self.at {
            let kind = PtxLanguage::kind_to_raw(self.tokens[self.pending].kind);
            self.builder.token(kind, self.token_text(self.pending));
            self.pending += 1;
        }
    }

    /// Begins a node at the next token.
    pub(super) fn start(&mut self, kind: SyntaxKind) {
        self.flush();
        self.builder.start_node(PtxLanguage::kind_to_raw(kind));
    }

    /// Ends the node begun last.
    pub(super) fn finish(&mut self) {
        self.builder.finish_node();
    }

    /// Moves the next token into the tree.
    pub(super) fn bump(&mut self) {
        if self.at < self.tokens.len() {
            self.at += 1;
            self.flush();
            self.skip_trivia();
        }
    }

    /// Moves the next token into the tree if it is of this kind.
    pub(super) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    /// A problem at the next token: what stands there, and what should. A place has one problem, the first found.
    pub(super) fn expected(&mut self, what: &str) {
        let start = self
            .tokens
            .get(self.at)
            .map_or(self.text.len(), |token| token.start as usize);
        let known = self
            .problems
            .last()
            .is_some_and(|problem| problem.span.start as usize == start);
        if known || self.problems.len() == PROBLEM_LIMIT {
            return;
        }
        let found = self.current_text();
        let message = match self.current() {
            None => format!("expected {what}, found the end of the text"),
            Some(SyntaxKind::Unknown) => format!("expected {what}, found {}", describe_unknown(found)),
            Some(_) => format!("expected {what}, found `{}`", shorten(found)),
        };
        self.problems.push(Problem::fatal(
            Span::new(start as u32, (start + found.len()) as u32),
            message,
        ));
    }

    /// The semicolon of a statement. Where it is missing: a problem, and everything up to it or the next line goes into an error node.
    pub(super) fn semicolon(&mut self) {
        if !self.eat(SyntaxKind::Semicolon) {
            self.expected("`,` or `;`");
            self.recover();
        }
    }

    /// Puts everything up to a semicolon, a brace or the beginning of a line into an error node.
    pub(super) fn recover(&mut self) {
        self.start(SyntaxKind::Error);
        while let Some(kind) = self.current() {
            match kind {
                SyntaxKind::LeftBrace | SyntaxKind::RightBrace => break,
                SyntaxKind::Semicolon => {
                    self.bump();
                    break;
                }
                _ if self.begins_line() && matches!(kind, SyntaxKind::Word | SyntaxKind::DotWord | SyntaxKind::At) => {
                    break;
                }
                _ => self.bump(),
            }
        }
        self.finish();
    }

    /// A problem at the next token, which becomes an error node of its own.
    pub(super) fn reject(&mut self, expected: &str) {
        self.expected(expected);
        self.start(SyntaxKind::Error);
        self.bump();
        self.finish();
    }

    fn module(&mut self) {
        // Unlike other nodes, the module has the blanks and comments before its first token.
        self.builder.start_node(PtxLanguage::kind_to_raw(SyntaxKind::Module));
        while let Some(kind) = self.current() {
            match kind {
                SyntaxKind::DotWord => self.item(),
                _ => {
                    self.expected("a directive");
                    let before = self.at;
                    self.recover();
                    if self.at == before {
                        self.start(SyntaxKind::Error);
                        self.bump();
                        self.finish();
                    }
                }
            }
        }
        self.flush();
        self.finish();
    }

    fn item(&mut self) {
        match self.current_text() {
            ".version" | ".address_size" => self.directive(|parser| parser.argument(SyntaxKind::Number, "a number")),
            ".target" => self.directive(Parser::target),
            ".file" => self.directive(Parser::file),
            ".pragma" => self.pragma(),
            ".alias" => self.alias(),
            ".section" => self.section(),
            _ if self.is_function() => self.function(),
            _ => self.declaration(),
        }
    }

    fn directive(&mut self, arguments: impl FnOnce(&mut Self)) {
        self.start(SyntaxKind::Directive);
        self.bump();
        arguments(self);
        self.finish();
    }

    /// A token of this kind, or a problem.
    pub(super) fn argument(&mut self, kind: SyntaxKind, what: &str) {
        if !self.eat(kind) {
            self.expected(what);
            self.recover();
        }
    }

    fn target(&mut self) {
        self.argument(SyntaxKind::Word, "an architecture such as `sm_90`");
        while self.eat(SyntaxKind::Comma) {
            self.argument(SyntaxKind::Word, "a target option");
        }
    }

    /// `.file 1 "a.cu", 3, 4` after its first word; also in bodies.
    pub(super) fn file(&mut self) {
        self.argument(SyntaxKind::Number, "a file number");
        self.argument(SyntaxKind::String, "a file name in quotes");
        while self.eat(SyntaxKind::Comma) {
            self.argument(SyntaxKind::Number, "a number");
        }
    }

    /// `.pragma "…", "…";`, at module level, before and in bodies.
    pub(super) fn pragma(&mut self) {
        self.start(SyntaxKind::Pragma);
        self.bump();
        loop {
            if !self.eat(SyntaxKind::String) {
                self.expected("a string");
                self.recover();
                break;
            }
            if !self.eat(SyntaxKind::Comma) {
                self.semicolon();
                break;
            }
        }
        self.finish();
    }

    fn alias(&mut self) {
        self.start(SyntaxKind::Alias);
        self.bump();
        self.argument(SyntaxKind::Word, "a function name");
        if self.eat(SyntaxKind::Comma) {
            self.argument(SyntaxKind::Word, "a function name");
        }
        self.semicolon();
        self.finish();
    }

    fn section(&mut self) {
        self.start(SyntaxKind::Section);
        self.bump();
        if !self.eat(SyntaxKind::DotWord) && !self.eat(SyntaxKind::Word) {
            self.expected("a section name");
        }
        if self.is(SyntaxKind::LeftBrace) {
            self.start(SyntaxKind::SectionBody);
            self.bump();
            while let Some(kind) = self.current().filter(|kind| *kind != SyntaxKind::RightBrace) {
                match kind {
                    SyntaxKind::Word if self.following() == Some(SyntaxKind::Colon) => self.label(),
                    SyntaxKind::DotWord => {
                        self.start(SyntaxKind::SectionLine);
                        self.bump();
                        self.operands(true);
                        self.finish();
                    }
                    _ => self.reject("a label, `.b8`, `.b16`, `.b32`, `.b64` or `}`"),
                }
            }
            if !self.eat(SyntaxKind::RightBrace) {
                self.expected("`}`");
            }
            self.finish();
        } else {
            self.expected("`{`");
            self.recover();
        }
        self.finish();
    }

    /// Whether `.func` or `.entry` follows, perhaps after linkage directives.
    fn is_function(&self) -> bool {
        let significant = (self.at..self.tokens.len()).filter(|&index| !self.tokens[index].kind.is_trivia());
        let mut words = significant.map(|index| self.token_text(index));
        let word = words.find(|word| !matches!(*word, ".visible" | ".extern" | ".weak" | ".common"));
        matches!(word, Some(".func" | ".entry"))
    }

    fn function(&mut self) {
        self.start(SyntaxKind::Function);
        while self.is(SyntaxKind::DotWord) {
            let attribute = self.is_word(".attribute");
            self.bump();
            if attribute && self.is(SyntaxKind::LeftParenthesis) {
                self.group(SyntaxKind::List);
            }
        }
        if self.is(SyntaxKind::LeftParenthesis) {
            self.parameters();
        }
        self.argument(SyntaxKind::Word, "a function name");
        if self.is(SyntaxKind::LeftParenthesis) {
            self.parameters();
        } else if self.is(SyntaxKind::DotWord) && self.pending == self.at {
            // Names with dots in them are not PTX, however often compilers forget to replace them.
            self.expected("`(`, `{` or `;` after the function's name");
        }
        self.function_directives();
        if self.is(SyntaxKind::LeftBrace) {
            self.body();
        } else if !self.eat(SyntaxKind::Semicolon) {
            self.expected("`{` or `;`");
            self.recover();
        }
        self.finish();
    }

    /// What stands between the parameters of a function or prototype and its body or semicolon.
    pub(super) fn function_directives(&mut self) {
        while self.is(SyntaxKind::DotWord) {
            if MODULE_ONLY.contains(&self.current_text()) {
                return;
            }
            self.start(SyntaxKind::FunctionDirective);
            if self.is_word(".pragma") {
                self.pragma();
            } else {
                self.bump();
                if matches!(
                    self.current(),
                    Some(SyntaxKind::Number | SyntaxKind::Sign | SyntaxKind::LeftParenthesis)
                ) {
                    self.operands(true);
                }
            }
            self.finish();
        }
    }

    fn body(&mut self) {
        // Open braces; those above the limit have no node of their own.
        let mut open = 0;
        loop {
            match self.current() {
                Some(SyntaxKind::LeftBrace) if open < DEPTH_LIMIT => {
                    self.start(if open == 0 { SyntaxKind::Body } else { SyntaxKind::Block });
                    self.bump();
                    open += 1;
                }
                Some(SyntaxKind::LeftBrace) => {
                    self.reject("no more than 200 nested scopes");
                    open += 1;
                }
                Some(SyntaxKind::RightBrace) => {
                    self.bump();
                    open -= 1;
                    if open < DEPTH_LIMIT {
                        self.finish();
                    }
                    if open == 0 {
                        return;
                    }
                }
                Some(SyntaxKind::DotWord) if MODULE_ONLY.contains(&self.current_text()) => break,
                Some(_) => self.statement(),
                None => break,
            }
        }
        self.expected("`}`");
        for _ in 0..open.min(DEPTH_LIMIT) {
            self.finish();
        }
    }
}

/// A token for a message: its first line, of bounded length.
fn shorten(text: &str) -> String {
    const LIMIT: usize = 60;
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn describe_unknown(text: &str) -> String {
    match text.chars().next() {
        Some('/') => "a comment that does not end".to_owned(),
        Some('"') => "a string that does not end".to_owned(),
        Some(first) => format!("the character {}", first.escape_default()),
        None => String::new(),
    }
}
