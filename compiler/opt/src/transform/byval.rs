//! Arguments that are passed by value and written get their copy in an alloca, which can be cut into values; the argument itself is then only read.

use warpsmith_ir::{Function, Instruction, Value};

use crate::{
    intrinsics::{self, TransferKind},
    pipeline::Unit,
};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let Some(entry) = function.entry() else { return false };
    let parameters = &unit.symbols.functions[function.id()].parameters;
    let mut changed = false;
    for (number, attributes) in parameters.iter().enumerate() {
        let Some(ty) = attributes.byval else { continue };
        let argument = Value::Argument(number as u32);
        if attributes.grid_constant || is_only_read(function, argument, 0) {
            continue;
        }
        let Some(first) = function.first_after_phis(entry) else {
            continue;
        };
        if !unit.fuel.take() {
            return changed;
        }
        let context = function.context().clone();
        let align = attributes.align.max(context.alignment(ty));
        let alloca = Instruction::Alloca {
            ty,
            count: Value::Constant(context.int(32, 1)),
            align,
        };
        let pointer = function.type_of(argument);
        let slot = Value::Instruction(function.insert_before(first, alloca, pointer));
        function.replace_all_uses(argument, slot);
        intrinsics::insert_copy(function, first, (slot, align), (argument, align), context.size(ty));
        changed = true;
    }
    changed
}

/// Whether memory is only read through an address.
fn is_only_read(function: &Function, address: Value, depth: u32) -> bool {
    depth < 16
        && function.users(address).into_iter().all(|user| match function.instruction(user) {
            Instruction::Load { access, .. } => access.is_simple(),
            Instruction::Gep { base, .. } => *base == address && is_only_read(function, Value::Instruction(user), depth + 1),
            instruction if intrinsics::is_lifetime(instruction) => true,
            _ => intrinsics::transfer(function, user).is_some_and(|transfer| {
                transfer.destination != address
                    && matches!(transfer.kind, TransferKind::Copy { source } | TransferKind::Move { source } if source == address)
            }),
        })
}
