//! Memory spaces: accesses through generic addresses become accesses of the space that the address is in.
//!
//! Sources of knowledge are conversions from a space, allocas, variables, and pointer arguments of kernels, which the host made and so point to device
//! memory. Knowledge goes through address computations, phis and choices, around loops too: every generic address starts as "any space", and what
//! it is made from narrows that, until nothing changes. Addresses that are in one space then get a twin in it, which accesses use.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{
    AddressSpace, Callee, CastOp, Constant, ConstantExpression, ConstantId, Flags, Function, Instruction,
    InstructionId, Type, Value,
};

use crate::{edit, intrinsics, pipeline::Unit};

/// What is known of a generic address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing has been seen of what it is made from.
    Open,
    /// It is in this space.
    In(AddressSpace),
    /// It may be in several.
    Any,
}

impl Known {
    fn meet(self, other: Known) -> Known {
        match (self, other) {
            (Known::Open, known) | (known, Known::Open) => known,
            (one, other) if one == other => one,
            _ => Known::Any,
        }
    }
}

/// The spaces that generic addresses of a function are in.
pub(crate) struct Spaces {
    known: FxHashMap<InstructionId, Known>,
    arguments: FxHashMap<u32, AddressSpace>,
}

impl Spaces {
    /// What is known if these arguments are in these spaces.
    pub(crate) fn new(function: &Function, unit: &Unit<'_>, arguments: FxHashMap<u32, AddressSpace>) -> Spaces {
        Spaces {
            known: find(function, unit, &arguments),
            arguments,
        }
    }

    /// The one space that a generic address is in.
    pub(crate) fn of(&self, function: &Function, unit: &Unit<'_>, value: Value) -> Option<AddressSpace> {
        match of_value(function, unit, &self.known, &self.arguments, value) {
            Known::In(space) => Some(space),
            Known::Open | Known::Any => None,
        }
    }
}

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let known = find(function, unit, &FxHashMap::default());
    let mut twins = Twins {
        is_kernel: unit.symbols.functions[function.id()].is_kernel(),
        function,
        unit,
        known,
        made: FxHashMap::default(),
    };
    let users: Vec<InstructionId> = twins.function.all_instructions().collect();
    let mut changed = false;
    for id in users {
        changed |= twins.access(id);
    }
    changed
}

/// The space of each generic address that an instruction makes.
fn find(
    function: &Function,
    unit: &Unit<'_>,
    arguments: &FxHashMap<u32, AddressSpace>,
) -> FxHashMap<InstructionId, Known> {
    let mut known: FxHashMap<InstructionId, Known> = FxHashMap::default();
    let mut work = Vec::new();
    for id in function.all_instructions() {
        if function.result_type(id) == Type::POINTER && is_derived(function.instruction(id)) {
            known.insert(id, Known::Open);
            work.push(id);
        }
    }
    // Each address changes at most twice.
    while let Some(id) = work.pop() {
        let mut new = Known::Open;
        for source in sources(function.instruction(id)) {
            new = new.meet(of_value(function, unit, &known, arguments, source));
        }
        if known.insert(id, new) != Some(new) {
            for user in function.users(Value::Instruction(id)) {
                if known.contains_key(&user) {
                    work.push(user);
                }
            }
        }
    }
    known
}

fn is_derived(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Gep { .. }
            | Instruction::Phi { .. }
            | Instruction::Select { .. }
            | Instruction::Cast {
                op: CastOp::AddrSpaceCast | CastOp::BitCast,
                ..
            }
    )
}

/// The addresses that an address is made from.
fn sources(instruction: &Instruction) -> SmallVec<[Value; 4]> {
    match instruction {
        Instruction::Gep { base, .. } => [*base].into_iter().collect(),
        Instruction::Phi { incoming, .. } => incoming.iter().map(|(_, value)| *value).collect(),
        Instruction::Select { on_true, on_false, .. } => [*on_true, *on_false].into_iter().collect(),
        Instruction::Cast { operand, .. } => [*operand].into_iter().collect(),
        _ => SmallVec::new(),
    }
}

fn of_value(
    function: &Function,
    unit: &Unit<'_>,
    known: &FxHashMap<InstructionId, Known>,
    arguments: &FxHashMap<u32, AddressSpace>,
    value: Value,
) -> Known {
    match function.type_of(value) {
        Type::Pointer(AddressSpace::GENERIC) => {}
        Type::Pointer(
            space @ (AddressSpace::GLOBAL | AddressSpace::SHARED | AddressSpace::CONSTANT | AddressSpace::LOCAL),
        ) => {
            return Known::In(space);
        }
        _ => return Known::Any,
    }
    match value {
        Value::Instruction(id) => match function.instruction(id) {
            Instruction::Alloca { .. } => Known::In(AddressSpace::LOCAL),
            _ => known.get(&id).copied().unwrap_or(Known::Any),
        },
        Value::Argument(number) => {
            if let Some(&space) = arguments.get(&number) {
                return Known::In(space);
            }
            let declaration = &unit.symbols.functions[function.id()];
            let by_value = declaration
                .parameters
                .get(number as usize)
                .is_none_or(|attributes| attributes.byval.is_some());
            match declaration.is_kernel() && !by_value {
                true => Known::In(AddressSpace::GLOBAL),
                false => Known::Any,
            }
        }
        Value::Constant(id) => match function.context().constant(id) {
            // Null is the address 0 of device memory, and of no other space.
            Constant::Null(_) => Known::In(AddressSpace::GLOBAL),
            Constant::Undef(_) | Constant::Poison(_) => Known::Open,
            _ => in_space(function, id).map_or(Known::Any, |(space, _)| Known::In(space)),
        },
    }
}

