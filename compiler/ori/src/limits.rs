//! What the machine can hold, and what a file must have: a module or kernel that asks for more is refused, in the words of ptxas 13.0.88.

use warpsmith_base::Cause;
use warpsmith_cubin::Cubin;
use warpsmith_ptx::module::{FunctionId, Linkage, Module, Space, Statement, Variable, VariableId};
use warpsmith_target::Sm;

use crate::{
    ir::Function,
    lower::{
        call::resolved,
        operand::{alignment, size},
        plan::named_functions,
        variables::{constants, is_image},
    },
    pipeline::CompileError,
};

/// Bytes of initial values that a file may have: each is in it, whatever the text says of it.
const INITIAL_BYTES: u64 = 64 << 20;

/// The largest alignment of a variable: as much of the file may be left free before it.
const ALIGNMENT: u64 = 1 << 16;

/// Bytes of the file that may be left free for alignments in all.
const PADDING: u64 = 64 << 20;

/// Refuses a module whose variables do not fit the machine, or what is written of them a file.
pub(crate) fn module(module: &Module, sm: Sm) -> Result<(), CompileError> {
    constant_bank(module, sm)?;
    global_variables(module, sm)?;
    alignments(module)
}

fn about(module: &Module, variable: &Variable, message: &str) -> CompileError {
    let name = variable.name.map_or("", |name| module.names.get(name));
    CompileError {
        function: String::new(),
        cause: Cause::Input,
        message: format!("Variable '{name}' {message}"),
        span: variable.span,
    }
}

/// Refuses global variables that no address reaches, and initial values that would make a file of any size from a line of text.
fn global_variables(module: &Module, sm: Sm) -> Result<(), CompileError> {
    let most = 1_u64 << sm.info().memory.address_bits;
    let (mut bytes, mut initial) = (0_u64, 0_u64);
    for variable in module
        .variables
        .iter()
        .filter(|variable| variable.space == Space::Global)
    {
        let own = size(variable);
        bytes = bytes.saturating_add(own).saturating_add(alignment(variable));
        if bytes > most {
            let message = format!("has {own:#x} bytes: global variables use too much memory ({most:#x} max)");
            return Err(about(module, variable, &message));
        }
        if variable.initializer.is_some() {
            initial = initial.saturating_add(own);
        }
        if initial > INITIAL_BYTES {
            let message = format!(
                "has an initial value of {own:#x} bytes, and those of a file may have {INITIAL_BYTES:#x} in all: leave it out, and write the variable \
                 before it is read"
            );
            return Err(about(module, variable, &message));
        }
    }
    Ok(())
}

/// What an alignment counts for: those of the size of the text that asks for them do not.
fn counted(alignment: u64) -> u64 {
    if alignment > 256 { alignment } else { 0 }
}

/// Refuses a file that is mostly free space between its sections: each kernel has its own sections, and the alignment of a variable that many name.
pub(crate) fn padding(cubin: &Cubin) -> Result<(), String> {
    let padding = cubin.sections.iter().map(|section| counted(section.alignment));
    let padding = padding.fold(0, u64::saturating_add);
    match padding > PADDING {
        true => Err(format!(
            "sections are aligned to {padding:#x} bytes in all: more than a file has room for ({PADDING:#x} max)"
        )),
        false => Ok(()),
    }
}

/// Refuses alignments that would make a file of any size from a line of text.
fn alignments(module: &Module) -> Result<(), CompileError> {
    let mut padding = 0_u64;
    for variable in &module.variables {
        let own = alignment(variable);
        padding = padding.saturating_add(counted(own));
        if own > ALIGNMENT || padding > PADDING {
            let message = format!(
                "is aligned to {own:#x} bytes: more than a file has room for ({ALIGNMENT:#x} for each, {PADDING:#x} in all)"
            );
            return Err(about(module, variable, &message));
        }
    }
    Ok(())
}

/// Refuses a module whose constant variables do not fit the bank.
fn constant_bank(module: &Module, sm: Sm) -> Result<(), CompileError> {
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
        cause: Cause::Input,
        message: format!("File uses too much global constant data ({used:#x} bytes, {most:#x} max)"),
        span,
    })
}

