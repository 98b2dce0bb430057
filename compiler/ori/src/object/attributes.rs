//! The records of `.nv.info`, `.nv.info.NAME` and `.nv.compat`: what the loader and the tools know of the module and of each function.
//!
//! Order and values: observed, ptxas 13.0.88, over 6,473 files.

use warpsmith_cubin::{Eiattr, InfoRecord, InfoValue, eiattr::KernelParameter};
use warpsmith_ptx::module::{FunctionDirective, Module, Pointer, Space, Statement};
use warpsmith_sass::{FieldName, Instruction as Word, Opcode as O};
use warpsmith_target::{Isa, Sm};

use super::tensor_memory::TensorMemoryUse;
use super::{
    Compiled,
    text::{WORD, exits},
};
use crate::{allocate::budget::general, ir::Function};

/// `EIATTR_CUDA_API_VERSION`: 13.0.
const API_VERSION: u32 = 0x82;
/// No register: the mask of a warp instruction is all threads.
const ALL_THREADS: u32 = u32::MAX;
/// Marks a register number in `EIATTR_COOP_GROUP_MASK_REGIDS`.
const IN_REGISTER: u32 = 0x0500_0000;

/// A record with words as its value.
pub(super) fn sized(name: &str, words: &[u32]) -> Option<InfoRecord> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(InfoRecord::new(Eiattr::from_name(name)?, InfoValue::Sized(bytes)))
}

fn half(name: &str, value: u16) -> Option<InfoRecord> {
    Some(InfoRecord::new(Eiattr::from_name(name)?, InfoValue::Half(value)))
}

pub(super) fn byte(name: &str, value: u8) -> Option<InfoRecord> {
    Some(InfoRecord::new(Eiattr::from_name(name)?, InfoValue::Byte(value, 0)))
}

/// A record without a value.
pub(super) fn flag(name: &str) -> Option<InfoRecord> {
    Some(InfoRecord::new(Eiattr::from_name(name)?, InfoValue::NoValue([0, 0])))
}

/// The software workarounds that code for an SM needs, as a set of bits.
fn workarounds(sm: Sm) -> Option<u32> {
    match sm.isa() {
        Isa::Sm75 => Some(1),
        Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => None,
        Isa::Sm120 => Some(0),
        Isa::Sm90 | Isa::Sm100 | Isa::Sm103 | Isa::Sm110 => Some(8),
    }
}

/// `.nv.info` of a module without functions.
pub(super) fn empty_module(sm: Sm) -> Option<InfoRecord> {
    half("EIATTR_MERCURY_ISA_VERSION", mercury(sm.isa()))
}

/// Version of the intermediate form that later generations are finalised from.
fn mercury(isa: Isa) -> u16 {
    if isa < Isa::Sm90 { 0 } else { 0x0101 }
}

/// Calls of functions that are not in the file: those of the system, and in a relocatable file those of others.
#[derive(Debug, Default)]
pub(super) struct Externals {
    /// The symbols of the functions, each once.
    symbols: Vec<u32>,
    /// Byte offsets of the calls.
    places: Vec<u32>,
}

impl Externals {
    /// Adds a call; `place` is told of calls of the system.
    pub(super) fn add(&mut self, symbol: u32, place: Option<u32>) {
        if !self.symbols.contains(&symbol) {
            self.symbols.push(symbol);
        }
        self.places.extend(place);
    }
}

/// Figures of a function's code, for `--compiler-annotations`: words, each with a type of record (3: a text), its bytes, and the text, filled up to
/// words. (Observed, ptxas 13.0.88.)
fn annotations(compiled: &Compiled) -> Option<InfoRecord> {
    const TEXT: u32 = 3;
    let text = format!(
        "instr/R-regs: {} instructions, {} R-regs\0",
        compiled.code.words.len(),
        compiled.registers
    );
    let mut bytes: Vec<u8> = [TEXT, text.len() as u32]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Some(InfoRecord::new(
        Eiattr::from_name("EIATTR_ANNOTATIONS")?,
        InfoValue::Sized(bytes),
    ))
}

