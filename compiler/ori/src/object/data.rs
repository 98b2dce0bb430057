//! The variables of a module in its cubin: sections, symbols, initial values, and the addresses that code reads from constant bank 4.
//!
//! Order and places are those of ptxas 13.0.88 (observed): variables that other modules see, then the others, each in order of the text; constant variables
//! lie one after the other, global ones sorted by alignment and size.

use rustc_hash::FxHashMap;
use warpsmith_cubin::{
    Content, Section, SectionFlags, SectionType, Symbol, SymbolBinding, SymbolOther, SymbolSection, SymbolType,
    relocation::RelocationType,
};
use warpsmith_numerics::{convert, format};
use warpsmith_ptx::{
    module::{AddressTarget, Attribute, Initializer, Linkage, Module, Space, Variable, VariableId},
    table::{Type, TypeKind},
};

use super::linkage;
use super::writer::{Fix, Rank, SectionKey, SymbolKey, Writer, relocation_section};
use crate::lower::{
    call::resolved,
    operand::{alignment, size},
    variables::{addressed, constants, in_order},
};

/// An address in an initial value: whose, offset in its section, what it points to, byte offset added, `generic(…)`.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    /// The variable that has it.
    within: VariableId,
    at: u64,
    target: AddressTarget,
    addend: i64,
    generic: bool,
    /// The byte of the address that stands there, for a mask of 0xFF at this byte; none for all eight.
    byte: Option<u32>,
}

/// The names of relocations of a whole address, and of one of its bytes: this and the bit where the byte begins.
type AddressKind = (&'static str, &'static str);
const GLOBAL: AddressKind = ("R_CUDA_G64", "R_CUDA_G8_");
const UNIFIED: AddressKind = ("R_CUDA_UNIFIED", "R_CUDA_UNIFIED_8_");
const ABSOLUTE: AddressKind = ("R_CUDA_64", "R_CUDA_8_");

/// A section that is filled with variables.
#[derive(Debug)]
struct Area {
    name: &'static str,
    /// The name that ptxas gives it first, from sm_90 on.
    first_name: &'static str,
    bytes: Vec<u8>,
    size: u64,
    alignment: u64,
    pointers: Vec<Pointer>,
    section: Option<SectionKey>,
}

impl Area {
    fn new(name: &'static str, first_name: &'static str) -> Area {
        Area {
            name,
            first_name,
            bytes: Vec::new(),
            size: 0,
            alignment: 1,
            pointers: Vec::new(),
            section: None,
        }
    }

    fn place(&mut self, variable: &Variable, offset: u64) {
        self.alignment = self.alignment.max(alignment(variable));
        self.size = self.size.max(offset.saturating_add(size(variable)));
    }
}

/// The variables of a module, as they are made.
pub(super) struct Data {
    zero: Area,
    initial: Area,
    constant: Area,
    addresses: Option<SectionKey>,
    places: FxHashMap<VariableId, u64>,
    symbols: FxHashMap<VariableId, SymbolKey>,
    with_addend: bool,
    relocatable: bool,
}

/// Which area a variable lies in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zero,
    Initial,
    Constant,
}

/// Where a module variable goes, if it is one that has a place in the file.
fn kind(variable: &Variable) -> Option<Kind> {
    match (variable.space, &variable.initializer) {
        (Space::Global, Some(_)) => Some(Kind::Initial),
        (Space::Global, None) => Some(Kind::Zero),
        (Space::Constant, _) => Some(Kind::Constant),
        _ => None,
    }
}

/// `SHN_COMMON` (System V ABI, chapter 4).
const COMMON_SECTION: u16 = 0xfff2;

/// Whether a variable is of another file.
fn is_elsewhere(variable: &Variable) -> bool {
    variable.linkage == Linkage::External
}

/// Whether a variable is one of which several files have one each, all the same: its linker gives it a place. (Observed, ptxas 13.0.88: `SHN_COMMON` with
/// the alignment as value, and no section.)
fn is_common(variable: &Variable) -> bool {
    variable.linkage == Linkage::Common && kind(variable) == Some(Kind::Zero)
}

/// What the symbol of a variable says beside its kind: that its memory is managed. (Observed, ptxas 13.0.88; cuobjdump calls it `MANAGED`.)
fn other(variable: &Variable) -> SymbolOther {
    let managed = variable.attributes.contains(&Attribute::Managed);
    SymbolOther(if managed { 4 } else { 0 })
}

