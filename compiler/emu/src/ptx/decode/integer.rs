//! Integer, logic and comparison instructions.

use warpsmith_numerics::{
    float::{Combine, Comparison, Property},
    integer::{self as numbers, Direction, Part, Permutation, Range},
};
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Class, Type, TypeKind},
};

use super::{Decoded, Decoder, M, O, Unsupported, first_type};
use crate::ptx::{
    arithmetic::{Bytes, Compare, FormatName, Function, Kind, Rare, Whole},
    code::{CarryIn, Op, Slot, Source, Test},
};

/// The integer type that a type of the text is computed in.
pub(super) fn kind(of: Type) -> Result<Kind, Unsupported> {
    let signed = of.kind() == TypeKind::Signed;
    Ok(match (of.kind(), of.bits(), signed) {
        (TypeKind::Float | TypeKind::Packed | TypeKind::Opaque | TypeKind::Predicate, ..) => return Err(Unsupported),
        (_, 16, false) => Kind::U16,
        (_, 16, true) => Kind::S16,
        (_, 32, false) => Kind::U32,
        (_, 32, true) => Kind::S32,
        (_, 64, false) => Kind::U64,
        (_, 64, true) => Kind::S64,
        _ => return Err(Unsupported),
    })
}

pub(super) fn range(variant: &Variant) -> Range {
    if variant.has(M::Clamp) {
        Range::Clamp
    } else {
        Range::Wrap
    }
}

/// How a float comparison is called, if it is one.
pub(super) fn float_comparison(modifier: M) -> Option<Comparison> {
    Some(match modifier {
        M::Eq => Comparison::Equal,
        M::Ne => Comparison::NotEqual,
        M::Lt => Comparison::Less,
        M::Le => Comparison::LessOrEqual,
        M::Gt => Comparison::Greater,
        M::Ge => Comparison::GreaterOrEqual,
        M::Equ => Comparison::EqualOrUnordered,
        M::Neu => Comparison::NotEqualOrUnordered,
        M::Ltu => Comparison::LessOrUnordered,
        M::Leu => Comparison::LessEqualOrUnordered,
        M::Gtu => Comparison::GreaterOrUnordered,
        M::Geu => Comparison::GreaterEqualOrUnordered,
        M::Num => Comparison::Numbers,
        M::Nan => Comparison::Unordered,
        _ => return None,
    })
}

