//! Whole programs both ways: PTX in the interpreter, and what the back end makes of it in the emulator of machine code in checked mode.
//!
//! **What enters**: a [`Program`], which is PTX with a line that says how it is launched, a target and the options of the compiler. **What leaves**: a
//! [`Verdict`]. The interpreter is the judge; a program that it calls undefined (a race, a register or memory read before it was written) is no program.

pub mod campaign;
mod compile;
mod program;

pub use compile::{Maker, Settings, ours};
pub(crate) use program::EDGES;
pub use program::Program;

use std::fmt;

use warpsmith_emu::{Device, Failure, FaultKind, Options, ptx, sass};
use warpsmith_ptx::{Severity, module::Module};

use crate::{emulator_agreement::guarded, gpu};

/// Warp instructions of the interpreter after which a program counts as endless.
const BUDGET: u64 = 400_000;
/// The same for machine code, which has more of them.
const MACHINE_BUDGET: u64 = 40 * BUDGET;

/// What a program leaves in its buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory(pub Vec<u8>);

/// What became of a program on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same memory.
    Equal,
    /// Other memory: the first word that differs, what it is and what it should be, and how many differ.
    Wrong {
        /// Index of the 32-bit word.
        word: usize,
        /// What the machine code left.
        found: u32,
        /// What the interpreter left.
        expected: u32,
        /// Words that differ.
        count: usize,
    },
    /// The machine code uses a register too early.
    Hazard(String),
    /// The machine code faults, or never ends.
    Fault(String),
    /// The compiler says that it does not support something.
    Refused(String),
    /// The compiler found a mistake of its own, or what it wrote cannot be read.
    Internal(String),
    /// Something panicked.
    Panic(String),
}

impl Verdict {
    /// A name for the kind, as the command line has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Wrong { .. } => "wrong",
            Verdict::Hazard(_) => "hazard",
            Verdict::Fault(_) => "fault",
            Verdict::Refused(_) => "refused",
            Verdict::Internal(_) => "internal",
            Verdict::Panic(_) => "panic",
        }
    }

    /// Whether it is a mistake of the compiler, not just something that it lacks.
    pub fn is_mistake(&self) -> bool {
        !matches!(self, Verdict::Equal | Verdict::Refused(_))
    }

    /// Kind and message without numbers and names, so that equal causes can be counted.
    pub fn class(&self) -> String {
        let text = match self {
            Verdict::Equal | Verdict::Wrong { .. } => return self.kind().to_owned(),
            // Which registers meet varies while the cause is the same.
            Verdict::Hazard(_) => return self.kind().to_owned(),
            Verdict::Fault(text) | Verdict::Refused(text) | Verdict::Internal(text) | Verdict::Panic(text) => text,
        };
        let line = text.lines().next().unwrap_or_default();
        format!("{}: {}", self.kind(), without_numbers(line))
    }
}

/// A text with `#` for each word of it that has a digit, so that equal causes can be counted.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    for word in text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "_%.".contains(c))) {
        let end = word
            .trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || "_%.".contains(c)))
            .len();
        match word[..end].find(|c: char| c.is_ascii_digit()) {
            Some(digit) => {
                result.push_str(word[..digit].trim_end_matches('.'));
                result.push('#');
                result.push_str(&word[end..]);
            }
            None => result.push_str(word),
        }
    }
    result
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Equal => f.write_str("equal"),
            Verdict::Wrong {
                word,
                found,
                expected,
                count,
            } => write!(
                f,
                "wrong: word {word} is {found:#010x}, expected {expected:#010x}; {count} words differ"
            ),
            Verdict::Hazard(text)
            | Verdict::Fault(text)
            | Verdict::Refused(text)
            | Verdict::Internal(text)
            | Verdict::Panic(text) => write!(f, "{}: {text}", self.kind()),
        }
    }
}

/// Where machine code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// In the emulator, in checked mode.
    #[default]
    Emulator,
    /// On the first GPU of the machine.
    Gpu,
}

/// A program that the interpreter has run.
#[derive(Debug)]
pub struct Judged {
    /// The program.
    pub program: Program,
    /// Its module.
    pub module: Module,
    /// What it leaves.
    pub expected: Memory,
}

impl Judged {
    /// Parses and interprets a program.
    ///
    /// # Errors
    /// Why it is no program: what the parser says, or why the interpreter stops.
    pub fn new(program: Program) -> Result<Judged, String> {
        Judged::with_seed(program, 0)
    }

