//! Which instructions of a block must come before which, and how many cycles before.
//!
//! Works on virtual and on physical registers: all it needs of a register's word is a number. Edges go to the last writers of a word and to its readers
//! since, so that there are about as many of them as operands.

use std::cell::OnceCell;

use smallvec::SmallVec;
use warpsmith_sass::{
    Access, Control, FieldKind, FieldName, Flow, Instruction as Word, Latency, MemoryEffect, MemorySpace, Opcode,
    RegisterClass,
};

use super::facts::{self, Facts, Place};
use crate::{
    allocate::Allocation,
    ir::{Function, Instruction, Register},
    select::printed,
};

/// Numbers of the words of registers.
pub(super) struct Numbering<'f> {
    function: &'f Function,
    allocation: Option<&'f Allocation>,
    /// Virtual registers: the number of each register's first word.
    first: Vec<u32>,
    /// How many numbers there are.
    pub(super) count: usize,
}

impl<'f> Numbering<'f> {
    /// Of the physical registers if they are allocated, else of the virtual ones.
    pub(super) fn of(function: &'f Function) -> Numbering<'f> {
        let mut first = Vec::new();
        let mut count = facts::PLACES + 16;
        if function.allocation.is_none() {
            for register in &function.registers {
                first.push(count as u32);
                count += usize::from(register.words);
            }
        }
        Numbering {
            function,
            allocation: function.allocation.as_ref(),
            first,
            count,
        }
    }

    /// The number of a word; registers that the calling convention places are physical from the start.
    pub(super) fn number(&self, register: Register, word: u8) -> Option<u32> {
        let info = self.function.info(register);
        let physical = match self.allocation {
            Some(allocation) => Some(allocation.numbers[register.0 as usize]?),
            None => info.fixed,
        };
        match physical {
            Some(number) if info.class == RegisterClass::Barrier => Some(facts::PLACES as u32 + u32::from(number % 16)),
            Some(number) => facts::place(info.class, number.checked_add(word)?).map(u32::from),
            None => Some(self.first[register.0 as usize] + u32::from(word)),
        }
    }
}

/// How an instruction may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As its registers allow.
    Free,
    /// Not across accesses to memory.
    Memory,
    /// Not at all.
    Fixed,
    /// Not across accesses that may be to the same place.
    Load,
    Store,
}

/// An access to memory through a register and an offset.
#[derive(Clone, Debug)]
struct Address {
    space: MemorySpace,
    word: Word,
    /// How the registers make up the address, as text: worked out when it is asked for.
    mode: OnceCell<String>,
    /// The words of the address with the instructions that wrote them last.
    base: SmallVec<[(u32, u32); 4]>,
    offset: i64,
    bytes: i64,
}

impl Address {
    /// Whether the words differ in their offsets alone.
    fn same_but_offset(&self, other: &Address) -> bool {
        let plain = |word: &Word| {
            word.with_field(FieldName::Offset, 0)
                .map(|word| word.word() & !Control::MASK)
        };
        plain(&self.word).is_some_and(|word| Some(word) == plain(&other.word))
    }

    fn mode(&self) -> &str {
        self.mode.get_or_init(|| mode(&self.word))
    }
}

/// An edge: the instruction that must come later, and how much later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) cycles: u32,
}

/// An instruction of a block.
pub(super) struct Node {
    pub(super) facts: Facts,
    /// Numbers of the words that it reads and writes, in step with `facts.reads` and `facts.writes`.
    pub(super) reads: SmallVec<[u32; 6]>,
    pub(super) writes: SmallVec<[u32; 4]>,
    pub(super) kind: Kind,
    /// Its guard: the number of the predicate, whether it is negated, and who wrote the predicate last.
    guard: Option<(u32, bool, u32)>,
    pub(super) edges: SmallVec<[Edge; 4]>,
    pub(super) before: u32,
}

/// The dependences of a block.
pub(super) struct Dependences {
    pub(super) nodes: Vec<Node>,
}

