//! What a debugger is told beyond lines: types, and where the variables of the source are.
//!
//! The front end makes it for code that is not optimised (`-G`), or the reader of LLVM's assembly of what that says; instruction selection writes it as DWARF. It
//! is no part of the text that a module is written to, and no pass keeps it right: a variable whose memory is gone is one without a place.

use rustc_hash::FxHashMap;

use crate::arena::{Arena, entity};
use crate::context::Symbol;
use crate::function::InstructionId;
use crate::location::LocationId;
use crate::module::{FunctionId, GlobalId};

entity!(
    /// A type of the source language.
    ordered DebugTypeId, "type");
entity!(
    /// A stretch of a function in which variables are known by their names.
    ordered DebugScopeId, "scope");

/// Everything that a debugger is told of a module.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// The path of the source file, as the compiler was given it.
    pub file: String,
    /// The folder that paths are relative to.
    pub directory: String,
    /// The types that are named below.
    pub types: Arena<DebugTypeId, DebugType>,
    /// Variables of namespaces and classes.
    pub variables: Vec<DebugVariable>,
    /// The functions that have a body.
    pub functions: FxHashMap<FunctionId, DebugFunction>,
}

impl DebugInfo {
    /// The files of all declarations, by first mention: of types, then of variables and functions in their order.
    pub fn files(&self) -> impl Iterator<Item = Symbol> + '_ {
        let types = self.types.iter().flat_map(|(_, ty)| match ty {
            DebugType::Record { place, members, .. } => {
                let members = members.iter().map(|member| member.place);
                std::iter::once(*place).chain(members).collect::<Vec<_>>()
            }
            DebugType::Enumeration { place, .. } => vec![*place],
            DebugType::Basic { .. }
            | DebugType::Pointer(_)
            | DebugType::Reference(_)
            | DebugType::Const(_)
            | DebugType::Volatile(_)
            | DebugType::Array(..)
            | DebugType::Function(..) => Vec::new(),
        });
        let mut functions: Vec<_> = self.functions.iter().collect();
        functions.sort_unstable_by_key(|(id, _)| **id);
        let inner = functions.into_iter().flat_map(|(_, function)| {
            let variables = function.variables.iter().map(|variable| variable.place);
            std::iter::once(function.place).chain(variables)
        });
        let outer = self.variables.iter().map(|variable| variable.place);
        types.chain(outer).chain(inner).flatten().map(|place| place.file)
    }
}

/// Where something is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DebugPlace {
    /// The path of the file, as in [`Location`](crate::Location).
    pub file: Symbol,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// How the bits of a basic type are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DebugEncoding {
    /// A truth value.
    Boolean,
    /// A floating-point number.
    Float,
    /// An integer in two's complement.
    Signed,
    /// A character with a sign.
    SignedCharacter,
    /// An integer without sign.
    Unsigned,
    /// A character without sign.
    UnsignedCharacter,
}

/// Which keyword declares a class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DebugRecordKind {
    Structure,
    Class,
    Union,
}

/// A type of the source language. Where another type is left out, it is `void`.
#[derive(Clone, PartialEq, Debug)]
pub enum DebugType {
    /// A number or truth value.
    Basic {
        /// Its name in the source language.
        name: String,
        /// How its bits are read.
        encoding: DebugEncoding,
        /// Its size in bytes.
        size: u64,
    },
    /// A pointer.
    Pointer(Option<DebugTypeId>),
    /// A reference of either kind.
    Reference(Option<DebugTypeId>),
    /// The same, and nothing writes it.
    Const(Option<DebugTypeId>),
    /// The same, and others write it.
    Volatile(Option<DebugTypeId>),
    /// An array, of a number of elements if that is known.
    Array(Option<DebugTypeId>, Option<u64>),
    /// A function: what it returns and takes.
    Function(Option<DebugTypeId>, Vec<DebugTypeId>),
    /// A class, structure or union.
    Record {
        /// Which keyword.
        kind: DebugRecordKind,
        /// Its name; empty for one without.
        name: String,
        /// Where it is declared.
        place: Option<DebugPlace>,
        /// Its size in bytes; `None` if it is not complete.
        size: Option<u64>,
        /// Its bases and their offsets in bytes.
        bases: Vec<(DebugTypeId, u64)>,
        /// Its members in order.
        members: Vec<DebugMember>,
    },
    /// An enumeration.
    Enumeration {
        /// Its name; empty for one without.
        name: String,
        /// Where it is declared.
        place: Option<DebugPlace>,
        /// Its size in bytes.
        size: u64,
        /// Names and values.
        values: Vec<(String, i64)>,
    },
}

/// A member of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct DebugMember {
    /// Its name; empty for one without.
    pub name: String,
    /// Its type.
    pub ty: DebugTypeId,
    /// Where it is declared.
    pub place: Option<DebugPlace>,
    /// Of one that is no bit field: its offset in bytes. Of a bit field: that of the unit of its type that holds it.
    pub offset: u64,
    /// Of a bit field: the number of the lowest bit in the unit, the width in bits, and the size of the unit in bytes.
    pub bits: Option<(u64, u32, u64)>,
}

/// A function of the source.
#[derive(Clone, Debug)]
pub struct DebugFunction {
    /// Its name in the source.
    pub name: String,
    /// Where it is declared.
    pub place: Option<DebugPlace>,
    /// What it returns; `None` for `void`.
    pub result: Option<DebugTypeId>,
    /// Whether other units can call it.
    pub external: bool,
    /// Its scopes, each after the one that it is in. What is in none of them is known in the whole function.
    pub scopes: Arena<DebugScopeId, DebugScope>,
    /// Parameters in order, then local variables.
    pub variables: Vec<DebugVariable>,
}

/// A stretch of a function: a block, or a loop with what its head declares.
#[derive(Clone, Copy, Debug)]
pub struct DebugScope {
    /// The scope that it is in.
    pub parent: Option<DebugScopeId>,
    /// The place of its first token.
    pub first: DebugPlace,
    /// The place of its last token.
    pub last: DebugPlace,
    /// Where the function that it is in was called, if that function's body was copied there.
    pub inlined_at: Option<LocationId>,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct DebugVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DebugTypeId,
    /// Where it is declared.
    pub place: Option<DebugPlace>,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// The scope that it is in; `None` for those of the whole function.
    pub scope: Option<DebugScopeId>,
    /// Its memory.
    pub memory: DebugMemory,
}

/// Where the value of a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugMemory {
    /// In the memory of an `alloca` of the function.
    Local(InstructionId),
    /// A variable of the module.
    Global(GlobalId),
}
