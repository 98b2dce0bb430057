//! Counts over a module: what its functions are made of, as a table for people and as JSON for tools.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value, json};

use crate::{
    instruction::Variant,
    module::{Body, Function, LabelKind, Module, Space, Statement, Variable, VariableId},
    table::{Class, Opcode},
};

/// Counts of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// `.version`, as text.
    pub version: String,
    /// `.target`, as text.
    pub target: String,
    /// Functions and kernels in the order of their first mention, declared ones too.
    pub functions: Vec<FunctionStats>,
    /// Bytes of module-scope variables by space; of external arrays without length, none.
    pub bytes: Bytes,
}

/// Counts of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionStats {
    /// Its name; empty for the sum over a module.
    pub name: String,
    /// `.entry`
    pub kernel: bool,
    /// Whether it has a body.
    pub defined: bool,
    /// Instructions by family of the manual.
    pub families: Histogram,
    /// Instructions by opcode, such as `ld`.
    pub opcodes: Histogram,
    /// Instructions by mnemonic, such as `ld.global.f32`.
    pub mnemonics: Histogram,
    /// Registers declared, by type, such as `.b32` or `.v4.f32`.
    pub registers: Histogram,
    /// Loads by space: of a state space, `generic`, `texture`, `surface` or `tensor`.
    pub loads: Histogram,
    /// Stores, likewise.
    pub stores: Histogram,
    /// Atomics and reductions, likewise.
    pub atomics: Histogram,
    /// Branches, direct and indexed.
    pub branches: u64,
    /// Calls, direct and indirect.
    pub calls: u64,
    /// Barriers of threads (`bar`, `barrier`), not of memory.
    pub barriers: u64,
    /// Labels of places in the code.
    pub labels: u64,
    /// Bytes of its own variables by space; `parameter`: of its parameters.
    pub bytes: Bytes,
}

/// Bytes of variables by state space, without padding between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// `.global`, also textures, samplers and surfaces.
    pub global: u64,
    /// `.const`
    pub constant: u64,
    /// `.shared`
    pub shared: u64,
    /// `.local`
    pub local: u64,
    /// `.param`: parameters; those of calls in a body do not count.
    pub parameter: u64,
}

/// How often each thing occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(BTreeMap<String, u64>);

impl Histogram {
    /// Adds to the count of `key`.
    pub fn add(&mut self, key: &str, count: u64) {
        match self.0.get_mut(key) {
            Some(known) => *known += count,
            None => {
                self.0.insert(key.to_owned(), count);
            }
        }
    }

    /// The count of `key`.
    pub fn get(&self, key: &str) -> u64 {
        self.0.get(key).copied().unwrap_or(0)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Things with their counts, the most frequent first, then by name.
    pub fn ordered(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<_> = self.0.iter().map(|(key, count)| (key.as_str(), *count)).collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        all
    }

    fn merge(&mut self, other: &Histogram) {
        for (key, count) in &other.0 {
            self.add(key, *count);
        }
    }
}

/// Counts over a module.
pub fn stats(module: &Module) -> Stats {
    // Each distinct instruction is looked into once; functions count how often they have it.
    let variants: Vec<VariantFacts> = module.variants.iter().map(VariantFacts::new).collect();
    let mut bytes = Bytes::default();
    for item in &module.items {
        if let crate::module::Item::Variable(variable) = item {
            bytes.add(&module.variables[variable.0 as usize]);
        }
    }
    Stats {
        version: module.version.to_string(),
        target: module.target.to_string(),
        functions: module
            .functions
            .iter()
            .map(|function| function_stats(module, &variants, function))
            .collect(),
        bytes,
    }
}

fn function_stats(module: &Module, variants: &[VariantFacts], function: &Function) -> FunctionStats {
    let variable = |id: &VariableId| &module.variables[id.0 as usize];
    let mut stats = FunctionStats {
        name: module.names.get(function.name).to_owned(),
        kernel: function.kernel,
        defined: function.body.is_some(),
        ..FunctionStats::default()
    };
    stats.bytes.parameter = function
        .parameters
        .iter()
        .map(|id| size(variable(id)))
        .fold(0, u64::saturating_add);
    let Some(body) = &function.body else {
        return stats;
    };
    let mut counts = vec![0; variants.len()];
    for statement in &body.statements {
        match statement {
            Statement::Instruction(instruction) => counts[instruction.variant.0 as usize] += 1,
            Statement::Label(label) => {
                stats.labels += u64::from(matches!(body.labels[label.0 as usize].kind, LabelKind::Place(_)));
            }
            Statement::Variable(id) if variable(id).space != Space::Parameter => stats.bytes.add(variable(id)),
            Statement::Variable(_) | Statement::Registers(_) => (),
            Statement::ScopeStart | Statement::ScopeEnd | Statement::Location(_) | Statement::Pragma(..) => (),
        }
    }
    for (facts, count) in variants.iter().zip(counts).filter(|(_, count)| *count > 0) {
        facts.add_to(&mut stats, count);
    }
    count_registers(body, &mut stats.registers);
    stats
}

fn count_registers(body: &Body, registers: &mut Histogram) {
    for range in &body.registers {
        let vector = if range.vector == 1 {
            String::new()
        } else {
            format!(".v{}", range.vector)
        };
        registers.add(
            &format!("{vector}.{}", range.element.name()),
            u64::from(range.count.unwrap_or(1)),
        );
    }
}

/// Bytes of a variable; of one without length, none.
fn size(variable: &Variable) -> u64 {
    let element = u64::from(variable.element.bits().div_ceil(8)) * u64::from(variable.vector);
    variable
        .dimensions
        .iter()
        .fold(element, |bytes, length| bytes.saturating_mul(length.unwrap_or(0)))
}

impl Bytes {
    fn add(&mut self, variable: &Variable) {
        let place = match variable.space {
            Space::Constant => &mut self.constant,
            Space::Global | Space::Texture => &mut self.global,
            Space::Local => &mut self.local,
            Space::Parameter => &mut self.parameter,
            Space::Shared => &mut self.shared,
            Space::Register => return,
        };
        *place = place.saturating_add(size(variable));
    }

