//! Sizes, alignments and the layout of classes, after the Itanium C++ ABI (chapter 2), with x86-64's data model as host and device share it.

use super::{
    ClassId, ClassKind, Field, FieldIndex, FunctionId, FunctionName, Layout, Program, Type, TypeId, VirtualSlot,
};

/// Why a class cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    /// The field at fault, if one is.
    pub field: Option<FieldIndex>,
    /// What is wrong, as a message without a full stop.
    pub reason: String,
}

/// No object is greater than this, in bytes.
const GREATEST_SIZE: u64 = 1 << 47;

/// Rounds up to a multiple of `alignment`.
pub(crate) fn align_to(value: u64, alignment: u64) -> u64 {
    value.div_ceil(alignment.max(1)).saturating_mul(alignment.max(1))
}

impl Program {
    /// Size and alignment in bytes of objects of a type; `None` for incomplete types, `void`, functions and arrays without bound. References as in a class.
    pub fn size_and_alignment(&self, id: TypeId) -> Option<(u64, u64)> {
        Some(match self.types.get(id) {
            Type::Error | Type::Auto | Type::DecltypeAuto | Type::Void | Type::Function(_) => return None,
            Type::Bool => (1, 1),
            Type::Integer(kind) => both(u64::from(kind.bits()) / 8),
            Type::Float(super::FloatKind::LongDouble | super::FloatKind::Float128) => both(16),
            Type::Float(kind) => both(u64::from(kind.bits()) / 8),
            Type::NullPointer | Type::Pointer(_) | Type::LValueReference(_) | Type::RValueReference(_) => both(8),
            Type::MemberPointer { pointee, .. } => match self.types.get(pointee.id) {
                Type::Function(_) => (16, 8),
                _ => both(8),
            },
            Type::Array(element, count) => {
                let (size, alignment) = self.size_and_alignment(element.id)?;
                (size.saturating_mul((*count)?), alignment)
            }
            Type::Class(class) => {
                let class = self.class(*class);
                if !class.complete {
                    return None;
                }
                (class.layout.size, class.layout.alignment)
            }
            Type::Enum(id) => return self.size_and_alignment(self.enumeration(*id).underlying),
            Type::Vector(element, count) => {
                let (size, _) = self.size_and_alignment(*element)?;
                both(size.saturating_mul(u64::from(*count)).next_power_of_two())
            }
        })
    }

