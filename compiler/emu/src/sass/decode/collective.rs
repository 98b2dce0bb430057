//! Votes, shuffles, matches and reductions.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Op, Test},
        collective::{Collective, Reduction, Shuffle, Vote},
    },
    Decoder,
    integer::source,
};

pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let collective = match decoder.instruction.opcode() {
        O::Vote | O::Voteu => vote(decoder),
        O::Shfl => shuffle(decoder),
        O::Match => matches(decoder),
        O::Redux | O::Credux => reduce(decoder),
        O::Elect => elect(decoder),
        O::R2ur => to_uniform(decoder),
        _ => None,
    }?;
    Some(Op::Collective(collective))
}

fn vote(decoder: &mut Decoder<'_>) -> Option<Collective> {
    Some(Collective::Vote {
        mode: match decoder.text(F::Mode) {
            "ALL" => Vote::All,
            "ANY" => Vote::Any,
            "EQ" => Vote::Equal,
            _ => return None,
        },
        d: decoder.destination(),
        p: decoder.predicate(&[F::Pu, F::UPu]),
        test: decoder.test(&[F::Pp])?,
    })
}

fn shuffle(decoder: &mut Decoder<'_>) -> Option<Collective> {
    let values = decoder.values();
    Some(Collective::Shuffle {
        mode: match decoder.text(F::Mode) {
            "IDX" => Shuffle::Index,
            "UP" => Shuffle::Up,
            "DOWN" => Shuffle::Down,
            "BFLY" => Shuffle::Butterfly,
            _ => return None,
        },
        d: decoder.destination(),
        p: decoder.predicate(&[F::Pu]),
        a: source(&values, 0),
        b: source(&values, 1),
        c: source(&values, 2),
    })
}

fn matches(decoder: &mut Decoder<'_>) -> Option<Collective> {
    let values = decoder.values();
    let value = values.first()?;
    let wide = decoder.flag(F::U64);
    let a = [value.row, if wide { value.high } else { value.row }];
    let (d, p) = (decoder.destination(), decoder.predicate(&[F::Pu]));
    if decoder.has_literal("ALL") {
        Some(Collective::MatchAll { d, p, a })
    } else {
        decoder.has_literal("ANY").then_some(Collective::MatchAny { d, a })
    }
}

fn reduce(decoder: &mut Decoder<'_>) -> Option<Collective> {
    let values = decoder.values();
    let signed = match decoder.text(F::Type) {
        "" => decoder.flag(F::S32),
        "S32" => true,
        "F32" => return float_reduce(decoder),
        _ => return None,
    };
    let operation = match (decoder.text(F::Operation), signed) {
        // `.S32` changes nothing in these.
        ("", _) => Reduction::And,
        ("OR", _) => Reduction::Or,
        ("XOR", _) => Reduction::Xor,
        ("SUM", _) => Reduction::Add,
        ("MIN", false) => Reduction::Minimum,
        ("MAX", false) => Reduction::Maximum,
        ("MIN", true) => Reduction::MinimumSigned,
        ("MAX", true) => Reduction::MaximumSigned,
        _ => return None,
    };
    Some(Collective::Reduce {
        operation,
        d: decoder.destination(),
        a: values.first()?.row,
    })
}

fn float_reduce(decoder: &mut Decoder<'_>) -> Option<Collective> {
    let (maximum, absolute) = match decoder.text(F::Operation) {
        "MIN" => (false, false),
        "MAX" => (true, false),
        "MINABS" => (false, true),
        "MAXABS" => (true, true),
        _ => return None,
    };
    let values = decoder.values();
    Some(Collective::Reduce {
        operation: Reduction::Float {
            maximum,
            absolute,
            nan: decoder.flag(F::Nan),
        },
        d: decoder.destination(),
        a: values.first()?.row,
    })
}

fn elect(decoder: &mut Decoder<'_>) -> Option<Collective> {
    let plain = decoder.form_name() == "P_UR_P" && decoder.test(&[F::Pp])? == Test::ALWAYS;
    (plain && !decoder.flag(F::Ignorekill)).then(|| Collective::Elect {
        d: decoder.destination(),
        p: decoder.predicate(&[F::Pu]),
    })
}

/// `R2UR`
fn to_uniform(decoder: &mut Decoder<'_>) -> Option<Collective> {
    if !matches!(decoder.text(F::Lanes), "" | "BROADCAST" | "FILL") {
        return None;
    }
    let values = decoder.values();
    Some(Collective::ToUniform {
        d: decoder.destination(),
        a: values.first()?.row,
        p: decoder.predicate(&[F::Pu]),
        or: decoder.has_literal("OR"),
    })
}
