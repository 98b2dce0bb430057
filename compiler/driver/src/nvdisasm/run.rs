//! A run of the face.

use std::ffi::OsString;
use std::path::Path;

use warpsmith_cubin::{Cubin, SymbolSection};
use warpsmith_listing::ListingError;
use warpsmith_target::Sm;

use super::options::{self, Job, OPTIONS, Output, Task};
use crate::files::{self, ReadError};
use crate::{Console, exit, listing, vendor};

/// The release whose options and listings these are, in the words that scripts look for.
const RELEASE: &str = "release 13.5, V13.5.37";

/// How grave a message is, as nvdisasm says it.
#[derive(Clone, Copy)]
enum Level {
    Fatal,
    Error,
    Warning,
    Info,
}

/// A line on standard error.
struct Message(Level, String);

type Result<T> = std::result::Result<T, Vec<Message>>;

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let mut parsed = vendor::parse(OPTIONS, arguments);
    for warning in std::mem::take(&mut parsed.warnings) {
        complain(&Message(Level::Warning, warning), console);
    }
    let task = match parsed.mistake.take() {
        Some(mistake) => Err(mistake),
        None => options::task(&parsed),
    };
    let text = match task {
        Ok(Task::Help) => Ok(help().into_bytes()),
        Ok(Task::Version) => Ok(version().into_bytes()),
        Ok(Task::List(job)) => list(&job),
        Err(mistake) => Err(fatal(mistake)),
    };
    let printed = text.and_then(|text| {
        let result = console.print(&text);
        result.map_err(|error| fatal(format!("Cannot write to standard output: {error}")))
    });
    match printed {
        Ok(()) => 0,
        Err(messages) => {
            for message in &messages {
                complain(message, console);
            }
            vendor::suggest(&parsed, "nvdisasm", console);
            exit::NVDISASM.input
        }
    }
}

fn fatal(text: impl Into<String>) -> Vec<Message> {
    vec![Message(Level::Fatal, text.into())]
}

fn complain(Message(level, text): &Message, console: &mut Console) {
    let level = match level {
        Level::Fatal => "fatal",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
    };
    console.complain(&format!("nvdisasm {level:<8}: {text}\n"));
}

fn help() -> String {
    format!(
        "\nUsage  : nvdisasm [options] <image file>\n\n\
         Warpsmith in the place of nvdisasm, {RELEASE}.\n\n\
         Options\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

fn version() -> String {
    format!(
        "nvdisasm: Warpsmith {} in the place of the CUDA disassembler\n\
         Options and listings as of {RELEASE}\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn list(job: &Job) -> Result<Vec<u8>> {
    let path = Path::new(&job.file);
    let name = job.file.to_string_lossy();
    let bytes = files::read(path).map_err(|error| match error {
        ReadError::Open(_) => fatal(format!("Cannot open object file {name}")),
        ReadError::Read(_) => fatal(format!("Object file {name} is not readable")),
    })?;
    if bytes.is_empty() {
        return Err(fatal(format!("Object file {name} is not readable")));
    }
    match job.binary {
        Some(target) => list_words(job, target, &bytes, &name),
        None => list_cubin(job, &bytes, &name),
    }
}

fn list_words(job: &Job, target: &str, code: &[u8], name: &str) -> Result<Vec<u8>> {
    let sm: Sm = target.parse().map_err(|_| {
        fatal(format!(
            "Warpsmith does not support value '{target}' of option '--binary' (-b)"
        ))
    })?;
    if !code.len().is_multiple_of(listing::WORD) {
        return Err(fatal(format!(
            "Input raw instruction binary file {name} appears to be truncated"
        )));
    }
    // The options leave no graph of words.
    let (Output::Listing(options) | Output::Graph(options)) = &job.output;
    listing::of_words(code, sm, job.base, options).map_err(|error| refused(error, name))
}

fn list_cubin(job: &Job, bytes: &[u8], name: &str) -> Result<Vec<u8>> {
    refuse_header(bytes, name)?;
    let cubin = Cubin::read(bytes).map_err(|error| {
        let mut messages = fatal(format!("File {name} is an invalid ELF file"));
        messages.push(Message(Level::Info, error.to_string()));
        messages
    })?;
    let number = cubin.header.flags.sm_number(cubin.header.abi_version);
    if format!("sm_{number}").parse::<Sm>().is_err() {
        return Err(fatal(format!("Cannot decode architecture 'SM{number}'")));
    }
    let (Output::Listing(options) | Output::Graph(options)) = &job.output;
    refuse_symbols(&cubin, &options.functions)?;
    let result = match &job.output {
        Output::Listing(options) => listing::of_cubin(&cubin, options),
        Output::Graph(options) => listing::graph(&cubin, options),
    };
    result.map_err(|error| refused(error, name))
}

/// Size of the header of a 32-bit ELF file, below which nvdisasm looks no further.
const SMALLEST_HEADER: usize = 52;
/// Size of the header of a 64-bit ELF file.
const HEADER: usize = 64;
/// ELF's number for CUDA in `e_machine`.
const EM_CUDA: u16 = 190;

/// Refuses what is no cubin, in the order and words of nvdisasm 13.5.
fn refuse_header(bytes: &[u8], name: &str) -> Result<()> {
    let is_elf = bytes.starts_with(b"\x7fELF");
    if bytes.len() < SMALLEST_HEADER || is_elf && bytes.len() < HEADER {
        return Err(fatal(format!("Object file {name} appears truncated")));
    }
    if !is_elf {
        return Err(fatal(format!("File {name} does not appear to be an Elf file")));
    }
    let little_endian_64 = bytes[4..6] == [2, 1];
    if little_endian_64 && u16::from_le_bytes([bytes[18], bytes[19]]) != EM_CUDA {
        return Err(fatal(format!("{name} is not a supported Elf file")));
    }
    Ok(())
}

/// What nvdisasm says after errors in the content of a file.
fn dataflow_warning() -> Message {
    let text = "Dataflow analysis disabled due to previous warnings";
    Message(Level::Warning, text.to_owned())
}

/// Refuses indices that stand for nothing in a section.
fn refuse_symbols(cubin: &Cubin, symbols: &[u32]) -> Result<()> {
    let problem = |&index: &u32| match cubin.symbol(index) {
        None => Some(format!("No symbol with index {index}")),
        Some(symbol) => match symbol.section {
            SymbolSection::Section(_) => None,
            SymbolSection::Undefined | SymbolSection::Reserved(_) => Some(format!(
                "No section found for symbol \"{}\", index {index}",
                symbol.name
            )),
        },
    };
    let problems = symbols.iter().filter_map(problem);
    let mut messages: Vec<_> = problems.map(|text| Message(Level::Error, text)).collect();
    if messages.is_empty() {
        return Ok(());
    }
    messages.push(dataflow_warning());
    Err(messages)
}

/// A file whose content cannot be shown.
fn refused(error: ListingError, name: &str) -> Vec<Message> {
    match error {
        ListingError::Content { .. } => vec![Message(Level::Error, format!("{name}: {error}")), dataflow_warning()],
        ListingError::File(reasons) => {
            let lines = reasons.lines().map(|reason| format!("{name}: {reason}"));
            lines.map(|text| Message(Level::Error, text)).collect()
        }
        ListingError::Write(error) => fatal(format!("Cannot write to standard output: {error}")),
    }
}
