//! What intrinsics of all targets do.

use warpsmith_numerics::convert::{self, round_to_integral};
use warpsmith_numerics::float::{self, MinMax, Modifiers};
use warpsmith_numerics::round::Rounding;

use super::arithmetic::{self, float_to_int, format, overflows, square_root};
use super::memory::Region;
use super::thread::{Effect, Thread};
use super::value::{Datum, lanes};
use super::{Machine, Stop};
use crate::function::InstructionId;
use crate::instruction::Call;
use crate::integer::Integer;
use crate::intrinsic::Intrinsic;
use crate::opcode::{BinaryOp, Flags, IntPredicate};
use crate::types::{AddressSpace, Type};

impl<'m> Thread<'m> {
    /// Executes a call of an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        id: InstructionId,
        intrinsic: Intrinsic,
        call: &Call,
        arguments: &[Datum],
    ) -> Result<Effect, Stop> {
        use Intrinsic as I;
        let context = machine.module.context().clone();
        let data = context.function_data(call.ty);
        let first = data.parameters.first().copied().unwrap_or(Type::Void);
        let value = match intrinsic {
            I::Memcpy | I::MemcpyInline | I::Memmove | I::Memset | I::MemsetInline => {
                self.block_copy(machine, shared, intrinsic, &data.parameters, arguments)?
            }
            I::LifetimeStart | I::LifetimeEnd | I::InvariantEnd | I::Sideeffect | I::Donothing | I::Prefetch => {
                Datum::void()
            }
            I::Assume => match arguments.first().and_then(Datum::low) {
                Some(1) => Datum::void(),
                _ => return Err(Stop::undefined("assuming what is false")),
            },
            I::Trap | I::Ubsantrap => return Err(Stop::Trap),
            I::NvvmExit => return Ok(Effect::Exit),
            I::Debugtrap => Datum::void(),
            I::Expect
            | I::ExpectWithProbability
            | I::SsaCopy
            | I::ArithmeticFence
            | I::LaunderInvariantGroup
            | I::StripInvariantGroup
            | I::Annotation
            | I::PtrAnnotation => arguments.first().cloned().unwrap_or(Datum::Poison),
            I::IsConstant => Datum::bool(false),
            I::Objectsize => {
                let unknown = arguments.get(1).and_then(Datum::low).unwrap_or(0) == 1;
                let bits = data.result.int_bits().unwrap_or(64);
                Datum::Bits(if unknown {
                    Integer::zero(bits)
                } else {
                    Integer::ones(bits)
                })
            }
            I::Stacksave | I::NvvmStacksave => Datum::int(64, self.stack),
            I::Stackrestore | I::NvvmStackrestore => {
                if let Some(stack) = arguments.first().and_then(Datum::low)
                    && stack <= self.local.len()
                {
                    self.stack = stack;
                }
                Datum::void()
            }
            _ if intrinsic.name().starts_with("llvm.vector.reduce.") => {
                reduce(intrinsic, context.scalar(data.result), arguments)?
            }
            _ if intrinsic.name().starts_with("llvm.nvvm.") => {
                return self.nvvm(machine, shared, id, intrinsic, call, arguments);
            }
            _ if intrinsic.name().ends_with(".with.overflow") => with_overflow(intrinsic, arguments)?,
            _ => {
                let ty = context.scalar(first);
                let result = context.scalar(data.result);
                let operands: Vec<&Datum> = arguments.iter().collect();
                lanes(&operands, &mut |scalars| scalar(intrinsic, ty, result, scalars))?
            }
        };
        Ok(Effect::Value(value))
    }

    fn block_copy(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        intrinsic: Intrinsic,
        types: &[Type],
        arguments: &[Datum],
    ) -> Result<Datum, Stop> {
        let [target, source, size, ..] = arguments else {
            return Err(Stop::undefined("a copy without operands"));
        };
        let (Some(to), Some(size)) = (target.low(), size.low()) else {
            return Err(Stop::undefined("a copy at poison"));
        };
        if size == 0 {
            return Ok(Datum::void());
        }
        let space = |index: usize| {
            types
                .get(index)
                .and_then(|ty: &Type| ty.address_space())
                .unwrap_or_default()
        };
        let mut view = self.view(machine, shared);
        if matches!(intrinsic, Intrinsic::Memset | Intrinsic::MemsetInline) {
            let byte = source.low().map(|byte| byte as u8);
            view.slice(space(0), to, size)?.fill(byte);
            return Ok(Datum::void());
        }
        let Some(from) = source.low() else {
            return Err(Stop::undefined("a copy from poison"));
        };
        let bytes = view.slice(space(1), from, size)?.to_vec();
        view.slice(space(0), to, size)?.copy_from_slice(&bytes);
        Ok(Datum::void())
    }

    /// Loads that an intrinsic makes.
    pub(super) fn load(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        pointer: Type,
        address: &Datum,
        ty: Type,
    ) -> Result<Datum, Stop> {
        let Some(address) = address.low() else {
            return Err(Stop::undefined("an access at poison"));
        };
        let context = machine.module.context().clone();
        let space: AddressSpace = pointer.address_space().unwrap_or_default();
        self.view(machine, shared).load(&context, space, address, ty)
    }
}

