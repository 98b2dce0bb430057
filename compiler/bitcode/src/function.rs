//! Bodies of functions: their blocks, and the names in them.

use std::cell::Cell;
use std::fmt::Write;

use rustc_hash::FxHashMap;
use warpsmith_ir::quoted_name;

use crate::codes::block;
use crate::draft::{Draft, Gap};
use crate::fault::{Fault, Result};
use crate::module::{Reader, Value, ValueKind};
use crate::stream::{Block, Item, Record};
use crate::types::{Type, TypeId, bytes};

/// An instruction, as a line of the text.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: Draft,
    /// The number of its result as a value.
    pub(crate) result: Option<u32>,
    /// What a debugger is told before it.
    pub(crate) before: Vec<Draft>,
    /// The node of its place.
    pub(crate) place: Option<u32>,
    attachments: Vec<u64>,
    pub(crate) ends_block: bool,
}

/// A body that is being read.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) lines: Vec<Line>,
    /// The last place in the source that was said.
    pub(crate) place: Option<u32>,
    /// The bundles that the next call takes.
    pub(crate) bundles: Vec<Draft>,
    pub(crate) result: TypeId,
    pub(crate) block_count: u64,
    /// The block that is being read.
    pub(crate) block: u64,
    value_names: FxHashMap<u32, String>,
    block_names: FxHashMap<u32, String>,
    attachments: Vec<u64>,
}

