//! `.nv.callgraph` and `.nv.prototype`: pairs of 32-bit words, 8 bytes each.
//!
//! `.nv.callgraph` holds pairs of caller and callee, as symbol indices. Pairs of 0 and -1, -2, -3, -4 divide it into four
//! parts; direct calls follow the first mark. `.nv.prototype` holds pairs of function symbol and a number of its
//! prototype, which cuobjdump 13.1 shows as a string such as `#ii`.
//! Observed: cuobjdump 13.1 on files of ptxas 13.0.

use crate::error::CubinError;

/// The lowest of the callee values -4 to -1, which mark a part of the call graph.
pub const FIRST_MARK: u32 = 0xffff_fffc;

/// The pairs of a `.nv.callgraph` or `.nv.prototype` section.
///
/// # Errors
/// A size that is no multiple of 8.
pub fn pairs(bytes: &[u8]) -> Result<Vec<(u32, u32)>, CubinError> {
    let chunks = bytes.chunks_exact(8);
    if !chunks.remainder().is_empty() {
        let reason = format!("{} bytes are no multiple of 8", bytes.len());
        return Err(CubinError::new(bytes.len() as u64, "pairs of words", reason));
    }
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    Ok(chunks.map(|pair| (word(&pair[..4]), word(&pair[4..]))).collect())
}

/// The bytes of these pairs.
pub fn to_bytes(pairs: &[(u32, u32)]) -> Vec<u8> {
    pairs
        .iter()
        .flat_map(|&(first, second)| [first.to_le_bytes(), second.to_le_bytes()])
        .flatten()
        .collect()
}
