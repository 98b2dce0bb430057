//! What the machine cannot run although words can say it: registers that a function has not, tuples and constants that are not aligned, branches to nowhere; and, where
//! that is asked for, what its clock and its barriers would not stand.

use std::collections::HashMap;
use std::ops::Range;

use warpsmith_cubin::{Content, Cubin, Eiattr, Section};
use warpsmith_sass::hazard::{check_meetings, check_paths};
use warpsmith_sass::{FieldName, Instruction, Opcode, RegisterClass, RegisterOperand};
use warpsmith_target::Isa;

use super::lexer::Fault;
use crate::native::labels::INSTRUCTION;

/// Where an instruction of the listing has its word.
pub(super) struct Place {
    pub(super) section: u32,
    pub(super) offset: u64,
    pub(super) text: Range<usize>,
    /// Whether the line says stall count and scoreboards.
    pub(super) has_control: bool,
}

/// What is wrong, and what is only suspicious.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) errors: Vec<Fault>,
    pub(super) warnings: Vec<Fault>,
}

/// Looks at every instruction that the listing has as text; `thorough` with the static checks of hazards.
pub(super) fn check(cubin: &Cubin, isa: Isa, places: &[Place], thorough: bool) -> Findings {
    let counts = register_counts(cubin);
    let mut findings = Findings::default();
    for own in places.chunk_by(|a, b| a.section == b.section) {
        let Some((section, code)) = own.first().and_then(|first| code(cubin, isa, first.section)) else {
            continue;
        };
        let registers = registers(section, &counts, &code);
        for place in own {
            let at = (place.offset / INSTRUCTION) as usize;
            let Some(Some(instruction)) = code.get(at) else {
                continue;
            };
            let faults = [
                registers.and_then(|registers| beyond(instruction, registers)),
                misaligned(instruction),
                misaligned_constant(instruction),
                lost_branch(instruction, place.offset, code.len()),
            ];
            let faults = faults.into_iter().flatten();
            findings
                .errors
                .extend(faults.map(|message| Fault::new(place.text.clone(), message)));
        }
        if thorough {
            hazards(&code, own, &mut findings);
        }
    }
    findings
}

/// The words of a section of code, of which those that are none stay empty.
fn code(cubin: &Cubin, isa: Isa, section: u32) -> Option<(&Section, Vec<Option<Instruction>>)> {
    let section = cubin.sections.get(section as usize)?;
    let Content::Bytes(bytes) = &section.content else {
        return None;
    };
    let (words, _) = bytes.as_chunks::<16>();
    let code = words
        .iter()
        .map(|word| Instruction::decode(isa, u128::from_le_bytes(*word)).ok());
    Some((section, code.collect()))
}

/// The general registers of each function, by the number of its symbol.
fn register_counts(cubin: &Cubin) -> HashMap<u32, u32> {
    let records = cubin
        .section_by_name(".nv.info")
        .and_then(|(index, _)| cubin.info_records(index).ok());
    let records = records.into_iter().flatten();
    let counts = records.filter(|record| record.attribute == Eiattr::REGCOUNT);
    counts
        .filter_map(|record| match record.value.words()?[..] {
            [symbol, count] => Some((symbol, count)),
            _ => None,
        })
        .collect()
}

/// The general registers that a function's warps have at most; `None` where the file does not say.
fn registers(section: &Section, counts: &HashMap<u32, u32>, code: &[Option<Instruction>]) -> Option<u32> {
    let stated = counts.get(&section.function_symbol()).copied();
    let stated = stated.or_else(|| Some(section.register_count()).filter(|count| *count != 0))?;
    // Warps may ask for more.
    let asked = code.iter().flatten().filter_map(|instruction| {
        let asks = instruction.opcode() == Opcode::Usetmaxreg;
        asks.then(|| instruction.field(FieldName::Imm))?
            .map(|count| count as u32)
    });
    Some(asked.fold(stated, u32::max))
}

/// The tuples of registers that an instruction names.
fn tuples(instruction: &Instruction) -> impl Iterator<Item = (RegisterOperand, u32)> {
    let registers = instruction.registers().filter(|operand| operand.width > 0);
    registers.filter_map(|operand| Some((operand, u32::from(operand.number?))))
}

