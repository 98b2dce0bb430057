//! Metadata in the text.

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::constants::Terms;
use super::names::escaped;
use crate::attributes::KernelProperties;
use crate::constant::ConstantId;
use crate::context::Symbol;
use crate::instruction::{Attachments, LoopHints};
use crate::location::LocationId;
use crate::module::{GlobalRole, Module};
use crate::text::Dialect;

/// The numbered nodes of a module, made as they are first needed.
#[derive(Default)]
pub(super) struct Nodes {
    lines: Vec<String>,
    known: FxHashMap<String, usize>,
    locations: FxHashMap<LocationId, usize>,
    subprograms: FxHashMap<(Symbol, Symbol), usize>,
    unit: Option<usize>,
    declarations: BTreeSet<String>,
    scopes: FxHashMap<u32, usize>,
}

impl Nodes {
    /// A function that is called and not in the module.
    pub(super) fn declare(&mut self, declaration: String) {
        self.declarations.insert(declaration);
    }

    /// The reference to a node of a text; the same for the same text.
    fn node(&mut self, text: String) -> String {
        if let Some(number) = self.known.get(&text) {
            return format!("!{number}");
        }
        let number = self.distinct(text.clone());
        self.known.insert(text, number);
        format!("!{number}")
    }

    /// A node that equals no other.
    fn distinct(&mut self, text: String) -> usize {
        self.lines.push(text);
        self.lines.len() - 1
    }

    pub(super) fn location(&mut self, terms: Terms<'_>, id: LocationId) -> usize {
        if let Some(&number) = self.locations.get(&id) {
            return number;
        }
        // Chains of inlining are followed from their far end, so that nothing recurses.
        let mut chain = vec![id];
        while let Some(outer) = chain
            .last()
            .and_then(|&last| terms.context.location_data(last).inlined_at)
        {
            if self.locations.contains_key(&outer) {
                break;
            }
            chain.push(outer);
        }
        let mut number = 0;
        for id in chain.into_iter().rev() {
            let location = *terms.context.location_data(id);
            let scope = self.subprogram(terms, location.file, location.function);
            let mut text = format!(
                "!DILocation(line: {}, column: {}, scope: !{scope}",
                location.line, location.column
            );
            if let Some(outer) = location.inlined_at.and_then(|outer| self.locations.get(&outer)) {
                let _ = write!(text, ", inlinedAt: !{outer}");
            }
            text.push(')');
            number = self.distinct(text);
            self.locations.insert(id, number);
        }
        number
    }

    fn subprogram(&mut self, terms: Terms<'_>, file: Symbol, function: Symbol) -> usize {
        if let Some(&number) = self.subprograms.get(&(file, function)) {
            return number;
        }
        let path = terms.context.text(file);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let file_node = self.node(format!(
            "!DIFile(filename: \"{}\", directory: \"{}\")",
            escaped(name.as_bytes()),
            escaped(directory.as_bytes())
        ));
        let unit = match self.unit {
            Some(unit) => unit,
            None => {
                let text = format!(
                    "distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: {file_node}, emissionKind: LineTablesOnly)"
                );
                let unit = self.distinct(text);
                self.unit = Some(unit);
                unit
            }
        };
        let ty = self.node("!DISubroutineType(types: !{})".to_owned());
        let definition = if terms.dialect == Dialect::Llvm7 {
            "isDefinition: true"
        } else {
            "spFlags: DISPFlagDefinition"
        };
        let name = escaped(terms.context.text(function).as_bytes());
        let text = format!(
            "distinct !DISubprogram(name: \"{name}\", file: {file_node}, type: {ty}, unit: !{unit}, {definition})"
        );
        let number = self.distinct(text);
        self.subprograms.insert((file, function), number);
        number
    }

    /// An attachment without content.
    pub(super) fn attachments_empty(&mut self, name: &str) -> String {
        format!(", !{name} {}", self.node("!{}".to_owned()))
    }

    /// An attachment of the number 1.
    pub(super) fn attachments_one(&mut self, name: &str) -> String {
        format!(", !{name} {}", self.node("!{i32 1}".to_owned()))
    }

