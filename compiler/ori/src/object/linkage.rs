//! What only relocatable files have: symbols of variables that the linker places, and what it must know of calls across files.
//!
//! Observed, ptxas 13.0.88 -c: the value of a symbol in shared memory is its alignment; the call graph has four parts (calls by name, functions whose
//! address is taken with their prototypes, indirect calls with theirs, and who takes whose address); `.nv.prototype` has the prototypes of functions that
//! other files may call or have.

use rustc_hash::FxHashSet;
use warpsmith_cubin::{SymbolBinding, callgraph};
use warpsmith_ptx::module::{AddressTarget, Initializer, LabelKind, VariableId};
use warpsmith_ptx::table::Type;
use warpsmith_sass::Flow;

use super::{
    Content, File, Fix, FxHashMap, Linkage, Rank, RelocationType, SYMBOLS, Section, SectionFlags, SectionKey, Space,
    Symbol, SymbolKey, SymbolOther, SymbolType, Writer, binding, bytes_section, empty_section, functions_in_data,
    word_calls,
};
use crate::lower::{
    operand::{alignment, size},
    plan::named_variables,
};

/// `STT_CUDA_OBJECT`
pub(super) const OBJECT: SymbolType = SymbolType(13);

/// The symbols of the tables through which a program shares functions and data with others, from sm_90 on.
const TABLES: [&str; 8] = [
    "__UDT_OFFSET",
    FUNCTION_TABLE_OFFSET,
    "__UFT_CANONICAL",
    "__UDT_CANONICAL",
    "__UFT",
    "__UDT",
    "__UFT_END",
    "__UDT_END",
];

/// What is added to the address of an indirect call.
const FUNCTION_TABLE_OFFSET: &str = "__UFT_OFFSET";

/// The bits of `st_other` that say where a variable lies.
pub(super) fn space_bits(space: Space) -> u8 {
    match space {
        Space::Global => 0x20,
        Space::Shared => 0x40,
        Space::Local => 0x60,
        Space::Constant => 0x80,
        Space::Parameter | Space::Texture | Space::Register => 0,
    }
}

pub(super) use super::section_type;

