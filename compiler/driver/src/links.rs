//! `warpsmith install-links`: links by which other programs find Warpsmith in the place of a vendor's tools.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use warpsmith_base::{Diagnostic, suggest};

use crate::{Console, face, files};

/// Make links named as the tools that Warpsmith can stand for
///
/// A folder of them, put first on the search path, gives the tools to programs that call them by name.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder; it is made if it is not there
    folder: PathBuf,
    /// Only these tools
    #[arg(long = "tool", value_name = "NAME", value_delimiter = ',')]
    tools: Vec<String>,
    /// Replace what has such a name already
    #[arg(long)]
    force: bool,
}

/// Makes the links. All names are looked at before anything is made.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let all: Vec<&str> = face::releases().map(|(name, _)| name).collect();
    let unknown = arguments.tools.iter().filter(|tool| !all.contains(&tool.as_str()));
    let problems: Vec<_> = unknown
        .map(|tool| {
            let near = suggest::nearest(tool, all.iter().copied());
            let error = Diagnostic::error(format!(
                "Warpsmith does not stand for '{tool}'; it does for {}",
                all.join(", ")
            ));
            near.into_iter()
                .fold(error, |error, near| error.note(format!("a near name is '{near}'")))
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let program = match &console.program {
        Some(program) => Ok(program.clone()),
        None => std::env::current_exe(),
    };
    let program = program.and_then(fs::canonicalize);
    let program = program.map_err(|error| {
        vec![Diagnostic::error(format!(
            "this program's own file is not found: {error}"
        ))]
    })?;
    let folder = &arguments.folder;
    let wanted: Vec<PathBuf> = (all
        .iter()
        .filter(|name| arguments.tools.is_empty() || arguments.tools.iter().any(|tool| tool == *name)))
    .map(|name| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
    .collect();
    let taken: Vec<_> = (wanted.iter())
        .filter(|link| !arguments.force && fs::symlink_metadata(link).is_ok() && !leads_to(link, &program))
        .map(|link| {
            let error = Diagnostic::error("there is something of this name already").in_file(files::shown(link));
            error.note("--force replaces it")
        })
        .collect();
    if !taken.is_empty() {
        return Err(taken);
    }
    let failed = |path: &Path, error: &io::Error| {
        vec![Diagnostic::error(format!("cannot write: {error}")).in_file(files::shown(path))]
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut text = String::new();
    for link in &wanted {
        if !leads_to(link, &program) {
            replace(link, &program).map_err(|error| failed(link, &error))?;
        }
        text.push_str(&format!("{} -> {}\n", link.display(), program.display()));
    }
    files::write_output(None, text.as_bytes(), console)
}

fn leads_to(link: &Path, program: &Path) -> bool {
    fs::canonicalize(link).is_ok_and(|path| path == program)
}

/// Makes a link under a name of its own first, so that the tool is there at every moment.
fn replace(link: &Path, program: &Path) -> io::Result<()> {
    let new = link.with_extension(format!("new-{}", std::process::id()));
    make(program, &new)?;
    fs::rename(&new, link).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

#[cfg(unix)]
fn make(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Symbolic links need a right there that few have; another name of the same file needs none. Over the border of a volume it is a copy.
#[cfg(not(unix))]
fn make(program: &Path, link: &Path) -> io::Result<()> {
    fs::hard_link(program, link).or_else(|_| fs::copy(program, link).map(|_| ()))
}
