//! Intrinsics: operations that are called like functions. All are rows of one table ([`table`]).
//!
//! Operations of `llvm.*` that have no row stay calls of declared functions of that name; [`effects_of_name`] still says what the large
//! families among them (matrix instructions, textures, bulk copies) do.

mod signature;
mod table;

pub use signature::SignatureError;
pub(crate) use signature::mangle;
pub use table::Intrinsic;

use crate::attributes::{FunctionAttributes, MemoryEffects};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    name: &'static str,
    signature: &'static str,
    memory: MemoryEffects,
    properties: &'static str,
}

/// Declares the enumeration and its rows.
macro_rules! intrinsics {
    ($($variant:ident = $name:literal, $signature:literal, $memory:ident, $properties:literal;)+) => {
        /// An intrinsic function. The documentation of each is its name, with overload suffixes left out, and its signature.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Intrinsic { $(#[doc = concat!("`", $name, "`: `", $signature, "`")] $variant,)+ }

        impl Intrinsic {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$variant,)+];
        }

        pub(super) const ROWS: &[super::Row] = &[$(super::Row {
            name: $name,
            signature: $signature,
            memory: crate::attributes::MemoryEffects::$memory,
            properties: $properties,
        },)+];
    };
}
use intrinsics;

impl Intrinsic {
    pub(crate) fn row(self) -> &'static Row {
        &table::ROWS[self as usize]
    }

    /// The name without overload suffixes, such as `llvm.ctpop`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The intrinsic of a name without overload suffixes.
    pub fn from_name(name: &str) -> Option<Intrinsic> {
        static BY_NAME: std::sync::LazyLock<rustc_hash::FxHashMap<&'static str, Intrinsic>> =
            std::sync::LazyLock::new(|| {
                Intrinsic::ALL
                    .iter()
                    .map(|&intrinsic| (intrinsic.name(), intrinsic))
                    .collect()
            });
        BY_NAME.get(name).copied()
    }

    /// What it may do to memory.
    pub fn memory(self) -> MemoryEffects {
        self.row().memory
    }

    /// Whether the threads of a warp or block take part together, so that it must not be made to depend on other conditions.
    pub fn is_convergent(self) -> bool {
        self.row().properties.contains('c')
    }

    /// Whether it can be executed where it would not be: no effect and no undefined behaviour.
    pub fn is_speculatable(self) -> bool {
        self.row().properties.contains('s')
    }

    /// Whether it does not return.
    pub fn is_noreturn(self) -> bool {
        self.row().properties.contains('n')
    }

    /// Whether an argument, counted from 0, is a constant number.
    pub fn is_immediate(self, argument: usize) -> bool {
        u32::try_from(argument)
            .ok()
            .and_then(|argument| char::from_digit(argument, 10))
            .is_some_and(|digit| self.row().properties.contains(digit))
    }

    /// All that the table says, as attributes.
    pub fn attributes(self) -> FunctionAttributes {
        FunctionAttributes {
            memory: self.memory(),
            convergent: self.is_convergent(),
            speculatable: self.is_speculatable(),
            noreturn: self.is_noreturn(),
            nounwind: true,
            willreturn: !self.is_noreturn(),
            nofree: true,
            norecurse: true,
            ..FunctionAttributes::default()
        }
    }
}

/// What a function of an `llvm.*` name that has no row does to memory, and whether it is convergent, by the family that its name begins with.
pub fn effects_of_name(name: &str) -> (MemoryEffects, bool) {
    let Some(rest) = name.strip_prefix("llvm.nvvm.") else {
        return (MemoryEffects::ANY, false);
    };
    let is = |prefix: &str| rest.starts_with(prefix);
    if is("wmma.") {
        let memory = match () {
            () if rest.contains(".load.") => MemoryEffects::READ_ARGUMENTS,
            () if rest.contains(".store.") => MemoryEffects::WRITE_ARGUMENTS,
            () => MemoryEffects::NONE,
        };
        return (memory, true);
    }
    match () {
        () if is("mma.") => (MemoryEffects::NONE, true),
        () if is("ldmatrix.") => (MemoryEffects::READ_ARGUMENTS, true),
        () if is("stmatrix.") => (MemoryEffects::WRITE_ARGUMENTS, true),
        () if is("tex.") || is("tld4.") || is("suld.") => (MemoryEffects::READ, false),
        () if is("sust.") => (MemoryEffects::WRITE, false),
        () if is("read.ptx.sreg.") || is("txq.") || is("suq.") => (MemoryEffects::NONE, false),
        () if is("f2") || is("ff2") || is("ff.to.") || is("add.") || is("sub.") || is("mul.") || is("fma.") => {
            (MemoryEffects::NONE, false)
        }
        () => (MemoryEffects::ANY, true),
    }
}
