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
    code::{Op, Source},
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
            (None, None) if packed(to) && stochastic && sources.len() == 2 => {
                let conversion = Conversion::StochasticQuad {
                    to: format(to)?,
                    modifiers,
                };
                return self.convert_four(conversion, operands);
            }
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

    /// `d, {a, b, e, f}, rbits`: two values are put into one operand.
    fn convert_four(&mut self, conversion: Conversion, operands: &[Operand]) -> Decoded {
        let [d, values, random] = operands else {
            return Err(Unsupported);
        };
        let values = self.elements(values);
        let [a, b, e, f] = values.as_slice() else {
            return Err(Unsupported);
        };
        let (ab, ef) = (self.both([a, b])?, self.both([e, f])?);
        let random = self.value(random, Type::B32)?;
        let d = self.destination(d)?;
        self.push(Op::Compute {
            function: Function::Convert(conversion),
            d,
            a: ab,
            b: ef,
            c: random,
        });
        Ok(())
    }

    /// Two f32 in one value, the first in the lower half.
    fn both(&mut self, operands: [&Operand; 2]) -> Result<Source, Unsupported> {
        let d = self.temporary();
        for (operand, shift) in operands.into_iter().zip([0, 32]) {
            let a = self.value(operand, Type::F32)?;
            self.push(match shift {
                0 => Op::Extract { d, a, shift, bits: 32 },
                _ => Op::Insert { d, a, shift, bits: 32 },
            });
        }
        Ok(Source::slot(d))
    }

    fn pack_integers(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let to = variant.types().next().and_then(whole).ok_or(Unsupported)?;
        self.conversion(Conversion::Pack { to }, [Type::S32, Type::S32, Type::B32], operands)
    }
}
