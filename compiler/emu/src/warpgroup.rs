//! How far the warps of a warp group are in its asynchronous products.
//!
//! A product of `wgmma` is one operation of four warps, which happens when all four have come to it. CUTLASS relies on this twice: tiles of shared
//! memory that the four have just written are read with no barrier between (gradients of attention), and one warp that has waited for a product says
//! for all four that a tile may be overwritten.
//!
//! Here each warp computes its own rows: it waits for the others to come to the product before, and for them to have computed theirs where it waits
//! for the product.

/// Groups of products that a wait may leave pending: one less than this.
const REMEMBERED: usize = 8;
/// Warps of a warp group.
const WARPS: u32 = 4;

/// The products of a warp.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Products {
    /// Those that the warp has come to: at most one more than it has computed.
    arrived: u64,
    computed: u64,
    groups: usize,
    /// How many had been computed at the end of each of the last groups, by the number of the group modulo their count.
    ends: [u64; REMEMBERED],
}

impl Products {
    /// The warp comes to its next product, for the first time or again; gives its number, from 1 on.
    pub(crate) fn arrive(&mut self) -> u64 {
        self.arrived = self.computed + 1;
        self.arrived
    }

    /// Whether it has come to a product that it has not computed.
    pub(crate) fn has_arrived(&self) -> bool {
        self.arrived > self.computed
    }

    /// The product that it has come to is computed.
    pub(crate) fn compute(&mut self) {
        self.computed += 1;
        self.arrived = self.computed;
    }

    /// Ends a group.
    pub(crate) fn commit(&mut self) {
        self.ends[self.groups % REMEMBERED] = self.computed;
        self.groups += 1;
    }

    /// How many products all warps of the group must have computed for all groups but the last `pending` to be complete.
    pub(crate) fn awaited(&self, pending: usize) -> u64 {
        match self.groups.checked_sub(pending.saturating_add(1)) {
            Some(group) if pending < REMEMBERED => self.ends[group % REMEMBERED],
            Some(_) | None => 0,
        }
    }

    fn have(&self, awaited: Awaited) -> bool {
        match awaited {
            Awaited::Arrival(number) => self.arrived >= number,
            Awaited::Computed(number) => self.computed >= number,
        }
    }
}

/// What a warp waits for others of its warp group to have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// To have come to the product of this number.
    Arrival(u64),
    /// To have computed so many.
    Computed(u64),
}

impl Awaited {
    /// Whether the others have. `products` gives those of a warp of the CTA, none for warps that are not there, that have exited, or that run:
    /// nobody waits for these.
    pub(crate) fn is_done<'w>(self, warp: u32, products: impl Fn(usize) -> Option<&'w Products>) -> bool {
        members(warp).filter_map(products).all(|others| others.have(self))
    }
}

/// The indices in the CTA of the warps that share the products of a warp, itself included.
fn members(warp: u32) -> std::ops::Range<usize> {
    let first = warp - warp % WARPS;
    first as usize..(first + WARPS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_leaves_the_last_groups_pending() {
        let mut products = Products::default();
        for group in 1..=9_u64 {
            (0..group).for_each(|_| products.compute());
            products.commit();
        }
        products.compute();
        assert_eq!(products.awaited(0), 45);
        assert_eq!(products.awaited(1), 36);
        assert_eq!(products.awaited(7), 3);
        assert_eq!(products.awaited(8), 0);
        assert_eq!(Products::default().awaited(0), 0);
    }

    #[test]
    fn warps_of_a_group_wait_for_each_other() {
        let (mut ahead, behind) = (Products::default(), Products::default());
        let arrived = Awaited::Arrival(ahead.arrive());
        assert!(ahead.has_arrived());
        let warps = [ahead, behind];
        assert!(!arrived.is_done(0, |warp| warps.get(warp)));
        // Of another group, or alone.
        assert!(arrived.is_done(4, |warp| warps.get(warp)));
        assert!(arrived.is_done(1, |warp| warps[..1].get(warp)));
        ahead.compute();
        assert!(!ahead.has_arrived());
        assert!(Awaited::Computed(1).is_done(1, |_| Some(&ahead)));
        assert!(!Awaited::Computed(2).is_done(1, |_| Some(&ahead)));
    }
}
