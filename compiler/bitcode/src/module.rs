//! A module: what stands at its top, and the text of the whole.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use warpsmith_ir::quoted_name;

use crate::attributes::{Attributes, Owner, text};
use crate::codes::{
    GROUP_KINDS, STORAGE_CLASSES, THREAD_LOCAL, UNNAMED_ADDRESS, VISIBILITIES, block, convention, has_own_group,
    linkage, word,
};
use crate::constants::Constant;
use crate::draft::{Draft, Gap};
use crate::fault::{Fault, Result};
use crate::metadata::Metadata;
use crate::stream::{Block, Item, Record, Stream};
use crate::types::{Type, TypeId, Types, bytes};

/// Whether a function is wanted, by its name.
pub(crate) type Wanted<'w> = dyn Fn(&str) -> bool + 'w;

/// The most characters of a text, beyond so many for each byte of the file.
const LONGEST: usize = 16 << 20;
const LONGEST_FOR_BYTE: usize = 64;

/// A value: of a module, then of a function.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) ty: TypeId,
    pub(crate) kind: ValueKind,
}

#[derive(Debug)]
pub(crate) enum ValueKind {
    Symbol(usize),
    Constant(Constant),
    /// An argument or the result of an instruction.
    Local,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Variable,
    Alias,
    Indirect,
    Function,
}

/// A symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    sort: Sort,
    name: Vec<u8>,
    /// The name as it stands in the text.
    pub(crate) text: String,
    /// The number of it as a value.
    value: usize,
    /// The numbers of its record behind those of the name.
    numbers: Vec<u64>,
    bit: u64,
    /// The type of its values, or of the function.
    pub(crate) ty: TypeId,
    space: u64,
}

