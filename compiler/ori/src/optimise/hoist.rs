//! Invariants of loops: what a loop computes anew in each round from values that it does not change is computed once before it.
//!
//! A loop whose header is entered from one block only has a place for that: the end of this block. What moves has no effect but its result, and cannot
//! fail, so that it does no harm where the loop is not gone round at all. Each result stays in a register all through the loop: only so many move as leave the
//! loop below a number of registers that costs no occupancy, more of them if they take long.

use warpsmith_sass::{Access, MemorySpace, Opcode as O, RegisterClass};

use super::{number::is_pure, values::Values};
use crate::{
    allocate::{
        budget,
        touches::{Touched, Touches},
    },
    graph::{ControlFlow, Loop},
    ir::{Function, Instruction},
    liveness::{Liveness, Marks},
    phase::Context,
};

/// General registers that a loop may need once quick instructions have moved out of it.
const QUICK: u32 = 40;
/// The same for instructions that take long: reads of constant banks and special registers, conversions, wide products.
const SLOW: u32 = 64;
/// Registers that stay free of what the function may have.
const FREE: u32 = 24;

/// Moves invariants out of loops, the innermost first.
pub(crate) fn hoist_invariants(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let flow = ControlFlow::of(function);
    if flow.loops.is_empty() {
        return Ok(());
    }
    let values = Values::with(function, &flow);
    let mut peaks: Option<Vec<u32>> = None;
    let mut hoist = Hoist {
        block_of: (0..values.words())
            .map(|word| values.definition(word).map(|number| values.block_of(number)))
            .collect(),
        values,
        inside: vec![false; function.blocks.len()],
    };
    for each in &flow.loops {
        let Some(before) = entrance(&flow, each) else { continue };
        each.blocks.iter().for_each(|block| hoist.inside[*block] = true);
        if hoist.finds_any(function, each) {
            let peaks = peaks.get_or_insert_with(|| {
                let [found] = pressure(function, [RegisterClass::Gpr]);
                found
            });
            let peak = each.blocks.iter().map(|block| peaks[*block]).max().unwrap_or(0);
            let moved = hoist.run(function, context, each, before, peak);
            each.blocks.iter().for_each(|block| peaks[*block] += moved);
        }
        each.blocks.iter().for_each(|block| hoist.inside[*block] = false);
    }
    Ok(())
}

/// The one block from which a loop is entered.
fn entrance(flow: &ControlFlow, each: &Loop) -> Option<usize> {
    let mut outside = flow.predecessors[each.header]
        .iter()
        .filter(|from| !each.blocks.contains(from));
    let before = *outside.next()?;
    (outside.next().is_none() && flow.reached[before]).then_some(before)
}

struct Hoist {
    values: Values,
    /// The block of each value's definition, as things move.
    block_of: Vec<Option<usize>>,
    /// The blocks of the loop that is being looked at.
    inside: Vec<bool>,
}

impl Hoist {
    /// Whether a loop has an invariant.
    fn finds_any(&self, function: &Function, each: &Loop) -> bool {
        let mut code = each.blocks.iter().flat_map(|block| &function.blocks[*block].code);
        code.any(|instruction| self.is_invariant(function, instruction))
    }