    /// The same with another order of warps.
    ///
    /// # Errors
    /// As of [`Judged::new`].
    pub fn with_seed(program: Program, seed: u64) -> Result<Judged, String> {
        let parsed = warpsmith_ptx::parse(program.text.as_bytes());
        if let Some(problem) = parsed
            .problems
            .iter()
            .find(|problem| problem.severity != Severity::Warning)
        {
            let start = problem.span.range().start.min(program.text.len());
            let line = program.text[..start].lines().count();
            return Err(format!("line {line}: {}", problem.vendor_text()));
        }
        let options = Options {
            seed,
            step_budget: BUDGET,
            check_races: true,
            check_uninitialised: true,
            check_registers: true,
            ..Options::default()
        };
        let expected = interpreted(&program, &parsed.module, &options)?;
        Ok(Judged {
            program,
            module: parsed.module,
            expected,
        })
    }

    /// Compiles for a target and compares.
    pub fn check(&self, maker: &Maker, settings: &Settings, place: Place) -> Verdict {
        match maker.cubin(&self.program, &self.module, settings) {
            Ok(bytes) => self.check_cubin(&bytes, place),
            Err(verdict) => verdict,
        }
    }

    /// Runs a cubin of the program and compares.
    pub fn check_cubin(&self, bytes: &[u8], place: Place) -> Verdict {
        let ran = match place {
            Place::Emulator => machine(&self.program, bytes),
            Place::Gpu => on_gpu(&self.program, bytes),
        };
        match ran {
            Ok(memory) => compare(&memory.0, &self.expected.0),
            Err(verdict) => verdict,
        }
    }
}

/// Runs the module of a program in the interpreter.
///
/// # Errors
/// Why the interpreter stops.
pub fn interpreted(program: &Program, module: &Module, options: &Options) -> Result<Memory, String> {
    guarded(|| {
        let mut device = Device::new();
        let loaded = ptx::load(&mut device, module).map_err(|fault| fault.to_string())?;
        let (launch, out) = program.prepare(&mut device)?;
        ptx::run(&mut device, &loaded, &launch, options).map_err(|failure| failure.to_string())?;
        program.result(&device, out)
    })
}

/// Runs a cubin in checked mode.
///
/// # Errors
/// What went wrong, as a verdict.
pub fn machine(program: &Program, bytes: &[u8]) -> Result<Memory, Verdict> {
    let options = Options {
        step_budget: MACHINE_BUDGET,
        check_hazards: true,
        ..Options::default()
    };
    let mut verdict = None;
    let memory = guarded(|| {
        let mut fail = |of: fn(String) -> Verdict, text: String| {
            verdict = Some(of(text));
            Err(String::new())
        };
        let cubin = match warpsmith_cubin::Cubin::read(bytes) {
            Ok(cubin) => cubin,
            Err(error) => return fail(Verdict::Internal, format!("the cubin cannot be read: {error}")),
        };
        let mut device = Device::new();
        let loaded = match sass::load(&mut device, &cubin) {
            Ok(loaded) => loaded,
            Err(fault) => return fail(Verdict::Internal, format!("the cubin cannot be loaded: {fault}")),
        };
        let (launch, out) = program.prepare(&mut device)?;
        if let Err(failure) = sass::run(&mut device, &loaded, &launch, &options) {
            return fail(kind_of(&failure), described(&failure));
        }
        program.result(&device, out)
    });
    memory.map_err(|message| verdict.unwrap_or(Verdict::Panic(message)))
}

/// Runs a cubin on a GPU.
///
/// # Errors
/// What went wrong, as a verdict.
pub fn on_gpu(program: &Program, bytes: &[u8]) -> Result<Memory, Verdict> {
    let mut buffers = gpu::run(&program.job(bytes)).map_err(Verdict::Fault)?;
    Ok(Memory(buffers.swap_remove(0)))
}

fn kind_of(failure: &Failure) -> fn(String) -> Verdict {
    match failure.fault.kind {
        FaultKind::Hazard => Verdict::Hazard,
        FaultKind::Launch
        | FaultKind::Load
        | FaultKind::OutOfBounds
        | FaultKind::Misaligned
        | FaultKind::AddressSpace
        | FaultKind::Uninitialised
        | FaultKind::Race
        | FaultKind::Unsupported
        | FaultKind::BarrierDivergence
        | FaultKind::Operand
        | FaultKind::Budget
        | FaultKind::Trap
        | FaultKind::Assert
        | FaultKind::Stack
        | FaultKind::Call => Verdict::Fault,
    }
}

fn described(failure: &Failure) -> String {
    let fault = &failure.fault;
    let instruction = fault.instruction.as_deref().unwrap_or_default();
    format!("{}: {} at {instruction}", fault.kind.name(), fault.message)
}

pub(crate) fn compare(found: &[u8], expected: &[u8]) -> Verdict {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|word| u32::from_le_bytes(*word)).collect()
    };
    let (found, expected) = (words(found), words(expected));
    let mut different = (0..).zip(found.iter().zip(&expected)).filter(|(_, (a, b))| a != b);
    match different.next() {
        None => Verdict::Equal,
        Some((word, (found, expected))) => Verdict::Wrong {
            word,
            found: *found,
            expected: *expected,
            count: 1 + different.count(),
        },
    }
}
