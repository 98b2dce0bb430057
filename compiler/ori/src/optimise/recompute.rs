//! Rematerialisation before registers are allocated: where more are live than there are, what one cheap instruction computes from what stays is computed in
//! each block that uses it.
//!
//! A kernel that goes from tile to tile computes the rows and columns of a tile once, each from its thread's first one and a constant, and reads them where a
//! tile begins and where it ends. In between dozens of registers are live for it, through loops that do not read them. Allocation would compute them again
//! where it must spill, but order comes first: where accumulators are read all at once, the scheduler must see what room there is. (ptxas 13.0.88 computes
//! them again for each tile.)
//!
//! Nothing goes into the rounds of an innermost loop, unless there is no other way to have room there: there the register itself is read as before. What is computed again must be a value, and so must what it
//! is computed from: that is then there, as it was, and becomes live for longer only if several need it.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode, RegisterClass};

use super::{number::is_pure, retest::retest, values::Values};
use crate::{
    allocate::{
        regions,
        touches::{Touched, Touches},
    },
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    liveness::{Liveness, Marks},
    phase::Context,
    spill::again::computes,
};

/// Registers that must be computed from one for it to live longer than it does.
const MANY: u32 = 4;

/// Instructions of a block from which on it is left as it is.
const LONGEST: usize = 1 << 14;

/// How many registers are looked at.
const MOST: usize = 1 << 10;

/// Blocks in which one register is computed again, at most.
const BLOCKS: usize = 6;

/// Instructions of a loop that does nothing but wait.
const SPIN: usize = 16;

/// A register that could be computed again.
struct Candidate {
    register: Register,
    /// The instruction that makes it.
    maker: u32,
    operands: SmallVec<[Register; 2]>,
    /// The other blocks that may compute it again, each with its first and last use there.
    uses: SmallVec<[(usize, usize, usize); 4]>,
    /// The other blocks that use it as it is.
    kept: SmallVec<[usize; 2]>,
    /// The last use in its own block.
    last: Option<usize>,
}

/// Computes again where blocks need more registers than there are.
pub(crate) fn recompute(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    recompute_general(function, context);
    retest(function, context);
    Ok(())
}

/// Computes general registers again.
fn recompute_general(function: &mut Function, context: &Context<'_>) {
    let most = regions::comfortable(function);
    let touches = Touches::of(function);
    let liveness = Liveness::of(function, &touches);
    let mut counting = Counting::of(function, &touches, &liveness);
    let mut short: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
    for (block, most) in most.iter().enumerate() {
        let live = counting.in_block(block);
        if live.iter().any(|live| live > most) && live.len() <= LONGEST {
            short.insert(block, live);
        }
    }
    if short.is_empty() {
        return;
    }
    let flow = ControlFlow::of(function);
    if flow.irreducible {
        return;
    }
    let values = Values::with(function, &flow);
    let mut choice = Choice {
        liveness,
        flow,
        values,
        short,
        stays: vec![false; function.registers.len()],
        again: vec![false; function.registers.len()],
        chosen: Vec::new(),
    };
    let rounds = rounds(function, &choice.flow);
    choice.choose(function, &rounds, &most, context);
    // What is still too much would be loaded in each round of a loop: one instruction is less.
    let most = regions::rooms(function);
    let lacks = |(block, live): (&usize, &Vec<u32>)| live.iter().any(|live| *live > most[*block]);
    if choice.short.iter().any(lacks) {
        choice.choose(function, &vec![false; rounds.len()], &most, context);
    }
    carry_out(function, &choice.values, &choice.chosen);
}

/// What is chosen, and what is known of the function as it was.
struct Choice {
    liveness: Liveness,
    flow: ControlFlow,
    values: Values,
    /// For each block that is short, how many registers are live before each instruction, without those chosen.
    short: FxHashMap<usize, Vec<u32>>,
    /// Registers that others are computed from.
    stays: Vec<bool>,
    /// Registers that are chosen.
    again: Vec<bool>,
    chosen: Vec<Candidate>,
}

impl Choice {
    /// Chooses registers as long as more than `most` are live somewhere that one of them relieves. Blocks in `rounds` use them as they are.
    fn choose(&mut self, function: &Function, rounds: &[bool], most: &[u32], context: &Context<'_>) {
        let mut candidates = candidates(function, &self.flow, &self.values, rounds);
        candidates.sort_by_key(|candidate| (candidate.uses.len(), candidate.register));
        candidates.truncate(MOST);
        let mut users = vec![0_u32; function.registers.len()];
        for operand in candidates.iter().flat_map(|candidate| &candidate.operands) {
            users[operand.0 as usize] += 1;
        }
        for candidate in candidates {
            let lasts = |operand: &Register| {
                !self.again[operand.0 as usize]
                    && (users[operand.0 as usize] >= MANY
                        || lives_as_long(&self.liveness, &self.values, *operand, &candidate))
            };
            let register = candidate.register.0 as usize;
            let fits = !self.stays[register] && !self.again[register] && candidate.operands.iter().all(lasts);
            if fits && self.relieve(&candidate, most) && context.fuel.take() {
                self.again[register] = true;
                for operand in &candidate.operands {
                    self.stays[operand.0 as usize] = true;
                }
                self.chosen.push(candidate);
            }
        }
    }

