//! What stops a run.

use std::fmt;

use warpsmith_ptx::Span;

use crate::Report;

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

/// A line that `.loc` gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of its `.file`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column.
    pub column: u32,
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
            other: None,
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
                write!(f, ", {}:{}:{}", place.file, place.line, place.column)?;
            }
        }
        if let Some(kernel) = &self.kernel {
            write!(f, "\n  in kernel {kernel}")?;
            if let Some(function) = self.function.as_ref().filter(|function| *function != kernel) {
                write!(f, ", function {function}")?;
            }
        }
        if let Some([x, y, z]) = self.cta {
            write!(f, "\n  CTA ({x}, {y}, {z})")?;
            if let Some([x, y, z]) = self.thread {
                write!(f, ", thread ({x}, {y}, {z})")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
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
