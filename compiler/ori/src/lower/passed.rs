//! `.param` variables of functions and calls, where code names them: in registers word for word, or in memory.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, VariableId},
    table::Type,
};
use warpsmith_sass::Opcode as O;

use super::{
    Lowered, Lowering, UNSUPPORTED, call::Passed, memory::extract, operand::is_signed, steps::permute,
    variables::unsupported, words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value, Word},
};

impl Lowering<'_> {
    /// Whether an address in `.param` space is one in local memory: of a function's own parameters, or of those of its calls.
    pub(super) fn is_local_parameter(&self, variant: &Variant, address: &Address) -> bool {
        match address.base {
            AddressBase::Variable(id) => self.is_passed(id),
            AddressBase::Register(_) => !self.function.kernel || super::memory::says(variant, "param::func"),
            AddressBase::Absolute => false,
        }
    }

    /// The place in local memory of a `.param` variable that has one.
    pub(super) fn passed_place(&mut self, id: VariableId) -> Lowered<(Option<Register>, i64)> {
        match self.passed.get(&id) {
            Some(Passed::Frame(offset)) => {
                let offset = i64::from(*offset);
                Ok((Some(self.function.frame_base()), offset))
            }
            Some(Passed::Incoming(offset)) => {
                let offset = i64::from(*offset);
                Ok((Some(self.top()?), offset))
            }
            Some(Passed::Caller(place)) => Ok((Some(*place), 0)),
            Some(Passed::Words(_) | Passed::Predicate(_)) | None => unsupported("the address of this parameter"),
        }
    }

    /// The registers of a `.param` variable that is in some.
    pub(super) fn in_words(&self, address: &Address) -> Option<(VariableId, Vec<Word>)> {
        match address.base {
            AddressBase::Variable(id) => match self.passed.get(&id) {
                Some(Passed::Words(words)) => Some((id, words.clone())),
                _ => None,
            },
            AddressBase::Register(_) | AddressBase::Absolute => None,
        }
    }

    /// `ld.param` from registers. What lies beyond the parameter has no defined value: zero. (ptxas reads the register behind; LLVM writes such loads for poison.)
    pub(super) fn load_words(&mut self, from: &[Word], targets: &[Register], of: Type, offset: i64) -> Lowered {
        let bytes = i64::from(of.bits().div_ceil(8).max(1));
        let mut parts = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let at = usize::try_from(offset + bytes * index as i64).map_err(|_| UNSUPPORTED)?;
            let count = if bytes < 4 { 1 } else { words(of) };
            if (at % 4) as i64 % bytes.min(4) != 0 {
                return Err(UNSUPPORTED);
            }
            let word = |index: usize| {
                from.get(at / 4 + index)
                    .map_or(Value::Zero.into(), |word| Source::from(*word))
            };
            let data = self.temporary(count);
            if bytes < 4 {
                let selector = extract((at % 4) as u32, bytes as u32, is_signed(of));
                self.emit_bare(permute(word(0), selector, Value::Zero).to(data))?;
            } else {
                for index in 0..count {
                    let source = word(usize::from(index));
                    self.emit_bare(Request::new(O::Mov).to(data.word(index)).from(source))?;
                }
            }
            parts.push((*target, data));
        }
        for (target, data) in parts {
            self.scatter(&[target], of, data)?;
        }
        Ok(())
    }

    /// `st.param` to registers.
    pub(super) fn store_words(&mut self, to: &[Word], values: &[Operand], of: Type, offset: i64) -> Lowered {
        let bytes = i64::from(of.bits().div_ceil(8).max(1));
        for (index, value) in values.iter().enumerate() {
            let at = usize::try_from(offset + bytes * index as i64).map_err(|_| UNSUPPORTED)?;
            if (at % 4) as i64 % bytes.min(4) != 0 {
                return Err(UNSUPPORTED);
            }
            if bytes >= 4 {
                for word in 0..words(of) {
                    let place = *to.get(at / 4 + usize::from(word)).ok_or(UNSUPPORTED)?;
                    let source = self.word(Some(value), of, word)?;
                    self.emit(Request::new(O::Mov).to(place).from(source))?;
                }
                continue;
            }
            let place = *to.get(at / 4).ok_or(UNSUPPORTED)?;
            let source = self.in_register(Some(value), of)?;
            // Whole variables of one or two bytes have nothing beside them.
            let partial = self.calls.partial.iter().any(|id| match self.passed.get(id) {
                Some(Passed::Words(words)) => words.contains(&place),
                _ => false,
            });
            if !partial {
                self.emit(Request::new(O::Mov).to(place).from(source))?;
                continue;
            }
            let digit = |byte: usize| match byte.checked_sub(at % 4) {
                Some(own) if (own as i64) < bytes => 4 + own as u32,
                _ => byte as u32,
            };
            let selector = (0..4).fold(0, |selector, byte| selector | digit(byte) << (4 * byte));
            self.emit(permute(place, selector, source).to(place))?;
        }
        Ok(())
    }
}
