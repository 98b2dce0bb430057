//! An instruction and the one that makes an operand of it become one.

use std::rc::Rc;

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    algebra::{arranged, evaluate, known, plain},
    bits::{extension_of_load, shifted_mask, signs},
    commute::{number, table, variants},
    lanes,
    packed::{chain_of_halves, pair_of_halves, unpacked_upper_half, upper_halves},
    rewriter::Rewriter,
};
use crate::select::{Request, Source, Value, Word};

pub(super) fn simplify(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let opcode = rewriter.instruction(at).base.opcode();
    let rules: &[fn(&Rewriter<'_>, &Request) -> Option<Request>] = match opcode {
        O::Iadd3 => &[sum_of_product, sum_of_shift, sum_of_sum],
        O::Lop3 => &[logic_of_logic],
        O::Fadd => &[fused_single, signs],
        O::Fmul | O::Ffma | O::Fsetp | O::Fset | O::Fmnmx | O::Mufu => &[signs],
        O::Isetp => &[shifted_mask],
        O::Dadd => &[fused_double],
        O::Prmt => &[extension_of_load, permutation_of_permutation, pair_of_halves],
        O::Shf => &[masked_shift],
        O::Hadd2 => &[fused_half, upper_halves],
        O::Hmul2 | O::Hfma2 => &[upper_halves],
        O::F2fp => &[unpacked_upper_half],
        O::Fadd2 => &[lanes::one_lane, lanes::alike, lanes::swapped, fused_pair],
        O::Fmul2 | O::Ffma2 => &[lanes::one_lane, lanes::alike, lanes::swapped],
        _ => return false,
    };
    let Some(request) = rewriter.view(at) else {
        return false;
    };
    for rule in rules {
        let Some(new) = rule(rewriter, &request) else {
            continue;
        };
        if rewriter.rewrite(at, &new) || variants(&new).iter().any(|other| rewriter.rewrite(at, other)) {
            return true;
        }
    }
    opcode == O::Prmt && chain_of_halves(rewriter, at)
}

/// The request that makes a source which nothing else reads, if its opcode is this and its own sources stay what they are.
pub(super) fn single(rewriter: &Rewriter<'_>, source: &Source, opcode: O, literals: &str) -> Option<Rc<Request>> {
    let Value::Register(word) = source.value else {
        return None;
    };
    if !rewriter.is_single(word) {
        return None;
    }
    let (number, request) = rewriter.made_by(source, opcode, literals)?;
    let same = |source: &Source| rewriter.is_unchanged_since(number, source);
    let steady = request.written_predicates().is_empty() && request.sources().iter().all(same);
    steady.then_some(request)
}

/// Whether an `IADD3` neither takes nor gives carries.
fn is_plain_sum(request: &Request) -> bool {
    request.literals().is_empty() && request.written_predicates().is_empty() && request.sources().len() == 3
}

fn is_zero(source: &Source) -> bool {
    known(source) == Some(0)
}

/// The two sources of a sum of two.
fn addends(request: &Request) -> Option<[Source; 2]> {
    let mut found: SmallVec<[Source; 3]> = request
        .sources()
        .iter()
        .filter(|source| !is_zero(source))
        .copied()
        .collect();
    match found.len() {
        2 => Some([found[0], found[1]]),
        1 => {
            found.push(Value::Zero.into());
            Some([found[0], found[1]])
        }
        _ => None,
    }
}

/// `a * b + c`
fn sum_of_product(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    if !is_plain_sum(request) {
        return None;
    }
    let [x, y] = addends(request)?;
    for (product, other) in [(x, y), (y, x)] {
        let Some(inner) = single(rewriter, &product, O::Imad, "") else {
            continue;
        };
        let [a, b, c] = *inner.sources() else { continue };
        if !is_zero(&c) {
            continue;
        }
        let b = match (product.negated, known(&b)) {
            (false, _) => b,
            (true, Some(value)) => number(value.wrapping_neg()),
            (true, None) => continue,
        };
        let to = request.destination()?;
        return Some(
            Request::clone(&inner)
                .guard_like(request)
                .to(to)
                .with_sources(&[a, b, other]),
        );
    }
    None
}

/// `(a << n) + b`
fn sum_of_shift(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    if !is_plain_sum(request) {
        return None;
    }
    let [x, y] = addends(request)?;
    for (shifted, other) in [(x, y), (y, x)] {
        let Some(inner) = single(rewriter, &shifted, O::Shf, "") else {
            continue;
        };
        let [a, amount, _] = *inner.sources() else { continue };
        let left = inner.says(F::Direction) == "L" && matches!(inner.says(F::Type), "U32" | "S32");
        let Some(amount) = known(&amount).filter(|amount| (1..32).contains(amount)) else {
            continue;
        };
        if let Some(lea) = sum_of_high_bits(&inner, amount, &shifted, &other) {
            return Some(lea.to(request.destination()?).guard_like(request));
        }
        if !left || inner.has_flag(F::High) || !plain(&a) || shifted.negated || known(&other).is_some() {
            continue;
        }
        let to = request.destination()?;
        let lea = Request::new(O::Lea).to(to).from(a).from(other).from(number(amount));
        return Some(lea.guard_like(request));
    }
    None
}

/// `(x >> n) + b`, where zeros are shifted in: the high word of `x << (32 - n)`, plus `b`.
fn sum_of_high_bits(inner: &Request, amount: u32, shifted: &Source, other: &Source) -> Option<Request> {
    let [low, _, x] = *inner.sources() else { return None };
    let right = inner.says(F::Direction) == "R"
        && inner.says(F::Type) == "U32"
        && inner.has_flag(F::High)
        && !inner.has_flag(F::Wrap)
        && is_zero(&low)
        && plain(&x)
        && plain(shifted)
        && plain(other)
        && matches!(x.value, Value::Register(_))
        && known(other).is_none();
    right.then(|| {
        Request::new(O::Lea)
            .literal("HI")
            .from(x)
            .from(*other)
            .from(Value::Zero)
            .from(number(32 - amount))
    })
}

/// A sum of sums of three in all.
fn sum_of_sum(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    if !is_plain_sum(request) {
        return None;
    }
    for (index, source) in request.sources().iter().enumerate() {
        let Some(inner) = single(rewriter, source, O::Iadd3, "") else {
            continue;
        };
        if !is_plain_sum(&inner) {
            continue;
        }
        let outer = request
            .sources()
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, s)| *s);
        let inner = inner.sources().iter().map(|s| Source {
            negated: s.negated != source.negated,
            ..*s
        });
        let mut total = 0_u32;
        let mut parts: SmallVec<[Source; 6]> = SmallVec::new();
        for part in outer.chain(inner) {
            match known(&part) {
                Some(value) => total = total.wrapping_add(value),
                None => parts.push(part),
            }
        }
        if total != 0 {
            parts.insert(1.min(parts.len()), number(total));
        }
        if parts.len() > 3 {
            continue;
        }
        while parts.len() < 3 {
            parts.push(Value::Zero.into());
        }
        return Some(request.clone().with_sources(&parts));
    }
    None
}

