//! Convergence barriers: threads that part at a branch meet again where all their ways do.
//!
//! For each branch that the threads of a warp may take differently, a barrier is armed (`BSSY`) before the branch and waited for (`BSYNC`) on the way into the
//! place where they meet: the immediate postdominator, ends of threads aside. Where the branch leaves loops, the barrier is armed before the outermost of
//! them is entered: armed within, it would lose the threads that left in earlier rounds; where threads come into the region from the side, before they can. The
//! wait stands on the edges into the meeting place, in one block of its own, so that threads which come from elsewhere do not wait; `BSSY` names that block. Threads that leave a region to end are taken out of its barrier (`BREAK`) if they may
//! have to wait for the others before. Places that most ways come to before get a barrier as well ([`near`]).
//! Branches whose threads already meet at the barrier of a branch around them, and those that all threads of a warp take alike, get none.

mod near;

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::fault;
use warpsmith_sass::{FieldName, Flow, Opcode, RegisterClass};
use warpsmith_target::Isa;

use crate::{
    flow::{
        contended::{self, is_of_all_threads},
        layout,
        lone::is_wait_of_all,
        progress,
        shape::{End, Node, Shape},
        varying::Varying,
    },
    graph::ControlFlow,
    ir::{BlockId, Function, Instruction, Register},
    phase::Context,
    select::{Request, SelectError, Selector},
};

/// Where threads part and where they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Region {
    /// The node at whose end the barrier is armed.
    from: usize,
    /// The node before which threads wait.
    to: usize,
}

/// Inserts the barriers, and puts the blocks into their last order.
pub(crate) fn converge(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Err("branches by address are not supported".to_string());
    };
    shape.thread_all();
    insert_barriers(function, &mut shape, context.selector).map_err(|error| error.to_string())?;
    shape.thread_all();
    gather_before_barriers(function, &mut shape, context.selector).map_err(|error| error.to_string())?;
    layout::place(shape, function);
    Ok(())
}

/// A barrier that is to be: where it is armed and waited for.
#[derive(Debug)]
struct Plan {
    region: Region,
    /// The nodes between.
    inside: Vec<usize>,
    /// Edges, by the node that they lead to and the one that they come from, on which threads leave it.
    leaves: Vec<(usize, usize)>,
    /// The nodes that they run then before they meet the others or end.
    way: Vec<usize>,
}

impl Plan {
    /// The nodes where nothing else may have the barrier's register.
    fn nodes(&self) -> impl Iterator<Item = usize> {
        let inside = self.inside.iter().chain(&self.way).copied();
        inside.chain([self.region.from])
    }
}

/// Where regions end, each with a node that is in one which ends there.
type Around = FxHashSet<(usize, usize)>;

fn insert_barriers(function: &mut Function, shape: &mut Shape, selector: &Selector) -> Result<(), SelectError> {
    enter_loops_once(shape);
    let flow = shape.flow();
    let varying = Varying::of(function, shape, &flow);
    let plans = plans(shape, &flow, &varying, function.isa());
    let spinning = progress::give_way(function, shape, &flow, &varying, selector)?;
    let mut edges = BarrierEdges::default();
    let mut armed = Vec::new();
    // The innermost first: waits of inner regions come before those of outer ones on an edge that ends both.
    for plan in plans.iter().rev() {
        let Plan {
            region, inside, leaves, ..
        } = plan;
        let barrier = function.register(RegisterClass::Barrier, 1);
        let kind = if !leaves.is_empty() {
            Kind::Reliable
        } else if inside.iter().any(|node| spinning[*node]) {
            Kind::Plain
        } else {
            Kind::Reconvergent
        };
        edges.kinds.insert(barrier, kind);
        for &node in inside.iter().chain([&region.from]) {
            if flow.successors[node].contains(&region.to) {
                edges.add((region.to, node), Opcode::Bsync, barrier);
            }
        }
        for &edge in leaves {
            edges.add(edge, Opcode::Break, barrier);
        }
        armed.push((region.from, barrier, kind));
    }
    let meetings = edges.place(function, shape, selector)?;
    for (from, barrier, kind) in armed {
        let Some(&meeting) = meetings.get(&barrier) else {
            let message = fault::internal("a barrier that nothing waits for");
            return Err(SelectError { message });
        };
        let request = kind.of(Opcode::Bssy, function.isa());
        let request = request.at(FieldName::Bd, barrier).target(BlockId(meeting as u32));
        selector.emit(function, &mut shape.nodes[from].code, request)?;
    }
    Ok(())
}

