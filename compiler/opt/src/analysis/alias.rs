//! Whether accesses can be to the same memory.
//!
//! Known are: address spaces, of pointer types and of what addresses are computed from; variables, allocas and arguments that are `noalias` or passed by
//! value as objects apart; allocas whose address goes nowhere, which no one else can reach; offsets from a common base; memory that nobody writes.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use warpsmith_ir::{
    AddressSpace, Callee, Constant, Function, Instruction, InstructionId, Intrinsic, Ordering, Symbols, Type, Value,
};

use super::effects;
use crate::{
    address::{self, Decomposed},
    intrinsics::{self, TransferKind},
};

/// Memory that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Where it begins.
    pub pointer: Value,
    /// Bytes; `None`: anything that can be reached from there, before it too.
    pub size: Option<u64>,
    /// The access, of which more may be known than its address: the scopes that it is in, and those that it has nothing to do with.
    pub access: Option<InstructionId>,
}

/// The first number of the scopes that inlining makes. Others, that a module came with, are not looked at: they may be of loops and hold for a round alone.
pub(crate) const OWN_SCOPES: u32 = 1 << 16;

/// How two locations lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They have no byte in common.
    No,
    /// They may have.
    May,
    /// They begin at the same address.
    Must,
}

/// What an instruction does to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Touches {
    /// May read it.
    pub reads: bool,
    /// May write it, or let others do so.
    pub writes: bool,
}

impl Touches {
    const NONE: Touches = Touches {
        reads: false,
        writes: false,
    };
    const BOTH: Touches = Touches {
        reads: true,
        writes: true,
    };
}

/// What an address is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Alloca(InstructionId),
    Global(warpsmith_ir::GlobalId),
    /// An argument that is the only way to its object.
    Own(u32),
    Argument(u32),
    Null,
    /// The result of something, or an address that is computed in another way.
    Other,
}

/// Alias analysis of a function. It remembers what it found; after changes that make addresses go where they did not go before a new one is needed.
#[derive(Debug)]
pub struct Aliases<'a> {
    symbols: &'a Symbols,
    decomposed: RefCell<FxHashMap<Value, Decomposed>>,
    captured: RefCell<FxHashMap<Value, bool>>,
}

/// Addresses merged by phis and choices are followed to this many objects.
const MOST_OBJECTS: usize = 6;
/// Uses of an address that are looked at to see whether it goes anywhere.
const MOST_USES: usize = 256;