/// How many stores are compared with each other and with loads.
const WINDOW: usize = 48;
/// How many loads are compared with stores: among each other they come in any order.
const LOADS: usize = 512;
/// Writers of a word that are kept for the sake of their latencies.
const WRITERS: usize = 4;
/// Cycles until a source that is read late has been read, for deciding what goes first.
const READ: u32 = 12;

impl Dependences {
    /// Of a block's code. `tables` are scratch space that is kept from block to block.
    pub(super) fn of(numbering: &Numbering<'_>, code: &[Instruction], tables: &mut Tables) -> Dependences {
        let nodes = code.iter().map(|instruction| node(numbering, instruction)).collect();
        let mut dependences = Dependences { nodes };
        let mut memory = Memory::default();
        let mut local = Memory::default();
        let mut last_fixed: Option<u32> = None;
        // The last product of a warpgroup, and how long until the next.
        let mut product: Option<(u32, u32)> = None;
        for at in 0..dependences.nodes.len() {
            let kind = dependences.nodes[at].kind;
            let place = dependences.place_of(at, tables);
            dependences.registers(at, tables);
            if kind == Kind::Fixed {
                // After everything since the last one, which comes after all before it.
                let from = last_fixed.map_or(0, |last| last as usize);
                for earlier in from..at {
                    let has_later = !dependences.nodes[earlier].edges.is_empty();
                    if !has_later || last_fixed == Some(earlier as u32) {
                        dependences.add(earlier as u32, at as u32, 1);
                    }
                }
                last_fixed = Some(at as u32);
                (memory, local) = (Memory::default(), Memory::default());
                continue;
            }
            if let Some(last) = last_fixed {
                dependences.add(last, at as u32, 1);
            }
            let reach = Reach::of(&dependences.nodes[at].facts.word);
            if reach.local {
                local.add(&mut dependences, at as u32, kind, place.clone());
            }
            if reach.others {
                memory.add(&mut dependences, at as u32, kind, place);
            }
            if let Some(interval) = warpsmith_sass::product_interval(&dependences.nodes[at].facts.word) {
                if let Some((before, cycles)) = product {
                    dependences.add(before, at as u32, cycles);
                }
                product = Some((at as u32, u32::from(interval)));
            }
        }
        tables.clear();
        dependences
    }

    fn add(&mut self, from: u32, to: u32, cycles: u32) {
        let edges = &mut self.nodes[from as usize].edges;
        if let Some(edge) = edges.last_mut().filter(|edge| edge.to == to) {
            edge.cycles = edge.cycles.max(cycles);
            return;
        }
        edges.push(Edge { to, cycles });
        self.nodes[to as usize].before += 1;
    }

    /// Whether no thread executes both of two instructions.
    fn exclude_each_other(&self, a: u32, b: usize) -> bool {
        match (self.nodes[a as usize].guard, self.nodes[b].guard) {
            (Some(a), Some(b)) => (a.0, a.2) == (b.0, b.2) && a.1 != b.1,
            (None, _) | (_, None) => false,
        }
    }

    /// Edges from the instructions that touched the same registers before.
    fn registers(&mut self, at: usize, tables: &mut Tables) {
        if let Some((number, negated, _)) = self.nodes[at].guard {
            let writer = tables
                .entry(number)
                .writers
                .last()
                .map_or(u32::MAX, |(writer, _)| *writer);
            self.nodes[at].guard = Some((number, negated, writer));
        }
        for index in 0..self.nodes[at].reads.len() {
            let number = self.nodes[at].reads[index];
            let entry = tables.entry(number);
            let writers = SmallVec::<[(u32, u8); 1]>::from_slice(&entry.writers);
            if entry.readers.last() != Some(&(at as u32)) {
                entry.readers.push(at as u32);
            }
            for (writer, operand) in writers {
                let (from, to) = (&self.nodes[writer as usize].facts, &self.nodes[at].facts);
                let cycles = match from.is_variable {
                    true => from.expected_latency(),
                    false => from.distance_to(&from.writes[usize::from(operand)], to, &to.reads[index]),
                };
                self.add(writer, at as u32, cycles);
            }
        }
        let keeps_old = self.nodes[at].facts.word.guard().is_some() || self.nodes[at].facts.is_guarded;
        for index in 0..self.nodes[at].writes.len() {
            let number = self.nodes[at].writes[index];
            let entry = tables.entry(number);
            let readers = std::mem::take(&mut entry.readers);
            let writers = SmallVec::<[(u32, u8); 1]>::from_slice(&entry.writers);
            if !keeps_old {
                entry.writers.clear();
            }
            if entry.writers.len() >= WRITERS {
                entry.writers.remove(0);
            }
            entry.writers.push((at as u32, index as u8));
            for reader in readers.into_iter().filter(|reader| *reader != at as u32) {
                let (from, to) = (&self.nodes[reader as usize].facts, &self.nodes[at].facts);
                let cycles = match from.reads_late {
                    true => READ,
                    false => from.distance_to_overwriter(to),
                };
                self.add(reader, at as u32, cycles);
            }
            for (writer, operand) in writers.into_iter().filter(|(writer, _)| *writer != at as u32) {
                let (from, to) = (&self.nodes[writer as usize].facts, &self.nodes[at].facts);
                let cycles = match from.is_variable {
                    _ if self.exclude_each_other(writer, at) => 1,
                    true => from.expected_latency(),
                    false => from.distance_to_writer(&from.writes[usize::from(operand)], to),
                };
                self.add(writer, at as u32, cycles);
            }
        }
    }

