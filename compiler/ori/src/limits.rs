//! What the machine can hold, and what a file must have: a module or kernel that asks for more is refused, in the words of ptxas 13.0.88.

use warpsmith_ptx::module::{FunctionId, Module};
use warpsmith_target::Sm;

use crate::{
    ir::Function,
    lower::{call::resolved, operand::size, plan::named_functions, variables::constants},
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

/// Functions of the system, which no file defines: their names, or how these begin. (Observed: the names that ptxas 13.0.88 takes without a definition.)
const SYSTEM_CALLS: [&str; 6] = [
    "vprintf",
    "vfprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaGraphLaunch",
];
const SYSTEM_PREFIXES: [&str; 2] = ["__cuda_syscall_", "cnp"];

/// Whether a function is one of the system.
pub(crate) fn is_system_call(name: &str) -> bool {
    SYSTEM_CALLS.contains(&name) || SYSTEM_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Functions that are named and nowhere: not in the file, not of the system. `reached` says which functions are compiled.
pub(crate) fn unresolved(module: &Module, reached: &[bool]) -> Vec<CompileError> {
    let mut seen: Vec<FunctionId> = Vec::new();
    let mut errors = Vec::new();
    let callers = module.functions.iter().zip(reached).filter(|(_, reached)| **reached);
    for (caller, _) in callers {
        for id in caller.body.iter().flat_map(named_functions) {
            let id = resolved(module, id);
            let Some(function) = module.functions.get(id.0 as usize) else {
                continue;
            };
            let name = module.names.get(function.name);
            if function.body.is_some() || is_system_call(name) || seen.contains(&id) {
                continue;
            }
            seen.push(id);
            errors.push(CompileError {
                function: String::new(),
                message: format!(
                    "Unresolved extern function '{name}', which '{}' names: no file is linked to this one (-c makes one that is linked later)",
                    module.names.get(caller.name)
                ),
                span: function.span,
            });
        }
    }
    errors
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