impl<'a> Aliases<'a> {
    /// Nothing is known yet.
    pub fn new(symbols: &'a Symbols) -> Aliases<'a> {
        Aliases {
            symbols,
            decomposed: RefCell::default(),
            captured: RefCell::default(),
        }
    }

    /// What an address is computed from.
    pub(crate) fn base(&self, function: &Function, pointer: Value) -> Value {
        self.decompose(function, pointer).base
    }

    fn decompose(&self, function: &Function, pointer: Value) -> Decomposed {
        if let Some(parts) = self.decomposed.borrow().get(&pointer) {
            return parts.clone();
        }
        let parts = address::decompose(function, pointer);
        self.decomposed.borrow_mut().insert(pointer, parts.clone());
        parts
    }

    /// The objects that an address may be in, through phis and choices; `None` if they are too many.
    fn objects(&self, function: &Function, base: Value) -> Option<SmallVec<[Value; 4]>> {
        let mut found: SmallVec<[Value; 4]> = SmallVec::new();
        let mut seen: SmallVec<[Value; 8]> = smallvec![base];
        let mut work: SmallVec<[Value; 8]> = smallvec![base];
        while let Some(value) = work.pop() {
            let mut follow = |value: Value| {
                let base = self.decompose(function, value).base;
                if !seen.contains(&base) {
                    seen.push(base);
                    work.push(base);
                }
            };
            match function.definition(value) {
                Some(Instruction::Phi { incoming, .. }) => incoming.iter().for_each(|(_, value)| follow(*value)),
                Some(Instruction::Select { on_true, on_false, .. }) => {
                    follow(*on_true);
                    follow(*on_false);
                }
                _ => found.push(value),
            }
            if found.len() > MOST_OBJECTS || seen.len() > 4 * MOST_OBJECTS {
                return None;
            }
        }
        Some(found)
    }

    /// The bases of the objects that an address may be in; `None` if they are too many.
    pub(crate) fn origins(&self, function: &Function, pointer: Value) -> Option<SmallVec<[Value; 4]>> {
        self.objects(function, self.decompose(function, pointer).base)
    }

    fn object(&self, function: &Function, base: Value) -> Object {
        match base {
            Value::Argument(number) => {
                let parameters = &self.symbols.functions[function.id()].parameters;
                match parameters.get(number as usize) {
                    Some(attributes) if attributes.noalias || attributes.byval.is_some() => Object::Own(number),
                    _ => Object::Argument(number),
                }
            }
            Value::Instruction(id) => match function.instruction(id) {
                Instruction::Alloca { .. } => Object::Alloca(id),
                _ => Object::Other,
            },
            Value::Constant(id) => match function.context().constant(id) {
                Constant::Global { global, .. } => Object::Global(*global),
                Constant::Null(_) => Object::Null,
                _ => Object::Other,
            },
        }
    }

    /// The address space that an address is in, if that is known.
    pub fn space(&self, function: &Function, pointer: Value) -> Option<AddressSpace> {
        let of_type = |value: Value| match function.type_of(value) {
            Type::Pointer(space) if space != AddressSpace::GENERIC => Some(space),
            _ => None,
        };
        let base = self.decompose(function, pointer).base;
        of_type(pointer)
            .or_else(|| of_type(base))
            .or_else(|| match self.object(function, base) {
                Object::Alloca(_) => Some(AddressSpace::LOCAL),
                Object::Global(global) => Some(self.symbols.globals[global].space),
                // What the host hands to a kernel is in device memory.
                Object::Own(number) | Object::Argument(number) => {
                    let declaration = &self.symbols.functions[function.id()];
                    let by_value = declaration
                        .parameters
                        .get(number as usize)
                        .is_some_and(|all| all.byval.is_some());
                    (declaration.is_kernel() && !by_value).then_some(AddressSpace::GLOBAL)
                }
                Object::Null | Object::Other => None,
            })
    }

    /// How two locations lie.
    pub fn alias(&self, function: &Function, a: &Location, b: &Location) -> Alias {
        if a.pointer == b.pointer {
            return Alias::Must;
        }
        if let (Some(one), Some(other)) = (a.access, b.access)
            && (apart_by_scopes(function, one, other) || apart_by_scopes(function, other, one))
        {
            return Alias::No;
        }
        if let (Some(one), Some(other)) = (self.space(function, a.pointer), self.space(function, b.pointer))
            && spaces_differ(one, other)
        {
            return Alias::No;
        }
        let (first, second) = (self.decompose(function, a.pointer), self.decompose(function, b.pointer));
        if first.base == second.base {
            return by_offsets(&first, a.size, &second, b.size);
        }
        let (Some(left), Some(right)) = (self.objects(function, first.base), self.objects(function, second.base))
        else {
            return Alias::May;
        };
        let apart = left
            .iter()
            .all(|&one| right.iter().all(|&other| self.apart(function, one, other)));
        if apart { Alias::No } else { Alias::May }
    }

    /// Whether two bases are of different objects.
    fn apart(&self, function: &Function, one: Value, other: Value) -> bool {
        if one == other {
            return false;
        }
        let (a, b) = (self.object(function, one), self.object(function, other));
        if let (Some(space), Some(other_space)) = (self.space(function, one), self.space(function, other))
            && spaces_differ(space, other_space)
        {
            return true;
        }
        match (a, b) {
            (Object::Null, _) | (_, Object::Null) => true,
            (Object::Alloca(one), Object::Alloca(other)) => one != other,
            (Object::Global(one), Object::Global(other)) => one != other,
            (Object::Alloca(_), Object::Global(_)) | (Object::Global(_), Object::Alloca(_)) => true,
            // An alloca is younger than the arguments.
            (Object::Alloca(_), Object::Own(_) | Object::Argument(_))
            | (Object::Own(_) | Object::Argument(_), Object::Alloca(_)) => true,
            (Object::Own(one), Object::Own(other)) => one != other,
            (Object::Own(_), Object::Argument(_) | Object::Global(_))
            | (Object::Argument(_) | Object::Global(_), Object::Own(_)) => true,
            (Object::Alloca(_) | Object::Own(_), Object::Other) => !self.is_captured(function, one),
            (Object::Other, Object::Alloca(_) | Object::Own(_)) => !self.is_captured(function, other),
            _ => false,
        }
    }

    /// Whether an address may be found by others: it is stored, passed on, or turned into a number.
    pub fn is_captured(&self, function: &Function, base: Value) -> bool {
        if let Some(&known) = self.captured.borrow().get(&base) {
            return known;
        }
        let captured = self.find_capture(function, base);
        self.captured.borrow_mut().insert(base, captured);
        captured
    }

    fn find_capture(&self, function: &Function, base: Value) -> bool {
        let mut seen: SmallVec<[Value; 16]> = smallvec![base];
        let mut work: SmallVec<[Value; 16]> = smallvec![base];
        let mut budget = MOST_USES;
        while let Some(address) = work.pop() {
            for user in function.users(address) {
                budget = match budget.checked_sub(1) {
                    Some(left) => left,
                    None => return true,
                };
                let follow = match function.instruction(user) {
                    Instruction::Load { .. } | Instruction::ICmp { .. } => false,
                    Instruction::Store { value, .. } if *value != address => false,
                    Instruction::AtomicRmw { value, .. } if *value != address => false,
                    Instruction::CompareExchange { expected, new, .. } if *expected != address && *new != address => {
                        false
                    }
                    Instruction::Gep { .. } | Instruction::Phi { .. } | Instruction::Select { .. } => true,
                    Instruction::Cast { .. } if function.result_type(user).is_pointer() => true,
                    Instruction::Call(call) if !captures(self.symbols, call, address) => false,
                    _ => return true,
                };
                let result = Value::Instruction(user);
                if follow && !seen.contains(&result) {
                    seen.push(result);
                    work.push(result);
                }
            }
        }
        false
    }

    /// Whether nothing writes a location while the function runs.
    pub fn is_invariant(&self, function: &Function, pointer: Value) -> bool {
        let base = self.decompose(function, pointer).base;
        let Some(objects) = self.objects(function, base) else {
            return false;
        };
        let is_fixed = |&base: &Value| match self.object(function, base) {
            Object::Global(global) => {
                let global = &self.symbols.globals[global];
                global.constant || global.space == AddressSpace::CONSTANT
            }
            Object::Own(number) => {
                let attributes = self.symbols.functions[function.id()].parameters.get(number as usize);
                attributes.is_some_and(|all| all.readonly && all.noalias || all.grid_constant)
            }
            _ => matches!(
                function.type_of(base),
                Type::Pointer(AddressSpace::CONSTANT | AddressSpace::PARAMETER)
            ),
        };
        objects.iter().all(is_fixed)
    }

    /// Whether only this thread can know the location: an alloca whose address goes nowhere.
    pub fn is_private(&self, function: &Function, pointer: Value) -> bool {
        let base = self.decompose(function, pointer).base;
        let Some(objects) = self.objects(function, base) else {
            return false;
        };
        objects
            .iter()
            .all(|&base| matches!(self.object(function, base), Object::Alloca(_)) && !self.is_captured(function, base))
    }

    /// What an instruction does to a location.
    pub fn touches(&self, function: &Function, id: InstructionId, location: &Location) -> Touches {
        let access = Some(id);
        let same = |pointer: Value, size: Option<u64>| {
            self.alias(function, &Location { pointer, size, access }, location) != Alias::No
        };
        let context = function.context();
        let sized = |ty: Type| Some(context.store_size(ty));
        match function.instruction(id) {
            Instruction::Load { pointer, access } => {
                let orders = access.atomic.is_some_and(|atomic| orders(atomic.ordering));
                if orders {
                    return self.of_synchronisation(function, location);
                }
                Touches {
                    reads: same(*pointer, sized(function.result_type(id))),
                    writes: false,
                }
            }
            Instruction::Store { pointer, value, access } => {
                if access.atomic.is_some_and(|atomic| orders(atomic.ordering)) {
                    return self.of_synchronisation(function, location);
                }
                Touches {
                    reads: false,
                    writes: same(*pointer, sized(function.type_of(*value)))
                        && !self.is_invariant(function, location.pointer),
                }
            }
            Instruction::AtomicRmw {
                pointer, value, atomic, ..
            } => self.of_atomic(function, location, *pointer, function.type_of(*value), atomic.ordering),
            Instruction::CompareExchange {
                pointer, new, atomic, ..
            } => self.of_atomic(function, location, *pointer, function.type_of(*new), atomic.ordering),
            Instruction::Fence(_) => self.of_synchronisation(function, location),
            Instruction::Call(_) => self.of_call(function, id, location),
            _ => Touches::NONE,
        }
    }

    fn of_atomic(
        &self,
        function: &Function,
        location: &Location,
        pointer: Value,
        ty: Type,
        ordering: Ordering,
    ) -> Touches {
        if orders(ordering) {
            return self.of_synchronisation(function, location);
        }
        let size = Some(function.context().store_size(ty));
        let access = None;
        match self.alias(function, &Location { pointer, size, access }, location) {
            Alias::No => Touches::NONE,
            _ => Touches::BOTH,
        }
    }

    /// After a synchronisation other threads' writes are seen.
    fn of_synchronisation(&self, function: &Function, location: &Location) -> Touches {
        if self.is_private(function, location.pointer) || self.is_invariant(function, location.pointer) {
            Touches::NONE
        } else {
            Touches::BOTH
        }
    }

    fn of_call(&self, function: &Function, id: InstructionId, location: &Location) -> Touches {
        let Some(call) = function.instruction(id).as_call() else {
            return Touches::NONE;
        };
        let effects = effects::of_call(self.symbols, call).memory;
        if effects.is_none() {
            return Touches::NONE;
        }
        let same = |pointer: Value, size: Option<u64>| {
            let access = None;
            self.alias(function, &Location { pointer, size, access }, location) != Alias::No
        };
        if let Some(transfer) = intrinsics::transfer(function, id) {
            let size = address::constant_int(function, transfer.length).and_then(|size| u64::try_from(size).ok());
            let reads = match transfer.kind {
                TransferKind::Copy { source } | TransferKind::Move { source } => same(source, size),
                TransferKind::Fill { .. } => false,
            };
            return Touches {
                reads,
                writes: same(transfer.destination, size),
            };
        }
        if matches!(
            call.intrinsic(),
            Some(Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd)
        ) {
            let writes = call.arguments.last().is_some_and(|&pointer| same(pointer, None));
            return Touches { reads: false, writes };
        }
        let [arguments, _, other] = effects.parts();
        let mut bits = 0;
        if arguments != 0 {
            let pointers = call
                .arguments
                .iter()
                .filter(|&&argument| function.type_of(argument).is_pointer());
            if pointers.into_iter().any(|&pointer| same(pointer, None)) {
                bits |= arguments;
            }
        }
        if other != 0 && !self.is_private(function, location.pointer) {
            bits |= other;
        }
        let invariant = self.is_invariant(function, location.pointer);
        Touches {
            reads: bits & 1 != 0,
            writes: bits & 2 != 0 && !invariant,
        }
    }
}

/// Whether all scopes that an access is in are ones that another has nothing to do with.
fn apart_by_scopes(function: &Function, one: InstructionId, other: InstructionId) -> bool {
    let (Some(one), Some(other)) = (function.attachments(one), function.attachments(other)) else {
        return false;
    };
    let inside = &one.alias_scopes;
    !inside.is_empty() && (inside.iter()).all(|scope| *scope >= OWN_SCOPES && other.noalias_scopes.contains(scope))
}

/// Whether an ordering lets other accesses see more than its own.
fn orders(ordering: Ordering) -> bool {
    !matches!(ordering, Ordering::Unordered | Ordering::Monotonic)
}

/// Whether a call keeps or hands on an address that is an argument.
fn captures(symbols: &Symbols, call: &warpsmith_ir::Call, address: Value) -> bool {
    let declared = match &call.callee {
        Callee::Function(callee) => Some(&symbols.functions[*callee].parameters),
        Callee::Intrinsic(..) => {
            // Those on memory use their addresses and forget them.
            let result_is_pointer = !matches!(effects::of_call(symbols, call).memory.parts(), [_, _, 0]);
            return result_is_pointer || !is_on_memory(call);
        }
        _ => None,
    };
    if matches!(&call.callee, Callee::Indirect(callee) if *callee == address) {
        return true;
    }
    call.arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| **argument == address)
        .any(|(index, _)| {
            let kept = |all: Option<&warpsmith_ir::ParameterAttributes>| {
                all.is_some_and(|all| all.nocapture || all.byval.is_some())
            };
            !kept(declared.and_then(|all| all.get(index))) && !kept(call.argument_attributes.get(index))
        })
}

