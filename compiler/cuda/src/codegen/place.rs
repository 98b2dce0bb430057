//! Where objects are; loads and stores, bit fields, copies.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use crate::hir::{ClassId, FieldIndex, FloatKind, Type, TypeId};

/// A bit field's place from the start of the memory pointed to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    /// The first bit.
    pub(super) start: u32,
    pub(super) width: u32,
    /// How many bytes are read and written.
    pub(super) bytes: u32,
}

/// What a glvalue refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// A generic pointer.
    pub(super) pointer: ir::Value,
    /// In bytes.
    pub(super) alignment: u32,
    pub(super) is_volatile: bool,
    pub(super) bits: Option<Bits>,
    /// An element of a vector.
    pub(super) element: Option<(ir::Value, ir::Type)>,
}

impl Place {
    pub(super) fn new(pointer: ir::Value, alignment: u32) -> Place {
        Place {
            pointer,
            alignment: alignment.max(1),
            is_volatile: false,
            bits: None,
            element: None,
        }
    }
    pub(super) fn volatile(self, is_volatile: bool) -> Place {
        Place {
            is_volatile: self.is_volatile || is_volatile,
            ..self
        }
    }
    fn access(self) -> ir::Access {
        ir::Access {
            volatile: self.is_volatile,
            ..ir::Access::aligned(self.alignment)
        }
    }
}

/// The alignment that is left `offset` bytes behind an aligned address.
fn alignment_at(alignment: u32, offset: u64) -> u32 {
    match offset {
        0 => alignment,
        _ => alignment.min(1 << offset.trailing_zeros().min(16)),
    }
}

impl FunctionGenerator<'_, '_> {
    /// The place some bytes further on.
    pub(super) fn offset(&mut self, place: Place, bytes: u64) -> Place {
        if bytes == 0 {
            return Place { bits: None, ..place };
        }
        let mut build = self.build();
        let distance = build.i64(bytes as i64);
        let pointer = build.byte_offset(place.pointer, distance);
        Place {
            pointer,
            alignment: alignment_at(place.alignment, bytes),
            bits: None,
            ..place
        }
    }

    /// A field's place; of a reference, where the reference is kept.
    pub(super) fn field_place(&mut self, object: Place, class: ClassId, field: FieldIndex) -> Place {
        let program = self.program;
        let class = program.class(class);
        let data = &class.fields[field.index()];
        let at = class.layout.field_offsets[field.index()];
        let volatile = data.ty.is_volatile();
        let Some(width) = data.bit_width else {
            return self.offset(object, at).volatile(volatile);
        };
        let (unit, _) = program.size_and_alignment(data.ty.id).unwrap_or((4, 4));
        let start = at / (unit * 8) * unit;
        let shift = at - start * 8;
        // The declared type's unit where it holds the field and is inside of the object; else just the bytes of the field.
        let whole = shift + u64::from(width) <= unit * 8 && start + unit <= class.layout.size.max(1);
        let (start, bytes) = match whole {
            true => (start, unit),
            false => (at / 8, (at % 8 + u64::from(width)).div_ceil(8)),
        };
        let place = self.offset(object, start).volatile(volatile);
        Place {
            bits: Some(Bits {
                start: (at - start * 8) as u32,
                width,
                bytes: bytes as u32,
            }),
            ..place
        }
    }

    /// Reads a scalar.
    pub(super) fn load(&mut self, place: Place, ty: TypeId) -> ir::Value {
        if let Some(bits) = place.bits {
            return self.load_bits(place, bits, ty);
        }
        if let Some((index, vector)) = place.element {
            let mut build = self.build();
            let whole = build.load_with(vector, place.pointer, place.access());
            return build.extract_element(whole, index);
        }
        let value_type = self.generator.value_type(ty);
        let member_function = self.generator.member_function_type();
        if value_type == member_function {
            return self.load_aggregate(place, value_type);
        }
        let is_bool = value_type == ir::Type::BOOL;
        let mut build = self.build();
        if is_bool {
            let byte = build.load_with(ir::Type::I8, place.pointer, place.access());
            return self.truth_of_byte(byte);
        }
        build.load_with(value_type, place.pointer, place.access())
    }

