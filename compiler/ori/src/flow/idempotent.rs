//! What several threads of a warp may as well do once: to start an mbarrier object with the same words at the same address.
//!
//! `SYNCS.EXCH` runs once for the warp, with operands in uniform registers, and is written as a loop with a turn for each address that threads have.
//! Programs give one address: where it is known to be the same in all threads, the loop goes round once, and no thread needs to be alone for it.

use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode as O};

use super::{
    layout,
    predicate::{self, Homes},
    shape::{End, Shape},
    varying::Varying,
};
use crate::{
    ir::{Function, Instruction, Register, Touch},
    optimise::remove_dead,
    phase::Context,
};

/// Whether an instruction starts an object, and gives nothing back.
pub(super) fn is_start(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::Syncs
        && instruction.base.form().name == "64.UR_AU_UR"
        && instruction.effects.is_none()
        && written(instruction).next().is_none()
}

/// Whether a node starts objects, and with the same words in all threads that come to it.
pub(super) fn starts_alike(varying: &Varying, code: &[Instruction]) -> bool {
    let mut wanted: SmallVec<[Register; 8]> = SmallVec::new();
    for (index, instruction) in code.iter().enumerate().rev() {
        let gives = written(instruction).any(|touch| wanted.contains(&touch.register));
        if !is_start(instruction) && !gives {
            continue;
        }
        if instruction.guard.is_some() || !is_start(instruction) && !is_computed(instruction) {
            return false;
        }
        for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
            // Uniform registers that are written here are the same as soon as what they are computed from is.
            let wants = predicate::mask(touch.word, touch.words);
            let own = code[..index].iter().flat_map(written);
            let given = own
                .filter(|other| other.register == touch.register)
                .fold(0, |all, other| all | predicate::mask(other.word, other.words));
            match given & wants {
                0 if varying.differs(touch.register, touch.word, touch.words) => return false,
                0 => {}
                known if known == wants => wanted.push(touch.register),
                _ => return false,
            }
        }
    }
    code.iter().any(is_start)
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Touch> + '_ {
    instruction.touches().filter(|touch| touch.access != Access::Read)
}

/// Whether an instruction does nothing but compute, from its operands alone.
fn is_computed(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::R2ur || predicate::is_pure(instruction)
}

/// Takes the turns out of loops that start objects.
pub(super) fn start_once(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !function.blocks.iter().flat_map(|block| &block.code).any(is_start) {
        return Ok(());
    }
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let flow = shape.flow();
    let varying = Varying::of(function, &shape, &flow);
    let homes = Homes::of(function, &shape);
    let mut changed = false;
    for &node in &flow.order {
        let End::Branch(branch) = &shape.nodes[node].end else {
            continue;
        };
        let on = match (branch.taken == node, branch.other == node) {
            (true, false) => branch.other,
            (false, true) => branch.taken,
            (true, true) | (false, false) => continue,
        };
        let code = &shape.nodes[node].code;
        // What else is there is for the loop alone.
        let is_for_turns = |instruction: &Instruction| {
            is_computed(instruction) && written(instruction).all(|touch| homes.is_only_in(touch.register, node))
        };
        if !code
            .iter()
            .all(|instruction| is_start(instruction) || is_for_turns(instruction))
            || !starts_alike(&varying, code)
            || !context.fuel.take()
        {
            continue;
        }
        shape.nodes[node].end = End::Jump(on);
        changed = true;
    }
    layout::place(shape, function);
    if changed {
        remove_dead(function, context)?;
    }
    Ok(())
}
