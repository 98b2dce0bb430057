//! The variables of a module in its cubin: sections, symbols, initial values, and the addresses that code reads from constant bank 4.

use rustc_hash::FxHashMap;
use warpsmith_cubin::{
    Content, Cubin, Relocation, Section, SectionFlags, SectionType, Symbol, SymbolBinding, SymbolSection, SymbolType,
    relocation::RelocationType, symbol::SymbolOther,
};
use warpsmith_numerics::{convert, format};
use warpsmith_ptx::{
    module::{AddressTarget, Initializer, Linkage, Module, Space, Variable, VariableId},
    table::{Type, TypeKind},
};

use crate::lower::{
    operand::{alignment, size},
    variables::{addressed, constants},
};

/// An address in an initial value: offset in its section, what it points to, byte offset added, `generic(…)`.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    at: u64,
    target: VariableId,
    addend: i64,
    generic: bool,
}

/// A section that is filled with variables.
#[derive(Debug, Default)]
struct Area {
    bytes: Vec<u8>,
    size: u64,
    alignment: u64,
    pointers: Vec<Pointer>,
    members: Vec<(VariableId, u64)>,
}

impl Area {
    fn reserve(&mut self, id: VariableId, variable: &Variable) -> u64 {
        let align = alignment(variable).max(1);
        let offset = self.size.next_multiple_of(align);
        self.place(id, variable, offset);
        offset
    }

    fn place(&mut self, id: VariableId, variable: &Variable, offset: u64) {
        self.alignment = self.alignment.max(alignment(variable)).max(1);
        self.size = self.size.max(offset.saturating_add(size(variable)));
        self.members.push((id, offset));
    }
}

/// Adds every global and constant variable of the module. Bank 4 is made if some function reads it.
///
/// # Errors
/// What is not supported, by name.
pub(crate) fn add(cubin: &mut Cubin, module: &Module, with_addresses: bool) -> Result<(), String> {
    let (mut zero, mut initial, mut constant) = (Area::default(), Area::default(), Area::default());
    for (index, variable) in module.variables.iter().enumerate() {
        let id = VariableId(index as u32);
        if variable.space != Space::Global || variable.linkage == Linkage::External {
            continue;
        }
        if variable.attributes.contains(&warpsmith_ptx::module::Attribute::Managed) {
            return Err("a managed variable is not supported yet".to_string());
        }
        match &variable.initializer {
            Some(initializer) => {
                let offset = initial.reserve(id, variable);
                fill_variable(&mut initial, variable, initializer, offset)?;
            }
            None => {
                zero.reserve(id, variable);
            }
        }
    }
    for (id, offset) in constants(module) {
        let Some(variable) = module.variables.get(id.0 as usize) else {
            continue;
        };
        constant.place(id, variable, offset);
        if let Some(initializer) = &variable.initializer {
            fill_variable(&mut constant, variable, initializer, offset)?;
        }
    }
    let write = SectionFlags::ALLOC | SectionFlags::WRITE;
    let mut placed = Vec::new();
    for (area, name, flags, has_bytes) in [
        (zero, ".nv.global", write, false),
        (initial, ".nv.global.init", write, true),
        (constant, ".nv.constant3", SectionFlags::ALLOC, true),
    ] {
        if !area.members.is_empty() {
            let section = add_area(cubin, &area, name, flags, has_bytes);
            placed.push((section, name, area));
        }
    }
    // Local symbols come first in a symbol table.
    let mut symbols = FxHashMap::default();
    for local in [true, false] {
        for (section, _, area) in &placed {
            add_symbols(cubin, module, *section, area, local, &mut symbols);
        }
    }
    for (section, name, area) in &placed {
        add_relocations(cubin, *section, name, &area.pointers, &symbols)?;
    }
    if with_addresses {
        add_addresses(cubin, module, &symbols)?;
    }
    Ok(())
}

