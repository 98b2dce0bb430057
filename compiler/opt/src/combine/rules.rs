//! The rules of `rules.tbl`, compiled: names resolved, letters numbered, rules sorted by the operation at their root.

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate};

use super::language::{self, Node, Outline, RuleText, Term};

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
    Node(Box<Shape>),
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
    pub(super) operands: SmallVec<[Part; 3]>,
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
            fn named(name: &str) -> Option<Condition> {
                match name { $($name => Some(Condition::$variant),)+ _ => None }
            }
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

/// A rule, ready to be tried.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The line of the table, for messages of the tests.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) line: usize,
    pub(super) pattern: Shape,
    pub(super) replacement: Part,
    pub(super) conditions: Vec<(Condition, SmallVec<[Argument; 2]>)>,
}

/// An operand of the instruction at the root of a pattern, as far as it tells that the pattern cannot match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Any,
    Constant,
    Operation(Operation),
}

/// A rule that is compiled when an instruction looks as if it matched: few of them are needed for a kernel.
pub(super) struct Entry {
    number: usize,
    text: &'static str,
    /// What the operands of the root are.
    pub(super) operands: SmallVec<[Sight; 3]>,
    rule: OnceLock<Option<Rule>>,
}

impl Entry {
    /// A mistake in the table would be found by the tests, which compile the same text; such a line is no rule here.
    fn of(number: usize, text: &'static str) -> Option<(Operation, Entry)> {
        let (root, operands) = language::outline(text)?;
        let operands = operands.into_iter().map(|operand| match operand {
            Outline::Leaf(letter) if VALUES.contains(letter) => Some(Sight::Any),
            Outline::Leaf(_) => Some(Sight::Constant),
            Outline::Node(name) => operation(name).map(Sight::Operation),
        });
        let entry = Entry {
            number,
            text,
            operands: operands.collect::<Option<_>>()?,
            rule: OnceLock::new(),
        };
        Some((operation(root)?, entry))
    }

    /// The rule.
    pub(super) fn rule(&self) -> Option<&Rule> {
        let compiled = self
            .rule
            .get_or_init(|| compile_rule(&language::rule(self.number, self.text).ok()?).ok());
        compiled.as_ref()
    }
}

/// All rules.
pub(super) struct Rules {
    by_operation: FxHashMap<Operation, Vec<Entry>>,
}

impl Rules {
    /// The rules whose root does this, in the order of the table.
    pub(super) fn of(&self, operation: Operation) -> &[Entry] {
        self.by_operation.get(&operation).map_or(&[], |rules| rules)
    }
}

/// The table.
const TABLE: &str = include_str!("rules.tbl");

/// The table, its lines sorted at first use.
pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut by_operation: FxHashMap<Operation, Vec<Entry>> = FxHashMap::default();
    for (number, line) in language::lines(TABLE) {
        if let Some((operation, entry)) = Entry::of(number, line) {
            by_operation.entry(operation).or_default().push(entry);
        }
    }
    Rules { by_operation }
});

/// Compiles a table.
#[cfg(test)]
pub(super) fn compile(text: &str) -> Result<Vec<Rule>, String> {
    language::read(text)?
        .iter()
        .map(|rule| compile_rule(rule).map_err(|what| format!("line {}: {what}", rule.line)))
        .collect()
}

fn compile_rule(text: &RuleText<'_>) -> Result<Rule, String> {
    let Part::Node(pattern) = part(&text.pattern)? else {
        return Err("the pattern is no instruction".into());
    };
    let mut conditions = Vec::new();
    for (name, arguments) in &text.conditions {
        let condition = Condition::named(name).ok_or_else(|| format!("unknown condition {name}"))?;
        let arguments = arguments.iter().map(|text| argument(text)).collect::<Result<_, _>>()?;
        conditions.push((condition, arguments));
    }
    Ok(Rule {
        line: text.line,
        pattern: *pattern,
        replacement: part(&text.replacement)?,
        conditions,
    })
}

fn slot(letters: &str, letter: char) -> Option<u8> {
    letters.find(letter).map(|index| index as u8)
}

const VALUES: &str = "xyzw";
const CONSTANTS: &str = "ABCD";
const FLOATS: &str = "FG";
const TYPES: &str = "RST";

fn type_slot(letter: Option<char>) -> Result<Option<u8>, String> {
    match letter {
        None => Ok(None),
        Some(letter) => slot(TYPES, letter)
            .map(Some)
            .ok_or_else(|| format!("unknown type {letter}")),
    }
}

fn argument(text: &str) -> Result<Argument, String> {
    if let Ok(number) = text.parse() {
        return Ok(Argument::Number(number));
    }
    let letter = text.chars().next().ok_or("an empty argument")?;
    None.or(slot(VALUES, letter).map(Argument::Value))
        .or(slot(CONSTANTS, letter).map(Argument::Constant))
        .or(slot(FLOATS, letter).map(Argument::Float))
        .or(slot(TYPES, letter).map(Argument::Type))
        .or((letter == 'P').then_some(Argument::Predicate))
        .ok_or_else(|| format!("unknown argument {text}"))
}

