//! The calling convention of device functions, which is ptxas' (observed, ptxas 13.0.88, sm_75 to sm_120, with `-c` and across files).
//!
//! Arguments are in R4 to R15: each takes whole registers, the first run that is free and aligned to 2 for 8 bytes and to 4 for 16, so that later ones
//! may come before earlier ones. What finds no run lies on the stack, from the caller's stack pointer on. The result is in the registers from R4; one of
//! more than 48 bytes is written to local memory of the caller, whose offset is then the first argument. The return address is in R20 and R21, the stack
//! pointer in R1. No predicate survives a call.
//!
//! Several results are what ptxas has no such convention for (it calls without one, in executables alone): they are placed as arguments are, from R4 on, and
//! what finds no register lies on the stack behind the arguments.

use warpsmith_target::{Feature, Sm};

use crate::ir::RegisterSet;

/// R1
pub(crate) const STACK_POINTER: u8 = 1;
/// R2, where the frame stays if the stack pointer moves: it survives calls.
pub(crate) const FRAME_POINTER: u8 = 2;
/// R4: the first argument, and the result.
pub(crate) const FIRST_ARGUMENT: u8 = 4;
/// After the last register of arguments.
const END_OF_ARGUMENTS: u8 = 16;
/// R20 and R21
pub(crate) const RETURN_ADDRESS: u8 = 20;
/// The first convergence barrier that survives calls.
pub(crate) const SAVED_BARRIERS: u8 = 6;
/// The first uniform register that survives calls.
const SAVED_UNIFORM: u8 = 36;
/// Registers that a thread of a kernel with calls has at least.
pub(crate) const LEAST_REGISTERS: u32 = 24;
/// The largest result in registers, in bytes.
const LARGEST_RESULT: u32 = 4 * (END_OF_ARGUMENTS - FIRST_ARGUMENT) as u32;

/// Whether a general register survives calls: who uses it in a function must restore it.
pub(crate) fn is_saved(number: u8) -> bool {
    match number {
        // The stack pointer comes back by itself.
        0 | 1 | 3..=15 | 20 | 21 | 255 => false,
        2 | 16..=19 | 22..=31 => true,
        32..=254 => number & 4 != 0,
    }
}

/// The registers that a call may change.
pub(crate) fn clobbers() -> RegisterSet {
    let mut set = RegisterSet {
        predicates: 0x7f,
        uniform_predicates: 0x7f,
        barriers: (1 << SAVED_BARRIERS) - 1,
        uniform: [(1 << SAVED_UNIFORM) - 1, 0, 0, 0],
        ..RegisterSet::default()
    };
    set.add_general((0..255).filter(|number| *number != STACK_POINTER && !is_saved(*number)));
    set
}

/// The registers that a call of a function of the system may change: where these are known to keep more than others do, all from R22 on stay.
pub(crate) fn system_clobbers(sm: Sm) -> RegisterSet {
    let mut set = clobbers();
    if sm.has(Feature::SystemKeepsRegisters) {
        set.general = RegisterSet::default().general;
        set.add_general((0..RETURN_ADDRESS + 2).filter(|number| *number != STACK_POINTER && !is_saved(*number)));
    }
    set
}

/// What a device function must not use: uniform registers that survive calls, since it has no way to restore them.
pub(crate) fn reserved() -> RegisterSet {
    RegisterSet {
        uniform: [!((1 << SAVED_UNIFORM) - 1), !0, !0, !0],
        ..RegisterSet::default()
    }
}

/// Where an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In registers from this number on.
    Registers(u8),
    /// On the stack, at this offset from the caller's stack pointer.
    Stack(u32),
}

/// How a function is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The results in order, but for one in memory.
    pub(crate) results: Vec<Place>,
    /// The arguments in order.
    pub(crate) arguments: Vec<Place>,
    /// Whether the first argument is the place of the result, in R4.
    pub(crate) result_in_memory: bool,
    /// Bytes of arguments and results on the stack.
    pub(crate) stack_bytes: u32,
}

/// Registers of a value.
pub(crate) fn registers(bytes: u32) -> u8 {
    bytes.div_ceil(4).clamp(1, 255) as u8
}

/// The layout for results and arguments of these sizes and alignments in bytes.
pub(crate) fn layout(results: &[(u32, u32)], arguments: &[(u32, u32)]) -> Layout {
    let result_in_memory = matches!(results, [(bytes, _)] if *bytes > LARGEST_RESULT);
    let mut free = FreeRegisters::all();
    free.0[FIRST_ARGUMENT as usize] = !result_in_memory;
    let mut stack_bytes = 0;
    let arguments = arguments
        .iter()
        .map(|value| free.place(*value, &mut stack_bytes))
        .collect();
    let mut free = FreeRegisters::all();
    let results = match result_in_memory {
        true => Vec::new(),
        false => results
            .iter()
            .map(|value| free.place(*value, &mut stack_bytes))
            .collect(),
    };
    Layout {
        results,
        arguments,
        result_in_memory,
        stack_bytes,
    }
}

