//! Device functions: parameters, calls, returns, and the stack.
//!
//! A `.param` variable of a call or function is a row of registers, one for each word, that are copied to and from where the calling convention has them.
//! Only what is large, or has its address taken, lies in the frame. Functions return at one place, to which each `ret` branches.

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::Cause;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, FunctionId, LabelKind, Linkage, Module, Operand, Space, Statement, VariableId},
    table::{Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O, RegisterClass};

use super::{
    LABEL, LowerError, Lowered, Lowering, UNSUPPORTED,
    operand::{alignment, size},
    results::{CalledResult, predicate_word},
    variables::unsupported,
};
use crate::{
    convention::{self, Layout, Place},
    ir::{BlockId, Effects, Origin, Reference, Register, RegisterSet},
    limits::is_system_call,
    select::{Request, Source, Value, Word},
};

/// The largest `.param` variable that is kept in registers, in bytes.
const LARGEST_IN_REGISTERS: u32 = 48;
/// The largest alignment that the stack pointer has by itself.
pub(super) const STACK_ALIGNMENT: u32 = 16;

/// Where a `.param` variable of a function, or of a call, is.
#[derive(Clone, Debug)]
pub(super) enum Passed {
    /// In these registers.
    Words(Vec<Word>),
    /// In the frame, at this offset.
    Frame(u32),
    /// Where the caller has put it on the stack.
    Incoming(u32),
    /// In local memory of the caller, whose place the register holds.
    Caller(Register),
    /// In this predicate; calls pass it as a word.
    Predicate(Register),
}

/// A call as it is written.
pub(super) struct Call<'m> {
    results: Vec<Operand>,
    target: Operand,
    arguments: Vec<Operand>,
    /// What the function says that it returns and takes.
    pub(super) formal: (&'m [VariableId], &'m [VariableId]),
}

/// What a function's calls need, known before it is lowered.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Whether there are any.
    pub(super) present: bool,
    /// Whether one goes elsewhere than to well-known functions of the system: it may need registers that a warp has given back.
    pub(super) wants_all_registers: bool,
    /// Whether the stack pointer moves.
    pub(super) moves_stack: bool,
    /// Bytes at the bottom of the frame for arguments of calls.
    pub(super) outgoing: u32,
    /// `.param` variables that need an address.
    pub(super) addressed: FxHashSet<VariableId>,
    /// The words of `.param` variables that some store writes, a bit each; those from 63 on share the last.
    pub(super) written: FxHashMap<VariableId, u64>,
    /// `.param` variables that are written in parts of words.
    pub(super) partial: FxHashSet<VariableId>,
    /// Where a large argument may be made in place: its offset on the stack.
    pub(super) in_place: FxHashMap<VariableId, u32>,
}