    /// Attachments of an instruction, each after a comma.
    pub(super) fn attachments(&mut self, terms: Terms<'_>, attachments: &Attachments) -> String {
        let mut out = String::new();
        let modern = terms.dialect == Dialect::Modern;
        if let Some((low, _)) = attachments.range.first() {
            let bits = low.bits();
            let parts: Vec<String> = attachments
                .range
                .iter()
                .map(|(low, high)| format!("i{bits} {low}, i{bits} {high}"))
                .collect();
            let node = self.node(format!("!{{{}}}", parts.join(", ")));
            let _ = write!(out, ", !range {node}");
        }
        let empty = [
            (attachments.nonnull, "nonnull"),
            (attachments.noundef && modern, "noundef"),
            (attachments.unpredictable, "unpredictable"),
        ];
        for (_, name) in empty.into_iter().filter(|(set, _)| *set) {
            let node = self.node("!{}".to_owned());
            let _ = write!(out, ", !{name} {node}");
        }
        for (name, value) in [
            ("align", attachments.align),
            ("dereferenceable", attachments.dereferenceable),
        ] {
            if value != 0 {
                let node = self.node(format!("!{{i64 {value}}}"));
                let _ = write!(out, ", !{name} {node}");
            }
        }
        if !attachments.weights.is_empty() {
            let weights = attachments.weights.iter().fold(String::new(), |mut text, weight| {
                let _ = write!(text, ", i32 {weight}");
                text
            });
            let node = self.node(format!("!{{!\"branch_weights\"{weights}}}"));
            let _ = write!(out, ", !prof {node}");
        }
        if let Some(precision) = attachments.precision {
            let bits = super::constants::widened(u64::from(precision));
            let node = self.node(format!("!{{float 0x{bits:016X}}}"));
            let _ = write!(out, ", !fpmath {node}");
        }
        if let Some(hints) = &attachments.loop_hints {
            let node = self.loop_node(hints);
            let _ = write!(out, ", !llvm.loop !{node}");
        }
        for (name, scopes) in [
            ("alias.scope", &attachments.alias_scopes),
            ("noalias", &attachments.noalias_scopes),
        ] {
            if !scopes.is_empty() {
                let list: Vec<String> = scopes.iter().map(|&scope| format!("!{}", self.scope(scope))).collect();
                let node = self.node(format!("!{{{}}}", list.join(", ")));
                let _ = write!(out, ", !{name} {node}");
            }
        }
        out
    }

    fn scope(&mut self, scope: u32) -> usize {
        if let Some(&number) = self.scopes.get(&scope) {
            return number;
        }
        let domain = self.node("!{!\"warpsmith\"}".to_owned());
        let number = self.distinct(format!("!{{!\"scope {scope}\", {domain}}}"));
        self.scopes.insert(scope, number);
        number
    }

    fn loop_node(&mut self, hints: &LoopHints) -> usize {
        let mut parts = Vec::new();
        let flags = [
            (hints.must_progress, "llvm.loop.mustprogress"),
            (hints.unroll_disable, "llvm.loop.unroll.disable"),
            (hints.unroll_enable, "llvm.loop.unroll.enable"),
            (hints.unroll_full, "llvm.loop.unroll.full"),
        ];
        for (_, name) in flags.into_iter().filter(|(set, _)| *set) {
            parts.push(self.node(format!("!{{!\"{name}\"}}")));
        }
        if let Some(count) = hints.unroll_count {
            parts.push(self.node(format!("!{{!\"llvm.loop.unroll.count\", i32 {count}}}")));
        }
        let number = self.lines.len();
        let list = parts.iter().fold(format!("!{number}"), |text, part| text + ", " + part);
        self.distinct(format!("distinct !{{{list}}}"))
    }

    /// The named and numbered metadata at the end of the text.
    pub(super) fn finish(mut self, terms: Terms<'_>, module: &Module, out: &mut String) {
        for declaration in &self.declarations {
            let _ = writeln!(out, "\n{declaration}");
        }
        let properties = &module.symbols.properties;
        let mut flags: Vec<String> = properties
            .flags
            .iter()
            .filter(|(_, name, _)| self.unit.is_none() || name != "Debug Info Version")
            .map(|(behaviour, name, value)| {
                format!("!{{i32 {behaviour}, !\"{}\", i32 {value}}}", escaped(name.as_bytes()))
            })
            .collect();
        if self.unit.is_some() {
            flags.push("!{i32 2, !\"Debug Info Version\", i32 3}".to_owned());
        }
        let mut named = Vec::new();
        self.named("llvm.module.flags", flags, &mut named);
        if let Some(unit) = self.unit {
            named.push(format!("!llvm.dbg.cu = !{{!{unit}}}"));
        }
        let ident = properties
            .producer
            .iter()
            .map(|producer| format!("!{{!\"{}\"}}", escaped(producer.as_bytes())))
            .collect();
        self.named("llvm.ident", ident, &mut named);
        let version = properties
            .nvvm_version
            .iter()
            .map(|[a, b, c, d]| format!("!{{i32 {a}, i32 {b}, i32 {c}, i32 {d}}}"))
            .collect();
        self.named("nvvmir.version", version, &mut named);
        self.named("nvvm.annotations", annotations(terms, module), &mut named);
        if !named.is_empty() {
            out.push('\n');
            named.iter().for_each(|line| {
                let _ = writeln!(out, "{line}");
            });
        }
        if !self.lines.is_empty() {
            out.push('\n');
            self.lines.iter().enumerate().for_each(|(number, line)| {
                let _ = writeln!(out, "!{number} = {line}");
            });
        }
    }

