//! Calls of a function to itself that are the last thing it does become jumps to its start: a loop needs no frames.
//!
//! Not in functions with memory of their own (a round would find what the one before left in it), with arguments that are said to be the only way to their
//! objects (that holds for one call, not for all rounds), or in which threads run something together.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Callee, Flags, Function, Instruction, InstructionId, TailCall, Type, Value};

use crate::{analysis::effects, pipeline::Unit};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    if !is_suitable(function, unit) {
        return false;
    }
    let calls: Vec<Last> = function
        .blocks()
        .filter_map(|block| last_call(function, block))
        .collect();
    if calls.is_empty() || !unit.fuel.take() {
        return false;
    }
    let Some((head, phis)) = open_head(function) else {
        return false;
    };
    for last in calls {
        jump(function, &last, head, &phis);
    }
    // What holds for one call does not hold for all rounds.
    for id in function.all_instructions().collect::<Vec<_>>() {
        if function.attachments(id).is_some() {
            function.update_attachments(id, |all| {
                all.alias_scopes.clear();
                all.noalias_scopes.clear();
            });
        }
    }
    true
}

/// A call of the function to itself behind which it only returns.
struct Last {
    call: InstructionId,
    block: BlockId,
    /// The block that the return is in, if it is another.
    join: Option<BlockId>,
    arguments: Vec<Value>,
}

fn is_suitable(function: &Function, unit: &Unit<'_>) -> bool {
    let declaration = &unit.symbols.functions[function.id()];
    let data = function.context().function_data(function.ty());
    let simple = declaration
        .parameters
        .iter()
        .all(|all| all.byval.is_none() && all.sret.is_none() && !all.noalias);
    if declaration.is_kernel() || declaration.linkage.is_interposable() || data.variadic || !simple {
        return false;
    }
    let mut calls_itself = false;
    for id in function.all_instructions() {
        match function.instruction(id) {
            Instruction::Alloca { .. } => return false,
            Instruction::Call(call) => {
                let is_own = matches!(call.callee, Callee::Function(callee) if callee == function.id());
                calls_itself |= is_own;
                // The function itself counts as what the rest of it is.
                if !is_own && effects::is_convergent(unit.symbols, function, id) {
                    return false;
                }
            }
            _ => {}
        }
    }
    calls_itself
}

fn last_call(function: &Function, block: BlockId) -> Option<Last> {
    let end = function.terminator(block)?;
    let call = function.previous(end)?;
    let Instruction::Call(what) = function.instruction(call) else {
        return None;
    };
    let is_own = matches!(what.callee, Callee::Function(callee) if callee == function.id());
    if !is_own || what.ty != function.ty() || what.tail == TailCall::Must || what.tail == TailCall::Never {
        return None;
    }
    let own = Value::Instruction(call);
    let returns = |value: Option<Value>| match value {
        Some(value) => value == own && function.use_count(own) == 1,
        None => function.use_count(own) == 0,
    };
    let join = match *function.instruction(end) {
        Instruction::Return { value } if returns(value) => None,
        Instruction::Branch { target } if target != block => {
            // Nothing but a return of what comes from here.
            let last = function.first_after_phis(target)?;
            let Instruction::Return { value } = *function.instruction(last) else {
                return None;
            };
            let from_here = match value {
                Some(Value::Instruction(phi)) if function.block_of(phi) == Some(target) => {
                    match function.instruction(phi) {
                        Instruction::Phi { incoming, .. } => {
                            let entry = incoming.iter().find(|(from, _)| *from == block)?;
                            Some(entry.1)
                        }
                        _ => None,
                    }
                }
                other => other,
            };
            if !returns(from_here) {
                return None;
            }
            Some(target)
        }
        _ => return None,
    };
    Some(Last {
        call,
        block,
        join,
        arguments: what.arguments.to_vec(),
    })
}

/// Puts a block before the first one, and phis for the arguments into that.
fn open_head(function: &mut Function) -> Option<(BlockId, Vec<InstructionId>)> {
    let head = function.entry()?;
    let start = function.create_block();
    function.place_block(start, None);
    let parameters: Vec<Type> = function.parameters().to_vec();
    let mut phis = Vec::with_capacity(parameters.len());
    for (number, &ty) in parameters.iter().enumerate().rev() {
        let argument = Value::Argument(number as u32);
        let phi = Instruction::Phi {
            flags: Flags::NONE,
            incoming: SmallVec::new(),
        };
        let phi = function.prepend(head, phi, ty);
        function.replace_all_uses(argument, Value::Instruction(phi));
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.push((start, argument));
            }
        });
        phis.push(phi);
    }
    phis.reverse();
    function.append(start, Instruction::Branch { target: head }, Type::Void);
    Some((head, phis))
}

/// Goes to the head in place of calling. Arguments of the call may have been replaced by phis of the head meanwhile.
fn jump(function: &mut Function, last: &Last, head: BlockId, phis: &[InstructionId]) {
    for (number, &phi) in phis.iter().enumerate() {
        let given = match last.arguments.get(number) {
            Some(Value::Argument(argument)) => match phis.get(*argument as usize) {
                Some(&phi) => Value::Instruction(phi),
                None => continue,
            },
            Some(&value) => value,
            None => continue,
        };
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.push((last.block, given));
            }
        });
    }
    if let Some(join) = last.join {
        function.remove_phi_entries(join, last.block);
    }
    if let Some(end) = function.terminator(last.block) {
        let location = function.location(last.call);
        function.replace_instruction(end, Instruction::Branch { target: head }, Type::Void);
        function.set_location(end, location);
    }
    function.remove_instruction(last.call);
}
