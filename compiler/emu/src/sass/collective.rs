//! What looks at other lanes: votes, shuffles, matches.

use super::{
    code::{LANES, Predicate, Row, Test},
    machine::{Context, Flow, Trouble},
};

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
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Equal,
}

impl Collective {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            Collective::Vote { mode, d, p, test } => {
                let voters = context.active & context.mask;
                let yes = voters & context.warp.test(test);
                let holds = match mode {
                    Vote::All => yes == voters,
                    Vote::Any => yes != 0,
                    Vote::Equal => yes == voters || yes == 0,
                };
                context.put(d, &[yes; LANES]);
                context
                    .warp
                    .set_predicate(p, context.active, if holds { u32::MAX } else { 0 });
                Ok(Flow::Next)
            }
        }
    }
}
