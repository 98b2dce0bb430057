//! What to spill and where to load it again.
//!
//! The blocks are walked from the entry on with the set of registers that are kept. Where more are live than there is room for, those whose next use is
//! farthest are given up; a use of one that was given up loads it again. What lies behind the end of a loop counts as far away, so that loops keep what
//! they use; of that, what is computed again from nothing goes first. (Belady's rule over a control flow graph, as Braun and Hack describe it: "Register
//! Spilling and Live-Range Splitting for SSA-Form Programs", 2009.)
//!
//! A register that is ever loaded again is stored after each of its definitions, so giving one up costs nothing where it happens, and loading one again is
//! right anywhere. The registers need not have one definition each. What a loop writes and loads nowhere is stored behind the loop instead ([`late`]).

mod late;
mod next_uses;

use rustc_hash::FxHashSet;
use warpsmith_sass::RegisterClass;

use super::{chains::Chains, uniform::Constants, warp::Alike};
use crate::{
    allocate::{
        loops::Loops,
        ranges::Ranges,
        touches::{Touched, Touches},
    },
    ir::Function,
};

pub(crate) use next_uses::NextUses;

/// Registers of so many words and more count with those of their words that are live: they are taken apart and put together word by word. What is left of
/// narrower ones is a gap that others seldom fit.
const WIDE: u32 = 8;
/// No next use.
const NEVER: u32 = u32::MAX;
/// The distance of what is used at once.
const SOON: u32 = 4;
/// The distance of what lies behind the end of a loop.
const OUTSIDE: u32 = 1 << 20;

/// Where registers are loaded again.
#[derive(Debug)]
pub(crate) struct Plan {
    /// For each block, offset of the instruction before which, and register.
    pub(crate) loads: Vec<Vec<(u32, u32)>>,
    /// Registers that are loaded anywhere.
    pub(crate) spilled: Vec<u32>,
    /// What is not stored where it is written but behind a loop.
    pub(crate) late: late::Late,
    /// How registers are computed from nothing.
    pub(super) chains: Chains,
    /// For each block, whether it is in a loop without others in it.
    pub(super) busy: Vec<bool>,
}

/// What the plan is made from.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) function: &'a Function,
    pub(crate) touches: &'a Touches,
    pub(crate) ranges: &'a Ranges,
    pub(crate) loops: &'a Loops,
    /// Of the registers of the class.
    pub(crate) uses: &'a NextUses,
    pub(crate) class: RegisterClass,
    /// Words that may be live at once.
    pub(crate) room: u32,
    /// For each instruction, words of the file that the warp has there; empty if it has all everywhere.
    pub(crate) given: &'a [u32],
    /// For each instruction, words that it leaves of them; empty if it leaves all.
    pub(crate) left: &'a [u32],
    /// Registers that stay where they are.
    pub(crate) kept: &'a [u32],
    /// What may be kept in uniform registers.
    pub(crate) alike: Option<&'a Alike>,
}

/// Registers that are kept at a point.
#[derive(Clone, Debug, Default)]
struct Kept {
    list: Vec<u32>,
    /// Their words that are live there: of a tuple that is taken apart or put together word by word not all are.
    words: u32,
}

struct Planner<'a> {
    given: Given<'a>,
    /// What is kept at the start and at the end of each block, once known.
    entry: Vec<Option<Vec<u32>>>,
    exit: Vec<Option<Kept>>,
    plan: Plan,
    is_spilled: Vec<bool>,
    /// The next use of each register of the block being walked.
    next: Vec<u32>,
    /// For each touch, the next use of its register after it.
    after: Vec<u32>,
    inside: Vec<bool>,
    /// Of those that are kept, how many words are live where the walk is.
    live: Vec<u32>,
    /// Registers that products in flight use, or that are to stay.
    held: Vec<bool>,
    /// Uniform registers that are constants.
    is_constant: Vec<bool>,
    /// Zero for each register, but where it is counted how many of some blocks keep it.
    keepers: Vec<usize>,
    /// Headers of loops with registers that are kept there only to live through the loop.
    through: FxHashSet<(usize, u32)>,
    /// Those of them that found no room all the way: they would be loaded again in each round.
    in_vain: FxHashSet<(usize, u32)>,
}

/// Makes the plan.
pub(crate) fn plan(given: Given<'_>) -> Plan {
    let first = Planner::walked(given, FxHashSet::default());
    if first.in_vain.is_empty() {
        return first.finished();
    }
    Planner::walked(given, first.in_vain).finished()
}

