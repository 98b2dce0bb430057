//! What a timing table may not do: name what does not exist, say one thing twice, leave an instruction without properties.

use super::model::{Class, Matrix, Row, Timing, Value};
use crate::TableError;
use crate::isa::model::{ISAS, Instruction, IsaSet, Kind, Tables};
use crate::isa::template::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the table against itself and against the instruction tables.
pub fn check(file: &str, timing: &Timing, isa: &Tables) -> Vec<TableError> {
    let mut checker = Checker {
        file,
        timing,
        errors: Vec::new(),
    };
    checker.declarations();
    checker.matrices();
    checker.classes(isa);
    checker.groups_in_use();
    checker.errors.sort_by_key(|e| (e.file != file, e.line));
    checker.errors
}

/// The generations on which `instruction` has a form.
pub(super) fn generations(instruction: &Instruction) -> IsaSet {
    IsaSet(instruction.forms.iter().fold(0, |set, f| set | f.isas.0))
}

/// The generations that a class of `instruction` speaks of.
pub(super) fn class_generations(class: &Class, instruction: &Instruction) -> IsaSet {
    class.on.unwrap_or_else(|| generations(instruction))
}

struct Checker<'a> {
    file: &'a str,
    timing: &'a Timing,
    errors: Vec<TableError>,
}

