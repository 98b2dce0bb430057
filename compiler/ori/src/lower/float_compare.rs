//! Comparison and selection of floating-point values.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, UNSUPPORTED, float::unsupported, operand::first_type, words};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute},
};

/// +∞ and the smallest normal value, in the upper word.
const INFINITY: [u32; 2] = [0x7f80_0000, 0x7ff0_0000];
const SMALLEST_NORMAL: [u32; 2] = [0x0080_0000, 0x0010_0000];

/// Each comparison and its opposite, as SASS names them.
const COMPARISONS: [(M, &str, &str); 14] = [
    (M::Eq, "EQ", "NEU"),
    (M::Ne, "NE", "EQU"),
    (M::Lt, "LT", "GEU"),
    (M::Le, "LE", "GTU"),
    (M::Gt, "GT", "LEU"),
    (M::Ge, "GE", "LTU"),
    (M::Equ, "EQU", "NE"),
    (M::Neu, "NEU", "EQ"),
    (M::Ltu, "LTU", "GE"),
    (M::Leu, "LEU", "GT"),
    (M::Gtu, "GTU", "LE"),
    (M::Geu, "GEU", "LT"),
    (M::Num, "NUM", "NAN"),
    (M::Nan, "NAN", "NUM"),
];

/// The comparison and its opposite.
fn comparison(variant: &Variant) -> Lowered<(&'static str, &'static str)> {
    let found = COMPARISONS.iter().find(|(modifier, ..)| variant.has(*modifier));
    found.map(|(_, yes, no)| (*yes, *no)).ok_or(UNSUPPORTED)
}

/// How the comparison is combined with a predicate.
fn combination(variant: &Variant) -> &'static str {
    if variant.has(M::Or) {
        "OR"
    } else if variant.has(M::Xor) {
        "XOR"
    } else {
        "AND"
    }
}

