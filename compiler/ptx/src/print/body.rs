//! Statements and operands.

use std::fmt::{self, Write};

use super::Printer;
use crate::module::{
    Address, AddressBase, Body, Instruction, LabelId, LabelKind, Location, Operand, OperandRange, Prototype, Register,
    Statement,
};

impl<W: Write> Printer<'_, W> {
    /// Everything between the braces.
    pub(super) fn body(&mut self, body: &Body) -> fmt::Result {
        let mut depth = 1;
        for statement in &body.statements {
            if matches!(statement, Statement::ScopeEnd) {
                depth -= 1;
            }
            let outdent = usize::from(matches!(statement, Statement::Label(_)));
            for _ in outdent..depth {
                self.output.write_char('\t')?;
            }
            self.statement(body, statement)?;
            self.output.write_char('\n')?;
            if matches!(statement, Statement::ScopeStart) {
                depth += 1;
            }
        }
        Ok(())
    }

    fn statement(&mut self, body: &Body, statement: &Statement) -> fmt::Result {
        match statement {
            Statement::Instruction(instruction) => self.instruction(body, instruction),
            Statement::Label(label) => self.label(body, *label),
            Statement::ScopeStart => self.output.write_char('{'),
            Statement::ScopeEnd => self.output.write_char('}'),
            Statement::Registers(index) => self.registers(body, *index),
            Statement::Variable(variable) => {
                self.variable(*variable)?;
                self.output.write_char(';')
            }
            Statement::Location(location) => self.location(location),
            Statement::Pragma(texts, _) => self.pragma(texts),
        }
    }

    fn registers(&mut self, body: &Body, index: u32) -> fmt::Result {
        let range = &body.registers[index as usize];
        self.output.write_str(".reg ")?;
        if range.vector != 1 {
            write!(self.output, ".v{} ", range.vector)?;
        }
        write!(self.output, ".{} \t{}", range.element.name(), self.name(range.name))?;
        match range.count {
            Some(count) => write!(self.output, "<{count}>;"),
            None => self.output.write_char(';'),
        }
    }

    fn location(&mut self, location: &Location) -> fmt::Result {
        write!(
            self.output,
            ".loc {} {} {}",
            location.file, location.line, location.column
        )?;
        if let Some(call) = &location.inlined {
            write!(self.output, ", function_name {}", self.name(call.function))?;
            self.offset(call.offset)?;
            write!(self.output, ", inlined_at {} {} {}", call.file, call.line, call.column)?;
        }
        Ok(())
    }

    fn label(&mut self, body: &Body, id: LabelId) -> fmt::Result {
        let label = &body.labels[id.0 as usize];
        write!(self.output, "{}:", self.name(label.name))?;
        match &label.kind {
            LabelKind::Place(_) => Ok(()),
            LabelKind::BranchTargets(targets) => {
                self.output.write_str(" .branchtargets ")?;
                self.separated(targets, |printer, target| {
                    printer.output.write_str(printer.label_name(body, *target))
                })?;
                self.output.write_char(';')
            }
            LabelKind::CallTargets(targets) => {
                self.output.write_str(" .calltargets ")?;
                self.separated(targets, |printer, target| {
                    printer.output.write_str(printer.function_name(*target))
                })?;
                self.output.write_char(';')
            }
            LabelKind::Prototype(prototype) => self.prototype(prototype),
        }
    }

    fn prototype(&mut self, prototype: &Prototype) -> fmt::Result {
        self.output.write_str(" .callprototype ")?;
        if !prototype.returns.is_empty() {
            self.output.write_char('(')?;
            self.separated(&prototype.returns, |printer, parameter| printer.variable(*parameter))?;
            self.output.write_str(") ")?;
        }
        self.output.write_str("_(")?;
        self.separated(&prototype.parameters, |printer, parameter| printer.variable(*parameter))?;
        self.output.write_char(')')?;
        for directive in &prototype.directives {
            self.directive(directive, ' ')?;
        }
        self.output.write_char(';')
    }

    fn instruction(&mut self, body: &Body, instruction: &Instruction) -> fmt::Result {
        if let Some(guard) = instruction.guard {
            self.output.write_str(if guard.negated { "@!" } else { "@" })?;
            self.register(body, guard.register)?;
            self.output.write_char(' ')?;
        }
        let mnemonic = &self.mnemonics[instruction.variant.0 as usize];
        self.output.write_str(mnemonic)?;
        if instruction.operand_count > 0 {
            self.output.write_str(" \t")?;
            self.operands(
                body,
                OperandRange {
                    first: instruction.first_operand,
                    count: instruction.operand_count,
                },
            )?;
        }
        self.output.write_char(';')
    }

    /// Operands with their nested ones. The stack holds the open groups: what is left of each, and what stands between and after.
    fn operands(&mut self, body: &Body, range: OperandRange) -> fmt::Result {
        let elements = |range: OperandRange| {
            body.operands[range.first as usize..range.first as usize + usize::from(range.count)].iter()
        };
        let mut open = vec![(elements(range), ", ", "")];
        let mut first = true;
        while let Some((rest, between, after)) = open.last_mut() {
            let Some(operand) = rest.next() else {
                self.output.write_str(after)?;
                open.pop();
                first = false;
                continue;
            };
            if !first {
                self.output.write_str(between)?;
            }
            first = false;
            let (before, range, between, after) = match *operand {
                Operand::Bracket(range) => ("[", range, ", ", "]"),
                Operand::Vector(range) => ("{", range, ", ", "}"),
                Operand::Pair(range) => ("", range, "|", ""),
                Operand::List(range) => ("(", range, ", ", ")"),
                _ => {
                    self.operand(body, operand)?;
                    continue;
                }
            };
            self.output.write_str(before)?;
            open.push((elements(range), between, after));
            first = true;
        }
        Ok(())
    }

    /// An operand that has no others in it.
    fn operand(&mut self, body: &Body, operand: &Operand) -> fmt::Result {
        match *operand {
            Operand::Register(register) => self.register(body, register),
            Operand::Component(register, component) => {
                self.register(body, register)?;
                self.output.write_str(component_name(component))
            }
            Operand::Selected(register, selector) => {
                self.register(body, register)?;
                write!(self.output, ".{selector}")
            }
            Operand::Not(register) => {
                self.output.write_char('!')?;
                self.register(body, register)
            }
            Operand::Negative(register, selector) => {
                self.output.write_char('-')?;
                self.register(body, register)?;
                selector.map_or(Ok(()), |selector| write!(self.output, ".{selector}"))
            }
            Operand::Special(special, component) => write!(
                self.output,
                "{}{}",
                special.name(),
                component.map_or("", component_name)
            ),
            Operand::Integer(bits, signed) => self.integer(bits, signed),
            Operand::Double(bits) => write!(self.output, "0d{bits:016X}"),
            Operand::Single(bits) => write!(self.output, "0f{bits:08X}"),
            Operand::Variable(variable, offset) => {
                self.output.write_str(self.variable_name(variable))?;
                self.offset(offset)
            }
            Operand::Element(variable, index, offset) => {
                write!(self.output, "{}[", self.variable_name(variable))?;
                match index {
                    Some(index) => {
                        self.register(body, index)?;
                        self.offset(offset)?;
                    }
                    None => write!(self.output, "{offset}")?,
                }
                self.output.write_char(']')
            }
            Operand::Function(function) => self.output.write_str(self.function_name(function)),
            Operand::Label(label) => self.output.write_str(self.label_name(body, label)),
            Operand::Address(address) => self.address(body, address),
            Operand::Sink => self.output.write_char('_'),
            Operand::Bracket(_) | Operand::Vector(_) | Operand::Pair(_) | Operand::List(_) => Ok(()),
        }
    }

    /// Signed and unsigned constants of equal bits differ, in the vendor's checks too: the text says which it is.
    fn integer(&mut self, bits: u64, signed: bool) -> fmt::Result {
        let value = bits as i64;
        match (signed, value) {
            // Its magnitude alone would be unsigned.
            (true, i64::MIN) => write!(self.output, "(.s64){bits}"),
            (true, _) => write!(self.output, "{value}"),
            (false, 0..) => write!(self.output, "{bits}U"),
            (false, _) => write!(self.output, "{bits}"),
        }
    }

    fn address(&mut self, body: &Body, address: Address) -> fmt::Result {
        self.output.write_char('[')?;
        match address.base {
            AddressBase::Register(register) => {
                self.register(body, register)?;
                self.offset(address.offset)?;
            }
            AddressBase::Variable(variable) => {
                self.output.write_str(self.variable_name(variable))?;
                self.offset(address.offset)?;
            }
            AddressBase::Absolute => write!(self.output, "{}", address.offset)?,
        }
        self.output.write_str(if address.unified { "].unified" } else { "]" })
    }

    fn register(&mut self, body: &Body, register: Register) -> fmt::Result {
        let after = body.registers.partition_point(|range| range.first <= register);
        let range = &body.registers[after - 1];
        self.output.write_str(self.name(range.name))?;
        match range.count {
            Some(_) => write!(self.output, "{}", register.0 - range.first.0),
            None => Ok(()),
        }
    }
}

/// The name of a component with its dot. Vector registers have no more than four elements that text can name.
fn component_name(component: u8) -> &'static str {
    match component {
        0 => ".x",
        1 => ".y",
        2 => ".z",
        _ => ".w",
    }
}
