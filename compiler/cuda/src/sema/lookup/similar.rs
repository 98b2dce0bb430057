//! Names spelled like another, for "did you mean".

use strsim::osa_distance;

use crate::hir::ClassId;
use crate::sema::Sema;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::source::Symbol;

impl<'a> Sema<'a> {
    /// A name that can be seen from here and is spelled like one that cannot: for "did you mean".
    pub fn similar_name(&self, name: Symbol) -> Option<Symbol> {
        // In an attempt nobody reads it.
        if self.immediate_traps > 0 {
            return None;
        }
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
        let distance = osa_distance(&self.wanted, text);
        if distance < self.distance || distance == self.distance && self.found.is_some() && text < self.text.as_str() {
            self.distance = distance;
            self.found = Some(name);
            self.text = text.to_string();
        }
    }
}
