//! Names of values and blocks in the text.

use rustc_hash::FxHashMap;

use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::Value;
use crate::text::Dialect;
use crate::types::Type;

/// The names of one function's values and blocks, without the sigil, quoted where needed. Names that were given come first, made different
/// by a number where they are not; all else is numbered in the order of the text, as LLVM's reader wants.
#[derive(Debug)]
pub(crate) struct Names {
    arguments: Vec<String>,
    blocks: Vec<String>,
    instructions: Vec<String>,
}

impl Names {
    pub(crate) fn new(function: &Function, dialect: Dialect) -> Names {
        let mut used = FxHashMap::default();
        let mut number = 0u32;
        let mut name = |given: Option<&str>| match given {
            Some(given) if !given.is_empty() && !given.bytes().all(|byte| byte.is_ascii_digit()) => {
                unique(given, &mut used)
            }
            _ => {
                number += 1;
                (number - 1).to_string()
            }
        };
        let parameters = 0..function.parameters().len() as u32;
        let arguments = parameters.map(|index| match (function.name(Value::Argument(index)), dialect) {
            // LLVM 7 does not read numbers as names of parameters.
            (None, Dialect::Llvm7) => name(Some(&format!("argument.{index}"))),
            (given, _) => name(given),
        });
        let arguments = arguments.collect();
        let mut blocks = vec![String::new(); function.block_limit()];
        let mut instructions = vec![String::new(); function.instruction_limit()];
        for block in function.blocks() {
            blocks[block.index()] = name(function.block_name(block));
            for id in function.instructions(block) {
                if function.result_type(id) != Type::Void {
                    instructions[id.index()] = name(function.name(Value::Instruction(id)));
                }
            }
        }
        Names {
            arguments,
            blocks,
            instructions,
        }
    }

    pub(crate) fn argument(&self, index: u32) -> &str {
        self.arguments.get(index as usize).map_or("?", |name| name)
    }

    pub(crate) fn block(&self, block: BlockId) -> &str {
        self.blocks
            .get(block.index())
            .filter(|name| !name.is_empty())
            .map_or("?", |name| name)
    }

    pub(crate) fn instruction(&self, id: InstructionId) -> &str {
        self.instructions
            .get(id.index())
            .filter(|name| !name.is_empty())
            .map_or("?", |name| name)
    }
}

/// A name that no other has. `used` has for each name the last number that was tried behind it.
fn unique(given: &str, used: &mut FxHashMap<String, u32>) -> String {
    let mut candidate = given.to_owned();
    while used.contains_key(&candidate) {
        let last = used.entry(given.to_owned()).or_insert(0);
        *last += 1;
        candidate = format!("{given}.{last}");
    }
    used.insert(candidate.clone(), 0);
    quoted_name(&candidate)
}

/// A name as the text has it behind its sigil: in quotation marks if it has other characters than names can have.
pub fn quoted_name(name: impl AsRef<[u8]>) -> String {
    let name = name.as_ref();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-$._".contains(byte);
    let starts_well = name.first().is_some_and(|byte| !byte.is_ascii_digit());
    match std::str::from_utf8(name) {
        Ok(text) if starts_well && name.iter().all(plain) => text.to_owned(),
        _ => format!("\"{}\"", escaped(name)),
    }
}

/// Bytes as the text has them between quotation marks: all but printable ASCII as `\XX`.
pub fn escaped(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\' {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "\\{byte:02X}");
        }
    }
    out
}
