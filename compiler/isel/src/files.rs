//! Source files and locations: `.file` and `.loc`.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use warpsmith_ir::{Context, LocationId, Module, Symbol};

/// The files that locations of a module name, numbered from 1 in the order in which the code first names them, and the functions that were copied to calls.
#[derive(Debug, Default)]
pub(crate) struct Files {
    names: Vec<String>,
    numbers: FxHashMap<Symbol, usize>,
    /// The names of functions of which some code was copied to a call, in the order in which the code first names them.
    functions: Vec<String>,
    function_numbers: FxHashMap<Symbol, usize>,
}

/// The calls whose `.loc` a stretch of text has already: for a file, line and column the location that was last written for it. PTX names a call by these
/// alone, and means the last one before.
pub(crate) type WrittenCalls = FxHashMap<(Symbol, u32, u32), LocationId>;

impl Files {
    /// The files of all locations of a module, then those of declarations that a debugger is told of.
    pub(crate) fn of(module: &Module) -> Files {
        let mut files = Files::default();
        let context = module.context();
        let declared = module.debug.iter().flat_map(|debug| debug.files());
        for (id, _) in module.functions() {
            let Some(body) = module.body(id) else { continue };
            for location in body
                .declared_at()
                .into_iter()
                .chain(body.all_instructions().filter_map(|id| body.location(id)))
            {
                let mut next = Some(location);
                while let Some(location) = next {
                    let data = context.location_data(location);
                    files.add(context, data.file);
                    if data.inlined_at.is_some() {
                        files.add_function(context, data.function);
                    }
                    next = data.inlined_at;
                }
            }
        }
        declared.for_each(|file| files.add(context, file));
        files
    }

    fn add(&mut self, context: &Context, file: Symbol) {
        if !self.numbers.contains_key(&file) {
            self.names.push(context.text(file).to_owned());
            self.numbers.insert(file, self.names.len());
        }
    }

    fn add_function(&mut self, context: &Context, function: Symbol) {
        let number = self.functions.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.function_numbers.entry(function) {
            entry.insert(number);
            self.functions.push(context.text(function).to_owned());
        }
    }

    /// The number of a file, if it has one.
    pub(crate) fn number(&self, file: Symbol) -> Option<usize> {
        self.numbers.get(&file).copied()
    }

    /// Writes the `.file` directives.
    pub(crate) fn write(&self, text: &mut String) {
        for (number, name) in self.names.iter().enumerate() {
            // The string of a directive has no escapes: what would end it, or is not ASCII, cannot be said.
            let name: String = name
                .chars()
                .map(|c| {
                    if c.is_ascii() && c != '"' && !c.is_ascii_control() {
                        c
                    } else {
                        '?'
                    }
                })
                .collect();
            let _ = writeln!(text, ".file {} \"{name}\"", number + 1);
        }
    }

    /// Writes the names of functions whose code was copied to calls: a section that `.loc` directives refer to.
    pub(crate) fn write_functions(&self, text: &mut String) {
        if self.functions.is_empty() {
            return;
        }
        text.push_str("\t.section\t.debug_str\n\t{\n");
        for (number, name) in self.functions.iter().enumerate() {
            let _ = write!(text, "{}:\n.b8 ", function_label(number));
            for byte in name.bytes() {
                let _ = write!(text, "{byte},");
            }
            text.push_str("0\n");
        }
        text.push_str("\t}\n");
    }

    /// Writes the `.loc` of a location, if there are files at all: its line, and for code that was copied to a call the place of that. Calls that are not
    /// `written` yet come first, from the outermost on, so that each names one that stands before it.
    pub(crate) fn locate(
        &self,
        text: &mut String,
        context: &Context,
        location: LocationId,
        written: &mut WrittenCalls,
    ) {
        if self.numbers.is_empty() {
            return;
        }
        let mut chain = vec![location];
        let mut next = context.location_data(location).inlined_at;
        while let Some(outer) = next {
            let data = context.location_data(outer);
            if written.get(&(data.file, data.line, data.column)) == Some(&outer) {
                break;
            }
            chain.push(outer);
            next = data.inlined_at;
        }
        for location in chain.into_iter().rev() {
            self.write_location(text, context, location);
            let data = context.location_data(location);
            written.insert((data.file, data.line, data.column), location);
        }
    }

    fn write_location(&self, text: &mut String, context: &Context, location: LocationId) {
        let data = context.location_data(location);
        let Some(file) = self.numbers.get(&data.file).filter(|_| data.line != 0) else {
            return;
        };
        let _ = write!(text, "\t.loc {file} {} {}", data.line, data.column);
        if let Some(outer) = data.inlined_at.map(|outer| context.location_data(outer))
            && let Some(outer_file) = self.numbers.get(&outer.file).filter(|_| outer.line != 0)
            && let Some(&function) = self.function_numbers.get(&data.function)
        {
            let label = function_label(function);
            let (line, column) = (outer.line, outer.column);
            let _ = write!(text, ", function_name {label}, inlined_at {outer_file} {line} {column}");
        }
        text.push('\n');
    }
}

/// The label of a function's name.
fn function_label(number: usize) -> String {
    format!("$L__info_string{number}")
}
