//! Floating-point operations: the single-precision ones, and the shapes that those of other formats share.
//!
//! Most instructions compute a word from words ([`Op::Lanes`](super::code::Op)); [`FloatOp`] has the others: those on register pairs, and
//! those that a predicate steers.
//!
//! A parameter holds the modifiers of an operation as bits ([`ROUND_TO_ZERO`] and those after it); above bit 7 each family adds its own.

use warpsmith_numerics::{
    float::{self, Clamp, MinMax, Modifiers},
    format::F32,
    round::Rounding,
};

use super::{
    code::{LANES, Lanes, Modify, Predicate, Row, Source, Test},
    lanes::lanes,
    machine::{Context, Flow, Trouble},
    predicate::{Combine, CompareFunction},
};
use crate::fast_float;

/// `.RZ`, `.TRUNC`; with neither this nor [`ROUND_DOWN`], to nearest even.
pub(crate) const ROUND_TO_ZERO: u32 = 1;
/// `.RM`, `.FLOOR`
pub(crate) const ROUND_DOWN: u32 = 2;
/// `.RP`, `.CEIL`
pub(crate) const ROUND_UP: u32 = 3;
/// `.FTZ`
pub(crate) const FTZ: u32 = 1 << 2;
/// `.SAT`
pub(crate) const SATURATE: u32 = 1 << 3;
/// `.RELU`
pub(crate) const RELU: u32 = 1 << 4;
/// `.OOB`
pub(crate) const OUT_OF_BOUNDS: u32 = 1 << 5;
/// `.NAN`
pub(crate) const NAN: u32 = 1 << 6;
/// `.XORSIGN`
pub(crate) const XORSIGN: u32 = 1 << 7;

/// The rounding of a parameter.
#[inline(always)]
pub(crate) fn rounding(parameter: u32) -> Rounding {
    match parameter & 3 {
        ROUND_TO_ZERO => Rounding::TowardZero,
        ROUND_DOWN => Rounding::TowardNegative,
        ROUND_UP => Rounding::TowardPositive,
        _ => Rounding::NearestEven,
    }
}

/// `FSWZADD`: a sum in which the lanes of a quad have signs of their own for the addends. They are two bits for each lane from bit 8 of the
/// parameter on, the highest for the first lane of the quad: `++`, `+-`, `-+`, and `0+` (observed, ptxas 13.0.88: how it gives the lanes of a
/// quad coordinates with the slopes of a `tex.grad`).
pub(crate) fn quad_add(out: &mut Lanes, a: &Lanes, b: &Lanes, _: &Lanes, parameter: u32) {
    const SIGN: u32 = 1 << 31;
    for lane in 0..LANES {
        let signs = parameter >> (8 + 2 * (3 - lane % 4)) & 3;
        let (x, y) = match signs {
            0 => (a[lane], b[lane]),
            1 => (a[lane], b[lane] ^ SIGN),
            2 => (a[lane] ^ SIGN, b[lane]),
            _ => (0, b[lane]),
        };
        let modifiers = Modifiers {
            rounding: rounding(parameter),
            ftz: parameter & FTZ != 0,
            ..Modifiers::default()
        };
        out[lane] = float::add(F32, modifiers, x.into(), y.into()) as u32;
    }
}

/// The clamp of a parameter.
#[inline(always)]
pub(crate) fn clamp(parameter: u32) -> Clamp {
    if parameter & SATURATE != 0 {
        Clamp::Saturate
    } else if parameter & RELU != 0 {
        Clamp::Relu
    } else {
        Clamp::None
    }
}

/// The modifiers of a parameter.
#[inline(always)]
pub(crate) fn modifiers(parameter: u32) -> Modifiers {
    Modifiers {
        rounding: rounding(parameter),
        ftz: parameter & FTZ != 0,
        clamp: clamp(parameter),
        oob: parameter & OUT_OF_BOUNDS != 0,
    }
}

/// The modifiers of minimum and maximum in a parameter. `.XORSIGN` compares magnitudes; its operands are read with their signs.
#[inline(always)]
pub(crate) fn min_max(parameter: u32) -> MinMax {
    let xorsign = parameter & XORSIGN != 0;
    MinMax {
        ftz: parameter & FTZ != 0,
        nan: parameter & NAN != 0,
        abs: xorsign,
        xorsign,
    }
}

