//! From CUDA C++ or SSA IR to PTX: the front half of a compile.
//!
//! What enters is a file and its [`Settings`]; what leaves is PTX, as text and as a module. Each step is a function of another crate:
//!
//! ```text
//! file ──cuda::compile / ir::Module::from_text──▶ ir::Module ──library::link──▶ ──opt::optimize──▶ ──isel::select──▶ PTX
//! ```

mod dump;
mod library;
mod steps;

use std::path::Path;

use warpsmith_base::fault;
use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cuda::{Options as CudaOptions, codegen::CodegenOptions, source};
use warpsmith_isel::{Division, Output};
use warpsmith_target::Sm;

use crate::{Console, files, source_line};

pub(crate) use dump::Dump;
pub(crate) use steps::{Steps, Trace};

/// A language that is translated to PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// CUDA C++, preprocessed or not.
    Cuda,
    /// The text of LLVM's or NVVM's IR.
    Ir,
}

impl Language {
    /// The language of a file by the end of its name; `None` where it is nothing that is translated to PTX.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cu" | "cuh" | "ii" | "i" | "cup" | "cpp" | "cc" | "cxx" | "c" => Some(Language::Cuda),
            "ll" => Some(Language::Ir),
            _ => None,
        }
    }
}

/// How a file is translated.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The target.
    pub sm: Sm,
    /// `-O`: 0 to 3.
    pub level: u8,
    /// Preprocessing.
    pub source: source::Options,
    /// `-ftz`
    pub flush_denormals: bool,
    /// `-prec-div`
    pub precise_division: bool,
    /// `-prec-sqrt`
    pub precise_square_root: bool,
    /// `-fmad`
    pub contract: bool,
    /// The rest of `-use_fast_math`.
    pub fast_math: bool,
    /// `-lineinfo`
    pub line_info: bool,
    /// `-G`
    pub debug: bool,
    /// Passes of the SSA optimiser that do not run.
    pub passes_off: Vec<String>,
    /// Whether the IR is checked after every pass.
    pub verify: bool,
}

impl Settings {
    /// What is usual, for a target.
    pub(crate) fn new(sm: Sm) -> Settings {
        Settings {
            sm,
            level: 3,
            source: source::Options::for_target(sm.name()),
            flush_denormals: false,
            precise_division: true,
            precise_square_root: true,
            contract: true,
            fast_math: false,
            line_info: false,
            debug: false,
            passes_off: Vec::new(),
            verify: cfg!(debug_assertions),
        }
    }

    fn codegen(&self) -> CodegenOptions {
        CodegenOptions {
            contract: self.contract,
            flush_to_zero: self.flush_denormals,
            precise_division: self.precise_division,
            precise_square_root: self.precise_square_root,
            fast_math: self.fast_math,
            line_info: self.line_info,
            debug: self.debug,
        }
    }

    /// `places`: instructions have source lines even where the PTX is not to say them.
    fn cuda(&self, places: bool) -> CudaOptions {
        let mut options = CudaOptions {
            source: self.source.clone(),
            codegen: CodegenOptions {
                line_info: places || self.line_info || self.debug,
                ..self.codegen()
            },
            ..CudaOptions::default()
        };
        options.sema.warnings = true;
        options
    }

    fn optimiser(&self) -> warpsmith_opt::Options {
        warpsmith_opt::Options {
            level: if self.debug { 0 } else { self.level },
            off: self.passes_off.clone(),
            verify: self.verify,
            ftz: self.flush_denormals,
            reflect: vec![
                ("__CUDA_FTZ".to_string(), i32::from(self.flush_denormals)),
                ("__CUDA_PREC_DIV".to_string(), i32::from(self.precise_division)),
                ("__CUDA_PREC_SQRT".to_string(), i32::from(self.precise_square_root)),
                ("__CUDA_ARCH".to_string(), self.source.arch as i32),
            ],
            ..warpsmith_opt::Options::default()
        }
    }

    fn selection(&self) -> warpsmith_isel::Options {
        warpsmith_isel::Options {
            flush_denormals: self.flush_denormals,
            division: match (self.precise_division, self.fast_math) {
                (true, _) => Division::Rounded,
                (false, false) => Division::Full,
                (false, true) => Division::Approximate,
            },
            precise_square_root: self.precise_square_root,
            contract: self.contract,
            line_info: self.line_info,
            debug: self.debug,
            ..warpsmith_isel::Options::new(self.sm)
        }
    }
}

