//! Every arithmetic, logic and conversion operation, lane by lane: the one place where the interpreter computes.
//!
//! What an operation means stands in `warpsmith_numerics`. Plain integer arithmetic and the IEEE operations of f32 and f64 rounded to nearest
//! are done by the host where its result is the same by definition: not for NaN results, and not for a fused f32 sum that two roundings could
//! spoil; those go to numerics, too.

use warpsmith_numerics::{
    approximate,
    convert::{self, Integer},
    dot,
    float::{self, Combine, Comparison, MinMax, Modifiers},
    format::{self, Format},
    integer::{self, Direction, Part, Permutation, Range},
    video,
};

use super::{
    code::{LANES, Lanes},
    number::Number,
};

/// An integer type of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    U16,
    U32,
    U64,
    S16,
    S32,
    S64,
}

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatName {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    E2m1,
    Ue8m0,
}

impl FormatName {
    pub(crate) fn format(self) -> Format {
        match self {
            FormatName::F16 => format::F16,
            FormatName::Bf16 => format::BF16,
            FormatName::Tf32 => format::TF32,
            FormatName::F32 => format::F32,
            FormatName::F64 => format::F64,
            FormatName::E4m3 => format::E4M3,
            FormatName::E5m2 => format::E5M2,
            FormatName::E2m3 => format::E2M3,
            FormatName::E3m2 => format::E3M2,
            FormatName::E2m1 => format::E2M1,
            FormatName::Ue8m0 => format::UE8M0,
        }
    }
}

/// Plain integer operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Add,
    Subtract,
    AddSaturating,
    SubtractSaturating,
    MultiplyLow,
    MultiplyHigh,
    MultiplyWide,
    MultiplyAddLow,
    MultiplyAddHigh,
    MultiplyAddWide,
    Divide,
    Remainder,
    Minimum,
    Maximum,
    Absolute,
    Negate,
    AbsoluteDifferenceSum,
    And,
    Or,
    Xor,
    Not,
    IsZero,
    ShiftLeft,
    ShiftRight,
}

/// Floating-point operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Real {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    Divide,
    Reciprocal,
    SquareRoot,
    Absolute,
    Negate,
    CopySign,
}

/// The functions that hardware approximates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approximate {
    Reciprocal,
    SquareRoot,
    ReciprocalSquareRoot,
    Sine,
    Cosine,
    Logarithm,
    Exponential,
    Tangent,
    Divide,
    DivideFull,
    ReciprocalDouble,
    ReciprocalSquareRootDouble,
    ExponentialF16,
    ExponentialBf16,
    TangentF16,
    TangentBf16,
    ExponentialF16x2,
    ExponentialBf16x2,
    TangentF16x2,
    TangentBf16x2,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// To an integer in a register of this many bits.
    Integer {
        from: Integer,
        to: Integer,
        saturate: bool,
        width: u32,
    },
    ToFloat {
        from: Integer,
        to: FormatName,
        modifiers: convert::Modifiers,
    },
    FromFloat {
        from: FormatName,
        to: Integer,
        modifiers: convert::Modifiers,
        width: u32,
    },
    Float {
        from: FormatName,
        to: FormatName,
        modifiers: convert::Modifiers,
    },
    Integral {
        format: FormatName,
        modifiers: convert::Modifiers,
    },
    Tf32 {
        modifiers: convert::Modifiers,
    },
    Pair {
        to: FormatName,
        modifiers: convert::Modifiers,
    },
    Repack {
        from: FormatName,
        to: FormatName,
        modifiers: convert::Modifiers,
    },
    StochasticPair {
        to: FormatName,
        modifiers: convert::Modifiers,
    },
    /// `cvt.pack`
    Pack {
        to: Integer,
    },
}

