//! Every arithmetic, logic and conversion operation, lane by lane: the one place where the interpreter computes.
//!
//! What an operation means stands in `warpsmith_numerics`. Plain integer arithmetic is done by the host, and so are the frequent floating-point
//! operations rounded to nearest where its result is the same by definition ([`host`]).

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

mod host;
mod number;
mod real;
mod whole;

use warpsmith_numerics::{
    convert::{self, Integer},
    float::{self, Combine, Comparison, MinMax, Modifiers},
    format::{self, Format},
    integer::{self, Direction, Part, Permutation, Range},
    video,
};

use super::code::{LANES, Lanes};
use number::Number;
pub(crate) use whole::carried;

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
    SineOfTurns,
    CosineOfTurns,
    Logarithm,
    Exponential,
    Tangent,
    Divide,
    DivideFull,
    ReciprocalDouble,
    ReciprocalSquareRootDouble,
    RefinedReciprocalSquareRoot,
    ExponentialF16,
    ExponentialBf16,
    TangentF16,
    TangentBf16,
    ExponentialF16x2,
    ExponentialBf16x2,
    TangentF16x2,
    TangentBf16x2,
}

/// What is done with each of the four bytes of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    Add { saturate: bool },
    Subtract { saturate: bool },
    Minimum { relu: bool },
    Maximum { relu: bool },
    Negate,
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
    /// Four values, two in each of the first operands, the first of each two in its lower half.
    StochasticQuad {
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
    /// `clmad`
    CarrylessMultiplyAdd {
        part: Part,
    },
    PairAdd {
        signed: bool,
        saturate: bool,
    },
    Bytes {
        operation: Bytes,
        signed: bool,
    },
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

    /// Computes the lanes of the mask for which a condition on the operands holds.
    #[cold]
    fn each_where(&mut self, condition: impl Fn(u64, u64, u64) -> bool, operation: impl Fn(u64, u64, u64) -> u64) {
        for lane in crate::lanes::lanes_of(self.mask) {
            let (a, b, c) = (self.a[lane], self.b[lane], self.c[lane]);
            if condition(a, b, c) {
                self.out[lane] = operation(a, b, c);
            }
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
        Function::Whole(operation, kind) => whole::whole(operation, kind, work),
        Function::Rare(operation) => whole::rare(operation, work),
        Function::Single(operation) => host::single_with(operation, Modifiers::default(), work),
        Function::Double(operation) => real::double(operation, work),
        Function::Real {
            operation,
            format: FormatName::F32,
            modifiers,
        } if host::has_single(modifiers) => host::single_with(operation, modifiers, work),
        Function::Real {
            operation,
            format,
            modifiers,
        } if host::narrow(operation, format, modifiers, false, work) => {}
        Function::PackedReal {
            operation,
            format,
            modifiers,
        } if host::narrow(operation, format, modifiers, true, work) => {}
        Function::Extreme {
            maximum,
            format: FormatName::F32,
            modifiers:
                modifiers @ MinMax {
                    nan: false,
                    abs: false,
                    xorsign: false,
                    ftz,
                },
            operands: 2,
        } => {
            let one = if maximum { float::max } else { float::min };
            let exact = |a, b| one(format::F32, modifiers, a, b);
            if ftz {
                host::extreme::<true>(maximum, work, exact);
            } else {
                host::extreme::<false>(maximum, work, exact);
            }
        }
        Function::Real {
            operation,
            format,
            modifiers,
        } => with_format!(format, F => work.each(|a, b, c| real::real(operation, F, modifiers, [a, b, c]))),
        Function::PackedReal {
            operation,
            format,
            modifiers,
        } => {
            let format = format.format();
            work.each(|a, b, c| {
                float::map_lanes(format, [a, b, c], |lanes| {
                    real::real(operation, format, modifiers, lanes)
                })
            });
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
        Function::Approximate { function, ftz } => real::approximated(function, ftz, work),
        Function::Convert(conversion) => real::converted(conversion, work),
    }
}

impl Function {
    /// Whether it divides integers, or takes the remainder.
    pub(crate) fn divides_integers(self) -> bool {
        matches!(self, Function::Whole(Whole::Divide | Whole::Remainder, _))
    }

    /// Whether bits are zero as an operand of integers; of other functions never.
    pub(crate) fn is_zero(self, bits: u64) -> bool {
        match self {
            Function::Whole(_, kind) => with_kind!(kind, T => T::of(bits) == 0),
            _ => false,
        }
    }
}

/// One value of a function: for atomics and reductions.
pub(crate) fn evaluate_one(function: Function, a: u64, b: u64) -> u64 {
    if let Function::Whole(operation, kind) = function
        && let Some(value) = whole::one(operation, kind, a, b)
    {
        return value;
    }
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

/// The low `width` bits.
#[inline(always)]
pub(crate) fn truncated(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
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
            format: FormatName::F32,
            ftz,
        } => host::compare_single(comparison, ftz, a, b),
        Compare::Real {
            comparison,
            format: FormatName::F64,
            ..
        } => host::compare_double(comparison, a, b),
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
