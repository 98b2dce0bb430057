//! Reads modules as text and writes them as bitcode, each beside its text: `bitcode-write FILE.ll …`. Says which are another module when they are read again.

use warpsmith_base::SourceText;
use warpsmith_ir::Module;

fn main() {
    let (mut same, mut different, mut unread) = (0, 0, 0);
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let Ok(module) = Module::from_text(&SourceText::new(&path, text)) else {
            unread += 1;
            continue;
        };
        let bitcode = warpsmith_bitcode::write(&module);
        if let Err(error) = std::fs::write(format!("{path}.bc"), &bitcode) {
            eprintln!("{path}.bc: {error}");
        }
        let (one, other) = (module.to_string(), again(&bitcode));
        if one == other {
            same += 1;
            continue;
        }
        different += 1;
        let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        println!("{path}: {line:?}");
    }
    println!("{same} the same, {different} different, {unread} whose text is not read");
}

fn again(bitcode: &[u8]) -> String {
    let texts = match warpsmith_bitcode::assembly("written.bc", bitcode) {
        Ok(texts) => texts,
        Err(problem) => return problem.to_string(),
    };
    let text = texts.into_iter().next().unwrap_or_default();
    match Module::from_text(&SourceText::new("written.bc", text)) {
        Ok(module) => module.to_string(),
        Err(problems) => problems.first().map_or(String::new(), ToString::to_string),
    }
}