pub(super) fn whole_comparison(modifier: M) -> Option<numbers::Comparison> {
    Some(match modifier {
        M::Eq => numbers::Comparison::Equal,
        M::Ne => numbers::Comparison::NotEqual,
        M::Lt | M::Lo => numbers::Comparison::Less,
        M::Le | M::Ls => numbers::Comparison::LessOrEqual,
        M::Gt | M::Hi => numbers::Comparison::Greater,
        M::Ge | M::Hs => numbers::Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// The format of a scalar floating type, and the element of a packed one.
pub(crate) fn format(of: Type) -> Result<FormatName, Unsupported> {
    Ok(match of {
        Type::F16 | Type::F16x2 => FormatName::F16,
        Type::Bf16 | Type::Bf16x2 => FormatName::Bf16,
        Type::Tf32 => FormatName::Tf32,
        Type::F32 | Type::F32x2 => FormatName::F32,
        Type::F64 => FormatName::F64,
        Type::E4m3 | Type::E4m3x2 | Type::E4m3x4 => FormatName::E4m3,
        Type::E5m2 | Type::E5m2x2 | Type::E5m2x4 => FormatName::E5m2,
        Type::E2m3 | Type::E2m3x2 | Type::E2m3x4 => FormatName::E2m3,
        Type::E3m2 | Type::E3m2x2 | Type::E3m2x4 => FormatName::E3m2,
        Type::E2m1 | Type::E2m1x2 | Type::E2m1x4 => FormatName::E2m1,
        Type::Ue8m0 | Type::Ue8m0x2 => FormatName::Ue8m0,
        _ => return Err(Unsupported),
    })
}

fn combine(variant: &Variant) -> Option<Combine> {
    if variant.has(M::And) {
        Some(Combine::And)
    } else if variant.has(M::Or) {
        Some(Combine::Or)
    } else if variant.has(M::Xor) {
        Some(Combine::Xor)
    } else {
        None
    }
}

fn permutation(variant: &Variant) -> Permutation {
    match variant.slot("mode") {
        Some(M::F4e) => Permutation::ForwardExtract,
        Some(M::B4e) => Permutation::BackwardExtract,
        Some(M::Rc8) => Permutation::ReplicateByte,
        Some(M::Ecl) => Permutation::EdgeClampLeft,
        Some(M::Ecr) => Permutation::EdgeClampRight,
        Some(M::Rc16) => Permutation::ReplicateHalf,
        _ => Permutation::Generic,
    }
}

/// A function and the types of its operands.
type Shape = (Function, [Type; 3]);

fn same(function: Function, of: Type) -> Shape {
    (function, [of; 3])
}

/// Operations whose mnemonic gives the function alone.
fn simple(variant: &Variant) -> Option<Result<Shape, Unsupported>> {
    let of = variant.types().next()?;
    let whole = |operation| kind(of).map(|kind| same(Function::Whole(operation, kind), of));
    let rare = |operation| Ok((Function::Rare(operation), [of, Type::U32, Type::U32]));
    let doubled = of.resized(of.bits() * 2).unwrap_or(of);
    let packed_signed = of == Type::S16x2;
    let packed = matches!(of, Type::U16x2 | Type::S16x2);
    let relu = variant.has(M::Relu);
    let saturate = variant.has(M::Sat);
    Some(match variant.opcode {
        _ if matches!(of, Type::U8x4 | Type::S8x4) => {
            let operation = match variant.opcode {
                O::Add => Bytes::Add { saturate },
                O::Sub => Bytes::Subtract { saturate },
                O::Min => Bytes::Minimum { relu },
                O::Max => Bytes::Maximum { relu },
                O::Neg => Bytes::Negate,
                _ => return None,
            };
            let signed = of == Type::S8x4;
            Ok(same(Function::Rare(Rare::Bytes { operation, signed }), of))
        }
        O::ClmadLo => Ok(same(Function::Rare(Rare::CarrylessMultiplyAdd { part: Part::Low }), of)),
        O::ClmadHi => Ok(same(
            Function::Rare(Rare::CarrylessMultiplyAdd { part: Part::High }),
            of,
        )),
        O::Add if packed => {
            let signed = packed_signed;
            Ok(same(Function::Rare(Rare::PairAdd { signed, saturate }), of))
        }
        O::Min if packed => Ok(same(
            Function::Rare(Rare::PairMinimum {
                signed: packed_signed,
                relu,
            }),
            of,
        )),
        O::Max if packed => Ok(same(
            Function::Rare(Rare::PairMaximum {
                signed: packed_signed,
                relu,
            }),
            of,
        )),
        O::Add if saturate => whole(Whole::AddSaturating),
        O::Sub if saturate => whole(Whole::SubtractSaturating),
        O::Add => whole(Whole::Add),
        O::Sub => whole(Whole::Subtract),
        O::MulLo => whole(Whole::MultiplyLow),
        O::MulHi => whole(Whole::MultiplyHigh),
        O::MulWide => whole(Whole::MultiplyWide),
        O::MadLo => whole(Whole::MultiplyAddLow),
        O::MadHi if saturate => Ok(same(Function::Rare(Rare::MultiplyAddHighSaturating), of)),
        O::MadHi => whole(Whole::MultiplyAddHigh),
        O::MadWide => kind(of).map(|kind| (Function::Whole(Whole::MultiplyAddWide, kind), [of, of, doubled])),
        O::Mul24Lo | O::Mul24Hi => kind(of).map(|kind| {
            let part = if variant.opcode == O::Mul24Lo {
                Part::Low
            } else {
                Part::High
            };
            same(Function::Rare(Rare::Multiply24 { part, kind }), of)
        }),
        O::Mad24Lo | O::Mad24Hi => kind(of).map(|kind| {
            let part = if variant.opcode == O::Mad24Lo {
                Part::Low
            } else {
                Part::High
            };
            same(Function::Rare(Rare::MultiplyAdd24 { part, kind, saturate }), of)
        }),
        O::Sad => whole(Whole::AbsoluteDifferenceSum),
        O::Div => whole(Whole::Divide),
        O::Rem => whole(Whole::Remainder),
        O::Abs => whole(Whole::Absolute),
        O::Neg => whole(Whole::Negate),
        O::Min if relu => Ok(same(Function::Rare(Rare::MinimumRelu), of)),
        O::Max if relu => Ok(same(Function::Rare(Rare::MaximumRelu), of)),
        O::Min => whole(Whole::Minimum),
        O::Max => whole(Whole::Maximum),
        O::And if of != Type::Pred => whole(Whole::And),
        O::Or if of != Type::Pred => whole(Whole::Or),
        O::Xor if of != Type::Pred => whole(Whole::Xor),
        O::Not if of != Type::Pred => whole(Whole::Not),
        O::Cnot => whole(Whole::IsZero),
        O::Shl => kind(of).map(|kind| (Function::Whole(Whole::ShiftLeft, kind), [of, Type::U32, of])),
        O::Shr => kind(of).map(|kind| (Function::Whole(Whole::ShiftRight, kind), [of, Type::U32, of])),
        O::Popc => kind(of).and_then(|kind| rare(Rare::CountOnes { kind })),
        O::Clz => kind(of).and_then(|kind| rare(Rare::LeadingZeros { kind })),
        O::Bfind => kind(of).and_then(|kind| {
            let shift_amount = variant.has(M::Shiftamt);
            rare(Rare::FindBit { kind, shift_amount })
        }),
        O::Brev => kind(of).and_then(|kind| rare(Rare::Reverse { kind })),
        O::Fns => rare(Rare::FindNth),
        O::Bfe => kind(of).and_then(|kind| rare(Rare::ExtractField { kind })),
        O::Bmsk => rare(Rare::BitMask { range: range(variant) }),
        O::Szext => kind(of).and_then(|kind| {
            let range = range(variant);
            rare(Rare::Extend { kind, range })
        }),
        O::ShfL | O::ShfR => {
            let direction = if variant.opcode == O::ShfL {
                Direction::Left
            } else {
                Direction::Right
            };
            rare(Rare::Funnel {
                direction,
                range: range(variant),
            })
        }
        O::Prmt => rare(Rare::Permute {
            mode: permutation(variant),
        }),
        O::Dp4a | O::Dp2aLo | O::Dp2aHi => {
            let mut types = variant.types().map(super::is_signed);
            let signed = [types.next()?, types.next()?];
            rare(match variant.opcode {
                O::Dp4a => Rare::Dp4a { signed },
                O::Dp2aLo => Rare::Dp2a { signed, high: false },
                _ => Rare::Dp2a { signed, high: true },
            })
        }
        _ => return None,
    })
}

impl Decoder<'_> {
    /// Integer, logic and comparison instructions.
    pub(super) fn integers(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        let of = variant.types().next();
        let whole = of.is_some_and(|of| matches!(of.kind(), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed))
            || matches!(of, Some(Type::U16x2 | Type::S16x2 | Type::U8x4 | Type::S8x4));
        if variant.has(M::Cc) || matches!(variant.opcode, O::Addc | O::Subc | O::MadcLo | O::MadcHi) {
            return Some(self.carry(variant, operands));
        }
        if whole && let Some(shape) = simple(variant) {
            return Some(shape.and_then(|shape| self.compute(shape, operands)));
        }
        Some(match variant.opcode {
            O::And | O::Or | O::Xor | O::Not if of == Some(Type::Pred) => self.predicate_logic(variant, operands),
            O::Setp => self.set_predicate(variant, operands),
            O::Set => self.set(variant, operands),
            O::Selp => self.select(variant, operands),
            O::Slct => self.select_by_sign(variant, operands),
            O::Testp => self.test_property(variant, operands),
            O::Bfi => self.insert_field(variant, operands),
            O::Lop3 => self.lop3(variant, operands),
            _ => return None,
        })
    }

    /// `d, a{, b{, c}}`
    pub(super) fn compute(&mut self, (function, types): Shape, operands: &[Operand]) -> Decoded {
        let [d, sources @ ..] = operands else {
            return Err(Unsupported);
        };
        let mut values = [self.constant(0); 3];
        for ((value, operand), of) in values.iter_mut().zip(sources).zip(types) {
            *value = self.value(operand, of)?;
        }
        let d = self.destination(d)?;
        let [a, b, c] = values;
        self.push(Op::Compute { function, d, a, b, c });
        Ok(())
    }

    fn carry(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let saturate = variant.has(M::Sat);
        let (operation, input) = match variant.opcode {
            O::Add => (Whole::Add, CarryIn::Clear),
            O::Addc if saturate => (Whole::AddSaturating, CarryIn::Flag),
            O::Addc => (Whole::Add, CarryIn::Flag),
            O::Sub => (Whole::Subtract, CarryIn::Set),
            O::Subc if saturate => (Whole::SubtractSaturating, CarryIn::Flag),
            O::Subc => (Whole::Subtract, CarryIn::Flag),
            O::MadLo => (Whole::MultiplyAddLow, CarryIn::Clear),
            O::MadHi => (Whole::MultiplyAddHigh, CarryIn::Clear),
            O::MadcLo => (Whole::MultiplyAddLow, CarryIn::Flag),
            O::MadcHi if !saturate => (Whole::MultiplyAddHigh, CarryIn::Flag),
            _ => return Err(Unsupported),
        };
        let function = Function::Whole(operation, kind(of)?);
        let [d, sources @ ..] = operands else {
            return Err(Unsupported);
        };
        let mut values = [self.constant(0); 3];
        for (value, operand) in values.iter_mut().zip(sources) {
            *value = self.value(operand, of)?;
        }
        let d = self.destination(d)?;
        let [a, b, c] = values;
        self.push(Op::Carry {
            function,
            input,
            writes: variant.has(M::Cc),
            d,
            a,
            b,
            c,
        });
        Ok(())
    }

    fn predicate_logic(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [p, a, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (p, a) = (self.predicate(p)?, self.test(a)?);
        let (combine, a, b) = match (variant.opcode, rest) {
            (O::Not, _) => (
                Combine::And,
                Test {
                    negated: !a.negated,
                    ..a
                },
                Test::ALWAYS,
            ),
            (O::And, [b]) => (Combine::And, a, self.test(b)?),
            (O::Or, [b]) => (Combine::Or, a, self.test(b)?),
            (_, [b]) => (Combine::Xor, a, self.test(b)?),
            _ => return Err(Unsupported),
        };
        self.push(Op::Logic { combine, p, a, b });
        Ok(())
    }

    /// The comparison of `set` and `setp`, and whether it is of two lanes.
    fn comparison(variant: &Variant, of: Type) -> Result<(Compare, bool), Unsupported> {
        let modifier = variant.of_class(Class::Comparison).or_else(|| {
            // `hi` and `lo` belong to another class.
            variant
                .modifiers
                .iter()
                .flatten()
                .copied()
                .find(|m| matches!(m, M::Hi | M::Lo))
        });
        let modifier = modifier.ok_or(Unsupported)?;
        if matches!(of.kind(), TypeKind::Float | TypeKind::Packed) {
            let comparison = float_comparison(modifier).ok_or(Unsupported)?;
            let compare = Compare::Real {
                comparison,
                format: format(of)?,
                ftz: variant.has(M::Ftz),
            };
            return Ok((compare, of.kind() == TypeKind::Packed));
        }
        let comparison = whole_comparison(modifier).ok_or(Unsupported)?;
        Ok((Compare::Whole(comparison, kind(of)?), false))
    }

    fn combination(&mut self, variant: &Variant, rest: &[Operand]) -> Result<Option<(Combine, Test)>, Unsupported> {
        match (combine(variant), rest) {
            (Some(combine), [c]) => Ok(Some((combine, self.test(c)?))),
            (None, []) => Ok(None),
            _ => Err(Unsupported),
        }
    }

    fn set_predicate(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a, b, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (compare, packed) = Self::comparison(variant, of)?;
        let (p, q) = self.pair(d);
        let (p, q) = (self.predicate(&p)?, self.predicate(&q)?);
        let (a, b) = (self.value(a, of)?, self.value(b, of)?);
        let combine = self.combination(variant, rest)?;
        self.push(if packed {
            Op::ComparePacked {
                compare,
                p,
                q,
                a,
                b,
                combine,
            }
        } else {
            Op::Compare {
                compare,
                p,
                q,
                a,
                b,
                combine,
            }
        });
        Ok(())
    }

    fn set(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let mut types = variant.types();
        let (to, of) = (types.next().ok_or(Unsupported)?, types.next().ok_or(Unsupported)?);
        let [d, a, b, rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (compare, packed) = Self::comparison(variant, of)?;
        // Of a packed comparison each half of the result is a truth value of its lane.
        let truth = match to {
            Type::F16 | Type::F16x2 => 0x3c00,
            Type::Bf16 | Type::Bf16x2 => 0x3f80,
            Type::F32 => 0x3f80_0000,
            _ if packed => 0xffff,
            _ => crate::ptx::arithmetic::truncated(u64::MAX, to.bits()),
        };
        let d = self.destination(d)?;
        let (a, b) = (self.value(a, of)?, self.value(b, of)?);
        let combine = self.combination(variant, rest)?;
        let lanes = if packed { 2 } else { 1 };
        self.push(Op::Set {
            compare,
            d,
            truth,
            lanes,
            a,
            b,
            combine,
        });
        Ok(())
    }

    fn select(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a, b, c] = operands else {
            return Err(Unsupported);
        };
        let (a, b, c) = (self.value(a, of)?, self.value(b, of)?, self.test(c)?);
        let d = self.destination(d)?;
        self.push(Op::Select { d, a, b, c });
        Ok(())
    }

    fn select_by_sign(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let mut types = variant.types();
        let (of, sign) = (types.next().ok_or(Unsupported)?, types.next().ok_or(Unsupported)?);
        let function = Function::Rare(if sign == Type::F32 {
            Rare::SelectByFloat {
                ftz: variant.has(M::Ftz),
            }
        } else {
            Rare::SelectByInteger
        });
        self.compute((function, [of, of, sign]), operands)
    }

    fn test_property(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [p, a] = operands else { return Err(Unsupported) };
        let property = match variant.of_class(Class::Test) {
            Some(M::Finite) => Property::Finite,
            Some(M::Infinite) => Property::Infinite,
            Some(M::Number) => Property::Number,
            Some(M::Notanumber) => Property::NotANumber,
            Some(M::Normal) => Property::Normal,
            Some(M::Subnormal) => Property::Subnormal,
            _ => return Err(Unsupported),
        };
        let p = self.predicate(p)?;
        let a = self.value(a, of)?;
        let format = format(of)?;
        self.push(Op::TestProperty { format, property, p, a });
        Ok(())
    }

    /// `bfi d, a, b, position, length`: position and length are put into one operand.
    fn insert_field(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a, b, position, length] = operands else {
            return Err(Unsupported);
        };
        let (a, b) = (self.value(a, of)?, self.value(b, of)?);
        let (position, length) = (self.value(position, Type::U32)?, self.value(length, Type::U32)?);
        let both: Slot = self.temporary();
        self.push(Op::Extract {
            d: both,
            a: position,
            shift: 0,
            bits: 8,
        });
        self.push(Op::Insert {
            d: both,
            a: length,
            shift: 8,
            bits: 8,
        });
        let d = self.destination(d)?;
        let function = Function::Rare(Rare::InsertField { kind: kind(of)? });
        self.push(Op::Compute {
            function,
            d,
            a,
            b,
            c: Source::slot(both),
        });
        Ok(())
    }

    fn lop3(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, b, c, Operand::Integer(table, _), rest @ ..] = operands else {
            return Err(Unsupported);
        };
        let (d, p) = self.pair(d);
        let function = Function::Rare(Rare::Lop3 { table: *table as u8 });
        let (a, b, c) = (
            self.value(a, Type::B32)?,
            self.value(b, Type::B32)?,
            self.value(c, Type::B32)?,
        );
        let result = self.temporary();
        self.push(Op::Compute {
            function,
            d: result,
            a,
            b,
            c,
        });
        let d = self.destination(&d)?;
        if let (Some(combine), [q]) = (combine(variant), rest) {
            let (p, q) = (self.predicate(&p)?, self.test(q)?);
            self.push(Op::NonZero {
                p,
                a: Source::slot(result),
                combine,
                q,
            });
        }
        self.push(Op::Move {
            d,
            a: Source::slot(result),
        });
        Ok(())
    }
}
