//! Types of the programs: scalars, and structures of them.

use super::Generator;

/// A scalar type. Programs call it by [`Type::name`], which their first lines define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    /// The integers without `bool`.
    pub(super) const INTEGERS: [Type; 8] = [
        Type::I8,
        Type::U8,
        Type::I16,
        Type::U16,
        Type::I32,
        Type::U32,
        Type::I64,
        Type::U64,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::I8 => "i8",
            Type::U8 => "u8",
            Type::I16 => "i16",
            Type::U16 => "u16",
            Type::I32 => "i32",
            Type::U32 => "u32",
            Type::I64 => "i64",
            Type::U64 => "u64",
            Type::F32 => "float",
            Type::F64 => "double",
        }
    }

    /// Width in bits; of `bool`, those of its value.
    pub(super) fn bits(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::I8 | Type::U8 => 8,
            Type::I16 | Type::U16 => 16,
            Type::I32 | Type::U32 | Type::F32 => 32,
            Type::I64 | Type::U64 | Type::F64 => 64,
        }
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// The unsigned type in which arithmetic of this one wraps: that of `unsigned` at least.
    pub(super) fn wrapping(self) -> Type {
        if self.bits() == 64 { Type::U64 } else { Type::U32 }
    }
}

/// What a member of a structure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Scalar(Type),
    /// So many bits of a type.
    Bits(Type, u32),
    Array(Type, u32),
    /// A structure declared before.
    Nested(usize),
}

/// A structure: its members are `m0`, `m1` ….
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) name: String,
    pub(super) members: Vec<Member>,
}

impl Structure {
    pub(super) fn has_bit_fields(&self) -> bool {
        self.members.iter().any(|member| matches!(member, Member::Bits(..)))
    }
}

impl Generator {
    pub(super) fn integer_type(&mut self) -> Type {
        match self.below(10) {
            0..3 => Type::I32,
            3..5 => Type::U32,
            _ => Type::INTEGERS[self.below(8) as usize],
        }
    }

    pub(super) fn scalar_type(&mut self) -> Type {
        match self.below(20) {
            0 => Type::Bool,
            1 | 2 if self.features.floats => Type::F32,
            3 | 4 if self.features.floats => Type::F64,
            _ => self.integer_type(),
        }
    }

    /// Declares the structures of the program.
    pub(super) fn declare_structures(&mut self) {
        for index in 0..1 + self.below(3) as usize {
            // Structures of a few bytes are passed in parts of registers.
            let members: Vec<Member> = match self.chance(25) {
                true => (0..1 + self.below(5)).map(|_| self.small_member()).collect(),
                false => (0..1 + self.below(6)).map(|_| self.member(index)).collect(),
            };
            let name = format!("S{index}");
            self.line(&format!("struct {name}"));
            self.line("{");
            for (at, member) in members.iter().enumerate() {
                let line = match *member {
                    Member::Scalar(of) => format!("{} m{at};", of.name()),
                    Member::Bits(of, width) => format!("{} m{at} : {width};", of.name()),
                    Member::Array(of, length) => format!("{} m{at}[{length}];", of.name()),
                    Member::Nested(inner) => format!("S{inner} m{at};"),
                };
                self.line(&line);
            }
            self.line("};");
            self.structures.push(Structure { name, members });
        }
    }

    fn small_member(&mut self) -> Member {
        Member::Scalar(match self.below(8) {
            0 => Type::I16,
            1 => Type::U16,
            2 => Type::Bool,
            3..6 => Type::I8,
            _ => Type::U8,
        })
    }

    fn member(&mut self, index: usize) -> Member {
        match self.below(10) {
            0..3 => {
                let of = match self.below(4) {
                    0 => Type::I32,
                    1 => Type::U32,
                    _ => Type::INTEGERS[self.below(8) as usize],
                };
                Member::Bits(of, 1 + self.below(of.bits()))
            }
            3 => Member::Array(self.scalar_type(), 1 << (1 + self.below(2))),
            4 if index > 0 => Member::Nested(self.below(index as u32) as usize),
            _ => Member::Scalar(self.scalar_type()),
        }
    }
}