/// What is told of a kernel. `bank` is the symbol of its parameter bank.
pub(super) fn kernel(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    compiled: &Compiled,
    bank: u32,
    externals: &Externals,
    annotated: bool,
) -> Vec<InfoRecord> {
    let function = &compiled.function;
    let isa = function.isa();
    let old = isa < Isa::Sm90;
    let tensor = TensorMemoryUse::of(module, source, &compiled.code.words);
    let mut records = Vec::new();
    if old {
        records.extend(workarounds(function.sm).and_then(|bits| sized("EIATTR_SW_WAR", &[bits])));
    }
    records.extend(sized("EIATTR_CUDA_API_VERSION", &[API_VERSION]));
    if matches!(isa, Isa::Sm80 | Isa::Sm86) {
        records.extend(flag("EIATTR_SW2861232_WAR"));
    }
    if old {
        parameter_bank(function, bank, &mut records);
    }
    parameters(module, source, function, &mut records);
    if !old {
        cluster(source, &mut records);
        records.extend(tensor.partition());
        records.extend(half("EIATTR_SPARSE_MMA_MASK", tensor.sparse_products()));
        records.extend(tensor.groups());
    }
    if uses_wmma(module, source) {
        records.extend(flag("EIATTR_WMMA_USED"));
    }
    limits(function, externals, &mut records);
    records.extend(annotated.then(|| annotations(compiled)).flatten());
    records.extend(half("EIATTR_MERCURY_ISA_VERSION", mercury(isa)));
    warp_wide(&compiled.code.words, &mut records);
    if isa >= Isa::Sm100 {
        records.extend(byte("EIATTR_VRC_CTA_INIT_COUNT", tensor.virtual_resources()));
    }
    if !externals.places.is_empty() {
        records.extend(sized("EIATTR_SYSCALL_OFFSETS", &externals.places));
    }
    places(compiled, &mut records);
    if !old {
        let (size, place) = bank_records(function, bank);
        records.extend(size);
        records.extend(place);
        records.extend(workarounds(function.sm).and_then(|bits| sized("EIATTR_SW_WAR", &[bits])));
    }
    records
}

/// What is told of a device function.
pub(super) fn function(compiled: &Compiled) -> Vec<InfoRecord> {
    let mut records = versions(&compiled.function);
    records.extend(tables(compiled));
    records
}

/// What the rest of a device function's records stands on.
fn versions(function: &Function) -> Vec<InfoRecord> {
    let mut records: Vec<InfoRecord> = sized("EIATTR_CUDA_API_VERSION", &[API_VERSION]).into_iter().collect();
    if matches!(function.isa(), Isa::Sm80 | Isa::Sm86) {
        records.extend(flag("EIATTR_SW2861232_WAR"));
    }
    records
}

/// What is told of a device function of a relocatable file, which a kernel of another file may call.
pub(super) fn linked_function(compiled: &Compiled, externals: &Externals, annotated: bool) -> Vec<InfoRecord> {
    let function = &compiled.function;
    let isa = function.isa();
    let old = isa < Isa::Sm90;
    let mut records = Vec::new();
    let bits = workarounds(function.sm).and_then(|bits| sized("EIATTR_SW_WAR", &[bits]));
    if old {
        records.extend(bits.clone());
    }
    records.extend(versions(function));
    if !old {
        records.extend(half("EIATTR_SPARSE_MMA_MASK", 0));
    }
    if function.barriers > 0 {
        records.extend(byte("EIATTR_NUM_BARRIERS", function.barriers));
    }
    if !externals.symbols.is_empty() {
        records.extend(sized("EIATTR_EXTERNS", &externals.symbols));
    }
    records.extend(annotated.then(|| annotations(compiled)).flatten());
    records.extend(half("EIATTR_MERCURY_ISA_VERSION", mercury(isa)));
    if isa >= Isa::Sm100 {
        records.extend(byte("EIATTR_VRC_CTA_INIT_COUNT", 0));
    }
    records.extend(tables(compiled));
    records.extend(divergence(compiled));
    if !old {
        records.extend(bits);
    }
    records
}

