//! Where threads of a warp may run while others of it run elsewhere.
//!
//! A uniform register is the warp's. Threads that have parted from others may still write one as long as those only wait: on the one way of a branch whose other
//! way leads straight to where the threads meet, and in a loop whose threads wait behind it for the last. ptxas writes uniform registers there, and where two
//! ways of a branch have code it does so only for readers in the same block (observed, ptxas 13.0.88).

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_sass::{Flow, Opcode};
use warpsmith_target::Isa;

use super::{
    lone::is_wait_of_all,
    shape::{Node, Shape},
    varying::Varying,
};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
};

/// Where the threads of a warp are, and what differs between them.
pub(crate) struct Places {
    pub(crate) varying: Varying,
    /// For each node, whether threads of a warp may run it at different times, or when others of it have ended.
    pub(super) apart: Vec<bool>,
    /// For each node its area ([`areas`]).
    pub(super) areas: Vec<u32>,
    /// For each node, whether all threads of the warp that have not ended run it at one time, and no others of it anything else.
    pub(crate) together: Vec<bool>,
}

impl Places {
    /// Analyses a function whose blocks are in the shape, and have their convergence barriers.
    pub(crate) fn of(function: &Function, shape: &Shape, flow: &ControlFlow) -> Places {
        let varying = Varying::of(function, shape, flow);
        // Threads that end do so while the others go on: behind such a branch threads count as apart.
        let mut apart = varying.apart.clone();
        for &node in &flow.order {
            let next = &flow.successors[node];
            if varying.parts[node] && next.iter().any(|to| flow.only_ends(node, *to)) {
                let mut work = next.to_vec();
                while let Some(to) = work.pop() {
                    if !std::mem::replace(&mut apart[to], true) {
                        work.extend(&flow.successors[to]);
                    }
                }
            }
        }
        // So they do behind a call, from which they may come back one by one.
        let areas = areas(shape, flow, &varying, &mut apart);
        let together = apart.iter().zip(&areas).map(|(apart, area)| !apart && *area == 0);
        Places {
            together: together.collect(),
            varying,
            apart,
            areas,
        }
    }
}

/// For each node that runs while other threads of the warp may run other nodes the number of its area, in which all of those are, from 1 on; for the others 0.
/// The convergence barriers are there already. Threads come back from a call one by one, as far as is known here: up to where they meet they are added to those
/// that are apart.
fn areas(shape: &Shape, flow: &ControlFlow, varying: &Varying, apart: &mut [bool]) -> Vec<u32> {
    let mut contended = Areas {
        of: vec![0; shape.nodes.len()],
        same: vec![0],
    };
    let armed = armed(shape, flow);
    // Behind an instruction by which threads part without a branch, or are let past a barrier early, they may be anywhere.
    for &node in &flow.order {
        let has = |opcode: &[Opcode]| {
            let mut code = shape.nodes[node].code.iter();
            code.any(|instruction| opcode.contains(&instruction.base.opcode()))
        };
        if has(&[Opcode::Yield, Opcode::Nanosleep]) {
            mark(flow, &mut contended, &[node], |_| Reach::In);
        } else if has(&[Opcode::Warpsync]) && varying.apart[node] {
            // Those that others wait for may be let past a barrier. They come to where all threads wait for each other; where these are together anyway they
            // let none past.
            mark(flow, &mut contended, &[node], until_gathered(shape, varying));
        }
    }
    for &node in flow.order.iter().filter(|node| varying.parts[**node]) {
        let next = &flow.successors[node];
        // Threads that end do so while the others go on: behind such a branch nothing is known.
        if next.iter().any(|to| flow.only_ends(node, *to)) {
            mark(flow, &mut contended, next, |_| Reach::In);
            continue;
        }
        let meeting = meeting(shape, flow, &armed, node);
        let runs = next.iter().filter(|to| !only_waits(shape, **to, meeting)).count();
        if runs > 1 && meeting.is_some() {
            mark(flow, &mut contended, next, before(meeting));
        } else if runs > 1 {
            mark(flow, &mut contended, next, until_gathered(shape, varying));
        }
    }
    for &node in flow.order.iter().filter(|node| calls(shape, **node)) {
        let meeting = meeting(shape, flow, &armed, node);
        for at in mark(flow, &mut contended, &[node], before(meeting)) {
            apart[at] = true;
        }
    }
    let found = std::mem::take(&mut contended.of);
    found.into_iter().map(|area| contended.find(area)).collect()
}