/// Operations of integers that are rarer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rare {
    Multiply24 {
        part: Part,
        kind: Kind,
    },
    MultiplyAdd24 {
        part: Part,
        kind: Kind,
        saturate: bool,
    },
    MultiplyAddHighSaturating,
    MinimumRelu,
    MaximumRelu,
    CountOnes {
        kind: Kind,
    },
    LeadingZeros {
        kind: Kind,
    },
    FindBit {
        kind: Kind,
        shift_amount: bool,
    },
    Reverse {
        kind: Kind,
    },
    FindNth,
    ExtractField {
        kind: Kind,
    },
    /// Position and length in the low two bytes of the third operand.
    InsertField {
        kind: Kind,
    },
    BitMask {
        range: Range,
    },
    Extend {
        kind: Kind,
        range: Range,
    },
    Funnel {
        direction: Direction,
        range: Range,
    },
    Permute {
        mode: Permutation,
    },
    Lop3 {
        table: u8,
    },
    Dp4a {
        signed: [bool; 2],
    },
    Dp2a {
        signed: [bool; 2],
        high: bool,
    },
    PairAdd,
    PairMinimum {
        signed: bool,
        relu: bool,
    },
    PairMaximum {
        signed: bool,
        relu: bool,
    },
    SelectByInteger,
    SelectByFloat {
        ftz: bool,
    },
    VideoScalar {
        operation: video::Operation,
        form: video::Scalar,
    },
    VideoCompare {
        compare: integer::Comparison,
        form: video::Scalar,
    },
    VideoShift {
        right: bool,
        range: Range,
        form: video::Scalar,
    },
    VideoMultiplyAdd {
        form: video::Multiply,
    },
    VideoPacked {
        operation: video::Operation,
        form: video::Packed,
    },
    VideoPackedCompare {
        compare: integer::Comparison,
        form: video::Packed,
    },
}

/// An operation of up to three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Whole(Whole, Kind),
    Rare(Rare),
    /// f32 rounded to nearest, subnormals kept.
    Single(Real),
    /// f64 rounded to nearest.
    Double(Real),
    Real {
        operation: Real,
        format: FormatName,
        modifiers: Modifiers,
    },
    /// Two values in one register.
    PackedReal {
        operation: Real,
        format: FormatName,
        modifiers: Modifiers,
    },
    /// f16 or bf16 operands, f32 results.
    Mixed {
        operation: Real,
        narrow: FormatName,
        modifiers: Modifiers,
    },
    Extreme {
        maximum: bool,
        format: FormatName,
        modifiers: MinMax,
        operands: u8,
    },
    PackedExtreme {
        maximum: bool,
        format: FormatName,
        modifiers: MinMax,
    },
    Approximate {
        function: Approximate,
        ftz: bool,
    },
    Convert(Conversion),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Whole(integer::Comparison, Kind),
    Real {
        comparison: Comparison,
        format: FormatName,
        ftz: bool,
    },
}

/// Runs `$body` with `$t` as the Rust type of a kind.
macro_rules! with_kind {
    ($kind:expr, $t:ident => $body:expr) => {
        match $kind {
            Kind::U16 => {
                type $t = u16;
                $body
            }
            Kind::U32 => {
                type $t = u32;
                $body
            }
            Kind::U64 => {
                type $t = u64;
                $body
            }
            Kind::S16 => {
                type $t = i16;
                $body
            }
            Kind::S32 => {
                type $t = i32;
                $body
            }
            Kind::S64 => {
                type $t = i64;
                $body
            }
        }
    };
}

/// Runs `$body` with `$f` as a constant of the format where that is worth it.
macro_rules! with_format {
    ($name:expr, $f:ident => $body:expr) => {
        match $name {
            FormatName::F32 => {
                const $f: Format = format::F32;
                $body
            }
            FormatName::F64 => {
                const $f: Format = format::F64;
                $body
            }
            FormatName::F16 => {
                const $f: Format = format::F16;
                $body
            }
            other => {
                #[allow(non_snake_case)] // A constant in the other arms.
                let $f = other.format();
                $body
            }
        }
    };
}

/// The operands and the result of an operation on the lanes of a mask.
pub(crate) struct Work<'w> {
    pub(crate) mask: u32,
    pub(crate) a: &'w Lanes,
    pub(crate) b: &'w Lanes,
    pub(crate) c: &'w Lanes,
    pub(crate) out: &'w mut Lanes,
}

