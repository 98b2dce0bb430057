//! Memory to registers: allocas that are only loaded and stored as a whole become values.
//!
//! Phis are placed on the iterated dominance frontier of the stores where the variable is live; one walk down the dominator tree then replaces loads by
//! the value that is current.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Flags, Function, Instruction, InstructionId, Type, Value};

use crate::{
    analysis::{
        dominators::{Dominators, FrontierMemory},
        flow::{Flow, node},
        graph::Marks,
    },
    intrinsics,
    pipeline::Unit,
};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let allocas: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| matches!(function.instruction(id), Instruction::Alloca { .. }))
        .collect();
    promote(function, unit, &allocas)
}

/// Promotes those of the allocas that can be. Whether any was.
pub(crate) fn promote(function: &mut Function, unit: &Unit<'_>, allocas: &[InstructionId]) -> bool {
    let mut slots = Vec::new();
    for &alloca in allocas {
        if let Some(ty) = promotable(function, alloca)
            && unit.fuel.take()
        {
            slots.push(Slot { alloca, ty });
        }
    }
    promote_slots(function, slots)
}

/// Promotes allocas that a pass made, whatever fuel is left.
pub(crate) fn promote_all(function: &mut Function, allocas: &[InstructionId]) {
    let of = |&alloca: &InstructionId| promotable(function, alloca).map(|ty| Slot { alloca, ty });
    let slots = allocas.iter().filter_map(of).collect();
    promote_slots(function, slots);
}

fn promote_slots(function: &mut Function, slots: Vec<Slot>) -> bool {
    if slots.is_empty() {
        return false;
    }
    let flow = Flow::new(function);
    let dominators = flow.dominators();
    let promotion = Promotion::new(slots);
    let phis = promotion.place_phis(function, &flow, &dominators);
    promotion.rename(function, &flow, &dominators, &phis);
    promotion.remove(function, &flow);
    let mut made: Vec<InstructionId> = phis.into_values().flatten().map(|(_, phi)| phi).collect();
    made.sort_unstable();
    simplify_phis(function, made);
    true
}

/// The type that all loads and stores of an alloca have, if it is used in no other way.
fn promotable(function: &Function, alloca: InstructionId) -> Option<Type> {
    let Instruction::Alloca { ty, count, .. } = function.instruction(alloca) else {
        return None;
    };
    let one = function.context().int(64, 1);
    let is_one = |value: &Value| {
        value.as_constant().is_some_and(|id| {
            id == one || matches!(function.context().constant(id), warpsmith_ir::Constant::Int(value) if value.is_one())
        })
    };
    if !is_one(count) {
        return None;
    }
    let address = Value::Instruction(alloca);
    let mut accessed = None;
    for user in function.users(address) {
        let ty = match function.instruction(user) {
            Instruction::Load { access, .. } if access.is_simple() => function.result_type(user),
            Instruction::Store { pointer, value, access }
                if access.is_simple() && *pointer == address && *value != address =>
            {
                function.type_of(*value)
            }
            instruction if intrinsics::is_lifetime(instruction) => continue,
            _ => return None,
        };
        if *accessed.get_or_insert(ty) != ty {
            return None;
        }
    }
    let accessed = accessed.unwrap_or(*ty);
    (function.context().store_size(accessed) <= function.context().store_size(*ty)).then_some(accessed)
}

struct Slot {
    alloca: InstructionId,
    ty: Type,
}

/// The phis of each block: slot and phi.
type Phis = FxHashMap<BlockId, SmallVec<[(usize, InstructionId); 4]>>;

struct Promotion {
    slots: Vec<Slot>,
    by_alloca: FxHashMap<InstructionId, usize>,
}

/// What an instruction does to a slot.
enum Touch {
    Load(usize),
    Store(usize, Value),
    /// The variable begins or ends: it has no value.
    Reset(usize),
}

impl Promotion {
    fn new(slots: Vec<Slot>) -> Promotion {
        let by_alloca = slots
            .iter()
            .enumerate()
            .map(|(index, slot)| (slot.alloca, index))
            .collect();
        Promotion { slots, by_alloca }
    }

