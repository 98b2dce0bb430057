//! Spilling: registers for which there is no room live elsewhere between their uses.
//!
//! [`plan`] says which, and where each is loaded again. General registers live in local memory, in slots of the frame that registers share which are never
//! live at once ([`memory`]), or, where all threads of the warp have the same in them, in uniform registers ([`warp`]); what is cheap to compute is computed again instead ([`again`], [`chains`]). Predicates live in general registers as 0 or 1, or as bits ([`predicate`]), uniform
//! registers in general registers ([`uniform`]), uniform predicates in predicates ([`uniform_predicate`]), convergence barriers in general registers by
//! `BMOV` ([`barrier`]).

pub(crate) mod again;
mod barrier;
mod chains;
pub(crate) mod dead;
mod memory;
pub(crate) mod plan;
mod predicate;
mod uniform;
mod uniform_predicate;
pub(crate) mod warp;

use warpsmith_sass::{Access, Flow, RegisterClass};

use self::plan::Plan;
use crate::{
    allocate::ranges::Ranges,
    ir::{Function, Guard, Instruction, Operand, Register},
    select::{SelectError, Selector},
};

/// Where an instruction of an allocated function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The instruction of this number in the function as it was before allocation.
    Of(u32),
    /// Moves a value from one place to another.
    Added,
    /// Computes again what the instruction of this number computed.
    Again(u32),
}

/// Whether an instruction belongs to the branches that end a block.
pub(crate) fn ends_block(instruction: &Instruction) -> bool {
    matches!(
        instruction.base.flow(),
        Flow::Branch | Flow::Indirect | Flow::Exit | Flow::Return
    )
}

/// What spilling of one file does to a definition and before a use.
trait Spiller {
    /// Code that loads those words of a register again that are needed, or more.
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        needed: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled;
    /// Code that stores what an instruction has written.
    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        words: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled;
}

/// The result of making spill code.
type Spilled = Result<(), SelectError>;

/// Carries out a plan. `origins` runs along the code; `room` is for general registers that may be kept in uniform ones.
pub(crate) fn carry_out(
    function: &mut Function,
    origins: &mut [Vec<Origin>],
    selector: &Selector,
    plan: &Plan,
    class: RegisterClass,
    ranges: &Ranges,
    room: Option<warp::Room<'_>>,
) -> Result<(), String> {
    let outcome = match class {
        RegisterClass::Gpr => {
            let mut spiller = memory::Memory::new(function, origins, selector, plan, ranges, room)?;
            rewrite(function, origins, plan, ranges, &mut spiller)
        }
        RegisterClass::Predicate => {
            let mut spiller = predicate::Predicates::new(selector, function, plan, ranges);
            rewrite(function, origins, plan, ranges, &mut spiller).and_then(|()| spiller.clear(function, origins))
        }
        RegisterClass::Barrier => barrier::spill(function, origins, selector, &plan.spilled),
        RegisterClass::UniformGpr => {
            let mut spiller = uniform::Uniform::new(selector, function, origins, &plan.spilled);
            let outcome = rewrite(function, origins, plan, ranges, &mut spiller);
            // What is written again everywhere, and copies of words that are, would take room of others.
            dead::remove_loads(function, origins);
            outcome
        }
        RegisterClass::UniformPredicate => {
            let mut spiller = uniform_predicate::UniformPredicates::new(selector);
            rewrite(function, origins, plan, ranges, &mut spiller)
        }
        RegisterClass::Scoreboard => return Err("scoreboards are not allocated".to_string()),
    };
    outcome.map_err(|error| error.to_string())
}