/// What an operand of a `LOP3` is, in terms of the inputs of both.
enum Part {
    Input(usize),
    Inner(u8, [usize; 3]),
}

/// A function of a function: three inputs in all.
fn logic_of_logic(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let is_plain = |request: &Request| request.written_predicates().is_empty() && request.loud().next().is_none();
    let [.., lut] = *request.sources() else { return None };
    let outer = table(&lut)?;
    if !is_plain(request) || request.sources().len() != 4 {
        return None;
    }
    for index in 0..3 {
        let Some(inner) = single(rewriter, &request.sources()[index], O::Lop3, "LUT") else {
            continue;
        };
        if !is_plain(&inner) || inner.sources().len() != 4 {
            continue;
        }
        let Some(inner_table) = table(&inner.sources()[3]) else {
            continue;
        };
        let mut inputs: SmallVec<[Source; 6]> = SmallVec::new();
        let mut place = |source: &Source| match inputs.iter().position(|input| input == source) {
            Some(at) => at,
            None => {
                inputs.push(*source);
                inputs.len() - 1
            }
        };
        let parts: SmallVec<[Part; 3]> = (0..3)
            .map(|operand| {
                if operand == index {
                    let s = inner.sources();
                    Part::Inner(inner_table, [place(&s[0]), place(&s[1]), place(&s[2])])
                } else {
                    Part::Input(place(&request.sources()[operand]))
                }
            })
            .collect();
        // Zero is an input only in name.
        let zero = inputs.iter().position(is_zero);
        let real: SmallVec<[usize; 6]> = (0..inputs.len()).filter(|input| Some(*input) != zero).collect();
        let constants = real
            .iter()
            .filter(|input| !matches!(inputs[**input].value, Value::Register(_)))
            .count();
        if real.len() > 3 || constants > 1 {
            continue;
        }
        let mut found = 0;
        for row in 0..8_u32 {
            let bit = |input: usize| match real.iter().position(|r| *r == input) {
                Some(place) => row >> (2 - place) & 1,
                None => 0,
            };
            let [a, b, c] = [0, 1, 2].map(|operand: usize| match &parts[operand] {
                Part::Input(input) => bit(*input),
                Part::Inner(table, [a, b, c]) => evaluate(*table, bit(*a), bit(*b), bit(*c)) & 1,
            });
            found |= ((evaluate(outer, a, b, c) & 1) as u8) << row;
        }
        let mut chosen = [Source::from(Value::Zero); 3];
        for (slot, input) in chosen.iter_mut().zip(&real) {
            *slot = inputs[*input];
        }
        return Some(request.clone().with_sources(&arranged(chosen, found)));
    }
    None
}

