//! The data layout of nvptx64: sizes, alignments and offsets. Source: LLVM's data layout string of the target,
//! `e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64`, and the layout rules of the LLVM language reference.

use crate::context::Context;
use crate::types::{AddressSpace, Type};

impl Context {
    /// The bits of a value: of a pointer those of an address, of an array or structure those of its memory. 0 for types without values.
    pub fn bit_size(&self, ty: Type) -> u64 {
        match ty {
            Type::Int(bits) => u64::from(bits),
            Type::Half | Type::BFloat => 16,
            Type::Float => 32,
            Type::Double => 64,
            Type::Pointer(AddressSpace::TENSOR) => 32,
            Type::Pointer(_) => 64,
            Type::Vector(vector) => {
                let parts = self.vector_parts(vector);
                self.bit_size(parts.element).saturating_mul(parts.length)
            }
            Type::Array(array) => {
                let parts = self.array_parts(array);
                self.size(parts.element).saturating_mul(parts.length).saturating_mul(8)
            }
            Type::Struct(_) => self.size(ty).saturating_mul(8),
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token => 0,
        }
    }

    /// The bytes that a store of the type writes.
    pub fn store_size(&self, ty: Type) -> u64 {
        self.bit_size(ty).div_ceil(8)
    }

    /// The distance in bytes between elements of an array of the type (LLVM's alloc size): the store size, rounded up to the alignment.
    pub fn size(&self, ty: Type) -> u64 {
        match ty {
            Type::Array(array) => {
                let parts = self.array_parts(array);
                self.size(parts.element).saturating_mul(parts.length)
            }
            Type::Struct(structure) => self.struct_data(structure).size,
            _ => round_up(self.store_size(ty), self.alignment(ty)),
        }
    }

    /// Size and alignment of a structure of these fields.
    pub(crate) fn layout(&self, fields: &[Type], packed: bool) -> (u64, u32) {
        let align = |&field: &Type| if packed { 1 } else { self.alignment(field) };
        let end = fields.iter().fold(0u64, |offset, field| {
            round_up(offset, align(field)).saturating_add(self.size(*field))
        });
        let alignment = fields.iter().map(align).max().unwrap_or(1);
        (round_up(end, alignment), alignment)
    }

    /// The ABI alignment in bytes.
    pub fn alignment(&self, ty: Type) -> u32 {
        match ty {
            Type::Int(bits) => bits.div_ceil(8).next_power_of_two().clamp(1, 16),
            Type::Half | Type::BFloat => 2,
            Type::Float => 4,
            Type::Double => 8,
            Type::Pointer(AddressSpace::TENSOR) => 4,
            Type::Pointer(_) => 8,
            // Alignments above a vector's own are not in the layout string: its size, rounded up to a power of two.
            Type::Vector(_) => {
                let bytes = self.store_size(ty).clamp(1, 1 << 30) as u32;
                bytes.next_power_of_two()
            }
            Type::Array(array) => self.alignment(self.array_parts(array).element),
            Type::Struct(structure) => self.struct_data(structure).alignment,
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token => 1,
        }
    }

    /// The offset in bytes of an element or field of an array, structure or vector.
    pub fn offset_of(&self, ty: Type, index: u64) -> u64 {
        match ty {
            Type::Struct(structure) => {
                let data = self.struct_data(structure);
                let mut offset = 0u64;
                for (number, &field) in data.fields.iter().enumerate() {
                    if !data.packed {
                        offset = round_up(offset, self.alignment(field));
                    }
                    if number as u64 == index {
                        break;
                    }
                    offset = offset.saturating_add(self.size(field));
                }
                offset
            }
            Type::Array(array) => self.size(self.array_parts(array).element).saturating_mul(index),
            Type::Vector(vector) => self.store_size(self.vector_parts(vector).element).saturating_mul(index),
            _ => 0,
        }
    }
}

fn round_up(value: u64, alignment: u32) -> u64 {
    let mask = u64::from(alignment) - 1;
    value.saturating_add(mask) & !mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_nested_deep() {
        let context = Context::new();
        let mut ty = context.structure(&[Type::Double, Type::Int(8)], false);
        assert_eq!((context.size(ty), context.alignment(ty)), (16, 8));
        // Asked anew of both fields, 2⁴⁰ structures would be looked at.
        for depth in 1..=40 {
            ty = context.structure(&[ty, ty], false);
            assert_eq!((context.size(ty), context.alignment(ty)), (16 << depth, 8));
        }
        let packed = context.structure(&[Type::Int(8), ty], true);
        assert_eq!((context.size(packed), context.alignment(packed)), ((16 << 40) + 1, 1));
        let empty = context.structure(&[], false);
        assert_eq!((context.size(empty), context.alignment(empty)), (0, 1));
    }
}
