//! Sinking into later blocks: where more registers are live than there are, what one later block alone uses is computed there.
//!
//! A kernel that keeps all values of a row for their sum, and packs them for the next product meanwhile, needs a register for each packed pair from where it is
//! packed to where it is stored. The values live on anyway: packed where they are stored, the pairs take room for a moment only. (The store stands behind an
//! assertion, which ends its block.)
//!
//! An instruction goes down only to a block that its own dominates, in the same loop, so that it is executed no more often and finds its operands, which have
//! one definition each, as they were.

use warpsmith_sass::{Access, RegisterClass};

use super::{number::is_pure, values::Values};
use crate::{
    allocate::touches::Touches,
    graph::ControlFlow,
    ir::{Function, Instruction, Register, Touch},
    liveness::Liveness,
    phase::Context,
};

/// Where an instruction goes: a block, and the index of the instruction before which it is to stand.
type Place = (usize, usize);

struct Sinking<'f> {
    function: &'f Function,
    flow: ControlFlow,
    values: Values,
    liveness: Liveness,
    /// For each instruction that goes down, where to.
    places: Vec<Option<Place>>,
}

/// Sinks out of those blocks that `is_short` names.
pub(super) fn sink_across_blocks(function: &mut Function, is_short: &dyn Fn(usize) -> bool, context: &Context<'_>) {
    let flow = ControlFlow::of(function);
    if flow.irreducible {
        return;
    }
    let values = Values::with(function, &flow);
    let mut sinking = Sinking {
        function,
        places: vec![None; values.instructions()],
        liveness: Liveness::of(function, &Touches::of(function)),
        flow,
        values,
    };
    let mut any = false;
    let order = sinking.flow.order.clone();
    for block in order.into_iter().rev().filter(|block| is_short(*block)) {
        for at in (0..sinking.function.blocks[block].code.len()).rev() {
            let place = sinking.place(block, at).filter(|_| context.fuel.take());
            any |= place.is_some();
            let number = sinking.values.number(block, at);
            sinking.places[number as usize] = place;
        }
    }
    if any {
        let places = std::mem::take(&mut sinking.places);
        let order = std::mem::take(&mut sinking.flow.order);
        rearrange(function, places, &order);
    }
}

/// Moves each instruction to its place. What goes to the same place comes in the order in which control does, which that of the blocks need not be: one may be
/// an operand of the next.
fn rearrange(function: &mut Function, places: Vec<Option<Place>>, order: &[usize]) {
    let mut ranks = vec![usize::MAX; function.blocks.len()];
    for (rank, block) in order.iter().enumerate() {
        ranks[*block] = rank;
    }
    let mut places = places.into_iter();
    let mut moved: Vec<(Place, usize, Instruction)> = Vec::new();
    let mut stay: Vec<Vec<Option<Instruction>>> = Vec::with_capacity(function.blocks.len());
    for (block, rank) in function.blocks.iter_mut().zip(ranks) {
        let mut own = Vec::with_capacity(block.code.len());
        for instruction in std::mem::take(&mut block.code) {
            match places.next().flatten() {
                Some(place) => {
                    moved.push((place, rank, instruction));
                    own.push(None);
                }
                None => own.push(Some(instruction)),
            }
        }
        stay.push(own);
    }
    moved.sort_by_key(|(place, rank, _)| (*place, *rank));
    let mut moved = moved.into_iter().peekable();
    for (index, (block, stay)) in function.blocks.iter_mut().zip(stay).enumerate() {
        for (at, instruction) in stay.into_iter().enumerate() {
            while let Some((_, _, earlier)) = moved.next_if(|(place, ..)| *place <= (index, at)) {
                block.code.push(earlier);
            }
            block.code.extend(instruction);
        }
    }
}

impl Sinking<'_> {
    fn words(&self, touch: &Touch) -> impl Iterator<Item = usize> + use<'_> {
        let (register, words) = (touch.register, touch.word..touch.word + touch.words);
        words.map(move |word| self.values.word(register, word))
    }

    /// Where an instruction is, or will be.
    fn of(&self, number: u32) -> Place {
        self.places[number as usize].unwrap_or_else(|| self.values.place(number))
    }

    fn is_general(&self, register: Register) -> bool {
        self.function.info(register).class == RegisterClass::Gpr
    }

    /// Where an instruction is to go, if it is better there.
    fn place(&self, block: usize, at: usize) -> Option<Place> {
        let instruction = &self.function.blocks[block].code[at];
        let plain = instruction.guard.is_none() && instruction.reference.is_none() && is_pure(instruction);
        if !plain || !instruction.touches().all(|touch| self.is_general(touch.register)) {
            return None;
        }
        let place = self.first_use(instruction)?;
        let same_loop = self.flow.innermost[block] == self.flow.innermost[place.0];
        if place.0 == block || !same_loop || !self.values.dominance.dominates(block, place.0) {
            return None;
        }
        let number = self.values.number(block, at);
        let (mut gained, mut kept) = (0, 0);
        for touch in instruction.touches() {
            match touch.access {
                Access::Write => gained += u32::from(touch.words),
                Access::ReadWrite => return None,
                Access::Read => {
                    for word in self.words(&touch) {
                        if !self.values.is_value(word) {
                            return None;
                        }
                        kept += u32::from(!self.lives(word, place, number));
                    }
                }
            }
        }
        (gained > kept).then_some(place)
    }

    /// The first of the uses of what an instruction gives, if they are all in one block.
    fn first_use(&self, instruction: &Instruction) -> Option<Place> {
        let mut first: Option<Place> = None;
        for touch in instruction.touches().filter(|touch| touch.access == Access::Write) {
            for word in self.words(&touch) {
                if !self.values.is_value(word) {
                    return None;
                }
                for used in self.values.uses(word) {
                    let used = self.of(*used);
                    match first {
                        Some(known) if known.0 != used.0 => return None,
                        Some(known) => first = Some(known.min(used)),
                        None => first = Some(used),
                    }
                }
            }
        }
        first
    }

    /// Whether a word is live at a place whatever this instruction does.
    fn lives(&self, word: usize, (block, at): Place, number: u32) -> bool {
        let behind = |used: &u32| {
            let place = self.of(*used);
            *used != number && place.0 == block && place.1 >= at
        };
        self.liveness.out[block].contains(&(word as u32)) || self.values.uses(word).iter().any(behind)
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_sass::Opcode;

    use super::*;
    use crate::{
        ir::Block,
        select::{Request, Selector, Value},
    };

    /// What is moved from two blocks, of which the one that is run first stands last.
    #[test]
    fn operands_come_before_what_reads_them_however_blocks_stand() {
        let mut function = Function::new("k", "sm_90".parse().expect("a known target"));
        let selector = Selector::new(function.isa());
        let mut write = |number: u32| {
            let to = function.register(RegisterClass::Gpr, 1);
            let mut code = Vec::new();
            let request = Request::new(Opcode::Mov).to(to).from(Value::Immediate(number));
            selector
                .emit(&mut function, &mut code, request)
                .expect("the target has it");
            Block { code }
        };
        let blocks = vec![write(2), write(1), write(3)];
        let words = |code: &[Instruction]| code.iter().map(|one| one.base.word()).collect::<Vec<_>>();
        let [second, first, last] = [0, 1, 2].map(|at: usize| blocks[at].code[0].base.word());
        function.blocks = blocks;
        rearrange(&mut function, vec![Some((2, 0)), Some((2, 0)), None], &[1, 0, 2]);
        assert_eq!(words(&function.blocks[2].code), [first, second, last]);
    }
}
