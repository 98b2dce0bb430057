//! The rules of `rules.tbl` as data: letters numbered, rules sorted by the operation at their root. The build script reads the table; what its names mean is
//! said here, by functions that are evaluated when this is compiled: a name that means nothing is an error then.

use warpsmith_ir::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// What an instruction does, as far as rules tell instructions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Binary(BinaryOp),
    Cast(CastOp),
    CompareInt,
    CompareFloat,
    Select,
    Negate,
    /// Minimum, maximum and absolute value, which are calls of intrinsics.
    Known(KnownCall),
    /// In replacements: a function of constants.
    Function(ConstantFunction),
}

/// Intrinsics that rules know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum KnownCall {
    SignedMinimum,
    SignedMaximum,
    UnsignedMinimum,
    UnsignedMaximum,
    Absolute,
}

/// Functions of constants that are no instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ConstantFunction {
    /// The place of the only bit.
    Log2,
    /// As many low bits set as the type has.
    LowMask,
    /// One divided by a float.
    Reciprocal,
}

/// The predicate of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    Int(IntPredicate),
    Float(FloatPredicate),
    /// The letter `P`: any in a pattern, the matched one in a replacement.
    Any(Change),
}

/// What is done with the matched predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Same,
    Swap,
    Not,
    Unsigned,
}

/// Part of a pattern or replacement. Slots number the letters of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Value { slot: u8, ty: Option<u8> },
    Constant { slot: u8, ty: Option<u8> },
    Float { slot: u8 },
    Number(i128),
    NegativeZero,
    Node(&'static Shape),
}

/// An instruction of a pattern or replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) operation: Operation,
    pub(super) predicate: Option<Predicate>,
    pub(super) flags: Flags,
    /// In a replacement: the flags of the instruction that is replaced.
    pub(super) same_flags: bool,
    pub(super) one_use: bool,
    pub(super) ty: Option<u8>,
    pub(super) operands: &'static [Part],
}

/// What a condition speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Value(u8),
    Constant(u8),
    Float(u8),
    Type(u8),
    Number(u32),
    Predicate,
}

/// Declares the conditions with their names in the table.
macro_rules! conditions {
    ($($name:literal => $variant:ident,)+) => {
        /// What must hold beyond the shape. The meaning is in `matching::holds`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Condition { $($variant,)+ }

        impl Condition {
            /// The conditions with their names.
            const NAMED: &'static [(&'static str, Condition)] = &[$(($name, Condition::$variant),)+];
        }
    };
}

conditions! {
    "wider" => Wider,
    "width-is" => WidthIs,
    "wider-type" => WiderType,
    "same-type" => SameType,
    "free-to-narrow" => FreeToNarrow,
    "float-holds" => FloatHolds,
    "constant" => IsConstant,
    "not-constant" => IsNotConstant,
    "no-common-bits" => NoCommonBits,
    "not-negative" => NotNegative,
    "known-zero-outside" => KnownZeroOutside,
    "known-zero-in" => KnownZeroIn,
    "shifted-stays" => ShiftedStays,
    "power-of-two" => PowerOfTwo,
    "not-negative-constant" => NotNegativeConstant,
    "not-zero" => NotZero,
    "not-all-ones" => NotAllOnes,
    "not-signed-greatest" => NotSignedGreatest,
    "not-signed-least" => NotSignedLeast,
    "sign-bit" => SignBit,
    "in-range" => InRange,
    "amounts-fit" => AmountsFit,
    "amounts-exceed" => AmountsExceed,
    "greater" => Greater,
    "not-less" => NotLess,
    "covers" => Covers,
    "no-constant-bits" => NoConstantBits,
    "no-unsigned-overflow" => NoUnsignedOverflow,
    "no-shift-overflow" => NoShiftOverflow,
    "no-signed-overflow-sub" => NoSignedOverflowSub,
    "log2-at-most" => Log2AtMost,
    "fits-unsigned" => FitsUnsigned,
    "fits-signed" => FitsSigned,
    "low-mask-of" => LowMaskOf,
    "at-least-width" => AtLeastWidth,
    "less-than-width" => LessThanWidth,
    "successor" => Successor,
    "successor-unsigned" => SuccessorUnsigned,
    "exact-reciprocal" => ExactReciprocal,
    "signed" => Signed,
    "unsigned" => Unsigned,
    "equality" => Equality,
    "signed-or-equality" => SignedOrEquality,
}

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The line of the table, for messages of the tests.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) line: usize,
    pub(super) pattern: &'static Shape,
    pub(super) replacement: Part,
    pub(super) conditions: &'static [(Condition, &'static [Argument])],
}

/// An operand of the instruction at the root of a pattern or of one that it is tried on, as far as it tells that the pattern cannot match: the number of
/// the operation that makes it, or one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight(u8);

impl Sight {
    /// Of patterns alone: whatever it is.
    pub(super) const ANY: Sight = Sight(u8::MAX);
    /// A constant.
    pub(super) const CONSTANT: Sight = Sight(u8::MAX - 1);
    /// Nothing that a pattern asks for.
    pub(super) const OTHER: Sight = Sight(u8::MAX - 2);

    /// The result of an operation.
    pub(super) const fn of(operation: Operation) -> Sight {
        Sight(operation.index() as u8)
    }

    /// Whether an operand that looks so may be what a pattern asks for.
    pub(super) fn takes(self, operand: Sight) -> bool {
        self == Sight::ANY || self == operand
    }
}

