//! `.file`, `.loc` and `.section`.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::{Checker, last_byte};
use crate::{
    Problem,
    module::{Location, Name, SectionLine, Statement, Version},
    table::gates,
};

/// Versions from the first on, before the second, have no `inlined_at`.
const NO_INLINED: (Version, Version) = (Version { major: 4, minor: 0 }, Version { major: 7, minor: 0 });

impl Checker<'_, '_> {
    /// `.file` and `.section` directives.
    pub(super) fn files(&mut self) {
        let module = self.module;
        let mut numbers: HashSet<u32, FxBuildHasher> = HashSet::default();
        for file in &module.files {
            if file.stamp.is_some() {
                self.require(&gates::FILE_STAMP, file.span);
            }
            if !numbers.insert(file.index) {
                // Without time and size the vendor's tool has to look at the next token first.
                let span = if file.stamp.is_some() { file.span } else { file.next };
                let problem = Problem::error(span, format!("number {} is taken by another .file", file.index));
                self.report(problem.vendor(format!("Duplicate file index #{}", file.index)));
            }
        }
        if let Some(section) = module.sections.first() {
            self.require(&gates::SECTION, section.span);
        }
    }

    /// `inlined_at` of all functions, in the order of the text: the places and labels that they name must exist.
    pub(super) fn inlined_places(&mut self) {
        let module = self.module;
        let labels = self.section_labels();
        let mut places: HashSet<(u32, u32, u32), FxBuildHasher> = HashSet::default();
        let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
        for statement in bodies.flat_map(|body| &body.statements) {
            let Statement::Location(location) = statement else {
                continue;
            };
            self.inlined_place(location, &places, &labels);
            places.insert((location.file, location.line, location.column));
        }
    }

    fn inlined_place(
        &mut self,
        location: &Location,
        places: &HashSet<(u32, u32, u32), FxBuildHasher>,
        labels: &HashSet<Name, FxBuildHasher>,
    ) {
        let Some(inlined) = &location.inlined else { return };
        let (file, line, column) = (inlined.file, inlined.line, inlined.column);
        let version = self.module.version;
        if NO_INLINED.0 <= version && version < NO_INLINED.1 {
            let message = format!("inlined_at needs .version {} or later", NO_INLINED.1);
            let vendor = format!(
                "Feature 'Line information of inline functions' requires PTX ISA .version {} or later",
                NO_INLINED.1
            );
            self.report(Problem::error(location.span, message).vendor(vendor));
        }
        if !places.contains(&(file, line, column)) {
            let message = format!("no .loc before this one says {file} {line} {column}, where the call should be");
            let vendor = format!(
                "Source location {file} {line} {column} used in inlined_at directive must be used in a preceding .loc directive"
            );
            self.report(Problem::error(last_byte(location.span), message).vendor(vendor));
        }
        if !labels.contains(&inlined.function) {
            let label = self.text(inlined.function);
            let problem = Problem::error(location.span, format!("no .section has the label '{label}'"));
            let vendor = format!("Unresolved label '{label}' used in function_name attribute.");
            self.report(problem.vendor(vendor).without_line());
        }
    }

    /// Labels in sections, and the names of sections.
    fn section_labels(&self) -> HashSet<Name, FxBuildHasher> {
        let mut labels: HashSet<Name, FxBuildHasher> = HashSet::default();
        for section in &self.module.sections {
            labels.insert(section.name);
            labels.extend(section.lines.iter().filter_map(|line| match line {
                SectionLine::Label(name) => Some(*name),
                SectionLine::Data(..) => None,
            }));
        }
        labels
    }
}
