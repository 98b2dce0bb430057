//! Bodies of functions: declarations, labels, and the instructions that need more than their form.

use super::Checker;
use crate::{
    Problem, Span,
    instruction::Gates,
    module::{
        Address, AddressBase, Body, Function, Instruction, Label, LabelId, LabelKind, Module, Operand, Space,
        Statement, VariableId,
    },
    special::SpecialRegister,
    table::{Opcode, SPECIALS, TypeKind, gates},
};

/// What to look at in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Nothing,
    Call,
    /// `ld`: parameters that are read.
    Load,
    /// `st`: parameters that are written.
    Store,
    /// `mov`, `cvta`: addresses of parameters.
    Address,
}

/// What to look at, for every variant of a module.
pub(super) struct Plan {
    looks: Vec<Look>,
    /// Special registers that version or target lack, by number; empty: they lack none.
    missing: Vec<bool>,
}

impl Plan {
    pub(super) fn new(module: &Module) -> Plan {
        let look = |opcode: Opcode| match opcode.name() {
            "call" => Look::Call,
            "ld" => Look::Load,
            "st" => Look::Store,
            "mov" | "cvta" | "cvta.to" => Look::Address,
            _ => Look::Nothing,
        };
        let mut nothing = Vec::new();
        let gates = Checker::new(module, &mut nothing).gates;
        let missing: Vec<bool> = SPECIALS
            .iter()
            .map(|row| !row.needs.iter().all(|need| gates.pass(need)))
            .collect();
        let any = module.target.number != 0 && missing.contains(&true);
        Plan {
            looks: module.variants.iter().map(|variant| look(variant.opcode)).collect(),
            missing: if any { missing } else { Vec::new() },
        }
    }

    fn look(&self, instruction: &Instruction) -> Look {
        // Instructions that fit no form have no variant.
        self.looks
            .get(instruction.variant.0 as usize)
            .copied()
            .unwrap_or(Look::Nothing)
    }
}

/// A function with its body.
#[derive(Clone, Copy)]
pub(super) struct Inside<'m> {
    pub(super) function: &'m Function,
    pub(super) body: &'m Body,
}

impl<'m> Inside<'m> {
    pub(super) fn operands(&self, instruction: &Instruction) -> &'m [Operand] {
        let first = instruction.first_operand as usize;
        &self.body.operands[first..first + usize::from(instruction.operand_count)]
    }

    pub(super) fn label(&self, label: LabelId) -> &'m Label {
        &self.body.labels[label.0 as usize]
    }

    fn is_parameter(&self, variable: VariableId) -> bool {
        self.function.parameters.contains(&variable)
    }

    fn is_return(&self, variable: VariableId) -> bool {
        self.function.returns.contains(&variable)
    }

    /// A parameter of the function itself, not of a call in it.
    pub(super) fn is_formal(&self, variable: VariableId) -> bool {
        self.is_parameter(variable) || self.is_return(variable)
    }
}

impl Checker<'_, '_> {
    /// A function or kernel. Gives whether `.loc` directives name places of calls.
    pub(super) fn function(&mut self, function: &Function, plan: &Plan) -> bool {
        self.function_head(function);
        self.function_parameters(function);
        let Some(body) = &function.body else { return false };
        let inside = Inside { function, body };
        let parameters = function.returns.iter().chain(&function.parameters);
        let in_registers = parameters
            .filter(|&&id| self.variable_of(id).space == Space::Register)
            .count();
        for range in body.registers.iter().skip(in_registers) {
            self.registers(range);
        }
        for label in &body.labels {
            self.label(label);
        }
        let inlined = self.statements(inside, plan);
        self.special_registers(inside, plan);
        inlined
    }

    fn statements(&mut self, inside: Inside<'_>, plan: &Plan) -> bool {
        let mut inlined = false;
        for statement in &inside.body.statements {
            match statement {
                Statement::Instruction(instruction) => match plan.look(instruction) {
                    Look::Nothing => {}
                    Look::Call => self.call(inside, instruction),
                    Look::Load => self.accessed(inside, instruction, false),
                    Look::Store => self.accessed(inside, instruction, true),
                    Look::Address => self.parameter_address(inside, instruction),
                },
                Statement::Variable(variable) => self.local_variable(self.variable_of(*variable)),
                Statement::Location(location) => inlined |= location.inlined.is_some(),
                Statement::Pragma(names, span) => self.body_pragma(names, *span),
                Statement::Label(_) | Statement::ScopeStart | Statement::ScopeEnd | Statement::Registers(_) => {}
            }
        }
        inlined
    }

