//! Stores behind loops: a spilled register that a loop writes and loads nowhere is stored where the loop is left, once and not in each round.

use std::ops::Range;

use rustc_hash::FxHashSet;
use warpsmith_sass::RegisterClass;

use super::Planner;

/// What is stored behind a loop.
#[derive(Debug, Default)]
pub(crate) struct Late {
    /// Blocks and the registers of which they store nothing.
    quiet: FxHashSet<(u32, u32)>,
    /// For each block, the registers and their words that are stored at its start; empty if no block has any.
    starts: Vec<Vec<(u32, Range<u8>)>>,
}

impl Late {
    /// Whether a block stores a register after writing it.
    pub(crate) fn stores(&self, block: usize, register: u32) -> bool {
        !self.quiet.contains(&(block as u32, register))
    }

    /// What is stored at the start of a block.
    pub(crate) fn at_start(&self, block: usize) -> &[(u32, Range<u8>)] {
        self.starts.get(block).map_or(&[], |list| list)
    }
}

/// A loop and where it is left to.
struct Region {
    inside: Vec<bool>,
    /// Blocks behind it.
    exits: Vec<u32>,
}

impl Region {
    fn of(planner: &Planner<'_>, body: &[u32]) -> Region {
        let loops = planner.given.loops;
        let mut inside = vec![false; loops.successors.len()];
        body.iter().for_each(|block| inside[*block as usize] = true);
        let successors = body.iter().flat_map(|block| &loops.successors[*block as usize]);
        let mut exits: Vec<u32> = successors.copied().filter(|to| !inside[*to as usize]).collect();
        exits.sort_unstable();
        exits.dedup();
        Region { inside, exits }
    }

    /// The blocks behind the loop at whose starts a register can be stored: it is kept to there on all ways. `None`: the loop loads it, or some exit
    /// does not allow it.
    fn exits_of(&self, planner: &Planner<'_>, register: u32, loads: &[u32]) -> Option<Vec<u32>> {
        if loads.iter().any(|block| self.inside[*block as usize]) {
            return None;
        }
        let is_kept = |from: &u32| {
            let exit = planner.exit[*from as usize].as_ref();
            exit.is_some_and(|exit| exit.list.contains(&register))
        };
        let live = self
            .exits
            .iter()
            .filter(|to| planner.given.uses.live_at(**to as usize, register).is_some());
        let each = live.map(|to| {
            let kept = planner.given.loops.predecessors[*to as usize].iter().all(is_kept);
            kept.then_some(*to)
        });
        each.collect()
    }
}

/// Finds what to store behind loops. A load lies outside of the loop: every way from a write in the loop to it leaves the loop while the register is live.
pub(super) fn find(planner: &Planner<'_>) -> Late {
    let mut late = Late::default();
    let loops = &planner.given.loops.list;
    if planner.given.class != RegisterClass::Gpr || loops.is_empty() {
        return late;
    }
    let (loads, writes) = places(planner);
    // The largest come first: they are left least often.
    let regions: Vec<Region> = loops.iter().map(|(_, body)| Region::of(planner, body)).collect();
    late.starts = vec![Vec::new(); planner.given.function.blocks.len()];
    for &register in &planner.plan.spilled {
        let (loads, writes) = (&loads[register as usize], &writes[register as usize]);
        for &block in writes {
            if !late.stores(block as usize, register) {
                continue;
            }
            let around = regions.iter().filter(|region| region.inside[block as usize]);
            let mut fitting = around.filter_map(|region| Some((region, region.exits_of(planner, register, loads)?)));
            let Some((region, exits)) = fitting.next() else {
                continue;
            };
            for &own in writes.iter().filter(|own| region.inside[**own as usize]) {
                late.quiet.insert((own, register));
            }
            for exit in exits {
                late.starts[exit as usize].extend(live_words(planner, register, exit));
            }
        }
    }
    late
}

/// The words of a register that are live at the start of a block.
fn live_words(planner: &Planner<'_>, register: u32, block: u32) -> Vec<(u32, Range<u8>)> {
    let start = 2 * planner.given.touches.block_first[block as usize];
    let mut found: Vec<(u32, Range<u8>)> = Vec::new();
    for word in 0..planner.words(register) as u8 {
        let segments = planner.given.ranges.of(register, word);
        let at = segments.partition_point(|segment| segment.end <= start);
        if segments.get(at).is_none_or(|segment| segment.start > start) {
            continue;
        }
        match found.last_mut() {
            Some((_, range)) if range.end == word => range.end = word + 1,
            _ => found.push((register, word..word + 1)),
        }
    }
    found
}

/// For each register, the blocks that load it and the blocks that write it.
fn places(planner: &Planner<'_>) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let registers = planner.given.function.registers.len();
    let (mut loads, mut writes) = (vec![Vec::new(); registers], vec![Vec::new(); registers]);
    let add = |list: &mut Vec<u32>, block: usize| {
        if list.last() != Some(&(block as u32)) {
            list.push(block as u32);
        }
    };
    for block in 0..planner.given.function.blocks.len() {
        for (_, register) in &planner.plan.loads[block] {
            add(&mut loads[*register as usize], block);
        }
        for instruction in planner.given.touches.block(block) {
            for touch in planner
                .given
                .touches
                .at(instruction)
                .iter()
                .filter(|touch| touch.writes)
            {
                if planner.is_spilled[touch.register as usize] {
                    add(&mut writes[touch.register as usize], block);
                }
            }
        }
    }
    (loads, writes)
}
