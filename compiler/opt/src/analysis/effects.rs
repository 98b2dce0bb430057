//! What instructions do besides computing a value.

use warpsmith_ir::{
    BinaryOp, Call, Callee, Constant, Function, Instruction, InstructionId, Intrinsic, MemoryEffects, Symbols, Type,
    Value, intrinsic,
};

use crate::address;

/// What a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEffects {
    /// Memory.
    pub memory: MemoryEffects,
    /// Threads must run it together, as many as in the source.
    pub convergent: bool,
    /// It returns, or is of no interest.
    pub returns: bool,
    /// It may be called where it would not be.
    pub speculatable: bool,
}

/// What a call may do, by what is said of the callee and of the call.
pub fn of_call(symbols: &Symbols, call: &Call) -> CallEffects {
    let mut effects = match &call.callee {
        Callee::Intrinsic(intrinsic, _) => CallEffects {
            memory: of_intrinsic(*intrinsic),
            convergent: intrinsic.is_convergent(),
            returns: !intrinsic.is_noreturn(),
            speculatable: intrinsic.is_speculatable(),
        },
        Callee::Function(id) => {
            let declaration = &symbols.functions[*id];
            let attributes = &declaration.attributes;
            let (mut memory, mut convergent) = (attributes.memory, attributes.convergent);
            if declaration.name.starts_with("llvm.") {
                let (known, together) = intrinsic::effects_of_name(&declaration.name);
                memory = memory.intersection(known);
                convergent |= together;
            }
            CallEffects {
                memory,
                convergent,
                returns: attributes.willreturn,
                speculatable: attributes.speculatable,
            }
        }
        Callee::Indirect(_) => CallEffects {
            memory: MemoryEffects::ANY,
            convergent: true,
            returns: false,
            speculatable: false,
        },
        // Assembly without `volatile` is a function of its operands.
        Callee::Assembly(assembly) if !assembly.side_effects => CallEffects {
            memory: if assembly.constraints.contains("memory") {
                MemoryEffects::ANY
            } else {
                MemoryEffects::NONE
            },
            convergent: false,
            returns: true,
            speculatable: false,
        },
        Callee::Assembly(_) => CallEffects {
            memory: MemoryEffects::ANY,
            convergent: true,
            returns: true,
            speculatable: false,
        },
    };
    if let Some(attributes) = &call.attributes {
        effects.memory = effects.memory.intersection(attributes.memory);
        effects.convergent |= attributes.convergent;
        effects.returns |= attributes.willreturn;
        effects.speculatable |= attributes.speculatable;
    }
    effects
}

fn of_intrinsic(intrinsic: Intrinsic) -> MemoryEffects {
    match intrinsic {
        // Markers of lives touch no memory that has a value.
        Intrinsic::Assume
        | Intrinsic::Donothing
        | Intrinsic::ExperimentalNoaliasScopeDecl
        | Intrinsic::Sideeffect
        | Intrinsic::DbgDeclare
        | Intrinsic::DbgValue
        | Intrinsic::DbgLabel => MemoryEffects::NONE,
        _ => intrinsic.memory(),
    }
}

/// What an instruction may do to memory.
pub fn memory(symbols: &Symbols, function: &Function, id: InstructionId) -> MemoryEffects {
    match function.instruction(id) {
        Instruction::Load { access, .. } if access.is_simple() => MemoryEffects::READ,
        Instruction::Store { access, .. } if access.is_simple() => MemoryEffects::WRITE,
        Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::AtomicRmw { .. }
        | Instruction::CompareExchange { .. }
        | Instruction::Fence(_) => MemoryEffects::ANY,
        Instruction::Call(call) => of_call(symbols, call).memory,
        _ => MemoryEffects::NONE,
    }
}

/// Whether it may write memory or order accesses to it.
pub fn may_write(symbols: &Symbols, function: &Function, id: InstructionId) -> bool {
    memory(symbols, function, id).may_write()
}

/// Whether threads must run it together: it must not depend on more or fewer conditions than in the source.
pub fn is_convergent(symbols: &Symbols, function: &Function, id: InstructionId) -> bool {
    function
        .instruction(id)
        .as_call()
        .is_some_and(|call| of_call(symbols, call).convergent)
}

