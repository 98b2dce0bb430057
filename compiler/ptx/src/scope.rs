//! What names mean at a place of the text: declarations in nested scopes, and registers by prefix and number.
//!
//! Each name has a chain of entries, innermost first, so that looking up costs one hash of the text; most uses of registers (`%r123`) do not even
//! pay that, but find their range in a small cache keyed by the bytes of the prefix.

use crate::module::{FunctionId, LabelId, Name, Names, VariableId};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A register declared by itself: its number.
    Register(u32),
    /// `NAME<COUNT>`: the number of the first register, and how many.
    Range(u32, u32),
    /// A variable or parameter.
    Variable(VariableId),
    /// A function or kernel.
    Function(FunctionId),
    /// A label or table of the function.
    Label(LabelId),
}

/// No entry.
const NONE: u32 = u32::MAX;

/// Entries of one name.
#[derive(Clone, Copy, Debug)]
struct Heads {
    /// Innermost meaning of the name itself.
    exact: u32,
    /// Innermost range of registers with this prefix.
    range: u32,
    /// How many live names consist of this prefix and a number, and are not of a range.
    numbered: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    name: Name,
    /// The name without its number, where it ends in one.
    prefix: Option<(Name, u32)>,
    meaning: Meaning,
    depth: u32,
    shadowed: u32,
}

const CACHE_SIZE: usize = 32;

/// One remembered prefix: its bytes as a number (0: none), the first register, the count.
type Cached = (u64, u32, u32);

/// All declarations that can be seen at the current place.
#[derive(Debug)]
pub(crate) struct Scopes {
    heads: Vec<Heads>,
    entries: Vec<Entry>,
    starts: Vec<u32>,
    cache: [Cached; CACHE_SIZE],
    cache_used: bool,
}

/// Splits `%r12` into `%r` and 12; the number must fit and may have leading zeros.
#[inline]
pub(crate) fn split_number(text: &str) -> Option<(&str, u32)> {
    let bytes = text.as_bytes();
    let mut at = bytes.len();
    let (mut number, mut scale) = (0u64, 1u64);
    while at > 0 && bytes[at - 1].is_ascii_digit() {
        at -= 1;
        let digit = u64::from(bytes[at] - b'0');
        if digit != 0 && scale > 1_000_000_000 {
            return None;
        }
        number += digit * scale;
        scale = scale.saturating_mul(10);
    }
    if at == bytes.len() || at == 0 {
        return None;
    }
    Some((&text[..at], u32::try_from(number).ok()?))
}

/// A short prefix as a number that is never 0.
#[inline]
fn pack(prefix: &[u8]) -> Option<u64> {
    if prefix.len() > 8 {
        return None;
    }
    Some(prefix.iter().fold(0, |key, &byte| key << 8 | u64::from(byte)))
}

#[inline]
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59) as usize
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes {
            heads: Vec::new(),
            entries: Vec::new(),
            starts: Vec::new(),
            cache: [(0, 0, 0); CACHE_SIZE],
            cache_used: false,
        }
    }
}

impl Scopes {
    /// How many scopes are open; 0 is the module.
    pub(crate) fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Opens a scope.
    pub(crate) fn open(&mut self) {
        self.starts.push(self.entries.len() as u32);
    }

