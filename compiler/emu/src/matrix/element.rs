//! What elements of matrices are and how wide they lie in registers and memory.

use warpsmith_numerics::{
    format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, Format, TF32},
    integer::{Integer, S8, U8},
};

/// An element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    F64,
    E4m3,
    E5m2,
    /// In the lower six bits of a byte.
    E3m2,
    /// In the lower six bits of a byte.
    E2m3,
    /// In bits 5–2 of a byte: `.kind::f8f6f4` and `.kind::mxf8f6f4`.
    E2m1InByte,
    /// Two in a byte: `.kind::mxf4` and `.kind::mxf4nvf4`.
    E2m1,
    S8,
    U8,
    S4,
    U4,
    /// 32 elements of one bit: a word is what is multiplied.
    Bits,
}

const S4: Integer = Integer::signed(4);
const U4: Integer = Integer::unsigned(4);

impl Element {
    /// Bits that one takes in registers and memory.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::Tf32 | Element::Bits => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3
            | Element::E5m2
            | Element::E3m2
            | Element::E2m3
            | Element::E2m1InByte
            | Element::S8
            | Element::U8 => 8,
            Element::E2m1 | Element::S4 | Element::U4 => 4,
        }
    }

    /// The encoding in the lowest bits of a register; what lies above or beside it is ignored.
    pub(crate) fn decode(self, bits: u64) -> u64 {
        match self {
            Element::E3m2 | Element::E2m3 => bits & 0x3f,
            Element::E2m1InByte => bits >> 2 & 0xf,
            Element::F16
            | Element::Bf16
            | Element::Tf32
            | Element::F64
            | Element::E4m3
            | Element::E5m2
            | Element::E2m1
            | Element::S8
            | Element::U8
            | Element::S4
            | Element::U4
            | Element::Bits => bits & (u64::MAX >> (64 - self.bits())),
        }
    }

    /// An element of 16 bytes of shared memory. Of those with fewer bits than their byte, sixteen stand side by side, and padding follows
    /// (PTX ISA 9.7.16.4: `b4x16_p64`, `b6x16_p32`).
    pub(crate) fn of_unit(self, unit: u128, index: usize) -> u64 {
        match self {
            Element::E3m2 | Element::E2m3 => (unit >> (6 * index)) as u64 & 0x3f,
            Element::E2m1InByte => (unit >> (4 * index)) as u64 & 0xf,
            _ => self.decode((unit >> (self.bits() as usize * index)) as u64),
        }
    }

    /// The format of a floating-point element that tensor cores sum in blocks: not `F64`.
    pub(crate) fn format(self) -> Option<Format> {
        Some(match self {
            Element::F16 => F16,
            Element::Bf16 => BF16,
            Element::Tf32 => TF32,
            Element::E4m3 => E4M3,
            Element::E5m2 => E5M2,
            Element::E3m2 => E3M2,
            Element::E2m3 => E2M3,
            Element::E2m1InByte | Element::E2m1 => E2M1,
            Element::F64 | Element::S8 | Element::U8 | Element::S4 | Element::U4 | Element::Bits => return None,
        })
    }

    /// The type of an integer element.
    pub(crate) fn integer(self) -> Option<Integer> {
        Some(match self {
            Element::S8 => S8,
            Element::U8 => U8,
            Element::S4 => S4,
            Element::U4 => U4,
            Element::F16
            | Element::Bf16
            | Element::Tf32
            | Element::F64
            | Element::E4m3
            | Element::E5m2
            | Element::E3m2
            | Element::E2m3
            | Element::E2m1InByte
            | Element::E2m1
            | Element::Bits => return None,
        })
    }
}

/// An element of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Two in a register.
    F16,
    F32,
    S32,
    /// In two registers, the lower half first.
    F64,
}

impl Cell {
    /// Bits that one takes.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Cell::F16 => 16,
            Cell::F32 | Cell::S32 => 32,
            Cell::F64 => 64,
        }
    }
}
