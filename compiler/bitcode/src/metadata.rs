//! Metadata: texts, values and nodes, and the names of lists and kinds.

use std::fmt::Write;

use warpsmith_ir::{escaped, quoted_name};

use crate::debug::{self, Part};
use crate::draft::Draft;
use crate::fault::{Fault, Result};
use crate::module::Reader;
use crate::stream::{Block, Item, Record};
use crate::types::{METADATA, Type, TypeId, VOID, bytes};

/// The codes of records that are no metadata themselves, or need special care.
mod code {
    pub(super) const STRING_OLD: u32 = 1;
    pub(super) const VALUE: u32 = 2;
    pub(super) const NODE: u32 = 3;
    pub(super) const NAME: u32 = 4;
    pub(super) const DISTINCT_NODE: u32 = 5;
    pub(super) const KIND: u32 = 6;
    pub(super) const OLD_NODE: u32 = 8;
    pub(super) const OLD_FUNCTION_NODE: u32 = 9;
    pub(super) const NAMED_NODE: u32 = 10;
    pub(super) const STRINGS: u32 = 35;
    pub(super) const DECLARATION_ATTACHMENT: u32 = 36;
    pub(super) const INDEX_OFFSET: u32 = 38;
    pub(super) const INDEX: u32 = 39;
    pub(super) const EXPRESSION: u32 = 29;
    pub(super) const ARGUMENTS: u32 = 46;
}

/// A piece of metadata.
#[derive(Clone, Debug)]
pub(crate) enum Metadata {
    Text(Vec<u8>),
    Value(TypeId, u32),
    /// Values, for one expression.
    Arguments(Vec<u32>),
    /// A node, by the number that it has in the text.
    Node(u32),
    /// A description of what is computed, in its place wherever it is named.
    Expression(Vec<u64>),
}