/// Whether it can be removed if nobody uses its result.
pub fn is_removable(symbols: &Symbols, function: &Function, id: InstructionId) -> bool {
    match function.instruction(id) {
        Instruction::Store { .. }
        | Instruction::AtomicRmw { .. }
        | Instruction::CompareExchange { .. }
        | Instruction::Fence(_) => false,
        Instruction::Load { access, .. } => access.is_simple(),
        Instruction::Call(call) => {
            let effects = of_call(symbols, call);
            let is_kept = matches!(
                call.intrinsic(),
                Some(
                    Intrinsic::Assume
                        | Intrinsic::Sideeffect
                        | Intrinsic::LifetimeStart
                        | Intrinsic::LifetimeEnd
                        | Intrinsic::ExperimentalNoaliasScopeDecl
                        | Intrinsic::DbgDeclare
                        | Intrinsic::DbgValue
                        | Intrinsic::DbgLabel
                )
            );
            !is_kept && !effects.memory.may_write() && effects.returns
        }
        instruction => !instruction.is_terminator(),
    }
}

/// Whether it can be executed where it would not be: no effect, no trap, no undefined behaviour (a result may be poison).
pub fn is_speculatable(symbols: &Symbols, function: &Function, id: InstructionId) -> bool {
    match function.instruction(id) {
        Instruction::Binary { op, right, .. } => !op.is_int_division() || is_safe_divisor(function, *op, *right),
        Instruction::FNeg { .. }
        | Instruction::ICmp { .. }
        | Instruction::FCmp { .. }
        | Instruction::Cast { .. }
        | Instruction::Select { .. }
        | Instruction::Freeze { .. }
        | Instruction::Gep { .. }
        | Instruction::ExtractElement { .. }
        | Instruction::InsertElement { .. }
        | Instruction::ShuffleVector { .. }
        | Instruction::ExtractValue { .. }
        | Instruction::InsertValue { .. } => true,
        Instruction::Load { pointer, access } => {
            let size = function.context().store_size(function.result_type(id));
            access.is_simple() && is_dereferenceable(symbols, function, *pointer, size)
        }
        Instruction::Call(call) => {
            let effects = of_call(symbols, call);
            effects.speculatable && !effects.convergent && effects.memory.is_none()
        }
        _ => false,
    }
}

fn is_safe_divisor(function: &Function, op: BinaryOp, divisor: Value) -> bool {
    let Some(value) = divisor
        .as_constant()
        .and_then(|id| crate::fold::int_value(function.context(), id))
    else {
        return false;
    };
    let Type::Int(bits) = function.context().scalar(function.type_of(divisor)) else {
        return false;
    };
    let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
    value != 0 && !(is_signed && value == super::bits::mask(bits))
}

/// Whether so many bytes at an address can be read at any time in the function.
pub fn is_dereferenceable(symbols: &Symbols, function: &Function, address: Value, size: u64) -> bool {
    let parts = address::decompose(function, address);
    if !parts.terms.is_empty() {
        return false;
    }
    let Ok(offset) = u64::try_from(parts.offset) else {
        return false;
    };
    let end = offset.saturating_add(size);
    match parts.base {
        Value::Instruction(id) => match function.instruction(id) {
            Instruction::Alloca { ty, count, .. } => {
                let count = address::constant_int(function, *count).and_then(|count| u64::try_from(count).ok());
                count.is_some_and(|count| end <= function.context().size(*ty).saturating_mul(count))
            }
            _ => false,
        },
        Value::Constant(id) => match function.context().constant(id) {
            Constant::Global { global, .. } => {
                let global = &symbols.globals[*global];
                global.initializer.is_some() && end <= function.context().size(global.ty)
            }
            _ => false,
        },
        Value::Argument(number) => {
            let attributes = symbols.functions[function.id()].parameters.get(number as usize);
            attributes.is_some_and(|attributes| {
                end <= attributes.dereferenceable
                    || attributes.byval.is_some_and(|ty| end <= function.context().size(ty))
            })
        }
    }
}
