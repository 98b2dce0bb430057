//! Loads that can go through the read-only cache: kernels' `__restrict__` pointers through which nothing is written.

use rustc_hash::FxHashMap;
use warpsmith_ir::{AddressSpace, Function, Instruction, InstructionId, Type, Value};

use crate::{analysis::alias::Aliases, intrinsics, pipeline::Unit};

/// Uses of an address that are followed.
const MOST_USES: usize = 4_096;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let declaration = &unit.symbols.functions[function.id()];
    if !declaration.is_kernel() {
        return false;
    }
    let aliases = Aliases::new(unit.symbols);
    let mut fixed: FxHashMap<u32, bool> = FxHashMap::default();
    for (number, attributes) in declaration.parameters.iter().enumerate() {
        let restricted = attributes.noalias || unit.options.restrict_kernel_pointers && attributes.byval.is_none();
        let number = number as u32;
        fixed.insert(number, restricted && only_read(function, Value::Argument(number)));
    }
    let loads: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| match function.instruction(id) {
            Instruction::Load { pointer, access } => {
                let is_global = function.type_of(*pointer) == Type::Pointer(AddressSpace::GLOBAL);
                let base = aliases.base(function, *pointer);
                let is_fixed = matches!(base, Value::Argument(number) if fixed.get(&number) == Some(&true));
                is_global && is_fixed && access.is_simple() && !access.invariant
            }
            _ => false,
        })
        .collect();
    let mut changed = false;
    for id in loads {
        if unit.fuel.take() {
            function.update(id, |instruction| {
                if let Instruction::Load { access, .. } = instruction {
                    access.invariant = true;
                }
            });
            changed = true;
        }
    }
    changed
}

/// Whether memory is only read through an address, and the address goes nowhere else.
fn only_read(function: &Function, address: Value) -> bool {
    let mut work = vec![address];
    let mut seen = vec![address];
    let mut left = MOST_USES;
    while let Some(address) = work.pop() {
        for user in function.users(address) {
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => return false,
            };
            let follow = match function.instruction(user) {
                Instruction::Load { access, .. } => match access.is_simple() {
                    true => false,
                    false => return false,
                },
                Instruction::ICmp { .. } => false,
                Instruction::Gep { .. } | Instruction::Phi { .. } | Instruction::Select { .. } => true,
                Instruction::Cast { .. } if function.result_type(user).is_pointer() => true,
                _ => match intrinsics::transfer(function, user) {
                    Some(transfer) if transfer.destination != address => false,
                    _ => return false,
                },
            };
            let result = Value::Instruction(user);
            if follow && !seen.contains(&result) {
                seen.push(result);
                work.push(result);
            }
        }
    }
    true
}
