//! What programs meet of a driver: `ir-defs/client/` in, tables of the stand-in for the driver out.
//!
//! [`functions`], [`errors`] and [`device`] read one table each, one row a line; the grammars stand at the top of the tables. Refused: unknown words,
//! rows with too few columns, names, numbers and chips given twice, and references to rows that are not there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::TableError;

/// The lines of a table that are no comments, with their numbers.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Reads the table of functions and returns the list of those that are refused, as a call of `refused!`, the names of those that are done, and what the
/// plain names mean, by the version of CUDA.
///
/// # Errors
/// The first row that breaks a rule, with its line.
pub fn functions(file: &str, text: &str) -> Result<String, TableError> {
    let (mut refused, mut done) = (String::new(), String::new());
    let mut known = BTreeSet::new();
    // By plain name and version.
    let mut meant: BTreeMap<&str, BTreeMap<u32, &str>> = BTreeMap::new();
    let mut plain = Vec::new();
    for (line, row) in rows(text) {
        let refuse = |message: String| TableError::new(file, line, message);
        let columns: Vec<&str> = row.split_whitespace().collect();
        let (&[api, name, state], rest) = columns
            .split_first_chunk()
            .ok_or_else(|| refuse("a row has an API, a name and a state".to_string()))?;
        if !["driver", "runtime"].contains(&api) {
            return Err(refuse(format!("`{api}` is no API")));
        }
        if !known.insert(name) {
            return Err(refuse(format!("`{name}` a second time")));
        }
        let _ = match state {
            "done" => writeln!(done, "    \"{name}\","),
            "refused" => writeln!(refused, "    {name}"),
            other => return Err(refuse(format!("`{other}` is no state"))),
        };
        // What the header makes of a plain name is the header's.
        let rest = match rest {
            [rest @ .., "newest", newest] => {
                plain.push((line, *newest));
                rest
            }
            rest => rest,
        };
        let (version, of) = match rest {
            [] => continue,
            ["since", version] => (version, name),
            ["since", version, "of", of] => (version, *of),
            _ => return Err(refuse(format!("`{}` after the state", rest.join(" ")))),
        };
        let number = version.parse();
        let number = number.map_err(|_| refuse(format!("`{version}` is no version")))?;
        plain.push((line, of));
        if meant.entry(of).or_default().insert(number, name).is_some() {
            return Err(refuse(format!("`{of}` means two functions since {version}")));
        }
    }
    for (line, name) in plain {
        if !known.contains(name) {
            return Err(TableError::new(file, line, format!("there is no `{name}`")));
        }
    }
    let mut variants = String::new();
    for (name, by_version) in &meant {
        let list: Vec<String> = by_version
            .iter()
            .map(|(since, of)| format!("({since}, \"{of}\")"))
            .collect();
        let _ = writeln!(variants, "        \"{name}\" => &[{}],", list.join(", "));
    }
    Ok(format!(
        "refused! {{\n{refused}}}\n\n/// Functions that are done.\n#[cfg(test)]\npub(crate) static DONE: &[&str] = &[\n{done}];\n\n\
         /// What a plain name means: since which version of CUDA, and which function; none where it is one function alone.\n\
         fn variants(name: &str) -> &'static [(i32, &'static str)] {{\n    match name {{\n{variants}        _ => &[],\n    }}\n}}\n"
    ))
}