    /// Size in bytes, 0 for types without.
    pub fn size_of(&self, id: TypeId) -> u64 {
        self.size_and_alignment(id).map_or(0, |(size, _)| size)
    }
    /// Alignment in bytes, 1 for types without; of an array without bound, its element's.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.types.get(id) {
            Type::Array(element, None) => self.align_of(element.id),
            _ => self.size_and_alignment(id).map_or(1, |(_, alignment)| alignment),
        }
    }

    /// Whether a class has virtual functions, its own or inherited.
    pub fn is_polymorphic(&self, id: ClassId) -> bool {
        let class = self.class(id);
        // The layout tells it of most classes, so that not all the bases above are asked for each one.
        if class.complete && (!class.layout.dynamic || class.layout.virtual_bases.is_empty()) {
            return class.layout.dynamic;
        }
        class.methods.iter().any(|&method| self.function(method).is_virtual)
            || class.bases.iter().any(|base| self.is_polymorphic(base.class))
    }

    /// Whether a class has virtual bases, direct or indirect.
    pub fn has_virtual_bases(&self, id: ClassId) -> bool {
        let class = self.class(id);
        if class.complete && !class.layout.dynamic {
            return false;
        }
        class
            .bases
            .iter()
            .any(|base| base.is_virtual || self.has_virtual_bases(base.class))
    }

    /// Completes a class whose bases, fields and methods are all there: marks methods that override, and computes the layout. The class is complete afterwards also
    /// when an error is given, with the layout of what could be laid out.
    pub fn complete_class(&mut self, id: ClassId) -> Result<(), LayoutError> {
        self.mark_overriders(id);
        let (layout, error) = ClassLayout::of(self, id);
        let (pod, packed) = (layout.pod, layout.packed);
        let class = self.class_mut(id);
        class.layout = layout.result;
        class.pod_for_layout = pod;
        class.packed_by_attribute = packed;
        class.complete = true;
        error.map_or(Ok(()), Err)
    }

    /// Whether a function of a class overrides a virtual one of a base ([class.virtual]/2).
    pub fn overrides(&self, method: FunctionId, of_base: FunctionId) -> bool {
        let (derived, base) = (self.function(method), self.function(of_base));
        if !base.is_virtual || !derived.has_this {
            return false;
        }
        if matches!(derived.name, FunctionName::Destructor) {
            return matches!(base.name, FunctionName::Destructor);
        }
        if derived.name != base.name {
            return false;
        }
        match (self.types.as_function(derived.ty), self.types.as_function(base.ty)) {
            (Some(derived), Some(base)) => {
                derived.parameters == base.parameters
                    && derived.qualifiers == base.qualifiers
                    && derived.reference == base.reference
                    && derived.variadic == base.variadic
            }
            _ => false,
        }
    }

    /// How many bytes have to be added to what a function returns to make it the result of one that it overrides ([class.virtual]/8): the distance from the class
    /// returned to its base.
    pub fn result_adjustment(&self, method: FunctionId, of_base: FunctionId) -> i64 {
        match self.result_classes(method, of_base) {
            Some((derived, base)) if derived != base => self.base_distance(derived, base).unwrap_or(0) as i64,
            _ => 0,
        }
    }

    /// Whether what a function returns becomes the result of one that it overrides by a way over a virtual base: a distance that the object alone knows.
    pub fn result_is_over_virtual(&self, method: FunctionId, of_base: FunctionId) -> bool {
        let virtual_bases = |(derived, base): (ClassId, ClassId)| {
            derived != base
                && self
                    .virtual_bases(derived)
                    .into_iter()
                    .any(|between| between == base || self.base_distance(between, base).is_some())
        };
        self.result_classes(method, of_base).is_some_and(virtual_bases)
    }

    /// The classes that two functions return pointers or references to.
    fn result_classes(&self, method: FunctionId, of_base: FunctionId) -> Option<(ClassId, ClassId)> {
        let class_of = |function: FunctionId| {
            let result = self.types.as_function(self.function(function).ty)?.result;
            let to = match *self.types.get(result.id) {
                Type::Pointer(to) | Type::LValueReference(to) | Type::RValueReference(to) => to,
                _ => return None,
            };
            self.types.as_class(to.id)
        };
        Some((class_of(method)?, class_of(of_base)?))
    }

    fn base_distance(&self, derived: ClassId, base: ClassId) -> Option<u64> {
        if derived == base {
            return Some(0);
        }
        let class = self.class(derived);
        let offsets = &class.layout.base_offsets;
        class
            .bases
            .iter()
            .zip(offsets)
            .find_map(|(step, offset)| Some(offset + self.base_distance(step.class, base)?))
    }

    fn mark_overriders(&mut self, id: ClassId) {
        let class = self.class(id);
        let bases: Vec<ClassId> = class.bases.iter().map(|base| base.class).collect();
        let overriding: Vec<FunctionId> = class
            .methods
            .iter()
            .copied()
            .filter(|&method| {
                !self.function(method).is_virtual && bases.iter().any(|&base| self.overridden_in(method, base))
            })
            .collect();
        for method in overriding {
            self.function_mut(method).is_virtual = true;
        }
    }

    fn overridden_in(&self, method: FunctionId, class: ClassId) -> bool {
        let class = self.class(class);
        class.methods.iter().any(|&of_base| self.overrides(method, of_base))
            || class.bases.iter().any(|base| self.overridden_in(method, base.class))
    }

    /// The virtual bases of a class in the order in which they are constructed, without doublets.
    pub fn virtual_bases(&self, id: ClassId) -> Vec<ClassId> {
        let mut found = Vec::new();
        self.collect_virtual_bases(id, &mut found);
        found
    }

    fn collect_virtual_bases(&self, id: ClassId, found: &mut Vec<ClassId>) {
        for base in &self.class(id).bases {
            self.collect_virtual_bases(base.class, found);
            if base.is_virtual && !found.contains(&base.class) {
                found.push(base.class);
            }
        }
    }

    /// Byte offset of a base in an object of `derived`, by the path of direct bases to it. Virtual bases: in a complete object of the class before it.
    pub fn base_path_offset(&self, derived: ClassId, path: &[ClassId]) -> u64 {
        let mut offset = 0;
        let mut current = derived;
        for &step in path {
            let class = self.class(current);
            if let Some(place) = class.bases.iter().position(|base| base.class == step) {
                offset += class.layout.base_offsets.get(place).copied().unwrap_or(0);
            } else if let Some(&(_, at)) = class.layout.virtual_bases.iter().find(|(base, _)| *base == step) {
                offset += at;
            }
            current = step;
        }
        offset
    }

    /// Whether a class has no non-static data members of nonzero size, virtual functions or virtual bases, nor have its bases.
    fn class_is_empty(&self, id: ClassId) -> bool {
        self.class(id).layout.empty
    }
}