/// The nodes where threads of a warp that have not ended may run at different times although the convergence barriers are there: behind instructions by which
/// they are let past one early, behind calls, and where they part without one.
pub(crate) fn loose(shape: &Shape, flow: &ControlFlow, varying: &Varying, isa: Isa) -> Vec<bool> {
    let mut loose = vec![false; shape.nodes.len()];
    let armed = armed(shape, flow);
    let lets_past = |instruction: &Instruction| matches!(instruction.base.opcode(), Opcode::Yield | Opcode::Nanosleep);
    for &node in &flow.order {
        let next = &flow.successors[node];
        let (yields, calls) = (shape.nodes[node].code.iter().any(lets_past), calls(shape, node));
        // Those that end are not waited for.
        let parts = varying.parts[node] && !next.iter().any(|to| flow.only_ends(node, *to));
        if !yields && !calls && !parts {
            continue;
        }
        let meeting = meeting(shape, flow, &armed, node).filter(|_| !yields);
        if parts && meeting.is_some() && !calls {
            continue;
        }
        // Of those that part without a barrier each comes to where all wait for each other.
        let gathered = |at: usize| {
            let mut code = shape.nodes[at].code.iter();
            !yields
                && !calls
                && !varying.apart[at]
                && code.any(|one| is_wait_of_all(one) || is_of_all_threads(one, isa))
        };
        let mut work = next.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(to) = work.pop() {
            if Some(to) != meeting && seen.insert(to) {
                loose[to] = true;
                if !gathered(to) {
                    work.extend(&flow.successors[to]);
                }
            }
        }
    }
    loose
}

/// Whether all threads of the warp are brought together for an instruction that they must run so: in PTX it is `.aligned`. Before sm_90 these are barriers alone,
/// as no branch goes without a convergence barrier there for a wait on one of its sides.
pub(crate) fn is_of_all_threads(instruction: &Instruction, isa: Isa) -> bool {
    use Opcode::{
        Bgmma, Bmma, Dmma, Hgmma, Hmma, Igmma, Imma, Ldsm, Ldtm, Movm, Omma, Qgmma, Qmma, Stsm, Sttm, Warpgroup,
    };
    match instruction.base.opcode() {
        Opcode::Bar | Opcode::UcgabarArv | Opcode::UcgabarWait => instruction.marks.aligned,
        Bgmma | Bmma | Dmma | Hgmma | Hmma | Igmma | Imma | Omma | Qgmma | Qmma => isa >= Isa::Sm90,
        Ldsm | Ldtm | Movm | Stsm | Sttm | Warpgroup => isa >= Isa::Sm90,
        _ => false,
    }
}

/// Whether a node calls a function.
pub(super) fn calls(shape: &Shape, node: usize) -> bool {
    let mut code = shape.nodes[node].code.iter();
    code.any(|instruction| instruction.base.flow() == Flow::Call)
}

/// The barrier that an instruction arms or waits for.
fn barrier(instruction: &Instruction, opcode: Opcode) -> Option<Register> {
    let mut touches = instruction.touches();
    let named = touches.next().map(|touch| touch.register);
    named.filter(|_| instruction.base.opcode() == opcode)
}

/// The node that arms each barrier.
fn armed(shape: &Shape, flow: &ControlFlow) -> FxHashMap<Register, usize> {
    let mut found = FxHashMap::default();
    for &node in &flow.order {
        let code = shape.nodes[node].code.iter();
        found.extend(code.filter_map(|instruction| Some((barrier(instruction, Opcode::Bssy)?, node))));
    }
    found
}

