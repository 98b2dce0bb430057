//! Constants as IR constants: as values, and as the contents of memory.

use warpsmith_ir as ir;

use super::Generator;
use crate::hir::{ClassId, Constant, ConstantBase, FieldIndex, FloatKind, Type, TypeId};

/// So many zeros at the end of an array are one constant apart: what an array says takes memory, and not what it is long.
const FEWEST_ZEROS_APART: u64 = 64;

/// An initial value ends here at the latest: all bytes up to the last one that is not zero are written out.
pub(super) const END_OF_VALUES: u64 = 1 << 30;

impl Generator<'_> {
    /// Where the last part of an initial value ends that is not zero, in bytes.
    pub(super) fn values_end(&self, mut constant: ir::ConstantId) -> u64 {
        let mut start = 0;
        loop {
            if self.context.is_zero(constant) {
                return start;
            }
            let ir::Constant::Aggregate { ty, elements } = self.context.constant(constant) else {
                return start + self.context.size(self.context.constant_type(constant));
            };
            let last = elements.iter().rposition(|&element| !self.context.is_zero(element));
            let Some(last) = last else { return start };
            start += self.context.offset_of(*ty, last as u64);
            constant = elements[last];
        }
    }

    /// A scalar constant as a value.
    pub(super) fn value_constant(&mut self, constant: &Constant, id: TypeId) -> ir::ConstantId {
        match (constant, self.program.types.get(id)) {
            (Constant::Integer(value), Type::Bool) => self.context.bool(*value != 0),
            (Constant::Float(bits), Type::Float(FloatKind::LongDouble | FloatKind::Float128)) => {
                self.context.float(ir::Type::Double, *bits)
            }
            (Constant::Undefined, _) => {
                let ty = self.value_type(id);
                self.context.undef(ty)
            }
            _ => self.memory_constant(constant, id),
        }
    }

    /// A constant as the contents of memory of its type's size.
    pub(super) fn memory_constant(&mut self, constant: &Constant, id: TypeId) -> ir::ConstantId {
        let program = self.program;
        let memory = self.memory_type(id);
        match constant {
            Constant::Undefined => self.context.zero(memory),
            Constant::Integer(value) => match memory {
                ir::Type::Int(bits) => self.context.int(bits, *value),
                ir::Type::Pointer(_) if *value == 0 => self.context.zero(memory),
                _ => self.context.zero(memory),
            },
            Constant::Float(bits) => match program.types.get(id) {
                Type::Float(FloatKind::LongDouble | FloatKind::Float128) => {
                    let value = self.context.float(ir::Type::Double, *bits);
                    let zero = self.context.zero(ir::Type::Double);
                    self.context.aggregate(memory, &[value, zero])
                }
                _ => self.context.float(memory, *bits),
            },
            Constant::Pointer(base, offset) => {
                let address = self.pointer_constant(*base, *offset);
                match memory {
                    ir::Type::Int(_) => self.cast_constant(ir::CastOp::PtrToInt, address, memory),
                    _ => address,
                }
            }
            // Null is -1, for 0 is the first member (Itanium C++ ABI 2.3).
            Constant::MemberOffset(offset) => self.context.int(64, i128::from(offset.unwrap_or(-1))),
            Constant::MemberFunction(function) => self.member_function_constant(*function),
            Constant::Array(elements, filler) => self.array_constant(elements, filler.as_deref(), id),
            Constant::Struct { .. } | Constant::Union(_) => {
                let Some(class) = program.types.as_class(id) else {
                    return self.context.zero(memory);
                };
                let mut image = Image::default();
                self.fill(constant, class, 0, &mut image);
                self.image_constant(image, program.class(class).layout.size, memory)
            }
        }
    }

    fn pointer_constant(&mut self, base: ConstantBase, offset: i64) -> ir::ConstantId {
        let address = match base {
            ConstantBase::Absolute if offset == 0 => return self.context.null(ir::AddressSpace::GENERIC),
            ConstantBase::Absolute => {
                let address = self.context.int(64, i128::from(offset));
                return self.cast_constant(ir::CastOp::IntToPtr, address, ir::Type::POINTER);
            }
            ConstantBase::Function(function) => return self.function_address(function),
            ConstantBase::Variable(variable) => {
                let global = self.variable(variable);
                self.generic_address(global)
            }
            ConstantBase::String(string) => {
                let global = self.string(string);
                self.generic_address(global)
            }
        };
        match offset {
            0 => address,
            _ => self.context.offset_address(address, offset),
        }
    }

    /// A pointer to a member function: its address, or one more than the offset in the virtual table.
    pub(super) fn member_function_constant(
        &mut self,
        function: Option<(crate::hir::FunctionId, i64)>,
    ) -> ir::ConstantId {
        let ty = self.member_function_type();
        let Some((function, adjustment)) = function else {
            return self.context.zero(ty);
        };
        let target = match self.virtual_slot(function) {
            Some(slot) => self.context.int(64, i128::from(slot) * 8 + 1),
            None => {
                let address = self.function_address(function);
                self.cast_constant(ir::CastOp::PtrToInt, address, ir::Type::I64)
            }
        };
        let adjustment = self.context.int(64, i128::from(adjustment));
        self.context.aggregate(ty, &[target, adjustment])
    }

    fn array_constant(&mut self, elements: &[Constant], filler: Option<&Constant>, id: TypeId) -> ir::ConstantId {
        let program = self.program;
        let (element, count, vector) = match program.types.get(id) {
            Type::Array(element, count) => (element.id, count.unwrap_or(elements.len() as u64), false),
            Type::Vector(element, count) => (*element, u64::from(*count), true),
            _ => return self.context.zero(ir::Type::I8),
        };
        let mut values: Vec<ir::ConstantId> = elements
            .iter()
            .take(count as usize)
            .map(|value| self.memory_constant(value, element))
            .collect();
        let ty = self.memory_type(element);
        let rest = match filler {
            Some(filler) => self.memory_constant(filler, element),
            None => self.context.zero(ty),
        };
        if self.context.is_zero(rest) {
            let used = values.iter().rposition(|&value| !self.context.is_zero(value));
            values.truncate(used.map_or(0, |last| last + 1));
        }
        if values.is_empty() && self.context.is_zero(rest) {
            let ty = self.memory_type(id);
            return self.context.zero(ty);
        }
        if vector {
            values.resize(count as usize, rest);
            let first = self.context.constant_type(values[0]);
            return self.context.aggregate(self.context.vector(first, count), &values);
        }
        let zeros = count.saturating_sub(values.len() as u64);
        if self.context.is_zero(rest) && zeros >= FEWEST_ZEROS_APART {
            let values = self.sequence(&values);
            let zeros = self.context.zero(self.context.array(ty, zeros));
            let types = [self.context.constant_type(values), self.context.constant_type(zeros)];
            return self
                .context
                .aggregate(self.context.structure(&types, true), &[values, zeros]);
        }
        values.resize(count as usize, rest);
        self.sequence(&values)
    }

    /// Elements one behind the other: an array, or a packed structure where unions or zeros at the end make them of different types.
    fn sequence(&mut self, values: &[ir::ConstantId]) -> ir::ConstantId {
        let first = values
            .first()
            .map_or(ir::Type::I8, |&value| self.context.constant_type(value));
        if values.iter().all(|&value| self.context.constant_type(value) == first) {
            return self
                .context
                .aggregate(self.context.array(first, values.len() as u64), values);
        }
        let types: Vec<ir::Type> = values.iter().map(|&value| self.context.constant_type(value)).collect();
        self.context.aggregate(self.context.structure(&types, true), values)
    }

    /// Puts the parts of an object of a class where they belong.
    fn fill(&mut self, constant: &Constant, id: ClassId, offset: u64, image: &mut Image) {
        let program = self.program;
        let class = program.class(id);
        if class.layout.dynamic && class.layout.primary_base.is_none() {
            let offsets = self.complete_offsets(id);
            let point = self.table_point(id, &offsets, 0);
            image.parts.push((offset, point));
        }
        match constant {
            Constant::Struct { bases, fields } => {
                for ((value, base), &at) in bases.iter().zip(&class.bases).zip(&class.layout.base_offsets) {
                    if !program.class(base.class).layout.empty {
                        self.fill(value, base.class, offset + at, image);
                    }
                }
                for (place, value) in fields.iter().enumerate() {
                    self.fill_field(value, id, FieldIndex(place as u32), offset, image);
                }
            }
            Constant::Union(Some((field, value))) => self.fill_field(value, id, *field, offset, image),
            _ => {}
        }
    }

    fn fill_field(&mut self, value: &Constant, class: ClassId, field: FieldIndex, offset: u64, image: &mut Image) {
        let program = self.program;
        let class = program.class(class);
        let data = &class.fields[field.index()];
        let at = class.layout.field_offsets[field.index()];
        if let Some(width) = data.bit_width {
            if let Constant::Integer(number) = value {
                image.set_bits(offset * 8 + at, width, *number as u128);
            }
            return;
        }
        if program.size_of(data.ty.id) == 0 || *value == Constant::Undefined {
            return;
        }
        let empty = program
            .types
            .as_class(data.ty.id)
            .is_some_and(|class| program.class(class).layout.empty);
        if !empty {
            let value = self.memory_constant(value, data.ty.id);
            image.parts.push((offset + at, value));
        }
    }

    /// The constant of an image: of the memory type if the parts are its fields, else a packed structure.
    fn image_constant(&mut self, mut image: Image, size: u64, memory: ir::Type) -> ir::ConstantId {
        for (&byte, &value) in &image.bytes {
            image.parts.push((byte, self.context.int(8, i128::from(value))));
        }
        image.parts.sort_by_key(|&(offset, _)| offset);
        if image.parts.iter().all(|&(_, value)| self.context.is_zero(value)) {
            return self.context.zero(memory);
        }
        let types: Vec<ir::Type> = image
            .parts
            .iter()
            .map(|&(_, value)| self.context.constant_type(value))
            .collect();
        let plain = self.context.structure(&types, false);
        let placed = image
            .parts
            .iter()
            .enumerate()
            .all(|(index, &(offset, _))| self.context.offset_of(plain, index as u64) == offset);
        if placed && self.context.size(plain) == size {
            let values: Vec<ir::ConstantId> = image.parts.iter().map(|&(_, value)| value).collect();
            return self.context.aggregate(plain, &values);
        }
        let mut values = Vec::new();
        let mut at = 0;
        let pad = |context: &ir::Context, values: &mut Vec<ir::ConstantId>, bytes: u64| {
            if bytes > 0 {
                values.push(context.zero(context.array(ir::Type::I8, bytes)));
            }
        };
        for &(offset, value) in &image.parts {
            pad(&self.context, &mut values, offset.saturating_sub(at));
            values.push(value);
            at = offset + self.context.size(self.context.constant_type(value));
        }
        pad(&self.context, &mut values, size.saturating_sub(at));
        let types: Vec<ir::Type> = values.iter().map(|&value| self.context.constant_type(value)).collect();
        self.context.aggregate(self.context.structure(&types, true), &values)
    }
}

/// An object's memory being filled.
#[derive(Default)]
struct Image {
    parts: Vec<(u64, ir::ConstantId)>,
    /// Bytes of bit fields.
    bytes: std::collections::BTreeMap<u64, u8>,
}

impl Image {
    fn set_bits(&mut self, start: u64, width: u32, value: u128) {
        for bit in 0..u64::from(width) {
            let at = start + bit;
            let byte = self.bytes.entry(at / 8).or_default();
            if value >> bit.min(127) & 1 != 0 {
                *byte |= 1 << (at % 8);
            }
        }
    }
}
