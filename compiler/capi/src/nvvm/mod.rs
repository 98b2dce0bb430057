//! libNVVM: NVVM IR to PTX.
//!
//! Observed, libNVVM 13.0 and 13.5: what each function answers to what calls, and the words of the log. Modules are text or bitcode. What a module that is added
//! lazily defines is taken where it is declared elsewhere and not defined, and becomes the program's own; the same goes for libdevice however it is added, which
//! its triple tells. With `-gen-lto` the result is LTO-IR of Warpsmith's own, for its nvJitLink. On purpose otherwise: a lazy module may be text, too. Functions of libdevice that no module defines are Warpsmith's own.

mod exports;
mod options;

use std::ffi::{CStr, c_int};

pub use exports::*;
use warpsmith::{Failure, Language, Message, Position, Session, Severity, Sm, Source, Unit};
use warpsmith_base::fault;
use warpsmith_ir::{Declaration, Inlining, Wanted};

use crate::border::{Null, closed};
use crate::handles::Handles;
use crate::lto;

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Code {
    Success = 0,
    ProgramCreationFailure = 2,
    IrVersionMismatch = 3,
    InvalidInput = 4,
    InvalidProgram = 5,
    InvalidIr = 6,
    InvalidOption = 7,
    NoModuleInProgram = 8,
    Compilation = 9,
}

impl From<Null> for Code {
    fn from(_: Null) -> Code {
        Code::InvalidInput
    }
}

/// The names of the codes, from 0 on.
const NAMES: [&CStr; 10] = [
    c"NVVM_SUCCESS",
    c"NVVM_ERROR_OUT_OF_MEMORY",
    c"NVVM_ERROR_PROGRAM_CREATION_FAILURE",
    c"NVVM_ERROR_IR_VERSION_MISMATCH",
    c"NVVM_ERROR_INVALID_INPUT",
    c"NVVM_ERROR_INVALID_PROGRAM",
    c"NVVM_ERROR_INVALID_IR",
    c"NVVM_ERROR_INVALID_OPTION",
    c"NVVM_ERROR_NO_MODULE_IN_PROGRAM",
    c"NVVM_ERROR_COMPILATION",
];

/// The version of libNVVM.
const VERSION: (c_int, c_int) = (2, 0);
/// The versions of NVVM IR and of its debug information.
const IR_VERSION: [c_int; 4] = [2, 0, 3, 2];

/// What a module is called that has no name.
const UNNAMED: &str = "<unnamed>";

/// The triple of libdevice, of which nothing is taken that is not needed.
const LIBRARY_TRIPLE: &str = "nvptx64-nvidia-gpulibs";

/// The programs that programs hold.
static PROGRAMS: Handles<Program> = Handles::new();

/// A module as it was added.
struct Added {
    name: String,
    bytes: Vec<u8>,
    /// Only what others need of it is taken.
    lazy: bool,
}

/// What a handle stands for: modules, and what came of them.
#[derive(Default)]
struct Program {
    modules: Vec<Added>,
    log: String,
    /// PTX with its closing zero, or LTO-IR.
    result: Vec<u8>,
}

/// Why a step fails, and the words for the log.
type Failed = (Code, String);

impl Program {
    /// What the last compile made; a closing zero alone where there was none.
    fn result(&self) -> &[u8] {
        if self.result.is_empty() { &[0] } else { &self.result }
    }

    fn verify(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        self.guarded(options, Code::InvalidIr, |program, session, _| {
            let unit = program.linked(session)?;
            check_triple(&unit.module.symbols.properties.triple)
        })
    }

    fn compile(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        self.guarded(options, Code::Compilation, |program, session, lto| {
            let mut unit = program.linked(session)?;
            program.log = warnings(&unit);
            if lto {
                program.result = lto::write(&unit.module, lto::Made::by(session.options()));
                return Ok(());
            }
            let done = session.link_library(&mut unit);
            let made = done.and_then(|()| session.optimise(&mut unit).map(drop));
            let ptx = made.and_then(|()| session.select(&unit));
            let ptx = ptx.map_err(|failure| (Code::Compilation, said(&failure)))?;
            program.result = closed(&ptx.text);
            Ok(())
        })
    }

    /// Does something with the modules; `wrong` is the code where they are wrong.
    fn guarded(
        &mut self,
        options: &[Vec<u8>],
        wrong: Code,
        work: impl FnOnce(&mut Program, &Session, bool) -> Result<(), Failed>,
    ) -> Result<(), Code> {
        (self.log, self.result) = (String::new(), Vec::new());
        let texts = options
            .iter()
            .map(|option| String::from_utf8_lossy(option).into_owned());
        let request = options::read(&texts.collect::<Vec<_>>()).map_err(|mistake| {
            self.log = mistake;
            Code::InvalidOption
        })?;
        if self.modules.is_empty() {
            return Err(Code::NoModuleInProgram);
        }
        let session = Session::new(request.options);
        match fault::caught(|| work(self, &session, request.lto)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err((code, log))) => {
                self.log = log;
                Err(if code == Code::InvalidIr { wrong } else { code })
            }
            Err(fault) => {
                self.log = format!("libnvvm : error: internal error: {}", fault.message);
                Err(Code::Compilation)
            }
        }
    }

    /// All modules as one.
    fn linked(&self, session: &Session) -> Result<Unit, Failed> {
        let mut units = Vec::new();
        for added in self.modules.iter().filter(|added| !added.lazy) {
            units.push((added, read(added, session)?));
        }
        // Libraries are looked into after all else, but for one that is all there is.
        let is_library = |unit: &Unit| unit.module.symbols.properties.triple == LIBRARY_TRIPLE;
        let has_program = units.iter().any(|(_, unit)| !is_library(unit));
        let mut libraries: Vec<&Added> = self.modules.iter().filter(|added| added.lazy).collect();
        let mut whole: Option<Unit> = None;
        for (added, unit) in units {
            if has_program && is_library(&unit) {
                libraries.push(added);
                continue;
            }
            match &mut whole {
                None => whole = Some(unit),
                Some(whole) => whole.module.link(&unit.module, Wanted::All).map_err(|problems| {
                    let first = problems.first().map(|problem| problem.message.clone());
                    let text = format!("{}: link error: error: {}", added.name, first.unwrap_or_default());
                    (Code::InvalidIr, text)
                })?,
            }
        }
        let mut whole = whole.ok_or_else(|| (Code::NoModuleInProgram, String::new()))?;
        // One library may need what another defines.
        for _ in 0..libraries.len() {
            let mut brings = false;
            for added in &libraries {
                let brought = session.link_ir(&mut whole, &added.source());
                brings |= brought.map_err(|failure| (Code::InvalidIr, said(&failure)))?;
            }
            if !brings {
                break;
            }
        }
        Ok(whole)
    }
}

