//! Copies between uniform registers that nobody needs: a value that was brought to where an operand has to stand is computed there at once, or read where it was
//! computed; what several tuples have a copy of is computed in each of them.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::{shape::Shape, uniform_hoist, uniform_pressure};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register, Touch},
    phase::Context,
    select::Word,
};

/// A node and the index of an instruction in it; the branch has the index behind the last instruction.
type Place = (usize, usize);

/// Where a register is written and read.
#[derive(Default)]
struct Uses {
    writes: SmallVec<[(Place, Touch); 2]>,
    reads: SmallVec<[(Place, Touch); 2]>,
}

/// A copy, and the register that becomes a word of another without it.
struct Change {
    copy: Place,
    from: Register,
    to: Word,
}

/// Takes out copies. What they read and what they write is written once, so that both are the same wherever the copy dominates.
/// Says whether there were any.
pub(super) fn settle(shape: &mut Shape, function: &Function, flow: &ControlFlow, context: &Context<'_>) -> bool {
    let uses = uses(shape, function, flow);
    let mut known_room: Option<usize> = None;
    let mut changes: Vec<Change> = Vec::new();
    let mut busy: FxHashSet<Register> = FxHashSet::default();
    for &node in &flow.order {
        for index in 0..shape.nodes[node].code.len() {
            let Some(change) = find(shape, function, flow, &uses, (node, index)) else {
                continue;
            };
            let new = !busy.contains(&change.from) && !busy.contains(&change.to.register);
            // The tuple is there as long as its one word was.
            let more = usize::from(function.info(change.to.register).words) - 1;
            let room = known_room.get_or_insert_with(|| room(shape, function, flow, &uses));
            if new && more <= *room && context.fuel.take() {
                *room -= more;
                busy.extend([change.from, change.to.register]);
                changes.push(change);
            }
        }
    }
    let names: FxHashMap<Register, Word> = changes.iter().map(|change| (change.from, change.to)).collect();
    let removed: FxHashSet<Place> = changes.iter().map(|change| change.copy).collect();
    for &node in flow.order.iter().filter(|_| !names.is_empty()) {
        let mut index = 0;
        shape.nodes[node].code.retain_mut(|instruction| {
            for operand in &mut instruction.operands {
                if let Some(to) = names.get(&operand.register) {
                    (operand.register, operand.word) = (to.register, to.word);
                }
            }
            index += 1;
            !removed.contains(&(node, index - 1))
        });
    }
    !names.is_empty()
}

/// What is computed of one register and copied to tuples is computed in each of them. That register is live for longer, the result is not at all.
pub(super) fn repeat(shape: &mut Shape, function: &Function, flow: &ControlFlow, context: &Context<'_>) {
    let uses = uses(shape, function, flow);
    let once = |register: &Register| uses.get(register).is_some_and(|uses| uses.writes.len() == 1);
    for &node in &flow.order {
        let mut removed: FxHashSet<usize> = FxHashSet::default();
        for index in 0..shape.nodes[node].code.len() {
            let Some((result, from)) = of_one(&shape.nodes[node].code[index]) else {
                continue;
            };
            let code = &shape.nodes[node].code;
            let into_tuple = |&((at, place), _): &(Place, Touch)| {
                let copy = code.get(place).filter(|_| at == node && place > index);
                copy.and_then(copied)
                    .is_some_and(|to| function.info(to.register).words > 1)
            };
            let single = function.info(result).words == 1 && once(&result) && once(&from);
            let reads = uses.get(&result).map_or(&[][..], |uses| &uses.reads[..]);
            if !single || reads.len() < 2 || !reads.iter().all(into_tuple) || !context.fuel.take() {
                continue;
            }
            let definition = code[index].clone();
            for &((_, place), _) in reads {
                let copy = &mut shape.nodes[node].code[place];
                let Some(to) = copied(copy) else { continue };
                *copy = definition.clone();
                for operand in copy.operands.iter_mut().filter(|operand| operand.register == result) {
                    (operand.register, operand.word) = (to.register, to.word);
                }
            }
            removed.insert(index);
        }
        let mut index = 0;
        shape.nodes[node].code.retain(|_| {
            index += 1;
            !removed.contains(&(index - 1))
        });
    }
}

/// What an instruction writes that computes it of one uniform register and constants, and that register.
fn of_one(instruction: &Instruction) -> Option<(Register, Register)> {
    let plain = instruction.guard.is_none() && instruction.effects.is_none() && instruction.reference.is_none();
    if !plain || !uniform_hoist::is_plain(instruction.base.opcode()) {
        return None;
    }
    match &instruction.operands[..] {
        [first, second] if first.field == FieldName::URd => Some((first.register, second.register)),
        [first, second] if second.field == FieldName::URd => Some((second.register, first.register)),
        _ => None,
    }
}