const fn both(size: u64) -> (u64, u64) {
    (size, size)
}

/// A class being laid out. Sizes in bytes but for `data_bits`.
struct ClassLayout<'a> {
    program: &'a Program,
    id: ClassId,
    size: u64,
    alignment: u64,
    /// How far data reach, in bits.
    data_bits: u64,
    /// The empty subobjects so far, for no two of one type may share an address.
    empties: Vec<(ClassId, u64)>,
    /// What is not empty can conflict only at offsets up to the size of the greatest empty subobject.
    greatest_empty: u64,
    /// Where the last empty subobject ends.
    empties_end: u64,
    error: Option<LayoutError>,
    result: Layout,
}

/// A finished layout.
struct Finished {
    result: Layout,
    pod: bool,
    packed: bool,
}

impl<'a> ClassLayout<'a> {
    fn of(program: &'a Program, id: ClassId) -> (Finished, Option<LayoutError>) {
        let mut layout = ClassLayout {
            program,
            id,
            size: 0,
            alignment: 1,
            data_bits: 0,
            empties: Vec::new(),
            greatest_empty: 0,
            empties_end: 0,
            error: None,
            result: Layout::default(),
        };
        layout.find_greatest_empty();
        layout.lay_bases();
        layout.lay_fields();
        let error = layout.error.clone();
        (layout.finish(), error)
    }

    fn find_greatest_empty(&mut self) {
        let class = self.program.class(self.id);
        let mut greatest = 0;
        for base in &class.bases {
            greatest = greatest.max(self.empty_size(base.class));
        }
        for field in &class.fields {
            if let Some(class) = self.class_of(field.ty.id) {
                greatest = greatest.max(self.empty_size(class));
            }
        }
        self.greatest_empty = greatest;
    }

    /// The size of the greatest empty class in this one, itself included.
    fn empty_size(&self, id: ClassId) -> u64 {
        let class = self.program.class(id);
        let own = if class.layout.empty { class.layout.size } else { 0 };
        let bases = class
            .bases
            .iter()
            .map(|base| self.empty_size(base.class))
            .max()
            .unwrap_or(0);
        let fields = class
            .fields
            .iter()
            .filter_map(|field| self.class_of(field.ty.id))
            .map(|class| self.empty_size(class))
            .max();
        own.max(bases).max(fields.unwrap_or(0))
    }

    /// The class of a type, or of the elements of an array.
    fn class_of(&self, id: TypeId) -> Option<ClassId> {
        match *self.program.types.get(id) {
            Type::Class(class) => Some(class),
            Type::Array(element, _) => self.class_of(element.id),
            _ => None,
        }
    }

