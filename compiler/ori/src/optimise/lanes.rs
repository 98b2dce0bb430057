//! Packed operations on two f32, each in a lane: what of them is not needed, and what is the same in both lanes.
//!
//! Where only one lane of the result is read, one operation on single words does, and what stood in the other lane needs no place beside it. An operand that is
//! the same in both lanes is one word, or an immediate, and need not be copied into a pair; one whose words are swapped is read swapped.
//! (ptxas 13.0.88 reads operands so, and keeps the packed operation for one lane.)

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{operands::origin, rewriter::Rewriter};
use crate::select::{Request, Source, Value, Word};

/// The lanes take the words in order.
pub(super) const IN_ORDER: &str = "F32x2.HI_LO";

/// Each lane takes the word of the other.
const SWAPPED: &str = "F32x2.LO_HI";

/// Both lanes take one word.
pub(super) const ALIKE: &str = "F32";

/// The fields that say what the lanes take of each source, in order of these.
pub(super) fn fields(opcode: O) -> Option<&'static [F]> {
    match opcode {
        O::Fadd2 => Some(&[F::APair, F::CPair]),
        O::Fmul2 => Some(&[F::APair, F::BPair]),
        O::Ffma2 => Some(&[F::APair, F::BPair, F::CPair]),
        _ => None,
    }
}

/// The operation on single words that gives the only lane that is read.
pub(super) fn one_lane(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let to = request.destination()?;
    let lanes = [0, 1].map(|lane| to.register.word(to.word + lane));
    let lane = match lanes.map(|word| rewriter.uses(word) > 0) {
        [true, false] => 0,
        [false, true] => 1,
        [true, true] | [false, false] => return None,
    };
    let flushes = request.has_flag(F::Ftz);
    let single = match request.opcode() {
        O::Fadd2 => Request::new(O::Fadd).flag(F::Ftz, flushes),
        O::Fmul2 => Request::new(O::Fmul).text(F::Denormal, request.says(F::Denormal)),
        O::Ffma2 => Request::new(O::Ffma).text(F::Denormal, request.says(F::Denormal)),
        _ => return None,
    };
    let mut single = single
        .to(lanes[lane])
        .text(F::Round, request.says(F::Round))
        .guard_like(request);
    for (source, field) in request.sources().iter().zip(fields(request.opcode())?) {
        let value = match source.value {
            Value::Register(word) => Value::Register(taken(word, request.says(*field), lane as u8)?),
            Value::Zero | Value::Immediate(_) => source.value,
            Value::Constant(..) => return None,
        };
        single = single.from(Source { value, ..*source });
    }
    Some(single)
}

/// The word that a lane takes of an operand that starts at one.
fn taken(first: Word, how: &str, lane: u8) -> Option<Word> {
    let offset = match how {
        IN_ORDER => lane,
        SWAPPED => 1 - lane,
        ALIKE => 0,
        _ => return None,
    };
    Some(first.register.word(first.word + offset))
}

/// A pair of equal words is one word; a word that holds a constant is an immediate for both lanes.
pub(super) fn alike(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let fields = fields(request.opcode())?;
    for (index, (source, field)) in request.sources().iter().zip(fields).enumerate() {
        let Value::Register(first) = source.value else {
            continue;
        };
        let how = request.says(*field);
        let held = origin(rewriter, first);
        let alike = match how {
            IN_ORDER | SWAPPED => held.is_some() && held == origin(rewriter, first.register.word(first.word + 1)),
            ALIKE => true,
            _ => false,
        };
        let (value, says) = match held {
            Some(value @ Value::Immediate(_)) if alike && !source.absolute => (value, ""),
            Some(Value::Register(from)) if alike && rewriter.class(from.register) == rewriter.class(first.register) => {
                (Value::Register(from), ALIKE)
            }
            Some(_) if alike && how != ALIKE => (source.value, ALIKE),
            _ => continue,
        };
        let mut changed = request.clone().saying(*field, says);
        changed.sources_mut()[index].value = value;
        return Some(changed);
    }
    None
}

/// A pair whose words are those of another the other way round.
pub(super) fn swapped(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let fields = fields(request.opcode())?;
    for (index, (source, field)) in request.sources().iter().zip(fields).enumerate() {
        let Value::Register(first) = source.value else {
            continue;
        };
        let how = match request.says(*field) {
            IN_ORDER => SWAPPED,
            SWAPPED => IN_ORDER,
            _ => continue,
        };
        let (low, high) = (
            origin(rewriter, first),
            origin(rewriter, first.register.word(first.word + 1)),
        );
        let (Some(Value::Register(low)), Some(Value::Register(high))) = (low, high) else {
            continue;
        };
        let is_pair = high.register == low.register && high.word % 2 == 0 && low.word == high.word + 1;
        if is_pair && rewriter.class(high.register) == rewriter.class(first.register) {
            let mut changed = request.clone().saying(*field, how);
            changed.sources_mut()[index].value = Value::Register(high);
            return Some(changed);
        }
    }
    None
}
