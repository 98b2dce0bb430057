//! What the later products of a group need is computed before the first of them, so that one arrival hands over everything that the group reads.

use rustc_hash::FxHashSet;
use warpsmith_sass::{Access, FieldName as F, Flow};

use super::{ENDS, Role, role};
use crate::ir::{Function, Instruction, Register};

/// Moves what writes registers of a group's later products before its first product, where nothing between stands against it: where it stays, the group
/// ends before it (`write_arrivals`).
pub(super) fn gather(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let code = std::mem::take(&mut function.blocks[block].code);
        function.blocks[block].code = gathered(code);
    }
}

fn gathered(code: Vec<Instruction>) -> Vec<Instruction> {
    let mut whole: Vec<usize> = Vec::with_capacity(code.len());
    let mut at = 0;
    while at < code.len() {
        match group(&code, at) {
            Some(last) => {
                whole.extend(order(&code[at..=last]).into_iter().map(|index| at + index));
                at = last + 1;
            }
            None => {
                whole.push(at);
                at += 1;
            }
        }
    }
    if whole.is_sorted() {
        return code;
    }
    let mut code: Vec<Option<Instruction>> = code.into_iter().map(Some).collect();
    whole.into_iter().filter_map(|index| code[index].take()).collect()
}

/// The last product of the group that begins with the product here, if there are more.
fn group(code: &[Instruction], first: usize) -> Option<usize> {
    let is_end = |at: usize| code[at].base.field(F::GroupScoreboard) == Some(ENDS);
    if role(&code[first]) != Role::Product || is_end(first) {
        return None;
    }
    let mut last = None;
    for (at, instruction) in code.iter().enumerate().skip(first + 1) {
        match role(instruction) {
            Role::Product => last = Some(at),
            Role::Other if instruction.base.flow() == Flow::None => continue,
            Role::Commit | Role::Wait(_) | Role::Arrive | Role::Other => break,
        }
        if is_end(at) {
            break;
        }
    }
    last
}

/// The order of a group's instructions, by their numbers: what its products need first.
fn order(group: &[Instruction]) -> Vec<usize> {
    let needed = needed(group);
    let (mut early, mut late) = (Vec::new(), Vec::new());
    let (mut read, mut written) = (FxHashSet::default(), FxHashSet::default());
    for (at, instruction) in group.iter().enumerate() {
        let touches = || instruction.touches().map(|touch| (touch.register, touch.access));
        let is_free = touches().all(|(register, access)| match access {
            Access::Read => !written.contains(&register),
            Access::Write | Access::ReadWrite => !written.contains(&register) && !read.contains(&register),
        });
        if needed[at] && is_free {
            early.push(at);
            continue;
        }
        for (register, access) in touches() {
            match access {
                Access::Read => _ = read.insert(register),
                Access::Write | Access::ReadWrite => _ = written.insert(register),
            }
        }
        late.push(at);
    }
    early.extend(late);
    early
}

/// Which instructions compute what general registers of products hold, with what that is computed from.
fn needed(group: &[Instruction]) -> Vec<bool> {
    let mut wanted: FxHashSet<Register> = FxHashSet::default();
    let mut needed = vec![false; group.len()];
    for (at, instruction) in group.iter().enumerate().rev() {
        if role(instruction) == Role::Product {
            let general = instruction
                .operands
                .iter()
                .filter(|operand| matches!(operand.field, F::Ra | F::Rc | F::Rd));
            wanted.extend(general.map(|operand| operand.register));
            continue;
        }
        let writes = |register| wanted.contains(&register);
        let is_pure = instruction.base.memory().is_empty() && instruction.effects.is_none();
        needed[at] = is_pure && { instruction.touches() }.any(|t| t.access != Access::Read && writes(t.register));
        if needed[at] {
            let reads = instruction.touches().filter(|touch| touch.access != Access::Write);
            wanted.extend(reads.map(|touch| touch.register));
        }
    }
    needed
}