impl Reader<'_> {
    /// Reads the names of kinds of attachments.
    pub(crate) fn read_kinds(&mut self, block: &Block) {
        for item in &block.items {
            if let Item::Record(record) = item {
                self.read_kind(record);
            }
        }
    }

    fn read_kind(&mut self, record: &Record) {
        if let (code::KIND, [number, name @ ..]) = (record.code, self.stream.numbers(record)) {
            self.kinds.insert(*number, bytes(name));
        }
    }

    /// Adds what a block has.
    pub(crate) fn read_metadata(&mut self, block: &Block) -> Result<()> {
        let mut nodes: Vec<(u32, &Record)> = Vec::new();
        let mut lists: Vec<(Vec<u8>, &Record)> = Vec::new();
        let mut name = None;
        for item in &block.items {
            let Item::Record(record) = item else { continue };
            let numbers = self.stream.numbers(record);
            match record.code {
                code::NAME => name = Some(bytes(numbers)),
                code::KIND => self.read_kind(record),
                code::NAMED_NODE => lists.extend(name.take().map(|name| (name, record))),
                code::INDEX_OFFSET | code::INDEX => {}
                code::DECLARATION_ATTACHMENT => {
                    if let [value, pairs @ ..] = numbers {
                        self.declared_attachments.push((*value, pairs.to_vec()));
                    }
                }
                code::STRINGS => self.read_texts(record)?,
                code::STRING_OLD => self.metadata.push(Metadata::Text(bytes(numbers))),
                code::VALUE => match numbers {
                    [ty, value, ..] => self.metadata.push(Metadata::Value(*ty as TypeId, *value as u32)),
                    _ => return Err(short(record)),
                },
                code::OLD_FUNCTION_NODE => match numbers {
                    [ty, value] if self.is_plain_value(*ty) => {
                        self.metadata.push(Metadata::Value(*ty as TypeId, *value as u32));
                    }
                    _ => {
                        nodes.push((self.next_node, record));
                        self.new_node();
                    }
                },
                code::ARGUMENTS => {
                    let list = numbers.iter().map(|&number| number as u32).collect();
                    self.metadata.push(Metadata::Arguments(list));
                }
                code::EXPRESSION => {
                    let list = debug::expression(numbers);
                    self.metadata.push(Metadata::Expression(list));
                }
                // What is not known counts as a piece, too; LLVM itself passes over it.
                _ => {
                    nodes.push((self.next_node, record));
                    self.new_node();
                }
            }
        }
        for (number, record) in nodes {
            self.open_nodes.push((number, record.clone()));
        }
        for (name, record) in lists {
            let mut text = format!("!{} = !{{", list_name(&name));
            for (index, &node) in self.stream.numbers(record).iter().enumerate() {
                text += if index == 0 { "" } else { ", " };
                match usize::try_from(node).ok().and_then(|node| self.metadata.get(node)) {
                    Some(Metadata::Node(number)) => {
                        let _ = write!(text, "!{number}");
                    }
                    Some(Metadata::Expression(list)) => text += &debug::expression_text(list),
                    _ => return Err(Fault::new(record.bit, "a list of nodes has something that is no node")),
                }
            }
            self.lists.push(text + "}");
        }
        Ok(())
    }

    /// Gives the nodes that have been read their text. Symbols have their names by now.
    pub(crate) fn write_nodes(&mut self) -> Result<()> {
        for (number, record) in std::mem::take(&mut self.open_nodes) {
            let mut text = Draft::default();
            self.write_node(&record, &mut text)?;
            self.nodes.push((number, text));
        }
        Ok(())
    }

    fn is_plain_value(&self, ty: u64) -> bool {
        let ty = self.types.get(ty as TypeId);
        *ty != METADATA && *ty != VOID
    }

    fn new_node(&mut self) {
        self.metadata.push(Metadata::Node(self.next_node));
        self.next_node = self.next_node.saturating_add(1);
    }

    /// Texts one after the other: first their lengths in groups of six bits, then the characters.
    fn read_texts(&mut self, record: &Record) -> Result<()> {
        let blob = self.stream.blob(record);
        let wrong = || {
            Fault::new(
                record.bit,
                "block METADATA, record 35: texts that do not fit their lengths",
            )
        };
        let [count, offset] = self.stream.numbers(record) else {
            return Err(short(record));
        };
        let offset = usize::try_from(*offset).map_err(|_| wrong())?;
        let lengths = blob.get(..offset).ok_or_else(wrong)?;
        let mut characters = blob.get(offset..).ok_or_else(wrong)?;
        // Each length has at least six bits.
        if *count > lengths.len() as u64 * 8 / 6 {
            return Err(wrong());
        }
        let mut bit = 0;
        for _ in 0..*count {
            let (mut length, mut shift) = (0usize, 0);
            loop {
                let group = (0..6).try_fold(0, |group, index| {
                    let byte = lengths.get((bit + index) / 8)?;
                    Some(group | usize::from(byte >> ((bit + index) % 8) & 1) << index)
                });
                let group = group.ok_or_else(wrong)?;
                bit += 6;
                length |= (group & 31).checked_shl(shift).unwrap_or(usize::MAX);
                shift += 5;
                if group & 32 == 0 {
                    break;
                }
            }
            let (text, rest) = characters.split_at_checked(length).ok_or_else(wrong)?;
            self.metadata.push(Metadata::Text(text.to_vec()));
            characters = rest;
        }
        Ok(())
    }

    fn write_node(&mut self, record: &Record, out: &mut Draft) -> Result<()> {
        let numbers = self.stream.numbers(record).to_vec();
        match record.code {
            code::NODE | code::DISTINCT_NODE => {
                out.push(if record.code == code::NODE { "!{" } else { "distinct !{" });
                for (index, &number) in numbers.iter().enumerate() {
                    out.push(if index == 0 { "" } else { ", " });
                    match number.checked_sub(1) {
                        None => out.push("null"),
                        Some(id) => self.write_metadata(id, record.bit, out)?,
                    }
                }
                out.push("}");
            }
            code::OLD_NODE | code::OLD_FUNCTION_NODE => {
                out.push("!{");
                for (index, pair) in numbers.chunks_exact(2).enumerate() {
                    out.push(if index == 0 { "" } else { ", " });
                    let (ty, value) = (pair[0] as TypeId, pair[1]);
                    let kind = self.types.get(ty).clone();
                    if kind == METADATA {
                        self.write_metadata(value, record.bit, out)?;
                    } else if kind == VOID {
                        out.push("null");
                    } else {
                        self.write_typed(ty, value as u32, record.bit, 0, out)?;
                    }
                }
                out.push("}");
            }
            _ => self.write_description(record, &numbers, out)?,
        }
        Ok(())
    }

    /// A record of debug information.
    fn write_description(&mut self, record: &Record, numbers: &[u64], out: &mut Draft) -> Result<()> {
        let Some(description) = debug::describe(record.code, numbers) else {
            // Nothing is known of it but that it is there.
            out.push("!{}");
            return Ok(());
        };
        if numbers.first().is_some_and(|first| first & 1 == 1) {
            out.push("distinct ");
        }
        let _ = write!(out, "!{}(", description.name);
        let mut is_first = true;
        for (field, part) in description.fields {
            let id = match part {
                Part::Text(id) | Part::Reference(id) => id,
                Part::Needed(0) => {
                    separate(&mut is_first, field, out);
                    out.push("null");
                    continue;
                }
                Part::Needed(id) => id,
                Part::NeededText(0) => {
                    separate(&mut is_first, field, out);
                    out.push("\"\"");
                    continue;
                }
                Part::NeededText(id) => id,
                Part::Word(word) => {
                    separate(&mut is_first, field, out);
                    out.push(&word);
                    continue;
                }
            };
            let Some(id) = id.checked_sub(1) else { continue };
            separate(&mut is_first, field, out);
            match usize::try_from(id).ok().and_then(|id| self.metadata.get(id)) {
                Some(Metadata::Text(text)) => {
                    let _ = write!(out, "\"{}\"", escaped(text));
                }
                _ => self.write_metadata(id, record.bit, out)?,
            }
        }
        out.push(")");
        Ok(())
    }

    /// A piece of metadata by its number, as an element of a node.
    pub(crate) fn write_metadata(&mut self, id: u64, bit: u64, out: &mut Draft) -> Result<()> {
        let found = usize::try_from(id).ok().and_then(|id| self.metadata.get(id));
        let Some(found) = found.cloned() else {
            return Err(Fault::new(bit, format!("there is no metadata {id}")));
        };
        match found {
            Metadata::Text(text) => {
                let _ = write!(out, "!\"{}\"", escaped(&text));
            }
            Metadata::Value(ty, value) => self.write_typed(ty, value, bit, 0, out)?,
            Metadata::Node(number) => {
                let _ = write!(out, "!{number}");
            }
            Metadata::Expression(list) => out.push(&debug::expression_text(&list)),
            Metadata::Arguments(list) => {
                out.push("!DIArgList(");
                for (index, id) in list.into_iter().enumerate() {
                    out.push(if index == 0 { "" } else { ", " });
                    match self.metadata.get(id as usize).cloned() {
                        Some(Metadata::Value(ty, value)) => self.write_typed(ty, value, bit, 0, out)?,
                        _ => return Err(Fault::new(bit, "a list of values has something that is none")),
                    }
                }
                out.push(")");
            }
        }
        Ok(())
    }

    /// The attachments of pairs of a kind and a node, each after `between`.
    pub(crate) fn write_attachments(&mut self, pairs: &[u64], between: &str, bit: u64, out: &mut Draft) -> Result<()> {
        for pair in pairs.chunks_exact(2) {
            let Some(kind) = self.kinds.get(&pair[0]) else {
                return Err(Fault::new(bit, format!("there is no kind {} of metadata", pair[0])));
            };
            // Values of the function itself could be attached before LLVM 3.6.
            let found = usize::try_from(pair[1]).ok().and_then(|id| self.metadata.get(id));
            if let Some(Metadata::Value(..)) = found {
                continue;
            }
            let name = list_name(kind);
            let _ = write!(out, "{between}!{name} ");
            self.write_metadata(pair[1], bit, out)?;
        }
        Ok(())
    }

    /// The number of a node for a place in the source.
    pub(crate) fn location(&mut self, line: u64, column: u64, scope: u64, outer: u64, bit: u64) -> Result<u32> {
        let key = [line, column, scope, outer];
        if let Some(&known) = self.locations.get(&key) {
            return Ok(known);
        }
        let mut text = Draft::default();
        let _ = write!(text, "!DILocation(line: {line}, column: {column}, scope: ");
        match scope.checked_sub(1) {
            None => text.push("null"),
            Some(id) => self.write_metadata(id, bit, &mut text)?,
        }
        if let Some(id) = outer.checked_sub(1) {
            text.push(", inlinedAt: ");
            self.write_metadata(id, bit, &mut text)?;
        }
        text.push(")");
        let number = self.next_node;
        self.next_node = self.next_node.saturating_add(1);
        self.nodes.push((number, text));
        self.locations.insert(key, number);
        Ok(number)
    }
}

fn separate(is_first: &mut bool, field: &str, out: &mut Draft) {
    out.push(if *is_first { "" } else { ", " });
    *is_first = false;
    if !field.is_empty() {
        out.push(field);
        out.push(": ");
    }
}

fn short(record: &Record) -> Box<Fault> {
    let reason = format!("block METADATA, record {}: too short", record.code);
    Fault::new(record.bit, reason)
}

/// The name of a list of nodes or a kind, other characters than names have as `\XX`.
fn list_name(name: &[u8]) -> String {
    let quoted = quoted_name(name);
    if !quoted.starts_with('"') {
        return quoted;
    }
    name.iter().fold(String::new(), |mut text, &byte| {
        match byte.is_ascii_alphanumeric() || b"-$._".contains(&byte) {
            true => text.push(char::from(byte)),
            false => {
                let _ = write!(text, "\\{byte:02X}");
            }
        }
        text
    })
}

/// Whether a type is that of metadata as an argument.
pub(crate) fn is_metadata(ty: &Type) -> bool {
    *ty == METADATA
}
