//! Which values differ between the threads of a warp, and where the threads of a warp may be at different places.
//!
//! A word of a register is the same in all threads that are together if everything that it is computed from is, and, where it has several definitions,
//! none of them stands where threads are apart. What is known to be the same: constants, parameters, numbers of the CTA, and what the warp votes on or
//! reads at one address of shared or global memory while it is together. Everything else that is not computed from such differs: thread numbers, clocks, what
//! atomic operations give.
//!
//! Threads are apart from a branch on a differing predicate to where they meet again. In a loop that they leave at different rounds, that is all of the loop:
//! so what is counted in it differs too, as it does between threads that have left it. A thread that those who were with it have elected is alone up to where
//! they meet, and parts from nobody.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::shape::{Node, Shape};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register, Touch},
    select::{Request, Value},
};

/// The most nodes between an election and where threads meet again that are looked at.
const LARGEST_REGION: usize = 128;

/// What differs between the threads of a warp.
#[derive(Debug)]
pub(crate) struct Varying {
    /// For each register, the number of its first word.
    first: Vec<u32>,
    /// For each word, whether it differs.
    words: Vec<bool>,
    /// For each node, whether its branch sends threads of a warp different ways.
    pub(crate) parts: Vec<bool>,
    /// For each node, whether threads of a warp may run it at different times.
    pub(crate) apart: Vec<bool>,
}

/// An instruction's place: the node and its index there; the branch has the index behind the last instruction.
type Place = (u32, u32);

struct Analysis<'a> {
    function: &'a Function,
    shape: &'a Shape,
    flow: &'a ControlFlow,
    result: Varying,
    /// What each instruction reads and writes.
    used: Used,
    /// Definitions and readers of each word.
    definitions: Lists,
    readers: Lists,
    /// Instructions to look at, by number.
    work: Vec<u32>,
    /// Instructions of which all results differ: nothing is left to find out.
    done: Vec<bool>,
    /// The branch, plus one, whose threads were last found in each node.
    seen: Vec<u32>,
    /// For each node, whether a thread is alone there.
    lone: Vec<bool>,
    /// The x extent of the CTA is a multiple of 32, so that the other coordinates are the same in a warp.
    rows: bool,
}

/// Consecutive words of a register that an instruction reads or writes.
#[derive(Clone, Copy)]
struct Words {
    /// The number of the first.
    start: u32,
    register: Register,
    count: u8,
    access: Access,
    /// They are what the field `Ra` reads.
    is_first_source: bool,
}

impl Words {
    fn range(&self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.count)
    }
}

/// What the instructions that are reached read and write, by number: worked out once, looked at often.
struct Used {
    /// Where each instruction stands.
    places: Vec<Place>,
    /// For each instruction, the index of the first of its words; then their number.
    starts: Vec<u32>,
    words: Vec<Words>,
    /// For each node, the number of its first instruction.
    numbers: Vec<u32>,
}

impl Used {
    fn of(first: &[u32], shape: &Shape, flow: &ControlFlow) -> Used {
        let count: usize = flow.order.iter().map(|node| shape.nodes[*node].code.len() + 1).sum();
        let mut used = Used {
            places: Vec::with_capacity(count),
            starts: Vec::with_capacity(count + 1),
            words: Vec::with_capacity(4 * count),
            numbers: vec![0; shape.nodes.len()],
        };
        for &node in &flow.order {
            used.numbers[node] = used.places.len() as u32;
            for (index, instruction) in all(&shape.nodes[node]).enumerate() {
                used.places.push((node as u32, index as u32));
                used.starts.push(used.words.len() as u32);
                instruction.touches().for_each(|touch| {
                    used.words.push(Words {
                        start: first[touch.register.0 as usize] + u32::from(touch.word),
                        register: touch.register,
                        count: touch.words,
                        access: touch.access,
                        is_first_source: touch.field == Some(FieldName::Ra),
                    });
                });
            }
        }
        used.starts.push(used.words.len() as u32);
        used
    }

