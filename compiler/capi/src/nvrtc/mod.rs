//! NVRTC: CUDA C++ to PTX and cubins.
//!
//! Observed, NVRTC 13.0: what each function answers to what calls. On purpose otherwise: built-in headers (`cuda_fp16.h`, `cuda/std` and others) are found
//! without any include folder; headers are never precompiled; LTO-IR is Warpsmith's own, for its nvJitLink; OptiX' IR and Tile's IR are refused by name.

mod exports;
mod log;
mod options;

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsString, c_int};
use std::fmt::Write as _;
use std::io;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

pub use exports::*;
use options::Request;
use warpsmith::{Artifact, Disk, Emit, Failure, FileSystem, Language, Session, Sm, Source};
use warpsmith_base::fault;
use warpsmith_driver::ptxas::{self, Outcome};

use crate::border::{self, Callback, Null};
use crate::handles::Handles;
use crate::lto;

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Code {
    Success = 0,
    InvalidInput = 3,
    InvalidProgram = 4,
    InvalidOption = 5,
    Compilation = 6,
    BuiltinOperationFailure = 7,
    NoNameExpressionsAfterCompilation = 8,
    NoLoweredNamesBeforeCompilation = 9,
    NameExpressionNotValid = 10,
    Internal = 11,
    TimeFileWriteFailed = 12,
    NoPchCreateAttempted = 13,
    Cancelled = 16,
}

impl From<Null> for Code {
    fn from(_: Null) -> Code {
        Code::InvalidInput
    }
}

/// The names of the codes, from 0 on.
const NAMES: [&CStr; 18] = [
    c"NVRTC_SUCCESS",
    c"NVRTC_ERROR_OUT_OF_MEMORY",
    c"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
    c"NVRTC_ERROR_INVALID_INPUT",
    c"NVRTC_ERROR_INVALID_PROGRAM",
    c"NVRTC_ERROR_INVALID_OPTION",
    c"NVRTC_ERROR_COMPILATION",
    c"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    c"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
    c"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
    c"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
    c"NVRTC_ERROR_INTERNAL_ERROR",
    c"NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    c"NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
    c"NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
    c"NVRTC_ERROR_PCH_CREATE",
    c"NVRTC_ERROR_CANCELLED",
    c"NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
];

/// The toolkit whose library this is.
const VERSION: (c_int, c_int) = (13, 0);

/// What a program is called that has no name.
const UNNAMED: &str = "default_program";

/// The programs that programs hold.
static PROGRAMS: Handles<Program> = Handles::new();

/// The size of the heap for precompiled headers, which nothing is put into: it is the process', by the interface.
static HEAP: AtomicUsize = AtomicUsize::new(256 << 20);

/// The number of each SM, in ascending order.
fn architectures() -> &'static [c_int] {
    static NUMBERS: LazyLock<Vec<c_int>> = LazyLock::new(|| {
        let names = Sm::ALL.iter().map(|sm| sm.name().trim_start_matches("sm_"));
        let mut numbers: Vec<c_int> = names.filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    });
    &NUMBERS
}

/// Headers from memory by the names that an `#include` gives, and the files of the machine.
#[derive(Clone, Default)]
struct Headers(Arc<HashMap<String, Vec<u8>>>);

impl FileSystem for Headers {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.0.get(path) {
            Some(text) => Ok(text.clone()),
            None => Disk.read(path),
        }
    }

    fn identity(&self, path: &str) -> String {
        match self.0.contains_key(path) {
            true => path.to_owned(),
            false => Disk.identity(path),
        }
    }

    fn is_header(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        match self.0.get(path) {
            Some(text) => Some(text.clone()),
            None => Disk.read_to_show(path),
        }
    }
}

/// What a handle stands for: a program, and what came of it.
#[derive(Default)]
struct Program {
    source: Arc<[u8]>,
    name: String,
    headers: Headers,
    callback: Option<Callback>,
    /// The expressions, and after a compile that succeeded what they are called.
    names: Vec<(Vec<u8>, Option<CString>)>,
    is_compiled: bool,
    log: String,
    ptx: String,
    cubin: Vec<u8>,
    lto_ir: Vec<u8>,
}