impl Lowering<'_> {
    /// The predicates that `setp` writes.
    fn predicate_pair(&mut self, operand: Option<&Operand>) -> Lowered<[Option<Register>; 2]> {
        let body = self.body;
        let mut home = |operand: &Operand| match operand {
            Operand::Sink => Ok(None),
            operand => self.destination(Some(operand)).map(Some),
        };
        match operand {
            Some(Operand::Pair(range)) => {
                let list = body.operands.get(range.first as usize..).ok_or(UNSUPPORTED)?;
                let [p, q, ..] = list else { return Err(UNSUPPORTED) };
                Ok([home(p)?, home(q)?])
            }
            Some(operand) => Ok([home(operand)?, None]),
            None => Err(UNSUPPORTED),
        }
    }

    /// A comparison of floating-point values without destination, combined as the instruction says.
    fn comparison_request(
        &mut self,
        variant: &Variant,
        of: Type,
        operands: &[Operand],
        cmp: &'static str,
    ) -> Lowered<Request> {
        let also = match operands.get(3) {
            Some(operand) => self.test(Some(operand))?,
            None => Test::ALWAYS,
        };
        let (a, b) = (operands.get(1), operands.get(2));
        let request = match of {
            Type::F32 => {
                let (a, b) = (self.source(a, of)?, self.source(b, of)?);
                Request::new(O::Fsetp).from(a).from(b).flag(F::Ftz, variant.has(M::Ftz))
            }
            Type::F64 => {
                // Only the second operand may be an immediate.
                let (a, b) = (self.in_register(a, of)?, self.double_source(b)?);
                Request::new(O::Dsetp).from(a).from(b)
            }
            Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => {
                let (a, b) = (self.in_register(a, of)?, self.in_register(b, of)?);
                Request::new(O::Hsetp2)
                    .from(a)
                    .from(b)
                    .flag(F::Ftz, variant.has(M::Ftz))
                    .text(F::Type, super::half::format(of))
            }
            _ => return Err(UNSUPPORTED),
        };
        Ok(request
            .text(F::Cmp, cmp)
            .text(F::Combine, combination(variant))
            .when(F::Pp, also))
    }

    /// `setp`
    pub(super) fn compare_floats(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let (yes, no) = comparison(variant)?;
        let [p, q] = self.predicate_pair(operands.first())?;
        let scalar_half = matches!(of, Type::F16 | Type::Bf16);
        let request = self.comparison_request(variant, of, operands, yes)?;
        if !scalar_half {
            let request = p.into_iter().fold(request, |request, p| request.sets(F::Pu, p));
            return self.emit(q.into_iter().fold(request, |request, q| request.sets(F::Pv, q)));
        }
        // The second predicate would be that of the upper halves. Either may be the predicate that is read.
        let (first, second) = (self.predicate(), self.predicate());
        self.emit_bare(request.sets(F::Pu, first))?;
        if q.is_some() {
            let request = self.comparison_request(variant, of, operands, no)?;
            self.emit_bare(request.sets(F::Pu, second))?;
        }
        for (to, from) in [(p, first), (q, second)] {
            if let Some(to) = to {
                self.copy_predicate(to, from)?;
            }
        }
        Ok(())
    }

    /// Sets a predicate to another, under the instruction's guard.
    fn copy_predicate(&mut self, to: Register, from: impl Into<Test>) -> Lowered {
        self.emit(
            Request::new(O::Isetp)
                .sets(F::Pu, to)
                .from(Value::Zero)
                .from(Value::Zero)
                .text(F::Cmp, "EQ")
                .text(F::Combine, "AND")
                .flag(F::U32, true)
                .when(F::Pp, from),
        )
    }

    /// `set` of floating-point operands.
    pub(super) fn set_float(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let mut types = variant.types();
        let (to_type, of) = (types.next().ok_or(UNSUPPORTED)?, types.next().ok_or(UNSUPPORTED)?);
        let (yes, _) = comparison(variant)?;
        if matches!(of, Type::F16x2 | Type::Bf16x2) {
            return self.set_halves(variant, operands, to_type, of, yes);
        }
        let p = self.predicate();
        let request = self.comparison_request(variant, of, operands, yes)?;
        self.emit_bare(request.sets(F::Pu, p))?;
        self.truth(operands.first(), to_type, p)
    }

    /// The value of a truth in a register.
    fn truth(&mut self, to: Option<&Operand>, to_type: Type, p: Register) -> Lowered {
        let truth = match to_type {
            Type::F16 => 0x3c00,
            Type::Bf16 => 0x3f80,
            Type::F32 => 0x3f80_0000,
            Type::U32 | Type::S32 | Type::U16 | Type::S16 => u32::MAX,
            _ => return Err(unsupported("this type of result")),
        };
        let to = self.destination(to)?;
        self.emit(
            Request::new(O::Sel)
                .to(to)
                .from(Value::Zero)
                .from(Value::Immediate(truth))
                .when(F::Pp, Test::from(p).opposite()),
        )
    }

    /// `set` of both halves: 1.0 or all ones in each.
    fn set_halves(
        &mut self,
        variant: &Variant,
        operands: &[Operand],
        to_type: Type,
        of: Type,
        cmp: &'static str,
    ) -> Lowered {
        let to = self.destination(operands.first())?;
        let also = match operands.get(3) {
            Some(operand) => self.test(Some(operand))?,
            None => Test::ALWAYS,
        };
        let (a, b) = (
            self.in_register(operands.get(1), of)?,
            self.in_register(operands.get(2), of)?,
        );
        self.emit(
            Request::new(O::Hset2)
                .to(to)
                .from(a)
                .from(b)
                .text(F::Type, super::half::format(of))
                .flag(F::BoolFloat, matches!(to_type, Type::F16x2 | Type::Bf16x2))
                .text(F::Cmp, cmp)
                .flag(F::Ftz, variant.has(M::Ftz))
                .text(F::Combine, combination(variant))
                .when(F::Pp, also),
        )
    }

    /// `selp`
    pub(super) fn select_floats(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let test = self.test(operands.get(3))?;
        self.select_values(operands, of, test)
    }

    /// The second operand where the test holds, else the third.
    fn select_values(&mut self, operands: &[Operand], of: Type, test: Test) -> Lowered {
        let to = self.destination(operands.first())?;
        for word in 0..words(of) {
            let a = self.word(operands.get(1), of, word)?;
            let b = self.word(operands.get(2), of, word)?;
            // Immediates stand second.
            let (a, b, test) = match (a.value, b.value) {
                (Value::Immediate(_), Value::Register(_) | Value::Zero) => (b, a, test.opposite()),
                _ => (a, b, test),
            };
            self.emit(Request::new(O::Sel).to(to.word(word)).from(a).from(b).when(F::Pp, test))?;
        }
        Ok(())
    }

    /// `slct`: the first operand where the third is not negative.
    pub(super) fn select_by_float_sign(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let mut types = variant.types();
        let (of, sign) = (types.next().ok_or(UNSUPPORTED)?, types.next().ok_or(UNSUPPORTED)?);
        let c = self.source(operands.get(3), sign)?;
        let p = self.predicate();
        let request = match sign {
            Type::F32 => Request::new(O::Fsetp).flag(F::Ftz, variant.has(M::Ftz)),
            Type::S32 => Request::new(O::Isetp),
            _ => return Err(UNSUPPORTED),
        };
        self.emit_bare(
            request
                .sets(F::Pu, p)
                .from(c)
                .from(Value::Zero)
                .text(F::Cmp, "GE")
                .text(F::Combine, "AND")
                .when(F::Pp, Test::ALWAYS),
        )?;
        self.select_values(operands, of, p.into())
    }

    /// `testp`
    pub(super) fn test_property(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let double = of == Type::F64;
        let index = usize::from(double);
        let a = self.in_register(operands.get(1), of)?;
        let magnitude: Source = absolute(a);
        let infinity: Source = Value::Immediate(INFINITY[index]).into();
        let normal: Source = Value::Immediate(SMALLEST_NORMAL[index]).into();
        let always = Test::ALWAYS;
        let p = if variant.has(M::Finite) {
            self.compares(double, "LT", magnitude, infinity, always)?
        } else if variant.has(M::Infinite) {
            self.compares(double, "EQ", magnitude, infinity, always)?
        } else if variant.has(M::Number) {
            self.compares(double, "NUM", a, a, always)?
        } else if variant.has(M::Notanumber) {
            self.compares(double, "NAN", a, a, always)?
        } else if variant.has(M::Normal) {
            // Zeros count as normal.
            let small = self.compares(double, "LT", magnitude, normal, always)?;
            let subnormal = self.compares(double, "GT", magnitude, Value::Zero, small)?;
            self.compares(double, "LT", magnitude, infinity, Test::from(subnormal).opposite())?
        } else if variant.has(M::Subnormal) {
            let small = self.compares(double, "LT", magnitude, normal, always)?;
            self.compares(double, "GT", magnitude, Value::Zero, small)?
        } else {
            return Err(UNSUPPORTED);
        };
        let to = self.destination(operands.first())?;
        debug_assert_eq!(variant.opcode, Opcode::Testp);
        self.copy_predicate(to, p)
    }
}
