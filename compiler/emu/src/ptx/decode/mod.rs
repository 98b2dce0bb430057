//! From the typed module to the form that is executed: each function once.
//!
//! Registers become slots, in which narrower values are zero-extended; predicates become masks; constants are stored once for all lanes;
//! special registers, addresses in the frame and indexed elements become steps of their own that fill temporary slots.

mod bulk;
mod control;
mod convert;
mod float;
mod integer;
mod matrix;
mod memory;
mod moves;
mod order;
mod synchronise;
mod tensor_memory;
mod texture;
mod video;

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    NamedRegisters,
    instruction::Variant,
    locations::{DebugStrings, Located, located},
    module::{
        Address, AddressBase, Body, Function, Instruction, LabelKind, Module, Operand, OperandRange, Register,
        Statement, VariableId,
    },
    table::{Type, TypeKind},
};

use super::{
    Fault, FaultKind,
    code::{
        CallLocation, Code, FIRST_PREDICATE, FIRST_SLOT, FUNCTION_BASE, LANES, Op, Origin, Received, RegisterName,
        SINK_PREDICATE, SINK_SLOT, Slot, Source, SourceLocation, Special, Step, TRUE, Test,
    },
    layout::{Layout, Location, alignment, size},
};

/// Where a register of the text lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Slot { first: Slot, element: Type },
    Predicate(u32),
}

/// An instruction that this interpreter does not run: executing it is the fault.
#[derive(Debug)]
pub(super) struct Unsupported;

/// The result of decoding one instruction.
pub(super) type Decoded = Result<(), Unsupported>;

pub(super) struct Decoder<'m> {
    pub(super) module: &'m Module,
    pub(super) layout: &'m Layout,
    pub(super) function: &'m Function,
    pub(super) body: &'m Body,
    pub(super) code: Code,
    numbers: NamedRegisters,
    homes: Vec<Home>,
    constants: FxHashMap<u64, u32>,
    /// Offsets of variables of the frame.
    frame: FxHashMap<VariableId, u32>,
    /// The step that each place label stands before.
    pub(super) places: Vec<u32>,
    origin: Origin,
    guard: Test,
    first: bool,
    /// The first slot that is free for temporary values.
    base: Slot,
    /// The next one in this instruction.
    next: Slot,
}

/// Slots that an element of a type takes.
fn slots_of(element: Type) -> u32 {
    element.bits().div_ceil(64).max(1)
}

/// Decodes one function.
pub(super) fn decode(module: &Module, layout: &Layout, names: &DebugStrings, function: &Function, body: &Body) -> Code {
    let name = module.names.get(function.name).to_string();
    let code = Code {
        name,
        kernel: function.kernel,
        defined: true,
        ..Code::default()
    };
    let mut decoder = Decoder {
        module,
        layout,
        function,
        body,
        code,
        numbers: NamedRegisters::of(module, function, body),
        homes: Vec::new(),
        constants: FxHashMap::default(),
        frame: FxHashMap::default(),
        places: vec![u32::MAX; body.labels.len()],
        origin: Origin {
            span: function.span,
            variant: warpsmith_ptx::instruction::VariantId(u32::MAX),
            location: None,
        },
        guard: Test::ALWAYS,
        first: true,
        base: FIRST_SLOT,
        next: 0,
    };
    decoder.code.locations = source_locations(body, names);
    decoder.registers();
    decoder.parameters();
    for statement in &body.statements {
        decoder.statement(statement);
    }
    decoder.finish()
}

/// The `.loc`s of a body.
fn source_locations(body: &Body, names: &DebugStrings) -> Vec<SourceLocation> {
    let located = located(&body.statements).into_iter();
    let locations = located.map(|Located { location, call }| SourceLocation {
        place: (location.file, location.line, location.column),
        function: location.inlined.as_ref().and_then(|inlined| names.text(inlined)),
        call: match (call, &location.inlined) {
            (Some(call), _) => Some(CallLocation::Known(call)),
            (None, Some(at)) => Some(CallLocation::Place(at.file, at.line, at.column)),
            (None, None) => None,
        },
    });
    locations.collect()
}

