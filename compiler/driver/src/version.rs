//! What this program is, and what it stands for.

use std::fmt::Write as _;

use warpsmith_target::Sm;

use crate::face;

/// The number of the release.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The number and the commit that it was built from: `0.1.0 (248fb13c2a1e)`; the number alone where that is not known.
pub(crate) fn short() -> String {
    match env!("WARPSMITH_COMMIT") {
        "" => NUMBER.to_owned(),
        commit => format!("{NUMBER} ({commit})"),
    }
}

/// The same, with the versions of the tools that Warpsmith takes the place of, and what it compiles for.
pub(crate) fn long() -> String {
    let mut text = short();
    let _ = writeln!(text, "\n\nin the place of");
    for (name, release) in face::releases() {
        let _ = writeln!(text, "  {name:<10} {release}");
    }
    let versions: Vec<String> = warpsmith_ptx::versions().map(|version| version.to_string()).collect();
    if let (Some(first), Some(last)) = (versions.first(), versions.last()) {
        let _ = writeln!(text, "PTX ISA {first} to {last}");
    }
    if let (Some(first), Some(last)) = (Sm::ALL.first(), Sm::ALL.last()) {
        let _ = write!(text, "targets {first} to {last} (`warpsmith targets` lists them)");
    }
    text
}
