//! The names that a scope declares.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::scope::Declared;
use crate::source::Symbol;

/// What a name stands for, in order of declaration.
pub(super) type Declarations = SmallVec<[Declared; 1]>;

/// So many names are searched one by one; where there are more they are hashed.
const FEW: usize = 8;

/// A map from names to what they stand for. Most scopes are the bindings of a template's one or two parameters: those are in the scope itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Where there are no more than [`FEW`].
    few: SmallVec<[(Symbol, Declarations); 2]>,
    /// All of them, where there are more.
    many: Option<Box<FxHashMap<Symbol, Declarations>>>,
}

impl Names {
    pub(super) fn get(&self, name: Symbol) -> Option<&Declarations> {
        match &self.many {
            Some(many) => many.get(&name),
            None => self.few.iter().find(|entry| entry.0 == name).map(|entry| &entry.1),
        }
    }

    pub(super) fn get_mut(&mut self, name: Symbol) -> Option<&mut Declarations> {
        match &mut self.many {
            Some(many) => many.get_mut(&name),
            None => self
                .few
                .iter_mut()
                .find(|entry| entry.0 == name)
                .map(|entry| &mut entry.1),
        }
    }

    /// What a name stands for, to add to.
    pub(super) fn get_or_add(&mut self, name: Symbol) -> &mut Declarations {
        if self.many.is_none() && self.few.len() == FEW && self.get(name).is_none() {
            self.many = Some(Box::new(self.few.drain(..).collect()));
        }
        if let Some(many) = &mut self.many {
            return many.entry(name).or_default();
        }
        let index = self.few.iter().position(|entry| entry.0 == name).unwrap_or_else(|| {
            self.few.push((name, Declarations::new()));
            self.few.len() - 1
        });
        &mut self.few[index].1
    }

    /// All names, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Symbol, &Declarations)> {
        let many = self
            .many
            .iter()
            .flat_map(|many| many.iter().map(|(&name, list)| (name, list)));
        self.few.iter().map(|(name, list)| (*name, list)).chain(many)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_none()
    }
}
