//! Copies of variables that hold constants where they are copied.
//!
//! A front end that starts many variables of a loop with one constant gives it to the first and copies that to the others. A variable is no value, so that no
//! other rule looks through it; and each of the copies would need it beside what it writes, which are registers of whole tuples where the variables are the
//! accumulators of a product. Within a block it is plain what a variable holds.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, Opcode as O};

use super::operands::copied;
use crate::{
    ir::Function,
    phase::Context,
    select::{Request, Value, Word},
};

/// Copies constants in place of variables that hold them.
pub(crate) fn forward_constants(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let mut known: FxHashMap<Word, Value> = FxHashMap::default();
    for block in 0..function.blocks.len() {
        known.clear();
        for index in 0..function.blocks[block].code.len() {
            let instruction = &function.blocks[block].code[index];
            let is_copy = instruction.base.opcode() == O::Mov;
            let mut given = if is_copy { copied(instruction) } else { None };
            if let Some(Value::Register(from)) = given
                && let Some(constant) = known.get(&from).copied()
                && let Some(old) = Request::of(instruction)
                && let Some(to) = old.destination()
                && context.fuel.take()
            {
                let copy = Request::new(O::Mov).to(to).from(constant).guard_like(&old);
                if let Some(copy) = context.selector.replacement(function, instruction, &copy) {
                    function.blocks[block].code[index] = copy;
                    given = Some(constant);
                }
            }
            let instruction = &function.blocks[block].code[index];
            if !known.is_empty() {
                for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                    for word in touch.word..touch.word + touch.words {
                        known.remove(&touch.register.word(word));
                    }
                }
            }
            if let Some(constant @ (Value::Zero | Value::Immediate(_))) = given
                && let Some(to) = Request::of(instruction).and_then(|request| request.destination())
            {
                known.insert(to, constant);
            }
        }
    }
    Ok(())
}
