//! The frame: after register allocation, when its size is known.
//!
//! At entry the stack pointer is lowered by the frame, and registers that survive calls are stored in it before the function uses them; before each return
//! all is put back. The stack pointer of a kernel comes from constant bank 0.

use warpsmith_base::fault;
use warpsmith_sass::{
    Access, FieldName as F, Flow, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use crate::{
    allocate::Allocation,
    convention,
    ir::{Function, Instruction, Origin, Register},
    phase::Context,
    select::{Request, Selector, Test, Value},
};

/// Alignment of the stack pointer in bytes where functions call each other.
const ALIGNMENT: u32 = 16;

/// Registers that are restored before a return, with their places in the frame.
#[derive(Debug, Default)]
struct Saved {
    general: Vec<(u8, u32)>,
    barriers: Vec<(u8, u32)>,
}

/// Lays out the frame and puts the code of entry and return into place.
///
/// # Errors
/// A return under a guard, or an instruction that the generation does not have: mistakes of the compiler.
pub(crate) fn lay_out(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let mut allocation = function.allocation.take().ok_or("registers are not allocated")?;
    let outcome = with_allocation(function, &mut allocation, context);
    function.allocation = Some(allocation);
    outcome?;
    crate::entry::begin(function, context)
}

fn with_allocation(function: &mut Function, allocation: &mut Allocation, context: &Context<'_>) -> Result<(), String> {
    let saved = saved(function, allocation);
    let calls = function.blocks.iter().flat_map(|block| &block.code).any(is_call);
    let chained = calls || !function.kernel;
    let alignment = function.frame_alignment.max(if chained { ALIGNMENT } else { 8 });
    function.frame_bytes = function.frame_bytes.next_multiple_of(alignment);
    resolve(function)?;
    let names_stack = |instruction: &Instruction| {
        let mut touches = instruction.touches();
        touches.any(|touch| Some(touch.register) == function.stack || Some(touch.register) == function.frame)
    };
    let named = function.blocks.iter().flat_map(|block| &block.code).any(names_stack);
    let needed = named || function.frame_bytes != 0 || calls;
    if !needed {
        return Ok(());
    }
    let stack = pinned(function, allocation, RegisterClass::Gpr, convention::STACK_POINTER);
    let mut frame = Frame {
        function,
        allocation,
        selector: context.selector,
        check: context.options.check_stack,
        stack,
    };
    let entry = frame.entry(&saved)?;
    frame.function.blocks[0].code.splice(0..0, entry);
    for index in 0..frame.function.blocks.len() {
        frame.returns(index, &saved)?;
    }
    allocation.used = allocation.used.max(u32::from(convention::STACK_POINTER) + 1);
    Ok(())
}

/// Whether an instruction calls a function.
fn is_call(instruction: &Instruction) -> bool {
    instruction.base.flow() == Flow::Call
}

/// A register that is this physical one.
pub(crate) fn pinned(
    function: &mut Function,
    allocation: &mut Allocation,
    class: RegisterClass,
    number: u8,
) -> Register {
    pinned_tuple(function, allocation, class, 1, number)
}

/// A register of several words that are these physical ones.
pub(crate) fn pinned_tuple(
    function: &mut Function,
    allocation: &mut Allocation,
    class: RegisterClass,
    words: u8,
    number: u8,
) -> Register {
    let register = function.fixed_register(class, words, number);
    allocation.numbers.resize(function.registers.len(), None);
    allocation.numbers[register.0 as usize] = Some(number);
    register
}

/// The registers that the function writes and its caller still needs, with new places in the frame.
fn saved(function: &mut Function, allocation: &Allocation) -> Saved {
    let mut saved = Saved::default();
    if function.kernel {
        return saved;
    }
    let (mut general, mut barriers) = ([false; 256], [false; 256]);
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            let Some(first) = allocation.numbers[touch.register.0 as usize] else {
                continue;
            };
            for word in touch.word..touch.word.saturating_add(touch.words) {
                let number = usize::from(first.saturating_add(word));
                match function.info(touch.register).class {
                    RegisterClass::Gpr => general[number] = true,
                    RegisterClass::Barrier => barriers[number] = true,
                    RegisterClass::UniformGpr
                    | RegisterClass::Predicate
                    | RegisterClass::UniformPredicate
                    | RegisterClass::Scoreboard => {}
                }
            }
        }
    }
    for number in (0..=255_u8).filter(|number| general[usize::from(*number)] && convention::is_saved(*number)) {
        saved.general.push((number, function.frame_slot(4, 4)));
    }
    for number in (convention::SAVED_BARRIERS..16).filter(|number| barriers[usize::from(*number)]) {
        saved.barriers.push((number, function.frame_slot(4, 4)));
    }
    saved
}

/// Fills in what counts from the end of the frame.
fn resolve(function: &mut Function) -> Result<(), String> {
    let frame = i64::from(function.frame_bytes);
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        let Some(reference) = instruction
            .reference
            .take_if(|reference| reference.origin == Origin::Frame)
        else {
            continue;
        };
        let value = frame.wrapping_add(reference.addend) as u32;
        let base = instruction.base.with_field(F::Imm, u64::from(value));
        instruction.base = base.ok_or_else(|| fault::internal("no place for the size of the frame"))?;
    }
    Ok(())
}

/// The name of a barrier that survives calls.
fn barrier(number: u8) -> Result<&'static str, String> {
    const NAMES: [&str; 10] = ["B6", "B7", "B8", "B9", "B10", "B11", "B12", "B13", "B14", "B15"];
    let name = number.checked_sub(convention::SAVED_BARRIERS).map(usize::from);
    let name = name.and_then(|index| NAMES.get(index)).copied();
    name.ok_or_else(|| fault::internal(format_args!("there is no barrier {number}")))
}