impl Checker<'_> {
    fn error(&mut self, line: usize, message: impl Into<String>) {
        self.errors.push(TableError::new(self.file, line, message));
    }

    fn declarations(&mut self) {
        let timing = self.timing;
        let pipes = timing.pipes.iter().map(|d| ("pipe", d));
        let queues = timing.queues.iter().map(|d| ("queue", d));
        let groups = timing.groups.iter().map(|g| ("group", &g.declaration));
        let rules = timing.rules.iter().map(|r| ("rule", &r.declaration));
        let mut first = BTreeMap::new();
        for (kind, declared) in pipes.chain(queues).chain(groups).chain(rules) {
            if let Some(line) = first.insert((kind, &declared.name), declared.line) {
                self.error(
                    declared.line,
                    format!("{kind} `{}` a second time (first in line {line})", declared.name),
                );
            }
        }
        for group in &timing.groups {
            for other in group.reads.iter().chain(&group.wide_addend) {
                self.known_group(other, group.declaration.line);
            }
        }
    }

    fn known_group(&mut self, name: &str, line: usize) {
        let mut groups = self.timing.groups.iter();
        if !groups.any(|g| g.declaration.name == name) {
            self.error(line, format!("group `{name}` is not declared"));
        }
    }

    fn matrices(&mut self) {
        let mut first = BTreeMap::new();
        for row in &self.timing.rows {
            self.known_group(&row.group, row.line);
            let key = (row.matrix, &row.file, &row.group, row.word);
            if let Some(line) = first.insert(key, row.line) {
                self.error(row.line, format!("this row a second time (first in line {line})"));
            }
            if row.cells.is_empty() {
                self.error(row.line, "a row without distances");
            }
            self.cells(row);
        }
    }

    fn cells(&mut self, row: &Row) {
        let mut seen: BTreeMap<(&str, &str), IsaSet> = BTreeMap::new();
        for cell in &row.cells {
            if !cell.group.is_empty() {
                self.known_group(&cell.group, cell.line);
            }
            let timing = self.timing;
            let group = timing.groups.iter().find(|g| g.declaration.name == cell.group);
            if let (Matrix::Raw, Some(other)) = (row.matrix, group.and_then(|g| g.reads.as_ref())) {
                self.error(
                    cell.line,
                    format!("consumers of group `{}` stand in the column of `{other}`", cell.group),
                );
            }
            let seen = seen.entry((&cell.group, cell.place)).or_insert(IsaSet::NONE);
            let twice = seen.and(cell.isas);
            if !twice.is_empty() {
                self.error(
                    cell.line,
                    format!(
                        "a second distance to `{}` ({}) on sm_{}",
                        cell.group,
                        cell.place,
                        names(twice)
                    ),
                );
            }
            seen.0 |= cell.isas.0;
        }
    }

    fn classes(&mut self, isa: &Tables) {
        let mut plain: BTreeMap<&str, usize> = BTreeMap::new();
        let mut conditional = BTreeSet::new();
        for class in &self.timing.classes {
            for mnemonic in &class.mnemonics {
                let found = isa.instructions.iter().find(|i| &i.mnemonic == mnemonic);
                let Some(instruction) = found else {
                    self.error(class.line, format!("no instruction `{mnemonic}`"));
                    continue;
                };
                let condition: String = class.when.iter().map(|a| format!("{a:?}|")).collect();
                let twice = if class.when.is_empty() {
                    plain.insert(mnemonic, class.line).is_some()
                } else {
                    !conditional.insert((mnemonic, condition))
                };
                if twice {
                    self.error(
                        class.line,
                        format!("a second class of `{mnemonic}` with the same condition"),
                    );
                }
                self.class(class, instruction);
            }
        }
        for instruction in &isa.instructions {
            if !plain.contains_key(instruction.mnemonic.as_str()) {
                self.errors.push(TableError::new(
                    &instruction.file,
                    instruction.line,
                    format!("`{}` has no class in {}", instruction.mnemonic, self.file),
                ));
            }
        }
    }

    fn class(&mut self, class: &Class, instruction: &Instruction) {
        let name = &instruction.mnemonic;
        let (on, exists) = (class_generations(class, instruction), generations(instruction));
        let beyond = without(on, exists);
        if !beyond.is_empty() {
            self.error(class.line, format!("`{name}` does not exist on sm_{}", names(beyond)));
        }
        let missing = without(exists, on);
        if class.when.is_empty() && !missing.is_empty() {
            self.error(
                class.line,
                format!("`{name}` exists on sm_{} too, and has no class there", names(missing)),
            );
        }
        for test in class.when.iter().flatten() {
            if !prints(instruction, &test.modifier) {
                self.error(class.line, format!("no form of `{name}` prints `{}`", test.modifier));
            }
        }
        self.properties(class, on);
    }

    fn properties(&mut self, class: &Class, on: IsaSet) {
        let mut seen: BTreeMap<(&str, &str), IsaSet> = BTreeMap::new();
        for property in &class.properties {
            let isas = property.isas.unwrap_or(on);
            let beyond = without(isas, on);
            if !beyond.is_empty() {
                self.error(
                    property.line,
                    format!(
                        "`{}` on sm_{}, where the class does not hold",
                        property.key,
                        names(beyond)
                    ),
                );
            }
            let file = match &property.value {
                Value::Raw(file, ..) | Value::War(file, _) => *file,
                Value::Group(group) => {
                    self.known_group(group, property.line);
                    ""
                }
                Value::Pipe(pipe, _) => {
                    if !self.timing.pipes.iter().any(|p| &p.name == pipe) {
                        self.error(property.line, format!("pipe `{pipe}` is not declared"));
                    }
                    ""
                }
                Value::Queue(queue) => {
                    if !self.timing.queues.iter().any(|q| &q.name == queue) {
                        self.error(property.line, format!("queue `{queue}` is not declared"));
                    }
                    ""
                }
                Value::LateUniform | Value::Tells(..) | Value::Orders(_) => "",
                Value::Latency(..) | Value::Scoreboards(..) | Value::Issue(_) => "",
                Value::Interval(_) | Value::Reuse(_) => "",
            };
            let seen = seen.entry((property.key, file)).or_insert(IsaSet::NONE);
            let twice = seen.and(isas);
            if !twice.is_empty() {
                self.error(
                    property.line,
                    format!("a second `{}` on sm_{}", property.key, names(twice)),
                );
            }
            seen.0 |= isas.0;
        }
        for key in ["pipe", "group", "latency"] {
            let missing = without(on, seen.get(&(key, "")).copied().unwrap_or(IsaSet::NONE));
            if !missing.is_empty() {
                self.error(class.line, format!("no `{key}` on sm_{}", names(missing)));
            }
        }
    }

    fn groups_in_use(&mut self) {
        let properties = self.timing.classes.iter().flat_map(|c| &c.properties);
        let mut used: BTreeSet<&str> = properties
            .filter_map(|p| match &p.value {
                Value::Group(group) => Some(group.as_str()),
                _ => None,
            })
            .collect();
        used.extend(self.timing.groups.iter().filter_map(|g| g.reads.as_deref()));
        for group in &self.timing.groups {
            let declared = &group.declaration;
            if !used.contains(declared.name.as_str()) {
                self.error(declared.line, format!("group `{}` has no member", declared.name));
            }
        }
    }
}

fn without(set: IsaSet, other: IsaSet) -> IsaSet {
    IsaSet(set.0 & !other.0)
}

fn names(set: IsaSet) -> String {
    let names: Vec<String> = (0..ISAS.len())
        .filter(|&i| set.has(i))
        .map(|i| ISAS[i].to_string())
        .collect();
    names.join(",")
}

/// Whether some form of `instruction` can print `modifier`.
fn prints(instruction: &Instruction, modifier: &str) -> bool {
    let has = |text: &str| {
        let mnemonic = text.split(' ').next().unwrap_or_default();
        mnemonic.split('.').skip(1).any(|m| m == &modifier[1..])
    };
    instruction.forms.iter().any(|form| {
        let literal = form
            .template
            .iter()
            .any(|part| matches!(part, Part::Text(text) if has(text)));
        literal
            || form.fields.iter().any(|field| match &field.kind {
                Kind::Flag { text, .. } => has(text),
                Kind::Enumeration { set, .. } => set.members.iter().any(|m| has(&m.text)),
                _ => false,
            })
    })
}
