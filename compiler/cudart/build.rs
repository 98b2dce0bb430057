//! Tables of what programs meet of the runtime, a function that refuses for each that is not done, and the entries of the driver's functions.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

/// The sources that have exported functions.
const SOURCES: [&str; 9] = [
    "array", "device", "graph", "launch", "library", "memory", "registry", "stream", "lib",
];

fn main() {
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    let out = Path::new(&folder);
    let tables = Path::new(warpsmith_ir_defs::FOLDER).join("client");
    for table in ["errors", "device"] {
        let path = tables.join(format!("{table}.tbl"));
        println!("cargo::rerun-if-changed={}", path.display());
        fs::copy(&path, out.join(format!("{table}.tbl"))).expect("the table is there");
    }
    println!("cargo::rerun-if-changed=src");
    let path = tables.join("functions.tbl");
    println!("cargo::rerun-if-changed={}", path.display());
    let functions = fs::read_to_string(&path).expect("the table is there");
    let done = done();
    let rows = functions.lines().filter_map(|row| row.strip_prefix("runtime"));
    let names = rows.filter_map(|row| row.split_whitespace().next());
    let mut text = String::from("refused! {\n");
    for name in names.filter(|name| !done.contains(*name)) {
        let _ = writeln!(text, "    {name}");
    }
    text.push_str("}\n");
    fs::write(out.join("refused.rs"), text).expect("the folder can be written");
    let names = functions.lines().filter_map(|row| row.strip_prefix("driver"));
    let mut names: Vec<&str> = names.filter_map(|row| row.split_whitespace().next()).collect();
    let path = Path::new("../capi/include/nvrtc.h");
    println!("cargo::rerun-if-changed={}", path.display());
    let header = fs::read_to_string(path).expect("the header is there");
    names.extend(declared(&header));
    fs::write(out.join("entries.rs"), entries(&names)).expect("the folder can be written");
}

/// The functions that a header of NVRTC declares.
fn declared(header: &str) -> impl Iterator<Item = &str> {
    header.match_indices("nvrtc").filter_map(|(at, _)| {
        let length = header[at..].find(|sign: char| !sign.is_alphanumeric())?;
        let is_called = header[at + length..].starts_with('(') && header[..at].ends_with([' ', '*']);
        is_called.then_some(&header[at..at + length])
    })
}

/// The names of the functions of other libraries, and the code that programs call under these names.
fn entries(names: &[&str]) -> String {
    let mut code = String::new();
    for (number, name) in names.iter().enumerate() {
        let _ = write!(
            code,
            ".globl {name}\n.hidden {name}\n.type {name}, @function\n{name}:\n    \
             mov r11, qword ptr [rip + warpsmith_driver_slots + {place}]\n    test r11, r11\n    je 2f\n    jmp r11\n2:\n    \
             mov r11d, {number}\n    jmp warpsmith_driver_find\n.size {name}, . - {name}\n",
            place = 8 * number
        );
    }
    let count = names.len();
    format!(
        "/// The names, in the order of the slots.\nstatic NAMES: [&str; {count}] = {names:?};\n\n\
         /// The code.\nmacro_rules! entries {{\n    () => {{\n        {code:?}\n    }};\n}}\n"
    )
}

/// The functions that the sources have: words that begin as names of the runtime do, in lines that declare.
fn done() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in SOURCES {
        let text = fs::read_to_string(format!("src/{source}.rs")).unwrap_or_default();
        for line in text.lines() {
            let Some(at) = line.find("fn ") else { continue };
            let head = line.find(']').filter(|&end| end < at).map_or("", |end| &line[..end]);
            let name = line[at + 3..].split('(').next().unwrap_or_default();
            let words = head
                .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
                .chain([name]);
            let of_runtime = words.filter(|word| word.starts_with("cuda") || word.starts_with("__cuda"));
            names.extend(of_runtime.map(str::to_owned));
        }
    }
    names
}