impl Decoder<'_> {
    fn registers(&mut self) {
        let (mut slots, mut predicates) = (FIRST_SLOT, FIRST_PREDICATE);
        for range in &self.body.registers {
            let mut next = None;
            for number in self.numbers.of_range(range) {
                // Numbers that follow each other need one entry.
                if next != Some(number) {
                    let (names, first, each) = match range.element {
                        Type::Pred => (&mut self.code.predicate_names, predicates, 1),
                        of => (&mut self.code.registers, slots, slots_of(of)),
                    };
                    names.push(RegisterName {
                        first,
                        slots: each * u32::from(range.vector.max(1)),
                        name: self.module.names.get(range.name).to_string(),
                        number: range.count.map(|_| number),
                    });
                }
                next = number.checked_add(1);
                if range.element == Type::Pred {
                    self.homes.push(Home::Predicate(predicates));
                    predicates += u32::from(range.vector.max(1));
                } else {
                    self.homes.push(Home::Slot {
                        first: slots,
                        element: range.element,
                    });
                    slots += slots_of(range.element) * u32::from(range.vector.max(1));
                }
            }
        }
        self.base = slots;
        self.code.slots = slots;
        self.code.predicates = predicates;
    }

    fn parameters(&mut self) {
        let module = self.module;
        let mut register = 0;
        for (result, &id) in (self.function.returns.iter().map(|id| (true, id)))
            .chain(self.function.parameters.iter().map(|id| (false, id)))
        {
            let variable = &module.variables[id.0 as usize];
            if self.function.kernel {
                let Some(Location::Parameter(offset)) = self.layout.location(id) else {
                    continue;
                };
                self.code
                    .kernel_parameters
                    .push((offset, size(variable), alignment(variable)));
                self.code.parameter_bytes = self.code.parameter_bytes.max(offset + size(variable));
                continue;
            }
            let received = if variable.space == warpsmith_ptx::module::Space::Register {
                register += 1;
                match self.homes.get(register - 1) {
                    Some(Home::Predicate(index)) => Received::Predicate(*index),
                    Some(Home::Slot { first, .. }) => Received::Slot {
                        slot: *first,
                        bytes: size(variable) as u32,
                    },
                    None => continue,
                }
            } else {
                Received::Frame {
                    offset: self.frame_offset(id),
                    bytes: size(variable) as u32,
                }
            };
            if result {
                self.code.results.push(received);
            } else {
                self.code.parameters.push(received);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Label(label) => {
                if let LabelKind::Place(_) = self.body.labels[label.0 as usize].kind {
                    self.places[label.0 as usize] = self.code.steps.len() as u32;
                }
            }
            // They are counted as they come.
            Statement::Location(_) => {
                self.origin.location = Some(self.origin.location.map_or(0, |last| last + 1));
            }
            Statement::ScopeStart
            | Statement::ScopeEnd
            | Statement::Registers(_)
            | Statement::Variable(_)
            | Statement::Pragma(..) => {}
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let module = self.module;
        self.origin.span = instruction.span;
        self.origin.variant = instruction.variant;
        self.first = true;
        self.next = self.base;
        self.guard = Test::ALWAYS;
        if let Some(guard) = instruction.guard {
            self.guard = self.register_test(guard.register, guard.negated);
        }
        let variant = &module.variants[instruction.variant.0 as usize];
        let first = instruction.first_operand as usize;
        let operands = &self.body.operands[first..first + instruction.operand_count as usize];
        let before = self.code.steps.len();
        if self.decode(variant, operands).is_err() {
            self.code.steps.truncate(before);
            self.code.origins.truncate(before);
            self.first = true;
            self.push(Op::Unsupported);
        }
        self.code.slots = self.code.slots.max(self.next);
    }

    fn decode(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        if variant.form().uncompiled {
            return Err(Unsupported);
        }
        self.moves(variant, operands)
            .or_else(|| self.integers(variant, operands))
            .or_else(|| self.floats(variant, operands))
            .or_else(|| self.conversions(variant, operands))
            .or_else(|| self.asynchronous(variant, operands))
            .or_else(|| self.tensor_memory(variant, operands))
            .or_else(|| self.memory(variant, operands))
            .or_else(|| self.control(variant, operands))
            .or_else(|| self.synchronisation(variant, operands))
            .or_else(|| self.video(variant, operands))
            .or_else(|| self.textures(variant, operands))
            .or_else(|| self.matrices(variant, operands))
            .unwrap_or(Err(Unsupported))
    }

    fn finish(mut self) -> Code {
        // Falling off the end of a body returns.
        self.guard = Test::ALWAYS;
        self.first = false;
        self.push(Op::Return);
        let places = std::mem::take(&mut self.places);
        control::resolve_targets(&mut self.code, &places);
        self.code.ranks = order::ranks(&self.code);
        let frame = self.code.frame_bytes.checked_next_multiple_of(16).unwrap_or(u32::MAX);
        self.code.frame_bytes = frame;
        self.code
    }

    /// Appends a step under the instruction's guard.
    pub(super) fn push(&mut self, op: Op) {
        self.code.steps.push(Step {
            guard: self.guard,
            op,
            counted: self.first,
        });
        self.code.origins.push(self.origin);
        self.first = false;
    }

    /// A slot that is free until the end of this instruction.
    pub(super) fn temporary(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// A constant.
    pub(super) fn constant(&mut self, value: u64) -> Source {
        let constants = &mut self.code.constants;
        Source::constant(*self.constants.entry(value).or_insert_with(|| {
            constants.push([value; LANES]);
            constants.len() as u32 - 1
        }))
    }

    /// The elements of a nested range.
    pub(super) fn nested(&self, range: OperandRange) -> Vec<Operand> {
        let first = range.first as usize;
        self.body.operands[first..first + range.count as usize].to_vec()
    }

    pub(super) fn home(&self, register: Register) -> Result<Home, Unsupported> {
        let index = self.numbers.index(register).ok_or(Unsupported)?;
        self.homes.get(index).copied().ok_or(Unsupported)
    }

    fn register_test(&mut self, register: Register, negated: bool) -> Test {
        match self.home(register) {
            Ok(Home::Predicate(predicate)) => Test { predicate, negated },
            _ => Test {
                predicate: TRUE,
                negated,
            },
        }
    }

    /// The offset of a variable of the frame.
    pub(super) fn frame_offset(&mut self, id: VariableId) -> u32 {
        if let Some(&offset) = self.frame.get(&id) {
            return offset;
        }
        let variable = &self.module.variables[id.0 as usize];
        let align = alignment(variable).clamp(1, 1 << 20) as u32;
        let aligned = self
            .code
            .frame_bytes
            .checked_next_multiple_of(align.next_power_of_two());
        let offset = aligned.unwrap_or(u32::MAX);
        self.code.frame_bytes = offset.saturating_add(size(variable).min(u64::from(u32::MAX / 4)) as u32);
        self.code.frame_align = self.code.frame_align.max(align);
        self.frame.insert(id, offset);
        offset
    }

    /// The address of a variable in its own space.
    pub(super) fn address_of(&mut self, id: VariableId, offset: i64) -> Source {
        match self.layout.location(id) {
            Some(Location::Global(address) | Location::Constant(address) | Location::Shared(address)) => {
                self.constant(address.wrapping_add_signed(offset))
            }
            Some(Location::Parameter(address)) if self.function.kernel => {
                self.constant(address.wrapping_add_signed(offset))
            }
            Some(Location::Parameter(_)) | None => {
                let start = self.frame_offset(id);
                let d = self.temporary();
                self.push(Op::FrameAddress {
                    d,
                    offset: start.wrapping_add_signed(offset as i32),
                });
                Source::slot(d)
            }
        }
    }

    /// A value read, of a type.
    pub(super) fn value(&mut self, operand: &Operand, of: Type) -> Result<Source, Unsupported> {
        Ok(match *operand {
            Operand::Register(register) => match self.home(register)? {
                Home::Slot { first, .. } => Source::slot(first),
                Home::Predicate(_) => return Err(Unsupported),
            },
            Operand::Component(register, index) => Source::slot(self.component(register, index)?),
            Operand::Special(register, component) => {
                let special = special(register.name(), component.unwrap_or(0)).ok_or(Unsupported)?;
                let d = self.temporary();
                self.push(Op::Special { d, special });
                Source::slot(d)
            }
            Operand::Integer(value, _) => self.constant(integer_constant(value, of)),
            Operand::Double(bits) => self.constant(real_constant(bits, of)),
            Operand::Single(bits) => self.constant(single_constant(bits, of)),
            Operand::Variable(id, offset) => self.address_of(id, offset),
            Operand::Element(id, index, offset) => self.element(id, index, offset)?,
            Operand::Function(id) => self.constant(FUNCTION_BASE + 16 * u64::from(id.0)),
            Operand::Sink => Source::slot(SINK_SLOT),
            Operand::Address(address) if address.offset == 0 => self.base_of(address)?.0,
            Operand::Address(_)
            | Operand::Selected(..)
            | Operand::Not(_)
            | Operand::Negative(..)
            | Operand::Label(_)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::Pair(_)
            | Operand::List(_) => return Err(Unsupported),
        })
    }

    /// `variable[register + constant]` as an address.
    fn element(&mut self, id: VariableId, index: Option<Register>, offset: i64) -> Result<Source, Unsupported> {
        let variable = &self.module.variables[id.0 as usize];
        let bytes = i64::from(variable.element.bits() / 8) * i64::from(variable.vector.max(1));
        let base = self.address_of(id, offset.wrapping_mul(bytes));
        let Some(index) = index else { return Ok(base) };
        let Home::Slot { first, .. } = self.home(index)? else {
            return Err(Unsupported);
        };
        let scale = self.constant(bytes as u64);
        let d = self.temporary();
        self.push(Op::Compute {
            function: super::arithmetic::Function::Whole(
                super::arithmetic::Whole::MultiplyAddLow,
                super::arithmetic::Kind::U64,
            ),
            d,
            a: Source::slot(first),
            b: scale,
            c: base,
        });
        Ok(Source::slot(d))
    }

    /// The base of an address, the offset that remains, and whether addresses are 32 bits wide.
    pub(super) fn base_of(&mut self, address: Address) -> Result<(Source, i64, bool), Unsupported> {
        let offset = address.offset;
        Ok(match address.base {
            AddressBase::Register(register) => match self.home(register)? {
                Home::Slot { first, element } => (Source::slot(first), offset, element.bits() <= 32),
                Home::Predicate(_) => return Err(Unsupported),
            },
            AddressBase::Variable(id) => (self.address_of(id, offset), 0, false),
            AddressBase::Absolute => (self.constant(offset as u64), 0, false),
        })
    }

    /// An address operand: base, offset, whether it is 32 bits wide.
    pub(super) fn address(&mut self, operand: &Operand) -> Result<(Source, i64, bool), Unsupported> {
        match *operand {
            Operand::Address(address) => self.base_of(address),
            Operand::Bracket(range) if range.count == 1 => {
                let inner = self.nested(range);
                self.address(&inner[0])
            }
            Operand::Variable(id, offset) => Ok((self.address_of(id, offset), 0, false)),
            Operand::Element(id, index, offset) => Ok((self.element(id, index, offset)?, 0, false)),
            _ => Ok((self.value(operand, Type::U64)?, 0, false)),
        }
    }

    fn component(&self, register: Register, index: u8) -> Result<Slot, Unsupported> {
        match self.home(register)? {
            Home::Slot { first, element } => Ok(first + u32::from(index) * slots_of(element)),
            Home::Predicate(_) => Err(Unsupported),
        }
    }

    /// A slot written.
    pub(super) fn destination(&mut self, operand: &Operand) -> Result<Slot, Unsupported> {
        match *operand {
            Operand::Register(register) => match self.home(register)? {
                Home::Slot { first, .. } => Ok(first),
                Home::Predicate(_) => Err(Unsupported),
            },
            Operand::Component(register, index) => self.component(register, index),
            Operand::Sink => Ok(SINK_SLOT),
            _ => Err(Unsupported),
        }
    }

    /// Bits of the register of an operand; those of the type where it is no register.
    pub(super) fn width(&self, operand: &Operand, of: Type) -> u32 {
        match *operand {
            Operand::Register(register) | Operand::Component(register, _) => match self.home(register) {
                Ok(Home::Slot { element, .. }) => element.bits(),
                _ => of.bits(),
            },
            _ => of.bits(),
        }
    }

    /// A predicate written.
    pub(super) fn predicate(&mut self, operand: &Operand) -> Result<u32, Unsupported> {
        match *operand {
            Operand::Register(register) => match self.home(register)? {
                Home::Predicate(index) => Ok(index),
                Home::Slot { .. } => Err(Unsupported),
            },
            Operand::Sink => Ok(SINK_PREDICATE),
            _ => Err(Unsupported),
        }
    }

    /// A predicate read.
    pub(super) fn test(&mut self, operand: &Operand) -> Result<Test, Unsupported> {
        Ok(match *operand {
            Operand::Register(register) => self.register_test(register, false),
            Operand::Not(register) => self.register_test(register, true),
            Operand::Integer(value, _) => Test {
                predicate: TRUE,
                negated: value == 0,
            },
            _ => return Err(Unsupported),
        })
    }

    /// A destination that may be followed by `|p`.
    pub(super) fn pair(&mut self, operand: &Operand) -> (Operand, Operand) {
        match *operand {
            Operand::Pair(range) => {
                let both = self.nested(range);
                (both[0], both[1])
            }
            other => (other, Operand::Sink),
        }
    }

    /// The elements of a vector, or the operand itself.
    pub(super) fn elements(&self, operand: &Operand) -> Vec<Operand> {
        match *operand {
            Operand::Vector(range) => self.nested(range),
            other => vec![other],
        }
    }
}

/// An integer constant where a value of this type is read.
fn integer_constant(value: u64, of: Type) -> u64 {
    super::arithmetic::truncated(value, of.bits())
}

fn real_constant(bits: u64, of: Type) -> u64 {
    use warpsmith_numerics::{convert, format};
    let rounded = |to| convert::float_to_float(format::F64, to, convert::Modifiers::default(), bits);
    match of {
        Type::F16 => rounded(format::F16),
        Type::Bf16 => rounded(format::BF16),
        _ if of.bits() == 32 => rounded(format::F32),
        _ => bits,
    }
}

fn single_constant(bits: u32, of: Type) -> u64 {
    use warpsmith_numerics::{convert, format};
    let rounded = |to| convert::float_to_float(format::F32, to, convert::Modifiers::default(), u64::from(bits));
    match of {
        Type::F16 => rounded(format::F16),
        Type::Bf16 => rounded(format::BF16),
        _ if of.bits() == 64 => rounded(format::F64),
        _ => u64::from(bits),
    }
}

fn special(name: &str, component: u8) -> Option<Special> {
    Some(match name {
        "%tid" => Special::ThreadIndex(component),
        "%ntid" => Special::ThreadCount(component),
        "%ctaid" => Special::CtaIndex(component),
        "%nctaid" => Special::CtaCount(component),
        "%clusterid" => Special::ClusterIndex(component),
        "%nclusterid" => Special::ClusterCount(component),
        "%cluster_ctaid" => Special::CtaInCluster(component),
        "%cluster_nctaid" => Special::CtasOfCluster(component),
        "%cluster_ctarank" => Special::CtaRank,
        "%cluster_nctarank" => Special::CtaRanks,
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::WarpCount,
        "%smid" => Special::Multiprocessor,
        "%nsmid" => Special::MultiprocessorCount,
        "%gridid" => Special::Grid,
        "%lanemask_eq" => Special::LaneMaskEqual,
        "%lanemask_le" => Special::LaneMaskLessOrEqual,
        "%lanemask_lt" => Special::LaneMaskLess,
        "%lanemask_ge" => Special::LaneMaskGreaterOrEqual,
        "%lanemask_gt" => Special::LaneMaskGreater,
        "%clock" => Special::Clock,
        "%clock_hi" => Special::ClockHigh,
        "%clock64" => Special::Clock64,
        "%globaltimer" => Special::Timer,
        "%globaltimer_lo" => Special::Clock,
        "%globaltimer_hi" => Special::TimerHigh,
        "%total_smem_size" | "%aggr_smem_size" => Special::SharedSize,
        "%dynamic_smem_size" => Special::DynamicSharedSize,
        // No graph runs here.
        "%current_graph_exec" => Special::Zero,
        _ if name.starts_with("%pm") || name.starts_with("%envreg") || name.starts_with("%reserved_smem") => {
            Special::Zero
        }
        _ => return None,
    })
}

/// Whether a type is signed.
pub(super) fn is_signed(of: Type) -> bool {
    of.kind() == TypeKind::Signed
}

/// Whether a variant is of this opcode and has this modifier.
pub(super) fn first_type(variant: &Variant) -> Result<Type, Unsupported> {
    variant.types().next().ok_or(Unsupported)
}

/// A fault of loading.
pub(super) fn load_fault(message: String) -> Fault {
    Fault::new(FaultKind::Load, message)
}

pub(crate) use float::rounding;

/// Modifiers and opcodes, for the files of this module.
pub(super) use warpsmith_ptx::table::{Modifier as M, Opcode as O};
