//! Video instructions: on parts of registers, exact, then clamped and merged.
//!
//! Numbers of the scalar ones are computed in two words, so that nothing is lost before the clamp; what nobody reads goes away later.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Operand, Selector},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::says,
    operand::is_signed,
    steps::{A, B, C, Funnel, LEFT, RIGHT, Words, logic, number, permute, plus, product, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

/// Shifts the sign in.
const ARITHMETIC: Funnel = Funnel { kind: "S32", ..RIGHT };

/// Two words as a number, lowest first.
type Number = [Source; 2];

/// The operation of `vadd`, `vadd2`, `vadd4` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Add,
    Subtract,
    Difference,
    Minimum,
    Maximum,
    Average,
    Compare(Cmp),
    Left,
    Right,
}

fn kind(variant: &Variant) -> Option<Kind> {
    use Opcode as P;
    Some(match variant.opcode {
        P::Vadd | P::Vadd2 | P::Vadd4 => Kind::Add,
        P::Vsub | P::Vsub2 | P::Vsub4 => Kind::Subtract,
        P::Vabsdiff | P::Vabsdiff2 | P::Vabsdiff4 => Kind::Difference,
        P::Vmin | P::Vmin2 | P::Vmin4 => Kind::Minimum,
        P::Vmax | P::Vmax2 | P::Vmax4 => Kind::Maximum,
        P::Vavrg2 | P::Vavrg4 => Kind::Average,
        P::Vset | P::Vset2 | P::Vset4 => Kind::Compare(match variant.slot("cmp")? {
            M::Eq => Cmp::Eq,
            M::Ne => Cmp::Ne,
            M::Lt => Cmp::Lt,
            M::Le => Cmp::Le,
            M::Gt => Cmp::Gt,
            M::Ge => Cmp::Ge,
            _ => return None,
        }),
        P::Vshl => Kind::Left,
        P::Vshr => Kind::Right,
        _ => return None,
    })
}

fn selector(operand: &Operand) -> Option<Selector> {
    match *operand {
        Operand::Selected(_, selector) => Some(selector),
        Operand::Negative(_, selector) => selector,
        _ => None,
    }
}

/// The operand without selector and minus.
fn plain(operand: &Operand) -> Operand {
    match *operand {
        Operand::Selected(register, _) | Operand::Negative(register, _) => Operand::Register(register),
        other => other,
    }
}

/// The width of the part and its lowest bit.
fn part(operand: &Operand) -> (u32, u32) {
    match selector(operand) {
        Some(selector) if selector.halves => (16, 16 * u32::from(selector.digits[0] & 1)),
        Some(selector) => (8, 8 * u32::from(selector.digits[0] & 3)),
        None => (32, 0),
    }
}

/// The selector of `PRMT` that takes so many bits from a bit on, extended.
fn extraction(width: u32, from: u32, signed: bool) -> u32 {
    let (first, count) = (from / 8, width / 8);
    let fill = if signed { 8 | (first + count - 1) } else { 0 };
    (0..4).fold(0, |digits, digit| {
        let byte = if digit < count { first + digit } else { fill };
        digits | byte << (4 * digit)
    })
}

/// The lanes that a selector names, the lowest first.
fn lanes(operand: &Operand, otherwise: [u8; 4]) -> [u8; 4] {
    let mut chosen = otherwise;
    if let Some(selector) = selector(operand) {
        for (lane, digit) in selector.digits().iter().rev().enumerate() {
            chosen[lane] = *digit;
        }
    }
    chosen
}

/// The least and the greatest number of a type of so many bits.
fn range(width: u32, signed: bool) -> [i64; 2] {
    if signed {
        [-(1 << (width - 1)), (1 << (width - 1)) - 1]
    } else {
        [0, (1 << width) - 1]
    }
}

fn constant(value: i64) -> Number {
    [number(value as u32), number((value >> 32) as u32)]
}

