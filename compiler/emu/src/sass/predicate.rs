//! What writes predicates, or reads them as values or carries.

use super::{
    code::{LANES, Lanes, Predicate, Row, Source, Test},
    lanes::LanesFunction,
    machine::{Context, Flow, Trouble},
    pair::{self, Words},
};

/// How a comparison's result is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    And,
    Or,
    Xor,
}

impl Combine {
    pub(crate) fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        }
    }
}

/// Compares two words in all lanes; the lanes in which it holds.
pub(crate) type CompareFunction = fn(&Lanes, &Lanes) -> u32;

/// Compares two 64-bit numbers in all lanes; the lanes in which it holds.
pub(crate) type ComparePairFunction = fn(&[u64; LANES], &[u64; LANES]) -> u32;

/// What becomes of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The comparison combined with `test`.
    pub(crate) p: Predicate,
    /// Its contrary combined with `test`.
    pub(crate) q: Predicate,
    pub(crate) combine: Combine,
    pub(crate) test: Test,
}

impl Outcome {
    pub(crate) fn set(self, context: &mut Context<'_, '_>, holds: u32) {
        let other = context.warp.test(self.test);
        let (p, q) = (self.combine.of(holds, other), self.combine.of(!holds, other));
        context.warp.set_predicate(self.q, context.active, q);
        context.warp.set_predicate(self.p, context.active, p);
    }
}

/// What the first term of a sum is shifted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Not at all.
    One,
    /// The low word, by so many bits.
    Low(u8),
    /// The high word of this row and the term, shifted left by so many bits.
    High(Row, u8),
    /// The high word of the sign-extended term, shifted left by so many bits.
    Sign(u8),
}

/// A sum of words with carries. A term that is subtracted is inverted, and one is added for it, so that the carry out of `a - b` is set where
/// `a >= b`, as the next word of a long subtraction needs it (observed: `IADD3 Rd, P0, a, -b, RZ` before `IADD3.X Rd, a, ~b, RZ, P0, !PT`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) d: Row,
    pub(crate) terms: [Row; 3],
    /// Of the first term; inverting comes after it.
    pub(crate) scale: Scale,
    /// The terms that are inverted, one bit each.
    pub(crate) invert: u8,
    /// How many terms are subtracted.
    pub(crate) plus: u8,
    /// The sum is at least 2^32.
    pub(crate) p: Predicate,
    /// The sum is at least 2^33.
    pub(crate) q: Predicate,
    pub(crate) carries: [Test; 2],
}

/// One of the three bits that a truth table is looked up with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bit {
    Test(Test),
    /// The sign of a word.
    Sign(Row),
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PredicateOp {
    /// `ISETP`; with `extended`, of the high words of longer numbers: where these are equal, that predicate of the low words decides.
    Compare {
        function: CompareFunction,
        a: Source,
        b: Source,
        extended: Option<Test>,
        outcome: Outcome,
    },
    /// `ISETP` of 64-bit numbers.
    ComparePair {
        function: ComparePairFunction,
        a: Words,
        b: Words,
        outcome: Outcome,
    },
    /// `IADD3` and `LEA` with carries.
    Sum(Sum),
    /// `d = test ? a : b`
    Select { d: Row, a: Source, b: Source, test: Test },
    /// `MOV` with a mask of lanes of a quad, in each of which it takes place.
    QuadCopy { d: Row, a: Source, lanes: u8 },
    /// `d = test ? yes(a, b, c) : no(a, b, c)`
    Either {
        functions: [LanesFunction; 2],
        parameters: [u32; 2],
        d: Row,
        sources: [Source; 3],
        test: Test,
    },
    /// The maximum (or minimum) of packed halves; the predicates are whether the low and the high result is that of `a`.
    PackedExtreme {
        function: LanesFunction,
        parameter: u32,
        d: Row,
        a: Source,
        b: Source,
        p: Predicate,
        q: Predicate,
    },
    /// `LOP3` with a predicate: whether the result is not zero, or (`and`: and) `test`.
    Logic {
        function: LanesFunction,
        parameter: u32,
        d: Row,
        sources: [Row; 3],
        p: Predicate,
        and: bool,
        test: Test,
    },
    /// `PLOP3`: two truth tables of three bits, the first of which is the highest of the index.
    Table {
        p: Predicate,
        q: Predicate,
        bits: [Bit; 3],
        tables: [u8; 2],
    },
    /// `P2R`: the predicates named by `mask`, put into a byte of `a`.
    Pack {
        d: Row,
        a: Row,
        mask: Row,
        byte: u8,
        uniform: bool,
    },
    /// `R2P`: the predicates named by `mask`, from a byte of `a`.
    Unpack { a: Row, mask: Row, byte: u8, uniform: bool },
}

