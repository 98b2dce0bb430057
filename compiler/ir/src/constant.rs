//! Constants.

use crate::arena::entity;
use crate::function::BlockId;
use crate::instruction::GepFlags;
use crate::integer::Integer;
use crate::module::{AliasId, FunctionId, GlobalId};
use crate::opcode::{BinaryOp, CastOp};
use crate::types::{AddressSpace, Type};

entity!(
    /// A constant of a [`Context`](crate::Context). Equal constants have equal numbers, as long as they are made by the context's methods, which
    /// bring them to one form. Not to be ordered by: threads may make constants in any order.
    ConstantId, "constant");

/// A constant as a context holds it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// An integer.
    Int(Integer),
    /// A float of type `ty`, as the bits of its format.
    Float {
        /// One of the float types.
        ty: Type,
        /// The bits, zero-extended.
        bits: u64,
    },
    /// The pointer of all zero bits.
    Null(AddressSpace),
    /// An array, structure or vector of nothing but zeros.
    Zero(Type),
    /// Any value, another at each use.
    Undef(Type),
    /// The result of an operation outside of its domain.
    Poison(Type),
    /// An array, structure or vector by its elements.
    Aggregate {
        /// Its type.
        ty: Type,
        /// One for each element or field.
        elements: Box<[ConstantId]>,
    },
    /// An array of `i8` by its bytes.
    Bytes {
        /// Its type.
        ty: Type,
        /// The bytes.
        bytes: Box<[u8]>,
    },
    /// The address of a variable.
    Global {
        /// The variable.
        global: GlobalId,
        /// Its address space.
        space: AddressSpace,
    },
    /// The address of a function.
    Function(FunctionId),
    /// The address of what an alias stands for.
    Alias {
        /// The alias.
        alias: AliasId,
        /// The address space of its target.
        space: AddressSpace,
    },
    /// The address of a block.
    Block {
        /// The function.
        function: FunctionId,
        /// The block of it.
        block: BlockId,
    },
    /// Something computed from addresses.
    Expression(ConstantExpression),
    /// The text of metadata, as an argument of an intrinsic.
    Metadata(Box<str>),
    /// The token that ties nothing.
    NoToken,
}

/// A constant computed from others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstantExpression {
    /// An address inside of an object.
    Gep {
        /// What is promised about the addition.
        flags: GepFlags,
        /// The type that the first index steps over.
        source: Type,
        /// The address that is added to.
        base: ConstantId,
        /// The indices.
        indices: Box<[ConstantId]>,
    },
    /// A conversion of an address or of what was computed of one.
    Cast {
        /// Which.
        op: CastOp,
        /// The operand.
        operand: ConstantId,
        /// The type of the result.
        ty: Type,
    },
    /// Arithmetic on addresses as numbers.
    Binary {
        /// Which.
        op: BinaryOp,
        /// The left operand.
        left: ConstantId,
        /// The right operand.
        right: ConstantId,
    },
}