    /// The place in memory that an instruction accesses, if its address is a register and an offset.
    fn place_of(&self, at: usize, tables: &mut Tables) -> Option<Address> {
        let node = &self.nodes[at];
        if !matches!(node.kind, Kind::Load | Kind::Store) {
            return None;
        }
        let word = &node.facts.word;
        let [access] = word.memory() else { return None };
        let mut offset = 0;
        let mut base = SmallVec::new();
        let mut bytes = 0;
        let mut data = 0;
        for field in word.form().fields {
            match &field.kind {
                FieldKind::Signed { .. } | FieldKind::Unsigned { .. } if field.name.as_str().contains("ffset") => {
                    offset = number_of(word, field.name)?;
                }
                _ => {}
            }
        }
        for (index, read) in node.facts.reads.iter().enumerate() {
            let warpsmith_sass::Use::Operand { name, .. } = read.used else {
                continue;
            };
            // A store of 32 bytes has the upper ones in a third register.
            if matches!(name, FieldName::Rb | FieldName::Rc | FieldName::Rd) {
                data += 4;
                continue;
            }
            let number = node.reads[index];
            let writer = tables
                .entry(number)
                .writers
                .last()
                .map_or(u32::MAX, |(writer, _)| *writer);
            base.push((number, writer));
        }
        for write in &node.facts.writes {
            bytes += if write.class == RegisterClass::Gpr { 4 } else { 0 };
        }
        let registers = if access.effect == MemoryEffect::Read {
            bytes
        } else {
            data
        };
        let bytes = match crate::select::printed(word, FieldName::Size) {
            "U8" | "S8" => registers.min(1),
            "U16" | "S16" => registers.min(2),
            _ => registers,
        };
        (bytes > 0).then(|| Address {
            space: access.space,
            word: *word,
            mode: OnceCell::new(),
            base,
            offset,
            bytes,
        })
    }
}

/// The value of an immediate field.
fn number_of(word: &Word, name: FieldName) -> Option<i64> {
    word.operands()
        .find_map(|operand| match operand {
            warpsmith_sass::Operand::Number { name: found, value } if found == name => Some(value),
            _ => None,
        })
        .or_else(|| (word.field(name) == Some(0)).then_some(0))
}

/// The text of an address without its offset.
fn mode(word: &Word) -> String {
    let text = word.to_string();
    let address = text
        .find('[')
        .zip(text.rfind(']'))
        .and_then(|(from, to)| text.get(from..to));
    let address = address.unwrap_or_default();
    let digits = address.rfind("0x").unwrap_or(address.len());
    address[..digits].trim_end_matches(['+', '-']).to_string()
}

/// Which memory an instruction may access, or keep in order. Local memory is a thread's own: what it holds, spilled registers most of all, passes copies between other
/// memories, barriers and fences.
#[derive(Clone, Copy)]
struct Reach {
    local: bool,
    others: bool,
}