lanes!(
    /// `FADD`
    add, |a, b, _c, _p| fast_float::add(a, b)
);
lanes!(
    /// `FADD.FTZ`
    add_flushing, |a, b, _c, _p| fast_float::add_flushing(a, b)
);
lanes!(
    /// `FADD` with any modifiers.
    add_general, |a, b, _c, p| float::add(F32, modifiers(p), a.into(), b.into()) as u32
);
lanes!(
    /// `FMUL`
    multiply, |a, b, _c, _p| fast_float::multiply(a, b)
);
lanes!(
    /// `FMUL.FTZ`
    multiply_flushing, |a, b, _c, _p| fast_float::multiply_flushing(a, b)
);
lanes!(
    /// `FMUL` with any modifiers.
    multiply_general, |a, b, _c, p| float::mul(F32, modifiers(p), a.into(), b.into()) as u32
);
lanes!(
    /// `FFMA`
    multiply_add, |a, b, c, _p| fast_float::multiply_add(a, b, c)
);
lanes!(
    /// `FFMA.FTZ`
    multiply_add_flushing, |a, b, c, _p| fast_float::multiply_add_flushing(a, b, c)
);
lanes!(
    /// `FFMA` with any modifiers.
    multiply_add_general, |a, b, c, p| float::fma(F32, modifiers(p), a.into(), b.into(), c.into()) as u32
);
/// Whether the reciprocal and the remainder of a division are in range, so that the short sequence gives the quotient.
///
/// The sequence that ptxas 13.0 emits for `div.rn.f32` takes the reciprocal of the divisor (`MUFU.RCP`, which knows no subnormals), refines it
/// and the quotient with FFMA, and branches to a function for all operands where FCHK holds. Both give the IEEE quotient wherever the short
/// one is in range: operands and reciprocal normal, the quotient normal and finite, and the remainder, which has up to 24 bits below the
/// dividend's last, not cut off by the smallest subnormal. So the limits here are not seen in any result; those of the machine are not known.
fn needs_long_division(a: u32, b: u32) -> bool {
    let exponent = |bits: u32| (bits >> 23 & 0xff) as i32;
    let (a, b) = (exponent(a), exponent(b));
    let reciprocal_is_normal = (1..=252).contains(&b);
    let remainder_is_exact = (51..=254).contains(&a);
    let quotient_is_normal = (-124..=125).contains(&(a - b));
    !(reciprocal_is_normal && remainder_is_exact && quotient_is_normal)
}

/// `FCHK`: the lanes in which the division needs the long sequence.
pub(crate) fn check_division(a: &Lanes, b: &Lanes) -> u32 {
    (0..LANES).fold(0, |lanes, lane| {
        lanes | u32::from(needs_long_division(a[lane], b[lane])) << lane
    })
}

/// Computes a word from three, steered by the lanes in which a predicate holds, and a parameter.
pub(crate) type SteeredFunction = fn(&mut Lanes, [&Lanes; 3], u32, u32);

/// `FSEL`
pub(crate) fn select(out: &mut Lanes, [a, b, _]: [&Lanes; 3], holds: u32, _parameter: u32) {
    for lane in 0..LANES {
        out[lane] = if holds >> lane & 1 != 0 { a[lane] } else { b[lane] };
    }
}

/// `FMNMX`: the minimum where the predicate holds, else the maximum.
pub(crate) fn extreme(out: &mut Lanes, [a, b, _]: [&Lanes; 3], holds: u32, _parameter: u32) {
    for lane in 0..LANES {
        out[lane] = fast_float::extreme(holds >> lane & 1 == 0, a[lane], b[lane]);
    }
}

/// `FMNMX` with any modifiers.
pub(crate) fn extreme_general(out: &mut Lanes, [a, b, _]: [&Lanes; 3], holds: u32, parameter: u32) {
    let modifiers = min_max(parameter);
    for lane in 0..LANES {
        let (a, b) = (a[lane].into(), b[lane].into());
        out[lane] = if holds >> lane & 1 != 0 {
            float::min(F32, modifiers, a, b)
        } else {
            float::max(F32, modifiers, a, b)
        } as u32;
    }
}

