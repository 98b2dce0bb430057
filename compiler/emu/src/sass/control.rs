//! Control flow: branches, convergence barriers, calls, the end of threads.

use super::{
    code::{LANES, Lanes, Pc, Row, SYSTEM_BASE, Source, Test, code_address, step_at},
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
    /// An address.
    Absolute(u64),
    /// A register pair plus an offset; `relative`: the low register alone, from a step.
    Address {
        low: Source,
        high: Source,
        offset: i64,
        relative: bool,
    },
}

/// When a branch is taken beyond its guard and its predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Always,
    /// By all threads of the group if one of them would take it.
    Any,
    /// `.DIV`: if some of these lanes run elsewhere; `.CONV` (`together`): if none does.
    Divergent {
        lanes: Source,
        together: bool,
    },
}

/// What a thread knows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A convergence barrier.
    Barrier(u8),
    /// `MACTIVE`: the lanes that run together.
    Active,
    /// `MEXITED`: the lanes that have exited.
    Exited,
}

/// An instruction of control flow. `test` is its predicate operand; a thread acts if that and the guard hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flow {
    Branch {
        test: Test,
        condition: Condition,
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
    /// `BSSY`: the active threads take part in the barrier. `loose`: not all of them need come to its end.
    Arm {
        barrier: u8,
        test: Test,
        loose: bool,
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
    /// `BMOV` to a register.
    Save {
        d: Row,
        state: State,
        clear: bool,
    },
    /// `BMOV` to a convergence barrier.
    Restore {
        barrier: u8,
        source: Source,
    },
    /// `BMOV` of a number to a convergence barrier.
    Fill {
        barrier: u8,
        lanes: u32,
    },
    /// `BMOV.CLEAR` of a convergence barrier to another one.
    PassOn {
        to: u8,
        from: u8,
    },
    /// `BMOV.PQUAD` to `MACTIVE`: the other lanes of the quads run, too, wherever they are. Or back: the lanes run alone that did before.
    Help {
        whole: bool,
    },
    /// `RPCMOV` to a register.
    LoadReturn {
        d: Row,
        high: bool,
    },
    /// `RPCMOV` from a register.
    StoreReturn {
        source: Source,
        high: bool,
    },
    /// `LEPC`: the address of a step.
    AddressOf {
        d: Row,
        target: Pc,
    },
    /// `WARPSYNC`
    Wait {
        test: Test,
        members: Members,
    },
    /// `WARPSYNC.COLLECTIVE`: these lanes execute what follows together, and then go on at the target.
    Gather {
        test: Test,
        members: Members,
        target: Pc,
    },
    /// `ENDCOLLECTIVE`: each thread goes on where its section said.
    Scatter {
        test: Test,
    },
    /// `BPT.TRAP`
    Trap,
    Yield {
        test: Test,
    },
}

impl Flow {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Next, Trouble> {
        let acting = |context: &Context<'_, '_>, test: Test| context.active & context.mask & context.warp.test(test);
        match self {
            Flow::Branch {
                test,
                condition,
                target,
            } => {
                let taken = taken(context, acting(context, test), condition);
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
            Flow::Arm { barrier, test, loose } => {
                let members = acting(context, test);
                context.warp.arm(barrier, members, loose);
                Ok(Next::Next)
            }
            Flow::Converge { barrier, test } => {
                let waiting = acting(context, test);
                Ok(wait(context, waiting, Wait::Converge { barrier }))
            }
            Flow::Leave { barrier, test } => {
                let leaving = acting(context, test);
                if leaving == 0 {
                    return Ok(Next::Next);
                }
                // Others may have waited for these only.
                context.warp.groups[context.group].pc = context.pc + 1;
                context.warp.leave(barrier, leaving);
                context.warp.converge(context.machine.program);
                Ok(Next::Choose)
            }
            Flow::Wait { test, members } => {
                let waiting = acting(context, test);
                if all_are_here(context, waiting, members) {
                    // They stay one group, whichever lanes each of them names.
                    return Ok(Next::Next);
                }
                let (waiting, members) = members_of(context, waiting, members)?;
                Ok(wait(context, waiting, Wait::Lanes { members }))
            }
            Flow::Gather { test, members, target } => {
                let waiting = acting(context, test);
                let (waiting, members) = members_of(context, waiting, members)?;
                for lane in lanes_of(waiting) {
                    context.warp.collective[lane] = target;
                }
                Ok(wait(context, waiting, Wait::Collective { members }))
            }
            Flow::Scatter { test } => {
                let leaving = acting(context, test);
                let targets = context.warp.collective;
                Ok(scatter(context, leaving, &targets))
            }
            Flow::Trap if context.active & context.mask != 0 => {
                Err(Trouble::new(FaultKind::Trap, "the code ends the launch by a trap"))
            }
            Flow::Yield { test } if acting(context, test) != 0 => {
                let (group, next) = (context.group, context.pc + 1);
                context.warp.groups[group].pc = next;
                context.warp.groups[group].gave_way = true;
                match context.warp.gives_way(context.machine.program) {
                    true => Ok(Next::Choose),
                    false => Ok(Next::Yield),
                }
            }
            Flow::Trap | Flow::Yield { .. } => Ok(Next::Next),
            Flow::Help { whole } => Ok(help(context, whole)),
            Flow::Save { .. }
            | Flow::Restore { .. }
            | Flow::Fill { .. }
            | Flow::PassOn { .. }
            | Flow::LoadReturn { .. }
            | Flow::StoreReturn { .. }
            | Flow::AddressOf { .. } => {
                self.copy(context);
                Ok(Next::Next)
            }
        }
    }

    /// The instructions that only copy.
    fn copy(self, context: &mut Context<'_, '_>) {
        let active = context.active & context.mask;
        match self {
            Flow::Save { d, state, clear } => {
                let values = match state {
                    State::Barrier(barrier) => context.warp.convergence[usize::from(barrier) % 16],
                    State::Active => [active; LANES],
                    State::Exited => [!context.warp.live; LANES],
                };
                context.warp.write(d, active, &values);
                if let (State::Barrier(barrier), true) = (state, clear) {
                    for lane in lanes_of(active) {
                        context.warp.convergence[usize::from(barrier) % 16][lane] = 0;
                    }
                }
            }
            Flow::Restore { barrier, source } => {
                let values = context.get(source);
                for lane in lanes_of(active) {
                    context.warp.convergence[usize::from(barrier) % 16][lane] = values[lane];
                }
            }
            Flow::Fill { barrier, lanes } => {
                for lane in lanes_of(active) {
                    context.warp.convergence[usize::from(barrier) % 16][lane] = lanes;
                }
            }
            Flow::PassOn { to, from } => {
                for lane in lanes_of(active) {
                    let held = std::mem::take(&mut context.warp.convergence[usize::from(from) % 16][lane]);
                    context.warp.convergence[usize::from(to) % 16][lane] = held;
                }
            }
            Flow::LoadReturn { d, high } => {
                let values = context.warp.return_address[usize::from(high)];
                context.warp.write(d, active, &values);
            }
            Flow::StoreReturn { source, high } => {
                let values = context.get(source);
                for lane in lanes_of(active) {
                    context.warp.return_address[usize::from(high)][lane] = values[lane];
                }
            }
            Flow::AddressOf { d, target } => {
                context.warp.write_pair(d, active, &[code_address(target); LANES]);
            }
            Flow::Branch { .. } | Flow::Jump { .. } | Flow::Exit { .. } | Flow::Arm { .. } => {}
            Flow::Converge { .. } | Flow::Leave { .. } | Flow::Wait { .. } | Flow::Gather { .. } => {}
            Flow::Scatter { .. } | Flow::Trap | Flow::Help { .. } | Flow::Yield { .. } => {}
        }
    }
}

/// Lets the other lanes of the quads run with a group, `whole`, or no longer. They keep their place in the program, and whether they have ended; nothing else of
/// the warp runs meanwhile.
fn help(context: &mut Context<'_, '_>, whole: bool) -> Next {
    let group = &mut context.warp.groups[context.group];
    let own = group.helped.take().unwrap_or(group.mask);
    group.mask = own;
    if whole {
        let quads = (own | own >> 1 | own >> 2 | own >> 3) & 0x1111_1111;
        group.mask = quads * 0xf;
        group.helped = Some(own);
    }
    group.pc = context.pc + 1;
    Next::Choose
}

/// Which of the threads that would take a branch take it.
fn taken(context: &Context<'_, '_>, acting: u32, condition: Condition) -> u32 {
    match condition {
        Condition::Always => acting,
        Condition::Any if acting != 0 => context.mask,
        Condition::Any => 0,
        Condition::Divergent { lanes, together } => {
            let wanted = context.get(lanes)[acting.trailing_zeros() as usize % LANES] & context.warp.live;
            let all_here = wanted & !context.mask == 0;
            if all_here == together { acting } else { 0 }
        }
    }
}

/// Whether all lanes that these threads wait for are among them.
fn all_are_here(context: &Context<'_, '_>, waiting: u32, members: Members) -> bool {
    let Members::Mask(source) = members else {
        return context.warp.live & !waiting == 0;
    };
    let masks = context.get(source);
    let named = lanes_of(waiting).fold(0, |all, lane| all | masks[lane]);
    let own = lanes_of(waiting).all(|lane| masks[lane] >> lane & 1 != 0);
    own && named & context.warp.live & !waiting == 0
}

/// The threads of these that wait together at a `WARPSYNC`, and the lanes that they wait for, to which they must belong. Each thread names its own: those that
/// name others come to the instruction again by themselves.
fn members_of(context: &mut Context<'_, '_>, waiting: u32, members: Members) -> Result<(u32, u32), Trouble> {
    let Members::Mask(source) = members else {
        return Ok((waiting, u32::MAX));
    };
    let masks = context.get(source);
    let members = masks[waiting.trailing_zeros() as usize % LANES];
    let alike = lanes_of(waiting).filter(|lane| masks[*lane] == members);
    let together = alike.fold(0, |all, lane| all | 1 << lane);
    if together != waiting {
        let (group, pc) = (context.group, context.pc);
        context.warp.groups[group].pc = pc + 1;
        context.warp.split(group, waiting & !together, pc);
    }
    let waiting = together;
    if waiting & !members != 0 {
        let message = format!("lanes {waiting:#010x} wait for lanes {members:#010x}, to which they do not all belong");
        return Err(Trouble::new(FaultKind::Operand, message));
    }
    Ok((waiting, members))
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

/// Each of some threads goes to a step of its own, the others of the group to the next.
fn scatter(context: &mut Context<'_, '_>, leaving: u32, targets: &[Pc; LANES]) -> Next {
    let first = targets[leaving.trailing_zeros() as usize % LANES];
    if lanes_of(leaving).all(|lane| targets[lane] == first) {
        return go(context, leaving, first);
    }
    context.warp.groups[context.group].pc = context.pc + 1;
    let mut left = leaving;
    while left != 0 {
        let target = targets[left.trailing_zeros() as usize % LANES];
        let together = lanes_of(left)
            .filter(|lane| targets[*lane] == target)
            .fold(0, |all, lane| all | 1 << lane);
        left &= !together;
        context.warp.split(context.group, together, target);
    }
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
    super::barrier::exit(context.cluster, context.rank, context.warp, leaving);
    Next::Choose
}

/// The addresses that threads jump to, where they are no step that is known.
fn addresses(low: &Lanes, high: &Lanes, offset: i64, relative: bool) -> [u64; LANES] {
    std::array::from_fn(|lane| {
        if relative {
            code_address(0)
                .wrapping_add_signed(offset)
                .wrapping_add(u64::from(low[lane]))
        } else {
            (u64::from(low[lane]) | u64::from(high[lane]) << 32).wrapping_add_signed(offset)
        }
    })
}

/// A jump whose destination may differ between threads.
fn jump(context: &mut Context<'_, '_>, taken: u32, destination: Destination) -> Result<Next, Trouble> {
    let (addresses, relative) = match destination {
        Destination::Step(target) => return Ok(go(context, taken, target)),
        Destination::Absolute(address) => ([address; LANES], false),
        Destination::Address {
            low,
            high,
            offset,
            relative,
        } => (
            addresses(&context.get(low), &context.get(high), offset, relative),
            relative,
        ),
    };
    if taken == 0 {
        return Ok(Next::Next);
    }
    let steps = context.machine.program.steps.len();
    let mut targets = [0; LANES];
    for lane in lanes_of(taken) {
        let address = addresses[lane];
        if address >= SYSTEM_BASE && !relative {
            // The lanes that call this function return where they want, the others come to this step again.
            let together = lanes_of(taken)
                .filter(|lane| addresses[*lane] == address)
                .fold(0, |all, lane| all | 1 << lane);
            let others = taken & !together;
            let back = system::call(context, together, address)?;
            return Ok(after_call(context, together, others, &back));
        }
        targets[lane] = step_at(address)
            .filter(|target| (*target as usize) < steps)
            .ok_or_else(|| Trouble::new(FaultKind::Call, format!("there is no code at {address:#x}")).at(lane))?;
    }
    Ok(scatter(context, taken, &targets))
}

/// Sends the callers of a function of the run-time system back, and others to the call.
fn after_call(context: &mut Context<'_, '_>, callers: u32, others: u32, back: &[Pc; LANES]) -> Next {
    if others == 0 {
        return scatter(context, callers, back);
    }
    context.warp.split(context.group, others, context.pc);
    context.mask &= !others;
    scatter_from(context, callers, back)
}

/// [`scatter`] of a group that others have just been split off.
fn scatter_from(context: &mut Context<'_, '_>, callers: u32, back: &[Pc; LANES]) -> Next {
    if let Next::Jump(target) = scatter(context, callers, back) {
        context.warp.groups[context.group].pc = target;
    }
    Next::Choose
}