/// A planner that has seen nothing yet.
fn planner(given: Given<'_>) -> Planner<'_> {
    let (blocks, registers) = (given.function.blocks.len(), given.function.registers.len());
    let touches = given.touches.len();
    let mut planner = Planner {
        held: crate::products::held(given.function),
        entry: vec![None; blocks],
        exit: vec![None; blocks],
        plan: Plan {
            loads: vec![Vec::new(); blocks],
            spilled: Vec::new(),
            late: late::Late::default(),
            chains: match given.class {
                RegisterClass::Gpr => Chains::of(given.function),
                _ => Chains::default(),
            },
            busy: given.loops.busy(),
        },
        is_spilled: vec![false; registers],
        next: vec![NEVER; registers],
        after: vec![NEVER; touches],
        inside: vec![false; registers],
        live: vec![0; registers],
        keepers: vec![0; registers],
        is_constant: match given.class {
            RegisterClass::UniformGpr => Constants::of(given.function).registers(given.function),
            _ => vec![false; registers],
        },
        through: FxHashSet::default(),
        in_vain: FxHashSet::default(),
        given,
    };
    for register in given.kept {
        planner.held[*register as usize] = true;
    }
    planner
}

/// Whether a word of a register is live at a point.
pub(super) fn is_live(ranges: &Ranges, register: u32, word: u8, point: u32) -> bool {
    let segments = ranges.of(register, word);
    let at = segments.partition_point(|segment| segment.end <= point);
    segments.get(at).is_some_and(|segment| segment.start <= point)
}

impl<'a> Planner<'a> {
    /// Walks over all blocks. What is known to be kept through loops in vain is not.
    fn walked(given: Given<'a>, in_vain: FxHashSet<(usize, u32)>) -> Planner<'a> {
        let mut planner = planner(given);
        planner.in_vain = in_vain;
        for index in 0..given.loops.order.len() {
            planner.block(given.loops.order[index] as usize);
        }
        planner
    }

    fn finished(mut self) -> Plan {
        for loads in &mut self.plan.loads {
            loads.sort_unstable();
            loads.dedup();
        }
        self.plan.spilled.sort_unstable();
        self.plan.late = late::find(&self);
        self.plan
    }

    fn is_of_class(&self, register: u32) -> bool {
        self.given.function.registers[register as usize].class == self.given.class
    }

    fn words(&self, register: u32) -> u32 {
        self.given.function.registers[register as usize].words.into()
    }

    /// The words of a register that are live at a point: `2 * n` before instruction `n`, `2 * n + 1` behind it.
    fn live_words(&self, register: u32, point: u32) -> u32 {
        let all = self.words(register);
        if all < WIDE {
            return all;
        }
        let live = |word: &u32| is_live(self.given.ranges, register, *word as u8, point);
        (0..all).filter(live).count() as u32
    }

    /// The point at the start of a block, and that at its end.
    fn points(&self, block: usize) -> (u32, u32) {
        let starts = &self.given.touches.block_first;
        let (start, end) = (2 * starts[block], 2 * starts[block + 1]);
        (start, end.saturating_sub(1).max(start))
    }

    /// Fixed registers stay where they are.
    fn may_go(&self, register: u32) -> bool {
        let function = self.given.function;
        function.registers[register as usize].fixed.is_none()
            && !self.held[register as usize]
            && ![function.stack, function.frame].contains(&Some(crate::ir::Register(register)))
    }

    /// Words that may be live where an instruction reads.
    fn room_at(&self, instruction: usize) -> u32 {
        let given = self.given.given.get(instruction).copied().unwrap_or(u32::MAX);
        self.given.room.min(given)
    }

    /// Words that may be live at the start of a block.
    fn room_before(&self, block: usize) -> u32 {
        self.room_at(self.given.touches.block(block).start)
    }

    /// Words that may be live at the end of a block.
    fn room_behind(&self, block: usize) -> u32 {
        let code = self.given.touches.block(block);
        self.room_at(code.end.saturating_sub(1).max(code.start))
    }

    /// What is kept at the start of a block.
    fn at_entry(&mut self, block: usize) -> Vec<u32> {
        let live = &self.given.uses.live_in[block];
        let (start, _) = self.points(block);
        if let Some(index) = self.given.loops.headed_by(block as u32) {
            return self.at_header(block, index, live);
        }
        let predecessors: Vec<u32> = self.given.loops.predecessors[block]
            .iter()
            .copied()
            .filter(|from| self.exit[*from as usize].is_some())
            .collect();
        let exits = predecessors
            .iter()
            .filter_map(|from| self.exit[*from as usize].as_ref());
        for register in exits.flat_map(|exit| &exit.list) {
            self.keepers[*register as usize] += 1;
        }
        let mut candidates: Vec<(usize, u32, u32)> = live
            .iter()
            .map(|(register, distance)| {
                let lack = match self.may_go(*register) {
                    true => predecessors.len() - self.keepers[*register as usize],
                    false => 0,
                };
                (lack, *distance, *register)
            })
            .collect();
        let exits = predecessors
            .iter()
            .filter_map(|from| self.exit[*from as usize].as_ref());
        for register in exits.flat_map(|exit| &exit.list) {
            self.keepers[*register as usize] = 0;
        }
        candidates.sort_unstable_by_key(|(lack, distance, register)| {
            (*lack != 0, self.rank(*register, *distance), *register)
        });
        let room = self.room_before(block);
        let mut kept = Vec::new();
        let mut words = 0;
        for (lack, _, register) in candidates {
            let wide = self.live_words(register, start);
            let everywhere = predecessors.len();
            let fits = words + wide <= room || !self.may_go(register);
            if !fits || (lack == everywhere && lack != 0 && self.may_go(register)) {
                continue;
            }
            if lack != 0 && !self.can_load_in(block, &predecessors, register) {
                continue;
            }
            words += wide;
            kept.push(register);
        }
        kept
    }

    /// Whether the predecessors that do not keep a register have room for it at their ends; if so, they load it there.
    fn can_load_in(&mut self, block: usize, predecessors: &[u32], register: u32) -> bool {
        let wide = |planner: &Planner<'_>, from: usize| planner.live_words(register, planner.points(from).1);
        let lacking: Vec<usize> = predecessors
            .iter()
            .map(|from| *from as usize)
            .filter(|from| {
                self.exit[*from]
                    .as_ref()
                    .is_some_and(|exit| !exit.list.contains(&register))
            })
            .collect();
        let all_fit = lacking.iter().all(|from| {
            let room = self.room_behind(*from);
            let wide = wide(self, *from);
            self.exit[*from].as_ref().is_some_and(|exit| exit.words + wide <= room)
        });
        // In a loop that leads here it would be loaded in each round.
        let depth = |block: usize| self.given.loops.depth(block as u32);
        if !all_fit || lacking.iter().any(|from| depth(*from) > depth(block)) {
            return false;
        }
        for from in lacking {
            self.load_at_end(from, register);
            let wide = wide(self, from);
            if let Some(exit) = &mut self.exit[from] {
                exit.list.push(register);
                exit.words += wide;
            }
        }
        true
    }

    /// At the header of a loop: what the loop uses, the nearest first; and what only lives through it as far as there is room all the way.
    fn at_header(&mut self, block: usize, index: usize, live: &[(u32, u32)]) -> Vec<u32> {
        let room = self.room_before(block);
        let (start, _) = self.points(block);
        let body = &self.given.loops.list[index].1;
        // What a short loop does not use itself may be used soon behind it.
        let near = match self.given.loops.is_short(index) {
            true => self.given.touches.block(block).len() as u32,
            false => OUTSIDE,
        };
        let most = body
            .iter()
            .map(|block| self.given.uses.pressure[*block as usize])
            .max()
            .unwrap_or(0);
        let mut used: Vec<(u32, u32)> = Vec::new();
        let mut through: Vec<((u32, u32), u32)> = Vec::new();
        for &(register, distance) in live {
            if !self.may_go(register) {
                used.push((0, register));
            } else if distance < near {
                used.push((distance, register));
            } else {
                through.push((self.rank(register, distance), register));
            }
        }
        used.sort_unstable();
        through.sort_unstable();
        let through_words: u32 = through
            .iter()
            .map(|(_, register)| self.live_words(*register, start))
            .sum();
        let inner = most.saturating_sub(through_words);
        let mut words = 0;
        let mut kept = Vec::new();
        let predecessors: Vec<u32> = self.given.loops.predecessors[block]
            .iter()
            .copied()
            .filter(|from| self.exit[*from as usize].is_some())
            .collect();
        for (_, register) in used {
            let wide = self.live_words(register, start);
            if words + wide <= room || !self.may_go(register) {
                // What no way brings is better loaded where it is used, unless there is room for it all through the loop.
                if self.may_go(register) && !self.can_load_in(block, &predecessors, register) {
                    continue;
                }
                words += wide;
                kept.push(register);
            }
        }
        let mut left = room.saturating_sub(inner.max(words));
        for (_, register) in through {
            let wide = self.live_words(register, start);
            let everywhere = predecessors.iter().all(|from| {
                self.exit[*from as usize]
                    .as_ref()
                    .is_some_and(|exit| exit.list.contains(&register))
            });
            if wide <= left && everywhere && !self.in_vain.contains(&(block, register)) {
                left -= wide;
                kept.push(register);
                self.through.insert((block, register));
            }
        }
        kept
    }

    fn spill(&mut self, register: u32) {
        if !self.is_spilled[register as usize] {
            self.is_spilled[register as usize] = true;
            self.plan.spilled.push(register);
        }
    }

    /// Whether a register is live at the end of a block.
    fn is_live_at_end(&self, block: usize, register: u32) -> bool {
        let end = 2 * self.given.touches.block_first[block + 1];
        (0..self.words(register)).any(|word| {
            let segments = self.given.ranges.of(register, word as u8);
            let at = segments.partition_point(|segment| segment.end < end);
            segments.get(at).is_some_and(|segment| segment.start < end)
        })
    }

    fn load_at_end(&mut self, block: usize, register: u32) {
        if !self.is_live_at_end(block, register) {
            return;
        }
        let code = &self.given.function.blocks[block].code;
        let branches = code.iter().rev().take_while(|i| crate::spill::ends_block(i)).count();
        self.plan.loads[block].push(((code.len() - branches) as u32, register));
        self.spill(register);
    }

    fn block(&mut self, block: usize) {
        let mut kept = Kept {
            list: self.at_entry(block),
            words: 0,
        };
        self.entry[block] = Some(kept.list.clone());
        let (start, _) = self.points(block);
        for &register in &kept.list {
            self.inside[register as usize] = true;
            self.live[register as usize] = self.live_words(register, start);
            kept.words += self.live[register as usize];
        }
        self.find_next_uses(block);
        for instruction in self.given.touches.block(block) {
            self.instruction(block, instruction, &mut kept);
        }
        self.finish(block, &mut kept);
        for &register in &kept.list {
            self.inside[register as usize] = false;
        }
        self.exit[block] = Some(kept);
    }

    /// Next uses within the block, from its start, and from each touch on.
    fn find_next_uses(&mut self, block: usize) {
        let code = self.given.touches.block(block);
        let length = code.len() as u32;
        let touches = self.given.touches;
        for &(register, distance) in &self.given.uses.live_in[block] {
            self.next[register as usize] = distance;
        }
        // At the end.
        for instruction in code.clone() {
            for touch in touches.at(instruction) {
                let register = touch.register;
                if self.is_of_class(register) {
                    self.next[register as usize] = NEVER;
                }
            }
        }
        for &to in &self.given.loops.successors[block] {
            let outside = if self.given.loops.leaves(block as u32, to) {
                OUTSIDE
            } else {
                0
            };
            for &(register, distance) in &self.given.uses.live_in[to as usize] {
                let there = distance.saturating_add(outside).saturating_add(length);
                let next = &mut self.next[register as usize];
                // What the block does not touch has the distance from its start already.
                *next = (*next).min(there);
            }
        }
        for instruction in code.clone().rev() {
            for index in touches.range(instruction).rev() {
                let touch = touches.get(index);
                if self.is_of_class(touch.register) {
                    self.after[index] = self.next[touch.register as usize];
                }
            }
            // Before what writes all of it, nothing of a register is used.
            for touch in touches.at(instruction) {
                if self.is_of_class(touch.register) && touch.writes && touch.words > 0 {
                    self.next[touch.register as usize] = NEVER;
                }
            }
            for touch in touches.at(instruction) {
                // A write of a part needs the rest as well.
                if self.is_of_class(touch.register) && (touch.reads || self.keeps_old(instruction, *touch)) {
                    self.next[touch.register as usize] = (instruction - code.start) as u32;
                }
            }
        }
    }

    /// Whether a write leaves something of the register as it was that is needed.
    fn keeps_old(&self, instruction: usize, touch: Touched) -> bool {
        let at = 2 * instruction as u32;
        let guarded = self.given.touches.writes_under(instruction, touch).is_some();
        if !guarded && u32::from(touch.words) == self.words(touch.register) {
            return false;
        }
        (0..self.words(touch.register)).any(|word| {
            let written = (u32::from(touch.word)..u32::from(touch.word) + u32::from(touch.words)).contains(&word);
            let segments = self.given.ranges.of(touch.register, word as u8);
            // Live before and after the write.
            let next = segments.partition_point(|segment| segment.end <= at + 1);
            (guarded || !written) && segments.get(next).is_some_and(|segment| segment.start <= at)
        })
    }

    fn instruction(&mut self, block: usize, instruction: usize, kept: &mut Kept) {
        let touches = self.given.touches;
        let offset = (instruction - touches.block(block).start) as u32;
        // What must be there: what is read, and what a write leaves partly as it was.
        let mut needed: Vec<u32> = Vec::new();
        for touch in touches.at(instruction) {
            let register = touch.register;
            if self.is_of_class(register)
                && touch.words > 0
                && (touch.reads || self.keeps_old(instruction, *touch))
                && !needed.contains(&register)
            {
                needed.push(register);
            }
        }
        for &register in &needed {
            if !self.inside[register as usize] {
                self.plan.loads[block].push((offset, register));
                self.spill(register);
                self.add(kept, register, 2 * instruction as u32);
            }
        }
        self.make_room(kept, &needed, self.room_at(instruction));
        for index in touches.range(instruction) {
            let register = touches.get(index).register;
            if self.is_of_class(register) {
                self.next[register as usize] = self.after[index];
            }
        }
        self.drop_dead(kept, touches.at(instruction));
        let behind = 2 * instruction as u32 + 1;
        for touch in touches.at(instruction) {
            let register = touch.register;
            if self.inside[register as usize] && self.is_of_class(register) && self.words(register) > 1 {
                kept.words -= self.live[register as usize];
                self.live[register as usize] = self.live_words(register, behind);
                kept.words += self.live[register as usize];
            }
        }
        let mut written: Vec<u32> = Vec::new();
        for touch in touches.at(instruction) {
            if self.is_of_class(touch.register) && touch.writes && touch.words > 0 && !written.contains(&touch.register)
            {
                written.push(touch.register);
            }
        }
        for &register in &written {
            if !self.inside[register as usize] {
                self.add(kept, register, behind);
            }
        }
        let left = self.given.left.get(instruction).copied().unwrap_or(u32::MAX);
        self.make_room(kept, &written, self.given.room.min(left));
        self.drop_dead(kept, touches.at(instruction));
    }

    fn add(&mut self, kept: &mut Kept, register: u32, point: u32) {
        self.inside[register as usize] = true;
        self.live[register as usize] = self.live_words(register, point);
        kept.list.push(register);
        kept.words += self.live[register as usize];
    }

    /// What is never used again takes no room.
    fn drop_dead(&mut self, kept: &mut Kept, touches: &[Touched]) {
        for touch in touches {
            let register = touch.register;
            if self.inside[register as usize] && self.is_of_class(register) && self.next[register as usize] == NEVER {
                self.remove(kept, register);
            }
        }
    }

    fn remove(&mut self, kept: &mut Kept, register: u32) {
        if let Some(at) = kept.list.iter().position(|other| *other == register) {
            kept.list.swap_remove(at);
            kept.words -= self.live[register as usize];
            self.inside[register as usize] = false;
        }
    }

    /// What is kept before what, by how far the next use of a register is. A uniform constant is written again by one instruction, and takes no general
    /// register meanwhile, as others do; and what a uniform register keeps comes back by one.
    fn rank(&self, register: u32, distance: u32) -> (u32, u32) {
        let is_alike = self.given.alike.is_some_and(|alike| alike.has(register));
        let last = match distance {
            0..SOON => 0,
            SOON..OUTSIDE => u32::from(self.is_constant[register as usize] || is_alike),
            OUTSIDE..NEVER => u32::from(is_alike || self.plan.chains.gives_soon(register)),
            NEVER => 2,
        };
        (last, distance)
    }

    /// Gives up what is used farthest away, except for what stays.
    fn make_room(&mut self, kept: &mut Kept, stay: &[u32], room: u32) {
        while kept.words > room {
            let candidates = kept.list.iter().copied();
            let farthest = candidates
                .filter(|register| !stay.contains(register) && self.may_go(*register))
                .max_by_key(|register| (self.rank(*register, self.next[*register as usize]), *register));
            let Some(register) = farthest else { return };
            self.remove(kept, register);
        }
    }

    /// At the end of a block: what the headers behind it, which are done already, keep must be there.
    fn finish(&mut self, block: usize, kept: &mut Kept) {
        let successors = self.given.loops.successors[block].clone();
        let mut wanted: Vec<u32> = Vec::new();
        for to in successors {
            if let Some(entry) = &self.entry[to as usize] {
                wanted.extend(entry);
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        for &register in &wanted {
            if !self.inside[register as usize] && self.is_live_at_end(block, register) {
                self.load_at_end(block, register);
                self.add(kept, register, self.points(block).1);
                let headers = self.given.loops.successors[block].iter().map(|to| *to as usize);
                let in_vain = headers.map(|header| (header, register));
                self.in_vain
                    .extend(in_vain.filter(|place| self.through.contains(place)));
            }
        }
        self.make_room(kept, &wanted, self.room_behind(block));
    }
}
