//! The end of a code section: what stands after the last instruction.

use warpsmith_sass::{Control, Flow, Instruction as Word, PlainText, parse};
use warpsmith_target::Isa;

/// Bytes of an instruction.
pub(super) const WORD: u64 = 16;
/// Code sections are a multiple of this many bytes.
const BLOCK: u64 = 128;

/// The bytes of a code section.
///
/// Observed, ptxas 13.0.88: a branch to itself after the last instruction, for instructions that are fetched ahead, then `NOP`s up to a multiple of 128
/// bytes, and from sm_80 on 128 bytes more.
pub(super) fn bytes(isa: Isa, words: &[Word]) -> Vec<u8> {
    let mut out: Vec<u8> = words.iter().flat_map(|word| word.word().to_le_bytes()).collect();
    let (Some(stop), Some(fill)) = (filler(isa, "BRA 0x0"), filler(isa, "NOP")) else {
        return out;
    };
    if !words.is_empty() {
        out.extend_from_slice(&stop);
    }
    let extra = if isa > Isa::Sm75 { BLOCK } else { 0 };
    let end = (out.len() as u64).next_multiple_of(BLOCK) + extra;
    while (out.len() as u64) < end {
        out.extend_from_slice(&fill);
    }
    out
}

/// An instruction that is never reached.
fn filler(isa: Isa, text: &str) -> Option<[u8; 16]> {
    let control = Control {
        stall: 0,
        keep_issuing: false,
        ..Control::NONE
    };
    let word = parse(isa, text, &PlainText::default()).ok()?;
    Some(word.with_control(control).word().to_le_bytes())
}

/// Byte offset of the end of the first basic block.
pub(super) fn first_block_end(words: &[Word]) -> u64 {
    let ends = |word: &Word| {
        matches!(
            word.flow(),
            Flow::Branch | Flow::Indirect | Flow::Call | Flow::Return | Flow::Exit
        )
    };
    let first_end = words.iter().position(ends).map_or(words.len(), |index| index + 1);
    let targets = words.iter().enumerate().filter_map(|(index, word)| {
        let target = word.branch_target(index as u64 * WORD)?;
        usize::try_from(target / WORD).ok().filter(|target| *target > 0)
    });
    targets.fold(first_end, usize::min) as u64 * WORD
}

/// Byte offsets of the instructions that end a thread.
pub(super) fn exits(words: &[Word]) -> Vec<u32> {
    let places = words.iter().enumerate().filter(|(_, word)| word.flow() == Flow::Exit);
    places.map(|(index, _)| index as u32 * WORD as u32).collect()
}
