//! From PTX to machine instructions: one function of the module to one [`Function`].
//!
//! Each family of PTX instructions has a module that turns an instruction into requests to the [`Selector`](crate::select::Selector). Registers keep their
//! width: a 64-bit PTX register is one virtual register of two words. Predicates are predicates; 8- and 16-bit values live in the low bits of a word, and
//! what is above them is not defined: whoever needs it extends.

mod asynchronous;
mod atomic;
mod bits;
mod bulk;
mod cache_policy;
pub(crate) mod call;
mod cluster;
mod collective;
mod compare;
mod control;
mod convert;
mod divide;
mod double;
mod float;
mod float_compare;
mod float_divide;
mod half;
mod integer;
mod matrix;
mod matrix_memory;
mod matrix_narrow;
mod matrix_quad;
mod matrix_sparse;
mod mbarrier;
mod memory;
mod moves;
mod multiply;
mod narrow;
mod once;
pub(crate) mod operand;
mod own_shared;
mod passed;
pub(crate) mod plan;
mod predicate;
mod register_count;
mod remote;
mod results;
mod special;
mod stack;
pub(crate) mod steps;
mod surface;
mod system;
mod tensor_map;
mod tensor_memory;
mod tensor_memory_allocate;
mod tensor_memory_copy;
mod tensor_memory_multiply;
mod texture;
mod texture_quads;
pub(crate) mod texture_query;
pub(crate) mod variables;
mod video;
mod warpgroup;
mod wmma;

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_base::Cause;
use warpsmith_ptx::{
    NamedRegisters, Span,
    instruction::Variant,
    module::{Body, FunctionDirective, LabelKind, Module, Statement, VariableId},
    table::Type,
};
use warpsmith_sass::{
    Access, FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::{Feature, Sm};

use crate::{
    ir::{Block, BlockId, Function, Instruction, Parameter, Register, SourcePlace},
    select::{Request, SelectError, Selector, Test, Value},
};

/// Why a function cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// What is not supported, or does not fit.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Whose fault it is.
    pub cause: Cause,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LowerError {}

/// The result of lowering an instruction.
pub(crate) type Lowered<T = ()> = Result<T, Stop>;

/// Why an instruction is not lowered.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// Not supported yet: the instruction, or this of it.
    Unsupported(Option<String>),
    /// The program is wrong, and why.
    Wrong(String),
    /// The tables have no such machine instruction.
    Select(SelectError),
}

impl Stop {
    /// The reason, for this instruction or construct.
    fn says(&self, what: &str) -> String {
        match self {
            Stop::Unsupported(None) => format!("{what} is not supported yet"),
            Stop::Unsupported(Some(part)) => format!("{what}: {part} is not supported yet"),
            Stop::Wrong(why) => why.clone(),
            Stop::Select(error) => format!("{what}: {error}"),
        }
    }
}

impl Stop {
    /// Whose fault it is.
    fn cause(&self) -> Cause {
        match self {
            Stop::Unsupported(_) | Stop::Select(_) => Cause::Unsupported,
            Stop::Wrong(_) => Cause::Input,
        }
    }
}

impl From<SelectError> for Stop {
    fn from(error: SelectError) -> Stop {
        Stop::Select(error)
    }
}

/// The instruction is of no kind that is supported.
pub(crate) const UNSUPPORTED: Stop = Stop::Unsupported(None);

