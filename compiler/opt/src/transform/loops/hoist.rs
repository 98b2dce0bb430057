//! Loop-invariant code: what is the same in every round is computed before the loop, and memory that a loop reads and writes at one address is kept in a
//! register meanwhile.

use warpsmith_ir::{Access, BlockId, Function, Instruction, InstructionId, Type, Value};

use super::Nest;
use crate::{
    analysis::{
        alias::{self, Alias, Aliases, Location},
        effects,
        flow::node,
    },
    pipeline::Unit,
    transform::promote,
};

/// Loops with more instructions that write are taken to write everything.
const MOST_WRITERS: usize = 48;

/// The pass. Loops have the form of [`super::shape`].
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let mut changed = false;
    // Inner loops first: what leaves one may leave the next.
    for index in (0..nest.loops.len()).rev() {
        let Some(preheader) = nest.preheader(index) else {
            continue;
        };
        changed |= Hoister::new(function, unit, &nest, index).run(preheader);
    }
    // Loops of one depth have nothing to do with each other: what is kept for them becomes values all at once.
    let mut by_depth: Vec<Vec<usize>> = Vec::new();
    for index in (0..nest.loops.len()).rev() {
        let depth = nest.loops.get(index).depth as usize;
        by_depth.resize_with(by_depth.len().max(depth), Vec::new);
        by_depth[depth - 1].push(index);
    }
    for loops in by_depth.into_iter().rev() {
        let mut slots: Vec<InstructionId> = Vec::new();
        for index in loops {
            changed |= keep_in_registers(function, unit, &nest, index, &mut slots);
        }
        if !slots.is_empty() {
            promote::promote_all(function, &slots);
        }
    }
    changed
}

struct Hoister<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
    nest: &'f Nest,
    index: usize,
    aliases: Aliases<'f>,
    writers: Vec<InstructionId>,
    /// Whether a call in the loop may not return.
    may_not_return: bool,
}

impl<'f, 'u> Hoister<'f, 'u> {
    fn new(function: &'f mut Function, unit: &'f Unit<'u>, nest: &'f Nest, index: usize) -> Hoister<'f, 'u> {
        let mut writers = Vec::new();
        let mut may_not_return = false;
        for block in nest.blocks(index) {
            for id in function.instructions(block) {
                if effects::may_write(unit.symbols, function, id) {
                    writers.push(id);
                }
                if let Instruction::Call(call) = function.instruction(id) {
                    may_not_return |= !effects::of_call(unit.symbols, call).returns;
                }
            }
        }
        Hoister {
            function,
            unit,
            nest,
            index,
            aliases: Aliases::new(unit.symbols),
            writers,
            may_not_return,
        }
    }

    fn run(self, preheader: BlockId) -> bool {
        let mut changed = false;
        for block in self.nest.blocks(self.index) {
            let ids: Vec<InstructionId> = self.function.instructions(block).collect();
            for id in ids {
                if self.is_invariant(id) && self.can_hoist(block, id) && self.unit.fuel.take() {
                    let Some(end) = self.function.terminator(preheader) else {
                        return changed;
                    };
                    if !self.always_runs(block) {
                        self.function.update_attachments(id, |all| *all = Default::default());
                    }
                    self.function.move_before(id, end);
                    changed = true;
                }
            }
        }
        changed
    }

    fn is_outside(&self, value: Value) -> bool {
        match value {
            Value::Instruction(id) => self
                .function
                .block_of(id)
                .is_some_and(|block| !self.nest.contains(self.index, block)),
            Value::Argument(_) | Value::Constant(_) => true,
        }
    }

    fn is_invariant(&self, id: InstructionId) -> bool {
        let instruction = self.function.instruction(id);
        !instruction.is_phi()
            && !instruction.is_terminator()
            && instruction
                .operands()
                .into_iter()
                .all(|operand| self.is_outside(operand))
    }

    /// Whether a block runs in the first round, whenever the loop is entered.
    fn always_runs(&self, block: BlockId) -> bool {
        always_runs(self.nest, self.index, block) && !self.may_not_return
    }

