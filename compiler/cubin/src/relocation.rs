//! Relocations.
//!
//! Numbers and names: observed with cuobjdump 13.1 on a file with one entry of each number from 0 to 0x8f.
//! Bit positions are those of the names (`R_CUDA_ABS32_LO_32`: the low 32 bits of the address go to the 32 bits from
//! bit 32 of the instruction word); the fields of 58 and 75 were confirmed in the listing. A constant field holds the
//! bank (5 bits) above the offset: `CONST_FIELD19_40` an offset in words, `21_38` and `22_37` in bytes.
//! Mercury relocations (0x10000 and up, in `.nv.merc.rela.*`) have no names in any listing; they are carried as
//! numbers.

use std::fmt;

/// A relocation of a REL or RELA section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// `r_offset`: byte offset in the section that is relocated.
    pub offset: u64,
    /// Index of the symbol: bits 32 to 63 of `r_info`.
    pub symbol: u32,
    /// Bits 0 to 31 of `r_info`.
    pub relocation_type: RelocationType,
    /// `r_addend`; 0 in a REL section, where the addend lies in the relocated field.
    pub addend: i64,
}

/// A relocation type number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelocationType(pub u32);

/// What value a relocation puts in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelocationKind {
    /// The symbol's address plus the addend.
    Absolute,
    /// The same, in the global address space.
    GlobalAddress,
    /// The address of the function's descriptor.
    FunctionDescriptor,
    /// The address in the unified function or data table.
    Unified,
    /// The distance from the instruction.
    PcRelative,
    /// An offset in a constant bank.
    ConstantOffset,
    /// A texture, sampler or surface slot or header.
    Resource,
    /// The offset of a bindless resource's handle.
    Bindless,
    /// The linker rewrites or clears the field.
    Rewrite,
}

/// Which bits of the value go in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValuePart {
    /// All of it, from bit 0.
    Whole,
    /// Bits 0 to 31.
    Low32,
    /// Bits 32 to 63.
    High32,
    /// The byte of this number, from 0.
    Byte(u8),
}

/// One relocation type.
#[derive(Clone, Copy, Debug)]
pub struct RelocationRow {
    /// The number in `r_info`.
    pub number: u32,
    /// The name.
    pub name: &'static str,
    /// What value it is.
    pub kind: RelocationKind,
    /// Which bits of the value.
    pub part: ValuePart,
    /// How many low bits of the value are dropped: 2 for the word-aligned address in a call, else 0. (Observed for 58
    /// and 75: nvdisasm 13.5 prints 4 times the field as the target of `CALL.ABS`.)
    pub shift: u8,
    /// Where they go: pairs of first bit and width in bits, least significant bits first, counted from bit 0
    /// of the byte at `r_offset`. Empty where the place is not known.
    pub field: &'static [(u8, u8)],
}

const fn row(
    number: u32,
    name: &'static str,
    kind: RelocationKind,
    part: ValuePart,
    shift: u8,
    field: &'static [(u8, u8)],
) -> RelocationRow {
    RelocationRow {
        number,
        name,
        kind,
        part,
        shift,
        field,
    }
}

use RelocationKind::{
    Absolute, Bindless, ConstantOffset, FunctionDescriptor, GlobalAddress, PcRelative, Resource, Rewrite, Unified,
};
use ValuePart::{Byte, High32, Low32, Whole};

