//! Rematerialisation: what a spilled register holds is computed again where it is needed, if one or two cheap instructions make it from constants, from what
//! a thread always knows of itself, or from registers that are live there anyway and still hold what they held.
//!
//! The operands must be live wherever the register is loaded, so that nothing lives longer for it, and keep their registers, or be made from nothing
//! themselves ([`super::chains`]). That they have not changed
//! follows from the flow of control: no way from the definition of an operand leads to the load but through the instruction that made the value.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, MemorySpace, Opcode, RegisterClass};

use super::{
    Origin,
    chains::{Chain, SHORT, uniform_room},
    plan::Plan,
};
use crate::{
    allocate::ranges::Ranges,
    flow::varying::special,
    ir::{BlockId, Function, Instruction, Register},
};

/// Instructions with what the checker of allocation is told of them.
pub(super) type Code = Vec<(Instruction, Origin)>;

/// Instructions that are not more work than a load.
const MOST: usize = 2;

/// Words of a register that is computed again, at most.
const WIDEST: u8 = 4;

/// Special registers that a thread always reads the same of.
const LASTING: [&str; 8] = [
    "SR_CgaCtaId",
    "SR_LANEID",
    "SR_TID.X",
    "SR_TID.Y",
    "SR_TID.Z",
    "SR_CTAID.X",
    "SR_CTAID.Y",
    "SR_CTAID.Z",
];

/// The special register that is zero.
const ZERO: &str = "SRZ";

/// A block and the index of an instruction in it.
type Place = (usize, usize);

/// What makes a register.
#[derive(Clone, Default)]
struct Made {
    code: Code,
    places: Vec<Place>,
    written: u128,
    refused: bool,
}

/// What makes each spilled register, and where every register is written: how often, and its only place, if there is one.
struct Makers {
    made: Vec<Option<Made>>,
    writers: Vec<(u32, Option<Place>)>,
}

impl Makers {
    fn of(function: &Function, origins: &[Vec<Origin>], plan: &Plan) -> Makers {
        let mut made: Vec<Option<Made>> = vec![None; function.registers.len()];
        for register in &plan.spilled {
            made[*register as usize] = Some(Made::default());
        }
        let mut writers: Vec<(u32, Option<Place>)> = vec![(0, None); function.registers.len()];
        for (block, origins) in origins.iter().enumerate() {
            let code = function.blocks[block].code.iter().zip(origins);
            for (index, (instruction, origin)) in code.enumerate() {
                for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                    let writer = &mut writers[touch.register.0 as usize];
                    *writer = (
                        writer.0 + 1,
                        Some((block, index)).filter(|_| instruction.guard.is_none()),
                    );
                    if let Some(made) = &mut made[touch.register.0 as usize] {
                        made.add(instruction, *origin, (block, index), (touch.word, touch.words));
                    }
                }
            }
        }
        for (made, info) in made.iter_mut().zip(&function.registers) {
            let much = |made: &Made| made.code.len() > MOST || info.words > WIDEST;
            made.take_if(|made| made.refused || made.code.is_empty() || much(made) && !made.is_constant());
        }
        Makers { made, writers }
    }
}

impl Made {
    /// Whether nothing has to be read to make it: it is then made word by word, as it is needed.
    fn is_constant(&self) -> bool {
        let code = self.code.iter().flat_map(|(instruction, _)| instruction.touches());
        { code }.all(|touch| touch.access == Access::Write)
    }

    /// An instruction that writes some of the words.
    fn add(&mut self, instruction: &Instruction, origin: Origin, place: Place, (word, words): (u8, u8)) {
        // A sum of products may have all 128.
        let mask = u128::MAX.checked_shr(u128::BITS - u32::from(words)).unwrap_or(0) << word;
        match again(origin) {
            Some(origin) if is_cheap(instruction) && self.written & mask == 0 => {
                self.written |= mask;
                self.code.push((instruction.clone(), origin));
                self.places.push(place);
            }
            Some(_) | None => self.refused = true,
        }
    }
}

/// The spilled registers that need no memory, with the code that makes them: each word is written once, for all threads.
pub(super) fn computable(
    function: &Function,
    origins: &[Vec<Origin>],
    plan: &Plan,
    ranges: &Ranges,
) -> Vec<(u32, Code)> {
    let Makers { mut made, writers } = Makers::of(function, origins, plan);
    let chains = &plan.chains;
    let mut room: Option<u32> = None;
    let mut operands = Operands {
        function,
        plan,
        ranges,
        writers: &writers,
        starts: starts(function),
        loads: loads(plan),
        successors: Vec::new(),
    };
    let each = plan.spilled.iter().filter_map(|register| {
        if let Some(made) = made[*register as usize].take()
            && operands.are_there(*register, &made)
        {
            return Some((*register, made.code));
        }
        if !chains.gives(*register) {
            return None;
        }
        let chain = chains.code(function, origins, Register(*register))?;
        // In the rounds of a loop, two instructions are no more than a load, which waits for memory; more are.
        let is_busy = |load: &Place| plan.busy.get(load.0).copied().unwrap_or(false);
        if chain.code.len() > usize::from(SHORT) && operands.loads(*register).iter().any(is_busy) {
            return None;
        }
        if !chain.uniform.is_empty() {
            let room = room.get_or_insert_with(|| uniform_room(function, ranges));
            let stay = operands.are_unchanged(*register, &chain);
            *room = room.checked_sub(chain.uniform.len() as u32).filter(|_| stay)?;
        }
        Some((*register, chain.code))
    });
    each.collect()
}

