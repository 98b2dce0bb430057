//! Names in PTX: letters, digits, `_` and `$`; the IR allows anything.

use rustc_hash::FxHashSet;

/// Gives names that are valid in PTX and differ from each other.
#[derive(Debug, Default)]
pub(crate) struct Namer {
    taken: FxHashSet<String>,
}

impl Namer {
    /// The name of a symbol: as it is where PTX allows it, else with `_$_` for what it does not allow. Names that are visible outside are to be
    /// named before the others, so that they stay as they are.
    pub(crate) fn name(&mut self, symbol: &str) -> String {
        let name = valid(symbol);
        if self.taken.insert(name.clone()) {
            return name;
        }
        let mut number = 1u32;
        loop {
            let candidate = format!("{name}_${number}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
            number += 1;
        }
    }
}

fn valid(symbol: &str) -> String {
    let mut name = String::with_capacity(symbol.len());
    for character in symbol.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => name.push(character),
            _ => name.push_str("_$_"),
        }
    }
    // A digit cannot be first, nor can `_` or `$` stand alone.
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.len() < 2 && !name.starts_with(char::is_alphabetic) {
        name.insert_str(0, "_$");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::Namer;

    #[test]
    fn what_ptx_does_not_allow_is_replaced() {
        let mut namer = Namer::default();
        assert_eq!(namer.name("_Z3addPf"), "_Z3addPf");
        assert_eq!(namer.name(".str"), "_$_str");
        assert_eq!(namer.name(".str.1"), "_$_str_$_1");
        assert_eq!(namer.name("0"), "_$0");
        assert_eq!(namer.name("_"), "_$_");
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut namer = Namer::default();
        assert_eq!(namer.name("a.b"), "a_$_b");
        assert_eq!(namer.name("a@b"), "a_$_b_$1");
    }
}
