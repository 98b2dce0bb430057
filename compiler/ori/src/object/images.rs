//! Textures, samplers and surfaces that a module names: symbols without a place, and for each that a kernel uses a word behind its parameters, which the
//! loader fills in. (Observed, ptxas 13.0.88.)

use std::collections::{BTreeMap, BTreeSet};

use warpsmith_cubin::InfoRecord;
use warpsmith_ptx::{
    module::{Function, Initializer, Variable},
    table::{Opcode, Type},
};

use super::{
    Compiled, File, Fix, Module, Rank, RelocationType, SectionKey, Space, Statement, Symbol, SymbolKey, SymbolType,
    VariableId, attributes, relocation_section,
};
use crate::lower::{
    plan::{images, named_images},
    texture_query::{ROWS, is_independent},
    variables::is_image,
};
use warpsmith_cubin::SymbolBinding;
use warpsmith_target::{Feature, Sm};

/// The symbol's type and the relocation of a type, up to sm_89 and later.
fn facts(of: Type) -> Option<(u8, [&'static str; 2])> {
    Some(match of {
        Type::Texref => (10, ["R_CUDA_TEX_HEADER_INDEX"; 2]),
        Type::Samplerref => (11, ["R_CUDA_SAMP_HEADER_INDEX", "R_CUDA_SAMP_HEADER_INDEX_0"]),
        Type::Surfref => (12, ["R_CUDA_SURF_HEADER_INDEX"; 2]),
        _ => return None,
    })
}

/// What a kernel uses: the variable and its word's byte in constant bank 0.
type Used = Vec<(VariableId, u32)>;

/// The words behind the parameters of a module's kernels; a file that is linked later has none.
#[derive(Default)]
pub(super) struct Words {
    /// Where each lies in constant bank 0.
    places: BTreeMap<VariableId, u32>,
    /// Those that device functions name: every kernel has them.
    of_functions: Vec<VariableId>,
}

impl Words {
    /// Those of a module: each of its bodies is looked at once, however many kernels there are.
    pub(super) fn of(module: &Module, sm: Sm) -> Words {
        let functions = module.functions.iter().filter(|function| !function.kernel);
        let bodies = functions.filter_map(|function| function.body.as_ref());
        Words {
            places: images(module, sm),
            of_functions: bodies.flat_map(named_images(module)).collect(),
        }
    }
}

impl File<'_> {
    fn variable(&self, id: VariableId) -> &Variable {
        &self.module.variables[id.0 as usize]
    }

    /// The symbols of all that the module names.
    pub(super) fn image_symbols(&mut self) {
        let module = self.module;
        let ids = (0..module.variables.len() as u32).map(VariableId);
        let ids: Vec<VariableId> = ids.filter(|id| self.variable(*id).space == Space::Global).collect();
        for id in ids {
            let variable = &module.variables[id.0 as usize];
            let Some((kind, _)) = facts(variable.element).filter(|_| is_image(variable)) else {
                continue;
            };
            let symbol = Symbol {
                name: variable.name.map_or("", |name| module.names.get(name)).to_string(),
                binding: SymbolBinding::GLOBAL,
                symbol_type: SymbolType(kind),
                ..Symbol::null()
            };
            let name = symbol.name.clone();
            let key = self.writer.symbol(symbol, None);
            self.images.insert(id, key);
            if self.relocatable {
                self.variables.insert(name, (key, Space::Texture));
            }
        }
    }

    /// A symbol of the system that gives the bytes of a row of its tables.
    pub(super) fn row_symbol(&mut self, name: &str) -> bool {
        if !ROWS.contains(&name) {
            return false;
        }
        let symbol = Symbol {
            name: name.to_string(),
            binding: SymbolBinding::WEAK,
            symbol_type: SymbolType::OBJECT,
            size: 4,
            ..Symbol::null()
        };
        let key = self.writer.symbol(symbol, None);
        self.variables.insert(name.to_string(), (key, Space::Constant));
        true
    }

    /// What a kernel, or any device function, names, where that is placed here.
    pub(super) fn used_images(&self, source: &Function) -> Used {
        let own = source.body.iter().flat_map(named_images(self.module));
        let own: BTreeSet<VariableId> = own.chain(self.image_words.of_functions.iter().copied()).collect();
        let places = &self.image_words.places;
        own.into_iter().filter_map(|id| Some((id, *places.get(&id)?))).collect()
    }

    /// The relocations of the words of a kernel's bank.
    pub(super) fn relocate_images(&mut self, name: &str, bank: SectionKey, used: &Used) {
        if used.is_empty() {
            return;
        }
        let late = self.is_separate();
        let relocations = relocation_section(name, late);
        let relocations = self.writer.section_about(Rank::Relocations, relocations, bank);
        for (id, offset) in used.iter().rev() {
            let kind = facts(self.variable(*id).element).map(|(_, kinds)| kinds[usize::from(late)]);
            let kind = kind.and_then(RelocationType::from_name);
            if let (Some(kind), Some(symbol)) = (kind, self.images.get(id)) {
                let fix = Fix {
                    offset: u64::from(*offset),
                    symbol: *symbol,
                    kind,
                    addend: 0,
                };
                self.writer.fix(relocations, fix);
            }
        }
    }

    /// What `.nv.info` tells of samplers, the last one first, and of the mode: after the register counts, and after the frames.
    pub(super) fn image_records(&self, number: impl Fn(SymbolKey) -> u32) -> [Vec<InfoRecord>; 2] {
        let mut samplers = Vec::new();
        for (id, symbol) in self.images.iter().rev() {
            let variable = self.variable(*id);
            if variable.element == Type::Samplerref {
                let (modes, unnormalised) = initial(self.module, variable);
                if unnormalised {
                    let words = [number(*symbol), 1];
                    samplers.extend(attributes::sized("EIATTR_SAMPLER_FORCE_UNNORMALIZED", &words));
                }
                samplers.extend(attributes::sized("EIATTR_SAMPLER_INIT", &[number(*symbol), modes]));
            }
        }
        let independent = is_independent(self.module) && !self.images.is_empty();
        let mode = independent
            .then(|| attributes::flag("EIATTR_TEXMODE_INDEPENDENT"))
            .flatten();
        [samplers, mode.into_iter().collect()]
    }

    /// Which banks a kernel's names are in: of textures and of surfaces.
    pub(super) fn image_banks(&self, compiled: &Compiled, source: &Function) -> Vec<InfoRecord> {
        if self.relocatable {
            return self.linked_banks(source);
        }
        let used = self.used_images(source);
        if used.is_empty() || !compiled.function.kernel {
            return Vec::new();
        }
        let late = self.sm.has(Feature::ImagePairs);
        let is_surface = |(id, _): &(VariableId, u32)| self.variable(*id).element == Type::Surfref;
        let banks = [
            ("EIATTR_BINDLESS_TEXTURE_BANK", !used.iter().all(is_surface)),
            ("EIATTR_BINDLESS_SURFACE_BANK", used.iter().any(is_surface)),
        ];
        let banks = banks.into_iter().filter(|(_, own)| *own || late);
        banks.filter_map(|(name, _)| attributes::byte(name, 0)).collect()
    }
}

