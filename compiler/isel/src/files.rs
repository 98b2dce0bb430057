//! Source files and locations: `.file` and `.loc`.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use warpsmith_ir::{Context, LocationId, Module, Symbol};

/// The files that locations of a module name, numbered from 1 in the order in which the code first names them.
#[derive(Debug, Default)]
pub(crate) struct Files {
    names: Vec<String>,
    numbers: FxHashMap<Symbol, usize>,
}

impl Files {
    /// The files of all locations of a module, then those of declarations that a debugger is told of.
    pub(crate) fn of(module: &Module) -> Files {
        let mut files = Files::default();
        let context = module.context();
        let declared = module.debug.iter().flat_map(|debug| debug.files());
        for (id, _) in module.functions() {
            let Some(body) = module.body(id) else { continue };
            for location in body.all_instructions().filter_map(|id| body.location(id)) {
                let mut next = Some(location);
                while let Some(location) = next {
                    let data = context.location_data(location);
                    files.add(context, data.file);
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

    /// Writes the `.loc` of a location, if there are files at all. PTX places the code of a copied function at its own line.
    pub(crate) fn locate(&self, text: &mut String, context: &Context, location: LocationId) {
        let data = context.location_data(location);
        if let Some(file) = self.numbers.get(&data.file).filter(|_| data.line != 0) {
            let _ = writeln!(text, "\t.loc {file} {} {}", data.line, data.column);
        }
    }
}
