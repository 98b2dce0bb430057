//! Which bracket closes which: found out before the parser starts, so that it can skip what it delays, and so that a bracket without its partner is one error
//! that points at it.

use crate::source::{Diagnostics, Punctuator, Report, Token, TokenKind};

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// The partner of each bracket, by index of token.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    partner: Vec<u32>,
    /// The first token from which on the structure is in doubt.
    pub(super) broken_from: Option<usize>,
}

impl Brackets {
    /// The index of the token that closes (or opens) what the token at `index` opens (or closes).
    pub(super) fn partner(&self, index: usize) -> Option<usize> {
        let partner = *self.partner.get(index)?;
        (partner != NONE).then_some(partner as usize)
    }

    /// Pairs the brackets; those without a partner are reported.
    pub(super) fn pair(tokens: &[Token], diagnostics: &mut Diagnostics) -> Brackets {
        let mut brackets = Brackets {
            partner: vec![NONE; tokens.len()],
            broken_from: None,
        };
        let mut open: Vec<(usize, Punctuator)> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let TokenKind::Punctuator(punctuator) = token.kind else {
                continue;
            };
            let opener = match punctuator {
                Punctuator::LeftParenthesis | Punctuator::LeftBracket | Punctuator::LeftBrace => {
                    open.push((index, punctuator));
                    continue;
                }
                Punctuator::RightParenthesis => Punctuator::LeftParenthesis,
                Punctuator::RightBracket => Punctuator::LeftBracket,
                Punctuator::RightBrace => Punctuator::LeftBrace,
                _ => continue,
            };
            match open.last() {
                Some(&(start, kind)) if kind == opener => {
                    open.pop();
                    brackets.partner[start] = index as u32;
                    brackets.partner[index] = start as u32;
                }
                _ => brackets.mismatch(tokens, &mut open, (index, punctuator, opener), diagnostics),
            }
        }
        if let Some(&(start, kind)) = open.first()
            && brackets.broken_from.is_none()
        {
            let (start, kind) = open
                .iter()
                .rev()
                .find(|(_, kind)| *kind != Punctuator::LeftBrace)
                .copied()
                .unwrap_or((start, kind));
            unclosed(tokens, start, kind, tokens.len() - 1, diagnostics);
            brackets.broken_from = Some(start);
        }
        brackets
    }

    /// A closer that does not fit the last opener: the first such is reported, and either the openers in between or the closer itself are passed over.
    fn mismatch(
        &mut self,
        tokens: &[Token],
        open: &mut Vec<(usize, Punctuator)>,
        (index, punctuator, opener): (usize, Punctuator, Punctuator),
        diagnostics: &mut Diagnostics,
    ) {
        let is_first = self.broken_from.is_none();
        let found = open.iter().rposition(|(_, kind)| *kind == opener);
        // A parenthesis never reaches over an open brace.
        let brace_between = found.is_some_and(|at| open[at..].iter().any(|(_, kind)| *kind == Punctuator::LeftBrace));
        match found {
            Some(at) if opener == Punctuator::LeftBrace || !brace_between => {
                let (start, kind) = open[at + 1];
                if is_first {
                    unclosed(tokens, start, kind, index, diagnostics);
                    self.broken_from = Some(start);
                }
                let (partner, _) = open[at];
                open.truncate(at);
                self.partner[partner] = index as u32;
                self.partner[index] = partner as u32;
            }
            _ => {
                if is_first {
                    let mut report =
                        Report::error(tokens[index].span(), format!("`{}` closes nothing", punctuator.text()));
                    if let Some(&(start, kind)) = open.last() {
                        report = report.label(tokens[start].span(), format!("this `{}` is still open", kind.text()));
                    }
                    diagnostics.emit(report);
                    self.broken_from = Some(index);
                }
            }
        }
    }
}

fn unclosed(tokens: &[Token], start: usize, kind: Punctuator, end: usize, diagnostics: &mut Diagnostics) {
    let report = Report::error(tokens[start].span(), format!("this `{}` is never closed", kind.text()));
    let report = match tokens[end].kind {
        TokenKind::Punctuator(closer) => report.note_at(
            tokens[end].span(),
            format!("`{}` found before its partner", closer.text()),
        ),
        _ => report.note("the file ends before its partner"),
    };
    diagnostics.emit(report);
}
