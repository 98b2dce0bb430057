//! Reads modules as assembly and as bitcode, and says where both differ.
//!
//! `bitcode-corpus FILE.ll FILE.bc …`: pairs of files that hold the same module. Without a `.ll` beside it, a file of bitcode is read alone.

use warpsmith_base::SourceText;
use warpsmith_ir::Module;

fn main() {
    let (mut same, mut different, mut neither, mut only_text, mut only_bitcode) = (0, 0, 0, 0, 0);
    for path in std::env::args().skip(1).filter(|path| path.ends_with(".bc")) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let from_bitcode = read_bitcode(&path, &bytes);
        let Ok(text) = std::fs::read_to_string(path.replace(".bc", ".ll")) else {
            match from_bitcode {
                Ok(_) => only_bitcode += 1,
                Err(reason) => {
                    neither += 1;
                    println!("{path}: not read: {reason}");
                }
            }
            continue;
        };
        let from_text = Module::from_text(&SourceText::new(&path, text));
        match (from_text, from_bitcode) {
            (Ok(one), Ok(other)) if normal(&one) == normal(&other) => same += 1,
            (Ok(one), Ok(other)) => {
                different += 1;
                let (one, other) = (normal(&one), normal(&other));
                let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
                println!("{path}: differs: {line:?}");
            }
            (Ok(_), Err(reason)) => {
                only_text += 1;
                println!("{path}: only the text is read: {reason}");
            }
            (Err(problems), Ok(_)) => {
                only_bitcode += 1;
                println!(
                    "{path}: only the bitcode is read: {}",
                    problems.first().map_or(String::new(), ToString::to_string)
                );
            }
            (Err(_), Err(_)) => neither += 1,
        }
    }
    println!(
        "{same} the same, {different} different, {only_text} as text only, {only_bitcode} as bitcode only, {neither} not read"
    );
}

fn read_bitcode(path: &str, bytes: &[u8]) -> Result<Module, String> {
    let texts = warpsmith_bitcode::assembly(path, bytes).map_err(|problem| problem.to_string())?;
    let text = texts.into_iter().next().unwrap_or_default();
    Module::from_text(&SourceText::new(path, text))
        .map_err(|problems| problems.first().map_or(String::new(), ToString::to_string))
}

/// The text of a module without the name of its file, which one of both may have from elsewhere.
fn normal(module: &Module) -> String {
    let text = module.to_string();
    let lines = text.lines().filter(|line| !line.starts_with("source_filename"));
    lines.collect::<Vec<_>>().join("\n")
}
