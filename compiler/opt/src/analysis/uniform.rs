//! Values that all threads of a block have alike, seen from what they are computed of: constants, what the host gives to a kernel, and the sizes and places of
//! blocks. What is not known to be so may be so all the same: [`Divergence`](super::divergence::Divergence) also follows values round loops and through joins.

use warpsmith_ir::{AddressSpace, Function, Instruction, InstructionId, Intrinsic, Symbols, Type, Value};

use crate::address;

/// How far back operations are looked at.
const DEPTH: u32 = 12;

/// Whether all threads of a block that compute a value compute the same.
pub fn is_uniform(symbols: &Symbols, function: &Function, value: Value) -> bool {
    Uniform { symbols, function }.value(value, DEPTH)
}

/// What decides whether threads that run an instruction together get the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// They do where they have the same operands.
    Operands,
    /// They do where they have the same operands and came the same way.
    Phi,
    /// They may get different ones.
    Apart,
}

/// The rule of an instruction.
pub(super) fn rule(function: &Function, id: InstructionId) -> Rule {
    let when = |same: bool| if same { Rule::Operands } else { Rule::Apart };
    match function.instruction(id) {
        Instruction::Phi { .. } => Rule::Phi,
        Instruction::Binary { .. }
        | Instruction::FNeg { .. }
        | Instruction::ICmp { .. }
        | Instruction::FCmp { .. }
        | Instruction::Cast { .. }
        | Instruction::Freeze { .. }
        | Instruction::Select { .. }
        | Instruction::Gep { .. }
        | Instruction::ExtractElement { .. }
        | Instruction::InsertElement { .. }
        | Instruction::ShuffleVector { .. }
        | Instruction::ExtractValue { .. }
        | Instruction::InsertValue { .. } => Rule::Operands,
        Instruction::Load { pointer, access } => when(access.is_simple() && is_fixed_memory(function, *pointer)),
        Instruction::Call(call) => {
            let is_function_of_operands = |intrinsic: Intrinsic| {
                intrinsic.is_speculatable()
                    && !intrinsic.is_convergent()
                    && intrinsic.memory().is_none()
                    && !call.arguments.is_empty()
                    && !function.result_type(id).is_pointer()
            };
            let same = |intrinsic| is_of_block(intrinsic) || is_function_of_operands(intrinsic);
            when(call.intrinsic().is_some_and(same))
        }
        _ => Rule::Apart,
    }
}

/// Whether an argument is the same for all threads: what the host gives to a kernel.
pub(super) fn are_arguments_uniform(symbols: &Symbols, function: &Function) -> bool {
    symbols.functions[function.id()].is_kernel()
}

struct Uniform<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
}

impl Uniform<'_> {
    fn value(&self, value: Value, depth: u32) -> bool {
        let id = match value {
            Value::Constant(_) => return true,
            Value::Argument(_) => return are_arguments_uniform(self.symbols, self.function),
            Value::Instruction(_) if depth == 0 => return false,
            Value::Instruction(id) => id,
        };
        rule(self.function, id) == Rule::Operands
            && (self.function.instruction(id).operands())
                .into_iter()
                .all(|operand| self.value(operand, depth - 1))
    }
}

/// Whether an address is in memory that nothing writes while the kernel runs.
fn is_fixed_memory(function: &Function, pointer: Value) -> bool {
    let base = address::underlying(function, pointer);
    let fixed = |value: Value| {
        matches!(
            function.type_of(value),
            Type::Pointer(AddressSpace::CONSTANT | AddressSpace::PARAMETER)
        )
    };
    fixed(pointer) || fixed(base)
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
