//! Integers.

use warpsmith_numerics::{
    dot, float,
    integer::{self, Part},
    video,
};

use super::{Bytes, Function, Kind, LANES, Number, Rare, Whole, Work};

pub(super) fn whole(operation: Whole, kind: Kind, work: &mut Work<'_>) {
    with_kind!(kind, T => match operation {
        Whole::Add => work.cheap(|a, b, _| T::of(a).wrapping_add(T::of(b)).bits()),
        Whole::Subtract => work.cheap(|a, b, _| T::of(a).wrapping_sub(T::of(b)).bits()),
        Whole::AddSaturating => work.cheap(|a, b, _| T::of(a).saturating_add(T::of(b)).bits()),
        Whole::SubtractSaturating => work.cheap(|a, b, _| T::of(a).saturating_sub(T::of(b)).bits()),
        Whole::MultiplyLow => work.cheap(|a, b, _| T::of(a).wrapping_mul(T::of(b)).bits()),
        Whole::MultiplyHigh => work.cheap(|a, b, _| T::high(T::of(a), T::of(b)).bits()),
        Whole::MultiplyWide => work.cheap(|a, b, _| T::wide(T::of(a), T::of(b))),
        Whole::MultiplyAddLow => work.cheap(|a, b, c| T::of(a).wrapping_mul(T::of(b)).wrapping_add(T::of(c)).bits()),
        Whole::MultiplyAddHigh => work.cheap(|a, b, c| T::high(T::of(a), T::of(b)).wrapping_add(T::of(c)).bits()),
        Whole::MultiplyAddWide => work.cheap(|a, b, c| T::wide_sum(T::wide(T::of(a), T::of(b)), c)),
        Whole::Divide => work.each(|a, b, _| match T::of(b) {
            0 => T::ones().bits(),
            b => T::of(a).wrapping_div(b).bits(),
        }),
        Whole::Remainder => work.each(|a, b, _| match T::of(b) {
            0 => T::ones().bits(),
            b => T::of(a).wrapping_rem(b).bits(),
        }),
        Whole::Minimum => work.cheap(|a, b, _| T::of(a).min(T::of(b)).bits()),
        Whole::Maximum => work.cheap(|a, b, _| T::of(a).max(T::of(b)).bits()),
        Whole::Absolute => work.cheap(|a, _, _| T::of(a).magnitude().bits()),
        Whole::Negate => work.cheap(|a, _, _| T::of(a).wrapping_neg().bits()),
        Whole::AbsoluteDifferenceSum => work.cheap(|a, b, c| {
            let (a, b) = (T::of(a), T::of(b));
            a.max(b).wrapping_sub(a.min(b)).wrapping_add(T::of(c)).bits()
        }),
        Whole::And => work.cheap(|a, b, _| (T::of(a) & T::of(b)).bits()),
        Whole::Or => work.cheap(|a, b, _| (T::of(a) | T::of(b)).bits()),
        Whole::Xor => work.cheap(|a, b, _| (T::of(a) ^ T::of(b)).bits()),
        Whole::Not => work.cheap(|a, _, _| (!T::of(a)).bits()),
        Whole::IsZero => work.cheap(|a, _, _| u64::from(T::of(a) == 0)),
        Whole::ShiftLeft => work.cheap(|a, b, _| {
            if b as u32 >= T::BITS { 0 } else { T::of(a).wrapping_shl(b as u32).bits() }
        }),
        Whole::ShiftRight => work.cheap(|a, b, _| {
            let amount = (b as u32).min(T::BITS);
            let half = amount / 2;
            (T::of(a) >> half >> (amount - half)).bits()
        }),
    });
}

/// One value of the operations that atomics are made of.
pub(super) fn one(operation: Whole, kind: Kind, a: u64, b: u64) -> Option<u64> {
    with_kind!(kind, T => {
        let (a, b) = (T::of(a), T::of(b));
        Some(match operation {
            Whole::Add => a.wrapping_add(b),
            Whole::Minimum => a.min(b),
            Whole::Maximum => a.max(b),
            Whole::And => a & b,
            Whole::Or => a | b,
            Whole::Xor => a ^ b,
            _ => return None,
        }
        .bits())
    })
}

