//! What the emulator does not implement, counted over cubins without running them.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use warpsmith_cubin::{Cubin, SectionKind};
use warpsmith_emu::{Device, sass};

use super::guarded;

/// Counts for an SM.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    words: u64,
    missing: u64,
    /// By opcode: words, and one of them.
    opcodes: BTreeMap<String, (u64, String)>,
    /// Files that cannot be loaded.
    refused: BTreeMap<String, usize>,
}

/// What a folder of cubins needs.
#[derive(Debug, Default)]
pub struct Report {
    sms: BTreeMap<String, Counts>,
    /// Opcodes shown for each SM.
    pub shown: usize,
}

/// Counts the words of every `.cubin` in folders and those below them, of each `step`th file.
///
/// # Errors
/// A folder that cannot be read.
pub fn count(paths: &[PathBuf], step: usize) -> Result<Report, String> {
    let mut report = Report {
        shown: 60,
        ..Report::default()
    };
    for path in cubins(paths)?.iter().step_by(step.max(1)) {
        let Ok(bytes) = fs::read(path) else { continue };
        let Ok(cubin) = Cubin::read(&bytes) else { continue };
        report.add(&cubin);
    }
    Ok(report)
}

/// The cubins among paths and in folders, in order.
pub(super) fn cubins(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        find(path, &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        match path.is_dir() {
            true => find(&path, files)?,
            false if path.extension().is_some_and(|extension| extension == "cubin") => files.push(path),
            false => {}
        }
    }
    Ok(())
}

impl Report {
    fn add(&mut self, cubin: &Cubin) {
        let Some(sm) = cubin.target() else { return };
        let counts = self.sms.entry(sm.isa().name().to_string()).or_default();
        counts.files += 1;
        let code = cubin
            .sections
            .iter()
            .filter(|section| matches!(section.kind(), SectionKind::Text(_)));
        let words: u64 = code.map(|section| section.size() / 16).sum();
        let found = guarded(|| {
            let loaded = sass::load(&mut Device::new(), cubin).map_err(|fault| fault.to_string())?;
            let list = loaded.unsupported().into_iter();
            Ok(list.map(|(_, _, text)| text).collect::<Vec<String>>())
        });
        match found {
            Ok(list) => {
                counts.words += words;
                counts.missing += list.len() as u64;
                for text in list {
                    let bare = match text.starts_with('@') {
                        true => text.split_once(' ').map_or("", |(_, rest)| rest),
                        false => &text,
                    };
                    let opcode = bare.split([' ', '.', ';']).next().unwrap_or_default().to_owned();
                    counts.opcodes.entry(opcode).or_insert_with(|| (0, text.clone())).0 += 1;
                }
            }
            Err(message) => *counts.refused.entry(super::reason(&message)).or_default() += 1,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (sm, counts) in &self.sms {
            let share = 100.0 * (1.0 - counts.missing as f64 / counts.words.max(1) as f64);
            writeln!(
                f,
                "sm_{sm}: {} files, {} words, {} not implemented ({share:.3} % are)",
                counts.files, counts.words, counts.missing
            )?;
            let mut opcodes: Vec<_> = counts.opcodes.iter().collect();
            opcodes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (opcode, (count, text)) in opcodes.iter().take(self.shown) {
                writeln!(f, "  {count:>9} {opcode:<12} {text}")?;
            }
            for (message, count) in &counts.refused {
                writeln!(f, "  {count:>9} files cannot be loaded: {message}")?;
            }
        }
        Ok(())
    }
}
