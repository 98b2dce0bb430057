//! What intrinsics of devices do, by the parts of their names.

use warpsmith_numerics::approximate;
use warpsmith_numerics::convert::{self, round_to_integral};
use warpsmith_numerics::float::{self, MinMax, Modifiers};
use warpsmith_numerics::format::{BF16, F16, F32, F64, Format};
use warpsmith_numerics::round::Rounding;

use super::arithmetic::{self, float_to_int, int_to_float};
use super::memory::Region;
use super::thread::{Arrival, Effect, Thread, Vote};
use super::value::{Datum, lanes};
use super::{LOCAL_WINDOW, Machine, SHARED_WINDOW, Stop};
use crate::function::InstructionId;
use crate::instruction::Call;
use crate::integer::Integer;
use crate::intrinsic::Intrinsic;
use crate::types::Type;

impl<'m> Thread<'m> {
    pub(super) fn nvvm(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        id: InstructionId,
        intrinsic: Intrinsic,
        call: &Call,
        arguments: &[Datum],
    ) -> Result<Effect, Stop> {
        let name = intrinsic.name().trim_start_matches("llvm.nvvm.");
        let context = machine.module.context().clone();
        let data = context.function_data(call.ty);
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            return Ok(Effect::Value(self.special_register(register, data.result)?));
        }
        if name.starts_with("barrier") || name.starts_with("bar.") {
            return self.barrier(id, name, arguments);
        }
        if name.starts_with("ldg.") || name.starts_with("ldu.") {
            let (Some(address), Some(&pointer)) = (arguments.first(), data.parameters.first()) else {
                return Ok(Effect::Value(Datum::Poison));
            };
            return Ok(Effect::Value(self.load(
                machine,
                shared,
                pointer,
                address,
                data.result,
            )?));
        }
        if name.starts_with("membar.")
            || name.starts_with("fence.")
            || name.starts_with("prefetch")
            || name.starts_with("nanosleep")
        {
            return Ok(Effect::Value(Datum::void()));
        }
        if let Some(space) = name.strip_prefix("isspacep.") {
            let inside = |address: u64| {
                let window = |base: u64| (base..base + 0x1_0000_0000).contains(&address);
                match space {
                    "shared" | "shared.cluster" => window(SHARED_WINDOW),
                    "local" => window(LOCAL_WINDOW),
                    "global" => !window(SHARED_WINDOW) && !window(LOCAL_WINDOW),
                    _ => false,
                }
            };
            return Ok(Effect::Value(
                arguments
                    .first()
                    .and_then(Datum::low)
                    .map_or(Datum::Poison, |address| Datum::bool(inside(address))),
            ));
        }
        if name.starts_with("ptr.") {
            let (Some(value), Some(&from)) = (arguments.first(), data.parameters.first()) else {
                return Ok(Effect::Value(Datum::Poison));
            };
            let op = crate::opcode::CastOp::AddrSpaceCast;
            return Ok(Effect::Value(machine.cast(
                op,
                crate::opcode::Flags::NONE,
                from,
                data.result,
                value,
            )?));
        }
        let first = data.parameters.first().map_or(Type::Void, |&ty| context.scalar(ty));
        let result = context.scalar(data.result);
        let operands: Vec<&Datum> = arguments.iter().collect();
        lanes(&operands, &mut |scalars| {
            scalar(intrinsic, name, first, result, scalars)
        })
        .map(Effect::Value)
    }

    fn special_register(&self, register: &str, result: Type) -> Result<Datum, Stop> {
        let place = &self.place;
        let threads = place.launch.block;
        let linear = (u64::from(place.thread[2]) * u64::from(threads[1]) + u64::from(place.thread[1]))
            * u64::from(threads[0])
            + u64::from(place.thread[0]);
        let lane = linear % 32;
        let (name, axis) = match register.rsplit_once('.') {
            Some((name, "x")) => (name, 0),
            Some((name, "y")) => (name, 1),
            Some((name, "z")) => (name, 2),
            _ => (register, 0),
        };
        let value = match name {
            "tid" => u64::from(place.thread[axis]),
            "ntid" => u64::from(threads[axis]),
            "ctaid" => u64::from(place.block[axis]),
            "nctaid" => u64::from(place.launch.grid[axis]),
            "clusterid" => u64::from(place.block[axis]),
            "nclusterid" => u64::from(place.launch.grid[axis]),
            "cluster.ctaid" | "cluster.ctarank" => 0,
            "cluster.nctaid" | "cluster.nctarank" => 1,
            "laneid" => lane,
            "warpid" => linear / 32,
            "warpsize" => 32,
            "lanemask.eq" => 1 << lane,
            "lanemask.lt" => (1 << lane) - 1,
            "lanemask.le" => (2 << lane) - 1,
            "lanemask.gt" => 0xffff_ffff & !((2u64 << lane) - 1),
            "lanemask.ge" => 0xffff_ffff & !((1u64 << lane) - 1),
            "dynamic_smem_size" => place.launch.dynamic_shared,
            _ => return Err(Stop::unsupported(format!("the special register {register}"))),
        };
        Ok(Datum::int(result.int_bits().unwrap_or(32), value))
    }

    fn barrier(&self, id: InstructionId, name: &str, arguments: &[Datum]) -> Result<Effect, Stop> {
        if name == "bar.warp.sync" {
            // Threads run in turn; what one has stored the others see.
            return Ok(Effect::Value(Datum::void()));
        }
        let number = |index: usize| arguments.get(index).and_then(Datum::low);
        let (barrier, vote) = match name {
            "barrier0" => (0, None),
            "barrier0.popc" | "barrier0.and" | "barrier0.or" => {
                let Some(value) = number(0) else {
                    return Err(Stop::undefined("a barrier that reduces poison"));
                };
                let vote = match name {
                    "barrier0.popc" => Vote::Count,
                    "barrier0.and" => Vote::All,
                    _ => Vote::Any,
                };
                (0, Some((vote, value != 0)))
            }
            "barrier.n" | "bar.sync" | "barrier.sync" | "barrier.cta.sync.all" | "barrier.cta.sync.aligned.all" => {
                (number(0).unwrap_or(0), None)
            }
            "barrier.cta.red.and.aligned.all"
            | "barrier.cta.red.or.aligned.all"
            | "barrier.cta.red.popc.aligned.all" => {
                let Some(value) = number(1) else {
                    return Err(Stop::undefined("a barrier that reduces poison"));
                };
                let vote = match name {
                    "barrier.cta.red.popc.aligned.all" => Vote::Count,
                    "barrier.cta.red.and.aligned.all" => Vote::All,
                    _ => Vote::Any,
                };
                (number(0).unwrap_or(0), Some((vote, value & 1 == 1)))
            }
            _ => return Err(Stop::unsupported(format!("the barrier llvm.nvvm.{name}"))),
        };
        Ok(Effect::Wait(Arrival { at: id, barrier, vote }))
    }
}

