//! Loads and stores, atomic operations, asynchronous copies, matrices in shared memory.

use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    super::{
        asynchronous::{Amount, Arrive, Asynchronous, Copy},
        atomic::{Atomic, Element, Operation, float_element},
        code::{Op, Predicate, Row, Test},
        matrix::MatrixMove,
        memory::{Access, Address, Kind, Query, Space},
        multimem::MultimemLoad,
    },
    Decoder,
};
use crate::matrix::bytes::Format;

/// `LD`, `LDG`, `LDS`, `LDL`, `ST`, `STG`, `STS`, `STL`.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (kind, space) = match decoder.instruction.opcode() {
        O::Ld => (Kind::Load, Space::Generic),
        O::Ldg => (Kind::Load, Space::Global),
        O::Lds => (Kind::Load, Space::Shared),
        O::Ldl => (Kind::Load, Space::Local),
        O::St => (Kind::Store, Space::Generic),
        O::Stg => (Kind::Store, Space::Global),
        O::Sts => (Kind::Store, Space::Shared),
        O::Stl => (Kind::Store, Space::Local),
        _ => return None,
    };
    let huge = decoder.has_literal("256");
    let (bytes, signed) = if huge { (32, false) } else { size(decoder)? };
    // Loads that also give a predicate or take one, and those of several registers by mask, are not known well enough.
    let plain = |name| {
        decoder
            .test(&[name])
            .is_none_or(|test| test.predicate.0 == 7 && !test.negated)
    };
    let all = !decoder.has(F::Mask) || decoder.raw(F::Mask) == Some(255);
    if !plain(F::Pu) || !plain(F::Pl) || !plain(F::Pp) || !all || decoder.has_literal("ZD") {
        return None;
    }
    // Of 32 bytes, loads name the register of the upper half first, stores that of the lower (observed, ptxas 13.0.88, sm_100).
    let (data, upper) = match kind {
        Kind::Load => (F::Rd, F::Rc),
        Kind::Store if decoder.has(F::Rb) => (F::Rb, F::Rd),
        // `ST` has a form with the register at another place.
        Kind::Store if !huge && decoder.has(F::Rc) => (F::Rc, F::Rd),
        Kind::Store => return None,
    };
    Some(Op::Memory(Access {
        kind,
        space,
        address: address(decoder)?,
        bytes,
        signed,
        data: decoder.register(data),
        upper: if huge { decoder.register(upper) } else { Row::ZERO },
        strong: is_strong(decoder),
    }))
}

/// `ATOM`, `ATOMG`, `ATOMS`, `RED`, `REDG`.
pub(super) fn atomic(decoder: &mut Decoder<'_>) -> Option<Op> {
    let space = match decoder.instruction.opcode() {
        O::Atom | O::Red => Space::Generic,
        O::Atomg | O::Redg => Space::Global,
        O::Atoms => Space::Shared,
        _ => return None,
    };
    Some(Op::Atomic(atomic_at(decoder, space)?))
}

/// What a reduction does with two numbers.
pub(super) fn arithmetic(decoder: &Decoder<'_>) -> Option<Operation> {
    Some(match decoder.text(F::Operation) {
        "ADD" => Operation::Add,
        "MIN" => Operation::Minimum,
        "MAX" => Operation::Maximum,
        "INC" => Operation::Increment,
        "DEC" => Operation::Decrement,
        "AND" => Operation::And,
        "OR" => Operation::Or,
        "XOR" => Operation::Xor,
        _ => return None,
    })
}

fn atomic_at(decoder: &mut Decoder<'_>, space: Space) -> Option<Atomic> {
    let operation = if decoder.has_literal("CAST") || decoder.text(F::Cast) == "CAST" {
        Operation::CompareAndSwapTest
    } else if decoder.has_literal("CAS") {
        Operation::CompareAndSwap
    } else if decoder.has_literal("POPC") {
        Operation::Count
    } else if decoder.has_literal("ARRIVE") && decoder.instruction.isa() < Isa::Sm90 {
        Operation::Arrive
    } else if decoder.text(F::Operation) == "EXCH" {
        Operation::Exchange
    } else {
        arithmetic(decoder)?
    };
    let swaps = matches!(
        operation,
        Operation::CompareAndSwap | Operation::CompareAndSwapTest | Operation::Exchange
    );
    let (element, bytes, count) = match decoder.text(F::Type) {
        "" | "32" => (Element::Unsigned, 4, 1),
        "S32" => (Element::Signed, 4, 1),
        "64" => (Element::Unsigned, 8, 1),
        "S64" => (Element::Signed, 8, 1),
        "128" if swaps => (Element::Unsigned, 4, 4),
        name => float_element(name)?,
    };
    let does_float = matches!(operation, Operation::Add | Operation::Minimum | Operation::Maximum);
    if matches!(element, Element::Float { .. }) && !does_float {
        return None;
    }
    Some(Atomic {
        operation,
        element,
        bytes,
        count,
        space,
        address: address(decoder)?,
        d: decoder.register(F::Rd),
        p: decoder.predicate(&[F::Pu]),
        b: decoder.register(F::Rb),
        c: decoder.register(F::Rc),
    })
}

