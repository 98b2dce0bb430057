//! Answers to `__nvvm_reflect("…")`: how the code is compiled, asked by code that is compiled once for all ways.

use warpsmith_ir::{Callee, Constant, Function, Instruction, InstructionId, Intrinsic, Value};

use crate::{address, fold, pipeline::Unit};

/// The pass. Needed for correct code: nothing later knows the function.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let calls: Vec<(InstructionId, Value)> = function
        .all_instructions()
        .filter_map(|id| {
            let call = function.instruction(id).as_call()?;
            let is_reflect = match &call.callee {
                Callee::Intrinsic(intrinsic, _) => *intrinsic == Intrinsic::NvvmReflect,
                Callee::Function(callee) => {
                    matches!(
                        unit.symbols.functions[*callee].name.as_str(),
                        "__nvvm_reflect" | "__nvvm_reflect_ocl"
                    )
                }
                _ => false,
            };
            is_reflect.then_some((id, *call.arguments.first()?))
        })
        .collect();
    let changed = !calls.is_empty();
    for (id, argument) in calls {
        let name = text(function, unit, argument).unwrap_or_default();
        let answer = answer(unit, &name);
        let value = fold::int_constant(function.context(), function.result_type(id), answer as u128);
        function.replace_and_remove(id, Value::Constant(value));
    }
    changed
}

fn answer(unit: &Unit<'_>, name: &str) -> i32 {
    let arithmetic = unit.options.arithmetic;
    let given = unit.options.reflect.iter().find(|(known, _)| known == name);
    match (given, name) {
        (Some((_, answer)), _) => *answer,
        (None, "__CUDA_FTZ") => i32::from(arithmetic.flush_denormals),
        (None, "__CUDA_PREC_DIV") => i32::from(arithmetic.precise_division),
        (None, "__CUDA_PREC_SQRT") => i32::from(arithmetic.precise_square_root),
        (None, _) => 0,
    }
}

/// The text that an address points to, up to the zero at its end.
fn text(function: &Function, unit: &Unit<'_>, argument: Value) -> Option<String> {
    // The argument may be the result of a conversion to the generic space.
    let mut argument = argument;
    while let Some(Instruction::Call(call)) = function.definition(argument) {
        argument = *call.arguments.first()?;
    }
    let parts = address::decompose(function, argument);
    let Constant::Global { global, .. } = function.context().constant(parts.base.as_constant()?) else {
        return None;
    };
    let bytes = match function.context().constant(unit.symbols.globals[*global].initializer?) {
        Constant::Bytes { bytes, .. } => bytes.clone(),
        _ => return None,
    };
    let bytes = bytes.get(usize::try_from(parts.offset).ok()?..)?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8(bytes[..end].to_vec()).ok()
}