/// The modifiers in a name.
struct Parts<'n> {
    operation: &'n str,
    rounding: Rounding,
    ftz: bool,
    saturate: bool,
    relu: bool,
    nan: bool,
    xorsign: bool,
    approximate: bool,
}

impl Parts<'_> {
    fn of(name: &str) -> Parts<'_> {
        let mut parts = Parts {
            operation: name.split('.').next().unwrap_or(name),
            rounding: Rounding::NearestEven,
            ftz: false,
            saturate: false,
            relu: false,
            nan: false,
            xorsign: false,
            approximate: false,
        };
        for part in name.split('.').skip(1) {
            match part {
                "rn" | "rni" => parts.rounding = Rounding::NearestEven,
                "rz" => parts.rounding = Rounding::TowardZero,
                "rm" => parts.rounding = Rounding::TowardNegative,
                "rp" => parts.rounding = Rounding::TowardPositive,
                "ftz" => parts.ftz = true,
                "sat" => parts.saturate = true,
                "relu" => parts.relu = true,
                "nan" => parts.nan = true,
                "xorsign" => parts.xorsign = true,
                "approx" | "full" => parts.approximate = true,
                _ => {}
            }
        }
        parts
    }

    fn modifiers(&self) -> Modifiers {
        let clamp = match (self.saturate, self.relu) {
            (true, _) => float::Clamp::Saturate,
            (_, true) => float::Clamp::Relu,
            _ => float::Clamp::None,
        };
        Modifiers {
            rounding: self.rounding,
            ftz: self.ftz,
            clamp,
            oob: false,
        }
    }

    fn conversion(&self) -> convert::Modifiers {
        convert::Modifiers {
            ftz: self.ftz,
            ..convert::Modifiers::from(self.rounding)
        }
    }
}

