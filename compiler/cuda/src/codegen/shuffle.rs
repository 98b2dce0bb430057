//! Lanes of vectors, chosen by other vectors or by constants.

use warpsmith_ir as ir;

use super::function::FunctionGenerator;
use crate::hir::{Type, TypeId};

impl FunctionGenerator<'_, '_> {
    /// `__builtin_shuffle`: for each lane of the mask, modulo the number of lanes of all vectors, that lane.
    pub(super) fn shuffle(&mut self, vectors: &[ir::Value], mask: ir::Value, ty: TypeId) -> ir::Value {
        let count = self.lanes(ty);
        let mut result = self.undefined(ty);
        let mut build = self.build();
        for lane in 0..count {
            let place = build.i32(lane as i32);
            let chosen = build.extract_element(mask, place);
            let chosen = build.resize_int(chosen, ir::Type::I32, false);
            let all = build.i32((count * vectors.len() as u32 - 1) as i32);
            let chosen = build.and(chosen, all);
            let within = build.i32(count as i32 - 1);
            let within = build.and(chosen, within);
            let mut value = build.extract_element(vectors[0], within);
            if let [_, other] = *vectors {
                let from_other = build.extract_element(other, within);
                let first = build.i32(count as i32);
                let is_first = build.icmp(ir::IntPredicate::Ult, chosen, first);
                value = build.select(is_first, value, from_other);
            }
            result = build.insert_element(result, value, place);
        }
        result
    }

    /// `__builtin_shufflevector`: lanes of both by constants, -1 for any.
    pub(super) fn shuffle_constant(
        &mut self,
        one: ir::Value,
        other: ir::Value,
        indices: &[ir::Value],
        ty: TypeId,
    ) -> ir::Value {
        let context = self.generator.context.clone();
        let number = |value: &ir::Value| match value {
            ir::Value::Constant(id) => match context.constant(*id) {
                ir::Constant::Int(value) => value.to_i128().map_or(-1, |value| value as i32),
                _ => -1,
            },
            ir::Value::Argument(_) | ir::Value::Instruction(_) => -1,
        };
        let numbers: Vec<i32> = indices.iter().map(number).collect();
        let mut result = self.undefined(ty);
        let mut build = self.build();
        let count = match build.type_of(one) {
            ir::Type::Vector(vector) => context.vector_parts(vector).length as i32,
            _ => return result,
        };
        for (lane, index) in (0..).zip(numbers) {
            if index < 0 {
                continue;
            }
            let (vector, index) = if index < count {
                (one, index)
            } else {
                (other, index - count)
            };
            let (place, index) = (build.i32(lane), build.i32(index));
            let value = build.extract_element(vector, index);
            result = build.insert_element(result, value, place);
        }
        result
    }

    fn lanes(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Vector(_, count) => *count,
            _ => 0,
        }
    }
}
