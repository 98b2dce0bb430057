//! Writing modules as bitcode: the form of LLVM 20, with opaque pointers, which 16 and later read.
//!
//! What the text says is what is written. All constants and all metadata are the module's own, records are not abbreviated, and there is no table of symbols for
//! linkers: readers need none of it.

mod attributes;
mod body;
mod metadata;
mod stream;
mod values;

use std::collections::BTreeMap;

use warpsmith_ir::{Callee, FunctionType, GlobalRole, Instruction, Intrinsic, Linkage, Module, Type, Value};

use self::attributes::Attributes;
use self::body::{convention, exponent};
use self::metadata::Metadata;
use self::stream::Node;
use self::values::Values;
use crate::MAGIC;
use crate::codes::block;

/// The names of scopes by their numbers.
const SCOPES: [&str; 5] = ["singlethread", "", "device", "cluster", "block"];

/// A module as a file of bitcode.
///
/// ```
/// use warpsmith_base::SourceText;
/// use warpsmith_ir::Module;
///
/// let text = "define ptx_kernel void @k(ptr %p) {\n  store i32 7, ptr %p, align 4\n  ret void\n}\n";
/// let module = Module::from_text(&SourceText::new("k.ll", text)).map_err(|problems| problems[0].to_string())?;
/// let bitcode = warpsmith_bitcode::write(&module);
/// let texts = warpsmith_bitcode::assembly("k.bc", &bitcode).map_err(|problem| problem.to_string())?;
/// assert!(texts[0].contains("  store i32 7, ptr %0, align 4\n") || texts[0].contains("  store i32 7, ptr %p, align 4\n"));
/// # Ok::<(), String>(())
/// ```
pub fn write(module: &Module) -> Vec<u8> {
    let mut writer = Writer {
        module,
        values: Values::new(module.context()),
        attributes: Attributes::default(),
        metadata: Metadata::default(),
        intrinsics: BTreeMap::new(),
        strings: Vec::new(),
        groups: Vec::new(),
        sections: Vec::new(),
    };
    writer.number_symbols();
    writer.number_constants();
    let bodies: Vec<Node> = module
        .functions()
        .filter_map(|(id, _)| module.body(id))
        .map(|body| writer.body(body))
        .collect();
    writer.module_metadata();
    writer.file(bodies)
}

/// The characters of a text as numbers.
fn characters(text: &str) -> Vec<u64> {
    text.bytes().map(u64::from).collect()
}

struct Writer<'m> {
    module: &'m Module,
    values: Values<'m>,
    attributes: Attributes,
    metadata: Metadata,
    /// The intrinsics that are called, by their full names: the number as a value, and the type.
    intrinsics: BTreeMap<String, (u64, (Intrinsic, FunctionType))>,
    strings: Vec<u8>,
    groups: Vec<&'m str>,
    sections: Vec<&'m str>,
}

impl<'m> Writer<'m> {
    /// Numbers variables, aliases, functions and intrinsics.
    fn number_symbols(&mut self) {
        let module = self.module;
        let mut next = 0;
        let mut take = || {
            next += 1;
            next - 1
        };
        for (id, global) in module.globals() {
            self.values.globals.insert(id, take());
            note(&mut self.groups, global.comdat.as_deref());
            note(&mut self.sections, global.section.as_deref());
        }
        for (id, declaration) in module.functions() {
            self.values.functions.insert(id, take());
            self.values.function_types.insert(id, declaration.ty);
            note(&mut self.groups, declaration.comdat.as_deref());
            note(&mut self.sections, declaration.section.as_deref());
            let blocks = module.body(id).into_iter().flat_map(|body| body.blocks().enumerate());
            let blocks = blocks.map(|(index, block)| ((id, block), index as u64));
            self.values.blocks.extend(blocks);
        }
        for body in module.bodies.as_slice().iter().flatten() {
            for id in body.all_instructions() {
                if let Instruction::Call(call) = body.instruction(id)
                    && let Callee::Intrinsic(intrinsic, overloads) = &call.callee
                {
                    let name = intrinsic.full_name(module.context(), overloads);
                    self.intrinsics.entry(name).or_insert((0, (*intrinsic, call.ty)));
                }
            }
        }
        self.intrinsics.values_mut().for_each(|(number, _)| *number = take());
        for (id, _) in module.symbols.aliases.iter() {
            self.values.aliases.insert(id, take());
        }
        self.values.set_first(next);
    }

