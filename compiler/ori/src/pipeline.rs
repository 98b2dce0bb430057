//! The pipeline: PTX module to cubin.

use std::fmt;

use rustc_hash::FxHashSet;
use warpsmith_cubin::Cubin;
use warpsmith_ptx::{Span, module::Module};
use warpsmith_sass::{RegisterClass, hazard::check_straight};
use warpsmith_target::Sm;

use crate::{
    allocate::{Allocation, allocate},
    converge::converge,
    emit::layout,
    ir::Function,
    lower::lower,
    object::{self, Compiled},
    optimise,
    schedule::schedule,
    select::Selector,
    spill, verify,
};

/// Why a module cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The function.
    pub function: String,
    /// What is wrong or not supported.
    pub message: String,
    /// Where in the PTX text.
    pub span: Span,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in function '{}': {}", self.function, self.message)
    }
}

impl std::error::Error for CompileError {}

/// What a compiled function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Its name.
    pub name: String,
    /// General registers of a thread.
    pub registers: u32,
    /// CTA barriers.
    pub barriers: u32,
    /// Bytes of its stack frame.
    pub stack_bytes: u32,
    /// Bytes of shared memory that it declares, with what the system takes.
    pub shared_bytes: u32,
    /// Bytes of constant bank 0, parameters included.
    pub constant_bytes: u32,
    /// Machine instructions.
    pub instructions: u32,
}

/// A compiled module.
#[derive(Clone, Debug)]
pub struct Output {
    /// The cubin.
    pub cubin: Cubin,
    /// Its functions, in order of the text.
    pub functions: Vec<Resources>,
}

/// Compiles every kernel of a module to a cubin.
///
/// # Errors
/// The first problem of each function that has one.
pub fn compile(module: &Module, sm: Sm) -> Result<Cubin, Vec<CompileError>> {
    compile_with_resources(module, sm).map(|output| output.cubin)
}

/// Compiles every kernel of a module, and says what each takes.
///
/// # Errors
/// The first problem of each function that has one.
pub fn compile_with_resources(module: &Module, sm: Sm) -> Result<Output, Vec<CompileError>> {
    let selector = Selector::new(sm.isa());
    let mut compiled = Vec::new();
    let mut errors = Vec::new();
    for function in module.functions.iter().filter(|function| function.body.is_some()) {
        match one(module, function, sm, &selector) {
            Ok(function) => compiled.push(function),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        let cubin = object::cubin(sm, module, &compiled).map_err(|message| {
            let function = compiled
                .first()
                .map_or(String::new(), |first| first.function.name.clone());
            vec![CompileError {
                function,
                message,
                span: module.version_span,
            }]
        })?;
        Ok(Output {
            cubin,
            functions: compiled.iter().map(Compiled::resources).collect(),
        })
    } else {
        Err(errors)
    }
}

/// A point of the pipeline at which the machine IR can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// PTX instructions as machine instructions.
    Lowered,
    /// Copies and dead code are gone.
    Optimised,
    /// With convergence barriers.
    Converged,
}

/// The machine IR of every kernel at a stage, as text.
///
/// # Errors
/// As of [`compile`].
pub fn dump(module: &Module, sm: Sm, stage: Stage) -> Result<String, Vec<CompileError>> {
    let selector = Selector::new(sm.isa());
    let mut text = String::new();
    for function in module.functions.iter().filter(|function| function.body.is_some()) {
        let machine = front(module, function, sm, &selector, stage).map_err(|error| vec![error])?;
        text.push_str(&machine.to_string());
    }
    Ok(text)
}

/// Lowering and what works on virtual registers, up to a stage.
fn front(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    sm: Sm,
    selector: &Selector,
    last: Stage,
) -> Result<Function, CompileError> {
    let error = |message: String, span: Span| CompileError {
        function: module.names.get(source.name).to_string(),
        message,
        span,
    };
    let mut function = lower(module, source, sm, selector).map_err(|e| error(e.message, e.span))?;
    if last >= Stage::Optimised {
        optimise::remove_unreached(&mut function);
        optimise::propagate_copies(&mut function);
        optimise::remove_dead(&mut function);
    }
    if last >= Stage::Converged {
        converge(&mut function, selector).map_err(|e| error(e.to_string(), source.span))?;
    }
    Ok(function)
}

fn one(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    sm: Sm,
    selector: &Selector,
) -> Result<Compiled, CompileError> {
    let function = front(module, source, sm, selector, Stage::Converged)?;
    machine(function, selector).map_err(|message| CompileError {
        function: module.names.get(source.name).to_string(),
        message,
        span: source.span,
    })
}

/// Allocates registers; what does not fit is spilled, one register after the other.
fn registers(function: &mut Function, selector: &Selector) -> Result<Allocation, String> {
    let mut kept = FxHashSet::default();
    loop {
        let lack = match allocate(function, &kept) {
            Ok(allocation) => return Ok(allocation),
            Err(lack) => lack,
        };
        match (lack.class, lack.victim) {
            (RegisterClass::Predicate, Some(victim)) => {
                kept.extend(spill::predicate(function, selector, victim).map_err(|e| e.to_string())?);
            }
            _ => return Err(lack.to_string()),
        }
    }
}

/// A mistake of the compiler, found by its checkers: an error, and never wrong code.
fn internal(what: String) -> String {
    format!("internal error: {what}")
}

/// From machine IR to words.
fn machine(mut function: Function, selector: &Selector) -> Result<Compiled, String> {
    verify::well_formed(&function).map_err(internal)?;
    let allocation = registers(&mut function, selector)?;
    verify::allocation(&function, &allocation).map_err(internal)?;
    let blocks = schedule(&function, &allocation).map_err(|e| format!("no machine word for {}", e.text))?;
    let code = layout(&function, &blocks).ok_or("a branch is too long")?;
    drop(blocks);
    if let Some((index, hazard)) = check_straight(&code.words).first() {
        return Err(internal(format!("at {:#x}: {hazard}", index * 16)));
    }
    Ok(Compiled {
        registers: allocation.used + function.sm.info().registers.reserved_per_thread,
        function,
        code,
    })
}
