//! Instructions that allocation has added: they move what a place holds to another one.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldKind, FieldName, Opcode, RegisterClass, tables::Cmp};

use super::{
    Checker,
    moves::{is_copy_of_uniform, is_vote_of},
    state::{Partial, State},
};
use crate::ir::{Instruction, Register, Touch};

impl Checker<'_> {
    /// An instruction that moves a value.
    pub(super) fn added(&self, instruction: &Instruction, state: &mut State) -> Result<(), String> {
        let base = &instruction.base;
        let touches: SmallVec<[Touch; 4]> = instruction.touches().collect();
        let writes_stack = touches
            .iter()
            .any(|touch| touch.access != Access::Read && Some(touch.register) == self.after.stack);
        if instruction.guard.is_some() || instruction.effects.is_some() {
            return Err("an added instruction under a guard".to_string());
        }
        if writes_stack {
            // Only the start of the function makes the frame.
            return Ok(());
        }
        let read = touches
            .iter()
            .find(|touch| touch.access == Access::Read && !self.is_frame(touch.register));
        let written = touches.iter().find(|touch| touch.access == Access::Write);
        let state_name = base.field(FieldName::ThreadState);
        match (base.opcode(), written, read) {
            (Opcode::Mov, Some(to), Some(from)) if matches!(base.form().name, "R_R" | "R_UR") => {
                self.transfer(self.places(from)?.collect(), self.places(to)?.collect(), state)
            }
            (Opcode::R2ur, Some(to), Some(from)) if base.form().name == "UR_R" && touches.len() == 2 => {
                self.gather(from, to, state)
            }
            (Opcode::Mov | Opcode::Ldc, Some(to), None) => {
                // A constant is no word of the function before.
                self.places(to)?.for_each(|place| state.set(place, &[]));
                Ok(())
            }
            (Opcode::Ldl, Some(to), None) => {
                let to: Vec<usize> = self.places(to)?.collect();
                self.transfer(self.slots(instruction, to.len())?, to, state)
            }
            (Opcode::Stl, None, Some(from)) => {
                let from: Vec<usize> = self.places(from)?.collect();
                let to = self.slots(instruction, from.len())?;
                self.transfer(from, to, state)
            }
            (Opcode::Sel, Some(to), Some(from))
                if self.after.info(from.register).class == RegisterClass::Predicate
                    && touches.len() == 2
                    && base.field(FieldName::Imm) == Some(1)
                    && base.registers().any(|r| Some(r.name) == from.field && r.inverted) =>
            {
                self.transfer(self.places(from)?.collect(), self.places(to)?.collect(), state)
            }
            (Opcode::Isetp, Some(to), Some(from))
                if touches.len() == 2
                    && base.modifier::<Cmp>() == Some(Cmp::Ne)
                    && from.field == Some(FieldName::Ra) =>
            {
                self.transfer(self.places(from)?.collect(), self.places(to)?.collect(), state)
            }
            (Opcode::Voteu, Some(to), Some(from)) if touches.len() == 2 && is_vote_of(base, from) => {
                self.gather(from, to, state)
            }
            (Opcode::Plop3, Some(to), Some(from)) if touches.len() == 2 && is_copy_of_uniform(base, from) => {
                self.transfer(self.places(from)?.collect(), self.places(to)?.collect(), state)
            }
            (Opcode::Bmov, Some(to), None) => {
                let barrier =
                    state_name.and_then(|number| self.places.of_register(RegisterClass::Barrier, number as usize));
                let barrier = barrier.ok_or("not a convergence barrier")?;
                self.transfer(vec![barrier], self.places(to)?.collect(), state)?;
                state.set(barrier, &[]);
                Ok(())
            }
            (Opcode::Bmov, None, Some(from)) => {
                let barrier =
                    state_name.and_then(|number| self.places.of_register(RegisterClass::Barrier, number as usize));
                let barrier = barrier.ok_or("not a convergence barrier")?;
                self.transfer(self.places(from)?.collect(), vec![barrier], state)
            }
            _ => Err("an added instruction that moves nothing".to_string()),
        }
    }

    /// A move from what each thread has to what the warp has: from any of the threads, so that nothing is known of what only some have.
    fn gather(&self, from: &Touch, to: &Touch, state: &mut State) -> Result<(), String> {
        let to = self.places(to)?;
        self.transfer(self.places(from)?.collect(), to.clone().collect(), state)?;
        state.partial.retain(|partial| !to.contains(&(partial.place as usize)));
        Ok(())
    }

    fn transfer(&self, from: Vec<usize>, to: Vec<usize>, state: &mut State) -> Result<(), String> {
        if from.len() != to.len() {
            return Err("a move between different widths".to_string());
        }
        let held: Vec<SmallVec<[u32; 2]>> = from.iter().map(|place| state.all(*place)).collect();
        // What only some threads have goes along: the other half may be written after the move.
        let mut halves: SmallVec<[Partial; 2]> = SmallVec::new();
        for (from, to) in from.iter().zip(&to) {
            let own = state.partial.iter().filter(|partial| partial.place as usize == *from);
            halves.extend(own.map(|partial| Partial {
                place: *to as u32,
                ..*partial
            }));
        }
        for (place, words) in to.iter().zip(held) {
            state.set(*place, &words);
        }
        state.partial.extend(halves);
        Ok(())
    }

    /// Whether places in the frame count from a register.
    fn is_frame(&self, register: Register) -> bool {
        Some(register) == self.after.stack || Some(register) == self.after.frame
    }

    /// The words of the frame that an added access is about.
    fn slots(&self, instruction: &Instruction, words: usize) -> Result<Vec<usize>, String> {
        let base = instruction
            .operands
            .iter()
            .find(|operand| operand.field == FieldName::Ra);
        if !base.is_some_and(|operand| self.is_frame(operand.register)) {
            return Err("a spill slot that is not in the frame".to_string());
        }
        let field = instruction
            .base
            .form()
            .field(FieldName::Offset)
            .map(|field| &field.kind);
        let offset = match field {
            Some(FieldKind::Signed { .. } | FieldKind::Unsigned { .. }) => instruction.base.field(FieldName::Offset),
            _ => None,
        };
        let offset = offset.ok_or("a spill slot without offset")? as usize;
        let inside = offset.is_multiple_of(4 * words)
            && offset >= self.before.frame_bytes as usize
            && offset + 4 * words <= self.after.frame_bytes as usize;
        if !inside {
            return Err("a spill slot outside its part of the frame".to_string());
        }
        let first = self.places.registers + offset / 4;
        Ok((first..first + words).collect())
    }
}
