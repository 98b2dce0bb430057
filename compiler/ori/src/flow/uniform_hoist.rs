//! What of the uniform registers a loop need not write in each round: constants, copies and sums of what it does not change, and values that it brings there from
//! general registers in each round anew. Words of tuples move one by one, so that of a descriptor only the part that changes is written in the loop.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Opcode as O, RegisterClass};
use warpsmith_target::Isa;

use super::{contended, predicate, shape::Shape, uniform_pressure, varying::Varying};
use crate::{
    allocate::regions,
    graph::{ControlFlow, Loop},
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Uniform registers that stay free in loops, of the 63 of sm_90 and of the 80 from sm_100 on: tuples need aligned ones, and what is made at the very place takes
/// some. (By trial on Triton's kernels.)
const FREE: [usize; 2] = [12, 28];
/// The same on sm_90 where warps give general registers back: what finds no place goes there, and there are few. (By trial on CUTLASS' kernels.)
const FREE_WITH_FEW: usize = 32;

/// Uniform registers that stay free in a function's loops.
pub(super) fn free(function: &Function) -> usize {
    match function.isa() {
        Isa::Sm90 if regions::any(function) => FREE_WITH_FEW,
        Isa::Sm90 => FREE[0],
        _ => FREE[1],
    }
}

/// A word of a register.
type Word = (Register, u8);

/// What a word of a tuple holds: a constant, or a copy of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Held {
    Constant(u64),
    Copy(Word),
}

/// What the words of a tuple hold, as far as it is known.
type Words = SmallVec<[Option<Held>; 4]>;

/// Takes out of loops what they write anew in each round, so that `free` uniform registers stay free there. Of the nodes is said whether all threads of the warp
/// that have not ended run them at one time.
pub(super) fn settle(
    shape: &mut Shape,
    function: &Function,
    flow: &ControlFlow,
    (varying, together): (&Varying, &[bool]),
    free: usize,
    context: &Context<'_>,
) {
    share_tuples(shape, function, flow, context);
    let loops = flow
        .loops
        .iter()
        .filter(|each| entrance(shape, flow, each, together).is_some());
    if loops.count() == 0 {
        return;
    }
    let mut writes: FxHashMap<Word, u32> = FxHashMap::default();
    for word in flow
        .order
        .iter()
        .flat_map(|node| &shape.nodes[*node].code)
        .flat_map(written)
    {
        *writes.entry(word).or_default() += 1;
    }
    let mut peaks = None;
    for each in &flow.loops {
        if let Some(before) = entrance(shape, flow, each, together) {
            Hoist {
                function,
                varying,
                together,
                writes: &writes,
                free,
            }
            .run(shape, flow, (each, before), &mut peaks, context);
        }
    }
}

/// The one node from which a loop is entered, if the warp is together there.
fn entrance(shape: &Shape, flow: &ControlFlow, each: &Loop, together: &[bool]) -> Option<usize> {
    // Calls destroy most of what would stay in uniform registers.
    if each.blocks.iter().any(|node| contended::calls(shape, *node)) {
        return None;
    }
    let outside = flow.predecessors[each.header].iter().copied();
    let mut outside = outside.filter(|from| !each.blocks.contains(from));
    let before = outside.next().filter(|_| outside.next().is_none())?;
    (flow.reached[before] && together[before]).then_some(before)
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Word> + '_ {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.flat_map(|touch| (touch.word..touch.word + touch.words).map(move |word| (touch.register, word)))
}

struct Hoist<'a> {
    function: &'a Function,
    varying: &'a Varying,
    together: &'a [bool],
    /// How often each word is written.
    writes: &'a FxHashMap<Word, u32>,
    /// Uniform registers that stay free.
    free: usize,
}

impl Hoist<'_> {
    fn run(
        &self,
        shape: &mut Shape,
        flow: &ControlFlow,
        (each, before): (&Loop, usize),
        peaks: &mut Option<Vec<usize>>,
        context: &Context<'_>,
    ) {
        let code = || each.blocks.iter().flat_map(|node| &shape.nodes[*node].code);
        let mut inside: FxHashSet<Word> = code().flat_map(written).collect();
        if !code().any(|instruction| self.is_invariant(instruction, &inside)) {
            return;
        }
        let peaks = peaks.get_or_insert_with(|| self.peaks(shape, flow));
        let peak = each.blocks.iter().map(|node| peaks[*node]).max().unwrap_or(0);
        let file = self.function.sm.info().registers.uniform as usize;
        let mut room = file.saturating_sub(self.free + peak);
        let mut moved: Vec<Instruction> = Vec::new();
        for &node in each.blocks.iter().filter(|node| self.together[**node]) {
            shape.nodes[node].code.retain(|instruction| {
                let goes = room > 0 && self.is_invariant(instruction, &inside) && context.fuel.take();
                if goes {
                    room -= 1;
                    written(instruction).for_each(|word| {
                        inside.remove(&word);
                    });
                    moved.push(instruction.clone());
                }
                !goes
            });
        }
        each.blocks.iter().for_each(|node| peaks[*node] += moved.len());
        peaks[before] += moved.len();
        shape.nodes[before].code.extend(moved);
    }

    /// The most words of uniform registers that are live at a time in each node.
    fn peaks(&self, shape: &Shape, flow: &ControlFlow) -> Vec<usize> {
        let code = flow.order.iter().flat_map(|node| &shape.nodes[*node].code);
        let mut registers: Vec<(Register, u8)> = code
            .flat_map(Instruction::touches)
            .filter(|touch| self.is_uniform(touch.register))
            .map(|touch| (touch.register, self.function.info(touch.register).words))
            .collect();
        registers.sort_unstable();
        registers.dedup();
        uniform_pressure::peaks(shape, &flow.order, &registers)
    }

    fn is_uniform(&self, register: Register) -> bool {
        let info = self.function.info(register);
        info.class == RegisterClass::UniformGpr && info.fixed.is_none()
    }

    /// Whether an instruction writes one word of a uniform register, it alone, and the same in each round.
    fn is_invariant(&self, instruction: &Instruction, inside: &FxHashSet<Word>) -> bool {
        let brings = instruction.base.opcode() == O::R2ur && instruction.base.form().name == "UR_R";
        if instruction.guard.is_some()
            || instruction.effects.is_some()
            || instruction.reference.is_some()
            || !(brings || is_plain(instruction.base.opcode()) && predicate::is_pure(instruction))
        {
            return false;
        }
        let mut results = 0;
        instruction.touches().all(|touch| match touch.access {
            Access::Read => {
                let same = !brings || !self.varying.differs(touch.register, touch.word, touch.words);
                let mut words = touch.word..touch.word + touch.words;
                same && words.all(|word| !inside.contains(&(touch.register, word)))
            }
            Access::Write => {
                results += 1;
                let only = self.writes.get(&(touch.register, touch.word)) == Some(&1);
                touch.words == 1 && self.is_uniform(touch.register) && only
            }
            Access::ReadWrite => false,
        }) && results == 1
    }
}

