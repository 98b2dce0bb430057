//! Sums of 64 bits: an addition of the low words, and one of the high words with the carry, become one instruction of pairs where there is such.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Flow, Opcode as O, RegisterClass};

use super::values::Values;
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
    select::{Request, Source, Test, Value, Word},
};

/// Puts additions of pairs in the place of two.
pub(crate) fn add_pairs(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    // Others know the instruction, and ptxas writes it for none of them.
    if !context.selector.has(O::Iadd) {
        return Ok(());
    }
    let with_carry = |code: &[Instruction]| code.iter().any(takes_carry);
    if !function.blocks.iter().any(|block| with_carry(&block.code)) {
        return Ok(());
    }
    let values = Values::of(function);
    for block in 0..function.blocks.len() {
        if !with_carry(&function.blocks[block].code) {
            continue;
        }
        let mut code = std::mem::take(&mut function.blocks[block].code);
        let mut removed = vec![false; code.len()];
        for high in 0..code.len() {
            let Some((low, request)) = sum(function, &values, block, &code, high) else {
                continue;
            };
            let pair = context.selector.replacement(function, &code[high], &request);
            if let Some(pair) = pair.filter(|_| context.fuel.take()) {
                code[high] = pair;
                removed[low] = true;
            }
        }
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            !removed[index - 1]
        });
        function.blocks[block].code = code;
    }
    Ok(())
}

fn takes_carry(instruction: &Instruction) -> bool {
    matches!(instruction.base.opcode(), O::Iadd3 | O::Uiadd3)
        && instruction.base.form().name.starts_with("X.")
        && instruction.guard.is_none()
}

/// The place of the addition of the low words that belongs to one of the high words, and the addition of both.
fn sum(
    function: &Function,
    values: &Values,
    block: usize,
    code: &[Instruction],
    high: usize,
) -> Option<(usize, Request)> {
    if !takes_carry(&code[high]) {
        return None;
    }
    let upper = Request::of(&code[high])?;
    let [out, carry_in, second] = match upper.opcode() {
        O::Iadd3 => [F::Pu, F::Pp, F::Pq],
        _ => [F::UPu, F::UPp, F::UPq],
    };
    let carry = upper.test(carry_in).filter(|test| !test.negated)?.register?;
    let word = values.word(carry, 0);
    let (of, low) = values.place(values.definition(word)?);
    let once = of == block && low < high && values.uses(word).len() == 1;
    let lower = Request::of(code.get(low)?).filter(|_| once)?;
    let carries = [(out, carry)];
    let plain = lower.opcode() == upper.opcode()
        && lower.literals().is_empty()
        && !lower.is_guarded()
        && lower.written_predicates() == carries
        && upper.written_predicates().is_empty()
        && upper.test(second).is_none_or(|test| test == Test::NEVER)
        && lower.loud().next().is_none()
        && upper.loud().next().is_none();
    let (to, upper_to) = (lower.destination()?, upper.destination()?);
    if !plain || !are_pair(to, upper_to) {
        return None;
    }
    let operands: SmallVec<[Source; 2]> = pairs(function, lower.sources(), upper.sources())?;
    let [a, b] = operands[..] else { return None };
    let stays = undisturbed(&code[low + 1..high], to, &code[low]);
    let request = match upper.opcode() {
        O::Iadd3 => Request::new(O::Iadd).literal("64").to(to).from(a).from(b),
        _ => Request::new(O::Uiadd3)
            .literal("64")
            .to(to)
            .from(a)
            .from(b)
            .from(Value::Zero),
    };
    stays.then_some((low, request))
}

/// Whether two words are the low and the high one of an aligned pair.
fn are_pair(low: Word, high: Word) -> bool {
    low.register == high.register && low.word.is_multiple_of(2) && high.word == low.word + 1
}

/// The two summands, each of two words: what stands in a register first.
fn pairs(function: &Function, low: &[Source], high: &[Source]) -> Option<SmallVec<[Source; 2]>> {
    let there = |sources: &[Source]| -> SmallVec<[Source; 3]> {
        let values = sources.iter().filter(|source| source.value != Value::Zero);
        values.copied().collect()
    };
    // `~0` is all ones.
    let ones = |source: &&Source| source.value == Value::Zero && source.inverted;
    let (low, mut left) = (there(low), there(high));
    if low.len() != 2 {
        return None;
    }
    if let Some(ones) = high.iter().find(ones) {
        left.push(*ones);
    }
    let mut found: SmallVec<[Source; 2]> = SmallVec::new();
    for source in low {
        let pair = match source.value {
            Value::Register(word) if !source.absolute && !source.inverted => {
                let fits = |other: &Source| match other.value {
                    Value::Register(upper) => {
                        are_pair(word, upper) && !other.absolute && !other.negated && other.inverted == source.negated
                    }
                    _ => false,
                };
                let at = left.iter().position(fits)?;
                left.remove(at);
                source
            }
            Value::Immediate(value) if !source.negated && !source.inverted => {
                let negative = (value as i32) < 0;
                let fits = |other: &Source| match other.value {
                    Value::Immediate(upper) => upper == u32::MAX && !other.inverted && !other.negated,
                    Value::Zero => other.inverted,
                    _ => false,
                };
                match left.iter().position(fits) {
                    Some(at) if negative => drop(left.remove(at)),
                    None if !negative => {}
                    _ => return None,
                }
                source
            }
            _ => return None,
        };
        found.push(pair);
    }
    let is_general = |source: &Source| match source.value {
        Value::Register(word) => function.info(word.register).class == RegisterClass::Gpr,
        _ => false,
    };
    // What can only be the second operand stands there.
    let is_register = |source: &Source| matches!(source.value, Value::Register(_));
    let second = |source: &Source| (!is_register(source), source.negated, !is_general(source));
    found.sort_by_key(second);
    (left.is_empty() && found.first().is_some_and(|first| is_register(first) && !first.negated)).then_some(found)
}

/// Whether straight code neither touches the low word of a result nor writes what makes it.
fn undisturbed(code: &[Instruction], to: Word, low: &Instruction) -> bool {
    let reads: SmallVec<[(Register, u8); 4]> = low
        .touches()
        .filter(|touch| touch.access == Access::Read)
        .map(|touch| (touch.register, touch.word))
        .collect();
    code.iter().all(|instruction| {
        instruction.base.flow() == Flow::None
            && instruction.touches().all(|touch| {
                let words = touch.word..touch.word + touch.words;
                let is_result = touch.register == to.register && words.contains(&to.word);
                let written = touch.access != Access::Read
                    && reads
                        .iter()
                        .any(|(register, word)| *register == touch.register && words.contains(word));
                !is_result && !written
            })
    })
}
