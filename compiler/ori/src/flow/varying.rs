//! Which values differ between the threads of a warp, and where the threads of a warp may be at different places.
//!
//! A word of a register is the same in all threads that are together if everything that it is computed from is, and, where it has several definitions,
//! none of them stands where threads are apart. What is known to be the same: constants, parameters, numbers of the CTA, and what the warp votes on or
//! reads at one address of shared or global memory while it is together. Everything else that is not computed from such differs: thread numbers, clocks, what
//! atomic operations give.
//!
//! Threads are apart from a branch on a differing predicate to where they meet again. In a loop that they leave at different rounds, that is all of the loop:
//! so what is counted in it differs too, as it does between threads that have left it.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::shape::{Node, Shape};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register, Touch},
    select::{Request, Value},
};

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
    /// Definitions and readers of each word.
    definitions: Lists,
    readers: Lists,
    work: Vec<Place>,
    /// Instructions of which all results differ: nothing is left to find out.
    done: Vec<bool>,
    /// For each node, the number of its first instruction in that list.
    numbers: Vec<u32>,
    /// The branch, plus one, whose threads were last found in each node.
    seen: Vec<u32>,
    /// The x extent of the CTA is a multiple of 32, so that the other coordinates are the same in a warp.
    rows: bool,
}

/// Lists of places by word, one after the other.
struct Lists {
    starts: Vec<u32>,
    places: Vec<Place>,
}

impl Lists {
    fn of(words: usize, pairs: &[(u32, Place)]) -> Lists {
        let mut starts = vec![0_u32; words + 1];
        for (word, _) in pairs {
            starts[*word as usize + 1] += 1;
        }
        for index in 0..words {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, 0); pairs.len()];
        for (word, place) in pairs {
            let slot = &mut next[*word as usize];
            places[*slot as usize] = *place;
            *slot += 1;
        }
        Lists { starts, places }
    }

    fn get(&self, word: usize) -> &[Place] {
        &self.places[self.starts[word] as usize..self.starts[word + 1] as usize]
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
        let mut definitions = Vec::new();
        let mut readers = Vec::new();
        let mut numbers = vec![0; nodes];
        let mut instructions = 0;
        for &node in &flow.order {
            numbers[node] = instructions;
            instructions += shape.nodes[node].code.len() as u32;
            for (index, instruction) in all(&shape.nodes[node]).enumerate() {
                let place = (node as u32, index as u32);
                instruction.touches().for_each(|touch| {
                    let start = first[touch.register.0 as usize] + u32::from(touch.word);
                    let range = start..start + u32::from(touch.words);
                    if touch.access != Access::Read {
                        definitions.extend(range.clone().map(|word| (word, place)));
                    }
                    if touch.access != Access::Write {
                        readers.extend(range.map(|word| (word, place)));
                    }
                });
            }
        }
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
            definitions: Lists::of(words, &definitions),
            readers: Lists::of(words, &readers),
            work: Vec::new(),
            done: vec![false; instructions as usize],
            numbers,
            seen: vec![0; nodes],
            rows,
        };
        analysis.run();
        analysis.result
    }

    /// Whether any of these words of a register differs.
    pub(crate) fn differs(&self, register: Register, word: u8, words: u8) -> bool {
        let start = self.first[register.0 as usize] as usize + usize::from(word);
        self.words[start..start + usize::from(words)]
            .iter()
            .any(|differs| *differs)
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
                let none = self.definitions.get(word).is_empty();
                let several = self.definitions.get(word).len() > 1;
                let apart = several
                    && self
                        .definitions
                        .get(word)
                        .iter()
                        .any(|(node, _)| self.result.apart[*node as usize]);
                if !is_uniform && (none || apart) {
                    self.mark(word);
                }
            }
        }
        for &node in &self.flow.order {
            for (index, _) in all(&self.shape.nodes[node]).enumerate() {
                self.visit((node as u32, index as u32));
            }
        }
        while let Some(place) = self.work.pop() {
            self.visit(place);
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
        let [(node, at)] = *self.definitions.get(start) else {
            return false;
        };
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

    fn visit(&mut self, place: Place) {
        let shape = self.shape;
        let node = &shape.nodes[place.0 as usize];
        let at = place.1 as usize;
        let Some(instruction) = node.code.get(at).or(node.branch()) else {
            return;
        };
        let number = (self.numbers[place.0 as usize] + place.1) as usize;
        if at < node.code.len() && self.done[number] {
            return;
        }
        let together = !self.result.apart[place.0 as usize];
        let broadcasts = is_broadcast(instruction);
        let inputs = || {
            instruction.touches().any(|touch| {
                let counts = touch.access != Access::Write && !(broadcasts && touch.field == Some(FieldName::Ra));
                counts && self.result.differs(touch.register, touch.word, touch.words)
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
        let is_shared = |touch: &Touch| together && self.is_uniform(touch.register) && !inputs();
        let writes = || instruction.touches().filter(|touch| touch.access != Access::Read);
        let differ: SmallVec<[Touch; 2]> = writes().filter(|touch| !is_shared(touch)).collect();
        self.done[number] = differ.len() == writes().count();
        for touch in differ {
            let start = self.result.first[touch.register.0 as usize] as usize + usize::from(touch.word);
            for word in start..start + usize::from(touch.words) {
                self.mark(word);
            }
        }
    }

    /// Threads part at the end of a node.
    fn part(&mut self, node: usize) {
        if std::mem::replace(&mut self.result.parts[node], true) {
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
                self.work.push((node as u32, index as u32));
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
