//! The attributes of `.nv.info` as nvdisasm 13.5 knows them: names, and how it splits their payloads.
//!
//! Observed: nvdisasm 13.5 on a record of each code, with a payload of six distinct words.

/// One field of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Symbol index, 4 bytes.
    Index,
    /// 4 bytes.
    Word,
    /// 2 bytes.
    Short,
    /// 1 byte.
    Byte,
    /// Byte offset in the code section that the record belongs to, 4 bytes.
    Code,
}

/// How a payload is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// These fields once, then bytes.
    Once(&'static [Part]),
    /// These fields over and over, each time under a heading with the count.
    Entries(&'static [Part]),
    /// A word, then code offsets.
    WordThenCode,
    /// Under one heading, kinds and code offsets in turn.
    Annotations,
    /// Under a heading each: the branch, two shorts, the count, and that many targets.
    BranchTargets,
}

/// Name and shape of an attribute.
pub(crate) fn attribute(code: u8) -> (&'static str, Shape) {
    match ATTRIBUTES.binary_search_by_key(&code, |row| row.0) {
        Ok(index) => (ATTRIBUTES[index].1, ATTRIBUTES[index].2),
        Err(_) if (0x2a..=0x6e).contains(&code) && code != 0x56 => ("EIATTR_UNKNOWN", Shape::Once(&[])),
        Err(_) => ("<unknown>", Shape::Once(&[])),
    }
}

#[rustfmt::skip]
const ATTRIBUTES: &[(u8, &str, Shape)] = {
    use Part::{Byte as B, Code as C, Index as I, Short as H, Word as W};
    use Shape::{Annotations, BranchTargets, Entries, Once, WordThenCode};
    &[
        (0x00, "EIATTR_ERROR", Once(&[])),
        (0x01, "EIATTR_PAD", Once(&[])),
        (0x02, "EIATTR_IMAGE_SLOT", Once(&[I, W])),
        (0x03, "EIATTR_JUMPTABLE_RELOCS", Once(&[W, W, W])),
        (0x04, "EIATTR_CTAIDZ_USED", Once(&[])),
        (0x05, "EIATTR_MAX_THREADS", Once(&[W, W, W])),
        (0x06, "EIATTR_IMAGE_OFFSET", Once(&[I, H, H, H, H])),
        (0x07, "EIATTR_IMAGE_SIZE", Once(&[I, W, W, W])),
        (0x08, "EIATTR_TEXTURE_NORMALIZED", Once(&[I, W])),
        (0x09, "EIATTR_SAMPLER_INIT", Once(&[I, B, B, B, B])),
        (0x0a, "EIATTR_PARAM_CBANK", Once(&[I, H, H])),
        (0x0b, "EIATTR_SMEM_PARAM_OFFSETS", Entries(&[W])),
        (0x0c, "EIATTR_CBANK_PARAM_OFFSETS", Entries(&[W])),
        (0x0d, "EIATTR_SYNC_STACK", Once(&[H, H, H, H])),
        (0x0e, "EIATTR_TEXID_SAMPID_MAP", Once(&[W, W])),
        (0x0f, "EIATTR_EXTERNS", Entries(&[I])),
        (0x10, "EIATTR_REQNTID", Once(&[W, W, W])),
        (0x11, "EIATTR_FRAME_SIZE", Once(&[I, W])),
        (0x12, "EIATTR_MIN_STACK_SIZE", Once(&[I, W])),
        (0x13, "EIATTR_SAMPLER_FORCE_UNNORMALIZED", Once(&[I, W])),
        (0x14, "EIATTR_BINDLESS_IMAGE_OFFSETS", Once(&[I])),
        (0x15, "EIATTR_BINDLESS_TEXTURE_BANK", Once(&[])),
        (0x16, "EIATTR_BINDLESS_SURFACE_BANK", Once(&[])),
        (0x17, "EIATTR_KPARAM_INFO", Once(&[I, H, H])),
        (0x18, "EIATTR_SMEM_PARAM_SIZE", Once(&[])),
        (0x19, "EIATTR_CBANK_PARAM_SIZE", Once(&[])),
        (0x1a, "EIATTR_QUERY_NUMATTRIB", Once(&[B, B, B, B])),
        (0x1b, "EIATTR_MAXREG_COUNT", Once(&[])),
        (0x1c, "EIATTR_EXIT_INSTR_OFFSETS", Entries(&[C])),
        (0x1d, "EIATTR_S2RCTAID_INSTR_OFFSETS", Entries(&[C])),
        (0x1e, "EIATTR_CRS_STACK_SIZE", Once(&[W])),
        (0x1f, "EIATTR_NEED_CNP_WRAPPER", Once(&[])),
        (0x20, "EIATTR_NEED_CNP_PATCH", Once(&[])),
        (0x21, "EIATTR_EXPLICIT_CACHING", Once(&[])),
        (0x22, "EIATTR_ISTYPEP_USED", Once(&[])),
        (0x23, "EIATTR_MAX_STACK_SIZE", Once(&[I, W])),
        (0x24, "EIATTR_SUQ_USED", Once(&[])),
        (0x25, "EIATTR_LD_CACHEMOD_INSTR_OFFSETS", Entries(&[C])),
        (0x26, "EIATTR_LOAD_CACHE_REQUEST", Once(&[I, W])),
        (0x27, "EIATTR_ATOM_SYS_INSTR_OFFSETS", Entries(&[C])),
        (0x28, "EIATTR_COOP_GROUP_INSTR_OFFSETS", Entries(&[C])),
        (0x29, "EIATTR_COOP_GROUP_MASK_REGIDS", Entries(&[W])),
        (0x2b, "EIATTR_WMMA_USED", Once(&[])),
        (0x2c, "EIATTR_HAS_PRE_V10_OBJECT", Once(&[])),
        (0x2d, "EIATTR_ATOMF16_EMUL_INSTR_OFFSETS", Entries(&[C])),
        (0x2e, "EIATTR_ATOM16_EMUL_INSTR_REG_MAP", Entries(&[C, H, H])),
        (0x2f, "EIATTR_REGCOUNT", Once(&[I, W])),
        (0x31, "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS", Entries(&[C])),
        (0x32, "EIATTR_SHARED_SCRATCH", Once(&[W, W])),
        (0x33, "EIATTR_STATISTICS", Entries(&[W])),
        (0x34, "EIATTR_INDIRECT_BRANCH_TARGETS", BranchTargets),
        (0x36, "EIATTR_UNKNOWN", Once(&[W])),
        (0x37, "EIATTR_CUDA_API_VERSION", Once(&[W])),
        (0x38, "EIATTR_NUM_MBARRIERS", Once(&[])),
        (0x39, "EIATTR_MBARRIER_INSTR_OFFSETS", Entries(&[C, W, W, H, B, B])),
        (0x3a, "EIATTR_COROUTINE_RESUME_ID_OFFSETS", Entries(&[W, C])),
        (0x3b, "EIATTR_SAM_REGION_STACK_SIZE", Once(&[I, W])),
        (0x3c, "EIATTR_PER_REG_TARGET_PERF_STATS", Once(&[])),
        (0x3d, "EIATTR_CTA_PER_CLUSTER", Once(&[W, W, W])),
        (0x3e, "EIATTR_EXPLICIT_CLUSTER", Once(&[])),
        (0x3f, "EIATTR_MAX_CLUSTER_RANK", Once(&[W])),
        (0x40, "EIATTR_INSTR_REG_MAP", Once(&[C, B, B, H, W])),
        (0x41, "EIATTR_RESERVED_SMEM_USED", Once(&[])),
        (0x42, "EIATTR_RESERVED_SMEM_0_SIZE", Once(&[])),
        (0x43, "EIATTR_UCODE_SECTION_DATA", Entries(&[B])),
        (0x44, "EIATTR_UNUSED_LOAD_BYTE_OFFSET", Entries(&[C, W])),
        (0x45, "EIATTR_KPARAM_INFO_V2", Once(&[I, H, H, H])),
        (0x46, "EIATTR_SYSCALL_OFFSETS", Entries(&[C])),
        (0x47, "EIATTR_UNKNOWN", Entries(&[C])),
        (0x48, "EIATTR_GRAPHICS_GLOBAL_CBANK", Once(&[W])),
        (0x49, "EIATTR_SHADER_TYPE", Once(&[])),
        (0x4a, "EIATTR_VRC_CTA_INIT_COUNT", Once(&[])),
        (0x4b, "EIATTR_TOOLS_PATCH_FUNC", Once(&[])),
        (0x4c, "EIATTR_NUM_BARRIERS", Once(&[])),
        (0x4d, "EIATTR_TEXMODE_INDEPENDENT", Once(&[])),
        (0x4e, "EIATTR_PERF_STATISTICS", Once(&[])),
        (0x4f, "EIATTR_AT_ENTRY_FRAGMENTS", Entries(&[W])),
        (0x50, "EIATTR_SPARSE_MMA_MASK", Once(&[H])),
        (0x51, "EIATTR_TCGEN05_1CTA_USED", Once(&[])),
        (0x52, "EIATTR_TCGEN05_2CTA_USED", Once(&[])),
        (0x53, "EIATTR_GEN_ERRBAR_AT_EXIT", Once(&[])),
        (0x54, "EIATTR_REG_RECONFIG", Once(&[])),
        (0x55, "EIATTR_ANNOTATIONS", Annotations),
        (0x57, "EIATTR_STACK_CANARY_TRAP_OFFSETS", Entries(&[C])),
        (0x58, "EIATTR_STUB_FUNCTION_KIND", Once(&[])),
        (0x59, "EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS", Entries(&[C])),
        (0x5a, "EIATTR_UNKNOWN", Entries(&[H, H])),
        (0x5b, "EIATTR_BLOCKS_ARE_CLUSTERS", Once(&[])),
        (0x5c, "EIATTR_SANITIZE", Once(&[H])),
        (0x5d, "EIATTR_SYSCALLS_FALLBACK", Entries(&[I, I])),
        (0x5e, "EIATTR_CUDA_REQ", Once(&[W])),
        (0x61, "EIATTR_RTCORE_ENTRY", Once(&[])),
        (0x62, "EIATTR_CLUSTER_LAUNCH_CONTROL_USED", Once(&[])),
        (0x64, "EIATTR_MIN_PER_CTA_MEMORY_SIZE", Once(&[W])),
        (0x65, "EIATTR_IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS", Entries(&[C])),
        (0x66, "EIATTR_LANGUAGE", Entries(&[W])),
        (0x68, "EIATTR_GRID_ATTRIBUTES", Once(&[H])),
        (0x69, "EIATTR_STACK_OFFSET", Once(&[W])),
        (0x6a, "EIATTR_RT_LIVESTATE_SASS_MAP", Entries(&[C, W])),
        (0x6c, "EIATTR_INSTR_OFFSETS", WordThenCode),
        (0x6d, "EIATTR_PREEXIT_USED", Once(&[])),
        (0x6f, "EIATTR_ERROR_LAST", Once(&[])),
    ]
};
