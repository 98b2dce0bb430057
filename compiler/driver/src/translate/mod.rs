//! From CUDA C++ or SSA IR to PTX: the steps of a session, timed, and what is shown between them.
//!
//! What enters is a file and a [`Session`]; what leaves is PTX. The steps themselves are the library's.

mod dump;
mod steps;

use std::path::Path;

use warpsmith::{Failure, FileSystem, HostEntity, Language, Message, Options, Ptx, Session, Source};
use warpsmith_base::{Diagnostic, fault};

use crate::console::Format;
use crate::{Console, files};

pub(crate) use dump::Dump;
pub(crate) use steps::{Steps, Trace};

/// The language of a file that is translated to PTX, by the end of its name.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::of(path).filter(|language| *language != Language::Ptx)
}

/// The files of the machine. What is read is noted, so that a fault can be repeated with it.
struct Noted;

impl FileSystem for Noted {
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let bytes = warpsmith::Disk.read(path)?;
        fault::note_file(Path::new(path));
        Ok(bytes)
    }

    fn identity(&self, path: &str) -> String {
        warpsmith::Disk.identity(path)
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        warpsmith::Disk.read_to_show(path)
    }
}

/// A session as this program has them: debug information is relative to the folder that it runs in.
pub(crate) fn session(mut options: Options) -> Session {
    options.directory = std::env::current_dir()
        .ok()
        .map(|folder| folder.to_string_lossy().into_owned());
    Session::new(options).with_files(Noted)
}

/// What is compiled of a file.
///
/// # Errors
/// That it cannot be read.
pub(crate) fn source(path: &Path, language: Language) -> Result<Source, Vec<Diagnostic>> {
    match language {
        // The front end says of a file that cannot be read what it says of headers.
        Language::Cuda if path != Path::new("-") => Ok(Source::file(language, path.to_string_lossy())),
        Language::Cuda | Language::Ir | Language::Ptx => {
            Ok(Source::new(language, files::shown(path), files::read_input(path)?))
        }
    }
}

/// Translates a file to PTX. What the steps say is shown at once.
///
/// # Errors
/// What is wrong, or not supported, beyond what was shown.
pub(crate) fn to_ptx(
    path: &Path,
    source: &Source,
    session: &Session,
    dump: &Dump,
    steps: &mut Steps<'_>,
    console: &mut Console,
) -> Result<Translated, Vec<Diagnostic>> {
    let language = source.language();
    if dump.is_program() && language == Language::Cuda {
        let program = session.typed_program(source);
        let (text, messages) = program.map_err(|failure| refused(path, &failure, console))?;
        show(&messages, console);
        files::write_output(None, text.as_bytes(), console)?;
        return Ok(Translated::Shown);
    }
    let name = match language {
        Language::Cuda => "front end",
        Language::Ir | Language::Ptx => "read",
    };
    let unit = steps.time(name, || session.front(source));
    let mut unit = unit.map_err(|failure| refused(path, &failure, console))?;
    show(&unit.messages, console);
    steps
        .time("library", || session.link_library(&mut unit))
        .map_err(diagnostics)?;
    if dump.is_front() {
        dump::print(&unit.module, console)?;
        return Ok(Translated::Shown);
    }
    let trace = steps.trace();
    steps
        .time("optimise", || dump.optimise(session, &mut unit, trace, console))
        .map_err(diagnostics)?;
    if dump.is_some() {
        dump.finish(&unit.module, console)?;
        return Ok(Translated::Shown);
    }
    let ptx = steps.time("select", || session.select(&unit));
    let ptx = ptx.map_err(|failure| refused(path, &failure, console))?;
    Ok(Translated::Ptx(Box::new(ptx), unit.dependencies, unit.host))
}

/// What a translation gives.
pub(crate) enum Translated {
    /// PTX, the files that it was made of, and what the host registers of it.
    Ptx(Box<Ptx>, Vec<String>, Vec<HostEntity>),
    /// What was asked to be shown has been shown; there is nothing more to do.
    Shown,
}

/// More messages of one file than this are only counted where people read them.
const MOST_SHOWN: usize = 100;

/// Shows messages with the lines of the source.
pub(crate) fn show(messages: &[Message], console: &mut Console) {
    let most = match console.format {
        Format::Text { .. } => MOST_SHOWN,
        Format::Json | Format::Sarif => messages.len(),
    };
    for message in messages.iter().take(most) {
        console.say(message);
    }
    if messages.len() > most {
        console.complain(&format!("{} more messages are not shown\n", messages.len() - most));
    }
}

/// Shows why a file is not compiled, and says that it is not.
pub(crate) fn refused(path: &Path, failure: &Failure, console: &mut Console) -> Vec<Diagnostic> {
    show(failure.messages(), console);
    vec![Diagnostic::error("not compiled").in_file(files::shown(path))]
}

/// Shows why a text of PTX is not read, and says that it is refused.
pub(crate) fn not_read(path: &Path, failure: &Failure, console: &mut Console) -> Vec<Diagnostic> {
    show(failure.messages(), console);
    vec![Diagnostic::error("refused").in_file(files::shown(path))]
}

/// What a failure says that is about no line of the source.
pub(crate) fn diagnostics(failure: Failure) -> Vec<Diagnostic> {
    let messages = failure.into_messages().into_iter();
    messages.map(|message| message.diagnostic).collect()
}
