//! List scheduling: of the instructions whose predecessors have issued, the one that most depends on goes first.
//!
//! Before register allocation the number of live registers decides with: while it is below what the function needs anyway, latencies are hidden; at that
//! limit, the instruction goes first that frees most. A block whose new order needs more registers than the old one and than the limit keeps the old one.

use std::{cmp::Reverse, collections::BinaryHeap};

use warpsmith_sass::RegisterClass;

use super::dependences::{Dependences, Numbering, Tables};
use crate::{
    ir::Function,
    liveness::{BitSet, Liveness},
};

/// Files whose registers are counted, and how many of them code may hold at once without another look.
const FILES: usize = 4;

fn file(class: RegisterClass) -> Option<usize> {
    match class {
        RegisterClass::Gpr => Some(0),
        RegisterClass::UniformGpr => Some(1),
        RegisterClass::Predicate => Some(2),
        RegisterClass::UniformPredicate => Some(3),
        RegisterClass::Barrier | RegisterClass::Scoreboard => None,
    }
}

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

/// Schedules every block of a function with virtual registers.
pub(super) fn before_allocation(function: &mut Function) {
    let liveness = Liveness::of(function);
    let peaks: Vec<[u32; FILES]> = (0..function.blocks.len())
        .map(|block| peak(function, &liveness, block, None))
        .collect();
    let whole = peaks.iter().fold([0; FILES], |all, peak| {
        let mut all: [u32; FILES] = all;
        for (all, peak) in all.iter_mut().zip(peak) {
            *all = (*all).max(*peak);
        }
        all
    });
    let limits = limits(function, whole);
    let orders: Vec<Option<Vec<u32>>> = {
        let numbering = Numbering::of(function);
        let mut tables = Tables::new(numbering.count);
        (0..function.blocks.len())
            .map(|block| {
                let code = &function.blocks[block].code;
                if code.len() <= 2 {
                    return None;
                }
                let mut dependences = Dependences::of(&numbering, code, &mut tables);
                let mut pressure = Pressure::new(function, &liveness, block, limits);
                let order = order(&mut dependences, Some(&mut pressure));
                let new = peak(function, &liveness, block, Some(&order));
                let allowed = (0..FILES).all(|file| new[file] <= peaks[block][file].max(limits[file]));
                allowed.then_some(order)
            })
            .collect()
    };
    for (index, order) in orders.into_iter().enumerate() {
        if let Some(order) = order {
            apply(function, index, &order);
        }
    }
}

/// Registers that a new order may hold at once: what some block needs in any case, and a few more.
fn limits(function: &Function, whole: [u32; FILES]) -> [u32; FILES] {
    let registers = &function.sm.info().registers;
    let stated = function
        .register_limit
        .unwrap_or(registers.max_per_thread)
        .min(registers.max_per_thread);
    // Widths and alignments take some of what is there.
    let general = whole[0] + (whole[0] / 4).min(8);
    [
        general
            .min(stated.saturating_sub(16))
            .max(whole[0].min(stated.saturating_sub(16))),
        whole[1].clamp(8, registers.uniform.saturating_sub(8).max(8)),
        whole[2].clamp(3, 5),
        whole[3].clamp(3, 5),
    ]
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

/// The most registers of each file live at once in a block, in its order or another.
fn peak(function: &Function, liveness: &Liveness, block: usize, order: Option<&[u32]>) -> [u32; FILES] {
    let code = &function.blocks[block].code;
    let mut live = liveness.out[block].clone();
    let mut now = [0_u32; FILES];
    let class_of = Classes::of(function, liveness);
    for word in live.iter() {
        if let Some(file) = class_of.file(word) {
            now[file] += 1;
        }
    }
    let mut most = now;
    for index in (0..code.len()).rev() {
        let at = order.map_or(index, |order| order[index] as usize);
        let instruction = &code[at];
        let mut dead = [0_u32; FILES];
        for touch in instruction.touches() {
            let Some(file) = file(function.info(touch.register).class) else {
                continue;
            };
            for word in touch.word..touch.word + touch.words {
                let word = liveness.word(touch.register, word);
                if touch.access != warpsmith_sass::Access::Read && !live.contains(word) {
                    dead[file] += 1;
                }
            }
        }
        for file in 0..FILES {
            most[file] = most[file].max(now[file] + dead[file]);
        }
        let unguarded = instruction.guard.is_none();
        for touch in instruction.touches() {
            let Some(file) = file(function.info(touch.register).class) else {
                continue;
            };
            for word in touch.word..touch.word + touch.words {
                let word = liveness.word(touch.register, word);
                if touch.access == warpsmith_sass::Access::Write && unguarded && live.contains(word) {
                    live.remove(word);
                    now[file] -= 1;
                }
            }
        }
        for touch in instruction.touches() {
            let Some(file) = file(function.info(touch.register).class) else {
                continue;
            };
            for word in touch.word..touch.word + touch.words {
                let word = liveness.word(touch.register, word);
                if touch.access != warpsmith_sass::Access::Write && !live.contains(word) {
                    live.insert(word);
                    now[file] += 1;
                }
            }
        }
        for file in 0..FILES {
            most[file] = most[file].max(now[file]);
        }
    }
    most
}

/// The file of each word of each register.
struct Classes<'f> {
    function: &'f Function,
    first: &'f [u32],
}

