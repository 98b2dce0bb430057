//! Joining registers with tuples that copies move them to and from, before anything is allocated.
//!
//! What allocation would put into one physical register gets one virtual register: copies between the two are gone, and no later pass brings them back.

use super::{
    Files, InPlace, Loops,
    bundle::{Bundles, Long},
    copies, copy_of,
    ranges::split_into_webs,
    touches::Touches,
};
use crate::ir::{Function, Register};

/// How much rather copies from and to the chosen tuples are saved than others.
const FIRST: u32 = 1 << 24;

/// Joins what is copied to or from the tuples that `chosen` names once registers are split into webs. Gives whether anything was.
pub(crate) fn join(function: &mut Function, chosen: &dyn Fn(&Function) -> Vec<bool>) -> bool {
    let mut touches = Touches::of(function);
    let stack = function.stack;
    let ranges = split_into_webs(function, &mut touches, stack);
    let chosen = chosen(function);
    let Ok(mut bundles) = Bundles::of(function, &touches, &ranges) else {
        return false;
    };
    let named = named_outside(function);
    let loops = Loops::of(function);
    let mut copies = copies(function, &loops, InPlace::Nothing);
    copies.retain(|copy| !named[copy.to.0 as usize] && !named[copy.from.0 as usize]);
    for copy in &mut copies {
        if chosen[copy.to.0 as usize] || chosen[copy.from.0 as usize] {
            copy.weight += FIRST;
        }
    }
    bundles.coalesce(&mut copies, &mut Files::new(), Long::Anywhere);
    // The register whose words are those of the whole bundle comes first.
    let mut place: Vec<Option<(Register, u8)>> = vec![None; function.registers.len()];
    let mut any = false;
    for bundle in &bundles.list {
        let Some((first, _)) = bundle.members.first() else {
            continue;
        };
        if bundle.members.len() < 2 || !bundle.members.iter().any(|(member, _)| chosen[*member as usize]) {
            continue;
        }
        for (member, offset) in &bundle.members {
            place[*member as usize] = Some((Register(*first), *offset as u8));
        }
        // Of the others something may be needed.
        function.registers[*first as usize].fleeting = false;
        any = true;
    }
    if any {
        rename(function, &place);
    }
    any
}

/// Registers that must stay what they are: what the calling convention places or names.
fn named_outside(function: &Function) -> Vec<bool> {
    let mut named: Vec<bool> = function.registers.iter().map(|info| info.fixed.is_some()).collect();
    let effects = function
        .blocks
        .iter()
        .flat_map(|block| &block.code)
        .filter_map(|instruction| instruction.effects.as_deref());
    let from_effects = effects.flat_map(|effects| effects.reads.iter().chain(&effects.writes));
    for register in from_effects.map(|(register, _)| *register) {
        named[register.0 as usize] = true;
    }
    let special = function.stack.iter().chain(&function.frame).chain(&function.arguments);
    for register in special {
        named[register.0 as usize] = true;
    }
    named
}

/// Puts words of tuples into the place of registers, and takes out copies of a word to itself.
fn rename(function: &mut Function, place: &[Option<(Register, u8)>]) {
    for block in &mut function.blocks {
        for operand in block.code.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            if let Some((register, offset)) = place[operand.register.0 as usize] {
                operand.register = register;
                operand.word += offset;
            }
        }
        block
            .code
            .retain(|instruction| copy_of(instruction).is_none_or(|(to, from)| to != from));
    }
}
