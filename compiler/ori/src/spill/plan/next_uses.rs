//! Where registers are live, and how far their next uses are: what every plan of a function and a file starts from.

use warpsmith_sass::RegisterClass;

use super::{NEVER, OUTSIDE};
use crate::{
    allocate::{loops::Loops, ranges::Ranges, touches::Touches},
    ir::Function,
};

/// Rounds over the blocks after which distances are good enough.
const ROUNDS: usize = 12;

/// Of the registers of a file, where they are live and how far their next uses are.
pub(crate) struct NextUses {
    /// For each block, the registers live at its start in order, and how far their next use is.
    pub(super) live_in: Vec<Vec<(u32, u32)>>,
    /// Words live at most in each block.
    pub(super) pressure: Vec<u32>,
}

impl NextUses {
    pub(crate) fn of(
        function: &Function,
        touches: &Touches,
        ranges: &Ranges,
        loops: &Loops,
        class: RegisterClass,
    ) -> NextUses {
        let mut live_in = live_in(function, touches, ranges, class);
        find_first_uses(&mut live_in, function, touches);
        spread(&mut live_in, function, touches, loops);
        let pressure = pressure(function, touches, ranges, class);
        NextUses { live_in, pressure }
    }

    /// How far the next use of a register is from the start of a block; none where it is not live there.
    pub(super) fn live_at(&self, block: usize, register: u32) -> Option<u32> {
        let list = &self.live_in[block];
        let at = list.binary_search_by_key(&register, |entry| entry.0).ok()?;
        Some(list[at].1)
    }
}

/// The registers of a file with how many words they have.
fn of_class(function: &Function, class: RegisterClass) -> impl Iterator<Item = (u32, u8)> + '_ {
    let registers = function.registers.iter().enumerate();
    let own = registers.filter(move |(_, info)| info.class == class);
    own.map(|(register, info)| (register as u32, info.words))
}

fn live_in(function: &Function, touches: &Touches, ranges: &Ranges, class: RegisterClass) -> Vec<Vec<(u32, u32)>> {
    let starts = &touches.block_first;
    let mut live_in: Vec<Vec<(u32, u32)>> = vec![Vec::new(); function.blocks.len()];
    for (register, words) in of_class(function, class) {
        for word in 0..words {
            for segment in ranges.of(register, word) {
                let mut block = starts.partition_point(|start| 2 * start < segment.start);
                while block < live_in.len() && 2 * starts[block] < segment.end {
                    if live_in[block].last().map(|last| last.0) != Some(register) {
                        live_in[block].push((register, NEVER));
                    }
                    block += 1;
                }
            }
        }
    }
    live_in
}

fn pressure(function: &Function, touches: &Touches, ranges: &Ranges, class: RegisterClass) -> Vec<u32> {
    let mut events: Vec<(u32, i32)> = Vec::new();
    for (register, words) in of_class(function, class) {
        for segment in (0..words).flat_map(|word| ranges.of(register, word)) {
            events.push((segment.start, 1));
            events.push((segment.end, -1));
        }
    }
    events.sort_unstable();
    let mut live = 0_i32;
    let mut events = events.into_iter().peekable();
    let each = touches.block_first.windows(2).map(|bounds| {
        // What was live at the end of the block before is not for that live here.
        while let Some((_, change)) = events.next_if(|event| event.0 <= 2 * bounds[0]) {
            live += change;
        }
        let mut most = live;
        while let Some((_, change)) = events.next_if(|event| event.0 < 2 * bounds[1]) {
            live += change;
            most = most.max(live);
        }
        most.unsigned_abs()
    });
    each.collect()
}

/// Uses in the block itself, which do not change.
fn find_first_uses(live_in: &mut [Vec<(u32, u32)>], function: &Function, touches: &Touches) {
    let mut first_use = vec![NEVER; function.registers.len()];
    for (block, live_in) in live_in.iter_mut().enumerate() {
        let code = touches.block(block);
        for instruction in code.clone().rev() {
            for touch in touches.at(instruction).iter().filter(|t| t.reads) {
                first_use[touch.register as usize] = (instruction - code.start) as u32;
            }
        }
        for entry in live_in {
            entry.1 = first_use[entry.0 as usize];
        }
        for instruction in code {
            for touch in touches.at(instruction) {
                first_use[touch.register as usize] = NEVER;
            }
        }
    }
}

/// Brings the distances over the borders of blocks.
fn spread(live_in: &mut [Vec<(u32, u32)>], function: &Function, touches: &Touches, loops: &Loops) {
    // How far the next use of each register is from the end of a block.
    let mut behind = vec![NEVER; function.registers.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &block in loops.order.iter().rev() {
            let at = block as usize;
            let length = touches.block(at).len() as u32;
            let successors = &loops.successors[at];
            for &to in successors {
                let outside = if loops.leaves(block, to) { OUTSIDE } else { 0 };
                for &(register, distance) in &live_in[to as usize] {
                    let behind = &mut behind[register as usize];
                    *behind = (*behind).min(distance.saturating_add(outside));
                }
            }
            let mut own = std::mem::take(&mut live_in[at]);
            // What the block itself uses is nearer than its end.
            for (register, distance) in own.iter_mut().filter(|(_, distance)| *distance >= length) {
                let new = behind[*register as usize].saturating_add(length);
                if new < *distance {
                    *distance = new;
                    changed = true;
                }
            }
            live_in[at] = own;
            for (register, _) in successors.iter().flat_map(|to| &live_in[*to as usize]) {
                behind[*register as usize] = NEVER;
            }
        }
        if !changed {
            break;
        }
    }
}
