//! `headers/warpsmith/names.tbl` as sorted arrays: which part of which built-in header declares a name, and what else that part needs.

use std::{collections::BTreeMap, env, fmt::Write, fs, path::Path};

const TABLE: &str = "headers/warpsmith/names.tbl";

/// A line of the table: lines of a header, the names that they declare and those that they use.
struct Part<'t> {
    header: usize,
    first: u16,
    last: u16,
    declares: Vec<&'t str>,
    uses: Vec<&'t str>,
}

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(TABLE).expect("the table is there");
    let (headers, parts) = read(&text);
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("parts.rs"), generate(&headers, &parts)).expect("the folder can be written");
}

/// Headers and parts; the first part of a header stands for the lines that are there whatever is needed of it.
fn read(text: &str) -> (Vec<&str>, Vec<Part<'_>>) {
    let (mut headers, mut parts) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let number = number + 1;
        if !line.starts_with(' ') {
            headers.push(line);
            continue;
        }
        let (lines, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let (declares, uses) = rest
            .split_once(':')
            .unwrap_or_else(|| panic!("{TABLE}:{number}: no `:`"));
        let bound = |text: &str| -> u16 { text.parse().unwrap_or_else(|_| panic!("{TABLE}:{number}: {text}")) };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        parts.push(Part {
            header: headers.len() - 1,
            first: bound(first),
            last: bound(last),
            declares: declares.split_whitespace().collect(),
            uses: uses.split_whitespace().collect(),
        });
    }
    (headers, parts)
}

fn generate(headers: &[&str], parts: &[Part<'_>]) -> String {
    let mut declaring: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        for name in &part.declares {
            declaring.entry(name).or_default().push(index);
        }
    }
    let mut text = String::from("/// The headers, with their first part and the one after their last.\n");
    writeln!(text, "pub(super) static HEADERS: &[(&str, u16, u16)] = &[").unwrap();
    for (index, header) in headers.iter().enumerate() {
        let first = parts.iter().position(|part| part.header == index);
        let first = first.unwrap_or_else(|| panic!("{TABLE}: {header} has no line"));
        let after = first + parts[first..].iter().take_while(|part| part.header == index).count();
        writeln!(text, "({header:?}, {first}, {after}),").unwrap();
    }
    text.push_str("];\n/// The parts: header, first and last line, parts that are needed with it.\n");
    writeln!(text, "pub(super) static PARTS: &[(u8, u16, u16, &[u16])] = &[").unwrap();
    for (index, part) in parts.iter().enumerate() {
        let mut needs: Vec<usize> = part
            .uses
            .iter()
            .flat_map(|name| {
                declaring
                    .get(name)
                    .unwrap_or_else(|| panic!("{TABLE}: nothing declares {name}"))
            })
            .copied()
            .filter(|other| *other != index)
            .collect();
        needs.sort_unstable();
        needs.dedup();
        writeln!(text, "({}, {}, {}, &{needs:?}),", part.header, part.first, part.last).unwrap();
    }
    text.push_str("];\n/// The names in order, with the parts that declare each.\n");
    writeln!(text, "pub(super) static NAMES: &[(&str, &[u16])] = &[").unwrap();
    for (name, parts) in declaring {
        writeln!(text, "({name:?}, &{parts:?}),").unwrap();
    }
    text.push_str("];\n");
    text
}
