//! What a run did.

use crate::lanes::Shape;

/// Figures of memory accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStatistics {
    /// Warp instructions that accessed global memory.
    pub global_accesses: u64,
    /// Sectors of 32 bytes that these touched, counted for each warp instruction.
    pub global_sectors: u64,
    /// The fewest sectors that hold the bytes they touched.
    pub global_sectors_ideal: u64,
    /// Warp instructions that accessed shared memory.
    pub shared_accesses: u64,
    /// Passes beyond the first that these needed because several words lie in one bank.
    pub shared_conflicts: u64,
    /// Warp instructions that accessed local memory.
    pub local_accesses: u64,
    /// Atomic operations, counted for each thread.
    pub atomics: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions, counted once for each warp that executed them with at least one thread.
    pub instructions: u64,
    /// Instructions, counted for each thread.
    pub thread_instructions: u64,
    /// Warp instructions by mnemonic, in order of the mnemonic.
    pub opcodes: Vec<(String, u64)>,
    /// Branches at which the threads of a warp parted.
    pub divergent_branches: u64,
    /// Branches in all.
    pub branches: u64,
    /// Arrivals of warps at CTA and cluster barriers.
    pub barriers: u64,
    /// Memory accesses.
    pub memory: MemoryStatistics,
    /// What the kernel printed.
    pub printed: String,
}

impl Report {
    /// Adds what another grid did after this one.
    pub(crate) fn add(&mut self, other: Report) {
        self.instructions += other.instructions;
        self.thread_instructions += other.thread_instructions;
        for (mnemonic, count) in other.opcodes {
            match self.opcodes.binary_search_by(|(known, _)| known.cmp(&mnemonic)) {
                Ok(index) => self.opcodes[index].1 += count,
                Err(index) => self.opcodes.insert(index, (mnemonic, count)),
            }
        }
        self.divergent_branches += other.divergent_branches;
        self.branches += other.branches;
        self.barriers += other.barriers;
        self.memory.add(&other.memory);
        self.printed.push_str(&other.printed);
    }
}

impl MemoryStatistics {
    /// Adds the figures of another part of the run.
    pub(crate) fn add(&mut self, other: &MemoryStatistics) {
        let MemoryStatistics {
            global_accesses,
            global_sectors,
            global_sectors_ideal,
            shared_accesses,
            shared_conflicts,
            local_accesses,
            atomics,
        } = other;
        self.global_accesses += global_accesses;
        self.global_sectors += global_sectors;
        self.global_sectors_ideal += global_sectors_ideal;
        self.shared_accesses += shared_accesses;
        self.shared_conflicts += shared_conflicts;
        self.local_accesses += local_accesses;
        self.atomics += atomics;
    }

    /// Counts an access of a warp to global memory, whose addresses have this shape.
    pub(crate) fn count_global_of(&mut self, shape: Shape, addresses: &[u64; 32], active: u32, bytes: u64) {
        self.global_accesses += 1;
        let start = addresses[active.trailing_zeros() as usize % 32];
        if shape != Shape::Any {
            let together = if shape == Shape::Same { bytes } else { 32 * bytes };
            let sectors = (start.wrapping_add(together - 1) >> 5).wrapping_sub(start >> 5) + 1;
            self.global_sectors += sectors;
            self.global_sectors_ideal += (u64::from(active.count_ones()) * bytes).div_ceil(32).min(sectors);
            return;
        }
        let mut sectors = [0_u64; 64];
        let mut count = 0;
        let mut sorted = true;
        let mut previous = None;
        for lane in crate::lanes::lanes_of(active) {
            let (first, last) = (addresses[lane] >> 5, (addresses[lane].wrapping_add(bytes - 1)) >> 5);
            for sector in [first, last].into_iter().take(1 + usize::from(first != last)) {
                if previous == Some(sector) {
                    continue;
                }
                sorted &= previous.is_none_or(|previous| previous < sector);
                previous = Some(sector);
                sectors[count] = sector;
                count += 1;
            }
        }
        if !sorted {
            sectors[..count].sort_unstable();
            let mut kept = 1;
            for index in 1..count {
                if sectors[index] != sectors[kept - 1] {
                    sectors[kept] = sectors[index];
                    kept += 1;
                }
            }
            count = kept;
        }
        self.global_sectors += count as u64;
        self.global_sectors_ideal += (u64::from(active.count_ones()) * bytes).div_ceil(32).min(count as u64);
    }

    /// Counts an access of a warp to shared memory: 32 banks of 4 bytes, which serve 128 bytes in a pass.
    pub(crate) fn count_shared_of(&mut self, shape: Shape, addresses: &[u64; 32], active: u32, bytes: u64) {
        self.shared_accesses += 1;
        // The usual cases: all lanes at one place, or each next to the one before.
        if shape == Shape::Same || shape == Shape::Consecutive {
            return;
        }
        let words = bytes.div_ceil(4);
        // Lanes that are served together.
        let group = (32 / words).max(1) as usize;
        let mut conflicts = 0;
        for start in (0..32).step_by(group) {
            let mask = active & (u32::MAX >> (32 - group) << start);
            conflicts += passes(addresses, mask, words).saturating_sub(1);
        }
        self.shared_conflicts += conflicts;
    }
}

/// The most different words of one bank that some lanes access, each this many words.
fn passes(addresses: &[u64; 32], mask: u32, words: u64) -> u64 {
    const NONE: u8 = u8::MAX;
    // Words known, linked bank by bank.
    let mut known = [0_u64; 64];
    let mut next = [NONE; 64];
    let mut heads = [NONE; 32];
    let mut counts = [0_u64; 32];
    let mut used = 0;
    for lane in crate::lanes::lanes_of(mask) {
        for word in (0..words).map(|word| addresses[lane] / 4 + word) {
            let bank = (word % 32) as usize;
            let mut at = heads[bank];
            while at != NONE && known[usize::from(at)] != word {
                at = next[usize::from(at)];
            }
            if at == NONE && used < known.len() {
                known[used] = word;
                next[used] = heads[bank];
                heads[bank] = used as u8;
                counts[bank] += 1;
                used += 1;
            }
        }
    }
    counts.into_iter().max().unwrap_or(0)
}
