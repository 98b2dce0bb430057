//! Functions that look at what other threads do let them run.
//!
//! Who calls such a function may do so again until it likes the result, with other threads of the warp waiting for it to give way. So no way through the function leads by an
//! atomic operation, or a load that is not weak, to its return without `YIELD` or `NANOSLEEP` before or behind. (Observed, ptxas 13.0.88, which leaves it out only
//! where no call is in a loop. Loads of shared memory do not show that they are not weak.)

use super::{Hazard, hazard, paths::target};
use crate::{Flow, Instruction, MemoryAccess, MemoryEffect, MemorySpace, Opcode, tables::FieldName};

/// Whether an instruction sees what other threads do.
fn watches(instruction: &Instruction) -> bool {
    let shared = |access: &&MemoryAccess| {
        let own = matches!(
            access.space,
            MemorySpace::Constant | MemorySpace::Local | MemorySpace::Tensor
        );
        !own && !access.asynchronous
    };
    let mut accesses = instruction.memory().iter().filter(shared);
    accesses.any(|access| match access.effect {
        MemoryEffect::Readwrite => true,
        MemoryEffect::Read => instruction.to_string().contains(".STRONG"),
        MemoryEffect::Write => false,
    })
}

/// Where a thread may be, as a set of bits: it has neither looked nor given way, it has looked, or it has given way.
const FRESH: u8 = 1;
const LOOKED: u8 = 2;
const GAVE_WAY: u8 = 4;

/// Checks that a function that is called lets other threads run where it looks at what they do. Gives the index of a return that is come to without. `indirect` tells
/// where branches by tables go: their index and that of the target.
pub fn check_progress(code: &[Instruction], indirect: &[(usize, usize)]) -> Option<(usize, Hazard)> {
    let looks: Vec<bool> = code.iter().map(watches).collect();
    if !looks.contains(&true) {
        return None;
    }
    let mut tables: Vec<(usize, usize)> = indirect.to_vec();
    tables.sort_unstable();
    let mut known = vec![0_u8; code.len()];
    let mut work = vec![(0, FRESH)];
    while let Some((at, state)) = work.pop() {
        let Some(instruction) = code.get(at) else { continue };
        if known[at] & state == state {
            continue;
        }
        known[at] |= state;
        let passes = instruction.field(FieldName::Pp).is_some_and(|test| test & 7 != 7);
        let is_guarded = instruction.guard().is_some() || passes;
        let after = match instruction.opcode() {
            Opcode::Yield | Opcode::Nanosleep => GAVE_WAY,
            _ if looks[at] && state == FRESH => LOOKED,
            _ => state,
        };
        let goes_on = match instruction.flow() {
            Flow::Branch => {
                work.extend(target(instruction, at).map(|to| (to, after)));
                is_guarded
            }
            Flow::Indirect => {
                let from = tables.partition_point(|(index, _)| *index < at);
                let own = tables[from..].iter().take_while(|(index, _)| *index == at);
                work.extend(own.map(|(_, to)| (*to, after)));
                is_guarded
            }
            Flow::Return if state == LOOKED => {
                let message = format!(
                    "`{instruction}` is come to from an access that threads may wait for, with no YIELD on the way: \
                     others of the warp could not run"
                );
                return Some((at, hazard(message)));
            }
            Flow::Return | Flow::Exit => is_guarded,
            Flow::None | Flow::Diverge | Flow::Leave | Flow::Barrier | Flow::Wait => true,
            Flow::Call | Flow::Trap | Flow::Converge => true,
        };
        if goes_on {
            work.push((at + 1, after));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use warpsmith_target::Isa;

    use super::check_progress;
    use crate::{Instruction, PlainText, parse};

    fn message(lines: &[&str]) -> Option<String> {
        let read = |(at, line): (usize, &&str)| {
            let place = PlainText {
                address: 16 * at as u64,
            };
            parse(Isa::Sm90, line, &place).unwrap_or_else(|error| panic!("{line}: {error}"))
        };
        let code: Vec<Instruction> = lines.iter().enumerate().map(read).collect();
        check_progress(&code, &[]).map(|(at, hazard)| format!("{at}: {hazard}"))
    }

    const LOOK: &str = "ATOMG.E.CAS.STRONG.GPU PT, R4, [R4], R6, R7";
    const RETURN: &str = "RET.ABS.NODEC R20 0x0";

    #[test]
    fn a_function_that_gives_way_before_or_behind_passes() {
        assert_eq!(message(&["YIELD", LOOK, RETURN]), None);
        assert_eq!(message(&[LOOK, "YIELD", RETURN]), None);
        assert_eq!(message(&[LOOK, "NANOSLEEP 0x14", RETURN]), None);
        assert_eq!(message(&["LDG.E R4, desc[UR4][R4.64]", RETURN]), None);
    }

    #[test]
    fn one_way_without_is_found() {
        let refused = Some(
            "3: `RET.ABS.NODEC R20 0x0` is come to from an access that threads may wait for, with no YIELD on the way: others of the warp \
             could not run"
                .to_owned(),
        );
        assert_eq!(message(&[LOOK, "@P0 BRA 0x30", "YIELD", RETURN]), refused);
        assert_eq!(
            message(&["NOP", "LDG.E.STRONG.SYS R4, desc[UR4][R4.64]", "NOP", RETURN]),
            refused
        );
        assert_eq!(message(&["@P0 BRA 0x20", "YIELD", LOOK, RETURN]), refused);
    }
}