    fn slot(&self, pointer: Value) -> Option<usize> {
        self.by_alloca.get(&pointer.as_instruction()?).copied()
    }

    fn touch(&self, function: &Function, id: InstructionId) -> Option<Touch> {
        match function.instruction(id) {
            Instruction::Load { pointer, .. } => self.slot(*pointer).map(Touch::Load),
            Instruction::Store { pointer, value, .. } => self.slot(*pointer).map(|slot| Touch::Store(slot, *value)),
            Instruction::Alloca { .. } => self.slot(Value::Instruction(id)).map(Touch::Reset),
            instruction if intrinsics::is_lifetime(instruction) => instruction
                .operands()
                .iter()
                .find_map(|&operand| self.slot(operand))
                .map(Touch::Reset),
            _ => None,
        }
    }

    fn place_phis(&self, function: &mut Function, flow: &Flow, dominators: &Dominators) -> Phis {
        let mut definitions: Vec<Vec<u32>> = vec![Vec::new(); self.slots.len()];
        let mut live_in: Vec<Vec<u32>> = vec![Vec::new(); self.slots.len()];
        for block in flow.order() {
            let at = node(block);
            for id in function.instructions(block) {
                match self.touch(function, id) {
                    Some(Touch::Load(slot)) if definitions[slot].last() != Some(&at) => note(&mut live_in[slot], at),
                    Some(Touch::Store(slot, _) | Touch::Reset(slot)) => note(&mut definitions[slot], at),
                    Some(Touch::Load(_)) | None => {}
                }
            }
        }
        let mut phis = Phis::default();
        let nodes = flow.graph.len();
        let (mut memory, mut defined, mut live) = (FrontierMemory::new(nodes), Marks::new(nodes), Marks::new(nodes));
        for (index, slot) in self.slots.iter().enumerate() {
            if live_in[index].is_empty() {
                continue;
            }
            let definitions = &definitions[index];
            mark_live_blocks(flow, definitions, &live_in[index], &mut defined, &mut live);
            let name = function.name(Value::Instruction(slot.alloca)).map(str::to_owned);
            for join in dominators.iterated_frontier(&flow.graph, definitions, &mut memory, |at| live.contains(at)) {
                let Some(block) = flow.block(join) else { continue };
                let phi = Instruction::Phi {
                    flags: Flags::NONE,
                    incoming: SmallVec::new(),
                };
                let phi = function.prepend(block, phi, slot.ty);
                if let Some(name) = &name {
                    function.set_name(Value::Instruction(phi), name);
                }
                phis.entry(block).or_default().push((index, phi));
            }
        }
        phis
    }

    fn rename(&self, function: &mut Function, flow: &Flow, dominators: &Dominators, phis: &Phis) {
        if flow.graph.is_empty() {
            return;
        }
        let context = function.context().clone();
        let mut current: Vec<Value> = self
            .slots
            .iter()
            .map(|slot| Value::Constant(context.undef(slot.ty)))
            .collect();
        // What to restore on the way up; a block's changes stand above its mark.
        let mut undo: Vec<(usize, Value)> = Vec::new();
        let mut stack: Vec<(u32, usize, usize)> = vec![(dominators.root(), 0, 0)];
        self.rename_block(function, flow, dominators.root(), phis, &mut current, &mut undo);
        while let Some((at, next, mark)) = stack.last_mut() {
            if let Some(&child) = dominators.children(*at).get(*next) {
                *next += 1;
                let mark = undo.len();
                self.rename_block(function, flow, child, phis, &mut current, &mut undo);
                stack.push((child, 0, mark));
            } else {
                let mark = *mark;
                while undo.len() > mark {
                    if let Some((slot, value)) = undo.pop() {
                        current[slot] = value;
                    }
                }
                stack.pop();
            }
        }
    }

