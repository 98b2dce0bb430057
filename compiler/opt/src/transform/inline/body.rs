//! Copying the body of a function into the place of a call.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{
    BlockId, Call, Context, Flags, Function, Instruction, InstructionId, LocationId, Symbols, TailCall, Type, Value,
};

use super::scopes::Scopes;
use crate::{address, analysis::flow::Flow, clone, intrinsics};

/// Calls in a block up to which what stands behind one may move for each of them.
const MANY: usize = 16;

/// Whether a call can be replaced by the body.
pub(super) fn can_inline(symbols: &Symbols, caller: &Function, call: InstructionId, callee: &Function) -> bool {
    let Some(what) = caller.instruction(call).as_call() else {
        return false;
    };
    super::is_fixed(symbols, callee.id())
        && !symbols.functions[callee.id()].is_kernel()
        && what.ty == callee.ty()
        && what.arguments.len() == callee.parameters().len()
        && what.tail != TailCall::Must
        && caller.block_of(call).is_some()
        && caller.next(call).is_some()
        && callee.entry().is_some()
        && callee.all_instructions().all(|id| can_copy(callee, id))
}

fn can_copy(callee: &Function, id: InstructionId) -> bool {
    match callee.instruction(id) {
        Instruction::IndirectBranch { .. } => false,
        // The frame of the caller would grow at each round of a loop.
        Instruction::Alloca { count, .. } => {
            address::constant_int(callee, *count).is_some() && callee.block_of(id) == callee.entry()
        }
        Instruction::Call(call) => call.tail != TailCall::Must,
        _ => true,
    }
}

/// Parts blocks behind calls of which several stand in one: the new blocks, by call.
pub(super) fn part(caller: &mut Function, calls: &[InstructionId]) -> FxHashMap<InstructionId, BlockId> {
    let mut parted = FxHashMap::default();
    for run in calls
        .chunk_by(|a, b| caller.block_of(*a) == caller.block_of(*b))
        .rev()
        .map(<[_]>::to_vec)
        .collect::<Vec<_>>()
    {
        for &call in run.iter().rev().filter(|_| run.len() > MANY) {
            let Some((before, next)) = caller.block_of(call).zip(caller.next(call)) else {
                continue;
            };
            let Some(after) = caller.split_before(next) else {
                continue;
            };
            caller.append(before, Instruction::Branch { target: after }, Type::Void);
            parted.insert(call, after);
        }
    }
    parted
}

/// Replaces a call by the body of its callee. [`can_inline`] must hold. `after` is the block behind the call, if [`part`] has made it.
pub(super) fn inline(
    caller: &mut Function,
    symbols: &Symbols,
    call: InstructionId,
    callee: &Function,
    after: Option<BlockId>,
) {
    let (Some(before), Some(next)) = (caller.block_of(call), caller.next(call)) else {
        return;
    };
    let Instruction::Call(what) = caller.instruction(call).clone() else {
        return;
    };
    let scopes = Scopes::new(caller, symbols, call, callee);
    let after = match after {
        Some(after) => {
            caller.remove_instruction(next);
            after
        }
        None => match caller.split_before(next) {
            Some(after) => after,
            None => return,
        },
    };
    let mut copy = Copy {
        caller,
        callee,
        call,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
        locations: FxHashMap::default(),
        arguments: Vec::new(),
        scopes,
        after,
        returns: Vec::new(),
    };
    copy.bind_arguments(symbols, &what);
    copy.body(before);
    copy.finish(&what);
}

struct Copy<'f> {
    caller: &'f mut Function,
    callee: &'f Function,
    call: InstructionId,
    values: FxHashMap<InstructionId, Value>,
    blocks: FxHashMap<BlockId, BlockId>,
    locations: FxHashMap<LocationId, LocationId>,
    arguments: Vec<Value>,
    scopes: Scopes,
    /// Where the callee returns to.
    after: BlockId,
    returns: Vec<(BlockId, Option<Value>)>,
}