fn part(term: &Term<'_>) -> Result<Part, String> {
    match term {
        Term::Number(number) => Ok(Part::Number(*number)),
        Term::NegativeZero => Ok(Part::NegativeZero),
        Term::Letter { letter, ty } => {
            let ty = type_slot(*ty)?;
            None.or(slot(VALUES, *letter).map(|slot| Part::Value { slot, ty }))
                .or(slot(CONSTANTS, *letter).map(|slot| Part::Constant { slot, ty }))
                .or(slot(FLOATS, *letter).map(|slot| Part::Float { slot }))
                .ok_or_else(|| format!("unknown letter {letter}"))
        }
        Term::Node(node) => Ok(Part::Node(Box::new(shape(node)?))),
    }
}

fn shape(node: &Node<'_>) -> Result<Shape, String> {
    let operation = operation(node.operation).ok_or_else(|| format!("unknown operation {}", node.operation))?;
    let mut ty = type_slot(node.ty)?;
    let mut operands: SmallVec<[Part; 3]> = SmallVec::new();
    for operand in &node.operands {
        // The only operand of the low mask is a type.
        if operation == Operation::Function(ConstantFunction::LowMask)
            && let Term::Letter { letter, .. } = operand
        {
            ty = type_slot(Some(*letter))?;
            continue;
        }
        operands.push(part(operand)?);
    }
    let mut flags = Flags::NONE;
    let mut same_flags = false;
    for &name in &node.flags {
        if name == "same" {
            same_flags = true;
            continue;
        }
        let (_, flag) = Flags::KEYWORDS
            .iter()
            .find(|(text, _)| *text == name)
            .ok_or_else(|| format!("unknown flag {name}"))?;
        flags = flags.with(*flag);
    }
    Ok(Shape {
        operation,
        predicate: node.predicate.map(|text| predicate(operation, text)).transpose()?,
        flags,
        same_flags,
        one_use: node.one_use,
        ty,
        operands,
    })
}

fn predicate(operation: Operation, (function, name): (Option<&str>, &str)) -> Result<Predicate, String> {
    let change = match function {
        None => Change::Same,
        Some("swap") => Change::Swap,
        Some("not") => Change::Not,
        Some("unsigned") => Change::Unsigned,
        Some(other) => return Err(format!("unknown function of predicates {other}")),
    };
    if name == "P" {
        return Ok(Predicate::Any(change));
    }
    let found = match operation {
        Operation::CompareInt => IntPredicate::from_text(name).map(Predicate::Int),
        Operation::CompareFloat => FloatPredicate::from_text(name).map(Predicate::Float),
        _ => None,
    };
    found.ok_or_else(|| format!("unknown predicate {name}"))
}

fn operation(name: &str) -> Option<Operation> {
    let other = match name {
        "icmp" => Some(Operation::CompareInt),
        "fcmp" => Some(Operation::CompareFloat),
        "select" => Some(Operation::Select),
        "fneg" => Some(Operation::Negate),
        "smin" => Some(Operation::Known(KnownCall::SignedMinimum)),
        "smax" => Some(Operation::Known(KnownCall::SignedMaximum)),
        "umin" => Some(Operation::Known(KnownCall::UnsignedMinimum)),
        "umax" => Some(Operation::Known(KnownCall::UnsignedMaximum)),
        "abs" => Some(Operation::Known(KnownCall::Absolute)),
        "log2" => Some(Operation::Function(ConstantFunction::Log2)),
        "low-mask" => Some(Operation::Function(ConstantFunction::LowMask)),
        "reciprocal" => Some(Operation::Function(ConstantFunction::Reciprocal)),
        _ => None,
    };
    other
        .or(BinaryOp::from_text(name).map(Operation::Binary))
        .or(CastOp::from_text(name).map(Operation::Cast))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compiles_and_looks_at_first_sight_as_it_is() {
        let rules = compile(TABLE).unwrap();
        assert!(rules.len() > 300, "{}", rules.len());
        let mut entries: Vec<(Operation, &Entry)> = RULES
            .by_operation
            .iter()
            .flat_map(|(operation, entries)| entries.iter().map(|entry| (*operation, entry)))
            .collect();
        entries.sort_by_key(|(_, entry)| entry.number);
        assert_eq!(entries.len(), rules.len());
        for ((operation, entry), rule) in entries.into_iter().zip(&rules) {
            let sight = |part: &Part| match part {
                Part::Value { .. } => Sight::Any,
                Part::Constant { .. } | Part::Float { .. } | Part::Number(_) | Part::NegativeZero => Sight::Constant,
                Part::Node(shape) => Sight::Operation(shape.operation),
            };
            let operands: Vec<Sight> = rule.pattern.operands.iter().map(sight).collect();
            assert_eq!(operation, rule.pattern.operation, "{}", entry.text);
            assert_eq!(entry.operands.as_slice(), operands, "{}", entry.text);
            assert_eq!(entry.rule().map(|rule| rule.line), Some(rule.line));
        }
    }
}
