//! Definitions of macros [cpp.replace].

use std::rc::Rc;

use super::super::diagnostic::Report;
use super::super::intern::{Symbol, names};
use super::super::lexer::{Flags, RawKind, RawToken, spelling};
use super::super::map::{FileId, Origin, Span};
use super::super::options::Mode;
use super::super::token::Punctuator;
use super::include::{Found, is_built_in};
use super::{Input, Preprocessor};

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// Where it was defined.
    pub(super) origin: Origin,
    /// `None` for one without parentheses.
    pub(super) parameters: Option<Parameters>,
    pub(super) body: Body,
    /// Defined by the compiler or in a header of its own, not by the program.
    pub(super) built_in: bool,
}

/// The parameters of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    pub(super) names: Vec<Symbol>,
    /// The last one takes all arguments that are left.
    pub(super) variadic: bool,
}

/// What a macro is replaced by.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// The replacement list.
    Pieces(Vec<Piece>),
    /// The compiler knows.
    BuiltIn(BuiltIn),
    /// The definition has not been read: its name is at this offset of a text. A unit uses few of the macros that are there from the start.
    Later(FileId, usize),
}

/// Macros whose value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    File,
    FileName,
    BaseFile,
    Line,
    Counter,
    IncludeLevel,
}

/// Something of a replacement list.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Token(RawToken),
    /// A parameter, by its index; the token is its name.
    Parameter(u16, RawToken),
    /// `#` and a parameter; the token is the `#`.
    Stringify(u16, RawToken),
    /// `##`.
    Paste,
    /// `__VA_OPT__ (…)`, with `#` before or not; the token is the first of it.
    Optional {
        token: RawToken,
        stringify: bool,
        pieces: Vec<Piece>,
    },
}

impl PartialEq for Piece {
    /// Whether two are the same for a second definition [cpp.replace]/1: spelling and presence of white space, not places.
    fn eq(&self, other: &Piece) -> bool {
        let same = |a: &RawToken, b: &RawToken| {
            a.kind == b.kind
                && a.flags.has(Flags::SPACE) == b.flags.has(Flags::SPACE)
                && a.flags.has(Flags::DIGRAPH) == b.flags.has(Flags::DIGRAPH)
        };
        match (self, other) {
            (Piece::Token(a), Piece::Token(b)) => same(a, b),
            (Piece::Parameter(i, a), Piece::Parameter(j, b)) | (Piece::Stringify(i, a), Piece::Stringify(j, b)) => {
                i == j && same(a, b)
            }
            (Piece::Paste, Piece::Paste) => true,
            (
                Piece::Optional {
                    token: a,
                    stringify: s,
                    pieces: p,
                },
                Piece::Optional {
                    token: b,
                    stringify: t,
                    pieces: q,
                },
            ) => same(a, b) && s == t && p == q,
            (
                Piece::Token(_) | Piece::Parameter(..) | Piece::Stringify(..) | Piece::Paste | Piece::Optional { .. },
                _,
            ) => false,
        }
    }
}

