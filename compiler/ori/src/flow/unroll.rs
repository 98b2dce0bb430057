//! Loops that are gone round a few times, always as often, are written out.
//!
//! A loop of one node is counted where it is left on a comparison of a register that is set to a constant before the loop and changed by a constant once a round.
//! The rounds are found by doing so, in 32-bit arithmetic as the machine does.

use warpsmith_sass::{
    Access, FieldName, Opcode,
    tables::{Cmp, Combine},
};

use super::shape::{Branch, End, Shape};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// The most rounds that are written out.
const ROUNDS: usize = 32;
/// The most instructions that a loop may become.
const SIZE: usize = 320;

/// Writes out loops.
pub(crate) fn unroll(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    // Most functions have no loop of one block.
    let goes_round = |(index, block): (usize, &crate::ir::Block)| {
        let mut targets = block.code.iter().filter_map(|instruction| instruction.target);
        targets.any(|target| target.0 as usize == index)
    };
    if !function.blocks.iter().enumerate().any(goes_round) {
        return Ok(());
    }
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let flow = shape.flow();
    let entries = shape.entries();
    let mut changed = false;
    for number in 0..flow.loops.len() {
        let around = &flow.loops[number];
        let header = around.header;
        if around.blocks.len() != 1 || shape.pinned[header] || is_kept(function, &shape.nodes[header].code) {
            continue;
        }
        let mut before = flow.predecessors[header].iter().filter(|from| **from != header);
        let (Some(&entrance), None) = (before.next(), before.next()) else {
            continue;
        };
        let Some(rounds) = rounds(function, &shape, (&flow, &entries), (header, entrance)) else {
            continue;
        };
        let size = shape.nodes[header].code.len();
        if rounds > ROUNDS || rounds * size > SIZE || !context.fuel.take() {
            continue;
        }
        let End::Branch(Branch { taken, other, .. }) = shape.nodes[header].end else {
            continue;
        };
        let out = if taken == header { other } else { taken };
        let once = shape.nodes[header].code.clone();
        let code = &mut shape.nodes[header].code;
        code.reserve(once.len() * rounds.saturating_sub(1));
        for _ in 1..rounds {
            code.extend(once.iter().cloned());
        }
        shape.nodes[header].end = End::Jump(out);
        changed = true;
    }
    if changed {
        super::clean::clean(&mut shape, context.fuel);
    }
    super::layout::place(shape, function);
    // What each round writes gets names of its own.
    match changed {
        true => crate::optimise::split_webs(function, context),
        false => Ok(()),
    }
}

/// Whether the program says that the loop is not to be written out, or it may not be: what the lanes of a warp do together is not repeated.
fn is_kept(function: &Function, code: &[Instruction]) -> bool {
    code.iter().any(|instruction| {
        function.kept_loops.binary_search(&instruction.place).is_ok()
            || instruction.target.is_some()
            || !matches!(
                instruction.base.flow(),
                warpsmith_sass::Flow::None | warpsmith_sass::Flow::Barrier
            )
    })
}

/// How often a loop of one node is gone round, if that is known.
fn rounds(
    function: &Function,
    shape: &Shape,
    (flow, entries): (&ControlFlow, &[u32]),
    (header, entrance): (usize, usize),
) -> Option<usize> {
    let End::Branch(branch) = &shape.nodes[header].end else {
        return None;
    };
    let condition = branch.condition()?;
    let goes_on = condition.negated != (branch.taken == header);
    let code = &shape.nodes[header].code;
    let (at, comparison) = only_definition(code, condition.register)?;
    let (counter, bound, how, signed) = comparison_of(comparison, condition.register)?;
    let (step_at, step) = only_definition(code, counter)?;
    let step = step_of(step, counter)?;
    let mut value = start(shape, (flow, entries), entrance, counter)?;
    if function.info(counter).words != 1 {
        return None;
    }
    for round in 1..=ROUNDS {
        let next = value.wrapping_add(step);
        let seen = if step_at < at { next } else { value };
        value = next;
        let holds = if signed {
            compare(how, (seen as i32).cmp(&(bound as i32)))
        } else {
            compare(how, seen.cmp(&bound))
        }?;
        if holds != goes_on {
            return Some(round);
        }
    }
    None
}

