//! What host code knows of a module: the kernels and variables that it registers with the CUDA runtime, each with its symbol in the module and with the
//! expression that is the host's side of it.

use rustc_hash::FxHashSet;
use warpsmith_ir as ir;

use crate::hir::{
    Linkage, MemorySpace, Program, StorageDuration, SymbolVariant, mangle_function, mangle_host_function,
    mangle_variable,
};

/// What the host registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// A kernel, by the address of its stub.
    Kernel,
    /// A `__device__` variable, by the address of its shadow.
    Variable,
    /// A `__constant__` variable.
    Constant,
    /// A `__managed__` variable, by the place where the host keeps its address.
    Managed,
}

/// A kernel or a variable of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEntity {
    /// What it is.
    pub kind: HostKind,
    /// Its symbol in the module.
    pub symbol: String,
    /// Who else sees it where units are linked.
    pub linkage: Linkage,
    /// The expression that is its address (of a kernel) or the variable, wherever a host compiler reads it behind the unit; or what of it has no name there.
    pub expression: Result<String, &'static str>,
    /// The symbol that the host's compiler gives a kernel's stub; nothing of a variable.
    pub host_symbol: String,
    /// What users call it.
    pub name: String,
}

/// The entities of a program that its module defines, in the order of the program.
pub(crate) fn host_entities(program: &Program, module: &ir::Module) -> Vec<HostEntity> {
    let kernels = module.functions().filter(|(_, function)| function.is_kernel());
    let kernels: FxHashSet<&str> = kernels.map(|(_, function)| function.name.as_str()).collect();
    let globals: FxHashSet<&str> = module.globals().map(|(_, global)| global.name.as_str()).collect();
    let mut entities = Vec::new();
    for id in program.function_ids() {
        let function = program.function(id);
        if !function.space.global || function.body.is_none() {
            continue;
        }
        let symbol = mangle_function(program, id, SymbolVariant::Complete);
        if kernels.contains(symbol.as_str()) {
            entities.push(HostEntity {
                kind: HostKind::Kernel,
                symbol,
                linkage: function.linkage,
                expression: program.host_function(id),
                host_symbol: mangle_host_function(program, id),
                name: program.function_name(id),
            });
        }
    }
    for id in program.variable_ids() {
        let variable = program.variable(id);
        let kind = match variable.memory {
            MemorySpace::Device => HostKind::Variable,
            MemorySpace::Constant => HostKind::Constant,
            MemorySpace::Managed => HostKind::Managed,
            MemorySpace::Host | MemorySpace::Shared => continue,
        };
        // What a body declares is seen nowhere else.
        let is_local = matches!(variable.scope, crate::hir::Scope::Function(_));
        if variable.storage != StorageDuration::Static || variable.is_extern || is_local {
            continue;
        }
        let symbol = mangle_variable(program, id);
        if globals.contains(symbol.as_str()) {
            entities.push(HostEntity {
                kind,
                symbol,
                linkage: variable.linkage,
                expression: program.host_variable(id),
                host_symbol: String::new(),
                name: program.variable_name(id),
            });
        }
    }
    entities
}