impl Work<'_> {
    /// For operations so cheap that lanes outside the mask may be computed, too.
    #[inline(always)]
    fn cheap(&mut self, operation: impl Fn(u64, u64, u64) -> u64) {
        for lane in 0..LANES {
            self.out[lane] = operation(self.a[lane], self.b[lane], self.c[lane]);
        }
    }

    #[inline(always)]
    fn each(&mut self, operation: impl Fn(u64, u64, u64) -> u64) {
        let mut left = self.mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            self.out[lane] = operation(self.a[lane], self.b[lane], self.c[lane]);
        }
    }

    #[inline(always)]
    fn each32(&mut self, operation: impl Fn(u32, u32, u32) -> u32) {
        self.each(|a, b, c| u64::from(operation(a as u32, b as u32, c as u32)));
    }
}

/// Computes a function on all lanes of the mask.
pub(crate) fn evaluate(function: Function, work: &mut Work<'_>) {
    match function {
        Function::Whole(operation, kind) => whole(operation, kind, work),
        Function::Rare(operation) => rare(operation, work),
        Function::Single(operation) => single(operation, work),
        Function::Double(operation) => double(operation, work),
        Function::Real {
            operation,
            format,
            modifiers,
        } => with_format!(format, F => work.each(|a, b, c| real(operation, F, modifiers, [a, b, c]))),
        Function::PackedReal {
            operation,
            format,
            modifiers,
        } => {
            let format = format.format();
            work.each(|a, b, c| float::map_lanes(format, [a, b, c], |lanes| real(operation, format, modifiers, lanes)));
        }
        Function::Mixed {
            operation,
            narrow,
            modifiers,
        } => {
            let narrow = narrow.format();
            match operation {
                Real::Subtract => work.each(|a, b, _| float::sub_mixed(narrow, modifiers, a, b)),
                Real::MultiplyAdd => work.each(|a, b, c| float::fma_mixed(narrow, modifiers, a, b, c)),
                _ => work.each(|a, b, _| float::add_mixed(narrow, modifiers, a, b)),
            }
        }
        Function::Extreme {
            maximum,
            format,
            modifiers,
            operands,
        } => with_format!(format, F => match (maximum, operands) {
            (false, 2) => work.each(|a, b, _| float::min(F, modifiers, a, b)),
            (true, 2) => work.each(|a, b, _| float::max(F, modifiers, a, b)),
            (false, _) => work.each(|a, b, c| float::min3(F, modifiers, a, b, c)),
            (true, _) => work.each(|a, b, c| float::max3(F, modifiers, a, b, c)),
        }),
        Function::PackedExtreme {
            maximum,
            format,
            modifiers,
        } => {
            let format = format.format();
            let one = if maximum { float::max } else { float::min };
            work.each(|a, b, _| float::map_lanes(format, [a, b], |[a, b]| one(format, modifiers, a, b)));
        }
        Function::Approximate { function, ftz } => approximated(function, ftz, work),
        Function::Convert(conversion) => converted(conversion, work),
    }
}

/// One value of a function: for atomics and reductions.
pub(crate) fn evaluate_one(function: Function, a: u64, b: u64) -> u64 {
    let mut out = [0; LANES];
    let (a, b, c) = ([a; LANES], [b; LANES], [0; LANES]);
    evaluate(
        function,
        &mut Work {
            mask: 1,
            a: &a,
            b: &b,
            c: &c,
            out: &mut out,
        },
    );
    out[0]
}

fn whole(operation: Whole, kind: Kind, work: &mut Work<'_>) {
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

fn rare(operation: Rare, work: &mut Work<'_>) {
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
        Rare::PairAdd => pairwise(work, |a, b| integer::add(integer::U16, a, b, false)),
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

#[inline(always)]
fn single_result(value: f32) -> u64 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        u64::from(value.to_bits())
    }
}

