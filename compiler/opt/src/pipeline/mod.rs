//! Passes and the pipelines of the levels.
//!
//! A pass is a row of [`PASSES`], a step of a pipeline a row of [`PIPELINE`]. Being a row gives a pass its switch ([`Options::off`]), its dump, its time
//! and the check after it. Rewrites that correct code does not need ask for [`Fuel`] first. Function passes between two module passes run function by
//! function, in parallel; the result does not depend on how.

mod fuel;
mod run;
mod table;

use std::time::Duration;

pub use fuel::Fuel;
pub use run::Run;
pub use table::{PASSES, PIPELINE, Pass, SIMPLIFICATION, Step, Work};
use warpsmith_base::{Arithmetic, Cancel};
use warpsmith_ir::{Function, FunctionId, Module, Symbols};

/// How to optimise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-O`: 0 to 3.
    pub level: u8,
    /// These passes in this order in place of a pipeline.
    pub passes: Option<Vec<String>>,
    /// Names of passes that do not run. Those that are needed for correct code run all the same.
    pub off: Vec<String>,
    /// How many rewrites may happen over the whole module; `None`: all. Functions are then worked on one after the other.
    pub fuel: Option<u64>,
    /// Whether the form of the IR is checked after every pass.
    pub verify: bool,
    /// What floating-point arithmetic may be: constants are folded, and `__nvvm_reflect` is answered, accordingly.
    pub arithmetic: Arithmetic,
    /// What `__nvvm_reflect` answers besides, by name. What is not in the list is 0.
    pub reflect: Vec<(String, i32)>,
    /// Whether the module is all that its kernels will be linked with: other functions are seen by nobody else.
    pub whole_program: bool,
    /// Whether the pointers that kernels get are all `__restrict__`.
    pub restrict_kernel_pointers: bool,
    /// With 1, functions are worked on one after the other, and no thread is started; what comes out is the same.
    pub threads: usize,
    /// Looked at between passes and functions.
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            level: 3,
            passes: None,
            off: Vec::new(),
            fuel: None,
            verify: cfg!(debug_assertions),
            arithmetic: Arithmetic::default(),
            reflect: Vec::new(),
            whole_program: false,
            restrict_kernel_pointers: false,
            threads: 0,
            cancel: Cancel::never(),
        }
    }
}

/// What a function pass works with besides the function.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// All of the module but the bodies.
    pub symbols: &'a Symbols,
    /// How to optimise.
    pub options: &'a Options,
    /// Rewrites that may still happen.
    pub fuel: &'a Fuel,
}

/// What happened in a pass.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    /// The pass.
    pub pass: &'static Pass,
    /// Whether it changed anything.
    pub changed: bool,
    /// How long it took.
    pub time: Duration,
    /// What it worked on, as it is now.
    pub subject: Subject<'e>,
}

/// What a pass worked on.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'e> {
    /// A function of a module.
    Function(&'e Symbols, &'e Function),
    /// A module.
    Module(&'e Module),
}

/// Something that is told of each pass that ran.
pub type Observer<'o> = &'o (dyn Fn(&Event<'_>) + Sync);

/// Time and number of runs of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The pass.
    pub name: &'static str,
    /// Runs over a function or the module.
    pub runs: u64,
    /// Of these, how many changed something.
    pub changes: u64,
    /// Time of all threads together.
    pub time: Duration,
}

/// What an optimisation did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// By pass, in the order of [`PASSES`]; those that ran.
    pub spent: Vec<Spent>,
    /// What is left of [`Options::fuel`].
    pub fuel_left: Option<u64>,
}

/// Why an optimisation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// After which pass.
    pub pass: String,
    /// In which function, if it is one.
    pub function: Option<FunctionId>,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "after {}: {}", self.pass, self.what)
    }
}

impl std::error::Error for Failure {}

/// Optimises a module.
///
/// # Errors
/// A pass of an unknown name, a mistake of a pass that the check after it found, or that the work was cancelled: then what passes did so far is done.
pub fn optimize(module: &mut Module, options: &Options) -> Result<Report, Failure> {
    optimize_observed(module, options, None)
}

/// Optimises a module; the observer, if there is one, is told of each pass. Functions are then worked on one after the other.
///
/// # Errors
/// As [`optimize`].
pub fn optimize_observed(
    module: &mut Module,
    options: &Options,
    observer: Option<Observer<'_>>,
) -> Result<Report, Failure> {
    let steps = run::steps(options)?;
    let run = Run::new(module, options, observer);
    run.all(module, &steps)?;
    Ok(run.report())
}