struct Frame<'f> {
    function: &'f mut Function,
    allocation: &'f mut Allocation,
    selector: &'f Selector,
    /// Whether a frame that does not fit is a trap.
    check: bool,
    stack: Register,
}

impl Frame<'_> {
    fn emit(&mut self, code: &mut Vec<Instruction>, request: Request) -> Result<(), String> {
        let before = self.function.registers.len();
        self.selector
            .emit(self.function, code, request)
            .map_err(fault::internal)?;
        if self.function.registers.len() != before {
            return Err(fault::internal("the frame needs a register"));
        }
        Ok(())
    }

    /// `R1 += amount`
    fn move_stack(&mut self, code: &mut Vec<Instruction>, amount: u32) -> Result<(), String> {
        let stack = self.stack;
        let request = Request::new(O::Iadd3).to(stack).from(stack);
        self.emit(code, request.from(Value::Immediate(amount)).from(Value::Zero))
    }

    fn entry(&mut self, saved: &Saved) -> Result<Vec<Instruction>, String> {
        let mut code = Vec::new();
        let frame = self.function.frame_bytes;
        if self.function.kernel {
            let start = u32::from(self.function.constants().stack_pointer);
            let request = if self.function.isa() < Isa::Sm90 {
                Request::new(O::Mov).from(Value::Constant(0, start))
            } else {
                let load = Request::new(O::Ldc).form("R_C").number(F::Bank, 0);
                load.number(F::Offset, u64::from(start))
            };
            let request = request.to(self.stack);
            self.emit(&mut code, request)?;
        }
        if frame != 0 {
            self.move_stack(&mut code, frame.wrapping_neg())?;
        }
        if frame != 0 && self.check {
            self.check_stack(&mut code)?;
        }
        for (number, slot) in &saved.general {
            let register = pinned(self.function, self.allocation, RegisterClass::Gpr, *number);
            self.store(&mut code, register, *slot)?;
        }
        for (number, slot) in &saved.barriers {
            // R0 holds no argument.
            let register = pinned(self.function, self.allocation, RegisterClass::Gpr, 0);
            let request = Request::new(O::Bmov).form("32.R_S").to(register);
            let request = request.text(F::ThreadState, barrier(*number)?);
            self.emit(&mut code, request.flag(F::Clear, true))?;
            self.store(&mut code, register, *slot)?;
        }
        Ok(code)
    }

    /// A trap where the stack pointer has gone below the local memory that a thread has. At entry nothing else is in R0 and P0: no argument comes in them.
    ///
    /// Source: observed, ptxas 13.0.88 with `--sp-bounds-check`; it jumps over the trap, where this has a guard.
    fn check_stack(&mut self, code: &mut Vec<Instruction>) -> Result<(), String> {
        let stack = self.stack;
        let lowest = pinned(self.function, self.allocation, RegisterClass::Gpr, 0);
        let fits = pinned(self.function, self.allocation, RegisterClass::Predicate, 0);
        let read = Request::new(O::S2r).form("R_S").to(lowest);
        self.emit(code, read.text(F::SpecialRegister, "SR_LMEMHIOFF"))?;
        let compare = Request::new(O::Isetp)
            .from(stack)
            .from(lowest)
            .with(Cmp::Ge)
            .flag(F::U32, true);
        let compare = compare.with(Combine::And).when(F::Pp, Test::ALWAYS).sets(F::Pu, fits);
        self.emit(code, compare)?;
        let old = self.function.isa() == Isa::Sm75;
        let trap = Request::new(O::Bpt).form(if old { "none_pause" } else { "none_trap" });
        let trap = trap.text(F::Action, "TRAP").number(F::Number, 1);
        self.emit(code, trap.guarded(Test::from(fits).opposite()))
    }

    fn store(&mut self, code: &mut Vec<Instruction>, register: Register, slot: u32) -> Result<(), String> {
        let stack = self.stack;
        let request = Request::new(O::Stl).form("A_R").at(F::Ra, stack).at(F::Rb, register);
        self.emit(code, request.number(F::Offset, u64::from(slot)).text(F::Size, ""))
    }

    fn load(&mut self, code: &mut Vec<Instruction>, register: Register, slot: u32) -> Result<(), String> {
        let stack = self.stack;
        let request = Request::new(O::Ldl).form("R_A").to(register).at(F::Ra, stack);
        self.emit(code, request.number(F::Offset, u64::from(slot)).text(F::Size, ""))
    }

    /// What comes before the returns of a block.
    fn returns(&mut self, index: usize, saved: &Saved) -> Result<(), String> {
        let is_return = |instruction: &Instruction| instruction.base.flow() == Flow::Return;
        let Some(at) = self.function.blocks[index].code.iter().position(is_return) else {
            return Ok(());
        };
        if self.function.blocks[index].code[at].guard.is_some() {
            return Err(fault::internal("a return under a guard"));
        }
        let mut code = Vec::new();
        for (number, slot) in &saved.barriers {
            let register = pinned(self.function, self.allocation, RegisterClass::Gpr, 0);
            self.load(&mut code, register, *slot)?;
            let request = Request::new(O::Bmov).form("32.S_R").at(F::Rb, register);
            self.emit(&mut code, request.text(F::ThreadState, barrier(*number)?))?;
        }
        for (number, slot) in &saved.general {
            let register = pinned(self.function, self.allocation, RegisterClass::Gpr, *number);
            self.load(&mut code, register, *slot)?;
        }
        if self.function.frame_bytes != 0 {
            self.move_stack(&mut code, self.function.frame_bytes)?;
        }
        self.function.blocks[index].code.splice(at..at, code);
        Ok(())
    }
}