fn add_area(cubin: &mut Cubin, area: &Area, name: &str, flags: SectionFlags, has_bytes: bool) -> u32 {
    let kind = if has_bytes {
        SectionType::PROGBITS
    } else {
        SectionType::NOBITS
    };
    let mut section = Section::new(name, kind, flags);
    section.alignment = area.alignment.max(1);
    section.content = if has_bytes {
        let mut bytes = area.bytes.clone();
        bytes.resize(usize::try_from(area.size).unwrap_or(0), 0);
        Content::Bytes(bytes)
    } else {
        Content::NoBits(area.size)
    };
    cubin.add_section(section)
}

/// Adds the symbols of a section's variables: those that other modules do not see, or the others.
fn add_symbols(
    cubin: &mut Cubin,
    module: &Module,
    section: u32,
    area: &Area,
    local: bool,
    symbols: &mut FxHashMap<VariableId, u32>,
) {
    for (id, offset) in &area.members {
        let Some(variable) = module.variables.get(id.0 as usize) else {
            continue;
        };
        let binding = match variable.linkage {
            Linkage::Internal => SymbolBinding::LOCAL,
            Linkage::Weak => SymbolBinding::WEAK,
            Linkage::Visible | Linkage::External | Linkage::Common => SymbolBinding::GLOBAL,
        };
        if local != (binding == SymbolBinding::LOCAL) {
            continue;
        }
        let symbol = cubin.add_symbol(Symbol {
            name: variable.name.map_or("", |name| module.names.get(name)).to_string(),
            binding,
            symbol_type: SymbolType::OBJECT,
            other: SymbolOther(0),
            section: SymbolSection::Section(section),
            value: *offset,
            size: size(variable),
            ..Symbol::null()
        });
        if let Some(symbol) = symbol {
            symbols.insert(*id, symbol);
        }
    }
}

fn relocation(name: &str, offset: u64, symbol: u32, addend: i64) -> Result<Relocation, String> {
    Ok(Relocation {
        offset,
        symbol,
        relocation_type: RelocationType::from_name(name).ok_or("a relocation without number")?,
        addend,
    })
}

fn add_relocations(
    cubin: &mut Cubin,
    section: u32,
    name: &str,
    pointers: &[Pointer],
    symbols: &FxHashMap<VariableId, u32>,
) -> Result<(), String> {
    let mut entries = Vec::new();
    for pointer in pointers {
        let symbol = *symbols
            .get(&pointer.target)
            .ok_or("the address of this variable in an initial value")?;
        let kind = if pointer.generic { "R_CUDA_G64" } else { "R_CUDA_64" };
        entries.push(relocation(kind, pointer.at, symbol, pointer.addend)?);
    }
    push_relocations(cubin, section, name, entries);
    Ok(())
}

fn push_relocations(cubin: &mut Cubin, section: u32, name: &str, entries: Vec<Relocation>) {
    if entries.is_empty() {
        return;
    }
    let mut relocations = Section::new(&format!(".rela{name}"), SectionType::RELA, SectionFlags::INFO_LINK);
    relocations.info = section;
    relocations.link = warpsmith_cubin::build::SYMBOLS;
    relocations.alignment = 8;
    relocations.content = Content::Relocations {
        entries,
        with_addend: true,
    };
    cubin.add_section(relocations);
}

/// Bank 4: the address of each global variable, 8 bytes, in order of the module. Those of variables that are only declared stay zero.
fn add_addresses(cubin: &mut Cubin, module: &Module, symbols: &FxHashMap<VariableId, u32>) -> Result<(), String> {
    let mut entries = Vec::new();
    let mut size = 0;
    for id in addressed(module) {
        if let Some(symbol) = symbols.get(&id) {
            entries.push(relocation("R_CUDA_64", size, *symbol, 0)?);
        }
        size += 8;
    }
    let mut section = Section::new(".nv.constant4", SectionType::PROGBITS, SectionFlags::ALLOC);
    section.alignment = 8;
    section.content = Content::Bytes(vec![0; size as usize]);
    let index = cubin.add_section(section);
    push_relocations(cubin, index, ".nv.constant4", entries);
    Ok(())
}

