//! Signatures of functions whose callers are all known: arguments that nobody uses, or that are the same constant in all calls, are passed no more, pointers that are in
//! one memory space in all calls are passed as pointers of it, results that no call uses are not returned.
//!
//! Most functions are inlined; this is for those that are not, recursive ones above all: an access through a generic address is slower than one of a known
//! space.

use rustc_hash::FxHashMap;
use warpsmith_ir::{
    AddressSpace, Callee, CastOp, Constant, ConstantId, Flags, Function, FunctionId, Instruction, InstructionId,
    Module, TailCall, Type, Value,
};

use super::memory_spaces::Spaces;
use crate::{analysis::callgraph::CallGraph, pipeline::Run};

/// The pass.
pub(crate) fn run(module: &mut Module, run: &Run<'_>) -> bool {
    let graph = CallGraph::new(module);
    let sites = sites(module);
    let mut changed = false;
    // Where addresses of callers are. A changed call leaves that as it is.
    let mut callers: FxHashMap<FunctionId, Spaces> = FxHashMap::default();
    // Callers before callees, so that what they pass is known.
    let order: Vec<FunctionId> = graph.groups().iter().rev().flatten().copied().collect();
    for id in order {
        let Some(sites) = sites.get(&id) else { continue };
        if !is_free(module, &graph, id, sites) {
            continue;
        }
        let plan = Plan::of(module, run, id, sites, &mut callers);
        if plan.is_empty() || !run.take_fuel() {
            continue;
        }
        plan.apply(module, id, sites);
        callers.remove(&id);
        changed = true;
    }
    changed
}

/// A call: in which function, and where.
pub(super) type Site = (FunctionId, InstructionId);

/// The direct calls of each function.
pub(super) fn sites(module: &Module) -> FxHashMap<FunctionId, Vec<Site>> {
    let mut sites: FxHashMap<FunctionId, Vec<Site>> = FxHashMap::default();
    for (caller, _) in module.functions() {
        let Some(body) = module.body(caller) else { continue };
        for id in body.all_instructions() {
            if let Instruction::Call(call) = body.instruction(id)
                && let Callee::Function(callee) = call.callee
            {
                sites.entry(callee).or_default().push((caller, id));
            }
        }
    }
    sites
}

/// Whether the signature of a function may change: all calls of it are known, and are calls of its type.
pub(super) fn is_free(module: &Module, graph: &CallGraph, id: FunctionId, sites: &[Site]) -> bool {
    let declaration = &module.symbols.functions[id];
    let fits = |&(caller, call): &Site| {
        let call = module.body(caller).and_then(|body| body.instruction(call).as_call());
        call.is_some_and(|call| {
            call.ty == declaration.ty
                && call.arguments.len() == declaration.parameters.len()
                && call.tail != TailCall::Must
        })
    };
    let has_must = |body: &Function| {
        body.all_instructions()
            .any(|id| matches!(body.instruction(id), Instruction::Call(call) if call.tail == TailCall::Must))
    };
    declaration.linkage.is_local()
        && !declaration.is_kernel()
        && !declaration.attributes.optnone
        && !graph.is_address_taken(id)
        && !module.context().function_data(declaration.ty).variadic
        && module.body(id).is_some_and(|body| body.entry().is_some() && !has_must(body))
        && sites.iter().all(fits)
        // A function that only calls itself is about to go.
        && sites.iter().any(|(caller, _)| *caller != id)
}

/// What becomes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stays,
    /// Nobody uses it.
    Unused,
    /// It is this constant in all calls.
    Constant(ConstantId),
    /// It points into this space in all calls.
    In(AddressSpace),
}

struct Plan {
    parameters: Vec<Fate>,
    drops_result: bool,
}

impl Plan {
    fn of(
        module: &Module,
        run: &Run<'_>,
        id: FunctionId,
        sites: &[Site],
        callers: &mut FxHashMap<FunctionId, Spaces>,
    ) -> Plan {
        let mut plan = Plan {
            parameters: Vec::new(),
            drops_result: false,
        };
        let Some(body) = module.body(id) else { return plan };
        plan.parameters = (0..body.parameters().len() as u32)
            .map(|number| fate(module, body, sites, number))
            .collect();
        let spaces = spaces(module, run, body, sites, callers);
        for (number, fate) in plan.parameters.iter_mut().enumerate() {
            if let (Fate::Stays, Some(&space)) = (*fate, spaces.get(&(number as u32))) {
                *fate = Fate::In(space);
            }
        }
        let is_used = |&(caller, call): &Site| {
            module
                .body(caller)
                .is_some_and(|body| !body.is_unused(Value::Instruction(call)))
        };
        plan.drops_result = body.return_type() != Type::Void && !sites.iter().any(is_used);
        plan
    }