/// Reads the table of results and returns it as a list.
///
/// # Errors
/// The first row that breaks a rule, with its line.
pub fn errors(file: &str, text: &str) -> Result<String, TableError> {
    let mut out = "/// All results, by number.\npub(crate) static RESULTS: &[Named] = &[\n".to_string();
    let mut last = None;
    for (line, row) in rows(text) {
        let refuse = |message: &str| TableError::new(file, line, message);
        let mut rest = row;
        let mut column = || {
            let (first, left) = rest.trim_start().split_once(char::is_whitespace)?;
            rest = left;
            Some(first)
        };
        let (Some(number), Some(driver), Some(runtime)) = (column(), column(), column()) else {
            return Err(refuse("a row has a number, two names and words"));
        };
        let words = rest.trim();
        let number: i32 = number.parse().map_err(|_| refuse("a row begins with a number"))?;
        if last.is_some_and(|last| number <= last) || words.is_empty() {
            return Err(refuse("the numbers ascend, and all have words"));
        }
        last = Some(number);
        let name = |name: &str| match name {
            "-" => "None".to_string(),
            name => format!("Some(c\"{name}\")"),
        };
        let _ = writeln!(
            out,
            "    Named {{ number: {number}, driver: {}, runtime: {}, words: c{words:?} }},",
            name(driver),
            name(runtime)
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// The facts of a chip, in order of the fields of its structure.
const CHIP: [&str; 7] = [
    "clock",
    "memory_clock",
    "bus_width",
    "l2_bytes",
    "copy_engines",
    "integrated",
    "single_to_double",
];

/// A chip of the table: its SM number, its name, and its facts by name.
type Chip<'t> = (u32, &'t str, Vec<(&'t str, u32)>);

/// Reads the table of the device and returns its attributes, properties and chips.
///
/// # Errors
/// The first row that breaks a rule, with its line.
pub fn device(file: &str, text: &str) -> Result<String, TableError> {
    let (mut attributes, mut properties) = (String::new(), String::new());
    let mut numbers = BTreeSet::new();
    let mut chips: Vec<Chip> = Vec::new();
    for (line, row) in rows(text) {
        let refuse = |message: String| TableError::new(file, line, message);
        let number = |text: &str| {
            text.parse::<u32>()
                .map_err(|_| refuse(format!("`{text}` is no number")))
        };
        let words: Vec<&str> = row.split_whitespace().collect();
        match words[..] {
            ["attribute", which, name, ref given @ ..] => {
                let which = number(which)?;
                if !numbers.insert(which) {
                    return Err(refuse(format!("attribute {which} a second time")));
                }
                let given = value(given).map_err(refuse)?;
                let _ = writeln!(attributes, "    // {name}\n    ({which}, {given}),");
            }
            ["property", offset, bytes, name, ref given @ ..] => {
                let (offset, bytes) = (number(offset)?, number(bytes)?);
                if ![4, 8].contains(&bytes) {
                    return Err(refuse(format!("a property of {bytes} bytes")));
                }
                let given = value(given).map_err(refuse)?;
                let _ = writeln!(properties, "    // {name}\n    ({offset}, {bytes}, {given}),");
            }
            ["chip", which, ..] => {
                let name = row.splitn(3, ' ').nth(2).unwrap_or_default();
                chips.push((number(which)?, name, Vec::new()));
            }
            [fact, given] if row.starts_with(' ') => {
                let (_, _, facts) = chips
                    .last_mut()
                    .ok_or_else(|| refuse("a fact of no chip".to_string()))?;
                if !CHIP.contains(&fact) || facts.iter().any(|(known, _)| *known == fact) {
                    return Err(refuse(format!("`{fact}` is no fact, or a second one")));
                }
                facts.push((fact, number(given)?));
            }
            _ => return Err(refuse(format!("`{row}` is no row"))),
        }
    }
    let mut list = String::new();
    for (number, name, facts) in &chips {
        let fields = CHIP.iter().map(|field| {
            let (_, value) = facts.iter().find(|(known, _)| known == field)?;
            Some(format!("{field}: {value}"))
        });
        let fields: Option<Vec<String>> = fields.collect();
        let fields = fields.ok_or_else(|| TableError::new(file, 0, format!("chip {number} lacks a fact")))?;
        let _ = writeln!(list, "    // {name}\n    ({number}, Chip {{ {} }}),", fields.join(", "));
    }
    Ok(format!(
        "/// Attributes by number.\npub(crate) static ATTRIBUTES: &[(i32, Value)] = &[\n{attributes}];\n\n\
         /// Fields of `cudaDeviceProp`: offset, bytes, value.\npub(crate) static PROPERTIES: &[(usize, usize, Value)] = &[\n{properties}];\n\n\
         /// What the targets stand for, by number.\nstatic CHIPS: &[(u32, Chip)] = &[\n{list}];\n"
    ))
}

/// A value of the table of the device.
fn value(words: &[&str]) -> Result<String, String> {
    let camel = |text: &str| -> String {
        let parts = text.split('_').map(|part| {
            let (first, rest) = part.split_at_checked(1).unwrap_or((part, ""));
            first.to_uppercase() + rest
        });
        parts.collect()
    };
    match words {
        [one] => match one.parse::<i32>() {
            Ok(number) => Ok(format!("Value::Number({number})")),
            Err(_) => Err(format!("`{one}` is no number")),
        },
        ["attribute", which] => match which.parse::<i32>() {
            Ok(number) => Ok(format!("Value::Attribute({number})")),
            Err(_) => Err(format!("`{which}` is no attribute")),
        },
        ["target", fact] => Ok(format!("Value::Target(TargetFact::{})", camel(fact))),
        ["chip", fact] => Ok(format!("Value::Chip(ChipFact::{})", camel(fact))),
        ["setting", fact] => Ok(format!("Value::Setting(SettingFact::{})", camel(fact))),
        _ => Err(format!("`{}` is no value", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_tree_are_read() {
        let functions_table = include_str!("../../ir-defs/client/functions.tbl");
        functions("functions.tbl", functions_table).unwrap();
        errors("errors.tbl", include_str!("../../ir-defs/client/errors.tbl")).unwrap();
        let out = device("device.tbl", include_str!("../../ir-defs/client/device.tbl")).unwrap();
        assert!(out.contains("(20, Value::Number(0))"), "{out}");
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_line() {
        let said = |result: Result<String, TableError>| result.unwrap_err().to_string();
        assert_eq!(
            said(functions("f", "driver cuA done\ndriver cuA refused")),
            "f:2: `cuA` a second time"
        );
        assert_eq!(said(functions("f", "driver cuA perhaps")), "f:1: `perhaps` is no state");
        assert_eq!(
            said(functions("f", "driver cuA_v2 done since 3020 of cuA")),
            "f:1: there is no `cuA`"
        );
        assert_eq!(
            said(functions(
                "f",
                "driver cuA done since 3020\ndriver cuA_v2 done since 3020 of cuA"
            )),
            "f:2: `cuA` means two functions since 3020"
        );
        assert_eq!(
            said(functions("f", "driver cuA done since new")),
            "f:1: `new` is no version"
        );
        assert_eq!(
            said(errors("e", "2 A b words\n1 C d words")),
            "e:2: the numbers ascend, and all have words"
        );
        assert_eq!(
            said(device("d", "attribute 1 A 2\nattribute 1 B 3")),
            "d:2: attribute 1 a second time"
        );
        assert_eq!(said(device("d", "attribute 1 A target")), "d:1: `target` is no number");
        assert_eq!(
            said(device("d", "chip 75 T\n  clock 1")),
            "d: chip 75 lacks a fact".replace("d:", "d:0:")
        );
    }
}
