//! Scalar video operations.

use super::{Operation, word};
use crate::integer::{Comparison, Integer, Range};

/// The part of a register that an operand or the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Select {
    /// No selector.
    #[default]
    Word,
    /// `.b0` to `.b3`; bits above the lowest two are ignored.
    Byte(u8),
    /// `.h0` and `.h1`; bits above the lowest are ignored.
    Half(u8),
}

impl Select {
    /// The width of the part and its lowest bit.
    const fn field(self) -> (u32, u32) {
        match self {
            Self::Word => (32, 0),
            Self::Byte(index) => (8, (index as u32 & 3) * 8),
            Self::Half(index) => (16, (index as u32 & 1) * 16),
        }
    }

    /// The number in the part.
    const fn read(self, register: u32, signed: bool) -> i128 {
        let (width, shift) = self.field();
        Integer { width, signed }.value((register >> shift) as u64)
    }

    /// `into` with the part replaced.
    const fn write(self, number: i128, into: u32) -> u32 {
        let (width, shift) = self.field();
        let mask = Integer::unsigned(width).mask() as u32;
        into & !(mask << shift) | (number as u32 & mask) << shift
    }
}

/// What happens between the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Secondary {
    /// The result is a part of the destination; the others come from c. With [`Select::Word`] c does not count.
    Merge(Select),
    /// `.add`.
    Add,
    /// `.min`.
    Minimum,
    /// `.max`.
    Maximum,
}

/// The modifiers of a scalar video operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// Whether the destination and c are signed.
    pub signed: bool,
    /// Whether a and b are.
    pub operands_signed: [bool; 2],
    /// The parts of a and b.
    pub selects: [Select; 2],
    /// `.sat`: the result is clamped to the part of the destination that it becomes.
    pub saturate: bool,
    /// The secondary operation.
    pub secondary: Secondary,
}

impl Scalar {
    /// Unsigned words, nothing else.
    pub const PLAIN: Self = Self {
        signed: false,
        operands_signed: [false; 2],
        selects: [Select::Word; 2],
        saturate: false,
        secondary: Secondary::Merge(Select::Word),
    };

    fn operands(&self, a: u32, b: u32) -> (i128, i128) {
        (
            self.selects[0].read(a, self.operands_signed[0]),
            self.selects[1].read(b, self.operands_signed[1]),
        )
    }

