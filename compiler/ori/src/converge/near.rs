//! Joins before the place where all threads of a branch meet.
//!
//! Where some way leaves a piece of code for a place farther on (`break` out of a loop, the second half of a condition), the immediate postdominator is that far
//! place, and what the other ways come to before it would be run once for each of them. Such a node, whose immediate dominator is the branch, gets a barrier of
//! its own; threads that leave for elsewhere are taken out of it (`BREAK`), as ptxas does (observed, ptxas 13.0.88). The barrier's register stays theirs until
//! they meet the others, so that no other barrier gets it on their way: the register allocator sees to that.

use rustc_hash::FxHashSet;
use warpsmith_sass::Flow;

use super::{Around, Plan, Region};
use crate::{
    flow::{shape::Shape, varying::Varying},
    graph::ControlFlow,
};

/// So many instructions from the join on to where all meet are worth a barrier.
const WORTH: usize = 8;
/// So many barriers may be armed at a place before near joins there get none: threads that leave a barrier that is spilled would leave a copy of it.
const ARMED: u8 = 8;

/// What is known while joins are looked for.
pub(super) struct Search<'a> {
    shape: &'a Shape,
    flow: &'a ControlFlow,
    varying: &'a Varying,
    /// For each node, whether threads that come to it may have to wait for others before they end.
    block: &'a [bool],
    /// For each node, how many barriers may be armed when it runs.
    armed: Vec<u8>,
    /// For each node, the start of the innermost plan around it.
    start: Vec<Option<usize>>,
    /// Nodes that may still be looked at: functions of any size take linear time.
    budget: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(shape: &'a Shape, flow: &'a ControlFlow, varying: &'a Varying, block: &'a [bool]) -> Search<'a> {
        Search {
            shape,
            flow,
            varying,
            block,
            armed: vec![0; shape.nodes.len()],
            start: vec![None; shape.nodes.len()],
            budget: 64 * shape.nodes.len() + 4096,
        }
    }

    /// Adds a plan for each near join that is worth one. `around` has the nodes of the plans so far with where these end, `hanging` the nodes where threads
    /// stay apart.
    pub(super) fn add(mut self, depths: &[u32], around: &mut Around, hanging: &[bool], plans: &mut Vec<Plan>) {
        for plan in plans.iter() {
            self.arm(plan);
            self.hold(plan, depths);
        }
        let order = self.flow.order.iter();
        let mut regions: Vec<Region> = order.filter_map(|node| self.region(*node)).collect();
        // The outer ones first; of those with one start, the one that ends last.
        regions.reverse();
        regions.sort_by_key(|region| depths[region.from]);
        for region in regions {
            if around.contains(&(region.to, region.from)) || hanging[region.from] || self.mixes(&region) {
                continue;
            }
            if let Some(plan) = self.plan(region, around) {
                self.arm(&plan);
                around.extend(plan.inside.iter().map(|node| (region.to, *node)));
                self.hold(&plan, depths);
                plans.push(plan);
            }
        }
    }

    /// Notes a plan at the nodes between its start and its end.
    fn hold(&mut self, plan: &Plan, depths: &[u32]) {
        let from = plan.region.from;
        for &node in &plan.inside {
            let start = &mut self.start[node];
            if start.is_none_or(|start| depths[start] < depths[from]) {
                *start = Some(from);
            }
        }
    }

    /// Whether threads would meet at the end of a region of which some wait for others farther on, and some do not.
    fn mixes(&self, region: &Region) -> bool {
        self.start[region.to].is_some_and(|start| !self.flow.dominates(start, region.from))
    }

    fn arm(&mut self, plan: &Plan) {
        for node in plan.nodes() {
            self.armed[node] = self.armed[node].saturating_add(1);
        }
    }

    /// The region that a node is the near join of.
    fn region(&self, to: usize) -> Option<Region> {
        let flow = self.flow;
        let ways = flow.predecessors[to].iter();
        if ways
            .filter(|from| flow.reached[**from] && !flow.dominates(to, **from))
            .count()
            < 2
        {
            return None;
        }
        let mut from = flow.dominator[to]?;
        // A loop that the region leaves is entered as a whole.
        if let Some(number) = flow.loops_of(from).filter(|number| !flow.is_in(to, *number)).last() {
            from = flow.dominator[flow.loops[number].header]?;
        }
        let is_near = flow.postdominator[from] != Some(to) && !flow.only_ends(from, to);
        is_near.then_some(Region { from, to })
    }

    /// What a barrier for the region would be; none where it is not worth it or not possible.
    fn plan(&mut self, region: Region, around: &Around) -> Option<Plan> {
        let meeting = self.flow.postdominator[region.from];
        if !self.is_worth_it(region.to, meeting) {
            return None;
        }
        let inside = self.inside(region)?;
        let member: FxHashSet<usize> = inside.iter().copied().collect();
        let stays = |to: usize| to == region.to || member.contains(&to);
        let mut parts = false;
        let mut leaves: Vec<(usize, usize)> = Vec::new();
        for &node in inside.iter().chain([&region.from]) {
            let next = &self.flow.successors[node];
            parts |= self.varying.parts[node] && next.iter().filter(|to| stays(**to)).count() > 1;
            // Those who only end without having to wait for others are taken out by ending.
            let leaving = |to: &usize| !stays(*to) && (self.block[*to] || !self.flow.only_ends(node, *to));
            leaves.extend(next.iter().copied().filter(leaving).map(|to| (to, node)));
            // Whether a function that is called keeps who takes part is the convention's; nobody leaves a barrier that is held there.
            if self.shape.nodes[node].code.iter().any(|i| i.base.flow() == Flow::Call) {
                return None;
            }
        }
        if !parts {
            return None;
        }
        let way = self.way(&leaves, around)?;
        let plan = Plan {
            region,
            inside,
            leaves,
            way,
        };
        // Those who come back to the start would arm the barrier again while others wait at it.
        if plan.way.contains(&region.from) || plan.nodes().any(|node| self.armed[node] >= ARMED) {
            return None;
        }
        Some(plan)
    }

    /// Whether there is much to run from a join to where all meet.
    fn is_worth_it(&mut self, join: usize, meeting: Option<usize>) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![join];
        let mut found = 0;
        while let Some(node) = work.pop() {
            if Some(node) == meeting || !seen.insert(node) {
                continue;
            }
            found += self.shape.nodes[node].code.len();
            if found >= WORTH {
                return true;
            }
            work.extend(&self.flow.successors[node]);
        }
        false
    }

    /// The nodes on the ways from the start to the join.
    fn inside(&mut self, region: Region) -> Option<Vec<usize>> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let before = |node: usize| self.flow.predecessors[node].iter().copied();
        let mut work: Vec<usize> = before(region.to)
            .filter(|from| !self.flow.dominates(region.to, *from))
            .collect();
        while let Some(node) = work.pop() {
            if node == region.from || !self.flow.reached[node] || !seen.insert(node) {
                continue;
            }
            // A cycle with several entries.
            if node == region.to || !self.flow.dominates(region.from, node) {
                return None;
            }
            self.budget = self.budget.checked_sub(1)?;
            found.push(node);
            work.extend(before(node));
        }
        found.sort_unstable();
        Some(found)
    }

    /// What threads run that leave on these edges, up to where they wait at a barrier that was armed before: it ends a plan around both the edge's start and
    /// the node from which they come there.
    fn way(&mut self, leaves: &[(usize, usize)], around: &Around) -> Option<Vec<usize>> {
        let mut all: FxHashSet<usize> = FxHashSet::default();
        for &(to, from) in leaves {
            let meets = |end: usize, before: usize| around.contains(&(end, from)) && around.contains(&(end, before));
            let mut seen: FxHashSet<usize> = FxHashSet::default();
            let mut work = Vec::from_iter((!meets(to, from)).then_some(to));
            while let Some(node) = work.pop() {
                if !seen.insert(node) {
                    continue;
                }
                self.budget = self.budget.checked_sub(1)?;
                let next = self.flow.successors[node].iter().copied();
                work.extend(next.filter(|next| !meets(*next, node)));
            }
            all.extend(seen);
        }
        let mut found: Vec<usize> = all.into_iter().collect();
        found.sort_unstable();
        Some(found)
    }
}
