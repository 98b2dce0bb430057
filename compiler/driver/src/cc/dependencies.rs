//! `-M`, `-MD` and their kin: what a build system is told of the files that an output was made of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::vendor::Parsed;

/// Whether dependencies are all that is asked for: `-M` and `-MM`.
pub(super) fn alone(parsed: &Parsed) -> bool {
    parsed.has("M") || parsed.has("MM")
}

/// Whether headers of the system are told, too.
pub(super) fn tells_system(parsed: &Parsed) -> bool {
    parsed.has("M") || parsed.has("MD")
}

/// Whether dependencies are asked for beside an output.
pub(super) fn wanted(parsed: &Parsed) -> bool {
    parsed.has("MD") || parsed.has("MMD")
}

/// The file that says what an output depends on, if one is asked for: `-MF` names it, or it has the output's name with the end `.d`.
///
/// # Errors
/// What would have no effect.
pub(super) fn file(parsed: &Parsed, output: &Path) -> Result<Option<PathBuf>, String> {
    if wanted(parsed) {
        let named = parsed.text("MF").map(PathBuf::from);
        return Ok(Some(named.unwrap_or_else(|| output.with_extension("d"))));
    }
    if alone(parsed) {
        return Ok(None);
    }
    match ["MF", "MT", "MP"].iter().find(|option| parsed.has(option)) {
        Some(option) => Err(format!(
            "-{option} says something of what -M and -MD write, and neither is given"
        )),
        None => Ok(None),
    }
}

/// The rule of a makefile: an output, and the files that it is made of, each once. With `phony`, each but the first has a rule of its own that does nothing.
pub(super) fn rule(output: &str, files: &[String], phony: bool) -> String {
    let mut seen = HashSet::new();
    let files: Vec<&String> = files.iter().filter(|file| seen.insert(*file)).collect();
    let mut text = format!("{} :", escaped(output));
    for file in &files {
        text.push_str(" \\\n    ");
        text.push_str(&escaped(file));
    }
    text.push('\n');
    for file in files.iter().skip(1).filter(|_| phony) {
        text.push_str(&format!("\n{} :\n", escaped(file)));
    }
    text
}

/// A name as make, Ninja and CMake read it.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for sign in name.chars() {
        match sign {
            ' ' | '#' => text.extend(['\\', sign]),
            '$' => text.push_str("$$"),
            _ => text.push(sign),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_each_file_once() {
        let files = ["k.cu", "my headers/a.h", "$b.h", "k.cu"].map(str::to_owned);
        assert_eq!(
            rule("k.cubin", &files, false),
            "k.cubin : \\\n    k.cu \\\n    my\\ headers/a.h \\\n    $$b.h\n"
        );
    }

    #[test]
    fn headers_that_are_gone_stop_nothing() {
        let files = ["k.cu", "a.h", "b.h"].map(str::to_owned);
        assert_eq!(
            rule("k.cubin", &files, true),
            "k.cubin : \\\n    k.cu \\\n    a.h \\\n    b.h\n\na.h :\n\nb.h :\n"
        );
    }
}
