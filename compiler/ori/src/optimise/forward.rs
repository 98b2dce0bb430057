//! Copies of variables that hold constants where they are copied.
//!
//! A front end that starts many variables of a loop with one constant gives it to the first and copies that to the others. A variable is no value, so that no
//! other rule looks through it; and each of the copies would need it beside what it writes, which are registers of whole tuples where the variables are the
//! accumulators of a product. What a variable holds is plain within a block, and in one that control comes to from that block alone.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, Opcode as O};

use super::operands::copied;
use crate::{
    ir::Function,
    phase::Context,
    select::{Request, Value, Word},
};

/// What variables hold.
type Known = FxHashMap<Word, Value>;

/// Variables whose constants are known from one block to the next, at most.
const MOST: usize = 64;

/// Copies constants in place of variables that hold them.
pub(crate) fn forward_constants(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let variables = variables(function);
    let predecessors = function.predecessors();
    let mut at_end: FxHashMap<usize, Known> = FxHashMap::default();
    for (block, from) in predecessors.iter().enumerate() {
        let mut known = match from.as_slice() {
            [from] => at_end.get(&(from.0 as usize)).cloned().unwrap_or_default(),
            _ => Known::default(),
        };
        forward_in(function, context, block, &variables, &mut known);
        if !known.is_empty() && known.len() <= MOST {
            at_end.insert(block, known);
        }
    }
    Ok(())
}

/// Whether each register is written more than once.
fn variables(function: &Function) -> Vec<bool> {
    let mut writes = vec![0_u8; function.registers.len()];
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            let writes = &mut writes[touch.register.0 as usize];
            *writes = writes.saturating_add(1);
        }
    }
    writes.into_iter().map(|writes| writes > 1).collect()
}

/// The same in a block, from what is known at its start to what is known at its end.
fn forward_in(function: &mut Function, context: &Context<'_>, block: usize, variables: &[bool], known: &mut Known) {
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
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            if variables[touch.register.0 as usize] {
                for word in touch.word..touch.word + touch.words {
                    known.remove(&touch.register.word(word));
                }
            }
        }
        if let Some(constant @ (Value::Zero | Value::Immediate(_))) = given
            && let Some(to) = Request::of(instruction).and_then(|request| request.destination())
            && variables[to.register.0 as usize]
        {
            known.insert(to, constant);
        }
    }
}
