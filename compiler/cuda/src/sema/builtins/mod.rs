//! The functions that the compiler itself provides: one table with name, C signature and meaning.
//!
//! A name is looked up with [`find`]; a row's signature is text in C's own notation, read by sema on first use. Three kinds of rows exist: calls of
//! an intrinsic of the SSA IR with the arguments as they are, calls of a function of the device library, and operations that the constant evaluator
//! and code generation know ([`Operation`]). Names that start like a device primitive and have no row are an error by name ([`is_reserved`]).

mod call;
mod device;
mod general;
mod host;
mod matrix;
mod ordered;
mod ordered_call;
mod pointers;
mod refused;
mod signature;
mod surface;
mod toolkit;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::hir::BuiltinId;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// The function's name in the source.
    pub name: &'static str,
    /// Its type in C's notation, such as `float(float, int *)`, or `generic` where arguments of several types are taken.
    pub signature: &'static str,
    /// What a call becomes.
    pub lowering: Lowering,
}

/// What a call of a built-in function becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lowering {
    /// A call of the intrinsic with this name, with the arguments as they are (`bool` as `i1`).
    Intrinsic(&'static str),
    /// A call of the function of the device library with this name and the same signature.
    Library(&'static str),
    /// An atomic operation on a generic address, relaxed, in a scope: pointer first, then the operands (compare-and-swap: expected, desired).
    Atomic(AtomicOperation, AtomicScope),
    /// The same on an object of a size that is no scalar's: pointers to the object, to the operands, and to where the old value goes.
    AtomicObject(AtomicObject, AtomicScope),
    /// An atomic operation whose memory order and scope are its last arguments: constants.
    Ordered(Ordered),
    /// A call of an intrinsic with what pointers point to.
    Fragments(Fragments),
    /// Stores the values of special registers, by the intrinsics that read them, to one pointer each.
    Registers([&'static str; 3]),
    /// There is nothing that a call can become: what is to be said of it.
    Refused(&'static str),
    /// An operation known by itself.
    Operation(Operation),
}

/// Atomic operations on objects that are given by pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomicObject {
    /// The sum of each of so many floats by itself, in global memory.
    AddFloats(u8),
    /// Exchange of 128 bits.
    Exchange,
    /// Compare-and-swap of 128 bits: the expected value, then the desired.
    CompareExchange,
}

/// An atomic operation with a memory order and a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ordered {
    /// What is done.
    pub operation: OrderedOperation,
    /// Operands and result are behind pointers, and so may be of any type of 1, 2, 4, 8 or 16 bytes.
    pub by_pointer: bool,
}

/// Atomic operations that take a memory order and a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the operations
pub enum OrderedOperation {
    Load,
    Store,
    Exchange,
    /// Success and failure each have an order; whether it may fail without reason is passed over.
    CompareExchange,
    Update(Update),
    Fence,
}

/// What an atomic update makes of the old value and the operand; the operand's type says of what kind the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the operations
pub enum Update {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Minimum,
    Maximum,
}

/// A call of an intrinsic whose operands and results are read from and written to where pointers point: matrix fragments, packed numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragments {
    /// The intrinsic's name. `{N:a|b}` is one of the texts between the bars, chosen by the constant that parameter N is; that parameter is not passed on.
    pub intrinsic: &'static str,
    /// How many elements the first parameter receives; 0 if nothing is received, and the first parameter is an operand.
    pub results: u8,
    /// For each operand how many elements are read from the pointer that it is; 0 if it is passed as it is.
    pub operands: &'static [u8],
}

/// The read-modify-write operations of atomics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the operations
pub enum AtomicOperation {
    Add,
    Exchange,
    SignedMinimum,
    SignedMaximum,
    UnsignedMinimum,
    UnsignedMaximum,
    /// `old >= value ? 0 : old + 1`
    Increment,
    /// `old == 0 || old > value ? value : old - 1`
    Decrement,
    And,
    Or,
    Xor,
    CompareExchange,
}

/// The threads that see an atomic operation as atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicScope {
    /// Threads of the block.
    Block,
    /// Threads of the device.
    Device,
    /// All threads of the system, host included.
    System,
}

