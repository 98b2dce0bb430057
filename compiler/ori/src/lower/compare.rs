//! Comparisons of integers, and what selects by them.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type, TypeKind},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::{first_type, is_signed},
    steps::{Words, number},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value},
};

/// What becomes of a comparison.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Takes the comparison combined with `with`.
    p: Option<Register>,
    /// Takes the opposite of the comparison combined with `with`.
    q: Option<Register>,
    combine: Combine,
    with: Test,
}

impl Outcome {
    fn plain(p: Register) -> Outcome {
        Outcome {
            p: Some(p),
            q: None,
            combine: Combine::And,
            with: Test::ALWAYS,
        }
    }
}

impl Lowering<'_> {
    /// `setp` of integers.
    pub(super) fn compare(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let (p, q) = match operands.first() {
            Some(Operand::Pair(range)) => {
                let parts = self.parts(*range);
                let mut each = [None, None];
                for (register, part) in each.iter_mut().zip(&parts) {
                    if *part != Operand::Sink {
                        *register = Some(self.destination(Some(part))?);
                    }
                }
                (each[0], each[1])
            }
            operand => (Some(self.predicate_destination(operand)?), None),
        };
        let (combine, with) = self.combination(variant, operands.get(3))?;
        let outcome = Outcome { p, q, combine, with };
        let (cmp, unsigned) = comparison(variant, of)?;
        let (a, b) = self.compared(operands, of)?;
        let request = self.comparing(cmp, unsigned, &a, &b, outcome)?;
        self.emit(request)
    }

    /// `set` of integers: 0, or all ones, or 1.0.
    pub(super) fn set(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let result = first_type(variant)?;
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let set = match result {
            Type::F32 => 0x3f80_0000,
            Type::F16 => 0x3c00,
            Type::Bf16 => 0x3f80,
            Type::U32 | Type::S32 => u32::MAX,
            _ => return Err(UNSUPPORTED),
        };
        let to = self.destination(operands.first())?;
        let p = self.predicate();
        let (combine, with) = self.combination(variant, operands.get(3))?;
        let outcome = Outcome {
            combine,
            with,
            ..Outcome::plain(p)
        };
        let (cmp, unsigned) = comparison(variant, of)?;
        let (a, b) = self.compared(operands, of)?;
        let request = self.comparing(cmp, unsigned, &a, &b, outcome)?;
        self.emit_bare(request)?;
        self.select_into(to, Test::from(p).opposite(), &[Value::Zero.into()], &[number(set)])
    }

    /// `slct`: the first value where the third is not negative. An f32 that is NaN selects the second.
    pub(super) fn select_by_sign(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let by = variant.types().nth(1).ok_or(UNSUPPORTED)?;
        let to = self.destination(operands.first())?;
        let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
        let c = self.source(operands.get(3), by)?;
        let p = if by == Type::F32 {
            let (c, p) = (self.held(c)?, self.predicate());
            self.emit_bare(
                Request::new(O::Fsetp)
                    .form("P_P_R_R_P")
                    .sets(F::Pu, p)
                    .from(c)
                    .from(Value::Zero)
                    .text(F::Cmp, "GE")
                    .text(F::Combine, "AND")
                    .flag(F::Ftz, variant.has(M::Ftz))
                    .when(F::Pp, Test::ALWAYS),
            )?;
            p
        } else {
            self.holds(Cmp::Ge, false, &[c], &[Value::Zero.into()])?
        };
        self.select_into(to, p.into(), &a, &b)
    }

    /// A new predicate that says whether a comparison of integers of one or two words holds.
    pub(crate) fn holds(&mut self, cmp: Cmp, unsigned: bool, a: &[Source], b: &[Source]) -> Lowered<Register> {
        let p = self.predicate();
        let request = self.comparing(cmp, unsigned, a, b, Outcome::plain(p))?;
        self.emit_bare(request)?;
        Ok(p)
    }

    fn combination(&mut self, variant: &Variant, with: Option<&Operand>) -> Lowered<(Combine, Test)> {
        let Some(with) = with else {
            return Ok((Combine::And, Test::ALWAYS));
        };
        let combine = if variant.has(M::And) {
            Combine::And
        } else if variant.has(M::Or) {
            Combine::Or
        } else if variant.has(M::Xor) {
            Combine::Xor
        } else {
            return Err(UNSUPPORTED);
        };
        Ok((combine, self.test(Some(with))?))
    }

    /// The two operands, extended to words.
    fn compared(&mut self, operands: &[Operand], of: Type) -> Lowered<(Words, Words)> {
        if of.bits() < 32 {
            let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
            return Ok((Words::from_elem(a, 1), Words::from_elem(b, 1)));
        }
        Ok((self.value(operands.get(1), of)?, self.value(operands.get(2), of)?))
    }

    /// The instruction that makes the outcome; for two words, after the comparison of the low ones.
    fn comparing(&mut self, cmp: Cmp, unsigned: bool, a: &[Source], b: &[Source], to: Outcome) -> Lowered<Request> {
        let isa = self.function.isa();
        match (a, b) {
            ([a], [b]) => Ok(finished(one_word(cmp, unsigned, *a, *b), to)),
            ([low_a, high_a], [low_b, high_b]) => {
                if isa == Isa::Sm120 {
                    let (a, b) = (self.paired(a)?, self.paired(b)?);
                    let kind = if unsigned { "U64" } else { "S64" };
                    let request = Request::new(O::Isetp).from(a).from(b).with(cmp).text(F::Type, kind);
                    return Ok(finished(request, to));
                }
                let low = self.predicate();
                self.emit_bare(finished(one_word(cmp, true, *low_a, *low_b), Outcome::plain(low)))?;
                let high = one_word(cmp, unsigned, *high_a, *high_b).when(F::Pr, low);
                let high = if isa == Isa::Sm75 {
                    high.flag(F::Extended, true)
                } else {
                    high.literal("EX")
                };
                Ok(finished(high, to))
            }
            _ => Err(UNSUPPORTED),
        }
    }
}