    /// Takes a register out of where it is not used in the blocks that are short. Gives whether there are too many live in one of these places; if not, nothing is
    /// done.
    fn relieve(&mut self, candidate: &Candidate, most: &[u32]) -> bool {
        let (liveness, flow, values) = (&self.liveness, &self.flow, &self.values);
        let short = &mut self.short;
        let word = values.word(candidate.register, 0) as u32;
        let (home, made) = values.place(candidate.maker);
        let stays_live = still_live(flow, home, &candidate.kept);
        let mut ranges: SmallVec<[(usize, std::ops::Range<usize>); 4]> = SmallVec::new();
        for (&block, live) in short.iter().filter(|(block, _)| !stays_live.contains(block)) {
            let leaves = liveness.out[block].contains(&word);
            let used = candidate.uses.iter().find(|used| used.0 == block);
            let end = live.len();
            if block == home {
                let from = candidate.last.unwrap_or(made) + 1;
                ranges.push((block, if leaves { from..end } else { end..end }));
                continue;
            }
            match used {
                Some(&(_, first, last)) => {
                    ranges.push((block, 0..first));
                    ranges.push((block, if leaves { last + 1..end } else { end..end }));
                }
                None if leaves => ranges.push((block, 0..end)),
                None => {}
            }
        }
        let relieves = ranges
            .iter()
            .any(|(block, range)| short[block][range.clone()].iter().any(|live| *live > most[*block]));
        if relieves {
            for (block, range) in ranges {
                let counts = short.get_mut(&block).map(|live| &mut live[range]);
                counts.into_iter().flatten().for_each(|live| *live -= 1);
            }
        }
        relieves
    }
}

/// How general registers are counted.
struct Counting<'f> {
    touches: &'f Touches,
    liveness: &'f Liveness,
    /// For each word, whether it is one of a general register.
    general: Vec<bool>,
    /// Words that are live where the count is.
    live: Marks,
}

impl<'f> Counting<'f> {
    fn of(function: &Function, touches: &'f Touches, liveness: &'f Liveness) -> Counting<'f> {
        let mut general = Vec::with_capacity(liveness.words);
        for info in &function.registers {
            general.extend(std::iter::repeat_n(info.class == RegisterClass::Gpr, info.words.into()));
        }
        Counting {
            touches,
            liveness,
            general,
            live: Marks::new(liveness.words),
        }
    }

    /// How many are live before each instruction of a block, or would be with what it writes.
    fn in_block(&mut self, block: usize) -> Vec<u32> {
        let (touches, liveness, general, live) = (self.touches, self.liveness, &self.general, &mut self.live);
        live.clear();
        let mut now = 0;
        for word in &liveness.out[block] {
            now += u32::from(general[*word as usize] && live.insert(*word as usize));
        }
        let words = |touch: &Touched| {
            let range = liveness.range(touch.register, touch.word, touch.words);
            range.filter(|word| general[*word])
        };
        let code = touches.block(block);
        let mut counts = vec![0; code.len()];
        for (count, instruction) in counts.iter_mut().zip(code).rev() {
            let behind = now;
            let whole =
                |touch: &&Touched| touch.writes && !touch.reads && touches.writes_under(instruction, **touch).is_none();
            for touch in touches.at(instruction).iter().filter(whole) {
                now -= words(touch).filter(|word| live.remove(*word)).count() as u32;
            }
            for touch in touches.at(instruction).iter().filter(|touch| touch.reads) {
                now += words(touch).filter(|word| live.insert(*word)).count() as u32;
            }
            *count = now.max(behind);
        }
        counts
    }
}

/// What could be computed again: values of one word with a cheap maker that are used in other blocks, not all of which are in the rounds of an innermost loop
/// that their own is not in.
fn candidates(function: &Function, flow: &ControlFlow, values: &Values, rounds: &[bool]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for register in (0..function.registers.len() as u32).map(Register) {
        let info = function.info(register);
        let word = values.word(register, 0);
        if info.class != RegisterClass::Gpr || info.words != 1 {
            continue;
        }
        let Some(maker) = values.definition(word) else {
            continue;
        };
        let Some(operands) = operands(function, values, maker) else {
            continue;
        };
        let (home, _) = values.place(maker);
        let mut candidate = Candidate {
            register,
            maker,
            operands,
            uses: SmallVec::new(),
            kept: SmallVec::new(),
            last: None,
        };
        let seldom = |block: usize| flow.innermost[block] == flow.innermost[home] || !rounds[block];
        for used in values.uses(word) {
            let (block, at) = values.place(*used);
            if block == home {
                candidate.last = Some(at);
                continue;
            }
            if !seldom(block) {
                if !candidate.kept.contains(&block) {
                    candidate.kept.push(block);
                }
                continue;
            }
            match candidate.uses.last_mut().filter(|known| known.0 == block) {
                Some(known) => known.2 = at,
                None => candidate.uses.push((block, at, at)),
            }
        }
        if (1..=BLOCKS).contains(&candidate.uses.len()) {
            found.push(candidate);
        }
    }
    found
}