fn with_overflow(intrinsic: Intrinsic, arguments: &[Datum]) -> Result<Datum, Stop> {
    let (op, signed) = match intrinsic {
        Intrinsic::SaddWithOverflow => (BinaryOp::Add, true),
        Intrinsic::UaddWithOverflow => (BinaryOp::Add, false),
        Intrinsic::SsubWithOverflow => (BinaryOp::Sub, true),
        Intrinsic::UsubWithOverflow => (BinaryOp::Sub, false),
        Intrinsic::SmulWithOverflow => (BinaryOp::Mul, true),
        _ => (BinaryOp::Mul, false),
    };
    let [left, right, ..] = arguments else {
        return Ok(Datum::Poison);
    };
    let part = |overflow: bool| {
        lanes(&[left, right], &mut |scalars: &[&Datum]| {
            let (Some(a), Some(b)) = (scalars[0].bits(), scalars[1].bits()) else {
                return Ok(Datum::Poison);
            };
            let result = match op {
                BinaryOp::Add => a.add(b),
                BinaryOp::Sub => a.sub(b),
                _ => a.mul(b),
            };
            Ok(if overflow {
                Datum::bool(overflows(op, a, b, &result, signed))
            } else {
                Datum::Bits(result)
            })
        })
    };
    Ok(Datum::Composite(vec![part(false)?, part(true)?]))
}

fn reduce(intrinsic: Intrinsic, ty: Type, arguments: &[Datum]) -> Result<Datum, Stop> {
    let name = intrinsic.name().trim_start_matches("llvm.vector.reduce.");
    let (start, vector) = match arguments {
        [start, vector] => (Some(start.clone()), vector),
        [vector] => (None, vector),
        _ => return Ok(Datum::Poison),
    };
    let Datum::Composite(elements) = vector else {
        return Ok(Datum::Poison);
    };
    let combine = |a: Datum, b: &Datum| -> Result<Datum, Stop> {
        if let Some(op) = BinaryOp::from_text(name) {
            return arithmetic::binary(op, Flags::NONE, ty, &a, b);
        }
        let (Some(x), Some(y)) = (a.bits(), b.bits()) else {
            return Ok(Datum::Poison);
        };
        let choose = |predicate| {
            Datum::Bits(if arithmetic::compare_integers(predicate, x, y) {
                x.clone()
            } else {
                y.clone()
            })
        };
        Ok(match name {
            "smax" => choose(IntPredicate::Sge),
            "smin" => choose(IntPredicate::Sle),
            "umax" => choose(IntPredicate::Uge),
            "umin" => choose(IntPredicate::Ule),
            "fmax" | "fmin" | "fmaximum" | "fminimum" => {
                extreme(ty, name.starts_with("fmax"), name.ends_with("imum"), x, y)
            }
            _ => return Err(Stop::unsupported(intrinsic.name())),
        })
    };
    let mut elements = elements.iter();
    let start = match start {
        Some(start) => start,
        None => elements.next().cloned().unwrap_or(Datum::Poison),
    };
    elements.try_fold(start, combine)
}

