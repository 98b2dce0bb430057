//! `#pragma` and `_Pragma` [cpp.pragma].

use std::sync::Arc;

use warpsmith_base::SourceText;

use super::super::intern::Symbol;
use super::super::lexer::{Flags, Lexer, RawKind, RawToken};
use super::super::map::Span;
use super::super::token::Punctuator;
use super::Preprocessor;

/// A pragma that is a token.
#[derive(Clone, Debug)]
pub(crate) struct RawPragma {
    pub(crate) kind: RawPragmaKind,
    /// What stands after its name; for [`RawPragmaKind::Other`] all of it.
    pub(crate) tokens: Vec<RawToken>,
}

/// Which pragmas are tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawPragmaKind {
    Unroll,
    NoUnroll,
    Pack,
    /// No pragma: the place of a header that is read in parts at the end of the unit.
    Section(u8),
    /// Has no meaning here, but is printed.
    Other,
}

impl Preprocessor<'_> {
    /// `#pragma`, after that word.
    pub(super) fn pragma(&mut self, hash: RawToken) -> Option<RawToken> {
        let first = self.line_token();
        let RawKind::Identifier(name) = first.kind else {
            let tokens = self.rest_of_line(Some(first));
            return self.other_pragma(tokens, hash);
        };
        match self.context.text(name) {
            "unroll" => {
                let tokens = self.expanded_line();
                Some(self.pragma_token(RawPragmaKind::Unroll, tokens, hash))
            }
            "nounroll" => {
                self.skip_line();
                Some(self.pragma_token(RawPragmaKind::NoUnroll, Vec::new(), hash))
            }
            "pack" => {
                let tokens = self.expanded_line();
                Some(self.pragma_token(RawPragmaKind::Pack, tokens, hash))
            }
            _ => {
                let tokens = self.rest_of_line(Some(first));
                self.known_pragma(&tokens, hash)
            }
        }
    }

    /// Pragmas whose tokens are not expanded.
    fn known_pragma(&mut self, tokens: &[RawToken], hash: RawToken) -> Option<RawToken> {
        let text = |this: &Self, index: usize| match tokens.get(index).map(|token| token.kind) {
            Some(RawKind::Identifier(name)) => this.context.text(name).to_string(),
            _ => String::new(),
        };
        let (first, second) = (text(self, 0), text(self, 1));
        match (first.as_str(), second.as_str()) {
            ("once", _) => self.pragma_once(),
            ("push_macro" | "pop_macro", _) => self.pragma_macro(tokens, first == "push_macro"),
            ("GCC" | "clang", "poison") => {
                let names = tokens.iter().skip(2).filter_map(|token| match token.kind {
                    RawKind::Identifier(name) => Some(name),
                    _ => None,
                });
                self.poisoned.extend(names);
            }
            ("GCC" | "clang", "system_header") => {
                if let Some(input) = self.stack.last() {
                    let (file, from) = (input.lexer.file, input.lexer.line() as u32 + 1);
                    self.context.map.change_line(file, from, from, None, Some(true));
                }
            }
            ("GCC" | "clang", "unroll") => {
                return Some(self.pragma_token(RawPragmaKind::Unroll, tokens[2..].to_vec(), hash));
            }
            ("message", _) => {}
            _ if self.warning_pragma(tokens, hash) => return self.other_pragma(tokens.to_vec(), hash),
            _ => return self.other_pragma(tokens.to_vec(), hash),
        }
        None
    }

    /// `nv_diag_suppress 177` and its kin.
    fn warning_pragma(&mut self, tokens: &[RawToken], hash: RawToken) -> bool {
        let words: Vec<&str> = tokens
            .iter()
            .filter_map(|token| match token.kind {
                RawKind::Identifier(word) | RawKind::Number(word) => Some(self.context.interner.text(word)),
                _ => None,
            })
            .collect();
        let file = match self.stack.last() {
            Some(input) => (
                self.context.map.origin(input.lexer.file, 0),
                self.context.map.origin(input.lexer.file, usize::MAX),
            ),
            None => return false,
        };
        self.context.diagnostics.rules.pragma(&words, hash.origin, file)
    }

    fn pragma_once(&mut self) {
        let identity = match self.stack.last().and_then(|input| input.cached.as_ref()) {
            // The main file is read once anyway.
            Some(cached) if self.stack.len() > 1 => cached.identity.clone(),
            Some(_) | None => return,
        };
        self.once.insert(identity);
    }

    /// `push_macro ("NAME")` and `pop_macro ("NAME")`.
    fn pragma_macro(&mut self, tokens: &[RawToken], push: bool) {
        let text = match tokens.get(2).map(|token| token.kind) {
            Some(RawKind::String(symbol))
                if Self::token_is(tokens, 1, Punctuator::LeftParenthesis)
                    && Self::token_is(tokens, 3, Punctuator::RightParenthesis) =>
            {
                self.plain_string(symbol)
            }
            _ => None,
        };
        let Some(text) = text else {
            let span = tokens.first().map_or(Span::NONE, RawToken::span);
            return self.error(span, "the name of a macro is expected after this, as in `(\"NAME\")`");
        };
        let name: Symbol = self.context.interner.intern(text.trim());
        if push {
            let current = self.defined.get(name.index()).copied().unwrap_or(0);
            self.pushed.push((name, current));
        } else if let Some(index) = self.pushed.iter().rposition(|&(pushed, _)| pushed == name) {
            let (_, number) = self.pushed.remove(index);
            self.set_macro(name, number.checked_sub(1));
        }
    }

    fn other_pragma(&mut self, tokens: Vec<RawToken>, hash: RawToken) -> Option<RawToken> {
        // Only the printer wants it.
        match self.moves.is_some() {
            true => Some(self.pragma_token(RawPragmaKind::Other, tokens, hash)),
            false => None,
        }
    }

    pub(super) fn pragma_token(&mut self, kind: RawPragmaKind, tokens: Vec<RawToken>, hash: RawToken) -> RawToken {
        self.pragmas.push(RawPragma { kind, tokens });
        RawToken {
            kind: RawKind::Pragma(self.pragmas.len() as u32 - 1),
            origin: hash.origin,
            flags: Flags::LINE_START.with(Flags::SPACE),
        }
    }

    /// `_Pragma ("…")`, after that word. Gives the token that the pragma is, if it is one.
    pub(super) fn pragma_operator(&mut self, operator: RawToken) -> Option<RawToken> {
        self.in_arguments += 1;
        let tokens = [self.expanded(), self.expanded(), self.expanded()];
        self.in_arguments -= 1;
        let string = match (tokens[0].kind, tokens[1].kind, tokens[2].kind) {
            (
                RawKind::Punctuator(Punctuator::LeftParenthesis),
                RawKind::String(symbol),
                RawKind::Punctuator(Punctuator::RightParenthesis),
            ) => symbol,
            _ => {
                self.error(operator.span(), "`_Pragma` must be followed by a string in parentheses");
                return None;
            }
        };
        let text = self.plain_string(string)?;
        self.run_pragma(text, operator)
    }

    /// Works off the text of a pragma as if it were a directive.
    fn run_pragma(&mut self, text: String, operator: RawToken) -> Option<RawToken> {
        let source = Arc::new(SourceText::new("_Pragma", text.replace('\n', " ")));
        let file = self.add_file(source, operator.origin, false)?;
        let mut lexer: Lexer = self.lexer(file);
        lexer.in_directive = true;
        let cached = self.stack.last().and_then(|input| input.cached.clone());
        // Expansions that are being read wait.
        let frames = std::mem::take(&mut self.frames);
        self.stack.push(super::Input::new(
            lexer,
            String::new(),
            super::include::Found::Nowhere,
            cached,
        ));
        let made = self.pragma(operator);
        while !self.frames.is_empty() {
            self.pop_frame();
        }
        if !self.stopped {
            self.stack.pop();
        }
        self.frames = frames;
        if self.stopped {
            self.stop();
        }
        made
    }
}
