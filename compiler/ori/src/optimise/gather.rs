//! What one predicate decides comes together, so that it need not live from the first to the last: loads and asynchronous copies to shared memory under it, and
//! choices by it that follow each other with others.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode, Operand, RegisterClass};

use super::number::is_pure;
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Puts choices that follow each other, none of which needs another, in order of their predicates.
pub(super) fn sort_choices(function: &mut Function, block: usize, context: &Context<'_>) {
    let mut code = std::mem::take(&mut function.blocks[block].code);
    let mut from = 0;
    while from < code.len() {
        let mut ranks: FxHashMap<Register, usize> = FxHashMap::default();
        let mut written: FxHashSet<Register> = FxHashSet::default();
        let mut read: FxHashSet<Register> = FxHashSet::default();
        let run = code[from..].iter().map_while(|instruction| {
            let by = decided_by(function, instruction)?;
            let free = instruction.touches().all(|touch| {
                !written.contains(&touch.register) && (touch.access == Access::Read || !read.contains(&touch.register))
            });
            for touch in instruction.touches() {
                match touch.access {
                    Access::Read => read.insert(touch.register),
                    Access::Write | Access::ReadWrite => written.insert(touch.register),
                };
            }
            let next = ranks.len();
            free.then(|| *ranks.entry(by).or_insert(next))
        });
        let ranked: Vec<usize> = run.collect();
        let end = from + ranked.len();
        if !ranked.is_sorted() && context.fuel.take() {
            let mut sorted: Vec<(usize, Instruction)> =
                ranked.into_iter().zip(code[from..end].iter().cloned()).collect();
            sorted.sort_by_key(|(rank, _)| *rank);
            code.splice(from..end, sorted.into_iter().map(|(_, instruction)| instruction));
        }
        from = end.max(from + 1);
    }
    function.blocks[block].code = code;
}

/// The one predicate by which an instruction chooses that has no other effect.
fn decided_by(function: &Function, instruction: &Instruction) -> Option<Register> {
    let plain = instruction.guard.is_none() && instruction.base.memory().is_empty() && is_pure(instruction);
    let is_predicate = |register: Register| function.info(register).class == RegisterClass::Predicate;
    let mut predicates = instruction.touches().filter(|touch| is_predicate(touch.register));
    let only = predicates
        .next()
        .filter(|touch| touch.access == Access::Read && plain)?;
    predicates.next().is_none().then_some(only.register)
}

/// Where the instructions of a block write and read each register.
#[derive(Default)]
struct Places {
    writes: FxHashMap<Register, SmallVec<[usize; 2]>>,
    reads: FxHashMap<Register, SmallVec<[usize; 2]>>,
}

impl Places {
    fn of(code: &[Instruction]) -> Places {
        let mut places = Places::default();
        for (at, instruction) in code.iter().enumerate() {
            for touch in instruction.touches() {
                if touch.access != Access::Read {
                    places.writes.entry(touch.register).or_default().push(at);
                }
                if touch.access != Access::Write {
                    places.reads.entry(touch.register).or_default().push(at);
                }
            }
        }
        places
    }

    /// The places between two others, without these, where a register is written.
    fn written(&self, register: Register, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let writes = self.writes.get(&register).into_iter().flatten().copied();
        writes.filter(move |at| (from + 1..to).contains(at))
    }

    /// The places where it is read.
    fn read(&self, register: Register, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let reads = self.reads.get(&register).into_iter().flatten().copied();
        reads.filter(move |at| (from + 1..to).contains(at))
    }
}

/// Loads under one predicate, at most: one that more need stays where it is in any case.
const FEW: usize = 4;