/// The registers of arguments, or of results, that are not taken yet.
struct FreeRegisters([bool; END_OF_ARGUMENTS as usize]);

impl FreeRegisters {
    fn all() -> FreeRegisters {
        FreeRegisters([true; END_OF_ARGUMENTS as usize])
    }

    /// The next place for a value of this size and alignment.
    fn place(&mut self, (bytes, alignment): (u32, u32), stack_bytes: &mut u32) -> Place {
        let count = usize::from(registers(bytes));
        let step = (alignment / 4).clamp(1, 4).next_power_of_two() as usize;
        let run = (usize::from(FIRST_ARGUMENT)..usize::from(END_OF_ARGUMENTS))
            .step_by(step)
            .find(|first| {
                let run = self.0.get(*first..first + count);
                run.is_some_and(|run| run.iter().all(|free| *free))
            });
        match run.filter(|_| bytes <= LARGEST_RESULT) {
            Some(first) => {
                self.0[first..first + count].fill(false);
                Place::Registers(first as u8)
            }
            None => {
                let offset = stack_bytes.next_multiple_of(alignment.clamp(4, 1 << 16));
                // More than any thread has is refused later, by its size.
                *stack_bytes = offset.saturating_add(bytes.next_multiple_of(4)).min(u32::MAX / 2);
                Place::Stack(offset)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_sass::RegisterClass;

    use super::*;

    /// Places that ptxas 13.0.88 was seen to use.
    #[test]
    fn arguments_take_the_first_run_that_is_free() {
        use Place::{Registers as R, Stack as S};
        let places = |sizes: &[(u32, u32)]| layout(&[], sizes).arguments;
        let (word, pair, byte) = ((4, 4), (8, 8), (1, 1));
        // char, short, int, long long, float, double, 40 bytes, pointer
        let mixed = [byte, (2, 2), word, pair, word, pair, (40, 8), pair];
        assert_eq!(places(&mixed), [R(4), R(5), R(6), R(8), R(7), R(10), S(0), R(12)]);
        assert_eq!(places(&[(12, 4), (13, 4), (3, 1), (6, 2)]), [R(4), R(7), R(11), R(12)]);
        assert_eq!(places(&[word, (16, 16), word]), [R(4), R(8), R(5)]);
        assert_eq!(places(&[(48, 4)]), [R(4)]);
        assert_eq!(places(&[(52, 4), word]), [S(0), R(4)]);
        let mut many = vec![word; 12];
        many.extend([byte, byte, (2, 2), word, byte, pair]);
        assert_eq!(places(&many)[12..], [S(0), S(4), S(8), S(12), S(16), S(24)]);
        let mut many = vec![word; 12];
        many.extend([byte, (16, 16), (3, 1), word]);
        assert_eq!(places(&many)[12..], [S(0), S(16), S(32), S(36)]);
    }

    #[test]
    fn large_results_go_to_memory_of_the_caller() {
        assert!(!layout(&[(48, 4)], &[]).result_in_memory);
        let large = layout(&[(52, 4)], &[(4, 4), (8, 8)]);
        assert!(large.result_in_memory);
        assert_eq!(large.arguments, [Place::Registers(5), Place::Registers(6)]);
    }

    #[test]
    fn several_results_are_placed_as_arguments_are() {
        use Place::{Registers as R, Stack as S};
        let (word, pair) = ((4, 4), (8, 8));
        let mixed = layout(&[word, pair, word], &[pair, word]);
        assert_eq!(mixed.results, [R(4), R(6), R(5)]);
        assert_eq!(mixed.arguments, [R(4), R(6)]);
        let many = layout(&[word; 14], &[word; 13]);
        assert_eq!(many.results[11..], [R(15), S(4), S(8)]);
        assert_eq!(many.arguments[12..], [S(0)]);
        assert_eq!(many.stack_bytes, 12);
    }

    #[test]
    fn every_other_four_registers_survive() {
        let clobbered = clobbers();
        let survives = |number: u8| !clobbered.contains(RegisterClass::Gpr, number);
        let list: Vec<u8> = (0..=60).filter(|number| survives(*number)).collect();
        let expected: Vec<u8> = [1, 2]
            .into_iter()
            .chain(16..=19)
            .chain(22..=31)
            .chain(36..=39)
            .chain(44..=47)
            .chain(52..=55)
            .chain([60])
            .collect();
        assert_eq!(list, expected);
    }
    /// Of ptxas 13.0.88, with 150 values live across a call of `vprintf`, `malloc`, `free` or `__assertfail`.
    #[test]
    fn the_system_keeps_all_high_registers_from_sm_80_on() {
        let survives = |sm: &str| -> Vec<u8> {
            let clobbered = system_clobbers(sm.parse().expect("a known target"));
            let list = (0..=254).filter(|number| !clobbered.contains(RegisterClass::Gpr, *number));
            list.collect()
        };
        let expected: Vec<u8> = [1, 2].into_iter().chain(16..=19).chain(22..=254).collect();
        for sm in ["sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120"] {
            assert_eq!(survives(sm), expected, "{sm}");
        }
        assert!(!survives("sm_75").contains(&32));
    }
}