/// Where threads that part at the end of a node, or in a call in it, are together again: the first place on all of their ways that waits, before all else, for a
/// barrier which all of them have armed while they were together.
fn meeting(shape: &Shape, flow: &ControlFlow, armed: &FxHashMap<Register, usize>, node: usize) -> Option<usize> {
    let code = &shape.nodes[node].code;
    let call = code
        .iter()
        .position(|instruction| instruction.base.flow() == Flow::Call);
    // Behind a call each thread arms a barrier by itself.
    let too_late = |wanted: Register| {
        call.is_some_and(|call| {
            code[call..]
                .iter()
                .any(|one| barrier(one, Opcode::Bssy) == Some(wanted))
        })
    };
    let later = |at: &usize| flow.postdominator[*at];
    std::iter::successors(flow.postdominator[node], later).find(|at| {
        let waits = shape.nodes[*at].code.iter();
        let mut waits = waits.map_while(|instruction| barrier(instruction, Opcode::Bsync));
        waits.any(|barrier| {
            let from = armed.get(&barrier).filter(|from| flow.dominates(**from, node));
            from.is_some_and(|from| *from != node || !too_late(barrier))
        })
    })
}

/// Whether threads that come to a node do nothing but wait for others until they are at the meeting place.
fn only_waits(shape: &Shape, node: usize, meeting: Option<usize>) -> bool {
    let is_wait = |instruction: &Instruction| instruction.base.opcode() == Opcode::Bsync;
    let (mut at, mut waits) = (node, false);
    for _ in 0..4 {
        let node = &shape.nodes[at];
        if Some(at) == meeting {
            return waits || node.code.first().is_some_and(is_wait);
        }
        if !node.code.iter().all(is_wait) {
            return false;
        }
        waits |= !node.code.is_empty();
        let mut next = node.targets();
        match (next.next(), next.next()) {
            (Some(to), None) => at = to,
            _ => return false,
        }
    }
    false
}

/// The areas that are known so far.
struct Areas {
    /// The area of each node.
    of: Vec<u32>,
    /// For each area one with a greater number that it has become a part of, or itself.
    same: Vec<u32>,
}

impl Areas {
    fn find(&mut self, mut area: u32) -> u32 {
        while self.same[area as usize] != area {
            let next = self.same[self.same[area as usize] as usize];
            self.same[area as usize] = next;
            area = next;
        }
        area
    }
}

/// How far an area reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// A node is in it, and what comes behind may be.
    In,
    /// A node is in it, and nothing behind.
    Last,
    /// A node is not in it.
    Out,
}

/// What comes before a meeting place.
fn before(meeting: Option<usize>) -> impl Fn(usize) -> Reach {
    move |node| match Some(node) == meeting {
        true => Reach::Out,
        false => Reach::In,
    }
}

/// What comes before all threads of the warp have waited for each other where they are together anyway.
fn until_gathered<'a>(shape: &'a Shape, varying: &'a Varying) -> impl Fn(usize) -> Reach + 'a {
    |node| match !varying.apart[node] && gathers(&shape.nodes[node]) {
        true => Reach::Last,
        false => Reach::In,
    }
}

/// Whether all threads of the warp wait for each other somewhere in a node.
fn gathers(node: &Node) -> bool {
    let is_barrier = |instruction: &Instruction| instruction.base.opcode() == Opcode::Bar && instruction.marks.aligned;
    let mut code = node.code.iter();
    code.any(|instruction| is_wait_of_all(instruction) || is_barrier(instruction))
}

/// Marks what is reached from some nodes as one area, with the areas that it meets. Gives its nodes.
fn mark(flow: &ControlFlow, contended: &mut Areas, from: &[usize], reach: impl Fn(usize) -> Reach) -> FxHashSet<usize> {
    let mut seen = FxHashSet::default();
    let mut work = from.to_vec();
    let own = contended.same.len() as u32;
    contended.same.push(own);
    while let Some(node) = work.pop() {
        let reach = reach(node);
        if reach != Reach::Out && seen.insert(node) {
            let old = std::mem::replace(&mut contended.of[node], own);
            if old != 0 {
                let old = contended.find(old);
                contended.same[old as usize] = own;
            }
            if reach == Reach::In {
                work.extend(&flow.successors[node]);
            }
        }
    }
    seen
}
