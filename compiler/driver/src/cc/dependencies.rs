//! `-MD`: what a build system is told of the files that an output was made of.

use std::path::{Path, PathBuf};

use crate::vendor::Parsed;

/// The file that says what an output depends on, if one is asked for: `-MF` names it, or it has the output's name with the end `.d`.
///
/// # Errors
/// What would have no effect.
pub(super) fn file(parsed: &Parsed, output: &Path) -> Result<Option<PathBuf>, String> {
    match (parsed.has("MD"), parsed.text("MF")) {
        (false, Some(_)) => Err("-MF names the file that -MD writes, and -MD is not given".to_owned()),
        (false, None) => Ok(None),
        (true, Some(name)) => Ok(Some(PathBuf::from(name))),
        (true, None) => Ok(Some(output.with_extension("d"))),
    }
}

/// The rule of a makefile: an output, and the files that it is made of, each once.
pub(super) fn rule(output: &str, files: &[String]) -> String {
    let mut text = format!("{} :", escaped(output));
    for (index, file) in files.iter().enumerate() {
        if !files[..index].contains(file) {
            text.push_str(" \\\n    ");
            text.push_str(&escaped(file));
        }
    }
    text.push('\n');
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
            rule("k.cubin", &files),
            "k.cubin : \\\n    k.cu \\\n    my\\ headers/a.h \\\n    $$b.h\n"
        );
    }
}