/// The spilled registers from which at least two others could be computed again if they kept their places.
fn worth_keeping(function: &Function, origins: &[Vec<Origin>], plan: &Plan) -> Vec<u32> {
    let makers = Makers::of(function, origins, plan);
    let mut users = vec![0_u32; function.registers.len()];
    for made in plan
        .spilled
        .iter()
        .filter_map(|register| makers.made[*register as usize].as_ref())
    {
        let code = made.code.iter().flat_map(|(instruction, _)| instruction.touches());
        for touch in code.filter(|touch| touch.access != Access::Write) {
            users[touch.register.0 as usize] += 1;
        }
    }
    let spilled = plan.spilled.iter().copied();
    let single = |register: &u32| matches!(makers.writers[*register as usize], (1, Some(_)));
    spilled
        .filter(|register| users[*register as usize] >= 2 && single(register))
        .collect()
}

/// Loads from memory that a plan takes, and registers that it stores.
fn cost(function: &Function, origins: &[Vec<Origin>], plan: &Plan, ranges: &Ranges) -> usize {
    let mut in_memory = vec![false; function.registers.len()];
    plan.spilled
        .iter()
        .for_each(|register| in_memory[*register as usize] = true);
    for (register, _) in computable(function, origins, plan, ranges) {
        in_memory[register as usize] = false;
    }
    let loads = plan.loads.iter().flatten().filter(|load| in_memory[load.1 as usize]);
    loads.count() + in_memory.iter().filter(|own| **own).count()
}

/// The better of two plans: the one given, and the one in which registers stay from which others can be computed again. `plan_with` plans with registers
/// that stay.
pub(crate) fn sparing(
    function: &Function,
    origins: &[Vec<Origin>],
    plan: Plan,
    ranges: &Ranges,
    plan_with: impl FnOnce(&[u32]) -> Plan,
) -> Plan {
    let kept = worth_keeping(function, origins, &plan);
    if kept.is_empty() {
        return plan;
    }
    let other = plan_with(&kept);
    match cost(function, origins, &other, ranges) < cost(function, origins, &plan, ranges) {
        true => other,
        false => plan,
    }
}

/// What a copy of an instruction is to the checker; what allocation itself has added is no original.
pub(super) fn again(origin: Origin) -> Option<Origin> {
    match origin {
        Origin::Of(number) | Origin::Again(number) => Some(Origin::Again(number)),
        Origin::Added => None,
    }
}

/// Where each register is loaded.
fn loads(plan: &Plan) -> FxHashMap<u32, Vec<Place>> {
    let mut found: FxHashMap<u32, Vec<Place>> = FxHashMap::default();
    for (block, loads) in plan.loads.iter().enumerate() {
        for (offset, register) in loads {
            found.entry(*register).or_default().push((block, *offset as usize));
        }
    }
    found
}

/// The number of the first instruction of each block.
fn starts(function: &Function) -> Vec<u32> {
    let lengths = function.blocks.iter().map(|block| block.code.len() as u32);
    let each = lengths.scan(0, |next, length| {
        let start = *next;
        *next += length;
        Some(start)
    });
    each.collect()
}

/// Whether an operation gives the same whenever its operands are the same, at the price of one instruction that waits for nothing.
pub(crate) fn computes(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Iadd3 | Opcode::Imad | Opcode::Lea | Opcode::Lop3 | Opcode::Shf
    )
}

/// Whether an instruction gives the same whenever its operands are the same, and costs no more than a load.
pub(super) fn is_cheap(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    let plain = instruction.guard.is_none() && instruction.reference.is_none() && instruction.effects.is_none();
    let constants = base.memory().iter().all(|access| access.space == MemorySpace::Constant);
    let reads = instruction
        .touches()
        .filter(|touch| touch.access != Access::Write)
        .count();
    let known = match base.opcode() {
        Opcode::Mov | Opcode::Ldc => reads == 0,
        Opcode::S2r => special(instruction).is_some_and(|name| LASTING.contains(&name)),
        Opcode::Cs2r => special(instruction) == Some(ZERO),
        opcode => computes(opcode),
    };
    let results = instruction.touches().filter(|touch| touch.access != Access::Read);
    plain && constants && known && results.count() == 1
}