/// Instructions of the uniform datapath that take no time to speak of and give one word.
pub(super) fn is_plain(opcode: O) -> bool {
    matches!(
        opcode,
        O::Umov | O::Uiadd3 | O::Ulea | O::Ulop3 | O::Ushf | O::Usgxt | O::Uimad
    )
}

/// Tuples of the same constants and of copies of the same words become one in each node.
fn share_tuples(shape: &mut Shape, function: &Function, flow: &ControlFlow, context: &Context<'_>) {
    let mut instead: FxHashMap<Register, Register> = FxHashMap::default();
    let mut writes: FxHashMap<Register, u32> = FxHashMap::default();
    for node in &flow.order {
        let code = shape.nodes[*node].code.iter().flat_map(Instruction::touches);
        for touch in code.filter(|touch| touch.access != Access::Read) {
            *writes.entry(touch.register).or_default() += 1;
        }
        // What branches touch stays.
        for touch in shape.nodes[*node].branch().into_iter().flat_map(Instruction::touches) {
            *writes.entry(touch.register).or_default() += 1 << 16;
        }
    }
    for &node in &flow.order {
        // The words of each tuple that are known so far, and where the first of them was set; whole tuples, and where their last word was.
        let mut parts: FxHashMap<Register, (usize, Words)> = FxHashMap::default();
        let mut known: FxHashMap<Words, (usize, Register)> = FxHashMap::default();
        for (place, instruction) in shape.nodes[node].code.iter().enumerate() {
            // What was copied before is another value from here on.
            for word in written(instruction) {
                let copies = |tuple: &Words| tuple.contains(&Some(Held::Copy(word)));
                known.retain(|tuple, _| !copies(tuple));
                parts.retain(|_, (_, tuple)| !copies(tuple));
            }
            let Some((register, word, value)) = held(instruction) else {
                continue;
            };
            let info = function.info(register);
            let whole = writes.get(&register) == Some(&u32::from(info.words));
            if !whole || info.words < 2 || info.fixed.is_some() {
                continue;
            }
            let (start, tuple) = parts
                .entry(register)
                .or_insert_with(|| (place, SmallVec::from_elem(None, info.words.into())));
            tuple[usize::from(word)] = Some(value);
            if tuple.iter().all(Option::is_some) {
                match known.get(tuple) {
                    // A word may be read before the last is set: by then the first tuple must be whole.
                    Some((end, first)) if end < start && context.fuel.take() => {
                        instead.insert(register, *first);
                    }
                    Some(_) => {}
                    None => {
                        known.insert(tuple.clone(), (place, register));
                    }
                }
            }
        }
    }
    if instead.is_empty() {
        return;
    }
    for &node in &flow.order {
        let code = &mut shape.nodes[node].code;
        code.retain(|instruction| held(instruction).is_none_or(|(register, ..)| !instead.contains_key(&register)));
        for operand in code.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            if let Some(first) = instead.get(&operand.register) {
                operand.register = *first;
            }
        }
    }
}

/// The word of a uniform register that an instruction sets to a constant or copies to, and what it holds then.
fn held(instruction: &Instruction) -> Option<(Register, u8, Held)> {
    let base = &instruction.base;
    if instruction.guard.is_some() || instruction.reference.is_some() {
        return None;
    }
    let to = instruction.operands.first().filter(|operand| operand.field == F::URd)?;
    let value = match (base.opcode(), base.form().name, &instruction.operands[1..]) {
        (O::Umov, "UR_I", []) => Held::Constant(base.field(F::Imm)?),
        (O::Umov, "UR_UR", [from]) | (O::R2ur, "UR_R", [from]) => Held::Copy((from.register, from.word)),
        _ => return None,
    };
    Some((to.register, to.word, value))
}
