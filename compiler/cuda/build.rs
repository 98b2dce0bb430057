//! `headers/warpsmith/names.tbl` as sorted arrays: which part of which built-in header declares a name, and what else that part needs.

use std::{collections::BTreeMap, env, fmt::Write, fs, path::Path};

const TABLE: &str = "headers/warpsmith/names.tbl";

/// A header of many overloads, and types of which a fragment must be for one of these to be called: a unit that cannot have such a type needs none of them.
const OVERLOADS: (&str, [&str; 3], [&str; 6]) = (
    "mma.h",
    ["load_matrix_sync", "store_matrix_sync", "mma_sync"],
    ["__half", "__nv_bfloat16", "tf32", "b1", "u4", "s4"],
);

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
    // What programs call of a driver.
    let functions = Path::new(warpsmith_ir_defs::FOLDER).join("client/functions.tbl");
    println!("cargo::rerun-if-changed={}", functions.display());
    fs::copy(&functions, Path::new(&folder).join("functions.tbl")).expect("the table is there");
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

/// Of what a unit must have one for a part to be of use to it: a name of another header, or a name of the part's own. (Overloads that need none of the types
/// must not be in one part with those that do: they are not called next to each other.)
fn only_with(headers: &[&str], parts: &[Part<'_>], part: &Part<'_>, declaring: &BTreeMap<&str, Vec<usize>>) -> String {
    let (header, functions, types) = OVERLOADS;
    if headers[part.header] != header || !part.declares.iter().all(|name| functions.contains(name)) {
        return String::new();
    }
    let mut text = String::new();
    for name in types.iter().filter(|name| part.uses.contains(name)) {
        let of = &declaring[name];
        match of.iter().all(|&index| parts[index].header == part.header) {
            true => {
                let number = declaring.keys().position(|declared| declared == name).unwrap();
                write!(text, "Has::Name({number}), ").unwrap();
            }
            false => write!(text, "Has::NameOf({}), ", parts[of[0]].header).unwrap(),
        }
    }
    text
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
    text.push_str("];\n/// The parts.\n");
    writeln!(text, "static PARTS: &[Part] = &[").unwrap();
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
        let (header, first, last) = (part.header, part.first, part.last);
        let only_with = only_with(headers, parts, part, &declaring);
        writeln!(
            text,
            "Part {{ header: {header}, first: {first}, last: {last}, needs: &{needs:?}, only_with: &[{only_with}] }},"
        )
        .unwrap();
    }
    text.push_str("];\n/// The names in order, with the parts that declare each.\n");
    writeln!(text, "pub(super) static NAMES: &[(&str, &[u16])] = &[").unwrap();
    for (name, parts) in declaring {
        writeln!(text, "({name:?}, &{parts:?}),").unwrap();
    }
    text.push_str("];\n");
    text
}
