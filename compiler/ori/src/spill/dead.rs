//! Spill code that is of no use: stores that nobody loads from before the next store, since a register is stored after each of its definitions, whichever of
//! them is loaded; and what is loaded or computed again for a block that gives the register up before it needs it. What is computed again at all of its uses
//! was computed in vain the first time.

use warpsmith_sass::{Access, FieldName, Opcode};

use super::{Origin, again::is_cheap, uniform::is_constant};
use crate::{
    allocate::touches::Touches,
    ir::{BlockId, Function, Instruction, Touch},
    liveness::{BitSet, Liveness, Marks},
};

/// A store to or a load from words of the frame.
struct Slots {
    store: bool,
    guarded: bool,
    first: usize,
    words: usize,
}

/// What an instruction that spilling added does to the frame; `None`: nothing.
fn access(function: &Function, instruction: &Instruction, origin: Origin) -> Option<Slots> {
    if origin != Origin::Added {
        return None;
    }
    let base = &instruction.base;
    let store = match base.opcode() {
        Opcode::Stl => true,
        Opcode::Ldl => false,
        _ => return None,
    };
    let at = instruction.operands.iter().find(|one| one.field == FieldName::Ra)?;
    if ![function.stack, function.frame].contains(&Some(at.register)) {
        return None;
    }
    let words = match crate::select::printed(base, FieldName::Size) {
        "128" => 4,
        "64" => 2,
        "" | "32" => 1,
        _ => return None,
    };
    let first = usize::try_from(base.field(FieldName::Offset)?).ok()? / 4;
    Some(Slots {
        store,
        guarded: instruction.guard.is_some(),
        first,
        words,
    })
}

/// Takes out all that is of no use. `origins` runs along the code; what is loaded or stored no more counts as spilled no more.
pub(crate) fn remove_all(function: &mut Function, origins: &mut [Vec<Origin>]) {
    loop {
        remove_loads(function, origins);
        // What nobody loads need not have been computed.
        if !remove_stores(function, origins) {
            return;
        }
    }
}

/// Takes out what spilling loads or computes and nobody reads.
pub(super) fn remove_loads(function: &mut Function, origins: &mut [Vec<Origin>]) {
    loop {
        let touches = Touches::of(function);
        let liveness = Liveness::of(function, &touches);
        let mut live = Marks::new(liveness.words);
        let mut dead: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
        let mut bytes = 0;
        for (block, dead) in dead.iter_mut().enumerate() {
            live.clear();
            for &word in &liveness.out[block] {
                live.insert(word as usize);
            }
            for at in (0..function.blocks[block].code.len()).rev() {
                let instruction = &function.blocks[block].code[at];
                let words = |touch: Touch| liveness.range(touch.register.0, touch.word, touch.words);
                let mut results = instruction.touches().filter(|touch| touch.access != Access::Read);
                if is_optional(instruction, origins[block][at])
                    && results.all(|touch| !words(touch).any(|word| live.contains(word)))
                {
                    if instruction.base.opcode() == Opcode::Ldl {
                        bytes += 4 * instruction.touches().map(|touch| written(&touch)).sum::<u32>();
                    }
                    dead.push(at);
                    continue;
                }
                if instruction.guard.is_none() {
                    for touch in instruction.touches().filter(|touch| touch.access == Access::Write) {
                        words(touch).for_each(|word| {
                            live.remove(word);
                        });
                    }
                }
                for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
                    words(touch).for_each(|word| {
                        live.insert(word);
                    });
                }
            }
        }
        function.spill_load_bytes -= bytes.min(function.spill_load_bytes);
        if dead.iter().all(Vec::is_empty) {
            return;
        }
        remove(function, origins, dead);
    }
}

/// Whether an instruction does nothing but give a register its value, and is such as spilling adds or computes again.
fn is_optional(instruction: &Instruction, origin: Origin) -> bool {
    match origin {
        Origin::Of(_) => is_cheap(instruction) || is_constant(instruction),
        Origin::Again(_) => true,
        Origin::Added => matches!(instruction.base.opcode(), Opcode::Ldl | Opcode::Mov | Opcode::R2ur),
    }
}

/// The words that a touch writes.
fn written(touch: &Touch) -> u32 {
    match touch.access {
        Access::Read => 0,
        Access::Write | Access::ReadWrite => touch.words.into(),
    }
}

/// Takes the stores out that nobody loads from; whether there were any.
fn remove_stores(function: &mut Function, origins: &mut [Vec<Origin>]) -> bool {
    let words = function.frame_bytes as usize / 4 + 4;
    let blocks = function.blocks.len();
    let mut live_in: Vec<BitSet> = (0..blocks).map(|_| BitSet::new(words)).collect();
    let accesses: Vec<Vec<(usize, Slots)>> = (function.blocks.iter().zip(origins.iter()))
        .map(|(block, origins)| {
            let code = block.code.iter().zip(origins).enumerate();
            let each = code.filter_map(|(at, (one, origin))| Some((at, access(function, one, *origin)?)));
            each.collect()
        })
        .collect();
    let at_end = |block: usize, live_in: &[BitSet]| {
        let mut live = BitSet::new(words);
        for to in function.successors(BlockId(block as u32)) {
            live.union(&live_in[to.0 as usize]);
        }
        live
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..blocks).rev() {
            let mut live = at_end(block, &live_in);
            for (_, access) in accesses[block].iter().rev() {
                follow(access, &mut live);
            }
            changed |= live_in[block].union(&live);
        }
    }
    let mut dead: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    let mut bytes = 0;
    for (block, dead) in dead.iter_mut().enumerate() {
        let mut live = at_end(block, &live_in);
        for (at, access) in accesses[block].iter().rev() {
            let mut stored = access.first..access.first + access.words;
            if access.store && !stored.any(|word| live.contains(word)) {
                dead.push(*at);
                bytes += 4 * access.words as u32;
            }
            follow(access, &mut live);
        }
    }
    function.spill_store_bytes -= bytes.min(function.spill_store_bytes);
    let any = dead.iter().any(|dead| !dead.is_empty());
    remove(function, origins, dead);
    any
}

/// Takes out the instructions at these places of each block.
fn remove(function: &mut Function, origins: &mut [Vec<Origin>], dead: Vec<Vec<usize>>) {
    for ((block, origins), dead) in function.blocks.iter_mut().zip(origins).zip(dead) {
        if dead.is_empty() {
            continue;
        }
        let mut keep = vec![true; block.code.len()];
        dead.iter().for_each(|at| keep[*at] = false);
        let mut flags = keep.iter();
        block.code.retain(|_| flags.next().copied().unwrap_or(true));
        let mut flags = keep.iter();
        origins.retain(|_| flags.next().copied().unwrap_or(true));
    }
}

/// What is loaded later, before an access.
fn follow(access: &Slots, live: &mut BitSet) {
    for word in access.first..access.first + access.words {
        match access.store {
            true if access.guarded => {}
            true => live.remove(word),
            false => live.insert(word),
        }
    }
}
