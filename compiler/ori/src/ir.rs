//! The machine IR: SASS instructions over virtual registers.
//!
//! An [`Instruction`] is a machine word with every modifier and immediate in place, and beside it the virtual registers that stand in its register
//! fields, where the word itself holds number 0. So whatever the tables know of the word (what is read and written, how many registers, its
//! latency, its text) holds for the IR, and the last step only writes the numbers in.
//!
//! A virtual register has a file ([`RegisterClass`]) and a width in 32-bit words. An operand may name a part of a wide register: the low and the high
//! word of a 64-bit value are words 0 and 1 of one register, that is how 64-bit arithmetic is written.

use std::fmt;

use smallvec::SmallVec;
use warpsmith_cubin::SymbolBinding;
use warpsmith_ptx::module::VariableId;
use warpsmith_sass::{Access, Control, FieldName, Opcode, RegisterClass, RegisterField};
use warpsmith_target::{ConstantLayout, Isa, Sm};

use crate::{allocate::Allocation, emit::Code};

/// A virtual register: an index into [`Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// A basic block: an index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// What a virtual register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterInfo {
    /// Its file.
    pub class: RegisterClass,
    /// Its width in 32-bit words (1 for predicates and barriers).
    pub words: u8,
    /// The physical register of its first word, where the calling convention says which: arguments, results, return address. Several registers may
    /// have the same one at different times.
    pub fixed: Option<u8>,
    /// Allocation has split it from others that shared a word with it before: at some time that word held what one of them has.
    pub split: bool,
    /// What a write under a guard leaves in the other threads is of no use to them, as long as no other instruction writes it ([`Function::fleeting`]).
    /// (If-conversion says so of what it guards and only the way knew: else the register would seem to be live from one round of a loop to the next where
    /// what reads it is run for nothing, without the guard.)
    pub fleeting: bool,
}

/// Physical registers, by file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterSet {
    /// General registers: bit `n % 64` of element `n / 64` is register `n`.
    pub general: [u64; 4],
    /// Uniform registers.
    pub uniform: [u64; 4],
    /// Predicates.
    pub predicates: u64,
    /// Uniform predicates.
    pub uniform_predicates: u64,
    /// Convergence barriers.
    pub barriers: u64,
}

impl RegisterSet {
    /// The members of a file as bits.
    fn file(&self, class: RegisterClass) -> &[u64] {
        match class {
            RegisterClass::Gpr => &self.general,
            RegisterClass::UniformGpr => &self.uniform,
            RegisterClass::Predicate => std::slice::from_ref(&self.predicates),
            RegisterClass::UniformPredicate => std::slice::from_ref(&self.uniform_predicates),
            RegisterClass::Barrier => std::slice::from_ref(&self.barriers),
            RegisterClass::Scoreboard => &[],
        }
    }

    /// Whether a register is a member.
    pub fn contains(&self, class: RegisterClass, number: u8) -> bool {
        let word = self.file(class).get(usize::from(number) / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// The members of a file in order.
    pub fn members(&self, class: RegisterClass) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(move |number| self.contains(class, *number))
    }

    /// The registers `numbers` as general registers of a set.
    pub fn add_general(&mut self, numbers: impl IntoIterator<Item = u8>) {
        for number in numbers {
            self.general[usize::from(number) / 64] |= 1 << (number % 64);
        }
    }
}

/// What an instruction does to registers that its word does not name: a call, by the calling convention, or a return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Registers that are read, with their widths in words: arguments of a call, results of a return.
    pub reads: SmallVec<[(Register, u8); 4]>,
    /// Registers that are written, with their widths in words: results of a call.
    pub writes: SmallVec<[(Register, u8); 2]>,
    /// Physical registers that hold anything afterwards. What is written may be among them.
    pub clobbers: RegisterSet,
}

/// A virtual register in a register field of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The field of the form.
    pub field: FieldName,
    /// The register.
    pub register: Register,
    /// The word of the register at which the operand starts.
    pub word: u8,
}

/// A guard: the instruction is executed where the predicate holds, or where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// `@!P`
    pub negated: bool,
}

impl Guard {
    /// How the predicate is touched.
    #[inline]
    fn touch(self) -> Touch {
        Touch {
            register: self.register,
            word: 0,
            words: 1,
            access: Access::Read,
            alignment: 1,
            field: None,
        }
    }
}