/// What is known of the registers that instructions read.
struct Operands<'a> {
    function: &'a Function,
    plan: &'a Plan,
    ranges: &'a Ranges,
    writers: &'a [(u32, Option<Place>)],
    starts: Vec<u32>,
    /// Where each spilled register is loaded.
    loads: FxHashMap<u32, Vec<Place>>,
    /// For each block, where control goes; empty until someone asks.
    successors: Vec<smallvec::SmallVec<[BlockId; 2]>>,
}

impl Operands<'_> {
    /// Whether the operands of what makes a register are there, as they were, wherever it is loaded.
    fn are_there(&mut self, register: u32, made: &Made) -> bool {
        let mut loads: Vec<Place> = Vec::new();
        for ((instruction, _), place) in made.code.iter().zip(&made.places) {
            for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
                if loads.is_empty() {
                    loads = self.loads(register).to_vec();
                }
                let words = touch.word..touch.word + touch.words;
                let lives = |at: &Place| words.clone().all(|word| self.is_live(touch.register, word, *at));
                if !self.may_be_read(touch.register) || !loads.iter().all(lives) {
                    return false;
                }
                if let (_, Some(written)) = self.writers[touch.register.0 as usize]
                    && self.changes(written, *place, &loads)
                {
                    return false;
                }
            }
        }
        true
    }

    /// Whether uniform registers hold what they held where a chain of instructions made a register of them, wherever that is loaded: since they are written,
    /// each instruction from the first that reads them on comes before the next, and the last before the load.
    fn are_unchanged(&mut self, register: u32, chain: &Chain) -> bool {
        let loads = self.loads(register).to_vec();
        chain.uniform.iter().all(|(operand, first)| {
            let Some(written) = self.writers[operand.0 as usize]
                .1
                .filter(|_| self.may_be_read(*operand))
            else {
                return false;
            };
            (*first..chain.places.len()).all(|index| {
                let next = chain.places.get(index + 1).map_or(&loads[..], std::slice::from_ref);
                !self.changes(written, chain.places[index], next)
            })
        })
    }

    /// Where a register is loaded.
    fn loads(&self, register: u32) -> &[Place] {
        self.loads.get(&register).map_or(&[], |loads| loads)
    }

    /// Whether a register keeps its place and is written once, for all threads.
    fn may_be_read(&self, register: Register) -> bool {
        let function = self.function;
        let general = matches!(
            function.info(register).class,
            RegisterClass::Gpr | RegisterClass::UniformGpr
        );
        let moves = [function.stack, function.frame].contains(&Some(register));
        let once = matches!(self.writers[register.0 as usize], (1, Some(_)));
        general && !moves && once && self.plan.spilled.binary_search(&register.0).is_err()
    }

    /// Whether a word is live before an instruction, or at the end of a block.
    fn is_live(&self, register: Register, word: u8, (block, index): Place) -> bool {
        let at = match index < self.function.blocks[block].code.len() {
            true => 2 * (self.starts[block] + index as u32),
            false => (2 * (self.starts[block] + index as u32)).saturating_sub(1),
        };
        let segments = self.ranges.of(register.0, word);
        let next = segments.partition_point(|segment| segment.end <= at);
        segments.get(next).is_some_and(|segment| segment.start <= at)
    }

    /// Whether some way leads from the definition of an operand to a load without the instruction that made the value.
    fn changes(&mut self, operand: Place, maker: Place, loads: &[Place]) -> bool {
        // Within a block, from one instruction on: whether a load comes before the maker does, and whether control goes on to the end.
        let follow = |block: usize, from: usize| {
            let stop = (maker.0 == block && maker.1 >= from).then_some(maker.1);
            let reached = |load: &Place| load.0 == block && load.1 >= from && stop.is_none_or(|stop| load.1 <= stop);
            (loads.iter().any(reached), stop.is_none())
        };
        let (reached, mut leaves) = follow(operand.0, operand.1 + 1);
        if reached {
            return true;
        }
        if self.successors.is_empty() {
            let blocks = 0..self.function.blocks.len() as u32;
            self.successors = blocks.map(|block| self.function.successors(BlockId(block))).collect();
        }
        let mut seen = vec![false; self.function.blocks.len()];
        let mut work = vec![operand.0];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut leaves, true) {
                for to in &self.successors[block] {
                    let to = to.0 as usize;
                    if std::mem::replace(&mut seen[to], true) {
                        continue;
                    }
                    let (reached, goes_on) = follow(to, 0);
                    if reached {
                        return true;
                    }
                    if goes_on {
                        work.push(to);
                    }
                }
            }
        }
        false
    }
}
