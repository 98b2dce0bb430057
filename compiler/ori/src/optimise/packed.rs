//! Operations on halves whose results are put together in one word become one operation on both.
//!
//! A front end that takes packed halves apart scales each by itself and packs them again: two operations that each leave half of their work unused, the shift
//! that took the upper half down, and a permutation. The halves of a word are operated on apart, so that one operation gives the same bits.

use smallvec::SmallVec;
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{algebra::known, combine::single, rewriter::Rewriter};
use crate::select::{Request, Source, Value};

/// The selector of `PRMT` that puts the low halves of two words together.
const TOGETHER: u32 = 0x5410;

/// The fields that say which halves of the sources are taken, in order of these.
const HALVES: [F; 3] = [F::ASwizzle, F::BSwizzle, F::CSwizzle];

/// Both low halves of the results of two operations.
pub(super) fn pair_of_halves(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [low, selector, high] = *request.sources() else {
        return None;
    };
    if known(&selector)? & 0xffff != TOGETHER || request.loud().next().is_some() || low == high {
        return None;
    }
    for opcode in [O::Hmul2, O::Hadd2, O::Hfma2] {
        let Some(of_low) = single(rewriter, &low, opcode, "") else {
            continue;
        };
        let of_high = single(rewriter, &high, opcode, "")?;
        return both(rewriter, &of_low, &of_high)
            .and_then(|both| Some(both.to(request.destination()?).guard_like(request)));
    }
    None
}

/// Operations on what operations on halves leave: the first of two on the lower half becomes the inner one on both halves, and where they are put together stands the
/// outer one on both. Whether it was done.
pub(super) fn chain_of_halves(rewriter: &mut Rewriter<'_>, at: u32) -> bool {
    let Some((place, inner, outer)) = chain(rewriter, at) else {
        return false;
    };
    match (rewriter.built(place, &inner), rewriter.built(at, &outer)) {
        (Some(inner), Some(outer)) => rewriter.put_both((place, inner), (at, outer)),
        (None, _) | (_, None) => false,
    }
}

/// The place for an inner operation on both halves, that operation, and the outer one.
fn chain(rewriter: &Rewriter<'_>, at: u32) -> Option<(u32, Request, Request)> {
    const OPERATIONS: [O; 3] = [O::Hmul2, O::Hadd2, O::Hfma2];
    let request = rewriter.view(at)?;
    let [low, selector, high] = *request.sources() else {
        return None;
    };
    if known(&selector)? & 0xffff != TOGETHER || request.loud().next().is_some() || low == high {
        return None;
    }
    let pair = |low: &Source, high: &Source| {
        OPERATIONS.iter().find_map(|opcode| {
            Some((
                single(rewriter, low, *opcode, "")?,
                single(rewriter, high, *opcode, "")?,
            ))
        })
    };
    let (of_low, of_high) = pair(&low, &high)?;
    let Value::Register(word) = low.value else {
        return None;
    };
    for (index, (a, b)) in of_low.sources().iter().zip(of_high.sources()).enumerate() {
        let alike = a.negated == b.negated && a.absolute == b.absolute && a.inverted == b.inverted;
        let Some((inner_low, inner_high)) = pair(&Source::from(a.value), &Source::from(b.value)).filter(|_| alike)
        else {
            continue;
        };
        let Some(inner) = both(rewriter, &inner_low, &inner_high) else {
            continue;
        };
        // The rest of the outer one is as if both read one word there.
        let mut other = Request::clone(&of_high);
        other.sources_mut()[index] = *a;
        let Some(mut outer) = both(rewriter, &of_low, &other) else {
            continue;
        };
        outer = outer.saying(HALVES[index], "");
        outer.sources_mut()[index] = Source { value: low.value, ..*a };
        let place = rewriter.definer(word)?;
        let outer = outer.to(request.destination()?).guard_like(&request);
        return Some((place, inner.to(word), outer));
    }
    None
}

/// The operation that does in its halves what two do in their lower ones.
fn both(rewriter: &Rewriter<'_>, low: &Request, high: &Request) -> Option<Request> {
    let mut said = low.loud().chain(high.loud());
    let alike = said.all(|field| low.says(field) == high.says(field) && low.has_flag(field) == high.has_flag(field));
    if !alike || low.marks() != high.marks() || low.sources().len() != high.sources().len() {
        return None;
    }
    if HALVES.iter().any(|field| !low.says(*field).is_empty()) {
        return None;
    }
    let mut found = low.clone();
    for ((low, high), halves) in low.sources().iter().zip(high.sources()).zip(HALVES) {
        match (low.value, high.value) {
            (Value::Zero, Value::Zero) if low == high => {}
            (Value::Register(_), Value::Register(_)) if low == high => found = found.saying(halves, "H0_H0"),
            (Value::Register(_), Value::Register(_)) if is_upper_half(rewriter, high, low) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// Whether a source is the upper half of another, moved down.
fn is_upper_half(rewriter: &Rewriter<'_>, source: &Source, of: &Source) -> bool {
    upper_half(rewriter, source) == Some(*of)
}

/// The word whose upper half a source is, moved down, with what is done to the source as it is read.
fn upper_half(rewriter: &Rewriter<'_>, source: &Source) -> Option<Source> {
    let (_, request) = rewriter.made_by(&Source::from(source.value), O::Shf, "")?;
    let [zero, amount, word] = *request.sources() else {
        return None;
    };
    let right = request.says(F::Direction) == "R" && request.says(F::Type) == "U32" && request.has_flag(F::High);
    let plain = Source::from(word.value) == word && rewriter.is_steady(&word);
    let moves_half = known(&zero) == Some(0) && known(&amount) == Some(16);
    (right && plain && moves_half && matches!(word.value, Value::Register(_))).then_some(Source {
        value: word.value,
        ..*source
    })
}

/// Where an operation takes the lower half of a source that was an upper half before, it takes it from there.
pub(super) fn upper_halves(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let taken = (0..request.sources().len().min(HALVES.len())).find_map(|index| {
        let lower = request.says(HALVES[index]) == "H0_H0";
        let word = upper_half(rewriter, &request.sources()[index]).filter(|_| lower)?;
        Some((index, word))
    });
    let (index, word) = taken?;
    let mut sources: SmallVec<[Source; 4]> = request.sources().iter().copied().collect();
    sources[index] = word;
    Some(request.clone().with_sources(&sources).saying(HALVES[index], "H1_H1"))
}

/// Where two narrow numbers in the lower half of a word are taken apart that were in the upper half of another before, they are taken from there.
pub(super) fn unpacked_upper_half(rewriter: &Rewriter<'_>, request: &Request) -> Option<Request> {
    let [source] = request.sources() else { return None };
    let unpacks = matches!(request.literals(), "F16.UNPACK_B" | "UNPACK_B") && !request.has_flag(F::Half);
    let word = upper_half(rewriter, source).filter(|_| unpacks)?;
    Some(request.clone().with_sources(&[word]).setting(F::Half))
}
