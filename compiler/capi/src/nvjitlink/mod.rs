//! nvJitLink: PTX, and LTO-IR of Warpsmith's own, to one cubin or to PTX.
//!
//! Observed, nvJitLink 13.0: what each function answers to what calls, and the words of the log. Modules of LTO-IR are linked as IR, optimised together and
//! selected to PTX; that and the PTX that was added are linked as text, and assembled. On purpose otherwise: PTX is checked when it is added, and assembled
//! when all is there; with `-lto` there may be PTX alone; a name that is defined twice is an error; a damaged module of LTO-IR is told of when it is added;
//! cubins, fat binaries, objects and libraries are refused by name, as is NVIDIA's LTO-IR.

mod exports;
mod input;
mod options;

use std::ffi::OsString;
use std::time::Instant;

pub use exports::*;
use warpsmith::{Arithmetic, Options, Session, Unit};
use warpsmith_base::{Cancel, fault};
use warpsmith_driver::ptxas::{self, Outcome};
use warpsmith_ir::Wanted;
use warpsmith_ptx::link::{self, LinkError};

use crate::border::Null;
use crate::handles::Handles;
use crate::lto::{self, said};
use input::Kind;
use options::Request;

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Code {
    Success = 0,
    UnrecognizedOption = 1,
    MissingArch = 2,
    InvalidInput = 3,
    PtxCompile = 4,
    NvvmCompile = 5,
    Internal = 6,
    UnrecognizedInput = 8,
    NullInput = 10,
    IncompatibleOptions = 11,
    IncorrectInputType = 12,
    ArchMismatch = 13,
    UnrecognizedArch = 16,
    UnsupportedArch = 17,
    LtoNotEnabled = 18,
}

impl From<Null> for Code {
    fn from(_: Null) -> Code {
        Code::NullInput
    }
}

/// The toolkit whose library this is.
const VERSION: (u32, u32) = (13, 0);

/// The linkers that programs hold.
static LINKERS: Handles<Linker> = Handles::new();

/// What a link makes.
enum Made {
    Cubin(Vec<u8>),
    Ptx(String),
}

/// What a handle stands for: options, inputs, and what came of them.
#[derive(Default)]
struct Linker {
    /// `None`: they are wrong, which the log says.
    request: Option<Request>,
    /// Names and texts.
    ptx: Vec<(String, String)>,
    /// Names and bytes.
    modules: Vec<(String, Vec<u8>)>,
    /// Names.
    libraries: Vec<String>,
    errors: String,
    info: String,
    /// Whether the link was asked for: nothing is added any more.
    is_ended: bool,
    made: Option<Made>,
}

/// Why a step fails, and the words for the log.
type Failed = (Code, String);

impl Linker {
    fn new(options: &[Vec<u8>]) -> (Linker, Result<(), Code>) {
        let texts: Vec<String> = options
            .iter()
            .map(|option| String::from_utf8_lossy(option).into_owned())
            .collect();
        match options::read(&texts) {
            Ok(request) => {
                let request = Some(request);
                (
                    Linker {
                        request,
                        ..Linker::default()
                    },
                    Ok(()),
                )
            }
            Err((code, errors)) => (
                Linker {
                    errors,
                    ..Linker::default()
                },
                Err(code),
            ),
        }
    }