impl<'f> Classes<'f> {
    fn of(function: &'f Function, liveness: &'f Liveness) -> Classes<'f> {
        Classes {
            function,
            first: &liveness.first,
        }
    }

    fn file(&self, word: usize) -> Option<usize> {
        let register = self
            .first
            .partition_point(|first| *first as usize <= word)
            .checked_sub(1)?;
        file(self.function.registers.get(register)?.class)
    }
}

/// The registers that are live as a block is put into a new order.
struct Pressure<'f> {
    function: &'f Function,
    liveness: &'f Liveness,
    block: usize,
    limits: [u32; FILES],
    now: [u32; FILES],
    live: BitSet,
    /// How many instructions still read each word, by the word's place among those of the block.
    readers: rustc_hash::FxHashMap<u32, u32>,
}

impl<'f> Pressure<'f> {
    fn new(function: &'f Function, liveness: &'f Liveness, block: usize, limits: [u32; FILES]) -> Pressure<'f> {
        let code = &function.blocks[block].code;
        let mut live = liveness.out[block].clone();
        let mut readers = rustc_hash::FxHashMap::default();
        for instruction in code.iter().rev() {
            liveness.step(&mut live, instruction);
            for touch in instruction
                .touches()
                .filter(|touch| touch.access != warpsmith_sass::Access::Write)
            {
                for word in touch.word..touch.word + touch.words {
                    *readers.entry(liveness.word(touch.register, word) as u32).or_default() += 1;
                }
            }
        }
        let classes = Classes::of(function, liveness);
        let mut now = [0; FILES];
        for word in live.iter() {
            if let Some(file) = classes.file(word) {
                now[file] += 1;
            }
        }
        Pressure {
            function,
            liveness,
            block,
            limits,
            now,
            live,
            readers,
        }
    }

    /// Whether some file is at its limit.
    fn is_high(&self) -> bool {
        (0..FILES).any(|file| self.now[file] >= self.limits[file])
    }

    /// How many more registers are live after an instruction, those of short files counting most.
    fn change(&self, at: u32) -> i32 {
        let instruction = &self.function.blocks[self.block].code[at as usize];
        let out = &self.liveness.out[self.block];
        let mut change = 0;
        for touch in instruction.touches() {
            let Some(file) = file(self.function.info(touch.register).class) else {
                continue;
            };
            let weight = if self.now[file] >= self.limits[file] { 4 } else { 1 };
            for word in touch.word..touch.word + touch.words {
                let word = self.liveness.word(touch.register, word);
                if touch.access != warpsmith_sass::Access::Read && !self.live.contains(word) {
                    change += weight;
                }
                if touch.access == warpsmith_sass::Access::Read
                    && self.readers.get(&(word as u32)) == Some(&1)
                    && !out.contains(word)
                {
                    change -= weight;
                }
            }
        }
        change
    }

    fn issue(&mut self, at: u32) {
        let instruction = &self.function.blocks[self.block].code[at as usize];
        let out = &self.liveness.out[self.block];
        for touch in instruction.touches() {
            let Some(file) = file(self.function.info(touch.register).class) else {
                continue;
            };
            for word in touch.word..touch.word + touch.words {
                let word = self.liveness.word(touch.register, word);
                if touch.access != warpsmith_sass::Access::Write
                    && let Some(left) = self.readers.get_mut(&(word as u32))
                {
                    *left -= 1;
                    if *left == 0 && !out.contains(word) && self.live.contains(word) {
                        self.live.remove(word);
                        self.now[file] -= 1;
                    }
                }
            }
        }
        for touch in instruction
            .touches()
            .filter(|touch| touch.access != warpsmith_sass::Access::Read)
        {
            let Some(file) = file(self.function.info(touch.register).class) else {
                continue;
            };
            for word in touch.word..touch.word + touch.words {
                let word = self.liveness.word(touch.register, word);
                let wanted = out.contains(word) || self.readers.get(&(word as u32)).is_some_and(|left| *left > 0);
                if wanted && !self.live.contains(word) {
                    self.live.insert(word);
                    self.now[file] += 1;
                }
            }
        }
    }
}

