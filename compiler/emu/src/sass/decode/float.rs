//! Single-precision instructions, and what the families of floating point share in decoding.

use smallvec::SmallVec;
use warpsmith_sass::{FieldKind, FieldName as F, Opcode as O, tables::Cmp};

use super::{
    super::{
        code::{LANES, Lanes, Op, Predicate, Source, Test},
        float::{
            self, FTZ, FloatOp, NAN, OUT_OF_BOUNDS, Pair, RELU, ROUND_DOWN, ROUND_TO_ZERO, ROUND_UP, SATURATE,
            SteeredFunction, WideFunction, XORSIGN,
        },
        lanes::LanesFunction,
        mufu,
        predicate::{Combine, CompareFunction, Outcome, PredicateOp},
    },
    Decoder, Numbers, Value,
};
use crate::fast_float;

/// A value with the modifiers that are printed after it, without dots.
pub(super) struct Operand {
    pub(super) value: Value,
    pub(super) suffixes: SmallVec<[&'static str; 2]>,
}

impl Operand {
    /// The only modifier, empty without one; `None` if there are more.
    pub(super) fn suffix(&self) -> Option<&'static str> {
        match *self.suffixes.as_slice() {
            [] => Some(""),
            [suffix] => Some(suffix),
            _ => None,
        }
    }
}

/// An instruction's text in parts.
pub(super) struct Parts {
    /// The modifiers of the mnemonic without dots, first those that every instruction of the form has. Otherwise in the order of the text.
    pub(super) modifiers: SmallVec<[&'static str; 8]>,
    pub(super) operands: SmallVec<[Operand; 4]>,
}

impl Parts {
    /// Takes an instruction apart.
    pub(super) fn of(decoder: &mut Decoder<'_>) -> Parts {
        let mut values = decoder.values().into_iter().peekable();
        let mut parts = Parts {
            modifiers: SmallVec::new(),
            operands: SmallVec::new(),
        };
        if let Some((literals, _)) = decoder.form_name().rsplit_once('.') {
            parts.modifiers.extend(literals.split('.'));
        }
        let mut in_mnemonic = true;
        for field in decoder.form().fields {
            if let Some(value) = values.next_if(|value| value.field == field.name) {
                in_mnemonic = false;
                parts.operands.push(Operand {
                    value,
                    suffixes: SmallVec::new(),
                });
                continue;
            }
            match field.kind {
                FieldKind::Register(_) => in_mnemonic = false,
                FieldKind::Enumeration { .. } | FieldKind::Flag { .. } => {
                    let text = decoder.text(field.name);
                    let texts = text.split('.').filter(|text| !text.is_empty());
                    match parts.operands.last_mut() {
                        Some(operand) if !in_mnemonic => operand.suffixes.extend(texts),
                        Some(_) | None => parts.modifiers.extend(texts),
                    }
                }
                FieldKind::Group(_)
                | FieldKind::Float(_)
                | FieldKind::Unsigned { .. }
                | FieldKind::Signed { .. }
                | FieldKind::Relative { .. }
                | FieldKind::Scoreboards { .. } => {}
            }
        }
        parts
    }

    /// Whether a modifier is there; it is taken out.
    pub(super) fn take(&mut self, modifier: &str) -> bool {
        let place = self.modifiers.iter().position(|text| *text == modifier);
        if let Some(place) = place {
            self.modifiers.remove(place);
        }
        place.is_some()
    }

    /// Takes out the first of the modifiers that a function knows.
    pub(super) fn take_first<T>(&mut self, known: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (place, value) = self
            .modifiers
            .iter()
            .enumerate()
            .find_map(|(place, text)| Some((place, known(text)?)))?;
        self.modifiers.remove(place);
        Some(value)
    }

    /// The bits of a parameter for all modifiers that are left; `None` if one has no bit.
    pub(super) fn parameter(&self) -> Option<u32> {
        self.modifiers
            .iter()
            .try_fold(0, |parameter, text| Some(parameter | bit(text)?))
    }

    /// Whether no operand has modifiers.
    pub(super) fn has_plain_operands(&self) -> bool {
        self.operands.iter().all(|operand| operand.suffixes.is_empty())
    }

    /// An operand's word with its sign as that of f32; zero where there is none.
    pub(super) fn single(&self, index: usize) -> Source {
        self.operands
            .get(index)
            .map_or(Source::ZERO, |operand| operand.value.source(Numbers::Float))
    }