    /// The empty subobjects of a whole object of a class at an offset, itself included.
    fn empties_in(&self, id: ClassId, offset: u64, limit: u64, found: &mut Vec<(ClassId, u64)>) {
        self.empties_in_base(id, offset, limit, found);
        for &(base, at) in &self.program.class(id).layout.virtual_bases {
            self.empties_in_base(base, offset + at, limit, found);
        }
    }

    /// As [`Self::empties_in`], of a base: where its virtual bases are, another class says.
    fn empties_in_base(&self, id: ClassId, offset: u64, limit: u64, found: &mut Vec<(ClassId, u64)>) {
        if offset > limit {
            return;
        }
        let class = self.program.class(id);
        if class.layout.empty {
            found.push((id, offset));
        }
        for (base, at) in class.bases.iter().zip(&class.layout.base_offsets) {
            if !base.is_virtual {
                self.empties_in_base(base.class, offset + at, limit, found);
            }
        }
        for (field, at) in class.fields.iter().zip(&class.layout.field_offsets) {
            if field.bit_width.is_none() {
                self.empties_in_object(field.ty.id, offset + at, limit, found);
            }
        }
    }

    fn empties_in_object(&self, id: TypeId, offset: u64, limit: u64, found: &mut Vec<(ClassId, u64)>) {
        match *self.program.types.get(id) {
            Type::Class(class) => self.empties_in(class, offset, limit, found),
            Type::Array(element, Some(count)) if self.class_of(element.id).is_some() => {
                let size = self.program.size_of(element.id).max(1);
                for index in 0..count {
                    let at = offset + index * size;
                    if at > limit {
                        break;
                    }
                    self.empties_in_object(element.id, at, limit, found);
                }
            }
            _ => {}
        }
    }

    /// Takes an offset for an object if no empty subobject of it meets another of its type.
    fn try_place(&mut self, id: TypeId, offset: u64) -> bool {
        let mut found = Vec::new();
        self.empties_in_object(id, offset, self.greatest_empty, &mut found);
        self.record(found)
    }

    fn try_place_base(&mut self, class: ClassId, offset: u64) -> bool {
        let mut found = Vec::new();
        // An empty base can meet another anywhere.
        let limit = match self.program.class_is_empty(class) {
            true => u64::MAX,
            false => self.greatest_empty,
        };
        self.empties_in_base(class, offset, limit, &mut found);
        self.record(found)
    }

    fn record(&mut self, found: Vec<(ClassId, u64)>) -> bool {
        if found.iter().any(|place| self.empties.contains(place)) {
            return false;
        }
        self.empties.extend(found);
        true
    }

    fn data_size(&self) -> u64 {
        self.data_bits.div_ceil(8)
    }

    fn set_data_size(&mut self, bytes: u64) {
        if bytes > GREATEST_SIZE && self.error.is_none() {
            self.error = Some(LayoutError {
                field: None,
                reason: format!("'{}' is too large", self.program.class_name(self.id)),
            });
        }
        let bytes = bytes.min(GREATEST_SIZE);
        self.data_bits = bytes * 8;
        self.size = self.size.max(bytes);
    }

    /// Room for an empty subobject: it may lie beyond the data, and what follows must not meet it.
    fn take_empty(&mut self, offset: u64, size: u64) {
        self.empties_end = self.empties_end.max(offset + size);
        self.size = self.size.max(self.empties_end);
    }

    fn lay_bases(&mut self) {
        let program = self.program;
        let class = program.class(self.id);
        self.result.base_offsets = vec![0; class.bases.len()];
        self.result.dynamic = program.is_polymorphic(self.id) || program.has_virtual_bases(self.id);
        self.result.primary_base = class
            .bases
            .iter()
            .position(|base| !base.is_virtual && program.class(base.class).layout.dynamic);
        if let Some(primary) = self.result.primary_base {
            self.lay_base(primary);
        } else if self.result.dynamic {
            self.alignment = if self.is_packed() { 1 } else { self.pragma_alignment(8) };
            self.set_data_size(8);
        }
        for place in 0..class.bases.len() {
            if !class.bases[place].is_virtual && self.result.primary_base != Some(place) {
                self.lay_base(place);
            }
        }
        self.result.slots = self.slots();
    }

