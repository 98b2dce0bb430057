//! What a debugger is told (`-G`), as DWARF 2 in the sections of the PTX that nvcc writes it to.
//!
//! Spaces of memory are `DW_AT_address_class`, in the numbers of CUDA's debugger (public header `cudadebugger.h`, and observed in what nvcc writes). A
//! variable in the frame is at `DW_OP_addr` of the frame's array and an offset; the assembler makes a place relative to the frame of it.

mod scopes;
mod text;

use gimli::constants as dw;
use gimli::write::{Address, AttributeValue, DwarfUnit, Expression, LineProgram, LineString, Sections, UnitEntryId};
use gimli::{Encoding, Format, LineEncoding};
use rustc_hash::FxHashMap;
use warpsmith_ir::{
    AddressSpace, DebugEncoding, DebugFunction, DebugInfo, DebugMember, DebugMemory, DebugPlace, DebugRecordKind,
    DebugScopeId, DebugType, DebugTypeId, DebugVariable, FunctionId, InstructionId,
};

pub(crate) use scopes::ScopeLabels;
use text::Section;

use crate::module::Scope;

/// `DW_LANG_C_plus_plus`.
const LANGUAGE: u16 = dw::DW_LANG_C_plus_plus.0;

/// The numbers of the spaces of memory in `DW_AT_address_class`.
mod class {
    pub(super) const CONSTANT: u8 = 4;
    pub(super) const GLOBAL: u8 = 5;
    pub(super) const LOCAL: u8 = 6;
    pub(super) const SHARED: u8 = 8;
    /// In four bytes, as nvcc writes it of pointers.
    pub(super) const GENERIC: u32 = 12;
}

/// What selection knows of a function's code.
#[derive(Debug)]
pub(crate) struct Selected {
    /// Offsets of the memory of `alloca`s in the frame.
    pub(crate) places: FxHashMap<InstructionId, u64>,
    /// The name of the frame's array.
    pub(crate) frame: String,
    /// Which scopes have code.
    pub(crate) scopes: ScopeLabels,
}

/// The label at the beginning of a function.
pub(crate) fn function_begin(id: FunctionId) -> String {
    format!("$L__func_begin{}", id.index())
}

/// The label at the end of a function.
pub(crate) fn function_end(id: FunctionId) -> String {
    format!("$L__func_end{}", id.index())
}

/// The label at the beginning of a scope.
pub(crate) fn scope_begin(id: FunctionId, scope: DebugScopeId) -> String {
    format!("$L__scope_begin{}_{}", id.index(), scope.index())
}

/// The label at the end of a scope.
pub(crate) fn scope_end(id: FunctionId, scope: DebugScopeId) -> String {
    format!("$L__scope_end{}_{}", id.index(), scope.index())
}

/// Writes the sections of a module.
///
/// # Errors
/// What the writer of DWARF cannot express: more than four gigabytes.
pub(crate) fn write(
    scope: &Scope<'_>,
    debug: &DebugInfo,
    selected: &FxHashMap<FunctionId, Selected>,
) -> Result<String, String> {
    let mut writer = Writer::new(scope, debug);
    for variable in &debug.variables {
        let root = writer.dwarf.unit.root();
        writer.variable(root, variable, None);
    }
    let mut functions: Vec<_> = debug.functions.iter().collect();
    functions.sort_unstable_by_key(|(id, _)| **id);
    for (id, function) in functions {
        if let Some(selected) = selected.get(id) {
            writer.function(*id, function, selected);
        }
    }
    writer.finish()
}

