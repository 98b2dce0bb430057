//! The printer: a typed module as PTX text.
//!
//! The text is accepted wherever the module's own text was, and parsing it gives the module again, but for places, comments and what the
//! module does not keep: how numbers were written (`0x10` or `16`), the order of modifiers, the values of constant expressions rather than
//! their operators. Layout is that of [`format`](crate::format), without its breaking of long lines.

mod body;
mod declaration;

use std::fmt::{self, Write};

use crate::module::{FunctionId, Item, LabelId, Linkage, Module, Name, VariableId};

/// The text of a module.
pub fn print(module: &Module) -> String {
    let mut text = String::new();
    // Writing to a string never fails.
    let _ = write!(text, "{module}");
    text
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mnemonics = self.variants.iter().map(|variant| variant.mnemonic()).collect();
        Printer {
            module: self,
            mnemonics,
            output: f,
        }
        .module()
    }
}

/// A module on its way to text.
struct Printer<'m, W> {
    module: &'m Module,
    /// Texts of the module's variants, by their number.
    mnemonics: Vec<String>,
    output: W,
}

impl<'m, W: Write> Printer<'m, W> {
    fn module(&mut self) -> fmt::Result {
        let module = self.module;
        write!(self.output, ".version {}\n.target {}", module.version, module.target)?;
        for option in &module.target_options {
            write!(self.output, ", {}", self.name(*option))?;
        }
        // Older versions have no such directive, and 32 bits.
        if (module.version.major, module.version.minor) >= (2, 3) {
            write!(self.output, "\n.address_size {}", module.address_size)?;
        }
        self.output.write_str("\n\n")?;
        module.items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &Item) -> fmt::Result {
        match item {
            Item::Variable(variable) => {
                self.variable(*variable)?;
                self.output.write_str(";\n")
            }
            Item::VariableDeclaration(variable) => {
                self.declare(*variable, Linkage::External)?;
                self.output.write_str(";\n")
            }
            Item::Function { function, defined } => self.function(*function, *defined),
            Item::Alias { alias, target, .. } => {
                writeln!(
                    self.output,
                    ".alias {}, {};",
                    self.function_name(*alias),
                    self.function_name(*target)
                )
            }
            Item::Pragma(texts, _) => {
                self.pragma(texts)?;
                self.output.write_char('\n')
            }
            Item::File(index) => self.file(&self.module.files[*index as usize]),
            Item::Section(index) => self.section(&self.module.sections[*index as usize]),
        }
    }

    /// `.pragma "…", "…";`
    fn pragma(&mut self, texts: &[Name]) -> fmt::Result {
        for (index, text) in texts.iter().enumerate() {
            let before = if index == 0 { ".pragma" } else { "," };
            write!(self.output, "{before} \"{}\"", self.name(*text))?;
        }
        self.output.write_char(';')
    }

    /// Writes the elements with `, ` between.
    fn separated<T>(&mut self, elements: &[T], mut write: impl FnMut(&mut Self, &T) -> fmt::Result) -> fmt::Result {
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.output.write_str(", ")?;
            }
            write(self, element)?;
        }
        Ok(())
    }

    fn name(&self, name: Name) -> &'m str {
        self.module.names.get(name)
    }

    /// The name of a variable, `_` where it has none.
    fn variable_name(&self, variable: VariableId) -> &'m str {
        self.module.variables[variable.0 as usize]
            .name
            .map_or("_", |name| self.name(name))
    }

    fn function_name(&self, function: FunctionId) -> &'m str {
        self.name(self.module.functions[function.0 as usize].name)
    }

    /// `+offset`, nothing for 0. Negative ones as `+-4`: the vendor's grammar has no other way.
    fn offset(&mut self, offset: i64) -> fmt::Result {
        if offset == 0 {
            Ok(())
        } else {
            write!(self.output, "+{offset}")
        }
    }

    fn label_name(&self, body: &crate::module::Body, label: LabelId) -> &'m str {
        self.name(body.labels[label.0 as usize].name)
    }
}

#[cfg(test)]
mod tests;
