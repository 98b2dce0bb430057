//! EIATTR: the attributes of `.nv.info` records.
//!
//! Names and payloads were observed with nvdisasm 13.5 and cuobjdump 13.1 on files whose `.nv.info` section
//! held every code from 0x00 to 0xff in every format, with payloads of 0 to 24 bytes. Codes that both print
//! as unknown (0x56, 0x60, 0x63, 0x67, 0x6e and everything beyond 0x6f) have no row.
//! Formats are those that ptxas 13.0 writes. The names of rows with `listed` false are public facts from the
//! reference that nvdisasm hides behind `EIATTR_UNKNOWN`.

use std::fmt;

use crate::info::InfoFormat::{self, Byte as ByteValue, Half as HalfValue, NoValue, Sized};

/// An attribute code: byte 1 of a `.nv.info` record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Eiattr(pub u8);

/// A field of a sized payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// 32-bit symbol index; nvdisasm prints `.word index@(name)` after an `.align`.
    Symbol,
    /// 32-bit number; nvdisasm prints `.word`.
    Word,
    /// 32-bit byte offset in the function's code; nvdisasm prints a label with `@srel`.
    CodeOffset,
    /// 16-bit number; nvdisasm prints `.short` (`.zero 2` for a zero last field).
    Half,
    /// 8-bit number; nvdisasm prints `.byte`, or `.zero 1` for zero.
    Byte,
}

impl Field {
    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Field::Symbol | Field::Word | Field::CodeOffset => 4,
            Field::Half => 2,
            Field::Byte => 1,
        }
    }
}

