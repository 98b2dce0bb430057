//! Sinking: where more registers are live than there are, what is cheap to compute is computed where it is used.
//!
//! Programs that array languages write compute the addresses of all elements of a tile, and then store them all: each address is two registers from its
//! computation to its store. An instruction without effects goes down to its first use if more words come to life there than its operands, which then live
//! longer, keep. It stays in its block, and nothing writes what it reads on the way. Predicates count as registers do: those that find no place go to
//! registers.

use warpsmith_sass::{Access, RegisterClass};

use super::{hoist::pressure, number::is_pure, sink_across::sink_across_blocks, values::Values};
use crate::{
    allocate::{budget, regions},
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Registers that stay free of what the function may have before anything goes down.
const FREE: u32 = 16;
/// Predicates that may be live at once.
const MOST_PREDICATES: u32 = 6;
/// Instructions of a block from which on it is left as it is.
const LONGEST: usize = 1 << 14;

/// Sinks computations in blocks that need more registers than there are.
pub(crate) fn sink_into_uses(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    // What a kernel is given later is for what it cannot do without.
    let start = budget::general(function).saturating_sub(FREE);
    let mut most = regions::comfortable(function);
    most.iter_mut().for_each(|most| *most = start.min(*most));
    let [general, predicates] = pressure(function, [RegisterClass::Gpr, RegisterClass::Predicate]);
    let is_short = |block: usize| general[block] > most[block] || predicates[block] > MOST_PREDICATES;
    if !(0..function.blocks.len()).any(is_short) {
        return Ok(());
    }
    sink_across_blocks(function, &is_short, context);
    let values = Values::of(function);
    for block in (0..function.blocks.len()).filter(|block| is_short(*block)) {
        let count = function.blocks[block].code.len();
        if count > LONGEST || !context.fuel.take() {
            continue;
        }
        let places = places(function, &values, block);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|at| (places[*at], *at));
        let mut old: Vec<Option<Instruction>> = std::mem::take(&mut function.blocks[block].code)
            .into_iter()
            .map(Some)
            .collect();
        function.blocks[block].code = order.into_iter().filter_map(|at| old[at].take()).collect();
    }
    Ok(())
}

/// Whether registers of a file are counted.
fn counts(function: &Function, register: Register) -> bool {
    matches!(
        function.info(register).class,
        RegisterClass::Gpr | RegisterClass::Predicate
    )
}

/// For each instruction of a block, the one before which it is to stand; itself where it stays.
fn places(function: &Function, values: &Values, block: usize) -> Vec<usize> {
    let code = &function.blocks[block].code;
    let first = values.number(block, 0);
    let inside = |number: u32| {
        number
            .checked_sub(first)
            .map(|at| at as usize)
            .filter(|at| *at < code.len())
    };
    let mut places: Vec<usize> = (0..code.len()).collect();
    for at in (0..code.len()).rev() {
        let instruction = &code[at];
        if instruction.guard.is_some() || instruction.reference.is_some() || !is_pure(instruction) {
            continue;
        }
        // Where the first use stands, if all are here.
        let mut target: Option<usize> = None;
        let (mut gained, mut fits) = (0, true);
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            for word in touch.word..touch.word + touch.words {
                let word = values.word(touch.register, word);
                fits &= touch.access == Access::Write && values.is_value(word);
                for used in values.uses(word) {
                    match inside(*used) {
                        Some(used) => target = Some(target.map_or(places[used], |target| target.min(places[used]))),
                        None => fits = false,
                    }
                }
            }
            gained += u32::from(counts(function, touch.register)) * u32::from(touch.words);
        }
        let Some(target) = target.filter(|target| fits && *target > at + 1) else {
            continue;
        };
        // Operands that nothing else keeps to there.
        let mut kept = 0;
        for touch in instruction.touches().filter(|touch| touch.access == Access::Read) {
            for word in touch.word..touch.word + touch.words {
                let word = values.word(touch.register, word);
                // Nothing writes a variable on the way.
                let written = values.definitions(word).iter().filter_map(|number| inside(*number));
                fits &= written.into_iter().all(|place| place < at || place >= target);
                let others = values.uses(word).iter().map(|used| inside(*used));
                let lives = others
                    .into_iter()
                    .any(|used| used.is_none_or(|used| used != at && places[used] >= target));
                kept += u32::from(!lives && counts(function, touch.register));
            }
        }
        if fits && gained > kept {
            places[at] = target;
        }
    }
    places
}
