//! Where shared variables are. A kernel has those that it and the functions it calls name, and no others: variables that no kernel has together
//! may lie over each other.

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_ptx::module::{
    AddressBase, AddressTarget, Body, FunctionId, Initializer, Module, Operand, Space, Statement, VariableId,
};

use super::{LARGEST, Location, align_up, alignment, size};

/// What a function names, or a table of addresses.
#[derive(Default)]
struct Names {
    variables: Vec<VariableId>,
    functions: Vec<FunctionId>,
}

impl Names {
    fn of_body(module: &Module, body: &Body) -> Names {
        let mut names = Names::default();
        for operand in &body.operands {
            match operand {
                Operand::Variable(id, _) | Operand::Element(id, ..) => names.variable(module, *id),
                Operand::Address(address) => match address.base {
                    AddressBase::Variable(id) => names.variable(module, id),
                    AddressBase::Register(_) | AddressBase::Absolute => {}
                },
                Operand::Function(id) => names.functions.push(*id),
                Operand::Register(_)
                | Operand::Component(..)
                | Operand::Selected(..)
                | Operand::Not(_)
                | Operand::Negative(..)
                | Operand::Special(..)
                | Operand::Integer(..)
                | Operand::Double(_)
                | Operand::Single(_)
                | Operand::Label(_)
                | Operand::Bracket(_)
                | Operand::Vector(_)
                | Operand::Pair(_)
                | Operand::List(_)
                | Operand::Sink => {}
            }
        }
        // What a kernel declares is its own, named or not.
        for statement in &body.statements {
            if let Statement::Variable(id) = statement {
                names.variable(module, *id);
            }
        }
        names
    }

    fn variable(&mut self, module: &Module, id: VariableId) {
        if module.variables[id.0 as usize].space == Space::Shared {
            self.variables.push(id);
        }
    }

    /// What the initial values of variables name: any kernel may follow such an address.
    fn of_initializer(&mut self, module: &Module, initializer: &Initializer) {
        match initializer {
            Initializer::Address { target, .. } => match target {
                AddressTarget::Function(id) => self.functions.push(*id),
                AddressTarget::Variable(id) => self.variable(module, *id),
            },
            Initializer::List(values, _) => values.iter().for_each(|value| self.of_initializer(module, value)),
            Initializer::Fields(..) | Initializer::Integer(..) | Initializer::Float(..) | Initializer::Single(..) => {}
        }
    }
}

/// The shared variables of a kernel, in order of the module.
fn of_kernel(
    kernel: FunctionId,
    functions: &[Names],
    aliases: &FxHashMap<FunctionId, FunctionId>,
    followed: &Names,
) -> Vec<VariableId> {
    let mut seen = FxHashSet::default();
    let mut left = vec![kernel];
    left.extend(&followed.functions);
    let mut variables: Vec<VariableId> = followed.variables.clone();
    while let Some(function) = left.pop() {
        let function = aliases.get(&function).copied().unwrap_or(function);
        let Some(names) = functions.get(function.0 as usize).filter(|_| seen.insert(function)) else {
            continue;
        };
        variables.extend(&names.variables);
        left.extend(&names.functions);
    }
    variables.sort_unstable_by_key(|id| id.0);
    variables.dedup();
    variables
}

/// Adds the addresses of shared variables to those that are known. Gives the bytes of each kernel, before dynamic shared memory.
pub(super) fn place(
    module: &Module,
    aliases: &FxHashMap<FunctionId, FunctionId>,
    mut locations: FxHashMap<VariableId, Location>,
) -> (FxHashMap<FunctionId, u64>, FxHashMap<VariableId, Location>) {
    let functions: Vec<Names> = { module.functions.iter() }
        .map(|function| {
            let body = function.body.as_ref();
            body.map_or_else(Names::default, |body| Names::of_body(module, body))
        })
        .collect();
    let mut followed = Names::default();
    for initializer in module
        .variables
        .iter()
        .filter_map(|variable| variable.initializer.as_ref())
    {
        followed.of_initializer(module, initializer);
    }
    let kernels = (0..).zip(&module.functions).filter(|(_, function)| function.kernel);
    let kernels: Vec<FunctionId> = kernels.map(|(index, _)| FunctionId(index)).collect();
    // Which kernels have each variable.
    let mut users: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
    for (number, kernel) in kernels.iter().enumerate() {
        for id in of_kernel(*kernel, &functions, aliases, &followed) {
            users.entry(id).or_default().push(number);
        }
    }
    let is_shared = |id: &VariableId| module.variables[id.0 as usize].space == Space::Shared;
    let all: Vec<VariableId> = (0..module.variables.len() as u32)
        .map(VariableId)
        .filter(is_shared)
        .collect();
    let mut ends = vec![0; kernels.len()];
    let (open, sized): (Vec<VariableId>, Vec<VariableId>) =
        { all.into_iter() }.partition(|id| size(&module.variables[id.0 as usize]) == 0);
    for id in sized {
        let variable = &module.variables[id.0 as usize];
        let users = users.get(&id).map_or(&[][..], Vec::as_slice);
        let start = users.iter().map(|&user| ends[user]).max().unwrap_or(0);
        let start = align_up(start, alignment(variable));
        locations.insert(id, Location::Shared(start));
        for &user in users {
            ends[user] = start.saturating_add(size(variable)).min(LARGEST);
        }
    }
    place_open(module, &open, &users, &mut ends, &mut locations);
    (kernels.into_iter().zip(ends).collect(), locations)
}

/// Variables of no size of their own: all of a kernel's are where its dynamic shared memory begins, and kernels with one in common begin alike.
fn place_open(
    module: &Module,
    open: &[VariableId],
    users: &FxHashMap<VariableId, Vec<usize>>,
    ends: &mut [u64],
    locations: &mut FxHashMap<VariableId, Location>,
) {
    for end in ends.iter_mut() {
        *end = align_up(*end, 16);
    }
    let users_of = |id: &VariableId| users.get(id).map_or(&[][..], Vec::as_slice);
    // The first of the kernels that begin alike.
    let mut first: Vec<usize> = (0..ends.len()).collect();
    fn root(first: &[usize], mut kernel: usize) -> usize {
        while first[kernel] != kernel {
            kernel = first[kernel];
        }
        kernel
    }
    for id in open {
        for pair in users_of(id).windows(2) {
            let (one, other) = (root(&first, pair[0]), root(&first, pair[1]));
            first[one.max(other)] = one.min(other);
        }
    }
    let roots: Vec<usize> = (0..ends.len()).map(|kernel| root(&first, kernel)).collect();
    let mut starts = vec![0; ends.len()];
    for (kernel, &root) in roots.iter().enumerate() {
        starts[root] = ends[kernel].max(starts[root]);
    }
    for id in open {
        if let Some(&user) = users_of(id).first() {
            let start: &mut u64 = &mut starts[roots[user]];
            *start = align_up(*start, alignment(&module.variables[id.0 as usize]).max(16));
        }
    }
    for id in open {
        let start = users_of(id).first().map_or(0, |&user| starts[roots[user]]);
        locations.insert(*id, Location::Shared(start));
        for &user in users_of(id) {
            ends[user] = start;
        }
    }
}
