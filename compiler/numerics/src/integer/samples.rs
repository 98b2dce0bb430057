//! Numbers for tests: a small generator of random values and how many to take.

/// A generator of pseudo-random numbers (splitmix64).
pub(crate) struct Samples(u64);

impl Samples {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Sixty-four random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number whose magnitude is small, large or in between with like chances, often next to a power of two.
    pub(crate) fn mixed(&mut self) -> u64 {
        let bits = self.next();
        let short = bits >> (self.next() % 64);
        match self.next() % 4 {
            0 => bits,
            1 => short,
            2 => short.wrapping_neg(),
            _ => (1u64 << (bits % 64)).wrapping_add(self.next() % 3).wrapping_sub(1),
        }
    }

    /// A shift amount or position: mostly small.
    pub(crate) fn amount(&mut self) -> u32 {
        match self.next() % 8 {
            0 => self.next() as u32,
            _ => (self.next() % 70) as u32,
        }
    }
}

/// How many samples to take where `quick` are enough for every build: `NUMERICS_SAMPLES` multiplies.
pub(crate) fn count(quick: usize) -> usize {
    let factor = std::env::var("NUMERICS_SAMPLES")
        .ok()
        .and_then(|text| text.parse().ok());
    quick * factor.unwrap_or(1)
}
