//! The operations, predicates, orderings and flags of instructions, with their names in text.

/// An enumeration whose variants each have a keyword in the text.
macro_rules! keywords {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name { $(#[doc = concat!("`", $text, "`.")] $(#[doc = $doc])* $variant,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The keyword.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The one with the keyword.
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.text())
            }
        }
    };
}

keywords!(
/// An operation of two operands of one type (integers or floats, or vectors of them).
BinaryOp {
    Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
    Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
    FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
});

impl BinaryOp {
    /// Whether the operands are floats.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem
        )
    }

    /// Whether the operands can be exchanged.
    pub fn is_commutative(self) -> bool {
        use BinaryOp::{Add, And, FAdd, FMul, Mul, Or, Xor};
        matches!(self, Add | Mul | And | Or | Xor | FAdd | FMul)
    }

    /// Whether it is a division or remainder of integers, undefined for the divisor 0.
    pub fn is_int_division(self) -> bool {
        matches!(self, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
    }

    /// Whether it is a shift.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)
    }
}

keywords!(
/// A conversion. The operand and the result have as many lanes.
CastOp {
    Trunc = "trunc", ZExt = "zext", SExt = "sext", FPTrunc = "fptrunc", FPExt = "fpext",
    FPToUI = "fptoui", FPToSI = "fptosi", UIToFP = "uitofp", SIToFP = "sitofp",
    PtrToInt = "ptrtoint", IntToPtr = "inttoptr", BitCast = "bitcast", AddrSpaceCast = "addrspacecast",
});

keywords!(
/// A comparison of integers or pointers.
IntPredicate {
    Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
    Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
});

impl IntPredicate {
    /// The predicate that is true where this is false.
    pub fn inverse(self) -> IntPredicate {
        use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        match self {
            Eq => Ne,
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Ult => Uge,
            Ule => Ugt,
            Sgt => Sle,
            Sge => Slt,
            Slt => Sge,
            Sle => Sgt,
        }
    }

    /// The predicate for exchanged operands.
    pub fn swapped(self) -> IntPredicate {
        use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        match self {
            Eq | Ne => self,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Sgt => Slt,
            Sge => Sle,
            Slt => Sgt,
            Sle => Sge,
        }
    }

    /// Whether it reads its operands as signed.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle
        )
    }

    /// Whether it is `eq` or `ne`.
    pub fn is_equality(self) -> bool {
        matches!(self, IntPredicate::Eq | IntPredicate::Ne)
    }
}

keywords!(
/// A comparison of floats. `o…`: and no operand is NaN; `u…`: or one is.
FloatPredicate {
    False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
    Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", Uno = "uno", True = "true",
});

impl FloatPredicate {
    /// The predicate that is true where this is false.
    pub fn inverse(self) -> FloatPredicate {
        use FloatPredicate as P;
        match self {
            P::False => P::True,
            P::Oeq => P::Une,
            P::Ogt => P::Ule,
            P::Oge => P::Ult,
            P::Olt => P::Uge,
            P::Ole => P::Ugt,
            P::One => P::Ueq,
            P::Ord => P::Uno,
            P::Ueq => P::One,
            P::Ugt => P::Ole,
            P::Uge => P::Olt,
            P::Ult => P::Oge,
            P::Ule => P::Ogt,
            P::Une => P::Oeq,
            P::Uno => P::Ord,
            P::True => P::False,
        }
    }

    /// The predicate for exchanged operands.
    pub fn swapped(self) -> FloatPredicate {
        use FloatPredicate as P;
        match self {
            P::Ogt => P::Olt,
            P::Oge => P::Ole,
            P::Olt => P::Ogt,
            P::Ole => P::Oge,
            P::Ugt => P::Ult,
            P::Uge => P::Ule,
            P::Ult => P::Ugt,
            P::Ule => P::Uge,
            P::False | P::Oeq | P::One | P::Ord | P::Ueq | P::Une | P::Uno | P::True => self,
        }
    }
}

keywords!(
/// What an atomic read-modify-write computes of the old value and the operand.
AtomicOp {
    Exchange = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
    Max = "max", Min = "min", UMax = "umax", UMin = "umin",
    FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin", FMaximum = "fmaximum", FMinimum = "fminimum",
    UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap", USubCond = "usub_cond", USubSat = "usub_sat",
});

keywords!(
/// What an atomic access orders.
Ordering {
    Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire", Release = "release",
    AcquireRelease = "acq_rel", SequentiallyConsistent = "seq_cst",
});

