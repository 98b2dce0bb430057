//! Expansion of macros [cpp.subst], [cpp.stringize], [cpp.concat], [cpp.rescan].

use std::ops::Range;
use std::rc::Rc;

use super::super::diagnostic::Report;
use super::super::intern::Symbol;
use super::super::lexer::{self, Flags, RawKind, RawToken};
use super::super::map::{Expansion, Origin, Span};
use super::super::options::Standard;
use super::super::token::Punctuator;
use super::Preprocessor;
use super::define::{Body, BuiltIn, Macro, Parameters, Piece};

/// Tokens being read that are not from a file: `pool[at..end]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    start: usize,
    pub(super) at: usize,
    pub(super) end: usize,
    /// The macro that they came out of, which is disabled until they have been read.
    number: Option<u32>,
    /// They are read by themselves: what is before them on the stack does not follow.
    pub(super) barrier: bool,
}

/// More tokens than these are not made by expansion in one unit.
const MOST_TOKENS: usize = 1 << 26;

/// A string made by `#` and a unit's expansions of macros have no more bytes than this.
const LONGEST_STRING: usize = 1 << 24;

/// Calls in arguments of calls are followed as deep as this.
const DEEPEST_NESTING: usize = 300;

/// A call of a macro.
struct Call {
    tokens: Vec<RawToken>,
    /// The tokens of each argument.
    arguments: Vec<Range<usize>>,
    /// Arguments after expansion, where they have been needed.
    expanded: Vec<Option<Rc<[RawToken]>>>,
    /// Number of the expansion in the map.
    expansion: u32,
    /// The index of the parameter that takes the rest.
    variadic: Option<usize>,
}

