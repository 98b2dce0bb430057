//! Uniform registers are the warp's. Where threads of a warp have parted, some of them wait elsewhere with what they will read while others write: what is live
//! from one block to another there is live at each such write too, though no way leads from there to a use.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, RegisterClass};

use super::{
    ranges::{Ranges, Segment, Segments},
    touches::Touches,
};
use crate::ir::{Function, Instruction};

/// Writes by threads that have parted from others, and where these may be.
#[derive(Default)]
struct Area {
    /// The points of the writes, in order.
    points: Vec<u32>,
    /// The borders of the blocks where others may be: starts and ends, each in order.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Area {
    /// Whether a segment is live where a block of the area starts or ends.
    fn crosses(&self, segment: &Segment) -> bool {
        let from = self.starts.partition_point(|start| *start < segment.start);
        let enters = self.starts.get(from).is_some_and(|start| *start < segment.end);
        let to = self.ends.partition_point(|end| *end <= segment.start);
        enters || self.ends.get(to).is_some_and(|end| *end <= segment.end)
    }
}

/// Makes what others may still read live at the writes.
pub(super) fn keep_for_others(function: &Function, touches: &Touches, ranges: &mut Ranges) {
    let areas = areas(function, touches);
    if areas.is_empty() {
        return;
    }
    for (register, info) in function.registers.iter().enumerate() {
        if info.class != RegisterClass::UniformGpr {
            continue;
        }
        let base = ranges.first[register] as usize;
        for list in &mut ranges.words[base..base + usize::from(info.words)] {
            let mut points: Vec<u32> = Vec::new();
            for area in areas
                .iter()
                .filter(|area| list.iter().any(|segment| area.crosses(segment)))
            {
                points.extend(&area.points);
            }
            if !points.is_empty() {
                points.sort_unstable();
                points.dedup();
                *list = with_points(list, &points);
            }
        }
    }
}

/// The areas that have writes. Behind a write of which nothing more is known others may be anywhere.
fn areas(function: &Function, touches: &Touches) -> Vec<Area> {
    let mut areas: FxHashMap<u32, Area> = FxHashMap::default();
    let mut number = 0;
    for (index, block) in function.blocks.iter().enumerate() {
        for instruction in &block.code {
            if index != 0 && writes_apart(function, instruction) {
                let area = areas.entry(instruction.marks.area).or_default();
                area.points.push(2 * number + 1);
            }
            number += 1;
        }
    }
    if areas.is_empty() {
        return Vec::new();
    }
    let starts = &touches.block_first;
    for (index, block) in function.blocks.iter().enumerate() {
        let (start, end) = (2 * starts[index], 2 * starts[index + 1]);
        let mut known: Vec<u32> = block.code.iter().map(|instruction| instruction.marks.area).collect();
        known.push(0);
        known.sort_unstable();
        known.dedup();
        for number in known {
            if let Some(area) = areas.get_mut(&number) {
                area.starts.push(start);
                area.ends.push(end);
            }
        }
    }
    let mut found: Vec<(u32, Area)> = areas.into_iter().collect();
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, area)| area).collect()
}

/// Segments and single points, both in order, joined where they touch.
fn with_points(list: &[Segment], points: &[u32]) -> Segments {
    let mut result = Segments::with_capacity(list.len() + points.len());
    let mut add = |segment: Segment| match result.last_mut() {
        Some(last) if last.end >= segment.start => last.end = last.end.max(segment.end),
        _ => result.push(segment),
    };
    let mut points = points.iter().peekable();
    for segment in list {
        while let Some(&point) = points.next_if(|point| **point < segment.start) {
            add(Segment {
                start: point,
                end: point + 1,
            });
        }
        add(*segment);
    }
    for &point in points {
        add(Segment {
            start: point,
            end: point + 1,
        });
    }
    result
}

/// Whether an instruction writes a uniform register where threads of the warp may be at different places: what the pass `uniform_registers` has moved stands
/// where they are not.
fn writes_apart(function: &Function, instruction: &Instruction) -> bool {
    let mut written = instruction.touches().filter(|touch| {
        touch.access != Access::Read && function.info(touch.register).class == RegisterClass::UniformGpr
    });
    let moved = function.kernel && crate::flow::uniform::is_counterpart(instruction.base.opcode());
    // A function that is called writes whichever it likes.
    let calls = instruction.effects.as_deref();
    let clobbers = calls.is_some_and(|effects| effects.clobbers.uniform != [0; 4]);
    clobbers || !instruction.marks.together && written.any(|touch| !moved || touch.words > 1)
}
