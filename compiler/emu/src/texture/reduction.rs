//! Reductions on surfaces.

use super::{ChannelKind, Registry};
use crate::{Fault, FaultKind};

/// What a reduction makes of the old number and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// The sum, which wraps.
    Add,
    /// The lesser.
    Minimum,
    /// The greater.
    Maximum,
    /// Both bit by bit.
    And,
    /// Either bit by bit.
    Or,
}

impl Reduction {
    /// The new number of 1 to 8 bytes.
    pub(crate) fn apply(self, signed: bool, bytes: u8, old: u64, operand: u64) -> u64 {
        let unused = 64 - 8 * u32::from(bytes.clamp(1, 8));
        let extended = |value: u64| (value << unused) as i64 >> unused;
        match (self, signed) {
            (Reduction::Add, _) => old.wrapping_add(operand),
            (Reduction::And, _) => old & operand,
            (Reduction::Or, _) => old | operand,
            (Reduction::Minimum, false) => old.min(operand),
            (Reduction::Maximum, false) => old.max(operand),
            (Reduction::Minimum, true) => extended(old).min(extended(operand)) as u64,
            (Reduction::Maximum, true) => extended(old).max(extended(operand)) as u64,
        }
    }
}

/// Whether a reduction that takes its type from the surface is signed: texels are integers of 32 or 64 bits.
///
/// # Errors
/// They are not.
pub(crate) fn formatted_sign(registry: &Registry, handle: u64, bytes: u8) -> Result<bool, Fault> {
    let format = registry.surface(handle)?.format();
    match format.kind {
        ChannelKind::Unsigned | ChannelKind::Signed if format.bytes() == u64::from(bytes) && format.bits == 32 => {
            Ok(format.kind == ChannelKind::Signed)
        }
        _ => Err(Fault::new(
            FaultKind::Operand,
            format!("a reduction of {bytes} bytes on texels that are no such integers"),
        )),
    }
}
