//! Loads of several words under a guard: what is there where the guard does not hold goes to the load's own registers first.
//!
//! A tuple that a load fills under a guard is copied under the same guard to the registers that the program names. These then cannot be the tuple, since
//! both are there at once: what they hold in the other threads, and what is loaded. If the tuple is given that first, the copies stand under no guard, and
//! register allocation joins both sides. (Masked loads of array languages: zeros, and a load under the mask.)

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Opcode as O};

use crate::{
    allocate::copy_of,
    ir::{Function, Guard, Instruction, Operand, Register},
    phase::Context,
};

/// How far the copies may stand behind their load.
const REACH: usize = 96;

/// Gives the tuples of guarded loads what the registers hold that they are copied to.
pub(crate) fn fill_guarded_loads(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let (mut writes, mut reads) = (
        vec![0_u32; function.registers.len()],
        vec![0_u32; function.registers.len()],
    );
    for touch in function
        .blocks
        .iter()
        .flat_map(|block| &block.code)
        .flat_map(Instruction::touches)
    {
        let register = touch.register.0 as usize;
        writes[register] += u32::from(touch.access != Access::Read);
        reads[register] += u32::from(touch.access != Access::Write);
    }
    let mut changed = false;
    for block in 0..function.blocks.len() {
        let code = &function.blocks[block].code;
        let mut found: Vec<(usize, Tuple)> = Vec::new();
        for at in 0..code.len() {
            let Some(load) = Load::of(&code[at]) else { continue };
            let register = load.register.0 as usize;
            if writes[register] != 1 || function.info(load.register).fixed.is_some() {
                continue;
            }
            if let Some(tuple) = load
                .copies(code, at)
                .filter(|tuple| tuple.len() as u32 == reads[register])
                && context.fuel.take()
            {
                found.push((at, tuple));
            }
        }
        if found.is_empty() {
            continue;
        }
        changed = true;
        let mut old = std::mem::take(&mut function.blocks[block].code);
        let mut before: Vec<(usize, Instruction)> = Vec::new();
        for (at, tuple) in found {
            for copy in tuple {
                old[copy].guard = None;
                let mut back = old[copy].clone();
                exchange(&mut back);
                before.push((at, back));
            }
        }
        let mut before = before.into_iter().peekable();
        let mut code = Vec::with_capacity(old.len() + before.len());
        for (at, instruction) in old.into_iter().enumerate() {
            while let Some((_, copy)) = before.next_if(|(load, _)| *load == at) {
                code.push(copy);
            }
            code.push(instruction);
        }
        function.blocks[block].code = code;
    }
    match changed {
        true => super::split_webs(function, context),
        false => Ok(()),
    }
}

/// The places of the copies from a load's tuple.
type Tuple = SmallVec<[usize; 4]>;

/// A load of several words under a guard.
struct Load {
    register: Register,
    guard: Guard,
}

impl Load {
    fn of(instruction: &Instruction) -> Option<Load> {
        if !matches!(instruction.base.opcode(), O::Ldg | O::Lds | O::Ldl | O::Ld) || instruction.effects.is_some() {
            return None;
        }
        let guard = instruction.guard?;
        let mut written = instruction.touches().filter(|touch| touch.access != Access::Read);
        let result = written
            .next()
            .filter(|touch| touch.words > 1 && touch.access == Access::Write)?;
        let alone = written.next().is_none() && result.field == Some(F::Rd);
        let register = result.register;
        alone.then_some(Load { register, guard })
    }

    /// The copies of the words, each under the load's guard, to registers that hold from before the load what they hold where the guard does not.
    fn copies(&self, code: &[Instruction], at: usize) -> Option<Tuple> {
        let mut tuple = Tuple::new();
        let mut words = 0_u32;
        // Registers that are no longer what they were at the load.
        let mut written: SmallVec<[Register; 16]> = SmallVec::new();
        for (offset, instruction) in code[at + 1..].iter().take(REACH).enumerate() {
            if instruction.touches().any(|touch| touch.register == self.register) {
                let ((to, word), (from, part)) = copy_of(instruction)?;
                let bit = 1_u32.checked_shl(part.into())?;
                let fits = instruction.guard == Some(self.guard)
                    && from == self.register.0
                    && words & bit == 0
                    && !written.contains(&Register(to))
                    && !written.contains(&self.guard.register)
                    && is_given(&code[..at], Register(to), word);
                if !fits {
                    return None;
                }
                words |= bit;
                tuple.push(at + 1 + offset);
            }
            let touches = instruction.touches().filter(|touch| touch.access != Access::Read);
            written.extend(touches.map(|touch| touch.register));
        }
        (!tuple.is_empty()).then_some(tuple)
    }
}

/// Whether straight code gives a word a value in all threads.
fn is_given(code: &[Instruction], register: Register, word: u8) -> bool {
    code.iter().rev().take(REACH).any(|instruction| {
        let mut touches = instruction.touches();
        instruction.guard.is_none()
            && touches.any(|touch| {
                touch.register == register
                    && touch.access == Access::Write
                    && (touch.word..touch.word + touch.words).contains(&word)
            })
    })
}

/// A copy the other way.
fn exchange(copy: &mut Instruction) {
    let place = |copy: &Instruction, field: F| {
        copy.operands
            .iter()
            .position(|operand: &Operand| operand.field == field)
    };
    if let (Some(to), Some(from)) = (place(copy, F::Rd), place(copy, F::Rb)) {
        let (a, b) = (copy.operands[to], copy.operands[from]);
        copy.operands[to] = Operand { field: F::Rd, ..b };
        copy.operands[from] = Operand { field: F::Rb, ..a };
    }
}