/// `LDGMC`
pub(super) fn multimem(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (operation, widens) = match decoder.text(F::Operation) {
        "ADD" => (Operation::Add, false),
        "F32ADD" | "HPADD" => (Operation::Add, true),
        "MIN" => (Operation::Minimum, false),
        "MAX" => (Operation::Maximum, false),
        "AND" => (Operation::And, false),
        "OR" => (Operation::Or, false),
        "XOR" => (Operation::Xor, false),
        _ => return None,
    };
    let (element, bytes, count) = match decoder.text(F::Type) {
        "32" => (Element::Unsigned, 4, 1),
        "S32" => (Element::Signed, 4, 1),
        "64" => (Element::Unsigned, 8, 1),
        "S64" => (Element::Signed, 8, 1),
        name => float_element(name)?,
    };
    Some(Op::Multimem(MultimemLoad {
        d: decoder.register(F::Rd),
        address: address(decoder)?,
        operation,
        element,
        bytes,
        count,
        widens,
    }))
}

/// `QSPC`
pub(super) fn query(decoder: &mut Decoder<'_>) -> Option<Op> {
    if !decoder.register(F::Rd).is_zero() {
        return None;
    }
    Some(Op::Query(Query {
        space: match decoder.text(F::Space) {
            "G" => Space::Global,
            "L" => Space::Local,
            "S" => Space::Shared,
            "D" => Space::Cluster,
            _ => return None,
        },
        address: address(decoder)?,
        p: decoder.predicate(&[F::Pu]),
    }))
}

/// `LDSM`, `STSM`, `MOVM`.
pub(super) fn matrix(decoder: &mut Decoder<'_>) -> Option<Op> {
    let count = match decoder.text(F::Count) {
        "" => 1,
        "2" => 2,
        "4" => 4,
        _ => return None,
    };
    let transpose = match (decoder.text(F::Element), decoder.text(F::Shape)) {
        ("16", "M88") => false,
        ("16", "MT88") => true,
        (element, shape) => return byte_matrix(decoder, element, shape, count),
    };
    Some(Op::Matrix(match decoder.instruction.opcode() {
        O::Ldsm => MatrixMove::Load {
            d: decoder.register(F::Rd),
            address: address(decoder)?,
            count,
            transpose,
        },
        O::Stsm => MatrixMove::Store {
            data: decoder.register(F::Rb),
            address: address(decoder)?,
            count,
            transpose,
        },
        O::Movm if transpose => MatrixMove::Transpose {
            d: decoder.register(F::Rd),
            a: decoder.register(F::Ra),
        },
        _ => return None,
    }))
}

/// The same of elements that have a byte in registers.
fn byte_matrix(decoder: &Decoder<'_>, element: &str, shape: &str, count: u8) -> Option<Op> {
    let load = |format, square: bool| {
        // A square matrix takes the addresses of 16 lanes.
        (!square || count < 4).then_some(())?;
        Some(MatrixMove::LoadBytes {
            d: decoder.register(F::Rd),
            address: address(decoder)?,
            count,
            format,
            square,
        })
    };
    let moved = match (decoder.instruction.opcode(), element, shape) {
        (O::Ldsm, "8", "MT1616") => load(Format::B8, true)?,
        (O::Ldsm, "U6x16P32TO8", "MT1616") => load(Format::B6, true)?,
        (O::Ldsm, "U4x16P64TO8", "MT1616") => load(Format::B4, true)?,
        (O::Ldsm, "U6x16P32TO8", "M816") => load(Format::B6, false)?,
        (O::Ldsm, "U4x16P64TO8", "M816") => load(Format::B4, false)?,
        (O::Stsm, "8", "MT168") => MatrixMove::StoreBytes {
            data: decoder.register(F::Rb),
            address: address(decoder)?,
            count,
        },
        (O::Movm, "U4TO8", "M832") => MatrixMove::Widen {
            d: decoder.register(F::Rd),
            a: decoder.register(F::Ra),
        },
        _ => return None,
    };
    Some(Op::Matrix(moved))
}