/// Operations that have a meaning of their own in the constant evaluator and in code generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Absolute value of an integer; the most negative number stays.
    AbsoluteInteger,
    /// `*c = a + b`, and whether the exact sum does not fit.
    AddOverflow,
    /// The address of an lvalue, whatever `operator&` says.
    AddressOf,
    /// Memory on the stack until the function returns.
    Alloca,
    /// The condition holds; otherwise the program is undefined.
    Assume,
    /// The first argument, known to be aligned to the second.
    AssumeAligned,
    /// The same bits in another type of the same size.
    BitCast,
    /// Stops in the debugger.
    Breakpoint,
    /// `fpclassify`: picks one of five integers by the class of the last argument.
    Classify,
    /// The kind of a type as a number.
    ClassifyType,
    /// Whether the argument is a constant expression.
    ConstantP,
    /// An address in constant memory as a generic pointer.
    ConstantToGeneric,
    /// Number of bits after the sign bit that equal it.
    CountLeadingSignBits,
    /// Number of leading zero bits; the width for zero.
    CountLeadingZeros,
    /// Number of one bits.
    CountOnes,
    /// Number of trailing zero bits; the width for zero.
    CountTrailingZeros,
    /// The first argument, which is probably the second.
    Expect,
    /// One more than the index of the lowest one bit; 0 for zero.
    FindFirstSet,
    /// A generic pointer as an address in constant memory.
    GenericToConstant,
    /// A generic pointer as an address in global memory.
    GenericToGlobal,
    /// A generic pointer as an address in local memory.
    GenericToLocal,
    /// A generic pointer as an address in shared memory.
    GenericToShared,
    /// An address in global memory as a generic pointer.
    GlobalToGeneric,
    /// The number whose binary16 bits the argument holds.
    HalfBitsToFloat,
    /// Positive infinity of the result type.
    Infinity,
    /// Whether the call is evaluated while compiling.
    IsConstantEvaluated,
    /// Neither infinite nor NaN.
    IsFinite,
    /// Ordered and greater; quiet.
    IsGreater,
    /// Ordered and greater or equal; quiet.
    IsGreaterEqual,
    /// Infinite, of either sign.
    IsInfinite,
    /// 1 for positive, -1 for negative infinity, else 0.
    IsInfiniteSign,
    /// Ordered and less; quiet.
    IsLess,
    /// Ordered and less or equal; quiet.
    IsLessEqual,
    /// Ordered and not equal; quiet.
    IsLessGreater,
    /// Not a number.
    IsNan,
    /// Neither zero, subnormal, infinite nor NaN.
    IsNormal,
    /// One of both is NaN.
    IsUnordered,
    /// The pointer, with what is known of its object forgotten.
    Launder,
    /// A load from memory that the kernel does not write (`ld.global.nc`).
    LoadReadOnly,
    /// An address in local memory as a generic pointer.
    LocalToGeneric,
    /// Mask if all threads have the same value, with the outcome through the pointer.
    MatchAll,
    /// `memcmp`.
    MemoryCompare,
    /// `memcpy`.
    MemoryCopy,
    /// `memchr`.
    MemoryFind,
    /// `memmove`.
    MemoryMove,
    /// `memset`.
    MemorySet,
    /// `*c = a * b`, and whether the exact product does not fit.
    MultiplyOverflow,
    /// The bytes from an address to the end of its object; all ones, or 0 for kinds 2 and 3, where that is not known.
    ObjectSize,
    /// Calls the `operator delete` that the arguments choose.
    OperatorDelete,
    /// Calls the `operator new` that the arguments choose.
    OperatorNew,
    /// Number of one bits modulo 2.
    Parity,
    /// A hint; nothing is read.
    Prefetch,
    /// A quiet NaN with the payload that the string spells.
    QuietNan,
    /// The bits in the opposite order.
    ReverseBits,
    /// The bytes in the opposite order.
    ReverseBytes,
    /// Rotation to the left.
    RotateLeft,
    /// Rotation to the right.
    RotateRight,
    /// An address in shared memory as a generic pointer.
    SharedToGeneric,
    /// Lanes of one or two vectors, chosen by a vector of integers.
    Shuffle,
    /// Lanes of two vectors, chosen by constants.
    ShuffleConstant,
    /// Whether the sign bit is set.
    SignBit,
    /// A signalling NaN with the payload that the string spells.
    SignallingNan,
    /// The larger of two signed integers.
    SignedMaximum,
    /// The smaller of two signed integers.
    SignedMinimum,
    /// Column of the call; sema replaces it.
    SourceColumn,
    /// File of the call; sema replaces it.
    SourceFile,
    /// Name of the function around the call; sema replaces it.
    SourceFunction,
    /// Line of the call; sema replaces it.
    SourceLine,
    /// `strcmp`.
    StringCompare,
    /// `strlen`.
    StringLength,
    /// `*c = a - b`, and whether the exact difference does not fit.
    SubtractOverflow,
    /// Stops the kernel with an error.
    Trap,
    /// Is never reached; otherwise the program is undefined.
    Unreachable,
    /// The larger of two unsigned integers.
    UnsignedMaximum,
    /// The smaller of two unsigned integers.
    UnsignedMinimum,
    /// `va_copy`.
    VariableCopy,
    /// `va_end`.
    VariableEnd,
    /// `va_start`.
    VariableStart,
}

