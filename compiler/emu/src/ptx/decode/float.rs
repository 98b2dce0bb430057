//! Floating-point instructions.

use warpsmith_numerics::{
    float::{Clamp, MinMax, Modifiers},
    round::Rounding,
};
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Class, Type, TypeKind},
};

use super::{Decoded, Decoder, M, O, integer::format};
use crate::ptx::arithmetic::{Approximate, FormatName, Function, Real};

/// The rounding that the mnemonic names; to nearest where it names none.
pub(crate) fn rounding(variant: &Variant) -> Rounding {
    match variant.of_class(Class::Rounding) {
        Some(M::Rz | M::Rzi) => Rounding::TowardZero,
        Some(M::Rm | M::Rmi) => Rounding::TowardNegative,
        Some(M::Rp | M::Rpi) => Rounding::TowardPositive,
        Some(M::Rna) => Rounding::NearestAway,
        _ => Rounding::NearestEven,
    }
}

pub(super) fn clamp(variant: &Variant) -> Clamp {
    if variant.has(M::Sat) {
        Clamp::Saturate
    } else if variant.has(M::Relu) {
        Clamp::Relu
    } else {
        Clamp::None
    }
}

fn modifiers(variant: &Variant) -> Modifiers {
    Modifiers {
        rounding: rounding(variant),
        ftz: variant.has(M::Ftz),
        clamp: clamp(variant),
        oob: variant.has(M::Oob),
    }
}

fn operation(opcode: O) -> Option<Real> {
    Some(match opcode {
        O::Add => Real::Add,
        O::Sub => Real::Subtract,
        O::Mul => Real::Multiply,
        O::Fma | O::Mad => Real::MultiplyAdd,
        O::Div => Real::Divide,
        O::Rcp => Real::Reciprocal,
        O::Sqrt => Real::SquareRoot,
        O::Abs => Real::Absolute,
        O::Neg => Real::Negate,
        O::Copysign => Real::CopySign,
        _ => return None,
    })
}

fn approximate(variant: &Variant, of: Type) -> Option<Approximate> {
    Some(match (variant.opcode, of) {
        (O::Rcp, Type::F64) => Approximate::ReciprocalDouble,
        (O::Rcp, Type::F32) => Approximate::Reciprocal,
        (O::Sqrt, Type::F32) => Approximate::SquareRoot,
        // With .ftz the lower half of the result is zero; without, it is refined to full width (PTX ISA, `rsqrt.approx.ftz.f64`, `rsqrt`).
        (O::Rsqrt, Type::F64) if variant.has(M::Ftz) => Approximate::ReciprocalSquareRootDouble,
        (O::Rsqrt, Type::F64) => Approximate::RefinedReciprocalSquareRoot,
        (O::Rsqrt, Type::F32) => Approximate::ReciprocalSquareRoot,
        (O::Sin, Type::F32) if variant.has(M::N2pi) => Approximate::SineOfTurns,
        (O::Cos, Type::F32) if variant.has(M::N2pi) => Approximate::CosineOfTurns,
        (O::Sin, Type::F32) => Approximate::Sine,
        (O::Cos, Type::F32) => Approximate::Cosine,
        (O::Lg2, Type::F32) => Approximate::Logarithm,
        (O::Ex2, Type::F32) => Approximate::Exponential,
        (O::Ex2, Type::F16) => Approximate::ExponentialF16,
        (O::Ex2, Type::F16x2) => Approximate::ExponentialF16x2,
        (O::Ex2, Type::Bf16) => Approximate::ExponentialBf16,
        (O::Ex2, Type::Bf16x2) => Approximate::ExponentialBf16x2,
        (O::Tanh, Type::F32) => Approximate::Tangent,
        (O::Tanh, Type::F16) => Approximate::TangentF16,
        (O::Tanh, Type::F16x2) => Approximate::TangentF16x2,
        (O::Tanh, Type::Bf16) => Approximate::TangentBf16,
        (O::Tanh, Type::Bf16x2) => Approximate::TangentBf16x2,
        (O::Div, Type::F32) => Approximate::Divide,
        (O::DivFull, Type::F32) => Approximate::DivideFull,
        _ => return None,
    })
}

impl Decoder<'_> {
    /// Floating-point instructions.
    pub(super) fn floats(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        let mut types = variant.types();
        let of = types.next()?;
        if !matches!(of.kind(), TypeKind::Float | TypeKind::Packed) {
            return None;
        }
        let narrow = types.next();
        let ftz = variant.has(M::Ftz);
        if matches!(variant.opcode, O::Min | O::Max) {
            return Some(self.extreme(variant, of, operands));
        }
        if variant.has(M::Approx) || variant.opcode == O::DivFull {
            let function = approximate(variant, of)?;
            return Some(self.compute((Function::Approximate { function, ftz }, [of; 3]), operands));
        }
        let operation = operation(variant.opcode)?;
        let modifiers = modifiers(variant);
        if let Some(narrow) = narrow {
            return Some(self.mixed(operation, narrow, modifiers, operands));
        }
        let plain = modifiers == Modifiers::default();
        let function = match (of, of.kind()) {
            (Type::F32, _) if plain => Function::Single(operation),
            (Type::F64, _) if plain => Function::Double(operation),
            (_, TypeKind::Packed) => Function::PackedReal {
                operation,
                format: format(of).ok()?,
                modifiers,
            },
            _ => Function::Real {
                operation,
                format: format(of).ok()?,
                modifiers,
            },
        };
        Some(self.compute((function, [of; 3]), operands))
    }

    fn mixed(&mut self, operation: Real, narrow: Type, modifiers: Modifiers, operands: &[Operand]) -> Decoded {
        let function = Function::Mixed {
            operation,
            narrow: format(narrow)?,
            modifiers,
        };
        let types = match operation {
            Real::MultiplyAdd => [narrow, narrow, Type::F32],
            _ => [narrow, Type::F32, Type::F32],
        };
        self.compute((function, types), operands)
    }

    fn extreme(&mut self, variant: &Variant, of: Type, operands: &[Operand]) -> Decoded {
        let maximum = variant.opcode == O::Max;
        let modifiers = MinMax {
            ftz: variant.has(M::Ftz),
            nan: variant.has(M::NaN),
            abs: variant.has(M::Abs),
            xorsign: variant.has(M::Xorsign),
        };
        let name: FormatName = format(of)?;
        let function = if of.kind() == TypeKind::Packed {
            Function::PackedExtreme {
                maximum,
                format: name,
                modifiers,
            }
        } else {
            Function::Extreme {
                maximum,
                format: name,
                modifiers,
                operands: operands.len() as u8 - 1,
            }
        };
        self.compute((function, [of; 3]), operands)
    }
}
