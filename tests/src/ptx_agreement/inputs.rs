//! Lines and files to judge.

use super::{Line, Verdict, frame::Frame};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A line, and what ptxas said of it when the file was written, if the file says so.
pub type Recorded = (Line, Option<Verdict>);

/// Reads `body TAB target TAB version [TAB verdict …]`, one line of PTX in each; the verdict is `OK` or a message. Only a body: sm_90a and 9.0.
pub fn lines(path: &Path) -> io::Result<Vec<Recorded>> {
    let text = fs::read_to_string(path)?;
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(recorded)
        .collect())
}

fn recorded(line: &str) -> Recorded {
    let mut columns = line.split('\t');
    let mut column = |default: &str| columns.next().unwrap_or(default).to_owned();
    let line = Line {
        frame: Frame::Lines,
        body: column(""),
        target: column("sm_90a"),
        version: column("9.0"),
    };
    let verdict = columns.next().map(|text| match text {
        "OK" => Verdict::Accepted,
        message => Verdict::refused(message),
    });
    (line, verdict)
}

/// Targets of a file of snippets.
const SNIPPET_TARGETS: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a",
];

/// Reads `accepted targets TAB first message elsewhere TAB body`: one line of PTX 9.0 for each of eleven targets. `#` starts a remark.
pub fn snippets(path: &Path) -> io::Result<Vec<Recorded>> {
    let text = fs::read_to_string(path)?;
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.splitn(3, '\t');
        let (Some(accepted), Some(message), Some(body)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        for &target in SNIPPET_TARGETS {
            let verdict = if accepted.split(',').any(|t| t == target) {
                Verdict::Accepted
            } else {
                Verdict::refused(message)
            };
            let line = Line {
                frame: Frame::Lines,
                body: body.to_owned(),
                target: target.to_owned(),
                version: "9.0".to_owned(),
            };
            lines.push((line, Some(verdict)));
        }
    }
    Ok(lines)
}

/// The `.ptx` files among `paths` and in folders among them, in order of their names.
pub fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        if path.is_dir() {
            folders.push(path.clone())
        } else {
            found.push(path.clone())
        }
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The target to check a file for: in its name (`x.sm_90a.ptx`), its folder's name, or its `.target`.
pub fn target_of(path: &Path, text: &[u8]) -> String {
    let in_name = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .and_then(|stem| stem.rsplit('.').next());
    let in_folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let named = [in_name, in_folder]
        .into_iter()
        .flatten()
        .find(|name| name.starts_with("sm_"));
    named.map_or_else(|| target_directive(text), str::to_owned)
}

fn target_directive(text: &[u8]) -> String {
    let start = String::from_utf8_lossy(&text[..text.len().min(1 << 16)]).into_owned();
    let word = start
        .split(".target")
        .nth(1)
        .and_then(|rest| rest.trim_start().split([' ', ',', '\n', '\r', '\t']).next());
    word.filter(|w| w.starts_with("sm_")).unwrap_or("sm_90a").to_owned()
}