fn single(operation: Real, work: &mut Work<'_>) {
    let f = |bits: u64| f32::from_bits(bits as u32);
    match operation {
        Real::Add => work.cheap(|a, b, _| single_result(f(a) + f(b))),
        Real::Subtract => work.cheap(|a, b, _| single_result(f(a) - f(b))),
        Real::Multiply => work.cheap(|a, b, _| single_result(f(a) * f(b))),
        Real::Divide => work.cheap(|a, b, _| single_result(f(a) / f(b))),
        Real::SquareRoot => work.cheap(|a, _, _| single_result(f(a).sqrt())),
        Real::MultiplyAdd => work.cheap(|a, b, c| single_fused(a, b, c)),
        Real::Reciprocal | Real::Absolute | Real::Negate | Real::CopySign => {
            work.each(|a, b, c| real(operation, format::F32, Modifiers::default(), [a, b, c]));
        }
    }
}

/// A fused product and sum of f32 by way of f64, where the product is exact and the sum is rounded once more. That second rounding changes the
/// result only if the first gave a value in the middle between two f32, or if the result is subnormal.
#[inline(always)]
fn single_fused(a: u64, b: u64, c: u64) -> u64 {
    let f = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let sum = f(a) * f(b) + f(c);
    let in_the_middle = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    if in_the_middle || (sum.abs() < f64::from(f32::MIN_POSITIVE) && sum != 0.0) {
        return float::fma(format::F32, Modifiers::default(), a, b, c);
    }
    single_result(sum as f32)
}

fn double(operation: Real, work: &mut Work<'_>) {
    let f = f64::from_bits;
    let exact = |value: f64, operands: [u64; 3]| {
        if value.is_nan() {
            real(operation, format::F64, Modifiers::default(), operands)
        } else {
            value.to_bits()
        }
    };
    match operation {
        Real::Add => work.cheap(|a, b, c| exact(f(a) + f(b), [a, b, c])),
        Real::Subtract => work.cheap(|a, b, c| exact(f(a) - f(b), [a, b, c])),
        Real::Multiply => work.cheap(|a, b, c| exact(f(a) * f(b), [a, b, c])),
        Real::Divide => work.cheap(|a, b, c| exact(f(a) / f(b), [a, b, c])),
        Real::SquareRoot => work.cheap(|a, b, c| exact(f(a).sqrt(), [a, b, c])),
        Real::MultiplyAdd => work.each(|a, b, c| exact(f(a).mul_add(f(b), f(c)), [a, b, c])),
        Real::Reciprocal | Real::Absolute | Real::Negate | Real::CopySign => {
            work.each(|a, b, c| real(operation, format::F64, Modifiers::default(), [a, b, c]));
        }
    }
}

#[inline(always)]
fn real(operation: Real, format: Format, modifiers: Modifiers, [a, b, c]: [u64; 3]) -> u64 {
    match operation {
        Real::Add => float::add(format, modifiers, a, b),
        Real::Subtract => float::sub(format, modifiers, a, b),
        Real::Multiply => float::mul(format, modifiers, a, b),
        Real::MultiplyAdd => float::fma(format, modifiers, a, b, c),
        Real::Divide => float::div(format, modifiers, a, b),
        Real::Reciprocal => float::rcp(format, modifiers, a),
        Real::SquareRoot => float::sqrt(format, modifiers, a),
        Real::Absolute => float::abs(format, modifiers.ftz, a),
        Real::Negate => float::neg(format, modifiers.ftz, a),
        Real::CopySign => float::copysign(format, a, b),
    }
}