    fn can_hoist(&self, block: BlockId, id: InstructionId) -> bool {
        let symbols = self.unit.symbols;
        let instruction = self.function.instruction(id);
        match instruction {
            Instruction::Load { pointer, access } => {
                let location = Location {
                    pointer: *pointer,
                    size: Some(self.function.context().store_size(self.function.result_type(id))),
                    access: Some(id),
                };
                access.is_simple()
                    && (self.always_runs(block) || effects::is_speculatable(symbols, self.function, id))
                    && self.is_unchanged(&location)
            }
            Instruction::Call(call) => {
                let effects = effects::of_call(symbols, call);
                let may_move = effects.speculatable || self.always_runs(block) && effects.returns;
                effects.memory.is_none() && !effects.convergent && may_move
            }
            Instruction::Alloca { .. } | Instruction::Freeze { .. } => false,
            _ => {
                effects::memory(symbols, self.function, id).is_none()
                    && (effects::is_speculatable(symbols, self.function, id) || self.always_runs(block))
            }
        }
    }

    fn is_unchanged(&self, location: &Location) -> bool {
        if self.aliases.is_invariant(self.function, location.pointer) {
            return true;
        }
        self.writers.len() <= MOST_WRITERS
            && self
                .writers
                .iter()
                .all(|&id| !touches_in_any_round(self.function, &self.aliases, id, location).writes)
    }
}

/// What an instruction in a loop may do to a location that is the same in all rounds. Addresses of the instruction that change from round to round are
/// compared by what they are computed from; the analysis does so, as the location is made outside.
fn touches_in_any_round(
    function: &Function,
    aliases: &Aliases<'_>,
    id: InstructionId,
    location: &Location,
) -> alias::Touches {
    aliases.touches(function, id, location)
}

/// Whether a block runs whenever the loop is entered, if everything before it in the loop returns.
fn always_runs(nest: &Nest, index: usize, block: BlockId) -> bool {
    let dominates = |other: BlockId| nest.dominators.dominates(node(block), node(other));
    nest.exits(index).iter().all(|(from, _)| dominates(*from)) && nest.latch(index).is_some_and(dominates)
}

/// Memory at an address that the loop does not change, read and written by it and by nothing else in it, is loaded before the loop and stored behind it. In the loop
/// a variable stands for it, which goes to `slots`.
fn keep_in_registers(
    function: &mut Function,
    unit: &Unit<'_>,
    nest: &Nest,
    index: usize,
    slots: &mut Vec<InstructionId>,
) -> bool {
    let Some(preheader) = nest.preheader(index) else {
        return false;
    };
    let mut changed = false;
    let mut tried: Vec<Value> = Vec::new();
    while let Some(cell) = find_cell(function, unit, nest, index, &mut tried) {
        if !unit.fuel.take() {
            break;
        }
        changed = true;
        if let Some(slot) = move_to_register(function, nest, index, preheader, &cell) {
            tried.push(Value::Instruction(slot));
            slots.push(slot);
        }
    }
    changed
}

/// A place in memory that a loop can keep in a register.
struct Cell {
    pointer: Value,
    ty: Type,
    access: Access,
    uses: Vec<InstructionId>,
}

fn find_cell(function: &Function, unit: &Unit<'_>, nest: &Nest, index: usize, tried: &mut Vec<Value>) -> Option<Cell> {
    let blocks = nest.blocks(index);
    let accesses: Vec<InstructionId> = blocks
        .iter()
        .flat_map(|&block| function.instructions(block))
        .filter(|&id| !effects::memory(unit.symbols, function, id).is_none())
        .collect();
    if accesses.len() > 2 * MOST_WRITERS {
        return None;
    }
    let aliases = Aliases::new(unit.symbols);
    for &id in &accesses {
        let Instruction::Store { pointer, value, access } = *function.instruction(id) else {
            continue;
        };
        if tried.contains(&pointer) || !access.is_simple() {
            continue;
        }
        let is_outside = match pointer {
            Value::Instruction(id) => function.block_of(id).is_some_and(|block| !nest.contains(index, block)),
            _ => true,
        };
        if !is_outside {
            continue;
        }
        tried.push(pointer);
        let ty = function.type_of(value);
        let location = Location {
            pointer,
            size: Some(function.context().store_size(ty)),
            // What is known of an access is known if it happens.
            access: function
                .block_of(id)
                .is_some_and(|block| always_runs(nest, index, block))
                .then_some(id),
        };
        if let Some(uses) = uses_of_cell(function, unit, nest, index, &aliases, &accesses, &location, ty) {
            return Some(Cell {
                pointer,
                ty,
                access,
                uses,
            });
        }
    }
    None
}

