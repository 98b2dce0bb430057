//! Truth values that programs keep as bytes become truth values again: phis of 0, 1 and widened truth values, and of each other.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, CastOp, Flags, Function, Instruction, InstructionId, Type, Value};

use crate::{edit, fold, pipeline::Unit};

/// Phis that are one variable.
const MOST_PHIS: usize = 32;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let phis: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| function.instruction(id).is_phi() && matches!(function.result_type(id), Type::Int(2..=64)))
        .collect();
    let mut seen = vec![false; function.instruction_limit()];
    let mut changed = false;
    for phi in phis {
        if seen[phi.index()] || function.block_of(phi).is_none() {
            continue;
        }
        let web = web(function, phi);
        for &member in web.iter().flatten() {
            seen[member.index()] = true;
        }
        if let Some(web) = web
            && is_flag(function, &web)
            && unit.fuel.take()
        {
            narrow(function, &web);
            changed = true;
        }
    }
    changed
}

/// A phi and all those that it is made of, if nothing but 0, 1 and widened truth values goes into them.
fn web(function: &Function, phi: InstructionId) -> Option<Vec<InstructionId>> {
    let mut web = vec![phi];
    let mut next = 0;
    while let Some(&at) = web.get(next) {
        next += 1;
        let Instruction::Phi { incoming, .. } = function.instruction(at) else {
            return None;
        };
        for &(_, value) in incoming {
            if truth(function, value).is_some() {
                continue;
            }
            let id = value.as_instruction().filter(|&id| function.instruction(id).is_phi())?;
            if !web.contains(&id) {
                web.push(id);
            }
        }
        if web.len() > MOST_PHIS {
            return None;
        }
    }
    Some(web)
}

/// The truth value that an integer is, made of a constant or widened.
fn truth(function: &Function, value: Value) -> Option<Value> {
    match value {
        Value::Constant(id) => {
            let number = fold::int_value(function.context(), id).filter(|&number| number <= 1)?;
            Some(Value::Constant(function.context().bool(number == 1)))
        }
        Value::Instruction(id) => match *function.instruction(id) {
            Instruction::Cast {
                op: CastOp::ZExt,
                operand,
                ..
            } if function.type_of(operand) == Type::BOOL => Some(operand),
            _ => None,
        },
        Value::Argument(_) => None,
    }
}

/// Whether the phis are used as a truth value: bytes always are; of others something must ask for it, and nothing compute with them.
fn is_flag(function: &Function, web: &[InstructionId]) -> bool {
    let mut asked = false;
    for &phi in web {
        if function.result_type(phi) == Type::I8 {
            asked = true;
            continue;
        }
        for user in function.users(Value::Instruction(phi)) {
            match function.instruction(user) {
                Instruction::Phi { .. } if web.contains(&user) => {}
                Instruction::Cast { op: CastOp::Trunc, .. } if function.result_type(user) == Type::BOOL => asked = true,
                Instruction::ICmp { right, .. } if right.as_constant().is_some() => asked = true,
                Instruction::Binary {
                    op: BinaryOp::And,
                    right,
                    ..
                } if crate::address::constant_int(function, *right) == Some(1) => asked = true,
                _ => return false,
            }
        }
    }
    asked
}

fn narrow(function: &mut Function, web: &[InstructionId]) {
    let mut made: FxHashMap<InstructionId, Value> = FxHashMap::default();
    for &phi in web {
        let instruction = Instruction::Phi {
            flags: Flags::NONE,
            incoming: SmallVec::new(),
        };
        let narrow = function.insert_before(phi, instruction, Type::BOOL);
        let location = function.location(phi);
        function.set_location(narrow, location);
        made.insert(phi, Value::Instruction(narrow));
    }
    for &phi in web {
        let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
            continue;
        };
        let entries: SmallVec<[_; 2]> = incoming
            .iter()
            .filter_map(|&(from, value)| {
                let known = value.as_instruction().and_then(|id| made.get(&id).copied());
                Some((from, known.or_else(|| truth(function, value))?))
            })
            .collect();
        let Some(narrow) = made.get(&phi).and_then(|value| value.as_instruction()) else {
            continue;
        };
        function.update(narrow, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                *incoming = entries;
            }
        });
    }
    for &phi in web {
        let ty = function.result_type(phi);
        let Some(at) = function
            .block_of(phi)
            .and_then(|block| function.first_after_phis(block))
        else {
            continue;
        };
        let wide = edit::cast(function, at, CastOp::ZExt, made[&phi], ty);
        function.replace_all_uses(Value::Instruction(phi), wide);
    }
    for &phi in web {
        function.remove_instruction(phi);
    }
}
