//! From physical registers to words: the last phase, with its checker.

use warpsmith_base::fault;
use warpsmith_sass::hazard::{check_meetings, check_paths, check_progress};

use crate::{emit::layout, ir::Function, object::registers::places, phase::Context};

/// A mistake of the compiler, found by its checkers: an error, and never wrong code.
fn internal(what: String) -> String {
    fault::internal(what)
}

/// Writes the words, and checks that no register is used too early, that threads meet where their barriers say, and that they let others run which
/// they may wait for.
pub(crate) fn write_words(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let code = layout(function)?;
    let tables = code.tables.iter();
    let pairs = tables.flat_map(|table| table.targets.iter().map(|target| (table.index, *target as usize / 16)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let found = [check_meetings(&code.words), check_paths(&code.words, &pairs)];
    let waits = match function.kernel {
        true => None,
        false => check_progress(&code.words, &pairs),
    };
    if let Some((index, hazard)) = found.iter().flatten().chain(&waits).next() {
        return Err(internal(format!("at {:#x}: {hazard}", index * 16)));
    }
    if let Some(allocation) = function.allocation.as_ref().filter(|_| !function.homes.is_empty()) {
        function.register_places = places(function, allocation);
    }
    function.code = Some(code);
    Ok(())
}
