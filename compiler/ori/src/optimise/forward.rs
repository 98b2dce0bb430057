//! Copies of variables that hold constants where they are copied.
//!
//! A front end that starts many variables of a loop with one constant gives it to the first and copies that to the others. A variable is no value, so that no
//! other rule looks through it; and each of the copies would need it beside what it writes, which are registers of whole tuples where the variables are the
//! accumulators of a product. A variable holds a constant where it does on all ways to there, around loops as well.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, Opcode as O};

use super::operands::copied;
use crate::{
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Value, Word},
};

/// What variables hold.
type Known = FxHashMap<Word, Value>;

/// Variables whose constants are known from one block to the next, at most.
const MOST: usize = 64;

/// How often the blocks are walked until what is known of them stays as it is.
const ROUNDS: usize = 8;

/// Copies constants in place of variables that hold them.
pub(crate) fn forward_constants(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let variables = variables(function);
    if !variables.contains(&true) {
        return Ok(());
    }
    let starts = starts(function, &variables);
    for (block, mut known) in starts.into_iter().enumerate() {
        for index in 0..function.blocks[block].code.len() {
            let instruction = &function.blocks[block].code[index];
            if let Some(constant) = held(instruction, &known)
                && let Some(old) = Request::of(instruction)
                && let Some(to) = old.destination()
                && context.fuel.take()
            {
                let copy = Request::new(O::Mov).to(to).from(constant).guard_like(&old);
                if let Some(copy) = context.selector.replacement(function, instruction, &copy) {
                    function.blocks[block].code[index] = copy;
                }
            }
            step(&function.blocks[block].code[index], &variables, &mut known);
        }
    }
    Ok(())
}

/// What variables hold at the start of each block: what all ways into it agree on.
fn starts(function: &Function, variables: &[bool]) -> Vec<Known> {
    let predecessors = function.predecessors();
    let count = function.blocks.len();
    // `None`: not come to yet, so that nothing is said against anything.
    let mut ends: Vec<Option<Known>> = vec![None; count];
    let mut starts: Vec<Known> = vec![Known::default(); count];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for block in 0..count {
            let mut come = predecessors[block]
                .iter()
                .filter_map(|from| ends[from.0 as usize].as_ref());
            let mut known = match (block, come.next()) {
                (0, _) => Known::default(),
                (_, None) => continue,
                (_, Some(first)) => {
                    let mut known = first.clone();
                    for other in come {
                        known.retain(|word, value| other.get(word) == Some(value));
                    }
                    known
                }
            };
            starts[block].clone_from(&known);
            let code = &function.blocks[block].code;
            code.iter()
                .for_each(|instruction| step(instruction, variables, &mut known));
            if known.len() > MOST {
                known.clear();
            }
            changed |= ends[block].as_ref() != Some(&known);
            ends[block] = Some(known);
        }
        if !changed {
            return starts;
        }
    }
    vec![Known::default(); count]
}

/// Whether each register is written more than once, and copied somewhere.
fn variables(function: &Function) -> Vec<bool> {
    let mut writes = vec![0_u8; function.registers.len()];
    let mut is_copied = vec![false; function.registers.len()];
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            let writes = &mut writes[touch.register.0 as usize];
            *writes = writes.saturating_add(1);
        }
        if instruction.base.opcode() == O::Mov
            && let Some(Value::Register(from)) = copied(instruction)
        {
            is_copied[from.register.0 as usize] = true;
        }
    }
    let both = writes.into_iter().zip(is_copied);
    both.map(|(writes, is_copied)| writes > 1 && is_copied).collect()
}

/// The constant that a copied variable holds.
fn held(instruction: &Instruction, known: &Known) -> Option<Value> {
    if instruction.base.opcode() != O::Mov || known.is_empty() {
        return None;
    }
    match copied(instruction)? {
        Value::Register(from) => known.get(&from).copied(),
        Value::Zero | Value::Immediate(_) | Value::Constant(..) => None,
    }
}

/// What is known behind an instruction.
fn step(instruction: &Instruction, variables: &[bool], known: &mut Known) {
    let given = match instruction.base.opcode() {
        O::Mov => held(instruction, known).or_else(|| copied(instruction)),
        _ => None,
    };
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