/// For each block, whether it is executed in each round of a loop without others in it, but for such that wait.
fn rounds(function: &Function, flow: &ControlFlow) -> Vec<bool> {
    let mut has_inner = vec![false; flow.loops.len()];
    for inner in &flow.loops {
        let code = inner.blocks.iter().map(|block| function.blocks[*block].code.len());
        if let Some(parent) = inner.parent.filter(|_| code.sum::<usize>() > SPIN) {
            has_inner[parent] = true;
        }
    }
    let each = flow.innermost.iter().enumerate();
    let is_in_rounds = |(block, innermost): (usize, &Option<usize>)| {
        let Some(own) = innermost.filter(|own| !has_inner[*own]) else {
            return false;
        };
        let own = &flow.loops[own];
        let latches = flow.predecessors[own.header]
            .iter()
            .filter(|from| own.blocks.contains(from));
        { latches }.all(|latch| flow.dominates(block, *latch))
    };
    each.map(is_in_rounds).collect()
}

/// The registers that an instruction reads which is cheap and gives the same wherever they hold the same; all are values.
fn operands(function: &Function, values: &Values, maker: u32) -> Option<SmallVec<[Register; 2]>> {
    let instruction = values.instruction(function, maker);
    let cheap = computes(instruction.base.opcode()) || instruction.base.opcode() == Opcode::Mov;
    let plain = instruction.guard.is_none() && instruction.reference.is_none() && instruction.effects.is_none();
    if !cheap || !plain || !is_pure(instruction) {
        return None;
    }
    let mut found: SmallVec<[Register; 2]> = SmallVec::new();
    for touch in instruction.touches() {
        let general = function.info(touch.register).class == RegisterClass::Gpr && touch.words == 1;
        if !general || !values.are_values(touch.register, touch.word, touch.words) {
            return None;
        }
        if touch.access == Access::Read && !found.contains(&touch.register) {
            found.push(touch.register);
        }
    }
    Some(found)
}

/// Whether an operand is live at all places where a register would be computed again.
fn lives_as_long(liveness: &Liveness, values: &Values, operand: Register, candidate: &Candidate) -> bool {
    let word = values.word(operand, 0);
    candidate.uses.iter().all(|&(block, first, _)| {
        let behind = |used: &u32| {
            let place = values.place(*used);
            place.0 == block && place.1 > first
        };
        liveness.out[block].contains(&(word as u32)) || values.uses(word).iter().any(behind)
    })
}

/// The blocks to whose end, or through which, a value lives from its own to those that still use it.
fn still_live(flow: &ControlFlow, home: usize, kept: &[usize]) -> FxHashSet<usize> {
    let mut live: FxHashSet<usize> = kept.iter().copied().collect();
    let mut work = kept.to_vec();
    while let Some(block) = work.pop() {
        for &from in flow.predecessors[block].iter().filter(|_| block != home) {
            if live.insert(from) {
                work.push(from);
            }
        }
    }
    live
}

/// Puts a copy of what makes a register before its first use in each block, and lets the uses there read that.
fn carry_out(function: &mut Function, values: &Values, chosen: &[Candidate]) {
    let mut added: FxHashMap<usize, Vec<(usize, Instruction)>> = FxHashMap::default();
    let mut instead: FxHashMap<(usize, Register), Register> = FxHashMap::default();
    for candidate in chosen {
        for &(block, first, _) in &candidate.uses {
            let own = function.register(RegisterClass::Gpr, 1);
            let mut copy = values.instruction(function, candidate.maker).clone();
            for operand in copy
                .operands
                .iter_mut()
                .filter(|operand| operand.register == candidate.register)
            {
                operand.register = own;
            }
            copy.place = function.blocks[block].code[first].place;
            added.entry(block).or_default().push((first, copy));
            instead.insert((block, candidate.register), own);
        }
    }
    for (block, mut copies) in added {
        copies.sort_by_key(|(at, _)| *at);
        let mut copies = copies.into_iter().peekable();
        let old = std::mem::take(&mut function.blocks[block].code);
        let mut code = Vec::with_capacity(old.len() + copies.len());
        for (at, mut instruction) in old.into_iter().enumerate() {
            while let Some((_, copy)) = copies.next_if(|(place, _)| *place <= at) {
                code.push(copy);
            }
            for operand in &mut instruction.operands {
                if let Some(own) = instead.get(&(block, operand.register)) {
                    operand.register = *own;
                }
            }
            code.push(instruction);
        }
        function.blocks[block].code = code;
    }
}
