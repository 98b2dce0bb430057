//! Types as values and in memory.

use warpsmith_ir as ir;

use super::Generator;
use crate::hir::{ClassId, ClassKind, FloatKind, Type, TypeId};

impl Generator<'_> {
    /// The type of values of a scalar or vector type; of all others, that of memory.
    pub(super) fn value_type(&mut self, id: TypeId) -> ir::Type {
        match self.program.types.get(id) {
            Type::Bool => ir::Type::BOOL,
            Type::Float(FloatKind::LongDouble | FloatKind::Float128) => ir::Type::Double,
            Type::Enum(enumeration) => self.value_type(self.program.enumeration(*enumeration).underlying),
            Type::Void => ir::Type::Void,
            _ => self.memory_type(id),
        }
    }

    /// The type of objects in memory: of the object's size.
    pub(super) fn memory_type(&mut self, id: TypeId) -> ir::Type {
        let program = self.program;
        match program.types.get(id) {
            Type::Bool => ir::Type::I8,
            Type::Integer(kind) => ir::Type::Int(kind.bits()),
            Type::Float(FloatKind::Half) => ir::Type::Half,
            Type::Float(FloatKind::BFloat16) => ir::Type::BFloat,
            Type::Float(FloatKind::Float) => ir::Type::Float,
            Type::Float(FloatKind::Double) => ir::Type::Double,
            Type::Float(FloatKind::LongDouble | FloatKind::Float128) => self.context.array(ir::Type::Double, 2),
            Type::NullPointer | Type::Pointer(_) | Type::LValueReference(_) | Type::RValueReference(_) => {
                ir::Type::POINTER
            }
            Type::MemberPointer { pointee, .. } => match program.types.get(pointee.id) {
                Type::Function(_) => self.member_function_type(),
                _ => ir::Type::I64,
            },
            Type::Array(element, count) => {
                let element = self.memory_type(element.id);
                self.context.array(element, count.unwrap_or(0))
            }
            Type::Class(class) => self.class_type(*class),
            Type::Enum(enumeration) => self.memory_type(program.enumeration(*enumeration).underlying),
            Type::Vector(element, count) => {
                let element = self.memory_type(*element);
                self.context.vector(element, u64::from(*count))
            }
            Type::Void | Type::Function(_) | Type::Error | Type::Auto | Type::DecltypeAuto => ir::Type::I8,
        }
    }

    /// Pointers to member functions: address or table offset, and adjustment of `this` (Itanium C++ ABI 2.3).
    pub(super) fn member_function_type(&self) -> ir::Type {
        self.context.structure(&[ir::Type::I64, ir::Type::I64], false)
    }

    fn class_type(&mut self, id: ClassId) -> ir::Type {
        if let Some(&known) = self.class_types.get(&id) {
            return known;
        }
        let made = self.make_class_type(id);
        self.class_types.insert(id, made);
        made
    }

    fn make_class_type(&mut self, id: ClassId) -> ir::Type {
        let layout = &self.program.class(id).layout;
        let (size, alignment) = (layout.size, layout.alignment);
        let mut pieces = Vec::new();
        self.pieces(id, 0, &mut pieces);
        pieces.sort_by_key(|&(offset, _)| offset);
        let natural: Vec<ir::Type> = pieces.iter().map(|&(_, ty)| ty).collect();
        let plain = self.context.structure(&natural, false);
        let fits = |context: &ir::Context| {
            let aligned = u64::from(context.alignment(plain)) <= alignment;
            let placed = pieces
                .iter()
                .enumerate()
                .all(|(index, &(offset, _))| context.offset_of(plain, index as u64) == offset);
            aligned && placed && context.size(plain) == size
        };
        if !pieces.is_empty() && fits(&self.context) {
            return plain;
        }
        self.packed_type(&pieces, size, alignment)
    }

    /// Pieces with padding between them; words where pieces overlap.
    fn packed_type(&self, pieces: &[(u64, ir::Type)], size: u64, alignment: u64) -> ir::Type {
        let mut fields = Vec::new();
        let mut at = 0;
        for &(offset, ty) in pieces {
            if offset < at {
                let word = alignment.clamp(1, 8);
                return self.context.array(ir::Type::Int(word as u32 * 8), size / word);
            }
            if offset > at {
                fields.push(self.context.array(ir::Type::I8, offset - at));
            }
            fields.push(ty);
            at = offset + self.context.size(ty);
        }
        if at < size {
            fields.push(self.context.array(ir::Type::I8, size - at));
        }
        self.context.structure(&fields, true)
    }

    /// The parts of a class at an offset, with those of its bases in place.
    fn pieces(&mut self, id: ClassId, offset: u64, pieces: &mut Vec<(u64, ir::Type)>) {
        let program = self.program;
        let class = program.class(id);
        let layout = &class.layout;
        if class.kind == ClassKind::Union {
            return self.union_pieces(id, offset, pieces);
        }
        if layout.dynamic && layout.primary_base.is_none() {
            pieces.push((offset, ir::Type::POINTER));
        }
        for (base, &at) in class.bases.iter().zip(&layout.base_offsets) {
            if !base.is_virtual {
                self.pieces(base.class, offset + at, pieces);
            }
        }
        let mut bytes: Option<(u64, u64)> = None;
        for (field, &at) in class.fields.iter().zip(&layout.field_offsets) {
            if let Some(width) = field.bit_width {
                let (first, last) = (offset + at / 8, offset + (at + u64::from(width)).div_ceil(8));
                bytes = match bytes {
                    Some((start, end)) if first <= end => Some((start, end.max(last))),
                    other => {
                        self.byte_piece(other, pieces);
                        (width != 0).then_some((first, last))
                    }
                };
                continue;
            }
            self.byte_piece(bytes.take(), pieces);
            let empty = program
                .types
                .as_class(field.ty.id)
                .is_some_and(|class| program.class(class).layout.empty);
            if empty && field.no_unique_address {
                continue;
            }
            let ty = self.memory_type(field.ty.id);
            if self.context.size(ty) > 0 {
                pieces.push((offset + at, ty));
            }
        }
        self.byte_piece(bytes, pieces);
    }

    fn byte_piece(&self, bytes: Option<(u64, u64)>, pieces: &mut Vec<(u64, ir::Type)>) {
        if let Some((start, end)) = bytes.filter(|(start, end)| start < end) {
            pieces.push((start, self.context.array(ir::Type::I8, end - start)));
        }
    }

    /// A union is its most aligned member, and bytes for what others need beyond it.
    fn union_pieces(&mut self, id: ClassId, offset: u64, pieces: &mut Vec<(u64, ir::Type)>) {
        let program = self.program;
        let class = program.class(id);
        let mut best: Option<(u64, u64, TypeId)> = None;
        for field in class.fields.iter().filter(|field| field.bit_width.is_none()) {
            if let Some((size, alignment)) = program.size_and_alignment(field.ty.id)
                && best.is_none_or(|(known_alignment, known_size, _)| (alignment, size) > (known_alignment, known_size))
            {
                best = Some((alignment, size, field.ty.id));
            }
        }
        let mut end = 0;
        if let Some((_, size, ty)) = best.filter(|&(_, size, _)| size > 0) {
            pieces.push((offset, self.memory_type(ty)));
            end = size;
        }
        if end < class.layout.size {
            pieces.push((offset + end, self.context.array(ir::Type::I8, class.layout.size - end)));
        }
    }

    /// Whether values of the type are one IR value: not classes and arrays.
    pub(super) fn is_scalar(&self, id: TypeId) -> bool {
        !matches!(
            self.program.types.get(id),
            Type::Class(_) | Type::Array(..) | Type::Void | Type::Function(_)
        )
    }
}