/// The only instruction that writes a register, if it does so in all threads.
fn only_definition(code: &[Instruction], register: Register) -> Option<(usize, &Instruction)> {
    let mut found = code
        .iter()
        .enumerate()
        .filter(|(_, instruction)| writes(instruction, register));
    let only = found.next()?;
    (found.next().is_none() && only.1.guard.is_none()).then_some(only)
}

fn writes(instruction: &Instruction, register: Register) -> bool {
    instruction
        .touches()
        .any(|touch| touch.register == register && touch.access != Access::Read)
}

/// A comparison of a register with a constant: the register, the constant, how, and whether as signed numbers.
fn comparison_of(instruction: &Instruction, result: Register) -> Option<(Register, u32, Cmp, bool)> {
    let base = &instruction.base;
    if base.opcode() != Opcode::Isetp {
        return None;
    }
    let bound = base.field(FieldName::Imm).map(|value| value as u32);
    // Three operands: the predicate written, the register, and nothing else that could decide.
    let [first, second] = &instruction.operands[..] else {
        return None;
    };
    let (to, from) = if first.field == FieldName::Pu {
        (first, second)
    } else {
        (second, first)
    };
    let plain = to.field == FieldName::Pu && to.register == result && from.field == FieldName::Ra;
    let input = base.field(FieldName::Pp) == Some(7) && base.modifier::<Combine>()? == Combine::And;
    let text = base.to_string();
    if !plain || !input || text.contains(".EX") || text.contains("!PT") {
        return None;
    }
    let signed = !text.contains(".U32");
    Some((from.register, bound?, base.modifier::<Cmp>()?, signed))
}

/// What a counter changes by in one round.
fn step_of(instruction: &Instruction, counter: Register) -> Option<u32> {
    let base = &instruction.base;
    // A sum of the register and an immediate: no other operand, nothing negated.
    let sum = matches!(base.opcode(), Opcode::Iadd3 | Opcode::Viadd);
    let fields = instruction.operands.len() == 2
        && instruction
            .operands
            .iter()
            .all(|operand| operand.register == counter && matches!(operand.field, FieldName::Rd | FieldName::Ra));
    let altered = base.registers().any(|register| register.negated || register.inverted);
    let modified = base
        .to_string()
        .split_whitespace()
        .next()
        .is_none_or(|name| name.contains('.'));
    if !sum || !fields || altered || modified {
        return None;
    }
    base.field(FieldName::Imm).map(|value| value as u32)
}

/// What a register holds at the start of a loop: a constant that is moved to it on the only way there.
fn start(shape: &Shape, (flow, entries): (&ControlFlow, &[u32]), entrance: usize, counter: Register) -> Option<u32> {
    let mut at = entrance;
    for _ in 0..16 {
        let last = shape.nodes[at]
            .code
            .iter()
            .rfind(|instruction| writes(instruction, counter));
        if let Some(instruction) = last {
            let moved = instruction.base.opcode() == Opcode::Mov
                && instruction.guard.is_none()
                && instruction.reference.is_none()
                && instruction.operands.len() == 1;
            if !moved {
                return None;
            }
            return match instruction.base.form().name {
                "R_I" => instruction.base.field(FieldName::Imm).map(|value| value as u32),
                // RZ
                "R_R" => Some(0),
                _ => None,
            };
        }
        if entries[at] != 1 || at == 0 {
            return None;
        }
        // The only way there.
        at = *flow.predecessors[at].iter().find(|from| flow.reached[**from])?;
    }
    None
}

fn compare(how: Cmp, order: std::cmp::Ordering) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(match how {
        Cmp::Lt => order == Less,
        Cmp::Le => order != Greater,
        Cmp::Gt => order == Greater,
        Cmp::Ge => order != Less,
        Cmp::Eq => order == Equal,
        Cmp::Ne => order != Equal,
        _ => return None,
    })
}
