//! `cvt` and `cvt.pack`.

use warpsmith_numerics::{
    convert::{Integer, Modifiers},
    round::Overflow,
};
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Class, Type, TypeKind},
};

use super::{Decoded, Decoder, M, O, Unsupported, float, integer::format};
use crate::ptx::{
    arithmetic::{Conversion, Function},
    code::Op,
};

fn modifiers(variant: &Variant) -> Modifiers {
    Modifiers {
        rounding: float::rounding(variant),
        ftz: variant.has(M::Ftz),
        clamp: float::clamp(variant),
        overflow: if variant.has(M::Satfinite) {
            Overflow::LargestFinite
        } else {
            Overflow::Infinity
        },
    }
}

fn whole(of: Type) -> Option<Integer> {
    matches!(of.kind(), TypeKind::Unsigned | TypeKind::Signed).then(|| Integer {
        bits: of.bits(),
        signed: of.kind() == TypeKind::Signed,
    })
}

impl Decoder<'_> {
    /// Conversions.
    pub(super) fn conversions(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        match variant.opcode {
            O::Cvt => Some(self.convert(variant, operands)),
            O::CvtPack => Some(self.pack_integers(variant, operands)),
            _ => None,
        }
    }

    fn convert(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let mut types = variant.types();
        let (to, from) = (types.next().ok_or(Unsupported)?, types.next().ok_or(Unsupported)?);
        let [d, sources @ ..] = operands else {
            return Err(Unsupported);
        };
        let modifiers = modifiers(variant);
        let width = self.width(d, to);
        let stochastic = variant.of_class(Class::Rounding) == Some(M::Rs);
        let packed = |of: Type| of.kind() == TypeKind::Packed;
        let conversion = match (whole(to), whole(from)) {
            (Some(to), Some(from)) => Conversion::Integer {
                from,
                to,
                saturate: variant.has(M::Sat),
                width,
            },
            (Some(to), None) => Conversion::FromFloat {
                from: format(from)?,
                to,
                modifiers,
                width,
            },
            (None, Some(from)) => Conversion::ToFloat {
                from,
                to: format(to)?,
                modifiers,
            },
            (None, None) if packed(to) && packed(from) => Conversion::Repack {
                from: format(from)?,
                to: format(to)?,
                modifiers,
            },
            (None, None) if packed(to) && stochastic && sources.len() == 3 => Conversion::StochasticPair {
                to: format(to)?,
                modifiers,
            },
            (None, None) if packed(to) && !stochastic && sources.len() == 2 => Conversion::Pair {
                to: format(to)?,
                modifiers,
            },
            (None, None) if packed(to) || packed(from) => return Err(Unsupported),
            (None, None) if to == Type::Tf32 => Conversion::Tf32 { modifiers },
            (None, None) if to == from => {
                let integral = matches!(
                    variant.of_class(Class::Rounding),
                    Some(M::Rni | M::Rzi | M::Rmi | M::Rpi)
                );
                if integral {
                    Conversion::Integral {
                        format: format(to)?,
                        modifiers,
                    }
                } else {
                    Conversion::Float {
                        from: format(from)?,
                        to: format(to)?,
                        modifiers,
                    }
                }
            }
            (None, None) => Conversion::Float {
                from: format(from)?,
                to: format(to)?,
                modifiers,
            },
        };
        self.conversion(conversion, [from, from, Type::B32], operands)
    }

    fn conversion(&mut self, conversion: Conversion, types: [Type; 3], operands: &[Operand]) -> Decoded {
        let [d, sources @ ..] = operands else {
            return Err(Unsupported);
        };
        let mut values = [self.constant(0); 3];
        for ((value, operand), of) in values.iter_mut().zip(sources).zip(types) {
            *value = self.value(operand, of)?;
        }
        let d = self.destination(d)?;
        let [a, b, c] = values;
        self.push(Op::Compute {
            function: Function::Convert(conversion),
            d,
            a,
            b,
            c,
        });
        Ok(())
    }

    fn pack_integers(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let to = variant.types().next().and_then(whole).ok_or(Unsupported)?;
        self.conversion(Conversion::Pack { to }, [Type::S32, Type::S32, Type::B32], operands)
    }
}