/// `FMNMX3`
pub(crate) fn extreme_of_three(out: &mut Lanes, [a, b, c]: [&Lanes; 3], holds: u32, parameter: u32) {
    let modifiers = min_max(parameter);
    for lane in 0..LANES {
        let (a, b, c) = (a[lane].into(), b[lane].into(), c[lane].into());
        out[lane] = if holds >> lane & 1 != 0 {
            float::min3(F32, modifiers, a, b, c)
        } else {
            float::max3(F32, modifiers, a, b, c)
        } as u32;
    }
}

/// Doublewords of all lanes.
pub(crate) type Doublewords = [u64; LANES];

/// Computes doublewords from up to three and a parameter.
pub(crate) type WideFunction = fn(&mut Doublewords, [&Doublewords; 3], u32);

/// Compares doublewords: the lanes in which the first and the second result hold.
pub(crate) type WideComparison = fn(&Doublewords, &Doublewords) -> [u32; 2];

/// Compares the halves of words: the lanes in which the lower and the upper halves compare so.
pub(crate) type HalfComparison = fn(&Lanes, &Lanes, u32) -> [u32; 2];

macro_rules! wide {
    ($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident, $c:ident, $p:ident| $value:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(out: &mut Doublewords, [a, b, c]: [&Doublewords; 3], $p: u32) {
            for lane in 0..LANES {
                let ($a, $b, $c) = (a[lane], b[lane], c[lane]);
                let _ = ($a, $b, $c);
                out[lane] = $value;
            }
        }
    };
}
pub(crate) use wide;

/// A function of both words of doublewords.
#[inline(always)]
fn both(function: impl Fn([u32; 3]) -> u32, operands: [u64; 3]) -> u64 {
    let low = function(operands.map(|value| value as u32));
    let high = function(operands.map(|value| (value >> 32) as u32));
    u64::from(low) | u64::from(high) << 32
}

wide!(
    /// `FADD2`
    add_pair, |a, b, _c, p| both(|[a, b, _]| float::add(F32, modifiers(p), a.into(), b.into()) as u32, [a, b, 0])
);
wide!(
    /// `FMUL2`
    multiply_pair, |a, b, _c, p| both(|[a, b, _]| float::mul(F32, modifiers(p), a.into(), b.into()) as u32, [a, b, 0])
);
wide!(
    /// `FFMA2`
    multiply_add_pair, |a, b, c, p| both(
        |[a, b, c]| float::fma(F32, modifiers(p), a.into(), b.into(), c.into()) as u32,
        [a, b, c]
    )
);
wide!(
    /// `FADD2` with no modifiers.
    add_pair_plain, |a, b, _c, _p| both(|[a, b, _]| fast_float::add(a, b), [a, b, 0])
);
wide!(
    /// `FMUL2` with no modifiers.
    multiply_pair_plain, |a, b, _c, _p| both(|[a, b, _]| fast_float::multiply(a, b), [a, b, 0])
);
wide!(
    /// `FFMA2` with no modifiers.
    multiply_add_pair_plain, |a, b, c, _p| both(|[a, b, c]| fast_float::multiply_add(a, b, c), [a, b, c])
);

/// A value of one or two words that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) low: Row,
    pub(crate) high: Row,
    pub(crate) modify_low: Modify,
    pub(crate) modify_high: Modify,
}

impl Pair {
    /// Zero.
    pub(crate) const ZERO: Pair = Pair {
        low: Row::ZERO,
        high: Row::ZERO,
        modify_low: Modify::Nothing,
        modify_high: Modify::Nothing,
    };

    /// One word, the other zero.
    pub(crate) fn word(source: Source) -> Pair {
        Pair {
            low: source.row,
            modify_low: source.modify,
            ..Pair::ZERO
        }
    }