pub(super) fn rare(operation: Rare, work: &mut Work<'_>) {
    match operation {
        Rare::Multiply24 { part, kind } => work.each(|a, b, _| integer::multiply24(kind.integer(), part, a, b)),
        Rare::MultiplyAdd24 { part, kind, saturate } => {
            work.each(|a, b, c| integer::multiply_add24(kind.integer(), part, a, b, c, saturate));
        }
        Rare::MultiplyAddHighSaturating => {
            work.each(|a, b, c| integer::multiply_add(integer::S32, Part::High, a, b, c, true));
        }
        Rare::MinimumRelu => work.each(|a, b, _| integer::minimum(integer::S32, a, b, true)),
        Rare::MaximumRelu => work.each(|a, b, _| integer::maximum(integer::S32, a, b, true)),
        Rare::CountOnes { kind } => work.each(|a, _, _| u64::from(integer::count_ones(kind.integer(), a))),
        Rare::LeadingZeros { kind } => work.each(|a, _, _| u64::from(integer::count_leading_zeros(kind.integer(), a))),
        Rare::FindBit { kind, shift_amount } => {
            work.each(|a, _, _| u64::from(integer::find_bit(kind.integer(), a, shift_amount)));
        }
        Rare::Reverse { kind } => work.each(|a, _, _| integer::reverse(kind.integer(), a)),
        Rare::FindNth => work.each32(|a, b, c| integer::find_nth_set(a, b, c as i32)),
        Rare::ExtractField { kind } => {
            work.each(|a, b, c| integer::extract_field(kind.integer(), a, b as u32, c as u32));
        }
        Rare::InsertField { kind } => {
            work.each(|a, b, c| integer::insert_field(kind.integer(), a, b, c as u32 & 0xff, c as u32 >> 8 & 0xff))
        }
        Rare::BitMask { range } => work.each32(|a, b, _| integer::bit_mask(a, b, range)),
        Rare::Extend { kind, range } => work.each32(|a, b, _| integer::extend(kind.integer(), a, b, range)),
        Rare::Funnel { direction, range } => {
            work.each32(|a, b, c| integer::funnel_shift(a, b, c, direction, range));
        }
        Rare::Permute { mode } => work.each32(|a, b, c| integer::permute(a, b, c, mode)),
        Rare::Lop3 { table } => work.each32(|a, b, c| integer::lop3(a, b, c, table)),
        Rare::Dp4a {
            signed: [first, second],
        } => work.each32(|a, b, c| dot::dp4a(a, b, c, first, second)),
        Rare::Dp2a {
            signed: [first, second],
            high,
        } => work.each32(|a, b, c| dot::dp2a(a, b, c, first, second, high)),
        Rare::CarrylessMultiplyAdd { part } => work.each(|a, b, c| integer::carryless_multiply_add(part, a, b, c)),
        Rare::PairAdd { signed, saturate } => {
            let kind = if signed { integer::S16 } else { integer::U16 };
            pairwise(work, |a, b| integer::add(kind, a, b, saturate));
        }
        Rare::Bytes { operation, signed } => {
            let kind = if signed { integer::S8 } else { integer::U8 };
            work.each32(|a, b, _| integer::bytewise(|a, b| byte(operation, kind, a, b), a, b));
        }
        Rare::PairMinimum { signed, relu } => {
            let kind = if signed { integer::S16 } else { integer::U16 };
            pairwise(work, |a, b| integer::minimum(kind, a, b, relu));
        }
        Rare::PairMaximum { signed, relu } => {
            let kind = if signed { integer::S16 } else { integer::U16 };
            pairwise(work, |a, b| integer::maximum(kind, a, b, relu));
        }
        Rare::SelectByInteger => work.each(|a, b, c| integer::select_by_integer(a, b, c as u32)),
        Rare::SelectByFloat { ftz } => work.each(|a, b, c| if float::slct(ftz, c) { a } else { b }),
        Rare::VideoScalar { operation, form } => work.each32(|a, b, c| video::scalar(operation, form, a, b, c)),
        Rare::VideoCompare { compare, form } => work.each32(|a, b, c| video::scalar_compare(compare, form, a, b, c)),
        Rare::VideoShift { right, range, form } => work.each32(|a, b, c| video::shift(right, range, form, a, b, c)),
        Rare::VideoMultiplyAdd { form } => work.each32(|a, b, c| video::multiply_add(form, a, b, c)),
        Rare::VideoPacked { operation, form } => work.each32(|a, b, c| video::packed(operation, form, a, b, c)),
        Rare::VideoPackedCompare { compare, form } => {
            work.each32(|a, b, c| video::packed_compare(compare, form, a, b, c));
        }
    }
}

fn byte(operation: Bytes, kind: integer::Integer, a: u64, b: u64) -> u64 {
    match operation {
        Bytes::Add { saturate } => integer::add(kind, a, b, saturate),
        Bytes::Subtract { saturate } => integer::subtract(kind, a, b, saturate),
        Bytes::Minimum { relu } => integer::minimum(kind, a, b, relu),
        Bytes::Maximum { relu } => integer::maximum(kind, a, b, relu),
        Bytes::Negate => integer::negate(kind, a),
    }
}

fn pairwise(work: &mut Work<'_>, operation: impl Fn(u64, u64) -> u64 + Copy) {
    work.each32(|a, b, _| integer::pairwise(operation, a, b));
}

impl Kind {
    pub(crate) fn integer(self) -> integer::Integer {
        match self {
            Kind::U16 => integer::U16,
            Kind::U32 => integer::U32,
            Kind::U64 => integer::U64,
            Kind::S16 => integer::S16,
            Kind::S32 => integer::S32,
            Kind::S64 => integer::S64,
        }
    }
}

/// Integer arithmetic with the carry flag: the result and the carry out, for each lane.
pub(crate) fn carried(function: Function, work: &mut Work<'_>, carry: u32) -> u32 {
    let Function::Whole(operation, kind) = function else {
        return carry;
    };
    let integer = kind.integer();
    let mut flags = 0;
    for lane in 0..LANES {
        if work.mask >> lane & 1 == 0 {
            continue;
        }
        let set = carry >> lane & 1 != 0;
        let (a, b, c) = (work.a[lane], work.b[lane], work.c[lane]);
        let result = match operation {
            Whole::Subtract => integer::subtract_carry(integer, a, b, set),
            Whole::MultiplyAddLow => integer::multiply_add_carry(integer, Part::Low, a, b, c, set),
            Whole::MultiplyAddHigh => integer::multiply_add_carry(integer, Part::High, a, b, c, set),
            Whole::AddSaturating => saturated(integer::add_carry_saturating(integer, a, b, set)),
            Whole::SubtractSaturating => saturated(integer::subtract_carry_saturating(integer, a, b, set)),
            _ => integer::add_carry(integer, a, b, set),
        };
        work.out[lane] = result.value;
        flags |= u32::from(result.carry) << lane;
    }
    flags
}

fn saturated(value: u64) -> integer::Carried {
    integer::Carried { value, carry: false }
}
