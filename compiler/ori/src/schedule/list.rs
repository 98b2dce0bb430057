//! List scheduling: of the instructions whose predecessors have issued, the one that most depends on goes first.
//!
//! Before register allocation the number of live registers decides with: while it is below what the function needs anyway, latencies are hidden; at that
//! limit, the instruction goes first that frees most. A block whose new order needs more registers than the old one and than the limit keeps the old one.

use std::{cmp::Reverse, collections::BinaryHeap};

use warpsmith_sass::{LatencyGroup, Pipe, issue_interval_between};

use super::{
    dependences::{Dependences, Numbering, Tables},
    facts::Facts,
    lean,
    pressure::{Counts, FILES, Files, Pressure},
};
use crate::{
    allocate::{budget, regions, touches::Touches},
    ir::Function,
    liveness::Liveness,
};

/// General registers that are used to hide latencies whatever else a function needs: no fewer let more warps run.
const FLOOR: u32 = 32;

/// How many candidates are looked at where registers are short.
const CANDIDATES: usize = 12;

/// Schedules every block of a function with allocated registers.
pub(super) fn after_allocation(function: &mut Function) {
    let orders: Vec<Option<Vec<u32>>> = {
        let numbering = Numbering::of(function);
        let mut tables = Tables::new(numbering.count);
        let blocks = function.blocks.iter();
        blocks
            .map(|block| {
                (block.code.len() > 2).then(|| {
                    let mut dependences = Dependences::of(&numbering, &block.code, &mut tables);
                    order(&mut dependences, None)
                })
            })
            .collect()
    };
    for (index, order) in orders.into_iter().enumerate() {
        if let Some(order) = order {
            apply(function, index, &order);
        }
    }
}

/// Schedules every block of a function with virtual registers, as if it had so many general registers fewer than it has.
pub(super) fn before_allocation(function: &mut Function, fewer: u32) {
    let lean = each_block(function, fewer, None);
    // From the order that needs few registers on, latencies are hidden with those that are left.
    if !lean.is_empty() {
        each_block(function, fewer, Some(&lean));
    }
}

/// How many general registers fewer than there are a block is tried with whose order needs too many.
const FEWER: [u32; 4] = [0, 8, 20, 40];

/// Schedules the blocks named, or all of them. Gives those that got the order that needs fewest registers, since there are not enough.
fn each_block(function: &mut Function, fewer: u32, only: Option<&[usize]>) -> Vec<usize> {
    let touches = Touches::of(function);
    let liveness = Liveness::of(function, &touches);
    let mut tables = Files::of(function, &touches, &liveness);
    let peaks: Vec<Counts> = (0..function.blocks.len())
        .map(|block| Pressure::new(&mut tables, block).peak(None))
        .collect();
    let mut whole = [0; FILES];
    for peak in &peaks {
        for (whole, peak) in whole.iter_mut().zip(peak) {
            *whole = (*whole).max(*peak);
        }
    }
    let rooms = regions::rooms(function);
    let numbering = Numbering::of(function);
    let mut scratch = Tables::new(numbering.count);
    let mut orders = Vec::with_capacity(function.blocks.len());
    let mut lean = Vec::new();
    for (index, (block, old)) in function.blocks.iter().zip(&peaks).enumerate() {
        if block.code.len() <= 2 || only.is_some_and(|only| !only.contains(&index)) {
            orders.push(None);
            continue;
        }
        let limits = limits(function, whole, rooms[index], fewer);
        let mut pressure = Pressure::new(&mut tables, index);
        let mut found = None;
        for below in &FEWER[..if only.is_some() { FEWER.len() } else { 1 }] {
            let mut dependences = Dependences::of(&numbering, &block.code, &mut scratch);
            let mut lower = limits;
            lower[0] = limits[0].saturating_sub(*below);
            pressure.start(lower);
            let order = order(&mut dependences, Some(&mut pressure));
            let new = pressure.peak(Some(&order));
            let most = |file: usize| match only {
                // What has no room in either order goes to memory more often the longer it is live.
                Some(_) if file == 0 && old[0] > hard(function, rooms[index], fewer) => limits[0],
                Some(_) | None => old[file].max(limits[file]),
            };
            if (0..FILES).all(|file| new[file] <= most(file)) {
                found = Some((order, new[0]));
                break;
            }
        }
        let needs = found.as_ref().map_or(old[0], |(_, new)| *new);
        if only.is_none() && needs > limits[0] {
            let dependences = Dependences::of(&numbering, &block.code, &mut scratch);
            let tried = lean::CHOICES.map(|choice| {
                let order = lean::order(&dependences, &mut pressure, choice);
                let new = pressure.peak(Some(&order));
                (order, new)
            });
            let fits = |new: &Counts| (1..FILES).all(|file| new[file] <= old[file].max(limits[file]));
            let fitting = tried.into_iter().filter(|(_, new)| new[0] < needs && fits(new));
            if let Some((order, new)) = fitting.min_by_key(|(_, new)| new[0]) {
                found = Some((order, new[0]));
                lean.push(index);
            }
        }
        orders.push(found.map(|(order, _)| order));
    }
    for (index, order) in orders.into_iter().enumerate() {
        if let Some(order) = order {
            apply(function, index, &order);
        }
    }
    lean
}