impl Reach {
    fn of(word: &Word) -> Reach {
        let mut spaces = word.memory().iter().map(|access| access.space);
        // What products of a warpgroup have in flight stays where it is.
        let is_product = word.opcode() == Opcode::Warpgroup || crate::products::is_product(word);
        Reach {
            local: is_product || { spaces.clone() }
                .any(|space| matches!(space, MemorySpace::Local | MemorySpace::Generic)),
            others: word.memory().is_empty() || spaces.any(|space| space != MemorySpace::Local),
        }
    }
}

/// The accesses to memory since the last that nothing crosses.
#[derive(Default)]
struct Memory {
    loads: Vec<(u32, Option<Address>)>,
    stores: Vec<(u32, Option<Address>)>,
    barrier: Option<u32>,
}

impl Memory {
    fn add(&mut self, dependences: &mut Dependences, at: u32, kind: Kind, place: Option<Address>) {
        if matches!(kind, Kind::Free | Kind::Fixed) {
            return;
        }
        if let Some(barrier) = self.barrier {
            dependences.add(barrier, at, 1);
        }
        let full = self.stores.len() >= WINDOW || self.loads.len() >= LOADS;
        match kind {
            Kind::Memory => self.close(dependences, at),
            Kind::Load if !full => {
                for (store, other) in &self.stores {
                    if may_meet(other, &place) {
                        dependences.add(*store, at, 1);
                    }
                }
                self.loads.push((at, place));
            }
            Kind::Store if !full => {
                for (earlier, other) in self.stores.iter().chain(&self.loads) {
                    if may_meet(other, &place) {
                        dependences.add(*earlier, at, 1);
                    }
                }
                self.stores.push((at, place));
            }
            Kind::Load | Kind::Store => self.close(dependences, at),
            Kind::Free | Kind::Fixed => {}
        }
    }

    /// Nothing crosses this instruction.
    fn close(&mut self, dependences: &mut Dependences, at: u32) {
        for (earlier, _) in self.stores.drain(..).chain(self.loads.drain(..)) {
            dependences.add(earlier, at, 1);
        }
        self.barrier = Some(at);
    }
}

/// Whether two accesses may be to the same place.
fn may_meet(a: &Option<Address>, b: &Option<Address>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    if a.space != b.space {
        let generic = |place: &Address| place.space == MemorySpace::Generic;
        return generic(a) || generic(b);
    }
    let apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
    !(apart && a.base == b.base && (a.same_but_offset(b) || a.mode() == b.mode()))
}

/// For each word of a register, who wrote it last and who has read it since.
pub(super) struct Tables {
    /// For each word, the number of its entry, plus one; 0: it has none yet.
    places: Vec<u32>,
    /// The entries of the words that a block touches.
    entries: Vec<Entry>,
}

struct Entry {
    word: u32,
    writers: SmallVec<[(u32, u8); 1]>,
    readers: SmallVec<[u32; 2]>,
}

impl Tables {
    pub(super) fn new(count: usize) -> Tables {
        Tables {
            places: vec![0; count],
            entries: Vec::new(),
        }
    }

    fn entry(&mut self, word: u32) -> &mut Entry {
        let place = &mut self.places[word as usize];
        if *place == 0 {
            self.entries.push(Entry {
                word,
                writers: SmallVec::new(),
                readers: SmallVec::new(),
            });
            *place = self.entries.len() as u32;
        }
        &mut self.entries[*place as usize - 1]
    }

    fn clear(&mut self) {
        for entry in self.entries.drain(..) {
            self.places[entry.word as usize] = 0;
        }
    }
}

