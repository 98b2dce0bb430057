//! Listings of bare instruction words (`nvdisasm --binary`).

use std::fmt::Write as _;
use std::io::Write;

use warpsmith_cubin::{Cubin, SectionKind};
use warpsmith_sass::{Instruction, PlainText};
use warpsmith_target::{Isa, Sm, Suffix};

use crate::code::push_address;
use crate::error::ListingError;
use crate::nvdisasm::text::{GUARD, TEXT, guard_width, is_unscheduled, pad};
use crate::options::{ListingOptions, Style};

/// Bytes per instruction.
const INSTRUCTION: usize = 16;

/// Writes the listing of a run of instruction words that starts at address `base`.
///
/// In nvdisasm's style the text equals that of `nvdisasm --binary SMxx --base-address BASE`, header
/// lines included; in Warpsmith's own it has no header.
///
/// # Errors
/// Where the bytes are no whole number of words, a word is no instruction of `sm`, or the output cannot
/// be written. Every refused word is named.
pub fn disassemble_raw(
    sm: Sm,
    bytes: &[u8],
    base: u64,
    options: &ListingOptions,
    out: &mut dyn Write,
) -> Result<(), ListingError> {
    if !bytes.len().is_multiple_of(INSTRUCTION) {
        let size = bytes.len();
        return Err(ListingError::File(format!(
            "{size} bytes are no whole number of {INSTRUCTION}-byte instructions"
        )));
    }
    let mut text = String::new();
    if options.style == Style::Nvdisasm {
        // nvdisasm 13.5 prints the line twice.
        for _ in 0..2 {
            write_flags(sm, "EF_CUDA_64BIT_ADDRESS ", &mut text);
        }
    }
    let lines = decode(sm, bytes, base)?;
    let widest = widest(&lines);
    for line in &lines {
        write_line(line, widest, options, &mut text);
    }
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Writes the code sections of a cubin as `cuobjdump -sass` does: function by function in the order of the file, words beside their text,
/// places in code as plain addresses. `wanted` chooses functions by name; all where it is empty.
///
/// # Errors
/// As for [`disassemble_raw`].
pub fn dump_functions(cubin: &Cubin, sm: Sm, wanted: &[String], out: &mut dyn Write) -> Result<(), ListingError> {
    let options = ListingOptions {
        encodings: true,
        ..ListingOptions::nvdisasm()
    };
    let mut functions = Vec::new();
    for (index, section) in cubin.sections.iter().enumerate() {
        if let SectionKind::Text(name) = section.kind()
            && (wanted.is_empty() || wanted.iter().any(|one| one == name))
        {
            functions.push((name, decode(sm, cubin.section_bytes(index as u32).unwrap_or(&[]), 0)?));
        }
    }
    let widest = functions.iter().map(|(_, lines)| widest(lines)).max().unwrap_or(0);
    let mut text = format!("\n\tcode for {sm}\n\t.target\t{sm}\n\n");
    for (name, lines) in &functions {
        let _ = writeln!(text, "\t\tFunction : {name}");
        write_flags(sm, "", &mut text);
        for line in lines {
            write_line(line, widest, &options, &mut text);
        }
        text.push_str("\t\t..........\n\n\n");
    }
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// An instruction of a listing.
struct Line {
    address: u64,
    word: u128,
    text: String,
}

fn widest(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.text.len()).max().unwrap_or(0)
}

fn decode(sm: Sm, bytes: &[u8], base: u64) -> Result<Vec<Line>, ListingError> {
    let mut lines = Vec::with_capacity(bytes.len() / INSTRUCTION);
    let mut refused = Vec::new();
    for (position, word) in bytes.chunks_exact(INSTRUCTION).enumerate() {
        let address = base.wrapping_add((position * INSTRUCTION) as u64);
        let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
        match read(sm.isa(), word, address) {
            Ok(text) => lines.push(Line { address, word, text }),
            Err(reason) => refused.push(format!("address {address:#x}: {reason}")),
        }
    }
    if refused.is_empty() {
        Ok(lines)
    } else {
        Err(ListingError::File(refused.join("\n")))
    }
}

fn read(isa: Isa, word: u128, address: u64) -> Result<String, String> {
    let instruction = Instruction::decode(isa, word).map_err(|error| error.to_string())?;
    let mut text = String::new();
    instruction.write_text(&mut text, &PlainText { address });
    Ok(text)
}

fn write_flags(sm: Sm, first: &str, out: &mut String) {
    let name = sm.name();
    let number: String = name.chars().filter(char::is_ascii_digit).collect();
    let accelerators = if sm.info().suffix == Suffix::Architecture {
        "EF_CUDA_ACCELERATORS "
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "\t.headerflags\t@\"{first}{accelerators}EF_CUDA_SM{number} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{number})\""
    );
}

fn write_line(line: &Line, widest: usize, options: &ListingOptions, out: &mut String) {
    let Line {
        address,
        word,
        text: line,
    } = line;
    let start = out.len();
    out.push_str("        /*");
    push_address(*address, out);
    out.push_str("*/");
    let text = out.len() + GUARD;
    pad(out, if options.raw { text } else { text - guard_width(line) });
    out.push_str(line);
    out.push_str(if is_unscheduled(*word) { ";" } else { " ;" });
    if options.encodings {
        let column = TEXT + widest + 4;
        pad(out, start + column);
        let _ = writeln!(out, "/* {:#018x} */", *word as u64);
        let start = out.len();
        pad(out, start + column);
        let _ = write!(out, "/* {:#018x} */", (word >> 64) as u64);
    }
    out.push('\n');
}