    fn rename_block(
        &self,
        function: &mut Function,
        flow: &Flow,
        at: u32,
        phis: &Phis,
        current: &mut [Value],
        undo: &mut Vec<(usize, Value)>,
    ) {
        let Some(block) = flow.block(at) else { return };
        let mut set = |slot: usize, value: Value, current: &mut [Value]| {
            undo.push((slot, current[slot]));
            current[slot] = value;
        };
        for &(slot, phi) in phis.get(&block).map_or(&[][..], |list| list) {
            set(slot, Value::Instruction(phi), current);
        }
        let mut next = function.first(block);
        while let Some(id) = next {
            next = function.next(id);
            match self.touch(function, id) {
                Some(Touch::Load(slot)) => function.replace_and_remove(id, current[slot]),
                Some(Touch::Store(slot, value)) => {
                    set(slot, value, current);
                    function.remove_instruction(id);
                }
                Some(Touch::Reset(slot)) => {
                    let undefined = function.context().undef(self.slots[slot].ty);
                    set(slot, Value::Constant(undefined), current);
                }
                None => {}
            }
        }
        let mut seen: SmallVec<[BlockId; 2]> = SmallVec::new();
        for successor in function.successors(block) {
            if seen.contains(&successor) {
                continue;
            }
            seen.push(successor);
            for &(slot, phi) in phis.get(&successor).map_or(&[][..], |list| list) {
                let value = current[slot];
                function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        incoming.push((block, value));
                    }
                });
            }
        }
    }

    /// Removes the allocas with what still uses them: markers, and accesses that control does not get to.
    fn remove(&self, function: &mut Function, flow: &Flow) {
        let unreached: Vec<BlockId> = function.blocks().filter(|&block| !flow.is_reached(block)).collect();
        // Phis have an entry for each predecessor, reached or not.
        for slot in &self.slots {
            let address = Value::Instruction(slot.alloca);
            for user in function.users(address) {
                let undefined = function.context().undef(function.result_type(user));
                match function.result_type(user) {
                    Type::Void => function.remove_instruction(user),
                    _ => function.replace_and_remove(user, Value::Constant(undefined)),
                }
            }
            function.remove_instruction(slot.alloca);
        }
        for block in unreached {
            let successors: FxHashSet<BlockId> = function.successors(block).into_iter().collect();
            let mut successors: Vec<BlockId> = successors.into_iter().collect();
            successors.sort_unstable();
            for successor in successors {
                complete_phis(function, successor, block);
            }
        }
    }
}

/// Gives phis that have no entry for a predecessor one without a value.
fn complete_phis(function: &mut Function, block: BlockId, from: BlockId) {
    for phi in function.phis(block).collect::<Vec<_>>() {
        let undefined = Value::Constant(function.context().undef(function.result_type(phi)));
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction
                && !incoming.iter().any(|(block, _)| *block == from)
            {
                incoming.push((from, undefined));
            }
        });
    }
}

/// Adds a block to a list, once if it is the last.
fn note(list: &mut Vec<u32>, at: u32) {
    if list.last() != Some(&at) {
        list.push(at);
    }
}

/// Marks the blocks at whose start a variable has a value that is still read.
fn mark_live_blocks(flow: &Flow, definitions: &[u32], live_in: &[u32], defined: &mut Marks, live: &mut Marks) {
    defined.clear();
    live.clear();
    for &at in definitions {
        defined.insert(at);
    }
    let mut work: Vec<u32> = live_in.to_vec();
    while let Some(at) = work.pop() {
        if !live.insert(at) {
            continue;
        }
        for &before in flow.graph.predecessors(at) {
            if !defined.contains(before) && !live.contains(before) {
                work.push(before);
            }
        }
    }
}

/// Removes phis that have one value besides themselves, and then those that this made so.
pub(crate) fn simplify_phis(function: &mut Function, phis: Vec<InstructionId>) -> bool {
    let mut work = phis;
    let mut changed = false;
    while let Some(phi) = work.pop() {
        if function.block_of(phi).is_none() {
            continue;
        }
        let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
            continue;
        };
        let own = Value::Instruction(phi);
        let mut others = incoming.iter().map(|(_, value)| *value).filter(|value| *value != own);
        let Some(first) = others.next() else { continue };
        if others.any(|value| value != first) {
            continue;
        }
        work.extend(
            function
                .users(own)
                .into_iter()
                .filter(|&user| user != phi && function.instruction(user).is_phi()),
        );
        function.replace_and_remove(phi, first);
        changed = true;
    }
    changed
}
