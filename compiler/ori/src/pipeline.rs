//! The pipeline: PTX module to cubin.

use std::{
    fmt,
    time::{Duration, Instant},
};

use warpsmith_base::{CANCELLED, Cause, fault};
use warpsmith_cubin::Cubin;
use warpsmith_ptx::{Span, module::Module};
use warpsmith_target::Sm;

use crate::{
    allocate::budget::general,
    callgraph, clobbers, inline,
    ir::{Function, TABLE_BIAS},
    limits,
    lower::{LowerError, lower, plan::Plan},
    object::{self, Compiled},
    parallel,
    phase::{self, Context, Event, Fuel, Options},
    products, quads,
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
    /// Whose fault it is.
    pub cause: Cause,
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
    /// Bytes of constant bank 2: tables of branches.
    pub table_bytes: u32,
    /// Machine instructions.
    pub instructions: u32,
    /// What its author should know: the byte of the PTX text that it is about, and words.
    pub advice: Vec<(Option<u32>, String)>,
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

/// Statements of a module up to which one thread compiles its functions, unless it is said how many: to start another takes longer.
const WORTH_THREADS: usize = 1_000;

/// Compiles every kernel of a module, and says what each takes.
///
/// # Errors
/// The first problem of each function that has one.
pub fn compile_with_options(module: &Module, sm: Sm, options: &Options) -> Result<Output, Vec<CompileError>> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    if options.threads == 0 && bodies.map(|body| body.statements.len()).sum::<usize>() < WORTH_THREADS {
        let alone = Options {
            threads: 1,
            ..options.clone()
        };
        return compile_with_options(module, sm, &alone);
    }
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
    let functions = lowered(module, sm, &context)?;
    let results = in_rounds(functions, &context, |round| {
        parallel::map_owned(round, options.threads, |(source, function)| {
            one(module, source, function, &context, &mut |_| ())
        })
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
    let functions = lowered(module, sm, &context)?;
    let results = in_rounds(functions, &context, |round| {
        let each = round.into_iter();
        each.map(|(source, function)| one(module, source, function, &context, observe))
            .collect()
    });
    assemble(module, sm, options, results)
}

/// Compiles functions, those that are called before those that call them, so that it is known what calls destroy. Gives the results in order of the text.
fn in_rounds<'m>(
    functions: Vec<inline::Lowered<'m>>,
    context: &Context<'_>,
    mut compile: impl FnMut(Vec<inline::Lowered<'m>>) -> Vec<Result<Compiled, CompileError>>,
) -> Vec<Result<Compiled, CompileError>> {
    let options = context.options;
    let rounds = clobbers::rounds(&functions, options);
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|index| rounds[*index]);
    let mut known = clobbers::Known::default();
    let mut waiting: Vec<Option<inline::Lowered<'m>>> = functions.into_iter().map(Some).collect();
    let mut results: Vec<Option<Result<Compiled, CompileError>>> = waiting.iter().map(|_| None).collect();
    for round in order.chunk_by(|a, b| rounds[*a] == rounds[*b]) {
        let (mut places, mut work) = (Vec::new(), Vec::new());
        for index in round {
            let Some((source, mut function)) = waiting[*index].take() else {
                continue;
            };
            places.push((*index, source.linkage, known.narrow(&mut function, context.fuel)));
            work.push((source, function));
        }
        for ((index, linkage, calls), result) in places.into_iter().zip(compile(work)) {
            if let Ok(compiled) = &result {
                known.add(linkage, compiled, &calls, options);
            }
            results[index] = Some(result);
        }
    }
    results.into_iter().flatten().collect()
}

/// Lowers what kernels may come to, and copies functions to where they are called. Gives what is left to compile.
///
/// # Errors
/// What is wrong with any of them, before time goes into the others.
fn lowered<'m>(
    module: &'m Module,
    sm: Sm,
    context: &Context<'_>,
) -> Result<Vec<inline::Lowered<'m>>, Vec<CompileError>> {
    let mut plan = Plan::of(module, sm, context.options.object.relocatable);
    plan.errors_at_exit = context.options.errors_at_exit;
    plan.debug = context.options.object.debug;
    let (mut functions, mut errors) = (Vec::new(), Vec::new());
    if !context.options.object.relocatable {
        errors.extend(limits::unresolved(module, &plan.reached));
        errors.extend(limits::unresolved_variable_errors(module));
    } else {
        errors.extend(limits::relocatable_without_abi(module));
    }
    let sources = module.functions.iter().zip(&plan.reached);
    let wanted: Vec<_> = sources
        .filter(|(source, reached)| source.body.is_some() && **reached)
        .map(|(source, _)| source)
        .collect();
    let results = parallel::map(&wanted, context.options.threads, |source| {
        let _at = fault::enter("lower", module.names.get(source.name));
        if context.options.cancel.is_cancelled() {
            return Err(LowerError {
                message: CANCELLED.to_owned(),
                span: source.span,
                cause: Cause::Unsupported,
            });
        }
        lower(module, source, sm, context.selector, &plan)
    });
    for (source, result) in wanted.into_iter().zip(results) {
        match result {
            Ok(function) => functions.push((source, function)),
            Err(error) => errors.push(CompileError {
                function: module.names.get(source.name).to_string(),
                cause: error.cause,
                message: error.message,
                span: error.span,
            }),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let _at = fault::enter("inline", "");
    limit_registers(&mut functions, context.options);
    let kept = inline::calls(&mut functions, module, context);
    let pairs = functions.into_iter().zip(kept);
    let mut functions: Vec<_> = pairs.filter(|(_, kept)| *kept).map(|(pair, _)| pair).collect();
    if !context.options.object.relocatable {
        share_tables(&mut functions);
    }
    quads::reserve(&mut functions, context.options.object.relocatable)?;
    Ok(functions)
}

/// Deals half of constant bank 2 to the functions that are called and branch by tables; the other half is for those of each kernel itself.
fn share_tables(functions: &mut [inline::Lowered<'_>]) {
    let mut sharing: Vec<&mut Function> = functions
        .iter_mut()
        .map(|(_, function)| function)
        .filter(|function| {
            let mut code = function.blocks.iter().flat_map(|block| &block.code);
            !function.kernel && code.any(|instruction| instruction.table.is_some())
        })
        .collect();
    let each = TABLE_BIAS / sharing.len().max(1) as u32 / 4 * 4;
    for function in &mut sharing {
        function.table_bytes = each;
    }
}

/// The cubin of the functions, in order of the text; or all that is wrong with them.
fn assemble(
    module: &Module,
    sm: Sm,
    options: &Options,
    results: Vec<Result<Compiled, CompileError>>,
) -> Result<Output, Vec<CompileError>> {
    let (mut compiled, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(function) => compiled.push(function),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let _at = fault::enter("object", "");
    callgraph::settle(&mut compiled, module);
    let cubin = object::cubin(sm, module, &compiled, &options.object).and_then(|cubin| {
        limits::padding(&cubin)?;
        Ok(cubin)
    });
    let cubin = cubin.map_err(|message| {
        let function = compiled
            .first()
            .map_or(String::new(), |first| first.function.name.clone());
        vec![CompileError {
            function,
            cause: Cause::of_pass(&message),
            message,
            span: module.version_span,
        }]
    })?;
    let sizes = object::sizes(module);
    let tables = object::table_bytes(&compiled, options.object.relocatable);
    let functions = compiled.iter().zip(tables).map(|(compiled, table_bytes)| Resources {
        table_bytes,
        ..compiled.resources()
    });
    Ok(Output {
        cubin,
        functions: functions.collect(),
        global_bytes: sizes.global,
        constant_bytes: sizes.constant,
        address_bytes: sizes.addresses,
    })
}

/// A function has no more registers than any kernel that may call it.
fn limit_registers(functions: &mut [(&warpsmith_ptx::module::Function, Function)], options: &Options) {
    let mut least = options.maximum_registers;
    for (_, function) in functions.iter_mut() {
        // What the kernel says of its launches goes before the command line. (Observed, ptxas 13.0.88: `.maxntid` makes it ignore --maxrregcount.)
        let bounded = function.required_threads.or(function.maximum_threads).is_some();
        function.register_limit = match options.override_directives {
            true => options.maximum_registers.or(function.register_limit),
            false => function
                .register_limit
                .or(options.maximum_registers.filter(|_| !bounded)),
        };
        if !function.kernel {
            continue;
        }
        let own = general(function);
        least = Some(least.map_or(own, |least| least.min(own)));
    }
    for (_, function) in functions.iter_mut().filter(|(_, function)| !function.kernel) {
        function.register_limit = match options.maximum_function_registers {
            Some(limit) => Some(limit),
            None => function.register_limit.or(least).min(least),
        };
    }
}

fn one(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    mut function: Function,
    context: &Context<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Compiled, CompileError> {
    let error = |message: String, span: Span| CompileError {
        function: module.names.get(source.name).to_string(),
        cause: Cause::of_pass(&message),
        message,
        span,
    };
    let start = Instant::now();
    limits::function(module, &function, source)?;
    let lowered = products::has_products(&function).then(|| function.clone());
    let mut outcome = phase::run(&mut function, context, observe);
    if let (Err(_), Some(lowered)) = (&outcome, lowered) {
        // What keeps the registers of products apart while they are in flight takes room.
        function = Function {
            serial_products: true,
            ..lowered
        };
        outcome = phase::run(&mut function, context, observe);
    }
    outcome.map_err(|message| error(message, source.span))?;
    let compiled = Compiled::new(function).ok_or_else(|| error(fault::internal("no code was made"), source.span))?;
    Ok(Compiled {
        time: start.elapsed(),
        ..compiled
    })
}