impl Lowering<'_> {
    /// Video instructions.
    pub(super) fn video(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        if variant.opcode == Opcode::Vmad {
            return Some(self.video_multiply(variant, operands));
        }
        let kind = kind(variant)?;
        let name = variant.opcode.name();
        Some(if name.ends_with('2') || name.ends_with('4') {
            self.video_packed(variant, kind, operands)
        } else {
            self.video_scalar(variant, kind, operands)
        })
    }

    /// A part of a word as a word.
    fn video_part(&mut self, source: Source, (width, from): (u32, u32), signed: bool) -> Lowered<Source> {
        if width == 32 {
            return Ok(source);
        }
        let source = self.held(source)?;
        if signed {
            return Ok(self
                .step(permute(source, extraction(width, from, true), Value::Zero))?
                .into());
        }
        let mut selector = extraction(width, from, false);
        for digit in width / 8..4 {
            selector |= 4 << (4 * digit);
        }
        Ok(self.step(permute(source, selector, Value::Zero))?.into())
    }

    /// A word as a number.
    fn video_number(&mut self, word: Source, signed: bool) -> Lowered<Number> {
        let word = self.held(word)?;
        let high = if signed {
            self.step(shift(Value::Zero, number(31), word, ARITHMETIC))?.into()
        } else {
            Value::Zero.into()
        };
        Ok([word, high])
    }

    fn video_operand(&mut self, operand: &Operand, signed: bool) -> Lowered<Number> {
        let source = self.source(Some(&plain(operand)), Type::U32)?;
        let word = self.video_part(source, part(operand), signed)?;
        self.video_number(word, signed)
    }

    fn video_less(&mut self, a: Number, b: Number) -> Lowered<Register> {
        self.video_compare(Cmp::Lt, a, b)
    }

    fn video_compare(&mut self, cmp: Cmp, a: Number, b: Number) -> Lowered<Register> {
        let (a, b) = (
            [self.held(a[0])?, self.held(a[1])?],
            [self.held(b[0])?, self.held(b[1])?],
        );
        self.holds(cmp, false, &a, &b)
    }

    fn video_select(&mut self, test: Register, a: Number, b: Number) -> Lowered<Number> {
        self.select_words(test.into(), &a, &b).map(both)
    }

    fn video_apply(&mut self, kind: Kind, a: Number, b: Number) -> Lowered<Number> {
        match kind {
            Kind::Add => self.add_words(&a, &b, None, None).map(both),
            Kind::Subtract => self.subtract_words(&a, &b, None, None).map(both),
            Kind::Difference => {
                let less = self.video_less(a, b)?;
                let (forward, backward) = (
                    both(self.subtract_words(&a, &b, None, None)?),
                    both(self.subtract_words(&b, &a, None, None)?),
                );
                self.video_select(less, backward, forward)
            }
            Kind::Minimum | Kind::Maximum => {
                let less = self.video_less(a, b)?;
                match kind {
                    Kind::Minimum => self.video_select(less, a, b),
                    _ => self.video_select(less, b, a),
                }
            }
            Kind::Compare(cmp) => {
                let holds = self.video_compare(cmp, a, b)?;
                let one = self.step(select(holds, number(1), Value::Zero))?;
                Ok([one.into(), Value::Zero.into()])
            }
            Kind::Average | Kind::Left | Kind::Right => Err(UNSUPPORTED),
        }
    }

    fn video_shift(&mut self, kind: Kind, a: Number, b: Source, wraps: bool) -> Lowered<Number> {
        let b = self.held(b)?;
        let amount: Source = if wraps {
            self.step(logic(b, number(31), Value::Zero, A & B))?.into()
        } else {
            let most = self.copied(number(32))?;
            let small = self.holds(Cmp::Lt, true, &[b], &[number(32)])?;
            self.step(select(small, b, most))?.into()
        };
        if kind == Kind::Right {
            // The high word is the sign: it stays.
            let whole = Funnel {
                direction: "R",
                kind: "U64",
                high: false,
                wrap: false,
            };
            let high = self.held(a[1])?;
            let low = self.step(shift(a[0], amount, high, whole))?;
            return Ok([low.into(), high]);
        }
        let low = self.step(shift(a[0], amount, Value::Zero, LEFT))?;
        let whole = Funnel {
            direction: "L",
            kind: "U64",
            high: true,
            wrap: false,
        };
        let high = self.held(a[1])?;
        let high = self.step(shift(a[0], amount, high, whole))?;
        // 34 bits and no more are kept.
        let high = self.step(shift(high, number(30), Value::Zero, LEFT))?;
        let high = self.step(shift(Value::Zero, number(30), high, ARITHMETIC))?;
        Ok([low.into(), high.into()])
    }

    fn video_clamp(&mut self, value: Number, width: u32, signed: bool) -> Lowered<Number> {
        let [least, greatest] = range(width, signed).map(constant);
        let least = [self.held(least[0])?, self.held(least[1])?];
        let greatest = [self.held(greatest[0])?, self.held(greatest[1])?];
        let low = self.video_less(value, least)?;
        let value = self.video_select(low, least, value)?;
        let high = self.video_less(greatest, value)?;
        self.video_select(high, greatest, value)
    }

    fn video_scalar(&mut self, variant: &Variant, kind: Kind, operands: &[Operand]) -> Lowered {
        let [d, a, b, ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        let (signed, first, second) = match (kind, &types[..]) {
            // What a comparison gives is unsigned.
            (Kind::Compare(_), &[first, second]) => (false, first, second),
            (Kind::Left | Kind::Right, &[signed, first, ..]) => (signed, first, false),
            (_, &[signed, first, second]) => (signed, first, second),
            _ => return Err(UNSUPPORTED),
        };
        let (a, b) = (self.video_operand(a, first)?, self.video_operand(b, second)?);
        let value = match kind {
            Kind::Left | Kind::Right => self.video_shift(kind, a, b[0], says(variant, "wrap"))?,
            _ => self.video_apply(kind, a, b)?,
        };
        let secondary = variant.slot("op2");
        let (width, from) = if secondary.is_some() { (32, 0) } else { part(d) };
        let value = if variant.has(M::Sat) {
            self.video_clamp(value, width, signed)?
        } else {
            value
        };
        let c = match operands.get(3) {
            Some(c) => Some(self.source(Some(&plain(c)), Type::U32)?),
            None => None,
        };
        let to = self.destination(Some(&plain(d)))?;
        let low = self.held(value[0])?;
        let request = match (secondary, c) {
            (Some(M::Add), Some(c)) => plus(low, c),
            (Some(op), Some(c)) => {
                let c = self.held(c)?;
                let less = self.holds(Cmp::Lt, !signed, &[low], &[c])?;
                match op {
                    M::Min => select(less, low, c),
                    M::Max => select(less, c, low),
                    _ => return Err(UNSUPPORTED),
                }
            }
            (None, Some(c)) if width < 32 => {
                let mask = ((1_u32 << width) - 1) << from;
                let moved = self.step(shift(low, number(from), Value::Zero, LEFT))?;
                logic(moved, c, number(mask), (A & C) | (B & !C))
            }
            _ => Request::new(O::Mov).from(low),
        };
        self.emit(request.to(to))
    }

    fn video_multiply(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [d, a, b, c] = operands else {
            return Err(UNSUPPORTED);
        };
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        let [_, first, second] = types[..] else {
            return Err(UNSUPPORTED);
        };
        let minus = |operand: &Operand| matches!(operand, Operand::Negative(..));
        let (negates_product, negates_addend) = (minus(a) != minus(b), minus(c));
        let words = part(a).0 == 32 && part(b).0 == 32;
        let clamps = variant.has(M::Sat);
        let signed = first || second || negates_product || negates_addend;
        let (a, b) = (self.video_operand(a, first)?, self.video_operand(b, second)?);
        let product = self.wide_step(product(a[0], b[0], Value::Zero).literal("WIDE").flag(F::U32, true))?;
        // The other two products count in the high word alone.
        let mut high = Source::from(product.word(1));
        for (x, y, counts) in [(a[1], b[0], first), (b[1], a[0], second)] {
            if counts {
                let cross = self.step(logic(x, y, Value::Zero, A & B))?;
                high = self.step(plus(high, negated(cross)))?.into();
            }
        }
        let mut value: Number = [product.word(0).into(), high];
        let c = self.source(Some(&plain(c)), Type::U32)?;
        let mut addend = c;
        let mut one = variant.has(M::Po);
        if !one && negates_product {
            let mut turned = value;
            for word in &mut turned {
                *word = self.step(logic(*word, Value::Zero, Value::Zero, !A))?.into();
            }
            value = turned;
            one = true;
        } else if !one && negates_addend {
            let held = self.held(c)?;
            addend = self.step(logic(held, Value::Zero, Value::Zero, !A))?.into();
            one = true;
        }
        let addend = self.video_number(addend, signed)?;
        if clamps && words {
            // The third word of a product of unsigned words is zero, or of its complement all ones.
            let above = match (first || second, negates_product && !variant.has(M::Po)) {
                (true, _) => self.step(shift(Value::Zero, number(31), value[1], ARITHMETIC))?.into(),
                (false, false) => Value::Zero.into(),
                (false, true) => self.copied(number(u32::MAX))?.into(),
            };
            let amount = shift_amount(variant);
            let clamped = self.video_clamped_words([value[0], value[1], above], addend, one, amount, signed)?;
            let to = self.destination(Some(&plain(d)))?;
            return self.emit(Request::new(O::Mov).to(to).from(clamped));
        }
        let mut sum = both(self.add_words(&value, &addend, None, None)?);
        if one {
            let unit = [self.held(number(1))?, Value::Zero.into()];
            sum = both(self.add_words(&sum, &unit, None, None)?);
        }
        let amount = shift_amount(variant);
        if amount > 0 {
            let whole = FUNNEL_RIGHT;
            let low = self.step(shift(sum[0], number(amount), sum[1], whole))?;
            // Unsigned sums of parts have no sign; those of words are not clamped.
            let high = self.step(shift(Value::Zero, number(amount), sum[1], ARITHMETIC))?;
            sum = [low.into(), high.into()];
        }
        if clamps {
            sum = self.video_clamp(sum, 32, signed)?;
        }
        let to = self.destination(Some(&plain(d)))?;
        self.emit(Request::new(O::Mov).to(to).from(sum[0]))
    }

    /// The sum of a product of words, which may have more than 64 bits, and an addend, shifted right and clamped to one word.
    fn video_clamped_words(
        &mut self,
        product: [Source; 3],
        addend: Number,
        one: bool,
        amount: u32,
        signed: bool,
    ) -> Lowered<Source> {
        let addend = [addend[0], addend[1], addend[1]];
        let mut sum = self.add_words(&product, &addend, None, None)?;
        if one {
            let unit = [self.held(number(1))?, Value::Zero.into(), Value::Zero.into()];
            sum = self.add_words(&sum, &unit, None, None)?;
        }
        let [mut low, mut middle, top] = sum[..] else {
            return Err(UNSUPPORTED);
        };
        if amount > 0 {
            low = self.step(shift(low, number(amount), middle, FUNNEL_RIGHT))?.into();
            // What the shift brings to the top word is its sign, which it has already.
            middle = self.step(shift(middle, number(amount), top, FUNNEL_RIGHT))?.into();
        }
        if !signed {
            let most = self.copied(number(u32::MAX))?;
            let fits = self.compare_words(Cmp::Eq, true, middle, Value::Zero, Combine::And, Test::ALWAYS)?;
            return Ok(self.step(select(fits, low, most))?.into());
        }
        let sign = self.step(shift(Value::Zero, number(31), low, ARITHMETIC))?;
        let above = self.step(shift(Value::Zero, number(31), top, ARITHMETIC))?;
        let differs = self.step(logic(middle, above, sign, (A ^ C) | (B ^ C)))?;
        let extreme = self.step(logic(above, number(0x7fff_ffff), Value::Zero, A ^ B))?;
        let fits = self.compare_words(Cmp::Eq, true, differs, Value::Zero, Combine::And, Test::ALWAYS)?;
        Ok(self.step(select(fits, low, extreme))?.into())
    }

    fn video_packed(&mut self, variant: &Variant, kind: Kind, operands: &[Operand]) -> Lowered {
        let [d, a, b, ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let count: u32 = if variant.opcode.name().ends_with('2') { 2 } else { 4 };
        let width = 32 / count;
        let types: Vec<bool> = variant.types().map(is_signed).collect();
        let (signed, first, second) = match types[..] {
            [first, second] => (false, first, second),
            [signed, first, second] => (signed, first, second),
            _ => return Err(UNSUPPORTED),
        };
        let mask = selector(d).map_or(0xf, |selector| {
            selector
                .digits()
                .iter()
                .fold(0_u8, |mask, digit| mask | 1 << (digit & 3))
        });
        let more = count as u8;
        let chosen = [lanes(a, [0, 1, 2, 3]), lanes(b, [more, more + 1, more + 2, more + 3])];
        let mut pair = Words::new();
        for operand in [a, b] {
            let source = self.source(Some(&plain(operand)), Type::U32)?;
            pair.push(self.held(source)?);
        }
        let c = match operands.get(3) {
            Some(c) => self.source(Some(&plain(c)), Type::U32)?,
            None => Value::Zero.into(),
        };
        let accumulates = variant.slot("op2") == Some(M::Add) || variant.has(M::Add);
        let to = self.destination(Some(&plain(d)))?;
        // The machine has the one that codecs use.
        let simple = kind == Kind::Difference && count == 4 && !signed && !first && !second && mask == 0xf;
        if simple && selector(a).is_none() && selector(b).is_none() && self.selector.has(O::Vabsdiff4) {
            let request = Request::new(O::Vabsdiff4)
                .from(pair[0])
                .from(pair[1])
                .from(if accumulates { c } else { Value::Zero.into() })
                .text(F::Unsigned, "U8")
                .flag(F::Acc, accumulates);
            if let Some(value) = self.attempt(request)? {
                return self.emit(Request::new(O::Mov).to(to).from(value));
            }
        }
        let mut result = self.held(c)?;
        for lane in (0..count).filter(|lane| mask >> lane & 1 != 0) {
            let mut numbers = Vec::new();
            for (which, signed) in [(0, first), (1, second)] {
                let place = u32::from(chosen[which][lane as usize]) & (2 * count - 1);
                let word = pair[(place / count) as usize];
                let word = self.video_part(word, (width, place % count * width), signed)?;
                numbers.push(word);
            }
            let value = self.video_lane(kind, numbers[0], numbers[1])?;
            let value = if variant.has(M::Sat) {
                self.clamp_lane(value, range(width, signed))?
            } else {
                value
            };
            result = if accumulates {
                self.step(plus(result, value))?.into()
            } else {
                let mask = ((1_u32 << width) - 1) << (lane * width);
                let moved = self.step(shift(value, number(lane * width), Value::Zero, LEFT))?;
                self.step(logic(moved, result, number(mask), (A & C) | (B & !C)))?
                    .into()
            };
        }
        self.emit(Request::new(O::Mov).to(to).from(result))
    }

    /// An operation on numbers of at most 17 bits.
    fn video_lane(&mut self, kind: Kind, a: Source, b: Source) -> Lowered<Source> {
        Ok(match kind {
            Kind::Add => self.step(plus(a, b))?.into(),
            Kind::Subtract => self.step(plus(a, negated(b)))?.into(),
            Kind::Difference => {
                let less = self.holds(Cmp::Lt, false, &[a], &[b])?;
                let forward = self.step(plus(a, negated(b)))?;
                let backward = self.step(plus(b, negated(a)))?;
                self.step(select(less, backward, forward))?.into()
            }
            Kind::Minimum | Kind::Maximum => {
                let less = self.holds(Cmp::Lt, false, &[a], &[b])?;
                let (a, b) = if kind == Kind::Minimum { (a, b) } else { (b, a) };
                self.step(select(less, a, b))?.into()
            }
            Kind::Average => {
                let sum = self.step(plus(a, b))?;
                // One more, unless the sum is negative.
                let sign = self.step(shift(Value::Zero, number(31), sum, ARITHMETIC))?;
                let request = Request::new(O::Iadd3).from(sum).from(number(1)).from(sign);
                let sum = self.step(request)?;
                self.step(shift(Value::Zero, number(1), sum, ARITHMETIC))?.into()
            }
            Kind::Compare(cmp) => {
                let holds = self.holds(cmp, false, &[a], &[b])?;
                let one = self.copied(number(1))?;
                self.step(select(holds, one, Value::Zero))?.into()
            }
            Kind::Left | Kind::Right => return Err(UNSUPPORTED),
        })
    }

    fn clamp_lane(&mut self, value: Source, [least, greatest]: [i64; 2]) -> Lowered<Source> {
        let mut value = value;
        for (cmp, end) in [(Cmp::Lt, least), (Cmp::Gt, greatest)] {
            let end = self.copied(number(end as u32))?;
            let out = self.holds(cmp, false, &[value], &[end.into()])?;
            value = self.step(select(out, end, value))?.into();
        }
        Ok(value)
    }
}

fn both(words: Words) -> Number {
    let word = |index: usize| words.get(index).copied().unwrap_or(Value::Zero.into());
    [word(0), word(1)]
}

/// A pair of words shifted right: the low word.
const FUNNEL_RIGHT: Funnel = Funnel {
    direction: "R",
    kind: "U64",
    high: false,
    wrap: false,
};

/// How far `vmad` shifts its sum right.
fn shift_amount(variant: &Variant) -> u32 {
    match variant.slot("scale") {
        Some(M::Shr7) => 7,
        Some(M::Shr15) => 15,
        _ => 0,
    }
}
