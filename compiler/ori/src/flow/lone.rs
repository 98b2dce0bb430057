//! Where at most one thread of a warp is: behind a branch on the predicate by which the whole warp has elected one.
//!
//! What is the warp's alone, a copy by the tensor memory accelerator or a product in tensor memory, is written as a loop in which one thread after the other
//! has its turn. The usual program lets one thread do it in the first place: that thread is elected, it is the one that a uniform register takes its value
//! from, and the loops go round once.

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Flow, Opcode as O, RegisterClass};

use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    optimise::{implied, values::Values},
    phase::Context,
    select::{Request, Test, Value, Word},
};

/// How many predicates are followed from a branch to the election.
const DEPTH: u32 = 4;

/// Takes turns out where one thread is.
pub(crate) fn one_turn(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !function.blocks.iter().flat_map(|block| &block.code).any(is_election) {
        return Ok(());
    }
    let flow = ControlFlow::of(function);
    let values = Values::with(function, &flow);
    let lone = lone_blocks(function, &flow, &values);
    let mut decided: Vec<(usize, usize, Instruction)> = Vec::new();
    for block in (0..function.blocks.len()).filter(|block| lone[*block]) {
        for (at, instruction) in function.blocks[block].code.iter().enumerate() {
            let Some((result, holds)) = decide(function, &values, block, instruction) else {
                continue;
            };
            let request = Request::new(O::Plop3)
                .form("LUT.P_P_P_P_P_I_I")
                .when(F::Pp, Test::ALWAYS)
                .when(F::Pq, Test::ALWAYS)
                .when(F::Pr, Test::ALWAYS)
                .number(F::Imm, if holds { 0x80 } else { 0 })
                .sets(F::Pu, result);
            if let Some(constant) = context.selector.replacement(function, instruction, &request)
                && context.fuel.take()
            {
                decided.push((block, at, constant));
            }
        }
    }
    for (block, at, constant) in decided {
        function.blocks[block].code[at] = constant;
    }
    Ok(())
}

/// Whether an instruction elects one of the threads that are there.
fn is_election(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::Elect && instruction.guard.is_none()
}

/// For each block, whether at most one thread of a warp is there at a time.
pub(crate) fn lone_blocks(function: &Function, flow: &ControlFlow, values: &Values) -> Vec<bool> {
    let mut lone = vec![false; function.blocks.len()];
    for &block in &flow.order {
        lone[block] |= flow.dominator[block].is_some_and(|above| lone[above]);
        let code = &function.blocks[block].code;
        let branch = code.iter().find(|instruction| instruction.base.flow() == Flow::Branch);
        let Some((guard, taken)) = branch.and_then(|branch| Some((branch.guard?, branch.target?.0 as usize))) else {
            continue;
        };
        // A second predicate in the branch says what is not known here.
        if branch.is_some_and(|branch| !branch.operands.is_empty()) {
            continue;
        }
        let holds = Test {
            register: Some(guard.register),
            negated: guard.negated,
        };
        for &to in &flow.successors[block] {
            let test = if to == taken { holds } else { holds.opposite() };
            // Ways back to the block come from threads that have passed already.
            let others = flow.predecessors[to].iter().filter(|from| **from != block);
            let only = others.into_iter().all(|from| values.dominance.dominates(to, *from)) && to != block;
            let only = only && flow.successors[block].len() == 2;
            lone[to] |= only && is_elected(function, values, test, DEPTH);
        }
    }
    lone
}

/// Whether at most one thread of the warp passes a test: it holds in the thread alone that all of them together have elected.
fn is_elected(function: &Function, values: &Values, test: Test, depth: u32) -> bool {
    let Some(register) = test.register else { return false };
    let Some(number) = values.definition(values.word(register, 0)) else {
        return false;
    };
    let (block, at) = values.place(number);
    let code = &function.blocks[block].code;
    match code[at].base.opcode() {
        O::Elect => !test.negated && is_election(&code[at]) && is_of_all(&code[..at]),
        O::Plop3 if depth > 0 => {
            let inputs: SmallVec<[Test; 3]> = implied(&code[at], register, !test.negated);
            inputs
                .into_iter()
                .any(|input| is_elected(function, values, input, depth - 1))
        }
        // A comparison that holds only where its other input does, or fails only where that fails.
        O::Isetp | O::Fsetp | O::Dsetp if depth > 0 && code[at].guard.is_none() => {
            let input = Request::of(&code[at]).filter(|request| {
                let is_first = request.written_predicates().first() == Some(&(F::Pu, register));
                let combines = if test.negated { "OR" } else { "AND" };
                is_first && request.says(F::Combine) == combines && !request.has_flag(F::Extended)
            });
            let input = input.and_then(|request| request.test(F::Pp));
            let input = input.map(|input| if test.negated { input.opposite() } else { input });
            input.is_some_and(|input| is_elected(function, values, input, depth - 1))
        }
        _ => false,
    }
}

