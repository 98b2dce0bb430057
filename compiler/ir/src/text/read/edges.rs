//! Phis of the text have an entry for each edge, ours one for each block.

use rustc_hash::FxHashMap;

use super::body::Body;
use super::{Reader, Result};
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::{Instruction, Value};

impl Reader<'_> {
    /// Checks the entries of phis against the edges of the function, and leaves one for each block.
    pub(super) fn edges(&self, body: &mut Body) -> Result<()> {
        let counts = several_edges(&body.function);
        let phis: Vec<InstructionId> = body
            .function
            .all_instructions()
            .filter(|&id| body.function.instruction(id).is_phi())
            .collect();
        for id in phis {
            let Some(block) = body.function.block_of(id) else {
                continue;
            };
            let Instruction::Phi { incoming, .. } = body.function.instruction(id) else {
                continue;
            };
            let mut entries: FxHashMap<BlockId, (u32, Value)> = FxHashMap::default();
            let mut broken = None;
            for &(from, value) in incoming {
                let (count, first) = entries.entry(from).or_insert((0, value));
                *count += 1;
                if *first != value {
                    broken = Some((
                        from,
                        "a phi has one value for each block, however many edges come from it",
                    ));
                }
            }
            // Blocks without an entry, or without an edge, are for the verifier.
            let wrong = entries.iter().filter(|(from, (count, _))| {
                let expected = counts.get(&(**from, block)).copied().unwrap_or(1);
                *count != expected
            });
            if let Some((&from, _)) = wrong.min_by_key(|(from, _)| **from) {
                broken = Some((from, "a phi has as many entries for a block as edges come from it"));
            }
            if let Some((from, rule)) = broken {
                let name = match body.function.block_name(from) {
                    Some(name) => format!("%{name}"),
                    None => from.to_string(),
                };
                let place = body.places.instruction(id).unwrap_or(self.next);
                return Err(self.error_at(place, format!("{rule}; it is otherwise for {name}")));
            }
            if entries.len() < incoming.len() {
                one_for_each_block(&mut body.function, id);
            }
        }
        Ok(())
    }
}

/// How many edges go from one block to another, where it is more than one.
fn several_edges(function: &Function) -> FxHashMap<(BlockId, BlockId), u32> {
    let mut counts = FxHashMap::default();
    let mut targets: FxHashMap<BlockId, u32> = FxHashMap::default();
    for block in function.blocks() {
        let Some(terminator) = function.terminator(block) else {
            continue;
        };
        targets.clear();
        function
            .instruction(terminator)
            .for_each_successor(|successor| *targets.entry(successor).or_default() += 1);
        let several = targets.iter().filter(|(_, count)| **count > 1);
        counts.extend(several.map(|(&target, &count)| ((block, target), count)));
    }
    counts
}

fn one_for_each_block(function: &mut Function, id: InstructionId) {
    function.update(id, |instruction| {
        if let Instruction::Phi { incoming, .. } = instruction {
            let mut seen = rustc_hash::FxHashSet::default();
            incoming.retain(|entry| seen.insert(*entry));
        }
    });
}
