//! Floating-point arithmetic in the modes of the function; half and bfloat16 where the target has them, through single precision elsewhere.

use warpsmith_ir::{BinaryOp, Flags, InstructionId, Type, Value};
use warpsmith_target::Feature;

use crate::function::{Lowering, emit};
use crate::options::Division;
use crate::parts::Scalar;
use crate::register::{Class, Operand, Parts, Register};

/// 1.0 as a single.
const ONE_SINGLE: u32 = 0x3F80_0000;
/// 1.0 as a double.
const ONE_DOUBLE: u64 = 0x3FF0_0000_0000_0000;

/// The type of an instruction on a float.
pub(crate) fn float_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Half => "f16",
        Scalar::BFloat => "bf16",
        Scalar::HalfPair => "f16x2",
        Scalar::BFloatPair => "bf16x2",
        Scalar::Double => "f64",
        _ => "f32",
    }
}

impl Lowering<'_> {
    /// `.ftz` for types that have it, if denormals are flushed.
    pub(crate) fn ftz_of(&self, scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Float | Scalar::Half | Scalar::HalfPair => self.mode.ftz(),
            _ => "",
        }
    }

    /// An operation on floats, part by part.
    pub(crate) fn float_binary(
        &mut self,
        op: BinaryOp,
        flags: Flags,
        ty: Type,
        left: &Parts,
        right: &Parts,
        id: Option<InstructionId>,
    ) -> Parts {
        let parts = self.flatten(ty);
        let operands = left.iter().copied().zip(right.iter().copied());
        let pairs: Vec<_> = parts.iter().map(|part| part.scalar).zip(operands).collect();
        pairs
            .into_iter()
            .map(|(scalar, (a, b))| self.float_part(op, flags, scalar, a, b, id))
            .collect()
    }

    fn float_part(
        &mut self,
        op: BinaryOp,
        flags: Flags,
        scalar: Scalar,
        left: Operand,
        right: Operand,
        id: Option<InstructionId>,
    ) -> Operand {
        let native = matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul);
        match scalar {
            Scalar::HalfPair | Scalar::BFloatPair
                if !native || !self.has_arithmetic(scalar) && !self.has_fma(scalar) =>
            {
                let half = if scalar == Scalar::HalfPair {
                    Scalar::Half
                } else {
                    Scalar::BFloat
                };
                let (a, b) = (self.unpacked(left), self.unpacked(right));
                let low = self.float_part(op, flags, half, a[0], b[0], id);
                let high = self.float_part(op, flags, half, a[1], b[1], id);
                self.packed(low, high)
            }
            Scalar::Half | Scalar::BFloat if !native || !self.has_arithmetic(scalar) && !self.has_fma(scalar) => {
                let (a, b) = (self.promoted(scalar, left), self.promoted(scalar, right));
                let result = self.float_part(op, flags, Scalar::Float, a, b, id);
                self.demoted(scalar, result)
            }
            _ if native && !self.has_arithmetic(scalar) => self.bfloat_by_fma(op, scalar, left, right),
            _ => match op {
                BinaryOp::FDiv => self.float_quotient(flags, scalar, left, right, id),
                BinaryOp::FRem => self.float_remainder(scalar, left, right),
                _ => self.float_native(op, flags, scalar, left, right),
            },
        }
    }

    /// Whether the target adds and multiplies this type.
    fn has_arithmetic(&self, scalar: Scalar) -> bool {
        !matches!(scalar, Scalar::BFloat | Scalar::BFloatPair) || self.scope.has(Feature::Bf16Arithmetic)
    }

    /// Whether the target has `fma` for this type.
    fn has_fma(&self, scalar: Scalar) -> bool {
        !matches!(scalar, Scalar::BFloat | Scalar::BFloatPair) || self.scope.has(Feature::Bf16Fma)
    }

    fn float_native(&mut self, op: BinaryOp, flags: Flags, scalar: Scalar, left: Operand, right: Operand) -> Operand {
        let name = match op {
            BinaryOp::FSub => "sub",
            BinaryOp::FMul => "mul",
            _ => "add",
        };
        // A stated rounding keeps ptxas from fusing it with another operation.
        let rounding = if self.mode.contract || flags.contains(Flags::CONTRACT) {
            ""
        } else {
            ".rn"
        };
        let ty = float_type(scalar);
        let ftz = self.ftz_of(scalar);
        let (left, right) = (self.float_operand(left), self.float_operand(right));
        let result = self.register(scalar.class());
        emit!(self, "{name}{rounding}{ftz}.{ty} {result}, {left}, {right}");
        result.into()
    }

    /// Instructions on halves take no constants.
    fn float_operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Integer(..) => self.in_register(operand).into(),
            other => other,
        }
    }

    /// A sum or product of bfloat16 where there is only `fma`.
    fn bfloat_by_fma(&mut self, op: BinaryOp, scalar: Scalar, left: Operand, right: Operand) -> Operand {
        let constant = |bits: u16| {
            let bits = i64::from(bits);
            match scalar {
                Scalar::BFloatPair => Operand::Integer(Class::B32, i64::from((bits | bits << 16) as i32)),
                _ => Operand::Integer(Class::B16, i64::from(bits as i16)),
            }
        };
        // a * 1 + b; b * -1 + a; a * b + -0, which changes no sum.
        let (a, b, c) = match op {
            BinaryOp::FAdd => (left, constant(0x3F80), right),
            BinaryOp::FSub => (right, constant(0xBF80), left),
            _ => (left, right, constant(0x8000)),
        };
        self.fma_part(scalar, a, b, c)
    }

    /// `a * b + c` with one rounding, part by part.
    pub(crate) fn fma_parts(&mut self, ty: Type, a: &Parts, b: &Parts, c: &Parts) -> Parts {
        let parts = self.flatten(ty);
        (0..parts.len())
            .map(|number| self.fma_part(parts[number].scalar, a[number], b[number], c[number]))
            .collect()
    }

    fn fma_part(&mut self, scalar: Scalar, a: Operand, b: Operand, c: Operand) -> Operand {
        if !self.has_fma(scalar) {
            if scalar == Scalar::BFloatPair {
                let (a, b, c) = (self.unpacked(a), self.unpacked(b), self.unpacked(c));
                let low = self.fma_part(Scalar::BFloat, a[0], b[0], c[0]);
                let high = self.fma_part(Scalar::BFloat, a[1], b[1], c[1]);
                return self.packed(low, high);
            }
            let (a, b, c) = (
                self.promoted(scalar, a),
                self.promoted(scalar, b),
                self.promoted(scalar, c),
            );
            let result = self.fma_part(Scalar::Float, a, b, c);
            return self.demoted(scalar, result);
        }
        let (a, b, c) = (self.float_operand(a), self.float_operand(b), self.float_operand(c));
        let ftz = self.ftz_of(scalar);
        let result = self.register(scalar.class());
        emit!(self, "fma.rn{ftz}.{} {result}, {a}, {b}, {c}", float_type(scalar));
        result.into()
    }

    fn float_quotient(
        &mut self,
        flags: Flags,
        scalar: Scalar,
        left: Operand,
        right: Operand,
        id: Option<InstructionId>,
    ) -> Operand {
        let result = self.register(scalar.class());
        if scalar == Scalar::Double {
            match left {
                Operand::Double(ONE_DOUBLE) => emit!(self, "rcp.rn.f64 {result}, {right}"),
                _ => emit!(self, "div.rn.f64 {result}, {left}, {right}"),
            }
            return result.into();
        }
        let ftz = self.mode.ftz();
        let allowed = id
            .and_then(|id| self.body.attachments(id)?.precision)
            .map_or(0.0, f32::from_bits);
        let division = match self.mode.division {
            _ if flags.contains(Flags::APPROXIMATE) => Division::Approximate,
            Division::Rounded if allowed >= 2.0 => Division::Full,
            stated => stated,
        };
        match (division, left) {
            (Division::Approximate, Operand::Single(ONE_SINGLE)) => {
                emit!(self, "rcp.approx{ftz}.f32 {result}, {right}")
            }
            (Division::Approximate, _) => emit!(self, "div.approx{ftz}.f32 {result}, {left}, {right}"),
            (Division::Full, _) => emit!(self, "div.full{ftz}.f32 {result}, {left}, {right}"),
            (Division::Rounded, Operand::Single(ONE_SINGLE)) => emit!(self, "rcp.rn{ftz}.f32 {result}, {right}"),
            (Division::Rounded, _) => emit!(self, "div.rn{ftz}.f32 {result}, {left}, {right}"),
        }
        result.into()
    }

    /// `x - trunc(x / y) * y`, and `x` for an infinite `y`: what LLVM's back end computes for `frem`. It is exact only while the quotient is.
    fn float_remainder(&mut self, scalar: Scalar, left: Operand, right: Operand) -> Operand {
        let class = scalar.class();
        let ty = float_type(scalar);
        let ftz = self.ftz_of(scalar);
        let steps: [Register; 5] = std::array::from_fn(|_| self.register(class));
        let [quotient, whole, negative, rest, result] = steps;
        let infinite = self.register(Class::Predicate);
        emit!(self, "div.rn{ftz}.{ty} {quotient}, {left}, {right}");
        emit!(self, "cvt.rzi{ftz}.{ty}.{ty} {whole}, {quotient}");
        emit!(self, "neg{ftz}.{ty} {negative}, {whole}");
        emit!(self, "fma.rn{ftz}.{ty} {rest}, {negative}, {right}, {left}");
        emit!(self, "testp.infinite.{ty} {infinite}, {right}");
        emit!(self, "selp.{ty} {result}, {left}, {rest}, {infinite}");
        result.into()
    }

    /// The negative of a value.
    pub(crate) fn lower_negation(&mut self, id: InstructionId, operand: Value) {
        let ty = self.body.result_type(id);
        let parts = self.parts(operand);
        let result = self.negate_parts(ty, &parts);
        self.define(id, result);
    }

    /// The negative of a value by its parts.
    pub(crate) fn negate_parts(&mut self, ty: Type, parts: &Parts) -> Parts {
        let kinds = self.flatten(ty);
        (0..kinds.len())
            .map(|number| self.negate_part(kinds[number].scalar, parts[number]))
            .collect()
    }

    fn negate_part(&mut self, scalar: Scalar, operand: Operand) -> Operand {
        match operand {
            Operand::Single(bits) => return Operand::Single(bits ^ 1 << 31),
            Operand::Double(bits) => return Operand::Double(bits ^ 1 << 63),
            _ => {}
        }
        let class = scalar.class();
        let operand = self.float_operand(operand);
        let result = self.register(class);
        if self.has_fma(scalar) {
            let ftz = self.ftz_of(scalar);
            emit!(self, "neg{ftz}.{} {result}, {operand}", float_type(scalar));
        } else {
            let signs: i64 = if class == Class::B32 {
                0x8000_8000u32 as i32 as i64
            } else {
                -0x8000
            };
            emit!(self, "xor.{} {result}, {operand}, {signs}", class.bits_type());
        }
        result.into()
    }

    // Halves.

    /// A half or bfloat16 as a single.
    pub(crate) fn promoted(&mut self, scalar: Scalar, operand: Operand) -> Operand {
        let operand = self.in_register(operand);
        let result = self.register(Class::F32);
        if scalar == Scalar::Half {
            let ftz = self.mode.ftz();
            emit!(self, "cvt{ftz}.f32.f16 {result}, {operand}");
        } else {
            // A bfloat16 is the upper half of a single.
            emit!(self, "mov.b32 {result}, {{0, {operand}}}");
        }
        result.into()
    }

    /// A single rounded to half or bfloat16.
    pub(crate) fn demoted(&mut self, scalar: Scalar, operand: Operand) -> Operand {
        let operand = self.in_register(operand);
        let result = self.register(Class::B16);
        if scalar == Scalar::Half {
            let ftz = self.mode.ftz();
            emit!(self, "cvt.rn{ftz}.f16.f32 {result}, {operand}");
        } else if self.scope.has(Feature::Bf16Fma) {
            emit!(self, "cvt.rn.bf16.f32 {result}, {operand}");
        } else {
            self.round_to_bfloat(result, operand);
        }
        result.into()
    }

    /// Rounding to bfloat16 by integers: half of the last place less one is added, and one more if the last bit is set; NaN stays NaN.
    fn round_to_bfloat(&mut self, result: Register, operand: Register) {
        let steps: [Register; 6] = std::array::from_fn(|_| self.register(Class::B32));
        let [bits, last, bias, sum, quiet, chosen] = steps;
        let number = self.register(Class::Predicate);
        let high = self.register(Class::B32);
        emit!(self, "mov.b32 {bits}, {operand}");
        emit!(self, "bfe.u32 {last}, {bits}, 16, 1");
        emit!(self, "add.s32 {bias}, {last}, 32767");
        emit!(self, "add.s32 {sum}, {bits}, {bias}");
        emit!(self, "or.b32 {quiet}, {bits}, 4194304");
        emit!(self, "setp.num.f32 {number}, {operand}, {operand}");
        emit!(self, "selp.b32 {chosen}, {sum}, {quiet}, {number}");
        emit!(self, "shr.u32 {high}, {chosen}, 16");
        emit!(self, "cvt.u16.u32 {result}, {high}");
    }

    /// The two halves of a pair.
    pub(crate) fn unpacked(&mut self, pair: Operand) -> [Operand; 2] {
        if let Some(bits) = pair.integer() {
            return [
                Operand::Integer(Class::B16, i64::from(bits as i16)),
                Operand::Integer(Class::B16, i64::from((bits >> 16) as i16)),
            ];
        }
        let (low, high) = (self.register(Class::B16), self.register(Class::B16));
        emit!(self, "mov.b32 {{{low}, {high}}}, {pair}");
        [low.into(), high.into()]
    }

    /// A pair of two halves.
    pub(crate) fn packed(&mut self, low: Operand, high: Operand) -> Operand {
        if let (Some(low), Some(high)) = (low.integer(), high.integer()) {
            let bits = u32::from(low as u16) | u32::from(high as u16) << 16;
            return Operand::Integer(Class::B32, i64::from(bits as i32));
        }
        let (low, high) = (self.in_register(low), self.in_register(high));
        let result = self.register(Class::B32);
        emit!(self, "mov.b32 {result}, {{{low}, {high}}}");
        result.into()
    }
}
