//! Control flow.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        barrier::{Action, Barriers, Expected},
        code::{Constant, Op, Row, Source, Test},
        control::{Condition, Destination, Flow, Members, State},
    },
    Decoder, Numbers,
};

/// Branches, convergence barriers, calls.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let test = decoder.test(&[F::Pp]).unwrap_or(Test::ALWAYS);
    let barrier = decoder.raw(F::Bd).or_else(|| decoder.raw(F::Ba)).unwrap_or(0) as u8;
    let flow = match decoder.instruction.opcode() {
        O::Bra => branch(decoder, test)?,
        O::Brx | O::Brxu => indirect(decoder, test, true)?,
        O::Jmx | O::Jmxu => indirect(decoder, test, false)?,
        O::Exit if decoder.text(F::Mode).is_empty() => Flow::Exit { test },
        O::Kill => Flow::Exit { test },
        O::Bssy => Flow::Arm {
            barrier,
            test,
            // From sm_100 on the machine is told where all come.
            loose: decoder.text(F::Mode).is_empty(),
        },
        O::Bsync => Flow::Converge { barrier, test },
        O::Break => Flow::Leave { barrier, test },
        O::Bmov => barrier_move(decoder, barrier)?,
        O::Warpsync => warp_sync(decoder, test)?,
        O::Endcollective => Flow::Scatter { test },
        O::Yield | O::Nanosleep => Flow::Yield { test },
        O::Bpt if decoder.text(F::Action) == "TRAP" => Flow::Trap,
        O::Call | O::Ret => Flow::Jump {
            test,
            destination: destination(decoder)?,
        },
        O::Lepc => Flow::AddressOf {
            d: decoder.destination(),
            // Without a label it is the instruction's own address: observed, code subtracts that offset to make a return address.
            target: match decoder.form_name() {
                "R" => decoder.pc,
                _ => decoder.target()?,
            },
        },
        O::Rpcmov => return_address(decoder)?,
        _ => return None,
    };
    Some(Op::Control(flow))
}

/// `BRA`. `.U` promises that the threads agree; `.DIV` and `.CONV` ask whether lanes run together: those of a uniform register, or all. (Observed:
/// ptxas writes `.DIV` before a `shfl.sync` to the code for a diverged warp, `.CONV` to skip that code.)
fn branch(decoder: &mut Decoder<'_>, test: Test) -> Option<Flow> {
    if !matches!(decoder.text(F::CallDepth), "" | "INC" | "DEC") || decoder.flag(F::NotTid0) {
        return None;
    }
    let name = decoder.form_name();
    let lanes = match name {
        "UR_L" => Some(decoder.values().first()?.source(Numbers::Integer)),
        _ => None,
    };
    let all = || Source {
        modify: super::super::code::Modify::Invert,
        ..Source::ZERO
    };
    let divergent = |together| Condition::Divergent {
        lanes: lanes.unwrap_or_else(all),
        together,
    };
    let condition = match (name, decoder.text(F::Divergence)) {
        ("L" | "UR_L", "DIV") => divergent(false),
        ("L" | "UR_L", "CONV") => divergent(true),
        ("L", "" | "U") => Condition::Always,
        ("U.L" | "UP_L", _) if decoder.flag(F::Any) => Condition::Any,
        ("U.L" | "UP_L", _) => Condition::Always,
        _ => return None,
    };
    let test = match name {
        // Both a predicate and a uniform one were never seen together.
        "UP_L" if test == Test::ALWAYS => decoder.test(&[F::UPs])?,
        "UP_L" => return None,
        _ => test,
    };
    Some(Flow::Branch {
        test,
        condition,
        target: decoder.target()?,
    })
}

/// `BRX`: to the next instruction plus a register pair and an offset; `JMX` without the former.
fn indirect(decoder: &mut Decoder<'_>, test: Test, relative: bool) -> Option<Flow> {
    let low = match decoder.has(F::URa) {
        true => decoder.register(F::URa),
        false => decoder.register(F::Ra),
    };
    let next = super::super::code::code_address(decoder.pc + 1) as i64;
    let offset = decoder.number(F::Imm).unwrap_or(0);
    Some(Flow::Jump {
        test,
        destination: Destination::Address {
            low: Source::plain(low),
            high: Source::plain(low.after(1)),
            offset: if relative { next.wrapping_add(offset) } else { offset },
            relative: false,
        },
    })
}

/// `BMOV`
fn barrier_move(decoder: &mut Decoder<'_>, barrier: u8) -> Option<Flow> {
    let state = decoder.text(F::ThreadState);
    let numbered = |name: &str| name.strip_prefix('B')?.parse().ok().filter(|number| *number < 16);
    match decoder.form_name() {
        "32.R_S" => Some(Flow::Save {
            d: decoder.destination(),
            state: match state {
                "MACTIVE" => State::Active,
                "MEXITED" => State::Exited,
                name => State::Barrier(numbered(name)?),
            },
            clear: decoder.flag(F::Clear),
        }),
        "32.S_R" if !decoder.flag(F::Pquad) => Some(Flow::Restore {
            barrier: numbered(state)?,
            source: Source::plain(decoder.register(F::Rb)),
        }),
        "32.S_I" if !decoder.flag(F::Pquad) => Some(Flow::Fill {
            barrier: numbered(state)?,
            lanes: decoder.raw(F::Imm)? as u32,
        }),
        "32.CLEAR.B_S" => Some(Flow::PassOn {
            to: barrier,
            from: numbered(state)?,
        }),
        // The one thing that `MACTIVE` is kept for: lanes of quads that help run alone again.
        "32.B_S" if state == "MACTIVE" => Some(Flow::Save {
            d: Row::ZERO,
            state: State::Active,
            clear: false,
        }),
        "32.S_B" if state == "MACTIVE" => Some(Flow::Help {
            whole: decoder.flag(F::Pquad),
        }),
        _ => {
            let _ = barrier;
            None
        }
    }
}

