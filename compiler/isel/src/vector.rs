//! Lanes of vectors and members of aggregates.

use warpsmith_ir::{InstructionId, Type, Value};

use crate::function::{Lowering, Upper};
use crate::parts::{flatten, is_packed, parts_before};
use crate::register::{Class, Operand, Parts};

impl Lowering<'_> {
    fn is_packed_type(&self, ty: Type) -> bool {
        match ty {
            Type::Vector(vector) => {
                let data = self.context.vector_parts(vector);
                is_packed(data.element, data.length)
            }
            _ => false,
        }
    }

    /// The parts of each lane of a vector; of a scalar its own.
    pub(crate) fn elements(&mut self, ty: Type, parts: &Parts) -> Vec<Parts> {
        let Type::Vector(vector) = ty else {
            return vec![parts.clone()];
        };
        let length = self.context.vector_parts(vector).length.max(1) as usize;
        if self.is_packed_type(ty) {
            return parts
                .iter()
                .flat_map(|pair| self.unpacked(*pair))
                .map(|half| Parts::from_iter([half]))
                .collect();
        }
        let each = (parts.len() / length).max(1);
        parts.chunks(each).map(Parts::from).collect()
    }

    /// The parts of a vector from those of its lanes.
    pub(crate) fn assemble(&mut self, ty: Type, lanes: &[Parts]) -> Parts {
        if self.is_packed_type(ty) {
            return lanes
                .chunks(2)
                .map(|pair| self.packed(pair[0][0], pair[pair.len() - 1][0]))
                .collect();
        }
        lanes.iter().flatten().copied().collect()
    }

    /// The constant index that a value is, within the lanes.
    fn lane(&self, index: Value, lanes: usize) -> Option<usize> {
        let id = index.as_constant()?;
        match self.context.constant(id) {
            warpsmith_ir::Constant::Int(value) => Some((value.low_u64() as usize).min(lanes.saturating_sub(1))),
            _ => Some(0),
        }
    }

    /// A lane of a vector.
    pub(crate) fn lower_extract_element(&mut self, id: InstructionId, vector: Value, index: Value) {
        let ty = self.type_of(vector);
        let parts = self.parts(vector);
        let lanes = self.elements_lazily(ty, &parts, index);
        if let Some(lane) = self.lane(index, lanes.len()) {
            let element = lanes.get(lane).cloned().unwrap_or_default();
            return self.define(id, element);
        }
        // A chain of selections: vectors are short.
        let index = self.lane_index(index);
        let mut result = lanes.first().cloned().unwrap_or_default();
        for (number, lane) in lanes.iter().enumerate().skip(1) {
            let here = self.compare_integers(
                warpsmith_ir::IntPredicate::Eq,
                32,
                (index, Upper::Zeros),
                (Operand::Integer(Class::B32, number as i64), Upper::Zeros),
            );
            result = lane
                .iter()
                .zip(&result)
                .map(|(a, b)| self.select_part(here, *a, *b))
                .collect();
        }
        self.define(id, result);
    }

    /// All lanes, or just the pair around a constant lane.
    fn elements_lazily(&mut self, ty: Type, parts: &Parts, index: Value) -> Vec<Parts> {
        if self.is_packed_type(ty)
            && let Some(lane) = self.lane(index, parts.len() * 2)
        {
            let pair = parts
                .get(lane / 2)
                .copied()
                .unwrap_or(crate::function::zero(Class::B32));
            let pair = self.unpacked(pair);
            let mut lanes = vec![Parts::new(); parts.len() * 2];
            if let Some(slot) = lanes.get_mut(lane) {
                *slot = Parts::from_iter([pair[lane % 2]]);
            }
            return lanes;
        }
        self.elements(ty, parts)
    }

    /// A lane's number in a 32-bit register.
    fn lane_index(&mut self, index: Value) -> Operand {
        let bits = self.scalar_of(index).map_or(32, |scalar| scalar.bits());
        let upper = self.upper_of(index);
        let operand = self.operand(index);
        self.as_u32(operand, bits, upper)
    }

    /// A vector with one lane replaced.
    pub(crate) fn lower_insert_element(&mut self, id: InstructionId, vector: Value, element: Value, index: Value) {
        let ty = self.type_of(vector);
        let parts = self.parts(vector);
        let new = self.parts(element);
        if let Some(lane) = self.lane(index, usize::MAX)
            && self.is_packed_type(ty)
        {
            let mut parts = parts;
            if let Some(pair) = parts.get(lane / 2).copied() {
                let halves = self.unpacked(pair);
                let (low, high) = if lane.is_multiple_of(2) {
                    (new[0], halves[1])
                } else {
                    (halves[0], new[0])
                };
                parts[lane / 2] = self.packed(low, high);
            }
            return self.define(id, parts);
        }
        let mut lanes = self.elements(ty, &parts);
        if let Some(lane) = self.lane(index, lanes.len()) {
            if let Some(slot) = lanes.get_mut(lane) {
                *slot = new;
            }
        } else {
            let index = self.lane_index(index);
            for (number, lane) in lanes.iter_mut().enumerate() {
                let here = self.compare_integers(
                    warpsmith_ir::IntPredicate::Eq,
                    32,
                    (index, Upper::Zeros),
                    (Operand::Integer(Class::B32, number as i64), Upper::Zeros),
                );
                *lane = new
                    .iter()
                    .zip(&*lane)
                    .map(|(a, b)| self.select_part(here, *a, *b))
                    .collect();
            }
        }
        let result = self.assemble(ty, &lanes);
        self.define(id, result);
    }

    /// Lanes of two vectors.
    pub(crate) fn lower_shuffle(&mut self, id: InstructionId, left: Value, right: Value, mask: &[i32]) {
        let source = self.type_of(left);
        let ty = self.body.result_type(id);
        let mut lanes = Vec::new();
        for value in [left, right] {
            let count = self.context.lanes(source).unwrap_or(1) as i32;
            let base = lanes.len() as i32;
            let used = mask.iter().any(|&lane| (base..base + count).contains(&lane));
            if used {
                let parts = self.parts(value);
                lanes.extend(self.elements(source, &parts));
            } else {
                lanes.resize((base + count) as usize, Parts::new());
            }
        }
        let element = self.context.scalar(ty);
        let zeros = self.zeros(element);
        let chosen: Vec<Parts> = mask
            .iter()
            .map(|&lane| {
                usize::try_from(lane)
                    .ok()
                    .and_then(|lane| lanes.get(lane).cloned())
                    .unwrap_or(zeros.clone())
            })
            .collect();
        let result = self.assemble(ty, &chosen);
        self.define(id, result);
    }

    /// Where the parts of a member are among those of its aggregate.
    fn member(&self, ty: Type, path: &[u32]) -> std::ops::Range<usize> {
        let mut ty = ty;
        let mut start = 0;
        for &index in path {
            start += parts_before(self.context, ty, u64::from(index));
            ty = self.context.element(ty, u64::from(index)).unwrap_or(Type::Void);
        }
        let length = flatten(self.context, ty).map_or(0, |parts| parts.len());
        start..start + length
    }

    /// A member of an aggregate.
    pub(crate) fn lower_extract_value(&mut self, id: InstructionId, aggregate: Value, path: &[u32]) {
        let range = self.member(self.type_of(aggregate), path);
        let parts = self.parts(aggregate);
        let member = parts.get(range).map(Parts::from).unwrap_or_default();
        self.define(id, member);
    }

    /// An aggregate with a member replaced.
    pub(crate) fn lower_insert_value(&mut self, id: InstructionId, aggregate: Value, element: Value, path: &[u32]) {
        let range = self.member(self.type_of(aggregate), path);
        let mut parts = self.parts(aggregate);
        let new = self.parts(element);
        if let Some(slots) = parts.get_mut(range) {
            slots.iter_mut().zip(new).for_each(|(slot, new)| *slot = new);
        }
        self.define(id, parts);
    }
}
