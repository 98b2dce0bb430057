//! What a target wants at the start of every kernel, before all else.
//!
//! sm_87: unless UR2 says that it was done, the convergence barriers are all written once, each from the one before, and the last is cleared. (Observed, ptxas
//! 13.0.88: in each kernel at every level, whether or not it has barriers, and in no function that is called. nvdisasm prints the words; why the machine wants
//! them is not known.)

use warpsmith_sass::{Instruction as Word, Opcode, RegisterClass};
use warpsmith_target::Sm;

use crate::{
    frame::pinned,
    ir::{Block, BlockId, Function, Instruction},
    phase::Context,
    select::{Request, Test},
};

/// `ISETP.NE.U32.AND P0, PT, RZ, UR2, PT`
const IS_DONE: u128 = 0x0bf0_5070_0000_0002_ff00_7c0c;
/// `BMOV.32 B0, 0xffffffff`
const FILL_FIRST: u128 = 0xffff_ffff_0000_7956;
/// `BMOV.32.CLEAR B0, B0`, with the number of the barrier that is written in bits 16 and up, that of the other in bits 24 and up.
const PASS_ON: u128 = 0x0010_0000_0000_0000_0000_7f55;
/// `BMOV.32 B15, 0x0`
const CLEAR_LAST: u128 = 0x0f00_7956;
/// `UMOV UR2, 0x1`
const SET_DONE: u128 = 0x0000_0001_0002_7882;
/// The control word of an instruction that sets and awaits no scoreboard; scheduling writes the real one.
const NO_SCOREBOARD: u128 = 0x7e1 << 105;
/// Convergence barriers.
const BARRIERS: u128 = 16;

/// Puts the code in front of a function whose registers are allocated.
///
/// # Errors
/// An instruction that the generation does not have: a mistake of the compiler.
pub(crate) fn begin(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if function.sm != Sm::Sm87 || !function.kernel {
        return Ok(());
    }
    let isa = function.isa();
    let word = |raw: u128| {
        let decoded =
            Word::decode(isa, raw | NO_SCOREBOARD).map_err(|_| "internal error: no word for the start of a kernel")?;
        Ok::<Instruction, String>(Instruction::plain(decoded))
    };
    let mut test = vec![word(IS_DONE)?];
    let mut clear = vec![word(FILL_FIRST)?];
    for number in 1..BARRIERS {
        clear.push(word(PASS_ON | number << 16 | (number - 1) << 24)?);
    }
    clear.extend([word(CLEAR_LAST)?, word(SET_DONE)?]);

    // What was there follows the test and what it skips.
    const ADDED: u32 = 2;
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        for target in instruction.targets_mut() {
            target.0 += ADDED;
        }
    }
    let mut allocation = function.allocation.take().ok_or("registers are not allocated")?;
    let done = pinned(function, &mut allocation, RegisterClass::Predicate, 0);
    function.allocation = Some(allocation);
    let skip = Request::new(Opcode::Bra).form("L").target(BlockId(ADDED));
    context
        .selector
        .emit(function, &mut test, skip.guarded(Test::from(done)))
        .map_err(|error| format!("internal error: {error}"))?;
    function.blocks.splice(0..0, [test, clear].map(|code| Block { code }));
    Ok(())
}