    /// Clamps, combines with c and merges. A secondary operation sees the low 32 bits of the result as a number of the destination's type.
    fn finish(&self, result: i128, c: u32) -> u32 {
        let destination = match self.secondary {
            Secondary::Merge(select) => select,
            Secondary::Add | Secondary::Minimum | Secondary::Maximum => Select::Word,
        };
        let range = Integer {
            width: destination.field().0,
            signed: self.signed,
        };
        let result = if self.saturate {
            result.clamp(range.least(), range.greatest())
        } else {
            result
        };
        let kind = word(self.signed);
        let (first, third) = (kind.value(result as u64), kind.value(u64::from(c)));
        match self.secondary {
            Secondary::Merge(select) => select.write(result, c),
            Secondary::Add => (first + third) as u32,
            Secondary::Minimum => first.min(third) as u32,
            Secondary::Maximum => first.max(third) as u32,
        }
    }
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`.
///
/// ```
/// use warpsmith_numerics::video::{scalar, Operation, Scalar, Secondary, Select};
/// assert_eq!(scalar(Operation::Add, Scalar::PLAIN, 3, 4, 0), 7);
/// // vsub.s32.u32.u32.sat d.b1, a.b0, b.h1, c
/// let form = Scalar {
///     signed: true,
///     selects: [Select::Byte(0), Select::Half(1)],
///     saturate: true,
///     secondary: Secondary::Merge(Select::Byte(1)),
///     ..Scalar::PLAIN
/// };
/// assert_eq!(scalar(Operation::Subtract, form, 0x10, 0x1234_0000, 0xaaaa_aaaa), 0xaaaa_80aa);
/// ```
pub fn scalar(operation: Operation, form: Scalar, a: u32, b: u32, c: u32) -> u32 {
    let (first, second) = form.operands(a, b);
    form.finish(operation.apply(first, second), c)
}

/// `vset`: 1 if the comparison of the selected numbers holds, else 0. Mixed signedness compares as numbers.
///
/// ```
/// use warpsmith_numerics::integer::Comparison;
/// use warpsmith_numerics::video::{scalar_compare, Scalar, Secondary};
/// let form = Scalar { operands_signed: [true, false], secondary: Secondary::Add, ..Scalar::PLAIN };
/// assert_eq!(scalar_compare(Comparison::Less, form, u32::MAX, 0, 10), 11);
/// ```
pub fn scalar_compare(comparison: Comparison, form: Scalar, a: u32, b: u32, c: u32) -> u32 {
    let (first, second) = form.operands(a, b);
    form.finish(i128::from(comparison.holds(first, second)), c)
}

/// The intermediate result, which the manual calls `.s34`: bits above are lost before anything is clamped. Only left shifts reach them.
const INTERMEDIATE: Integer = Integer::signed(34);

/// `vshl` and, with `right`, `vshr`, by the selected part of b, clamped to 32 or modulo 32.
///
/// ```
/// use warpsmith_numerics::integer::Range;
/// use warpsmith_numerics::video::{shift, Scalar};
/// assert_eq!(shift(false, Range::Clamp, Scalar { saturate: true, ..Scalar::PLAIN }, 0x8000_0000, 1, 0), u32::MAX);
/// assert_eq!(shift(true, Range::Wrap, Scalar { operands_signed: [true, false], ..Scalar::PLAIN }, 0x8000_0000, 36, 0), 0xf800_0000);
/// ```
pub fn shift(right: bool, range: Range, form: Scalar, a: u32, b: u32, c: u32) -> u32 {
    let (value, amount) = Scalar {
        operands_signed: [form.operands_signed[0], false],
        ..form
    }
    .operands(a, b);
    let amount = match range {
        Range::Clamp => amount.min(32),
        Range::Wrap => amount & 31,
    };
    let result = if right {
        value >> amount
    } else {
        INTERMEDIATE.value((value << amount) as u64)
    };
    form.finish(result, c)
}

/// The modifiers of `vmad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Multiply {
    /// Whether a and b are signed.
    pub operands_signed: [bool; 2],
    /// The parts of a and b.
    pub selects: [Select; 2],
    /// Whether exactly one of a and b is negated.
    pub negate_product: bool,
    /// Whether c is negated.
    pub negate_addend: bool,
    /// `.po`: one more.
    pub plus_one: bool,
    /// 0, 7 for `.shr7` or 15 for `.shr15`.
    pub shift: u32,
    /// `.sat`: clamped to 32 bits of the result's sign.
    pub saturate: bool,
}

/// `vmad`: the product plus c, shifted right. The result is signed if an operand is or anything is negated.
///
/// Negation is by complement and an added one, which replaces that of `.po`; a negated c is complemented in 32 bits before it is extended, as
/// the manual's description has it.
///
/// ```
/// use warpsmith_numerics::video::{multiply_add, Multiply, Select};
/// let form = Multiply {
///     operands_signed: [false; 2],
///     selects: [Select::Half(0), Select::Half(0)],
///     negate_product: false,
///     negate_addend: false,
///     plus_one: true,
///     shift: 15,
///     saturate: false,
/// };
/// assert_eq!(multiply_add(form, 0x8000, 0x8000, 0x3fff), 0x8000);
/// assert_eq!(multiply_add(Multiply { shift: 0, plus_one: false, negate_product: true, ..form }, 3, 4, 2), -10i32 as u32);
/// ```
pub fn multiply_add(form: Multiply, a: u32, b: u32, c: u32) -> u32 {
    let [a_signed, b_signed] = form.operands_signed;
    let signed = a_signed || b_signed || form.negate_product || form.negate_addend;
    let product = form.selects[0].read(a, a_signed) * form.selects[1].read(b, b_signed);
    let (product, addend, one) = match form {
        Multiply { plus_one: true, .. } => (product, c, 1),
        Multiply {
            negate_product: true, ..
        } => (!product, c, 1),
        Multiply {
            negate_addend: true, ..
        } => (product, !c, 1),
        Multiply { .. } => (product, c, 0),
    };
    let kind = word(signed);
    let sum = product + kind.value(u64::from(addend)) + one;
    kind.fit(sum >> form.shift.min(127), form.saturate) as u32
}
