//! How long a warp that is alone takes to issue code, as its control words and what is known of latencies say.
//!
//! The warp issues in order: after the stall of the instruction before, when the scoreboards that the instruction waits for have counted down, and when its
//! pipe is free again. Results of variable latency arrive after the time below, which is a guess: that of an access to global memory which finds what it
//! asks for in the second-level cache. What other warps do, conflicts of banks and waits for barriers and asynchronous copies are not in it. So the figure
//! tells two ways to write the same code apart; it is no time.

use std::collections::VecDeque;

use warpsmith_sass::{
    FieldName, Instruction, LatencyGroup, MemoryEffect, MemorySpace, Opcode, Pipe, issue_interval, product_interval,
};

/// Scoreboards of a warp.
const SCOREBOARDS: usize = 6;

/// Cycles until the sources of an instruction that says so have been read.
const READ: u64 = 14;

/// Cycles from issue to the result of an instruction that a scoreboard tells of.
fn latency(instruction: &Instruction) -> u64 {
    let memory = instruction.memory().iter();
    let read = { memory }.find(|access| access.effect != MemoryEffect::Write);
    match (read.map(|access| access.space), instruction.timing().pipe) {
        (Some(MemorySpace::Shared | MemorySpace::Cluster | MemorySpace::Constant), _) => 30,
        (Some(MemorySpace::Tensor), _) => 32,
        (Some(MemorySpace::Local), _) => 60,
        (Some(MemorySpace::Texture | MemorySpace::Surface), _) | (None, Pipe::Tex) => 300,
        (Some(_), _) => 250,
        (None, Pipe::Xu) => 18,
        (None, Pipe::Fp64) => 40,
        (None, Pipe::Tensor) => 32,
        (None, _) => 24,
    }
}

/// A warp that issues one instruction after the other.
#[derive(Debug, Default)]
struct Warp {
    now: u64,
    /// For each scoreboard the cycles at which what it counts arrives.
    arriving: [VecDeque<u64>; SCOREBOARDS],
    /// The instruction that took each pipe last, and when.
    last: Vec<(LatencyGroup, Instruction, u64)>,
}

impl Warp {
    fn issue(&mut self, instruction: &Instruction) {
        let control = instruction.control();
        let mut start = self.now;
        for (scoreboard, arriving) in self.arriving.iter().enumerate() {
            if control.wait_mask >> scoreboard & 1 != 0 {
                start = start.max(arriving.iter().copied().max().unwrap_or(0));
            }
        }
        start = start.max(self.counted_down(instruction));
        let group = instruction.timing().group;
        if let Some((_, before, at)) = self.last.iter().find(|(other, ..)| *other == group) {
            let product = product_interval(before).map(u64::from);
            let interval = issue_interval(before, instruction).map(|distance| u64::from(distance.cycles));
            start = start.max(at + product.or(interval).unwrap_or(1));
        }
        self.last.retain(|(other, ..)| *other != group);
        self.last.push((group, *instruction, start));
        for (scoreboard, cycles) in [
            (control.write_scoreboard, latency(instruction)),
            (control.read_scoreboard, READ),
        ] {
            if let Some(arriving) = scoreboard.and_then(|number| self.arriving.get_mut(usize::from(number))) {
                arriving.push_back(start + cycles);
            }
        }
        self.now = start + u64::from(control.stall.max(1));
    }

    /// When no more than so many of a scoreboard are on their way as `DEPBAR` waits for.
    fn counted_down(&self, instruction: &Instruction) -> u64 {
        if instruction.opcode() != Opcode::Depbar {
            return 0;
        }
        let named = instruction.field(FieldName::Scoreboard);
        let Some(arriving) = named.and_then(|number| self.arriving.get(number as usize)) else {
            return 0;
        };
        let count = instruction.field(FieldName::Count);
        let left = count.or(instruction.field(FieldName::Imm)).unwrap_or(0);
        let awaited = arriving.len().saturating_sub(left as usize);
        arriving.iter().take(awaited).copied().max().unwrap_or(0)
    }
}

/// Cycles that one round of a loop takes, when it has run for a while. Words that cannot be decoded take none.
pub fn cycles_of_round(body: &[Option<Instruction>]) -> u64 {
    const ROUNDS: u64 = 4;
    let mut warp = Warp::default();
    let mut before = 0;
    for round in 0..=ROUNDS {
        if round == 1 {
            before = warp.now;
        }
        for instruction in body.iter().flatten() {
            warp.issue(instruction);
        }
        for arriving in &mut warp.arriving {
            arriving.retain(|at| *at > warp.now);
        }
    }
    (warp.now - before) / ROUNDS
}

#[cfg(test)]
mod tests {
    use super::cycles_of_round;
    use warpsmith_sass::{Control, PlainText, parse};
    use warpsmith_target::Isa;

    fn round(lines: &[(&str, Control)]) -> u64 {
        let place = PlainText { address: 0 };
        let parsed =
            |(text, control): &(&str, Control)| Some(parse(Isa::Sm80, text, &place).ok()?.with_control(*control));
        cycles_of_round(&lines.iter().map(parsed).collect::<Vec<_>>())
    }

    fn stall(stall: u8) -> Control {
        Control { stall, ..Control::NONE }
    }

    #[test]
    fn stalls_add_up() {
        assert_eq!(
            round(&[("FADD R0, R1, R2", stall(4)), ("FADD R3, R0, R0", stall(2))]),
            6
        );
    }

    #[test]
    fn a_result_that_is_waited_for_takes_its_time() {
        let (mut load, mut add) = (stall(2), stall(2));
        load.write_scoreboard = Some(1);
        assert_eq!(round(&[("LDS R0, [R2]", load), ("FADD R3, R0, R0", add)]), 4);
        add.wait_mask = 2;
        assert_eq!(round(&[("LDS R0, [R2]", load), ("FADD R3, R0, R0", add)]), 32);
    }

    #[test]
    fn a_pipe_is_busy_with_what_it_does() {
        let product = ("HMMA.16816.F32 R4, R8, R12, R4", stall(1));
        assert_eq!(round(&[product, product]), 16);
    }
}