    #[inline]
    fn get(self, context: &Context<'_, '_>, out: &mut Doublewords) {
        if self.modify_low == Modify::Nothing && self.modify_high == Modify::Nothing {
            let constants = &context.machine.constants;
            let (low, high) = (
                context.warp.row(constants, self.low),
                context.warp.row(constants, self.high),
            );
            for lane in 0..LANES {
                out[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            }
            return;
        }
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        let constants = &context.machine.constants;
        let low = Source {
            row: self.low,
            modify: self.modify_low,
        };
        let high = Source {
            row: self.high,
            modify: self.modify_high,
        };
        let low = context.warp.source(constants, low, &mut x);
        let high = context.warp.source(constants, high, &mut y);
        for lane in 0..LANES {
            out[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        }
    }
}

/// An operation that is not simply a word from words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FloatOp {
    /// `d = function(a, b, c)` of doublewords; only the lower word is written unless `wide`.
    Wide {
        function: WideFunction,
        d: Row,
        wide: bool,
        sources: [Pair; 3],
        parameter: u32,
    },
    /// `d = function(a, b, c)` of words, steered by a predicate.
    Steered {
        function: SteeredFunction,
        d: Row,
        sources: [Source; 3],
        test: Test,
        parameter: u32,
    },
    /// `d` is 1.0 where `function(a, b) combine test` holds, else 0.
    Set {
        function: CompareFunction,
        d: Row,
        a: Source,
        b: Source,
        combine: Combine,
        test: Test,
    },
    /// `p, q = function(a, b) combine test` of doublewords.
    CompareWide {
        function: WideComparison,
        a: Pair,
        b: Pair,
        p: Predicate,
        q: Predicate,
        combine: Combine,
        test: Test,
    },
    /// `p, q = function(a, b) combine test` of the halves of words.
    CompareHalves {
        function: HalfComparison,
        a: Row,
        b: Row,
        parameter: u32,
        p: Predicate,
        q: Predicate,
        combine: Combine,
        test: Test,
    },
}

impl FloatOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            FloatOp::Wide {
                function,
                d,
                wide,
                sources,
                parameter,
            } => {
                let [mut a, mut b, mut c, mut out] = [[0; LANES]; 4];
                for (source, space) in sources.into_iter().zip([&mut a, &mut b, &mut c]) {
                    source.get(context, space);
                }
                function(&mut out, [&a, &b, &c], parameter);
                if wide {
                    context.warp.write_pair(d, context.active, &out);
                } else {
                    context.put(d, &out.map(|value| value as u32));
                }
            }
            FloatOp::Steered {
                function,
                d,
                sources,
                test,
                parameter,
            } => {
                let holds = context.warp.test(test);
                let (mut x, mut y, mut z) = ([0; LANES], [0; LANES], [0; LANES]);
                let mut out = [0; LANES];
                let constants = &context.machine.constants;
                let values = [
                    context.warp.source(constants, sources[0], &mut x),
                    context.warp.source(constants, sources[1], &mut y),
                    context.warp.source(constants, sources[2], &mut z),
                ];
                function(&mut out, values, holds, parameter);
                context.put(d, &out);
            }
            FloatOp::Set {
                function,
                d,
                a,
                b,
                combine,
                test,
            } => {
                let holds = function(&context.get(a), &context.get(b));
                let holds = combine.of(holds, context.warp.test(test));
                context.put(d, &std::array::from_fn(|lane| (holds >> lane & 1) * 0x3f80_0000));
            }
            FloatOp::CompareWide {
                function,
                a,
                b,
                p,
                q,
                combine,
                test,
            } => {
                let (mut x, mut y) = ([0; LANES], [0; LANES]);
                a.get(context, &mut x);
                b.get(context, &mut y);
                let holds = function(&x, &y);
                set(context, holds, [p, q], combine, test);
            }
            FloatOp::CompareHalves {
                function,
                a,
                b,
                parameter,
                p,
                q,
                combine,
                test,
            } => {
                let constants = &context.machine.constants;
                let holds = function(
                    context.warp.row(constants, a),
                    context.warp.row(constants, b),
                    parameter,
                );
                set(context, holds, [p, q], combine, test);
            }
        }
        Ok(Flow::Next)
    }
}

fn set(context: &mut Context<'_, '_>, holds: [u32; 2], [p, q]: [Predicate; 2], combine: Combine, test: Test) {
    let other = context.warp.test(test);
    context
        .warp
        .set_predicate(q, context.active, combine.of(holds[1], other));
    context
        .warp
        .set_predicate(p, context.active, combine.of(holds[0], other));
}