    fn lay_base(&mut self, place: usize) {
        let class = self.program.class(self.id).bases[place].class;
        let offset = self.base_offset(class);
        self.result.base_offsets[place] = offset;
    }

    /// Places a base (2.4.II.2 and 2.4.III).
    fn base_offset(&mut self, class: ClassId) -> u64 {
        let base = &self.program.class(class).layout;
        let (empty, size) = (base.empty, base.size);
        let (data, alignment) = (base.non_virtual_size, base.non_virtual_alignment.max(1));
        if empty {
            let mut offset = 0;
            if !self.try_place_base(class, 0) {
                offset = align_to(self.data_size(), alignment);
                while !self.try_place_base(class, offset) {
                    offset += alignment;
                }
            }
            self.take_empty(offset, size);
            self.alignment = self.alignment.max(alignment);
            return offset;
        }
        let alignment = self.pragma_alignment(alignment);
        let mut offset = align_to(self.data_size(), alignment);
        while !self.try_place_base(class, offset) {
            offset += alignment;
        }
        self.set_data_size(offset + data);
        self.alignment = self.alignment.max(alignment);
        offset
    }

    fn lay_fields(&mut self) {
        let class = self.program.class(self.id);
        let mut offsets = Vec::with_capacity(class.fields.len());
        for (place, field) in class.fields.iter().enumerate() {
            if class.kind == ClassKind::Union {
                self.data_bits = 0;
            }
            let offset = match field.bit_width {
                Some(width) => self.lay_bit_field(field, u64::from(width)),
                None => self.lay_field(field, place),
            };
            offsets.push(offset);
        }
        self.result.field_offsets = offsets;
    }

    /// Whether the packed attribute of a class holds for a field: not for one of a class that is neither packed nor a POD, nor for a reference.
    fn can_pack(&self, field: &Field) -> bool {
        match self.class_of(field.ty.id) {
            Some(of) => {
                let of = self.program.class(of);
                of.pod_for_layout || of.packed_by_attribute
            }
            None => !self.program.types.is_reference(field.ty.id),
        }
    }

    /// Whether the packed attribute of the class holds for all of it.
    fn is_packed(&self) -> bool {
        let class = self.program.class(self.id);
        class.packed_by_attribute && class.fields.iter().all(|field| self.can_pack(field))
    }

    /// Whether a field is aligned to bytes if nothing else is written at it.
    fn field_is_packed(&self, field: &Field) -> bool {
        field.packed || self.program.class(self.id).packed_by_attribute && self.can_pack(field)
    }

    /// Alignment of a field, after packing and `alignas`; `#pragma pack` holds for both.
    fn field_alignment(&self, field: &Field, natural: u64) -> u64 {
        let natural = if self.field_is_packed(field) { 1 } else { natural };
        self.pragma_alignment(natural.max(field.alignment.unwrap_or(1)))
    }

    /// An alignment under `#pragma pack`.
    fn pragma_alignment(&self, natural: u64) -> u64 {
        let limit = self.program.class(self.id).pragma_packing;
        limit.map_or(natural, |limit| natural.min(limit)).max(1)
    }

