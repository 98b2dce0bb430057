//! General registers in local memory, and what is computed again instead.

use warpsmith_sass::{Access, FieldName, Opcode};

use super::{
    Origin, Spilled, Spiller,
    again::{Code, computable},
    plan::Plan,
    warp,
};
use crate::{
    allocate::ranges::{Ranges, Segment},
    ir::{Function, Instruction, Register, Touch},
    select::{Request, Selector},
};

/// How a spilled register comes back.
#[derive(Clone, Debug)]
enum Home {
    /// It is not spilled.
    None,
    /// From its slot, at this offset in the frame.
    Slot(u32),
    /// These instructions again.
    Again(Code),
    /// From uniform registers.
    Warp,
}

/// Spills general registers.
pub(super) struct Memory<'s> {
    selector: &'s Selector,
    stack: Register,
    homes: Vec<Home>,
    warp: warp::Homes,
}

/// Local memory of a frame that registers share.
#[derive(Default)]
struct Slots {
    /// For each word, when it is taken, in order.
    words: Vec<Vec<Segment>>,
}

impl Slots {
    /// The first place for so many words, taken at these times.
    fn place(&mut self, segments: &[Segment], words: usize) -> u32 {
        let step = if words == 3 {
            4
        } else {
            words.next_power_of_two().min(4)
        };
        let mut first = 0;
        loop {
            if self.words.len() < first + words {
                self.words.resize_with(first + words, Vec::new);
            }
            let free = self.words[first..first + words]
                .iter()
                .all(|taken| !crate::allocate::overlapping(taken, segments));
            if free {
                for word in &mut self.words[first..first + words] {
                    word.extend_from_slice(segments);
                    word.sort_unstable_by_key(|segment| segment.start);
                }
                return first as u32;
            }
            first += step;
        }
    }
}

impl<'s> Memory<'s> {
    pub(super) fn new(
        function: &mut Function,
        origins: &mut [Vec<Origin>],
        selector: &'s Selector,
        plan: &Plan,
        ranges: &Ranges,
        room: Option<warp::Room<'_>>,
    ) -> Result<Memory<'s>, String> {
        let mut homes = vec![Home::None; function.registers.len()];
        for (register, code) in computable(function, origins, plan, ranges) {
            homes[register as usize] = Home::Again(code);
        }
        let in_memory = |register: u32| matches!(homes[register as usize], Home::None);
        let warp = room.map(|room| warp::Homes::find(function, plan, room, in_memory));
        let warp = warp.unwrap_or_default();
        for register in plan.spilled.iter().filter(|register| warp.has(Register(**register))) {
            homes[*register as usize] = Home::Warp;
        }
        let mut slots = Slots::default();
        let base = function.frame_bytes.next_multiple_of(16);
        for &register in &plan.spilled {
            if !matches!(homes[register as usize], Home::None) {
                continue;
            }
            let words = function.registers[register as usize].words;
            let mut segments: Vec<Segment> = (0..words).flat_map(|word| ranges.of(register, word)).copied().collect();
            segments.sort_unstable_by_key(|segment| segment.start);
            let joined = segments.iter().fold(Vec::<Segment>::new(), |mut joined, segment| {
                match joined.last_mut() {
                    Some(last) if last.end >= segment.start => last.end = last.end.max(segment.end),
                    _ => joined.push(*segment),
                }
                joined
            });
            let place = slots.place(&joined, words.into());
            homes[register as usize] = Home::Slot(base + 4 * place);
        }
        let bytes = 4 * slots.words.len() as u32;
        let stack = if bytes == 0 {
            function.stack.unwrap_or(Register(u32::MAX))
        } else {
            grow_frame(function, (base + bytes).next_multiple_of(16))
        };
        Ok(Memory {
            selector,
            stack,
            homes,
            warp,
        })
    }

    fn home(&self, register: Register) -> Home {
        self.homes.get(register.0 as usize).cloned().unwrap_or(Home::None)
    }

    /// A load or store of words of a register, in as few accesses as their places allow.
    fn access(
        &self,
        function: &mut Function,
        register: Register,
        words: std::ops::Range<u8>,
        slot: u32,
        load: bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let mut word = words.start;
        while word < words.end {
            let left = words.end - word;
            let size = match (word % 4, left) {
                (0, 4..) => 4,
                (0 | 2, 2..) => 2,
                _ => 1,
            };
            let request = Request::new(if load { Opcode::Ldl } else { Opcode::Stl })
                .form(if load { "R_A" } else { "A_R" })
                .at(FieldName::Ra, self.stack)
                .number(FieldName::Offset, u64::from(slot) + 4 * u64::from(word))
                .text(
                    FieldName::Size,
                    match size {
                        4 => "128",
                        2 => "64",
                        _ => "",
                    },
                );
            let request = if load {
                request.to(register.word(word))
            } else {
                request.at(FieldName::Rb, register.word(word))
            };
            let mut made = Vec::new();
            self.selector.emit(function, &mut made, request)?;
            let bytes = match load {
                true => &mut function.spill_load_bytes,
                false => &mut function.spill_store_bytes,
            };
            *bytes += 4 * u32::from(size);
            code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
            word += size;
        }
        Ok(())
    }
}

impl Spiller for Memory<'_> {
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        needed: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        match self.home(register) {
            Home::None => Ok(()),
            Home::Warp => self.warp.load(function, self.selector, register, needed, code),
            Home::Slot(slot) => {
                let words = function.info(register).words;
                // Of each access all words, if one is needed.
                let mut word = 0;
                while word < words {
                    let end = words.min(word + 4);
                    if (word..end).any(needed) {
                        self.access(function, register, word..end, slot, true, code)?;
                    }
                    word = end;
                }
                Ok(())
            }
            Home::Again(again) => {
                let results = |instruction: &Instruction| -> Vec<Touch> {
                    let results = instruction.touches().filter(|touch| touch.access != Access::Read);
                    results.collect()
                };
                let is_needed = |(instruction, _): &(Instruction, Origin)| {
                    let mut own = results(instruction).into_iter();
                    own.any(|touch| touch.register != register || (touch.word..touch.word + touch.words).any(needed))
                };
                let mut again: Code = again.into_iter().filter(is_needed).collect();
                // What the last instruction is computed from gets registers of its own.
                for index in 0..again.len() {
                    for touch in results(&again[index].0) {
                        if touch.register != register {
                            let (class, words) =
                                (function.info(touch.register).class, function.info(touch.register).words);
                            let own = function.register(class, words);
                            let later = again[index..].iter_mut();
                            later.for_each(|(instruction, _)| super::replace(instruction, touch.register, own));
                        }
                    }
                }
                code.extend(again);
                Ok(())
            }
        }
    }

    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        words: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        match self.home(register) {
            Home::None | Home::Again(_) => Ok(()),
            Home::Warp => self.warp.store(function, self.selector, register, words, code),
            Home::Slot(slot) => self.access(function, register, words, slot, false, code),
        }
    }
}

/// Makes the frame so many bytes large; gives what its places count from. The code that makes the frame comes after allocation.
fn grow_frame(function: &mut Function, bytes: u32) -> Register {
    function.frame_bytes = bytes;
    function.frame_alignment = function.frame_alignment.max(16);
    function.frame_base()
}
