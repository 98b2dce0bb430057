//! Barriers of CTAs and clusters.

use super::{
    code::{LANES, Op, Predicate, Row, Source, Test},
    control::wait,
    machine::{Cluster, Context, Flow, Machine, Trouble},
    warp::{Wait, Warp},
};
use crate::{FaultKind, barrier::disagreement, lanes::lanes_of, warpgroup::Awaited};

/// What a thread does at a CTA barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Sync,
    Arrive,
    /// Their results are read by `B2R`.
    Popcount(Test),
    And(Test),
    Or(Test),
}

/// How many threads a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// All of the CTA.
    All,
    Threads(Source),
    /// The number is in bits 16 to 27 of the register with the barrier's number.
    Packed,
}

/// An instruction that waits at, or arrives at, a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Barriers {
    Cta {
        action: Action,
        number: Source,
        threads: Expected,
    },
    /// `B2R.RESULT`: the result of the last barrier with a vote, and whether it is not zero.
    Result {
        d: Row,
        p: Predicate,
    },
    ClusterArrive,
    ClusterWait,
    /// `WARPGROUP.DEPBAR`: for all groups of products but so many of the last.
    Products {
        pending: u8,
    },
}

/// Threads of a warp have exited: ends the barriers that wait for nobody else.
pub(crate) fn exit(cluster: &mut Cluster, rank: usize, warp: &mut Warp, lanes: u32) {
    let cta = &mut cluster.ctas[rank];
    for barrier in &mut cta.barriers {
        barrier.recheck(cta.live);
    }
    let live = cluster.live();
    cluster.barrier.exit(&mut warp.cluster_barrier, lanes, live);
}

impl Barriers {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            Barriers::Cta {
                action,
                number,
                threads,
            } => at_cta(context, action, number, threads),
            Barriers::Result { d, p } => {
                let result = context.warp.barrier_result;
                let holds = (0..LANES).fold(0, |all, lane| all | u32::from(result[lane] != 0) << lane);
                context.put(d, &result);
                context.warp.set_predicate(p, context.active, holds);
                Ok(Flow::Next)
            }
            Barriers::ClusterArrive => {
                context.machine.counts.barriers += 1;
                // It runs once for the warp, so that the active lanes are all 32.
                let lanes = context.active & context.mask;
                let live = context.cluster.live();
                let barrier = &mut context.cluster.barrier;
                barrier.arrive(&mut context.warp.cluster_barrier, lanes, live);
                Ok(Flow::Next)
            }
            Barriers::ClusterWait => {
                let generation = context.warp.cluster_barrier.generation;
                if context.cluster.barrier.generation != generation {
                    return Ok(Flow::Next);
                }
                let waiting = context.active & context.mask;
                Ok(wait(context, waiting, Wait::Cluster { generation }))
            }
            Barriers::Products { pending } => {
                let awaited = context.warp.products.awaited(usize::from(pending));
                let waiting = context.active & context.mask;
                Ok(wait(context, waiting, Wait::Products(Awaited::Computed(awaited))))
            }
        }
    }
}

/// `BAR`: the active threads arrive, and unless they only arrive they wait for the others.
fn at_cta(context: &mut Context<'_, '_>, action: Action, number: Source, threads: Expected) -> Result<Flow, Trouble> {
    let numbers = context.get(number);
    let counts = match threads {
        Expected::All => None,
        Expected::Threads(threads) => Some(context.get(threads)),
        Expected::Packed => Some(numbers.map(|value| value >> 16 & 0xfff)),
    };
    let first = context.active.trailing_zeros() as usize % LANES;
    let alike = |lane: &usize| numbers[*lane] == numbers[first] && counts.is_none_or(|c| c[*lane] == c[first]);
    let together = lanes_of(context.active)
        .filter(alike)
        .fold(0, |all, lane| all | 1 << lane);
    let number = match threads {
        Expected::Packed => numbers[first] & 0xf,
        Expected::All | Expected::Threads(_) => numbers[first],
    } as usize;
    if number >= 16 {
        let message = format!("there is no barrier {number}, only 0 to 15");
        return Err(Trouble::new(FaultKind::Operand, message).at(first));
    }
    let expected = counts.map(|counts| counts[first]);
    context.machine.counts.barriers += 1;
    let votes = match action {
        Action::Popcount(test) | Action::And(test) | Action::Or(test) => {
            ((context.warp.test(test) & together).count_ones(), together.count_ones())
        }
        Action::Sync | Action::Arrive => (0, 0),
    };
    // With a number of threads, whole warps are counted: lanes that are no threads or have exited arrive with the others.
    let arriving = if expected.is_some() && together == context.warp.live {
        32
    } else {
        together.count_ones()
    };
    let cta = context.cta();
    let live = cta.live;
    let barrier = &mut cta.barriers[number];
    let arrival = barrier.arrive(arriving, expected, votes, live).map_err(|waited| {
        let message = disagreement(number, expected.unwrap_or(live), waited);
        Trouble::new(FaultKind::BarrierDivergence, message).at(first)
    })?;
    let others = context.active & !together;
    if action == Action::Arrive && others == 0 {
        return Ok(Flow::Next);
    }
    let (index, pc) = (context.group, context.pc);
    // The lanes of another barrier come to this step again.
    let mut target = pc;
    if action == Action::Arrive {
        target += 1;
    }
    context.warp.groups[index].pc = pc + 1;
    if others != 0 {
        context.warp.split(index, others, pc);
    }
    context.warp.split(index, together, target);
    if action != Action::Arrive {
        let waiting = context
            .warp
            .groups
            .iter_mut()
            .find(|group| group.mask == together && group.pc == target);
        if let Some(group) = waiting {
            group.wait = Wait::Barrier {
                number: number as u8,
                generation: arrival.generation,
            };
        }
    }
    Ok(Flow::Choose)
}

/// Lets a group go on whose barrier has ended.
pub(crate) fn wake(machine: &mut Machine<'_>, cluster: &mut Cluster, rank: usize, warp: &mut Warp, index: usize) {
    let group = &mut warp.groups[index];
    let (wait, pc) = (group.wait, group.pc);
    group.wait = Wait::Nothing;
    if let Wait::Products(Awaited::Arrival(_)) = wait {
        // The product is still to be computed.
        return;
    }
    group.pc += 1;
    let (Wait::Barrier { number, .. }, Some(step)) = (wait, machine.program.steps.get(pc as usize)) else {
        return;
    };
    let Op::Barrier(Barriers::Cta { action, .. }) = step.op else {
        return;
    };
    let (yes, all) = cluster.ctas[rank].barriers[usize::from(number) % 16].result;
    let result = match action {
        Action::Sync | Action::Arrive => return,
        Action::Popcount(_) => yes,
        Action::And(_) => u32::from(yes == all),
        Action::Or(_) => u32::from(yes > 0),
    };
    for lane in lanes_of(warp.groups[index].mask) {
        warp.barrier_result[lane] = result;
    }
}
