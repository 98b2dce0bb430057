//! Steps that several families build on: one machine instruction each, into a new register, whatever the guard of the PTX instruction. They have no side
//! effects; only [`Lowering::deliver`] writes what the program sees, under the guard.

use smallvec::SmallVec;
use warpsmith_ptx::{
    module::{Operand, OperandRange},
    table::Type,
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, Stop, operand::is_signed, words};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, inverted, negated},
};

/// Truth table of `LOP3`'s first operand.
pub(crate) const A: u32 = 0xf0;
/// Truth table of `LOP3`'s second operand.
pub(crate) const B: u32 = 0xcc;
/// Truth table of `LOP3`'s third operand.
pub(crate) const C: u32 = 0xaa;

/// The words of a value, the low one first.
pub(crate) type Words = SmallVec<[Source; 4]>;

/// How `SHF` shifts a pair of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Funnel {
    /// `L` or `R`.
    pub(crate) direction: &'static str,
    /// `U32`, `S32`, `U64`, `S64`: where amounts stop, and what is shifted in.
    pub(crate) kind: &'static str,
    /// The high word of the pair is the result.
    pub(crate) high: bool,
    /// Amounts are taken modulo 32, instead of stopping.
    pub(crate) wrap: bool,
}

/// Shifts a word left, or a low word of a pair.
pub(crate) const LEFT: Funnel = Funnel {
    direction: "L",
    kind: "U32",
    high: false,
    wrap: false,
};

/// Shifts the high word of a pair right; zeros come in.
pub(crate) const RIGHT: Funnel = Funnel {
    direction: "R",
    kind: "U32",
    high: true,
    wrap: false,
};

/// An immediate; the zero register for 0.
pub(crate) fn number(value: u32) -> Source {
    match value {
        0 => Value::Zero.into(),
        _ => Value::Immediate(value).into(),
    }
}

/// A three-operand logic instruction without its destination.
pub(crate) fn logic(a: impl Into<Source>, b: impl Into<Source>, c: impl Into<Source>, table: u32) -> Request {
    Request::new(O::Lop3)
        .literal("LUT")
        .from(a)
        .from(b)
        .from(c)
        .from(Value::Immediate(table & 0xff))
}

/// A funnel shift of a pair of words without its destination.
pub(crate) fn shift(
    low: impl Into<Source>,
    amount: impl Into<Source>,
    high: impl Into<Source>,
    how: Funnel,
) -> Request {
    Request::new(O::Shf)
        .from(low)
        .from(amount)
        .from(high)
        .text(F::Direction, how.direction)
        .text(F::Type, how.kind)
        .flag(F::High, how.high)
        .flag(F::Wrap, how.wrap)
}

/// `PRMT` without its destination: bytes 0 to 3 are of `a`, 4 to 7 of `b`; 8 more take a byte's sign.
pub(crate) fn permute(a: impl Into<Source>, selector: u32, b: impl Into<Source>) -> Request {
    Request::new(O::Prmt).from(a).from(number(selector)).from(b)
}

/// `SEL` without its destination.
pub(crate) fn select(test: impl Into<Test>, a: impl Into<Source>, b: impl Into<Source>) -> Request {
    Request::new(O::Sel).from(a).from(b).when(F::Pp, test)
}

/// `IADD3` of two values without its destination.
pub(crate) fn plus(a: impl Into<Source>, b: impl Into<Source>) -> Request {
    Request::new(O::Iadd3).from(a).from(b).from(Value::Zero)
}

/// `IMAD` without its destination.
pub(crate) fn product(a: impl Into<Source>, b: impl Into<Source>, c: impl Into<Source>) -> Request {
    Request::new(O::Imad).from(a).from(b).from(c)
}