/// What a sized payload holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payload {
    /// Unstructured bytes.
    Opaque,
    /// These fields, then unstructured bytes to the end.
    Record(&'static [Field]),
    /// These fields repeated to the end; nvdisasm numbers each element in a comment.
    List(&'static [Field]),
    /// As [`Payload::List`], with one number for the whole.
    PairList(&'static [Field]),
    /// The first fields once, then the others repeated, without numbers.
    HeadedList(&'static [Field], &'static [Field]),
    /// Repeated and numbered: code offset, two halves, a word that counts, and that many code offsets.
    IndirectBranchTargets,
}

/// One attribute.
#[derive(Clone, Copy, Debug)]
pub struct EiattrRow {
    /// The code.
    pub code: u8,
    /// The name.
    pub name: &'static str,
    /// Whether nvdisasm 13.5 prints the name; it prints `EIATTR_UNKNOWN` otherwise.
    pub listed: bool,
    /// The format that ptxas 13.0 writes; `None` where no file with the attribute was seen.
    pub format: Option<InfoFormat>,
    /// The payload in format `EIFMT_SVAL`.
    pub payload: Payload,
    /// What the value means; empty where it is not known.
    pub meaning: &'static str,
}

const fn row(
    code: u8,
    name: &'static str,
    listed: bool,
    format: Option<InfoFormat>,
    payload: Payload,
    meaning: &'static str,
) -> EiattrRow {
    EiattrRow {
        code,
        name,
        listed,
        format,
        payload,
        meaning,
    }
}

use Field::{Byte, CodeOffset, Half, Symbol, Word};
use Payload::{HeadedList, IndirectBranchTargets, List, Opaque, PairList, Record};

/// All attributes, by code.
#[rustfmt::skip]
pub const EIATTRS: &[EiattrRow] = &[
    row(0x00, "EIATTR_ERROR",                                 true, None,           Opaque,                                       ""),
    row(0x01, "EIATTR_PAD",                                   true, None,           Opaque,                                       ""),
    row(0x02, "EIATTR_IMAGE_SLOT",                            true, None,           Record(&[Symbol, Word]),                      ""),
    row(0x03, "EIATTR_JUMPTABLE_RELOCS",                      true, None,           Record(&[Word, Word, Word]),                  ""),
    row(0x04, "EIATTR_CTAIDZ_USED",                           true, Some(NoValue),  Opaque,                                       "the kernel reads CTAID.Z"),
    row(0x05, "EIATTR_MAX_THREADS",                           true, Some(Sized),    Record(&[Word, Word, Word]),                  ".maxntid: threads per block in x, y, z"),
    row(0x06, "EIATTR_IMAGE_OFFSET",                          true, None,           Record(&[Symbol, Half, Half, Half, Half]),    ""),
    row(0x07, "EIATTR_IMAGE_SIZE",                            true, None,           Record(&[Symbol, Word, Word, Word]),          ""),
    row(0x08, "EIATTR_TEXTURE_NORMALIZED",                    true, None,           Record(&[Symbol, Word]),                      ""),
    row(0x09, "EIATTR_SAMPLER_INIT",                          true, None,           Record(&[Symbol, Byte, Byte, Byte, Byte]),    ""),
    row(0x0a, "EIATTR_PARAM_CBANK",                           true, Some(Sized),    Record(&[Symbol, Half, Half]),                "the symbol of the bank, byte offset and size of the parameters"),
    row(0x0b, "EIATTR_SMEM_PARAM_OFFSETS",                    true, None,           List(&[Word]),                                ""),
    row(0x0c, "EIATTR_CBANK_PARAM_OFFSETS",                   true, None,           List(&[Word]),                                ""),
    row(0x0d, "EIATTR_SYNC_STACK",                            true, None,           Record(&[Half, Half, Half, Half]),            ""),
    row(0x0e, "EIATTR_TEXID_SAMPID_MAP",                      true, None,           Record(&[Word, Word]),                        ""),
    row(0x0f, "EIATTR_EXTERNS",                               true, Some(Sized),    List(&[Symbol]),                              "external functions that the function calls"),
    row(0x10, "EIATTR_REQNTID",                               true, Some(Sized),    Record(&[Word, Word, Word]),                  ".reqntid: threads per block in x, y, z"),
    row(0x11, "EIATTR_FRAME_SIZE",                            true, Some(Sized),    Record(&[Symbol, Word]),                      "stack frame, bytes per thread"),
    row(0x12, "EIATTR_MIN_STACK_SIZE",                        true, Some(Sized),    Record(&[Symbol, Word]),                      "least stack, bytes per thread, of a kernel with its callees"),
    row(0x13, "EIATTR_SAMPLER_FORCE_UNNORMALIZED",            true, None,           Record(&[Symbol, Word]),                      ""),
    row(0x14, "EIATTR_BINDLESS_IMAGE_OFFSETS",                true, None,           Record(&[Symbol]),                            ""),
    row(0x15, "EIATTR_BINDLESS_TEXTURE_BANK",                 true, Some(ByteValue),     Opaque,                                       "bank of bindless textures"),
    row(0x16, "EIATTR_BINDLESS_SURFACE_BANK",                 true, Some(ByteValue),     Opaque,                                       "bank of bindless surfaces"),
    row(0x17, "EIATTR_KPARAM_INFO",                           true, Some(Sized),    Record(&[Symbol, Half, Half]),                "a parameter: function index, ordinal, byte offset; then a word of pointee alignment (log2), space, bank and size"),
    row(0x18, "EIATTR_SMEM_PARAM_SIZE",                       true, None,           Opaque,                                       ""),
    row(0x19, "EIATTR_CBANK_PARAM_SIZE",                      true, Some(HalfValue),     Opaque,                                       "size of the parameters in bytes"),
    row(0x1a, "EIATTR_QUERY_NUMATTRIB",                       true, None,           Record(&[Byte, Byte, Byte, Byte]),            "attributes in a query descriptor"),
    row(0x1b, "EIATTR_MAXREG_COUNT",                          true, Some(HalfValue),     Opaque,                                       "limit of registers per thread"),
    row(0x1c, "EIATTR_EXIT_INSTR_OFFSETS",                    true, Some(Sized),    List(&[CodeOffset]),                          "offsets of EXIT instructions"),
    row(0x1d, "EIATTR_S2RCTAID_INSTR_OFFSETS",                true, None,           List(&[CodeOffset]),                          ""),
    row(0x1e, "EIATTR_CRS_STACK_SIZE",                        true, Some(Sized),    Record(&[Word]),                              "call/return stack in bytes"),
    row(0x1f, "EIATTR_NEED_CNP_WRAPPER",                      true, None,           Opaque,                                       ""),
    row(0x20, "EIATTR_NEED_CNP_PATCH",                        true, None,           Opaque,                                       ""),
    row(0x21, "EIATTR_EXPLICIT_CACHING",                      true, None,           Opaque,                                       ""),
    row(0x22, "EIATTR_ISTYPEP_USED",                          true, None,           Opaque,                                       ""),
    row(0x23, "EIATTR_MAX_STACK_SIZE",                        true, Some(Sized),    Record(&[Symbol, Word]),                      "most stack, bytes per thread, of a function (relocatable files)"),
    row(0x24, "EIATTR_SUQ_USED",                              true, None,           Opaque,                                       ""),
    row(0x25, "EIATTR_LD_CACHEMOD_INSTR_OFFSETS",             true, None,           List(&[CodeOffset]),                          ""),
    row(0x26, "EIATTR_LOAD_CACHE_REQUEST",                    true, None,           Record(&[Symbol, Word]),                      ""),
    row(0x27, "EIATTR_ATOM_SYS_INSTR_OFFSETS",                true, None,           List(&[CodeOffset]),                          ""),
    row(0x28, "EIATTR_COOP_GROUP_INSTR_OFFSETS",              true, Some(Sized),    List(&[CodeOffset]),                          "offsets of cooperative-group instructions"),
    row(0x29, "EIATTR_COOP_GROUP_MASK_REGIDS",                true, Some(Sized),    List(&[Word]),                                "register that holds the mask of each such instruction; 0xffffffff for none"),
    row(0x2a, "EIATTR_SW1850030_WAR",                         false, None,           Opaque,                                       ""),
    row(0x2b, "EIATTR_WMMA_USED",                             true, None,           Opaque,                                       ""),
    row(0x2c, "EIATTR_HAS_PRE_V10_OBJECT",                    true, None,           Opaque,                                       ""),
    row(0x2d, "EIATTR_ATOMF16_EMUL_INSTR_OFFSETS",            true, None,           List(&[CodeOffset]),                          ""),
    row(0x2e, "EIATTR_ATOM16_EMUL_INSTR_REG_MAP",             true, Some(Sized),    List(&[CodeOffset, Half, Half]),              "emulated 16-bit atomics and their registers"),
    row(0x2f, "EIATTR_REGCOUNT",                              true, Some(Sized),    Record(&[Symbol, Word]),                      "registers per thread"),
    row(0x30, "EIATTR_SW2393858_WAR",                         false, None,           Opaque,                                       ""),
    row(0x31, "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS",           true, Some(Sized),    List(&[CodeOffset]),                          "offsets of warp-wide integer instructions"),
    row(0x32, "EIATTR_SHARED_SCRATCH",                        true, None,           Record(&[Word, Word]),                        ""),
    row(0x33, "EIATTR_STATISTICS",                            true, None,           List(&[Word]),                                ""),
    row(0x34, "EIATTR_INDIRECT_BRANCH_TARGETS",               true, Some(Sized),    IndirectBranchTargets,                        "for each indirect branch: its offset, two 16-bit fields, count, targets"),
    row(0x35, "EIATTR_SW2861232_WAR",                         false, Some(NoValue),  Opaque,                                       "a workaround was applied"),
    row(0x36, "EIATTR_SW_WAR",                                false, Some(Sized),    Record(&[Word]),                              "bit set of software workarounds applied"),
    row(0x37, "EIATTR_CUDA_API_VERSION",                      true, Some(Sized),    Record(&[Word]),                              "CUDA version that the code was made with, e.g. 0x82 for 13.0"),
    row(0x38, "EIATTR_NUM_MBARRIERS",                         true, Some(HalfValue),     Opaque,                                       "mbarriers used"),
    row(0x39, "EIATTR_MBARRIER_INSTR_OFFSETS",                true, Some(Sized),    List(&[CodeOffset, Word, Word, Half, Byte, Byte]), "for each mbarrier instruction: its offset and five numbers"),
    row(0x3a, "EIATTR_COROUTINE_RESUME_ID_OFFSETS",           true, None,           List(&[Word, CodeOffset]),                    ""),
    row(0x3b, "EIATTR_SAM_REGION_STACK_SIZE",                 true, None,           Record(&[Symbol, Word]),                      ""),
    row(0x3c, "EIATTR_PER_REG_TARGET_PERF_STATS",             true, None,           Opaque,                                       ""),
    row(0x3d, "EIATTR_CTA_PER_CLUSTER",                       true, Some(Sized),    Record(&[Word, Word, Word]),                  ".reqnctapercluster: blocks per cluster in x, y, z"),
    row(0x3e, "EIATTR_EXPLICIT_CLUSTER",                      true, Some(NoValue),  Opaque,                                       ".explicitcluster"),
    row(0x3f, "EIATTR_MAX_CLUSTER_RANK",                      true, Some(Sized),    Record(&[Word]),                              ".maxclusterrank"),
    row(0x40, "EIATTR_INSTR_REG_MAP",                         true, Some(Sized),    Record(&[CodeOffset, Byte, Byte, Half, Word]), "a patched instruction and its registers"),
    row(0x41, "EIATTR_RESERVED_SMEM_USED",                    true, Some(NoValue),  Opaque,                                       "system-reserved shared memory is used"),
    row(0x42, "EIATTR_RESERVED_SMEM_0_SIZE",                  true, None,           Opaque,                                       ""),
    row(0x43, "EIATTR_UCODE_SECTION_DATA",                    true, None,           List(&[Byte]),                                ""),
    row(0x44, "EIATTR_UNUSED_LOAD_BYTE_OFFSET",               true, Some(Sized),    List(&[CodeOffset, Word]),                    "loads of which some bytes are unused"),
    row(0x45, "EIATTR_KPARAM_INFO_V2",                        true, None,           Record(&[Symbol, Half, Half, Half, Half]),    "a parameter of many bytes: function index, ordinal, byte offset, size, pointee"),
    row(0x46, "EIATTR_SYSCALL_OFFSETS",                       true, Some(Sized),    List(&[CodeOffset]),                          "offsets of calls into the system"),
    row(0x47, "EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS",       false, None,           List(&[CodeOffset]),                          ""),
    row(0x48, "EIATTR_GRAPHICS_GLOBAL_CBANK",                 true, None,           Record(&[Word]),                              ""),
    row(0x49, "EIATTR_SHADER_TYPE",                           true, None,           Opaque,                                       ""),
    row(0x4a, "EIATTR_VRC_CTA_INIT_COUNT",                    true, Some(ByteValue),     Opaque,                                       ""),
    row(0x4b, "EIATTR_TOOLS_PATCH_FUNC",                      true, None,           Opaque,                                       ""),
    row(0x4c, "EIATTR_NUM_BARRIERS",                          true, Some(ByteValue),     Opaque,                                       "hardware barriers used"),
    row(0x4d, "EIATTR_TEXMODE_INDEPENDENT",                   true, Some(NoValue),  Opaque,                                       "independent texture mode"),
    row(0x4e, "EIATTR_PERF_STATISTICS",                       true, None,           Opaque,                                       ""),
    row(0x4f, "EIATTR_AT_ENTRY_FRAGMENTS",                    true, Some(Sized),    List(&[Word]),                                "numbers of code fragments that run at entry"),
    row(0x50, "EIATTR_SPARSE_MMA_MASK",                       true, Some(HalfValue),     Record(&[Half, Half]),                        "mask of sparse matrix instructions"),
    row(0x51, "EIATTR_TCGEN05_1CTA_USED",                     true, Some(NoValue),  Opaque,                                       "tcgen05 with one block is used"),
    row(0x52, "EIATTR_TCGEN05_2CTA_USED",                     true, Some(NoValue),  Opaque,                                       "tcgen05 with two blocks is used"),
    row(0x53, "EIATTR_GEN_ERRBAR_AT_EXIT",                    true, Some(NoValue),  Opaque,                                       "an error barrier is due at exit"),
    row(0x54, "EIATTR_REG_RECONFIG",                          true, None,           Opaque,                                       ""),
    row(0x55, "EIATTR_ANNOTATIONS",                           true, Some(Sized),    PairList(&[Word, CodeOffset]),                "compiler annotations: kind, offset"),
    row(0x57, "EIATTR_STACK_CANARY_TRAP_OFFSETS",             true, None,           List(&[CodeOffset]),                          ""),
    row(0x58, "EIATTR_STUB_FUNCTION_KIND",                    true, None,           Opaque,                                       ""),
    row(0x59, "EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS",         true, None,           List(&[CodeOffset]),                          ""),
    row(0x5a, "EIATTR_MERCURY_FINALIZER_OPTIONS",             false, Some(Sized),    List(&[Half, Half]),                          "options for the finalizer"),
    row(0x5b, "EIATTR_BLOCKS_ARE_CLUSTERS",                   true, Some(NoValue),  Opaque,                                       ".blocksareclusters"),
    row(0x5c, "EIATTR_SANITIZE",                              true, None,           Record(&[Half, Half]),                        ""),
    row(0x5d, "EIATTR_SYSCALLS_FALLBACK",                     true, None,           List(&[Symbol]),                              ""),
    row(0x5e, "EIATTR_CUDA_REQ",                              true, None,           Record(&[Word]),                              ""),
    row(0x5f, "EIATTR_MERCURY_ISA_VERSION",                   false, Some(HalfValue),     Opaque,                                       "Mercury ISA version: major in the high byte"),
    row(0x61, "EIATTR_RTCORE_ENTRY",                          true, None,           Opaque,                                       ""),
    row(0x62, "EIATTR_CLUSTER_LAUNCH_CONTROL_USED",           true, None,           Opaque,                                       ""),
    row(0x64, "EIATTR_MIN_PER_CTA_MEMORY_SIZE",               true, None,           Record(&[Word]),                              ""),
    row(0x65, "EIATTR_IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS", true, None,           List(&[CodeOffset]),                          ""),
    row(0x66, "EIATTR_LANGUAGE",                              true, None,           List(&[Word]),                                "source language"),
    row(0x68, "EIATTR_GRID_ATTRIBUTES",                       true, None,           Record(&[Half, Half]),                        ""),
    row(0x69, "EIATTR_STACK_OFFSET",                          true, None,           Record(&[Word]),                              ""),
    row(0x6a, "EIATTR_RT_LIVESTATE_SASS_MAP",                 true, None,           List(&[CodeOffset, Word]),                    ""),
    row(0x6b, "EIATTR_NVSAL_SW_WAR",                          false, None,           Opaque,                                       ""),
    row(0x6c, "EIATTR_INSTR_OFFSETS",                         true, None,           HeadedList(&[Word], &[CodeOffset]),           ""),
    row(0x6d, "EIATTR_PREEXIT_USED",                          true, None,           Opaque,                                       ""),
    row(0x6f, "EIATTR_ERROR_LAST",                            true, None,           Opaque,                                       ""),
];

impl Eiattr {
    /// `EIATTR_REGCOUNT`.
    pub const REGCOUNT: Eiattr = Eiattr(0x2f);
    /// `EIATTR_KPARAM_INFO`.
    pub const KPARAM_INFO: Eiattr = Eiattr(0x17);
    /// `EIATTR_KPARAM_INFO_V2`.
    pub const KPARAM_INFO_V2: Eiattr = Eiattr(0x45);

    /// The attribute's row in [`EIATTRS`].
    pub fn row(self) -> Option<&'static EiattrRow> {
        let at = EIATTRS.binary_search_by_key(&self.0, |row| row.code).ok()?;
        Some(&EIATTRS[at])
    }

    /// The name, e.g. `EIATTR_REGCOUNT`; `None` for an unknown code.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// The attribute of this name.
    pub fn from_name(name: &str) -> Option<Eiattr> {
        EIATTRS.iter().find(|row| row.name == name).map(|row| Eiattr(row.code))
    }

    /// What nvdisasm 13.5 prints after `nvinfo :`.
    pub fn listing_name(self) -> &'static str {
        match self.row() {
            Some(row) if row.listed => row.name,
            Some(_) => UNKNOWN,
            None if HIDDEN.contains(&self.0) => UNKNOWN,
            None => "<unknown>",
        }
    }

    /// What the payload holds.
    pub fn payload(self) -> Payload {
        self.row().map_or(Payload::Opaque, |row| row.payload)
    }
}

