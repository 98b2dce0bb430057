//! Special registers.

use super::{
    code::{LANES, Lanes, Row, SHARED_WINDOW},
    machine::{Context, Flow, Trouble},
};

/// Warps that a multiprocessor can hold.
const WARPS: u32 = 64;

/// A special register that has a meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Lane,
    /// The index of the thread in one word.
    Thread,
    ThreadIndex(u8),
    CtaIndex(u8),
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Clock,
    ClockHigh,
    Timer,
    TimerHigh,
    SharedWindowHigh,
    SharedSize,
    /// Rank of the CTA in its cluster.
    CtaRank,
    /// Packed; the number of the warp in its CTA from bit 8, of which 7 are read.
    Warp,
    /// Packed; the most warps of a multiprocessor from bit 8, of which 8 are read.
    WarpCount,
    Multiprocessor,
    Zero,
}

impl Special {
    /// The register of this name.
    pub(crate) fn named(name: &str) -> Option<Special> {
        Some(match name {
            "SR_LANEID" => Special::Lane,
            "SR_TID" => Special::Thread,
            "SR_TID.X" => Special::ThreadIndex(0),
            "SR_TID.Y" => Special::ThreadIndex(1),
            "SR_TID.Z" => Special::ThreadIndex(2),
            "SR_CTAID.X" => Special::CtaIndex(0),
            "SR_CTAID.Y" => Special::CtaIndex(1),
            "SR_CTAID.Z" => Special::CtaIndex(2),
            "SR_EQMASK" => Special::Equal,
            "SR_LTMASK" => Special::Less,
            "SR_LEMASK" => Special::LessOrEqual,
            "SR_GTMASK" => Special::Greater,
            "SR_GEMASK" => Special::GreaterOrEqual,
            "SR_CLOCKLO" | "SR_CLOCK" => Special::Clock,
            "SR_CLOCKHI" => Special::ClockHigh,
            "SR_GLOBALTIMERLO" => Special::Timer,
            "SR_GLOBALTIMERHI" => Special::TimerHigh,
            "SR_SWINHI" => Special::SharedWindowHigh,
            "SR_SMEMSZ" => Special::SharedSize,
            "SR_CgaCtaId" => Special::CtaRank,
            "SR_VIRTID" => Special::Warp,
            "SR_VIRTCFG" => Special::WarpCount,
            "SR_VIRTUALSMID" => Special::Multiprocessor,
            // It is only read to find a place in constant bank 0 that depends on it, where `abi` puts things for zero.
            "SR_CgaSize" => Special::Zero,
            // Functions that check their stack trap where it lies below this; here local memory starts at zero, and beyond is a fault.
            "SR_LMEMHIOFF" => Special::Zero,
            "SRZ" => Special::Zero,
            _ if name.starts_with("SR_PM") => Special::Zero,
            _ => return None,
        })
    }

    pub(super) fn execute(self, context: &mut Context<'_, '_>, d: Row, wide: bool) -> Result<Flow, Trouble> {
        let low = self.read(context);
        context.put(d, &low);
        if wide {
            let high = match self {
                Special::Clock => Special::ClockHigh.read(context),
                Special::Timer => Special::TimerHigh.read(context),
                _ => [0; LANES],
            };
            context.put(d.after(1), &high);
        }
        Ok(Flow::Next)
    }

    fn read(self, context: &mut Context<'_, '_>) -> Lanes {
        let warp = context.warp.index * LANES as u32;
        let clock = context.warp.executed.wrapping_add(context.machine.counts.instructions);
        let each = |f: &dyn Fn(u32) -> u32| std::array::from_fn(|lane| f(lane as u32));
        match self {
            Special::Lane => each(&|lane| lane),
            Special::Thread => each(&|lane| {
                let [x, y, z] = context.machine.thread_index(warp + lane);
                x | y << 16 | z << 26
            }),
            Special::ThreadIndex(axis) => {
                each(&|lane| context.machine.thread_index(warp + lane)[usize::from(axis) % 3])
            }
            Special::CtaIndex(axis) => [context.cta().index[usize::from(axis) % 3]; LANES],
            Special::Equal => each(&|lane| 1 << lane),
            Special::Less => each(&|lane| (1 << lane) - 1),
            Special::LessOrEqual => each(&|lane| u32::MAX >> (31 - lane)),
            Special::Greater => each(&|lane| !(u32::MAX >> (31 - lane))),
            Special::GreaterOrEqual => each(&|lane| u32::MAX << lane),
            Special::Clock => [clock as u32; LANES],
            Special::ClockHigh => [(clock >> 32) as u32; LANES],
            Special::Timer => [clock as u32; LANES],
            Special::TimerHigh => [(clock >> 32) as u32; LANES],
            Special::SharedWindowHigh => [(SHARED_WINDOW >> 32) as u32; LANES],
            Special::SharedSize => [context.cta().shared.len() as u32; LANES],
            Special::CtaRank => [context.rank as u32; LANES],
            Special::Warp => [(context.warp.index & 0x7f) << 8; LANES],
            Special::WarpCount => [WARPS << 8; LANES],
            Special::Multiprocessor => {
                let count = u64::from(context.machine.options.multiprocessors.max(1));
                [(context.cta().number % count) as u32; LANES]
            }
            Special::Zero => [0; LANES],
        }
    }
}
