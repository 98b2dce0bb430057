//! Control flow.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        barrier::{Action, Barriers},
        code::{Op, Source, Test},
        control::{Destination, Flow, Members},
    },
    Decoder, Numbers,
};

/// Branches, convergence barriers, calls.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let test = decoder.test(&[F::Pp]).unwrap_or(Test::ALWAYS);
    let barrier = decoder.raw(F::Bd).or_else(|| decoder.raw(F::Ba)).unwrap_or(0) as u8;
    let flow = match decoder.instruction.opcode() {
        O::Bra => branch(decoder, test)?,
        O::Exit => Flow::Exit { test },
        O::Bssy => Flow::Arm { barrier, test },
        O::Bsync => Flow::Converge { barrier, test },
        O::Break => Flow::Leave { barrier, test },
        O::Warpsync => warp_sync(decoder, test)?,
        O::Yield => Flow::Yield,
        O::Call => Flow::Jump {
            test,
            destination: destination(decoder)?,
        },
        O::Ret => Flow::Jump {
            test,
            destination: destination(decoder)?,
        },
        _ => return None,
    };
    Some(Op::Control(flow))
}

fn branch(decoder: &mut Decoder<'_>, test: Test) -> Option<Flow> {
    if decoder.form_name() != "L" {
        return None;
    }
    Some(Flow::Branch {
        test,
        target: decoder.target()?,
    })
}

fn warp_sync(decoder: &mut Decoder<'_>, test: Test) -> Option<Flow> {
    let members = match decoder.form_name() {
        "ALL.none" => Members::All,
        "I" | "R" => Members::Mask(decoder.values().first()?.source(Numbers::Integer)),
        _ => return None,
    };
    Some(Flow::Wait { test, members })
}

/// Where `CALL` and `RET` go.
fn destination(decoder: &mut Decoder<'_>) -> Option<Destination> {
    let name = decoder.form_name();
    if name == "REL.L" {
        return Some(Destination::Step(decoder.target()?));
    }
    let offset = match name {
        "REL.R" => i64::from(decoder.target()?) * 16,
        "ABS.R" => decoder.number(F::Imm).unwrap_or(0),
        _ => return None,
    };
    let low = decoder.register(F::Ra);
    Some(Destination::Address {
        low: Source::plain(low),
        high: Source::plain(low.after(1)),
        offset,
        relative: name == "REL.R",
    })
}

/// `BAR`
pub(super) fn barrier(decoder: &mut Decoder<'_>) -> Option<Op> {
    let name = decoder.form_name();
    let (kind, operands) = name.split_once('.')?;
    let mut values = decoder.values().into_iter();
    let action = match (kind, decoder.text(F::Reduction)) {
        ("SYNC", _) => Action::Sync,
        ("ARV", _) => Action::Arrive,
        ("RED", "POPC") => Action::Popcount(decoder.test(&[F::Pp])?),
        ("RED", "AND") => Action::And(decoder.test(&[F::Pp])?),
        ("RED", "OR") => Action::Or(decoder.test(&[F::Pp])?),
        _ => return None,
    };
    let _ = operands;
    Some(Op::Barrier(Barriers::Cta {
        action,
        number: values.next()?.source(Numbers::Integer),
        threads: values
            .next()
            .filter(|v| v.immediate != Some(0))
            .map(|v| v.source(Numbers::Integer)),
    }))
}
