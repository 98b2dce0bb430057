//! The front end from end to end.

use warpsmith_base::{CANCELLED, Cancel};
use warpsmith_ir as ir;

use crate::codegen::{CodegenOptions, generate};
use crate::host_entity::{HostEntity, host_entities};
use crate::names::WithNames;
use crate::source::{Context, FileSystem, preprocess};
use crate::{hir, sema, source, syntax};

/// How a unit is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Preprocessing: folders, macros, the target.
    pub source: source::Options,
    /// Semantic analysis.
    pub sema: sema::Options,
    /// Code generation.
    pub codegen: CodegenOptions,
    /// Expressions that name kernels, and addresses of the device's variables, as if they stood after the unit: templates are instantiated for them, and
    /// [`Compilation::names`] says what they are called in the module.
    pub names: Vec<String>,
    /// Looked at between the steps, and in the last two between functions.
    pub cancel: Cancel,
    /// Memory that a unit took is not given back when it is done: for who ends the process then. A unit with large headers takes an eighth of its time to give
    /// millions of small pieces back.
    pub keeps_memory: bool,
}

impl Options {
    /// What is usual, for a target by its name: `sm_90a`.
    pub fn for_target(name: &str) -> Options {
        Options {
            source: source::Options::for_target(name),
            ..Options::default()
        }
    }
}

/// What comes of a unit.
#[derive(Debug, Default)]
pub struct Compilation {
    /// The module, if there was no error.
    pub module: Option<ir::Module>,
    /// The symbols of what [`Options::names`] name, in their order, if there is a module.
    pub names: Vec<String>,
    /// The kernels and the variables of the module that the host registers with the CUDA runtime, if there is a module.
    pub host: Vec<HostEntity>,
    /// Names, places and diagnostics: [`Context::render`] shows them.
    pub context: Context,
    /// The files that were read, the main file first.
    pub dependencies: Vec<String>,
    /// Built-in declarations were left out, as the unit has none of their names: errors are to be told from a compilation with all of them.
    pub left_out: bool,
    /// The program is right as far as is known, and something in it is not supported.
    pub unsupported: bool,
}

impl Compilation {
    /// Whether something is wrong with the unit.
    pub fn has_errors(&self) -> bool {
        self.context.diagnostics.has_errors()
    }
}

/// Compiles a unit to an IR module.
///
/// ```
/// use warpsmith_cuda::{Options, compile};
/// use warpsmith_cuda::source::Memory;
///
/// let files = Memory::new().with("k.cu", "#error nothing here\n");
/// let compilation = compile(&files, "k.cu", &Options::default());
/// assert!(compilation.module.is_none() && compilation.has_errors());
/// ```
pub fn compile(files: &dyn FileSystem, main: &str, options: &Options) -> Compilation {
    let compilation = compile_once(files, main, options);
    if !(compilation.has_errors() && compilation.left_out) {
        return compilation;
    }
    let mut whole = options.clone();
    whole.source.prelude = source::Prelude::Whole;
    let again = compile_once(files, main, &whole);
    // What all declarations clash with is not what is wrong.
    match again.context.diagnostics.error_count() > compilation.context.diagnostics.error_count() {
        true => compilation,
        false => again,
    }
}

fn compile_once(files: &dyn FileSystem, main: &str, options: &Options) -> Compilation {
    let mut compilation = Compilation::default();
    let Some(program) = analyse(&mut compilation, files, main, options) else {
        return compilation;
    };
    if compilation.has_errors() {
        return compilation;
    }
    let context = &mut compilation.context;
    let (module, reports) = generate(&program, main, Some(&context.map), options.codegen, &options.cancel);
    for report in reports {
        context.diagnostics.emit(report);
    }
    match compilation.has_errors() {
        // After a program has been elaborated, nothing else is left to be said.
        true => compilation.unsupported = true,
        false => compilation.module = Some(module),
    }
    if let Some(module) = &compilation.module {
        compilation.host = host_entities(&program, module);
    }
    let named = program.named.iter();
    compilation.names = named.map(|root| hir::mangle_root(&program, *root)).collect();
    if options.keeps_memory {
        std::mem::forget(program);
    }
    compilation
}

/// The typed program of a unit, as far as it could be made; `None` where a header is missing.
pub fn analyse(
    compilation: &mut Compilation,
    files: &dyn FileSystem,
    main: &str,
    options: &Options,
) -> Option<hir::Program> {
    let context = &mut compilation.context;
    context.diagnostics.cancel = options.cancel.clone();
    let files: &dyn FileSystem = &WithNames::new(files, main, &options.names);
    let unit = preprocess(context, files, &options.source, main);
    compilation.dependencies = unit.dependencies;
    compilation.left_out = unit.left_out;
    // What was declared in a missing header would be missed once more for each use.
    if unit.missing_header {
        return None;
    }
    let tree = syntax::parse(context, &unit.tokens);
    if context.diagnostics.has_errors() {
        return None;
    }
    if options.cancel.is_cancelled() {
        context.error(source::Span::NONE, CANCELLED);
        return None;
    }
    let mut options_of_sema = options.sema.clone();
    options_of_sema.names.clone_from(&options.names);
    options_of_sema.cpp20 |= options.source.standard >= source::Standard::Cpp20;
    options_of_sema.built_in_runtime = options.source.mode == source::Mode::DeviceOnly;
    options_of_sema.keeps_memory = options.keeps_memory;
    let mut program = sema::analyse(&tree, context, options_of_sema);
    if options.keeps_memory {
        std::mem::forget((tree, unit.tokens));
    }
    let unit = hir::Unit {
        path: &files.identity(main),
        file: main,
        text: context.map.text_of(main).map_or(&[], |source| source.text().as_bytes()),
    };
    program.unnamed_namespace = Some(hir::unnamed_namespace(&program, unit, program.first_external));
    // What was left undone is no program.
    if options.cancel.is_cancelled() {
        context.error(source::Span::NONE, CANCELLED);
    }
    Some(program)
}