impl Added {
    fn source(&self) -> Source {
        Source::new(Language::Ir, self.name.as_str(), self.bytes.as_slice())
    }
}

/// Refuses a triple that is none of CUDA's; what compiles does not ask.
fn check_triple(triple: &str) -> Result<(), Failed> {
    let parts: Vec<&str> = triple.split('-').collect();
    if let ["nvptx" | "nvptx64" | "nvgpu", _, "cuda"] = parts[..] {
        return Ok(());
    }
    let text = format!(
        "error: Error: Invalid target triple ({triple}), must be one of:\nError: 32-bit: nvptx-*-cuda\n\
         Error: 64-bit: nvptx64-*-cuda\nError: nvgpu-*-cuda\n\n"
    );
    Err((Code::InvalidIr, text))
}

/// The version of LLVM whose IR an architecture is compiled from by the vendor's library; `None` for one that there is not. (Here all read all.)
fn llvm_version(arch: &str) -> Option<c_int> {
    let name = arch.strip_prefix("compute_")?;
    name.parse::<Sm>().ok()?;
    let number: u32 = name
        .trim_end_matches(|letter: char| letter.is_ascii_alphabetic())
        .parse()
        .ok()?;
    Some(if number >= 100 { 22 } else { 7 })
}

/// Reads a module and checks what libNVVM asks of one.
fn read(added: &Added, session: &Session) -> Result<Unit, Failed> {
    let name = &added.name;
    let unit = session
        .front(&added.source())
        .map_err(|failure| (Code::InvalidIr, said(&failure)))?;
    let properties = &unit.module.symbols.properties;
    let [major, minor, ..] = properties.nvvm_version.unwrap_or([1, 0, 0, 0]);
    if major != IR_VERSION[0] as u32 || minor > IR_VERSION[1] as u32 {
        let text = format!(
            "IR version {major}.{minor} incompatible with current version {}.{}\n{name}: error: incompatible IR",
            IR_VERSION[0], IR_VERSION[1]
        );
        return Err((Code::IrVersionMismatch, text));
    }
    if properties.triple.is_empty() {
        let text = format!("{name}: error: Module does not contain a triple, should be 'nvptx64-'");
        return Err((Code::InvalidIr, text));
    }
    if properties.layout.is_empty() {
        let text = "DataLayoutError: Data Layout string is empty";
        return Err((Code::InvalidIr, text.to_owned()));
    }
    Ok(unit)
}

/// What libNVVM warns of: kernels that say that they are not inlined, which other kernels may call.
fn warnings(unit: &Unit) -> String {
    let functions = unit.module.functions();
    let is_kept = |function: &Declaration| function.kernel.is_some() && function.attributes.inlining == Inlining::Never;
    let kept = functions.filter(|(_, function)| is_kept(function));
    kept.map(|(_, function)| {
        let name = &function.name;
        format!(
            "(): Warning: Function {name} is a kernel, so overriding noinline attribute. The function may be inlined when called.\n"
        )
    })
    .collect()
}

/// What is wrong, in the form of libNVVM's log: the first error with its place.
fn said(failure: &Failure) -> String {
    let errors = failure
        .messages()
        .iter()
        .filter(|message| message.severity() == Severity::Error);
    errors.map(line).collect::<Vec<_>>().join("\n")
}

/// What stands before and behind a word in a message, and what libNVVM 13.0 has there. Clients look for these words.
const WORDS: [(&str, &str, &str, &str); 3] = [
    (
        "\"",
        "\" stands where a definition should be",
        "expected top-level entity",
        "",
    ),
    ("there is no instruction \"", "\"", "expected instruction opcode", ""),
    ("there is no value ", "", "use of undefined value '", "'"),
];

/// A message in those words.
fn words(text: &str) -> String {
    let own = WORDS.iter().find_map(|(before, behind, first, last)| {
        let word = text.strip_prefix(before)?.strip_suffix(behind)?;
        let kept = if last.is_empty() { "" } else { word };
        Some(format!("{first}{kept}{last}"))
    });
    own.unwrap_or_else(|| text.to_owned())
}

/// `NAME (LINE, COLUMN): parse MESSAGE`.
fn line(message: &Message) -> String {
    let text = words(&message.diagnostic.message);
    match (&message.diagnostic.file, &message.diagnostic.position) {
        (Some(file), Position::Text { place, .. }) => {
            format!(
                "{file} ({}, {}): parse {text}",
                place.line,
                place.column.saturating_sub(1)
            )
        }
        (Some(file), Position::Whole | Position::Offset(_)) => format!("{file}: error: {text}"),
        (None, _) => format!("error: {text}"),
    }
}