/// The barriers that a function gets, the outer ones first.
fn plans(shape: &Shape, flow: &ControlFlow, varying: &Varying, isa: Isa) -> Vec<Plan> {
    let mut regions = regions(shape, flow, varying, isa);
    let depths = depths(flow);
    regions.sort_by_key(|region| depths[region.from]);
    let block = blocks(shape, flow);
    let mut plans: Vec<Plan> = Vec::new();
    let mut known: FxHashSet<Region> = FxHashSet::default();
    let mut around = Around::default();
    // Nodes of ways that leave a region for threads to end there.
    let mut hanging = vec![false; shape.nodes.len()];
    let mut held = Held {
        count: vec![0; shape.nodes.len()],
        budget: 16 * shape.nodes.len() + 4096,
    };
    for region in regions {
        // Outer ones come first: a branch whose threads meet at the same place for another barrier needs none. On a way out of a region another barrier might
        // get the register of one that the region's threads still wait at: there threads stay apart until they end.
        if around.contains(&(region.to, region.from)) || hanging[region.from] {
            continue;
        }
        let Some((region, inside)) = entered_once(flow, region) else {
            continue;
        };
        if around.contains(&(region.to, region.from)) || !known.insert(region) {
            continue;
        }
        around.extend(inside.iter().map(|node| (region.to, *node)));
        let mut plan = Plan {
            region,
            inside,
            leaves: Vec::new(),
            way: Vec::new(),
        };
        for &node in plan.inside.iter().chain([&region.from]) {
            for &to in flow.successors[node].iter().filter(|to| flow.only_ends(node, **to)) {
                hang(flow, &mut hanging, to);
                if block[to] {
                    plan.leaves.push((to, node));
                }
            }
        }
        held.take(flow, &mut plan);
        plans.push(plan);
    }
    near::Search::new(shape, flow, varying, &block).add(&depths, &mut around, &hanging, &mut plans);
    plans.sort_by_key(|plan| depths[plan.region.from]);
    plans
}

/// So many barriers that threads leave may be held at a place: the register of one cannot be saved, or a copy would still have those who left.
const HELD: u8 = 8;

/// Where barriers are held that threads leave.
struct Held {
    /// For each node, how many.
    count: Vec<u8>,
    /// Nodes that may still be looked at: functions of any size take linear time.
    budget: usize,
}

impl Held {
    /// Finds out where a plan's barrier is held. Where there are too many, threads that end do so without leaving it, and it waits for their end, as any does
    /// in ptxas' code (observed, ptxas 13.0.88).
    fn take(&mut self, flow: &ControlFlow, plan: &mut Plan) {
        if plan.leaves.is_empty() {
            return;
        }
        plan.way = self.reached(flow, plan);
        let there = self.budget > 0 && plan.nodes().all(|node| self.count[node] < HELD);
        if there {
            plan.nodes().for_each(|node| self.count[node] += 1);
        } else {
            (plan.leaves, plan.way) = (Vec::new(), Vec::new());
        }
    }

