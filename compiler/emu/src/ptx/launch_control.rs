//! Clusters that a running one takes over before they start: `clusterlaunchcontrol`.
//!
//! The response of 16 bytes is opaque; here it holds the first CTA of the cluster in x, y and z, 32 bits each, and a one in the highest bit if
//! there is such a cluster.

use super::{
    barrier::Signal,
    bulk::Place,
    machine::{Machine, Site, Trouble},
    transfer::{Locus, Origin, Piece, Tracking, Transfer},
    warp::Warp,
};

/// The bit of the upper half of a response that says that a cluster was cancelled.
pub(crate) const CANCELLED_BIT: u8 = 63;

impl Machine<'_> {
    /// The response to a request: the cluster that would start next, which then does not start.
    fn cancel_next(&mut self) -> [u8; 16] {
        let mut response = [0; 16];
        let Some(mut left) = self.queue.take() else {
            return response;
        };
        for (axis, bytes) in response.chunks_exact_mut(4).take(3).enumerate() {
            let count = u64::from((self.launch.grid[axis] / self.cluster[axis].max(1)).max(1));
            let index = (left % count) as u32 * self.cluster[axis];
            left /= count;
            bytes.copy_from_slice(&index.to_le_bytes());
        }
        response[15] = 0x80;
        response
    }

    pub(crate) fn try_cancel(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        (to, barrier): (Place, Place),
        all: bool,
        lane: usize,
    ) -> Result<(), Trouble> {
        let to = self.place_of(site, warp, to, lane)?;
        super::bulk::aligned(to, 16, "a response")?;
        let barrier = self.barrier_of(site, warp, barrier, lane)?;
        let response = self.cancel_next();
        let ranks = if all {
            0..site.cluster.ctas.len()
        } else {
            site.rank..site.rank + 1
        };
        let own = |place: Locus, rank: usize| match place {
            Locus::Shared(_, offset) => Locus::Shared(rank, offset),
            Locus::Global(_) => place,
        };
        let pieces = ranks.clone().map(|rank| Piece {
            from: Origin::Value(response),
            to: own(to, rank),
            bytes: 16,
        });
        let mut transfer = Transfer::new((site.rank, warp.index, lane), Tracking::Barrier, pieces.collect());
        for rank in ranks {
            transfer.signals.push((own(barrier, rank), Signal::Bytes(16)));
        }
        self.issue(site.cluster, transfer)
    }
}
