//! Which bracket closes which: found out before the parser starts, so that it can skip what it delays, and so that a bracket without its partner is one error
//! that points at it.

use crate::source::{Context, Diagnostics, Punctuator, Report, SourceMap, Token, TokenKind};

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// The partner of each bracket, by index of token.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    partner: Vec<u32>,
    /// Where the structure is in doubt: ranges of tokens, ends included, in order.
    broken: Vec<(usize, usize)>,
}

impl Brackets {
    /// The index of the token that closes (or opens) what the token at `index` opens (or closes).
    pub(super) fn partner(&self, index: usize) -> Option<usize> {
        let partner = *self.partner.get(index)?;
        (partner != NONE).then_some(partner as usize)
    }

    /// Whether a bracket without partner makes what is read at the token doubtful: it has been reported, and what follows from it is not.
    pub(super) fn is_broken(&self, index: usize) -> bool {
        self.broken.iter().any(|&(first, last)| (first..=last).contains(&index))
    }

    /// Pairs the brackets; those without a partner are reported.
    pub(super) fn pair(tokens: &[Token], context: &mut Context) -> Brackets {
        let diagnostics = &mut context.diagnostics;
        let partner = vec![NONE; tokens.len()];
        let mut brackets = Brackets {
            partner,
            broken: Vec::new(),
        };
        let mut open: Vec<Opener> = Vec::new();
        // The last token of the last group that closed at the outermost level.
        let mut outermost_end = 0;
        for (index, token) in tokens.iter().enumerate() {
            let TokenKind::Punctuator(kind) = token.kind else {
                continue;
            };
            let opener = match kind {
                Punctuator::LeftParenthesis | Punctuator::LeftBracket | Punctuator::LeftBrace => {
                    open.push(Opener { index, kind });
                    continue;
                }
                Punctuator::RightParenthesis => Punctuator::LeftParenthesis,
                Punctuator::RightBracket => Punctuator::LeftBracket,
                Punctuator::RightBrace => Punctuator::LeftBrace,
                _ => continue,
            };
            match closed_by(&open, opener) {
                Some(at) => {
                    if let Some(inner) = open.get(at + 1) {
                        unclosed(tokens, *inner, index, diagnostics);
                        brackets.broken.push((inner.index, index));
                    }
                    brackets.link(open[at].index, index);
                    open.truncate(at);
                }
                None => {
                    closes_nothing(tokens, index, kind, open.last(), diagnostics);
                    let first = if open.is_empty() { outermost_end + 1 } else { index };
                    brackets.broken.push((first, index));
                }
            }
            if open.is_empty() {
                outermost_end = index;
            }
        }
        brackets.unclosed_at_end(tokens, &open, context);
        brackets
    }

    /// Reports what is open at the end: a parenthesis if there is one; of braces the one that the indentation makes look open, or else the outermost.
    fn unclosed_at_end(&mut self, tokens: &[Token], open: &[Opener], context: &mut Context) {
        let Some(&outermost) = open.first() else { return };
        let parenthesis = open.iter().rev().find(|opener| opener.kind != Punctuator::LeftBrace);
        let opener = match parenthesis {
            Some(&opener) => opener,
            None => self
                .misindented(tokens, outermost.index, &context.map)
                .unwrap_or(outermost),
        };
        let end = tokens.len() - 1;
        unclosed(tokens, opener, end, &mut context.diagnostics);
        self.broken.push((opener.index, end));
    }

    /// The first brace behind `from` whose closer begins a line further to the left than the brace's own line does: its closer is likely another's.
    fn misindented(&self, tokens: &[Token], from: usize, map: &SourceMap) -> Option<Opener> {
        let column = |index: usize| map.place(tokens[index].origin).map(|place| place.column);
        let closers =
            (from..tokens.len()).filter(|&index| tokens[index].is(Punctuator::RightBrace) && tokens[index].line_start);
        for closer in closers {
            let Some(index) = self.partner(closer) else { continue };
            let line = (0..=index).rev().find(|&index| tokens[index].line_start)?;
            if column(line)? > column(closer)? {
                return Some(Opener {
                    index,
                    kind: Punctuator::LeftBrace,
                });
            }
        }
        None
    }

    fn link(&mut self, open: usize, close: usize) {
        self.partner[open] = close as u32;
        self.partner[close] = open as u32;
    }
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct Opener {
    index: usize,
    kind: Punctuator,
}

/// Which of the open brackets a closer closes: the innermost of its kind, but `)` and `]` never reach over an open brace.
fn closed_by(open: &[Opener], kind: Punctuator) -> Option<usize> {
    let at = open.iter().rposition(|opener| opener.kind == kind)?;
    let over_brace = open[at + 1..].iter().any(|opener| opener.kind == Punctuator::LeftBrace);
    (kind == Punctuator::LeftBrace || !over_brace).then_some(at)
}

fn closes_nothing(
    tokens: &[Token],
    index: usize,
    kind: Punctuator,
    open: Option<&Opener>,
    diagnostics: &mut Diagnostics,
) {
    let mut report = Report::error(tokens[index].span(), format!("`{}` closes nothing", kind.text()));
    if let Some(opener) = open {
        report = report.label(
            tokens[opener.index].span(),
            format!("this `{}` is still open", opener.kind.text()),
        );
    }
    diagnostics.emit(report);
}

fn unclosed(tokens: &[Token], opener: Opener, end: usize, diagnostics: &mut Diagnostics) {
    let span = tokens[opener.index].span();
    let report = Report::error(span, format!("this `{}` is never closed", opener.kind.text()));
    let report = match tokens[end].kind {
        TokenKind::Punctuator(closer) => report.note_at(
            tokens[end].span(),
            format!("`{}` found before its partner", closer.text()),
        ),
        _ => report.note("the file ends before its partner"),
    };
    diagnostics.emit(report);
}