    /// What threads reach that leave, as far as the budget goes.
    fn reached(&mut self, flow: &ControlFlow, plan: &Plan) -> Vec<usize> {
        self.budget = self.budget.saturating_sub(plan.inside.len());
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut work: Vec<usize> = plan.leaves.iter().map(|(to, _)| *to).collect();
        while let Some(node) = work.pop() {
            if self.budget > 0 && seen.insert(node) {
                self.budget -= 1;
                work.extend(&flow.successors[node]);
            }
        }
        let mut found: Vec<usize> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// What the machine is told of a barrier, from sm_100 on (observed, ptxas 13.0.88): that some threads may leave it, that all will come to it, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Reconvergent,
    Reliable,
}

impl Kind {
    fn of(self, opcode: Opcode, isa: Isa) -> Request {
        let old = matches!(isa, Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90);
        let request = Request::new(opcode);
        let (plain, with_mode) = match opcode {
            Opcode::Bssy => ("B_L", "B_L_mode"),
            Opcode::Break if !old => return request.form("RELIABLE.B"),
            _ => ("B", "B_mode"),
        };
        match self {
            Kind::Reconvergent if !old => request.form(with_mode).text(FieldName::Mode, "RECONVERGENT"),
            Kind::Reliable if !old => request.form(with_mode).text(FieldName::Mode, "RELIABLE"),
            Kind::Plain | Kind::Reconvergent | Kind::Reliable => request.form(plain),
        }
    }
}

/// Marks what is reached from a node.
fn hang(flow: &ControlFlow, hanging: &mut [bool], from: usize) {
    let mut work = vec![from];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut hanging[node], true) {
            work.extend(&flow.successors[node]);
        }
    }
}

/// For each node, whether threads that come to it may have to wait for others before they end.
fn blocks(shape: &Shape, flow: &ControlFlow) -> Vec<bool> {
    let mut found = vec![false; shape.nodes.len()];
    for &node in flow.order.iter().rev() {
        let waits = |instruction: &Instruction| {
            let info = instruction.base.opcode().info();
            info.collective || !matches!(info.flow, Flow::None | Flow::Exit | Flow::Trap)
        };
        found[node] = flow.innermost[node].is_some()
            || shape.nodes[node].code.iter().any(waits)
            || flow.successors[node].iter().any(|to| found[*to]);
    }
    found
}

/// Depths in the dominator tree.
fn depths(flow: &ControlFlow) -> Vec<u32> {
    let mut depths = vec![0; flow.successors.len()];
    for &node in &flow.order {
        depths[node] = flow.dominator[node].map_or(0, |up| depths[up] + 1);
    }
    depths
}

/// Gives each loop a node that leads to nothing but its header, by which it is entered.
fn enter_loops_once(shape: &mut Shape) {
    let flow = shape.flow();
    for around in &flow.loops {
        let header = around.header;
        let outside: Vec<usize> = flow.predecessors[header]
            .iter()
            .copied()
            .filter(|from| flow.reached[*from] && !flow.dominates(header, *from))
            .collect();
        if let [only] = outside[..]
            && matches!(shape.nodes[only].end, End::Jump(_))
        {
            continue;
        }
        let entrance = shape.push(Node {
            code: Vec::new(),
            end: End::Jump(header),
        });
        for from in outside {
            for to in shape.nodes[from].targets_mut().filter(|to| **to == header) {
                *to = entrance;
            }
        }
    }
}

/// Nodes of one side of a branch that are looked at for a wait of all threads.
const SIDE: usize = 256;

/// Whether a branch leads on one side, whatever way threads take there, to a wait for all threads of the warp, and does not on the other. Whoever took the other
/// side must not wait for them where they meet: the wait is for those, too. (Observed, ptxas 13.0.88: from sm_90 on such branches have no convergence barrier.)
fn waits_for_all_on_one_side(shape: &Shape, flow: &ControlFlow, branch: usize) -> bool {
    let Some(meeting) = flow.postdominator[branch] else {
        return false;
    };
    let waits = |node: usize| shape.nodes[node].code.iter().any(is_wait_of_all);
    let always_waits = |side: usize| {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut work = vec![side];
        while let Some(node) = work.pop() {
            if node == meeting || seen.len() > SIDE {
                return false;
            }
            if !waits(node) && seen.insert(node) {
                work.extend(&flow.successors[node]);
            }
        }
        true
    };
    let sides: Vec<bool> = flow.successors[branch].iter().map(|side| always_waits(*side)).collect();
    sides.contains(&true) && sides.contains(&false)
}

