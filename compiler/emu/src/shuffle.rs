//! Where a shuffle reads.

/// How a shuffle computes its source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

impl Shuffle {
    /// The lane that `lane` reads from, and whether that is within its segment. `b` is the lane or distance; `c` holds the bound in bits 0 to 4
    /// and the mask of the segment in bits 8 to 12.
    pub(crate) fn source(self, lane: u32, b: u32, c: u32) -> (u32, bool) {
        let (bound, segment) = (c & 0x1f, c >> 8 & 0x1f);
        let b = b & 0x1f;
        let highest = (lane & segment) | (bound & !segment);
        let lowest = lane & segment;
        let (source, valid) = match self {
            Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= highest as i32),
            Shuffle::Down => (lane + b, lane + b <= highest),
            Shuffle::Butterfly => (lane ^ b, lane ^ b <= highest),
            Shuffle::Index => {
                let source = lowest | (b & !segment);
                (source, source <= highest)
            }
        };
        if valid { (source, true) } else { (lane, false) }
    }
}