fn approximated(function: Approximate, ftz: bool, work: &mut Work<'_>) {
    let half = |f: fn(u16) -> u16| move |a: u32, _: u32, _: u32| u32::from(f(a as u16));
    let pair = |f: fn(u16) -> u16| move |a: u32, _: u32, _: u32| approximate::both(f, a);
    // Where the unit does not flush by itself, `.ftz` flushes what goes in.
    let flushed = |a: u32| if ftz { format::F32.flush(u64::from(a)) as u32 } else { a };
    match function {
        Approximate::Reciprocal => work.each32(|a, _, _| approximate::reciprocal(a, ftz)),
        Approximate::SquareRoot => work.each32(|a, _, _| approximate::square_root(a, ftz)),
        Approximate::ReciprocalSquareRoot => work.each32(|a, _, _| approximate::reciprocal_square_root(a, ftz)),
        Approximate::Sine => work.each32(|a, _, _| approximate::sine(flushed(a))),
        Approximate::Cosine => work.each32(|a, _, _| approximate::cosine(flushed(a))),
        Approximate::Logarithm => work.each32(|a, _, _| approximate::logarithm(a, ftz)),
        Approximate::Exponential => work.each32(|a, _, _| approximate::exponential(a, ftz)),
        Approximate::Tangent => work.each32(|a, _, _| approximate::tangent(a)),
        Approximate::Divide => work.each32(|a, b, _| approximate::divide(a, b, ftz)),
        Approximate::DivideFull => work.each32(|a, b, _| approximate::divide_full(a, b, ftz)),
        Approximate::ReciprocalDouble => work.each(|a, _, _| approximate::reciprocal_f64(a)),
        Approximate::ReciprocalSquareRootDouble => work.each(|a, _, _| approximate::reciprocal_square_root_f64(a)),
        Approximate::ExponentialF16 => work.each32(half(approximate::exponential_f16)),
        Approximate::ExponentialBf16 => work.each32(half(approximate::exponential_bf16)),
        Approximate::TangentF16 => work.each32(half(approximate::tangent_f16)),
        Approximate::TangentBf16 => work.each32(half(approximate::tangent_bf16)),
        Approximate::ExponentialF16x2 => work.each32(pair(approximate::exponential_f16)),
        Approximate::ExponentialBf16x2 => work.each32(pair(approximate::exponential_bf16)),
        Approximate::TangentF16x2 => work.each32(pair(approximate::tangent_f16)),
        Approximate::TangentBf16x2 => work.each32(pair(approximate::tangent_bf16)),
    }
}

/// The low `width` bits.
#[inline(always)]
pub(crate) fn truncated(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

fn converted(conversion: Conversion, work: &mut Work<'_>) {
    match conversion {
        Conversion::Integer {
            from,
            to,
            saturate,
            width,
        } => work.each(|a, _, _| truncated(to.extend(convert::integer_to_integer(from, to, saturate, a)), width)),
        Conversion::ToFloat { from, to, modifiers } => {
            with_format!(to, F => work.each(|a, _, _| convert::integer_to_float(from, F, modifiers, a)));
        }
        Conversion::FromFloat {
            from,
            to,
            modifiers,
            width,
        } => with_format!(from, F => work.each(|a, _, _| {
            truncated(to.extend(convert::float_to_integer(F, to, modifiers.rounding, modifiers.ftz, a)), width)
        })),
        Conversion::Float { from, to, modifiers } => {
            let (from, to) = (from.format(), to.format());
            work.each(|a, _, _| convert::float_to_float(from, to, modifiers, a));
        }
        Conversion::Integral { format, modifiers } => {
            let format = format.format();
            work.each(|a, _, _| convert::round_to_integral(format, modifiers, a));
        }
        Conversion::Tf32 { modifiers } => work.each(|a, _, _| convert::to_tf32(modifiers, a)),
        Conversion::Pair { to, modifiers } => {
            let to = to.format();
            work.each(|a, b, _| convert::pair(to, modifiers, a, b));
        }
        Conversion::Repack { from, to, modifiers } => {
            let (from, to) = (from.format(), to.format());
            work.each(|a, _, _| convert::repack(from, to, modifiers, a));
        }
        Conversion::StochasticPair { to, modifiers } => {
            let to = to.format();
            work.each(|a, b, c| convert::stochastic_pair(to, modifiers, [a, b], c as u32));
        }
        Conversion::Pack { to } => {
            work.each32(|a, b, c| convert::pack_integers(to, a, b, c));
        }
    }
}

/// A mask of the lanes where the comparison holds; lanes outside `mask` may be set, too.
pub(crate) fn compare(compare: Compare, mask: u32, a: &Lanes, b: &Lanes) -> u32 {
    match compare {
        Compare::Whole(comparison, kind) => with_kind!(kind, T => {
            match comparison {
                integer::Comparison::Equal => every(a, b, |a, b| T::of(a) == T::of(b)),
                integer::Comparison::NotEqual => every(a, b, |a, b| T::of(a) != T::of(b)),
                integer::Comparison::Less => every(a, b, |a, b| T::of(a) < T::of(b)),
                integer::Comparison::LessOrEqual => every(a, b, |a, b| T::of(a) <= T::of(b)),
                integer::Comparison::Greater => every(a, b, |a, b| T::of(a) > T::of(b)),
                integer::Comparison::GreaterOrEqual => every(a, b, |a, b| T::of(a) >= T::of(b)),
            }
        }),
        Compare::Real {
            comparison,
            format,
            ftz,
        } => with_format!(format, F => {
            let mut result = 0;
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    result |= u32::from(float::compare(F, comparison, ftz, a[lane], b[lane])) << lane;
                }
            }
            result
        }),
    }
}