/// Moves loads, with what makes their addresses and fills their results, behind the first under the same guard since memory was written.
pub(super) fn gather(function: &mut Function, block: usize, context: &Context<'_>) {
    let code = &function.blocks[block].code;
    let places = Places::of(code);
    let mut many: FxHashMap<(Register, bool), usize> = FxHashMap::default();
    for condition in code
        .iter()
        .filter(|one| is_load(one) || is_copy(one))
        .filter_map(condition)
    {
        *many.entry(condition).or_default() += 1;
    }
    let mut first: FxHashMap<(Register, bool), usize> = FxHashMap::default();
    // For each instruction, behind which it goes.
    let mut behind: Vec<Option<usize>> = vec![None; code.len()];
    for (at, instruction) in code.iter().enumerate() {
        if !is_load(instruction) && !is_copy(instruction) {
            let touches_memory = !instruction.base.memory().is_empty() && !is_pure(instruction);
            if touches_memory || instruction.is_fence() || instruction.effects.is_some() {
                first.clear();
            }
            continue;
        }
        let Some(condition) = condition(instruction).filter(|condition| many[condition] <= FEW) else {
            continue;
        };
        let from = *first.entry(condition).or_insert(at);
        let between = code.get(from + 1..at).unwrap_or_default();
        if is_copy(instruction) && !between.iter().all(|other| are_apart(other, instruction)) {
            continue;
        }
        let Some(along) = along(code, &places, from, at).filter(|_| from + 1 < at) else {
            continue;
        };
        if along.iter().all(|with| behind[*with].is_none_or(|known| known <= from)) {
            for moved in along.into_iter().chain([at]) {
                behind[moved].get_or_insert(from);
            }
        }
    }
    if behind.iter().all(Option::is_none) || !context.fuel.take() {
        return;
    }
    let mut order: Vec<usize> = (0..code.len()).collect();
    order.sort_by_key(|at| (behind[*at].unwrap_or(*at), *at));
    let mut old: Vec<Option<Instruction>> = std::mem::take(&mut function.blocks[block].code)
        .into_iter()
        .map(Some)
        .collect();
    function.blocks[block].code = order.into_iter().filter_map(|at| old[at].take()).collect();
}

/// Whether an instruction only loads, and may do so earlier as long as memory is the same.
fn is_load(instruction: &Instruction) -> bool {
    instruction.base.opcode() == Opcode::Ldg && instruction.marks.weak && instruction.effects.is_none()
}

/// Bytes that a thread copies at once, at most.
const COPIED: i64 = 16;

/// Whether an instruction is a copy from global to shared memory that a thread does not wait for.
fn is_copy(instruction: &Instruction) -> bool {
    instruction.base.opcode() == Opcode::Ldgsts && instruction.effects.is_none()
}

/// Whether an instruction is no copy, or one to another place of shared memory: so many bytes from the same register, which is written once. (Where other threads
/// copy to is not in order in any case.)
fn are_apart(other: &Instruction, copy: &Instruction) -> bool {
    let place = |instruction: &Instruction| {
        let mut operands = instruction.operands.iter();
        let base = operands.find(|operand| operand.field == FieldName::Rd)?;
        let offset = instruction.base.operands().find_map(|operand| match operand {
            Operand::Number {
                name: FieldName::SharedOffset,
                value,
            } => Some(value),
            _ => None,
        });
        let zero = (instruction.base.field(FieldName::SharedOffset) == Some(0)).then_some(0);
        Some((base.register, base.word, offset.or(zero)?))
    };
    if !is_copy(other) {
        return true;
    }
    let (Some(a), Some(b)) = (place(other), place(copy)) else {
        return false;
    };
    (a.0, a.1) == (b.0, b.1) && (a.2 - b.2).abs() >= COPIED
}

/// The predicate under which an instruction loads, and whether it is negated. A copy may have one that says whether it copies or fills with zeros.
fn condition(instruction: &Instruction) -> Option<(Register, bool)> {
    let fills = instruction
        .operands
        .iter()
        .find(|operand| operand.field == FieldName::Pp);
    let guard = instruction.guard.map(|guard| (guard.register, guard.negated));
    fills.map(|operand| (operand.register, false)).or(guard)
}

/// Instructions that move with a load, at most.
const ALONG: usize = 8;

/// What a load at `at` needs to stand behind `from`: the instructions between that make its address and fill its results. `None` if it cannot.
fn along(code: &[Instruction], places: &Places, from: usize, at: usize) -> Option<SmallVec<[usize; ALONG]>> {
    let mut along: SmallVec<[usize; ALONG]> = SmallVec::new();
    let mut work: SmallVec<[usize; ALONG]> = SmallVec::from_slice(&[at]);
    while let Some(reader) = work.pop() {
        for touch in code[reader].touches() {
            for maker in places.written(touch.register, from, reader) {
                let plain =
                    code[maker].guard.is_none() && is_pure(&code[maker]) && code[maker].base.memory().is_empty();
                if !plain || along.len() == ALONG {
                    return None;
                }
                if !along.contains(&maker) {
                    along.push(maker);
                    work.push(maker);
                }
            }
        }
    }
    // Nothing that stays between may read or write what moves writes.
    let moves = |other: usize| other == at || along.contains(&other);
    let stay = along.iter().chain([&at]).all(|moved| {
        let writes = code[*moved].touches().filter(|touch| touch.access != Access::Read);
        { writes }.all(|touch| {
            let read = places.read(touch.register, from, at);
            let written = places.written(touch.register, from, at);
            read.chain(written).all(moves)
        })
    });
    stay.then_some(along)
}