    fn lay_field(&mut self, field: &Field, place: usize) -> u64 {
        let unbounded = match *self.program.types.get(field.ty.id) {
            Type::Array(element, None) => self
                .program
                .size_and_alignment(element.id)
                .map(|(_, alignment)| (0, alignment)),
            _ => None,
        };
        let Some((size, natural)) = self.program.size_and_alignment(field.ty.id).or(unbounded) else {
            self.error.get_or_insert(LayoutError {
                field: Some(FieldIndex(place as u32)),
                reason: format!(
                    "a field cannot have the incomplete type '{}'",
                    self.program.show(field.ty)
                ),
            });
            return self.data_size();
        };
        let alignment = self.field_alignment(field, natural);
        let class = self.program.types.as_class(field.ty.id);
        let overlapping = field.no_unique_address && class.is_some();
        let empty = overlapping && class.is_some_and(|class| self.program.class_is_empty(class));
        let mut offset = if empty {
            0
        } else {
            align_to(self.data_size(), alignment)
        };
        let union = self.program.class(self.id).kind == ClassKind::Union;
        if !union && !self.try_place(field.ty.id, offset) {
            // Also in the byte in which a bit-field ends.
            let end = if empty { self.data_bits / 8 } else { self.data_size() };
            offset = align_to(end, alignment);
            while !self.try_place(field.ty.id, offset) {
                offset += alignment;
            }
        }
        self.alignment = self.alignment.max(alignment);
        if empty {
            self.take_empty(offset, size);
            return offset;
        }
        let data = match class {
            Some(class) if overlapping => self.program.class(class).layout.overlapping_size,
            _ => size,
        };
        self.set_data_size(if union { data } else { offset.saturating_add(data) });
        offset
    }

    /// Places a bit field; the offset is in bits (2.4.II.1 and the x86-64 psABI).
    fn lay_bit_field(&mut self, field: &Field, width: u64) -> u64 {
        let (size, natural) = self.program.size_and_alignment(field.ty.id).unwrap_or((4, 4));
        let unit = size * 8;
        let crosses_units = self.field_is_packed(field) || self.program.class(self.id).pragma_packing.is_some();
        let alignment = self.field_alignment(field, natural);
        let mut offset = self.data_bits;
        if width == 0 {
            // Packing says nothing of where the next unit begins.
            offset = align_to(offset, natural * 8);
        }
        if let Some(own) = field.alignment {
            offset = align_to(offset, self.pragma_alignment(own) * 8);
        }
        if !crosses_units && offset % (natural * 8) + width.min(unit) > unit {
            offset = align_to(offset, natural * 8);
        }
        self.data_bits = offset.saturating_add(width).min(GREATEST_SIZE * 8);
        self.size = self.size.max(self.data_size());
        if field.name.is_some() {
            self.alignment = self.alignment.max(alignment);
        }
        offset
    }

    fn finish(mut self) -> Finished {
        let program = self.program;
        let class = program.class(self.id);
        let fields_are_pod = class.fields.iter().all(|field| match self.class_of(field.ty.id) {
            _ if field.no_unique_address => false,
            Some(class) => program.class(class).pod_for_layout,
            None => !program.types.is_reference(field.ty.id),
        });
        let pod = class.pod_for_layout && class.bases.is_empty() && !self.result.dynamic && fields_are_pod;
        let has_data = class.fields.iter().any(|field| match field.bit_width {
            Some(width) => width != 0,
            None => {
                !(field.no_unique_address
                    && program
                        .types
                        .as_class(field.ty.id)
                        .is_some_and(|class| program.class_is_empty(class)))
            }
        });
        let empty =
            !self.result.dynamic && !has_data && class.bases.iter().all(|base| program.class_is_empty(base.class));
        // A union whose last member is small still holds its greatest.
        if class.kind == ClassKind::Union {
            self.data_bits = self.size * 8;
        }
        self.alignment = self.alignment.max(class.alignment.unwrap_or(1));
        self.result.non_virtual_size = if empty {
            0
        } else {
            self.empties_end.max(self.data_size())
        };
        self.result.non_virtual_alignment = self.alignment;
        self.lay_virtual_bases();
        let data_size = self.data_size();
        let size = align_to(self.size.max(data_size).max(1), self.alignment);
        let overlapping_size = if pod { size } else { self.end_of_parts() };
        let result = &mut self.result;
        result.size = size;
        result.alignment = self.alignment;
        result.empty = empty;
        result.data_size = if pod { size } else { data_size };
        if pod {
            result.non_virtual_size = size;
        }
        result.overlapping_size = overlapping_size;
        let packed = self.is_packed();
        Finished {
            result: self.result,
            pod,
            packed,
        }
    }