fn is_on_memory(call: &warpsmith_ir::Call) -> bool {
    matches!(
        call.intrinsic(),
        Some(
            Intrinsic::Memcpy
                | Intrinsic::MemcpyInline
                | Intrinsic::Memmove
                | Intrinsic::Memset
                | Intrinsic::MemsetInline
                | Intrinsic::LifetimeStart
                | Intrinsic::LifetimeEnd
                | Intrinsic::NvvmLdgGlobalI
                | Intrinsic::NvvmLdgGlobalF
                | Intrinsic::NvvmLdgGlobalP
        )
    )
}

/// Whether no byte is in both spaces. Generic is all of them; shared memory of the cluster has that of the block in it.
fn spaces_differ(one: AddressSpace, other: AddressSpace) -> bool {
    let generic = AddressSpace::GENERIC;
    let shared = |space| space == AddressSpace::SHARED || space == AddressSpace::SHARED_CLUSTER;
    one != other && one != generic && other != generic && !(shared(one) && shared(other))
}

/// Two addresses from one base.
fn by_offsets(a: &Decomposed, a_size: Option<u64>, b: &Decomposed, b_size: Option<u64>) -> Alias {
    let (Some(a_size), Some(b_size)) = (a_size, b_size) else {
        return Alias::May;
    };
    let difference = b.offset.wrapping_sub(a.offset);
    let mut terms: SmallVec<[(Value, i64); 4]> = a.terms.iter().copied().collect();
    for &(value, scale) in &b.terms {
        match terms.iter_mut().find(|(term, _)| *term == value) {
            Some((_, sum)) => *sum = sum.wrapping_sub(scale),
            None => terms.push((value, scale.wrapping_neg())),
        }
    }
    terms.retain(|(_, scale)| *scale != 0);
    if terms.is_empty() {
        if difference == 0 {
            return Alias::Must;
        }
        // The one that begins first ends before the other begins.
        let (size, gap) = if difference > 0 {
            (a_size, difference as u64)
        } else {
            (b_size, difference.unsigned_abs())
        };
        return if size <= gap { Alias::No } else { Alias::May };
    }
    // b - a is the difference modulo the common divisor of the scales (a power of two, since addresses wrap).
    let zeros = terms
        .iter()
        .map(|(_, scale)| scale.trailing_zeros())
        .min()
        .unwrap_or(0)
        .min(32);
    let modulus = 1u64 << zeros;
    let distance = difference.rem_euclid(modulus as i64) as u64;
    if distance >= a_size && modulus - distance >= b_size {
        Alias::No
    } else {
        Alias::May
    }
}

/// The location that a load or store accesses.
pub fn location(function: &Function, id: InstructionId) -> Option<Location> {
    let (pointer, ty) = match function.instruction(id) {
        Instruction::Load { pointer, .. } => (*pointer, function.result_type(id)),
        Instruction::Store { pointer, value, .. } => (*pointer, function.type_of(*value)),
        Instruction::AtomicRmw { pointer, value, .. } => (*pointer, function.type_of(*value)),
        Instruction::CompareExchange { pointer, new, .. } => (*pointer, function.type_of(*new)),
        _ => return None,
    };
    Some(Location {
        pointer,
        size: Some(function.context().store_size(ty)),
        access: Some(id),
    })
}
