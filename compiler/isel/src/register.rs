//! Registers and operands of the PTX that is written.

use std::fmt;

use smallvec::SmallVec;

/// What a register holds, as its `.reg` declaration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Class {
    /// `.pred`
    Predicate,
    /// `.b16`: integers up to 16 bits, half precision.
    B16,
    /// `.b32`: integers of 17 to 32 bits, pairs of halves.
    B32,
    /// `.b64`: integers of 33 to 64 bits, words of wider ones, pointers.
    B64,
    /// `.b128`: operands of inline assembly and 128-bit atomics only.
    B128,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
}

impl Class {
    /// All classes, in the order of their declarations.
    pub(crate) const ALL: [Class; 7] = [
        Class::Predicate,
        Class::B16,
        Class::B32,
        Class::F32,
        Class::B64,
        Class::F64,
        Class::B128,
    ];

    /// The type in `.reg` declarations.
    pub(crate) const fn declaration(self) -> &'static str {
        match self {
            Class::Predicate => ".pred",
            Class::B16 => ".b16",
            Class::B32 => ".b32",
            Class::B64 => ".b64",
            Class::B128 => ".b128",
            Class::F32 => ".f32",
            Class::F64 => ".f64",
        }
    }

    /// What the names of its registers start with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Class::Predicate => "%p",
            Class::B16 => "%rs",
            Class::B32 => "%r",
            Class::B64 => "%rd",
            Class::B128 => "%rq",
            Class::F32 => "%f",
            Class::F64 => "%fd",
        }
    }

    /// The untyped type of instructions that only move bits.
    pub(crate) const fn bits_type(self) -> &'static str {
        match self {
            Class::Predicate => "pred",
            Class::B16 => "b16",
            Class::B32 | Class::F32 => "b32",
            Class::B64 | Class::F64 => "b64",
            Class::B128 => "b128",
        }
    }

    /// The type of a `mov` from a register of the same class.
    pub(crate) const fn move_type(self) -> &'static str {
        match self {
            Class::F32 => "f32",
            Class::F64 => "f64",
            other => other.bits_type(),
        }
    }

    /// Its size in bits; 1 for predicates.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Class::Predicate => 1,
            Class::B16 => 16,
            Class::B32 | Class::F32 => 32,
            Class::B64 | Class::F64 => 64,
            Class::B128 => 128,
        }
    }

    /// The class of integers of so many bits, at most 64.
    pub(crate) const fn of_integer(bits: u32) -> Class {
        match bits {
            0..=1 => Class::Predicate,
            2..=16 => Class::B16,
            17..=32 => Class::B32,
            _ => Class::B64,
        }
    }

    /// The untyped class of the same size.
    pub(crate) const fn untyped(self) -> Class {
        match self {
            Class::F32 => Class::B32,
            Class::F64 => Class::B64,
            other => other,
        }
    }
}

/// A register: its class and its number, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register {
    /// Its class.
    pub(crate) class: Class,
    /// Its number within the class.
    pub(crate) number: u32,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.prefix(), self.number)
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A register.
    Register(Register),
    /// An integer of a class, sign-extended from its bits. Truth values are 0 and -1.
    Integer(Class, i64),
    /// A single by its bits.
    Single(u32),
    /// A double by its bits.
    Double(u64),
}

impl Operand {
    /// Its class.
    pub(crate) fn class(self) -> Class {
        match self {
            Operand::Register(register) => register.class,
            Operand::Integer(class, _) => class,
            Operand::Single(_) => Class::F32,
            Operand::Double(_) => Class::F64,
        }
    }

    /// The integer, if it is a constant one.
    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Operand::Integer(_, value) => Some(value),
            Operand::Register(_) | Operand::Single(_) | Operand::Double(_) => None,
        }
    }
}

impl From<Register> for Operand {
    fn from(register: Register) -> Operand {
        Operand::Register(register)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Register(register) => register.fmt(f),
            Operand::Integer(_, value) => value.fmt(f),
            Operand::Single(bits) => write!(f, "0f{bits:08X}"),
            Operand::Double(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// The registers and constants that a value of the IR is held in, in the order of its parts.
pub(crate) type Parts = SmallVec<[Operand; 2]>;

/// How many registers of each class a function has.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegisterCounts([u32; 7]);

impl RegisterCounts {
    /// Makes a register.
    pub(crate) fn make(&mut self, class: Class) -> Register {
        let count = &mut self.0[class as usize];
        *count += 1;
        Register { class, number: *count }
    }

    /// Writes the declarations.
    pub(crate) fn declare(&self, text: &mut String) {
        use fmt::Write as _;
        for class in Class::ALL {
            let count = self.0[class as usize];
            if count != 0 {
                // Writing to a string does not fail.
                let _ = writeln!(
                    text,
                    "\t.reg {} \t{}<{}>;",
                    class.declaration(),
                    class.prefix(),
                    count + 1
                );
            }
        }
    }
}