#[inline(always)]
fn every(a: &Lanes, b: &Lanes, holds: impl Fn(u64, u64) -> bool) -> u32 {
    let mut result = 0;
    for lane in 0..LANES {
        result |= u32::from(holds(a[lane], b[lane])) << lane;
    }
    result
}

/// `testp` on all lanes.
pub(crate) fn property(format: FormatName, property: float::Property, a: &Lanes) -> u32 {
    let format = format.format();
    every(a, a, |a, _| float::test(format, property, a))
}

/// Two masks combined.
pub(crate) fn combined(combine: Combine, a: u32, b: u32) -> u32 {
    match combine {
        Combine::And => a & b,
        Combine::Or => a | b,
        Combine::Xor => a ^ b,
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

#[cfg(test)]
mod tests {
    use super::{FormatName, Function, LANES, Lanes, Modifiers, Real, Work, evaluate};

    /// Bits that are near every special case often.
    fn sample(state: &mut u64, wide: bool) -> u64 {
        *state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let bits = *state >> 7 ^ *state << 31;
        let (exponent_bits, mantissa_bits) = if wide { (11, 52) } else { (8, 23) };
        let exponents = [
            0,
            1,
            (1 << (exponent_bits - 1)) - 1,
            (1 << exponent_bits) - 2,
            (1 << exponent_bits) - 1,
        ];
        let (mantissa, exponent) = (bits & ((1 << mantissa_bits) - 1), bits >> 40);
        let exponent = match bits >> 60 {
            0..6 => exponents[(exponent % 5) as usize],
            6..12 => exponents[2] + exponent % 64 - 32,
            _ => exponent & ((1 << exponent_bits) - 1),
        };
        let mantissa = if bits & 0x300 == 0 { mantissa & 3 } else { mantissa };
        (bits >> 59 & 1) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
    }

    fn agree(fast: fn(Real) -> Function, format: FormatName) {
        let mut state = 1;
        let operations = [
            Real::Add,
            Real::Subtract,
            Real::Multiply,
            Real::MultiplyAdd,
            Real::Divide,
            Real::SquareRoot,
        ];
        for operation in operations {
            for _ in 0..2000 {
                let mut lanes = || -> Lanes { std::array::from_fn(|_| sample(&mut state, format == FormatName::F64)) };
                let (a, b, c) = (lanes(), lanes(), lanes());
                let run = |function| {
                    let mut out = [0; LANES];
                    evaluate(
                        function,
                        &mut Work {
                            mask: u32::MAX,
                            a: &a,
                            b: &b,
                            c: &c,
                            out: &mut out,
                        },
                    );
                    out
                };
                let exact = run(Function::Real {
                    operation,
                    format,
                    modifiers: Modifiers::default(),
                });
                let found = run(fast(operation));
                for lane in 0..LANES {
                    assert_eq!(
                        found[lane], exact[lane],
                        "{operation:?} {:x} {:x} {:x}",
                        a[lane], b[lane], c[lane]
                    );
                }
            }
        }
    }

    #[test]
    fn the_host_gives_what_numerics_gives_in_single_precision() {
        agree(Function::Single, FormatName::F32);
    }

    #[test]
    fn the_host_gives_what_numerics_gives_in_double_precision() {
        agree(Function::Double, FormatName::F64);
    }
}
