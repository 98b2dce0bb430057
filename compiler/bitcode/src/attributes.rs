//! Attributes of functions, parameters and calls.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use warpsmith_ir::escaped;

use crate::codes::word;
use crate::fault::{Fault, Result};
use crate::stream::{Block, Item, Record, Stream};
use crate::types::{TypeId, Types, bytes};

/// The words of attributes by their numbers.
#[rustfmt::skip]
pub(crate) const WORDS: &[&str] = &[
    "", "align", "alwaysinline", "byval", "inlinehint", "inreg", "minsize", "naked", "nest", "noalias",
    "nobuiltin", "nocapture", "noduplicate", "noimplicitfloat", "noinline", "nonlazybind", "noredzone", "noreturn", "nounwind", "optsize",
    "readnone", "readonly", "returned", "returns_twice", "signext", "alignstack", "ssp", "sspreq", "sspstrong", "sret",
    "sanitize_address", "sanitize_thread", "sanitize_memory", "uwtable", "zeroext", "builtin", "cold", "optnone", "inalloca", "nonnull",
    "jumptable", "dereferenceable", "dereferenceable_or_null", "convergent", "safestack", "argmemonly", "swiftself", "swifterror", "norecurse", "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly", "allocsize", "writeonly", "speculatable", "strictfp", "sanitize_hwaddress", "nocf_check", "optforfuzzing", "shadowcallstack", "speculative_load_hardening",
    "immarg", "willreturn", "nofree", "nosync", "sanitize_memtag", "preallocated", "nomerge", "null_pointer_is_valid", "noundef", "byref",
    "mustprogress", "nocallback", "hot", "noprofile", "vscale_range", "swiftasync", "nosanitize_coverage", "elementtype", "disable_sanitizer_instrumentation", "nosanitize_bounds",
    "allocalign", "allocptr", "allockind", "presplitcoroutine", "fn_ret_thunk_extern", "skipprofile", "memory", "nofpclass", "optdebug", "writable",
    "coro_only_destroy_when_complete", "dead_on_unwind", "range", "sanitize_numerical_stability", "initializes", "hybrid_patchable", "sanitize_realtime", "sanitize_realtime_blocking", "coro_elide_safe", "noext",
    "nodivergencesource", "sanitize_type", "captures", "dead_on_return", "sanitize_alloc_token", "nocreateundeforpoison",
];

/// The words of attributes by the bits that they had before LLVM 3.3, alignments left out.
#[rustfmt::skip]
const OLD_BITS: &[(u32, &str)] = &[
    (0, "zeroext"), (1, "signext"), (2, "noreturn"), (3, "inreg"), (4, "sret"), (5, "nounwind"), (6, "noalias"), (7, "byval"), (8, "nest"),
    (9, "readnone"), (10, "readonly"), (11, "noinline"), (12, "alwaysinline"), (13, "optsize"), (14, "ssp"), (15, "sspreq"), (21, "nocapture"),
    (22, "noredzone"), (23, "noimplicitfloat"), (24, "naked"), (25, "inlinehint"), (29, "returns_twice"), (30, "uwtable"), (31, "nonlazybind"),
    (32, "sanitize_address"), (33, "minsize"), (34, "noduplicate"), (35, "sspstrong"), (36, "sanitize_thread"), (37, "sanitize_memory"),
    (38, "nobuiltin"), (39, "returned"), (40, "cold"), (41, "builtin"),
];

/// What attributes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Result,
    Parameter(u32),
    Function,
}

impl Owner {
    fn of(number: u64) -> Owner {
        match number as u32 {
            0 => Owner::Result,
            u32::MAX => Owner::Function,
            number => Owner::Parameter(number - 1),
        }
    }
}

