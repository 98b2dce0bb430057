//! Structures that functions of this program get by value are passed member by member: in the callee they are values at once, and a caller need not have them in
//! memory.

use smallvec::SmallVec;
use warpsmith_ir::{Access, Context, Function, FunctionId, Instruction, Module, ParameterAttributes, Type, Value};

use super::{
    signatures::{Site, is_free, sites},
    sroa::pieces::collect_leaves,
};
use crate::{address::align_at, analysis::callgraph::CallGraph, edit, pipeline::Run};

/// Members of a structure that is taken apart, and its bytes.
const MOST_MEMBERS: usize = 16;
const MOST_BYTES: u64 = 64;

/// The pass.
pub(crate) fn run(module: &mut Module, run: &Run<'_>) -> bool {
    let graph = CallGraph::new(module);
    let sites = sites(module);
    let mut changed = false;
    for id in graph.groups().iter().flatten().copied() {
        let Some(sites) = sites.get(&id) else { continue };
        let parts = parts(module, id);
        if parts.iter().any(Option::is_some) && is_free(module, &graph, id, sites) && run.take_fuel() {
            take_apart(module, id, sites, &parts);
            changed = true;
        }
    }
    changed
}

/// A structure that is taken apart.
#[derive(Clone, Debug)]
struct Structure {
    ty: Type,
    align: u32,
    /// Where members are, and their types.
    members: Vec<(u64, Type)>,
}

/// By parameter: the structure that is passed by value, if it is one to take apart.
fn parts(module: &Module, id: FunctionId) -> Vec<Option<Structure>> {
    let context = module.context();
    let declaration = &module.symbols.functions[id];
    let types = &context.function_data(declaration.ty).parameters;
    let structure = |(attributes, ty): (&ParameterAttributes, &Type)| {
        let by_value = attributes.byval.filter(|_| *ty == Type::POINTER)?;
        Some(Structure {
            ty: by_value,
            align: attributes.align.max(context.alignment(by_value)),
            members: members(context, by_value)?,
        })
    };
    declaration.parameters.iter().zip(types).map(structure).collect()
}

/// The members of a structure if they are all of its bytes: what is between members may be members of another view of it.
fn members(context: &Context, ty: Type) -> Option<Vec<(u64, Type)>> {
    let size = context.size(ty);
    if size > MOST_BYTES {
        return None;
    }
    let mut members = Vec::new();
    collect_leaves(context, ty, 0, &mut members, MOST_MEMBERS + 1);
    let mut end = 0;
    for &(offset, member) in &members {
        let is_plain = matches!(
            member,
            Type::Int(8 | 16 | 32 | 64) | Type::Float | Type::Double | Type::Pointer(_)
        );
        if offset != end || !is_plain {
            return None;
        }
        end += context.store_size(member);
    }
    (end == size && !members.is_empty() && members.len() <= MOST_MEMBERS).then_some(members)
}

fn take_apart(module: &mut Module, id: FunctionId, sites: &[Site], parts: &[Option<Structure>]) {
    let context = module.context().clone();
    let data = context.function_data(module.symbols.functions[id].ty);
    // For each new parameter the old one that it is, or is a member of.
    let mut types: Vec<Type> = Vec::new();
    let mut kept: Vec<Option<u32>> = Vec::new();
    let mut attributes: Vec<ParameterAttributes> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        match part {
            Some(structure) => {
                types.extend(structure.members.iter().map(|(_, ty)| *ty));
                kept.extend(structure.members.iter().map(|_| None));
                attributes.extend(structure.members.iter().map(|_| ParameterAttributes::default()));
            }
            None => {
                types.push(data.parameters[number]);
                kept.push(Some(number as u32));
                attributes.push(module.symbols.functions[id].parameters[number].clone());
            }
        }
    }
    let ty = context.function_type(data.result, &types, data.variadic);
    if let Some(body) = module.bodies[id].as_mut() {
        let slots = slots(body, parts);
        body.change_parameters(ty, &kept);
        store_members(body, parts, &slots);
    }
    let declaration = &mut module.symbols.functions[id];
    declaration.ty = ty;
    declaration.parameters = attributes;
    for &(caller, call) in sites {
        let Some(body) = module.bodies[caller].as_mut() else {
            continue;
        };
        let Some(given) = body.instruction(call).as_call().map(|call| call.arguments.clone()) else {
            continue;
        };
        let mut arguments = SmallVec::new();
        for (value, part) in given.into_iter().zip(parts) {
            let Some(structure) = part else {
                arguments.push(value);
                continue;
            };
            for &(offset, member) in &structure.members {
                let pointer = edit::offset(body, call, value, offset);
                let access = Access::aligned(align_at(structure.align, offset));
                arguments.push(edit::insert(body, call, Instruction::Load { pointer, access }, member));
            }
        }
        body.update(call, |instruction| {
            let Instruction::Call(call) = instruction else { return };
            call.ty = ty;
            call.arguments = arguments;
            if !call.argument_attributes.is_empty() {
                let of = |old: &Option<u32>| old.and_then(|old| call.argument_attributes.get(old as usize).cloned());
                call.argument_attributes = kept.iter().map(|old| of(old).unwrap_or_default()).collect();
            }
        });
    }
}

/// Lets the body use memory of its own in place of the structures.
fn slots(body: &mut Function, parts: &[Option<Structure>]) -> Vec<Option<Value>> {
    let mut slots = vec![None; parts.len()];
    let Some(entry) = body.entry() else { return slots };
    let one = Value::Constant(body.context().int(32, 1));
    for (number, part) in parts.iter().enumerate() {
        let Some(structure) = part else { continue };
        let alloca = Instruction::Alloca {
            ty: structure.ty,
            count: one,
            align: structure.align,
        };
        let slot = Value::Instruction(body.prepend(entry, alloca, Type::POINTER));
        let argument = Value::Argument(number as u32);
        if let Some(name) = body.name(argument).map(str::to_owned) {
            body.set_name(slot, &name);
        }
        body.replace_all_uses(argument, slot);
        slots[number] = Some(slot);
    }
    slots
}

/// Writes the members, which are parameters now, to the memory.
fn store_members(body: &mut Function, parts: &[Option<Structure>], slots: &[Option<Value>]) {
    let mut number = 0;
    for (part, slot) in parts.iter().zip(slots) {
        let (Some(structure), Some(slot)) = (part, slot) else {
            number += part.as_ref().map_or(1, |structure| structure.members.len() as u32);
            continue;
        };
        for &(offset, _) in &structure.members {
            let value = Value::Argument(number);
            number += 1;
            let Some(at) = slot.as_instruction().and_then(|slot| body.next(slot)) else {
                continue;
            };
            let pointer = edit::offset(body, at, *slot, offset);
            let access = Access::aligned(align_at(structure.align, offset));
            edit::insert(body, at, Instruction::Store { pointer, value, access }, Type::Void);
        }
    }
}