const UNKNOWN: &str = "EIATTR_UNKNOWN";
/// Codes without a row that nvdisasm prints as [`UNKNOWN`] rather than `<unknown>`.
const HIDDEN: [u8; 4] = [0x60, 0x63, 0x67, 0x6e];

impl fmt::Debug for Eiattr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Eiattr({:#x})", self.0),
        }
    }
}

/// A parameter of a kernel: the payload of `EIATTR_KPARAM_INFO`, or of `EIATTR_KPARAM_INFO_V2`, which kernels have whose parameters are more bytes than the
/// first form is for ([`KernelParameter::FEW_BYTES`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    /// Index field (0 in files of ptxas 13).
    pub index: u32,
    /// Position in the parameter list, from 0.
    pub ordinal: u16,
    /// Byte offset in the parameter area.
    pub offset: u16,
    /// Size in bytes: 14 bits in the first form, 16 in the second.
    pub size: u16,
    /// What a pointer is to: the alignment (log2) in bits 0 to 7, the space in bits 8 to 11.
    pub pointee: u16,
}

impl KernelParameter {
    /// Bytes of all parameters up to which ptxas 13 writes the first form (observed), whatever the PTX version is.
    pub const FEW_BYTES: u32 = 0x1100;

    /// Bits 12 to 17 of the last word of the first form: 0x1f, the parameter bank, and bit 17 clear, as the parameter is in the constant bank.
    const BANK: u32 = 0x1f << 12;

