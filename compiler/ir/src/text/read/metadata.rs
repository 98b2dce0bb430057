//! Reading metadata.
//!
//! Kept: what is said of kernels and variables (`nvvm.annotations`), module flags that are integers, the versions, loop hints, locations and the
//! attachments that [`Attachments`] has. Dropped: debug information beyond locations, `!tbaa` and all other attachments and named metadata.

use rustc_hash::FxHashSet;

use super::lexer::{Kind, bytes, name};
use super::{Known, Reader, Result};
use crate::attributes::KernelProperties;
use crate::constant::{Constant, ConstantId};
use crate::instruction::LoopHints;
use crate::location::{Location, LocationId};
use crate::module::{FunctionId, GlobalRole};

/// A piece of metadata.
#[derive(Clone, Debug)]
pub(super) enum Metadata {
    /// A numbered node.
    Node(u32),
    /// A text.
    Text(String),
    /// A constant.
    Constant(ConstantId),
    /// `null`.
    Null,
    /// A number in a record.
    Number(i128),
    /// A keyword in a record, or several with bars between; empty unless a debugger is to be told something.
    Word(String),
    /// `!{…}`.
    Tuple(Vec<Metadata>),
    /// `!DILocation(…)` and the like.
    Record {
        name: String,
        fields: Vec<(String, Metadata)>,
    },
}

/// How many scopes or inlined calls are followed.
const LONGEST_CHAIN: usize = 1000;

