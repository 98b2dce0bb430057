//! What stops a run.

use std::fmt;

use warpsmith_ptx::Span;

use crate::{Report, demangled};

/// The class of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The launch names a kernel that is not there, or its arguments or sizes do not fit.
    Launch,
    /// A module that cannot be loaded, such as one with an undefined external variable.
    Load,
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is not a multiple of the access size.
    Misaligned,
    /// An address of a state space that the instruction does not take.
    AddressSpace,
    /// Memory read that was never written.
    Uninitialised,
    /// Two threads touched the same memory, at least one writing, with no synchronisation between them.
    Race,
    /// An instruction or a variant of it that the interpreter does not implement.
    Unsupported,
    /// Threads wait for each other in a way that never ends.
    BarrierDivergence,
    /// An operand value that the instruction gives no meaning, such as a wrong member mask or barrier number.
    Operand,
    /// The instruction budget is spent.
    Budget,
    /// `trap`
    Trap,
    /// A failed `assert` of device code.
    Assert,
    /// The call stack or local memory of a thread is exhausted.
    Stack,
    /// A call of something that is no function, or has no body.
    Call,
    /// A register used before the instructions in flight allow it: a stall count too small or a scoreboard not waited for.
    Hazard,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 16] = [
        FaultKind::Launch,
        FaultKind::Load,
        FaultKind::OutOfBounds,
        FaultKind::Misaligned,
        FaultKind::AddressSpace,
        FaultKind::Uninitialised,
        FaultKind::Race,
        FaultKind::Unsupported,
        FaultKind::BarrierDivergence,
        FaultKind::Operand,
        FaultKind::Budget,
        FaultKind::Trap,
        FaultKind::Assert,
        FaultKind::Stack,
        FaultKind::Call,
        FaultKind::Hazard,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Launch => "launch error",
            FaultKind::Load => "load error",
            FaultKind::OutOfBounds => "out-of-bounds access",
            FaultKind::Misaligned => "misaligned access",
            FaultKind::AddressSpace => "wrong address space",
            FaultKind::Uninitialised => "uninitialised read",
            FaultKind::Race => "data race",
            FaultKind::Unsupported => "unsupported instruction",
            FaultKind::BarrierDivergence => "barrier deadlock",
            FaultKind::Operand => "invalid operand",
            FaultKind::Budget => "instruction budget spent",
            FaultKind::Trap => "trap",
            FaultKind::Assert => "assertion failed",
            FaultKind::Stack => "stack overflow",
            FaultKind::Call => "invalid call",
            FaultKind::Hazard => "pipeline hazard",
        }
    }
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// Memory of the device or of the host.
    Global,
    /// Of a CTA.
    Shared,
    /// Of a thread.
    Local,
}

/// Threads of a warp that are at the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Which they are and what they do there, in words.
    pub what: String,
    /// Function, instruction and lines.
    pub at: Fault,
}

/// An address of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// In global memory.
    Global(u64),
    /// In the shared memory of the CTA: the offset there.
    Shared(u64),
}

/// A line of the source that the code was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of its `.file`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column; 0 where it is not known.
    pub column: u32,
    /// The function that the line is in, as linkers know it; `None` where it is not known.
    pub function: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}

/// Why a load or run stopped, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The class.
    pub kind: FaultKind,
    /// What happened, with the values at hand.
    pub message: String,
    /// The kernel.
    pub kernel: Option<String>,
    /// The function of the instruction, which the kernel may have called.
    pub function: Option<String>,
    /// The CTA.
    pub cta: Option<[u32; 3]>,
    /// The thread in the CTA.
    pub thread: Option<[u32; 3]>,
    /// The mnemonic of the instruction.
    pub instruction: Option<String>,
    /// The instruction in the PTX text.
    pub span: Option<Span>,
    /// The line of the PTX text; [`Fault::in_text`] sets it.
    pub line: Option<u32>,
    /// The line of the source that the PTX was made from.
    pub place: Option<Place>,
    /// The memory of an access that was out of bounds, where it is known.
    pub space: Option<MemorySpace>,
    /// The calls around that line, the innermost first: of functions that were copied to them, and of those that are called.
    pub callers: Vec<Place>,
    /// What was accessed.
    pub accessed: Option<Accessed>,
    /// Of threads that do not come to an end: where they stand, the first few.
    pub standing: Vec<Standing>,
    /// How many more groups of threads there are.
    pub more_standing: usize,
    /// Of a race: the access that came before.
    pub other: Option<Box<Fault>>,
}

