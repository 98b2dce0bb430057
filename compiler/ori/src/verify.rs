//! Checks: the machine IR is well formed, and the register allocation keeps every value.
//!
//! The allocation checker shares nothing with the allocator. It follows the flow of control with what each physical register holds: a word of a virtual
//! register, or something that differs by way. Every read must find the word that it names.

use warpsmith_sass::{Access, FieldKind, RegisterClass};

use crate::{
    allocate::Allocation,
    ir::{BlockId, Function, Instruction, Register},
    phase::Context,
};

/// [`well_formed`], as a phase.
pub(crate) fn check(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    well_formed(function).map_err(|what| format!("internal error: {what}"))
}

/// Checks that operands fit their registers and fields, and branches their blocks.
pub(crate) fn well_formed(function: &Function) -> Result<(), String> {
    for (index, block) in function.blocks.iter().enumerate() {
        for instruction in &block.code {
            instruction_is_well_formed(function, instruction).map_err(|what| {
                format!(
                    "block {index}: {what}: {}",
                    crate::text::instruction(function, instruction)
                )
            })?;
        }
    }
    Ok(())
}

fn instruction_is_well_formed(function: &Function, instruction: &Instruction) -> Result<(), String> {
    let known = |register: Register| (register.0 as usize) < function.registers.len();
    for operand in &instruction.operands {
        if !known(operand.register) {
            return Err("a register that does not exist".to_string());
        }
        let class = match instruction.base.form().field(operand.field).map(|field| &field.kind) {
            Some(FieldKind::Register(register)) => register.class,
            _ => return Err(format!("no register field {}", operand.field.as_str())),
        };
        if class != function.info(operand.register).class {
            return Err(format!("{} holds a register of another file", operand.field.as_str()));
        }
    }
    if let Some(guard) = instruction.guard {
        let predicate = matches!(
            function.registers.get(guard.register.0 as usize).map(|info| info.class),
            Some(RegisterClass::Predicate | RegisterClass::UniformPredicate)
        );
        if !predicate {
            return Err("a guard that is no predicate".to_string());
        }
    }
    for touch in instruction.touches() {
        if u32::from(touch.word) + u32::from(touch.words) > u32::from(function.info(touch.register).words) {
            return Err(format!(
                "{} words from word {} of a narrower register",
                touch.words, touch.word
            ));
        }
    }
    match instruction.target {
        Some(target) if target.0 as usize >= function.blocks.len() => Err("a branch to no block".to_string()),
        Some(_) | None => Ok(()),
    }
}

/// What a physical register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Not reached yet.
    Unknown,
    /// This word of this register.
    Word(Register, u8),
    /// Different things, by the way that control came.
    Mixed,
    /// What a call left there.
    Clobbered,
}

/// Physical registers: general, uniform, predicates, uniform predicates, barriers.
const PLACES: usize = 256 + 256 + 8 + 8 + 16;

fn place(class: RegisterClass, number: usize) -> Option<usize> {
    Some(match class {
        RegisterClass::Gpr => number,
        RegisterClass::UniformGpr => 256 + number,
        RegisterClass::Predicate => 512 + number,
        RegisterClass::UniformPredicate => 520 + number,
        RegisterClass::Barrier => 528 + number,
        RegisterClass::Scoreboard => return None,
    })
    .filter(|place| *place < PLACES)
}

/// Checks an allocation.
pub(crate) fn allocation(function: &Function, allocation: &Allocation) -> Result<(), String> {
    let blocks = function.blocks.len();
    let mut entry = vec![[Held::Unknown; PLACES]; blocks];
    let mut work = vec![0_usize];
    if let Some(first) = entry.first_mut() {
        *first = [Held::Mixed; PLACES];
    }
    let mut reached = vec![false; blocks];
    while let Some(block) = work.pop() {
        reached[block] = true;
        let mut held = entry[block];
        for instruction in &function.blocks[block].code {
            step(function, allocation, instruction, &mut held)?;
        }
        for successor in function.successors(BlockId(block as u32)) {
            let to = successor.0 as usize;
            if join(&mut entry[to], &held) || !reached[to] {
                work.push(to);
            }
        }
    }
    for (index, block) in function.blocks.iter().enumerate().filter(|(index, _)| reached[*index]) {
        let mut held = entry[index];
        for instruction in &block.code {
            reads_find(function, allocation, instruction, &held).map_err(|what| {
                format!(
                    "block {index}: {what}: {}",
                    crate::text::instruction(function, instruction)
                )
            })?;
            step(function, allocation, instruction, &mut held)?;
        }
    }
    Ok(())
}

fn join(to: &mut [Held; PLACES], from: &[Held; PLACES]) -> bool {
    let mut changed = false;
    for (own, other) in to.iter_mut().zip(from) {
        let joined = match (*own, *other) {
            (Held::Unknown, other) => other,
            (own, Held::Unknown) => own,
            (own, other) if own == other => own,
            (Held::Clobbered, _) | (_, Held::Clobbered) => Held::Clobbered,
            _ => Held::Mixed,
        };
        changed |= joined != *own;
        *own = joined;
    }
    changed
}

const CLASSES: [RegisterClass; 5] = [
    RegisterClass::Gpr,
    RegisterClass::UniformGpr,
    RegisterClass::Predicate,
    RegisterClass::UniformPredicate,
    RegisterClass::Barrier,
];

/// The place of a word of a register.
fn home(function: &Function, allocation: &Allocation, register: Register, word: u8) -> Result<usize, String> {
    let number = allocation.numbers.get(register.0 as usize).copied().flatten();
    let number = number.ok_or_else(|| format!("{} has no register", crate::text::register(function, register)))?;
    if function.info(register).fixed.is_some_and(|fixed| fixed != number) {
        return Err(format!(
            "{} has not its own place",
            crate::text::register(function, register)
        ));
    }
    place(function.info(register).class, usize::from(number) + usize::from(word))
        .ok_or_else(|| format!("{} lies outside its file", crate::text::register(function, register)))
}

fn step(
    function: &Function,
    allocation: &Allocation,
    instruction: &Instruction,
    held: &mut [Held; PLACES],
) -> Result<(), String> {
    for class in CLASSES.into_iter().filter(|_| instruction.effects.is_some()) {
        let effects = instruction.effects.iter();
        for number in effects.flat_map(|effects| effects.clobbers.members(class)) {
            if let Some(place) = place(class, usize::from(number)) {
                held[place] = Held::Clobbered;
            }
        }
    }
    for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
        for word in touch.word..touch.word + touch.words {
            held[home(function, allocation, touch.register, word)?] = Held::Word(touch.register, word);
        }
    }
    Ok(())
}

/// Every word that is read is held where it should be. A register that no way has written is undefined, whatever it holds.
fn reads_find(
    function: &Function,
    allocation: &Allocation,
    instruction: &Instruction,
    held: &[Held; PLACES],
) -> Result<(), String> {
    for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
        for word in touch.word..touch.word + touch.words {
            let at = home(function, allocation, touch.register, word)?;
            if held[at] == Held::Clobbered {
                return Err(format!(
                    "{}.{word} is read where a call left something",
                    crate::text::register(function, touch.register)
                ));
            }
            if let Held::Word(register, other) = held[at]
                && (register, other) != (touch.register, word)
            {
                return Err(format!(
                    "{}.{word} is read where {}.{other} is",
                    crate::text::register(function, touch.register),
                    crate::text::register(function, register)
                ));
            }
        }
    }
    Ok(())
}
