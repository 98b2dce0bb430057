//! What functions of a module must agree on before any of them is lowered: which are compiled at all, and where shared variables lie that device functions
//! name.
//!
//! A device function is compiled once for all kernels, so the variables that it names lie at the same place in each of them: before their own. Dynamic
//! shared memory starts after the static part of the kernel; where a device function names it, at one place behind that of every kernel with calls.

use std::collections::{BTreeMap, BTreeSet};

use warpsmith_ptx::module::{
    AddressBase, AddressTarget, Body, Function, FunctionId, Initializer, LabelKind, Module, Operand, Space, VariableId,
};
use warpsmith_target::Sm;

use super::{
    call::resolved,
    operand::{alignment, size},
    variables::{Banks, Scopes, is_image},
};

/// What holds for a whole module.
#[derive(Debug, Default)]
pub struct Plan {
    /// For each function, whether some kernel may call it.
    pub(crate) reached: Vec<bool>,
    /// Shared variables of device functions.
    pub(super) common: BTreeMap<VariableId, u32>,
    /// The first byte after them.
    pub(super) common_end: u32,
    /// Where dynamic shared memory starts in kernels with calls, if a device function names it.
    pub(super) dynamic: Option<u32>,
    /// Textures, samplers and surfaces that functions name: the offset in constant bank 0 of the word that the loader fills in for each. One place for all
    /// kernels, behind the parameters of every one.
    pub(crate) images: BTreeMap<VariableId, u32>,
    pub(super) scopes: Scopes,
    pub(super) banks: Banks,
    /// Whether the linker places variables, and every function is compiled: for a relocatable file.
    pub(super) relocatable: bool,
    /// Whether threads wait at their end for errors of their memory accesses to show.
    pub(crate) errors_at_exit: bool,
    /// Whether a debugger wants to know where the registers of the PTX are.
    pub(crate) debug: bool,
}

/// The functions that a body names.
pub(crate) fn named_functions(body: &Body) -> impl Iterator<Item = FunctionId> + '_ {
    let operands = body.operands.iter().filter_map(|operand| match operand {
        Operand::Function(id) => Some(*id),
        _ => None,
    });
    let lists = body.labels.iter().flat_map(|label| match &label.kind {
        LabelKind::CallTargets(targets) => &targets[..],
        LabelKind::Place(_) | LabelKind::BranchTargets(_) | LabelKind::Prototype(_) => &[],
    });
    operands.chain(lists.copied())
}

/// Whether a function calls others, by name or by address.
pub(super) fn calls(body: &Body) -> bool {
    let is_prototype = |label: &warpsmith_ptx::module::Label| matches!(label.kind, LabelKind::Prototype(_));
    named_functions(body).next().is_some() || body.labels.iter().any(is_prototype)
}

/// The variables that a body names.
pub(crate) fn named_variables(body: &Body) -> BTreeSet<VariableId> {
    let named = body.operands.iter().filter_map(|operand| match operand {
        Operand::Variable(id, _) | Operand::Element(id, ..) => Some(*id),
        Operand::Address(address) => match address.base {
            AddressBase::Variable(id) => Some(id),
            AddressBase::Register(_) | AddressBase::Absolute => None,
        },
        _ => None,
    });
    named.collect()
}

/// The functions whose addresses an initial value holds.
fn addressed(initializer: &Initializer, found: &mut Vec<FunctionId>) {
    match initializer {
        Initializer::List(values, _) => values.iter().for_each(|value| addressed(value, found)),
        Initializer::Address {
            target: AddressTarget::Function(id),
            ..
        } => found.push(*id),
        Initializer::Address { .. }
        | Initializer::Fields(..)
        | Initializer::Integer(..)
        | Initializer::Float(..)
        | Initializer::Single(..) => {}
    }
}

/// The functions whose addresses initial values of a module hold.
pub(crate) fn functions_in_data(module: &Module) -> Vec<FunctionId> {
    let mut found = Vec::new();
    for initializer in module
        .variables
        .iter()
        .filter_map(|variable| variable.initializer.as_ref())
    {
        addressed(initializer, &mut found);
    }
    found.iter().map(|id| resolved(module, *id)).collect()
}

/// The next place for a variable.
pub(super) fn place(module: &Module, id: VariableId, next: &mut u32) -> u32 {
    let variable = &module.variables[id.0 as usize];
    let offset = next.next_multiple_of(alignment(variable).clamp(1, 1 << 16) as u32);
    *next = offset
        .saturating_add(u32::try_from(size(variable)).unwrap_or(u32::MAX / 2))
        .min(u32::MAX / 2);
    offset
}

