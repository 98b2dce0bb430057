//! The lanes of a warp.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// The lanes of a mask.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> + Clone {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// How the addresses of an access lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All active lanes have one address.
    Same,
    /// All lanes are active, and each follows the one before without a gap.
    Consecutive,
    Any,
}

impl Shape {
    /// The shape of an access of this many bytes in each lane.
    #[inline]
    pub(crate) fn of(addresses: &[u64; LANES], active: u32, bytes: u64) -> Shape {
        let first = addresses[active.trailing_zeros() as usize % LANES];
        if active == u32::MAX {
            let mut strange = 0;
            for (lane, address) in addresses.iter().enumerate() {
                strange |= address ^ first.wrapping_add(lane as u64 * bytes);
            }
            // The last address may not wrap around.
            if strange == 0 && first.checked_add(LANES as u64 * bytes).is_some() {
                return Shape::Consecutive;
            }
            if addresses[1] != first {
                return Shape::Any;
            }
        }
        let same = (0..LANES).fold(0, |strange, lane| {
            let counts = u64::from(active >> lane & 1).wrapping_neg();
            strange | (addresses[lane] ^ first) & counts
        });
        if same == 0 { Shape::Same } else { Shape::Any }
    }
}