    fn merge(&mut self, other: &Bytes) {
        self.global = self.global.saturating_add(other.global);
        self.constant = self.constant.saturating_add(other.constant);
        self.shared = self.shared.saturating_add(other.shared);
        self.local = self.local.saturating_add(other.local);
        self.parameter = self.parameter.saturating_add(other.parameter);
    }

    fn fields(&self) -> [(&'static str, u64); 5] {
        [
            ("global", self.global),
            ("const", self.constant),
            ("shared", self.shared),
            ("local", self.local),
            ("parameter", self.parameter),
        ]
    }
}

/// What a memory instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Load,
    Store,
    Atomic,
}

/// What one kind of control instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Branch,
    Call,
    Barrier,
}

/// What counting needs to know of a variant.
struct VariantFacts {
    mnemonic: String,
    opcode: Opcode,
    access: Option<(Access, &'static str)>,
    control: Option<Control>,
}

impl VariantFacts {
    fn new(variant: &Variant) -> VariantFacts {
        let access = access(variant.opcode.name()).map(|(access, fixed)| {
            let space = || {
                variant
                    .of_class(Class::Space)
                    .map_or("generic", |space| plain_space(space.name()))
            };
            (access, fixed.unwrap_or_else(space))
        });
        let control = match first_word(variant.opcode.name()) {
            "bra" | "brx" => Some(Control::Branch),
            "call" => Some(Control::Call),
            "bar" | "barrier" => Some(Control::Barrier),
            _ => None,
        };
        VariantFacts {
            mnemonic: variant.mnemonic(),
            opcode: variant.opcode,
            access,
            control,
        }
    }