/// Bytes of an element.
fn width(element: Type) -> u64 {
    u64::from(element.bits().div_ceil(8)).max(1)
}

fn fill_variable(area: &mut Area, variable: &Variable, initializer: &Initializer, offset: u64) -> Result<(), String> {
    let end = usize::try_from(offset + size(variable)).map_err(|_| "a variable of this size".to_string())?;
    if area.bytes.len() < end {
        area.bytes.resize(end, 0);
    }
    let mut extents: Vec<u64> = variable.dimensions.iter().map(|d| d.unwrap_or(0)).collect();
    if variable.vector > 1 {
        extents.push(u64::from(variable.vector));
    }
    fill(
        area,
        variable.element,
        &extents,
        initializer,
        offset,
        offset + size(variable),
    )
}

/// Writes a value; nested lists fill one row each.
fn fill(
    area: &mut Area,
    element: Type,
    extents: &[u64],
    initializer: &Initializer,
    offset: u64,
    end: u64,
) -> Result<(), String> {
    let width = width(element);
    match initializer {
        Initializer::List(values, _) => {
            let inner = extents.get(1..).unwrap_or(&[]);
            let row = inner.iter().fold(width, |bytes, extent| bytes.saturating_mul(*extent));
            let mut at = offset;
            for value in values {
                let step = if matches!(value, Initializer::List(..)) {
                    row
                } else {
                    width
                };
                if at.saturating_add(step) > end {
                    return Err("an initial value longer than its variable".to_string());
                }
                fill(area, element, inner, value, at, at + step)?;
                at += step;
            }
        }
        Initializer::Fields(..) => return Err("a texture, sampler or surface variable".to_string()),
        Initializer::Integer(bits, _) => {
            let bits = match element.kind() {
                TypeKind::Float => {
                    let modifiers = convert::Modifiers::default();
                    float_bits(
                        convert::integer_to_float(convert::S64, format::F64, modifiers, *bits),
                        element,
                    )?
                }
                _ => *bits,
            };
            put(area, offset, width, bits);
        }
        Initializer::Float(bits, _) => put(area, offset, width, float_bits(*bits, element)?),
        Initializer::Single(bits, _) => put(area, offset, width, single_bits(*bits, element)?),
        Initializer::Address {
            target,
            offset: addend,
            generic,
            mask,
            ..
        } => {
            let AddressTarget::Variable(target) = target else {
                return Err("the address of a function in an initial value".to_string());
            };
            if mask.is_some() || width != 8 {
                return Err("a part of an address in an initial value".to_string());
            }
            area.pointers.push(Pointer {
                at: offset,
                target: *target,
                addend: *addend,
                generic: *generic,
            });
        }
    }
    Ok(())
}

/// The bits of a double as a value of the type.
fn float_bits(bits: u64, element: Type) -> Result<u64, String> {
    let to = match element {
        Type::F16 => format::F16,
        Type::Bf16 => format::BF16,
        Type::F32 | Type::B32 => format::F32,
        Type::F64 | Type::B64 => return Ok(bits),
        _ => return Err("a floating-point initial value of this type".to_string()),
    };
    Ok(convert::float_to_float(
        format::F64,
        to,
        convert::Modifiers::default(),
        bits,
    ))
}

/// The bits of a single as a value of the type.
fn single_bits(bits: u32, element: Type) -> Result<u64, String> {
    match element.bits() {
        32 => Ok(u64::from(bits)),
        64 => {
            let modifiers = convert::Modifiers::default();
            Ok(convert::float_to_float(
                format::F32,
                format::F64,
                modifiers,
                u64::from(bits),
            ))
        }
        _ => Err("a floating-point initial value of this type".to_string()),
    }
}

fn put(area: &mut Area, offset: u64, width: u64, bits: u64) {
    for (byte, value) in (offset..offset + width).zip(bits.to_le_bytes().into_iter().chain(std::iter::repeat(0))) {
        if let Some(place) = area.bytes.get_mut(byte as usize) {
            *place = value;
        }
    }
}
