//! The pipeline: PTX module to cubin.

use std::{
    fmt,
    time::{Duration, Instant},
};

use warpsmith_cubin::Cubin;
use warpsmith_ptx::{Span, module::Module};
use warpsmith_target::Sm;

use crate::{
    limits,
    lower::lower,
    object::{self, Compiled},
    parallel,
    phase::{self, Context, Event, Fuel, Options},
    select::Selector,
};

/// Why a module cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The function; empty where the message says all.
    pub function: String,
    /// What is wrong or not supported.
    pub message: String,
    /// Where in the PTX text.
    pub span: Span,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.function.as_str() {
            "" => f.write_str(&self.message),
            function => write!(f, "in function '{function}': {}", self.message),
        }
    }
}

impl std::error::Error for CompileError {}

/// What a compiled function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// How long it took to compile.
    pub time: Duration,
    /// General registers of a thread.
    pub registers: u32,
    /// CTA barriers.
    pub barriers: u32,
    /// Bytes of its stack frame.
    pub stack_bytes: u32,
    /// Bytes of stack of it and all that it calls.
    pub cumulative_stack_bytes: u32,
    /// Bytes that spilled registers are stored in, over the text of the function.
    pub spill_store_bytes: u32,
    /// Bytes that spilled registers are loaded from.
    pub spill_load_bytes: u32,
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
    /// Bytes of global variables.
    pub global_bytes: u64,
    /// Bytes of constant variables.
    pub constant_bytes: u64,
    /// Bytes of addresses of global variables.
    pub address_bytes: u64,
}

/// Compiles every kernel of a module to a cubin, with the options that are usual.
///
/// # Errors
/// The first problem of each function that has one.
pub fn compile(module: &Module, sm: Sm) -> Result<Cubin, Vec<CompileError>> {
    compile_with_options(module, sm, &Options::default()).map(|output| output.cubin)
}

/// Compiles every kernel of a module, and says what each takes.
///
/// # Errors
/// The first problem of each function that has one.
pub fn compile_with_options(module: &Module, sm: Sm, options: &Options) -> Result<Output, Vec<CompileError>> {
    if options.fuel.is_some() {
        // Which rewrites happen depends on the order of functions.
        return compile_observed(module, sm, options, &mut |_| ());
    }
    let selector = Selector::new(sm.isa());
    let fuel = Fuel::new(None);
    let context = Context {
        selector: &selector,
        options,
        fuel: &fuel,
    };
    limits::module(module, sm).map_err(|error| vec![error])?;
    let defined: Vec<_> = module.functions.iter().filter(|f| f.body.is_some()).collect();
    let results = parallel::map(&defined, options.threads, |function| {
        one(module, function, sm, &context, &mut |_| ())
    });
    assemble(module, sm, options, results)
}

/// [`compile_with_options`]; `observe` is told of each phase of each function.
///
/// # Errors
/// As of [`compile_with_options`].
pub fn compile_observed(
    module: &Module,
    sm: Sm,
    options: &Options,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Output, Vec<CompileError>> {
    let selector = Selector::new(sm.isa());
    let fuel = Fuel::new(options.fuel);
    let context = Context {
        selector: &selector,
        options,
        fuel: &fuel,
    };
    limits::module(module, sm).map_err(|error| vec![error])?;
    let defined = module.functions.iter().filter(|function| function.body.is_some());
    let results = defined.map(|function| one(module, function, sm, &context, observe)).collect();
    assemble(module, sm, options, results)
}

/// The cubin of the functions, in order of the text; or all that is wrong with them.
fn assemble(
    module: &Module,
    sm: Sm,
    options: &Options,
    results: Vec<Result<Compiled, CompileError>>,
) -> Result<Output, Vec<CompileError>> {
    let mut compiled = Vec::new();
    let mut errors = Vec::new();
    for result in results {
        match result {
            Ok(function) => compiled.push(function),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let cubin = object::cubin(sm, module, &compiled, &options.object).map_err(|message| {
        let function = compiled
            .first()
            .map_or(String::new(), |first| first.function.name.clone());
        vec![CompileError {
            function,
            message,
            span: module.version_span,
        }]
    })?;
    let sizes = object::sizes(module);
    Ok(Output {
        cubin,
        functions: compiled.iter().map(Compiled::resources).collect(),
        global_bytes: sizes.global,
        constant_bytes: sizes.constant,
        address_bytes: sizes.addresses,
    })
}

fn one(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    sm: Sm,
    context: &Context<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Compiled, CompileError> {
    let error = |message: String, span: Span| CompileError {
        function: module.names.get(source.name).to_string(),
        message,
        span,
    };
    let start = Instant::now();
    let mut function = lower(module, source, sm, context.selector).map_err(|e| error(e.message, e.span))?;
    let limit = match context.options.override_directives {
        true => context.options.maximum_registers.or(function.register_limit),
        false => function.register_limit.or(context.options.maximum_registers),
    };
    function.register_limit = limit;
    limits::function(&function, source)?;
    phase::run(&mut function, context, observe).map_err(|message| error(message, source.span))?;
    let compiled =
        Compiled::new(function).ok_or_else(|| error("internal error: no code was made".to_string(), source.span))?;
    Ok(Compiled {
        time: start.elapsed(),
        ..compiled
    })
}