/// What a [`Reference`] counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The address of the symbol, which the linker or loader knows.
    Symbol,
    /// The address after the next call in the same block.
    Call,
    /// The size of the frame, which is known after register allocation: the place of what the caller has put on the stack, from the stack pointer.
    Frame,
    /// The tables of the function's branches in constant bank 2: where they stand is known when all functions are compiled, or to the linker. The number goes
    /// into the offset of a load, less [`crate::ir::TABLE_BIAS`].
    Tables,
}

/// What the index of a load from a table whose place is not known has more than the place says: the signed offset of the load so reaches all of the bank.
pub(crate) const TABLE_BIAS: u32 = 0x8000;

/// A number that is known later, in an immediate field. Until then nothing is known of the immediate: it is folded into nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What it counts from.
    pub origin: Origin,
    /// The symbol, if it counts from one.
    pub symbol: String,
    /// Bytes added to its address.
    pub addend: i64,
    /// Bits 32 to 63 of the address rather than 0 to 31.
    pub high: bool,
}

/// What PTX leaves free about an instruction, beyond what its word says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A product or sum of the program without a rounding modifier: it may become part of an operation that rounds once.
    pub contract: bool,
    /// A weak access to memory: it may be left out, merged with others, and moved where no fence or other access to the same place is between.
    pub weak: bool,
    /// A barrier that all threads of a warp come to together, or none.
    pub aligned: bool,
    /// A wait of threads for each other after which they see what they wrote before it.
    pub ordering: bool,
    /// What it writes in uniform registers it writes where no other thread of the warp may run other code.
    pub together: bool,
    /// Where that is not so, the number of the part of the function in which the others may be, which has all instructions with this number; 0: anywhere.
    pub area: u32,
}

/// Where a branch by a table goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The blocks, in order of the index.
    pub targets: Vec<BlockId>,
    /// Byte offset of the table in constant bank 2 of the kernel, or among the tables of the function. `None`: the branch still has the index in its register, with a zero word above it.
    pub offset: Option<u32>,
}

/// An instruction.
#[derive(Debug)]
pub struct Instruction {
    /// The word, with number 0 in the fields of `operands`.
    pub base: warpsmith_sass::Instruction,
    /// The virtual registers.
    pub operands: SmallVec<[Operand; 5]>,
    /// The guard.
    pub guard: Option<Guard>,
    /// Where a branch goes, or where the threads of a convergence barrier meet.
    pub target: Option<BlockId>,
    /// Where a branch by a table goes.
    pub table: Option<Box<Table>>,
    /// An address in the immediate.
    pub reference: Option<Box<Reference>>,
    /// What it does to registers beside those of its fields.
    pub effects: Option<Box<Effects>>,
    /// What PTX leaves free.
    pub marks: Marks,
    /// Index into [`Function::places`] of the source line; 0: none.
    pub place: u32,
    /// Stall count, scoreboards and reuse flags; [`Control::NONE`] until scheduling sets it.
    pub control: Control,
}

impl Clone for Instruction {
    // By hand for the sake of the operands: they are copied as a piece, not one by one.
    #[inline]
    fn clone(&self) -> Instruction {
        Instruction {
            base: self.base,
            operands: SmallVec::from_slice(&self.operands),
            guard: self.guard,
            target: self.target,
            table: self.table.clone(),
            reference: self.reference.clone(),
            effects: self.effects.clone(),
            marks: self.marks,
            place: self.place,
            control: self.control,
        }
    }
}

/// A register that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The register.
    pub register: Register,
    /// Its first word that is touched.
    pub word: u8,
    /// How many words.
    pub words: u8,
    /// Read, written or both.
    pub access: Access,
    /// Words that the physical register must be aligned to.
    pub alignment: u8,
    /// The field; `None` for the guard and for what the calling convention names.
    pub field: Option<FieldName>,
}

impl Instruction {
    /// Whether what reads and writes memory stays on its side of it: it does more than give results, or is there for nothing else.
    pub fn is_fence(&self) -> bool {
        self.base.has_side_effects() || self.base.opcode() == warpsmith_sass::Opcode::Nop
    }