/// `LDGSTS`, `ARRIVES`, `SYNCS`, `STAS`, `REDAS`.
pub(super) fn asynchronous(decoder: &mut Decoder<'_>) -> Option<Op> {
    let operation = match decoder.instruction.opcode() {
        O::Ldgsts => copy(decoder)?,
        O::Arrives => arrive_after_copies(decoder)?,
        O::Stas => Asynchronous::Store {
            address: pair_address(decoder)?,
            data: decoder.register(F::Rb),
            bytes: size(decoder)?.0,
        },
        O::Redas => {
            let mut atomic = atomic_at(decoder, Space::Cluster)?;
            atomic.address = pair_address(decoder)?;
            Asynchronous::Reduce(atomic)
        }
        O::Syncs if decoder.form_name() == "AU" && decoder.text(F::Action) == "CCTL" => return Some(Op::Nothing),
        O::Syncs if decoder.form_name() == "none_operation" => return Some(Op::Nothing),
        O::Syncs => mbarrier(decoder)?,
        _ => return None,
    };
    // An arrival of sm_80 is an atomic operation.
    Some(match operation {
        Asynchronous::Reduce(atomic) if atomic.operation == Operation::Arrive => Op::Atomic(atomic),
        operation => Op::Asynchronous(operation),
    })
}

/// The address whose low word is in the low register of a pair; the high register holds another.
fn pair_address(decoder: &Decoder<'_>) -> Option<Address> {
    Some(Address {
        wide: false,
        uniform_wide: false,
        ..address(decoder)?
    })
}

fn copy(decoder: &Decoder<'_>) -> Option<Asynchronous> {
    if !matches!(decoder.form_name(), "E.A_A64" | "E.A_D") {
        return None;
    }
    let bytes = match decoder.text(F::Size) {
        "" => 4,
        "64" => 8,
        "128" => 16,
        _ => return None,
    };
    Some(Asynchronous::Copy(Copy {
        to: Address {
            offset: decoder.number(F::SharedOffset).unwrap_or(0),
            ..Address::register(decoder.register(F::Rd), false)
        },
        from: Address {
            offset: decoder.number(F::Offset).unwrap_or(0),
            ..Address::register(decoder.register(F::Ra), true)
        },
        bytes,
        test: decoder.test(&[F::Pp]).unwrap_or(Test::ALWAYS),
        fills: decoder.flag(F::Zfill),
    }))
}

/// `ARRIVES`: the copies before have completed already.
fn arrive_after_copies(decoder: &Decoder<'_>) -> Option<Asynchronous> {
    let address = address(decoder)?;
    let arrive = Arrive {
        d: Row::ZERO,
        address,
        operand: Row::ZERO,
        arrivals: Amount::Nothing,
        bytes: Amount::Nothing,
        completes: true,
        drops: false,
        gives_mask: false,
    };
    Some(match decoder.text(F::Counter) {
        "ARVCNT" => Asynchronous::Arrive(Arrive {
            arrivals: Amount::One,
            ..arrive
        }),
        "TRANSCNT" => Asynchronous::Arrive(Arrive {
            bytes: Amount::One,
            ..arrive
        }),
        "" if decoder.instruction.isa() < Isa::Sm90 => Asynchronous::Reduce(Atomic {
            operation: Operation::Arrive,
            element: Element::Unsigned,
            bytes: 8,
            count: 1,
            space: Space::Shared,
            address,
            d: Row::ZERO,
            p: Predicate::TRUE,
            b: Row::ZERO,
            c: Row::ZERO,
        }),
        _ => return None,
    })
}

