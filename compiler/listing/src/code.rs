//! Instruction text: the bridge to the instruction tables.

use std::collections::HashMap;

/// What takes the place of operands that the word alone does not show.
pub(crate) trait OperandText {
    /// Address of the instruction.
    fn address(&self) -> u64;
    /// The text for the operand field whose lowest bit in the word is `low_bit`, instead of `value`.
    fn replace(&self, field_name: &str, low_bit: u32, value: i64) -> Option<String>;
}

/// A decoded word.
#[derive(Clone, Copy)]
pub(crate) struct Instruction<'a> {
    word: u128,
    sm: u32,
    text: &'a str,
}

/// Instructions of one generation.
pub(crate) struct Decoder {
    sm: u32,
    table: HashMap<u128, String>,
}

impl Decoder {
    pub fn new(sm: u32) -> Self {
        let path = format!("/lab/listing/words/{sm}.tsv");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let table = text
            .lines()
            .filter_map(|line| {
                let (word, text) = line.split_once('\t')?;
                Some((u128::from_str_radix(word, 16).ok()?, text.to_owned()))
            })
            .collect();
        Decoder { sm, table }
    }

    pub fn decode(&self, word: u128) -> Option<Instruction<'_>> {
        self.table.get(&word).map(|text| Instruction { word, sm: self.sm, text })
    }
}

impl Instruction<'_> {
    /// Target of a branch, call or other instruction with an address operand relative to its own place.
    pub fn branch_target(&self, address: u64) -> Option<u64> {
        let opcode = self.word as u32 & 0xfff;
        let relative = match opcode {
            0x947 | 0x547 | 0x944 | 0x344 | 0x950 | 0x948 | 0x348 => {
                let low = (self.word >> 16) as i64 & 0xff;
                let high = ((self.word >> 34) as i64) << 16 >> 16;
                if self.sm >= 90 { (high << 8 | low) << 2 } else { high << 2 }
            }
            0x945 => (self.word >> 32) as u32 as i32 as i64 & !3,
            0x94e => (self.word >> 24) as i64 & 0x3ff_ffff_ffff_ffff,
            _ => return None,
        };
        if opcode == 0x950 && self.text.contains("ABS") || opcode == 0x944 && self.text.contains("ABS") || self.text.contains("BRXU") || self.text.contains("WARPSYNC") && !self.text.contains("COLLECTIVE") { return None; }
        Some(address.wrapping_add(16).wrapping_add(relative as u64))
    }

    pub fn write_text(&self, out: &mut String, options: &dyn OperandText) {
        if let Some(target) = self.branch_target(options.address()) {
            let text = options.replace("target", 34, target as i64);
            if let Some(text) = text {
                let cut = self.text.rfind([' ', ',']).map_or(0, |at| at + 1);
                out.push_str(&self.text[..cut]);
                out.push_str(&text);
                return;
            }
        }
        if let Some(text) = options.replace("immediate", 32, 0) {
            let cut = self.text.rfind(' ').map_or(0, |at| at + 1);
            out.push_str(&self.text[..cut]);
            out.push_str(&text);
            return;
        }
        out.push_str(self.text);
    }
}
