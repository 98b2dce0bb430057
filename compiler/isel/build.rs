//! `intrinsics.tbl` as an array of its lines, each taken apart as far as finding the one of an intrinsic needs.

use std::{env, fmt::Write, fs, path::Path};

const TABLE: &str = "intrinsics.tbl";

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(TABLE).expect("the table is there");
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("lines.rs"), generate(&text)).expect("the folder can be written");
}

fn generate(table: &str) -> String {
    let mut text = String::from("/// The rows of `intrinsics.tbl`, in their order.\nstatic LINES: &[Line] = &[\n");
    let lines = table.lines().zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')) {
        // ` =` does not occur within a name pattern.
        let (left, instructions) = line
            .split_once(" =")
            .unwrap_or_else(|| panic!("{TABLE}:{number}: no ` =`"));
        let (name, target) = match left.split_once(" [sm") {
            Some((name, gate)) => (name, gate.trim_end_matches(']')),
            None => (left, "0"),
        };
        let target: u16 = target.parse().unwrap_or_else(|_| panic!("{TABLE}:{number}: {target}"));
        let split = name.find(['{', '*']).unwrap_or(name.len());
        let (prefix, pattern) = name.split_at(split);
        let instructions = instructions.trim();
        writeln!(
            text,
            "Line {{ prefix: {prefix:?}, pattern: {pattern:?}, target: {target}, instructions: {instructions:?} }},"
        )
        .unwrap();
    }
    text.push_str("];\n");
    text
}
