//! Names spelled like another, for "did you mean".

use crate::hir::ClassId;
use crate::sema::Sema;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::source::Symbol;

impl<'a> Sema<'a> {
    /// A name that can be seen from here and is spelled like one that cannot: for "did you mean".
    pub fn similar_name(&self, name: Symbol) -> Option<Symbol> {
        let mut best = Best::new(self.text(name));
        for scope in self.scopes.outwards(self.scope) {
            self.consider_scope(scope, &mut best);
            if let ScopeKind::Class(class) = self.scopes.kind(scope) {
                self.consider_bases(class, &mut best, 0);
            }
        }
        best.found
    }
    /// The same among the members of a class.
    pub fn similar_member(&self, class: ClassId, name: Symbol) -> Option<Symbol> {
        let mut best = Best::new(self.text(name));
        self.consider_scope(self.classes[class.index()].scope, &mut best);
        self.consider_bases(class, &mut best, 0);
        best.found
    }
    /// The same among the members of a scope.
    pub fn similar_in(&self, scope: ScopeId, name: Symbol) -> Option<Symbol> {
        let mut best = Best::new(self.text(name));
        self.consider_scope(scope, &mut best);
        best.found
    }
    fn consider_bases(&self, class: ClassId, best: &mut Best, depth: usize) {
        if depth > 64 {
            return;
        }
        for base in &self.classes[class.index()].bases {
            self.consider_scope(self.classes[base.class.index()].scope, best);
            self.consider_bases(base.class, best, depth + 1);
        }
    }
    fn consider_scope(&self, scope: ScopeId, best: &mut Best) {
        for (name, declared) in self.scopes.get(scope).all_names() {
            if declared.iter().any(|declared| !declared.hidden) {
                best.consider(name, self.text(name));
            }
        }
    }
}

/// The nearest name so far; of equally near ones that which comes first in the alphabet, so that tables in no order give one answer.
struct Best {
    wanted: String,
    found: Option<Symbol>,
    text: String,
    distance: usize,
}

impl Best {
    fn new(wanted: &str) -> Best {
        // A third of the letters may differ.
        let distance = (wanted.chars().count() / 3).clamp(1, 3) + 1;
        Best {
            wanted: wanted.to_string(),
            found: None,
            text: String::new(),
            distance,
        }
    }
    fn consider(&mut self, name: Symbol, text: &str) {
        if text == self.wanted
            || text.starts_with("__") && !self.wanted.starts_with('_')
            || text.contains(' ')
            || text.is_empty()
        {
            return;
        }
        if text.len().abs_diff(self.wanted.len()) > self.distance {
            return;
        }
        let distance = edit_distance(&self.wanted, text);
        if distance < self.distance || distance == self.distance && self.found.is_some() && text < self.text.as_str() {
            self.distance = distance;
            self.found = Some(name);
            self.text = text.to_string();
        }
    }
}

/// How many letters must be put in, taken out, changed or swapped with the next.
pub(crate) fn edit_distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, &letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, &wanted) in other.iter().enumerate() {
            let change = usize::from(letter != wanted && !letter.eq_ignore_ascii_case(&wanted))
                .max(usize::from(letter != wanted));
            let mut cost = (last[column] + change).min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && letter == other[column - 1] && one[row - 1] == wanted {
                cost = cost.min(before_last[column - 1] + 1);
            }
            next.push(cost);
        }
        before_last = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("value", "value"), 0);
        assert_eq!(edit_distance("vlaue", "value"), 1);
        assert_eq!(edit_distance("valu", "value"), 1);
        assert_eq!(edit_distance("abc", "xyz"), 3);
    }
}
