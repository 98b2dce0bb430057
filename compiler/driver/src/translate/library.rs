//! The functions of the maths library that a module calls: their sources compiled, and linked in.

use warpsmith_base::Diagnostic;
use warpsmith_base::fault;
use warpsmith_cuda::{Options, codegen::CodegenOptions, compile, source};
use warpsmith_ir::{Linkage, Module, Wanted};

use super::Settings;

/// The name by which the unit goes in messages.
const UNIT: &str = "library.cu";

/// Gives a module the definitions of the library's functions that it declares and does not define.
///
/// # Errors
/// A mistake of the compiler: the library's sources are known to compile.
pub(super) fn link(module: &mut Module, settings: &Settings) -> Result<(), Vec<Diagnostic>> {
    let missing = module
        .functions()
        .filter(|(id, _)| module.body(*id).is_none())
        .map(|(_, declaration)| declaration.name.as_str());
    let Some(unit) = warpsmith_mathlib::unit_for(missing) else {
        return Ok(());
    };
    let library = compiled(unit, settings)?;
    module.link(&library, Wanted::Needed).map_err(|problems| {
        let texts = problems
            .iter()
            .map(|problem| fault::internal(format_args!("the maths library does not link: {problem}")));
        texts.map(Diagnostic::error).collect::<Vec<_>>()
    })?;
    internalise(module);
    Ok(())
}

/// What the library defined is the module's own.
fn internalise(module: &mut Module) {
    let ours: Vec<_> = module
        .functions()
        .filter(|(id, declaration)| {
            module.body(*id).is_some() && warpsmith_mathlib::file_of(&declaration.name).is_some()
        })
        .map(|(id, _)| id)
        .collect();
    for id in ours {
        module.symbols.functions[id].linkage = Linkage::Internal;
    }
}

/// The library's sources as a module.
fn compiled(unit: String, settings: &Settings) -> Result<Module, Vec<Diagnostic>> {
    let mut files = source::Memory::new().with(UNIT, unit);
    for file in &warpsmith_mathlib::FILES {
        files = files.with(file.name, file.text);
    }
    let options = Options {
        source: source::Options {
            mode: source::Mode::DeviceOnly,
            prelude: source::Prelude::None,
            definitions: Vec::new(),
            includes: Vec::new(),
            folders: Vec::new(),
            system_folders: Vec::new(),
            ..settings.source.clone()
        },
        codegen: CodegenOptions {
            // The sources say which products and sums are rounded once.
            contract: false,
            flush_to_zero: settings.flush_denormals,
            ..CodegenOptions::default()
        },
        ..Options::default()
    };
    let compilation = compile(&files, UNIT, &options);
    let text = compilation.context.render();
    compilation.module.ok_or_else(|| {
        vec![Diagnostic::error(fault::internal(format_args!(
            "the maths library does not compile:\n{text}"
        )))]
    })
}
