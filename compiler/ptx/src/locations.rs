//! The `.loc`s of a body with the calls around them, and the names of the functions that were copied to calls.

use rustc_hash::FxHashMap;

use crate::module::{InlinedAt, Location, Module, Name, SectionLine, SectionValue, Statement};

/// A `.loc`, and the one of the call that its function was copied to.
#[derive(Clone, Copy, Debug)]
pub struct Located<'m> {
    /// The directive.
    pub location: &'m Location,
    /// The index of the `.loc` of the call. `inlined_at` names a call by file, line and column alone: the last `.loc` before with these is meant. `None` where
    /// nothing was copied, or no `.loc` before has the place.
    pub call: Option<u32>,
}

/// The `.loc`s among the statements of a body, in order.
///
/// ```
/// let text = ".version 8.0 .target sm_90 .file 1 \"a.cu\" .section .debug_str { f: .b8 102, 0 }
///     .entry k() { .loc 1 9 3 .loc 1 2 1, function_name f, inlined_at 1 9 3 ret; }";
/// let module = warpsmith_ptx::parse(text.as_bytes()).module;
/// let body = module.functions[0].body.as_ref().unwrap();
/// let located = warpsmith_ptx::locations::located(&body.statements);
/// assert_eq!((located[1].location.line, located[1].call), (2, Some(0)));
/// let names = warpsmith_ptx::locations::DebugStrings::of(&module);
/// assert_eq!(names.text(located[1].location.inlined.as_ref().unwrap()).as_deref(), Some("f"));
/// ```
pub fn located(statements: &[Statement]) -> Vec<Located<'_>> {
    let mut found = Vec::new();
    let mut last = FxHashMap::default();
    for statement in statements {
        let Statement::Location(location) = statement else {
            continue;
        };
        let inlined = location.inlined.as_ref();
        let call = inlined.and_then(|at| last.get(&(at.file, at.line, at.column)).copied());
        last.insert((location.file, location.line, location.column), found.len() as u32);
        found.push(Located { location, call });
    }
    found
}

/// The bytes of the section `.debug_str`, and where its labels are.
#[derive(Clone, Debug, Default)]
pub struct DebugStrings {
    labels: FxHashMap<Name, u64>,
    /// The bytes; `None` where the module has no such section.
    pub bytes: Option<Vec<u8>>,
}

impl DebugStrings {
    /// Those of a module.
    pub fn of(module: &Module) -> DebugStrings {
        let mut sections = module.sections.iter();
        let Some(section) = sections.find(|section| module.names.get(section.name) == ".debug_str") else {
            return DebugStrings::default();
        };
        let mut labels = FxHashMap::default();
        let mut bytes: Vec<u8> = Vec::new();
        for line in &section.lines {
            match line {
                SectionLine::Label(name) => {
                    labels.insert(*name, bytes.len() as u64);
                }
                SectionLine::Data(width, values) => {
                    for value in values {
                        if let SectionValue::Integer(value) = value {
                            let all = value.to_le_bytes();
                            bytes.extend(all.iter().take(usize::from(*width) / 8));
                        }
                    }
                }
            }
        }
        DebugStrings {
            labels,
            bytes: Some(bytes),
        }
    }

    /// The offset of a copied function's name; that of the section's start where there is no such label.
    pub fn offset(&self, inlined: &InlinedAt) -> u64 {
        let label = self.labels.get(&inlined.function).copied();
        label.unwrap_or(0).wrapping_add_signed(inlined.offset)
    }

    /// The name of a copied function, if the section has it.
    pub fn text(&self, inlined: &InlinedAt) -> Option<String> {
        self.labels.get(&inlined.function)?;
        let start = usize::try_from(self.offset(inlined)).ok()?;
        let rest = self.bytes.as_deref()?.get(start..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}