/// The regions of all branches at which threads part, without repetition.
fn regions(shape: &Shape, flow: &ControlFlow, varying: &Varying, isa: Isa) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut known: FxHashSet<Region> = FxHashSet::default();
    for &node in flow.order.iter().filter(|node| varying.parts[**node]) {
        let staying = flow.successors[node]
            .iter()
            .filter(|to| !flow.only_ends(node, **to))
            .count();
        if staying < 2 || isa >= Isa::Sm90 && waits_for_all_on_one_side(shape, flow, node) {
            continue;
        }
        if let Some(region) = region(flow, node)
            && known.insert(region)
        {
            regions.push(region);
        }
    }
    regions
}

/// The region of a branch; none where the threads never meet.
fn region(flow: &ControlFlow, branch: usize) -> Option<Region> {
    let mut from = branch;
    let mut to = flow.postdominator[from]?;
    loop {
        // A loop that the region leaves is entered as a whole.
        let left = flow.loops_of(from).filter(|number| !flow.is_in(to, *number)).last();
        let Some(number) = left else {
            return Some(Region { from, to });
        };
        let header = flow.loops[number].header;
        from = flow.dominator[header]?;
        to = flow.postdominator[header]?;
        while flow.is_in(to, number) {
            to = flow.postdominator[to]?;
        }
    }
}

/// The region and the nodes inside, armed so early that no threads come into it but by its start: those that come from the side would wait for a barrier that
/// they have not armed. None where no such place is followed by the meeting place in the same loops; threads go on apart there until the next one.
fn entered_once(flow: &ControlFlow, mut region: Region) -> Option<(Region, Vec<usize>)> {
    loop {
        let inside = inside(flow, &region)?;
        let Some(above) = inside.iter().find(|node| !flow.dominates(region.from, **node)) else {
            return Some((region, inside));
        };
        // The lowest place that dominates both.
        let up = |at: &usize| flow.dominator[*at];
        let from = std::iter::successors(up(&region.from), up).find(|at| flow.dominates(*at, *above))?;
        let later = |at: &usize| flow.postdominator[*at];
        let meets = std::iter::successors(later(&from), later).any(|at| at == region.to);
        if !meets || flow.loops_of(from).any(|number| !flow.is_in(region.to, number)) {
            return None;
        }
        region.from = from;
    }
}

/// The nodes between the start of a region and its meeting place. None where control may come back to the start without having met, as in a cycle with
/// several entries: a barrier there would be armed again under threads that wait for it, and threads go on apart instead.
fn inside(flow: &ControlFlow, region: &Region) -> Option<Vec<usize>> {
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut found = Vec::new();
    let stays = |from: usize, to: &usize| !flow.only_ends(from, *to);
    let mut work: Vec<usize> = flow.successors[region.from]
        .iter()
        .copied()
        .filter(|to| stays(region.from, to))
        .collect();
    while let Some(node) = work.pop() {
        if node == region.from {
            return None;
        }
        if node != region.to && seen.insert(node) {
            found.push(node);
            work.extend(flow.successors[node].iter().copied().filter(|to| stays(node, to)));
        }
    }
    Some(found)
}