/// `a * b + c` in one rounding, where PTX leaves that free.
fn fused(rewriter: &Rewriter<'_>, request: &Request, multiply: O, fused: O) -> Option<Request> {
    if !rewriter.context.options.arithmetic.contract || !request.marks().contract {
        return None;
    }
    let [x, y] = *request.sources() else { return None };
    let words = if matches!(fused, O::Dfma | O::Ffma2) { 2 } else { 1 };
    // Which word a lane takes of each source, for pairs of singles: of the product each its own.
    let lanes_of =
        |request: &Request| lanes::fields(request.opcode()).map(|fields| [0, 1].map(|i| request.says(fields[i])));
    let [x_lanes, y_lanes] = lanes_of(request).unwrap_or_default();
    for (product, how, other, other_lanes) in [(x, x_lanes, y, y_lanes), (y, y_lanes, x, x_lanes)] {
        if product.absolute || other.absolute || fused == O::Ffma2 && how != lanes::IN_ORDER {
            continue;
        }
        let Value::Register(word) = product.value else { continue };
        let mut parts = (0..words).map(|part| word.register.word(word.word + part));
        let is_single = parts.all(|part| rewriter.is_single(part));
        let Some((number, inner)) = rewriter.made_by(&product, multiply, "") else {
            continue;
        };
        if !is_single && !has_only_sums(rewriter, request.opcode(), number, word, words) {
            continue;
        }
        let [a, b] = *inner.sources() else { continue };
        let factor_lanes = lanes_of(&inner).unwrap_or_default();
        let steady = [(a, factor_lanes[0]), (b, factor_lanes[1])]
            .iter()
            .all(|(source, how)| {
                let words = if *how == lanes::ALIKE { 1 } else { words };
                steady(rewriter, number, source, words)
            });
        if !inner.marks().contract || !steady || a.absolute || b.absolute || inner.has_flag(F::Sat) {
            continue;
        }
        let flushes = |request: &Request| request.has_flag(F::Ftz) || request.says(F::Denormal) == "FTZ";
        let silent = |request: &Request| {
            request.loud().all(|field| match field {
                F::Ftz | F::Sat => true,
                F::Denormal => request.says(field) == "FTZ",
                F::Type => fused == O::Hfma2,
                F::APair | F::BPair | F::CPair => fused == O::Ffma2,
                _ => false,
            })
        };
        let alike = flushes(&inner) == flushes(request) && inner.says(F::Type) == request.says(F::Type);
        if !alike || !silent(&inner) || !silent(request) {
            continue;
        }
        let negated = a.negated ^ b.negated ^ product.negated;
        let mut new = Request::new(fused)
            .to(request.destination()?)
            .from(Source { negated, ..a })
            .from(Source { negated: false, ..b })
            .from(other)
            .guard_like(request);
        if fused == O::Hfma2 {
            new = new.text(F::Type, request.says(F::Type));
        } else {
            new = new.text(F::Round, "");
        }
        if fused == O::Ffma2 {
            let [a_lanes, b_lanes] = factor_lanes;
            new = new
                .text(F::APair, a_lanes)
                .text(F::BPair, b_lanes)
                .text(F::CPair, other_lanes);
        }
        if fused != O::Dfma {
            let denormal = if flushes(request) { "FTZ" } else { "" };
            new = new.text(F::Denormal, denormal).flag(F::Sat, request.has_flag(F::Sat));
        }
        return Some(new);
    }
    None
}

/// Sums of one product that are looked at again for each of them.
const MANY_SUMS: usize = 32;