/// The accesses of a cell in a loop, if nothing else there touches it and a store of it runs whenever the loop does: other threads must not see a write that
/// the program does not make.
#[allow(clippy::too_many_arguments)]
fn uses_of_cell(
    function: &Function,
    unit: &Unit<'_>,
    nest: &Nest,
    index: usize,
    aliases: &Aliases<'_>,
    accesses: &[InstructionId],
    location: &Location,
    ty: Type,
) -> Option<Vec<InstructionId>> {
    let pointer = location.pointer;
    // Nobody else sees memory of the function's own: there it does not matter whether a store happens that the program does not make, nor whether a call returns.
    let is_own = aliases.is_private(function, pointer)
        && effects::is_dereferenceable(unit.symbols, function, pointer, location.size.unwrap_or(u64::MAX));
    let mut uses = Vec::new();
    let mut is_stored = false;
    for &id in accesses {
        let same = match function.instruction(id) {
            Instruction::Load { pointer: at, access } => {
                *at == pointer && access.is_simple() && function.result_type(id) == ty
            }
            Instruction::Store {
                pointer: at,
                value,
                access,
            } => *at == pointer && access.is_simple() && function.type_of(*value) == ty && *value != pointer,
            Instruction::Call(call) if !is_own && !effects::of_call(unit.symbols, call).returns => return None,
            _ => false,
        };
        if same {
            let is_store = matches!(function.instruction(id), Instruction::Store { .. });
            is_stored |= is_store
                && (is_own
                    || function
                        .block_of(id)
                        .is_some_and(|block| always_runs(nest, index, block)));
            uses.push(id);
            continue;
        }
        let touches = aliases.touches(function, id, location);
        if touches.reads || touches.writes {
            return None;
        }
        if let Some(other) = alias::location(function, id)
            && aliases.alias(function, &other, location) != Alias::No
        {
            return None;
        }
    }
    let exits_are_own = nest.exits(index).iter().all(|(_, to)| {
        let mut before = nest.flow.predecessors(*to);
        before.all(|block| nest.contains(index, block))
    });
    (is_stored && exits_are_own && uses.len() > 1).then_some(uses)
}

fn move_to_register(
    function: &mut Function,
    nest: &Nest,
    index: usize,
    preheader: BlockId,
    cell: &Cell,
) -> Option<InstructionId> {
    let (entry, end) = (function.entry()?, function.terminator(preheader)?);
    let context = function.context().clone();
    let alloca = Instruction::Alloca {
        ty: cell.ty,
        count: Value::Constant(context.int(32, 1)),
        align: context.alignment(cell.ty),
    };
    let slot_id = function.prepend(entry, alloca, Type::POINTER);
    let slot = Value::Instruction(slot_id);
    let plain = Access::aligned(context.alignment(cell.ty));
    let load = |pointer: Value, access: Access| Instruction::Load { pointer, access };
    let store = |pointer: Value, value: Value, access: Access| Instruction::Store { pointer, value, access };
    let first = Value::Instruction(function.insert_before(end, load(cell.pointer, cell.access), cell.ty));
    function.insert_before(end, store(slot, first, plain), Type::Void);
    for &id in &cell.uses {
        function.update(id, |instruction| {
            if let Instruction::Load { pointer, access } | Instruction::Store { pointer, access, .. } = instruction {
                *pointer = slot;
                *access = plain;
            }
        });
    }
    let mut exits: Vec<BlockId> = nest.exits(index).into_iter().map(|(_, to)| to).collect();
    exits.sort_unstable();
    exits.dedup();
    for exit in exits {
        let Some(at) = function.first_after_phis(exit) else {
            continue;
        };
        let value = Value::Instruction(function.insert_before(at, load(slot, plain), cell.ty));
        function.insert_before(at, store(cell.pointer, value, cell.access), Type::Void);
    }
    Some(slot_id)
}
