//! libNVVM: NVVM IR to PTX.
//!
//! Observed, libNVVM 13.0: what each function answers to what calls, and the words of the log. On purpose otherwise: modules are text. Bitcode is refused by
//! name, but where it is added lazily and nothing of it is needed: the functions of libdevice are Warpsmith's own.

mod exports;
mod options;

use std::ffi::{CStr, c_int};

pub use exports::*;
use warpsmith::{Failure, Language, Message, Options, Position, Session, Severity, Source, Unit};
use warpsmith_base::fault;
use warpsmith_ir::{Module, Wanted};

use crate::border::Null;
use crate::handles::Handles;

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

/// How bitcode starts: of LLVM itself, and with a head before it.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// The programs that programs hold.
static PROGRAMS: Handles<Program> = Handles::new();

/// A module as it was added.
struct Added {
    name: String,
    bytes: Vec<u8>,
    /// Only what others need of it is taken.
    lazy: bool,
}

impl Added {
    fn is_bitcode(&self) -> bool {
        BITCODE.iter().any(|start| self.bytes.starts_with(start))
    }
}

/// What a handle stands for: modules, and what came of them.
#[derive(Default)]
struct Program {
    modules: Vec<Added>,
    log: String,
    ptx: String,
}

/// Why a step fails, and the words for the log.
type Failed = (Code, String);

impl Program {
    fn verify(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        self.guarded(options, Code::InvalidIr, |program, session| {
            program.linked(session).map(drop)
        })
    }

    fn compile(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        self.guarded(options, Code::Compilation, |program, session| {
            let mut unit = program.linked(session)?;
            let done = session.link_library(&mut unit);
            program.check_lazy(&unit.module)?;
            let made = done.and_then(|()| session.optimise(&mut unit).map(drop));
            let ptx = made.and_then(|()| session.select(&unit));
            program.ptx = ptx.map_err(|failure| (Code::Compilation, said(&failure)))?.text;
            Ok(())
        })
    }

    /// Does something with the modules; `wrong` is the code where they are wrong.
    fn guarded(
        &mut self,
        options: &[Vec<u8>],
        wrong: Code,
        work: impl FnOnce(&mut Program, &Session) -> Result<(), Failed>,
    ) -> Result<(), Code> {
        (self.log, self.ptx) = (String::new(), String::new());
        let texts = options
            .iter()
            .map(|option| String::from_utf8_lossy(option).into_owned());
        let options: Options = options::read(&texts.collect::<Vec<_>>()).map_err(|mistake| {
            self.log = mistake;
            Code::InvalidOption
        })?;
        if self.modules.is_empty() {
            return Err(Code::NoModuleInProgram);
        }
        let session = Session::new(options);
        match fault::caught(|| work(self, &session)) {
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
        let mut whole: Option<Unit> = None;
        // What is added lazily is looked for after all that is not.
        for lazy in [false, true] {
            for added in self.modules.iter().filter(|added| added.lazy == lazy) {
                if lazy && added.is_bitcode() {
                    continue;
                }
                let unit = read(added, session)?;
                let wanted = if lazy { Wanted::Needed } else { Wanted::All };
                match &mut whole {
                    None if lazy => break,
                    None => whole = Some(unit),
                    Some(whole) => whole.module.link(&unit.module, wanted).map_err(|problems| {
                        let first = problems.first().map(|problem| problem.message.clone());
                        let text = format!("{}: link error: error: {}", added.name, first.unwrap_or_default());
                        (Code::InvalidIr, text)
                    })?,
                }
            }
        }
        whole.ok_or_else(|| {
            let text = "libnvvm : error: all modules are added lazily, so that nothing of them is needed";
            (Code::InvalidIr, text.to_owned())
        })
    }

    /// Refuses a module in bitcode that is needed: there is a function that nothing defines.
    fn check_lazy(&self, module: &Module) -> Result<(), Failed> {
        let Some(added) = self.modules.iter().find(|added| added.lazy && added.is_bitcode()) else {
            return Ok(());
        };
        let mut missing = module.functions().filter(|(id, function)| {
            module.body(*id).is_none() && !function.name.starts_with("llvm.") && !is_of_the_system(&function.name)
        });
        match missing.next() {
            Some((_, function)) => Err((
                Code::InvalidIr,
                format!(
                    "{}: error: {BITCODE_IS_REFUSED}, and '{}' is looked for in it",
                    added.name, function.name
                ),
            )),
            None => Ok(()),
        }
    }
}

/// Why bitcode is not read.
const BITCODE_IS_REFUSED: &str = "LLVM's bitcode is not supported by Warpsmith (llvm-dis makes the text that is)";

/// Whether a function is one that the machine's own system has.
fn is_of_the_system(name: &str) -> bool {
    matches!(name, "vprintf" | "malloc" | "free" | "__assertfail") || name.starts_with("cuda")
}

/// Reads a module and checks what libNVVM asks of one.
fn read(added: &Added, session: &Session) -> Result<Unit, Failed> {
    let Added { name, bytes, .. } = added;
    if added.is_bitcode() {
        return Err((Code::InvalidIr, format!("{name}: error: {BITCODE_IS_REFUSED}")));
    }
    let source = Source::new(Language::Ir, name.as_str(), bytes.as_slice());
    let unit = session
        .front(&source)
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
    Ok(unit)
}

/// What is wrong, in the form of libNVVM's log: the first error with its place.
fn said(failure: &Failure) -> String {
    let errors = failure
        .messages()
        .iter()
        .filter(|message| message.severity() == Severity::Error);
    errors.map(line).collect::<Vec<_>>().join("\n")
}

/// `NAME (LINE, COLUMN): parse MESSAGE`.
fn line(message: &Message) -> String {
    let text = &message.diagnostic.message;
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