/// Minimum or maximum of floats; with `nan` a NaN wins.
pub(super) fn extreme(ty: Type, largest: bool, nan: bool, a: &Integer, b: &Integer) -> Datum {
    let Some(format) = format(ty) else { return Datum::Poison };
    let modifiers = MinMax {
        nan,
        ..MinMax::default()
    };
    let result = if largest {
        float::max(format, modifiers, a.low_u64(), b.low_u64())
    } else {
        float::min(format, modifiers, a.low_u64(), b.low_u64())
    };
    Datum::int(a.bits(), result)
}

/// An intrinsic of scalars; `ty` is the type of its first operand.
fn scalar(intrinsic: Intrinsic, ty: Type, result: Type, operands: &[&Datum]) -> Result<Datum, Stop> {
    let bits: Option<Vec<&Integer>> = operands.iter().map(|operand| operand.bits()).collect();
    let Some(bits) = bits.filter(|bits| !bits.is_empty()) else {
        return Ok(Datum::Poison);
    };
    match format(ty) {
        Some(_) => float_scalar(intrinsic, ty, result, &bits),
        None => integer_scalar(intrinsic, &bits),
    }
}

fn float_scalar(intrinsic: Intrinsic, ty: Type, result: Type, operands: &[&Integer]) -> Result<Datum, Stop> {
    use Intrinsic as I;
    let Some(format) = format(ty) else {
        return Ok(Datum::Poison);
    };
    let word = |index: usize| operands.get(index).map_or(0, |operand| operand.low_u64());
    let (a, b, c) = (word(0), word(1), word(2));
    let integral = |rounding| round_to_integral(format, convert::Modifiers::from(rounding), a);
    let value = match intrinsic {
        // Fused or not: fused is one of the allowed results, and what the machine does.
        I::Fma | I::Fmuladd => float::fma(format, Modifiers::default(), a, b, c),
        I::Sqrt => square_root(format, Modifiers::default(), a),
        I::Fabs => a & !format.sign_bit(),
        I::Floor => integral(Rounding::TowardNegative),
        I::Ceil => integral(Rounding::TowardPositive),
        I::Trunc => integral(Rounding::TowardZero),
        I::Rint | I::Nearbyint | I::Roundeven => integral(Rounding::NearestEven),
        I::Round => integral(Rounding::NearestAway),
        I::Canonicalize => float::add(format, Modifiers::default(), a, format.sign_bit()),
        I::Minnum | I::Minimumnum | I::Maxnum | I::Maximumnum | I::Minimum | I::Maximum => {
            let largest = matches!(intrinsic, I::Maxnum | I::Maximumnum | I::Maximum);
            return Ok(extreme(
                ty,
                largest,
                matches!(intrinsic, I::Minimum | I::Maximum),
                operands[0],
                operands.get(1).unwrap_or(&operands[0]),
            ));
        }
        I::Copysign => (a & !format.sign_bit()) | (b & format.sign_bit()),
        I::FptosiSat | I::FptouiSat => {
            let width = result.int_bits().unwrap_or(64);
            if format.is_nan(a) {
                return Ok(Datum::int(width, 0));
            }
            return Ok(float_to_int(
                format,
                width,
                intrinsic == I::FptosiSat,
                Rounding::TowardZero,
                a,
            ));
        }
        I::Lrint | I::Llrint => {
            return Ok(float_to_int(
                format,
                result.int_bits().unwrap_or(64),
                true,
                Rounding::NearestEven,
                a,
            ));
        }
        I::Lround | I::Llround => {
            return Ok(float_to_int(
                format,
                result.int_bits().unwrap_or(64),
                true,
                Rounding::NearestAway,
                a,
            ));
        }
        _ => return Err(Stop::unsupported(intrinsic.name())),
    };
    Ok(Datum::int(format.width(), value))
}