impl Data {
    /// Places every variable of the module.
    ///
    /// # Errors
    /// What is not supported, by name.
    pub(super) fn new(module: &Module, with_addend: bool, relocatable: bool) -> Result<Data, String> {
        let mut data = Data {
            zero: Area::new(".nv.global", ".nv.global"),
            initial: Area::new(".nv.global.init", ".nv.global.init"),
            constant: Area::new(".nv.constant3", ".nv.constant.user"),
            addresses: None,
            places: FxHashMap::default(),
            symbols: FxHashMap::default(),
            with_addend,
            relocatable,
        };
        let is_here = |id: &VariableId| {
            let described = variable(module, *id);
            !relocatable || !is_elsewhere(described) && !is_common(described)
        };
        for wanted in [Kind::Zero, Kind::Initial] {
            let all = in_order(module).into_iter();
            let all = all.filter(is_here);
            let ids: Vec<VariableId> = all.filter(|id| kind(variable(module, *id)) == Some(wanted)).collect();
            let mut next = 0_u64;
            for id in sorted(module, ids) {
                let described = variable(module, id);
                let offset = next.next_multiple_of(alignment(described).max(1));
                next = offset.saturating_add(size(described));
                data.put(wanted, described, id, offset)?;
            }
        }
        for (id, offset) in constants(module).into_iter().filter(|(id, _)| is_here(id)) {
            data.put(Kind::Constant, variable(module, id), id, offset)?;
        }
        Ok(data)
    }

    fn put(&mut self, kind: Kind, described: &Variable, id: VariableId, offset: u64) -> Result<(), String> {
        let area = self.area(kind);
        area.place(described, offset);
        if let Some(initializer) = &described.initializer {
            fill_variable(area, id, described, initializer, offset)?;
        }
        self.places.insert(id, offset);
        Ok(())
    }

    fn area(&mut self, kind: Kind) -> &mut Area {
        match kind {
            Kind::Zero => &mut self.zero,
            Kind::Initial => &mut self.initial,
            Kind::Constant => &mut self.constant,
        }
    }

    /// Makes the sections and symbols: at the first function, as ptxas does.
    pub(super) fn make(&mut self, writer: &mut Writer, module: &Module, bank_bytes: u64) {
        for id in in_order(module) {
            let described = variable(module, id);
            let Some(kind) = kind(described) else { continue };
            let common = self.relocatable && is_common(described);
            let elsewhere = common || self.relocatable && is_elsewhere(described);
            let section = (!elsewhere).then(|| self.section(writer, kind));
            let mut symbol = Symbol {
                name: described.name.map_or("", |name| module.names.get(name)).to_string(),
                binding: binding(described.linkage),
                symbol_type: SymbolType::OBJECT,
                value: self.places.get(&id).copied().unwrap_or(0),
                size: size(described),
                other: other(described),
                ..Symbol::null()
            };
            if common {
                symbol.section = SymbolSection::Reserved(COMMON_SECTION);
                symbol.value = alignment(described);
            }
            if self.relocatable {
                symbol.symbol_type = linkage::OBJECT;
                symbol.other.0 |= linkage::space_bits(described.space);
            }
            let key = writer.symbol(symbol, section);
            self.symbols.insert(id, key);
            if described.space == Space::Global && !self.relocatable {
                self.address_section(writer, bank_bytes);
            }
        }
    }

    /// The symbols of the variables.
    pub(super) fn symbols(&self) -> &FxHashMap<VariableId, SymbolKey> {
        &self.symbols
    }

    /// The section of a kind of variables, made when the first one comes.
    fn section(&mut self, writer: &mut Writer, kind: Kind) -> SectionKey {
        let write = SectionFlags::ALLOC | SectionFlags::WRITE;
        let (relocatable, renamed) = (self.relocatable, self.with_addend && !self.relocatable);
        let area = self.area(kind);
        if let Some(section) = area.section {
            return section;
        }
        let (rank, flags) = match kind {
            Kind::Zero => (Rank::Zeroed, write),
            Kind::Initial => (Rank::Initialised, write),
            Kind::Constant => (Rank::Constants, SectionFlags::ALLOC),
        };
        let first = if renamed { area.first_name } else { area.name };
        writer.rename_section(area.name, first);
        writer.rename_symbol(area.name, first);
        let mut made = area_section(area, flags, kind != Kind::Zero);
        if relocatable {
            made.section_type = linkage::section_type(match kind {
                Kind::Zero => "SHT_CUDA_GLOBAL",
                Kind::Initial => "SHT_CUDA_GLOBAL_INIT",
                Kind::Constant => "SHT_CUDA_CONSTANT_B3",
            });
        }
        let key = writer.section(rank, made);
        writer.section_symbol(key);
        area.section = Some(key);
        key
    }

