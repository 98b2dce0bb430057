//! Cache policies: `createpolicy`. (Which bits say what: observed, ptxas 13.0.88, sm_80 to sm_120.)
//!
//! The low word of a policy is zero. From bit 20 of the high word on stand, for fractions, four bits of the share of accesses that the first priority is for;
//! for ranges, there are three fields more. Above are the secondary priority, the primary one, and what kind of policy it is.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::Space,
    steps::{A, B, Funnel, LEFT, RIGHT, logic, number, plus, select, shift},
};
use crate::select::{Request, Source, Test, Value, negated};

/// What the share 1.0 is multiplied with, as f32: 15.99, so that the whole part has four bits.
const SHARES: u32 = 0x417f_d70a;
/// Bit 8 of the kind: a policy of fractions.
const FRACTION: u32 = 0x100;
/// Bits 7 and 8: a policy of ranges.
const RANGE: u32 = 0x180;
/// The least logarithm of a unit of ranges, and by how much it is below that of the whole.
const LEAST_UNIT: u32 = 12;
const UNITS: u32 = 7;
/// The most units of a range.
const MOST_UNITS: u32 = 0x7f;

/// Both priorities: bits 5 and 6, and 4.
fn priorities(variant: &Variant) -> Lowered<u32> {
    let names = variant.modifiers.iter().flatten().map(|modifier| modifier.name());
    let mut levels = names.filter(|name| name.starts_with("L2::"));
    let primary = match levels.next() {
        Some("L2::evict_unchanged") => 0,
        Some("L2::evict_first") => 1,
        Some("L2::evict_last") => 2,
        Some("L2::evict_normal") => 3,
        _ => return Err(UNSUPPORTED),
    };
    let secondary = match levels.next() {
        None | Some("L2::evict_unchanged") => 0,
        Some("L2::evict_first") => 1,
        Some(_) => return Err(UNSUPPORTED),
    };
    Ok(primary << 5 | secondary << 4)
}

/// The share of a constant fraction.
fn share(operand: Option<&Operand>) -> Option<u32> {
    let fraction = match operand {
        None => 1.0,
        Some(Operand::Single(bits)) => f32::from_bits(*bits),
        Some(Operand::Double(bits)) => f64::from_bits(*bits) as f32,
        Some(_) => return None,
    };
    Some((fraction * f32::from_bits(SHARES)) as u32 & 0xf)
}

impl Lowering<'_> {
    /// `createpolicy`
    pub(super) fn cache_policies(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::CreatepolicyFractional => self.policy_of_fractions(variant, operands),
            Opcode::CreatepolicyRange => self.policy_of_range(variant, operands),
            Opcode::CreatepolicyCvt => self.converted_policy(operands),
            _ => return None,
        })
    }

    /// A policy of the CUDA run time has the form already.
    fn converted_policy(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let words = self.value(operands.get(1), Type::U64)?;
        self.deliver(to, &words)
    }

    fn policy_of_fractions(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let kind = FRACTION | priorities(variant)?;
        let high: Source = match share(operands.get(1)) {
            Some(share) => number((kind | share) << 20),
            None => {
                let fraction = self.source(operands.get(1), Type::F32)?;
                let scaled = self.step(Request::new(O::Fmul).from(fraction).from(Value::Immediate(SHARES)))?;
                let whole = self.truncated(scaled)?;
                let share = self.step(logic(whole, number(0xf), Value::Zero, A & B))?;
                let share = self.step(shift(share, number(20), Value::Zero, LEFT))?;
                self.step(logic(share, number(kind << 20), Value::Zero, A | B))?.into()
            }
        };
        self.deliver(to, &[Value::Zero.into(), high])
    }

    /// The whole part of an f32 that is not negative and small.
    fn truncated(&mut self, value: crate::ir::Register) -> Lowered<crate::ir::Register> {
        // 2^23 plus the number has the number in its low bits, rounded down.
        let sum = Request::new(O::Fadd).from(value).from(Value::Immediate(0x4b00_0000));
        self.step(sum.text(F::Round, "RM"))
    }

    /// Ranges are counted in units of a 128th of the whole, of 4096 bytes at least: the first unit, and how many.
    fn policy_of_range(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, Operand::Address(start), first, whole] = operands else {
            return Err(UNSUPPORTED);
        };
        let to = self.destination(Some(to))?;
        let kind = RANGE | priorities(variant)?;
        let (low, high) = self.range_start(start)?;
        let (first, whole) = (
            self.source(Some(first), Type::U32)?,
            self.source(Some(whole), Type::U32)?,
        );
        let whole = self.held(whole)?;
        // The logarithm of the whole, rounded up.
        let below = self.step(plus(whole, number(u32::MAX)))?;
        let top = self.step(Request::new(O::Flo).from(below).flag(F::U32, true))?;
        let unit = self.step(plus(top, number(1_u32.wrapping_sub(UNITS))))?;
        let small = self.compare_words(Cmp::Lt, false, unit, number(LEAST_UNIT), Combine::And, Test::ALWAYS)?;
        let least = self.copied(number(LEAST_UNIT))?;
        let unit = self.step(select(small, least, unit))?;
        // From the unit of the first byte to that after the last.
        let one = self.copied(number(1))?;
        let bytes = self.step(shift(one, unit, Value::Zero, LEFT))?;
        let more = self.step(plus(first, number(u32::MAX)))?;
        let more = self.step(plus(more, bytes))?;
        let end = self.temporary(2);
        self.add_pairs(end, [low, high], [more.into(), Value::Zero.into()])?;
        let units = Funnel {
            kind: "U64",
            high: false,
            ..RIGHT
        };
        let begins = self.step(shift(low, unit, high, units))?;
        let ends = self.step(shift(end.word(0), unit, end.word(1), units))?;
        let count = self.step(plus(ends, negated(begins)))?;
        let fits = self.compare_words(Cmp::Lt, true, count, number(MOST_UNITS), Combine::And, Test::ALWAYS)?;
        let most = self.copied(number(MOST_UNITS))?;
        let count = self.step(select(fits, count, most))?;
        // kind 9 bits, the first unit 7 of 8 bits, the number of units 7, nothing in the lowest 5.
        let size = self.step(plus(unit, number(LEAST_UNIT.wrapping_neg())))?;
        let size = self.step(logic(size, number(0xf), Value::Zero, A & B))?;
        let size = self.step(shift(size, number(20), Value::Zero, LEFT))?;
        let begins = self.step(logic(begins, number(0x7f), Value::Zero, A & B))?;
        let begins = self.step(shift(begins, number(12), Value::Zero, LEFT))?;
        let count = self.step(logic(count, number(0x7f), Value::Zero, A & B))?;
        let count = self.step(shift(count, number(5), Value::Zero, LEFT))?;
        let places = self.step(logic(size, begins, count, 0xfe))?;
        let policy = self.step(logic(places, number(kind << 20), Value::Zero, A | B))?;
        // Of a range of nothing.
        let nothing = self.compare_words(Cmp::Eq, true, whole, Value::Zero, Combine::And, Test::ALWAYS)?;
        let empty = self.copied(number(RANGE << 20))?;
        let policy = self.step(select(nothing, empty, policy))?;
        self.deliver(to, &[Value::Zero.into(), policy.into()])
    }

    fn range_start(&mut self, start: &Address) -> Lowered<(Source, Source)> {
        let words = self.wide_address(Space::Global, start)?;
        let word = |index: usize| words.get(index).copied().unwrap_or(Value::Zero.into());
        Ok((word(0), word(1)))
    }
}