/// A module that is being read.
pub(crate) struct Reader<'s> {
    pub(crate) stream: &'s Stream<'s>,
    strings: &'s [u8],
    /// 0: values have numbers of their own; 1: they are counted back from the instruction; 2: names are in a table.
    pub(crate) version: u64,
    pub(crate) types: Types,
    pub(crate) values: Vec<Value>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) attributes: Attributes,
    pub(crate) metadata: Vec<Metadata>,
    pub(crate) kinds: FxHashMap<u64, Vec<u8>>,
    /// Nodes with their numbers, and lists of nodes.
    pub(crate) nodes: Vec<(u32, Draft)>,
    pub(crate) next_node: u32,
    /// Nodes that have no text yet.
    pub(crate) open_nodes: Vec<(u32, Record)>,
    pub(crate) lists: Vec<String>,
    /// Attachments of variables and declarations, by the number of the value.
    pub(crate) declared_attachments: Vec<(u64, Vec<u64>)>,
    pub(crate) locations: FxHashMap<[u64; 4], u32>,
    pub(crate) bundle_tags: Vec<String>,
    pub(crate) scopes: Vec<String>,
    /// The names of the blocks of functions, by the number of the function as a value.
    pub(crate) block_names: FxHashMap<u32, Vec<String>>,
    /// The space that local variables are in.
    pub(crate) local_space: u64,
    sections: Vec<String>,
    collectors: Vec<String>,
    groups: Vec<(Vec<u8>, u64)>,
    head: String,
    /// The functions that are named by what has been written, and those of them that have not been written themselves.
    is_named: Vec<bool>,
    open_functions: Vec<usize>,
    pub(crate) out: Draft,
    pub(crate) limit: usize,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(stream: &'s Stream<'s>, strings: &'s [u8], length: usize) -> Reader<'s> {
        Reader {
            stream,
            strings,
            version: 0,
            types: Types::default(),
            values: Vec::new(),
            symbols: Vec::new(),
            attributes: Attributes::default(),
            metadata: Vec::new(),
            kinds: FxHashMap::default(),
            nodes: Vec::new(),
            next_node: 0,
            open_nodes: Vec::new(),
            lists: Vec::new(),
            declared_attachments: Vec::new(),
            locations: FxHashMap::default(),
            bundle_tags: Vec::new(),
            scopes: Vec::new(),
            block_names: FxHashMap::default(),
            local_space: 0,
            sections: Vec::new(),
            collectors: Vec::new(),
            groups: Vec::new(),
            head: String::new(),
            is_named: Vec::new(),
            open_functions: Vec::new(),
            out: Draft::default(),
            limit: LONGEST.saturating_add(length.saturating_mul(LONGEST_FOR_BYTE)),
        }
    }

    /// The text of a module: of all of it, or of the functions that are wanted by their names and of what these need.
    pub(crate) fn read(mut self, module: &Block, wanted: Option<&Wanted<'_>>) -> Result<String> {
        let mut functions = Vec::new();
        for item in &module.items {
            match item {
                Item::Record(record) => self.record(record)?,
                Item::Block(inner) if inner.id == block::FUNCTION => functions.push(inner),
                Item::Block(inner) => self.inner(inner)?,
            }
        }
        self.name_symbols();
        self.is_named = vec![false; self.symbols.len()];
        self.write_nodes()?;
        self.write_head(module.bit)?;
        for sort in [Sort::Variable, Sort::Alias, Sort::Indirect] {
            for index in 0..self.symbols.len() {
                match sort {
                    _ if self.symbols[index].sort != sort => {}
                    Sort::Variable => self.variable(index)?,
                    Sort::Alias | Sort::Indirect | Sort::Function => self.alias(index)?,
                }
            }
        }
        let bodies = self.bodies(functions)?;
        match wanted {
            None => {
                for index in 0..self.symbols.len() {
                    if self.symbols[index].sort == Sort::Function {
                        self.function(index, bodies.get(&index).copied())?;
                    }
                }
            }
            Some(wanted) => self.needed_functions(&bodies, wanted)?,
        }
        self.write_tail(module.bit)?;
        self.close(module.bit)
    }

    /// The body of each function that has one: they stand in the order of the functions.
    fn bodies<'b>(&self, blocks: Vec<&'b Block>) -> Result<FxHashMap<usize, &'b Block>> {
        let defined: Vec<usize> = (0..self.symbols.len())
            .filter(|&index| {
                let symbol = &self.symbols[index];
                symbol.sort == Sort::Function && symbol.numbers.get(2).is_none_or(|&flag| flag == 0)
            })
            .collect();
        match (blocks.get(defined.len()), defined.get(blocks.len())) {
            (Some(extra), _) => Err(Fault::new(
                extra.bit,
                "there is a body more than functions that have one",
            )),
            (_, Some(&index)) => Err(Fault::new(self.symbols[index].bit, "a function has no body")),
            (None, None) => Ok(defined.into_iter().zip(blocks).collect()),
        }
    }

    /// The functions that are wanted by their names, and all that they name.
    fn needed_functions(&mut self, bodies: &FxHashMap<usize, &Block>, wanted: &Wanted<'_>) -> Result<()> {
        for &index in bodies.keys() {
            if std::str::from_utf8(&self.symbols[index].name).is_ok_and(wanted) {
                self.note_named(index);
            }
        }
        let mut pieces: Vec<(usize, Draft)> = Vec::new();
        let whole = std::mem::take(&mut self.out);
        while let Some(index) = self.open_functions.pop() {
            self.function(index, bodies.get(&index).copied())?;
            pieces.push((index, std::mem::take(&mut self.out)));
        }
        self.out = whole;
        pieces.sort_by_key(|(index, _)| *index);
        for (_, piece) in pieces {
            piece.fill(&mut self.out, |_| None);
        }
        Ok(())
    }

    /// Notes that what has been written names a symbol.
    pub(crate) fn note_named(&mut self, index: usize) {
        if let Some(is_named) = self.is_named.get_mut(index)
            && !*is_named
            && self.symbols[index].sort == Sort::Function
        {
            *is_named = true;
            self.open_functions.push(index);
        }
    }

    /// Fills the gaps that are left.
    fn close(self, bit: u64) -> Result<String> {
        let mut whole = Draft::default();
        let names = &self.block_names;
        self.out.fill(&mut whole, |gap| match gap {
            Gap::BlockOf { function, block } => names.get(&function)?.get(block as usize).map(String::as_str),
            Gap::Value(_) | Gap::Block(_) => None,
        });
        let left = whole.gaps().next();
        match left {
            None => Ok(whole.text),
            Some(Gap::BlockOf { .. }) => Err(Fault::new(bit, "the address of a block is taken that there is none of")),
            Some(Gap::Value(id)) => Err(Fault::new(
                bit,
                format!("the value {id} is used where it is not defined"),
            )),
            Some(Gap::Block(id)) => Err(Fault::new(bit, format!("there is no block {id}"))),
        }
    }

    fn record(&mut self, record: &Record) -> Result<()> {
        let numbers = self.stream.numbers(record);
        match record.code {
            1 => match numbers {
                [version @ 0..=2, ..] => self.version = *version,
                _ => return Err(Fault::new(record.bit, "block MODULE: the version is 0 to 2")),
            },
            2 => {
                let _ = writeln!(self.head, "target triple = \"{}\"", text(self.stream, record));
            }
            3 => {
                let layout = text(self.stream, record);
                let space = layout.split('-').find_map(|part| part.strip_prefix('A')?.parse().ok());
                self.local_space = space.unwrap_or(0);
                let _ = writeln!(self.head, "target datalayout = \"{layout}\"");
            }
            4 => {
                let assembly = bytes(numbers);
                for line in assembly.split(|&byte| byte == b'\n') {
                    let _ = writeln!(self.head, "module asm \"{}\"", warpsmith_ir::escaped(line));
                }
            }
            5 => self.sections.push(text(self.stream, record)),
            7 => self.symbol(Sort::Variable, record, numbers)?,
            8 => self.symbol(Sort::Function, record, numbers)?,
            9 | 14 => self.symbol(Sort::Alias, record, numbers)?,
            11 => self.collectors.push(text(self.stream, record)),
            12 => self.group(record, numbers)?,
            16 => {
                let _ = writeln!(self.head, "source_filename = \"{}\"", text(self.stream, record));
            }
            18 => self.symbol(Sort::Indirect, record, numbers)?,
            // Libraries, offsets and hashes; LLVM passes over all that it does not know.
            _ => {}
        }
        Ok(())
    }

    fn inner(&mut self, inner: &Block) -> Result<()> {
        let texts = |reader: &Reader<'_>| {
            let records = inner.items.iter().filter_map(|item| match item {
                Item::Record(record) if record.code == 1 => Some(text(reader.stream, record)),
                Item::Record(_) | Item::Block(_) => None,
            });
            records.collect::<Vec<_>>()
        };
        match inner.id {
            block::TYPES => self.types.read(self.stream, inner),
            block::ATTRIBUTE_GROUPS => self.attributes.read_groups(self.stream, inner),
            block::ATTRIBUTES => self.attributes.read_lists(self.stream, inner),
            block::CONSTANTS => self.read_constants(inner),
            block::METADATA => self.read_metadata(inner),
            block::METADATA_KINDS => {
                self.read_kinds(inner);
                Ok(())
            }
            block::VALUE_NAMES => {
                self.value_names(inner);
                Ok(())
            }
            block::BUNDLE_TAGS => {
                self.bundle_tags = texts(self);
                Ok(())
            }
            block::SCOPES => {
                self.scopes = texts(self);
                Ok(())
            }
            // Orders of uses, summaries, and what newer versions may add: LLVM passes over them.
            _ => Ok(()),
        }
    }

    /// A name in the table of strings, and the numbers behind it.
    fn named<'n>(&self, record: &Record, numbers: &'n [u64]) -> Result<(Vec<u8>, &'n [u64])> {
        if self.version < 2 {
            return Ok((Vec::new(), numbers));
        }
        let [offset, length, rest @ ..] = numbers else {
            return Err(short(record));
        };
        let from = usize::try_from(*offset).ok();
        let end = offset.checked_add(*length).and_then(|end| usize::try_from(end).ok());
        let name = from.zip(end).and_then(|(from, end)| self.strings.get(from..end));
        match name {
            Some(name) => Ok((name.to_vec(), rest)),
            None => Err(Fault::new(
                record.bit,
                "the name of a symbol is not in the table of strings",
            )),
        }
    }

    fn group(&mut self, record: &Record, numbers: &[u64]) -> Result<()> {
        let (name, rest) = self.named(record, numbers)?;
        let (kind, name) = match (self.version, rest) {
            (2, [kind, ..]) => (*kind, name),
            // The length of the name, then its characters.
            (0 | 1, [kind, _, name @ ..]) => (*kind, bytes(name)),
            _ => return Err(short(record)),
        };
        self.groups.push((name, kind));
        Ok(())
    }

    fn symbol(&mut self, sort: Sort, record: &Record, numbers: &[u64]) -> Result<()> {
        let (name, rest) = self.named(record, numbers)?;
        let stated = rest.first().and_then(|&ty| TypeId::try_from(ty).ok());
        let stated = stated.filter(|&ty| (ty as usize) < self.types.len());
        let Some(stated) = stated else {
            return Err(Fault::new(record.bit, "block MODULE: a symbol has no type"));
        };
        let flags = rest.get(1).copied().unwrap_or(0);
        let is_pointer = matches!(self.types.get(stated), Type::Pointer { .. });
        // Older files have the type of the address in place of that of the value.
        let (ty, space) = match sort {
            Sort::Variable if flags & 2 != 0 => (stated, flags >> 2),
            Sort::Function if !is_pointer => (stated, rest.get(16).copied().unwrap_or(0)),
            Sort::Alias if record.code == 14 => (stated, flags),
            Sort::Indirect => (stated, flags),
            Sort::Variable | Sort::Function | Sort::Alias => {
                let pointee = self.types.pointee(stated);
                let pointee = pointee.ok_or_else(|| Fault::new(record.bit, "a symbol has the type of no address"))?;
                (pointee, self.types.space(stated).unwrap_or(0))
            }
        };
        if sort == Sort::Function && !matches!(self.types.get(ty), Type::Function { .. }) {
            return Err(Fault::new(record.bit, "a function has the type of none"));
        }
        let address = self.types.pointer_to(ty, space);
        self.symbols.push(Symbol {
            sort,
            name,
            text: String::new(),
            value: self.values.len(),
            numbers: rest.to_vec(),
            bit: record.bit,
            ty,
            space,
        });
        self.values.push(Value {
            ty: address,
            kind: ValueKind::Symbol(self.symbols.len() - 1),
        });
        Ok(())
    }

    /// The names of symbols, in files that have no table of strings.
    fn value_names(&mut self, inner: &Block) {
        if self.version == 2 {
            return;
        }
        for item in &inner.items {
            let Item::Record(record) = item else { continue };
            let (value, name) = match (record.code, self.stream.numbers(record)) {
                (1, [value, name @ ..]) | (3, [value, _, name @ ..]) => (*value, name),
                _ => continue,
            };
            let kind = usize::try_from(value).ok().and_then(|value| self.values.get(value));
            if let Some(ValueKind::Symbol(index)) = kind.map(|value| &value.kind) {
                self.symbols[*index].name = bytes(name);
            }
        }
    }

    /// Gives each symbol its name in the text; those without are counted.
    fn name_symbols(&mut self) {
        let mut next = 0;
        for sort in [Sort::Variable, Sort::Alias, Sort::Indirect, Sort::Function] {
            for symbol in self.symbols.iter_mut().filter(|symbol| symbol.sort == sort) {
                symbol.text = match symbol.name.is_empty() {
                    false => format!("@{}", quoted_name(&symbol.name)),
                    true => {
                        next += 1;
                        format!("@{}", next - 1)
                    }
                };
            }
        }
    }

    fn write_head(&mut self, bit: u64) -> Result<()> {
        self.out.push(&self.head);
        // Before there were groups, some linkages were of one.
        let own: Vec<(Vec<u8>, u64)> = self
            .symbols
            .iter()
            .filter(|symbol| symbol.group(&self.groups).is_some_and(|(_, is_own)| is_own))
            .map(|symbol| (symbol.name.clone(), 1))
            .collect();
        for (name, kind) in self.groups.iter().chain(&own) {
            let kind = word(GROUP_KINDS, *kind).unwrap_or("any");
            let _ = writeln!(self.out, "${} = comdat {kind}", quoted_name(name));
        }
        let definitions = self.types.definitions(bit)?;
        self.out.push(&definitions);
        Ok(())
    }

    fn variable(&mut self, index: usize) -> Result<()> {
        let symbol = &self.symbols[index];
        let (ty, space, bit, value) = (symbol.ty, symbol.space, symbol.bit, symbol.value);
        let numbers = symbol.numbers.clone();
        let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
        let mut out = Draft::default();
        let _ = write!(out, "{} = ", symbol.text);
        let initializer = at(2).checked_sub(1);
        out.push(&linkage_words(at(3), initializer.is_none()));
        out.push(&visibility_words(at(3), at(6)));
        for (words, number) in [
            (STORAGE_CLASSES, at(10)),
            (THREAD_LOCAL, at(7)),
            (UNNAMED_ADDRESS, at(8)),
        ] {
            out.push(word(words, number).unwrap_or(""));
        }
        if space != 0 {
            let _ = write!(out, "addrspace({space}) ");
        }
        out.push(if at(9) != 0 { "externally_initialized " } else { "" });
        out.push(if at(1) & 1 != 0 { "constant " } else { "global " });
        match initializer {
            None => out.push(self.types.text(ty, bit)?),
            Some(id) => self.write_typed(ty, id.min(u64::from(u32::MAX)) as u32, bit, 0, &mut out)?,
        }
        self.placement(index, at(5), ", ", &mut out)?;
        if let Some(exponent) = at(4).checked_sub(1) {
            let _ = write!(out, ", align {}", power(exponent, bit)?);
        }
        self.write_declared(value, ", ", bit, &mut out)?;
        self.finish_line(out);
        Ok(())
    }

    /// The section and the group.
    fn placement(&self, index: usize, section: u64, between: &str, out: &mut Draft) -> Result<()> {
        let symbol = &self.symbols[index];
        if let Some(number) = section.checked_sub(1) {
            let name = usize::try_from(number)
                .ok()
                .and_then(|number| self.sections.get(number));
            let name = name.ok_or_else(|| Fault::new(symbol.bit, "there is no such section"))?;
            let _ = write!(out, "{between}section \"{name}\"");
        }
        if let Some((name, _)) = symbol.group(&self.groups) {
            let _ = write!(out, "{between}comdat(${})", quoted_name(name));
        }
        Ok(())
    }

    fn write_declared(&mut self, value: usize, between: &str, bit: u64, out: &mut Draft) -> Result<()> {
        let found = self
            .declared_attachments
            .iter()
            .find(|(number, _)| *number == value as u64);
        match found.map(|(_, pairs)| pairs.clone()) {
            Some(pairs) => self.write_attachments(&pairs, between, bit, out),
            None => Ok(()),
        }
    }

    fn finish_line(&mut self, line: Draft) {
        line.fill(&mut self.out, |_| None);
        self.out.push("\n");
    }

    fn alias(&mut self, index: usize) -> Result<()> {
        let symbol = &self.symbols[index];
        let (ty, bit, sort) = (symbol.ty, symbol.bit, symbol.sort);
        let address = self.values[symbol.value].ty;
        let numbers = symbol.numbers.clone();
        // Older files have no address space.
        let is_new = matches!(
            self.types.get(numbers.first().map_or(0, |&ty| ty as TypeId)),
            Type::Pointer { pointee: Some(_), .. }
        ) && self.types.pointee(numbers[0] as TypeId) == Some(ty);
        let skip = usize::from(!is_new);
        let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
        let mut out = Draft::default();
        let _ = write!(out, "{} = ", symbol.text);
        out.push(&linkage_words(at(2 + skip), false));
        out.push(&visibility_words(at(2 + skip), at(3 + skip)));
        if sort == Sort::Alias {
            for (words, number) in [
                (STORAGE_CLASSES, at(4 + skip)),
                (THREAD_LOCAL, at(5 + skip)),
                (UNNAMED_ADDRESS, at(6 + skip)),
            ] {
                out.push(word(words, number).unwrap_or(""));
            }
        }
        out.push(if sort == Sort::Alias { "alias " } else { "ifunc " });
        out.push(self.types.text(ty, bit)?);
        out.push(", ");
        let target = at(1 + skip).min(u64::from(u32::MAX)) as u32;
        let address = self.known_type(target).unwrap_or(address);
        self.write_typed(address, target, bit, 0, &mut out)?;
        self.finish_line(out);
        Ok(())
    }

    /// The first line of a function, and its body if it has one.
    fn function(&mut self, index: usize, body: Option<&Block>) -> Result<()> {
        let symbol = &self.symbols[index];
        let (ty, bit, value) = (symbol.ty, symbol.bit, symbol.value);
        let numbers = symbol.numbers.clone();
        let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
        let is_defined = body.is_some();
        let mut head = Draft::default();
        head.push(if is_defined { "define " } else { "declare " });
        if !is_defined {
            self.write_declared(value, "", bit, &mut head)?;
            head.push(if head.text.ends_with(' ') { "" } else { " " });
        }
        head.push(&linkage_words(at(3), false));
        head.push(&visibility_words(at(3), at(7)));
        head.push(word(STORAGE_CLASSES, at(11)).unwrap_or(""));
        head.push(&convention(at(1)));
        self.signature(index, at(4), is_defined, &mut head)?;
        if let Some(words) = word(UNNAMED_ADDRESS, at(9)) {
            let _ = write!(head, " {}", words.trim_end());
        }
        if self.attributes.has_function(at(4)) {
            let _ = write!(head, " #{}", at(4));
        }
        self.placement(index, at(6), " ", &mut head)?;
        if let Some(exponent) = at(5).checked_sub(1) {
            let _ = write!(head, " align {}", power(exponent, bit)?);
        }
        if let Some(number) = at(8).checked_sub(1) {
            let name = usize::try_from(number)
                .ok()
                .and_then(|number| self.collectors.get(number));
            let _ = write!(head, " gc \"{}\"", name.map_or("", String::as_str));
        }
        for (words, number) in [(" prefix ", at(13)), (" prologue ", at(10)), (" personality ", at(14))] {
            if let Some(id) = number.checked_sub(1) {
                head.push(words);
                let id = id.min(u64::from(u32::MAX)) as u32;
                let ty = self
                    .known_type(id)
                    .ok_or_else(|| Fault::new(bit, "a function has data that there is none of"))?;
                self.write_typed(ty, id, bit, 0, &mut head)?;
            }
        }
        self.out.push("\n");
        match body {
            None => {
                self.finish_line(head);
                Ok(())
            }
            Some(body) => self.body(value as u32, ty, head, body),
        }
    }

    /// The type of the result, the name and the parameters.
    fn signature(&mut self, index: usize, list: u64, is_defined: bool, head: &mut Draft) -> Result<()> {
        let (ty, bit) = (self.symbols[index].ty, self.symbols[index].bit);
        let Type::Function {
            result,
            parameters,
            variadic,
        } = self.types.get(ty).clone()
        else {
            return Err(Fault::new(bit, "a function has the type of none"));
        };
        let of_result = self.attributes.text(list, Owner::Result, &mut self.types, bit)?;
        head.push(of_result.trim_start());
        head.push(if of_result.is_empty() { "" } else { " " });
        head.push(self.types.text(result, bit)?);
        let _ = write!(head, " {}(", self.symbols[index].text);
        let first = self.values.len() as u32;
        for (number, &parameter) in parameters.iter().enumerate() {
            head.push(if number == 0 { "" } else { ", " });
            head.push(self.types.text(parameter, bit)?);
            let owner = Owner::Parameter(number as u32);
            head.push(&self.attributes.text(list, owner, &mut self.types, bit)?);
            if is_defined {
                head.push(" ");
                head.gap(Gap::Value(first + number as u32));
            }
        }
        if variadic {
            head.push(if parameters.is_empty() { "..." } else { ", ..." });
        }
        head.push(")");
        Ok(())
    }

    fn write_tail(&mut self, bit: u64) -> Result<()> {
        self.out.push("\n");
        for list in 1..=self.attributes.count() as u64 {
            let text = self.attributes.text(list, Owner::Function, &mut self.types, bit)?;
            if !text.is_empty() {
                let _ = writeln!(self.out, "attributes #{list} = {{{text} }}");
            }
        }
        for list in std::mem::take(&mut self.lists) {
            self.out.push(&list);
            self.out.push("\n");
        }
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.sort_by_key(|(number, _)| *number);
        for (number, text) in nodes {
            let _ = write!(self.out, "!{number} = ");
            self.finish_line(text);
        }
        Ok(())
    }
}