fn file(class: RegisterClass) -> &'static str {
    match class {
        RegisterClass::Gpr => "R",
        RegisterClass::UniformGpr => "UR",
        RegisterClass::Predicate => "P",
        RegisterClass::UniformPredicate => "UP",
        RegisterClass::Barrier => "B",
        RegisterClass::Scoreboard => "SB",
    }
}

/// A general register that the function has not.
fn beyond(instruction: &Instruction, registers: u32) -> Option<String> {
    let mut general = tuples(instruction).filter(|(operand, _)| operand.class == RegisterClass::Gpr);
    let last = general.find_map(|(operand, first)| {
        let last = first + u32::from(operand.width) - 1;
        (last >= registers).then_some(last)
    })?;
    Some(format!(
        "R{last} is used, and REGCOUNT says that the function has {registers} registers"
    ))
}

/// A tuple that does not start where the machine wants it.
fn misaligned(instruction: &Instruction) -> Option<String> {
    let (operand, first) =
        tuples(instruction).find(|(operand, first)| !first.is_multiple_of(operand.alignment().into()))?;
    let (file, width, alignment) = (file(operand.class), operand.width, operand.alignment());
    Some(format!(
        "{file}{first} cannot be the first of {width} registers: it must be a multiple of {alignment}"
    ))
}

/// A constant that is loaded, or operated on as a double, from where no such one can be.
fn misaligned_constant(instruction: &Instruction) -> Option<String> {
    let loads = matches!(instruction.opcode(), Opcode::Ldc | Opcode::Uldc);
    let doubles = matches!(
        instruction.opcode(),
        Opcode::Dadd | Opcode::Dmul | Opcode::Dfma | Opcode::Dsetp
    );
    let bytes = match loads {
        // What is added to the offset is not known.
        true if tuples(instruction).any(|(operand, _)| operand.is_read()) => return None,
        true => {
            let (result, _) = tuples(instruction).find(|(operand, _)| operand.is_written())?;
            let text = instruction.to_string();
            let narrow = [(".U8", 1), (".S8", 1), (".U16", 2), (".S16", 2)];
            let narrow = narrow.iter().find(|(says, _)| text.contains(says));
            narrow.map_or(4 * i64::from(result.width), |(_, bytes)| *bytes)
        }
        false if doubles && instruction.field(FieldName::Bank).is_some() => 8,
        false => return None,
    };
    let offset = instruction.operands().find_map(|operand| match operand {
        warpsmith_sass::Operand::Number {
            name: FieldName::Offset,
            value,
        } => Some(value),
        _ => None,
    })?;
    (bytes != 0 && offset % bytes != 0)
        .then(|| format!("offset {offset:#x} of a constant of {bytes} bytes must be a multiple of {bytes}"))
}

/// A branch that leads out of the code, or between two words.
fn lost_branch(instruction: &Instruction, offset: u64, words: usize) -> Option<String> {
    let target = instruction.branch_target(offset)?;
    let end = words as u64 * INSTRUCTION;
    if target % INSTRUCTION != 0 {
        return Some(format!(
            "{target:#x} is no place of an instruction: it must be a multiple of 16"
        ));
    }
    // Calls leave the section where a relocation says so.
    let leaves = target >= end && instruction.flow() != warpsmith_sass::Flow::Call;
    leaves.then(|| format!("{target:#x} lies outside of the function, which has {end:#x} bytes"))
}

/// What the clock and the barriers of the machine do not stand.
fn hazards(code: &[Option<Instruction>], places: &[Place], findings: &mut Findings) {
    let mut lines = places.iter().filter(|place| !place.has_control);
    if let Some(first) = lines.next() {
        let more = lines.count();
        let others = if more == 0 {
            String::new()
        } else {
            format!(", nor have {more} more lines")
        };
        let message = format!(
            "the instruction has no control word `[s… w… r… wait=…]`{others}: it issues after one cycle, sets no scoreboard and waits for none"
        );
        findings.warnings.push(Fault::new(first.text.clone(), message));
    }
    let whole: Option<Vec<Instruction>> = code.iter().copied().collect();
    let Some(code) = whole else { return };
    let found = [check_meetings(&code), check_paths(&code, &[])];
    for (at, hazard) in found.into_iter().flatten() {
        let line = places.iter().find(|place| place.offset == at as u64 * INSTRUCTION);
        if let Some(place) = line {
            findings.errors.push(Fault::new(place.text.clone(), hazard.message));
        }
    }
}