/// A function being lowered.
pub(crate) struct Lowering<'m> {
    pub(crate) module: &'m Module,
    pub(crate) body: &'m Body,
    pub(crate) selector: &'m Selector,
    plan: &'m plan::Plan,
    pub(crate) function: Function,
    /// The block being filled.
    pub(crate) block: BlockId,
    /// Which PTX registers there are.
    pub(crate) numbers: NamedRegisters,
    /// For each PTX register, its virtual registers: one, or one for each element of a vector register.
    pub(crate) homes: Vec<Register>,
    /// The type of each PTX register.
    pub(crate) types: Vec<Type>,
    /// The block of each label that names a place.
    labels: Vec<Option<BlockId>>,
    /// Offsets of kernel parameters in constant bank 0.
    parameters: FxHashMap<VariableId, u32>,
    /// Offsets of shared variables.
    pub(crate) shared: FxHashMap<VariableId, u32>,
    /// Offsets of local variables in the frame.
    pub(crate) local: FxHashMap<VariableId, u32>,
    /// The guard of the instruction being lowered.
    pub(crate) guard: Test,
    place: u32,
    /// The descriptor of global memory in a pair of uniform registers, once it is loaded.
    descriptor: Option<Register>,
    /// What addresses of shared memory count from, once it is made.
    shared_window: Option<Register>,
    /// The predicate that holds the carry flag, once an instruction writes or reads it.
    pub(crate) carry: Option<Register>,
    /// PTX registers by which the function divides approximately more than once.
    frequent_divisors: FxHashSet<u32>,
    /// PTX registers that hold the mask of every lane.
    whole_masks: FxHashSet<u32>,
    /// PTX registers that hold this number of bytes or 0.
    whole_or_nothing: FxHashMap<u32, u64>,
    /// PTX registers that hold addresses of the CTA's own shared memory, where that has to be known.
    own_shared: FxHashSet<u32>,
    /// What the calls of the function need.
    calls: call::Calls,
    /// The places of `.param` variables, except those of kernels.
    passed: FxHashMap<VariableId, call::Passed>,
    /// Device functions: the parameters.
    received: Vec<VariableId>,
    /// Device functions: where to return to.
    return_address: Option<Register>,
    /// Device functions: the label of the place that returns.
    return_label: Option<u32>,
    /// Where the arguments on the stack start, once it is made.
    top: Option<Register>,
}

/// Lowers a kernel or function for a target.
///
/// # Errors
/// The first instruction that is not supported, or does not fit the target.
pub fn lower(
    module: &Module,
    function: &warpsmith_ptx::module::Function,
    sm: Sm,
    selector: &Selector,
    plan: &plan::Plan,
) -> Result<Function, LowerError> {
    let name = module.names.get(function.name);
    let Some(body) = &function.body else {
        return Err(LowerError {
            message: format!("'{name}' has no body"),
            span: function.span,
            cause: Cause::Input,
        });
    };
    let mut lowering = Lowering {
        module,
        body,
        selector,
        plan,
        function: Function::new(name, sm),
        block: BlockId(0),
        numbers: NamedRegisters::of(module, function, body),
        homes: Vec::new(),
        types: Vec::new(),
        labels: vec![None; body.labels.len()],
        parameters: FxHashMap::default(),
        shared: FxHashMap::default(),
        local: FxHashMap::default(),
        guard: Test::ALWAYS,
        place: 0,
        descriptor: None,
        shared_window: None,
        carry: None,
        frequent_divisors: float::frequent_divisors(module, body),
        whole_masks: collective::whole_masks(module, body),
        whole_or_nothing: asynchronous::whole_or_nothing(module, body),
        own_shared: match sm.has(Feature::SystemMulticast) {
            true => own_shared::own_shared(module, function, body),
            false => FxHashSet::default(),
        },
        calls: call::Calls::default(),
        passed: FxHashMap::default(),
        received: Vec::new(),
        return_address: None,
        return_label: None,
        top: None,
    };
    lowering.start(function)?;
    lowering.statements()?;
    lowering.finish(function)
}

/// Set in the number of a block that stands for a label.
const LABEL: u32 = 1 << 31;

/// Words of a value of a type; predicates have one.
pub(crate) fn words(of: Type) -> u8 {
    of.bits().div_ceil(32).max(1) as u8
}

