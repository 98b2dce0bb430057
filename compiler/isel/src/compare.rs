//! Comparisons and selections.

use warpsmith_ir::{FloatPredicate, InstructionId, IntPredicate, Type, Value};
use warpsmith_target::Feature;

use crate::float::float_type;
use crate::function::{Lowering, Upper, emit};
use crate::parts::Scalar;
use crate::register::{Class, Operand, Parts};

impl Lowering<'_> {
    /// A comparison of integers or pointers.
    pub(crate) fn lower_icmp(&mut self, id: InstructionId, predicate: IntPredicate, left: Value, right: Value) {
        let ty = self.type_of(left);
        let (a, b) = (self.parts(left), self.parts(right));
        let uppers = (self.upper_of(left), self.upper_of(right));
        let result = self.compare_parts(predicate, ty, &a, &b, uppers);
        self.define(id, result);
    }

    fn compare_parts(
        &mut self,
        predicate: IntPredicate,
        ty: Type,
        left: &Parts,
        right: &Parts,
        uppers: (Upper, Upper),
    ) -> Parts {
        if let Type::Vector(vector) = ty {
            let data = self.context.vector_parts(vector);
            let each = (left.len() / data.length.max(1) as usize).max(1);
            let lanes = left.chunks(each).zip(right.chunks(each));
            let unknown = (Upper::Unknown, Upper::Unknown);
            return lanes
                .flat_map(|(a, b)| self.compare_parts(predicate, data.element, &a.into(), &b.into(), unknown))
                .collect();
        }
        Parts::from_iter([match ty {
            Type::Int(1) => self.compare_truth(predicate, left[0], right[0]),
            Type::Int(bits @ 2..=64) => {
                self.compare_integers(predicate, bits, (left[0], uppers.0), (right[0], uppers.1))
            }
            Type::Int(bits) => self.wide_compare(predicate, bits, left, right),
            _ => self.compare_integers(
                predicate,
                left[0].class().bits(),
                (left[0], uppers.0),
                (right[0], uppers.1),
            ),
        }])
    }

    /// A comparison of truth values; true is 1 unsigned and -1 signed.
    fn compare_truth(&mut self, predicate: IntPredicate, left: Operand, right: Operand) -> Operand {
        match predicate {
            IntPredicate::Ne => self.predicate_xor(left, right),
            IntPredicate::Eq => {
                let different = self.predicate_xor(left, right);
                self.predicate_not(different)
            }
            IntPredicate::Ugt | IntPredicate::Slt => {
                let not = self.predicate_not(right);
                self.predicate_and(left, not)
            }
            IntPredicate::Ult | IntPredicate::Sgt => {
                let not = self.predicate_not(left);
                self.predicate_and(not, right)
            }
            IntPredicate::Uge | IntPredicate::Sle => {
                let not = self.predicate_not(right);
                self.predicate_or(left, not)
            }
            IntPredicate::Ule | IntPredicate::Sge => {
                let not = self.predicate_not(left);
                self.predicate_or(not, right)
            }
        }
    }

    /// A comparison of integers of 2 to 64 bits.
    pub(crate) fn compare_integers(
        &mut self,
        predicate: IntPredicate,
        bits: u32,
        (left, left_upper): (Operand, Upper),
        (right, right_upper): (Operand, Upper),
    ) -> Operand {
        // For equality either extension will do: take the one that is there.
        let signs = |upper: Upper, operand: Operand| upper == Upper::Signs || operand.integer().is_some();
        let signed =
            predicate.is_signed() || predicate.is_equality() && signs(left_upper, left) && signs(right_upper, right);
        let (a, b) = if signed {
            (
                self.sign_extended(left, bits, left_upper),
                self.sign_extended(right, bits, right_upper),
            )
        } else {
            (
                self.zero_extended(left, bits, left_upper),
                self.zero_extended(right, bits, right_upper),
            )
        };
        let (name, kind) = match predicate {
            IntPredicate::Eq => ("eq", 's'),
            IntPredicate::Ne => ("ne", 's'),
            IntPredicate::Ugt => ("gt", 'u'),
            IntPredicate::Uge => ("ge", 'u'),
            IntPredicate::Ult => ("lt", 'u'),
            IntPredicate::Ule => ("le", 'u'),
            IntPredicate::Sgt => ("gt", 's'),
            IntPredicate::Sge => ("ge", 's'),
            IntPredicate::Slt => ("lt", 's'),
            IntPredicate::Sle => ("le", 's'),
        };
        let size = a.class().bits();
        let result = self.register(Class::Predicate);
        emit!(self, "setp.{name}.{kind}{size} {result}, {a}, {b}");
        result.into()
    }

    /// A comparison of floats.
    pub(crate) fn lower_fcmp(&mut self, id: InstructionId, predicate: FloatPredicate, left: Value, right: Value) {
        let ty = self.type_of(left);
        let kinds = self.flatten(ty);
        let (a, b) = (self.parts(left), self.parts(right));
        let result = (0..kinds.len())
            .flat_map(|number| self.compare_floats(predicate, kinds[number].scalar, a[number], b[number]))
            .collect();
        self.define(id, result);
    }

    fn compare_floats(&mut self, predicate: FloatPredicate, scalar: Scalar, left: Operand, right: Operand) -> Parts {
        let name = match predicate {
            FloatPredicate::False | FloatPredicate::True => {
                let known = Operand::Integer(Class::Predicate, if predicate == FloatPredicate::True { -1 } else { 0 });
                let lanes = if matches!(scalar, Scalar::HalfPair | Scalar::BFloatPair) {
                    2
                } else {
                    1
                };
                return std::iter::repeat_n(known, lanes).collect();
            }
            FloatPredicate::Oeq => "eq",
            FloatPredicate::Ogt => "gt",
            FloatPredicate::Oge => "ge",
            FloatPredicate::Olt => "lt",
            FloatPredicate::Ole => "le",
            FloatPredicate::One => "ne",
            FloatPredicate::Ord => "num",
            FloatPredicate::Ueq => "equ",
            FloatPredicate::Ugt => "gtu",
            FloatPredicate::Uge => "geu",
            FloatPredicate::Ult => "ltu",
            FloatPredicate::Ule => "leu",
            FloatPredicate::Une => "neu",
            FloatPredicate::Uno => "nan",
        };
        // bfloat16 is compared as single: the conversion is exact.
        let (left, right, scalar) = match scalar {
            Scalar::BFloat if !self.scope.has(Feature::Bf16Arithmetic) => {
                (self.promoted(scalar, left), self.promoted(scalar, right), Scalar::Float)
            }
            Scalar::BFloatPair if !self.scope.has(Feature::Bf16Arithmetic) => {
                let (a, b) = (self.unpacked(left), self.unpacked(right));
                let mut low = self.compare_floats(predicate, Scalar::BFloat, a[0], b[0]);
                low.extend(self.compare_floats(predicate, Scalar::BFloat, a[1], b[1]));
                return low;
            }
            Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair => {
                (self.in_register(left).into(), self.in_register(right).into(), scalar)
            }
            _ => (left, right, scalar),
        };
        let ftz = self.ftz_of(scalar);
        let ty = float_type(scalar);
        let result = self.register(Class::Predicate);
        if matches!(scalar, Scalar::HalfPair | Scalar::BFloatPair) {
            let second = self.register(Class::Predicate);
            emit!(self, "setp.{name}{ftz}.{ty} {result}|{second}, {left}, {right}");
            return Parts::from_iter([result.into(), second.into()]);
        }
        emit!(self, "setp.{name}{ftz}.{ty} {result}, {left}, {right}");
        Parts::from_iter([result.into()])
    }

    /// One of two values.
    pub(crate) fn lower_select(&mut self, id: InstructionId, condition: Value, on_true: Value, on_false: Value) {
        let ty = self.body.result_type(id);
        let conditions = self.parts(condition);
        let (a, b) = (self.parts(on_true), self.parts(on_false));
        if !self.type_of(condition).is_vector() {
            let result = a
                .iter()
                .zip(&b)
                .map(|(a, b)| self.select_part(conditions[0], *a, *b))
                .collect();
            return self.define(id, result);
        }
        let (a, b) = (self.elements(ty, &a), self.elements(ty, &b));
        let lanes: Vec<Parts> = conditions
            .iter()
            .zip(a.iter().zip(&b))
            .map(|(condition, (a, b))| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| self.select_part(*condition, *a, *b))
                    .collect()
            })
            .collect();
        let result = self.assemble(ty, &lanes);
        self.define(id, result);
    }

    /// One of two operands of a class.
    pub(crate) fn select_part(&mut self, condition: Operand, on_true: Operand, on_false: Operand) -> Operand {
        if let Some(known) = condition.integer() {
            return if known & 1 != 0 { on_true } else { on_false };
        }
        if on_true == on_false {
            return on_true;
        }
        let class = on_true.class();
        if class == Class::Predicate {
            // `c ? true : b` and `c ? a : true` need one operation less.
            if on_true.integer().is_some_and(|known| known & 1 != 0) {
                return self.predicate_or(condition, on_false);
            }
            if on_false.integer().is_some_and(|known| known & 1 != 0) {
                let not = self.predicate_not(condition);
                return self.predicate_or(not, on_true);
            }
            let chosen = self.predicate_and(condition, on_true);
            let not = match on_false.integer() {
                // The part for false adds nothing.
                Some(known) if known & 1 == 0 => return chosen,
                _ => self.predicate_not(condition),
            };
            let other = self.predicate_and(not, on_false);
            return self.predicate_or(chosen, other);
        }
        let ty = class.move_type();
        let result = self.register(class);
        emit!(self, "selp.{ty} {result}, {on_true}, {on_false}, {condition}");
        result.into()
    }
}
