//! Suggestions for names that are not known and words that are misspelt.

use crate::source::{Keyword, Punctuator, Report, Symbol};
use crate::syntax::ast::NameKind;

use super::Parser;
use super::scope::Wanted;

/// The number of letters to insert, remove, replace or exchange with their neighbour to make one word of another; `None` if more than `limit`.
pub(super) fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.chars().count().abs_diff(b.chars().count()) > limit {
        return None;
    }
    Some(strsim::osa_distance(a, b)).filter(|&distance| distance <= limit)
}

/// How many letters may differ in a word of this length.
fn tolerance(word: &str) -> usize {
    match word.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// The keyword that a word is likely meant to be.
pub(super) fn misspelt_keyword(word: &str) -> Option<&'static str> {
    let limit = tolerance(word);
    let near = Keyword::SPELLINGS
        .iter()
        .filter_map(|&(text, _)| Some((distance(word, text, limit)?, text)))
        .filter(|&(distance, _)| distance > 0);
    near.min().map(|(_, text)| text)
}

impl Parser<'_> {
    /// The known type nearest to a name, a keyword of a type included.
    pub(super) fn nearest_type(&self, name: Symbol) -> Option<String> {
        let word = self.context.text(name);
        let limit = tolerance(word);
        let types = self
            .scopes
            .visible()
            .filter(|(_, kind)| matches!(kind, NameKind::Type | NameKind::TypeTemplate));
        let declared = types.map(|(other, _)| self.context.text(other));
        let keywords = Keyword::SPELLINGS
            .iter()
            .map(|&(text, _)| text)
            .filter(|text| !text.starts_with('_'));
        let near = declared
            .chain(keywords)
            .filter_map(|text| Some((distance(word, text, limit)?, text)))
            .filter(|&(distance, _)| distance > 0);
        near.min().map(|(_, text)| text.to_string())
    }
}

impl Parser<'_> {
    /// The known class or namespace nearest to a name.
    pub(super) fn nearest_scope(&self, name: Symbol) -> Option<String> {
        let word = self.context.text(name);
        let limit = tolerance(word);
        let is_scope = |kind| matches!(kind, NameKind::Type | NameKind::TypeTemplate | NameKind::Namespace);
        let scopes = self.scopes.visible().filter(|&(_, kind)| is_scope(kind));
        let near = scopes.filter_map(|(other, _)| {
            let text = self.context.text(other);
            Some((distance(word, text, limit)?, text))
        });
        near.min().map(|(_, text)| text.to_string())
    }
}

/// How far an error may be from the name that it comes from, in tokens.
const FAR: usize = 64;

impl Parser<'_> {
    /// The note on a name that a header declares which is not included, by the token where the name begins: of all parts that `::` joins, or of fewer.
    pub(super) fn note_of_header(&self, start: usize) -> Option<String> {
        let mut paths = vec![self.context.text(self.token_at(start).identifier()?).to_string()];
        let mut at = start;
        while self.token_at(at + 1).is(Punctuator::DoubleColon)
            && let Some(next) = self.token_at(at + 2).identifier()
        {
            let path = format!("{}::{}", paths.last()?, self.context.text(next));
            paths.push(path);
            at += 2;
        }
        paths.iter().rev().find_map(|path| self.context.note_of_header(path))
    }

    /// The error that a name of a header is not declared, where that is likely what another error comes from: such a name is among the tokens of the statement or
    /// declaration up to there. With the token of the name.
    pub(super) fn error_of_header(&self) -> Option<(usize, Report)> {
        // What is not known may be a member of a base.
        if self.scopes.may_miss_names() {
            return None;
        }
        let ends = |at: &usize| {
            let token = self.token_at(*at);
            [Punctuator::Semicolon, Punctuator::LeftBrace, Punctuator::RightBrace]
                .iter()
                .any(|end| token.is(*end))
        };
        let least = self.position.saturating_sub(FAR);
        let start = (least..self.position).rev().find(ends).map_or(least, |end| end + 1);
        (start..=self.position).find_map(|at| {
            let before = self.token_at(at.max(1) - 1);
            let is_first = ![Punctuator::DoubleColon, Punctuator::Dot, Punctuator::Arrow]
                .iter()
                .any(|part| before.is(*part));
            if !is_first {
                return None;
            }
            let unknown = self.unknown_part(at)?;
            let note = self.note_of_header(at)?;
            let texts: Vec<&str> = (at..=unknown)
                .step_by(2)
                .filter_map(|part| Some(self.context.text(self.token_at(part).identifier()?)))
                .collect();
            let span = self.token_at(at).span().to(self.token_at(unknown).span());
            let message = format!("`{}` is not declared", texts.join("::"));
            Some((at, Report::error(span, message).note(note)))
        })
    }

    /// The first part of a name that nothing declares.
    fn unknown_part(&self, start: usize) -> Option<usize> {
        let mut at = start;
        let mut entry = self.scopes.find(self.token_at(at).identifier()?, Wanted::Any);
        loop {
            let Some(known) = entry else { return Some(at) };
            let (scope, follows) = (known.scope?, self.token_at(at + 1).is(Punctuator::DoubleColon));
            let next = self.token_at(at + 2).identifier().filter(|_| follows)?;
            entry = self.scopes.find_in(scope, next, Wanted::Any);
            at += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("flaot", "float", 2), Some(1));
        assert_eq!(distance("int", "int", 1), Some(0));
        assert_eq!(distance("uint32", "uint32_t", 2), Some(2));
        assert_eq!(distance("a", "abcd", 2), None);
        assert_eq!(misspelt_keyword("retrun"), Some("return"));
        assert_eq!(misspelt_keyword("xyzzy"), None);
    }
}
