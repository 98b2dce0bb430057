//! Where an alloca is cut, and what type each piece has.

use std::collections::BTreeSet;

use warpsmith_ir::{Context, Function, Instruction, InstructionId, Type};

use super::uses::Uses;

/// More pieces than this are not made of one alloca.
const MOST_PIECES: usize = 512;

/// A piece that is only copied and longer than this stays memory.
const LONGEST_COPIED: u64 = 64;

/// A part of an alloca.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) kind: Kind,
}

/// What becomes of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A variable of this type.
    Scalar(Type),
    /// Memory that is copied as a whole.
    Memory,
    /// Nobody reads it.
    Dead,
}

/// The pieces in order, without gaps; `None` where it is better left alone.
pub(super) fn choose(function: &Function, alloca: InstructionId, uses: &Uses) -> Option<Vec<Piece>> {
    let mut cuts: BTreeSet<u64> = BTreeSet::from([0, uses.size]);
    for access in &uses.accesses {
        cuts.insert(access.offset);
        cuts.insert(access.offset + access.size);
    }
    for transfer in &uses.transfers {
        cuts.insert(transfer.offset);
        cuts.insert(transfer.offset + transfer.size);
    }
    cut_vectors(function, uses, &mut cuts);
    let Instruction::Alloca { ty, .. } = function.instruction(alloca) else {
        return None;
    };
    let candidates = Candidates::new(function, uses);
    cut_copied(function.context(), *ty, uses, &candidates, &mut cuts);
    if cuts.len() > MOST_PIECES {
        return None;
    }
    let cuts: Vec<u64> = cuts.into_iter().collect();
    let pieces: Vec<Piece> = cuts
        .windows(2)
        .map(|cut| Piece {
            begin: cut[0],
            end: cut[1],
            kind: kind(function.context(), *ty, cut[0], cut[1], uses, &candidates),
        })
        .collect();
    // Memory that would be copied to memory of the same extent.
    let is_same = pieces.len() == 1 && pieces[0].kind == Kind::Memory;
    (!is_same && !is_single(function, *ty, uses, &pieces)).then_some(pieces)
}

/// Whether it is one variable already: nothing to do before it is promoted.
fn is_single(function: &Function, ty: Type, uses: &Uses, pieces: &[Piece]) -> bool {
    matches!(pieces, [Piece { kind: Kind::Scalar(scalar), .. }] if *scalar == ty)
        && uses.transfers.is_empty()
        && uses.addresses.is_empty()
        && uses
            .accesses
            .iter()
            .all(|access| accessed_type(function, access.id) == ty)
}

/// The type that a load or store accesses.
pub(super) fn accessed_type(function: &Function, id: InstructionId) -> Type {
    match function.instruction(id) {
        Instruction::Store { value, .. } => function.type_of(*value),
        _ => function.result_type(id),
    }
}

/// A vector access with a cut inside is cut between all lanes, so that lanes are whole pieces.
fn cut_vectors(function: &Function, uses: &Uses, cuts: &mut BTreeSet<u64>) {
    loop {
        let before = cuts.len();
        for access in &uses.accesses {
            let ty = accessed_type(function, access.id);
            let Some(lanes) = function.context().lanes(ty).filter(|&lanes| lanes > 0) else {
                continue;
            };
            let end = access.offset + access.size;
            if cuts.range(access.offset + 1..end).next().is_some() && access.size % lanes == 0 {
                let step = access.size / lanes;
                cuts.extend((0..lanes).map(|lane| access.offset + lane * step));
            }
        }
        if cuts.len() == before || cuts.len() > MOST_PIECES {
            return;
        }
    }
}

/// Accesses by where they begin, to see which types a piece is accessed with.
struct Candidates {
    /// Begin, end, type, whether it is a load.
    accesses: Vec<(u64, u64, Type, bool)>,
    longest: u64,
}

impl Candidates {
    fn new(function: &Function, uses: &Uses) -> Candidates {
        let mut accesses: Vec<_> = uses
            .accesses
            .iter()
            .map(|access| {
                let is_load = matches!(function.instruction(access.id), Instruction::Load { .. });
                let ty = accessed_type(function, access.id);
                (access.offset, access.offset + access.size, ty, is_load)
            })
            .collect();
        accesses.sort_by_key(|&(begin, end, _, is_load)| (begin, end, !is_load));
        let longest = accesses.iter().map(|(begin, end, ..)| end - begin).max().unwrap_or(0);
        Candidates { accesses, longest }
    }