/// Inserts loads where the plan says, and stores after definitions of what it spills.
fn rewrite(
    function: &mut Function,
    origins: &mut [Vec<Origin>],
    plan: &Plan,
    ranges: &Ranges,
    spiller: &mut dyn Spiller,
) -> Spilled {
    let mut first = 0;
    let mut is_spilled = vec![false; function.registers.len()];
    for register in &plan.spilled {
        is_spilled[*register as usize] = true;
    }
    for (block, origins) in origins.iter_mut().enumerate() {
        let code = std::mem::take(&mut function.blocks[block].code);
        let old = std::mem::take(origins);
        let mut made: Vec<(Instruction, Origin)> = Vec::with_capacity(code.len());
        let halves = halves(&code, &is_spilled, &plan.loads[block]);
        let mut loads = plan.loads[block].iter().peekable();
        let count = code.len() as u32;
        for (register, words) in plan.late.at_start(block) {
            spiller.store(function, Register(*register), words.clone(), &mut made)?;
        }
        for (offset, (instruction, origin)) in code.into_iter().zip(old).enumerate() {
            let start = made.len();
            while let Some((_, register)) = loads.next_if(|load| load.0 as usize <= offset) {
                let needed = |word: u8| plan::is_live(ranges, *register, word, 2 * (first + offset as u32));
                spiller.load(function, Register(*register), &needed, &mut made)?;
            }
            let place = instruction.place;
            let written = written(&instruction, &is_spilled);
            made.push((instruction, origin));
            for (register, words) in written {
                if !plan.late.stores(block, register.0) || halves.contains(&(offset, register)) {
                    continue;
                }
                spiller.store(function, register, words, &mut made)?;
            }
            for (added, _) in &mut made[start..] {
                added.place = place;
            }
        }
        for (_, register) in loads {
            let end = (2 * (first + count)).checked_sub(1).filter(|_| count > 0);
            let needed = |word: u8| end.is_none_or(|end| plan::is_live(ranges, *register, word, end));
            spiller.load(function, Register(*register), &needed, &mut made)?;
        }
        first += count;
        (function.blocks[block].code, *origins) = made.into_iter().unzip();
    }
    Ok(())
}

/// Instructions up to which the other half of a definition is looked for.
const NEAR: usize = 32;

/// Writes under a guard that the next touch of the register completes under the opposite one, by offset: a store of the half would read what nothing has
/// written yet, and the register would be live from there on upwards.
fn halves(code: &[Instruction], is_spilled: &[bool], loads: &[(u32, u32)]) -> Vec<(usize, Register)> {
    let mut found = Vec::new();
    for (offset, instruction) in code.iter().enumerate() {
        let Some(guard) = instruction.guard else { continue };
        for (register, words) in written(instruction, is_spilled) {
            let behind = code.iter().enumerate().skip(offset + 1).take(NEAR);
            let mut touching = behind.filter_map(|(at, other)| {
                let mut touches = other.touches();
                let touched = touches.any(|touch| {
                    touch.register == register || touch.register == guard.register && touch.access != Access::Read
                });
                touched.then_some((at, other))
            });
            let Some((at, other)) = touching.next() else { continue };
            let opposite = other.guard.is_some_and(|other| {
                Guard {
                    negated: !other.negated,
                    ..other
                } == guard
            });
            let completes = other.touches().all(|touch| match touch.register {
                touched if touched == register => {
                    touch.access == Access::Write && (touch.word..touch.word + touch.words) == words
                }
                touched => touched != guard.register || touch.access == Access::Read,
            });
            let loaded = loads
                .iter()
                .any(|(place, loaded)| *loaded == register.0 && (offset + 1..=at).contains(&(*place as usize)));
            if opposite && completes && !loaded {
                found.push((offset, register));
            }
        }
    }
    found
}

/// The spilled registers that an instruction writes, and which words. What a product writes is there when its wait gives it back.
fn written(instruction: &Instruction, is_spilled: &[bool]) -> Vec<(Register, std::ops::Range<u8>)> {
    let touches = instruction.touches();
    touches
        .filter(|_| !crate::products::is_product(&instruction.base))
        .filter(|touch| touch.access != Access::Read && touch.words > 0)
        .filter(|touch| is_spilled.get(touch.register.0 as usize).copied().unwrap_or(false))
        .map(|touch| (touch.register, touch.word..touch.word + touch.words))
        .collect()
}

/// Puts a register in place of another in every field and the guard.
fn replace(instruction: &mut Instruction, old: Register, new: Register) {
    let holds = |operand: &&mut Operand| operand.register == old;
    for operand in instruction.operands.iter_mut().filter(holds) {
        operand.register = new;
    }
    if let Some(guard) = &mut instruction.guard
        && guard.register == old
    {
        guard.register = new;
    }
}
