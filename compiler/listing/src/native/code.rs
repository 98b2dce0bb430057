//! Code: one line per instruction, its control information before it, its address after it.

use std::fmt::Write;

use warpsmith_cubin::SymbolType;
use warpsmith_sass::{Control, Instruction, PlainText, parse};

use super::{Native, name_text};
use crate::code::Operands;
use crate::labels::INSTRUCTION;
use crate::view::Fixup;

/// Column of the address comment.
const COMMENT: usize = 84;

impl Native<'_> {
    pub(super) fn write_code(&mut self, index: u32, bytes: &[u8]) {
        self.write_summary(index);
        let fixups = self.view.fixups(index).to_vec();
        let mut fixups = fixups.as_slice();
        let mut shown_row = None;
        for (position, word) in bytes.chunks_exact(INSTRUCTION as usize).enumerate() {
            let address = position as u64 * INSTRUCTION;
            self.write_labels(index, address);
            self.write_source_line(index, address, &mut shown_row);
            let count = fixups.iter().take_while(|fixup| fixup.offset < address + INSTRUCTION).count();
            let (here, rest) = fixups.split_at(count);
            fixups = rest;
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            self.write_instruction(index, address, word, here);
        }
        let whole = bytes.len() / INSTRUCTION as usize * INSTRUCTION as usize;
        self.write_labels(index, whole as u64);
        self.write_bytes(&bytes[whole..]);
    }

    /// The labels of a place: all its symbols, and its number.
    fn write_labels(&mut self, index: u32, address: u64) {
        if self.view.symbol_at(index, address).is_some() {
            let symbols = self.view.symbols_of(index).iter().copied();
            let here = symbols.filter(|&symbol| {
                let symbol = &self.view.symbols[symbol as usize];
                symbol.value == address && symbol.symbol_type != SymbolType::SECTION
            });
            for symbol in here {
                let _ = writeln!(self.out, "{}:", name_text(self.view.symbol_name(symbol)));
            }
        }
        if let Some(label) = self.labels.at(index, address) {
            let _ = writeln!(self.out, ".L_x_{label}:");
        }
    }

    fn write_source_line(&mut self, index: u32, address: u64, shown: &mut Option<(u32, u32)>) {
        let places = self.lines.places(index);
        let after = places.partition_point(|place| place.0 <= address);
        let Some(&(start, row)) = after.checked_sub(1).and_then(|last| places.get(last)) else { return };
        let row = self.lines.rows[row as usize];
        if start == address && shown.replace((row.file, row.line)) != Some((row.file, row.line)) {
            let _ = writeln!(self.out, "    // {}:{}", self.lines.files[row.file as usize], row.line);
        }
    }

    fn write_instruction(&mut self, index: u32, address: u64, word: u128, fixups: &[Fixup]) {
        let start = self.out.len();
        self.out.push_str("    ");
        match self.isa.and_then(|isa| Instruction::decode(isa, word).ok()) {
            Some(instruction) => self.write_decoded(index, address, &instruction, fixups),
            None => {
                let _ = write!(self.out, ".word128 {word:#034x}");
            }
        }
        while self.out.len() - start < COMMENT {
            self.out.push(' ');
        }
        let _ = write!(self.out, "// {address:04x}");
        if self.options.encodings {
            let _ = write!(self.out, " {word:032x}");
        }
        for fixup in fixups {
            let kind = warpsmith_cubin::RelocationType(fixup.kind);
            let _ = write!(self.out, " {} {}", kind.name().unwrap_or("?"), self.view.symbol_name(fixup.symbol));
            if fixup.addend != 0 {
                let _ = write!(self.out, "{:+#x}", fixup.addend);
            }
        }
        self.out.push('\n');
    }

    fn write_decoded(&mut self, index: u32, address: u64, instruction: &Instruction, fixups: &[Fixup]) {
        let plain = PlainText { address };
        let mut text = String::new();
        instruction.write_text(&mut text, &plain);
        let Ok(parsed) = parse(instruction.isa(), &text, &plain) else {
            let _ = write!(self.out, ".word128 {:#034x}  // {}", instruction.word(), text.trim_end());
            return;
        };
        let control = instruction.control();
        let reuse = parsed.control().reuse;
        let difference = parsed.with_control(control).word() ^ instruction.word();
        write_control(&control, reuse, &mut self.out);
        match instruction.branch_target(address) {
            Some(target) if fixups.is_empty() && self.labels.at_symbol(&self.view, index, target) => {
                text.clear();
                let operands = Operands::bare(&self.view, &self.labels, index, address);
                operands.write(instruction, &mut text);
            }
            _ => {}
        }
        let indent = if text.starts_with("@P") || text.starts_with("@!P") { 5 - text.find(' ').unwrap_or(4).min(4) - 1 } else { 5 };
        for _ in 0..indent {
            self.out.push(' ');
        }
        self.out.push_str(text.trim_end());
        self.out.push_str(" ;");
        if difference != 0 {
            let _ = write!(self.out, " ^{difference:#x}");
        }
    }
}

/// The control information: `[s04 k w0 r- ?02]`.
fn write_control(control: &Control, reuse: u8, out: &mut String) {
    let _ = write!(out, "[s{:02} {}", control.stall, if control.keep_issuing { "k" } else { "-" });
    for (letter, scoreboard) in [('w', control.write_scoreboard), ('r', control.read_scoreboard)] {
        let _ = match scoreboard {
            Some(number) => write!(out, " {letter}{number}"),
            None => write!(out, " --"),
        };
    }
    out.push_str(" ?");
    for bit in 0..6 {
        out.push(if control.wait_mask >> bit & 1 != 0 { char::from(b'0' + bit) } else { '-' });
    }
    if control.reuse != reuse {
        let _ = write!(out, " u{:#x}", control.reuse);
    }
    out.push_str("] ");
}
