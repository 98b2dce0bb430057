//! Phases: the rows of `ir-defs/phases.tbl`, and what every pass gets and gives.
//!
//! A pass is a function of a [`Function`] and a [`Context`]; a row of the table names it and so puts it into the pipeline, where it can be switched off,
//! dumped, timed and checked. Rewrites that are not needed for correct code ask for [`Fuel`] first: with less of it the last ones do not happen, so that
//! a wrong one can be found by halving.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use warpsmith_base::{Arithmetic, CANCELLED, Cancel, fault};

use crate::{ir::Function, object::ObjectOptions, select::Selector, verify};

/// What a pass works with besides the function.
pub struct Context<'a> {
    /// Forms of the generation.
    pub selector: &'a Selector,
    /// How to compile.
    pub options: &'a Options,
    /// Rewrites that may still happen.
    pub fuel: &'a Fuel,
}

/// A pass. The error is a construct that is not supported, or a mistake of the compiler that a check has found.
pub type Pass = fn(&mut Function, &Context<'_>) -> Result<(), String>;

/// One row of the table.
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// Whether it runs at `-O0` to `-O3`.
    pub levels: [bool; 4],
    /// The pass; `None`: nothing to do, and the text says why.
    pub work: Option<Pass>,
    /// Whether it cannot be switched off: it runs at every level, or gives a state that later rows need.
    pub required: bool,
    /// What it does, or why it has nothing to do.
    pub text: &'static str,
}

impl fmt::Debug for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

include!(concat!(env!("OUT_DIR"), "/phases.rs"));

impl Phase {
    /// The row of a name, in any case of letters.
    pub fn named(name: &str) -> Option<&'static Phase> {
        PHASES.iter().find(|phase| phase.name.eq_ignore_ascii_case(name))
    }
}

/// What is done with all functions of a module and not phase by phase, with what it does: it is switched off like a phase.
pub const STEPS: [(&str, &str); 2] = [
    (crate::inline::NAME, "copies functions to where they are called"),
    (
        crate::clobbers::NAME,
        "compiles functions after those that they call, and has calls destroy only what these write",
    ),
];

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-O`: 0 to 3.
    pub level: u8,
    /// The most registers of a thread; a `.maxnreg` of the kernel comes before it.
    pub maximum_registers: Option<u32>,
    /// The most registers of device functions of a relocatable file, in place of [`Options::maximum_registers`].
    pub maximum_function_registers: Option<u32>,
    /// Whether [`Options::maximum_registers`] comes before `.maxnreg` all the same.
    pub override_directives: bool,
    /// What floating-point arithmetic may be: products and sums without a rounding modifier are fused where it says so. The rest is in the PTX.
    pub arithmetic: Arithmetic,
    /// Whether functions that take from the stack check that there is so much of it, and trap where there is not.
    pub check_stack: bool,
    /// Whether threads wait at their end for errors of their memory accesses to show.
    pub errors_at_exit: bool,
    /// Names of phases and of [`STEPS`] that do not run. Those that are needed at `-O0` run all the same.
    pub off: Vec<String>,
    /// How many rewrites may happen over the whole module; `None`: all. Functions are then compiled one after the other.
    pub fuel: Option<u64>,
    /// Whether the form of the IR is checked after every phase.
    pub verify: bool,
    /// Threads that compile functions; 0: as many as the machine has.
    pub threads: usize,
    /// How the file is written.
    pub object: ObjectOptions,
    /// Looked at between phases and functions.
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            level: 3,
            maximum_registers: None,
            maximum_function_registers: None,
            override_directives: false,
            arithmetic: Arithmetic::default(),
            check_stack: false,
            errors_at_exit: false,
            off: Vec::new(),
            fuel: None,
            verify: cfg!(debug_assertions),
            threads: 0,
            object: ObjectOptions::default(),
            cancel: Cancel::never(),
        }
    }
}

/// A number of rewrites that may happen.
#[derive(Debug)]
pub struct Fuel {
    left: AtomicU64,
}

impl Fuel {
    /// So many, or no limit.
    pub fn new(limit: Option<u64>) -> Fuel {
        Fuel {
            left: AtomicU64::new(limit.unwrap_or(u64::MAX)),
        }
    }

    /// Whether one more rewrite may happen.
    pub fn take(&self) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
                0 => None,
                u64::MAX => Some(left),
                _ => Some(left - 1),
            })
            .is_ok()
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }
}

/// What happened to a function in a phase.
pub struct Event<'e> {
    /// The phase; `None`: the function as it was lowered.
    pub phase: Option<&'static Phase>,
    /// The function after it.
    pub function: &'e Function,
    /// How long it took.
    pub time: Duration,
}

/// Runs the phases of a level over a function. `observe` is told of each that ran.
///
/// # Errors
/// What a pass or, under [`Options::verify`], the check after it says.
pub(crate) fn run(
    function: &mut Function,
    context: &Context<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<(), String> {
    let level = usize::from(context.options.level.min(3));
    observe(Event {
        phase: None,
        function,
        time: Duration::ZERO,
    });
    for phase in PHASES.iter().filter(|phase| phase.levels[level]) {
        let Some(work) = phase.work else { continue };
        if context.options.cancel.is_cancelled() {
            return Err(CANCELLED.to_owned());
        }
        let is_off = |name: &String| name.eq_ignore_ascii_case(phase.name);
        if !phase.required && context.options.off.iter().any(is_off) {
            continue;
        }
        let _at = fault::enter(phase.name, &function.name);
        let start = Instant::now();
        work(function, context)?;
        let time = start.elapsed();
        if context.options.verify {
            verify::check(function, context).map_err(|what| format!("after {}: {what}", phase.name))?;
        }
        observe(Event {
            phase: Some(phase),
            function,
            time,
        });
    }
    Ok(())
}
