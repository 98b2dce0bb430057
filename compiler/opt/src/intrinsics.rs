//! Calls of intrinsics that passes look into or make.

use smallvec::{SmallVec, smallvec};
use warpsmith_ir::{Call, Callee, Function, Instruction, InstructionId, Intrinsic, ParameterAttributes, Type, Value};

/// Whether it marks the begin or end of a variable's life.
pub(crate) fn is_lifetime(instruction: &Instruction) -> bool {
    matches!(
        instruction.intrinsic(),
        Some(Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd)
    )
}

/// Whether it means nothing for the program: a marker, or debug information.
pub(crate) fn is_marker(instruction: &Instruction) -> bool {
    matches!(
        instruction.intrinsic(),
        Some(
            Intrinsic::LifetimeStart
                | Intrinsic::LifetimeEnd
                | Intrinsic::DbgDeclare
                | Intrinsic::DbgValue
                | Intrinsic::DbgLabel
                | Intrinsic::Assume
                | Intrinsic::Donothing
                | Intrinsic::ExperimentalNoaliasScopeDecl
        )
    )
}

/// What a transfer puts into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferKind {
    /// `memcpy`.
    Copy { source: Value },
    /// `memmove`.
    Move { source: Value },
    /// `memset`.
    Fill { byte: Value },
}

/// `memcpy`, `memmove` or `memset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) kind: TransferKind,
    pub(crate) destination: Value,
    pub(crate) destination_align: u32,
    /// 1 for fills.
    pub(crate) source_align: u32,
    pub(crate) length: Value,
    pub(crate) volatile: bool,
}

/// The transfer that an instruction is.
pub(crate) fn transfer(function: &Function, id: InstructionId) -> Option<Transfer> {
    let call = function.instruction(id).as_call()?;
    let &[destination, second, length, volatile] = &call.arguments[..] else {
        return None;
    };
    let kind = match call.intrinsic()? {
        Intrinsic::Memcpy | Intrinsic::MemcpyInline => TransferKind::Copy { source: second },
        Intrinsic::Memmove => TransferKind::Move { source: second },
        Intrinsic::Memset | Intrinsic::MemsetInline => TransferKind::Fill { byte: second },
        _ => return None,
    };
    let align = |index: usize| {
        call.argument_attributes
            .get(index)
            .map_or(1, |attributes| attributes.align.max(1))
    };
    Some(Transfer {
        kind,
        destination,
        destination_align: align(0),
        source_align: if matches!(kind, TransferKind::Fill { .. }) {
            1
        } else {
            align(1)
        },
        length,
        volatile: crate::address::constant_int(function, volatile) != Some(0),
    })
}

/// Makes a call of an intrinsic before an instruction. `None` where the overloads do not fit it.
pub(crate) fn insert_call(
    function: &mut Function,
    at: InstructionId,
    intrinsic: Intrinsic,
    overloads: &[Type],
    arguments: &[Value],
) -> Option<Value> {
    let context = function.context().clone();
    let ty = intrinsic.function_type(&context, overloads)?;
    let callee = Callee::Intrinsic(intrinsic, SmallVec::from_slice(overloads));
    let call = Call::new(callee, ty, arguments.iter().copied());
    let result = context.function_data(ty).result;
    Some(crate::edit::insert(
        function,
        at,
        Instruction::Call(Box::new(call)),
        result,
    ))
}

fn aligned(align: u32) -> ParameterAttributes {
    ParameterAttributes {
        align,
        ..ParameterAttributes::default()
    }
}

fn set_alignments(function: &mut Function, call: Option<Value>, alignments: Vec<ParameterAttributes>) {
    if let Some(id) = call.and_then(Value::as_instruction) {
        function.update(id, |instruction| {
            if let Instruction::Call(call) = instruction {
                call.argument_attributes = alignments;
            }
        });
    }
}

/// Makes a `memcpy` of a number of bytes; addresses with their alignments.
pub(crate) fn insert_copy(function: &mut Function, at: InstructionId, to: (Value, u32), from: (Value, u32), size: u64) {
    let overloads: SmallVec<[Type; 3]> = smallvec![function.type_of(to.0), function.type_of(from.0), Type::I64];
    let arguments = [
        to.0,
        from.0,
        Value::Constant(function.context().int(64, i128::from(size))),
        Value::Constant(function.context().bool(false)),
    ];
    let call = insert_call(function, at, Intrinsic::Memcpy, &overloads, &arguments);
    let none = ParameterAttributes::default();
    set_alignments(function, call, vec![aligned(to.1), aligned(from.1), none.clone(), none]);
}

/// Makes a `memset` of a number of bytes.
pub(crate) fn insert_fill(
    function: &mut Function,
    at: InstructionId,
    pointer: Value,
    align: u32,
    byte: Value,
    size: u64,
) {
    let overloads = [function.type_of(pointer), Type::I64];
    let arguments = [
        pointer,
        byte,
        Value::Constant(function.context().int(64, i128::from(size))),
        Value::Constant(function.context().bool(false)),
    ];
    let call = insert_call(function, at, Intrinsic::Memset, &overloads, &arguments);
    let none = ParameterAttributes::default();
    set_alignments(function, call, vec![aligned(align), none.clone(), none.clone(), none]);
}

impl Transfer {
    /// Whether it copies from an address.
    pub(crate) fn reads_from(&self, address: Value) -> bool {
        match self.kind {
            TransferKind::Copy { source } | TransferKind::Move { source } => source == address,
            TransferKind::Fill { .. } => false,
        }
    }
}
