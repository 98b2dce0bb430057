//! Double-precision instructions.

use warpsmith_sass::{FieldName as F, Opcode as O, tables::Cmp};

use super::{
    super::{
        code::{LANES, Op},
        double,
        float::{Doublewords, FloatOp, WideComparison, WideFunction},
    },
    Decoder,
    float::{Parts, combine, predicates, test},
};

/// `DADD`, `DMUL`, `DFMA`.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let parts = Parts::of(decoder);
    let parameter = parts.parameter()?;
    if !parts.has_plain_operands() {
        return None;
    }
    let functions: [WideFunction; 2] = match decoder.instruction.opcode() {
        O::Dadd => [double::add, double::add_general],
        O::Dmul => [double::multiply, double::multiply_general],
        O::Dfma => [double::multiply_add, double::multiply_add_general],
        _ => return None,
    };
    Some(Op::Float(FloatOp::Wide {
        function: functions[usize::from(parameter != 0)],
        d: decoder.destination(),
        wide: true,
        sources: [parts.double(0), parts.double(1), parts.double(2)],
        parameter,
    }))
}

macro_rules! compared {
    ($test:expr) => {
        |a: &Doublewords, b: &Doublewords| {
            let test: fn(f64, f64) -> bool = $test;
            let holds = (0..LANES).fold(0, |holds, lane| {
                holds | u32::from(test(f64::from_bits(a[lane]), f64::from_bits(b[lane]))) << lane
            });
            [holds, !holds]
        }
    };
}

/// The function of a comparison. The host's comparisons are those of IEEE 754.
// With NaN, `a < b || a > b` is not `a != b`.
#[allow(clippy::double_comparisons)]
fn comparison(cmp: Cmp) -> Option<WideComparison> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(match cmp {
        Cmp::Min => |a, b| double::extreme(false, a, b),
        Cmp::Max => |a, b| double::extreme(true, a, b),
        Cmp::Lt => compared!(|a, b| a < b),
        Cmp::Le => compared!(|a, b| a <= b),
        Cmp::Gt => compared!(|a, b| a > b),
        Cmp::Ge => compared!(|a, b| a >= b),
        Cmp::Eq => compared!(|a, b| a == b),
        Cmp::Ne => compared!(|a, b| a < b || a > b),
        Cmp::Num => compared!(|a, b| !a.is_nan() && !b.is_nan()),
        Cmp::Nan => compared!(|a, b| a.is_nan() || b.is_nan()),
        Cmp::Ltu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(Greater | Equal))),
        Cmp::Leu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(Greater))),
        Cmp::Gtu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(Less | Equal))),
        Cmp::Geu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(Less))),
        Cmp::Equ => compared!(|a, b| matches!(a.partial_cmp(&b), None | Some(Equal))),
        Cmp::Neu => compared!(|a, b| a != b),
        Cmp::F | Cmp::T => return None,
    })
}

/// `DSETP`
pub(super) fn compare(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let function = comparison(decoder.modifier::<Cmp>()?)?;
    let cmp = decoder.text(F::Cmp);
    parts.take(cmp);
    let combine = parts.take_first(combine)?;
    if !parts.modifiers.is_empty() || !parts.has_plain_operands() {
        return None;
    }
    let [p, q] = predicates(decoder);
    Some(Op::Float(FloatOp::CompareWide {
        function,
        a: parts.double(0),
        b: parts.double(1),
        p,
        q,
        combine,
        test: test(decoder),
    }))
}
