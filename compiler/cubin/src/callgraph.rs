//! `.nv.callgraph` and `.nv.prototype`: pairs of 32-bit words, 8 bytes each.
//!
//! `.nv.callgraph` holds pairs of caller and callee, as symbol indices; the marks -1 to -4 with caller 0 separate parts:
//! direct calls follow -1, then come functions whose address is taken (-2), indirect callers (-3) and the end (-4).
//! `.nv.prototype` holds pairs of function symbol and byte offset of its prototype in the string table.
//! Observed: cuobjdump 13.1 on files of ptxas 13.0.

use crate::error::CubinError;

/// Callee values -1 to -4, which begin a part of the call graph.
pub const FIRST_MARK: u32 = 0xffff_fffc;

/// The pairs of a `.nv.callgraph` or `.nv.prototype` section.
///
/// # Errors
/// A size that is no multiple of 8.
pub fn pairs(bytes: &[u8]) -> Result<Vec<(u32, u32)>, CubinError> {
    let chunks = bytes.chunks_exact(8);
    if !chunks.remainder().is_empty() {
        let reason = format!("{} bytes are no multiple of 8", bytes.len());
        return Err(CubinError::new(
            bytes.len() as u64,
            "pairs of words",
            reason,
        ));
    }
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    Ok(chunks
        .map(|pair| (word(&pair[..4]), word(&pair[4..])))
        .collect())
}

/// The bytes of these pairs.
pub fn to_bytes(pairs: &[(u32, u32)]) -> Vec<u8> {
    pairs
        .iter()
        .flat_map(|&(first, second)| [first.to_le_bytes(), second.to_le_bytes()])
        .flatten()
        .collect()
}
