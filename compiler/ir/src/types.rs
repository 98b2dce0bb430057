//! Types and address spaces.

use crate::arena::entity;

/// An address space of pointers and variables. The numbers are those of LLVM's NVPTX target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct AddressSpace(pub u32);

impl AddressSpace {
    /// Any of the others; what a C++ pointer is.
    pub const GENERIC: AddressSpace = AddressSpace(0);
    /// Device memory, `.global` in PTX.
    pub const GLOBAL: AddressSpace = AddressSpace(1);
    /// Memory of the thread block, `.shared` in PTX.
    pub const SHARED: AddressSpace = AddressSpace(3);
    /// Constant memory, `.const` in PTX.
    pub const CONSTANT: AddressSpace = AddressSpace(4);
    /// Memory of the thread, `.local` in PTX.
    pub const LOCAL: AddressSpace = AddressSpace(5);
    /// Tensor memory, with addresses of 32 bits.
    pub const TENSOR: AddressSpace = AddressSpace(6);
    /// Memory of the thread blocks of a cluster, `.shared::cluster` in PTX.
    pub const SHARED_CLUSTER: AddressSpace = AddressSpace(7);
    /// Parameters of kernels, `.param` in PTX.
    pub const PARAMETER: AddressSpace = AddressSpace(101);
}

entity!(
    /// A vector type; [`Context::vector_parts`](crate::Context::vector_parts) has its parts.
    VectorType, "vector");
entity!(
    /// An array type; [`Context::array_parts`](crate::Context::array_parts) has its parts.
    ArrayType, "array");
entity!(
    /// A structure type; [`Context::struct_data`](crate::Context::struct_data) has its fields. Structures are equal when their fields are: names of
    /// structures are not kept.
    StructType, "struct");
entity!(
    /// The type of a function; [`Context::function_data`](crate::Context::function_data) has its parts.
    FunctionType, "function");

/// A type. Composite types are numbers in the [`Context`](crate::Context) that made them; equal types have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of so many bits, 1 to 2^23.
    Int(u32),
    /// IEEE 754 binary16.
    Half,
    /// bfloat16: the upper half of a `Float`.
    BFloat,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// A pointer into an address space.
    Pointer(AddressSpace),
    /// A vector of integers, floats or pointers.
    Vector(VectorType),
    /// An array.
    Array(ArrayType),
    /// A structure.
    Struct(StructType),
    /// A function: the type that a call calls. No value has it.
    Function(FunctionType),
    /// A block, as an operand.
    Label,
    /// Metadata, as an argument of an intrinsic.
    Metadata,
    /// What ties intrinsics together.
    Token,
}

impl Type {
    /// Truth values and the results of comparisons.
    pub const BOOL: Type = Type::Int(1);
    /// 8 bits.
    pub const I8: Type = Type::Int(8);
    /// 16 bits.
    pub const I16: Type = Type::Int(16);
    /// 32 bits.
    pub const I32: Type = Type::Int(32);
    /// 64 bits.
    pub const I64: Type = Type::Int(64);
    /// 128 bits.
    pub const I128: Type = Type::Int(128);
    /// A generic pointer.
    pub const POINTER: Type = Type::Pointer(AddressSpace::GENERIC);
    /// The widest integer.
    pub const MAXIMUM_INT_BITS: u32 = 1 << 23;

    /// Whether it is an integer (no vector of integers).
    pub fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// Whether it is a float of any format (no vector of floats).
    pub fn is_float(self) -> bool {
        matches!(self, Type::Half | Type::BFloat | Type::Float | Type::Double)
    }

    /// Whether it is a pointer (no vector of pointers).
    pub fn is_pointer(self) -> bool {
        matches!(self, Type::Pointer(_))
    }

    /// Whether it is a vector.
    pub fn is_vector(self) -> bool {
        matches!(self, Type::Vector(_))
    }

    /// Whether it is an array or a structure.
    pub fn is_aggregate(self) -> bool {
        matches!(self, Type::Array(_) | Type::Struct(_))
    }

    /// The bits of an integer.
    pub fn int_bits(self) -> Option<u32> {
        match self {
            Type::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// The address space of a pointer.
    pub fn address_space(self) -> Option<AddressSpace> {
        match self {
            Type::Pointer(space) => Some(space),
            _ => None,
        }
    }
}

/// The fields of a structure type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructData {
    /// The types of the fields.
    pub fields: Box<[Type]>,
    /// Whether fields follow each other without padding and the alignment is 1.
    pub packed: bool,
    /// Bytes with padding at the end: worked out once, as structures may be nested deep.
    pub(crate) size: u64,
    /// The alignment in bytes.
    pub(crate) alignment: u32,
}

/// The parts of a function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionData {
    /// The type of the result, `Void` for none.
    pub result: Type,
    /// The types of the parameters.
    pub parameters: Box<[Type]>,
    /// Whether more arguments may follow.
    pub variadic: bool,
}

/// The parts of a vector or array type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SequenceData {
    /// The type of an element.
    pub element: Type,
    /// How many there are.
    pub length: u64,
}
