//! List scheduling: of the instructions whose predecessors have issued, the one that most depends on goes first.
//!
//! Before register allocation the number of live registers decides with: while it is below what costs no resident warp, latencies are hidden; at that
//! limit, the instruction goes first that makes room and waits least. A block whose new order needs more registers than the old one and than the limit keeps the old one.
//! After allocation, what the multiplier of integers can do as well goes there while the other pipe is taken ([`twins`]).

use std::{cmp::Reverse, collections::BinaryHeap};

use warpsmith_sass::{LatencyGroup, Pipe, issue_interval_between};

use super::{
    dependences::{Dependences, Numbering, Tables},
    lean,
    pressure::{Counts, FILES, Files, Pressure},
    twins,
};
use crate::{
    allocate::{budget, regions, touches::Touches},
    ir::{Function, Instruction},
    liveness::Liveness,
    phase::Context,
};

/// General registers that are used to hide latencies whatever else a function needs: no fewer let more warps run.
const FLOOR: u32 = 32;

/// How many candidates are looked at where registers are short.
const CANDIDATES: usize = 12;

/// Schedules every block of a function with allocated registers.
pub(super) fn after_allocation(function: &mut Function, context: &Context<'_>) {
    type New = (Vec<u32>, Vec<(u32, Instruction)>);
    let orders: Vec<Option<New>> = {
        let numbering = Numbering::of(function);
        let mut tables = Tables::new(numbering.count);
        let blocks = function.blocks.iter();
        blocks
            .map(|block| {
                (block.code.len() > 2).then(|| {
                    let mut dependences = Dependences::of(&numbering, &block.code, &mut tables);
                    let mut twins = Twins::of(function, &block.code, context);
                    let order = order(&mut dependences, None, &mut twins);
                    (order, twins.taken)
                })
            })
            .collect()
    };
    for (index, new) in orders.into_iter().enumerate() {
        let Some((order, taken)) = new else { continue };
        for (at, twin) in taken {
            function.blocks[index].code[at as usize] = twin;
        }
        apply(function, index, &order);
    }
}

/// The instructions of a block that the multiplier can execute as well.
#[derive(Default)]
struct Twins<'b> {
    from: Option<(&'b Function, &'b [Instruction], &'b Context<'b>)>,
    /// For each instruction, whether it may have a twin.
    likely: Vec<bool>,
    /// Those that are replaced.
    taken: Vec<(u32, Instruction)>,
}