fn integer_scalar(intrinsic: Intrinsic, operands: &[&Integer]) -> Result<Datum, Stop> {
    use Intrinsic as I;
    let a = operands[0];
    let b = operands.get(1).copied().unwrap_or(a);
    let width = a.bits();
    let count = |number: u32| Datum::Bits(Integer::new(width, u128::from(number)));
    let choose = |predicate| {
        Datum::Bits(if arithmetic::compare_integers(predicate, a, b) {
            a.clone()
        } else {
            b.clone()
        })
    };
    let zero_is_poison = || a.is_zero() && b.is_one();
    Ok(match intrinsic {
        I::Ctpop => count(a.count_ones()),
        I::Ctlz if zero_is_poison() => Datum::Poison,
        I::Ctlz => count(a.leading_zeros()),
        I::Cttz if zero_is_poison() => Datum::Poison,
        I::Cttz => count(a.trailing_zeros()),
        I::Abs if b.is_one() && a.is_negative() && a.negated() == *a => Datum::Poison,
        I::Abs => Datum::Bits(a.magnitude()),
        I::Bswap => {
            let mut bytes = a.to_bytes();
            bytes.reverse();
            Datum::Bits(Integer::from_bytes(width, &bytes))
        }
        I::Bitreverse => Datum::Bits(a.reversed()),
        I::Fshl | I::Fshr => {
            let amount = operands.get(2).map_or(0, |amount| {
                amount
                    .divide_unsigned(&Integer::new(width, u128::from(width)))
                    .map_or(0, |(_, rest)| rest.low_u64())
            }) as u32;
            let wide = a.zero_extend(2 * width).shift_left(width).or(&b.zero_extend(2 * width));
            let moved = if intrinsic == I::Fshl {
                wide.shift_left(amount).shift_right(width)
            } else {
                wide.shift_right(amount)
            };
            Datum::Bits(moved.truncate(width))
        }
        I::Smin => choose(IntPredicate::Sle),
        I::Smax => choose(IntPredicate::Sge),
        I::Umin => choose(IntPredicate::Ule),
        I::Umax => choose(IntPredicate::Uge),
        I::SaddSat | I::SsubSat | I::UaddSat | I::UsubSat | I::SshlSat | I::UshlSat => saturating(intrinsic, a, b),
        I::ConvertFromFp16 => return Err(Stop::unsupported(intrinsic.name())),
        _ => return Err(Stop::unsupported(intrinsic.name())),
    })
}

fn saturating(intrinsic: Intrinsic, a: &Integer, b: &Integer) -> Datum {
    use Intrinsic as I;
    let width = a.bits();
    let signed = matches!(intrinsic, I::SaddSat | I::SsubSat | I::SshlSat);
    let op = match intrinsic {
        I::SaddSat | I::UaddSat => BinaryOp::Add,
        I::SsubSat | I::UsubSat => BinaryOp::Sub,
        _ => BinaryOp::Shl,
    };
    let result = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        _ => match b.to_u64() {
            Some(amount) if amount < u64::from(width) => a.shift_left(amount as u32),
            _ => return Datum::Poison,
        },
    };
    if !overflows(op, a, b, &result, signed) {
        return Datum::Bits(result);
    }
    let lowest = Integer::new(width, 1).shift_left(width - 1);
    Datum::Bits(match (signed, op) {
        (false, BinaryOp::Sub) => Integer::zero(width),
        (false, _) => Integer::ones(width),
        // The exact result has the sign of the first operand where a signed operation overflows.
        (true, _) if a.is_negative() => lowest,
        (true, _) => lowest.inverted(),
    })
}
