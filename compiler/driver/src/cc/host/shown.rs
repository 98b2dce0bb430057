//! `-v` and `-dryrun`: what build systems read of nvcc, `#$ NAME=value` first and then the commands.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use super::compiler::HostCompiler;

/// The settings, as nvcc shows them before its commands.
pub(super) fn settings(compiler: &HostCompiler) -> String {
    let here = std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(Path::to_path_buf))
        .unwrap_or_default();
    let here = here.display();
    let top = compiler.toolkit.root().display();
    // Build systems look for the libraries' words as they are here in the command that links.
    let include = quoted(&compiler.toolkit.include_words());
    let libraries = quoted(&compiler.toolkit.folder_words());
    let path = std::env::var("PATH").unwrap_or_default();
    let rows = [
        ("_NVVM_BRANCH_", "nvvm".to_owned()),
        ("_SPACE_", " ".to_owned()),
        ("_CUDART_", "cudart".to_owned()),
        ("_HERE_", here.to_string()),
        ("_THERE_", here.to_string()),
        ("_TARGET_SIZE_", "64".to_owned()),
        ("_TARGET_DIR_", String::new()),
        ("TOP", top.to_string()),
        ("NVVMIR_LIBRARY_DIR", format!("{top}/nvvm/libdevice")),
        ("PATH", format!("{here}:{path}")),
        ("INCLUDES", include),
        ("SYSTEM_INCLUDES", String::new()),
        ("LIBRARIES", libraries),
        ("CUDAFE_FLAGS", String::new()),
        ("PTXAS_FLAGS", String::new()),
    ];
    let mut text = String::new();
    for (name, value) in rows {
        let _ = writeln!(text, "#$ {name}={value}");
    }
    text
}

/// The commands that make an object of a CUDA source. The device's side is compiled by no other program.
pub(super) fn of_cuda(compiler: &HostCompiler, path: &Path, output: &Path) -> String {
    format!(
        "#$ {}\n#$ {}\n",
        line(compiler.program(), &compiler.preprocess_words(path)),
        line(compiler.program(), &compiler.text_words(output))
    )
}

/// A command as a shell would read it.
pub(super) fn line(program: &OsString, words: &[String]) -> String {
    format!("{} {}", program.to_string_lossy(), quoted(words))
}

/// Words as a shell would read them.
fn quoted(words: &[String]) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_=+.,/:@%".contains(sign);
    let words = words
        .iter()
        .map(|word| match !word.is_empty() && word.chars().all(is_plain) {
            true => word.clone(),
            false => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")),
        });
    words.collect::<Vec<_>>().join(" ")
}