/// An intrinsic of scalars.
fn scalar(intrinsic: Intrinsic, name: &str, ty: Type, result: Type, operands: &[&Datum]) -> Result<Datum, Stop> {
    let words: Option<Vec<u64>> = operands.iter().map(|operand| operand.low()).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return if operands.is_empty() {
            Err(Stop::unsupported(intrinsic.name()))
        } else {
            Ok(Datum::Poison)
        };
    };
    // The halves of a double.
    match name {
        "d2i.lo" => return Ok(Datum::int(32, words[0])),
        "d2i.hi" => return Ok(Datum::int(32, words[0] >> 32)),
        _ => {}
    }
    let parts = Parts::of(name);
    let width = result
        .int_bits()
        .or_else(|| arithmetic::format(result).map(Format::width))
        .unwrap_or(64);
    let value = match arithmetic::format(ty) {
        Some(format) => float_operation(&parts, format, &words).or_else(|| float_conversion(&parts, format, &words)),
        None => integer_conversion(&parts, ty, &words).or_else(|| integer_operation(&parts, name, &words)),
    };
    value
        .map(|value| Datum::Bits(Integer::new(width, u128::from(value))))
        .ok_or_else(|| Stop::unsupported(intrinsic.name()))
}

fn float_operation(parts: &Parts<'_>, format: Format, words: &[u64]) -> Option<u64> {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let (a, b) = (word(0), word(1));
    let modifiers = parts.modifiers();
    let single = |value: u32| Some(u64::from(value));
    let flushed = |bits| if parts.ftz { format.flush(bits) } else { bits };
    if parts.approximate && format == F32 {
        let x = a as u32;
        return match parts.operation {
            "sqrt" => single(approximate::square_root(x, parts.ftz)),
            "rsqrt" => single(approximate::reciprocal_square_root(x, parts.ftz)),
            "rcp" => single(approximate::reciprocal(x, parts.ftz)),
            "div" => single(approximate::divide(x, b as u32, parts.ftz)),
            "sin" => single(approximate::sine(x)),
            "cos" => single(approximate::cosine(x)),
            "lg2" => single(approximate::logarithm(x, parts.ftz)),
            "ex2" => single(approximate::exponential(x, parts.ftz)),
            "tanh" => single(approximate::tangent(x)),
            _ => None,
        };
    }
    if parts.approximate {
        return match parts.operation {
            "rcp" if format == F64 => Some(approximate::reciprocal_f64(a)),
            "rsqrt" if format == F64 => Some(approximate::reciprocal_square_root_f64(a)),
            "ex2" if format == F16 => Some(u64::from(approximate::exponential_f16(a as u16))),
            "ex2" if format == BF16 => Some(u64::from(approximate::exponential_bf16(a as u16))),
            _ => None,
        };
    }
    let extreme = MinMax {
        ftz: parts.ftz,
        nan: parts.nan,
        abs: parts.xorsign,
        xorsign: parts.xorsign,
    };
    let integral = |rounding| {
        Some(round_to_integral(
            format,
            convert::Modifiers {
                ftz: parts.ftz,
                ..convert::Modifiers::from(rounding)
            },
            a,
        ))
    };
    match parts.operation {
        "add" => Some(float::add(format, modifiers, a, b)),
        "sub" => Some(float::sub(format, modifiers, a, b)),
        "mul" => Some(float::mul(format, modifiers, a, b)),
        "fma" => Some(float::fma(format, modifiers, a, b, word(2))),
        "div" => Some(arithmetic::divide(format, modifiers, a, b)),
        "rcp" => Some(float::rcp(format, modifiers, a)),
        "sqrt" => Some(arithmetic::square_root(format, modifiers, a)),
        "fmin" => Some(float::min(format, extreme, a, b)),
        "fmax" => Some(float::max(format, extreme, a, b)),
        "fabs" | "abs" => Some(flushed(a) & !format.sign_bit()),
        "neg" => Some(a ^ format.sign_bit()),
        "floor" => integral(Rounding::TowardNegative),
        "ceil" => integral(Rounding::TowardPositive),
        "trunc" => integral(Rounding::TowardZero),
        "round" => integral(Rounding::NearestEven),
        "saturate" => Some(float::clamp(format, float::Clamp::Saturate, flushed(a))),
        "move" => Some(a),
        _ => None,
    }
}

