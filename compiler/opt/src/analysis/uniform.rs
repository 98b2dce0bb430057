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
            Instruction::Call(call) => {
                let is_function_of_operands = |intrinsic: Intrinsic| {
                    intrinsic.is_speculatable()
                        && !intrinsic.is_convergent()
                        && intrinsic.memory().is_none()
                        && !call.arguments.is_empty()
                        && !self.function.result_type(id).is_pointer()
                };
                call.intrinsic()
                    .is_some_and(|intrinsic| is_of_block(intrinsic) || is_function_of_operands(intrinsic))
                    && operands()
            }
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

/// Whether a special register is the same for all threads of a block.
#[rustfmt::skip]
fn is_of_block(intrinsic: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        intrinsic,
        I::NvvmReadPtxSregNtidX | I::NvvmReadPtxSregNtidY | I::NvvmReadPtxSregNtidZ | I::NvvmReadPtxSregNtidW
            | I::NvvmReadPtxSregCtaidX | I::NvvmReadPtxSregCtaidY | I::NvvmReadPtxSregCtaidZ | I::NvvmReadPtxSregCtaidW
            | I::NvvmReadPtxSregNctaidX | I::NvvmReadPtxSregNctaidY | I::NvvmReadPtxSregNctaidZ | I::NvvmReadPtxSregNctaidW
            | I::NvvmReadPtxSregClusteridX | I::NvvmReadPtxSregClusteridY | I::NvvmReadPtxSregClusteridZ | I::NvvmReadPtxSregClusteridW
            | I::NvvmReadPtxSregNclusteridX | I::NvvmReadPtxSregNclusteridY | I::NvvmReadPtxSregNclusteridZ | I::NvvmReadPtxSregNclusteridW
            | I::NvvmReadPtxSregClusterCtaidX | I::NvvmReadPtxSregClusterCtaidY | I::NvvmReadPtxSregClusterCtaidZ
            | I::NvvmReadPtxSregClusterCtaidW | I::NvvmReadPtxSregClusterCtarank
            | I::NvvmReadPtxSregClusterNctaidX | I::NvvmReadPtxSregClusterNctaidY | I::NvvmReadPtxSregClusterNctaidZ
            | I::NvvmReadPtxSregClusterNctaidW | I::NvvmReadPtxSregClusterNctarank
            | I::NvvmReadPtxSregGridid | I::NvvmReadPtxSregDynamicSmemSize | I::NvvmReadPtxSregAggrSmemSize
            | I::NvvmReadPtxSregTotalSmemSize | I::NvvmReadPtxSregWarpsize
    )
}

#[cfg(test)]
mod tests {
    use warpsmith_base::SourceText;
    use warpsmith_ir::{Instruction, Module};

    use super::is_uniform;

    /// Whether the value that a kernel of `i32 %n` and the thread's number `%t` stores is uniform.
    fn uniform(code: &str) -> bool {
        let text = format!(
            "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
declare i32 @llvm.ctpop.i32(i32)
define ptx_kernel void @k(ptr %p, i32 %n) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  {code}
  store i32 %v, ptr %p
  ret void
}}"
        );
        let module = Module::from_text(&SourceText::new("t.ll", text)).unwrap();
        let (_, function) = module.bodies.iter().find(|(_, body)| body.is_some()).unwrap();
        let function = function.as_ref().unwrap();
        let stored = function
            .all_instructions()
            .find_map(|id| match function.instruction(id) {
                Instruction::Store { value, .. } => Some(*value),
                _ => None,
            });
        is_uniform(&module.symbols, function, stored.unwrap())
    }

    #[test]
    fn what_a_block_shares() {
        assert!(uniform("%v = mul i32 %n, 3"));
        assert!(!uniform("%v = mul i32 %n, %t"));
        assert!(uniform("%v = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()"));
        assert!(!uniform("%v = call i32 @llvm.nvvm.read.ptx.sreg.laneid()"));
        assert!(uniform("%v = call i32 @llvm.ctpop.i32(i32 %n)"));
        assert!(!uniform("%v = call i32 @llvm.ctpop.i32(i32 %t)"));
        assert!(!uniform("%v = load i32, ptr %p"));
    }
}
