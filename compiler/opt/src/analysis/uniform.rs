//! Values that all threads of a block have alike, seen from what they are computed of: constants, what the host gives to a kernel, and the sizes and places of
//! blocks. What is not known to be so may be so all the same.

use warpsmith_ir::{AddressSpace, Function, Instruction, Intrinsic, Symbols, Type, Value};

use crate::address;

/// How far back operations are looked at.
const DEPTH: u32 = 12;

/// Whether all threads of a block that compute a value compute the same.
pub fn is_uniform(symbols: &Symbols, function: &Function, value: Value) -> bool {
    Uniform { symbols, function }.value(value, DEPTH)
}

struct Uniform<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
}

impl Uniform<'_> {
    fn value(&self, value: Value, depth: u32) -> bool {
        let id = match value {
            Value::Constant(_) => return true,
            Value::Argument(_) => return self.symbols.functions[self.function.id()].is_kernel(),
            Value::Instruction(_) if depth == 0 => return false,
            Value::Instruction(id) => id,
        };
        let instruction = self.function.instruction(id);
        let operands = || {
            instruction
                .operands()
                .into_iter()
                .all(|operand| self.value(operand, depth - 1))
        };
        match instruction {
            Instruction::Binary { .. }
            | Instruction::FNeg { .. }
            | Instruction::ICmp { .. }
            | Instruction::FCmp { .. }
            | Instruction::Cast { .. }
            | Instruction::Select { .. }
            | Instruction::Gep { .. }
            | Instruction::ExtractElement { .. }
            | Instruction::InsertElement { .. }
            | Instruction::ShuffleVector { .. }
            | Instruction::ExtractValue { .. }
            | Instruction::InsertValue { .. } => operands(),
            Instruction::Load { pointer, access } => {
                access.is_simple() && self.is_fixed_memory(*pointer) && self.value(*pointer, depth - 1)
            }
            Instruction::Call(call) => call.intrinsic().is_some_and(is_uniform_intrinsic) && operands(),
            _ => false,
        }
    }

    /// Whether an address is in memory that nothing writes while the kernel runs.
    fn is_fixed_memory(&self, pointer: Value) -> bool {
        let base = address::underlying(self.function, pointer);
        let fixed = |value: Value| {
            matches!(
                self.function.type_of(value),
                Type::Pointer(AddressSpace::CONSTANT | AddressSpace::PARAMETER)
            )
        };
        fixed(pointer) || fixed(base)
    }
}

/// Whether an intrinsic gives all threads of a block the same for the same operands.
fn is_uniform_intrinsic(intrinsic: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        intrinsic,
        I::NvvmReadPtxSregNtidX
            | I::NvvmReadPtxSregNtidY
            | I::NvvmReadPtxSregNtidZ
            | I::NvvmReadPtxSregCtaidX
            | I::NvvmReadPtxSregCtaidY
            | I::NvvmReadPtxSregCtaidZ
            | I::NvvmReadPtxSregNctaidX
            | I::NvvmReadPtxSregNctaidY
            | I::NvvmReadPtxSregNctaidZ
            | I::NvvmReadPtxSregWarpsize
            | I::Smin
            | I::Smax
            | I::Umin
            | I::Umax
            | I::Abs
    )
}