    /// The end of the last base or field, each in whole bytes from the byte in which it starts: so GCC takes the size of a member that others may overlap, also
    /// where a bit-field goes on into a byte more.
    fn end_of_parts(&self) -> u64 {
        let class = self.program.class(self.id);
        let mut end = if self.result.dynamic { 8 } else { 0 };
        let direct = class.bases.iter().zip(&self.result.base_offsets);
        let direct = direct
            .filter(|(base, _)| !base.is_virtual)
            .map(|(base, &at)| (base.class, at));
        for (base, at) in direct.chain(self.result.virtual_bases.iter().copied()) {
            let layout = &self.program.class(base).layout;
            end = end.max(
                at + if layout.empty {
                    layout.size
                } else {
                    layout.non_virtual_size
                },
            );
        }
        for (field, &at) in class.fields.iter().zip(&self.result.field_offsets) {
            let of_class = self
                .program
                .types
                .as_class(field.ty.id)
                .filter(|_| field.no_unique_address);
            end = end.max(match (field.bit_width, of_class) {
                (Some(width), _) => at / 8 + u64::from(width).div_ceil(8),
                (None, Some(class)) => at + self.program.class(class).layout.overlapping_size,
                (None, None) => at + self.program.size_of(field.ty.id),
            });
        }
        end
    }

    /// Virtual bases follow in the order of the inheritance graph, a class before its bases; they are kept in the order of construction.
    fn lay_virtual_bases(&mut self) {
        let program = self.program;
        let mut order = Vec::new();
        collect_in_graph_order(program, self.id, &mut order);
        let placed: Vec<(ClassId, u64)> = order.into_iter().map(|base| (base, self.base_offset(base))).collect();
        for base in program.virtual_bases(self.id) {
            let offset = placed
                .iter()
                .find(|(of, _)| *of == base)
                .map_or(0, |(_, offset)| *offset);
            self.result.virtual_bases.push((base, offset));
            let class = program.class(self.id);
            for (place, direct) in class.bases.iter().enumerate() {
                if direct.is_virtual && direct.class == base {
                    self.result.base_offsets[place] = offset;
                }
            }
        }
    }

    /// The slots of the primary virtual table (2.5.2): those of the primary base with their final overriders, then those of functions that override nothing there.
    fn slots(&self) -> Vec<VirtualSlot> {
        let program = self.program;
        let class = program.class(self.id);
        let mut slots = match self.result.primary_base {
            Some(primary) => program.class(class.bases[primary].class).layout.slots.clone(),
            None => Vec::new(),
        };
        for &method in &class.methods {
            if !program.function(method).is_virtual {
                continue;
            }
            let mut found = false;
            for slot in &mut slots {
                // A result that has to be adjusted takes a slot of its own: the old one gets a thunk.
                if program.overrides(method, slot.function) && program.result_adjustment(method, slot.function) == 0 {
                    slot.function = method;
                    found = true;
                }
            }
            if found {
                continue;
            }
            let destructor = matches!(program.function(method).name, FunctionName::Destructor);
            slots.push(VirtualSlot {
                function: method,
                deleting: false,
            });
            if destructor {
                slots.push(VirtualSlot {
                    function: method,
                    deleting: true,
                });
            }
        }
        slots
    }
}

/// The virtual bases of a class, each before its own.
fn collect_in_graph_order(program: &Program, id: ClassId, found: &mut Vec<ClassId>) {
    for base in &program.class(id).bases {
        if base.is_virtual && found.contains(&base.class) {
            continue;
        }
        if base.is_virtual {
            found.push(base.class);
        }
        collect_in_graph_order(program, base.class, found);
    }
}

