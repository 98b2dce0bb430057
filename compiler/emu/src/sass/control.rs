//! Control flow: branches, convergence barriers, calls, the end of threads.

use super::{
    code::{Pc, SYSTEM_BASE, Source, Test, code_address, step_at},
    machine::{Context, Flow as Next, Trouble},
    system,
    warp::Wait,
};
use crate::{FaultKind, lanes::lanes_of};

/// Which lanes `WARPSYNC` waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Members {
    All,
    Mask(Source),
}

/// Where a jump goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    Step(Pc),
    /// A register pair plus an offset; `relative`: the low register alone, from a step.
    Address {
        low: Source,
        high: Source,
        offset: i64,
        relative: bool,
    },
}

/// An instruction of control flow. `test` is its predicate operand; a thread acts if that and the guard hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flow {
    Branch {
        test: Test,
        target: Pc,
    },
    /// `CALL` and `RET`: the return address is in registers by convention, so both only jump.
    Jump {
        test: Test,
        destination: Destination,
    },
    Exit {
        test: Test,
    },
    /// `BSSY`: the active threads take part in the barrier.
    Arm {
        barrier: u8,
        test: Test,
    },
    /// `BSYNC`: waits for those that take part.
    Converge {
        barrier: u8,
        test: Test,
    },
    /// `BREAK`: the active threads take part no longer.
    Leave {
        barrier: u8,
        test: Test,
    },
    /// `WARPSYNC`
    Wait {
        test: Test,
        members: Members,
    },
    Yield,
}

impl Flow {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Next, Trouble> {
        let acting = |context: &Context<'_, '_>, test: Test| context.active & context.mask & context.warp.test(test);
        match self {
            Flow::Branch { test, target } => {
                let taken = acting(context, test);
                context.machine.counts.branches += 1;
                Ok(go(context, taken, target))
            }
            Flow::Jump { test, destination } => {
                let taken = acting(context, test);
                jump(context, taken, destination)
            }
            Flow::Exit { test } => {
                let leaving = acting(context, test);
                Ok(exit(context, leaving))
            }
            Flow::Arm { barrier, test } => {
                let members = acting(context, test);
                for lane in lanes_of(members) {
                    context.warp.convergence[usize::from(barrier) % 16][lane] = members;
                }
                Ok(Next::Next)
            }
            Flow::Converge { barrier, test } => {
                let waiting = acting(context, test);
                Ok(wait(context, waiting, Wait::Converge { barrier }))
            }
            Flow::Leave { barrier, test } => {
                let leaving = acting(context, test);
                for members in &mut context.warp.convergence[usize::from(barrier) % 16] {
                    *members &= !leaving;
                }
                if leaving != 0 {
                    context.warp.converge(context.machine.program);
                    return Ok(moved(context));
                }
                Ok(Next::Next)
            }
            Flow::Wait { test, members } => {
                let waiting = acting(context, test);
                let members = match members {
                    Members::All => u32::MAX,
                    Members::Mask(source) => context.get(source)[waiting.trailing_zeros() as usize % 32],
                };
                if waiting & !members != 0 {
                    let message = format!(
                        "lanes {waiting:#010x} wait for lanes {members:#010x}, to which they do not all belong"
                    );
                    return Err(Trouble::new(FaultKind::Operand, message));
                }
                Ok(wait(context, waiting, Wait::Lanes { members }))
            }
            Flow::Yield => Ok(Next::Yield),
        }
    }
}

/// The group stands at the next step, unless it has gone.
fn moved(context: &mut Context<'_, '_>) -> Next {
    let (mask, pc) = (context.mask, context.pc);
    if let Some(group) = context
        .warp
        .groups
        .iter_mut()
        .find(|group| group.mask & mask != 0 && group.pc == pc)
    {
        group.pc += 1;
    }
    Next::Choose
}

/// Some threads go to a step, the others of the group to the next.
fn go(context: &mut Context<'_, '_>, taken: u32, target: Pc) -> Next {
    if taken == context.mask {
        return Next::Jump(target);
    }
    if taken == 0 {
        return Next::Next;
    }
    context.machine.counts.divergent += 1;
    context.warp.groups[context.group].pc = context.pc + 1;
    context.warp.split(context.group, taken, target);
    Next::Choose
}

/// Some threads of the group wait at this step, the others go on.
pub(super) fn wait(context: &mut Context<'_, '_>, waiting: u32, wait: Wait) -> Next {
    if waiting == 0 {
        return Next::Next;
    }
    context.warp.groups[context.group].pc = context.pc + 1;
    context.warp.split(context.group, waiting, context.pc);
    let pc = context.pc;
    if let Some(group) = context
        .warp
        .groups
        .iter_mut()
        .find(|group| group.mask == waiting && group.pc == pc)
    {
        group.wait = wait;
    }
    context.warp.converge(context.machine.program);
    Next::Choose
}

fn exit(context: &mut Context<'_, '_>, leaving: u32) -> Next {
    if leaving == 0 {
        return Next::Next;
    }
    context.warp.groups[context.group].pc = context.pc + 1;
    context.warp.exit(leaving);
    context.warp.converge(context.machine.program);
    context.cta().live -= leaving.count_ones();
    super::barrier::recheck(context.cluster, context.rank);
    Next::Choose
}

/// A jump whose destination may differ between threads.
fn jump(context: &mut Context<'_, '_>, taken: u32, destination: Destination) -> Result<Next, Trouble> {
    let (low, high, offset, relative) = match destination {
        Destination::Step(target) => return Ok(go(context, taken, target)),
        Destination::Address {
            low,
            high,
            offset,
            relative,
        } => (context.get(low), context.get(high), offset, relative),
    };
    let address = |lane: usize| {
        if relative {
            code_address(0)
                .wrapping_add_signed(offset)
                .wrapping_add(u64::from(low[lane]))
        } else {
            (u64::from(low[lane]) | u64::from(high[lane]) << 32).wrapping_add_signed(offset)
        }
    };
    let mut left = taken;
    let mut flow = Next::Next;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let wanted = address(first);
        let together = lanes_of(left)
            .filter(|lane| address(*lane) == wanted)
            .fold(0, |all, lane| all | 1 << lane);
        left &= !together;
        if wanted >= SYSTEM_BASE && !relative {
            return system::call(context, together, wanted);
        }
        let steps = context.machine.program.steps.len();
        let Some(target) = step_at(wanted).filter(|target| (*target as usize) < steps) else {
            return Err(Trouble::new(FaultKind::Call, format!("there is no code at {wanted:#x}")).at(first));
        };
        if together == context.mask {
            return Ok(Next::Jump(target));
        }
        if flow == Next::Next {
            context.warp.groups[context.group].pc = context.pc + 1;
        }
        context.warp.split(context.group, together, target);
        flow = Next::Choose;
    }
    Ok(flow)
}
