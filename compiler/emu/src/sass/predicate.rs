//! What writes predicates or reads carries.

use super::{
    code::{LANES, Lanes, Predicate, Row, Source, Test},
    machine::{Context, Flow, Trouble},
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

/// Computes a word and a mask of carries from three words and a mask of carries.
pub(crate) type CarryFunction = fn(&mut Lanes, &Lanes, &Lanes, &Lanes, [u32; 2]) -> [u32; 2];

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PredicateOp {
    /// `p = compare(a, b) combine test`, `q = !compare(a, b) combine test`
    Compare {
        function: CompareFunction,
        a: Source,
        b: Source,
        p: Predicate,
        q: Predicate,
        combine: Combine,
        test: Test,
    },
    /// `d = function(a, b, c, carries)`, which also gives carries.
    Carry {
        function: CarryFunction,
        d: Row,
        a: Source,
        b: Source,
        c: Source,
        p: Predicate,
        q: Predicate,
        carries: [Test; 2],
    },
}

impl PredicateOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            PredicateOp::Compare {
                function,
                a,
                b,
                p,
                q,
                combine,
                test,
            } => {
                let (mut x, mut y) = ([0; LANES], [0; LANES]);
                let constants = &context.machine.constants;
                let holds = function(
                    context.warp.source(constants, a, &mut x),
                    context.warp.source(constants, b, &mut y),
                );
                let other = context.warp.test(test);
                context.warp.set_predicate(q, context.active, combine.of(!holds, other));
                context.warp.set_predicate(p, context.active, combine.of(holds, other));
            }
            PredicateOp::Carry {
                function,
                d,
                a,
                b,
                c,
                p,
                q,
                carries,
            } => {
                let inputs = carries.map(|test| context.warp.test(test));
                let (a, b, c) = (context.get(a), context.get(b), context.get(c));
                let mut out = [0; LANES];
                let [first, second] = function(&mut out, &a, &b, &c, inputs);
                context.put(d, &out);
                context.warp.set_predicate(q, context.active, second);
                context.warp.set_predicate(p, context.active, first);
            }
        }
        Ok(Flow::Next)
    }
}