/// `RPCMOV.32`
fn return_address(decoder: &mut Decoder<'_>) -> Option<Flow> {
    let high = match decoder.text(F::Half) {
        "LO" => false,
        "HI" => true,
        _ => return None,
    };
    match decoder.form_name() {
        "32.R_Rpchalf" => Some(Flow::LoadReturn {
            d: decoder.destination(),
            high,
        }),
        "32.Rpchalf_R" => Some(Flow::StoreReturn {
            source: Source::plain(decoder.register(F::Rb)),
            high,
        }),
        _ => None,
    }
}

fn warp_sync(decoder: &mut Decoder<'_>, test: Test) -> Option<Flow> {
    let members = match decoder.form_name() {
        "ALL.none" | "COLLECTIVE.ALL.L" => Members::All,
        "I" | "R" | "UR" | "COLLECTIVE.R_L" => Members::Mask(decoder.values().first()?.source(Numbers::Integer)),
        _ => return None,
    };
    Some(match decoder.has_literal("COLLECTIVE") {
        true => Flow::Gather {
            test,
            members,
            target: decoder.target()?,
        },
        false => Flow::Wait { test, members },
    })
}

/// Where `CALL` and `RET` go.
fn destination(decoder: &mut Decoder<'_>) -> Option<Destination> {
    let name = decoder.form_name();
    let offset = match name {
        "REL.L" => return Some(Destination::Step(decoder.target()?)),
        "ABS.I" => return Some(Destination::Absolute(decoder.number(F::Imm)? as u64)),
        "REL.R" | "REL.UR" => i64::from(decoder.target()?) * 16,
        "ABS.R" | "ABS.UR" => decoder.number(F::Imm).unwrap_or(0),
        _ => return None,
    };
    let low = match decoder.has(F::URa) {
        true => decoder.register(F::URa),
        false => decoder.register(F::Ra),
    };
    Some(Destination::Address {
        low: Source::plain(low),
        high: Source::plain(low.after(1)),
        offset,
        relative: name.starts_with("REL"),
    })
}

/// `BAR`. Where number and count are registers they are one, with the number in bits 0 to 3 and the count in bits 16 to 27 (observed, ptxas 13.0.88).
pub(super) fn barrier(decoder: &mut Decoder<'_>) -> Option<Op> {
    let name = decoder.form_name().replace("DEFER_BLOCKING.", "");
    let (kind, operands) = name.split_once('.')?;
    let action = match (kind, decoder.text(F::Reduction)) {
        ("SYNC", _) => Action::Sync,
        ("ARV", _) => Action::Arrive,
        ("RED", "POPC") => Action::Popcount(decoder.test(&[F::Pp])?),
        ("RED", "AND") => Action::And(decoder.test(&[F::Pp])?),
        ("RED", "OR") => Action::Or(decoder.test(&[F::Pp])?),
        _ => return None,
    };
    let register = Source::plain(decoder.register(F::Rb));
    let [first, second] = [F::Imm, F::Imm2].map(|field| {
        let value = decoder.number(field)? as u32;
        Some(Source::plain(decoder.constants.row(Constant::Value(value))))
    });
    let count = |source: Option<Source>| match source {
        Some(source) if source.row != Row::ZERO => Expected::Threads(source),
        Some(_) | None => Expected::All,
    };
    let operands = ["_P", "_P_imm2", "_P_rb"]
        .iter()
        .find_map(|end| operands.strip_suffix(end))
        .unwrap_or(operands);
    let (number, threads) = match operands {
        "I" if decoder.has(F::Rb) => (first?, count(Some(register))),
        "I_I" | "I_imm2" | "I" => (first?, count(second)),
        "I_R" | "I_rb" => (first?, count(Some(register))),
        "R_I" | "R" => (register, count(first)),
        "R_R" => (register, Expected::Packed),
        _ => return None,
    };
    Some(Op::Barrier(Barriers::Cta {
        action,
        number,
        threads,
    }))
}

/// `B2R.RESULT`
pub(super) fn barrier_result(decoder: &mut Decoder<'_>) -> Option<Op> {
    (decoder.form_name() == "RESULT.R").then(|| {
        Op::Barrier(Barriers::Result {
            d: decoder.destination(),
            p: decoder.predicate(&[F::Pu]),
        })
    })
}

/// `UCGABAR_ARV`, `UCGABAR_WAIT`
pub(super) fn cluster_barrier(decoder: &mut Decoder<'_>) -> Option<Op> {
    Some(Op::Barrier(match decoder.instruction.opcode() {
        O::UcgabarArv => Barriers::ClusterArrive,
        O::UcgabarWait => Barriers::ClusterWait,
        _ => return None,
    }))
}

/// `WARPGROUP`: of its forms only the wait has an effect, as products are computed when their warps have come to them.
pub(super) fn warpgroup(decoder: &mut Decoder<'_>) -> Option<Op> {
    if !decoder.form_name().starts_with("DEPBAR") {
        return Some(Op::Nothing);
    }
    let pending = decoder.raw(F::Count)?;
    Some(Op::Barrier(Barriers::Products {
        pending: u8::try_from(pending).ok()?,
    }))
}
