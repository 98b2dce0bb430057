//! Single-precision arithmetic, and what the families of floating point share.

use rustc_hash::FxHashSet;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Body, Module, Operand, Statement},
    table::{Modifier as M, Opcode, Type, TypeKind},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, Stop, UNSUPPORTED, operand::first_type, steps::select};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute, negated},
};

/// Truth table of `LOP3` for the bits of the first operand, with those of the third where the second has ones.
pub(super) const MERGE: u32 = 0xb8;
/// The sign bit of the word that has it.
pub(super) const SIGN: u32 = 1 << 31;
/// 2^24, 2^-12, 2^12, 1/4, 1/2 and 1 as f32.
const LIFT: u32 = 0x4b80_0000;
const HALF_LOWER: u32 = 0x3980_0000;
const HALF_LIFT: u32 = 0x4580_0000;
const QUARTER: u32 = 0x3e80_0000;
const HALF: u32 = 0x3f00_0000;
const ONE: u32 = 0x3f80_0000;
/// The smallest normal f32.
const SMALLEST_NORMAL: u32 = 0x0080_0000;
/// The magnitude of f32 from above which a reciprocal is subnormal: 2^126.
const LARGE: u32 = 0x7e80_0000;
/// 1/2π as the PTX approximations have it.
const REVOLUTIONS_PER_RADIAN: u32 = 0x3e22_f983;

/// Whether a product or sum says nothing of rounding: PTX lets it become part of an operation that rounds once.
pub(super) fn may_contract(variant: &Variant) -> bool {
    ![M::Rn, M::Rz, M::Rm, M::Rp].iter().any(|mode| variant.has(*mode))
}

/// The text of a rounding modifier.
pub(super) fn rounding(variant: &Variant) -> &'static str {
    if variant.has(M::Rz) {
        "RZ"
    } else if variant.has(M::Rm) {
        "RM"
    } else if variant.has(M::Rp) {
        "RP"
    } else {
        ""
    }
}

/// The text of the modifier for subnormal values of multiplications.
pub(super) fn flushing(flushes: bool) -> &'static str {
    if flushes { "FTZ" } else { "" }
}

/// What is done with the operand of an approximation that the unit would flush to zero, and with its result.
struct Scaling {
    operand: u32,
    result: (O, u32),
}