/// Where branches by tables go.
fn tables(compiled: &Compiled) -> Option<InfoRecord> {
    let tables = compiled.code.tables.iter().flat_map(|table| {
        let head = [table.index as u32 * WORD as u32, 0, table.targets.len() as u32];
        head.into_iter().chain(table.targets.iter().copied())
    });
    let tables: Vec<u32> = tables.collect();
    match tables.is_empty() {
        true => None,
        false => sized("EIATTR_INDIRECT_BRANCH_TARGETS", &tables),
    }
}

/// That threads of a warp part.
fn divergence(compiled: &Compiled) -> Option<InfoRecord> {
    let diverges = |word: &Word| matches!(word.opcode(), O::Bssy | O::Break);
    match compiled.code.words.iter().any(diverges) {
        true => sized("EIATTR_CRS_STACK_SIZE", &[0]),
        false => None,
    }
}

/// Whether a function has instructions of the `wmma` family.
fn uses_wmma(module: &Module, source: &warpsmith_ptx::module::Function) -> bool {
    let statements = source.body.iter().flat_map(|body| &body.statements);
    let mut instructions = statements.filter_map(|statement| match statement {
        Statement::Instruction(instruction) => module.variants.get(instruction.variant.0 as usize),
        _ => None,
    });
    instructions.any(|variant| variant.opcode.name().starts_with("wmma."))
}

/// Bytes of parameters.
pub(super) fn parameter_bytes(function: &Function) -> u32 {
    function.parameters.iter().map(|p| p.offset + p.size).max().unwrap_or(0)
}

fn bank_records(function: &Function, bank: u32) -> (Option<InfoRecord>, Option<InfoRecord>) {
    let (base, bytes) = (u32::from(function.constants().parameters), parameter_bytes(function));
    if function.parameters.is_empty() {
        return (None, None);
    }
    (
        half("EIATTR_CBANK_PARAM_SIZE", bytes as u16),
        sized("EIATTR_PARAM_CBANK", &[bank, base | bytes << 16]),
    )
}

fn parameter_bank(function: &Function, bank: u32, records: &mut Vec<InfoRecord>) {
    let (size, place) = bank_records(function, bank);
    records.extend(place);
    records.extend(size);
}

/// The parameters, the last one first.
fn parameters(
    module: &Module,
    source: &warpsmith_ptx::module::Function,
    function: &Function,
    records: &mut Vec<InfoRecord>,
) {
    for (ordinal, parameter) in function.parameters.iter().enumerate().rev() {
        let id = source.parameters.get(ordinal);
        let pointer = id.and_then(|id| module.variables.get(id.0 as usize)?.pointer);
        let payload = KernelParameter {
            index: 0,
            ordinal: ordinal as u16,
            offset: parameter.offset as u16,
            size: parameter.size as u16,
            pointee: pointer.map_or(0, |pointer| pointed(pointer, function.isa())),
        };
        let (attribute, payload) = payload.to_record(parameter_bytes(function));
        records.push(InfoRecord::new(attribute, InfoValue::Sized(payload.to_vec())));
    }
}

/// What a parameter points to: the logarithm of its alignment in bits 0 to 7, its space in bits 8 to 11.
fn pointed(pointer: Pointer, isa: Isa) -> u16 {
    let space = match pointer.space {
        Some(Space::Local) => 1,
        Some(Space::Shared) => 2,
        Some(Space::Constant) if isa < Isa::Sm90 => 3,
        // Observed: from sm_90 on the constant space is told as the global one.
        Some(Space::Global | Space::Constant) => 4,
        None => 5,
        Some(Space::Parameter | Space::Texture | Space::Register) => 0,
    };
    let alignment = pointer
        .alignment
        .map_or(0, |alignment| (alignment.trailing_zeros() & 0xff) as u16);
    space << 8 | alignment
}

