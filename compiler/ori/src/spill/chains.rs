//! Registers that are computed again from nothing: from constants, from what a thread always knows of itself, and from others of the kind. A short chain of
//! such instructions gives the value anywhere, whatever is live there.
//!
//! Uniform registers are seldom short: those that such instructions read can stay live for it.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::{
    Origin,
    again::{Code, again, is_cheap},
};
use crate::{
    allocate::ranges::Ranges,
    ir::{Function, Instruction, Register},
};

/// Instructions of a chain, at most: as long as a load takes.
const LONGEST: u8 = 3;

/// Instructions that are no more work than a load.
pub(super) const SHORT: u8 = 2;

/// Uniform registers that stay free where others live longer: tuples leave gaps.
const FREE: u32 = 12;

/// The predicate that is always true, and is not written.
const NO_PREDICATE: u64 = 7;

/// A block and the index of an instruction in it.
type Place = (usize, usize);

/// How registers are computed from nothing.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// How many instructions give each register; 0: none do.
    lengths: Vec<u8>,
    /// Its only writer, if there is one.
    makers: Vec<Option<Place>>,
}

/// The only writer of each register that has one.
fn makers(function: &Function) -> Vec<Option<Place>> {
    let mut found: Vec<(u32, Option<Place>)> = vec![(0, None); function.registers.len()];
    for (block, code) in function.blocks.iter().enumerate() {
        for (index, instruction) in code.code.iter().enumerate() {
            for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                let known = &mut found[touch.register.0 as usize];
                let whole = touch.words == function.info(touch.register).words && instruction.guard.is_none();
                *known = (known.0 + 1, Some((block, index)).filter(|_| whole));
            }
        }
    }
    found
        .into_iter()
        .map(|(count, place)| place.filter(|_| count == 1))
        .collect()
}

/// The registers that an instruction reads.
fn reads(instruction: &Instruction) -> SmallVec<[Register; 3]> {
    let reads = instruction.touches().filter(|touch| touch.access != Access::Write);
    let mut found: SmallVec<[Register; 3]> = reads.map(|touch| touch.register).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether an instruction copies a uniform register.
fn is_copy(instruction: &Instruction) -> bool {
    let is_copy = instruction.base.opcode() == Opcode::Mov && instruction.base.form().name == "R_UR";
    is_copy && instruction.guard.is_none() && instruction.effects.is_none()
}

/// A chain of instructions that gives a register.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) code: Code,
    /// Where its instructions stand.
    pub(super) places: SmallVec<[Place; 3]>,
    /// The uniform registers that it reads, each with the first of its instructions that does.
    pub(super) uniform: SmallVec<[(Register, usize); 1]>,
}

impl Chains {
    pub(super) fn of(function: &Function) -> Chains {
        let mut chains = Chains {
            lengths: vec![u8::MAX; function.registers.len()],
            makers: makers(function),
        };
        for register in 0..function.registers.len() as u32 {
            chains.length(function, Register(register), LONGEST);
        }
        chains
    }

    /// How many instructions give a register, at most so many.
    fn length(&mut self, function: &Function, register: Register, most: u8) -> u8 {
        let known = self.lengths[register.0 as usize];
        if known != u8::MAX {
            return if known <= most { known } else { 0 };
        }
        let found = self.find_length(function, register, most);
        // A longer chain may be sought from elsewhere.
        if found != 0 || most == LONGEST {
            self.lengths[register.0 as usize] = found;
        }
        found
    }

