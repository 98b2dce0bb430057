//! Comparisons of integers and logic on predicates.

use warpsmith_sass::{
    FieldName as F,
    tables::{Cmp, Combine as TableCombine},
};

use super::{
    super::{
        code::{LANES, Lanes, Op},
        predicate::{Bit, Combine, CompareFunction, ComparePairFunction, Outcome, PredicateOp, lanes_where},
    },
    Decoder,
    integer::{source, words},
};

macro_rules! compared {
    ($words:ty, |$a:ident, $b:ident| $value:expr) => {
        |a: &$words, b: &$words| {
            lanes_where(|lane| {
                let ($a, $b) = (a[lane], b[lane]);
                let _ = ($a, $b);
                $value
            })
        }
    };
}

/// The comparison of words.
fn words_compared(compare: Cmp, unsigned: bool) -> Option<CompareFunction> {
    Some(match (compare, unsigned) {
        (Cmp::F, _) => compared!(Lanes, |_a, _b| false),
        (Cmp::T, _) => compared!(Lanes, |_a, _b| true),
        (Cmp::Eq, _) => compared!(Lanes, |a, b| a == b),
        (Cmp::Ne, _) => compared!(Lanes, |a, b| a != b),
        (Cmp::Lt, true) => compared!(Lanes, |a, b| a < b),
        (Cmp::Le, true) => compared!(Lanes, |a, b| a <= b),
        (Cmp::Gt, true) => compared!(Lanes, |a, b| a > b),
        (Cmp::Ge, true) => compared!(Lanes, |a, b| a >= b),
        (Cmp::Lt, false) => compared!(Lanes, |a, b| (a as i32) < b as i32),
        (Cmp::Le, false) => compared!(Lanes, |a, b| a as i32 <= b as i32),
        (Cmp::Gt, false) => compared!(Lanes, |a, b| a as i32 > b as i32),
        (Cmp::Ge, false) => compared!(Lanes, |a, b| a as i32 >= b as i32),
        _ => return None,
    })
}

/// The comparison of 64-bit numbers.
fn pairs_compared(compare: Cmp, unsigned: bool) -> Option<ComparePairFunction> {
    Some(match (compare, unsigned) {
        (Cmp::F, _) => compared!([u64; LANES], |_a, _b| false),
        (Cmp::T, _) => compared!([u64; LANES], |_a, _b| true),
        (Cmp::Eq, _) => compared!([u64; LANES], |a, b| a == b),
        (Cmp::Ne, _) => compared!([u64; LANES], |a, b| a != b),
        (Cmp::Lt, true) => compared!([u64; LANES], |a, b| a < b),
        (Cmp::Le, true) => compared!([u64; LANES], |a, b| a <= b),
        (Cmp::Gt, true) => compared!([u64; LANES], |a, b| a > b),
        (Cmp::Ge, true) => compared!([u64; LANES], |a, b| a >= b),
        (Cmp::Lt, false) => compared!([u64; LANES], |a, b| (a as i64) < b as i64),
        (Cmp::Le, false) => compared!([u64; LANES], |a, b| a as i64 <= b as i64),
        (Cmp::Gt, false) => compared!([u64; LANES], |a, b| a as i64 > b as i64),
        (Cmp::Ge, false) => compared!([u64; LANES], |a, b| a as i64 >= b as i64),
        _ => return None,
    })
}

/// The comparison of high words that decides by itself; where they are equal the outcome for the low words does (with `.EX`).
fn strict(compare: Cmp) -> Option<Cmp> {
    Some(match compare {
        Cmp::F | Cmp::Eq => Cmp::F,
        Cmp::Lt | Cmp::Le => Cmp::Lt,
        Cmp::Gt | Cmp::Ge => Cmp::Gt,
        Cmp::Ne => Cmp::Ne,
        Cmp::T => Cmp::T,
        _ => return None,
    })
}

/// `ISETP`, `UISETP`
pub(super) fn compare(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let compare = decoder.modifier::<Cmp>()?;
    let outcome = Outcome {
        p: decoder.predicate(&[F::Pu, F::UPu]),
        q: decoder.predicate(&[F::Pv, F::UPv]),
        combine: match decoder.modifier::<TableCombine>()? {
            TableCombine::And => Combine::And,
            TableCombine::Or => Combine::Or,
            TableCombine::Xor => Combine::Xor,
        },
        test: decoder.test(&[F::Pp, F::UPp])?,
    };
    let extended = decoder.flag(F::Extended) || decoder.has_literal("EX");
    if decoder.form_name().ends_with("_type") {
        let unsigned = match decoder.text(F::Type) {
            "U64" => true,
            "S64" => false,
            _ => return None,
        };
        return (!extended).then_some(Op::Predicate(PredicateOp::ComparePair {
            function: pairs_compared(compare, unsigned)?,
            a: words(&values, 0),
            b: words(&values, 1),
            outcome,
        }));
    }
    let (compare, low) = if extended && compare == Cmp::F {
        (Cmp::F, None)
    } else if extended {
        (strict(compare)?, Some(decoder.test(&[F::Pr, F::UPr])?))
    } else {
        (compare, None)
    };
    Some(Op::Predicate(PredicateOp::Compare {
        function: words_compared(compare, decoder.flag(F::U32))?,
        a: source(&values, 0),
        b: source(&values, 1),
        extended: low,
        outcome,
    }))
}

/// `PLOP3`, `UPLOP3`
pub(super) fn table(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let (_, operands) = decoder.form_name().rsplit_once('.')?;
    let names = [F::Pp, F::UPp, F::Pq, F::UPq, F::Pr, F::UPr];
    let mut tests = names
        .into_iter()
        .filter(|name| decoder.has(*name))
        .filter_map(|name| decoder.test(&[name]));
    let mut signs = values.iter().filter(|value| value.immediate.is_none());
    let mut bits = [None; 3];
    for (bit, operand) in bits.iter_mut().zip(operands.split('_').skip(2)) {
        *bit = Some(match operand {
            "P" | "UP" => Bit::Test(tests.next()?),
            "R" | "UR" | "C" => Bit::Sign(signs.next()?.row),
            _ => return None,
        });
    }
    let mut tables = values.iter().filter_map(|value| value.immediate);
    Some(Op::Predicate(PredicateOp::Table {
        p: decoder.predicate(&[F::Pu, F::UPu]),
        q: decoder.predicate(&[F::Pv, F::UPv]),
        bits: [bits[0]?, bits[1]?, bits[2]?],
        tables: [tables.next()? as u8, tables.next()? as u8],
    }))
}

fn byte(decoder: &Decoder<'_>) -> Option<u8> {
    Some(match decoder.text(F::Byte) {
        "" => 0,
        "B1" => 1,
        "B2" => 2,
        "B3" => 3,
        _ => return None,
    })
}

/// `P2R`, `UP2UR`
pub(super) fn pack(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let mask = values.get(1)?;
    if mask.immediate.is_some_and(|mask| mask > 0xff) {
        return None;
    }
    Some(Op::Predicate(PredicateOp::Pack {
        d: decoder.destination(),
        a: values.first()?.row,
        mask: mask.row,
        byte: byte(decoder)?,
        uniform: decoder.has(F::URd),
    }))
}

/// `R2P`, `UR2UP`
pub(super) fn unpack(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let mask = values.get(1)?;
    if mask.immediate.is_some_and(|mask| mask > 0xff) {
        return None;
    }
    Some(Op::Predicate(PredicateOp::Unpack {
        a: values.first()?.row,
        mask: mask.row,
        byte: byte(decoder)?,
        uniform: decoder.has(F::URa),
    }))
}