/// A new order of a block's instructions.
fn order(dependences: &mut Dependences, mut pressure: Option<&mut Pressure<'_>>) -> Vec<u32> {
    let count = dependences.nodes.len();
    let priority = priorities(dependences);
    let mut earliest = vec![0_u32; count];
    let mut issued = vec![false; count];
    let mut order = Vec::with_capacity(count);
    // By the first cycle at which they may issue; by what depends on them; by their place in the program.
    let mut waiting: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut ready: BinaryHeap<(u32, Reverse<u32>)> = BinaryHeap::new();
    let mut oldest: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let mut now = 0;
    for at in 0..count as u32 {
        if dependences.nodes[at as usize].before == 0 {
            waiting.push(Reverse((0, at)));
            oldest.push(Reverse(at));
        }
    }
    while order.len() < count {
        while let Some(Reverse((cycle, at))) = waiting.peek().copied().filter(|Reverse((cycle, _))| *cycle <= now) {
            waiting.pop();
            let _ = cycle;
            if !issued[at as usize] {
                ready.push((priority[at as usize], Reverse(at)));
            }
        }
        let short = pressure.as_ref().is_some_and(|pressure| pressure.is_high());
        let chosen = match (&pressure, short) {
            (Some(pressure), true) => least(pressure, &mut oldest, &issued),
            _ => {
                let mut found = None;
                while let Some((_, Reverse(at))) = ready.pop() {
                    if !issued[at as usize] {
                        found = Some(at);
                        break;
                    }
                }
                found
            }
        };
        let Some(at) = chosen else {
            match waiting.peek() {
                Some(Reverse((cycle, _))) => now = (*cycle).max(now + 1),
                None => break,
            }
            continue;
        };
        issued[at as usize] = true;
        now = now.max(earliest[at as usize]);
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

/// Among the oldest candidates, the one after which fewest registers are live.
fn least(pressure: &Pressure<'_>, oldest: &mut BinaryHeap<Reverse<u32>>, issued: &[bool]) -> Option<u32> {
    let mut seen = Vec::with_capacity(CANDIDATES);
    while seen.len() < CANDIDATES {
        let Some(Reverse(at)) = oldest.pop() else { break };
        if !issued[at as usize] {
            seen.push(at);
        }
    }
    let best = seen.iter().copied().min_by_key(|at| (pressure.change(*at), *at));
    for at in seen {
        if Some(at) != best {
            oldest.push(Reverse(at));
        }
    }
    best
}

/// For each instruction, the cycles from its issue to the block's end along the longest chain.
fn priorities(dependences: &Dependences) -> Vec<u32> {
    let nodes = &dependences.nodes;
    let mut found = vec![0_u32; nodes.len()];
    for at in (0..nodes.len()).rev() {
        let chains = nodes[at].edges.iter().map(|edge| found[edge.to as usize] + edge.cycles);
        found[at] = chains.max().unwrap_or_else(|| nodes[at].facts.expected_latency());
    }
    found
}