/// Conversions from floats, named `d2f`, `f2i`, `f2ull`, `bitcast.f2i` …
fn float_conversion(parts: &Parts<'_>, format: Format, words: &[u64]) -> Option<u64> {
    let a = words[0];
    let to_int = |width, signed| match float_to_int(
        format,
        width,
        signed,
        parts.rounding,
        if parts.ftz { format.flush(a) } else { a },
    ) {
        Datum::Bits(bits) => Some(bits.low_u64()),
        Datum::Poison | Datum::Composite(_) => None,
    };
    match parts.operation {
        "d2f" => Some(convert::float_to_float(F64, F32, parts.conversion(), a)),
        "f2h" => Some(convert::float_to_float(F32, F16, parts.conversion(), a)),
        "bitcast" => Some(a),
        "f2i" | "d2i" => to_int(32, true),
        "f2ui" | "d2ui" => to_int(32, false),
        "f2ll" | "d2ll" => to_int(64, true),
        "f2ull" | "d2ull" => to_int(64, false),
        _ => None,
    }
}

/// Conversions to floats, named `i2f`, `ull2d`, `h2f`, `lohi.i2d` …
fn integer_conversion(parts: &Parts<'_>, ty: Type, words: &[u64]) -> Option<u64> {
    let value = Integer::new(ty.int_bits()?, u128::from(words[0]));
    let to = |signed, format| Some(int_to_float(&value, signed, format, parts.rounding));
    match parts.operation {
        "i2f" | "ll2f" => to(true, F32),
        "ui2f" | "ull2f" => to(false, F32),
        "i2d" | "ll2d" => to(true, F64),
        "ui2d" | "ull2d" => to(false, F64),
        "h2f" => Some(convert::float_to_float(
            F16,
            F32,
            convert::Modifiers::default(),
            words[0],
        )),
        "bitcast" => Some(words[0]),
        "lohi" => Some(words[0] & 0xffff_ffff | words.get(1)? << 32),
        _ => None,
    }
}

fn integer_operation(parts: &Parts<'_>, name: &str, words: &[u64]) -> Option<u64> {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let (a, b) = (word(0), word(1));
    let (x, y) = (a as u32, b as u32);
    let signed = |value: u64| i64::from(value as i32);
    Some(match name {
        "mulhi.i" => ((signed(a) * signed(b)) >> 32) as u32 as u64,
        "mulhi.ui" => (u64::from(x) * u64::from(y)) >> 32,
        "mulhi.ll" => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
        "mulhi.ull" => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        "mul24.i" => warpsmith_numerics::integer::multiply24(
            warpsmith_numerics::integer::S32,
            warpsmith_numerics::integer::Part::Low,
            a,
            b,
        ),
        "mul24.ui" => warpsmith_numerics::integer::multiply24(
            warpsmith_numerics::integer::U32,
            warpsmith_numerics::integer::Part::Low,
            a,
            b,
        ),
        "sad.i" => u64::from(word(2) as u32).wrapping_add((signed(a) - signed(b)).unsigned_abs()) & 0xffff_ffff,
        "sad.ui" => u64::from(word(2) as u32).wrapping_add(u64::from(x.abs_diff(y))) & 0xffff_ffff,
        "brev32" => u64::from(x.reverse_bits()),
        "brev64" => a.reverse_bits(),
        "popc.i" => u64::from(x.count_ones()),
        "popc.ll" => u64::from(a.count_ones()),
        "clz.i" => u64::from(x.leading_zeros()),
        "clz.ll" => u64::from(a.leading_zeros()),
        "abs.i" => u64::from((x as i32).unsigned_abs()),
        "abs.ll" => (a as i64).unsigned_abs(),
        "max.i" => signed(a).max(signed(b)) as u64 & 0xffff_ffff,
        "min.i" => signed(a).min(signed(b)) as u64 & 0xffff_ffff,
        "max.ui" => u64::from(x.max(y)),
        "min.ui" => u64::from(x.min(y)),
        "max.ll" => (a as i64).max(b as i64) as u64,
        "min.ll" => (a as i64).min(b as i64) as u64,
        "max.ull" => a.max(b),
        "min.ull" => a.min(b),
        "prmt" => u64::from(warpsmith_numerics::integer::permute(
            x,
            y,
            word(2) as u32,
            warpsmith_numerics::integer::Permutation::Generic,
        )),
        "rotate.b32" => u64::from(x.rotate_left(y & 31)),
        "rotate.b64" => a.rotate_left(y & 63),
        "rotate.right.b64" => a.rotate_right(y & 63),
        "swap.lo.hi.b64" => a.rotate_left(32),
        "idp4a.s.s" | "idp4a.s.u" | "idp4a.u.s" | "idp4a.u.u" => {
            let sides = name.as_bytes();
            u64::from(warpsmith_numerics::dot::dp4a(
                x,
                y,
                word(2) as u32,
                sides[6] == b's',
                sides[8] == b's',
            ))
        }
        _ if parts.operation == "move" => a,
        _ => return None,
    })
}