    /// A word with nothing beside it: no registers, no guard.
    pub fn plain(base: warpsmith_sass::Instruction) -> Instruction {
        Instruction {
            base,
            operands: SmallVec::new(),
            guard: None,
            target: None,
            table: None,
            reference: None,
            effects: None,
            marks: Marks::default(),
            place: 0,
            control: Control::NONE,
        }
    }

    /// The blocks that it names.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> + '_ {
        let table = self.table.iter().flat_map(|table| table.targets.iter().copied());
        self.target.into_iter().chain(table)
    }

    /// The blocks that it names, to be changed.
    pub(crate) fn targets_mut(&mut self) -> impl Iterator<Item = &mut BlockId> {
        let table = self.table.iter_mut().flat_map(|table| table.targets.iter_mut());
        self.target.iter_mut().chain(table)
    }

    /// Every register that the instruction touches, the guard first.
    #[inline]
    pub fn touches(&self) -> Touches<'_> {
        let (fields, written) = match self.operands.is_empty() {
            true => ([].iter(), Access::Write),
            false => (self.base.form().registers.iter(), self.written()),
        };
        Touches {
            instruction: self,
            guard: self.guard,
            fields,
            written,
            held: &self.operands,
            named: self
                .operands
                .iter()
                .fold(0, |named, operand| named | name_bit(operand.field)),
            left: self.operands.len(),
            convention: 0,
        }
    }

    /// Whether lanes that it does not write keep what its results held: the second half of a load of tensor memory.
    #[inline]
    pub(crate) fn keeps_lanes(&self) -> bool {
        use warpsmith_sass::tables::TensorMemoryShape as Shape;
        self.base.opcode() == Opcode::Ldtm && self.base.modifier() == Some(Shape::N16dp32bitT16T31)
    }

    /// How the fields are touched that it writes.
    #[inline]
    fn written(&self) -> Access {
        match self.keeps_lanes() {
            true => Access::ReadWrite,
            false => Access::Write,
        }
    }

    /// How an operand in a field is touched.
    #[inline(always)]
    fn touch(&self, described: &RegisterField, operand: &Operand, written: Access) -> Touch {
        let words = self.base.register_width(described);
        Touch {
            register: operand.register,
            word: operand.word,
            words,
            access: match described.access {
                Some(Access::Write) => written,
                Some(Access::Read) => Access::Read,
                Some(Access::ReadWrite) | None => Access::ReadWrite,
            },
            alignment: described.alignment(words),
            field: Some(operand.field),
        }
    }

    /// A register that the calling convention names.
    #[inline]
    fn named_by_convention(&self, index: usize) -> Option<Touch> {
        let effects = self.effects.as_ref()?;
        self.convention(effects, index)
    }

    /// [`Instruction::named_by_convention`] where there is one.
    #[cold]
    fn convention(&self, effects: &Effects, index: usize) -> Option<Touch> {
        let whole = |(register, words): (Register, u8), access| Touch {
            register,
            word: 0,
            words,
            access,
            alignment: 1,
            field: None,
        };
        if let Some(read) = effects.reads.get(index) {
            return Some(whole(*read, Access::Read));
        }
        let write = effects.writes.get(index - effects.reads.len())?;
        let written = match crate::products::gives_back(&self.base) {
            true => Access::ReadWrite,
            false => Access::Write,
        };
        Some(whole(*write, written))
    }

    /// Whether control may go on to the next instruction.
    pub fn falls_through(&self) -> bool {
        use warpsmith_sass::Flow;
        match self.base.flow() {
            Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit => {
                self.guard.is_some() || self.has_predicate_operand()
            }
            Flow::None | Flow::Call | Flow::Trap | Flow::Converge | Flow::Diverge => true,
            Flow::Leave | Flow::Barrier | Flow::Wait => true,
        }
    }

    /// Whether a branch has a predicate operand besides its guard.
    fn has_predicate_operand(&self) -> bool {
        self.operands.iter().any(|operand| operand.field == FieldName::Pp)
    }
}

/// The registers that an instruction touches: the guard, the operands in order of the form's fields, and what the calling convention names.
#[derive(Clone, Debug)]
pub struct Touches<'i> {
    instruction: &'i Instruction,
    guard: Option<Guard>,
    fields: std::slice::Iter<'static, RegisterField>,
    written: Access,
    held: &'i [Operand],
    /// The bits of the fields of the operands: most fields of a form hold no virtual register, and are passed over without a look at the operands.
    named: u64,
    /// Operands that have not been met. Most instructions name few registers: fields that hold the zero register come to nothing, and those after the last
    /// operand are not looked at.
    left: usize,
    convention: usize,
}