    /// Accesses that overlap a range.
    fn over(&self, begin: u64, end: u64) -> impl Iterator<Item = &(u64, u64, Type, bool)> {
        let from = begin.saturating_sub(self.longest);
        let start = self.accesses.partition_point(|access| access.0 < from);
        self.accesses[start..]
            .iter()
            .take_while(move |access| access.0 < end)
            .filter(move |access| access.1 > begin)
    }
}

/// Where ranges are only copied, they are cut as their type is.
fn cut_copied(context: &Context, ty: Type, uses: &Uses, candidates: &Candidates, cuts: &mut BTreeSet<u64>) {
    let size = context.size(ty);
    if size == 0 {
        return;
    }
    let ranges: Vec<(u64, u64)> = cuts.iter().copied().zip(cuts.iter().copied().skip(1)).collect();
    for (begin, end) in ranges {
        let is_read = uses
            .transfers
            .iter()
            .any(|transfer| transfer.reads && covers(transfer, begin, end));
        if !is_read || end - begin > LONGEST_COPIED || candidates.over(begin, end).next().is_some() {
            continue;
        }
        let mut leaves = Vec::new();
        for element in begin / size..end.div_ceil(size) {
            collect_leaves(context, ty, element * size, &mut leaves, MOST_PIECES);
        }
        cuts.extend(
            leaves
                .iter()
                .flat_map(|&(at, leaf)| [at, at + context.store_size(leaf)])
                .filter(|&at| begin < at && at < end),
        );
    }
}

fn covers(transfer: &super::uses::Transfer, begin: u64, end: u64) -> bool {
    transfer.offset <= begin && end <= transfer.offset + transfer.size
}

/// The scalars and vectors that a type consists of, with their offsets.
pub(in crate::transform) fn collect_leaves(
    context: &Context,
    ty: Type,
    offset: u64,
    leaves: &mut Vec<(u64, Type)>,
    limit: usize,
) {
    if leaves.len() >= limit {
        return;
    }
    match context.element_count(ty) {
        Some(count) if ty.is_aggregate() => {
            for index in 0..count.min(limit as u64) {
                if let Some(element) = context.element(ty, index) {
                    collect_leaves(context, element, offset + context.offset_of(ty, index), leaves, limit);
                }
            }
        }
        _ => leaves.push((offset, ty)),
    }
}

fn kind(context: &Context, ty: Type, begin: u64, end: u64, uses: &Uses, candidates: &Candidates) -> Kind {
    let is_loaded = candidates.over(begin, end).any(|&(.., is_load)| is_load);
    let is_copied_from = uses
        .transfers
        .iter()
        .any(|transfer| transfer.reads && covers(transfer, begin, end));
    if !is_loaded && !is_copied_from {
        return Kind::Dead;
    }
    let exact = candidates
        .over(begin, end)
        .filter(|access| access.0 == begin && access.1 == end);
    let best = exact.min_by_key(|(.., ty, is_load)| (rank(context, *ty), !is_load));
    if let Some(&(_, _, scalar, _)) = best.filter(|(_, _, ty, _)| is_whole_bytes(context, *ty)) {
        return Kind::Scalar(scalar);
    }
    if candidates.over(begin, end).next().is_some() {
        return Kind::Scalar(Type::Int((end - begin) as u32 * 8));
    }
    let size = context.size(ty).max(1);
    let mut leaves = Vec::new();
    collect_leaves(context, ty, begin / size * size, &mut leaves, MOST_PIECES);
    let leaf = leaves
        .iter()
        .find(|&&(at, leaf)| at == begin && context.store_size(leaf) == end - begin && is_whole_bytes(context, leaf));
    match leaf {
        Some(&(_, leaf)) => Kind::Scalar(leaf),
        None if matches!(end - begin, 1 | 2 | 4 | 8) => Kind::Scalar(Type::Int((end - begin) as u32 * 8)),
        None => Kind::Memory,
    }
}

/// Whether all bits of its memory are bits of the value.
pub(super) fn is_whole_bytes(context: &Context, ty: Type) -> bool {
    context.bit_size(ty) == context.store_size(ty) * 8
}

/// Of the types that a piece is accessed with, the one that needs the fewest casts.
fn rank(context: &Context, ty: Type) -> u32 {
    match ty {
        _ if !is_whole_bytes(context, ty) => 4,
        Type::Pointer(_) => 0,
        Type::Half | Type::BFloat | Type::Float | Type::Double => 1,
        Type::Vector(_) => 2,
        _ => 3,
    }
}
