//! Special registers.

use crate::table::{SPECIALS, SpecialInfo};

/// A special register: an index into [`SPECIALS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpecialRegister(pub u16);

impl SpecialRegister {
    /// The special register named by `name`, with its percent sign, without a component.
    pub fn from_name(name: &str) -> Option<SpecialRegister> {
        SPECIALS
            .binary_search_by(|row| row.name.cmp(name))
            .ok()
            .map(|index| SpecialRegister(index as u16))
    }

    /// What the tables say.
    pub fn info(self) -> &'static SpecialInfo {
        &SPECIALS[self.0 as usize]
    }

    /// Name with the percent sign.
    pub fn name(self) -> &'static str {
        self.info().name
    }
}
