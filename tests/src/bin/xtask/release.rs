//! Archives for people who build nothing.

use std::{fmt::Write as _, fs, path::PathBuf};

use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use tar::{Builder, Header};

use crate::common::{self, Outcome};
use crate::hosts;

/// Build release archives, with their checksums
///
/// An archive has the binary, the documents that say what it is, manual pages and completions. The same sources give the same bytes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The targets of Rust
    #[arg(long, value_name = "TARGET", default_values = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"])]
    target: Vec<String>,
    /// The folder of the archives
    #[arg(long, value_name = "FOLDER", default_value = "target/releases")]
    output: PathBuf,
}

/// The documents of an archive.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The completions of an archive: the shell and the name that it looks for.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "warpsmith.bash"),
    ("zsh", "_warpsmith"),
    ("fish", "warpsmith.fish"),
];

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let folder = common::root().join(&arguments.output);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let common = parts()?;
    let mut sums = String::new();
    for target in &arguments.target {
        let binary = hosts::build(target)?;
        let name = format!("warpsmith-{}-{target}", env!("CARGO_PKG_VERSION"));
        let program = binary.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let archive = archive(&name, (&program, common::read(&binary)?), &common)?;
        let file = format!("{name}.tar.gz");
        let path = folder.join(&file);
        fs::write(&path, &archive).map_err(|error| format!("{}: {error}", path.display()))?;
        let digest: String = Sha256::digest(&archive)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        // The form that `sha256sum --check` reads.
        let _ = writeln!(sums, "{digest}  {file}");
        println!("{} ({} bytes)", path.display(), archive.len());
    }
    let path = folder.join("SHA256SUMS");
    fs::write(&path, sums).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}", path.display());
    Ok(Outcome::Good)
}

/// A file of an archive: its path there, and its bytes.
type Part = (String, Vec<u8>);

/// What every archive has.
fn parts() -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for document in DOCUMENTS {
        parts.push((document.to_owned(), common::read(&common::root().join(document))?));
    }
    for (shell, name) in COMPLETIONS {
        parts.push((format!("completions/{name}"), said(&["completions", shell])?));
    }
    parts.push(("man/warpsmith.1".to_owned(), said(&["man"])?));
    for command in warpsmith_driver::commands() {
        parts.push((format!("man/warpsmith-{command}.1"), said(&["man", &command])?));
    }
    Ok(parts)
}

/// What a command of ours prints.
fn said(words: &[&str]) -> Result<Vec<u8>, String> {
    let line: Vec<_> = ["warpsmith"].iter().chain(words).map(Into::into).collect();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    match warpsmith_driver::run(&line, &mut out, &mut errors) {
        0 => Ok(out),
        _ => Err(format!("{}: {}", words.join(" "), String::from_utf8_lossy(&errors))),
    }
}

/// The bytes of an archive. Nothing in it is of the machine or the hour: owners and times are zero.
fn archive(name: &str, program: (&str, Vec<u8>), parts: &[Part]) -> std::io::Result<Vec<u8>> {
    let zip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut tar = Builder::new(zip);
    let mut add = |path: &str, bytes: &[u8], mode: u32| {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(0);
        tar.append_data(&mut header, format!("{name}/{path}"), bytes)
    };
    add(program.0, &program.1, 0o755)?;
    for (path, bytes) in parts {
        add(path, bytes, 0o644)?;
    }
    tar.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_the_same_each_time_and_hold_what_they_say() {
        let make = || archive("w-1", ("w", vec![1, 2, 3]), &parts().unwrap()).unwrap();
        let bytes = make();
        assert_eq!(bytes, make());
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let entries = tar.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            (
                entry.path().unwrap().display().to_string(),
                entry.header().mode().unwrap(),
            )
        });
        let entries: Vec<_> = entries.collect();
        assert_eq!(entries[0], ("w-1/w".to_owned(), 0o755));
        assert!(entries.contains(&("w-1/man/warpsmith-run.1".to_owned(), 0o644)));
        assert_eq!(
            entries.len(),
            1 + DOCUMENTS.len() + COMPLETIONS.len() + 1 + warpsmith_driver::commands().len()
        );
    }
}
