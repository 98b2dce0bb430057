//! Model to Rust: the enums of pipes and groups, the rules as constants, and static tables. The properties of a class on a
//! generation become one row of a table without duplicates; the matrices become sorted keys.

use super::check::class_generations;
use super::model::{Class, Matrix, PLACES, RuleValue, Timing, Value};
use crate::isa::model::{ISAS, Instruction, IsaSet, Tables};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The Rust source for a table that passed the checks.
pub fn emit(timing: &Timing, isa: &Tables) -> String {
    let mut out = String::from("// Generated from isa-tables; do not edit.\n");
    names(
        &mut out,
        "An execution pipe.",
        "Pipe",
        timing.pipes.iter().map(|p| (&p.name, &p.text)),
    );
    names(
        &mut out,
        "A queue of instructions: when one of them writes its result, those before it in the queue have read their sources.",
        "Queue",
        timing.queues.iter().map(|q| (&q.name, &q.text)),
    );
    let groups = timing.groups.iter().map(|g| &g.declaration);
    names(
        &mut out,
        "A latency group: instructions that share a row and a column of the matrices.",
        "LatencyGroup",
        groups.map(|d| (&d.name, &d.text)),
    );
    let _ = writeln!(
        out,
        "pub(crate) static GROUPS: [GroupInfo; {}] = [",
        timing.groups.len()
    );
    for group in &timing.groups {
        let column = group.reads.as_ref().unwrap_or(&group.declaration.name);
        let addend = group.wide_addend.as_ref().map(|g| variant("LatencyGroup", g));
        let _ = writeln!(
            out,
            "    GroupInfo {{ column: {}, wide_addend: {} }},",
            variant("LatencyGroup", column),
            option(&addend)
        );
    }
    out.push_str("];\n");
    rules(&mut out, timing);
    for (matrix, name) in [
        (Matrix::Raw, "RAW"),
        (Matrix::Waw, "WAW"),
        (Matrix::Interval, "INTERVALS"),
    ] {
        cells(&mut out, timing, matrix, name);
    }
    classes(&mut out, timing, isa);
    super::condition::emit(&mut out, timing, isa);
    out
}

/// An enum of declared names, and its names as text.
fn names<'a>(
    out: &mut String,
    doc: &str,
    name: &str,
    declared: impl Iterator<Item = (&'a String, &'a String)> + Clone,
) {
    let _ = writeln!(
        out,
        "/// {doc}\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u8)]\npub enum {name} {{"
    );
    for (word, text) in declared.clone() {
        let _ = writeln!(out, "    /// `{word}`: {text}.\n    {},", camel(word));
    }
    let words: Vec<&String> = declared.map(|(word, _)| word).collect();
    let _ = writeln!(
        out,
        "}}\nimpl {name} {{\n    /// Every one, in the order of the table.\n    pub const ALL: [{name}; {}] = [{}];\n    \
         /// The name as in the table.\n    pub fn as_str(self) -> &'static str {{ {words:?}[self as usize] }}\n}}",
        words.len(),
        words.iter().map(|w| variant(name, w)).collect::<Vec<_>>().join(", ")
    );
}

fn rules(out: &mut String, timing: &Timing) {
    out.push_str("/// Facts about all instructions.\npub mod rule {\n    use super::{Rule, RuleValue, isas};\n");
    for rule in &timing.rules {
        let value = match &rule.value {
            RuleValue::Number(n) => format!("Number({n})"),
            RuleValue::Ranges(ranges) => format!("Ranges(&{ranges:?})"),
            RuleValue::Words(words) => format!("Words(&{words:?})"),
        };
        let declared = &rule.declaration;
        let _ = writeln!(
            out,
            "    /// {}.\n    pub const {}: Rule = Rule {{ name: {:?}, value: RuleValue::{value}, isas: isas({}) }};",
            declared.text,
            constant(&declared.name),
            declared.name,
            rule.isas.0
        );
    }
    let all: Vec<String> = timing.rules.iter().map(|r| constant(&r.declaration.name)).collect();
    let _ = writeln!(
        out,
        "    /// Every rule.\n    pub const ALL: [Rule; {}] = [{}];\n}}",
        all.len(),
        all.join(", ")
    );
}

/// Cells sorted by key: file, producer, word, consumer, place in bits 20.., 12.., 10.., 3.., 0...
fn cells(out: &mut String, timing: &Timing, matrix: Matrix, name: &str) {
    let group = |name: &str| timing.groups.iter().position(|g| g.declaration.name == name);
    let mut rows = Vec::new();
    for row in timing.rows.iter().filter(|r| r.matrix == matrix) {
        let file = super::model::FILES.iter().position(|f| *f == row.file).unwrap_or(0);
        for cell in &row.cells {
            // A guard stands for that of any group: one past the last.
            let consumer = group(&cell.group).unwrap_or(timing.groups.len());
            let place = PLACES.iter().position(|p| *p == cell.place).unwrap_or(0);
            let key =
                file << 20 | group(&row.group).unwrap_or(0) << 13 | usize::from(row.word) << 10 | consumer << 3 | place;
            rows.push((key, cell.isas.0, cell.cycles, cell.weak, cell.observations));
        }
    }
    rows.sort_unstable();
    // Where the cells of each register file and producer start.
    let last = rows.last().map_or(0, |row| row.0 >> 13);
    let starts: Vec<usize> = (0..=last + 1)
        .map(|at| rows.partition_point(|row| row.0 >> 13 < at))
        .collect();
    let _ = writeln!(
        out,
        "pub(crate) static {name}: Matrix = Matrix {{ cells: &{name}_CELLS, start: &{starts:?} }};"
    );
    let _ = writeln!(out, "static {name}_CELLS: [Cell; {}] = [", rows.len());
    for chunk in rows.chunks(4) {
        for (key, isas, cycles, weak, seen) in chunk {
            let _ = write!(out, "Cell({key},{isas},{cycles},{weak},{seen}),");
        }
        out.push('\n');
    }
    out.push_str("];\n");
}