impl Program {
    fn compile(&mut self, options: &[Vec<u8>]) -> Result<(), Code> {
        self.is_compiled = true;
        (self.log, self.ptx, self.cubin, self.lto_ir) = (String::new(), String::new(), Vec::new(), Vec::new());
        self.names.iter_mut().for_each(|(_, lowered)| *lowered = None);
        let texts = options
            .iter()
            .map(|option| String::from_utf8_lossy(option).into_owned());
        let mut request = match options::read(&texts.collect::<Vec<_>>()) {
            Ok(request) => request,
            Err(mistake) => {
                self.log = format!("nvrtc: error: {mistake}\n");
                return Err(Code::InvalidOption);
            }
        };
        self.log.clone_from(&request.warnings);
        let names = self
            .names
            .iter()
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned());
        request.options.front.names = names.collect();
        match fault::caught(|| self.compiled(&request)) {
            Ok(result) => result,
            Err(fault) => {
                let _ = writeln!(self.log, "nvrtc: error: internal error: {}", fault.message);
                Err(Code::Internal)
            }
        }
    }

    fn compiled(&mut self, request: &Request) -> Result<(), Code> {
        let start = Instant::now();
        let mut options = request.options.clone();
        if !request.ptxas.is_empty() {
            options.emit = Emit::Ptx;
        }
        let session = Session::new(options).with_files(self.headers.clone());
        let session = session.with_cancel(border::cancel(self.callback));
        let source = Source::new(Language::Cuda, &self.name, self.source.clone());
        match request.lto {
            true => self.front(&session, &source, request)?,
            false => self.code(&session, &source, request)?,
        }
        match &request.time {
            Some(file) => self.tell_time(file, start),
            None => Ok(()),
        }
    }

    /// Makes PTX, and a cubin.
    fn code(&mut self, session: &Session, source: &Source, request: &Request) -> Result<(), Code> {
        let artifact = match session.compile(source) {
            Ok(artifact) => artifact,
            Err(failure) => return Err(self.failed(&failure, request)),
        };
        self.log += &log::of_messages(&artifact.diagnostics, request, &self.name);
        self.take(artifact);
        match !request.ptxas.is_empty() && request.options.emit == Emit::Cubin {
            true => self.assemble(request),
            false => Ok(()),
        }
    }

    /// Makes a module for a link.
    fn front(&mut self, session: &Session, source: &Source, request: &Request) -> Result<(), Code> {
        let unit = match session.front(source) {
            Ok(unit) => unit,
            Err(failure) => return Err(self.failed(&failure, request)),
        };
        self.log += &log::of_messages(&unit.messages, request, &self.name);
        for ((_, lowered), name) in self.names.iter_mut().zip(&unit.names) {
            // No symbol has a zero in it.
            *lowered = CString::new(name.as_str()).ok();
        }
        self.lto_ir = lto::write(&unit.module, lto::Made::by(session.options()));
        Ok(())
    }

    /// Says why there is nothing.
    fn failed(&mut self, failure: &Failure, request: &Request) -> Code {
        self.log += &log::of_messages(failure.messages(), request, &self.name);
        match failure {
            Failure::Rejected(_) | Failure::Unsupported(_) => Code::Compilation,
            Failure::Internal(_) => Code::Internal,
            Failure::Cancelled => Code::Cancelled,
        }
    }

    fn take(&mut self, artifact: Artifact) {
        for ((_, lowered), name) in self.names.iter_mut().zip(artifact.names) {
            // No symbol has a zero in it.
            *lowered = CString::new(name).ok();
        }
        self.ptx = artifact.ptx.unwrap_or_default();
        self.cubin = artifact.cubin.unwrap_or_default();
    }

    /// Makes the cubin where there are options of ptxas, and says what ptxas says.
    fn assemble(&mut self, request: &Request) -> Result<(), Code> {
        let asked = &request.options;
        let mut options: Vec<OsString> = vec![format!("-arch={}", asked.target.name()).into()];
        let flags = [
            (asked.debug, "-g"),
            (asked.line_info, "-lineinfo"),
            (asked.relocatable, "-c"),
        ];
        options.extend(
            flags
                .into_iter()
                .filter(|(is_on, _)| *is_on)
                .map(|(_, flag)| flag.into()),
        );
        if let Some(most) = asked.maximum_registers {
            options.push(format!("-maxrregcount={most}").into());
        }
        options.extend(request.ptxas.iter().map(OsString::from));
        let assembled = ptxas::assemble(&options, self.ptx.as_bytes(), &border::cancel(self.callback));
        self.log += &assembled.said;
        match assembled.outcome {
            Outcome::Cubin(bytes) => {
                self.cubin = bytes;
                Ok(())
            }
            Outcome::Checked | Outcome::Refused => Err(Code::Compilation),
            Outcome::Internal => Err(Code::Internal),
            Outcome::Cancelled => Err(Code::Cancelled),
        }
    }

    /// Writes how long it took.
    fn tell_time(&mut self, file: &str, start: Instant) -> Result<(), Code> {
        let milliseconds = start.elapsed().as_millis();
        let name = &self.name;
        let text =
            format!("File name, phase name, metric, unit\n{name}, CUDA C++ to machine code, {milliseconds}, ms\n");
        if file == "-" {
            self.log += &text;
            return Ok(());
        }
        std::fs::write(file, text).map_err(|_| {
            let _ = writeln!(self.log, "nvrtc: error: failed to open file {file} for writing!");
            Code::TimeFileWriteFailed
        })
    }

    fn add_name(&mut self, name: Vec<u8>) -> Result<(), Code> {
        if self.is_compiled {
            return Err(Code::NoNameExpressionsAfterCompilation);
        }
        if !self.names.iter().any(|(known, _)| *known == name) {
            self.names.push((name, None));
        }
        Ok(())
    }

    /// The symbol of an expression, which lives until the next compile.
    fn lowered_name(&self, name: &[u8]) -> Result<&CStr, Code> {
        let known = self.names.iter().find(|(known, _)| known == name);
        match known {
            Some((_, Some(lowered))) => Ok(lowered),
            Some((_, None)) => Err(Code::NoLoweredNamesBeforeCompilation),
            None if !self.is_compiled => Err(Code::NoLoweredNamesBeforeCompilation),
            None => Err(Code::NameExpressionNotValid),
        }
    }
}
