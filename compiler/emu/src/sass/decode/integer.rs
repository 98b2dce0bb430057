//! Integer arithmetic, logic and comparisons, of registers and of uniform registers.

use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine as TableCombine},
};

use super::{
    super::{
        code::{LANES, Lanes, Op, Source, Test},
        lanes::{self, lanes},
        predicate::{CarryFunction, Combine, CompareFunction, PredicateOp},
    },
    Decoder, Numbers, Value,
};

lanes!(add, |a, b, c, _p| a.wrapping_add(b).wrapping_add(c));
lanes!(multiply_add, |a, b, c, _p| a.wrapping_mul(b).wrapping_add(c));
lanes!(
    /// `LOP3`: bit by bit, the bit of the truth table that the three bits select.
    logic,
    |a, b, c, table| {
        let mut out = 0;
        for index in 0..8 {
            let pick = |value: u32, bit: u32| if index >> bit & 1 != 0 { value } else { !value };
            let chosen = if table >> index & 1 != 0 { u32::MAX } else { 0 };
            out |= pick(a, 2) & pick(b, 1) & pick(c, 0) & chosen;
        }
        out
    }
);

fn source(values: &[Value], index: usize) -> Source {
    values
        .get(index)
        .map_or(Source::ZERO, |value| value.source(Numbers::Integer))
}

/// Arithmetic and logic.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let d = decoder.destination();
    let [a, b, c] = std::array::from_fn(|index| source(&values, index));
    let simple = |function, parameter| Op::Lanes {
        function,
        d,
        a,
        b,
        c,
        parameter,
    };
    match decoder.instruction.opcode() {
        O::Mov | O::Umov if !decoder.has_literal("64") => Some(simple(lanes::copy, 0)),
        O::Viadd if !decoder.has_literal("64") => Some(simple(add, 0)),
        O::Iadd3 | O::Uiadd3 if !decoder.has_literal("64") => add3(decoder, d, [a, b, c]),
        O::Lop3 | O::Ulop3 => logic3(decoder, &values),
        O::Imad | O::Uimad if !decoder.form_name().contains('.') => Some(simple(multiply_add, 0)),
        _ => None,
    }
}

fn carries(out: &mut Lanes, a: &Lanes, b: &Lanes, c: &Lanes, inputs: [u32; 2]) -> [u32; 2] {
    let mut carry = [0; 2];
    for lane in 0..LANES {
        let extra = u64::from(inputs[0] >> lane & 1) + u64::from(inputs[1] >> lane & 1);
        let sum = u64::from(a[lane]) + u64::from(b[lane]) + u64::from(c[lane]) + extra;
        out[lane] = sum as u32;
        let over = (sum >> 32) as u32;
        carry[0] |= u32::from(over > 0) << lane;
        carry[1] |= u32::from(over > 1) << lane;
    }
    carry
}

fn add3(decoder: &mut Decoder<'_>, d: super::super::code::Row, [a, b, c]: [Source; 3]) -> Option<Op> {
    let p = decoder.predicate(&[F::Pu, F::UPu]);
    let q = decoder.predicate(&[F::Pv, F::UPv]);
    let extended = decoder.has_literal("X");
    if !extended && p.0 % 8 == 7 && q.0 % 8 == 7 {
        return Some(Op::Lanes {
            function: add,
            d,
            a,
            b,
            c,
            parameter: 0,
        });
    }
    let inputs = if extended {
        [
            decoder.test(&[F::Pp, F::UPp]).unwrap_or(Test::NEVER),
            decoder.test(&[F::Pq, F::UPq]).unwrap_or(Test::NEVER),
        ]
    } else {
        [Test::NEVER; 2]
    };
    let function: CarryFunction = carries;
    Some(Op::Predicate(PredicateOp::Carry {
        function,
        d,
        a,
        b,
        c,
        p,
        q,
        carries: inputs,
    }))
}

fn logic3(decoder: &mut Decoder<'_>, values: &[Value]) -> Option<Op> {
    let table = values.last()?.immediate? as u32;
    let plain = decoder.predicate(&[F::Pu, F::UPu]).0 % 8 == 7;
    plain.then_some(Op::Lanes {
        function: logic,
        d: decoder.destination(),
        a: source(values, 0),
        b: source(values, 1),
        c: source(values, 2),
        parameter: table,
    })
}

macro_rules! compared {
    ($test:expr) => {
        |a: &Lanes, b: &Lanes| {
            let mut holds = 0;
            for lane in 0..LANES {
                let test: fn(u32, u32) -> bool = $test;
                holds |= u32::from(test(a[lane], b[lane])) << lane;
            }
            holds
        }
    };
}

/// `ISETP`, `UISETP` of 32-bit numbers.
pub(super) fn compare(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.flag(F::Extended) || decoder.form_name().ends_with("type") {
        return None;
    }
    let unsigned = decoder.flag(F::U32);
    let function: CompareFunction = match (decoder.modifier::<Cmp>()?, unsigned) {
        (Cmp::F, _) => compared!(|_, _| false),
        (Cmp::T, _) => compared!(|_, _| true),
        (Cmp::Eq, _) => compared!(|a, b| a == b),
        (Cmp::Ne, _) => compared!(|a, b| a != b),
        (Cmp::Lt, true) => compared!(|a, b| a < b),
        (Cmp::Le, true) => compared!(|a, b| a <= b),
        (Cmp::Gt, true) => compared!(|a, b| a > b),
        (Cmp::Ge, true) => compared!(|a, b| a >= b),
        (Cmp::Lt, false) => compared!(|a, b| (a as i32) < b as i32),
        (Cmp::Le, false) => compared!(|a, b| a as i32 <= b as i32),
        (Cmp::Gt, false) => compared!(|a, b| a as i32 > b as i32),
        (Cmp::Ge, false) => compared!(|a, b| a as i32 >= b as i32),
        _ => return None,
    };
    let values = decoder.values();
    Some(Op::Predicate(PredicateOp::Compare {
        function,
        a: source(&values, 0),
        b: source(&values, 1),
        p: decoder.predicate(&[F::Pu, F::UPu]),
        q: decoder.predicate(&[F::Pv, F::UPv]),
        combine: match decoder.modifier::<TableCombine>()? {
            TableCombine::And => Combine::And,
            TableCombine::Or => Combine::Or,
            TableCombine::Xor => Combine::Xor,
        },
        test: decoder.test(&[F::Pp, F::UPp])?,
    }))
}
