//! Instruction selection: the SSA IR as PTX.
//!
//! **What enters**: a verified [`warpsmith_ir::Module`] and [`Options`]. **What leaves**: PTX text, and the [`warpsmith_ptx::module::Module`] that it is; or
//! what in the module PTX cannot express.
//!
//! **Invariants**
//! * Every text that leaves has been read by our PTX front end without an error.
//! * The same module and options give the same text; registers are numbered in the order in which they are made.
//! * What is not supported is a diagnostic that names it, never left out.
//!
//! **How it works**: [`module`](mod@module) orders declarations; [`function`] lowers a function block by block; every value is a list of [`parts`], one register
//! each. What an instruction takes into its own (address offsets, extensions, products) is decided in [`needed`] before anything is written. Intrinsics are
//! rows of `intrinsics.tbl`, as far as one instruction or a few do.
//!
//! ```
//! use warpsmith_ir::{Builder, Declaration, KernelProperties, Module, Type};
//! use warpsmith_isel::{Options, select};
//!
//! let mut module = Module::new("empty.cu");
//! let context = module.context().clone();
//! let mut kernel = Declaration::new(&context, "empty", context.function_type(Type::Void, &[], false));
//! kernel.kernel = Some(KernelProperties::default());
//! let id = module.add_function(kernel);
//! let mut body = module.new_body(id);
//! let entry = body.append_block();
//! Builder::at_end(&mut body, entry).ret(None);
//! module.set_body(body);
//!
//! let output = select(&module, &Options::new("sm_90".parse().unwrap())).unwrap();
//! assert!(output.text.contains(".visible .entry empty("));
//! ```

mod address;
mod assembly;
mod atomic;
mod bit_intrinsic;
mod bits;
mod block_memory;
mod call;
mod cast;
mod compare;
mod control;
mod copies;
mod debug;
mod files;
mod float;
mod frame;
mod function;
mod global;
mod helper;
mod integer;
mod intrinsic;
mod memory;
mod mode;
mod module;
mod names;
mod narrow;
mod needed;
mod options;
mod parameters;
mod parts;
mod places;
mod register;
mod row;
mod signature;
mod value;
mod vector;
mod wide;
mod wide_convert;

pub(crate) use options::Division;
pub use options::Options;
pub use places::{Places, SourcePlace};

use rustc_hash::FxHashSet;
use warpsmith_base::{Cause, Diagnostic, SourceText};
use warpsmith_ir::Module;

/// A module as PTX.
#[derive(Debug)]
pub struct Output {
    /// Its text.
    pub text: String,
    /// The same, read and checked.
    pub module: warpsmith_ptx::module::Module,
    /// What it was made from.
    pub places: Places,
}

/// Why there is no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whose fault it is: what PTX cannot express is not supported; what the target does not have, or inline assembly that is wrong, is the input's.
    pub cause: Cause,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.diagnostics
            .iter()
            .try_for_each(|diagnostic| f.write_str(&diagnostic.plain_with_notes()))
    }
}

impl std::error::Error for Refusal {}

impl From<Vec<Diagnostic>> for Refusal {
    fn from(diagnostics: Vec<Diagnostic>) -> Refusal {
        let causes = diagnostics.iter().map(|diagnostic| Cause::of_pass(&diagnostic.message));
        Refusal {
            cause: causes.max().unwrap_or(Cause::Unsupported),
            diagnostics,
        }
    }
}

/// Makes PTX of a module, or says what in it is not supported.
///
/// # Errors
/// Everything that keeps the module from being PTX.
pub fn select(module: &Module, options: &Options) -> Result<Output, Refusal> {
    let (text, places) = module::write(module, options)?;
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let errors: Vec<_> = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity > warpsmith_ptx::Severity::Warning)
        .collect();
    if errors.is_empty() {
        return Ok(Output {
            text,
            module: parsed.module,
            places,
        });
    }
    // Either the module asks for what the target does not have, or the selection is wrong: the line says which.
    let source = SourceText::new("the PTX made of the module", text.clone());
    let mut said = FxHashSet::default();
    let mut diagnostics = Vec::new();
    for problem in errors {
        let start = (problem.span.start as usize).min(text.len());
        let chain = places.at(start);
        // What was copied to many calls is wrong once.
        let first = chain.first().cloned();
        if first.is_some() && !said.insert((problem.message.clone(), first)) {
            continue;
        }
        let diagnostic = Diagnostic::error(problem.message.clone());
        let diagnostic = match chain.first() {
            Some(place) => diagnostic
                .in_file(&place.file)
                .at_line(place.line as usize, place.column as usize),
            None => diagnostic.at(&source, start..problem.span.end as usize),
        };
        let shown = source.line(source.line_column(start).line).trim();
        let diagnostic = diagnostic.note(format!("the line of PTX is: {shown}"));
        let notes = problem.notes.iter().cloned().chain(called(&chain));
        diagnostics.push(notes.fold(diagnostic, Diagnostic::note));
    }
    Err(Refusal {
        cause: Cause::Input,
        diagnostics,
    })
}

/// The calls around a place, in words.
fn called(chain: &[SourcePlace]) -> Vec<String> {
    let calls = chain.iter().skip(1);
    calls
        .map(|place| format!("called at {}:{}:{}", place.file, place.line, place.column))
        .collect()
}

/// The text of [`select`] without reading it again: for looking at what was selected when it is refused.
pub fn text(module: &Module, options: &Options) -> Result<String, Refusal> {
    Ok(module::write(module, options).map(|(text, _)| text)?)
}
