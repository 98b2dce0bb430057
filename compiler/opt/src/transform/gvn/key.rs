//! What makes two instructions the same computation.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Callee, FloatPredicate, Function, Instruction, InstructionId, IntPredicate, Type, Value};

use crate::analysis::memory_ssa::State;

/// The operation with everything but its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Binary(warpsmith_ir::BinaryOp),
    Negate,
    CompareInt(IntPredicate),
    CompareFloat(FloatPredicate),
    Cast(warpsmith_ir::CastOp),
    Select,
    Gep(Type),
    ExtractElement,
    InsertElement,
    Shuffle(Box<[i32]>),
    ExtractValue(SmallVec<[u32; 4]>),
    InsertValue(SmallVec<[u32; 4]>),
    Call(Box<Callee>, Option<State>),
    Phi(BlockId, SmallVec<[BlockId; 2]>),
}

/// Instructions with equal keys compute the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    operation: Operation,
    ty: Type,
    operands: SmallVec<[Value; 4]>,
}

/// An order of values that is the same for all instructions of a function.
fn rank(value: Value) -> (u8, usize) {
    match value {
        Value::Argument(number) => (0, number as usize),
        Value::Instruction(id) => (1, id.index()),
        Value::Constant(id) => (2, id.index()),
    }
}

fn sorted(mut operands: SmallVec<[Value; 4]>) -> SmallVec<[Value; 4]> {
    operands.sort_unstable_by_key(|&value| rank(value));
    operands
}

/// The key of an instruction that computes a value; for calls that read, with the state of memory.
pub(crate) fn of(function: &Function, id: InstructionId, state: Option<State>) -> Option<Key> {
    let instruction = function.instruction(id);
    let mut operands = instruction.operands();
    let operation = match instruction {
        Instruction::Binary { op, .. } => {
            if op.is_commutative() {
                operands = sorted(operands);
            }
            Operation::Binary(*op)
        }
        Instruction::FNeg { .. } => Operation::Negate,
        Instruction::ICmp {
            predicate, left, right, ..
        } => {
            let turned = rank(*left) > rank(*right);
            operands = sorted(operands);
            Operation::CompareInt(if turned { predicate.swapped() } else { *predicate })
        }
        Instruction::FCmp {
            predicate, left, right, ..
        } => {
            let turned = rank(*left) > rank(*right);
            operands = sorted(operands);
            Operation::CompareFloat(if turned { predicate.swapped() } else { *predicate })
        }
        Instruction::Cast { op, .. } => Operation::Cast(*op),
        Instruction::Select { .. } => Operation::Select,
        Instruction::Gep { source, .. } => Operation::Gep(*source),
        Instruction::ExtractElement { .. } => Operation::ExtractElement,
        Instruction::InsertElement { .. } => Operation::InsertElement,
        Instruction::ShuffleVector { mask, .. } => Operation::Shuffle(mask.clone()),
        Instruction::ExtractValue { indices, .. } => Operation::ExtractValue(indices.clone()),
        Instruction::InsertValue { indices, .. } => Operation::InsertValue(indices.clone()),
        Instruction::Call(call) => Operation::Call(Box::new(call.callee.clone()), state),
        Instruction::Phi { incoming, .. } => {
            let mut entries: SmallVec<[(BlockId, Value); 4]> = incoming.iter().copied().collect();
            entries.sort_unstable_by_key(|(block, _)| *block);
            operands = entries.iter().map(|(_, value)| *value).collect();
            Operation::Phi(
                function.block_of(id)?,
                entries.iter().map(|(block, _)| *block).collect(),
            )
        }
        _ => return None,
    };
    Some(Key {
        operation,
        ty: function.result_type(id),
        operands,
    })
}
