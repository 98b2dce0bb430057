//! What the machine can hold: a module or kernel that asks for more is refused, in the words of ptxas 13.0.88.

use warpsmith_ptx::module::Module;
use warpsmith_target::Sm;

use crate::{
    ir::Function,
    lower::{operand::size, variables::constants},
    pipeline::CompileError,
};

/// Refuses a module whose constant variables do not fit the bank.
pub(crate) fn module(module: &Module, sm: Sm) -> Result<(), CompileError> {
    let most = u64::from(sm.info().memory.constant_bank_bytes);
    let places = constants(module);
    let end = |(id, offset): &(warpsmith_ptx::module::VariableId, u64)| {
        offset.saturating_add(size(&module.variables[id.0 as usize]))
    };
    let used = places.iter().map(end).max().unwrap_or(0);
    if used <= most {
        return Ok(());
    }
    // The line is that of the first variable that does not fit.
    let first = places.iter().find(|place| end(place) > most);
    let span = first.map_or(module.version_span, |(id, _)| module.variables[id.0 as usize].span);
    Err(CompileError {
        function: String::new(),
        message: format!("File uses too much global constant data ({used:#x} bytes, {most:#x} max)"),
        span,
    })
}

/// Refuses a kernel whose shared variables do not fit.
pub(crate) fn function(function: &Function, source: &warpsmith_ptx::module::Function) -> Result<(), CompileError> {
    let used = function.shared_bytes.saturating_sub(function.shared_base());
    let most = function.sm.info().shared.static_limit;
    if used <= most {
        return Ok(());
    }
    Err(CompileError {
        function: String::new(),
        message: format!(
            "Entry function '{}' uses too much shared data ({used:#x} bytes, {most:#x} max)",
            function.name
        ),
        span: source.span,
    })
}