    fn find_length(&mut self, function: &Function, register: Register, most: u8) -> u8 {
        let class = function.info(register).class;
        if most == 0 || !matches!(class, RegisterClass::Gpr | RegisterClass::Predicate) {
            return 0;
        }
        let Some((block, index)) = self.makers[register.0 as usize] else {
            return 0;
        };
        let instruction = &function.blocks[block].code[index];
        let without = predicates(instruction).next().map(|_| without_predicates(instruction));
        let plain = match without {
            None => is_cheap(instruction) || is_copy(instruction),
            Some(other) => other.is_some_and(|other| is_cheap(&other)),
        };
        // Of predicates only carries are wanted.
        if !plain || class == RegisterClass::Predicate && instruction.base.opcode() != Opcode::Iadd3 {
            return 0;
        }
        let mut length = 1;
        for operand in reads(instruction) {
            if function.info(operand).class == RegisterClass::UniformGpr && self.makers[operand.0 as usize].is_some() {
                continue;
            }
            // Its word may hold what another register has, where it is not live itself: that it is computed again as it was could not be shown.
            if function.info(operand).split {
                return 0;
            }
            match self.length(function, operand, most - length) {
                0 => return 0,
                own => length += own,
            }
        }
        length
    }

    /// Whether a register can be computed from nothing.
    pub(super) fn gives(&self, register: u32) -> bool {
        self.lengths.get(register as usize).is_some_and(|length| *length != 0)
    }

    /// Whether a register is computed from nothing at once: wherever that is, it is no more work than a load.
    pub(super) fn gives_soon(&self, register: u32) -> bool {
        let length = self.lengths.get(register as usize);
        length.is_some_and(|length| (1..=SHORT).contains(length))
    }

    /// The instructions that give a register.
    pub(super) fn code(&self, function: &Function, origins: &[Vec<Origin>], register: Register) -> Option<Chain> {
        let mut chain = Chain::default();
        self.add(function, origins, register, &mut chain)?;
        Some(chain)
    }

    fn add(&self, function: &Function, origins: &[Vec<Origin>], register: Register, chain: &mut Chain) -> Option<()> {
        let place = self.makers[register.0 as usize].filter(|_| self.gives(register.0))?;
        let instruction = &function.blocks[place.0].code[place.1];
        let mut uniform: SmallVec<[Register; 1]> = SmallVec::new();
        for operand in reads(instruction) {
            let known = |(made, _): &(Instruction, Origin)| {
                made.touches()
                    .any(|touch| touch.register == operand && touch.access == Access::Write)
            };
            if function.info(operand).class == RegisterClass::UniformGpr {
                uniform.push(operand);
            } else if !chain.code.iter().any(known) {
                self.add(function, origins, operand, chain)?;
            }
        }
        for register in uniform {
            if !chain.uniform.iter().any(|(known, _)| *known == register) {
                chain.uniform.push((register, chain.code.len()));
            }
        }
        let made = match function.info(register).class {
            RegisterClass::Predicate => instruction.clone(),
            _ => without_predicates(instruction)?,
        };
        chain.code.push((made, again(origins[place.0][place.1])?));
        chain.places.push(place);
        Some(())
    }
}

/// The predicates that an instruction writes beside a general register.
fn predicates(instruction: &Instruction) -> impl Iterator<Item = FieldName> + '_ {
    let results = instruction.touches().filter(|touch| touch.access == Access::Write);
    let fields = results.filter_map(|touch| touch.field);
    fields.filter(|field| matches!(field, FieldName::Pu | FieldName::Pv))
}

/// The same without the predicates that it writes.
fn without_predicates(instruction: &Instruction) -> Option<Instruction> {
    let mut changed = instruction.clone();
    for field in predicates(instruction) {
        let base = changed.base.with_field(field, NO_PREDICATE)?;
        changed.base = warpsmith_sass::Instruction::decode(base.isa(), base.word()).ok()?;
        changed.operands.retain(|operand| operand.field != field);
    }
    std::ptr::eq(changed.base.form(), instruction.base.form()).then_some(changed)
}

/// How many more uniform registers may live through the whole function.
pub(super) fn uniform_room(function: &Function, ranges: &Ranges) -> u32 {
    let limit = crate::allocate::budget::limit(function, RegisterClass::UniformGpr);
    limit.saturating_sub(ranges.most_live(function, RegisterClass::UniformGpr) + FREE)
}
