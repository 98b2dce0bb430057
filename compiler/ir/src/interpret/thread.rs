//! One thread: its calls, and the instructions that change them.

use super::memory::{Region, View};
use super::value::Datum;
use super::{Machine, Place, Stop};
use crate::function::{BlockId, Function, InstructionId};
use crate::instruction::{Call, Callee, Instruction, Value};
use crate::module::FunctionId;
use crate::types::{AddressSpace, Type};

/// How deep functions may call each other.
const DEEPEST: usize = 1000;

/// A call that is under way.
pub(super) struct Frame<'m> {
    pub(super) body: &'m Function,
    pub(super) arguments: Vec<Datum>,
    values: Vec<Option<Datum>>,
    /// The instruction to execute next.
    next: Option<InstructionId>,
    /// The end of the thread's memory before the call.
    stack: u64,
    /// The call in the frame before that wants the result.
    caller: Option<InstructionId>,
}

/// What a thread has come to.
pub(super) enum Progress {
    /// Its end, and the result.
    Done(Datum),
    /// A barrier of its block.
    Barrier(Arrival),
}

/// A thread at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival {
    /// The instruction, whose result is what the barrier gives.
    pub(super) at: InstructionId,
    /// Which barrier.
    pub(super) barrier: u64,
    /// What the thread brings, for barriers that reduce, and how they do.
    pub(super) vote: Option<(Vote, bool)>,
}

/// How a barrier reduces what threads bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vote {
    /// How many are true.
    Count,
    /// Whether all are.
    All,
    /// Whether any is.
    Any,
}

pub(super) struct Thread<'m> {
    pub(super) frames: Vec<Frame<'m>>,
    pub(super) local: Region,
    /// How much of the thread's memory is in use.
    pub(super) stack: u64,
    pub(super) place: Place,
}

/// What an instruction does beyond its result.
pub(super) enum Effect {
    /// A result, or nothing.
    Value(Datum),
    /// Goes to a block.
    Jump(BlockId),
    /// Calls a function.
    Enter(FunctionId, Vec<Datum>),
    /// Ends the call.
    Return(Datum),
    /// Waits.
    Wait(Arrival),
    /// Ends the thread.
    Exit,
}

impl<'m> Thread<'m> {
    pub(super) fn new(body: &'m Function, arguments: Vec<Datum>, place: Place) -> Thread<'m> {
        let frame = frame(body, arguments, 0, None);
        // Address 0 of thread memory is not given out.
        Thread {
            frames: vec![frame],
            local: Region::default(),
            stack: 16,
            place,
        }
    }

    /// The frame of the function that runs.
    pub(super) fn frame(&mut self) -> Result<&mut Frame<'m>, Stop> {
        self.frames
            .last_mut()
            .ok_or_else(|| Stop::undefined("a thread that has ended"))
    }

    /// Runs to the end or to a barrier.
    pub(super) fn run(&mut self, machine: &mut Machine<'m>, shared: &mut Region) -> Result<Progress, Stop> {
        loop {
            machine.steps_left = machine.steps_left.checked_sub(1).ok_or(Stop::TooLong)?;
            let frame = self.frame()?;
            let body = frame.body;
            let Some(id) = frame.next else {
                return Err(Stop::undefined("a block without terminator"));
            };
            match self.step(machine, shared, id)? {
                Effect::Value(value) => {
                    let frame = self.frame()?;
                    frame.next = body.next(id);
                    frame.set(id, value);
                }
                Effect::Jump(block) => self.jump(machine, id, block)?,
                Effect::Enter(function, arguments) => self.enter(machine, id, function, arguments)?,
                Effect::Return(value) => {
                    if let Some(value) = self.leave(value)? {
                        return Ok(Progress::Done(value));
                    }
                }
                Effect::Wait(arrival) => {
                    self.frame()?.next = body.next(id);
                    return Ok(Progress::Barrier(arrival));
                }
                Effect::Exit => {
                    self.frames.clear();
                    return Ok(Progress::Done(Datum::void()));
                }
            }
        }
    }

    /// Goes on after a barrier that all have reached.
    pub(super) fn pass_barrier(&mut self, own: Arrival, all: &[Arrival]) {
        let votes = || all.iter().filter_map(|arrival| arrival.vote.map(|(_, vote)| vote));
        let value = match own.vote {
            None => Datum::void(),
            Some((Vote::Count, _)) => Datum::int(32, votes().filter(|&vote| vote).count() as u64),
            Some((Vote::All, _)) => Datum::int(32, u64::from(votes().all(|vote| vote))),
            Some((Vote::Any, _)) => Datum::int(32, u64::from(votes().any(|vote| vote))),
        };
        if let Some(frame) = self.frames.last_mut() {
            let value = match (frame.body.result_type(own.at), &value) {
                (Type::Int(bits), Datum::Bits(number)) => Datum::Bits(number.zero_extend(bits)),
                _ => value,
            };
            frame.set(own.at, value);
        }
    }

    fn jump(&mut self, machine: &Machine<'m>, from: InstructionId, block: BlockId) -> Result<(), Stop> {
        let frame = self.frame()?;
        let body = frame.body;
        let previous = body.block_of(from);
        // Phis read their values before any of them gets one.
        let mut values = Vec::new();
        for phi in body.phis(block) {
            let Instruction::Phi { incoming, .. } = body.instruction(phi) else {
                break;
            };
            let entry = incoming.iter().find(|(from, _)| Some(*from) == previous);
            let Some((_, value)) = entry else {
                return Err(Stop::undefined("a phi without entry for the block before"));
            };
            values.push((phi, self.value(machine, *value)?));
        }
        let frame = self.frame()?;
        values.into_iter().for_each(|(phi, value)| frame.set(phi, value));
        frame.next = body.first_after_phis(block);
        Ok(())
    }

