//! Loads from all copies of a multimem address at once: `LDGMC`. (Stores and reductions there are ordinary instructions, which go to each copy.)

use warpsmith_numerics::{convert, float, format, format::Format};

use super::{
    atomic::{Atomic, Element, Operation},
    code::{LANES, Lanes, Row},
    machine::{Context, Flow, Trouble},
    memory::{Address, Place, read},
};
use crate::{FaultKind, lanes::lanes_of};

/// `LDGMC`
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultimemLoad {
    pub(crate) d: Row,
    pub(crate) address: Address,
    pub(crate) operation: Operation,
    pub(crate) element: Element,
    /// Bytes of a number, or of two halves, or of four numbers of eight bits.
    pub(crate) bytes: u8,
    /// How many follow each other.
    pub(crate) count: u8,
    /// Sums of halves are made as f32, those of eight bits as halves.
    pub(crate) widens: bool,
}

impl MultimemLoad {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let addresses = self.address.lanes(context);
        let words = (u32::from(self.bytes) * u32::from(self.count) / 4).min(4) as usize;
        let mut rows: [Lanes; 4] = [[0; LANES]; 4];
        context.machine.counts.polls += 1;
        for lane in lanes_of(context.active) {
            let address = addresses[lane];
            if !address.is_multiple_of(4 * words as u64) {
                let message = format!("access of {} bytes at address {address:#x}", 4 * words);
                return Err(Trouble::new(FaultKind::Misaligned, message).at(lane));
            }
            let Some(replicas) = context.machine.memory.replicas(address) else {
                let message = format!("{address:#x} is no multimem address");
                return Err(Trouble::new(FaultKind::AddressSpace, message).at(lane));
            };
            let mut copies = Vec::new();
            for replica in replicas {
                let mut copy = [0_u32; 4];
                for (word, value) in copy.iter_mut().enumerate().take(words) {
                    let loaded = read(context, Place::Global(replica), lane, 4 * word as u64, 4);
                    *value = loaded.map_err(|trouble| trouble.at(lane))? as u32;
                }
                copies.push(copy);
            }
            let total = match self.element {
                Element::Float { format, .. } if self.widens => widened(format, &copies),
                _ => copies
                    .iter()
                    .copied()
                    .reduce(|a, b| self.combined(a, b))
                    .unwrap_or_default(),
            };
            if let Element::Float { format, .. } = self.element
                && format.width() == 8
                && self.operation == Operation::Add
            {
                within(format, &copies, total).map_err(|trouble| trouble.at(lane))?;
            }
            for (row, value) in rows.iter_mut().zip(total) {
                row[lane] = value;
            }
        }
        for (word, row) in (0..words as u32).zip(&rows) {
            context.put(self.d.after(word), row);
        }
        Ok(Flow::Next)
    }

    fn combined(self, a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
        let atomic = Atomic::of_numbers(self.operation, self.element, self.bytes);
        let mut result = [0; 4];
        if self.bytes == 8 {
            for pair in 0..2 {
                let wide = |words: [u32; 4]| u64::from(words[2 * pair]) | u64::from(words[2 * pair + 1]) << 32;
                let value = atomic.number(wide(a), wide(b));
                result[2 * pair] = value as u32;
                result[2 * pair + 1] = (value >> 32) as u32;
            }
            return result;
        }
        for (result, (a, b)) in result.iter_mut().zip(a.into_iter().zip(b)) {
            *result = atomic.number(a.into(), b.into()) as u32;
        }
        result
    }
}

/// The sums of halves as f32, or of numbers of eight bits as halves, rounded once at the end.
fn widened(narrow: Format, copies: &[[u32; 4]]) -> [u32; 4] {
    let plain = convert::Modifiers::default();
    let bits = narrow.width();
    let wide = if bits == 8 { format::F16 } else { format::F32 };
    let mask = (1 << bits) - 1;
    std::array::from_fn(|word| {
        (0..32 / bits).fold(0, |all, index| {
            let parts = copies.iter().map(|copy| {
                let part = copy[word] >> (bits * index) & mask;
                convert::float_to_float(narrow, wide, plain, part.into())
            });
            let sum = parts.reduce(|a, b| float::add(wide, float::Modifiers::default(), a, b));
            let rounded = convert::float_to_float(wide, narrow, plain, sum.unwrap_or(0));
            all | (rounded as u32 & mask) << (bits * index)
        })
    })
}

/// Refuses sums of numbers of eight bits that are none of their format: what the machine makes of them is not known.
fn within(format: Format, copies: &[[u32; 4]], total: [u32; 4]) -> Result<(), Trouble> {
    let is_finite = |words: &[u32; 4], index: usize| {
        let byte = u64::from(words[index / 4] >> (8 * (index % 4)) & 0xff);
        !format.is_nan(byte) && !format.is_infinite(byte)
    };
    for index in 0..16 {
        if !is_finite(&total, index) && copies.iter().all(|copy| is_finite(copy, index)) {
            let message = format!("a sum beyond the largest number of {}", format.name);
            return Err(Trouble::new(FaultKind::Unsupported, message));
        }
    }
    Ok(())
}