impl<'b> Twins<'b> {
    fn of(function: &'b Function, code: &'b [Instruction], context: &'b Context<'b>) -> Twins<'b> {
        Twins {
            from: Some((function, code, context)),
            likely: code.iter().map(twins::is_likely).collect(),
            taken: Vec::new(),
        }
    }

    fn is_likely(&self, at: u32) -> bool {
        self.likely.get(at as usize).copied().unwrap_or(false)
    }

    /// Replaces an instruction; if that cannot be, it is not asked for again.
    fn take(&mut self, at: u32) -> bool {
        let Some((function, code, context)) = self.from else {
            return false;
        };
        match twins::twin(function, &code[at as usize], context.selector) {
            Some(twin) if context.fuel.take() => self.taken.push((at, twin)),
            Some(_) | None => {
                self.likely[at as usize] = false;
                return false;
            }
        }
        true
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

/// Registers of a short file that a block has in any case for what it makes itself.
const FEW_LEFT: u32 = 3;

/// How many general registers fewer than there are a block is tried with whose order needs too many.
const FEWER: [u32; 4] = [0, 8, 20, 40];

/// Schedules the blocks named, in ascending order, or all of them. Gives those that got the order that needs fewest registers, since there are not enough.
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
    let gives_back = regions::any(function);
    let predicates = function.sm.info().registers.predicates.saturating_sub(1);
    let numbering = Numbering::of(function);
    let mut scratch = Tables::new(numbering.count);
    let mut orders = Vec::with_capacity(function.blocks.len());
    let mut lean = Vec::new();
    for (index, (block, old)) in function.blocks.iter().zip(&peaks).enumerate() {
        if block.code.len() <= 2 || only.is_some_and(|only| only.binary_search(&index).is_err()) {
            orders.push(None);
            continue;
        }
        let mut pressure = Pressure::new(&mut tables, index);
        let own = limits(function, gives_back, whole, rooms[index], fewer);
        let limits = pressure.reachable(own, FEW_LEFT);
        let bounds = pressure.reachable(own, predicates);
        let mut found = None;
        // An order may come to need more than it is to hold: it loads what waits for others, which find no room any more. The old order then leads on.
        let had_room = old[0] <= limits[0];
        let plain = only.is_none().then_some((0, false));
        let careful = FEWER
            .iter()
            .filter(|_| only.is_some() || had_room)
            .map(|below| (*below, true));
        for (below, is_lean) in plain.into_iter().chain(careful) {
            let mut dependences = Dependences::of(&numbering, &block.code, &mut scratch);
            let mut lower = limits;
            lower[0] = limits[0].saturating_sub(below);
            pressure.start(lower);
            pressure.is_lean = is_lean;
            let order = order(&mut dependences, Some(&mut pressure), &mut Twins::default());
            let new = pressure.peak(Some(&order));
            let most = |file: usize| match only {
                // What has no room in either order goes to memory more often the longer it is live.
                Some(_) if file == 0 && old[0] > hard(function, rooms[index], fewer) => limits[0],
                Some(_) | None => old[file].max(bounds[file]),
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
            let fits = |new: &Counts| (1..FILES).all(|file| new[file] <= old[file].max(bounds[file]));
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

/// Fewer registers than a warp asks for which multiplies.
const FEW: u32 = 100;

/// Registers that a new order may hold at once in a block that has so much room: what some block needs in any case, and a few more.
/// `gives_back` says whether the function changes how many registers its warps have.
fn limits(function: &Function, gives_back: bool, whole: Counts, room: u32, fewer: u32) -> Counts {
    let registers = &function.sm.info().registers;
    // Widths and alignments take some of what is there. Warps that have given registers back, to those that multiply, wait for copies and hide nothing: all that
    // they have left is for what they keep.
    let gaps = match gives_back && room < FEW {
        true => room,
        false => (room / 16).min(8),
    };
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
fn order(
    dependences: &mut Dependences,
    mut pressure: Option<&mut Pressure<'_, '_>>,
    twins: &mut Twins<'_>,
) -> Vec<u32> {
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
                ready.push(priority[at as usize], at, twins);
            }
        }
        let mut by_multiplier = false;
        let chosen = match &pressure {
            Some(pressure) if pressure.is_high() => {
                let late = |at: u32| earliest[at as usize].saturating_sub(now);
                least(pressure, &mut oldest, &issued, late)
            }
            _ => {
                let mut found = None;
                let mut put_off = Vec::new();
                while let Some((key, at, other)) = ready.pop(now) {
                    if issued[at as usize] {
                        continue;
                    }
                    if other && !twins.take(at) {
                        ready.push(key, at, twins);
                        continue;
                    }
                    by_multiplier = other;
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
                    ready.push(key, at, twins);
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
        ready.occupy(at, now, by_multiplier);
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

/// Among the oldest candidates, one that makes no more registers live: the one that waits least for its operands, `late` cycles from now on. If there is none,
/// the one that makes fewest live; or the oldest where the order is made to need few registers: it comes to what ends something, while those that make few more live
/// may make many so.
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
    let best = seen.iter().copied().min_by_key(|at| match pressure.growth(*at) {
        growth @ ..=0 => (false, late(*at), growth, *at),
        _ if pressure.is_lean => (true, 0, 0, *at),
        growth => (true, 0, growth, *at),
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
            let interval = lanes.intervals[at];
            found[at] = found[at].max(next.map_or(0, |next| next + interval));
            next = Some(found[at]);
        }
    }
    found
}

/// A pipe that an instruction takes for longer than a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// The pipe of a latency group.
    Group(LatencyGroup),
    /// The multiplier of integers, and up to sm_80 all of the pipe for floating numbers.
    Multiplier,
}

/// Which instructions of a block take their pipe for longer than a cycle.
struct Lanes {
    /// For each instruction its lane; lane 0 is never taken.
    of: Vec<u8>,
    /// For each instruction the cycles for which it takes it.
    intervals: Vec<u32>,
    /// How many lanes there are.
    count: usize,
    /// The lane of the multiplier.
    multiplier: usize,
}

/// Cycles for which a product, or what is written as one, takes the multiplier.
const PRODUCT: u32 = 2;

impl Lanes {
    fn of(dependences: &Dependences) -> Lanes {
        let mut units = vec![Unit::Multiplier];
        let mut lanes = Lanes {
            of: Vec::with_capacity(dependences.nodes.len()),
            intervals: Vec::with_capacity(dependences.nodes.len()),
            count: 0,
            multiplier: 1,
        };
        for node in &dependences.nodes {
            let timing = node.facts.timing;
            let interval = issue_interval_between(timing, timing, node.facts.word.isa());
            let interval = interval.map_or(1, |distance| u32::from(distance.cycles));
            let (unit, interval) = match timing.pipe {
                Pipe::Fmaheavy => (Unit::Multiplier, interval.max(PRODUCT)),
                Pipe::Fma => (Unit::Multiplier, interval),
                _ => (Unit::Group(timing.group), interval),
            };
            let lane = match interval {
                0..=1 => 0,
                _ => units.iter().position(|own| *own == unit).map_or_else(
                    || {
                        units.push(unit);
                        units.len()
                    },
                    |lane| lane + 1,
                ),
            };
            lanes.of.push(lane as u8);
            lanes.intervals.push(interval);
        }
        lanes.count = units.len() + 1;
        lanes
    }
}

/// Instructions by what depends on them and by their place in the program.
type Heap = BinaryHeap<(u32, Reverse<u32>)>;

/// The instructions that may issue as far as their operands go, for each lane.
struct Ready<'l> {
    lanes: &'l Lanes,
    waiting: Vec<Heap>,
    /// Those that the multiplier can execute, too, for each lane.
    flexible: Vec<Heap>,
    /// The first cycle at which each lane is free.
    free: Vec<u32>,
}

impl Ready<'_> {
    fn new(lanes: &Lanes) -> Ready<'_> {
        Ready {
            waiting: vec![BinaryHeap::new(); lanes.count],
            flexible: vec![BinaryHeap::new(); lanes.count],
            free: vec![0; lanes.count],
            lanes,
        }
    }

    fn push(&mut self, priority: u32, at: u32, twins: &Twins<'_>) {
        let lane = usize::from(self.lanes.of[at as usize]);
        let heap = match twins.is_likely(at) {
            true => &mut self.flexible[lane],
            false => &mut self.waiting[lane],
        };
        heap.push((priority, Reverse(at)));
    }

    /// The first cycle at which one of a lane may issue that has a twin, or one that has none.
    fn opens(&self, lane: usize, flexible: bool) -> u32 {
        match flexible {
            true => self.free[lane].min(self.free[self.lanes.multiplier]),
            false => self.free[lane],
        }
    }

    fn heaps(&self) -> impl Iterator<Item = (usize, bool, &Heap)> {
        let rigid = self.waiting.iter().enumerate().map(|(lane, heap)| (lane, false, heap));
        let flexible = self.flexible.iter().enumerate().map(|(lane, heap)| (lane, true, heap));
        rigid.chain(flexible).filter(|(_, _, heap)| !heap.is_empty())
    }

    /// Takes out the first of those whose lanes are free, and says whether the multiplier is to execute it: where its own lane is taken, or something waits for
    /// that which has no twin.
    fn pop(&mut self, now: u32) -> Option<(u32, u32, bool)> {
        let open = self
            .heaps()
            .filter(|(lane, flexible, _)| self.opens(*lane, *flexible) <= now);
        let (lane, flexible, _) = open.max_by_key(|(_, _, heap)| heap.peek().copied())?;
        let is_free = |lane: usize| self.free[lane] <= now;
        let wanted = !is_free(lane) || !self.waiting[lane].is_empty();
        let by_multiplier = flexible && wanted && is_free(self.lanes.multiplier);
        let heap = match flexible {
            true => &mut self.flexible[lane],
            false => &mut self.waiting[lane],
        };
        let (priority, Reverse(at)) = heap.pop()?;
        Some((priority, at, by_multiplier))
    }

    /// The first cycle at which a lane is free for which something waits.
    fn next(&self) -> Option<u32> {
        self.heaps().map(|(lane, flexible, _)| self.opens(lane, flexible)).min()
    }

    /// An instruction issues.
    fn occupy(&mut self, at: u32, now: u32, by_multiplier: bool) {
        match by_multiplier {
            true => self.free[self.lanes.multiplier] = now + PRODUCT,
            false => self.free[usize::from(self.lanes.of[at as usize])] = now + self.lanes.intervals[at as usize],
        }
    }
}