    /// Moves what may move to the end of a block. Gives how many registers that takes.
    fn run(&mut self, function: &mut Function, context: &Context<'_>, each: &Loop, before: usize, peak: u32) -> u32 {
        let most = budget::general(function).saturating_sub(FREE);
        let mut live = peak;
        let mut moved: Vec<Instruction> = Vec::new();
        for &block in &each.blocks {
            let code = std::mem::take(&mut function.blocks[block].code);
            let mut kept = Vec::with_capacity(code.len());
            for instruction in code {
                let limit = if is_slow(instruction.base.opcode()) {
                    SLOW
                } else {
                    QUICK
                };
                let words = written(&instruction);
                let goes =
                    live + words <= limit.min(most) && self.is_invariant(function, &instruction) && context.fuel.take();
                if !goes {
                    kept.push(instruction);
                    continue;
                }
                live += words;
                for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                    for word in touch.word..touch.word + touch.words {
                        self.block_of[self.values.word(touch.register, word)] = Some(before);
                    }
                }
                moved.push(instruction);
            }
            function.blocks[block].code = kept;
        }
        let code = &mut function.blocks[before].code;
        let ends = code
            .iter()
            .rev()
            .take_while(|instruction| crate::spill::ends_block(instruction))
            .count();
        let at = code.len() - ends;
        code.splice(at..at, moved);
        live - peak
    }

    /// Whether an instruction gives the same in each round.
    fn is_invariant(&self, function: &Function, instruction: &Instruction) -> bool {
        let base = &instruction.base;
        if instruction.guard.is_some() || base.opcode() == O::Mov || !is_pure(instruction) {
            return false;
        }
        let is_load = !base.memory().is_empty();
        let constant = base.memory().iter().all(|access| access.space == MemorySpace::Constant);
        let mut writes = false;
        constant
            && instruction.touches().all(|touch| match touch.access {
                // An address that is no constant may be none of the bank.
                Access::Read if is_load => false,
                Access::Read => (touch.word..touch.word + touch.words).all(|word| {
                    let block = self.block_of[self.values.word(touch.register, word)];
                    block.is_some_and(|block| !self.inside[block])
                }),
                Access::Write => {
                    writes = true;
                    function.info(touch.register).class == RegisterClass::Gpr
                        && self.values.are_values(touch.register, touch.word, touch.words)
                }
                Access::ReadWrite => false,
            })
            && writes
    }
}

/// How many words an instruction writes.
fn written(instruction: &Instruction) -> u32 {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.map(|touch| u32::from(touch.words)).sum()
}

/// Whether an instruction takes long enough that its result had better be kept.
fn is_slow(opcode: O) -> bool {
    matches!(
        opcode,
        O::Ldc | O::S2r | O::I2f | O::F2i | O::F2f | O::Mufu | O::Popc | O::Flo | O::Dadd | O::Dmul | O::Dfma | O::Imad
    )
}

/// The most registers of a file that are live at once, for each block.
pub(super) fn pressure<const N: usize>(function: &Function, classes: [RegisterClass; N]) -> [Vec<u32>; N] {
    let touches = Touches::of(function);
    let liveness = Liveness::of(function, &touches);
    classes.map(|class| peaks(function, &touches, &liveness, class))
}

/// [`pressure`] in one file.
fn peaks(function: &Function, touches: &Touches, liveness: &Liveness, class: RegisterClass) -> Vec<u32> {
    let mut counted = Vec::with_capacity(liveness.words);
    for register in &function.registers {
        counted.extend(std::iter::repeat_n(
            register.class == class,
            usize::from(register.words),
        ));
    }
    let mut live = Marks::new(liveness.words);
    let mut peaks = Vec::with_capacity(function.blocks.len());
    for block in 0..function.blocks.len() {
        live.clear();
        let mut now = 0_u32;
        let read = |live: &mut Marks, now: &mut u32, word: usize| *now += u32::from(counted[word] && live.insert(word));
        liveness.out[block]
            .iter()
            .for_each(|word| read(&mut live, &mut now, *word as usize));
        let mut most = now;
        for instruction in touches.block(block).rev() {
            let words = |touch: &Touched| liveness.range(touch.register, touch.word, touch.words);
            for touch in touches
                .at(instruction)
                .iter()
                .filter(|touch| touch.writes && !touch.reads && touches.writes_under(instruction, **touch).is_none())
            {
                now -= words(touch).filter(|word| counted[*word] && live.remove(*word)).count() as u32;
            }
            for touch in touches.at(instruction).iter().filter(|touch| touch.reads) {
                words(touch).for_each(|word| read(&mut live, &mut now, word));
            }
            most = most.max(now);
        }
        peaks.push(most);
    }
    peaks
}
