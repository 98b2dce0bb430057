//! `.debug_frame`: for every function, how a debugger finds the caller's frame. 64-bit DWARF; ptxas writes it always, one common entry for each function.
//!
//! Observed, ptxas 13.0.88. Register numbers are those of CUDA's DWARF: 0x0500_0000 plus the number of the register.

use warpsmith_target::Isa;

/// `DW_CFA_advance_loc4`, in units of 4 bytes.
const ADVANCE: u8 = 0x04;
/// `DW_CFA_same_value`
const SAME_VALUE: u8 = 0x08;
/// `DW_CFA_def_cfa`
const DEFINE_CFA: u8 = 0x0c;
/// R1, the stack pointer.
const STACK_POINTER: u32 = 0x0500_0001;
/// The relative return address register pair of a function, which stays.
const PROGRAM_COUNTER: u32 = 0x0500_00ff;

/// What is told of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Bytes of its code section.
    pub(super) size: u64,
    /// Bytes of its stack frame.
    pub(super) bytes: u32,
    /// Where its first basic block ends.
    pub(super) first_block_end: u64,
    /// Where its last instruction that ends the thread is.
    pub(super) last_exit: u64,
}

/// `.debug_frame` as it grows.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

impl Frames {
    /// Adds a function, and gives the offset at which its address stands.
    pub(super) fn add(&mut self, isa: Isa, frame: &Frame) -> u64 {
        let common = self.bytes.len() as u64;
        self.entry(&common_entry());
        let mut body = Vec::new();
        body.extend_from_slice(&common.to_le_bytes());
        // The address: by relocation.
        body.extend_from_slice(&[0; 8]);
        body.extend_from_slice(&frame.size.to_le_bytes());
        body.extend(program(isa, frame));
        let start = self.bytes.len() as u64;
        self.entry(&body);
        start + 20
    }

    fn entry(&mut self, body: &[u8]) {
        let length = (body.len() + 12).next_multiple_of(8) - 12;
        self.bytes.extend_from_slice(&u32::MAX.to_le_bytes());
        self.bytes.extend_from_slice(&(length as u64).to_le_bytes());
        self.bytes.extend_from_slice(body);
        self.bytes.resize(self.bytes.len() + length - body.len(), 0);
    }
}

fn common_entry() -> Vec<u8> {
    let mut body = u64::MAX.to_le_bytes().to_vec();
    // Version 3, no augmentation, code in units of 4 bytes, data in units of -4.
    body.extend_from_slice(&[3, 0, 4, 0x7c]);
    unsigned(&mut body, u64::from(u32::MAX));
    body.push(DEFINE_CFA);
    unsigned(&mut body, STACK_POINTER.into());
    body.push(0);
    for register in [PROGRAM_COUNTER, STACK_POINTER] {
        body.push(SAME_VALUE);
        unsigned(&mut body, register.into());
    }
    body
}

/// The places at which the frame changes.
fn program(isa: Isa, frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0_u64;
    let mut advance = |out: &mut Vec<u8>, to: u64| {
        let units = (to.wrapping_sub(at) as i64 / 4) as u32 & 0x3fff_ffff;
        out.push(ADVANCE);
        out.extend_from_slice(&units.to_le_bytes());
        at = to;
    };
    let (before, exit) = (frame.first_block_end, frame.last_exit);
    if frame.bytes > 0 {
        // The frame stands once the stack pointer has been lowered.
        if isa < Isa::Sm90 {
            advance(&mut out, 16);
            advance(&mut out, 48);
            define(&mut out, frame.bytes);
            advance(&mut out, 48);
        } else {
            advance(&mut out, 64);
        }
        define(&mut out, 0);
        return out;
    }
    if isa < Isa::Sm90 {
        advance(&mut out, 16);
        advance(&mut out, before);
        define(&mut out, 0);
        advance(&mut out, exit);
    } else if exit >= before {
        advance(&mut out, before);
        define(&mut out, 0);
        advance(&mut out, exit);
    } else {
        advance(&mut out, exit);
        advance(&mut out, before);
        define(&mut out, 0);
    }
    out
}

fn define(out: &mut Vec<u8>, offset: u32) {
    out.push(DEFINE_CFA);
    unsigned(out, STACK_POINTER.into());
    unsigned(out, offset.into());
}

/// ULEB128.
pub(super) fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}
