//! `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type` (`-g`): which machine registers hold the registers of the PTX, and where in the code.
//!
//! Observed, ptxas 13.0.88: for each function its name, the number of entries, and the entries. An entry of the first section is the word of the PTX
//! register, its name, the machine register, and the offsets of the instruction that writes it and of what it no longer holds for; one of the second
//! section is a byte for the type.

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    NamedRegisters,
    module::{self as ptx, Body, Module},
    table::Type,
};
use warpsmith_sass::{Access, Flow, RegisterClass};

use crate::{allocate::Allocation, convention, ir::Function};

/// Where a word of a PTX register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The PTX register, in order of the body.
    home: u32,
    /// The 32-bit word of it.
    word: u8,
    /// The machine register, as CUDA's DWARF numbers it.
    register: u32,
    /// Byte offset of the instruction that writes it.
    start: u32,
    /// Byte offset of the first instruction that it is not there for.
    end: u32,
}

/// How CUDA's DWARF numbers registers: the class in the high byte.
fn number(class: RegisterClass, number: u8) -> Option<u32> {
    match class {
        RegisterClass::Predicate => Some(0x0200_0000 | u32::from(number)),
        RegisterClass::Gpr => Some(0x0500_0000 | u32::from(number)),
        RegisterClass::UniformGpr
        | RegisterClass::UniformPredicate
        | RegisterClass::Barrier
        | RegisterClass::Scoreboard => None,
    }
}

/// The places of a function's PTX registers: from each write until something else is written there, in order of the code.
pub(crate) fn places(function: &Function, allocation: &Allocation) -> Vec<Place> {
    let homes: FxHashMap<_, u32> = function.homes.iter().copied().zip(0..).collect();
    let mut places: Vec<Place> = Vec::new();
    // What is in each machine register: an index of `places`.
    let mut held: FxHashMap<u32, usize> = FxHashMap::default();
    let mut at = 0_u32;
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            let Some(first) = allocation.numbers.get(touch.register.0 as usize).copied().flatten() else {
                continue;
            };
            for word in touch.word..touch.word.saturating_add(touch.words) {
                let Some(register) = number(function.info(touch.register).class, first.saturating_add(word)) else {
                    continue;
                };
                let home = homes.get(&touch.register).copied();
                let old = held.get(&register).copied();
                if let Some(old) = old {
                    if home == Some(places[old].home) && places[old].word == word {
                        continue;
                    }
                    places[old].end = at;
                    held.remove(&register);
                }
                if let Some(home) = home {
                    held.insert(register, places.len());
                    places.push(Place {
                        home,
                        word,
                        register,
                        start: at,
                        end: u32::MAX,
                    });
                }
            }
        }
        if instruction.base.flow() == Flow::Call {
            held.retain(|register, index| {
                let stays = (*register >> 24 == 5) && convention::is_saved(*register as u8);
                if !stays {
                    places[*index].end = at;
                }
                stays
            });
        }
        at += 16;
    }
    for place in &mut places {
        place.end = place.end.min(at);
    }
    places.retain(|place| place.start < place.end);
    places
}

/// The bytes of both sections, for functions with their names.
pub(super) fn sections<'m>(
    module: &Module,
    functions: impl Iterator<Item = (&'m str, &'m ptx::Function, &'m [Place])>,
) -> (Vec<u8>, Vec<u8>) {
    let (mut registers, mut types) = (Vec::new(), Vec::new());
    for (name, function, places) in functions {
        let Some(body) = &function.body else { continue };
        let names = names(module, function, body);
        for section in [&mut registers, &mut types] {
            section.extend_from_slice(name.as_bytes());
            section.push(0);
            section.extend_from_slice(&(places.len() as u32).to_le_bytes());
        }
        for place in places {
            let (name, kind) = names
                .get(place.home as usize)
                .map_or(("", Type::B32), |(name, kind)| (name.as_str(), *kind));
            registers.extend_from_slice(&u32::from(place.word).to_le_bytes());
            registers.extend_from_slice(name.as_bytes());
            registers.push(0);
            for value in [place.register, place.start, place.end] {
                registers.extend_from_slice(&value.to_le_bytes());
            }
            types.push(code(kind));
        }
    }
    (registers, types)
}

/// Names and types of the registers of a body, in its order.
fn names(module: &Module, function: &ptx::Function, body: &Body) -> Vec<(String, Type)> {
    let numbers = NamedRegisters::of(module, function, body);
    let each = body.registers.iter().flat_map(|range| {
        let name = module.names.get(range.name);
        numbers.of_range(range).map(move |index| match range.count {
            Some(_) => (format!("{name}{index}"), range.element),
            None => (name.to_string(), range.element),
        })
    });
    each.collect()
}

/// The number of a type. (Observed for all types that registers have.)
fn code(kind: Type) -> u8 {
    match kind {
        Type::B8 => 0,
        Type::B16 => 1,
        Type::B64 => 3,
        Type::U8 => 4,
        Type::U16 => 5,
        Type::U32 => 6,
        Type::U64 => 7,
        Type::S8 => 8,
        Type::S16 => 9,
        Type::S32 => 10,
        Type::S64 => 11,
        Type::F16 => 12,
        Type::F16x2 => 13,
        Type::F32 => 14,
        Type::F64 => 15,
        Type::Pred => 16,
        Type::B128 => 17,
        // `.b32`, and what is no type of a register.
        _ => 2,
    }
}
