//! Results that are chosen instead of an operand: `y = p ? f(x) : x`, where nobody reads `x` afterwards, is `f` under a guard that writes over `x`.
//!
//! Until here the result and the choice stand as instructions of their own, each with a register that nothing else writes, so that what is computed more
//! than once can be seen. The copy of `x` that is left is one that register allocation joins.

use warpsmith_sass::{Access, FieldName as F, Flow, Opcode as O, RegisterClass};

use super::{number::is_pure, values::Values};
use crate::{
    allocate::touches::Touches,
    ir::{Function, Guard, Instruction},
    liveness::{Liveness, Marks},
    phase::Context,
    select::{Request, Test, Value, Word},
};

/// Puts guards in the place of choices.
pub(crate) fn update_in_place(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let has_choice = |code: &[Instruction]| code.iter().any(|i| i.base.opcode() == O::Sel && i.guard.is_none());
    if !function.blocks.iter().any(|block| has_choice(&block.code)) {
        return Ok(());
    }
    let values = Values::of(function);
    let live = Liveness::of(function, &Touches::of(function));
    let mut after = Marks::new(live.words);
    for block in 0..function.blocks.len() {
        if !has_choice(&function.blocks[block].code) {
            continue;
        }
        after.clear();
        for word in &live.out[block] {
            after.insert(*word as usize);
        }
        let updates = updates(function, &values, block, &mut after);
        if updates.is_empty() {
            continue;
        }
        let mut code: Vec<Option<Instruction>> = std::mem::take(&mut function.blocks[block].code)
            .into_iter()
            .map(Some)
            .collect();
        let mut copies: Vec<Option<Instruction>> = code.iter().map(|_| None).collect();
        for update in updates {
            let copy = code[update.choice].as_ref().and_then(|choice| {
                let request = Request::new(O::Mov).to(update.to).from(update.from);
                context.selector.replacement(function, choice, &request)
            });
            let Some(copy) = copy.filter(|_| context.fuel.take()) else {
                continue;
            };
            let operation = code[update.operation].take().map(|operation| update.of(operation));
            copies[update.choice] = (update.to != update.from).then_some(copy);
            code[update.choice] = operation;
        }
        let both = copies
            .into_iter()
            .zip(code)
            .flat_map(|(copy, instruction)| [copy, instruction]);
        let done = both.flatten().collect();
        function.blocks[block].code = done;
    }
    Ok(())
}

/// A choice between a result and what it is to be written over.
struct Update {
    /// The places of the choice, and of the operation before it.
    choice: usize,
    operation: usize,
    /// What the choice writes, and what it takes where the operation's result is not taken.
    to: Word,
    from: Word,
    /// Where the result is taken.
    guard: Guard,
}

impl Update {
    /// The operation on what it writes over.
    fn of(&self, mut operation: Instruction) -> Instruction {
        for operand in &mut operation.operands {
            if operand.field == F::Rd || operand.register.word(operand.word) == self.from {
                (operand.register, operand.word) = (self.to.register, self.to.word);
            }
        }
        operation.guard = Some(self.guard);
        operation
    }
}

/// The updates that a block can have, the last first. `after` says what is live at its end.
fn updates(function: &Function, values: &Values, block: usize, after: &mut Marks) -> Vec<Update> {
    let mut found: Vec<Update> = Vec::new();
    let code = &function.blocks[block].code;
    for (at, instruction) in code.iter().enumerate().rev() {
        if instruction.base.opcode() == O::Sel && instruction.guard.is_none() {
            found.extend(choice(function, values, block, at).filter(|update| {
                let from = values.word(update.from.register, update.from.word);
                update.from == update.to || !after.contains(from)
            }));
        }
        let whole = instruction.guard.is_none();
        for touch in instruction
            .touches()
            .filter(|touch| whole && touch.access == Access::Write)
        {
            for word in touch.word..touch.word + touch.words {
                after.remove(values.word(touch.register, word));
            }
        }
        for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
            for word in touch.word..touch.word + touch.words {
                after.insert(values.word(touch.register, word));
            }
        }
    }
    found
}

/// The update that an instruction could be.
fn choice(function: &Function, values: &Values, block: usize, at: usize) -> Option<Update> {
    let request = Request::of(&function.blocks[block].code[at])?;
    let [first, second] = *request.sources() else {
        return None;
    };
    let plain =
        request.loud().next().is_none() && ![first, second].iter().any(|s| s.negated || s.absolute || s.inverted);
    let test = request.test(F::Pp)?;
    let (Value::Register(first), Value::Register(second)) = (first.value, second.value) else {
        return None;
    };
    let to = request.destination()?;
    let is_general = |word: Word| function.info(word.register).class == RegisterClass::Gpr;
    let predicate = function.info(test.register?).class == RegisterClass::Predicate;
    if !plain || !predicate || ![first, second, to].into_iter().all(is_general) {
        return None;
    }
    let update = |result: Word, from: Word, test: Test| {
        let operation = operation(function, values, (block, at), (result, from, to))?;
        let guard = Guard {
            register: test.register?,
            negated: test.negated,
        };
        Some(Update {
            choice: at,
            operation,
            to,
            from,
            guard,
        })
    };
    update(first, second, test).or_else(|| update(second, first, test.opposite()))
}

/// The place of the instruction of the same block that makes a result for a choice alone, if it may stand in the place of this under a guard.
fn operation(
    function: &Function,
    values: &Values,
    (block, choice): (usize, usize),
    (result, from, to): (Word, Word, Word),
) -> Option<usize> {
    let word = values.word(result.register, result.word);
    let (in_block, at) = values.place(values.definition(word)?);
    let instruction = &function.blocks[block].code[at.min(choice)];
    let fits = in_block == block
        && at < choice
        && values.uses(word).len() == 1
        && instruction.guard.is_none()
        && instruction.reference.is_none()
        && instruction.base.flow() == Flow::None
        && instruction.base.memory().is_empty()
        && is_pure(instruction);
    let between = values.number(block, at) + 1..values.number(block, choice);
    // A call wants its registers: what was bound to one of them, as a result or a parameter, is not read behind it.
    let calls = |code: &[Instruction]| code.iter().any(|instruction| instruction.effects.is_some());
    if at < choice && in_block == block && calls(&function.blocks[block].code[at..choice]) {
        return None;
    }
    let stays = |word: usize| !values.definitions(word).iter().any(|number| between.contains(number));
    let mut results = 0;
    let movable = instruction.touches().all(|touch| match touch.access {
        Access::Write => {
            results += 1;
            touch.words == 1 && touch.field == Some(F::Rd)
        }
        Access::Read => (touch.word..touch.word + touch.words).all(|part| {
            let part = touch.register.word(part);
            // What is read is neither written on the way, nor is it what the copy writes; as one word it can be read from there.
            stays(values.word(part.register, part.word))
                && (part != to || to == from)
                && (part != from || touch.words == 1)
        }),
        Access::ReadWrite => false,
    });
    (fits && movable && results == 1).then_some(at)
}