    fn address_section(&mut self, writer: &mut Writer, bytes: u64) {
        if self.addresses.is_some() {
            return;
        }
        let name = ".nv.constant4";
        let first = if self.with_addend { ".nv.constant.pic" } else { name };
        writer.rename_section(name, first);
        writer.rename_symbol(name, first);
        let mut section = Section::new(name, SectionType::PROGBITS, SectionFlags::ALLOC);
        section.alignment = 8;
        section.content = Content::Bytes(vec![0; bytes as usize]);
        let key = writer.section(Rank::Constants, section);
        writer.section_symbol(key);
        self.addresses = Some(key);
    }

    /// Makes the relocations of the variables: after all functions.
    ///
    /// # Errors
    /// An address that is not supported, by name.
    pub(super) fn relocate(
        &mut self,
        writer: &mut Writer,
        module: &Module,
        functions: &FxHashMap<String, SymbolKey>,
    ) -> Result<(), String> {
        if let Some(section) = self.addresses {
            let relocations = self.relocations(writer, section, ".nv.constant4", ".nv.constant.pic");
            let slots: Vec<VariableId> = addressed(module).collect();
            for (slot, id) in slots.iter().enumerate().rev() {
                if let Some(symbol) = self.symbols.get(id) {
                    let fix = Fix {
                        offset: 8 * slot as u64,
                        symbol: *symbol,
                        kind: relocation_type("R_CUDA_64")?,
                        addend: 0,
                    };
                    writer.fix(relocations, fix);
                }
            }
        }
        for kind in [Kind::Constant, Kind::Initial] {
            let area = self.area(kind);
            let (pointers, name, first) = (std::mem::take(&mut area.pointers), area.name, area.first_name);
            let Some(section) = area.section.filter(|_| !pointers.is_empty()) else {
                continue;
            };
            self.pointers(writer, (module, functions), section, (name, first), pointers)?;
        }
        Ok(())
    }

    /// The addresses in initial values: in order of the variables, the last of each first; up to sm_89 those with addends in a section of their own.
    fn pointers(
        &self,
        writer: &mut Writer,
        (module, functions): (&Module, &FxHashMap<String, SymbolKey>),
        section: SectionKey,
        (name, first): (&str, &str),
        mut pointers: Vec<Pointer>,
    ) -> Result<(), String> {
        let order: FxHashMap<VariableId, usize> = in_order(module)
            .into_iter()
            .enumerate()
            .map(|(index, id)| (id, index))
            .collect();
        pointers.sort_by_key(|pointer| (order.get(&pointer.within).copied(), std::cmp::Reverse(pointer.at)));
        for with_addend in [false, true] {
            let chosen = |pointer: &&Pointer| (pointer.addend != 0) == with_addend;
            let all = |_: &&Pointer| with_addend;
            let of_part: Vec<&Pointer> = match self.with_addend {
                true => pointers.iter().filter(all).collect(),
                false => pointers.iter().filter(chosen).collect(),
            };
            if of_part.is_empty() {
                continue;
            }
            let relocations = if with_addend && !self.with_addend {
                writer.name(&format!(".rela{name}"));
                writer.section_about(Rank::Relocations, relocation_section(name, true), section)
            } else {
                self.relocations(writer, section, name, first)
            };
            for pointer in of_part {
                let symbol = match pointer.target {
                    AddressTarget::Variable(id) => self.symbols.get(&id),
                    AddressTarget::Function(id) => {
                        let function = module.functions.get(resolved(module, id).0 as usize);
                        function.and_then(|function| functions.get(module.names.get(function.name)))
                    }
                };
                let symbol = *symbol.ok_or("this address in an initial value is not supported yet")?;
                // Observed: with and without `generic(…)`.
                let (whole, bytes) = match pointer.target {
                    AddressTarget::Variable(id) if variable(module, id).space == Space::Global => GLOBAL,
                    AddressTarget::Function(_) if self.relocatable && self.with_addend => UNIFIED,
                    AddressTarget::Variable(_) if pointer.generic => GLOBAL,
                    AddressTarget::Function(_) | AddressTarget::Variable(_) => ABSOLUTE,
                };
                let kind = match pointer.byte {
                    Some(byte) => relocation_type(&format!("{bytes}{}", 8 * byte)),
                    None => relocation_type(whole),
                };
                let fix = Fix {
                    offset: pointer.at,
                    symbol,
                    kind: kind?,
                    addend: pointer.addend,
                };
                writer.fix(relocations, fix);
            }
        }
        Ok(())
    }