/// A bit of a word for a field; a few fields share one.
#[inline]
fn name_bit(name: FieldName) -> u64 {
    1 << (name as u8 % 64)
}

impl Iterator for Touches<'_> {
    type Item = Touch;

    #[inline]
    fn next(&mut self) -> Option<Touch> {
        if let Some(guard) = self.guard.take() {
            return Some(guard.touch());
        }
        let instruction = self.instruction;
        while self.left > 0 {
            let Some(described) = self.fields.next() else {
                self.left = 0;
                break;
            };
            if let Some(operand) = self.held_in(described) {
                self.left -= 1;
                return Some(instruction.touch(described, operand, self.written));
            }
        }
        instruction.effects.as_ref()?;
        let touch = instruction.named_by_convention(self.convention);
        self.convention += 1;
        touch
    }

    // As `next` again and again, with everything at hand.
    #[inline]
    fn fold<B, F: FnMut(B, Touch) -> B>(mut self, start: B, mut add: F) -> B {
        let instruction = self.instruction;
        let mut all = start;
        if let Some(guard) = self.guard {
            all = add(all, guard.touch());
        }
        if self.left > 0 {
            for described in self.fields.by_ref() {
                if let Some(operand) = held_in(instruction, self.held, self.named, described) {
                    all = add(all, instruction.touch(described, operand, self.written));
                    self.left -= 1;
                    if self.left == 0 {
                        break;
                    }
                }
            }
        }
        while let Some(touch) = instruction.named_by_convention(self.convention) {
            self.convention += 1;
            all = add(all, touch);
        }
        all
    }
}

impl<'i> Touches<'i> {
    /// The operand in a field.
    #[inline]
    fn held_in(&self, described: &RegisterField) -> Option<&'i Operand> {
        held_in(self.instruction, self.held, self.named, described)
    }
}

/// The operand in a field of an instruction's form.
#[inline]
fn held_in<'i>(
    instruction: &Instruction,
    held: &'i [Operand],
    named: u64,
    described: &RegisterField,
) -> Option<&'i Operand> {
    if named & name_bit(described.name) == 0 {
        return None;
    }
    let operand = held.iter().find(|operand| operand.field == described.name)?;
    described.exists_on(instruction.base.isa()).then_some(operand)
}

/// A basic block: control enters at its start and leaves at its end; branches within it go to the ends of other blocks only as its last instructions.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its instructions in order.
    pub code: Vec<Instruction>,
}

/// A line of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// Byte of the PTX text where the instruction starts.
    pub ptx: u32,
    /// File, line and column of the `.loc` in force; zeros: none.
    pub location: (u32, u32, u32),
    /// The number of that `.loc` among those of the body, from 1; 0: none.
    pub statement: u32,
    /// Index into [`Function::calls`], from 1, of the call to which the body was copied; 0: it is the function's own.
    pub call: u32,
}

/// A call in whose place the called function's body stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedCall {
    /// The name of the called function.
    pub function: String,
    /// Index into [`Function::places`] of the call.
    pub place: u32,
}