keywords!(
/// Which threads an atomic access is atomic among. The text is that of `syncscope("…")`.
Scope {
    #[doc = "All threads of all devices and the host: no `syncscope` in the text."]
    System = "",
    #[doc = "The threads of the device."]
    Device = "device",
    #[doc = "The threads of the cluster."]
    Cluster = "cluster",
    #[doc = "The threads of the thread block."]
    Block = "block",
    #[doc = "The thread itself (signal handlers in LLVM)."]
    Thread = "singlethread",
});

pub(crate) use keywords;

/// A set of flags in a small integer, with the keywords of the text.
macro_rules! flags {
    ($(#[$meta:meta])* $name:ident($integer:ty) { $($(#[doc = $doc:literal])* $constant:ident = $value:literal, $text:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name($integer);

        impl $name {
            /// No flag.
            pub const NONE: $name = $name(0);
            $($(#[doc = $doc])* pub const $constant: $name = $name($value);)+
            /// The flags with their keywords, in the order of the text.
            pub const KEYWORDS: &'static [(&'static str, $name)] = &[$(($text, $name::$constant),)+];

            /// Whether all of `flags` are set.
            pub fn contains(self, flags: $name) -> bool {
                self.0 & flags.0 == flags.0
            }

            /// Whether none is set.
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Those and these.
            pub const fn with(self, flags: $name) -> $name {
                $name(self.0 | flags.0)
            }

            /// These without those.
            pub const fn without(self, flags: $name) -> $name {
                $name(self.0 & !flags.0)
            }

            /// Those that both have.
            pub const fn intersection(self, flags: $name) -> $name {
                $name(self.0 & flags.0)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                self.with(other)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "{{{self}}}")
            }
        }

        /// The keywords, each after a space.
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let set = $name::KEYWORDS.iter().filter(|(_, flag)| self.contains(*flag));
                set.map(|(text, _)| text).try_for_each(|text| write!(formatter, " {text}"))
            }
        }
    };
}

flags!(
/// Promises about an operation. Breaking one makes the result poison (`contract`, `arcp`, `afn` and `reassoc` allow other results instead).
Flags(u16) {
    #[doc = "All of fast-math, in the text."]
    FAST = 0b0111_1111, "fast";
    #[doc = "May be reassociated."]
    REASSOCIATE = 0b0000_0001, "reassoc";
    #[doc = "Operands and result are no NaN."]
    NO_NAN = 0b0000_0010, "nnan";
    #[doc = "Operands and result are no infinity."]
    NO_INFINITY = 0b0000_0100, "ninf";
    #[doc = "The sign of a zero does not matter."]
    NO_SIGNED_ZERO = 0b0000_1000, "nsz";
    #[doc = "A division may be a product with a reciprocal."]
    RECIPROCAL = 0b0001_0000, "arcp";
    #[doc = "May be fused with its operand: `a * b + c` with one rounding."]
    CONTRACT = 0b0010_0000, "contract";
    #[doc = "May be approximate."]
    APPROXIMATE = 0b0100_0000, "afn";
    #[doc = "No unsigned overflow."]
    NO_UNSIGNED_WRAP = 0b1000_0000, "nuw";
    #[doc = "No signed overflow."]
    NO_SIGNED_WRAP = 0b1_0000_0000, "nsw";
    #[doc = "Nothing is lost by a division or right shift."]
    EXACT = 0b10_0000_0000, "exact";
    #[doc = "No bit is set in both operands of `or`."]
    DISJOINT = 0b100_0000_0000, "disjoint";
    #[doc = "The operand of `zext` or `uitofp` is not negative."]
    NON_NEGATIVE = 0b1000_0000_0000, "nneg";
    #[doc = "Both operands of a comparison have the same sign."]
    SAME_SIGN = 0b1_0000_0000_0000, "samesign";
});

impl Flags {
    /// All flags of float operations.
    pub const FAST_MATH: Flags = Flags::FAST;
}

flags!(
/// Promises about an address computation. Breaking one makes the result poison.
GepFlags(u8) {
    #[doc = "Base and result are within one object (or one past its end); implies `nusw`."]
    INBOUNDS = 0b011, "inbounds";
    #[doc = "No overflow, the indices as signed and the address as unsigned."]
    NO_UNSIGNED_SIGNED_WRAP = 0b001, "nusw";
    #[doc = "No overflow, all unsigned."]
    NO_UNSIGNED_WRAP = 0b100, "nuw";
});