    fn enter(
        &mut self,
        machine: &Machine<'m>,
        call: InstructionId,
        function: FunctionId,
        arguments: Vec<Datum>,
    ) -> Result<(), Stop> {
        if self.frames.len() >= DEEPEST {
            return Err(Stop::TooDeep);
        }
        let Some(body) = machine.module.body(function) else {
            let name = &machine.module.symbols.functions[function].name;
            return Err(Stop::unsupported(format!("a call of @{name}, which has no body,")));
        };
        if arguments.len() < body.parameters().len() {
            return Err(Stop::undefined("a call with too few arguments"));
        }
        let stack = self.stack;
        self.frames.push(frame(body, arguments, stack, Some(call)));
        Ok(())
    }

    /// Ends the innermost call; the result if that was the last.
    fn leave(&mut self, value: Datum) -> Result<Option<Datum>, Stop> {
        let Some(left) = self.frames.pop() else {
            return Ok(Some(value));
        };
        let (Some(caller), Some(frame)) = (left.caller, self.frames.last_mut()) else {
            return Ok(Some(value));
        };
        self.stack = left.stack;
        frame.next = frame.body.next(caller);
        frame.set(caller, value);
        Ok(None)
    }

    /// The value of an operand.
    pub(super) fn value(&self, machine: &Machine<'m>, value: Value) -> Result<Datum, Stop> {
        let frame = self
            .frames
            .last()
            .ok_or_else(|| Stop::undefined("a thread that has ended"))?;
        let known = match value {
            Value::Constant(id) => return machine.constant(id),
            Value::Argument(index) => frame.arguments.get(index as usize),
            Value::Instruction(id) => frame.values.get(id.index()).and_then(Option::as_ref),
        };
        known
            .cloned()
            .ok_or_else(|| Stop::undefined("an operand that has no value yet"))
    }

    /// Memory of the thread, aligned.
    pub(super) fn reserve(&mut self, size: u64, align: u32) -> Result<u64, Stop> {
        let address = self.stack.next_multiple_of(u64::from(align.max(1)));
        let end = address
            .checked_add(size)
            .ok_or_else(|| Stop::unsupported("a frame of this size"))?;
        if !self.local.grow(end) {
            return Err(Stop::unsupported("a frame of this size"));
        }
        self.stack = end;
        Ok(address)
    }

    pub(super) fn view<'v>(&'v mut self, machine: &'v mut Machine<'m>, shared: &'v mut Region) -> View<'v> {
        View {
            memory: &mut machine.memory,
            shared,
            local: &mut self.local,
        }
    }

    /// The callee and the arguments of a call; copies of what is passed by value are made.
    pub(super) fn call(
        &mut self,
        machine: &mut Machine<'m>,
        shared: &mut Region,
        id: InstructionId,
        call: &Call,
    ) -> Result<Effect, Stop> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for &argument in &call.arguments {
            arguments.push(self.value(machine, argument)?);
        }
        let function = match &call.callee {
            Callee::Function(function) => *function,
            Callee::Intrinsic(intrinsic, _) => {
                return self.intrinsic(machine, shared, id, *intrinsic, call, &arguments);
            }
            Callee::Assembly(_) => return Err(Stop::unsupported("inline assembly")),
            Callee::Indirect(address) => {
                let Some(address) = self.value(machine, *address)?.low() else {
                    return Err(Stop::undefined("a call at poison"));
                };
                machine
                    .function_at(address)
                    .ok_or_else(|| Stop::undefined("a call at an address of no function"))?
            }
        };
        let declaration = &machine.module.symbols.functions[function];
        for (argument, attributes) in arguments.iter_mut().zip(&declaration.parameters) {
            let (Some(ty), Some(address)) = (attributes.byval, argument.low()) else {
                continue;
            };
            let context = machine.module.context();
            let align = attributes.align.max(context.alignment(ty));
            let copy = self.reserve(context.size(ty), align)?;
            let mut view = self.view(machine, shared);
            let bytes = view.slice(AddressSpace::GENERIC, address, context.size(ty))?.to_vec();
            view.slice(AddressSpace::LOCAL, copy, context.size(ty))?
                .copy_from_slice(&bytes);
            *argument = Datum::int(64, super::LOCAL_WINDOW + copy);
        }
        if machine.module.body(function).is_none()
            && let Some(value) = self.known_function(machine, &declaration.name, &arguments)
        {
            return Ok(Effect::Value(value));
        }
        Ok(Effect::Enter(function, arguments))
    }

    /// Functions of the device's system.
    fn known_function(&mut self, machine: &mut Machine<'m>, name: &str, arguments: &[Datum]) -> Option<Datum> {
        match name {
            "malloc" => Some(Datum::int(64, machine.allocate_poison(arguments.first()?.low()?))),
            "free" => Some(Datum::void()),
            // What is printed is not kept; the result is the number of arguments, which is not known.
            "vprintf" => Some(Datum::int(32, 1)),
            _ => None,
        }
    }
}

fn frame(body: &Function, arguments: Vec<Datum>, stack: u64, caller: Option<InstructionId>) -> Frame<'_> {
    let next = body.entry().and_then(|entry| body.first(entry));
    Frame {
        body,
        arguments,
        values: vec![None; body.instruction_limit()],
        next,
        stack,
        caller,
    }
}

impl Frame<'_> {
    fn set(&mut self, id: InstructionId, value: Datum) {
        if let Some(slot) = self.values.get_mut(id.index()) {
            *slot = Some(value);
        }
    }
}
