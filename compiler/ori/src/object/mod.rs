//! The cubin of a compiled module, section for section as ptxas 13.0.88 writes it.

mod attributes;
mod chain;
mod compatibility;
mod data;
mod debug;
mod debug_sections;
mod frame;
mod images;
mod line;
mod linkage;
mod notes;
pub(crate) mod registers;
mod tables;
mod tensor_memory;
mod text;
mod writer;

use std::{sync::Arc, time::Duration};

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::fault;
use warpsmith_cubin::{
    Content, Cubin, FileType, InfoRecord, Section, SectionFlags, SectionType, Symbol, SymbolBinding, SymbolType,
    build::SYMBOLS, callgraph, info, relocation::RelocationType, symbol::SymbolOther,
};
use warpsmith_ptx::module::{Linkage, Module, Space, Statement, VariableId};
use warpsmith_sass::{FieldName, Opcode as O};
use warpsmith_target::{Isa, Sm};

use crate::{
    emit::Code,
    ir::{Advice, Function},
    limits::is_system_call,
    lower::operand::size,
    lower::{
        plan::functions_in_data,
        variables::{Scopes, addressed, constants},
    },
    pipeline::Resources,
};
use data::{Data, binding};
use line::Lines;
use tables::Tables;
pub(crate) use tables::table_bytes;
use writer::{Fix, Rank, SectionKey, SymbolKey, Writer, bytes_section, empty_section, relocation_section};

/// A function with its code.
pub(crate) struct Compiled {
    pub(crate) function: Function,
    pub(crate) code: Code,
    /// General registers used; of a kernel, by all that it may call too.
    pub(crate) registers: u32,
    /// Bytes of stack that it takes with all that it may call.
    pub(crate) stack_bytes: u32,
    /// How long it took to compile.
    pub(crate) time: Duration,
}

impl Compiled {
    /// A function that has gone through all phases. What only the phases needed is given back.
    pub(crate) fn new(mut function: Function) -> Option<Compiled> {
        let used = function.allocation.take()?.used;
        let code = function.code.take()?;
        function.blocks = Vec::new();
        function.registers = Vec::new();
        Some(Compiled {
            code,
            registers: used + function.sm.info().registers.reserved_per_thread,
            stack_bytes: function.frame_bytes,
            function,
            time: Duration::ZERO,
        })
    }

    /// What the function takes.
    pub(crate) fn resources(&self) -> Resources {
        let function = &self.function;
        Resources {
            name: function.name.clone(),
            kernel: function.kernel,
            time: self.time,
            registers: self.registers,
            barriers: u32::from(function.barriers),
            stack_bytes: function.frame_bytes,
            cumulative_stack_bytes: self.stack_bytes,
            spill_store_bytes: function.spill_store_bytes,
            spill_load_bytes: function.spill_load_bytes,
            shared_bytes: match function.shared_bytes {
                bytes if bytes <= function.shared_base() => 0,
                bytes => bytes - function.shared_base(),
            },
            constant_bytes: u32::from(function.constants().parameters) + attributes::parameter_bytes(function),
            table_bytes: 0,
            instructions: self.code.words.len() as u32,
            advice: function.advice.iter().map(|advice| told(function, advice)).collect(),
        }
    }
}

/// Advice with the byte of the PTX text that it is about.
fn told(function: &Function, advice: &Advice) -> (Option<u32>, String) {
    let place = function.places.get(advice.place as usize).filter(|_| advice.place != 0);
    (place.map(|place| place.ptx), advice.message.clone())
}

/// How the file is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectOptions {
    /// The command line that `.note.nv.tkinfo` tells.
    pub arguments: String,
    /// The text of the PTX, if the file is to have line information.
    pub lines: Option<Arc<str>>,
    /// Whether the DWARF sections of the PTX are to be in the file.
    pub debug: bool,
    /// Whether the file is to be linked with others: all functions are in it, and what variables and functions of other files are is open.
    pub relocatable: bool,
    /// Whether figures of the code are noted for each function.
    pub annotations: bool,
    /// Whether the file says that threads wait at their end for errors to show.
    pub errors_at_exit: bool,
}

/// The symbol that the first function with shared memory refers to: how much the system keeps of it.
const SHARED_CAP: &str = ".nv.reservedSmem.cap";