    fn add_to(&self, stats: &mut FunctionStats, count: u64) {
        stats.families.add(self.opcode.family(), count);
        stats.opcodes.add(self.opcode.name(), count);
        stats.mnemonics.add(&self.mnemonic, count);
        if let Some((access, space)) = self.access {
            let histogram = match access {
                Access::Load => &mut stats.loads,
                Access::Store => &mut stats.stores,
                Access::Atomic => &mut stats.atomics,
            };
            histogram.add(space, count);
        }
        match self.control {
            Some(Control::Branch) => stats.branches += count,
            Some(Control::Call) => stats.calls += count,
            Some(Control::Barrier) => stats.barriers += count,
            None => (),
        }
    }
}

fn first_word(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// What an opcode does with memory, and the space where the opcode itself says it.
fn access(opcode: &str) -> Option<(Access, Option<&'static str>)> {
    let mut words = opcode.split('.');
    Some(match (words.next()?, words.next()) {
        ("ld" | "ldu", _) => (Access::Load, None),
        ("st", _) => (Access::Store, None),
        ("ldmatrix", _) => (Access::Load, Some("shared")),
        ("stmatrix", _) => (Access::Store, Some("shared")),
        ("atom" | "red", _) => (Access::Atomic, None),
        ("multimem", Some("ld_reduce")) => (Access::Load, None),
        ("multimem", Some("st")) => (Access::Store, None),
        ("multimem", _) => (Access::Atomic, None),
        ("wmma", Some("load")) => (Access::Load, None),
        ("wmma", Some("store")) => (Access::Store, None),
        ("tex" | "tld4", _) => (Access::Load, Some("texture")),
        ("suld", _) => (Access::Load, Some("surface")),
        ("sust", _) => (Access::Store, Some("surface")),
        ("sured", _) => (Access::Atomic, Some("surface")),
        ("tcgen05", Some("ld")) => (Access::Load, Some("tensor")),
        ("tcgen05", Some("st")) => (Access::Store, Some("tensor")),
        _ => return None,
    })
}

/// `shared` for `shared::cta`.
fn plain_space(space: &'static str) -> &'static str {
    space.split("::").next().unwrap_or(space)
}

impl FunctionStats {
    /// All instructions.
    pub fn instructions(&self) -> u64 {
        self.opcodes.total()
    }

    fn merge(&mut self, other: &FunctionStats) {
        let histograms = [
            (&mut self.families, &other.families),
            (&mut self.opcodes, &other.opcodes),
            (&mut self.mnemonics, &other.mnemonics),
            (&mut self.registers, &other.registers),
            (&mut self.loads, &other.loads),
            (&mut self.stores, &other.stores),
            (&mut self.atomics, &other.atomics),
        ];
        for (sum, part) in histograms {
            sum.merge(part);
        }
        self.branches += other.branches;
        self.calls += other.calls;
        self.barriers += other.barriers;
        self.labels += other.labels;
        self.bytes.merge(&other.bytes);
    }

    fn histograms(&self) -> [(&'static str, &Histogram); 7] {
        [
            ("families", &self.families),
            ("opcodes", &self.opcodes),
            ("mnemonics", &self.mnemonics),
            ("registers", &self.registers),
            ("loads", &self.loads),
            ("stores", &self.stores),
            ("atomics", &self.atomics),
        ]
    }

    fn counts(&self) -> [(&'static str, u64); 5] {
        [
            ("instructions", self.instructions()),
            ("branches", self.branches),
            ("calls", self.calls),
            ("barriers", self.barriers),
            ("labels", self.labels),
        ]
    }
}

impl Stats {
    /// The sum over all functions, with the module's own variables.
    pub fn total(&self) -> FunctionStats {
        let mut total = FunctionStats {
            bytes: self.bytes,
            ..FunctionStats::default()
        };
        self.functions.iter().for_each(|function| total.merge(function));
        total
    }

    /// The function with most instructions, the first of several.
    pub fn largest(&self) -> Option<&FunctionStats> {
        self.functions
            .iter()
            .filter(|function| function.defined)
            .rev()
            .max_by_key(|function| function.instructions())
    }

    /// One JSON object: `version`, `target`, `largest`, `bytes`, `total` and `functions`.
    pub fn to_json(&self) -> String {
        let functions = self.functions.iter().map(|function| {
            let mut object = Map::new();
            object.insert("name".to_owned(), function.name.as_str().into());
            object.insert("kernel".to_owned(), function.kernel.into());
            object.insert("defined".to_owned(), function.defined.into());
            object.extend(json_of(function));
            Value::Object(object)
        });
        json!({
            "version": self.version,
            "target": self.target,
            "largest": self.largest().map(|function| function.name.as_str()),
            "bytes": json_counts(&self.bytes.fields()),
            "total": json_of(&self.total()),
            "functions": functions.collect::<Vec<Value>>(),
        })
        .to_string()
    }
}

/// What is counted of a function, in the order in which it is shown.
fn json_of(function: &FunctionStats) -> Map<String, Value> {
    let counts = function.counts().map(|(key, count)| (key.to_owned(), count.into()));
    let bytes = ("bytes".to_owned(), json_counts(&function.bytes.fields()));
    let histograms = function
        .histograms()
        .map(|(key, histogram)| (key.to_owned(), json_counts(&histogram.ordered())));
    counts.into_iter().chain([bytes]).chain(histograms).collect()
}

fn json_counts(counts: &[(&str, u64)]) -> Value {
    let fields = counts
        .iter()
        .map(|(key, count)| ((*key).to_owned(), Value::from(*count)));
    Value::Object(fields.collect())
}

impl fmt::Display for Stats {
    /// A table of the functions, then what the module is made of.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let kernels = self.functions.iter().filter(|function| function.kernel).count();
        let functions = self.functions.len() - kernels;
        writeln!(
            f,
            "PTX {}, {}; kernels: {kernels}; functions: {functions}",
            self.version, self.target
        )?;
        writeln!(f)?;
        let head = [
            "instructions",
            "branches",
            "calls",
            "barriers",
            "labels",
            "registers",
            "loads",
            "stores",
            "atomics",
            "shared",
            "local",
            "parameters",
        ];
        let line = |f: &mut fmt::Formatter<'_>, name: &str, function: &FunctionStats| {
            let counts = function.counts().map(|(_, count)| count);
            let sums = [
                &function.registers,
                &function.loads,
                &function.stores,
                &function.atomics,
            ]
            .map(Histogram::total);
            let bytes = [function.bytes.shared, function.bytes.local, function.bytes.parameter];
            for (value, title) in counts.into_iter().chain(sums).chain(bytes).zip(head) {
                write!(f, "{value:>width$}  ", width = title.len())?;
            }
            writeln!(f, "{name}")
        };
        writeln!(f, "{}  name", head.join("  "))?;
        for function in &self.functions {
            line(f, &function.name, function)?;
        }
        line(f, "(total)", &total)?;
        if let Some(largest) = self.largest() {
            writeln!(f, "\nlargest: {}", largest.name)?;
        }
        if self.bytes != Bytes::default() {
            writeln!(f, "\nbytes of the module's own variables")?;
            list(f, &self.bytes.fields())?;
        }
        for (title, histogram) in total.histograms() {
            if histogram.total() > 0 {
                writeln!(f, "\n{title}")?;
                list(f, &histogram.ordered())?;
            }
        }
        Ok(())
    }
}

/// The first of the counts; JSON has them all.
fn list(f: &mut fmt::Formatter<'_>, counts: &[(&str, u64)]) -> fmt::Result {
    const LINES: usize = 20;
    for (key, count) in counts.iter().filter(|(_, count)| *count > 0).take(LINES) {
        writeln!(f, "{count:>10}  {key}")?;
    }
    let others = counts.get(LINES..).unwrap_or_default();
    match others.iter().map(|(_, count)| count).sum::<u64>() {
        0 => Ok(()),
        count => writeln!(f, "{count:>10}  of {} others", others.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Stats, stats};
    use crate::parse;

    fn example() -> Stats {
        let text = "\
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .f32 table[8];
.func f(.param .b32 a) { ret; }
.entry k(.param .u64 p, .param .b32 n)
{
	.reg .b32 %r<4>;
	.reg .b32 x;
	.reg .b64 %rd<2>;
	.shared .align 8 .b64 s[16];
L:
	ld.param.u64 %rd1, [p];
	ld.global.b32 %r1, [%rd1];
	ld.global.b32 %r2, [%rd1+4];
	st.shared.b32 [s], %r1;
	atom.shared.add.u32 %r3, [s], 1;
	bar.sync 0;
	bra L;
}
";
        let parsed = parse(text.as_bytes());
        assert_eq!(parsed.problems, []);
        stats(&parsed.module)
    }

    #[test]
    fn what_a_kernel_is_made_of() {
        let stats = example();
        let [f, k] = &stats.functions[..] else {
            panic!("two functions")
        };
        assert_eq!(
            (f.name.as_str(), f.kernel, f.instructions(), f.bytes.parameter),
            ("f", false, 1, 4)
        );
        assert_eq!(
            (
                k.name.as_str(),
                k.kernel,
                k.instructions(),
                k.branches,
                k.calls,
                k.barriers,
                k.labels
            ),
            ("k", true, 7, 1, 0, 1, 1)
        );
        assert_eq!(k.registers.ordered(), [(".b32", 5), (".b64", 2)]);
        assert_eq!(k.loads.ordered(), [("global", 2), ("param", 1)]);
        assert_eq!((k.stores.get("shared"), k.atomics.get("shared")), (1, 1));
        assert_eq!(
            k.bytes,
            Bytes {
                shared: 128,
                parameter: 12,
                ..Bytes::default()
            }
        );
        assert_eq!(
            stats.bytes,
            Bytes {
                global: 32,
                ..Bytes::default()
            }
        );
        assert_eq!(stats.largest().map(|function| function.name.as_str()), Some("k"));
        assert_eq!(k.mnemonics.ordered()[0], ("ld.global.b32", 2));
        assert_eq!(stats.total().opcodes.ordered()[..2], [("ld", 3), ("atom", 1)]);
    }

    #[test]
    fn json_is_one_object() {
        let json = example().to_json();
        assert!(
            json.starts_with(r#"{"version":"9.0","target":"sm_90","largest":"k","bytes":{"global":32,"const":0,"#),
            "{json}"
        );
        assert!(json.contains(r#""loads":{"global":2,"param":1},"#), "{json}");
        assert!(json.ends_with("}]}"), "{json}");
        let whole: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(whole["functions"][1]["bytes"]["shared"], 128);
    }

    #[test]
    fn text_has_a_line_for_each_function() {
        let text = example().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "PTX 9.0, sm_90; kernels: 1; functions: 1");
        assert_eq!(
            lines[2],
            "instructions  branches  calls  barriers  labels  registers  loads  stores  atomics  shared  local  parameters  name"
        );
        assert_eq!(
            lines[4],
            "           7         1      0         1       1          7      3       1        1     128      0          12  k"
        );
        assert_eq!(lines[7], "largest: k");
    }
}
