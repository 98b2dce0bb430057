//! Video instructions.

use warpsmith_ptx::{instruction::Variant, module::Operand};

use super::{Decoded, Decoder};

impl Decoder<'_> {
    /// Video instructions.
    pub(super) fn video(&mut self, _variant: &Variant, _operands: &[Operand]) -> Option<Decoded> {
        None
    }
}