    fn is_empty(&self) -> bool {
        !self.drops_result && self.parameters.iter().all(|fate| *fate == Fate::Stays)
    }

    fn keeps(&self, number: usize) -> bool {
        matches!(self.parameters.get(number), Some(Fate::Stays | Fate::In(_)))
    }

    fn apply(&self, module: &mut Module, id: FunctionId, sites: &[Site]) {
        let context = module.context().clone();
        let data = context.function_data(module.symbols.functions[id].ty);
        let kept: Vec<u32> = (0..data.parameters.len())
            .filter(|&number| self.keeps(number))
            .map(|number| number as u32)
            .collect();
        let types: Vec<Type> = kept
            .iter()
            .map(|&number| match self.parameters[number as usize] {
                Fate::In(space) => Type::Pointer(space),
                _ => data.parameters[number as usize],
            })
            .collect();
        let result = if self.drops_result { Type::Void } else { data.result };
        let ty = context.function_type(result, &types, false);
        self.change_body(module, id, ty, &kept);
        let declaration = &mut module.symbols.functions[id];
        declaration.ty = ty;
        declaration.parameters = kept
            .iter()
            .map(|&number| declaration.parameters[number as usize].clone())
            .collect();
        if self.drops_result {
            declaration.result_attributes = Default::default();
            declaration.parameters.iter_mut().for_each(|all| all.returned = false);
        }
        for &(caller, call) in sites {
            if let Some(body) = module.bodies[caller].as_mut() {
                self.change_call(body, call, ty, &kept);
            }
        }
    }

    fn change_body(&self, module: &mut Module, id: FunctionId, ty: warpsmith_ir::FunctionType, kept: &[u32]) {
        let Some(body) = module.bodies[id].as_mut() else { return };
        for (number, fate) in self.parameters.iter().enumerate() {
            let argument = Value::Argument(number as u32);
            let by = match *fate {
                Fate::Constant(constant) => constant,
                // Only calls of the function itself hand it on.
                Fate::Unused => body.context().poison(body.type_of(argument)),
                Fate::Stays | Fate::In(_) => continue,
            };
            body.replace_all_uses(argument, Value::Constant(by));
        }
        body.change_type(ty, kept);
        for (new, &old) in kept.iter().enumerate() {
            if matches!(self.parameters[old as usize], Fate::In(_)) {
                convert_to_generic(body, new as u32);
            }
        }
        if self.drops_result {
            let returns: Vec<InstructionId> = body
                .all_instructions()
                .filter(|&id| matches!(body.instruction(id), Instruction::Return { .. }))
                .collect();
            for id in returns {
                body.replace_instruction(id, Instruction::Return { value: None }, Type::Void);
            }
        }
    }

    fn change_call(&self, body: &mut Function, id: InstructionId, ty: warpsmith_ir::FunctionType, kept: &[u32]) {
        let Some(call) = body.instruction(id).as_call() else {
            return;
        };
        let given = call.arguments.clone();
        let mut arguments = smallvec::SmallVec::new();
        for &number in kept {
            let mut value = given[number as usize];
            if let Fate::In(space) = self.parameters[number as usize] {
                value = crate::edit::cast(body, id, CastOp::AddrSpaceCast, value, Type::Pointer(space));
            }
            arguments.push(value);
        }
        let drops_result = self.drops_result;
        body.update(id, |instruction| {
            let Instruction::Call(call) = instruction else { return };
            call.ty = ty;
            call.arguments = arguments;
            if !call.argument_attributes.is_empty() {
                call.argument_attributes = kept
                    .iter()
                    .filter_map(|&number| call.argument_attributes.get(number as usize).cloned())
                    .collect();
            }
            if drops_result {
                call.result_attributes = None;
                call.flags = Flags::NONE;
                call.argument_attributes.iter_mut().for_each(|all| all.returned = false);
            }
        });
        if drops_result {
            body.set_result_type(id, Type::Void);
            body.update_attachments(id, |all| *all = Default::default());
        }
    }
}