    /// Does something, with what is wrong in the log.
    fn guarded(&mut self, work: impl FnOnce(&mut Linker) -> Result<(), Failed>) -> Result<(), Code> {
        match fault::caught(|| work(self)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err((code, text))) => {
                self.errors += &text;
                Err(code)
            }
            Err(fault) => {
                self.errors += &format!("error   : internal error: {}\n", fault.message);
                Err(Code::Internal)
            }
        }
    }

    /// The options.
    fn request(&self) -> Result<&Request, Failed> {
        self.request.as_ref().ok_or_else(|| (Code::Internal, String::new()))
    }

    fn session(&self) -> Result<Session, Failed> {
        Ok(Session::new(self.request()?.options.clone()))
    }

    /// Whether PTX is wanted, and no cubin.
    fn wants_ptx(&self) -> bool {
        self.request.as_ref().is_some_and(|request| request.ptx)
    }

    /// Adds an input of a kind (`nvJitLinkInputType`).
    fn add(&mut self, kind: i32, name: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        if self.is_ended {
            return Err((Code::Internal, format!("error   : {name} comes after the link\n")));
        }
        match input::kind_of(kind, name, &bytes)? {
            Kind::LtoIr => self.add_module(name, bytes),
            Kind::Ptx => self.add_ptx(name, bytes),
            Kind::Library => {
                self.libraries.push(name.to_owned());
                Ok(())
            }
        }
    }

    fn add_module(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        let request = self.request()?;
        if !request.lto {
            let text = "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)\n";
            return Err((Code::LtoNotEnabled, text.to_owned()));
        }
        let target = request.options.target;
        let own = lto::made(&bytes).map(|made| made.target);
        if let Some(own) = own.filter(|own| !target.accepts_ptx_target(*own)) {
            let text = format!("ERROR {name} is LTO-IR for {own}, which does not run on {target}\n");
            return Err((Code::ArchMismatch, text));
        }
        // What is wrong is told at once.
        lto::read(name, &bytes, &self.session()?).map_err(|text| (Code::IncorrectInputType, text))?;
        self.modules.push((name.to_owned(), bytes));
        Ok(())
    }

    fn add_ptx(&mut self, name: &str, mut bytes: Vec<u8>) -> Result<(), Failed> {
        // Programs count the closing zero, or do not.
        if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            bytes.truncate(end);
        }
        let options = [self
            .request()?
            .options
            .target
            .name()
            .replace("sm_", "-arch=compute_")
            .into()];
        let checked = ptxas::assemble(&options, &bytes, &Cancel::never());
        if checked.outcome != Outcome::Checked {
            return Err(of_ptx(&checked.outcome, checked.said, name));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.ptx.push((name.to_owned(), text));
        Ok(())
    }

    /// Links all that was added, once.
    fn complete(&mut self) -> Result<(), Failed> {
        if self.is_ended {
            return Err((Code::Internal, String::new()));
        }
        self.is_ended = true;
        let start = Instant::now();
        let made = self.link().map_err(|(code, text)| (code, text + &self.not_searched()));
        self.made = Some(made?);
        if self.request()?.time {
            let seconds = start.elapsed().as_secs_f64();
            self.info += &format!("nvJitLinkComplete time to finish: {:.6}\n", 1e3 * seconds);
        }
        Ok(())
    }

    /// Of a link that failed: libraries may have what it misses.
    fn not_searched(&self) -> String {
        let line = |name: &String| {
            format!(
                "info    : {name} is a library, of which Warpsmith's nvJitLink links nothing: what it defines is missing\n"
            )
        };
        self.libraries.iter().map(line).collect()
    }

    fn link(&mut self) -> Result<Made, Failed> {
        let request = self.request()?;
        if request.ptx && !self.ptx.is_empty() {
            let text = "ERROR: -ptx requires that all inputs have LTOIR\n";
            return Err((Code::IncorrectInputType, text.to_owned()));
        }
        if request.lto && self.modules.is_empty() && self.ptx.is_empty() {
            let text = "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n";
            return Err((Code::NvvmCompile, text.to_owned()));
        }
        let target = request.options.target.name();
        let mut texts = self.ptx.clone();
        if !self.modules.is_empty() {
            let text = self.selected().map_err(|text| (Code::NvvmCompile, text))?;
            if request.ptx {
                return Ok(Made::Ptx(text));
            }
            texts.insert(0, (OF_MODULES.to_owned(), text));
        }
        let (name, text) = match texts.as_slice() {
            [] => (
                String::new(),
                format!(".version 9.0\n.target {target}\n.address_size 64\n"),
            ),
            // What is missing is told by the assembler.
            [one] if self.ptx.is_empty() => one.clone(),
            [one] => linked(&texts, target).map(|_| one.clone())?,
            _ => ("link".to_owned(), linked(&texts, target)?),
        };
        self.assemble(&name, &text)
    }

    /// The options with the arithmetic of the modules, which is one for all.
    fn options_of_modules(&self) -> Result<Options, String> {
        let made: Vec<(&str, Arithmetic)> = self
            .modules
            .iter()
            .filter_map(|(name, bytes)| Some((name.as_str(), lto::made(bytes)?.arithmetic)))
            .collect();
        let mut options = self.request().map_err(|(_, text)| text)?.options.clone();
        let Some((first, arithmetic)) = made.first() else {
            return Ok(options);
        };
        if let Some((other, _)) = made.iter().find(|(_, other)| other != arithmetic) {
            return Err(format!(
                "error   : {first} and {other} were compiled with different options of arithmetic (-ftz, -prec-div, -prec-sqrt, -fmad, -use_fast_math), \
                 which Warpsmith's nvJitLink does not link\n"
            ));
        }
        let own = &mut options.arithmetic;
        own.flush_denormals |= arithmetic.flush_denormals;
        own.contract &= arithmetic.contract;
        own.precise_division &= arithmetic.precise_division;
        own.precise_square_root &= arithmetic.precise_square_root;
        own.fast_math |= arithmetic.fast_math;
        Ok(options)
    }

    /// The modules as one, as PTX.
    fn selected(&self) -> Result<String, String> {
        let session = Session::new(self.options_of_modules()?);
        let mut whole: Option<Unit> = None;
        for (name, bytes) in &self.modules {
            let unit = lto::read(name, bytes, &session)?;
            match &mut whole {
                None => whole = Some(unit),
                Some(whole) => whole.module.link(&unit.module, Wanted::All).map_err(|problems| {
                    let lines = problems.iter().map(|one| {
                        let what = one.construct.as_deref().unwrap_or("link");
                        format!("error   : {name}: {what}: {}\n", one.message)
                    });
                    lines.collect::<String>()
                })?,
            }
        }
        let Some(mut unit) = whole else {
            return Ok(String::new());
        };
        // PTX may call what the modules have.
        unit.whole_program = self.ptx.is_empty();
        let done = session.link_library(&mut unit);
        let made = done.and_then(|()| session.optimise(&mut unit).map(drop));
        let ptx = made.and_then(|()| session.select(&unit));
        ptx.map(|ptx| ptx.text).map_err(|failure| said(&failure))
    }

    fn assemble(&mut self, name: &str, text: &str) -> Result<Made, Failed> {
        let request = self.request()?;
        let mut options: Vec<OsString> = vec![format!("-arch={}", request.options.target.name()).into()];
        options.extend(request.ptxas.iter().map(OsString::from));
        let assembled = ptxas::assemble(&options, text.as_bytes(), &Cancel::never());
        match assembled.outcome {
            Outcome::Cubin(bytes) => {
                self.info += &assembled.said;
                Ok(Made::Cubin(bytes))
            }
            other => Err(of_ptx(&other, assembled.said, name)),
        }
    }
}

