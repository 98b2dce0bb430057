//! Instructions that allocation has added: they move what a place holds to another one.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldKind, FieldName, Opcode, RegisterClass, tables::Cmp};

use super::{
    Checker,
    moves::{is_copy_of_uniform, is_vote_of, merges_bit, tests_bit},
    state::{Bit, Partial, State},
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
                    && base.registers().any(|r| Some(r.name) == from.field && r.inverted) =>
            {
                let mask = base.field(FieldName::Imm).map(|mask| mask as u32);
                let mask = mask.filter(|mask| mask.is_power_of_two()).ok_or("not one bit")?;
                let to: Vec<usize> = self.places(to)?.collect();
                self.transfer(self.places(from)?.collect(), to.clone(), state)?;
                state.single.extend(to.iter().map(|place| (*place as u32, mask)));
                Ok(())
            }
            (Opcode::Lop3, Some(to), Some(_))
                if self.after.info(to.register).class == RegisterClass::Gpr && merges_bit(base) =>
            {
                self.merge(instruction, to, state)
            }
            (Opcode::Lop3, Some(to), Some(from))
                if self.after.info(to.register).class == RegisterClass::Predicate
                    && touches.len() == 2
                    && tests_bit(base) =>
            {
                let mask = base.field(FieldName::Imm).unwrap_or(0) as u32;
                for (from, to) in self.places(from)?.zip(self.places(to)?) {
                    let said = state.said(from, mask);
                    state.set(to, &said);
                }
                Ok(())
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

    /// A bit of a word becomes what a register holds that has nothing but this bit.
    fn merge(&self, instruction: &Instruction, to: &Touch, state: &mut State) -> Result<(), String> {
        let touches: SmallVec<[Touch; 4]> = instruction.touches().collect();
        let read = |field: FieldName| {
            let mut touches = touches.iter();
            touches.find(|touch| touch.field == Some(field) && touch.access == Access::Read)
        };
        let place = |touch: Option<&Touch>| -> Result<usize, String> {
            let touch = touch.ok_or("a bit of no register")?;
            self.places(touch)?.next().ok_or_else(|| "a bit of no word".to_string())
        };
        let (word, bit, to) = (
            place(read(FieldName::Ra))?,
            place(read(FieldName::Rc))?,
            place(Some(to))?,
        );
        let mut single = state.single.iter().filter(|single| single.0 as usize == bit);
        let Some((_, mask)) = single.next().copied() else {
            return Err("more than one bit".to_string());
        };
        if instruction.base.field(FieldName::Imm) != Some(mask.into()) {
            return Err("another bit makes room".to_string());
        }
        if !touches.iter().all(|touch| touch.words == 1) || touches.len() != 3 {
            return Err("a bit of more than words".to_string());
        }
        let kept = state
            .bits
            .iter()
            .filter(|bit| bit.place as usize == word && bit.mask != mask);
        let mut bits: SmallVec<[Bit; 8]> = kept.copied().collect();
        bits.extend(state.all(bit).into_iter().map(|word| Bit { place: 0, mask, word }));
        state.set(to, &[]);
        state.bits.extend(bits.into_iter().map(|bit| Bit {
            place: to as u32,
            ..bit
        }));
        Ok(())
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
        let mut bits: SmallVec<[Bit; 4]> = SmallVec::new();
        let mut single: SmallVec<[(u32, u32); 1]> = SmallVec::new();
        for (from, to) in from.iter().zip(&to) {
            let to = *to as u32;
            let own = state.bits.iter().filter(|bit| bit.place as usize == *from);
            bits.extend(own.map(|bit| Bit { place: to, ..*bit }));
            let own = state.single.iter().filter(|single| single.0 as usize == *from);
            single.extend(own.map(|(_, mask)| (to, *mask)));
        }
        for (place, words) in to.iter().zip(held) {
            state.set(*place, &words);
        }
        state.bits.extend(bits);
        state.single.extend(single);
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