impl Fault {
    /// A fault that is not yet placed.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault {
            kind,
            message: message.into(),
            kernel: None,
            function: None,
            cta: None,
            thread: None,
            instruction: None,
            span: None,
            line: None,
            place: None,
            space: None,
            callers: Vec::new(),
            accessed: None,
            standing: Vec::new(),
            more_standing: 0,
            other: None,
        }
    }

    /// With where threads stand: the place of the first of them is the fault's.
    pub(crate) fn standing(self, (standing, more): (Vec<Standing>, usize)) -> Fault {
        let first = standing.first().map(|first| first.at.clone());
        Fault {
            kind: self.kind,
            message: self.message,
            instruction: None,
            standing,
            more_standing: more,
            ..first.unwrap_or_else(|| Fault::new(self.kind, ""))
        }
    }

    /// With the line number of its instruction in the PTX text.
    #[must_use]
    pub fn in_text(mut self, text: &str) -> Fault {
        self.line = self.span.and_then(|span| {
            let before = text.as_bytes().get(..span.start as usize)?;
            Some(before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1)
        });
        self.other = self.other.map(|other| Box::new(other.in_text(text)));
        self.standing = (self.standing.into_iter())
            .map(|standing| Standing {
                at: standing.at.in_text(text),
                ..standing
            })
            .collect();
        self
    }

    /// Instruction, function and thread, each on a line of its own.
    fn write_place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(instruction) = &self.instruction {
            write!(f, "\n  at {instruction}")?;
            match (self.line, self.span) {
                (Some(line), _) => write!(f, ", PTX line {line}")?,
                (None, Some(span)) => write!(f, ", PTX byte {}", span.start)?,
                (None, None) => {}
            }
            if let Some(place) = &self.place {
                write!(f, ", {place}")?;
            }
        }
        if let Some(kernel) = &self.kernel {
            write!(f, "\n  in kernel {}", demangled(kernel))?;
            // The function of the line may have been copied to where it was called.
            let of_line = self.place.as_ref().and_then(|place| place.function.as_ref());
            if let Some(function) = of_line
                .or(self.function.as_ref())
                .filter(|function| *function != kernel)
            {
                write!(f, ", function {}", demangled(function))?;
            }
        }
        if let Some([x, y, z]) = self.cta {
            write!(f, "\n  CTA ({x}, {y}, {z})")?;
            if let Some([x, y, z]) = self.thread {
                write!(f, ", thread ({x}, {y}, {z})")?;
            }
        }
        for caller in &self.callers {
            write!(f, "\n  called at {caller}")?;
            if let Some(function) = &caller.function {
                write!(f, ", in {}", demangled(function))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        for Standing { what, at } in &self.standing {
            write!(f, "\n    {what}")?;
            if let Some(instruction) = &at.instruction {
                write!(f, ", at {instruction}")?;
            }
            match (&at.place, &at.function) {
                (Some(place), _) => write!(f, ", {place}")?,
                (None, Some(function)) => write!(f, " in {}", demangled(function))?,
                (None, None) => {}
            }
            match (at.line, at.span) {
                (Some(line), _) => write!(f, ", PTX line {line}")?,
                (None, Some(span)) => write!(f, ", PTX byte {}", span.start)?,
                (None, None) => {}
            }
        }
        if self.more_standing > 0 {
            write!(f, "\n    and {} more", self.more_standing)?;
        }
        self.write_place(f)?;
        if let Some(other) = &self.other {
            write!(f, "\nthe access before: {}", other.message)?;
            other.write_place(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// Why a run failed, and what it did up to then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The first fault in order of CTAs, among those found.
    pub fault: Fault,
    /// Others, where [`Options::faults`](crate::Options::faults) asks for them.
    pub more: Vec<Fault>,
    /// What was executed.
    pub report: Report,
}

impl Failure {
    /// All faults.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        std::iter::once(&self.fault).chain(&self.more)
    }
}

impl From<Fault> for Failure {
    /// A failure before anything was executed.
    fn from(fault: Fault) -> Failure {
        Failure {
            fault,
            more: Vec::new(),
            report: Report::default(),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        failure.fault
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)?;
        self.more.iter().try_for_each(|fault| write!(f, "\n{fault}"))
    }
}

impl std::error::Error for Failure {}