/// All relocation types, by number.
#[rustfmt::skip]
pub const RELOCATIONS: &[RelocationRow] = &[
    row(  1, "R_CUDA_32",                     Absolute,           Whole,    0, &[(0, 32)]),
    row(  2, "R_CUDA_64",                     Absolute,           Whole,    0, &[(0, 64)]),
    row(  3, "R_CUDA_G32",                    GlobalAddress,      Whole,    0, &[(0, 32)]),
    row(  4, "R_CUDA_G64",                    GlobalAddress,      Whole,    0, &[(0, 64)]),
    row(  5, "R_CUDA_ABS32_26",               Absolute,           Whole,    0, &[(26, 32)]),
    row(  6, "R_CUDA_TEX_HEADER_INDEX",       Resource,           Whole,    0, &[]),
    row(  7, "R_CUDA_SAMP_HEADER_INDEX",      Resource,           Whole,    0, &[]),
    row(  8, "R_CUDA_SURF_HW_DESC",           Resource,           Whole,    0, &[]),
    row(  9, "R_CUDA_SURF_HW_SW_DESC",        Resource,           Whole,    0, &[]),
    row( 10, "R_CUDA_ABS32_LO_26",            Absolute,           Low32,    0, &[(26, 32)]),
    row( 11, "R_CUDA_ABS32_HI_26",            Absolute,           High32,   0, &[(26, 32)]),
    row( 12, "R_CUDA_ABS32_23",               Absolute,           Whole,    0, &[(23, 32)]),
    row( 13, "R_CUDA_ABS32_LO_23",            Absolute,           Low32,    0, &[(23, 32)]),
    row( 14, "R_CUDA_ABS32_HI_23",            Absolute,           High32,   0, &[(23, 32)]),
    row( 15, "R_CUDA_ABS24_26",               Absolute,           Whole,    0, &[(26, 24)]),
    row( 16, "R_CUDA_ABS24_23",               Absolute,           Whole,    0, &[(23, 24)]),
    row( 17, "R_CUDA_ABS16_26",               Absolute,           Whole,    0, &[(26, 16)]),
    row( 18, "R_CUDA_ABS16_23",               Absolute,           Whole,    0, &[(23, 16)]),
    row( 19, "R_CUDA_TEX_SLOT",               Resource,           Whole,    0, &[]),
    row( 20, "R_CUDA_SAMP_SLOT",              Resource,           Whole,    0, &[]),
    row( 21, "R_CUDA_SURF_SLOT",              Resource,           Whole,    0, &[]),
    row( 22, "R_CUDA_TEX_BINDLESSOFF13_32",   Bindless,           Whole,    0, &[(32, 13)]),
    row( 23, "R_CUDA_TEX_BINDLESSOFF13_47",   Bindless,           Whole,    0, &[(47, 13)]),
    row( 24, "R_CUDA_CONST_FIELD19_28",       ConstantOffset,     Whole,    0, &[(28, 19)]),
    row( 25, "R_CUDA_CONST_FIELD19_23",       ConstantOffset,     Whole,    0, &[(23, 19)]),
    row( 26, "R_CUDA_TEX_SLOT9_49",           Resource,           Whole,    0, &[(49, 9)]),
    row( 27, "R_CUDA_6_31",                   Rewrite,            Whole,    0, &[(31, 6)]),
    row( 28, "R_CUDA_2_47",                   Rewrite,            Whole,    0, &[(47, 2)]),
    row( 29, "R_CUDA_TEX_BINDLESSOFF13_41",   Bindless,           Whole,    0, &[(41, 13)]),
    row( 30, "R_CUDA_TEX_BINDLESSOFF13_45",   Bindless,           Whole,    0, &[(45, 13)]),
    row( 31, "R_CUDA_FUNC_DESC32_23",         FunctionDescriptor, Whole,    0, &[(23, 32)]),
    row( 32, "R_CUDA_FUNC_DESC32_LO_23",      FunctionDescriptor, Low32,    0, &[(23, 32)]),
    row( 33, "R_CUDA_FUNC_DESC32_HI_23",      FunctionDescriptor, High32,   0, &[(23, 32)]),
    row( 34, "R_CUDA_FUNC_DESC_32",           FunctionDescriptor, Whole,    0, &[(0, 32)]),
    row( 35, "R_CUDA_FUNC_DESC_64",           FunctionDescriptor, Whole,    0, &[(0, 64)]),
    row( 36, "R_CUDA_CONST_FIELD21_26",       ConstantOffset,     Whole,    0, &[(26, 21)]),
    row( 37, "R_CUDA_QUERY_DESC21_37",        Resource,           Whole,    0, &[(37, 21)]),
    row( 38, "R_CUDA_CONST_FIELD19_26",       ConstantOffset,     Whole,    0, &[(26, 19)]),
    row( 39, "R_CUDA_CONST_FIELD21_23",       ConstantOffset,     Whole,    0, &[(23, 21)]),
    row( 40, "R_CUDA_PCREL_IMM24_26",         PcRelative,         Whole,    0, &[(26, 24)]),
    row( 41, "R_CUDA_PCREL_IMM24_23",         PcRelative,         Whole,    0, &[(23, 24)]),
    row( 42, "R_CUDA_ABS32_20",               Absolute,           Whole,    0, &[(20, 32)]),
    row( 43, "R_CUDA_ABS32_LO_20",            Absolute,           Low32,    0, &[(20, 32)]),
    row( 44, "R_CUDA_ABS32_HI_20",            Absolute,           High32,   0, &[(20, 32)]),
    row( 45, "R_CUDA_ABS24_20",               Absolute,           Whole,    0, &[(20, 24)]),
    row( 46, "R_CUDA_ABS16_20",               Absolute,           Whole,    0, &[(20, 16)]),
    row( 47, "R_CUDA_FUNC_DESC32_20",         FunctionDescriptor, Whole,    0, &[(20, 32)]),
    row( 48, "R_CUDA_FUNC_DESC32_LO_20",      FunctionDescriptor, Low32,    0, &[(20, 32)]),
    row( 49, "R_CUDA_FUNC_DESC32_HI_20",      FunctionDescriptor, High32,   0, &[(20, 32)]),
    row( 50, "R_CUDA_CONST_FIELD19_20",       ConstantOffset,     Whole,    0, &[(20, 19)]),
    row( 51, "R_CUDA_BINDLESSOFF13_36",       Bindless,           Whole,    0, &[(36, 13)]),
    row( 52, "R_CUDA_SURF_HEADER_INDEX",      Resource,           Whole,    0, &[]),
    row( 53, "R_CUDA_INSTRUCTION64",          Rewrite,            Whole,    0, &[(0, 64)]),
    row( 54, "R_CUDA_CONST_FIELD21_20",       ConstantOffset,     Whole,    0, &[(20, 21)]),
    row( 55, "R_CUDA_ABS32_32",               Absolute,           Whole,    0, &[(32, 32)]),
    row( 56, "R_CUDA_ABS32_LO_32",            Absolute,           Low32,    0, &[(32, 32)]),
    row( 57, "R_CUDA_ABS32_HI_32",            Absolute,           High32,   0, &[(32, 32)]),
    row( 58, "R_CUDA_ABS47_34",               Absolute,           Whole,    2, &[(34, 47)]),
    row( 59, "R_CUDA_ABS16_32",               Absolute,           Whole,    0, &[(32, 16)]),
    row( 60, "R_CUDA_ABS24_32",               Absolute,           Whole,    0, &[(32, 24)]),
    row( 61, "R_CUDA_FUNC_DESC32_32",         FunctionDescriptor, Whole,    0, &[(32, 32)]),
    row( 62, "R_CUDA_FUNC_DESC32_LO_32",      FunctionDescriptor, Low32,    0, &[(32, 32)]),
    row( 63, "R_CUDA_FUNC_DESC32_HI_32",      FunctionDescriptor, High32,   0, &[(32, 32)]),
    row( 64, "R_CUDA_CONST_FIELD19_40",       ConstantOffset,     Whole,    0, &[(40, 19)]),
    row( 65, "R_CUDA_BINDLESSOFF14_40",       Bindless,           Whole,    0, &[(40, 14)]),
    row( 66, "R_CUDA_CONST_FIELD21_38",       ConstantOffset,     Whole,    0, &[(38, 21)]),
    row( 67, "R_CUDA_INSTRUCTION128",         Rewrite,            Whole,    0, &[(0, 64), (64, 64)]),
    row( 68, "R_CUDA_YIELD_OPCODE9_0",        Rewrite,            Whole,    0, &[(0, 9)]),
    row( 69, "R_CUDA_YIELD_CLEAR_PRED4_87",   Rewrite,            Whole,    0, &[(87, 4)]),
    row( 70, "R_CUDA_32_LO",                  Absolute,           Low32,    0, &[(0, 32)]),
    row( 71, "R_CUDA_32_HI",                  Absolute,           High32,   0, &[(0, 32)]),
    row( 72, "R_CUDA_UNUSED_CLEAR32",         Rewrite,            Whole,    0, &[(0, 32)]),
    row( 73, "R_CUDA_UNUSED_CLEAR64",         Rewrite,            Whole,    0, &[(0, 64)]),
    row( 74, "R_CUDA_ABS24_40",               Absolute,           Whole,    0, &[(40, 24)]),
    row( 75, "R_CUDA_ABS55_16_34",            Absolute,           Whole,    2, &[(16, 8), (34, 47)]),
    row( 76, "R_CUDA_8_0",                    Absolute,           Byte(0),  0, &[(0, 8)]),
    row( 77, "R_CUDA_8_8",                    Absolute,           Byte(1),  0, &[(0, 8)]),
    row( 78, "R_CUDA_8_16",                   Absolute,           Byte(2),  0, &[(0, 8)]),
    row( 79, "R_CUDA_8_24",                   Absolute,           Byte(3),  0, &[(0, 8)]),
    row( 80, "R_CUDA_8_32",                   Absolute,           Byte(4),  0, &[(0, 8)]),
    row( 81, "R_CUDA_8_40",                   Absolute,           Byte(5),  0, &[(0, 8)]),
    row( 82, "R_CUDA_8_48",                   Absolute,           Byte(6),  0, &[(0, 8)]),
    row( 83, "R_CUDA_8_56",                   Absolute,           Byte(7),  0, &[(0, 8)]),
    row( 84, "R_CUDA_G8_0",                   GlobalAddress,      Byte(0),  0, &[(0, 8)]),
    row( 85, "R_CUDA_G8_8",                   GlobalAddress,      Byte(1),  0, &[(0, 8)]),
    row( 86, "R_CUDA_G8_16",                  GlobalAddress,      Byte(2),  0, &[(0, 8)]),
    row( 87, "R_CUDA_G8_24",                  GlobalAddress,      Byte(3),  0, &[(0, 8)]),
    row( 88, "R_CUDA_G8_32",                  GlobalAddress,      Byte(4),  0, &[(0, 8)]),
    row( 89, "R_CUDA_G8_40",                  GlobalAddress,      Byte(5),  0, &[(0, 8)]),
    row( 90, "R_CUDA_G8_48",                  GlobalAddress,      Byte(6),  0, &[(0, 8)]),
    row( 91, "R_CUDA_G8_56",                  GlobalAddress,      Byte(7),  0, &[(0, 8)]),
    row( 92, "R_CUDA_FUNC_DESC_8_0",          FunctionDescriptor, Byte(0),  0, &[(0, 8)]),
    row( 93, "R_CUDA_FUNC_DESC_8_8",          FunctionDescriptor, Byte(1),  0, &[(0, 8)]),
    row( 94, "R_CUDA_FUNC_DESC_8_16",         FunctionDescriptor, Byte(2),  0, &[(0, 8)]),
    row( 95, "R_CUDA_FUNC_DESC_8_24",         FunctionDescriptor, Byte(3),  0, &[(0, 8)]),
    row( 96, "R_CUDA_FUNC_DESC_8_32",         FunctionDescriptor, Byte(4),  0, &[(0, 8)]),
    row( 97, "R_CUDA_FUNC_DESC_8_40",         FunctionDescriptor, Byte(5),  0, &[(0, 8)]),
    row( 98, "R_CUDA_FUNC_DESC_8_48",         FunctionDescriptor, Byte(6),  0, &[(0, 8)]),
    row( 99, "R_CUDA_FUNC_DESC_8_56",         FunctionDescriptor, Byte(7),  0, &[(0, 8)]),
    row(100, "R_CUDA_ABS20_44",               Absolute,           Whole,    0, &[(44, 20)]),
    row(101, "R_CUDA_SAMP_HEADER_INDEX_0",    Resource,           Whole,    0, &[]),
    row(102, "R_CUDA_UNIFIED",                Unified,            Whole,    0, &[(0, 64)]),
    row(103, "R_CUDA_UNIFIED_32",             Unified,            Whole,    0, &[(0, 32)]),
    row(104, "R_CUDA_UNIFIED_8_0",            Unified,            Byte(0),  0, &[(0, 8)]),
    row(105, "R_CUDA_UNIFIED_8_8",            Unified,            Byte(1),  0, &[(0, 8)]),
    row(106, "R_CUDA_UNIFIED_8_16",           Unified,            Byte(2),  0, &[(0, 8)]),
    row(107, "R_CUDA_UNIFIED_8_24",           Unified,            Byte(3),  0, &[(0, 8)]),
    row(108, "R_CUDA_UNIFIED_8_32",           Unified,            Byte(4),  0, &[(0, 8)]),
    row(109, "R_CUDA_UNIFIED_8_40",           Unified,            Byte(5),  0, &[(0, 8)]),
    row(110, "R_CUDA_UNIFIED_8_48",           Unified,            Byte(6),  0, &[(0, 8)]),
    row(111, "R_CUDA_UNIFIED_8_56",           Unified,            Byte(7),  0, &[(0, 8)]),
    row(112, "R_CUDA_UNIFIED32_LO_32",        Unified,            Low32,    0, &[(32, 32)]),
    row(113, "R_CUDA_UNIFIED32_HI_32",        Unified,            High32,   0, &[(32, 32)]),
    row(114, "R_CUDA_ABS56_16_34",            Absolute,           Whole,    2, &[(16, 8), (34, 48)]),
    row(115, "R_CUDA_CONST_FIELD22_37",       ConstantOffset,     Whole,    0, &[(37, 22)]),
];

impl RelocationType {
    /// The type's row in [`RELOCATIONS`].
    pub fn row(self) -> Option<&'static RelocationRow> {
        let at = RELOCATIONS.binary_search_by_key(&self.0, |row| row.number).ok()?;
        Some(&RELOCATIONS[at])
    }

    /// The name, e.g. `R_CUDA_ABS32_LO_32`; `None` for an unknown number.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<RelocationType> {
        RELOCATIONS
            .iter()
            .find(|row| row.name == name)
            .map(|row| RelocationType(row.number))
    }

    /// Whether this is a relocation of Mercury code: 0x10000 and up.
    pub fn is_mercury(self) -> bool {
        self.0 >= 0x10000
    }
}

impl fmt::Debug for RelocationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "RelocationType({:#x})", self.0),
        }
    }
}