#[derive(Clone, Debug)]
enum Attribute {
    Word(&'static str),
    Number(&'static str, u64),
    Type(&'static str, Option<TypeId>),
    Ranges {
        word: &'static str,
        bits: u64,
        ranges: Vec<(String, String)>,
    },
    Text(Vec<u8>, Option<Vec<u8>>),
}

#[derive(Clone, Debug)]
struct Group {
    owner: Owner,
    attributes: Vec<Attribute>,
}

/// The attributes of a module: lists of groups, by the numbers that functions and calls name them by.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    groups: FxHashMap<u64, Group>,
    lists: Vec<Vec<Group>>,
}

/// The numbers of a group, one after the other.
struct Numbers<'n> {
    list: &'n [u64],
    next: usize,
    bit: u64,
}

impl Numbers<'_> {
    fn next(&mut self) -> Result<u64> {
        let number = self.list.get(self.next).copied();
        self.next += 1;
        number.ok_or_else(|| Fault::new(self.bit, "block PARAMATTR_GROUP, record 3: too short"))
    }

    fn text(&mut self) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            match self.next()? {
                0 => return Ok(text),
                byte => text.push(byte as u8),
            }
        }
    }

    fn word(&mut self) -> Result<&'static str> {
        let number = self.next()?;
        word(WORDS, number).ok_or_else(|| {
            Fault::new(
                self.bit,
                format!("block PARAMATTR_GROUP, record 3: the attribute of number {number} is not known"),
            )
        })
    }

    /// Both ends of a range of integers of so many bits.
    fn range(&mut self, bits: u64) -> Result<(String, String)> {
        if bits <= 64 {
            return Ok((signed(self.next()?).to_string(), signed(self.next()?).to_string()));
        }
        let counts = self.next()?;
        let mut end = |words: u64| -> Result<String> {
            let list = (0..words)
                .map(|_| self.next().map(|word| signed(word) as u64))
                .collect::<Result<Vec<_>>>()?;
            Ok(decimal(&list, bits))
        };
        // More words than the record has are found missing.
        Ok((end(counts & 0xffff_ffff)?, end(counts >> 32)?))
    }
}

impl Attributes {
    /// Reads the groups.
    pub(crate) fn read_groups(&mut self, stream: &Stream<'_>, block: &Block) -> Result<()> {
        for item in &block.items {
            let Item::Record(record) = item else { continue };
            if record.code != 3 {
                return Err(unknown(record, "PARAMATTR_GROUP"));
            }
            let mut numbers = Numbers {
                list: stream.numbers(record),
                next: 0,
                bit: record.bit,
            };
            let number = numbers.next()?;
            let owner = Owner::of(numbers.next()?);
            let mut attributes = Vec::new();
            while numbers.next < numbers.list.len() {
                attributes.push(attribute(&mut numbers)?);
            }
            self.groups.insert(number, Group { owner, attributes });
        }
        Ok(())
    }

    /// Reads the lists.
    pub(crate) fn read_lists(&mut self, stream: &Stream<'_>, block: &Block) -> Result<()> {
        for item in &block.items {
            let Item::Record(record) = item else { continue };
            let numbers = stream.numbers(record);
            let list = match record.code {
                1 => numbers
                    .chunks_exact(2)
                    .map(|pair| old_group(pair[0], pair[1]))
                    .collect(),
                2 => numbers
                    .iter()
                    .filter_map(|number| self.groups.get(number).cloned())
                    .collect(),
                _ => return Err(unknown(record, "PARAMATTR")),
            };
            self.lists.push(list);
        }
        Ok(())
    }

    /// How many lists there are.
    pub(crate) fn count(&self) -> usize {
        self.lists.len()
    }

    /// Whether a list, counted from 1 on, says something of the function.
    pub(crate) fn has_function(&self, list: u64) -> bool {
        let index = list.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let list = index.and_then(|index| self.lists.get(index));
        list.is_some_and(|list| {
            list.iter()
                .any(|group| group.owner == Owner::Function && !group.attributes.is_empty())
        })
    }

    /// The attributes of an owner in a list, which is counted from 1 on, each after a space.
    pub(crate) fn text(&self, list: u64, owner: Owner, types: &mut Types, bit: u64) -> Result<String> {
        let mut out = String::new();
        let Some(index) = list.checked_sub(1) else {
            return Ok(out);
        };
        let Some(list) = usize::try_from(index).ok().and_then(|index| self.lists.get(index)) else {
            return Err(Fault::new(bit, "there is no such list of attributes"));
        };
        for group in list.iter().filter(|group| group.owner == owner) {
            for attribute in &group.attributes {
                out.push(' ');
                write_attribute(attribute, owner, types, bit, &mut out)?;
            }
        }
        Ok(out)
    }
}

