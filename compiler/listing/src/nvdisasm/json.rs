//! The JSON form: one array with facts of the file and one with the functions.

use std::fmt::Write;

use warpsmith_sass::Instruction;
use warpsmith_target::Isa;

use super::Listing;
use crate::code::Operands;
use crate::error::ListingError;
use crate::labels::INSTRUCTION;
use crate::view::take_fixups;

/// What the format names as its producer, so that the text equals the tool's.
const PRODUCER: &str = "nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.39125733_0";
/// Instructions that nvdisasm marks as control flow (observed: 13.5).
const CONTROL_FLOW: &[&str] = &[
    "ACQBULK",
    "BMOV",
    "BPT",
    "BRA",
    "BRX",
    "BRXU",
    "BSSY",
    "BSYNC",
    "CALL",
    "ELECT",
    "ENDCOLLECTIVE",
    "EXIT",
    "JMP",
    "JMX",
    "JMXU",
    "KILL",
    "RET",
    "RTT",
    "WARPSYNC",
    "YIELD",
];
/// Instructions that it marks as barriers between warps.
const BARRIERS: &[&str] = &["ACQBULK", "BAR", "UCGABAR_WAIT"];

impl Listing<'_> {
    /// The whole document.
    pub(super) fn write_json(&mut self) -> Result<(), ListingError> {
        self.write_file_facts();
        self.out.push_str(",[");
        let mut first = true;
        for index in 0..self.view.cubin.sections.len() as u32 {
            if !self.code_labels.covers(index) {
                continue;
            }
            if !std::mem::take(&mut first) {
                self.out.push(',');
            }
            let section = self.section(index);
            let name = section.name.strip_prefix(".text.").unwrap_or(&section.name);
            let _ = write!(self.out, "{{\"function-name\":\"{}\",\"start\":0,", escaped(name));
            let _ = write!(
                self.out,
                "\"length\":{},\"other-attributes\":[],\"sass-instructions\":[",
                section.size()
            );
            self.write_instructions(index)?;
            self.out.push_str("]}");
        }
        self.out.push_str("]]");
        Ok(())
    }

    fn write_file_facts(&mut self) {
        let header = &self.view.cubin.header;
        let number = header.flags.sm_number(header.abi_version);
        let layout = header.flags.0 & 0xff;
        let _ = write!(
            self.out,
            "[{{\"ELF\":{{\"layout-id\":{layout},\"ei_osabi\":{},\"ei_abiversion\":{}}},\"SM\":{{\"version\":{{\"major\":{},\"minor\":{}}}}},\
             \"SchemaVersion\":{{\"major\":13,\"minor\":5,\"revision\":0}},\"Producer\":\"{PRODUCER}\",\"Description\":\"\"",
            header.os_abi,
            header.abi_version,
            number / 10,
            number % 10,
        );
        let bytes_of = |name: &str| {
            let (index, _) = self.view.cubin.section_by_name(name)?;
            self.view.cubin.section_bytes(index)
        };
        let mut text = String::new();
        if let Some(bytes) = bytes_of(".note.nv.cuinfo").filter(|bytes| bytes.len() >= 0x1e) {
            let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let (version, sm, tools) = (half(0x18), half(0x1a), half(0x1c));
            let _ = write!(
                text,
                ",\".note.nv.cuinfo\":{{\"nv_note_cuinfo\":{version},\"nv_note_cuinfo_virt_sm\":{sm},\"nv_note_cuinfo_toolVersion\":{tools}}}"
            );
        }
        if let Some((version, strings)) = bytes_of(".note.nv.tkinfo").and_then(super::note::tool_info) {
            let [object, tool, release, branch, options] = strings.map(|string| escaped(&string));
            let _ = write!(
                text,
                ",\".note.nv.tkinfo\":{{\"nv_note_tkinfo\": {version},\"tki_objFname\": \"{object}\", \"tki_toolName\": \"{tool}\",\
                 \"tki_toolVersion\": \"{release}\",\"tki_toolBranch\": \"{branch}\",\"tki_toolOptions\": \"{options}\"}}"
            );
        }
        self.out.push_str(&text);
        self.out.push('}');
    }

    fn write_instructions(&mut self, index: u32) -> Result<(), ListingError> {
        let mut text = String::new();
        let mut out = std::mem::take(&mut self.out);
        let mut fixups = self.view.fixups(index);
        for (position, word) in self.bytes(index).chunks_exact(INSTRUCTION as usize).enumerate() {
            let address = position as u64 * INSTRUCTION;
            let here = take_fixups(&mut fixups, address + INSTRUCTION);
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            let instruction = Instruction::decode(self.isa, word)
                .map_err(|error| ListingError::at(&self.section(index).name, address, error.to_string()))?;
            text.clear();
            let mut operands = Operands::new(&self.view, &self.code_labels, index, address, here);
            operands.unquoted = true;
            operands.table_branch = self.is_table_branch(index, address);
            operands.write(&instruction, &mut text);
            if position != 0 {
                out.push(',');
            }
            write_json_instruction(self.isa, &text, instruction.mnemonic(), &mut out);
        }
        self.out = out;
        Ok(())
    }
}

/// One instruction. The moved `PR`, `desc` and brackets are as nvdisasm 13.5 has them.
fn write_json_instruction(isa: Isa, text: &str, mnemonic: &str, out: &mut String) {
    let mut text = text;
    out.push('{');
    if text.starts_with('@')
        && let Some((guard, rest)) = text.split_once(' ')
    {
        let _ = write!(out, "\"predicate\":\"{guard}\",");
        text = rest;
    }
    let (opcode, operands) = text.split_once(' ').unwrap_or((text, ""));
    let mut operands = joined(operands);
    if mnemonic == "P2R" && operands.contains(",PR,") {
        out.push_str("\"predicate\":\"PR\",");
        operands = operands.replacen(",PR,", ",", 1);
    }
    if isa < Isa::Sm90 {
        operands = operands.replacen(",desc[", "desc,[", 1);
        if mnemonic == "LDGSTS" {
            operands = operands.replacen("],[", "][", 1);
        }
    }
    let _ = write!(out, "\"opcode\":\"{opcode}\"");
    if !operands.is_empty() {
        let _ = write!(out, ",\"operands\":\"{}\"", escaped(&operands));
    }
    let mut marks = Vec::new();
    if CONTROL_FLOW.contains(&mnemonic) {
        marks.push("\"control-flow\":\"True\"");
    }
    if mnemonic == "CALL" {
        marks.push("\"subroutine-call\":\"True\"");
    }
    if BARRIERS.contains(&mnemonic) {
        marks.push("\"inter-warp-barrier\":\"True\"");
    }
    if !marks.is_empty() {
        let _ = write!(out, ",\"other-attributes\":{{{}}}", marks.join(","));
    }
    out.push('}');
}

/// Operands with a comma, and no blank, between any two; blanks in parentheses and before commas stay.
fn joined(operands: &str) -> String {
    let mut out = String::with_capacity(operands.len());
    let mut depth = 0;
    let mut rest = operands.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        let kept = c != ' ' || depth > 0 || matches!(rest.peek(), None | Some(','));
        if kept {
            out.push(c);
        } else if !out.ends_with(',') {
            out.push(',');
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