/// Writes the cubin.
///
/// # Errors
/// A variable that is not supported.
pub(crate) fn cubin(sm: Sm, module: &Module, functions: &[Compiled], options: &ObjectOptions) -> Result<Cubin, String> {
    let mut file = File::new(sm, module, options)?;
    if !options.relocatable {
        file.tables = Tables::of(functions)?;
    }
    file.has_tensor_partition = functions
        .iter()
        .any(|compiled| tensor_memory::allocates(&compiled.code.words));
    let sources: FxHashMap<&str, &warpsmith_ptx::module::Function> = module
        .functions
        .iter()
        .filter(|function| function.body.is_some())
        .map(|function| (module.names.get(function.name), function))
        .collect();
    // The last function comes first.
    for compiled in functions.iter().rev() {
        if let Some(source) = sources.get(compiled.function.name.as_str()) {
            file.function(compiled, source);
        }
    }
    file.finish()
}

/// Bytes of a module's variables.
pub(crate) struct Sizes {
    pub(crate) global: u64,
    pub(crate) constant: u64,
    pub(crate) addresses: u64,
}

/// How much memory a module's variables take.
pub(crate) fn sizes(module: &Module) -> Sizes {
    let of = |space| {
        let variables = module.variables.iter().filter(move |variable| variable.space == space);
        variables.map(size).fold(0, u64::saturating_add)
    };
    let constants = constants(module);
    let end = |place: &(VariableId, u64)| place.1.saturating_add(size(&module.variables[place.0.0 as usize]));
    Sizes {
        global: of(Space::Global),
        constant: constants.iter().map(end).max().unwrap_or(0),
        addresses: 8 * addressed(module).count() as u64,
    }
}

/// A function that has been made.
struct Made<'m> {
    compiled: &'m Compiled,
    source: &'m warpsmith_ptx::module::Function,
    symbol: SymbolKey,
    text: SectionKey,
    info: SectionKey,
    /// The parameter bank: its section's symbol, once it is made.
    bank: Option<SymbolKey>,
    /// Addresses in its code.
    relocations: Option<SectionKey>,
    /// In a relocatable file: the symbols of its tables of branches, by their offsets.
    tables: Vec<(u32, SymbolKey)>,
    size: u64,
}

struct File<'m> {
    sm: Sm,
    module: &'m Module,
    writer: Writer,
    data: Option<Data>,
    made: Vec<Made<'m>>,
    info: SectionKey,
    compatibility: Option<SectionKey>,
    tables: Tables,
    /// Whether a shared variable without size is declared: then every kernel has a section of shared memory.
    has_open_shared: bool,
    /// Whether code of the file allocates tensor memory, which is written down in the system's part of shared memory.
    has_tensor_partition: bool,
    made_shared_cap: bool,
    lines: Option<Lines<'m>>,
    text: Option<Arc<str>>,
    debug: bool,
    relocatable: bool,
    annotations: bool,
    errors_at_exit: bool,
    scopes: Scopes,
    /// In a relocatable file: the symbols of the variables that code names, by name, and where each lies.
    variables: FxHashMap<String, (SymbolKey, Space)>,
    /// The symbols of textures, samplers and surfaces that the module names.
    images: std::collections::BTreeMap<VariableId, SymbolKey>,
    /// Where the words of those that kernels name lie.
    image_words: images::Words,
    /// In a relocatable file from sm_90 on: the symbol of the offset that indirect calls add.
    unified: Option<SymbolKey>,
}