impl Lowering<'_> {
    fn start(&mut self, function: &warpsmith_ptx::module::Function) -> Result<(), LowerError> {
        self.function.kernel = function.kernel;
        self.directives(&function.directives);
        if function.kernel {
            self.place_parameters(function);
        }
        self.prepare_calls(function)?;
        self.place_variables();
        for range in &self.body.registers {
            let class = if range.element == Type::Pred {
                RegisterClass::Predicate
            } else {
                RegisterClass::Gpr
            };
            for _ in self.numbers.of_range(range) {
                let first = self.function.register(class, words(range.element));
                for _ in 1..range.vector.max(1) {
                    self.function.register(class, words(range.element));
                }
                self.homes.push(first);
                self.types.push(range.element);
            }
        }
        if self.plan.debug {
            self.function.homes.clone_from(&self.homes);
        }
        // The entry block is nobody's target: what is loaded once for the whole function goes there.
        self.function.blocks.push(Block::default());
        self.receive(function).map_err(|stop| LowerError {
            message: stop.says("the parameters"),
            span: function.span,
            cause: stop.cause(),
        })?;
        self.new_block();
        Ok(())
    }

    fn directives(&mut self, directives: &[FunctionDirective]) {
        let extents = |values: &[u64]| std::array::from_fn(|axis| values.get(axis).map_or(1, |value| *value as u32));
        for directive in directives {
            match directive {
                FunctionDirective::RequiredThreads(values) => self.function.required_threads = Some(extents(values)),
                FunctionDirective::MaxThreads(values) => self.function.maximum_threads = Some(extents(values)),
                FunctionDirective::RequiredCtasPerCluster(values) => {
                    self.function.required_cluster = Some(extents(values));
                }
                FunctionDirective::MinCtasPerSm(count) => self.function.minimum_ctas = u32::try_from(*count).ok(),
                FunctionDirective::MaxRegisters(count) => self.function.register_limit = u32::try_from(*count).ok(),
                _ => {}
            }
        }
    }

    fn place_parameters(&mut self, function: &warpsmith_ptx::module::Function) {
        let base = u32::from(self.function.constants().parameters);
        for (id, offset) in plan::parameters(self.module, function, base).0 {
            let size = operand::size(&self.module.variables[id.0 as usize]) as u32;
            self.parameters.insert(id, base + offset);
            self.function.parameters.push(Parameter { offset, size });
        }
    }

    fn statements(&mut self) -> Result<(), LowerError> {
        let body = self.body;
        let (mut location, mut number) = ((0, 0, 0), 0);
        for statement in &body.statements {
            match statement {
                Statement::Instruction(instruction) => {
                    self.function.places.push(SourcePlace {
                        ptx: instruction.span.start,
                        location,
                        statement: number,
                        call: 0,
                    });
                    self.place = self.function.places.len() as u32 - 1;
                    self.instruction(instruction)?;
                }
                Statement::Label(label) => {
                    if let LabelKind::Place(_) = body.labels[label.0 as usize].kind {
                        self.enter(label.0 as usize);
                    }
                }
                Statement::Location(at) => {
                    location = (at.file, at.line, at.column);
                    number += 1;
                }
                Statement::ScopeStart | Statement::ScopeEnd | Statement::Registers(_) => {}
                Statement::Pragma(names, _) => {
                    // The place of the next instruction.
                    if names.iter().any(|name| self.module.names.get(*name) == "nounroll") {
                        self.function.kept_loops.push(self.function.places.len() as u32);
                    }
                }
                Statement::Variable(id) => self.clear_partial(*id).map_err(|stop| LowerError {
                    message: stop.says("this variable"),
                    span: self.module.variables[id.0 as usize].span,
                    cause: stop.cause(),
                })?,
            }
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &warpsmith_ptx::module::Instruction) -> Result<(), LowerError> {
        let module = self.module;
        let variant = &module.variants[instruction.variant.0 as usize];
        self.guard = match instruction.guard {
            Some(guard) => Test {
                register: Some(self.home(guard.register)),
                negated: guard.negated,
            },
            None => Test::ALWAYS,
        };
        let first = instruction.first_operand as usize;
        let operands = &self.body.operands[first..first + instruction.operand_count as usize];
        let outcome = self.dispatch(variant, operands);
        outcome.map_err(|stop| LowerError {
            message: stop.says(&variant.mnemonic().to_string()),
            span: instruction.span,
            cause: stop.cause(),
        })
    }

    /// Each family in turn: `None` says that the instruction is not of the family.
    fn dispatch(&mut self, variant: &Variant, operands: &[warpsmith_ptx::module::Operand]) -> Lowered {
        if variant.form().uncompiled {
            return Err(UNSUPPORTED);
        }
        self.calls(variant, operands)
            .or_else(|| self.tensor_maps(variant, operands))
            .or_else(|| self.floats(variant, operands))
            .or_else(|| self.integers(variant, operands))
            .or_else(|| self.memory(variant, operands))
            .or_else(|| self.atomics(variant, operands))
            .or_else(|| self.control(variant, operands))
            .or_else(|| self.collectives(variant, operands))
            .or_else(|| self.clusters(variant, operands))
            .or_else(|| self.textures(variant, operands))
            .or_else(|| self.video(variant, operands))
            .or_else(|| self.asynchronous(variant, operands))
            .or_else(|| self.bulk(variant, operands))
            .or_else(|| self.cache_policies(variant, operands))
            .or_else(|| self.remote(variant, operands))
            .or_else(|| self.register_counts(variant, operands))
            .or_else(|| self.matrices(variant, operands))
            .or_else(|| self.warpgroup(variant, operands))
            .or_else(|| self.tensor_memory(variant, operands))
            .unwrap_or(Err(UNSUPPORTED))
    }

    fn finish(mut self, function: &warpsmith_ptx::module::Function) -> Result<Function, LowerError> {
        // Falling off the end of the body returns.
        self.guard = Test::ALWAYS;
        let open = self.function.blocks[self.block.0 as usize]
            .code
            .last()
            .is_none_or(Instruction::falls_through);
        let end = |stop: Stop| LowerError {
            message: stop.says("the end of the function"),
            span: function.span,
            cause: stop.cause(),
        };
        if open && function.kernel {
            self.leave().map_err(end)?;
        }
        self.return_here(function).map_err(end)?;
        self.define_unwritten().map_err(end)?;
        self.keep_frame().map_err(end)?;
        let places = self.shared.iter().chain(&self.local);
        self.function.variables = places.map(|(id, offset)| (*id, *offset)).collect();
        self.function.variables.sort_by_key(|(id, _)| id.0);
        let labels = std::mem::take(&mut self.labels);
        let targets = self.function.blocks.iter_mut().flat_map(|block| &mut block.code);
        for target in targets.flat_map(Instruction::targets_mut) {
            if target.0 & LABEL != 0 {
                let place = labels.get((target.0 & !LABEL) as usize).copied().flatten();
                *target = place.ok_or_else(|| LowerError {
                    message: "a branch to a label that names no place".to_string(),
                    span: function.span,
                    cause: Cause::Input,
                })?;
            }
        }
        Ok(self.function)
    }

    /// What the program reads and never writes is zero.
    fn define_unwritten(&mut self) -> Lowered {
        let count = self.function.registers.len();
        let (mut reads, mut writes) = (vec![false; count], vec![false; count]);
        let code = self.function.blocks.iter().flat_map(|block| &block.code);
        for touch in code.flat_map(Instruction::touches) {
            let index = touch.register.0 as usize;
            reads[index] |= touch.access != Access::Write;
            writes[index] |= touch.access != Access::Read;
        }
        let mut requests = Vec::new();
        for index in (0..count).filter(|index| reads[*index] && !writes[*index]) {
            let (register, info) = (Register(index as u32), self.function.registers[index]);
            match info.class {
                _ if info.fixed.is_some() => {}
                RegisterClass::Gpr => requests.extend(
                    (0..info.words).map(|word| Request::new(Opcode::Mov).to(register.word(word)).from(Value::Zero)),
                ),
                RegisterClass::Predicate => requests.push(
                    Request::new(Opcode::Isetp)
                        .sets(FieldName::Pu, register)
                        .from(Value::Zero)
                        .from(Value::Zero)
                        .with(Cmp::Ne)
                        .with(Combine::And)
                        .flag(FieldName::U32, true)
                        .when(FieldName::Pp, Test::ALWAYS),
                ),
                RegisterClass::UniformGpr
                | RegisterClass::UniformPredicate
                | RegisterClass::Barrier
                | RegisterClass::Scoreboard => {}
            }
        }
        self.at_entry(requests)
    }

    /// Appends an instruction under the guard of the PTX instruction.
    pub(crate) fn emit(&mut self, request: Request) -> Lowered {
        let guard = self.guard;
        self.emit_bare(if guard.register.is_some() {
            request.guarded(guard)
        } else {
            request
        })
    }

    /// Appends an instruction without guard, or with its own.
    pub(crate) fn emit_bare(&mut self, request: Request) -> Lowered {
        let mut code = Vec::new();
        self.selector.emit(&mut self.function, &mut code, request)?;
        for instruction in &mut code {
            instruction.place = self.place;
        }
        self.function.blocks[self.block.0 as usize].code.append(&mut code);
        Ok(())
    }

    /// A new general register of this many words.
    pub(crate) fn temporary(&mut self, words: u8) -> Register {
        self.function.register(RegisterClass::Gpr, words)
    }

    /// A new predicate.
    pub(crate) fn predicate(&mut self) -> Register {
        self.function.register(RegisterClass::Predicate, 1)
    }

    /// Starts a new block after the one being filled.
    pub(crate) fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.function.blocks.len() as u32);
        self.function.blocks.push(Block::default());
        self.block = id;
        id
    }

    /// The block of a label, which may stand later: a number that [`Lowering::finish`] replaces.
    pub(crate) fn label(&self, label: warpsmith_ptx::module::LabelId) -> BlockId {
        BlockId(LABEL | label.0)
    }

    /// A label stands here.
    fn enter(&mut self, label: usize) {
        let block = if self.function.blocks[self.block.0 as usize].code.is_empty() {
            self.block
        } else {
            self.new_block()
        };
        self.labels[label] = Some(block);
    }

    /// The descriptor of global memory: loaded once, in the entry block.
    pub(crate) fn descriptor(&mut self) -> Lowered<Option<Register>> {
        let Some(offset) = self.function.constants().memory_descriptor else {
            return Ok(None);
        };
        // No uniform register that a function may use survives calls: there each access has its own.
        let local = self.calls.present && !self.function.kernel;
        if let Some(register) = self.descriptor.filter(|_| !local) {
            return Ok(Some(register));
        }
        let register = self.function.register(RegisterClass::UniformGpr, 2);
        let opcode = if self.selector.has(Opcode::Uldc) {
            Opcode::Uldc
        } else {
            Opcode::Ldcu
        };
        let request = Request::new(opcode)
            .form("UR_C")
            .to(register)
            .text(warpsmith_sass::FieldName::Size, "64")
            .number(warpsmith_sass::FieldName::Bank, 0)
            .number(warpsmith_sass::FieldName::Offset, u64::from(offset));
        if local {
            self.emit_bare(request)?;
            return Ok(Some(register));
        }
        let mut code = Vec::new();
        self.selector.emit(&mut self.function, &mut code, request)?;
        let entry = &mut self.function.blocks[0].code;
        entry.splice(0..0, code);
        self.descriptor = Some(register);
        Ok(Some(register))
    }

    /// Where a kernel parameter lies in constant bank 0.
    pub(crate) fn parameter(&self, variable: VariableId) -> Option<u32> {
        self.parameters.get(&variable).copied()
    }
}