/// Whether a product is read by nothing but sums of its block that may be fused with it, each of which takes it once: then it goes, and each of them is a product
/// and sum in one. (As ptxas 13.0.88, however many they are; where one reader is something else, it fuses none of them.)
fn has_only_sums(rewriter: &Rewriter<'_>, sum: O, product: u32, word: Word, words: u8) -> bool {
    let Some(readers) = rewriter.readers(word).filter(|readers| readers.len() <= MANY_SUMS) else {
        return false;
    };
    let alike =
        (1..words).all(|part| rewriter.readers(word.register.word(word.word + part)).as_ref() == Some(&readers));
    alike
        && readers.iter().all(|reader| {
            let near = rewriter.values.block_of(*reader) == rewriter.values.block_of(product);
            let is_sum = || rewriter.instruction(*reader).base.opcode() == sum;
            let takes = |request: &Request| {
                let mut sources = request.sources().iter().filter(|s| s.value == Value::Register(word));
                let once = sources.next().filter(|_| sources.next().is_none());
                once.is_some_and(|source| !source.absolute) && request.marks().contract
            };
            near && is_sum() && rewriter.view(*reader).is_some_and(|request| takes(&request))
        })
}

/// The words of a source.
fn words_of(source: &Source, words: u8) -> impl Iterator<Item = Source> {
    let parts = match source.value {
        Value::Register(word) => (word.word..word.word + words)
            .map(|part| word.register.word(part))
            .collect(),
        Value::Zero | Value::Immediate(_) | Value::Constant(..) => SmallVec::<[Word; 2]>::new(),
    };
    parts.into_iter().map(Source::from)
}

/// Whether the words of a source that an instruction reads are what they were then.
fn steady(rewriter: &Rewriter<'_>, number: u32, source: &Source, words: u8) -> bool {
    words_of(source, words).all(|part| rewriter.is_unchanged_since(number, &part))
}

fn fused_single(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    fused(rewriter, request, O::Fmul, O::Ffma)
}

fn fused_half(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    fused(rewriter, request, O::Hmul2, O::Hfma2)
}

fn fused_pair(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    fused(rewriter, request, O::Fmul2, O::Ffma2)
}

fn fused_double(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    fused(rewriter, request, O::Dmul, O::Dfma)
}

/// Bytes of bytes. Digits that take a sign are left alone.
fn permutation_of_permutation(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [a, selector, b] = *request.sources() else {
        return None;
    };
    let selector = known(&selector)? & 0xffff;
    if request.loud().next().is_some() {
        return None;
    }
    for (index, source) in [(0, a), (2, b)] {
        let Some(inner) = single(rewriter, &source, O::Prmt, "") else {
            continue;
        };
        let [inner_a, inner_selector, inner_b] = *inner.sources() else {
            continue;
        };
        let Some(inner_selector) = known(&inner_selector) else {
            continue;
        };
        if inner.loud().next().is_some() {
            continue;
        }
        // The inputs of both: at most two that are not zero.
        let mut inputs: SmallVec<[Source; 4]> = SmallVec::new();
        let mut found = 0_u32;
        let mut fits = true;
        for digit in 0..4 {
            let code = selector >> (4 * digit) & 15;
            let from_inner = (code & 4 != 0) == (index == 2);
            let (source, code) = if from_inner {
                let below = inner_selector >> (4 * (code & 3)) & 15;
                // A sign of a sign is that sign; a byte of it is that byte.
                let code = (below & 7) | (below | code) & 8;
                (if code & 4 == 0 { inner_a } else { inner_b }, code & 0xb)
            } else {
                (if index == 2 { a } else { b }, code & 0xb)
            };
            if source.value == Value::Zero {
                // Any byte of zero: settled below, when it is known which input is zero.
                if !inputs.iter().any(|input| input.value == Value::Zero) {
                    inputs.push(source);
                }
            } else if !inputs.contains(&source) {
                inputs.push(source);
            }
            let Some(place) = inputs.iter().position(|input| *input == source) else {
                fits = false;
                break;
            };
            if place > 1 {
                fits = false;
                break;
            }
            found |= (code | (place as u32) << 2) << (4 * digit);
        }
        if !fits || inputs.len() > 2 {
            continue;
        }
        while inputs.len() < 2 {
            inputs.push(Value::Zero.into());
        }
        return Some(request.clone().with_sources(&[inputs[0], number(found), inputs[1]]));
    }
    None
}

/// A shift by an amount of which five bits are taken: the shift takes no more itself.
fn masked_shift(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [low, amount, high] = *request.sources() else {
        return None;
    };
    if request.has_flag(F::Wrap) || !matches!(request.says(F::Type), "U32" | "S32") || !plain(&amount) {
        return None;
    }
    let (_, mask) = rewriter.made_by(&amount, O::Lop3, "LUT")?;
    let [x, ones, _, lut] = *mask.sources() else {
        return None;
    };
    let masks = known(&ones) == Some(31)
        && table(&lut) == Some(0xc0)
        && mask.written_predicates().is_empty()
        && mask.loud().next().is_none()
        && rewriter.is_steady(&x);
    masks.then(|| request.clone().with_sources(&[low, x, high]).wrapping())
}