/// Lets all threads of a warp come together before barriers of the block for which they must, where they may have been let past a convergence barrier
/// early: behind `YIELD`, behind calls, and where they part without one. (On an H100 a barrier that threads of a warp come to one after the other lets the first
/// through; ptxas 13.0.88 writes `WARPSYNC.ALL` there too.) From sm_90 on also before the first other instruction that all threads run together.
fn gather_before_barriers(function: &mut Function, shape: &mut Shape, selector: &Selector) -> Result<(), SelectError> {
    let isa = function.isa();
    let is_barrier = |instruction: &Instruction| is_of_all_threads(instruction, isa);
    if !shape.nodes.iter().any(|node| node.code.iter().any(is_barrier)) {
        return Ok(());
    }
    let flow = shape.flow();
    let varying = Varying::of(function, shape, &flow);
    let loose = contended::loose(shape, &flow, &varying, isa);
    for &node in flow.order.iter().filter(|node| loose[**node]) {
        let old = std::mem::take(&mut shape.nodes[node].code);
        let mut code = Vec::with_capacity(old.len() + 1);
        let mut gathered = false;
        for instruction in old {
            gathered |= is_wait_of_all(&instruction);
            let is_bar = instruction.base.opcode() == Opcode::Bar;
            if is_barrier(&instruction) && (is_bar || !std::mem::replace(&mut gathered, true)) {
                let request = Request::new(Opcode::Warpsync);
                let request = match function.isa() < Isa::Sm90 {
                    true => request.form("I").number(FieldName::Imm, u64::from(u32::MAX)),
                    false => request.form("ALL.none"),
                };
                selector.emit(function, &mut code, request)?;
            }
            code.push(instruction);
        }
        shape.nodes[node].code = code;
    }
    Ok(())
}

/// Edges on which something is done with barriers.
#[derive(Debug, Default)]
struct BarrierEdges {
    /// For each edge, by the node that it leads to and the one that it comes from: what is done with which barriers.
    lists: FxHashMap<(usize, usize), Vec<(Opcode, Register)>>,
    /// The edges.
    edges: Vec<(usize, usize)>,
    kinds: FxHashMap<Register, Kind>,
}

impl BarrierEdges {
    fn add(&mut self, edge: (usize, usize), opcode: Opcode, barrier: Register) {
        let list = self.lists.entry(edge).or_default();
        if list.is_empty() {
            self.edges.push(edge);
        }
        if !list.contains(&(opcode, barrier)) {
            list.push((opcode, barrier));
        }
    }

    /// Puts nodes with the instructions on the edges: one for all edges into one place on which the same is done from there on. Gives the node in which each
    /// barrier is waited for.
    fn place(
        mut self,
        function: &mut Function,
        shape: &mut Shape,
        selector: &Selector,
    ) -> Result<FxHashMap<Register, usize>, SelectError> {
        let mut meetings = FxHashMap::default();
        // Who leaves a barrier does so before waiting at another.
        for list in self.lists.values_mut() {
            list.sort_by_key(|(opcode, _)| *opcode != Opcode::Break);
        }
        self.edges.sort_unstable();
        for group in self.edges.chunk_by(|a, b| a.0 == b.0) {
            let to = group[0].0;
            // What edges do last is done in one place for all: threads that wait for a barrier in two places go on apart.
            let mut made: FxHashMap<&[(Opcode, Register)], usize> = FxHashMap::default();
            for edge in group {
                let Some(list) = self.lists.get(edge) else { continue };
                let mut between = to;
                for (index, (opcode, barrier)) in list.iter().enumerate().rev() {
                    let rest = &list[index..];
                    between = match made.get(rest) {
                        Some(node) => *node,
                        None => {
                            let kind = self.kinds.get(barrier).copied().unwrap_or(Kind::Plain);
                            let request = kind.of(*opcode, function.isa()).at(FieldName::Bd, *barrier);
                            let mut code = Vec::new();
                            selector.emit(function, &mut code, request)?;
                            let end = End::Jump(between);
                            let node = shape.push(Node { code, end });
                            made.insert(rest, node);
                            if *opcode == Opcode::Bsync {
                                meetings.insert(*barrier, node);
                            }
                            node
                        }
                    };
                }
                for target in shape.nodes[edge.1].targets_mut().filter(|target| **target == to) {
                    *target = between;
                }
            }
        }
        Ok(meetings)
    }
}
