//! Which values differ between the threads of a warp, and where the threads of a warp may be at different places.
//!
//! What a definition gives is the same in all threads that are together if everything that it is computed from is, and, where the word has other definitions,
//! it does not stand where threads are apart. What is known to be the same: constants, parameters, numbers of the CTA, and what the warp votes on or
//! reads at one address of shared or global memory while it is together. Everything else that is not computed from such differs: thread numbers, clocks, what
//! atomic operations give. Definitions are told apart ([`super::names`]); of a register is said whether any of its definitions differs.
//!
//! Threads are apart from a branch on a differing predicate to where they meet again. In a loop that they leave at different rounds, that is all of the loop:
//! so what is counted in it differs too, as it does between threads that have left it. A thread that those who were with it have elected is alone up to where
//! they meet, and parts from nobody.

use smallvec::{SmallVec, smallvec};
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::{
    names::{Lists, Names, Used, Words},
    shape::{Node, Shape},
};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register, Touch},
    select::{Request, Source, Test, Value},
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

struct Analysis<'a> {
    function: &'a Function,
    shape: &'a Shape,
    flow: &'a ControlFlow,
    result: Varying,
    /// What each instruction reads and writes.
    used: Used,
    /// Definitions of each word.
    definitions: Lists,
    names: Names,
    /// For each name, whether it differs.
    differs: Vec<bool>,
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
        let definitions = Lists::of_definitions(words, &used);
        let names = Names::of(flow, &used, &definitions, words);
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
            differs: vec![false; names.word.len()],
            definitions,
            names,
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