    /// An operand's word as it is.
    pub(super) fn raw(&self, index: usize) -> Source {
        self.operands
            .get(index)
            .map_or(Source::ZERO, |operand| operand.value.source(Numbers::Own))
    }

    /// What the two lanes of a packed instruction take of an operand, each an f32: the words of a pair, in order or swapped, or one word for both; an
    /// immediate is for both. `-` changes the signs of both, as `sub.f32x2` shows.
    pub(super) fn two(&self, index: usize) -> Option<Pair> {
        let Some(operand) = self.operands.get(index) else {
            return Some(Pair::ZERO);
        };
        let (first, second) = (operand.value.source(Numbers::Float), operand.value.high_of_double());
        let (low, high) = match operand.suffixes.as_slice() {
            ["F32x2", "HI_LO"] => (first, second),
            ["F32x2", "LO_HI"] => (second, first),
            ["F32"] => (first, first),
            [] if operand.value.immediate.is_some() => (first, first),
            _ => return None,
        };
        Some(Pair {
            low: low.row,
            high: high.row,
            modify_low: low.modify,
            modify_high: high.modify,
        })
    }

    /// An operand's two words, with the sign of f64.
    pub(super) fn double(&self, index: usize) -> Pair {
        self.operands.get(index).map_or(Pair::ZERO, |operand| {
            let high = operand.value.high_of_double();
            Pair {
                low: operand.value.row,
                high: high.row,
                modify_high: high.modify,
                ..Pair::ZERO
            }
        })
    }
}

/// The bits of a parameter for a modifier that several families have.
fn bit(text: &str) -> Option<u32> {
    Some(match text {
        "RZ" | "TRUNC" => ROUND_TO_ZERO,
        "RM" | "FLOOR" => ROUND_DOWN,
        "RP" | "CEIL" => ROUND_UP,
        "FTZ" => FTZ,
        "SAT" => SATURATE,
        "RELU" => RELU,
        "OOB" => OUT_OF_BOUNDS,
        "NAN" => NAN,
        "XORSIGN" => XORSIGN,
        _ => return None,
    })
}

/// `FSWZADD`
pub(super) fn quad_add(decoder: &mut Decoder<'_>) -> Option<Op> {
    // What the sum is where lanes of the quad do not run is not known.
    if decoder.text(F::Derivative) != "NDV" {
        return None;
    }
    let optional = |text: &str| if text.is_empty() { Some(0) } else { bit(text) };
    let parameter = optional(decoder.text(F::Round))? | optional(decoder.text(F::Ftz))?;
    Some(Op::Lanes {
        function: float::quad_add,
        d: decoder.register(F::Rd),
        a: Source::plain(decoder.register(F::Ra)),
        b: Source::plain(decoder.register(F::Rc)),
        c: Source::ZERO,
        parameter: parameter | (decoder.raw(F::Pattern)? as u32) << 8,
    })
}

/// How a comparison is combined with a predicate, by its modifier.
pub(super) fn combine(text: &str) -> Option<Combine> {
    Some(match text {
        "AND" => Combine::And,
        "OR" => Combine::Or,
        "XOR" => Combine::Xor,
        _ => return None,
    })
}

/// The predicate that is read: always true where the form has none.
pub(super) fn test(decoder: &Decoder<'_>) -> Test {
    decoder.test(&[F::Pp, F::UPp]).unwrap_or(Test::ALWAYS)
}

/// The predicates that are written.
pub(super) fn predicates(decoder: &Decoder<'_>) -> [Predicate; 2] {
    [decoder.predicate(&[F::Pu, F::UPu]), decoder.predicate(&[F::Pv, F::UPv])]
}

/// An instruction on words.
pub(super) fn words(decoder: &Decoder<'_>, function: LanesFunction, sources: [Source; 3], parameter: u32) -> Op {
    let [a, b, c] = sources;
    Op::Lanes {
        function,
        d: decoder.destination(),
        a,
        b,
        c,
        parameter,
    }
}

/// Addition, multiplication, selection and what else gives a word or two.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let parts = Parts::of(decoder);
    let opcode = decoder.instruction.opcode();
    let parameter = parts.parameter()?;
    if matches!(opcode, O::Fadd2 | O::Fmul2 | O::Ffma2) {
        return packed(decoder, &parts, parameter);
    }
    if !parts.has_plain_operands() {
        return None;
    }
    let functions: [LanesFunction; 3] = match opcode {
        O::Fadd | O::Ufadd => [float::add, float::add_flushing, float::add_general],
        O::Fmul | O::Ufmul => [float::multiply, float::multiply_flushing, float::multiply_general],
        O::Ffma | O::Uffma => [
            float::multiply_add,
            float::multiply_add_flushing,
            float::multiply_add_general,
        ],
        _ => return None,
    };
    let function = match parameter {
        0 => functions[0],
        FTZ => functions[1],
        _ => functions[2],
    };
    let sources = [parts.single(0), parts.single(1), parts.single(2)];
    Some(words(decoder, function, sources, parameter))
}

