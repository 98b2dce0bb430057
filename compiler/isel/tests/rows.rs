//! Rows of `intrinsics.tbl` as PTX: each case of `rows.tbl` is a call of an intrinsic in LLVM's text, and the instructions that come of it.
//!
//! `TARGET TYPE @NAME(ARGUMENTS)`, and the instructions on indented lines: `a0`, `a1` … are the registers of the arguments, `r0`, `r1` … those of the parts
//! of the result. What loads the arguments and stores the result is left out. The instructions of all rows were compared with those of LLVM 22's
//! `llc`, for 3,159 intrinsics with constant arguments of 0 and of 1.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use warpsmith_base::SourceText;
use warpsmith_ir::Module;
use warpsmith_isel::{Options, select};

/// The parts of a list: commas in brackets do not part.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (place, character) in list.char_indices() {
        match character {
            '(' | '{' | '<' => depth += 1,
            ')' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A kernel that calls an intrinsic with its parameters and stores the result.
fn module(call: &str) -> String {
    let (result, rest) = call.split_once(" @").expect("a type and a name");
    let (name, arguments) = rest
        .strip_suffix(')')
        .and_then(|rest| rest.split_once('('))
        .expect("arguments");
    let arguments = parts(arguments);
    let types: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.rsplit_once(' ').expect("a value").0)
        .collect();
    let parameters = arguments.iter().filter(|argument| argument.contains('%'));
    let parameters: String = parameters.map(|parameter| format!(", {parameter}")).collect();
    let mut text = format!(
        "target triple = \"nvptx64-nvidia-cuda\"\ndeclare {result} @{name}({})\ndefine ptx_kernel void @k(ptr addrspace(1) %out{parameters}) {{\n",
        types.join(", ")
    );
    let is_structure = result.starts_with('{');
    if result != "void" {
        text.push_str("  %r = ");
    }
    let _ = writeln!(text, "  call {call}");
    let fields = match is_structure {
        true => parts(&result[1..result.len() - 1]),
        false => parts(result),
    };
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| **field != "void") {
        let value = match is_structure {
            true => format!("%x{index}"),
            false => "%r".to_owned(),
        };
        if is_structure {
            let _ = writeln!(text, "  {value} = extractvalue {result} %r, {index}");
        }
        let _ = writeln!(
            text,
            "  %p{index} = getelementptr i8, ptr addrspace(1) %out, i64 {}",
            16 * index
        );
        let _ = writeln!(text, "  store {field} {value}, ptr addrspace(1) %p{index}");
    }
    text + "  ret void\n}\n"
}

/// What registers of the kernel are called.
fn names(body: &str) -> HashMap<&str, String> {
    let mut names = HashMap::new();
    let loads = body.lines().filter_map(|line| line.trim().strip_prefix("ld.param."));
    for load in loads {
        let (to, from) = load
            .split_once(' ')
            .and_then(|(_, rest)| rest.split_once(", [k_param_"))
            .expect("a load");
        let digits = from.trim_end_matches(|character: char| !character.is_ascii_digit());
        let (number, part) = digits
            .split_once('+')
            .unwrap_or((digits.trim_end_matches([']', ';']), ""));
        let Some(number) = number.parse::<u32>().expect("a number").checked_sub(1) else {
            continue;
        };
        let registers: Vec<&str> = to.trim_matches(['{', '}']).split(", ").collect();
        for (index, register) in registers.iter().enumerate() {
            let suffix = match registers.len() > 1 || !part.is_empty() {
                true => format!("[{part}{}{index}]", if part.is_empty() { "" } else { "+" }),
                false => String::new(),
            };
            names.insert(*register, format!("a{number}{suffix}"));
        }
    }
    let stores = body.lines().filter_map(|line| line.trim().strip_prefix("st.global."));
    let registers = stores.flat_map(|store| {
        let (_, from) = store.split_once("], ").expect("a store");
        from.trim_matches(['{', '}', ';']).split(", ")
    });
    let mut count = 0;
    for register in registers.filter(|register| register.starts_with('%')) {
        names.entry(register).or_insert_with(|| {
            count += 1;
            format!("r{}", count - 1)
        });
    }
    names
}

/// A line with its registers by their names.
fn named(line: &str, names: &HashMap<&str, String>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('%') {
        let length = rest[start + 1..].find(|character: char| !character.is_ascii_alphanumeric());
        let end = length.map_or(rest.len(), |length| start + 1 + length);
        text.push_str(&rest[..start]);
        text.push_str(names.get(&rest[start..end]).map_or(&rest[start..end], String::as_str));
        rest = &rest[end..];
    }
    text + rest
}

/// The instructions of a call, on indented lines.
fn instructions(target: &str, call: &str) -> String {
    let source = SourceText::new("rows.ll", module(call));
    let module = Module::from_text(&source).unwrap_or_else(|diagnostics| panic!("{call}: {diagnostics:?}"));
    let output = select(&module, &Options::new(target.parse().expect("a target")));
    let output = output.unwrap_or_else(|refusal| panic!("{call}: {refusal}")).text;
    let (_, body) = output.split_once("\n{\n").expect("a body");
    let names = names(body);
    let lines = body.lines().map(str::trim).filter(|line| {
        let is_left_out = ["ld.param.", "st.global.", ".reg ", "ret;", "}"]
            .iter()
            .any(|left| line.starts_with(left));
        !is_left_out && !line.is_empty()
    });
    lines.map(|line| format!("    {}\n", named(line, &names))).collect()
}

#[test]
fn calls_become_the_instructions_of_their_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows.tbl");
    let expected = std::fs::read_to_string(&path).expect("the cases");
    let mut found = String::new();
    for line in expected.lines().filter(|line| !line.starts_with(' ')) {
        let _ = writeln!(found, "{line}");
        if let Some((target, call)) = line.split_once(' ').filter(|_| !line.starts_with('#')) {
            found += &instructions(target, call);
        }
    }
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, found).expect("they are written");
        return;
    }
    let different = expected
        .lines()
        .zip(found.lines())
        .find(|(expected, found)| expected != found);
    assert_eq!(different, None, "what is expected, and what is there");
    assert_eq!(expected.lines().count(), found.lines().count());
}