impl Plan {
    /// Plans a module for a target, for a file that runs or, `relocatable`, for one that is linked with others.
    pub fn of(module: &Module, sm: Sm, relocatable: bool) -> Plan {
        let info = sm.info();
        let shared_base = match info.constants.shared_window {
            Some(_) => 0,
            None => info.shared.reserved_per_cta,
        };
        let mut plan = Plan {
            reached: reached(module),
            common_end: shared_base,
            scopes: Scopes::of(module),
            banks: Banks::of(module),
            ..Plan::default()
        };
        if relocatable {
            plan.relocatable = true;
            plan.reached.fill(true);
            return plan;
        }
        let is_compiled = |index: usize| plan.reached.get(index).copied().unwrap_or(false);
        plan.images = images(module, sm);
        let functions = module.functions.iter().enumerate();
        let (kernels, devices): (Vec<_>, Vec<_>) = functions
            .filter(|(index, function)| is_compiled(*index) && function.body.is_some())
            .map(|(_, function)| function)
            .partition(|function| function.kernel);
        let mut names_dynamic = None;
        let mut common = BTreeSet::new();
        for id in devices
            .iter()
            .filter_map(|function| function.body.as_ref())
            .flat_map(named_variables)
        {
            let variable = &module.variables[id.0 as usize];
            match variable.space {
                Space::Shared if size(variable) == 0 => {
                    let align = alignment(variable).clamp(16, 1 << 16) as u32;
                    names_dynamic = Some(names_dynamic.unwrap_or(align).max(align));
                }
                Space::Shared => {
                    common.insert(id);
                }
                _ => {}
            }
        }
        for id in common {
            let offset = place(module, id, &mut plan.common_end);
            plan.common.insert(id, offset);
        }
        if let Some(mut align) = names_dynamic {
            let mut end = plan.common_end;
            for body in kernels.iter().filter_map(|function| function.body.as_ref()) {
                if calls(body) {
                    let (after, own) = plan.after_static(module, body);
                    (end, align) = (end.max(after), align.max(own));
                }
            }
            plan.dynamic = Some(end.next_multiple_of(align));
        }
        plan
    }

    /// The end of a kernel's static shared memory, and the alignment of what is dynamic.
    fn after_static(&self, module: &Module, body: &Body) -> (u32, u32) {
        let (mut next, mut align) = (self.common_end, 16);
        for id in named_variables(body) {
            let variable = &module.variables[id.0 as usize];
            if variable.space == Space::Shared && !self.common.contains_key(&id) {
                if size(variable) == 0 {
                    align = align.max(alignment(variable).clamp(16, 1 << 16) as u32);
                } else {
                    place(module, id, &mut next);
                }
            }
        }
        (next, align)
    }
}

/// Where each parameter of a kernel lies in constant bank 0, and the first byte after them.
pub(super) fn parameters(module: &Module, function: &Function, base: u32) -> (Vec<(VariableId, u32)>, u32) {
    let mut next: u32 = 0;
    let mut places = Vec::new();
    for &id in &function.parameters {
        let variable = &module.variables[id.0 as usize];
        let align = alignment(variable) as u32;
        // It is the address in the bank that is aligned. (Observed, ptxas 13.0.88.)
        let offset = (base + next).next_multiple_of(align.max(1)) - base;
        places.push((id, offset));
        next = offset + size(variable) as u32;
    }
    (places, base + next)
}

/// The textures, samplers and surfaces that functions of a module name, in order of the module.
pub(crate) fn images(module: &Module, sm: Sm) -> BTreeMap<VariableId, u32> {
    let base = u32::from(sm.info().constants.parameters);
    let kernels = module.functions.iter().filter(|function| function.kernel);
    let end = kernels.map(|kernel| parameters(module, kernel, base).1).max();
    let first = end.unwrap_or(base).next_multiple_of(4);
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let named: BTreeSet<VariableId> = bodies.flat_map(named_images(module)).collect();
    named
        .into_iter()
        .zip(0..)
        .map(|(id, number): (_, u32)| (id, first + 4 * number))
        .collect()
}

/// The textures, samplers and surfaces that a body names.
pub(crate) fn named_images(module: &Module) -> impl Fn(&Body) -> Vec<VariableId> + '_ {
    |body| {
        let is_named = |id: &VariableId| {
            let variable = &module.variables[id.0 as usize];
            is_image(variable) && variable.space == Space::Global
        };
        named_variables(body).into_iter().filter(is_named).collect()
    }
}

/// For each function, whether a kernel may come to call it.
fn reached(module: &Module) -> Vec<bool> {
    let mut reached = vec![false; module.functions.len()];
    let mut work: Vec<FunctionId> = functions_in_data(module);
    let kernels = module
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| function.kernel);
    work.extend(kernels.map(|(index, _)| FunctionId(index as u32)));
    while let Some(id) = work.pop() {
        let id = resolved(module, id);
        let function: Option<&Function> = module.functions.get(id.0 as usize);
        let Some((seen, function)) = reached.get_mut(id.0 as usize).zip(function) else {
            continue;
        };
        if !std::mem::replace(seen, true) {
            work.extend(function.body.iter().flat_map(named_functions));
        }
    }
    reached
}