/// `FADD2`, `FMUL2`, `FFMA2`. What `.NP` does is not known.
fn packed(decoder: &mut Decoder<'_>, parts: &Parts, parameter: u32) -> Option<Op> {
    let functions: [WideFunction; 2] = match decoder.instruction.opcode() {
        O::Fadd2 => [float::add_pair_plain, float::add_pair],
        O::Fmul2 => [float::multiply_pair_plain, float::multiply_pair],
        O::Ffma2 => [float::multiply_add_pair_plain, float::multiply_add_pair],
        _ => return None,
    };
    Some(Op::Float(FloatOp::Wide {
        function: functions[usize::from(parameter != 0)],
        d: decoder.destination(),
        wide: true,
        sources: [parts.two(0)?, parts.two(1)?, parts.two(2)?],
        parameter,
    }))
}

/// `FSEL`, `FMNMX`, `FMNMX3`, `FSET`.
pub(super) fn steered(decoder: &mut Decoder<'_>) -> Option<Op> {
    let parts = Parts::of(decoder);
    if !parts.has_plain_operands() {
        return None;
    }
    let mut sources = [parts.single(0), parts.single(1), parts.single(2)];
    let (function, parameter): (SteeredFunction, u32) = match decoder.instruction.opcode() {
        O::Fsel | O::Ufsel if parts.modifiers.is_empty() => (float::select, 0),
        O::Fmnmx | O::Ufmnmx => {
            let parameter = parts.parameter()?;
            if parameter & XORSIGN != 0 {
                // The magnitudes are compared, but the result takes both signs.
                sources = magnitudes_with_signs(&parts)?;
            }
            match parameter {
                0 => (float::extreme, 0),
                _ if parameter & !(FTZ | NAN | XORSIGN) == 0 => (float::extreme_general, parameter),
                _ => return None,
            }
        }
        O::Fmnmx3 => match parts.parameter()? {
            parameter if parameter & !(FTZ | NAN) == 0 => (float::extreme_of_three, parameter),
            _ => return None,
        },
        _ => return None,
    };
    Some(Op::Float(FloatOp::Steered {
        function,
        d: decoder.destination(),
        sources,
        test: test(decoder),
        parameter,
    }))
}

/// The operands of a form with `.XORSIGN`, which ptxas writes as magnitudes, except immediates.
pub(super) fn magnitudes_with_signs(parts: &Parts) -> Option<[Source; 3]> {
    let fit = parts.operands.iter().all(|operand| {
        let value = &operand.value;
        !value.negated && (value.absolute || value.immediate.is_some())
    });
    fit.then(|| [parts.raw(0), parts.raw(1), Source::ZERO])
}

macro_rules! compared {
    ($test:expr) => {{
        fn plain(a: &Lanes, b: &Lanes) -> u32 {
            let test: fn(f32, f32) -> bool = $test;
            (0..LANES).fold(0, |holds, lane| {
                holds | u32::from(test(f32::from_bits(a[lane]), f32::from_bits(b[lane]))) << lane
            })
        }
        fn flushing(a: &Lanes, b: &Lanes) -> u32 {
            plain(&a.map(fast_float::flush), &b.map(fast_float::flush))
        }
        [plain as CompareFunction, flushing]
    }};
}