    /// The section of relocations of a section.
    fn relocations(&self, writer: &mut Writer, section: SectionKey, name: &str, first: &str) -> SectionKey {
        if self.with_addend {
            writer.name(&format!(".rel{first}"));
            writer.rename_section(&format!(".rela{name}"), &format!(".rela{first}"));
            writer.name_symbol(&format!(".rela{first}"));
        } else {
            writer.name(&format!(".rel{name}"));
        }
        writer.section_about(Rank::Relocations, relocation_section(name, self.with_addend), section)
    }
}

fn variable(module: &Module, id: VariableId) -> &Variable {
    &module.variables[id.0 as usize]
}

fn relocation_type(name: &str) -> Result<RelocationType, String> {
    RelocationType::from_name(name).ok_or_else(|| "a relocation without number".to_string())
}

/// How others see a variable or function.
pub(super) fn binding(linkage: Linkage) -> SymbolBinding {
    match linkage {
        Linkage::Internal => SymbolBinding::LOCAL,
        Linkage::Weak => SymbolBinding::WEAK,
        Linkage::Visible | Linkage::External | Linkage::Common => SymbolBinding::GLOBAL,
    }
}

/// Sorts variables by falling alignment, then by size, as ptxas does: a merge sort of a list that is dealt out to two lists from the front, so that equal
/// ones change places. (Observed: the places of 2 to 10 equal variables, and of mixed ones, ptxas 13.0.88.)
fn sorted(module: &Module, ids: Vec<VariableId>) -> Vec<VariableId> {
    if ids.len() < 2 {
        return ids;
    }
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (index, id) in ids.into_iter().enumerate() {
        if index % 2 == 0 { even.push(id) } else { odd.push(id) }
    }
    even.reverse();
    odd.reverse();
    let (even, odd) = (sorted(module, even), sorted(module, odd));
    let key = |id: VariableId| {
        let described = variable(module, id);
        (std::cmp::Reverse(alignment(described)), size(described))
    };
    let mut out = Vec::with_capacity(even.len() + odd.len());
    let (mut even, mut odd) = (even.into_iter().peekable(), odd.into_iter().peekable());
    loop {
        let from_odd = match (even.peek(), odd.peek()) {
            (Some(a), Some(b)) => key(*b) < key(*a),
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (None, None) => return out,
        };
        out.extend(if from_odd { odd.next() } else { even.next() });
    }
}

fn area_section(area: &mut Area, flags: SectionFlags, has_bytes: bool) -> Section {
    let kind = if has_bytes {
        SectionType::PROGBITS
    } else {
        SectionType::NOBITS
    };
    let mut section = Section::new(area.name, kind, flags);
    section.alignment = area.alignment;
    section.content = if has_bytes {
        // Not copied: it may be the largest part of all that there is.
        let mut bytes = std::mem::take(&mut area.bytes);
        bytes.resize(usize::try_from(area.size).unwrap_or(0), 0);
        Content::Bytes(bytes)
    } else {
        Content::NoBits(area.size)
    };
    section
}

/// Bytes of an element.
fn width(element: Type) -> u64 {
    u64::from(element.bits().div_ceil(8)).max(1)
}

fn fill_variable(
    area: &mut Area,
    id: VariableId,
    variable: &Variable,
    initializer: &Initializer,
    offset: u64,
) -> Result<(), String> {
    let end = usize::try_from(offset + size(variable)).map_err(|_| "a variable of this size".to_string())?;
    if area.bytes.len() < end {
        area.bytes.resize(end, 0);
    }
    let mut extents: Vec<u64> = variable.dimensions.iter().map(|d| d.unwrap_or(0)).collect();
    if variable.vector > 1 {
        extents.push(u64::from(variable.vector));
    }
    let before = area.pointers.len();
    let end = offset + size(variable);
    fill(area, variable.element, &extents, initializer, offset, end)?;
    for pointer in area.pointers.iter_mut().skip(before) {
        pointer.within = id;
    }
    Ok(())
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
            if mask.is_none() && width != 8 {
                return Err("an address in an initial value that is not of 64 bits".to_string());
            }
            area.pointers.push(Pointer {
                within: VariableId(0),
                at: offset,
                target: *target,
                addend: *addend,
                generic: *generic,
                byte: mask.map(|mask| mask.trailing_zeros() / 8),
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