impl Symbol {
    /// The group that it is in, and whether it is one of its own that the file does not name.
    fn group<'g>(&'g self, groups: &'g [(Vec<u8>, u64)]) -> Option<(&'g [u8], bool)> {
        let at = |index: usize| self.numbers.get(index).copied();
        let (number, linkage) = match self.sort {
            Sort::Variable => (at(11), at(3)),
            Sort::Function => (at(12), at(3)),
            Sort::Alias | Sort::Indirect => return None,
        };
        match number {
            Some(number) => {
                let index = usize::try_from(number.checked_sub(1)?).ok()?;
                groups.get(index).map(|(name, _)| (name.as_slice(), false))
            }
            None => linkage
                .is_some_and(has_own_group)
                .then_some((self.name.as_slice(), true)),
        }
    }
}

/// The word for a linkage with a space behind it; declarations of variables have one in any case.
fn linkage_words(number: u64, is_declaration: bool) -> String {
    match (linkage(number), is_declaration) {
        ("extern_weak", _) => "extern_weak ".to_owned(),
        (_, true) => "external ".to_owned(),
        ("", false) => String::new(),
        (word, false) => format!("{word} "),
    }
}

/// The word for a visibility; symbols that nobody else sees have none.
fn visibility_words(linkage_number: u64, number: u64) -> String {
    match linkage(linkage_number) {
        "internal" | "private" => String::new(),
        _ => word(VISIBILITIES, number).unwrap_or("").to_owned(),
    }
}

/// An alignment by its exponent.
pub(crate) fn power(exponent: u64, bit: u64) -> Result<u64> {
    match exponent {
        0..=32 => Ok(1 << exponent),
        _ => Err(Fault::new(bit, "an alignment is at most 2^32")),
    }
}

fn short(record: &Record) -> Box<Fault> {
    let reason = format!("block MODULE, record {}: too short", record.code);
    Fault::new(record.bit, reason)
}