impl<'m> File<'m> {
    fn new(sm: Sm, module: &'m Module, options: &ObjectOptions) -> Result<File<'m>, String> {
        let file_type = match options.relocatable {
            true => FileType::Relocatable,
            false => FileType::Executable,
        };
        let mut writer = Writer::new(sm, file_type);
        let separate = sm.isa() >= Isa::Sm90;
        let toolkit = writer.section(Rank::Note, notes::toolkit(&options.arguments));
        writer.section_symbol(toolkit);
        let cuda = writer.section(Rank::Note, notes::cuda(module.target.number));
        writer.section_symbol(cuda);
        writer.link(cuda, toolkit);
        let mut section = Section::new(".nv.info", SectionType::CUDA_INFO, SectionFlags(0));
        section.link = SYMBOLS;
        section.alignment = 4;
        let info = writer.section(Rank::Information, section);
        let compatibility = separate.then(|| {
            writer.name(".nv.compat");
            let bytes = info::to_bytes(&compatibility::compatibility(sm, module)).unwrap_or_default();
            let kind = section_type("SHT_CUDA_COMPAT_INFO");
            let section = bytes_section(".nv.compat", kind, SectionFlags(0), 4, bytes);
            let key = writer.section(Rank::Information, section);
            writer.section_mut(cuda).flags = SectionFlags::NOTE_CUINFO | SectionFlags::INFO_LINK;
            writer.set_about(cuda, key);
            key
        });
        let open = |variable: &warpsmith_ptx::module::Variable| {
            variable.space == Space::Shared && variable.linkage == Linkage::External
        };
        Ok(File {
            sm,
            module,
            writer,
            data: Some(Data::new(module, separate, options.relocatable)?),
            made: Vec::new(),
            info,
            compatibility,
            tables: Tables::default(),
            has_open_shared: module.variables.iter().any(open),
            has_tensor_partition: false,
            made_shared_cap: false,
            lines: options.lines.as_deref().map(|text| Lines::new(module, text)),
            text: options.lines.clone(),
            debug: options.debug,
            relocatable: options.relocatable,
            annotations: options.annotations,
            errors_at_exit: options.errors_at_exit,
            scopes: Scopes::of(module),
            variables: FxHashMap::default(),
            images: std::collections::BTreeMap::new(),
            image_words: match options.relocatable {
                true => images::Words::default(),
                false => images::Words::of(module, sm),
            },
            unified: None,
        })
    }

    /// Whether what used to be one file is made in two steps, of which the second renames and drops: from sm_90 on.
    fn is_separate(&self) -> bool {
        self.compatibility.is_some()
    }

    fn function(&mut self, compiled: &'m Compiled, source: &'m warpsmith_ptx::module::Function) {
        let function = &compiled.function;
        let name = &function.name;
        let bytes = text::bytes(self.sm.isa(), &self.tables.placed(compiled));
        let size = bytes.len() as u64;
        let flags = SectionFlags::ALLOC | SectionFlags::EXECINSTR;
        let section = bytes_section(&format!(".text.{name}"), SectionType::PROGBITS, flags, 128, bytes);
        let text = self.writer.section(Rank::Text, section);
        self.writer.section_mut(text).link = SYMBOLS;
        let symbol = self.writer.symbol(
            Symbol {
                name: name.clone(),
                binding: binding(source.linkage),
                symbol_type: SymbolType::FUNC,
                other: SymbolOther(if function.kernel { 0x10 } else { 0 }),
                size,
                ..Symbol::null()
            },
            Some(text),
        );
        for prefix in [".text", ".nv.info", ".nv.shared"] {
            self.writer.name(&format!("{prefix}.{name}"));
        }
        self.writer.section_symbol(text);
        let mut section = Section::new(
            &format!(".nv.info.{name}"),
            SectionType::CUDA_INFO,
            SectionFlags::INFO_LINK,
        );
        section.link = SYMBOLS;
        section.alignment = 4;
        let info = self.writer.section_about(Rank::Information, section, text);
        if function.kernel && !self.relocatable {
            self.shared(function, source, text);
        }
        if self.made.is_empty() {
            self.first();
        }
        if self.relocatable {
            self.own_shared(source, text);
        }
        if self.is_separate() && !self.made_shared_cap && self.shared_variables(source).next().is_some() {
            self.made_shared_cap = true;
            self.shared_cap();
        }
        let (own_bank, tables) = self.tables(compiled, text);
        let has_bank = !self.is_separate() && function.kernel;
        let bank = has_bank.then(|| self.parameter_bank(function, source, text));
        let filled_in = self.is_separate() && self.has_relocations(compiled);
        let named = !compiled.code.references.is_empty() || !tables.is_empty();
        let relocations = (filled_in || named).then(|| {
            self.writer.name(&format!(".rel.text.{name}"));
            self.writer.name(&format!(".rela.text.{name}"));
            let section = relocation_section(&format!(".text.{name}"), true);
            self.writer.section_about(Rank::Relocations, section, text)
        });
        self.bank_relocations(name, own_bank);
        self.made.push(Made {
            compiled,
            source,
            symbol,
            text,
            info,
            bank,
            relocations,
            tables,
            size,
        });
    }

    /// What is made with the first function: what the system keeps of shared memory, and the module's variables.
    fn first(&mut self) {
        if self.is_separate() {
            let reserved = self.reserved_shared();
            let place = Symbol {
                name: ".nv.reservedSmem.offset0".to_string(),
                binding: SymbolBinding::WEAK,
                symbol_type: SymbolType::OBJECT,
                value: reserved,
                size: 4,
                ..Symbol::null()
            };
            self.writer.symbol(place, None);
        }
        if self.relocatable {
            self.unified_tables();
        }
        // With debug information nothing is filled in by ptxas itself.
        if self.is_separate() && !self.debug && !self.relocatable {
            let name = ".nv.shared.reserved.0";
            self.writer.name(name);
            let flags = SectionFlags::ALLOC | SectionFlags::WRITE;
            let reserved = self.reserved_shared();
            let size = match self.has_tensor_partition {
                true => reserved + tensor_memory::PARTITION_BYTES,
                false => reserved,
            };
            let section = self.writer.section(Rank::Zeroed, empty_section(name, 1, size, flags));
            let alias = Symbol {
                name: "__nv_reservedSMEM_offset_0_alias".to_string(),
                binding: SymbolBinding::WEAK,
                other: SymbolOther(0xa0),
                value: reserved,
                ..Symbol::null()
            };
            self.writer.symbol(alias, Some(section));
            if self.has_tensor_partition {
                self.writer.symbol(tensor_memory::partition(reserved), Some(section));
            }
        }
        self.image_symbols();
        if let Some(mut data) = self.data.take() {
            let bytes = 8 * addressed(self.module).count() as u64;
            data.make(&mut self.writer, self.module, bytes);
            for (id, symbol) in data.symbols() {
                let variable = &self.module.variables[id.0 as usize];
                self.variables
                    .insert(self.scopes.symbol_name(self.module, *id), (*symbol, variable.space));
            }
            self.data = Some(data);
            if self.relocatable {
                self.common_shared();
            }
        }
    }

    /// Bytes that the system takes at the start of its part of shared memory.
    fn reserved_shared(&self) -> u64 {
        if self.sm.isa() >= Isa::Sm100 { 0x40 } else { 0 }
    }

    /// The symbol of what the system keeps of shared memory. For sm_90 ptxas erases it when the addresses are filled in.
    fn shared_cap(&mut self) {
        if self.sm.isa() < Isa::Sm100 {
            self.writer.erased_symbol(SHARED_CAP);
            return;
        }
        let cap = Symbol {
            name: SHARED_CAP.to_string(),
            binding: SymbolBinding::WEAK,
            symbol_type: SymbolType::OBJECT,
            value: self.sm.info().shared.reserved_per_cta.into(),
            size: 4,
            ..Symbol::null()
        };
        self.writer.symbol(cap, None);
    }

    /// `.nv.shared.NAME`: where the kernel has variables of its own there, with a symbol, or where any could have.
    fn shared(&mut self, function: &Function, source: &warpsmith_ptx::module::Function, text: SectionKey) {
        // Variables of its own, or of functions that it may call.
        let own = function.shared_bytes > function.shared_base();
        if !own && !self.has_open_shared {
            return;
        }
        let bytes = function.shared_bytes.max(function.shared_base());
        let align = self
            .shared_alignment(source)
            .max(if self.has_open_shared { 16 } else { 1 });
        let flags = SectionFlags::ALLOC | SectionFlags::WRITE | SectionFlags::INFO_LINK;
        let name = format!(".nv.shared.{}", function.name);
        let section = empty_section(&name, align, u64::from(bytes), flags);
        let key = self.writer.section_about(Rank::Zeroed, section, text);
        if own {
            self.writer.section_symbol(key);
        }
    }

    fn shared_alignment(&self, source: &warpsmith_ptx::module::Function) -> u64 {
        let sized = self.shared_variables(source);
        // Without variables of its own it has those of functions.
        sized.map(crate::lower::operand::alignment).max().unwrap_or(16)
    }

    fn shared_variables<'f>(
        &'f self,
        source: &'f warpsmith_ptx::module::Function,
    ) -> impl Iterator<Item = &'f warpsmith_ptx::module::Variable> {
        use warpsmith_ptx::module::{Address, AddressBase, Operand};
        let operands = source.body.iter().flat_map(|body| &body.operands);
        let ids = operands.filter_map(|operand| match operand {
            Operand::Variable(id, _)
            | Operand::Element(id, _, _)
            | Operand::Address(Address {
                base: AddressBase::Variable(id),
                ..
            }) => Some(*id),
            _ => None,
        });
        ids.filter_map(|id| self.module.variables.get(id.0 as usize))
            .filter(|variable| variable.space == Space::Shared)
    }

    /// Whether the code had addresses that were filled in.
    fn has_relocations(&self, compiled: &Compiled) -> bool {
        compiled.code.words.iter().any(|word| {
            let bank = word.field(FieldName::Bank).is_some_and(|bank| matches!(bank, 2 | 4));
            bank || word.opcode() == O::S2r && word.to_string().ends_with("SR_CgaCtaId")
        })
    }

    /// The bank of parameters.
    fn parameter_bank(
        &mut self,
        function: &Function,
        source: &warpsmith_ptx::module::Function,
        text: SectionKey,
    ) -> SymbolKey {
        let name = format!(".nv.constant0.{}", function.name);
        let (rank, relocations) = match self.is_separate() {
            true => (Rank::Late, None),
            false => (Rank::Constants, Some(format!(".rel{name}"))),
        };
        self.writer.name_section(&name);
        if let Some(relocations) = relocations {
            self.writer.name(&relocations);
            self.writer.name_symbol(&name);
        }
        let size = u32::from(function.constants().parameters) + attributes::parameter_bytes(function);
        let images = self.used_images(source);
        let size = images.iter().map(|(_, offset)| offset + 4).fold(size, u32::max);
        let kind = match self.relocatable {
            true => section_type("SHT_CUDA_CONSTANT_B0"),
            false => SectionType::PROGBITS,
        };
        let section = bytes_section(&name, kind, CONSTANT, 4, vec![0; size as usize]);
        let key = self.writer.section_about(rank, section, text);
        self.relocate_images(&name, key, &images);
        self.writer.section_symbol(key)
    }

    fn finish(mut self) -> Result<Cubin, String> {
        if self.made.is_empty() {
            self.first();
        }
        let functions = self.function_symbols();
        let frames = self.frames();
        self.lines()?;
        self.debug_sections()?;
        self.register_tables();
        if let Some(mut data) = self.data.take() {
            data.relocate(&mut self.writer, self.module, &functions)?;
        }
        self.text_relocations(&functions)?;
        self.frame_relocations(frames)?;
        let graph = self.graph();
        if self.is_separate() {
            for index in 0..self.made.len() {
                let (function, text) = (&self.made[index].compiled.function, self.made[index].text);
                if !function.kernel {
                    continue;
                }
                let bank = self.parameter_bank(function, self.made[index].source, text);
                self.made[index].bank = Some(bank);
            }
        }
        if self.relocatable {
            self.link_information(graph, &functions);
        } else {
            self.call_pairs(graph, &functions);
        }
        self.information(&functions);
        Ok(self.writer.finish())
    }

    /// The symbols of functions by name: those of the file, and those of functions elsewhere that they name.
    fn function_symbols(&mut self) -> FxHashMap<String, SymbolKey> {
        let mut symbols: FxHashMap<String, SymbolKey> = self
            .made
            .iter()
            .map(|made| (made.compiled.function.name.clone(), made.symbol))
            .collect();
        let references = self.made.iter().flat_map(|made| &made.compiled.code.references);
        let mut named: Vec<String> = references.map(|(_, reference)| reference.symbol.clone()).collect();
        named.retain(|name| !self.variables.contains_key(name));
        if self.relocatable {
            let in_data = functions_in_data(self.module).into_iter();
            let in_data = in_data.filter_map(|id| self.module.functions.get(id.0 as usize));
            named.extend(in_data.map(|function| self.module.names.get(function.name).to_string()));
        }
        for name in named {
            if symbols.contains_key(&name) || self.variables.contains_key(&name) || self.row_symbol(&name) {
                continue;
            }
            let symbol = Symbol {
                name: name.clone(),
                binding: SymbolBinding::GLOBAL,
                symbol_type: SymbolType::FUNC,
                ..Symbol::null()
            };
            let key = self.writer.symbol(symbol, None);
            symbols.insert(name, key);
        }
        symbols
    }

    /// Addresses of functions in code, and of places in the code itself to return to.
    fn text_relocations(&mut self, symbols: &FxHashMap<String, SymbolKey>) -> Result<(), String> {
        for made in &self.made {
            let Some(relocations) = made.relocations else { continue };
            for (index, reference) in &made.compiled.code.references {
                let is_call = word_calls(made.compiled, *index);
                let variable = self.variables.get(&reference.symbol);
                let is_place = reference.symbol == made.compiled.function.name && reference.addend != 0;
                let unified = self.relocatable && self.is_separate() && !is_place;
                let opcode = made
                    .compiled
                    .code
                    .words
                    .get(*index)
                    .map(warpsmith_sass::Instruction::opcode);
                let name = match (is_call, variable, reference.high) {
                    (_, Some((_, Space::Texture)), _) if opcode == Some(O::Ldcu) => "R_CUDA_CONST_FIELD22_37",
                    (_, Some((_, Space::Texture)), _) => "R_CUDA_CONST_FIELD21_38",
                    // Where the word holds the address differs.
                    (true, ..) if self.sm.isa() < Isa::Sm90 => "R_CUDA_ABS47_34",
                    (true, ..) => "R_CUDA_ABS55_16_34",
                    (false, Some((_, Space::Shared | Space::Constant)), _) => "R_CUDA_ABS32_32",
                    (false, None, false) if unified => "R_CUDA_UNIFIED32_LO_32",
                    (false, None, true) if unified => "R_CUDA_UNIFIED32_HI_32",
                    (false, _, false) => "R_CUDA_ABS32_LO_32",
                    (false, _, true) => "R_CUDA_ABS32_HI_32",
                };
                let symbol = variable
                    .map(|(symbol, _)| symbol)
                    .or_else(|| symbols.get(&reference.symbol));
                let fix = Fix {
                    offset: 16 * *index as u64,
                    symbol: *symbol.ok_or_else(|| fault::internal("a reference to nothing"))?,
                    kind: RelocationType::from_name(name).ok_or("a relocation without number")?,
                    addend: reference.addend,
                };
                self.writer.fix(relocations, fix);
            }
        }
        for index in 0..self.made.len() {
            self.indirect_calls(index);
            self.table_relocations(index)?;
        }
        Ok(())
    }

    /// Who calls whom, once symbols have their numbers.
    fn call_pairs(&mut self, section: SectionKey, symbols: &FxHashMap<String, SymbolKey>) {
        let numbers = self.writer.numbers();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for made in &self.made {
            let calls = made.compiled.code.references.iter();
            let calls = calls.filter(|(index, _)| word_calls(made.compiled, *index));
            for callee in calls.filter_map(|(_, reference)| symbols.get(&reference.symbol)) {
                let pair = (numbers.of(made.symbol), numbers.of(*callee));
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        let mut marks = (1..=4).map(|mark: u32| (0, mark.wrapping_neg()));
        let first = marks.next();
        let all: Vec<(u32, u32)> = first.into_iter().chain(pairs).chain(marks).collect();
        self.writer.section_mut(section).content = Content::Bytes(callgraph::to_bytes(&all));
    }

    /// `.nv.callgraph` and what follows it.
    fn graph(&mut self) -> SectionKey {
        self.writer.name(".nv.callgraph");
        self.writer.name(".nv.prototype");
        let marks: Vec<(u32, u32)> = (1..=4).map(|mark: u32| (0, mark.wrapping_neg())).collect();
        let kind = section_type("SHT_CUDA_CALLGRAPH");
        let bytes = callgraph::to_bytes(&marks);
        let mut section = bytes_section(".nv.callgraph", kind, SectionFlags(0), 4, bytes);
        section.link = SYMBOLS;
        section.entry_size = 8;
        let key = self.writer.section(Rank::CallGraph, section);
        self.writer.section_symbol(key);
        if !self.is_separate() && !self.relocatable {
            self.writer.name(".nv.rel.action");
            let kind = section_type("SHT_CUDA_RELOCINFO");
            let mut section = bytes_section(".nv.rel.action", kind, SectionFlags(0), 8, ACTIONS.to_vec());
            section.entry_size = 8;
            let action = self.writer.section(Rank::Action, section);
            self.writer.section_symbol(action);
        }
        key
    }

    /// `.nv.info` of the module and of each function.
    fn information(&mut self, functions: &FxHashMap<String, SymbolKey>) {
        let numbers = self.writer.numbers();
        let own: FxHashSet<&str> = self
            .made
            .iter()
            .map(|made| made.compiled.function.name.as_str())
            .collect();
        let mut records: Vec<InfoRecord> = Vec::new();
        let [mut samplers, mut mode] = self.image_records(|symbol| numbers.of(symbol));
        if self.made.is_empty() {
            records.extend(attributes::empty_module(self.sm));
        }
        if images::asks_for_types(self.module) {
            records.extend(attributes::flag("EIATTR_ISTYPEP_USED"));
        }
        for made in self.made.iter().rev() {
            let symbol = numbers.of(made.symbol);
            records.extend(attributes::sized("EIATTR_REGCOUNT", &[symbol, made.compiled.registers]));
            if self.relocatable {
                records.extend(attributes::sized("EIATTR_MAX_STACK_SIZE", &[symbol, 0]));
            }
            records.append(&mut samplers);
            let frame = made.compiled.function.frame_bytes;
            records.extend(attributes::sized("EIATTR_FRAME_SIZE", &[symbol, frame]));
            if self.errors_at_exit {
                records.extend(attributes::flag("EIATTR_GEN_ERRBAR_AT_EXIT"));
            }
        }
        records.append(&mut mode);
        for made in self
            .made
            .iter()
            .filter(|made| made.compiled.function.kernel && !self.relocatable)
        {
            records.extend(attributes::sized(
                "EIATTR_MIN_STACK_SIZE",
                &[numbers.of(made.symbol), made.compiled.stack_bytes],
            ));
        }
        set_records(&mut self.writer, self.info, &records);
        for made in &self.made {
            let bank = made.bank.map_or(0, |bank| numbers.of(bank));
            let calls = made.compiled.code.references.iter();
            let calls = calls.filter(|(index, _)| word_calls(made.compiled, *index));
            let mut externals = attributes::Externals::default();
            for (index, reference) in calls.filter(|(_, r)| !own.contains(r.symbol.as_str())) {
                let symbol = functions.get(&reference.symbol).map_or(0, |symbol| numbers.of(*symbol));
                let is_declared = self.relocatable && !is_system_call(&reference.symbol);
                externals.add(symbol, (!is_declared).then_some(*index as u32 * 16));
            }
            let mut records = match made.compiled.function.kernel {
                true => attributes::kernel(
                    self.module,
                    made.source,
                    made.compiled,
                    bank,
                    &externals,
                    self.annotations,
                ),
                false if self.relocatable => attributes::linked_function(made.compiled, &externals, self.annotations),
                false => attributes::function(made.compiled),
            };
            let banks = self.image_banks(made.compiled, made.source);
            let most = records
                .iter()
                .position(|record| record.attribute.name() == Some("EIATTR_MAXREG_COUNT"));
            let place = match self.is_separate() {
                true => records.len(),
                false => most.map_or(0, |index| index + 1),
            };
            records.splice(place..place, banks);
            set_records(&mut self.writer, made.info, &records);
            // Only older generations have the number of registers here.
            let registers = if self.sm.isa() < Isa::Sm90 {
                made.compiled.registers << 24
            } else {
                0
            };
            self.writer.section_mut(made.text).info = registers | numbers.of(made.symbol);
        }
    }
}

/// Whether the word at an index of a function's code is a call.
fn word_calls(compiled: &Compiled, index: usize) -> bool {
    let word = compiled.code.words.get(index);
    word.is_some_and(|word| word.flow() == warpsmith_sass::Flow::Call)
}

/// Flags of a function's constant bank.
const CONSTANT: SectionFlags = SectionFlags(SectionFlags::ALLOC.0 | SectionFlags::INFO_LINK.0);

/// `.nv.rel.action`: what the loader does with two kinds of relocations. (Observed, ptxas 13.0.88: always these.)
const ACTIONS: [u8; 16] = [0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 0x05, 0x36];

fn section_type(name: &str) -> SectionType {
    SectionType::from_name(name).unwrap_or(SectionType::PROGBITS)
}

fn set_records(writer: &mut Writer, section: SectionKey, records: &[InfoRecord]) {
    let bytes = info::to_bytes(records).unwrap_or_default();
    writer.section_mut(section).content = Content::Bytes(bytes);
}
