//! Spreading: what is live for a short time moves to the register that has been free for longest.
//!
//! Where a value takes the register of one that has just been read for the last time, it must wait until that reading is done: for the address of a load or a
//! store that is a dozen cycles or two, and the order of the code can hide none of them any more. Registers that the function has anyway cost nothing: those
//! below the highest that it uses, and those up to the unit in which they are given out. So nothing here needs one more, or another order of spilling.
//! (ptxas 13.0.88 goes through all registers in turn, too.)

use warpsmith_sass::RegisterClass;

use super::{bundle::Bundles, physical::Files};

/// Positions, two for each instruction, after which a register is as good as one that has not been used at all.
const FAR: u32 = 64;

/// Registers that are looked at for each bundle.
const PROBES: u32 = 24;

/// Words of a bundle that moves, at most: the places of wider ones are hard to find.
const WIDEST: usize = 4;

/// Positions for which a bundle that moves is live, at most.
const LONGEST: u64 = 1024;

/// Moves the bundles of a file among the registers below `limit`. `files` holds what is fixed.
pub(super) fn spread(bundles: &Bundles, class: RegisterClass, limit: u32, files: &Files, numbers: &mut [Option<u16>]) {
    let mut files = files.of_class(class);
    let mut placed: Vec<(u32, u32, u16)> = Vec::new();
    for (index, bundle) in bundles.list.iter().enumerate() {
        let is_own = bundle.class == class && bundle.fixed.is_none();
        if let Some(number) = numbers[index].filter(|_| is_own) {
            placed.push((bundle.start(), index as u32, number));
        }
    }
    placed.sort_unstable();
    let change = |files: &mut Files, index: u32, number: u16, there: bool| {
        for (word, segments) in bundles.list[index as usize].words.iter().enumerate() {
            match there {
                true => files.add(class, number + word as u16, segments, index),
                false => files.remove(class, number + word as u16, segments, index),
            }
        }
    };
    for (_, index, number) in &placed {
        change(&mut files, *index, *number, true);
    }
    let mut next = 0;
    for (start, index, number) in placed {
        let bundle = &bundles.list[index as usize];
        if bundle.words.len() > WIDEST || bundle.length() > LONGEST {
            continue;
        }
        change(&mut files, index, number, false);
        let idle = |number: u16| {
            let words = 0..bundle.words.len() as u16;
            let idle = words.map(|word| start - files.last_use(class, number + word, start).unwrap_or(0));
            idle.min().unwrap_or(0)
        };
        let mut best = (idle(number), number);
        let step = bundle.alignment.max(1);
        let phase = bundle.phase % step;
        let count = (limit.saturating_sub(bundle.words.len() as u32 + u32::from(phase)) / u32::from(step)) as u16 + 1;
        let busy = files.busy(class, &bundle.words);
        let fits = |number: u16| {
            busy.is_free(number).unwrap_or_else(|| {
                let mut words = bundle.words.iter().enumerate();
                words.all(|(word, segments)| files.is_free(class, number + word as u16, segments))
            })
        };
        let first = u16::try_from(next).unwrap_or(0).saturating_sub(phase).div_ceil(step);
        let mut probes = 0;
        for turn in 0..count {
            let candidate = phase + (first + turn) % count * step;
            if best.0 >= FAR || probes >= PROBES {
                break;
            }
            if !fits(candidate) {
                continue;
            }
            probes += 1;
            let idle = idle(candidate);
            if idle > best.0 {
                best = (idle, candidate);
            }
        }
        let number = best.1;
        change(&mut files, index, number, true);
        numbers[index as usize] = Some(number);
        next = u32::from(number) + bundle.words.len() as u32;
    }
}
