//! The rules of the language, one tiny program each, by section of the standard: tables in `tests/rules`.
//!
//! ```text
//! [section] what the rule says            a rule; `(C++20)` at the end asks for that edition
//!     the program, indented
//! = 42                                    what `int test()` gives, in the interpreter …
//! ! 3: the message                        … or the messages, each with its line; notes follow with `!   4: …`
//! ```
//!
//! The programs that give values are compiled and run as one, each in a namespace of its own; those with messages are analysed one by one.

mod support;

use warpsmith::{FrontEnd, Prelude};
use warpsmith_cuda::source::{Memory, Standard};
use warpsmith_cuda::{Compilation, Options, analyse};

/// A rule of a table.
#[derive(Debug, Default)]
struct Rule {
    title: String,
    program: String,
    value: Option<i32>,
    messages: String,
}

impl Rule {
    fn standard(&self) -> Standard {
        match self.title.ends_with("(C++20)") {
            true => Standard::Cpp20,
            false => Standard::Cpp17,
        }
    }
}

fn options(standard: Standard) -> Options {
    let mut options = Options::default();
    options.source.prelude = warpsmith_cuda::source::Prelude::None;
    options.source.standard = standard;
    options.sema.device_by_default = true;
    options
}

fn read(table: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in table.lines() {
        if line.starts_with('[') {
            rules.push(Rule {
                title: line.to_string(),
                ..Rule::default()
            });
            continue;
        }
        let Some(rule) = rules.last_mut() else { continue };
        if let Some(value) = line.strip_prefix("= ") {
            rule.value = Some(value.trim().parse().expect("a number"));
        } else if let Some(message) = line.strip_prefix("! ") {
            rule.messages += message;
            rule.messages.push('\n');
        } else if let Some(code) = line.strip_prefix("    ") {
            rule.program += code;
            rule.program.push('\n');
        }
    }
    rules
}

/// What is said about a program, one line each.
fn messages(rule: &Rule) -> String {
    let files = Memory::new().with("rule.cu", rule.program.clone());
    let mut options = options(rule.standard());
    options.sema.check_all_bodies = true;
    options.sema.warnings = rule.title.starts_with("[warning");
    let mut compilation = Compilation::default();
    let _ = analyse(&mut compilation, &files, "rule.cu", &options);
    let context = &compilation.context;
    let line = |span: warpsmith_cuda::source::Span| context.map.place(span.first).map(|place| place.line);
    let mut out = String::new();
    for report in context.diagnostics.reports() {
        out += &format!("{}: {}\n", line(report.span).unwrap_or(0), report.message);
        for note in &report.notes {
            match line(note.span) {
                Some(line) => out += &format!("  {line}: {}\n", note.message),
                None => out += &format!("  {}\n", note.message),
            }
        }
    }
    out
}

/// The values of programs, all in one module.
fn values(rules: &[&Rule], standard: Standard) -> Result<Vec<i32>, String> {
    let mut text = String::new();
    let mut calls = String::new();
    let is_include = |line: &&str| line.starts_with("#include");
    for line in rules.iter().flat_map(|rule| rule.program.lines()).filter(is_include) {
        text += &format!("{line}\n");
    }
    for (index, rule) in rules.iter().enumerate() {
        let lines: Vec<&str> = rule.program.lines().filter(|line| !is_include(line)).collect();
        text += &format!("namespace rule{index} {{\n{}\n}}\n", lines.join("\n"));
        calls += &format!("    result[{index}] = rule{index}::test();\n");
    }
    text += &format!("__global__ void run(int *result) {{\n{calls}}}\n");
    let front = FrontEnd {
        standard,
        prelude: Prelude::None,
        device_by_default: true,
        ..FrontEnd::default()
    };
    support::run(front, &text, "_Z3runPi", 1, rules.len()).map(|(left, _)| left)
}

/// Which values are not as expected.
fn differences(rules: &[&Rule], values: &[i32]) -> String {
    let mut wrong = String::new();
    for (rule, &value) in rules.iter().zip(values) {
        if rule.value != Some(value) {
            wrong += &format!("{}\nexpected {:?}, found {value}\n", rule.title, rule.value);
        }
    }
    wrong
}

/// Writes the messages of a table anew. The values stay: the standard says what they are.
fn bless(name: &str, table: &str) {
    let whole = format!("\n{table}");
    let mut blocks = whole.split("\n[");
    let mut text = blocks.next().unwrap_or_default().to_owned();
    for (rule, block) in read(table).iter().zip(blocks) {
        let kept = match rule.value {
            Some(_) => block.to_owned(),
            None => {
                let (program, space) = block.split_at(block.trim_end().len());
                let lines = program.lines().filter(|line| !line.starts_with("! "));
                let said = messages(rule);
                let said = said.lines().map(|line| format!("\n! {line}"));
                lines.collect::<Vec<_>>().join("\n") + &said.collect::<String>() + space
            }
        };
        text += &format!("\n[{kept}");
    }
    let path = format!("{}/tests/rules/{name}.rules", env!("CARGO_MANIFEST_DIR"));
    std::fs::write(path, text.trim_start_matches('\n')).expect("the table can be written");
}

/// Checks a table: all that is wrong with it in one message. `cargo xtask bless cuda-rules` writes its messages anew.
fn check(name: &str, table: &str) {
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        return bless(name, table);
    }
    let rules = read(table);
    let mut wrong = String::new();
    for rule in rules.iter().filter(|rule| rule.value.is_none()) {
        let found = messages(rule);
        if found != rule.messages || found.is_empty() {
            wrong += &format!("{}\nexpected:\n{}found:\n{found}\n", rule.title, rule.messages);
        }
    }
    for standard in [Standard::Cpp17, Standard::Cpp20] {
        let of_edition = |rule: &&Rule| rule.value.is_some() && rule.standard() == standard;
        let chosen: Vec<&Rule> = rules.iter().filter(of_edition).collect();
        if chosen.is_empty() {
            continue;
        }
        match self::values(&chosen, standard) {
            Ok(values) => wrong += &differences(&chosen, &values),
            // Which one it is shows when each stands alone.
            Err(all) => {
                let mut any = false;
                for rule in &chosen {
                    match self::values(&[*rule], standard) {
                        Ok(values) => wrong += &differences(&[rule], &values),
                        Err(why) => {
                            any = true;
                            wrong += &format!("{}\n{why}\n", rule.title);
                        }
                    }
                }
                if !any {
                    wrong += &format!("together the rules fail:\n{all}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

macro_rules! tables {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), include_str!(concat!("rules/", stringify!($name), ".rules")));
        }
    )*};
}
tables! {
    classes, constants, cpp20, cuda, errors, exceptions, friends, functions, identity, members, missing_headers, nondependent, templates, warnings,
}
