//! Generations of tensor cores.

/// Machines whose tensor cores compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// sm_70 and sm_72.
    Volta,
    /// sm_75.
    Turing,
    /// sm_80 to sm_88.
    Ampere,
    /// sm_89.
    Ada,
    /// sm_90.
    Hopper,
    /// sm_100, sm_101, sm_103 and sm_110.
    Blackwell,
    /// sm_120 and sm_121.
    ConsumerBlackwell,
}

impl Generation {
    /// The generation of an SM by its number, as in 86 for sm_86. `None` where there are no tensor cores.
    ///
    /// ```
    /// use warpsmith_numerics::matrix::Generation;
    /// assert_eq!(Generation::of_sm(86), Some(Generation::Ampere));
    /// assert_eq!(Generation::of_sm(61), None);
    /// ```
    pub const fn of_sm(sm: u32) -> Option<Self> {
        match sm {
            0..70 => None,
            70..75 => Some(Self::Volta),
            75..80 => Some(Self::Turing),
            80..89 => Some(Self::Ampere),
            89 => Some(Self::Ada),
            90..100 => Some(Self::Hopper),
            100..120 => Some(Self::Blackwell),
            120.. => Some(Self::ConsumerBlackwell),
        }
    }

    /// Bytes of a row of A that one block takes.
    pub(super) const fn block_bytes(self) -> u32 {
        match self {
            Self::Volta => 8,
            Self::Turing | Self::Ampere | Self::Ada => 16,
            Self::Hopper | Self::Blackwell | Self::ConsumerBlackwell => 32,
        }
    }

    /// Fraction bits that terms keep below the largest exponent.
    pub(super) const fn fraction_bits(self) -> u32 {
        match self {
            Self::Volta => 23,
            Self::Turing | Self::Ampere | Self::Ada => 24,
            Self::Hopper | Self::Blackwell | Self::ConsumerBlackwell => 25,
        }
    }
}

/// The family of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// `mma` and `wmma`: one warp.
    Mma,
    /// `wgmma`: a warp group, on Hopper.
    Wgmma,
    /// `tcgen05.mma`, on Blackwell.
    Tcgen05,
}