impl PredicateOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            PredicateOp::Compare {
                function,
                a,
                b,
                extended,
                outcome,
            } => {
                let (mut x, mut y) = ([0; LANES], [0; LANES]);
                let constants = &context.machine.constants;
                let a = context.warp.source(constants, a, &mut x);
                let b = context.warp.source(constants, b, &mut y);
                let mut holds = function(a, b);
                if let Some(low) = extended {
                    holds |= lanes_where(|lane| a[lane] == b[lane]) & context.warp.test(low);
                }
                outcome.set(context, holds);
            }
            PredicateOp::ComparePair {
                function,
                a,
                b,
                outcome,
            } => {
                let (a, b) = (pair::read(context, a), pair::read(context, b));
                outcome.set(context, function(&pair::join(&a), &pair::join(&b)));
            }
            PredicateOp::Sum(sum) => sum.execute(context),
            PredicateOp::Select { d, a, b, test } => {
                let (mut x, mut y) = ([0; LANES], [0; LANES]);
                let constants = &context.machine.constants;
                let out = pair::select(
                    context.warp.test(test),
                    context.warp.source(constants, a, &mut x),
                    context.warp.source(constants, b, &mut y),
                );
                context.put(d, &out);
            }
            PredicateOp::QuadCopy { d, a, lanes } => {
                let a = context.get(a);
                let mask = u32::from(lanes & 0xf) * 0x1111_1111;
                context.warp.write(d, context.active & mask, &a);
            }
            PredicateOp::Either {
                functions,
                parameters,
                d,
                sources,
                test,
            } => {
                let [a, b, c] = sources.map(|source| context.get(source));
                let mut out = [[0; LANES]; 2];
                for ((function, parameter), out) in functions.iter().zip(parameters).zip(&mut out) {
                    function(out, &a, &b, &c, parameter);
                }
                let out = pair::select(context.warp.test(test), &out[0], &out[1]);
                context.put(d, &out);
            }
            PredicateOp::PackedExtreme {
                function,
                parameter,
                d,
                a,
                b,
                p,
                q,
            } => {
                let (a, b) = (context.get(a), context.get(b));
                let mut out = [0; LANES];
                function(&mut out, &a, &b, &[0; LANES], parameter);
                context.put(d, &out);
                let same = |lane: usize| out[lane] ^ a[lane];
                let high = lanes_where(|lane| same(lane) >> 16 == 0);
                let low = lanes_where(|lane| same(lane) & 0xffff == 0);
                context.warp.set_predicate(q, context.active, high);
                context.warp.set_predicate(p, context.active, low);
            }
            PredicateOp::Logic {
                function,
                parameter,
                d,
                sources,
                p,
                and,
                test,
            } => {
                let [a, b, c] = sources.map(|row| context.warp.row(&context.machine.constants, row));
                let mut out = [0; LANES];
                function(&mut out, a, b, c, parameter);
                let holds = lanes_where(|lane| out[lane] != 0);
                let other = context.warp.test(test);
                context.put(d, &out);
                let result = if and { holds & other } else { holds | other };
                context.warp.set_predicate(p, context.active, result);
            }
            PredicateOp::Table { p, q, bits, tables } => {
                let bits = bits.map(|bit| bit.lanes(context));
                let [first, second] = tables.map(|table| look_up(bits, table));
                context.warp.set_predicate(q, context.active, second);
                context.warp.set_predicate(p, context.active, first);
            }
            PredicateOp::Pack {
                d,
                a,
                mask,
                byte,
                uniform,
            } => pack(context, d, [a, mask], byte, uniform),
            PredicateOp::Unpack { a, mask, byte, uniform } => unpack(context, [a, mask], byte, uniform),
        }
        Ok(Flow::Next)
    }
}

/// The lanes for which a condition holds.
#[inline(always)]
pub(crate) fn lanes_where(holds: impl Fn(usize) -> bool) -> u32 {
    let mut mask = 0;
    for lane in 0..LANES {
        mask |= u32::from(holds(lane)) << lane;
    }
    mask
}