fn node(numbering: &Numbering<'_>, instruction: &Instruction) -> Node {
    let mut facts = Facts::without_registers(instruction);
    let mut reads = SmallVec::new();
    let mut writes = SmallVec::new();
    for touch in instruction.touches() {
        let class = numbering.function.info(touch.register).class;
        for word in 0..touch.words {
            let Some(number) = numbering.number(touch.register, touch.word + word) else {
                continue;
            };
            let used = match touch.field {
                Some(name) => warpsmith_sass::Use::Operand { name, word },
                None => warpsmith_sass::Use::Guard,
            };
            let place = Place {
                index: 0,
                class,
                word,
                used,
            };
            if touch.access != Access::Write {
                reads.push(number);
                facts.reads.push(place);
            }
            if touch.access != Access::Read {
                writes.push(number);
                facts.writes.push(place);
            }
        }
    }
    facts.is_guarded = instruction.guard.is_some();
    facts.classify();
    Node {
        kind: kind(instruction),
        guard: instruction.guard.and_then(|guard| {
            let number = numbering.number(guard.register, 0)?;
            Some((number, guard.negated, u32::MAX))
        }),
        facts,
        reads,
        writes,
        edges: SmallVec::new(),
        before: 0,
    }
}

/// How an instruction may move.
fn kind(instruction: &Instruction) -> Kind {
    let word = &instruction.base;
    let info = word.opcode().info();
    // Registers in flight are among what waits and arrivals name.
    if word.opcode() == Opcode::Warpgroup || crate::products::is_product(word) {
        return Kind::Memory;
    }
    match word.flow() {
        Flow::None => {}
        // It only says where threads meet.
        Flow::Diverge => return Kind::Fixed,
        Flow::Barrier => {
            let block = word.opcode() == Opcode::Bar && instruction.operands.is_empty();
            return if block { Kind::Memory } else { Kind::Fixed };
        }
        Flow::Branch | Flow::Indirect | Flow::Call | Flow::Return | Flow::Exit | Flow::Trap => return Kind::Fixed,
        Flow::Converge | Flow::Leave | Flow::Wait => return Kind::Fixed,
    }
    // They wait for what was loaded from tensor memory, which waits by itself where it is read, and for groups of copies. What touches no memory may pass.
    if matches!(word.opcode(), Opcode::Nop | Opcode::Depbar) {
        return Kind::Memory;
    }
    if instruction.effects.is_some() || !info.implicit.is_empty() || word.timing().latency == Latency::Async {
        return Kind::Fixed;
    }
    if info.volatile && !is_constant_register(word) {
        return Kind::Fixed;
    }
    if info.observable {
        return match info.memory.is_empty() {
            true => Kind::Fixed,
            false => Kind::Memory,
        };
    }
    match info.memory {
        [] => Kind::Free,
        [access] if access.asynchronous => Kind::Memory,
        [access] => match (access.effect, access.space) {
            (MemoryEffect::Read, MemorySpace::Constant) => Kind::Free,
            (MemoryEffect::Read, MemorySpace::Local | MemorySpace::Texture) => Kind::Load,
            (MemoryEffect::Write, MemorySpace::Local) => Kind::Store,
            (MemoryEffect::Read, MemorySpace::Global) if instruction.marks.weak && is_read_only(word) => Kind::Free,
            (MemoryEffect::Read, MemorySpace::Global | MemorySpace::Shared | MemorySpace::Generic)
                if instruction.marks.weak =>
            {
                Kind::Load
            }
            (MemoryEffect::Write, MemorySpace::Global | MemorySpace::Shared | MemorySpace::Generic)
                if instruction.marks.weak =>
            {
                Kind::Store
            }
            _ => Kind::Memory,
        },
        _ => Kind::Memory,
    }
}

/// Whether a load is of what nothing writes while the kernel runs.
fn is_read_only(word: &Word) -> bool {
    let mut fields = word.form().fields.iter();
    fields.any(|field| {
        let is_modifier = matches!(field.kind, FieldKind::Enumeration { .. });
        is_modifier && printed(word, field.name).split('.').any(|part| part == "CONSTANT")
    })
}

/// Whether a read of a special register gives the same throughout a thread.
fn is_constant_register(word: &Word) -> bool {
    const CONSTANT: [&str; 9] = [
        "SR_TID",
        "SR_CTAID",
        "SR_NTID",
        "SR_NCTAID",
        "SR_LANEID",
        "SR_EQMASK",
        "SR_LTMASK",
        "SR_CgaCtaId",
        "SRZ",
    ];
    let register = printed(word, FieldName::SpecialRegister);
    CONSTANT.iter().any(|name| register.contains(name))
}