impl Preprocessor<'_> {
    /// The next token with macros expanded.
    #[inline]
    pub(super) fn expanded(&mut self) -> RawToken {
        let mut token = loop {
            let token = self.raw();
            let RawKind::Identifier(name) = token.kind else {
                break token;
            };
            let Some(number) = self.macro_number(name) else {
                break self.plain_name(name, token);
            };
            if token.flags.has(Flags::PAINTED) || self.is_hidden(number, name) || !self.expand(number, token) {
                break token;
            }
        };
        // Layout before expansions that came to nothing.
        if self.carried != Flags::default() {
            token.flags = token.flags.with(self.carried);
            self.carried = Flags::default();
        }
        token
    }

    /// A name that is no macro: in conditions some are operators.
    #[inline]
    fn plain_name(&mut self, name: Symbol, token: RawToken) -> RawToken {
        if self.in_condition
            && let Some(value) = self.condition_operator(name, token)
        {
            return value;
        }
        if !self.poisoned.is_empty() && self.poisoned.contains(&name) {
            let message = format!("`{}` has been poisoned", self.context.text(name));
            self.error(token.span(), message);
        }
        token
    }

    /// Whether a macro is not seen where tokens are read from: the compiler's own headers name things as they like (`template <typename T>`, `int value`), and a
    /// program may have any macro that is not a reserved name (`-DT=float`). Their conditions do see it: `#ifndef NDEBUG`.
    fn is_hidden(&self, number: u32, name: Symbol) -> bool {
        let is_reserved = |name: &str| {
            let mut bytes = name.bytes();
            bytes.next() == Some(b'_')
                && bytes
                    .next()
                    .is_some_and(|byte| byte == b'_' || byte.is_ascii_uppercase())
        };
        !self.macros[number as usize].built_in
            && self.is_in_built_in_header()
            && !self.in_condition
            && !is_reserved(self.context.text(name))
    }

    /// Expands a macro whose name has been read. False if it is no call, and the name stays.
    fn expand(&mut self, number: u32, token: RawToken) -> bool {
        let definition = self.definition(number);
        let pieces = match &definition.body {
            Body::Pieces(pieces) => pieces,
            Body::BuiltIn(built_in) => {
                let value = self.built_in(*built_in, token);
                self.push_frame(&[value], None, false);
                return true;
            }
            // No definition is like that once it is asked for.
            Body::Later(..) => return false,
        };
        let mut call = Call {
            tokens: Vec::new(),
            arguments: Vec::new(),
            expanded: Vec::new(),
            expansion: 0,
            variadic: None,
        };
        let layout = token.flags.only(Flags::SPACE.with(Flags::LINE_START));
        let mut last = token.origin;
        if let Some(parameters) = &definition.parameters {
            if !self.take_open() {
                return false;
            }
            match self.arguments(&definition, parameters, token, &mut call) {
                Some(end) => last = end,
                None => {
                    self.carried = self.carried.with(layout);
                    return true;
                }
            }
        }
        call.expansion = self.context.map.add_expansion(Expansion {
            name: definition.name,
            call: Span {
                first: token.origin,
                last,
            },
        });
        let mut out = Vec::with_capacity(pieces.len());
        self.substitute(pieces, &mut call, &mut out);
        out.retain(|token| token.kind != RawKind::Placemarker);
        match out.first_mut() {
            Some(first) => {
                let own = first.flags.without(Flags::SPACE.with(Flags::LINE_START));
                first.flags = own.with(layout);
            }
            None => self.carried = self.carried.with(layout),
        }
        self.push_frame(&out, Some(number), false);
        true
    }

    /// Lets these tokens be read next.
    pub(super) fn push_frame(&mut self, tokens: &[RawToken], number: Option<u32>, barrier: bool) {
        self.made += tokens.len() + 1;
        if self.made > MOST_TOKENS {
            let origin = tokens.first().map_or(Origin::NONE, |token| token.origin);
            if !self.stopped {
                let message = format!("macros of this unit expand to more than {MOST_TOKENS} tokens");
                self.error(Span::of(origin), message);
            }
            self.stop();
            if !barrier {
                return;
            }
        }
        let start = self.pool.len();
        self.pool.extend_from_slice(tokens);
        if let Some(number) = number {
            self.disabled[number as usize] = true;
        }
        self.frames.push(Frame {
            start,
            at: start,
            end: self.pool.len(),
            number,
            barrier,
        });
    }

    pub(super) fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.pool.truncate(frame.start);
            if let Some(number) = frame.number {
                self.disabled[number as usize] = false;
            }
        }
    }

    /// Reads a `(` if it is next, over the ends of expansions and lines.
    fn take_open(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            if frame.at < frame.end {
                let open = self.pool[frame.at].is(Punctuator::LeftParenthesis);
                frame.at += usize::from(open);
                return open;
            }
            if frame.barrier {
                return false;
            }
            self.pop_frame();
        }
        self.in_arguments += 1;
        let token = self.file_token();
        self.in_arguments -= 1;
        if token.is(Punctuator::LeftParenthesis) {
            return true;
        }
        // The end of the file comes again by itself.
        if token.kind != RawKind::End {
            self.push_frame(&[token], None, false);
        }
        false
    }

    /// The arguments of a call after its `(`. Gives where its `)` is, or `None` after an error.
    fn arguments(
        &mut self,
        definition: &Macro,
        parameters: &Parameters,
        name: RawToken,
        call: &mut Call,
    ) -> Option<Origin> {
        let count = parameters.names.len();
        call.variadic = parameters.variadic.then(|| count - 1);
        let mut depth = 0usize;
        let mut start = 0;
        self.in_arguments += 1;
        let end = loop {
            let mut token = self.raw();
            match token.kind {
                RawKind::End | RawKind::EndOfLine => {
                    self.in_arguments -= 1;
                    self.unended_call(definition, name, token);
                    return None;
                }
                RawKind::Punctuator(Punctuator::LeftParenthesis) => depth += 1,
                RawKind::Punctuator(Punctuator::RightParenthesis) if depth == 0 => break token.origin,
                RawKind::Punctuator(Punctuator::RightParenthesis) => depth -= 1,
                RawKind::Punctuator(Punctuator::Comma)
                    if depth == 0 && !(parameters.variadic && call.arguments.len() + 1 == count) =>
                {
                    call.arguments.push(start..call.tokens.len());
                    start = call.tokens.len();
                    continue;
                }
                _ => {}
            }
            token.flags = token.flags.without(Flags::LINE_START);
            call.tokens.push(token);
        };
        self.in_arguments -= 1;
        call.arguments.push(start..call.tokens.len());
        if count == 0 && call.tokens.is_empty() && call.arguments.len() == 1 {
            call.arguments.clear();
        }
        let found = call.arguments.len();
        if parameters.variadic && found + 1 == count {
            call.arguments.push(call.tokens.len()..call.tokens.len());
        } else if found != count {
            self.wrong_count(definition, count, found, name, end);
            return None;
        }
        call.expanded.resize(count, None);
        Some(end)
    }

    fn unended_call(&mut self, definition: &Macro, name: RawToken, token: RawToken) {
        let text = self.context.text(definition.name);
        let report = Report::error(name.span(), format!("this call of the macro `{text}` has no `)`"))
            .note_at(Span::of(definition.origin), "the macro is defined here");
        self.context.diagnostics.emit(report);
        if token.kind == RawKind::EndOfLine {
            self.push_frame(&[token], None, false);
        }
    }

    fn wrong_count(&mut self, definition: &Macro, count: usize, found: usize, name: RawToken, end: Origin) {
        let text = self.context.text(definition.name);
        let arguments = |number: usize| match number {
            1 => "1 argument".to_string(),
            number => format!("{number} arguments"),
        };
        let at_least = match &definition.parameters {
            Some(Parameters { variadic: true, .. }) => format!("at least {}", arguments(count - 1)),
            Some(_) | None => arguments(count),
        };
        let span = Span {
            first: name.origin,
            last: end,
        };
        let report = Report::error(
            span,
            format!("the macro `{text}` takes {at_least}, and this call has {found}"),
        )
        .note_at(Span::of(definition.origin), "the macro is defined here");
        self.context.diagnostics.emit(report);
    }

    /// The replacement list with arguments in place of parameters.
    fn substitute(&mut self, pieces: &[Piece], call: &mut Call, out: &mut Vec<RawToken>) {
        for (index, piece) in pieces.iter().enumerate() {
            let pasted = index > 0 && matches!(pieces[index - 1], Piece::Paste);
            let pastes = matches!(pieces.get(index + 1), Some(Piece::Paste));
            let start = out.len();
            let mut comma_rule = false;
            match piece {
                Piece::Paste => continue,
                Piece::Token(token) => {
                    let origin = self.context.map.expand(token.origin, call.expansion, false);
                    out.push(RawToken { origin, ..*token });
                }
                Piece::Parameter(parameter, token) => {
                    let parameter = usize::from(*parameter);
                    comma_rule = pasted && call.variadic == Some(parameter) && follows_comma(pieces, index);
                    if comma_rule && call.arguments[parameter].is_empty() {
                        out.pop();
                    }
                    match pasted || pastes {
                        true => {
                            let range = call.arguments[parameter].clone();
                            let tokens = &call.tokens[range];
                            place(&mut self.context.map, tokens, call.expansion, token.flags, out);
                        }
                        false => {
                            let tokens = self.expanded_argument(call, parameter);
                            place(&mut self.context.map, &tokens, call.expansion, token.flags, out);
                        }
                    }
                }
                Piece::Stringify(parameter, token) => {
                    let range = call.arguments[usize::from(*parameter)].clone();
                    let origin = self.context.map.expand(token.origin, call.expansion, false);
                    let string = self.stringify(&call.tokens[range], RawToken { origin, ..*token });
                    out.push(string);
                }
                Piece::Optional {
                    token,
                    stringify,
                    pieces,
                } => {
                    let present = match call.variadic {
                        Some(rest) => !self.expanded_argument(call, rest).is_empty(),
                        None => false,
                    };
                    let mut inner = Vec::new();
                    if present {
                        self.substitute(pieces, call, &mut inner);
                    }
                    if *stringify {
                        inner.retain(|token| token.kind != RawKind::Placemarker);
                        let origin = self.context.map.expand(token.origin, call.expansion, false);
                        let string = self.stringify(&inner, RawToken { origin, ..*token });
                        out.push(string);
                    } else {
                        if let Some(first) = inner.first_mut() {
                            first.flags = with_space_of(first.flags, token.flags);
                        }
                        out.append(&mut inner);
                    }
                }
            }
            if out.len() == start && (pasted || pastes) {
                out.push(RawToken {
                    kind: RawKind::Placemarker,
                    origin: Origin::NONE,
                    flags: Flags::default(),
                });
            }
            // After the comma rule the operator is as if it were not there.
            if pasted && !comma_rule && start > 0 && start < out.len() {
                self.paste_at(out, start);
            }
            if out.len() > MOST_TOKENS {
                self.made = MOST_TOKENS;
                return;
            }
        }
    }

    /// An argument with its macros expanded, as if it were all there is.
    fn expanded_argument(&mut self, call: &mut Call, parameter: usize) -> Rc<[RawToken]> {
        if let Some(tokens) = &call.expanded[parameter] {
            return tokens.clone();
        }
        let tokens = &call.tokens[call.arguments[parameter].clone()];
        let has_macro = tokens.iter().any(|token| match token.kind {
            RawKind::Identifier(name) => {
                self.macro_number(name).is_some() || self.in_condition || !self.poisoned.is_empty()
            }
            _ => false,
        });
        let result: Rc<[RawToken]> = match has_macro {
            false => Rc::from(tokens),
            true if self.depth >= DEEPEST_NESTING => {
                let span = tokens.first().map_or(Span::NONE, RawToken::span);
                if !self.stopped {
                    let message = format!("calls of macros are nested deeper than {DEEPEST_NESTING}");
                    self.error(span, message);
                }
                self.stop();
                Rc::from([])
            }
            true => {
                self.push_frame(tokens, None, true);
                self.depth += 1;
                let mut result = Vec::new();
                loop {
                    let token = self.expanded();
                    if token.kind == RawKind::End {
                        break;
                    }
                    result.push(token);
                }
                self.depth -= 1;
                self.pop_frame();
                Rc::from(result)
            }
        };
        call.expanded[parameter] = Some(result.clone());
        result
    }

    /// Pastes the token at an index to the one before it.
    fn paste_at(&mut self, out: &mut Vec<RawToken>, index: usize) {
        let (left, right) = (out[index - 1], out[index]);
        let pasted = match (left.kind, right.kind) {
            (_, RawKind::Placemarker) => Some(left),
            (RawKind::Placemarker, _) => {
                let flags = with_space_of(right.flags, left.flags);
                Some(RawToken { flags, ..right })
            }
            _ => self.paste(&left, &right),
        };
        match pasted {
            Some(token) => {
                out[index - 1] = token;
                out.remove(index);
            }
            None => {
                let mut texts = [String::new(), String::new()];
                lexer::spelling(self.context, &left, &mut texts[0]);
                lexer::spelling(self.context, &right, &mut texts[1]);
                let message = format!("`{}` and `{}` pasted together are no token", texts[0], texts[1]);
                self.error(left.span(), message);
            }
        }
    }

    fn paste(&mut self, left: &RawToken, right: &RawToken) -> Option<RawToken> {
        let mut text = String::new();
        lexer::spelling(self.context, left, &mut text);
        let left_is_name = matches!(left.kind, RawKind::Identifier(_));
        lexer::spelling(self.context, right, &mut text);
        let flags = left.flags.without(Flags::PAINTED).without(Flags::DIGRAPH);
        if left_is_name && matches!(right.kind, RawKind::Identifier(_)) {
            let kind = RawKind::Identifier(self.context.interner.intern(&text));
            return Some(RawToken { kind, flags, ..*left });
        }
        let spaceship = self.options.standard >= Standard::Cpp20;
        let token = lexer::single_token(self.context, &text, left.origin, spaceship)?;
        let flags = match token.flags.has(Flags::DIGRAPH) {
            true => flags.with(Flags::DIGRAPH),
            false => flags,
        };
        Some(RawToken { flags, ..token })
    }

    /// Tokens as the string literal that `#` makes of them; `hash` says where.
    fn stringify(&mut self, tokens: &[RawToken], hash: RawToken) -> RawToken {
        let mut content = String::new();
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 && token.flags.has(Flags::SPACE) {
                content.push(' ');
            }
            match token.kind {
                RawKind::String(symbol) | RawKind::Character(symbol) => {
                    for character in self.context.text(symbol).chars() {
                        match character {
                            '"' | '\\' => content.extend(['\\', character]),
                            // Of a raw string.
                            '\n' => content.push_str("\\n"),
                            _ => content.push(character),
                        }
                    }
                }
                _ => lexer::spelling(self.context, token, &mut content),
            }
            if content.len() > LONGEST_STRING {
                self.error(hash.span(), "`#` makes a string of more than 16 MiB here");
                self.stop();
                break;
            }
        }
        let trailing = content.bytes().rev().take_while(|&byte| byte == b'\\').count();
        if trailing % 2 == 1 {
            self.warning(
                hash.span(),
                "the last backslash of the string that `#` makes is left out",
            );
            content.pop();
        }
        let symbol = self.context.interner.intern(&format!("\"{content}\""));
        RawToken {
            kind: RawKind::String(symbol),
            origin: hash.origin,
            flags: hash.flags.without(Flags::DIGRAPH),
        }
    }

    /// The value of a macro of the compiler.
    fn built_in(&mut self, built_in: BuiltIn, token: RawToken) -> RawToken {
        let place = self.context.map.place(token.origin);
        let file = |path: &str| format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
        let (text, number) = match built_in {
            BuiltIn::Line => (place.map_or(1, |place| place.line).to_string(), true),
            BuiltIn::File => (file(place.as_ref().map_or("", |place| &place.file)), false),
            BuiltIn::FileName => {
                let path = place.as_ref().map_or("", |place| &place.file);
                (file(path.rsplit('/').next().unwrap_or(path)), false)
            }
            BuiltIn::BaseFile => (file(&self.main_name.clone()), false),
            BuiltIn::Counter => {
                self.counter += 1;
                ((self.counter - 1).to_string(), true)
            }
            BuiltIn::IncludeLevel => (self.stack.len().saturating_sub(1).to_string(), true),
        };
        let symbol = self.context.interner.intern(&text);
        RawToken {
            kind: if number {
                RawKind::Number(symbol)
            } else {
                RawKind::String(symbol)
            },
            ..token
        }
    }
}

/// Whether the piece at an index stands after `, ##`.
fn follows_comma(pieces: &[Piece], index: usize) -> bool {
    let before = index.checked_sub(2).map(|before| &pieces[before]);
    matches!(before, Some(Piece::Token(token)) if token.is(Punctuator::Comma))
}

/// The flags with the white space of others in place of their own.
fn with_space_of(flags: Flags, other: Flags) -> Flags {
    match other.has(Flags::SPACE) {
        true => flags.with(Flags::SPACE),
        false => flags.without(Flags::SPACE),
    }
}

/// Adds tokens of an argument; the first has the white space of the parameter.
fn place(
    map: &mut super::super::map::SourceMap,
    tokens: &[RawToken],
    expansion: u32,
    parameter: Flags,
    out: &mut Vec<RawToken>,
) {
    for (index, token) in tokens.iter().enumerate() {
        let origin = map.expand(token.origin, expansion, true);
        let flags = match index {
            0 => with_space_of(token.flags, parameter),
            _ => token.flags,
        };
        out.push(RawToken {
            origin,
            flags,
            ..*token
        });
    }
}
