//! Labels that are used before they are defined.
//!
//! Each use gets a [`LabelId`] at once. A label is seen in the scope that defines it and in those inside, so an open use moves outwards when its scope
//! ends, until a scope defines the name or the function ends.

use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::Parser;
use crate::{
    Problem, Span,
    module::{Label, LabelId, LabelKind, Name},
    scope::Meaning,
};

/// What a label is until it is defined.
const UNDEFINED: LabelKind = LabelKind::Place(u32::MAX);

/// Uses of one name, not defined so far, that now count as made in one scope.
#[derive(Debug)]
struct Open {
    depth: u32,
    labels: SmallVec<[LabelId; 1]>,
}

/// Takes the innermost uses, if they are of this depth.
fn take_open(stack: &mut SmallVec<[Open; 1]>, depth: u32) -> Option<Open> {
    if stack.last()?.depth == depth {
        stack.pop()
    } else {
        None
    }
}

/// Open uses of labels of the current function.
#[derive(Debug, Default)]
pub(super) struct Labels {
    open: hashbrown::HashMap<Name, SmallVec<[Open; 1]>, FxBuildHasher>,
    /// Names with open uses, by depth.
    names: Vec<Vec<Name>>,
    /// Names reported as unknown in this function.
    unknown: hashbrown::HashSet<Name, FxBuildHasher>,
}

impl Labels {
    fn names_at(&mut self, depth: u32) -> &mut Vec<Name> {
        let depth = depth as usize;
        if self.names.len() <= depth {
            self.names.resize_with(depth + 1, Vec::new);
        }
        &mut self.names[depth]
    }

    /// The scope at `depth` ends: its open uses become those of the scope around it.
    pub(super) fn close(&mut self, depth: u32) {
        if self.names.len() <= depth as usize {
            return;
        }
        for name in std::mem::take(&mut self.names[depth as usize]) {
            let Entry::Occupied(mut entry) = self.open.entry(name) else {
                continue;
            };
            let stack = entry.get_mut();
            let Some(top) = take_open(stack, depth) else { continue };
            match stack.last_mut() {
                Some(outer) if outer.depth + 1 == depth => outer.labels.extend(top.labels),
                _ => {
                    stack.push(Open {
                        depth: depth - 1,
                        labels: top.labels,
                    });
                    self.names_at(depth - 1).push(name);
                }
            }
        }
    }
}

impl Parser<'_> {
    fn new_label(&mut self, name: Name, kind: LabelKind, span: Span) -> LabelId {
        let id = LabelId(self.body.labels.len() as u32);
        self.body.labels.push(Label { name, kind, span });
        id
    }

    /// A use of a name that nothing here declares: a label that must come later.
    pub(super) fn use_label(&mut self, text: &str, span: Span) -> LabelId {
        let name = self.intern(text);
        let depth = self.scopes.depth();
        if let Some(top) = self.labels.open.get(&name).and_then(|stack| stack.last())
            && top.depth == depth
        {
            return top.labels[0];
        }
        let id = self.new_label(name, UNDEFINED, span);
        let labels = SmallVec::from_slice(&[id]);
        self.labels.open.entry(name).or_default().push(Open { depth, labels });
        self.labels.names_at(depth).push(name);
        id
    }

    /// Defines a label in the innermost scope, if its name is free.
    pub(super) fn define_label(&mut self, text: &str, kind: LabelKind, span: Span) -> Option<LabelId> {
        let name = self.intern(text);
        let depth = self.scopes.depth();
        let table = !matches!(kind, LabelKind::Place(_));
        let open = if table {
            None
        } else {
            self.labels
                .open
                .get_mut(&name)
                .and_then(|stack| take_open(stack, depth))
        };
        let id = match &open {
            Some(open) => open.labels[0],
            None => LabelId(self.body.labels.len() as u32),
        };
        if !self.declare(name, Meaning::Label(id), span) {
            return None;
        }
        match open {
            Some(open) => {
                for label in open.labels {
                    self.body.labels[label.0 as usize] = Label {
                        name,
                        kind: kind.clone(),
                        span,
                    };
                }
                Some(id)
            }
            None => Some(self.new_label(name, kind, span)),
        }
    }

    /// Reports that something other than a place was used before its declaration here; the uses are settled by that.
    pub(super) fn refuse_early_uses(&mut self, name: Name) {
        let depth = self.scopes.depth();
        if self.labels.open.is_empty() {
            return;
        }
        let Some(open) = self
            .labels
            .open
            .get_mut(&name)
            .and_then(|stack| take_open(stack, depth))
        else {
            return;
        };
        let text = self.module.names.get(name);
        let used = self.body.labels[open.labels[0].0 as usize].span;
        let problem = Problem::fatal(used, format!("'{text}' is used here, before its declaration"))
            .note("only labels of places in the code may be used before they are defined")
            .vendor(format!("Label expected for forward reference of '{text}'"));
        self.report(problem);
    }

    /// Whether a label is defined.
    pub(super) fn is_defined(&self, label: LabelId) -> bool {
        !matches!(self.body.labels[label.0 as usize].kind, LabelKind::Place(u32::MAX))
    }

    /// At the end of a function: what was used and never defined.
    pub(super) fn report_open_labels(&mut self) {
        let mut open: Vec<LabelId> = self
            .labels
            .open
            .values()
            .flatten()
            .filter_map(|open| open.labels.first())
            .copied()
            .collect();
        open.sort_unstable();
        for label in open {
            let Label { name, span, .. } = self.body.labels[label.0 as usize];
            let text = self.module.names.get(name).to_owned();
            self.unknown(&text, span);
        }
        self.labels.open.clear();
        self.labels.names.clear();
        self.labels.unknown.clear();
    }

    /// Reports an unknown name, once in a function.
    pub(super) fn unknown(&mut self, text: &str, span: Span) {
        let name = self.intern(text);
        if self.scopes.depth() > 0 && !self.labels.unknown.insert(name) {
            return;
        }
        let problem =
            Problem::error(span, format!("'{text}' is not declared")).vendor(format!("Unknown symbol '{text}'"));
        let problem = self.suggest(problem, text);
        self.report(problem);
    }
}