    fn named(&mut self, name: &str, nodes: Vec<String>, lines: &mut Vec<String>) {
        if nodes.is_empty() {
            return;
        }
        let list: Vec<String> = nodes.into_iter().map(|node| self.node(node)).collect();
        lines.push(format!("!{name} = !{{{}}}", list.join(", ")));
    }
}

/// `nvvm.annotations`: what variables are, and in the old dialect what kernels are.
fn annotations(terms: Terms<'_>, module: &Module) -> Vec<String> {
    let symbols = &module.symbols;
    let mut nodes = Vec::new();
    for (id, global) in module.globals() {
        let role = match global.role {
            GlobalRole::Plain => continue,
            GlobalRole::Managed => "managed",
            GlobalRole::Texture => "texture",
            GlobalRole::Surface => "surface",
            GlobalRole::Sampler => "sampler",
        };
        nodes.push(format!(
            "!{{{}, !\"{role}\", i32 1}}",
            terms.raw_symbol(symbols.global_address(id))
        ));
    }
    if terms.dialect == Dialect::Modern {
        return nodes;
    }
    for (id, declaration) in module.functions() {
        let address = terms.raw_symbol(symbols.function_address(id));
        let mut property = |name: &str, value: u32| nodes.push(format!("!{{{address}, !\"{name}\", i32 {value}}}"));
        if let Some(kernel) = &declaration.kernel {
            property("kernel", 1);
            kernel_annotations(kernel, &mut property);
        }
        for (index, parameter) in declaration
            .parameters
            .iter()
            .enumerate()
            .filter(|(_, parameter)| parameter.stack_align != 0)
        {
            property("align", (index as u32 + 1) << 16 | parameter.stack_align);
        }
        let constants: Vec<String> = declaration
            .parameters
            .iter()
            .enumerate()
            .filter(|(_, parameter)| parameter.grid_constant)
            .map(|(index, _)| format!("i32 {}", index + 1))
            .collect();
        if !constants.is_empty() {
            nodes.push(format!(
                "!{{{address}, !\"grid_constant\", !{{{}}}}}",
                constants.join(", ")
            ));
        }
    }
    nodes
}

fn kernel_annotations(kernel: &KernelProperties, property: &mut impl FnMut(&str, u32)) {
    let triples = [
        (["maxntidx", "maxntidy", "maxntidz"], kernel.maximum_threads),
        (["reqntidx", "reqntidy", "reqntidz"], kernel.required_threads),
        (["cluster_dim_x", "cluster_dim_y", "cluster_dim_z"], kernel.cluster),
    ];
    for (names, value) in triples {
        let value = value.into_iter().flatten();
        names
            .into_iter()
            .zip(value)
            .for_each(|(name, value)| property(name, value));
    }
    let numbers = [
        ("minctasm", kernel.minimum_blocks),
        ("maxnreg", kernel.maximum_registers),
        ("cluster_max_blocks", kernel.maximum_cluster_blocks),
    ];
    numbers
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .for_each(|(name, value)| property(name, value));
}

impl Terms<'_> {
    /// The address of a variable or function with the type that it has before any conversion.
    pub(super) fn raw_symbol(&self, id: ConstantId) -> String {
        let text = self.constant(id);
        match text.strip_prefix("bitcast (").and_then(|rest| rest.rsplit_once(" to ")) {
            Some((inner, _)) => inner.to_owned(),
            None => format!("{} {text}", self.ty(self.context.constant_type(id))),
        }
    }
}