impl Copy<'_> {
    /// Arguments by value get their copy, which the callee may change.
    fn bind_arguments(&mut self, symbols: &Symbols, what: &Call) {
        let declared = &symbols.functions[self.callee.id()].parameters;
        for (index, &argument) in what.arguments.iter().enumerate() {
            let at_call = what.argument_attributes.get(index);
            let attributes = at_call
                .filter(|attributes| attributes.byval.is_some())
                .or_else(|| declared.get(index));
            let Some((ty, align)) = attributes.and_then(|attributes| Some((attributes.byval?, attributes.align)))
            else {
                self.arguments.push(argument);
                continue;
            };
            let context = self.caller.context().clone();
            let align = align.max(context.alignment(ty));
            let alloca = Instruction::Alloca {
                ty,
                count: Value::Constant(context.int(32, 1)),
                align,
            };
            let Some(entry) = self.caller.entry() else { return };
            let pointer = self.caller.type_of(argument);
            let slot = Value::Instruction(self.caller.prepend(entry, alloca, pointer));
            let size = context.size(ty);
            intrinsics::insert_copy(self.caller, self.call, (slot, align), (argument, align), size);
            self.arguments.push(slot);
        }
    }

    fn body(&mut self, before: BlockId) {
        let callee = self.callee;
        let flow = Flow::new(callee);
        let mut last = before;
        for block in callee.blocks().filter(|&block| flow.is_reached(block)) {
            let copy = self.caller.insert_block_after(last);
            if let Some(name) = callee.block_name(block) {
                self.caller.set_block_name(copy, name);
            }
            self.blocks.insert(block, copy);
            last = copy;
        }
        // Definitions before uses, but for phis.
        for block in flow.order() {
            self.block(block);
        }
        for block in flow.order() {
            self.phis(block);
        }
        if let Some(&entry) = callee.entry().and_then(|entry| self.blocks.get(&entry)) {
            let branch = self
                .caller
                .append(before, Instruction::Branch { target: entry }, Type::Void);
            let location = self.caller.location(self.call);
            self.caller.set_location(branch, location);
        }
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Argument(number) => self.arguments.get(number as usize).copied().unwrap_or(value),
            Value::Instruction(id) => self.values.get(&id).copied().unwrap_or(value),
            Value::Constant(_) => value,
        }
    }

    fn block(&mut self, block: BlockId) {
        let Some(&target) = self.blocks.get(&block) else { return };
        let callee = self.callee;
        let is_entry = callee.entry() == Some(block);
        for id in callee.instructions(block) {
            let ty = callee.result_type(id);
            let copy = match callee.instruction(id) {
                Instruction::Return { value } => {
                    let value = value.map(|value| self.value(value));
                    self.returns.push((target, value));
                    let branch = Instruction::Branch { target: self.after };
                    self.caller.append(target, branch, Type::Void)
                }
                Instruction::Phi { flags, .. } => {
                    let phi = Instruction::Phi {
                        flags: *flags,
                        incoming: SmallVec::new(),
                    };
                    self.caller.append(target, phi, ty)
                }
                alloca @ Instruction::Alloca { .. } if is_entry => {
                    let Some(entry) = self.caller.entry() else { continue };
                    self.caller.prepend(entry, alloca.clone(), ty)
                }
                other => {
                    let mut instruction = other.clone();
                    clone::map(
                        &mut instruction,
                        |value| self.value(value),
                        |block| self.blocks.get(&block).copied().unwrap_or(block),
                    );
                    self.caller.append(target, instruction, ty)
                }
            };
            self.values.insert(id, Value::Instruction(copy));
            self.describe(id, copy);
        }
    }

    /// Attachments, name and place in the source.
    fn describe(&mut self, id: InstructionId, copy: InstructionId) {
        clone::describe(self.callee, id, self.caller, copy);
        self.scopes.describe(self.callee, id, self.caller, copy);
        let call_location = self.caller.location(self.call);
        let location = match (self.callee.location(id), call_location) {
            (Some(inner), Some(at)) => {
                let context = self.caller.context().clone();
                Some(
                    *self
                        .locations
                        .entry(inner)
                        .or_insert_with(|| inlined(&context, inner, at)),
                )
            }
            (Some(inner), None) => Some(inner),
            (None, at) => at,
        };
        self.caller.set_location(copy, location);
    }

    fn phis(&mut self, block: BlockId) {
        let callee = self.callee;
        for phi in callee.phis(block) {
            let Instruction::Phi { incoming, .. } = callee.instruction(phi) else {
                continue;
            };
            // Entries for blocks that control does not get to have no copy.
            let entries: SmallVec<[(BlockId, Value); 2]> = incoming
                .iter()
                .filter_map(|(from, value)| Some((*self.blocks.get(from)?, self.value(*value))))
                .collect();
            let Some(copy) = self.value(Value::Instruction(phi)).as_instruction() else {
                continue;
            };
            self.caller.update(copy, |instruction| {
                if let Instruction::Phi { incoming, .. } = instruction {
                    *incoming = entries;
                }
            });
        }
    }

    /// The result of the call, and the call itself goes.
    fn finish(self, what: &Call) {
        let context = self.caller.context().clone();
        let ty = context.function_data(what.ty).result;
        let result = match (&self.returns[..], ty) {
            (_, Type::Void) => None,
            ([], _) => Some(Value::Constant(context.poison(ty))),
            ([(_, value)], _) => *value,
            (returns, _) => {
                let incoming = returns
                    .iter()
                    .filter_map(|&(block, value)| Some((block, value?)))
                    .collect();
                let flags = Flags::NONE;
                Some(Value::Instruction(self.caller.prepend(
                    self.after,
                    Instruction::Phi { flags, incoming },
                    ty,
                )))
            }
        };
        match result {
            Some(value) => self.caller.replace_and_remove(self.call, value),
            None => self.caller.remove_instruction(self.call),
        }
    }
}

/// A place in the callee, inlined at the place of a call.
fn inlined(context: &Context, inner: LocationId, at: LocationId) -> LocationId {
    let mut chain = vec![*context.location_data(inner)];
    while let Some(next) = chain.last().and_then(|location| location.inlined_at) {
        chain.push(*context.location_data(next));
    }
    chain.into_iter().rev().fold(at, |at, mut location| {
        location.inlined_at = Some(at);
        context.location(location)
    })
}