impl Lowering<'_> {
    /// The instruction's result in a new register.
    pub(crate) fn step(&mut self, request: Request) -> Lowered<Register> {
        let register = self.temporary(1);
        self.emit_bare(request.to(register))?;
        Ok(register)
    }

    /// The instruction's 64-bit result in a new register.
    pub(crate) fn wide_step(&mut self, request: Request) -> Lowered<Register> {
        let register = self.temporary(2);
        self.emit_bare(request.to(register))?;
        Ok(register)
    }

    /// The instruction's result, if the generation has the instruction for these operands.
    pub(crate) fn attempt(&mut self, request: Request) -> Lowered<Option<Register>> {
        match self.step(request) {
            Ok(register) => Ok(Some(register)),
            Err(Stop::Select(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// A copy in a new register.
    pub(crate) fn copied(&mut self, source: impl Into<Source>) -> Lowered<Register> {
        self.step(Request::new(O::Mov).from(source))
    }

    /// The value in a register: itself, if it is in one.
    pub(crate) fn held(&mut self, source: impl Into<Source>) -> Lowered<Source> {
        let source = source.into();
        match source.value {
            Value::Register(_) => Ok(source),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => Ok(self.copied(source)?.into()),
        }
    }

    /// Two words in one new register.
    pub(crate) fn pair(&mut self, low: impl Into<Source>, high: impl Into<Source>) -> Lowered<Register> {
        let pair = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(pair.word(0)).from(low))?;
        self.emit_bare(Request::new(O::Mov).to(pair.word(1)).from(high))?;
        Ok(pair)
    }

    /// Two words as one register: the one they are the words of, or a new one.
    pub(crate) fn paired(&mut self, value: &[Source]) -> Lowered<Register> {
        let [low, high] = *value else {
            return Err(super::UNSUPPORTED);
        };
        if let (Value::Register(first), Value::Register(second)) = (low.value, high.value)
            && first.register == second.register
            && (first.word, second.word) == (0, 1)
            && self.function.info(first.register).words == 2
        {
            return Ok(first.register);
        }
        self.pair(low, high)
    }

    /// The words of a value of this type; a special register is read once.
    pub(crate) fn value(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Words> {
        if let Some(Operand::Special(special, component)) = operand {
            let register = self.special(*special, *component, words(of))?;
            return Ok((0..words(of)).map(|word| register.word(word).into()).collect());
        }
        (0..words(of)).map(|word| self.word(operand, of, word)).collect()
    }

    /// The value, with what is above 8 or 16 bits filled by its sign or zeros.
    pub(crate) fn extended(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Source> {
        let source = self.source(operand, of)?;
        self.extend(source, of)
    }

    /// The low bits of a word, with what is above them filled by the sign or zeros.
    pub(crate) fn extend(&mut self, source: Source, of: Type) -> Lowered<Source> {
        let (bits, signed) = (of.bits(), is_signed(of));
        if bits >= 32 {
            return Ok(source);
        }
        let above = 32 - bits;
        Ok(match (source.value, signed) {
            (Value::Zero, _) => source,
            (Value::Immediate(value), false) => number(value << above >> above),
            (Value::Immediate(value), true) => number(((value << above) as i32 >> above) as u32),
            (_, false) => self
                .step(logic(source, number(u32::MAX >> above), Value::Zero, A & B))?
                .into(),
            (_, true) if bits == 16 => self.step(permute(source, 0x9910, Value::Zero))?.into(),
            (_, true) => self.step(permute(source, 0x8880, Value::Zero))?.into(),
        })
    }

    /// The sum of values of several words, with a carry in, and out: to a predicate of the program, under the guard.
    pub(crate) fn add_words(
        &mut self,
        a: &[Source],
        b: &[Source],
        carry_in: Option<Test>,
        carry_out: Option<Register>,
    ) -> Lowered<Words> {
        let count = a.len().min(b.len());
        let mut carry = carry_in;
        let mut sum = Words::new();
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            let mut request = plus(*a, *b);
            if let Some(carry) = carry {
                request = request.literal("X").when(F::Pp, carry).when(F::Pq, Test::NEVER);
            }
            let to = self.temporary(1);
            match (index + 1 == count, carry_out) {
                (true, Some(out)) => self.emit(request.sets(F::Pu, out).to(to))?,
                (true, None) => self.emit_bare(request.to(to))?,
                (false, _) => {
                    let out = self.predicate();
                    carry = Some(out.into());
                    self.emit_bare(request.sets(F::Pu, out).to(to))?;
                }
            }
            sum.push(to.into());
        }
        Ok(sum)
    }

    /// The difference of values of several words: without carry in a - b, with it a - b - 1 + carry. The carry out says that nothing was borrowed.
    pub(crate) fn subtract_words(
        &mut self,
        a: &[Source],
        b: &[Source],
        carry_in: Option<Test>,
        carry_out: Option<Register>,
    ) -> Lowered<Words> {
        let complement = |(index, source): (usize, &Source)| {
            if index == 0 && carry_in.is_none() {
                negated(*source)
            } else {
                inverted(*source)
            }
        };
        let b: Words = b.iter().enumerate().map(complement).collect();
        self.add_words(a, &b, carry_in, carry_out)
    }

    /// One of two values of several words.
    pub(crate) fn select_words(&mut self, test: Test, a: &[Source], b: &[Source]) -> Lowered<Words> {
        let words = a.iter().zip(b);
        words
            .map(|(a, b)| Ok(self.step(select(test, *a, *b))?.into()))
            .collect()
    }

    /// Writes the result of the PTX instruction, under its guard.
    pub(crate) fn deliver(&mut self, to: Register, value: &[Source]) -> Lowered {
        for (word, source) in (0..self.function.info(to).words).zip(value) {
            self.emit(Request::new(O::Mov).to(to.word(word)).from(*source))?;
        }
        Ok(())
    }

    /// The operands of a vector, pair or list.
    pub(crate) fn parts(&self, range: OperandRange) -> SmallVec<[Operand; 4]> {
        let first = range.first as usize;
        let list = self.body.operands.get(first..first + usize::from(range.count));
        list.unwrap_or_default().iter().copied().collect()
    }
}