/// What a name stands for.
pub(crate) fn resolved(module: &Module, id: FunctionId) -> FunctionId {
    let mut found = id;
    // An alias of an alias is no longer than the list of functions.
    for _ in 0..module.functions.len() {
        let next = module
            .functions
            .get(found.0 as usize)
            .and_then(|function| function.alias_of);
        match next {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}

impl<'m> Lowering<'m> {
    pub(super) fn variable_size(&self, id: VariableId) -> (u32, u32) {
        let variable = &self.module.variables[id.0 as usize];
        let bytes = u32::try_from(size(variable)).unwrap_or(u32::MAX / 4);
        (bytes, alignment(variable).clamp(1, 1 << 16) as u32)
    }

    pub(super) fn is_passed(&self, id: VariableId) -> bool {
        self.module.variables[id.0 as usize].space == Space::Parameter && self.parameter(id).is_none()
    }

    /// The layout for a function that returns and takes these.
    pub(super) fn layout(&self, (returns, parameters): (&[VariableId], &[VariableId])) -> Layout {
        let sizes = |ids: &[VariableId]| -> Vec<(u32, u32)> { ids.iter().map(|id| self.variable_size(*id)).collect() };
        convention::layout(&sizes(returns), &sizes(parameters))
    }

    /// Takes a call apart.
    fn call_parts(&self, operands: &[Operand]) -> Lowered<Call<'m>> {
        let body = self.body;
        let module = self.module;
        let (results, rest) = match operands {
            [Operand::List(range), rest @ ..] => (self.list(*range).to_vec(), rest),
            rest => (Vec::new(), rest),
        };
        let [target, rest @ ..] = rest else {
            return Err(UNSUPPORTED);
        };
        let (arguments, rest) = match rest {
            [Operand::List(range), rest @ ..] => (self.list(*range).to_vec(), rest),
            rest => (Vec::new(), rest),
        };
        let of_function = |id: FunctionId| {
            let function = &module.functions[id.0 as usize];
            (&function.returns[..], &function.parameters[..])
        };
        let formal = match (target, rest) {
            (Operand::Function(id), _) => of_function(resolved(module, *id)),
            (_, [Operand::Label(label)]) => match &body.labels[label.0 as usize].kind {
                LabelKind::Prototype(prototype) => (&prototype.returns[..], &prototype.parameters[..]),
                LabelKind::CallTargets(targets) => of_function(*targets.first().ok_or(UNSUPPORTED)?),
                LabelKind::Place(_) | LabelKind::BranchTargets(_) => return Err(UNSUPPORTED),
            },
            _ => return unsupported("a call without prototype"),
        };
        Ok(Call {
            results,
            target: *target,
            arguments,
            formal,
        })
    }

    /// Looks through the function for its calls, and gives every `.param` variable its place.
    pub(super) fn prepare_calls(&mut self, function: &warpsmith_ptx::module::Function) -> Result<(), LowerError> {
        self.look_for_calls()?;
        self.function.outgoing_bytes = self.calls.outgoing;
        self.function.frame_bytes = self.calls.outgoing.next_multiple_of(STACK_ALIGNMENT);
        if self.calls.outgoing != 0 {
            self.function.frame_alignment = self.function.frame_alignment.max(STACK_ALIGNMENT);
        }
        if self.calls.present || self.calls.moves_stack {
            let _ = self.function.stack_pointer();
        }
        if self.calls.moves_stack {
            let frame = self
                .function
                .fixed_register(RegisterClass::Gpr, 1, convention::FRAME_POINTER);
            self.function.frame = Some(frame);
        }
        if !function.kernel {
            let reserved = convention::reserved();
            self.function.reserved.uniform = reserved.uniform;
            self.function.binding = match function.linkage {
                Linkage::Internal => warpsmith_cubin::SymbolBinding::LOCAL,
                Linkage::Weak => warpsmith_cubin::SymbolBinding::WEAK,
                Linkage::Visible | Linkage::External | Linkage::Common => warpsmith_cubin::SymbolBinding::GLOBAL,
            };
        }
        Ok(())
    }

    fn look_for_calls(&mut self) -> Result<(), LowerError> {
        let (body, module) = (self.body, self.module);
        // Large arguments since the last call or branch, which may be made where the next call wants them.
        let mut since = FxHashSet::default();
        let mut named = FxHashMap::<VariableId, u32>::default();
        for statement in &body.statements {
            let instruction = match statement {
                Statement::Instruction(instruction) => instruction,
                Statement::Label(_) => {
                    since.clear();
                    continue;
                }
                Statement::Variable(id) => {
                    since.insert(*id);
                    continue;
                }
                _ => continue,
            };
            let variant = &module.variants[instruction.variant.0 as usize];
            let first = instruction.first_operand as usize;
            let operands = &body.operands[first..first + instruction.operand_count as usize];
            match variant.opcode {
                Opcode::Call => {
                    let call = self.call_parts(operands).map_err(|_| LowerError {
                        message: "call: this call is not supported yet".to_string(),
                        span: instruction.span,
                        cause: Cause::Unsupported,
                    })?;
                    self.note_call(&call, &since, &mut named);
                    since.clear();
                }
                Opcode::Alloca | Opcode::Stackrestore => self.calls.moves_stack = true,
                Opcode::Bra | Opcode::BrxIdx => since.clear(),
                _ => {
                    if let Some(bytes) = self.passed_to_system(variant, operands) {
                        self.calls.present = true;
                        self.calls.wants_all_registers = true;
                        self.calls.outgoing = self.calls.outgoing.max(bytes);
                    }
                    self.note_operands(variant, operands);
                }
            }
        }
        self.calls.in_place.retain(|id, _| named.get(id) == Some(&1));
        Ok(())
    }

    fn note_call(&mut self, call: &Call<'_>, since: &FxHashSet<VariableId>, named: &mut FxHashMap<VariableId, u32>) {
        let layout = self.layout(call.formal);
        self.calls.present = true;
        self.calls.wants_all_registers |= !self.is_of_system(&call.target);
        self.calls.outgoing = self.calls.outgoing.max(layout.stack_bytes);
        for (argument, place) in call.arguments.iter().zip(&layout.arguments) {
            let Operand::Variable(id, 0) = argument else { continue };
            *named.entry(*id).or_default() += 1;
            if let Place::Stack(offset) = place
                && since.contains(id)
            {
                self.calls.in_place.insert(*id, *offset);
            }
        }
        for result in &call.results {
            if let Operand::Variable(id, _) = result {
                *named.entry(*id).or_default() += 2;
                self.calls.written.insert(*id, u64::MAX);
                if layout.result_in_memory {
                    self.calls.addressed.insert(*id);
                }
            }
        }
    }

    fn note_operands(&mut self, variant: &Variant, operands: &[Operand]) {
        let of_function = |this: &Self, id: VariableId| this.module.variables[id.0 as usize].space == Space::Parameter;
        for operand in operands {
            match operand {
                Operand::Variable(id, _) | Operand::Element(id, ..) if of_function(self, *id) => {
                    self.calls.addressed.insert(*id);
                }
                Operand::Address(Address {
                    base: AddressBase::Variable(id),
                    offset,
                    ..
                }) if of_function(self, *id) && variant.opcode == Opcode::St => {
                    let count = match operands.get(1) {
                        Some(Operand::Vector(range)) => i64::from(range.count),
                        _ => 1,
                    };
                    let bytes = variant.types().last().map_or(8, |of| i64::from(of.bits().div_ceil(8)));
                    let words = (offset / 4).clamp(0, 63)..=((offset + bytes * count - 1) / 4).clamp(0, 63);
                    let mask = words.fold(0, |mask, word| mask | 1_u64 << word);
                    *self.calls.written.entry(*id).or_default() |= mask;
                    let narrow = variant.types().last().is_some_and(|of| of.bits() < 32);
                    if narrow && i64::from(self.variable_size(*id).0) > bytes {
                        self.calls.partial.insert(*id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes the parameters from where the caller has put them.
    pub(super) fn receive(&mut self, function: &warpsmith_ptx::module::Function) -> Lowered {
        let locals: Vec<VariableId> = self
            .body
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Variable(id) if self.is_passed(*id) => Some(*id),
                _ => None,
            })
            .collect();
        for id in locals {
            let home = match self.calls.in_place.get(&id) {
                Some(offset) if !self.calls.moves_stack && self.variable_size(id).0 > LARGEST_IN_REGISTERS => {
                    Passed::Frame(*offset)
                }
                _ => self.new_home(id),
            };
            self.passed.insert(id, home);
        }
        if function.kernel {
            return Ok(());
        }
        let address = self.temporary(2);
        let incoming = self.pinned(2, convention::RETURN_ADDRESS);
        self.copy_pair(address, [incoming.word(0).into(), incoming.word(1).into()])?;
        self.return_address = Some(address);
        self.return_label = Some(self.labels.len() as u32);
        self.labels.push(None);
        let layout = self.layout((&function.returns, &function.parameters));
        self.place_results(function, &layout)?;
        self.received = function.parameters.clone();
        for (id, place) in function.parameters.iter().zip(&layout.arguments) {
            self.receive_one(function, *id, *place)?;
        }
        Ok(())
    }

    fn receive_one(&mut self, function: &warpsmith_ptx::module::Function, id: VariableId, place: Place) -> Lowered {
        let in_register = self.module.variables[id.0 as usize].space == Space::Register;
        let count = convention::registers(self.variable_size(id).0);
        match place {
            Place::Stack(offset) if !in_register => {
                self.passed.insert(id, Passed::Incoming(offset));
            }
            Place::Stack(offset) => {
                let base = self.top()?;
                match self.register_parameter(function, id)? {
                    Passed::Words(words) => {
                        for (index, word) in words.into_iter().enumerate() {
                            self.local_load(word, base, offset + 4 * index as u32)?;
                        }
                    }
                    Passed::Predicate(to) => {
                        let from = self.temporary(1);
                        self.local_load(from.into(), base, offset)?;
                        self.set_predicate(to, from.into())?;
                    }
                    Passed::Frame(_) | Passed::Incoming(_) | Passed::Caller(_) => return Err(UNSUPPORTED),
                }
            }
            Place::Registers(first) => {
                let from = self.pinned(count, first);
                self.function.arguments.push(from);
                let home = if in_register {
                    self.register_parameter(function, id)?
                } else {
                    self.new_home(id)
                };
                match &home {
                    Passed::Words(words) => {
                        for (index, word) in (0..).zip(words.clone()) {
                            self.emit_bare(Request::new(O::Mov).to(word).from(from.word(index)))?;
                        }
                    }
                    Passed::Frame(offset) => {
                        let base = self.function.frame_base();
                        for index in 0..count {
                            self.local_store(base, offset + 4 * u32::from(index), from.word(index))?;
                        }
                    }
                    Passed::Predicate(to) => self.set_predicate(*to, from.into())?,
                    Passed::Incoming(_) | Passed::Caller(_) => return Err(UNSUPPORTED),
                }
                self.passed.insert(id, home);
            }
        }
        Ok(())
    }

    /// The registers of a parameter that is one: the first registers of the body are these, results first.
    pub(super) fn register_parameter(
        &mut self,
        function: &warpsmith_ptx::module::Function,
        id: VariableId,
    ) -> Lowered<Passed> {
        let all = function.returns.iter().chain(&function.parameters);
        let mut registers = all.filter(|id| self.module.variables[id.0 as usize].space == Space::Register);
        let index = registers.position(|other| *other == id).ok_or(UNSUPPORTED)?;
        let home = *self.homes.get(index).ok_or(UNSUPPORTED)?;
        let info = self.function.info(home);
        Ok(match info.class {
            RegisterClass::Predicate => Passed::Predicate(home),
            _ => Passed::Words((0..info.words).map(|word| home.word(word)).collect()),
        })
    }

    /// A place for a `.param` variable of this function.
    pub(super) fn new_home(&mut self, id: VariableId) -> Passed {
        let (bytes, alignment) = self.variable_size(id);
        if bytes > LARGEST_IN_REGISTERS || self.calls.addressed.contains(&id) {
            return Passed::Frame(self.function.frame_slot(bytes.next_multiple_of(4), alignment.max(4)));
        }
        let count = convention::registers(bytes);
        let scalar = self.module.variables[id.0 as usize].dimensions.is_empty();
        let words = if scalar || count == 1 {
            let register = self.temporary(count);
            (0..count).map(|word| register.word(word)).collect()
        } else {
            (0..count).map(|_| self.temporary(1).into()).collect()
        };
        Passed::Words(words)
    }

    /// What is written in parts is defined before the first of them.
    pub(super) fn clear_partial(&mut self, id: VariableId) -> Lowered {
        if let (true, Some(Passed::Words(words))) = (self.calls.partial.contains(&id), self.passed.get(&id)) {
            for word in words.clone() {
                self.emit_bare(Request::new(O::Mov).to(word).from(Value::Zero))?;
            }
        }
        Ok(())
    }

    /// A new register that is this physical one.
    pub(super) fn pinned(&mut self, words: u8, number: u8) -> Register {
        self.function.fixed_register(RegisterClass::Gpr, words, number)
    }

    /// Where the caller's arguments on the stack start.
    pub(super) fn top(&mut self) -> Lowered<Register> {
        if let Some(register) = self.top {
            return Ok(register);
        }
        let base = self.function.frame_base();
        let register = self.temporary(1);
        let reference = Reference {
            origin: Origin::Frame,
            symbol: String::new(),
            addend: 0,
            high: false,
        };
        self.at_entry(vec![
            Request::new(O::Iadd3)
                .to(register)
                .from(base)
                .from(Value::Immediate(0))
                .from(Value::Zero)
                .address(reference),
        ])?;
        self.top = Some(register);
        Ok(register)
    }

    pub(super) fn local_load(&mut self, to: Word, base: Register, offset: u32) -> Lowered {
        let request = Request::new(O::Ldl).form("R_A").to(to).at(F::Ra, base);
        self.emit_bare(request.number(F::Offset, u64::from(offset)).text(F::Size, ""))
    }

    pub(super) fn local_store(&mut self, base: Register, offset: u32, from: Word) -> Lowered {
        let request = Request::new(O::Stl).form("A_R").at(F::Ra, base).at(F::Rb, from);
        self.emit_bare(request.number(F::Offset, u64::from(offset)).text(F::Size, ""))
    }

    /// Calls, returns from functions, and the stack.
    pub(super) fn calls(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Call => self.call(operands),
            Opcode::Ret if self.return_label.is_some() => self.branch_to_return(),
            Opcode::Alloca => self.alloca(operands),
            Opcode::Stacksave => self.save_stack(operands),
            Opcode::Stackrestore => self.restore_stack(operands),
            _ => return None,
        })
    }

    pub(super) fn branch_to_return(&mut self) -> Lowered {
        let label = self.return_label.ok_or(UNSUPPORTED)?;
        let request = Request::new(O::Bra).form("L").target(BlockId(LABEL | label));
        self.emit(request)?;
        self.new_block();
        Ok(())
    }

    /// The place where the function returns: results go where the caller expects them.
    pub(super) fn return_here(&mut self, function: &warpsmith_ptx::module::Function) -> Lowered {
        let Some(label) = self.return_label else {
            return Ok(());
        };
        let block = self.new_block();
        if let Some(place) = self.labels.get_mut(label as usize) {
            *place = Some(block);
        }
        let mut effects = Effects::default();
        self.give_results(function, &mut effects)?;
        // The stack pointer is the caller's, all the way.
        effects.reads.push((self.function.stack_pointer(), 1));
        let from = self.return_address.ok_or(UNSUPPORTED)?;
        let address = self.pinned(2, convention::RETURN_ADDRESS);
        for word in 0..2 {
            self.emit_bare(Request::new(O::Mov).to(address.word(word)).from(from.word(word)))?;
        }
        if let Some(frame) = self.function.frame {
            let stack = self.function.stack_pointer();
            self.emit_bare(Request::new(O::Mov).to(stack).from(frame))?;
        }
        self.emit_bare(
            Request::new(O::Ret)
                .form("ABS.R")
                .at(F::Ra, address)
                .number(F::Imm, 0)
                .flag(F::Nodec, true)
                .affecting(effects),
        )
    }

    /// The words of a `.param` variable; zero where nothing is ever stored (what fills a structure up).
    pub(super) fn written(&self, id: VariableId, words: &[Word]) -> Vec<Source> {
        let variable = &self.module.variables[id.0 as usize];
        let mask = match self.calls.written.get(&id) {
            _ if variable.space == Space::Register => u64::MAX,
            Some(mask) => *mask,
            // A parameter of the function that is passed on has what came.
            None if self.received.contains(&id) => u64::MAX,
            None => 0,
        };
        let source = |(index, word): (usize, &Word)| match mask >> index.min(63) & 1 {
            0 => Value::Zero.into(),
            _ => Source::from(*word),
        };
        words.iter().enumerate().map(source).collect()
    }

    /// The words of an argument.
    fn argument(&mut self, operand: &Operand, formal: VariableId) -> Lowered<Vec<Source>> {
        let bytes = self.variable_size(formal).0;
        let count = u32::from(convention::registers(bytes));
        if let Operand::Variable(id, 0) = operand
            && let Some(home) = self.passed.get(id).cloned()
        {
            let base = match home {
                Passed::Words(words) => {
                    let mut sources = self.written(*id, &words);
                    sources.resize(count as usize, Value::Zero.into());
                    return Ok(sources);
                }
                Passed::Frame(offset) => (self.function.frame_base(), offset),
                Passed::Incoming(offset) => (self.top()?, offset),
                Passed::Caller(place) => (place, 0),
                Passed::Predicate(_) => return Err(UNSUPPORTED),
            };
            let own = u32::from(convention::registers(self.variable_size(*id).0));
            let mut sources = Vec::new();
            for index in 0..count.min(own) {
                let to = self.temporary(1);
                self.local_load(to.into(), base.0, base.1 + 4 * index)?;
                sources.push(to.into());
            }
            sources.resize(count as usize, Value::Zero.into());
            return Ok(sources);
        }
        let of = self.module.variables[formal.0 as usize].element;
        if of == Type::Pred {
            let test = self.test(Some(operand))?;
            return Ok(vec![self.step(predicate_word(test))?.into()]);
        }
        if bytes > 16 {
            return unsupported("this argument");
        }
        (0..count as u8)
            .map(|word| self.word(Some(operand), of, word))
            .collect()
    }

    /// The registers that a call of this may change.
    fn clobbers(&self, target: &Operand) -> RegisterSet {
        match self.is_of_system(target) {
            true => convention::system_clobbers(self.function.sm),
            false => convention::clobbers(),
        }
    }

    /// Whether what a call names is a function of the system.
    fn is_of_system(&self, target: &Operand) -> bool {
        let Operand::Function(id) = target else { return false };
        let function = &self.module.functions[resolved(self.module, *id).0 as usize];
        function.body.is_none() && is_system_call(self.module.names.get(function.name))
    }

    fn call(&mut self, operands: &[Operand]) -> Lowered {
        let call = self.call_parts(operands)?;
        if call.arguments.len() > call.formal.1.len() || call.results.len() > call.formal.0.len() {
            return unsupported("a call with other arguments than the function takes");
        }
        let skip = self.skip_unless_guarded()?;
        let layout = self.layout(call.formal);
        let mut effects = Effects {
            clobbers: self.clobbers(&call.target),
            ..Effects::default()
        };
        let target = match call.target {
            Operand::Function(_) => None,
            operand => {
                // A copy: what it is copied from may be changed by the function.
                let from = self.in_register(Some(&operand), Type::U64)?;
                let to = self.temporary(2);
                self.copy_pair(to, [from.word(0).into(), from.word(1).into()])?;
                Some(to)
            }
        };
        self.pass_arguments(&call, &layout, &mut effects)?;
        if let (true, Some(&Operand::Variable(id, 0))) = (layout.result_in_memory, call.results.first()) {
            self.pass_result_place(id, &mut effects)?;
        } else if layout.result_in_memory {
            return unsupported("a large result that is dropped");
        }
        let results = self.called_results(&call, &layout);
        effects
            .writes
            .extend(results.iter().filter_map(CalledResult::registers));
        let address = self.pinned(2, convention::RETURN_ADDRESS);
        for word in 0..2 {
            let reference = Reference {
                origin: Origin::Call,
                symbol: String::new(),
                addend: 0,
                high: word == 1,
            };
            let request = Request::new(O::Mov).to(address.word(word)).from(Value::Immediate(0));
            self.emit_bare(request.address(reference))?;
        }
        effects.reads.push((address, 2));
        effects.reads.push((self.function.stack_pointer(), 1));
        let request = Request::new(O::Call).flag(F::Noinc, true).affecting(effects);
        let request = match (call.target, target) {
            (Operand::Function(id), _) => {
                let reference = self.function_reference(id, false);
                request.form("ABS.I").number(F::Imm, 0).address(reference)
            }
            (_, Some(target)) => request.form("ABS.R").at(F::Ra, target).number(F::Imm, 0),
            _ => return Err(UNSUPPORTED),
        };
        self.emit_bare(request)?;
        self.new_block();
        for (operand, result) in call.results.iter().zip(results) {
            self.take_result(operand, result)?;
        }
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        Ok(())
    }

    fn pass_arguments(&mut self, call: &Call<'_>, layout: &Layout, effects: &mut Effects) -> Lowered {
        // All are read before the first is put into its place: what reads them may need registers of its own.
        let mut values = Vec::new();
        for ((operand, formal), place) in call.arguments.iter().zip(call.formal.1).zip(&layout.arguments) {
            let there = match (operand, place) {
                (Operand::Variable(id, 0), Place::Stack(offset)) => {
                    matches!(self.passed.get(id), Some(Passed::Frame(own)) if own == offset)
                        && self.calls.in_place.get(id) == Some(offset)
                }
                _ => false,
            };
            if !there {
                values.push((self.argument(operand, *formal)?, *place));
            }
        }
        for (sources, place) in values {
            match place {
                Place::Registers(first) => {
                    let count = sources.len() as u8;
                    let to = self.pinned(count, first);
                    for (index, source) in (0..count).zip(sources) {
                        self.emit_bare(Request::new(O::Mov).to(to.word(index)).from(source))?;
                    }
                    effects.reads.push((to, count));
                }
                Place::Stack(offset) => {
                    let stack = self.function.stack_pointer();
                    for (index, source) in (0..).zip(sources) {
                        let from = self.step(Request::new(O::Mov).from(source))?;
                        self.local_store(stack, offset + 4 * index, from.into())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn pass_result_place(&mut self, id: VariableId, effects: &mut Effects) -> Lowered {
        let Some(Passed::Frame(offset)) = self.passed.get(&id) else {
            return Err(UNSUPPORTED);
        };
        let offset = *offset;
        let base = self.function.frame_base();
        let to = self.pinned(1, convention::FIRST_ARGUMENT);
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(to)
                .from(base)
                .from(super::variables::immediate(offset))
                .from(Value::Zero),
        )?;
        effects.reads.push((to, 1));
        Ok(())
    }

    fn function_reference(&self, id: FunctionId, high: bool) -> Reference {
        let function = &self.module.functions[resolved(self.module, id).0 as usize];
        Reference {
            origin: Origin::Symbol,
            symbol: self.module.names.get(function.name).to_string(),
            addend: 0,
            high,
        }
    }

    /// The address of a function.
    pub(super) fn function_address(&mut self, id: FunctionId) -> Lowered<Register> {
        let to = self.temporary(2);
        for word in 0..2 {
            let reference = self.function_reference(id, word == 1);
            let request = Request::new(O::Mov).to(to.word(word)).from(Value::Immediate(0));
            self.emit_bare(request.address(reference))?;
        }
        Ok(to)
    }
}