/// Translates a file to PTX. What the front end says is shown at once.
///
/// # Errors
/// What is wrong, or not supported, beyond what was shown.
pub(crate) fn to_ptx(
    path: &Path,
    language: Language,
    settings: &Settings,
    dump: &Dump,
    steps: &mut Steps<'_>,
    console: &mut Console,
) -> Result<Translated, Vec<Diagnostic>> {
    let mut module = match language {
        Language::Cuda => match front(path, settings, dump, steps, console)? {
            Some(module) => module,
            None => return Ok(Translated::Shown),
        },
        Language::Ir => {
            let name = files::shown(path);
            let bytes = files::read_input(path)?;
            let source = SourceText::new(&name, String::from_utf8_lossy(&bytes).into_owned());
            let read = steps.time("read", || match settings.debug {
                true => warpsmith_ir::Module::from_text_with_debug(&source),
                false => warpsmith_ir::Module::from_text(&source),
            });
            let module = read.map_err(|diagnostics| {
                for diagnostic in &diagnostics {
                    console.complain(&diagnostic.render(&source));
                }
                vec![refused(path)]
            })?;
            if settings.debug && module.debug.is_none() {
                let nothing = Diagnostic::warning("there is no debug information for -G to pass on").in_file(&name);
                console.complain(&nothing.render(&source));
            }
            module
        }
    };
    steps.time("library", || library::link(&mut module, settings))?;
    checked(&module, "the front end", settings)?;
    if dump.is_front() {
        dump::print(&module, console)?;
        return Ok(Translated::Shown);
    }
    let mut options = settings.optimiser();
    // Objects that are linked later are refused, so that a source is all there is of its program.
    options.whole_program = language == Language::Cuda;
    let trace = steps.trace();
    steps
        .time("optimise", || dump.optimise(&mut module, &options, trace, console))
        .map_err(|failure| vec![internal(path, &failure.to_string())])?;
    checked(&module, "optimisation", settings)?;
    if dump.is_some() {
        dump.finish(&module, console)?;
        return Ok(Translated::Shown);
    }
    let output = steps.time("select", || warpsmith_isel::select(&module, &settings.selection()));
    let output = output.map_err(|errors| {
        source_line::complain(errors, console);
        vec![refused(path)]
    })?;
    Ok(Translated::Ptx(Box::new(output)))
}

/// What a translation gives.
pub(crate) enum Translated {
    /// PTX.
    Ptx(Box<Output>),
    /// What was asked to be shown has been shown; there is nothing more to do.
    Shown,
}

/// The front end of CUDA C++; `None` where what it made was only to be shown.
fn front(
    path: &Path,
    settings: &Settings,
    dump: &Dump,
    steps: &mut Steps<'_>,
    console: &mut Console,
) -> Result<Option<warpsmith_ir::Module>, Vec<Diagnostic>> {
    let name = path.to_string_lossy();
    // What is dumped says lines only where they are asked for.
    let options = settings.cuda(!dump.is_some());
    let mut shown = None;
    let compilation = if dump.is_program() {
        let mut compilation = warpsmith_cuda::Compilation::default();
        let program = warpsmith_cuda::analyse(&mut compilation, &source::Disk, &name, &options);
        shown = program.map(|program| warpsmith_cuda::hir::dump(&program));
        compilation
    } else {
        steps.time("front end", || warpsmith_cuda::compile(&source::Disk, &name, &options))
    };
    console.complain(&compilation.context.render());
    if let Some(text) = shown.filter(|_| !compilation.has_errors()) {
        files::write_output(None, text.as_bytes(), console)?;
        return Ok(None);
    }
    match compilation.module {
        Some(mut module) => {
            if let (Some(debug), Ok(folder)) = (&mut module.debug, std::env::current_dir()) {
                debug.directory = folder.to_string_lossy().into_owned();
            }
            Ok(Some(module))
        }
        None => Err(vec![refused(path)]),
    }
}

fn refused(path: &Path) -> Diagnostic {
    Diagnostic::error("not compiled").in_file(files::shown(path))
}

fn internal(path: &Path, what: &str) -> Diagnostic {
    Diagnostic::error(fault::internal(what)).in_file(files::shown(path))
}

/// The form of the IR, where it is to be checked.
fn checked(module: &warpsmith_ir::Module, after: &str, settings: &Settings) -> Result<(), Vec<Diagnostic>> {
    if !settings.verify {
        return Ok(());
    }
    module.verify().map_err(|problems| {
        let texts = problems
            .iter()
            .map(|problem| fault::internal(format_args!("after {after}: {problem}")));
        texts.map(Diagnostic::error).collect()
    })
}