/// Registers that a new order may hold at once in a block that has so much room: what some block needs in any case, and a few more.
fn limits(function: &Function, whole: Counts, room: u32, fewer: u32) -> Counts {
    let registers = &function.sm.info().registers;
    // Widths and alignments take some of what is there.
    let gaps = (room / 16).min(8);
    let most = hard(function, room, fewer).saturating_sub(gaps);
    [
        budget::as_resident(function, (whole[0] + (whole[0] / 4).min(8)).max(FLOOR)).min(most),
        whole[1].clamp(8, registers.uniform.saturating_sub(8).max(8)),
        registers.predicates.saturating_sub(1),
        registers.uniform_predicates.saturating_sub(1),
    ]
}

/// General registers that code may use in a block that has so much room, as if there were so many fewer.
fn hard(function: &Function, room: u32, fewer: u32) -> u32 {
    room.saturating_sub(function.sm.info().registers.reserved_per_thread + fewer.min(room / 4))
}

fn apply(function: &mut Function, block: usize, order: &[u32]) {
    let mut old: Vec<_> = std::mem::take(&mut function.blocks[block].code)
        .into_iter()
        .map(Some)
        .collect();
    let code = order
        .iter()
        .filter_map(|at| old.get_mut(*at as usize)?.take())
        .collect();
    function.blocks[block].code = code;
}

/// A new order of a block's instructions.
fn order(dependences: &mut Dependences, mut pressure: Option<&mut Pressure<'_, '_>>) -> Vec<u32> {
    let count = dependences.nodes.len();
    let lanes = Lanes::of(dependences);
    let priority = priorities(dependences, &lanes);
    let mut earliest = vec![0_u32; count];
    let mut issued = vec![false; count];
    let mut order = Vec::with_capacity(count);
    // By the first cycle at which they may issue; by what depends on them; by their place in the program.
    let mut waiting: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::with_capacity(count);
    let mut ready = Ready::new(&lanes);
    let mut oldest: BinaryHeap<Reverse<u32>> = BinaryHeap::with_capacity(count);
    let mut now = 0;
    for at in 0..count as u32 {
        if dependences.nodes[at as usize].before == 0 {
            waiting.push(Reverse((0, at)));
            oldest.push(Reverse(at));
        }
    }
    while order.len() < count {
        while let Some(Reverse((cycle, at))) = waiting.peek().copied() {
            if cycle > now {
                break;
            }
            waiting.pop();
            if !issued[at as usize] {
                ready.push(priority[at as usize], at);
            }
        }
        let chosen = match &pressure {
            Some(pressure) if pressure.is_high() => {
                let late = |at: u32| earliest[at as usize].saturating_sub(now);
                least(pressure, &mut oldest, &issued, late)
            }
            _ => {
                let mut found = None;
                let mut put_off = Vec::new();
                while let Some((key, at)) = ready.pop(now) {
                    if issued[at as usize] {
                        continue;
                    }
                    // What gives a wide tuple waits until there is room for it, and what gives one of few, if something else can go before it.
                    if pressure.as_ref().is_some_and(|pressure| pressure.exceeds(at)) {
                        put_off.push((key, at));
                        if put_off.len() < CANDIDATES {
                            continue;
                        }
                        break;
                    }
                    found = Some(at);
                    break;
                }
                let found = match (&pressure, found) {
                    (Some(pressure), None) if !put_off.is_empty() => least(pressure, &mut oldest, &issued, |_| 0),
                    _ => found,
                };
                for (key, at) in put_off {
                    ready.push(key, at);
                }
                found
            }
        };
        let Some(at) = chosen else {
            let arrives = waiting.peek().map(|Reverse((cycle, _))| *cycle);
            match arrives.into_iter().chain(ready.next()).min() {
                Some(cycle) => now = cycle.max(now + 1),
                None => break,
            }
            continue;
        };
        issued[at as usize] = true;
        now = now.max(earliest[at as usize]);
        ready.occupy(at, now);
        order.push(at);
        if let Some(pressure) = &mut pressure {
            pressure.issue(at);
        }
        let edges = std::mem::take(&mut dependences.nodes[at as usize].edges);
        for edge in &edges {
            let to = edge.to as usize;
            earliest[to] = earliest[to].max(now + edge.cycles);
            let node = &mut dependences.nodes[to];
            node.before -= 1;
            if node.before == 0 {
                waiting.push(Reverse((earliest[to], edge.to)));
                oldest.push(Reverse(edge.to));
            }
        }
        now += 1;
    }
    order
}

