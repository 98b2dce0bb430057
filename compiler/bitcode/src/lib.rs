//! LLVM's bitcode: bitstreams, and modules in them as LLVM's assembly.
//!
//! What enters: a file of bitcode, of LLVM 3 to 22, with typed or opaque pointers, bare or behind the head of a wrapper. What leaves: the assembly of each module
//! in it, as `llvm-dis` would write it but for spaces, comments and the numbers of nodes. The IR's own reader reads that, so that what older forms have become is
//! known in one place, whatever the file was.
//!
//! # The parts
//!
//! * `stream`: the bits. Blocks, records, abbreviations and bytes, whatever they mean.
//! * `codes`, `debug_words`: tables of the words for numbers.
//! * `types`, `attributes`, `constants`, `metadata`, `debug`, `module`, `function`, `instructions`: what the records of each block mean.
//! * `draft`: text with gaps, as names of values and blocks stand behind the body that uses them.
//!
//! # What is refused
//!
//! Records that are not known are errors that name block and code, but where LLVM's own reader passes over them: at the top of a module, in metadata, and whole
//! blocks. A file that is damaged is an error with its place. Nothing panics, and what is written is bound by the size of the file.

mod attributes;
mod codes;
mod constants;
mod debug;
mod debug_words;
mod draft;
mod fault;
mod function;
mod instructions;
mod metadata;
mod module;
mod stream;
mod types;
mod write;

use warpsmith_base::Diagnostic;

pub use write::write;

use codes::block;
use fault::{Fault, Result};
use module::{Reader, Wanted};
use stream::{Block, Item};

/// How bitcode begins, and how the head of a wrapper does.
const MAGIC: [u8; 4] = *b"BC\xc0\xde";
const WRAPPER: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Whether bytes begin as bitcode does.
///
/// ```
/// assert!(warpsmith_bitcode::is_bitcode(b"BC\xc0\xde\x35\x14\x00\x00"));
/// assert!(!warpsmith_bitcode::is_bitcode(b"define void @f() {"));
/// ```
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&WRAPPER)
}

/// The assembly of the modules in a file of bitcode, in their order.
///
/// # Errors
/// What is wrong with the file, with the byte at which it is.
#[allow(clippy::result_large_err)]
pub fn assembly(name: &str, bytes: &[u8]) -> std::result::Result<Vec<String>, Diagnostic> {
    modules(bytes, None).map_err(|fault| fault.shown(name))
}

/// The same with those functions alone that are wanted by their names, and what these need: for libraries.
///
/// # Errors
/// As of [`assembly`], but for what is wrong in other functions.
#[allow(clippy::result_large_err)]
pub fn assembly_of(
    name: &str,
    bytes: &[u8],
    wanted: &dyn Fn(&str) -> bool,
) -> std::result::Result<Vec<String>, Diagnostic> {
    modules(bytes, Some(wanted)).map_err(|fault| fault.shown(name))
}

fn modules(bytes: &[u8], wanted: Option<&Wanted<'_>>) -> Result<Vec<String>> {
    let (start, bytes) = unwrapped(bytes)?;
    if u32::try_from(bytes.len()).is_err() {
        return Err(Fault::new(0, "bitcode has less than 2^32 bytes here"));
    }
    let stream = stream::read(bytes, start + MAGIC.len())?;
    let mut texts = Vec::new();
    for (index, module) in stream.blocks.iter().enumerate() {
        match module.id {
            block::MODULE => {
                // The table of strings that follows, if no other module comes before it.
                let after = &stream.blocks[index + 1..];
                let strings = after
                    .iter()
                    .find(|other| other.id == block::STRINGS)
                    .map(|table| strings(&stream, table));
                let reader = Reader::new(&stream, strings.unwrap_or_default(), bytes.len());
                texts.push(reader.read(module, wanted)?);
            }
            block::IDENTIFICATION => epoch(&stream, module)?,
            // Tables of strings and symbols, and what newer versions may add.
            _ => {}
        }
    }
    match texts.is_empty() {
        true => Err(Fault::new(0, "there is no module in this file")),
        false => Ok(texts),
    }
}

/// Where the bitcode starts, and the bytes up to its end.
fn unwrapped(bytes: &[u8]) -> Result<(usize, &[u8])> {
    if bytes.starts_with(&MAGIC) {
        return Ok((0, bytes));
    }
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|word| <[u8; 4]>::try_from(word).ok());
        word.map(u32::from_le_bytes)
    };
    let is_wrapped = bytes.starts_with(&WRAPPER);
    let Some((offset, size)) = word(8).zip(word(12)).filter(|_| is_wrapped) else {
        return Err(Fault::new(0, "this does not begin as bitcode does"));
    };
    let (offset, size) = (offset as usize, size as usize);
    let inner = offset.checked_add(size).and_then(|end| bytes.get(..end));
    match inner {
        Some(inner) if inner.get(offset..).is_some_and(|code| code.starts_with(&MAGIC)) => Ok((offset, inner)),
        _ => Err(Fault::new(64, "the head says that bitcode is where it is not")),
    }
}

fn strings<'s>(stream: &'s stream::Stream<'_>, table: &Block) -> &'s [u8] {
    let record = table.items.iter().find_map(|item| match item {
        Item::Record(record) if record.code == 1 => Some(record),
        Item::Record(_) | Item::Block(_) => None,
    });
    record.map_or(&[], |record| stream.blob(record))
}

/// Refuses a file of another epoch: all its records may mean something else.
fn epoch(stream: &stream::Stream<'_>, identification: &Block) -> Result<()> {
    for item in &identification.items {
        if let Item::Record(record) = item
            && record.code == 2
            && stream.numbers(record).first().is_some_and(|&epoch| epoch != 0)
        {
            return Err(Fault::new(record.bit, "this is bitcode of an epoch that is not known"));
        }
    }
    Ok(())
}