    fn of_instruction(&self, number: usize) -> &[Words] {
        &self.words[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// Lists of instructions by word, one after the other.
struct Lists {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// The instructions that touch each word in a way that counts.
    fn of(words: usize, used: &Used, counts: impl Fn(&Words) -> bool) -> Lists {
        let mut starts = vec![0_u32; words + 1];
        for touched in used.words.iter().filter(|touched| counts(touched)) {
            for word in touched.range() {
                starts[word + 1] += 1;
            }
        }
        for index in 0..words {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts[words] as usize];
        for number in 0..used.places.len() {
            for touched in used.of_instruction(number).iter().filter(|touched| counts(touched)) {
                for slot in &mut next[touched.range()] {
                    numbers[*slot as usize] = number as u32;
                    *slot += 1;
                }
            }
        }
        Lists { starts, numbers }
    }

    fn get(&self, word: usize) -> &[u32] {
        &self.numbers[self.starts[word] as usize..self.starts[word + 1] as usize]
    }
}

impl Varying {
    /// Analyses a function whose blocks are in the shape.
    pub(crate) fn of(function: &Function, shape: &Shape, flow: &ControlFlow) -> Varying {
        let mut first = Vec::with_capacity(function.registers.len());
        let mut count = 0_u32;
        for register in &function.registers {
            first.push(count);
            count += u32::from(register.words);
        }
        let words = count as usize;
        let nodes = shape.nodes.len();
        let used = Used::of(&first, shape, flow);
        // Threads of one warp may call a function at different times, and cycles with several entries have no barriers.
        let loose = !function.kernel || flow.irreducible;
        let rows = function.required_threads.is_some_and(|extents| extents[0] % 32 == 0);
        let mut analysis = Analysis {
            function,
            shape,
            flow,
            result: Varying {
                first,
                words: vec![false; words],
                parts: vec![false; nodes],
                apart: vec![loose; nodes],
            },
            definitions: Lists::of(words, &used, |touched| touched.access != Access::Read),
            readers: Lists::of(words, &used, |touched| touched.access != Access::Write),
            work: Vec::new(),
            done: vec![false; used.places.len()],
            used,
            seen: vec![0; nodes],
            lone: lone_nodes(shape, flow),
            rows,
        };
        analysis.run();
        analysis.result
    }

    /// Whether any of these words of a register differs. Of registers that are newer than the analysis nothing is known.
    pub(crate) fn differs(&self, register: Register, word: u8, words: u8) -> bool {
        self.first.get(register.0 as usize).is_none_or(|first| {
            let start = *first as usize + usize::from(word);
            let words = &self.words[start..start + usize::from(words)];
            words.iter().any(|differs| *differs)
        })
    }
}

/// The instructions of a node, its branch last.
fn all(node: &Node) -> impl Iterator<Item = &Instruction> {
    node.code.iter().chain(node.branch())
}

impl Analysis<'_> {
    fn run(&mut self) {
        for (index, info) in self.function.registers.iter().enumerate() {
            let start = self.result.first[index] as usize;
            let is_uniform = self.is_uniform(Register(index as u32));
            for word in start..start + usize::from(info.words) {
                let definitions = self.definitions.get(word);
                let node = |number: &u32| self.used.places[*number as usize].0 as usize;
                let apart = definitions.len() > 1 && definitions.iter().any(|number| self.result.apart[node(number)]);
                if !is_uniform && (definitions.is_empty() || apart) {
                    self.mark(word);
                }
            }
        }
        for number in 0..self.used.places.len() {
            self.visit(number);
        }
        while let Some(number) = self.work.pop() {
            self.visit(number as usize);
        }
    }

    /// Whether an instruction makes the number of the warp in its row of the CTA, or a part of it: the thread's number there without its lowest five bits.
    fn is_warp_number(&self, instruction: &Instruction) -> bool {
        if !self.rows || instruction.base.opcode() != Opcode::Shf || instruction.guard.is_some() {
            return false;
        }
        let right = Request::of(instruction).filter(|request| request.says(FieldName::Direction) == "R");
        let Some([low, amount, high]) = right.as_ref().map(Request::sources) else {
            return false;
        };
        let (Value::Zero, Value::Immediate(5..=31), Value::Register(word)) = (low.value, amount.value, high.value)
        else {
            return false;
        };
        let start = self.result.first[word.register.0 as usize] as usize + usize::from(word.word);
        let [number] = *self.definitions.get(start) else {
            return false;
        };
        let (node, at) = self.used.places[number as usize];
        let definition = self.shape.nodes[node as usize].code.get(at as usize);
        definition.is_some_and(|thread| {
            thread.base.opcode() == Opcode::S2r && thread.guard.is_none() && special(thread) == Some("SR_TID.X")
        })
    }

    fn is_uniform(&self, register: Register) -> bool {
        let class = self.function.info(register).class;
        matches!(class, RegisterClass::UniformGpr | RegisterClass::UniformPredicate)
    }

    /// A word differs: so may what is computed from it.
    fn mark(&mut self, word: usize) {
        if !std::mem::replace(&mut self.result.words[word], true) {
            self.work.extend_from_slice(self.readers.get(word));
        }
    }

    fn visit(&mut self, number: usize) {
        if self.done[number] {
            return;
        }
        let shape = self.shape;
        let place = self.used.places[number];
        let node = &shape.nodes[place.0 as usize];
        let at = place.1 as usize;
        let Some(instruction) = node.code.get(at).or(node.branch()) else {
            return;
        };
        let together = !self.result.apart[place.0 as usize];
        let broadcasts = is_broadcast(instruction);
        let used = self.used.of_instruction(number);
        let inputs = || {
            used.iter().any(|touched| {
                let counts = touched.access != Access::Write && !(broadcasts && touched.is_first_source);
                counts && self.result.words[touched.range()].contains(&true)
            })
        };
        if at == node.code.len() {
            if inputs() {
                self.part(place.0 as usize);
            }
            return;
        }
        if !result_differs(instruction, inputs, together, self.rows) || self.is_warp_number(instruction) {
            return;
        }
        // A uniform register has one value, whatever writes it, for threads that are together.
        let is_shared = |touched: &Words| together && self.is_uniform(touched.register) && !inputs();
        let writes = || used.iter().filter(|touched| touched.access != Access::Read);
        let differ: SmallVec<[Words; 2]> = writes().filter(|touched| !is_shared(touched)).copied().collect();
        self.done[number] = differ.len() == writes().count();
        for touched in differ {
            touched.range().for_each(|word| self.mark(word));
        }
    }

    /// Threads part at the end of a node.
    fn part(&mut self, node: usize) {
        if self.lone[node] || std::mem::replace(&mut self.result.parts[node], true) {
            return;
        }
        let meeting = self.flow.postdominator[node];
        // Those who only end do not meet the others, who are together without them.
        let ways: SmallVec<[usize; 2]> = self.shape.nodes[node].targets().collect();
        let staying = ways.iter().filter(|to| !self.flow.only_ends(node, **to)).count();
        let mut work: Vec<usize> = Vec::new();
        for to in ways {
            if staying != 1 || self.flow.only_ends(node, to) {
                work.push(to);
            }
        }
        let stamp = node as u32 + 1;
        while let Some(block) = work.pop() {
            if Some(block) == meeting || std::mem::replace(&mut self.seen[block], stamp) == stamp {
                continue;
            }
            if !std::mem::replace(&mut self.result.apart[block], true) {
                self.came_apart(block);
            }
            work.extend(&self.flow.successors[block]);
        }
    }

    /// What is defined here and elsewhere differs; and what the warp does together is looked at again.
    fn came_apart(&mut self, node: usize) {
        let mut words: Vec<usize> = Vec::new();
        for (index, instruction) in all(&self.shape.nodes[node]).enumerate() {
            let shared = |touch: Touch| touch.access != Access::Read && self.is_uniform(touch.register);
            let info = instruction.base.opcode().info();
            let reads = matches!(info.opcode, Opcode::Syncs | Opcode::Ldg | Opcode::Lds);
            if info.collective || reads || instruction.touches().any(shared) {
                self.work.push(self.used.numbers[node] + index as u32);
            }
            for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                let start = self.result.first[touch.register.0 as usize] as usize + usize::from(touch.word);
                words.extend(
                    (start..start + usize::from(touch.words)).filter(|word| self.definitions.get(*word).len() > 1),
                );
            }
        }
        for word in words {
            self.mark(word);
        }
    }
}

/// For each node, whether a thread is alone there: it lies between a branch on the predicate by which threads have elected one of them right before and the place
/// where they meet again, there is no other way in, and nobody waits for others. (Observed, ptxas 13.0.88: no `YIELD` and no convergence barrier for loops there.)
fn lone_nodes(shape: &Shape, flow: &ControlFlow) -> Vec<bool> {
    let mut lone = vec![false; shape.nodes.len()];
    for &node in &flow.order {
        let (Some(first), Some(meeting)) = (elected(&shape.nodes[node]), flow.postdominator[node]) else {
            continue;
        };
        let mut region: Vec<usize> = Vec::new();
        let mut work = vec![first];
        while let Some(at) = work.pop() {
            if at != meeting && !region.contains(&at) && region.len() < LARGEST_REGION {
                region.push(at);
                work.extend(&flow.successors[at]);
            }
        }
        let enters = |at: &usize| {
            let mut from = flow.predecessors[*at].iter().filter(|from| flow.reached[**from]);
            !from.all(|from| region.contains(from) || *at == first && *from == node)
        };
        let waits = |at: &usize| {
            let mut code = shape.nodes[*at].code.iter();
            code.any(|instruction| instruction.base.opcode() == Opcode::Warpsync)
        };
        let is_whole = region.len() < LARGEST_REGION && !region.contains(&node);
        if is_whole && !region.iter().any(|at| enters(at) || waits(at)) {
            region.iter().for_each(|at| lone[*at] = true);
        }
    }
    lone
}

/// Where one thread goes alone of those that come to the end of a node.
fn elected(node: &Node) -> Option<usize> {
    let super::shape::End::Branch(branch) = &node.end else {
        return None;
    };
    let guard = branch.condition()?;
    let writes = |instruction: &&Instruction| {
        let mut touches = instruction.touches();
        touches.any(|touch| touch.access != Access::Read && touch.register == guard.register)
    };
    let election = node.code.iter().rfind(writes)?;
    let elects = election.base.opcode() == Opcode::Elect && election.guard.is_none();
    let to = if guard.negated { branch.other } else { branch.taken };
    (elects && branch.taken != branch.other).then_some(to)
}

/// Whether the results of an instruction may differ between threads that run it. `inputs` tells whether what it reads does.
fn result_differs(instruction: &Instruction, inputs: impl Fn() -> bool, together: bool, rows: bool) -> bool {
    let info = instruction.base.opcode().info();
    match info.opcode {
        Opcode::S2r | Opcode::Cs2r | Opcode::S2ur | Opcode::Cs2ur => special_differs(instruction, rows) || inputs(),
        // The result is one for the warp; threads that come at different times may each have their own.
        Opcode::Vote | Opcode::Voteu | Opcode::Redux | Opcode::Credux | Opcode::R2ur => !together,
        Opcode::Shfl if is_broadcast(instruction) => !together || inputs(),
        // Threads that ask together for one phase of one barrier get one answer. (Observed, ptxas 13.0.88: it has no convergence barrier for a loop that waits
        // so, and uses uniform registers behind it.)
        Opcode::Syncs if asks_phase(instruction) => !together || inputs(),
        // What they read together at one address of memory that they share is one value. (Observed, ptxas 13.0.88, of weak and of volatile loads: no convergence
        // barrier for a branch on it.)
        Opcode::Ldg | Opcode::Lds => !together || inputs(),
        _ if info.collective || info.volatile || !info.implicit.is_empty() => true,
        _ => {
            let constants = |access: &warpsmith_sass::MemoryAccess| {
                access.space == warpsmith_sass::MemorySpace::Constant
                    && access.effect == warpsmith_sass::MemoryEffect::Read
            };
            info.flow != warpsmith_sass::Flow::None || !info.memory.iter().all(constants) || inputs()
        }
    }
}

/// Whether an instruction gives all threads of a warp what one of them has, the one that its second operand names.
pub(super) fn is_broadcast(instruction: &Instruction) -> bool {
    if instruction.base.opcode() != Opcode::Shfl || instruction.guard.is_some() {
        return false;
    }
    // The whole warp is one segment.
    let whole = match instruction.base.form().name {
        "P_R_R_I_I" => instruction.base.field(FieldName::Imm2) == Some(0x1f),
        "P_R_R_R_I" => instruction.base.field(FieldName::Imm) == Some(0x1f),
        _ => false,
    };
    whole && crate::select::printed(&instruction.base, FieldName::Mode) == "IDX"
}

/// Whether an instruction asks for the phase of a barrier object, and does nothing else.
fn asks_phase(instruction: &Instruction) -> bool {
    instruction.base.form().name == "TRANS64.P_AU_R"
        && crate::select::printed(&instruction.base, FieldName::Action) == "PHASECHK"
}

/// Special registers that are the same in all threads of a CTA.
const SAME: [&str; 12] = [
    "SR_CTAID.X",
    "SR_CTAID.Y",
    "SR_CTAID.Z",
    "SR_NTID",
    "SR_SMEMSZ",
    "SR_GRIDID",
    "SR_CgaCtaId",
    "SR_CgaSize",
    "SR_VIRTCFG",
    "SR_NCTAID.X",
    "SR_NCTAID.Y",
    "SR_NCTAID.Z",
];

fn special_differs(instruction: &Instruction, rows: bool) -> bool {
    let Some(name) = special(instruction) else { return true };
    let row = rows && matches!(name, "SR_TID.Y" | "SR_TID.Z");
    !row && !SAME.contains(&name)
}

/// The special register that an instruction reads.
pub(crate) fn special(instruction: &Instruction) -> Option<&'static str> {
    let field = instruction.base.form().field(FieldName::SpecialRegister)?;
    let value = instruction.base.field(FieldName::SpecialRegister)?;
    match &field.kind {
        warpsmith_sass::FieldKind::Enumeration { set, .. } => {
            set.member(value, instruction.base.isa()).map(|member| member.text)
        }
        _ => None,
    }
}