const fn intrinsic(name: &'static str, signature: &'static str, intrinsic: &'static str) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Intrinsic(intrinsic),
    }
}

const fn library(name: &'static str, signature: &'static str, function: &'static str) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Library(function),
    }
}

const fn operation(name: &'static str, signature: &'static str, operation: Operation) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Operation(operation),
    }
}

const fn fragments(
    name: &'static str,
    signature: &'static str,
    intrinsic: &'static str,
    results: u8,
    operands: &'static [u8],
) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Fragments(Fragments {
            intrinsic,
            results,
            operands,
        }),
    }
}

const fn atomic(name: &'static str, signature: &'static str, what: AtomicOperation, scope: AtomicScope) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Atomic(what, scope),
    }
}

/// The row of a name.
///
/// ```
/// use warpsmith_cuda::sema::builtins;
///
/// let id = builtins::find("__nvvm_brev32").unwrap();
/// assert_eq!(builtins::row(id).signature, "unsigned(unsigned)");
/// ```
pub fn find(name: &str) -> Option<BuiltinId> {
    static BY_NAME: OnceLock<FxHashMap<&'static str, BuiltinId>> = OnceLock::new();
    BY_NAME
        .get_or_init(|| {
            all()
                .enumerate()
                .map(|(index, row)| (row.name, BuiltinId(index as u16)))
                .collect()
        })
        .get(name)
        .copied()
}

/// The tables, each a subject.
const TABLES: [&[Builtin]; 8] = [
    device::DEVICE,
    general::GENERAL,
    ordered::ORDERED,
    pointers::POINTERS,
    matrix::MATRIX,
    refused::REFUSED,
    surface::STORES,
    toolkit::TOOLKIT,
];

/// The row with this id; ids come from [`find`] alone, so that there is one.
pub fn row(id: BuiltinId) -> &'static Builtin {
    let mut index = usize::from(id.0);
    let mut tables = TABLES.iter();
    loop {
        match tables.next() {
            Some(table) if index >= table.len() => index -= table.len(),
            Some(table) => return &table[index],
            None => unreachable!("ids come from `find` alone"),
        }
    }
}

/// All rows, in the table's order.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    TABLES.into_iter().flatten()
}

/// The value of an enumerator that every unit has: the memory orders and thread scopes of `__nv_atomic_…`.
pub fn enumerator(name: &str) -> Option<i128> {
    let place = |prefix, names: &[&str]| -> Option<usize> {
        let rest = name.strip_prefix(prefix)?;
        names.iter().position(|name| *name == rest)
    };
    let orders = ["RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"];
    let scopes = ["THREAD", "BLOCK", "CLUSTER", "DEVICE", "SYSTEM"];
    let value = place("__NV_ATOMIC_", &orders).or_else(|| place("__NV_THREAD_SCOPE_", &scopes))?;
    i128::try_from(value).ok()
}

/// Whether names that start so belong to the compiler, so that one without a row is an error that says so.
pub fn is_reserved(name: &str) -> bool {
    ["__nvvm_", "__builtin_", "__sync_", "__atomic_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = all().map(|row| row.name).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn rows_are_found_by_name() {
        let row = row(find("__nvvm_atom_cta_add_gen_f").unwrap());
        assert_eq!(row.signature, "float(volatile float *, float)");
        assert_eq!(row.lowering, Lowering::Atomic(AtomicOperation::Add, AtomicScope::Block));
        assert!(find("__nvvm_no_such").is_none());
    }
}