impl File<'_> {
    /// The same of a function of a relocatable file: a record for each kind that it names, and one for surfaces before; none from sm_90 on.
    fn linked_banks(&self, source: &Function) -> Vec<InfoRecord> {
        if self.sm.has(Feature::ImagePairs) {
            return Vec::new();
        }
        let named: Vec<VariableId> = source.body.iter().flat_map(named_images(self.module)).collect();
        let kinds = [Type::Surfref, Type::Texref, Type::Samplerref, Type::Surfref];
        let kinds = kinds.into_iter().filter(|kind| {
            let mut named = named.iter();
            named.any(|id| self.variable(*id).element == *kind)
        });
        let records = kinds.filter_map(|kind| {
            let name = match kind {
                Type::Surfref => "EIATTR_BINDLESS_SURFACE_BANK",
                _ => "EIATTR_BINDLESS_TEXTURE_BANK",
            };
            attributes::byte(name, 0)
        });
        records.collect()
    }
}

/// The address modes and the filter of a sampler, a byte each, 0xff where nothing is said; and whether coordinates are not normalised.
fn initial(module: &Module, variable: &Variable) -> (u32, bool) {
    let mut modes = [0xff; 4];
    let mut unnormalised = false;
    if let Some(Initializer::Fields(fields, _)) = &variable.initializer {
        for (name, value) in fields {
            let value = u8::try_from(*value).unwrap_or(0xff);
            match module.names.get(*name) {
                "addr_mode_0" => modes[0] = value,
                "addr_mode_1" => modes[1] = value,
                "addr_mode_2" => modes[2] = value,
                "filter_mode" => modes[3] = value,
                "force_unnormalized_coords" => unnormalised = value != 0,
                _ => {}
            }
        }
    }
    (u32::from_le_bytes(modes), unnormalised)
}

/// Whether a module asks what kind a handle is of.
pub(super) fn asks_for_types(module: &Module) -> bool {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    bodies
        .flat_map(|body| &body.statements)
        .any(|statement| match statement {
            Statement::Instruction(instruction) => {
                let variant = module.variants.get(instruction.variant.0 as usize);
                variant.is_some_and(|variant| variant.opcode == Opcode::Istypep)
            }
            _ => false,
        })
}