impl Lowering<'_> {
    /// Floating point.
    pub(super) fn floats(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        let of = variant.types().next()?;
        let last = variant.types().last()?;
        let is_float =
            |of: Type| matches!(of.kind(), TypeKind::Float) || matches!(of, Type::F16x2 | Type::Bf16x2 | Type::F32x2);
        match variant.opcode {
            Opcode::Cvt => return Some(self.convert(variant, operands)),
            Opcode::CvtPack => return Some(self.convert_pack(variant, operands)),
            Opcode::Set if is_float(last) => return Some(self.set_float(variant, operands)),
            Opcode::Slct if is_float(of) || is_float(last) => {
                return Some(self.select_by_float_sign(variant, operands));
            }
            _ if !is_float(of) => return None,
            _ => {}
        }
        Some(match variant.opcode {
            Opcode::Setp => self.compare_floats(variant, operands),
            Opcode::Selp => self.select_floats(variant, operands),
            Opcode::Testp => self.test_property(variant, operands),
            Opcode::Copysign => self.copy_sign(variant, operands),
            Opcode::Div | Opcode::DivFull | Opcode::Rcp | Opcode::Sqrt if !is_approximate(variant) => {
                self.divide_exactly(variant, operands)
            }
            Opcode::Div | Opcode::DivFull | Opcode::Rcp | Opcode::Sqrt | Opcode::Rsqrt => {
                self.approximate(variant, operands)
            }
            Opcode::Sin | Opcode::Cos | Opcode::Lg2 | Opcode::Ex2 | Opcode::Tanh => self.approximate(variant, operands),
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Fma | Opcode::Mad => match of {
                Type::F32 if variant.types().count() == 2 => self.add_mixed(variant, operands),
                Type::F32 => self.single(variant, operands),
                Type::F32x2 => self.single_pair(variant, operands),
                Type::F64 => self.double(variant, operands),
                _ => self.half(variant, operands),
            },
            Opcode::Min | Opcode::Max => match of {
                Type::F32 => self.extreme_of_singles(variant, operands),
                Type::F64 => self.extreme_of_doubles(variant, operands),
                _ => self.extreme_of_halves(variant, operands),
            },
            Opcode::Abs | Opcode::Neg => match of {
                Type::F32 => self.change_sign(variant, operands),
                Type::F64 => self.change_sign_of_double(variant, operands),
                _ => self.change_sign_of_halves(variant, operands),
            },
            _ => return None,
        })
    }

    /// Appends the first of two requests that the generation has an encoding for.
    pub(super) fn emit_either(&mut self, first: Request, second: Request) -> Lowered {
        self.emit_bare(first).or_else(|_| self.emit_bare(second))
    }

    /// A copy of a word.
    pub(super) fn copy_word(&mut self, source: impl Into<Source>) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).to(to).from(source))?;
        Ok(to)
    }

    /// The last step: the value under the instruction's guard into its destination, of which words above the value become zero.
    pub(super) fn deliver_float(&mut self, operand: Option<&Operand>, value: Register) -> Lowered {
        let to = self.destination(operand)?;
        let (have, want) = (self.function.info(value).words, self.function.info(to).words);
        for word in 0..want {
            let source: Source = if word < have {
                value.word(word).into()
            } else {
                Value::Zero.into()
            };
            self.emit(Request::new(O::Mov).to(to.word(word)).from(source))?;
        }
        Ok(())
    }

    /// `FSETP` or `DSETP` of two values, ANDed with a test; f32 without flushing.
    pub(super) fn compares(
        &mut self,
        double: bool,
        cmp: &'static str,
        a: impl Into<Source>,
        b: impl Into<Source>,
        also: impl Into<Test>,
    ) -> Lowered<Register> {
        let p = self.predicate();
        self.emit_bare(
            Request::new(if double { O::Dsetp } else { O::Fsetp })
                .sets(F::Pu, p)
                .from(a)
                .from(b)
                .text(F::Cmp, cmp)
                .text(F::Combine, "AND")
                .when(F::Pp, also),
        )?;
        Ok(p)
    }

    /// add, sub, mul, fma and mad of f32.
    fn single(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let request = self.single_request(variant, operands, 0)?;
        self.emit(request.to(to))
    }

    /// The instruction for one element of f32 or f32x2, without destination.
    fn single_request(&mut self, variant: &Variant, operands: &[Operand], word: u8) -> Lowered<Request> {
        let of = first_type(variant)?;
        let mut sources = Vec::new();
        for operand in operands.get(1..).ok_or(UNSUPPORTED)? {
            sources.push(self.word(Some(operand), of, word)?);
        }
        let flushes = variant.has(M::Ftz);
        let (opcode, count) = match variant.opcode {
            Opcode::Add | Opcode::Sub => (O::Fadd, 2),
            Opcode::Mul => (O::Fmul, 2),
            _ => (O::Ffma, 3),
        };
        let [a, b, ..] = sources[..] else {
            return Err(UNSUPPORTED);
        };
        if sources.len() != count || variant.has(M::Relu) {
            return Err(UNSUPPORTED);
        }
        let b = if variant.opcode == Opcode::Sub { negated(b) } else { b };
        // Immediates stand second.
        let (a, b) = match (a.value, b.value) {
            (Value::Immediate(_), Value::Register(_)) => (b, a),
            _ => (a, b),
        };
        let mut request = Request::new(opcode)
            .from(a)
            .from(b)
            .text(F::Round, rounding(variant))
            .flag(F::Sat, variant.has(M::Sat))
            .contractible(may_contract(variant));
        if let Some(c) = sources.get(2) {
            request = request.from(*c);
        }
        Ok(if opcode == O::Fadd {
            request.flag(F::Ftz, flushes)
        } else {
            request.text(F::Denormal, flushing(flushes))
        })
    }

    /// The same of f32x2: one instruction where the generation has it.
    fn single_pair(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        if !self.selector.has(O::Fadd2) {
            let value = self.temporary(2);
            for word in 0..2 {
                let request = self.single_request(variant, operands, word)?;
                self.emit_bare(request.to(value.word(word)))?;
            }
            return self.deliver_float(operands.first(), value);
        }
        let (opcode, flags): (O, &[F]) = match variant.opcode {
            Opcode::Add | Opcode::Sub => (O::Fadd2, &[F::APair, F::CPair]),
            Opcode::Mul => (O::Fmul2, &[F::APair, F::BPair]),
            _ => (O::Ffma2, &[F::APair, F::BPair, F::CPair]),
        };
        if variant.has(M::Sat) || operands.len() != flags.len() + 1 {
            return Err(UNSUPPORTED);
        }
        let mut request = Request::new(opcode)
            .to(to)
            .text(F::Round, rounding(variant))
            .contractible(may_contract(variant));
        for (index, operand) in operands.iter().enumerate().skip(1) {
            let source: Source = self.in_register(Some(operand), Type::F32x2)?.into();
            let minus = variant.opcode == Opcode::Sub && index == 2;
            request = request.from(if minus { negated(source) } else { source });
        }
        for field in flags {
            request = request.text(*field, "F32x2.HI_LO");
        }
        let flushes = variant.has(M::Ftz);
        self.emit(if opcode == O::Fadd2 {
            request.flag(F::Ftz, flushes)
        } else {
            request.text(F::Denormal, flushing(flushes))
        })
    }

    /// add, sub and fma of f32 with operands of f16 or bf16.
    fn add_mixed(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let narrow = variant.types().last().ok_or(UNSUPPORTED)?;
        let to = self.destination(operands.first())?;
        if variant.has(M::Ftz) {
            return Err(UNSUPPORTED);
        }
        let a = self.in_register(operands.get(1), narrow)?;
        let request = match (variant.opcode, operands) {
            (Opcode::Add | Opcode::Sub, [_, _, c]) => {
                let c: Source = self.in_register(Some(c), Type::F32)?.into();
                let minus = variant.opcode == Opcode::Sub;
                Request::new(O::Fhadd).from(a).from(if minus { negated(c) } else { c })
            }
            (Opcode::Fma, [_, _, b, c]) => {
                let b = self.in_register(Some(b), narrow)?;
                let c = self.in_register(Some(c), Type::F32)?;
                Request::new(O::Fhfma).from(a).from(b).from(c)
            }
            _ => return Err(UNSUPPORTED),
        };
        self.emit(
            request
                .to(to)
                .flag(F::Bf16, narrow == Type::Bf16)
                .text(F::Round, rounding(variant))
                .flag(F::Sat, variant.has(M::Sat)),
        )
    }

    /// min and max of two or three values.
    fn extreme_of_singles(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let mut sources = Vec::new();
        for operand in operands.get(1..).ok_or(UNSUPPORTED)? {
            // An immediate has lost the sign that `.xorsign` wants.
            let source: Source = if variant.has(M::Xorsign) {
                self.in_register(Some(operand), Type::F32)?.into()
            } else {
                self.source(Some(operand), Type::F32)?
            };
            sources.push(if variant.has(M::Abs) { absolute(source) } else { source });
        }
        let choice = if variant.opcode == Opcode::Min {
            Test::ALWAYS
        } else {
            Test::NEVER
        };
        let fill = |request: Request| {
            request
                .flag(F::Ftz, variant.has(M::Ftz))
                .flag(F::Nan, variant.has(M::NaN))
                .flag(F::Xorsign, variant.has(M::Xorsign))
                .when(F::Pp, choice)
        };
        match sources[..] {
            [a, b] => self.emit(fill(Request::new(O::Fmnmx).to(to).from(a).from(b))),
            [a, b, c] if self.selector.has(O::Fmnmx3) => {
                self.emit(fill(Request::new(O::Fmnmx3).to(to).from(a).from(b).from(c)))
            }
            [a, b, c] => {
                let first = self.temporary(1);
                self.emit_bare(fill(Request::new(O::Fmnmx).to(first).from(a).from(b)))?;
                self.emit(fill(Request::new(O::Fmnmx).to(to).from(first).from(c)))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// abs and neg of f32: without `.ftz` a NaN keeps its payload.
    fn change_sign(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let a = self.source(operands.get(1), Type::F32)?;
        let is_abs = variant.opcode == Opcode::Abs;
        if !variant.has(M::Ftz) {
            return self.emit(sign_request(is_abs, a).to(to));
        }
        let a: Source = self.in_register(operands.get(1), Type::F32)?.into();
        let a = if is_abs { absolute(a) } else { negated(a) };
        self.emit(
            Request::new(O::Fadd)
                .to(to)
                .from(a)
                .from(negated(Value::Zero))
                .flag(F::Ftz, true),
        )
    }

    /// `copysign`: the magnitude of the second operand with the sign of the first.
    fn copy_sign(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let words = super::words(of);
        let value = self.temporary(words);
        for word in 0..words {
            let magnitude = self.word(operands.get(2), of, word)?;
            let request = if word + 1 == words {
                let sign = self.word(operands.get(1), of, word)?;
                merge(magnitude, SIGN, sign)
            } else {
                Request::new(O::Mov).from(magnitude)
            };
            self.emit_bare(request.to(value.word(word)))?;
        }
        self.deliver_float(operands.first(), value)
    }

    /// Approximations.
    fn approximate(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        match first_type(variant)? {
            Type::F32 => self.approximate_single(variant, operands),
            Type::F64 => self.approximate_double(variant, operands),
            _ => self.approximate_halves(variant, operands),
        }
    }

    /// `MUFU` of a register.
    pub(super) fn special_function(
        &mut self,
        name: &'static str,
        to: impl Into<crate::select::Word>,
        a: impl Into<Source>,
    ) -> Lowered {
        self.emit_bare(Request::new(O::Mufu).to(to).from(a).text(F::Function, name))
    }

    /// `FMUL` of two values to nearest.
    fn multiply_singles(&mut self, to: Register, a: impl Into<Source>, b: impl Into<Source>, flushes: bool) -> Lowered {
        self.emit_bare(
            Request::new(O::Fmul)
                .to(to)
                .from(a)
                .from(b)
                .text(F::Denormal, flushing(flushes)),
        )
    }

    fn approximate_single(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let flushes = variant.has(M::Ftz);
        let result = self.temporary(1);
        let lift = |result| Some(Scaling { operand: LIFT, result });
        let (name, scaling) = match variant.opcode {
            Opcode::Div | Opcode::DivFull => return self.divide_approximately(variant, operands),
            Opcode::Rcp if !flushes => {
                self.reciprocal(result, operands)?;
                return self.deliver_float(operands.first(), result);
            }
            Opcode::Sin if variant.has(M::N2pi) => ("SIN", None),
            Opcode::Cos if variant.has(M::N2pi) => ("COS", None),
            Opcode::Sin | Opcode::Cos => {
                let a = self.source(operands.get(1), Type::F32)?;
                let turns = self.temporary(1);
                let factor = Value::Immediate(REVOLUTIONS_PER_RADIAN);
                self.emit_bare(
                    Request::new(O::Fmul)
                        .to(turns)
                        .from(a)
                        .from(factor)
                        .text(F::Round, "RZ"),
                )?;
                let name = if variant.opcode == Opcode::Sin { "SIN" } else { "COS" };
                self.special_function(name, result, turns)?;
                return self.deliver_float(operands.first(), result);
            }
            Opcode::Rcp => ("RCP", None),
            Opcode::Sqrt => ("SQRT", lift((O::Fmul, HALF_LOWER))),
            Opcode::Rsqrt => ("RSQ", lift((O::Fmul, HALF_LIFT))),
            Opcode::Lg2 => ("LG2", lift((O::Fadd, 0xc1c0_0000))),
            Opcode::Ex2 => (
                "EX2",
                Some(Scaling {
                    operand: HALF,
                    result: (O::Nop, 0),
                }),
            ),
            Opcode::Tanh => ("TANH", None),
            _ => return Err(UNSUPPORTED),
        };
        let a = self.in_register(operands.get(1), Type::F32)?;
        let Some(scaling) = scaling.filter(|_| !flushes) else {
            self.special_function(name, result, a)?;
            return self.deliver_float(operands.first(), result);
        };
        // 2^x is squared from that of half the operand where it may be subnormal; others scale subnormal operands.
        let small = if name == "EX2" {
            self.compares(false, "LT", a, Value::Immediate(0xc2fc_0000), Test::ALWAYS)?
        } else {
            self.exceeds(a, "LT", SMALLEST_NORMAL)?
        };
        let scaled = self.scaled_where(small, a, scaling.operand, false)?;
        self.special_function(name, result, scaled)?;
        let (opcode, with) = scaling.result;
        let other = self.step(match opcode {
            O::Nop => Request::new(O::Fmul).from(result).from(result),
            _ => Request::new(opcode).from(result).from(Value::Immediate(with)),
        })?;
        let chosen = self.step(select(small, other, result))?;
        self.deliver_float(operands.first(), chosen)
    }

    /// A value, times a factor where a test holds. No register is written twice here, so that equal ones are made once; row `OriBackCopyPropagate` of the
    /// phases makes one product under a guard of it where the value is read by nobody else.
    fn scaled_where(
        &mut self,
        test: impl Into<Test>,
        value: Register,
        factor: u32,
        flushes: bool,
    ) -> Lowered<Register> {
        let product = self.temporary(1);
        self.multiply_singles(product, value, Value::Immediate(factor), flushes)?;
        self.step(select(test, product, value))
    }

    /// Whether the magnitude of a value is less or greater than a limit.
    fn exceeds(&mut self, value: Register, cmp: &'static str, limit: u32) -> Lowered<Register> {
        self.compares(false, cmp, absolute(value), Value::Immediate(limit), Test::ALWAYS)
    }

    /// The factor whose test holds, or one.
    fn scale_of(&mut self, factors: &[(Option<Register>, u32)]) -> Lowered<Register> {
        let mut scale = self.copied(Value::Immediate(ONE))?;
        for (test, factor) in factors {
            if let Some(test) = *test {
                scale = self.step(select(Test::from(test).opposite(), scale, Value::Immediate(*factor)))?;
            }
        }
        Ok(scale)
    }

    /// `rcp.approx.f32`: the operand and the result are scaled alike, up where the operand is subnormal and down where the reciprocal would be.
    fn reciprocal(&mut self, result: Register, operands: &[Operand]) -> Lowered {
        let a = self.in_register(operands.get(1), Type::F32)?;
        let (small, large) = (self.exceeds(a, "LT", SMALLEST_NORMAL)?, self.exceeds(a, "GT", LARGE)?);
        let scale = self.scale_of(&[(Some(small), LIFT), (Some(large), QUARTER)])?;
        let scaled = self.temporary(1);
        self.multiply_singles(scaled, a, scale, false)?;
        let reciprocal = self.temporary(1);
        self.special_function("RCP", reciprocal, scaled)?;
        self.multiply_singles(result, reciprocal, scale, false)
    }

    /// `div.approx` and `div.full`: times the reciprocal, both operands scaled so that the divisor is in range.
    fn divide_approximately(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let flushes = variant.has(M::Ftz);
        let mut a = self.in_register(operands.get(1), Type::F32)?;
        let mut b = self.in_register(operands.get(2), Type::F32)?;
        let full = variant.opcode == Opcode::DivFull;
        let small = if flushes {
            None
        } else {
            Some(self.exceeds(b, "LT", SMALLEST_NORMAL)?)
        };
        let large = if full {
            Some(self.exceeds(b, "GT", LARGE)?)
        } else {
            None
        };
        let factors = [(small, LIFT), (large, QUARTER)];
        let often =
            matches!(operands.get(2), Some(Operand::Register(divisor)) if self.frequent_divisors.contains(&divisor.0));
        if often {
            // Two products for each quotient, in place of three.
            let scale = self.scale_of(&factors)?;
            for value in [&mut a, &mut b] {
                let scaled = self.temporary(1);
                self.multiply_singles(scaled, *value, scale, flushes)?;
                *value = scaled;
            }
        } else {
            for (test, factor) in factors {
                if let Some(test) = test {
                    a = self.scaled_where(test, a, factor, flushes)?;
                    b = self.scaled_where(test, b, factor, flushes)?;
                }
            }
        }
        let reciprocal = self.temporary(1);
        self.special_function("RCP", reciprocal, b)?;
        let result = self.temporary(1);
        self.multiply_singles(result, reciprocal, a, flushes)?;
        self.deliver_float(operands.first(), result)
    }
}

/// The registers by which a function divides approximately more than once.
pub(super) fn frequent_divisors(module: &Module, body: &Body) -> FxHashSet<u32> {
    let (mut seen, mut frequent) = (FxHashSet::default(), FxHashSet::default());
    for statement in &body.statements {
        let Statement::Instruction(instruction) = statement else {
            continue;
        };
        let variant = &module.variants[instruction.variant.0 as usize];
        if matches!(variant.opcode, Opcode::Div | Opcode::DivFull)
            && is_approximate(variant)
            && let Some(Operand::Register(divisor)) = body.operands.get(instruction.first_operand as usize + 2)
            && !seen.insert(divisor.0)
        {
            frequent.insert(divisor.0);
        }
    }
    frequent
}

/// Whether an approximation is asked for.
fn is_approximate(variant: &Variant) -> bool {
    variant.has(M::Approx) || variant.opcode == Opcode::DivFull
}

/// The bits of `a`, with those of `b` where the mask has ones.
pub(super) fn merge(a: impl Into<Source>, mask: u32, b: impl Into<Source>) -> Request {
    Request::new(O::Lop3)
        .literal("LUT")
        .from(a)
        .from(Value::Immediate(mask))
        .from(b)
        .from(Value::Immediate(MERGE))
}

/// The word without its sign, or with the other one.
pub(super) fn sign_request(is_abs: bool, a: Source) -> Request {
    let (mask, table) = if is_abs { (!SIGN, 0xc0) } else { (SIGN, 0x3c) };
    Request::new(O::Lop3)
        .literal("LUT")
        .from(a)
        .from(Value::Immediate(mask))
        .from(Value::Zero)
        .from(Value::Immediate(table))
}

/// A named part of an instruction that is not supported.
pub(super) fn unsupported(what: &str) -> Stop {
    Stop::Unsupported(Some(what.to_string()))
}
