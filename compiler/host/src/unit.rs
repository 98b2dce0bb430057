//! A unit: its text, tokens and tree, and the edits that make the host's side of it.

use std::collections::HashSet;
use std::ops::Range;

use warpsmith_cuda::source::{self, Context, Memory, Mode, Prelude, Punctuator, Report, Span, Tokens, preprocess};
use warpsmith_cuda::syntax::ast::{Ast, Attribute, AttributeKind, ExpressionKind};
use warpsmith_cuda::syntax::{self};

pub use warpsmith_cuda::source::Standard;

use crate::edit::Edits;
use crate::{attribute, function, launch, variable};

/// A unit while edits are collected.
pub(crate) struct Unit<'a> {
    /// What the host's preprocessor gave.
    pub text: &'a str,
    pub context: Context,
    pub tokens: Tokens,
    /// Where each token starts.
    pub starts: Vec<usize>,
    pub ast: Ast,
    pub edits: Edits,
    /// Where attributes start of what the host may leave unused: functions and variables of the device, and kernels that are static.
    pub unused: HashSet<usize>,
}

/// Who knows the device's variables of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The unit alone: it is a whole program of the device.
    None,
    /// Units that its device code is linked with (`-rdc=true`): `extern` declares theirs.
    Linked,
}

/// The host's side of a unit that the host's preprocessor has read: the text for its compiler. `name` is what the text is called in messages where no line mark
/// says more.
///
/// # Errors
/// What is wrong or not supported, as text with lines of the source.
pub fn split(name: &str, text: &str, standard: Standard, sharing: Sharing) -> Result<String, String> {
    let mut context = Context::new();
    let files = Memory::new().with(name, text);
    let options = source::Options {
        standard,
        mode: Mode::HostHeaders,
        arch: 0,
        prelude: Prelude::None,
        built_in_headers: false,
        warnings: source::WarningOptions {
            off: true,
            ..source::WarningOptions::default()
        },
        ..source::Options::default()
    };
    let read = preprocess(&mut context, &files, &options, name);
    let ast = syntax::parse(&mut context, &read.tokens);
    if context.diagnostics.has_errors() {
        return Err(context.render());
    }
    let mut unit = Unit::new(text, context, read.tokens, ast);
    function::definitions(&mut unit);
    function::redeclarations(&mut unit);
    variable::declarations(&mut unit, sharing);
    launch::launches(&mut unit);
    attribute::take_out(&mut unit);
    unit.pragmas();
    if unit.context.diagnostics.has_errors() {
        return Err(unit.context.render());
    }
    Ok(format!("{}{}", crate::registration::HEAD, unit.edits.apply(text)))
}

impl<'a> Unit<'a> {
    fn new(text: &'a str, context: Context, tokens: Tokens, ast: Ast) -> Unit<'a> {
        let mut unit = Unit {
            text,
            context,
            tokens,
            starts: Vec::new(),
            ast,
            edits: Edits::default(),
            unused: HashSet::new(),
        };
        let starts = unit.tokens.list.iter().map(|token| unit.range(token.span()).start);
        unit.starts = starts.collect();
        unit
    }

    /// The bytes of a stretch; nothing at the end of the text for what has no place.
    pub(crate) fn range(&self, span: Span) -> Range<usize> {
        let end = self.text.len();
        self.context.map.bytes(span).map_or(end..end, |(_, range)| range)
    }

    /// The text of a stretch.
    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        let range = self.range(span);
        &self.text[range]
    }

    /// One past the last byte of a token.
    pub(crate) fn end_of(&self, token: usize) -> usize {
        self.tokens
            .list
            .get(token)
            .map_or(self.text.len(), |token| self.range(token.span()).end)
    }

    /// The first token that starts at a byte or behind it.
    pub(crate) fn token_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start < byte)
    }

    /// The token that closes the parenthesis that a token is; the token itself if it is none.
    pub(crate) fn closer(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.list.iter().enumerate().skip(open) {
            depth += usize::from(token.is(Punctuator::LeftParenthesis));
            if token.is(Punctuator::RightParenthesis) {
                depth -= 1;
            }
            if depth == 0 {
                return index;
            }
        }
        open
    }

    /// Says what is wrong.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.context.diagnostics.emit(Report::error(span, message));
    }

    /// Takes out the pragmas that only device code has.
    fn pragmas(&mut self) {
        const OURS: [&str; 6] = [
            "unroll",
            "nounroll",
            "nv_",
            "hd_warning_disable",
            "nv_exec_check_disable",
            "diag_",
        ];
        for (at, _) in self.text.match_indices("#pragma ") {
            let is_line = self.text[..at].ends_with('\n');
            let word = self.text[at + "#pragma ".len()..].trim_start();
            if is_line && OURS.iter().any(|ours| word.starts_with(ours)) {
                let end = self.text[at..].find('\n').map_or(self.text.len(), |length| at + length);
                self.edits.replace(at, end, "");
            }
        }
    }
}

/// Whether attributes have one that a test accepts.
pub(crate) fn has(attributes: &[Attribute], test: fn(&AttributeKind) -> bool) -> bool {
    attributes.iter().any(|attribute| test(&attribute.kind))
}

/// The kind of expression that a launch is.
pub(crate) fn is_launch(kind: &ExpressionKind) -> bool {
    matches!(kind, ExpressionKind::KernelLaunch { .. })
}