/// What its author should know of a function, though it is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Index into [`Function::places`] of what it is about; 0: the whole function.
    pub place: u32,
    /// In words, with the function's name.
    pub message: String,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Byte offset in the parameter area.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A function of machine instructions.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// The target.
    pub sm: Sm,
    /// Its blocks in the order in which they are laid out; the first is the entry.
    pub blocks: Vec<Block>,
    /// Its virtual registers.
    pub registers: Vec<RegisterInfo>,
    /// Source places of instructions that start loops which the program says are not to be unrolled, in order.
    pub kept_loops: Vec<u32>,
    /// Source places; the first is none.
    pub places: Vec<SourcePlace>,
    /// The calls that places of copied functions name.
    pub calls: Vec<CopiedCall>,
    /// Kernels: the parameters.
    pub parameters: Vec<Parameter>,
    /// Kernels: bytes of shared memory that the function itself uses.
    pub shared_bytes: u32,
    /// Bytes of local memory in its frame.
    pub frame_bytes: u32,
    /// Bytes that spilled registers are stored in, over the text of the function.
    pub spill_store_bytes: u32,
    /// Bytes that spilled registers are loaded from.
    pub spill_load_bytes: u32,
    /// Where its shared and local variables are in their spaces, in order of the module.
    pub variables: Vec<(VariableId, u32)>,
    /// What the frame must be aligned to.
    pub frame_alignment: u32,
    /// The stack pointer, if the function uses it: R1, lowered by the frame. No instruction defines it until the frame is laid out.
    pub stack: Option<Register>,
    /// Where the stack pointer moves (`alloca`): what stays at the frame.
    pub frame: Option<Register>,
    /// Bytes at the bottom of the frame for arguments of the functions that it calls.
    pub outgoing_bytes: u32,
    /// Device functions: the fixed registers in which arguments come.
    pub arguments: Vec<Register>,
    /// Physical registers that the function must not use.
    pub reserved: RegisterSet,
    /// Who sees its name.
    pub binding: SymbolBinding,
    /// Whether it reads addresses of global variables from constant bank 4.
    pub needs_addresses: bool,
    /// CTA barriers used, at most.
    pub barriers: u8,
    /// `.reqntid`
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`
    pub maximum_threads: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub minimum_ctas: Option<u32>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// The most registers a thread may have, from `.maxnreg` or the command line.
    pub register_limit: Option<u32>,
    /// Warpgroup products are each waited for at once: there is no room to keep their registers apart.
    pub serial_products: bool,
    /// What its author should know.
    pub advice: Vec<Advice>,
    /// The initial content of constant banks of the function: bank and bytes. Of one that is called it is a part of the banks of its kernels.
    pub banks: Vec<(u8, Vec<u8>)>,
    /// Bytes that tables of its branches may take in constant bank 2.
    pub table_bytes: u32,
    /// For a debugger: the register of each register of the PTX, in order of its body; else empty.
    pub(crate) homes: Vec<Register>,
    /// Where these are in the machine's registers, once words are written.
    pub(crate) register_places: Vec<crate::object::registers::Place>,
    /// The physical registers, once they are allocated.
    pub(crate) allocation: Option<Allocation>,
    /// The words, once they are written.
    pub(crate) code: Option<Code>,
}

impl Function {
    /// Instructions of all blocks.
    pub(crate) fn instruction_count(&self) -> usize {
        self.blocks.iter().map(|block| block.code.len()).sum()
    }

    /// An empty function.
    pub fn new(name: &str, sm: Sm) -> Function {
        Function {
            name: name.to_string(),
            kernel: true,
            sm,
            blocks: Vec::new(),
            registers: Vec::new(),
            kept_loops: Vec::new(),
            places: vec![SourcePlace::default()],
            calls: Vec::new(),
            parameters: Vec::new(),
            shared_bytes: 0,
            frame_bytes: 0,
            spill_store_bytes: 0,
            spill_load_bytes: 0,
            variables: Vec::new(),
            frame_alignment: 8,
            stack: None,
            frame: None,
            outgoing_bytes: 0,
            arguments: Vec::new(),
            reserved: RegisterSet::default(),
            binding: SymbolBinding::GLOBAL,
            needs_addresses: false,
            barriers: 0,
            required_threads: None,
            maximum_threads: None,
            minimum_ctas: None,
            required_cluster: None,
            register_limit: None,
            serial_products: false,
            advice: Vec::new(),
            banks: Vec::new(),
            table_bytes: TABLE_BIAS,
            homes: Vec::new(),
            register_places: Vec::new(),
            allocation: None,
            code: None,
        }
    }

    /// Where things lie in constant bank 0.
    pub fn constants(&self) -> &'static ConstantLayout {
        self.sm.info().constants
    }

    /// The address of the first byte of shared memory that the kernel's own variables may take: where CTAs form clusters, the system's part comes first.
    pub fn shared_base(&self) -> u32 {
        if self.has_clusters() {
            self.sm.info().shared.reserved_per_cta
        } else {
            0
        }
    }

    /// Whether CTAs form clusters: addresses in shared memory then have the number of the CTA in bits 24 and up, and a special register gives the window.
    pub fn has_clusters(&self) -> bool {
        self.constants().shared_window.is_none()
    }

    /// The encoding generation.
    pub fn isa(&self) -> Isa {
        self.sm.isa()
    }

    /// A new virtual register.
    pub fn register(&mut self, class: RegisterClass, words: u8) -> Register {
        self.registers.push(RegisterInfo {
            class,
            words,
            fixed: None,
            split: false,
            fleeting: false,
        });
        Register(self.registers.len() as u32 - 1)
    }

    /// A new virtual register that is this physical one.
    pub fn fixed_register(&mut self, class: RegisterClass, words: u8, number: u8) -> Register {
        let register = self.register(class, words);
        self.registers[register.0 as usize].fixed = Some(number);
        register
    }

    /// The call to which the code of a place was copied.
    pub fn call(&self, place: SourcePlace) -> Option<&CopiedCall> {
        self.calls.get(place.call.checked_sub(1)? as usize)
    }

    /// The register that places in the frame count from: the stack pointer, or a copy where that moves.
    pub fn frame_base(&mut self) -> Register {
        let stack = self.stack_pointer();
        self.frame.unwrap_or(stack)
    }

    /// The stack pointer.
    pub fn stack_pointer(&mut self) -> Register {
        if let Some(register) = self.stack {
            return register;
        }
        let register = self.fixed_register(RegisterClass::Gpr, 1, crate::convention::STACK_POINTER);
        self.stack = Some(register);
        register
    }

    /// A new place in the frame: its offset from [`Function::frame_base`].
    pub fn frame_slot(&mut self, bytes: u32, alignment: u32) -> u32 {
        // A frame of this size is refused later.
        let offset = self.frame_bytes.checked_next_multiple_of(alignment.max(1));
        let offset = offset.unwrap_or(u32::MAX / 2);
        self.frame_bytes = offset.saturating_add(bytes);
        self.frame_alignment = self.frame_alignment.max(alignment);
        offset
    }

    /// The registers that are fleeting and that only one instruction writes, loads of spilled ones aside: whoever writes one again, as what fills up guarded
    /// loads does, may need the old words. Empty if there are none.
    pub(crate) fn fleeting(&self) -> Vec<bool> {
        let mut fleeting: Vec<bool> = self.registers.iter().map(|info| info.fleeting).collect();
        if !fleeting.contains(&true) {
            return Vec::new();
        }
        let mut written = vec![false; self.registers.len()];
        for instruction in self.blocks.iter().flat_map(|block| &block.code) {
            if instruction.base.opcode() == Opcode::Ldl {
                continue;
            }
            for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                let at = touch.register.0 as usize;
                fleeting[at] &= !std::mem::replace(&mut written[at], true);
            }
        }
        fleeting
    }

    /// What a register is.
    pub fn info(&self, register: Register) -> RegisterInfo {
        self.registers[register.0 as usize]
    }

    /// The blocks that control may go to from the end of a block, without repetition.
    pub fn successors(&self, block: BlockId) -> SmallVec<[BlockId; 2]> {
        let mut found: SmallVec<[BlockId; 2]> = SmallVec::new();
        let mut add = |target: BlockId| {
            if !found.contains(&target) {
                found.push(target);
            }
        };
        let code = &self.blocks[block.0 as usize].code;
        let mut falls = true;
        for instruction in code {
            use warpsmith_sass::Flow;
            if matches!(instruction.base.flow(), Flow::Branch | Flow::Indirect) {
                instruction.targets().for_each(&mut add);
            }
            falls &= instruction.falls_through();
        }
        if falls && (block.0 as usize + 1) < self.blocks.len() {
            add(BlockId(block.0 + 1));
        }
        found
    }

    /// For each block, the blocks that control may come from.
    pub fn predecessors(&self) -> Vec<SmallVec<[BlockId; 2]>> {
        let mut found = Vec::new();
        found.resize_with(self.blocks.len(), SmallVec::new);
        for index in 0..self.blocks.len() {
            let block = BlockId(index as u32);
            for successor in self.successors(block) {
                found[successor.0 as usize].push(block);
            }
        }
        found
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "function {} sm_{}", self.name, self.isa().name())?;
        for (index, block) in self.blocks.iter().enumerate() {
            let next: Vec<String> = self
                .successors(BlockId(index as u32))
                .iter()
                .map(|block| format!("b{}", block.0))
                .collect();
            writeln!(f, "b{index}: -> {}", next.join(" "))?;
            for instruction in &block.code {
                writeln!(f, "    {}", crate::text::instruction(self, instruction))?;
            }
        }
        Ok(())
    }
}