fn cluster(source: &warpsmith_ptx::module::Function, records: &mut Vec<InfoRecord>) {
    let extent =
        |values: &[u64]| -> [u32; 3] { std::array::from_fn(|axis| values.get(axis).map_or(1, |value| *value as u32)) };
    let of = |wanted: fn(&FunctionDirective) -> bool| source.directives.iter().find(|d| wanted(d));
    if of(|d| matches!(d, FunctionDirective::BlocksAreClusters)).is_some() {
        records.insert(
            0,
            InfoRecord::new(
                Eiattr::from_name("EIATTR_BLOCKS_ARE_CLUSTERS").unwrap_or(Eiattr(0x5b)),
                InfoValue::NoValue([0, 0]),
            ),
        );
    }
    if of(|d| matches!(d, FunctionDirective::ExplicitCluster)).is_some() {
        records.extend(flag("EIATTR_EXPLICIT_CLUSTER"));
    }
    for directive in &source.directives {
        if let FunctionDirective::RequiredCtasPerCluster(values) = directive {
            records.extend(sized("EIATTR_CTA_PER_CLUSTER", &extent(values)));
        }
    }
    for directive in &source.directives {
        if let FunctionDirective::MaxClusterRank(rank) = directive {
            records.extend(sized("EIATTR_MAX_CLUSTER_RANK", &[*rank as u32]));
        }
    }
}

fn limits(function: &Function, externals: &Externals, records: &mut Vec<InfoRecord>) {
    let most = general(function).min(255);
    records.extend(half("EIATTR_MAXREG_COUNT", most as u16));
    if function.barriers > 0 {
        records.extend(byte("EIATTR_NUM_BARRIERS", function.barriers));
    }
    if !externals.symbols.is_empty() {
        records.extend(sized("EIATTR_EXTERNS", &externals.symbols));
    }
}

/// The instructions in which the threads of a warp take part together, with what says which threads.
fn warp_wide(words: &[Word], records: &mut Vec<InfoRecord>) {
    let together = |word: &Word| matches!(word.opcode(), O::Shfl | O::Vote | O::Match | O::Redux | O::Credux);
    let mut mask = ALL_THREADS;
    let (mut masks, mut places) = (Vec::new(), Vec::new());
    for (index, word) in words.iter().enumerate() {
        if word.opcode() == O::Warpsync {
            mask = word
                .field(FieldName::Ra)
                .map_or(ALL_THREADS, |register| IN_REGISTER | register as u32);
        } else if together(word) {
            masks.push(mask);
            places.push(index as u32 * WORD as u32);
        }
    }
    if !places.is_empty() {
        records.extend(sized("EIATTR_COOP_GROUP_MASK_REGIDS", &masks));
        records.extend(sized("EIATTR_COOP_GROUP_INSTR_OFFSETS", &places));
    }
}

fn places(compiled: &Compiled, records: &mut Vec<InfoRecord>) {
    let function = &compiled.function;
    let words = &compiled.code.words;
    let exits = exits(words);
    if !exits.is_empty() {
        records.extend(sized("EIATTR_EXIT_INSTR_OFFSETS", &exits));
    }
    records.extend(tables(compiled));
    if let Some(threads) = function.maximum_threads {
        records.extend(sized("EIATTR_MAX_THREADS", &threads));
    }
    if let Some(threads) = function.required_threads {
        records.extend(sized("EIATTR_REQNTID", &threads));
    }
    let reads_z = |word: &Word| word.opcode() == O::S2r && word.to_string().ends_with("SR_CTAID.Z");
    if function.isa() < Isa::Sm90 && words.iter().any(reads_z) {
        records.extend(flag("EIATTR_CTAIDZ_USED"));
    }
    records.extend(divergence(compiled));
}
