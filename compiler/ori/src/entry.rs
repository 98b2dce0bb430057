//! What a target wants at the start of every kernel, before all else.
//!
//! [`Feature::BarriersSetAtEntry`]: unless UR2 says that it was done, the convergence barriers are all written once, each from the one before, and the last is
//! cleared.

use warpsmith_base::fault;
use warpsmith_sass::{Control, Opcode, PlainText, RegisterClass, parse};
use warpsmith_target::Feature;

use crate::{
    frame::pinned,
    ir::{Block, BlockId, Function, Instruction},
    phase::Context,
    select::{Request, Test},
};

/// Whether it was done.
const IS_DONE: &str = "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT";
const FILL_FIRST: &str = "BMOV.32 B0, 0xffffffff";
const CLEAR_LAST: &str = "BMOV.32 B15, 0x0";
const SET_DONE: &str = "UMOV UR2, 0x1";
/// Convergence barriers.
const BARRIERS: u32 = 16;

/// Puts the code in front of a function whose registers are allocated.
///
/// # Errors
/// An instruction that the generation does not have: a mistake of the compiler.
pub(crate) fn begin(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if !function.sm.has(Feature::BarriersSetAtEntry) || !function.kernel {
        return Ok(());
    }
    let isa = function.isa();
    let word = |text: &str| {
        let read = parse(isa, text, &PlainText { address: 0 });
        let read = read.map_err(|error| fault::internal(format_args!("{text}: {error}")))?;
        Ok::<Instruction, String>(Instruction::plain(read.with_control(Control::NONE)))
    };
    let mut test = vec![word(IS_DONE)?];
    let mut clear = vec![word(FILL_FIRST)?];
    for number in 1..BARRIERS {
        clear.push(word(&format!("BMOV.32.CLEAR B{number}, B{}", number - 1))?);
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
        .map_err(fault::internal)?;
    function.blocks.splice(0..0, [test, clear].map(|code| Block { code }));
    Ok(())
}