    /// Numbers all constants: those of bodies are among those of the module.
    fn number_constants(&mut self) {
        let module = self.module;
        for (_, global) in module.globals() {
            global.initializer.map(|id| self.values.constant(id));
        }
        for (_, alias) in module.symbols.aliases.iter() {
            self.values.constant(alias.target);
        }
        for body in module.bodies.as_slice().iter().flatten() {
            let mut places = Vec::new();
            for id in body.all_instructions() {
                let instruction = body.instruction(id);
                let mut constants = Vec::new();
                instruction.for_each_operand(|operand| constants.extend(operand.as_constant()));
                for id in constants {
                    match self.metadata_argument(Value::Constant(id)) {
                        Some(_) => {}
                        None => drop(self.values.constant(id)),
                    }
                }
                match instruction {
                    Instruction::Switch { cases, .. } => {
                        for case in cases {
                            self.values.constant(module.context().integer(case.value.clone()));
                        }
                    }
                    Instruction::ShuffleVector { mask, .. } => {
                        self.values.constant(body::mask(body, mask));
                    }
                    Instruction::Call(call) => {
                        if let Callee::Assembly(assembly) = &call.callee {
                            self.values.assembly(assembly, call.ty);
                        }
                    }
                    _ => {}
                }
                if let Some(attachments) = body.attachments(id) {
                    self.metadata.attachments(module.context(), attachments);
                }
                if let Instruction::Load { access, .. } | Instruction::Store { access, .. } = instruction
                    && access.nontemporal
                {
                    self.metadata.mark(module.context(), "nontemporal");
                }
                places.extend(body.location(id));
            }
        }
        // What metadata names has to have numbers before the values of any body.
        for (_, _, value) in &module.symbols.properties.flags {
            self.values.constant(module.context().int(32, i128::from(*value)));
        }
        self.module_constants();
        self.metadata.number_constants(&mut self.values);
    }

    /// The constants of metadata of the module as a whole.
    fn module_constants(&mut self) {
        let context = self.module.context();
        let mut numbers: Vec<i128> = vec![1, 2, 3];
        let properties = &self.module.symbols.properties;
        for (behaviour, _, value) in &properties.flags {
            numbers.extend([i128::from(*behaviour), i128::from(*value)]);
        }
        numbers.extend(properties.nvvm_version.into_iter().flatten().map(i128::from));
        for number in numbers {
            self.values.constant(context.int(32, number));
        }
    }

    fn module_metadata(&mut self) {
        let context = self.module.context();
        let properties = &self.module.symbols.properties;
        let int = |metadata: &mut Metadata, value: i64| metadata.constant(context.int(32, i128::from(value)));
        let has_places = self.metadata.unit().is_some();
        let mut flags: Vec<(u32, &str, i64)> = properties
            .flags
            .iter()
            .filter(|(_, name, _)| !has_places || name != "Debug Info Version")
            .map(|(behaviour, name, value)| (*behaviour, name.as_str(), *value))
            .collect();
        if has_places {
            flags.push((2, "Debug Info Version", 3));
        }
        let flags = flags.into_iter().map(|(behaviour, name, value)| {
            let elements = [
                int(&mut self.metadata, i64::from(behaviour)),
                self.metadata.text(name),
                int(&mut self.metadata, value),
            ];
            self.metadata.node(&elements)
        });
        let flags = flags.collect();
        self.metadata.list("llvm.module.flags", flags);
        let unit = self.metadata.unit().into_iter().collect();
        self.metadata.list("llvm.dbg.cu", unit);
        if let Some(producer) = &properties.producer {
            let text = self.metadata.text(producer);
            let node = self.metadata.node(&[text]);
            self.metadata.list("llvm.ident", vec![node]);
        }
        if let Some(version) = properties.nvvm_version {
            let numbers = version.map(|number| int(&mut self.metadata, i64::from(number)));
            let node = self.metadata.node(&numbers);
            self.metadata.list("nvvmir.version", vec![node]);
        }
        let mut roles = Vec::new();
        for (id, global) in self.module.globals() {
            let role = match global.role {
                GlobalRole::Plain => continue,
                GlobalRole::Managed => "managed",
                GlobalRole::Texture => "texture",
                GlobalRole::Surface => "surface",
                GlobalRole::Sampler => "sampler",
            };
            let address = self.module.symbols.global_address(id);
            let elements = [
                self.metadata.constant(address),
                self.metadata.text(role),
                int(&mut self.metadata, 1),
            ];
            roles.push(self.metadata.node(&elements));
        }
        self.metadata.list("nvvm.annotations", roles);
    }

    /// The place of a name in the table of strings, and its length.
    fn string(&mut self, text: &str) -> [u64; 2] {
        let offset = self.strings.len() as u64;
        self.strings.extend(text.bytes());
        [offset, text.len() as u64]
    }

