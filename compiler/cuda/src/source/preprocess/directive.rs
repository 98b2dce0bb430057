//! Lines that begin with `#`.

use super::super::diagnostic::Report;
use super::super::lexer::{Flags, RawKind, RawToken};
use super::super::map::Span;
use super::super::token::Punctuator;
use super::{Condition, DEEPEST_CONDITION, Guard, Preprocessor};

impl Preprocessor<'_> {
    /// Works a directive off, after its `#`. Gives a token if the directive is one for the parser.
    pub(super) fn directive(&mut self, hash: RawToken) -> Option<RawToken> {
        self.set_in_directive(true);
        let token = self.line_token();
        let mut made = None;
        match token.kind {
            RawKind::EndOfLine | RawKind::End => {}
            RawKind::Identifier(name) => {
                let text = self.context.text(name).to_string();
                self.guard_directive(&text);
                made = self.named_directive(&text, token, hash);
            }
            RawKind::Number(_) => self.line_marker(token),
            _ => {
                self.guard_directive("");
                self.error(token.span(), "the name of a directive is expected after `#`");
                self.skip_line();
            }
        }
        self.set_in_directive(false);
        made
    }

    fn set_in_directive(&mut self, value: bool) {
        self.in_directive = value;
        if let Some(input) = self.stack.last_mut() {
            input.lexer.in_directive = value;
        }
        self.carried = Flags::default();
        if !value {
            // Whatever is left of expansions on the line is not for the text after it.
            while self.frames.last().is_some_and(|frame| !frame.barrier) {
                self.pop_frame();
            }
        }
    }

    /// A directive other than the first `#ifndef` means that the file has no include guard.
    fn guard_directive(&mut self, text: &str) {
        if let Some(input) = self.stack.last_mut() {
            let first = input.guard == Guard::Start && matches!(text, "ifndef" | "if");
            if !first && matches!(input.guard, Guard::Start | Guard::After(_)) {
                input.guard = Guard::No;
            }
        }
    }

    fn named_directive(&mut self, text: &str, token: RawToken, hash: RawToken) -> Option<RawToken> {
        match text {
            "define" => self.define(),
            "undef" => self.undefine(),
            "include" | "include_next" | "import" => self.include(text, token),
            "if" => self.if_expression(token),
            "ifdef" => self.if_defined(token, true),
            "ifndef" => self.if_defined(token, false),
            "elif" | "elifdef" | "elifndef" | "else" => self.other_group(text, token),
            "endif" => self.end_if(token),
            "pragma" => return self.pragma(hash),
            "error" | "warning" => self.message(text, token),
            "line" => self.line(),
            "ident" | "sccs" | "assert" | "unassert" => self.skip_line(),
            _ => {
                let mut report = Report::error(token.span(), format!("there is no directive `#{text}`"));
                if let Some(near) = nearest(text) {
                    report = report.note(format!("there is `#{near}`"));
                }
                self.context.diagnostics.emit(report);
                self.skip_line();
            }
        }
        None
    }

    /// The next token of the directive's line, macros not expanded.
    pub(super) fn line_token(&mut self) -> RawToken {
        match self.stack.last_mut() {
            Some(input) => input.lexer.next(self.context),
            None => self.end_token(),
        }
    }

    /// All tokens left on the line, `first` before them if it is given, macros not expanded.
    pub(super) fn rest_of_line(&mut self, first: Option<RawToken>) -> Vec<RawToken> {
        let mut tokens = Vec::new();
        let mut token = first.unwrap_or_else(|| self.line_token());
        while !token.ends() {
            tokens.push(token);
            token = self.line_token();
        }
        tokens
    }

    /// All tokens left on the line, macros expanded.
    pub(super) fn expanded_line(&mut self) -> Vec<RawToken> {
        let mut tokens = Vec::new();
        loop {
            let token = self.expanded();
            if token.ends() {
                return tokens;
            }
            tokens.push(token);
        }
    }

    /// Passes over what is left of the line without looking at it.
    pub(super) fn skip_line(&mut self) {
        while self.frames.last().is_some_and(|frame| !frame.barrier) {
            self.pop_frame();
        }
        if let Some(input) = self.stack.last_mut() {
            input.lexer.rest_of_line();
        }
    }

    /// Passes over what is left of the line after a token.
    pub(super) fn finish_line(&mut self, token: RawToken) {
        if !token.ends() {
            self.skip_line();
        }
    }

    /// The line must end here.
    pub(super) fn end_of_directive(&mut self, directive: &str) {
        let token = self.line_token();
        if !token.ends() {
            self.warning(token.span(), format!("what follows `{directive}` here is passed over"));
            self.skip_line();
        }
    }

    fn push_condition(&mut self, token: RawToken, taken: bool) {
        let deep = self
            .stack
            .last()
            .is_some_and(|input| input.conditions.len() >= DEEPEST_CONDITION);
        if deep {
            let message = format!("conditionals are nested deeper than {DEEPEST_CONDITION}");
            self.error(token.span(), message);
            self.stop();
        }
        if let Some(input) = self.stack.last_mut() {
            input.conditions.push(Condition {
                origin: token.origin,
                taken,
                last: false,
            });
        }
        if !taken {
            self.skip_groups();
        }
    }

    fn if_expression(&mut self, token: RawToken) {
        let (value, guard) = self.condition(token);
        self.set_guard(guard);
        self.push_condition(token, value);
    }

    /// Remembers that the file may have an include guard.
    fn set_guard(&mut self, name: Option<super::Symbol>) {
        if let Some(input) = self.stack.last_mut()
            && input.guard == Guard::Start
        {
            input.guard = name.map_or(Guard::No, Guard::Inside);
        }
    }

    fn if_defined(&mut self, token: RawToken, wanted: bool) {
        let directive = if wanted { "#ifdef" } else { "#ifndef" };
        let taken = match self.macro_name("#ifdef") {
            Some((name, _)) => {
                if !wanted {
                    self.set_guard(Some(name));
                }
                self.end_of_directive(directive);
                self.is_defined(name) == wanted
            }
            None => false,
        };
        self.set_guard(None);
        self.push_condition(token, taken);
    }

    /// `#elif`, `#else` after a group that has been read: the rest is passed over.
    fn other_group(&mut self, text: &str, token: RawToken) {
        let Some(input) = self.stack.last_mut() else { return };
        if input.conditions.len() == 1 {
            input.guard = Guard::No;
        }
        let Some(condition) = input.conditions.last_mut() else {
            self.error(token.span(), format!("`#{text}` without `#if`"));
            return self.skip_line();
        };
        let (after_else, origin) = (condition.last, condition.origin);
        condition.last |= text == "else";
        if after_else {
            self.after_else(text, token, Span::of(origin));
        }
        match text {
            "else" => self.end_of_directive("#else"),
            _ => self.skip_line(),
        }
        self.skip_groups();
    }

    fn after_else(&mut self, text: &str, token: RawToken, condition: Span) {
        let report = Report::error(token.span(), format!("`#{text}` after `#else`"))
            .note_at(condition, "the conditional starts here");
        self.context.diagnostics.emit(report);
    }

    fn end_if(&mut self, token: RawToken) {
        let Some(input) = self.stack.last_mut() else { return };
        if input.conditions.pop().is_none() {
            self.error(token.span(), "`#endif` without `#if`");
            return self.skip_line();
        }
        if input.conditions.is_empty()
            && let Guard::Inside(name) = input.guard
        {
            input.guard = Guard::After(name);
        }
        self.end_of_directive("#endif");
    }

    /// Passes over groups until one is to be read, or the conditional ends.
    fn skip_groups(&mut self) {
        let mut depth = 0usize;
        loop {
            // The end of the line of the directive before.
            self.set_in_directive(false);
            let Some(input) = self.stack.last_mut() else { return };
            if !input.lexer.skip_to_directive() {
                return;
            }
            let trap = self.context.diagnostics.trap();
            input.lexer.next(self.context);
            self.set_in_directive(true);
            let token = self.line_token();
            self.context.diagnostics.release(trap);
            let RawKind::Identifier(name) = token.kind else {
                self.finish_line(token);
                continue;
            };
            let text = self.context.text(name).to_string();
            match text.as_str() {
                "if" | "ifdef" | "ifndef" => {
                    depth += 1;
                    self.skip_line();
                }
                "endif" if depth > 0 => {
                    depth -= 1;
                    self.skip_line();
                }
                "endif" => return self.end_if(token),
                "else" | "elif" | "elifdef" | "elifndef" if depth == 0 => {
                    if self.skipped_group(&text, token) {
                        return;
                    }
                }
                _ => self.skip_line(),
            }
        }
    }

    /// `#else` or `#elif` after a group that was passed over: whether the group that it starts is to be read.
    fn skipped_group(&mut self, text: &str, token: RawToken) -> bool {
        let Some(input) = self.stack.last_mut() else {
            return true;
        };
        if input.conditions.len() == 1 {
            input.guard = Guard::No;
        }
        let Some(condition) = input.conditions.last_mut() else {
            return true;
        };
        let (after_else, taken, origin) = (condition.last, condition.taken, condition.origin);
        condition.last |= text == "else";
        if after_else {
            self.after_else(text, token, Span::of(origin));
            self.skip_line();
            return false;
        }
        if taken {
            self.skip_line();
            return false;
        }
        let value = match text {
            "else" => {
                self.end_of_directive("#else");
                true
            }
            "elif" => self.condition(token).0,
            _ => match self.macro_name("#ifdef") {
                Some((name, _)) => {
                    self.end_of_directive(text);
                    self.is_defined(name) == (text == "elifdef")
                }
                None => false,
            },
        };
        if let Some(condition) = self.stack.last_mut().and_then(|input| input.conditions.last_mut()) {
            condition.taken = value;
        }
        value
    }

    /// `#error` and `#warning`.
    fn message(&mut self, text: &str, token: RawToken) {
        let rest = match self.stack.last_mut() {
            Some(input) => input.lexer.rest_of_line(),
            None => String::new(),
        };
        let message = match rest.is_empty() {
            true => format!("#{text}"),
            false => format!("#{text}: {rest}"),
        };
        match text {
            "error" => self.error(token.span(), message),
            _ => self.context.diagnostics.warning(token.span(), message),
        }
    }

    /// `#line`, macros expanded.
    fn line(&mut self) {
        let origin = self.stack.last().map(|input| input.lexer.origin());
        let tokens = self.expanded_line();
        let span = tokens.first().map(RawToken::span).or(origin.map(Span::of));
        let number = tokens.first().and_then(|token| self.line_number(token));
        match number {
            Some(number) => self.set_line(number, &tokens[1..], false),
            None => self.error(
                span.unwrap_or(Span::NONE),
                "`#line` must be followed by a number from 0 to 2147483647 and may have a file name after it",
            ),
        }
    }

    /// `# 12 "file" 1 3`, as preprocessed text has it.
    fn line_marker(&mut self, token: RawToken) {
        let tokens = self.rest_of_line(None);
        match self.line_number(&token) {
            Some(number) => self.set_line(number, &tokens, true),
            None => self.error(token.span(), "this is no line marker"),
        }
    }

    fn line_number(&self, token: &RawToken) -> Option<u32> {
        let RawKind::Number(symbol) = token.kind else {
            return None;
        };
        let text = self.context.text(symbol).replace('\'', "");
        text.parse().ok().filter(|&number| number <= i32::MAX as u32)
    }

    fn set_line(&mut self, line: u32, rest: &[RawToken], marker: bool) {
        let name = match rest.first().map(|token| token.kind) {
            None => None,
            Some(RawKind::String(symbol)) => self.plain_string(symbol),
            Some(_) => {
                self.error(rest[0].span(), "the name of a file in quotes is expected here");
                return;
            }
        };
        let system = marker.then(|| {
            rest.iter()
                .skip(1)
                .any(|token| matches!(token.kind, RawKind::Number(symbol) if self.context.text(symbol) == "3"))
        });
        if let Some(input) = self.stack.last() {
            let (file, from) = (input.lexer.file, input.lexer.line() as u32 + 1);
            self.context.map.change_line(file, from, line, name.as_deref(), system);
        }
    }

    /// The content of a string literal without prefix.
    pub(super) fn plain_string(&mut self, symbol: super::Symbol) -> Option<String> {
        let text = self.context.text(symbol).to_string();
        super::super::decode::string_pieces(&[(&text, Span::NONE)], self.context).map(|string| string.to_text())
    }

    /// Whether a token of a list is this punctuator.
    pub(super) fn token_is(tokens: &[RawToken], index: usize, punctuator: Punctuator) -> bool {
        tokens.get(index).is_some_and(|token| token.is(punctuator))
    }
}

/// The directive that differs least from a text, if it differs little.
fn nearest(text: &str) -> Option<&'static str> {
    const NAMES: [&str; 14] = [
        "define",
        "undef",
        "include",
        "if",
        "ifdef",
        "ifndef",
        "elif",
        "else",
        "endif",
        "pragma",
        "error",
        "warning",
        "line",
        "include_next",
    ];
    if text.len() > 64 {
        return None;
    }
    NAMES
        .into_iter()
        .map(|name| (strsim::levenshtein(text, name), name))
        .filter(|&(distance, name)| distance <= 2 && distance < name.len().min(text.len()))
        .min()
        .map(|(_, name)| name)
}
