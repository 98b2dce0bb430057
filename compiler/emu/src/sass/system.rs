//! Functions of the run-time system that device code calls: `vprintf`, `malloc`, `free`, `__assertfail`, launches ([`crate::children`]), and those that
//! stand for instructions ([`super::system_texture`]).
//!
//! Arguments are in registers from R4 on, pairs at even numbers; the result is in R4, the return address in R20 and R21 (observed: calls that
//! nvcc 13.0 compiles).

use super::{
    bulk::SystemCopy,
    code::{LANES, Pc, Row, SYSTEM_BASE, step_at},
    machine::{Context, Trouble},
    memory::{Space, locate, read},
    system_texture::Fetch,
};
use crate::{FaultKind, children, lanes::lanes_of, print};

/// The functions, in the order of their addresses.
const FUNCTIONS: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", children::CALL];

/// General registers that the system's functions may change and return nothing in; what is in them afterwards is nothing that a program may rely on.
const CHANGED: [u8; 12] = [0, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// What they leave there.
const CHANGED_TO: u32 = 0xdead_c0de;

/// Where functions that the emulator does not have lie, so that only calling one is a fault; the name is found by the number.
const UNKNOWN_BASE: u64 = SYSTEM_BASE + (1 << 24);

/// The address of a function of the run-time system.
pub(crate) fn address_of(name: &str) -> Option<u64> {
    let index = FUNCTIONS.iter().position(|known| *known == name)?;
    Some(SYSTEM_BASE + 16 * index as u64)
}

/// The address of a function that is only named, by its number in [`Program::imports`](super::code::Program::imports).
pub(crate) fn address_of_import(number: usize) -> u64 {
    UNKNOWN_BASE + 16 * number as u64
}

/// Executes the function for these lanes; gives where each returns to.
pub(crate) fn call(context: &mut Context<'_, '_>, lanes: u32, address: u64) -> Result<[Pc; LANES], Trouble> {
    if let Some(offset) = address.checked_sub(UNKNOWN_BASE) {
        let import = usize::try_from(offset / 16).ok();
        let name = import.and_then(|import| context.machine.program.imports.get(import));
        let name = name.map_or("a function of another file", String::as_str);
        let (fetch, copy) = (Fetch::named(name), SystemCopy::named(name));
        let message = format!("{name} is called, which the cubin does not have");
        for lane in lanes_of(lanes) {
            let done = match (fetch, copy) {
                (Some(fetch), _) => fetch.execute(context, lane),
                (_, Some(copy)) => copy.execute(context, lane),
                (None, None) => return Err(Trouble::new(FaultKind::Unsupported, message)),
            };
            done.map_err(|trouble| trouble.at(lane))?;
        }
        return back(context, lanes);
    }
    let name = usize::try_from((address - SYSTEM_BASE) / 16)
        .ok()
        .filter(|_| address.is_multiple_of(16))
        .and_then(|index| FUNCTIONS.get(index))
        .ok_or_else(|| Trouble::new(FaultKind::Call, format!("there is no code at {address:#x}")))?;
    for lane in lanes_of(lanes) {
        let result = one(context, lane, name).map_err(|trouble| trouble.at(lane))?;
        for register in CHANGED {
            context.warp.write_lane(Row::register(register), lane, CHANGED_TO);
        }
        if let Some(result) = result {
            let (low, high) = (result as u32, (result >> 32) as u32);
            context.warp.write_lane(Row::register(4), lane, low);
            if *name == "malloc" {
                context.warp.write_lane(Row::register(5), lane, high);
            }
        }
    }
    back(context, lanes)
}

/// Where each lane returns to.
fn back(context: &Context<'_, '_>, lanes: u32) -> Result<[Pc; LANES], Trouble> {
    let mut back = [0; LANES];
    for lane in lanes_of(lanes) {
        let address = argument(context, lane, 20);
        back[lane] = step_at(address).ok_or_else(|| {
            Trouble::new(
                FaultKind::Call,
                format!("there is no code at {address:#x}, to return to"),
            )
            .at(lane)
        })?;
    }
    Ok(back)
}

/// The 64-bit value in a register and the next.
pub(super) fn argument(context: &Context<'_, '_>, lane: usize, register: u8) -> u64 {
    let value = |register| context.warp.row(&[], Row::register(register))[lane];
    u64::from(value(register)) | u64::from(value(register + 1)) << 32
}

/// Four words from the caller's stack.
pub(super) fn stack_words(context: &mut Context<'_, '_>, lane: usize, offset: u64) -> Result<[u32; 4], Trouble> {
    let stack = u64::from(context.warp.row(&[], Row::register(1))[lane]);
    let mut words = [0; 4];
    for (word, at) in words.iter_mut().zip((0..).step_by(4)) {
        let place = locate(context, Space::Local, stack + offset + at, 4)?;
        *word = read(context, place, lane, 0, 4)? as u32;
    }
    Ok(words)
}

fn one(context: &mut Context<'_, '_>, lane: usize, name: &str) -> Result<Option<u64>, Trouble> {
    let arguments = [4, 6, 8, 10].map(|register| argument(context, lane, register));
    match name {
        "vprintf" => {
            let mut text = String::new();
            let mut fetch = |address: u64, bytes: usize| fetch(context, lane, address, bytes);
            let count = print::format(&mut text, &mut fetch, arguments[0], arguments[1])?;
            let number = context.cta().number;
            let printed = context.machine.printed.entry(number).or_default();
            printed.push_str(&text);
            Ok(Some(count))
        }
        "malloc" => {
            let address = context.machine.memory.allocate(arguments[0].min(1 << 32));
            Ok(Some(address))
        }
        "free" => free(context, arguments[0]).map(|()| None),
        children::CALL => {
            let number = context.cta().number;
            context.machine.launched.entry(number).or_default().push(arguments[0]);
            Ok(None)
        }
        _ => {
            let mut fetch = |address: u64, bytes: usize| fetch(context, lane, address, bytes);
            let what = print::text(&mut fetch, arguments[0])?;
            let file = print::text(&mut fetch, arguments[1])?;
            // The line is one register, and the function's name the next pair.
            let line = arguments[2] as u32;
            let function = print::text(&mut fetch, arguments[3])?;
            let message = format!("{file}:{line}: {function}: Assertion `{what}` failed");
            Err(Trouble::new(FaultKind::Assert, message))
        }
    }
}

fn fetch(context: &mut Context<'_, '_>, lane: usize, address: u64, bytes: usize) -> Result<u64, Trouble> {
    let place = locate(context, Space::Generic, address, bytes as u8)?;
    read(context, place, lane, 0, bytes)
}

fn free(context: &mut Context<'_, '_>, address: u64) -> Result<(), Trouble> {
    if address == 0 {
        return Ok(());
    }
    if context.machine.memory.free(address) {
        return Ok(());
    }
    let message = format!("free of {address:#x}, which malloc did not give or which is free already");
    Err(Trouble::new(FaultKind::OutOfBounds, message))
}