impl Reader<'_> {
    /// A function with its body.
    pub(crate) fn body(&mut self, function: u32, ty: TypeId, head: Draft, block: &Block) -> Result<()> {
        let (values, metadata) = (self.values.len(), self.metadata.len());
        let nodes = self.nodes.len();
        let Type::Function { result, parameters, .. } = self.types.get(ty).clone() else {
            return Err(Fault::new(block.bit, "a function has the type of none"));
        };
        let arguments = parameters.len();
        self.values.extend(parameters.into_iter().map(|ty| Value {
            ty,
            kind: ValueKind::Local,
        }));
        let mut body = Body {
            lines: Vec::new(),
            place: None,
            bundles: Vec::new(),
            result,
            block_count: 0,
            block: 0,
            value_names: FxHashMap::default(),
            block_names: FxHashMap::default(),
            attachments: Vec::new(),
        };
        for item in &block.items {
            match item {
                Item::Record(record) => self.instruction(&mut body, record)?,
                Item::Block(inner) => self.inner_of_body(&mut body, inner)?,
            }
        }
        if body.block != body.block_count {
            let reason = format!("a body has {} blocks of {}", body.block, body.block_count);
            return Err(Fault::new(block.bit, reason));
        }
        let range = values as u32..(values + arguments) as u32;
        self.finish_body(function, body, head, range, nodes, block.bit)?;
        self.values.truncate(values);
        self.metadata.truncate(metadata);
        Ok(())
    }

    fn inner_of_body(&mut self, body: &mut Body, inner: &Block) -> Result<()> {
        match inner.id {
            block::CONSTANTS => self.read_constants(inner),
            block::METADATA => {
                self.read_metadata(inner)?;
                self.write_nodes()
            }
            block::VALUE_NAMES => {
                for item in &inner.items {
                    let Item::Record(record) = item else { continue };
                    let [number, name @ ..] = self.stream.numbers(record) else {
                        continue;
                    };
                    let name = bytes(name);
                    // A name of digits alone is what those without a name are called.
                    if name.is_empty() || name.iter().all(u8::is_ascii_digit) {
                        continue;
                    }
                    match record.code {
                        1 => body.value_names.insert(*number as u32, quoted_name(&name)),
                        2 => body.block_names.insert(*number as u32, quoted_name(&name)),
                        _ => None,
                    };
                }
                Ok(())
            }
            block::ATTACHMENTS => {
                for item in &inner.items {
                    if let Item::Record(record) = item {
                        self.attach(body, record)?;
                    }
                }
                Ok(())
            }
            // Orders of uses, and what newer versions may add.
            _ => Ok(()),
        }
    }

    fn attach(&self, body: &mut Body, record: &Record) -> Result<()> {
        let numbers = self.stream.numbers(record);
        if record.code != 11 {
            return Ok(());
        }
        // Without the number of an instruction they are the function's own.
        if numbers.len().is_multiple_of(2) {
            body.attachments.extend_from_slice(numbers);
            return Ok(());
        }
        let line = usize::try_from(numbers[0])
            .ok()
            .and_then(|index| body.lines.get_mut(index));
        let line = line.ok_or_else(|| Fault::new(record.bit, "metadata is attached to no instruction"))?;
        line.attachments.extend_from_slice(&numbers[1..]);
        Ok(())
    }

    /// The text of a body, with all names.
    fn finish_body(
        &mut self,
        function: u32,
        body: Body,
        mut head: Draft,
        arguments: std::ops::Range<u32>,
        first_node: usize,
        bit: u64,
    ) -> Result<()> {
        let mut names = Names::default();
        for id in arguments {
            names.value(id, &body.value_names);
        }
        let mut starts = true;
        for line in &body.lines {
            if starts {
                names.block(&body.block_names);
            }
            if let Some(id) = line.result {
                names.value(id, &body.value_names);
            }
            starts = line.ends_block;
        }
        self.write_attachments(&body.attachments, " ", bit, &mut head)?;
        head.push(" {\n");
        let mut out = std::mem::take(&mut self.out);
        let is_missing = Cell::new(false);
        let fill = |draft: &Draft, out: &mut Draft| {
            draft.fill(out, |gap| {
                let name = names.name(gap);
                is_missing.set(is_missing.get() || name.is_none() && !matches!(gap, Gap::BlockOf { .. }));
                name
            });
        };
        fill(&head, &mut out);
        let (mut starts, mut block) = (true, 0);
        for line in &body.lines {
            if starts {
                if block != 0 || body.block_names.contains_key(&0) {
                    let _ = writeln!(out, "{}:", names.blocks.get(block).map_or("", String::as_str));
                }
                block += 1;
            }
            starts = line.ends_block;
            for before in &line.before {
                out.push("    ");
                fill(before, &mut out);
                out.push("\n");
            }
            out.push("  ");
            if let Some(id) = line.result {
                let _ = write!(out, "%{} = ", names.values.get(&id).map_or("", String::as_str));
            }
            fill(&line.text, &mut out);
            if let Some(node) = line.place {
                let _ = write!(out, ", !dbg !{node}");
            }
            if !line.attachments.is_empty() {
                let mut text = Draft::default();
                self.write_attachments(&line.attachments, ", ", bit, &mut text)?;
                fill(&text, &mut out);
            }
            out.push("\n");
        }
        out.push("}\n");
        self.out = out;
        // Nodes may be of values of this function alone.
        for (_, text) in self.nodes.iter_mut().skip(first_node) {
            let mut whole = Draft::default();
            fill(text, &mut whole);
            *text = whole;
        }
        if is_missing.get() {
            let reason = "a body uses a value or block that it does not define";
            return Err(Fault::new(bit, reason));
        }
        self.block_names.insert(function, names.blocks);
        Ok(())
    }
}

/// The names of the values and blocks of a body; those without one are counted in the order of the text.
#[derive(Default)]
struct Names {
    values: FxHashMap<u32, String>,
    blocks: Vec<String>,
    next: u32,
}

impl Names {
    fn or_next(&mut self, name: Option<&String>) -> String {
        match name {
            Some(name) => name.clone(),
            None => {
                self.next += 1;
                (self.next - 1).to_string()
            }
        }
    }

    fn value(&mut self, id: u32, names: &FxHashMap<u32, String>) {
        let name = self.or_next(names.get(&id));
        self.values.insert(id, name);
    }

    fn block(&mut self, names: &FxHashMap<u32, String>) {
        let name = self.or_next(names.get(&(self.blocks.len() as u32)));
        self.blocks.push(name);
    }

    fn name(&self, gap: Gap) -> Option<&str> {
        match gap {
            Gap::Value(id) => self.values.get(&id).map(String::as_str),
            Gap::Block(number) => self.blocks.get(number as usize).map(String::as_str),
            Gap::BlockOf { .. } => None,
        }
    }
}