impl Bit {
    fn lanes(self, context: &Context<'_, '_>) -> u32 {
        match self {
            Bit::Test(test) => context.warp.test(test),
            Bit::Sign(row) => {
                let row = context.warp.row(&context.machine.constants, row);
                lanes_where(|lane| row[lane] >> 31 != 0)
            }
        }
    }
}

/// A truth table of the bits of all lanes.
fn look_up([a, b, c]: [u32; 3], table: u8) -> u32 {
    (0..8)
        .filter(|row| table >> row & 1 != 0)
        .map(|row| {
            let literal = |lanes: u32, bit: u32| if row >> bit & 1 != 0 { lanes } else { !lanes };
            literal(a, 2) & literal(b, 1) & literal(c, 0)
        })
        .fold(0, |all, lanes| all | lanes)
}

impl Sum {
    fn execute(self, context: &mut Context<'_, '_>) {
        let carries = self.carries.map(|test| context.warp.test(test));
        let constants = &context.machine.constants;
        let warp = &*context.warp;
        let [first, b, c] = self.terms.map(|row| warp.row(constants, row));
        let mut a = *first;
        match self.scale {
            Scale::One => {}
            Scale::Low(amount) => a.iter_mut().for_each(|word| *word <<= amount & 31),
            Scale::High(high, amount) => {
                let high = warp.row(constants, high);
                for lane in 0..LANES {
                    let both = u64::from(high[lane]) << 32 | u64::from(a[lane]);
                    a[lane] = (both << (amount & 31) >> 32) as u32;
                }
            }
            Scale::Sign(amount) => {
                for word in &mut a {
                    *word = (i64::from(*word as i32) << (amount & 31) >> 32) as u32;
                }
            }
        }
        let masks: [u32; 3] = std::array::from_fn(|index| if self.invert >> index & 1 != 0 { u32::MAX } else { 0 });
        let (mut out, mut over) = ([0; LANES], [0; 2]);
        for lane in 0..LANES {
            let more = u64::from(self.plus) + u64::from(carries[0] >> lane & 1) + u64::from(carries[1] >> lane & 1);
            let sum =
                u64::from(a[lane] ^ masks[0]) + u64::from(b[lane] ^ masks[1]) + u64::from(c[lane] ^ masks[2]) + more;
            out[lane] = sum as u32;
            over[0] |= u32::from(sum >> 32 > 0) << lane;
            over[1] |= u32::from(sum >> 32 > 1) << lane;
        }
        context.put(self.d, &out);
        context.warp.set_predicate(self.q, context.active, over[1]);
        context.warp.set_predicate(self.p, context.active, over[0]);
    }
}

/// The predicates of one file by number.
fn file(uniform: bool) -> impl Iterator<Item = (u32, Predicate)> {
    let base = if uniform { Predicate::UNIFORM } else { 0 };
    (0..8).map(move |number| (u32::from(number), Predicate(base + number)))
}

fn pack(context: &mut Context<'_, '_>, d: Row, [a, mask]: [Row; 2], byte: u8, uniform: bool) {
    let mut packed = [0; LANES];
    for (bit, predicate) in file(uniform) {
        let lanes = context.warp.test(Test {
            predicate,
            negated: false,
        });
        for (lane, word) in packed.iter_mut().enumerate() {
            *word |= (lanes >> lane & 1) << bit;
        }
    }
    let constants = &context.machine.constants;
    let (a, mask) = (context.warp.row(constants, a), context.warp.row(constants, mask));
    let shift = 8 * u32::from(byte & 3);
    let out = std::array::from_fn(|lane| {
        let mask = mask[lane] & 0xff;
        a[lane] & !(mask << shift) | (packed[lane] & mask) << shift
    });
    context.put(d, &out);
}

fn unpack(context: &mut Context<'_, '_>, [a, mask]: [Row; 2], byte: u8, uniform: bool) {
    let constants = &context.machine.constants;
    let (a, mask) = (*context.warp.row(constants, a), *context.warp.row(constants, mask));
    let shift = 8 * u32::from(byte & 3);
    for (bit, predicate) in file(uniform) {
        let named = lanes_where(|lane| mask[lane] >> bit & 1 != 0);
        let values = lanes_where(|lane| a[lane] >> shift >> bit & 1 != 0);
        context.warp.set_predicate(predicate, context.active & named, values);
    }
}
