//! Suggestions for names that are not known and words that are misspelt.

use crate::source::{Keyword, Symbol};
use crate::syntax::ast::NameKind;

use super::Parser;

/// The number of letters to insert, remove, replace or exchange with their neighbour to make one word of another; `None` if more than `limit`.
pub(super) fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && y == a[i - 1] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    Some(last[b.len()]).filter(|&distance| distance <= limit)
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