/// What becomes of a parameter, spaces aside.
fn fate(module: &Module, body: &Function, sites: &[Site], number: u32) -> Fate {
    let argument = Value::Argument(number);
    let given = |&(caller, call): &Site| {
        let call = module.body(caller)?.instruction(call).as_call()?;
        call.arguments.get(number as usize).copied()
    };
    let is_handed_on = |user: InstructionId| {
        sites.iter().any(|&(caller, call)| caller == body.id() && call == user)
            && body.instruction(user).as_call().is_some_and(|call| {
                let mut arguments = call.arguments.iter().enumerate();
                arguments.all(|(place, value)| *value != argument || place == number as usize)
                    && !matches!(call.callee, Callee::Indirect(callee) if callee == argument)
            })
    };
    if body.users(argument).into_iter().all(is_handed_on) {
        return Fate::Unused;
    }
    let attributes = &module.symbols.functions[body.id()].parameters[number as usize];
    if attributes.byval.is_some() || attributes.sret.is_some() {
        return Fate::Stays;
    }
    let mut constant = None;
    for site in sites {
        match given(site) {
            Some(value) if value == argument && site.0 == body.id() => {}
            Some(Value::Constant(id)) if constant.is_none_or(|known| known == id) => constant = Some(id),
            _ => return Fate::Stays,
        }
    }
    match constant {
        Some(id) if is_plain(module, id) => Fate::Constant(id),
        _ => Fate::Stays,
    }
}

fn is_plain(module: &Module, id: ConstantId) -> bool {
    matches!(
        module.context().constant(id),
        Constant::Int(_)
            | Constant::Float { .. }
            | Constant::Null(_)
            | Constant::Global { .. }
            | Constant::Function(_)
            | Constant::Expression(_)
    )
}

/// The parameters that point into one space in all calls.
fn spaces(
    module: &Module,
    run: &Run<'_>,
    body: &Function,
    sites: &[Site],
    callers: &mut FxHashMap<FunctionId, Spaces>,
) -> FxHashMap<u32, AddressSpace> {
    let unit = run.unit(&module.symbols);
    let attributes = &module.symbols.functions[body.id()].parameters;
    let wanted: Vec<u32> = (0..body.parameters().len() as u32)
        .filter(|&number| {
            let all = &attributes[number as usize];
            body.parameters()[number as usize] == Type::POINTER
                && all.byval.is_none()
                && all.sret.is_none()
                && !body.is_unused(Value::Argument(number))
        })
        .collect();
    let mut found: FxHashMap<u32, AddressSpace> = FxHashMap::default();
    if wanted.is_empty() {
        return found;
    }
    for number in wanted {
        let mut space = None;
        for &(caller, call) in sites.iter().filter(|(caller, _)| *caller != body.id()) {
            let Some(function) = module.body(caller) else { continue };
            let spaces = callers
                .entry(caller)
                .or_insert_with(|| Spaces::new(function, &unit, FxHashMap::default()));
            let value = function
                .instruction(call)
                .as_call()
                .and_then(|call| call.arguments.get(number as usize).copied());
            let here = value.and_then(|value| spaces.of(function, &unit, value));
            if here.is_none() || space.is_some_and(|space| Some(space) != here) {
                space = None;
                break;
            }
            space = here;
        }
        if let Some(space) = space {
            found.insert(number, space);
        }
    }
    // Calls of the function itself must keep to that, if the others do.
    loop {
        let spaces = Spaces::new(body, &unit, found.clone());
        let mut wrong: Vec<u32> = Vec::new();
        for &(_, call) in sites.iter().filter(|(caller, _)| *caller == body.id()) {
            let Some(call) = body.instruction(call).as_call() else {
                continue;
            };
            wrong.extend(found.iter().filter_map(|(&number, &space)| {
                let value = call.arguments.get(number as usize).copied()?;
                (spaces.of(body, &unit, value) != Some(space)).then_some(number)
            }));
        }
        if wrong.is_empty() {
            return found;
        }
        for number in wrong {
            found.remove(&number);
        }
    }
}

/// Turns a parameter that has become a pointer of a space into the generic address that its users want.
fn convert_to_generic(body: &mut Function, number: u32) {
    let argument = Value::Argument(number);
    let users = body.users(argument);
    let Some(first) = body.entry().and_then(|entry| body.first_after_phis(entry)) else {
        return;
    };
    let flags = Flags::NONE;
    let cast = Instruction::Cast {
        op: CastOp::AddrSpaceCast,
        flags,
        operand: argument,
    };
    let generic = Value::Instruction(body.insert_before(first, cast, Type::POINTER));
    for user in users {
        body.replace_uses_in(user, argument, generic);
    }
}