    /// Closes the innermost scope and forgets what it declared.
    pub(crate) fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0) as usize;
        if self.entries.len() > start {
            self.forget_cache();
        }
        while self.entries.len() > start {
            let Some(entry) = self.entries.pop() else { break };
            let heads = &mut self.heads[entry.name.0 as usize];
            match entry.meaning {
                Meaning::Range(..) => heads.range = entry.shadowed,
                Meaning::Register(_) | Meaning::Variable(_) | Meaning::Function(_) | Meaning::Label(_) => {
                    heads.exact = entry.shadowed;
                }
            }
            if let Some((prefix, _)) = entry.prefix {
                self.heads[prefix.0 as usize].numbered -= 1;
            }
        }
    }

    fn forget_cache(&mut self) {
        if self.cache_used {
            self.cache = [(0, 0, 0); CACHE_SIZE];
            self.cache_used = false;
        }
    }

    fn heads(&self, name: Name) -> Heads {
        self.heads.get(name.0 as usize).copied().unwrap_or(Heads {
            exact: NONE,
            range: NONE,
            numbered: 0,
        })
    }

    fn heads_mut(&mut self, name: Name) -> &mut Heads {
        let index = name.0 as usize;
        if index >= self.heads.len() {
            self.heads.resize(
                index + 1,
                Heads {
                    exact: NONE,
                    range: NONE,
                    numbered: 0,
                },
            );
        }
        &mut self.heads[index]
    }

    fn entry(&self, index: u32) -> Option<&Entry> {
        self.entries.get(index as usize)
    }

    /// Declares a name in the innermost scope. `Err`: it is declared there already (it stays what it was).
    pub(crate) fn declare(&mut self, names: &mut Names, name: Name, meaning: Meaning) -> Result<(), Meaning> {
        let depth = self.depth();
        if let Some(entry) = self.entry(self.heads(name).exact)
            && entry.depth == depth
        {
            return Err(entry.meaning);
        }
        let prefix = split_number(names.get(name)).map(|(prefix, number)| (prefix.to_owned(), number));
        let prefix = prefix.map(|(prefix, number)| (names.intern(&prefix), number));
        if let Some((prefix, number)) = prefix {
            if !matches!(meaning, Meaning::Label(_))
                && let Some(&Entry {
                    meaning: Meaning::Range(first, count),
                    depth: found,
                    ..
                }) = self.entry(self.heads(prefix).range)
                && found == depth
                && number < count
            {
                return Err(Meaning::Range(first, count));
            }
            self.heads_mut(prefix).numbered += 1;
            self.forget_cache();
        }
        let index = self.entries.len() as u32;
        let heads = self.heads_mut(name);
        let shadowed = std::mem::replace(&mut heads.exact, index);
        self.entries.push(Entry {
            name,
            prefix,
            meaning,
            depth,
            shadowed,
        });
        Ok(())
    }

    /// What a name means here.
    pub(crate) fn meaning(&self, name: Name) -> Option<Meaning> {
        self.entry(self.heads(name).exact).map(|entry| entry.meaning)
    }

    /// Declares `NAME<COUNT>` in the innermost scope. `Err`: the name at fault, which is `NAME<` or one of the registers.
    pub(crate) fn declare_range(&mut self, names: &Names, name: Name, first: u32, count: u32) -> Result<(), String> {
        let depth = self.depth();
        let heads = self.heads(name);
        if self.entry(heads.range).is_some_and(|entry| entry.depth == depth) {
            return Err(format!("{}<", names.get(name)));
        }
        if heads.numbered > 0 {
            let start = self.starts.last().map_or(0, |&start| start as usize);
            let clash = self.entries[start..].iter().find(|entry| {
                !matches!(entry.meaning, Meaning::Label(_))
                    && entry
                        .prefix
                        .is_some_and(|(prefix, number)| prefix == name && number < count)
            });
            if let Some(clash) = clash {
                return Err(names.get(clash.name).to_owned());
            }
        }
        self.forget_cache();
        let index = self.entries.len() as u32;
        let heads = self.heads_mut(name);
        let shadowed = std::mem::replace(&mut heads.range, index);
        self.entries.push(Entry {
            name,
            prefix: None,
            meaning: Meaning::Range(first, count),
            depth,
            shadowed,
        });
        Ok(())
    }

    /// What a name means here. A register of a range comes as [`Meaning::Register`].
    #[inline]
    pub(crate) fn look_up(&mut self, names: &Names, text: &str) -> Option<Meaning> {
        let split = split_number(text);
        if let Some((prefix, number)) = split
            && let Some(key) = pack(prefix.as_bytes())
        {
            let (cached, first, count) = self.cache[slot(key)];
            if cached == key && number < count {
                return Some(Meaning::Register(first + number));
            }
        }
        self.look_up_slowly(names, text, split)
    }

    fn look_up_slowly(&mut self, names: &Names, text: &str, split: Option<(&str, u32)>) -> Option<Meaning> {
        let exact = names
            .find(text)
            .and_then(|name| self.entry(self.heads(name).exact))
            .copied();
        let Some((prefix, number)) = split else {
            return exact.map(|entry| entry.meaning);
        };
        let Some(prefix_name) = names.find(prefix) else {
            return exact.map(|entry| entry.meaning);
        };
        let heads = self.heads(prefix_name);
        let mut index = heads.range;
        while let Some(&Entry {
            meaning,
            depth,
            shadowed,
            ..
        }) = self.entry(index)
        {
            if exact.is_some_and(|exact| exact.depth >= depth) {
                break;
            }
            if let Meaning::Range(first, count) = meaning
                && number < count
            {
                // Only the innermost range, and only where no single name hides one of its registers.
                if index == heads.range
                    && heads.numbered == 0
                    && let Some(key) = pack(prefix.as_bytes())
                {
                    self.cache[slot(key)] = (key, first, count);
                    self.cache_used = true;
                }
                return Some(Meaning::Register(first + number));
            }
            index = shadowed;
        }
        exact.map(|entry| entry.meaning)
    }

    /// Names declared here and outwards, innermost first, for suggestions.
    pub(crate) fn visible(&self) -> impl Iterator<Item = (Name, Meaning)> + '_ {
        self.entries.iter().rev().map(|entry| (entry.name, entry.meaning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(names: &mut Names, ranges: &[(&str, u32, u32)]) -> Scopes {
        let mut scopes = Scopes::default();
        scopes.open();
        for &(name, first, count) in ranges {
            let name = names.intern(name);
            scopes.declare_range(names, name, first, count).unwrap();
        }
        scopes
    }

    #[test]
    fn a_number_is_all_digits_at_the_end() {
        assert_eq!(split_number("%r12"), Some(("%r", 12)));
        assert_eq!(split_number("a1b007"), Some(("a1b", 7)));
        assert_eq!(split_number("%r4294967295"), Some(("%r", u32::MAX)));
        assert_eq!(split_number("%r00000000000000000000001"), Some(("%r", 1)));
        assert_eq!(split_number("%r4294967296"), None);
        assert_eq!(split_number("%r99999999999999999999"), None);
        assert_eq!((split_number("%r"), split_number("12")), (None, None));
    }

    #[test]
    fn inner_names_hide_outer_registers() {
        let mut names = Names::default();
        let mut scopes = scopes(&mut names, &[("%r", 0, 9)]);
        assert_eq!(scopes.look_up(&names, "%r1"), Some(Meaning::Register(1)));
        scopes.open();
        let single = names.intern("%r1");
        scopes.declare(&mut names, single, Meaning::Register(20)).unwrap();
        let range = names.intern("%r");
        scopes.declare_range(&names, range, 30, 1).unwrap();
        assert_eq!(scopes.look_up(&names, "%r0"), Some(Meaning::Register(30)));
        assert_eq!(scopes.look_up(&names, "%r1"), Some(Meaning::Register(20)));
        assert_eq!(scopes.look_up(&names, "%r2"), Some(Meaning::Register(2)));
        assert_eq!(scopes.look_up(&names, "%r9"), None);
        scopes.close();
        assert_eq!(scopes.look_up(&names, "%r1"), Some(Meaning::Register(1)));
    }

    #[test]
    fn a_scope_declares_a_name_once() {
        let mut names = Names::default();
        let mut scopes = scopes(&mut names, &[("a", 0, 4)]);
        let single = names.intern("a3");
        assert_eq!(
            scopes.declare(&mut names, single, Meaning::Register(9)),
            Err(Meaning::Range(0, 4))
        );
        assert_eq!(scopes.declare(&mut names, single, Meaning::Label(LabelId(0))), Ok(()));
        let other = names.intern("b2");
        scopes.declare(&mut names, other, Meaning::Register(10)).unwrap();
        let range = names.intern("b");
        assert_eq!(scopes.declare_range(&names, range, 11, 3), Err("b2".to_owned()));
        assert_eq!(scopes.declare_range(&names, range, 11, 2), Ok(()));
        assert_eq!(scopes.declare_range(&names, range, 13, 2), Err("b<".to_owned()));
    }
}
