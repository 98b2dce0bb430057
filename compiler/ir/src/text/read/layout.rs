//! The data layout line: it is read to see that it says what holds on nvptx64.

use super::{Reader, Result};
use crate::context::Context;
use crate::types::{AddressSpace, Type};

/// What a line says that cannot be read, or that does not hold here.
enum Fault {
    Malformed,
    Otherwise(String),
}

impl Reader<'_> {
    /// Refuses a line that is none, and one by which memory is laid out in another way than here. What it does not mention is as it is here.
    pub(super) fn check_layout(&self, place: usize, line: &str) -> Result<()> {
        for piece in line.split('-').filter(|_| !line.is_empty()) {
            match check(&self.context, piece) {
                Ok(()) => {}
                Err(Fault::Malformed) => {
                    return Err(self.error_at(place, format!("\"{piece}\" says nothing of a data layout")));
                }
                Err(Fault::Otherwise(how)) => {
                    return Err(self.error_at(
                        place,
                        format!("the data layout \"{piece}\" is not that of nvptx64, where {how}"),
                    ));
                }
            }
        }
        Ok(())
    }
}

fn otherwise<T>(how: impl Into<String>) -> std::result::Result<T, Fault> {
    Err(Fault::Otherwise(how.into()))
}

fn number(text: &str) -> std::result::Result<u32, Fault> {
    text.parse().map_err(|_| Fault::Malformed)
}

/// An alignment in bits as one in bytes.
fn alignment(text: &str) -> std::result::Result<u32, Fault> {
    let bits = number(text)?;
    if !bits.is_multiple_of(8) || !(bits / 8).is_power_of_two() {
        return Err(Fault::Malformed);
    }
    Ok(bits / 8)
}

fn check(context: &Context, piece: &str) -> std::result::Result<(), Fault> {
    let mut letters = piece.chars();
    let Some(first) = letters.next() else {
        return Err(Fault::Malformed);
    };
    let rest = letters.as_str();
    let mut parts = rest.split(':');
    let size = parts.next().unwrap_or("");
    match first {
        'e' if rest.is_empty() => Ok(()),
        'E' if rest.is_empty() => otherwise("the lowest byte is the first"),
        'p' => pointer(context, size, parts),
        'i' | 'f' | 'v' => {
            let bits = number(size)?;
            let stated = alignment(parts.next().ok_or(Fault::Malformed)?)?;
            parts.try_for_each(|preferred| alignment(preferred).map(|_| ()))?;
            let ty = match (first, bits) {
                // Newer layouts align these more; their alignment here is that of 128 bits.
                ('i', 129..=Type::MAXIMUM_INT_BITS) => return Ok(()),
                ('i', 1..=Type::MAXIMUM_INT_BITS) => Type::Int(bits),
                ('f', 16) => Type::Half,
                ('f', 32) => Type::Float,
                ('f', 64) => Type::Double,
                // There are no such values here.
                ('f', 80 | 128) => return Ok(()),
                ('v', 8..=1024) if bits.is_multiple_of(8) => context.vector(Type::I8, u64::from(bits / 8)),
                _ => return Err(Fault::Malformed),
            };
            let own = context.alignment(ty);
            if own != stated {
                let own = own * 8;
                return otherwise(format!("{first}{bits} has an alignment of {own} bits"));
            }
            Ok(())
        }
        // The alignment of aggregates is at least that of what is in them.
        'a' => {
            let stated = number(parts.next().unwrap_or(size))?;
            match stated {
                0 | 8 => Ok(()),
                _ => otherwise("structures have no alignment of their own"),
            }
        }
        // Natural widths, alignment of the stack and of functions, mangling: nothing that memory depends on.
        'n' if !rest.starts_with('i') => rest.split(':').try_for_each(|width| number(width).map(|_| ())),
        'S' => number(size).map(|_| ()),
        'n' | 's' | 'F' | 'm' => Ok(()),
        // Spaces of code, globals and frames.
        'P' | 'G' | 'A' => match number(size)? {
            0 => Ok(()),
            _ if first == 'A' => otherwise("frames are in address space 0"),
            _ if first == 'P' => otherwise("code is in address space 0"),
            _ => otherwise("variables are in address space 0 unless they say another"),
        },
        _ => Err(Fault::Malformed),
    }
}

/// `p[n]:size:abi[:preferred[:index]]`.
fn pointer<'p>(
    context: &Context,
    space: &str,
    mut parts: impl Iterator<Item = &'p str>,
) -> std::result::Result<(), Fault> {
    let space = AddressSpace(if space.is_empty() { 0 } else { number(space)? });
    let bits = number(parts.next().ok_or(Fault::Malformed)?)?;
    let stated = match parts.next() {
        Some(text) => Some(alignment(text)?),
        None => None,
    };
    parts.try_for_each(|one| number(one).map(|_| ()))?;
    let known = [
        AddressSpace::GENERIC,
        AddressSpace::GLOBAL,
        AddressSpace::SHARED,
        AddressSpace::CONSTANT,
        AddressSpace::LOCAL,
        AddressSpace::TENSOR,
        AddressSpace::SHARED_CLUSTER,
        AddressSpace::PARAMETER,
    ];
    if !known.contains(&space) {
        return Ok(());
    }
    let ty = Type::Pointer(space);
    let own = context.bit_size(ty);
    if own != u64::from(bits) || stated.is_some_and(|stated| stated != context.alignment(ty)) {
        return otherwise(format!(
            "addresses of space {} have {own} bits, and are aligned to them",
            space.0
        ));
    }
    Ok(())
}
