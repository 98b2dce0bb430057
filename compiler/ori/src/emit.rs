//! From scheduled instructions with physical registers to words.

use warpsmith_base::fault;
use warpsmith_sass::{FieldKind, FieldName, Flow, Instruction as Word, Opcode, RegisterClass};

use crate::{
    allocate::Allocation,
    ir::{BlockId, Function, Instruction, Origin, Reference},
};

/// A table that a branch goes by.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Index of the branch's word.
    pub(crate) index: usize,
    /// Byte offset of the table among those of the function.
    pub(crate) offset: u32,
    /// Byte offsets of where it goes, from the start of the function.
    pub(crate) targets: Vec<u32>,
}

/// The code of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The words.
    pub(crate) words: Vec<Word>,
    /// Where addresses go: index of the word and what.
    pub(crate) references: Vec<(usize, Reference)>,
    /// For each word, the index of its source place.
    pub(crate) places: Vec<u32>,
    /// The tables of branches.
    pub(crate) tables: Vec<Table>,
    /// Loads from tables whose place is not known yet: index of the word, and byte offset of the table among those of the function.
    pub(crate) table_loads: Vec<(usize, u32)>,
}

/// Writes the physical registers into an instruction's word.
pub(crate) fn with_registers(instruction: &Instruction, allocation: &Allocation) -> Option<Word> {
    let number = |register: crate::ir::Register| allocation.numbers[register.0 as usize];
    let mut word = instruction.base;
    for operand in &instruction.operands {
        let field = word.form().field(operand.field)?;
        let FieldKind::Register(register) = &field.kind else {
            return None;
        };
        let number = u64::from(number(operand.register)?) + u64::from(operand.word);
        let raw = if register.inverted { 7 - (number & 7) } else { number };
        word = word.with_field(operand.field, raw)?;
    }
    if let Some(guard) = instruction.guard {
        let number = u128::from(number(guard.register)?);
        let raw = word.word() & !(0xf << 12) | number << 12 | u128::from(guard.negated) << 15;
        return chosen(Word::decode(word.isa(), raw).ok()?, instruction);
    }
    chosen(Word::decode(word.isa(), word.word()).ok()?, instruction)
}

/// The word if its form is the one that was chosen.
fn chosen(decoded: Word, instruction: &Instruction) -> Option<Word> {
    std::ptr::eq(decoded.form(), instruction.base.form()).then_some(decoded)
}

/// Puts the blocks one after the other, and writes physical registers, control words and branch targets into the words.
///
/// # Errors
/// An instruction for which no word exists, or a branch that reaches too far.
pub(crate) fn layout(function: &Function) -> Result<Code, String> {
    let allocation = function.allocation.as_ref().ok_or("registers are not allocated")?;
    let mut starts = Vec::with_capacity(function.blocks.len());
    let mut next = 0_usize;
    for block in &function.blocks {
        starts.push(next);
        next += block.code.len();
    }
    let mut code = Code::default();
    // Return addresses of the next call.
    let mut waiting: Vec<(usize, Reference)> = Vec::new();
    let instructions = function.blocks.iter().flat_map(|block| {
        let last = block.code.len().checked_sub(1);
        block
            .code
            .iter()
            .enumerate()
            .map(move |(index, instruction)| (instruction, Some(index) == last))
    });
    for (instruction, is_last) in instructions {
        let word = with_registers(instruction, allocation);
        let text = || crate::text::instruction(function, instruction);
        let mut word = word
            .ok_or_else(|| format!("no machine word for {}", text()))?
            .with_control(instruction.control);
        if let Some(target) = instruction.target {
            let mut start = *starts.get(target.0 as usize).ok_or("a branch to no block")?;
            if word.opcode() == Opcode::Bssy {
                start += 1 + wait_for(&word, function, target, allocation).ok_or("a barrier that nothing waits for")?;
            }
            word = with_target(word, code.words.len(), start)
                .ok_or_else(|| format!("a branch is too long: {}", text()))?;
        }
        if let Some(table) = instruction.table.as_deref() {
            let start = |target: &crate::ir::BlockId| starts.get(target.0 as usize).map(|start| 16 * *start as u32);
            let targets: Option<Vec<u32>> = table.targets.iter().map(start).collect();
            // The table counts from the start of the function, the branch from the instruction after it.
            let index = code.words.len();
            word = with_distance(word, FieldName::Imm, -16 * (index as i64 + 1))
                .ok_or_else(|| format!("a branch is too long: {}", text()))?;
            code.tables.push(Table {
                index,
                offset: table
                    .offset
                    .ok_or_else(|| fault::internal("a table that is not made"))?,
                targets: targets.ok_or("a branch to no block")?,
            });
        }
        if let Some(reference) = instruction.reference.as_deref() {
            match reference.origin {
                Origin::Symbol => code.references.push((code.words.len(), reference.clone())),
                Origin::Call => waiting.push((code.words.len(), reference.clone())),
                Origin::Tables => code.table_loads.push((code.words.len(), reference.addend as u32)),
                Origin::Frame => return Err(fault::internal("the frame is not laid out")),
            }
        }
        if word.flow() == Flow::Call {
            let after = 16 * (code.words.len() as i64 + 1);
            code.references.extend(waiting.drain(..).map(|(index, reference)| {
                let found = Reference {
                    origin: Origin::Symbol,
                    symbol: function.name.clone(),
                    addend: after,
                    ..reference
                };
                (index, found)
            }));
        }
        code.places.push(instruction.place);
        code.words.push(word);
        if is_last && !waiting.is_empty() {
            return Err(fault::internal("a return address without call"));
        }
    }
    code.references.sort_by_key(|(index, _)| *index);
    Ok(code)
}

/// Where in a block the first `BSYNC` of the barrier stands that an instruction arms: the machine is told the place behind it.
fn wait_for(armed: &Word, function: &Function, block: BlockId, allocation: &Allocation) -> Option<usize> {
    let barrier = |word: &Word| {
        let mut registers = word.registers();
        registers
            .find(|operand| operand.class == RegisterClass::Barrier)?
            .number
    };
    let waits = |instruction: &Instruction| {
        let word = with_registers(instruction, allocation);
        instruction.base.opcode() == Opcode::Bsync && word.is_some_and(|word| barrier(&word) == barrier(armed))
    };
    function.blocks.get(block.0 as usize)?.code.iter().position(waits)
}

/// The word at index `from` with a relative target at index `to`.
fn with_target(word: Word, from: usize, to: usize) -> Option<Word> {
    let field = word
        .form()
        .fields
        .iter()
        .find(|field| matches!(field.kind, FieldKind::Relative { .. }))?;
    with_distance(word, field.name, (to as i64 - from as i64 - 1) * 16)
}

/// The word with a distance in bytes in a field.
fn with_distance(word: Word, name: FieldName, bytes: i64) -> Option<Word> {
    let field = word.form().field(name)?;
    let (FieldKind::Relative { scale } | FieldKind::Signed { scale, .. }) = field.kind else {
        return None;
    };
    let distance = bytes / i64::from(scale.max(1));
    let length = field.bits.length();
    let mask = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    word.with_field(name, distance as u64 & mask)
}
