//! Agreement of the interpreter of PTX and the emulator of machine code: PTX runs in the one, what ptxas makes of it in the other, and the memory
//! that both leave is compared.
//!
//! **What enters**: the kernel suite, or instructions ([`snippets`]). **What leaves**: counts by SM and each difference. ptxas is the
//! only tool needed; its cubins can be kept in a folder, and then are not made again.

pub mod body;
pub mod corpus;
pub mod distances;
pub mod encodings;
pub mod habits;
pub mod hazards;
pub mod kernels;
pub mod ptxas;
pub mod snippets;
pub mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs something that must not panic; a panic is an error of its own.
pub fn guarded<T>(what: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(format!("panic: {text}"))
    })
}

/// The reason of a failure in few words, so that equal ones can be counted: the instruction that is missing, or the first line.
pub fn reason(message: &str) -> String {
    if let Some((_, rest)) = message.split_once("emulator does not implement ") {
        let text = rest.split([';', '(']).next().unwrap_or(rest);
        let guarded = text.trim_start_matches(['@', '!']);
        let opcode = match guarded.len() == text.len() {
            true => text.split_whitespace().next(),
            false => text.split_whitespace().nth(1),
        };
        return format!("not implemented: {}", opcode.unwrap_or(text));
    }
    let line = message.lines().next().unwrap_or_default();
    let line = line.split_once("error: ").map_or(line, |(_, rest)| rest);
    // Without the file's name.
    line.split_once(": ")
        .filter(|(name, _)| name.contains('/'))
        .map_or(line, |(_, rest)| rest)
        .to_owned()
}