/// Whether a block ends in a branch on the predicate by which all threads of the warp have elected one in the same block: one of them takes it for sure.
pub(super) fn ends_with_election(function: &Function, values: &Values, block: usize) -> bool {
    let code = &function.blocks[block].code;
    let branch = code.iter().find(|instruction| instruction.base.flow() == Flow::Branch);
    let Some(guard) = branch.and_then(|branch| branch.guard.filter(|_| branch.operands.is_empty())) else {
        return false;
    };
    let Some(number) = values.definition(values.word(guard.register, 0)) else {
        return false;
    };
    let (home, at) = values.place(number);
    home == block && code[at].base.opcode() == O::Elect && is_election(&code[at]) && is_of_all(&code[..at])
}

/// Whether an instruction waits for all threads of the warp.
pub(crate) fn is_wait_of_all(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::Warpsync
        && instruction.base.form().name.starts_with("ALL")
        && instruction.guard.is_none()
}

/// Whether all threads of the warp are together at the end of straight code: they have just waited for each other.
fn is_of_all(code: &[Instruction]) -> bool {
    let straight = code
        .iter()
        .rev()
        .take_while(|instruction| instruction.base.flow() == Flow::None || instruction.base.opcode() == O::Warpsync);
    straight.into_iter().any(is_wait_of_all)
}

/// The predicate that an instruction gives, where it is known because one thread alone is in its block.
fn decide(function: &Function, values: &Values, block: usize, instruction: &Instruction) -> Option<(Register, bool)> {
    if instruction.guard.is_some() {
        return None;
    }
    let request = Request::of(instruction)?;
    let [(F::Pu, result)] = *request.written_predicates() else {
        return None;
    };
    match instruction.base.opcode() {
        // The one thread is elected.
        O::Elect => request.destination().is_none().then_some((result, true)),
        // Its own value is the one that the warp has.
        O::Isetp => {
            let simple = request.literals().is_empty()
                && !request.has_flag(F::Extended)
                && request.says(F::Cmp) == "NE"
                && request.says(F::Combine) == "AND"
                && request.says(F::Type).is_empty()
                && request.test(F::Pp) == Some(Test::ALWAYS);
            let [a, b] = *request.sources() else { return None };
            let plain = |source: crate::select::Source| match source.value {
                Value::Register(word) if !source.negated && !source.absolute && !source.inverted => Some(word),
                _ => None,
            };
            let (a, b) = (plain(a)?, plain(b)?);
            (simple && read_of(function, values, block, b) == Some(a)).then_some((result, false))
        }
        _ => None,
    }
}

/// The register that a word is a copy of, by way of a uniform register, in one block.
fn read_of(function: &Function, values: &Values, block: usize, word: Word) -> Option<Word> {
    let definer = |word: Word| {
        let (own, at) = values.place(values.definition(values.word(word.register, word.word))?);
        let instruction = &function.blocks[own].code[at];
        (own == block && instruction.guard.is_none()).then_some(instruction)
    };
    let source = |instruction: &Instruction, opcode: O, form: &str, field: F| {
        let fits = instruction.base.opcode() == opcode && instruction.base.form().name == form;
        let operand = instruction.operands.iter().find(|operand| operand.field == field)?;
        fits.then(|| operand.register.word(operand.word))
    };
    let uniform = match function.info(word.register).class {
        RegisterClass::UniformGpr => word,
        _ => source(definer(word)?, O::Mov, "R_UR", F::URb)?,
    };
    let from = source(definer(uniform)?, O::R2ur, "UR_R", F::Ra)?;
    values.is_value(values.word(from.register, from.word)).then_some(from)
}