impl Reader<'_> {
    /// A node, in its place or by its number.
    pub(super) fn metadata(&mut self) -> Result<Metadata> {
        self.nested(Reader::metadata_inner)
    }

    fn metadata_inner(&mut self) -> Result<Metadata> {
        if self.is_word("distinct") {
            self.bump();
        }
        if self.kind() != Kind::Metadata {
            return Err(self.unexpected("metadata"));
        }
        let text = self.text();
        self.bump();
        if text == "!" {
            return match self.kind() {
                Kind::Text | Kind::Label => {
                    let text = String::from_utf8_lossy(&bytes(self.text().trim_end_matches(':'))).into_owned();
                    self.bump();
                    Ok(Metadata::Text(text))
                }
                _ => self.tuple(),
            };
        }
        if text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            let Ok(number) = text[1..].parse() else {
                return Err(self.error_at(self.next - 1, "nodes have numbers below 2^32"));
            };
            // All nodes have been surveyed, whether they have been read or not.
            if !self.node_places.contains_key(&number) {
                return Err(self.error_at(self.next - 1, format!("there is no metadata !{number}")));
            }
            return Ok(Metadata::Node(number));
        }
        self.record(name(text))
    }

    fn tuple(&mut self) -> Result<Metadata> {
        self.expect(b'{')?;
        let mut elements = Vec::new();
        while !self.is(b'}') {
            elements.push(self.element()?);
            if !self.another()? {
                break;
            }
        }
        self.expect(b'}')?;
        Ok(Metadata::Tuple(elements))
    }

    fn element(&mut self) -> Result<Metadata> {
        if self.kind() == Kind::Metadata || self.is_word("distinct") {
            return self.metadata();
        }
        if self.is_word("null") {
            self.bump();
            return Ok(Metadata::Null);
        }
        // Old texts say `metadata !…` here.
        if self.is_word("metadata") {
            self.bump();
            return self.metadata();
        }
        self.described_constant()
    }

    /// A constant in metadata.
    fn described_constant(&mut self) -> Result<Metadata> {
        self.in_metadata = true;
        let constant = self.typed_constant();
        self.in_metadata = false;
        Ok(Metadata::Constant(constant?))
    }

    fn record(&mut self, name: String) -> Result<Metadata> {
        self.known_record(&name)?;
        self.expect(b'(')?;
        let mut fields: Vec<(String, Metadata)> = Vec::new();
        while !self.is(b')') {
            let key = if self.kind() == Kind::Label {
                let key = self.text().trim_end_matches(':').to_owned();
                self.known_field(&name, &key, &fields)?;
                self.bump();
                key
            } else {
                String::new()
            };
            let value = self.field()?;
            fields.push((key, value));
            if !self.another()? {
                break;
            }
        }
        self.needed_fields(&name, &fields)?;
        self.expect(b')')?;
        Ok(Metadata::Record { name, fields })
    }

    fn field(&mut self) -> Result<Metadata> {
        let value = match self.kind() {
            Kind::Metadata => return self.metadata(),
            Kind::Text => Metadata::Text(String::from_utf8_lossy(&bytes(self.text())).into_owned()),
            Kind::Integer => Metadata::Number(self.text().parse().unwrap_or(0)),
            Kind::Word if self.text() == "null" => Metadata::Null,
            Kind::Word if self.at_type() => return self.described_constant(),
            Kind::Word => {
                let mut words = String::new();
                loop {
                    if self.debug.is_some() {
                        words.push_str(self.text());
                    }
                    self.bump();
                    if !self.eat(b'|') {
                        break;
                    }
                    if self.debug.is_some() {
                        words.push('|');
                    }
                }
                return Ok(Metadata::Word(words));
            }
            _ => return Err(self.unexpected("the value of a field")),
        };
        self.bump();
        Ok(value)
    }

    /// Metadata as the argument of an intrinsic: a text or a node, by what it holds.
    pub(super) fn metadata_constant(&mut self) -> Result<ConstantId> {
        let node = self.metadata()?;
        let text = self.metadata_text(&node, 0, &mut 100);
        Ok(self.context.metadata(&text))
    }

    /// What a node holds, so far as `budget` elements go.
    fn metadata_text(&self, node: &Metadata, depth: usize, budget: &mut usize) -> String {
        match self.follow(node) {
            Metadata::Text(text) => format!("!\"{}\"", crate::text::write::escaped(text.as_bytes())),
            Metadata::Constant(id) => self.context.display_constant(*id, Some(&self.module.symbols)),
            Metadata::Tuple(elements) if depth < 8 => {
                let mut parts = Vec::new();
                for element in elements {
                    if *budget == 0 {
                        break;
                    }
                    *budget -= 1;
                    parts.push(self.metadata_text(element, depth + 1, budget));
                }
                format!("!{{{}}}", parts.join(", "))
            }
            _ => "!{}".to_owned(),
        }
    }

    /// What a node is, if it is a number.
    pub(super) fn follow<'n>(&'n self, node: &'n Metadata) -> &'n Metadata {
        match node {
            Metadata::Node(number) => self.nodes.get(number).unwrap_or(&Metadata::Null),
            other => other,
        }
    }

    pub(super) fn elements<'n>(&'n self, node: &'n Metadata) -> &'n [Metadata] {
        match self.follow(node) {
            Metadata::Tuple(elements) => elements,
            _ => &[],
        }
    }

    pub(super) fn number_of(&self, node: &Metadata) -> Option<i64> {
        match self.follow(node) {
            Metadata::Constant(id) => self.small(*id),
            Metadata::Number(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn field_of<'n>(&'n self, node: &'n Metadata, key: &str) -> Option<&'n Metadata> {
        match self.follow(node) {
            Metadata::Record { fields, .. } => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn text_field<'n>(&'n self, node: &'n Metadata, key: &str) -> Option<&'n str> {
        match self.field_of(node, key).map(|value| self.follow(value)) {
            Some(Metadata::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The location that `!dbg` names.
    pub(super) fn location(&mut self, node: &Metadata) -> Option<LocationId> {
        // From the place itself to the outermost call that it was inlined to.
        let mut chain = Vec::new();
        let mut next = Some(node.clone());
        while let Some(node) = next {
            if let Metadata::Node(number) = node
                && let Some(&known) = self.locations.get(&number)
            {
                return self.locate(&chain, Some(known));
            }
            match self.follow(&node) {
                Metadata::Record { name, .. } if name == "DILocation" => {}
                _ => break,
            }
            next = self.field_of(&node, "inlinedAt").cloned();
            chain.push(node);
            if chain.len() > LONGEST_CHAIN {
                return None;
            }
        }
        self.locate(&chain, None)
    }

    fn locate(&mut self, chain: &[Metadata], outer: Option<LocationId>) -> Option<LocationId> {
        let mut inlined_at = outer;
        for node in chain.iter().rev() {
            let number = |key| {
                self.field_of(node, key)
                    .and_then(|value| self.number_of(value))
                    .and_then(|number| u32::try_from(number).ok())
            };
            let (line, column) = (number("line").unwrap_or(0), number("column").unwrap_or(0));
            let (function, file) = self.scope(self.field_of(node, "scope"));
            let location = Location {
                file: self.context.symbol(&file),
                line,
                column,
                function: self.context.symbol(&function),
                inlined_at,
            };
            let id = self.context.location(location);
            if let Metadata::Node(number) = node {
                self.locations.insert(*number, id);
            }
            inlined_at = Some(id);
        }
        inlined_at
    }

    /// The function and file of a scope.
    fn scope(&self, scope: Option<&Metadata>) -> (String, String) {
        let mut next = scope;
        let mut file = None;
        for _ in 0..LONGEST_CHAIN {
            let Some(node) = next else { break };
            file = file.or_else(|| self.file(node));
            let Metadata::Record { name, .. } = self.follow(node) else {
                break;
            };
            if name == "DISubprogram" {
                let function = self
                    .text_field(node, "linkageName")
                    .or_else(|| self.text_field(node, "name"));
                return (function.unwrap_or("").to_owned(), file.unwrap_or_default());
            }
            next = self.field_of(node, "scope");
        }
        (String::new(), file.unwrap_or_default())
    }

    pub(super) fn file(&self, scope: &Metadata) -> Option<String> {
        let file = self.field_of(scope, "file")?;
        let name = self.text_field(file, "filename")?;
        Some(match self.text_field(file, "directory") {
            Some(directory) if !directory.is_empty() && !name.starts_with('/') => format!("{directory}/{name}"),
            _ => name.to_owned(),
        })
    }

    pub(super) fn loop_hints(&self, elements: &[Metadata]) -> LoopHints {
        let mut hints = LoopHints::default();
        // The first element is the node itself.
        for element in elements.iter().skip(1) {
            let parts = self.elements(element);
            let Some(Metadata::Text(name)) = parts.first().map(|part| self.follow(part)) else {
                continue;
            };
            match name.as_str() {
                "llvm.loop.mustprogress" => hints.must_progress = true,
                "llvm.loop.unroll.disable" => hints.unroll_disable = true,
                "llvm.loop.unroll.enable" => hints.unroll_enable = true,
                "llvm.loop.unroll.full" => hints.unroll_full = true,
                "llvm.loop.unroll.count" => {
                    hints.unroll_count = parts
                        .get(1)
                        .and_then(|part| self.number_of(part))
                        .and_then(|count| u32::try_from(count).ok());
                }
                _ => {}
            }
        }
        hints
    }

    /// Takes what is known from named metadata into the module.
    pub(super) fn named_metadata(&mut self) {
        let named = std::mem::take(&mut self.named);
        for (name, nodes) in &named {
            match name.as_str() {
                "llvm.module.flags" => {
                    let mut seen = FxHashSet::default();
                    for node in nodes {
                        if let Err(rule) = self.module_flag(node, &mut seen) {
                            self.refuse_node(node, rule);
                        }
                    }
                }
                "nvvmir.version" => {
                    let numbers = nodes.first().map(|node| self.elements(node)).unwrap_or_default();
                    let mut version = [2, 0, 0, 0];
                    let numbers = numbers.iter().map(|part| {
                        self.number_of(part)
                            .and_then(|number| u32::try_from(number).ok())
                            .unwrap_or(0)
                    });
                    version
                        .iter_mut()
                        .zip(numbers)
                        .for_each(|(slot, number)| *slot = number);
                    self.module.symbols.properties.nvvm_version = Some(version);
                }
                "llvm.ident" => {
                    for node in nodes {
                        let text = match self.elements(node) {
                            [part] => match self.follow(part) {
                                Metadata::Text(text) => Some(text.clone()),
                                _ => None,
                            },
                            _ => None,
                        };
                        match text {
                            Some(text) => {
                                self.module.symbols.properties.producer.get_or_insert(text);
                            }
                            None => self.refuse_node(node, "llvm.ident has a text in each node"),
                        }
                    }
                }
                "nvvm.annotations" => nodes.iter().for_each(|node| self.annotation(node)),
                _ => {}
            }
        }
    }

    /// Reports a node of a named list, where it is defined.
    fn refuse_node(&mut self, node: &Metadata, rule: &str) {
        let place = match node {
            Metadata::Node(number) => self.node_places.get(number).copied(),
            _ => None,
        };
        let problem = match place {
            Some(place) => *self.error_at(place, rule),
            None => warpsmith_base::Diagnostic::error(rule).in_file(self.source.name()),
        };
        self.problems.push(problem);
    }

    fn module_flag(&mut self, node: &Metadata, seen: &mut FxHashSet<String>) -> std::result::Result<(), &'static str> {
        let [behaviour, name, value] = self.elements(node) else {
            return Err("a flag of the module has a behaviour, a name and a value");
        };
        let Some(behaviour @ 1..=8) = self.number_of(behaviour) else {
            return Err("the behaviour of a flag of the module is 1 to 8");
        };
        let Metadata::Text(name) = self.follow(name) else {
            return Err("the name of a flag of the module is a text");
        };
        // What 3 says is asked of another flag, which may be asked for often.
        if behaviour != 3 && !seen.insert(name.clone()) {
            return Err("a flag of the module is set once");
        }
        if let Some(value) = self.number_of(value) {
            let flag = (behaviour as u32, name.clone(), value);
            self.module.symbols.properties.flags.push(flag);
        }
        Ok(())
    }

    /// One node of `nvvm.annotations`: a symbol, then names and values.
    fn annotation(&mut self, node: &Metadata) {
        let elements = self.elements(node).to_vec();
        let Some(Metadata::Constant(symbol)) = elements.first() else {
            return;
        };
        let symbol = self.context.constant(*symbol).clone();
        for pair in elements[1..].chunks_exact(2) {
            let Metadata::Text(key) = self.follow(&pair[0]).clone() else {
                continue;
            };
            match &symbol {
                Constant::Function(function) => self.annotate_function(*function, &key, &pair[1]),
                Constant::Global { global, .. } => {
                    let role = match key.as_str() {
                        "managed" => GlobalRole::Managed,
                        "texture" => GlobalRole::Texture,
                        "surface" => GlobalRole::Surface,
                        "sampler" => GlobalRole::Sampler,
                        _ => continue,
                    };
                    self.module.symbols.globals[*global].role = role;
                }
                _ => {}
            }
        }
    }

    fn annotate_function(&mut self, function: FunctionId, key: &str, value: &Metadata) {
        if key == "grid_constant" {
            let numbers: Vec<i64> = self
                .elements(value)
                .iter()
                .filter_map(|part| self.number_of(part))
                .collect();
            let parameters = &mut self.module.symbols.functions[function].parameters;
            for number in numbers {
                if let Some(parameter) = usize::try_from(number - 1)
                    .ok()
                    .and_then(|index| parameters.get_mut(index))
                {
                    parameter.grid_constant = true;
                }
            }
            return;
        }
        let Some(number) = self.number_of(value).and_then(|number| u32::try_from(number).ok()) else {
            return;
        };
        let declaration = &mut self.module.symbols.functions[function];
        if key == "align" {
            // The upper half is the parameter from 1 on (0: the result), the lower its alignment.
            let index = (number >> 16).wrapping_sub(1) as usize;
            if let Some(parameter) = declaration.parameters.get_mut(index) {
                parameter.stack_align = number & 0xffff;
            }
            return;
        }
        if key == "kernel" {
            if number == 1 {
                declaration.kernel.get_or_insert_default();
            }
            return;
        }
        let pending = self.launch.entry(function).or_default();
        launch_property(pending, key, number);
    }

    /// Gives kernels what attributes and annotations said of their launches.
    pub(super) fn finish_kernels(&mut self) {
        let functions: Vec<FunctionId> = self.module.symbols.functions.keys().collect();
        for id in functions {
            let annotated = self.launch.remove(&id);
            let declaration = &mut self.module.symbols.functions[id];
            let Some(kernel) = &mut declaration.kernel else {
                continue;
            };
            if let Some(annotated) = annotated {
                *kernel = annotated;
            }
            declaration
                .attributes
                .strings
                .retain(|key, value| !kernel_attribute(kernel, key, value));
        }
    }

    pub(super) fn known(&self, name: &str) -> Option<Known> {
        self.symbols.get(name).copied()
    }
}

fn launch_property(kernel: &mut KernelProperties, key: &str, number: u32) {
    let (slot, axis) = match key {
        "minctasm" => return kernel.minimum_blocks = Some(number),
        "maxnreg" => return kernel.maximum_registers = Some(number),
        "cluster_max_blocks" | "maxclusterrank" => return kernel.maximum_cluster_blocks = Some(number),
        _ => {
            let Some(axis) = key.bytes().last().filter(|axis| (b'x'..=b'z').contains(axis)) else {
                return;
            };
            let slot = match &key[..key.len() - 1] {
                "maxntid" => &mut kernel.maximum_threads,
                "reqntid" => &mut kernel.required_threads,
                "cluster_dim_" => &mut kernel.cluster,
                _ => return,
            };
            (slot, usize::from(axis - b'x'))
        }
    };
    slot.get_or_insert([1; 3])[axis] = number;
}

/// Takes a text attribute of a function as a property of the kernel; false where it is none.
fn kernel_attribute(kernel: &mut KernelProperties, key: &str, value: &str) -> bool {
    let mut numbers = value.split(',').map(|part| part.trim().parse::<u32>().unwrap_or(1));
    match key {
        "nvvm.maxntid" | "nvvm.reqntid" | "nvvm.cluster_dim" => {
            let triple = std::array::from_fn(|_| numbers.next().unwrap_or(1));
            let slot = match key {
                "nvvm.maxntid" => &mut kernel.maximum_threads,
                "nvvm.reqntid" => &mut kernel.required_threads,
                _ => &mut kernel.cluster,
            };
            *slot = Some(triple);
        }
        "nvvm.minctasm" => kernel.minimum_blocks = numbers.next(),
        "nvvm.maxnreg" => kernel.maximum_registers = numbers.next(),
        "nvvm.maxclusterrank" => kernel.maximum_cluster_blocks = numbers.next(),
        _ => return false,
    }
    true
}