    /// A `bool` as it is passed and stored: true if any bit of its byte is set, as CUDA's compiler has it. Programs set masks to other values than 0 and 1.
    pub(super) fn truth_of_byte(&mut self, byte: ir::Value) -> ir::Value {
        let mut build = self.build();
        let zero = build.int(8, 0);
        build.icmp(ir::IntPredicate::Ne, byte, zero)
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, place: Place, value: ir::Value, ty: TypeId) {
        if let Some(bits) = place.bits {
            return self.store_bits(place, bits, value, ty);
        }
        if let Some((index, vector)) = place.element {
            let mut build = self.build();
            let whole = build.load_with(vector, place.pointer, place.access());
            let changed = build.insert_element(whole, value, index);
            build.store_with(changed, place.pointer, place.access());
            return;
        }
        let value_type = self.generator.value_type(ty);
        if value_type == self.generator.member_function_type() {
            return self.store_aggregate(place, value, value_type);
        }
        let mut build = self.build();
        let value = if build.type_of(value) == ir::Type::BOOL {
            build.cast(ir::CastOp::ZExt, value, ir::Type::I8)
        } else {
            value
        };
        build.store_with(value, place.pointer, place.access());
    }

    /// Reads the bytes of a bit field as one integer.
    fn load_unit(&mut self, place: Place, bits: Bits) -> ir::Value {
        let access = place.access();
        let mut build = self.build();
        let ty = ir::Type::Int(bits.bytes * 8);
        if bits.bytes.is_power_of_two() {
            return build.load_with(ty, place.pointer, access);
        }
        let mut whole = build.zero(ty);
        for byte in 0..bits.bytes {
            let at = build.i64(i64::from(byte));
            let pointer = build.byte_offset(place.pointer, at);
            let part = build.load_with(ir::Type::I8, pointer, ir::Access { align: 1, ..access });
            let part = build.cast(ir::CastOp::ZExt, part, ty);
            let shift = build.int(bits.bytes * 8, i128::from(byte * 8));
            let part = build.shl(part, shift);
            whole = build.or(whole, part);
        }
        whole
    }

    fn load_bits(&mut self, place: Place, bits: Bits, ty: TypeId) -> ir::Value {
        let signed = self.generator.is_signed(ty);
        let value_type = self.generator.value_type(ty);
        let whole = self.load_unit(place, bits);
        let mut build = self.build();
        let total = bits.bytes * 8;
        // Bits wider than the type are padding ([class.bit]/1).
        let width = bits.width.min(value_type.int_bits().unwrap_or(bits.width).max(1));
        let up = build.int(total, i128::from(total - bits.start - width));
        let down = build.int(total, i128::from(total - width));
        let raised = build.shl(whole, up);
        let value = if signed {
            build.ashr(raised, down)
        } else {
            build.lshr(raised, down)
        };
        build.resize_int(value, value_type, signed)
    }

    fn store_bits(&mut self, place: Place, bits: Bits, value: ir::Value, ty: TypeId) {
        let signed = self.generator.is_signed(ty);
        let old = self.load_unit(place, bits);
        let access = place.access();
        let mut build = self.build();
        let total = bits.bytes * 8;
        let unit = ir::Type::Int(total);
        let mask = (if bits.width >= 128 {
            u128::MAX
        } else {
            (1 << bits.width) - 1
        }) << bits.start;
        let value = build.resize_int(value, unit, signed);
        let shift = build.int(total, i128::from(bits.start));
        let moved = build.shl(value, shift);
        let keep_mask = build.int(total, !mask as i128);
        let take_mask = build.int(total, mask as i128);
        let kept = build.and(old, keep_mask);
        let taken = build.and(moved, take_mask);
        let new = build.or(kept, taken);
        if bits.bytes.is_power_of_two() {
            build.store_with(new, place.pointer, access);
            return;
        }
        for byte in 0..bits.bytes {
            let at = build.i64(i64::from(byte));
            let pointer = build.byte_offset(place.pointer, at);
            let shift = build.int(total, i128::from(byte * 8));
            let part = build.lshr(new, shift);
            let part = build.cast(ir::CastOp::Trunc, part, ir::Type::I8);
            build.store_with(part, pointer, ir::Access { align: 1, ..access });
        }
    }

