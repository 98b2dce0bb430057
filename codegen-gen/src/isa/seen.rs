//! Reads `seen.tbl`: which modifier values a compiler was seen to write, by form.

use super::model::Tables;
use crate::TableError;
use std::collections::BTreeMap;

/// By mnemonic and form name: the texts seen of each modifier field; an empty text for a value that prints nothing.
pub type Seen = BTreeMap<(String, String), Vec<(String, Vec<String>)>>;

/// Parses `seen.tbl`, whose lines are `INSTRUCTION FORM: field text text | field text`.
///
/// # Errors
/// A line of another shape, or a name that the tables do not have.
pub fn parse(file: &str, text: &str, tables: &Tables) -> Result<Seen, TableError> {
    let mut seen = Seen::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
    {
        let fail = |m: String| TableError::new(file, index + 1, m);
        let (head, fields) = line
            .split_once(": ")
            .ok_or_else(|| fail("expected `INSTRUCTION FORM: field texts`".into()))?;
        let (mnemonic, form) = head
            .split_once(' ')
            .ok_or_else(|| fail("expected an instruction and a form".into()))?;
        let forms: Vec<_> = tables
            .instructions
            .iter()
            .filter(|i| i.mnemonic == mnemonic)
            .flat_map(|i| &i.forms)
            .filter(|f| f.name == form)
            .collect();
        if forms.is_empty() {
            return Err(fail(format!("there is no form {mnemonic} {form}")));
        }
        let mut list = Vec::new();
        for field in fields.split(" | ") {
            let mut words = field.split(' ');
            let name = words.next().unwrap_or_default();
            if !forms.iter().any(|f| f.field(name).is_some()) {
                return Err(fail(format!("{mnemonic} {form} has no field {name}")));
            }
            let texts = words
                .map(|t| if t == "_" { String::new() } else { t.to_string() })
                .collect();
            list.push((name.to_string(), texts));
        }
        seen.insert((mnemonic.to_string(), form.to_string()), list);
    }
    Ok(seen)
}