/// Rules with the same operation at their root, in the order of the table.
#[derive(Clone, Copy)]
pub(super) struct Group {
    operation: Operation,
    /// For each rule, what the operands of the root are. Few rules pass a look at these alone, so that they lie together.
    pub(super) sights: &'static [[Sight; 3]],
    pub(super) rules: &'static [Rule],
}

/// The rules whose root does this.
pub(super) fn rules_of(operation: Operation) -> Group {
    BY_OPERATION[operation.index()]
}

/// The rules of each operation, by its number.
static BY_OPERATION: [Group; Operation::COUNT] = {
    let none = Group {
        operation: Operation::Select,
        sights: &[],
        rules: &[],
    };
    let mut table = [none; Operation::COUNT];
    let mut at = 0;
    while at < RULES.len() {
        table[RULES[at].operation.index()] = RULES[at];
        at += 1;
    }
    table
};

impl Operation {
    const CASTS: usize = BinaryOp::ALL.len();
    const OTHERS: usize = Operation::CASTS + CastOp::ALL.len();
    const COUNT: usize = Operation::OTHERS + 10;

    /// A number of its own; those that are no instruction share one.
    const fn index(self) -> usize {
        match self {
            Operation::Binary(op) => op as usize,
            Operation::Cast(op) => Operation::CASTS + op as usize,
            Operation::CompareInt => Operation::OTHERS,
            Operation::CompareFloat => Operation::OTHERS + 1,
            Operation::Select => Operation::OTHERS + 2,
            Operation::Negate => Operation::OTHERS + 3,
            Operation::Known(call) => Operation::OTHERS + 4 + call as usize,
            Operation::Function(_) => Operation::OTHERS + 9,
        }
    }
}

/// Whether two texts are the same.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// The operation of a name.
const fn operation(name: &str) -> Operation {
    const OTHERS: [(&str, Operation); 12] = [
        ("icmp", Operation::CompareInt),
        ("fcmp", Operation::CompareFloat),
        ("select", Operation::Select),
        ("fneg", Operation::Negate),
        ("smin", Operation::Known(KnownCall::SignedMinimum)),
        ("smax", Operation::Known(KnownCall::SignedMaximum)),
        ("umin", Operation::Known(KnownCall::UnsignedMinimum)),
        ("umax", Operation::Known(KnownCall::UnsignedMaximum)),
        ("abs", Operation::Known(KnownCall::Absolute)),
        ("log2", Operation::Function(ConstantFunction::Log2)),
        ("low-mask", Operation::Function(ConstantFunction::LowMask)),
        ("reciprocal", Operation::Function(ConstantFunction::Reciprocal)),
    ];
    let mut at = 0;
    while at < OTHERS.len() {
        if same(OTHERS[at].0, name) {
            return OTHERS[at].1;
        }
        at += 1;
    }
    at = 0;
    while at < BinaryOp::ALL.len() {
        if same(BinaryOp::ALL[at].text(), name) {
            return Operation::Binary(BinaryOp::ALL[at]);
        }
        at += 1;
    }
    at = 0;
    while at < CastOp::ALL.len() {
        if same(CastOp::ALL[at].text(), name) {
            return Operation::Cast(CastOp::ALL[at]);
        }
        at += 1;
    }
    panic!("rules.tbl has an unknown operation")
}

/// The predicate of a name, for a comparison.
const fn predicate(operation: Operation, change: Change, name: &str) -> Predicate {
    if same(name, "P") {
        return Predicate::Any(change);
    }
    let mut at = 0;
    match operation {
        Operation::CompareInt => {
            while at < IntPredicate::ALL.len() {
                if same(IntPredicate::ALL[at].text(), name) {
                    return Predicate::Int(IntPredicate::ALL[at]);
                }
                at += 1;
            }
        }
        Operation::CompareFloat => {
            while at < FloatPredicate::ALL.len() {
                if same(FloatPredicate::ALL[at].text(), name) {
                    return Predicate::Float(FloatPredicate::ALL[at]);
                }
                at += 1;
            }
        }
        _ => {}
    }
    panic!("rules.tbl has an unknown predicate")
}

/// The flags of these names.
const fn flags(names: &[&str]) -> Flags {
    let mut flags = Flags::NONE;
    let mut name = 0;
    while name < names.len() {
        let mut at = 0;
        while !same(Flags::KEYWORDS[at].0, names[name]) {
            at += 1;
        }
        flags = flags.with(Flags::KEYWORDS[at].1);
        name += 1;
    }
    flags
}

/// The condition of a name.
const fn condition(name: &str) -> Condition {
    let mut at = 0;
    while at < Condition::NAMED.len() {
        if same(Condition::NAMED[at].0, name) {
            return Condition::NAMED[at].1;
        }
        at += 1;
    }
    panic!("rules.tbl has an unknown condition")
}

/// All rules, for the tests.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|group| group.rules.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_table_is_lost() {
        let mut lines: Vec<usize> = all().map(|rule| rule.line).collect();
        assert!(lines.len() > 300, "{}", lines.len());
        lines.sort_unstable();
        let table = super::super::language::lines(include_str!("rules.tbl"));
        assert_eq!(lines, table.map(|(number, _)| number).collect::<Vec<_>>());
        for Group {
            operation,
            sights,
            rules,
        } in RULES
        {
            assert!(rules.is_sorted_by_key(|rule| rule.line));
            assert!(rules.iter().all(|rule| rule.pattern.operation == *operation));
            assert_eq!(rules.len(), sights.len());
            assert_eq!(rules_of(*operation).rules.len(), rules.len());
        }
    }
}
