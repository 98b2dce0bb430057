//! The functions of the maths library that a module calls: their sources compiled, and linked in.

use warpsmith_base::Cancel;
use warpsmith_cuda::{compile, source};
use warpsmith_ir::{Linkage, Module, Wanted};

use crate::{Failure, Options};

/// The name by which the unit goes in messages.
const UNIT: &str = "library.cu";

/// Gives a module the definitions of the library's functions that it declares and does not define.
///
/// # Errors
/// A mistake of the compiler: the library's sources are known to compile. Or the compile is cancelled.
pub(crate) fn link(module: &mut Module, options: &Options, cancel: &Cancel) -> Result<(), Failure> {
    let missing = module
        .functions()
        .filter(|(id, _)| module.body(*id).is_none())
        .map(|(_, declaration)| declaration.name.as_str());
    let Some(unit) = warpsmith_mathlib::unit_for(missing) else {
        return Ok(());
    };
    let library = compiled(unit, options, cancel)?;
    module.link(&library, Wanted::Needed).map_err(|problems| {
        let texts = problems
            .iter()
            .map(|problem| format!("the maths library does not link: {problem}"));
        Failure::internal(texts, None)
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
fn compiled(unit: String, options: &Options, cancel: &Cancel) -> Result<Module, Failure> {
    let mut files = source::Memory::new().with(UNIT, unit);
    for file in &warpsmith_mathlib::FILES {
        files = files.with(file.name, file.text);
    }
    let compilation = compile(&files, UNIT, &options.library(cancel));
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    let text = compilation.context.render();
    compilation
        .module
        .ok_or_else(|| Failure::internal([format!("the maths library does not compile:\n{text}")], None))
}