impl File<'_> {
    /// The tables' symbols.
    pub(super) fn unified_tables(&mut self) {
        if !self.is_separate() {
            return;
        }
        for name in TABLES {
            let symbol = Symbol {
                name: name.to_string(),
                binding: SymbolBinding::WEAK,
                symbol_type: SymbolType::OBJECT,
                size: 8,
                ..Symbol::null()
            };
            let key = self.writer.symbol(symbol, None);
            if name == FUNCTION_TABLE_OFFSET {
                self.unified = Some(key);
            }
        }
    }

    /// Shared variables of the module: a section for those that are here, and what others declare.
    pub(super) fn common_shared(&mut self) {
        let ids = (0..self.module.variables.len() as u32).map(VariableId);
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for id in ids.filter(|id| self.scopes.is_of_module(*id)) {
            let variable = &self.module.variables[id.0 as usize];
            match (variable.space, variable.linkage) {
                (Space::Shared, Linkage::External) => outside.push(id),
                (Space::Shared, _) => inside.push(id),
                _ => {}
            }
        }
        if !inside.is_empty() {
            let section = self.shared_section(".nv_debug.shared", &inside);
            let key = self.writer.section(Rank::Zeroed, section);
            self.writer.section_symbol(key);
            self.shared_symbols(&inside, Some(key));
        }
        self.shared_symbols(&outside, None);
    }

    /// Shared variables that a function declares: `.nv.shared.NAME`.
    pub(super) fn own_shared(&mut self, source: &warpsmith_ptx::module::Function, text: SectionKey) {
        let Some(body) = &source.body else { return };
        let is_own = |id: &VariableId| {
            self.module.variables[id.0 as usize].space == Space::Shared && !self.scopes.is_of_module(*id)
        };
        let own: Vec<VariableId> = named_variables(body).into_iter().filter(is_own).collect();
        if own.is_empty() {
            return;
        }
        let mut section = self.shared_section(&format!(".nv.shared.{}", self.module.names.get(source.name)), &own);
        section.flags = section.flags | SectionFlags::INFO_LINK;
        let key = self.writer.section_about(Rank::Zeroed, section, text);
        self.writer.section_symbol(key);
        self.shared_symbols(&own, Some(key));
    }

    fn shared_section(&mut self, name: &str, ids: &[VariableId]) -> Section {
        let variables = || ids.iter().map(|id| &self.module.variables[id.0 as usize]);
        let align = variables().map(alignment).max().unwrap_or(1);
        let bytes = variables().fold(0_u64, |next, variable| {
            next.next_multiple_of(alignment(variable).max(1))
                .saturating_add(size(variable))
        });
        self.writer.name(name);
        let mut section = empty_section(name, align, bytes, SectionFlags::ALLOC | SectionFlags::WRITE);
        section.section_type = section_type("SHT_CUDA_SHARED");
        section
    }

    fn shared_symbols(&mut self, ids: &[VariableId], section: Option<SectionKey>) {
        for id in ids {
            let variable = &self.module.variables[id.0 as usize];
            let name = self.scopes.symbol_name(self.module, *id);
            let local = section.is_some() && !self.scopes.is_of_module(*id);
            let symbol = Symbol {
                name: name.clone(),
                binding: if local {
                    SymbolBinding::LOCAL
                } else {
                    binding(variable.linkage)
                },
                symbol_type: OBJECT,
                other: SymbolOther(space_bits(Space::Shared)),
                value: if section.is_some() { alignment(variable) } else { 0 },
                size: size(variable),
                ..Symbol::null()
            };
            let key = self.writer.symbol(symbol, section);
            self.variables.insert(name, (key, Space::Shared));
        }
    }

    /// Indirect calls add the offset of the function table, from sm_90 on.
    pub(super) fn indirect_calls(&mut self, index: usize) {
        let made = &self.made[index];
        let (Some(symbol), Some(relocations)) = (self.unified, made.relocations) else {
            return;
        };
        let named: FxHashSet<usize> = made.compiled.code.references.iter().map(|(index, _)| *index).collect();
        let kind = RelocationType::from_name("R_CUDA_ABS56_16_34").unwrap_or(RelocationType(0));
        let words = made.compiled.code.words.iter().enumerate();
        let calls: Vec<usize> = words
            .filter(|(index, word)| word.flow() == Flow::Call && !named.contains(index))
            .map(|(index, _)| index)
            .collect();
        for index in calls {
            let fix = Fix {
                offset: 16 * index as u64,
                symbol,
                kind,
                addend: 0,
            };
            self.writer.fix(relocations, fix);
        }
    }

    /// Who calls whom and how, and the prototypes.
    pub(super) fn link_information(&mut self, graph: SectionKey, symbols: &FxHashMap<String, SymbolKey>) {
        let mut calls = Vec::new();
        let mut takes = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        let mut indirect = Vec::new();
        for made in &self.made {
            for (index, reference) in &made.compiled.code.references {
                let Some(callee) = symbols.get(&reference.symbol) else {
                    continue;
                };
                let pair = (made.symbol, *callee);
                if word_calls(made.compiled, *index) {
                    push_new(&mut calls, pair);
                } else if reference.addend == 0 {
                    push_new(&mut takes, pair);
                    push_new(&mut taken, reference.symbol.clone());
                }
            }
            for name in self.functions_in_variables(made.source) {
                if let Some(callee) = symbols.get(&name) {
                    push_new(&mut takes, (made.symbol, *callee));
                }
            }
            for prototype in self.prototypes_called(made.source) {
                push_new(&mut indirect, (made.symbol, prototype));
            }
        }
        for id in functions_in_data(self.module) {
            if let Some(function) = self.module.functions.get(id.0 as usize) {
                push_new(&mut taken, self.module.names.get(function.name).to_string());
            }
        }
        let declared = self.declared(&taken, symbols);
        let strings = |writer: &mut Writer, list: Vec<(SymbolKey, String)>| -> Vec<(SymbolKey, u32)> {
            let entries = list.into_iter();
            entries
                .map(|(symbol, text)| (symbol, writer.symbol_string(&text)))
                .collect()
        };
        let of_name = |name: &String| Some((*symbols.get(name)?, self.prototype_of(name)?));
        let taken: Vec<_> = taken.iter().filter_map(of_name).collect();
        let taken = strings(&mut self.writer, taken);
        let indirect = strings(&mut self.writer, indirect);
        let declared = strings(&mut self.writer, declared);
        let prototypes = (!declared.is_empty()).then(|| self.prototype_section());

        let numbers = self.writer.numbers();
        let names = |list: &[(SymbolKey, SymbolKey)]| -> Vec<(u32, u32)> {
            list.iter().map(|(a, b)| (numbers.of(*a), numbers.of(*b))).collect()
        };
        let texts = |list: &[(SymbolKey, u32)]| -> Vec<(u32, u32)> {
            list.iter().map(|(a, text)| (numbers.of(*a), *text)).collect()
        };
        let parts = [names(&calls), texts(&taken), texts(&indirect), names(&takes)];
        let mut pairs = Vec::new();
        for (mark, part) in (1_u32..).zip(parts) {
            pairs.push((0, mark.wrapping_neg()));
            pairs.extend(part);
        }
        let declared = texts(&declared);
        self.writer.section_mut(graph).content = Content::Bytes(callgraph::to_bytes(&pairs));
        if let Some(section) = prototypes {
            self.writer.section_mut(section).content = Content::Bytes(callgraph::to_bytes(&declared));
        }
    }

    fn prototype_section(&mut self) -> SectionKey {
        let kind = section_type("SHT_CUDA_PROTOTYPE");
        let mut section = bytes_section(".nv.prototype", kind, SectionFlags(0), 4, Vec::new());
        section.link = SYMBOLS;
        section.entry_size = 8;
        let key = self.writer.section(Rank::CallGraph, section);
        self.writer.section_symbol(key);
        key
    }

    /// Functions that other files have or may call, but for those whose prototype the call graph has.
    fn declared(&self, taken: &[String], symbols: &FxHashMap<String, SymbolKey>) -> Vec<(SymbolKey, String)> {
        let functions = self.module.functions.iter();
        let names = functions
            .filter(|function| !function.kernel && function.linkage != Linkage::Internal)
            .map(|function| self.module.names.get(function.name).to_string());
        let names = names.filter(|name| !taken.contains(name));
        names
            .filter_map(|name| Some((*symbols.get(&name)?, self.prototype_of(&name)?)))
            .collect()
    }

    /// The prototype of a function of the module.
    fn prototype_of(&self, name: &str) -> Option<String> {
        let mut functions = self.module.functions.iter();
        let found = functions.find(|function| self.module.names.get(function.name) == name)?;
        Some(self.prototype(&found.returns, &found.parameters))
    }

    /// A prototype as a text: `#`, the result, the parameters.
    fn prototype(&self, returns: &[VariableId], parameters: &[VariableId]) -> String {
        let mut text = "#".to_string();
        if returns.is_empty() {
            text.push('v');
        }
        for id in returns.iter().chain(parameters) {
            let variable = &self.module.variables[id.0 as usize];
            if variable.dimensions.is_empty() {
                text.push(letter(variable.element));
            } else {
                text.push_str(&format!("b{}", size(variable)));
            }
        }
        text
    }

    /// The prototypes of the indirect calls of a function.
    fn prototypes_called(&self, source: &warpsmith_ptx::module::Function) -> Vec<String> {
        let labels = source.body.iter().flat_map(|body| &body.labels);
        let prototypes = labels.filter_map(|label| match &label.kind {
            LabelKind::Prototype(prototype) => Some(self.prototype(&prototype.returns, &prototype.parameters)),
            LabelKind::Place(_) | LabelKind::BranchTargets(_) | LabelKind::CallTargets(_) => None,
        });
        prototypes.collect()
    }

    /// The functions whose addresses are in variables that a function names.
    fn functions_in_variables(&self, source: &warpsmith_ptx::module::Function) -> Vec<String> {
        let mut found = Vec::new();
        for id in source.body.iter().flat_map(named_variables) {
            if let Some(initializer) = &self.module.variables[id.0 as usize].initializer {
                self.functions_in(initializer, &mut found);
            }
        }
        found
    }

    fn functions_in(&self, initializer: &Initializer, found: &mut Vec<String>) {
        match initializer {
            Initializer::List(values, _) => values.iter().for_each(|value| self.functions_in(value, found)),
            Initializer::Address {
                target: AddressTarget::Function(id),
                ..
            } => {
                if let Some(function) = self.module.functions.get(id.0 as usize) {
                    found.push(self.module.names.get(function.name).to_string());
                }
            }
            Initializer::Address { .. }
            | Initializer::Fields(..)
            | Initializer::Integer(..)
            | Initializer::Float(..)
            | Initializer::Single(..) => {}
        }
    }
}

/// The letter of a type in a prototype. (Observed for each type of a parameter.)
fn letter(of: Type) -> char {
    match (of, of.bits()) {
        (Type::F32, _) => 'f',
        (Type::F64, _) => 'd',
        (_, 64) => 'l',
        (_, 32) => 'i',
        (_, 16) => 'h',
        _ => 'b',
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