/// The function of a comparison, without and with `.FTZ`. The host's comparisons are those of IEEE 754.
// With NaN, `a < b || a > b` is not `a != b`.
#[allow(clippy::double_comparisons)]
fn comparison(cmp: Cmp) -> Option<[CompareFunction; 2]> {
    Some(match cmp {
        Cmp::F => compared!(|_, _| false),
        Cmp::T => compared!(|_, _| true),
        Cmp::Lt => compared!(|a, b| a < b),
        Cmp::Le => compared!(|a, b| a <= b),
        Cmp::Gt => compared!(|a, b| a > b),
        Cmp::Ge => compared!(|a, b| a >= b),
        Cmp::Eq => compared!(|a, b| a == b),
        Cmp::Ne => compared!(|a, b| a < b || a > b),
        Cmp::Num => compared!(|a, b| !a.is_nan() && !b.is_nan()),
        Cmp::Nan => compared!(|a, b| a.is_nan() || b.is_nan()),
        Cmp::Ltu => compared!(|a, b| !matches!(
            a.partial_cmp(&b),
            Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal)
        )),
        Cmp::Leu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(std::cmp::Ordering::Greater))),
        Cmp::Gtu => compared!(|a, b| !matches!(
            a.partial_cmp(&b),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        )),
        Cmp::Geu => compared!(|a, b| !matches!(a.partial_cmp(&b), Some(std::cmp::Ordering::Less))),
        Cmp::Equ => compared!(|a, b| matches!(a.partial_cmp(&b), None | Some(std::cmp::Ordering::Equal))),
        Cmp::Neu => compared!(|a, b| a != b),
        Cmp::Min | Cmp::Max => return None,
    })
}

/// `FSETP`
pub(super) fn compare(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let functions = comparison(decoder.modifier::<Cmp>()?)?;
    let cmp = decoder.text(F::Cmp);
    parts.take(cmp);
    let combine = parts.take_first(combine)?;
    let flushes = parts.take("FTZ");
    if !parts.modifiers.is_empty() || !parts.has_plain_operands() {
        return None;
    }
    let [p, q] = predicates(decoder);
    Some(Op::Predicate(PredicateOp::Compare {
        function: functions[usize::from(flushes)],
        a: parts.single(0),
        b: parts.single(1),
        extended: None,
        outcome: Outcome {
            p,
            q,
            combine,
            test: test(decoder),
        },
    }))
}

/// `FSET.BF`: 1.0 where the comparison and a predicate hold together, else 0.
pub(super) fn set(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let functions = comparison(decoder.modifier::<Cmp>()?)?;
    let cmp = decoder.text(F::Cmp);
    parts.take(cmp);
    let combine = parts.take_first(combine)?;
    let flushes = parts.take("FTZ");
    let fits = parts.take("BF") && parts.modifiers.is_empty();
    if !fits || !parts.has_plain_operands() {
        return None;
    }
    Some(Op::Float(FloatOp::Set {
        function: functions[usize::from(flushes)],
        d: decoder.destination(),
        a: parts.single(0),
        b: parts.single(1),
        combine,
        test: test(decoder),
    }))
}

/// `FCHK`
pub(super) fn check(decoder: &mut Decoder<'_>) -> Option<Op> {
    let parts = Parts::of(decoder);
    if !parts.modifiers.is_empty() || !parts.has_plain_operands() {
        return None;
    }
    Some(Op::Predicate(PredicateOp::Compare {
        function: float::check_division,
        a: parts.single(0),
        b: parts.single(1),
        extended: None,
        outcome: Outcome {
            p: decoder.predicate(&[F::Pu]),
            q: Predicate::TRUE,
            combine: Combine::And,
            test: Test::ALWAYS,
        },
    }))
}

/// `MUFU`
pub(super) fn special_function(decoder: &mut Decoder<'_>) -> Option<Op> {
    let parts = Parts::of(decoder);
    let name = decoder.text(F::Function);
    let mut others = parts.modifiers.iter().filter(|text| **text != name);
    let format = others.next();
    if others.next().is_some() {
        return None;
    }
    let operand = parts.operands.first()?;
    let Some(format) = format else {
        // An immediate of f64 is its upper word.
        let mut source = parts.single(0);
        if operand.value.immediate.is_some() && name.ends_with("64H") {
            source = Source::plain(operand.value.high);
        }
        let function = mufu::single(name).filter(|_| parts.has_plain_operands())?;
        return Some(words(decoder, function, [source, Source::ZERO, Source::ZERO], 0));
    };
    if operand.value.immediate.is_some() {
        return None;
    }
    let function = mufu::of_halves(name, format)?;
    let mut parameter = match operand.suffix()? {
        "" => 0,
        "H1" => mufu::UPPER_HALF,
        _ => return None,
    };
    if operand.value.absolute {
        parameter |= mufu::ABSOLUTE;
    }
    if operand.value.negated {
        parameter |= mufu::NEGATE;
    }
    Some(words(
        decoder,
        function,
        [parts.raw(0), Source::ZERO, Source::ZERO],
        parameter,
    ))
}
