//! Clusters that a running one takes over before they start: `clusterlaunchcontrol`.
//!
//! The response of 16 bytes holds the first CTA of the cluster, x in the first word, y and z in the halves of the second, and a one in bit 0 of the
//! third if there is such a cluster (observed, ptxas 13.0.88: what `query_cancel` looks at).

use super::{
    barrier::Signal,
    bulk::Place,
    machine::{Machine, Site, Trouble},
    transfer::{Locus, Origin, Piece, Tracking, Transfer},
    warp::Warp,
};

/// The bit of the upper half of a response that says that a cluster was cancelled.
pub(crate) const CANCELLED_BIT: u8 = 0;

impl Machine<'_> {
    /// The response to a request: the cluster that would start next, which then does not start.
    fn cancel_next(&mut self) -> [u8; 16] {
        let mut response = [0; 16];
        let Some(mut left) = self.queue.take() else {
            return response;
        };
        let mut first = [0; 3];
        for (axis, index) in first.iter_mut().enumerate() {
            let count = u64::from((self.launch.grid[axis] / self.cluster[axis].max(1)).max(1));
            *index = (left % count) as u32 * self.cluster[axis];
            left /= count;
        }
        let words = [first[0], first[1] & 0xffff | first[2] << 16, 1, 0];
        for (bytes, word) in response.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&u32::to_le_bytes(word));
        }
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
