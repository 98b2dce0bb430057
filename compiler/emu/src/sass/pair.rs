//! Products, sums and moves of 64-bit numbers in register pairs, and what else carries out of a product.

use super::{
    code::{LANES, Lanes, Predicate, Row, Test},
    machine::{Context, Flow, Trouble},
};

/// A 64-bit value: the rows of its words, low first.
pub(crate) type Words = [Row; 2];

/// What is kept of a product and its addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Low,
    High,
    Wide,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PairOp {
    /// `IMAD` with `.HI`, `.WIDE` or `.X`: the product of two words, a 64-bit addend (of which `.LO` uses one word), a number and a carry.
    ///
    /// The carry out is that of the unsigned 64-bit sum.
    Multiply {
        d: Row,
        a: Row,
        b: Row,
        c: Words,
        /// The addend is inverted.
        invert: bool,
        plus: bool,
        signed: bool,
        part: Part,
        p: Predicate,
        carry: Test,
    },
    /// `IADD.64`, `UIADD3.64`: the sum of three, of a number and of carries. `p`: it is at least 2^64, `q`: at least 2^65.
    Sum {
        d: Row,
        terms: [Words; 3],
        /// The terms that are inverted, one bit each.
        invert: u8,
        plus: u8,
        p: Predicate,
        q: Predicate,
        carries: [Test; 2],
    },
    /// `MOV.64`
    Copy { d: Row, a: Words },
    /// `SEL.64`
    Select { d: Row, a: Words, b: Words, test: Test },
    /// `IMNMX` of 64 bits: the minimum where `test` holds, else the maximum.
    Extreme {
        d: Row,
        a: Words,
        b: Words,
        signed: bool,
        test: Test,
    },
}

impl PairOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            PairOp::Multiply { .. } => self.multiply(context),
            PairOp::Sum { .. } => self.sum(context),
            PairOp::Copy { d, a } => {
                let [low, high] = read(context, a);
                context.put(d, &low);
                context.put(d.after(1), &high);
            }
            PairOp::Select { d, a, b, test } => {
                let holds = context.warp.test(test);
                let (a, b) = (read(context, a), read(context, b));
                for word in 0..2 {
                    context.put(d.after(word as u32), &select(holds, &a[word], &b[word]));
                }
            }
            PairOp::Extreme { d, a, b, signed, test } => {
                let minimum = context.warp.test(test);
                let (a, b) = (join(&read(context, a)), join(&read(context, b)));
                let bias = if signed { 1 << 63 } else { 0 };
                let chosen = std::array::from_fn(|lane| {
                    let (a, b) = (a[lane], b[lane]);
                    if (a ^ bias < b ^ bias) == (minimum >> lane & 1 != 0) {
                        a
                    } else {
                        b
                    }
                });
                context.warp.write_pair(d, context.active, &chosen);
            }
        }
        Ok(Flow::Next)
    }

    fn multiply(self, context: &mut Context<'_, '_>) {
        let PairOp::Multiply {
            d,
            a,
            b,
            c,
            invert,
            plus,
            signed,
            part,
            p,
            carry,
        } = self
        else {
            return;
        };
        let carry = context.warp.test(carry);
        let constants = &context.machine.constants;
        let warp = &*context.warp;
        let (a, b) = (warp.row(constants, a), warp.row(constants, b));
        let (low, high) = (warp.row(constants, c[0]), warp.row(constants, c[1]));
        let mask = if invert { u64::MAX } else { 0 };
        let (mut out, mut over) = ([[0; LANES]; 2], 0);
        if p == Predicate::TRUE && carry == 0 && !plus {
            products(&mut out, a, b, [low, high], mask, signed);
        } else {
            for lane in 0..LANES {
                let addend = (u64::from(low[lane]) | u64::from(high[lane]) << 32) ^ mask;
                let (sum, first) = product(a[lane], b[lane], signed).overflowing_add(addend);
                let more = u64::from(plus) + u64::from(carry >> lane & 1);
                let (sum, second) = sum.overflowing_add(more);
                out[0][lane] = sum as u32;
                out[1][lane] = (sum >> 32) as u32;
                over |= u32::from(first || second) << lane;
            }
        }
        match part {
            Part::Low => context.put(d, &out[0]),
            Part::High => context.put(d, &out[1]),
            Part::Wide => {
                context.put(d, &out[0]);
                context.put(d.after(1), &out[1]);
            }
        }
        context.warp.set_predicate(p, context.active, over);
    }

    fn sum(self, context: &mut Context<'_, '_>) {
        let PairOp::Sum {
            d,
            terms,
            invert,
            plus,
            p,
            q,
            carries,
        } = self
        else {
            return;
        };
        let carries = carries.map(|test| context.warp.test(test));
        let terms = terms.map(|term| join(&read(context, term)));
        let mut over = [0; 2];
        let sums = std::array::from_fn(|lane| {
            let mut sum = u128::from(plus);
            for (index, term) in terms.iter().enumerate() {
                let mask = if invert >> index & 1 != 0 { u64::MAX } else { 0 };
                sum += u128::from(term[lane] ^ mask);
            }
            sum += carries.iter().map(|carry| u128::from(carry >> lane & 1)).sum::<u128>();
            over[0] |= u32::from(sum >> 64 > 0) << lane;
            over[1] |= u32::from(sum >> 64 > 1) << lane;
            sum as u64
        });
        context.warp.write_pair(d, context.active, &sums);
        context.warp.set_predicate(q, context.active, over[1]);
        context.warp.set_predicate(p, context.active, over[0]);
    }
}

#[inline(always)]
fn product(a: u32, b: u32, signed: bool) -> u64 {
    if signed {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    } else {
        u64::from(a) * u64::from(b)
    }
}

/// Products and addends without carries, which is the common case.
fn products(out: &mut [Lanes; 2], a: &Lanes, b: &Lanes, c: [&Lanes; 2], mask: u64, signed: bool) {
    let [low, high] = out;
    let mut each = |signed: bool| {
        for lane in 0..LANES {
            let addend = (u64::from(c[0][lane]) | u64::from(c[1][lane]) << 32) ^ mask;
            let sum = product(a[lane], b[lane], signed).wrapping_add(addend);
            low[lane] = sum as u32;
            high[lane] = (sum >> 32) as u32;
        }
    };
    if signed {
        each(true);
    } else {
        each(false);
    }
}

/// The words of a value.
pub(super) fn read(context: &Context<'_, '_>, words: Words) -> [Lanes; 2] {
    words.map(|row| *context.warp.row(&context.machine.constants, row))
}

/// The numbers of two words.
pub(super) fn join([low, high]: &[Lanes; 2]) -> [u64; LANES] {
    std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
}

/// The first in the lanes of a mask, else the second.
#[inline(always)]
pub(super) fn select(mask: u32, a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|lane| {
        let chosen = 0_u32.wrapping_sub(mask >> lane & 1);
        a[lane] & chosen | b[lane] & !chosen
    })
}
