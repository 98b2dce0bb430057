//! Variables, functions' heads, files and sections.

use std::fmt::{self, Write};

use super::Printer;
use crate::module::{
    AddressTarget, Attribute, File, Function, FunctionDirective, FunctionId, Initializer, Linkage, Section,
    SectionLine, SectionValue, VariableId,
};

/// The directive of a linkage with the blank after it.
fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "",
        Linkage::Visible => ".visible ",
        Linkage::External => ".extern ",
        Linkage::Weak => ".weak ",
        Linkage::Common => ".common ",
    }
}

impl<W: Write> Printer<'_, W> {
    /// A variable or parameter without semicolon.
    pub(super) fn variable(&mut self, id: VariableId) -> fmt::Result {
        let variable = &self.module.variables[id.0 as usize];
        self.declare(id, variable.linkage)?;
        if let Some(initializer) = &variable.initializer {
            self.output.write_str(" = ")?;
            self.initializer(initializer)?;
        }
        Ok(())
    }

    /// A variable without its initial value, with this linkage.
    pub(super) fn declare(&mut self, id: VariableId, linked: Linkage) -> fmt::Result {
        let variable = &self.module.variables[id.0 as usize];
        write!(self.output, "{}{}", linkage(linked), variable.space.directive())?;
        if variable.bank != 0 {
            write!(self.output, "[{}]", variable.bank)?;
        }
        if !variable.attributes.is_empty() {
            self.output.write_char(' ')?;
            self.attributes(&variable.attributes)?;
        }
        if let Some(alignment) = variable.alignment {
            write!(self.output, " .align {alignment}")?;
        }
        if variable.vector != 1 {
            write!(self.output, " .v{}", variable.vector)?;
        }
        write!(self.output, " .{}", variable.element.name())?;
        if let Some(pointer) = variable.pointer {
            self.output.write_str(" .ptr")?;
            if let Some(pointee) = pointer.space {
                write!(self.output, " {}", pointee.directive())?;
            }
            if let Some(opaque) = pointer.opaque {
                write!(self.output, " {opaque}")?;
            }
            if let Some(alignment) = pointer.alignment {
                write!(self.output, " .align {alignment}")?;
            }
        }
        write!(self.output, " {}", self.variable_name(id))?;
        for dimension in &variable.dimensions {
            match dimension {
                Some(length) => write!(self.output, "[{length}]")?,
                None => self.output.write_str("[]")?,
            }
        }
        Ok(())
    }

    fn attributes(&mut self, attributes: &[Attribute]) -> fmt::Result {
        self.output.write_str(".attribute(")?;
        self.separated(attributes, |printer, attribute| match attribute {
            Attribute::Managed => printer.output.write_str(".managed"),
            Attribute::Unified(high, low) => write!(printer.output, ".unified({high}, {low})"),
        })?;
        self.output.write_char(')')
    }

    /// Initialisers nest as deep as arrays have dimensions; the stack holds what is left of each open list.
    fn initializer(&mut self, initializer: &Initializer) -> fmt::Result {
        let mut open = vec![std::slice::from_ref(initializer).iter()];
        let mut first = true;
        while let Some(rest) = open.last_mut() {
            let Some(next) = rest.next() else {
                open.pop();
                if !open.is_empty() {
                    self.output.write_char('}')?;
                }
                first = false;
                continue;
            };
            if !first {
                self.output.write_str(", ")?;
            }
            first = false;
            match next {
                Initializer::List(elements, _) => {
                    self.output.write_char('{')?;
                    open.push(elements.iter());
                    first = true;
                }
                Initializer::Fields(fields, _) => {
                    self.output.write_char('{')?;
                    self.separated(fields, |printer, (name, value)| {
                        write!(printer.output, "{} = {value}", printer.name(*name))
                    })?;
                    self.output.write_char('}')?;
                }
                Initializer::Integer(bits, _) => write!(self.output, "{}", *bits as i64)?,
                Initializer::Float(bits, _) => write!(self.output, "0d{bits:016X}")?,
                Initializer::Single(bits, _) => write!(self.output, "0f{bits:08X}")?,
                Initializer::Address {
                    target,
                    offset,
                    generic,
                    mask,
                    ..
                } => self.address_value(*target, *offset, *generic, *mask)?,
            }
        }
        Ok(())
    }

    /// `name+4`, `generic(name)+4`, `0xFF(name+4)` or `0xFF(generic(name)+4)`.
    fn address_value(&mut self, target: AddressTarget, offset: i64, generic: bool, mask: Option<u64>) -> fmt::Result {
        let name = match target {
            AddressTarget::Variable(variable) => self.variable_name(variable),
            AddressTarget::Function(function) => self.function_name(function),
        };
        if let Some(mask) = mask {
            write!(self.output, "0x{mask:X}(")?;
        }
        if generic {
            write!(self.output, "generic({name})")?;
        } else {
            self.output.write_str(name)?;
        }
        self.offset(offset)?;
        if mask.is_some() {
            self.output.write_char(')')
        } else {
            Ok(())
        }
    }

    /// A function or kernel, with its body if this is where it is defined.
    pub(super) fn function(&mut self, id: FunctionId, defined: bool) -> fmt::Result {
        let function = &self.module.functions[id.0 as usize];
        let body = function.body.as_ref().filter(|_| defined);
        self.head(function)?;
        for directive in &function.directives {
            // A declaration apart from its definition has only what callers need to know.
            if body.is_some() || function.body.is_none() || concerns_callers(directive) {
                self.directive(directive, '\n')?;
            }
        }
        match body {
            Some(body) => {
                self.output.write_str("\n{\n")?;
                self.body(body)?;
                self.output.write_str("}\n")
            }
            None => self.output.write_str(";\n"),
        }
    }

    /// Everything up to the parameters.
    fn head(&mut self, function: &Function) -> fmt::Result {
        let keyword = if function.kernel { ".entry" } else { ".func" };
        write!(self.output, "{}{keyword} ", linkage(function.linkage))?;
        for directive in &function.directives {
            if let FunctionDirective::Attribute(attribute) = directive {
                self.attributes(std::slice::from_ref(attribute))?;
                self.output.write_char(' ')?;
            }
        }
        if !function.returns.is_empty() {
            self.output.write_char('(')?;
            self.separated(&function.returns, |printer, parameter| printer.variable(*parameter))?;
            self.output.write_str(") ")?;
        }
        write!(self.output, "{}(", self.name(function.name))?;
        for (index, parameter) in function.parameters.iter().enumerate() {
            self.output.write_str(if index == 0 { "\n\t" } else { ",\n\t" })?;
            self.variable(*parameter)?;
        }
        self.output
            .write_str(if function.parameters.is_empty() { ")" } else { "\n)" })
    }

    /// A directive after the parameters, with a blank or line end before it.
    pub(super) fn directive(&mut self, directive: &FunctionDirective, before: char) -> fmt::Result {
        use FunctionDirective::*;
        let (word, values): (&str, &[u64]) = match directive {
            MaxRegisters(value) => (".maxnreg", std::slice::from_ref(value)),
            MaxThreads(values) => (".maxntid", values),
            RequiredThreads(values) => (".reqntid", values),
            MinCtasPerSm(value) => (".minnctapersm", std::slice::from_ref(value)),
            MaxCtasPerSm(value) => (".maxnctapersm", std::slice::from_ref(value)),
            RequiredCtasPerCluster(values) => (".reqnctapercluster", values),
            ExplicitCluster => (".explicitcluster", &[]),
            MaxClusterRank(value) => (".maxclusterrank", std::slice::from_ref(value)),
            BlocksAreClusters => (".blocksareclusters", &[]),
            NoReturn => (".noreturn", &[]),
            AbiPreserve(value) => (".abi_preserve", std::slice::from_ref(value)),
            AbiPreserveControl(value) => (".abi_preserve_control", std::slice::from_ref(value)),
            Other(name, values) => (self.name(*name), values),
            Pragma(texts) => {
                self.output.write_char(before)?;
                return self.pragma(texts);
            }
            // It stands before the name.
            Attribute(_) => return Ok(()),
        };
        write!(self.output, "{before}{word}")?;
        if !values.is_empty() {
            self.output.write_char(' ')?;
        }
        self.separated(values, |printer, value| write!(printer.output, "{value}"))
    }

    pub(super) fn file(&mut self, file: &File) -> fmt::Result {
        write!(self.output, ".file {} \"{}\"", file.index, self.name(file.name))?;
        if let Some((time, size)) = file.stamp {
            write!(self.output, ", {time}, {size}")?;
        }
        self.output.write_char('\n')
    }

    pub(super) fn section(&mut self, section: &Section) -> fmt::Result {
        writeln!(self.output, ".section {}\n{{", self.name(section.name))?;
        for line in &section.lines {
            match line {
                SectionLine::Label(name) => writeln!(self.output, "{}:", self.name(*name))?,
                SectionLine::Data(bits, values) => {
                    write!(self.output, "\t.b{bits} ")?;
                    self.separated(values, |printer, value| match value {
                        SectionValue::Integer(value) => write!(printer.output, "{value}"),
                        SectionValue::Label(name, offset) => {
                            printer.output.write_str(printer.name(*name))?;
                            printer.offset(*offset)
                        }
                        SectionValue::Difference(left, right) => {
                            write!(printer.output, "{}-{}", printer.name(*left), printer.name(*right))
                        }
                    })?;
                    self.output.write_char('\n')?;
                }
            }
        }
        self.output.write_str("}\n")
    }
}

/// Whether a directive belongs to declarations, too.
fn concerns_callers(directive: &FunctionDirective) -> bool {
    use FunctionDirective::*;
    match directive {
        NoReturn | AbiPreserve(_) | AbiPreserveControl(_) | Attribute(_) => true,
        MaxRegisters(_)
        | MaxThreads(_)
        | RequiredThreads(_)
        | MinCtasPerSm(_)
        | MaxCtasPerSm(_)
        | RequiredCtasPerCluster(_) => false,
        ExplicitCluster | MaxClusterRank(_) | BlocksAreClusters | Pragma(_) | Other(..) => false,
    }
}
