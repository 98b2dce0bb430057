//! Random numbers that a seed repeats.

/// A small generator of random numbers (splitmix64): the same seed gives the same numbers on every machine and for ever, since results of tests and
/// orders of emulated warps hang on them.
///
/// ```
/// use warpsmith_base::Random;
///
/// let mut random = Random::new(0);
/// assert_eq!(random.next_u64(), 0xe220_a839_7b1d_cdaf);
/// assert!(random.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator for a seed; seeds that are next to each other do as well as others.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    /// A number below a bound; 0 where the bound is 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 => {
                self.next_u64();
                0
            }
            bound => (self.next_u64() % bound as u64) as usize,
        }
    }

    /// The same for a number of 32 bits.
    pub const fn below_u32(&mut self, bound: u32) -> u32 {
        self.below(bound as usize) as u32
    }

    /// Whether something happens that does so in so many of 100 cases.
    pub const fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