    /// Reads a record; `None` if it is none of a parameter.
    pub fn from_record(attribute: Eiattr, payload: &[u8]) -> Option<Self> {
        let half = |at: usize| Some(u16::from_le_bytes([*payload.get(at)?, *payload.get(at + 1)?]));
        let (index, ordinal, offset) = (u32::from(half(0)?) | u32::from(half(2)?) << 16, half(4)?, half(6)?);
        let (size, pointee) = match (attribute, payload.len()) {
            (Eiattr::KPARAM_INFO, 12) => (half(10)? >> 2, half(8)? & 0xfff),
            (Eiattr::KPARAM_INFO_V2, 12) => (half(8)?, half(10)?),
            _ => return None,
        };
        Some(KernelParameter {
            index,
            ordinal,
            offset,
            size,
            pointee,
        })
    }

    /// The attribute and the payload, of a kernel whose parameters have so many bytes.
    pub fn to_record(self, all_bytes: u32) -> (Eiattr, [u8; 12]) {
        let (attribute, last) = if all_bytes <= Self::FEW_BYTES {
            let last = u32::from(self.size) << 18 | Self::BANK | u32::from(self.pointee);
            (Eiattr::KPARAM_INFO, last)
        } else {
            (
                Eiattr::KPARAM_INFO_V2,
                u32::from(self.size) | u32::from(self.pointee) << 16,
            )
        };
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&self.index.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.ordinal.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..].copy_from_slice(&last.to_le_bytes());
        (attribute, bytes)
    }
}
