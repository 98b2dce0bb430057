//! Convergence barriers: where they are armed and where they are waited for.
//!
//! `BSSY` names the place where its threads go on together, and one `BSYNC` of the same register stands right before that place; no other place waits for that barrier.
//! Threads that waited at two places would go on apart, and what is behind relies on their being together: uniform registers, and instructions for the whole warp.
//! ptxas writes it so everywhere (observed, ptxas 13.0.88: all 507 of the listings in `tests/kernels`).

use super::{Hazard, hazard, paths::target};
use crate::{Instruction, Opcode, RegisterClass};

/// The barrier register that an instruction of this opcode names.
fn barrier(instruction: &Instruction, opcode: Opcode) -> Option<u8> {
    if instruction.opcode() != opcode {
        return None;
    }
    let mut registers = instruction.registers();
    registers
        .find(|operand| operand.class == RegisterClass::Barrier)?
        .number
}

/// Checks that each convergence barrier is waited for at the one place that its `BSSY` names. Gives the index of each instruction where it is not so, in order.
pub fn check_meetings(code: &[Instruction]) -> Vec<(usize, Hazard)> {
    let mut named = Vec::new();
    let mut found = Vec::new();
    for (at, instruction) in code.iter().enumerate() {
        let Some(armed) = barrier(instruction, Opcode::Bssy) else {
            continue;
        };
        let place = target(instruction, at).and_then(|place| place.checked_sub(1));
        let waits = place.and_then(|place| barrier(code.get(place)?, Opcode::Bsync));
        match place {
            Some(place) if waits == Some(armed) => named.push(place),
            _ => found.push((
                at,
                hazard(format!(
                    "no BSYNC B{armed} stands before the place that `{instruction}` names"
                )),
            )),
        }
    }
    named.sort_unstable();
    for (at, instruction) in code.iter().enumerate() {
        if barrier(instruction, Opcode::Bsync).is_some() && named.binary_search(&at).is_err() {
            found.push((
                at,
                hazard(format!("`{instruction}` waits where no BSSY has its threads meet")),
            ));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

#[cfg(test)]
mod tests {
    use warpsmith_target::Isa;

    use super::check_meetings;
    use crate::{Instruction, PlainText, parse};

    fn messages(lines: &[&str]) -> Vec<String> {
        let read = |(at, line): (usize, &&str)| {
            let place = PlainText {
                address: 16 * at as u64,
            };
            parse(Isa::Sm90, line, &place).unwrap_or_else(|error| panic!("{line}: {error}"))
        };
        let code: Vec<Instruction> = lines.iter().enumerate().map(read).collect();
        let found = check_meetings(&code).into_iter();
        found.map(|(at, hazard)| format!("{at}: {hazard}")).collect()
    }

    #[test]
    fn threads_meet_right_before_the_place_that_is_named() {
        let none: [&str; 0] = [];
        assert_eq!(messages(&["BSSY B0, 0x30", "@P0 BRA 0x20", "BSYNC B0", "EXIT"]), none);
    }

    #[test]
    fn a_second_place_that_waits_is_found() {
        let found = messages(&["BSSY B0, 0x40", "@P0 BRA 0x30", "BSYNC B0", "BSYNC B0", "EXIT"]);
        assert_eq!(found, ["2: `BSYNC B0` waits where no BSSY has its threads meet"]);
    }

    #[test]
    fn a_barrier_that_is_waited_for_elsewhere_is_found() {
        let found = messages(&["BSSY B0, 0x40", "BSYNC B0", "NOP", "NOP", "EXIT"]);
        let armed = "0: no BSYNC B0 stands before the place that `BSSY B0, 0x40` names";
        let waited = "1: `BSYNC B0` waits where no BSSY has its threads meet";
        assert_eq!(found, [armed, waited]);
    }
}
