//! Moves, logic, shifts and bits, of registers and of uniform registers.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Op, Source},
        lanes::{self, LanesFunction, Shift},
        pair::PairOp,
        predicate::PredicateOp,
    },
    Decoder,
    integer::{is_dropped, simple, source, words},
};

/// `MOV`, `UMOV`; what ptxas moves out of a uniform register for a while (`MOV.SPILL`) and back (`R2UR.FILL`) are copies, too.
pub(super) fn copy(decoder: &mut Decoder<'_>) -> Option<Op> {
    if let Some(lanes) = decoder.raw(F::LaneMask).filter(|mask| *mask != 15) {
        // Observed: `tex.grad`, of which ptxas keeps the result for one lane of the quad after the other.
        let values = decoder.values();
        return Some(Op::Predicate(PredicateOp::QuadCopy {
            d: decoder.destination(),
            a: source(&values, 0),
            lanes: lanes as u8,
        }));
    }
    if decoder.has_literal("64") {
        let values = decoder.values();
        return Some(Op::Pair(PairOp::Copy {
            d: decoder.destination(),
            a: words(&values, 0),
        }));
    }
    Some(simple(decoder, lanes::copy, 0))
}

/// `SEL`, `USEL`
pub(super) fn select(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let d = decoder.destination();
    let test = decoder.test(&[F::Pp, F::UPp])?;
    if decoder.has_literal("64") {
        let (a, b) = (words(&values, 0), words(&values, 1));
        return Some(Op::Pair(PairOp::Select { d, a, b, test }));
    }
    let (a, b) = (source(&values, 0), source(&values, 1));
    Some(Op::Predicate(PredicateOp::Select { d, a, b, test }))
}

/// `LOP3`, `ULOP3`
pub(super) fn logic(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let table = values.last()?.immediate? as u8;
    let function = lanes::logic_function(table);
    let p = decoder.predicate(&[F::Pu, F::UPu]);
    if is_dropped(p) {
        return Some(simple(decoder, function, u32::from(table)));
    }
    let sources: [Source; 3] = std::array::from_fn(|index| source(&values, index));
    Some(Op::Predicate(PredicateOp::Logic {
        function,
        parameter: u32::from(table),
        d: decoder.destination(),
        sources: sources.map(|source| source.row),
        p,
        and: decoder.flag(F::Pand),
        test: decoder.test(&[F::Pp, F::UPp])?,
    }))
}

/// `SHF`, `USHF`: the first and third value are the low and high word, the second the amount.
pub(super) fn shift(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.flag(F::Xor) {
        return None;
    }
    let (signed, wide) = match decoder.text(F::Type) {
        "S32" => (true, false),
        "U32" => (false, false),
        "S64" => (true, true),
        "U64" => (false, true),
        _ => return None,
    };
    let shift = Shift {
        right: match decoder.text(F::Direction) {
            "L" => false,
            "R" => true,
            _ => return None,
        },
        signed,
        wide,
        wrap: decoder.flag(F::Wrap),
        high: decoder.flag(F::High),
    };
    let values = decoder.values();
    let amount = values.get(1)?.immediate;
    if let Some(amount) = amount.filter(|amount| (1..32).contains(amount)) {
        let function: LanesFunction = match (shift.right, shift.high, shift.signed) {
            (false, false, _) => lanes::left_low,
            (false, true, _) => lanes::left_high,
            (true, false, _) => lanes::right_low,
            (true, true, false) => lanes::right_high,
            (true, true, true) => lanes::right_high_signed,
        };
        return Some(simple(decoder, function, amount as u32));
    }
    let function: LanesFunction = match (shift.wrap, shift.wide, shift.right, shift.high) {
        (true, false, false, true) => lanes::funnel_left_wrap,
        (true, false, true, false) => lanes::funnel_right_wrap,
        _ => lanes::shift,
    };
    Some(simple(decoder, function, shift.bits()))
}

/// `PRMT`, `UPRMT`: the selector is the second value.
pub(super) fn permute(decoder: &mut Decoder<'_>) -> Option<Op> {
    let function: LanesFunction = match decoder.text(F::Mode) {
        "" => lanes::permute,
        "F4E" => lanes::permute_forward,
        "B4E" => lanes::permute_backward,
        "RC8" => lanes::permute_byte,
        "ECL" => lanes::permute_left,
        "ECR" => lanes::permute_right,
        "RC16" => lanes::permute_half,
        _ => return None,
    };
    Some(simple(decoder, function, 0))
}

/// `BMSK`, `SGXT`, `BREV`, `FLO`, `POPC`, `IABS` and their uniform forms.
pub(super) fn bits(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (wrap, unsigned) = (decoder.flag(F::Wrap), decoder.flag(F::U32));
    let function: LanesFunction = match decoder.instruction.opcode() {
        O::Bmsk | O::Ubmsk if wrap => lanes::bit_mask_wrap,
        O::Bmsk | O::Ubmsk => lanes::bit_mask,
        O::Sgxt | O::Usgxt => match (unsigned, wrap) {
            (true, false) => lanes::extend,
            (true, true) => lanes::extend_wrap,
            (false, false) => lanes::extend_signed,
            (false, true) => lanes::extend_signed_wrap,
        },
        O::Brev | O::Ubrev => lanes::reverse,
        O::Popc | O::Upopc => lanes::ones,
        O::Iabs | O::Uiabs => lanes::absolute,
        // What its predicate says was never seen.
        O::Flo | O::Uflo if !is_dropped(decoder.predicate(&[F::Pu, F::UPu])) => return None,
        O::Flo | O::Uflo => match (unsigned, decoder.flag(F::Shift)) {
            (true, false) => lanes::find,
            (true, true) => lanes::find_shift,
            (false, false) => lanes::find_signed,
            (false, true) => lanes::find_shift_signed,
        },
        _ => return None,
    };
    Some(simple(decoder, function, 0))
}