fn unknown(record: &Record, block: &str) -> Box<Fault> {
    let reason = format!("block {block}: a record of code {} is not known", record.code);
    Fault::new(record.bit, reason)
}

fn attribute(numbers: &mut Numbers<'_>) -> Result<Attribute> {
    Ok(match numbers.next()? {
        0 => Attribute::Word(numbers.word()?),
        1 => Attribute::Number(numbers.word()?, numbers.next()?),
        3 => Attribute::Text(numbers.text()?, None),
        4 => Attribute::Text(numbers.text()?, Some(numbers.text()?)),
        5 => Attribute::Type(numbers.word()?, None),
        6 => {
            let word = numbers.word()?;
            Attribute::Type(word, Some(numbers.next()? as TypeId))
        }
        7 => {
            let word = numbers.word()?;
            let bits = numbers.next()?;
            Attribute::Ranges {
                word,
                bits,
                ranges: vec![numbers.range(bits)?],
            }
        }
        8 => {
            let word = numbers.word()?;
            let (count, bits) = (numbers.next()?, numbers.next()?);
            let ranges = (0..count).map(|_| numbers.range(bits)).collect::<Result<_>>()?;
            Attribute::Ranges { word, bits, ranges }
        }
        kind => {
            return Err(Fault::new(
                numbers.bit,
                format!("block PARAMATTR_GROUP, record 3: a kind {kind} of attribute is not known"),
            ));
        }
    })
}

/// What an attribute was before there were groups: a bit, and two alignments between the bits.
fn old_group(owner: u64, packed: u64) -> Group {
    let bits = (packed & (0xf_ffff << 32)) >> 11 | packed & 0xffff;
    let mut attributes = Vec::new();
    let align = packed >> 16 & 0xffff;
    if align != 0 {
        attributes.push(Attribute::Number("align", align));
    }
    let stack = bits >> 26 & 7;
    if stack != 0 {
        attributes.push(Attribute::Number("alignstack", 1 << (stack - 1)));
    }
    let set = OLD_BITS.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    attributes.extend(set.map(|(_, word)| Attribute::Word(word)));
    Group {
        owner: Owner::of(owner),
        attributes,
    }
}

fn write_attribute(attribute: &Attribute, owner: Owner, types: &mut Types, bit: u64, out: &mut String) -> Result<()> {
    let result = match attribute {
        Attribute::Word(word) | Attribute::Type(word, None) => write!(out, "{word}"),
        Attribute::Type(word, Some(ty)) => write!(out, "{word}({})", types.text(*ty, bit)?),
        Attribute::Text(key, None) => write!(out, "\"{}\"", escaped(key)),
        Attribute::Text(key, Some(value)) => write!(out, "\"{}\"=\"{}\"", escaped(key), escaped(value)),
        Attribute::Ranges { word, bits, ranges } if *word == "range" => {
            let (low, high) = ranges.first().cloned().unwrap_or_default();
            write!(out, "{word}(i{bits} {low}, {high})")
        }
        Attribute::Ranges { word, ranges, .. } => {
            let list: Vec<String> = ranges.iter().map(|(low, high)| format!("({low}, {high})")).collect();
            write!(out, "{word}({})", list.join(", "))
        }
        Attribute::Number(word @ ("align" | "alignstack"), number) if owner == Owner::Function => {
            write!(out, "{word}={number}")
        }
        Attribute::Number("align", number) => write!(out, "align {number}"),
        Attribute::Number("memory", number) => write!(out, "memory({})", memory(*number)),
        Attribute::Number("captures", number) => write!(out, "captures({})", captures(*number)),
        Attribute::Number("allocsize", number) => match *number as u32 {
            u32::MAX => write!(out, "allocsize({})", number >> 32),
            second => write!(out, "allocsize({}, {second})", number >> 32),
        },
        Attribute::Number("uwtable", number) => {
            out.push_str(if *number == 1 { "uwtable(sync)" } else { "uwtable" });
            Ok(())
        }
        Attribute::Number("vscale_range", number) => write!(out, "vscale_range({}, {})", number >> 32, *number as u32),
        Attribute::Number("allockind", number) => write!(out, "allockind(\"{}\")", allocation(*number)),
        Attribute::Number(word, number) => write!(out, "{word}({number})"),
    };
    debug_assert!(result.is_ok(), "writing to a string does not fail");
    Ok(())
}

