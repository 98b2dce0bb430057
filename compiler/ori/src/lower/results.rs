//! Results of device functions: where a function leaves them, and its caller finds them.

use warpsmith_ptx::module::{Function, Operand, Space, VariableId};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    call::{Call, Passed},
    steps::{number, select},
};
use crate::{
    convention::{self, Layout, Place},
    ir::{Effects, Register},
    select::{Request, Source, Test, Value, Word},
};

/// Where the caller finds a result.
#[derive(Clone, Copy, Debug)]
pub(super) enum CalledResult {
    /// In so many registers.
    Registers(Register, u8),
    /// In so many words on the stack, at this offset.
    Stack(u32, u8),
}

impl CalledResult {
    /// The registers that the call writes.
    pub(super) fn registers(&self) -> Option<(Register, u8)> {
        match self {
            CalledResult::Registers(register, count) => Some((*register, *count)),
            CalledResult::Stack(..) => None,
        }
    }
}

/// A predicate as calls pass it, without its destination: 1 or 0.
pub(super) fn predicate_word(test: Test) -> Request {
    select(test, number(1), Value::Zero)
}

impl Lowering<'_> {
    /// A predicate from the word that calls pass it as.
    pub(super) fn set_predicate(&mut self, to: Register, word: Source) -> Lowered {
        let is_set = self.compare_words(Cmp::Ne, true, word, Value::Zero, Combine::And, Test::ALWAYS)?;
        let copy = self.predicate_logic(is_set.into(), Test::ALWAYS, 0xc0);
        self.emit_bare(copy.sets(F::Pu, to))
    }

    /// Gives the results of a function their places in its body.
    pub(super) fn place_results(&mut self, function: &Function, layout: &Layout) -> Lowered {
        for id in &function.returns {
            let home = if layout.result_in_memory {
                let place = self.pinned(1, convention::FIRST_ARGUMENT);
                self.function.arguments.push(place);
                Passed::Caller(self.step(Request::new(O::Mov).from(place))?)
            } else if self.module.variables[id.0 as usize].space == Space::Register {
                self.register_parameter(function, *id)?
            } else {
                self.new_home(*id)
            };
            self.passed.insert(*id, home);
            self.clear_partial(*id)?;
        }
        Ok(())
    }

    /// Puts the results of a function where its caller expects them.
    pub(super) fn give_results(&mut self, function: &Function, effects: &mut Effects) -> Lowered {
        let layout = self.layout((&function.returns, &function.parameters));
        // All are read before the first is put into its place, as arguments are.
        let mut values = Vec::new();
        for (id, place) in function.returns.iter().zip(&layout.results) {
            let count = convention::registers(self.variable_size(*id).0);
            values.push((self.result_words(*id, count)?, count, *place));
        }
        for (sources, count, place) in values {
            match place {
                Place::Registers(first) => {
                    let to = self.pinned(count, first);
                    for (index, source) in (0..count).zip(sources) {
                        self.emit_bare(Request::new(O::Mov).to(to.word(index)).from(source))?;
                    }
                    effects.reads.push((to, count));
                }
                Place::Stack(offset) => {
                    let base = self.top()?;
                    for (index, source) in (0..).zip(sources) {
                        let from = self.step(Request::new(O::Mov).from(source))?;
                        self.local_store(base, offset + 4 * index, from.into())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The words of a result, in the function that gives it.
    fn result_words(&mut self, id: VariableId, count: u8) -> Lowered<Vec<Source>> {
        match self.passed.get(&id).cloned() {
            Some(Passed::Words(words)) => Ok(self.written(id, &words)),
            Some(Passed::Frame(offset)) => {
                let base = self.function.frame_base();
                let words = (0..count).map(|index| {
                    let to = self.temporary(1);
                    self.local_load(to.into(), base, offset + 4 * u32::from(index))?;
                    Ok(to.into())
                });
                words.collect()
            }
            Some(Passed::Predicate(predicate)) => Ok(vec![self.step(predicate_word(predicate.into()))?.into()]),
            Some(Passed::Caller(_) | Passed::Incoming(_)) | None => Err(UNSUPPORTED),
        }
    }

    /// Where a call finds its results.
    pub(super) fn called_results(&mut self, call: &Call<'_>, layout: &Layout) -> Vec<CalledResult> {
        let places = call.formal.0.iter().zip(&layout.results);
        let results = places.map(|(id, place)| {
            let count = convention::registers(self.variable_size(*id).0);
            match *place {
                Place::Registers(first) => CalledResult::Registers(self.pinned(count, first), count),
                Place::Stack(offset) => CalledResult::Stack(offset, count),
            }
        });
        results.collect()
    }

    /// Copies a result of a call to where it is wanted.
    pub(super) fn take_result(&mut self, operand: &Operand, result: CalledResult) -> Lowered {
        let (from, count) = match result {
            _ if matches!(operand, Operand::Sink) => return Ok(()),
            CalledResult::Registers(from, count) => (from, count),
            CalledResult::Stack(offset, count) => {
                let stack = self.function.stack_pointer();
                let to = self.temporary(count);
                for index in 0..count {
                    self.local_load(to.word(index), stack, offset + 4 * u32::from(index))?;
                }
                (to, count)
            }
        };
        let words: Vec<Word> = match operand {
            Operand::Variable(id, 0) => match self.passed.get(id) {
                Some(Passed::Words(words)) => words.clone(),
                Some(Passed::Frame(offset)) => {
                    let offset = *offset;
                    let base = self.function.frame_base();
                    for index in 0..count {
                        self.local_store(base, offset + 4 * u32::from(index), from.word(index))?;
                    }
                    return Ok(());
                }
                Some(Passed::Incoming(_) | Passed::Caller(_) | Passed::Predicate(_)) | None => return Err(UNSUPPORTED),
            },
            operand => {
                let to = self.destination(Some(operand))?;
                let info = self.function.info(to);
                if info.class == RegisterClass::Predicate {
                    return self.set_predicate(to, from.word(0).into());
                }
                (0..info.words).map(|word| to.word(word)).collect()
            }
        };
        for (index, word) in (0..count).zip(words) {
            self.emit_bare(Request::new(O::Mov).to(word).from(from.word(index)))?;
        }
        Ok(())
    }
}