    /// Copies bytes; the objects do not overlap, or are the same.
    pub(super) fn copy_memory(&mut self, to: Place, from: Place, bytes: u64, volatile: bool) {
        if bytes == 0 {
            return;
        }
        let mut build = self.build();
        let size = build.i64(bytes as i64);
        let is_volatile = build.bool(volatile || to.is_volatile || from.is_volatile);
        let arguments = [to.pointer, from.pointer, size, is_volatile];
        let overloads = [ir::Type::POINTER, ir::Type::POINTER, ir::Type::I64];
        let call = build.intrinsic(ir::Intrinsic::Memcpy, &overloads, &arguments);
        self.align_arguments(call, &[to.alignment, from.alignment]);
    }

    /// Sets memory to zero.
    pub(super) fn zero_memory(&mut self, to: Place, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let mut build = self.build();
        let zero = build.int(8, 0);
        let size = build.i64(bytes as i64);
        let is_volatile = build.bool(to.is_volatile);
        let call = build.intrinsic(
            ir::Intrinsic::Memset,
            &[ir::Type::POINTER, ir::Type::I64],
            &[to.pointer, zero, size, is_volatile],
        );
        self.align_arguments(call, &[to.alignment]);
    }

    fn align_arguments(&mut self, call: ir::Value, alignments: &[u32]) {
        let Some(id) = call.as_instruction() else { return };
        self.body.update(id, |instruction| {
            if let ir::Instruction::Call(call) = instruction {
                call.argument_attributes = vec![ir::ParameterAttributes::default(); call.arguments.len()];
                for (attributes, &alignment) in call.argument_attributes.iter_mut().zip(alignments) {
                    attributes.align = alignment;
                }
            }
        });
    }

    /// The scalar parts of an aggregate type, as indices, types and byte offsets; `None` if there are many.
    fn leaves(&self, ty: ir::Type) -> Option<Vec<(Vec<u32>, ir::Type, u64)>> {
        let mut leaves = Vec::new();
        self.collect_leaves(ty, &mut Vec::new(), 0, &mut leaves)
            .then_some(leaves)
    }

    fn collect_leaves(
        &self,
        ty: ir::Type,
        path: &mut Vec<u32>,
        offset: u64,
        leaves: &mut Vec<(Vec<u32>, ir::Type, u64)>,
    ) -> bool {
        let context = &self.generator.context;
        if !ty.is_aggregate() {
            leaves.push((path.clone(), ty, offset));
            return leaves.len() <= 64;
        }
        let count = context.element_count(ty).unwrap_or(0);
        for index in 0..count {
            let Some(element) = context.element(ty, index) else {
                continue;
            };
            path.push(index as u32);
            let few = self.collect_leaves(element, path, offset + context.offset_of(ty, index), leaves);
            path.pop();
            if !few {
                return false;
            }
        }
        true
    }

    /// Reads an object as a value of an aggregate type, part by part.
    pub(super) fn load_aggregate(&mut self, place: Place, ty: ir::Type) -> ir::Value {
        let Some(leaves) = self.leaves(ty) else {
            return self.build().load_with(ty, place.pointer, place.access());
        };
        let mut whole = self.build().undef(ty);
        for (path, leaf, offset) in leaves {
            let part = self.offset(place, offset);
            let mut build = self.build();
            let value = build.load_with(leaf, part.pointer, part.access());
            whole = build.insert_value(whole, value, &path);
        }
        whole
    }

    /// Writes a value of an aggregate type, part by part.
    pub(super) fn store_aggregate(&mut self, place: Place, value: ir::Value, ty: ir::Type) {
        let Some(leaves) = self.leaves(ty) else {
            self.build().store_with(value, place.pointer, place.access());
            return;
        };
        for (path, _, offset) in leaves {
            let part = self.offset(place, offset);
            let mut build = self.build();
            let leaf = build.extract_value(value, &path);
            build.store_with(leaf, part.pointer, part.access());
        }
    }

    /// The zero of a scalar type: of pointers to data members it is -1 in memory.
    pub(super) fn zero_value(&mut self, ty: TypeId) -> ir::Value {
        match self.program.types.get(ty) {
            Type::MemberPointer { pointee, .. } if !matches!(self.program.types.get(pointee.id), Type::Function(_)) => {
                self.build().i64(-1)
            }
            Type::Float(FloatKind::LongDouble | FloatKind::Float128) => self.build().zero(ir::Type::Double),
            _ => {
                let value_type = self.generator.value_type(ty);
                self.build().zero(value_type)
            }
        }
    }
}
