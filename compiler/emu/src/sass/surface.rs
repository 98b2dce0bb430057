//! Surfaces: `SULD`, `SUST` and `SURED`.
//!
//! Coordinates are x, y, z, and the layer last; x in bytes for `.BA` (observed, ptxas 13.0.88: what it compiles `suld`, `sust` and `sured` to).

use std::sync::Arc;

use super::{
    code::{LANES, Lanes, Row},
    machine::{Context, Flow, Trouble},
    texture::{Handle, Register},
};
use crate::{
    Fault,
    lanes::lanes_of,
    texture::{Boundary, Geometry, Point, Reduction, Registry, formatted_sign},
};

/// What is done with a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// `SULD.D`: so many bytes.
    Load { d: Register, bytes: u8, signed: bool },
    /// `SUST.D`
    Store { b: Register, bytes: u8 },
    /// `SUST.P`: so many channels.
    StoreFormatted { b: Register, channels: u8 },
    /// `SURED`
    Reduce {
        b: Register,
        bytes: u8,
        reduction: Reduction,
        signed: Sign,
    },
}

/// Whether the numbers of a reduction are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Signed,
    Unsigned,
    /// As the texels are, which must be such integers.
    OfTexels,
}

/// A surface instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceOp {
    pub(crate) kind: Kind,
    pub(crate) handle: Handle,
    pub(crate) geometry: Geometry,
    pub(crate) at: [Register; 3],
    pub(crate) layer: Register,
    pub(crate) by_texel: bool,
    pub(crate) boundary: Boundary,
}

/// A value of a register in a lane.
fn get(context: &Context<'_, '_>, register: Row, lane: usize) -> u32 {
    context.warp.row(&context.machine.constants, register)[lane]
}

/// The low bytes of the words of a register tuple.
fn tuple(context: &Context<'_, '_>, first: Register, lane: usize, bytes: u8) -> Vec<u8> {
    let first = Row::register(first);
    let words = (0..u32::from(bytes.div_ceil(4))).map(|word| get(context, first.after(word), lane));
    words.flat_map(u32::to_le_bytes).take(usize::from(bytes)).collect()
}

impl SurfaceOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let registry = Arc::clone(&context.machine.memory.textures);
        let (handles, _) = self.handle.lanes(context);
        let mut out: [Lanes; 4] = [[0; LANES]; 4];
        for lane in lanes_of(context.active) {
            let handle = u64::from(handles[lane]);
            let words = self
                .one(context, &registry, lane, handle)
                .map_err(|fault| Trouble::new(fault.kind, fault.message).at(lane))?;
            for (row, word) in out.iter_mut().zip(words) {
                row[lane] = word;
            }
        }
        if let Kind::Load { d, bytes, .. } = self.kind {
            for (word, row) in (0..u32::from(bytes.div_ceil(4))).zip(&out) {
                context.put(Row::register(d).after(word), row);
            }
        }
        Ok(Flow::Next)
    }

    fn point(&self, context: &Context<'_, '_>, lane: usize) -> Point {
        let number = |register| get(context, Row::register(register), lane);
        Point {
            geometry: self.geometry,
            layer: number(self.layer),
            at: self.at.map(|register| number(register) as i32),
            by_texel: self.by_texel,
            boundary: self.boundary,
        }
    }

    /// The words that a lane gets.
    fn one(&self, context: &Context<'_, '_>, registry: &Registry, lane: usize, handle: u64) -> Result<[u32; 4], Fault> {
        let surface = registry.surface(handle)?;
        let point = self.point(context, lane);
        let mut words = [0; 4];
        match self.kind {
            Kind::Load { bytes, signed, .. } => {
                let loaded = surface.load(&point, usize::from(bytes))?;
                for (word, part) in words.iter_mut().zip(loaded.chunks(4)) {
                    *word = part.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                }
                if signed {
                    let unused = 32 - 8 * u32::from(bytes.clamp(1, 4));
                    words[0] = ((words[0] << unused) as i32 >> unused) as u32;
                }
            }
            Kind::Store { b, bytes } => surface.store(&point, &tuple(context, b, lane, bytes))?,
            Kind::StoreFormatted { b, channels } => {
                let mut values = [0; 4];
                for (index, value) in (0..u32::from(channels)).zip(&mut values) {
                    *value = get(context, Row::register(b).after(index), lane);
                }
                surface.store_formatted(&point, values)?;
            }
            Kind::Reduce {
                b,
                bytes,
                reduction,
                signed,
            } => {
                let signed = match signed {
                    Sign::Signed => true,
                    Sign::Unsigned => false,
                    Sign::OfTexels => formatted_sign(registry, handle, bytes)?,
                };
                let operand = tuple(context, b, lane, bytes);
                let operand = operand
                    .iter()
                    .rev()
                    .fold(0, |value, byte| value << 8 | u64::from(*byte));
                let function = |old| reduction.apply(signed, bytes, old, operand);
                surface.update(&point, usize::from(bytes), function)?;
            }
        }
        Ok(words)
    }
}