    fn label(&mut self, label: &Label) {
        match &label.kind {
            LabelKind::Place(_) => {}
            LabelKind::BranchTargets(_) => self.require(&gates::BRANCH_TARGETS, label.span),
            LabelKind::CallTargets(_) => self.require(&gates::CALL_TARGETS, label.span),
            LabelKind::Prototype(prototype) => {
                self.require(&gates::PROTOTYPE, label.span);
                self.prototype_parameters(prototype, label.span);
                self.prototype_directives(prototype, label.span);
            }
        }
    }

    /// The variable in an address operand.
    fn addressed(&self, operand: &Operand) -> Option<VariableId> {
        match operand {
            Operand::Address(Address {
                base: AddressBase::Variable(id),
                ..
            })
            | Operand::Element(id, ..) => Some(*id),
            _ => None,
        }
    }

    /// Parameters that an instruction names as an address.
    fn accessed(&mut self, inside: Inside<'_>, instruction: &Instruction, write: bool) {
        for operand in inside.operands(instruction) {
            let Some(id) = self.addressed(operand) else { continue };
            let variable = self.variable_of(id);
            if variable.space != Space::Parameter {
                continue;
            }
            let name = self.name_of(variable);
            let (message, vendor) = if variable.element.kind() == TypeKind::Opaque {
                let vendor = format!(
                    "Illegal operand type to instruction '{}'",
                    if write { "st" } else { "ld" }
                );
                (
                    format!("'{name}' is a texture or surface, which has no address"),
                    vendor,
                )
            } else if write && inside.is_parameter(id) {
                let vendor = format!("Illegal to write to function input parameter '{name}'");
                (format!("'{name}' is a parameter, which can only be read"), vendor)
            } else if !write && inside.is_return(id) {
                let vendor = format!("Illegal to read function return parameter '{name}'");
                (format!("'{name}' is a return value, which can only be written"), vendor)
            } else {
                continue;
            };
            self.report(Problem::error(instruction.span, message).vendor(vendor));
        }
    }

    /// A variable for the parameters of a call has no address.
    fn parameter_address(&mut self, inside: Inside<'_>, instruction: &Instruction) {
        for operand in inside.operands(instruction) {
            if let Operand::Variable(id, _) = operand
                && self.variable_of(*id).space == Space::Parameter
                && !inside.is_formal(*id)
            {
                let name = self.name_of(self.variable_of(*id));
                let problem = Problem::error(
                    instruction.span,
                    format!("'{name}' holds an argument of a call and has no address"),
                );
                self.report(problem.vendor(format!("Illegal to take address of parameter '{name}'")));
            }
        }
    }

    /// Special registers that the version or target lacks. All operands lie in one array, so most functions cost one walk over it, or none.
    fn special_registers(&mut self, inside: Inside<'_>, plan: &Plan) {
        if plan.missing.is_empty() {
            return;
        }
        let found: Vec<(u32, SpecialRegister)> = (0..)
            .zip(&inside.body.operands)
            .filter_map(|(index, operand)| match operand {
                Operand::Special(special, _) if plan.missing[special.0 as usize] => Some((index, *special)),
                _ => None,
            })
            .collect();
        let mut found = found.into_iter().rev().peekable();
        if found.peek().is_none() {
            return;
        }
        for statement in inside.body.statements.iter().rev() {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            while let Some((_, special)) = found.next_if(|(index, _)| instruction.first_operand <= *index) {
                self.missing_special(special, instruction.span);
            }
        }
    }

    fn missing_special(&mut self, special: SpecialRegister, span: Span) {
        let name = special.name();
        let gates = self.gates;
        for need in special.info().needs.iter().filter(|need| !gates.pass(need)) {
            let vendor = format!("Feature '{name}' {}", gates.vendor(need));
            let message = format!("{name} needs {}", Gates::describe(need));
            self.report(Problem::error(span, message).vendor(vendor));
        }
    }
}
