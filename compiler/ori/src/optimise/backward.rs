//! Copies that are written where they are wanted: what makes a value that is only copied writes the copy's register itself.

use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode as O};

use super::rewriter::Rewriter;
use crate::{
    ir::Touch,
    select::{Value, Word},
};

/// How far from its definition a copy to a variable may stand.
const REACH: usize = 24;

/// At the last `MOV` of the words that one instruction makes: the instruction writes to where they are copied, and the copies go.
pub(super) fn simplify(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    if !rewriter.may_copy(at) {
        return false;
    }
    let Some((to, from)) = copy(rewriter, at) else {
        return false;
    };
    let Some(definer) = rewriter.definer(from) else {
        return false;
    };
    let made: SmallVec<[Touch; 2]> = rewriter
        .instruction(definer)
        .touches()
        .filter(|touch| touch.access != Access::Read && touch.register == from.register)
        .collect();
    let [made] = made[..] else {
        return false;
    };
    let Some(field) = made.field.filter(|_| made.access == Access::Write) else {
        return false;
    };
    if rewriter.instruction(definer).guard.is_some() || rewriter.class(to.register) != rewriter.class(from.register) {
        return false;
    }
    // The words before this one were copied to the words before.
    let place = from.word - made.word;
    if place + 1 != made.words || to.word < place || (to.word - place) % made.alignment.max(1) != 0 {
        return false;
    }
    let start = to.register.word(to.word - place);
    let mut copies: SmallVec<[u32; 4]> = SmallVec::new();
    for part in 0..made.words {
        let word = from.register.word(made.word + part);
        if !rewriter.is_single(word) {
            return false;
        }
        let Some(reader) = reader(rewriter, word, definer, at) else {
            return false;
        };
        if copy(rewriter, reader) != Some((start.register.word(start.word + part), word)) {
            return false;
        }
        copies.push(reader);
    }
    let fits = (0..made.words).zip(&copies).all(|(part, copy)| {
        let word = start.register.word(start.word + part);
        rewriter.is_value(word) || is_untouched(rewriter, word, definer, *copy)
    });
    if !fits || !rewriter.context.fuel.take() {
        return false;
    }
    for copy in copies {
        rewriter.remove(copy);
    }
    let mut changed = rewriter.instruction(definer).clone();
    for operand in changed.operands.iter_mut().filter(|operand| operand.field == field) {
        (operand.register, operand.word) = (start.register, start.word);
    }
    rewriter.replace(definer, changed);
    true
}

/// What an unguarded `MOV` of a register copies: to and from.
fn copy(rewriter: &Rewriter<'_>, at: u32) -> Option<(Word, Word)> {
    let instruction = rewriter.instruction(at);
    if instruction.base.opcode() != O::Mov || rewriter.is_removed(at) {
        return None;
    }
    let Value::Register(from) = super::operands::copied(instruction)? else {
        return None;
    };
    let to = instruction.touches().find(|touch| touch.access == Access::Write)?;
    let is_pinned = super::values::is_pinned(rewriter.function, to.register);
    (!is_pinned).then_some((to.register.word(to.word), from))
}

/// The one reader of a word.
fn reader(rewriter: &Rewriter<'_>, word: Word, definer: u32, last: u32) -> Option<u32> {
    let number = rewriter.values.word(word.register, word.word);
    let mut known = rewriter.values.uses(number).iter().copied();
    let reads = |reader: &u32| {
        !rewriter.is_removed(*reader)
            && rewriter.instruction(*reader).touches().any(|touch| {
                touch.access != Access::Write
                    && touch.register == word.register
                    && (touch.word..touch.word + touch.words).contains(&word.word)
            })
    };
    known
        .find(reads)
        .filter(|reader| *reader <= last && *reader > definer || rewriter.values.comes_before(definer, *reader))
}

/// Whether nothing touches a variable between two instructions of a block.
pub(super) fn is_untouched(rewriter: &Rewriter<'_>, word: Word, from: u32, to: u32) -> bool {
    let ((block, first), (other, last)) = (rewriter.values.place(from), rewriter.values.place(to));
    if block != other || first >= last || last - first > REACH {
        return false;
    }
    (from + 1..to)
        .filter(|number| !rewriter.is_removed(*number))
        .all(|number| {
            let instruction = rewriter.instruction(number);
            instruction.base.flow() == warpsmith_sass::Flow::None
                && instruction.touches().all(|touch| {
                    touch.register != word.register || !(touch.word..touch.word + touch.words).contains(&word.word)
                })
        })
}
