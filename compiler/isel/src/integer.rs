//! Arithmetic on integers of up to 64 bits, and the way of all binary operations through vectors.

use warpsmith_ir::{BinaryOp, Flags, InstructionId, Type, Value};

use crate::function::{Lowering, Upper, emit};
use crate::needed::{Extended, Fused, fused};
use crate::register::{Class, Operand, Parts};
use crate::value::{low_mask, sign_extend};

impl Lowering<'_> {
    /// A binary operation, together with operations of its operands where it can take them in.
    pub(crate) fn lower_binary(&mut self, id: InstructionId, op: BinaryOp, flags: Flags, left: Value, right: Value) {
        if let Some(fused) = fused(self.body, id, op, flags, left, right, self.mode.contract) {
            return self.lower_fused(id, fused);
        }
        let ty = self.body.result_type(id);
        if let Type::Int(bits @ 2..=64) = ty {
            let (a, b) = (self.operand(left), self.operand(right));
            let uppers = (self.upper_of(left), self.upper_of(right));
            let (result, upper) = self.integer_binary(op, bits, (a, uppers.0), (b, uppers.1));
            self.upper[id.index()] = upper;
            return self.define_one(id, result);
        }
        let (a, b) = (self.parts(left), self.parts(right));
        let parts = if op.is_float() {
            self.float_binary(op, flags, ty, &a, &b, Some(id))
        } else {
            self.binary_parts(op, ty, &a, &b)
        };
        self.define(id, parts);
    }

    fn lower_fused(&mut self, id: InstructionId, fused: Fused) {
        match fused {
            Fused::MultiplyAdd { left, right, addend } => {
                let (a, b, c) = (self.operand(left), self.operand(right), self.operand(addend));
                let result = self.define_register(id);
                let size = result.class.bits();
                emit!(self, "mad.lo.s{size} {result}, {a}, {b}, {c}");
            }
            Fused::Wide { left, right } => {
                let a = self.operand(left.operand);
                let b = match right {
                    Ok(Extended { operand, .. }) => self.operand(operand),
                    Err(constant) => Operand::Integer(a.class(), constant),
                };
                let result = self.define_register(id);
                let kind = if left.signed { 's' } else { 'u' };
                emit!(self, "mul.wide.{kind}{} {result}, {a}, {b}", left.bits);
            }
            Fused::Funnel { left, right, amount } => {
                let (high, low) = (self.operand(left), self.operand(right));
                let result = self.funnel_by_constant(high, low, amount);
                self.define_one(id, result);
            }
            Fused::Joined { low, high } => {
                let (low, high) = (self.operand(low), self.operand(high));
                let (low, high) = (self.in_register(low), self.in_register(high));
                let result = self.define_register(id);
                let size = result.class.bits();
                emit!(self, "mov.b{size} {result}, {{{low}, {high}}}");
            }
            Fused::Float {
                left,
                right,
                addend,
                negate_product,
                negate_addend,
            } => {
                let ty = self.body.result_type(id);
                let (a, b, c) = (self.parts(left), self.parts(right), self.parts(addend));
                let (mut a, mut c) = (a, c);
                if negate_product {
                    a = self.negate_parts(ty, &a);
                }
                if negate_addend {
                    c = self.negate_parts(ty, &c);
                }
                let parts = self.fma_parts(ty, &a, &b, &c);
                self.define(id, parts);
            }
        }
    }

    /// A binary operation on values by their parts.
    pub(crate) fn binary_parts(&mut self, op: BinaryOp, ty: Type, left: &Parts, right: &Parts) -> Parts {
        if op.is_float() {
            return self.float_binary(op, Flags::NONE, ty, left, right, None);
        }
        match ty {
            Type::Int(1) => Parts::from_iter([self.truth_binary(op, left[0], right[0])]),
            Type::Int(bits @ 2..=64) => {
                let unknown = Upper::Unknown;
                Parts::from_iter([self.integer_binary(op, bits, (left[0], unknown), (right[0], unknown)).0])
            }
            Type::Int(bits) => self.wide_binary(op, bits, left, right),
            Type::Vector(vector) => {
                let element = self.context.vector_parts(vector).element;
                let each = (left.len() / self.context.vector_parts(vector).length.max(1) as usize).max(1);
                let pairs = left.chunks(each).zip(right.chunks(each));
                pairs
                    .flat_map(|(a, b)| self.binary_parts(op, element, &a.into(), &b.into()))
                    .collect()
            }
            _ => {
                self.unsupported(format_args!("{} of this type", op.text()));
                left.clone()
            }
        }
    }

    /// An operation on truth values: arithmetic modulo 2.
    fn truth_binary(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        match op {
            BinaryOp::And | BinaryOp::Mul => self.predicate_and(left, right),
            BinaryOp::Or => self.predicate_or(left, right),
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => self.predicate_xor(left, right),
            BinaryOp::URem | BinaryOp::SRem => Operand::Integer(Class::Predicate, 0),
            // Divisors and shifts other than by 1 and 0 are undefined.
            _ => left,
        }
    }

    /// `left && right`
    pub(crate) fn predicate_and(&mut self, left: Operand, right: Operand) -> Operand {
        match (left.integer(), right.integer()) {
            (Some(known), _) if known & 1 == 0 => left,
            (_, Some(known)) if known & 1 == 0 => right,
            (Some(_), _) => right,
            (_, Some(_)) => left,
            (None, None) => self.predicate_op("and", left, right),
        }
    }

    /// `left || right`
    pub(crate) fn predicate_or(&mut self, left: Operand, right: Operand) -> Operand {
        match (left.integer(), right.integer()) {
            (Some(known), _) if known & 1 != 0 => left,
            (_, Some(known)) if known & 1 != 0 => right,
            (Some(_), _) => right,
            (_, Some(_)) => left,
            (None, None) => self.predicate_op("or", left, right),
        }
    }

    /// `left != right`
    pub(crate) fn predicate_xor(&mut self, left: Operand, right: Operand) -> Operand {
        match (left.integer(), right.integer()) {
            (Some(known), _) if known & 1 == 0 => right,
            (_, Some(known)) if known & 1 == 0 => left,
            (Some(_), _) => self.predicate_not(right),
            (_, Some(_)) => self.predicate_not(left),
            (None, None) => self.predicate_op("xor", left, right),
        }
    }

    fn predicate_op(&mut self, op: &str, left: Operand, right: Operand) -> Operand {
        let result = self.register(Class::Predicate);
        emit!(self, "{op}.pred {result}, {left}, {right}");
        result.into()
    }

    /// `!operand`
    pub(crate) fn predicate_not(&mut self, operand: Operand) -> Operand {
        if let Some(known) = operand.integer() {
            return Operand::Integer(Class::Predicate, if known & 1 == 0 { -1 } else { 0 });
        }
        let result = self.register(Class::Predicate);
        emit!(self, "not.pred {result}, {operand}");
        result.into()
    }

    /// An operation on integers of 2 to 64 bits, each with what is known of its register above them.
    pub(crate) fn integer_binary(
        &mut self,
        op: BinaryOp,
        bits: u32,
        (left, left_upper): (Operand, Upper),
        (right, right_upper): (Operand, Upper),
    ) -> (Operand, Upper) {
        let class = Class::of_integer(bits);
        let size = class.bits();
        let result = self.register(class);
        let upper = match op {
            BinaryOp::Add => {
                emit!(self, "add.s{size} {result}, {left}, {right}");
                Upper::Unknown
            }
            BinaryOp::Sub => {
                match left.integer() {
                    Some(0) => emit!(self, "neg.s{size} {result}, {right}"),
                    _ => emit!(self, "sub.s{size} {result}, {left}, {right}"),
                }
                Upper::Unknown
            }
            BinaryOp::Mul => {
                emit!(self, "mul.lo.s{size} {result}, {left}, {right}");
                Upper::Unknown
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                match (op, right.integer()) {
                    (BinaryOp::Xor, Some(-1)) => emit!(self, "not.b{size} {result}, {left}"),
                    _ => emit!(self, "{}.b{size} {result}, {left}, {right}", op.text()),
                }
                let has_zeros = |operand: Operand, upper: Upper| match operand.integer() {
                    Some(value) => value >= 0,
                    None => upper == Upper::Zeros,
                };
                let (a, b) = (has_zeros(left, left_upper), has_zeros(right, right_upper));
                let zeros = if op == BinaryOp::And { a || b } else { a && b };
                if zeros { Upper::Zeros } else { Upper::Unknown }
            }
            BinaryOp::Shl => {
                let amount = self.as_u32(right, bits, right_upper);
                emit!(self, "shl.b{size} {result}, {left}, {amount}");
                Upper::Unknown
            }
            BinaryOp::LShr => {
                let left = self.zero_extended(left, bits, left_upper);
                let amount = self.as_u32(right, bits, right_upper);
                emit!(self, "shr.u{size} {result}, {left}, {amount}");
                Upper::Zeros
            }
            BinaryOp::AShr => {
                let left = self.sign_extended(left, bits, left_upper);
                let amount = self.as_u32(right, bits, right_upper);
                emit!(self, "shr.s{size} {result}, {left}, {amount}");
                Upper::Signs
            }
            BinaryOp::UDiv | BinaryOp::URem => {
                let left = self.zero_extended(left, bits, left_upper);
                let right = self.zero_extended(right, bits, right_upper);
                let name = if op == BinaryOp::UDiv { "div" } else { "rem" };
                emit!(self, "{name}.u{size} {result}, {left}, {right}");
                Upper::Zeros
            }
            BinaryOp::SDiv | BinaryOp::SRem => {
                let left = self.sign_extended(left, bits, left_upper);
                let right = self.sign_extended(right, bits, right_upper);
                let name = if op == BinaryOp::SDiv { "div" } else { "rem" };
                emit!(self, "{name}.s{size} {result}, {left}, {right}");
                // The least number divided by -1 is undefined; all else stays in range.
                Upper::Signs
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => Upper::Unknown,
        };
        (result.into(), upper)
    }

    /// An integer of `bits` in a class at least as large, extended as asked.
    pub(crate) fn widen(&mut self, operand: Operand, bits: u32, signed: bool, upper: Upper, class: Class) -> Operand {
        if let Some(value) = operand.integer() {
            let value = if signed {
                sign_extend(value as u64, bits)
            } else {
                value & low_mask(bits)
            };
            return Operand::Integer(class, sign_extend(value as u64, class.bits()));
        }
        let from = operand.class();
        if from == Class::Predicate {
            let result = self.register(class);
            let (kind, one) = if signed { ('s', -1) } else { ('u', 1) };
            emit!(self, "selp.{kind}{} {result}, {one}, 0, {operand}", class.bits());
            return result.into();
        }
        if from == class {
            return if signed {
                self.sign_extended(operand, bits, upper)
            } else {
                self.zero_extended(operand, bits, upper)
            };
        }
        let kind = if signed { 's' } else { 'u' };
        let in_order = upper == if signed { Upper::Signs } else { Upper::Zeros };
        let (operand, source) = match bits {
            8 if !in_order => (operand, 8),
            16 | 32 if bits == from.bits() => (operand, bits),
            _ if signed => (self.sign_extended(operand, bits, upper), from.bits()),
            _ => (self.zero_extended(operand, bits, upper), from.bits()),
        };
        let result = self.register(class);
        emit!(self, "cvt.{kind}{}.{kind}{source} {result}, {operand}", class.bits());
        result.into()
    }

    /// The low bits of an integer.
    pub(crate) fn narrow(&mut self, operand: Operand, bits: u32) -> Operand {
        let class = Class::of_integer(bits);
        if let Some(value) = operand.integer() {
            return Operand::Integer(class, sign_extend(value as u64, bits));
        }
        let from = operand.class();
        if from == class {
            return operand;
        }
        if class == Class::Predicate {
            return self.low_bit(operand);
        }
        let result = self.register(class);
        emit!(self, "cvt.u{}.u{} {result}, {operand}", class.bits(), from.bits());
        result.into()
    }

    /// The upper half of `high:low << amount` for a constant less than the size of each, 32 or 64 bits.
    pub(crate) fn funnel_by_constant(&mut self, high: Operand, low: Operand, amount: u32) -> Operand {
        if high.class() == Class::B32 {
            let result = self.register(Class::B32);
            emit!(self, "shf.l.wrap.b32 {result}, {low}, {high}, {amount}");
            return result.into();
        }
        let [low0, low1] = self.words_of(low);
        let [high0, high1] = if high == low { [low0, low1] } else { self.words_of(high) };
        // By 32 and more, the words move up by one.
        let words = if amount < 32 {
            [low1, high0, high1]
        } else {
            [low0, low1, high0]
        };
        let (lower, upper) = (self.register(Class::B32), self.register(Class::B32));
        let amount = amount % 32;
        emit!(self, "shf.l.wrap.b32 {lower}, {}, {}, {amount}", words[0], words[1]);
        emit!(self, "shf.l.wrap.b32 {upper}, {}, {}, {amount}", words[1], words[2]);
        let result = self.register(Class::B64);
        emit!(self, "mov.b64 {result}, {{{lower}, {upper}}}");
        result.into()
    }

    /// The two 32-bit words of 64 bits, the lower first.
    fn words_of(&mut self, operand: Operand) -> [Operand; 2] {
        if let Some(value) = operand.integer() {
            return [value as i32, (value >> 32) as i32].map(|word| Operand::Integer(Class::B32, i64::from(word)));
        }
        let (lower, upper) = (self.register(Class::B32), self.register(Class::B32));
        emit!(self, "mov.b64 {{{lower}, {upper}}}, {operand}");
        [lower.into(), upper.into()]
    }
}