/// Among the oldest candidates, the one after which fewest registers are live; of those that make no more live, the one that waits least for its operands,
/// `late` cycles from now on.
fn least(
    pressure: &Pressure<'_, '_>,
    oldest: &mut BinaryHeap<Reverse<u32>>,
    issued: &[bool],
    late: impl Fn(u32) -> u32,
) -> Option<u32> {
    let mut seen = Vec::with_capacity(CANDIDATES);
    while seen.len() < CANDIDATES {
        let Some(Reverse(at)) = oldest.pop() else { break };
        if !issued[at as usize] {
            seen.push(at);
        }
    }
    let best = seen.iter().copied().min_by_key(|at| {
        let growth = pressure.growth(*at);
        let late = if growth <= 0 { late(*at) } else { 0 };
        (growth > 0, late, growth, *at)
    });
    for at in seen {
        if Some(at) != best {
            oldest.push(Reverse(at));
        }
    }
    best
}

/// For each instruction, the cycles from its issue to the block's end along the longest chain. What goes through the slowest pipe goes in the order of the program:
/// each waits for those before it, so that what the first needs comes first.
fn priorities(dependences: &Dependences, lanes: &Lanes) -> Vec<u32> {
    let nodes = &dependences.nodes;
    let mut found = vec![0_u32; nodes.len()];
    let mut next: Option<u32> = None;
    for at in (0..nodes.len()).rev() {
        let facts = &nodes[at].facts;
        let chains = nodes[at].edges.iter().map(|edge| found[edge.to as usize] + edge.cycles);
        found[at] = chains.max().unwrap_or_else(|| facts.expected_latency());
        if facts.timing.pipe == Pipe::Xu {
            let interval = lanes.intervals[usize::from(lanes.of[at])];
            found[at] = found[at].max(next.map_or(0, |next| next + interval));
            next = Some(found[at]);
        }
    }
    found
}

/// Which instructions of a block take their pipe for longer than a cycle.
struct Lanes {
    /// For each instruction its lane; lane 0 is never taken.
    of: Vec<u8>,
    /// For each lane the cycles for which an instruction takes it.
    intervals: Vec<u32>,
}

impl Lanes {
    fn of(dependences: &Dependences) -> Lanes {
        let mut groups: Vec<LatencyGroup> = Vec::new();
        let mut intervals = vec![0];
        let mut lane = |facts: &Facts| {
            let interval = issue_interval_between(facts.timing, facts.timing, facts.word.isa());
            let Some(interval) = interval.filter(|distance| distance.cycles > 1) else {
                return 0;
            };
            let known = groups.iter().position(|group| *group == facts.timing.group);
            let lane = known.unwrap_or_else(|| {
                groups.push(facts.timing.group);
                intervals.push(u32::from(interval.cycles));
                groups.len() - 1
            });
            lane as u8 + 1
        };
        let of = dependences.nodes.iter().map(|node| lane(&node.facts)).collect();
        Lanes { of, intervals }
    }
}

/// The instructions that may issue as far as their operands go, by what depends on them and by their place in the program, for each lane.
struct Ready<'l> {
    lanes: &'l Lanes,
    waiting: Vec<BinaryHeap<(u32, Reverse<u32>)>>,
    /// The first cycle at which each lane is free.
    free: Vec<u32>,
}

impl Ready<'_> {
    fn new(lanes: &Lanes) -> Ready<'_> {
        Ready {
            waiting: vec![BinaryHeap::new(); lanes.intervals.len()],
            free: vec![0; lanes.intervals.len()],
            lanes,
        }
    }

    fn push(&mut self, priority: u32, at: u32) {
        self.waiting[usize::from(self.lanes.of[at as usize])].push((priority, Reverse(at)));
    }

    /// Takes out the first of those whose lanes are free.
    fn pop(&mut self, now: u32) -> Option<(u32, u32)> {
        let free = (0..self.free.len()).filter(|lane| self.free[*lane] <= now);
        let best = free.max_by_key(|lane| self.waiting[*lane].peek().copied())?;
        self.waiting[best].pop().map(|(priority, Reverse(at))| (priority, at))
    }

    /// The first cycle at which a lane is free for which something waits.
    fn next(&self) -> Option<u32> {
        let lanes = self.free.iter().zip(&self.waiting);
        lanes
            .filter(|(_, waiting)| !waiting.is_empty())
            .map(|(free, _)| *free)
            .min()
    }

    /// An instruction issues.
    fn occupy(&mut self, at: u32, now: u32) {
        let lane = usize::from(self.lanes.of[at as usize]);
        self.free[lane] = now + self.lanes.intervals[lane];
    }
}
