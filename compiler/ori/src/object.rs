//! The cubin of a compiled module.

use warpsmith_cubin::{
    Content, Cubin, Eiattr, FileType, InfoRecord, InfoValue, Section, SectionFlags, SectionType, Symbol, SymbolBinding,
    SymbolSection, SymbolType, eiattr::KernelParameter, info, symbol::SymbolOther,
};

use warpsmith_ptx::module::Module;

use crate::{data, emit::Code, ir::Function, pipeline::Resources};

/// A function with its code.
pub(crate) struct Compiled {
    pub(crate) function: Function,
    pub(crate) code: Code,
    /// General registers used.
    pub(crate) registers: u32,
}

impl Compiled {
    /// A function that has gone through all phases.
    pub(crate) fn new(mut function: Function) -> Option<Compiled> {
        let used = function.allocation.as_ref()?.used;
        Some(Compiled {
            code: function.code.take()?,
            registers: used + function.sm.info().registers.reserved_per_thread,
            function,
        })
    }

    /// What the function takes.
    pub(crate) fn resources(&self) -> Resources {
        let function = &self.function;
        let parameters = function.parameters.iter().map(|p| p.offset + p.size).max().unwrap_or(0);
        Resources {
            name: function.name.clone(),
            registers: self.registers,
            barriers: u32::from(function.barriers),
            stack_bytes: function.frame_bytes,
            shared_bytes: match function.shared_bytes {
                bytes if bytes <= function.shared_base() => 0,
                bytes => bytes,
            },
            constant_bytes: u32::from(function.constants().parameters) + parameters,
            instructions: self.code.words.len() as u32,
        }
    }
}

/// Writes the cubin.
///
/// # Errors
/// A variable that is not supported.
pub(crate) fn cubin(sm: warpsmith_target::Sm, module: &Module, functions: &[Compiled]) -> Result<Cubin, String> {
    let mut cubin = Cubin::new(sm, FileType::Executable);
    let with_addresses = functions.iter().any(|compiled| compiled.function.needs_addresses);
    data::add(&mut cubin, module, with_addresses)?;
    let mut records = Vec::new();
    for compiled in functions {
        add(&mut cubin, compiled, &mut records);
    }
    let mut section = Section::new(".nv.info", SectionType::CUDA_INFO, SectionFlags(0));
    section.link = warpsmith_cubin::build::SYMBOLS;
    section.alignment = 4;
    section.content = Content::Bytes(info::to_bytes(&records).unwrap_or_default());
    cubin.add_section(section);
    cubin.finish();
    Ok(cubin)
}

/// What the loader knows of a function by its symbol: registers, frame, and the stack that it needs with all that it calls.
fn module_records(compiled: &Compiled, symbol: u32, records: &mut Vec<InfoRecord>) {
    let frame = compiled.function.frame_bytes;
    records.extend(record("EIATTR_REGCOUNT", &[symbol, compiled.registers]));
    records.extend(record("EIATTR_FRAME_SIZE", &[symbol, frame]));
    records.extend(record("EIATTR_MIN_STACK_SIZE", &[symbol, frame]));
}

fn add(cubin: &mut Cubin, compiled: &Compiled, records: &mut Vec<InfoRecord>) {
    let function = &compiled.function;
    let name = &function.name;
    let bytes: Vec<u8> = compiled
        .code
        .words
        .iter()
        .flat_map(|word| word.word().to_le_bytes())
        .collect();
    let size = bytes.len() as u64;
    let mut text = Section::new(
        &format!(".text.{name}"),
        SectionType::PROGBITS,
        SectionFlags::ALLOC | SectionFlags::EXECINSTR,
    );
    text.alignment = 128;
    text.content = Content::Bytes(bytes);
    let text = cubin.add_section(text);
    let symbol = cubin.add_symbol(Symbol {
        name: name.clone(),
        binding: SymbolBinding::GLOBAL,
        symbol_type: SymbolType::FUNC,
        other: SymbolOther(0x10),
        section: SymbolSection::Section(text),
        value: 0,
        size,
        ..Symbol::null()
    });
    if let (Some(symbol), Some(section)) = (symbol, cubin.section_mut(text)) {
        section.info = compiled.registers << 24 | symbol;
    }
    if let Some(symbol) = symbol {
        module_records(compiled, symbol, records);
    }
    add_info(cubin, compiled, text);
    add_constants(cubin, compiled, text);
    if function.shared_bytes > function.shared_base() {
        let mut shared = Section::new(
            &format!(".nv.shared.{name}"),
            SectionType::NOBITS,
            SectionFlags::ALLOC | SectionFlags::WRITE,
        );
        shared.alignment = 16;
        shared.info = text;
        shared.content = Content::NoBits(u64::from(function.shared_bytes));
        cubin.add_section(shared);
    }
}

fn record(name: &str, words: &[u32]) -> Option<InfoRecord> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(InfoRecord::new(Eiattr::from_name(name)?, InfoValue::Sized(bytes)))
}

fn add_info(cubin: &mut Cubin, compiled: &Compiled, text: u32) {
    let function = &compiled.function;
    let mut records = Vec::new();
    let base = u32::from(function.constants().parameters);
    let bytes = function.parameters.iter().map(|p| p.offset + p.size).max().unwrap_or(0);
    records.extend(record("EIATTR_PARAM_CBANK", &[0, base | bytes << 16]));
    for (ordinal, parameter) in function.parameters.iter().enumerate() {
        let payload = KernelParameter {
            index: 0,
            ordinal: ordinal as u16,
            offset: parameter.offset as u16,
            attributes: parameter.size << 18 | 0x1f << 12,
        };
        records.push(InfoRecord::new(
            Eiattr::KPARAM_INFO,
            InfoValue::Sized(payload.to_payload().to_vec()),
        ));
    }
    if let Some(threads) = function.required_threads {
        records.extend(record("EIATTR_REQNTID", &threads));
    }
    if let Some(threads) = function.maximum_threads {
        records.extend(record("EIATTR_MAX_THREADS", &threads));
    }
    if let Some(ctas) = function.required_cluster {
        records.extend(record("EIATTR_CTA_PER_CLUSTER", &ctas));
    }
    let mut section = Section::new(
        &format!(".nv.info.{}", function.name),
        SectionType::CUDA_INFO,
        SectionFlags::INFO_LINK,
    );
    section.info = text;
    section.alignment = 4;
    section.content = Content::Bytes(info::to_bytes(&records).unwrap_or_default());
    cubin.add_section(section);
}

fn add_constants(cubin: &mut Cubin, compiled: &Compiled, text: u32) {
    let function = &compiled.function;
    let bytes = function.parameters.iter().map(|p| p.offset + p.size).max().unwrap_or(0);
    let size = (u32::from(function.constants().parameters) + bytes) as usize;
    let zero = (0, vec![0; size]);
    for (bank, bytes) in std::iter::once(&zero).chain(&function.banks) {
        let mut section = Section::new(
            &format!(".nv.constant{bank}.{}", function.name),
            SectionType::PROGBITS,
            SectionFlags::ALLOC | SectionFlags::INFO_LINK,
        );
        section.info = text;
        section.alignment = 4;
        section.content = Content::Bytes(bytes.clone());
        cubin.add_section(section);
    }
}