fn classes(out: &mut String, timing: &Timing, isa: &Tables) {
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut classes = Vec::new();
    let mut starts = Vec::new();
    for instruction in &isa.instructions {
        starts.push(classes.len());
        let of = |c: &&Class| c.mnemonics.contains(&instruction.mnemonic);
        let mine: Vec<&Class> = timing.classes.iter().filter(of).collect();
        let (conditional, plain): (Vec<&Class>, Vec<&Class>) = mine.into_iter().partition(|c| !c.when.is_empty());
        for class in conditional.into_iter().chain(plain) {
            let on = class_generations(class, instruction);
            let row = |isa: usize| {
                if !on.has(isa) {
                    return usize::from(u16::MAX);
                }
                let text = properties(class, instruction, isa);
                *index.entry(text).or_insert_with_key(|text| {
                    rows.push(text.clone());
                    rows.len() - 1
                })
            };
            let timings: Vec<usize> = (0..ISAS.len()).map(row).collect();
            classes.push(format!(
                "Class {{ conditional: {}, timing: {timings:?} }}",
                !class.when.is_empty()
            ));
        }
    }
    starts.push(classes.len());
    let _ = writeln!(
        out,
        "pub(crate) static CLASS_START: [u16; {}] = {starts:?};",
        starts.len()
    );
    let _ = writeln!(
        out,
        "pub(crate) static CLASSES: [Class; {}] = [\n{},\n];",
        classes.len(),
        classes.join(",\n")
    );
    let _ = writeln!(
        out,
        "pub(crate) static TIMINGS: [Timing; {}] = [\n{},\n];",
        rows.len(),
        rows.join(",\n")
    );
}

/// The properties of a class on one generation as a Rust value.
fn properties(class: &Class, instruction: &Instruction, isa: usize) -> String {
    let on = class_generations(class, instruction);
    let (mut pipe, mut group, mut latency) = (String::new(), String::new(), String::new());
    let (mut results, mut war) = (Vec::new(), Vec::new());
    let (mut write, mut read, mut stall, mut interval, mut reuse) = (false, false, 1, 1, 0);
    let (mut late, mut queue, mut tells, mut orders) = (false, None, None, None);
    let here = |isas: Option<IsaSet>| isas.unwrap_or(on).has(isa);
    for p in class.properties.iter().filter(|p| here(p.isas)) {
        match &p.value {
            Value::Pipe(name, evidence) => {
                pipe = format!(
                    "pipe: {}, pipe_evidence: {}",
                    variant("Pipe", name),
                    variant("Evidence", evidence)
                );
            }
            Value::Group(name) => group = format!("group: {}", variant("LatencyGroup", name)),
            Value::Latency(kind, evidence) => {
                latency = format!(
                    "latency: {}, evidence: {}, observations: {}",
                    variant("Latency", kind),
                    variant("Evidence", evidence),
                    p.observations
                );
            }
            Value::Raw(file, low, high, guard) => results.push(format!(
                "ResultRange {{ class: {}, smallest: {low}, largest: {high}, guard: {}, observations: {} }}",
                register_class(file),
                option(guard),
                p.observations
            )),
            Value::War(file, cycles) => {
                war.push(format!("({}, {cycles}, {})", register_class(file), p.observations));
            }
            Value::Scoreboards(w, r) => (write, read) = (*w, *r),
            Value::Issue(n) => stall = *n,
            Value::Interval(n) => interval = *n,
            Value::Reuse(mask) => reuse = *mask,
            Value::LateUniform => late = true,
            Value::Queue(name) => queue = Some(variant("Queue", name)),
            Value::Tells(scoreboard, who) => {
                tells = Some(format!(
                    "({}, {})",
                    variant("Tells", scoreboard),
                    variant("Awaiting", who)
                ));
            }
            Value::Orders(what) => orders = Some(variant("Orders", what)),
        }
    }
    format!(
        "Timing {{ {pipe}, {group}, {latency}, results: &[{}], sets_write_scoreboard: {write}, sets_read_scoreboard: {read}, \
         reads_uniform_late: {late}, queue: {}, tells: {}, orders: {}, war: &[{}], smallest_stall: {stall}, interval: {interval}, \
         reuse: {reuse} }}",
        results.join(", "),
        option(&queue),
        option(&tells),
        option(&orders),
        war.join(", ")
    )
}

fn register_class(file: &str) -> &'static str {
    match file {
        "R" => "RegisterClass::Gpr",
        "UR" => "RegisterClass::UniformGpr",
        "P" => "RegisterClass::Predicate",
        _ => "RegisterClass::UniformPredicate",
    }
}

/// `mma.hmma` and `first-pass` to `MmaHmma` and `FirstPass`.
fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars
            .next()
            .map(|c| c.to_ascii_uppercase())
            .into_iter()
            .chain(chars)
            .collect::<String>()
    };
    name.split(['.', '-']).map(word).collect()
}

fn variant(name: &str, word: &str) -> String {
    format!("{name}::{}", camel(word))
}

fn constant(name: &str) -> String {
    name.replace(['.', '-'], "_").to_ascii_uppercase()
}

fn option<T: std::fmt::Display>(value: &Option<T>) -> String {
    value.as_ref().map_or("None".to_string(), |v| format!("Some({v})"))
}