/// What the PTX is called that is made of modules (observed).
const OF_MODULES: &str = "ltoPtx";

/// Why there is nothing of a PTX text, with what the assembler said of it.
fn of_ptx(outcome: &Outcome, said: String, name: &str) -> Failed {
    match outcome {
        Outcome::Internal => (Code::Internal, said),
        Outcome::Cubin(_) | Outcome::Checked | Outcome::Refused | Outcome::Cancelled => {
            let last = format!("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ({name})\n");
            (Code::PtxCompile, said + &last)
        }
    }
}

/// Several texts as one.
fn linked(texts: &[(String, String)], target: &str) -> Result<String, Failed> {
    let units: Vec<link::Unit<'_>> = texts.iter().map(|(name, text)| link::Unit { name, text }).collect();
    link::link(&units, target, &warpsmith_ori::is_system_call).map_err(|errors| {
        let lines = errors.iter().map(|error| match error {
            LinkError::Syntax { unit, message } => format!("error   : {unit}: {message}\n"),
            LinkError::Multiple { symbol, unit, first } => {
                format!("error   : Multiple definition of '{symbol}' in '{unit}', first defined in '{first}'\n")
            }
            LinkError::Undefined { symbol, unit } => {
                format!("error   : Undefined reference to '{symbol}' in '{unit}'\n")
            }
        });
        (Code::Internal, lines.collect::<String>() + "ERROR 1: finish\n")
    })
}