/// The word that a uniform register is copied to.
fn copied(instruction: &Instruction) -> Option<Word> {
    let is_copy = instruction.base.opcode() == Opcode::Umov && instruction.base.form().name == "UR_UR";
    let mut operands = instruction.operands.iter();
    let to = operands.find(|operand| operand.field == FieldName::URd)?;
    (is_copy && instruction.guard.is_none()).then_some(to.register.word(to.word))
}

/// How many words of uniform registers may be live at a time beside those that are.
fn room(shape: &Shape, function: &Function, flow: &ControlFlow, uses: &FxHashMap<Register, Uses>) -> usize {
    // Products of warpgroups share their tuples within a block, which are many.
    let grouped = |opcode| matches!(opcode, Opcode::Hgmma | Opcode::Qgmma | Opcode::Igmma | Opcode::Bgmma);
    let mut code = shape.nodes.iter().flat_map(|node| &node.code);
    if code.any(|instruction| grouped(instruction.base.opcode())) {
        return 0;
    }
    let registers: Vec<(Register, u8)> = uses
        .keys()
        .map(|register| (*register, function.info(*register).words))
        .collect();
    uniform_pressure::most_words(function).saturating_sub(uniform_pressure::peak(shape, &flow.order, &registers))
}

/// Where the uniform registers are written and read.
fn uses(shape: &Shape, function: &Function, flow: &ControlFlow) -> FxHashMap<Register, Uses> {
    let mut found: FxHashMap<Register, Uses> = FxHashMap::default();
    for &node in &flow.order {
        let all = shape.nodes[node].code.iter().chain(shape.nodes[node].branch());
        for (index, touch) in all
            .enumerate()
            .flat_map(|(at, i)| i.touches().map(move |touch| (at, touch)))
        {
            let info = function.info(touch.register);
            if info.class != RegisterClass::UniformGpr || info.fixed.is_some() {
                continue;
            }
            let uses = found.entry(touch.register).or_default();
            if touch.access != Access::Read {
                uses.writes.push(((node, index), touch));
            }
            if touch.access != Access::Write {
                uses.reads.push(((node, index), touch));
            }
        }
    }
    found
}

/// What becomes of a copy of one register to a word of another.
fn find(
    shape: &Shape,
    function: &Function,
    flow: &ControlFlow,
    uses: &FxHashMap<Register, Uses>,
    copy: Place,
) -> Option<Change> {
    let instruction = &shape.nodes[copy.0].code[copy.1];
    let to = copied(instruction)?;
    let from = instruction
        .operands
        .iter()
        .find(|operand| operand.field == FieldName::URb)?;
    let (target, source) = (uses.get(&to.register)?, uses.get(&from.register)?);
    let before = |a: Place, b: Place| {
        if a.0 == b.0 {
            a.1 < b.1
        } else {
            flow.dominates(a.0, b.0)
        }
    };
    let covers = |touch: &Touch, word: u8| (touch.word..touch.word + touch.words).contains(&word);
    // The copy alone writes the word, and is what all that reads it has come by.
    let mut writes = target.writes.iter().filter(|(_, touch)| covers(touch, to.word));
    let only = writes.next().is_some_and(|(at, _)| *at == copy) && writes.next().is_none();
    let mut reads = target.reads.iter().filter(|(_, touch)| covers(touch, to.word));
    // Names of what branches read stay.
    let in_code = |at: &Place| at.1 < shape.nodes[at.0].code.len();
    if !only || !reads.all(|(at, _)| before(copy, *at) && in_code(at)) {
        return None;
    }
    let [(made, touch)] = source.writes[..] else {
        return None;
    };
    let plain = touch.words == 1 && touch.access == Access::Write && function.info(from.register).words == 1;
    let definition = shape.nodes[made.0].code.get(made.1)?;
    if !plain || !before(made, copy) || definition.guard.is_some() || touch.field != Some(FieldName::URd) {
        return None;
    }
    if function.info(to.register).words == 1 && target.reads.iter().all(|(_, touch)| touch.field.is_some()) {
        return Some(Change {
            copy,
            from: to.register,
            to: from.register.word(0),
        });
    }
    // What a loop does not change would hold the whole tuple all through it.
    let near = made.0 != copy.0 && flow.innermost[made.0] == flow.innermost[copy.0];
    (source.reads.len() == 1 && near).then_some(Change {
        copy,
        from: from.register,
        to: to.register.word(to.word),
    })
}
