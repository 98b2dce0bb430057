//! From instruction words to steps.
//!
//! One function of each family turns its instructions into operations. What it gives no operation for becomes [`Op::Unsupported`], a fault
//! when it is executed.

mod control;
mod integer;
mod memory;
mod operand;
mod other;

use warpsmith_sass::{GuardFile, Instruction, Opcode};

pub(crate) use operand::{Constants, Decoder, Numbers, Value};

use super::code::{Op, Predicate, Step, Test};

/// Decodes a word into a step.
pub(crate) fn decode(instruction: Instruction, pc: u32, constants: &mut Constants) -> Step {
    let guard = instruction.guard().map_or(Test::ALWAYS, |guard| Test {
        predicate: match guard.kind {
            GuardFile::Predicate => Predicate(guard.number),
            GuardFile::UniformPredicate => Predicate(Predicate::UNIFORM + guard.number),
        },
        negated: guard.negated,
    });
    let mut decoder = Decoder {
        instruction,
        constants,
        pc,
    };
    let op = if decoder.is_bindless_constant() {
        None
    } else {
        operation(&mut decoder)
    };
    Step {
        guard,
        uniform: is_uniform(&instruction),
        op: op.unwrap_or(Op::Unsupported),
    }
}

/// Whether the instruction runs once for the warp: its guard is a uniform predicate, or it would be.
fn is_uniform(instruction: &Instruction) -> bool {
    instruction.form().guard == warpsmith_sass::GuardKind::UniformPredicate
}

fn operation(decoder: &mut Decoder<'_>) -> Option<Op> {
    use Opcode as O;
    match decoder.instruction.opcode() {
        O::Mov | O::Umov | O::Iadd3 | O::Uiadd3 | O::Imad | O::Uimad | O::Lop3 | O::Ulop3 | O::Shf | O::Ushf => {
            integer::decode(decoder)
        }
        O::Viadd | O::Lea | O::Ulea => integer::decode(decoder),
        O::Isetp | O::Uisetp => integer::compare(decoder),
        O::S2r | O::S2ur | O::Cs2r => other::special(decoder),
        O::Ldc | O::Uldc | O::Ldcu => other::constant(decoder),
        O::Nop | O::Depbar => Some(Op::Nothing),
        O::Ldg | O::Ld | O::Lds | O::Ldl | O::Stg | O::St | O::Sts | O::Stl => memory::decode(decoder),
        O::Bra | O::Exit | O::Bssy | O::Bsync | O::Break | O::Warpsync | O::Yield | O::Call | O::Ret => {
            control::decode(decoder)
        }
        O::Bar => control::barrier(decoder),
        _ => None,
    }
}