/// An address constant of the generic space, in the space that it is in.
fn in_space(function: &Function, id: ConstantId) -> Option<(AddressSpace, ConstantId)> {
    let context = function.context();
    match context.constant(id) {
        Constant::Expression(ConstantExpression::Cast {
            op: CastOp::AddrSpaceCast,
            operand,
            ..
        }) => match context.constant_type(*operand) {
            Type::Pointer(space) if space != AddressSpace::GENERIC => Some((space, *operand)),
            _ => in_space(function, *operand),
        },
        Constant::Expression(ConstantExpression::Gep {
            flags,
            source,
            base,
            indices,
        }) => {
            let (space, base) = in_space(function, *base)?;
            Some((space, context.gep_expression(*flags, *source, base, indices)))
        }
        _ => None,
    }
}

/// Addresses in their spaces, made as they are needed.
struct Twins<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
    is_kernel: bool,
    known: FxHashMap<InstructionId, Known>,
    made: FxHashMap<Value, Value>,
}

impl Twins<'_, '_> {
    /// Rewrites the addresses that an instruction accesses, compares or converts.
    fn access(&mut self, id: InstructionId) -> bool {
        match *self.function.instruction(id) {
            Instruction::Load { pointer, .. }
            | Instruction::Store { pointer, .. }
            | Instruction::AtomicRmw { pointer, .. }
            | Instruction::CompareExchange { pointer, .. } => self.replace_address(id, pointer),
            Instruction::Cast {
                op: CastOp::AddrSpaceCast,
                operand,
                ..
            } => self.cast(id, operand),
            Instruction::ICmp { left, right, .. } => self.compare(id, left, right),
            Instruction::Call(_) => self.transfer(id),
            _ => false,
        }
    }

    fn replace_address(&mut self, id: InstructionId, pointer: Value) -> bool {
        let Some(twin) = self.wanted(pointer) else { return false };
        self.function.update(id, |instruction| match instruction {
            Instruction::Load { pointer, .. }
            | Instruction::Store { pointer, .. }
            | Instruction::AtomicRmw { pointer, .. }
            | Instruction::CompareExchange { pointer, .. } => *pointer = twin,
            _ => {}
        });
        true
    }

    /// The twin of an address, if it is known where it is and fuel is left. Accesses of an alloca itself are in local memory as they are.
    fn wanted(&mut self, pointer: Value) -> Option<Value> {
        let Known::In(space) = self.known_of(pointer) else {
            return None;
        };
        let is_alloca = matches!(self.function.definition(pointer), Some(Instruction::Alloca { .. }));
        if is_alloca || self.only_from_allocas(pointer) || !self.unit.fuel.take() {
            return None;
        }
        self.twin(pointer, space)
    }

    /// Whether an address is a constant distance from an alloca: that is as good as the alloca itself.
    fn only_from_allocas(&self, pointer: Value) -> bool {
        let parts = crate::address::decompose(self.function, pointer);
        parts.terms.is_empty() && matches!(self.function.definition(parts.base), Some(Instruction::Alloca { .. }))
    }

    fn known_of(&self, value: Value) -> Known {
        if self.function.type_of(value) != Type::POINTER {
            return Known::Any;
        }
        of_value(self.function, self.unit, &self.known, &FxHashMap::default(), value)
    }

    /// A conversion into the space that the address is in anyway.
    fn cast(&mut self, id: InstructionId, operand: Value) -> bool {
        let Type::Pointer(space) = self.function.result_type(id) else {
            return false;
        };
        if space == AddressSpace::GENERIC || self.known_of(operand) != Known::In(space) {
            return false;
        }
        // What this pass made is such a conversion too.
        let is_source = matches!(operand, Value::Argument(_))
            || matches!(self.function.definition(operand), Some(Instruction::Alloca { .. }));
        if is_source || !self.unit.fuel.take() {
            return false;
        }
        match self.twin(operand, space) {
            Some(twin) => {
                self.function.replace_and_remove(id, twin);
                true
            }
            None => false,
        }
    }

    fn compare(&mut self, id: InstructionId, left: Value, right: Value) -> bool {
        let (Known::In(one), Known::In(other)) = (self.known_of(left), self.known_of(right)) else {
            return false;
        };
        // The constant null is only known to be that of device memory.
        if one != other || left.as_constant().is_some() && right.as_constant().is_some() || !self.unit.fuel.take() {
            return false;
        }
        let (Some(left), Some(right)) = (self.twin(left, one), self.twin(right, one)) else {
            return false;
        };
        self.function.update(id, |instruction| {
            if let Instruction::ICmp { left: a, right: b, .. } = instruction {
                (*a, *b) = (left, right);
            }
        });
        true
    }

