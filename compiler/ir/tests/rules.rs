//! What LLVM's assembler and verifier refuse is refused, with the rule and the line: tables in `tests/rules`.
//!
//! ```text
//! [subject] what is wrong                 a rule
//!     the module, indented
//! ! 3: the message                        the first error, with its line; without an error the module is accepted
//! ```

use warpsmith_base::{Position, SourceText};
use warpsmith_ir::Module;

/// A rule of a table.
#[derive(Debug, Default)]
struct Rule {
    title: String,
    module: String,
    message: String,
}

fn read(table: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in table.lines() {
        if line.starts_with('[') {
            rules.push(Rule {
                title: line.to_owned(),
                ..Rule::default()
            });
            continue;
        }
        let Some(rule) = rules.last_mut() else { continue };
        if let Some(message) = line.strip_prefix("! ") {
            rule.message += message;
        } else if let Some(code) = line.strip_prefix("    ") {
            rule.module += code;
            rule.module.push('\n');
        }
    }
    rules
}

/// The first error about a module, with its line; empty if there is none.
fn first_error(module: &str) -> String {
    let Err(errors) = Module::from_text(&SourceText::new("m.ll", module)) else {
        return String::new();
    };
    let line = match &errors[0].position {
        Position::Text { place, .. } => place.line,
        Position::Whole | Position::Offset(_) => 0,
    };
    format!("{line}: {}", errors[0].message)
}

/// `cargo xtask bless ir-rules` writes the table anew with the messages that there are.
fn check(name: &str, table: &str) {
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        return bless(name, table);
    }
    let mut wrong = String::new();
    let rules = read(table);
    for rule in &rules {
        let found = first_error(&rule.module);
        if found != rule.message {
            wrong += &format!("{}\nexpected {:?}\nfound    {found:?}\n", rule.title, rule.message);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(!rules.is_empty());
}

fn bless(name: &str, table: &str) {
    let head = table.split("\n[").next().unwrap_or("");
    let mut text = format!("{head}\n");
    for rule in read(table) {
        let module: String = rule.module.lines().map(|line| format!("    {line}\n")).collect();
        let message = first_error(&rule.module);
        let message = if message.is_empty() {
            message
        } else {
            format!("! {message}\n")
        };
        text += &format!("{}\n{}{message}\n", rule.title, module.replace("    \n", "\n"));
    }
    let path = format!("{}/tests/rules/{name}.rules", env!("CARGO_MANIFEST_DIR"));
    std::fs::write(path, text.trim_end().to_owned() + "\n").expect("the table can be written");
}

#[test]
fn structure() {
    check("structure", include_str!("rules/structure.rules"));
}

#[test]
fn types() {
    check("types", include_str!("rules/types.rules"));
}

#[test]
fn memory() {
    check("memory", include_str!("rules/memory.rules"));
}

#[test]
fn calls() {
    check("calls", include_str!("rules/calls.rules"));
}

#[test]
fn modules() {
    check("modules", include_str!("rules/modules.rules"));
}

#[test]
fn limits() {
    check("limits", include_str!("rules/limits.rules"));
}
