//! What looks at other lanes: votes, shuffles, matches, reductions, and copies to uniform registers.
//!
//! All work on the lanes that execute the instruction together; waiting for others is the work of the instructions before.

use warpsmith_numerics::{
    float::{self, MinMax},
    format,
};

use super::{
    code::{LANES, Lanes, Predicate, Row, Source, Test},
    machine::{Context, Flow, Trouble},
    predicate::lanes_where,
};
use crate::lanes::lanes_of;
pub(crate) use crate::shuffle::Shuffle;

/// An operation that looks at other lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Collective {
    /// `VOTE`, `VOTEU`: the active lanes in which `test` holds, and whether all, any, or all or none are.
    Vote {
        mode: Vote,
        d: Row,
        p: Predicate,
        test: Test,
    },
    /// `SHFL`: the value of the lane that `b` and `c` say, or the own one and a false predicate where that lies outside the segment.
    Shuffle {
        mode: Shuffle,
        d: Row,
        p: Predicate,
        a: Source,
        b: Source,
        c: Source,
    },
    /// `MATCH.ANY`: the active lanes with the same value.
    MatchAny { d: Row, a: [Row; 2] },
    /// `MATCH.ALL`: the active lanes if all have the same value, else nothing.
    MatchAll { d: Row, p: Predicate, a: [Row; 2] },
    /// `REDUX`, `CREDUX`
    Reduce { operation: Reduction, d: Row, a: Row },
    /// `ELECT`: the number of the lowest active lane, and whether this is that one.
    Elect { d: Row, p: Predicate },
    /// `R2UR`: the value of the lowest active lane, and whether this lane has another one; with `or`, or had so before.
    ///
    /// Source: observed, the loops in which ptxas 13.0.88 executes an instruction with uniform operands once for each distinct value.
    ToUniform { d: Row, a: Row, p: Predicate, or: bool },
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Equal,
}

/// How values of lanes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    And,
    Or,
    Xor,
    Add,
    Minimum,
    Maximum,
    MinimumSigned,
    MaximumSigned,
    /// Of f32.
    Float {
        maximum: bool,
        absolute: bool,
        nan: bool,
    },
}

impl Reduction {
    fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Reduction::And => a & b,
            Reduction::Or => a | b,
            Reduction::Xor => a ^ b,
            Reduction::Add => a.wrapping_add(b),
            Reduction::Minimum => a.min(b),
            Reduction::Maximum => a.max(b),
            Reduction::MinimumSigned => (a as i32).min(b as i32) as u32,
            Reduction::MaximumSigned => (a as i32).max(b as i32) as u32,
            Reduction::Float { maximum, nan, .. } => {
                let modifiers = MinMax {
                    nan,
                    ..MinMax::default()
                };
                let extreme = if maximum { float::max } else { float::min };
                extreme(format::F32, modifiers, u64::from(a), u64::from(b)) as u32
            }
        }
    }

    /// The reduction of the active lanes, of which there is one at least.
    fn total(self, values: &Lanes, active: u32) -> u32 {
        let value = |lane: usize| match self {
            Reduction::Float { absolute: true, .. } => values[lane] & !(1 << 31),
            _ => values[lane],
        };
        let total = lanes_of(active).map(value).reduce(|a, b| self.of(a, b)).unwrap_or(0);
        match self {
            // A single value is canonicalised as the others are.
            Reduction::Float { .. } if active.count_ones() == 1 => self.of(total, total),
            _ => total,
        }
    }
}

impl Collective {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let active = context.active & context.mask;
        match self {
            Collective::Vote { mode, d, p, test } => {
                let yes = active & context.warp.test(test);
                let holds = match mode {
                    Vote::All => yes == active,
                    Vote::Any => yes != 0,
                    Vote::Equal => yes == active || yes == 0,
                };
                context.put(d, &[yes; LANES]);
                context.warp.set_predicate(p, active, if holds { u32::MAX } else { 0 });
            }
            Collective::Shuffle { mode, d, p, a, b, c } => {
                let (a, b, c) = (context.get(a), context.get(b), context.get(c));
                let (mut out, mut valid) = ([0; LANES], 0);
                for (lane, value) in out.iter_mut().enumerate() {
                    let (source, inside) = mode.source(lane as u32, b[lane], c[lane]);
                    valid |= u32::from(inside) << lane;
                    // What a lane that takes no part gives is undefined; its register is as good as anything.
                    *value = a[source as usize % LANES];
                }
                context.put(d, &out);
                context.warp.set_predicate(p, active, valid);
            }
            Collective::MatchAny { d, a } => {
                let values = super::pair::join(&super::pair::read(context, a));
                let same = |lane: usize| {
                    lanes_of(active)
                        .filter(|other| values[*other] == values[lane])
                        .fold(0, |all, other| all | 1 << other)
                };
                context.put(d, &std::array::from_fn(same));
            }
            Collective::MatchAll { d, p, a } => {
                let values = super::pair::join(&super::pair::read(context, a));
                let first = active.trailing_zeros() as usize % LANES;
                let all = lanes_of(active).all(|lane| values[lane] == values[first]);
                context.put(d, &[if all { active } else { 0 }; LANES]);
                context.warp.set_predicate(p, active, if all { u32::MAX } else { 0 });
            }
            Collective::Reduce { operation, d, a } => {
                let values = *context.warp.row(&context.machine.constants, a);
                context.put(d, &[operation.total(&values, active); LANES]);
            }
            Collective::Elect { d, p } => {
                let leader = active.trailing_zeros();
                context.put(d, &[leader; LANES]);
                context.warp.set_predicate(p, active, active & active.wrapping_neg());
            }
            Collective::ToUniform { d, a, p, or } => {
                let values = *context.warp.row(&context.machine.constants, a);
                let first = active.trailing_zeros() as usize % LANES;
                let other = lanes_where(|lane| values[lane] != values[first]);
                let before = context.warp.test(Test {
                    predicate: p,
                    negated: false,
                });
                context.put(d, &values);
                let differs = if or { other | before } else { other };
                context.warp.set_predicate(p, active, differs);
            }
        }
        Ok(Flow::Next)
    }
}