    /// `memcpy` and its like, and atomic operations that are intrinsics: types of their addresses are among the overloads.
    fn transfer(&mut self, id: InstructionId) -> bool {
        let Some(call) = self.function.instruction(id).as_call() else {
            return false;
        };
        let arguments = call.arguments.clone();
        // Where the types of the first arguments are among the overloads.
        let overloads: &[usize] = match &call.callee {
            _ if intrinsics::transfer(self.function, id).is_some() => &[0, 1],
            Callee::Intrinsic(intrinsic, _) if intrinsic.name().starts_with("llvm.nvvm.atomic.load.") => &[0],
            Callee::Intrinsic(intrinsic, _) if intrinsic.name().starts_with("llvm.nvvm.atomic.") => &[1],
            _ => return false,
        };
        let mut twins: SmallVec<[(usize, usize, Value); 2]> = SmallVec::new();
        for (index, (&argument, &overload)) in arguments.iter().zip(overloads).enumerate() {
            if let Some(twin) = self.wanted(argument) {
                twins.push((index, overload, twin));
            }
        }
        if twins.is_empty() {
            return false;
        }
        let types: Vec<(usize, Type)> = twins
            .iter()
            .map(|&(_, overload, twin)| (overload, self.function.type_of(twin)))
            .collect();
        let context = self.function.context().clone();
        self.function.update(id, |instruction| {
            let Instruction::Call(call) = instruction else { return };
            for &(index, _, twin) in &twins {
                call.arguments[index] = twin;
            }
            if let Callee::Intrinsic(intrinsic, overloads) = &mut call.callee {
                for &(overload, ty) in &types {
                    overloads[overload] = ty;
                }
                if let Some(ty) = intrinsic.function_type(&context, overloads) {
                    call.ty = ty;
                }
            }
        });
        true
    }

    /// An address in its space.
    fn twin(&mut self, value: Value, space: AddressSpace) -> Option<Value> {
        if let Some(&made) = self.made.get(&value) {
            return Some(made);
        }
        let ty = Type::Pointer(space);
        let twin = match value {
            Value::Constant(id) => self.constant(id, space)?,
            Value::Argument(_) if !self.is_kernel => return None,
            Value::Argument(_) => {
                let entry = self.function.entry()?;
                let first = self.function.first_after_phis(entry)?;
                edit::cast(self.function, first, CastOp::AddrSpaceCast, value, ty)
            }
            Value::Instruction(id) => return self.instruction(id, space, ty),
        };
        self.made.insert(value, twin);
        Some(twin)
    }

    fn constant(&self, id: ConstantId, space: AddressSpace) -> Option<Value> {
        let context = self.function.context();
        Some(Value::Constant(match context.constant(id) {
            Constant::Null(_) => context.null(space),
            Constant::Undef(_) => context.undef(Type::Pointer(space)),
            Constant::Poison(_) => context.poison(Type::Pointer(space)),
            _ => in_space(self.function, id)?.1,
        }))
    }

    fn instruction(&mut self, id: InstructionId, space: AddressSpace, ty: Type) -> Option<Value> {
        let value = Value::Instruction(id);
        let twin = match self.function.instruction(id).clone() {
            Instruction::Alloca { .. } => {
                let next = self.function.next(id)?;
                edit::cast(self.function, next, CastOp::AddrSpaceCast, value, ty)
            }
            Instruction::Cast { operand, .. } if self.function.type_of(operand) == ty => operand,
            Instruction::Cast { operand, .. } => self.twin(operand, space)?,
            Instruction::Gep {
                flags,
                source,
                base,
                indices,
            } => {
                let base = self.twin(base, space)?;
                let gep = Instruction::Gep {
                    flags,
                    source,
                    base,
                    indices,
                };
                edit::insert(self.function, id, gep, ty)
            }
            Instruction::Select {
                flags,
                condition,
                on_true,
                on_false,
            } => {
                let (on_true, on_false) = (self.twin(on_true, space)?, self.twin(on_false, space)?);
                let select = Instruction::Select {
                    flags,
                    condition,
                    on_true,
                    on_false,
                };
                edit::insert(self.function, id, select, ty)
            }
            Instruction::Phi { incoming, .. } => {
                let phi = Instruction::Phi {
                    flags: Flags::NONE,
                    incoming: SmallVec::new(),
                };
                let twin = edit::insert(self.function, id, phi, ty);
                // Its own twin may be needed to make those of its values.
                self.made.insert(value, twin);
                let mut entries: SmallVec<[_; 2]> = SmallVec::new();
                for (from, value) in incoming {
                    let poison = Value::Constant(self.function.context().poison(ty));
                    entries.push((from, self.twin(value, space).unwrap_or(poison)));
                }
                let phi = twin.as_instruction()?;
                self.function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        *incoming = entries;
                    }
                });
                return Some(twin);
            }
            _ => return None,
        };
        self.made.insert(value, twin);
        Some(twin)
    }
}
