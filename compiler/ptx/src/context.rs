//! What operand checking needs to know of the names around an instruction.

use crate::{
    module::{Function, Label, Register, RegisterRange, Variable, VariableId},
    table::Type,
};

/// The declarations that operands refer to.
#[derive(Clone, Copy, Debug)]
pub struct Context<'m> {
    /// Register declarations of the function so far, ascending by number.
    pub registers: &'m [RegisterRange],
    /// All variables of the module so far.
    pub variables: &'m [Variable],
    /// All functions of the module so far.
    pub functions: &'m [Function],
    /// Labels of the function so far; those used before their definition count as places in the code.
    pub labels: &'m [Label],
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// `.address_size`
    pub address_size: u8,
}

impl<'m> Context<'m> {
    /// The declaration of a register.
    pub fn register(&self, register: Register) -> &'m RegisterRange {
        let after = self.registers.partition_point(|range| range.first <= register);
        &self.registers[after - 1]
    }

    /// Element type and vector width (1 for scalars) of a register.
    pub fn register_type(&self, register: Register) -> (Type, u8) {
        let range = self.register(register);
        (range.element, range.vector)
    }

    /// A variable.
    pub fn variable(&self, variable: VariableId) -> &'m Variable {
        &self.variables[variable.0 as usize]
    }
}
