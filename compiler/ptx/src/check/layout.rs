//! Sizes and alignments of variables.

use crate::{
    module::{Initializer, Variable},
    table::{Type, TypeKind},
};

/// Bytes of one element; handles of textures take no room.
fn element_bytes(element: Type) -> u64 {
    match element.kind() {
        TypeKind::Opaque => 0,
        TypeKind::Predicate => 1,
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed | TypeKind::Float | TypeKind::Packed => {
            u64::from(element.bits() / 8)
        }
    }
}

/// Whether a dimension says how many elements there are. `[0]` is as good as `[]`.
pub(super) fn is_open(dimension: &Option<u64>) -> bool {
    matches!(dimension, None | Some(0))
}

/// Whether the outermost dimension is open.
pub(super) fn is_incomplete(variable: &Variable) -> bool {
    variable.dimensions.iter().any(is_open)
}

/// Bytes of a variable; 0 where nothing gives its size.
pub(super) fn size(variable: &Variable) -> u64 {
    let open = match &variable.initializer {
        Some(Initializer::List(values, _)) => values.len() as u64,
        _ => 0,
    };
    let extent = |dimension: &Option<u64>| {
        if is_open(dimension) {
            open
        } else {
            dimension.unwrap_or(open)
        }
    };
    let elements = variable.dimensions.iter().map(extent).fold(1, u64::saturating_mul);
    elements
        .saturating_mul(element_bytes(variable.element))
        .saturating_mul(variable.vector.into())
}

/// Alignment in bytes: what `.align` says, but no less than the element's size.
pub(super) fn alignment(variable: &Variable) -> u64 {
    let natural = (element_bytes(variable.element) * u64::from(variable.vector)).max(1);
    natural.max(variable.alignment.unwrap_or(1).into())
}

/// Bytes of variables that follow each other, with the gaps that alignment makes.
pub(super) fn total<'m>(variables: impl Iterator<Item = &'m Variable>) -> u64 {
    variables.fold(0, |end, variable| {
        let alignment = alignment(variable).next_power_of_two();
        end.saturating_add(alignment - 1)
            .wrapping_div(alignment)
            .saturating_mul(alignment)
            .saturating_add(size(variable))
    })
}