impl Preprocessor<'_> {
    /// `#define`, after that word.
    pub(super) fn define(&mut self) {
        if let Some(definition) = self.read_definition() {
            self.redefine(definition);
        }
    }

    /// The macro of a number; its definition is read now if it was left for later.
    pub(super) fn definition(&mut self, number: u32) -> Rc<Macro> {
        let definition = self.macros[number as usize].clone();
        let Body::Later(file, at) = definition.body else {
            return definition;
        };
        let mut lexer = self.lexer(file);
        lexer.go_to(at);
        lexer.in_directive = true;
        let in_directive = std::mem::replace(&mut self.in_directive, true);
        self.stack.push(Input::new(lexer, String::new(), Found::Nowhere, None));
        let read = self.read_definition();
        self.stack.pop();
        self.in_directive = in_directive;
        let read = Rc::new(Macro {
            built_in: definition.built_in,
            ..read.unwrap_or_else(|| Macro {
                body: Body::Pieces(Vec::new()),
                ..Macro::clone(&definition)
            })
        });
        self.macros[number as usize] = read.clone();
        read
    }

    /// A definition from the macro's name to the end of the line.
    fn read_definition(&mut self) -> Option<Macro> {
        let Some((name, name_token)) = self.macro_name("#define") else {
            self.skip_line();
            return None;
        };
        let first = self.line_token();
        let (parameters, first) = match first.is(Punctuator::LeftParenthesis) && !first.flags.has(Flags::SPACE) {
            true => match self.parameters(name_token) {
                Some(parameters) => (Some(parameters), None),
                None => {
                    self.skip_line();
                    return None;
                }
            },
            false => (None, Some(first)),
        };
        if parameters.is_none()
            && let Some(first) = first
            && !first.ends()
            && !first.flags.has(Flags::SPACE)
        {
            self.warning(
                first.span(),
                "white space is missing between the macro's name and what it stands for",
            );
        }
        let tokens = self.rest_of_line(first);
        let tokens = if parameters.is_none() {
            self.pragma_as_operator(tokens)
        } else {
            tokens
        };
        let pieces = self.pieces(&tokens, parameters.as_ref())?;
        Some(Macro {
            name,
            origin: name_token.origin,
            parameters,
            body: Body::Pieces(pieces),
            built_in: self.is_in_built_in_header(),
        })
    }

    /// `#pragma …` as what a macro stands for is no directive by the standard; nvcc, which reads what gcc has expanded once more, takes it for one, and programs
    /// (CUTLASS) rely on that. It is read as `_Pragma`.
    fn pragma_as_operator(&mut self, tokens: Vec<RawToken>) -> Vec<RawToken> {
        let [hash, pragma, rest @ ..] = &tokens[..] else {
            return tokens;
        };
        if !hash.is(Punctuator::Hash) || pragma.kind != RawKind::Identifier(names::PRAGMA) {
            return tokens;
        }
        let mut text = String::new();
        for token in rest {
            if token.flags.has(Flags::SPACE) {
                text.push(' ');
            }
            spelling(self.context, token, &mut text);
        }
        let text = text.trim().replace('\\', "\\\\").replace('"', "\\\"");
        let string = self.context.interner.intern(&format!("\"{text}\""));
        let with = |kind: RawKind| RawToken { kind, ..*hash };
        vec![
            with(RawKind::Identifier(names::PRAGMA_OPERATOR)),
            with(RawKind::Punctuator(Punctuator::LeftParenthesis)),
            with(RawKind::String(string)),
            with(RawKind::Punctuator(Punctuator::RightParenthesis)),
        ]
    }

    /// Takes a definition in, with a warning if there is another one that differs.
    fn redefine(&mut self, definition: Macro) {
        let name = definition.name;
        if let Some(number) = self.macro_number(name) {
            let before = self.definition(number);
            let same = match (&before.body, &definition.body) {
                (Body::Pieces(a), Body::Pieces(b)) => a == b && before.parameters == definition.parameters,
                (Body::BuiltIn(_) | Body::Later(..), _) | (_, Body::BuiltIn(_) | Body::Later(..)) => false,
            };
            if same {
                return;
            }
            // What every unit has without asking may be defined again.
            let place = self.context.map.place(before.origin);
            let is_in_header = place.as_ref().is_some_and(|place| is_built_in(&place.file));
            // The macros of <nv/target>, which that header defines, too.
            let is_of_target = before.built_in && self.context.text(name).starts_with("NV_");
            let is_given = self.options.mode == Mode::DeviceOnly && (is_in_header || is_of_target);
            if !is_given && !self.context.map.is_system(definition.origin) {
                let text = self.context.text(name);
                let mut report = Report::warning(
                    Span::of(definition.origin),
                    format!("macro `{text}` is defined anew and differently"),
                );
                if before.origin.is_some() {
                    report = report.note_at(Span::of(before.origin), "the earlier definition");
                }
                self.context.diagnostics.emit(report);
            }
        }
        let number = self.add_macro(definition);
        self.set_macro(name, Some(number));
    }

    /// `#undef`, after that word.
    pub(super) fn undefine(&mut self) {
        let Some((name, token)) = self.macro_name("#undef") else {
            return self.skip_line();
        };
        if let Some(number) = self.macro_number(name)
            && let Body::BuiltIn(_) = self.macros[number as usize].body
        {
            let text = format!("`{}` is a macro of the compiler itself", self.context.text(name));
            self.warning(token.span(), text);
        }
        self.set_macro(name, None);
        self.end_of_directive("#undef");
    }

    /// The name of a macro in a directive; an error if there is none.
    pub(super) fn macro_name(&mut self, directive: &str) -> Option<(Symbol, RawToken)> {
        let token = self.line_token();
        let RawKind::Identifier(name) = token.kind else {
            let message = match token.ends() {
                true => format!("`{directive}` without the name of a macro"),
                false => "the name of a macro must be an identifier".to_string(),
            };
            self.error(token.span(), message);
            self.finish_line(token);
            return None;
        };
        let text = self.context.text(name);
        let reserved = name == names::DEFINED
            || super::super::lexer::operator_word(text).is_some()
            || [names::VA_ARGS, names::VA_OPT].contains(&name);
        if reserved && directive != "#ifdef" {
            let message = format!("`{text}` cannot be the name of a macro");
            self.error(token.span(), message);
            return None;
        }
        Some((name, token))
    }

    /// The parameters, after their `(`.
    fn parameters(&mut self, name: RawToken) -> Option<Parameters> {
        let mut found = Parameters {
            names: Vec::new(),
            variadic: false,
        };
        let mut token = self.line_token();
        if token.is(Punctuator::RightParenthesis) {
            return Some(found);
        }
        loop {
            match token.kind {
                RawKind::Punctuator(Punctuator::Ellipsis) => {
                    found.names.push(names::VA_ARGS);
                    found.variadic = true;
                }
                RawKind::Identifier(parameter) => {
                    if found.names.contains(&parameter) {
                        let message = format!("there are two parameters `{}`", self.context.text(parameter));
                        self.error(token.span(), message);
                        return None;
                    }
                    if parameter == names::VA_ARGS {
                        self.error(token.span(), "`__VA_ARGS__` cannot be a parameter: write `...`");
                        return None;
                    }
                    found.names.push(parameter);
                }
                _ => {
                    return self.bad_parameters(token, name, "a parameter is expected here: a name or `...`");
                }
            }
            token = self.line_token();
            // GNU: `args...` names what `__VA_ARGS__` else is.
            if token.is(Punctuator::Ellipsis) && !found.variadic {
                found.variadic = true;
                token = self.line_token();
            }
            if token.is(Punctuator::RightParenthesis) {
                break;
            }
            if !token.is(Punctuator::Comma) || found.variadic {
                let expected = match found.variadic {
                    true => "`)` is expected here: `...` is the last parameter",
                    false => "`,` or `)` is expected here",
                };
                return self.bad_parameters(token, name, expected);
            }
            token = self.line_token();
        }
        if found.names.len() > usize::from(u16::MAX) {
            self.error(name.span(), "a macro has at most 65,535 parameters");
            return None;
        }
        Some(found)
    }

    fn bad_parameters(&mut self, token: RawToken, name: RawToken, message: &str) -> Option<Parameters> {
        let report = Report::error(token.span(), message).label(name.span(), "in this definition");
        self.context.diagnostics.emit(report);
        self.finish_line(token);
        None
    }

    /// The pieces of a replacement list.
    fn pieces(&mut self, tokens: &[RawToken], parameters: Option<&Parameters>) -> Option<Vec<Piece>> {
        let at_end = |token: Option<&RawToken>| token.is_some_and(|token| token.is(Punctuator::DoubleHash));
        if at_end(tokens.first()) || at_end(tokens.last()) {
            let token = if at_end(tokens.first()) {
                &tokens[0]
            } else {
                &tokens[tokens.len() - 1]
            };
            self.error(token.span(), "`##` cannot be at an end of what a macro stands for");
            return None;
        }
        let mut at = 0;
        let mut pieces = Vec::with_capacity(tokens.len());
        while at < tokens.len() {
            let (piece, used) = self.piece(&tokens[at..], parameters, at == 0)?;
            at += used;
            pieces.push(piece);
        }
        Some(pieces)
    }

    /// The first piece of a list, and how many tokens it has.
    fn piece(&mut self, tokens: &[RawToken], parameters: Option<&Parameters>, first: bool) -> Option<(Piece, usize)> {
        let mut token = tokens[0];
        // White space before the list is not part of it.
        if first {
            token.flags = token.flags.without(Flags::SPACE);
        }
        let index = |token: &RawToken| match (token.kind, parameters) {
            (RawKind::Identifier(name), Some(parameters)) => {
                parameters.names.iter().position(|&parameter| parameter == name)
            }
            _ => None,
        };
        let variadic = parameters.is_some_and(|parameters| parameters.variadic);
        match token.kind {
            RawKind::Punctuator(Punctuator::DoubleHash) => return Some((Piece::Paste, 1)),
            RawKind::Punctuator(Punctuator::Hash) if parameters.is_some() => {
                let operand = tokens.get(1);
                if let Some(index) = operand.and_then(index) {
                    return Some((Piece::Stringify(index as u16, token), 2));
                }
                if variadic && operand.is_some_and(|operand| operand.kind == RawKind::Identifier(names::VA_OPT)) {
                    let (pieces, used) = self.optional(&tokens[1..], parameters)?;
                    return Some((
                        Piece::Optional {
                            token,
                            stringify: true,
                            pieces,
                        },
                        used + 1,
                    ));
                }
                self.error(token.span(), "`#` must stand before a parameter");
                return None;
            }
            RawKind::Identifier(names::VA_OPT) if variadic => {
                let (pieces, used) = self.optional(tokens, parameters)?;
                return Some((
                    Piece::Optional {
                        token,
                        stringify: false,
                        pieces,
                    },
                    used,
                ));
            }
            RawKind::Identifier(names::VA_ARGS | names::VA_OPT)
                if index(&token).is_none() && !self.context.map.is_system(token.origin) =>
            {
                let RawKind::Identifier(name) = token.kind else {
                    return None;
                };
                let text = self.context.text(name);
                let message = format!("`{text}` has a meaning only in macros with the parameter `...`");
                self.warning(token.span(), message);
            }
            _ => {}
        }
        Some(match index(&token) {
            Some(index) => (Piece::Parameter(index as u16, token), 1),
            None => (Piece::Token(token), 1),
        })
    }

    /// `__VA_OPT__ (…)`: the pieces inside, and how many tokens all of it has.
    fn optional(&mut self, tokens: &[RawToken], parameters: Option<&Parameters>) -> Option<(Vec<Piece>, usize)> {
        let mut depth = 0usize;
        for (at, token) in tokens.iter().enumerate().skip(1) {
            match token.kind {
                RawKind::Punctuator(Punctuator::LeftParenthesis) => depth += 1,
                RawKind::Punctuator(Punctuator::RightParenthesis) => depth = depth.saturating_sub(1),
                RawKind::Identifier(names::VA_OPT) => {
                    self.error(token.span(), "`__VA_OPT__` cannot be inside another one");
                    return None;
                }
                _ if depth == 0 => break,
                _ => {}
            }
            if depth == 0 {
                return match at {
                    1 => break,
                    _ => Some((self.pieces(&tokens[2..at], parameters)?, at + 1)),
                };
            }
        }
        self.error(
            tokens[0].span(),
            "`__VA_OPT__` must be followed by tokens in parentheses",
        );
        None
    }
}