#[cfg(test)]
mod tests {
    use crate::hir::{Base, Class, ClassId, ClassKind, Field, Program, QualifiedType, Scope, Span, Types};

    fn field(name: &str, ty: impl Into<QualifiedType>) -> Field {
        Field {
            name: Some(name.into()),
            ty: ty.into(),
            bit_width: None,
            alignment: None,
            mutable: false,
            packed: false,
            no_unique_address: false,
            span: Span::NONE,
        }
    }
    fn bits(name: Option<&str>, ty: impl Into<QualifiedType>, width: u32) -> Field {
        Field {
            bit_width: Some(width),
            name: name.map(Into::into),
            ..field("", ty)
        }
    }
    fn class(program: &mut Program, bases: &[ClassId], fields: Vec<Field>) -> ClassId {
        let mut class = Class::new(
            Some("C".into()),
            Scope::Namespace(Program::GLOBAL),
            ClassKind::Struct,
            Span::NONE,
        );
        class.bases = bases
            .iter()
            .map(|&class| Base {
                class,
                is_virtual: false,
            })
            .collect();
        class.fields = fields;
        let id = program.add_class(class);
        program.complete_class(id).expect("it can be laid out");
        id
    }
    fn measures(program: &Program, id: ClassId) -> (u64, u64) {
        (program.class(id).layout.size, program.class(id).layout.alignment)
    }

    #[test]
    fn fields_are_aligned_and_the_end_is_padded() {
        let mut program = Program::new();
        let id = class(
            &mut program,
            &[],
            vec![
                field("a", Types::CHAR),
                field("b", Types::DOUBLE),
                field("c", Types::SHORT),
            ],
        );
        assert_eq!(program.class(id).layout.field_offsets, [0, 8, 16]);
        assert_eq!(measures(&program, id), (24, 8));
    }

    #[test]
    fn bit_fields_share_units_and_do_not_cross_them() {
        let mut program = Program::new();
        let fields = vec![
            bits(Some("a"), Types::INT, 3),
            bits(Some("b"), Types::INT, 30),
            bits(None, Types::INT, 0),
            bits(Some("c"), Types::CHAR, 7),
            bits(Some("d"), Types::CHAR, 2),
        ];
        let id = class(&mut program, &[], fields);
        assert_eq!(program.class(id).layout.field_offsets, [0, 32, 64, 64, 72]);
        assert_eq!(measures(&program, id), (12, 4));
    }

    #[test]
    fn empty_bases_take_no_room_unless_they_would_meet() {
        let mut program = Program::new();
        let empty = class(&mut program, &[], vec![]);
        assert_eq!(measures(&program, empty), (1, 1));
        let derived = class(&mut program, &[empty], vec![field("x", Types::INT)]);
        assert_eq!(measures(&program, derived), (4, 4));
        let empty_type = program.types.class(empty);
        let first = class(
            &mut program,
            &[empty],
            vec![field("e", empty_type), field("x", Types::INT)],
        );
        assert_eq!(program.class(first).layout.field_offsets, [1, 4]);
        let two = class(&mut program, &[empty, derived], vec![]);
        assert_eq!(program.class(two).layout.base_offsets, [0, 4]);
    }

    #[test]
    fn tail_padding_is_reused_only_of_what_is_no_pod() {
        let mut program = Program::new();
        let pod = class(&mut program, &[], vec![field("x", Types::INT), field("y", Types::CHAR)]);
        let from_pod = class(&mut program, &[pod], vec![field("z", Types::CHAR)]);
        assert_eq!(program.class(from_pod).layout.field_offsets, [8]);
        let from_that = class(&mut program, &[from_pod], vec![field("w", Types::CHAR)]);
        assert_eq!(program.class(from_that).layout.field_offsets, [9]);
        assert_eq!(measures(&program, from_that), (12, 4));
    }
}