/// `SYNCS`. (What the counts mean: observed from what ptxas 13.0.88 writes for the `mbarrier` instructions.)
fn mbarrier(decoder: &Decoder<'_>) -> Option<Asynchronous> {
    let action = decoder.text(F::Action);
    if action == "EXCH" {
        return Some(Asynchronous::Exchange {
            d: decoder.register(F::URd),
            address: Address {
                uniform: decoder.register(F::URa),
                offset: decoder.number(F::Offset).unwrap_or(0),
                ..Address::register(Row::ZERO, false)
            },
            value: decoder.register(F::URb),
        });
    }
    let address = Address {
        uniform: decoder.register(F::URc),
        offset: decoder.number(F::Offset).unwrap_or(0),
        ..Address::register(decoder.register(F::Ra), false)
    };
    match (action, decoder.form_name()) {
        ("PHASECHK", "TRANS64.P_AU_R") => Some(Asynchronous::Check {
            p: decoder.predicate(&[F::Pu]),
            address,
            parity: decoder.register(F::Rb),
            polls: decoder.flag(F::Trywait),
        }),
        ("ARRIVE", "TRANS64.R_AU_R") => {
            let (arrivals, bytes, completes) = match decoder.text(F::ArriveCount) {
                "" => (Amount::One, Amount::Operand, false),
                "A1T0" => (Amount::One, Amount::Nothing, false),
                "A0T1" => (Amount::Nothing, Amount::One, false),
                "A0TR" => (Amount::Nothing, Amount::Operand, false),
                "A0TX" => (Amount::Nothing, Amount::Operand, true),
                "ART0" => (Amount::Operand, Amount::Nothing, false),
                _ => return None,
            };
            let flavor = decoder.text(F::Flavor);
            Some(Asynchronous::Arrive(Arrive {
                d: decoder.register(F::Rd),
                address,
                operand: decoder.register(F::Rb),
                arrivals,
                bytes,
                completes,
                drops: decoder.flag(F::Optout),
                gives_mask: match flavor {
                    "" | "RED" => false,
                    "TMASK" => true,
                    _ => return None,
                },
            }))
        }
        _ => None,
    }
}

/// Bytes of an access, and whether it extends the sign.
pub(super) fn size(decoder: &Decoder<'_>) -> Option<(u8, bool)> {
    Some(match decoder.text(F::Size) {
        "" | "32" => (4, false),
        "U8" => (1, false),
        "S8" => (1, true),
        "U16" => (2, false),
        "S16" => (2, true),
        "64" => (8, false),
        "128" | "U.128" => (16, false),
        _ => return None,
    })
}

/// Whether the access is ordered or volatile: a thread may wait by it.
fn is_strong(decoder: &Decoder<'_>) -> bool {
    !matches!(decoder.text(F::Ordering), "" | "CONSTANT" | "WEAK")
        || ["STRONG", "MMIO"]
            .iter()
            .any(|strong| decoder.text(F::Scope).contains(strong))
}

/// The address operand, which the form's name describes: `A` a register, `A64` a pair, `AU` a register and a uniform register, `A64U` and `A32U` a
/// pair or register and a uniform pair, `ABS` a number, `D` a pair behind a descriptor.
pub(super) fn address(decoder: &Decoder<'_>) -> Option<Address> {
    let (_, operands) = decoder
        .form_name()
        .rsplit_once('.')
        .unwrap_or(("", decoder.form_name()));
    let kind = operands.split('_').find(|kind| kind.starts_with('A') || *kind == "D")?;
    let extended = decoder.flag(F::Address64) || decoder.form_name().starts_with("E.");
    let (wide, has_uniform, uniform_wide) = match kind {
        "A" => (extended, false, false),
        "A64" | "D" => (true, false, false),
        "A64U" => (true, true, true),
        "A32U" => (false, true, true),
        "AU" => (false, true, extended),
        "ABS" => (false, false, false),
        _ => return None,
    };
    let uniform = [F::URb, F::URc].into_iter().find(|field| decoder.has(*field));
    Some(Address {
        base: decoder.register(F::Ra),
        wide,
        shift: match decoder.text(F::Scale) {
            "" => 0,
            "X4" => 2,
            "X8" => 3,
            "X16" => 4,
            _ => return None,
        },
        uniform: match uniform {
            Some(field) if has_uniform => decoder.register(field),
            None if has_uniform => return None,
            Some(_) | None => Row::UNIFORM_ZERO,
        },
        uniform_wide,
        offset: decoder
            .number(F::Offset)
            .or_else(|| decoder.number(F::Address))
            .unwrap_or(0),
    })
}