fn allocation(bits: u64) -> String {
    const KINDS: [&str; 6] = ["alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"];
    let set = KINDS.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    set.map(|(_, kind)| *kind).collect::<Vec<_>>().join(",")
}

/// What may be done to memory: two bits for each place, of which later versions tell more apart.
fn memory(number: u64) -> String {
    let access = |index: u64| ["none", "read", "write", "readwrite"][(number >> (2 * index) & 3) as usize];
    let is_old = number >> 56 == 0;
    let rest = access(if is_old { 2 } else { 3 });
    let mut text = rest.to_owned();
    for (place, index) in [("argmem", 0), ("inaccessiblemem", 1)] {
        if access(index) != rest {
            let _ = write!(text, ", {place}: {}", access(index));
        }
    }
    if !is_old && access(2) != rest {
        let _ = write!(text, ", errnomem: {}", access(2));
    }
    text
}

/// What of an address may be kept, by others and through the result.
fn captures(number: u64) -> String {
    let parts = |bits: u64| {
        let mut parts = Vec::new();
        match bits & 3 {
            0 => {}
            1 => parts.push("address_is_null"),
            _ => parts.push("address"),
        }
        match bits >> 2 & 3 {
            0 => {}
            1 => parts.push("read_provenance"),
            _ => parts.push("provenance"),
        }
        match parts.is_empty() {
            true => "none".to_owned(),
            false => parts.join(", "),
        }
    };
    let (other, result) = (number >> 4 & 15, number & 15);
    match (other == result, other) {
        (true, _) => parts(other),
        (false, 0) => format!("ret: {}", parts(result)),
        (false, _) => format!("{}, ret: {}", parts(other), parts(result)),
    }
}

/// The number that a rotated one stands for: its sign is the lowest bit.
pub(crate) fn signed(number: u64) -> i64 {
    match number & 1 {
        0 => (number >> 1) as i64,
        // The least number of all.
        _ if number == 1 => i64::MIN,
        _ => -((number >> 1) as i64),
    }
}

/// An integer of so many bits by its words, as decimal digits.
pub(crate) fn decimal(words: &[u64], bits: u64) -> String {
    let count = (bits.div_ceil(64)).min(1 << 10) as usize;
    let fill = match words.last() {
        Some(&last) if last >> 63 == 1 && words.len() < count => u64::MAX,
        _ => 0,
    };
    let mut words: Vec<u64> = words
        .iter()
        .copied()
        .chain(std::iter::repeat(fill))
        .take(count)
        .collect();
    let over = (64 - bits % 64) % 64;
    let negative = words.last().is_some_and(|&last| last << over >> 63 == 1);
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    if let Some(last) = words.last_mut() {
        *last = *last << over >> over;
    }
    let mut digits = Vec::new();
    while words.iter().any(|&word| word != 0) {
        let mut rest = 0u128;
        for word in words.iter_mut().rev() {
            let value = rest << 64 | u128::from(*word);
            *word = (value / 10) as u64;
            rest = value % 10;
        }
        digits.push(b'0' + rest as u8);
    }
    if digits.is_empty() {
        digits.push(b'0');
    }
    if negative {
        digits.push(b'-');
    }
    digits.iter().rev().map(|&digit| char::from(digit)).collect()
}

/// The text that a record of characters is.
pub(crate) fn text(stream: &Stream<'_>, record: &Record) -> String {
    escaped(&bytes(stream.numbers(record)))
}
