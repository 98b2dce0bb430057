//! Addresses of variables that loops access are put into registers before the loops: the machine reads an address from memory of the linker's.
//!
//! Constants stand everywhere in the IR, and selection makes their registers where they are used. A `freeze` of the address before the loop is a value with a place. Shared variables
//! and those of constant memory need no register; textures are named, not addressed.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{
    AddressSpace, BlockId, Callee, CastOp, Constant, ConstantExpression, ConstantId, Function, GepFlags, GlobalRole,
    Instruction, InstructionId, Symbols, Type, Value,
};

use crate::{address, pipeline::Unit, transform::loops::Nest};

/// Addresses that are put into registers for a loop.
const MOST_ADDRESSES: usize = 4;

/// The pass. Loops have the form of [`super::loops::shape`].
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let mut changed = false;
    for index in 0..nest.loops.len() {
        // What is before the outermost loop is before those inside.
        if nest.loops.get(index).parent.is_none()
            && let Some(preheader) = nest.preheader(index)
        {
            changed |= hoist(function, unit, preheader, &nest.blocks(index));
        }
    }
    changed
}

fn hoist(function: &mut Function, unit: &Unit<'_>, preheader: BlockId, blocks: &[BlockId]) -> bool {
    let Some(end) = function.terminator(preheader) else {
        return false;
    };
    let mut hoisted: FxHashMap<ConstantId, Value> = FxHashMap::default();
    let mut changed = false;
    for &block in blocks {
        let ids: Vec<InstructionId> = function.instructions(block).collect();
        for id in ids {
            for constant in addresses(function, id) {
                let context = function.context().clone();
                // Assembly takes addresses as numbers.
                let pointer = match context.constant(constant) {
                    Constant::Expression(ConstantExpression::Cast {
                        op: CastOp::PtrToInt,
                        operand,
                        ..
                    }) => *operand,
                    _ => constant,
                };
                let (base, offset) = address::decompose_constant(&context, pointer);
                // The variable as it is named here: generic, or in its space.
                let wanted = if offset == 0 { constant } else { base };
                if !is_read_from_memory(unit.symbols, function, base)
                    || context.constant_type(wanted) != context.constant_type(constant)
                    || hoisted.len() >= MOST_ADDRESSES && !hoisted.contains_key(&wanted)
                    || !unit.fuel.take()
                {
                    continue;
                }
                let ty = context.constant_type(wanted);
                let value = *hoisted.entry(wanted).or_insert_with(|| {
                    let operand = Value::Constant(wanted);
                    Value::Instruction(function.insert_before(end, Instruction::Freeze { operand }, ty))
                });
                let by = match offset {
                    0 => value,
                    _ => {
                        let gep = Instruction::Gep {
                            flags: GepFlags::NONE,
                            source: Type::I8,
                            base: value,
                            indices: [Value::Constant(context.int(64, i128::from(offset)))]
                                .into_iter()
                                .collect(),
                        };
                        Value::Instruction(function.insert_before(id, gep, ty))
                    }
                };
                function.replace_uses_in(id, Value::Constant(constant), by);
                changed = true;
            }
        }
    }
    changed
}

/// The address constants that an instruction needs in registers.
fn addresses(function: &Function, id: InstructionId) -> SmallVec<[ConstantId; 2]> {
    let mut list: SmallVec<[ConstantId; 2]> = match function.instruction(id) {
        Instruction::Load { pointer, .. }
        | Instruction::Store { pointer, .. }
        | Instruction::AtomicRmw { pointer, .. }
        | Instruction::CompareExchange { pointer, .. } => pointer.as_constant().into_iter().collect(),
        Instruction::Gep { base, .. } => base.as_constant().into_iter().collect(),
        Instruction::Call(call) if !matches!(call.callee, Callee::Intrinsic(..)) => {
            call.arguments.iter().filter_map(|value| value.as_constant()).collect()
        }
        _ => SmallVec::new(),
    };
    list.retain(|constant| {
        matches!(
            function.context().constant_type(*constant),
            Type::Pointer(AddressSpace::GENERIC | AddressSpace::GLOBAL) | Type::Int(64)
        )
    });
    list
}

/// Whether an address is that of a variable in device memory.
fn is_read_from_memory(symbols: &Symbols, function: &Function, base: ConstantId) -> bool {
    match function.context().constant(base) {
        Constant::Global { global, .. } => {
            let global = &symbols.globals[*global];
            global.space == AddressSpace::GLOBAL && matches!(global.role, GlobalRole::Plain | GlobalRole::Managed)
        }
        _ => false,
    }
}