impl Analysis<'_> {
    fn run(&mut self) {
        for word in 0..self.result.words.len() {
            if self.definitions.get(word).is_empty() && !self.is_uniform_word(word) {
                self.mark(word as u32);
            }
        }
        for &node in &self.flow.order {
            if self.result.apart[node] {
                self.mark_variables(node, |analysis, word| !analysis.is_uniform_word(word));
            }
        }
        for number in 0..self.used.places.len() {
            self.visit(number);
        }
        while let Some(number) = self.work.pop() {
            self.visit(number as usize);
        }
    }

    /// Whether an instruction makes something of the number of the thread in its row of the CTA that all threads of a warp have alike: the number of the warp
    /// there, or a part of it, or whether the warp lies before a place between two. (Observed, ptxas 13.0.88, of the latter: no convergence barrier, if the
    /// kernel says how many threads its CTAs have.)
    fn is_of_warp(&self, instruction: &Instruction) -> bool {
        let opcode = instruction.base.opcode();
        if !self.rows || !matches!(opcode, Opcode::Shf | Opcode::Isetp) || instruction.guard.is_some() {
            return false;
        }
        let Some(request) = Request::of(instruction) else {
            return false;
        };
        match (opcode, request.sources()) {
            (Opcode::Shf, [low, amount, high]) => {
                let whole = (low.value, amount.value);
                let whole = matches!(whole, (Value::Zero, Value::Immediate(5..=31)));
                whole && request.says(FieldName::Direction) == "R" && self.is_thread_number(high)
            }
            (Opcode::Isetp, [thread, bound]) => {
                let Value::Immediate(bound) = bound.value else {
                    return false;
                };
                let first = match request.says(FieldName::Cmp) {
                    "LT" | "GE" => bound,
                    "LE" | "GT" => bound.wrapping_add(1),
                    _ => return false,
                };
                let alone = !request.has_flag(FieldName::Extended) && request.written_predicates().len() == 1;
                let alone = alone && request.test(FieldName::Pp).is_none_or(|test| test == Test::ALWAYS);
                alone && first % 32 == 0 && self.is_thread_number(thread)
            }
            _ => false,
        }
    }

    /// Whether a source is the number of the thread in its row of the CTA.
    fn is_thread_number(&self, source: &Source) -> bool {
        let Value::Register(word) = source.value else {
            return false;
        };
        let start = self.result.first[word.register.0 as usize] as usize + usize::from(word.word);
        let [number] = *self.definitions.get(start) else {
            return false;
        };
        let (node, at) = self.used.places[number as usize];
        let definition = self.shape.nodes[node as usize].code.get(at as usize);
        let plain = Source::from(source.value) == *source;
        plain
            && definition.is_some_and(|thread| {
                thread.base.opcode() == Opcode::S2r && thread.guard.is_none() && special(thread) == Some("SR_TID.X")
            })
    }

    fn is_uniform(&self, register: Register) -> bool {
        let class = self.function.info(register).class;
        matches!(class, RegisterClass::UniformGpr | RegisterClass::UniformPredicate)
    }

    fn is_uniform_word(&self, word: usize) -> bool {
        let register = self.result.first.partition_point(|first| *first as usize <= word) - 1;
        self.is_uniform(Register(register as u32))
    }

    /// What a name stands for differs: so may what is computed from it, and what it is one of the values of.
    fn mark(&mut self, name: u32) {
        let mut names: SmallVec<[u32; 4]> = smallvec![name];
        while let Some(name) = names.pop() {
            if !std::mem::replace(&mut self.differs[name as usize], true) {
                self.result.words[self.names.word[name as usize] as usize] = true;
                self.work.extend_from_slice(self.names.readers.get(name as usize));
                names.extend_from_slice(self.names.meets.get(name as usize));
            }
        }
    }

    /// What a node that threads run at different times defines differs if it has other definitions: those that come there have one or the other.
    fn mark_variables(&mut self, node: usize, counts: impl Fn(&Self, usize) -> bool) {
        let mut names: Vec<u32> = Vec::new();
        for number in self.used.of_node(node) {
            for words in self.used.of_instruction(number) {
                let named = words.range().zip(self.names.after(words));
                let named = named.filter(|(word, _)| self.definitions.get(*word).len() > 1 && counts(self, *word));
                names.extend(named.map(|(_, name)| *name));
            }
        }
        names.into_iter().for_each(|name| self.mark(name));
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
        let differ = |names: &[u32]| names.iter().any(|name| self.differs[*name as usize]);
        let inputs = || {
            used.iter().any(|touched| {
                let counts = touched.access != Access::Write && !(broadcasts && touched.is_first_source);
                counts && differ(self.names.before(touched))
            })
        };
        if at == node.code.len() {
            if inputs() {
                self.part(place.0 as usize);
            }
            return;
        }
        let same = !result_differs(instruction, inputs, together, self.rows) || self.is_of_warp(instruction);
        // A uniform register has one value, whatever writes it, for threads that are together.
        let is_shared = |touched: &Words| together && self.is_uniform(touched.register) && !inputs();
        let writes = || used.iter().filter(|touched| touched.access != Access::Read);
        let mut found: SmallVec<[u32; 4]> = SmallVec::new();
        let mut all = true;
        for touched in writes() {
            let after = self.names.after(touched);
            if !same && !is_shared(touched) {
                found.extend_from_slice(after);
                continue;
            }
            all = false;
            // What a guard may leave as it was.
            let kept = self.names.before(touched).iter().zip(after);
            found.extend(
                kept.filter(|(before, _)| self.differs[**before as usize])
                    .map(|(_, after)| *after),
            );
        }
        self.done[number] = all;
        found.into_iter().for_each(|name| self.mark(name));
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
        let code = &self.shape.nodes[node].code;
        for (number, instruction) in self.used.of_node(node).zip(code.iter()) {
            let shared = |touch: Touch| touch.access != Access::Read && self.is_uniform(touch.register);
            let info = instruction.base.opcode().info();
            let reads = matches!(info.opcode, Opcode::Syncs | Opcode::Ldg | Opcode::Lds);
            if info.collective || reads || instruction.touches().any(shared) {
                self.work.push(number as u32);
            }
        }
        self.mark_variables(node, |_, _| true);
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