    fn file(mut self, bodies: Vec<Node>) -> Vec<u8> {
        let properties = &self.module.symbols.properties;
        let mut symbols = Vec::new();
        for (code, text) in [
            (2, &properties.triple),
            (3, &properties.layout),
            (16, &properties.source),
        ] {
            if !text.is_empty() {
                symbols.push(Node::Record(code, characters(text)));
            }
        }
        if !properties.assembly.is_empty() {
            symbols.push(Node::Record(4, characters(&properties.assembly.join("\n"))));
        }
        let sections = self.sections.iter().map(|section| Node::Record(5, characters(section)));
        symbols.extend(sections);
        for group in self.groups.clone() {
            let [offset, length] = self.string(group);
            symbols.push(Node::Record(12, vec![offset, length, 1]));
        }
        symbols.extend(self.variables());
        symbols.extend(self.functions());
        symbols.extend(self.aliases());
        let metadata = std::mem::take(&mut self.metadata).blocks(&mut self.values);
        let scopes = SCOPES.iter().map(|scope| Node::Record(1, characters(scope)));
        let mut nodes = vec![Node::Record(1, vec![2]), self.values.type_block()];
        nodes.extend(self.attributes.blocks());
        nodes.extend(symbols);
        nodes.extend(self.values.constant_block());
        nodes.extend(metadata);
        nodes.push(Node::Block(block::SCOPES, scopes.collect()));
        nodes.extend(bodies);
        let producer = format!("Warpsmith{}", env!("CARGO_PKG_VERSION"));
        stream::file(
            &MAGIC,
            &[
                Node::Block(
                    block::IDENTIFICATION,
                    vec![Node::Record(1, characters(&producer)), Node::Record(2, vec![0])],
                ),
                Node::Block(block::MODULE, nodes),
                Node::Block(block::STRINGS, vec![Node::Bytes(self.strings)]),
            ],
        )
    }

    fn variables(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (_, global) in self.module.globals() {
            let [offset, length] = self.string(&global.name);
            // That the type is that of the values, and the space behind it.
            let flags = u64::from(global.constant) | 2 | u64::from(global.space.0) << 2;
            nodes.push(Node::Record(
                7,
                vec![
                    offset,
                    length,
                    self.values.ty(global.ty),
                    flags,
                    global.initializer.map_or(0, |id| self.values.constant(id) + 1),
                    linkage(global.linkage),
                    exponent(global.align),
                    place(&self.sections, global.section.as_deref()),
                    0,
                    0,
                    u64::from(global.unnamed_address),
                    u64::from(global.externally_initialized),
                    0,
                    place(&self.groups, global.comdat.as_deref()),
                ],
            ));
        }
        nodes
    }

    fn functions(&mut self) -> Vec<Node> {
        let module = self.module;
        let mut nodes = Vec::new();
        for (id, declaration) in module.functions() {
            let [offset, length] = self.string(&declaration.name);
            let list = self.attributes.list(
                &mut self.values,
                Some((&declaration.attributes, declaration.kernel.as_ref())),
                Some(&declaration.result_attributes),
                &declaration.parameters,
            );
            nodes.push(Node::Record(
                8,
                vec![
                    offset,
                    length,
                    self.values.ty(Type::Function(declaration.ty)),
                    convention(declaration.convention, declaration.is_kernel()),
                    u64::from(module.body(id).is_none()),
                    linkage(declaration.linkage),
                    list,
                    exponent(declaration.align),
                    place(&self.sections, declaration.section.as_deref()),
                    0,
                    0,
                    u64::from(declaration.unnamed_address),
                    0,
                    0,
                    place(&self.groups, declaration.comdat.as_deref()),
                ],
            ));
        }
        for (name, (_, (intrinsic, ty))) in std::mem::take(&mut self.intrinsics) {
            let [offset, length] = self.string(&name);
            let attributes = intrinsic.attributes();
            let list = self
                .attributes
                .list(&mut self.values, Some((&attributes, None)), None, &[]);
            let ty = self.values.ty(Type::Function(ty));
            nodes.push(Node::Record(
                8,
                vec![offset, length, ty, 0, 1, 0, list, 0, 0, 0, 0, 0, 0, 0, 0],
            ));
        }
        nodes
    }

    fn aliases(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (_, alias) in self.module.symbols.aliases.iter() {
            let [offset, length] = self.string(&alias.name);
            let target = self.values.constant(alias.target);
            let space = u64::from(alias.space.0);
            nodes.push(Node::Record(
                14,
                vec![
                    offset,
                    length,
                    self.values.ty(alias.ty),
                    space,
                    target,
                    linkage(alias.linkage),
                ],
            ));
        }
        nodes
    }
}

fn note<'m>(list: &mut Vec<&'m str>, name: Option<&'m str>) {
    if let Some(name) = name
        && !list.contains(&name)
    {
        list.push(name);
    }
}

/// The place of a name in a list, from 1 on; 0 for none.
fn place(list: &[&str], name: Option<&str>) -> u64 {
    let index = name.and_then(|name| list.iter().position(|known| *known == name));
    index.map_or(0, |index| index as u64 + 1)
}

fn linkage(linkage: Linkage) -> u64 {
    match linkage {
        Linkage::External => 0,
        Linkage::Appending => 2,
        Linkage::Internal => 3,
        Linkage::ExternalWeak => 7,
        Linkage::Common => 8,
        Linkage::Private => 9,
        Linkage::AvailableExternally => 12,
        Linkage::Weak => 16,
        Linkage::WeakOdr => 17,
        Linkage::LinkOnce => 18,
        Linkage::LinkOnceOdr => 19,
    }
}