fn one_word(cmp: Cmp, unsigned: bool, a: Source, b: Source) -> Request {
    Request::new(O::Isetp).from(a).from(b).with(cmp).flag(F::U32, unsigned)
}

fn finished(request: Request, to: Outcome) -> Request {
    let mut request = request.with(to.combine).when(F::Pp, to.with);
    if let Some(p) = to.p {
        request = request.sets(F::Pu, p);
    }
    if let Some(q) = to.q {
        request = request.sets(F::Pv, q);
    }
    request
}

/// Whether a type is an integer or bits.
pub(crate) fn is_integer(of: Type) -> bool {
    matches!(of.kind(), TypeKind::Signed | TypeKind::Unsigned | TypeKind::Bits)
}

/// The comparison, and whether it is unsigned.
fn comparison(variant: &Variant, of: Type) -> Lowered<(Cmp, bool)> {
    let modifiers = variant.modifiers.iter().flatten();
    let found = modifiers.filter_map(|modifier| {
        Some(match modifier {
            M::Eq => (Cmp::Eq, false),
            M::Ne => (Cmp::Ne, false),
            M::Lt => (Cmp::Lt, false),
            M::Le => (Cmp::Le, false),
            M::Gt => (Cmp::Gt, false),
            M::Ge => (Cmp::Ge, false),
            M::Lo => (Cmp::Lt, true),
            M::Ls => (Cmp::Le, true),
            M::Hi => (Cmp::Gt, true),
            M::Hs => (Cmp::Ge, true),
            _ => return None,
        })
    });
    let (cmp, unsigned) = { found }.next().ok_or(UNSUPPORTED)?;
    Ok((cmp, unsigned || !is_signed(of)))
}