/// Functions of the system, which no file defines: their names, or how these begin. (Observed: the names that ptxas 13.0.88 takes without a definition.)
const SYSTEM_CALLS: [&str; 7] = [
    "vprintf",
    "vfprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaGraphLaunch",
    // Our own, which the emulator has: a kernel launches a kernel.
    "__warpsmith_launch",
];
const SYSTEM_PREFIXES: [&str; 2] = ["__cuda_syscall_", "cnp"];

/// Whether a function is one of the run-time system, which no file defines.
pub fn is_system_call(name: &str) -> bool {
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
                cause: Cause::Input,
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

/// External variables of which not even the size is known: a file that is not linked with others cannot have them. (Observed, ptxas 13.0.88, whether they are used or not.)
pub fn unresolved_variables(module: &Module) -> impl Iterator<Item = &Variable> {
    module.variables.iter().filter(|variable| {
        let is_open = variable.linkage == Linkage::External && variable.dimensions.iter().any(Option::is_none);
        is_open && matches!(variable.space, Space::Global | Space::Constant) && !is_image(variable)
    })
}

/// The errors that these are.
pub(crate) fn unresolved_variable_errors(module: &Module) -> impl Iterator<Item = CompileError> {
    unresolved_variables(module).map(|variable| {
        let name = variable.name.map_or("", |name| module.names.get(name));
        CompileError {
            function: String::new(),
            cause: Cause::Input,
            message: format!(
                "Unresolved extern variable '{name}': no file is linked to this one, and it has no size (-c makes one that is linked later)"
            ),
            span: variable.span,
        }
    })
}

/// Other files call by the ABI, which a function of several results switches off.
pub(crate) fn relocatable_without_abi(module: &Module) -> Option<CompileError> {
    let function = module.functions.iter().find(|function| function.returns.len() > 1)?;
    let name = module.names.get(function.name);
    Some(CompileError {
        function: String::new(),
        cause: Cause::Input,
        message: format!(
            "'{name}' returns several values, which needs code without the ABI: 'Compile only(-c)' requires ABI"
        ),
        span: function.span,
    })
}

/// Refuses a function whose variables do not fit.
pub(crate) fn function(
    module: &Module,
    function: &Function,
    source: &warpsmith_ptx::module::Function,
) -> Result<(), CompileError> {
    local(module, function, source)?;
    shared(function, source)
}

/// Refuses a function whose local variables are more than a thread has memory for. The place is that of the first that does not fit.
fn local(module: &Module, function: &Function, source: &warpsmith_ptx::module::Function) -> Result<(), CompileError> {
    let (used, most) = (function.frame_bytes, function.sm.info().memory.max_local_per_thread);
    if used <= most {
        return Ok(());
    }
    let statements = source.body.iter().flat_map(|body| &body.statements);
    let declared = statements.filter_map(|statement| match statement {
        Statement::Variable(VariableId(id)) => module.variables.get(*id as usize),
        _ => None,
    });
    let mut end = 0_u64;
    let mut first = declared.filter(|variable| matches!(variable.space, Space::Local | Space::Parameter));
    let first = first.find(|variable| {
        end = end.saturating_add(size(variable));
        end > u64::from(most)
    });
    let kind = match function.kernel {
        true => "Entry function",
        false => "Function",
    };
    Err(CompileError {
        function: String::new(),
        cause: Cause::Input,
        message: format!(
            "{kind} '{}' uses too much local data ({used:#x} bytes, {most:#x} max)",
            function.name
        ),
        span: first.map_or(source.span, |variable| variable.span),
    })
}

/// Refuses a kernel whose shared variables do not fit.
fn shared(function: &Function, source: &warpsmith_ptx::module::Function) -> Result<(), CompileError> {
    let used = function.shared_bytes.saturating_sub(function.shared_base());
    let most = function.sm.info().shared.static_limit;
    if used <= most {
        return Ok(());
    }
    Err(CompileError {
        function: String::new(),
        cause: Cause::Input,
        message: format!(
            "Entry function '{}' uses too much shared data ({used:#x} bytes, {most:#x} max)",
            function.name
        ),
        span: source.span,
    })
}