struct Writer<'a> {
    scope: &'a Scope<'a>,
    debug: &'a DebugInfo,
    dwarf: DwarfUnit,
    types: FxHashMap<DebugTypeId, UnitEntryId>,
    /// The type of the indices of arrays.
    index: Option<UnitEntryId>,
    /// The type that functions without a result return.
    void: Option<UnitEntryId>,
    /// Names that have an address, by the number that DWARF's writer knows them by.
    symbols: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(scope: &'a Scope<'a>, debug: &'a DebugInfo) -> Writer<'a> {
        let mut dwarf = DwarfUnit::new(Encoding {
            format: Format::Dwarf32,
            version: 2,
            address_size: 8,
        });
        // The assembler makes the lines, from `.loc`; this stands for them, so that the unit refers to the section. It is not written.
        let name = || LineString::String(b".".to_vec());
        let encoding = dwarf.unit.encoding();
        let mut lines = LineProgram::new(encoding, LineEncoding::default(), name(), None, name(), None);
        lines.end_sequence(0);
        dwarf.unit.line_program = lines;
        let root = dwarf.unit.root();
        let unit = dwarf.unit.get_mut(root);
        let producer = concat!("warpsmith ", env!("CARGO_PKG_VERSION"));
        unit.set(dw::DW_AT_producer, words(producer));
        unit.set(dw::DW_AT_language, AttributeValue::Data2(LANGUAGE));
        unit.set(dw::DW_AT_name, words(&debug.file));
        unit.set(dw::DW_AT_comp_dir, words(&debug.directory));
        unit.set(dw::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
        Writer {
            scope,
            debug,
            dwarf,
            types: FxHashMap::default(),
            index: None,
            void: None,
            symbols: Vec::new(),
        }
    }

    fn add(&mut self, parent: UnitEntryId, tag: gimli::DwTag) -> UnitEntryId {
        self.dwarf.unit.add(parent, tag)
    }

    fn top(&mut self, tag: gimli::DwTag) -> UnitEntryId {
        let root = self.dwarf.unit.root();
        self.add(root, tag)
    }

    fn set(&mut self, entry: UnitEntryId, name: gimli::DwAt, value: AttributeValue) {
        self.dwarf.unit.get_mut(entry).set(name, value);
    }

    fn set_name(&mut self, entry: UnitEntryId, name: &str) {
        if !name.is_empty() {
            self.set(entry, dw::DW_AT_name, words(name));
        }
    }

    fn set_place(&mut self, entry: UnitEntryId, place: Option<DebugPlace>) {
        let number = |place: DebugPlace| Some((self.scope.files.number(place.file)?, place.line));
        if let Some((file, line)) = place.and_then(number) {
            self.set(entry, dw::DW_AT_decl_file, AttributeValue::Udata(file as u64));
            self.set(entry, dw::DW_AT_decl_line, AttributeValue::Udata(line.into()));
        }
    }

    fn set_type(&mut self, entry: UnitEntryId, ty: Option<DebugTypeId>) {
        if let Some(ty) = ty.map(|ty| self.ty(ty)) {
            self.set(entry, dw::DW_AT_type, AttributeValue::UnitRef(ty));
        }
    }

    fn set_size(&mut self, entry: UnitEntryId, size: u64) {
        self.set(entry, dw::DW_AT_byte_size, AttributeValue::Udata(size));
    }

    /// Something that has an address in the assembled code.
    fn symbol(&mut self, name: String) -> Address {
        self.symbols.push(name);
        Address::Symbol {
            symbol: self.symbols.len() - 1,
            addend: 0,
        }
    }

    // Types.

    fn ty(&mut self, id: DebugTypeId) -> UnitEntryId {
        if let Some(&known) = self.types.get(&id) {
            return known;
        }
        let entry = self.top(match &self.debug.types[id] {
            DebugType::Basic { .. } => dw::DW_TAG_base_type,
            DebugType::Pointer(_) => dw::DW_TAG_pointer_type,
            DebugType::Reference(_) => dw::DW_TAG_reference_type,
            DebugType::Const(_) => dw::DW_TAG_const_type,
            DebugType::Volatile(_) => dw::DW_TAG_volatile_type,
            DebugType::Array(..) => dw::DW_TAG_array_type,
            DebugType::Function(..) => dw::DW_TAG_subroutine_type,
            DebugType::Record { kind, .. } => match kind {
                DebugRecordKind::Structure => dw::DW_TAG_structure_type,
                DebugRecordKind::Class => dw::DW_TAG_class_type,
                DebugRecordKind::Union => dw::DW_TAG_union_type,
            },
            DebugType::Enumeration { .. } => dw::DW_TAG_enumeration_type,
        });
        // Known before its parts are, since they may lead back to it.
        self.types.insert(id, entry);
        self.describe(entry, id);
        entry
    }

    fn describe(&mut self, entry: UnitEntryId, id: DebugTypeId) {
        let debug = self.debug;
        match &debug.types[id] {
            DebugType::Basic { name, encoding, size } => {
                self.set_name(entry, name);
                let encoding = AttributeValue::Encoding(match encoding {
                    DebugEncoding::Boolean => dw::DW_ATE_boolean,
                    DebugEncoding::Float => dw::DW_ATE_float,
                    DebugEncoding::Signed => dw::DW_ATE_signed,
                    DebugEncoding::SignedCharacter => dw::DW_ATE_signed_char,
                    DebugEncoding::Unsigned => dw::DW_ATE_unsigned,
                    DebugEncoding::UnsignedCharacter => dw::DW_ATE_unsigned_char,
                });
                self.set(entry, dw::DW_AT_encoding, encoding);
                self.set_size(entry, *size);
            }
            DebugType::Pointer(to) | DebugType::Reference(to) => {
                self.set_type(entry, *to);
                self.set(entry, dw::DW_AT_address_class, AttributeValue::Data4(class::GENERIC));
            }
            DebugType::Const(of) | DebugType::Volatile(of) => self.set_type(entry, *of),
            DebugType::Array(element, count) => self.array(entry, *element, *count),
            DebugType::Function(result, parameters) => {
                self.set_type(entry, *result);
                for parameter in parameters {
                    let child = self.add(entry, dw::DW_TAG_formal_parameter);
                    self.set_type(child, Some(*parameter));
                }
            }
            DebugType::Record {
                name,
                place,
                size,
                bases,
                members,
                ..
            } => {
                self.set_name(entry, name);
                match size {
                    Some(size) => self.set_size(entry, *size),
                    None => self.set(entry, dw::DW_AT_declaration, AttributeValue::Flag(true)),
                }
                self.set_place(entry, *place);
                for (base, offset) in bases {
                    let child = self.add(entry, dw::DW_TAG_inheritance);
                    self.set_type(child, Some(*base));
                    self.set_offset(child, *offset);
                }
                members.iter().for_each(|member| self.member(entry, member));
            }
            DebugType::Enumeration {
                name,
                place,
                size,
                values,
            } => {
                self.set_name(entry, name);
                self.set_size(entry, *size);
                self.set_place(entry, *place);
                for (name, value) in values {
                    let child = self.add(entry, dw::DW_TAG_enumerator);
                    self.set_name(child, name);
                    self.set(child, dw::DW_AT_const_value, AttributeValue::Sdata(*value));
                }
            }
        }
    }

    /// An array; one of arrays is one of several dimensions.
    fn array(&mut self, entry: UnitEntryId, element: Option<DebugTypeId>, count: Option<u64>) {
        let (mut element, mut counts) = (element, vec![count]);
        while let Some(DebugType::Array(inner, count)) = element.map(|element| &self.debug.types[element]) {
            element = *inner;
            counts.push(*count);
        }
        self.set_type(entry, element);
        let index = match self.index {
            Some(index) => index,
            None => {
                let index = self.top(dw::DW_TAG_base_type);
                self.set_name(index, "__ARRAY_SIZE_TYPE__");
                self.set_size(index, 8);
                self.set(index, dw::DW_AT_encoding, AttributeValue::Encoding(dw::DW_ATE_unsigned));
                *self.index.insert(index)
            }
        };
        for count in counts {
            let child = self.add(entry, dw::DW_TAG_subrange_type);
            self.set(child, dw::DW_AT_type, AttributeValue::UnitRef(index));
            if let Some(count) = count {
                self.set(child, dw::DW_AT_count, AttributeValue::Udata(count));
            }
        }
    }

    fn set_offset(&mut self, entry: UnitEntryId, offset: u64) {
        let mut place = Expression::new();
        place.op_plus_uconst(offset);
        self.set(entry, dw::DW_AT_data_member_location, AttributeValue::Exprloc(place));
    }

    fn member(&mut self, record: UnitEntryId, member: &DebugMember) {
        let entry = self.add(record, dw::DW_TAG_member);
        self.set_name(entry, &member.name);
        self.set_type(entry, Some(member.ty));
        self.set_place(entry, member.place);
        if let Some((lowest, width, unit)) = member.bits {
            // DWARF 2 counts from the highest bit.
            let offset = (unit * 8).saturating_sub(lowest + u64::from(width));
            self.set_size(entry, unit);
            self.set(entry, dw::DW_AT_bit_size, AttributeValue::Udata(width.into()));
            self.set(entry, dw::DW_AT_bit_offset, AttributeValue::Udata(offset));
        }
        self.set_offset(entry, member.offset);
    }

    // Code.

    fn function(&mut self, id: FunctionId, function: &DebugFunction, selected: &Selected) {
        let entry = self.top(dw::DW_TAG_subprogram);
        self.set_stretch(entry, function_begin(id), function_end(id));
        let mut frame = Expression::new();
        frame.op(dw::DW_OP_call_frame_cfa);
        self.set(entry, dw::DW_AT_frame_base, AttributeValue::Exprloc(frame));
        let symbol = self.scope.function_name(id).to_owned();
        self.set(entry, dw::DW_AT_MIPS_linkage_name, words(&symbol));
        self.set_name(entry, &function.name);
        self.set_place(entry, function.place);
        match function.result {
            Some(result) => self.set_type(entry, Some(result)),
            None => {
                let void = self.void();
                self.set(entry, dw::DW_AT_type, AttributeValue::UnitRef(void));
            }
        }
        if function.external {
            self.set(entry, dw::DW_AT_external, AttributeValue::Flag(true));
        }
        let mut blocks: Vec<Option<UnitEntryId>> = vec![None; function.scopes.len()];
        for variable in &function.variables {
            let scope = variable.scope;
            let parent = scope.map_or(entry, |scope| {
                self.block(id, function, selected, scope, &mut blocks, entry)
            });
            self.variable(parent, variable, Some(selected));
        }
    }

    /// The block of a scope, made where a variable first asks for it. A scope without code has no block: its variables are those of the one around.
    fn block(
        &mut self,
        id: FunctionId,
        function: &DebugFunction,
        selected: &Selected,
        scope: DebugScopeId,
        blocks: &mut [Option<UnitEntryId>],
        whole: UnitEntryId,
    ) -> UnitEntryId {
        if let Some(known) = blocks[scope.index()] {
            return known;
        }
        let parent = function.scopes[scope].parent;
        let parent = parent.map_or(whole, |parent| {
            self.block(id, function, selected, parent, blocks, whole)
        });
        let made = if selected.scopes.is_present(scope) {
            let made = self.add(parent, dw::DW_TAG_lexical_block);
            self.set_stretch(made, scope_begin(id, scope), scope_end(id, scope));
            made
        } else {
            parent
        };
        blocks[scope.index()] = Some(made);
        made
    }

    fn void(&mut self) -> UnitEntryId {
        if let Some(void) = self.void {
            return void;
        }
        let void = self.top(dw::DW_TAG_unspecified_type);
        self.set_name(void, "void");
        *self.void.insert(void)
    }

    fn set_stretch(&mut self, entry: UnitEntryId, from: String, to: String) {
        let (from, to) = (self.symbol(from), self.symbol(to));
        self.set(entry, dw::DW_AT_low_pc, AttributeValue::Address(from));
        self.set(entry, dw::DW_AT_high_pc, AttributeValue::Address(to));
    }

    fn variable(&mut self, parent: UnitEntryId, variable: &DebugVariable, selected: Option<&Selected>) {
        let tag = match variable.parameter {
            true => dw::DW_TAG_formal_parameter,
            false => dw::DW_TAG_variable,
        };
        let entry = self.add(parent, tag);
        self.set_name(entry, &variable.name);
        self.set_type(entry, Some(variable.ty));
        self.set_place(entry, variable.place);
        let (symbol, offset, space) = match variable.memory {
            DebugMemory::Local(id) => {
                let place = selected.and_then(|selected| Some((selected, selected.places.get(&id)?)));
                let Some((selected, &offset)) = place else { return };
                (selected.frame.clone(), Some(offset), class::LOCAL)
            }
            DebugMemory::Global(id) => {
                let space = match self.scope.module.symbols.globals[id].space {
                    AddressSpace::SHARED => class::SHARED,
                    AddressSpace::CONSTANT => class::CONSTANT,
                    _ => class::GLOBAL,
                };
                (self.scope.global_name(id).to_owned(), None, space)
            }
        };
        self.set(entry, dw::DW_AT_address_class, AttributeValue::Data1(space));
        let mut place = Expression::new();
        place.op_addr(self.symbol(symbol));
        if let Some(offset) = offset {
            place.op_plus_uconst(offset);
        }
        self.set(entry, dw::DW_AT_location, AttributeValue::Exprloc(place));
    }

    fn finish(mut self) -> Result<String, String> {
        let mut sections = Sections::new(Section::default());
        let written = self.dwarf.write(&mut sections);
        written.map_err(|error| format!("the debug information cannot be written: {error}"))?;
        let mut text = String::new();
        sections.debug_abbrev.write(&mut text, ".debug_abbrev", &self.symbols);
        sections.debug_info.write(&mut text, ".debug_info", &self.symbols);
        text.push_str("\t.section\t.debug_loc\n\t{\n\t}\n");
        Ok(text)
    }
}

/// Text in the entry itself.
fn words(text: &str) -> AttributeValue {
    // A byte of zero would end it.
    AttributeValue::String(text.bytes().filter(|&byte| byte != 0).collect())
}
