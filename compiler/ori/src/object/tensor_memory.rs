//! What a cubin tells of tensor memory (observed, ptxas 13.0.88).
//!
//! Code that allocates it keeps books in a partition of the system's part of shared memory, which the driver's code at the start of a CTA sets up:
//! `EIATTR_AT_ENTRY_FRAGMENTS` says for single CTAs or for pairs.

use warpsmith_cubin::{InfoRecord, Symbol, SymbolBinding, SymbolType};
use warpsmith_ptx::{
    module::{Function, Module, Statement},
    table::Modifier as M,
};
use warpsmith_sass::{Instruction as Word, MemorySpace, Opcode as O};

use super::attributes::{flag, sized};

/// Bytes of the partition.
pub(super) const PARTITION_BYTES: u64 = 0x20;
/// `AT_ENTRY_FRAGMENT_TMEM_CTA1_V2` and `AT_ENTRY_FRAGMENT_TMEM_CTA2_V2`.
const ENTRY_FRAGMENTS: [u32; 2] = [6, 7];
/// The bit of `EIATTR_SPARSE_MMA_MASK` for products of sparse matrices in tensor memory.
const SPARSE: u16 = 0x40;
/// Virtual resources of a CTA that uses tensor memory.
const RESOURCES: u8 = 0x80;

/// The symbol of the partition.
pub(super) fn partition(start: u64) -> Symbol {
    Symbol {
        name: "__nv_reservedSMEM_tcgen05_partition".to_string(),
        binding: SymbolBinding::WEAK,
        symbol_type: SymbolType::OBJECT,
        value: start,
        size: PARTITION_BYTES,
        ..Symbol::null()
    }
}

/// Whether code allocates tensor memory, frees it, or gives up to.
pub(super) fn allocates(words: &[Word]) -> bool {
    words
        .iter()
        .any(|word| matches!(word.opcode(), O::Utcatomsws | O::Uvirtcount))
}

/// What a kernel does with tensor memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TensorMemoryUse {
    allocates: bool,
    accesses: bool,
    sparse: bool,
    /// Single CTAs, pairs.
    groups: [bool; 2],
}

impl TensorMemoryUse {
    /// Of a kernel with this code; device functions may be called by it.
    pub(super) fn of(module: &Module, source: &Function, words: &[Word]) -> TensorMemoryUse {
        let on_tensor = |word: &Word| {
            let touches = word.memory().iter().any(|access| access.space == MemorySpace::Tensor);
            touches || word.opcode() == O::Utcbar
        };
        let devices = module.functions.iter().filter(|function| !function.kernel);
        let mut found = TensorMemoryUse {
            allocates: allocates(words),
            accesses: words.iter().any(on_tensor),
            ..TensorMemoryUse::default()
        };
        for body in devices.chain([source]).filter_map(|function| function.body.as_ref()) {
            for statement in &body.statements {
                let Statement::Instruction(instruction) = statement else {
                    continue;
                };
                let Some(variant) = module.variants.get(instruction.variant.0 as usize) else {
                    continue;
                };
                let is_tensor = variant.opcode.name().starts_with("tcgen05.");
                found.sparse |= is_tensor && variant.has(M::Sp);
                found.groups[0] |= is_tensor && variant.has(M::CtaGroup1);
                found.groups[1] |= is_tensor && variant.has(M::CtaGroup2);
            }
        }
        found
    }

    /// Which code of the driver starts the kernel, and that the system's part of shared memory is used.
    pub(super) fn partition(self) -> impl Iterator<Item = InfoRecord> {
        let fragments = ENTRY_FRAGMENTS[usize::from(self.groups[1])];
        let records = [
            sized("EIATTR_AT_ENTRY_FRAGMENTS", &[fragments]),
            flag("EIATTR_RESERVED_SMEM_USED"),
        ];
        records.into_iter().flatten().filter(move |_| self.allocates)
    }

    /// Whether single CTAs or pairs work together.
    pub(super) fn groups(self) -> impl Iterator<Item = InfoRecord> {
        let [single, pair] = self.groups;
        let of = |used: bool, name| if used { flag(name) } else { None };
        let records = [
            of(single, "EIATTR_TCGEN05_1CTA_USED"),
            of(pair, "EIATTR_TCGEN05_2CTA_USED"),
        ];
        records.into_iter().flatten()
    }

    /// The mask of sparse products.
    pub(super) fn sparse_products(self) -> u16 {
        if self.sparse { SPARSE } else { 0 }
    }

    /// The virtual resources with which a CTA starts.
    pub(super) fn virtual_resources(self) -> u8 {
        if self.accesses { RESOURCES } else { 0 }
    }
}
